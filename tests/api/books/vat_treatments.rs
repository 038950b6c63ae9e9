//! How the VAT of a document is declared: under a reverse charge, outside cash accounting, outside the turnover of the flat
//! rate.

use serde_json::{Value, json};

use super::trade::{fields, refusal, side, to_invoices};
use super::{Books, format_paths, reason};
use crate::support::database::{Database, on_both_databases};

/// An organisation under a scheme.
fn under(database: &Database, scheme: Value) -> Books {
    let books = Books::on(database);
    books.vat_control();
    let mut change = json!({ "vat_registered": true, "vat_scheme_from": "2025-04-01" });
    for (key, value) in scheme.as_object().unwrap() {
        change[key] = value.clone();
    }
    books.request("PATCH", "").json(&change).send().expect(200);
    books
}

fn cash() -> Value {
    json!({ "vat_scheme": "cash" })
}

fn flat_rate() -> Value {
    json!({ "vat_scheme": "flat_rate", "flat_rate_percent": 9.5 })
}

/// A line under a reverse charge.
fn charged(books: &Books, account: &str, price: &str, code: &str, charge: &str) -> Value {
    let mut line = books.item(account, price, code);
    line["reverse_charge"] = json!(charge);
    line
}

fn purchase(supplier: i64, date: &str, lines: &[Value]) -> Value {
    json!({ "supplier_id": supplier, "invoice_date": date, "lines": lines })
}

/// What the sub-ledger has of 2026: side, how it is declared, net and VAT in pence.
fn declared(books: &Books) -> Vec<(String, String, i64, i64)> {
    books.server.vat_by_treatment(books.id, "2026-01-01", "2026-12-31")
}

fn entry(side: &str, how: &str, net: i64, vat: i64) -> (String, String, i64, i64) {
    (side.to_owned(), how.to_owned(), net, vat)
}

