//! How the VAT of each document is declared, kept with it, and credit that counts as a payment.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{boolean, text_null};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

/// What was declared tells; what was not yet follows from the scheme of the day. Opening documents have no basis.
const FILLED: &str = "update document set vat_basis = coalesce((select min(e.basis) from vat_entry e \
     where e.document_id = document.id), (select p.scheme from vat_scheme_period p \
     where p.organisation_id = document.organisation_id and p.from_day <= document.day \
     order by p.from_day desc limit 1), 'standard') where stage <> 'draft' and not opening";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns =
            [("document", text_null("vat_basis")), ("allocation", boolean("as_payment").default(false).take())];
        for (table, column) in columns {
            let mut alter = Table::alter();
            alter.table(table).add_column(column);
            manager.alter_table(alter.take()).await?;
        }
        manager.get_connection().execute_unprepared(FILLED).await?;
        Ok(())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
