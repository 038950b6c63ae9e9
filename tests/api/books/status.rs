//! How the books stand.

use chrono::{Datelike as _, Days, Months, NaiveDate};
use serde_json::{Value, json};

use super::figures::pence;
use super::trade::fields;
use super::{Books, ORGANISATIONS};
use crate::support::database::on_both_databases;
use crate::support::server::TestServer;

on_both_databases! {
    fn the_status_tells_what_waits(database) {
        let books = Books::on(&database);
        let status = || books.get("/status")["data"].clone();
        let codes = |status: &Value| -> Vec<Value> {
            status["gaps"].as_array().unwrap().iter().map(|gap| gap["code"].clone()).collect()
        };
        let new = status();
        assert_eq!(codes(&new), [json!("no_opening_balances")], "who is not registered needs no VAT Control account");
        let registered = json!({ "vat_registered": true, "vat_scheme": "standard", "vat_scheme_from": "2026-01-01" });
        books.request("PATCH", "").json(&registered).send().expect(200);
        assert_eq!(codes(&status()), [json!("no_vat_control_account"), json!("no_opening_balances")]);
        assert_eq!((&new["drafts"], &new["locked_through"], &new["organisation_id"]), (&json!(0), &Value::Null, &json!(books.id)));

        books.vat_control();
        let opening = json!({
            "as_of": "2026-01-31",
            "lines": [{ "account_code": "1200", "debit": "10.10" }, { "account_code": "3000", "credit": "10.10" }]
        });
        books.post("/opening-balances", &opening).expect(201);
        let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
        let line = json!({ "bank_account_id": bank, "date": "2026-02-20", "amount": -5, "description": "x" });
        books.post("/bank-transactions", &line).expect(201);
        let ann = books.post("/customers", &json!({ "name": "Ann" })).expect(201)["data"]["id"].clone();
        let lines = json!([{ "description": "x", "account_id": books.account_id("4000"), "unit_price": 10, "vat_code": "ST" }]);
        let invoice = |due: &str, issue: bool| json!({
            "customer_id": ann, "invoice_date": "2026-02-01", "due_date": due, "issue": issue, "lines": lines
        });
        for (due, issue) in [("2026-02-02", true), ("2199-01-01", true), ("2026-02-02", false)] {
            books.post("/sales-invoices", &invoice(due, issue)).expect(201);
        }
        let status = status();
        assert_eq!(codes(&status), [] as [Value; 0]);
        assert_eq!((&status["drafts"], &status["locked_through"]), (&json!(1), &json!("2026-01-31")));
        assert_eq!(status["overdue"], json!({
            "sales_invoices": { "count": 1, "amount_due": 12.0 }, "purchase_invoices": { "count": 0, "amount_due": 0.0 }
        }));
        assert_eq!(status["bank_accounts"], json!([
            { "id": bank, "name": "Current account", "balance": 10.1, "unconfirmed": 1, "last_date": "2026-02-20" }
        ]));
    }

    fn each_figure_is_that_of_its_report_today(database) {
        let books = Books::on(&database);
        books.vat_control();
        let (customer, supplier) = (books.customer("Ann"), books.supplier("Bob"));
        let today = books.get("/status")["data"]["as_of"].as_str().unwrap().to_owned();
        let day = |back: u64| (today.parse::<NaiveDate>().unwrap() - Days::new(back)).to_string();
        let empty = books.get("/status")["data"].clone();
        assert_eq!(
            fields(&empty, &["cash", "debtors", "creditors", "profit"]),
            json!([0.0, { "total": 0.0, "overdue": 0.0 }, { "total": 0.0, "overdue": 0.0 }, { "this_year": 0.0, "last_year_same_days": 0.0 }])
        );
        for back in [0, 1, 40, 100, 364, 365, 366, 400, 500, 700] {
            books.posted(&day(back), "1200", "4000", json!(format!("{}.10", 100 + back)));
            books.posted(&day(back), "7200", "1200", json!(format!("{}.05", 7 + back)));
            let mut sale = json!({ "customer_id": customer, "invoice_date": day(back), "lines": [books.item("4000", "50", "ST")] });
            sale["due_date"] = json!(day(back / 2));
            books.made("/sales-invoices", &sale);
            books.bill(supplier, &day(back), "12.34");
            books.receipt(customer, &day(back), "3.21", &[]);
        }
        // Tomorrow is not today.
        let tomorrow = (today.parse::<NaiveDate>().unwrap() + Days::new(1)).to_string();
        books.posted(&tomorrow, "1200", "4000", json!("1000.00"));
        books.sale(customer, &tomorrow, "1000.00");
        let status = assert_is_its_reports(&books);
        for field in ["debtors", "creditors"] {
            assert!(pence(&status[field]["overdue"]) > 0);
        }
    }

    fn the_vat_return_of_the_running_period_is_shown(database) {
        let books = Books::on(&database);
        books.vat_control();
        let customer = books.customer("Ann");
        let unregistered = assert_is_its_reports(&books);
        assert_eq!(vat(&unregistered), json!([false, null, null, null]));
        assert_eq!(unregistered["deadlines"], json!([]));
        let today: NaiveDate = unregistered["as_of"].as_str().unwrap().parse().unwrap();
        // Of the quarter that ends with this month.
        let this_month = today.with_day(1).unwrap();
        let first = this_month - Months::new(2);
        let last = this_month + Months::new(1) - Days::new(1);
        let before = first - Days::new(1);
        let mut settings = json!({
            "vat_registered": true, "vat_scheme": "standard", "vat_period_months": 3, "vat_period_end_month": last.month(),
            "vat_scheme_from": (last + Days::new(1)).to_string(),
        });
        change(&books, &settings);
        let to_come = assert_is_its_reports(&books);
        assert_eq!(vat(&to_come), json!([true, null, null, null]));
        assert_eq!(to_come["deadlines"], json!([]));

        settings = json!({ "vat_registered": false, "vat_scheme": null });
        change(&books, &settings);
        let begins = first - Months::new(3);
        settings = json!({ "vat_registered": true, "vat_scheme": "standard", "vat_scheme_from": begins.to_string() });
        change(&books, &settings);
        let sell = |day: NaiveDate, price: &str| {
            let lines = [books.item("4000", price, "ST")];
            books.made("/sales-invoices", &json!({ "customer_id": customer, "invoice_date": day.to_string(), "lines": lines }))
        };
        sell(before, "1000");
        assert_eq!(vat(&assert_is_its_reports(&books))[3], 0.0);
        // A later scheme begins with the running period, and what was sold before it stays what it was.
        change(&books, &json!({ "vat_scheme": "cash", "vat_scheme_from": first.to_string() }));
        let sale = sell(first, "500");
        let waits = assert_is_its_reports(&books);
        assert_eq!(vat(&waits)[3], 0.0);
        books.receipt(customer, &first.to_string(), "60", &[(&sale, "60")]);
        sell(last + Days::new(1), "70");
        let paid = assert_is_its_reports(&books);
        let due = first + Months::new(4) + Days::new(6);
        assert_eq!(vat(&paid), json!([true, last.to_string(), due.to_string(), 10.0]));

        // The period before waits until it is recorded.
        let words = |first: NaiveDate, last: NaiveDate| {
            let said = |day: NaiveDate| day.format("%-d %B %Y");
            format!("VAT return, and payment if VAT is due, for {} to {}", said(first), said(last))
        };
        let waiting = json!([{ "what": words(begins, before), "due_date": (first + Months::new(1) + Days::new(6)).to_string() }]);
        assert_eq!(paid["deadlines"], waiting);
        books.made("/vat-returns", &json!({ "period_end": before.to_string() }));
        let recorded = assert_is_its_reports(&books);
        assert_eq!(vat(&recorded), vat(&paid));
        assert_eq!(recorded["deadlines"], json!([{ "what": words(first, last), "due_date": due.to_string() }]));
        let id = books.get("/vat-returns")["data"][0]["id"].clone();
        books.request("DELETE", &format!("/vat-returns/{id}")).send().expect(200);
        assert_eq!(assert_is_its_reports(&books)["deadlines"], waiting);
        // Books that begin with the running period have no return to make for what was before them.
        let young = books.server.client.post(ORGANISATIONS).key(&books.key).json(&json!({
            "name": "Young Ltd", "books_start_date": first.to_string(), "vat_registered": true, "vat_scheme": "standard",
            "vat_period_months": 3, "vat_period_end_month": last.month(),
        }));
        let id = young.send().expect(201)["data"]["id"].clone();
        let young = books.server.client.get(&format!("{ORGANISATIONS}/{id}/status")).key(&books.key).send().expect(200);
        assert_eq!(young["data"]["deadlines"], recorded["deadlines"]);
        change(&books, &json!({ "vat_registered": false, "vat_scheme": null }));
        assert_eq!(vat(&assert_is_its_reports(&books)), json!([false, null, null, null]));
    }

    fn the_flat_rate_of_the_running_period_is_shown(database) {
        let books = Books::on(&database);
        books.vat_control();
        let customer = books.customer("Ann");
        let today: NaiveDate = books.get("/status")["data"]["as_of"].as_str().unwrap().parse().unwrap();
        let middle = (today.with_day(1).unwrap() - Months::new(1)).with_day(17).unwrap();
        change(&books, &json!({
            "vat_registered": true, "vat_scheme": "flat_rate", "flat_rate_percent": 9.5, "vat_period_months": 12,
            "vat_period_end_month": today.month(), "vat_scheme_from": (middle - Days::new(60)).to_string(),
        }));
        change(&books, &json!({ "flat_rate_percent": 12, "vat_scheme_from": middle.to_string() }));
        for (day, price) in [(middle - Days::new(1), "10.03"), (middle, "20.07")] {
            let lines = [books.item("4000", price, "ST")];
            books.made("/sales-invoices", &json!({ "customer_id": customer, "invoice_date": day.to_string(), "lines": lines }));
        }
        // 9.5 % of 12.04, and 12 % of 24.08.
        assert_eq!(vat(&assert_is_its_reports(&books))[3], 4.03);
    }

    fn what_a_contractor_owes_is_that_of_the_tax_month(database) {
        let books = Books::on(&database);
        let ash = books.subcontractor("Ash Groundworks", 20);
        let today: NaiveDate = books.get("/status")["data"]["as_of"].as_str().unwrap().parse().unwrap();
        let work = |day: NaiveDate| {
            let mut line = books.item("5100", "100", "NV");
            line["cis_type"] = json!("labour");
            let day = day.to_string();
            let bill = books.made("/purchase-invoices", &json!({ "supplier_id": ash, "invoice_date": day, "lines": [line] }));
            books.payment(ash, &day, "80", &[(&bill, "80")]);
        };
        work(today);
        assert_eq!(assert_is_its_reports(&books)["cis"], Value::Null);
        change(&books, &json!({ "cis_contractor": true }));
        assert_eq!(pence(&assert_is_its_reports(&books)["cis"]["payable"]), 2_000);
        work(today - Months::new(1));
        assert_eq!(pence(&assert_is_its_reports(&books)["cis"]["payable"]), 4_000);
    }
}

