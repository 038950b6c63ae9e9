//! Imports of bank statements: which rows are new, and which are there already.

use std::collections::{HashMap, HashSet};

use super::money::Pence;
use super::refusal::Refusal;
use crate::domain::date::Date;
use crate::domain::ids::{BankAccountId, BankTransactionId, JournalId};

/// What two rows of a statement have in common when they are the same and the bank gives no id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementLineKey {
    /// The date.
    pub date: Date,
    /// The amount.
    pub amount: Pence,
    /// What the bank says of it.
    pub description: String,
}

/// A row of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewStatementLine {
    /// Date, amount and description.
    pub key: StatementLineKey,
    /// The bank's own id.
    pub external_id: Option<String>,
}

/// A row that is in the books' bank account already: with an external id or a key that the import names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredStatementLine {
    /// Its id.
    pub id: BankTransactionId,
    /// Date, amount and description.
    pub key: StatementLineKey,
    /// The bank's own id.
    pub external_id: Option<String>,
}

/// What becomes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOutcome {
    /// It is new.
    Created,
    /// It is there already, as this one.
    DuplicateOf(BankTransactionId),
    /// It repeats the row of the same import at this zero-based index.
    RepeatsRow(usize),
}

/// Tells which rows of an import are new, row by row.
///
/// A row with the bank's own id is a duplicate when the id is known. Rows without one are a multiset: of equal rows as
/// many are new as the file has more than the books, for two equal parking charges on one day are both real. What is in the
/// books and in the file with its id is no other row of the file.
pub fn plan(rows: &[NewStatementLine], stored: &[StoredStatementLine]) -> Vec<RowOutcome> {
    let mut known_ids: HashMap<&str, RowOutcome> =
        stored.iter().filter_map(|row| Some((row.external_id.as_deref()?, RowOutcome::DuplicateOf(row.id)))).collect();
    let mut not_repeated_yet: HashMap<&StatementLineKey, Vec<BankTransactionId>> = HashMap::new();
    let named: HashSet<&str> = rows.iter().filter_map(|row| row.external_id.as_deref()).collect();
    let is_named = |row: &&StoredStatementLine| row.external_id.as_deref().is_some_and(|id| named.contains(id));
    for row in stored.iter().rev().filter(|row| !is_named(row)) {
        not_repeated_yet.entry(&row.key).or_default().push(row.id);
    }
    let mut outcomes = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let outcome = match row.external_id.as_deref() {
            Some(external_id) => match known_ids.get(external_id) {
                Some(known) => *known,
                None => {
                    known_ids.insert(external_id, RowOutcome::RepeatsRow(index));
                    RowOutcome::Created
                }
            },
            None => match not_repeated_yet.get_mut(&row.key).and_then(Vec::pop) {
                Some(id) => RowOutcome::DuplicateOf(id),
                None => RowOutcome::Created,
            },
        };
        outcomes.push(outcome);
    }
    outcomes
}

/// Refuses an import that may not hold duplicates when it does.
pub fn require_no_duplicates(rows: &[NewStatementLine], outcomes: &[RowOutcome]) -> Result<(), Refusal> {
    let existing = outcomes.iter().enumerate().find_map(|(row, outcome)| match outcome {
        RowOutcome::Created => None,
        RowOutcome::DuplicateOf(id) => Some((row, Some(id.0))),
        RowOutcome::RepeatsRow(_) => Some((row, None)),
    });
    match existing {
        Some((row, existing_id)) => {
            // Without the bank's own id it is the whole row that is there already.
            let by_id = rows.get(row).is_some_and(|row| row.external_id.is_some());
            let field = if by_id { format!("rows[{row}].external_id") } else { format!("rows[{row}]") };
            Err(Refusal::DuplicateExternalId { field: field.into(), existing_id })
        }
        None => Ok(()),
    }
}

/// A transfer whose other side has not been seen on a statement yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AwaitedTransfer {
    /// The line that was confirmed.
    pub transaction_id: BankTransactionId,
    /// Its journal.
    pub journal_id: JournalId,
    /// The bank account the other side is expected on.
    pub bank_account_id: BankAccountId,
    /// When the first side was.
    pub date: Date,
    /// What the other side is expected to be.
    pub amount: Pence,
}

/// How many days the two sides of a transfer may lie apart: over a bank holiday weekend.
pub const TRANSFER_DAYS_MAX: i32 = 5;

