//! The indexes of the letters that are searched for are named by what they are: trigrams.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

/// The tables that are searched.
const SEARCHED: [&str; 4] = ["journal", "contact", "bank_transaction", "document"];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for table in SEARCHED {
            match manager.get_database_backend() {
                DbBackend::Postgres => {
                    // Where the extension is missing, there is no index.
                    let rename = format!("alter index if exists {table}_letters rename to {table}_trigram");
                    connection.execute_unprepared(&rename).await?;
                }
                _ => {
                    for statement in renamed_in_sqlite(table) {
                        connection.execute_unprepared(&statement).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// On SQLite too: a table whose triggers are gone would no longer be found by what is written to it.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

/// The virtual table keeps its rows; its triggers are made again with the new name.
fn renamed_in_sqlite(table: &str) -> [String; 7] {
    [
        format!("drop trigger {table}_letters_in"),
        format!("drop trigger {table}_letters_out"),
        format!("drop trigger {table}_letters_changed"),
        format!("alter table {table}_letters rename to {table}_trigram"),
        format!(
            "create trigger {table}_trigram_insert after insert on {table} begin \
             insert into {table}_trigram (rowid, search) values (new.id, new.search); end"
        ),
        format!(
            "create trigger {table}_trigram_delete after delete on {table} begin \
             delete from {table}_trigram where rowid = old.id; end"
        ),
        format!(
            "create trigger {table}_trigram_update after update of search on {table} when new.search <> old.search begin \
             update {table}_trigram set search = new.search where rowid = new.id; end"
        ),
    ]
}
