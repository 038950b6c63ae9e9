//! CSV and PDF of every report: each figure is that of the JSON, what people typed is text, and the same books give the same
//! bytes. The tests go through the table of reports, so that a new one cannot be forgotten.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use bookkeeping_suite::http::resources::reports::{REPORTS, Report};
use serde_json::{Map, Value, json};

use super::{Books, format_paths};
use crate::support::client::Answer;
use crate::support::database::on_both_databases;
use crate::support::pdf::{are_there, read};

/// A row of a CSV by the names of its columns.
type Row = BTreeMap<String, String>;

const PERIOD: &str = "period_start=2026-01-01&period_end=2026-03-31";

/// The path of a report with its days.
#[track_caller]
fn path(books: &Books, report: &Report, (customer, supplier): (i64, i64)) -> String {
    let contact = if report.name.starts_with("supplier") { supplier } else { customer };
    let path = report.path.replace("{organisationId}", &books.id.to_string());
    let path = path.replace("{contactId}", &contact.to_string());
    let answer = books.server.client.get(&path).key(&books.key).send();
    let is_of_period = answer.status == 422 && format_paths(&answer).contains(&"query.period_start".to_owned());
    let days = if is_of_period { PERIOD } else { "as_of=2026-03-31" };
    format!("{path}?{days}")
}

fn get(books: &Books, path: &str) -> Answer {
    books.server.client.get(path).key(&books.key).send()
}

/// The head and the rows of a CSV, read as RFC 4180 says.
#[track_caller]
fn parse(text: &str) -> (Vec<String>, Vec<Row>) {
    let mut records: Vec<Vec<String>> = vec![vec![String::new()]];
    let (mut is_quoted, mut letters) = (false, text.chars().peekable());
    while let Some(letter) = letters.next() {
        let record = records.last_mut().unwrap();
        match (letter, is_quoted) {
            ('"', true) if letters.peek() == Some(&'"') => record.last_mut().unwrap().extend(letters.next()),
            ('"', _) => is_quoted = !is_quoted,
            (',', false) => record.push(String::new()),
            ('\r', false) => {
                assert_eq!(letters.next(), Some('\n'), "a line ends with both: {text}");
                records.push(vec![String::new()]);
            }
            (letter, _) => record.last_mut().unwrap().push(letter),
        }
    }
    assert_eq!(records.pop(), Some(vec![String::new()]), "the last line ends too: {text}");
    let head = records.remove(0);
    let row = |cells: Vec<String>| {
        assert_eq!(cells.len(), head.len(), "{cells:?}");
        head.iter().cloned().zip(cells).collect()
    };
    let rows = records.into_iter().map(row).collect();
    (head, rows)
}

/// A value of the JSON as a CSV has it: amounts with two decimals, texts without what spreadsheets take for formulas.
fn cell(value: &Value) -> String {
    const FORMULAS: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.starts_with(FORMULAS) => format!("'{text}"),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_i64() => number.to_string(),
        other => format!("{:.2}", other.as_f64().unwrap_or_else(|| panic!("{other} is no cell"))),
    }
}

fn cells(item: &Map<String, Value>, section: &str) -> Row {
    let own = item.iter().filter(|(key, value)| *key != "section" && !value.is_array() && !value.is_object());
    let own = own.map(|(key, value)| (key.clone(), cell(value)));
    own.chain([("section".to_owned(), section.to_owned())]).collect()
}

/// What says what a report is, and is no figure.
const HEAD: [&str; 22] = [
    "scheme",
    "direction",
    "due_date",
    "recorded",
    "report",
    "organisation_id",
    "organisation_name",
    "currency",
    "period_start",
    "period_end",
    "as_of",
    "basis",
    "generated_at",
    "cursor",
    "compare_start",
    "compare_end",
    "compare_as_of",
    "age_by",
    "contact_id",
    "contact",
    "balanced",
    "financial_year_start",
];

