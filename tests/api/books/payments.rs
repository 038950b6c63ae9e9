//! Supplier payments and refunds, and what is withheld from subcontractors and by contractors.

use serde_json::{Value, json};

use super::trade::{fields, refusal, side, to_invoices};
use super::{Books, format_paths, reason};
use crate::support::client::keys;
use crate::support::database::on_both_databases;

const PATH: &str = "/supplier-payments";

/// 1,920.00 net of which 1,500.00 labour at 20 %: gross 2,304.00, deduction 300.00.
fn reeds_bill(books: &Books, supplier: i64) -> Value {
    let line = |price: &str, cis_type: &str| {
        let mut line = books.item("5100", price, "ST");
        line["cis_type"] = json!(cis_type);
        line
    };
    let bill = books.made("/purchase-invoices", &json!({
        "supplier_id": supplier, "invoice_date": "2026-01-05", "lines": [line("1500", "labour"), line("420", "materials")]
    }));
    assert_eq!(fields(&bill, &["gross_amount"]), json!([2304.0]));
    assert_eq!(fields(&bill["cis"], &["deduction", "payable"]), json!([300.0, 2004.0]));
    bill
}

fn bill_now(books: &Books, bill: &Value) -> Value {
    books.get(&format!("/purchase-invoices/{}", bill["id"]))["data"].clone()
}

