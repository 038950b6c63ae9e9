//! What the postings of a group change, merged: one statement for each table, all of them in one hand-over.

use std::collections::BTreeMap;

use sea_orm::Value;

use super::bank_accounts::BankAccountRow;
use super::bank_transactions::BankTransactionRow;
use super::contacts::ContactRow;
use super::rows::{Cell, Column, Rows};
use crate::domain::calendar::month_of_day;
use crate::domain::ledger::vat_entry::VatEntry;
use crate::store::sql::Unit;
use crate::store::{AccountRow, StoreError};
use Column::{Flag, HexBytes, Number, Text, TextBytes};

/// Debits and credits.
type Sides = (i64, i64);

/// Rows to be written.
#[derive(Clone)]
pub(super) struct Effects {
    accounts: BTreeMap<i64, (i64, AccountRow)>,
    contacts: BTreeMap<i64, (i64, ContactRow)>,
    deleted_contacts: Vec<i64>,
    bank_accounts: BTreeMap<i64, (i64, BankAccountRow)>,
    bank_transactions: BTreeMap<i64, (i64, BankTransactionRow)>,
    deleted_bank_transactions: Vec<i64>,
    journals: Rows,
    lines: Rows,
    reversals: Rows,
    vat_entries: Rows,
    lock_changes: Rows,
    vat_schemes: Rows,
    replays: Rows,
    account_days: BTreeMap<(i64, i32), (i64, Sides)>,
    contact_days: BTreeMap<(i64, i64, i64, i32), Sides>,
    vat_days: BTreeMap<(i64, &'static str, &'static str, &'static str, i32), (i64, i64, i64)>,
    counts: BTreeMap<(i64, &'static str, &'static str), i64>,
}

/// A journal about to be written.
pub(super) struct JournalRow<'a> {
    pub(super) id: i64,
    pub(super) organisation: i64,
    pub(super) number: i64,
    pub(super) day: i32,
    pub(super) description: &'a str,
    pub(super) reference: Option<&'a str>,
    pub(super) source_type: &'a str,
    pub(super) source_id: Option<i64>,
    pub(super) reverses: Option<i64>,
    pub(super) total: i64,
    pub(super) line_count: i64,
    pub(super) at_ms: i64,
    pub(super) user_id: i64,
    pub(super) key_prefix: Option<&'a str>,
}

/// A line about to be written.
pub(super) struct LineRow<'a> {
    pub(super) id: i64,
    pub(super) organisation: i64,
    pub(super) journal: i64,
    pub(super) number: i64,
    pub(super) account: i64,
    pub(super) day: i32,
    pub(super) debit: i64,
    pub(super) credit: i64,
    pub(super) memo: Option<&'a str>,
    pub(super) vat_code: Option<&'a str>,
    pub(super) vat_amount: Option<i64>,
    pub(super) contact: Option<i64>,
    pub(super) system: bool,
}

/// A response kept for an `Idempotency-Key`.
pub(super) struct ReplayRow<'a> {
    pub(super) user_id: i64,
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) key: &'a str,
    pub(super) body_hash: &'a str,
    pub(super) status: i64,
    pub(super) body: &'a str,
    pub(super) at_ms: i64,
    pub(super) expires_ms: i64,
}

/// Adds to what is there already.
macro_rules! conflict {
    ($key:literal) => {
        concat!(
            "on conflict (",
            $key,
            ") do update set debit = t.debit + excluded.debit, credit = t.credit + excluded.credit"
        )
    };
}

