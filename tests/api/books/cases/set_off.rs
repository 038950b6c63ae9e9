//! Debts settled without a bank account: a director paid, or one thing is set off against another. Both are payment, under
//! cash accounting too (VAT Notice 731).

use serde_json::{Value, json};

use super::{Case, entry, figures, these, to_invoices};
use crate::books::trade::{fields, refusal};
use crate::books::{format_paths, reason};
use crate::support::database::on_both_databases;

impl Case {
    /// What directors are owed, as an account of its own.
    #[track_caller]
    fn directors_loan(&self) -> Value {
        let body = json!({ "code": "2610", "name": "Loan of a director", "account_type": "LIABILITY" });
        self.made("/accounts", &body)["id"].clone()
    }

    /// The body of a payment of this amount on one bill.
    fn paid_by(&self, date: &str, amount: &str, account: &Value, bill: &Value) -> Value {
        json!({
            "supplier_id": self.supplier, "date": date, "amount": amount, "account_id": account,
            "allocations": to_invoices(&[(bill, amount)]),
        })
    }

    fn ids(&self, list: &str) -> Vec<Value> {
        self.get(list)["data"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect()
    }
}

on_both_databases! {
    fn a_bill_that_a_director_paid_is_paid(database) {
        let case = Case::under(&database, "cash");
        let loan = case.directors_loan();
        let bill = case.document("/purchase-invoices", "2026-01-10", None, &[("7100", "100.00", "ST")]);
        let mut body = case.paid_by("2026-01-20", "60.00", &loan, &bill);
        body["method"] = json!("card");
        let rehearsed = case.request("POST", "/supplier-payments?dry_run=true").json(&body).send().expect(200)["data"].clone();
        let paid = case.made("/supplier-payments", &body);
        let through = json!([null, loan, "2610", null, 60.0, 60.0, 0.0, "posted"]);
        for payment in [&rehearsed, &paid, &case.shown(&format!("/supplier-payments/{}", paid["id"])), &case.shown("/supplier-payments")[0]] {
            let names = [
                "bank_account_id", "account_id", "account_code", "bank_transaction_id", "amount", "allocated_amount", "cis_amount", "status",
            ];
            assert_eq!(fields(payment, &names), through);
        }
        assert_eq!(case.posted_by(&paid), these(&[("2100", 6_000), ("2610", -6_000)]));
        assert_eq!(case.vat(), [entry("input", "ST", 5_000, 1_000)]);
        // One from the bank, named by its id, its account or its code.
        let mut others = Vec::new();
        for key in [json!({ "bank_account_id": case.bank }), json!({ "account_id": case.account_id("1200") }), json!({ "account_code": "1200" })] {
            let mut body = json!({ "supplier_id": case.supplier, "date": "2026-01-21", "amount": "20.00", "allocations": to_invoices(&[(&bill, "20.00")]) });
            body.as_object_mut().unwrap().extend(key.as_object().unwrap().clone());
            let payment = case.made("/supplier-payments", &body);
            assert_eq!(fields(&payment, &["bank_account_id", "account_id", "account_code"]), json!([case.bank, null, null]));
            others.insert(0, payment["id"].clone());
        }
        assert_eq!(case.shown(&format!("/purchase-invoices/{}", bill["id"]))["status"], "paid");
        assert_eq!(case.vat(), [entry("input", "ST", 10_000, 2_000)]);
        case.assert_all_declared();
        assert_eq!(case.ids(&format!("/supplier-payments?bank_account_id={}", case.bank)), others);
        assert_eq!(case.ids("/supplier-payments").len(), 4);
        assert_eq!(case.ids("/supplier-payments?has_unallocated=false&date_to=2026-01-20"), [paid["id"].clone()]);
        // The account keeps its new code everywhere.
        case.request("PATCH", &format!("/accounts/{loan}")).json(&json!({ "code": "2611" })).send().expect(200);
        let path = format!("/supplier-payments/{}", paid["id"]);
        assert_eq!(case.shown(&path)["account_code"], "2611");
        let changed = case.request("PATCH", &path).json(&json!({ "memo": "Ann's card" })).send().expect(200)["data"].clone();
        assert_eq!(fields(&changed, &["memo", "account_code", "version"]), json!(["Ann's card", "2611", 2]));
        // Released, set against it again, void.
        let release = json!({ "allocation_ids": [changed["allocations"][0]["id"]] });
        let released = case.done(&format!("{path}/unallocate"), &release);
        assert_eq!(fields(&released, &["unallocated_amount", "account_code"]), json!([60.0, "2611"]));
        assert_eq!(case.vat(), [entry("input", "ST", 5_000, 1_000)]);
        case.done(&format!("{path}/allocate"), &json!({ "allocations": to_invoices(&[(&bill, "60.00")]) }));
        assert_eq!(case.vat(), [entry("input", "ST", 10_000, 2_000)]);
        let void = case.done(&format!("{path}/void"), &json!({}));
        assert_eq!(fields(&void, &["status", "bank_account_id", "account_id"]), json!(["void", null, loan]));
        assert_eq!((case.balance("2611"), case.balance("2100")), (0, -6_000));
        assert_eq!(case.vat(), [entry("input", "ST", 5_000, 1_000)]);
        let told = case.get("/changes?limit=200")["data"].clone();
        let made = told.as_array().unwrap().iter().find(|one| one["resource_type"] == "supplier_payment").unwrap();
        assert_eq!(fields(&made["after"], &["bank_account_id", "account_id"]), json!([null, loan]));
    }

    fn what_is_set_off_settles_both_sides(database) {
        let case = Case::under(&database, "cash");
        // We owe as a customer's supplier what they owe us: through one account that comes to nothing.
        let clearing = case.made("/accounts", &json!({ "code": "1390", "name": "Set off", "account_type": "ASSET" }))["id"].clone();
        let sale = case.document("/sales-invoices", "2026-01-10", None, &[("4000", "100.00", "ST")]);
        let bill = case.document("/purchase-invoices", "2026-01-11", None, &[("7100", "100.00", "ST")]);
        let receipt = json!({
            "customer_id": case.customer, "date": "2026-01-31", "amount": "120.00", "account_code": "1390",
            "allocations": to_invoices(&[(&sale, "120.00")]),
        });
        let receipt = case.made("/customer-receipts", &receipt);
        assert_eq!(case.posted_by(&receipt), these(&[("1390", 12_000), ("1100", -12_000)]));
        case.made("/supplier-payments", &case.paid_by("2026-01-31", "120.00", &clearing, &bill));
        assert_eq!((case.balance("1390"), case.balance("1100"), case.balance("2100")), (0, 0, 0));
        assert_eq!(case.vat_on("2026-01-31"), [entry("input", "ST", 10_000, 2_000), entry("output", "ST", 10_000, 2_000)]);
        // Refunds too: a credit note and money on account, given back by a director.
        let loan = case.directors_loan();
        let note = case.document("/sales-credit-notes", "2026-02-01", None, &[("4000", "10.00", "ST")]);
        let refund = |side: &str, id: i64, allocation: Value| json!({
            side: id, "date": "2026-02-02", "amount": "12.00", "account_id": loan, "kind": "refund", "allocations": [allocation],
        });
        let back = refund("customer_id", case.customer, json!({ "credit_note_id": note["id"], "amount": "12.00" }));
        let back = case.made("/customer-receipts", &back);
        assert_eq!(case.posted_by(&back), these(&[("1100", 1_200), ("2610", -1_200)]));
        assert_eq!(fields(&back, &["kind", "bank_account_id", "account_code"]), json!(["refund", null, "2610"]));
        assert_eq!(case.vat_on("2026-02-02"), [entry("output", "ST", -1_000, -200)]);
        let advance = json!({ "supplier_id": case.supplier, "date": "2026-02-01", "amount": "12.00", "account_id": loan });
        let advance = case.made("/supplier-payments", &advance);
        let back = refund("supplier_id", case.supplier, json!({ "payment_id": advance["id"], "amount": "12.00" }));
        let back = case.made("/supplier-payments", &back);
        assert_eq!(case.posted_by(&back), these(&[("2610", 1_200), ("2100", -1_200)]));
        assert_eq!((case.balance("2610"), case.balance("2100")), (-1_200, 0));
        case.assert_all_declared();
    }

    fn cis_is_withheld_whoever_pays(database) {
        let case = Case::on(&database);
        let loan = case.directors_loan();
        let supplier = case.subcontractor();
        let bill = case.labour_bill(&supplier, "2026-01-10", "1500.00", "420.00");
        assert_eq!(figures(&bill["cis"], ["deduction", "payable"]), [30_000, 200_400]);
        let pay = |amount: &str| {
            let mut body = case.paid_by("2026-01-20", amount, &loan, &bill);
            body["supplier_id"] = supplier.clone();
            case.made("/supplier-payments", &body)
        };
        let first = pay("700.00");
        assert_eq!(figures(&first, ["cis_amount", "settled_amount"]), [10_479, 80_479]);
        assert_eq!(case.posted_by(&first), these(&[("2100", 80_479), ("2610", -70_000), ("2220", -10_479)]));
        pay("1304.00");
        assert_eq!((case.balance("2610"), case.balance("2220"), case.balance("2100")), (-200_400, -30_000, 0));
        assert_eq!(case.shown(&format!("/purchase-invoices/{}", bill["id"]))["status"], "paid");
    }

    fn no_line_of_a_statement_shows_it(database) {
        let case = Case::on(&database);
        let loan = case.directors_loan();
        let bill = case.document("/purchase-invoices", "2026-01-10", None, &[("7100", "50.00", "NV")]);
        let paid = case.made("/supplier-payments", &case.paid_by("2026-01-20", "50.00", &loan, &bill));
        let row = case.row("2026-01-20", "-50.00");
        let candidates = case.shown(&format!("/bank-transactions/{}/candidates", row["id"]));
        assert_eq!(candidates, json!([]));
        let tables = || ["journal", "settlement", "book_change"].map(|table| case.server.rows_of(table));
        let before = (tables(), case.get("/bank-transactions"));
        for (key, id) in [("supplier_payment_id", &paid["id"]), ("journal_id", &paid["journal_id"])] {
            let refused = case.confirm(&row, &json!({ "type": "match", key: id }));
            assert_eq!(refusal(&refused), json!({ "reason": "bank_account_mismatch", "field": key, "id": id }));
        }
        assert_eq!((tables(), case.get("/bank-transactions")), before);
    }

    fn each_wrong_account_is_refused_and_changes_nothing(database) {
        let case = Case::on(&database);
        let loan = case.directors_loan();
        let bill = case.document("/purchase-invoices", "2026-01-10", None, &[("7100", "50.00", "NV")]);
        let archived = case.made("/accounts", &json!({ "code": "2620", "name": "Old", "account_type": "LIABILITY" }))["id"].clone();
        case.request("POST", &format!("/accounts/{archived}/archive")).send().expect(200);
        let with = |keys: Value| {
            let mut body = case.paid_by("2026-01-20", "50.00", &Value::Null, &bill);
            body.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
            body
        };
        let before = case.picture();
        for code in ["4000", "7100", "9999", "1100", "2100", "2200", "3200"] {
            let id = case.account_id(code);
            for (key, name) in [("account_id", json!(id)), ("account_code", json!(code))] {
                let refused = case.post("/supplier-payments", &with(json!({ key: name })));
                assert_eq!(refused.status, 422, "{code}");
                assert_eq!(refusal(&refused), json!({ "reason": "wrong_account_type", "field": key, "id": id }), "{code}");
            }
        }
        let refused = |keys: Value| refusal(&case.post("/supplier-payments", &with(keys)));
        assert_eq!(refused(json!({ "account_id": archived })), json!({ "reason": "account_archived", "field": "account_id", "id": archived }));
        assert_eq!(refused(json!({ "account_id": 999_999 })), json!({ "reason": "unknown_reference", "field": "account_id", "id": 999_999 }));
        assert_eq!(refused(json!({ "account_code": "nope" })), json!({ "reason": "unknown_reference", "field": "account_code", "code": "nope" }));
        for keys in [
            json!({}),
            json!({ "bank_account_id": null }),
            json!({ "bank_account_id": case.bank, "account_id": loan }),
            json!({ "bank_account_id": case.bank, "account_code": "2610" }),
            json!({ "account_id": loan, "account_code": "2610" }),
        ] {
            for (path, contact, id) in [("/supplier-payments", "supplier_id", case.supplier), ("/customer-receipts", "customer_id", case.customer)] {
                let mut body = json!({ contact: id, "date": "2026-01-20", "amount": "50.00" });
                body.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
                assert_eq!(format_paths(&case.post(path, &body)), ["bank_account_id"], "{keys}");
            }
        }
        assert_eq!(format_paths(&case.post("/supplier-payments", &with(json!({ "account_id": "x" })))), ["account_id"]);
        let over = with(json!({ "account_id": loan, "amount": "40.00" }));
        assert_eq!(reason(&case.post("/supplier-payments", &over)), "over_allocated");
        case.lock("2026-01-31");
        assert_eq!(reason(&case.post("/supplier-payments", &with(json!({ "account_id": loan })))), "period_locked");
        assert_eq!(case.picture(), before);
    }
}
