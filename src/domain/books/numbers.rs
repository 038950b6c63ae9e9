//! Sequences of document and settlement numbers: the highest number of each prefix.

use std::collections::{BTreeSet, HashMap};

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::organisation::OrganisationField::{SalesCreditNotePrefix, SalesInvoicePrefix};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::request::CommandRequest;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::issue::{BILL_PREFIX, PAYMENT_PREFIX, PURCHASE_CREDIT_NOTE_PREFIX, RECEIPT_PREFIX};
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
pub(crate) fn sales_prefix(organisation: &OrganisationRecord, kind: DocumentKind) -> Option<&str> {
    match kind {
        DocumentKind::SalesInvoice => Some(&organisation.sales_invoice_prefix),
        DocumentKind::SalesCreditNote => Some(&organisation.sales_credit_note_prefix),
        DocumentKind::PurchaseInvoice | DocumentKind::PurchaseCreditNote => None,
    }
}
