//! Invoice numbers: every way people write one, which of the list a line names, and which it names that are not there.

use rustc_hash::FxHashMap;

use crate::domain::coding::batch::Invoice;
use crate::domain::coding::line::{Field, Line};
use crate::domain::coding::text::fold;

use super::runs::{
    Run, is_filler, is_generic, is_lead, is_other_number, is_period, is_year, of_line, of_text, push_key, stripped,
};

/// How sure it is that a line names an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// A short number that may be anything: only together with the contact.
    Weak,
    /// A word for invoices and a short number, or four digits.
    Fair,
    /// A long number, or letters with a few digits.
    Strong,
    /// Letters and digits that nothing else looks like.
    Sure,
}

/// A place in a line that names an invoice of the list, or one of several that are called so.
#[derive(Debug, Clone)]
pub(super) struct Mention {
    pub(super) invoices: Vec<usize>,
    pub(super) strength: Strength,
    /// Letters or a word for invoices were there: it is an invoice number, whoever's it is.
    pub(super) explicit: bool,
}

/// The numbers a line has.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbers {
    pub(super) mentions: Vec<Mention>,
    /// The line names an invoice that is not in the list.
    pub(super) foreign: bool,
    /// Other numbers that might be an invoice's: value, digits as written, in the reference.
    bare: Vec<Bare>,
}

#[derive(Debug, Clone, Copy)]
struct Bare {
    value: u64,
    length: usize,
    in_reference: bool,
}

/// Numbers called the same by more invoices than this name none of them.
const MOST_NAMESAKES: usize = 32;

/// What part of a number a key has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    /// All of it, perhaps with its year shortened.
    Whole,
    /// Letters and the serial number, or year and serial number.
    Short,
    /// The serial number alone.
    Serial,
    /// The caller's own reference on the invoice, a purchase order for instance.
    Reference,
}

/// The numbers of a list, ready to be found in lines.
#[derive(Debug, Default)]
pub(super) struct NumberIndex {
    keys: FxHashMap<String, Vec<(usize, Form)>>,
    /// Letters that begin numbers of the list, with the fewest and most digits that follow them.
    prefixes: FxHashMap<String, (usize, usize)>,
    /// Serial number and its digits as written, for each invoice.
    serials: Vec<Option<(u64, usize)>>,
}

