//! The bare side: single inserts, each committed on its own, through the driver the service uses, in a process of its own;
//! and pgbench.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, Statement,
    sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use xtask::{postgres::Postgres, process::tied_command, statistics::real};

/// Commits of single inserts into one database.
pub struct Bare {
    url: String,
    wrapper: Vec<String>,
}

impl Bare {
    pub fn new(url: String, wrapper: Vec<String>) -> Self {
        Self { url, wrapper }
    }

    /// Commits a second, measured for that long.
    pub fn rate(&self, time: Duration) -> Result<f64> {
        let this = std::env::current_exe().context("where is this bench")?;
        let mut command = match self.wrapper.split_first() {
            Some((first, rest)) => {
                let mut command = tied_command(first, "KILL");
                command.args(rest).arg(this);
                command
            }
            None => tied_command(this, "KILL"),
        };
        command.args(["--bare-commits", &self.url, "--for-ms", &time.as_millis().to_string()]).stdin(Stdio::null());
        let output = command.stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "the bare side ended with {}", output.status);
        String::from_utf8_lossy(&output.stdout).trim().parse().context("the bare side printed no rate")
    }
}

/// Commit single inserts for that long and print how many a second.
pub fn commit_for(url: &str, time: Duration) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let rate = runtime.block_on(async {
        let database = connect(url).await?;
        let table = "create table if not exists bare (id bigint primary key, organisation_id bigint not null, \
                     entry_day bigint not null, description text not null, total bigint not null)";
        database.execute_unprepared(table).await?;
        let backend = database.get_database_backend();
        let last = "select coalesce(max(id), 0) from bare";
        let last = database.query_one_raw(Statement::from_string(backend, last)).await?.context("no row")?;
        let first: i64 = last.try_get_by_index::<i64>(0)? + 1;
        let insert =
            "insert into bare (id, organisation_id, entry_day, description, total) values ($1, $2, $3, $4, $5)";
        let begun = Instant::now();
        let mut commits = 0_usize;
        while begun.elapsed() < time {
            let id = first + i64::try_from(commits)?;
            let values = [id.into(), (id % 16).into(), 20_500_i64.into(), "Payment 1234abcd".into(), 12_345_i64.into()];
            database.execute_raw(Statement::from_sql_and_values(backend, insert, values)).await?;
            commits += 1;
        }
        let rate = real(commits) / begun.elapsed().as_secs_f64();
        database.close().await?;
        anyhow::Ok(rate)
    })?;
    println!("{rate}");
    Ok(())
}

/// A connection opened as the service opens its writer.
async fn connect(url: &str) -> Result<DatabaseConnection> {
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).min_connections(1).test_before_acquire(false).sqlx_logging(false);
    options.map_sqlx_sqlite_opts(|sqlite: SqliteConnectOptions| {
        sqlite
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .pragma("temp_store", "memory")
            .pragma("secure_delete", "ON")
    });
    Ok(Database::connect(options).await?)
}

fn script(name: &str) -> String {
    format!("{}/benches/support/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Make the tables pgbench writes to.
pub fn make_tables(postgres: &Postgres) -> Result<()> {
    let tables = script("post_journal_tables.sql");
    let status = Command::new("psql")
        .args(["-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", &postgres.url(), "-f", &tables])
        .stdin(Stdio::null())
        .status();
    ensure!(status.context("cannot run psql")?.success(), "{tables} failed");
    Ok(())
}

/// Transactions a second of the one-statement script.
pub fn pgbench(postgres: &Postgres, time: Duration) -> Result<f64> {
    // pgbench knows whole seconds alone; for less, a few transactions of each client will do.
    let seconds = time.as_secs_f64().ceil().to_string();
    let length = if time < Duration::from_millis(250) { ["-t", "10"] } else { ["-T", &seconds] };
    let output = Command::new("pgbench")
        .args(["-n", "-c", "16", "-j", "2", "-f", &script("post_journal.sql")])
        .args(length)
        .arg(postgres.url())
        .stdin(Stdio::null())
        .output()
        .context("cannot run pgbench")?;
    ensure!(output.status.success(), "pgbench: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|line| line.starts_with("tps = ")).context("pgbench told no rate")?;
    line.split_whitespace().nth(2).and_then(|word| word.parse().ok()).context("pgbench told no rate")
}