/// The rows that a CSV must have for the JSON of a report, in any order.
fn expected(data: &Value) -> Vec<Row> {
    let mut rows = Vec::new();
    let months: Vec<&Value> = data["months"].as_array().into_iter().flatten().collect();
    for (key, value) in data.as_object().unwrap().iter().filter(|(key, _)| !HEAD.contains(&key.as_str())) {
        match (key.as_str(), value) {
            ("months", _) | ("total_debit" | "total_credit", _)
                if value.is_array() || data["total_debit"].is_number() => {}
            ("totals", Value::Object(totals)) if !months.is_empty() => {
                let of_month =
                    |month: &&Value, total: &str| (month["month"].as_str().unwrap().to_owned(), cell(&month[total]));
                for (total, whole) in totals {
                    let row = months.iter().map(|month| of_month(month, total));
                    rows.push(
                        row.chain([("total".to_owned(), cell(whole)), ("section".to_owned(), total.clone())]).collect(),
                    );
                }
            }
            (_, Value::Null) => {}
            (_, Value::Array(items)) => items.iter().for_each(|item| push_item(&mut rows, key, item, &months)),
            (_, Value::Object(parts)) => push_object(&mut rows, key, parts),
            (_, figure) => rows.push(Row::from([("section".to_owned(), key.clone()), ("*".to_owned(), cell(figure))])),
        }
    }
    if data["total_debit"].is_number() {
        let totals = json!({ "debit": data["total_debit"], "credit": data["total_credit"] });
        rows.push(cells(totals.as_object().unwrap(), "totals"));
    }
    rows
}

/// The row of an item of a list, and those of what is behind it.
fn push_item(rows: &mut Vec<Row>, key: &str, item: &Value, months: &[&Value]) {
    let section = item["section"].as_str().unwrap_or(key);
    let mut row = cells(item.as_object().unwrap(), section);
    let amounts = item["amounts"].as_array().into_iter().flatten();
    row.extend(
        months.iter().zip(amounts).map(|(month, amount)| (month["month"].as_str().unwrap().to_owned(), cell(amount))),
    );
    rows.push(row);
    for document in item["documents"].as_array().into_iter().flatten() {
        let mut row = cells(document.as_object().unwrap(), "documents");
        row.extend(["contact_id", "name"].map(|key| (key.to_owned(), cell(&item[key]))));
        rows.push(row);
    }
}

/// The rows of an object: one when it holds figures alone; else one for each of its parts, under its path or its own name.
fn push_object(rows: &mut Vec<Row>, key: &str, parts: &Map<String, Value>) {
    if parts.values().all(|part| !part.is_array() && !part.is_object()) {
        return rows.push(cells(parts, key));
    }
    for (name, part) in parts {
        match part {
            Value::Object(figures) => rows.push(cells(figures, name)),
            Value::Array(items) => items.iter().for_each(|item| push_item(rows, &format!("{key}.{name}"), item, &[])),
            figure => {
                rows.push(Row::from([("section".to_owned(), format!("{key}.{name}")), ("*".to_owned(), cell(figure))]))
            }
        }
    }
}

fn is_figure(text: &str) -> bool {
    text.strip_prefix('-').unwrap_or(text).split_once('.').is_some_and(|(whole, part)| {
        part.len() == 2 && whole.chars().chain(part.chars()).all(|letter| letter.is_ascii_digit())
    })
}

/// Whether a row of a CSV is this one: every cell that the JSON has is there, and no figure beside it.
fn is_row(row: &Row, wanted: &Row) -> bool {
    if let Some(figure) = wanted.get("*") {
        let figures: Vec<&String> = row.values().filter(|text| is_figure(text)).collect();
        return row["section"] == wanted["section"] && figures == [figure];
    }
    wanted.iter().all(|(key, text)| row.get(key) == Some(text))
        && row.iter().all(|(key, text)| wanted.contains_key(key) || !is_figure(text))
}

/// Each row of a CSV is one of the JSON, and the other way round.
#[track_caller]
fn assert_same(name: &str, csv: &str, data: &Value) {
    let (head, mut rows) = parse(csv);
    assert_eq!(head[0], "section");
    for wanted in expected(data) {
        let at = rows.iter().position(|row| is_row(row, &wanted));
        rows.remove(at.unwrap_or_else(|| panic!("{name}: no row is {wanted:?}\n{csv}")));
    }
    assert!(rows.is_empty(), "{name}: {rows:?} are not in the JSON\n{data}");
}

