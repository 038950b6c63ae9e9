//! Connections as they are published, listed and revoked.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::Value;

use super::{hash_of, hex};
use crate::domain::caller::{KeyReach, ScopeSet};
use crate::domain::ids::{GrantId, OrganisationId, UserId};
use crate::domain::oauth::token::{TokenHash, TokenKind};
use crate::store::StoreError;
use crate::store::epochs::Topic;
use crate::store::sql::{Query, Reader, Row, Unit, params};
use crate::store::writer::{Locks, Writer};

const COLUMNS: &str = "g.id, g.user_id, g.client_id, g.client_name, g.redirect_host, g.scopes, g.allow_overage, \
                       g.restricted, g.created_at, g.last_used_at, g.revoked_at, g.changed_epoch";
const COLUMN_COUNT: usize = 12;
/// Connections that are read at a time where all are.
const PAGE: usize = 500;

/// A connection as stored.
#[derive(Debug, Clone)]
pub struct GrantRow {
    /// Identifier.
    pub id: GrantId,
    /// Whose.
    pub user_id: UserId,
    /// The application.
    pub client_id: String,
    /// What people call it.
    pub client_name: String,
    /// Where its answers went.
    pub redirect_host: String,
    /// What it may do.
    pub scopes: ScopeSet,
    /// Whether its jobs may draw overage.
    pub allow_overage: bool,
    /// Which organisations it covers.
    pub reach: KeyReach,
    /// When the person first allowed it.
    pub created_at_ms: i64,
    /// When it was last used, at most half a minute behind.
    pub last_used_at_ms: Option<i64>,
    /// When it ended.
    pub revoked_at_ms: Option<i64>,
    /// The value of the topic `grants` this row was last changed at.
    pub changed_epoch: i64,
}

/// An access token as it is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenRow {
    /// What it is found by.
    pub hash: TokenHash,
    /// Of which connection.
    pub grant_id: GrantId,
    /// What it may do, as far as the connection may.
    pub scopes: ScopeSet,
    /// When it ends.
    pub expires_at_ms: i64,
}

/// What changed after an epoch.
#[derive(Debug, Default)]
pub struct LoadedGrants {
    /// Connections; revoked ones too.
    pub grants: Vec<GrantRow>,
    /// Access tokens that were revoked one by one.
    pub revoked: Vec<TokenHash>,
    /// The epoch that is reached with these.
    pub epoch: i64,
}

/// An access token and its connection.
#[derive(Debug)]
pub struct FoundToken {
    /// The token.
    pub token: TokenRow,
    /// Its connection.
    pub grant: GrantRow,
}

/// What a client revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevokedToken {
    /// A refresh token, and with it the connection.
    Grant(GrantId),
    /// An access token.
    Access(TokenHash),
    /// Nothing: it is unknown, another client's, or was revoked before.
    Nothing,
}

impl Writer {
    /// Revokes a connection of a person; none when it is not theirs or has ended already.
    pub async fn revoke_oauth_grant(&self, user: UserId, grant: GrantId) -> Result<Option<i64>, StoreError> {
        self.unit(Locks::Organisations, (user, grant), |unit, (user, grant)| {
            Box::pin(async move {
                let sql = "select 1 from oauth_grant where id = $1 and user_id = $2 and revoked_at is null";
                if unit.one(sql, params![grant.0, user.0]).await?.is_none() {
                    return Ok(None);
                }
                Ok(revoke_grant(unit, *grant, "person").await?.then_some(unit.now_ms))
            })
        })
        .await
    }

    /// Revokes what a client presents (RFC 7009).
    pub async fn revoke_oauth_token(
        &self,
        kind: TokenKind,
        token: TokenHash,
        client_id: String,
    ) -> Result<RevokedToken, StoreError> {
        self.unit(Locks::Organisations, (kind, token, client_id), |unit, (kind, token, client_id)| {
            Box::pin(revoke_token(unit, *kind, *token, client_id))
        })
        .await
    }
}

/// Ends a connection; `false` when it has ended already.
pub(super) async fn revoke_grant(unit: &Unit<'_>, grant: GrantId, reason: &str) -> Result<bool, StoreError> {
    let epoch = unit.bump(Topic::Grants).await?;
    let sql = "update oauth_grant set revoked_at = $2, revoke_reason = $3, changed_epoch = $4 \
               where id = $1 and revoked_at is null";
    Ok(unit.execute(sql, params![grant.0, unit.now_ms, reason, epoch]).await? > 0)
}

/// What finds the live connection of a client by what it presents; none for what a client does not present.
fn grant_of(kind: TokenKind) -> Option<String> {
    presented(kind).map(|from| format!("select g.id {from}"))
}

