//! Random journals and their voids.

use serde_json::{Value, json};

use super::Writer;
use super::state::{Boxes, Sides, Stage, added, boxes_of_line, text, vat_inside};

/// An amount as text.
pub fn money(pence: i64) -> String {
    let sign = if pence < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", pence.abs() / 100, pence.abs() % 100)
}

/// Accounts that take a VAT code, and some that do not.
pub const WITH_VAT: [&str; 7] = ["4000", "4100", "5000", "7100", "7200", "1300", "0030"];
pub const WITHOUT_VAT: [&str; 4] = ["2300", "2400", "2500", "3010"];
pub const CODES: [&str; 5] = ["ST", "RR", "ZR", "EX", "NV"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Defect {
    Unbalanced,
    OneLine,
    Unknown,
    WrongCode,
    BothSides,
}

impl Writer<'_> {
    pub fn post_journal(&mut self) {
        let defects = [Defect::Unbalanced, Defect::OneLine, Defect::Unknown, Defect::WrongCode, Defect::BothSides];
        let defect = self.random.chance(15).then(|| self.pick(&defects));
        let mut lines = Vec::new();
        let mut sides = Sides::new();
        let mut boxes = Boxes::default();
        let mut contacts = Vec::new();
        let mut total = 0;
        let count = self.random.between(1, 4);
        for at in 0..=count {
            let mut amount = self.amount() * if self.random.chance(50) { 1 } else { -1 };
            if at == count {
                amount = -total;
            }
            if amount == 0 {
                return;
            }
            total += amount;
            let side = if amount > 0 { "debit" } else { "credit" };
            let mut line = json!({ side: money(amount.abs()) });
            let code = match self.random.below(10) {
                0..6 => {
                    let code = self.pick(&WITH_VAT).to_owned();
                    if self.random.chance(50) {
                        let vat_code = self.pick(&CODES);
                        line["vat_code"] = json!(vat_code);
                        let vat = vat_inside(amount.abs(), vat_code) * amount.signum();
                        boxes = added(boxes, boxes_of_line(&code, vat_code, amount));
                        *sides.entry("2200".to_owned()).or_default() += vat;
                        *sides.entry(code.clone()).or_default() -= vat;
                    }
                    code
                }
                6..8 => self.pick(&WITHOUT_VAT).to_owned(),
                8 => {
                    let contact = self.random.index(self.state.contacts.len());
                    line["contact_id"] = json!(self.state.contacts[contact].id);
                    contacts.push((contact, amount));
                    if self.state.contacts[contact].is_customer { "1100" } else { "2100" }.to_owned()
                }
                _ => {
                    let bank = self.random.index(self.state.banks.len());
                    self.state.banks[bank].code.clone()
                }
            };
            line["account_id"] = json!(self.id_of(&code));
            *sides.entry(code).or_default() += amount;
            lines.push(line);
        }
        let mut refusals = self.spoil(&mut lines, defect);
        let date = self.any_day();
        if self.state.is_closed(date) {
            refusals.push("period_locked");
        }
        let body = json!({ "entry_date": text(date), "description": "Random", "lines": lines });
        if let Some(data) = self.send("POST", "/journals", &body, &refusals, 201) {
            let at = self.state.post(date, "manual", sides, contacts);
            self.state.journals[at].id = data["id"].as_i64();
            self.state.journals[at].boxes = boxes;
        }
    }

    fn spoil(&mut self, lines: &mut Vec<Value>, defect: Option<Defect>) -> Vec<&'static str> {
        let account = json!(self.account("2400"));
        match defect {
            None => Vec::new(),
            Some(Defect::Unbalanced) => {
                lines.push(json!({ "account_id": account, "debit": "0.01" }));
                vec!["unbalanced"]
            }
            Some(Defect::OneLine) => {
                lines.truncate(1);
                // The line that is left is not in balance either.
                vec!["too_few_lines"]
            }
            Some(Defect::Unknown) => {
                lines[0]["account_id"] = json!(987_654_321);
                lines[0].as_object_mut().unwrap().remove("contact_id");
                vec!["unknown_reference"]
            }
            Some(Defect::WrongCode) => {
                lines.push(json!({ "account_id": account, "debit": "0.02", "vat_code": "ST" }));
                lines.push(json!({ "account_id": account, "credit": "0.02" }));
                vec!["wrong_account_type"]
            }
            Some(Defect::BothSides) => {
                lines.push(json!({ "account_id": account, "debit": "0.02", "credit": "0.02" }));
                vec!["one_sided_line"]
            }
        }
    }

    /// The account with this code, the writer's own banks among them.
    pub fn id_of(&mut self, code: &str) -> i64 {
        if !self.accounts.iter().any(|(known, _, _)| known == code) {
            let account = self.books.account(code);
            let kind = account["account_type"].as_str().unwrap().to_owned();
            self.accounts.push((code.to_owned(), kind, account["id"].as_i64().unwrap()));
        }
        self.account(code)
    }

    pub fn void_journal(&mut self) {
        let known: Vec<usize> =
            (0..self.state.journals.len()).filter(|at| self.state.journals[*at].id.is_some()).collect();
        if known.is_empty() {
            return;
        }
        let at = self.pick(&known);
        let journal = self.state.journals[at].clone();
        let mut refusals = Vec::new();
        if journal.stage != Stage::Posted {
            refusals.push("invalid_state");
        }
        if self.is_linked(at) {
            refusals.push("linked_to_document");
        }
        let (date, body) = self.void_body((journal.date, journal.date), &mut refusals);
        let path = format!("/journals/{}/void", journal.id.unwrap());
        if self.send("POST", &path, &body, &refusals, 200).is_some() {
            self.state.reverse(at, date);
        }
    }

    /// When something of a day that may be void from `earliest` is voided: on that day, or on another.
    pub fn void_body(&mut self, (own, earliest): (i64, i64), refusals: &mut Vec<&'static str>) -> (i64, Value) {
        if self.random.chance(50) {
            if self.state.is_closed(own) {
                refusals.push("period_locked");
            }
            return (earliest, json!({}));
        }
        let date = self.any_day().max(earliest - 3);
        if date < earliest {
            refusals.push("format");
        }
        if self.state.is_closed(date) {
            refusals.push("period_locked");
        }
        (date, json!({ "void_date": text(date), "reason": "Random" }))
    }
}
