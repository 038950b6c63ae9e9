//! Fixed assets that are sold for money or in a journal: output, boxes 1 and 6, never less of what is reclaimed (VAT Notice
//! 700/12). Side, net and VAT are those of the VAT sub-ledger, of which the return is a sum.

use serde_json::{Value, json};

use super::{Case, entry, these};
use crate::books::reason;
use crate::support::database::on_both_databases;

impl Case {
    /// A part of a bank line.
    pub fn part(&self, account: &str, gross: &str, vat_code: &str) -> Value {
        json!({ "account_id": self.account_id(account), "gross_amount": gross, "vat_code": vat_code })
    }

    /// A journal of lines: account, debit (credits have a minus), VAT code.
    pub fn journal(&self, date: &str, lines: &[(&str, &str, Option<&str>)]) -> Value {
        let line = |(account, amount, code): &(&str, &str, Option<&str>)| {
            let (side, amount) = amount.strip_prefix('-').map_or(("debit", *amount), |amount| ("credit", amount));
            let mut line = json!({ "account_code": account, side: amount });
            if let Some(code) = code {
                line["vat_code"] = json!(code);
            }
            line
        };
        let lines: Vec<Value> = lines.iter().map(line).collect();
        json!({ "entry_date": date, "description": "Assets", "lines": lines })
    }
}

const SOLD: [(&str, &str, Option<&str>); 2] = [("1310", "1200.00", None), ("0030", "-1200.00", Some("ST"))];