impl Default for Effects {
    fn default() -> Self {
        Self {
            accounts: BTreeMap::new(),
            contacts: BTreeMap::new(),
            deleted_contacts: Vec::new(),
            bank_accounts: BTreeMap::new(),
            bank_transactions: BTreeMap::new(),
            deleted_bank_transactions: Vec::new(),
            journals: Rows::new("journal", JOURNAL, ""),
            lines: Rows::new("journal_line", LINE, ""),
            reversals: Rows::new("journal_reversal", REVERSAL, ""),
            vat_entries: Rows::new("vat_entry", VAT_ENTRY, ""),
            lock_changes: Rows::new("period_lock_change", LOCK_CHANGE, ""),
            vat_schemes: Rows::new(
                "vat_scheme_period",
                VAT_SCHEME,
                "on conflict (organisation_id, from_day) do update set scheme = excluded.scheme, \
                 flat_rate_basis_points = excluded.flat_rate_basis_points",
            ),
            replays: Rows::new(
                "idempotency_key",
                REPLAY,
                "on conflict (user_id, method, path, key) do update set body_hash = excluded.body_hash, \
                 status = excluded.status, body = excluded.body, created_at = excluded.created_at, \
                 expires_at = excluded.expires_at",
            ),
            account_days: BTreeMap::new(),
            contact_days: BTreeMap::new(),
            vat_days: BTreeMap::new(),
            counts: BTreeMap::new(),
        }
    }
}

const JOURNAL: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Number("number"),
    Number("entry_day"),
    Text("description"),
    Text("reference"),
    Text("search"),
    Text("source_type"),
    Number("source_id"),
    Number("reverses_journal_id"),
    Number("total"),
    Number("line_count"),
    Number("created_at"),
    Number("user_id"),
    Text("key_prefix"),
];

const LINE: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Number("journal_id"),
    Number("line_number"),
    Number("account_id"),
    Number("entry_day"),
    Number("debit"),
    Number("credit"),
    Text("memo"),
    Text("vat_code"),
    Number("vat_amount"),
    Number("contact_id"),
    Flag("system"),
];

const REVERSAL: &[Column] =
    &[Number("journal_id"), Number("organisation_id"), Number("entry_day"), Number("reversal_id"), Text("reason")];

const VAT_ENTRY: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Number("journal_id"),
    Number("journal_line_id"),
    Text("side"),
    Text("vat_code"),
    Text("basis"),
    Number("net"),
    Number("vat"),
    Number("tax_day"),
];

const LOCK_CHANGE: &[Column] =
    &[Number("id"), Number("organisation_id"), Number("lock_day"), Text("reason"), Number("user_id"), Number("at")];

const VAT_SCHEME: &[Column] =
    &[Number("organisation_id"), Number("from_day"), Text("scheme"), Number("flat_rate_basis_points")];

const REPLAY: &[Column] = &[
    Number("user_id"),
    Text("method"),
    Text("path"),
    Text("key"),
    HexBytes("body_hash"),
    Number("status"),
    TextBytes("body"),
    Number("created_at"),
    Number("expires_at"),
];

const ACCOUNT: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Text("code"),
    Text("name"),
    Text("account_type"),
    Text("role"),
    Number("archived_at"),
    Number("created_at"),
    Number("updated_at"),
    Number("version"),
];

const CONTACT: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Text("kind"),
    Text("name"),
    Text("contact_name"),
    Text("email"),
    Text("phone"),
    Text("address_line1"),
    Text("address_line2"),
    Text("address_city"),
    Text("address_region"),
    Text("address_postcode"),
    Text("address_country"),
    Text("company_number"),
    Text("vat_number"),
    Number("payment_terms_days"),
    Number("default_account_id"),
    Text("default_vat_code"),
    Text("reference"),
    Text("notes"),
    Flag("cis_deducts"),
    Flag("cis_is_subcontractor"),
    Number("cis_deduction_rate"),
    Text("cis_utr"),
    Text("cis_verification_number"),
    Number("cis_verified_day"),
    Text("search"),
    Flag("used"),
    Number("archived_at"),
    Number("created_at"),
    Number("updated_at"),
    Number("version"),
];

