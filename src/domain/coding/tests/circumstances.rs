//! What the context, the caller's own accounts and who is paid say of lines whose words say something else, or nothing.

use super::accounts_apart::{accounts_of, on_chart};
use super::*;

const DRAWINGS: (&str, AccountType) = ("Drawings", AccountType::Equity);

#[test]
fn each_amount_of_a_clause_is_about_the_words_before_it() {
    use AccountType::Income;
    let found = accounts_of(
        &[("Subs - full", Income), ("Subs - juniors", Income), ("Subs - social members", Income)],
        "Amateur club, not VAT registered. Full members pay £31 a month, juniors £17 and social members £26 once a year.",
        vec![line("2025-05-02", "QUILLAN N", "17.00"), line("2025-05-02", "OKELL R", "26.00")],
    );
    assert_eq!(found, ["Subs - juniors", "Subs - social members"]);
}

#[test]
fn what_comes_into_the_bars_account_is_sold_at_the_bar() {
    use AccountType::{Asset, Income};
    let more = [
        ("Club main account", Asset),
        ("Club bar account", Asset),
        ("Bar sales", Income),
        ("Hire of the hall", Income),
    ];
    let tagged = |payer: &'static str, tag: &'static str| {
        let mut line = line("2025-05-02", payer, "212.40");
        line.bank_account = Some(Cow::Borrowed(tag));
        line
    };
    let lines = vec![tagged("QUILLAN N", "Club bar account"), tagged("OKELL R", "Club main account")];
    let found = accounts_of(&more, "Sports club, not VAT registered.", lines);
    assert_eq!(found[0], "Bar sales");
    assert_ne!(found[1], "Bar sales");
}

#[test]
fn a_vehicle_whose_miles_are_claimed_is_private() {
    use AccountType::{Expense, Income};
    let chart =
        [("Sales", Income), ("Parts", Expense), ("Insurance", Expense), ("Travel and parking", Expense), DRAWINGS];
    let lines = [("SHELL HARTBURN", "-58.40"), ("DVLA VEHICLE TAX", "-27.50")];
    let claimed = "Piano tuner, sole trader, not VAT registered. Mileage is claimed at 45p a mile by a journal.";
    assert_eq!(on_chart(claimed, &chart, &lines), ["Drawings", "Drawings"]);
    let paid = "Piano tuner, sole trader, not VAT registered. The van belongs to the business.";
    assert!(!on_chart(paid, &chart, &lines).contains(&"Drawings".to_owned()));
}

#[test]
fn what_only_people_have_is_drawn() {
    let sole = "Furniture maker, sole trader, not VAT registered.";
    let lines = vec![
        line("2025-05-02", "CASH ISA TOP UP", "-100.00"),
        line("2025-05-03", "COUNCIL TAX DD", "-188.00"),
        line("2025-05-04", "STUDENT LOANS COMPANY", "-88.00"),
    ];
    let found = accounts_of(&[DRAWINGS], sole, lines);
    assert_eq!(found[..2], ["Drawings", "Drawings"]);
    let isa = vec![line("2025-05-02", "CASH ISA TOP UP", "-100.00")];
    assert_eq!(accounts_of(&[], "Furniture maker, limited company.", isa), ["Directors' loan account"]);
}

#[test]
fn whoever_the_context_names_beside_pay_is_an_employee() {
    let more = [("Subcontractors", AccountType::Expense)];
    let employed =
        "Farm, limited company. Wages are paid each Friday to Tomasz Ellery, Hannah Penrice and Callum Stannard.";
    let names =
        || vec![line("2025-05-02", "H PENRICE MAY", "-412.10"), line("2025-05-09", "C STANNARD WK 22", "-398.00")];
    assert_eq!(accounts_of(&more, employed, names()), ["Salaries", "Salaries"]);
    let own = "Farm, limited company. Hannah Penrice is a self employed relief milker, not on the books; Callum Stannard too.";
    assert_ne!(accounts_of(&more, own, names())[0], "Salaries");
}

#[test]
fn a_standing_order_is_no_initial_of_an_owner() {
    let found = accounts_of(
        &[],
        "Builder, limited company. The directors are Gareth and Sue Penhallow.",
        vec![line("2025-05-02", "D PENHALLOW YARD SO", "-350.00"), line("2025-05-09", "S PENHALLOW", "-350.00")],
    );
    assert_ne!(found[0], "Directors' loan account");
    assert_eq!(found[1], "Directors' loan account");
}

#[test]
fn whoever_a_sentence_calls_a_sole_trader_owns_the_business() {
    let found = accounts_of(
        &[DRAWINGS],
        "Isla Penhallow is a furniture maker and restorer in Leith, a sole trader and not VAT registered.",
        vec![line("2025-05-02", "ISLA PENHALLOW PAY", "-900.00")],
    );
    assert_eq!(found, ["Drawings"]);
}

#[test]
fn an_account_that_the_context_names_is_meant() {
    use AccountType::{Expense, Income};
    let chart = [("Sales", Income), ("Yard wages", Expense), ("Mill wages", Expense), ("Diesel", Expense)];
    let lines = [("SALARY H PENRICE", "-412.10")];
    let yard = "Haulier, limited company. What the drivers get goes straight to Yard wages.";
    let mill = "Haulier, limited company. What the drivers get goes straight to Mill wages.";
    assert_eq!(on_chart(yard, &chart, &lines), ["Yard wages"]);
    assert_eq!(on_chart(mill, &chart, &lines), ["Mill wages"]);
}

