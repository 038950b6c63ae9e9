//! Identifiers, handed out in blocks: a process takes many at once and gives them out from memory.

use super::super::StoreError;
use super::super::sql::{Unit, params};

/// What identifiers are for; each kind counts on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Account,
    Contact,
    Journal,
    JournalLine,
    VatEntry,
    PeriodLockChange,
    BankAccount,
    BankTransaction,
    Import,
    Document,
    DocumentLine,
    Allocation,
    Settlement,
}

const KINDS: usize = 13;

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Contact => "contact",
            Self::Journal => "journal",
            Self::JournalLine => "journal_line",
            Self::VatEntry => "vat_entry",
            Self::PeriodLockChange => "period_lock_change",
            Self::BankAccount => "bank_account",
            Self::BankTransaction => "bank_transaction",
            Self::Import => "import",
            Self::Document => "document",
            Self::DocumentLine => "document_line",
            Self::Allocation => "allocation",
            Self::Settlement => "settlement",
        }
    }

    const fn place(self) -> usize {
        match self {
            Self::Account => 0,
            Self::Contact => 1,
            Self::Journal => 2,
            Self::JournalLine => 3,
            Self::VatEntry => 4,
            Self::PeriodLockChange => 5,
            Self::BankAccount => 6,
            Self::BankTransaction => 7,
            Self::Import => 8,
            Self::Document => 9,
            Self::DocumentLine => 10,
            Self::Allocation => 11,
            Self::Settlement => 12,
        }
    }

    /// How many are taken at once: small, so that identifiers stay readable where little is written.
    const fn block(self) -> i64 {
        match self {
            Self::Account => 64,
            Self::Contact | Self::Journal | Self::Document | Self::Allocation | Self::Settlement => 32,
            Self::JournalLine | Self::VatEntry | Self::DocumentLine => 256,
            Self::BankTransaction => 64,
            Self::PeriodLockChange | Self::BankAccount | Self::Import => 1,
        }
    }
}

/// What is left of the blocks taken. A group works on a copy, which counts once it is committed.
#[derive(Debug, Clone, Default)]
pub(super) struct Identifiers {
    left: [(i64, i64); KINDS],
}

impl Identifiers {
    /// Sees to it that so many can be handed out.
    pub(super) async fn reserve(&mut self, unit: &Unit<'_>, kind: Kind, count: i64) -> Result<(), StoreError> {
        let Some((next, end)) = self.left.get_mut(kind.place()) else { return Ok(()) };
        if *end - *next >= count {
            return Ok(());
        }
        // Where much is written at once the next group finds some left.
        let size = if count > kind.block() { count.saturating_mul(2) } else { kind.block() };
        let sql = "update id_block set next = next + $2 where name = $1 returning next";
        let row = unit.one(sql, params![kind.name(), size]).await?;
        let taken: i64 = row.ok_or_else(|| StoreError::corrupt("missing id_block", kind.name()))?.get(0)?;
        (*next, *end) = (taken - size, taken);
        Ok(())
    }

    /// The next one; 0 when too few were reserved, which no reference accepts.
    pub(super) fn next(&mut self, kind: Kind) -> i64 {
        match self.left.get_mut(kind.place()) {
            Some((next, end)) if *next < *end => {
                *next += 1;
                *next - 1
            }
            _ => 0,
        }
    }
}
