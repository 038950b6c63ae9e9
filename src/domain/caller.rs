//! Who is calling, what they may do and how their requests are counted: the published form of an API key and the comparison
//! that accepts or refuses a presented one; scopes of keys, roles of members, the reach of a key over organisations; and the
//! fixed window of requests, which starts with the first request after the last one ended.
//!
//! An API key is `key_<prefix>_<secret>`, base62, with a checksum at the end.
//! The prefix (12 characters) is the public look-up handle. The secret is 37 random characters and 6 that hold the
//! CRC-32 (IEEE 802.3) of everything before them, so that a mistyped key is refused without a look-up and a secret
//! scanner can tell a leaked key from a look-alike. The secret carries over 200 bits, so a fast hash (SHA-256) is
//! enough for storage; a slow password hash would only be a lever for denial of service.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use subtle::ConstantTimeEq as _;

use crate::domain::ids::{ConnectionId, OrganisationId, UserId};
use crate::domain::secret::{CHECKSUM_LENGTH, checksum_digits, random_base62, sha256};

/// What every key starts with.
const KEY_LITERAL: &str = "key_";

/// Characters in the look-up handle.
const PREFIX_LENGTH: usize = 12;

/// Characters in the secret, checksum included.
const SECRET_LENGTH: usize = RANDOM_LENGTH + CHECKSUM_LENGTH;

/// Characters in the whole key.
const KEY_LENGTH: usize = KEY_LITERAL.len() + PREFIX_LENGTH + 1 + SECRET_LENGTH;

const RANDOM_LENGTH: usize = 37;

/// The look-up handle of a key.
pub type KeyPrefix = [u8; PREFIX_LENGTH];

/// SHA-256 of a whole key, the only form that is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KeyHash(pub [u8; 32]);

impl KeyHash {
    /// Compares in constant time.
    pub fn matches(&self, other: &Self) -> bool {
        // Four words compare as constantly as 32 bytes and in a fraction of the time.
        lanes(&self.0).ct_eq(&lanes(&other.0)).into()
    }
}

fn lanes(bytes: &[u8; 32]) -> [u64; 4] {
    let mut lanes = [0; 4];
    for (lane, chunk) in lanes.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *lane = u64::from_ne_bytes(*chunk);
    }
    lanes
}

/// A key that was just minted; the plaintext exists only here.
pub struct MintedKey {
    /// The whole key, shown to its owner exactly once.
    pub plaintext: String,
    /// The look-up handle.
    pub prefix: String,
    /// What is stored.
    pub hash: KeyHash,
}

/// A presented key that has the right form.
#[derive(Clone, Copy)]
pub struct PresentedKey {
    /// The look-up handle.
    pub prefix: KeyPrefix,
    /// To be compared with the stored hash.
    pub hash: KeyHash,
}

/// Mints a key from a source of random bytes.
pub fn mint_key(mut fill_random: impl FnMut(&mut [u8])) -> MintedKey {
    let prefix = random_base62(PREFIX_LENGTH, &mut fill_random);
    let random = random_base62(RANDOM_LENGTH, &mut fill_random);
    let mut plaintext = format!("{KEY_LITERAL}{prefix}_{random}");
    let checksum = checksum_digits(plaintext.as_bytes());
    plaintext.extend(checksum.map(char::from));
    let hash = KeyHash(sha256(plaintext.as_bytes()));
    MintedKey { plaintext, prefix, hash }
}

/// Reads a presented key; `None` when its form or checksum is wrong.
pub fn parse_key(text: &str) -> Option<PresentedKey> {
    let bytes = text.as_bytes();
    if bytes.len() != KEY_LENGTH || !text.starts_with(KEY_LITERAL) {
        return None;
    }
    let (handle, secret) = bytes.get(KEY_LITERAL.len()..)?.split_at_checked(PREFIX_LENGTH)?;
    if secret.first() != Some(&b'_') || !handle.iter().chain(secret.get(1..)?).all(u8::is_ascii_alphanumeric) {
        return None;
    }
    let (before, checksum) = bytes.split_at_checked(KEY_LENGTH - CHECKSUM_LENGTH)?;
    if checksum_digits(before) != checksum {
        return None;
    }
    Some(PresentedKey { prefix: handle.try_into().ok()?, hash: KeyHash(sha256(bytes)) })
}

