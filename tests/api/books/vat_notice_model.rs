//! The nine boxes of a VAT return, worked out from the Notices (700, 731, 733, 700/12, 741A) and from what a bookkeeper
//! knows: a second opinion, written without a look at how the service does it.
//!
//! Everything is a position at the end of a day. A return is the position at its last day less the position before its first
//! day; only the percentage of the flat rate is taken of that difference, since it is rounded once a return.

mod figures;
mod known;

use std::collections::BTreeMap;

use self::figures::six_months_after;
pub use self::figures::{date, day, share, vat_within};
pub use self::known::{
    Account, Boxes, Choices, Code, Day, Document, EnteredLine, Event, FlatRate, Kind, Line, Pence, ReverseCharge,
    Scheme, Source, Turnover, VatReturn,
};

/// Box 4 and 7 under the flat rate: what a single purchase of capital goods must come to, VAT included (Notice 733, 15.2).
const CAPITAL_GOODS_MIN: Pence = 200_000;

/// How a document is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Basis {
    /// At its date.
    Standard,
    /// As it is paid (Notice 731, 4.1 and 5.1).
    Cash,
    /// In the turnover of its date.
    FlatInvoiced,
    /// In the turnover as it is paid (Notice 733, 9.2).
    FlatReceived,
    /// Before the books began.
    Accounted,
}

/// A document or an entry under the scheme it was issued under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Home {
    basis: Basis,
    /// The stretch of one percentage it was issued in.
    stretch: usize,
}

#[derive(Debug, Clone, Copy)]
struct Allocation {
    source: Source,
    to: usize,
    settled: Pence,
    on: Day,
    released: Option<Day>,
    /// Gross and VAT of its credit note, as they were shared out when it was entered.
    as_entered: (Pence, Pence),
}

#[derive(Debug, Default, Clone)]
struct Position {
    boxes: [Pence; 10],
    /// By stretch of one percentage: VAT-inclusive turnover, and the VAT charged on it.
    turnover: BTreeMap<usize, (Pence, Pence)>,
}

impl Position {
    fn add(&mut self, number: usize, amount: Pence) {
        self.boxes[number] += amount;
    }

    /// Box 6 of the flat rate has the turnover with its VAT (Notice 733, 7.5).
    fn add_turnover(&mut self, stretch: usize, gross: Pence, vat: Pence) {
        let entry = self.turnover.entry(stretch).or_default();
        entry.0 += gross;
        entry.1 += vat;
        self.add(6, gross);
    }
}

/// What has been told.
#[derive(Debug, Default)]
pub struct Notices {
    choices: Choices,
    registrations: Vec<(Day, Scheme)>,
    documents: BTreeMap<usize, (Document, Option<Day>)>,
    allocations: BTreeMap<usize, Allocation>,
    entries: BTreeMap<usize, (Day, Vec<EnteredLine>, Option<Day>)>,
    adjustments: BTreeMap<usize, (Day, Boxes, Option<Day>)>,
}

