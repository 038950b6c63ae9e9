//! What running jobs will cost is set aside in the account that pays for it.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::big_integer;

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut alter = Table::alter();
        let column = big_integer("reserved").default(0).check(Expr::col("reserved").gte(0)).take();
        alter.table("credit_account").add_column(column);
        manager.alter_table(alter.take()).await?;
        // A job that a process left running is given back with its reservation.
        let running = "select sum(j.cost) from job j where j.user_id = credit_account.user_id \
                       and j.status = 'processing' and j.completed_at is null";
        let reserved = format!("update credit_account set reserved = coalesce(({running}), 0)");
        manager.get_connection().execute_unprepared(&reserved).await.map(|_| ())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
