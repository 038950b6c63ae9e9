//! Connections as they are stored, thousands at a time: what people and clients would have made one after the other.

use std::path::Path;

use anyhow::{Context as _, Result};
use bookkeeping_suite::clock::{Clock as _, SystemClock};
use bookkeeping_suite::domain::oauth::proof_key::Challenge;
use bookkeeping_suite::domain::oauth::token::{MintedToken, TokenHash, TokenKind, mint};
use sea_orm::{ConnectionTrait as _, Database, Statement};

/// What every client answers its challenge with.
pub const VERIFIER: &str = "a-verifier-that-is-long-enough-for-the-standard-0123456789";
/// Where every client is sent back to.
pub const REDIRECT_URI: &str = "http://127.0.0.1/callback";

/// Rows of one statement.
const ROWS: usize = 500;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A connection that is stored, and what its client holds.
pub struct Seeded {
    /// The client.
    pub client_id: String,
    /// A code it was sent.
    pub code: String,
    /// A live access token.
    pub access: String,
    /// A refresh token that was not used.
    pub refresh: String,
}

/// The address of the database of an installation without a setting for it.
pub fn database_url(folder: &Path) -> String {
    format!("sqlite://{}", folder.join("data").join("bookkeeping.db").display())
}

/// A secret nobody was given.
pub fn made_up(kind: TokenKind) -> MintedToken {
    let clock = SystemClock::default();
    mint(kind, |bytes| clock.fill_random(bytes))
}

/// How a hash is stored.
fn hex(hash: &TokenHash) -> String {
    hash.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Stores so many connections of the first person, each of a client of its own, with a code, an access token and a refresh token.
/// No server may be running on the database yet.
pub fn seed(url: &str, count: usize) -> Result<Vec<Seeded>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(store(url, count))
}

async fn store(url: &str, count: usize) -> Result<Vec<Seeded>> {
    let database = Database::connect(url).await?;
    let person = Statement::from_string(database.get_database_backend(), "select min(id) from user_account");
    let person: i64 = database.query_one_raw(person).await?.context("nobody is there")?.try_get_by_index(0)?;
    let now_ms = SystemClock::default().now_ms();
    let until_ms = now_ms + DAY_MS;
    let challenge = Challenge::of_verifier(VERIFIER).context("no verifier")?;
    let challenge = challenge.as_str();
    let mut seeded = Vec::with_capacity(count);
    let mut rows: [Vec<String>; 5] = Default::default();
    for number in 1..=count {
        let client_id = format!("client_of_the_bench_{number:05}");
        let [code, access, refresh] = [TokenKind::Code, TokenKind::Access, TokenKind::Refresh].map(made_up);
        let scope = "books:read";
        let [clients, grants, codes, accesses, refreshes] = &mut rows;
        clients
            .push(format!("('{client_id}', 'Agent', '[\"{REDIRECT_URI}\"]', 'none', '{scope}', {now_ms}, {now_ms})"));
        grants.push(format!(
            "({number}, {person}, '{client_id}', 'Agent', '127.0.0.1', '{scope}', 'http://127.0.0.1/mcp', false, false, {now_ms}, {now_ms}, 1)"
        ));
        codes
            .push(format!("('{}', {number}, '{challenge}', '{REDIRECT_URI}', '{scope}', {until_ms})", hex(&code.hash)));
        accesses.push(format!("('{}', {number}, '{scope}', {until_ms}, 0)", hex(&access.hash)));
        refreshes.push(format!("('{}', {number}, '{scope}', {now_ms}, {until_ms}, 0)", hex(&refresh.hash)));
        seeded.push(Seeded { client_id, code: code.text, access: access.text, refresh: refresh.text });
    }
    let columns = [
        "oauth_client (id, name, redirect_uris, auth_method, scopes, created_at, last_used_at)",
        "oauth_grant (id, user_id, client_id, client_name, redirect_host, scopes, resource, restricted, allow_overage, \
         created_at, allowed_at, changed_epoch)",
        "oauth_code (sha256, grant_id, challenge, redirect_uri, scopes, expires_at)",
        "oauth_access_token (sha256, grant_id, scopes, expires_at, changed_epoch)",
        "oauth_refresh_token (sha256, grant_id, scopes, issued_at, expires_at, siblings)",
    ];
    for (columns, rows) in columns.iter().zip(&rows) {
        for some in rows.chunks(ROWS) {
            database.execute_unprepared(&format!("insert into {columns} values {}", some.join(", "))).await?;
        }
    }
    database.execute_unprepared("update change_epoch set value = value + 1 where topic = 'grants'").await?;
    database.close().await?;
    Ok(seeded)
}
