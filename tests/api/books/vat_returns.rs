//! Recorded VAT returns: what was declared stays, and what comes into its period later is late in the next return.

use serde_json::{Value, json};

use super::cases::Case;
use super::figures::pence;
use super::trade::{fields, refusal};
use super::vat_return::assert_ties;
use super::{Books, format_paths};
use crate::support::client::{Answer, keys};
use crate::support::database::{Database, on_both_databases};

const PATH: &str = "/vat-returns";

/// Quarters that are over on the clock of the tests.
const QUARTERS: [(&str, &str); 3] =
    [("2025-04-01", "2025-06-30"), ("2025-07-01", "2025-09-30"), ("2025-10-01", "2025-12-31")];

fn record(books: &Books, end: &str) -> Answer {
    books.post(PATH, &json!({ "period_end": end }))
}

fn case(database: &Database, scheme: &str, percent: Value) -> Case {
    let case = Case::on(database);
    case.registered(scheme, percent);
    case
}

impl Case {
    #[track_caller]
    fn sold_on(&self, date: &str, net: &str) -> Value {
        self.made("/sales-invoices", &self.sale(date, &[self.line("4000", net, "ST")]))
    }

    /// The return of a quarter.
    #[track_caller]
    fn quarter(&self, at: usize) -> Value {
        let found = self.vat_return(QUARTERS[at].0, QUARTERS[at].1);
        assert_ties(&found);
        found
    }

    /// Boxes 1, 4, 6 and 7 of what is late in the return of a quarter, and how many.
    #[track_caller]
    fn late(&self, at: usize) -> ([i64; 4], i64) {
        let late = self.quarter(at)["late"].clone();
        (["box1", "box4", "box6", "box7"].map(|name| pence(&late[name])), late["count"].as_i64().unwrap())
    }
}

