//! Sequences of numbers: the highest of each prefix, kept with the books so that issuing asks nobody.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::action::Action;
use super::decide::Desk;
use super::post::Post;
use super::shelf::Shelved;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::ids::DocumentId;
use crate::domain::ledger::numbering::{
    BILL_PREFIX, INTERNAL_DIGITS_MIN, PAYMENT_PREFIX, PURCHASE_CREDIT_NOTE_PREFIX, RECEIPT_PREFIX, assign, next,
    sequence_of,
};
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::Side;
use crate::store::sql::{Unit, params};
use crate::store::{OrganisationRow, Reader, StoreError};

/// What has numbers of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Numbered {
    /// Documents of a kind.
    Documents(DocumentKind),
    /// Customer receipts and refunds, or supplier payments and refunds.
    Settlements(Side),
}

impl Numbered {
    /// The word kept.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Documents(kind) => kind.as_str(),
            Self::Settlements(Side::Output) => "customer_receipt",
            Self::Settlements(Side::Input) => "supplier_payment",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        let settlements = [Self::Settlements(Side::Output), Self::Settlements(Side::Input)];
        let all = DocumentKind::ALL.into_iter().map(Self::Documents).chain(settlements);
        all.into_iter().find(|known| known.as_str() == word)
    }

    /// The prefix of those whose numbers are ours alone.
    const fn internal_prefix(self) -> &'static str {
        match self {
            Self::Documents(DocumentKind::PurchaseCreditNote) => PURCHASE_CREDIT_NOTE_PREFIX,
            Self::Documents(_) => BILL_PREFIX,
            Self::Settlements(Side::Output) => RECEIPT_PREFIX,
            Self::Settlements(Side::Input) => PAYMENT_PREFIX,
        }
    }
}

/// The highest number so far, by what is numbered and prefix.
pub(super) type Sequences = HashMap<(Numbered, String), u64>;

/// Loads the sequences of an organisation.
pub(super) async fn load(unit: &Unit<'_>, organisation: i64) -> Result<Sequences, StoreError> {
    let sql = "select family, prefix, highest from number_sequence where organisation_id = $1";
    let rows = unit.all(sql, params![organisation]).await?;
    rows.iter().map(|row| Ok(((row.parsed(0, Numbered::parse)?, row.get(1)?), row.unsigned(2)?))).collect()
}

/// Finds the highest number of prefixes that postings will number by for the first time.
pub(super) async fn complete(
    unit: &Unit<'_>,
    books: &mut HashMap<OrganisationId, Shelved>,
    posts: &[&Post],
) -> Result<(), StoreError> {
    for post in posts {
        let Some(books) = books.get_mut(&post.organisation) else { continue };
        for kind in numbered(post) {
            // The prefix may change within the group, by a posting before this one.
            for prefix in prefixes(&books.organisation, kind, posts) {
                let key = (Numbered::Documents(kind), prefix);
                if let Entry::Vacant(unknown) = books.sequences.entry(key) {
                    let highest = highest(unit, post.organisation, kind, &unknown.key().1).await?;
                    unknown.insert(highest);
                }
            }
        }
    }
    Ok(())
}

/// The kinds of documents that a posting numbers.
fn numbered(post: &Post) -> BTreeSet<DocumentKind> {
    let mut kinds = BTreeSet::new();
    for action in post.action.parts() {
        match action {
            Action::CreateDocument { entry, .. } => {
                kinds.insert(entry.kind);
            }
            Action::IssueDocument { kind, .. } => {
                kinds.insert(*kind);
            }
            // Its answer tells the next invoice number.
            Action::PatchOrganisation(_) => {
                kinds.insert(DocumentKind::SalesInvoice);
            }
            Action::SetOpening { entry: Some(entry), .. } => {
                kinds.extend(entry.documents.iter().map(|document| document.kind));
            }
            _ => {}
        }
    }
    kinds
}

fn prefixes(organisation: &OrganisationRow, kind: DocumentKind, posts: &[&Post]) -> Vec<String> {
    use super::organisation::OrganisationField::{SalesCreditNotePrefix, SalesInvoicePrefix};
    let changes = posts.iter().filter(|post| post.organisation == organisation.id).filter_map(|post| {
        if let Action::PatchOrganisation(change) = &post.action { Some(&change.fields) } else { None }
    });
    let changed = changes.flatten().filter_map(|field| match (field, kind) {
        (SalesInvoicePrefix(prefix), DocumentKind::SalesInvoice)
        | (SalesCreditNotePrefix(prefix), DocumentKind::SalesCreditNote) => Some(prefix.clone()),
        _ => None,
    });
    sales_prefix(organisation, kind).map(str::to_owned).into_iter().chain(changed).collect()
}

