//! Identifiers: integers for people, keys, organisations and the records of their books, text for jobs.

use std::fmt;

use serde::ser::{Serialize, Serializer};

/// Reads an identifier; `None` unless it is an integer of at least 1 in its one form, without sign and leading zeros, so that two
/// paths never lead to one record.
pub fn integer(text: &str) -> Option<i64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    is_plain.then(|| text.parse().ok()).flatten()
}

/// An identifier that is an integer.
macro_rules! record_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

/// The same for what has an address of its own in paths and query strings.
macro_rules! integer_id {
    ($(#[$doc:meta])* $name:ident) => {
        record_id!(
            $(#[$doc])*
            $name
        );

        impl $name {
            /// Reads the decimal form used in paths and query strings; see [`integer`].
            pub fn parse(text: &str) -> Option<Self> {
                integer(text).map(Self)
            }
        }
    };
}

integer_id!(
    /// A person.
    UserId
);
integer_id!(
    /// An API key (the record, not the secret).
    KeyId
);
integer_id!(
    /// An organisation whose books are kept.
    OrganisationId
);
integer_id!(
    /// What a person granted to an application by OAuth (the record, not a token).
    GrantId
);

/// What a program acts by: previews, plans and sessions belong to a person and one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConnectionId {
    /// An API key.
    Key(KeyId),
    /// A connection by OAuth.
    Grant(GrantId),
}

impl ConnectionId {
    /// The stored form: `key:7`, `grant:7`.
    pub fn to_stored(self) -> String {
        match self {
            Self::Key(id) => format!("key:{id}"),
            Self::Grant(id) => format!("grant:{id}"),
        }
    }

    /// Reads the stored form.
    pub fn from_stored(text: &str) -> Option<Self> {
        match text.split_once(':')? {
            ("key", id) => KeyId::parse(id).map(Self::Key),
            ("grant", id) => GrantId::parse(id).map(Self::Grant),
            _ => None,
        }
    }
}

/// The public id of a coding session: `cs_` and an unguessable part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct CodingSessionId(pub String);

impl CodingSessionId {
    /// Mints the id of a session from a UUID.
    pub fn mint(unique: uuid::Uuid) -> Self {
        Self(format!("cs_{}", unique.simple()))
    }

    /// The wire form.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The longest job id a path may carry (`spec.md`: 1 to 64 characters).
pub const JOB_ID_LENGTH_MAX: usize = 64;

/// The public id of a job: `rec_` or `cod_` and a sortable, unguessable part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct JobId(pub String);

impl JobId {
    /// Mints the id of a job from a prefix (`rec`, `cod`) and a version 7 UUID (RFC 9562).
    pub fn mint(prefix: &str, unique: uuid::Uuid) -> Self {
        Self(format!("{prefix}_{}", unique.simple()))
    }

    /// The wire form.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

record_id!(
    /// An account of the chart.
    AccountId
);
record_id!(
    /// A customer or supplier; both take their ids from one sequence.
    ContactId
);
record_id!(
    /// A journal.
    JournalId
);
record_id!(
    /// A bank account (not the account of the chart that carries its balance).
    BankAccountId
);
record_id!(
    /// A line of a bank statement.
    BankTransactionId
);
record_id!(
    /// An invoice or credit note, sales or purchase; all take their ids from one sequence.
    DocumentId
);
record_id!(
    /// A customer receipt or supplier payment, or a refund of either; all take their ids from one sequence.
    SettlementId
);
record_id!(
    /// A debt of a customer that is written off.
    WriteOffId
);
record_id!(
    /// A part of a settlement or credit note set against a document.
    AllocationId
);

/// The identifier of a record that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id(pub i64);

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_integers_of_at_least_one_are_ids() {
        assert_eq!(KeyId::parse("7"), Some(KeyId(7)));
        for text in ["", "0", "-1", "+1", "1.0", " 1", "9223372036854775808", "x", "01", "00", "%31"] {
            assert_eq!(KeyId::parse(text), None, "{text:?}");
        }
    }
}
