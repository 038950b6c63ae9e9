//! The status of the books of an organisation: what waits to be dealt with, in a few figures.

use crate::domain::books::records::status::BooksStatus;
use crate::domain::date::Date;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::reports::dashboard::{Dashboard, DashboardRows};
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::books::contact_report_rows::{open_items, read_items};
use crate::store::books::organisation::financial_years;
use crate::store::books::report_rows::{account_balances_query, read_account_rows};
use crate::store::sql::{Reader, params};

impl Reader {
    /// The status of the books of an organisation on a day.
    pub async fn books_status(&self, organisation: OrganisationId, today: Date) -> Result<BooksStatus, StoreError> {
        let bank_accounts = self.bank_accounts(organisation, false).await?;
        let kinds = DocumentKind::ALL.map(DocumentKind::as_str).join("','");
        let sql = format!(
            "select cast(coalesce(sum(items), 0) as bigint) from list_count \
             where organisation_id = $1 and status = 'draft' and list in ('{kinds}')"
        );
        let drafts = self.one(&sql, params![organisation.0]).await?.map_or(Ok(0), |row| row.get(0))?;
        let mut overdue = [(0, 0); 2];
        for (kind, sums) in [DocumentKind::SalesInvoice, DocumentKind::PurchaseInvoice].into_iter().zip(&mut overdue) {
            // The invoices due today or later are subtracted from all open ones, because they are due on few days.
            let list = kind.as_str();
            *sums = (
                self.open_before(organisation, list, "open", today).await?,
                self.open_before(organisation, list, "owed", today).await?,
            );
        }
        Ok(BooksStatus { bank_accounts, drafts, overdue })
    }

    /// The figures of the dashboard of an organisation on a day, all of one snapshot.
    pub async fn dashboard(&self, organisation: OrganisationId, today: Date) -> Result<Dashboard, StoreError> {
        let (days, [accounts, debtors, creditors, _]) = self
            .together_by_years(organisation, |years| {
                let days = Dashboard::days(years, today);
                let conditions = Conditions::new("a.organisation_id = $1", organisation.0);
                let queries = [
                    account_balances_query(conditions, &days, None),
                    open_items(organisation, ContactKind::Customer, (today, None)),
                    open_items(organisation, ContactKind::Supplier, (today, None)),
                    financial_years(organisation),
                ];
                (days, queries)
            })
            .await?;
        let accounts = read_account_rows(organisation, days, &accounts)?;
        let (debtors, creditors) = (read_items(&debtors)?, read_items(&creditors)?);
        Ok(Dashboard::compute(&DashboardRows { accounts, debtors, creditors }, today))
    }

    /// The open invoices due before a day: their number (`open`) or their amount (`owed`).
    async fn open_before(
        &self,
        organisation: OrganisationId,
        list: &str,
        what: &str,
        date: Date,
    ) -> Result<i64, StoreError> {
        let sql = "select cast(coalesce((select items from list_count where organisation_id = $1 and list = $2 \
                   and status = $3), 0) - coalesce((select sum(items) from list_day where organisation_id = $1 \
                   and list = $4 and day >= $5), 0) as bigint)";
        let values = params![organisation.0, format!("{list} type"), what, format!("{list} {what}"), i64::from(date)];
        self.one(sql, values).await?.map_or(Ok(0), |row| row.get(0))
    }
}
