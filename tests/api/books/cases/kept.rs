//! What the books keep: accounts, opening balances, dates, other organisations.

use serde_json::{Value, json};

use super::{Case, entry, these};
use crate::books::{Books, ORGANISATIONS, reason};
use crate::support::database::on_both_databases;
use crate::support::server::{Setup, TestServer};

on_both_databases! {
    fn history_follows_a_renamed_account(database) {
        let case = Case::on(&database);
        let invoice = case.invoice("2026-02-01", "10.00");
        let account = case.account("4000");
        let path = format!("/accounts/{}", account["id"]);
        case.request("PATCH", &path).json(&json!({ "code": "4001", "name": "Joinery" })).send().expect(200);
        let journal = case.shown(&format!("/journals/{}", invoice["journal_id"]));
        let line = journal["lines"].as_array().unwrap().iter().find(|line| line["account_id"] == account["id"]).unwrap();
        assert_eq!((&line["account_code"], &line["account_name"]), (&json!("4001"), &json!("Joinery")));
        assert_eq!(case.shown(&format!("/sales-invoices/{}", invoice["id"]))["lines"][0]["account_code"], "4001");
        assert_eq!(case.balance("4001"), -1_000);
    }

    fn what_is_archived_keeps_its_figures_and_takes_no_more(database) {
        let case = Case::on(&database);
        let invoice = case.invoice("2026-02-01", "10.00");
        let sales = case.account_id("4000");
        case.request("POST", &format!("/accounts/{sales}/archive")).send().expect(200);
        case.request("POST", &format!("/customers/{}/archive", case.customer)).send().expect(200);
        assert_eq!(case.balance("4000"), -1_000);
        assert_eq!(case.shown(&format!("/customers/{}", case.customer))["balance"], json!(10.0));
        let again = case.post("/sales-invoices", &case.sale("2026-02-02", &[case.line("4100", "1.00", "NV")]));
        assert_eq!(reason(&again), "contact_archived");
        let other = case.made("/customers", &json!({ "name": "Other" }))["id"].clone();
        let mut body = case.sale("2026-02-02", &[case.line("4000", "1.00", "NV")]);
        body["customer_id"] = other;
        assert_eq!(reason(&case.post("/sales-invoices", &body)), "account_archived");
        // What is there may be paid, credited and voided.
        case.receipt("2026-02-03", "4.00", &[(&invoice, "4.00")]);
        let second = case.shown(&format!("/sales-invoices/{}", invoice["id"]));
        assert_eq!(second["status"], "part_paid");
        case.request("POST", &format!("/accounts/{sales}/unarchive")).send().expect(200);
        assert_eq!(case.post("/sales-invoices", &body).status, 201);
        for code in ["1100", "2100", "1200", "2200", "3200"] {
            let refused = case.request("POST", &format!("/accounts/{}/archive", case.account_id(code))).send();
            assert_eq!((refused.status, reason(&refused)), (409, "invalid_state".to_owned()), "{code}");
        }
    }

    fn opening_balances_stand_before_the_first_day(database) {
        let case = Case::on(&database);
        let documents = json!([
            { "type": "sales_invoice", "customer_id": case.customer, "number": "INV-0007", "date": "2025-02-01", "due_date": "2025-03-03", "amount_due": 300 },
            { "type": "purchase_invoice", "supplier_id": case.supplier, "number": "B-1", "date": "2025-03-01", "due_date": "2025-03-31", "amount_due": "120.50" },
        ]);
        let body = |equity: &str| json!({
            "as_of": "2025-03-31",
            "lines": [
                { "account_id": case.account_id("1200"), "debit": "1000.00" },
                { "account_id": case.account_id("1100"), "debit": "300.00" },
                { "account_id": case.account_id("2100"), "credit": "120.50" },
                { "account_id": case.account_id("3200"), "credit": equity },
            ],
            "open_documents": documents,
        });
        let off = case.post("/opening-balances", &body("1179.49")).details(422, "unprocessable_entity");
        assert_eq!(off, json!({ "reason": "unbalanced", "total_debit": 1300.0, "total_credit": 1299.99 }));
        let mut short = body("1179.50");
        short["open_documents"].as_array_mut().unwrap().pop();
        assert_eq!(case.post("/opening-balances", &short).status, 422, "the payable line has no documents");
        let mut later = body("1179.50");
        later["open_documents"][0]["date"] = json!("2025-04-01");
        assert_eq!(case.post("/opening-balances", &later).status, 422, "a document after the day");
        for table in ["journal", "journal_line", "document", "vat_entry"] {
            assert_eq!(case.server.rows_of(table), 0, "{table}");
        }
        let set = case.made("/opening-balances", &body("1179.50"));
        assert_eq!((&set["lock_date"], &set["journal"]["source_type"]), (&json!("2025-03-31"), &json!("opening_balance")));
        assert_eq!(set["journal"]["entry_date"], "2025-03-31");
        assert_eq!(case.vat(), []);
        assert_eq!(case.shown("")["opening_balances_set"], true);
        let again = case.post("/opening-balances", &body("1179.50"));
        assert_eq!((again.status, reason(&again)), (409, "already_set".to_owned()));
        let bank = case.shown(&format!("/bank-accounts/{}", case.bank));
        assert_eq!((&bank["opening_balance"], &bank["statement_balance"], &bank["ledger_balance"]), (&json!(1000.0), &json!(1000.0), &json!(1000.0)));
        // In the general ledger it is what was there, not what moved.
        let path = format!("/accounts/{}/transactions?date_from=2025-04-01&date_to=2026-03-31", case.account_id("1200"));
        let ledger = case.shown(&path);
        assert_eq!((&ledger["opening_balance"], &ledger["lines"], &ledger["closing_balance"]), (&json!(1000.0), &json!([]), &json!(1000.0)));
        // Before the day everything is closed.
        let early = case.post("/sales-invoices", &case.sale("2025-03-31", &[case.line("4000", "1.00", "NV")]));
        assert_eq!(reason(&early), "period_locked");
        // Open documents are paid like others, and the number goes on from theirs.
        let open = case.shown(&format!("/sales-invoices?customer_id={}", case.customer))[0].clone();
        assert_eq!((&open["invoice_number"], &open["opening"], &open["status"]), (&json!("INV-0007"), &json!(true), &json!("issued")));
        case.receipt("2025-04-02", "300.00", &[(&open, "300.00")]);
        assert_eq!(case.shown(&format!("/sales-invoices/{}", open["id"]))["status"], "paid");
        assert_eq!(case.balance("1100"), 0);
        assert_eq!(case.invoice("2025-04-03", "1.00")["invoice_number"], "INV-0008");
        assert_eq!(case.shown(&format!("/suppliers/{}", case.supplier))["balance"], json!(120.5));
    }

    fn debtors_and_creditors_may_open_without_names(database) {
        let case = Case::on(&database);
        let body = |equity: &str, allow: bool| json!({
            "as_of": "2025-03-31", "lock_period": false, "allow_unassigned": allow,
            "lines": [
                { "account_id": case.account_id("1100"), "debit": "300.00" },
                { "account_id": case.account_id("2100"), "credit": "100.00" },
                { "account_id": case.account_id("3200"), "credit": equity },
            ],
        });
        assert_eq!(case.post("/opening-balances", &body("200.00", false)).status, 422);
        case.made("/opening-balances", &body("200.00", true));
        assert_eq!((case.balance("1100"), case.balance("2100"), case.balance("3200")), (30_000, -10_000, -20_000));
        assert_eq!(case.shown("")["lock_date"], Value::Null);
        assert_eq!(case.post("/journals", &case.two_lines("2025-03-31", "7100", "1200", json!(1))).status, 201);
    }

    fn what_goes_to_the_control_account_is_on_no_return(database) {
        let case = Case::on(&database);
        let row = case.row("2026-02-01", "-250.00");
        case.confirm(&row, &json!({ "account_id": case.account_id("2200"), "vat_code": "NV" })).expect(200);
        assert_eq!((case.balance("2200"), case.vat()), (25_000, vec![]));
        let row = case.row("2026-02-01", "-250.00");
        let refused = case.confirm(&row, &json!({ "account_id": case.account_id("2200"), "vat_code": "ST" }));
        assert_eq!(reason(&refused), "wrong_account_type");
        // Reclaimed VAT is a debit in a liability account, an overdraft a credit in an asset.
        assert_eq!((&case.account("2200")["balance"], &case.account("1200")["balance"]), (&json!(-250.0), &json!(-250.0)));
    }

    fn exempt_and_zero_rated_sales_count_and_outside_the_scope_does_not(database) {
        let case = Case::on(&database);
        let lines = [case.line("4000", "100.00", "EX"), case.line("4000", "50.00", "ZR"), case.line("4900", "25.00", "NV")];
        case.made("/sales-invoices", &case.sale("2026-02-01", &lines));
        assert_eq!(case.vat(), [entry("output", "EX", 10_000, 0), entry("output", "ZR", 5_000, 0)]);
    }

    fn money_back_on_an_expense_is_less_input_tax(database) {
        let case = Case::on(&database);
        let row = case.row("2026-02-01", "36.00");
        case.confirm(&row, &json!({ "account_id": case.account_id("7710"), "vat_code": "ST" })).expect(200);
        assert_eq!(case.vat(), [entry("input", "ST", -3_000, -600)]);
        let row = case.row("2026-02-02", "-12.00");
        case.confirm(&row, &json!({ "account_id": case.account_id("4000"), "vat_code": "ST" })).expect(200);
        assert_eq!(case.vat(), [entry("input", "ST", -3_000, -600), entry("output", "ST", -1_000, -200)]);
        assert_eq!((case.balance("7710"), case.balance("4000"), case.balance("2200")), (-3_000, 1_000, -400));
    }

    fn a_sale_of_an_asset_and_a_deposit_are_output_and_no_revenue(database) {
        let case = Case::on(&database);
        let sold = case.made("/sales-invoices", &case.sale("2026-02-01", &[case.line("0030", "350.00", "ST")]));
        assert_eq!(case.posted_by(&sold), these(&[("1100", 42_000), ("0030", -35_000), ("2200", -7_000)]));
        let deposit = case.made("/sales-invoices", &case.sale("2026-02-01", &[case.line("2410", "500.00", "ST")]));
        assert_eq!(case.posted_by(&deposit), these(&[("1100", 60_000), ("2410", -50_000), ("2200", -10_000)]));
        assert_eq!(case.vat(), [entry("output", "ST", 85_000, 17_000)]);
        let saw = case.made("/purchase-invoices", &case.bill("2026-02-01", &[case.line("0030", "100.00", "ST")]));
        assert_eq!(case.posted_by(&saw), these(&[("0030", 10_000), ("2200", 2_000), ("2100", -12_000)]));
        assert_eq!(case.vat(), [entry("input", "ST", 10_000, 2_000), entry("output", "ST", 85_000, 17_000)]);
    }

    fn another_organisations_ids_are_unknown(database) {
        let case = Case::on(&database);
        let invoice = case.invoice("2026-02-01", "10.00");
        let make = || case.server.client.post(ORGANISATIONS).key(&case.key).json(&json!({ "name": "Second" })).send().expect(201);
        let second = make()["data"]["id"].as_i64().unwrap();
        let post = |rest: &str, body: &Value| {
            case.server.client.post(&format!("{ORGANISATIONS}/{second}{rest}")).key(&case.key).json(body).send()
        };
        let get = |rest: &str| {
            case.server.client.get(&format!("{ORGANISATIONS}/{second}{rest}")).key(&case.key).send().expect(200)["data"].clone()
        };
        let customer = post("/customers", &json!({ "name": "x" })).expect(201)["data"]["id"].clone();
        let account = get("/accounts")[0]["id"].clone();
        let bank = get("/bank-accounts")[0]["id"].clone();
        let sale = |customer: Value, account: Value| json!({
            "customer_id": customer, "invoice_date": "2026-02-01",
            "lines": [{ "description": "x", "account_id": account, "unit_price": 1, "vat_code": "NV" }],
        });
        let receipt = |customer: Value, bank: Value, invoice: Value| json!({
            "customer_id": customer, "date": "2026-02-01", "amount": 1, "bank_account_id": bank,
            "allocations": [{ "invoice_id": invoice, "amount": 1 }],
        });
        let theirs = case.account("4000")["id"].clone();
        let unknown = json!(999_999);
        for (path, foreign, absent) in [
            ("/sales-invoices", sale(json!(case.customer), account.clone()), sale(unknown.clone(), account.clone())),
            ("/sales-invoices", sale(customer.clone(), theirs), sale(customer.clone(), unknown.clone())),
            ("/customer-receipts", receipt(customer.clone(), json!(case.bank), json!(1)), receipt(customer.clone(), unknown.clone(), json!(1))),
            ("/customer-receipts", receipt(customer.clone(), bank.clone(), invoice["id"].clone()), receipt(customer.clone(), bank.clone(), unknown.clone())),
        ] {
            let (foreign, absent) = (post(path, &foreign), post(path, &absent));
            assert_eq!((reason(&foreign).as_str(), reason(&absent).as_str()), ("unknown_reference", "unknown_reference"));
            let said = |answer: &crate::support::client::Answer| {
                let error = answer.value()["error"].clone();
                let id = error["details"]["id"].to_string();
                (error["message"].as_str().unwrap().replace(&id, "?"), error["details"]["field"].clone())
            };
            assert_eq!(said(&foreign), said(&absent), "{path}");
        }
        case.server.client.get(&format!("{ORGANISATIONS}/{second}/sales-invoices/{}", invoice["id"])).key(&case.key).send().refused(404, "not_found");
        assert_eq!(get("/journals"), json!([]));
    }

    fn pages_of_one_day_do_not_move(database) {
        let case = Case::on(&database);
        let made: Vec<Value> = (1..=5).map(|at| case.invoice("2026-02-01", &format!("{at}.00"))["id"].clone()).collect();
        let page = |query: &str| {
            let page = case.get(&format!("/sales-invoices{query}"));
            let ids: Vec<Value> = page["data"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
            (ids, page["pagination"]["total"].clone())
        };
        let newest: Vec<Value> = made.iter().rev().cloned().collect();
        assert_eq!(page(""), (newest.clone(), json!(5)));
        assert_eq!(page("?limit=2&offset=2"), (newest[2..4].to_vec(), json!(5)));
        assert_eq!(page("?offset=100"), (vec![], json!(5)));
        // One of an older day comes last, one of the same day first.
        let (old, new) = (case.invoice("2026-01-31", "1.00"), case.invoice("2026-02-01", "1.00"));
        assert_eq!(page("?limit=1").0, [new["id"].clone()]);
        assert_eq!(page("?limit=1&offset=6").0, [old["id"].clone()]);
        assert_eq!(page("?limit=5&offset=1").0, newest);
    }
}

#[test]
fn today_is_the_day_of_the_organisations_clock() {
    // 2026-03-31T23:30:00Z is half past midnight on 1 April in London.
    let server: TestServer = Setup::new().start();
    let late_ms = 1_774_999_800_000;
    server.advance_ms(late_ms - crate::support::server::START_MS);
    let case = Case::of(Books::of(server));
    let mut body = case.sale("2026-03-02", &[case.line("4000", "10.00", "NV")]);
    body["due_date"] = json!("2026-03-31");
    let invoice = case.made("/sales-invoices", &body);
    assert_eq!((&invoice["overdue"], &invoice["days_overdue"]), (&json!(true), &json!(1)));
    let lock = |date: &str| case.request("PUT", "/period-lock").json(&json!({ "lock_date": date })).send();
    assert_eq!(lock("2026-04-02").status, 422, "the future is not locked");
    lock("2026-04-01").expect(200);
    let next = case.request("PATCH", "").json(&json!({ "timezone": "America/New_York" })).send();
    next.expect(200);
    let invoice = case.shown(&format!("/sales-invoices/{}", invoice["id"]));
    assert_eq!((&invoice["overdue"], &invoice["days_overdue"]), (&json!(false), &json!(0)));
}
