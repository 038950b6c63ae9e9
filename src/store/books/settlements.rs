//! Customer receipts, supplier payments and refunds, and what they and credit notes are set against.

use crate::domain::books::records::settlement::{PaymentMethod, SettlementRecord};
use crate::domain::ledger::allocation::SettlementKind;
use crate::store::StoreError;
use crate::store::books::cache::day;
use crate::store::sql::Row;

pub(super) const SETTLEMENT_COLUMNS: &str = "s.id, s.kind, s.number, s.contact_id, s.day, s.amount, \
     s.bank_account_id, s.reference, s.memo, s.method, s.allocated, s.cis, s.bank_transaction_id, s.journal_id, \
     s.void_journal_id, s.void_day, s.void_reason, s.created_at, s.updated_at, s.version";

/// How many columns that is.
pub(super) const COLUMNS: usize = 20;

pub(super) fn read_settlement(row: &Row) -> Result<SettlementRecord, StoreError> {
    let (method, void_day): (Option<String>, Option<i64>) = (row.get(9)?, row.get(15)?);
    Ok(SettlementRecord {
        id: row.get(0)?,
        kind: row.parsed(1, SettlementKind::parse)?,
        number: row.get(2)?,
        contact_id: row.get(3)?,
        day: day(row, 4)?,
        amount_pence: row.get(5)?,
        bank_account_id: row.get(6)?,
        reference: row.get(7)?,
        memo: row.get(8)?,
        method: method.as_deref().and_then(PaymentMethod::parse),
        allocated_pence: row.get(10)?,
        cis_pence: row.get(11)?,
        bank_transaction_id: row.get(12)?,
        journal_id: row.get(13)?,
        void_journal_id: row.get(14)?,
        void_day: void_day.and_then(|day| i32::try_from(day).ok()),
        void_reason: row.get(16)?,
        created_at_ms: row.get(17)?,
        updated_at_ms: row.get(18)?,
        version: row.get(19)?,
    })
}
