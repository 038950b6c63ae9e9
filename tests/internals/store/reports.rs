//! The rows that reports are computed from.

use bookkeeping_suite::domain::ledger::chart::Role;
use bookkeeping_suite::domain::reports::account_balances::AccountBalances;

use super::books::{Books, date};
use super::fixture::{StoreFixture, store_suite};

store_suite![balances_of_accounts_are_those_at_the_ends_of_days];

/// The balances of an account in pence.
fn of_code(accounts: &[AccountBalances], code: &str) -> Vec<i64> {
    let account = accounts.iter().find(|account| account.code == code).unwrap();
    account.balances.iter().map(|balance| balance.0).collect()
}

async fn balances_of_accounts_are_those_at_the_ends_of_days(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    for (on, net_pence) in [("2026-04-30", 10_000), ("2026-05-01", 2_000), ("2026-05-31", 300), ("2026-06-01", 40)] {
        books.sales_invoice(customer, on, net_pence).await;
    }
    let days = ["2026-04-29", "2026-04-30", "2026-05-01", "2026-05-30", "2026-05-31", "2026-06-30"].map(date);
    let reader = &bed.store.reader;
    let accounts = reader.account_balances(books.organisation.id, &days).await.unwrap();
    assert_eq!(of_code(&accounts, "4000"), [0, -10_000, -12_000, -12_000, -12_300, -12_340]);
    assert_eq!(of_code(&accounts, "1100"), [0, 12_000, 14_400, 14_400, 14_760, 14_808]);
    assert_eq!(of_code(&accounts, "5000"), [0; 6]);
    assert!(accounts.iter().any(|account| account.code == "1100" && account.role == Some(Role::AccountsReceivable)));
    for at in 0..days.len() {
        assert_eq!(accounts.iter().map(|account| account.balances[at].0).sum::<i64>(), 0);
    }
    // The general ledger of an account opens and closes with the same balances.
    let sales = books.account("4000").await;
    let history = reader.account_history(sales, Some(days[2]), Some(days[4]), (50, 0)).await.unwrap();
    assert_eq!((history.opening_pence, history.closing_pence), (-10_000, -12_300));
    assert!(
        reader
            .account_balances(books.organisation.id, &[])
            .await
            .unwrap()
            .iter()
            .all(|account| account.balances.is_empty())
    );
}
