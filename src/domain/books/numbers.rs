//! Sequences of document and settlement numbers: the highest number of each prefix.

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::request::CommandRequest;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::numbering::{BILL_PREFIX, PAYMENT_PREFIX, PURCHASE_CREDIT_NOTE_PREFIX, RECEIPT_PREFIX};
use crate::domain::ledger::vat::Side;
use std::collections::{BTreeSet, HashMap};

/// What has numbers of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Numbered {
    /// Documents of a kind.
    Documents(DocumentKind),
    /// Customer receipts and refunds, or supplier payments and refunds.
    Settlements(Side),
}

impl Numbered {
    /// The word kept.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Documents(kind) => kind.as_str(),
            Self::Settlements(Side::Output) => "customer_receipt",
            Self::Settlements(Side::Input) => "supplier_payment",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        let settlements = [Self::Settlements(Side::Output), Self::Settlements(Side::Input)];
        let all = DocumentKind::ALL.into_iter().map(Self::Documents).chain(settlements);
        all.into_iter().find(|known| known.as_str() == word)
    }

    /// The prefix of those whose numbers are ours alone.
    pub(crate) const fn internal_prefix(self) -> &'static str {
        match self {
            Self::Documents(DocumentKind::PurchaseCreditNote) => PURCHASE_CREDIT_NOTE_PREFIX,
            Self::Documents(_) => BILL_PREFIX,
            Self::Settlements(Side::Output) => RECEIPT_PREFIX,
            Self::Settlements(Side::Input) => PAYMENT_PREFIX,
        }
    }
}

/// The highest number so far, by what is numbered and prefix.
pub(crate) type Sequences = HashMap<(Numbered, String), u64>;

/// The kinds of documents that a posting numbers.
pub(crate) fn numbered(request: &CommandRequest) -> BTreeSet<DocumentKind> {
    let mut kinds = BTreeSet::new();
    for action in request.command.parts() {
        match action {
            BooksCommand::CreateDocument { entry, .. } => {
                kinds.insert(entry.kind);
            }
            BooksCommand::IssueDocument { kind, .. } => {
                kinds.insert(*kind);
            }
            // Its answer tells the next invoice number.
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

pub(crate) fn prefixes(
    organisation: &OrganisationRecord,
    kind: DocumentKind,
    posts: &[&CommandRequest],
) -> Vec<String> {
    use super::records::organisation::OrganisationField::{SalesCreditNotePrefix, SalesInvoicePrefix};
    let changes = posts.iter().filter(|request| request.organisation == organisation.id).filter_map(|request| {
        if let BooksCommand::PatchOrganisation(change) = &request.command { Some(&change.fields) } else { None }
    });
    let changed = changes.flatten().filter_map(|field| match (field, kind) {
        (SalesInvoicePrefix(prefix), DocumentKind::SalesInvoice)
        | (SalesCreditNotePrefix(prefix), DocumentKind::SalesCreditNote) => Some(prefix.clone()),
        _ => None,
    });
    sales_prefix(organisation, kind).map(str::to_owned).into_iter().chain(changed).collect()
}

/// The prefix of sales documents, which the organisation chooses.
pub(crate) fn sales_prefix(organisation: &OrganisationRecord, kind: DocumentKind) -> Option<&str> {
    match kind {
        DocumentKind::SalesInvoice => Some(&organisation.sales_invoice_prefix),
        DocumentKind::SalesCreditNote => Some(&organisation.sales_credit_note_prefix),
        DocumentKind::PurchaseInvoice | DocumentKind::PurchaseCreditNote => None,
    }
}
