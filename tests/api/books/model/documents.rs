//! Random invoices, bills and credit notes.

use serde_json::{Value, json};

use super::Writer;
use super::journals::{CODES, money};
use super::state::{
    Allocation, Boxes, Document, DocumentState, Party, Sides, added, boxes, rounded, text, vat_inside, vat_on,
};

/// Where a kind of document lives, and the names its bodies use.
struct Names {
    path: &'static str,
    contact: &'static str,
    date: &'static str,
    source_type: &'static str,
}

const fn names(is_sale: bool, is_credit: bool) -> Names {
    let (path, source_type) = match (is_sale, is_credit) {
        (true, false) => ("/sales-invoices", "sales_invoice"),
        (true, true) => ("/sales-credit-notes", "sales_credit_note"),
        (false, false) => ("/purchase-invoices", "purchase_invoice"),
        (false, true) => ("/purchase-credit-notes", "purchase_credit_note"),
    };
    let contact = if is_sale { "customer_id" } else { "supplier_id" };
    let date = if is_credit { "credit_note_date" } else { "invoice_date" };
    Names { path, contact, date, source_type }
}

impl Document {
    /// Where it is found.
    pub fn path(&self) -> String {
        format!("{}/{}", names(self.is_sale, self.is_credit).path, self.id)
    }

    fn source_type(&self) -> &'static str {
        names(self.is_sale, self.is_credit).source_type
    }

    /// What its issue does to the contact on the control account.
    fn effect(&self) -> i64 {
        if self.is_sale == self.is_credit { -self.gross } else { self.gross }
    }
}

/// Four decimals as text.
fn decimal4(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}.{:04}", value.abs() / 10_000, value.abs() % 10_000)
}