const CONTACT_CONFLICT: &str = "on conflict (id) do update set name = excluded.name, \
     contact_name = excluded.contact_name, email = excluded.email, phone = excluded.phone, \
     address_line1 = excluded.address_line1, address_line2 = excluded.address_line2, \
     address_city = excluded.address_city, address_region = excluded.address_region, \
     address_postcode = excluded.address_postcode, address_country = excluded.address_country, \
     company_number = excluded.company_number, vat_number = excluded.vat_number, \
     payment_terms_days = excluded.payment_terms_days, default_account_id = excluded.default_account_id, \
     default_vat_code = excluded.default_vat_code, reference = excluded.reference, notes = excluded.notes, \
     cis_deducts = excluded.cis_deducts, cis_is_subcontractor = excluded.cis_is_subcontractor, \
     cis_deduction_rate = excluded.cis_deduction_rate, cis_utr = excluded.cis_utr, \
     cis_verification_number = excluded.cis_verification_number, cis_verified_day = excluded.cis_verified_day, \
     search = excluded.search, used = excluded.used, archived_at = excluded.archived_at, \
     updated_at = excluded.updated_at, version = excluded.version";

impl Effects {
    /// The account as it is from now on.
    pub(super) fn account(&mut self, organisation: i64, row: AccountRow) {
        self.accounts.insert(row.id, (organisation, row));
    }

    /// The contact as it is from now on.
    pub(super) fn contact(&mut self, organisation: i64, row: ContactRow) {
        self.contacts.insert(row.id, (organisation, row));
    }

    /// A contact that goes.
    pub(super) fn delete_contact(&mut self, id: i64) {
        self.contacts.remove(&id);
        self.deleted_contacts.push(id);
    }

    /// The bank account as it is from now on.
    pub(super) fn bank_account(&mut self, organisation: i64, row: BankAccountRow) {
        self.bank_accounts.insert(row.id, (organisation, row));
    }

    /// The line of a statement as it is from now on.
    pub(super) fn bank_transaction(&mut self, organisation: i64, row: BankTransactionRow) {
        self.bank_transactions.insert(row.id, (organisation, row));
    }

    /// A line of a statement that goes.
    pub(super) fn delete_bank_transaction(&mut self, id: i64) {
        self.bank_transactions.remove(&id);
        self.deleted_bank_transactions.push(id);
    }

    /// Counts rows of a list in or out.
    pub(super) fn count(&mut self, organisation: i64, list: &'static str, status: &'static str, by: i64) {
        *self.counts.entry((organisation, list, status)).or_default() += by;
    }

    pub(super) fn journal(&mut self, row: &JournalRow<'_>) {
        let mut search = format!("{} {}", row.number, row.description.to_lowercase());
        if let Some(reference) = row.reference {
            search.push('\n');
            search.push_str(&reference.to_lowercase());
        }
        self.journals.push([
            row.id.into(),
            row.organisation.into(),
            row.number.into(),
            i64::from(row.day).into(),
            row.description.into(),
            row.reference.into(),
            Cell::Text(&search),
            row.source_type.into(),
            row.source_id.into(),
            row.reverses.into(),
            row.total.into(),
            row.line_count.into(),
            row.at_ms.into(),
            row.user_id.into(),
            row.key_prefix.into(),
        ]);
    }

    /// A line, and what it adds to the totals of its account; `of_contact` when the account is one whose balance is kept
    /// by customer or supplier.
    pub(super) fn line(&mut self, row: &LineRow<'_>, of_contact: bool) {
        self.lines.push([
            row.id.into(),
            row.organisation.into(),
            row.journal.into(),
            row.number.into(),
            row.account.into(),
            i64::from(row.day).into(),
            row.debit.into(),
            row.credit.into(),
            row.memo.into(),
            row.vat_code.into(),
            row.vat_amount.into(),
            row.contact.into(),
            row.system.into(),
        ]);
        let (_, (debit, credit)) =
            self.account_days.entry((row.account, row.day)).or_insert((row.organisation, (0, 0)));
        *debit += row.debit;
        *credit += row.credit;
        if of_contact {
            let contact = row.contact.unwrap_or(0);
            let key = (row.organisation, row.account, contact, row.day);
            let (debit, credit) = self.contact_days.entry(key).or_default();
            *debit += row.debit;
            *credit += row.credit;
        }
    }