/// The figures of a CSV as paper has them: thousands apart, shares with their sign.
fn figures_on_paper(csv: &str) -> Vec<String> {
    let on_paper = |(key, text): (&String, &String)| {
        let (whole, part) = text.split_once('.').unwrap();
        let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
        let mut grouped = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index) % 3 == 0 {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        let unit = if key.contains("percent") { "%" } else { "" };
        format!("{sign}{grouped}.{part}{unit}")
    };
    let (_, rows) = parse(csv);
    let cells = rows.iter().flatten().filter(|(_, text)| is_figure(text) && *text != "0.00");
    cells.map(on_paper).collect()
}

/// CSV and PDF of every report beside its JSON.
#[track_caller]
fn assert_files(books: &Books, contacts: (i64, i64)) {
    for report in REPORTS {
        let path = path(books, report, contacts);
        let name = report.name;
        let data = get(books, &path).expect(200)["data"].clone();
        assert_eq!(get(books, &format!("{path}&format=json")).expect(200)["data"]["cursor"], data["cursor"]);
        let csv = get(books, &format!("{path}&format=csv"));
        assert_eq!(
            (csv.status, csv.header("content-type")),
            (200, Some("text/csv; charset=utf-8; header=present")),
            "{name}"
        );
        let disposition = csv.header("content-disposition").unwrap().to_owned();
        let days: Vec<&str> = path.split(['=', '&']).filter(|part| part.starts_with("2026-")).collect();
        let (first, last) = (format!("inline; filename=\"{name} "), format!("{}.csv\"", days.join(" ")));
        assert!(disposition.starts_with(&first) && disposition.contains(&last), "{disposition}");
        let csv = csv.text();
        assert_same(name, &csv, &data);
        let pdf = get(books, &format!("{path}&format=pdf"));
        assert!(pdf.header("content-disposition").unwrap().contains(".pdf"), "{name}");
        if let Some(read) = read(&pdf) {
            let words: Vec<&str> = read.text.split_whitespace().collect();
            for figure in figures_on_paper(&csv) {
                assert!(words.contains(&figure.as_str()), "{name}: {figure} is not in\n{}", read.text);
            }
            read.says(&[report.title, "Amounts in pounds sterling"]);
            assert!(!read.text.contains('_'), "{name}: a word of the API is not for people: {}", read.text);
            // What follows from payments, or from a scheme, is of no basis.
            let has_no_basis =
                ["cis-position", "vat-return", "customer-statement", "supplier-statement"].contains(&name);
            assert_eq!(read.text.contains("accrual basis"), !has_no_basis, "{name}: {}", read.text);
        }
        assert!(get(books, &format!("{path}&format=pdf")).body == pdf.body, "{name}: the same books, the same bytes");
        assert_eq!(get(books, &format!("{path}&format=csv")).text(), csv, "{name}");
    }
}

/// Names that a spreadsheet would take for formulas, and one as long as names may be.
const NAMES: [&str; 6] = ["=1+1", "+44 20", "-2+3+cmd|' /C calc'!A0", "@SUM(A1:A9), \"x\"", "\u{ff1d}1+1", "Ünïcode ☃"];

