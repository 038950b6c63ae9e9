//! How the books stand.

use chrono::{Days, NaiveDate};
use serde_json::{Value, json};

use super::Books;
use super::figures::pence;
use super::trade::fields;
use crate::support::database::on_both_databases;

on_both_databases! {
    fn the_status_tells_what_waits(database) {
        let books = Books::on(&database);
        let status = || books.get("/status")["data"].clone();
        let codes = |status: &Value| -> Vec<Value> {
            status["gaps"].as_array().unwrap().iter().map(|gap| gap["code"].clone()).collect()
        };
        let new = status();
        assert_eq!(codes(&new), [json!("no_vat_control_account"), json!("no_opening_balances")]);
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
        let status = books.get("/status")["data"].clone();
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
            assert!(pence(&status[field]["overdue"]) > 0);
        }
        let compared = report(&format!("period-comparison?period_start={start}&period_end={today}&compare=previous_year"));
        let profit = compared["totals"]["net_profit"].clone();
        assert_eq!(
            status["profit"],
            json!({ "this_year": profit["current"], "last_year_same_days": profit["previous"] })
        );
        assert_eq!(status["financial_years"], books.get("/financial-years")["data"]);
        let years = status["financial_years"].as_array().unwrap();
        for year in years {
            let of_year = report(&format!("profit-loss?period_start={}&period_end={}", year["start"].as_str().unwrap(), year["end"].as_str().unwrap()));
            assert_eq!(year["net_profit"], of_year["net_profit"]);
            let end = report(&format!("balance-sheet?as_of={}", year["end"].as_str().unwrap()));
            let retained = pence(&end["retained_earnings_brought_forward"]) + pence(&end["current_year_earnings"]);
            assert_eq!(pence(&year["retained_earnings"]), retained);
        }
    }
}
