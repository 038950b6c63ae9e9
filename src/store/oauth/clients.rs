//! Applications that may ask people for access.

use super::grants::presented;
use super::hex;
use crate::domain::caller::ScopeSet;
use crate::domain::oauth::token::{TokenHash, TokenKind};
use crate::store::StoreError;
use crate::store::sql::{Reader, Row, Unit, json_array, params};
use crate::store::writer::{Locks, Writer};

/// A client to be registered.
#[derive(Clone)]
pub struct NewClient {
    /// Identifier.
    pub id: String,
    /// The name it gave itself.
    pub name: Option<String>,
    /// Its page, as it said.
    pub uri: Option<String>,
    /// Where answers may be sent.
    pub redirect_uris: Vec<String>,
    /// `none`, `client_secret_basic`, `client_secret_post`.
    pub auth_method: &'static str,
    /// Of its secret.
    pub secret: Option<TokenHash>,
    /// What it said it would ask for.
    pub scopes: ScopeSet,
}

/// A client as stored.
#[derive(Debug, Clone)]
pub struct ClientRow {
    /// Identifier.
    pub id: String,
    /// The name it gave itself.
    pub name: Option<String>,
    /// Where answers may be sent.
    pub redirect_uris: Vec<String>,
    /// Of its secret; none for a public client.
    pub secret: Option<TokenHash>,
    /// Until when its document is kept; none for a client that was registered.
    pub document_until_ms: Option<i64>,
}

impl ClientRow {
    /// What people call it.
    pub fn display_name(&self) -> &str {
        self.name.as_deref().unwrap_or("An application without a name")
    }
}

impl Writer {
    /// Registers a client; gives the moment.
    pub async fn register_client(&self, client: NewClient) -> Result<i64, StoreError> {
        self.unit(Locks::Organisations, client, |unit, client| Box::pin(register(unit, client))).await
    }

    /// Keeps what a client's document says, in place of what it said before, for so long.
    pub async fn keep_client_document(&self, client: NewClient, kept_ms: i64) -> Result<(), StoreError> {
        self.unit(Locks::Organisations, (client, kept_ms), |unit, (client, kept_ms)| {
            Box::pin(keep_document(unit, client, *kept_ms))
        })
        .await
    }
}

async fn keep_document(unit: &Unit<'_>, client: &NewClient, kept_ms: i64) -> Result<(), StoreError> {
    let sql = "insert into oauth_client (id, name, uri, redirect_uris, auth_method, scopes, created_at, document_until) \
               values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (id) do update set name = excluded.name, \
               uri = excluded.uri, redirect_uris = excluded.redirect_uris, scopes = excluded.scopes, \
               document_until = excluded.document_until";
    let values = params![
        client.id.as_str(),
        client.name.clone(),
        client.uri.clone(),
        json_array(&client.redirect_uris),
        client.auth_method,
        client.scopes.to_stored(),
        unit.now_ms,
        unit.now_ms.saturating_add(kept_ms)
    ];
    unit.execute(sql, values).await.map(|_| ())
}

async fn register(unit: &Unit<'_>, client: &NewClient) -> Result<i64, StoreError> {
    let sql = "insert into oauth_client (id, name, uri, redirect_uris, auth_method, secret_sha256, scopes, created_at) \
               values ($1, $2, $3, $4, $5, $6, $7, $8)";
    let values = params![
        client.id.as_str(),
        client.name.clone(),
        client.uri.clone(),
        json_array(&client.redirect_uris),
        client.auth_method,
        client.secret.as_ref().map(hex),
        client.scopes.to_stored(),
        unit.now_ms
    ];
    unit.execute(sql, values).await?;
    Ok(unit.now_ms)
}

const COLUMNS: &str = "c.id, c.name, c.redirect_uris, c.secret_sha256, c.document_until";

impl Reader {
    /// A client.
    pub async fn oauth_client(&self, id: &str) -> Result<Option<ClientRow>, StoreError> {
        let sql = format!("select {COLUMNS} from oauth_client c where c.id = $1");
        self.one(&sql, params![id]).await?.map(|row| read(&row)).transpose()
    }

    /// A client, if what it presents is stored and of a live connection of it. What is not so once never becomes so: a connection
    /// that ended stays ended, and every secret is stored before it is handed out.
    pub async fn oauth_client_presenting(
        &self,
        kind: TokenKind,
        hash: TokenHash,
        id: &str,
    ) -> Result<Option<ClientRow>, StoreError> {
        let Some(from) = presented(kind) else { return Ok(None) };
        let sql = format!("select {COLUMNS} {from}");
        self.one(&sql, params![hex(&hash), id]).await?.map(|row| read(&row)).transpose()
    }
}

fn read(row: &Row) -> Result<ClientRow, StoreError> {
    let uris: String = row.get(2)?;
    let secret: Option<String> = row.get(3)?;
    Ok(ClientRow {
        id: row.get(0)?,
        name: row.get(1)?,
        redirect_uris: serde_json::from_str(&uris).map_err(|error| StoreError::Corrupt(error.to_string()))?,
        secret: secret.as_deref().map(super::hash_of).transpose()?,
        document_until_ms: row.get(4)?,
    })
}
