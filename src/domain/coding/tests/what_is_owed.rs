//! What clears what is owed: debtors, pensions, net pay, deposits and cash between a till and a bank.

use super::accounts_apart::{on_chart, on_chart_from};
use super::*;
use AccountType::{Asset, Equity, Expense, Income, Liability};

#[test]
fn a_settled_invoice_goes_to_who_owes_whatever_the_account_is_called() {
    let mut all = batch(vec![line("2025-05-20", "HALLAM WEBB INV 1187", "240.00")]);
    all.accounts.retain(|account| account.name != "Accounts receivable");
    all.accounts.push(account("D10", "Clients and insurers owing", Asset));
    all.invoices = Some(vec![invoice(InvoiceKind::Invoice, "1187", "Hallam & Webb Ltd", "2025-05-01", "240.00")]);
    let outcome = code(&all);
    let row = &outcome.rows[0];
    assert_eq!(row.method, Method::InvoiceSettlement);
    assert_eq!(all.accounts[row.account].name, "Clients and insurers owing");
}

#[test]
fn paying_the_pension_provider_clears_what_is_owed() {
    let chart = [("Sales", Income), ("Employer's pension", Expense), ("Pension contributions owing", Liability)];
    let lines = [("DD NEST IT0000112", "-128.60"), ("SCOTTISH WIDOWS WORKPLACE PEN", "-341.50")];
    let found = on_chart("Joinery, limited company.", &chart, &lines);
    assert_eq!(found, ["Pension contributions owing", "Pension contributions owing"]);
}

#[test]
fn pay_clears_net_wages_where_the_context_says_so() {
    let chart =
        [("Sales", Income), ("Salaries", Expense), ("Staff training", Expense), ("Net pay clearing", Liability)];
    let context = "Language school, limited company. Salaries (mine too) clear Net Pay.";
    let lines = [("J CHATTERWELL SALARY", "-2114.36"), ("FENWELL L APPRENTICE FEB", "-1128.54")];
    assert_eq!(on_chart(context, &chart, &lines), ["Net pay clearing", "Net pay clearing"]);
}

#[test]
fn shared_tips_are_no_net_pay() {
    let chart = [
        ("Sales", Income),
        ("Salaries", Expense),
        ("Directors' remuneration", Expense),
        ("Tronc - tips payable", Liability),
    ];
    let context =
        "Restaurant, limited company. Ploy Hartnoll is the director. Staff pay: net wages straight to Salaries.";
    let lines = [("PLOY HARTNOLL SALARY JUNE", "-1047.50")];
    assert_eq!(on_chart(context, &chart, &lines), ["Directors' remuneration"]);
}

#[test]
fn deposits_are_held_and_given_back_whatever_is_sold() {
    let chart = [
        ("Bathroom sales", Income),
        ("Materials", Expense),
        ("Customer deposits", Liability),
        ("Hall damage deposits", Liability),
    ];
    let lines = [
        ("FPI HARGREAVE M BATHROOM DEP", "2340.00"),
        ("FPO M BICKLEY REFUND CANCELLED DEP", "-120.00"),
        ("FPI HARGREAVE M BATHROOM BALANCE", "5460.00"),
    ];
    let found = on_chart("Bathroom fitters, limited company, VAT registered.", &chart, &lines);
    assert_eq!(found, ["Customer deposits", "Customer deposits", "Bathroom sales"]);
}

#[test]
fn cash_is_banked_out_of_the_till_where_the_context_says_so() {
    let chart = [("Shop sales", Income), ("Till float", Asset), ("Current account", Asset)];
    let lines = [("CASH PAID IN HEXWORTH", "260.00", Some("Current account"))];
    let moved = "Wool shop, sole trader. When I bank cash it comes out of the till.";
    assert_eq!(on_chart_from(moved, &chart, &lines), ["Till float"]);
    for sold in [
        "Wool shop, sole trader. Cash I bank is out of the till, I just count it as shop takings.",
        "Wool shop, sole trader.",
    ] {
        assert_eq!(on_chart_from(sold, &chart, &lines), ["Shop sales"], "{sold}");
    }
}

#[test]
fn a_payout_of_a_services_balance_is_a_transfer_to_the_bank() {
    let chart = [
        ("Subscription income", Income),
        ("Payment fees", Expense),
        ("Stripe balance", Asset),
        ("Starling bank", Asset),
    ];
    let lines = [
        ("Stripe - Payout to Starling", "-2155.59", Some("Stripe balance")),
        ("Stripe Payments UK Ltd - ROTARK", "2155.59", Some("Starling bank")),
    ];
    assert_eq!(on_chart_from("Software company.", &chart, &lines), ["Starling bank", "Stripe balance"]);
}

#[test]
fn a_dividend_is_no_directors_loan_and_what_is_given_back_no_private_purchase() {
    let chart = [
        ("Sales of shoes", Income),
        ("Purchases", Expense),
        ("Dividends paid", Equity),
        ("Director's loan - K Penwell", Liability),
    ];
    let context =
        "Shoe shop, limited company. Kev Penwell is the sole director; his private shopping goes to his loan account.";
    let lines = [("BP K PENWELL DIVIDEND", "-3000.00"), ("BP MR J ATTRELL REFUND SHOES", "-89.99")];
    let found = on_chart(context, &chart, &lines);
    assert_eq!(found[0], "Dividends paid");
    assert_ne!(found[1], "Director's loan - K Penwell");
}

#[test]
fn private_purchases_are_the_only_owners_whom_the_context_names_for_them() {
    let chart = [("Takings", Income), ("Stock", Expense), ("Drawings - Neil", Equity), ("Drawings - Gill", Equity)];
    let context =
        "Takeaway, partnership of Neil and Gill Thackwell. If Gill uses the wrong card for clothes it is her drawings.";
    assert_eq!(on_chart(context, &chart, &[("NEXT RETAIL LTD", "-86.00")]), ["Drawings - Gill"]);
}

#[test]
fn what_the_context_says_of_a_name_by_a_verb_is_what_is_bought_there() {
    let chart = [("Sales", Income), ("Locks & hardware", Expense), ("Tools & consumables", Expense)];
    let context = "Locksmith, sole trader. Locks come from Pennard; Screwfix and Toolstation are tools and bits.";
    let lines = [("SCREWFIX DIRECT 0772", "-64.98"), ("TOOLSTATION 118", "-23.49")];
    assert_eq!(on_chart(context, &chart, &lines), ["Tools & consumables", "Tools & consumables"]);
}
