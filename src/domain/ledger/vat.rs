//! VAT arithmetic (the five codes, the split of an amount, how far a caller's own figure may be away) and VAT schemes: from
//! which day each applies, and when one may change.

use crate::domain::date::Date;
use crate::domain::ledger::chart::{Account, AccountType, Role};
use crate::domain::ledger::journal::{require_open, starts_vat_period};
use crate::domain::ledger::money::{Pence, Percent, divide_round};
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat_entry::Basis;

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
    FlatRate(Percent),
}

impl VatScheme {
    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Cash => "cash",
            Self::FlatRate(_) => "flat_rate",
        }
    }

    /// Reads the word of the API, which for the flat rate needs the percentage, and for the others must not have one.
    pub fn from_parts(word: &str, flat_rate: Option<Percent>) -> Result<Self, Refusal> {
        match (word, flat_rate) {
            ("standard", None) => Ok(Self::Standard),
            ("cash", None) => Ok(Self::Cash),
            ("flat_rate", Some(percent)) if (1..=5_000).contains(&percent.0) => Ok(Self::FlatRate(percent)),
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
            Self::FlatRate(percent) => Some(percent),
            Self::Standard | Self::Cash => None,
        }
    }
}

/// Box 1 of the flat rate: the percentage of the turnover including VAT.
pub fn flat_rate_tax(turnover: Pence, percent: Percent) -> Pence {
    Pence::from_wide(divide_round(i128::from(turnover.0) * i128::from(percent.0), i128::from(Percent::WHOLE)))
}

/// Which scheme applies when: the schemes by the day they begin, the first since ever.
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
        let begun = self.from.iter().rev().find(|(from, _)| *from <= date);
        begun.map_or(VatScheme::Standard, |(_, scheme)| *scheme)
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

/// Whether the VAT of a line is posted and declared, or stays inside the amount.
///
/// Only under the flat rate does any stay inside: that of every purchase but a single purchase of capital goods of
/// £2,000 or more. `capital_gross` is the gross of all capital goods bought together with the line.
pub fn separates_vat(basis: impl Into<Basis>, side: Side, account: &Account, capital_gross: Pence) -> bool {
    match (basis.into(), side) {
        (Basis::FlatRate, Side::Input) => {
            account.has_role(&Role::FixedAsset) && capital_gross.abs() >= CAPITAL_GOODS_MIN
        }
        _ => true,
    }
}