/// The tables and conditions that find what a client presents, `$1`, of a live connection of the client `$2`.
pub(super) fn presented(kind: TokenKind) -> Option<String> {
    let (table, condition) = match kind {
        TokenKind::Code => ("oauth_code", ""),
        TokenKind::Refresh => ("oauth_refresh_token", ""),
        TokenKind::Access => ("oauth_access_token", " and t.revoked_at is null"),
        TokenKind::ClientSecret | TokenKind::Request => return None,
    };
    Some(format!(
        "from {table} t join oauth_grant g on g.id = t.grant_id join oauth_client c on c.id = g.client_id \
         where t.sha256 = $1 and g.client_id = $2 and g.revoked_at is null{condition}"
    ))
}

async fn revoke_token(
    unit: &Unit<'_>,
    kind: TokenKind,
    token: TokenHash,
    client_id: &str,
) -> Result<RevokedToken, StoreError> {
    let Some(sql) = grant_of(kind) else { return Ok(RevokedToken::Nothing) };
    let Some(row) = unit.one(&sql, params![hex(&token), client_id]).await? else { return Ok(RevokedToken::Nothing) };
    let grant = GrantId(row.get(0)?);
    if kind == TokenKind::Refresh {
        return Ok(match revoke_grant(unit, grant, "client").await? {
            true => RevokedToken::Grant(grant),
            false => RevokedToken::Nothing,
        });
    }
    let epoch = unit.bump(Topic::Grants).await?;
    let sql = "update oauth_access_token set revoked_at = $2, changed_epoch = $3 where sha256 = $1";
    unit.execute(sql, params![hex(&token), unit.now_ms, epoch]).await?;
    Ok(RevokedToken::Access(token))
}

/// A connection that was just written.
pub(super) async fn stored(unit: &Unit<'_>, grant: GrantId, reach: KeyReach) -> Result<GrantRow, StoreError> {
    let row = unit.one(&format!("select {COLUMNS} from oauth_grant g where g.id = $1"), params![grant.0]).await?;
    let row = row.ok_or_else(|| StoreError::corrupt("missing grant", grant))?;
    Ok(GrantRow { reach, ..read(&row, &BTreeMap::new())? })
}

impl Reader {
    /// A person's connections, newest first; those that ended too.
    pub async fn oauth_grants_of(&self, user: UserId) -> Result<Vec<GrantRow>, StoreError> {
        let [rows, organisations] = self
            .together([
                Query::new(
                    format!("select {COLUMNS} from oauth_grant g where g.user_id = $1 order by g.id desc"),
                    COLUMN_COUNT,
                    params![user.0],
                ),
                Query::new(
                    "select o.grant_id, o.organisation_id from oauth_grant g \
                     join oauth_grant_organisation o on o.grant_id = g.id where g.user_id = $1",
                    2,
                    params![user.0],
                ),
            ])
            .await?;
        let organisations = by_grant(&organisations)?;
        rows.iter().map(|row| read(row, &organisations)).collect()
    }

    /// The live connection of a person with a client.
    pub async fn oauth_grant_with(&self, user: UserId, client_id: &str) -> Result<Option<GrantRow>, StoreError> {
        let grants = self.oauth_grants_of(user).await?;
        Ok(grants.into_iter().find(|grant| grant.client_id == client_id && grant.revoked_at_ms.is_none()))
    }

    /// What changed after an epoch.
    pub async fn load_oauth_grants(&self, changed_after_epoch: i64) -> Result<LoadedGrants, StoreError> {
        let filter = "g.changed_epoch > $1";
        let [rows, organisations, revoked] = self
            .together([
                grants_where(filter, params![changed_after_epoch]),
                organisations_where(filter, params![changed_after_epoch]),
                Query::new(
                    "select sha256, changed_epoch from oauth_access_token where changed_epoch > $1 and changed_epoch > 0",
                    2,
                    params![changed_after_epoch],
                ),
            ])
            .await?;
        let organisations = by_grant(&organisations)?;
        let mut loaded = LoadedGrants { epoch: changed_after_epoch, ..LoadedGrants::default() };
        for row in &rows {
            let grant = read(row, &organisations)?;
            loaded.epoch = loaded.epoch.max(grant.changed_epoch);
            loaded.grants.push(grant);
        }
        for row in &revoked {
            loaded.epoch = loaded.epoch.max(row.get(1)?);
            loaded.revoked.push(hash_of(&row.get::<String>(0)?)?);
        }
        Ok(loaded)
    }

