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
use crate::store::sql::{Row, Unit, params};
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

/// Asks about what a client presents twice where other processes write too: first to learn whether it will end something, because
/// it was used before or the connection has as many access tokens as it may. Then the row that counts changes of connections is taken
/// before that of the connection, as consents and revocations do: two processes that took the rows in either order would wait for each
/// other. The second time takes the rows, so that what is read stays so.
async fn presented(
    unit: &Unit<'_>,
    about: &Presented<'_>,
    token: &str,
    client_id: &str,
) -> Result<Option<Row>, StoreError> {
    let Presented { table, columns, client, live, used, revoked } = about;
    let sql = format!(
        "select {columns}, (select count(*) from oauth_access_token a where a.grant_id = g.id and a.revoked_at is null \
         and a.expires_at > $2) from {table} t join oauth_grant g on g.id = t.grant_id where t.sha256 = $1"
    );
    let values = || params![token, unit.now_ms];
    let Some(row) = unit.one(&sql, values()).await? else { return Ok(None) };
    let is_used = row.get::<Option<i64>>(*used)?.is_some() || row.get::<i64>(*live)? >= ACCESS_TOKENS_MAX;
    if is_used && row.get::<String>(*client)? == client_id && row.get::<Option<i64>>(*revoked)?.is_none() {
        unit.bump(Topic::Grants).await?;
    }
    match unit.dialect("", " for update of t, g") {
        "" => Ok(Some(row)),
        lock => unit.one(&format!("{sql}{lock}"), values()).await,
    }
}

/// What is read of something presented, and at which places of the row.
struct Presented<'a> {
    table: &'a str,
    columns: &'a str,
    client: usize,
    live: usize,
    used: usize,
    revoked: usize,
}

async fn redeem(unit: &Unit<'_>, redemption: &CodeRedemption) -> Result<Exchanged, StoreError> {
    const ABOUT: Presented<'_> = Presented {
        table: "oauth_code",
        columns: "t.grant_id, t.challenge, t.redirect_uri, t.scopes, t.used_at, g.client_id, g.scopes, g.allowed_at, g.revoked_at, \
                  t.expires_at",
        used: 4,
        client: 5,
        revoked: 8,
        live: 10,
    };
    let code = hex(&redemption.code);
    let row = presented(unit, &ABOUT, &code, &redemption.client_id).await?;
    let Some(row) = row else { return Ok(Err(ExchangeRefusal::Invalid)) };
    let grant_id = GrantId(row.get(0)?);
    let (challenge, redirect_uri): (String, String) = (row.get(1)?, row.get(2)?);
    let is_same_uri = redemption.redirect_uri.as_ref().is_none_or(|given| *given == redirect_uri);
    if row.get::<String>(ABOUT.client)? != redemption.client_id
        || !redemption.challenge.matches(&challenge)
        || !is_same_uri
    {
        return Ok(Err(ExchangeRefusal::Invalid));
    }
    if row.get::<Option<i64>>(ABOUT.revoked)?.is_some() {
        return Ok(Err(ExchangeRefusal::Invalid));
    }
    if row.get::<Option<i64>>(ABOUT.used)?.is_some() {
        if let Some(issued) = issued_before(unit, grant_id, &redemption.tokens, false).await? {
            return Ok(Ok(issued));
        }
        revoke_grant(unit, grant_id, "code_reuse").await?;
        return Ok(Err(ExchangeRefusal::Reused(grant_id)));
    }
    if row.get::<i64>(9)? <= unit.now_ms {
        return Ok(Err(ExchangeRefusal::Invalid));
    }
    let held = row.parsed(3, ScopeSet::from_stored)?.intersection(row.parsed(6, ScopeSet::from_stored)?);
    let issued = Issue {
        grant_id,
        access_scopes: held,
        refresh_scopes: held,
        allowed_at_ms: row.get(7)?,
        parent: None,
        live: row.get(ABOUT.live)?,
        use_up: "update oauth_code set used_at = $8 where sha256 = $11",
        presented: code,
    };
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
    const COLUMNS: &str = "t.grant_id, t.scopes, t.expires_at, t.used_at, t.siblings, g.client_id, g.scopes, g.allowed_at, \
                           g.revoked_at, (select n.issued_at from oauth_refresh_token n where n.grant_id = g.id \
                           order by n.issued_at desc limit 1 offset";
    let columns = format!("{COLUMNS} {})", REFRESH_TOKENS_MAX - 1);
    let about = Presented { table: "oauth_refresh_token", columns: &columns, used: 3, client: 5, revoked: 8, live: 10 };
    let token = hex(&exchange.refresh);
    let row = presented(unit, &about, &token, &exchange.client_id).await?;
    let Some(row) = row else { return Ok(Err(ExchangeRefusal::Invalid)) };
    let grant_id = GrantId(row.get(0)?);
    let is_live = row.get::<i64>(2)? > unit.now_ms && row.get::<Option<i64>>(about.revoked)?.is_none();
    if row.get::<String>(about.client)? != exchange.client_id || !is_live {
        return Ok(Err(ExchangeRefusal::Invalid));
    }
    let of_token = row.parsed(1, ScopeSet::from_stored)?;
    let held = of_token.intersection(row.parsed(6, ScopeSet::from_stored)?);
    let used_at_ms: Option<i64> = row.get(about.used)?;
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
    let issued = Issue {
        grant_id,
        access_scopes,
        refresh_scopes: of_token,
        allowed_at_ms: row.get(7)?,
        parent: Some(token.clone()),
        live: row.get(about.live)?,
        use_up: match is_sibling {
            false => "update oauth_refresh_token set used_at = $8 where sha256 = $11",
            true => "update oauth_refresh_token set siblings = siblings + 1 where sha256 = $11",
        },
        presented: token,
    };
    issue(unit, issued, &exchange.tokens, &exchange.client_id, is_sibling).await.map(Ok)
}

/// What is issued, and to what.
struct Issue {
    grant_id: GrantId,
    access_scopes: ScopeSet,
    refresh_scopes: ScopeSet,
    allowed_at_ms: i64,
    parent: Option<String>,
    /// Access tokens of the connection that live already.
    live: i64,
    /// The statement by which what was presented counts as used.
    use_up: &'static str,
    presented: String,
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
        issue.use_up,
        "insert into oauth_access_token (sha256, grant_id, scopes, expires_at, changed_epoch) values ($1, $2, $3, $4, 0)",
        "insert into oauth_refresh_token (sha256, grant_id, scopes, parent, issued_at, expires_at, siblings) \
         values ($5, $2, $6, $7, $8, $9, 0)",
        // It is kept for clients that nobody uses for days.
        "update oauth_client set last_used_at = $8 where id = $10 and coalesce(last_used_at, 0) < $8 - 60000",
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
        client_id,
        issue.presented
    ];
    let retired = if issue.live >= ACCESS_TOKENS_MAX { retire(unit, issue.grant_id).await? } else { Vec::new() };
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
