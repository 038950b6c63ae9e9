//! The nine boxes of a VAT return, worked out from the Notices (700, 731, 733, 700/12, 741A) and from what a bookkeeper
//! knows: a second opinion, written without a look at how the service does it.
//!
//! Everything is a position at the end of a day. A return is the position at its last day less the position before its first
//! day; only the percentage of the flat rate is taken of that difference, since it is rounded once a return.

use std::collections::BTreeMap;

/// Money, in pence.
pub type Pence = i64;
/// Days since 1 January 1970.
pub type Day = i64;

/// Box 4 and 7 under the flat rate: what a single purchase of capital goods must come to, VAT included (Notice 733, 15.2).
const CAPITAL_GOODS_MIN: Pence = 200_000;

/// A scheme of accounting for VAT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    Standard,
    Cash,
    FlatRate { percent_hundredths: i64, turnover: Turnover },
}

/// What the turnover of the flat rate is made of: supplies (Notice 733, section 8) or receipts (section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turnover {
    Invoiced,
    Received,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    Standard,
    Reduced,
    Zero,
    Exempt,
    OutsideTheScope,
}

impl Code {
    /// Percent.
    pub const fn rate(self) -> i64 {
        match self {
            Self::Standard => 20,
            Self::Reduced => 5,
            Self::Zero | Self::Exempt | Self::OutsideTheScope => 0,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    SalesInvoice,
    SalesCreditNote,
    PurchaseInvoice,
    PurchaseCreditNote,
}

impl Kind {
    pub const fn is_sale(self) -> bool {
        matches!(self, Self::SalesInvoice | Self::SalesCreditNote)
    }

    pub const fn is_credit_note(self) -> bool {
        matches!(self, Self::SalesCreditNote | Self::PurchaseCreditNote)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReverseCharge {
    /// Construction services (VAT reverse charge technical guide).
    Domestic,
    /// Services from abroad (Notice 741A, section 5).
    ImportedServices,
}

#[derive(Debug, Clone, Copy)]
pub struct Line {
    pub fixed_asset: bool,
    pub code: Code,
    pub net: Pence,
    /// What is charged: nothing under a reverse charge.
    pub vat: Pence,
    pub reverse_charge: Option<ReverseCharge>,
    /// The sale of an asset whose input tax was reclaimed, outside the turnover of the flat rate (Notice 733, 15.9).
    pub outside_turnover: bool,
}

#[derive(Debug, Clone)]
pub struct Document {
    pub kind: Kind,
    pub date: Day,
    pub due: Option<Day>,
    pub lines: Vec<Line>,
    /// Hire purchase, or an invoice in advance of the supply (SI 1995/2518, regulation 58(2)).
    pub outside_cash_accounting: bool,
    /// The invoice a credit note is for.
    pub origin: Option<usize>,
    /// What was due of a document of the opening balances; its lines are its VAT, if it says so.
    pub opening: Option<Pence>,
}

/// A part of a coded bank line or a line of a journal.
#[derive(Debug, Clone, Copy)]
pub struct EnteredLine {
    pub account: Account,
    pub code: Code,
    /// VAT included; money in, or a credit, is positive.
    pub gross: Pence,
    /// With the sign of `gross`.
    pub vat: Pence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Account {
    Revenue,
    Expense,
    Asset,
    FixedAsset,
    /// Neither an output nor an input can stand here.
    Other,
}

/// Where an allocation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A receipt or payment to an invoice, or a refund to a credit note, CIS withheld or suffered included.
    Money,
    /// A credit note.
    Credit(usize),
}

/// What happened, as a bookkeeper would tell it. Documents, allocations, entries and adjustments have numbers of their own.
#[derive(Debug, Clone)]
pub enum Event {
    Registered {
        from: Day,
        scheme: Scheme,
    },
    Issued {
        document: usize,
        is: Document,
    },
    DocumentVoided {
        document: usize,
        on: Day,
    },
    Allocated {
        allocation: usize,
        source: Source,
        to: usize,
        settled: Pence,
        on: Day,
    },
    Released {
        allocation: usize,
        on: Day,
    },
    Entered {
        entry: usize,
        on: Day,
        lines: Vec<EnteredLine>,
    },
    EntryVoided {
        entry: usize,
        on: Day,
    },
    Adjusted {
        adjustment: usize,
        on: Day,
        boxes: Vec<(usize, Pence)>,
    },
    AdjustmentVoided {
        adjustment: usize,
        on: Day,
    },
    /// A bad debt: never a payment, and relief is an adjustment, so no box moves (Notice 700/18; Notice 731, 6.4).
    WrittenOff {
        document: usize,
        on: Day,
        amount: Pence,
    },
}

/// What a period shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatReturn {
    /// Boxes 1 to 9 at their numbers.
    pub boxes: [Pence; 10],
    pub net: Pence,
    /// When the flat rate is the scheme at the end of the period.
    pub flat_rate: Option<FlatRate>,
    /// Boxes 6 to 9 in whole pounds.
    pub pounds: [i64; 4],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlatRate {
    pub percent_hundredths: i64,
    pub turnover: Pence,
    pub vat: Pence,
    pub surplus: Pence,
}

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
    adjustments: BTreeMap<usize, (Day, Vec<(usize, Pence)>, Option<Day>)>,
}

impl Notices {
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut told = Self::default();
        for event in events {
            told.tell(event);
        }
        told.registrations.sort_by_key(|(from, _)| *from);
        told
    }

    fn tell(&mut self, event: &Event) {
        match event {
            Event::Registered { from, scheme } => {
                self.registrations.retain(|(day, _)| day != from);
                self.registrations.push((*from, *scheme));
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
            Event::WrittenOff { .. } => {}
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
        boxes[1] += vat;
        boxes[3] = boxes[1] + boxes[2];
        let net = boxes[3] - boxes[4];
        boxes[5] = net.abs();
        let flat_rate = match self.scheme_on(to) {
            Scheme::FlatRate { percent_hundredths, .. } => {
                Some(FlatRate { percent_hundredths, turnover, vat, surplus: charged - vat })
            }
            Scheme::Standard | Scheme::Cash => None,
        };
        VatReturn { boxes, net, flat_rate, pounds: [6, 7, 8, 9].map(|number| boxes[number] / 100) }
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

    fn share_as_entered(&self, source: Source, to: usize, settled: Pence) -> (Pence, Pence) {
        let mut sorted =
            Self { registrations: self.registrations.clone(), documents: self.documents.clone(), ..Self::default() };
        sorted.registrations.sort_by_key(|(from, _)| *from);
        let Source::Credit(note) = source else { return (0, 0) };
        if !sorted.nets(note, to) {
            return (0, 0);
        }
        let (mut whole, mut gross) = (sorted.parts(note), sorted.gross(note));
        for one in self
            .allocations
            .values()
            .filter(|one| one.source == source && one.released.is_none() && sorted.nets(note, one.to))
        {
            whole = (whole.0 - one.as_entered.0, whole.1 - one.as_entered.1);
            gross -= one.settled;
        }
        (share(whole.0, settled, gross), share(whole.1, settled, gross))
    }

    /// What an allocation takes of an amount of its credit note: shares of the credit note, cumulatively rounded.
    fn of_credit(&self, note: usize, of: &Allocation, part: fn((Pence, Pence)) -> Pence, day: Day) -> Pence {
        if std::env::var("VAT_SHARE").as_deref() == Ok("entered") {
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
            let now = match std::env::var("VAT_SHARE").as_deref() {
                Ok("independent") => share(whole, one.settled, gross),
                Ok("remaining") => share(whole - of_before, one.settled, gross - before),
                _ => share(whole, before + one.settled, gross) - of_before,
            };
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
        let assets_bought: Pence = coded().filter(is_asset_bought).map(|line| -line.gross).sum();
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

/// `amount × numerator / denominator` in whole pence, half a penny away from zero.
pub fn share(amount: Pence, numerator: i64, denominator: i64) -> Pence {
    let (product, by) = (i128::from(amount) * i128::from(numerator), i128::from(denominator));
    let (product, by) = if by < 0 { (-product, -by) } else { (product, by) };
    let rounded = (2 * product.abs() + by) / (2 * by);
    i64::try_from(rounded * product.signum()).expect("an amount in pence")
}

/// The VAT in an amount that includes it.
pub fn vat_within(gross: Pence, code: Code) -> Pence {
    share(gross, code.rate(), 100 + code.rate())
}

/// The day of a date.
pub fn day(year: i64, month: i64, day_of_month: i64) -> Day {
    // Years begin in March, so that the leap day is the last of one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day_of_month - 1 - 719_468
}

/// The year, month and day of the month.
pub fn date(of: Day) -> (i64, i64, i64) {
    let mut year = 1970 + of.div_euclid(366);
    while day(year + 1, 1, 1) <= of {
        year += 1;
    }
    let mut month = 12;
    while day(year, month, 1) > of {
        month -= 1;
    }
    (year, month, of - day(year, month, 1) + 1)
}

/// The same day six months later, or the last of that month.
fn six_months_after(of: Day) -> Day {
    let (year, month, day_of_month) = date(of);
    let months = year * 12 + month - 1 + 6;
    let first = |months: i64| day(months.div_euclid(12), months.rem_euclid(12) + 1, 1);
    (first(months) + day_of_month - 1).min(first(months + 1) - 1)
}
