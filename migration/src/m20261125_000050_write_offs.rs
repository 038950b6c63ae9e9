//! Write-offs of sales invoices, and the allocations that they make.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, text_null};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(write_off()).await?;
        let mut of_document = Index::create();
        of_document.name("write_off_document").table("write_off").col("document_id");
        manager.create_index(of_document).await?;
        let mut alter = Table::alter();
        alter.table("allocation").add_column(big_integer_null("from_write_off_id"));
        manager.alter_table(alter.take()).await?;
        let mut insert = Query::insert();
        insert.into_table("id_block").columns(["name", "next"]).values_panic(["write_off".into(), 1_i64.into()]);
        manager.execute(insert).await
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

fn write_off() -> TableCreateStatement {
    let reference = |column: &'static str, to: &'static str| {
        let mut key = ForeignKey::create();
        key.from("write_off", column).to(to, "id");
        key
    };
    Table::create()
        .table("write_off")
        .col(big_integer("id").primary_key().take())
        .col(big_integer("organisation_id"))
        .col(big_integer("document_id"))
        .col(big_integer("day"))
        .col(big_integer("amount"))
        .col(big_integer("vat"))
        .col(big_integer("account_id"))
        .col(big_integer_null("relief_vat"))
        .col(big_integer_null("relief_day"))
        .col(big_integer("journal_id"))
        .col(big_integer_null("void_journal_id"))
        .col(big_integer_null("void_day"))
        .col(text_null("void_reason"))
        .col(big_integer("user_id"))
        .col(text_null("key_prefix"))
        .col(big_integer("created_at"))
        .col(big_integer("updated_at"))
        .col(big_integer("version"))
        .check(Expr::col("id").gt(0))
        .check(Expr::col("amount").gt(0))
        .foreign_key(&mut reference("organisation_id", "organisation"))
        .foreign_key(&mut reference("document_id", "document"))
        .foreign_key(&mut reference("account_id", "account"))
        .foreign_key(&mut reference("journal_id", "journal"))
        .to_owned()
}
