//! Authorization requests, and the person's decision about them.

use std::collections::BTreeSet;

use super::grants::{self, GrantRow};
use super::hex;
use crate::domain::caller::{KeyReach, ScopeSet};
use crate::domain::ids::{GrantId, OrganisationId, UserId};
use crate::domain::oauth::lifetimes::{CODE_MS, REQUESTS_MAX};
use crate::domain::oauth::redirect;
use crate::domain::oauth::token::TokenHash;
use crate::store::StoreError;
use crate::store::epochs::Topic;
use crate::store::sql::{Reader, Row, Unit, for_update, params};
use crate::store::writer::{Locks, Writer};

/// A request to be shown to a person.
#[derive(Clone)]
pub struct NewRequest {
    /// Of the handle on the page.
    pub hash: TokenHash,
    /// Who asks.
    pub client_id: String,
    /// Who is asked.
    pub user_id: UserId,
    /// The web session the page is shown in.
    pub session: String,
    /// Where the answer goes.
    pub redirect_uri: String,
    /// Given back with the answer.
    pub state: Option<String>,
    /// What is asked for.
    pub scopes: ScopeSet,
    /// Of the proof key.
    pub challenge: String,
    /// What the tokens are for.
    pub resource: String,
    /// When it ends.
    pub expires_at_ms: i64,
}

/// A request that may still be decided.
#[derive(Debug, Clone)]
pub struct RequestRow {
    /// Who asks.
    pub client_id: String,
    /// Where the answer goes.
    pub redirect_uri: String,
    /// What is asked for.
    pub scopes: ScopeSet,
}

/// A person's consent.
#[derive(Clone)]
pub struct Consent {
    /// Of the handle on the page.
    pub request: TokenHash,
    /// Who decides.
    pub user_id: UserId,
    /// In which web session.
    pub session: String,
    /// What is granted; no more than was asked for counts.
    pub scopes: ScopeSet,
    /// The organisations; none for every one, now and later.
    pub organisations: Option<BTreeSet<OrganisationId>>,
    /// Whether jobs may draw overage.
    pub allow_overage: bool,
    /// What people call the client.
    pub client_name: String,
    /// Of the code.
    pub code: TokenHash,
}

/// Where the answer to a request goes.
#[derive(Debug, Clone)]
pub struct Decided {
    /// The redirect URI of the request.
    pub redirect_uri: String,
    /// Given back with the answer.
    pub state: Option<String>,
}

/// What became of a consent.
#[derive(Clone)]
pub enum ConsentOutcome {
    /// The connection stands.
    Allowed(Decided, Box<GrantRow>),
    /// There is no such request, or not any more; nothing was granted.
    Unknown,
    /// The person is not an accepted member of an organisation named; nothing was granted, the request stands.
    UnknownOrganisation,
}

impl Writer {
    /// Keeps a request until it is decided, and no more than so many of a person: the oldest goes.
    pub async fn begin_oauth_request(&self, request: NewRequest) -> Result<(), StoreError> {
        self.unit(Locks::Organisations, request, |unit, request| {
            Box::pin(async move {
                let sql = "insert into oauth_request (sha256, client_id, user_id, session, redirect_uri, state, scopes, \
                           challenge, resource, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
                let values = params![
                    hex(&request.hash),
                    request.client_id.as_str(),
                    request.user_id.0,
                    request.session.as_str(),
                    request.redirect_uri.as_str(),
                    request.state.clone(),
                    request.scopes.to_stored(),
                    request.challenge.as_str(),
                    request.resource.as_str(),
                    request.expires_at_ms
                ];
                unit.execute(sql, values).await?;
                let oldest = format!(
                    "delete from oauth_request where sha256 in (select sha256 from oauth_request \
                     where user_id = $1 and sha256 <> $2 order by expires_at desc, sha256 limit 500 offset {})",
                    REQUESTS_MAX - 1
                );
                unit.execute(&oldest, params![request.user_id.0, hex(&request.hash)]).await.map(|_| ())
            })
        })
        .await
    }

    /// Ends a request that the person denied; none when it may not be decided any more.
    pub async fn deny_oauth_request(
        &self,
        request: TokenHash,
        user: UserId,
        session: String,
    ) -> Result<Option<Decided>, StoreError> {
        self.unit(Locks::Organisations, (request, user, session), |unit, (request, user, session)| {
            Box::pin(async move { Ok(decide(unit, request, *user, session).await?.map(|taken| taken.decided)) })
        })
        .await
    }

    /// Makes or changes a connection as a person consented, and keeps the code that is sent to the client.
    pub async fn allow_oauth_request(&self, consent: Consent) -> Result<ConsentOutcome, StoreError> {
        self.unit(Locks::Organisations, consent, |unit, consent| Box::pin(allow(unit, consent))).await
    }
}

