//! A disk whose every fsync takes as long as we say, for the service and for what it is compared with.

use std::{path::PathBuf, process::Command};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

/// The library that makes each fsync take as long.
pub struct SlowSync {
    library: PathBuf,
    held_us: u64,
    _folder: TempDir,
}

impl SlowSync {
    /// Compile it.
    pub fn build(held_us: u64) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("bookkeeping-bench-").tempdir()?;
        let library = folder.path().join("slow_sync.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/support/slow_sync.c");
        let status = Command::new("cc").args(["-shared", "-fPIC", "-O2", "-o"]).arg(&library).arg(source).status();
        ensure!(status.context("cannot run cc")?.success(), "{source} does not compile");
        Ok(Self { library, held_us, _folder: folder })
    }

    /// What goes before a program so that it is held up.
    pub fn wrapper(&self) -> Vec<String> {
        vec!["env".to_owned(), format!("LD_PRELOAD={}", self.library.display()), format!("FSYNC_US={}", self.held_us)]
    }
}

/// A folder on a file system in memory.
pub fn memory_folder() -> Option<PathBuf> {
    let folder = PathBuf::from("/dev/shm");
    let types = std::fs::read_to_string("/proc/mounts").ok()?;
    types.lines().any(|line| line.starts_with("tmpfs /dev/shm ") || line.contains(" /dev/shm tmpfs ")).then_some(folder)
}
