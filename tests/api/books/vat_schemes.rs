//! Another VAT scheme begins where nothing with VAT is posted yet: a document keeps the basis it was issued under, so the
//! return would mix two. Another percentage of the flat rate is no other basis.

use serde_json::{Value, json};

use super::cases::Case;
use super::trade::{fields, refusal};
use super::{Books, format_paths, reason};
use crate::support::client::Answer;
use crate::support::database::on_both_databases;
use crate::support::server::Setup;

fn registration(scheme: &str, from: &str) -> Value {
    let mut body = json!({ "vat_registered": true, "vat_scheme": scheme, "vat_scheme_from": from });
    if scheme == "flat_rate" {
        body["flat_rate_percent"] = json!(9.5);
    }
    body
}

impl Case {
    fn change(&self, body: &Value) -> Answer {
        self.request("PATCH", "").json(body).send()
    }

    /// Another scheme from a day on; that of the flat rate is left.
    fn begin(&self, scheme: &str, from: &str) -> Answer {
        let mut body = json!({ "vat_scheme": scheme, "vat_scheme_from": from });
        body["flat_rate_percent"] = if scheme == "flat_rate" { json!(9.5) } else { Value::Null };
        self.change(&body)
    }

    #[track_caller]
    fn begun(&self, scheme: &str, from: &str) {
        self.begin(scheme, from).expect(200);
    }

    #[track_caller]
    fn registered(&self, scheme: &str) {
        self.change(&registration(scheme, "2024-01-01")).expect(200);
    }

    #[track_caller]
    fn sold(&self, date: &str, vat_code: &str) -> Value {
        self.made("/sales-invoices", &self.sale(date, &[self.line("4000", "100", vat_code)]))
    }

    #[track_caller]
    fn bought(&self, date: &str, vat_code: &str) -> Value {
        self.made("/purchase-invoices", &self.bill(date, &[self.line("5000", "100", vat_code)]))
    }

    /// Posts that VAT stands in the way of a scheme, first by this record of this day.
    #[track_caller]
    fn assert_in_the_way(&self, refused: &Answer, date: &str, by: &Value) {
        let expected = json!({ "reason": "vat_already_posted", "date": date, "journal_id": by["journal_id"] });
        assert_eq!((refused.status, refusal(refused)), (409, expected));
    }
}

