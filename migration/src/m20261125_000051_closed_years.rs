//! Closed financial years, and the day from which the lines of their journals count.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let reference = |column: &'static str, to: &'static str| {
            let mut key = ForeignKey::create();
            key.from("financial_year_close", column).to(to, "id");
            key
        };
        let table = Table::create()
            .table("financial_year_close")
            .col(big_integer("organisation_id"))
            .col(big_integer("end_day"))
            .col(big_integer("start_day"))
            .col(big_integer_null("journal_id"))
            .col(big_integer_null("previous_lock_day"))
            .primary_key(Index::create().col("organisation_id").col("end_day"))
            .foreign_key(&mut reference("organisation_id", "organisation"))
            .foreign_key(&mut reference("journal_id", "journal"))
            .to_owned();
        manager.create_table(table).await?;
        let mut alter = Table::alter();
        alter.table("journal_line").add_column(big_integer_null("closing_day"));
        manager.alter_table(alter.take()).await?;
        let mut of_account = Index::create();
        of_account.name("journal_line_closing").table("journal_line").col("account_id").col("closing_day");
        manager.create_index(of_account.and_where(Expr::col("closing_day").is_not_null()).to_owned()).await
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
