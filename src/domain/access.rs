//! Who may do what: scopes of keys, roles of members, the reach of a key over organisations.

use std::collections::BTreeSet;

use super::ids::OrganisationId;

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

#[cfg(test)]
mod tests {
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
