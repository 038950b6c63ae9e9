//! When sales are turnover of the flat rate: of organisations, and of each scheme they had. Until now it was the date of the
//! invoice.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{text, text_null};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, column) in [
            ("organisation", text("flat_rate_basis").default("invoice").take()),
            ("vat_scheme_period", text_null("flat_rate_basis")),
        ] {
            let mut alter = Table::alter();
            alter.table(table).add_column(column);
            manager.alter_table(alter.take()).await?;
        }
        Ok(())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
