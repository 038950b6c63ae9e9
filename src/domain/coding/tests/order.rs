//! The same batch twice, in another order, under other account codes: the same answers.

use super::super::instructions::{introduces, is_code};
use super::labelled::{answered, businesses};
use super::*;

/// The batch with its rows, accounts and invoices in another order.
fn shuffled(batch: &Batch<'static>, dice: &mut Dice, lists: bool) -> Batch<'static> {
    let mut other = batch.clone();
    let order = dice.order(batch.transactions.len());
    other.transactions = order.into_iter().map(|place| batch.transactions[place].clone()).collect();
    if lists {
        let order = dice.order(batch.accounts.len());
        other.accounts = order.iter().map(|place| batch.accounts[*place].clone()).collect();
        let moved = |account: usize| order.iter().position(|place| *place == account).expect("its new place");
        other.invoices = batch.invoices.as_ref().map(|list| {
            let invoices = dice.order(list.len()).into_iter().map(|place| list[place].clone());
            invoices.map(|item| Invoice { account: item.account.map(moved), ..item }).collect()
        });
    }
    other
}

/// Equally good further accounts stand in the order of the chart.
fn without_alternatives(mut answers: BTreeMap<String, Vec<Answer>>) -> BTreeMap<String, Vec<Answer>> {
    for list in answers.values_mut() {
        list.iter_mut().for_each(|answer| answer.alternatives.clear());
        list.sort();
    }
    answers
}

/// The chart's order decides between accounts that are equally good, which few lines come down to, and nothing else.
fn assert_nearly_same(
    id: &str,
    batch: &Batch<'static>,
    outcome: &Outcome,
    other: &Batch<'static>,
    theirs: &Outcome,
) -> usize {
    assert_eq!(outcome.warnings, theirs.warnings, "{id}");
    let ours = without_alternatives(answers(batch, outcome));
    let theirs = without_alternatives(answers(other, theirs));
    let mut differ = 0;
    for (source, list) in &ours {
        for (answer, other) in list.iter().zip(&theirs[source]).filter(|(answer, other)| answer != other) {
            let is_claimed = |answer: &Answer| !answer.settles.is_empty() || answer.pair.is_some();
            assert!(!is_claimed(answer) && !is_claimed(other), "{id}: {source}\n  {answer:?}\n  {other:?}");
            let is_as_sure = answer.confidence.abs_diff(other.confidence) <= 100;
            differ += usize::from(!is_as_sure || (&answer.account, answer.vat) != (&other.account, other.vat));
        }
    }
    differ
}

fn assert_same(id: &str, batch: &Batch<'static>, outcome: &Outcome, other: &Batch<'static>, theirs: &Outcome) {
    assert_eq!(outcome.warnings, theirs.warnings, "{id}");
    let (ours, theirs) = (answers(batch, outcome), answers(other, theirs));
    let differ: Vec<String> = ours
        .iter()
        .filter(|(source, list)| theirs.get(*source) != Some(list))
        .map(|(source, list)| format!("{source}\n  {list:?}\n  {:?}", theirs.get(source)))
        .collect();
    assert!(differ.is_empty(), "{id}: {} differ\n{}", differ.len(), differ.join("\n"));
}

#[test]
fn the_same_batch_twice_is_answered_alike_to_the_bit() {
    for (business, outcome) in answered() {
        assert_eq!(&code(&business.batch), outcome, "{}", business.id);
    }
}

#[test]
fn no_order_of_rows_changes_an_answer() {
    let mut dice = Dice(0x5eed_0001);
    for (business, outcome) in answered() {
        let other = shuffled(&business.batch, &mut dice, false);
        assert_same(&business.id, &business.batch, outcome, &other, &code(&other));
    }
}

#[test]
fn no_order_of_accounts_and_invoices_changes_an_answer() {
    let mut dice = Dice(0x5eed_0002);
    let (mut differ, mut lines) = (0, 0);
    for (business, outcome) in answered() {
        let other = shuffled(&business.batch, &mut dice, true);
        differ += assert_nearly_same(&business.id, &business.batch, outcome, &other, &code(&other));
        lines += outcome.rows.len();
    }
    assert!(differ * 100 <= lines, "{differ} of {lines} differ");
}

#[test]
fn businesses_thrown_together_are_answered_alike_in_any_order() {
    let mut dice = Dice(0x5eed_0003);
    let all = businesses();
    let mut mixed = all[0].batch.clone();
    mixed.invoices = Some(Vec::new());
    for business in &all {
        mixed.transactions.extend(business.batch.transactions.iter().cloned());
        let items = business.batch.invoices.iter().flatten().cloned();
        mixed.invoices.iter_mut().for_each(|list| {
            list.extend(items.clone().map(|item| Invoice { account: None, ..item }));
        });
    }
    let outcome = code(&mixed);
    let other = shuffled(&mixed, &mut dice, true);
    let differ = assert_nearly_same("all", &mixed, &outcome, &other, &code(&other));
    assert!(differ * 50 <= mixed.transactions.len(), "{differ} of {} differ", mixed.transactions.len());
    let other = shuffled(&mixed, &mut dice, false);
    assert_same("all", &mixed, &outcome, &other, &code(&other));
}

/// Whether a context names an account by its code, which then is a part of what is said.
fn is_named(context: &str, code: &str) -> bool {
    let words: Vec<&str> = context.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches(|sign: char| !sign.is_alphanumeric()) == code;
    is_code(code) && words.windows(2).any(|pair| matches!(pair, [before, word] if introduces(before) && bare(word)))
}

#[test]
fn other_account_codes_leave_every_answer() {
    let mut compared = 0;
    for (business, outcome) in answered() {
        let mut other = business.batch.clone();
        if other.accounts.iter().any(|account| is_named(&other.business_context, &account.code)) {
            continue;
        }
        compared += 1;
        for (place, account) in other.accounts.iter_mut().enumerate() {
            let new: Cow<'static, str> = Cow::Owned(format!("ZQ{place:04}"));
            // A tag may be an account's code, or begin with it.
            for tag in other.transactions.iter_mut().filter_map(|line| line.bank_account.as_mut()) {
                let rest =
                    tag.strip_prefix(account.code.as_ref()).filter(|rest| !rest.starts_with(char::is_alphanumeric));
                if let Some(rest) = rest {
                    *tag = Cow::Owned(format!("{new}{rest}"));
                }
            }
            account.code = new;
        }
        assert_eq!(outcome, &code(&other), "{}", business.id);
    }
    assert!(compared * 10 > answered().len() * 8, "{compared} of {} name no code", answered().len());
}

#[test]
fn lines_of_one_payee_that_are_equally_sure_do_not_depend_on_which_is_first() {
    // The payee is the first three words; the fourth tells two concepts apart.
    let texts = [
        "Northgate Trading Partners rent",
        "Northgate Trading Partners insurance",
        "Northgate Trading Partners telephone",
        "Northgate Trading Partners stationery",
        "Northgate Trading Partners xyzzy",
        "Northgate Trading Partners qwfp",
    ];
    let mut lines: Vec<Transaction<'static>> = texts.iter().map(|text| line("2025-05-01", text, "-12")).collect();
    lines.extend(texts.iter().map(|text| line("2025-05-02", text, "7")));
    let first = batch(lines);
    let outcome = code(&first);
    let mut dice = Dice(0x5eed_0004);
    for _ in 0..20 {
        let other = shuffled(&first, &mut dice, false);
        assert_same("payee", &first, &outcome, &other, &code(&other));
    }
}
