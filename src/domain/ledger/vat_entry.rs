//! The VAT sub-ledger, of which the return is a sum: amounts by VAT code, exact parts of them, and the entries.

use crate::domain::date::Date;
use crate::domain::ids::DocumentId;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::{Side, Split, VatCode, VatScheme};

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
        boxes.box1 += super::vat::flat_rate_tax(flat_rate_turnover, percent);
    }
    boxes
}

/// Net and VAT of a document, or of a part of it, by VAT code; codes in their order, each at most once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeTotals {
    totals: Vec<(VatCode, Split)>,
}

impl FromIterator<(VatCode, Split)> for CodeTotals {
    fn from_iter<I: IntoIterator<Item = (VatCode, Split)>>(amounts: I) -> Self {
        let mut totals = Self::default();
        for (code, amount) in amounts {
            totals.add(code, amount);
        }
        totals
    }
}

impl CodeTotals {
    /// Adds to a code.
    pub fn add(&mut self, code: VatCode, amount: Split) {
        match self.totals.binary_search_by_key(&code, |(known, _)| *known) {
            Ok(place) => {
                if let Some((_, total)) = self.totals.get_mut(place) {
                    *total = Split { net: total.net + amount.net, vat: total.vat + amount.vat };
                }
            }
            Err(place) => self.totals.insert(place, (code, amount)),
        }
    }

    /// Every code with its amount.
    pub fn iter(&self) -> impl Iterator<Item = (VatCode, Split)> {
        self.totals.iter().copied()
    }

    /// What is left when another is taken away.
    pub fn without(&self, other: &Self) -> Self {
        let taken = other.iter().map(|(code, amount)| (code, Split { net: -amount.net, vat: -amount.vat }));
        self.iter().chain(taken).collect()
    }

    /// Net and VAT of all codes together.
    pub fn total(&self) -> Split {
        Split {
            net: self.iter().map(|(_, amount)| amount.net).sum(),
            vat: self.iter().map(|(_, amount)| amount.vat).sum(),
        }
    }

    /// The part of it that `part` is of `whole`, `whole` being the gross of the document.
    ///
    /// The VAT of all codes together is rounded once, and so is the gross; the codes share them, so that the parts add
    /// up to `round(VAT × part / whole)` whatever the codes, and the last part completes every one of them. Amounts
    /// without a code that counts in the return stay out.
    pub fn part(&self, part: Pence, whole: Pence) -> Self {
        let (mut vat_before, mut gross_before) = (Pence::ZERO, Pence::ZERO);
        let (mut vat_sum, mut gross_sum) = (Pence::ZERO, Pence::ZERO);
        let mut parts = Self::default();
        for (code, amount) in self.iter().filter(|(code, _)| code.is_in_return()) {
            vat_sum += amount.vat;
            gross_sum += amount.gross();
            let (vat, gross) = (vat_sum.proportion(part, whole), gross_sum.proportion(part, whole));
            let (vat_part, gross_part) = (vat - vat_before, gross - gross_before);
            parts.add(code, Split { net: gross_part - vat_part, vat: vat_part });
            (vat_before, gross_before) = (vat, gross);
        }
        parts
    }

    /// One line of text to keep it in: `ST 30.09 6.03;ZR 860.00 0.00`.
    pub fn to_text(&self) -> String {
        let one = |(code, amount): (VatCode, Split)| format!("{} {} {}", code.code(), amount.net, amount.vat);
        self.iter().map(one).collect::<Vec<_>>().join(";")
    }

    /// Reads that line.
    pub fn parse(text: &str) -> Option<Self> {
        let one = |part: &str| {
            let mut words = part.split(' ');
            let code = VatCode::parse(words.next()?)?;
            let amount = Split { net: stored(words.next()?)?, vat: stored(words.next()?)? };
            words.next().is_none().then_some((code, amount))
        };
        text.split(';').filter(|part| !part.is_empty()).map(one).collect()
    }
}

