//! The invoice numbers in a line: which of the list it names, and whether it names one that is not there.

use crate::domain::coding::line::{Field, Line};

use super::index::{Form, NumberIndex};
use super::runs::{
    Run, is_dateable, is_filler, is_generic, is_lead, is_other_number, is_year, of_line, push_key, stripped,
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
    /// Value and length of all digits that stand together.
    written: Vec<(u64, usize)>,
}

#[derive(Debug, Clone, Copy)]
struct Bare {
    value: u64,
    length: usize,
    in_reference: bool,
}

/// Numbers without any word for an invoice that a line may have before they are taken for something else.
const MOST_BARE: usize = 6;

/// Digits of the longest number in which a typing error is looked for.
const LONGEST_SERIAL: usize = 9;

impl Numbers {
    fn remember(&mut self, run: &Run<'_>) {
        if let (3..=9, Ok(value)) = (run.text.len(), run.text.parse()) {
            self.bare.push(Bare { value, length: run.text.len(), in_reference: run.field == Field::Reference });
        }
    }

    /// Whether a number is written that has two neighbouring digits of a serial number exchanged, as a typing error does.
    pub(super) fn has_exchanged(&self, (serial, length): (u64, usize)) -> bool {
        let digits = |value: u64| format!("{value:0length$}").into_bytes();
        let serial = digits(serial);
        self.written.iter().filter(|(_, written)| *written == length).any(|(value, _)| {
            let written = digits(*value);
            (1..length).any(|at| {
                let mut exchanged = serial.clone();
                exchanged.swap(at - 1, at);
                exchanged == written && exchanged != serial
            })
        })
    }

    /// A line full of numbers has some of the list by chance.
    fn doubt_many(&mut self) {
        if self.mentions.iter().filter(|mention| !mention.explicit).count() > MOST_BARE {
            let bare = self.mentions.iter_mut().filter(|mention| !mention.explicit);
            bare.for_each(|mention| mention.strength = Strength::Weak);
        }
    }
}

impl NumberIndex {
    /// The numbers of a line.
    pub(super) fn read(&self, line: &Line<'_>) -> Numbers {
        let mut numbers = Numbers::default();
        if self.is_empty() || !line.text.bytes().any(|byte| byte.is_ascii_digit()) {
            return numbers;
        }
        let runs = of_line(line);
        let written = runs.iter().filter(|run| run.digits && run.text.len() <= LONGEST_SERIAL);
        numbers.written.extend(written.filter_map(|run| Some((run.text.parse().ok()?, run.text.len()))));
        let mut led = false;
        let mut place = 0;
        let mut key = String::new();
        while let Some(run) = runs.get(place) {
            if let Some((mention, end)) = self.longest(&runs, place, led, &mut key) {
                if let (false, Some(run), true) = (mention.explicit, runs.get(place), end == place + 1) {
                    numbers.remember(run);
                }
                numbers.mentions.push(mention);
                place = end;
                continue;
            }
            if let Some(end) = self.shaped_like_ours(&runs, place) {
                numbers.foreign = true;
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
        numbers.doubt_many();
        numbers
    }

    /// The longest number of the list that begins at a place, and where it ends.
    fn longest(&self, runs: &[Run<'_>], start: usize, led: bool, key: &mut String) -> Option<(Mention, usize)> {
        key.clear();
        let first = runs.get(start)?;
        let after_lead =
            |before: usize| ends_in_lead(runs, before) || runs.get(before).is_some_and(|run| is_generic(run.text));
        let within = first.same_word && !start.checked_sub(1).is_some_and(after_lead);
        if within {
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
            if let Some(mention) = self.called(key.as_str()).and_then(|found| mention(runs, start, end, led, found)) {
                best = Some((mention, end + 1));
            }
        }
        if let Some((mention, end)) = &mut best
            && *end == start + 2
            && is_generic(first.text)
            && let Some(digits) = runs.get(start + 1)
        {
            // `INV160` may be anybody's number 160, whoever writes `INV` on his own.
            let others = self.called(stripped(digits.text)).unwrap_or(&[]).iter().map(|(invoice, _)| *invoice);
            let others: Vec<usize> = others.filter(|invoice| !mention.invoices.contains(invoice)).collect();
            mention.invoices.extend(others);
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
        } else {
            numbers.remember(run);
        }
    }

    /// Letters of the list's own numbers before digits that are not in it.
    fn looks_like_ours(&self, runs: &[Run<'_>], place: usize) -> bool {
        let (Some(letters), Some(digits)) = (runs.get(place), runs.get(place + 1)) else { return false };
        let Some((fewest, most)) = self.digits_after(letters.text) else { return false };
        let spaced = !is_generic(letters.text) && letters.text.len() >= 3
            || (letters.text.len() == 2 && digits.text.len() >= fewest.max(2) && !is_bank_code(letters.text));
        digits.digits
            && !letters.same_word
            && (digits.glued || spaced)
            && (fewest..=most + usize::from(!is_generic(letters.text))).contains(&digits.text.len())
            && !is_other_number(runs, place + 1, true)
    }

    /// True when the line has a number like this invoice's that is not this invoice's.
    pub(super) fn has_sibling_of(&self, numbers: &Numbers, invoice: usize) -> bool {
        let Some((serial, length)) = self.serial(invoice) else { return false };
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
        (true, true) => !first.digits || is_year(before.text) || run.text.len() == 2 && before.text.len() >= 3,
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
    let never_a_date = form == Form::Whole && pieces == 2 && !is_dateable(part);
    let other = !never_a_date
        && (start..=end)
            .any(|place| runs.get(place).is_some_and(|run| run.digits) && is_other_number(runs, place, led));
    // A single letter and a number some way off may be two things.
    let parted = letters == 1 && spaced;
    let letters = if parted { 0 } else { letters };
    let strength = if letters > 0 {
        match (letters, digits) {
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
            3 if parted && form == Form::Whole => Strength::Fair,
            _ => Strength::Weak,
        }
    };
    // What the caller noted on an invoice is seldom what a customer quotes, and short numbers are everywhere.
    let strength = match form {
        Form::Reference if letters == 0 && digits < 6 => Strength::Weak,
        Form::Reference => strength.min(Strength::Fair),
        Form::Whole | Form::Short | Form::Serial => strength,
    };
    let invoices = found.iter().map(|(invoice, _)| *invoice).collect();
    Some(Mention { invoices, strength, explicit: letters > 0 || led || generic })
}
