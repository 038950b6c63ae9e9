//! The flat rate over HTTP: which purchases are capital goods, credit between bases, and the percentage of what is taken back.

use serde_json::{Value, json};

use super::cases::{Case, to_invoices};
use super::figures::pence;
use crate::support::database::{Database, on_both_databases};

/// Registers from the start of 2024, under the flat rate of what was invoiced (`invoice`) or received (`cash`).
fn case(database: &Database, percent: &str, basis: &str) -> Case {
    let case = Case::on(database);
    let body = json!({
        "vat_registered": true, "vat_scheme": "flat_rate", "vat_scheme_from": "2024-01-01", "flat_rate_percent": percent,
        "flat_rate_basis": basis,
    });
    case.request("PATCH", "").json(&body).send().expect(200);
    case
}

on_both_databases! {
    fn what_is_outside_the_scope_is_no_part_of_a_purchase_of_capital_goods(database) {
        let case = case(&database, "10", "invoice");
        // A document, a line of the bank and a journal, each on a day of its own: net and gross at the standard rate, what is
        // outside the scope, and the whole.
        let bought = |month: &str, [net, gross, without, whole]: [&str; 4]| {
            let lines = [case.line("0050", net, "ST"), case.line("0050", without, "NV")];
            let bill = case.made("/purchase-invoices", &case.bill(&format!("{month}-10"), &lines));
            let minus = |amount: &str| format!("-{amount}");
            let row = case.row(&format!("{month}-11"), &minus(whole));
            let parts = [case.part("0050", &minus(gross), "ST"), case.part("0050", &minus(without), "NV")];
            case.confirm(&row, &json!({ "lines": parts })).expect(200);
            let lines = [("0050", gross, Some("ST")), ("0050", without, Some("NV")), ("1310", &minus(whole), None)];
            case.made("/journals", &case.journal(&format!("{month}-12"), &lines));
            bill
        };
        // 1,999.99 with VAT and 600.00 outside the scope are no capital goods of 2,000.00.
        let bill = bought("2025-07", ["1666.66", "1999.99", "600.00", "2599.99"]);
        assert_eq!(case.posted_by(&bill)["0050"], 259_999);
        assert_eq!(case.boxes("2025-07-01", "2025-07-31"), [0; 4]);
        // 2,000.00 are, whatever stands beside them.
        let bill = bought("2025-08", ["1666.67", "2000.00", "0.01", "2000.01"]);
        assert_eq!(case.posted_by(&bill)["0050"], 166_668);
        for day in ["10", "11", "12"] {
            let on = format!("2025-08-{day}");
            assert_eq!(case.boxes(&on, &on), [0, 33_333, 0, 166_667], "{on}");
        }
        // A credit note goes by its invoice.
        let credited = [case.line("0050", "1666.67", "ST")];
        case.made("/purchase-credit-notes", &json!({
            "supplier_id": case.supplier, "credit_note_date": "2025-09-01", "invoice_id": bill["id"], "lines": credited
        }));
        assert_eq!(case.boxes("2025-09-01", "2025-09-01"), [0, -33_333, 0, -166_667]);
        case.assert_all_declared();
    }

    fn credit_between_cash_accounting_and_turnover_received_is_payment_of_both(database) {
        for (from, to, of_first, of_second) in [
            // 120.00 of each: 20.00 of VAT and 100.00, or a turnover of 120.00 at 10 %.
            ("cash", "flat_rate", [2000, 0, 10_000, 0], [1200, 0, 12_000, 0]),
            ("flat_rate", "cash", [1200, 0, 12_000, 0], [2000, 0, 10_000, 0]),
        ] {
            let case = case(&database, "10", "cash");
            let goes_over = |scheme: &str, date: &str| {
                let percent = if scheme == "cash" { Value::Null } else { json!("10") };
                case.request("PATCH", "").json(&json!({
                    "vat_scheme": scheme, "vat_scheme_from": date, "flat_rate_percent": percent, "flat_rate_basis": "cash"
                })).send().expect(200);
            };
            if from == "cash" {
                goes_over("cash", "2024-04-01");
            }
            let early = case.made("/sales-invoices", &case.sale("2025-06-10", &[case.line("4000", "200", "ST")]));
            let early_note = case.made("/sales-credit-notes", &case.credit("2025-06-11", "100"));
            goes_over(to, "2025-07-01");
            let late = case.made("/sales-invoices", &case.sale("2025-07-10", &[case.line("4000", "200", "ST")]));
            let late_note = case.made("/sales-credit-notes", &case.credit("2025-07-11", "100"));
            let set_off = |note: &Value, invoice: &Value, date: &str| {
                let body = json!({ "date": date, "allocations": [{ "invoice_id": invoice["id"], "amount": "120" }] });
                case.done(&format!("/sales-credit-notes/{}/allocate", note["id"]), &body)
            };
            let together = |one: [i64; 4], sign: i64, other: [i64; 4]| -> [i64; 4] {
                std::array::from_fn(|at| one[at] + sign * other[at])
            };
            // Half of the invoice is paid with what the credit note gives back.
            set_off(&early_note, &late, "2025-08-01");
            assert_eq!(case.boxes("2025-08-01", "2025-08-01"), together(of_second, -1, of_first), "{from} to {to}");
            let other = set_off(&late_note, &early, "2025-08-02");
            assert_eq!(case.boxes("2025-08-02", "2025-08-02"), together(of_first, -1, of_second), "{from} to {to}");
            // Money pays the rest, and what is released is as if it never was.
            case.receipt("2025-08-03", "240", &[(&early, "120"), (&late, "120")]);
            assert_eq!(case.boxes("2025-08-03", "2025-08-03"), together(of_first, 1, of_second), "{from} to {to}");
            let release = json!({ "allocation_ids": [other["allocations"][0]["id"]] });
            case.done(&format!("/sales-credit-notes/{}/unallocate", late_note["id"]), &release);
            assert_eq!(case.boxes("2025-08-02", "2025-08-02"), [0; 4], "{from} to {to}");
        }
    }

    fn what_is_taken_back_goes_at_the_percentage_it_came_at(database) {
        let case = case(&database, "9.5", "invoice");
        case.goes_over("flat_rate", json!("12"), "2025-08-17");
        let sold = |date: &str, net: &str| case.made("/sales-invoices", &case.sale(date, &[case.line("4000", net, "ZR")]));
        let void = |path: &str, made: &Value, date: &str| {
            case.done(&format!("{path}/{}/void", made["id"]), &json!({ "void_date": date }));
        };
        let on = |date: &str| case.boxes(date, date);
        let (first, second) = (sold("2025-07-05", "1000"), sold("2025-07-06", "600"));
        let third = sold("2025-08-18", "50");
        let noted = |date: &str, invoice: &Value, net: &str| case.made("/sales-credit-notes", &json!({
            "customer_id": case.customer, "credit_note_date": date, "invoice_id": invoice["id"], "lines": [case.line("4000", net, "ZR")]
        }));
        let lines = [("1310", "120.00", None), ("4000", "-120.00", Some("ZR"))];
        let journal = case.made("/journals", &case.journal("2025-07-07", &lines));
        // 9.5 % of what July had, 12 % of what late August had.
        void("/sales-invoices", &first, "2025-08-20");
        assert_eq!(on("2025-08-20"), [-9500, 0, -100_000, 0]);
        let note = noted("2025-08-21", &second, "300");
        assert_eq!(on("2025-08-21"), [-2850, 0, -30_000, 0]);
        noted("2025-08-22", &Value::Null, "100");
        assert_eq!(on("2025-08-22"), [-1200, 0, -10_000, 0]);
        void("/journals", &journal, "2025-08-23");
        assert_eq!(on("2025-08-23"), [-1140, 0, -12_000, 0]);
        void("/sales-credit-notes", &note, "2025-08-25");
        assert_eq!(on("2025-08-25"), [2850, 0, 30_000, 0]);
        void("/sales-invoices", &third, "2025-08-26");
        assert_eq!(on("2025-08-26"), [-600, 0, -5000, 0]);
        // As if nothing had been but the second invoice and the last credit note: 57.00 less 12.00.
        assert_eq!(case.boxes("2025-07-01", "2025-09-30"), [4500, 0, 50_000, 0]);
        assert_eq!(case.boxes("2025-08-01", "2025-08-31"), [4500 - 16_340, 0, 50_000 - 172_000, 0]);
        // Another percentage from July on goes for what takes July back too.
        case.goes_over("flat_rate", json!("10"), "2025-07-01");
        case.goes_over("flat_rate", json!("12"), "2025-08-17");
        assert_eq!(on("2025-08-20"), [-10_000, 0, -100_000, 0]);
        assert_eq!(case.boxes("2025-07-01", "2025-09-30"), [4800, 0, 50_000, 0]);
    }

    fn what_comes_late_into_a_recorded_return_goes_at_the_percentage_it_came_at(database) {
        let case = case(&database, "9.5", "invoice");
        case.goes_over("flat_rate", json!("12"), "2025-08-17");
        case.goes_over("flat_rate", json!("10"), "2025-10-01");
        let sold = |date: &str, net: &str| case.made("/sales-invoices", &case.sale(date, &[case.line("4000", net, "ZR")]));
        let sales = [sold("2025-07-05", "1000"), sold("2025-07-06", "500"), sold("2025-09-01", "200"), sold("2025-11-01", "100")];
        let void = |at: usize, date: &str| {
            case.done(&format!("/sales-invoices/{}/void", sales[at]["id"]), &json!({ "void_date": date }));
        };
        void(0, "2025-08-20");
        void(2, "2025-11-05");
        let record = |end: &str| {
            let made = case.made("/vat-returns", &json!({ "period_end": end }));
            ["box1", "box6"].map(|name| pence(&made[name]))
        };
        // 47.50 of the second and 24.00 of the third; then 10.00 less these 24.00.
        assert_eq!(record("2025-09-30"), [7150, 70_000]);
        assert_eq!(record("2025-12-31"), [-1400, -10_000]);
        let late = || {
            let late = case.vat_return("2026-01-01", "2026-03-31")["late"].clone();
            (["box1", "box6"].map(|name| pence(&late[name])), late["count"].as_i64().unwrap())
        };
        assert_eq!(late(), ([0, 0], 0));
        // Within the first, where the percentage changed, and from the first into the second, where it did not.
        void(1, "2025-09-30");
        assert_eq!(late(), ([-4750, -50_000], 1));
        void(3, "2025-12-31");
        assert_eq!(late(), ([-5750, -60_000], 2));
        assert_eq!(case.boxes("2025-07-01", "2025-12-31"), [0; 4]);
    }

    fn a_payment_has_the_percentage_of_its_day_and_is_taken_back_at_it(database) {
        let case = case(&database, "10", "cash");
        let percent = json!({ "vat_scheme": "flat_rate", "vat_scheme_from": "2025-08-17", "flat_rate_percent": "12", "flat_rate_basis": "cash" });
        case.request("PATCH", "").json(&percent).send().expect(200);
        let on = |date: &str| case.boxes(date, date);
        let sale = case.made("/sales-invoices", &case.sale("2025-07-05", &[case.line("4000", "100", "ST")]));
        let first = case.receipt("2025-08-01", "60", &[(&sale, "60")]);
        let second = case.receipt("2025-08-20", "60", &[(&sale, "60")]);
        assert_eq!((on("2025-08-01"), on("2025-08-20")), ([600, 0, 6000, 0], [720, 0, 6000, 0]));
        case.lock("2025-08-31");
        let release = json!({ "allocation_ids": [first["allocations"][0]["id"]] });
        case.done(&format!("/customer-receipts/{}/unallocate", first["id"]), &release);
        assert_eq!(on("2025-09-01"), [-600, 0, -6000, 0]);
        case.done(&format!("/customer-receipts/{}/void", second["id"]), &json!({ "void_date": "2025-09-05" }));
        assert_eq!(on("2025-09-05"), [-720, 0, -6000, 0]);
        assert_eq!(case.boxes("2025-07-01", "2025-09-30"), [0; 4]);
        // Set against it again, the same money is received on that day; and so is a refund.
        case.done(&format!("/customer-receipts/{}/allocate", first["id"]), &json!({ "allocations": to_invoices(&[(&sale, "60")]) }));
        assert_eq!(on("2025-09-05"), [0, 0, 0, 0]);
        let note = case.made("/sales-credit-notes", &json!({
            "customer_id": case.customer, "credit_note_date": "2025-09-08", "invoice_id": sale["id"], "lines": [case.line("4000", "25", "ST")]
        }));
        case.made("/customer-receipts", &json!({
            "customer_id": case.customer, "kind": "refund", "date": "2025-09-10", "amount": "30", "bank_account_id": case.bank,
            "allocations": [{ "credit_note_id": note["id"], "amount": "30" }]
        }));
        assert_eq!(on("2025-09-10"), [-360, 0, -3000, 0]);
    }
}

impl Case {
    /// A credit note of one line at the standard rate, for no invoice.
    fn credit(&self, date: &str, net: &str) -> Value {
        json!({ "customer_id": self.customer, "credit_note_date": date, "lines": [self.line("4000", net, "ST")] })
    }
}
