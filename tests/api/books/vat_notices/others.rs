//! What is not a document: the bank, journals, adjustments, the lock, the scheme, the opening balances.

use serde_json::{Value, json};

use super::lines::{code_text, entered, text};
use super::plan::Step;
use super::random::{Random, mixed};
use super::run::{Allocated, Made, Posted, Run, day_of, iso, scheme_fields};
use crate::books::figures::pence;
use crate::books::vat_notice_model::{
    Code, Document, EnteredLine, Event, Kind, Line, Pence, Scheme, Source, day, share,
};

/// Added to the number of a write-off.
const WRITE_OFFS: usize = 1 << 40;

impl Run<'_> {
    pub(super) fn bank_line(&mut self, step: &Step, random: &mut Random) {
        let parts = entered(random);
        let total: Pence = parts.iter().map(|(_, line)| line.gross).sum();
        if total == 0 {
            return;
        }
        let row = json!({
            "bank_account_id": self.bank, "date": iso(step.on), "amount": text(total), "description": format!("x {}", step.seed),
        });
        let Some(row) = self.ask("POST", "/bank-transactions", &row) else { return };
        let line = |(code, line): &(&str, EnteredLine)| {
            json!({
                "account_code": code, "gross_amount": text(line.gross), "vat_code": code_text(line.code),
                "vat_amount": text(line.vat),
            })
        };
        let body = json!({ "type": "coded", "lines": parts.iter().map(line).collect::<Vec<_>>() });
        if self.ask("POST", &format!("/bank-transactions/{}/confirm", row["id"]), &body).is_some() {
            let lines = parts.into_iter().map(|(_, line)| line).collect();
            let made = self.entry(step, &row, lines);
            self.bank_lines.push(made);
        }
    }

    fn entry(&mut self, step: &Step, record: &Value, lines: Vec<EnteredLine>) -> Made {
        let number = self.entries;
        self.entries += 1;
        self.events.push(Event::Entered { entry: number, on: step.on, lines });
        Made { seed: step.seed, id: record["id"].as_i64().unwrap(), date: step.on, is_void: false, number }
    }

    pub(super) fn unconfirm(&mut self, step: &Step) {
        let Some(at) = oldest(&self.bank_lines, step.seed) else { return };
        let Made { id, date: on, number, .. } = self.bank_lines[at];
        if self.ask("POST", &format!("/bank-transactions/{id}/unconfirm"), &json!({})).is_some() {
            self.bank_lines[at].is_void = true;
            self.events.push(Event::EntryVoided { entry: number, on });
        }
    }

    pub(super) fn journal(&mut self, step: &Step, random: &mut Random) {
        let parts = entered(random);
        let total: Pence = parts.iter().map(|(_, line)| line.gross).sum();
        let side = |amount: Pence| if amount > 0 { "credit" } else { "debit" };
        let mut lines: Vec<Value> = Vec::new();
        for (code, line) in &parts {
            let mut sent = json!({ "account_code": code, "vat_code": code_text(line.code) });
            sent[side(line.gross)] = json!(text(line.gross.abs()));
            if line.code != Code::OutsideTheScope {
                sent["vat_amount"] = json!(text(line.vat.abs()));
            }
            lines.push(sent);
        }
        if total == 0 {
            return;
        }
        let mut counter = json!({ "account_code": "2400" });
        counter[side(-total)] = json!(text(total.abs()));
        lines.push(counter);
        let body = json!({ "entry_date": iso(step.on), "description": "x", "lines": lines });
        if let Some(made) = self.ask("POST", "/journals", &body) {
            let lines = parts.into_iter().map(|(_, line)| line).collect();
            let made = self.entry(step, &made, lines);
            self.journals.push(made);
        }
    }

    pub(super) fn void_journal(&mut self, step: &Step, random: &mut Random) {
        let Some(at) = oldest(&self.journals, step.seed) else { return };
        let Made { id, date: of, number, .. } = self.journals[at];
        let (body, on) = self.void_body(step, of, random);
        if self.ask("POST", &format!("/journals/{id}/void"), &body).is_some() {
            self.journals[at].is_void = true;
            self.events.push(Event::EntryVoided { entry: number, on });
        }
    }

    pub(super) fn adjust(&mut self, step: &Step, random: &mut Random) {
        let boxes: Vec<(usize, Pence)> = (0..random.between(1, 4))
            .map(|_| (random.pick(&[1, 2, 4, 6, 7, 8, 9]), random.between(-20_000, 40_000)))
            .filter(|(_, amount)| *amount != 0)
            .collect();
        let owed = |(number, amount): &(usize, Pence)| match number {
            1 | 2 => *amount,
            4 => -amount,
            _ => 0,
        };
        let entries: Vec<Value> =
            boxes.iter().map(|(number, amount)| json!({ "box": number, "amount": text(*amount) })).collect();
        let mut body = json!({ "date": iso(step.on), "reason": "other", "description": "x", "entries": entries });
        if boxes.iter().map(owed).sum::<Pence>() != 0 {
            body["account_code"] = json!("8200");
        }
        if let Some(made) = self.ask("POST", "/vat-adjustments", &body) {
            let number = self.adjustments.len();
            let (seed, date, id) = (step.seed, step.on, made["id"].as_i64().unwrap());
            self.adjustments.push(Made { seed, id, date, is_void: false, number });
            self.events.push(Event::Adjusted { adjustment: number, on: step.on, boxes });
        }
    }

    pub(super) fn void_adjustment(&mut self, step: &Step, random: &mut Random) {
        let Some(at) = oldest(&self.adjustments, step.seed) else { return };
        let Made { id, date: of, number, .. } = self.adjustments[at];
        let (body, on) = self.void_body(step, of, random);
        if self.ask("POST", &format!("/vat-adjustments/{id}/void"), &body).is_some() {
            self.adjustments[at].is_void = true;
            self.events.push(Event::AdjustmentVoided { adjustment: number, on });
        }
    }

    /// A bad debt: what is written off is due no more, until it is taken back.
    pub(super) fn write_off(&mut self, step: &Step, random: &mut Random) {
        let open = |at: usize, one: &Posted| one.kind == Kind::SalesInvoice && self.left(at) > 0;
        let Some(at) = self.chosen(step.seed, open).first().copied() else { return };
        let amount = if random.chance(50) { self.left(at) } else { share(self.left(at), random.between(1, 99), 100) };
        let body = json!({ "date": iso(step.on.max(self.posted[at].date)), "amount": text(amount.max(1)) });
        let Some(made) = self.ask("POST", &format!("/sales-invoices/{}/write-off", self.posted[at].id), &body) else {
            return;
        };
        let (id, settled, on) = (made["id"].as_i64().unwrap(), pence(&made["amount"]), day_of(&made["date"]));
        // Allocations have numbers of their own, far below.
        let allocation = WRITE_OFFS + usize::try_from(id).unwrap();
        let source = Source::WrittenOff;
        self.allocated.insert(allocation, Allocated { source, to: at, settled, on, settlement: None });
        self.events.push(Event::Allocated { allocation, source, to: at, settled, on });
    }

    pub(super) fn void_write_off(&mut self, step: &Step, random: &mut Random) {
        let written_off = self.allocated.iter().filter(|(_, one)| one.source == Source::WrittenOff);
        let Some((allocation, on)) = written_off
            .min_by_key(|(_, one)| mixed(self.posted[one.to].seed ^ step.seed ^ one.settled.unsigned_abs()))
            .map(|(allocation, one)| (*allocation, one.on))
        else {
            return;
        };
        let (body, _) = self.void_body(step, on, random);
        if let Some(made) = self.ask("POST", &format!("/write-offs/{}/void", allocation - WRITE_OFFS), &body) {
            self.allocated.remove(&allocation);
            self.events.push(Event::Released { allocation, on: day_of(&made["void_date"]) });
        }
    }

    pub(super) fn set_lock(&mut self, step: &Step) {
        // The clock of the tests stands at 10 March 2026.
        let on = (step.on - 60).min(day(2026, 3, 9));
        let body = json!({ "lock_date": iso(on), "reason": "done" });
        if self.ask("PUT", "/period-lock", &body).is_some() {
            self.lock = Some(on);
        }
    }

    pub(super) fn change(&mut self, step: &Step, scheme: Scheme) {
        let mut body = scheme_fields(scheme);
        body["vat_scheme_from"] = json!(iso(step.on));
        if !matches!(scheme, Scheme::FlatRate { .. }) && matches!(self.scheme_on(step.on), Scheme::FlatRate { .. }) {
            body["flat_rate_percent"] = Value::Null;
        }
        if self.ask("PATCH", "", &body).is_some() {
            self.schemes.retain(|(from, _)| *from != step.on);
            self.schemes.push((step.on, scheme));
            self.events.push(Event::Registered { from: step.on, scheme });
        }
    }

    /// Open documents brought in; under cash accounting with their VAT.
    pub(super) fn open(&mut self, step: &Step, random: &mut Random) {
        let is_cash = self.scheme_on(step.on) == Scheme::Cash;
        let kinds = [Kind::SalesInvoice, Kind::PurchaseInvoice, Kind::SalesCreditNote, Kind::PurchaseCreditNote];
        let mut known: Vec<(Kind, Vec<Line>, Pence)> = Vec::new();
        let mut sent = Vec::new();
        let mut control = [0, 0];
        for at in 0..random.between(1, 4) {
            let kind = random.pick(&kinds);
            let mut lines = Vec::new();
            for code in [Code::Standard, Code::Reduced, Code::Zero, Code::OutsideTheScope] {
                let net = random.between(100, 30_000);
                let vat = share(net, code.rate(), 100);
                if random.chance(50) {
                    lines.push(Line {
                        fixed_asset: false,
                        code,
                        net,
                        vat,
                        reverse_charge: None,
                        outside_turnover: false,
                    });
                }
            }
            let says_vat = is_cash && random.chance(80) && !lines.is_empty();
            let amount = lines.iter().map(|line| line.net + line.vat).sum::<Pence>().max(100);
            let (kind_text, sign) = match kind {
                Kind::SalesInvoice => ("sales_invoice", 1),
                Kind::SalesCreditNote => ("sales_credit_note", -1),
                Kind::PurchaseInvoice => ("purchase_invoice", 1),
                Kind::PurchaseCreditNote => ("purchase_credit_note", -1),
            };
            let mut one = json!({
                "type": kind_text, "number": format!("OLD-{at}"), "date": iso(step.on - random.between(0, 90)),
                "amount_due": text(amount),
            });
            one[if kind.is_sale() { "customer_id" } else { "supplier_id" }] =
                json!(if kind.is_sale() { self.customer } else { self.suppliers[0] });
            if says_vat {
                let vat = |line: &Line| json!({ "vat_code": code_text(line.code), "net_amount": text(line.net), "vat_amount": text(line.vat) });
                one["vat"] = lines.iter().map(vat).collect();
            }
            control[usize::from(!kind.is_sale())] += sign * amount;
            known.push((kind, if says_vat { lines } else { Vec::new() }, amount));
            sent.push(one);
        }
        self.post_opening(step, known, &sent, control);
    }

    fn post_opening(&mut self, step: &Step, known: Vec<(Kind, Vec<Line>, Pence)>, sent: &[Value], control: [Pence; 2]) {
        let line = |code: &str, amount: Pence| {
            let side = if amount > 0 { "debit" } else { "credit" };
            json!({ "account_code": code, side: text(amount.abs()) })
        };
        let lines = [("1200", 10_000), ("1100", control[0]), ("2100", -control[1])];
        let lines = lines.iter().filter(|(_, amount)| *amount != 0).map(|(code, amount)| line(code, *amount));
        let body = json!({
            "as_of": iso(step.on), "lines": lines.collect::<Vec<_>>(), "open_documents": sent,
            "balance_to_account_code": "3200", "lock_period": step.seed.is_multiple_of(2),
        });
        let Some(made) = self.ask("POST", "/opening-balances", &body) else { return };
        self.lock = (!made["lock_date"].is_null()).then(|| day_of(&made["lock_date"]));
        let documents = made["documents"].as_array().unwrap();
        assert_eq!(documents.len(), known.len(), "{made}");
        for ((at, (kind, lines, gross)), document) in (0..).zip(known).zip(documents) {
            assert_eq!(pence(&document["gross_amount"]), gross, "{document}");
            let (seed, date) = (mixed(step.seed ^ at), step.on);
            let contact = if kind.is_sale() { self.customer } else { self.suppliers[0] };
            let is = Document {
                kind,
                date,
                due: None,
                lines,
                outside_cash_accounting: false,
                origin: None,
                opening: Some(gross),
            };
            self.events.push(Event::Issued { document: self.posted.len(), is });
            let id = document["id"].as_i64().unwrap();
            let drafted = Vec::new();
            self.posted.push(Posted { seed, id, kind, contact, date, gross, payable: None, drafted, is_void: false });
        }
    }
}

/// One that still stands, chosen by the step.
fn oldest(of: &[Made], seed: u64) -> Option<usize> {
    let open = of.iter().enumerate().filter(|(_, one)| !one.is_void);
    open.min_by_key(|(_, one)| mixed(one.seed ^ seed)).map(|(at, _)| at)
}
