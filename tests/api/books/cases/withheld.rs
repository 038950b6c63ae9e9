//! CIS when payments come, go and come again: what is withheld adds up to the deduction, to the penny, in any order.

use serde_json::{Value, json};
use xtask::random::Random;

use super::{Case, to_invoices};
use crate::books::figures::pence;
use crate::books::model::number_from;
use crate::books::reason;
use crate::support::database::on_both_databases;

impl Case {
    #[track_caller]
    fn subcontractor(&self) -> Value {
        let cis = json!({ "name": "Reed", "cis": { "is_subcontractor": true, "deduction_rate": 20 } });
        self.made("/suppliers", &cis)["id"].clone()
    }

    #[track_caller]
    fn labour_bill(&self, supplier: &Value, date: &str, labour: &str, materials: &str) -> Value {
        let mut lines = [self.line("5100", labour, "ST"), self.line("5000", materials, "ST")];
        lines[0]["cis_type"] = json!("labour");
        lines[1]["cis_type"] = json!("materials");
        self.made("/purchase-invoices", &json!({ "supplier_id": supplier, "invoice_date": date, "lines": lines }))
    }
}

fn money(amount: i64) -> String {
    format!("{}.{:02}", amount / 100, amount % 100)
}

/// I14, I15 and I26 for one bill and all payments of its supplier; cash on the bill.
#[track_caller]
fn assert_ties(case: &Case, supplier: &Value, bill: &Value) -> i64 {
    let bill = case.shown(&format!("/purchase-invoices/{}", bill["id"]));
    let payments = case.shown(&format!("/supplier-payments?supplier_id={supplier}&limit=200"));
    let (mut withheld, mut settled, mut cash, mut unallocated) = (0, 0, 0, 0);
    for payment in payments.as_array().unwrap().iter().filter(|payment| payment["status"] == "posted") {
        let figure = |field: &str| pence(&payment[field]);
        let parts = figure("settled_amount") + figure("unallocated_amount");
        assert_eq!(figure("amount") + figure("cis_amount"), parts, "{payment}");
        withheld += figure("cis_amount");
        settled += figure("settled_amount");
        cash += figure("settled_amount") - figure("cis_amount");
        unallocated += figure("unallocated_amount");
    }
    let (gross, due) = (pence(&bill["gross_amount"]), pence(&bill["amount_due"]));
    assert_eq!(due, gross - settled, "{bill}");
    assert!((0..=gross).contains(&due), "{bill}");
    assert_eq!(pence(&bill["cis"]["deducted_to_date"]), withheld, "{bill}");
    let accounts = case.shown("/accounts");
    let payable = accounts.as_array().unwrap().iter().find(|account| account["code"] == "2220");
    assert_eq!(payable.map_or(0, |account| pence(&account["balance"])), withheld, "CIS payable: {bill}");
    let balance = pence(&case.shown(&format!("/suppliers/{supplier}"))["balance"]);
    assert_eq!((balance, -case.balance("2100")), (due - unallocated, due - unallocated), "{bill}");
    cash
}

