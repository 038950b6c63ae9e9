//! Writes the effects of a group: one statement for each table, all of them sent together.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::iter::Peekable;

use sea_orm::Value;

use super::allocations::allocation_rows;
use super::cash::count_cash;
use super::contact_totals::{TradeSums, add_trade, open_item_rows, trade_rows};
use super::contacts::contact_rows;
use super::emails::email_rows;
use super::entry_rows;
use super::financial_years::closed_year_rows;
use super::imports::import_rows;
use super::previews::{preview_row, preview_rows};
use super::record_rows::{account_rows, bank_account_rows, bank_transaction_rows, settlement_rows};
use crate::domain::books::effects::{CashMovement, Effect, Effects, JournalEntry, ListDay, VatEntryRecord};
use crate::domain::books::facts::{CachedBooks, Facts};
use crate::domain::date::Date;
use crate::domain::ids::{DocumentId, OrganisationId, SettlementId};
use crate::domain::ledger::allocation::Allocation;
use crate::domain::ledger::open_item::OpenItem;
use crate::domain::ledger::vat::ReverseCharge;
use crate::domain::ledger::year_end::NO_DAY;
use crate::store::StoreError;
use crate::store::books::coding_policies::coding_policy_rows;
use crate::store::books::documents::{document_line_rows, document_rows};
use crate::store::books::entry_rows::{
    AccountSums, CashDays, CashReversals, ContactSides, account_totals, cash_day_rows, cash_reversal_rows,
    contact_totals, count_rows, list_day_rows, sequence_rows,
};
use crate::store::books::vat_adjustments::{adjustment_entry_rows, adjustment_rows};
use crate::store::books::vat_returns::return_rows;
use crate::store::books::vat_totals::{VatDays, vat_totals};
use crate::store::books::write_offs::write_off_rows;
use crate::store::sql::Column::Number;
use crate::store::sql::{Rows, Unit, json_array, params};

/// The books of the organisations of a group.
type BooksOf = HashMap<OrganisationId, CachedBooks>;

