//! The return of a contractor and the statements of its subcontractors: every figure worked by hand.

use serde_json::{Value, json};

use super::trade::fields;
use super::{Books, format_paths, reason};
use crate::support::client::{Answer, keys};
use crate::support::database::on_both_databases;
use crate::support::pdf::read;

const JANUARY: &str = "2026-02-05";
const FEBRUARY: &str = "2026-03-05";

impl Books {
    #[track_caller]
    fn cis_return(&self, end: &str) -> Value {
        self.get(&format!("/cis/returns/{end}"))["data"].clone()
    }

    fn cis_statement(&self, supplier: i64, rest: &str, end: &str) -> Answer {
        self.request("GET", &format!("/suppliers/{supplier}/cis-statement{rest}?tax_month_end={end}")).send()
    }

    /// A bill of labour and materials, without VAT.
    #[track_caller]
    fn work(&self, supplier: i64, date: &str, labour: &str, materials: &str) -> Value {
        let line = |price: &str, cis_type: &str| {
            let mut line = self.item("5100", price, "NV");
            line["cis_type"] = json!(cis_type);
            line
        };
        let lines = [("labour", labour), ("materials", materials)];
        let lines: Vec<Value> =
            lines.iter().filter(|(_, price)| *price != "0").map(|(kind, price)| line(price, kind)).collect();
        self.made("/purchase-invoices", &json!({ "supplier_id": supplier, "invoice_date": date, "lines": lines }))
    }
}

/// The code, supplier, amount, payments and tax month of each warning.
fn warnings(of: &Value) -> Vec<Value> {
    let names = ["code", "supplier_id", "amount", "ids", "tax_month_end"];
    of["warnings"].as_array().unwrap().iter().map(|warning| fields(warning, &names)).collect()
}

/// Supplier, rate, payments, materials and deduction of each row.
fn rows(of: &Value) -> Vec<Value> {
    let names = ["supplier_id", "deduction_rate", "total_payments", "cost_of_materials", "total_deducted"];
    of["subcontractors"].as_array().unwrap().iter().map(|row| fields(row, &names)).collect()
}

