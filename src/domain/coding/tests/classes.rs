//! Everyday purchases, class by class, on charts of many styles: what `classes.txt` says.

use super::*;

const CLASSES: &str = include_str!("classes.txt");

/// Further charts, with the classes of `CLASSES`.
const CHARTS_BY_OTHERS: &str = include_str!("charts_by_others.txt");

/// Of a hundred lines with an account of their own, so many are right; what is left is told apart by nothing but usage.
const RIGHT_OF_HUNDRED: usize = 99;

/// The same on charts whose wording nobody chose with the engine in mind.
const RIGHT_OF_HUNDRED_BY_OTHERS: usize = 94;

/// Of the lines of one class over all charts.
const RIGHT_OF_HUNDRED_OF_A_CLASS: usize = 70;

/// A chart with the classes of each account.
struct Styled {
    name: &'static str,
    context: &'static str,
    accounts: Vec<Account<'static>>,
    classes: Vec<Vec<&'static str>>,
}

/// The classes with their lines, and the charts, of texts of which the first has the classes.
fn read(texts: &[&'static str]) -> (Vec<(&'static str, Vec<&'static str>)>, Vec<Styled>) {
    let (mut lines, mut charts): (Vec<_>, Vec<Styled>) = (Vec::new(), Vec::new());
    let rows = texts.iter().flat_map(|text| text.lines());
    for row in rows.filter(|row| !row.trim().is_empty() && !row.starts_with('#')) {
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

/// What came of the lines of all classes on some charts.
#[derive(Default)]
struct Coded {
    /// Right and all, by class.
    by_class: BTreeMap<&'static str, (usize, usize)>,
    wrong: Vec<String>,
    /// Wrong, and to an account that is no expense.
    balance: Vec<String>,
}

impl Coded {
    fn of(lines: &[(&'static str, Vec<&'static str>)], charts: Vec<Styled>) -> Self {
        let mut coded = Self::default();
        for chart in charts {
            let wanted: Vec<(&'static str, &'static str)> = lines
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
            for ((class, text), row) in wanted.into_iter().zip(&code(&all).rows) {
                let (right, of) = coded.by_class.entry(class).or_default();
                *of += 1;
                if chart.classes[row.account].contains(&class) {
                    *right += 1;
                    continue;
                }
                let (given, sure, method) = (&all.accounts[row.account], row.confidence, row.method.as_str());
                let words = format!("{class}: {}: {text}: {} .{sure:03} {method}", chart.name, given.name);
                coded.balance.extend((given.kind != AccountType::Expense).then(|| words.clone()));
                coded.wrong.push(words);
            }
        }
        coded.wrong.sort();
        coded
    }

    fn assert_right(&self, of_hundred: usize) {
        let (right, of) = self.by_class.values().fold((0, 0), |sum, (right, of)| (sum.0 + right, sum.1 + of));
        assert!(right * 100 >= of * of_hundred, "{right} of {of}:\n{}", self.wrong.join("\n"));
    }
}

#[test]
fn purchases_go_to_the_ordinary_account_of_their_class() {
    let (lines, charts) = read(&[CLASSES]);
    assert!(charts.len() >= 12);
    let coded = Coded::of(&lines, charts);
    coded.assert_right(RIGHT_OF_HUNDRED);
    for (class, (right, of)) in &coded.by_class {
        let wrong = coded.wrong.join("\n");
        assert!(right * 100 >= of * RIGHT_OF_HUNDRED_OF_A_CLASS, "{class}: {right} of {of}:\n{wrong}");
    }
    assert!(coded.balance.is_empty(), "money out to no expense:\n{}", coded.balance.join("\n"));
}

#[test]
fn purchases_go_to_the_ordinary_account_of_charts_that_others_wrote() {
    let own = read(&[CLASSES]).1.len();
    let (lines, mut charts) = read(&[CLASSES, CHARTS_BY_OTHERS]);
    let others = charts.split_off(own);
    assert!(others.len() >= 120);
    Coded::of(&lines, others).assert_right(RIGHT_OF_HUNDRED_BY_OTHERS);
}