/// An amount as written by this module.
fn stored(text: &str) -> Option<Pence> {
    Pence::parse_text(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ledger::money::Percent;

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

#[cfg(test)]
mod code_totals_tests {
    use super::*;
    use proptest::prelude::*;

    fn totals(amounts: &[(VatCode, i64, i64)]) -> CodeTotals {
        amounts.iter().map(|(code, net, vat)| (*code, Split { net: Pence(*net), vat: Pence(*vat) })).collect()
    }

    #[test]
    fn parts_of_a_paid_document_add_up_to_its_vat() {
        let document = totals(&[(VatCode::Standard, 10_001, 2_000)]);
        let mut seen = Vec::new();
        let mut before = Pence::ZERO;
        for cash in [4_000, 8_000, 12_001] {
            let vat = document.part(Pence(cash), Pence(12_001)).total().vat;
            seen.push((vat - before).0);
            before = vat;
        }
        assert_eq!(seen, [667, 666, 667]);
    }

    #[test]
    fn what_is_outside_the_scope_takes_its_share_of_the_cash() {
        let document = totals(&[(VatCode::Standard, 10_000, 2_000), (VatCode::NoVat, 12_000, 0)]);
        let half = document.part(Pence(12_000), Pence(24_000));
        assert_eq!(half, totals(&[(VatCode::Standard, 5_000, 1_000)]));
    }

    #[test]
    fn totals_are_kept_by_code_and_as_text() {
        let document =
            totals(&[(VatCode::Zero, 86_000, 0), (VatCode::Standard, 1_003, 201), (VatCode::Standard, 2_006, 402)]);
        assert_eq!(document.to_text(), "ST 30.09 6.03;ZR 860.00 0.00");
        assert_eq!(CodeTotals::parse(&document.to_text()), Some(document.clone()));
        assert_eq!(CodeTotals::parse(""), Some(CodeTotals::default()));
        for text in ["ST", "XX 1.00 0.20", "ST 1.00 0.20 3.00", "ST 1.00;ZR 1.00 0.00"] {
            assert_eq!(CodeTotals::parse(text), None, "{text}");
        }
        let credit = totals(&[(VatCode::Standard, 1_003, 201)]);
        let left = document.without(&credit);
        assert_eq!(left, totals(&[(VatCode::Standard, 2_006, 402), (VatCode::Zero, 86_000, 0)]));
        assert_eq!(left.total().gross(), Pence(88_408));
    }

    proptest! {
        /// Whatever the codes and however it is paid, the parts complete every code to the penny.
        #[test]
        fn the_last_part_completes_every_code(
            amounts in prop::collection::vec((0_usize..5, 1_i64..1_000_000), 1..6),
            payments in prop::collection::vec(1_i64..500_000, 1..8),
        ) {
            let document: CodeTotals = amounts
                .iter()
                .map(|(code, net)| {
                    let code = VatCode::ALL[*code];
                    (code, Split { net: Pence(*net), vat: code.vat_on_net(Pence(*net)) })
                })
                .collect();
            let gross = document.total().gross();
            let mut paid = Pence::ZERO;
            let mut recognised = CodeTotals::default();
            for payment in payments.into_iter().map(Pence).chain([gross]) {
                let next = (paid + payment).min(gross);
                let step = document.part(next, gross).without(&document.part(paid, gross));
                for (code, amount) in step.iter() {
                    recognised.add(code, amount);
                }
                let vat = document.total().vat.proportion(next, gross);
                prop_assert_eq!(document.part(next, gross).total().vat, vat);
                paid = next;
            }
            for (code, amount) in document.iter().filter(|(code, _)| code.is_in_return()) {
                let seen = recognised.iter().find(|(other, _)| *other == code).map(|(_, seen)| seen);
                prop_assert_eq!(seen, Some(amount));
            }
        }
    }
}
