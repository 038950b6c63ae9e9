//! The reports about accounts beside a naive model: every figure added up from the lines of all journals, as the list of
//! journals shows them. The model runs and the quarters end with it.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Datelike as _, Days, Months, NaiveDate};
use serde_json::{Value, json};

use super::Books;
use super::drill_down::DrillDown;
use super::figures::{badly_printed, pence};
use super::independent::{counting_lines, is_closing};
use super::quarter::all_journals;
use crate::support::database::on_both_databases;

/// An account of the chart.
struct Account {
    id: i64,
    code: String,
    kind: String,
    role: Option<String>,
}

/// A journal: its date, what it reverses, and debits less credits by account.
struct Journal {
    id: i64,
    date: NaiveDate,
    reverses: Option<i64>,
    sides: BTreeMap<i64, i64>,
}

/// All there is to know about the books.
struct Naive {
    accounts: Vec<Account>,
    journals: Vec<Journal>,
    year_end: (u32, u32),
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// The day before.
fn before(day: NaiveDate) -> NaiveDate {
    day - Days::new(1)
}

/// The last day of a month.
fn month_end(day: NaiveDate) -> NaiveDate {
    before(day.with_day(1).unwrap() + Months::new(1))
}

impl Naive {
    fn of(books: &Books) -> Self {
        let accounts = books.get("/accounts?include_archived=true")["data"].clone();
        let text = |value: &Value, field: &str| value[field].as_str().unwrap().to_owned();
        let accounts = accounts.as_array().unwrap().iter().map(|account| Account {
            id: account["id"].as_i64().unwrap(),
            code: text(account, "code"),
            kind: text(account, "account_type"),
            role: account["role"].as_str().map(str::to_owned),
        });
        let journals = all_journals(books);
        let journals = journals.iter().map(|journal| {
            let mut sides = BTreeMap::new();
            for line in counting_lines(journal) {
                let account = line["account_id"].as_i64().unwrap();
                *sides.entry(account).or_default() += pence(&line["debit"]) - pence(&line["credit"]);
            }
            let reverses = journal["reverses_journal_id"].as_i64();
            let date = date(&text(journal, "entry_date")) + Days::new(u64::from(is_closing(journal)));
            Journal { id: journal["id"].as_i64().unwrap(), date, reverses, sides }
        });
        let year_end = text(&books.get("")["data"], "financial_year_end");
        let (month, day) = year_end.split_once('-').unwrap();
        Self {
            accounts: accounts.collect(),
            journals: journals.collect(),
            year_end: (month.parse().unwrap(), day.parse().unwrap()),
        }
    }

    /// The last day of the financial year that ends in a calendar year.
    fn year_end(&self, year: i32) -> NaiveDate {
        let (month, day) = self.year_end;
        let last = month_end(NaiveDate::from_ymd_opt(year, month, 1).unwrap());
        if month == 2 && day >= 28 { last } else { last.with_day(day).unwrap() }
    }

    fn year_start(&self, day: NaiveDate) -> NaiveDate {
        let this = self.year_end(day.year());
        (if day > this { this } else { self.year_end(day.year() - 1) }) + Days::new(1)
    }

    /// Debits less credits of an account from one day to another.
    fn sum(&self, account: &Account, from: NaiveDate, to: NaiveDate) -> i64 {
        let inside = self.journals.iter().filter(|journal| (from..=to).contains(&journal.date));
        inside.filter_map(|journal| journal.sides.get(&account.id)).sum()
    }

    fn up_to(&self, account: &Account, to: NaiveDate) -> i64 {
        self.sum(account, NaiveDate::MIN, to)
    }

    fn nominal(&self) -> impl Iterator<Item = &Account> {
        self.accounts.iter().filter(|account| account.section().is_some())
    }

    /// The profit of some days.
    fn profit(&self, from: NaiveDate, to: NaiveDate) -> i64 {
        -self.nominal().map(|account| self.sum(account, from, to)).sum::<i64>()
    }

