//! Lists of invoices that invite false settlements, or endless work.

use super::*;

fn sales(count: usize, number: impl Fn(usize) -> String, contact: impl Fn(usize) -> String) -> Vec<Invoice<'static>> {
    let make = |place| invoice(InvoiceKind::Invoice, &number(place), &contact(place), "2025-04-01", "120");
    (0..count).map(make).collect()
}

fn settled(outcome: &Outcome) -> usize {
    outcome.rows.iter().filter(|row| !row.settles.is_empty()).count()
}

/// Questions the engine may ask for a batch without doing work over and over.
fn enough_questions(batch: &Batch<'_>) -> u64 {
    let rows = batch.transactions.len() + batch.invoices.as_ref().map_or(0, Vec::len);
    40 + u64::try_from(rows).expect("a count") / 4
}

#[test]
fn two_thousand_equal_amounts_without_a_name_settle_nothing() {
    let texts = ["CARD RECEIPT", "BANK GIRO CREDIT", "COUNTER CREDIT", "FASTER PAYMENT", "TAKINGS", "🎉", "ЖЖЖ"];
    let lines = (0..2000).map(|place| line("2025-05-01", texts[place % texts.len()], "120"));
    let mut all = batch(lines.collect());
    all.invoices = Some(sales(2000, |place| format!("INV-{}", 5000 + place), |place| format!("Customer{place} Ltd")));
    let (outcome, asked) = questions(&all);
    assert_eq!(settled(&outcome), 0);
    assert!(asked <= enough_questions(&all), "{asked} questions");
}

#[test]
fn two_thousand_equal_payments_of_one_customer_settle_an_invoice_each() {
    for (lines, items) in [(2000, 1500), (500, 2000), (2000, 2000)] {
        let mut all = batch((0..lines).map(|_| line("2025-05-01", "ACME WIDGETS LTD", "120")).collect());
        all.invoices = Some(sales(items, |place| format!("INV-{}", 5000 + place), |_| "Acme Widgets Ltd".to_owned()));
        let (outcome, asked) = questions(&all);
        assert_eq!(settled(&outcome), lines.min(items));
        assert!(asked <= enough_questions(&all), "{lines} lines, {items} invoices: {asked} questions");
    }
}

#[test]
fn a_foreign_number_settles_nothing_of_its_own_customer() {
    let wrong = [
        "ACME WIDGETS LTD INV-9999",
        "ACME WIDGETS INV 9999",
        "ACME WIDGETS INVOICE 9999",
        "ACME WIDGETS LTD INVOICE NO. 9999",
        "INV9999 ACME WIDGETS LTD",
        "Acme Widgets Ltd inv#9999",
        "ACME WIDGETS LTD AW-2025-777",
        "ACME WIDGETS LTD AW2025777",
        "ACME WIDGETS LTD AW-777",
    ];
    for text in wrong {
        let mut all = batch(vec![line("2025-05-01", text, "120")]);
        all.invoices = Some(vec![
            invoice(InvoiceKind::Invoice, "INV-1042", "Acme Widgets Ltd", "2025-04-01", "120"),
            invoice(InvoiceKind::Invoice, "AW-2025-118", "Acme Widgets Ltd", "2025-04-01", "120"),
        ]);
        let outcome = code(&all);
        assert_eq!(settled(&outcome), 0, "{text}: {:?}", outcome.rows[0]);
        all.transactions[0].description = Cow::Borrowed("ACME WIDGETS LTD");
        all.transactions[0].reference = Some(Cow::Owned(text.to_owned()));
        let outcome = code(&all);
        assert_eq!(settled(&outcome), 0, "as a reference, {text}: {:?}", outcome.rows[0]);
    }
}

#[test]
fn the_number_of_another_customer_with_another_amount_is_no_settlement() {
    let mut all = batch(vec![
        line("2025-05-01", "BOGUS TRADERS 1042", "77"),
        line("2025-05-01", "CARD 1042 TESCO", "120"),
        line("2025-05-01", "01/04/2025 10:42", "120"),
        line("2025-05-01", "SORT 10-42-00 AC 12341042", "120"),
        line("2025-05-01", "ACME WIDGETS INV-1042", "-120"),
    ]);
    all.invoices = Some(vec![invoice(InvoiceKind::Invoice, "1042", "Acme Widgets Ltd", "2025-04-01", "120")]);
    let outcome = code(&all);
    assert_eq!(settled(&outcome), 0, "{:#?}", outcome.rows);
}

#[test]
fn payments_before_the_invoice_and_the_other_way_round_settle_nothing() {
    let mut all = batch(vec![
        line("2025-03-20", "ACME WIDGETS LTD INV-1042", "120"),
        line("2025-05-20", "ACME WIDGETS LTD INV-1042", "-120"),
        line("2025-05-20", "ACME WIDGETS LTD BILL-55", "60"),
    ]);
    all.invoices = Some(vec![
        invoice(InvoiceKind::Invoice, "INV-1042", "Acme Widgets Ltd", "2025-04-01", "120"),
        invoice(InvoiceKind::Bill, "BILL-55", "Acme Widgets Ltd", "2025-04-01", "60"),
    ]);
    let outcome = code(&all);
    assert_eq!(settled(&outcome), 0, "{:#?}", outcome.rows);
}

