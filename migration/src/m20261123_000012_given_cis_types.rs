//! What the caller says a line is under CIS, apart from what follows from the supplier when the document is issued.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::text_null;

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

/// Only drafts are priced again. `none` was also that of lines that did not say it, so these are asked anew.
const FILLED: &str = "update document_line set given_cis_type = cis_type where cis_type <> 'none' \
     and document_id in (select id from document where stage = 'draft')";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = Table::alter().table("document_line").add_column(text_null("given_cis_type")).to_owned();
        manager.alter_table(column).await?;
        manager.get_connection().execute_unprepared(FILLED).await?;
        Ok(())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
