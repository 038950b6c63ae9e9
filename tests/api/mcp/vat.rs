//! `vat_obligations`: periods from the settings, states from the day and what was recorded, figures from the returns.

use chrono::{Datelike as _, Days, Months, NaiveDate};
use serde_json::{Value, json};

use super::{assert_guards_organisations, failure, given, text};
use crate::books::{Books, ORGANISATIONS, printed};
use crate::support::database::on_both_databases;
use crate::support::server::TestServer;

const TOOL: &str = "vat_obligations";

impl Books {
    /// The books of another organisation of the same person, registered for VAT.
    #[track_caller]
    fn registered_for_vat(self, settings: &Value) -> Self {
        let mut body =
            json!({ "name": "Registered Ltd", "vat_registered": true, "vat_scheme": "standard", "vat_control": true });
        body.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        let made = self.server.client.post(ORGANISATIONS).key(&self.key).json(&body).send().expect(201);
        Self { id: made["data"]["id"].as_i64().unwrap(), ..self }
    }

    #[track_caller]
    fn obligations(&self, arguments: &Value) -> Vec<Value> {
        let mut arguments = arguments.clone();
        arguments["organisation_id"] = json!(self.id);
        given(&self.server, &self.key, TOOL, &arguments)["obligations"].as_array().unwrap().clone()
    }
}

/// Start, end, due date and status of each.
fn said(obligations: &[Value]) -> Vec<String> {
    let word = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    let names = ["period_start", "period_end", "due_date", "status"];
    obligations.iter().map(|one| names.map(|name| word(one, name)).join(" ")).collect()
}

on_both_databases! {
    fn figures_are_those_of_the_return_and_of_what_was_recorded(database) {
        let books = Books::on(&database);
        let today: NaiveDate = books.get("/status")["data"]["as_of"].as_str().unwrap().parse().unwrap();
        // Quarters of which one ends with the month that is over.
        let this_month = today.with_day(1).unwrap();
        let start = this_month - Months::new(9) + Days::new(20);
        let books = books.registered_for_vat(&json!({
            "vat_period_months": 3, "vat_period_end_month": (this_month - Days::new(1)).month(),
            "books_start_date": start.to_string(),
        }));
        let customer = books.customer("Ann");
        let sell = |date: NaiveDate, price: &str| {
            let lines = [books.item("4000", price, "ST")];
            books.made("/sales-invoices", &json!({ "customer_id": customer, "invoice_date": date.to_string(), "lines": lines }));
        };
        for (back, price) in [(9, "100.01"), (6, "2000.10"), (3, "300.30")] {
            sell(this_month - Months::new(back) + Days::new(27), price);
        }
        sell(today, "4.00");
        let end = this_month - Months::new(3) - Days::new(1);
        let recorded = books.post("/vat-returns", &json!({ "period_end": end.to_string() }));
        recorded.expect(201);
        let declared = printed(&recorded, "net_vat");
        // Late, and therefore not in the figure that was recorded.
        sell(end, "7000");

        let obligations = books.obligations(&json!({}));
        let states: Vec<_> = obligations.iter().map(|one| one["status"].as_str().unwrap()).collect();
        assert_eq!(states, ["overdue", "recorded", "due", "open"]);
        assert_eq!(obligations[1]["period_end"], json!(end.to_string()));
        let text = text(&books.server, &books.key, TOOL, &json!({ "organisation_id": books.id }));
        for one in &obligations {
            let (first, last) = (one["period_start"].as_str().unwrap(), one["period_end"].as_str().unwrap());
            let report = books.request("GET", &format!("/reports/vat-return?period_start={first}&period_end={last}")).send();
            let (status, due) = (one["status"].as_str().unwrap(), report.value()["data"]["due_date"].clone());
            let net_vat = if status == "recorded" { declared.clone() } else { printed(&report, "net_vat") };
            let row = format!(
                "{{\"period_start\":\"{first}\",\"period_end\":\"{last}\",\"due_date\":{due},\"status\":\"{status}\",\"net_vat\":{net_vat}}}"
            );
            assert!(text.contains(&row), "{text} does not have {row}");
        }
        assert_eq!(declared, "400.02");
    }
}

/// Books on the clock that stands at 2026-03-10.
fn books() -> Books {
    Books::of(TestServer::start())
}

