//! Random bank rows: entered, imported twice, confirmed, matched, taken back.

use serde_json::{Value, json};

use super::Writer;
use super::journals::{CODES, WITH_VAT, WITHOUT_VAT, money};
use super::state::{Boxes, Party, Row, RowState, Sides, Stage, added, boxes_of_line, text, vat_inside};

impl Writer<'_> {
    /// A bank row that matches a manual journal must be told apart from others.
    pub fn is_linked(&self, journal: usize) -> bool {
        self.state.rows.iter().any(|row| row.state == RowState::MatchedJournal(journal))
    }

    fn rows_in(&self, is_wanted: impl Fn(&Row) -> bool) -> Vec<usize> {
        (0..self.state.rows.len()).filter(|at| is_wanted(&self.state.rows[*at])).collect()
    }

    /// Mostly an unconfirmed row, sometimes any; with what its state refuses.
    pub fn row_to_confirm(&mut self) -> Option<(usize, Vec<&'static str>)> {
        let is_any = self.random.chance(8);
        let rows = self.rows_in(|row| row.state == RowState::Unconfirmed || (is_any && row.state != RowState::Deleted));
        if rows.is_empty() {
            return None;
        }
        let at = self.pick(&rows);
        let mut refusals = Vec::new();
        if self.state.rows[at].state != RowState::Unconfirmed {
            refusals.push("invalid_state");
        }
        if self.state.is_closed(self.state.rows[at].day) {
            refusals.push("period_locked");
        }
        Some((at, refusals))
    }

    pub fn confirm_path(&self, row: usize) -> String {
        format!("/bank-transactions/{}/confirm", self.state.rows[row].id)
    }

    /// An import of new rows, repeated ones among them; sometimes both sides of a transfer.
    pub fn enter_rows(&mut self) {
        let bank = self.random.index(self.state.banks.len());
        let mut rows: Vec<(i64, i64, String)> = Vec::new();
        for _ in 0..self.random.between(1, 4) {
            let amount = self.amount() * if self.random.chance(50) { 1 } else { -1 };
            rows.push((self.any_day(), amount, format!("ROW {}", self.random.below(3))));
        }
        // Lines that are in the store already, and one twice in the file.
        let stored = self.rows_in(|row| row.bank == bank && row.state != RowState::Deleted);
        if let Some(at) = self.random.pick(&stored) {
            let row = &self.state.rows[*at];
            rows.push((row.day, row.amount, row.text.clone()));
        }
        if self.random.chance(30) {
            rows.push(rows[0].clone());
        }
        self.import(bank, &rows);
        if self.random.chance(40) {
            let (day, amount, _) = rows[0].clone();
            let other = (day + i64::try_from(self.random.below(4)).unwrap(), -amount, "OTHER SIDE".to_owned());
            self.import(1 - bank, &[other]);
        }
    }

    fn import(&mut self, bank: usize, rows: &[(i64, i64, String)]) {
        let body = json!({
            "bank_account_id": self.state.banks[bank].id,
            "rows": rows.iter().map(|(day, amount, words)| {
                json!({ "date": text(*day), "amount": money(*amount), "description": words })
            }).collect::<Vec<_>>(),
        });
        let data = self.send_once("POST", "/bank-transactions/import", &body, &[], 201).unwrap();
        let mut used = Vec::new();
        for (at, (day, amount, words)) in rows.iter().enumerate() {
            let told = &data["transactions"][at];
            let twins = self.rows_in(|row| {
                row.bank == bank
                    && row.state != RowState::Deleted
                    && (row.day, row.amount, &row.text) == (*day, *amount, words)
            });
            let stored = twins.into_iter().find(|twin| !used.contains(twin));
            let expected = if stored.is_some() { "duplicate" } else { "created" };
            assert_eq!(told["status"], expected, "{}: row {at} of {body}: {data}", self.place);
            if let Some(stored) = stored {
                used.push(stored);
                continue;
            }
            used.push(self.state.rows.len());
            let id = told["id"].as_i64().unwrap();
            let row = Row { id, bank, day: *day, amount: *amount, text: words.clone(), state: RowState::Unconfirmed };
            self.state.rows.push(row);
            self.link_awaited(self.state.rows.len() - 1);
        }
    }

    /// The other side of a transfer links itself.
    fn link_awaited(&mut self, new: usize) {
        let (bank, amount, day) = (self.state.rows[new].bank, self.state.rows[new].amount, self.state.rows[new].day);
        let awaited = self.rows_in(|row| {
            matches!(row.state, RowState::Transfer { partner: None, bank: to, .. } if to == bank)
                && row.amount == -amount
                && (row.day - day).abs() <= 3
        });
        if let Some(first) = awaited.first() {
            let RowState::Transfer { journal, bank: to, .. } = self.state.rows[*first].state else { return };
            self.state.rows[*first].state = RowState::Transfer { journal, partner: Some(new), bank: to };
            let bank = self.state.rows[*first].bank;
            self.state.rows[new].state = RowState::Transfer { journal, partner: Some(*first), bank };
        }
    }

    pub fn confirm_coded(&mut self) {
        let Some((at, mut refusals)) = self.row_to_confirm() else { return };
        let row = self.state.rows[at].clone();
        let parts = self.random.between(1, 3);
        let (mut lines, mut sides, mut left) = (Vec::new(), Sides::new(), row.amount);
        let mut boxes = Boxes::default();
        for part in 1..=parts {
            let gross = if part == parts {
                left
            } else {
                self.amount() * if self.random.chance(70) { row.amount.signum() } else { -1 }
            };
            left -= gross;
            if gross == 0 {
                return;
            }
            let (code, vat_code) = if self.random.chance(75) {
                (self.pick(&WITH_VAT), self.pick(&CODES))
            } else {
                (self.pick(&WITHOUT_VAT), "NV")
            };
            let vat = vat_inside(gross, vat_code);
            boxes = added(boxes, boxes_of_line(code, vat_code, -gross));
            *sides.entry(code.to_owned()).or_default() -= gross - vat;
            *sides.entry("2200".to_owned()).or_default() -= vat;
            lines.push(json!({ "account_id": self.account(code), "gross_amount": money(gross), "vat_code": vat_code }));
        }
        *sides.entry(self.state.banks[row.bank].code.clone()).or_default() += row.amount;
        match self.random.below(14) {
            0 => {
                lines.push(json!({ "account_id": self.account("7100"), "gross_amount": "0.01", "vat_code": "NV" }));
                refusals.push("amount_mismatch");
            }
            1 => {
                lines[0]["account_id"] = json!(self.account("2400"));
                lines[0]["vat_code"] = json!("ST");
                refusals.push("wrong_account_type");
            }
            2 => {
                let own = self.state.banks[row.bank].code.clone();
                lines[0]["account_id"] = json!(self.id_of(&own));
                lines[0]["vat_code"] = json!("NV");
                refusals.push("wrong_account_type");
            }
            _ => {}
        }
        let body = match lines.as_slice() {
            [one] if self.random.chance(60) => json!({ "account_id": one["account_id"], "vat_code": one["vat_code"] }),
            _ => json!({ "type": "coded", "lines": lines }),
        };
        if self.send("POST", &self.confirm_path(at), &body, &refusals, 200).is_some() {
            let journal = self.state.post(row.day, "bank_transaction", sides, Vec::new());
            self.state.journals[journal].boxes = boxes;
            self.state.rows[at].state = RowState::Coded(journal);
        }
    }

    pub fn confirm_transfer(&mut self) {
        let Some((at, mut refusals)) = self.row_to_confirm() else { return };
        let row = self.state.rows[at].clone();
        let (own, other) = (row.bank, 1 - row.bank);
        let facing = self
            .rows_in(|with| with.bank == other && with.amount == -row.amount && with.state == RowState::Unconfirmed);
        let any = self.rows_in(|with| with.bank == other && with.state == RowState::Unconfirmed);
        let mut sides = Sides::from([(self.state.banks[own].code.clone(), row.amount)]);
        sides.insert(self.state.banks[other].code.clone(), -row.amount);
        let partner = match facing.first() {
            Some(partner) if self.random.chance(80) => Some(*partner),
            _ if self.random.chance(15) => self.random.pick(&any).copied(),
            _ => None,
        };
        let (body, date) = match partner {
            Some(partner) => {
                let with = &self.state.rows[partner];
                if with.amount != -row.amount {
                    refusals.push("amount_mismatch");
                }
                let date = with.day.min(row.day);
                if self.state.is_closed(date) {
                    refusals.push("period_locked");
                }
                (json!({ "type": "transfer", "bank_transaction_id": with.id }), date)
            }
            // One that is there already would make it a question which of the two is meant.
            None if !facing.is_empty() => return,
            None if row.state == RowState::Unconfirmed && self.awaiting(at).is_some() => {
                return self.complete_transfer(at, refusals);
            }
            None => (json!({ "type": "transfer", "bank_account_id": self.state.banks[other].id }), row.day),
        };
        if self.send("POST", &self.confirm_path(at), &body, &refusals, 200).is_some() {
            let journal = self.state.post(date, "bank_transfer", sides, Vec::new());
            self.state.rows[at].state = RowState::Transfer { journal, partner, bank: other };
            match partner {
                Some(partner) => {
                    self.state.rows[partner].state = RowState::Transfer { journal, partner: Some(at), bank: own };
                }
                None if self.random.chance(60) => {
                    self.import(other, &[(row.day + 1, -row.amount, "THE OTHER SIDE".to_owned())]);
                }
                None => {}
            }
        }
    }

    /// The row of the other bank whose transfer awaits this one, the nearest in time.
    fn awaiting(&self, at: usize) -> Option<usize> {
        let row = &self.state.rows[at];
        let awaits = |with: &Row| {
            matches!(with.state, RowState::Transfer { partner: None, bank, .. } if bank == row.bank)
                && with.amount == -row.amount
        };
        self.rows_in(awaits).into_iter().min_by_key(|with| ((self.state.rows[*with].day - row.day).abs(), *with))
    }

    /// The transfer is in the books already: nothing is posted, whatever is locked.
    fn complete_transfer(&mut self, at: usize, mut refusals: Vec<&'static str>) {
        refusals.retain(|reason| *reason != "period_locked");
        let Some(first) = self.awaiting(at) else { return };
        let (own, other) = (self.state.rows[at].bank, self.state.rows[first].bank);
        let body = json!({ "type": "transfer", "bank_account_id": self.state.banks[other].id });
        if self.send("POST", &self.confirm_path(at), &body, &refusals, 200).is_some() {
            let RowState::Transfer { journal, .. } = self.state.rows[first].state else { return };
            self.state.rows[first].state = RowState::Transfer { journal, partner: Some(at), bank: own };
            self.state.rows[at].state = RowState::Transfer { journal, partner: Some(first), bank: other };
        }
    }

    pub fn match_journal(&mut self) {
        // A manual journal with one of the banks, and a row that says the same.
        let journals: Vec<(usize, usize, i64)> = (0..self.state.journals.len())
            .filter(|at| self.state.journals[*at].id.is_some())
            .flat_map(|at| {
                let sides = &self.state.journals[at].sides;
                let banks = self.state.banks.iter().enumerate();
                banks.filter_map(move |(bank, one)| sides.get(&one.code).map(|amount| (at, bank, *amount)))
            })
            .collect();
        if journals.is_empty() {
            return;
        }
        let (journal, bank, amount) = self.pick(&journals);
        let posted = self.state.journals[journal].clone();
        let wrong = self.random.chance(20);
        let (day, at) = (self.any_day(), self.state.rows.len());
        let amount = if wrong { self.amount() } else { amount };
        self.import(bank, &[(day, amount, "MATCH".to_owned())]);
        if self.state.rows.get(at).is_none_or(|row| row.state != RowState::Unconfirmed) {
            return;
        }
        let mut refusals = Vec::new();
        if wrong {
            refusals.push("amount_mismatch");
        }
        if posted.stage != Stage::Posted || self.is_linked(journal) {
            refusals.push("invalid_state");
        }
        if self.state.is_closed(day) {
            // It would post nothing; the rules leave open whether it is refused.
            return;
        }
        let body = json!({ "type": "match", "journal_id": posted.id });
        if self.send("POST", &self.confirm_path(at), &body, &refusals, 200).is_some() {
            self.state.rows[at].state = RowState::MatchedJournal(journal);
        }
    }

    pub fn unconfirm(&mut self) {
        let rows = self.rows_in(|row| row.state != RowState::Deleted && row.state != RowState::Unconfirmed);
        if rows.is_empty() {
            return;
        }
        let at = self.pick(&rows);
        let row = self.state.rows[at].clone();
        let mut refusals = Vec::new();
        if row.state == RowState::Excluded {
            refusals.push("invalid_state");
        }
        if self.state.is_closed(row.day) {
            refusals.push("period_locked");
        }
        if let RowState::Transfer { journal, .. } = row.state
            && self.state.is_closed(self.state.journals[journal].date)
        {
            refusals.push("period_locked");
        }
        let is_match = matches!(row.state, RowState::MatchedJournal(_) | RowState::MatchedSettlement(_));
        let is_held = matches!(row.state, RowState::Settled(settlement) if self.is_held(settlement));
        if is_held || (is_match && !refusals.is_empty()) {
            return;
        }
        let path = format!("/bank-transactions/{}/unconfirm", row.id);
        if self.send("POST", &path, &Value::Null, &refusals, 200).is_none() {
            return;
        }
        self.state.rows[at].state = RowState::Unconfirmed;
        match row.state {
            RowState::Coded(journal) => self.state.reverse(journal, row.day),
            RowState::Transfer { journal, partner, .. } => {
                let date = self.state.journals[journal].date;
                self.state.reverse(journal, date);
                if let Some(partner) = partner {
                    self.state.rows[partner].state = RowState::Unconfirmed;
                }
            }
            RowState::Settled(settlement) => {
                let date = self.state.earliest(Party::Settlement(settlement));
                self.undo_settlement(settlement, date);
            }
            _ => {}
        }
    }

    pub fn exclude_or_delete(&mut self) {
        let rows = self.rows_in(|row| row.state != RowState::Deleted);
        if rows.is_empty() {
            return;
        }
        let at = self.pick(&rows);
        let (id, state) = (self.state.rows[at].id, self.state.rows[at].state);
        let (action, needed, next) = match self.random.below(3) {
            0 => ("exclude", vec![RowState::Unconfirmed], RowState::Excluded),
            1 => ("restore", vec![RowState::Excluded], RowState::Unconfirmed),
            _ => ("delete", vec![RowState::Unconfirmed, RowState::Excluded], RowState::Deleted),
        };
        let refusals: &[&str] = if needed.contains(&state) { &[] } else { &["invalid_state"] };
        let path = format!("/bank-transactions/{id}");
        let done = match action {
            "delete" => self.send_once("DELETE", &path, &Value::Null, refusals, 200),
            action => self.send_once("POST", &format!("{path}/{action}"), &Value::Null, refusals, 200),
        };
        if done.is_some() {
            self.state.rows[at].state = next;
        }
    }
}
