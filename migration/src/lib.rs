//! Schema steps, forward only, the same on SQLite and PostgreSQL.
//!
//! A published step is never edited: what changes later is a new step. The steps stand in the order of their names. A
//! database is given the steps whose names it has not recorded, in that order, wherever in the list they stand.

use sea_orm_migration::prelude::*;
pub use sea_orm_migration::{MigrationTrait, MigratorTrait};

mod m20261101_000001_foundation;
mod m20261121_000002_ledger;
mod m20261121_000003_documents;
mod m20261121_000004_history_and_imports;
mod m20261121_000005_ledger_indexes;
mod m20261121_000006_settlements;
mod m20261122_000007_list_totals;
mod m20261122_000008_vat_basis;
mod m20261123_000009_positive_identifiers;
mod m20261123_000010_trigram_names;
mod m20261123_000011_financial_years;
mod m20261123_000012_given_cis_types;
mod m20261123_000013_settlement_account;
mod m20261123_000015_printed_documents;
mod m20261124_000014_cash_totals;
mod m20261124_000020_vat_adjustments;
mod m20261124_000021_reverse_charge;
pub mod m20261124_000022_contact_reports;
mod m20261124_000023_email;
mod m20261125_000030_flat_rate_basis;
mod m20261125_000031_vat_returns;
mod m20261125_000040_statement_emails;
mod m20261125_000050_write_offs;
mod m20261125_000051_closed_years;
mod m20261125_000060_email_counts;
mod m20261126_000060_rate_days;
pub mod m20261126_000061_report_speed;
mod m20261127_000060_account_roles;
mod m20261128_000070_selected_organisations;
mod m20261129_000071_plans;
mod m20261130_000080_oauth;
mod m20261201_000090_coding_sessions;
mod m20261201_000091_oauth_clients;
mod m20261202_000100_refresh_tokens_by_age;
mod m20261203_000110_client_documents;
mod m20261204_000120_suggestions;
mod m20261205_000101_queue_shares;
mod m20261205_000102_credit_reservations;

/// Every step, in the order of the names.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261101_000001_foundation::Migration),
            Box::new(m20261121_000002_ledger::Migration),
            Box::new(m20261121_000003_documents::Migration),
            Box::new(m20261121_000004_history_and_imports::Migration),
            Box::new(m20261121_000005_ledger_indexes::Migration),
            Box::new(m20261121_000006_settlements::Migration),
            Box::new(m20261122_000007_list_totals::Migration),
            Box::new(m20261122_000008_vat_basis::Migration),
            Box::new(m20261123_000009_positive_identifiers::Migration),
            Box::new(m20261123_000010_trigram_names::Migration),
            Box::new(m20261123_000011_financial_years::Migration),
            Box::new(m20261123_000012_given_cis_types::Migration),
            Box::new(m20261123_000013_settlement_account::Migration),
            Box::new(m20261123_000015_printed_documents::Migration),
            Box::new(m20261124_000014_cash_totals::Migration),
            Box::new(m20261124_000020_vat_adjustments::Migration),
            Box::new(m20261124_000021_reverse_charge::Migration),
            Box::new(m20261124_000022_contact_reports::Migration),
            Box::new(m20261124_000023_email::Migration),
            Box::new(m20261125_000030_flat_rate_basis::Migration),
            Box::new(m20261125_000031_vat_returns::Migration),
            Box::new(m20261125_000040_statement_emails::Migration),
            Box::new(m20261125_000050_write_offs::Migration),
            Box::new(m20261125_000051_closed_years::Migration),
            Box::new(m20261125_000060_email_counts::Migration),
            Box::new(m20261126_000060_rate_days::Migration),
            Box::new(m20261126_000061_report_speed::Migration),
            Box::new(m20261127_000060_account_roles::Migration),
            Box::new(m20261128_000070_selected_organisations::Migration),
            Box::new(m20261129_000071_plans::Migration),
            Box::new(m20261130_000080_oauth::Migration),
            Box::new(m20261201_000090_coding_sessions::Migration),
            Box::new(m20261201_000091_oauth_clients::Migration),
            Box::new(m20261202_000100_refresh_tokens_by_age::Migration),
            Box::new(m20261203_000110_client_documents::Migration),
            Box::new(m20261204_000120_suggestions::Migration),
            Box::new(m20261205_000101_queue_shares::Migration),
            Box::new(m20261205_000102_credit_reservations::Migration),
        ]
    }
}
