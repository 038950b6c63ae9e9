//! The numbers of a list in every way people write them, and what numbers of the list look like.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::domain::coding::batch::Invoice;
use crate::domain::coding::text::fold;
use crate::domain::date::Date;

use super::runs::{Run, is_dateable, is_generic, is_lead, is_period, is_year, of_text, push_key, stripped};

/// Numbers called the same by more invoices than this name none of them.
const MOST_NAMESAKES: usize = 32;

/// Ways of numbering that are looked for; a list has a few for its invoices and one for each supplier.
const MOST_SHAPES: usize = 48;

/// What part of a number a key has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
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
    /// How numbers of several parts are made.
    shapes: BTreeMap<Vec<Piece>, (usize, usize)>,
    /// Serial number and its digits as written, for each invoice.
    serials: Vec<Option<(u64, usize)>>,
}

/// A part of how numbers are made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    /// Letters or digits that stay.
    Fixed(String),
    /// A year, or a year and month, of so many digits.
    Period(usize),
    /// Digits that count up.
    Serial,
}

impl NumberIndex {
    pub(super) fn new(invoices: &[Invoice<'_>]) -> Self {
        let mut index = Self::default();
        for (place, invoice) in invoices.iter().enumerate() {
            index.add(place, &fold(&invoice.number), year_of(invoice.date));
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

    fn add(&mut self, invoice: usize, number: &str, year: i32) {
        let runs = of_text(number);
        let Some(serial) = serial_of(&runs, year) else {
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
        let telling: String =
            runs.iter().take(serial).filter(|run| !run.digits && !is_generic(run.text)).map(|run| run.text).collect();
        for letters in [&letters, &telling].into_iter().filter(|letters| !is_generic(letters)) {
            self.insert(format!("{letters}{}", stripped(digits)), invoice, Form::Short);
        }
        if !letters.is_empty() && !is_lead(&letters) {
            let (fewest, most) = self.prefixes.entry(letters.clone()).or_insert((usize::MAX, 0));
            *fewest = stripped(digits).len().min(*fewest);
            // `AW-2025-118` is written `AW2025118`, too.
            let joined = runs.iter().filter(|run| run.digits).map(|run| run.text.len()).sum();
            *most = if is_generic(&letters) { digits.len() } else { joined }.max(*most);
        }
        self.add_years(invoice, &runs, serial, &letters, year);
        self.add_shape(&runs, serial, year);
    }

    fn add_shape(&mut self, runs: &[Run<'_>], serial: usize, year: i32) {
        let numbers = runs.iter().filter(|run| run.digits).count();
        if numbers < 2 && runs.len() < 3 {
            return;
        }
        let pieces = runs.iter().enumerate().map(|(place, run)| match run.digits {
            true if place == serial => Piece::Serial,
            true if period_likeness(run.text, year) > 0 || is_period(run.text) => Piece::Period(run.text.len()),
            _ => Piece::Fixed(run.text.to_owned()),
        });
        let length = runs.get(serial).map_or(0, |run| run.text.len());
        let fewest = runs.get(serial).map_or(0, |run| stripped(run.text).len());
        let known = self.shapes.entry(pieces.collect()).or_insert((fewest, length));
        *known = (known.0.min(fewest), known.1.max(length));
    }

    /// `QR-2025-118` is written `QR25-118`, `25/118` and `118/25`, too; `INV20250031` is `INV 31`.
    fn add_years(&mut self, invoice: usize, runs: &[Run<'_>], serial: usize, letters: &str, year: i32) {
        let digits = runs.get(serial).map_or("", |run| run.text);
        let number = stripped(digits);
        let is_date = |run: &Run<'_>| run.digits && (period_likeness(run.text, year) > 0 || is_period(run.text));
        for (_, period) in runs.iter().enumerate().filter(|(place, run)| *place != serial && is_date(run)) {
            let year = period.text;
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
            let letters = place
                .checked_sub(1)
                .and_then(|place| runs.get(place))
                .filter(|before| !before.digits && !is_generic(before.text));
            if let Some(letters) =
                letters.filter(|letters| run.digits && run.text.len() >= 3 && letters.text.len() <= 4)
            {
                self.insert(format!("{}{}", letters.text, stripped(run.text)), invoice, Form::Reference);
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

    /// The invoices that are called so.
    pub(super) fn called(&self, key: &str) -> Option<&[(usize, Form)]> {
        self.keys.get(key).map(Vec::as_slice)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.serials.is_empty()
    }

    /// The serial number of an invoice and how many digits it is written with.
    pub(super) fn serial(&self, invoice: usize) -> Option<(u64, usize)> {
        self.serials.get(invoice).copied().flatten()
    }

    /// The fewest and most digits that follow these letters in the list.
    pub(super) fn digits_after(&self, letters: &str) -> Option<(usize, usize)> {
        let (fewest, most) = self.prefixes.get(letters).copied()?;
        Some(if is_generic(letters) { (most, most) } else { (fewest, most) })
    }

    /// The end of a number at a place that is made as numbers of the list are.
    pub(super) fn shaped_like_ours(&self, runs: &[Run<'_>], start: usize) -> Option<usize> {
        let made = |pieces: &[Piece], fewest: usize, most: usize| {
            let parts = runs.get(start..start + pieces.len())?;
            let fits = pieces.iter().zip(parts).enumerate().all(|(place, (piece, run))| {
                let joined = if place == 0 { !run.same_word } else { run.glued };
                joined
                    && match piece {
                        Piece::Fixed(text) => text == run.text,
                        Piece::Period(length) => run.digits && run.text.len() == *length && is_period(run.text),
                        Piece::Serial => run.digits && (fewest..=most).contains(&run.text.len()),
                    }
            });
            let lettered = pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Fixed(text) if !text.bytes().all(|byte| byte.is_ascii_digit())));
            let short = parts.iter().all(|run| run.text.len() <= 2);
            let ends = runs.get(start + pieces.len()).is_none_or(|next| !next.glued || !next.digits);
            (fits && ends && (lettered || !short || !is_dateable(parts))).then_some(start + pieces.len())
        };
        self.shapes.iter().take(MOST_SHAPES).find_map(|(pieces, (fewest, most))| made(pieces, *fewest, *most))
    }
}

/// The place of the digits that count up: the least like a date, the longest of those, the last of equals.
fn serial_of(runs: &[Run<'_>], year: i32) -> Option<usize> {
    let digits = runs.iter().enumerate().filter(|(_, run)| run.digits);
    digits
        .min_by_key(|(place, run)| (period_likeness(run.text, year), usize::MAX - run.text.len(), usize::MAX - place))
        .map(|(place, _)| place)
}

/// How much digits look like the year of an invoice, or its year and month.
fn period_likeness(digits: &str, year: i32) -> u8 {
    let (Some(start), Ok(value)) = (digits.get(..2), digits.parse::<i32>()) else { return 0 };
    let near = |value: i32| (value - year % 100).abs() <= 1;
    match digits.len() {
        2 if value == year % 100 => 2,
        2 if near(value) => 1,
        4 if (value - year).abs() <= 1 => 3,
        4 if is_year(digits) => 1,
        4 if is_period(digits) && start.parse().is_ok_and(near) => 1,
        6 if is_period(digits)
            && digits
                .get(..4)
                .and_then(|text| text.parse::<i32>().ok())
                .is_some_and(|value| (value - year).abs() <= 1) =>
        {
            3
        }
        _ => 0,
    }
}

/// The year of a day.
fn year_of(date: Date) -> i32 {
    date.civil().0
}

fn key_of(runs: &[Run<'_>]) -> String {
    let mut key = String::new();
    for run in runs {
        push_key(&mut key, run);
    }
    key
}
