//! Identifiers of the records of one organisation's books.

use std::fmt;

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
    /// A part of a settlement or credit note set against a document.
    AllocationId
);
