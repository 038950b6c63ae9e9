//! Identifiers of new records.
//!
//! A process takes identifiers from the database in blocks and hands them out from memory. How many identifiers a group
//! of commands needs is known only once the group is decided: a record for which the block has no identifier gets a
//! provisional one, a negative number, and the group is then decided once more with as many identifiers as it used
//! (`store::books`). A dry run uses provisional identifiers only; answers show them as null.

/// The records that have identifiers; each kind has a sequence of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum IdSequence {
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

impl IdSequence {
    /// Every sequence, in the order in which every process locks their rows.
    pub(crate) const ALL: [Self; 13] = [
        Self::Account,
        Self::Contact,
        Self::Journal,
        Self::JournalLine,
        Self::VatEntry,
        Self::PeriodLockChange,
        Self::BankAccount,
        Self::BankTransaction,
        Self::Import,
        Self::Document,
        Self::DocumentLine,
        Self::Allocation,
        Self::Settlement,
    ];

    /// The name of its row in `id_block`.
    pub(crate) const fn name(self) -> &'static str {
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

    /// The usual size of a block: small, so that identifiers stay readable where little is written.
    const fn block(self) -> i64 {
        match self {
            Self::Account => 64,
            Self::Contact | Self::Journal | Self::Document | Self::Allocation | Self::Settlement => 32,
            Self::JournalLine | Self::VatEntry | Self::DocumentLine => 256,
            Self::BankTransaction => 64,
            Self::PeriodLockChange | Self::BankAccount | Self::Import => 1,
        }
    }

    /// The size of a block when so many identifiers are needed.
    pub(crate) const fn block_for(self, needed: i64) -> i64 {
        if needed > self.block() { needed.saturating_mul(2) } else { self.block() }
    }

    /// The size of the block to take before a group when the group before used so many identifiers: enough for several
    /// such groups, so that few of them are decided twice; none where little is written.
    pub(crate) const fn ahead_of(self, used: i64) -> Option<i64> {
        if used.saturating_mul(4) > self.block() && used > 8 { Some(used.saturating_mul(8)) } else { None }
    }
}

/// The block of one sequence, and how many identifiers were handed out.
#[derive(Debug, Clone, Copy, Default)]
struct Block {
    next: i64,
    end: i64,
    used: i64,
}

/// What is left of the blocks of every sequence. A group uses a copy, which replaces the original when the group is
/// committed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Identifiers {
    blocks: [Block; IdSequence::ALL.len()],
    /// The latest provisional identifier.
    provisional: i64,
}

impl Identifiers {
    fn block(&mut self, sequence: IdSequence) -> Option<&mut Block> {
        let place = IdSequence::ALL.iter().position(|known| *known == sequence)?;
        self.blocks.get_mut(place)
    }

    /// The next identifier: from the block, else a provisional one.
    pub(crate) fn next(&mut self, sequence: IdSequence) -> i64 {
        if let Some(block) = self.block(sequence) {
            block.used += 1;
            if block.next < block.end {
                block.next += 1;
                return block.next - 1;
            }
        }
        self.provisional -= 1;
        self.provisional
    }

    /// Whether provisional identifiers were handed out.
    pub(crate) const fn has_provisional(&self) -> bool {
        self.provisional < 0
    }

    /// How many of each sequence were handed out since [`Self::start_counting`].
    pub(crate) fn used(&self) -> impl Iterator<Item = (IdSequence, i64)> {
        IdSequence::ALL.into_iter().zip(self.blocks.iter().map(|block| block.used)).filter(|(_, used)| *used > 0)
    }

    /// Begins to count the identifiers of a group.
    pub(crate) fn start_counting(&mut self) {
        self.provisional = 0;
        for block in &mut self.blocks {
            block.used = 0;
        }
    }

    /// How many are left of a sequence's block.
    pub(crate) fn left(&mut self, sequence: IdSequence) -> i64 {
        self.block(sequence).map_or(0, |block| block.end - block.next)
    }

    /// Replaces the block of a sequence by the identifiers from `first` up to, but without, `end`.
    pub(crate) fn replace_block(&mut self, sequence: IdSequence, first: i64, end: i64) {
        if let Some(block) = self.block(sequence) {
            (block.next, block.end) = (first, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_beyond_the_block_are_provisional_and_counted() {
        let mut identifiers = Identifiers::default();
        identifiers.replace_block(IdSequence::Journal, 5, 7);
        identifiers.start_counting();
        let taken: Vec<i64> = (0..4).map(|_| identifiers.next(IdSequence::Journal)).collect();
        assert_eq!(taken, [5, 6, -1, -2]);
        assert_eq!(identifiers.next(IdSequence::Contact), -3);
        assert!(identifiers.has_provisional());
        let used: Vec<_> = identifiers.used().collect();
        assert_eq!(used, [(IdSequence::Contact, 1), (IdSequence::Journal, 4)]);
    }

    #[test]
    fn a_block_is_as_large_as_needed() {
        for sequence in IdSequence::ALL {
            for needed in [1, 2, 5, 31, 33, 200, 1_000, 20_000] {
                assert!(sequence.block_for(needed) >= needed, "{sequence:?} {needed}");
            }
        }
        assert_eq!(IdSequence::Journal.block_for(1), 32);
        assert_eq!(IdSequence::JournalLine.block_for(3), 256);
        assert_eq!(IdSequence::Journal.block_for(64), 128);
        assert_eq!(IdSequence::Journal.ahead_of(2), None);
        assert_eq!(IdSequence::Journal.ahead_of(64), Some(512));
    }
}
