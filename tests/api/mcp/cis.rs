//! `cis_position`: the position, the return and the statement of a tax month in one answer, as their routes print them.

use serde_json::{Value, json};

use super::{assert_guards_organisations, failure, given, text};
use crate::books::Books;
use crate::support::client::keys;
use crate::support::database::on_both_databases;
use crate::support::server::TestServer;

const TOOL: &str = "cis_position";
const DAYS: &str = "period_start=2026-01-06&period_end=2026-02-05";

impl Books {
    /// A bill of labour that is paid in January, with what was withheld of it.
    fn pays_subcontractor(&self, supplier: i64, cash: &str) {
        let mut line = self.item("5100", "1500", "NV");
        line["cis_type"] = json!("labour");
        let bill = json!({ "supplier_id": supplier, "invoice_date": "2026-01-05", "lines": [line] });
        let bill = self.made("/purchase-invoices", &bill);
        self.payment(supplier, "2026-01-20", cash, &[(&bill, cash)]);
    }

    fn is_contractor(&self) {
        self.request("PATCH", "").json(&json!({ "cis_contractor": true })).send().expect(200);
    }
}

/// What stands after a name in JSON that is printed without spaces, up to its end.
fn raw<'a>(text: &'a str, name: &str) -> &'a str {
    let at = text.find(&format!("\"{name}\":")).unwrap_or_else(|| panic!("no {name} in {text}"));
    let rest = &text[at + name.len() + 3..];
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    values.next().expect("a value").expect("JSON");
    &rest[..values.byte_offset()]
}

on_both_databases! {
    fn figures_read_as_their_routes_print_them(database) {
        let books = Books::on(&database);
        books.is_contractor();
        let reed = books.subcontractor("Reed \" & é Carpentry", 20);
        let ash = books.subcontractor("Ash", 0);
        books.pays_subcontractor(reed, "600");
        books.pays_subcontractor(ash, "1500");
        let arguments = json!({ "tax_month_ending": "2026-02-05", "supplier_id": reed });
        let said = given(&books.server, &books.key, TOOL, &arguments);
        assert_eq!((&said["cis_contractor"], &said["cis_subcontractor"]), (&json!(true), &json!(false)));
        assert_eq!((&said["period_start"], &said["period_end"]), (&json!("2026-01-06"), &json!("2026-02-05")));
        assert_eq!((&said["due_date"], &said["payment_due_date"]), (&json!("2026-02-19"), &json!("2026-02-22")));
        assert_eq!(said["totals"]["deducted"], 150.0);
        assert_eq!(said["cis_payable_balance"], 150.0);
        let text = text(&books.server, &books.key, TOOL, &arguments);
        let position = books.request("GET", &format!("/cis/position?{DAYS}")).send().text();
        for name in ["subcontractors", "totals", "cis_payable_balance", "suffered"] {
            assert_eq!(raw(&text, name), raw(&position, name), "{name}");
        }
        let returned = books.request("GET", "/cis/returns/2026-02-05").send().text();
        for name in ["due_date", "payment_due_date", "warnings"] {
            assert_eq!(raw(&text, name), raw(&returned, name), "{name}");
        }
        let statement = books.request("GET", &format!("/suppliers/{reed}/cis-statement?tax_month_end=2026-02-05")).send();
        assert_eq!(raw(&text, "statement"), raw(&statement.text(), "data"));
        // Nothing was withheld from the other, and from nobody in another month.
        let gross = given(&books.server, &books.key, TOOL, &json!({ "tax_month_ending": "2026-02-05", "supplier_id": ash }));
        assert!(gross.get("statement").is_none(), "{gross}");
        let later = given(&books.server, &books.key, TOOL, &json!({ "tax_month_ending": "2026-04-05", "supplier_id": reed }));
        assert!(later.get("statement").is_none(), "{later}");
        assert_eq!((&later["subcontractors"], &later["totals"]["deducted"]), (&json!([]), &json!(0.0)));
        assert_eq!(later["cis_payable_balance"], 150.0);
    }
}

