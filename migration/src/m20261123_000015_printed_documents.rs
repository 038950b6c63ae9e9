//! What is printed on documents and HMRC forms of an organisation.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer_null, text_null};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = [
            text_null("email"),
            text_null("phone"),
            text_null("paye_reference"),
            text_null("accounts_office_reference"),
            big_integer_null("payment_bank_account_id"),
            text_null("invoice_footer"),
        ];
        for column in columns {
            let mut alter = Table::alter();
            alter.table("organisation").add_column(column);
            manager.alter_table(alter.take()).await?;
        }
        Ok(())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
