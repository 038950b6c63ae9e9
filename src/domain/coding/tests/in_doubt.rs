//! Lines whose words decide nothing: what the context says near them, and the names of the accounts.

use super::accounts_apart::on_chart;
use super::*;
use AccountType::{Equity, Expense, Income, Liability};

const CHART: [(&str, AccountType); 12] = [
    ("Counter sales", Income),
    ("Functions and group orders", Income),
    ("Sundry income", Income),
    ("Fish", Expense),
    ("Potatoes", Expense),
    ("Oil and dripping", Expense),
    ("Packaging", Expense),
    ("Range repairs and servicing", Expense),
    ("Wages", Expense),
    ("Bank charges", Expense),
    ("General expenses", Expense),
    ("Drawings", Equity),
];

#[test]
fn what_the_context_says_near_a_payee_leads_to_the_account_nearest_to_it() {
    let chart = [
        ("Dry hire", Income),
        ("Pay bar takings", Income),
        ("Alcohol", Expense),
        ("Mixers, fruit and ice", Expense),
        ("Venue concession fees", Expense),
        ("Horsebox repairs and towing", Expense),
        ("Glass hire and breakages", Expense),
        ("Bank charges", Expense),
    ];
    let context = "A mobile bar in a horsebox, not VAT registered. Hartlebury is a venue that bills us a concession fee for pay bars.";
    assert_eq!(on_chart(context, &chart, &[("HARTLEBURY LTD CONC", "-357.70")]), ["Venue concession fees"]);
}

#[test]
fn words_of_the_line_lead_to_what_the_context_says_of_their_like() {
    let chart = [
        ("Sales of antiques", Income),
        ("Restoration fees", Income),
        ("Valuation fees", Income),
        ("Antiques bought", Expense),
        ("Shop expenses", Expense),
    ];
    let context = "I deal in furniture, clocks and silver, not VAT registered. I also restore clocks for customers, and value for probate.";
    let lines = [("GEORGIAN HSE LONGCASE REPAIR", "564.00"), ("LANGTON PROBATE VAL", "300.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Restoration fees", "Valuation fees"]);
    let chart = [
        ("Market stall", Income),
        ("Ebay and Vinted", Income),
        ("Costume hire", Income),
        ("Clothes bought", Expense),
        ("Van hire and fuel", Expense),
        ("Adverts", Expense),
    ];
    let context = "Vintage clothes, not VAT registered. I hire clothes out to film people sometimes. I buy by the kilo from the rag \
                   yards, Lou finds me leather at boot sales.";
    let lines = [("BLACK PRIORY FILMS 12 ITEMS", "360.00"), ("LOU PASCOMBE", "-80.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Costume hire", "Clothes bought"]);
}

#[test]
fn a_word_that_is_written_in_another_form_is_the_same() {
    let chart = [
        ("Commissioned furniture", Income),
        ("Machining for others", Income),
        ("Timber", Expense),
        ("Bank charges", Expense),
    ];
    let context =
        "A joiner, not VAT registered. We also plane and cut timber for hobby people, which we call machining.";
    assert_eq!(on_chart(context, &chart, &[("R AMBLECOTE MACHINED", "54.00")]), ["Machining for others"]);
}

#[test]
fn a_line_nobody_speaks_of_stays_with_a_person() {
    let context = "A takeaway, not VAT registered. The bank charges us for cash, which Wraxley collects.";
    let asked = Batch {
        transactions: vec![line("2025-05-01", "ZQXV 88", "-12.00")],
        accounts: (0..).zip(CHART).map(|(at, (name, kind))| account(&format!("{}", 100 + at), name, kind)).collect(),
        business_context: Cow::Borrowed(context),
        ..Batch::default()
    };
    let outcome = code(&asked);
    assert_eq!(outcome.rows[0].method, Method::Fallback);
    assert!(outcome.rows[0].confidence <= 150);
}

#[test]
fn without_a_context_and_with_an_empty_one_the_answers_are_the_same() {
    let lines = ["TOLWORTHY AND SON", "QUENBY LTD INV 88", "WRAXLEY", "ZETTLE 4471"];
    let of = |context: &'static str| {
        let asked = Batch {
            transactions: lines.iter().map(|text| line("2025-05-01", text, "-20.00")).collect(),
            accounts: (0..)
                .zip(CHART)
                .map(|(at, (name, kind))| account(&format!("{}", 100 + at), name, kind))
                .collect(),
            business_context: Cow::Borrowed(context),
            ..Batch::default()
        };
        format!("{:?}", code(&asked).rows)
    };
    assert_eq!(of(""), of("  \n "));
}

#[test]
fn a_known_shop_for_which_a_company_keeps_no_account_is_the_directors_where_the_context_speaks_of_private_purchases() {
    let chart = [
        ("Pizza sales", Income),
        ("Van repairs", Expense),
        ("Ingredients", Expense),
        ("Director's loan account", Liability),
    ];
    let context = "Wood-fired pizza van, limited company, VAT registered. My own spending on the card goes to the director's loan.";
    assert_eq!(on_chart(context, &chart, &[("NANDOS WORCESTER", "-42.80")]), ["Director's loan account"]);
}

#[test]
fn the_only_account_of_its_type_is_no_reason_to_be_sure() {
    let asked = Batch {
        transactions: vec![line("2025-05-01", "ZQXV 88", "-12.00"), line("2025-05-01", "TOLWORTHY", "-12.00")],
        accounts: vec![account("1", "Purchases", Expense)],
        business_context: Cow::Borrowed("A shop, not VAT registered. Tolworthy grows the spuds."),
        ..Batch::default()
    };
    for row in code(&asked).rows {
        assert!(!row.reason.starts_with("Of the accounts"), "{}", row.reason);
    }
}
