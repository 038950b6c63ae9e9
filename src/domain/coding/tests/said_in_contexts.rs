//! What contexts say of VAT that is charged, of cash, of leases, of references and of people.

use super::accounts_apart::{on_chart, on_chart_from};
use super::*;
use AccountType::{Asset, Equity, Expense, Income, Liability};

/// VAT codes of lines of a business, on a chart of these accounts alone.
fn vat_on_chart(context: &'static str, chart: &[(&str, AccountType)], lines: &[(&str, &str)]) -> Vec<Vat> {
    let asked = Batch {
        transactions: lines.iter().map(|(text, amount)| line("2025-05-01", text, amount)).collect(),
        accounts: (0..).zip(chart).map(|(at, (name, kind))| account(&format!("{}", 100 + at), name, *kind)).collect(),
        business_context: Cow::Borrowed(context),
        ..Batch::default()
    };
    code(&asked).rows.iter().map(|row| row.vat).collect()
}

#[test]
fn what_is_sold_carries_the_vat_that_the_context_gives_it() {
    let chart = [
        ("Shop sales", Income),
        ("Café sales", Income),
        ("Groceries bought", Expense),
        ("Customer deposits", Liability),
    ];
    let context = "Farm shop and café, VAT registered. The shop is food so it is zero rated. The café is all 20%.";
    let lines = [("ZETTLE CAFE 2PJX", "648.22"), ("BP HARTNOLL CAFE PARTY", "120.00")];
    assert_eq!(vat_on_chart(context, &chart, &lines), [Vat::Standard, Vat::Standard]);
    // What a journal takes out of the sales later is in them as they land.
    let chart = [("Cake and bread sales", Income), ("Ingredients", Expense)];
    let context = "Bakery café, VAT registered. All sales are posted at standard rate and the zero-rated bread share is taken out by a \
                   journal.";
    assert_eq!(vat_on_chart(context, &chart, &[("DOJO 1180442", "842.60")]), [Vat::Standard]);
}

#[test]
fn a_hyphen_and_a_reverse_charge_from_abroad_change_no_vat_of_sales() {
    let chart = [("Treatment fees", Income), ("Pilates and class income", Income), ("Consumables", Expense)];
    let context = "Physiotherapy clinic, VAT registered. Treatment is exempt; Pilates classes and product sales are standard-rated.";
    assert_eq!(vat_on_chart(context, &chart, &[("BGC LENNARD PILATES CLASS", "66.00")]), [Vat::Standard]);
    let chart = [("Managed support contracts", Income), ("Software", Expense)];
    let context = "IT company, VAT registered. GoCardless is the support contracts. Slack and GoDaddy bill from abroad: reverse charge.";
    assert_eq!(vat_on_chart(context, &chart, &[("GOCARDLESS LTD FELL-7TQ2", "2316.42")]), [Vat::Standard]);
}

#[test]
fn deposits_carry_the_vat_of_what_they_are_for() {
    let chart = [
        ("Electrical work", Income),
        ("Solar installations", Income),
        ("Materials", Expense),
        ("Customer deposits", Liability),
    ];
    let context = "Electricians, VAT registered. Householders pay a deposit before we start (rewires 20%, solar and battery 0%), \
                   and I hold these in Customer deposits";
    let lines = [("MR DUGGAN SOLAR DEPOSIT", "2400.00"), ("MISS WARDLE REWIRE DEPOSIT", "900.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Customer deposits", "Customer deposits"]);
    assert_eq!(vat_on_chart(context, &chart, &lines), [Vat::Zero, Vat::Standard]);
}

#[test]
fn a_supplier_of_whom_the_same_is_denied_charges_no_vat() {
    let chart = [("Sales", Income), ("Gifts bought in", Expense), ("Meat bought in", Expense)];
    let context = "Farm shop, VAT registered. Lowri isn't VAT registered and nor is Rees with the lambs.";
    let lines = [("BP LOWRI HAF GIFTS BOUGHT IN", "-187.00"), ("BP REES LLOYD GIFTS BOUGHT IN", "-440.00")];
    assert_eq!(vat_on_chart(context, &chart, &lines), [Vat::NoVat, Vat::NoVat]);
}

