//! The outbox: e-mails as files. A message is written beside its place and synced before the row says that it is leaving;
//! then the file is renamed. So, whenever the process ends, the row and the files tell what is left to do, and it is done
//! exactly once: a row that is leaving whose file still lies beside is renamed, one whose file does not has been.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// What a file that is not in its place yet ends with.
const BESIDE: &str = ".part";
/// The file with the name of the outbox.
const IDENTITY: &str = ".identity";

/// A folder of `.eml` files.
#[derive(Debug, Clone)]
pub struct Outbox {
    folder: PathBuf,
    identity: String,
}

impl Outbox {
    /// Opens the folder, making it when it is not there; `unique` becomes its name then.
    pub fn open(folder: &Path, unique: &str) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let path = folder.join(IDENTITY);
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(mut file) => {
                file.write_all(unique.as_bytes())?;
                file.sync_all()?;
                File::open(folder)?.sync_all()?;
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        let identity = fs::read_to_string(&path)?.trim().to_owned();
        // The process was killed while it made the file: no e-mail has named this outbox yet.
        if identity.is_empty() {
            fs::remove_file(&path)?;
            return Self::open(folder, unique);
        }
        Ok(Self { folder: folder.to_owned(), identity })
    }

    /// Its name, by which rows refer to it: several processes of one database may have outboxes of their own.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Writes a message beside its place.
    pub fn write_beside(&self, message_id: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(self.beside(message_id))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        self.sync()
    }

    /// Puts a message in its place. One that does not lie beside it is there already.
    pub fn put_in_place(&self, message_id: &str) -> io::Result<()> {
        match fs::rename(self.beside(message_id), self.folder.join(format!("{message_id}.eml"))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => self.sync(),
        }
    }

    fn beside(&self, message_id: &str) -> PathBuf {
        self.folder.join(format!("{message_id}.eml{BESIDE}"))
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_put_in_its_place_once() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = Outbox::open(&folder.path().join("outbox"), "first").unwrap();
        assert_eq!(Outbox::open(&folder.path().join("outbox"), "second").unwrap().identity(), "first");
        outbox.write_beside("1@x", b"old and long").unwrap();
        outbox.write_beside("1@x", b"new").unwrap();
        let place = folder.path().join("outbox/1@x.eml");
        assert!(!place.exists());
        outbox.put_in_place("1@x").unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"new");
        // Somebody took it away: it is not made again.
        fs::remove_file(&place).unwrap();
        outbox.put_in_place("1@x").unwrap();
        assert!(!place.exists());
    }
}
