//! E-mails of statements, which are of some days, and when receipts and payments were e-mailed last.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer_null, boolean};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = [
            ("email", big_integer_null("period_start_day")),
            ("email", big_integer_null("period_end_day")),
            // Whether the PDF was rendered again and is another one than before.
            ("email", boolean("pdf_changed").default(false).take()),
            ("settlement", big_integer_null("last_emailed_at")),
        ];
        for (table, column) in columns {
            let mut alter = Table::alter();
            alter.table(table).add_column(column);
            manager.alter_table(alter.take()).await?;
        }
        let sql = "update settlement set last_emailed_at = (select max(e.created_at) from email e \
                   where e.organisation_id = settlement.organisation_id and e.document_id = settlement.id \
                   and e.document_type = case settlement.side when 'customer' then 'customer_receipt' \
                   else 'supplier_payment' end)";
        manager.get_connection().execute_unprepared(sql).await.map(|_| ())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
