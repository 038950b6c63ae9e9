//! The flat rate over HTTP: which purchases are capital goods, credit between bases, and the percentage of what is taken back.

use serde_json::{Value, json};

use super::cases::Case;
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
}

impl Case {
    /// A credit note of one line at the standard rate, for no invoice.
    fn credit(&self, date: &str, net: &str) -> Value {
        json!({ "customer_id": self.customer, "credit_note_date": date, "lines": [self.line("4000", net, "ST")] })
    }
}
