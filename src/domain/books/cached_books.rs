//! The books of one organisation that stay in memory between groups of commands.

use crate::domain::books::numbers::{Numbered, Sequences};
use crate::domain::books::records::account::AccountRecord;
use crate::domain::books::records::bank_account::BankAccountRecord;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::ledger::account::{Account, Role};
use crate::domain::ledger::books::Books;
use crate::domain::ledger::chart::Chart;
use crate::domain::ledger::ids::AccountId;
use crate::domain::ledger::vat_scheme::VatHistory;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The books of one organisation. Its parts are copied when they change, and only while a copy of the books is held: a
/// clone is cheap, and restoring one undoes what a refused command did.
#[derive(Debug, Clone)]
pub(crate) struct CachedBooks {
    pub(crate) organisation: Arc<OrganisationRecord>,
    pub(crate) version: i64,
    pub(crate) next_journal_number: i64,
    /// The next entry of the history gets it.
    pub(crate) next_change: i64,
    pub(crate) accounts: Arc<BTreeMap<i64, AccountRecord>>,
    pub(crate) chart: Arc<Chart>,
    pub(crate) vat: Arc<VatHistory>,
    pub(crate) bank_accounts: Arc<BTreeMap<i64, BankAccountRecord>>,
    pub(crate) sequences: Arc<Sequences>,
    /// Whether this group changed them.
    pub(crate) changed: bool,
    /// Whether this group changed the organisation's own row.
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

    /// The facts the rules ask for.
    pub(crate) fn books(&self) -> Books<'_> {
        Books { chart: &self.chart, vat: &self.vat, lock_date: self.lock_day() }
    }

    /// The account with a role the rules post to themselves; 0, which nobody has, before it is made.
    pub(crate) fn control_id(&self, role: Role) -> i64 {
        self.chart.with_role(&role).map_or(0, |account| account.id.0)
    }

    pub(crate) fn lock_day(&self) -> Option<i32> {
        self.organisation.lock_date.map(crate::domain::calendar::day_number)
    }

    /// An account as it is from now on.
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

    /// The organisation's record, to be changed.
    pub(crate) fn change_organisation(&mut self) -> &mut OrganisationRecord {
        self.organisation_changed = true;
        Arc::make_mut(&mut self.organisation)
    }

    /// A sequence of numbers has come to this one.
    pub(crate) fn put_sequence(&mut self, of: Numbered, prefix: &str, highest: u64) {
        Arc::make_mut(&mut self.sequences).insert((of, prefix.to_owned()), highest);
    }
}
