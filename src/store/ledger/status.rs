//! How an organisation's books stand: what waits to be dealt with, in a few figures.

use super::bank_accounts::BankAccountView;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::document::DocumentKind;
use crate::store::StoreError;
use crate::store::reader::Reader;
use crate::store::sql::params;

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

impl Reader {
    /// How an organisation's books stand on a day.
    pub async fn books_status(&self, organisation: OrganisationId, today: i32) -> Result<BooksStatus, StoreError> {
        let bank_accounts = self.bank_accounts(organisation, false).await?;
        let kinds = DocumentKind::ALL.map(DocumentKind::as_str).join("','");
        let sql = format!(
            "select cast(coalesce(sum(items), 0) as bigint) from list_count \
             where organisation_id = $1 and status = 'draft' and list in ('{kinds}')"
        );
        let drafts = self.one(&sql, params![organisation.0]).await?.map_or(Ok(0), |row| row.get(0))?;
        let mut overdue = [(0, 0); 2];
        for (kind, sums) in [DocumentKind::SalesInvoice, DocumentKind::PurchaseInvoice].into_iter().zip(&mut overdue) {
            let (open, owed) = (format!("{} open", kind.as_str()), format!("{} owed", kind.as_str()));
            let today = i64::from(today);
            *sums = (
                self.sum_of_days(organisation, &[open], (i64::MIN, today.saturating_sub(1))).await?,
                self.sum_of_days(organisation, &[owed], (i64::MIN, today.saturating_sub(1))).await?,
            );
        }
        Ok(BooksStatus { bank_accounts, drafts, overdue })
    }
}
