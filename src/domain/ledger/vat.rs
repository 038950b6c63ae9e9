//! VAT: the arithmetic (the five codes, the split of an amount, how far a caller's own figure may be away), amounts by code,
//! the schemes (from which day each applies, and when one may change), and the sub-ledger, of which the return is a sum.

use crate::domain::date::Date;
use crate::domain::ids::DocumentId;
use crate::domain::ledger::chart::{Account, AccountType, Role};
use crate::domain::ledger::journal::{require_open, starts_vat_period};
use crate::domain::ledger::money::{Pence, Percent, divide_round};
use crate::domain::ledger::refusal::Refusal;

mod code_totals;

pub use code_totals::CodeTotals;

/// A VAT code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VatCode {
    /// ST: standard rate, 20 %.
    Standard,
    /// RR: reduced rate, 5 %.
    Reduced,
    /// ZR: zero rate.
    Zero,
    /// EX: exempt.
    Exempt,
    /// NV: outside the scope of VAT; in no box of the return.
    NoVat,
}

impl VatCode {
    /// Every code, in the order they are listed.
    pub const ALL: [Self; 5] = [Self::Standard, Self::Reduced, Self::Zero, Self::Exempt, Self::NoVat];

    /// The two letters.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Standard => "ST",
            Self::Reduced => "RR",
            Self::Zero => "ZR",
            Self::Exempt => "EX",
            Self::NoVat => "NV",
        }
    }

    /// Reads the two letters.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.code() == code)
    }

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "Standard rate",
            Self::Reduced => "Reduced rate",
            Self::Zero => "Zero rate",
            Self::Exempt => "Exempt",
            Self::NoVat => "No VAT",
        }
    }

    /// The rate in percent.
    pub const fn percent(self) -> i64 {
        match self {
            Self::Standard => 20,
            Self::Reduced => 5,
            Self::Zero | Self::Exempt | Self::NoVat => 0,
        }
    }

    /// Whether it counts in the return at all.
    pub const fn is_in_return(self) -> bool {
        !matches!(self, Self::NoVat)
    }

    /// The VAT on top of a net amount; halves of a penny away from zero.
    pub fn vat_on_net(self, net: Pence) -> Pence {
        Pence::from_wide(divide_round(i128::from(net.0) * i128::from(self.percent()), 100))
    }

    /// The VAT inside a gross amount; halves of a penny away from zero.
    pub fn vat_in_gross(self, gross: Pence) -> Pence {
        let percent = i128::from(self.percent());
        Pence::from_wide(divide_round(i128::from(gross.0) * percent, 100 + percent))
    }
}

/// A supply whose VAT the customer accounts for instead of the supplier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReverseCharge {
    /// Building and construction services (VAT Notice 735; since 1 March 2021).
    Domestic,
    /// Services from abroad (VAT Notice 741A).
    ImportedServices,
}

impl ReverseCharge {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Domestic, Self::ImportedServices];

    /// The word kept and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Domestic => "domestic",
            Self::ImportedServices => "imported_services",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }

    /// The kinds a line of a side may have: only domestic services are also sold under a reverse charge.
    pub const fn of_side(side: Side) -> &'static [Self] {
        match side {
            Side::Output => &[Self::Domestic],
            Side::Input => &Self::ALL,
        }
    }
}

/// What a line under a reverse charge has beside its net amount: nobody pays the VAT to the supplier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReverseCharged {
    /// Which charge.
    pub kind: ReverseCharge,
    /// The VAT that the customer accounts for.
    pub vat: Pence,
}

/// An amount split into net and VAT.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Split {
    /// Without VAT.
    pub net: Pence,
    /// The VAT.
    pub vat: Pence,
}

impl Split {
    /// Net and VAT together.
    pub fn gross(self) -> Pence {
        self.net + self.vat
    }
}

/// The direction of VAT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// On sales: boxes 1 and 6.
    Output,
    /// On purchases: boxes 4 and 7.
    Input,
}

impl Side {
    /// The word kept and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Output => "output",
            Self::Input => "input",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Output, Self::Input].into_iter().find(|side| side.as_str() == text)
    }

    /// How far a given VAT amount may be from the computed one: suppliers round in ways of their own.
    pub const fn tolerance(self) -> Pence {
        match self {
            Self::Output => Pence(1),
            Self::Input => Pence(100),
        }
    }
}

