//! The lock that lets one `serve` at a time work on a SQLite database.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::{StoreError, connect};

/// Held while the value lives; the operating system releases it when the process ends, however it ends.
#[derive(Debug)]
pub struct ServeLock(#[expect(dead_code, reason = "the open file is the lock")] File);

impl ServeLock {
    /// Takes the exclusive lock of the database that a `sqlite:` URL names: a file beside it with `.lock` after its name, wherever
    /// symbolic links to it lie. `None` when another process holds it; an error when there can be no file.
    pub fn acquire(database_url: &str) -> Result<Option<Self>, StoreError> {
        let database = connect::file(database_url)?;
        let unavailable = |error: io::Error| StoreError::Unavailable(format!("{}: {error}", database.display()));
        let path = beside(&database).map_err(unavailable)?;
        let file = OpenOptions::new().create(true).read(true).write(true).truncate(false).open(path);
        let file = file.map_err(unavailable)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(unavailable(error)),
        }
    }
}

/// The path of the lock: of the file that the path leads to, which need not be there yet.
fn beside(database: &Path) -> io::Result<PathBuf> {
    let mut path = OsString::from(connect::resolved(database)?);
    path.push(".lock");
    Ok(PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_database_has_one_lock_however_it_is_reached() {
        let folder = tempfile::tempdir().unwrap();
        let (real, other) = (folder.path().join("real"), folder.path().join("other"));
        fs::create_dir(&real).unwrap();
        fs::create_dir(&other).unwrap();
        let url = |path: &Path| format!("sqlite://{}", path.display());
        let database = real.join("books.db");
        let first = ServeLock::acquire(&url(&database)).unwrap();
        assert!(first.is_some() && real.join("books.db.lock").exists());
        let (link, chain, linked_folder) =
            (other.join("link.db"), other.join("chain.db"), folder.path().join("linked"));
        std::os::unix::fs::symlink("../real/books.db", &link).unwrap();
        std::os::unix::fs::symlink("link.db", &chain).unwrap();
        std::os::unix::fs::symlink(&real, &linked_folder).unwrap();
        // The file is not there yet, and then it is.
        for _ in 0..2 {
            for path in [&database, &link, &chain, &linked_folder.join("books.db"), &real.join("../real/books.db")] {
                assert!(ServeLock::acquire(&url(path)).unwrap().is_none(), "{}", path.display());
            }
            fs::write(&database, "").unwrap();
        }
        assert!(ServeLock::acquire(&url(&real.join("others.db"))).unwrap().is_some());
        drop(first);
        assert!(ServeLock::acquire(&url(&link)).unwrap().is_some());
        assert!(ServeLock::acquire(&url(&folder.path().join("nowhere/books.db"))).is_err());
    }
}