impl Notices {
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>, choices: Choices) -> Self {
        let mut told = Self { choices, ..Self::default() };
        for event in events {
            told.tell(event);
        }
        told
    }

    fn tell(&mut self, event: &Event) {
        match event {
            Event::Registered { from, scheme } => {
                self.registrations.retain(|(day, _)| day != from);
                self.registrations.push((*from, *scheme));
                self.registrations.sort_by_key(|(from, _)| *from);
            }
            Event::Issued { document, is } => drop(self.documents.insert(*document, (is.clone(), None))),
            Event::DocumentVoided { document, on } => self.documents.get_mut(document).unwrap().1 = Some(*on),
            Event::Allocated { allocation, source, to, settled, on } => {
                let as_entered = self.share_as_entered(*source, *to, *settled);
                let told =
                    Allocation { source: *source, to: *to, settled: *settled, on: *on, released: None, as_entered };
                self.allocations.insert(*allocation, told);
            }
            Event::Released { allocation, on } => self.allocations.get_mut(allocation).unwrap().released = Some(*on),
            Event::Entered { entry, on, lines } => drop(self.entries.insert(*entry, (*on, lines.clone(), None))),
            Event::EntryVoided { entry, on } => self.entries.get_mut(entry).unwrap().2 = Some(*on),
            Event::Adjusted { adjustment, on, boxes } => {
                self.adjustments.insert(*adjustment, (*on, boxes.clone(), None));
            }
            Event::AdjustmentVoided { adjustment, on } => self.adjustments.get_mut(adjustment).unwrap().2 = Some(*on),
            Event::WrittenOff { document } => assert!(self.documents.contains_key(document), "a document of {event:?}"),
        }
    }

    /// The return of a period.
    pub fn vat_return(&self, from: Day, to: Day) -> VatReturn {
        let (before, after) = (self.position(from - 1), self.position(to));
        let mut boxes = after.boxes;
        for (number, earlier) in before.boxes.iter().enumerate() {
            boxes[number] -= earlier;
        }
        let (mut turnover, mut charged, mut vat) = (0, 0, 0);
        // What has gone again stands only in the position before.
        for stretch in (0..self.registrations.len()).filter(|stretch| self.is_flat_rate(*stretch)) {
            let of = |position: &Position| position.turnover.get(&stretch).copied().unwrap_or_default();
            let (gross, of_it) = (of(&after).0 - of(&before).0, of(&after).1 - of(&before).1);
            turnover += gross;
            charged += of_it;
            vat += share(gross, self.percent_of(stretch), 10_000);
        }
        if self.choices.percent_of_the_day {
            vat = self.vat_by_day(from, to);
        }
        boxes[1] += vat;
        boxes[3] = boxes[1] + boxes[2];
        let net = boxes[3] - boxes[4];
        boxes[5] = net.abs();
        let percent_hundredths = match self.scheme_on(to) {
            Scheme::FlatRate { percent_hundredths, .. } => Some(percent_hundredths),
            Scheme::Standard | Scheme::Cash => None,
        };
        let flat_rate = FlatRate { percent_hundredths, turnover, vat, surplus: charged - vat };
        VatReturn { boxes, net, flat_rate, pounds: [6, 7, 8, 9].map(|number| boxes[number] / 100) }
    }

    /// Box 1 of the turnover, each day's at the percentage of the day; after the scheme has ended at its last.
    fn vat_by_day(&self, from: Day, to: Day) -> Pence {
        let mut cuts: Vec<(Day, i64)> = Vec::new();
        for (day, scheme) in &self.registrations {
            if let Scheme::FlatRate { percent_hundredths, .. } = scheme
                && cuts.last().is_none_or(|(_, percent)| percent != percent_hundredths)
            {
                cuts.push((*day, *percent_hundredths));
            }
        }
        let mut vat = 0;
        for (at, (first, percent)) in cuts.iter().enumerate() {
            let last = cuts.get(at + 1).map_or(Day::MAX / 2, |(next, _)| next - 1);
            let (first, last) = (from.max(*first), to.min(last));
            if first <= last {
                let sum = |position: Position| position.turnover.values().map(|(gross, _)| gross).sum::<Pence>();
                vat += share(sum(self.position(last)) - sum(self.position(first - 1)), *percent, 10_000);
            }
        }
        vat
    }

    fn scheme_on(&self, day: Day) -> Scheme {
        let current = self.registrations.iter().rev().find(|(from, _)| *from <= day);
        current.map_or(Scheme::Standard, |(_, scheme)| *scheme)
    }

    /// The number of the registration whose percentage holds on this day: a stretch goes on as long as its percentage.
    fn stretch_on(&self, day: Day) -> usize {
        let mut stretch = 0;
        let mut percent = None;
        for (at, (from, scheme)) in self.registrations.iter().enumerate() {
            let next = match scheme {
                Scheme::FlatRate { percent_hundredths, .. } => Some(*percent_hundredths),
                Scheme::Standard | Scheme::Cash => None,
            };
            if *from <= day && next != percent {
                (stretch, percent) = (at, next);
            }
        }
        stretch
    }

    fn is_flat_rate(&self, stretch: usize) -> bool {
        matches!(self.registrations[stretch].1, Scheme::FlatRate { .. })
    }

    fn percent_of(&self, stretch: usize) -> i64 {
        match self.registrations[stretch].1 {
            Scheme::FlatRate { percent_hundredths, .. } => percent_hundredths,
            Scheme::Standard | Scheme::Cash => unreachable!("turnover belongs to the flat rate"),
        }
    }

    fn position(&self, day: Day) -> Position {
        let mut position = Position::default();
        let stands = |on: Day, void: Option<Day>| on <= day && void.is_none_or(|void| void > day);
        for (id, (document, void)) in &self.documents {
            if stands(document.date, *void) {
                self.declare_document(*id, document, day, &mut position);
            }
        }
        for (on, lines, void) in self.entries.values() {
            if stands(*on, *void) {
                self.declare_entry(*on, lines, &mut position);
            }
        }
        for (on, boxes, void) in self.adjustments.values() {
            if stands(*on, *void) {
                boxes.iter().for_each(|(number, amount)| position.add(*number, *amount));
            }
        }
        position
    }

    /// A document keeps the scheme of its date, and a credit note that of its invoice: the credit adjusts what was declared
    /// of the supply (Notice 700, 18.2; regulation 38).
    fn home_of(&self, id: usize) -> Home {
        let document = &self.documents[&id].0;
        if let Some(origin) = document.origin {
            return self.home_of(origin);
        }
        let basis = match (document.opening, self.scheme_on(document.date)) {
            (Some(_), _) if document.lines.is_empty() => Basis::Accounted,
            (Some(_), _) => Basis::Cash,
            (None, Scheme::Standard) => Basis::Standard,
            (None, Scheme::Cash) if document.outside_cash_accounting || is_due_late(document) => Basis::Standard,
            (None, Scheme::Cash) => Basis::Cash,
            (None, Scheme::FlatRate { turnover: Turnover::Invoiced, .. }) => Basis::FlatInvoiced,
            (None, Scheme::FlatRate { turnover: Turnover::Received, .. }) => Basis::FlatReceived,
        };
        Home { basis, stretch: self.stretch_on(document.date) }
    }

    fn declare_document(&self, id: usize, document: &Document, day: Day, position: &mut Position) {
        let home = self.home_of(id);
        let sign = if document.kind.is_credit_note() { -1 } else { 1 };
        let is_sale = document.kind.is_sale();
        let (vat_box, net_box) = if is_sale { (1, 6) } else { (4, 7) };
        for line in &document.lines {
            if let Some(reverse_charge) = line.reverse_charge {
                declare_reverse_charge(is_sale, reverse_charge, line, sign, position);
            } else if self.is_at_its_date(id, line) {
                position.add(vat_box, sign * line.vat);
                position.add(net_box, sign * line.net);
            }
        }
        let parts = self.parts(id);
        match home.basis {
            Basis::Cash => {
                let vat = self.paid(id, parts.1, |parts| parts.1, day);
                let gross = self.paid(id, parts.0, |parts| parts.0, day);
                position.add(vat_box, sign * vat);
                position.add(net_box, sign * (gross - vat));
            }
            Basis::FlatInvoiced if is_sale => position.add_turnover(home.stretch, sign * parts.0, sign * parts.1),
            Basis::FlatReceived if is_sale => {
                let vat = self.paid(id, parts.1, |parts| parts.1, day);
                let gross = self.paid(id, parts.0, |parts| parts.0, day);
                position.add_turnover(home.stretch, sign * gross, sign * vat);
            }
            Basis::Standard | Basis::FlatInvoiced | Basis::FlatReceived | Basis::Accounted => {}
        }
    }

    /// Whether a line without a reverse charge is declared at the document's date with its VAT.
    fn is_at_its_date(&self, id: usize, line: &Line) -> bool {
        let document = &self.documents[&id].0;
        if line.code == Code::OutsideTheScope {
            return false;
        }
        match self.home_of(id).basis {
            Basis::Standard => true,
            Basis::Cash | Basis::Accounted => false,
            Basis::FlatInvoiced | Basis::FlatReceived if document.kind.is_sale() => line.outside_turnover,
            Basis::FlatInvoiced | Basis::FlatReceived => line.fixed_asset && self.is_capital_purchase(id),
        }
    }

    /// One purchase of capital goods is what one document charges for them; credit goes by its invoice.
    fn is_capital_purchase(&self, id: usize) -> bool {
        let document = &self.documents[&id].0;
        if let Some(origin) = document.origin {
            return self.is_capital_purchase(origin);
        }
        let assets = document.lines.iter().filter(|line| line.fixed_asset && line.code != Code::OutsideTheScope);
        assets.map(|line| line.net + line.vat).sum::<Pence>() >= CAPITAL_GOODS_MIN
    }

    /// What of a document is declared as it is paid, or as turnover: gross and VAT.
    fn parts(&self, id: usize) -> (Pence, Pence) {
        let document = &self.documents[&id].0;
        if self.home_of(id).basis == Basis::Standard {
            return (0, 0);
        }
        let lines = document.lines.iter().filter(|line| line.reverse_charge.is_none());
        let lines = lines.filter(|line| line.code != Code::OutsideTheScope && !self.is_at_its_date(id, line));
        lines.fold((0, 0), |(gross, vat), line| (gross + line.net + line.vat, vat + line.vat))
    }

    fn gross(&self, id: usize) -> Pence {
        let document = &self.documents[&id].0;
        document.opening.unwrap_or_else(|| document.lines.iter().map(|line| line.net + line.vat).sum())
    }

    /// Credit between two documents declared as they are paid is no payment: less is due. Any other credit is as good as
    /// money (Notice 731, 4.6), so that relief is given once.
    fn nets(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.home_of(one).basis, self.home_of(other).basis);
        one == other && matches!(one, Basis::Cash | Basis::FlatReceived)
    }

    fn active(&self, day: Day) -> impl Iterator<Item = &Allocation> {
        let counts = move |one: &&Allocation| one.on <= day && one.released.is_none_or(|released| released > day);
        self.allocations.values().filter(counts)
    }

    /// What is declared of an amount of a document by the end of a day: of what credit has left of it, as much as was paid
    /// (Notice 731, 4.10 and 5.8), and all when nothing is left to be paid.
    fn paid(&self, id: usize, whole: Pence, part: fn((Pence, Pence)) -> Pence, day: Day) -> Pence {
        let (mut paid, mut credit, mut of_credit) = (0, 0, 0);
        for allocation in self.active(day) {
            let (other, own_credit) = match allocation.source {
                Source::Money if allocation.to == id => (None, None),
                Source::Credit(from) if allocation.to == id => (Some(from), Some(from)),
                Source::Credit(from) if from == id => (Some(allocation.to), Some(from)),
                Source::Money | Source::Credit(_) => continue,
            };
            match (other, own_credit) {
                (Some(other), Some(note)) if self.nets(id, other) => {
                    credit += allocation.settled;
                    of_credit += self.of_credit(note, allocation, part, day);
                }
                _ => paid += allocation.settled,
            }
        }
        let (left, due) = (whole - of_credit, self.gross(id) - credit);
        if due == 0 { left } else { share(left, paid, due) }
    }

    /// What an allocation that is entered now takes of what is left of its credit note: gross and VAT.
    fn share_as_entered(&self, source: Source, to: usize, settled: Pence) -> (Pence, Pence) {
        let Source::Credit(note) = source else { return (0, 0) };
        if !self.nets(note, to) {
            return (0, 0);
        }
        let (mut whole, mut gross) = (self.parts(note), self.gross(note));
        let taken = |one: &&Allocation| one.source == source && one.released.is_none() && self.nets(note, one.to);
        for one in self.allocations.values().filter(taken) {
            whole = (whole.0 - one.as_entered.0, whole.1 - one.as_entered.1);
            gross -= one.settled;
        }
        (share(whole.0, settled, gross), share(whole.1, settled, gross))
    }

    /// What an allocation takes of an amount of its credit note: shares of the credit note, cumulatively rounded.
    fn of_credit(&self, note: usize, of: &Allocation, part: fn((Pence, Pence)) -> Pence, day: Day) -> Pence {
        if self.choices.shares_as_entered {
            return part(of.as_entered);
        }
        let (whole, gross) = (part(self.parts(note)), self.gross(note));
        let mut same: Vec<(Day, usize)> = Vec::new();
        for (id, one) in &self.allocations {
            let counts = one.on <= day && one.released.is_none_or(|released| released > day);
            if counts && one.source == Source::Credit(note) && self.nets(note, one.to) {
                same.push((one.on, *id));
            }
        }
        same.sort_unstable();
        let (mut before, mut of_before) = (0, 0);
        for (_, id) in same {
            let one = &self.allocations[&id];
            let now = share(whole, before + one.settled, gross) - of_before;
            if std::ptr::eq(one, of) {
                return now;
            }
            before += one.settled;
            of_before += now;
        }
        0
    }

    /// Bank lines and journals count at their date under every scheme.
    fn declare_entry(&self, on: Day, lines: &[EnteredLine], position: &mut Position) {
        let coded = || lines.iter().filter(|line| line.code != Code::OutsideTheScope);
        let is_asset_bought = |line: &&EnteredLine| line.account == Account::FixedAsset && line.gross < 0;
        let assets_bought = coded().filter(is_asset_bought).map(|line| -line.gross).sum::<Pence>();
        let is_flat_rate = matches!(self.scheme_on(on), Scheme::FlatRate { .. });
        for line in coded() {
            let is_output = match line.account {
                Account::Revenue => true,
                // Money in is the sale of the asset (Notice 700/12, box 6).
                Account::FixedAsset => line.gross > 0,
                Account::Expense | Account::Asset | Account::Other => false,
            };
            let net = line.gross - line.vat;
            if is_output && is_flat_rate {
                position.add_turnover(self.stretch_on(on), line.gross, line.vat);
            } else if is_output {
                position.add(1, line.vat);
                position.add(6, net);
            } else if !is_flat_rate || (is_asset_bought(&line) && assets_bought >= CAPITAL_GOODS_MIN) {
                position.add(4, -line.vat);
                position.add(7, -net);
            }
        }
    }
}

/// Declared at the date of the document under every scheme, outside the turnover of the flat rate.
fn declare_reverse_charge(is_sale: bool, kind: ReverseCharge, line: &Line, sign: i64, position: &mut Position) {
    if is_sale {
        position.add(6, sign * line.net);
        return;
    }
    let vat = share(line.net, line.code.rate(), 100);
    position.add(1, sign * vat);
    position.add(4, sign * vat);
    position.add(7, sign * line.net);
    if kind == ReverseCharge::ImportedServices {
        position.add(6, sign * line.net);
    }
}

/// Payment due more than six months after the invoice (regulation 58(2)(e)).
fn is_due_late(document: &Document) -> bool {
    document.due.is_some_and(|due| due > six_months_after(document.date))
}
