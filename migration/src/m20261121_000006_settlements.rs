//! Customer receipts, supplier payments and their refunds, and the lines of statements that show them.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, text, text_null};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(settlement()).await?;
        // SQLite adds one column at a time.
        for column in [big_integer_null("settlement_id"), text_null("settlement_side")] {
            let mut alter = Table::alter();
            alter.table("bank_transaction").add_column(column);
            manager.alter_table(alter.take()).await?;
        }
        for index in indexes() {
            manager.create_index(index).await?;
        }
        let mut insert = Query::insert();
        insert.into_table("id_block").columns(["name", "next"]).values_panic(["settlement".into(), 1_i64.into()]);
        manager.execute(insert).await
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

fn settlement() -> TableCreateStatement {
    let reference = |column: &'static str, to: &'static str| {
        let mut key = ForeignKey::create();
        key.from("settlement", column).to(to, "id");
        key
    };
    Table::create()
        .table("settlement")
        .col(big_integer("id").primary_key().take())
        .col(big_integer("organisation_id"))
        .col(text("side"))
        .col(text("kind"))
        .col(text("number"))
        .col(big_integer("contact_id"))
        .col(big_integer("day"))
        .col(big_integer("amount"))
        .col(big_integer("bank_account_id"))
        .col(text_null("reference"))
        .col(text_null("memo"))
        .col(text_null("method"))
        // What its allocations come to, kept so that lists need not add them up.
        .col(big_integer("allocated"))
        .col(big_integer("cis"))
        .col(big_integer_null("bank_transaction_id"))
        .col(big_integer("journal_id"))
        .col(big_integer_null("void_journal_id"))
        .col(big_integer_null("void_day"))
        .col(text_null("void_reason"))
        .col(big_integer("created_at"))
        .col(big_integer("updated_at"))
        .col(big_integer("version"))
        .check(Expr::col("amount").gt(0))
        .check(Expr::col("allocated").gte(0))
        .foreign_key(&mut reference("organisation_id", "organisation"))
        .foreign_key(&mut reference("contact_id", "contact"))
        .foreign_key(&mut reference("bank_account_id", "bank_account"))
        .foreign_key(&mut reference("journal_id", "journal"))
        .to_owned()
}

fn indexes() -> Vec<IndexCreateStatement> {
    let plain = |name: &'static str, table: &'static str, columns: &[&'static str]| {
        let mut index = Index::create();
        index.name(name).table(table);
        for column in columns {
            index.col(*column);
        }
        index
    };
    vec![
        plain("settlement_number", "settlement", &["organisation_id", "side", "number"]).unique().to_owned(),
        plain("settlement_date", "settlement", &["organisation_id", "side", "day", "id"]),
        plain("settlement_contact", "settlement", &["contact_id", "day"]),
        plain("settlement_amount", "settlement", &["bank_account_id", "amount"]),
        plain("settlement_journal", "settlement", &["journal_id"]),
        plain("bank_transaction_settlement", "bank_transaction", &["settlement_id"])
            .and_where(Expr::col("settlement_id").is_not_null())
            .to_owned(),
    ]
}
