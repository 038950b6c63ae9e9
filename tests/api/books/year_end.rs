//! The end of a financial year: closing one and reopening it changes no report of any day but for the accounts that are named
//! (I41), posts one journal, moves the lock, and is for owners and administrators.

use chrono::{Datelike as _, Days, NaiveDate};
use serde_json::{Value, json};

use super::figures::pence;
use super::trade::{fields, refusal, side};
use super::{Books, format_paths, reason};
use crate::support::client::Answer;
use crate::support::database::{Database, on_both_databases};

const YEARS: &str = "/financial-years";

/// Dates around the ends of years, and in between.
const DATES: [&str; 12] = [
    "2023-05-31",
    "2024-02-29",
    "2024-03-30",
    "2024-03-31",
    "2024-04-01",
    "2024-06-30",
    "2025-03-30",
    "2025-03-31",
    "2025-04-01",
    "2025-04-02",
    "2025-12-31",
    "2026-03-10",
];

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

impl Books {
    fn close(&self, end: &str, body: &Value) -> Answer {
        self.post(&format!("{YEARS}/{end}/close"), body)
    }

    fn reopen(&self, end: &str) -> Answer {
        self.request("POST", &format!("{YEARS}/{end}/reopen")).send()
    }

    #[track_caller]
    fn years(&self) -> Vec<Value> {
        self.get(YEARS)["data"].as_array().unwrap().clone()
    }

    /// Two years and eleven months of trade, from June 2023 to March 2026.
    #[track_caller]
    fn traded(database: &Database, seed: u64) -> Self {
        let books = Self::on(database);
        books.vat_control();
        let (customer, supplier) = (books.customer("Brightwell School"), books.supplier("Reed Carpentry"));
        let mut numbers = Numbers(seed);
        let first: NaiveDate = "2023-06-01".parse().unwrap();
        for _ in 0..60 {
            let mut day = first + Days::new(numbers.below(1_010));
            if numbers.below(5) == 0 {
                // The last days of a year and the first of the next.
                day = NaiveDate::from_ymd_opt(if day.year() < 2025 { 2024 } else { 2025 }, 3, 30).unwrap()
                    + Days::new(numbers.below(4));
            }
            let (date, amount) = (day.to_string(), format!("{}.{:02}", 1 + numbers.below(900), numbers.below(100)));
            match numbers.below(7) {
                0 => {
                    let invoice = books.sale(customer, &date, &amount);
                    if numbers.below(2) == 0 {
                        books.receipt(customer, &date, &amount, &[(&invoice, &amount)]);
                    }
                }
                1 => {
                    books.bill(supplier, &date, &amount);
                }
                2 => {
                    books.posted(&date, "3100", "1200", json!(amount));
                }
                3 => {
                    books.posted(&date, "1200", "4900", json!(amount));
                }
                4 => {
                    books.posted(&date, "8000", "0041", json!(amount));
                }
                5 => {
                    let journal = books.posted(&date, "7200", "1200", json!(amount));
                    if numbers.below(3) == 0 {
                        books.done(&format!("/journals/{}/void", journal["id"]), &json!({ "void_date": "2025-04-01" }));
                    }
                }
                _ => {
                    books.posted(&date, "1200", "4000", json!(amount));
                }
            }
        }
        books.posted("2025-02-10", "3100", "1200", json!("123.45"));
        books.posted("2025-04-01", "1200", "3200", json!("5.00"));
        books
    }

    /// Every report at many dates and over many periods, and the ledger of every account, without what tells when it was read.
    fn everything(&self) -> Vec<(String, Value)> {
        let mut paths = Vec::new();
        for date in DATES {
            for report in ["balance-sheet", "trial-balance", "balance-comparison", "aged-debtors", "aged-creditors"] {
                paths.push(format!("/reports/{report}?as_of={date}"));
            }
        }
        let contacts = [("customer", "/customers"), ("supplier", "/suppliers")]
            .map(|(kind, list)| format!("{kind}-statement/{}", self.get(list)["data"][0]["id"]));
        for (from, to) in [
            ("2023-06-01", "2026-03-10"),
            ("2023-06-01", "2024-03-31"),
            ("2024-04-01", "2025-03-31"),
            ("2025-03-31", "2025-03-31"),
            ("2025-04-01", "2025-04-01"),
            ("2025-03-31", "2025-04-01"),
            ("2025-04-01", "2026-03-10"),
            ("2024-07-15", "2025-08-20"),
        ] {
            let mut reports = vec![
                "profit-loss",
                "profit-loss-monthly",
                "cash-flow",
                "period-comparison",
                "sales-by-customer",
                "purchases-by-supplier",
            ];
            reports.extend(contacts.iter().map(String::as_str));
            paths.extend(reports.iter().map(|report| format!("/reports/{report}?period_start={from}&period_end={to}")));
            paths.extend(
                self.account_ids()
                    .iter()
                    .map(|id| format!("/accounts/{id}/transactions?date_from={from}&date_to={to}")),
            );
        }
        paths.extend(self.account_ids().iter().map(|id| format!("/accounts/{id}/transactions?date_to=2025-04-01")));
        paths.extend(self.account_ids().iter().map(|id| format!("/accounts/{id}/transactions?limit=3&offset=2")));
        let read = |path: String| {
            let mut value = self.get(&path);
            if let Some(data) = value["data"].as_object_mut() {
                data.remove("generated_at");
                data.remove("cursor");
            }
            (path, value)
        };
        paths.into_iter().map(read).collect()
    }

