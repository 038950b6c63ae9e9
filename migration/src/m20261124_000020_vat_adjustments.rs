//! Adjustments of the VAT return.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, text, text_null};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(adjustment()).await?;
        manager.create_table(entry()).await?;
        let mut index = Index::create();
        index.name("vat_adjustment_date").table("vat_adjustment").col("organisation_id").col("day").col("id");
        manager.create_index(index).await?;
        let mut insert = Query::insert();
        insert.into_table("id_block").columns(["name", "next"]).values_panic(["vat_adjustment".into(), 1_i64.into()]);
        manager.execute(insert).await
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

fn adjustment() -> TableCreateStatement {
    let reference = |column: &'static str, to: &'static str| {
        let mut key = ForeignKey::create();
        key.from("vat_adjustment", column).to(to, "id");
        key
    };
    Table::create()
        .table("vat_adjustment")
        .col(big_integer("id").primary_key().take())
        .col(big_integer("organisation_id"))
        .col(big_integer("day"))
        .col(text("reason"))
        .col(text("description"))
        .col(big_integer_null("account_id"))
        .col(big_integer_null("journal_id"))
        .col(big_integer_null("void_journal_id"))
        .col(big_integer_null("void_day"))
        .col(text_null("void_reason"))
        .col(big_integer("user_id"))
        .col(text_null("key_prefix"))
        .col(big_integer("created_at"))
        .col(big_integer("updated_at"))
        .col(big_integer("version"))
        .check(Expr::col("id").gt(0))
        .foreign_key(&mut reference("organisation_id", "organisation"))
        .foreign_key(&mut reference("account_id", "account"))
        .foreign_key(&mut reference("journal_id", "journal"))
        .to_owned()
}

fn entry() -> TableCreateStatement {
    let mut of_adjustment = ForeignKey::create();
    of_adjustment.from("vat_adjustment_entry", "vat_adjustment_id").to("vat_adjustment", "id");
    Table::create()
        .table("vat_adjustment_entry")
        .col(big_integer("vat_adjustment_id"))
        .col(big_integer("position"))
        .col(big_integer("box_number"))
        .col(big_integer("amount"))
        .primary_key(Index::create().col("vat_adjustment_id").col("position"))
        .foreign_key(&mut of_adjustment)
        .to_owned()
}
