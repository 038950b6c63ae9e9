//! API keys and the organisations they are restricted to.

use std::collections::{BTreeMap, BTreeSet};

use super::StoreError;
use super::epochs::Topic;
use super::sql::{Row, Unit, params};
use super::writer::{Locks, Writer};
use crate::domain::caller::{KeyHash, KeyReach, ScopeSet};
use crate::domain::ids::{ConnectionId, KeyId, OrganisationId, UserId};
use crate::store::sql::Reader;

const COLUMNS: &str = "k.id, k.user_id, k.name, k.prefix, k.hash, k.scopes, k.allow_overage, k.restricted, \
                       k.created_at, k.last_used_at, k.revoked_at, k.changed_epoch";
/// Rows of one `last_used_at` unit.
const FLUSH_ROWS_MAX: usize = 500;

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
    /// How many keys that are not revoked its owner may have, with this one; `None` for commands, which are not bound.
    pub live_max: Option<u64>,
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
    /// The owner has as many live keys as they may have; nothing was written.
    TooMany {
        /// How many that is.
        live_max: u64,
    },
}

impl Writer {
    /// Creates a key.
    pub async fn create_key(&self, key: NewKey) -> Result<KeyCreated, StoreError> {
        self.unit(Locks::Organisations, key, |unit, key| Box::pin(create(unit, key))).await
    }

    /// Revokes a key; `None` when it is not the person's or is revoked already.
    pub async fn revoke_key(&self, user: UserId, key: KeyId, at_ms: i64) -> Result<Option<KeyRow>, StoreError> {
        self.unit(Locks::Organisations, (user, key, at_ms), |unit, (user, key, at_ms)| {
            Box::pin(revoke(unit, *user, *key, *at_ms))
        })
        .await
    }

    /// Writes when keys and connections were last used; a time never goes back. Moves no epoch.
    pub async fn flush_last_used(&self, used: Vec<(ConnectionId, i64)>) -> Result<(), StoreError> {
        for block in used.chunks(FLUSH_ROWS_MAX) {
            self.unit(Locks::Organisations, block.to_vec(), |unit, used| Box::pin(flush(unit, used))).await?;
        }
        Ok(())
    }
}

impl Reader {
    /// A person's keys, newest first, revoked ones included.
    pub async fn list_keys(&self, user: UserId) -> Result<Vec<KeyRow>, StoreError> {
        let filter = "k.user_id = $1";
        self.keys(filter, "k.id desc", user.0).await
    }

    /// Keys changed after an epoch, revoked ones included; 0 gives every key that is not revoked.
    pub async fn load_keys(&self, changed_after_epoch: i64) -> Result<Vec<KeyRow>, StoreError> {
        let filter = "k.changed_epoch > $1 and ($1 > 0 or k.revoked_at is null)";
        self.keys(filter, "k.id", changed_after_epoch).await
    }

    async fn keys(&self, filter: &str, order: &str, parameter: i64) -> Result<Vec<KeyRow>, StoreError> {
        let rows = self
            .all(&format!("select {COLUMNS} from api_key k where {filter} order by {order}"), params![parameter])
            .await?;
        let restrictions = format!(
            "select o.key_id, o.organisation_id from api_key k join api_key_organisation o on o.key_id = k.id \
             where k.restricted and {filter}"
        );
        let mut restricted_to: BTreeMap<i64, BTreeSet<OrganisationId>> = BTreeMap::new();
        for row in self.all(&restrictions, params![parameter]).await? {
            restricted_to.entry(row.get(0)?).or_default().insert(OrganisationId(row.get(1)?));
        }
        rows.iter().map(|row| read(row, |id| restricted_to.remove(&id).unwrap_or_default())).collect()
    }
}

fn read(row: &Row, mut restricted_to: impl FnMut(i64) -> BTreeSet<OrganisationId>) -> Result<KeyRow, StoreError> {
    let id: i64 = row.get(0)?;
    let hash: Vec<u8> = row.get(4)?;
    let hash = <[u8; 32]>::try_from(hash).map_err(|_| StoreError::corrupt("hash of key", id))?;
    // A restricted key whose list is missing covers nothing, never everything.
    let reach = if row.get(7)? { KeyReach::Only(restricted_to(id)) } else { KeyReach::All };
    Ok(KeyRow {
        id: KeyId(id),
        user_id: UserId(row.get(1)?),
        name: row.get(2)?,
        prefix: row.get(3)?,
        hash: KeyHash(hash),
        scopes: row.parsed(5, ScopeSet::from_stored)?,
        allow_overage: row.get(6)?,
        reach,
        created_at_ms: row.get(8)?,
        last_used_at_ms: row.get(9)?,
        revoked_at_ms: row.get(10)?,
        changed_epoch: row.get(11)?,
    })
}