#[test]
fn tax_clears_its_provision_and_a_fee_for_currencies_is_a_charge() {
    use AccountType::{Expense, Liability};
    let more = [
        ("Corporation tax", Expense),
        ("Provision for corporation tax", Liability),
        ("Exchange gain or loss", Expense),
    ];
    let found = accounts_of(
        &more,
        "Furniture maker, limited company.",
        vec![line("2025-05-02", "HMRC CORPORATION TAX", "-2140.00"), line("2025-05-03", "TIDE FX FEE", "-9.23")],
    );
    assert_eq!(found[0], "Provision for corporation tax");
    assert_ne!(found[1], "Exchange gain or loss");
}

#[test]
fn what_cards_take_where_services_are_sold_is_no_sale_of_the_shop_beside_them() {
    use AccountType::Income;
    let lines = [("SUMUP PAYMENTS LTD PID8812", "186.71"), ("DOJO PAYMNTS 02OCT", "468.00")];
    let groomer = [("Sales", Income), ("Sales - Retail (treats, brushes)", Income), DRAWINGS];
    let found = on_chart("Dog groomer, sole trader, not VAT registered.", &groomer, &lines);
    assert_eq!(found, ["Sales", "Sales"]);
    let physio = [("Treatment - private patients", Income), ("Treatment - insurers", Income), ("Shop sales", Income)];
    let found = on_chart("Two physiotherapists in partnership, not VAT registered.", &physio, &lines);
    assert!(!found.contains(&"Shop sales".to_owned()), "{found:?}");
}

#[test]
fn members_pay_through_the_collector_of_a_club_that_sells_nothing() {
    use AccountType::Income;
    let chart = [("Subscriptions", Income), ("Uniform, badge and scarf sales", Income), ("Fundraising events", Income)];
    let context = "Scout group, a registered charity, not registered for VAT. Subs of £42 a term come from parents.";
    let lines = [("GOCARDLESS LTD HARTBURN-8K", "1176.42"), ("S QUILLAN ELLA SQUIRRELS", "42.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Subscriptions", "Subscriptions"]);
}

#[test]
fn an_employee_may_have_an_owners_surname() {
    use AccountType::{Expense, Income};
    let chart = [
        ("Sales", Income),
        ("Wages", Expense),
        ("Subcontractors", Expense),
        ("Director's loan", AccountType::Liability),
    ];
    let context = "Roofing company. Directors are Gavin Tallis and Lee Crook; employees are Jordan Pell and Tracey Crook \
                   (Lee's wife, office) and their pay goes out monthly. Subcontractors invoice us.";
    let found = on_chart(context, &chart, &[("FPO T CROOK APRIL", "-702.00"), ("FPO J PELL APRIL", "-1640.00")]);
    assert_eq!(found, ["Wages", "Wages"]);
}

#[test]
fn a_banks_own_charge_is_no_service_charge_of_a_landlord() {
    use AccountType::Expense;
    let chart = [("Rent and service charges", Expense), ("Meeting room hire", Expense), ("Bank charges", Expense)];
    let lines = [("LLOYDS SERVICE CHARGE 10OCT-09NOV", "-8.50"), ("NATWEST SERVICE CHARGES , 30OCT A/C", "-11.85")];
    assert_eq!(on_chart("Swimming club, not VAT registered.", &chart, &lines), ["Bank charges", "Bank charges"]);
}

#[test]
fn what_is_said_beside_an_owners_name_is_not_about_what_the_owner_takes() {
    use AccountType::{Expense, Income};
    let chart =
        [("Sales", Income), ("Sales - corporate customers", Income), ("Subcontract instructors", Expense), DRAWINGS];
    let context = "Ada Quillan is a self-employed driving instructor in Hartburn, sole trader, not VAT registered.";
    let lines = [("Ada Quillan own acc", "-600.00"), ("SumUp Payments Ltd SUMUPPID20114", "112.18")];
    let found = on_chart(context, &chart, &lines);
    assert_eq!(found[0], "Drawings");
    // The company that passes on what cards take is no corporate customer.
    assert_eq!(found[1], "Sales");
}

#[test]
fn a_makers_finance_company_is_paid_for_a_lease_where_there_is_one() {
    use AccountType::{Expense, Liability};
    let lease = [("Car lease", Expense), ("Start up loan", Liability), ("Bank and finance charges", Expense)];
    let lines = [("VAUXHALL FINANCE DD", "-329.00")];
    assert_eq!(on_chart("Driving instructor, sole trader.", &lease, &lines), ["Car lease"]);
    let agreement = [("Car lease", Expense), ("Hire purchase - Corsa", Liability)];
    assert_eq!(on_chart("Driving instructor, sole trader.", &agreement, &lines), ["Hire purchase - Corsa"]);
}

#[test]
fn directors_named_together_are_both_paid_as_directors() {
    use AccountType::{Expense, Liability};
    let chart = [
        ("Wages and salaries", Expense),
        ("Directors' remuneration", Expense),
        ("Van fuel", Expense),
        ("Directors' loan", Liability),
    ];
    let context = "Chip shop, Quillan and Sons Ltd, VAT registered. Ada and Owen Quillan are directors.";
    let lines =
        [("A QUILLAN MAY SALARY", "-1047.00"), ("O QUILLAN MAY SALARY", "-1047.00"), ("E DOBSON SATS BP", "-112.00")];
    let found = on_chart(context, &chart, &lines);
    assert_eq!(found[..2], ["Directors' remuneration", "Directors' remuneration"]);
    // Behind a person's name the bank says how it was paid.
    assert_ne!(found[2], "Van fuel");
}
