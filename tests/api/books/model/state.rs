//! What the books must hold, kept as naively as possible: lists of journals, bank rows, documents, settlements and
//! allocations; every figure is added up from them when it is asked for.

use std::collections::BTreeMap;

/// Days since 1970-01-01.
pub type Day = i64;
/// Debits less credits by account code, in pence.
pub type Sides = BTreeMap<String, i64>;
/// Boxes 1, 4, 6 and 7 of the VAT return, in pence.
pub type Boxes = [i64; 4];

/// The text of a day.
pub fn text(day: Day) -> String {
    (chrono::NaiveDate::default() + chrono::TimeDelta::days(day)).to_string()
}

/// The day of a text.
pub fn day(text: &str) -> Day {
    (text.parse::<chrono::NaiveDate>().unwrap() - chrono::NaiveDate::default()).num_days()
}

/// Half away from zero.
pub fn rounded(numerator: i128, denominator: i128) -> i64 {
    let doubled = 2 * numerator.abs() + denominator;
    let magnitude = doubled / (2 * denominator);
    i64::try_from(magnitude * numerator.signum()).unwrap()
}

/// The rate of a VAT code in percent.
pub fn rate(code: &str) -> i64 {
    match code {
        "ST" => 20,
        "RR" => 5,
        _ => 0,
    }
}

/// The VAT inside a gross amount.
pub fn vat_inside(gross: i64, code: &str) -> i64 {
    rounded(i128::from(gross * rate(code)), i128::from(100 + rate(code)))
}

/// What an amount sold or bought adds to the return, as far as its code counts.
pub fn boxes(is_sold: bool, code: &str, net: i64, vat: i64) -> Boxes {
    match is_sold {
        _ if code == "NV" => Boxes::default(),
        true => [vat, 0, net, 0],
        false => [0, vat, 0, net],
    }
}

/// The same of a bank or journal line on an account, debits positive: income is sold, and so is a fixed asset that is
/// credited; everything else is bought.
pub fn boxes_of_line(account: &str, code: &str, amount: i64) -> Boxes {
    let vat = vat_inside(amount, code);
    if account.starts_with('4') || account == "0030" && amount < 0 {
        return boxes(true, code, vat - amount, -vat);
    }
    boxes(false, code, amount - vat, vat)
}

/// Both together.
pub fn added(one: Boxes, other: Boxes) -> Boxes {
    std::array::from_fn(|at| one[at] + other[at])
}

/// The VAT on a net amount.
pub fn vat_on(net: i64, code: &str) -> i64 {
    rounded(i128::from(net * rate(code)), 100)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Posted,
    Void,
    Reversal,
}

#[derive(Debug, Clone)]
pub struct Journal {
    /// Known of manual journals only.
    pub id: Option<i64>,
    pub date: Day,
    pub source_type: &'static str,
    pub sides: Sides,
    pub stage: Stage,
    /// What it does to contacts on the control accounts: which, and debits less credits.
    pub contacts: Vec<(usize, i64)>,
    /// What it adds to the VAT return.
    pub boxes: Boxes,
}

#[derive(Debug, Clone)]
pub struct Bank {
    pub id: i64,
    pub code: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowState {
    Unconfirmed,
    Excluded,
    Deleted,
    /// Coded; the journal.
    Coded(usize),
    /// A transfer; the journal and the other row, which may still be to come to that bank.
    Transfer {
        journal: usize,
        partner: Option<usize>,
        bank: usize,
    },
    /// Matched to a manual journal.
    MatchedJournal(usize),
    /// Matched to a settlement that was there before.
    MatchedSettlement(usize),
    /// Made a settlement.
    Settled(usize),
}

#[derive(Debug, Clone)]
pub struct Row {
    pub id: i64,
    pub bank: usize,
    pub day: Day,
    pub amount: i64,
    pub text: String,
    pub state: RowState,
}

#[derive(Debug, Clone)]
pub struct Contact {
    pub id: i64,
    pub is_customer: bool,
    /// The rate of a subcontractor.
    pub cis: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentState {
    Draft,
    Issued,
    Void,
    Deleted,
}

#[derive(Debug, Clone)]
pub struct Document {
    pub id: i64,
    pub contact: usize,
    pub is_sale: bool,
    pub is_credit: bool,
    pub day: Day,
    pub gross: i64,
    /// What CIS is to be withheld in all.
    pub deduction: i64,
    /// What its issue posts.
    pub sides: Sides,
    /// What it adds to the VAT return.
    pub boxes: Boxes,
    pub state: DocumentState,
    pub journal: Option<usize>,
}

#[derive(Debug, Clone)]
pub struct Settlement {
    pub id: i64,
    pub contact: usize,
    pub is_refund: bool,
    pub day: Day,
    pub amount: i64,
    pub cis: i64,
    /// None when the money moved through another account.
    pub bank: Option<usize>,
    /// The account that the money moved through.
    pub code: String,
    /// Its own first, then what was withheld later.
    pub journals: Vec<usize>,
    pub is_void: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Party {
    Document(usize),
    Settlement(usize),
    WriteOff(usize),
}

#[derive(Debug, Clone)]
pub struct WriteOff {
    pub id: i64,
    pub day: Day,
    pub journal: usize,
    pub is_void: bool,
}

#[derive(Debug, Clone)]
pub struct Allocation {
    pub source: Party,
    pub target: Party,
    pub day: Day,
    pub cash: i64,
    pub settled: i64,
    /// From when on it counts no more.
    pub released: Option<Day>,
}

impl Allocation {
    pub fn is_live(&self) -> bool {
        self.released.is_none()
    }

