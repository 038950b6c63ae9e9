//! Database rows, one table per file: each entity describes its table as the migrations leave it, and holds no logic.
//!
//! Money never is a `Decimal`: SQLite would keep it as a float.

use sea_orm::entity::prelude::*;

pub mod account;
pub mod account_day;
pub mod account_month;
pub mod allocation;
pub mod api_key;
pub mod api_key_organisation;
pub mod bank_account;
pub mod bank_transaction;
pub mod book_change;
pub mod book_import;
pub mod book_preview;
pub mod books;
pub mod cash_day;
pub mod cash_reversal;
pub mod change_epoch;
pub mod charge;
pub mod coding_policy;
pub mod coding_session;
pub mod coding_session_invoice;
pub mod coding_session_line;
pub mod coding_session_load;
pub mod coding_session_statement;
pub mod contact;
pub mod contact_day;
pub mod contact_month;
pub mod credit_account;
pub mod credit_movement;
pub mod document;
pub mod document_line;
pub mod email;
pub mod financial_year_close;
pub mod financial_year_end_period;
pub mod id_block;
pub mod idempotency_key;
pub mod job;
pub mod job_hot;
pub mod job_payload;
pub mod job_result;
pub mod journal;
pub mod journal_line;
pub mod journal_reversal;
pub mod list_count;
pub mod list_day;
pub mod mail_slot;
pub mod membership;
pub mod number_sequence;
pub mod oauth_access_token;
pub mod oauth_client;
pub mod oauth_code;
pub mod oauth_grant;
pub mod oauth_grant_organisation;
pub mod oauth_refresh_token;
pub mod oauth_request;
pub mod open_item;
pub mod organisation;
pub mod period_lock_change;
pub mod product_slot;
pub mod rate_permit;
pub mod selected_organisation;
pub mod setting;
pub mod settlement;
pub mod trade_total;
pub mod user_account;
pub mod vat_adjustment;
pub mod vat_adjustment_entry;
pub mod vat_day;
pub mod vat_entry;
pub mod vat_month;
pub mod vat_return;
pub mod vat_scheme_period;
pub mod write_off;

/// The relations of an entity that no query joins to another.
#[derive(Copy, Clone, Debug, EnumIter)]
pub enum NoRelation {}

impl RelationTrait for NoRelation {
    fn def(&self) -> RelationDef {
        match *self {}
    }
}
