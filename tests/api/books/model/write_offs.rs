//! Random debts that are written off, and that come back.

use serde_json::{Value, json};

use super::Writer;
use super::journals::money;
use super::state::{Allocation, DocumentState, Party, Sides, WriteOff, text};

impl Writer<'_> {
    /// Writes an invoice off, in part or whole, or takes a write-off back.
    pub fn write_off(&mut self) {
        if self.random.chance(30) {
            return self.void_write_off();
        }
        let found: Vec<usize> = (0..self.state.documents.len())
            .filter(|at| {
                let one = &self.state.documents[*at];
                one.is_sale && !one.is_credit && one.state != DocumentState::Deleted
            })
            .collect();
        let Some(at) = self.random.pick(&found).copied() else { return };
        let document = self.state.documents[at].clone();
        let mut refusals = Vec::new();
        let due = self.state.due(at);
        if document.state != DocumentState::Issued || due == 0 {
            refusals.push("invalid_state");
        }
        let earliest = self.state.earliest(Party::Document(at));
        let day = self.any_day().max(earliest - 2);
        if day < earliest {
            refusals.push("format");
        }
        if self.state.is_closed(day) {
            refusals.push("period_locked");
        }
        let amount = match self.random.below(10) {
            0 => due + 1,
            1..4 => (due / 2).max(1),
            _ => due,
        };
        if amount > due {
            refusals.push("over_allocated");
        }
        let mut body = json!({ "date": text(day) });
        if amount != due || self.random.chance(50) {
            body["amount"] = json!(money(amount.max(1)));
        }
        let Some(made) = self.send("POST", &format!("{}/write-off", document.path()), &body, &refusals, 201) else {
            return;
        };
        let sides = Sides::from([("8100".to_owned(), amount), ("1100".to_owned(), -amount)]);
        let journal = self.state.post(day, "write_off", sides, vec![(document.contact, -amount)]);
        let id = made["id"].as_i64().unwrap();
        let source = Party::WriteOff(self.state.write_offs.len());
        self.state.write_offs.push(WriteOff { id, day, journal, is_void: false });
        let target = Party::Document(at);
        self.state.allocations.push(Allocation { source, target, day, cash: 0, settled: amount, released: None });
    }

    /// On its own day, so that it never counted.
    fn void_write_off(&mut self) {
        let all: Vec<usize> = (0..self.state.write_offs.len()).collect();
        let Some(at) = self.random.pick(&all).copied() else { return };
        let one = self.state.write_offs[at].clone();
        let mut refusals = Vec::new();
        if one.is_void {
            refusals.push("invalid_state");
        }
        if self.state.is_closed(one.day) {
            refusals.push("period_locked");
        }
        if self.send("POST", &format!("/write-offs/{}/void", one.id), &Value::Null, &refusals, 200).is_none() {
            return;
        }
        self.state.write_offs[at].is_void = true;
        self.state.reverse(one.journal, one.day);
        for allocation in
            self.state.allocations.iter_mut().filter(|allocation| allocation.source == Party::WriteOff(at))
        {
            allocation.release(one.day);
        }
    }
}
