//! Who is calling, what they may do and how their requests are counted: the published form of an API key and the comparison
//! that accepts or refuses a presented one; scopes of keys, roles of members, the reach of a key over organisations; and the
//! fixed window of requests, which starts with the first request after the last one ended.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use crate::domain::api_key::{KeyHash, PresentedKey};
use crate::domain::ids::{KeyId, OrganisationId, UserId};

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

/// One permission of an API key (`spec.md`, Authentication 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// `reconcile:read`: poll reconciliations.
    ReconcileRead,
    /// `reconcile:write`: submit reconciliations.
    ReconcileWrite,
    /// `coding:read`: poll coding jobs.
    CodingRead,
    /// `coding:write`: submit coding jobs.
    CodingWrite,
    /// `books:read`: read organisations and their books.
    BooksRead,
    /// `books:write`: create and modify ledger data.
    BooksWrite,
    /// `books:send`: e-mail a document to a customer or supplier.
    BooksSend,
}

impl Scope {
    /// Every scope, in the order of the specification.
    pub const ALL: [Self; 7] = [
        Self::ReconcileRead,
        Self::ReconcileWrite,
        Self::CodingRead,
        Self::CodingWrite,
        Self::BooksRead,
        Self::BooksWrite,
        Self::BooksSend,
    ];

    /// The wire form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReconcileRead => "reconcile:read",
            Self::ReconcileWrite => "reconcile:write",
            Self::CodingRead => "coding:read",
            Self::CodingWrite => "coding:write",
            Self::BooksRead => "books:read",
            Self::BooksWrite => "books:write",
            Self::BooksSend => "books:send",
        }
    }

    /// Reads the wire form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }

    const fn bit(self) -> u8 {
        match self {
            Self::ReconcileRead => 1,
            Self::ReconcileWrite => 1 << 1,
            Self::CodingRead => 1 << 2,
            Self::CodingWrite => 1 << 3,
            Self::BooksRead => 1 << 4,
            Self::BooksWrite => 1 << 5,
            Self::BooksSend => 1 << 6,
        }
    }
}

/// A set of scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScopeSet(u8);

impl ScopeSet {
    /// Adds a scope; `false` when it was there already.
    pub fn insert(&mut self, scope: Scope) -> bool {
        let before = self.0;
        self.0 |= scope.bit();
        before != self.0
    }

    /// Whether the scope is in the set.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// The scopes, in the order of the specification.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.contains(*scope))
    }

    /// The wire forms, in the order of the specification.
    pub fn names(self) -> Vec<&'static str> {
        self.iter().map(Scope::as_str).collect()
    }

    /// The stored form: names separated by spaces.
    pub fn to_stored(self) -> String {
        self.names().join(" ")
    }

    /// Reads the stored form; `None` when a name is unknown.
    pub fn from_stored(text: &str) -> Option<Self> {
        let mut set = Self::default();
        for name in text.split_ascii_whitespace() {
            set.insert(Scope::parse(name)?);
        }
        Some(set)
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let mut set = Self::default();
        for scope in scopes {
            set.insert(scope);
        }
        set
    }
}

/// What a member may do in an organisation (`ledger.md` 2.0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Owns the organisation.
    Owner,
    /// Administers it.
    Admin,
    /// Keeps its books.
    Bookkeeper,
    /// Reads only.
    Viewer,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Owner, Self::Admin, Self::Bookkeeper, Self::Viewer];

    /// The wire and stored form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Bookkeeper => "bookkeeper",
            Self::Viewer => "viewer",
        }
    }

    /// Reads the wire or stored form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }

    /// Whether the role may change the books.
    pub const fn may_write(self) -> bool {
        !matches!(self, Self::Viewer)
    }
}

/// Which organisations a key covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyReach {
    /// Every organisation its person is an accepted member of.
    All,
    /// These only.
    Only(BTreeSet<OrganisationId>),
}

impl KeyReach {
    /// Whether the key covers the organisation (membership is a separate question).
    pub fn covers(&self, organisation: OrganisationId) -> bool {
        match self {
            Self::All => true,
            Self::Only(set) => set.contains(&organisation),
        }
    }
}

/// Why somebody may not change an organisation's books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessDenied {
    /// They are no accepted member, or there is no such organisation: both look alike.
    Unknown,
    /// Their credential is restricted to other organisations.
    OutOfReach,
    /// Their role only reads.
    ReadOnly,
    /// Only owners and administrators may.
    AdministratorsOnly,
}