on_both_databases! {
    fn a_payment_settles_a_bill(database) {
        let books = Books::on(&database);
        let supplier = books.supplier("Timber Ltd");
        let bill = books.bill(supplier, "2026-01-05", "500");
        let payment = books.payment(supplier, "2026-01-20", "500", &[(&bill, "500")]);
        let mut known = vec![
            "id", "number", "kind", "status", "supplier_id", "supplier_name", "date", "amount", "currency", "bank_account_id",
            "account_id", "account_code", "reference", "memo", "method", "allocated_amount", "unallocated_amount", "cis_amount", "settled_amount",
            "allocations", "bank_transaction_id", "journal_id", "void_journal_id", "void_date", "void_reason", "last_emailed_at", "created_at",
            "updated_at", "version",
        ];
        known.sort_unstable();
        assert_eq!(keys(&payment), known);
        assert_eq!(fields(&payment, &["number", "kind", "supplier_name"]), json!(["PAY-00001", "payment", "Timber Ltd"]));
        assert_eq!(books.sides(&payment["journal_id"]), [side("2100", 500.0, 0.0), side("1200", 0.0, 500.0)]);
        assert_eq!(fields(&bill_now(&books, &bill), &["status", "amount_due"]), json!(["paid", 0.0]));
        assert_eq!(books.account("1200")["balance"], json!(-500.0));
        let suffered = json!({
            "supplier_id": supplier, "date": "2026-01-20", "amount": 1, "bank_account_id": books.bank_id(),
            "allocations": [{ "invoice_id": bill["id"], "amount": 1, "cis_suffered": 1 }]
        });
        assert_eq!(format_paths(&books.post(PATH, &suffered)), ["allocations[0].cis_suffered"]);
        let back = json!({
            "supplier_id": supplier, "date": "2026-01-25", "amount": 40, "bank_account_id": books.bank_id(), "kind": "refund",
            "allocations": [{ "payment_id": payment["id"], "amount": 40 }]
        });
        assert_eq!(refusal(&books.post(PATH, &back)), json!({ "reason": "over_allocated", "available": 0.0, "requested": 40.0, "field": "allocations[0].payment_id", "id": payment["id"] }));
        let advance = books.payment(supplier, "2026-01-21", "40", &[]);
        let mut back = back;
        back["allocations"][0]["payment_id"] = advance["id"].clone();
        let refund = books.made(PATH, &back);
        assert_eq!(fields(&refund["allocations"][0], &["payment_id", "payment_number"]), json!([advance["id"], "PAY-00002"]));
        assert_eq!(books.sides(&refund["journal_id"]), [side("1200", 40.0, 0.0), side("2100", 0.0, 40.0)]);
        assert_eq!(books.owed().1, json!(0.0));
    }

    fn part_payments_withhold_the_deduction_exactly(database) {
        let books = Books::on(&database);
        books.vat_control();
        let supplier = books.subcontractor("Reed Carpentry", 20);
        let bill = reeds_bill(&books, supplier);
        let accounts = books.get("/accounts")["data"].as_array().unwrap().len();
        let payment = books.payment(supplier, "2026-01-20", "700", &[(&bill, "700")]);
        assert_eq!(
            fields(&payment, &["amount", "allocated_amount", "unallocated_amount", "cis_amount", "settled_amount"]),
            json!([700.0, 700.0, 0.0, 104.79, 804.79])
        );
        assert_eq!(
            fields(&payment["allocations"][0], &["amount", "cis_amount", "settled_amount"]),
            json!([700.0, 104.79, 804.79])
        );
        assert_eq!(
            books.sides(&payment["journal_id"]),
            [side("2100", 804.79, 0.0), side("1200", 0.0, 700.0), side("2220", 0.0, 104.79)]
        );
        // The account is made on its first use.
        assert_eq!(books.get("/accounts")["data"].as_array().unwrap().len(), accounts + 1);
        assert_eq!(fields(&books.account("2220"), &["role", "balance"]), json!(["cis_payable", 104.79]));
        let part = bill_now(&books, &bill);
        assert_eq!(fields(&part, &["status", "amount_paid", "amount_due"]), json!(["part_paid", 804.79, 1499.21]));
        assert_eq!(part["cis"]["deducted_to_date"], 104.79);
        let over = books.post(PATH, &json!({
            "supplier_id": supplier, "date": "2026-02-20", "amount": 2000, "bank_account_id": books.bank_id(),
            "allocations": to_invoices(&[(&bill, "1304.01")])
        }));
        assert_eq!(refusal(&over), json!({ "reason": "over_allocated", "available": 1304.0, "requested": 1304.01, "field": "allocations[0].invoice_id", "id": bill["id"] }));
        let rest = books.payment(supplier, "2026-02-20", "1304.00", &[(&bill, "1304")]);
        assert_eq!(fields(&rest, &["cis_amount", "settled_amount"]), json!([195.21, 1499.21]));
        let paid = bill_now(&books, &bill);
        assert_eq!(fields(&paid, &["status", "amount_paid", "amount_due"]), json!(["paid", 2304.0, 0.0]));
        assert_eq!(paid["cis"]["deducted_to_date"], 300.0);
        assert_eq!((books.owed().1, books.account("2220")["balance"].clone()), (json!(0.0), json!(300.0)));
        // Voiding a payment takes its part back.
        let voided = books.done(&format!("{PATH}/{}/void", rest["id"]), &json!({}));
        assert_eq!(books.sides(&voided["void_journal_id"]), [side("2100", 0.0, 1499.21), side("1200", 1304.0, 0.0), side("2220", 195.21, 0.0)]);
        assert_eq!(bill_now(&books, &bill)["cis"]["deducted_to_date"], 104.79);
        assert_eq!((books.owed().1, books.account("2220")["balance"].clone()), (json!(1499.21), json!(104.79)));
    }

    fn a_later_allocation_posts_what_it_withholds(database) {
        let books = Books::on(&database);
        books.vat_control();
        let supplier = books.subcontractor("Reed Carpentry", 20);
        let bill = reeds_bill(&books, supplier);
        let payment = books.payment(supplier, "2026-01-20", "700", &[]);
        assert_eq!(books.sides(&payment["journal_id"]), [side("2100", 700.0, 0.0), side("1200", 0.0, 700.0)]);
        let path = format!("{PATH}/{}", payment["id"]);
        let given = books.done(&format!("{path}/allocate"), &json!({ "allocations": to_invoices(&[(&bill, "700")]) }));
        assert_eq!(fields(&given, &["cis_amount", "settled_amount"]), json!([104.79, 804.79]));
        assert_eq!((books.owed().1, books.account("2220")["balance"].clone()), (json!(1499.21), json!(104.79)));
        let released = books.done(&format!("{path}/unallocate"), &json!({ "allocation_ids": [given["allocations"][0]["id"]] }));
        assert_eq!(fields(&released, &["cis_amount", "unallocated_amount"]), json!([0.0, 700.0]));
        assert_eq!((books.owed().1, books.account("2220")["balance"].clone()), (json!(1604.0), json!(0.0)));
    }

    fn the_position_is_what_was_paid_and_withheld_in_the_period(database) {
        let books = Books::on(&database);
        books.vat_control();
        let supplier = books.subcontractor("Reed Carpentry", 20);
        let bill = reeds_bill(&books, supplier);
        books.payment(supplier, "2026-01-20", "700", &[(&bill, "700")]);
        books.payment(supplier, "2026-02-20", "1304.00", &[(&bill, "1304")]);
        let plain = books.supplier("Timber Ltd");
        let other = books.bill(plain, "2026-01-05", "500");
        books.payment(plain, "2026-01-20", "500", &[(&other, "500")]);
        let position = |from: &str, to: &str| books.get(&format!("/cis/position?period_start={from}&period_end={to}"))["data"].clone();
        let january = position("2026-01-06", "2026-02-05");
        let mut known = vec!["currency", "period_start", "period_end", "subcontractors", "totals", "cis_payable_balance", "suffered"];
        known.sort_unstable();
        assert_eq!(keys(&january), known);
        assert_eq!(january["subcontractors"].as_array().unwrap().len(), 1);
        let reed = january["subcontractors"][0].clone();
        assert_eq!(
            fields(&reed, &["supplier_id", "name", "utr", "verification_number", "deduction_rate"]),
            json!([supplier, "Reed Carpentry", "1234567890", "V1", 20])
        );
        // round(1,920.00 × 804.79 / 2,304.00) = 670.66, and all of it by the last payment.
        assert_eq!(fields(&reed, &["total_payments", "deducted"]), json!([670.66, 104.79]));
        assert_eq!(fields(&january, &["cis_payable_balance", "suffered"]), json!([104.79, 0.0]));
        assert_eq!(january["totals"], json!({
            "total_payments": reed["total_payments"], "materials": reed["materials"], "liable": reed["liable"], "deducted": reed["deducted"]
        }));
        let cents = |value: &Value| (value.as_f64().unwrap() * 100.0).round() as i64;
        assert_eq!(cents(&reed["materials"]) + cents(&reed["liable"]), 67_066);
        let both = position("2026-01-06", "2026-03-05")["totals"].clone();
        assert_eq!(both, json!({ "total_payments": 1920.0, "materials": 420.0, "liable": 1500.0, "deducted": 300.0 }));
        let february = position("2026-02-06", "2026-03-05");
        assert_eq!(cents(&february["totals"]["total_payments"]), 192_000 - 67_066);
        assert_eq!(february["cis_payable_balance"], 300.0);
        let none = position("2026-03-06", "2026-04-05");
        assert_eq!(fields(&none, &["subcontractors", "cis_payable_balance"]), json!([[], 300.0]));
        for (query, paths) in [
            ("", vec!["query.period_start", "query.period_end"]),
            ("?period_start=2026-01-06", vec!["query.period_end"]),
            ("?period_start=2026-02-30&period_end=2026-03-05", vec!["query.period_start"]),
            ("?period_start=2026-03-06&period_end=2026-03-05", vec!["query.period_end"]),
        ] {
            assert_eq!(format_paths(&books.request("GET", &format!("/cis/position{query}")).send()), paths, "{query}");
        }
    }

    fn what_a_contractor_withholds_from_us_is_an_asset(database) {
        let books = Books::on(&database);
        let customer = books.customer("Main Contractor");
        let invoice = books.sale(customer, "2026-01-05", "1800");
        let mut body = books.receipt_body(customer, "2026-01-20", "1600", &[(&invoice, "1600")]);
        body["allocations"][0]["cis_suffered"] = json!("200.00");
        let receipt = books.made("/customer-receipts", &body);
        assert_eq!(
            fields(&receipt, &["amount", "allocated_amount", "cis_amount", "settled_amount", "unallocated_amount"]),
            json!([1600.0, 1600.0, 200.0, 1800.0, 0.0])
        );
        assert_eq!(
            books.sides(&receipt["journal_id"]),
            [side("1200", 1600.0, 0.0), side("1320", 200.0, 0.0), side("1100", 0.0, 1800.0)]
        );
        assert_eq!(books.get(&format!("/sales-invoices/{}", invoice["id"]))["data"]["status"], "paid");
        let position = books.get("/cis/position?period_start=2026-01-06&period_end=2026-02-05")["data"].clone();
        assert_eq!(fields(&position, &["suffered", "cis_payable_balance"]), json!([200.0, 0.0]));
        let second = books.sale(customer, "2026-01-05", "100");
        let mut over = books.receipt_body(customer, "2026-01-20", "90", &[(&second, "90")]);
        over["allocations"][0]["cis_suffered"] = json!("10.01");
        assert_eq!(reason(&books.post("/customer-receipts", &over)), "over_allocated");
    }
}
