//! Codes and refresh tokens exchanged for tokens. Each exchange is one unit: what it presents is checked before it counts as
//! used, and the grant's row is taken, so that an exchange in flight cannot bring back what is being revoked.

use super::grants::revoke_grant;
use super::{hash_of, hex};
use crate::domain::caller::ScopeSet;
use crate::domain::ids::GrantId;
use crate::domain::oauth::lifetimes::{ACCESS_TOKENS_MAX, Lifetimes, REFRESH_TOKENS_MAX, RETIRED_KEPT_MS, RefreshUse};
use crate::domain::oauth::proof_key::Challenge;
use crate::domain::oauth::token::TokenHash;
use crate::store::StoreError;
use crate::store::epochs::Topic;
use crate::store::sql::{Unit, params};
use crate::store::writer::{Locks, Writer};

/// The tokens that an exchange hands out when it succeeds.
#[derive(Clone, Copy)]
pub struct NewTokens {
    /// Of the access token.
    pub access: TokenHash,
    /// Of the refresh token.
    pub refresh: TokenHash,
    /// How long they last.
    pub lifetimes: Lifetimes,
}

/// A code that a client presents.
#[derive(Clone)]
pub struct CodeRedemption {
    /// Of the code.
    pub code: TokenHash,
    /// Who presents it.
    pub client_id: String,
    /// Where the client says that the code was sent.
    pub redirect_uri: Option<String>,
    /// What the verifier answers.
    pub challenge: Challenge,
    /// What it gets.
    pub tokens: NewTokens,
}

/// A refresh token that a client presents.
#[derive(Clone)]
pub struct RefreshExchange {
    /// Of the refresh token.
    pub refresh: TokenHash,
    /// Who presents it.
    pub client_id: String,
    /// Narrower scopes for the access token; none for all of the refresh token.
    pub scopes: Option<ScopeSet>,
    /// What it gets.
    pub tokens: NewTokens,
}

/// Tokens that were issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedTokens {
    /// Of which connection.
    pub grant_id: GrantId,
    /// What the access token may do.
    pub scopes: ScopeSet,
    /// When the access token ends.
    pub access_until_ms: i64,
    /// Whether a refresh token that was used came back within the grace.
    pub is_sibling: bool,
    /// The access tokens that these ended: a connection has only so many.
    pub retired: Vec<TokenHash>,
}

/// Why an exchange was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeRefusal {
    /// Unknown, expired, another client's, wrongly proven, or of a connection that has ended.
    Invalid,
    /// The scopes asked for are not all held.
    Scope,
    /// It was used before: the connection was revoked.
    Reused(GrantId),
    /// The connection was issued too many refresh tokens; for so many milliseconds. Nothing was used up.
    TooOften(i64),
}

/// What became of an exchange.
pub type Exchanged = Result<IssuedTokens, ExchangeRefusal>;

impl Writer {
    /// Redeems a code.
    pub async fn redeem_code(&self, redemption: CodeRedemption) -> Result<Exchanged, StoreError> {
        self.unit(Locks::Organisations, redemption, |unit, redemption| Box::pin(redeem(unit, redemption))).await
    }

    /// Exchanges a refresh token for the next pair.
    pub async fn refresh_tokens(&self, exchange: RefreshExchange) -> Result<Exchanged, StoreError> {
        self.unit(Locks::Organisations, exchange, |unit, exchange| Box::pin(refresh(unit, exchange))).await
    }
}

/// Takes the row that counts changes of connections before that of the connection, as consents and revocations do, when what is
/// presented will end something: it was used before, or the connection has as many access tokens as it may. Two processes that
/// took the rows in either order would wait for each other.
async fn take_epoch_first(unit: &Unit<'_>, table: &str, token: &str, client_id: &str) -> Result<(), StoreError> {
    let ends_something = format!(
        "select 1 from {table} t join oauth_grant g on g.id = t.grant_id \
         where t.sha256 = $1 and g.client_id = $2 and g.revoked_at is null and (t.used_at is not null \
         or (select count(*) from oauth_access_token a where a.grant_id = g.id and a.revoked_at is null and a.expires_at > $3) \
         >= {ACCESS_TOKENS_MAX})"
    );
    if unit.one(&ends_something, params![token, client_id, unit.now_ms]).await?.is_some() {
        unit.bump(Topic::Grants).await?;
    }
    Ok(())
}

