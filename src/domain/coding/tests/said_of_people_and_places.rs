//! Owners by their accounts and initials, lenders and property, parts of a business, terminals by number, and what is cleared for others.

use super::accounts_apart::{on_chart, on_chart_from};
use super::*;
use AccountType::{Asset, Equity, Expense, Income, Liability};

#[test]
fn owners_are_known_by_accounts_initials_and_who_writes() {
    let partners = [
        ("Takings", Income),
        ("Staff wages", Expense),
        ("Mrs K Prosser - drawings", Equity),
        ("Mrs K Prosser - capital", Equity),
        ("Mr N Prosser - drawings", Equity),
        ("Mr N Prosser - capital", Equity),
    ];
    let lines = [("K PROSSER JUNE", "-900.00"), ("N PROSSER JUNE", "-900.00")];
    let context = "Neil and I (Kath) run the Drovers as a partnership. Tom and Megan are on the payroll.";
    assert_eq!(on_chart(context, &partners, &lines), ["Mrs K Prosser - drawings", "Mr N Prosser - drawings"]);

    let alone = [("Counter sales", Income), ("Staff wages", Expense), ("Owner's drawings", Equity)];
    let context = "I'm Nadia, I run the Crusty Cob as a sole trader. Paula and Reece are weekly on PAYE.";
    assert_eq!(on_chart(context, &alone, &[("N PETRAKIS", "-500.00")]), ["Owner's drawings"]);
    assert_ne!(on_chart(context, &alone, &[("P PETRAKIS", "-300.00")]), ["Owner's drawings"]);

    let company = [
        ("Design fees", Income),
        ("Staff wages", Expense),
        ("Director's salary", Expense),
        ("Director's loan - C Rudge", Liability),
    ];
    let context = "A studio in Bath, limited company, me and Isla Beckford who is on PAYE. My £1,047.50 standing order is salary.";
    let lines = [("C RUDGE SALARY", "-1047.50"), ("I BECKFORD MAY PAY", "-1984.62")];
    assert_eq!(on_chart(context, &company, &lines), ["Director's salary", "Staff wages"]);
}

#[test]
fn a_mortgage_is_its_lenders_and_not_of_whatever_is_done_at_the_property() {
    let chart = [
        ("Rents from tenants", Income),
        ("Cleaning and windows", Expense),
        ("Mortgage interest", Expense),
        ("Wellington Row mortgage (Paragon)", Liability),
        ("Harbour Court mortgage (Leeds)", Liability),
    ];
    let context = "We let seven flats. The Paragon mortgage is interest only. Leeds is repayment, so put the whole payment against the loan.";
    let lines = [
        ("WHITCOMBE I M HARBOUR COURT RENT", "690.00"),
        ("E SALTER WINDOWS WELLINGTON ROW", "-45.00"),
        ("LEEDS BUILDING SOC MORTGAGE", "-571.90"),
    ];
    assert_eq!(
        on_chart(context, &chart, &lines),
        ["Rents from tenants", "Cleaning and windows", "Harbour Court mortgage (Leeds)"]
    );
}

#[test]
fn who_works_at_home_is_paid_for_it() {
    let chart =
        [("Sales", Income), ("Outworkers", Expense), ("Fabric", Expense), ("Directors' loan account", Liability)];
    let context = "Pet beds Ltd. Hilda Uttley sews covers at home and is paid per piece. Personal things on the card: directors' loan.";
    assert_ne!(on_chart(context, &chart, &[("MRS H UTTLEY COVERS X84", "-210.00")]), ["Directors' loan account"]);
}

#[test]
fn a_part_of_the_business_has_accounts_of_its_own() {
    let chart = [
        ("Collections", Income),
        ("Hall lettings", Income),
        ("Church gas and electricity", Expense),
        ("Hall gas and electricity", Expense),
        ("Church repairs and maintenance", Expense),
        ("Hall repairs and equipment", Expense),
        ("General account", Asset),
        ("Hall account", Asset),
    ];
    let lines = [
        ("BRITISH GAS BUS 60044182", "-94.17", Some("General account")),
        ("NPOWER BUS 118", "-88.20", Some("Hall account")),
        ("HEATSAFE BOILER REPAIR", "-342.00", Some("Hall account")),
    ];
    assert_eq!(
        on_chart_from("A parish church with a hall.", &chart, &lines),
        ["Church gas and electricity", "Hall gas and electricity", "Hall repairs and equipment"]
    );
}

