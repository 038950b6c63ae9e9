//! CIS when payments come, go and come again: what is withheld adds up to the deduction, to the penny, in any order.

use serde_json::{Value, json};
use xtask::random::Random;

use super::{Case, figures, to_invoices};
use crate::books::figures::pence;
use crate::books::model::number_from;
use crate::books::reason;
use crate::support::database::on_both_databases;

impl Case {
    #[track_caller]
    pub(super) fn subcontractor(&self) -> Value {
        let cis = json!({ "name": "Reed", "cis": { "is_subcontractor": true, "deduction_rate": 20 } });
        self.made("/suppliers", &cis)["id"].clone()
    }

    #[track_caller]
    pub(super) fn labour_bill(&self, supplier: &Value, date: &str, labour: &str, materials: &str) -> Value {
        let mut lines = [self.line("5100", labour, "ST"), self.line("5000", materials, "ST")];
        lines[0]["cis_type"] = json!("labour");
        lines[1]["cis_type"] = json!("materials");
        self.made("/purchase-invoices", &json!({ "supplier_id": supplier, "invoice_date": date, "lines": lines }))
    }
}

impl Case {
    /// A subcontractor from whom this rate is withheld, or from now on is.
    #[track_caller]
    fn rated(&self, supplier: Option<&Value>, rate: i64) -> Value {
        let cis = json!({ "is_subcontractor": true, "deduction_rate": rate, "utr": "1234567890", "verification_number": "V1" });
        match supplier {
            None => self.made("/suppliers", &json!({ "name": "Reed", "cis": cis }))["id"].clone(),
            Some(id) => {
                let path = format!("/suppliers/{id}");
                self.request("PATCH", &path).json(&json!({ "cis": cis })).send().expect(200)["data"]["id"].clone()
            }
        }
    }

    #[track_caller]
    fn pay_bill(&self, supplier: &Value, date: &str, amount: &str, bill: &Value) -> Value {
        let body = json!({
            "supplier_id": supplier, "date": date, "amount": amount, "bank_account_id": self.bank,
            "allocations": to_invoices(&[(bill, amount)]),
        });
        self.made("/supplier-payments", &body)
    }

    /// A credit note of labour, set against a bill.
    #[track_caller]
    fn labour_back(&self, supplier: &Value, date: &str, bill: &Value, (net, gross): (&str, &str)) -> Value {
        let mut line = self.line("5100", net, "ST");
        line["cis_type"] = json!("labour");
        let body =
            json!({ "supplier_id": supplier, "credit_note_date": date, "invoice_id": bill["id"], "lines": [line] });
        let note = self.made("/purchase-credit-notes", &body);
        let path = format!("/purchase-credit-notes/{}", note["id"]);
        self.done(&format!("{path}/allocate"), &json!({ "allocations": to_invoices(&[(bill, gross)]) }))
    }

    /// The `cis` block of a bill, in pence.
    #[track_caller]
    fn withheld_of(&self, bill: &Value) -> [i64; 5] {
        let bill = self.shown(&format!("/purchase-invoices/{}", bill["id"]));
        figures(&bill["cis"], ["labour_net", "materials_net", "deduction", "payable", "deducted_to_date"])
    }

