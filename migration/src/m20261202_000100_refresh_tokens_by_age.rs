//! The newest refresh tokens of a connection are counted without reading all of them.

use sea_orm_migration::prelude::*;

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut index = Index::create();
        index.name("oauth_refresh_token_age").table("oauth_refresh_token").col("grant_id").col("issued_at");
        manager.create_index(index).await?;
        // What it served, the new one serves.
        let mut index = Index::drop();
        manager.drop_index(index.name("oauth_refresh_token_grant").table("oauth_refresh_token").to_owned()).await
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
