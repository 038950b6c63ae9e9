//! The connections by OAuth that are accepted, and their live access tokens: neither a message nor SQL stands between a request and
//! these.

use std::sync::Arc;

use dashmap::DashMap;

use crate::domain::caller::{ConnectionAccess, ScopeSet};
use crate::domain::ids::{ConnectionId, GrantId};
use crate::domain::oauth::token::{PresentedToken, TokenHash};
use crate::store::{GrantRow, TokenRow};

/// Hashes of secrets that this service made cannot be aimed at collisions.
type FastHash = rustc_hash::FxBuildHasher;

/// Tokens that nobody has which are remembered, so that each is looked for once.
const UNKNOWN_MAX: usize = 10_000;

/// What is known of a presented token.
pub enum KnownToken {
    /// It belongs to this connection.
    Accepted(Arc<ConnectionAccess>),
    /// It is not accepted.
    Refused,
    /// Another process may have issued it.
    Unknown,
}

#[derive(Clone, Copy)]
struct LiveToken {
    grant: GrantId,
    scopes: ScopeSet,
    expires_at_ms: i64,
}

/// The connections that are accepted.
#[derive(Default)]
pub struct GrantDirectory {
    grants: DashMap<GrantId, Arc<ConnectionAccess>, FastHash>,
    tokens: DashMap<TokenHash, LiveToken, FastHash>,
    unknown: DashMap<TokenHash, (), FastHash>,
}

impl GrantDirectory {
    /// What is known of a presented token.
    pub fn authenticate(&self, presented: &PresentedToken, now_ms: i64) -> KnownToken {
        let Some(token) = self.tokens.get(&presented.0).map(|entry| *entry.value()) else {
            return if self.unknown.contains_key(&presented.0) { KnownToken::Refused } else { KnownToken::Unknown };
        };
        if token.expires_at_ms <= now_ms {
            return KnownToken::Refused;
        }
        let Some(access) = self.grants.get(&token.grant).map(|entry| Arc::clone(entry.value())) else {
            return KnownToken::Unknown;
        };
        let scopes = token.scopes.intersection(access.scopes);
        KnownToken::Accepted(match scopes == access.scopes {
            true => access,
            false => Arc::new(ConnectionAccess { scopes, ..ConnectionAccess::clone(&access) }),
        })
    }

    /// Publishes a connection as stored: a revoked one is withdrawn. The window of a known one goes on counting.
    pub(super) fn publish(&self, row: &GrantRow) {
        if row.revoked_at_ms.is_some() {
            self.withdraw(row.id);
            return;
        }
        let usage = self.grants.get(&row.id).map(|entry| Arc::clone(&entry.usage)).unwrap_or_default();
        usage.touch(row.last_used_at_ms.unwrap_or(0));
        let access = ConnectionAccess {
            id: ConnectionId::Grant(row.id),
            user_id: row.user_id,
            name: row.client_name.clone(),
            scopes: row.scopes,
            granted: row.scopes,
            allow_overage: row.allow_overage,
            reach: row.reach.clone(),
            usage,
        };
        self.grants.insert(row.id, Arc::new(access));
    }

    /// Publishes a live access token. It is accepted as long as its connection is.
    pub(super) fn publish_token(&self, token: &TokenRow) {
        let TokenRow { hash, grant_id, scopes, expires_at_ms } = *token;
        self.tokens.insert(hash, LiveToken { grant: grant_id, scopes, expires_at_ms });
    }

    /// Withdraws a connection and its tokens.
    pub(super) fn withdraw(&self, grant: GrantId) {
        if self.grants.remove(&grant).is_some() {
            self.tokens.retain(|_, token| token.grant != grant);
        }
    }

    /// Withdraws one token.
    pub(super) fn withdraw_token(&self, token: &TokenHash) {
        self.tokens.remove(token);
        self.note_unknown(*token);
    }

    /// Remembers that nobody has a token, which stays so: a token is new when it is made.
    pub(super) fn note_unknown(&self, token: TokenHash) {
        self.tokens.remove(&token);
        if self.unknown.len() >= UNKNOWN_MAX {
            self.unknown.clear();
        }
        self.unknown.insert(token, ());
    }

