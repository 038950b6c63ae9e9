//! What others pay the same for, what is given back, which of an account's words tell, and what only households buy.

use super::accounts_apart::{on_chart, on_chart_from};
use super::*;
use AccountType::{Asset, Equity, Expense, Income, Liability};

#[test]
fn what_somebody_unknown_pays_is_what_others_pay_the_same_for() {
    let chart = [("Members' subscriptions", Income), ("Concert tickets", Income), ("Hall hire", Expense)];
    let context = "A choir of amateurs, an unincorporated association.";
    let subs = [("P ARKELL SUBS", "62.00"), ("MRS J DOWNEY SUBS", "62.00"), ("G R LAXTON", "62.00")];
    assert_eq!(on_chart(context, &chart, &subs), ["Members' subscriptions"; 3]);
    // One other is no price list, and two who pay the same for different things are none either.
    let apart = [("P ARKELL SUBS", "62.00"), ("MRS J DOWNEY CONCERT TICKETS", "62.00"), ("G R LAXTON", "62.00")];
    let coded = coded_lines(context, &chart, &apart);
    assert!(coded.iter().all(|row| row.method != Method::BatchConsistency), "{coded:?}");
}

#[test]
fn a_price_is_given_as_the_reason() {
    let chart = [("Members' subscriptions", Income), ("Concert tickets", Income), ("Hall hire", Expense)];
    let lines = [("P ARKELL SUBS", "62.00"), ("MRS J DOWNEY SUBS", "62.00"), ("G R LAXTON", "62.00")];
    let coded = coded_lines("A choir of amateurs, an unincorporated association.", &chart, &lines);
    let row = coded.last().expect("three rows");
    assert_eq!(row.method, Method::BatchConsistency, "{row:?}");
    assert!(row.reason.contains("pay the same amount"), "{}", row.reason);
}

#[test]
fn what_a_customer_is_given_back_comes_out_of_what_it_paid_for() {
    let chart = [
        ("Sales - hair", Income),
        ("Sales - retail products", Income),
        ("Workshops and classes", Income),
        ("Training courses", Expense),
        ("Stock", Expense),
    ];
    let context = "A hair salon, limited company, VAT registered.";
    for (text, account) in [
        ("S HALLAM REFUND BALAYAGE", "Sales - hair"),
        ("MRS E MORRIS REFUND WORKSHOP 28/6", "Workshops and classes"),
        ("UNPAID CHQ 000118 N FARROW BALAYAGE", "Sales - hair"),
    ] {
        assert_eq!(on_chart(context, &chart, &[(text, "-65.00")]), [account], "{text}");
    }
}

#[test]
fn refunds_have_an_account_of_their_own_where_the_chart_keeps_one() {
    let chart = [("Online sales", Income), ("Sales returns and refunds", Income), ("Stock", Expense)];
    let lines = [("D GARSIDE REFUND ORDER 20418", "-48.99")];
    assert_eq!(on_chart("An online shop.", &chart, &lines), ["Sales returns and refunds"]);
}

#[test]
fn what_a_bank_charges_for_an_unpaid_item_is_no_refund() {
    let chart = [("Sales", Income), ("Bank charges", Expense), ("Stock", Expense)];
    for text in ["UNPAID ITEM CHARGE", "UNPAID CHEQUE FEE", "UNPAID DD FEE"] {
        assert_eq!(on_chart("A shop.", &chart, &[(text, "-12.00")]), ["Bank charges"], "{text}");
    }
}

#[test]
fn what_a_kind_of_cost_is_for_says_nothing_of_another_kind() {
    let chart = [
        ("Sales", Income),
        ("Rent of yard", Expense),
        ("Electricity", Expense),
        ("Children's food", Expense),
        ("Outings", Expense),
        ("Sundries", Expense),
    ];
    for (text, account) in [
        ("SCOTTISHPOWER DD YARD", "Electricity"),
        ("EUREKA CHILDRENS MUSEUM", "Outings"),
        ("YARD RENT MAY", "Rent of yard"),
    ] {
        assert_eq!(on_chart("A day nursery.", &chart, &[(text, "-86.00")]), [account], "{text}");
    }
}

#[test]
fn a_body_of_a_trade_takes_subscriptions() {
    let chart = [
        ("Lamb sales", Income),
        ("Sheep and ram purchases", Expense),
        ("Subscriptions and assurance", Expense),
        ("Feed", Expense),
    ];
    let lines = [("NATL SHEEP ASSOC SUBS", "-68.00"), ("BUILTH RAM SALE SHEEP", "-640.00")];
    assert_eq!(
        on_chart("A hill farm, sole trader.", &chart, &lines),
        ["Subscriptions and assurance", "Sheep and ram purchases"]
    );
}

