//! Settlements through another account than that of a bank account: a director paid, or it was set off.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend, Statement};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = "alter table settlement add column account_id bigint references account (id)";
        manager.get_connection().execute_unprepared(add).await?;
        match manager.get_database_backend() {
            DbBackend::Postgres => {
                let nullable = "alter table settlement alter column bank_account_id drop not null";
                manager.get_connection().execute_unprepared(nullable).await?;
                Ok(())
            }
            _ => in_stored_definition(manager).await,
        }
    }

    /// On SQLite too: half of the change would be worse than none.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

/// SQLite has no statement that drops NOT NULL, and a copy of the table would take long. It changes nothing in how rows are
/// stored, so the definition of the table is changed where SQLite keeps it (section 7 of its page on `ALTER TABLE`); the new
/// schema version makes every connection read the definitions again.
async fn in_stored_definition(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    const GIVEN: &str = "\"bank_account_id\" integer NOT NULL";
    const MAYBE: &str = "\"bank_account_id\" integer";
    let connection = manager.get_connection();
    let one = |sql: &str| Statement::from_string(DbBackend::Sqlite, sql.to_owned());
    let row = connection.query_one_raw(one("pragma schema_version")).await?.ok_or_else(unexpected)?;
    let version: i64 = row.try_get_by_index(0)?;
    let found = "select sql from sqlite_master where type = 'table' and name = 'settlement'";
    let row = connection.query_one_raw(one(found)).await?.ok_or_else(unexpected)?;
    let definition: String = row.try_get_by_index(0)?;
    if definition.matches(GIVEN).count() != 1 {
        return Err(unexpected());
    }
    connection.execute_unprepared("pragma writable_schema = on").await?;
    let change = "update sqlite_master set sql = $1 where type = 'table' and name = 'settlement'";
    let values = [definition.replacen(GIVEN, MAYBE, 1).into()];
    connection.execute_raw(Statement::from_sql_and_values(DbBackend::Sqlite, change, values)).await?;
    connection.execute_unprepared(&format!("pragma schema_version = {}", version + 1)).await?;
    connection.execute_unprepared("pragma writable_schema = off").await?;
    Ok(())
}

fn unexpected() -> DbErr {
    DbErr::Migration("the definition of the table settlement is not the one that the steps before made".to_owned())
}
