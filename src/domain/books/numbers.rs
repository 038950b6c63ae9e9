//! Numbers of new records: identifiers, and the numbers of documents and settlements, of which the highest of each prefix is
//! known. What a number looks like and which are refused is in `ledger::issue`; `store::books` reads and writes sequences and
//! blocks.
//!
//! A process takes identifiers from the database in blocks and hands them out from memory. How many identifiers a group
//! of commands needs is known only once the group is decided: a record for which the block has no identifier gets a
//! provisional one, a negative number, and the group is then decided once more with as many identifiers as it used
//! (`store::books`). A dry run uses provisional identifiers only; answers show them as null.

use std::collections::{BTreeSet, HashMap};

use crate::domain::books::command::BooksCommand;
use crate::domain::books::decide::BooksTransaction;
use crate::domain::books::effects::Effect;
use crate::domain::books::records::organisation::OrganisationField::{SalesCreditNotePrefix, SalesInvoicePrefix};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::request::CommandRequest;
use crate::domain::ids::DocumentId;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::issue::{
    BILL_PREFIX, INTERNAL_DIGITS_MIN, PAYMENT_PREFIX, PURCHASE_CREDIT_NOTE_PREFIX, RECEIPT_PREFIX, assign, next,
    sequence_of,
};
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::Side;

/// The records that share a sequence of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Numbered {
    /// Documents of a kind.
    Documents(DocumentKind),
    /// Customer receipts and refunds, or supplier payments and refunds.
    Settlements(Side),
}

impl Numbered {
    /// The word stored.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Documents(kind) => kind.as_str(),
            Self::Settlements(Side::Output) => "customer_receipt",
            Self::Settlements(Side::Input) => "supplier_payment",
        }
    }

    /// Reads the word.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let settlements = [Self::Settlements(Side::Output), Self::Settlements(Side::Input)];
        let all = DocumentKind::ALL.into_iter().map(Self::Documents).chain(settlements);
        all.into_iter().find(|known| known.as_str() == word)
    }

    /// The prefix of numbers that are assigned by us alone.
    pub(crate) const fn internal_prefix(self) -> &'static str {
        match self {
            Self::Documents(DocumentKind::PurchaseCreditNote) => PURCHASE_CREDIT_NOTE_PREFIX,
            Self::Documents(_) => BILL_PREFIX,
            Self::Settlements(Side::Output) => RECEIPT_PREFIX,
            Self::Settlements(Side::Input) => PAYMENT_PREFIX,
        }
    }
}

/// The highest number so far, by records and prefix.
pub(crate) type Sequences = HashMap<(Numbered, String), u64>;

/// The kinds of documents whose sequences a command uses.
pub(crate) fn numbered_kinds(request: &CommandRequest) -> BTreeSet<DocumentKind> {
    let mut kinds = BTreeSet::new();
    for command in request.command.parts() {
        match command {
            BooksCommand::CreateDocument { entry, .. } => {
                kinds.insert(entry.kind);
            }
            BooksCommand::IssueDocument { kind, .. } => {
                kinds.insert(*kind);
            }
            // The answer shows the next invoice number.
            BooksCommand::PatchOrganisation(_) => {
                kinds.insert(DocumentKind::SalesInvoice);
            }
            BooksCommand::SetOpening { entry: Some(entry), .. } => {
                kinds.extend(entry.documents.iter().map(|document| document.kind));
            }
            _ => {}
        }
    }
    kinds
}

/// The prefixes that a kind of documents of an organisation has, or that one of the commands gives it.
pub(crate) fn prefixes(
    organisation: &OrganisationRecord,
    kind: DocumentKind,
    requests: &[&CommandRequest],
) -> Vec<String> {
    let changes = requests.iter().filter(|request| request.organisation == organisation.id).filter_map(|request| {
        if let BooksCommand::PatchOrganisation(change) = &request.command { Some(&change.fields) } else { None }
    });
    let changed = changes.flatten().filter_map(|field| match (field, kind) {
        (SalesInvoicePrefix(prefix), DocumentKind::SalesInvoice)
        | (SalesCreditNotePrefix(prefix), DocumentKind::SalesCreditNote) => Some(prefix.clone()),
        _ => None,
    });
    sales_prefix(organisation, kind).map(str::to_owned).into_iter().chain(changed).collect()
}

/// The prefix that the organisation chose for its sales documents.
fn sales_prefix(organisation: &OrganisationRecord, kind: DocumentKind) -> Option<&str> {
    match kind {
        DocumentKind::SalesInvoice => Some(&organisation.sales_invoice_prefix),
        DocumentKind::SalesCreditNote => Some(&organisation.sales_credit_note_prefix),
        DocumentKind::PurchaseInvoice | DocumentKind::PurchaseCreditNote => None,
    }
}

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
    VatAdjustment,
    Email,
    VatReturn,
}