    /// That a journal of this day is void.
    pub(super) fn reversal(&mut self, organisation: i64, journal: i64, day: i32, by: i64, reason: Option<&str>) {
        self.reversals.push([journal.into(), organisation.into(), i64::from(day).into(), by.into(), reason.into()]);
    }

    /// An entry of the VAT sub-ledger.
    pub(super) fn vat_entry(&mut self, id: i64, organisation: i64, journal: i64, line: Option<i64>, entry: &VatEntry) {
        let (side, code, basis) = (entry.side.as_str(), entry.code.code(), entry.basis.as_str());
        let day = entry.tax_point;
        let (net, vat) = (entry.amount.net.0, entry.amount.vat.0);
        self.vat_entries.push([
            id.into(),
            organisation.into(),
            journal.into(),
            line.into(),
            side.into(),
            code.into(),
            basis.into(),
            net.into(),
            vat.into(),
            i64::from(day).into(),
        ]);
        let total = self.vat_days.entry((organisation, side, code, basis, day)).or_default();
        total.0 += net;
        total.1 += vat;
        total.2 += 1;
    }

    pub(super) fn lock_change(
        &mut self,
        (id, organisation, user): (i64, i64, i64),
        day: Option<i32>,
        reason: Option<&str>,
        at_ms: i64,
    ) {
        let day = day.map(i64::from);
        self.lock_changes.push([id.into(), organisation.into(), day.into(), reason.into(), user.into(), at_ms.into()]);
    }

    pub(super) fn vat_scheme(&mut self, organisation: i64, from: i32, scheme: &str, flat_rate: Option<i64>) {
        self.vat_schemes.push([organisation.into(), i64::from(from).into(), scheme.into(), flat_rate.into()]);
    }

    pub(super) fn replay(&mut self, row: &ReplayRow<'_>) {
        self.replays.push([
            row.user_id.into(),
            row.method.into(),
            row.path.into(),
            row.key.into(),
            row.body_hash.into(),
            row.status.into(),
            row.body.into(),
            row.at_ms.into(),
            row.expires_ms.into(),
        ]);
    }

    /// Writes everything. `heads` are the books that changed: organisation, new version, next journal number.
    pub(super) async fn write(self, unit: &Unit<'_>, heads: &[(i64, i64, i64)]) -> Result<(), StoreError> {
        for (table, ids) in [("contact", &self.deleted_contacts), ("bank_transaction", &self.deleted_bank_transactions)]
        {
            if !ids.is_empty() {
                let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
                let sql = format!("delete from {table} where id in {}", unit.numbers_of_json());
                unit.execute(&sql, vec![format!("[{}]", ids.join(",")).into()]).await?;
            }
        }
        let mut head_rows = Rows::new(
            "books",
            &[Number("organisation_id"), Number("version"), Number("next_journal_number")],
            "on conflict (organisation_id) do update set version = excluded.version, \
             next_journal_number = excluded.next_journal_number",
        );
        for (organisation, version, next_number) in heads {
            head_rows.push([organisation.into(), version.into(), next_number.into()]);
        }
        let (account_days, account_months) = account_totals(&self.account_days);
        let (contact_days, contact_months) = contact_totals(&self.contact_days);
        let (vat_days, vat_months) = vat_totals(&self.vat_days);
        let tables = [
            head_rows,
            account_rows(&self.accounts),
            contact_rows(&self.contacts),
            bank_account_rows(&self.bank_accounts),
            self.journals,
            bank_transaction_rows(&self.bank_transactions),
            self.lines,
            self.reversals,
            self.vat_entries,
            account_days,
            account_months,
            contact_days,
            contact_months,
            vat_days,
            vat_months,
            self.lock_changes,
            self.vat_schemes,
            count_rows(&self.counts),
            self.replays,
        ];
        let mut statements = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        for rows in tables.into_iter().filter(|rows| !rows.is_empty()) {
            statements.push(rows.statement(unit.backend, values.len() + 1));
            values.push(rows.parameter().into());
        }
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        unit.batch(&statements, values).await
    }
}