/// The place of the awaited transfer that a new row completes, the nearest in time. The row is linked and posts nothing.
pub fn completes(
    bank_account_id: BankAccountId,
    date: Date,
    amount: Pence,
    awaited: &[AwaitedTransfer],
) -> Option<usize> {
    let days = |transfer: &AwaitedTransfer| i64::from(transfer.date).abs_diff(i64::from(date));
    let fits = |transfer: &AwaitedTransfer| {
        transfer.bank_account_id == bank_account_id
            && transfer.amount == amount
            && days(transfer) <= u64::from(TRANSFER_DAYS_MAX.unsigned_abs())
    };
    let fitting = awaited.iter().enumerate().filter(|(_, transfer)| fits(transfer));
    fitting.min_by_key(|(_, transfer)| (days(transfer), transfer.transaction_id)).map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(date: Date, pence: i64, description: &str) -> StatementLineKey {
        StatementLineKey { date, amount: Pence(pence), description: description.to_owned() }
    }

    fn row(date: Date, pence: i64, description: &str, external_id: Option<&str>) -> NewStatementLine {
        NewStatementLine { key: key(date, pence, description), external_id: external_id.map(str::to_owned) }
    }

    fn stored(id: i64, row: &NewStatementLine) -> StoredStatementLine {
        StoredStatementLine { id: BankTransactionId(id), key: row.key.clone(), external_id: row.external_id.clone() }
    }

    #[test]
    fn equal_rows_are_as_many_as_the_file_has_more_than_the_books() {
        let parking = row(Date::numbered(100), -250, "PARKING", None);
        let other = row(Date::numbered(100), -250, "PARKING ", None);
        let file = [parking.clone(), other.clone(), parking.clone(), parking.clone()];
        let outcomes = plan(&file, &[stored(8, &parking)]);
        let expected = [
            RowOutcome::DuplicateOf(BankTransactionId(8)),
            RowOutcome::Created,
            RowOutcome::Created,
            RowOutcome::Created,
        ];
        assert_eq!(outcomes, expected);
        assert!(plan(&file, &[]).iter().all(|outcome| *outcome == RowOutcome::Created));
    }

    #[test]
    fn the_banks_own_id_decides_where_there_is_one() {
        let first = row(Date::numbered(100), -250, "PARKING", Some("b1"));
        let again = row(Date::numbered(101), -300, "OTHER TEXT", Some("b1"));
        let second = row(Date::numbered(100), -250, "PARKING", Some("b2"));
        assert_eq!(
            plan(&[again.clone(), second.clone()], &[stored(5, &first)]),
            [RowOutcome::DuplicateOf(BankTransactionId(5)), RowOutcome::Created]
        );
        let outcomes = plan(&[first, second, again], &[]);
        assert_eq!(outcomes, [RowOutcome::Created, RowOutcome::Created, RowOutcome::RepeatsRow(0)]);
    }

    #[test]
    fn an_import_may_refuse_duplicates() {
        let parking = row(Date::numbered(100), -250, "PARKING", None);
        let rows = std::slice::from_ref(&parking);
        assert!(require_no_duplicates(rows, &plan(rows, &[])).is_ok());
        let refused = require_no_duplicates(rows, &plan(rows, &[stored(8, &parking)])).unwrap_err();
        assert_eq!(refused, Refusal::DuplicateExternalId { field: "rows[0]".into(), existing_id: Some(8) });
    }

    #[test]
    fn the_other_side_of_a_transfer_finds_it() {
        let awaited = |id, date, pence| AwaitedTransfer {
            transaction_id: BankTransactionId(id),
            journal_id: JournalId(id),
            bank_account_id: BankAccountId(2),
            date,
            amount: Pence(pence),
        };
        let open = [
            awaited(1, Date::numbered(90), 150_000),
            awaited(2, Date::numbered(98), 150_000),
            awaited(3, Date::numbered(100), 99),
        ];
        assert_eq!(completes(BankAccountId(2), Date::numbered(100), Pence(150_000), &open), Some(1));
        assert_eq!(completes(BankAccountId(2), Date::numbered(92), Pence(150_000), &open), Some(0));
        assert_eq!(completes(BankAccountId(3), Date::numbered(100), Pence(150_000), &open), None);
        assert_eq!(completes(BankAccountId(2), Date::numbered(104), Pence(150_000), &open), None);
        assert_eq!(completes(BankAccountId(2), Date::numbered(100), Pence(-150_000), &open), None);
    }

    proptest! {
        /// Importing a file again creates nothing, and overlapping files create the larger count of each row.
        #[test]
        fn overlapping_imports_leave_the_larger_count(
            first in prop::collection::vec((0_i32..3, 1_i64..3), 0..12),
            second in prop::collection::vec((0_i32..3, 1_i64..3), 0..12),
        ) {
            let rows = |file: &[(i32, i64)]| -> Vec<NewStatementLine> {
                file.iter().map(|(date, pence)| row(Date::numbered(*date), *pence, "X", None)).collect()
            };
            let mut books: Vec<StoredStatementLine> = Vec::new();
            for file in [rows(&first), rows(&second), rows(&second)] {
                for (new, outcome) in file.iter().zip(plan(&file, &books.clone())) {
                    if outcome == RowOutcome::Created {
                        books.push(stored(i64::try_from(books.len()).unwrap(), new));
                    }
                }
            }
            for date in 0..3 {
                for pence in 1..3 {
                    let count = |file: &[(i32, i64)]| file.iter().filter(|one| **one == (date, pence)).count();
                    let kept = books.iter().filter(|one| one.key == key(Date::numbered(date), pence, "X")).count();
                    prop_assert_eq!(kept, count(&first).max(count(&second)));
                }
            }
        }
    }
}
