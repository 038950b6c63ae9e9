//! The file of a SQLite database, watched from outside: SQLite goes on committing into its log while the file behind it is
//! emptied or cut off, and takes a file of no bytes for a new database. Neither may happen to somebody's books (ADR 10).

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::log_index::LogIndex;
use super::{StoreError, connect};

/// What the marker says while all is well; a damaged database's says so in its first word.
const HELD_A_SCHEMA: &str = "There is a database of this name beside this file. As long as this file is here, an empty or \
                             missing one is not taken for a new installation.\n";
/// The first word of the marker of a database that was damaged while it was open.
const DAMAGED: &str = "damaged: ";
/// The header of a database as far as it is read: up to the number of its pages (SQLite file format, section 1.3).
const HEADER_BYTES: usize = 32;
/// What a database begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// A file that stays shorter than its first page says for so long, has not the rest in its log and does not change meanwhile, was cut
/// off: whoever copies a log into a file writes the first page first, and the end of the file at last.
const SHORT_MAX: Duration = Duration::from_secs(3);

/// Watches one database file for as long as it is open.
#[derive(Debug)]
pub(super) struct FileGuard {
    path: PathBuf,
    /// The path that leads to over symbolic links. SQLite keeps the log beside it, and so do we the marker.
    real: PathBuf,
    /// The file, opened once and never closed: closing it would end every lock that SQLite has on it in this process, and another
    /// program would then take the log away.
    file: OnceLock<File>,
    /// The device and the number of the file that was opened.
    opened: OnceLock<(u64, u64)>,
    /// The log and its index beside it.
    log: LogIndex,
    is_remembered: AtomicBool,
    /// Whether what a crash left in the log has been copied: only then a file that is short was cut off.
    is_settled: AtomicBool,
    found: Mutex<Found>,
}

/// The size of a file, and the second and nanosecond of its last change.
type State = (u64, i64, i64);

/// What the looks at a file found.
#[derive(Debug, Default)]
struct Found {
    /// What is wrong with it, for good.
    damage: Option<String>,
    /// The state in which it was last found whole.
    whole: State,
    /// Since when it is shorter than its first page says and does not change, and with which size and last change.
    short: Option<(Instant, State)>,
}

/// How often, and after how long each time, a file that was found short is looked at again before anybody is told.
const LOOKS_AGAIN: (u32, Duration) = (10, Duration::from_millis(3));

/// What one look found.
enum Look {
    Whole,
    /// It is shorter than its first page says, which may pass.
    Short(State),
    Damaged(String),
}

impl FileGuard {
    /// Looks at what is there before anything is opened or made. An error when a database was there that is now empty, missing
    /// or was damaged while it was open.
    pub(super) fn new(database_url: &str) -> Result<Self, StoreError> {
        let path = connect::file(database_url)?;
        // A folder that is not there has neither a log nor a marker.
        let real = connect::resolved(&path).unwrap_or_else(|_| path.clone());
        let marker = marker(&real);
        let remembered = fs::read_to_string(&marker).ok();
        if let Some(damage) = remembered.as_deref().and_then(|text| text.strip_prefix(DAMAGED)) {
            return Err(StoreError::Other(format!(
                "the database {} was damaged while it was open: {}; put a copy in its place, remove the files beside it that end \
                 in -wal and -shm, then remove {}",
                path.display(),
                damage.trim(),
                marker.display()
            )));
        }
        let size = fs::metadata(&path).map_or(0, |file| file.len());
        let has_log = beside_bytes(&real, "-wal") > 0;
        if size == 0 && (remembered.is_some() || has_log) {
            let state = if path.exists() { "is empty" } else { "is missing" };
            return Err(StoreError::Other(format!(
                "the database file {} {state}, and there was a database in it: it is not taken for a new one; put a copy in its \
                 place, or remove every file whose name begins with {} to begin anew",
                path.display(),
                real.display()
            )));
        }
        let guard = Self {
            path,
            log: LogIndex::new(beside(&real, "-wal"), beside(&real, "-shm")),
            real,
            file: OnceLock::new(),
            opened: OnceLock::new(),
            is_remembered: AtomicBool::new(remembered.is_some()),
            is_settled: AtomicBool::new(false),
            found: Mutex::default(),
        };
        if size > 0 && !has_log && guard.is_cut_off(size) {
            return Err(StoreError::Other(format!(
                "the database file {} is cut off: it has {size} bytes, fewer than its first page says; put a copy in its place",
                guard.path.display()
            )));
        }
        Ok(guard)
    }

