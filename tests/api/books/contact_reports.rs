//! The reports about customers and suppliers: ageing as of any day, statements, sales and purchases. Each test ends with the
//! naive model.

use serde_json::{Value, json};

use super::contact_reports_naive::{assert_contact_reports, report};
use super::trade::{fields, to_invoices};
use super::{Books, ORGANISATIONS, format_paths};
use crate::support::database::on_both_databases;

/// The amounts of a row of an ageing report, without the total.
fn columns(row: &Value) -> Value {
    fields(row, &["current", "days_1_30", "days_31_60", "days_61_90", "days_over_90", "unallocated"])
}

fn aged(books: &Books, name: &str, day: &str) -> Value {
    report(books, name, &format!("as_of={day}"))
}

/// A journal with lines: account code, debit or credit, amount, contact.
#[track_caller]
fn journal(books: &Books, date: &str, lines: &[(&str, &str, &str, Option<i64>)]) -> Value {
    let line = |(code, side, amount, contact): &(&str, &str, &str, Option<i64>)| {
        let mut line = json!({ "account_code": code });
        line[*side] = json!(amount);
        if let Some(contact) = contact {
            line["contact_id"] = json!(contact);
        }
        line
    };
    let lines: Vec<Value> = lines.iter().map(line).collect();
    books.made("/journals", &json!({ "entry_date": date, "description": "Direct", "lines": lines }))
}

