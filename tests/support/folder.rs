//! Folders of tests: in memory where there is a file system in memory with room to spare, so that a commit does not wait for
//! a disk (no test cuts the power); and SQLite databases that have the schema already, which is made once for a process.
//!
//! Included by path from every test binary that needs it.

use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use bookkeeping_suite::clock::SystemClock;
use bookkeeping_suite::store::{Store, StoreOptions};
use tempfile::TempDir;

/// Where Linux keeps a file system in memory, and what must be free in it.
const MEMORY: &str = "/dev/shm";
const FREE_KIB_MIN: u64 = 1024 * 1024;

/// A folder that is removed with the value.
pub fn temporary_folder() -> TempDir {
    static IN_MEMORY: OnceLock<bool> = OnceLock::new();
    let folder = tempfile::Builder::new().prefix("bookkeeping-test-").to_owned();
    let made = if *IN_MEMORY.get_or_init(has_room_in_memory) { folder.tempdir_in(MEMORY) } else { folder.tempdir() };
    made.expect("a folder")
}

fn has_room_in_memory() -> bool {
    let output = Command::new("df").args(["-Pk", MEMORY]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let line = text.lines().nth(1).unwrap_or_default();
    let mut words = line.split_whitespace();
    words.next() == Some("tmpfs")
        && words.nth(2).and_then(|free| free.parse().ok()).is_some_and(|kib: u64| kib >= FREE_KIB_MIN)
}

/// Writes a SQLite database with the schema and nothing in it, as `migrate` leaves it, in a folder that is made.
pub fn put_database(path: &Path) {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    let bytes = BYTES.get_or_init(migrated);
    let folder = path.parent().expect("a database is in a folder");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).expect("a folder for the database");
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.create_new(true).write(true).mode(0o600).open(path).expect("a new database");
    file.write_all(bytes).expect("the database is written");
}

fn migrated() -> Vec<u8> {
    let folder = temporary_folder();
    let path = folder.path().join("bookkeeping.db");
    let url = format!("sqlite://{}", path.display());
    // Tests run inside a runtime of their own, which cannot be blocked on.
    let work = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let clock = Arc::new(SystemClock::default());
            let store = Store::open(StoreOptions::new(url), clock).await.expect("the database opens");
            store.migrate().await.expect("the database migrates");
            store.close().await;
        });
    };
    std::thread::spawn(work).join().expect("the thread ends");
    let left = std::fs::metadata(path.with_extension("db-wal")).map_or(0, |log| log.len());
    assert_eq!(left, 0, "the write-ahead log is empty once the store is closed");
    std::fs::read(path).expect("the database can be read")
}