/// Splits an amount that VAT comes on top of.
pub fn split_net(
    side: Side,
    code: VatCode,
    net: Pence,
    given: Option<Pence>,
    field: impl FnOnce() -> String,
) -> Result<Split, Refusal> {
    let vat = accept(side, code, net, code.vat_on_net(net), given, field)?;
    Ok(Split { net, vat })
}

/// Splits an amount that VAT is contained in.
pub fn split_gross(
    side: Side,
    code: VatCode,
    gross: Pence,
    given: Option<Pence>,
    field: impl FnOnce() -> String,
) -> Result<Split, Refusal> {
    let vat = accept(side, code, gross, code.vat_in_gross(gross), given, field)?;
    Ok(Split { net: gross - vat, vat })
}

/// Decides whether VAT that another program made of many lines, or of what is left of them, is near the rate of its code:
/// a pound at most, as on purchases, and nothing where there is no rate.
pub fn require_near(code: VatCode, amount: Split, field: impl FnOnce() -> String) -> Result<(), Refusal> {
    split_net(Side::Input, code, amount.net, Some(amount.vat), field).map(|_| ())
}

/// The VAT to use: the computed one, or the caller's when it is near enough, of the same sign as the amount and not more
/// than it.
fn accept(
    side: Side,
    code: VatCode,
    amount: Pence,
    computed: Pence,
    given: Option<Pence>,
    field: impl FnOnce() -> String,
) -> Result<Pence, Refusal> {
    let Some(given) = given else { return Ok(computed) };
    let tolerance = if code.percent() == 0 { Pence::ZERO } else { side.tolerance() };
    let is_near = (given - computed).abs() <= tolerance;
    let is_part = given.is_zero() || (given.signum() == amount.signum() && given.abs() <= amount.abs());
    if is_near && is_part {
        return Ok(given);
    }
    Err(Refusal::VatAmountOutOfTolerance { field: field(), expected: computed, actual: given })
}

/// How VAT is accounted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VatScheme {
    /// At the date of the document.
    Standard,
    /// When documents are paid.
    Cash,
    /// A percentage of the turnover; input tax on capital goods only.
    FlatRate(Percent, FlatRateBasis),
}

/// When sales are turnover of the flat rate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlatRateBasis {
    /// At the date of the document: the basic turnover method (VAT Notice 733, section 8).
    #[default]
    Invoice,
    /// When they are paid: the cash based turnover method (VAT Notice 733, section 9).
    Cash,
}

impl FlatRateBasis {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Invoice, Self::Cash];

    /// The word kept and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invoice => "invoice",
            Self::Cash => "cash",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

impl VatScheme {
    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Cash => "cash",
            Self::FlatRate(..) => "flat_rate",
        }
    }

    /// Reads the word of the API, which for the flat rate needs the percentage, and for the others must not have one. When
    /// sales are its turnover matters to the flat rate alone.
    pub fn from_parts(word: &str, flat_rate: Option<Percent>, basis: FlatRateBasis) -> Result<Self, Refusal> {
        match (word, flat_rate) {
            ("standard", None) => Ok(Self::Standard),
            ("cash", None) => Ok(Self::Cash),
            ("flat_rate", Some(percent)) if (1..=5_000).contains(&percent.0) => Ok(Self::FlatRate(percent, basis)),
            ("flat_rate", _) => {
                Err(Refusal::field("flat_rate_percent", "the flat rate scheme needs a percentage from 0.01 to 50"))
            }
            ("standard" | "cash", Some(_)) => {
                Err(Refusal::field("flat_rate_percent", "only the flat rate scheme has a percentage; use null"))
            }
            _ => Err(Refusal::field("vat_scheme", "must be standard, cash, flat_rate or null")),
        }
    }

    /// The percentage of the flat rate.
    pub const fn flat_rate(self) -> Option<Percent> {
        match self {
            Self::FlatRate(percent, _) => Some(percent),
            Self::Standard | Self::Cash => None,
        }
    }
}

/// Box 1 of the flat rate: the percentage of the turnover including VAT.
pub fn flat_rate_tax(turnover: Pence, percent: Percent) -> Pence {
    Pence::from_wide(divide_round(i128::from(turnover.0) * i128::from(percent.0), i128::from(Percent::WHOLE)))
}

/// Which scheme applies when: the schemes by the day they begin. One that a new organisation has without a day begins with the
/// first date of the books.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VatHistory {
    from: Vec<(Date, VatScheme)>,
}

impl VatHistory {
    /// From the schemes and the days they begin on.
    pub fn new(mut from: Vec<(Date, VatScheme)>) -> Self {
        from.sort_by_key(|(date, _)| *date);
        Self { from }
    }