    /// Withdraws every connection that is not among these: what was revoked elsewhere while nobody here was looking.
    pub(super) fn keep_only(&self, ids: &std::collections::HashSet<GrantId>) {
        self.grants.retain(|id, _| ids.contains(id));
        self.tokens.retain(|_, token| ids.contains(&token.grant));
    }

    /// Forgets tokens that have ended.
    pub(super) fn forget_expired(&self, now_ms: i64) {
        self.tokens.retain(|_, token| token.expires_at_ms > now_ms);
    }

    /// When every connection was last used; unused ones left out.
    pub(super) fn uses(&self) -> Vec<(ConnectionId, i64)> {
        let uses = self.grants.iter().map(|entry| (entry.id, entry.usage.last_used_ms()));
        uses.filter(|(_, used_ms)| *used_ms > 0).collect()
    }

    /// When a connection was last used; 0 for never.
    pub fn last_used_ms(&self, grant: GrantId) -> i64 {
        self.grants.get(&grant).map_or(0, |access| access.usage.last_used_ms())
    }

    /// Whether a connection is accepted.
    pub fn is_accepted(&self, grant: GrantId) -> bool {
        self.grants.contains_key(&grant)
    }

    /// How many connections are accepted.
    pub fn len(&self) -> usize {
        self.grants.len()
    }

    /// Whether no connection is accepted.
    pub fn is_empty(&self) -> bool {
        self.grants.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::caller::{KeyReach, Scope};
    use crate::domain::ids::UserId;

    fn grant(scopes: &[Scope]) -> GrantRow {
        GrantRow {
            id: GrantId(4),
            user_id: UserId(1),
            client_id: "client".to_owned(),
            client_name: "Agent".to_owned(),
            redirect_host: "127.0.0.1".to_owned(),
            scopes: scopes.iter().copied().collect(),
            allow_overage: false,
            reach: KeyReach::All,
            created_at_ms: 0,
            last_used_at_ms: None,
            revoked_at_ms: None,
            changed_epoch: 1,
        }
    }

    fn scopes_of(directory: &GrantDirectory, token: &TokenRow, now_ms: i64) -> Option<String> {
        match directory.authenticate(&PresentedToken(token.hash), now_ms) {
            KnownToken::Accepted(access) => Some(access.scopes.to_stored()),
            KnownToken::Refused | KnownToken::Unknown => None,
        }
    }

    #[test]
    fn a_token_counts_while_it_and_its_connection_last() {
        let directory = GrantDirectory::default();
        let both = [Scope::BooksRead, Scope::BooksWrite];
        let token = TokenRow {
            hash: TokenHash([1; 32]),
            grant_id: GrantId(4),
            scopes: [Scope::BooksRead].into_iter().collect(),
            expires_at_ms: 100,
        };
        directory.publish_token(&token);
        assert_eq!(scopes_of(&directory, &token, 50), None, "its connection is not known");
        directory.publish(&grant(&both));
        assert_eq!(scopes_of(&directory, &token, 50).as_deref(), Some("books:read"), "no more than the token has");
        assert_eq!(scopes_of(&directory, &token, 100), None, "it has ended");
        directory.publish(&grant(&[Scope::BooksWrite]));
        assert_eq!(scopes_of(&directory, &token, 50).as_deref(), Some(""), "no more than the connection has");
        directory.publish(&GrantRow { revoked_at_ms: Some(60), ..grant(&both) });
        assert_eq!(scopes_of(&directory, &token, 50), None, "it is revoked");
        directory.publish_token(&token);
        assert_eq!(scopes_of(&directory, &token, 50), None, "a late token of a revoked connection");
    }

    #[test]
    fn tokens_nobody_has_are_remembered_within_a_bound() {
        let directory = GrantDirectory::default();
        let hash = |number: usize| {
            let mut hash = [0; 32];
            hash[..8].copy_from_slice(&number.to_le_bytes());
            TokenHash(hash)
        };
        for number in 0..UNKNOWN_MAX * 2 {
            directory.note_unknown(hash(number));
        }
        assert!(directory.unknown.len() <= UNKNOWN_MAX);
        let last = directory.authenticate(&PresentedToken(hash(UNKNOWN_MAX * 2 - 1)), 0);
        assert!(matches!(last, KnownToken::Refused));
    }
}