#[test]
fn a_tax_month_ends_on_a_fifth_and_its_days_of_grace_are_shown_until_they_are_over() {
    let books = Books::of(TestServer::start());
    change(&books, &json!({ "cis_contractor": true }));
    let ash = books.subcontractor("Ash Groundworks", 20);
    let mut line = books.item("5100", "100", "NV");
    line["cis_type"] = json!("labour");
    let body = json!({ "supplier_id": ash, "invoice_date": "2026-03-06", "lines": [line] });
    let bill = books.made("/purchase-invoices", &body);
    books.payment(ash, "2026-03-06", "80", &[(&bill, "80")]);
    let returned = |end: &str| format!("CIS return for the tax month to {end}");
    let paid = |end: &str| format!("Payment to HMRC of CIS deductions for the tax month to {end}");
    let (march, april, may) = ("5 March 2026", "5 April 2026", "5 May 2026");
    let return_of_april = (returned(april), "2026-04-19");
    let payment_of_april = (paid(april), "2026-04-22");
    let return_of_may = (returned(may), "2026-05-19");
    let mut today: NaiveDate = "2026-03-10".parse().unwrap();
    for (day, tax_month_end, deadlines) in [
        ("2026-03-19", "2026-04-05", vec![(returned(march), "2026-03-19")]),
        // Nothing was withheld in the month before.
        ("2026-03-22", "2026-04-05", vec![return_of_april.clone()]),
        ("2026-03-23", "2026-04-05", vec![return_of_april.clone(), payment_of_april.clone()]),
        ("2026-04-05", "2026-04-05", vec![return_of_april.clone(), payment_of_april.clone()]),
        ("2026-04-06", "2026-05-05", vec![return_of_april.clone(), payment_of_april.clone()]),
        ("2026-04-19", "2026-05-05", vec![return_of_april, payment_of_april.clone()]),
        ("2026-04-20", "2026-05-05", vec![payment_of_april.clone(), return_of_may.clone()]),
        ("2026-04-22", "2026-05-05", vec![payment_of_april, return_of_may.clone()]),
        ("2026-04-23", "2026-05-05", vec![return_of_may]),
    ] {
        let next: NaiveDate = day.parse().unwrap();
        books.server.advance_s((next - today).num_seconds());
        today = next;
        let status = assert_is_its_reports(&books);
        assert_eq!(status["as_of"], day);
        assert_eq!(fields(&status["cis"], &["tax_month_end", "payable"]), json!([tax_month_end, 20.0]), "{day}");
        let shown: Vec<Value> = deadlines.iter().map(|(what, due)| json!({ "what": what, "due_date": due })).collect();
        assert_eq!(status["deadlines"], json!(shown), "{day}");
    }
}

