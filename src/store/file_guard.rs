//! The file of a SQLite database, watched from outside: SQLite goes on committing into its log while the file behind it is
//! emptied or cut off, and takes a file of no bytes for a new database. Neither may happen to somebody's books (ADR 10).

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::{StoreError, connect};

/// What the marker says while all is well; a damaged database's says so in its first word.
const HELD_A_SCHEMA: &str = "There is a database of this name beside this file. As long as this file is here, an empty or \
                             missing one is not taken for a new installation.\n";
/// The first word of the marker of a database that was damaged while it was open.
const DAMAGED: &str = "damaged: ";
/// The header of a database as far as it is read: up to the number of its pages (SQLite file format, section 1.3).
const HEADER_BYTES: usize = 32;

/// Watches one database file for as long as it is open.
#[derive(Debug)]
pub(super) struct FileGuard {
    path: PathBuf,
    /// The device and the number of the file that was opened.
    opened: OnceLock<(u64, u64)>,
    /// The size it had when it was last found whole.
    whole_bytes: AtomicU64,
    is_remembered: AtomicBool,
    damage: Mutex<Option<String>>,
}

impl FileGuard {
    /// Looks at what is there before anything is opened or made. An error when a database was there that is now empty, missing
    /// or was damaged while it was open.
    pub(super) fn new(database_url: &str) -> Result<Self, StoreError> {
        let path = connect::file(database_url)?;
        let marker = marker(&path);
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
        let has_log = log_bytes(&path) > 0;
        if size == 0 && (remembered.is_some() || has_log) {
            let state = if path.exists() { "is empty" } else { "is missing" };
            return Err(StoreError::Other(format!(
                "the database file {} {state}, and there was a database in it: it is not taken for a new one; put a copy in its \
                 place, or remove every file whose name begins with {} to begin anew",
                path.display(),
                path.display()
            )));
        }
        if size > 0 && !has_log && is_cut_off(&path, size) {
            return Err(StoreError::Other(format!(
                "the database file {} is cut off: it has {size} bytes, fewer than its first page says; put a copy in its place",
                path.display()
            )));
        }
        Ok(Self {
            path,
            opened: OnceLock::new(),
            whole_bytes: AtomicU64::new(0),
            is_remembered: AtomicBool::new(remembered.is_some()),
            damage: Mutex::default(),
        })
    }

    /// Whether the file is shorter than its first page says. Right after a crash that may be so while the log still has the rest.
    pub(super) fn is_in_doubt(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|file| file.len() > 0 && is_cut_off(&self.path, file.len()))
    }

    /// Remembers beside the file that it holds a database.
    pub(super) fn remember(&self) -> Result<(), StoreError> {
        if self.is_remembered.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let marker = marker(&self.path);
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
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// An error when the file is no longer the one that was opened, or has lost bytes. Costs a look at its entry.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let mut damage = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
        if damage.is_none() {
            *damage = self.look();
            if let (Some(found), true) = (damage.as_deref(), self.path.exists()) {
                // SQLite may copy its log into what is left when it closes, after which nothing looks wrong from outside.
                // Where the note cannot be written the size has to tell.
                let _ = fs::write(marker(&self.path), format!("{DAMAGED}{found}\n"));
            }
        }
        match damage.as_deref() {
            Some(found) => Err(StoreError::Unavailable(found.to_owned())),
            None => Ok(()),
        }
    }

    fn look(&self) -> Option<String> {
        let path = self.path.display();
        let file = match fs::metadata(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Some(format!("the database file {path} was removed while it was open"));
            }
            // A folder that cannot be looked into says nothing about the file; a write will.
            Err(_) => return None,
        };
        let identity = (file.dev(), file.ino());
        if *self.opened.get_or_init(|| identity) != identity {
            return Some(format!("the database file {path} was replaced while it was open"));
        }
        let size = file.len();
        // It may have become smaller: another program may compact it. Then its first page says so too.
        if size < self.whole_bytes.load(Ordering::Acquire) && (size == 0 || is_cut_off(&self.path, size)) {
            let state = if size == 0 { "emptied" } else { "cut off" };
            return Some(format!("the database file {path} was {state} while it was open"));
        }
        self.whole_bytes.store(size, Ordering::Release);
        None
    }
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
    fs::metadata(beside(database, "-wal")).map_or(0, |log| log.len())
}

/// Whether a database file of this size lacks pages that its header counts, or has no header.
fn is_cut_off(path: &Path, size: u64) -> bool {
    let mut header = [0_u8; HEADER_BYTES];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    match read {
        Ok(()) => size < stated_bytes(&header),
        Err(error) => error.kind() == ErrorKind::UnexpectedEof,
    }
}

/// The size that the header of a database states: bytes of a page (at 16, where 1 is 65536) times pages (at 28).
fn stated_bytes(header: &[u8; HEADER_BYTES]) -> u64 {
    let [.., page_high, page_low, _, _, _, _, _, _, _, _, _, _, a, b, c, d] = *header;
    let page_bytes = match u16::from_be_bytes([page_high, page_low]) {
        1 => 65_536,
        bytes => u64::from(bytes),
    };
    u64::from(u32::from_be_bytes([a, b, c, d])) * page_bytes
}

#[cfg(test)]
mod tests {
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
                content[16..18].copy_from_slice(&4096_u16.to_be_bytes());
                content[28..32].copy_from_slice(&pages.to_be_bytes());
            }
            fs::write(&path, content).unwrap();
        };
        write(4, 4 * 4096);
        let whole = guard().unwrap();
        whole.check().unwrap();
        write(2, 2 * 4096);
        whole.check().unwrap();
        write(3, 2 * 4096);
        whole.check().unwrap();
        write(3, 4096);
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
            fs::write(&path, [0; 100]).unwrap();
            let guard = FileGuard::new(&url).unwrap();
            guard.check().unwrap();
            if replace {
                fs::write(folder.path().join("other"), [0; 100]).unwrap();
                fs::rename(folder.path().join("other"), &path).unwrap();
            } else {
                fs::remove_file(&path).unwrap();
            }
            assert!(guard.check().unwrap_err().to_string().contains(said));
        }
    }
}