on_both_databases! {
    fn a_scheme_begins_after_what_is_posted(database) {
        let case = Case::on(&database);
        case.registered("standard");
        case.sold("2026-03-31", "ST");
        case.sold("2026-04-01", "NV");
        let later = case.sold("2026-04-20", "ST");
        let first = case.sold("2026-04-03", "ZR");
        let draft = case.sale("2026-04-02", &[case.line("4000", "100", "ST")]);
        let draft = case.made("/sales-invoices", &json!({
            "customer_id": draft["customer_id"], "invoice_date": "2026-04-02", "lines": draft["lines"], "issue": false
        }));
        let before = (case.get(""), case.picture(), case.get("/changes?limit=200"));
        case.assert_in_the_way(&case.begin("cash", "2026-04-01"), "2026-04-03", &first);
        let rehearsed = case.request("PATCH", "?dry_run=true").json(&json!({ "vat_scheme": "cash", "vat_scheme_from": "2026-04-01" }));
        case.assert_in_the_way(&rehearsed.send(), "2026-04-03", &first);
        assert_eq!((case.get(""), case.picture(), case.get("/changes?limit=200")), before);
        // Undone on its own day it counts nowhere; on a later one, in one return and not in the other.
        case.done(&format!("/sales-invoices/{}/void", first["id"]), &json!({}));
        case.assert_in_the_way(&case.begin("cash", "2026-04-01"), "2026-04-20", &later);
        case.done(&format!("/sales-invoices/{}/void", later["id"]), &json!({ "void_date": "2026-07-01" }));
        case.assert_in_the_way(&case.begin("cash", "2026-04-01"), "2026-04-20", &later);
        case.begun("cash", "2026-07-01");
        // What is issued from then on is under cash accounting, and unpaid it is in the way all the same.
        let unpaid = case.bought("2026-07-05", "RR");
        assert!(case.vat().iter().all(|(side, ..)| side == "output"), "{:?}", case.vat());
        case.assert_in_the_way(&case.begin("standard", "2026-07-01"), "2026-07-05", &unpaid);
        case.done(&format!("/sales-invoices/{}/issue", draft["id"]), &json!({}));
        case.begun("standard", "2026-10-01");
    }

    fn lines_of_journals_and_of_the_bank_are_in_the_way(database) {
        let case = Case::on(&database);
        case.registered("standard");
        let row = case.row("2026-04-10", "-12.00");
        let coded = json!({ "account_id": case.account_id("7200"), "vat_code": "ST" });
        let confirmed = case.confirm(&row, &coded).expect(200)["data"].clone();
        case.assert_in_the_way(&case.begin("cash", "2026-04-01"), "2026-04-10", &confirmed);
        let mut body = case.two_lines("2026-04-05", "7500", "1200", json!("54.00"));
        body["lines"][0]["vat_code"] = json!("ST");
        let journal = case.made("/journals", &body);
        let posted = json!({ "journal_id": journal["id"] });
        case.assert_in_the_way(&case.begin("cash", "2026-04-01"), "2026-04-05", &posted);
        case.done(&format!("/journals/{}/void", journal["id"]), &json!({}));
        case.assert_in_the_way(&case.begin("cash", "2026-04-01"), "2026-04-10", &confirmed);
        case.done(&format!("/bank-transactions/{}/unconfirm", row["id"]), &json!({}));
        case.begun("cash", "2026-04-01");
    }

    fn what_follows_an_invoice_of_before_is_not_in_the_way(database) {
        let case = Case::on(&database);
        case.registered("cash");
        let before = case.sold("2026-03-10", "ST");
        let other = case.sold("2026-03-11", "ST");
        // Paid, credited and undone after the day, all of it on the basis of the invoice.
        case.receipt("2026-04-05", "120.00", &[(&before, "120.00")]);
        let note = json!({
            "customer_id": case.customer, "credit_note_date": "2026-04-06", "invoice_id": other["id"],
            "lines": [case.line("4000", "10", "ST")]
        });
        case.made("/sales-credit-notes", &note);
        case.done(&format!("/sales-invoices/{}/void", other["id"]), &json!({ "void_date": "2026-04-07" }));
        assert_eq!(case.vat().len(), 1);
        case.begun("standard", "2026-04-01");
        // A credit note for nothing in particular is under the scheme of its own day.
        let note = json!({
            "customer_id": case.customer, "credit_note_date": "2026-07-06", "lines": [case.line("4000", "10", "ST")]
        });
        let note = case.made("/sales-credit-notes", &note);
        case.assert_in_the_way(&case.begin("cash", "2026-07-01"), "2026-07-06", &note);
    }

    fn a_registration_does_not_begin_before_vat_under_another_basis(database) {
        let case = Case::on(&database);
        let posted = case.sold("2026-02-05", "ST");
        for scheme in ["cash", "flat_rate"] {
            let refused = case.change(&registration(scheme, "2026-02-05"));
            case.assert_in_the_way(&refused, "2026-02-05", &posted);
        }
        assert_eq!(case.get("")["data"]["vat_registered"], false);
        // What was posted without a registration is on the standard basis: nothing mixes.
        case.change(&registration("standard", "2026-01-15")).expect(200);
        case.begun("cash", "2026-04-01");
        case.change(&json!({ "vat_registered": false })).expect(200);
        let unpaid = case.sold("2026-05-01", "ST");
        case.assert_in_the_way(&case.change(&registration("standard", "2026-04-15")), "2026-05-01", &unpaid);
        case.change(&registration("flat_rate", "2026-05-02")).expect(200);
    }

    fn another_percentage_begins_on_any_open_day(database) {
        let case = Case::on(&database);
        case.registered("standard");
        case.begun("flat_rate", "2026-01-01");
        let sale = case.sold("2026-02-20", "ST");
        let gross = case.bought("2026-02-20", "ST");
        let percent = |percent: &str, from: &str| case.change(&json!({ "flat_rate_percent": percent, "vat_scheme_from": from }));
        let changed = percent("10.5", "2026-02-17").expect(200)["data"].clone();
        assert_eq!(fields(&changed, &["vat_scheme", "flat_rate_percent", "vat_scheme_from"]), json!(["flat_rate", 10.5, "2026-02-17"]));
        percent("11", "2026-01-05").expect(200);
        case.lock("2026-01-31");
        assert_eq!(reason(&percent("12", "2026-01-31")), "period_locked");
        percent("12", "2026-02-01").expect(200);
        // Before the flat rate began, a percentage would be another scheme.
        case.request("PUT", "/period-lock").json(&json!({ "lock_date": null })).send().expect(200);
        assert_eq!(format_paths(&percent("13", "2025-11-05")), ["vat_scheme_from"]);
        case.sold("2025-12-31", "ST");
        assert_eq!(reason(&percent("13", "2025-10-01")), "vat_already_posted");
        // The bill holds its VAT, so another scheme would lose it, though no entry of VAT says so.
        case.done(&format!("/sales-invoices/{}/void", sale["id"]), &json!({}));
        case.assert_in_the_way(&case.begin("standard", "2026-01-01"), "2026-02-20", &gross);
    }

    fn a_scheme_and_a_sale_of_the_same_moment_agree(database) {
        let case = Case::on(&database);
        case.registered("standard");
        let mut scheme = "standard";
        for year in 2030..2042 {
            let other = if scheme == "standard" { "cash" } else { "standard" };
            let sale = case.sale(&format!("{year}-02-01"), &[case.line("4000", "100", "ST")]);
            let (posted, changed) = std::thread::scope(|scope| {
                let posted = scope.spawn(|| case.post("/sales-invoices", &sale));
                let changed = scope.spawn(|| case.begin(other, &format!("{year}-01-01")));
                (posted.join().unwrap(), changed.join().unwrap())
            });
            let posted = posted.expect(201)["data"].clone();
            if changed.status == 200 {
                scheme = other;
            } else {
                case.assert_in_the_way(&changed, &format!("{year}-02-01"), &posted);
            }
            // Unpaid under cash accounting it has declared nothing; under the standard scheme it has.
            let declared = case.server.vat_by_code(case.id, &format!("{year}-01-01"), &format!("{year}-12-31"));
            assert_eq!(declared.is_empty(), scheme == "cash", "{year}: {scheme}, {declared:?}");
        }
    }

    fn a_scheme_that_was_to_begin_later_is_replaced_for_good(database) {
        let setup = Setup::new().on(&database);
        let case = Case::of(Books::of(setup.clone().start()));
        case.registered("standard");
        case.begun("flat_rate", "2026-07-01");
        case.begun("cash", "2026-04-01");
        // Under the flat rate the expense would have the VAT in it; a restart reads the schemes from the database.
        let Case { books: Books { server, owner, key, id }, customer, supplier, bank } = case;
        let folder = server.folder();
        server.stop();
        let books = Books { server: setup.folder(folder).start(), owner, key, id };
        let case = Case { books, customer, supplier, bank };
        let bill = case.bought("2026-08-05", "ST");
        let sides = case.posted_by(&bill);
        assert_eq!(sides.get("5000"), Some(&10_000), "{sides:?}");
    }
}
