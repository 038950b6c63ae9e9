//! Recorded VAT returns; and the position of the history at which entries of VAT are made, so that a return can show the
//! entries that were declared.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, text, text_null};
use sea_orm_migration::sea_orm::ConnectionTrait;

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(returns()).await?;
        let mut by_period = Index::create();
        by_period.name("vat_return_period").table("vat_return").col("organisation_id").col("last_month").unique();
        manager.create_index(by_period.take()).await?;
        let mut alter = Table::alter();
        alter.table("vat_entry").add_column(big_integer("cursor").default(0).take());
        manager.alter_table(alter.take()).await?;
        let mut insert = Query::insert();
        insert.into_table("id_block").columns(["name", "next"]).values_panic(["vat_return".into(), 1_i64.into()]);
        manager.exec_stmt(insert).await?;
        // What is void in a period is found by its day, of which most have none.
        let voided =
            "create index vat_adjustment_void on vat_adjustment (organisation_id, void_day) where void_day is not null";
        manager.get_connection().execute_unprepared(voided).await?;
        Ok(())
    }

    /// On SQLite too: the table without the column would be worse than neither.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

fn returns() -> TableCreateStatement {
    let mut of_organisation = ForeignKey::create();
    of_organisation.from("vat_return", "organisation_id").to("organisation", "id");
    Table::create()
        .table("vat_return")
        .col(big_integer("id").primary_key())
        .col(big_integer("organisation_id"))
        .col(big_integer("first_month"))
        .col(big_integer("last_month"))
        .col(text("scheme"))
        .col(big_integer("box1"))
        .col(big_integer("box2"))
        .col(big_integer("box4"))
        .col(big_integer("box6"))
        .col(big_integer("box7"))
        .col(big_integer("box8"))
        .col(big_integer("box9"))
        .col(big_integer("entries"))
        .col(big_integer("late_box1"))
        .col(big_integer("late_box2"))
        .col(big_integer("late_box4"))
        .col(big_integer("late_box6"))
        .col(big_integer("late_box7"))
        .col(big_integer("late_box8"))
        .col(big_integer("late_box9"))
        .col(big_integer("late_entries"))
        .col(text("late_method"))
        .col(big_integer_null("filed_day"))
        .col(text_null("hmrc_receipt"))
        .check(Expr::col("id").gt(0))
        .col(big_integer("cursor"))
        .col(big_integer("user_id"))
        .col(text_null("key_prefix"))
        .col(big_integer("created_at"))
        .foreign_key(&mut of_organisation)
        .to_owned()
}