    /// What accounts of the balance sheet stand at, the profit of earlier years in retained earnings.
    fn position(&self, day: NaiveDate) -> BTreeMap<String, i64> {
        let earlier = self.profit(NaiveDate::MIN, before(self.year_start(day)));
        let of_sheet = self.accounts.iter().filter(|account| account.section().is_none());
        let balances = of_sheet.map(|account| {
            let carried = if account.has_role("retained_earnings") { earlier } else { 0 };
            (account.code.clone(), self.up_to(account, day) - carried)
        });
        balances.filter(|(_, balance)| *balance != 0).collect()
    }
}

impl Account {
    fn has_role(&self, role: &str) -> bool {
        self.role.as_deref() == Some(role)
    }

    /// 1 where debits are positive.
    fn direction(&self) -> i64 {
        if ["ASSET", "EXPENSE", "SUSPENSE"].contains(&self.kind.as_str()) { 1 } else { -1 }
    }

    fn section(&self) -> Option<&'static str> {
        match (self.kind.as_str(), self.role.as_deref()) {
            ("REVENUE", Some("other_income")) => Some("other_income"),
            ("REVENUE", _) => Some("revenue"),
            ("EXPENSE", Some("cost_of_sales")) => Some("cost_of_sales"),
            ("EXPENSE", Some("corporation_tax")) => Some("corporation_tax"),
            ("EXPENSE", _) => Some("expenses"),
            _ => None,
        }
    }
}

/// The sections of a profit and loss account.
const SECTIONS: [&str; 5] = ["revenue", "cost_of_sales", "other_income", "expenses", "corporation_tax"];

/// The figures of the rows of a list by account code.
#[track_caller]
fn by_code(rows: &Value, field: &str) -> BTreeMap<String, i64> {
    let rows = rows.as_array().unwrap_or_else(|| panic!("no rows: {rows}"));
    rows.iter().map(|row| (row["code"].as_str().unwrap().to_owned(), pence(&row[field]))).collect()
}

/// A report, whose amounts must be printed well.
#[track_caller]
fn report(books: &Books, name: &str, query: &str) -> Value {
    let answer = books.request("GET", &format!("/reports/{name}?{query}")).send();
    let report = answer.expect(200)["data"].clone();
    assert_eq!(badly_printed(&answer), None, "{answer}");
    assert_eq!((&report["report"], &report["basis"]), (&json!(name), &json!("accrual")));
    report
}

