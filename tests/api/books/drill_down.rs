//! I36: behind each figure of a report are the lines, entries and documents that it says, followed over HTTP.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Books;
use super::figures::pence;
use super::vat_return::assert_ties;

/// Where the lists of documents are, by the type that entries have.
const DOCUMENTS: [(&str, &str); 4] = [
    ("sales_invoice", "/sales-invoices"),
    ("purchase_invoice", "/purchase-invoices"),
    ("sales_credit_note", "/sales-credit-notes"),
    ("purchase_credit_note", "/purchase-credit-notes"),
];

/// The sections in which credits are positive.
const OF_CREDITS: [&str; 4] = ["revenue", "other_income", "liabilities", "equity"];

/// Net and VAT by VAT code.
type ByCode = BTreeMap<String, (i64, i64)>;

/// Somebody who looks behind figures, and counts them.
pub struct DrillDown<'a> {
    books: &'a Books,
    /// Debits less credits behind a path.
    known: BTreeMap<String, i64>,
    /// How many figures were followed so far.
    pub followed: Followed,
}

/// How many figures were followed to what is behind them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Followed {
    /// Rows of reports about accounts, to their lines.
    pub rows: usize,
    /// VAT entries, to their documents and journals.
    pub entries: usize,
}

impl std::ops::AddAssign for Followed {
    fn add_assign(&mut self, other: Self) {
        self.rows += other.rows;
        self.entries += other.entries;
    }
}

impl<'a> DrillDown<'a> {
    pub fn new(books: &'a Books) -> Self {
        Self { books, known: BTreeMap::new(), followed: Followed::default() }
    }

    /// The lines behind a path, signed as debits less credits.
    #[track_caller]
    fn lines_behind(&mut self, path: &Value) -> i64 {
        let path = path.as_str().unwrap_or_else(|| panic!("no path: {path}"));
        if let Some(sum) = self.known.get(path) {
            return *sum;
        }
        let mut sum = 0;
        for offset in (0..).step_by(200) {
            let page = format!("{path}&limit=200&offset={offset}");
            let answer = self.books.server.client.get(&page).key(&self.books.key).send().expect(200);
            let lines = answer["data"]["lines"].as_array().unwrap();
            sum += lines.iter().map(|line| pence(&line["debit"]) - pence(&line["credit"])).sum::<i64>();
            if lines.len() < 200 {
                break;
            }
        }
        self.known.insert(path.to_owned(), sum);
        sum
    }

    /// Follows each row of a list; `figure` tells what debits less credits must come to.
    #[track_caller]
    fn follow(&mut self, report: &Value, pointer: &str, figure: impl Fn(&Value) -> i64) {
        let rows =
            report.pointer(pointer).and_then(Value::as_array).unwrap_or_else(|| panic!("no {pointer}: {report}"));
        for row in rows {
            let found = self.lines_behind(&row["transactions"]);
            assert_eq!(found, figure(row), "{} of {}: {row}", pointer, report["report"]);
            self.followed.rows += 1;
        }
    }

    /// Reports 1, 2, 5 and 7.
    #[track_caller]
    pub fn period(&mut self, from: &str, to: &str) {
        let query = format!("period_start={from}&period_end={to}");
        let report = |name: &str| self.books.get(&format!("/reports/{name}?{query}"))["data"].clone();
        let [profit, months, compared, flow] =
            ["profit-loss", "profit-loss-monthly", "period-comparison", "cash-flow"].map(report);
        for section in ["revenue", "cost_of_sales", "other_income", "expenses", "corporation_tax"] {
            self.follow(&profit, &format!("/{section}"), |row| signed(section, &row["amount"]));
        }
        let of_row = |row: &Value, field: &str| signed(row["section"].as_str().unwrap(), &row[field]);
        self.follow(&months, "/rows", |row| of_row(row, "total"));
        self.follow(&compared, "/rows", |row| of_row(row, "current"));
        for list in ["/operating/working_capital", "/investing/lines", "/financing/lines"] {
            self.follow(&flow, list, |row| -pence(&row["amount"]));
        }
    }

    /// Reports 3, 4 and 8.
    #[track_caller]
    pub fn day(&mut self, day: &str) {
        let report = |name: &str| self.books.get(&format!("/reports/{name}?as_of={day}"))["data"].clone();
        let [trial, sheet, compared] = ["trial-balance", "balance-sheet", "balance-comparison"].map(report);
        self.follow(&trial, "/rows", |row| pence(&row["debit"]) - pence(&row["credit"]));
        for section in ["assets", "liabilities", "suspense", "equity"] {
            self.follow(&sheet, &format!("/{section}"), |row| signed(section, &row["amount"]));
        }
        self.follow(&compared, "/rows", |row| signed(row["section"].as_str().unwrap(), &row["current"]));
    }

