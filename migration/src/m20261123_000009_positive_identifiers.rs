//! Identifiers that the service hands out are positive; a mistake in handing them out would give 0.
//!
//! Rows written from now on are held to it. Rows that are there already are not read: the step takes the same short time
//! however large the books are and refuses no database, and `bookkeeping check` finds such rows.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend, Statement};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

/// The tables whose identifiers come from blocks (`id_block`).
const TABLES: [&str; 13] = [
    "account",
    "contact",
    "journal",
    "journal_line",
    "vat_entry",
    "period_lock_change",
    "bank_account",
    "bank_transaction",
    "book_import",
    "document",
    "document_line",
    "allocation",
    "settlement",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        match manager.get_database_backend() {
            DbBackend::Postgres => {
                for table in TABLES {
                    let check =
                        format!("alter table {table} add constraint {table}_id_positive check (id > 0) not valid");
                    manager.get_connection().execute_unprepared(&check).await?;
                }
                Ok(())
            }
            _ => in_stored_definitions(manager).await,
        }
    }

    /// On SQLite too: half of the definitions changed would be worse than none.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

/// SQLite has no statement that adds a check, and a copy of each table would take long. A check changes nothing in how
/// rows are stored, so the definition of the table is changed where SQLite keeps it (section 7 of its page on
/// `ALTER TABLE`); the new schema version makes every connection read the definitions again.
async fn in_stored_definitions(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let connection = manager.get_connection();
    let version = "pragma schema_version";
    let row = connection.query_one_raw(Statement::from_string(DbBackend::Sqlite, version)).await?;
    let version: i64 = row.ok_or_else(|| DbErr::Migration("no schema version".to_owned()))?.try_get_by_index(0)?;
    connection.execute_unprepared("pragma writable_schema = on").await?;
    for table in TABLES {
        let found = "select sql from sqlite_master where type = 'table' and name = $1";
        let row =
            connection.query_one_raw(Statement::from_sql_and_values(DbBackend::Sqlite, found, [table.into()])).await?;
        let definition: String = row.ok_or_else(|| unexpected(table))?.try_get_by_index(0)?;
        let checked = with_check(&definition, table).ok_or_else(|| unexpected(table))?;
        let change = "update sqlite_master set sql = $2 where type = 'table' and name = $1";
        let values = [table.into(), checked.into()];
        connection.execute_raw(Statement::from_sql_and_values(DbBackend::Sqlite, change, values)).await?;
    }
    connection.execute_unprepared(&format!("pragma schema_version = {}", version + 1)).await?;
    connection.execute_unprepared("pragma writable_schema = off").await?;
    Ok(())
}

/// The definition of a table with the check on its identifier.
fn with_check(definition: &str, table: &str) -> Option<String> {
    const KEY: &str = "\"id\" integer NOT NULL PRIMARY KEY";
    let check = format!("{KEY} CONSTRAINT \"{table}_id_positive\" CHECK (\"id\" > 0)");
    definition.contains(KEY).then(|| definition.replacen(KEY, &check, 1))
}

fn unexpected(table: &str) -> DbErr {
    DbErr::Migration(format!("the definition of the table {table} is not the one that the steps before made"))
}