async fn redeem(unit: &Unit<'_>, redemption: &CodeRedemption) -> Result<Exchanged, StoreError> {
    let code = hex(&redemption.code);
    take_epoch_first(unit, "oauth_code", &code, &redemption.client_id).await?;
    let sql = format!(
        "select c.grant_id, c.challenge, c.redirect_uri, c.scopes, c.used_at, g.client_id, g.scopes, g.allowed_at, \
         g.revoked_at from oauth_code c join oauth_grant g on g.id = c.grant_id where c.sha256 = $1{}",
        unit.dialect("", " for update of g")
    );
    let Some(row) = unit.one(&sql, params![code.as_str()]).await? else { return Ok(Err(ExchangeRefusal::Invalid)) };
    let grant_id = GrantId(row.get(0)?);
    let (challenge, redirect_uri): (String, String) = (row.get(1)?, row.get(2)?);
    let is_same_uri = redemption.redirect_uri.as_ref().is_none_or(|given| *given == redirect_uri);
    if row.get::<String>(5)? != redemption.client_id || !redemption.challenge.matches(&challenge) || !is_same_uri {
        return Ok(Err(ExchangeRefusal::Invalid));
    }
    if row.get::<Option<i64>>(8)?.is_some() {
        return Ok(Err(ExchangeRefusal::Invalid));
    }
    let take = "update oauth_code set used_at = $2 where sha256 = $1 and used_at is null and expires_at > $2";
    if unit.execute(take, params![code.as_str(), unit.now_ms]).await? == 0 {
        // Another transaction may have taken it since it was read.
        let used = unit.one("select used_at from oauth_code where sha256 = $1", params![code.as_str()]).await?;
        if used.map(|row| row.get::<Option<i64>>(0)).transpose()?.flatten().is_none() {
            return Ok(Err(ExchangeRefusal::Invalid));
        }
        if let Some(issued) = issued_before(unit, grant_id, &redemption.tokens, false).await? {
            return Ok(Ok(issued));
        }
        revoke_grant(unit, grant_id, "code_reuse").await?;
        return Ok(Err(ExchangeRefusal::Reused(grant_id)));
    }
    let held = row.parsed(3, ScopeSet::from_stored)?.intersection(row.parsed(6, ScopeSet::from_stored)?);
    let issued =
        Issue { grant_id, access_scopes: held, refresh_scopes: held, allowed_at_ms: row.get(7)?, parent: None };
    issue(unit, issued, &redemption.tokens, &redemption.client_id, false).await.map(Ok)
}

/// What an exchange issued when it was carried out before. The writer, or whoever asked it, may carry out an exchange a second time
/// when it does not know whether the first time was committed; its new tokens are known to nobody else, so that this is no
/// replay.
async fn issued_before(
    unit: &Unit<'_>,
    grant_id: GrantId,
    tokens: &NewTokens,
    is_sibling: bool,
) -> Result<Option<IssuedTokens>, StoreError> {
    let sql = "select scopes, expires_at from oauth_access_token where sha256 = $1 and grant_id = $2";
    let Some(row) = unit.one(sql, params![hex(&tokens.access), grant_id.0]).await? else { return Ok(None) };
    // Those it ended are among all that were ended.
    let ended = "select sha256 from oauth_access_token where grant_id = $1 and revoked_at is not null";
    let ended = unit.all(ended, params![grant_id.0]).await?;
    let retired = ended.iter().map(|row| hash_of(&row.get::<String>(0)?)).collect::<Result<_, StoreError>>()?;
    let scopes = row.parsed(0, ScopeSet::from_stored)?;
    Ok(Some(IssuedTokens { grant_id, scopes, access_until_ms: row.get(1)?, is_sibling, retired }))
}