impl Reader {
    /// A request that a person may still decide in a web session.
    pub async fn oauth_request(
        &self,
        request: TokenHash,
        user: UserId,
        session: &str,
    ) -> Result<Option<RequestRow>, StoreError> {
        let sql = "select client_id, redirect_uri, scopes from oauth_request \
                   where sha256 = $1 and user_id = $2 and session = $3 and used_at is null and expires_at > $4";
        let row = self.one(sql, params![hex(&request), user.0, session, self.shared().now_ms()]).await?;
        let read = |row: Row| {
            let scopes = row.parsed(2, ScopeSet::from_stored)?;
            Ok(RequestRow { client_id: row.get(0)?, redirect_uri: row.get(1)?, scopes })
        };
        row.map(read).transpose()
    }
}

/// A request that was just decided.
struct Taken {
    decided: Decided,
    client_id: String,
    scopes: ScopeSet,
    challenge: String,
    resource: String,
}

/// Takes a request for a decision: it has one.
async fn decide(
    unit: &Unit<'_>,
    request: &TokenHash,
    user: UserId,
    session: &str,
) -> Result<Option<Taken>, StoreError> {
    let sql = "update oauth_request set used_at = $4 where sha256 = $1 and user_id = $2 and session = $3 \
               and used_at is null and expires_at > $4 \
               returning client_id, redirect_uri, state, scopes, challenge, resource";
    let Some(row) = unit.one(sql, params![hex(request), user.0, session, unit.now_ms]).await? else { return Ok(None) };
    Ok(Some(Taken {
        client_id: row.get(0)?,
        decided: Decided { redirect_uri: row.get(1)?, state: row.get(2)? },
        scopes: row.parsed(3, ScopeSet::from_stored)?,
        challenge: row.get(4)?,
        resource: row.get(5)?,
    }))
}

async fn allow(unit: &Unit<'_>, consent: &Consent) -> Result<ConsentOutcome, StoreError> {
    for organisation in consent.organisations.iter().flatten() {
        let sql = "select 1 from membership where organisation_id = $1 and user_id = $2 and accepted";
        if unit.one(sql, params![organisation.0, consent.user_id.0]).await?.is_none() {
            return Ok(ConsentOutcome::UnknownOrganisation);
        }
    }
    let Some(taken) = decide(unit, &consent.request, consent.user_id, &consent.session).await? else {
        return Ok(ConsentOutcome::Unknown);
    };
    let scopes = consent.scopes.intersection(taken.scopes);
    let epoch = unit.bump(Topic::Grants).await?;
    let lock = for_update(unit.backend);
    let standing =
        format!("select id from oauth_grant where user_id = $1 and client_id = $2 and revoked_at is null{lock}");
    let standing = unit.one(&standing, params![consent.user_id.0, taken.client_id.as_str()]).await?;
    let values = params![
        consent.user_id.0,
        taken.client_id.as_str(),
        consent.client_name.as_str(),
        redirect::host(&taken.decided.redirect_uri),
        scopes.to_stored(),
        taken.resource.as_str(),
        consent.organisations.is_some(),
        consent.allow_overage,
        unit.now_ms,
        epoch
    ];
    let row = match standing {
        Some(row) => {
            let id: i64 = row.get(0)?;
            let sql = "update oauth_grant set client_name = $3, redirect_host = $4, scopes = $5, resource = $6, \
                       restricted = $7, allow_overage = $8, allowed_at = $9, changed_epoch = $10 \
                       where user_id = $1 and client_id = $2 and revoked_at is null returning id";
            unit.execute("delete from oauth_grant_organisation where grant_id = $1", params![id]).await?;
            unit.one(sql, values).await?
        }
        None => {
            let sql = "insert into oauth_grant (user_id, client_id, client_name, redirect_host, scopes, resource, \
                       restricted, allow_overage, created_at, allowed_at, changed_epoch) \
                       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10) returning id";
            unit.one(sql, values).await?
        }
    };
    let id =
        GrantId(row.ok_or_else(|| StoreError::corrupt("no id for the grant of client", &taken.client_id))?.get(0)?);
    for organisation in consent.organisations.iter().flatten() {
        let sql = "insert into oauth_grant_organisation (grant_id, organisation_id) values ($1, $2)";
        unit.execute(sql, params![id.0, organisation.0]).await?;
    }
    let sql = "insert into oauth_code (sha256, grant_id, challenge, redirect_uri, scopes, expires_at) \
               values ($1, $2, $3, $4, $5, $6)";
    let values = params![
        hex(&consent.code),
        id.0,
        taken.challenge.as_str(),
        taken.decided.redirect_uri.as_str(),
        scopes.to_stored(),
        unit.now_ms.saturating_add(CODE_MS)
    ];
    unit.execute(sql, values).await?;
    let reach = consent.organisations.clone().map_or(KeyReach::All, KeyReach::Only);
    let grant = grants::stored(unit, id, reach).await?;
    Ok(ConsentOutcome::Allowed(taken.decided, Box::new(grant)))
}