/// Books on the clock that stands at 2026-03-10.
fn books() -> Books {
    Books::of(TestServer::start())
}

#[test]
fn who_is_not_in_the_scheme_is_told_so() {
    let books = books();
    let said = given(&books.server, &books.key, TOOL, &json!({}));
    assert_eq!((&said["cis_contractor"], &said["cis_subcontractor"]), (&json!(false), &json!(false)));
    for name in ["due_date", "payment_due_date", "warnings", "statement"] {
        assert!(said.get(name).is_none(), "{name} in {said}");
    }
    assert_eq!(said["totals"]["total_payments"], 0.0);
    books.request("PATCH", "").json(&json!({ "cis_subcontractor": true, "cis_suffered_rate": 20 })).send().expect(200);
    let said = given(&books.server, &books.key, TOOL, &json!({}));
    assert_eq!((&said["cis_subcontractor"], &said["suffered"]), (&json!(true), &json!(0.0)));
    // The return of a month in which somebody was paid is due, whatever the settings say today.
    let supplier = books.subcontractor("Reed", 20);
    books.pays_subcontractor(supplier, "600");
    let said = given(&books.server, &books.key, TOOL, &json!({ "tax_month_ending": "2026-02-05" }));
    assert_eq!(said["due_date"], "2026-02-19");
}

#[test]
fn the_month_that_ended_last_is_meant() {
    let books = books();
    let month = || given(&books.server, &books.key, TOOL, &json!({}))["period_end"].clone();
    assert_eq!(month(), "2026-03-05");
    books.server.advance_s(-5 * 86_400);
    assert_eq!(month(), "2026-02-05", "on the 5th the month still runs");
    books.server.advance_s(86_400);
    assert_eq!(month(), "2026-03-05");
}

#[test]
fn what_is_no_tax_month_or_no_supplier_is_refused() {
    let books = books();
    let words = |arguments: Value| failure(&books.server, &books.key, TOOL, &arguments);
    for day in ["2026-02-04", "2026-02-06", "2026-02-28"] {
        assert_eq!(
            words(json!({ "tax_month_ending": day })),
            "invalid_request_format: tax_month_ending: must be the last day of a tax month, a 5th",
            "{day}"
        );
    }
    assert_eq!(
        words(json!({ "tax_month_ending": "5 April", "supplier_id": 0 })),
        "invalid_request_format: supplier_id: must be at least 1; tax_month_ending: must be a date, YYYY-MM-DD"
    );
    let customer = books.customer("Ann");
    for id in [customer, 999_999] {
        assert_eq!(words(json!({ "supplier_id": id })), format!("not_found: supplier_id: there is no supplier {id}"));
    }
    assert_guards_organisations(&books, TOOL, &json!({}));
}

#[test]
fn a_long_list_of_subcontractors_is_cut_and_says_so() {
    let books = books();
    books.is_contractor();
    for number in 0..120 {
        let supplier = books.subcontractor(&format!("{number:03} {}", "x".repeat(60)), 20);
        books.pays_subcontractor(supplier, "600");
    }
    let said = given(&books.server, &books.key, TOOL, &json!({ "tax_month_ending": "2026-02-05" }));
    let shown = said["subcontractors"].as_array().unwrap().len();
    assert!((20..120).contains(&shown), "{shown}");
    let warnings = said["warnings"].as_array().unwrap();
    let last = warnings.last().unwrap();
    assert_eq!((keys(last), &last["code"]), (vec!["code".to_owned(), "message".to_owned()], &json!("truncated")));
    let words = last["message"].as_str().unwrap();
    assert!(words.starts_with(&format!("{shown} of 120 subcontractors and ")), "{words}");
    assert_eq!(said["totals"]["deducted"], 18_000.0);
}