on_both_databases! {
    fn money_in_on_a_fixed_asset_is_its_sale(database) {
        let case = Case::on(&database);
        let row = case.row("2026-02-01", "1200.00");
        let sold = case.confirm(&row, &json!({ "account_id": case.account_id("0030"), "vat_code": "ST" })).expect(200)["data"].clone();
        assert_eq!(case.posted_by(&sold), these(&[("1200", 120_000), ("0030", -100_000), ("2200", -20_000)]));
        assert_eq!(case.vat(), [entry("output", "ST", 100_000, 20_000)]);
        // Taken back on the same side.
        case.done(&format!("/bank-transactions/{}/unconfirm", row["id"]), &json!({}));
        assert_eq!(case.vat(), [entry("output", "ST", 0, 0)]);
        // As a part of lines, of a batch, and as what a person saved.
        case.confirm(&row, &json!({ "lines": [case.part("0050", "1200.00", "ST")] })).expect(200);
        let batched = case.row("2026-02-02", "60.00");
        let saved = case.row("2026-02-03", "84.00");
        let one = json!({ "id": batched["id"], "account_id": case.account_id("0040"), "vat_code": "ST" });
        case.done("/bank-transactions/confirm-batch", &json!({ "items": [one] }));
        let patch = json!({ "account_id": case.account_id("0040"), "vat_code": "RR" });
        case.request("PATCH", &format!("/bank-transactions/{}", saved["id"])).json(&patch).send().expect(200);
        case.confirm(&saved, &json!({})).expect(200);
        assert_eq!(case.vat(), [entry("output", "RR", 8_000, 400), entry("output", "ST", 105_000, 21_000)]);
        // Without VAT it is in no box; zero-rated and exempt it is in box 6.
        for (date, code) in [("2026-03-01", "NV"), ("2026-03-02", "ZR"), ("2026-03-03", "EX")] {
            let row = case.row(date, "10.00");
            case.confirm(&row, &json!({ "account_id": case.account_id("0040"), "vat_code": code })).expect(200);
        }
        assert_eq!(case.vat_on("2026-03-01"), []);
        assert_eq!(case.vat_on("2026-03-02"), [entry("output", "ZR", 1_000, 0)]);
        assert_eq!(case.vat_on("2026-03-03"), [entry("output", "EX", 1_000, 0)]);
        case.assert_all_declared();
    }

    fn what_is_paid_for_an_asset_stays_a_purchase(database) {
        let case = Case::on(&database);
        let row = case.row("2026-02-01", "-2400.00");
        case.confirm(&row, &json!({ "account_id": case.account_id("0030"), "vat_code": "ST" })).expect(200);
        assert_eq!(case.vat(), [entry("input", "ST", 200_000, 40_000)]);
        // What comes back for any other asset is still less bought.
        let row = case.row("2026-02-02", "12.00");
        case.confirm(&row, &json!({ "account_id": case.account_id("1300"), "vat_code": "ST" })).expect(200);
        assert_eq!(case.vat(), [entry("input", "ST", 199_000, 39_800)]);
        // What the supplier gives back for the asset is a credit note, and a refund of it.
        let note = case.document("/purchase-credit-notes", "2026-02-03", None, &[("0030", "500.00", "ST")]);
        let row = case.row("2026-02-04", "600.00");
        let refund = json!({
            "type": "supplier_refund", "supplier_id": case.supplier,
            "allocations": [{ "credit_note_id": note["id"], "amount": "600.00" }],
        });
        case.confirm(&row, &refund).expect(200);
        assert_eq!(case.vat(), [entry("input", "ST", 149_000, 29_800)]);
        assert_eq!((case.balance("0030"), case.balance("2100")), (150_000, 0));
        case.assert_all_declared();
    }

    fn an_asset_traded_in_is_sold_within_the_purchase(database) {
        let case = Case::on(&database);
        let row = case.row("2026-02-01", "-2400.00");
        let lines = json!({ "lines": [case.part("0050", "-3600.00", "ST"), case.part("0050", "1200.00", "ST")] });
        let traded = case.confirm(&row, &lines).expect(200)["data"].clone();
        assert_eq!(case.posted_by(&traded), these(&[("1200", -240_000), ("0050", 200_000), ("2200", 40_000)]));
        assert_eq!(case.vat(), [entry("input", "ST", 300_000, 60_000), entry("output", "ST", 100_000, 20_000)]);
        case.done(&format!("/bank-transactions/{}/unconfirm", row["id"]), &json!({}));
        assert_eq!(case.vat(), [entry("input", "ST", 0, 0), entry("output", "ST", 0, 0)]);
        // Our own figure of the VAT is a penny off at most, as on any sale.
        let mut sold = case.part("0050", "1200.00", "ST");
        sold["vat_amount"] = json!("200.02");
        let row = case.row("2026-02-02", "1200.00");
        let before = case.server.rows_of("journal");
        assert_eq!(reason(&case.confirm(&row, &json!({ "lines": [sold] }))), "vat_amount_out_of_tolerance");
        assert_eq!(case.server.rows_of("journal"), before);
        sold["vat_amount"] = json!("200.01");
        case.confirm(&row, &json!({ "lines": [sold] })).expect(200);
        assert_eq!(case.vat_on("2026-02-02"), [entry("output", "ST", 99_999, 20_001)]);
    }

    fn a_credit_of_a_fixed_asset_in_a_journal_is_its_sale(database) {
        let case = Case::on(&database);
        let sold = case.made("/journals", &case.journal("2026-02-01", &SOLD));
        let posted = json!({ "journal_id": sold["id"] });
        assert_eq!(case.posted_by(&posted), these(&[("1310", 120_000), ("0030", -100_000), ("2200", -20_000)]));
        assert_eq!(case.vat(), [entry("output", "ST", 100_000, 20_000)]);
        case.done(&format!("/journals/{}/void", sold["id"]), &json!({ "void_date": "2026-02-10" }));
        assert_eq!(case.vat_on("2026-02-10"), [entry("output", "ST", -100_000, -20_000)]);
        // A debit is bought, in the same journal too; depreciation has no code and is in no box.
        let lines = [("0040", "600.00", Some("ST")), ("0050", "-240.00", Some("ST")), ("1310", "-360.00", None)];
        case.made("/journals", &case.journal("2026-03-01", &lines));
        assert_eq!(case.vat_on("2026-03-01"), [entry("input", "ST", 50_000, 10_000), entry("output", "ST", 20_000, 4_000)]);
        case.made("/journals", &case.journal("2026-03-02", &[("8000", "50.00", None), ("0031", "-50.00", None)]));
        assert_eq!(case.vat_on("2026-03-02"), []);
        // Imported, it is the same.
        let import = case.made("/imports", &json!({ "kind": "journals", "rows": [case.journal("2026-03-03", &SOLD)] }));
        case.done(&format!("/imports/{}/confirm", import["id"]), &json!({ "token": import["token"] }));
        assert_eq!(case.vat_on("2026-03-03"), [entry("output", "ST", 100_000, 20_000)]);
        case.assert_all_declared();
    }

    fn a_sale_of_an_asset_is_declared_under_every_scheme(database) {
        for scheme in ["cash", "flat_rate"] {
            let case = Case::under(&database, scheme);
            // Under the flat rate the price is turnover: the VAT charged goes to VAT Control, as on any sale.
            let row = case.row("2026-02-01", "1200.00");
            let sold = case.confirm(&row, &json!({ "account_id": case.account_id("0030"), "vat_code": "ST" })).expect(200)["data"].clone();
            assert_eq!(case.posted_by(&sold), these(&[("1200", 120_000), ("0030", -100_000), ("2200", -20_000)]), "{scheme}");
            assert_eq!(case.vat_on("2026-02-01"), [entry("output", "ST", 100_000, 20_000)], "{scheme}");
            case.made("/journals", &case.journal("2026-02-02", &SOLD));
            assert_eq!(case.vat_on("2026-02-02"), [entry("output", "ST", 100_000, 20_000)], "{scheme}");
            case.assert_all_declared();
        }
        // What is traded in makes the purchase no smaller: 2,400.00 is capital goods of 2,000.00 or more, 1,800.00 is not.
        let case = Case::under(&database, "flat_rate");
        let row = case.row("2026-02-03", "-1800.00");
        case.confirm(&row, &json!({ "lines": [case.part("0050", "-2400.00", "ST"), case.part("0050", "600.00", "ST")] })).expect(200);
        assert_eq!(case.vat_on("2026-02-03"), [entry("input", "ST", 200_000, 40_000), entry("output", "ST", 50_000, 10_000)]);
        let lines = [("0050", "2400.00", Some("ST")), ("0040", "-600.00", Some("ST")), ("1310", "-1800.00", None)];
        case.made("/journals", &case.journal("2026-02-04", &lines));
        assert_eq!(case.vat_on("2026-02-04"), [entry("input", "ST", 200_000, 40_000), entry("output", "ST", 50_000, 10_000)]);
        let row = case.row("2026-02-05", "-1200.00");
        case.confirm(&row, &json!({ "lines": [case.part("0050", "-1800.00", "ST"), case.part("0050", "600.00", "ST")] })).expect(200);
        assert_eq!(case.vat_on("2026-02-05"), [entry("output", "ST", 50_000, 10_000)]);
        case.assert_all_declared();
    }
}