#[test]
fn an_invoice_is_not_settled_twice() {
    let text = "ACME WIDGETS LTD INV-1042";
    let mut all = batch((0..50).map(|_| line("2025-05-01", text, "120")).collect());
    all.invoices = Some(vec![
        invoice(InvoiceKind::Invoice, "INV-1042", "Acme Widgets Ltd", "2025-04-01", "120"),
        invoice(InvoiceKind::Invoice, "INV-1043", "Acme Widgets Ltd", "2025-04-01", "120"),
    ]);
    let outcome = code(&all);
    assert_eq!(settled(&outcome), 1, "{:?}", outcome.rows.iter().map(|row| &row.settles).collect::<Vec<_>>());
}

#[test]
fn near_identical_numbers_are_told_apart() {
    // Ten thousand invoices whose numbers differ in a digit; each line names one of them.
    let count = 10_000;
    for prefix in ["INV-2025-", "A", "", "SI/25/"] {
        let number = |place: usize| format!("{prefix}{:06}", 100_000 + place);
        let lines = (0..400)
            .map(|place| line("2025-05-01", &format!("CUSTOMER{} LTD {}", place * 17 % 50, number(place * 17)), "120"));
        let mut all = batch(lines.collect());
        all.invoices = Some(sales(count, number, |place| format!("Customer{} Ltd", place % 50)));
        let (outcome, asked) = questions(&all);
        for (place, row) in outcome.rows.iter().enumerate() {
            let named: Vec<usize> = row.settles.iter().map(|settled| settled.invoice).collect();
            assert_eq!(named, [place * 17], "{:?}", all.transactions[place]);
        }
        assert!(asked <= enough_questions(&all), "{asked} questions");
    }
}

#[test]
fn ten_thousand_invoices_of_one_number_settle_little_and_end() {
    let lines = (0..2000).map(|place| line("2025-05-01", &format!("CUSTOMER{place} INV-1"), "120"));
    let mut all = batch(lines.collect());
    all.invoices = Some(sales(10_000, |_| "INV-1".to_owned(), |place| format!("Customer{} Ltd", place % 3000)));
    let (outcome, asked) = questions(&all);
    let invoices = all.invoices.as_deref().expect("invoices");
    for (row, source) in outcome.rows.iter().zip(&all.transactions) {
        for settled in &row.settles {
            let contact = invoices[settled.invoice].contact.to_uppercase();
            let first = contact.split(' ').next().expect("a word");
            assert!(source.description.starts_with(first), "{source:?} settles an invoice of {contact}");
        }
    }
    assert!(asked <= enough_questions(&all), "{asked} questions");
}

#[test]
fn customers_of_one_first_word_are_told_apart() {
    let kinds = ["Bakery", "Garage", "Joinery", "Nursery", "Dental", "Roofing", "Plumbing", "Florists"];
    let mut all = batch(kinds.iter().map(|kind| line("2025-05-01", &format!("Northgate {kind} Ltd"), "120")).collect());
    all.invoices =
        Some(sales(8, |place| format!("INV-{}", 100 + place), |place| format!("Northgate {}", kinds[place])));
    for (place, row) in code(&all).rows.iter().enumerate() {
        let named: Vec<usize> = row.settles.iter().map(|settled| settled.invoice).collect();
        assert_eq!(named, [place], "{}", kinds[place]);
    }
    // A ninth whom nobody has invoiced.
    all.transactions = vec![line("2025-05-01", "Northgate Cinema Ltd", "120")];
    assert_eq!(settled(&code(&all)), 0);
}

#[test]
fn parts_and_sums_end() {
    // Payments that are parts of parts, and amounts with very many sums.
    let lines = (0..600).map(|place| {
        let text = ["ACME WIDGETS PART PAYMENT", "ACME WIDGETS ON ACCOUNT", "ACME WIDGETS BALANCE", "ACME WIDGETS"];
        line("2025-05-01", text[place % 4], &format!("{}.{:02}", 1 + place % 7, place % 100))
    });
    let mut all = batch(lines.collect());
    all.invoices = Some(
        (0..300)
            .map(|place| {
                let due = format!("{}.{:02}", 3 + place % 11, place * 7 % 100);
                let kind = if place % 9 == 0 { InvoiceKind::CreditNote } else { InvoiceKind::Invoice };
                invoice(kind, &format!("AW-{}", 1000 + place), "Acme Widgets Ltd", "2025-04-01", &due)
            })
            .collect(),
    );
    let (_, asked) = questions(&all);
    assert!(asked <= enough_questions(&all), "{asked} questions");
}