    fn header(&self) -> std::io::Result<[u8; HEADER_BYTES]> {
        let file = match self.file.get() {
            Some(file) => file,
            None => {
                let file = File::open(&self.path)?;
                self.file.get_or_init(|| file)
            }
        };
        let mut header = [0_u8; HEADER_BYTES];
        file.read_exact_at(&mut header, 0)?;
        Ok(header)
    }

    /// Whether a database file of this size lacks pages that its header counts, or has no header.
    fn is_cut_off(&self, size: u64) -> bool {
        match self.header() {
            Ok(header) => size < stated_bytes(&header),
            Err(error) => error.kind() == ErrorKind::UnexpectedEof,
        }
    }

    /// Whether the file is shorter than its first page says. Right after a crash that may be so while the log still has the rest.
    pub(super) fn is_in_doubt(&self) -> bool {
        // The first look opens the file, and two that open it would close one of them again.
        let _first = self.found();
        fs::metadata(&self.path).is_ok_and(|file| file.len() > 0 && self.is_cut_off(file.len()))
    }

    /// The log of a crash, if there was one, has been copied into the file.
    pub(super) fn settle(&self) {
        self.is_settled.store(true, Ordering::Release);
    }

    /// An error when there was a database of ours in the file, as its marker says, and there is another one now.
    pub(super) async fn check_schema(&self, database_url: &str) -> Result<(), StoreError> {
        if !self.is_remembered.load(Ordering::Acquire) || connect::holds_our_schema(database_url).await != Some(false) {
            return Ok(());
        }
        Err(StoreError::Other(format!(
            "the database file {} holds another database, and there was one of ours in it: it is not taken for a new one; put a copy \
             in its place, or remove every file whose name begins with {} to begin anew",
            self.path.display(),
            self.real.display()
        )))
    }

    /// Remembers beside the file that it holds a database.
    pub(super) fn remember(&self) -> Result<(), StoreError> {
        if self.is_remembered.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let marker = marker(&self.real);
        fs::write(&marker, HELD_A_SCHEMA)
            .map_err(|error| StoreError::Unavailable(format!("{}: {error}", marker.display())))
    }

    /// The folder it is in.
    pub(super) fn folder(&self) -> &Path {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or(Path::new("."))
    }

    /// What was found wrong with the file, once something was; it stays so until the process ends.
    pub(super) fn damage(&self) -> Option<String> {
        self.found().damage.clone()
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An error when the file is no longer the one that was opened, or has lost bytes. Costs a look at its entry, and one at its
    /// first page when it was written since the last.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let mut found = self.found();
        if found.damage.is_none() {
            let mut looked = self.look(&mut found);
            // Another program may just be copying the log into it, which takes moments.
            for _ in 0..LOOKS_AGAIN.0 {
                let is_new = matches!(looked, Look::Short(_)) && found.short.is_none();
                if !is_new || !self.is_settled.load(Ordering::Acquire) {
                    break;
                }
                std::thread::sleep(LOOKS_AGAIN.1);
                looked = self.look(&mut found);
            }
            let damage = match looked {
                Look::Whole => {
                    found.short = None;
                    return Ok(());
                }
                Look::Short(_) if !self.is_settled.load(Ordering::Acquire) => return Ok(()),
                Look::Short(state) => {
                    let unchanged = found.short.filter(|(_, before)| *before == state);
                    let (since, _) = *found.short.insert(unchanged.unwrap_or_else(|| (Instant::now(), state)));
                    let path = self.path.display();
                    if since.elapsed() < SHORT_MAX {
                        let said = format!("the database file {path} is shorter than its first page says");
                        return Err(StoreError::Unavailable(said));
                    }
                    format!("the database file {path} was cut off while it was open")
                }
                Look::Damaged(damage) => damage,
            };
            if self.path.exists() {
                // SQLite may copy its log into what is left when it closes, after which nothing looks wrong from outside.
                // Where the note cannot be written the size has to tell.
                let _ = fs::write(marker(&self.real), format!("{DAMAGED}{damage}\n"));
            }
            found.damage = Some(damage);
        }
        match &found.damage {
            Some(damage) => Err(StoreError::Unavailable(damage.clone())),
            None => Ok(()),
        }
    }

