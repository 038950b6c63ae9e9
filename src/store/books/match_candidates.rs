//! Candidates that a statement line may be matched with: open invoices, and settlements that no line shows yet.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::DbBackend;

use crate::domain::books::records::statement_line::StatementLineRecord;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::bank_candidates::{Candidate, CandidateKind, score};
use crate::domain::ledger::money::Pence;
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::books::lists::trigrams;
use crate::store::sql::{Reader, Row, params};

/// How many open invoices are examined by each query: by amount, by a number of the description, and by date.
const EXAMINED_MAX: i64 = 200;

/// How many numbers of a description are searched for.
const NUMBERS_MAX: usize = 4;

/// The cash that is still to be paid on an open invoice: the amount due less the CIS to be withheld of it.
const PAYABLE: &str = "case when d.cis_deduction = 0 then d.due else d.net + d.vat - d.cis_deduction - \
     (select cast(coalesce(sum(case when a.from_settlement_id is null then a.amount - a.cis else a.amount end), 0) \
     as bigint) from allocation a where a.to_document_id = d.id and a.released_day is null) end";

impl Reader {
    /// The candidates of a line, beside lines of other statements: open invoices of its amount or named in its
    /// description, and receipts, payments and refunds of its amount that no line shows.
    pub async fn match_candidates(
        &self,
        organisation: OrganisationId,
        line: &StatementLineRecord,
    ) -> Result<Vec<Candidate>, StoreError> {
        let mut found = self.open_invoices_like(organisation, line).await?;
        found.extend(self.unlinked_settlements(organisation, line).await?);
        let is_offered =
            |candidate: &Candidate| score(Pence(line.amount_pence), line.date, &line.description, candidate).is_some();
        found.retain(is_offered);
        Ok(found)
    }

    async fn open_invoices_like(
        &self,
        organisation: OrganisationId,
        line: &StatementLineRecord,
    ) -> Result<Vec<Candidate>, StoreError> {
        let (kind, word) = if line.amount_pence > 0 {
            (CandidateKind::SalesInvoice, "sales_invoice")
        } else {
            (CandidateKind::PurchaseInvoice, "purchase_invoice")
        };
        let sign = line.amount_pence.signum();
        let amount = line.amount_pence.abs();
        let columns = format!("d.id, d.day, {PAYABLE}, d.number, d.reference, d.supplier_reference");
        let open = "d.organisation_id = $1 and d.kind = $2 and d.due > 0";
        let mut queries = vec![
            // By amount. Under CIS the amount due is more than the cash to be paid.
            (
                "document d where d.organisation_id = $1 and d.kind = $2 and d.due = $3 and d.cis_deduction = 0"
                    .to_owned(),
                params![organisation.0, word, amount],
            ),
            (
                format!(
                    "document d where {open} and d.cis_rate is not null and d.cis_deduction <> 0 and {PAYABLE} = $3"
                ),
                params![organisation.0, word, amount],
            ),
            // By date: a description may name an invoice in any way, so that the latest are examined.
            (
                "(select l.id from document l where l.organisation_id = $1 and l.kind = $2 and l.due > 0 \
                 order by l.due_day desc, l.id desc limit $3) p join document d on d.id = p.id"
                    .to_owned(),
                params![organisation.0, word, EXAMINED_MAX],
            ),
        ];
        for number in numbers_in(&line.description) {
            let mut conditions = Conditions::new("d.organisation_id = $1", organisation.0);
            conditions.and("d.kind = {}", word);
            let pattern = conditions.value(format!("%{number}%"));
            let from = if matches!(self.shared().backend, DbBackend::Sqlite) {
                let trigrams = conditions.value(trigrams(&number).unwrap_or_default());
                format!(
                    "document_trigram cross join document d on d.id = document_trigram.rowid \
                     and document_trigram match {trigrams}"
                )
            } else {
                "document d".to_owned()
            };
            let text = conditions.text();
            queries
                .push((format!("{from} where {text} and d.due > 0 and d.search like {pattern}"), conditions.values()));
        }
        let mut found: BTreeMap<i64, Candidate> = BTreeMap::new();
        for (from, values) in queries {
            for row in self.all(&format!("select {columns} from {from} limit {EXAMINED_MAX}"), values).await? {
                found.insert(row.get(0)?, candidate(&row, kind, sign * row.get::<i64>(2)?)?);
            }
        }
        Ok(found.into_values().collect())
    }

    async fn unlinked_settlements(
        &self,
        organisation: OrganisationId,
        line: &StatementLineRecord,
    ) -> Result<Vec<Candidate>, StoreError> {
        let sql = "select s.id, s.day, s.amount, s.number, s.reference, cast(null as text), s.side from settlement s \
                   where +s.organisation_id = $1 and s.bank_account_id = $2 and s.amount = $3 \
                   and s.kind in ($4, $5) and s.bank_transaction_id is null and s.void_day is null \
                   order by abs(s.day - $6), s.id limit 50";
        let kinds = if line.amount_pence > 0 {
            ("customer_receipt", "supplier_refund")
        } else {
            ("supplier_payment", "customer_refund")
        };
        let amount = line.amount_pence.abs();
        let date = i64::from(line.date);
        let values = params![organisation.0, line.bank_account_id, amount, kinds.0, kinds.1, date];
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
    Ok(Candidate { kind, id: row.get(0)?, amount: Pence(amount_pence), date: row.date(1)?, references })
}

/// The runs of at least three digits in a text, the longest first.
fn numbers_in(text: &str) -> Vec<String> {
    let runs = text.split(|one: char| !one.is_ascii_digit()).filter(|run| run.len() >= 3);
    let runs: BTreeSet<&str> = runs.collect();
    let mut numbers: Vec<String> = runs.into_iter().map(str::to_owned).collect();
    numbers.sort_by_key(|number| std::cmp::Reverse(number.len()));
    numbers.truncate(NUMBERS_MAX);
    numbers
}

#[cfg(test)]
mod tests {
    use super::numbers_in;

    #[test]
    fn numbers_are_digits_that_stand_together() {
        assert_eq!(numbers_in("FPI INV-0103 12 of 2026-04-01, 0103"), ["0103", "2026"]);
        assert!(numbers_in("CARD 12").is_empty());
    }
}
