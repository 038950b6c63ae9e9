//! Database rows, one table per file: what is stored and how it hangs together, no logic.
//!
//! Money never is a `Decimal`: SQLite would keep it as a float.

pub mod api_key;
pub mod api_key_organisation;
pub mod change_epoch;
pub mod charge;
pub mod credit_account;
pub mod credit_movement;
pub mod idempotency_key;
pub mod job;
pub mod job_hot;
pub mod job_payload;
pub mod job_result;
pub mod membership;
pub mod organisation;
pub mod product_slot;
pub mod rate_permit;
pub mod setting;
pub mod user_account;