/// The prefix of sales documents, which the organisation chooses.
pub(super) fn sales_prefix(organisation: &OrganisationRow, kind: DocumentKind) -> Option<&str> {
    match kind {
        DocumentKind::SalesInvoice => Some(&organisation.sales_invoice_prefix),
        DocumentKind::SalesCreditNote => Some(&organisation.sales_credit_note_prefix),
        DocumentKind::PurchaseInvoice | DocumentKind::PurchaseCreditNote => None,
    }
}

async fn highest(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    kind: DocumentKind,
    prefix: &str,
) -> Result<u64, StoreError> {
    let sql = "select number from document where organisation_id = $1 and kind = $2 and stage <> 'draft' \
               and number is not null and substr(number, 1, cast($3 as integer)) = $4";
    let length = i64::try_from(prefix.chars().count()).unwrap_or(i64::MAX);
    let mut highest = 0;
    for row in unit.all(sql, params![organisation.0, kind.as_str(), length, prefix]).await? {
        highest = highest.max(sequence_of(prefix, &row.get::<String>(0)?).unwrap_or(0));
    }
    Ok(highest)
}

impl Desk<'_> {
    /// The next of the numbers that are ours alone.
    pub(super) fn next_number(&mut self, of: Numbered) -> String {
        let (prefix, number) = (of.internal_prefix(), self.coming_number(of));
        self.reached(of, prefix, self.highest(of, prefix).saturating_add(1));
        number
    }

    /// The same, while it is not sure that it will be taken.
    pub(super) fn coming_number(&self, of: Numbered) -> String {
        let prefix = of.internal_prefix();
        next(prefix, self.highest(of, prefix), INTERNAL_DIGITS_MIN)
    }

    /// Keeps how far the sequence of invoices has come, which another prefix may have found among numbers given by hand.
    pub(super) fn keep_sequence(&mut self) {
        let of = Numbered::Documents(DocumentKind::SalesInvoice);
        let prefix = self.books.organisation.sales_invoice_prefix.clone();
        let highest = self.highest(of, &prefix);
        if highest > 0 {
            self.reached(of, &prefix, highest);
        }
    }

    /// The organisation with its next invoice number.
    pub(super) fn with_next_number(&self, organisation: OrganisationRow) -> OrganisationRow {
        let of = Numbered::Documents(DocumentKind::SalesInvoice);
        let highest = self.highest(of, &organisation.sales_invoice_prefix);
        let next = i64::try_from(highest).unwrap_or(i64::MAX).saturating_add(1);
        OrganisationRow { sales_invoice_next_number: next, ..organisation }
    }

    /// The number that a document is issued with: the caller's own, else the next. A rehearsal hands none out.
    pub(super) fn new_number(&self, kind: DocumentKind, own: Option<&str>) -> Result<String, Refusal> {
        if self.is_rehearsal && own.is_none() {
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
    pub(super) fn take_number(&mut self, kind: DocumentKind, number: &str, id: i64) {
        let of = Numbered::Documents(kind);
        // A sales sequence that is not at hand is counted when it is first issued by.
        if sales_prefix(&self.books.organisation, kind).is_none() {
            self.books.sequences.entry((of, of.internal_prefix().to_owned())).or_default();
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
        self.books.sequences.insert((of, prefix.to_owned()), highest);
        self.effects.sequence(self.organisation(), of.as_str(), prefix, highest);
    }
}

impl Reader {
    /// Tells organisations' next invoice numbers.
    pub async fn with_next_numbers<'a>(
        &self,
        organisations: impl IntoIterator<Item = &'a mut OrganisationRow>,
    ) -> Result<(), StoreError> {
        let mut rows: BTreeMap<i64, &mut OrganisationRow> =
            organisations.into_iter().map(|row| (row.id.0, row)).collect();
        let ids = serde_json::to_string(&rows.keys().collect::<Vec<_>>()).unwrap_or_default();
        let sql = format!(
            "select organisation_id, prefix, highest from number_sequence where family = $2 and organisation_id in {}",
            self.numbers_of_json()
        );
        for found in self.all(&sql, params![ids, DocumentKind::SalesInvoice.as_str()]).await? {
            let (organisation, prefix): (i64, String) = (found.get(0)?, found.get(1)?);
            if let Some(row) = rows.get_mut(&organisation).filter(|row| row.sales_invoice_prefix == prefix) {
                row.sales_invoice_next_number = found.get::<i64>(2)?.saturating_add(1);
            }
        }
        Ok(())
    }
}
