//! Applications that may ask people for access.

use super::hex;
use crate::domain::caller::ScopeSet;
use crate::domain::oauth::token::TokenHash;
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

impl Reader {
    /// A client.
    pub async fn oauth_client(&self, id: &str) -> Result<Option<ClientRow>, StoreError> {
        let sql = "select id, name, redirect_uris, secret_sha256 from oauth_client where id = $1";
        self.one(sql, params![id]).await?.map(|row| read(&row)).transpose()
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
    })
}
