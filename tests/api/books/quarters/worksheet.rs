//! The worksheets read: what is asked of the service, and the journals that must come of it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::figures::pence_of_text;

/// A dated paragraph of a worksheet. What stands before the first of them has no date.
#[derive(Default)]
pub struct Event {
    pub date: String,
    /// The `source_type` of its journal, or `allocation`.
    pub kind: String,
    /// What its document or settlement is known as.
    pub number: Option<String>,
    pub calls: Vec<Call>,
    /// Debits less credits by account code, in pence; empty where nothing is posted.
    pub lines: BTreeMap<String, i64>,
}

/// Something asked of the service.
pub enum Call {
    /// A line of a bank statement and its confirmation.
    Bank {
        account: String,
        amount: String,
        description: String,
        confirm: Value,
    },
    Request {
        method: String,
        path: String,
        body: Option<Value>,
        keep: Option<(String, String)>,
    },
}

/// Reads a worksheet.
pub fn read(text: &str) -> Vec<Event> {
    let mut events = vec![Event::default()];
    let mut is_fenced = false;
    for line in text.lines() {
        let event = events.last_mut().unwrap();
        match line.split_once(' ') {
            _ if line.starts_with("```") => is_fenced = !is_fenced,
            _ if !is_fenced => {}
            Some((">", call)) => event.calls.push(read_call(call)),
            Some((side @ ("Dr" | "Cr"), parts)) => read_lines(side, parts, &mut event.lines),
            Some((date, rest)) if date.starts_with("20") => events.push(read_event(date, rest)),
            _ => {}
        }
    }
    for event in &mut events {
        assert_eq!(event.lines.values().sum::<i64>(), 0, "{} {:?}", event.date, event.number);
        event.lines.retain(|_, amount| *amount != 0);
    }
    events
}

fn read_event(date: &str, rest: &str) -> Event {
    let mut words = rest.split(' ');
    let kind = words.next().unwrap().to_owned();
    let is_number = |word: &&str| !word.starts_with('@') && *word != "of";
    let number = words.next().filter(is_number).map(str::to_owned);
    Event { date: date.to_owned(), kind, number, ..Event::default() }
}

/// `Dr 1100 14765.72; Cr 4100 12348.30; 2200@somebody 2417.42`: a side holds until another is named.
fn read_lines(side: &str, parts: &str, lines: &mut BTreeMap<String, i64>) {
    let mut direction = if side == "Dr" { 1 } else { -1 };
    for part in parts.split("; ") {
        let part = match part.split_once(' ').unwrap() {
            ("Dr", rest) => {
                direction = 1;
                rest
            }
            ("Cr", rest) => {
                direction = -1;
                rest
            }
            _ => part,
        };
        let (account, amount) = part.split_once(' ').unwrap();
        let code = account.split('@').next().unwrap();
        *lines.entry(code.to_owned()).or_default() += direction * pence_of_text(amount);
    }
}

fn read_call(line: &str) -> Call {
    let (line, keep) = match line.split_once(" => ") {
        Some((line, keep)) => (line, keep.split_once(' ')),
        None => (line, None),
    };
    let (line, body) = match line.find('{') {
        Some(at) => (&line[..at], serde_json::from_str(&line[at..]).unwrap_or_else(|error| panic!("{line}: {error}"))),
        None => (line, None),
    };
    let (method, rest) = line.split_once(' ').unwrap();
    if method == "BANK" {
        let mut words = rest.splitn(3, ' ').map(|word| word.trim().to_owned());
        let mut word = || words.next().unwrap();
        return Call::Bank { account: word(), amount: word(), description: word(), confirm: body.unwrap() };
    }
    let keep = keep.map(|(name, pointer)| (name.to_owned(), pointer.to_owned()));
    Call::Request { method: method.to_owned(), path: rest.trim().to_owned(), body, keep }
}