#[test]
fn a_partners_current_account_takes_what_the_partner_draws() {
    let chart = [
        ("Fees", Income),
        ("Office rent", Expense),
        ("J Penhallow - current account", Equity),
        ("R Marsh - current account", Equity),
        ("Members' capital", Equity),
    ];
    let context = "We are an LLP; the members are Jenna Penhallow and Rhys Marsh. Monthly drawings go to each member's current account.";
    let lines = [("STANDING ORDER J PENHALLOW DRAWINGS", "-3200.00"), ("STANDING ORDER R MARSH DRAWINGS", "-3200.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["J Penhallow - current account", "R Marsh - current account"]);
}

#[test]
fn paye_is_pay_where_nothing_is_kept_that_is_owed_for_it() {
    let chart =
        [("Sales", Income), ("Drivers' wages", Expense), ("General expenses", Expense), ("HMRC VAT", Liability)];
    assert_eq!(on_chart("A coach operator.", &chart, &[("HMRC SHIPLEY PAYE", "-744.61")]), ["Drivers' wages"]);
}

#[test]
fn what_only_households_buy_is_the_owners() {
    let company = [
        ("Sales", Income),
        ("Subscriptions", Expense),
        ("Dog food and treats", Expense),
        ("Materials", Expense),
        ("Director's loan account", Liability),
    ];
    let context = "A heating firm, limited company. Anything personal on the card is my director's loan.";
    for text in ["PURE GYM LTD", "SKY DIGITAL", "STEAM GAMES BELLEVUE", "CENTER PARCS ONLINE"] {
        assert_eq!(on_chart(context, &company, &[(text, "-24.99")]), ["Director's loan account"], "{text}");
    }
    // Who keeps animals buys for them.
    let kennels = "A kennels and dog day care, limited company. Anything personal on the card is my director's loan.";
    assert_eq!(on_chart(kennels, &company, &[("PETS AT HOME 218", "-74.50")]), ["Dog food and treats"]);
}

#[test]
fn a_limit_in_any_words_makes_an_asset() {
    let chart = [("Sales", Income), ("Small tools", Expense), ("Plant and machinery", Asset)];
    for context in [
        "We do fencing. Small tools under £300 are expensed.",
        "We do fencing. Tools under 300 quid go to small tools.",
        "We do fencing. Machines over about £300 get capitalised.",
    ] {
        let lines = [("STIHL GB DEALER CUT OFF SAW", "-879.00"), ("STIHL GB DEALER CHAIN", "-79.00")];
        assert_eq!(on_chart(context, &chart, &lines), ["Plant and machinery", "Small tools"], "{context}");
    }
}

#[test]
fn what_is_bought_from_the_cafes_account_is_bought_for_the_cafe() {
    let chart = [
        ("Cafe sales", Income),
        ("Fairs and fetes", Income),
        ("Cafe food and drink bought", Expense),
        ("Adult event costs", Expense),
        ("Cafe electricity", Expense),
    ];
    let context = "A charity run by parents, the friends of a primary school. We have a cafe.";
    let lines = [
        ("BOOKER WHOLESALE DEVIZES", "-186.44", Some("Unity Cafe Account")),
        ("BOOKER WHOLESALE DEVIZES", "-92.10", Some("Unity Charity Account")),
        ("SCOTTISHPOWER DD", "-46.18", Some("Unity Cafe Account")),
    ];
    assert_eq!(
        on_chart_from(context, &chart, &lines),
        ["Cafe food and drink bought", "Adult event costs", "Cafe electricity"]
    );
}

#[test]
fn notes_and_coins_are_not_paid_online_and_scrap_is_not_sold_by_card() {
    let chart =
        [("Online shop sales", Income), ("Taproom sales", Income), ("Sale of scrap", Income), ("Malt", Expense)];
    let context = "A brewery with a taproom and a web shop.";
    assert_eq!(on_chart(context, &chart, &[("CASH PAID IN AT HSBC KENDAL", "640.00")]), ["Taproom sales"]);
    let coded = on_chart(context, &chart, &[("SUMUP PAYMENTS PID339918", "589.86")]);
    assert_ne!(coded, ["Sale of scrap"]);
}

#[test]
fn a_deposit_at_the_counter_is_no_customers_deposit() {
    let chart = [("Shop sales", Income), ("Customer deposits", Liability), ("Flowers", Expense)];
    let context = "A florist. Deposits of couples are held in customer deposits.";
    let lines = [("POST OFFICE DEPOSIT LUDLOW", "345.00"), ("DEP 40PC HALLAM STAIRS", "216.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Shop sales", "Customer deposits"]);
}

#[test]
fn who_works_for_the_business_sells_it_no_materials() {
    let chart = [("Sales", Income), ("Drainage and pipe", Expense), ("Subcontractors", Expense)];
    let context = "Groundworks contractor, limited company. D Lisle and K Osei are subcontractors under CIS.";
    assert_eq!(on_chart(context, &chart, &[("D LISLE PIPELAYING", "-480.00")]), ["Subcontractors"]);
    assert_eq!(on_chart(context, &chart, &[("JDP LTD DRAINAGE PIPE", "-480.00")]), ["Drainage and pipe"]);
}

#[test]
fn private_people_do_not_pay_for_contract_work() {
    let chart = [("Sales - contract (CIS)", Income), ("Sales - boilers and bathrooms", Income), ("Materials", Expense)];
    let context = "A plumbing and heating firm, VAT registered. We work for builders under CIS and for householders.";
    let coded = on_chart(context, &chart, &[("MRS S KHAN", "1800.00")]);
    assert_eq!(coded, ["Sales - boilers and bathrooms"]);
}

/// The rows of lines on a chart.
fn coded_lines(context: &'static str, chart: &[(&str, AccountType)], lines: &[(&str, &str)]) -> Vec<CodedRow> {
    let asked = Batch {
        transactions: lines.iter().map(|(text, amount)| line("2025-05-01", text, amount)).collect(),
        accounts: (0..)
            .zip(chart)
            .map(|(at, (name, kind))| super::account(&format!("{}", 100 + at), name, *kind))
            .collect(),
        business_context: Cow::Borrowed(context),
        ..Batch::default()
    };
    code(&asked).rows
}
