//! The organisation an agent's connection works on when a call names none.

use sea_orm_migration::prelude::*;

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let selected = "create table selected_organisation (\
             key_id bigint not null primary key check (key_id >= 1) references api_key (id), \
             organisation_id bigint not null references organisation (id))";
        manager.get_connection().execute_unprepared(selected).await?;
        Ok(())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
