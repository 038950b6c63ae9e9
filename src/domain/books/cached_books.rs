//! The books of one organisation, which stay in memory between groups of commands.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::books::numbers::{Numbered, Sequences};
use crate::domain::books::records::account::AccountRecord;
use crate::domain::books::records::bank_account::BankAccountRecord;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::date::Date;
use crate::domain::ids::AccountId;
use crate::domain::ledger::chart::{Account, Books, Chart, Role};
use crate::domain::ledger::vat::VatHistory;

/// The books of one organisation. A clone is cheap, because a part is copied only when it changes while a clone exists;
/// restoring the clone undoes the changes of a refused command.
#[derive(Debug, Clone)]
pub(crate) struct CachedBooks {
    pub(crate) organisation: Arc<OrganisationRecord>,
    pub(crate) version: i64,
    pub(crate) next_journal_number: i64,
    /// The number of the next entry of the history.
    pub(crate) next_change: i64,
    pub(crate) accounts: Arc<BTreeMap<i64, AccountRecord>>,
    pub(crate) chart: Arc<Chart>,
    pub(crate) vat: Arc<VatHistory>,
    pub(crate) bank_accounts: Arc<BTreeMap<i64, BankAccountRecord>>,
    pub(crate) sequences: Arc<Sequences>,
    /// Whether the group changed the books.
    pub(crate) changed: bool,
    /// Whether the group changed the organisation's own row.
    pub(crate) organisation_changed: bool,
}

impl CachedBooks {
    /// The books of a new organisation, without accounts.
    pub(crate) fn new(organisation: OrganisationRecord) -> Self {
        Self {
            organisation: Arc::new(organisation),
            version: 1,
            next_journal_number: 1,
            next_change: 1,
            accounts: Arc::default(),
            chart: Arc::default(),
            vat: Arc::default(),
            bank_accounts: Arc::default(),
            sequences: Arc::default(),
            changed: false,
            organisation_changed: false,
        }
    }

    /// The books as the rules read them.
    pub(crate) fn books(&self) -> Books<'_> {
        Books { chart: &self.chart, vat: &self.vat, lock_date: self.lock_date() }
    }

    /// The account with a role that the rules post to; 0, which no account has, before it is created.
    pub(crate) fn control_id(&self, role: Role) -> i64 {
        self.chart.with_role(&role).map_or(0, |account| account.id.0)
    }

    /// The last locked day.
    pub(crate) fn lock_date(&self) -> Option<Date> {
        self.organisation.lock_date
    }

    /// Sets an account.
    pub(crate) fn put_account(&mut self, row: AccountRecord) {
        Arc::make_mut(&mut self.chart).insert(Account {
            id: AccountId(row.id),
            code: row.code.clone(),
            name: row.name.clone(),
            account_type: row.account_type,
            role: row.role.as_deref().map(Role::parse),
            is_archived: row.archived_at_ms.is_some(),
        });
        Arc::make_mut(&mut self.accounts).insert(row.id, row);
    }

    /// Sets a bank account.
    pub(crate) fn put_bank_account(&mut self, row: BankAccountRecord) {
        Arc::make_mut(&mut self.bank_accounts).insert(row.id, row);
    }

    /// The record of the organisation, to be changed.
    pub(crate) fn change_organisation(&mut self) -> &mut OrganisationRecord {
        self.organisation_changed = true;
        Arc::make_mut(&mut self.organisation)
    }

    /// Sets the highest number of a sequence.
    pub(crate) fn put_sequence(&mut self, of: Numbered, prefix: &str, highest: u64) {
        Arc::make_mut(&mut self.sequences).insert((of, prefix.to_owned()), highest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::books::records::organisation::blank;
    use crate::domain::ledger::chart::AccountType;
    use crate::domain::ledger::document::DocumentKind;

    fn account(id: i64, code: &str) -> AccountRecord {
        let account = Account {
            id: AccountId(id),
            code: code.to_owned(),
            name: "Sales".to_owned(),
            account_type: AccountType::Revenue,
            role: None,
            is_archived: false,
        };
        AccountRecord::of(&account, 1_000)
    }

    #[test]
    fn a_clone_is_unaffected_by_later_changes() {
        let sequence = (Numbered::Documents(DocumentKind::SalesInvoice), "INV-".to_owned());
        let mut books = CachedBooks::new(blank(1_000));
        books.put_account(account(1, "4000"));
        books.put_bank_account(BankAccountRecord::first(1, 1, 1_000));
        books.put_sequence(sequence.0, &sequence.1, 3);
        let before = books.clone();

        books.put_account(account(1, "4999"));
        books.put_account(account(2, "5000"));
        books.put_bank_account(BankAccountRecord::first(2, 2, 1_000));
        books.put_sequence(sequence.0, &sequence.1, 4);
        books.change_organisation().name = "Changed".to_owned();
        books.version += 1;

        assert_eq!(before.accounts.values().map(|row| row.code.as_str()).collect::<Vec<_>>(), ["4000"]);
        assert_eq!(before.chart.get(AccountId(1)).map(|account| account.code.as_str()), Some("4000"));
        assert!(before.chart.get(AccountId(2)).is_none());
        assert_eq!(before.bank_accounts.len(), 1);
        assert_eq!(before.sequences.get(&sequence), Some(&3));
        assert_eq!((before.organisation.name.as_str(), before.organisation_changed), ("", false));
        assert_eq!(before.version, 1);
        assert_eq!((books.accounts.len(), books.organisation.name.as_str()), (2, "Changed"));
    }

    #[test]
    fn a_clone_shares_the_parts_that_do_not_change() {
        let mut books = CachedBooks::new(blank(1_000));
        books.put_account(account(1, "4000"));
        let before = books.clone();
        books.put_bank_account(BankAccountRecord::first(1, 1, 1_000));
        assert!(Arc::ptr_eq(&before.accounts, &books.accounts));
        assert!(!Arc::ptr_eq(&before.bank_accounts, &books.bank_accounts));
    }
}
