//! Assigns document and settlement numbers.

use crate::domain::books::decide::BooksTransaction;
use crate::domain::books::effects::Effect;
use crate::domain::books::numbers::{Numbered, sales_prefix};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::ids::DocumentId;
use crate::domain::ledger::numbering::{INTERNAL_DIGITS_MIN, assign, next, sequence_of};
use crate::domain::ledger::refusal::Refusal;

impl BooksTransaction<'_> {
    /// The next of the numbers that are ours alone.
    pub(crate) fn next_number(&mut self, of: Numbered) -> String {
        let (prefix, number) = (of.internal_prefix(), self.coming_number(of));
        self.reached(of, prefix, self.highest(of, prefix).saturating_add(1));
        number
    }

    /// The same, while it is not sure that it will be taken.
    pub(crate) fn coming_number(&self, of: Numbered) -> String {
        let prefix = of.internal_prefix();
        next(prefix, self.highest(of, prefix), INTERNAL_DIGITS_MIN)
    }

    /// Keeps how far the sequence of invoices has come, which another prefix may have found among numbers given by hand.
    pub(crate) fn keep_sequence(&mut self) {
        let of = Numbered::Documents(DocumentKind::SalesInvoice);
        let prefix = self.books.organisation.sales_invoice_prefix.clone();
        let highest = self.highest(of, &prefix);
        if highest > 0 {
            self.reached(of, &prefix, highest);
        }
    }

    /// The organisation with its next invoice number.
    pub(crate) fn with_next_number(&self, organisation: OrganisationRecord) -> OrganisationRecord {
        let of = Numbered::Documents(DocumentKind::SalesInvoice);
        let highest = self.highest(of, &organisation.sales_invoice_prefix);
        let next = i64::try_from(highest).unwrap_or(i64::MAX).saturating_add(1);
        OrganisationRecord { sales_invoice_next_number: next, ..organisation }
    }

    /// The number that a document is issued with: the caller's own, else the next. A rehearsal hands none out.
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

    /// A document has this number from now on: it moves every sequence that it is a number of.
    pub(crate) fn take_number(&mut self, kind: DocumentKind, number: &str, id: i64) {
        let of = Numbered::Documents(kind);
        // A sales sequence that is not at hand is counted when it is first issued by.
        if sales_prefix(&self.books.organisation, kind).is_none() {
            let prefix = of.internal_prefix();
            if !self.books.sequences.contains_key(&(of, prefix.to_owned())) {
                self.books.put_sequence(of, prefix, 0);
            }
        }
        let sequences = self.books.sequences.iter().filter(|((family, _), _)| *family == of);
        let moved = sequences.filter_map(|((_, prefix), highest)| {
            sequence_of(prefix, number).filter(|reached| reached > highest).map(|reached| (prefix.clone(), reached))
        });
        for (prefix, reached) in moved.collect::<Vec<_>>() {
            self.reached(of, &prefix, reached);
        }
        self.facts.numbers.insert((self.organisation(), kind, number.to_owned()), id);
    }

    fn highest(&self, of: Numbered, prefix: &str) -> u64 {
        self.books.sequences.get(&(of, prefix.to_owned())).copied().unwrap_or(0)
    }

    /// A sequence has come to this number.
    fn reached(&mut self, of: Numbered, prefix: &str, highest: u64) {
        self.books.put_sequence(of, prefix, highest);
        let effect = Effect::Sequence { family: of.as_str(), prefix: prefix.to_owned(), highest };
        self.effects.push(self.organisation(), effect);
    }
}
