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
    Account, Boxes, Code, Day, Document, EnteredLine, Event, FlatRate, Kind, Line, Pence, ReverseCharge, Scheme,
    Source, Turnover, VatReturn,
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
    /// What it takes off the gross and the VAT of the document where it is no payment: settled when it is entered.
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
    registrations: Vec<(Day, Scheme)>,
    documents: BTreeMap<usize, (Document, Option<Day>)>,
    allocations: BTreeMap<usize, Allocation>,
    entries: BTreeMap<usize, (Day, Vec<EnteredLine>, Option<Day>)>,
    adjustments: BTreeMap<usize, (Day, Boxes, Option<Day>)>,
}

impl Notices {
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut told = Self::default();
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
                let as_entered = match source {
                    Source::Money => (0, 0),
                    Source::Credit(note) => self.share_of_note(*note, *settled),
                    Source::WrittenOff => self.share_of_debt(*to, *settled),
                };
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
        for (stretch, percent) in (0..self.registrations.len()).filter_map(|at| Some((at, self.percent_of(at)?))) {
            let of = |position: &Position| position.turnover.get(&stretch).copied().unwrap_or_default();
            let (gross, of_it) = (of(&after).0 - of(&before).0, of(&after).1 - of(&before).1);
            turnover += gross;
            charged += of_it;
            vat += share(gross, percent, 10_000);
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

    fn scheme_on(&self, day: Day) -> Scheme {
        let current = self.registrations.iter().rev().find(|(from, _)| *from <= day);
        current.map_or(Scheme::Standard, |(_, scheme)| *scheme)
    }

    /// The number of the registration whose percentage turnover of this day takes: a stretch goes on as long as the percentage,
    /// and what is turnover after the flat rate has ended takes its last.
    fn stretch_on(&self, day: Day) -> usize {
        let mut stretch = None;
        for at in (0..self.registrations.len()).filter(|at| self.percent_of(*at).is_some()) {
            let goes_on = stretch.is_some_and(|known| self.percent_of(known) == self.percent_of(at));
            if stretch.is_none() || (self.registrations[at].0 <= day && !goes_on) {
                stretch = Some(at);
            }
        }
        stretch.unwrap_or(0)
    }

    fn percent_of(&self, stretch: usize) -> Option<i64> {
        match self.registrations[stretch].1 {
            Scheme::FlatRate { percent_hundredths, .. } => Some(percent_hundredths),
            Scheme::Standard | Scheme::Cash => None,
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
                for (stretch, gross, vat) in self.received(id, day) {
                    position.add_turnover(stretch, sign * gross, sign * vat);
                }
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
        self.paid_until(id, whole, part, day, Day::MAX)
    }

    /// The same, of the payments from up to another day.
    fn paid_until(&self, id: usize, whole: Pence, part: fn((Pence, Pence)) -> Pence, day: Day, last: Day) -> Pence {
        let (mut paid, mut credit, mut of_credit) = (0, 0, 0);
        for (allocation, is_payment) in self.of_document(id, day) {
            if !is_payment {
                credit += allocation.settled;
                of_credit += part(allocation.as_entered);
            } else if allocation.on <= last {
                paid += allocation.settled;
            }
        }
        let (left, due) = (whole - of_credit, self.gross(id) - credit);
        if due == 0 { left } else { share(left, paid, due) }
    }

    /// What settles a document on a day, and whether it is payment or makes less due.
    fn of_document(&self, id: usize, day: Day) -> Vec<(&Allocation, bool)> {
        let of_it = |one: &&Allocation| one.to == id || one.source == Source::Credit(id);
        let is_payment = |one: &Allocation| match one.source {
            Source::Money => true,
            Source::Credit(note) => !self.nets(note, one.to),
            Source::WrittenOff => false,
        };
        self.active(day).filter(of_it).map(|one| (one, is_payment(one))).collect()
    }

    /// Turnover that was received by the end of a day: gross and VAT, each by the stretch of its percentage. The turnover of a
    /// period is what is received in it, and the percentage that of the part of the period it is in (SI 1995/2518, regulations
    /// 55D, 55G and 55H), so a payment takes the percentage of its day, whatever day the invoice has. What nobody pays,
    /// because credit has left nothing to be paid, takes that of the credit, or else that of the document.
    fn received(&self, id: usize, day: Day) -> Vec<(usize, Pence, Pence)> {
        let (gross, vat) = self.parts(id);
        let of_document = self.of_document(id, day);
        let mut days: Vec<Day> =
            of_document.iter().filter(|(_, is_payment)| *is_payment).map(|(one, _)| one.on).collect();
        days.sort_unstable();
        days.dedup();
        if days.is_empty() {
            let last_credit = of_document.iter().map(|(one, _)| one.on).max();
            let stretch = last_credit.map_or_else(|| self.home_of(id).stretch, |day| self.stretch_on(day));
            let left = |whole, part| self.paid(id, whole, part, day);
            return vec![(stretch, left(gross, |parts| parts.0), left(vat, |parts| parts.1))];
        }
        let (mut received, mut before) = (Vec::new(), (0, 0));
        for last in days {
            let until = |whole, part| self.paid_until(id, whole, part, day, last);
            let now = (until(gross, |parts| parts.0), until(vat, |parts| parts.1));
            received.push((self.stretch_on(last), now.0 - before.0, now.1 - before.1));
            before = now;
        }
        received
    }

    /// What a part of a credit note that is entered now takes of its gross and VAT: its share of what earlier parts have left.
    /// It is settled then, so that what is entered later never moves a figure that was declared; no Notice says how pennies
    /// are shared out.
    fn share_of_note(&self, note: usize, settled: Pence) -> (Pence, Pence) {
        let (mut whole, mut gross) = (self.parts(note), self.gross(note));
        let taken = |one: &&Allocation| one.source == Source::Credit(note) && one.released.is_none();
        for one in self.allocations.values().filter(taken) {
            whole = (whole.0 - one.as_entered.0, whole.1 - one.as_entered.1);
            gross -= one.settled;
        }
        (share(whole.0, settled, gross), share(whole.1, settled, gross))
    }

    /// What a part of a debt that is written off now has of gross and VAT that are still to be declared. It will never be paid,
    /// so it never is declared: relief under cash accounting is automatic (VCAS1100).
    fn share_of_debt(&self, id: usize, settled: Pence) -> (Pence, Pence) {
        let (whole, mut due) = (self.parts(id), self.gross(id));
        let mut of_credit = (0, 0);
        for (one, is_payment) in self.of_document(id, Day::MAX) {
            due -= one.settled;
            if !is_payment {
                of_credit = (of_credit.0 + one.as_entered.0, of_credit.1 + one.as_entered.1);
            }
        }
        let waiting = |whole, of_credit, part| whole - of_credit - self.paid(id, whole, part, Day::MAX);
        let gross = waiting(whole.0, of_credit.0, |parts: (Pence, Pence)| parts.0);
        let vat = waiting(whole.1, of_credit.1, |parts: (Pence, Pence)| parts.1);
        (share(gross, settled, due), share(vat, settled, due))
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
