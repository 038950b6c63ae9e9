//! Plans of agents beside the previews of imports and opening balances, and tools and connections in the history.

use sea_orm_migration::prelude::*;

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for sql in [
            "alter table book_change add column grant_id bigint",
            "alter table book_change add column tool text",
            "alter table book_change add column note text",
            "alter table book_preview add column connection text",
            "alter table book_preview add column tool text",
            "alter table book_preview add column outline text",
            "alter table book_preview add column dead_reason text",
            "create index book_preview_connection on book_preview (user_id, connection, expires_at)",
        ] {
            connection.execute_unprepared(sql).await?;
        }
        Ok(())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