on_both_databases! {
    fn the_return_is_the_position_of_its_tax_month_with_what_stands_in_the_way(database) {
        let books = Books::on(&database);
        let reed = books.subcontractor("Reed Carpentry", 20);
        let ash = books.subcontractor("Ash Groundworks", 0);
        let elm = json!({ "name": "Elm Roofing", "cis": { "is_subcontractor": true, "deduction_rate": 30 } });
        let elm = books.made("/suppliers", &elm)["id"].as_i64().unwrap();
        let nil = books.cis_return(JANUARY);
        let mut known = vec![
            "currency", "tax_month_end", "due_date", "payment_due_date", "paye_reference", "accounts_office_reference", "nil_return",
            "subcontractors", "totals", "cis_payable_balance", "warnings",
        ];
        known.sort_unstable();
        assert_eq!(keys(&nil), known);
        assert_eq!(
            fields(&nil, &["currency", "tax_month_end", "due_date", "payment_due_date", "paye_reference", "nil_return", "subcontractors"]),
            json!(["GBP", JANUARY, "2026-02-19", "2026-02-22", null, true, []])
        );
        assert_eq!(warnings(&nil), [json!(["no_paye_reference", null, null, [], null])]);
        let references = json!({ "paye_reference": "123/AB456", "accounts_office_reference": "123PA00045678" });
        books.request("PATCH", "").json(&references).send().expect(200);

        // 1,500.00 of work and 420.00 of materials: 300.00 withheld, 1,620.00 to pay. A third of that is paid.
        let bill = books.work(reed, "2026-01-05", "1500", "420");
        books.payment(reed, "2026-01-20", "540", &[(&bill, "540")]);
        let bill = books.work(ash, "2026-01-05", "100", "0");
        books.payment(ash, "2026-02-05", "100", &[(&bill, "100")]);
        let bill = books.work(elm, "2026-01-05", "1000", "0");
        books.payment(elm, "2026-01-06", "700", &[(&bill, "700")]);
        let advance = books.payment(reed, "2026-01-31", "60", &[]);
        let other = books.payment(reed, "2026-02-01", "5", &[]);
        let plain = books.supplier("Timber Ltd");
        books.payment(plain, "2026-01-31", "70", &[]);

        let january = books.cis_return(JANUARY);
        assert_eq!(
            fields(&january, &["paye_reference", "accounts_office_reference", "nil_return", "cis_payable_balance"]),
            json!(["123/AB456", "123PA00045678", false, 400.0])
        );
        assert_eq!(
            rows(&january),
            [json!([ash, 0, 100.0, 0.0, 0.0]), json!([elm, 30, 1000.0, 0.0, 300.0]), json!([reed, 20, 640.0, 140.0, 100.0])]
        );
        assert_eq!(january["totals"], json!({ "total_payments": 1740.0, "cost_of_materials": 140.0, "total_deducted": 400.0 }));
        assert_eq!(
            fields(&january["subcontractors"][2], &["name", "utr", "verification_number"]),
            json!(["Reed Carpentry", "1234567890", "V1"])
        );
        assert_eq!(
            warnings(&january),
            [
                json!(["unverified", elm, null, [], null]),
                json!(["no_utr", elm, null, [], null]),
                json!(["unallocated_payment", reed, 65.0, [advance["id"], other["id"]], null]),
            ]
        );
        let position = books.get("/cis/position?period_start=2026-01-06&period_end=2026-02-05")["data"].clone();
        let names = ["supplier_id", "deduction_rate", "total_payments", "materials", "deducted"];
        let same: Vec<Value> = position["subcontractors"].as_array().unwrap().iter().map(|row| fields(row, &names)).collect();
        assert_eq!((rows(&january), &january["cis_payable_balance"]), (same, &position["cis_payable_balance"]));

        // A month that nobody was paid in, before and after.
        for end in ["2026-01-05", FEBRUARY] {
            let other = books.cis_return(end);
            assert_eq!(fields(&other, &["nil_return", "warnings"]), json!([true, []]), "{end}");
        }
        // What the advances are set against later changes the later month alone: they were not withheld from when paid.
        let bill = books.work(reed, "2026-02-10", "100", "0");
        let to = json!({ "allocations": [{ "invoice_id": bill["id"], "amount": 60 }] });
        books.done(&format!("/supplier-payments/{}/allocate", advance["id"]), &to);
        assert_eq!(books.cis_return(JANUARY), january);
        assert_eq!(rows(&books.cis_return(FEBRUARY)), [json!([reed, 20, 75.0, 0.0, 15.0])]);
        // A void advance is none, from its date on.
        books.done(&format!("/supplier-payments/{}/void", other["id"]), &json!({ "void_date": "2026-02-05" }));
        assert_eq!(warnings(&books.cis_return(JANUARY))[2], json!(["unallocated_payment", reed, 60.0, [advance["id"]], null]));
    }

    fn what_is_taken_back_later_amends_the_earlier_return(database) {
        let books = Books::on(&database);
        books.request("PATCH", "").json(&json!({ "paye_reference": "123/AB456" })).send().expect(200);
        let reed = books.subcontractor("Reed Carpentry", 20);
        let bill = books.work(reed, "2026-01-05", "1500", "420");
        let payment = books.payment(reed, "2026-01-20", "540", &[(&bill, "540")]);
        books.payment(reed, "2026-01-21", "540", &[(&bill, "540")]);
        let january = books.cis_return(JANUARY);
        assert_eq!(rows(&january), [json!([reed, 20, 1280.0, 280.0, 200.0])]);
        assert_eq!(january["warnings"], json!([]));
        books.done(&format!("/supplier-payments/{}/void", payment["id"]), &json!({ "void_date": "2026-02-10" }));
        assert_eq!(books.cis_return(JANUARY), january);
        let february = books.cis_return(FEBRUARY);
        assert_eq!(rows(&february), [json!([reed, 20, -640.0, -140.0, -100.0])]);
        assert_eq!(fields(&february, &["nil_return", "cis_payable_balance"]), json!([false, 100.0]));
        let negative = json!(["negative", reed, -640.0, [payment["id"]], JANUARY]);
        assert_eq!(warnings(&february), std::slice::from_ref(&negative));
        let message = february["warnings"][0]["message"].as_str().unwrap();
        assert!(message.contains("5 February 2026") && message.contains("payments -£640.00, deducted -£100.00"), "{message}");
        // The row is above zero again when more is paid, and the earlier return is as wrong as before.
        books.payment(reed, "2026-02-20", "1080", &[(&bill, "1080")]);
        let february = books.cis_return(FEBRUARY);
        assert_eq!(rows(&february), [json!([reed, 20, 640.0, 140.0, 100.0])]);
        assert_eq!(warnings(&february), [negative]);
    }

    fn money_a_subcontractor_gives_back_is_a_row_below_zero_too(database) {
        let books = Books::on(&database);
        books.request("PATCH", "").json(&json!({ "paye_reference": "123/AB456" })).send().expect(200);
        let reed = books.subcontractor("Reed Carpentry", 20);
        let bill = books.work(reed, "2026-01-05", "1000", "0");
        books.payment(reed, "2026-01-20", "800", &[(&bill, "800")]);
        let mut line = books.item("5100", "100", "NV");
        line["cis_type"] = json!("labour");
        let note = json!({ "supplier_id": reed, "credit_note_date": "2026-02-10", "lines": [line] });
        let note = books.made("/purchase-credit-notes", &note);
        let refund = books.made("/supplier-payments", &json!({
            "kind": "refund", "supplier_id": reed, "date": "2026-02-15", "amount": "80.00", "bank_account_id": books.bank_id(),
            "allocations": [{ "credit_note_id": note["id"], "amount": "80.00" }],
        }));
        let february = books.cis_return(FEBRUARY);
        assert_eq!(rows(&february), [json!([reed, 20, -100.0, 0.0, -20.0])]);
        assert_eq!(warnings(&february), [json!(["negative", reed, -100.0, [refund["id"]], null])]);
    }

    fn a_return_is_a_file_too(database) {
        let books = Books::on(&database);
        let references = json!({ "paye_reference": "123/AB456", "accounts_office_reference": "123PA00045678" });
        books.request("PATCH", "").json(&references).send().expect(200);
        let reed = books.subcontractor("=Reed, Carpentry", 20);
        let bill = books.work(reed, "2026-01-05", "15000", "4200");
        books.payment(reed, "2026-01-20", "5400", &[(&bill, "5400")]);
        books.payment(reed, "2026-02-01", "60", &[]);
        let file = |end: &str, form: &str| books.request("GET", &format!("/cis/returns/{end}?format={form}")).send();
        let data = books.cis_return(JANUARY);
        assert_eq!(file(JANUARY, "json").expect(200)["data"], data);
        let csv = file(JANUARY, "csv");
        assert_eq!(csv.header("content-disposition"), Some("inline; filename=\"cis-return 2026-02-05.csv\""));
        let subcontractor = fields(&data["subcontractors"][0], &["utr", "verification_number"]);
        let [utr, verified] = [0, 1].map(|at| subcontractor[at].as_str().unwrap());
        let on_account = data["warnings"][0]["message"].as_str().unwrap();
        let expected = format!(
            "section,supplier_id,name,utr,verification_number,deduction_rate,total_payments,cost_of_materials,total_deducted,\
             code,message,tax_month_end,amount\r\n\
             subcontractors,{reed},\"'=Reed, Carpentry\",\"{utr}\",\"{verified}\",20,6400.00,1400.00,1000.00,,,,\r\n\
             totals,,\"Total\",,,,6400.00,1400.00,1000.00,,,,\r\n\
             cis_payable_balance,,\"Owed to HMRC at the end of the tax month\",,,,,,1000.00,,,,\r\n\
             warnings,{reed},,,,,,,,unallocated_payment,\"{on_account}\",,60.00\r\n"
        );
        assert_eq!(csv.text(), expected);
        let printed = file(JANUARY, "pdf");
        assert_eq!(printed.header("content-disposition"), Some("inline; filename=\"cis-return 2026-02-05.pdf\""));
        assert!(file(JANUARY, "pdf").body == printed.body, "the same books, the same bytes");
        if let Some(read) = read(&printed) {
            read.says(&[
                "CIS monthly return", "Tax month 6 Jan 2026 to 5 Feb 2026", "123/AB456", "123PA00045678", "=Reed, Carpentry",
                "6,400.00", "1,400.00", "1,000.00", "due on 19 Feb 2026", "paid to HMRC by 22 Feb 2026", on_account,
            ]);
            assert!(!read.text.contains('_') && !read.text.contains("nil return"), "{}", read.text);
        }
        if let Some(read) = read(&file(FEBRUARY, "pdf")) {
            read.says(&["this is a nil return", "due on 19 Mar 2026"]);
        }
        for form in ["xlsx", "PDF", ""] {
            assert_eq!(format_paths(&file(JANUARY, form)), ["query.format"], "{form}");
        }
        let month = books.request("GET", "/cis/returns/2026-02-06?format=doc").send();
        assert_eq!(format_paths(&month), ["path.tax_month_end"]);
    }

    fn only_a_fifth_ends_a_tax_month(database) {
        let books = Books::on(&database);
        for end in ["2026-02-06", "2026-02-28", "2026-02-30", "2026-2-5", "x", "2200-01-05", "1899-12-05", "0"] {
            let refused = books.request("GET", &format!("/cis/returns/{end}")).send();
            let issue = refused.details(422, "invalid_request_format")["issues"][0].clone();
            assert_eq!(fields(&issue, &["section", "field", "path"]), json!(["path", "tax_month_end", "path.tax_month_end"]), "{end}");
            assert!(issue["message"].as_str().unwrap().contains("a 5th such as 2026-04-05"), "{issue}");
        }
        for end in ["1900-01-05", "2199-12-05"] {
            assert_eq!(books.cis_return(end)["nil_return"], true, "{end}");
        }
        assert_eq!(format_paths(&books.request("GET", "/cis/returns/2026-02-05?month=1").send()), ["query.month"]);
        let reed = books.subcontractor("Reed Carpentry", 20);
        let path = format!("/suppliers/{reed}/cis-statement");
        for rest in ["", "/pdf"] {
            for (query, paths) in [
                ("", vec!["query.tax_month_end"]),
                ("?tax_month_end=2026-02-06", vec!["query.tax_month_end"]),
                ("?tax_month_end=2026-02-05&tax_month_end=2026-02-05", vec!["query.tax_month_end"]),
                ("?tax_month_end=2026-02-05&month=1", vec!["query.month"]),
            ] {
                let refused = books.request("GET", &format!("{path}{rest}{query}")).send();
                assert_eq!(format_paths(&refused), paths, "{rest}{query}");
            }
            // A path that leads nowhere comes before its query.
            books.request("GET", &format!("/suppliers/999999/cis-statement{rest}?x=1")).send().refused(404, "not_found");
        }
    }

    fn a_statement_is_given_where_something_was_withheld(database) {
        let books = Books::on(&database);
        let references = json!({ "legal_name": "Larkspur Joinery Limited", "paye_reference": "123/AB456" });
        books.request("PATCH", "").json(&references).send().expect(200);
        let reed = books.subcontractor("Reed Carpentry", 20);
        let ash = books.subcontractor("Ash Groundworks", 0);
        let bill = books.work(reed, "2026-01-05", "1500", "420");
        let payment = books.payment(reed, "2026-01-20", "540", &[(&bill, "540")]);
        let gross = books.work(ash, "2026-01-05", "100", "0");
        books.payment(ash, "2026-01-20", "100", &[(&gross, "100")]);
        let statement = books.cis_statement(reed, "", JANUARY).expect(200)["data"].clone();
        let at_20 = json!({
            "deduction_rate": 20, "total_payments": 640.0, "cost_of_materials": 140.0, "liable": 500.0, "total_deducted": 100.0
        });
        assert_eq!(statement, json!({
            "currency": "GBP", "tax_month_end": JANUARY, "due_date": "2026-02-19",
            "contractor": { "name": "Larkspur Joinery Limited", "paye_reference": "123/AB456" },
            "subcontractor": { "supplier_id": reed, "name": "Reed Carpentry", "utr": "1234567890", "verification_number": null },
            "deductions": [at_20],
            "totals": { "total_payments": 640.0, "cost_of_materials": 140.0, "total_deducted": 100.0 },
            "warnings": []
        }));
        // At the higher rate the verification number stands in it.
        let higher = json!({ "cis": { "deduction_rate": 30 } });
        books.request("PATCH", &format!("/suppliers/{reed}")).json(&higher).send().expect(200);
        let second = books.work(reed, "2026-01-10", "1000", "0");
        books.payment(reed, "2026-02-05", "700", &[(&second, "700")]);
        let statement = books.cis_statement(reed, "", JANUARY).expect(200)["data"].clone();
        assert_eq!(statement["subcontractor"]["verification_number"], "V1");
        let at_30 = json!({
            "deduction_rate": 30, "total_payments": 1000.0, "cost_of_materials": 0.0, "liable": 1000.0, "total_deducted": 300.0
        });
        assert_eq!(statement["deductions"], json!([at_20, at_30]));
        assert_eq!(statement["totals"], json!({ "total_payments": 1640.0, "cost_of_materials": 140.0, "total_deducted": 400.0 }));
        // What was taken back gives no statement, and neither does a month without payments.
        books.done(&format!("/supplier-payments/{}/void", payment["id"]), &json!({ "void_date": "2026-02-10" }));
        let customer = books.customer("Brightwell School");
        for (supplier, end) in
            [(reed, FEBRUARY), (reed, "2026-01-05"), (ash, JANUARY), (customer, JANUARY), (999_999, JANUARY)]
        {
            for rest in ["", "/pdf"] {
                books.cis_statement(supplier, rest, end).refused(404, "not_found");
            }
        }
        let reader = books.server.key(&books.owner, &["books:read"]);
        let path = books.path(&format!("/suppliers/{reed}/cis-statement?tax_month_end={JANUARY}"));
        assert_eq!(books.server.client.get(&path).key(&reader).send().expect(200)["data"]["totals"], statement["totals"]);
        let writer = books.server.key(&books.owner, &["books:write", "books:send"]);
        for path in [path, books.path("/cis/returns/2026-02-05")] {
            books.server.client.get(&path).key(&writer).send().refused(403, "forbidden");
        }
    }

    fn a_printed_statement_has_what_cis340_asks_for(database) {
        let books = Books::on(&database);
        let change = json!({
            "legal_name": "Larkspur Joinery Limited", "paye_reference": "123/AB456",
            "address": { "line1": "4 Mill Yard", "city": "York", "postcode": "YO1 7EP", "country": "GB" },
        });
        books.request("PATCH", "").json(&change).send().expect(200);
        let reed = books.subcontractor("Reed Carpentry", 20);
        let address = json!({ "address": { "line1": "9 Dock Street", "city": "Hull", "postcode": "HU1 1AA", "country": "GB" } });
        books.request("PATCH", &format!("/suppliers/{reed}")).json(&address).send().expect(200);
        let bill = books.work(reed, "2026-01-05", "15000", "4200");
        books.payment(reed, "2026-01-20", "5400", &[(&bill, "5400")]);
        let printed = books.cis_statement(reed, "/pdf", JANUARY);
        assert_eq!(printed.header("content-disposition"), Some("inline; filename=\"cis-statement 2026-02-05.pdf\""));
        assert_eq!(books.cis_statement(reed, "/pdf", JANUARY).body, printed.body);
        if let Some(read) = read(&printed) {
            assert_eq!(read.pages, 1);
            read.says(&[
                "Payment and deduction statement", "Construction Industry Scheme", "Larkspur Joinery Limited", "4 Mill Yard",
                "Reed Carpentry", "9 Dock Street", "5 Feb 2026", "123/AB456", "1234567890", "Deducted at 20%",
                "Gross amount paid, without VAT 6,400.00", "Cost of materials 1,400.00", "Amount liable to deduction 5,000.00",
                "Amount deducted £1,000.00",
            ]);
            assert!(!read.letters().contains("Verification"), "only at the higher rate");
        }
        let higher = json!({ "cis": { "deduction_rate": 30 } });
        books.request("PATCH", &format!("/suppliers/{reed}")).json(&higher).send().expect(200);
        let second = books.work(reed, "2026-01-10", "1000", "0");
        books.payment(reed, "2026-02-05", "700", &[(&second, "700")]);
        let printed = books.cis_statement(reed, "/pdf", JANUARY);
        if let Some(read) = read(&printed) {
            read.says(&["Deducted at 20%", "Deducted at 30%", "Amount deducted £300.00", "Total", "7,400.00", "£1,300.00", "Verification number", "V1"]);
        }
    }

    fn a_statement_holds_long_names_and_those_the_font_lacks(database) {
        let books = Books::on(&database);
        let name = format!("{} 木", "Wide ".repeat(50));
        let supplier = json!({ "name": name, "cis": { "is_subcontractor": true, "deduction_rate": 30 } });
        let supplier = books.made("/suppliers", &supplier)["id"].as_i64().unwrap();
        let bill = books.work(supplier, "2026-01-05", "9999999.99", "0");
        books.payment(supplier, "2026-01-20", "6999999.99", &[(&bill, "6999999.99")]);
        let printed = books.cis_statement(supplier, "/pdf", JANUARY);
        assert_eq!(printed.header("missing-characters"), Some("U+6728"));
        if let Some(read) = read(&printed) {
            assert_eq!(read.pages, 1);
            read.says(&["Wide Wide Wide", "9,999,999.99", "£3,000,000.00", "Tax month ended", "5 Feb 2026"]);
            // What is not known is left out.
            assert!(!read.letters().contains("Employer"), "{}", read.text);
        }
        let statement = books.cis_statement(supplier, "", JANUARY).expect(200)["data"].clone();
        let codes: Vec<Value> = warnings(&statement).into_iter().map(|warning| warning[0].clone()).collect();
        assert_eq!(codes, ["no_paye_reference", "unverified", "no_utr"]);
    }

    fn a_statement_is_e_mailed_with_its_pdf_and_changes_nothing(database) {
        let books = Books::on(&database);
        books.request("PATCH", "").json(&json!({ "paye_reference": "123/AB456" })).send().expect(200);
        let reed = books.subcontractor("Reed Carpentry", 20);
        let bill = books.work(reed, "2026-01-05", "15000", "4200");
        books.payment(reed, "2026-01-20", "5400", &[(&bill, "5400")]);
        let path = format!("/suppliers/{reed}/cis-statement/email");
        let month = json!({ "tax_month_end": JANUARY });
        // Nobody to send to, nothing withheld, nobody there, no month: nothing is queued.
        let picture = || (books.get("/changes"), books.server.rows_of("email"));
        let before = picture();
        assert_eq!(reason(&books.post(&path, &month)), "no_recipient");
        let written = json!({ "tax_month_end": FEBRUARY, "to": ["reed@example.com"] });
        books.post(&path, &written).refused(404, "not_found");
        let customer = books.customer("Brightwell School");
        let before = (books.get("/changes"), before.1);
        for id in [customer, 999_999] {
            let body = json!({ "tax_month_end": JANUARY, "to": ["reed@example.com"] });
            books.post(&format!("/suppliers/{id}/cis-statement/email"), &body).refused(404, "not_found");
            books.post(&format!("/suppliers/{id}/cis-statement/email"), &json!({})).refused(404, "not_found");
        }
        for (body, paths) in [
            (json!({}), vec!["tax_month_end"]),
            (json!({ "tax_month_end": "2026-02-06" }), vec!["tax_month_end"]),
            (json!({ "tax_month_end": JANUARY, "to": [], "period": 1 }), vec!["period", "to"]),
        ] {
            assert_eq!(format_paths(&books.post(&path, &body)), paths, "{body}");
        }
        let address = json!({ "email": "reed@example.com" });
        assert_eq!(picture(), before);
        books.request("PATCH", &format!("/suppliers/{reed}")).json(&address).send().expect(200);
        let dry = books.post(&format!("{path}?dry_run=true"), &month).expect(200)["data"].clone();
        assert_eq!((&dry["id"], books.server.rows_of("email")), (&Value::Null, 0));

        let supplier = books.get(&format!("/suppliers/{reed}"));
        let alone = books.server.key(&books.owner, &["books:send"]);
        let email = books.server.client.post(&books.path(&path)).key(&alone).json(&month).send().expect(202)["data"].clone();
        assert_eq!(
            fields(&email, &["document_type", "document_id", "period_start", "period_end", "to", "status"]),
            json!(["cis_statement", reed, "2026-01-06", JANUARY, ["reed@example.com"], "queued"])
        );
        assert_eq!(fields(&email, &["subject", "message"]), fields(&dry, &["subject", "message"]));
        assert_eq!(email["subject"], "Payment and deduction statement for the tax month to 5 February 2026 from Larkspur Joinery Ltd");
        let message = email["message"].as_str().unwrap();
        for part in ["Gross amount paid, without VAT: £6,400.00\n", "Cost of materials: £1,400.00\n", "Amount deducted: £1,000.00\n"] {
            assert!(message.contains(part), "{message}");
        }
        books.email_once(&email["id"], "sent");
        let outbox = books.server.outbox();
        assert_eq!(outbox.len(), 1);
        assert!(outbox[0].1.contains("cis-statement 2026-02-05.pdf") && outbox[0].1.contains("JVBERi0xLjc"), "{}", outbox[0].1);
        assert_eq!(books.get(&format!("/suppliers/{reed}")), supplier);
        let history = books.get(&format!("/suppliers/{reed}/history"))["data"].clone();
        let entry = history.as_array().unwrap().iter().find(|entry| entry["action"] == "email").unwrap();
        assert_eq!(entry["summary"], "Payment and deduction statement for the tax month to 5 February 2026 of Reed Carpentry e-mailed");
        let listed = books.get(&format!("/emails?document_type=cis_statement&document_id={reed}"));
        assert_eq!((&listed["data"][0]["id"], &listed["pagination"]["total"]), (&email["id"], &json!(1)));
        // The scope to write sends nothing.
        let writer = books.server.key(&books.owner, &["books:read", "books:write"]);
        books.server.client.post(&books.path(&path)).key(&writer).json(&month).send().refused(403, "forbidden");
        let stale = books.request("POST", &path).header("If-Match", "\"99\"").json(&month).send();
        assert_eq!(reason(&stale), "stale_version");
        let post = || books.request("POST", &path).idempotency_key("once").json(&month).send();
        let (first, again) = (post(), post());
        assert_eq!((first.status, &first.body, again.header("idempotency-replayed")), (202, &again.body, Some("true")));
        assert_eq!(books.server.rows_of("email"), 2);
    }
}