on_both_databases! {
    fn under_a_reverse_charge_the_supplier_is_owed_the_net(database) {
        let books = Books::on(&database);
        books.vat_control();
        let supplier = books.supplier("S");
        let lines = [
            charged(&books, "5100", "1000.03", "ST", "domestic"),
            charged(&books, "7500", "10.00", "RR", "imported_services"),
            books.item("5000", "100.00", "ST"),
        ];
        let bill = books.made("/purchase-invoices", &purchase(supplier, "2026-01-05", &lines));
        assert_eq!(fields(&bill, &["net_amount", "vat_amount", "gross_amount", "amount_due", "vat_basis"]), json!([1110.03, 20.0, 1130.03, 1130.03, "standard"]));
        let line = |at: usize| fields(&bill["lines"][at], &["net_amount", "vat_amount", "gross_amount", "vat_rate", "reverse_charge", "reverse_charge_vat_amount"]);
        assert_eq!(line(0), json!([1000.03, 0.0, 1000.03, 20, "domestic", 200.01]));
        assert_eq!(line(1), json!([10.0, 0.0, 10.0, 5, "imported_services", 0.5]));
        assert_eq!(line(2), json!([100.0, 20.0, 120.0, 20, null, null]));
        assert_eq!(bill["vat_summary"], json!([
            { "vat_code": "RR", "reverse_charge": "imported_services", "net_amount": 10.0, "vat_amount": 0.0 },
            { "vat_code": "ST", "reverse_charge": null, "net_amount": 100.0, "vat_amount": 20.0 },
            { "vat_code": "ST", "reverse_charge": "domestic", "net_amount": 1000.03, "vat_amount": 0.0 },
        ]));
        assert_eq!(books.sides(&bill["journal_id"]), [
            side("2100", 0.0, 1130.03), side("5100", 1000.03, 0.0), side("7500", 10.0, 0.0), side("5000", 100.0, 0.0),
            side("2200", 20.0, 0.0), side("2200", 200.51, 0.0), side("2200", 0.0, 200.51),
        ]);
        let expected = [
            entry("input", "RR standard imported_services", 1_000, 50),
            entry("input", "ST standard", 10_000, 2_000),
            entry("input", "ST standard domestic", 100_003, 20_001),
        ];
        assert_eq!(declared(&books), expected);

        // A credit note mirrors it, and a void undoes it.
        let note = books.made("/purchase-credit-notes", &json!({
            "supplier_id": supplier, "credit_note_date": "2026-01-06", "invoice_id": bill["id"], "lines": [lines[0]]
        }));
        assert_eq!(books.sides(&note["journal_id"]), [
            side("2100", 1000.03, 0.0), side("5100", 0.0, 1000.03), side("2200", 200.01, 0.0), side("2200", 0.0, 200.01),
        ]);
        assert_eq!(declared(&books)[2], entry("input", "ST standard domestic", 0, 0));
        books.done(&format!("/purchase-credit-notes/{}/void", note["id"]), &json!({}));
        assert_eq!(declared(&books), expected);
        let void = books.done(&format!("/purchase-invoices/{}/void", bill["id"]), &json!({ "void_date": "2026-01-07" }));
        assert_eq!(void["status"], "void");
        assert!(declared(&books).iter().all(|(_, _, net, vat)| (*net, *vat) == (0, 0)), "{:?}", declared(&books));
        assert_eq!(books.account("2200")["balance"], 0.0);
    }

    fn a_sale_under_a_reverse_charge_has_no_vat(database) {
        // Nothing of it is posted to VAT Control, so there need not be one.
        let books = Books::on(&database);
        let customer = books.customer("Main contractor");
        let mut line = charged(&books, "4000", "1200.00", "ST", "domestic");
        line["quantity"] = json!(2);
        let body = json!({ "customer_id": customer, "invoice_date": "2026-01-05", "vat_inclusive": true, "lines": [line] });
        let invoice = books.made("/sales-invoices", &body);
        assert_eq!(fields(&invoice, &["net_amount", "vat_amount", "gross_amount"]), json!([2400.0, 0.0, 2400.0]));
        assert_eq!(fields(&invoice["lines"][0], &["vat_rate", "reverse_charge", "reverse_charge_vat_amount", "vat_basis"]), json!([20, "domestic", 480.0, null]));
        assert_eq!(books.sides(&invoice["journal_id"]), [side("1100", 2400.0, 0.0), side("4000", 0.0, 2400.0)]);
        assert_eq!(declared(&books), [entry("output", "ST standard domestic", 240_000, 0)]);
    }

    fn a_reverse_charge_is_declared_at_the_date_under_cash_accounting(database) {
        let books = under(&database, cash());
        let (supplier, customer) = (books.supplier("S"), books.customer("C"));
        let lines = [charged(&books, "5100", "100.00", "ST", "domestic"), books.item("5000", "50.00", "ST")];
        let bill = books.made("/purchase-invoices", &purchase(supplier, "2026-01-05", &lines));
        assert_eq!(bill["vat_basis"], "cash");
        let at_once = entry("input", "ST standard domestic", 10_000, 2_000);
        assert_eq!(declared(&books), std::slice::from_ref(&at_once));
        // Half of what is owed brings half of the VAT that is charged, and nothing more of the other.
        books.payment(supplier, "2026-02-05", "80.00", &[(&bill, "80.00")]);
        assert_eq!(declared(&books), [entry("input", "ST cash", 2_500, 500), at_once.clone()]);
        // The entry names what paid for it, and nothing else.
        assert_eq!(books.server.rows_of("vat_entry where settlement_id = 1 and journal_id is null"), 1);
        assert_eq!(books.server.rows_of("vat_entry where settlement_id is null"), 1);
        books.payment(supplier, "2026-02-06", "80.00", &[(&bill, "80.00")]);
        assert_eq!(declared(&books), [entry("input", "ST cash", 5_000, 1_000), at_once.clone()]);
        let sale = json!({
            "customer_id": customer, "invoice_date": "2026-01-05", "lines": [charged(&books, "4000", "10.00", "RR", "domestic")]
        });
        books.made("/sales-invoices", &sale);
        assert_eq!(declared(&books)[2], entry("output", "RR standard domestic", 1_000, 0));
    }

    fn a_reverse_charge_is_outside_the_turnover_of_the_flat_rate(database) {
        let books = under(&database, flat_rate());
        let (supplier, customer) = (books.supplier("S"), books.customer("C"));
        let lines = [charged(&books, "5100", "100.00", "ST", "domestic"), books.item("5000", "50.00", "ST")];
        let bill = books.made("/purchase-invoices", &purchase(supplier, "2026-01-05", &lines));
        assert_eq!(books.sides(&bill["journal_id"]), [
            side("2100", 0.0, 160.0), side("5100", 100.0, 0.0), side("5000", 60.0, 0.0), side("2200", 20.0, 0.0), side("2200", 0.0, 20.0),
        ]);
        let sale = json!({
            "customer_id": customer, "invoice_date": "2026-01-05",
            "lines": [charged(&books, "4000", "10.00", "ST", "domestic"), books.item("4000", "10.00", "ST")]
        });
        books.made("/sales-invoices", &sale);
        assert_eq!(declared(&books), [
            entry("input", "ST standard domestic", 10_000, 2_000),
            entry("output", "ST flat_rate", 1_000, 200),
            entry("output", "ST standard domestic", 1_000, 0),
        ]);
    }

    fn cis_is_withheld_from_labour_under_a_reverse_charge_as_ever(database) {
        let books = Books::on(&database);
        books.vat_control();
        let supplier = books.subcontractor("Reed Carpentry", 20);
        let mut labour = charged(&books, "5100", "1500.00", "ST", "domestic");
        labour["cis_type"] = json!("labour");
        let mut materials = charged(&books, "5100", "420.00", "ST", "domestic");
        materials["cis_type"] = json!("materials");
        let bill = books.made("/purchase-invoices", &purchase(supplier, "2026-01-05", &[labour, materials]));
        assert_eq!(fields(&bill["cis"], &["labour_net", "materials_net", "deduction", "payable"]), json!([1500.0, 420.0, 300.0, 1620.0]));
        let paid = books.payment(supplier, "2026-01-20", "1620.00", &[(&bill, "1620.00")]);
        assert_eq!(fields(&paid, &["cis_amount", "settled_amount"]), json!([300.0, 1920.0]));
        assert_eq!(books.account("2100")["balance"], 0.0);
    }

    fn a_reverse_charge_needs_a_rate_and_has_no_vat_of_its_own(database) {
        let books = Books::on(&database);
        let (supplier, customer) = (books.supplier("S"), books.customer("C"));
        let bill = |line: Value| books.post("/purchase-invoices", &purchase(supplier, "2026-01-05", &[line]));
        assert_eq!(reason(&bill(charged(&books, "5100", "100", "ST", "domestic"))), "vat_control_required");
        books.vat_control();
        let before = books.picture();
        for code in ["ZR", "EX", "NV"] {
            assert_eq!(format_paths(&bill(charged(&books, "5100", "100", code, "domestic"))), ["lines[0].reverse_charge"], "{code}");
        }
        let mut with_vat = charged(&books, "5100", "100", "ST", "domestic");
        with_vat["vat_amount"] = json!("20.00");
        assert_eq!(
            refusal(&bill(with_vat.clone())),
            json!({ "reason": "vat_amount_out_of_tolerance", "field": "lines[0].vat_amount", "expected": 0.0, "actual": 20.0 })
        );
        assert_eq!(format_paths(&bill(charged(&books, "5100", "100", "ST", "foreign"))), ["lines[0].reverse_charge"]);
        let sale = |line: Value| books.post("/sales-invoices", &json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": [line] }));
        assert_eq!(format_paths(&sale(charged(&books, "4000", "100", "ST", "imported_services"))), ["lines[0].reverse_charge"]);
        assert_eq!(books.picture(), before);
        with_vat["vat_amount"] = json!("0.00");
        bill(with_vat).expect(201);
    }

    fn a_draft_keeps_its_reverse_charge_until_it_is_issued(database) {
        let books = Books::on(&database);
        books.vat_control();
        let supplier = books.supplier("S");
        let mut body = purchase(supplier, "2026-01-05", &[charged(&books, "5100", "100", "ST", "domestic")]);
        body["issue"] = json!(false);
        body["vat_basis"] = json!("standard");
        let draft = books.made("/purchase-invoices", &body);
        assert_eq!(fields(&draft, &["status", "vat_amount", "vat_basis"]), json!(["draft", 0.0, "standard"]));
        assert_eq!(declared(&books), []);
        let path = format!("/purchase-invoices/{}", draft["id"]);
        let patched = books.request("PATCH", &path).json(&json!({ "notes": "x", "vat_basis": null })).send().expect(200);
        assert_eq!((&patched["data"]["vat_basis"], &patched["data"]["lines"][0]["reverse_charge"]), (&Value::Null, &json!("domestic")));
        let issued = books.request("POST", &format!("{path}/issue")).send().expect(200)["data"].clone();
        assert_eq!(fields(&issued, &["status", "vat_basis"]), json!(["issued", "standard"]));
        assert_eq!(declared(&books), [entry("input", "ST standard domestic", 10_000, 2_000)]);
        // Issued in one request and voided in the next, it leaves nothing.
        books.done(&format!("{path}/void"), &json!({}));
        assert_eq!(declared(&books), [entry("input", "ST standard domestic", 0, 0)]);
    }

    fn a_row_of_an_import_may_be_under_a_reverse_charge(database) {
        let books = Books::on(&database);
        books.vat_control();
        let supplier = books.supplier("S");
        let rows = [
            purchase(supplier, "2026-01-05", &[charged(&books, "5100", "100", "ST", "domestic")]),
            purchase(supplier, "2026-01-05", &[charged(&books, "5100", "100", "ZR", "domestic")]),
        ];
        let preview = books.made("/imports", &json!({ "kind": "purchase_invoices", "rows": rows }));
        assert_eq!(fields(&preview, &["rows_valid", "rows_invalid"]), json!([1, 1]));
        assert_eq!(preview["issues"][0]["path"], "rows[1].lines[0].reverse_charge");
        let confirm = json!({ "token": preview["token"], "skip_invalid": true });
        books.done(&format!("/imports/{}/confirm", preview["id"]), &confirm);
        assert_eq!(declared(&books), [entry("input", "ST standard domestic", 10_000, 2_000)]);
    }

    fn a_document_outside_cash_accounting_is_declared_at_its_date(database) {
        let books = under(&database, cash());
        let customer = books.customer("C");
        let sale = |basis: Value, due: Value| {
            let lines = [books.item("4000", "100.00", "ST")];
            let body = json!({ "customer_id": customer, "invoice_date": "2025-08-31", "due_date": due, "vat_basis": basis, "lines": lines });
            books.made("/sales-invoices", &body)["vat_basis"].clone()
        };
        let none = Value::Null;
        assert_eq!(sale(none.clone(), none.clone()), "cash");
        assert_eq!(sale(json!("standard"), none.clone()), "standard");
        // Six months later is the last day of February, which has no 31st.
        assert_eq!(sale(none.clone(), json!("2026-02-28")), "cash");
        assert_eq!(sale(none, json!("2026-03-01")), "standard");
        let of_august = books.server.vat_by_treatment(books.id, "2025-08-31", "2025-08-31");
        assert_eq!(of_august, [entry("output", "ST standard", 20_000, 4_000)]);
        // Its payment declares nothing more, and a credit note takes back what was declared.
        let invoice = books.get("/sales-invoices/2")["data"].clone();
        books.receipt(customer, "2026-01-10", "60.00", &[(&invoice, "60.00")]);
        assert_eq!(declared(&books), []);
        let note = json!({
            "customer_id": customer, "credit_note_date": "2026-01-11", "invoice_id": 2, "lines": [books.item("4000", "10.00", "ST")]
        });
        let note = books.made("/sales-credit-notes", &note);
        assert_eq!(note["vat_basis"], "standard");
        assert_eq!(declared(&books), [entry("output", "ST standard", -1_000, -200)]);
        books.done(&format!("/sales-credit-notes/{}/allocate", note["id"]), &json!({ "allocations": to_invoices(&[(&invoice, "12.00")]) }));
        assert_eq!(declared(&books), [entry("output", "ST standard", -1_000, -200)]);
    }

    fn a_basis_that_a_document_cannot_have_is_refused(database) {
        let books = under(&database, flat_rate());
        let customer = books.customer("C");
        let body = |basis: &str, line: Value| json!({ "customer_id": customer, "invoice_date": "2026-01-05", "vat_basis": basis, "lines": [line] });
        let before = books.picture();
        let plain = books.item("4000", "100.00", "ST");
        for basis in ["standard", "cash", "flat_rate", ""] {
            assert_eq!(format_paths(&books.post("/sales-invoices", &body(basis, plain.clone()))), ["vat_basis"], "{basis}");
        }
        let mut of_line = plain.clone();
        of_line["vat_basis"] = json!("standard");
        let sale = json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": [of_line] });
        assert_eq!(format_paths(&books.post("/sales-invoices", &sale)), ["lines[0].vat_basis"]);
        let supplier = books.supplier("S");
        let bill = purchase(supplier, "2026-01-05", &[of_line.clone()]);
        assert_eq!(format_paths(&books.post("/purchase-invoices", &bill)), ["lines[0].vat_basis"]);
        assert_eq!(books.picture()[4..], before[4..]);
        // What an invoice under the flat rate takes back is under the flat rate too.
        let invoice = books.made("/sales-invoices", &json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": [plain] }));
        let note = json!({
            "customer_id": customer, "credit_note_date": "2026-01-06", "invoice_id": invoice["id"], "vat_basis": "standard",
            "lines": [books.item("4000", "10.00", "ST")]
        });
        assert_eq!(format_paths(&books.post("/sales-credit-notes", &note)), ["vat_basis"]);
    }

    fn a_fixed_asset_is_sold_outside_the_flat_rate_when_it_says_so(database) {
        let books = under(&database, flat_rate());
        let customer = books.customer("C");
        let mut van = books.item("0050", "1000.00", "ST");
        van["vat_basis"] = json!("standard");
        let lines = [van.clone(), books.item("0050", "100.00", "ST"), books.item("4000", "10.00", "ST")];
        let invoice = books.made("/sales-invoices", &json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": lines }));
        assert_eq!(invoice["vat_basis"], "flat_rate");
        let basis = |at: usize| invoice["lines"][at]["vat_basis"].clone();
        assert_eq!([basis(0), basis(1), basis(2)], [json!("standard"), Value::Null, Value::Null]);
        let expected = [entry("output", "ST flat_rate", 11_000, 2_200), entry("output", "ST standard", 100_000, 20_000)];
        assert_eq!(declared(&books), expected);
        let note = books.made("/sales-credit-notes", &json!({
            "customer_id": customer, "credit_note_date": "2026-01-06", "invoice_id": invoice["id"], "lines": [van]
        }));
        assert_eq!(declared(&books)[1], entry("output", "ST standard", 0, 0));
        books.done(&format!("/sales-credit-notes/{}/void", note["id"]), &json!({}));
        books.done(&format!("/sales-invoices/{}/void", invoice["id"]), &json!({ "void_date": "2026-01-07" }));
        assert!(declared(&books).iter().all(|(_, _, net, vat)| (*net, *vat) == (0, 0)), "{:?}", declared(&books));
    }
}
