//! What a line of a statement may be of what is in the books: open invoices, and money that no line shows yet.

use super::bank_transactions::BankTransactionRow;
use super::shelf::day;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::bank_candidates::{Candidate, CandidateKind, score};
use crate::domain::ledger::money::Pence;
use crate::store::StoreError;
use crate::store::reader::Reader;
use crate::store::sql::{Row, params};

/// Open invoices whose numbers are looked for in the description, the latest.
const LOOKED_AT_MAX: i64 = 2_000;

/// What is still to be paid in cash of an open invoice: what it owes, less what CIS is to withhold of that.
const PAYABLE: &str = "case when d.cis_deduction = 0 then d.due else d.net + d.vat - d.cis_deduction - \
     (select cast(coalesce(sum(case when a.from_settlement_id is null then a.amount - a.cis else a.amount end), 0) \
     as bigint) from allocation a where a.to_document_id = d.id and a.released_day is null) end";

impl Reader {
    /// What a line may be, beside lines of other statements: invoices of its amount or named in it that are open, and
    /// receipts, payments and refunds of its amount that no line shows.
    pub async fn match_candidates(
        &self,
        organisation: OrganisationId,
        line: &BankTransactionRow,
        _today: i32,
    ) -> Result<Vec<Candidate>, StoreError> {
        let mut found = self.open_invoices_like(organisation, line).await?;
        found.extend(self.unlinked_settlements(organisation, line).await?);
        let is_offered =
            |candidate: &Candidate| score(Pence(line.amount_pence), line.day, &line.description, candidate).is_some();
        found.retain(is_offered);
        Ok(found)
    }

    async fn open_invoices_like(
        &self,
        organisation: OrganisationId,
        line: &BankTransactionRow,
    ) -> Result<Vec<Candidate>, StoreError> {
        let (kind, word) = if line.amount_pence > 0 {
            (CandidateKind::SalesInvoice, "sales_invoice")
        } else {
            (CandidateKind::PurchaseInvoice, "purchase_invoice")
        };
        let sql = format!(
            "select d.id, d.day, {PAYABLE}, d.number, d.reference, d.supplier_reference from document d \
             where d.organisation_id = $1 and d.kind = $2 and d.due > 0 order by d.due_day desc, d.id desc limit $3"
        );
        let rows = self.all(&sql, params![organisation.0, word, LOOKED_AT_MAX]).await?;
        let sign = line.amount_pence.signum();
        rows.iter().map(|row| candidate(row, kind, sign * row.get::<i64>(2)?)).collect()
    }

    async fn unlinked_settlements(
        &self,
        organisation: OrganisationId,
        line: &BankTransactionRow,
    ) -> Result<Vec<Candidate>, StoreError> {
        let sql = "select s.id, s.day, s.amount, s.number, s.reference, cast(null as text), s.side from settlement s \
                   where s.organisation_id = $1 and s.bank_account_id = $2 and s.amount = $3 \
                   and s.kind in ($4, $5) and s.bank_transaction_id is null and s.void_day is null \
                   order by abs(s.day - $6), s.id limit 50";
        let kinds = if line.amount_pence > 0 {
            ("customer_receipt", "supplier_refund")
        } else {
            ("supplier_payment", "customer_refund")
        };
        let amount = line.amount_pence.abs();
        let day = i64::from(line.day);
        let values = params![organisation.0, line.bank_account_id, amount, kinds.0, kinds.1, day];
        let rows = self.all(sql, values).await?;
        let one = |row: &Row| {
            let side: String = row.get(6)?;
            let kind = if side == "customer" { CandidateKind::CustomerReceipt } else { CandidateKind::SupplierPayment };
            candidate(row, kind, line.amount_pence)
        };
        rows.iter().map(one).collect()
    }
}

fn candidate(row: &Row, kind: CandidateKind, amount_pence: i64) -> Result<Candidate, StoreError> {
    let mut references = Vec::new();
    for column in 3..=5 {
        references.extend(row.get::<Option<String>>(column)?);
    }
    Ok(Candidate { kind, id: row.get(0)?, amount: Pence(amount_pence), date: day(row, 1)?, references })
}
