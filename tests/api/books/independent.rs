//! The books read by a program that is not ours: every journal of an organisation is written to a beancount file, with the
//! balances `GET …/accounts` gives as assertions, and `bean-check` has to agree to the penny.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::figures::pence;

/// A program: where a variable says, else in the path.
pub fn program(variable: &str, name: &str) -> Option<PathBuf> {
    let in_path = || {
        let folders = std::env::var_os("PATH")?;
        std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|program| program.is_file())
    };
    std::env::var_os(variable).map(PathBuf::from).or_else(in_path)
}

/// Where `bean-check` is: `BEAN_CHECK`, else the path. Without it the comparison is skipped, which is said on standard
/// error, or is a failure with `REQUIRE_BEANCOUNT=1`.
fn bean_check() -> Option<PathBuf> {
    let found = program("BEAN_CHECK", "bean-check");
    if found.is_none() {
        assert!(
            std::env::var("REQUIRE_BEANCOUNT").as_deref() != Ok("1"),
            "REQUIRE_BEANCOUNT=1, but neither BEAN_CHECK nor bean-check in the path (pip install beancount) was found"
        );
        eprintln!("SKIPPED the independent check: set BEAN_CHECK or install beancount");
    }
    found
}

fn account_name(code: &str, account_type: &str) -> String {
    let root = match account_type {
        "ASSET" | "SUSPENSE" => "Assets",
        "LIABILITY" => "Liabilities",
        "EQUITY" => "Equity",
        "REVENUE" => "Income",
        "EXPENSE" => "Expenses",
        other => panic!("an account of type {other}"),
    };
    format!("{root}:{code}")
}

fn amount(pence: i64) -> String {
    let sign = if pence < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", pence.abs() / 100, pence.abs() % 100)
}

/// Whether a journal closes a year; what counts of it does so from the day after.
pub fn is_closing(journal: &Value) -> bool {
    journal["source_type"] == "year_end_close"
}

/// The lines that count in balances. What a closing takes to retained earnings counts on no day: its first lines, until they
/// come to nothing.
pub fn counting_lines(journal: &Value) -> Vec<&Value> {
    let mut taken = 0;
    let mut is_counted = !is_closing(journal);
    let counts = |line: &&Value| {
        let was_counted = is_counted;
        taken += pence(&line["debit"]) - pence(&line["credit"]);
        is_counted |= taken == 0;
        was_counted
    };
    journal["lines"].as_array().unwrap().iter().filter(counts).collect()
}

/// Journals (in any order) and accounts as a beancount file; `off_by` spoils one balance, to see that this is noticed.
fn export(journals: &[Value], accounts: &[Value], off_by: i64) -> String {
    let mut file = String::from("option \"operating_currency\" \"GBP\"\n");
    let name =
        |account: &Value| account_name(account["code"].as_str().unwrap(), account["account_type"].as_str().unwrap());
    for account in accounts {
        writeln!(file, "1899-12-31 open {} GBP", name(account)).unwrap();
    }
    for journal in journals {
        let (date, number) = (journal["entry_date"].as_str().unwrap(), &journal["journal_number"]);
        writeln!(file, "\n{date} * {} \"{number}\"", journal["source_type"]).unwrap();
        for line in counting_lines(journal) {
            let account = accounts.iter().find(|account| account["id"] == line["account_id"]).unwrap();
            let value = pence(&line["debit"]) - pence(&line["credit"]);
            writeln!(file, "  {} {} GBP", name(account), amount(value)).unwrap();
        }
    }
    let mut off_by = off_by;
    for account in accounts {
        let direction = if account["normal_balance"] == "debit" { 1 } else { -1 };
        let balance = direction * pence(&account["balance"]) + std::mem::take(&mut off_by);
        writeln!(file, "2200-01-01 balance {} {} ~ 0.001 GBP", name(account), amount(balance)).unwrap();
    }
    file
}

/// Lets the other program add everything up.
#[track_caller]
pub fn assert_agrees(journals: &[Value], accounts: &[Value]) {
    let Some(program) = bean_check() else { return };
    let folder = crate::folder::temporary_folder();
    let run = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let output = Command::new(&program).arg("--no-cache").arg(&path).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (agrees, said) = run("books.beancount", export(journals, accounts, 0));
    assert!(agrees, "the other program does not agree: {said}");
    let (agrees, said) = run("spoilt.beancount", export(journals, accounts, 1));
    assert!(!agrees && said.contains("Balance failed"), "a penny was not noticed: {said}");
}

/// Lets the other program add up a text with balances of its own.
#[track_caller]
pub fn assert_is_accepted(folder: &tempfile::TempDir, text: &str) {
    let Some(program) = bean_check() else { return };
    let path = folder.path().join("asserted.beancount");
    std::fs::write(&path, text).unwrap();
    let output = Command::new(program).arg("--no-cache").arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Lets the other program add up a file that is in the repository.
#[track_caller]
pub fn assert_is_sound(path: &str) {
    let Some(program) = bean_check() else { return };
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    let output = Command::new(program).arg("--no-cache").arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
