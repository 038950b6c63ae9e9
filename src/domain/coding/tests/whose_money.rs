//! Whose money it is and what it clears: what the context says of codes, payment services and people, and what the caller's own
//! accounts hold.

use super::accounts_apart::{on_chart, on_chart_from};
use super::*;
use AccountType::{Asset, Equity, Expense, Income, Liability};

#[test]
fn payments_clear_the_account_that_the_context_names_by_code_or_by_name() {
    let chart = [
        ("Wet sales", Income),
        ("Food sales", Income),
        ("Card takings", Asset),
        ("Payroll clearing", Liability),
        ("Wages", Expense),
    ];
    let lines = [("DOJO SETTLEMENT 448201", "3188.45"), ("L GARTHORNE WK1", "-318.22")];
    let by_code = "Country pub, limited company. Luke Garthorne is the barman; payroll is journalled, so pay clears 103. The till is \
                   journalled weekly, so that Dojo settlements clear 102.";
    assert_eq!(on_chart(by_code, &chart, &lines), ["Card takings", "Payroll clearing"]);
    let by_name = "Country pub, limited company. Card takings come through Dojo and are all posted to Food sales.";
    assert_eq!(on_chart(by_name, &chart, &lines[..1]), ["Food sales"]);
}

#[test]
fn money_of_clients_is_owed_to_them_and_fees_are_moved() {
    let chart = [
        ("Management fees", Income),
        ("Interest income", Income),
        ("Repairs", Expense),
        ("Office account", Asset),
        ("Client account", Asset),
        ("Client monies held", Liability),
        ("Tenancy deposits held", Liability),
    ];
    let context = "Lettings agency, limited company. Rents and landlords' bills go through the client account.";
    let lines = [
        ("MR K BALDOCK 14 NORTON RD RENT", "795.00", Some("Client account")),
        ("PAKELEY PLUMBING BOILER", "-186.00", Some("Client account")),
        ("BEECHAM L HOLDING DEPOSIT", "196.15", Some("Client account")),
        ("INTEREST GROSS", "18.22", Some("Client account")),
        ("FEES MARCH", "-5216.40", Some("Client account")),
        ("CLIENT A/C FEES MARCH", "5216.40", Some("Office account")),
    ];
    let wanted = [
        "Client monies held",
        "Client monies held",
        "Tenancy deposits held",
        "Interest income",
        "Office account",
        "Client account",
    ];
    assert_eq!(on_chart_from(context, &chart, &lines), wanted);
}

#[test]
fn a_payment_services_own_account_sells_online_and_keeps_its_fees() {
    let chart = [
        ("Shop sales", Income),
        ("Sales - online", Income),
        ("Payment fees", Expense),
        ("PayPal", Asset),
        ("Bank", Asset),
    ];
    let lines =
        [("Payment from Karen Ashby ORD 10844", "38.50", Some("PayPal")), ("Fee Karen Ashby", "-1.42", Some("PayPal"))];
    assert_eq!(
        on_chart_from("Shop with a website, limited company.", &chart, &lines),
        ["Sales - online", "Payment fees"]
    );
}

#[test]
fn a_service_takes_what_the_parts_of_the_sentence_before_it_say() {
    let chart = [("Class passes", Income), ("Bar takings", Income), ("Course fees", Income), ("Sundry income", Income)];
    let context =
        "Studio, limited company. The bar takes cards by Zettle and the courses and passes come through Stripe.";
    let lines = [("ZETTLE PAYOUT", "346.81"), ("STRIPE PAYMENTS COURSES", "280.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Bar takings", "Course fees"]);
}

#[test]
fn deposits_that_are_held_are_paid_in_and_back_and_nothing_else_is() {
    let chart = [("Plot rents", Income), ("Gate key deposits held", Liability), ("Site repairs", Expense)];
    let context = "Allotment society, not VAT registered.";
    let lines =
        [("P HIRSCH KEY DEP", "10.00"), ("P HIRSCH DEP BACK", "-10.00"), ("G MAWSON PADLOCK TOP GATE", "-33.60")];
    let found = on_chart(context, &chart, &lines);
    assert_eq!(found[..2], ["Gate key deposits held", "Gate key deposits held"]);
    assert_ne!(found[2], "Gate key deposits held");
}

