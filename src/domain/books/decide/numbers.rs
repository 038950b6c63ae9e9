//! Assigns document and settlement numbers.

use crate::domain::books::decide::BooksTransaction;
use crate::domain::books::effects::Effect;
use crate::domain::books::numbers::{Numbered, sales_prefix};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::ids::DocumentId;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::issue::{INTERNAL_DIGITS_MIN, assign, next, sequence_of};
use crate::domain::ledger::refusal::Refusal;

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
