//! Who is calling: the published form of an API key and the comparison that accepts or refuses a presented one.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::access::{KeyReach, Scope, ScopeSet};
use super::api_key::{KeyHash, PresentedKey};
use super::ids::{KeyId, OrganisationId, UserId};
use super::rate_window::RateWindow;

/// An API key as requests see it: everything but the use counters is immutable; a changed key is a new snapshot.
pub struct KeySnapshot {
    /// The record.
    pub key_id: KeyId,
    /// Whose key it is.
    pub user_id: UserId,
    /// The name its owner gave it.
    pub name: String,
    /// What it is looked up and named by.
    pub prefix: String,
    /// Compared with what is presented.
    pub hash: KeyHash,
    /// What it may do.
    pub scopes: ScopeSet,
    /// Whether jobs submitted with it may draw overage.
    pub allow_overage: bool,
    /// Which organisations it covers.
    pub reach: KeyReach,
    /// When it was last accepted, in milliseconds since 1970; 0 for never.
    pub last_used_ms: AtomicI64,
    /// Requests counted in this process; shared, so that a replaced snapshot goes on counting in the same window.
    pub window: Arc<RateWindow>,
}

impl KeySnapshot {
    /// Whether the key holds the scope.
    pub const fn has(&self, scope: Scope) -> bool {
        self.scopes.contains(scope)
    }

    /// Remembers that the key was used; an older moment never replaces a newer one.
    pub fn touch(&self, now_ms: i64) {
        // Most requests fall into the same millisecond range as the last one: a plain load avoids the shared write.
        if self.last_used_ms.load(Ordering::Relaxed) < now_ms {
            self.last_used_ms.fetch_max(now_ms, Ordering::Relaxed);
        }
    }
}

/// Accepts a presented key when it is the one found under its prefix.
///
/// A prefix nobody has costs the same comparison as a known one, so that the time of a refusal does not tell which
/// prefixes exist.
pub fn verify(found: Option<Arc<KeySnapshot>>, presented: &PresentedKey) -> Option<Arc<KeySnapshot>> {
    const NOBODY: KeyHash = KeyHash([0; 32]);
    let stored = found.as_ref().map_or(NOBODY, |key| key.hash);
    let matches = stored.matches(&presented.hash);
    found.filter(|_| matches)
}

/// How a request proved who it is.
#[derive(Clone)]
pub enum Credential {
    /// An API key.
    Key(Arc<KeySnapshot>),
    /// A web-session token of the first-party application.
    Session,
}

/// The person behind a request and the credential used. Requests of the REST API and calls of tools are let in alike.
#[derive(Clone)]
pub struct Principal {
    /// The person.
    pub user_id: UserId,
    /// The credential.
    pub credential: Credential,
}

impl Principal {
    /// The key, when the caller used one.
    pub const fn key(&self) -> Option<&Arc<KeySnapshot>> {
        match &self.credential {
            Credential::Key(key) => Some(key),
            Credential::Session => None,
        }
    }

    /// Whether the credential covers an organisation; membership is another matter.
    pub fn covers(&self, organisation: OrganisationId) -> bool {
        self.key().is_none_or(|key| key.reach.covers(organisation))
    }

    /// The prefix of the key, as the history of the books names it.
    pub fn key_prefix(&self) -> Option<&str> {
        self.key().map(|key| key.prefix.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::super::api_key;
    use super::*;

    fn snapshot(hash: KeyHash) -> Arc<KeySnapshot> {
        Arc::new(KeySnapshot {
            prefix: String::new(),
            key_id: KeyId(1),
            user_id: UserId(2),
            name: "n".to_owned(),
            hash,
            scopes: [Scope::BooksRead].into_iter().collect(),
            allow_overage: false,
            reach: KeyReach::All,
            last_used_ms: AtomicI64::new(0),
            window: Arc::default(),
        })
    }

    #[test]
    fn only_the_right_secret_is_accepted() {
        let minted = api_key::mint(|block| block.fill(9));
        let presented = api_key::parse(&minted.plaintext).expect("well formed");
        assert!(verify(Some(snapshot(minted.hash)), &presented).is_some());
        assert!(verify(Some(snapshot(KeyHash([1; 32]))), &presented).is_none());
        assert!(verify(None, &presented).is_none());
    }

    #[test]
    fn the_moment_of_use_never_goes_back() {
        let key = snapshot(KeyHash([1; 32]));
        key.touch(20);
        key.touch(10);
        assert_eq!(key.last_used_ms.load(Ordering::Relaxed), 20);
        assert!(key.has(Scope::BooksRead) && !key.has(Scope::BooksSend));
    }
}
