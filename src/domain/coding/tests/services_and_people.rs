//! What payment services take and whom people are paid for, as contexts say it, and what lines say of themselves.

use super::accounts_apart::{on_chart, on_chart_from};
use super::*;
use AccountType::{Asset, Equity, Expense, Income, Liability};

#[test]
fn a_code_in_brackets_says_where_what_a_service_takes_goes() {
    let chart = [("Detailing", Income), ("Valeting", Income), ("Van fuel", Expense)];
    let context = "I valet cars, not VAT registered. SumUp payouts are ordinary valets (101) unless the ref says ceramic or polish, \
                   thats detailing.";
    assert_eq!(on_chart(context, &chart, &[("SUMUP PAYMENTS PID5512087", "181.87")]), ["Valeting"]);
}

#[test]
fn a_clause_goes_on_about_what_a_service_takes() {
    let chart = [
        ("Sales - signs", Income),
        ("Sales - print (zero rated)", Income),
        ("Treatment income", Income),
        ("Sales of products", Income),
        ("Materials", Expense),
    ];
    let lines = [("CR STRIPE PAYMENTS UK WEB", "196.31"), ("CR ZETTLE BY PAYPAL 88120471", "117.36")];
    let context = "A studio. Stripe payouts are the web shop, which is leaflets and booklets only (zero rated). Zettle on the desk takes \
                   shop sales only.";
    assert_eq!(on_chart(context, &chart, &lines), ["Sales - print (zero rated)", "Sales of products"]);
    // What another clause has a verb for is not what the service takes.
    let chart = [("Street trading", Income), ("Private events", Income), ("Ingredients", Expense)];
    let context =
        "Street food. Sumup is the trading, bank transfers from people are weddings and parties (private events).";
    assert_eq!(on_chart(context, &chart, &[("SUMUP PID 22019", "864.30")]), ["Street trading"]);
}

#[test]
fn a_services_fees_are_no_takings_that_are_cleared() {
    let chart = [("Sales", Income), ("Card processing charges", Expense), ("Takings clearing", Asset)];
    let context = "A shop, limited company. Worldpay card money just goes to Takings clearing.";
    let lines = [("WORLDPAY 49817263 MNTHLY CHGS", "-96.73"), ("WORLDPAY 49817263", "412.80")];
    assert_eq!(on_chart(context, &chart, &lines), ["Card processing charges", "Takings clearing"]);
}

#[test]
fn takings_go_where_the_context_has_them_cleared() {
    let chart = [
        ("Café sales", Income),
        ("Bread sales", Income),
        ("Card machine charges", Expense),
        ("Card & Cash Takings Clearing", Asset),
        ("Current account", Asset),
    ];
    let lines = [("SUMUP PAYMENTS LIM PID884120 BGC", "1042.17"), ("COUNTER CREDIT HEBDEN BRIDGE PO 400127", "620.00")];
    let cleared = ["Card & Cash Takings Clearing"; 2];
    for context in [
        "A bakery. Please don't put SumUp payouts or the cash I pay in to sales. They all go to the takings clearing account.",
        "A bakery. All takings, whether SumUp payouts or cash paid in at the Post Office, go to 103; the journal does the sales.",
    ] {
        assert_eq!(on_chart(context, &chart, &lines), cleared, "{context}");
    }
    // What is said of another service is not said of this one.
    let context =
        "A bakery. Zettle payouts go to the takings clearing account. SumUp is the café, and cash is café sales.";
    assert_eq!(on_chart(context, &chart, &lines), ["Café sales"; 2]);
}

#[test]
fn a_later_part_says_what_a_service_takes() {
    let chart = [
        ("Pay-and-play court fees", Income),
        ("Subscriptions - adult, family and junior", Income),
        ("Balls and nets", Expense),
    ];
    let context = "A tennis club. Members pay online (ClubSpark, which arrives as Stripe, and I treat all Stripe as subscriptions) or \
                   direct.";
    let lines = [("STRIPE PAYMENTS UK CR", "341.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Subscriptions - adult, family and junior"]);
}

#[test]
fn squares_payouts_are_known_by_the_name_that_contexts_give_it() {
    let chart = [("Taproom sales", Income), ("Hops and malt", Expense), ("Square Clearing", Asset)];
    let context = "A brewery, limited company. Whatever Square pays over goes to Square Clearing.";
    assert_eq!(on_chart(context, &chart, &[("SQUAREUP INTL L REF GB0527 BGC", "5833.70")]), ["Square Clearing"]);
}