    /// Live connections with a greater identifier, the least first, and their live access tokens: so many that little memory is
    /// needed at a time; none after the last.
    pub async fn live_oauth_grants(&self, after: GrantId) -> Result<(Vec<GrantRow>, Vec<TokenRow>), StoreError> {
        let filter = format!(
            "g.id in (select p.id from oauth_grant p where p.id > $1 and p.revoked_at is null order by p.id limit {PAGE})"
        );
        let tokens = format!(
            "select t.sha256, t.grant_id, t.scopes, t.expires_at from oauth_grant g \
             join oauth_access_token t on t.grant_id = g.id where {filter} and t.revoked_at is null and t.expires_at > $2"
        );
        let [rows, organisations, tokens] = self
            .together([
                grants_where(&filter, params![after.0]),
                organisations_where(&filter, params![after.0]),
                Query::new(tokens, 4, params![after.0, self.shared().now_ms()]),
            ])
            .await?;
        let organisations = by_grant(&organisations)?;
        let grants = rows.iter().map(|row| read(row, &organisations)).collect::<Result<_, _>>()?;
        Ok((grants, tokens.iter().map(|row| token(row, 0)).collect::<Result<_, _>>()?))
    }

    /// An access token that may be used, with its connection.
    pub async fn oauth_token(&self, hash: TokenHash) -> Result<Option<FoundToken>, StoreError> {
        let sql = format!(
            "select {COLUMNS}, t.sha256, t.grant_id, t.scopes, t.expires_at from oauth_access_token t \
             join oauth_grant g on g.id = t.grant_id \
             where t.sha256 = $1 and t.revoked_at is null and t.expires_at > $2 and g.revoked_at is null"
        );
        let Some(row) = self.one(&sql, params![hex(&hash), self.shared().now_ms()]).await? else { return Ok(None) };
        let sql = "select grant_id, organisation_id from oauth_grant_organisation where grant_id = $1";
        let organisations = by_grant(&self.all(sql, params![row.get::<i64>(0)?]).await?)?;
        Ok(Some(FoundToken { token: token(&row, COLUMN_COUNT)?, grant: read(&row, &organisations)? }))
    }

    /// Whether any connection is live, and how many.
    pub async fn count_oauth_grants(&self) -> Result<i64, StoreError> {
        let row = self.one("select count(*) from oauth_grant where revoked_at is null", Vec::new()).await?;
        row.map_or(Ok(0), |row| row.get(0))
    }
}

fn grants_where(filter: &str, values: Vec<Value>) -> Query {
    Query::new(format!("select {COLUMNS} from oauth_grant g where {filter} order by g.id"), COLUMN_COUNT, values)
}

fn organisations_where(filter: &str, values: Vec<Value>) -> Query {
    let sql = format!(
        "select o.grant_id, o.organisation_id from oauth_grant g \
         join oauth_grant_organisation o on o.grant_id = g.id where {filter}"
    );
    Query::new(sql, 2, values)
}

fn by_grant(rows: &[Row]) -> Result<BTreeMap<i64, BTreeSet<OrganisationId>>, StoreError> {
    let mut organisations: BTreeMap<i64, BTreeSet<OrganisationId>> = BTreeMap::new();
    for row in rows {
        organisations.entry(row.get(0)?).or_default().insert(OrganisationId(row.get(1)?));
    }
    Ok(organisations)
}

fn token(row: &Row, first: usize) -> Result<TokenRow, StoreError> {
    Ok(TokenRow {
        hash: hash_of(&row.get::<String>(first)?)?,
        grant_id: GrantId(row.get(first + 1)?),
        scopes: row.parsed(first + 2, ScopeSet::from_stored)?,
        expires_at_ms: row.get(first + 3)?,
    })
}

fn read(row: &Row, organisations: &BTreeMap<i64, BTreeSet<OrganisationId>>) -> Result<GrantRow, StoreError> {
    let id: i64 = row.get(0)?;
    // A restricted connection whose list is missing covers nothing, never everything.
    let covered = || organisations.get(&id).cloned().unwrap_or_default();
    Ok(GrantRow {
        id: GrantId(id),
        user_id: UserId(row.get(1)?),
        client_id: row.get(2)?,
        client_name: row.get(3)?,
        redirect_host: row.get(4)?,
        scopes: row.parsed(5, ScopeSet::from_stored)?,
        allow_overage: row.get(6)?,
        reach: if row.get(7)? { KeyReach::Only(covered()) } else { KeyReach::All },
        created_at_ms: row.get(8)?,
        last_used_at_ms: row.get(9)?,
        revoked_at_ms: row.get(10)?,
        changed_epoch: row.get(11)?,
    })
}
