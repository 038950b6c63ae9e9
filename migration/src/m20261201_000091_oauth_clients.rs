//! Clients are cleared and a person's requests counted without reading every connection and every request.

use sea_orm_migration::prelude::*;

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut index = Index::create();
        index.name("oauth_grant_client").table("oauth_grant").col("client_id");
        manager.create_index(index).await?;
        let mut index = Index::create();
        index.name("oauth_request_user").table("oauth_request").col("user_id").col("expires_at");
        manager.create_index(index).await
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