    /// Whether the pages that a file of this size lacks are in its log, not copied yet.
    fn log_has_rest(&self, size: u64, header: &[u8; HEADER_BYTES]) -> bool {
        let (page_bytes, pages) = stated_pages(header);
        page_bytes > 0 && self.log.still_has(size / page_bytes + 1, pages, page_bytes)
    }

    fn look(&self, found: &mut Found) -> Look {
        let damaged =
            |how: &str| Look::Damaged(format!("the database file {} was {how} while it was open", self.path.display()));
        let file = match fs::metadata(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return damaged("removed"),
            // A folder that cannot be looked into says nothing about the file; a write will.
            Err(_) => return Look::Whole,
        };
        let identity = (file.dev(), file.ino());
        if *self.opened.get_or_init(|| identity) != identity {
            return damaged("replaced");
        }
        let now = (file.len(), file.mtime(), file.mtime_nsec());
        if now == found.whole {
            return Look::Whole;
        }
        let (size, before) = (now.0, found.whole.0);
        if size == 0 && before > 0 {
            return damaged("emptied");
        }
        if size > 0 {
            match self.header() {
                Ok(header) if !header.starts_with(MAGIC) => return damaged("overwritten"),
                // It may have become smaller: another program may compact it. Then its first page says so too.
                Ok(header) if size < stated_bytes(&header) && size < before => return damaged("cut off"),
                Ok(header) if size < stated_bytes(&header) && !self.log_has_rest(size, &header) => {
                    return Look::Short(now);
                }
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return damaged("cut off"),
                Ok(_) => {}
                Err(_) => return Look::Whole,
            }
        }
        found.whole = now;
        Look::Whole
    }
}

/// How many names (hard links) the file of a database has, where it is there.
pub(super) fn names(database_url: &str) -> Result<u64, StoreError> {
    Ok(fs::metadata(connect::file(database_url)?).map_or(0, |file| file.nlink()))
}

/// The file that says that there was a database.
fn marker(database: &Path) -> PathBuf {
    beside(database, ".marker")
}

fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(ending);
    PathBuf::from(name)
}

/// The size of the write-ahead log of a database.
pub(super) fn log_bytes(database: &Path) -> u64 {
    let real = connect::resolved(database).unwrap_or_else(|_| database.to_path_buf());
    beside_bytes(&real, "-wal")
}

fn beside_bytes(database: &Path, ending: &str) -> u64 {
    fs::metadata(beside(database, ending)).map_or(0, |file| file.len())
}

/// The size that the header of a database states.
fn stated_bytes(header: &[u8; HEADER_BYTES]) -> u64 {
    let (page_bytes, pages) = stated_pages(header);
    u64::from(pages) * page_bytes
}