/// The direction of VAT on a bank or journal line, told by its account: earned is output, spent or bought is input.
/// Codes that count in the return are refused on every other account.
pub fn side_of_account(account: &Account, code: VatCode, field: impl FnOnce() -> String) -> Result<Side, Refusal> {
    let is_plain = !account.is_control() && !account.has_role(&Role::Bank);
    match account.account_type {
        AccountType::Revenue => Ok(Side::Output),
        AccountType::Expense => Ok(Side::Input),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn exclusive(code: VatCode, net: i64) -> i64 {
        code.vat_on_net(Pence(net)).0
    }

    #[test]
    fn half_pennies_go_away_from_zero() {
        let code = VatCode::Reduced;
        let cases = [(70, 4), (230, 12), (30, 2), (50, 3), (-30, -2), (-70, -4), (10, 1), (9, 0), (-10, -1), (-9, 0)];
        for (net, vat) in cases {
            assert_eq!(exclusive(code, net), vat, "{net}");
        }
        assert_eq!(exclusive(VatCode::Standard, 1_003), 201);
        for code in [VatCode::Zero, VatCode::Exempt, VatCode::NoVat] {
            assert_eq!((exclusive(code, 99_999), code.vat_in_gross(Pence(99_999))), (0, Pence::ZERO));
        }
    }

    #[test]
    fn vat_inside_a_gross_amount() {
        let inside = |gross: i64| {
            let split = split_gross(Side::Output, VatCode::Standard, Pence(gross), None, String::new).unwrap();
            (split.vat.0, split.net.0)
        };
        assert_eq!(inside(250_000), (41_667, 208_333));
        assert_eq!(inside(3), (1, 2));
        assert_eq!(inside(-3), (-1, -2));
        assert_eq!(inside(12_000), (2_000, 10_000));
        assert_eq!(inside(8_437), (1_406, 7_031));
    }

    #[test]
    fn a_given_figure_may_be_a_penny_off_on_sales_and_a_pound_on_purchases() {
        let split =
            |side, given| split_net(side, VatCode::Standard, Pence(1_003), Some(Pence(given)), || "x".to_owned());
        assert_eq!(split(Side::Output, 200).unwrap(), Split { net: Pence(1_003), vat: Pence(200) });
        assert_eq!(split(Side::Output, 202).unwrap().gross(), Pence(1_205));
        assert_eq!(split(Side::Output, 203).unwrap_err().reason(), "vat_amount_out_of_tolerance");
        assert!(split(Side::Input, 301).is_ok() && split(Side::Input, 101).is_ok());
        assert!(split(Side::Input, 302).is_err() && split(Side::Input, 100).is_err());
    }

    #[test]
    fn a_given_figure_is_nothing_on_zero_rates_and_never_against_the_amount() {
        let zero = |given| split_net(Side::Input, VatCode::Zero, Pence(1_000), Some(Pence(given)), String::new);
        assert!(zero(0).is_ok() && zero(1).is_err());
        let small = |given| split_gross(Side::Input, VatCode::Standard, Pence(50), Some(Pence(given)), String::new);
        assert!(small(50).is_ok() && small(0).is_ok());
        assert!(small(51).is_err() && small(-1).is_err());
    }

    #[test]
    fn codes_and_sides_have_their_words() {
        for code in VatCode::ALL {
            assert_eq!(VatCode::parse(code.code()), Some(code));
            assert!(!code.name().is_empty());
        }
        assert_eq!(VatCode::parse("st"), None);
        assert_eq!(Side::parse("output"), Some(Side::Output));
        assert_eq!(Side::parse("input"), Some(Side::Input));
        assert!(VatCode::Exempt.is_in_return() && !VatCode::NoVat.is_in_return());
    }
}

#[cfg(test)]
mod vat_scheme_tests {
    use super::*;
    use crate::domain::date::Date;
    use crate::domain::ids::AccountId;
    use crate::domain::ledger::chart::Chart;
    use crate::domain::ledger::standard_chart;

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    #[test]
    fn only_the_flat_rate_has_a_percentage() {
        let percent = Percent(950);
        assert_eq!(VatScheme::from_parts("standard", None), Ok(VatScheme::Standard));
        assert_eq!(VatScheme::from_parts("cash", None), Ok(VatScheme::Cash));
        let flat = VatScheme::from_parts("flat_rate", Some(percent)).unwrap();
        assert_eq!((flat.as_str(), flat.flat_rate()), ("flat_rate", Some(percent)));
        for (word, percent) in [
            ("flat_rate", None),
            ("flat_rate", Some(Percent(0))),
            ("flat_rate", Some(Percent(5_001))),
            ("cash", Some(percent)),
            ("margin", None),
        ] {
            assert_eq!(VatScheme::from_parts(word, percent).unwrap_err().reason(), "invalid_field", "{word}");
        }
    }

    #[test]
    fn the_flat_rate_is_taken_of_turnover_including_vat() {
        assert_eq!(flat_rate_tax(Pence(1_243_300), Percent(950)), Pence(118_114));
        assert_eq!(flat_rate_tax(Pence(-1_243_300), Percent(950)), Pence(-118_114));
    }

    #[test]
    fn a_document_keeps_the_scheme_of_its_date() {
        let mut history =
            VatHistory::new(vec![(date("2025-07-01"), VatScheme::Cash), (Date::MIN, VatScheme::Standard)]);
        assert_eq!(history.on(date("2025-06-30")), VatScheme::Standard);
        assert_eq!(history.on(date("2025-07-01")), VatScheme::Cash);
        history.change(date("2025-07-01"), VatScheme::FlatRate(Percent(950)));
        assert_eq!(history.on(date("2030-01-01")), VatScheme::FlatRate(Percent(950)));
        assert_eq!(history.on(date("2025-01-01")), VatScheme::Standard);
        assert_eq!(VatHistory::default().on(Date::numbered(0)), VatScheme::Standard);
    }

    #[test]
    fn a_scheme_begins_with_an_open_vat_period() {
        let start = |from: &str| require_scheme_start(date(from), Some(date("2025-04-30")), 3, 6);
        assert_eq!(start("2025-07-01"), Ok(()));
        assert_eq!(start("2025-04-01").unwrap_err().reason(), "period_locked");
        assert_eq!(start("2025-08-01").unwrap_err().reason(), "invalid_field");
    }

    #[test]
    fn the_flat_rate_reclaims_on_large_capital_goods_alone() {
        let chart: Chart =
            (1..).zip(standard_chart::at_creation(true)).map(|(id, new)| new.with_id(AccountId(id))).collect();
        let machine = chart.with_code("0030").unwrap();
        let rent = chart.with_code("7100").unwrap();
        let flat = VatScheme::FlatRate(Percent(950));
        assert!(separates_vat(flat, Side::Input, machine, Pence(200_000)));
        assert!(separates_vat(flat, Side::Input, machine, Pence(-200_000)));
        assert!(!separates_vat(flat, Side::Input, machine, Pence(199_999)));
        assert!(!separates_vat(flat, Side::Input, rent, Pence(900_000)));
        assert!(separates_vat(flat, Side::Output, rent, Pence::ZERO));
        assert!(separates_vat(VatScheme::Cash, Side::Input, rent, Pence::ZERO));
    }

    #[test]
    fn the_side_follows_from_the_account() {
        let chart: Chart =
            (1..).zip(standard_chart::at_creation(true)).map(|(id, new)| new.with_id(AccountId(id))).collect();
        let side = |code: &str, vat| side_of_account(chart.with_code(code).unwrap(), vat, || "f".to_owned());
        assert_eq!(side("4000", VatCode::Standard), Ok(Side::Output));
        assert_eq!(side("7100", VatCode::Exempt), Ok(Side::Input));
        assert_eq!(side("0030", VatCode::Standard), Ok(Side::Input));
        for code in ["2200", "2400", "3000", "1200", "1100", "9999"] {
            assert_eq!(side(code, VatCode::Zero).unwrap_err().reason(), "wrong_account_type", "{code}");
            assert!(side(code, VatCode::NoVat).is_ok(), "{code}");
        }
    }
}