impl NumberIndex {
    pub(super) fn new(invoices: &[Invoice<'_>]) -> Self {
        let mut index = Self::default();
        for (place, invoice) in invoices.iter().enumerate() {
            index.add(place, &fold(&invoice.number));
            if let Some(reference) = &invoice.reference {
                index.add_reference(place, &fold(reference));
            }
        }
        index.keys.retain(|_, found| {
            found.sort_unstable_by_key(|(invoice, form)| (*form, *invoice));
            let best = found.first().map(|(_, form)| *form);
            if found.len() > MOST_NAMESAKES {
                found.retain(|(_, form)| Some(*form) == best);
            }
            found.len() <= MOST_NAMESAKES
        });
        index
    }

    fn add(&mut self, invoice: usize, number: &str) {
        let runs = of_text(number);
        let Some(serial) = serial_of(&runs) else {
            self.serials.push(None);
            return;
        };
        let letters: String = runs.iter().take(serial).filter(|run| !run.digits).map(|run| run.text).collect();
        let digits = runs.get(serial).map_or("", |run| run.text);
        self.serials.push(digits.parse().ok().map(|value| (value, digits.len())));
        self.insert(key_of(&runs), invoice, Form::Whole);
        let joined: String = runs.iter().map(|run| run.text).collect();
        self.insert(key_of(&of_text(&joined)), invoice, Form::Whole);
        if runs.len() > 1 {
            self.insert(stripped(digits).to_owned(), invoice, Form::Serial);
        }
        if !is_generic(&letters) {
            self.insert(format!("{letters}{}", stripped(digits)), invoice, Form::Short);
            let (fewest, most) = self.prefixes.entry(letters.clone()).or_insert((usize::MAX, 0));
            *fewest = stripped(digits).len().min(*fewest);
            *most = digits.len().max(*most);
        }
        self.add_years(invoice, &runs, serial, &letters);
    }

    /// `QR-2025-118` is written `QR25-118`, `25/118` and `118/25`, too; `INV20250031` is `INV 31`.
    fn add_years(&mut self, invoice: usize, runs: &[Run<'_>], serial: usize, letters: &str) {
        let digits = runs.get(serial).map_or("", |run| run.text);
        let number = stripped(digits);
        for period in
            runs.iter().enumerate().filter(|(place, run)| *place != serial && run.digits && is_period(run.text))
        {
            let year = period.1.text;
            let short = if is_year(year) { year.get(2..).unwrap_or(year) } else { year };
            for year in [year, short] {
                self.insert(format!("{letters}{year}-{number}"), invoice, Form::Whole);
                self.insert(format!("{letters}{year}{digits}"), invoice, Form::Whole);
                self.insert(format!("{year}-{number}"), invoice, Form::Short);
                self.insert(format!("{number}-{year}"), invoice, Form::Short);
            }
        }
        for taken in [4, 6] {
            let (Some(year), Some(rest)) = (digits.get(..taken), digits.get(taken..)) else { continue };
            if rest.len() >= 2 && year.starts_with("20") && is_period(year) {
                let rest = stripped(rest);
                self.insert(rest.to_owned(), invoice, Form::Serial);
                self.insert(format!("{letters}{year}-{rest}"), invoice, Form::Whole);
                if !is_generic(letters) {
                    self.insert(format!("{letters}{rest}"), invoice, Form::Short);
                }
            }
        }
    }

    fn add_reference(&mut self, invoice: usize, reference: &str) {
        let runs = of_text(reference);
        for (place, run) in runs.iter().enumerate() {
            let alone = !run.same_word && runs.get(place + 1).is_none_or(|next| !next.same_word);
            if run.digits && alone && run.text.len() >= 4 && !is_year(run.text) {
                self.insert(stripped(run.text).to_owned(), invoice, Form::Reference);
            }
        }
    }

    fn insert(&mut self, key: String, invoice: usize, form: Form) {
        if key.is_empty() {
            return;
        }
        let entries = self.keys.entry(key).or_default();
        if !entries.iter().rev().take(8).any(|(known, _)| *known == invoice) {
            entries.push((invoice, form));
        }
    }

    /// The numbers of a line.
    pub(super) fn read(&self, line: &Line<'_>) -> Numbers {
        let mut numbers = Numbers::default();
        if self.serials.is_empty() || !line.text.bytes().any(|byte| byte.is_ascii_digit()) {
            return numbers;
        }
        let runs = of_line(line);
        let mut led = false;
        let mut place = 0;
        let mut key = String::new();
        while let Some(run) = runs.get(place) {
            if let Some((mention, end)) = self.longest(&runs, place, led, &mut key) {
                numbers.mentions.push(mention);
                place = end;
                continue;
            }
            if run.digits {
                self.unknown_digits(&runs, place, led, line.pence, &mut numbers);
            } else if ends_in_lead(&runs, place) {
                led = true;
            } else if !(led && is_filler(run.text)) {
                led = false;
                if self.looks_like_ours(&runs, place) {
                    numbers.foreign = true;
                    place += 1;
                }
            }
            place += 1;
        }
        numbers
    }

    /// The longest number of the list that begins at a place, and where it ends.
    fn longest(&self, runs: &[Run<'_>], start: usize, led: bool, key: &mut String) -> Option<(Mention, usize)> {
        key.clear();
        let first = runs.get(start)?;
        let within = first.same_word && !(start > 0 && runs.get(start - 1).is_some_and(|run| is_generic(run.text)));
        if within || (!first.digits && is_lead(first.text) && runs.get(start + 1).is_none_or(|next| !next.same_word)) {
            return None;
        }
        let mut best = None;
        for (end, run) in runs.iter().enumerate().skip(start).take(6) {
            if end > start && !joins(runs, start, end) {
                break;
            }
            push_key(key, run);
            let cut =
                runs.get(end + 1).is_some_and(|next| next.same_word && (next.digits || run.digits && first.digits));
            if cut || runs.get(start..=end).is_none_or(|part| part.iter().all(|run| !run.digits)) {
                continue;
            }
            if let Some(mention) = self.keys.get(key.as_str()).and_then(|found| mention(runs, start, end, led, found)) {
                best = Some((mention, end + 1));
            }
        }
        best
    }

    /// Digits that no invoice of the list has.
    fn unknown_digits(&self, runs: &[Run<'_>], place: usize, led: bool, pence: i128, numbers: &mut Numbers) {
        let Some(run) = runs.get(place) else { return };
        let part_of_code = run.same_word || runs.get(place + 1).is_some_and(|next| next.same_word);
        let after_lead = place > 0 && runs.get(place - 1).is_some_and(|before| is_lead(before.text));
        if (part_of_code && !(led && after_lead)) || is_other_number(runs, place, led) || is_amount(runs, place, pence)
        {
            return;
        }
        if led {
            numbers.foreign = true;
        } else if let (3..=9, Ok(value)) = (run.text.len(), run.text.parse()) {
            numbers.bare.push(Bare { value, length: run.text.len(), in_reference: run.field == Field::Reference });
        }
    }

    /// Letters of the list's own numbers before digits that are not in it.
    fn looks_like_ours(&self, runs: &[Run<'_>], place: usize) -> bool {
        let (Some(letters), Some(digits)) = (runs.get(place), runs.get(place + 1)) else { return false };
        let Some((fewest, most)) = self.prefixes.get(letters.text) else { return false };
        let spaced = letters.text.len() >= 3
            || (letters.text.len() == 2 && digits.text.len() >= *fewest.max(&2) && !is_bank_code(letters.text));
        digits.digits
            && !letters.same_word
            && (digits.glued || spaced)
            && (*fewest..=most + 1).contains(&digits.text.len())
            && !is_other_number(runs, place + 1, true)
    }

    /// True when the line has a number like this invoice's that is not this invoice's.
    pub(super) fn has_sibling_of(&self, numbers: &Numbers, invoice: usize) -> bool {
        let Some(Some((serial, length))) = self.serials.get(invoice).copied() else { return false };
        numbers.bare.iter().any(|bare| {
            let distance = bare.value.abs_diff(serial);
            bare.length == length
                && distance != 0
                && match length {
                    0..=2 => false,
                    3 => distance <= 30 && bare.in_reference,
                    4 => distance <= 300,
                    _ => distance <= 2_000,
                }
        })
    }
}

/// The place of the digits that count up: the longest that are no year, the last of equals.
fn serial_of(runs: &[Run<'_>]) -> Option<usize> {
    let digits = || runs.iter().enumerate().filter(|(_, run)| run.digits);
    let plain = digits().filter(|(_, run)| !is_period(run.text)).max_by_key(|(_, run)| run.text.len());
    plain.or_else(|| digits().last()).map(|(place, _)| place)
}

fn key_of(runs: &[Run<'_>]) -> String {
    let mut key = String::new();
    for run in runs {
        push_key(&mut key, run);
    }
    key
}

/// True when the run at `end` may belong to the same number as those before it.
fn joins(runs: &[Run<'_>], start: usize, end: usize) -> bool {
    let (Some(first), Some(before), Some(run)) = (runs.get(start), runs.get(end - 1), runs.get(end)) else {
        return false;
    };
    if run.field != before.field {
        return false;
    }
    match (before.digits, run.digits) {
        _ if run.glued => true,
        (false, true) => true,
        (true, true) => !first.digits,
        (false, false) => before.text.len() <= 3 && run.text.len() <= 3,
        (true, false) => false,
    }
}

/// A word for invoices, perhaps at the end of a longer one: `SMITHINV31`.
fn ends_in_lead(runs: &[Run<'_>], place: usize) -> bool {
    let Some(run) = runs.get(place) else { return false };
    let tail = run.text.ends_with("INV") || run.text.ends_with("INVOICE");
    is_lead(run.text) || (tail && runs.get(place + 1).is_some_and(|next| next.same_word))
}

/// Letters that banks put before numbers of their own.
fn is_bank_code(letters: &str) -> bool {
    matches!(
        letters,
        "SO" | "DD"
            | "PO"
            | "NO"
            | "ON"
            | "TO"
            | "IN"
            | "AT"
            | "BP"
            | "CD"
            | "FP"
            | "CR"
            | "DR"
            | "WK"
            | "WE"
            | "TT"
            | "FT"
            | "OF"
            | "ST"
            | "RD"
    )
}

/// Digits that write the amount of the line.
fn is_amount(runs: &[Run<'_>], place: usize, pence: i128) -> bool {
    let value = |place: usize| runs.get(place).and_then(|run| run.text.parse::<i128>().ok());
    let whole = value(place).is_some_and(|pounds| pounds.checked_mul(100) == Some(pence.abs()));
    let cents = runs.get(place + 1).is_some_and(|next| next.digits && next.glued && next.text.len() == 2);
    whole
        || cents
            && value(place).zip(value(place + 1)).is_some_and(|(pounds, rest)| {
                pounds.checked_mul(100).is_some_and(|pounds| pounds + rest == pence.abs())
            })
}

/// What the runs from `start` to `end` say about the invoices that have their key.
fn mention(runs: &[Run<'_>], start: usize, end: usize, led: bool, found: &[(usize, Form)]) -> Option<Mention> {
    let part = runs.get(start..=end)?;
    let form = found.iter().map(|(_, form)| *form).min()?;
    let letters: usize = part.iter().filter(|run| !run.digits && !is_generic(run.text)).map(|run| run.text.len()).sum();
    let generic =
        part.iter().any(|run| !run.digits && is_generic(run.text)) || part.first().is_some_and(|run| run.same_word);
    let digits: usize = part.iter().filter(|run| run.digits).map(|run| run.text.len()).sum();
    let pieces = part.iter().filter(|run| run.digits).count();
    let spaced = part.iter().skip(1).any(|run| !run.glued);
    let led = led || part.first().is_some_and(|run| !run.digits && is_lead(run.text));
    let other =
        (start..=end).any(|place| runs.get(place).is_some_and(|run| run.digits) && is_other_number(runs, place, led));
    let strength = if letters > 0 {
        match (letters, digits) {
            (1, _) if spaced => Strength::Weak,
            (2.., 2..) if letters + digits >= 4 && !other => Strength::Sure,
            (1, 4..) => Strength::Sure,
            (_, 2..) => Strength::Strong,
            _ => Strength::Fair,
        }
    } else if other {
        if form == Form::Serial && digits <= 2 && !led {
            return None;
        }
        Strength::Weak
    } else if led {
        if digits >= 4 { Strength::Strong } else { Strength::Fair }
    } else {
        match digits {
            6.. => Strength::Strong,
            5 if pieces == 1 => Strength::Strong,
            4..=5 if !part.iter().any(|run| is_year(run.text)) => Strength::Fair,
            2..=3 if generic && pieces == 1 => Strength::Fair,
            _ => Strength::Weak,
        }
    };
    let strength = if form == Form::Reference { strength.min(Strength::Fair) } else { strength };
    let invoices = found.iter().map(|(invoice, _)| *invoice).collect();
    Some(Mention { invoices, strength, explicit: letters > 0 || led || generic })
}
