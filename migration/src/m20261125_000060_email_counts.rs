//! How often documents, receipts and payments were e-mailed: so many of their versions print what the one before printed.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::big_integer;

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let of_settlement = "case settlement.side when 'customer' then 'customer_receipt' else 'supplier_payment' end";
        for (table, document_type) in [("document", "document.kind"), ("settlement", of_settlement)] {
            let mut alter = Table::alter();
            alter.table(table).add_column(big_integer("email_count").default(0).take());
            manager.alter_table(alter.take()).await?;
            let sql = format!(
                "update {table} set email_count = (select count(*) from email e \
                 where e.organisation_id = {table}.organisation_id and e.document_id = {table}.id \
                 and e.document_type = {document_type}) where last_emailed_at is not null"
            );
            manager.get_connection().execute_unprepared(&sql).await?;
        }
        Ok(())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
