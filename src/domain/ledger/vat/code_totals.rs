//! Amounts by VAT code, and parts of them that add up.

use super::{Split, VatCode};
use crate::domain::ledger::money::Pence;

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
#[path = "code_totals_tests.rs"]
mod tests;
