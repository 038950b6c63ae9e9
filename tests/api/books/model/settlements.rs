//! Random receipts, payments and refunds, with what they are set against.

use serde_json::{Value, json};

use super::super::figures::pence;
use super::Writer;
use super::journals::{WITHOUT_VAT, money};
use super::state::{Allocation, DocumentState, Party, RowState, Settlement, Sides, rounded, text};

/// What a settlement is to be set against: the party, cash and what it settles.
type Wish = (Party, i64, i64);

impl Writer<'_> {
    pub fn settlement_path(&self, at: usize) -> String {
        let one = &self.state.settlements[at];
        let path =
            if self.state.contacts[one.contact].is_customer { "/customer-receipts" } else { "/supplier-payments" };
        format!("{path}/{}", one.id)
    }

    /// Whether a refund of it stands in the way, or a later part payment of the same bill.
    pub fn is_held(&self, settlement: usize) -> bool {
        let party = Party::Settlement(settlement);
        let live = || self.state.allocations.iter().enumerate().filter(|(_, one)| one.is_live());
        let is_refunded = live().any(|(_, one)| one.target == party);
        let is_followed = live().filter(|(_, one)| one.source == party).any(|(at, own)| match own.target {
            Party::Document(bill) if self.state.documents[bill].deduction > 0 => {
                live().any(|(later, one)| later > at && one.target == own.target)
            }
            _ => false,
        });
        is_refunded || is_followed
    }

    /// Takes a settlement back: its journals and what it was set against.
    pub fn undo_settlement(&mut self, at: usize, date: i64) {
        for journal in self.state.settlements[at].journals.clone() {
            // What was withheld later, with an allocation of a later day, cannot be taken back before that.
            let own = self.state.journals[journal].date;
            self.state.reverse(journal, date.max(own));
        }
        self.state.settlements[at].is_void = true;
        for allocation in &mut self.state.allocations {
            if allocation.source == Party::Settlement(at) {
                allocation.release(date);
            }
        }
    }

    /// What a payment on a bill settles: cumulative, so that the last one completes it.
    fn settles(&self, bill: usize, cash: i64) -> i64 {
        let document = &self.state.documents[bill];
        if document.deduction == 0 {
            return cash;
        }
        let payable = i128::from(document.gross - document.deduction);
        let paid = i128::from(self.state.cash(bill) + cash);
        rounded(i128::from(document.gross) * paid, payable) - self.state.settled(bill).0
    }

    /// Cash that is still to be paid on an invoice.
    fn payable(&self, invoice: usize) -> i64 {
        let document = &self.state.documents[invoice];
        match document.deduction {
            0 => self.state.due(invoice),
            deduction => document.gross - deduction - self.state.cash(invoice),
        }
    }

    /// Up to two things to set this money against; what is wrong with them.
    fn wishes(&mut self, contact: usize, is_refund: bool, amount: i64, refusals: &mut Vec<&'static str>) -> Vec<Wish> {
        let mut wishes: Vec<Wish> = Vec::new();
        let mut left = amount;
        for _ in 0..self.random.below(3) {
            let mut wrong = Vec::new();
            let (party, room) = if is_refund {
                let Some(found) = self.credit_of(contact) else { continue };
                found
            } else {
                let Some(invoice) = self.invoice_of(contact, &mut wrong) else { continue };
                if wishes.iter().any(|(party, _, _)| *party == Party::Document(invoice)) {
                    continue;
                }
                let room = if wrong.is_empty() { self.payable(invoice) } else { 1 };
                (Party::Document(invoice), room)
            };
            if wishes.iter().any(|(other, _, _)| *other == party) || room <= 0 || left <= 0 {
                continue;
            }
            refusals.extend(wrong);
            let mut cash = room.min(left);
            match self.random.below(12) {
                0 => cash = room + 1,
                1 => cash = left + 1,
                2..5 => cash = (cash / 2).max(1),
                _ => {}
            }
            if cash > room || cash > left {
                refusals.push("over_allocated");
            }
            left -= cash;
            let settled = match party {
                Party::Document(of) if !is_refund => self.settles(of, cash),
                _ => cash,
            };
            wishes.push((party, cash, settled));
        }
        wishes
    }

    /// Money on account or a credit note that a refund may give back, and how much.
    fn credit_of(&mut self, contact: usize) -> Option<(Party, i64)> {
        let mut found: Vec<(Party, i64)> = Vec::new();
        for (at, one) in self.state.settlements.iter().enumerate() {
            if one.contact == contact && !one.is_refund && self.state.unallocated(at) > 0 {
                found.push((Party::Settlement(at), self.state.unallocated(at)));
            }
        }
        for (at, one) in self.state.documents.iter().enumerate() {
            let left = one.gross - self.state.used(Party::Document(at));
            if one.contact == contact && one.is_credit && one.state == DocumentState::Issued && left > 0 {
                found.push((Party::Document(at), left));
            }
        }
        self.random.pick(&found).copied()
    }

    fn wishes_json(&self, contact: usize, wishes: &[Wish]) -> Value {
        let own = if self.state.contacts[contact].is_customer { "receipt_id" } else { "payment_id" };
        let one = |(party, cash, _): &Wish| match party {
            Party::Settlement(at) => json!({ own: self.state.settlements[*at].id, "amount": money(*cash) }),
            Party::Document(at) => {
                let document = &self.state.documents[*at];
                let key = if document.is_credit { "credit_note_id" } else { "invoice_id" };
                json!({ key: document.id, "amount": money(*cash) })
            }
            Party::WriteOff(_) => unreachable!("money is not set against a write-off"),
        };
        wishes.iter().map(one).collect()
    }

    /// Puts an accepted settlement into the model.
    fn settled(
        &mut self,
        id: i64,
        contact: usize,
        is_refund: bool,
        (day, amount, through): (i64, i64, (Option<usize>, String)),
        wishes: &[Wish],
    ) -> usize {
        let is_customer = self.state.contacts[contact].is_customer;
        let days = self.allocation_days(day, wishes);
        let withheld =
            wishes.iter().zip(&days).filter(|(_, at)| **at == day).map(|((_, cash, settled), _)| settled - cash);
        let cis: i64 = withheld.sum();
        // Money in is a receipt, or a supplier's refund.
        let direction = if is_customer == is_refund { -1 } else { 1 };
        let control = if is_customer { "1100" } else { "2100" };
        let sides = Sides::from([
            (through.1.clone(), direction * amount),
            (control.to_owned(), -direction * (amount + cis)),
            ("2220".to_owned(), direction * cis),
        ]);
        let source_type = match (is_customer, is_refund) {
            (true, false) => "customer_receipt",
            (true, true) => "customer_refund",
            (false, false) => "supplier_payment",
            (false, true) => "supplier_refund",
        };
        let journal = self.state.post(day, source_type, sides, vec![(contact, -direction * (amount + cis))]);
        let journals = vec![journal];
        self.state.settlements.push(Settlement {
            id,
            contact,
            is_refund,
            day,
            amount,
            cis,
            bank: through.0,
            code: through.1,
            journals,
            is_void: false,
        });
        let at = self.state.settlements.len() - 1;
        self.set_against(at, wishes, Some(day));
        at
    }

    /// When money of a day counts for each thing it is set against.
    fn allocation_days(&self, day: i64, wishes: &[Wish]) -> Vec<i64> {
        let open = self.state.lock.map_or(i64::MIN, |lock| lock + 1);
        wishes.iter().map(|(target, _, _)| self.state.earliest(*target).max(day).max(open)).collect()
    }

    /// What is withheld with an allocation of another day than the payment's is posted on that day.
    fn set_against(&mut self, at: usize, wishes: &[Wish], with_payment: Option<i64>) {
        let (own_day, contact) = (self.state.earliest(Party::Settlement(at)), self.state.settlements[at].contact);
        let days = self.allocation_days(own_day, wishes);
        let mut later: Vec<(i64, i64)> = Vec::new();
        for ((target, cash, settled), day) in wishes.iter().zip(days) {
            if Some(day) != with_payment && settled != cash {
                later.push((day, settled - cash));
            }
            let (source, target, cash, settled) = (Party::Settlement(at), *target, *cash, *settled);
            self.state.allocations.push(Allocation { source, target, day, cash, settled, released: None });
        }
        for (day, cis) in later {
            let sides = Sides::from([("2100".to_owned(), cis), ("2220".to_owned(), -cis)]);
            let journal = self.state.post(day, "supplier_payment", sides, vec![(contact, cis)]);
            self.state.settlements[at].journals.push(journal);
            self.state.settlements[at].cis += cis;
        }
    }

    /// A receipt, payment or refund entered by hand.
    pub fn settle(&mut self) {
        let contact = self.random.index(self.state.contacts.len());
        let party = self.state.contacts[contact].clone();
        let is_refund = self.random.chance(20);
        let (day, amount, bank) = (self.any_day(), self.amount(), self.random.index(2));
        let bank = Some(bank).filter(|_| self.random.chance(75));
        let mut refusals = Vec::new();
        let wishes = self.wishes(contact, is_refund, amount, &mut refusals);
        if self.state.is_closed(day) {
            refusals.push("period_locked");
        }
        let (contact_key, plain) =
            if party.is_customer { ("customer_id", "receipt") } else { ("supplier_id", "payment") };
        let mut body = json!({
            contact_key: party.id, "date": text(day), "amount": money(amount),
            "kind": if is_refund { "refund" } else { plain }, "allocations": self.wishes_json(contact, &wishes),
        });
        let code = match bank {
            Some(bank) => self.state.banks[bank].code.clone(),
            None => self.pick(&WITHOUT_VAT).to_owned(),
        };
        match bank {
            Some(bank) => body["bank_account_id"] = json!(self.state.banks[bank].id),
            None if self.random.chance(50) => body["account_code"] = json!(code),
            None => body["account_id"] = json!(self.account(&code)),
        }
        if bank.is_none() && self.random.chance(10) {
            body.as_object_mut().unwrap().remove("account_id");
            body["account_code"] = json!(self.pick(&["4000", "7100", "1100", "2100", "2200"]));
            refusals.push("wrong_account_type");
        }
        let path = if party.is_customer { "/customer-receipts" } else { "/supplier-payments" };
        if let Some(data) = self.send("POST", path, &body, &refusals, 201) {
            let cis: i64 = wishes.iter().map(|(_, cash, settled)| settled - cash).sum();
            assert_eq!(pence(&data["cis_amount"]), cis, "{}: {data}\nto {body}\n{wishes:?}", self.place);
            self.settled(data["id"].as_i64().unwrap(), contact, is_refund, (day, amount, (bank, code)), &wishes);
        }
    }

    /// The same out of a bank row, or a row matched with one that is there.
    pub fn settle_by_row(&mut self) {
        if self.random.chance(25) {
            return self.match_settlement();
        }
        let Some((row, mut refusals)) = self.row_to_confirm() else { return };
        let line = self.state.rows[row].clone();
        let contact = self.random.index(self.state.contacts.len());
        let party = self.state.contacts[contact].clone();
        let is_refund = party.is_customer == (line.amount < 0);
        let wishes = self.wishes(contact, is_refund, line.amount.abs(), &mut refusals);
        let (key, kind) = match (party.is_customer, is_refund) {
            (true, false) => ("customer_id", "customer_receipt"),
            (true, true) => ("customer_id", "customer_refund"),
            (false, false) => ("supplier_id", "supplier_payment"),
            (false, true) => ("supplier_id", "supplier_refund"),
        };
        let body = json!({ "type": kind, key: party.id, "allocations": self.wishes_json(contact, &wishes) });
        if let Some(data) = self.send("POST", &self.confirm_path(row), &body, &refusals, 200) {
            let field = if party.is_customer { "customer_receipt_id" } else { "supplier_payment_id" };
            let id = data[field].as_i64().unwrap_or_else(|| panic!("{}: no {field}: {data}", self.place));
            let through = (Some(line.bank), self.state.banks[line.bank].code.clone());
            let terms = (line.day, line.amount.abs(), through);
            let at = self.settled(id, contact, is_refund, terms, &wishes);
            self.state.rows[row].state = RowState::Settled(at);
        }
    }

    /// The bank's row of a settlement that was entered by hand: it must not be counted twice.
    fn match_settlement(&mut self) {
        let found: Vec<usize> = (0..self.state.settlements.len())
            .filter(|at| !self.state.settlements[*at].is_void && self.state.row_of_settlement(*at).is_none())
            .collect();
        let Some(at) = self.random.pick(&found).copied() else { return };
        let one = self.state.settlements[at].clone();
        let is_customer = self.state.contacts[one.contact].is_customer;
        let direction = if is_customer == one.is_refund { -1 } else { 1 };
        let day = one.day + 2;
        if self.state.is_closed(day) {
            return;
        }
        let wrong = i64::from(self.random.chance(20));
        let bank = one.bank.unwrap_or(0);
        let body = json!({
            "bank_account_id": self.state.banks[bank].id, "date": text(day), "description": "SETTLED",
            "amount": money(direction * (one.amount + wrong)),
        });
        let Some(data) = self.send_once("POST", "/bank-transactions", &body, &[], 201) else { return };
        if data["status"] != "unconfirmed" {
            panic!("{}: linked to something: {data}", self.place);
        }
        self.state.rows.push(super::state::Row {
            id: data["id"].as_i64().unwrap(),
            bank,
            day,
            amount: direction * (one.amount + wrong),
            text: "SETTLED".to_owned(),
            state: RowState::Unconfirmed,
        });
        let row = self.state.rows.len() - 1;
        let field = if is_customer { "customer_receipt_id" } else { "supplier_payment_id" };
        let refusals: &[&str] = match one.bank {
            None => &["bank_account_mismatch"],
            Some(_) if wrong == 1 => &["amount_mismatch"],
            Some(_) => &[],
        };
        let body = json!({ "type": "match", field: one.id });
        if self.send("POST", &self.confirm_path(row), &body, refusals, 200).is_some() {
            self.state.rows[row].state = RowState::MatchedSettlement(at);
        }
    }

    fn any_settlement(&mut self, is_wanted: impl Fn(&Settlement) -> bool) -> Option<usize> {
        let found: Vec<usize> =
            (0..self.state.settlements.len()).filter(|at| is_wanted(&self.state.settlements[*at])).collect();
        self.random.pick(&found).copied()
    }

    /// Sets more of the money against invoices.
    pub fn allocate(&mut self) {
        let Some(at) = self.any_settlement(|one| !one.is_refund) else { return };
        let one = self.state.settlements[at].clone();
        let mut refusals = Vec::new();
        if one.is_void {
            refusals.push("invalid_state");
        }
        let left = if one.is_void { one.amount } else { self.state.unallocated(at) };
        let wishes = self.wishes(one.contact, false, left, &mut refusals);
        if wishes.is_empty() {
            return;
        }
        let body = json!({ "allocations": self.wishes_json(one.contact, &wishes) });
        let path = format!("{}/allocate", self.settlement_path(at));
        if self.send("POST", &path, &body, &refusals, 200).is_some() {
            self.set_against(at, &wishes, None);
        }
    }

    pub fn unallocate(&mut self) {
        let Some(at) = self.any_settlement(|one| !one.is_refund && !one.is_void) else { return };
        self.release_one(&self.settlement_path(at), Party::Settlement(at));
    }

    pub fn void_settlement(&mut self) {
        let Some(at) = self.any_settlement(|_| true) else { return };
        if self.is_held(at) {
            return self.void_refunded(at);
        }
        let one = self.state.settlements[at].clone();
        let mut refusals = Vec::new();
        if one.is_void {
            refusals.push("invalid_state");
        }
        let (date, body) = self.void_body((one.day, self.state.earliest(Party::Settlement(at))), &mut refusals);
        let path = format!("{}/void", self.settlement_path(at));
        if self.send("POST", &path, &body, &refusals, 200).is_some() {
            if let Some(row) = self.state.row_of_settlement(at) {
                self.state.rows[row].state = RowState::Unconfirmed;
            }
            self.undo_settlement(at, date);
        }
    }

    /// What was refunded is either held by its refund, or gives the refund free: the rules leave it open.
    fn void_refunded(&mut self, at: usize) {
        let one = self.state.settlements[at].clone();
        let is_cis = self.state.contacts[one.contact].cis.is_some();
        if is_cis || one.is_void || self.state.is_closed(one.day) {
            return;
        }
        let path = format!("{}/void", self.settlement_path(at));
        let answer = self.answer("POST", &path, &json!({}));
        let is_kept = answer.status == 409;
        let refusals: &[&str] = if is_kept { &["has_allocations"] } else { &[] };
        if self.judged(&answer, &Value::Null, refusals, 200) {
            if let Some(row) = self.state.row_of_settlement(at) {
                self.state.rows[row].state = RowState::Unconfirmed;
            }
            let date = self.state.earliest(Party::Settlement(at));
            self.undo_settlement(at, date);
            for allocation in self.state.allocations.iter_mut().filter(|one| one.target == Party::Settlement(at)) {
                allocation.release(date);
            }
        }
    }
}