    /// Report 6: each box is the sum of its codes, each code the sum of its entries, and the entries of a document or journal
    /// of the standard scheme are what its lines say, or nothing once it is void. The days must be all days.
    #[track_caller]
    pub fn vat_return(&mut self, from: &str, to: &str) {
        let path = format!("/reports/vat-return?period_start={from}&period_end={to}&detail=true");
        let found = self.books.get(&path)["data"].clone();
        assert_ties(&found);
        let mut documents: BTreeMap<(String, i64), ByCode> = BTreeMap::new();
        let mut others: BTreeSet<&str> = BTreeSet::new();
        for entry in found["entries"].as_array().unwrap() {
            let kind = entry["document_type"].as_str().unwrap_or_else(|| panic!("no type: {entry}"));
            match entry["document_id"].as_i64() {
                Some(id) => {
                    let sums = documents.entry((kind.to_owned(), id)).or_default();
                    add(sums, entry, pence(&entry["vat_amount"]));
                    self.follow_to_document(kind, id, entry);
                }
                None => {
                    others.insert(kind);
                    self.follow_to_journal(entry);
                }
            }
            self.followed.entries += 1;
        }
        assert!(others.iter().all(|kind| !DOCUMENTS.iter().any(|(known, _)| known == kind)), "{others:?}");
        let is_standard = |entry: &Value| entry["basis"] == "standard" && entry["reverse_charge"].is_null();
        if found["entries"].as_array().unwrap().iter().all(is_standard) {
            for ((kind, id), sums) in documents {
                self.assert_is_all_of(&kind, id, sums);
            }
        }
    }

    fn document(&self, kind: &str, id: i64) -> Value {
        let known = DOCUMENTS.iter().find(|(known, _)| *known == kind);
        let (_, list) = known.unwrap_or_else(|| panic!("no list of {kind}"));
        self.books.get(&format!("{list}/{id}"))["data"].clone()
    }

    /// The document that an entry names is the one it is about.
    #[track_caller]
    fn follow_to_document(&self, kind: &str, id: i64, entry: &Value) {
        let shown = self.document(kind, id);
        let number = ["invoice_number", "credit_note_number", "number"].iter().find_map(|name| shown[*name].as_str());
        let contact = ["customer_id", "supplier_id"].iter().find_map(|name| shown[*name].as_i64());
        assert_eq!((entry["number"].as_str(), entry["contact_id"].as_i64()), (number, contact), "{entry}: {shown}");
        assert_ne!(shown["status"], "draft", "{entry}: {shown}");
        let codes: Vec<&Value> = shown["lines"].as_array().unwrap().iter().map(|line| &line["vat_code"]).collect();
        assert!(codes.contains(&&entry["vat_code"]), "{entry}: {shown}");
    }

    /// The entries of a document are its lines by code.
    #[track_caller]
    fn assert_is_all_of(&self, kind: &str, id: i64, mut sums: ByCode) {
        let shown = self.document(kind, id);
        let mut expected = ByCode::new();
        if shown["status"] != "void" {
            for line in shown["lines"].as_array().unwrap().iter().filter(|line| line["vat_code"] != "NV") {
                let sign = if kind.ends_with("credit_note") { -1 } else { 1 };
                let sum = expected.entry(line["vat_code"].as_str().unwrap().to_owned()).or_default();
                *sum = (sum.0 + sign * pence(&line["net_amount"]), sum.1 + sign * pence(&line["vat_amount"]));
            }
        }
        for sums in [&mut sums, &mut expected] {
            sums.retain(|_, sum| *sum != (0, 0));
        }
        assert_eq!(sums, expected, "{shown}");
    }

    /// The journal that an entry names has a line with the code of the entry on its day.
    #[track_caller]
    fn follow_to_journal(&self, entry: &Value) {
        let shown = self.books.get(&format!("/journals/{}", entry["journal_id"]))["data"].clone();
        assert_eq!(entry["date"], shown["entry_date"], "{entry}: {shown}");
        let lines = shown["lines"].as_array().unwrap();
        let is_its = |line: &&Value| {
            let net = pence(&line["debit"]) - pence(&line["credit"]);
            let net = if entry["side"] == "output" { -net } else { net };
            line["vat_code"] == entry["vat_code"] && net == pence(&entry["net_amount"])
        };
        assert!(lines.iter().any(|line| is_its(&line)), "{entry}: {shown}");
    }
}

fn add(sums: &mut ByCode, row: &Value, vat: i64) {
    let sum = sums.entry(row["vat_code"].as_str().unwrap().to_owned()).or_default();
    *sum = (sum.0 + pence(&row["net_amount"]), sum.1 + vat);
}

/// An amount of a section as debits less credits.
fn signed(section: &str, amount: &Value) -> i64 {
    if OF_CREDITS.contains(&section) { -pence(amount) } else { pence(amount) }
}

/// Follows every figure of reports 1 to 8 about some days of the books of a run, and says how many these were.
#[track_caller]
pub fn assert_figures_are_what_is_behind_them(books: &Books) -> Followed {
    let mut drill_down = DrillDown::new(books);
    for (from, to) in [("2024-08-01", "2026-03-31"), ("2025-02-28", "2025-10-06")] {
        drill_down.period(from, to);
        drill_down.day(to);
    }
    drill_down.vat_return("2020-01-01", "2029-12-31");
    drill_down.followed
}