#[test]
fn each_figure_is_that_of_its_report_at_a_year_end_of_a_leap_year() {
    let books = Books::of(TestServer::start());
    change(&books, &json!({ "financial_year_end": "02-29" }));
    let mut today: NaiveDate = "2026-03-10".parse().unwrap();
    for day in ["2027-02-28", "2027-03-01", "2028-02-28", "2028-02-29", "2028-03-01", "2029-02-28", "2029-03-01"] {
        books.posted(day, "1200", "4000", json!("10.01"));
        books.posted(day, "7200", "1200", json!("3.02"));
    }
    for (day, this_year, last_year) in [
        ("2027-02-28", 6.99, 0.0),
        ("2027-03-01", 6.99, 0.0),
        ("2028-02-28", 13.98, 6.99),
        ("2028-02-29", 20.97, 6.99),
        ("2028-03-01", 6.99, 6.99),
        ("2029-02-28", 13.98, 13.98),
        ("2029-03-01", 6.99, 6.99),
    ] {
        let next: NaiveDate = day.parse().unwrap();
        books.server.advance_s((next - today).num_seconds());
        today = next;
        let status = assert_is_its_reports(&books);
        let profit = json!({ "this_year": this_year, "last_year_same_days": last_year });
        assert_eq!((&status["as_of"], &status["profit"]), (&json!(day), &profit));
    }
}

