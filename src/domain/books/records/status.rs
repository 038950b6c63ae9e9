//! The status of the books of an organisation: what waits to be dealt with, in a few figures.

use crate::domain::books::records::bank_account::BankAccountView;

/// The status of the books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BooksStatus {
    /// The bank accounts in use.
    pub bank_accounts: Vec<BankAccountView>,
    /// The number of invoices and credit notes that are drafts.
    pub drafts: i64,
    /// The number and the amount of overdue invoices, first those to customers, then those of suppliers.
    pub overdue: [(i64, i64); 2],
}
