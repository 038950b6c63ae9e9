//! Which database a server runs on, and the macro that runs one test on both.

use std::sync::Arc;

use crate::postgres;

/// A database of its own for one test; every server started with a clone shares it.
#[derive(Clone)]
pub enum Database {
    /// A file in the server's folder.
    Sqlite,
    /// A database in the PostgreSQL server of the test run.
    Postgresql(Arc<postgres::PostgresDatabase>),
}

impl Database {
    /// A fresh PostgreSQL database, or nothing where PostgreSQL is absent and a skip is allowed (the support file says
    /// so on standard error).
    pub fn postgresql() -> Option<Self> {
        postgres::postgres_database().map(|database| Self::Postgresql(Arc::new(database)))
    }

    /// Makes the server vanish and come back, as far as this database is concerned.
    pub fn set_reachable(&self, reachable: bool) {
        match self {
            Self::Sqlite => panic!("a file is always reachable"),
            Self::Postgresql(database) => database.set_reachable(reachable),
        }
    }

    /// `database_url`, when it is not the default.
    pub fn url(&self) -> Option<String> {
        match self {
            Self::Sqlite => None,
            Self::Postgresql(database) => Some(database.url.clone()),
        }
    }
}

/// Writes one test for both databases: `on_both_databases! { fn name(database) { … } }` becomes `name::on_sqlite` and
/// `name::on_postgresql`.
macro_rules! on_both_databases {
    ($($(#[$meta:meta])* fn $name:ident($database:ident) $body:block)+) => {$(
        $(#[$meta])*
        mod $name {
            use super::*;

            fn check($database: $crate::support::database::Database) $body

            #[test]
            fn on_sqlite() {
                check($crate::support::database::Database::Sqlite);
            }

            #[test]
            fn on_postgresql() {
                if let Some(database) = $crate::support::database::Database::postgresql() {
                    check(database);
                }
            }
        }
    )+};
}

pub(crate) use on_both_databases;
