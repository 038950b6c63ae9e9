//! Table `mail_slot`: one row. `store/mail.rs` of the service reads and writes it.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// The right to send e-mails.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "mail_slot")]
pub struct Model {
    /// `mail`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// The process that holds the right; null when none does.
    pub holder: Option<String>,
    /// Grows with every change of holder, so that a process that lost the right cannot write.
    pub fence: i64,
    /// When the right ends unless it is renewed, in milliseconds since 1970; 0 when no process holds it.
    pub lease_until: i64,
}

impl ActiveModelBehavior for ActiveModel {}