    fn account_ids(&self) -> Vec<i64> {
        let accounts = self.get("/accounts")["data"].clone();
        let used = accounts.as_array().unwrap().iter().filter(|account| account["has_postings"] == true);
        used.map(|account| account["id"].as_i64().unwrap()).collect()
    }
}

#[track_caller]
fn assert_same(before: &[(String, Value)], after: &[(String, Value)]) {
    for (path, before) in before {
        // A closing posts to retained earnings, which then is one more account with a ledger to be looked at.
        let after = after.iter().find(|(known, _)| known == path).map(|(_, after)| after);
        assert_eq!(Some(before), after, "{path}");
    }
}

/// I41 of whatever the books hold: closing a year and reopening it leaves every report of every day, and the lock, as they were.
#[track_caller]
pub fn assert_closing_changes_nothing(books: &Books) {
    let (before, lock) = (books.everything(), books.get("/period-lock")["data"]["lock_date"].clone());
    books.close("2025-03-31", &json!({})).expect(200);
    assert_same(&before, &books.everything());
    books.reopen("2025-03-31").expect(200);
    assert_same(&before, &books.everything());
    assert_eq!(books.get("/period-lock")["data"]["lock_date"], lock);
}

/// A report without the rows of these accounts.
fn without(value: &Value, codes: &[&str]) -> Value {
    match value {
        Value::Array(items) => {
            let kept = items.iter().filter(|item| !codes.iter().any(|code| item["code"] == *code));
            kept.map(|item| without(item, codes)).collect()
        }
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, field)| (name.clone(), without(field, codes))).collect())
        }
        other => other.clone(),
    }
}

