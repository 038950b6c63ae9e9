//! What the coding engine suggests for lines of statements: the suggestion with its confidence, what a job wrote of its
//! suggestions, and the organisations that ask for them after each import.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer_null, boolean, text_null};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, column) in [
            ("bank_transaction", text_null("suggestion")),
            ("bank_transaction", big_integer_null("suggested_confidence")),
            ("job", big_integer_null("suggestions_written")),
            ("job", big_integer_null("suggestions_skipped")),
            ("organisation", boolean("auto_suggest").default(false).take()),
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
