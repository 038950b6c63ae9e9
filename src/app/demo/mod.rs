//! `serve --demo`: a fresh folder with sample data, the samples run through the service's own HTTP API, and what to try
//! next.
//!
//! It must never touch a folder it did not make: a marker file says which one is its own.

mod agent;
mod api;
mod books;
mod month;
mod sample;
mod show;
mod tables;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::actors::Actors;
use crate::clock::Clock;
use crate::domain::books::request::CreateOrganisation;
use crate::domain::caller;
use crate::domain::caller::Scope;
use crate::domain::ids::{KeyId, UserId};
use crate::session::hash_password;
use crate::store::{KeyCreated, NewKey, NewUser, Store, UserCreated};

pub use month::coding_body;
pub use sample::reconciliation_body;
pub use show::show;

/// The person of the demonstration.
pub const DEMO_EMAIL: &str = "demo@example.com";
/// The organisation of the demonstration.
pub const DEMO_ORGANISATION: &str = "Larkspur Joinery Ltd";
/// Credits the person starts with each month.
pub const DEMO_MONTHLY_CREDITS: i64 = 1000;

const MARKER: &str = ".bookkeeping-demo";

/// The demonstration's folder cannot be created again.
#[derive(Debug, thiserror::Error)]
pub enum DemoFolderError {
    /// It exists and was not made by a demonstration.
    #[error(
        "{0} exists and was not made by `serve --demo` (no {MARKER} file in it); move it away or choose another data_dir"
    )]
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

/// Removes and creates `<data_dir>/demo` and returns it; only a folder with the marker is ever removed.
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
    std::fs::write(
        folder.join(MARKER),
        "Made by `bookkeeping serve --demo`, which removes this folder at its next start.\n",
    )
    .map_err(failed)?;
    Ok(folder)
}

/// A key of the demonstration, and whose it is.
pub struct DemoKey {
    /// Its owner.
    pub user_id: UserId,
    /// Which.
    pub id: KeyId,
    /// The whole key.
    pub plaintext: String,
}

/// The keys of the demonstration.
pub struct DemoKeys {
    /// The one it prints.
    pub printed: DemoKey,
    /// The one that fills the books, so that the printed one keeps its requests of the first minute; it is revoked then.
    pub filling: DemoKey,
}

/// Seeds the person, the organisation and the keys, with every scope.
pub async fn seed(store: &Store, actors: &Actors, clock: &dyn Clock) -> anyhow::Result<DemoKeys> {
    let mut unusable = [0_u8; 32];
    clock.fill_random(&mut unusable);
    let password: String = unusable.iter().map(|byte| format!("{byte:02x}")).collect();
    let person = NewUser {
        email: DEMO_EMAIL.to_owned(),
        name: "Robin Demo".to_owned(),
        password_hash: hash_password(&password, clock).context("cannot hash a password")?,
        monthly_allocation: DEMO_MONTHLY_CREDITS,
        bonus: 0,
        overage_allowed: false,
    };
    let UserCreated::Created(user_id) = actors.credits.open_account(person).await? else {
        bail!("{DEMO_EMAIL} exists already");
    };
    let new = CreateOrganisation::named(user_id, DEMO_ORGANISATION.to_owned(), true);
    store.writer.create_organisation(new).await?;
    Ok(DemoKeys {
        printed: key(actors, clock, user_id, "demonstration").await?,
        filling: key(actors, clock, user_id, "filling the demonstration's books").await?,
    })
}

async fn key(actors: &Actors, clock: &dyn Clock, user_id: UserId, name: &str) -> anyhow::Result<DemoKey> {
    let minted = caller::mint_key(|block| clock.fill_random(block));
    let new = NewKey {
        user_id,
        name: name.to_owned(),
        prefix: minted.prefix,
        hash: minted.hash,
        scopes: Scope::ALL.into_iter().collect(),
        allow_overage: false,
        organisation_ids: None,
        live_max: None,
    };
    match actors.keys.create(new).await? {
        KeyCreated::Created(row) => Ok(DemoKey { user_id, id: row.id, plaintext: minted.plaintext }),
        KeyCreated::UnknownOrganisation { .. } | KeyCreated::TooMany { .. } => {
            bail!("the key names no organisation and is not bound")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_folder_of_its_own_is_ever_removed() {
        let data = tempfile::tempdir().expect("a folder");
        let demo = fresh_folder(data.path()).expect("made");
        std::fs::write(demo.join("old"), "x").expect("written");
        let again = fresh_folder(data.path()).expect("created again");
        assert!(!again.join("old").exists());

        std::fs::remove_file(demo.join(MARKER)).expect("removed");
        std::fs::write(demo.join("precious"), "x").expect("written");
        assert!(matches!(fresh_folder(data.path()), Err(DemoFolderError::NotOurs(_))));
        assert!(demo.join("precious").exists());
    }
}