on_both_databases! {
    fn closing_and_reopening_years_changes_no_report(database) {
        let books = Books::traded(&database, 20_260_310);
        let before = books.everything();
        let open = books.years();
        assert_eq!(open[0]["start"], "2023-04-01");
        for end in ["2024-03-31", "2025-03-31"] {
            let closed = books.close(end, &json!({})).expect(200)["data"].clone();
            let year = open.iter().find(|year| year["end"] == end).unwrap();
            assert_eq!(fields(&closed, &["status", "start", "end"]), json!(["closed", year["start"], end]));
            assert_eq!(fields(&closed, &["net_profit", "retained_earnings"]), fields(year, &["net_profit", "retained_earnings"]));
            let journal = books.get(&format!("/journals/{}", closed["journal_id"]))["data"].clone();
            assert_eq!(fields(&journal, &["entry_date", "source_type", "status"]), json!([end, "year_end_close", "posted"]));
            assert_same(&before, &books.everything());
        }
        assert_eq!(books.get("/period-lock")["data"]["lock_date"], "2025-03-31");
        for end in ["2025-03-31", "2024-03-31"] {
            books.reopen(end).expect(200);
            assert_same(&before, &books.everything());
        }
        assert_eq!((books.get("/period-lock")["data"]["lock_date"].clone(), books.years()), (Value::Null, open));
    }

    fn named_accounts_are_transferred_on_the_first_day_of_the_next_year(database) {
        let books = Books::traded(&database, 7);
        let dividends = books.account_id("3100");
        let before = books.everything();
        let open = books.years();
        let held = |date: &str| {
            let sheet = books.get(&format!("/reports/balance-sheet?as_of={date}"))["data"].clone();
            let row = sheet["equity"].as_array().unwrap().iter().find(|row| row["code"] == "3100").cloned();
            let held = row.map_or(0, |row| pence(&row["amount"]));
            (held, pence(&sheet["retained_earnings_brought_forward"]), pence(&sheet["total_equity"]))
        };
        let (at_end, next) = (held("2025-03-31"), held("2025-04-01"));
        let closed = books.close("2025-03-31", &json!({ "transfer_account_ids": [dividends] })).expect(200)["data"].clone();
        assert_eq!(pence(&closed["retained_earnings"]), pence(&open[1]["retained_earnings"]) + at_end.0);
        assert_eq!(books.years()[1], closed);
        // The last day of the year is as it was; from the next on the dividends of the year are in retained earnings.
        assert_eq!(held("2025-03-31"), at_end);
        assert_eq!(held("2025-04-01"), (next.0 - at_end.0, next.1 + at_end.0, next.2));
        let codes = ["3100", "3200"];
        for ((path, before), (_, after)) in before.iter().zip(&books.everything()) {
            if path.contains("/transactions") {
                continue;
            }
            let (mut before, mut after) = (without(before, &codes), without(after, &codes));
            for report in [&mut before, &mut after] {
                report["data"].as_object_mut().unwrap().remove("retained_earnings_brought_forward");
                if path.contains("trial-balance") {
                    // A balance that changes sides changes both totals alike.
                    let totals = report["data"].as_object_mut().unwrap();
                    assert_eq!(totals.remove("total_debit"), totals.remove("total_credit"));
                }
            }
            assert_eq!(before, after, "{path}");
        }
        let ledger = books.get(&format!("/accounts/{dividends}/transactions?date_from=2025-04-01&date_to=2025-04-01"))["data"].clone();
        let line = ledger["lines"].as_array().unwrap().iter().find(|line| line["source_type"] == "year_end_close").unwrap().clone();
        assert_eq!(fields(&line, &["date", "journal_id"]), json!(["2025-04-01", closed["journal_id"]]));
        // What was transferred once is not transferred again.
        books.reopen("2025-03-31").expect(200);
        assert_eq!((held("2025-03-31"), held("2025-04-01")), (at_end, next));
        books.close("2025-03-31", &json!({ "transfer_account_ids": [dividends, dividends] })).expect(200);
        assert_eq!(held("2025-04-01"), (next.0 - at_end.0, next.1 + at_end.0, next.2));
    }

    fn a_closing_is_one_journal_of_what_the_year_earned_and_spent(database) {
        let books = Books::on(&database);
        books.posted("2024-03-31", "1200", "4000", json!("700.00"));
        books.posted("2024-04-01", "1200", "4000", json!("100.00"));
        books.posted("2025-03-31", "7200", "1200", json!("30.00"));
        books.posted("2025-03-31", "3100", "1200", json!("20.00"));
        books.posted("2025-04-01", "1200", "4000", json!("5.00"));
        let year = |year: &Value| fields(year, &["start", "end", "status", "net_profit", "retained_earnings", "journal_id", "currency"]);
        let years = books.years();
        assert_eq!(year(&years[0]), json!(["2023-04-01", "2024-03-31", "open", 700.0, 700.0, null, "GBP"]));
        assert_eq!(year(&years[1]), json!(["2024-04-01", "2025-03-31", "open", 70.0, 770.0, null, "GBP"]));
        assert_eq!(year(&years[2])[3], 5.0);
        books.lock("2025-05-31");
        let lock = books.get("/period-lock");
        let body = json!({ "transfer_account_ids": [books.account_id("3100")] });
        let tried = books.post(&format!("{YEARS}/2025-03-31/close?dry_run=true"), &body).expect(200);
        assert_eq!(year(&tried["data"]), json!(["2024-04-01", "2025-03-31", "closed", 70.0, 750.0, null, "GBP"]));
        assert_eq!(books.years(), years);
        let closed = books.close("2025-03-31", &body).expect(200)["data"].clone();
        assert_eq!(year(&closed)[4], 750.0);
        assert_eq!(
            books.sides(&closed["journal_id"]),
            [side("4000", 100.0, 0.0), side("7200", 0.0, 30.0), side("3200", 0.0, 70.0), side("3100", 0.0, 20.0), side("3200", 20.0, 0.0)]
        );
        // The year was locked already: the lock stays.
        assert_eq!(books.get("/period-lock"), lock);
        let direct = books.post(&format!("/journals/{}/void", closed["journal_id"]), &json!({ "void_date": "2025-06-01" }));
        assert_eq!(refusal(&direct), json!({ "reason": "linked_to_document", "source_type": "year_end_close", "source_id": null }));
        let sales = books.account("4000");
        assert_eq!(sales["balance"], 805.0, "what was ever sold");
        let listed = books.listed(&format!("/journals?account_id={}&limit=200", sales["id"]));
        assert_eq!((listed.0.len(), listed.1), (4, Some(4)));
        assert!(listed.0.contains(&closed["journal_id"].as_i64().unwrap()));
        // An empty year is closed without a journal.
        let empty = Books::on(&database);
        empty.posted("2023-05-01", "1200", "4000", json!("1.00"));
        let closed = empty.close("2025-03-31", &json!({})).expect(200)["data"].clone();
        assert_eq!((closed["status"].clone(), closed["journal_id"].clone()), (json!("closed"), Value::Null));
        empty.reopen("2025-03-31").expect(200);
        assert_eq!(empty.years()[1]["status"], "open");
    }

    fn years_close_in_their_order_and_keep_the_lock(database) {
        let books = Books::on(&database);
        books.posted("2023-05-01", "1200", "4000", json!("1.00"));
        books.posted("2024-05-01", "1200", "4000", json!("2.00"));
        books.lock("2023-12-31");
        books.close("2025-03-31", &json!({})).expect(200);
        let state = |answer: Answer| {
            let details = refusal(&answer);
            assert_eq!(details["reason"], "invalid_state");
            details["current"].as_str().unwrap().to_owned()
        };
        assert_eq!(state(books.close("2025-03-31", &json!({}))), "closed");
        assert_eq!(state(books.close("2024-03-31", &json!({}))), "later_year_closed");
        assert_eq!(state(books.reopen("2024-03-31")), "open");
        assert_eq!(state(books.close("2029-03-31", &json!({}))), "not_ended");
        let back = books.request("PUT", "/period-lock").json(&json!({ "lock_date": "2025-03-30" })).send();
        assert_eq!(state(back), "financial_year_closed");
        assert_eq!(reason(&books.post("/journals", &books.two_lines("2025-03-31", "1200", "4000", json!("1.00")))), "period_locked");
        books.lock("2025-05-31");
        let reopened = books.reopen("2025-03-31").expect(200)["data"].clone();
        assert_eq!(fields(&reopened, &["status", "journal_id", "net_profit"]), json!(["open", null, 2.0]));
        let lock = books.get("/period-lock")["data"].clone();
        assert_eq!(lock["lock_date"], "2023-12-31");
        assert_eq!(lock["history"][0]["reason"], "Financial year to 2025-03-31 reopened");
        books.posted("2025-03-31", "1200", "4000", json!("1.00"));
        books.close("2024-03-31", &json!({})).expect(200);
        books.close("2025-03-31", &json!({})).expect(200);
        assert_eq!(state(books.reopen("2024-03-31")), "later_year_closed");
        assert_eq!(books.years()[1]["net_profit"], 3.0);
    }

    fn only_owners_and_administrators_end_years(database) {
        let books = Books::on(&database);
        books.posted("2023-05-01", "1200", "4000", json!("1.00"));
        let before = books.picture();
        let by = |role: &str, what: &str, body: Option<&str>| {
            let person = books.server.person();
            books.server.member(books.id, &person, role);
            let key = books.server.key(&person, &["books:read", "books:write"]);
            let request = books.server.client.request("POST", &books.path(&format!("{YEARS}/2024-03-31/{what}"))).key(&key);
            match body {
                Some(body) => request.json(&serde_json::from_str::<Value>(body).unwrap()).send(),
                None => request.send(),
            }
        };
        for role in ["bookkeeper", "viewer"] {
            by(role, "close", Some("{}")).refused(403, "forbidden");
            by(role, "reopen", None).refused(403, "forbidden");
        }
        by("admin", "reopen", None).refused(403, "forbidden");
        for path in ["2024-03-30", "2024-02-30", "x", "2024-03-31T00:00:00Z"] {
            books.close(path, &json!({})).refused(404, "not_found");
            books.reopen(path).refused(404, "not_found");
            books.close(path, &json!({ "odd": 1 })).refused(404, "not_found");
        }
        let close = |body: Value| books.close("2024-03-31", &body);
        assert_eq!(format_paths(&close(json!({ "transfer_account_ids": ["x"], "odd": 1 }))), ["odd", "transfer_account_ids[0]"]);
        assert_eq!(format_paths(&close(json!({ "transfer_account_ids": null }))), ["transfer_account_ids"]);
        assert_eq!(refusal(&close(json!({ "transfer_account_ids": [999_999] }))), json!({ "reason": "unknown_reference", "field": "transfer_account_ids[0]", "id": 999_999 }));
        for code in ["3200", "4000", "1200"] {
            assert_eq!(reason(&close(json!({ "transfer_account_ids": [books.account_id(code)] }))), "wrong_account_type", "{code}");
        }
        let stale = books.request("POST", &format!("{YEARS}/2024-03-31/close")).header("If-Match", "\"9\"").send();
        assert_eq!(reason(&stale), "stale_version");
        assert_eq!(books.picture(), before);
        by("admin", "close", None).expect(200);
        by("admin", "reopen", None).refused(403, "forbidden");
        books.reopen("2024-03-31").expect(200);
    }
}