#[test]
fn a_parents_tax_free_childcare_account_pays_fees_and_is_no_saving() {
    let chart = [("Parent fees", Income), ("Food", Expense), ("Lloyds Reserve", Asset), ("Lloyds Current", Asset)];
    let context = "A nursery, limited company, not VAT registered.";
    let lines = [("KQRT55103TFC HMRC NS&I", "400.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Parent fees"]);
}

#[test]
fn whoever_is_paid_wages_or_expenses_does_not_draw_on_a_loan_for_having_its_name() {
    let chart = [
        ("Sales", Income),
        ("Travel and mileage", Expense),
        ("Net wages", Liability),
        ("Director's Loan - H Fairley", Liability),
    ];
    let context = "A workshop, limited company. Hannah Fairley is the director.";
    let lines = [
        ("H FAIRLEY SALARY", "-1047.50"),
        ("H FAIRLEY REIMB MILEAGE AUG", "-94.50"),
        ("H FAIRLEY DIRECTORS LOAN", "-500.00"),
    ];
    let expected = ["Net wages", "Travel and mileage", "Director's Loan - H Fairley"];
    assert_eq!(on_chart(context, &chart, &lines), expected);
}

#[test]
fn what_clears_a_control_account_is_no_transfer() {
    let chart = [("Sales", Income), ("Takings control", Asset), ("Cash in till", Asset), ("Current account", Asset)];
    let lines = [("CASH PAID IN AT LUDLOW", "640.00", Some("Current account"))];
    for (context, account, method) in [
        ("A shop. Cash banked comes out of Takings control.", "Takings control", Method::AccountName),
        ("A shop. Cash banked comes out of Cash in till.", "Cash in till", Method::Transfer),
    ] {
        assert_eq!(on_chart_from(context, &chart, &lines), [account], "{context}");
        let mut paid_in = line("2025-05-01", lines[0].0, lines[0].1);
        paid_in.bank_account = Some(Cow::Borrowed("Current account"));
        let asked = Batch {
            transactions: vec![paid_in],
            accounts: (0..)
                .zip(chart)
                .map(|(at, (name, kind))| super::account(&format!("{}", 100 + at), name, kind))
                .collect(),
            business_context: Cow::Borrowed(context),
            ..Batch::default()
        };
        assert_eq!(code(&asked).rows[0].method, method, "{context}");
    }
}

#[test]
fn two_codes_are_those_of_two_names_in_their_order() {
    let chart = [
        ("Sales", Income),
        ("Wages", Expense),
        ("Materials", Expense),
        ("PAYE and NI", Liability),
        ("Pension fund", Liability),
    ];
    let context = "A shop, limited company. HMRC and Nest payments clear 103 and 104. Loan repayments go to the loan.";
    assert_eq!(on_chart(context, &chart, &[("NEST IT000772018", "-96.44")]), ["Pension fund"]);
}

#[test]
fn people_of_whom_one_name_is_given_work_for_themselves() {
    let chart = [
        ("Lesson income", Income),
        ("Freelance teachers", Expense),
        ("Teaching equipment", Expense),
        ("Staff wages", Expense),
    ];
    let context =
        "Swim school, sole trader. Ceri, Tom and Anouk are self employed teachers. Maisie is my one employee.";
    assert_eq!(on_chart(context, &chart, &[("TOM ALDOUS TEACHING DEC", "-297.00")]), ["Freelance teachers"]);
    let chart = [("Groundworks", Income), ("Cost of labour", Expense), ("Subcontractors", Expense)];
    let context =
        "Groundworks, limited company, CIS. Subbies Stobbs, Armstrong and Lisle do labour only, not VAT registered.";
    let lines = [("P STOBBS WK ENDING 0108", "-720.00"), ("K ARMSTRONG LABOUR", "-640.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Subcontractors", "Subcontractors"]);
}

#[test]
fn what_somebody_claims_is_no_pay_and_where_somebody_works_is() {
    let chart =
        [("Hall hire", Income), ("Caretaker wages", Expense), ("Cleaning materials", Expense), ("Bar stock", Expense)];
    let context = "A village hall. Mr Pugh, caretaker, is on the payroll: his net pay goes to Caretaker wages.";
    let lines = [("MR G PUGH REIMB HAND TOWELS AND BLEACH", "-29.99"), ("MR G PUGH NET PAY MAY", "-312.40")];
    assert_eq!(on_chart(context, &chart, &lines), ["Cleaning materials", "Caretaker wages"]);
    let chart = [("Bar takings", Income), ("Bar stock", Expense), ("Bar wages", Expense), ("Salaries", Expense)];
    let lines = [("CHLOE DARBY BAR APRIL", "-132.00"), ("CHLOE DARBY SALARY APRIL", "-900.00")];
    assert_eq!(on_chart("A cricket club.", &chart, &lines)[0], "Bar wages");
}