#[test]
fn cash_is_banked_out_of_the_account_that_the_context_names() {
    let chart = [("Sales", Income), ("Bar jar", Asset), ("Petty cash", Asset), ("Current account", Asset)];
    let lines = [("CASH PAID IN HEXWORTH", "260.00", Some("Current account"))];
    for context in [
        "A club. The takings live in the Bar Jar until somebody banks them, and are banked from there on Mondays.",
        "A club. We put the money of the evening in the Bar Jar and then it is banked.",
    ] {
        assert_eq!(on_chart_from(context, &chart, &lines), ["Bar jar"], "{context}");
    }
    for context in [
        "A club. There is no Bar Jar any more, what we bank is sales.",
        "A club. Whatever is in the Bar Jar is counted as sales when it is banked, and banked as sales.",
        "A club with a bar.",
    ] {
        assert_eq!(on_chart_from(context, &chart, &lines), ["Sales"], "{context}");
    }
}

#[test]
fn makers_finance_companies_are_paid_for_leases_where_the_vehicles_are_leased() {
    let chart = [
        ("Haulage income", Income),
        ("Diesel", Expense),
        ("Vehicle contract hire", Expense),
        ("Hire purchase", Liability),
    ];
    let lines = [("SCANIA FINANCE GB LTD 00418833 DD", "-2874.00")];
    let leased = "Haulage company, limited. 9 wagons, all on contract hire.";
    assert_eq!(on_chart(leased, &chart, &lines), ["Vehicle contract hire"]);
    let bought = "Haulage company, limited. 9 wagons, one of them leased.";
    assert_eq!(on_chart(bought, &chart, &lines), ["Hire purchase"]);
}

#[test]
fn letters_that_the_context_puts_in_quotes_stand_for_an_account() {
    let chart = [("Fees of residents", Income), ("Food", Expense), ("Residents' personal allowances held", Liability)];
    let context =
        "A care home, limited company, exempt. Families deposit pocket money (\"PA\") which we hold for the resident.";
    let lines = [("K OGILVIE PA FOR MUM", "80.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Residents' personal allowances held"]);
}

#[test]
fn people_and_private_purchases_are_told_in_few_words() {
    let chart = [
        ("Skip hire income", Income),
        ("Wages", Expense),
        ("Travel and subsistence", Expense),
        ("Dividends", Equity),
        ("Director's loan account", Liability),
    ];
    let context = "Skips, limited company. Wayne Crabb gets dividends. Boots, Reiss = Joanna's. Zara, Nando's: me.";
    let lines = [("W CRABB", "-1200.00"), ("REISS LTD", "-148.00"), ("NANDOS CHICKENLAND", "-31.20")];
    let found = on_chart(context, &chart, &lines);
    assert_eq!(found, ["Dividends", "Director's loan account", "Director's loan account"]);
}

#[test]
fn a_sum_by_the_week_that_is_called_drawings_is_drawn() {
    let chart = [("Repairs income", Income), ("Parts", Expense), ("Staff wages", Expense), ("Drawings", Equity)];
    let context =
        "Garage, sole trader, not VAT registered. Wages net pay straight to Staff wages. My 350 a week is drawings.";
    assert_eq!(on_chart(context, &chart, &[("D P HARGREAVES WEEKLY STO", "-350.00")]), ["Drawings"]);
    assert_eq!(on_chart(context, &chart, &[("D P HARGREAVES WEEKLY STO", "-351.00")]), ["Staff wages"]);
    // Each owner's go to an account of its own.
    let chart = [("Garden income", Income), ("Parts", Expense), ("Col - drawings", Equity), ("Jen - drawings", Equity)];
    let context = "Gardens, partnership. 600 a week each is drawings.";
    assert_eq!(on_chart(context, &chart, &[("JEN FARROW DRAWINGS SO", "-600.00")]), ["Jen - drawings"]);
}

#[test]
fn a_pension_fund_that_is_paid_rent_is_the_landlord() {
    let chart = [("Sales", Income), ("Rent", Expense), ("Staff pensions", Expense)];
    let lines = [("HOLLINS EST SIPP RENT UNIT 4 STO", "-850.00"), ("NEST IT0000112", "-86.00")];
    assert_eq!(on_chart("A garage.", &chart, &lines), ["Rent", "Staff pensions"]);
}

#[test]
fn software_that_the_context_works_with_is_still_bought() {
    let chart = [
        ("Design income", Income),
        ("Computer software", Expense),
        ("Expenses owed to director", Liability),
        ("Director's loan account", Liability),
    ];
    let context = "Designer, limited company. I run a little payroll in FreeAgent, stuff I paid for personally gets claimed in there too";
    assert_eq!(on_chart(context, &chart, &[("FREEAGENT CENTRAL", "-39.60")]), ["Computer software"]);
}