fn account_rows(accounts: &BTreeMap<i64, (i64, AccountRow)>) -> Rows {
    let mut rows = Rows::new(
        "account",
        ACCOUNT,
        "on conflict (id) do update set code = excluded.code, name = excluded.name, role = excluded.role, \
         archived_at = excluded.archived_at, updated_at = excluded.updated_at, version = excluded.version",
    );
    for (organisation, row) in accounts.values() {
        rows.push([
            row.id.into(),
            organisation.into(),
            (&row.code).into(),
            (&row.name).into(),
            row.account_type.as_str().into(),
            (&row.role).into(),
            row.archived_at_ms.into(),
            row.created_at_ms.into(),
            row.updated_at_ms.into(),
            row.version.into(),
        ]);
    }
    rows
}

fn contact_rows(contacts: &BTreeMap<i64, (i64, ContactRow)>) -> Rows {
    let mut rows = Rows::new("contact", CONTACT, CONTACT_CONFLICT);
    for (organisation, row) in contacts.values() {
        let details = &row.details;
        let (address, cis) = (&details.address, &details.cis);
        let search = row.search_text();
        rows.push([
            row.id.into(),
            organisation.into(),
            row.kind.as_str().into(),
            (&details.name).into(),
            (&details.contact_name).into(),
            (&details.email).into(),
            (&details.phone).into(),
            (&address.line1).into(),
            (&address.line2).into(),
            (&address.city).into(),
            (&address.region).into(),
            (&address.postcode).into(),
            (&address.country).into(),
            (&details.company_number).into(),
            (&details.vat_number).into(),
            details.payment_terms_days.into(),
            details.default_account_id.into(),
            (&details.default_vat_code).into(),
            (&details.reference).into(),
            (&details.notes).into(),
            details.cis_deducts.into(),
            cis.is_subcontractor.into(),
            cis.deduction_rate.into(),
            (&cis.utr).into(),
            (&cis.verification_number).into(),
            cis.verified_day.map(i64::from).into(),
            Cell::Text(&search),
            row.used.into(),
            row.archived_at_ms.into(),
            row.created_at_ms.into(),
            row.updated_at_ms.into(),
            row.version.into(),
        ]);
    }
    rows
}

fn bank_account_rows(accounts: &BTreeMap<i64, (i64, BankAccountRow)>) -> Rows {
    const COLUMNS: &[Column] = &[
        Number("id"),
        Number("organisation_id"),
        Number("account_id"),
        Text("name"),
        Text("bank_name"),
        Text("sort_code"),
        Text("account_number"),
        Text("iban"),
        Text("kind"),
        Number("opening"),
        Number("statement"),
        Number("unconfirmed_count"),
        Number("unconfirmed"),
        Number("last_imported_at"),
        Number("archived_at"),
        Number("created_at"),
        Number("updated_at"),
        Number("version"),
    ];
    let mut rows = Rows::new(
        "bank_account",
        COLUMNS,
        "on conflict (id) do update set name = excluded.name, bank_name = excluded.bank_name, \
         sort_code = excluded.sort_code, account_number = excluded.account_number, iban = excluded.iban, \
         opening = excluded.opening, statement = excluded.statement, unconfirmed_count = excluded.unconfirmed_count, \
         unconfirmed = excluded.unconfirmed, last_imported_at = excluded.last_imported_at, \
         archived_at = excluded.archived_at, updated_at = excluded.updated_at, version = excluded.version",
    );
    for (organisation, row) in accounts.values() {
        let details = &row.details;
        rows.push([
            row.id.into(),
            organisation.into(),
            row.account_id.into(),
            (&details.name).into(),
            (&details.bank_name).into(),
            (&details.sort_code).into(),
            (&details.account_number).into(),
            (&details.iban).into(),
            row.kind.as_str().into(),
            row.opening_pence.into(),
            row.statement_pence.into(),
            row.unconfirmed_count.into(),
            row.unconfirmed_pence.into(),
            row.last_imported_at_ms.into(),
            row.archived_at_ms.into(),
            row.created_at_ms.into(),
            row.updated_at_ms.into(),
            row.version.into(),
        ]);
    }
    rows
}

