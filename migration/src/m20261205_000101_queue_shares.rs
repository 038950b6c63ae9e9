//! The queue knows whose job each place is, so that people take turns in it.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in ["last_user_id", "moves"] {
            let mut alter = Table::alter();
            alter.table("product_slot").add_column(big_integer(column).default(0).take());
            manager.alter_table(alter.take()).await?;
        }
        let anew = Table::create()
            .table("job_hot_anew")
            .col(text("product"))
            .col(big_integer("user_id"))
            .col(big_integer("seq"))
            .col(text("job_id"))
            // A turn begins with the next person, and within one with the oldest job.
            .primary_key(Index::create().name("job_hot_turns").col("product").col("user_id").col("seq"))
            .to_owned();
        manager.create_table(anew).await?;
        let connection = manager.get_connection();
        let moved = "insert into job_hot_anew (product, user_id, seq, job_id) \
                     select h.product, j.user_id, h.seq, h.job_id from job_hot h join job j on j.id = h.job_id";
        connection.execute_unprepared(moved).await?;
        manager.drop_table(Table::drop().table("job_hot").to_owned()).await?;
        manager.rename_table(Table::rename().table("job_hot_anew", "job_hot").to_owned()).await
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