    /// The scheme a document of this date is under, for good. Standard before the first, and without any: whether VAT is
    /// posted is decided by the VAT codes and the VAT Control account, not by the registration.
    pub fn on(&self, date: Date) -> VatScheme {
        self.begun_by(date).unwrap_or(VatScheme::Standard)
    }

    /// The scheme that has begun last on a day; none before the first, when nobody was registered.
    pub fn begun_by(&self, date: Date) -> Option<VatScheme> {
        self.from.iter().rev().find(|(from, _)| *from <= date).map(|(_, scheme)| *scheme)
    }

    /// The day from which on cash accounting, which applied before, does not apply any more; none while it does or if it never
    /// did.
    pub fn cash_ended_on(&self, date: Date) -> Option<Date> {
        let mut ended = None;
        let mut is_cash = false;
        for (from, scheme) in self.iter().take_while(|(from, _)| *from <= date) {
            match (is_cash, scheme) {
                (_, VatScheme::Cash) => (is_cash, ended) = (true, None),
                (true, _) => (is_cash, ended) = (false, Some(from)),
                (false, _) => {}
            }
        }
        ended
    }

    /// Whether documents of some day from this one on are under a scheme of another basis than this one's. Another
    /// percentage of the flat rate is no other basis.
    pub fn has_other_basis(&self, from: Date, scheme: VatScheme) -> bool {
        let later = self.from.iter().filter(|(begun, _)| *begun > from).map(|(_, scheme)| *scheme);
        std::iter::once(self.on(from)).chain(later).any(|known| Basis::from(known) != Basis::from(scheme))
    }

    /// The schemes and the days they begin on, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (Date, VatScheme)> {
        self.from.iter().copied()
    }

    /// Adds a scheme from a day on; what was to begin later or on that day is replaced.
    pub fn change(&mut self, from: Date, scheme: VatScheme) {
        self.from.retain(|(begun, _)| *begun < from);
        self.from.push((from, scheme));
    }
}

/// Decides whether another scheme may begin on a day: not in the locked period, and on the first day of a VAT period
/// (VAT Notice 731: never retrospectively).
pub fn require_scheme_start(
    from: Date,
    lock_date: Option<Date>,
    period_months: i32,
    period_end_month: i32,
) -> Result<(), Refusal> {
    require_open(from, lock_date)?;
    if starts_vat_period(from, period_months, period_end_month) {
        return Ok(());
    }
    Err(Refusal::field("vat_scheme_from", "must be the first day of a VAT period"))
}

/// The smallest purchase of capital goods, VAT included, on which input tax is reclaimed under the flat rate (VAT Notice
/// 733, section 15).
pub const CAPITAL_GOODS_MIN: Pence = Pence(200_000);

/// Whether a line with this code on this account counts towards a purchase of capital goods. What is outside the scope of VAT
/// is no part of the VAT-inclusive price.
pub fn is_capital_goods(account: &Account, code: VatCode) -> bool {
    account.has_role(&Role::FixedAsset) && code.is_in_return()
}

/// Whether the VAT of a line is posted and declared, or stays inside the amount.
///
/// Only under the flat rate does any stay inside: that of every purchase but a single purchase of capital goods of
/// £2,000 or more. `capital_gross` is the gross of all capital goods ([`is_capital_goods`]) bought together with the line.
pub fn separates_vat(basis: impl Into<Basis>, side: Side, account: &Account, capital_gross: Pence) -> bool {
    match (basis.into(), side) {
        (Basis::FlatRate | Basis::FlatRateCash, Side::Input) => {
            account.has_role(&Role::FixedAsset) && capital_gross.abs() >= CAPITAL_GOODS_MIN
        }
        _ => true,
    }
}

/// The direction of VAT on a bank or journal line of an amount (debits positive), told by its account: earned is output,
/// spent or bought is input. A credit of a fixed asset is its sale, and output (VAT Notice 700/12, boxes 1 and 6); it never
/// is a purchase given back, which a purchase credit note shows. Codes that count in the return are refused on every other
/// account.
pub fn side_of_line(
    account: &Account,
    amount: Pence,
    code: VatCode,
    field: impl FnOnce() -> String,
) -> Result<Side, Refusal> {
    let is_plain = !account.is_control() && !account.has_role(&Role::Bank);
    match account.account_type {
        AccountType::Revenue => Ok(Side::Output),
        AccountType::Expense => Ok(Side::Input),
        AccountType::Asset if account.has_role(&Role::FixedAsset) && amount.is_negative() => Ok(Side::Output),
        AccountType::Asset if is_plain => Ok(Side::Input),
        // Without a code the direction does not matter.
        _ if !code.is_in_return() => Ok(Side::Input),
        _ => {
            let code = code.code();
            let allowed = format!(
                "VAT code {code} needs a REVENUE, EXPENSE or ASSET account that is neither bank nor control; others take NV"
            );
            Err(Refusal::wrong_account(field(), account, &allowed))
        }
    }
}