/// Books with every kind of row: income, costs, assets, loans, tax, lines of nobody, what CIS withheld, and negative figures.
fn traded(books: &Books) -> (i64, i64) {
    books.vat_control();
    let scheme = json!({ "vat_registered": true, "vat_scheme": "standard", "vat_scheme_from": "2025-01-01" });
    books.request("PATCH", "").json(&scheme).send().expect(200);
    books.made("/accounts", &json!({ "code": "9998", "name": "+suspense", "account_type": "SUSPENSE" }));
    for (code, name) in
        [("4000", "=HYPERLINK(\"http://x\";\"y\")"), ("5000", "-costs"), ("7000", "@wages, \"and\" more")]
    {
        let path = format!("/accounts/{}", books.account_id(code));
        books.request("PATCH", &path).json(&json!({ "name": name })).send().expect(200);
    }
    let long = "A very long name ".repeat(15);
    let customers: Vec<i64> = NAMES.iter().chain([&long.trim_end()]).map(|name| books.customer(name)).collect();
    let supplier = books.subcontractor("=Reed, Carpentry", 20);
    for (at, customer) in customers.iter().enumerate() {
        let lines = [books.item("4000", &format!("{}.01", 1_000 * (at + 1)), "ST")];
        let date = format!("2026-0{}-10", at % 3 + 1);
        let body = json!({ "customer_id": customer, "invoice_date": date, "reference": "=A1", "lines": lines });
        let invoice = books.made("/sales-invoices", &body);
        if at % 2 == 0 {
            books.receipt(*customer, "2026-03-20", "250.50", &[(&invoice, "100")]);
        }
    }
    let first = customers[0];
    books.credit(first, "2026-03-01", "20000");
    let bill = json!({
        "supplier_id": supplier, "invoice_date": "2026-02-01", "supplier_reference": "@7",
        "lines": [
            { "description": "Work", "account_code": "5000", "unit_price": "1500", "vat_code": "ST", "cis_type": "labour" },
            { "description": "Saw", "account_code": "0030", "unit_price": "420", "vat_code": "ST", "cis_type": "materials" },
        ]
    });
    let bill = books.made("/purchase-invoices", &bill);
    books.payment(supplier, "2026-02-20", "700", &[(&bill, "700")]);
    for (date, debit, credit, amount) in [
        ("2025-12-31", "1200", "4000", "300"),
        ("2026-01-02", "1200", "3000", "100"),
        ("2026-01-03", "8000", "0031", "75.25"),
        ("2026-02-28", "7000", "1200", "123456.78"),
        ("2026-03-31", "9998", "1200", "12.34"),
        ("2026-03-31", "1200", "1100", "5.55"),
        ("2026-03-31", "1200", "2510", "5000"),
        ("2026-03-31", "4900", "1200", "1.99"),
        ("2026-03-31", "9000", "2100", "19"),
    ] {
        books.posted(date, debit, credit, json!(amount));
    }
    (first, supplier)
}

