//! Reverse charges: of the lines of documents, of the entries of VAT, and in the sums of these by day and month. And the basis
//! that documents, and sales of fixed assets, are given for their VAT.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, text, text_null};
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column at a time.
        for (table, column) in [
            ("document_line", text_null("reverse_charge")),
            ("document_line", big_integer_null("reverse_charge_vat")),
            ("vat_entry", text_null("reverse_charge")),
            // The return names the payment that brought an entry onto it.
            ("vat_entry", big_integer_null("settlement_id")),
            ("document_line", text_null("vat_basis")),
            ("document", text_null("given_vat_basis")),
        ] {
            let mut alter = Table::alter();
            alter.table(table).add_column(column);
            manager.alter_table(alter.take()).await?;
        }
        in_key(manager, ("vat_day", "vat_day_by_charge"), "day").await?;
        in_key(manager, ("vat_month", "vat_month_by_charge"), "month").await
    }

    /// On SQLite too: one table of sums without the other would be worse than none.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

/// Makes the reverse charge a part of the key of a table of sums. SQLite cannot change a key, so the table is copied; it
/// has a row for each day or month, side, code and basis.
async fn in_key(
    manager: &SchemaManager<'_>,
    (table, anew): (&'static str, &'static str),
    period: &'static str,
) -> Result<(), DbErr> {
    let mut of_organisation = ForeignKey::create();
    of_organisation.from(anew, "organisation_id").to("organisation", "id");
    let key = ["organisation_id", "side", "vat_code", "basis", "reverse_charge", period];
    let mut primary_key = Index::create();
    for column in key {
        primary_key.col(column);
    }
    let create = Table::create()
        .table(anew)
        .col(big_integer("organisation_id"))
        .col(text("side"))
        .col(text("vat_code"))
        .col(text("basis"))
        .col(text("reverse_charge"))
        .col(big_integer(period))
        .col(big_integer("net"))
        .col(big_integer("vat"))
        .col(big_integer("entries"))
        .primary_key(&mut primary_key)
        .foreign_key(&mut of_organisation)
        .to_owned();
    match manager.get_database_backend() {
        DbBackend::Sqlite => {
            // The rows of sums lie in the order of their key.
            let create = format!("{} without rowid", create.to_string(SqliteQueryBuilder));
            manager.get_connection().execute_unprepared(&create).await?;
        }
        _ => manager.create_table(create).await?,
    }
    let copy = format!(
        "insert into {anew} (organisation_id, side, vat_code, basis, reverse_charge, {period}, net, vat, entries) \
         select organisation_id, side, vat_code, basis, '', {period}, net, vat, entries from {table}"
    );
    manager.get_connection().execute_unprepared(&copy).await?;
    manager.drop_table(Table::drop().table(table).to_owned()).await?;
    manager.rename_table(Table::rename().table(anew, table).to_owned()).await
}
