//! The lock that lets one `serve` at a time work on a data folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// Held while the value lives; the operating system releases it when the process ends, however it ends.
#[derive(Debug)]
pub struct ServeLock(#[expect(dead_code, reason = "the open file is the lock")] File);

impl ServeLock {
    /// Takes the exclusive lock of `<data_dir>/serve.lock`; `None` when another process holds it.
    pub fn acquire(data_dir: &Path) -> io::Result<Option<Self>> {
        let path = data_dir.join("serve.lock");
        let file = OpenOptions::new().create(true).read(true).write(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}