/// The scheme an entry was made under, which decides how the return counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// At the date of the document, the bank line or the journal.
    Standard,
    /// When money moved.
    Cash,
    /// Turnover including VAT, of which the return takes the percentage.
    FlatRate,
    /// The same when money moved. Only documents of sales have it: their entries have [`Basis::FlatRate`].
    FlatRateCash,
}

impl Basis {
    /// The word kept and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Cash => "cash",
            Self::FlatRate => "flat_rate",
            Self::FlatRateCash => "flat_rate_cash",
        }
    }

    /// Every basis.
    pub const ALL: [Self; 4] = [Self::Standard, Self::Cash, Self::FlatRate, Self::FlatRateCash];

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|basis| basis.as_str() == text)
    }

    /// Whether the VAT of a document is declared when it is paid.
    pub const fn waits_for_payment(self) -> bool {
        matches!(self, Self::Cash | Self::FlatRateCash)
    }

    /// Whether it is that of the flat rate.
    pub const fn is_flat_rate(self) -> bool {
        matches!(self, Self::FlatRate | Self::FlatRateCash)
    }

    /// That of the entries of what has this basis.
    #[must_use]
    pub const fn of_entries(self) -> Self {
        match self {
            Self::FlatRateCash => Self::FlatRate,
            other => other,
        }
    }
}

impl From<VatScheme> for Basis {
    fn from(scheme: VatScheme) -> Self {
        match scheme {
            VatScheme::Standard => Self::Standard,
            VatScheme::Cash => Self::Cash,
            VatScheme::FlatRate(_, FlatRateBasis::Invoice) => Self::FlatRate,
            VatScheme::FlatRate(_, FlatRateBasis::Cash) => Self::FlatRateCash,
        }
    }
}

/// An entry of the VAT sub-ledger. Entries are only ever added; an undoing is an entry of the opposite sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatEntry {
    /// On sales or on purchases.
    pub side: Side,
    /// The code; never [`VatCode::NoVat`].
    pub code: VatCode,
    /// Net and VAT: positive for what is sold or bought, negative for what is given back.
    pub amount: Split,
    /// The scheme it was made under; standard under a reverse charge, whatever the scheme.
    pub basis: Basis,
    /// The reverse charge it is under. The VAT of a purchase then is both due and reclaimed; a sale has none.
    pub reverse_charge: Option<ReverseCharge>,
    /// The day it counts in the return.
    pub tax_point: Date,
    /// The day whose percentage of the flat rate counts, where that is another than the tax point: turnover that is taken
    /// back goes at the percentage it came at.
    pub rate_date: Option<Date>,
    /// The line it comes from.
    pub origin: VatOrigin,
}

impl VatEntry {
    /// The entry that undoes this one on a day.
    pub fn undone(&self, tax_point: Date) -> Self {
        let amount = Split { net: -self.amount.net, vat: -self.amount.vat };
        Self { amount, tax_point, rate_date: None, ..self.clone() }.at_rate_of(self.rate_date())
    }

    /// The day whose percentage of the flat rate counts.
    pub fn rate_date(&self) -> Date {
        self.rate_date.unwrap_or(self.tax_point)
    }

    /// The same entry, and if it is turnover of the flat rate, at the percentage of a day.
    #[must_use]
    pub fn at_rate_of(self, date: Date) -> Self {
        let is_turnover = self.basis == Basis::FlatRate && self.side == Side::Output;
        let rate_date = Some(date).filter(|date| is_turnover && *date != self.tax_point);
        Self { rate_date, ..self }
    }
}

/// What a VAT entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VatOrigin {
    /// The line of the journal at this zero-based index.
    JournalLine(usize),
    /// The line of the document being posted at this zero-based index; journal lines merge those of one account.
    DocumentLine(usize),
    /// An earlier document that is being paid.
    Document(DocumentId),
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod scheme_tests;

#[cfg(test)]
mod entry_tests;
