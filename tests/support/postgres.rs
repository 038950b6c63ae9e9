//! PostgreSQL for tests: the server `TEST_POSTGRES_URL` names, else a private one in a folder of the tests made from the
//! installed binaries, else none, which is said on standard error (or is a failure with `REQUIRE_POSTGRES=1`).
//!
//! Included by path from every test binary that needs it.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use bookkeeping_suite::clock::SystemClock;
use bookkeeping_suite::store::{Store, StoreOptions};
use sea_orm::{ConnectionTrait as _, Database};

use crate::folder::temporary_folder;

/// A database of its own, with the schema, dropped with the value.
pub struct PostgresDatabase {
    /// To be given to the store.
    pub url: String,
    name: String,
}

/// A new database with the schema; `None` when there is no server and none is required.
pub fn postgres_database() -> Option<PostgresDatabase> {
    let server = server()?;
    let name = server.unique_name();
    server.execute(format!("create database {name} template {}", server.template));
    Some(PostgresDatabase { url: server.url_of(&name), name })
}

impl PostgresDatabase {
    /// Ends every connection and refuses new ones, as a server that is down does, until told otherwise.
    pub fn set_reachable(&self, reachable: bool) {
        let server = server().expect("the database has a server");
        server.execute(format!("alter database {} with allow_connections {reachable}", self.name));
        if !reachable {
            let name = &self.name;
            let sql = format!("select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'");
            server.execute(sql);
        }
    }
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        if let Some(server) = server() {
            server.execute(format!("drop database if exists {} with (force)", self.name));
        }
    }
}

struct Server {
    /// Up to the database's name.
    before: String,
    after: String,
    template: String,
    next: AtomicU32,
    /// Ends the server when its standard input closes, which the end of this process does however it comes.
    _keeper: Option<Child>,
}

fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(start).as_ref()
}

fn start() -> Option<Server> {
    let (before, after, keeper) = if let Ok(url) = std::env::var("TEST_POSTGRES_URL") {
        let (path, query) =
            url.split_once('?').map_or((url.as_str(), String::new()), |(path, query)| (path, format!("?{query}")));
        let (before, _) = path.rsplit_once('/').expect("TEST_POSTGRES_URL names a database");
        (format!("{before}/"), query, None)
    } else if let Some(binaries) = find_binaries() {
        let (folder, keeper) = start_private(&binaries);
        ("postgres://postgres@localhost/".to_owned(), format!("?host={}", folder.display()), Some(keeper))
    } else {
        assert!(
            std::env::var("REQUIRE_POSTGRES").as_deref() != Ok("1"),
            "REQUIRE_POSTGRES=1, but neither TEST_POSTGRES_URL nor PostgreSQL's binaries were found"
        );
        eprintln!("SKIPPED on PostgreSQL: set TEST_POSTGRES_URL or install PostgreSQL");
        return None;
    };
    let template = format!("bookkeeping_test_{}_template", std::process::id());
    let server = Server { before, after, template, next: AtomicU32::new(0), _keeper: keeper };
    server.wait();
    server.execute(format!("drop database if exists {} with (force)", server.template));
    server.execute(format!("create database {}", server.template));
    let url = server.url_of(&server.template);
    on_a_thread(async move {
        let store = Store::open(StoreOptions::new(url), std::sync::Arc::new(SystemClock::default()))
            .await
            .expect("the template opens");
        store.migrate().await.expect("the template migrates");
        store.close().await;
    });
    Some(server)
}

impl Server {
    fn url_of(&self, database: &str) -> String {
        format!("{}{database}{}", self.before, self.after)
    }

    fn unique_name(&self) -> String {
        format!("bookkeeping_test_{}_{}", std::process::id(), self.next.fetch_add(1, Ordering::Relaxed))
    }

    fn execute(&self, sql: String) {
        let url = self.url_of("postgres");
        on_a_thread(async move {
            let connection = Database::connect(url).await.expect("the server answers");
            connection.execute_unprepared(&sql).await.expect("an administrator's statement");
            connection.close().await.expect("closes");
        });
    }

    fn wait(&self) {
        let url = self.url_of("postgres");
        on_a_thread(async move {
            let deadline = Instant::now() + Duration::from_secs(30);
            loop {
                match Database::connect(&url).await {
                    Ok(connection) => return connection.close().await.expect("closes"),
                    Err(error) if Instant::now() > deadline => panic!("PostgreSQL does not answer: {error}"),
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                }
            }
        });
    }
}

/// Tests run inside a runtime of their own, which cannot be blocked on.
fn on_a_thread(work: impl Future<Output = ()> + Send + 'static) {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    std::thread::spawn(move || runtime().block_on(work)).join().expect("the thread ends");
}

fn find_binaries() -> Option<PathBuf> {
    let in_path = std::env::var_os("PATH")
        .and_then(|path| std::env::split_paths(&path).find(|folder| folder.join("initdb").is_file()));
    let mut installed: Vec<_> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|folder| folder.join("initdb").is_file())
        .collect();
    installed.sort();
    in_path.or_else(|| installed.pop())
}

/// The user and group to run the server as: it refuses to run as root.
fn unprivileged() -> Option<(u32, u32)> {
    let own = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").ok()?);
    if own != 0 {
        return None;
    }
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    ["postgres", "nobody"].into_iter().find_map(|name| {
        let line = accounts.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut numbers = line.split(':').skip(2);
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    })
}

fn start_private(binaries: &Path) -> (PathBuf, Child) {
    let folder = temporary_folder().keep();
    let as_user = |command: &mut Command| {
        if let Some((user, group)) = unprivileged() {
            std::os::unix::fs::chown(&folder, Some(user), Some(group)).expect("root gives the folder away");
            command.uid(user).gid(group);
        }
    };
    let data = folder.join("data");
    let mut initdb = Command::new(binaries.join("initdb"));
    initdb.arg("-D").arg(&data).args(["-U", "postgres", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"]);
    initdb.current_dir(&folder).stdout(Stdio::null()).stderr(Stdio::inherit());
    as_user(&mut initdb);
    assert!(initdb.status().expect("initdb runs").success(), "initdb failed");

    // The shell outlives this process by as long as it takes to stop the server and remove the folder.
    let script = r#"
        trap '' INT TERM HUP
        "$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c fsync=off -c max_connections=500 \
            >"$2/log" 2>&1 &
        server=$!
        cat >/dev/null
        kill -QUIT $server
        wait $server
        cd / && rm -rf "$2"
    "#;
    let mut keeper = Command::new("/bin/sh");
    keeper.arg("-c").arg(script).arg("postgres-keeper").arg(binaries).arg(&folder);
    keeper.current_dir(&folder).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // Its own process group: an interrupt on the terminal must not reach the server before its keeper stops it.
    keeper.process_group(0);
    as_user(&mut keeper);
    (folder.clone(), keeper.spawn().expect("a shell"))
}
