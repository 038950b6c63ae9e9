//! The tables behind a server, for what must not write: all their rows, and a watch that counts the rows written since it began.

use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait as _, DatabaseBackend, DatabaseConnection, Statement};

use super::server::TestServer;

/// Where a running service notes how long it has run, and nothing else changes.
const SETTINGS: &str = "setting";

/// The table that a watch counts in.
const COUNTS: &str = "watched_rows";

/// A connection beside the server's, with what the questions about tables need of it.
struct Tables {
    connection: DatabaseConnection,
    is_sqlite: bool,
}

impl TestServer {
    /// The rows of every table but these, as texts by table.
    #[track_caller]
    pub fn rows_of_all_tables_but(&self, left_out: &[&str]) -> BTreeMap<String, String> {
        self.of_tables(async |tables| {
            let mut rows = BTreeMap::new();
            for table in tables.names(left_out).await {
                let all = if tables.is_sqlite {
                    let columns = tables.texts(&format!("select name from pragma_table_info('{table}')")).await;
                    let columns =
                        columns.iter().map(|name| format!("quote(\"{name}\")")).collect::<Vec<_>>().join("||','||");
                    format!(
                        "select group_concat(line, ';') from (select {columns} as line from \"{table}\" order by line)"
                    )
                } else {
                    format!("select string_agg(t::text, ';' order by t::text) from \"{table}\" t")
                };
                rows.insert(table, tables.texts(&all).await.concat());
            }
            rows
        })
    }

    /// Counts from now on, by triggers, every row that is inserted, updated or deleted in any table but these.
    #[track_caller]
    pub fn watch_all_tables_but(&self, left_out: &[&str]) {
        self.of_tables(async |tables| {
            let mut names = tables.names(left_out).await;
            if tables.is_sqlite {
                // An index of texts is a table without rows of its own.
                let own = "select name from pragma_table_list where type = 'table'";
                let own = tables.texts(own).await;
                names.retain(|name| own.contains(name));
            }
            let mut all = format!("begin; create table {COUNTS} (name text primary key, rows bigint not null); ");
            if !tables.is_sqlite {
                all.push_str(&format!(
                    "create function {COUNTS}_counted() returns trigger language plpgsql as $$ begin \
                     update {COUNTS} set rows = rows + 1 where name = tg_table_name; return null; end $$; "
                ));
            }
            for name in names {
                all.push_str(&format!("insert into {COUNTS} values ('{name}', 0); "));
                for event in ["insert", "update", "delete"] {
                    let counted = match tables.is_sqlite {
                        true => format!("begin update {COUNTS} set rows = rows + 1 where name = '{name}'; end"),
                        false => format!("execute function {COUNTS}_counted()"),
                    };
                    all.push_str(&format!(
                        "create trigger \"{COUNTS}_{name}_{event}\" after {event} on \"{name}\" for each row {counted}; "
                    ));
                }
            }
            tables.connection.execute_unprepared(&(all + "commit")).await.expect("watched");
        });
    }

    /// How many rows were written by table since [`Self::watch_all_tables_but`].
    #[track_caller]
    pub fn rows_written(&self) -> BTreeMap<String, String> {
        let counts = format!("select name || ' ' || cast(rows as text) from {COUNTS} where rows > 0");
        let counts = self.of_tables(async |tables| tables.texts(&counts).await);
        let split = |count: String| count.split_once(' ').map(|(name, rows)| (name.to_owned(), rows.to_owned()));
        counts.into_iter().map(|count| split(count).expect("a name and a number")).collect()
    }

    fn of_tables<T>(&self, work: impl AsyncFnOnce(&Tables) -> T) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let connection = sea_orm::Database::connect(&self.database_url).await.expect("connected");
            let is_sqlite = connection.get_database_backend() == DatabaseBackend::Sqlite;
            let tables = Tables { connection, is_sqlite };
            let value = work(&tables).await;
            tables.connection.close().await.expect("closed");
            value
        })
    }
}

impl Tables {
    async fn names(&self, left_out: &[&str]) -> Vec<String> {
        let names = match self.is_sqlite {
            true => "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'",
            false => "select table_name::text from information_schema.tables where table_schema = current_schema()",
        };
        let mut names = self.texts(names).await;
        names.retain(|name| name != COUNTS && name != SETTINGS && !left_out.contains(&name.as_str()));
        names
    }

    /// The first column of all rows.
    async fn texts(&self, sql: &str) -> Vec<String> {
        let statement = Statement::from_string(self.connection.get_database_backend(), sql);
        let rows = self.connection.query_all_raw(statement).await.expect("readable");
        rows.iter().map(|row| row.try_get_by_index::<Option<String>>(0).expect("text").unwrap_or_default()).collect()
    }
}