#[test]
fn relatives_draw_children_are_employed_and_the_self_employed_bill() {
    let chart = [
        ("Sales", Income),
        ("Wages", Expense),
        ("Subcontractors", Expense),
        ("Drawings", Equity),
        ("Capital introduced", Equity),
    ];
    let sole = "Jody Lomas is a self-employed hairdresser, not VAT registered. Steve is her husband. Ellie Kirkby helps and is paid \
                as self-employed.";
    let lines = [("STEVE LOMAS lunch money", "-22.00"), ("E KIRKBY 2 DAYS", "-180.00")];
    assert_eq!(on_chart(sole, &chart, &lines), ["Drawings", "Subcontractors"]);
    let farm =
        "Graham and Maureen Huddleston farm in partnership. Son Callum is on the payroll and net pay goes to wages.";
    let chart =
        [("Lamb sales", Income), ("Wages", Expense), ("Drawings - G Huddleston", Equity), ("Contractors", Expense)];
    assert_eq!(on_chart(farm, &chart, &[("C HUDDLESTON", "-415.00")]), ["Wages"]);
}

#[test]
fn whoever_stands_in_a_list_of_subcontractors_is_none_of_the_employees() {
    let chart = [("Sales", Income), ("Subcontract labour", Expense), ("Net wages", Liability), ("Wages", Expense)];
    let context = "Plasterer, limited company. Sub-contractors Wes Oakham, Marek Zelinsky and Pete Hobson are paid weekly net of CIS. \
                   The drivers Terry Oakden and Ionel Marinu are on the payroll.";
    let lines = [("M ZELINSKY WK 9", "-576.00"), ("IONEL MARINU WK 9", "-641.75")];
    assert_eq!(on_chart(context, &chart, &lines), ["Subcontract labour", "Net wages"]);
}

#[test]
fn two_words_of_an_account_beside_each_other_and_its_letters_name_it() {
    let chart = [
        ("Community plot spending", Expense),
        ("Community plot grant", Income),
        ("Plot repairs", Expense),
        ("Gifts and flowers", Expense),
        ("Subscriptions (BDA etc)", Expense),
        ("Registration (GDC, CQC)", Expense),
    ];
    let lines = [("P QUARMAN FRUIT TREES COMMUNITY PLOT", "-89.70"), ("BRITISH DENTAL ASSOC DD", "-94.50")];
    let found = on_chart("Society, not VAT registered.", &chart, &lines);
    assert_eq!(found, ["Community plot spending", "Subscriptions (BDA etc)"]);
}

#[test]
fn the_callers_own_name_and_the_word_subscription_name_no_account() {
    let chart = [
        ("Sales", Income),
        ("Rates and water", Expense),
        ("Computer software", Expense),
        ("Indemnity and subscriptions", Expense),
    ];
    let context = "Cath Muirhead trades as Allan Water Physiotherapy, sole trader, not VAT registered.";
    let lines = [("GOOGLE WORKSPACE ALLAN WATER", "-11.04"), ("DROPBOX SUBSCRIPTION", "-45.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Computer software", "Computer software"]);
}

#[test]
fn a_line_that_begins_with_the_account_it_moves_to_is_a_transfer() {
    let chart =
        [("Subscriptions", Income), ("Community account", Asset), ("Boat fund savings", Asset), ("Boat fund", Equity)];
    let lines = [
        ("TO BOAT FUND", "-500.00", Some("Community account")),
        ("FROM 20-43 OUSEBY ARC", "500.00", Some("Boat fund savings")),
        ("PAYPAL PPWDL 5K22J7", "84.60", Some("Community account")),
    ];
    let found = on_chart_from("Rowing club, not VAT registered.", &chart, &lines);
    assert_eq!(found[..2], ["Boat fund savings", "Community account"]);
}

#[test]
fn cards_do_not_pay_what_is_billed_and_a_supplier_gives_back_no_sale() {
    let chart = [
        ("NHS contract income", Income),
        ("Private fees", Income),
        ("Dental materials", Expense),
        ("Bank fees", Expense),
    ];
    let lines = [("DOJO SETTLEMENT 881206", "1246.30"), ("WWW.DENTAL-SKY.COM REFUND", "14.40")];
    let found = on_chart("Mixed NHS and private dental practice, not VAT registered.", &chart, &lines);
    assert_eq!(found, ["Private fees", "Dental materials"]);
}

#[test]
fn what_is_private_is_said_of_its_own_subject() {
    let chart = [
        ("Yarn sales", Income),
        ("Web shop and software", Expense),
        ("Yarn for resale", Expense),
        ("Drawings", Equity),
    ];
    let lines = [("SHOPIFY* 339102918", "-25.00")];
    let kits =
        "Yarn shop, sole trader. I sell in the shop and through Shopify, and I supply my own kits to other shops.";
    assert_eq!(on_chart(kits, &chart, &lines), ["Web shop and software"]);
    let tax = "Yarn shop, sole trader. Shopify is the web shop, and the council tax and our own tax bills are private.";
    assert_eq!(on_chart(tax, &chart, &lines), ["Web shop and software"]);
    let hers = "Yarn shop, sole trader. Netflix and the gym are hers, Shopify is the web shop.";
    let lines = [("NETFLIX.COM", "-12.99"), ("SHOPIFY* 339102918", "-25.00")];
    assert_eq!(on_chart(hers, &chart, &lines), ["Drawings", "Web shop and software"]);
}