    /// The position of a tax month: supplier, rate, payments, materials, liable, deducted; totals are their sums.
    #[track_caller]
    fn position(&self, from: &str, to: &str) -> Vec<(Value, i64, [i64; 4])> {
        const PARTS: [&str; 4] = ["total_payments", "materials", "liable", "deducted"];
        let position = self.shown(&format!("/cis/position?period_start={from}&period_end={to}"));
        let rows = position["subcontractors"].as_array().unwrap().iter();
        let rows: Vec<_> = rows
            .map(|row| (row["supplier_id"].clone(), row["deduction_rate"].as_i64().unwrap(), figures(row, PARTS)))
            .collect();
        let sums: Vec<i64> = (0..4).map(|at| rows.iter().map(|(_, _, parts)| parts[at]).sum()).collect();
        assert_eq!(figures(&position["totals"], PARTS).to_vec(), sums, "{position}");
        // I26: the return of the tax month has the figures of the same days.
        const DECLARED: [&str; 3] = ["total_payments", "cost_of_materials", "total_deducted"];
        let declared = self.shown(&format!("/cis/returns/{to}"));
        let declared_rows: Vec<_> = declared["subcontractors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["supplier_id"].clone(), row["deduction_rate"].as_i64().unwrap(), figures(row, DECLARED)))
            .collect();
        let same: Vec<_> = rows
            .iter()
            .map(|(id, rate, [paid, materials, _, deducted])| (id.clone(), *rate, [*paid, *materials, *deducted]))
            .collect();
        assert_eq!(
            (declared_rows, &declared["cis_payable_balance"]),
            (same, &position["cis_payable_balance"]),
            "{declared}"
        );
        assert_eq!(figures(&declared["totals"], DECLARED), [sums[0], sums[1], sums[3]], "{declared}");
        rows
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
        let mut materials = case.line("5000", "100.00", "ST");
        materials["cis_type"] = json!("materials");
        let note = json!({ "supplier_id": supplier, "credit_note_date": "2026-01-11", "lines": [materials] });
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

    fn the_position_has_the_rates_of_the_bills(database) {
        let case = Case::on(&database);
        let reed = case.rated(None, 20);
        let other = case.rated(None, 0);
        let first = case.labour_bill(&reed, "2026-01-10", "100.00", "50.00");
        let free = case.labour_bill(&other, "2026-01-10", "10.00", "0.00");
        case.pay_bill(&reed, "2026-01-12", "160.00", &first);
        case.pay_bill(&other, "2026-01-12", "12.00", &free);
        let january = ("2026-01-06", "2026-02-05");
        let (at_20, at_0) = ((reed.clone(), 20, [15_000, 5_000, 10_000, 2_000]), (other.clone(), 0, [1_000, 0, 1_000, 0]));
        assert_eq!(case.position(january.0, january.1), [at_20.clone(), at_0.clone()]);
        // Another rate is that of later bills, in the same month and after.
        case.rated(Some(&reed), 30);
        let second = case.labour_bill(&reed, "2026-01-20", "100.00", "0.00");
        case.pay_bill(&reed, "2026-01-21", "90.00", &second);
        let at_30 = (reed.clone(), 30, [10_000, 0, 10_000, 3_000]);
        let expected = [at_20, at_30, at_0];
        assert_eq!(case.position(january.0, january.1), expected);
        assert_eq!(case.position("2026-02-06", "2026-03-05"), []);
        // So it stays when somebody is no subcontractor any more.
        let none = json!({ "cis": { "is_subcontractor": false } });
        case.request("PATCH", &format!("/suppliers/{reed}")).json(&none).send().expect(200);
        assert_eq!(case.position(january.0, january.1), expected);
    }

    fn credit_is_taken_off_what_is_withheld_and_paid(database) {
        let case = Case::on(&database);
        let reed = case.rated(None, 30);
        let bill = case.labour_bill(&reed, "2026-01-10", "1000.00", "500.00");
        assert_eq!(case.withheld_of(&bill), [100_000, 50_000, 30_000, 150_000, 0]);
        // The rate is that of the bill it takes back, whatever the supplier's is by then.
        case.rated(Some(&reed), 20);
        let note = case.labour_back(&reed, "2026-01-11", &bill, ("100.00", "120.00"));
        assert_eq!((&note["cis"]["rate"], &note["status"]), (&json!(30), &json!("allocated")));
        assert_eq!(case.withheld_of(&bill), [100_000, 50_000, 27_000, 141_000, 0]);
        let payment = case.pay_bill(&reed, "2026-01-15", "1410.00", &bill);
        assert_eq!(figures(&payment, ["cis_amount", "settled_amount"]), [27_000, 168_000]);
        assert_eq!(case.shown(&format!("/purchase-invoices/{}", bill["id"]))["status"], "paid");
        assert_eq!(case.withheld_of(&bill), [100_000, 50_000, 27_000, 141_000, 27_000]);
        assert_eq!(case.position("2026-01-06", "2026-02-05"), [(reed.clone(), 30, [140_000, 50_000, 90_000, 27_000])]);

        // All of it taken back: nothing to withhold, nothing to pay.
        let bill = case.labour_bill(&reed, "2026-01-10", "1000.00", "0.00");
        case.labour_back(&reed, "2026-01-11", &bill, ("1000.00", "1200.00"));
        assert_eq!(case.withheld_of(&bill), [100_000, 0, 0, 0, 0]);

        // After a part payment the rest is reckoned with it, and the position is, with the payment of the rest.
        let bill = case.labour_bill(&reed, "2026-02-10", "1000.00", "500.00");
        case.pay_bill(&reed, "2026-02-15", "800.00", &bill);
        assert_eq!(case.position("2026-02-06", "2026-03-05"), [(reed.clone(), 20, [75_000, 25_000, 50_000, 10_000])]);
        case.labour_back(&reed, "2026-03-06", &bill, ("100.00", "120.00"));
        assert_eq!(case.withheld_of(&bill), [100_000, 50_000, 18_000, 150_000, 10_000]);
        assert_eq!(case.position("2026-03-06", "2026-04-05"), []);
        let rest = case.pay_bill(&reed, "2026-04-06", "700.00", &bill);
        assert_eq!(figures(&rest, ["cis_amount", "settled_amount"]), [8_000, 78_000]);
        assert_eq!(case.withheld_of(&bill), [100_000, 50_000, 18_000, 150_000, 18_000]);
        assert_eq!(case.position("2026-04-06", "2026-05-05"), [(reed.clone(), 20, [65_000, 25_000, 40_000, 8_000])]);

        // Where credit takes all that was left, nothing more is transferred.
        let bill = case.labour_bill(&reed, "2026-05-10", "1000.00", "500.00");
        case.pay_bill(&reed, "2026-05-15", "1500.00", &bill);
        assert_eq!(case.withheld_of(&bill), [100_000, 50_000, 20_000, 160_000, 18_750]);
        case.labour_back(&reed, "2026-05-16", &bill, ("93.75", "112.50"));
        let shown = case.shown(&format!("/purchase-invoices/{}", bill["id"]));
        assert_eq!((&shown["status"], &shown["amount_due"]), (&json!("paid"), &json!(0.0)));
        assert_eq!(case.withheld_of(&bill), [100_000, 50_000, 18_750, 150_000, 18_750]);
    }
}
