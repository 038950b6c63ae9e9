//! The bare side: the same rows as an exchange writes, each exchange committed on its own, through the driver the service uses, in
//! a process of its own on a copy of the same database.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use sea_orm::{
    ConnectOptions, ConnectionTrait as _, Database, SqliteTransactionMode, Statement, TransactionOptions,
    TransactionTrait as _, Value,
    sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use xtask::process::tied_command;
use xtask::statistics::real;

/// Exchanges a second, measured for that long.
pub fn rate(url: &str, wrapper: &[String], time: Duration) -> Result<f64> {
    let this = std::env::current_exe().context("where is this bench")?;
    let mut command = match wrapper.split_first() {
        Some((first, rest)) => {
            let mut command = tied_command(first, "KILL");
            command.args(rest).arg(this);
            command
        }
        None => tied_command(this, "KILL"),
    };
    command.args(["--bare-exchanges", url, "--for-ms", &time.as_millis().to_string()]).stdin(Stdio::null());
    let output = command.stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the bare side ended with {}", output.status);
    String::from_utf8_lossy(&output.stdout).trim().parse().context("the bare side printed no rate")
}

/// Writes for that long and prints how many exchanges a second.
pub fn commit_for(url: &str, time: Duration) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    println!("{}", runtime.block_on(commits(url, time))?);
    Ok(())
}

async fn commits(url: &str, time: Duration) -> Result<f64> {
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).min_connections(1).test_before_acquire(false).sqlx_logging(false);
    options.map_sqlx_sqlite_opts(|sqlite: SqliteConnectOptions| {
        sqlite
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .pragma("temp_store", "memory")
            .pragma("secure_delete", "ON")
    });
    let database = Database::connect(options).await?;
    let backend = database.get_database_backend();
    // What an earlier run made is taken back, so that a fast disk does not run out of codes.
    for sql in [
        "delete from oauth_access_token",
        "delete from oauth_refresh_token",
        "update oauth_code set used_at = null where used_at is not null",
    ] {
        database.execute_raw(Statement::from_string(backend, sql)).await?;
    }
    let waiting = "select c.sha256, c.grant_id, g.client_id from oauth_code c join oauth_grant g on g.id = c.grant_id \
                   where c.used_at is null order by c.sha256";
    let waiting = database.query_all_raw(Statement::from_string(backend, waiting)).await?;
    let begun = Instant::now();
    let mut done = 0_usize;
    for row in waiting {
        if begun.elapsed() >= time {
            break;
        }
        let (code, grant, client): (String, i64, String) =
            (row.try_get_by_index(0)?, row.try_get_by_index(1)?, row.try_get_by_index(2)?);
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        let transaction = database.begin_with_options(options).await?;
        // Any other text that is as long stands for the hash of a token.
        let token = |letter: &str| Value::from(format!("{letter}{}", code.get(1..).unwrap_or_default()));
        let (now, later) = (Value::from(1_i64), Value::from(9_000_000_000_000_i64));
        for (sql, values) in [
            (
                "update oauth_code set used_at = $2 where sha256 = $1 and used_at is null",
                vec![Value::from(code.as_str()), now.clone()],
            ),
            (
                "insert into oauth_access_token (sha256, grant_id, scopes, expires_at, changed_epoch) \
                 values ($1, $2, 'books:read', $3, 0)",
                vec![token("x"), grant.into(), later.clone()],
            ),
            (
                "insert into oauth_refresh_token (sha256, grant_id, scopes, issued_at, expires_at, siblings) \
                 values ($1, $2, 'books:read', $3, $4, 0)",
                vec![token("y"), grant.into(), now.clone(), later],
            ),
            ("update oauth_client set last_used_at = $2 where id = $1", vec![client.into(), now]),
        ] {
            transaction.execute_raw(Statement::from_sql_and_values(backend, sql, values)).await?;
        }
        transaction.commit().await?;
        done += 1;
    }
    let rate = real(done) / begun.elapsed().as_secs_f64();
    database.close().await?;
    ensure!(done > 0, "no code is left");
    Ok(rate)
}