#[test]
fn paye_is_pay_where_the_context_says_so() {
    let chart = [("Sales", Income), ("Wages", Expense), ("PAYE owed", Liability), ("Sundries", Expense)];
    let lines = [("HMRC PAYE 475PL00881204", "-611.40")];
    let direct = "Press, limited company. We simply post net pay, PAYE and pension to wages as they are paid.";
    assert_eq!(on_chart(direct, &chart, &lines), ["Wages"]);
    let cleared = "Press, limited company. The payroll journal is posted monthly; net pay, PAYE and pension clear it.";
    assert_eq!(on_chart(cleared, &chart, &lines), ["PAYE owed"]);
}

#[test]
fn who_gives_by_standing_order_gives_to_the_account_for_that() {
    let chart =
        [("Planned giving (standing orders)", Income), ("Gifts and one-off donations", Income), ("Sundries", Expense)];
    let lines = [("STO FROM HOLMES E MRS", "45.00"), ("FPI HOLMES E MRS DONATION", "45.00")];
    let found = on_chart("Parish church, a charity, not VAT registered.", &chart, &lines);
    assert_eq!(found, ["Planned giving (standing orders)", "Gifts and one-off donations"]);
}

#[test]
fn what_a_mart_pays_is_no_refund_of_what_is_bought_there() {
    let chart = [("Lambs sold", Income), ("Sheep bought in", Expense), ("Sundries", Expense)];
    let lines = [("LOWE AUCTIONEERS RAM LOT 22", "-840.00"), ("LOWE AUCTIONEERS LOT 114", "1642.60")];
    let found = on_chart("Farm, a partnership with a flock of sheep, VAT registered.", &chart, &lines);
    assert_eq!(found, ["Sheep bought in", "Lambs sold"]);
}

#[test]
fn whoever_helps_in_a_workshop_is_paid_for_the_help() {
    let chart = [("Sales", Income), ("Subcontract helpers", Expense), ("Training", Expense), ("Sundries", Expense)];
    let context = "Piano workshop, sole trader. Isla Penrice and Gavin Stannard help me as self-employed.";
    let lines = [("ISLA PENRICE 2 DAYS WORKSHOP", "-180.00"), ("ELLERY TRAINING WORKSHOP", "-180.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Subcontract helpers", "Training"]);
}

#[test]
fn pay_that_the_context_sends_to_wages_clears_nothing() {
    let chart = [("Sales", Income), ("Wages", Expense), ("Net wages payable", Liability), ("Sundries", Expense)];
    let lines = [("KYLE PENRICE WAGES WK9", "-342.18")];
    let direct = "Fish bar, limited company. Staff are paid weekly (Kyle Penrice, Beth Stannard) and go to Wages.";
    assert_eq!(on_chart(direct, &chart, &lines), ["Wages"]);
    let cleared = "Fish bar, limited company. The payroll journal is posted each month. Staff are Kyle Penrice and Beth Stannard.";
    assert_eq!(on_chart(cleared, &chart, &lines), ["Net wages payable"]);
}

#[test]
fn employees_named_beside_directors_own_nothing() {
    let chart = [
        ("Fees", Income),
        ("Salaries and wages", Expense),
        ("Directors' salaries", Expense),
        ("Directors' loan account", Liability),
        ("Sundries", Expense),
    ];
    let context = "Architects, limited company, with directors Priya Sandhu and Tom Akeroyd and two employees, Nia Penrice and \
                   Joe Stannard; the directors take a small salary.";
    let lines = [("NIA PENRICE SALARY MAR", "-2486.32"), ("TOM AKEROYD SALARY MAR", "-750.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Salaries and wages", "Directors' salaries"]);
}

#[test]
fn owners_accounts_are_told_apart_by_an_initial() {
    let chart =
        [("Sales", Income), ("Drawings - John & Margaret", Equity), ("Drawings - Will", Equity), ("Feed", Expense)];
    let context = "J & M Penrice & Son, a farm partnership of John, Margaret and our son Will.";
    let lines = [("PENRICE W DRAWINGS", "-1200.00"), ("PENRICE M DRAWINGS", "-1200.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Drawings - Will", "Drawings - John & Margaret"]);
}

#[test]
fn a_clause_with_a_verb_says_nothing_of_what_is_private() {
    let chart =
        [("Sales", Income), ("Bank charges", Expense), ("Rent", Expense), ("Directors' loan account", Liability)];
    let context = "Joinery, limited company. Anything for Neil personally goes to the director's loan, and Hill Units charge VAT on the rent.";
    assert_eq!(on_chart(context, &chart, &[("DR FOREIGN PAYMENT CHARGE", "-17.00")]), ["Bank charges"]);
}
