//! When VAT is declared: credit notes across a change of scheme, and what is settled without money. Whatever happens, what
//! was posted to VAT Control for documents that are settled is in the return, once.

use serde_json::{Value, json};

use super::{Case, entry, these, to_invoices};
use crate::support::database::{Database, on_both_databases};

impl Case {
    /// An organisation under a scheme since the beginning of 2026.
    #[track_caller]
    pub(super) fn under(database: &Database, scheme: &str) -> Self {
        let case = Self::on(database);
        case.change_scheme(scheme, "2026-01-01");
        case
    }

    #[track_caller]
    pub(super) fn change_scheme(&self, scheme: &str, from: &str) {
        let percent = if scheme == "flat_rate" { json!(12.5) } else { Value::Null };
        let patch = json!({
            "vat_registered": true, "vat_scheme": scheme, "vat_scheme_from": from, "flat_rate_percent": percent,
            "vat_period_months": 3, "vat_period_end_month": 3,
        });
        self.request("PATCH", "").json(&patch).send().expect(200);
    }

    /// A document of these lines: account, net, code.
    #[track_caller]
    pub(super) fn document(
        &self,
        path: &str,
        date: &str,
        origin: Option<&Value>,
        lines: &[(&str, &str, &str)],
    ) -> Value {
        let contact =
            if path.starts_with("/sales") { ("customer_id", self.customer) } else { ("supplier_id", self.supplier) };
        let dated = if path.ends_with("notes") { "credit_note_date" } else { "invoice_date" };
        let lines: Vec<Value> = lines.iter().map(|(account, net, code)| self.line(account, net, code)).collect();
        let mut body = json!({ contact.0: contact.1, dated: date, "lines": lines });
        if let Some(origin) = origin {
            body["invoice_id"] = origin["id"].clone();
        }
        self.made(path, &body)
    }

    /// Sets a credit note against an invoice; the allocation's id.
    #[track_caller]
    pub(super) fn set_off(&self, path: &str, note: &Value, invoice: &Value, amount: &str) -> Value {
        let body = json!({ "allocations": to_invoices(&[(invoice, amount)]) });
        let note = self.done(&format!("{path}/{}/allocate", note["id"]), &body);
        note["allocations"].as_array().unwrap().last().unwrap()["id"].clone()
    }

    #[track_caller]
    pub(super) fn take_off(&self, path: &str, note: &Value, allocation: &Value) {
        self.done(&format!("{path}/{}/unallocate", note["id"]), &json!({ "allocation_ids": [allocation] }));
    }

    #[track_caller]
    pub(super) fn pays(&self, date: &str, amount: &str, bill: &Value) {
        let body = json!({
            "supplier_id": self.supplier, "date": date, "amount": amount, "bank_account_id": self.bank,
            "allocations": to_invoices(&[(bill, amount)]),
        });
        self.made("/supplier-payments", &body);
    }

    /// I17 and I18 when everything is settled: VAT Control is what was declared.
    #[track_caller]
    pub fn assert_all_declared(&self) {
        let sign = |side: &str| if side == "output" { -1 } else { 1 };
        let declared: i64 = self.vat().iter().map(|(side, _, _, vat)| sign(side) * vat).sum();
        assert_eq!(self.balance("2200"), declared, "{:?}", self.vat());
    }

    /// What is declared for one day.
    pub(super) fn vat_on(&self, day: &str) -> Vec<(String, String, i64, i64)> {
        self.server.vat_by_code(self.id, day, day)
    }
}

const NOTES: &str = "/sales-credit-notes";
const BACK: &str = "/purchase-credit-notes";