fn bank_transaction_rows(transactions: &BTreeMap<i64, (i64, BankTransactionRow)>) -> Rows {
    const COLUMNS: &[Column] = &[
        Number("id"),
        Number("organisation_id"),
        Number("bank_account_id"),
        Number("day"),
        Number("amount"),
        Text("description"),
        Text("reference"),
        Text("merchant"),
        Text("external_id"),
        Number("import_id"),
        Text("status"),
        Text("kind"),
        Number("contact_id"),
        Text("lines"),
        Text("memo"),
        Number("transfer_id"),
        Number("awaited_on"),
        Number("journal_id"),
        Number("confirmed_at"),
        Number("confirmed_by"),
        Text("search"),
        Number("created_at"),
        Number("updated_at"),
        Number("version"),
    ];
    let mut rows = Rows::new(
        "bank_transaction",
        COLUMNS,
        "on conflict (id) do update set status = excluded.status, kind = excluded.kind, \
         contact_id = excluded.contact_id, lines = excluded.lines, memo = excluded.memo, \
         transfer_id = excluded.transfer_id, awaited_on = excluded.awaited_on, journal_id = excluded.journal_id, \
         confirmed_at = excluded.confirmed_at, confirmed_by = excluded.confirmed_by, \
         updated_at = excluded.updated_at, version = excluded.version",
    );
    for (organisation, row) in transactions.values() {
        let search = row.search_text();
        // Lines always print.
        let lines = serde_json::to_string(&row.lines).unwrap_or_default();
        rows.push([
            row.id.into(),
            organisation.into(),
            row.bank_account_id.into(),
            i64::from(row.day).into(),
            row.amount_pence.into(),
            (&row.description).into(),
            (&row.reference).into(),
            (&row.merchant).into(),
            (&row.external_id).into(),
            row.import_id.into(),
            row.status.as_str().into(),
            row.kind.map(|kind| kind.as_str()).into(),
            row.contact_id.into(),
            Cell::Text(&lines),
            (&row.memo).into(),
            row.transfer_id.into(),
            row.awaited_on.into(),
            row.journal_id.into(),
            row.confirmed_at_ms.into(),
            row.confirmed_by.into(),
            Cell::Text(&search),
            row.created_at_ms.into(),
            row.updated_at_ms.into(),
            row.version.into(),
        ]);
    }
    rows
}

fn account_totals(days: &BTreeMap<(i64, i32), (i64, Sides)>) -> (Rows, Rows) {
    const DAY: &[Column] =
        &[Number("account_id"), Number("day"), Number("organisation_id"), Number("debit"), Number("credit")];
    const MONTH: &[Column] =
        &[Number("account_id"), Number("month"), Number("organisation_id"), Number("debit"), Number("credit")];
    let mut of_days = Rows::new("account_day", DAY, conflict!("account_id, day"));
    let mut months: BTreeMap<(i64, i64), (i64, Sides)> = BTreeMap::new();
    for ((account, day), (organisation, (debit, credit))) in days {
        of_days.push([account.into(), i64::from(*day).into(), organisation.into(), debit.into(), credit.into()]);
        let (_, month) = months.entry((*account, month_of_day(*day).0)).or_insert((*organisation, (0, 0)));
        month.0 += debit;
        month.1 += credit;
    }
    let mut of_months = Rows::new("account_month", MONTH, conflict!("account_id, month"));
    for ((account, month), (organisation, (debit, credit))) in &months {
        of_months.push([account.into(), month.into(), organisation.into(), debit.into(), credit.into()]);
    }
    (of_days, of_months)
}