fn change(books: &Books, settings: &Value) {
    books.request("PATCH", "").json(settings).send().expect(200);
}

/// Whether the organisation is registered, and the end, the due date and the net of the running VAT period.
fn vat(status: &Value) -> Value {
    fields(&status["vat"], &["registered", "period_end", "due_date", "net_vat"])
}

/// I42: each figure of the status is that of its report today. The status.
#[track_caller]
fn assert_is_its_reports(books: &Books) -> Value {
    let status = books.get("/status")["data"].clone();
    let today = status["as_of"].as_str().unwrap();
    let report = |path: &str| books.get(&format!("/reports/{path}"))["data"].clone();
    let sheet = report(&format!("balance-sheet?as_of={today}"));
    let start = sheet["financial_year_start"].as_str().unwrap().to_owned();
    let flow = report(&format!("cash-flow?period_start={start}&period_end={today}"));
    assert_eq!(status["cash"], flow["closing_cash"]);
    for (field, path) in [("debtors", "aged-debtors"), ("creditors", "aged-creditors")] {
        let totals = report(&format!("{path}?as_of={today}"))["totals"].clone();
        let overdue = ["days_1_30", "days_31_60", "days_61_90", "days_over_90"].map(|column| pence(&totals[column]));
        assert_eq!(status[field]["total"], totals["total"]);
        assert_eq!(pence(&status[field]["overdue"]), overdue.iter().sum::<i64>());
    }
    let so_far = format!("period-comparison?period_start={start}&period_end={today}&compare=previous_year");
    let profit = report(&so_far)["totals"]["net_profit"].clone();
    assert_eq!(status["profit"], json!({ "this_year": profit["current"], "last_year_same_days": profit["previous"] }));
    assert_eq!(status["financial_years"], books.get("/financial-years")["data"]);
    for year in status["financial_years"].as_array().unwrap() {
        let (start, end) = (year["start"].as_str().unwrap(), year["end"].as_str().unwrap());
        let of_year = report(&format!("profit-loss?period_start={start}&period_end={end}"));
        assert_eq!(year["net_profit"], of_year["net_profit"]);
        let end = report(&format!("balance-sheet?as_of={end}"));
        let retained = pence(&end["retained_earnings_brought_forward"]) + pence(&end["current_year_earnings"]);
        assert_eq!(pence(&year["retained_earnings"]), retained);
    }
    assert_returns_are_those_of_their_reports(books, &status);
    let due: Vec<&str> =
        status["deadlines"].as_array().unwrap().iter().map(|one| one["due_date"].as_str().unwrap()).collect();
    assert!(due.is_sorted(), "{due:?}");
    status
}

