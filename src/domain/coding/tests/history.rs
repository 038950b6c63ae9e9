//! The customer's own past: what it teaches, what it never overrules, and what nobody should send.

use super::super::PastLine;
use super::*;

fn past(on: &str, description: &str, amount: &str, account_code: &str) -> PastLine<'static> {
    PastLine {
        description: Cow::Owned(description.to_owned()),
        account_code: Cow::Owned(account_code.to_owned()),
        date: Some(date(on)),
        amount: Some(pounds(amount)),
        merchant: None,
        vat_code: None,
        bank_account: None,
    }
}

fn with_past(lines: Vec<Transaction<'static>>, history: Vec<PastLine<'static>>) -> Batch<'static> {
    Batch { history, ..batch(lines) }
}

fn code_of<'b>(batch: &'b Batch<'_>, row: &CodedRow) -> &'b str {
    &batch.accounts[row.account].code
}

#[test]
fn a_payee_goes_where_it_went_and_the_reason_says_how_often() {
    let history = vec![
        past("2025-09-01", "CARD PAYMENT TO ZORBLAX 8812", "-20.00", "420"),
        past("2025-10-01", "CARD PAYMENT TO ZORBLAX 1377", "-22.00", "408"),
        past("2025-11-02", "CARD PAYMENT TO ZORBLAX 0192", "-21.00", "408"),
    ];
    let batch = with_past(vec![line("2025-12-01", "CARD PAYMENT TO ZORBLAX 5531", "-21.50")], history);
    let outcome = code(&batch);
    let row = &outcome.rows[0];
    assert_eq!((code_of(&batch, row), row.method), ("408", Method::History), "{row:?}");
    assert_eq!(row.reason, "Coded twice to 408 Cleaning, last 2025-11-02; once to 420 Entertainment.");
    assert_eq!(batch.accounts[row.alternatives[0].account].code, "420", "{row:?}");
    let summary = outcome.history.unwrap();
    assert_eq!((summary.rows, summary.payees_matched, summary.unknown_accounts), (3, 1, 0));
    assert!(!outcome.warnings.iter().any(|warning| warning.as_str().starts_with("history")));
    // A past that agrees is surer than one that is divided.
    let agreed = with_past(batch.transactions.clone(), batch.history[1..].to_vec());
    assert!(code(&agreed).rows[0].confidence > row.confidence);
}

#[test]
fn a_name_that_the_bank_cut_off_is_the_same_payee() {
    let history = vec![past("2025-10-01", "QUENDLE MARINE UPHOLSTERY", "-90.00", "408")];
    let batch = with_past(vec![line("2025-12-01", "QUENDLE MARINE UPHO", "-95.00")], history);
    let outcome = code(&batch);
    assert_eq!((code_of(&batch, &outcome.rows[0]), outcome.rows[0].method), ("408", Method::History));
}

#[test]
fn payees_nobody_has_seen_go_where_this_customer_puts_their_kind() {
    let odd = ["SHELL BRENTFORD", "ESSO HAVANT", "TEXACO STROUD", "BP CONNECT YORK", "GULF PETROL"];
    let history: Vec<_> = odd.into_iter().map(|name| past("2025-10-01", name, "-60.00", "493")).collect();
    let lines = vec![line("2025-12-01", "JET PETROL STATION", "-55.00")];
    let without = code(&batch(lines.clone()));
    let with = with_past(lines, history);
    let outcome = code(&with);
    assert_eq!(code_of(&with, &without.rows[0]), "449", "what a chart calls motor expenses is for fuel");
    assert_eq!(code_of(&with, &outcome.rows[0]), "493", "{:?}", outcome.rows[0]);
    assert!(outcome.rows[0].reason.contains("payees like this one"), "{:?}", outcome.rows[0]);
}

#[test]
fn open_documents_and_transfers_come_before_memory() {
    let history = vec![
        past("2025-09-01", "ACME JOINERY LTD", "-480.00", "310"),
        past("2025-10-01", "ACME JOINERY LTD", "-480.00", "310"),
        past("2025-10-01", "TRANSFER TO SAVINGS", "-500.00", "429"),
        past("2025-11-01", "TRANSFER TO SAVINGS", "-500.00", "429"),
    ];
    let lines = vec![
        line_of("Current", "2025-12-01", "ACME JOINERY LTD", "-480.00"),
        line_of("Current", "2025-12-02", "TRANSFER TO SAVINGS", "-500.00"),
        line_of("Savings", "2025-12-02", "TRANSFER FROM CURRENT", "500.00"),
    ];
    let bill = invoice(InvoiceKind::Bill, "B-77", "Acme Joinery Ltd", "2025-11-20", "480.00");
    let batch = Batch { invoices: Some(vec![bill]), ..with_past(lines, history) };
    let methods: Vec<Method> = code(&batch).rows.iter().map(|row| row.method).collect();
    assert_eq!(methods, [Method::InvoiceSettlement, Method::Transfer, Method::Transfer]);
}

#[test]
fn what_settled_a_document_once_is_no_habit() {
    let history = vec![past("2025-09-01", "ACME JOINERY LTD", "-480.00", "800")];
    let batch = with_past(vec![line("2025-12-01", "ACME JOINERY LTD", "-97.00")], history);
    assert_ne!(code_of(&batch, &code(&batch).rows[0]), "800");
}

