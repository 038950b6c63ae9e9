//! The secret that signs web sessions: a file made at first start, or on PostgreSQL a row all processes share.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::clock::Clock;
use crate::config::Settings;
use crate::session::SECRET_BYTES;
use crate::store::Store;

const SETTING: &str = "session_secret";

/// Reads the secret, making it when there is none yet.
pub async fn session_secret(settings: &Settings, store: &Store, clock: &dyn Clock) -> anyhow::Result<Vec<u8>> {
    if store.is_shared() && settings.session_secret_file.is_none() {
        let text = store.writer.setting_or_insert(SETTING, new_secret(clock)).await?;
        return decode(&text).context("the stored session secret is unreadable");
    }
    let default = settings.data_dir.join("session.secret");
    let path = settings.session_secret_file.as_deref().unwrap_or(&default);
    secret_file(path, clock)
}

fn secret_file(path: &Path, clock: &dyn Clock) -> anyhow::Result<Vec<u8>> {
    let create = || -> std::io::Result<()> {
        // Written aside and linked into place, so that a crash never leaves half a secret and two starts agree on one.
        let aside = path.with_extension(format!("new-{}", std::process::id()));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&aside)?;
        file.write_all(new_secret(clock).as_bytes())?;
        file.sync_all()?;
        let linked = std::fs::hard_link(&aside, path);
        std::fs::remove_file(&aside)?;
        match linked {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    };
    if !path.exists() {
        create().with_context(|| format!("cannot create {}", path.display()))?;
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    match decode(text.trim()) {
        Some(secret) => Ok(secret),
        None => bail!("{} must hold at least {SECRET_BYTES} bytes in hexadecimal", path.display()),
    }
}

fn new_secret(clock: &dyn Clock) -> String {
    let mut secret = [0_u8; SECRET_BYTES];
    clock.fill_random(&mut secret);
    secret.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn decode(text: &str) -> Option<Vec<u8>> {
    if text.len() < SECRET_BYTES * 2 || !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    text.as_bytes()
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).ok().and_then(|digits| u8::from_str_radix(digits, 16).ok()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn the_secret_is_made_once_and_kept_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("session.secret");
        let clock = ManualClock::at_ms(0);
        let first = secret_file(&path, &clock).expect("made");
        assert_eq!(first.len(), SECRET_BYTES);
        assert_eq!(secret_file(&path, &clock).expect("read"), first);
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
        std::fs::write(&path, "short").expect("written");
        assert!(secret_file(&path, &clock).is_err());
    }
}
