//! Equal amounts in opposite directions that are no transfers, and transfers that are.

use super::*;

fn pairs(outcome: &Outcome) -> usize {
    outcome.rows.iter().filter(|row| row.transfer_pair.is_some()).count()
}

fn moved(outcome: &Outcome) -> usize {
    outcome.rows.iter().filter(|row| row.method == Method::Transfer).count()
}

#[test]
fn a_transfer_that_says_so_is_paired() {
    let all = batch(vec![
        line_of("Barclays Current", "2025-05-01", "TRANSFER TO SAVINGS", "-500"),
        line_of("Barclays Savings", "2025-05-01", "TRANSFER FROM CURRENT", "500"),
    ]);
    assert_eq!(pairs(&code(&all)), 2);
}

#[test]
fn equal_amounts_alone_are_no_transfers() {
    let outs = ["SCREWFIX DIRECT", "BRITISH GAS", "J SMITH", "TESCO STORES", "ABC SUPPLIES LTD", "DD ALLIANZ"];
    let ins = ["JONES & CO", "STRIPE", "K PATEL", "OAKWOOD SCHOOL", "BROWN LTD", "COUNTER CREDIT"];
    let lines = (0..1000).flat_map(|place| {
        [
            line_of("Barclays Current", "2025-05-01", outs[place % outs.len()], "-120"),
            line_of("Barclays Savings", "2025-05-01", ins[place % ins.len()], "120"),
        ]
    });
    let outcome = code(&batch(lines.collect()));
    assert_eq!((pairs(&outcome), moved(&outcome)), (0, 0));
}

#[test]
fn both_sides_in_one_tag_are_no_transfer() {
    for text in ["TRANSFER", "TRANSFER TO SAVINGS", "TFR 123", "INTERNAL TRANSFER"] {
        let tags = ["Barclays Current", "BARCLAYS current", "barclays  current."];
        let lines = (0..300)
            .map(|place| line_of(tags[place % 3], "2025-05-01", text, if place % 2 == 0 { "-120" } else { "120" }));
        let mut all = batch(lines.collect());
        assert_eq!(pairs(&code(&all)), 0, "{text}");
        all.transactions.push(line_of("Barclays Savings", "2025-05-20", "INTEREST", "1"));
        assert_eq!(pairs(&code(&all)), 0, "{text} beside another account");
    }
}

#[test]
fn no_tags_no_pairs() {
    let lines =
        (0..200).map(|place| line("2025-05-01", "TRANSFER TO SAVINGS", if place % 2 == 0 { "-5" } else { "5" }));
    assert_eq!(pairs(&code(&batch(lines.collect()))), 0);
}

#[test]
fn days_and_amounts_that_do_not_fit_are_not_paired() {
    let all = batch(vec![
        line_of("Barclays Current", "2025-05-01", "TRANSFER TO SAVINGS", "-500"),
        line_of("Barclays Savings", "2025-05-09", "TRANSFER FROM CURRENT", "500"),
        line_of("Barclays Current", "2025-06-10", "TRANSFER TO SAVINGS", "-250"),
        line_of("Barclays Savings", "2025-06-05", "TRANSFER FROM CURRENT", "250"),
        line_of("Barclays Current", "2025-07-01", "TRANSFER TO SAVINGS", "-100"),
        line_of("Barclays Savings", "2025-07-01", "TRANSFER FROM CURRENT", "100.01"),
        line_of("Barclays Current", "2025-08-01", "TRANSFER TO SAVINGS", "-75"),
        line_of("Barclays Savings", "2025-08-01", "TRANSFER FROM CURRENT", "-75"),
    ]);
    assert_eq!(pairs(&code(&all)), 0);
}

#[test]
fn customers_and_suppliers_that_transfer_are_nobody_of_ours() {
    let all = batch(vec![
        line_of("Barclays Current", "2025-05-01", "TRANSFER TO J SMITH PLUMBING", "-500"),
        line_of("Barclays Savings", "2025-05-01", "TRANSFER FROM OAKWOOD SCHOOL", "500"),
        line_of("Barclays Current", "2025-05-02", "BANK TRANSFER K PATEL WAGES", "-640"),
        line_of("Barclays Savings", "2025-05-02", "BANK TRANSFER BROWN LTD INV 7", "640"),
    ]);
    let outcome = code(&all);
    assert_eq!(pairs(&outcome), 0, "{:#?}", outcome.rows);
}

#[test]
fn two_thousand_transfers_of_one_amount_are_paired_one_to_one() {
    let lines = (0..1000).flat_map(|place| {
        let on = format!("2025-05-{:02}", 1 + place % 28);
        [
            line_of("Barclays Current", &on, "TRANSFER TO SAVINGS", "-120"),
            line_of("Barclays Savings", &on, "TRANSFER FROM CURRENT", "120"),
        ]
    });
    let all = batch(lines.collect());
    let (outcome, asked) = questions(&all);
    let found = pairs(&outcome);
    assert!(found >= 1900, "{found} of 2000");
    assert!(asked <= 200, "{asked} questions");
}

#[test]
fn a_settlement_is_no_transfer_as_well() {
    let mut all = batch(vec![
        line_of("Barclays Current", "2025-05-01", "TRANSFER FROM ACME WIDGETS INV-1042", "500"),
        line_of("Barclays Savings", "2025-05-01", "TRANSFER TO CURRENT", "-500"),
    ]);
    all.invoices = Some(vec![invoice(InvoiceKind::Invoice, "INV-1042", "Acme Widgets Ltd", "2025-04-01", "500")]);
    let outcome = code(&all);
    assert_eq!(outcome.rows[0].method, Method::InvoiceSettlement);
    assert_eq!(outcome.rows[0].settles[0].kind, SettledKind::Exact);
    assert_eq!(pairs(&outcome), 0);
}

#[test]
fn a_hundred_tags_and_a_thousand_bank_accounts_end() {
    let lines = (0..2000).map(|place| {
        let tag = format!("Barclays {:04}", place % 100);
        let text = format!("TRANSFER {:04}", (place + 1) % 100);
        line_of(&tag, "2025-05-01", &text, if place % 2 == 0 { "-120" } else { "120" })
    });
    let mut all = batch(lines.collect());
    all.accounts.extend(
        (0..1000).map(|place| account(&format!("B{place}"), &format!("Barclays bank {place:04}"), AccountType::Asset)),
    );
    code(&all);
}
