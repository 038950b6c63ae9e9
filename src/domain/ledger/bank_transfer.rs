//! Transfers between own bank accounts: one journal for the two lines of the two statements.

use super::bank::{BankAccount, BankTransaction};
use super::journal::{Journal, Line, PostedJournal, Source, SourceType, Target};
use super::refusal::Refusal;
use crate::domain::date::Date;
use crate::domain::ledger::chart::Books;

/// Decides a transfer whose two sides are both on statements: one journal, dated the earlier of them.
pub fn confirm_both(
    books: &Books<'_>,
    (bank, transaction): (&BankAccount, &BankTransaction),
    (other_bank, other): (&BankAccount, &BankTransaction),
) -> Result<Journal, Refusal> {
    transaction.status.require_unconfirmed()?;
    other.status.require_unconfirmed()?;
    if bank.account_id == other_bank.account_id {
        let field = "bank_transaction_id".to_owned();
        return Err(Refusal::BankAccountMismatch { field, id: other.id.0 });
    }
    if other.amount != -transaction.amount {
        return Err(Refusal::AmountMismatch { expected: -transaction.amount, actual: other.amount });
    }
    post(books, bank, other_bank, transaction, transaction.date.min(other.date))
}

/// Decides a transfer whose other side is still to come: it is awaited, and a row that fits links itself.
pub fn confirm_one(
    books: &Books<'_>,
    (bank, transaction): (&BankAccount, &BankTransaction),
    other_bank: &BankAccount,
) -> Result<Journal, Refusal> {
    transaction.status.require_unconfirmed()?;
    if bank.account_id == other_bank.account_id {
        return Err(Refusal::BankAccountMismatch { field: "bank_account_id".to_owned(), id: other_bank.id.0 });
    }
    post(books, bank, other_bank, transaction, transaction.date)
}

fn post(
    books: &Books<'_>,
    bank: &BankAccount,
    other_bank: &BankAccount,
    transaction: &BankTransaction,
    date: Date,
) -> Result<Journal, Refusal> {
    bank.require_open()?;
    other_bank.require_open()?;
    let this = Line::new(Target::Account(bank.account_id), transaction.amount);
    let that = Line::new(Target::Account(other_bank.account_id), -transaction.amount);
    let lines = if transaction.amount.is_positive() { vec![this, that] } else { vec![that, this] };
    let source = Source { kind: SourceType::BankTransfer, id: Some(transaction.id.0) };
    Journal::new(date, source, transaction.description.clone(), lines).checked(books.lock_date)
}

/// Decides the undoing of a coded line or a transfer: the reversal, on the date of its journal. A transfer sets both its
/// lines back.
pub fn unconfirm(
    transaction: &BankTransaction,
    posted: &PostedJournal,
    lock_date: Option<Date>,
) -> Result<Journal, Refusal> {
    transaction.status.require_confirmed()?;
    posted.reversal(posted.journal.entry_date, lock_date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{AccountId, BankAccountId, BankTransactionId, JournalId};
    use crate::domain::ledger::bank::BankStatus;
    use crate::domain::ledger::chart::Chart;
    use crate::domain::ledger::journal::JournalStatus;
    use crate::domain::ledger::money::Pence;
    use crate::domain::ledger::vat::VatHistory;

    fn bank(id: i64) -> BankAccount {
        BankAccount { id: BankAccountId(id), account_id: AccountId(id * 10), is_archived: false }
    }

    fn row(bank: i64, date: Date, pence: i64) -> BankTransaction {
        BankTransaction {
            id: BankTransactionId(bank * 100),
            bank_account_id: BankAccountId(bank),
            date,
            amount: Pence(pence),
            description: "TO SAVINGS".to_owned(),
            status: BankStatus::Unconfirmed,
        }
    }

    fn both(one: &BankTransaction, other: &BankTransaction, lock_date: Option<Date>) -> Result<Journal, Refusal> {
        let (chart, vat) = (Chart::default(), VatHistory::default());
        let books = Books { chart: &chart, vat: &vat, lock_date };
        confirm_both(&books, (&bank(one.bank_account_id.0), one), (&bank(other.bank_account_id.0), other))
    }

    #[test]
    fn two_lines_are_one_journal_on_the_earlier_day() {
        let journal =
            both(&row(1, Date::numbered(101), -150_000), &row(2, Date::numbered(100), 150_000), None).unwrap();
        assert_eq!(journal.entry_date, Date::numbered(100));
        let lines: Vec<_> = journal.lines.iter().map(|line| (line.target.clone(), line.amount.0)).collect();
        assert_eq!(lines, [(Target::Account(AccountId(20)), 150_000), (Target::Account(AccountId(10)), -150_000)]);
        assert!(journal.vat.is_empty());
    }

    #[test]
    fn the_two_sides_are_opposite_unconfirmed_and_of_two_accounts() {
        let out = row(1, Date::numbered(101), -150_000);
        assert_eq!(both(&out, &row(2, Date::numbered(100), 150_001), None).unwrap_err().reason(), "amount_mismatch");
        assert_eq!(
            both(&out, &row(1, Date::numbered(100), 150_000), None).unwrap_err().reason(),
            "bank_account_mismatch"
        );
        let confirmed = BankTransaction { status: BankStatus::Confirmed, ..row(2, Date::numbered(100), 150_000) };
        assert_eq!(both(&out, &confirmed, None).unwrap_err().reason(), "invalid_state");
        assert_eq!(both(&confirmed, &out, None).unwrap_err().reason(), "invalid_state");
        assert_eq!(
            both(&out, &row(2, Date::numbered(100), 150_000), Some(Date::numbered(100))).unwrap_err().reason(),
            "period_locked"
        );
    }

    #[test]
    fn one_side_alone_posts_and_can_be_undone() {
        let (chart, vat) = (Chart::default(), VatHistory::default());
        let books = Books { chart: &chart, vat: &vat, lock_date: None };
        let out = row(1, Date::numbered(101), -150_000);
        let journal = confirm_one(&books, (&bank(1), &out), &bank(2)).unwrap();
        assert_eq!(confirm_one(&books, (&bank(1), &out), &bank(1)).unwrap_err().reason(), "bank_account_mismatch");
        let archived = BankAccount { is_archived: true, ..bank(2) };
        assert_eq!(confirm_one(&books, (&bank(1), &out), &archived).unwrap_err().reason(), "bank_account_archived");

        let posted = PostedJournal { id: JournalId(1), number: 1, status: JournalStatus::Posted, journal };
        assert_eq!(unconfirm(&out, &posted, None).unwrap_err().reason(), "invalid_state");
        let confirmed = BankTransaction { status: BankStatus::Confirmed, ..out };
        assert_eq!(unconfirm(&confirmed, &posted, None).unwrap().entry_date, Date::numbered(101));
        assert_eq!(unconfirm(&confirmed, &posted, Some(Date::numbered(101))).unwrap_err().reason(), "period_locked");
    }
}