/// Effects merged by table.
struct Tables<'a> {
    accounts: BTreeSet<(i64, i64)>,
    bank_accounts: BTreeSet<(i64, i64)>,
    contacts: BTreeSet<i64>,
    deleted_contacts: Vec<i64>,
    documents: BTreeSet<i64>,
    /// Documents whose lines are written.
    documents_with_lines: BTreeSet<i64>,
    /// Documents whose lines are deleted first.
    lineless_documents: BTreeSet<i64>,
    deleted_documents: Vec<i64>,
    allocations: BTreeMap<i64, (i64, &'a Allocation)>,
    sequences: BTreeMap<(i64, &'static str, &'a str), u64>,
    bank_transactions: BTreeSet<i64>,
    deleted_bank_transactions: Vec<i64>,
    settlements: BTreeSet<i64>,
    imports: BTreeSet<i64>,
    vat_adjustments: BTreeSet<i64>,
    vat_returns: BTreeSet<i64>,
    deleted_vat_returns: Vec<i64>,
    write_offs: BTreeSet<i64>,
    emails: BTreeSet<i64>,
    coding_policies: BTreeSet<i64>,
    journals: Rows,
    lines: Rows,
    reversals: Rows,
    vat_entries: Rows,
    lock_changes: Rows,
    /// Organisations whose VAT schemes are written anew.
    vat_schemes: BTreeSet<i64>,
    /// Organisations whose financial years are written anew.
    financial_years: BTreeSet<i64>,
    /// Organisations whose closed financial years are written anew.
    closed_years: BTreeSet<i64>,
    replays: Rows,
    changes: Rows,
    previews: Option<Rows>,
    account_days: BTreeMap<(i64, Date), AccountSums>,
    contact_days: BTreeMap<(i64, i64, i64, Date), ContactSides>,
    vat_days: VatDays,
    /// By source.
    open_items: BTreeMap<(&'static str, i64), (i64, OpenItem)>,
    trade: TradeSums,
    cash_days: CashDays,
    cash_reversals: CashReversals,
    /// Organisations whose cash is counted again.
    cash_counted: BTreeSet<i64>,
    counts: BTreeMap<(i64, &'static str, Cow<'a, str>), i64>,
    list_days: BTreeMap<(i64, ListDay), i64>,
}

impl Default for Tables<'_> {
    fn default() -> Self {
        Self {
            accounts: BTreeSet::new(),
            bank_accounts: BTreeSet::new(),
            contacts: BTreeSet::new(),
            deleted_contacts: Vec::new(),
            documents: BTreeSet::new(),
            documents_with_lines: BTreeSet::new(),
            lineless_documents: BTreeSet::new(),
            deleted_documents: Vec::new(),
            allocations: BTreeMap::new(),
            sequences: BTreeMap::new(),
            bank_transactions: BTreeSet::new(),
            deleted_bank_transactions: Vec::new(),
            settlements: BTreeSet::new(),
            imports: BTreeSet::new(),
            vat_adjustments: BTreeSet::new(),
            vat_returns: BTreeSet::new(),
            deleted_vat_returns: Vec::new(),
            write_offs: BTreeSet::new(),
            emails: BTreeSet::new(),
            coding_policies: BTreeSet::new(),
            journals: entry_rows::journals(),
            lines: entry_rows::lines(),
            reversals: entry_rows::reversals(),
            vat_entries: entry_rows::vat_entries(),
            lock_changes: entry_rows::lock_changes(),
            vat_schemes: BTreeSet::new(),
            financial_years: BTreeSet::new(),
            closed_years: BTreeSet::new(),
            replays: entry_rows::replays(),
            changes: entry_rows::changes(),
            previews: None,
            account_days: BTreeMap::new(),
            contact_days: BTreeMap::new(),
            vat_days: BTreeMap::new(),
            open_items: BTreeMap::new(),
            trade: BTreeMap::new(),
            cash_days: BTreeMap::new(),
            cash_reversals: BTreeMap::new(),
            cash_counted: BTreeSet::new(),
            counts: BTreeMap::new(),
            list_days: BTreeMap::new(),
        }
    }
}

impl<'a> Tables<'a> {
    /// The effects of a group by table.
    fn of(effects: &'a Effects, facts: &'a Facts) -> Self {
        let mut tables = Self::default();
        for (organisation, effect) in effects.iter() {
            tables.add(*organisation, effect, facts);
        }
        tables.add_open_items(facts);
        tables
    }

