//! What a program may do, whether it calls by an API key or by a token of a connection that a person allowed (OAuth 2.1).

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::{KeyReach, RateWindow, Scope, ScopeSet};
use crate::domain::ids::{ConnectionId, UserId};

/// A connection as requests see it: everything but its use is immutable; a changed connection is another value.
#[derive(Clone)]
pub struct ConnectionAccess {
    /// The record: a key or a grant.
    pub id: ConnectionId,
    /// Whose connection it is.
    pub user_id: UserId,
    /// The name its owner gave the key, or the application gave itself.
    pub name: String,
    /// What it may do.
    pub scopes: ScopeSet,
    /// What its person allowed: an access token may stand for less.
    pub granted: ScopeSet,
    /// Whether jobs submitted with it may draw overage.
    pub allow_overage: bool,
    /// Which organisations it covers.
    pub reach: KeyReach,
    /// How it is used; shared, so that a changed connection goes on counting in the same window.
    pub usage: Arc<Usage>,
}

impl ConnectionAccess {
    /// Whether it holds the scope.
    pub const fn has(&self, scope: Scope) -> bool {
        self.scopes.contains(scope)
    }

    /// Remembers that it was used; an older moment never replaces a newer one.
    pub fn touch(&self, now_ms: i64) {
        self.usage.touch(now_ms);
    }
}

/// When a connection was used, and how often in this window.
#[derive(Debug, Default)]
pub struct Usage {
    /// When it was last accepted, in milliseconds since 1970; 0 for never.
    last_used_ms: AtomicI64,
    /// Requests counted in this process.
    pub window: RateWindow,
}

impl Usage {
    /// Remembers that the connection was used; an older moment never replaces a newer one.
    pub fn touch(&self, now_ms: i64) {
        // Most requests fall into the same millisecond range as the last one: a plain load avoids the shared write.
        if self.last_used_ms.load(Ordering::Relaxed) < now_ms {
            self.last_used_ms.fetch_max(now_ms, Ordering::Relaxed);
        }
    }

    /// When the connection was last accepted, in milliseconds since 1970; 0 for never.
    pub fn last_used_ms(&self) -> i64 {
        self.last_used_ms.load(Ordering::Relaxed)
    }
}