impl Writer<'_> {
    /// Draws up a document, mostly issuing it at once.
    pub fn draw_up(&mut self) {
        let contact = self.random.index(self.state.contacts.len());
        let party = self.state.contacts[contact].clone();
        let is_credit = party.cis.is_none() && self.random.chance(25);
        let names = names(party.is_customer, is_credit);
        let inclusive = self.random.chance(25);
        let accounts: &[&str] =
            if party.is_customer { &["4000", "4100", "2410", "0030"] } else { &["5000", "7100", "7200", "0030"] };
        let mut lines = Vec::new();
        let mut sides = Sides::new();
        let (mut total_net, mut total_vat, mut labour) = (0, 0, 0);
        let (mut declared, sign) = (Boxes::default(), if is_credit { -1 } else { 1 });
        let direction = if party.is_customer == is_credit { 1 } else { -1 };
        for _ in 0..self.random.between(1, 5) {
            let quantity = self.pick(&[10_000, 10_000, 30_000, 75_000, 3_333, 12_500]);
            let is_negative = !is_credit && self.random.chance(12);
            let price = i64::try_from(self.random.between(1, 4_000_000)).unwrap() * if is_negative { -1 } else { 1 };
            let discount = self.pick(&[0, 0, 0, 1_000, 750, 3_333]);
            let vat_code = self.pick(&CODES);
            let product = i128::from(quantity) * i128::from(price) * i128::from(10_000 - discount);
            let amount = rounded(product, 10_000_000_000);
            let vat = if inclusive { vat_inside(amount, vat_code) } else { vat_on(amount, vat_code) };
            let net = if inclusive { amount - vat } else { amount };
            let code = self.pick(accounts);
            let mut line = json!({
                "description": "Random", "account_id": self.account(code), "quantity": decimal4(quantity),
                "unit_price": decimal4(price), "vat_code": vat_code,
                "discount_percent": serde_json::from_str::<Value>(&money(discount)).unwrap(),
            });
            if party.cis.is_some() {
                // What does not say it is labour.
                let cis_type = self.pick(&["", "labour", "labour", "materials", "none"]);
                if !cis_type.is_empty() {
                    line["cis_type"] = json!(cis_type);
                }
                labour += if matches!(cis_type, "" | "labour") { net } else { 0 };
            }
            lines.push(line);
            *sides.entry(code.to_owned()).or_default() += direction * net;
            (total_net, total_vat) = (total_net + net, total_vat + vat);
            declared = added(declared, boxes(party.is_customer, vat_code, sign * net, sign * vat));
        }
        let gross = total_net + total_vat;
        let deduction = rounded(i128::from(party.cis.unwrap_or(0) * labour), 100);
        if deduction < 0 || (gross == 0 || gross - deduction <= 0) && gross >= 0 {
            // Nothing to be paid: another kind of test.
            return;
        }
        *sides.entry("2200".to_owned()).or_default() += direction * total_vat;
        sides.insert(if party.is_customer { "1100" } else { "2100" }.to_owned(), -direction * gross);
        let is_issued = self.random.chance(80);
        let date = self.any_day();
        let mut refusals = Vec::new();
        if gross < 0 {
            refusals.push("negative_total");
        }
        if is_issued && self.state.is_closed(date) {
            refusals.push("period_locked");
        }
        if gross < 0 && !is_issued {
            return;
        }
        self.count += 1;
        let mut body = json!({
            names.contact: party.id, names.date: text(date), "vat_inclusive": inclusive, "issue": is_issued, "lines": lines,
        });
        if !party.is_customer {
            body["supplier_reference"] = json!(format!("REF-{}-{}", party.id, self.count));
        }
        let Some(data) = self.send("POST", names.path, &body, &refusals, 201) else { return };
        let place = &self.place;
        for (field, amount) in [("net_amount", total_net), ("vat_amount", total_vat), ("gross_amount", gross)] {
            assert_eq!(
                data[field],
                serde_json::from_str::<Value>(&money(amount)).unwrap(),
                "{place}: {field} of {data}"
            );
        }
        self.state.documents.push(Document {
            id: data["id"].as_i64().unwrap(),
            contact,
            is_sale: party.is_customer,
            is_credit,
            day: date,
            gross,
            deduction,
            sides,
            boxes: declared,
            state: DocumentState::Draft,
            journal: None,
        });
        if is_issued {
            self.issued(self.state.documents.len() - 1, &data);
        }
    }

    /// Posts a document and looks at its number.
    fn issued(&mut self, at: usize, data: &Value) {
        let document = self.state.documents[at].clone();
        let effect = vec![(document.contact, document.effect())];
        let journal = self.state.post(document.day, document.source_type(), document.sides.clone(), effect);
        self.state.journals[journal].boxes = document.boxes;
        self.state.documents[at].state = DocumentState::Issued;
        self.state.documents[at].journal = Some(journal);
        assert_eq!(data["status"], "issued", "{}: {data}", self.place);
        if document.is_sale && !document.is_credit {
            let number = format!("INV-{:04}", self.next_sales_number);
            self.next_sales_number += 1;
            if self.is_alone {
                assert_eq!(data["invoice_number"], json!(number), "{}: {data}", self.place);
            }
        }
    }

    fn any_document(&mut self, is_wanted: impl Fn(&Document) -> bool) -> Option<usize> {
        let found: Vec<usize> =
            (0..self.state.documents.len()).filter(|at| is_wanted(&self.state.documents[*at])).collect();
        self.random.pick(&found).copied()
    }

    pub fn issue_or_delete(&mut self) {
        let only_drafts = self.random.chance(85);
        let wanted = |one: &Document| match one.state {
            DocumentState::Draft => true,
            DocumentState::Deleted => false,
            _ => !only_drafts,
        };
        let Some(at) = self.any_document(wanted) else { return };
        let document = self.state.documents[at].clone();
        let mut refusals = Vec::new();
        if document.state != DocumentState::Draft {
            refusals.push("invalid_state");
        }
        if self.random.chance(30) {
            if self.send_once("DELETE", &document.path(), &Value::Null, &refusals, 200).is_some() {
                self.state.documents[at].state = DocumentState::Deleted;
            }
            return;
        }
        if self.state.is_closed(document.day) {
            refusals.push("period_locked");
        }
        let path = format!("{}/issue", document.path());
        if let Some(data) = self.send("POST", &path, &Value::Null, &refusals, 200) {
            self.issued(at, &data);
        }
    }

    pub fn void_document(&mut self) {
        let wanted = |one: &Document| matches!(one.state, DocumentState::Issued | DocumentState::Void);
        let Some(at) = self.any_document(wanted) else { return };
        let document = self.state.documents[at].clone();
        let mut refusals = Vec::new();
        if document.state == DocumentState::Void {
            refusals.push("invalid_state");
        }
        if self.state.used(Party::Document(at)) != 0 {
            refusals.push("has_allocations");
        }
        let (date, body) = self.void_body((document.day, self.state.earliest(Party::Document(at))), &mut refusals);
        if self.send("POST", &format!("{}/void", document.path()), &body, &refusals, 200).is_some() {
            self.state.documents[at].state = DocumentState::Void;
            self.state.reverse(document.journal.unwrap(), date);
        }
    }

    /// An invoice money or credit may be set against, mostly one that takes it; what its state refuses.
    pub fn invoice_of(&mut self, contact: usize, refusals: &mut Vec<&'static str>) -> Option<usize> {
        let is_wrong = self.random.chance(10);
        let found: Vec<usize> = (0..self.state.documents.len())
            .filter(|at| {
                let one = &self.state.documents[*at];
                let is_open = one.state == DocumentState::Issued && self.state.due(*at) > 0 && one.contact == contact;
                let same_side = one.is_sale == self.state.contacts[contact].is_customer;
                !one.is_credit && same_side && one.state != DocumentState::Deleted && (is_open || is_wrong)
            })
            .collect();
        let at = *self.random.pick(&found)?;
        let one = &self.state.documents[at];
        if one.contact != contact {
            refusals.push("contact_mismatch");
        }
        if one.state != DocumentState::Issued {
            refusals.push("invalid_state");
        } else if self.state.due(at) == 0 {
            refusals.extend(["over_allocated", "invalid_state"]);
        }
        Some(at)
    }

    /// Sets a credit note against an invoice, or takes it off again.
    pub fn set_credit(&mut self) {
        let Some(note) = self.any_document(|one| one.is_credit && one.state == DocumentState::Issued) else { return };
        let document = self.state.documents[note].clone();
        let source = Party::Document(note);
        if self.random.chance(25) {
            self.release_one(&document.path(), source);
            return;
        }
        let mut refusals = Vec::new();
        let Some(invoice) = self.invoice_of(document.contact, &mut refusals) else { return };
        if self.state.documents[invoice].deduction > 0 {
            return;
        }
        let left = document.gross - self.state.used(source);
        let most = left.min(self.state.due(invoice));
        let amount = match self.random.below(10) {
            0 => left.max(1) + 1,
            1..4 => (most / 2).max(1),
            _ => most.max(1),
        };
        if amount > left || (refusals.is_empty() && amount > self.state.due(invoice)) {
            refusals.push("over_allocated");
        }
        let body =
            json!({ "allocations": [{ "invoice_id": self.state.documents[invoice].id, "amount": money(amount) }] });
        let path = format!("{}/allocate", document.path());
        if self.send("POST", &path, &body, &refusals, 200).is_some() {
            let open = self.state.lock.map_or(i64::MIN, |lock| lock + 1);
            let target = Party::Document(invoice);
            let day = self.state.earliest(source).max(self.state.earliest(target)).max(open);
            self.state.allocations.push(Allocation { source, target, day, cash: 0, settled: amount, released: None });
        }
    }

    /// Takes back one allocation of a settlement or credit note, found by what the service shows of it.
    pub fn release_one(&mut self, path: &str, source: Party) {
        let live: Vec<usize> = (0..self.state.allocations.len())
            .filter(|at| {
                let one = &self.state.allocations[*at];
                let is_bill = matches!(one.target, Party::Document(of) if !self.state.documents[of].is_credit);
                one.is_live() && one.source == source && is_bill && !self.state.is_closed(one.day)
            })
            .collect();
        let Some(at) = self.random.pick(&live).copied() else { return };
        let allocation = self.state.allocations[at].clone();
        let Party::Document(invoice) = allocation.target else { return };
        if self.state.documents[invoice].deduction > 0 {
            return;
        }
        let shown = self.books.get(path)["data"]["allocations"].clone();
        let is_this = |one: &&Value| {
            one["invoice_id"] == self.state.documents[invoice].id
                && super::super::figures::pence(&one["amount"]) == allocation.settled
        };
        let one = shown.as_array().unwrap().iter().find(is_this);
        let id =
            one.unwrap_or_else(|| panic!("{}: {path} does not show {allocation:?}: {shown}", self.place))["id"].clone();
        let body = json!({ "allocation_ids": [id] });
        if self.send("POST", &format!("{path}/unallocate"), &body, &[], 200).is_some() {
            // On its own day, so that it never counted.
            self.state.allocations[at].release(allocation.day);
        }
    }
}
