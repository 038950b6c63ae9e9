//! The movements of a bank account as the books have them.

use crate::domain::books::records::bank_book::{BankBookRow, BankBookSource};
use crate::domain::date::Date;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::bank::BankStatus;
use crate::domain::ledger::money::Pence;
use crate::store::StoreError;
use crate::store::sql::{Reader, Row, params};

/// The lines of statements in the books or waiting for them, from day `$3` to day `$4`, by the index of bank account and day.
const STATEMENT_LINES: &str = "select t.day, t.amount, t.description, t.id, t.status from bank_transaction t \
     where +t.organisation_id = $1 and t.bank_account_id = $2 and t.day >= $3 and t.day <= $4 \
     and t.status || '' <> 'excluded' order by t.day, t.id limit $5";

/// What was posted to the account of the bank account on these days and is shown by no line of a statement. Opening balances
/// are no movement; a journal and its reversal are none together when both are of these days.
const JOURNAL_LINES: &str = "select l.entry_day, l.debit - l.credit, j.description, l.journal_id, j.reference, l.memo, \
     (select c.name from journal_line o join contact c on c.id = o.contact_id where o.journal_id = j.id \
     order by o.line_number limit 1) \
     from bank_account b join journal_line l on l.account_id = b.account_id join journal j on j.id = l.journal_id \
     where b.organisation_id = $1 and b.id = $2 and l.entry_day >= $3 and l.entry_day <= $4 \
     and j.source_type || '' <> 'opening_balance' \
     and not exists (select 1 from bank_transaction t where t.journal_id = l.journal_id and t.bank_account_id + 0 = $2) \
     and not exists (select 1 from journal_reversal v join journal r on r.id = v.reversal_id \
     where v.journal_id = l.journal_id and r.entry_day + 0 >= $3 and r.entry_day + 0 <= $4) \
     and not exists (select 1 from journal r where r.id = j.reverses_journal_id and (r.source_type || '' = 'opening_balance' \
     or (r.entry_day + 0 >= $3 and r.entry_day + 0 <= $4))) \
     order by l.entry_day, l.journal_id, l.line_number limit $5";

impl Reader {
    /// The movements of a bank account from one day to another: the lines of statements that are not excluded, then what was
    /// posted without one. Of more than `rows_max` that many and one.
    pub async fn bank_book(
        &self,
        organisation: OrganisationId,
        bank_account_id: i64,
        (first, last): (Date, Date),
        rows_max: usize,
    ) -> Result<Vec<BankBookRow>, StoreError> {
        let most = i64::try_from(rows_max).unwrap_or(i64::MAX).saturating_add(1);
        self.snapshot(move |unit| {
            Box::pin(async move {
                let days = (i64::from(first), i64::from(last));
                let values = |most: i64| params![organisation.0, bank_account_id, days.0, days.1, most];
                let lines = unit.all(STATEMENT_LINES, values(most)).await?;
                let mut rows = lines.iter().map(statement_line).collect::<Result<Vec<_>, _>>()?;
                let left = most.saturating_sub(i64::try_from(rows.len()).unwrap_or(i64::MAX));
                // Journals are looked through only where they could still be shown.
                if left > 0 {
                    let journals = unit.all(JOURNAL_LINES, values(left)).await?;
                    rows.extend(journals.iter().map(journal_line).collect::<Result<Vec<_>, _>>()?);
                }
                Ok(rows)
            })
        })
        .await
    }
}

fn statement_line(row: &Row) -> Result<BankBookRow, StoreError> {
    Ok(BankBookRow {
        date: row.date(0)?,
        amount: Pence(row.get(1)?),
        description: row.get(2)?,
        source: BankBookSource::StatementLine(row.get(3)?, row.parsed(4, BankStatus::parse)?),
    })
}

fn journal_line(row: &Row) -> Result<BankBookRow, StoreError> {
    let mut description: String = row.get(2)?;
    for column in 4..=6 {
        // Names and references are what a statement is likely to say too.
        if let Some(more) = row.get::<Option<String>>(column)?.filter(|more| !description.contains(more)) {
            description.push_str(", ");
            description.push_str(&more);
        }
    }
    Ok(BankBookRow {
        date: row.date(0)?,
        amount: Pence(row.get(1)?),
        description,
        source: BankBookSource::Journal(row.get(3)?),
    })
}
