//! Another bank writes the same payments in other words, or names no merchant: most answers stay.

use super::labelled::{Business, answered};
use super::*;

/// How many of a hundred lines are answered alike.
fn alike(ours: &[Outcome], theirs: &[Outcome], same: impl Fn(&CodedRow, &CodedRow) -> bool) -> usize {
    let pairs: Vec<bool> = ours
        .iter()
        .zip(theirs)
        .flat_map(|(ours, theirs)| ours.rows.iter().zip(&theirs.rows).map(|(a, b)| same(a, b)).collect::<Vec<_>>())
        .collect();
    pairs.iter().filter(|same| **same).count() * 100 / pairs.len()
}

fn both(change: impl Fn(usize, &mut Transaction<'static>)) -> (Vec<Outcome>, Vec<Outcome>) {
    let changed = |business: &Business| {
        let mut batch = business.batch.clone();
        batch.transactions.iter_mut().enumerate().for_each(|(place, line)| change(place, line));
        code(&batch)
    };
    // Every other one is enough and takes half the time.
    let some = answered().iter().step_by(2);
    some.map(|(business, outcome)| (outcome.clone(), changed(business))).unzip()
}

fn assert_most_stay(name: &str, least: usize, change: impl Fn(usize, &mut Transaction<'static>)) {
    let (ours, theirs) = both(change);
    let accounts = alike(&ours, &theirs, |a, b| a.account == b.account);
    let codes = alike(&ours, &theirs, |a, b| a.vat == b.vat);
    println!("{name}: accounts {accounts} %, VAT {codes} %");
    assert!(accounts >= least && codes >= least, "{name}: accounts {accounts} %, VAT {codes} %");
}

fn says(line: &Transaction<'_>, words: &[&str]) -> bool {
    let folded = super::super::text::fold(&line.description);
    folded.split(' ').any(|word| words.contains(&word))
}

/// Lines whose own words say how they were paid.
fn is_plain(line: &Transaction<'_>) -> bool {
    !says(line, &["DD", "SO", "CHQ", "CHEQUE", "ATM", "CASH", "TFR", "TRANSFER", "CHARGE", "CHARGES", "INTEREST"])
}

#[test]
fn another_banks_words_around_a_payee_leave_most_answers() {
    assert_most_stay("faster payments", 90, |place, line| {
        if is_plain(line) {
            let (to, from) = ("BILL PAYMENT VIA FASTER PAYMENT TO", "FASTER PAYMENTS RECEIPT FROM");
            let before = if line.amount < 0 { to } else { from };
            line.description = Cow::Owned(format!("{before} {} MANDATE NO {place:04}", line.description));
        }
    });
}

#[test]
fn capitals_and_wide_spaces_leave_every_answer() {
    let (ours, theirs) = both(|_, line| {
        line.description = Cow::Owned(format!("  {} ", line.description.to_lowercase().replace(' ', "   ")));
    });
    assert_eq!(ours, theirs);
}

#[test]
fn a_date_and_a_card_behind_the_payee_leave_most_answers() {
    assert_most_stay("date and card", 93, |place, line| {
        if is_plain(line) && line.amount < 0 {
            line.description =
                Cow::Owned(format!("{} ON {:02} JUN CD 77{:02}", line.description, place % 28 + 1, place % 90));
        }
    });
}

#[test]
fn lines_cut_at_thirty_characters_leave_most_answers() {
    assert_most_stay("cut", 80, |_, line| {
        line.description = Cow::Owned(line.description.chars().take(30).collect());
    });
}

#[test]
fn no_merchant_leaves_most_answers() {
    assert_most_stay("no merchant", 95, |_, line| line.merchant = None);
}

#[test]
fn the_merchant_alone_tells_as_much_as_beside_the_description() {
    assert_most_stay("merchant again", 90, |_, line| {
        if line.merchant.is_none() {
            line.merchant = Some(line.description.clone());
        }
    });
}

#[test]
fn codes_of_hsbc_before_every_payee_leave_most_answers() {
    assert_most_stay("codes", 93, |place, line| {
        if is_plain(line) {
            let before = match (line.amount > 0, place % 3) {
                (true, _) => "CR",
                (false, 0) => "VIS",
                (false, 1) => "BP",
                (false, _) => "DD",
            };
            line.description = Cow::Owned(format!("{before} {}", line.description));
        }
    });
}

#[test]
fn commas_and_a_card_number_of_natwest_leave_most_answers() {
    assert_most_stay("commas", 93, |_, line| {
        if is_plain(line) && line.amount < 0 {
            line.description = Cow::Owned(format!("4418 31MAY25 , {} , GB", line.description));
        }
    });
}

#[test]
fn the_reference_in_the_description_leaves_most_answers() {
    assert_most_stay("reference", 93, |_, line| {
        if let Some(reference) = line.reference.take() {
            line.description = Cow::Owned(format!("{} REF {reference}", line.description));
        }
    });
}

#[test]
fn accents_and_unseen_characters_leave_every_answer() {
    let (ours, theirs) = both(|_, line| {
        let marked = line.description.chars().flat_map(|character| [Some(character), marking(character)]);
        line.description = Cow::Owned(marked.flatten().collect());
    });
    assert_eq!(ours, theirs);
}

/// What can be put behind a letter without changing the word.
fn marking(character: char) -> Option<char> {
    match character {
        'E' | 'e' => Some('\u{301}'),
        'A' | 'a' => Some('\u{200d}'),
        'T' | 't' => Some('\u{200b}'),
        _ => None,
    }
}

#[test]
fn the_category_of_a_merchant_tells_what_its_name_does_not() {
    let of =
        |code: Option<u16>| Transaction { merchant_category_code: code, ..line("2025-05-01", "ZORBLAX", "-40.12") };
    let all = batch(vec![of(Some(5814)), of(Some(4121)), of(Some(9999)), of(None)]);
    let outcome = code(&all);
    let names: Vec<&str> = outcome.rows.iter().map(|row| &*all.accounts[row.account].name).collect();
    assert_eq!(names[1], "Travel");
    assert_eq!(outcome.rows[1].method, Method::Merchant);
    assert_eq!((names[2], outcome.rows[2].confidence), (names[3], outcome.rows[3].confidence));
    // Money back is recognised by what was paid for.
    let back = batch(vec![Transaction { amount: pounds("40.12"), ..of(Some(4121)) }]);
    assert_eq!(back.accounts[code(&back).rows[0].account].name, "Travel");
}

#[test]
fn weak_evidence_is_left_to_a_person() {
    let all = batch(vec![line("2025-05-01", "ZORBLAX QUIFFLE", "-40.12")]);
    let row = &code(&all).rows[0];
    assert_eq!(row.method, Method::Fallback);
    assert!(row.confidence <= 150 && row.reason.contains("person"), "{row:?}");
}

#[test]
fn what_a_bank_writes_before_a_payment_service_goes_with_it() {
    let all = batch(vec![
        line("2025-05-01", "DC ZETTLE_*KIRKHAM TYRE CENTRE", "-40.12"),
        line("2025-05-02", "ZETTLE_*KIRKHAM TYRE CENTRE", "-40.12"),
    ]);
    let outcome = code(&all);
    assert_eq!(outcome.rows[0].account, outcome.rows[1].account);
    assert_eq!(outcome.rows[0].method, outcome.rows[1].method);
}

#[test]
fn cash_is_never_what_suppliers_are_owed() {
    let all = batch(vec![line("2025-05-01", "CASH WITHDRAWAL AT POST OFFICE", "-100.00")]);
    let row = &code(&all).rows[0];
    assert!(!all.accounts[row.account].name.contains("creditors"), "{row:?}");
}
