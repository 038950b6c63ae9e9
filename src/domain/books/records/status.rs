//! What waits to be dealt with in the books of an organisation, in a few figures.

use crate::domain::books::records::bank_account::BankAccountView;

/// How the books stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BooksStatus {
    /// The bank accounts in use.
    pub bank_accounts: Vec<BankAccountView>,
    /// How many invoices and credit notes are drafts.
    pub drafts: i64,
    /// Invoices that should have been paid, those to customers and those of suppliers: how many, and what is due.
    pub overdue: [(i64, i64); 2],
}