async fn refresh(unit: &Unit<'_>, exchange: &RefreshExchange) -> Result<Exchanged, StoreError> {
    let token = hex(&exchange.refresh);
    take_epoch_first(unit, "oauth_refresh_token", &token, &exchange.client_id).await?;
    let sql = format!(
        "select r.grant_id, r.scopes, r.expires_at, r.used_at, r.siblings, g.client_id, g.scopes, g.allowed_at, \
         g.revoked_at, (select n.issued_at from oauth_refresh_token n where n.grant_id = r.grant_id \
         order by n.issued_at desc limit 1 offset {}) \
         from oauth_refresh_token r join oauth_grant g on g.id = r.grant_id where r.sha256 = $1{}",
        REFRESH_TOKENS_MAX - 1,
        unit.dialect("", " for update")
    );
    let Some(row) = unit.one(&sql, params![token.as_str()]).await? else { return Ok(Err(ExchangeRefusal::Invalid)) };
    let grant_id = GrantId(row.get(0)?);
    let is_live = row.get::<i64>(2)? > unit.now_ms && row.get::<Option<i64>>(8)?.is_none();
    if row.get::<String>(5)? != exchange.client_id || !is_live {
        return Ok(Err(ExchangeRefusal::Invalid));
    }
    let of_token = row.parsed(1, ScopeSet::from_stored)?;
    let held = of_token.intersection(row.parsed(6, ScopeSet::from_stored)?);
    let used_at_ms: Option<i64> = row.get(3)?;
    let siblings: i64 = row.get(4)?;
    if used_at_ms.is_some()
        && let Some(issued) = issued_before(unit, grant_id, &exchange.tokens, siblings > 0).await?
    {
        return Ok(Ok(issued));
    }
    let used = exchange.tokens.lifetimes.use_of_refresh(used_at_ms, siblings, unit.now_ms);
    if used == RefreshUse::Reuse {
        revoke_grant(unit, grant_id, "refresh_reuse").await?;
        return Ok(Err(ExchangeRefusal::Reused(grant_id)));
    }
    let access_scopes = exchange.scopes.unwrap_or(held);
    if !access_scopes.without(held).is_empty() || access_scopes.is_empty() {
        return Ok(Err(ExchangeRefusal::Scope));
    }
    if let Some(wait_ms) = exchange.tokens.lifetimes.refresh_wait_ms(row.get(9)?, unit.now_ms) {
        return Ok(Err(ExchangeRefusal::TooOften(wait_ms)));
    }
    let is_sibling = used == RefreshUse::Sibling;
    let sql =
        "update oauth_refresh_token set used_at = coalesce(used_at, $2), siblings = siblings + $3 where sha256 = $1";
    unit.execute(sql, params![token.as_str(), unit.now_ms, i64::from(is_sibling)]).await?;
    let parent = Some(token);
    let issued = Issue { grant_id, access_scopes, refresh_scopes: of_token, allowed_at_ms: row.get(7)?, parent };
    issue(unit, issued, &exchange.tokens, &exchange.client_id, is_sibling).await.map(Ok)
}

/// What is issued, and to what.
struct Issue {
    grant_id: GrantId,
    access_scopes: ScopeSet,
    refresh_scopes: ScopeSet,
    allowed_at_ms: i64,
    parent: Option<String>,
}

async fn issue(
    unit: &Unit<'_>,
    issue: Issue,
    tokens: &NewTokens,
    client_id: &str,
    is_sibling: bool,
) -> Result<IssuedTokens, StoreError> {
    let lifetimes = tokens.lifetimes;
    let access_until_ms = unit.now_ms.saturating_add(lifetimes.access_ms);
    let statements = [
        "insert into oauth_access_token (sha256, grant_id, scopes, expires_at, changed_epoch) values ($1, $2, $3, $4, 0)",
        "insert into oauth_refresh_token (sha256, grant_id, scopes, parent, issued_at, expires_at, siblings) \
         values ($5, $2, $6, $7, $8, $9, 0)",
        "update oauth_client set last_used_at = $8 where id = $10",
    ];
    let values = params![
        hex(&tokens.access),
        issue.grant_id.0,
        issue.access_scopes.to_stored(),
        access_until_ms,
        hex(&tokens.refresh),
        issue.refresh_scopes.to_stored(),
        issue.parent,
        unit.now_ms,
        lifetimes.refresh_until_ms(issue.allowed_at_ms, unit.now_ms),
        client_id
    ];
    let retired = retire(unit, issue.grant_id).await?;
    unit.batch(&statements, values).await?;
    let (grant_id, scopes) = (issue.grant_id, issue.access_scopes);
    Ok(IssuedTokens { grant_id, scopes, access_until_ms, is_sibling, retired })
}

/// Ends the oldest access tokens of a connection, so that there is room for one more.
async fn retire(unit: &Unit<'_>, grant: GrantId) -> Result<Vec<TokenHash>, StoreError> {
    let oldest = format!(
        "select sha256 from oauth_access_token where grant_id = $1 and revoked_at is null and expires_at > $2 \
         order by expires_at desc, sha256 limit 500 offset {}",
        ACCESS_TOKENS_MAX - 1
    );
    let oldest = unit.all(&oldest, params![grant.0, unit.now_ms]).await?;
    if oldest.is_empty() {
        return Ok(Vec::new());
    }
    let epoch = unit.bump(Topic::Grants).await?;
    let sql = format!(
        "update oauth_access_token set revoked_at = $2, changed_epoch = $3, expires_at = {}(expires_at, $4) where sha256 = $1",
        unit.dialect("min", "least")
    );
    let mut retired = Vec::new();
    for row in &oldest {
        let token: String = row.get(0)?;
        retired.push(hash_of(&token)?);
        unit.execute(&sql, params![token, unit.now_ms, epoch, unit.now_ms.saturating_add(RETIRED_KEPT_MS)]).await?;
    }
    Ok(retired)
}
