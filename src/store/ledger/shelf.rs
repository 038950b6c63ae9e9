//! The books the writer works with: what is kept of an organisation between groups, and what a group loads beside it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::accounts::{ACCOUNT_COLUMNS, AccountRow, read_account};
use super::bank_accounts::{BANK_ACCOUNT_COLUMNS, BankAccountRow, read_bank_account};
use super::numbers::{self, Sequences};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::account::{Account, Role};
use crate::domain::ledger::books::Books;
use crate::domain::ledger::chart::Chart;
use crate::domain::ledger::decimal::Percent;
use crate::domain::ledger::ids::AccountId;
use crate::domain::ledger::vat_scheme::{VatHistory, VatScheme};
use crate::store::organisations::organisation_by_id;
use crate::store::sql::{Row, Unit, for_update, params};
use crate::store::{OrganisationRow, StoreError};

/// Organisations whose books are kept between groups.
const SHELVED_MAX: usize = 256;

/// What postings to an organisation's books need to know at hand.
#[derive(Debug, Clone)]
pub(super) struct Shelved {
    pub(super) organisation: OrganisationRow,
    pub(super) version: i64,
    pub(super) next_journal_number: i64,
    /// The next entry of the history gets it.
    pub(super) next_change: i64,
    pub(super) accounts: BTreeMap<i64, AccountRow>,
    pub(super) chart: Chart,
    pub(super) vat: VatHistory,
    pub(super) bank_accounts: BTreeMap<i64, BankAccountRow>,
    pub(super) sequences: Sequences,
    /// Whether this group changed them.
    pub(super) changed: bool,
    /// Whether this group changed the organisation's own row.
    pub(super) organisation_changed: bool,
    used: u64,
}

impl Shelved {
    /// The facts the rules ask for.
    pub(super) fn books(&self) -> Books<'_> {
        Books { chart: &self.chart, vat: &self.vat, lock_date: self.lock_day() }
    }

    /// The account with a role the rules post to themselves; 0, which nobody has, before it is made.
    pub(super) fn control_id(&self, role: Role) -> i64 {
        self.chart.with_role(&role).map_or(0, |account| account.id.0)
    }

    pub(super) fn lock_day(&self) -> Option<i32> {
        self.organisation.lock_date.map(crate::domain::calendar::day_number)
    }

    /// An account as it is from now on.
    pub(super) fn put_account(&mut self, row: AccountRow) {
        self.chart.insert(Account {
            id: AccountId(row.id),
            code: row.code.clone(),
            name: row.name.clone(),
            account_type: row.account_type,
            role: row.role.as_deref().map(Role::parse),
            is_archived: row.archived_at_ms.is_some(),
        });
        self.accounts.insert(row.id, row);
    }
}

/// The books kept between groups.
#[derive(Default)]
pub(super) struct Shelf {
    books: HashMap<OrganisationId, Shelved>,
    clock: u64,
}

impl Shelf {
    /// Takes the books of these organisations for a group, locking each against other processes; those that are not kept
    /// or have moved on are loaded. Organisations without books are left out.
    pub(super) async fn take(
        &mut self,
        unit: &Unit<'_>,
        organisations: &BTreeSet<OrganisationId>,
        lock: bool,
    ) -> Result<HashMap<OrganisationId, Shelved>, StoreError> {
        let ids: Vec<String> = organisations.iter().map(|id| id.0.to_string()).collect();
        // In one order everywhere, so that two processes never wait for each other.
        let sql = format!(
            "select organisation_id, version, next_journal_number, next_change from books where organisation_id in {} \
             order by organisation_id{}",
            unit.numbers_of_json(),
            if lock { for_update(unit.backend) } else { "" }
        );
        let heads = unit.all(&sql, params![format!("[{}]", ids.join(","))]).await?;
        let mut taken = HashMap::with_capacity(heads.len());
        for head in &heads {
            let (id, version) = (OrganisationId(head.get(0)?), head.get::<i64>(1)?);
            let kept = self.books.remove(&id).filter(|kept| kept.version == version);
            let books = match kept {
                Some(kept) => kept,
                None => load(unit, id, version, (head.get(2)?, head.get(3)?)).await?,
            };
            taken.insert(id, books);
        }
        Ok(taken)
    }

    /// Puts books back as a commit left them.
    pub(super) fn put_back(&mut self, books: HashMap<OrganisationId, Shelved>) {
        self.clock += 1;
        for (id, mut shelved) in books {
            shelved.used = self.clock;
            self.books.insert(id, shelved);
        }
        while self.books.len() > SHELVED_MAX {
            let oldest = self.books.iter().min_by_key(|(_, shelved)| shelved.used).map(|(id, _)| *id);
            let Some(oldest) = oldest else { break };
            self.books.remove(&oldest);
        }
    }
}

async fn load(
    unit: &Unit<'_>,
    id: OrganisationId,
    version: i64,
    (next_journal_number, next_change): (i64, i64),
) -> Result<Shelved, StoreError> {
    let organisation = organisation_by_id(unit, id).await?;
    let mut shelved = Shelved {
        organisation,
        version,
        next_journal_number,
        next_change,
        accounts: BTreeMap::new(),
        chart: Chart::default(),
        vat: VatHistory::default(),
        bank_accounts: BTreeMap::new(),
        sequences: numbers::load(unit, id.0).await?,
        changed: false,
        organisation_changed: false,
        used: 0,
    };
    let sql = format!("select {ACCOUNT_COLUMNS} from account a where a.organisation_id = $1");
    for row in unit.all(&sql, params![id.0]).await? {
        shelved.put_account(read_account(&row)?);
    }
    let sql = "select from_day, scheme, flat_rate_basis_points from vat_scheme_period where organisation_id = $1";
    let mut schemes = Vec::new();
    for row in unit.all(sql, params![id.0]).await? {
        schemes.push((day(&row, 0)?, scheme(&row)?));
    }
    shelved.vat = VatHistory::new(schemes);
    let sql = format!("select {BANK_ACCOUNT_COLUMNS} from bank_account b where b.organisation_id = $1");
    for row in unit.all(&sql, params![id.0]).await? {
        let bank = read_bank_account(&row)?;
        shelved.bank_accounts.insert(bank.id, bank);
    }
    Ok(shelved)
}

fn scheme(row: &Row) -> Result<VatScheme, StoreError> {
    let (word, rate): (String, Option<i64>) = (row.get(1)?, row.get(2)?);
    VatScheme::from_parts(&word, rate.map(Percent)).map_err(|_| StoreError::corrupt("vat scheme", word))
}

pub(super) fn day(row: &Row, index: usize) -> Result<i32, StoreError> {
    let day: i64 = row.get(index)?;
    i32::try_from(day).map_err(|_| StoreError::corrupt("day out of range", day))
}