fn contact_totals(days: &BTreeMap<(i64, i64, i64, i32), Sides>) -> (Rows, Rows) {
    const DAY: &[Column] = &[
        Number("organisation_id"),
        Number("account_id"),
        Number("contact_id"),
        Number("day"),
        Number("debit"),
        Number("credit"),
    ];
    const MONTH: &[Column] = &[
        Number("organisation_id"),
        Number("account_id"),
        Number("contact_id"),
        Number("month"),
        Number("debit"),
        Number("credit"),
    ];
    let mut of_days = Rows::new("contact_day", DAY, conflict!("organisation_id, contact_id, account_id, day"));
    let mut months: BTreeMap<(i64, i64, i64, i64), Sides> = BTreeMap::new();
    for ((organisation, account, contact, day), (debit, credit)) in days {
        let number = i64::from(*day);
        of_days.push([organisation.into(), account.into(), contact.into(), number.into(), debit.into(), credit.into()]);
        let month = months.entry((*organisation, *account, *contact, month_of_day(*day).0)).or_default();
        month.0 += debit;
        month.1 += credit;
    }
    let mut of_months = Rows::new("contact_month", MONTH, conflict!("organisation_id, contact_id, account_id, month"));
    for ((organisation, account, contact, month), (debit, credit)) in &months {
        of_months.push([
            organisation.into(),
            account.into(),
            contact.into(),
            month.into(),
            debit.into(),
            credit.into(),
        ]);
    }
    (of_days, of_months)
}

type VatDays = BTreeMap<(i64, &'static str, &'static str, &'static str, i32), (i64, i64, i64)>;

fn vat_totals(days: &VatDays) -> (Rows, Rows) {
    const DAY: &[Column] = &[
        Number("organisation_id"),
        Text("side"),
        Text("vat_code"),
        Text("basis"),
        Number("day"),
        Number("net"),
        Number("vat"),
        Number("entries"),
    ];
    const MONTH: &[Column] = &[
        Number("organisation_id"),
        Text("side"),
        Text("vat_code"),
        Text("basis"),
        Number("month"),
        Number("net"),
        Number("vat"),
        Number("entries"),
    ];
    const ADD_DAY: &str = "on conflict (organisation_id, side, vat_code, basis, day) do update set \
         net = t.net + excluded.net, vat = t.vat + excluded.vat, entries = t.entries + excluded.entries";
    const ADD_MONTH: &str = "on conflict (organisation_id, side, vat_code, basis, month) do update set \
         net = t.net + excluded.net, vat = t.vat + excluded.vat, entries = t.entries + excluded.entries";
    let mut of_days = Rows::new("vat_day", DAY, ADD_DAY);
    let mut months: BTreeMap<(i64, &str, &str, &str, i64), (i64, i64, i64)> = BTreeMap::new();
    for ((organisation, side, code, basis, day), (net, vat, entries)) in days {
        let number = i64::from(*day);
        of_days.push([
            organisation.into(),
            (*side).into(),
            (*code).into(),
            (*basis).into(),
            number.into(),
            net.into(),
            vat.into(),
            entries.into(),
        ]);
        let month = months.entry((*organisation, side, code, basis, month_of_day(*day).0)).or_default();
        month.0 += net;
        month.1 += vat;
        month.2 += entries;
    }
    let mut of_months = Rows::new("vat_month", MONTH, ADD_MONTH);
    for ((organisation, side, code, basis, month), (net, vat, entries)) in &months {
        of_months.push([
            organisation.into(),
            (*side).into(),
            (*code).into(),
            (*basis).into(),
            month.into(),
            net.into(),
            vat.into(),
            entries.into(),
        ]);
    }
    (of_days, of_months)
}

fn count_rows(counts: &BTreeMap<(i64, &'static str, &'static str), i64>) -> Rows {
    let mut rows = Rows::new(
        "list_count",
        &[Number("organisation_id"), Text("list"), Text("status"), Number("items")],
        "on conflict (organisation_id, list, status) do update set items = t.items + excluded.items",
    );
    for ((organisation, list, status), by) in counts.iter().filter(|(_, by)| **by != 0) {
        rows.push([organisation.into(), (*list).into(), (*status).into(), by.into()]);
    }
    rows
}
