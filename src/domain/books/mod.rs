//! The books as a state machine: a command is decided over books and facts in memory and leaves effects to be written.
//!
//! Three steps, in three places: `store::books::load` prefetches what the commands of a group refer to
//! (`request::ReferencedIds` → [`facts`]), [`decide`] executes them one after another, and `store::books::write` writes the
//! [`effects`]. Nothing here waits, reads a clock or knows a database.

pub mod audit_fields;
pub mod command;
pub mod decide;
pub mod effects;
pub mod facts;
pub mod idempotency;
pub mod numbers;
pub mod planned_ids;
pub mod records;
pub(crate) mod referenced_ids;
pub mod request;
