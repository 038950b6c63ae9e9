//! PDF of documents over HTTP: what stands in them, read by programs that are not ours (poppler, qpdf).

use serde_json::{Value, json};

use super::{Books, ORGANISATIONS, format_paths, reason};
use crate::support::client::Answer;
use crate::support::database::on_both_databases;
use crate::support::pdf::read;

fn pdf(books: &Books, path: &str, record: &Value) -> Answer {
    books.request("GET", &format!("{path}/{}/pdf", record["id"])).send()
}

/// An organisation with all that invoices show.
fn prepared(books: &Books) -> i64 {
    books.vat_control();
    let bank = books.bank_id();
    let account = json!({ "bank_name": "Bank of York", "sort_code": "12-34-56", "account_number": "12345678" });
    books.request("PATCH", &format!("/bank-accounts/{bank}")).json(&account).send().expect(200);
    let change = json!({
        "legal_name": "Larkspur Joinery Limited", "company_number": "09876543", "vat_registered": true,
        "vat_scheme": "standard", "vat_scheme_from": "2026-01-01", "vat_number": "GB123456789",
        "address": { "line1": "4 Mill Yard", "city": "York", "postcode": "YO1 7EP", "country": "GB" },
        "email": "accounts@larkspur.example", "phone": "01904 555 0123", "payment_bank_account_id": bank,
        "invoice_footer": "Thank you for your business.", "paye_reference": "123/AB456",
        "accounts_office_reference": "123PA00045678",
    });
    let changed = books.request("PATCH", "").json(&change).send().expect(200)["data"].clone();
    for field in
        ["email", "phone", "payment_bank_account_id", "invoice_footer", "paye_reference", "accounts_office_reference"]
    {
        assert_eq!(changed[field], change[field], "{field}");
    }
    assert_eq!(books.get("")["data"], changed);
    let customer = json!({
        "name": "Brightwell School", "contact_name": "P. Ash", "vat_number": "GB987654321",
        "address": { "line1": "1 School Lane", "city": "Leeds", "postcode": "LS1 1AA", "country": "GB" }
    });
    books.made("/customers", &customer)["id"].as_i64().unwrap()
}