on_both_databases! {
    fn a_day_sees_what_was_open_on_it(database) {
        let books = Books::on(&database);
        let (ada, bob) = (books.customer("Ada"), books.customer("Bob"));
        let line = [books.item("4000", "100", "NV")];
        let invoice = books.made("/sales-invoices", &json!({
            "customer_id": ada, "invoice_date": "2026-01-05", "due_date": "2026-01-31", "lines": line
        }));
        books.receipt(ada, "2026-01-20", "30", &[(&invoice, "30")]);
        let note = books.credit(ada, "2026-02-01", "20");
        let receipt = books.receipt(ada, "2026-02-10", "50", &[]);
        let voided = books.sale(bob, "2026-01-10", "70");
        books.done(&format!("/sales-invoices/{}/void", voided["id"]), &json!({ "void_date": "2026-02-05" }));
        journal(&books, "2026-01-15", &[("1100", "debit", "15", Some(ada)), ("4000", "credit", "15", None)]);
        journal(&books, "2026-01-16", &[("1200", "debit", "5", None), ("1100", "credit", "5", None)]);

        let row = |day: &str, name: &str| {
            let found = aged(&books, "aged-debtors", day);
            let rows = found["rows"].as_array().unwrap();
            rows.iter().find(|row| row["name"] == name).map(columns)
        };
        assert_eq!(aged(&books, "aged-debtors", "2026-01-04")["rows"], json!([]));
        assert_eq!(row("2026-01-19", "Ada"), Some(json!([100.0, 15.0, 0.0, 0.0, 0.0, 0.0])));
        assert_eq!(row("2026-01-20", "Ada"), Some(json!([70.0, 15.0, 0.0, 0.0, 0.0, 0.0])));
        assert_eq!(row("2026-02-04", "Bob"), Some(json!([70.0, 0.0, 0.0, 0.0, 0.0, 0.0])));
        assert_eq!(row("2026-02-05", "Bob"), None);
        assert_eq!(row("2026-02-10", "Ada"), Some(json!([0.0, 85.0, 0.0, 0.0, 0.0, -70.0])));
        let found = aged(&books, "aged-debtors", "2026-02-10");
        let names: Vec<&Value> = found["rows"].as_array().unwrap().iter().map(|row| &row["name"]).collect();
        assert_eq!(names, ["Ada", "Unassigned"]);
        assert_eq!(fields(&found["rows"][1], &["contact_id", "unallocated", "total"]), json!([null, -5.0, -5.0]));
        assert_eq!(fields(&found, &["report", "as_of", "age_by", "contact_id", "difference"]), json!(["aged-debtors", "2026-02-10", "due_date", null, 0.0]));
        assert_eq!(found["control_account_balance"], 10.0);
        let documents = &found["rows"][0]["documents"];
        assert_eq!(documents[0], json!({
            "document_type": "sales_invoice", "id": invoice["id"], "number": "INV-0001", "date": "2026-01-05",
            "due_date": "2026-01-31", "days_overdue": 10, "amount": 100.0, "outstanding": 70.0, "bucket": "days_1_30"
        }));
        assert_eq!(documents[2], json!({
            "document_type": "sales_credit_note", "id": note["id"], "number": "SCN-0001", "date": "2026-02-01",
            "due_date": null, "days_overdue": null, "amount": -20.0, "outstanding": -20.0, "bucket": "unallocated"
        }));
        // What is entered later changes the days from its own date on, and no other.
        let before = aged(&books, "aged-debtors", "2026-02-09");
        books.done(&format!("/customer-receipts/{}/allocate", receipt["id"]), &json!({ "allocations": to_invoices(&[(&invoice, "50")]) }));
        books.done(&format!("/sales-credit-notes/{}/allocate", note["id"]), &json!({ "allocations": to_invoices(&[(&invoice, "20")]), "date": "2026-02-15" }));
        assert_eq!(aged(&books, "aged-debtors", "2026-02-09")["rows"], before["rows"]);
        assert_eq!(row("2026-02-14", "Ada"), Some(json!([0.0, 35.0, 0.0, 0.0, 0.0, -20.0])));
        assert_eq!(row("2026-02-15", "Ada"), Some(json!([0.0, 0.0, 15.0, 0.0, 0.0, 0.0])));
        assert_contact_reports(&books);
    }

    fn columns_begin_where_they_say(database) {
        let books = Books::on(&database);
        let supplier = books.supplier("Timber Ltd");
        let line = [books.item("5000", "100", "NV")];
        books.made("/purchase-invoices", &json!({
            "supplier_id": supplier, "invoice_date": "2025-12-02", "due_date": "2026-01-01", "lines": line
        }));
        for (day, due, own) in [
            ("2025-12-02", "current", "current"),
            ("2026-01-01", "current", "days_1_30"),
            ("2026-01-02", "days_1_30", "days_31_60"),
            ("2026-01-31", "days_1_30", "days_31_60"),
            ("2026-02-01", "days_31_60", "days_61_90"),
            ("2026-03-02", "days_31_60", "days_61_90"),
            ("2026-03-03", "days_61_90", "days_over_90"),
            ("2026-04-01", "days_61_90", "days_over_90"),
            ("2026-04-02", "days_over_90", "days_over_90"),
        ] {
            let found = aged(&books, "aged-creditors", day);
            assert_eq!((&found["totals"][due], &found["rows"][0]["documents"][0]["bucket"]), (&json!(100.0), &json!(due)), "{day}");
            let found = report(&books, "aged-creditors", &format!("as_of={day}&age_by=invoice_date"));
            assert_eq!((&found["totals"][own], &found["age_by"]), (&json!(100.0), &json!("invoice_date")), "{day}");
        }
        // Without a day it is today.
        assert_eq!(report(&books, "aged-creditors", "")["totals"]["total"], 100.0);
        assert_contact_reports(&books);
    }

    fn a_released_allocation_counts_until_it_is_released(database) {
        let books = Books::on(&database);
        let (customer, other) = (books.customer("Ada"), books.customer("Bob"));
        let invoice = books.sale(customer, "2026-01-05", "100");
        let receipt = books.receipt(customer, "2026-01-20", "100", &[(&invoice, "100")]);
        let (sale, note) = (books.sale(other, "2026-01-05", "40"), books.credit(other, "2026-01-10", "40"));
        books.done(&format!("/sales-credit-notes/{}/allocate", note["id"]), &json!({ "allocations": to_invoices(&[(&sale, "40")]) }));
        books.lock("2026-01-31");
        for (path, record) in [("/customer-receipts", &receipt), ("/sales-credit-notes", &note)] {
            let shown = books.get(&format!("{path}/{}", record["id"]))["data"].clone();
            let ids = [&shown["allocations"][0]["id"]];
            books.done(&format!("{path}/{}/unallocate", record["id"]), &json!({ "allocation_ids": ids }));
        }
        assert_eq!(aged(&books, "aged-debtors", "2026-01-31")["rows"], json!([]));
        let found = aged(&books, "aged-debtors", "2026-02-01");
        assert_eq!(fields(&found["rows"][0], &["current", "unallocated", "total"]), json!([100.0, -100.0, 0.0]));
        assert_eq!(fields(&found["rows"][1], &["current", "unallocated", "total"]), json!([40.0, -40.0, 0.0]));
        // A refund gives back what is free; the receipt that it gives back is void later.
        let body = json!({
            "customer_id": customer, "date": "2026-02-03", "amount": 30, "bank_account_id": books.bank_id(), "kind": "refund",
            "allocations": [{ "receipt_id": receipt["id"], "amount": 30 }]
        });
        books.made("/customer-receipts", &body);
        let found = aged(&books, "aged-debtors", "2026-02-03");
        assert_eq!(fields(&found["rows"][0], &["current", "unallocated"]), json!([100.0, -70.0]));
        books.done(&format!("/customer-receipts/{}/void", receipt["id"]), &json!({ "void_date": "2026-02-08" }));
        let found = aged(&books, "aged-debtors", "2026-02-08");
        assert_eq!(fields(&found["rows"][0], &["days_1_30", "unallocated", "total"]), json!([100.0, 30.0, 130.0]), "a refund of nothing is owed");
        assert_contact_reports(&books);
    }

    fn opening_documents_are_there_from_the_day_of_the_opening_balances(database) {
        let books = Books::on(&database);
        let (customer, supplier) = (books.customer("Ada"), books.supplier("Timber Ltd"));
        let body = json!({
            "as_of": "2026-02-28", "lock_period": false, "allow_unassigned": true,
            "lines": [
                { "account_code": "1100", "debit": 510 }, { "account_code": "2100", "credit": 80 },
                { "account_code": "3000", "credit": 430 },
            ],
            "open_documents": [
                { "type": "sales_invoice", "customer_id": customer, "number": "OLD-1", "date": "2025-11-01", "due_date": "2025-12-01", "amount_due": 400 },
                { "type": "sales_invoice", "customer_id": customer, "number": "OLD-2", "date": "2026-01-10", "due_date": "2026-03-10", "amount_due": 150 },
                { "type": "sales_credit_note", "customer_id": customer, "number": "OLDC-1", "date": "2026-01-11", "amount_due": 60 },
                { "type": "purchase_invoice", "supplier_id": supplier, "number": "T-1", "date": "2026-02-01", "due_date": "2026-02-10", "amount_due": 80 },
            ]
        });
        let set = books.made("/opening-balances", &body);
        let invoice = set["documents"].as_array().unwrap().iter().find(|one| one["gross_amount"] == 400.0).unwrap().clone();
        assert_eq!(aged(&books, "aged-debtors", "2026-02-27")["rows"], json!([]));
        let found = aged(&books, "aged-debtors", "2026-02-28");
        assert_eq!(columns(&found["rows"][0]), json!([150.0, 0.0, 0.0, 400.0, 0.0, -60.0]));
        assert_eq!(fields(&found["rows"][1], &["name", "days_1_30", "current", "total"]), json!(["Unassigned", 0.0, 20.0, 20.0]));
        // Money from before is on account until then, whatever it was set against.
        let receipt = books.receipt(customer, "2026-02-10", "400", &[(&invoice, "400")]);
        assert_eq!(receipt["allocations"][0]["date"], "2026-02-28");
        assert_eq!(columns(&aged(&books, "aged-debtors", "2026-02-27")["rows"][0]), json!([0.0, 0.0, 0.0, 0.0, 0.0, -400.0]));
        assert_eq!(columns(&aged(&books, "aged-debtors", "2026-02-28")["rows"][0]), json!([150.0, 0.0, 0.0, 0.0, 0.0, -60.0]));
        let statement = report(&books, &format!("customer-statement/{customer}"), "period_start=2026-02-01&period_end=2026-03-31");
        assert_eq!(statement["lines"][1]["type"], "opening_balance");
        assert_eq!(fields(&statement["lines"][1], &["document_id", "debit", "balance"]), json!([null, 490.0, 90.0]));
        assert_eq!(report(&books, "sales-by-customer", "period_start=2025-11-01&period_end=2026-03-31")["rows"], json!([]));
        assert_contact_reports(&books);
        // They go with their journal.
        books.done(&format!("/customer-receipts/{}/void", receipt["id"]), &json!({ "void_date": "2026-03-02" }));
        books.done(&format!("/journals/{}/void", set["journal"]["id"]), &json!({ "void_date": "2026-03-05" }));
        assert_eq!(aged(&books, "aged-debtors", "2026-03-05")["rows"], json!([]));
        assert_eq!(aged(&books, "aged-creditors", "2026-03-04")["rows"][0]["days_1_30"], 80.0);
        assert_contact_reports(&books);
    }

    fn a_voided_line_is_gone_from_the_day_of_its_reversal(database) {
        let books = Books::on(&database);
        let supplier = books.supplier("Timber Ltd");
        let charge = journal(&books, "2026-01-10", &[("5000", "debit", "60", None), ("2100", "credit", "40", Some(supplier)), ("2100", "credit", "20", None)]);
        journal(&books, "2026-01-12", &[("2100", "debit", "25", Some(supplier)), ("1200", "credit", "25", None)]);
        let found = aged(&books, "aged-creditors", "2026-01-20");
        assert_eq!(columns(&found["rows"][0]), json!([0.0, 40.0, 0.0, 0.0, 0.0, -25.0]));
        assert_eq!(columns(&found["rows"][1]), json!([0.0, 20.0, 0.0, 0.0, 0.0, 0.0]));
        assert_eq!(fields(&found["rows"][0]["documents"][0], &["document_type", "id", "due_date", "days_overdue"]), json!(["journal", charge["id"], "2026-01-10", 10]));
        books.done(&format!("/journals/{}/void", charge["id"]), &json!({ "void_date": "2026-02-01" }));
        assert_eq!(aged(&books, "aged-creditors", "2026-01-31")["totals"]["total"], 35.0);
        let found = aged(&books, "aged-creditors", "2026-02-01");
        assert_eq!(found["rows"].as_array().unwrap().len(), 1);
        assert_eq!(columns(&found["rows"][0]), json!([0.0, 0.0, 0.0, 0.0, 0.0, -25.0]));
        assert_contact_reports(&books);
    }

    fn a_statement_shows_what_was_posted_and_what_is_open(database) {
        let books = Books::on(&database);
        books.vat_control();
        let supplier = books.subcontractor("Reed Carpentry", 20);
        let labour = |price: &str| {
            let mut line = books.item("5100", price, "ST");
            line["cis_type"] = json!("labour");
            line
        };
        let bill = books.made("/purchase-invoices", &json!({
            "supplier_id": supplier, "invoice_date": "2026-01-05", "due_date": "2026-02-04", "supplier_reference": "RC-7",
            "lines": [labour("1000")]
        }));
        let payment = books.payment(supplier, "2026-01-20", "500", &[(&bill, "500")]);
        let later = books.payment(supplier, "2026-01-25", "300", &[]);
        books.done(&format!("/supplier-payments/{}/allocate", later["id"]), &json!({ "allocations": to_invoices(&[(&bill, "200")]) }));
        let statement = report(&books, &format!("supplier-statement/{supplier}"), "period_start=2026-01-01&period_end=2026-01-31");
        let lines = statement["lines"].as_array().unwrap();
        assert_eq!(fields(&lines[0], &["date", "type", "document_type", "document_id", "number", "reference", "due_date", "debit", "credit", "cash", "cis", "balance"]), json!([
            "2026-01-05", "purchase_invoice", "purchase_invoice", bill["id"], "BILL-00001", "RC-7", "2026-02-04", 0.0, 1200.0, null, null, 1200.0
        ]));
        assert_eq!(fields(&lines[1], &["type", "document_id", "journal_id", "number", "debit", "cash", "cis", "balance"]), json!([
            "supplier_payment", payment["id"], payment["journal_id"], "PAY-00001", 600.0, 500.0, 100.0, 600.0
        ]));
        assert_eq!(fields(&lines[2], &["number", "debit", "cash", "cis"]), json!(["PAY-00002", 300.0, 300.0, 0.0]));
        assert_eq!(fields(&lines[3], &["number", "debit", "cash", "cis", "balance"]), json!(["PAY-00002", 40.0, 0.0, 40.0, 260.0]));
        assert_eq!(lines.len(), 4);
        assert_eq!(fields(&statement, &["report", "period_start", "opening_balance", "closing_balance"]), json!(["supplier-statement", "2026-01-01", 0.0, 260.0]));
        assert_eq!(statement["contact"], json!({ "id": supplier, "kind": "supplier", "name": "Reed Carpentry", "reference": null, "is_archived": false }));
        assert_eq!(columns(&statement["ageing"]), json!([360.0, 0.0, 0.0, 0.0, 0.0, -100.0]));
        assert_contact_reports(&books);

        // A void is a line of its own date; both kinds of journal of the payment are reversed.
        books.done(&format!("/supplier-payments/{}/void", later["id"]), &json!({ "void_date": "2026-02-10" }));
        let february = report(&books, &format!("supplier-statement/{supplier}"), "period_start=2026-02-01&period_end=2026-02-28");
        let lines = february["lines"].as_array().unwrap();
        let shown: Vec<Value> = lines.iter().map(|line| fields(line, &["date", "type", "document_type", "document_id", "due_date", "credit", "cash", "cis"])).collect();
        assert_eq!(shown, [
            json!(["2026-02-10", "reversal", "supplier_payment", later["id"], null, 300.0, 300.0, 0.0]),
            json!(["2026-02-10", "reversal", "supplier_payment", later["id"], null, 40.0, 0.0, 40.0]),
        ]);
        assert_eq!(fields(&february, &["opening_balance", "closing_balance"]), json!([260.0, 600.0]));
        // The name is today's, and who is archived is still owed.
        books.request("PATCH", &format!("/suppliers/{supplier}")).json(&json!({ "name": "Reed & Sons" })).send().expect(200);
        books.done(&format!("/suppliers/{supplier}/archive"), &json!({}));
        let statement = report(&books, &format!("supplier-statement/{supplier}"), "period_start=2026-01-01&period_end=2026-01-31");
        assert_eq!(fields(&statement["contact"], &["name", "is_archived"]), json!(["Reed & Sons", true]));
        assert_eq!(aged(&books, "aged-creditors", "2026-02-28")["rows"][0]["name"], "Reed & Sons");
        assert_contact_reports(&books);
    }

    fn a_statement_is_of_a_contact_of_its_kind_here(database) {
        let books = Books::on(&database);
        let (customer, supplier) = (books.customer("Ada"), books.supplier("Timber Ltd"));
        let period = "period_start=2026-01-01&period_end=2026-01-31";
        let other = books.server.person();
        let key = books.server.key(&other, &["books:read", "books:write"]);
        let elsewhere = books.server.client.post(ORGANISATIONS).key(&key).json(&json!({ "name": "Elsewhere" }));
        let elsewhere = elsewhere.send().expect(201)["data"]["id"].as_i64().unwrap();
        let theirs = books.server.client.post(&format!("{}/{elsewhere}/customers", ORGANISATIONS)).key(&key);
        let theirs = theirs.json(&json!({ "name": "Theirs" })).send().expect(201)["data"]["id"].clone();
        let get = |rest: &str| books.request("GET", &format!("/reports/{rest}")).send();
        for path in [
            format!("customer-statement/{supplier}"),
            format!("supplier-statement/{customer}"),
            format!("customer-statement/{theirs}"),
            "customer-statement/999999".to_owned(),
            "customer-statement/0".to_owned(),
            "customer-statement/x".to_owned(),
        ] {
            get(&format!("{path}?{period}")).refused(404, "not_found");
            // The path comes before the query.
            get(&format!("{path}?period_start=x")).refused(404, "not_found");
        }
        assert_eq!(format_paths(&get(&format!("customer-statement/{customer}?period_start=2026-01-01"))), ["query.period_end"]);
        assert_eq!(format_paths(&get(&format!("customer-statement/{customer}?period_start=2026-01-02&period_end=2026-01-01"))), ["query.period_end"]);
        let empty = report(&books, &format!("customer-statement/{customer}"), period);
        assert_eq!(fields(&empty, &["opening_balance", "lines", "closing_balance", "outstanding"]), json!([0.0, [], 0.0, []]));
        for (query, path) in [("age_by=age", "query.age_by"), ("contact_id=x", "query.contact_id"), ("as_of=2026-02-30", "query.as_of")] {
            assert_eq!(format_paths(&get(&format!("aged-debtors?{query}"))), [path]);
        }
        assert_eq!(format_paths(&get("sales-by-customer?period_start=2026-01-01&period_end=2026-01-31&contact_id=0")), ["query.contact_id"]);
        // Nobody's contact, another's and one of the other kind have nothing here.
        books.sale(customer, "2026-01-05", "100");
        for contact in [json!(999_999), theirs, json!(supplier)] {
            let found = report(&books, "aged-debtors", &format!("as_of=2026-01-31&contact_id={contact}"));
            assert_eq!(fields(&found, &["rows", "control_account_balance", "difference"]), json!([[], 0.0, 0.0]));
            let found = report(&books, "sales-by-customer", &format!("{period}&contact_id={contact}"));
            assert_eq!(fields(&found, &["rows", "profit_loss_revenue"]), json!([[], 100.0]));
        }
        assert_contact_reports(&books);
    }

    fn sales_and_purchases_tie_to_the_profit_and_loss_account(database) {
        let books = Books::on(&database);
        books.vat_control();
        let (ada, bob, supplier) = (books.customer("Ada"), books.customer("Bob"), books.supplier("Timber Ltd"));
        // A deposit and a van sold beside the work.
        let lines = [books.item("4000", "100", "ST"), books.item("1310", "50", "NV"), books.item("4900", "-10", "ZR")];
        books.made("/sales-invoices", &json!({ "customer_id": ada, "invoice_date": "2025-12-20", "lines": lines }));
        let sold = books.made("/sales-invoices", &json!({ "customer_id": bob, "invoice_date": "2026-01-05", "lines": [books.item("4000", "30", "ST")] }));
        books.credit(ada, "2026-01-07", "12");
        books.posted("2026-01-08", "1200", "4000", json!(7));
        books.done(&format!("/sales-invoices/{}/void", sold["id"]), &json!({ "void_date": "2026-02-02" }));
        let lines = [books.item("5000", "200", "ST"), books.item("0050", "1000", "ST"), books.item("2400", "40", "NV")];
        books.made("/purchase-invoices", &json!({ "supplier_id": supplier, "invoice_date": "2026-01-05", "lines": lines }));
        let sales = |from: &str, to: &str| report(&books, "sales-by-customer", &format!("period_start={from}&period_end={to}"));
        let row = |row: &Value| fields(row, &["name", "invoice_count", "credit_note_count", "net_amount", "vat_amount", "gross_amount", "percent_of_total"]);
        let found = sales("2025-12-01", "2026-01-31");
        assert_eq!(row(&found["rows"][0]), json!(["Ada", 1, 1, 78.0, 20.0, 98.0, 72.22]));
        assert_eq!(row(&found["rows"][1]), json!(["Bob", 1, 0, 30.0, 6.0, 36.0, 27.78]));
        assert_eq!(fields(&found["totals"], &["invoice_count", "net_amount", "gross_amount"]), json!([2, 108.0, 134.0]));
        assert_eq!(fields(&found, &["other_net", "other_revenue", "profit_loss_revenue"]), json!([50.0, 7.0, 115.0]));
        let found = sales("2026-02-01", "2026-02-28");
        assert_eq!(row(&found["rows"][0]), json!(["Bob", -1, 0, -30.0, -6.0, -36.0, 100.0]));
        // Within one period it is as if it never was.
        assert_eq!(sales("2026-01-01", "2026-02-28")["rows"].as_array().unwrap().len(), 1);
        let bought = report(&books, "purchases-by-supplier", "period_start=2026-01-01&period_end=2026-12-31");
        assert_eq!(row(&bought["rows"][0]), json!(["Timber Ltd", 1, 0, 1240.0, 240.0, 1480.0, 100.0]));
        assert_eq!(fields(&bought, &["capital_net", "other_net", "other_purchases", "profit_loss_costs"]), json!([1000.0, 40.0, 0.0, 200.0]));
        assert_contact_reports(&books);
        // Drafts count nothing, until they are issued.
        let draft = books.made("/sales-invoices", &json!({ "customer_id": ada, "invoice_date": "2026-03-01", "issue": false, "lines": [books.item("4000", "5", "ZR")] }));
        assert_eq!(sales("2026-03-01", "2026-03-31")["rows"], json!([]));
        books.done(&format!("/sales-invoices/{}/issue", draft["id"]), &json!({}));
        assert_eq!(row(&sales("2026-03-01", "2026-03-31")["rows"][0]), json!(["Ada", 1, 0, 5.0, 0.0, 5.0, 100.0]));
        assert_contact_reports(&books);
    }

    fn vat_that_is_not_reclaimed_is_in_the_net_of_purchases(database) {
        let books = Books::on(&database);
        books.vat_control();
        let scheme = json!({
            "vat_registered": true, "vat_number": "GB123456789", "vat_scheme": "flat_rate", "flat_rate_percent": 9.5,
            "vat_scheme_from": "2026-01-01"
        });
        books.request("PATCH", "").json(&scheme).send().expect(200);
        let supplier = books.supplier("Timber Ltd");
        let lines = [books.item("5000", "100", "ST"), books.item("5000", "10", "RR")];
        let bill = books.made("/purchase-invoices", &json!({ "supplier_id": supplier, "invoice_date": "2026-01-05", "lines": lines }));
        let van = [books.item("0050", "3000", "ST"), books.item("7200", "50", "ST")];
        books.made("/purchase-invoices", &json!({ "supplier_id": supplier, "invoice_date": "2026-01-06", "lines": van }));
        let found = report(&books, "purchases-by-supplier", "period_start=2026-01-01&period_end=2026-01-31");
        assert_eq!(fields(&found["totals"], &["net_amount", "vat_amount", "gross_amount"]), json!([3190.5, 600.0, 3790.5]));
        assert_eq!(fields(&found, &["capital_net", "profit_loss_costs"]), json!([3000.0, 190.5]));
        books.done(&format!("/purchase-invoices/{}/void", bill["id"]), &json!({ "void_date": "2026-02-01" }));
        assert_contact_reports(&books);
    }

    fn empty_books_have_empty_reports(database) {
        let books = Books::on(&database);
        for name in ["aged-debtors", "aged-creditors"] {
            let found = aged(&books, name, "2026-01-31");
            assert_eq!(fields(&found, &["rows", "control_account_balance", "difference"]), json!([[], 0.0, 0.0]));
        }
        for name in ["sales-by-customer", "purchases-by-supplier"] {
            let found = report(&books, name, "period_start=2026-01-01&period_end=2026-01-31");
            assert_eq!(found["rows"], json!([]));
            assert_eq!(found["totals"]["percent_of_total"], Value::Null);
        }
        assert_contact_reports(&books);
    }
}