async fn create(unit: &Unit<'_>, key: &NewKey) -> Result<KeyCreated, StoreError> {
    for (index, id) in key.organisation_ids.iter().flatten().enumerate() {
        let sql = "select 1 from membership where organisation_id = $1 and user_id = $2 and accepted";
        if unit.one(sql, params![id.0, key.user_id.0]).await?.is_none() {
            return Ok(KeyCreated::UnknownOrganisation { index, id: *id });
        }
    }
    // Counted after the lock of the counter, so that no two processes both find room for the last one.
    let changed_epoch = unit.bump(Topic::Keys).await?;
    if let Some(live_max) = key.live_max {
        let sql = "select count(*) from api_key where user_id = $1 and revoked_at is null";
        let live: i64 = unit.one(sql, params![key.user_id.0]).await?.map_or(Ok(0), |row| row.get(0))?;
        if u64::try_from(live).unwrap_or_default() >= live_max {
            return Ok(KeyCreated::TooMany { live_max });
        }
    }
    let sql = "insert into api_key (user_id, name, prefix, hash, scopes, allow_overage, restricted, created_at, \
               changed_epoch) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id";
    let values = params![
        key.user_id.0,
        key.name.as_str(),
        key.prefix.as_str(),
        key.hash.0.to_vec(),
        key.scopes.to_stored(),
        key.allow_overage,
        key.organisation_ids.is_some(),
        unit.now_ms,
        changed_epoch
    ];
    let row = unit.one(sql, values).await?.ok_or_else(|| StoreError::corrupt("no id for key", &key.prefix))?;
    let id: i64 = row.get(0)?;
    for organisation in key.organisation_ids.iter().flatten() {
        let sql = "insert into api_key_organisation (organisation_id, key_id) values ($1, $2) on conflict do nothing";
        unit.execute(sql, params![organisation.0, id]).await?;
    }
    let reach =
        key.organisation_ids.as_ref().map_or(KeyReach::All, |ids| KeyReach::Only(ids.iter().copied().collect()));
    Ok(KeyCreated::Created(KeyRow {
        id: KeyId(id),
        user_id: key.user_id,
        name: key.name.clone(),
        prefix: key.prefix.clone(),
        hash: key.hash,
        scopes: key.scopes,
        allow_overage: key.allow_overage,
        reach,
        created_at_ms: unit.now_ms,
        last_used_at_ms: None,
        revoked_at_ms: None,
        changed_epoch,
    }))
}

async fn revoke(unit: &Unit<'_>, user: UserId, key: KeyId, at_ms: i64) -> Result<Option<KeyRow>, StoreError> {
    let open = "select 1 from api_key where id = $1 and user_id = $2 and revoked_at is null";
    if unit.one(open, params![key.0, user.0]).await?.is_none() {
        return Ok(None);
    }
    let epoch = unit.bump(Topic::Keys).await?;
    // On PostgreSQL two processes may both have seen it open; the counter's lock lets one of them find it closed.
    let sql = format!(
        "update api_key as k set revoked_at = $3, changed_epoch = $4 \
         where k.id = $1 and k.user_id = $2 and k.revoked_at is null returning {}",
        COLUMNS.replace("k.", "")
    );
    let Some(row) = unit.one(&sql, params![key.0, user.0, at_ms, epoch]).await? else { return Ok(None) };
    let sql = "select organisation_id from api_key_organisation where key_id = $1";
    let rows = unit.all(sql, params![key.0]).await?;
    let restricted_to = rows.iter().map(|row| row.get(0).map(OrganisationId)).collect::<Result<BTreeSet<_>, _>>()?;
    read(&row, |_| restricted_to.clone()).map(Some)
}

async fn flush(unit: &Unit<'_>, used: &[(ConnectionId, i64)]) -> Result<(), StoreError> {
    for (connection, at_ms) in used {
        let (table, id) = match connection {
            ConnectionId::Key(id) => ("api_key", id.0),
            ConnectionId::Grant(id) => ("oauth_grant", id.0),
        };
        let sql = format!(
            "update {table} set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)"
        );
        unit.execute(&sql, params![id, *at_ms]).await?;
    }
    Ok(())
}