on_both_databases! {
    fn an_invoice_shows_what_notice_700_asks(database) {
        let books = Books::on(&database);
        let customer = prepared(&books);
        let item = |text: &str, price: &str, code: &str, more: Value| {
            let mut line = books.item("4000", price, code);
            line["description"] = json!(text);
            line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            line
        };
        let lines = json!([
            item("Brass hinge set", "10.03", "ST", json!({ "quantity": "2.5", "discount_percent": 10 })),
            item("Oak door", "1250", "RR", json!({})),
            item("Deposit already billed", "-100", "RR", json!({})),
            item("Books", "5.5", "ZR", json!({ "quantity": 3 })),
        ]);
        let body = json!({
            "customer_id": customer, "invoice_date": "2026-03-01", "due_date": "2026-03-31", "reference": "PO 8812",
            "notes": "Delivered on site.\nTwo lines.", "lines": lines
        });
        let invoice = books.made("/sales-invoices", &body);
        let answer = pdf(&books, "/sales-invoices", &invoice);
        let number = invoice["invoice_number"].as_str().unwrap();
        assert_eq!(answer.header("content-disposition"), Some(format!("inline; filename=\"{number}.pdf\"").as_str()));
        assert_eq!((answer.header("missing-characters"), answer.header("x-content-type-options")), (None, Some("nosniff")));
        assert!(answer.body.len() <= 60 * 1024, "{} bytes", answer.body.len());
        assert_eq!(pdf(&books, "/sales-invoices", &invoice).body, answer.body, "the same version gives the same bytes");
        let Some(read) = read(&answer) else { return };
        assert_eq!(read.pages, 1);
        read.says(&[
            "Larkspur Joinery Limited", "4 Mill Yard", "YO1 7EP", "VAT number GB123456789", "Company number 09876543",
            "01904 555 0123", "accounts@larkspur.example", "Brightwell School", "1 School Lane", "VAT number GB987654321",
            number, "Invoice date and tax point", "1 Mar 2026", "31 Mar 2026", "PO 8812",
            "Brass hinge set 2.50 10.03 10% 20% 22.57 4.51", "Oak door 1 1,250.00 5% 1,250.00 62.50", "-100.00",
            "Total without VAT 1,189.07", "VAT at 20% on 22.57 4.51", "VAT at 5% on 1,150.00 57.50",
            "VAT at 0% on 16.50 0.00", "Total VAT 62.01", "Total £1,251.08", "Amount due £1,251.08",
            "Payment details", "Bank of York", "Sort code 12-34-56", "Account number 12345678",
            "Delivered on site.", "Two lines.", "Thank you for your business.", "Page 1 of 1",
        ]);
        assert!(!read.text.contains("DRAFT") && !read.text.contains("VOID"));
        books.receipt(customer, "2026-03-05", "251.08", &[(&invoice, "251.08")]);
        let paid = pdf(&books, "/sales-invoices", &invoice);
        assert_ne!(paid.body, answer.body);
        if let Some(read) = self::read(&paid) {
            read.says(&["Paid -251.08", "Amount due £1,000.00"]);
        }
    }

    fn drafts_and_void_documents_say_so(database) {
        let books = Books::on(&database);
        let customer = prepared(&books);
        let body = json!({
            "customer_id": customer, "invoice_date": "2026-03-01", "lines": [books.item("4000", "0", "ST")], "issue": false
        });
        let draft = books.made("/sales-invoices", &body);
        let answer = pdf(&books, "/sales-invoices", &draft);
        let name = format!("inline; filename=\"invoice-draft-{}.pdf\"", draft["id"]);
        assert_eq!(answer.header("content-disposition"), Some(name.as_str()));
        if let Some(read) = read(&answer) {
            read.says(&["DRAFT", "Total £0.00"]);
            assert!(!read.text.contains("Amount due"));
        }
        let issued = books.done(&format!("/sales-invoices/{}/issue", draft["id"]), &json!({}));
        if let Some(read) = read(&pdf(&books, "/sales-invoices", &issued)) {
            read.says(&["Amount due £0.00"]);
            assert!(!read.text.contains("DRAFT") && !read.text.contains("Payment details"));
        }
        let void = json!({ "void_date": "2026-03-02" });
        let issued = books.done(&format!("/sales-invoices/{}/void", issued["id"]), &void);
        if let Some(read) = read(&pdf(&books, "/sales-invoices", &issued)) {
            read.says(&["VOID from 2 Mar 2026"]);
        }
        let invoice = books.sale(customer, "2026-03-03", "100");
        let credit = json!({
            "customer_id": customer, "credit_note_date": "2026-03-04", "invoice_id": invoice["id"],
            "lines": [books.item("4000", "30", "ST")]
        });
        let credit = books.made("/sales-credit-notes", &credit);
        let allocations = json!({ "allocations": [{ "invoice_id": invoice["id"], "amount": 20 }] });
        books.done(&format!("/sales-credit-notes/{}/allocate", credit["id"]), &allocations);
        if let Some(read) = read(&pdf(&books, "/sales-credit-notes", &credit)) {
            let of = invoice["invoice_number"].as_str().unwrap();
            read.says(&["Credit note", credit["credit_note_number"].as_str().unwrap(), "For invoice", of]);
            read.says(&["Total £36.00", "Set against invoices -20.00", "Left to credit £16.00"]);
        }
        if let Some(read) = read(&pdf(&books, "/sales-invoices", &invoice)) {
            read.says(&["Credited -20.00", "Amount due £80.00"]);
        }
    }

    fn long_texts_wrap_and_five_hundred_lines_go_over_pages(database) {
        let books = Books::on(&database);
        prepared(&books);
        let (word, words) = ("W".repeat(255), "Ärger mit Öfen ".repeat(17));
        let change = json!({ "name": word, "legal_name": "M".repeat(255), "address": { "line1": "X".repeat(255) } });
        books.request("PATCH", "").json(&change).send().expect(200);
        let address = json!({ "line1": word, "line2": word, "city": word, "region": word, "postcode": word });
        let customer = books.made("/customers", &json!({ "name": words.trim(), "address": address }))["id"].clone();
        let mut line = books.item("4000", "-99999999.9999", "ST");
        line["quantity"] = json!("-1.5");
        line["description"] = json!("description ".repeat(41));
        let mut lines = vec![line.clone()];
        line["description"] = json!("Z".repeat(500));
        lines.push(line);
        for number in 3..=500 {
            let mut line = books.item("4000", "1234.5678", "RR");
            line["description"] = json!(format!("Row <b>{number}</b> #end $x^2$ \\input{{/etc/passwd}}"));
            lines.push(line);
        }
        let body = json!({
            "customer_id": customer, "invoice_date": "2026-03-01", "reference": "R".repeat(100),
            "invoice_number": format!("№\"{}", "A8".repeat(24)), "notes": "n".repeat(2000), "lines": lines
        });
        let invoice = books.made("/sales-invoices", &body);
        let answer = pdf(&books, "/sales-invoices", &invoice);
        let disposition = answer.header("content-disposition").unwrap();
        assert!(disposition.starts_with("inline; filename=\"--A8A8") && disposition.contains("filename*=UTF-8''%E2%84%96%22A8A8"));
        assert_eq!(answer.header("missing-characters"), None);
        let Some(read) = read(&answer) else { return };
        assert!((10..40).contains(&read.pages), "{} pages", read.pages);
        let heads = read.text.matches("Description").count();
        assert!(heads >= read.pages - 3, "{heads} heads on {} pages", read.pages);
        for number in 3..=500 {
            // What people type is text, and no row is left out.
            assert!(read.letters().contains(&format!("Row<b>{number}</b>#end$x^2$\\input{{/etc/passwd}}")), "{number}");
        }
        read.says(&["-1.50", "-99,999,999.9999", "150,000,000.00", &"n".repeat(60)]);
        assert!(read.text.contains(&format!("Page {0} of {0}", read.pages)));
    }

    fn what_the_font_lacks_is_named(database) {
        let books = Books::on(&database);
        prepared(&books);
        let customer = books.customer("中 Łukasz 文中 🙂 Σίσυφος\u{202e}\u{200b}");
        let mut line = books.item("4000", "1", "ST");
        line["description"] = json!("a private \u{e001} and a control \u{1} letter");
        let body = json!({ "customer_id": customer, "invoice_date": "2026-03-01", "lines": [line] });
        let invoice = books.made("/sales-invoices", &body);
        let answer = pdf(&books, "/sales-invoices", &invoice);
        assert_eq!(answer.header("missing-characters"), Some("U+0001, U+4E2D, U+6587, U+E001, U+1F642"));
        if let Some(read) = read(&answer) {
            // A reader that copies the text gets what was typed.
            read.says(&["中 Łukasz 文中 🙂 Σίσυφος"]);
        }
    }

    fn receipts_and_remittances_show_what_they_settle(database) {
        let books = Books::on(&database);
        let customer = prepared(&books);
        let invoice = books.sale(customer, "2026-03-01", "100");
        let receipt = books.receipt(customer, "2026-03-05", "150", &[(&invoice, "100")]);
        let answer = pdf(&books, "/customer-receipts", &receipt);
        assert_eq!(answer.header("content-disposition"), Some("inline; filename=\"RCP-00001.pdf\""));
        if let Some(read) = read(&answer) {
            let number = invoice["invoice_number"].as_str().unwrap();
            read.says(&["Receipt RCP-00001", "Received from", "Brightwell School", &format!("Invoice {number} 100.00 100.00")]);
            read.says(&["Not yet set against a document 50.00", "Amount received £150.00"]);
        }
        let supplier = books.subcontractor("Reed Carpentry", 20);
        let mut line = books.item("5000", "1000", "ST");
        line["cis_type"] = json!("labour");
        let bill = json!({
            "supplier_id": supplier, "invoice_date": "2026-03-01", "supplier_reference": "RC-77", "lines": [line]
        });
        let bill = books.made("/purchase-invoices", &bill);
        let payment = books.payment(supplier, "2026-03-06", "500", &[(&bill, "500")]);
        let answer = pdf(&books, "/supplier-payments", &payment);
        assert_eq!(answer.header("content-disposition"), Some("inline; filename=\"PAY-00001.pdf\""));
        if let Some(read) = read(&answer) {
            let number = bill["number"].as_str().unwrap();
            read.says(&["Remittance advice PAY-00001", "Paid to", "Reed Carpentry"]);
            read.says(&[&format!("Invoice {number} RC-77 600.00 100.00 500.00")]);
            read.says(&["Deducted under the Construction Industry Scheme -100.00", "Amount paid £500.00"]);
        }
        books.done(&format!("/supplier-payments/{}/void", payment["id"]), &json!({ "void_date": "2026-03-07" }));
        if let Some(read) = read(&pdf(&books, "/supplier-payments", &payment)) {
            read.says(&["VOID from 7 Mar 2026"]);
        }
    }

    fn printing_is_refused_as_reading_is(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let invoice = books.sale(customer, "2026-03-01", "100");
        let path = format!("/sales-invoices/{}/pdf", invoice["id"]);
        for (path, status) in [
            ("/sales-invoices/999999/pdf", 404),
            ("/sales-invoices/x/pdf", 404),
            ("/sales-credit-notes/1/pdf", 404),
            ("/customer-receipts/1/pdf", 404),
            ("/supplier-payments/1/pdf", 404),
            (format!("{path}?format=pdf").as_str(), 422),
        ] {
            assert_eq!(books.request("GET", path).send().status, status, "{path}");
        }
        let other = books.server.key(&books.owner, &["books:write"]);
        assert_eq!(books.server.client.get(&books.path(&path)).key(&other).send().status, 403);
        assert_eq!(books.request("POST", &path).send().status, 405);
    }

    fn the_bank_account_of_invoices_is_one_of_the_organisation(database) {
        let books = Books::on(&database);
        let other = Books::on(&database);
        let before = books.get("");
        for id in [other.bank_id() + 1_000, if other.bank_id() == books.bank_id() { 777 } else { other.bank_id() }] {
            let change = json!({ "name": "Other", "payment_bank_account_id": id });
            let refused = books.request("PATCH", "").json(&change).send();
            assert_eq!((refused.status, reason(&refused)), (422, "unknown_reference".to_owned()));
            let details = refused.value()["error"]["details"].clone();
            assert_eq!((&details["field"], &details["id"]), (&json!("payment_bank_account_id"), &json!(id)));
        }
        assert_eq!(books.get(""), before);
        for (field, value) in [
            ("email", json!("no address")),
            ("email", json!("a@b.example\r\nBcc: c@d.example")),
            ("phone", json!("1".repeat(51))),
            ("paye_reference", json!("1".repeat(21))),
            ("accounts_office_reference", json!("a\nb")),
            ("payment_bank_account_id", json!(0)),
            ("invoice_footer", json!("x".repeat(2_001))),
        ] {
            let refused = books.request("PATCH", "").json(&json!({ field: value })).send();
            assert_eq!((refused.status, format_paths(&refused)), (422, vec![field.to_owned()]));
        }
        let new = json!({ "name": "New", "email": "a@b.example", "payment_bank_account_id": books.bank_id() });
        let refused = books.server.client.post(ORGANISATIONS).key(&books.key).json(&new).send();
        assert_eq!(reason(&refused), "unknown_reference");
        let set = json!({ "email": "a@b.example", "phone": "1", "invoice_footer": "f", "payment_bank_account_id": books.bank_id() });
        books.request("PATCH", "").json(&set).send().expect(200);
        let cleared = json!({ "email": null, "phone": "", "invoice_footer": null, "payment_bank_account_id": null });
        let cleared = books.request("PATCH", "").json(&cleared).send().expect(200)["data"].clone();
        for field in ["email", "phone", "invoice_footer", "payment_bank_account_id"] {
            assert_eq!(cleared[field], Value::Null, "{field}");
        }
    }
}