    /// Adds an effect to the rows of its table.
    fn add(&mut self, organisation: i64, effect: &'a Effect, facts: &'a Facts) {
        match effect {
            Effect::Account(id) => {
                self.accounts.insert((organisation, *id));
            }
            Effect::BankAccount(id) => {
                self.bank_accounts.insert((organisation, *id));
            }
            Effect::Contact(id) => {
                self.contacts.insert(*id);
            }
            Effect::Document(id) => {
                self.documents.insert(*id);
            }
            Effect::DocumentLines { id, is_new } => {
                self.documents_with_lines.insert(*id);
                if !is_new {
                    self.lineless_documents.insert(*id);
                }
            }
            Effect::Settlement(id) => {
                self.settlements.insert(*id);
            }
            Effect::StatementLine(id) => {
                self.bank_transactions.insert(*id);
            }
            Effect::Import(id) => {
                self.imports.insert(*id);
            }
            Effect::VatAdjustment(id) => {
                self.vat_adjustments.insert(*id);
            }
            Effect::VatReturn(id) => {
                self.vat_returns.insert(*id);
            }
            Effect::WriteOff(id) => {
                self.write_offs.insert(*id);
            }
            Effect::Email(id) => {
                self.emails.insert(*id);
            }
            Effect::ContactDeleted(id) => self.deleted_contacts.push(*id),
            Effect::DocumentDeleted(id) => {
                self.lineless_documents.insert(*id);
                self.deleted_documents.push(*id);
            }
            Effect::StatementLineDeleted(id) => self.deleted_bank_transactions.push(*id),
            Effect::VatReturnDeleted(id) => self.deleted_vat_returns.push(*id),
            Effect::Allocation(allocation) => {
                self.allocations.insert(allocation.id.map_or(0, |id| id.0), (organisation, allocation));
            }
            Effect::Sequence { family, prefix, highest } => {
                self.sequences.insert((organisation, family, prefix), *highest);
            }
            Effect::Journal(journal) => self.add_journal(organisation, journal),
            Effect::Trade(movement) => add_trade(&mut self.trade, organisation, movement),
            Effect::CashCounted => {
                self.cash_counted.insert(organisation);
            }
            Effect::Reversal(record) => entry_rows::push_reversal(&mut self.reversals, organisation, record),
            Effect::VatEntry(record) => self.add_vat_entry(organisation, record),
            Effect::LockChange(record) => entry_rows::push_lock_change(&mut self.lock_changes, organisation, record),
            Effect::VatSchemes => {
                self.vat_schemes.insert(organisation);
            }
            Effect::FinancialYears => {
                self.financial_years.insert(organisation);
            }
            Effect::ClosedYears => {
                self.closed_years.insert(organisation);
            }
            Effect::CodingPolicy(organisation) => {
                self.coding_policies.insert(*organisation);
            }
            Effect::Preview { hash, body } => {
                if let Some(record) = facts.previews.get(hash) {
                    preview_row(self.previews.get_or_insert_with(preview_rows), record, hash, body);
                }
            }
            Effect::Count(list, status, by) => {
                *self.counts.entry((organisation, list, Cow::Borrowed(status))).or_default() += by;
            }
            Effect::CountDay(date, by) => *self.list_days.entry((organisation, *date)).or_default() += by,
            Effect::Change(entry) => entry_rows::push_change(&mut self.changes, organisation, entry),
            Effect::Replay(record) => entry_rows::push_replay(&mut self.replays, record),
        }
    }

    /// Adds a journal and its lines, and adds the lines to the totals of their accounts and contacts.
    fn add_journal(&mut self, organisation: i64, journal: &JournalEntry) {
        let view = &journal.view;
        entry_rows::push_journal(&mut self.journals, organisation, view);
        if let Some(cash) = journal.cash {
            self.add_cash(organisation, view.entry_date, cash);
        }
        for item in &journal.open_items {
            self.open_items.insert(item.source.key(), (organisation, item.clone()));
        }
        for (at, (line, direct)) in view.lines.iter().zip(&journal.direct).enumerate() {
            let closing_day = journal.counting_days.as_ref().and_then(|days| days.get(at)).copied();
            entry_rows::push_line(&mut self.lines, organisation, view, (line, closing_day));
            let is_first = view.lines.iter().take(at).all(|other| other.account_id != line.account_id);
            let sums = self.account_days.entry((line.account_id, view.entry_date)).or_default();
            sums.organisation = organisation;
            sums.journals += i64::from(is_first);
            let counts_from = closing_day.unwrap_or(view.entry_date);
            if counts_from != NO_DAY {
                let sums = self.account_days.entry((line.account_id, counts_from)).or_default();
                sums.organisation = organisation;
                sums.sides.0 += line.debit_pence;
                sums.sides.1 += line.credit_pence;
                sums.lines += 1;
            }
            if let Some(is_direct) = direct {
                let key = (organisation, line.account_id, line.contact_id.unwrap_or(0), view.entry_date);
                let sides = (line.debit_pence, line.credit_pence);
                self.contact_days.entry(key).or_default().add(sides, *is_direct);
            }
        }
    }

    /// Adds what a journal moves on the bank accounts to the totals of its day.
    fn add_cash(&mut self, organisation: i64, date: Date, CashMovement { pence, reversed }: CashMovement) {
        let of_day = self.cash_days.entry((organisation, date)).or_default();
        *(if pence > 0 { &mut of_day.0 } else { &mut of_day.1 }) += pence.abs();
        if let Some(reversed) = reversed {
            *self.cash_reversals.entry((organisation, reversed, date)).or_default() += pence.abs();
        }
    }

