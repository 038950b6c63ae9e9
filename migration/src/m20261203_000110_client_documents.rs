//! Clients whose identifier is the address of their description: how long that is kept.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::big_integer_null;

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut alter = Table::alter();
        alter.table("oauth_client").add_column(big_integer_null("document_until"));
        manager.alter_table(alter.take()).await
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
