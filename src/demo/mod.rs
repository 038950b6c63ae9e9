//! `serve --demo`: a fresh folder with sample data, the samples run through the service's own HTTP API, and what to try
//! next.
//!
//! It must never touch a folder it did not make: a marker file says which one is its own.

mod sample;
mod show;

use std::path::{Path, PathBuf};

pub use sample::reconciliation_body;
pub use show::show;

/// The person of the demonstration.
pub const DEMO_EMAIL: &str = "demo@example.com";
/// The organisation of the demonstration.
pub const DEMO_ORGANISATION: &str = "Larkspur Joinery Ltd";
/// Credits the person starts with each month.
pub const DEMO_MONTHLY_CREDITS: i64 = 1000;

const MARKER: &str = ".bookkeeping-demo";

/// The demonstration's folder cannot be made anew.
#[derive(Debug, thiserror::Error)]
pub enum DemoFolderError {
    /// It exists and was not made by a demonstration.
    #[error("{0} exists and was not made by `serve --demo` (no {MARKER} file in it); move it away or choose another data_dir")]
    NotOurs(PathBuf),
    /// The file system refused.
    #[error("cannot prepare {path}: {source}")]
    Io {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Makes `<data_dir>/demo` anew and returns it; only a folder with the marker is ever removed.
pub fn fresh_folder(data_dir: &Path) -> Result<PathBuf, DemoFolderError> {
    let folder = data_dir.join("demo");
    let failed = |source| DemoFolderError::Io { path: folder.clone(), source };
    let is_empty = || std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_none());
    if folder.exists() && !is_empty() {
        if !folder.join(MARKER).is_file() {
            return Err(DemoFolderError::NotOurs(folder));
        }
        std::fs::remove_dir_all(&folder).map_err(failed)?;
    }
    std::fs::create_dir_all(&folder).map_err(failed)?;
    std::fs::write(folder.join(MARKER), "Made by `bookkeeping serve --demo`, which removes this folder at its next start.\n")
        .map_err(failed)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_folder_of_its_own_is_ever_removed() {
        let data = tempfile::tempdir().expect("a folder");
        let demo = fresh_folder(data.path()).expect("made");
        std::fs::write(demo.join("old"), "x").expect("written");
        let again = fresh_folder(data.path()).expect("made anew");
        assert!(!again.join("old").exists());

        std::fs::remove_file(demo.join(MARKER)).expect("removed");
        std::fs::write(demo.join("precious"), "x").expect("written");
        assert!(matches!(fresh_folder(data.path()), Err(DemoFolderError::NotOurs(_))));
        assert!(demo.join("precious").exists());
    }
}