    /// Adds an entry of VAT, and adds it to the totals of its day.
    fn add_vat_entry(&mut self, organisation: i64, record: &VatEntryRecord) {
        entry_rows::push_vat_entry(&mut self.vat_entries, organisation, record);
        let entry = &record.entry;
        let (side, code, basis) = (entry.side.as_str(), entry.code.code(), entry.basis.as_str());
        let charge = entry.reverse_charge.map_or("", ReverseCharge::as_str);
        let key = (organisation, side, code, basis, charge, entry.tax_point, entry.rate_date.unwrap_or(NO_DAY));
        let total = self.vat_days.entry(key).or_default();
        total.0 += entry.amount.net.0;
        total.1 += entry.amount.vat.0;
        total.2 += 1;
    }

    /// Adds the documents and settlements that changed, with the days between which something of them is open.
    fn add_open_items(&mut self, facts: &Facts) {
        for id in &self.documents {
            let known = facts.documents.get(id).zip(facts.register.documents.get(&DocumentId(*id)));
            if let Some(((organisation, row), known)) = known.filter(|((_, row), _)| row.issued_at_ms.is_some()) {
                let item = OpenItem::of_document(known, row.void_date);
                self.open_items.insert(item.source.key(), (*organisation, item));
            }
        }
        for id in &self.settlements {
            let known = facts.settlements.get(id).zip(facts.register.settlements.get(&SettlementId(*id)));
            if let Some(((organisation, row), known)) = known {
                let item = OpenItem::of_settlement(*id, known, row.void_date);
                self.open_items.insert(item.source.key(), (*organisation, item));
            }
        }
    }

    /// Deletes the records that are gone, and those that are written anew: the lines of documents, and histories.
    async fn delete(&self, unit: &Unit<'_>) -> Result<(), StoreError> {
        let lineless: Vec<i64> = self.lineless_documents.iter().copied().collect();
        let vat_schemes: Vec<i64> = self.vat_schemes.iter().copied().collect();
        let financial_years: Vec<i64> = self.financial_years.iter().copied().collect();
        let closed_years: Vec<i64> = self.closed_years.iter().copied().collect();
        for (table, column, ids) in [
            ("vat_scheme_period", "organisation_id", &vat_schemes),
            ("financial_year_end_period", "organisation_id", &financial_years),
            ("financial_year_close", "organisation_id", &closed_years),
            ("document_line", "document_id", &lineless),
            ("document", "id", &self.deleted_documents),
            ("contact", "id", &self.deleted_contacts),
            ("bank_transaction", "id", &self.deleted_bank_transactions),
            ("vat_return", "id", &self.deleted_vat_returns),
        ] {
            if !ids.is_empty() {
                let sql = format!("delete from {table} where {column} in {}", unit.numbers_of_json());
                unit.execute(&sql, params![json_array(ids)]).await?;
            }
        }
        Ok(())
    }