on_both_databases! {
    fn in_any_order_the_deduction_is_exact(database) {
        let case = Case::on(&database);
        let mut random = Random::new(number_from("MODEL_SEED", 7));
        for _ in 0..3 {
            let supplier = case.subcontractor();
            let labour = i64::try_from(random.between(10_000, 200_000)).unwrap();
            let bill = case.labour_bill(&supplier, "2026-01-10", &money(labour), &money(labour / 3 + 7));
            let payable = pence(&bill["cis"]["payable"]);
            let mut ids: Vec<Value> = Vec::new();
            for step in 0..9 {
                let cash = assert_ties(&case, &supplier, &bill);
                match random.below(10) {
                    0..5 if cash < payable => {
                        let amount = i64::try_from(random.between(1, u64::try_from(payable - cash).unwrap() / 2 + 1)).unwrap();
                        let body = json!({
                            "supplier_id": supplier, "date": format!("2026-01-{}", 11 + step), "amount": money(amount),
                            "bank_account_id": case.bank, "allocations": to_invoices(&[(&bill, &money(amount))]),
                        });
                        ids.push(case.made("/supplier-payments", &body)["id"].clone());
                    }
                    5..7 if !ids.is_empty() => {
                        let id = ids.remove(random.index(ids.len()));
                        case.done(&format!("/supplier-payments/{id}/void"), &json!({}));
                    }
                    _ if !ids.is_empty() => {
                        // Taken off the bill, and put on again after the others.
                        let id = ids[random.index(ids.len())].clone();
                        let path = format!("/supplier-payments/{id}");
                        let allocation = case.shown(&path)["allocations"][0].clone();
                        case.done(&format!("{path}/unallocate"), &json!({ "allocation_ids": [allocation["id"]] }));
                        assert_ties(&case, &supplier, &bill);
                        let body = json!({ "allocations": [{ "invoice_id": bill["id"], "amount": allocation["amount"] }] });
                        case.done(&format!("{path}/allocate"), &body);
                    }
                    _ => {}
                }
            }
            let cash = assert_ties(&case, &supplier, &bill);
            if cash < payable {
                let rest = money(payable - cash);
                let body = json!({
                    "supplier_id": supplier, "date": "2026-02-01", "amount": rest, "bank_account_id": case.bank,
                    "allocations": to_invoices(&[(&bill, &rest)]),
                });
                ids.push(case.made("/supplier-payments", &body)["id"].clone());
            }
            assert_ties(&case, &supplier, &bill);
            let paid = case.shown(&format!("/purchase-invoices/{}", bill["id"]));
            assert_eq!((paid["status"].as_str(), &paid["cis"]["deducted_to_date"]), (Some("paid"), &bill["cis"]["deduction"]));
            // Everything is taken back, so that the next bill starts from nothing.
            for id in ids.iter().rev() {
                case.done(&format!("/supplier-payments/{id}/void"), &json!({}));
            }
            assert_eq!(assert_ties(&case, &supplier, &bill), 0);
            case.done(&format!("/purchase-invoices/{}/void", bill["id"]), &json!({}));
        }
    }

    fn an_advance_withholds_when_it_is_set_against_the_bill(database) {
        let case = Case::on(&database);
        let supplier = case.subcontractor();
        let advance = json!({ "supplier_id": supplier, "date": "2026-01-05", "amount": "500.00", "bank_account_id": case.bank });
        let advance = case.made("/supplier-payments", &advance);
        assert_eq!((&advance["cis_amount"], &advance["unallocated_amount"]), (&json!(0.0), &json!(500.0)));
        // 1,000.00 labour and VAT of 200.00: 200.00 to withhold of 1,200.00, 1,000.00 to pay.
        let bill = case.labour_bill(&supplier, "2026-01-20", "1000.00", "0.00");
        let path = format!("/supplier-payments/{}", advance["id"]);
        let body = json!({ "allocations": to_invoices(&[(&bill, "500.00")]) });
        let after = case.done(&format!("{path}/allocate"), &body);
        assert_eq!((&after["cis_amount"], &after["settled_amount"], &after["allocations"][0]["date"]), (&json!(100.0), &json!(600.0), &json!("2026-01-20")));
        assert_ties(&case, &supplier, &bill);
        // On the day of the advance nothing was withheld yet.
        let ledger = case.shown(&format!("/accounts/{}/transactions?date_from=2026-01-20", case.account_id("2220")));
        assert_eq!((&ledger["opening_balance"], &ledger["closing_balance"]), (&json!(0.0), &json!(100.0)));
        let back = case.post(&format!("{path}/void"), &json!({ "void_date": "2026-01-25" }));
        back.expect(200);
        assert_ties(&case, &supplier, &bill);
    }

    fn a_credit_note_counts_before_the_rest_is_paid(database) {
        let case = Case::on(&database);
        let supplier = case.subcontractor();
        let bill = case.labour_bill(&supplier, "2026-01-10", "1000.00", "500.00");
        // Gross 1,800.00, deduction 200.00. Materials of 120.00 come back.
        let note = json!({ "supplier_id": supplier, "credit_note_date": "2026-01-11", "lines": [case.line("5000", "100.00", "ST")] });
        let note = case.made("/purchase-credit-notes", &note);
        case.done(&format!("/purchase-credit-notes/{}/allocate", note["id"]), &json!({ "allocations": to_invoices(&[(&bill, "120.00")]) }));
        let shown = case.shown(&format!("/purchase-invoices/{}", bill["id"]));
        assert_eq!(shown["amount_due"], json!(1680.0));
        // More than what is left to settle is refused, whatever the cash would settle.
        let pay = |amount: &str| json!({
            "supplier_id": supplier, "date": "2026-01-15", "amount": amount, "bank_account_id": case.bank,
            "allocations": to_invoices(&[(&bill, amount)]),
        });
        assert_eq!(reason(&case.post("/supplier-payments", &pay("1600.00"))), "over_allocated");
        assert_eq!(case.balance("1200"), 0);
    }
}