#[test]
fn who_is_not_registered_has_no_obligations() {
    let books = books();
    let said = given(&books.server, &books.key, TOOL, &json!({}));
    let organisation = json!({ "id": books.id, "name": "Larkspur Joinery Ltd" });
    assert_eq!(said, json!({ "organisation": organisation, "vat_registered": false, "obligations": [] }));
    let books = books.registered_for_vat(&json!({}));
    assert_eq!(
        said_of(&books),
        ["2025-10-01 2025-12-31 2026-02-07 overdue", "2026-01-01 2026-03-31 2026-05-07 open"],
        "without a first day of the books as on the dashboard"
    );
    books.request("PATCH", "").json(&json!({ "vat_registered": false, "vat_scheme": null })).send().expect(200);
    assert_eq!(said_of(&books), [""; 0]);
}

fn said_of(books: &Books) -> Vec<String> {
    said(&books.obligations(&json!({})))
}

#[test]
fn periods_run_from_the_first_day_of_the_books_and_are_picked_by_state_and_days() {
    let books = books().registered_for_vat(&json!({
        "vat_period_months": 3, "vat_period_end_month": 1, "books_start_date": "2025-07-31", "vat_scheme_from": "2019-04-01",
    }));
    let all = [
        "2025-05-01 2025-07-31 2025-09-07 overdue",
        "2025-08-01 2025-10-31 2025-12-07 overdue",
        "2025-11-01 2026-01-31 2026-03-07 overdue",
        "2026-02-01 2026-04-30 2026-06-07 open",
    ];
    let picked = |arguments: Value| said(&books.obligations(&arguments));
    assert_eq!(picked(json!({})), all);
    assert_eq!(picked(json!({ "status": "all" })), all);
    assert_eq!(picked(json!({ "status": "open" })), all[3..]);
    assert_eq!(picked(json!({ "status": "overdue" })), all[..3]);
    assert_eq!(picked(json!({ "status": "recorded" })), [""; 0]);
    assert_eq!(picked(json!({ "date_from": "2025-10-31" })), all[1..]);
    assert_eq!(picked(json!({ "date_from": "2025-11-01" })), all[2..]);
    assert_eq!(picked(json!({ "date_to": "2025-10-31" })), all[..2]);
    assert_eq!(picked(json!({ "date_from": "2025-10-31", "date_to": "2025-10-31" })), all[1..2]);
    assert_eq!(picked(json!({ "date_from": "2030-01-01" })), [""; 0]);
    books.made("/vat-returns", &json!({ "period_end": "2025-10-31" }));
    assert_eq!(picked(json!({ "status": "recorded" })), ["2025-08-01 2025-10-31 2025-12-07 recorded"]);
    // A day before the return was due.
    books.server.advance_s(-4 * 86_400);
    assert_eq!(picked(json!({ "status": "due" })), ["2025-11-01 2026-01-31 2026-03-07 due"]);
}

#[test]
fn nothing_is_declared_for_what_was_before_the_registration() {
    let books = books().registered_for_vat(&json!({
        "vat_period_months": 1, "books_start_date": "2025-01-01", "vat_scheme_from": "2026-01-15",
    }));
    assert_eq!(
        said(&books.obligations(&json!({}))),
        [
            "2026-01-01 2026-01-31 2026-03-07 overdue",
            "2026-02-01 2026-02-28 2026-04-07 due",
            "2026-03-01 2026-03-31 2026-05-07 open",
        ]
    );
}

#[test]
fn of_many_periods_the_latest_are_given() {
    let books = books().registered_for_vat(&json!({ "vat_period_months": 1, "books_start_date": "2020-01-01" }));
    let obligations = books.obligations(&json!({}));
    assert_eq!(obligations.len(), 24);
    assert_eq!(obligations[0]["period_start"], "2024-04-01");
    assert_eq!(obligations[23]["period_start"], "2026-03-01");
    let earlier = books.obligations(&json!({ "date_to": "2024-03-31" }));
    assert_eq!((earlier.len(), &earlier[23]["period_end"]), (24, &json!("2024-03-31")));
}

#[test]
fn wrong_arguments_are_named() {
    let books = books();
    let words = |arguments: Value| failure(&books.server, &books.key, TOOL, &arguments);
    assert_eq!(
        words(json!({ "status": "filed", "date_from": "2026-02-30" })),
        "invalid_request_format: date_from: must be a date, YYYY-MM-DD; status: must be one of open, due, overdue, recorded, all"
    );
    assert_eq!(
        words(json!({ "date_from": "2026-02-02", "date_to": "2026-02-01" })),
        "invalid_request_format: date_to: must not be before date_from"
    );
    assert_guards_organisations(&books, TOOL, &json!({}));
}