/// Bits that hold the count; the rest hold the start in milliseconds of the monotonic clock.
const COUNT_BITS: u32 = 24;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;

/// The largest limit a window can count to.
pub const LIMIT_MAX: u64 = COUNT_MASK - 1;

/// The rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateRule {
    /// Requests per window.
    pub limit: u64,
    /// Length of the window.
    pub window_ms: u64,
}

/// The decision about one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateDecision {
    /// Whether it is within the limit.
    pub allowed: bool,
    /// Requests left in the window.
    pub remaining: u64,
    /// Whole seconds until the window ends, rounded up, at least 1.
    pub reset_s: u64,
}

/// The window of one key or person: one atomic word, counted by the request itself.
#[derive(Debug, Default)]
pub struct RateWindow(AtomicU64);

impl RateWindow {
    /// Counts one request at `now_ms` of a monotonic clock.
    pub fn hit(&self, rule: RateRule, now_ms: u64) -> RateDecision {
        // A start of zero means "never used", so the clock is shifted by one.
        let now = now_ms + 1;
        let mut word = self.0.load(Ordering::Acquire);
        loop {
            let (start, count) = (word >> COUNT_BITS, word & COUNT_MASK);
            let fresh = start == 0 || now >= start + rule.window_ms;
            let (next_start, used) = if fresh { (now, 0) } else { (start, count) };
            let allowed = used < rule.limit;
            let reset_s = (next_start + rule.window_ms).saturating_sub(now).div_ceil(1000).max(1);
            if !allowed {
                return RateDecision { allowed, remaining: 0, reset_s };
            }
            let next = (next_start << COUNT_BITS) | (used + 1);
            match self.0.compare_exchange_weak(word, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return RateDecision { allowed, remaining: rule.limit - used - 1, reset_s },
                Err(seen) => word = seen,
            }
        }
    }

    /// Requests counted in the window that is running at `now_ms`.
    pub fn used(&self, rule: RateRule, now_ms: u64) -> u64 {
        if self.is_idle(rule, now_ms) { 0 } else { self.0.load(Ordering::Acquire) & COUNT_MASK }
    }

    /// Whether the window has ended (or never began) at `now_ms`, so that it may be forgotten.
    pub fn is_idle(&self, rule: RateRule, now_ms: u64) -> bool {
        let start = self.0.load(Ordering::Acquire) >> COUNT_BITS;
        start == 0 || now_ms + 1 >= start + rule.window_ms
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

#[cfg(test)]
mod access_tests {
    use super::*;

    #[test]
    fn scope_sets_survive_storage() {
        let all: ScopeSet = Scope::ALL.into_iter().collect();
        assert_eq!(ScopeSet::from_stored(&all.to_stored()), Some(all));
        assert_eq!(ScopeSet::from_stored("books:read nonsense"), None);
        let mut one = ScopeSet::default();
        assert!(one.insert(Scope::BooksSend));
        assert!(!one.insert(Scope::BooksSend));
        assert_eq!(one.names(), ["books:send"]);
    }
}

#[cfg(test)]
mod rate_window_tests {
    use super::*;

    const RULE: RateRule = RateRule { limit: 3, window_ms: 60_000 };

    #[test]
    fn the_window_starts_with_the_first_request_and_ends_after_its_length() {
        let window = RateWindow::default();
        assert!(window.is_idle(RULE, 5));
        assert_eq!(window.hit(RULE, 5), RateDecision { allowed: true, remaining: 2, reset_s: 60 });
        assert_eq!(window.hit(RULE, 1_006), RateDecision { allowed: true, remaining: 1, reset_s: 59 });
        assert!(window.hit(RULE, 59_999).allowed);
        assert_eq!(window.hit(RULE, 60_004), RateDecision { allowed: false, remaining: 0, reset_s: 1 });
        assert_eq!(window.hit(RULE, 60_005), RateDecision { allowed: true, remaining: 2, reset_s: 60 });
    }

    #[test]
    fn parallel_requests_never_exceed_the_limit() {
        let window = RateWindow::default();
        let rule = RateRule { limit: 1_000, window_ms: 60_000 };
        let allowed: usize = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|_| scope.spawn(|| (0..500).filter(|_| window.hit(rule, 1).allowed).count())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_default()).sum()
        });
        assert_eq!(allowed, 1_000);
    }
}
