//! The store, every test on SQLite and on PostgreSQL.

mod bed;
mod credits;
mod jobs;
mod people;
mod queue;
mod writer;
