//! Everyday purchases, class by class, on charts of many styles: what `classes.txt` says.

use super::*;

const CLASSES: &str = include_str!("classes.txt");

/// Of a hundred lines with an account of their own, so many are right; what is left is told apart by nothing but usage.
const RIGHT_OF_HUNDRED: usize = 99;

/// Of the lines of one class over all charts.
const RIGHT_OF_HUNDRED_OF_A_CLASS: usize = 70;

/// A chart with the classes of each account.
struct Styled {
    name: &'static str,
    context: &'static str,
    accounts: Vec<Account<'static>>,
    classes: Vec<Vec<&'static str>>,
}

fn read() -> (Vec<(&'static str, Vec<&'static str>)>, Vec<Styled>) {
    let (mut lines, mut charts): (Vec<_>, Vec<Styled>) = (Vec::new(), Vec::new());
    for row in CLASSES.lines().filter(|row| !row.trim().is_empty() && !row.starts_with('#')) {
        if let Some(name) = row.strip_prefix("== chart ") {
            charts.push(Styled { name, context: "", accounts: Vec::new(), classes: Vec::new() });
            continue;
        }
        if row.starts_with("==") {
            continue;
        }
        let (head, tail) = row.split_once(": ").unwrap_or((row, ""));
        let Some(chart) = charts.last_mut() else {
            lines.push((head, tail.split(';').map(str::trim).collect()));
            continue;
        };
        if head == "context" {
            chart.context = tail;
            continue;
        }
        // A name may hold a colon itself; classes are words of small letters behind the last.
        let classes: Vec<&str> = tail.split_whitespace().collect();
        let is_classes =
            !classes.is_empty() && classes.iter().all(|class| lines.iter().any(|(known, _)| known == class));
        let (head, classes) = if is_classes { (head, classes) } else { (row, Vec::new()) };
        let (kind, name) = head.split_once(' ').expect("a type and a name");
        let kind = match kind {
            "I" => AccountType::Income,
            "E" => AccountType::Expense,
            "A" => AccountType::Asset,
            "L" => AccountType::Liability,
            "Q" => AccountType::Equity,
            other => panic!("{other} is no type of account: {row}"),
        };
        chart.accounts.push(account(&format!("{}", 100 + chart.accounts.len()), name, kind));
        chart.classes.push(classes);
    }
    (lines, charts)
}

#[test]
fn purchases_go_to_the_ordinary_account_of_their_class() {
    let (lines, charts) = read();
    assert!(charts.len() >= 12);
    let mut by_class: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut wrong, mut balance) = (Vec::new(), Vec::new());
    for chart in charts {
        let wanted: Vec<(&str, &str)> = lines
            .iter()
            .filter(|(class, _)| chart.classes.iter().any(|classes| classes.contains(class)))
            .flat_map(|(class, texts)| texts.iter().map(move |text| (*class, *text)))
            .collect();
        let all = Batch {
            transactions: wanted.iter().map(|(_, text)| line("2025-05-01", text, "-38.40")).collect(),
            accounts: chart.accounts,
            business_context: Cow::Borrowed(chart.context),
            ..Batch::default()
        };
        let outcome = code(&all);
        for ((class, text), row) in wanted.iter().zip(&outcome.rows) {
            let (right, of) = by_class.entry(class).or_default();
            let is_right = chart.classes[row.account].contains(class);
            *right += usize::from(is_right);
            *of += 1;
            if !is_right {
                let given = &all.accounts[row.account];
                wrong.push(format!(
                    "{class}: {}: {text}: {} .{:03} {}",
                    chart.name,
                    given.name,
                    row.confidence,
                    row.method.as_str()
                ));
                balance.extend((given.kind != AccountType::Expense).then(|| wrong.last().cloned()).flatten());
            }
        }
    }
    wrong.sort();
    let (right, of) = by_class.values().fold((0, 0), |sum, (right, of)| (sum.0 + right, sum.1 + of));
    assert!(right * 100 >= of * RIGHT_OF_HUNDRED, "{right} of {of}:\n{}", wrong.join("\n"));
    for (class, (right, of)) in by_class {
        assert!(right * 100 >= of * RIGHT_OF_HUNDRED_OF_A_CLASS, "{class}: {right} of {of}:\n{}", wrong.join("\n"));
    }
    assert!(balance.is_empty(), "money out to no expense:\n{}", balance.join("\n"));
}