#[test]
fn tips_are_paid_out_of_what_a_tronc_keeps() {
    let chart = [("Sales", Income), ("Salaries", Expense), ("Tronc - tips payable", Liability)];
    let context = "Restaurant, limited company. Net wages go straight to Salaries.";
    assert_eq!(on_chart(context, &chart, &[("SOMCHAI K TRONC MAY TIPS", "-926.40")]), ["Tronc - tips payable"]);
}

#[test]
fn deposits_are_sales_where_the_context_says_so() {
    let chart = [("Cottage lettings", Income), ("Guest damage deposits held", Liability), ("Laundry", Expense)];
    let lines = [("SMITHY DEP 16 AUG G TATTERSALL", "190.00"), ("SMITHY DAMAGE DEP G TATTERSALL", "100.00")];
    let context = "Holiday cottages. Deposits and balances are income when they arrive. £100 damage deposits are held and given back.";
    assert_eq!(on_chart(context, &chart, &lines), ["Cottage lettings", "Guest damage deposits held"]);
    let context = "Holiday cottages. Deposits are held and handed back, not income.";
    assert_eq!(on_chart(context, &chart, &lines[..1]), ["Guest damage deposits held"]);
}

#[test]
fn a_loan_account_with_an_initial_is_that_directors() {
    let chart = [
        ("Sales", Income),
        ("Directors' loan - G Thurlow", Liability),
        ("Directors' loan - S Thurlow", Liability),
        ("Bank loan", Liability),
    ];
    let context = "Groundworks, limited company, directors are me (Scott Thurlow) and brother Gary Thurlow.";
    let lines = [("SCOTT THURLOW LOAN TO CO", "2500.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Directors' loan - S Thurlow"]);
    // The company's own name has the surname of directors of whom forenames are given.
    let chart = [("Sales", Income), ("Directors loan account", Liability), ("Bank loan (CBILS)", Liability)];
    let context =
        "Stubbs Roofing Ltd: pitched and flat roofs. Other money to or from Lee or Karen is the loan account.";
    assert_eq!(on_chart(context, &chart, &[("L STUBBS LOAN IN", "3000.00")]), ["Directors loan account"]);
}

#[test]
fn what_is_spent_of_a_fund_and_who_hires_once_have_accounts_of_their_own() {
    let chart = [
        ("Regular hire", Income),
        ("Casual hire", Income),
        ("Roof appeal fund (restricted)", Equity),
        ("Roof appeal expenditure", Expense),
        ("Repairs", Expense),
    ];
    let lines = [("SWIFT SURVEY ROOF APPEAL", "-480.00"), ("MRS S DAVENPORT HALL HIRE 18 JAN", "78.00")];
    let context = "A village hall, charity, which hires its rooms.";
    assert_eq!(on_chart(context, &chart, &lines), ["Roof appeal expenditure", "Casual hire"]);
}

#[test]
fn shops_of_households_are_the_owners_where_no_uniform_is_said() {
    let chart = [
        ("Sales", Income),
        ("Workwear and uniforms", Expense),
        ("Telephone and internet", Expense),
        ("Cleaning", Expense),
        ("Repairs", Expense),
        ("Drawings", Equity),
    ];
    let lines = [("NEXT RETAIL LTD", "-68.00"), ("SKY DIGITAL 6130044", "-62.00"), ("TIMPSON LTD KEYS", "-18.00")];
    assert_eq!(on_chart("Hairdresser, sole trader.", &chart, &lines), ["Drawings", "Drawings", "Repairs"]);
}

#[test]
fn what_is_said_of_a_service_goes_on_behind_a_colon_and_an_order() {
    let chart = [
        ("Lesson income - own pupils", Income),
        ("Franchise fees", Income),
        ("Fuel", Expense),
        ("Pupil money held for instructors", Liability),
    ];
    let context = "Driving school, limited company. SumUp payouts and anything pupils or parents bank transfer are for MY lessons. Stripe is \
                   the website: those block bookings belong to the instructors' pupils so put the whole payout to pupil money held.";
    let lines = [("SUMUP PAYMENTS LTD PAYOUT 0903", "74.74"), ("STRIPE PAYMENTS UK LTD STRIPE", "611.43")];
    assert_eq!(on_chart(context, &chart, &lines), ["Lesson income - own pupils", "Pupil money held for instructors"]);
}