on_both_databases! {
    fn a_return_is_kept_as_it_was(database) {
        let case = case(&database, "standard", Value::Null);
        let sale = case.sold_on("2025-05-10", "100");
        let adjustment = case.made("/vat-adjustments", &json!({
            "date": "2025-06-30", "reason": "other", "description": "x", "entries": [{ "box": 6, "amount": 5.5 }]
        }));
        let before = case.quarter(0);
        let body = json!({ "period_end": "2025-06-30", "filed_on": "2025-08-01", "hmrc_receipt": "256660290587" });
        let rehearsed = case.post("/vat-returns?dry_run=true", &body).expect(200);
        assert_eq!(fields(&rehearsed["data"], &["id", "box1"]), json!([null, 20.0]));
        assert_eq!(case.get(PATH)["pagination"]["total"], 0);
        let recorded = case.made(PATH, &body);
        let mut known = vec![
            "id", "period_start", "period_end", "due_date", "scheme", "currency", "box1", "box2", "box3", "box4", "box5", "box6",
            "box7", "box8", "box9", "net_vat", "direction", "count", "late", "hmrc", "filed_on", "hmrc_receipt", "cursor",
            "created_at", "created_by",
        ];
        known.sort_unstable();
        assert_eq!(keys(&recorded), known);
        let same = ["scheme", "box1", "box2", "box3", "box4", "box5", "box6", "box7", "box8", "box9", "net_vat", "direction", "due_date", "late", "hmrc"];
        assert_eq!(fields(&recorded, &same), fields(&before, &same));
        assert_eq!(
            fields(&recorded, &["id", "period_start", "period_end", "filed_on", "hmrc_receipt", "count"]),
            json!([1, "2025-04-01", "2025-06-30", "2025-08-01", "256660290587", 2])
        );
        assert_eq!(case.quarter(0)["recorded"], json!({ "id": 1, "filed_on": "2025-08-01" }));
        assert_eq!(case.vat_return("2025-04-01", "2025-05-31")["recorded"], Value::Null);
        // What comes later changes neither the figures nor the entries that are kept.
        let detail = case.shown("/vat-returns/1?detail=true");
        assert_eq!((&detail["entries"], &detail["adjustments"]), (&before["entries"], &before["adjustments"]));
        case.done(&format!("/sales-invoices/{}/void", sale["id"]), &json!({}));
        case.done(&format!("/vat-adjustments/{}/void", adjustment["id"]), &json!({}));
        case.sold_on("2025-04-01", "7");
        assert_eq!(case.shown("/vat-returns/1?detail=true"), detail);
        assert_eq!(case.shown("/vat-returns/1"), recorded);
        assert_eq!(case.get(PATH)["data"], json!([recorded]));
        // The history has it, and its position is where the figures stood.
        let history = case.get("/vat-returns/1/history")["data"].clone();
        assert_eq!(fields(&history[0], &["cursor", "action", "resource_type", "resource_id", "summary"]), json!([
            recorded["cursor"], "create", "vat_return", 1, "VAT return of 2025-04-01 to 2025-06-30 recorded"
        ]));
    }

    fn what_comes_later_is_late_in_the_next_return_and_only_there(database) {
        let case = case(&database, "standard", Value::Null);
        case.sold_on("2025-05-10", "100");
        case.sold_on("2025-08-10", "1000");
        record(&case, "2025-06-30").expect(201);
        assert_eq!(case.late(1), ([0; 4], 0));
        let late = case.sold_on("2025-06-30", "40");
        case.made("/purchase-invoices", &case.bill("2025-04-01", &[case.line("5000", "10", "ST")]));
        case.made("/vat-adjustments", &json!({
            "date": "2025-06-30", "reason": "other", "description": "x", "account_code": "7400", "entries": [{ "box": 2, "amount": 3 }]
        }));
        assert_eq!(case.late(0), ([0; 4], 0));
        assert_eq!(case.late(1), ([800, 200, 4000, 1000], 3));
        let found = case.quarter(1);
        assert_eq!(fields(&found["late"], &["box2", "net_vat", "method"]), json!([3.0, 9.0, "next_return"]));
        assert_eq!(fields(&found, &["box1", "box2", "box4"]), json!([200.0, 0.0, 0.0]));
        assert_eq!(fields(&found["hmrc"], &["vatDueSales", "vatDueAcquisitions", "totalVatDue", "vatReclaimedCurrPeriod", "netVatDue", "totalValueSalesExVAT"]), json!([208.0, 3.0, 211.0, 2.0, 209.0, 1040]));
        // Recorded and late together are the return as it is now.
        let (recorded, now) = (case.shown("/vat-returns/1"), case.quarter(0));
        for name in ["box1", "box2", "box4", "box6", "box7"] {
            assert_eq!(pence(&recorded[name]) + pence(&found["late"][name]), pence(&now[name]), "{name}");
        }
        // The return in which it is declared keeps it, and the one after has only what is later still.
        let second = record(&case, "2025-09-30").expect(201)["data"].clone();
        assert_eq!(fields(&second, &["late", "hmrc"]), fields(&found, &["late", "hmrc"]));
        assert_eq!(case.late(2), ([0; 4], 0));
        case.done(&format!("/sales-invoices/{}/void", late["id"]), &json!({}));
        case.sold_on("2025-09-01", "1");
        assert_eq!(case.late(2), ([-780, 0, -3900, 0], 2));
        // Taken back, it is late in the next return again.
        let deleted = case.request("DELETE", "/vat-returns/2").send().expect(200);
        assert_eq!(deleted["data"], json!({ "id": 2, "deleted": true }));
        assert_eq!(case.late(2), ([0, 200, 0, 1000], 4));
        assert_eq!(case.late(1), ([0, 200, 0, 1000], 4));
        case.request("GET", "/vat-returns/2").send().refused(404, "not_found");
        case.request("DELETE", "/vat-returns/2").send().refused(404, "not_found");
        let last = case.get("/vat-returns/2/history")["data"].clone();
        assert_eq!(last.as_array().unwrap().iter().map(|entry| &entry["action"]).collect::<Vec<_>>().len(), 2);
        record(&case, "2025-09-30").expect(201);
        assert_eq!(case.late(2), ([0; 4], 0));
    }

    fn a_large_error_is_told_to_hmrc(database) {
        let case = case(&database, "standard", Value::Null);
        record(&case, "2025-06-30").expect(201);
        let method = || case.quarter(1)["late"]["method"].clone();
        case.sold_on("2025-06-30", "50000");
        assert_eq!(method(), "next_return");
        case.sold_on("2025-06-30", "0.05");
        assert_eq!(method(), "tell_hmrc");
        assert_eq!(case.quarter(1)["hmrc"]["vatDueSales"], 0.0);
        // Up to 1 % of box 6: 10,000.01 needs 1,000,001.00.
        let zero = |net: &str| case.made("/sales-invoices", &case.sale("2025-08-01", &[case.line("4000", net, "ZR")]));
        zero("1000000.99");
        assert_eq!(method(), "tell_hmrc");
        zero("0.01");
        assert_eq!(method(), "next_return");
        assert_eq!(case.quarter(1)["hmrc"]["vatDueSales"], 10_000.01);
        // And never more than £50,000.
        zero("90000000");
        case.sold_on("2025-06-30", "199999.95");
        assert_eq!((method(), case.quarter(1)["late"]["net_vat"].clone()), (json!("next_return"), json!(50_000.0)));
        case.sold_on("2025-06-30", "0.05");
        assert_eq!(method(), "tell_hmrc");
        // What was told is dealt with: the return after has none of it.
        record(&case, "2025-09-30").expect(201);
        assert_eq!(case.late(2), ([0; 4], 0));
        // An error in favour of the business is measured likewise.
        case.made("/purchase-invoices", &case.bill("2025-06-30", &[case.line("5000", "50000.05", "ST")]));
        assert_eq!(fields(&case.quarter(2)["late"], &["net_vat", "method"]), json!([-10_000.01, "tell_hmrc"]));
    }

    fn what_is_late_under_the_flat_rate_is_the_difference_of_the_percentage(database) {
        let case = case(&database, "flat_rate", json!(9.5));
        case.goes_over("flat_rate", json!(12), "2025-05-17");
        let zero = |date: &str, net: &str| case.made("/sales-invoices", &case.sale(date, &[case.line("4000", net, "ZR")]));
        zero("2025-05-16", "0.05");
        zero("2025-05-17", "0.04");
        let recorded = record(&case, "2025-06-30").expect(201)["data"].clone();
        assert_eq!(fields(&recorded, &["scheme", "box1", "box6"]), json!(["flat_rate", 0.0, 0.09]));
        zero("2025-05-01", "0.01");
        // 9.5 % of 0.06 is a penny, of 0.05 it was none.
        assert_eq!(case.late(1), ([1, 0, 1, 0], 1));
        record(&case, "2025-09-30").expect(201);
        assert_eq!(case.late(2), ([0; 4], 0));
    }

    fn a_period_is_recorded_once_when_it_is_over(database) {
        let case = case(&database, "cash", Value::Null);
        case.request("PATCH", "").json(&json!({ "vat_number": "GB123456789" })).send().expect(200);
        let recorded = record(&case, "2025-06-30").expect(201)["data"].clone();
        let again = record(&case, "2025-06-30");
        assert_eq!((again.status, refusal(&again)), (409, json!({ "reason": "period_recorded", "existing_id": recorded["id"] })));
        for (body, paths) in [
            (json!({ "period_end": "2025-06-29" }), vec!["period_end"]),
            (json!({ "period_end": "2025-07-31" }), vec!["period_end"]),
            (json!({ "period_end": "2198-12-31" }), vec!["period_end"]),
            (json!({ "period_end": "2025-09-30", "filed_on": "2025-09-30" }), vec!["filed_on"]),
            (json!({ "period_end": "2025-09-30", "filed_on": "2199-01-01" }), vec!["filed_on"]),
            (json!({ "period_end": "2025-02-29", "filed_on": 7, "hmrc_receipt": "a\nb", "odd": 1 }), vec!["filed_on", "hmrc_receipt", "odd", "period_end"]),
            (json!({}), vec!["period_end"]),
        ] {
            let picture = (case.get(PATH), case.get("/changes?limit=200"));
            assert_eq!(format_paths(&case.post(PATH, &body)), paths, "{body}");
            assert_eq!((case.get(PATH), case.get("/changes?limit=200")), picture);
        }
        // With longer periods it declares a part of another one.
        case.request("PATCH", "").json(&json!({ "vat_period_months": 12, "vat_period_end_month": 9 })).send().expect(200);
        assert_eq!(refusal(&record(&case, "2025-09-30")), json!({ "reason": "period_recorded", "existing_id": recorded["id"] }));
        record(&case, "2024-09-30").expect(201);
        // Who is not registered has no periods.
        let stranger = Case::on(&database);
        assert_eq!(format_paths(&record(&stranger, "2025-06-30")), ["period_end"]);
        // The same request twice is one return.
        let twice = || case.request("POST", PATH).idempotency_key("r").json(&json!({ "period_end": "2023-09-30", "filed_on": null, "hmrc_receipt": "" })).send();
        let first = twice().expect(201);
        assert_eq!(twice().expect(201), first);
        assert_eq!(fields(&first["data"], &["filed_on", "hmrc_receipt"]), json!([null, null]));
        assert_eq!(case.listed(&format!("{PATH}?limit=2")), (vec![1, 2], Some(3)));
        assert_eq!(case.listed(&format!("{PATH}?limit=2&offset=2")), (vec![3], Some(3)));
    }

    fn owners_and_administrators_record_and_owners_take_back(database) {
        let case = case(&database, "standard", Value::Null);
        let body = json!({ "period_end": "2025-06-30" });
        let as_role = |role: &str| {
            let person = case.server.person();
            case.server.member(case.id, &person, role);
            case.server.key(&person, &["books:read", "books:write"])
        };
        let [viewer, bookkeeper, admin] = ["viewer", "bookkeeper", "admin"].map(as_role);
        let report = case.path("/reports/vat-return?period_start=2025-04-01&period_end=2025-06-30");
        for key in [&viewer, &bookkeeper] {
            case.server.client.post(&case.path(PATH)).key(key).json(&body).send().refused(403, "forbidden");
            case.server.client.get(&report).key(key).send().expect(200);
        }
        // The role comes before the body.
        case.server.client.post(&case.path(PATH)).key(&bookkeeper).json(&json!({ "odd": 1 })).send().refused(403, "forbidden");
        case.server.client.post(&case.path(PATH)).key(&admin).json(&body).send().expect(201);
        let one = case.path(&format!("{PATH}/1"));
        for key in [&viewer, &bookkeeper, &admin] {
            case.server.client.delete(&one).key(key).send().refused(403, "forbidden");
            case.server.client.get(&one).key(key).send().expect(200);
            case.server.client.get(&case.path(PATH)).key(key).send().expect(200);
        }
        let other = Books::on(&database);
        other.request("GET", "/vat-returns/1").send().refused(404, "not_found");
        other.request("DELETE", "/vat-returns/1").send().refused(404, "not_found");
        case.request("DELETE", "/vat-returns/1").send().expect(200);
    }

    fn a_return_and_what_stands_beside_it_are_decided_together(database) {
        let case = case(&database, "standard", Value::Null);
        let sales: Vec<Value> = (0..12).map(|at| case.sale(&format!("2025-05-{:02}", at + 1), &[case.line("4000", "10", "ST")])).collect();
        // Whatever is committed before the return is in it, and whatever comes after is late, also within one group.
        std::thread::scope(|scope| {
            for sale in &sales {
                scope.spawn(|| case.made("/sales-invoices", sale));
            }
            scope.spawn(|| record(&case, "2025-06-30").expect(201));
        });
        let recorded = case.shown("/vat-returns/1?detail=true");
        let late = case.quarter(1)["late"].clone();
        assert_eq!(pence(&recorded["box1"]) + pence(&late["box1"]), 12 * 200);
        assert_eq!(recorded["count"].as_i64().unwrap() + late["count"].as_i64().unwrap(), 12);
        assert_eq!(recorded["entries"].as_array().unwrap().len(), usize::try_from(recorded["count"].as_i64().unwrap()).unwrap());
    }
}
