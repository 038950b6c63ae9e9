//! API keys and the organisations they are restricted to.

use super::reader::Reader;
use super::writer::Writer;
use super::StoreError;
use crate::domain::access::{KeyReach, ScopeSet};
use crate::domain::api_key::KeyHash;
use crate::domain::ids::{KeyId, OrganisationId, UserId};

/// A key to be created.
#[derive(Clone)]
pub struct NewKey {
    /// Its owner.
    pub user_id: UserId,
    /// Display name.
    pub name: String,
    /// The look-up handle.
    pub prefix: String,
    /// SHA-256 of the whole key.
    pub hash: KeyHash,
    /// What it may do.
    pub scopes: ScopeSet,
    /// Whether jobs made with it may be billed as overage.
    pub allow_overage: bool,
    /// The organisations it is restricted to, in the order given; `None` is all.
    pub organisation_ids: Option<Vec<OrganisationId>>,
}

/// A key as stored.
#[derive(Clone)]
pub struct KeyRow {
    /// Identifier.
    pub id: KeyId,
    /// Its owner.
    pub user_id: UserId,
    /// Display name.
    pub name: String,
    /// The look-up handle.
    pub prefix: String,
    /// SHA-256 of the whole key.
    pub hash: KeyHash,
    /// What it may do.
    pub scopes: ScopeSet,
    /// Whether jobs made with it may be billed as overage.
    pub allow_overage: bool,
    /// The organisations it covers.
    pub reach: KeyReach,
    /// When it was created.
    pub created_at_ms: i64,
    /// When it was last used, at most half a minute behind.
    pub last_used_at_ms: Option<i64>,
    /// When it was revoked.
    pub revoked_at_ms: Option<i64>,
    /// The value of the topic `keys` this row was last changed at.
    pub changed_epoch: i64,
}

/// What became of a new key.
#[derive(Clone)]
pub enum KeyCreated {
    /// Created.
    Created(KeyRow),
    /// The owner is not an accepted member of an organisation named; nothing was written.
    UnknownOrganisation {
        /// Position in `organisation_ids`.
        index: usize,
        /// The organisation.
        id: OrganisationId,
    },
}

impl Writer {
    /// Creates a key.
    pub async fn create_key(&self, key: NewKey) -> Result<KeyCreated, StoreError> {
        todo!()
    }

    /// Revokes a key; `None` when it is not the person's or is revoked already.
    pub async fn revoke_key(&self, user: UserId, key: KeyId, at_ms: i64) -> Result<Option<KeyRow>, StoreError> {
        todo!()
    }

    /// Writes when keys were last used; a time never goes back. Moves no epoch.
    pub async fn flush_last_used(&self, used: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        todo!()
    }
}

impl Reader {
    /// A person's keys, newest first, revoked ones included.
    pub async fn list_keys(&self, user: UserId) -> Result<Vec<KeyRow>, StoreError> {
        todo!()
    }

    /// Keys changed after an epoch, revoked ones included; 0 gives every key that is not revoked.
    pub async fn load_keys(&self, changed_after_epoch: i64) -> Result<Vec<KeyRow>, StoreError> {
        todo!()
    }
}
