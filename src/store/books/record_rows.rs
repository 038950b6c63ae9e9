//! The rows of records that change: a record that is stored already is updated.

use crate::domain::books::records::account::AccountRecord;
use crate::domain::books::records::bank_account::BankAccountRecord;
use crate::domain::books::records::settlement::{PaymentMethod, SettlementRecord};
use crate::domain::books::records::statement_line::StatementLineRecord;
use crate::store::sql::{Cell, Column, Rows};
use Column::{Number, Text};

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

/// The rows of accounts.
pub(super) fn account_rows<'a>(records: impl Iterator<Item = (i64, &'a AccountRecord)>) -> Rows {
    let mut rows = Rows::new(
        "account",
        ACCOUNT,
        "on conflict (id) do update set code = excluded.code, name = excluded.name, role = excluded.role, \
         archived_at = excluded.archived_at, updated_at = excluded.updated_at, version = excluded.version",
    );
    for (organisation, row) in records {
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

/// The rows of bank accounts.
pub(super) fn bank_account_rows<'a>(records: impl Iterator<Item = (i64, &'a BankAccountRecord)>) -> Rows {
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
    for (organisation, row) in records {
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

/// The rows of statement lines.
pub(super) fn bank_transaction_rows<'a>(records: impl Iterator<Item = &'a (i64, StatementLineRecord)>) -> Rows {
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
        Number("settlement_id"),
        Text("settlement_side"),
        Number("confirmed_at"),
        Number("confirmed_by"),
        Text("search"),
        Number("created_at"),
        Number("updated_at"),
        Number("version"),
        Text("suggestion"),
        Number("suggested_confidence"),
    ];
    let mut rows = Rows::new(
        "bank_transaction",
        COLUMNS,
        "on conflict (id) do update set status = excluded.status, kind = excluded.kind, \
         contact_id = excluded.contact_id, lines = excluded.lines, memo = excluded.memo, \
         transfer_id = excluded.transfer_id, awaited_on = excluded.awaited_on, journal_id = excluded.journal_id, \
         settlement_id = excluded.settlement_id, settlement_side = excluded.settlement_side, \
         confirmed_at = excluded.confirmed_at, confirmed_by = excluded.confirmed_by, \
         updated_at = excluded.updated_at, version = excluded.version, suggestion = excluded.suggestion, \
         suggested_confidence = excluded.suggested_confidence",
    );
    for (organisation, row) in records {
        let search = row.search_text();
        // Lines always print.
        let lines = serde_json::to_string(&row.lines).unwrap_or_default();
        let suggestion = row.suggestion.as_ref().map(|known| serde_json::to_string(known).unwrap_or_default());
        rows.push([
            row.id.into(),
            organisation.into(),
            row.bank_account_id.into(),
            i64::from(row.date).into(),
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
            row.settlement.map(|(_, id)| id).into(),
            row.settlement.map(|(side, _)| side.as_str()).into(),
            row.confirmed_at_ms.into(),
            row.confirmed_by.into(),
            Cell::Text(&search),
            row.created_at_ms.into(),
            row.updated_at_ms.into(),
            row.version.into(),
            (&suggestion).into(),
            row.suggestion.as_ref().map(|known| i64::from(known.confidence)).into(),
        ]);
    }
    rows
}

/// The rows of settlements.
pub(super) fn settlement_rows<'a>(records: impl Iterator<Item = &'a (i64, SettlementRecord)>) -> Rows {
    const COLUMNS: &[Column] = &[
        Number("id"),
        Number("organisation_id"),
        Text("side"),
        Text("kind"),
        Text("number"),
        Number("contact_id"),
        Number("day"),
        Number("amount"),
        Number("bank_account_id"),
        Text("reference"),
        Text("memo"),
        Text("method"),
        Number("allocated"),
        Number("cis"),
        Number("bank_transaction_id"),
        Number("journal_id"),
        Number("void_journal_id"),
        Number("void_day"),
        Text("void_reason"),
        Number("created_at"),
        Number("updated_at"),
        Number("version"),
        Number("account_id"),
        Number("last_emailed_at"),
        Number("email_count"),
    ];
    let mut rows = Rows::new(
        "settlement",
        COLUMNS,
        "on conflict (id) do update set reference = excluded.reference, memo = excluded.memo, \
         allocated = excluded.allocated, cis = excluded.cis, bank_transaction_id = excluded.bank_transaction_id, \
         void_journal_id = excluded.void_journal_id, void_day = excluded.void_day, \
         void_reason = excluded.void_reason, updated_at = excluded.updated_at, version = excluded.version, \
         last_emailed_at = excluded.last_emailed_at, email_count = excluded.email_count",
    );
    for (organisation, row) in records {
        rows.push([
            row.id.into(),
            organisation.into(),
            row.side().as_str().into(),
            row.kind.as_str().into(),
            (&row.number).into(),
            row.contact_id.into(),
            i64::from(row.date).into(),
            row.amount_pence.into(),
            row.bank_account_id.into(),
            (&row.reference).into(),
            (&row.memo).into(),
            row.method.map(PaymentMethod::as_str).into(),
            row.allocated_pence.into(),
            row.cis_pence.into(),
            row.bank_transaction_id.into(),
            row.journal_id.into(),
            row.void_journal_id.into(),
            row.void_date.map(i64::from).into(),
            (&row.void_reason).into(),
            row.created_at_ms.into(),
            row.updated_at_ms.into(),
            row.version.into(),
            row.account_id.into(),
            row.last_emailed_at_ms.into(),
            row.email_count.into(),
        ]);
    }
    rows
}