#[track_caller]
fn assert_returns_are_those_of_their_reports(books: &Books, status: &Value) {
    let today = status["as_of"].as_str().unwrap();
    if let Some(end) = status["vat"]["period_end"].as_str() {
        let months = books.get("")["data"]["vat_period_months"].as_u64().unwrap();
        let next: NaiveDate = end.parse::<NaiveDate>().unwrap() + Days::new(1);
        let start = (next - Months::new(u32::try_from(months).unwrap())).to_string();
        assert!(*start <= *today && today <= end, "{start} {today} {end}");
        let found = books.get(&format!("/reports/vat-return?period_start={start}&period_end={end}"))["data"].clone();
        assert_eq!(fields(&status["vat"], &["due_date", "net_vat"]), fields(&found, &["due_date", "net_vat"]));
        assert!(found["due_date"].is_string(), "a VAT period of the organisation: {found}");
    } else {
        assert_eq!(fields(&status["vat"], &["due_date", "net_vat"]), json!([null, null]));
    }
    if let Some(end) = status["cis"]["tax_month_end"].as_str() {
        assert!(today <= end, "{today} {end}");
        let found = books.get(&format!("/cis/returns/{end}"))["data"].clone();
        assert_eq!(
            fields(&status["cis"], &["due_date", "payment_due_date", "payable"]),
            fields(&found, &["due_date", "payment_due_date", "cis_payable_balance"])
        );
    }
}