/// Bytes of a page (at 16, where 1 is 65536) and the number of pages (at 28) that the header of a database states.
fn stated_pages(header: &[u8; HEADER_BYTES]) -> (u64, u32) {
    let [.., page_high, page_low, _, _, _, _, _, _, _, _, _, _, a, b, c, d] = *header;
    let page_bytes = match u16::from_be_bytes([page_high, page_low]) {
        1 => 65_536,
        bytes => u64::from(bytes),
    };
    (page_bytes, u32::from_be_bytes([a, b, c, d]))
}

#[cfg(test)]
mod tests {
    use sea_orm::{ConnectionTrait as _, TransactionTrait as _};

    use super::*;

    #[test]
    fn a_header_states_the_size_of_its_database() {
        let mut header = [0_u8; HEADER_BYTES];
        header[16..18].copy_from_slice(&4096_u16.to_be_bytes());
        header[28..32].copy_from_slice(&1_000_u32.to_be_bytes());
        assert_eq!(stated_bytes(&header), 4_096_000);
        header[16..18].copy_from_slice(&1_u16.to_be_bytes());
        assert_eq!(stated_bytes(&header), 65_536_000);
    }

    #[test]
    fn a_file_may_shrink_as_its_header_says_and_not_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("books.db");
        let guard = || FileGuard::new(&format!("sqlite://{}", path.display()));
        let write = |pages: u32, bytes: usize| {
            let mut content = vec![0_u8; bytes];
            if bytes >= HEADER_BYTES {
                content[..16].copy_from_slice(MAGIC);
                content[16..18].copy_from_slice(&4096_u16.to_be_bytes());
                content[28..32].copy_from_slice(&pages.to_be_bytes());
            }
            fs::write(&path, content).unwrap();
        };
        write(4, 4 * 4096);
        let whole = guard().unwrap();
        write(5, 4 * 4096);
        whole.check().unwrap();
        whole.settle();
        write(4, 4 * 4096);
        whole.check().unwrap();
        write(2, 2 * 4096);
        whole.check().unwrap();
        write(3, 2 * 4096);
        assert!(whole.check().unwrap_err().to_string().contains("is shorter than its first page says"));
        write(3, 3 * 4096);
        whole.check().unwrap();
        write(4, 2 * 4096);
        assert!(whole.check().unwrap_err().to_string().contains("was cut off while it was open"));
        write(3, 3 * 4096);
        assert!(whole.check().is_err(), "what was damaged is not trusted again");
        assert!(guard().unwrap_err().to_string().contains("remove"));
    }

    #[test]
    fn what_held_a_database_is_never_new() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("books.db");
        let guard = || FileGuard::new(&format!("sqlite://{}", path.display()));
        let refusal = || guard().unwrap_err().to_string();
        guard().unwrap().remember().unwrap();
        assert!(refusal().contains("is missing"));
        fs::write(&path, "").unwrap();
        assert!(refusal().contains("is empty"));
        fs::remove_file(marker(&path)).unwrap();
        guard().unwrap();
        fs::write(beside(&path, "-wal"), "log").unwrap();
        assert!(refusal().contains("is empty"));
    }

    #[test]
    fn a_file_that_is_removed_or_replaced_is_not_the_one_that_was_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("books.db");
        let url = format!("sqlite://{}", path.display());
        for (replace, said) in [(false, "was removed"), (true, "was replaced")] {
            fs::write(&path, [MAGIC.as_slice(), &[0; 100]].concat()).unwrap();
            let guard = FileGuard::new(&url).unwrap();
            guard.check().unwrap();
            if replace {
                fs::copy(&path, folder.path().join("other")).unwrap();
                fs::rename(folder.path().join("other"), &path).unwrap();
            } else {
                fs::remove_file(&path).unwrap();
            }
            assert!(guard.check().unwrap_err().to_string().contains(said));
        }
    }

    #[test]
    fn a_file_that_grew_and_lacks_its_end_acknowledges_nothing_and_is_damaged_when_it_stays_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("books.db");
        let write = |pages: u32, bytes: usize| {
            let mut content = vec![0_u8; bytes];
            content[..16].copy_from_slice(MAGIC);
            content[16..18].copy_from_slice(&4096_u16.to_be_bytes());
            content[28..32].copy_from_slice(&pages.to_be_bytes());
            fs::write(&path, content).unwrap();
        };
        write(2, 2 * 4096);
        let guard = FileGuard::new(&format!("sqlite://{}", path.display())).unwrap();
        guard.check().unwrap();
        // What a crash left in the log comes first.
        write(9, 8 * 4096);
        guard.check().unwrap();
        guard.settle();
        assert!(guard.check().is_err());
        assert_eq!(guard.damage(), None);
        let long_ago = |guard: &FileGuard| {
            let mut found = guard.found();
            found.short = found.short.and_then(|(since, state)| Some((since.checked_sub(SHORT_MAX)?, state)));
        };
        // A file that grows is being written by somebody, however long it takes.
        long_ago(&guard);
        write(9, 8 * 4096 + 1);
        assert!(guard.check().unwrap_err().to_string().contains("is shorter than its first page says"));
        long_ago(&guard);
        assert!(guard.check().unwrap_err().to_string().contains("was cut off while it was open"));
        write(9, 9 * 4096);
        assert!(guard.check().is_err());
    }

    #[actix_web::test]
    async fn a_file_whose_end_waits_in_the_log_for_a_reader_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("books.db");
        let url = format!("sqlite://{}", path.display());
        connect::create_private_file(&url).unwrap();
        let guard = FileGuard::new(&url).unwrap();
        guard.settle();
        let is_short = || guard.is_in_doubt();
        let (writer, reader) = (connect::writer(&url).await.unwrap(), connect::writer(&url).await.unwrap());
        let run = async |sql: &str| assert!(writer.execute_unprepared(sql).await.is_ok(), "{sql}");
        run("create table note (id integer primary key, words text)").await;
        run("pragma wal_checkpoint(truncate)").await;
        guard.check().unwrap();

        let rows =
            "insert into note (words) with recursive row(n) as (select 1 union all select n + 1 from row where n < 20)
                    select printf('%.3000c', 'a') from row";
        run(rows).await;
        let snapshot = reader.begin().await.unwrap();
        snapshot.execute_unprepared("select count(*) from note").await.unwrap();
        run("update note set words = printf('%.3000c', 'b')").await;
        run("pragma wal_checkpoint(passive)").await;
        assert!(is_short(), "the pages of the rows have frames that are younger than what is read");
        guard.check().unwrap();

        snapshot.commit().await.unwrap();
        run("pragma wal_checkpoint(passive)").await;
        assert!(!is_short());
        guard.check().unwrap();

        run(rows).await;
        run("pragma wal_checkpoint(passive)").await;
        let bytes = fs::metadata(&path).unwrap().len();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(bytes - 4096).unwrap();
        assert!(guard.check().unwrap_err().to_string().contains("is shorter than its first page says"));
    }

    #[test]
    fn a_file_that_is_overwritten_is_not_the_one_that_was_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("books.db");
        fs::write(&path, [MAGIC.as_slice(), &[0; 100]].concat()).unwrap();
        let guard = FileGuard::new(&format!("sqlite://{}", path.display())).unwrap();
        guard.check().unwrap();
        fs::write(&path, [0; 200]).unwrap();
        assert!(guard.check().unwrap_err().to_string().contains("was overwritten"));
    }

    #[test]
    fn a_marker_lies_beside_the_file_however_that_is_reached() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("books.db"), folder.path().join("link.db"));
        std::os::unix::fs::symlink("books.db", &link).unwrap();
        let guard = |path: &Path| FileGuard::new(&format!("sqlite://{}", path.display()));
        guard(&path).unwrap().remember().unwrap();
        fs::write(&path, "").unwrap();
        assert!(guard(&link).unwrap_err().to_string().contains("is empty"));
    }
}