on_both_databases! {
    fn a_credit_note_keeps_the_scheme_of_its_invoice(database) {
        let case = Case::under(&database, "cash");
        let invoice = case.document("/sales-invoices", "2026-03-10", None, &[("4000", "100.00", "ST")]);
        case.change_scheme("flat_rate", "2026-04-01");
        let note = case.document(NOTES, "2026-04-10", Some(&invoice), &[("4000", "20.00", "ST")]);
        assert_eq!(case.posted_by(&note), these(&[("1100", -2_400), ("4000", 2_000), ("2200", 400)]));
        case.set_off(NOTES, &note, &invoice, "24.00");
        assert_eq!(case.vat(), []);
        case.receipt("2026-04-15", "96.00", &[(&invoice, "96.00")]);
        assert_eq!(case.vat_on("2026-04-15"), [entry("output", "ST", 8_000, 1_600)]);
        assert_eq!(case.vat(), [entry("output", "ST", 8_000, 1_600)]);
        case.assert_all_declared();
        assert_eq!(case.balance("4000"), -8_000);
    }

    fn a_bill_and_its_credit_note_empty_vat_control(database) {
        for scheme in ["cash", "standard"] {
            let case = Case::under(&database, scheme);
            let bill = case.document("/purchase-invoices", "2026-03-10", None, &[("7100", "100.00", "ST")]);
            let later = case.document("/purchase-invoices", "2026-03-11", None, &[("7100", "50.00", "ST")]);
            case.change_scheme("flat_rate", "2026-04-01");
            let note = case.document(BACK, "2026-04-11", Some(&bill), &[("7100", "20.00", "ST")]);
            assert_eq!(case.posted_by(&note), these(&[("2100", 2_400), ("7100", -2_000), ("2200", -400)]), "{scheme}");
            case.set_off(BACK, &note, &bill, "24.00");
            case.pays("2026-04-20", "96.00", &bill);
            // One that is drafted first, and one without an invoice, which is under the scheme of its own date.
            let draft = json!({
                "supplier_id": case.supplier, "credit_note_date": "2026-04-12", "invoice_id": later["id"], "issue": false,
                "lines": [case.line("7100", "10.00", "ST")],
            });
            let draft = case.made(BACK, &draft);
            let drafted = case.done(&format!("{BACK}/{}/issue", draft["id"]), &json!({}));
            assert_eq!(case.posted_by(&drafted), these(&[("2100", 1_200), ("7100", -1_000), ("2200", -200)]), "{scheme}");
            case.set_off(BACK, &drafted, &later, "12.00");
            case.pays("2026-04-20", "48.00", &later);
            let other = case.document(BACK, "2026-04-13", None, &[("7100", "20.00", "ST")]);
            assert_eq!(case.posted_by(&other), these(&[("2100", 2_400), ("7100", -2_400)]), "{scheme}");
            assert_eq!(case.vat(), [entry("input", "ST", 12_000, 2_400)], "{scheme}");
            case.assert_all_declared();
        }
    }

    fn credit_of_another_scheme_is_declared_once(database) {
        let case = Case::under(&database, "cash");
        let invoice = case.document("/sales-invoices", "2026-03-10", None, &[("4000", "100.00", "ST")]);
        let early = case.document(NOTES, "2026-03-11", None, &[("4000", "30.00", "ST")]);
        assert_eq!(case.vat(), []);
        case.change_scheme("flat_rate", "2026-04-01");
        // Declared on its own date, so the invoice declares all of its own, and the credit pays a part of it.
        let note = case.document(NOTES, "2026-04-10", None, &[("4000", "20.00", "ST")]);
        assert_eq!(case.vat_on("2026-04-10"), [entry("output", "ST", -2_000, -400)]);
        let allocation = case.set_off(NOTES, &note, &invoice, "24.00");
        assert_eq!(case.vat(), [entry("output", "ST", 0, 0)]);
        case.take_off(NOTES, &note, &allocation);
        assert_eq!(case.vat(), [entry("output", "ST", -2_000, -400)]);
        case.set_off(NOTES, &note, &invoice, "24.00");
        case.receipt("2026-04-15", "96.00", &[(&invoice, "96.00")]);
        assert_eq!(case.vat(), [entry("output", "ST", 8_000, 1_600)]);
        // The other way round: credit that waits is declared when it goes to what does not wait.
        let sale = case.document("/sales-invoices", "2026-04-20", None, &[("4000", "200.00", "ST")]);
        let allocation = case.set_off(NOTES, &early, &sale, "18.00");
        assert_eq!(case.vat_on("2026-04-20"), [entry("output", "ST", 18_500, 3_700)]);
        case.take_off(NOTES, &early, &allocation);
        assert_eq!(case.vat_on("2026-04-20"), [entry("output", "ST", 20_000, 4_000)]);
        case.set_off(NOTES, &early, &sale, "36.00");
        assert_eq!(case.vat(), [entry("output", "ST", 25_000, 5_000)]);
        case.assert_all_declared();
    }

    fn a_document_keeps_its_basis_when_another_scheme_begins(database) {
        let case = Case::under(&database, "standard");
        let invoice = case.document("/sales-invoices", "2026-03-31", None, &[("4000", "100.00", "ST")]);
        case.change_scheme("cash", "2026-04-01");
        let waiting = case.document("/sales-invoices", "2026-04-11", None, &[("4000", "50.00", "ST")]);
        case.receipt("2026-04-15", "120.00", &[(&invoice, "120.00")]);
        assert_eq!(case.vat(), [entry("output", "ST", 10_000, 2_000)]);
        case.change_scheme("flat_rate", "2026-07-01");
        case.receipt("2026-07-16", "60.00", &[(&waiting, "60.00")]);
        assert_eq!(case.vat(), [entry("output", "ST", 15_000, 3_000)]);
        case.assert_all_declared();
    }

    fn capital_goods_that_go_back_are_taken_out_of_the_return(database) {
        let case = Case::under(&database, "flat_rate");
        let bill = case.document("/purchase-invoices", "2026-05-01", None, &[("0040", "2000.00", "ST"), ("7100", "10.00", "ST")]);
        assert_eq!(case.posted_by(&bill), these(&[("2100", -241_200), ("0040", 200_000), ("7100", 1_200), ("2200", 40_000)]));
        let note = case.document(BACK, "2026-05-02", Some(&bill), &[("0040", "500.00", "ST"), ("7100", "5.00", "ST")]);
        assert_eq!(case.posted_by(&note), these(&[("2100", 60_600), ("0040", -50_000), ("7100", -600), ("2200", -10_000)]));
        assert_eq!(case.vat_on("2026-05-02"), [entry("input", "ST", -50_000, -10_000)]);
        // What was not reclaimed is not given back.
        let small = case.document("/purchase-invoices", "2026-05-03", None, &[("0040", "1500.00", "ST")]);
        let large = case.document(BACK, "2026-05-04", Some(&small), &[("0040", "2000.00", "ST")]);
        assert_eq!(case.posted_by(&large), these(&[("2100", 240_000), ("0040", -240_000)]));
        case.assert_all_declared();
    }

    fn a_document_of_nothing_to_pay_declares_its_vat_at_once(database) {
        let case = Case::under(&database, "cash");
        for (day, path, side, account, sign) in [
            ("2026-05-02", "/sales-invoices", "output", "4000", 1), ("2026-05-03", "/purchase-invoices", "input", "7100", 1),
            ("2026-05-04", NOTES, "output", "4000", -1), ("2026-05-05", BACK, "input", "7100", -1),
        ] {
            let lines = [(account, "100.00", "ST"), (account, "-120.00", "ZR")];
            let document = case.document(path, day, None, &lines);
            assert_eq!(document["gross_amount"], json!(0.0));
            assert_eq!(document["status"], if sign > 0 { "paid" } else { "allocated" }, "{path}");
            let expected = [entry(side, "ST", sign * 10_000, sign * 2_000), entry(side, "ZR", -sign * 12_000, 0)];
            assert_eq!(case.vat_on(day), expected, "{path}");
            case.assert_all_declared();
            case.done(&format!("{path}/{}/void", document["id"]), &json!({ "void_date": "2026-05-09" }));
            assert!(case.vat().iter().all(|(_, _, net, vat)| (*net, *vat) == (0, 0)), "{:?}", case.vat());
            assert_eq!(case.balance("2200"), 0);
        }
    }

    fn what_credit_alone_settles_declares_what_is_left(database) {
        for (invoices, notes, side, account) in [
            ("/sales-invoices", NOTES, "output", "4000"), ("/purchase-invoices", BACK, "input", "7100"),
        ] {
            let case = Case::under(&database, "cash");
            let invoice = case.document(invoices, "2026-05-02", None, &[(account, "100.00", "ST")]);
            let first = case.document(notes, "2026-05-03", None, &[(account, "70.00", "ZR")]);
            let second = case.document(notes, "2026-05-04", None, &[(account, "50.00", "ZR")]);
            case.set_off(notes, &first, &invoice, "70.00");
            assert_eq!(case.vat(), [], "{side}");
            let last = case.set_off(notes, &second, &invoice, "50.00");
            let complete = [entry(side, "ST", 10_000, 2_000), entry(side, "ZR", -12_000, 0)];
            assert_eq!(case.vat_on("2026-05-04"), complete);
            case.assert_all_declared();
            // Taken back, and completed by money instead.
            case.take_off(notes, &second, &last);
            assert_eq!(case.vat_on("2026-05-04"), [entry(side, "ST", 0, 0), entry(side, "ZR", 0, 0)]);
            case.set_off(notes, &second, &invoice, "20.00");
            if side == "output" {
                case.receipt("2026-05-06", "30.00", &[(&invoice, "30.00")]);
            } else {
                case.pays("2026-05-06", "30.00", &invoice);
            }
            assert_eq!(case.vat(), [entry(side, "ST", 10_000, 2_000), entry(side, "ZR", -9_000, 0)]);
            case.assert_all_declared();
            // Credit of the same kind leaves nothing.
            let other = case.document(invoices, "2026-05-10", None, &[(account, "100.00", "ST")]);
            let same = case.document(notes, "2026-05-10", Some(&other), &[(account, "100.00", "ST")]);
            case.set_off(notes, &same, &other, "120.00");
            assert_eq!(case.vat_on("2026-05-10"), []);
            case.assert_all_declared();
        }
    }
}