/// An API key as requests see it: everything but the use counters is immutable; a changed key is a new snapshot.
pub struct KeySnapshot {
    /// What it is looked up and named by.
    pub prefix: String,
    /// Compared with what is presented.
    pub hash: KeyHash,
    /// What it may do.
    pub access: ConnectionAccess,
}

/// Accepts a presented key when it is the one found under its prefix.
///
/// A prefix nobody has costs the same comparison as a known one, so that the time of a refusal does not tell which
/// prefixes exist.
pub fn verify_key(found: Option<Arc<KeySnapshot>>, presented: &PresentedKey) -> Option<Arc<KeySnapshot>> {
    const NOBODY: KeyHash = KeyHash([0; 32]);
    let stored = found.as_ref().map_or(NOBODY, |key| key.hash);
    let matches = stored.matches(&presented.hash);
    found.filter(|_| matches)
}

/// One permission of a connection (`spec.md`, Authentication 3).
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
    /// How many sets there are.
    pub const COUNT: usize = 1 << u8::BITS;

    /// Adds a scope; `false` when it was there already.
    pub fn insert(&mut self, scope: Scope) -> bool {
        let before = self.0;
        self.0 |= scope.bit();
        before != self.0
    }

    /// Whether no scope is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The scopes of either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The scopes of both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The scopes that the other set has not.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
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

    /// Which of all sets it is, below [`Self::COUNT`].
    pub fn index(self) -> usize {
        usize::from(self.0)
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

/// Which organisations a connection covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyReach {
    /// Every organisation its person is an accepted member of.
    All,
    /// These only.
    Only(BTreeSet<OrganisationId>),
}

impl KeyReach {
    /// Whether the connection covers the organisation (membership is a separate question).
    pub fn covers(&self, organisation: OrganisationId) -> bool {
        match self {
            Self::All => true,
            Self::Only(set) => set.contains(&organisation),
        }
    }
}

/// How a request proved who it is.
#[derive(Clone)]
pub enum Credential {
    /// An API key.
    Key(Arc<KeySnapshot>),
    /// An access token of a connection by OAuth.
    Grant(Arc<ConnectionAccess>),
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
    /// Whoever presented an API key.
    pub fn by_key(key: Arc<KeySnapshot>) -> Self {
        Self { user_id: key.access.user_id, credential: Credential::Key(key) }
    }

    /// Whoever presented an access token.
    pub fn by_token(access: Arc<ConnectionAccess>) -> Self {
        Self { user_id: access.user_id, credential: Credential::Grant(access) }
    }

    /// What the program that calls may do; a person in the application has no such bounds.
    pub fn access(&self) -> Option<&ConnectionAccess> {
        match &self.credential {
            Credential::Key(key) => Some(&key.access),
            Credential::Grant(access) => Some(access),
            Credential::Session => None,
        }
    }

    /// What a program acts by; a person in the application has none.
    pub fn connection(&self) -> Option<ConnectionId> {
        self.access().map(|access| access.id)
    }

    /// Whether the credential covers an organisation; membership is another matter.
    pub fn covers(&self, organisation: OrganisationId) -> bool {
        self.access().is_none_or(|access| access.reach.covers(organisation))
    }

    /// The prefix of the key, as the history of the books names it; a connection by OAuth has none.
    pub fn key_prefix(&self) -> Option<&str> {
        match &self.credential {
            Credential::Key(key) => Some(key.prefix.as_str()),
            Credential::Grant(_) | Credential::Session => None,
        }
    }

    /// Whether a token was presented, so that a missing scope may be asked of the person (RFC 6750, section 3.1).
    pub const fn may_step_up(&self) -> bool {
        matches!(self.credential, Credential::Grant(_))
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
    /// Only owners may.
    OwnersOnly,
    /// Nobody may through an application that was connected by OAuth.
    PersonsOnly,
}

/// Bits that hold the count; the rest hold the start in milliseconds of the monotonic clock.
const COUNT_BITS: u32 = 24;

const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;

/// The largest limit a window can count to.
pub const RATE_LIMIT_MAX: u64 = COUNT_MASK - 1;

/// How many requests a window allows, and how long it lasts.
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

mod connection;

pub use connection::{ConnectionAccess, Usage};

#[cfg(test)]
mod snapshot_tests;

#[cfg(test)]
mod access_tests;

#[cfg(test)]
mod rate_window_tests;

#[cfg(test)]
mod api_key_tests;
