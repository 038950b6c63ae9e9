//! The session that says that this process lives: on PostgreSQL a connection of its own holds an advisory lock. It ends with the
//! process, however that ends, so that others need not wait for the lease of a process that is gone. A process that hangs keeps
//! it, and loses its slots with its lease.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection};
use sea_orm::sqlx::{Connection as _, query};

use super::sql::{Reader, Unit, params};
use super::writer::{Locks, Writer};
use super::{Shared, Store, StoreError};

/// How often the session is asked whether it lives.
const ASK_EVERY: Duration = Duration::from_millis(500);
/// A session that does not answer for so long is given up.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);
/// The first half of the key of the lock; it only has to be the same in every version.
const LOCK_CLASS: i32 = 0x626b_736c;
/// What the names of processes that keep a session begin with: others are only judged by their lease.
const WITH_SESSION: &str = "session-";
/// A lease is not shortened below this: whoever lives extends theirs far more often.
const SHORTENED_MIN_MS: i64 = 10_000;
/// How much further ahead than it was given for a lease may be before it counts as one of a clock that was wrong.
const AHEAD_MS: i64 = 1_000;

/// Keeps the session while it lives.
pub struct LifeSession(Option<tokio::task::AbortHandle>);

impl LifeSession {
    /// Ends it.
    pub fn stop(&self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

impl Drop for LifeSession {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Store {
    /// The name under which a process takes slots; `unique` distinguishes it from all others.
    pub fn holder_name(&self, unique: &str) -> String {
        if self.is_shared() { format!("{WITH_SESSION}{unique}") } else { unique.to_owned() }
    }

    /// Says, for as long as the value lives, that the process of this name lives. Nothing to say where nobody else can ask.
    /// Returns when others can see it.
    pub async fn keep_session(&self, holder: &str) -> Result<LifeSession, StoreError> {
        if !self.is_shared() {
            return Ok(LifeSession(None));
        }
        let options: PgConnectOptions = self
            .options
            .database_url
            .parse()
            .map_err(|_| StoreError::Other("database_url cannot be read".to_owned()))?;
        let options = options.application_name("bookkeeping session");
        let first = open(&options, holder).await.map_err(StoreError::Unavailable)?;
        let task = tokio::spawn(keep(options, holder.to_owned(), first, Arc::clone(&self.shared)));
        Ok(LifeSession(Some(task.abort_handle())))
    }
}

impl Store {
    /// Whether the server of a PostgreSQL database lets us in, or why not: where it is, and what the connection met, without
    /// names and passwords. Always so for SQLite.
    pub async fn reach(database_url: &str) -> Result<(), String> {
        let Ok(options) = database_url.parse::<PgConnectOptions>() else { return Ok(()) };
        if super::connect::backend(database_url) != Ok(sea_orm::DbBackend::Postgres) {
            return Ok(());
        }
        let connection = connected(&options, PgConnection::connect_with(&options)).await?;
        // Nobody waits for the farewell.
        drop(connection);
        Ok(())
    }
}

/// Where a database is, without who logs in.
fn place(options: &PgConnectOptions) -> String {
    format!("{}:{}/{}", options.get_host(), options.get_port(), options.get_database().unwrap_or_default())
}

/// What a connection is opened to, within its time.
async fn connected<T>(
    options: &PgConnectOptions,
    opening: impl Future<Output = Result<T, sea_orm::SqlxError>>,
) -> Result<T, String> {
    let place = place(options);
    match tokio::time::timeout(ANSWER_WITHIN, opening).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(error)) => Err(format!("the database at {place} cannot be reached: {error}")),
        Err(_) => Err(format!("the database at {place} does not answer")),
    }
}

async fn open(options: &PgConnectOptions, holder: &str) -> Result<PgConnection, String> {
    let opening = async {
        let mut connection = PgConnection::connect_with(options).await?;
        let lock = query("select pg_advisory_lock($1, hashtext($2))").bind(LOCK_CLASS).bind(holder);
        lock.execute(&mut connection).await?;
        Ok::<_, sea_orm::SqlxError>(connection)
    };
    connected(options, opening).await
}

/// Asks the session twice a second; opens it again when it is gone.
async fn keep(options: PgConnectOptions, holder: String, first: PgConnection, shared: Arc<Shared>) {
    let mut session = Some(first);
    loop {
        tokio::time::sleep(ASK_EVERY).await;
        let answered = match &mut session {
            Some(connection) => {
                tokio::time::timeout(ANSWER_WITHIN, connection.ping()).await.is_ok_and(|pong| pong.is_ok())
            }
            None => false,
        };
        if answered {
            continue;
        }
        if session.take().is_some() {
            // Said before the next attempt, which takes its time. A dead peer may not answer a farewell.
            shared.condition.session(Err(format!("the database at {} does not answer", place(&options))));
        }
        match open(&options, &holder).await {
            Ok(connection) => {
                session = Some(connection);
                shared.condition.session(Ok(()));
            }
            Err(reason) => shared.condition.session(Err(reason)),
        }
    }
}

impl Reader {
    /// Of these names of processes, those that keep a session and have none now.
    pub async fn without_session(&self, holders: &[&str]) -> Result<Vec<String>, StoreError> {
        let mut gone = Vec::new();
        for holder in holders.iter().filter(|holder| holder.starts_with(WITH_SESSION)) {
            if self.one(&is_gone_sql("$1", "$2"), params![*holder, LOCK_CLASS]).await?.is_some() {
                gone.push((*holder).to_owned());
            }
        }
        Ok(gone)
    }
}

impl Writer {
    /// Ends the leases of a process that has no session any more; how many it ended.
    pub async fn end_leases(&self, holder: String) -> Result<u64, StoreError> {
        self.unit(Locks::MailSlot, holder, |unit, holder| Box::pin(end_leases(unit, holder))).await
    }
}

impl Store {
    /// Whether a lease goes further ahead than any that is given by the clock of the database: that was set back since.
    pub fn is_too_long(&self, lease_left_ms: i64, lease_ms: i64) -> bool {
        self.shared.leases_by_database && lease_left_ms > lease_ms.max(SHORTENED_MIN_MS) + AHEAD_MS
    }
}

impl Writer {
    /// Shortens leases that are too long to what is given; their holders extend them, if they live.
    pub async fn shorten_leases(&self, lease_ms: i64) -> Result<u64, StoreError> {
        self.unit(Locks::MailSlot, lease_ms.max(SHORTENED_MIN_MS), |unit, lease_ms| {
            Box::pin(async move {
                let mut shortened = 0;
                for table in ["mail_slot", "product_slot"] {
                    let now = unit.lease_now("$1");
                    let sql =
                        format!("update {table} set lease_until = {now} + $2 where lease_until > {now} + $2 + $3");
                    shortened += unit.execute(&sql, params![unit.now_ms, *lease_ms, AHEAD_MS]).await?;
                }
                Ok(shortened)
            })
        })
        .await
    }
}

async fn end_leases(unit: &Unit<'_>, holder: &str) -> Result<u64, StoreError> {
    if !holder.starts_with(WITH_SESSION) {
        return Ok(0);
    }
    let mut ended = 0;
    for table in ["mail_slot", "product_slot"] {
        let gone = is_gone_sql("$1", "$2");
        let sql =
            format!("update {table} set lease_until = 0 where holder = $1 and lease_until > 0 and exists ({gone})");
        ended += unit.execute(&sql, params![holder, LOCK_CLASS]).await?;
    }
    Ok(ended)
}

/// A row when nobody holds the lock of a process.
fn is_gone_sql(holder: &str, class: &str) -> String {
    // Classes and objects of locks are unsigned there, the keys of the function signed.
    format!(
        "select 1 where not exists (select 1 from pg_locks where locktype = 'advisory' and objsubid = 2 and granted \
         and database = (select oid from pg_database where datname = current_database()) \
         and classid::bigint = {class} and objid::bigint = (hashtext({holder})::bigint & 4294967295))"
    )
}