on_both_databases! {
    fn every_report_is_the_same_in_each_of_its_forms(database) {
        let books = Books::on(&database);
        let contacts = traded(&books);
        assert_files(&books, contacts);
    }

    fn the_entries_of_a_vat_return_say_what_they_are_of_as_people_do(database) {
        let books = Books::on(&database);
        traded(&books);
        books.posted("2026-03-30", "1200", "4000", json!("5"));
        let line = json!({ "account_id": books.account_id("4000"), "credit": "12", "vat_code": "ST" });
        let lines = json!([{ "account_id": books.account_id("1200"), "debit": "12" }, line]);
        books.made("/journals", &json!({ "entry_date": "2026-03-30", "description": "Till", "lines": lines }));
        let path = books.path(&format!("/reports/vat-return?{PERIOD}&detail=true"));
        let data = get(&books, &path).expect(200)["data"].clone();
        let csv = get(&books, &format!("{path}&format=csv")).text();
        assert_same("vat-return", &csv, &data);
        assert!(csv.contains("sales_invoice") && csv.contains("manual"), "a CSV has the words of the API: {csv}");
        if let Some(read) = read(&get(&books, &format!("{path}&format=pdf"))) {
            read.says(&["Sales invoice", "Purchase invoice", "Journal", "£5,218.00 is to be paid to HMRC"]);
            assert!(!read.text.contains('_') && !read.text.contains("anual"), "{}", read.text);
        }
    }

    fn empty_books_have_files_too(database) {
        let books = Books::on(&database);
        let contacts = (books.customer("A"), books.supplier("B"));
        assert_files(&books, contacts);
    }

    fn a_form_that_is_not_there_is_refused_with_those_that_are(database) {
        let books = Books::on(&database);
        let contacts = (books.customer("A"), books.supplier("B"));
        for report in REPORTS {
            let path = path(&books, report, contacts);
            for form in ["xlsx", "PDF", "", "csv&format=csv"] {
                let answer = get(&books, &format!("{path}&format={form}"));
                assert_eq!(format_paths(&answer), ["query.format"], "{}", report.name);
                let is_said = answer.text().contains("json, csv or pdf") || form.contains('&');
                assert!(is_said, "{}", answer.text());
            }
        }
        // Whom nobody knows is not found in any form.
        for form in ["json", "csv", "pdf", "doc"] {
            for path in ["customer-statement/999999", "supplier-statement/999999"] {
                let path = books.path(&format!("/reports/{path}?{PERIOD}&format={form}"));
                get(&books, &path).refused(404, "not_found");
            }
        }
    }

    fn a_statement_of_many_lines_goes_over_pages(database) {
        let books = Books::on(&database);
        let customer = books.customer(&"Long name ".repeat(25));
        for number in 1..=520 {
            let receivable = json!({ "account_code": "1100", "debit": number, "contact_id": customer });
            let lines = json!([receivable, { "account_code": "4000", "credit": number }]);
            books.made("/journals", &json!({ "entry_date": "2026-02-01", "description": "Direct", "lines": lines }));
        }
        let path = books.path(&format!("/reports/customer-statement/{customer}?{PERIOD}"));
        let data = get(&books, &path).expect(200)["data"].clone();
        let csv = get(&books, &format!("{path}&format=csv")).text();
        assert_same("customer-statement", &csv, &data);
        assert_eq!(parse(&csv).1.iter().filter(|row| row["section"] == "lines").count(), 520);
        if let Some(read) = read(&get(&books, &format!("{path}&format=pdf"))) {
            assert!((15..40).contains(&read.pages), "{}", read.pages);
            assert_eq!(read.text.matches("Balance").count(), read.text.matches("Reference").count());
            let words: Vec<&str> = read.text.split_whitespace().collect();
            assert!(figures_on_paper(&csv).iter().all(|figure| words.contains(&figure.as_str())));
        }
    }

    fn five_years_of_months_stand_in_columns(database) {
        let books = Books::on(&database);
        for year in 2021..=2025 {
            for month in 1..=12 {
                let amount = json!(format!("{year}{month}.{month:02}"));
                books.posted(&format!("{year}-{month:02}-15"), "1200", "4000", amount);
            }
        }
        let path = books.path("/reports/profit-loss-monthly?period_start=2021-01-01&period_end=2025-12-31");
        let data = get(&books, &path).expect(200)["data"].clone();
        let csv = get(&books, &format!("{path}&format=csv")).text();
        assert_same("profit-loss-monthly", &csv, &data);
        if let Some(read) = read(&get(&books, &format!("{path}&format=pdf"))) {
            let words: Vec<&str> = read.text.split_whitespace().collect();
            assert!(figures_on_paper(&csv).iter().all(|figure| words.contains(&figure.as_str())));
            read.says(&["Jan 2021", "Dec 2025"]);
        }
    }

    fn another_program_reads_the_same_cells(database) {
        if !are_there(&["python3"], "package python3") {
            return;
        }
        let books = Books::on(&database);
        let contacts = traded(&books);
        const READ: &str = "import csv,io,json,sys; text=sys.stdin.buffer.read().decode('utf-8'); \
                            json.dump(list(csv.reader(io.StringIO(text, newline=''), strict=True)), sys.stdout)";
        for report in REPORTS {
            let text = get(&books, &format!("{}&format=csv", path(&books, report, contacts))).text();
            let mut python = Command::new("python3");
            let mut python =
                python.args(["-c", READ]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            python.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
            let output = python.wait_with_output().unwrap();
            let records: Vec<Vec<String>> = serde_json::from_slice(&output.stdout).unwrap();
            let (head, rows) = parse(&text);
            assert_eq!(records[0], head, "{}", report.name);
            let ours: Vec<Vec<String>> =
                rows.iter().map(|row| head.iter().map(|key| row[key].clone()).collect()).collect();
            assert_eq!(records[1..], ours, "{}", report.name);
            let is_formula = |cell: &String| cell.starts_with(['=', '+', '@', '\t', '\r', '\u{ff1d}']);
            assert!(!records.iter().flatten().any(is_formula), "{text}");
            let is_bare = |cell: &&String| cell.starts_with('-') && !is_figure(cell) && cell.parse::<i64>().is_err();
            assert_eq!(records.iter().flatten().find(is_bare), None, "{}", report.name);
        }
    }
}