#[test]
fn codes_the_chart_does_not_have_are_counted_and_teach_nothing() {
    let mut history =
        vec![past("2025-10-01", "ZORBLAX", "-20.00", "gone"), past("2025-10-02", "ZORBLAX", "-20.00", "408")];
    history[1].vat_code = Some(Cow::Borrowed("T99"));
    let batch = with_past(vec![line("2025-12-01", "ZORBLAX", "-20.00")], history);
    let outcome = code(&batch);
    let summary = outcome.history.unwrap();
    assert_eq!((summary.rows, summary.unknown_accounts, summary.unknown_vat_codes), (2, 1, 1));
    let told: Vec<&str> = outcome.warnings.iter().map(|warning| warning.as_str()).collect();
    assert!(told.ends_with(&["history_account_unknown", "history_vat_code_unknown"]), "{told:?}");
    assert_eq!(code_of(&batch, &outcome.rows[0]), "408");
}

#[test]
fn the_vat_code_of_the_past_is_the_vat_code_of_the_payee() {
    for (given, expected) in [("ZR", Vat::Zero), ("ST", Vat::Standard), ("EX", Vat::Exempt)] {
        let mut line_before = past("2025-10-02", "ZORBLAX", "-20.00", "408");
        line_before.vat_code = Some(Cow::Borrowed(given));
        let batch = with_past(vec![line("2025-12-01", "ZORBLAX", "-20.00")], vec![line_before]);
        assert_eq!(code(&batch).rows[0].vat, expected);
    }
}

#[test]
fn the_order_of_the_past_changes_nothing() {
    let mut history: Vec<PastLine<'static>> = (0..60)
        .map(|at| {
            let name = ["ZORBLAX", "SHELL YORK", "RYMAN", "QUENDLE MARINE", "TESCO STORES"][at % 5];
            let account = ["408", "449", "461", "429"][at % 4];
            past(&format!("2025-0{}-1{}", 1 + at % 9, at % 10), name, "-12.00", account)
        })
        .collect();
    let lines = vec![
        line("2025-12-01", "ZORBLAX", "-20.00"),
        line("2025-12-01", "QUENDLE MAR", "-20.00"),
        line("2025-12-01", "ESSO LEEDS", "-20.00"),
        line("2025-12-01", "RYMAN", "12.00"),
    ];
    let forward = code(&with_past(lines.clone(), history.clone()));
    history.reverse();
    assert_eq!(code(&with_past(lines, history)), forward);
}

/// A past nobody should send does not fail and leaves payees that have nothing to do with it alone.
#[test]
fn hostile_pasts_hurt_nobody_else() {
    let lines = || vec![line("2025-12-01", "CARD PAYMENT TO RYMAN 0482", "-23.99"), line("2025-12-01", "A", "-1.00")];
    let clean = vec![
        past("2025-10-01", "RYMAN", "-20.00", "461"),
        past("2025-10-02", "BRITISH GAS", "-80.00", "445"),
        past("2025-10-03", "SHELL YORK", "-50.00", "449"),
    ];
    let expected = code(&with_past(lines(), clean.clone()));
    let codes: Vec<String> = chart().iter().map(|account| account.code.to_string()).collect();
    let letters = "Z".repeat(500);
    let shapes: Vec<(&str, Vec<PastLine<'static>>)> = vec![
        ("one payee", (0..20_000).map(|_| past("2025-10-01", "ZORBLAX", "-1.00", "420")).collect()),
        (
            "one payee, many accounts",
            (0..20_000).map(|at| past("2025-10-01", "ZORBLAX", "-1.00", &codes[at % codes.len()])).collect(),
        ),
        (
            "every account",
            codes.iter().map(|code| past("2025-10-01", &format!("PAYEE{code}X"), "-1.00", code)).collect(),
        ),
        ("letters", (0..500).map(|_| past("2025-10-01", &letters, "-1.00", "420")).collect()),
        ("unknown codes", (0..2_000).map(|at| past("2025-10-01", "RYMAN", "-1.00", &format!("no {at}"))).collect()),
    ];
    for (shape, hostile) in shapes {
        let history = clean.iter().cloned().chain(hostile).collect();
        let batch = with_past(lines(), history);
        let outcome = code(&batch);
        assert_eq!(code_of(&batch, &outcome.rows[0]), code_of(&batch, &expected.rows[0]), "{shape}");
        assert_eq!(outcome.rows[0].method, Method::History, "{shape}");
    }
}

#[test]
fn purchases_without_a_past_are_said_less_surely_than_in_a_bank_statement() {
    // Without a context, by which a bank statement's lines in doubt would be ranked.
    let batch = |lines| Batch { business_context: Cow::Borrowed(""), ..batch(lines) };
    let mut lines: Vec<_> = ["SHELL BRENTFORD", "TESCO STORES 2214", "TRAINLINE.COM", "STAPLES UK", "TRAVELODGE"]
        .into_iter()
        .map(|name| line("2025-12-01", name, "-48.00"))
        .collect();
    let purchases = batch(lines.clone());
    assert!(purchases.is_purchases_alone());
    lines.push(line("2025-12-02", "BGC J SMITH", "120.00"));
    let statement = batch(lines.clone());
    assert!(!statement.is_purchases_alone());
    for (alone, beside) in code(&purchases).rows.iter().zip(&code(&statement).rows) {
        assert_eq!((alone.account, alone.vat, alone.method), (beside.account, beside.vat, beside.method));
        assert!(alone.confidence < beside.confidence, "{alone:?} {beside:?}");
    }
    // Something given back among many purchases is no bank statement; a past or an invoice says more than none.
    lines.extend((0..14).map(|day| line("2025-12-03", "SHELL BRENTFORD", &format!("-4{day}.00"))));
    assert!(batch(lines.clone()).is_purchases_alone());
    let past = vec![past("2025-10-01", "SHELL BRENTFORD", "-60.00", "449")];
    assert!(!with_past(lines.clone(), past).is_purchases_alone());
    let invoices = vec![invoice(InvoiceKind::Bill, "B-1", "Zorblax", "2025-11-01", "80.00")];
    assert!(!Batch { invoices: Some(invoices), ..batch(lines) }.is_purchases_alone());
}
