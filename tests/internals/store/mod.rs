//! The store, every test on SQLite and on PostgreSQL.

mod bank_settlements;
mod books;
mod cis;
mod coding_sessions;
mod credits;
mod documents;
mod fixture;
mod jobs;
mod mail;
mod migrations;
mod oauth;
mod people;
mod queue;
mod reports;
mod schema;
mod settlements;
mod settling_storm;
mod vat;
mod writer;