impl IdSequence {
    /// Every sequence, in the order in which every process locks their rows.
    pub(crate) const ALL: [Self; 16] = [
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
        Self::VatAdjustment,
        Self::Email,
        Self::VatReturn,
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
            Self::VatAdjustment => "vat_adjustment",
            Self::Email => "email",
            Self::VatReturn => "vat_return",
        }
    }

    /// The usual size of a block: small, so that identifiers stay readable where little is written.
    const fn block(self) -> i64 {
        match self {
            Self::Account => 64,
            Self::Contact | Self::Journal | Self::Document | Self::Allocation | Self::Settlement => 32,
            Self::JournalLine | Self::VatEntry | Self::DocumentLine => 256,
            Self::BankTransaction => 64,
            Self::PeriodLockChange | Self::BankAccount | Self::Import | Self::VatAdjustment | Self::VatReturn => 1,
            Self::Email => 8,
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

impl BooksTransaction<'_> {
    /// Assigns the next number of a sequence that is ours alone.
    pub(crate) fn next_number(&mut self, of: Numbered) -> String {
        let (prefix, number) = (of.internal_prefix(), self.upcoming_number(of));
        self.set_highest(of, prefix, self.highest(of, prefix).saturating_add(1));
        number
    }

    /// The next number of a sequence that is ours alone, without assigning it.
    pub(crate) fn upcoming_number(&self, of: Numbered) -> String {
        let prefix = of.internal_prefix();
        next(prefix, self.highest(of, prefix), INTERNAL_DIGITS_MIN)
    }

    /// Stores the highest invoice number under the prefix of the organisation, when numbers given by callers were found
    /// under a new prefix.
    pub(crate) fn store_invoice_sequence(&mut self) {
        let of = Numbered::Documents(DocumentKind::SalesInvoice);
        let prefix = self.books.organisation.sales_invoice_prefix.clone();
        let highest = self.highest(of, &prefix);
        if highest > 0 {
            self.set_highest(of, &prefix, highest);
        }
    }

    /// The organisation with its next invoice number.
    pub(crate) fn with_next_number(&self, organisation: OrganisationRecord) -> OrganisationRecord {
        let of = Numbered::Documents(DocumentKind::SalesInvoice);
        let highest = self.highest(of, &organisation.sales_invoice_prefix);
        let next = i64::try_from(highest).unwrap_or(i64::MAX).saturating_add(1);
        OrganisationRecord { sales_invoice_next_number: next, ..organisation }
    }

    /// The number with which a document is issued: the caller's own, else the next. A dry run assigns none.
    pub(crate) fn new_number(&self, kind: DocumentKind, own: Option<&str>) -> Result<String, Refusal> {
        if self.is_dry_run && own.is_none() {
            return Ok(String::new());
        }
        let of = Numbered::Documents(kind);
        let Some(prefix) = sales_prefix(&self.books.organisation, kind) else {
            let prefix = of.internal_prefix();
            return Ok(next(prefix, self.highest(of, prefix), INTERNAL_DIGITS_MIN));
        };
        let taken = own.and_then(|own| self.facts.numbers.get(&(self.organisation(), kind, own.to_owned())));
        let taken = taken.copied().map(DocumentId);
        Ok(assign(prefix, own, taken, self.highest(of, prefix), kind.number_field())?.0)
    }

    /// Records that a document has this number, and raises every sequence to which the number belongs.
    pub(crate) fn take_number(&mut self, kind: DocumentKind, number: &str, id: i64) {
        let of = Numbered::Documents(kind);
        // A sequence of sales documents that is not loaded is counted when a document is first issued under its prefix.
        if sales_prefix(&self.books.organisation, kind).is_none() {
            let prefix = of.internal_prefix();
            if !self.books.sequences.contains_key(&(of, prefix.to_owned())) {
                self.books.put_sequence(of, prefix, 0);
            }
        }
        let sequences = self.books.sequences.iter().filter(|((family, _), _)| *family == of);
        let raised = sequences.filter_map(|((_, prefix), highest)| {
            sequence_of(prefix, number).filter(|number| number > highest).map(|number| (prefix.clone(), number))
        });
        for (prefix, number) in raised.collect::<Vec<_>>() {
            self.set_highest(of, &prefix, number);
        }
        self.facts.numbers.insert((self.organisation(), kind, number.to_owned()), id);
    }

    /// The highest number of a sequence so far.
    fn highest(&self, of: Numbered, prefix: &str) -> u64 {
        self.books.sequences.get(&(of, prefix.to_owned())).copied().unwrap_or(0)
    }

    /// Sets the highest number of a sequence.
    fn set_highest(&mut self, of: Numbered, prefix: &str, highest: u64) {
        self.books.put_sequence(of, prefix, highest);
        let effect = Effect::Sequence { family: of.as_str(), prefix: prefix.to_owned(), highest };
        self.effects.push(self.organisation(), effect);
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
