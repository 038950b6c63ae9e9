//! Another bank writes the same payments in other words, or names no merchant: most answers stay.

use super::labelled::businesses;
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
    let all = businesses();
    let ours = all.iter().map(|business| code(&business.batch)).collect();
    let theirs = all
        .into_iter()
        .map(|mut business| {
            business.batch.transactions.iter_mut().enumerate().for_each(|(place, line)| change(place, line));
            code(&business.batch)
        })
        .collect();
    (ours, theirs)
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
    assert_most_stay("cut", 88, |_, line| {
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
