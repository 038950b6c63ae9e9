//! Charts of one account, of thousands, and of names that are all the same.

use super::labelled::{answered, businesses};
use super::*;

#[test]
fn a_chart_of_one_account_takes_everything() {
    for kind in AccountType::ALL {
        for business in businesses().into_iter().take(6) {
            let mut all = business.batch;
            all.accounts = vec![account("1", "Everything", kind)];
            all.invoices.iter_mut().flatten().for_each(|item| item.account = None);
            let outcome = code(&all);
            assert!(outcome.rows.iter().all(|row| row.account == 0), "{kind:?}");
            assert_eq!(outcome.rows.iter().filter(|row| row.transfer_pair.is_some()).count(), 0, "{kind:?}");
        }
    }
}

#[test]
fn a_nameless_chart_takes_everything() {
    for name in ["🎉", "...", "1234", "ЖЖЖ"] {
        let mut all = businesses().remove(0).batch;
        for account in &mut all.accounts {
            account.name = Cow::Borrowed(name);
        }
        code(&all);
    }
}

#[test]
fn five_thousand_accounts_of_like_names_end() {
    let roots = ["Rent", "Motor fuel", "Sales", "Insurance", "Bank", "Stationery", "Wages", "Loan"];
    let mut all = businesses().remove(0).batch;
    let real = all.accounts.len();
    let more = (real..5000).map(|place| {
        let kind = AccountType::ALL[place % 5];
        account(&format!("X{place}"), &format!("{} department {place}", roots[place % roots.len()]), kind)
    });
    all.accounts.extend(more);
    let (_, asked) = questions(&all);
    assert!(asked <= 60, "{asked} questions");
}

#[test]
fn thousands_of_unlike_accounts_do_not_hide_the_right_one() {
    let mut all = batch(vec![
        line("2025-05-01", "BRITISH GAS ELECTRICITY", "-120"),
        line("2025-05-01", "OFFICE RENT MAY", "-900"),
        line("2025-05-01", "VODAFONE", "-30"),
    ]);
    let before: Vec<usize> = code(&all).rows.iter().map(|row| row.account).collect();
    all.accounts.extend(
        (0..1000).map(|place| account(&format!("X{place}"), &format!("Project qx{place}zv"), AccountType::Expense)),
    );
    let after: Vec<usize> = code(&all).rows.iter().map(|row| row.account).collect();
    assert_eq!(before, after);
}

#[test]
fn of_accounts_of_one_name_any_is_right() {
    for (business, outcome) in answered().iter().step_by(4) {
        let mut doubled = business.batch.clone();
        let copies: Vec<Account<'static>> = business
            .batch
            .accounts
            .iter()
            .map(|account| Account { code: Cow::Owned(format!("{}-copy", account.code)), ..account.clone() })
            .collect();
        doubled.accounts.extend(copies);
        let count = business.batch.accounts.len();
        let theirs = code(&doubled);
        let same = outcome.rows.iter().zip(&theirs.rows).filter(|(a, b)| a.account == b.account % count).count();
        assert!(same * 100 >= outcome.rows.len() * 85, "{}: {same} of {}", business.id, outcome.rows.len());
    }
}

#[test]
fn a_chart_without_debtors_codes_a_settled_invoice_to_its_own_account() {
    let mut all = batch(vec![line("2025-05-01", "ACME WIDGETS LTD INV-1042", "120")]);
    all.accounts.retain(|account| !account.name.starts_with("Accounts "));
    let other = all.accounts.iter().position(|account| account.name == "Other income").expect("other income");
    let item = invoice(InvoiceKind::Invoice, "INV-1042", "Acme Widgets Ltd", "2025-04-01", "120");
    all.invoices = Some(vec![Invoice { account: Some(other), ..item }]);
    let outcome = code(&all);
    assert_eq!(outcome.rows[0].account, other);
    assert!(outcome.warnings.contains(&super::super::Warning::ChartLacksReceivables));
}

#[test]
fn a_chart_without_income_says_that_it_is_too_small() {
    let mut all = batch(vec![line("2025-05-01", "CUSTOMER PAYMENT", "120"), line("2025-05-01", "RENT", "-120")]);
    all.accounts.retain(|account| account.kind != AccountType::Income);
    assert!(code(&all).warnings.contains(&super::super::Warning::ChartTooSmall));
    all.accounts = chart();
    assert!(!code(&all).warnings.contains(&super::super::Warning::ChartTooSmall));
}

#[test]
fn names_glued_by_capitals_and_rests_of_groups_are_read() {
    let mut all = batch(vec![
        line("2025-05-01", "E.ON", "-84"),
        line("2025-05-01", "TV LICENSING", "-14.50"),
        line("2025-05-01", "BRADFORD COUNCIL TAX", "-160"),
        line("2025-05-01", "COMPANIES HOUSE", "-34"),
    ]);
    all.accounts = vec![
        account("1", "Current account", AccountType::Asset),
        account("2", "Sales", AccountType::Income),
        account("3", "GasAndElectricity", AccountType::Expense),
        account("4", "TVandInternet", AccountType::Expense),
        account("5", "CouncilTax", AccountType::Expense),
        account("6", "Car - Fuel", AccountType::Expense),
        account("7", "Car - other", AccountType::Expense),
        account("8", "Business - Fees", AccountType::Expense),
        account("9", "Business - Phone", AccountType::Expense),
    ];
    let names: Vec<&str> = code(&all).rows.iter().map(|row| all.accounts[row.account].name.as_ref()).collect();
    assert_eq!(names, ["GasAndElectricity", "TVandInternet", "CouncilTax", "Business - Fees"]);
}

#[test]
fn meals_go_to_the_account_of_their_kind() {
    let mut all = batch(vec![
        line("2025-05-01", "THE QUEENS ARMS", "-24"),
        line("2025-05-01", "COSTA COFFEE", "-3.80"),
        line("2025-05-01", "MCDONALDS", "-7.20"),
    ]);
    all.accounts = vec![
        account("1", "Current account", AccountType::Asset),
        account("2", "Salary", AccountType::Income),
        account("3", "Eating out - lunch", AccountType::Expense),
        account("4", "Eating out - coffee", AccountType::Expense),
        account("5", "Eating out - fast food", AccountType::Expense),
        account("6", "Eating out - restaurants and pubs", AccountType::Expense),
    ];
    let codes: Vec<&str> = code(&all).rows.iter().map(|row| all.accounts[row.account].code.as_ref()).collect();
    assert_eq!(codes, ["6", "4", "5"]);
}
