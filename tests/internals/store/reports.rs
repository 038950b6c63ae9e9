//! The rows that reports are computed from.

use bookkeeping_suite::domain::books::command::BooksCommand;
use bookkeeping_suite::domain::ledger::allocation::SettlementKind::CustomerReceipt;
use bookkeeping_suite::domain::ledger::chart::Role;
use bookkeeping_suite::domain::ledger::contact::ContactKind;
use bookkeeping_suite::domain::reports::account_balances::AccountBalances;

use migration::{Migrator, MigratorTrait as _};
use sea_orm::{ConnectionTrait as _, Database};

use super::books::{Books, date, settlement};
use super::fixture::{StoreFixture, store_suite};
use super::schema::{cell, rows};

store_suite![balances_of_accounts_are_those_at_the_ends_of_days, cash_is_counted_for_books_that_exist];

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
    let history = books.history("4000", (Some(days[2]), Some(days[4]))).await;
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

async fn cash_is_counted_for_books_that_exist(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let mut receipts = Vec::new();
    for (on, pence) in [("2026-04-30", 10_000), ("2026-05-01", 2_000), ("2026-05-01", 300)] {
        receipts.push(books.settle(settlement(CustomerReceipt, customer, on, pence, books.bank)).await.id);
    }
    for (receipt, on) in [(receipts[0], "2026-05-02"), (receipts[1], "2026-05-01")] {
        let (side, void_date) = (ContactKind::Customer, Some(date(on)));
        books.done(BooksCommand::VoidSettlement { side, id: receipt, void_date, reason: None }).await;
    }
    let connection = Database::connect(&bed.url).await.unwrap();
    let kept = async || {
        let sql = "select cast(day as text) || ' ' || cast(inflow as text) || ' ' || cast(outflow as text) from cash_day \
                   union all select cast(day as text) || ' to ' || cast(reversal_day as text) || ' ' || cast(amount as text) \
                   from cash_reversal order by 1";
        rows(&connection, sql).await.iter().map(|row| cell(row, 0)).collect::<Vec<String>>()
    };
    let posted = kept().await;
    assert_eq!(posted.len(), 5, "{posted:?}");
    let forget = "drop table cash_day; drop table cash_reversal; \
                  delete from seaql_migrations where version like '%cash_totals'";
    connection.execute_unprepared(forget).await.unwrap();
    Migrator::up(&connection, None).await.unwrap();
    assert_eq!(kept().await, posted);
    connection.close().await.unwrap();
}
