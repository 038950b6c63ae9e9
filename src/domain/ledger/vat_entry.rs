//! The VAT sub-ledger: what the return is a sum of.

use super::ids::DocumentId;
use super::money::Pence;
use super::vat::{Side, Split, VatCode};
use super::vat_scheme::VatScheme;
use crate::domain::date::Date;

/// The scheme an entry was made under, which decides how the return counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// At the date of the document, the bank line or the journal.
    Standard,
    /// When money moved.
    Cash,
    /// Turnover including VAT, of which the return takes the percentage.
    FlatRate,
}

impl Basis {
    /// The word kept and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Cash => "cash",
            Self::FlatRate => "flat_rate",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Standard, Self::Cash, Self::FlatRate].into_iter().find(|basis| basis.as_str() == text)
    }
}

impl From<VatScheme> for Basis {
    fn from(scheme: VatScheme) -> Self {
        match scheme {
            VatScheme::Standard => Self::Standard,
            VatScheme::Cash => Self::Cash,
            VatScheme::FlatRate(_) => Self::FlatRate,
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
    /// The scheme it was made under.
    pub basis: Basis,
    /// The day it counts in the return.
    pub tax_point: Date,
    /// The line it comes from.
    pub origin: VatOrigin,
}

impl VatEntry {
    /// The entry that undoes this one on a day.
    pub fn undone(&self, tax_point: Date) -> Self {
        let amount = Split { net: -self.amount.net, vat: -self.amount.vat };
        Self { amount, tax_point, ..self.clone() }
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

/// What an organisation declares for a period, in the boxes that are ever filled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Boxes {
    /// VAT due on sales.
    pub box1: Pence,
    /// VAT reclaimed on purchases.
    pub box4: Pence,
    /// Sales without VAT; under the flat rate, turnover including VAT.
    pub box6: Pence,
    /// Purchases without VAT.
    pub box7: Pence,
}

/// The boxes of a set of entries. `scheme` gives the percentage for entries of the flat rate.
pub fn boxes<'a>(entries: impl IntoIterator<Item = &'a VatEntry>, scheme: VatScheme) -> Boxes {
    let mut boxes = Boxes::default();
    let mut flat_rate_turnover = Pence::ZERO;
    for entry in entries {
        match (entry.side, entry.basis) {
            (Side::Output, Basis::FlatRate) => flat_rate_turnover += entry.amount.gross(),
            (Side::Output, _) => {
                boxes.box1 += entry.amount.vat;
                boxes.box6 += entry.amount.net;
            }
            (Side::Input, _) => {
                boxes.box4 += entry.amount.vat;
                boxes.box7 += entry.amount.net;
            }
        }
    }
    boxes.box6 += flat_rate_turnover;
    if let Some(percent) = scheme.flat_rate() {
        boxes.box1 += super::vat_scheme::flat_rate_tax(flat_rate_turnover, percent);
    }
    boxes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ledger::decimal::Percent;

    fn entry(side: Side, basis: Basis, net: i64, vat: i64) -> VatEntry {
        VatEntry {
            side,
            code: VatCode::Standard,
            amount: Split { net: Pence(net), vat: Pence(vat) },
            basis,
            tax_point: Date::numbered(0),
            origin: VatOrigin::JournalLine(1),
        }
    }

    #[test]
    fn boxes_are_sums_and_an_undone_entry_leaves_none() {
        let sale = entry(Side::Output, Basis::Standard, 10_000, 2_000);
        let purchase = entry(Side::Input, Basis::Cash, 5_000, 1_000);
        let sum = boxes([&sale, &purchase], VatScheme::Standard);
        assert_eq!(sum, Boxes { box1: Pence(2_000), box4: Pence(1_000), box6: Pence(10_000), box7: Pence(5_000) });
        let undone = sale.undone(Date::numbered(9));
        assert_eq!(undone.tax_point, Date::numbered(9));
        assert_eq!(boxes([&sale, &undone], VatScheme::Standard), Boxes::default());
    }

    #[test]
    fn the_flat_rate_is_rounded_once_on_the_turnover_of_the_period() {
        let scheme = VatScheme::FlatRate(Percent(950));
        let sales =
            [entry(Side::Output, Basis::FlatRate, 1_000_000, 200_000), entry(Side::Output, Basis::FlatRate, 43_300, 0)];
        let sum = boxes(&sales, scheme);
        assert_eq!((sum.box1, sum.box6), (Pence(118_114), Pence(1_243_300)));
    }

    #[test]
    fn bases_have_their_words() {
        for scheme in [VatScheme::Standard, VatScheme::Cash, VatScheme::FlatRate(Percent(1))] {
            assert_eq!(Basis::from(scheme).as_str(), scheme.as_str());
            assert_eq!(Basis::parse(scheme.as_str()), Some(Basis::from(scheme)));
        }
    }
}