/// The eight totals of a profit and loss account.
fn totals(naive: &Naive, from: NaiveDate, to: NaiveDate) -> [(&'static str, i64); 8] {
    let section = |wanted: &str| -> i64 {
        let accounts = naive.nominal().filter(|account| account.section() == Some(wanted));
        accounts.map(|account| account.direction() * naive.sum(account, from, to)).sum()
    };
    let [revenue, cost, other, expenses, tax] = SECTIONS.map(section);
    [
        ("total_revenue", revenue),
        ("total_cost_of_sales", cost),
        ("gross_profit", revenue - cost),
        ("total_other_income", other),
        ("total_expenses", expenses),
        ("profit_before_tax", revenue - cost + other - expenses),
        ("total_corporation_tax", tax),
        ("net_profit", naive.profit(from, to)),
    ]
}

/// Reports 1 and 5, I9 and I21.
fn assert_period(books: &Books, naive: &Naive, from: NaiveDate, to: NaiveDate) {
    let query = format!("period_start={from}&period_end={to}");
    let found = report(books, "profit-loss", &query);
    for wanted in SECTIONS {
        let accounts = naive.nominal().filter(|account| account.section() == Some(wanted));
        let amount = |account: &Account| (account.code.clone(), account.direction() * naive.sum(account, from, to));
        let expected: BTreeMap<_, _> = accounts.map(amount).filter(|(_, amount)| *amount != 0).collect();
        assert_eq!(by_code(&found[wanted], "amount"), expected, "{wanted} from {from} to {to}");
    }
    for (name, expected) in totals(naive, from, to) {
        assert_eq!(pence(&found[name]), expected, "{name} from {from} to {to}");
    }
    let flow = report(books, "cash-flow", &query);
    let banks: Vec<&Account> = naive.accounts.iter().filter(|account| account.has_role("bank")).collect();
    let cash = |day| banks.iter().map(|account| naive.up_to(account, day)).sum::<i64>();
    let figure = |pointer: &str| pence(flow.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}: {flow}")));
    let found = ["/opening_cash", "/closing_cash", "/net_movement"].map(figure);
    assert_eq!(found, [cash(before(from)), cash(to), cash(to) - cash(before(from))], "{flow}");
    let parts = ["/operating/total", "/investing/total", "/financing/total"].map(figure);
    assert_eq!(parts.iter().sum::<i64>(), found[2], "{flow}");
    assert_eq!(figure("/operating/net_profit"), naive.profit(from, to), "{flow}");
    let lines = |pointer: &str| by_code(flow.pointer(pointer).unwrap(), "amount").values().sum::<i64>();
    let operating = figure("/operating/net_profit") + figure("/operating/depreciation");
    assert_eq!(operating + lines("/operating/working_capital"), parts[0], "{flow}");
    assert_eq!([lines("/investing/lines"), lines("/financing/lines")], [parts[1], parts[2]], "{flow}");
    let inside: Vec<&Journal> = naive.journals.iter().filter(|one| (from..=to).contains(&one.date)).collect();
    let reversed: BTreeSet<i64> = inside.iter().filter_map(|one| one.reverses).collect();
    let ids: BTreeSet<i64> = inside.iter().map(|one| one.id).collect();
    let (mut inflows, mut outflows) = (0, 0);
    for journal in inside {
        let is_undone = reversed.contains(&journal.id) || journal.reverses.is_some_and(|id| ids.contains(&id));
        let moved: i64 = banks.iter().filter_map(|account| journal.sides.get(&account.id)).sum();
        if !is_undone {
            *(if moved > 0 { &mut inflows } else { &mut outflows }) += moved.abs();
        }
    }
    assert_eq!(["/gross_inflows", "/gross_outflows"].map(figure), [inflows, outflows], "{flow}");
}

/// Reports 3 and 4: I2 to I5, I37.
fn assert_day(books: &Books, naive: &Naive, day: NaiveDate) {
    let start = naive.year_start(day);
    let position = naive.position(day);
    let trial = report(books, "trial-balance", &format!("as_of={day}"));
    let mut expected = position.clone();
    for account in naive.nominal() {
        expected.insert(account.code.clone(), naive.sum(account, start, day));
    }
    expected.retain(|_, balance| *balance != 0);
    let (debits, credits) = (by_code(&trial["rows"], "debit"), by_code(&trial["rows"], "credit"));
    let found: BTreeMap<_, _> = debits.iter().map(|(code, debit)| (code.clone(), debit - credits[code])).collect();
    assert_eq!(found, expected, "trial balance at {day}");
    let total = pence(&trial["total_debit"]);
    assert_eq!([total, pence(&trial["total_credit"])], [debits.values().sum::<i64>(), credits.values().sum()]);
    assert_eq!((total, &trial["financial_year_start"]), (pence(&trial["total_credit"]), &json!(start.to_string())));

    let sheet = report(books, "balance-sheet", &format!("as_of={day}"));
    let mut groups: BTreeMap<String, i64> = BTreeMap::new();
    for (section, kind) in
        [("assets", "ASSET"), ("liabilities", "LIABILITY"), ("suspense", "SUSPENSE"), ("equity", "EQUITY")]
    {
        let accounts: Vec<_> = naive.accounts.iter().filter(|account| account.kind == kind).collect();
        let amounts =
            accounts.iter().filter_map(|one| Some((one.code.clone(), one.direction() * position.get(&one.code)?)));
        let amounts: BTreeMap<_, _> = amounts.collect();
        assert_eq!(by_code(&sheet[section], "amount"), amounts, "{section} at {day}");
        if section != "equity" {
            assert_eq!(pence(&sheet[format!("total_{section}")]), amounts.values().sum::<i64>());
        }
        for row in sheet[section].as_array().unwrap() {
            *groups.entry(row["group"].as_str().unwrap().to_owned()).or_default() += pence(&row["amount"]);
        }
    }
    let figure = |name: &str| pence(&sheet[name]);
    let group = |name: &str| groups.get(name).copied().unwrap_or_default();
    let net_assets = figure("total_assets") + figure("total_suspense") - figure("total_liabilities");
    assert_eq!([figure("net_assets"), figure("total_equity")], [net_assets; 2], "{sheet}");
    assert_eq!(sheet["balanced"], true);
    assert_eq!(figure("current_year_earnings"), naive.profit(start, day), "{sheet}");
    assert_eq!(group("capital_and_reserves") + figure("current_year_earnings"), net_assets, "{sheet}");
    let retained = naive.accounts.iter().find(|account| account.has_role("retained_earnings")).unwrap();
    let retained = position.get(&retained.code).copied().unwrap_or_default();
    assert_eq!(figure("retained_earnings_brought_forward"), -retained, "{sheet}");
    let fixed = figure("total_fixed_assets");
    assert_eq!((fixed, figure("total_current_assets")), (group("fixed_assets"), group("current_assets")));
    assert_eq!(figure("net_current_assets"), group("current_assets") - group("creditors_within_one_year"));
    assert_eq!(figure("total_assets_less_current_liabilities"), fixed + figure("net_current_assets"));
    assert_eq!(figure("total_creditors_after_one_year"), group("creditors_after_one_year"));
    assert_eq!(net_assets, figure("total_assets_less_current_liabilities") - group("creditors_after_one_year"));
}

/// Report 2, I8: the months add up to the period.
fn assert_months(books: &Books, naive: &Naive, from: NaiveDate, to: NaiveDate) {
    let found = report(books, "profit-loss-monthly", &format!("period_start={from}&period_end={to}"));
    let mut start = from;
    let mut spans = Vec::new();
    while start <= to {
        let end = month_end(start).min(to);
        spans.push((start, end));
        start = end + Days::new(1);
    }
    let months = found["months"].as_array().unwrap();
    assert_eq!(months.len(), spans.len());
    for (month, (start, end)) in months.iter().zip(&spans) {
        assert_eq!(month["month"], start.format("%Y-%m").to_string());
        assert_eq!(
            [&month["period_start"], &month["period_end"]],
            [&json!(start.to_string()), &json!(end.to_string())]
        );
        for (name, expected) in totals(naive, *start, *end) {
            assert_eq!(pence(&month[name]), expected, "{name} of {start}");
        }
    }
    for (name, expected) in totals(naive, from, to) {
        assert_eq!(pence(&found["totals"][name]), expected, "{name}");
    }
    for row in found["rows"].as_array().unwrap() {
        let account = naive.accounts.iter().find(|one| row["account_id"] == json!(one.id)).unwrap();
        let amounts: Vec<i64> = row["amounts"].as_array().unwrap().iter().map(pence).collect();
        let expected: Vec<i64> =
            spans.iter().map(|(start, end)| account.direction() * naive.sum(account, *start, *end)).collect();
        assert_eq!((amounts, pence(&row["total"])), (expected.clone(), expected.iter().sum()), "{row}");
        assert_eq!(row["section"].as_str(), account.section(), "{row}");
    }
}

/// Reports 7 and 8, I23: the two columns are the reports of their own.
fn assert_comparisons(books: &Books, (from, to): (NaiveDate, NaiveDate), (start, end): (NaiveDate, NaiveDate)) {
    let query = format!("period_start={from}&period_end={to}&compare_start={start}&compare_end={end}");
    let found = report(books, "period-comparison", &query);
    for (column, (from, to)) in [("current", (from, to)), ("previous", (start, end))] {
        let own = report(books, "profit-loss", &format!("period_start={from}&period_end={to}"));
        for section in SECTIONS {
            let rows: Vec<Value> =
                found["rows"].as_array().unwrap().iter().filter(|row| row["section"] == section).cloned().collect();
            let mut amounts = by_code(&json!(rows), column);
            amounts.retain(|_, amount| *amount != 0);
            assert_eq!(amounts, by_code(&own[section], "amount"), "{column} {section}");
        }
        for (name, total) in found["totals"].as_object().unwrap() {
            assert_eq!(total[column], own[name], "{column} {name}");
            assert_eq!(pence(&total["change"]), pence(&total["current"]) - pence(&total["previous"]), "{name}");
        }
    }
    let found = report(books, "balance-comparison", &format!("as_of={to}&compare_as_of={end}"));
    for (column, day) in [("current", to), ("previous", end)] {
        let own = report(books, "balance-sheet", &format!("as_of={day}"));
        for section in ["assets", "liabilities", "suspense", "equity"] {
            let rows: Vec<Value> =
                found["rows"].as_array().unwrap().iter().filter(|row| row["section"] == section).cloned().collect();
            let mut amounts = by_code(&json!(rows), column);
            amounts.retain(|_, amount| *amount != 0);
            assert_eq!(amounts, by_code(&own[section], "amount"), "{column} {section}");
        }
        for name in ["current_year_earnings", "net_assets"] {
            assert_eq!(found[name][column], own[name], "{column} {name}");
        }
    }
}

/// Holds every report about accounts against the lines of all journals.
#[track_caller]
pub fn assert_account_reports(books: &Books) {
    let naive = Naive::of(books);
    let first = naive.journals.iter().map(|journal| journal.date).min().unwrap_or_else(|| date("2025-01-01"));
    let last = naive.journals.iter().map(|journal| journal.date).max().unwrap_or(first);
    let year = naive.year_end(last.year());
    let leap = date("2024-02-29");
    let middle = first + Days::new(u64::try_from((last - first).num_days() / 2).unwrap());
    for day in [before(first), first, leap, middle, year, year + Days::new(1), last, last + Days::new(400)] {
        assert_day(books, &naive, day);
    }
    for (from, to) in [(first, last), (first, middle), (middle, last), (last, last), (before(first), year)] {
        if from <= to {
            assert_period(books, &naive, from, to);
        }
    }
    assert_months(books, &naive, first, last);
    assert_comparisons(books, (middle, last), (first, before(middle).max(first)));
}

on_both_databases! {
    fn a_year_end_moves_profit_to_retained_earnings_without_a_posting(database) {
        let books = Books::on(&database);
        let year_end = books.request("PATCH", "").json(&json!({ "financial_year_end": "02-28" })).send();
        year_end.expect(200);
        books.posted("2024-02-29", "1200", "4000", json!(1000));
        books.posted("2024-03-01", "5000", "1200", json!(300));
        books.posted("2025-02-28", "1200", "4900", json!(50));
        books.posted("2025-02-28", "7200", "1200", json!(400));
        books.posted("2025-03-01", "1200", "4000", json!(7));
        assert_account_reports(&books);
        let at = |day: &str| report(&books, "balance-sheet", &format!("as_of={day}"));
        for (day, brought, current, start) in [
            ("2024-02-29", 0.0, 1000.0, "2023-03-01"),
            ("2024-03-01", 1000.0, -300.0, "2024-03-01"),
            ("2025-02-28", 1000.0, -650.0, "2024-03-01"),
            ("2025-03-01", 350.0, 7.0, "2025-03-01"),
        ] {
            let sheet = at(day);
            let found = [&sheet["retained_earnings_brought_forward"], &sheet["current_year_earnings"]];
            assert_eq!(found, [&json!(brought), &json!(current)], "{day}");
            assert_eq!(sheet["financial_year_start"], start, "{day}");
        }
        let profit = report(&books, "profit-loss", "period_start=2024-03-01&period_end=2025-02-28");
        assert_eq!(profit["gross_profit"], -300.00);
        assert_eq!(profit["profit_before_tax"], -650.00);
        assert_eq!(profit["revenue"], json!([]));
    }
}

on_both_databases! {
    fn what_an_account_moved_before_it_was_a_bank_account_is_cash(database) {
        let books = Books::on(&database);
        let till = books.post("/accounts", &json!({ "code": "1290", "name": "Till", "account_type": "ASSET" }));
        let till = till.expect(201)["data"]["id"].clone();
        books.posted("2026-01-05", "1290", "4000", json!(70));
        let between = books.posted("2026-01-06", "1290", "1200", json!(30));
        let taken = books.posted("2026-01-07", "7200", "1290", json!(20));
        books.post(&format!("/journals/{}/void", taken["id"]), &json!({ "void_date": "2026-01-09" })).expect(200);
        let flows = |query: &str| {
            let flow = report(&books, "cash-flow", query);
            [pence(&flow["gross_inflows"]), pence(&flow["gross_outflows"])]
        };
        assert_eq!(flows("period_start=2026-01-01&period_end=2026-01-31"), [0, 3_000]);
        books.post("/bank-accounts", &json!({ "name": "Till", "type": "cash", "account_id": till })).expect(201);
        assert_eq!(flows("period_start=2026-01-01&period_end=2026-01-31"), [7_000, 0]);
        assert_eq!(flows("period_start=2026-01-07&period_end=2026-01-08"), [0, 2_000]);
        books.post(&format!("/journals/{}/void", between["id"]), &json!({ "void_date": "2026-01-10" })).expect(200);
        assert_account_reports(&books);
    }

    fn the_lines_behind_every_row_come_to_its_figure(database) {
        let books = Books::on(&database);
        for (date, debit, credit, amount) in [
            ("2024-05-01", "1200", "3000", 5000),
            ("2025-02-01", "1200", "4000", 800),
            ("2025-04-01", "5000", "2100", 300),
            ("2025-04-06", "7200", "1200", 45),
            ("2025-05-06", "0040", "1200", 450),
            ("2026-01-31", "8000", "0041", 90),
        ] {
            books.posted(date, debit, credit, json!(amount));
        }
        let last = books.posted("2026-02-02", "1200", "4000", json!(11));
        books.post(&format!("/journals/{}/void", last["id"]), &json!({ "void_date": "2026-02-20" })).expect(200);
        let mut drill_down = DrillDown::new(&books);
        drill_down.period("2025-04-06", "2026-02-15");
        drill_down.day("2026-02-15");
        assert!(drill_down.followed.rows > 30, "{:?}", drill_down.followed);
    }

    fn retained_earnings_have_a_line_of_each_earlier_year_on_whatever_page(database) {
        let books = Books::on(&database);
        for (date, debit, credit, amount) in [
            ("2023-06-01", "1200", "4000", 100),
            ("2024-04-01", "1200", "3200", 7),
            ("2024-05-01", "7200", "1200", 30),
            ("2025-04-01", "3200", "1200", 2),
            ("2026-02-01", "1200", "4000", 5),
        ] {
            books.posted(date, debit, credit, json!(amount));
        }
        let path = format!("/accounts/{}/transactions", books.account_id("3200"));
        let all = books.get(&path);
        let lines = all["data"]["lines"].as_array().unwrap().clone();
        let shown = |line: &Value| {
            let text = |field: &str| line[field].as_str().unwrap().to_owned();
            (text("date"), text("source_type"), pence(&line["balance"]), line["journal_id"].is_null())
        };
        let of = |date: &str, kind: &str, balance: i64| (date.to_owned(), kind.to_owned(), balance, kind != "manual");
        let expected = vec![
            of("2024-04-01", "financial_year", 10_000),
            of("2024-04-01", "manual", 10_700),
            of("2025-04-01", "financial_year", 7_700),
            of("2025-04-01", "manual", 7_500),
            of("2026-04-01", "financial_year", 8_000),
        ];
        assert_eq!(lines.iter().map(shown).collect::<Vec<_>>(), expected);
        assert_eq!(lines[2]["description"], "Loss of the financial year to 2025-03-31");
        assert_eq!((pence(&all["data"]["closing_balance"]), &all["pagination"]["total"]), (8_000, &json!(5)));
        for limit in 1..=3 {
            for offset in 0..=5 {
                let page = books.get(&format!("{path}?limit={limit}&offset={offset}"));
                let page = page["data"]["lines"].as_array().unwrap();
                assert_eq!(page.as_slice(), &lines[offset..(offset + limit).min(5)], "{limit} from {offset}");
            }
        }
        let part = books.get(&format!("{path}?date_from=2024-04-02&date_to=2025-04-01&limit=1&offset=1"));
        let figures = ["opening_balance", "closing_balance"].map(|name| pence(&part["data"][name]));
        assert_eq!((figures, shown(&part["data"]["lines"][0])), ([10_700, 7_500], of("2025-04-01", "manual", 7_500)));
    }
}
