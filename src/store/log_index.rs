//! What the write-ahead log of a SQLite database holds that has not been copied into its file yet.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashSet;

/// Bytes of the header of a log, and of the header of each of its frames (SQLite file format, sections 4.1 and 4.2).
const LOG_HEADER_BYTES: u64 = 32;
const FRAME_HEADER_BYTES: u64 = 24;
/// Where the index has the number of the last frame, and how many frames were copied (WAL-mode file format, section 2.1).
const LAST_FRAME_AT: u64 = 16;
const COPIED_FRAMES_AT: u64 = 96;

/// Reads a log and its index, which is the file that ends in `-shm`.
#[derive(Debug)]
pub(super) struct LogIndex {
    log: PathBuf,
    index: PathBuf,
    /// Kept open, because closing it would end every lock that SQLite has on it in this process.
    opened: Mutex<Option<File>>,
}

impl LogIndex {
    pub(super) const fn new(log: PathBuf, index: PathBuf) -> Self {
        Self { log, index, opened: Mutex::new(None) }
    }

    /// Whether every page from `first` to `last` is in a frame that has still to be copied. Frames are copied up to the snapshot of
    /// the oldest reader, and a page whose newest frame is younger is left out: the first page may then count pages that the file
    /// lacks for as long as that reader reads.
    pub(super) fn still_has(&self, first: u64, last: u32, page_bytes: u64) -> bool {
        self.look(first, last, page_bytes).unwrap_or(false)
    }

    fn look(&self, first: u64, last: u32, page_bytes: u64) -> io::Result<bool> {
        let (copied, newest) = self.frames()?;
        let missing_pages = (u64::from(last) + 1).saturating_sub(first);
        if missing_pages > u64::from(newest.saturating_sub(copied)) {
            return Ok(false);
        }
        let mut missing: FxHashSet<u64> = (first..=u64::from(last)).collect();
        let log = File::open(&self.log)?;
        for frame in u64::from(copied)..u64::from(newest) {
            let mut page = [0_u8; 4];
            log.read_exact_at(&mut page, LOG_HEADER_BYTES + frame * (FRAME_HEADER_BYTES + page_bytes))?;
            missing.remove(&u64::from(u32::from_be_bytes(page)));
            if missing.is_empty() {
                return Ok(true);
            }
        }
        Ok(missing.is_empty())
    }

    /// How many frames were copied, and how many there are.
    fn frames(&self) -> io::Result<(u32, u32)> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let number = fs::metadata(&self.index)?.ino();
        let is_same = |file: &File| file.metadata().map(|file| file.ino() == number);
        let file = match &mut *opened {
            Some(file) if is_same(file)? => file,
            // SQLite removes the index with its last connection and makes another one.
            other => other.insert(File::open(&self.index)?),
        };
        let word = |at: u64| {
            let mut bytes = [0_u8; 4];
            file.read_exact_at(&mut bytes, at).map(|()| u32::from_ne_bytes(bytes))
        };
        Ok((word(COPIED_FRAMES_AT)?, word(LAST_FRAME_AT)?))
    }
}