    /// The rows of every table, in the order in which they are written.
    fn into_rows(self, unit: &Unit<'_>, facts: &Facts, books: &BooksOf) -> [Option<Rows>; 39] {
        let of = |organisation: i64| books.get(&OrganisationId(organisation));
        let accounts = self.accounts.iter().filter_map(|(organisation, id)| {
            of(*organisation).and_then(|books| books.accounts.get(id)).map(|row| (*organisation, row))
        });
        let bank_accounts = self.bank_accounts.iter().filter_map(|(organisation, id)| {
            of(*organisation).and_then(|books| books.bank_accounts.get(id)).map(|row| (*organisation, row))
        });
        let (account_days, account_months) = account_totals(&self.account_days);
        let (contact_days, contact_months) = contact_totals(&self.contact_days);
        let (vat_days, vat_months) = vat_totals(&self.vat_days);
        [
            any(accounts, account_rows),
            any(self.contacts.iter().filter_map(|id| facts.contacts.get(id)), contact_rows),
            any(bank_accounts, bank_account_rows),
            Some(self.journals),
            any(self.settlements.iter().filter_map(|id| facts.settlements.get(id)), settlement_rows),
            any(self.documents.iter().filter_map(|id| facts.documents.get(id)), document_rows),
            any(self.documents_with_lines.iter().filter_map(|id| facts.documents.get(id)), document_line_rows),
            any(self.allocations.iter(), |allocations| allocation_rows(allocations, unit.now_ms)),
            Some(sequence_rows(&self.sequences)),
            any(self.bank_transactions.iter().filter_map(|id| facts.transactions.get(id)), bank_transaction_rows),
            Some(self.lines),
            Some(self.reversals),
            Some(self.vat_entries),
            Some(account_days),
            Some(account_months),
            Some(contact_days),
            Some(contact_months),
            Some(vat_days),
            Some(vat_months),
            Some(open_item_rows(&self.open_items)),
            Some(trade_rows(&self.trade)),
            Some(cash_day_rows(&self.cash_days)),
            Some(cash_reversal_rows(&self.cash_reversals)),
            Some(self.lock_changes),
            any(self.vat_schemes.iter().filter_map(|id| of(*id)), entry_rows::vat_schemes),
            any(self.financial_years.iter().filter_map(|id| of(*id)), entry_rows::financial_years),
            Some(count_rows(&self.counts)),
            Some(list_day_rows(&self.list_days)),
            Some(self.replays),
            Some(self.changes),
            any(self.imports.iter().filter_map(|id| facts.imports.get(id)), import_rows),
            any(self.emails.iter().filter_map(|id| facts.emails.get(id)), email_rows),
            self.previews,
            any(self.vat_adjustments.iter().filter_map(|id| facts.vat_adjustments.get(id)), adjustment_rows),
            any(self.vat_adjustments.iter().filter_map(|id| facts.vat_adjustments.get(id)), adjustment_entry_rows),
            any(self.vat_returns.iter().filter_map(|id| facts.vat_returns.get(id)), return_rows),
            any(self.write_offs.iter().filter_map(|id| facts.write_offs.get(id)), write_off_rows),
            any(
                self.coding_policies.iter().filter_map(|id| facts.coding_policies.get_key_value(id)),
                coding_policy_rows,
            ),
            any(self.closed_years.iter().filter_map(|id| facts.closed_years.get_key_value(id)), closed_year_rows),
        ]
    }
}

/// The rows of records, when there are any.
fn any<I: Iterator>(records: I, rows: impl FnOnce(Peekable<I>) -> Rows) -> Option<Rows> {
    let mut records = records.peekable();
    records.peek().is_some().then(|| rows(records))
}

/// Writes the effects of a group. `heads` are the rows of the changed books: organisation, new version, next journal
/// number, next entry of the history.
pub(super) async fn write(
    unit: &Unit<'_>,
    effects: &Effects,
    (facts, books): (&Facts, &BooksOf),
    heads: &[(i64, i64, i64, i64)],
) -> Result<(), StoreError> {
    let tables = Tables::of(effects, facts);
    tables.delete(unit).await?;
    let counted = tables.cash_counted.clone();
    let mut head_rows = Rows::new(
        "books",
        &[Number("organisation_id"), Number("version"), Number("next_journal_number"), Number("next_change")],
        "on conflict (organisation_id) do update set version = excluded.version, \
         next_journal_number = excluded.next_journal_number, next_change = excluded.next_change",
    );
    for (organisation, version, next_number, next_change) in heads {
        head_rows.push([organisation.into(), version.into(), next_number.into(), next_change.into()]);
    }
    let mut statements = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    let rows = std::iter::once(Some(head_rows)).chain(tables.into_rows(unit, facts, books));
    for rows in rows.flatten().filter(|rows| !rows.is_empty()) {
        statements.push(rows.statement(unit.backend, values.len() + 1));
        values.push(rows.parameter().into());
    }
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    unit.batch(&statements, values).await?;
    for organisation in counted {
        count_cash(unit, organisation).await?;
    }
    Ok(())
}