#[test]
fn numbers_of_terminals_and_ways_tell_sales_apart() {
    let chart =
        [("Shop sales", Income), ("Butchery sales", Income), ("Tea room sales", Income), ("Packaging", Expense)];
    let context = "Farm shop. Elavon pays each terminal separately: the merchant number starting 4471001 is the shop, 4471002 the \
                   butchery and 4471003 the tea room.";
    let lines = [
        ("ELAVON MERCHANT SERVICES 447100202", "876.45"),
        ("ELAVON MERCHANT SERVICES 447100301", "642.80"),
        ("ELAVON MERCHANT SERVICES 447100101", "1042.10"),
    ];
    assert_eq!(on_chart(context, &chart, &lines), ["Butchery sales", "Tea room sales", "Shop sales"]);

    let chart = [("Shop sales", Income), ("Touring pitch fees", Income), ("Seasonal pitches", Income)];
    let context =
        "Holiday park. Touring bookings come through the Dojo machine in reception. The shop has its own reader.";
    assert_eq!(on_chart(context, &chart, &[("DOJO PAYOUT 0105", "1284.50")]), ["Touring pitch fees"]);

    let chart = [("Individual lessons", Income), ("Group coaching", Income), ("Holiday camps", Income)];
    let context = "Tennis coaching company. Parents book online and Stripe pays us weekly; call that group coaching.";
    assert_eq!(on_chart(context, &chart, &[("STRIPE PAYMENTS UK STRIPE", "1284.60")]), ["Group coaching"]);
}

#[test]
fn what_is_collected_for_others_is_cleared() {
    let chart = [
        ("Shop takings", Income),
        ("Till system and PayPoint terminal", Expense),
        ("PayPoint clearing", Liability),
        ("Lottery clearing", Liability),
    ];
    let context = "Convenience store. PayPoint and lottery collections are the customers' money, through clearing.";
    let lines = [("PAYPOINT COLLECT 0118827 W44", "-2204.18"), ("ALLWYN NAT LOTTERY 6620118", "-688.30")];
    assert_eq!(on_chart(context, &chart, &lines), ["PayPoint clearing", "Lottery clearing"]);
}

#[test]
fn who_is_not_on_the_payroll_works_for_himself_where_all_others_do() {
    let chart = [("Courier services", Income), ("Office wages", Expense), ("Self-employed drivers", Expense)];
    let context = "Couriers Ltd. Drivers are self-employed and not registered, paid fortnightly. Louise and Tyler are in the office on PAYE.";
    let lines = [("J KOWALCZYK WK1-2", "-980.00"), ("LOUISE BARNES WK1", "-410.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Self-employed drivers", "Office wages"]);
}

#[test]
fn charges_of_a_service_are_not_the_sales_that_it_passes_on() {
    let chart = [("Food takings", Income), ("Food", Expense), ("Card machine charges", Expense)];
    let context = "A pub. Card money from Dojo is all food and drink mixed together.";
    assert_eq!(on_chart(context, &chart, &[("DOJO FEES MAY25", "-268.91")]), ["Card machine charges"]);
}

#[test]
fn an_advisers_trade_is_not_the_callers() {
    let chart = [
        ("Fees - private residents", Income),
        ("Fees - council", Income),
        ("Food and provisions", Expense),
        ("Staff welfare", Expense),
    ];
    let context = "Two residential care homes, one company. The payroll bureau does the wages journal and the accountant splits the interest.";
    assert_eq!(on_chart(context, &chart, &[("BIDFOOD 4410927", "-1876.44")]), ["Food and provisions"]);
}

#[test]
fn what_is_paid_in_by_standing_order_is_regular_and_a_bars_equipment_is_no_beer() {
    let chart = [("One-off jobs", Income), ("Regular rounds", Income), ("Fuel", Expense)];
    let lines = [("BANHAM E GARDEN STANDING ORDER", "60.00")];
    assert_eq!(on_chart("A gardener, sole trader.", &chart, &lines), ["Regular rounds"]);

    let chart = [
        ("Playing subs", Income),
        ("Bar takings", Income),
        ("Beers, wines, spirits and soft drinks", Expense),
        ("Cellar gas and bar equipment", Expense),
        ("Bar account", Asset),
        ("Main account", Asset),
    ];
    let lines =
        [("MATTHEW CLARK BIBENDUM 7720018", "-1242.76", Some("Bar account")), ("SUBS", "20.00", Some("Main account"))];
    let found = on_chart_from("A rugby club with a bar.", &chart, &lines);
    assert_eq!(found.first().map(String::as_str), Some("Beers, wines, spirits and soft drinks"));
}

#[test]
fn the_name_of_somebody_employed_is_no_word() {
    let chart = [("Sales", Income), ("Wages", Expense), ("Staff travel and expenses", Expense), ("Drawings", Equity)];
    let context = "A bakery in Leeds run by Paula Hart, sole trader. Miles Harding is on the payroll.";
    let lines = [("MILES HARDING", "-1210.00"), ("MILES HARDING EXPENSES", "-38.20")];
    assert_eq!(on_chart(context, &chart, &lines), ["Wages", "Staff travel and expenses"]);
}