    /// Ends it on a day; one that begins later never counted.
    pub fn release(&mut self, day: Day) {
        if self.is_live() {
            self.released = Some(day.max(self.day));
        }
    }
}

#[derive(Debug, Default)]
pub struct State {
    pub lock: Option<Day>,
    pub journals: Vec<Journal>,
    pub banks: Vec<Bank>,
    pub rows: Vec<Row>,
    pub contacts: Vec<Contact>,
    pub documents: Vec<Document>,
    pub settlements: Vec<Settlement>,
    pub write_offs: Vec<WriteOff>,
    pub allocations: Vec<Allocation>,
}

impl State {
    pub fn is_closed(&self, day: Day) -> bool {
        self.lock.is_some_and(|lock| day <= lock)
    }

    /// Adds a journal; its place.
    pub fn post(&mut self, date: Day, source_type: &'static str, sides: Sides, contacts: Vec<(usize, i64)>) -> usize {
        let sides: Sides = sides.into_iter().filter(|(_, amount)| *amount != 0).collect();
        assert_eq!(sides.values().sum::<i64>(), 0, "the model is in balance: {sides:?}");
        let boxes = Boxes::default();
        self.journals.push(Journal { id: None, date, source_type, sides, stage: Stage::Posted, contacts, boxes });
        self.journals.len() - 1
    }

    /// Adds the reversal of a journal.
    pub fn reverse(&mut self, journal: usize, date: Day) {
        let of = &mut self.journals[journal];
        of.stage = Stage::Void;
        let sides = of.sides.iter().map(|(code, amount)| (code.clone(), -amount)).collect();
        let contacts = of.contacts.iter().map(|(contact, amount)| (*contact, -amount)).collect();
        let boxes = of.boxes.map(|amount| -amount);
        let at = self.post(date, "reversal", sides, contacts);
        self.journals[at].stage = Stage::Reversal;
        self.journals[at].boxes = boxes;
    }

    /// What every account comes to.
    pub fn balances(&self) -> Sides {
        let mut balances = Sides::new();
        for (code, amount) in self.journals.iter().flat_map(|journal| &journal.sides) {
            *balances.entry(code.clone()).or_default() += amount;
        }
        balances.retain(|_, amount| *amount != 0);
        balances
    }

    /// What a contact owes us, or we owe a supplier.
    pub fn contact_balance(&self, contact: usize) -> i64 {
        let effects = self.journals.iter().flat_map(|journal| &journal.contacts);
        let debits: i64 = effects.filter(|(of, _)| *of == contact).map(|(_, amount)| amount).sum();
        if self.contacts[contact].is_customer { debits } else { -debits }
    }

    /// When something more may happen to a document or settlement of a day: that day, or when the last of what counted was
    /// released, because what is shown of the days before stays as it was.
    pub fn earliest(&self, party: Party) -> Day {
        let own = match party {
            Party::Document(at) => self.documents[at].day,
            Party::Settlement(at) => self.settlements[at].day,
            Party::WriteOff(at) => self.write_offs[at].day,
        };
        let ends = self.allocations.iter().filter(|one| one.source == party || one.target == party);
        let until = ends.filter_map(|one| one.released.filter(|released| one.day < *released));
        until.fold(own, Day::max)
    }

    /// Settled on an invoice: by money, by credit notes.
    pub fn settled(&self, document: usize) -> (i64, i64) {
        let mut sums = (0, 0);
        for allocation in self.allocations.iter().filter(|one| one.is_live() && one.target == Party::Document(document))
        {
            match allocation.source {
                Party::Settlement(_) => sums.0 += allocation.settled,
                Party::Document(_) | Party::WriteOff(_) => sums.1 += allocation.settled,
            }
        }
        sums
    }

    /// Cash paid on a bill.
    pub fn cash(&self, document: usize) -> i64 {
        let on = self.allocations.iter().filter(|one| one.is_live() && one.target == Party::Document(document));
        on.map(|allocation| allocation.cash).sum()
    }

    pub fn due(&self, document: usize) -> i64 {
        let (paid, credited) = self.settled(document);
        self.documents[document].gross - paid - credited
    }

    /// What a credit note has been set against.
    pub fn used(&self, party: Party) -> i64 {
        let own = self.allocations.iter().filter(|one| one.is_live() && (one.source == party || one.target == party));
        own.map(|allocation| allocation.settled).sum()
    }

    pub fn unallocated(&self, settlement: usize) -> i64 {
        let one = &self.settlements[settlement];
        if one.is_void { 0 } else { one.amount + one.cis - self.used(Party::Settlement(settlement)) }
    }

    pub fn status(&self, document: usize) -> &'static str {
        let one = &self.documents[document];
        let left = if one.is_credit { one.gross - self.used(Party::Document(document)) } else { self.due(document) };
        match one.state {
            DocumentState::Draft => "draft",
            DocumentState::Void => "void",
            DocumentState::Deleted => "deleted",
            DocumentState::Issued if left == 0 => {
                if one.is_credit {
                    "allocated"
                } else {
                    "paid"
                }
            }
            DocumentState::Issued if left == one.gross => "issued",
            DocumentState::Issued => {
                if one.is_credit {
                    "part_allocated"
                } else {
                    "part_paid"
                }
            }
        }
    }

    /// The row that a settlement came from or was matched with.
    pub fn row_of_settlement(&self, settlement: usize) -> Option<usize> {
        let is_linked = |row: &Row| matches!(row.state, RowState::Settled(of) | RowState::MatchedSettlement(of) if of == settlement);
        self.rows.iter().position(is_linked)
    }
}
