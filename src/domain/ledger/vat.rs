//! VAT arithmetic: the five codes, the split of an amount, and how far a caller's own figure may be away.

use super::decimal::divide_round;
use super::money::Pence;
use super::refusal::Refusal;

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
