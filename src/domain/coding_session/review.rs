//! What a line is coded to now: what the caller set, else what the last run suggests, and whether somebody should look at it.

use super::{SessionLine, SessionVatCode, Split, SuggestedSettlement, Suggestion};
use crate::domain::ledger::money::{Pence, divide_round};
use crate::domain::ledger::vat::VatCode;

/// The method of a line that the caller set.
pub const RECODED: &str = "recoded";

/// What a line is coded to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coding {
    /// The account.
    pub account_code: Option<String>,
    /// The VAT code.
    pub vat_code: Option<String>,
    /// The VAT inside the amount.
    pub vat_pence: i64,
    /// Thousandths; none of what the caller set.
    pub confidence: Option<u16>,
    /// How it was decided.
    pub method: String,
    /// One sentence why.
    pub reason: String,
    /// Other accounts with their confidence.
    pub alternatives: Vec<(String, u16)>,
    /// What it settles.
    pub settles: Vec<SuggestedSettlement>,
    /// The other side of a transfer.
    pub transfer_line: Option<i64>,
    /// Its parts.
    pub splits: Vec<Split>,
}

/// A line with what it is coded to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedLine<'a> {
    /// The line.
    pub line: &'a SessionLine,
    /// What it is coded to; none before a run.
    pub coding: Option<Coding>,
    /// Whether somebody should look at it.
    pub needs_review: bool,
}

impl ReviewedLine<'_> {
    /// The order of a review: the least certain first, what the caller set last.
    pub fn order(&self) -> (u16, i64) {
        let confidence = self.coding.as_ref().map_or(0, |coding| coding.confidence.unwrap_or(u16::MAX));
        (confidence, self.line.line)
    }

    /// Whether the caller set it.
    pub const fn is_recoded(&self) -> bool {
        self.line.recoding.is_some()
    }
}

/// The VAT inside an amount under a code: one of the caller's, else one of the five universal ones.
pub fn vat_inside(code: &str, codes: Option<&[SessionVatCode]>, gross_pence: i64) -> i64 {
    let own = codes.into_iter().flatten().find(|known| known.code == code);
    match own {
        Some(own) => {
            let rate = i128::from(own.rate_hundredths);
            i64::try_from(divide_round(i128::from(gross_pence) * rate, 10_000 + rate)).unwrap_or_default()
        }
        None => VatCode::parse(code).map_or(0, |code| code.vat_in_gross(Pence(gross_pence)).0),
    }
}

/// A line with what it is coded to. `settled` finds an invoice by what names it: its number.
pub fn reviewed<'a>(
    line: &'a SessionLine,
    review_below: u16,
    vat_codes: Option<&[SessionVatCode]>,
    settled: impl Fn(&str) -> Option<String>,
) -> ReviewedLine<'a> {
    let suggestion = line.suggestion.as_ref();
    let Some(recoding) = &line.recoding else {
        let needs_review = suggestion.is_none_or(|suggestion| suggestion.confidence < review_below);
        return ReviewedLine { line, coding: suggestion.map(as_suggested), needs_review };
    };
    let suggested_code = || suggestion.map(|suggestion| suggestion.account_code.clone());
    let suggested_vat = || suggestion.map(|suggestion| suggestion.vat_code.clone());
    let gross = line.details.amount_pence;
    let settles = recoding.invoice_ref.as_ref().map(|invoice_ref| SuggestedSettlement {
        invoice_ref: invoice_ref.clone(),
        number: settled(invoice_ref).unwrap_or_default(),
        amount_pence: gross.abs(),
        kind: "set".to_owned(),
    });
    let account_code = recoding.account_code.clone().or_else(suggested_code);
    let vat_code = match &settles {
        Some(_) => Some("NV".to_owned()),
        None => recoding.vat_code.clone().or_else(suggested_vat),
    };
    let is_split = !recoding.splits.is_empty();
    let vat_pence = match (&vat_code, is_split) {
        (_, true) => recoding
            .splits
            .iter()
            .map(|split| vat_inside(split.vat_code.as_deref().unwrap_or("NV"), vat_codes, split.amount_pence))
            .sum(),
        (Some(code), false) => vat_inside(code, vat_codes, gross),
        (None, false) => 0,
    };
    let coding = Coding {
        account_code: account_code.filter(|_| !is_split),
        vat_code: vat_code.filter(|_| !is_split),
        vat_pence,
        confidence: None,
        method: RECODED.to_owned(),
        reason: recoding.note.clone().unwrap_or_default(),
        alternatives: Vec::new(),
        settles: settles.into_iter().collect(),
        transfer_line: None,
        splits: recoding.splits.clone(),
    };
    ReviewedLine { line, coding: Some(coding), needs_review: false }
}

fn as_suggested(suggestion: &Suggestion) -> Coding {
    let is_split = !suggestion.splits.is_empty();
    Coding {
        account_code: Some(suggestion.account_code.clone()).filter(|_| !is_split),
        vat_code: Some(suggestion.vat_code.clone()).filter(|_| !is_split),
        vat_pence: suggestion.vat_pence,
        confidence: Some(suggestion.confidence),
        method: suggestion.method.clone(),
        reason: suggestion.reason.clone(),
        alternatives: suggestion.alternatives.clone(),
        settles: suggestion.settles.clone(),
        transfer_line: suggestion.transfer_line,
        splits: suggestion.splits.clone(),
    }
}

/// The most codes that are named for one that is not known.
const NEAR_MAX: usize = 5;

/// The codes of a chart that look most like one that is not in it.
pub fn near_codes<'a>(wanted: &str, codes: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let shared = |code: &str| {
        let prefix =
            code.chars().zip(wanted.chars()).take_while(|(one, other)| one.eq_ignore_ascii_case(other)).count();
        let same = code.chars().filter(|letter| wanted.contains(*letter)).count();
        (prefix, same)
    };
    let mut codes: Vec<&str> = codes.collect();
    codes.sort_by_key(|code| (std::cmp::Reverse(shared(code)), code.len().abs_diff(wanted.len()), *code));
    codes.truncate(NEAR_MAX);
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::coding_session::SessionVatCode;

    #[test]
    fn vat_is_inside_the_amount_by_the_code() {
        assert_eq!(vat_inside("ST", None, -12_000), -2_000);
        assert_eq!(vat_inside("NV", None, -12_000), 0);
        let own = [SessionVatCode { code: "R".to_owned(), name: "Reduced".to_owned(), rate_hundredths: 1_250 }];
        assert_eq!(vat_inside("R", Some(&own), 1_125), 125);
    }

    #[test]
    fn near_codes_begin_like_the_wanted_one() {
        let codes = ["4000", "7304", "7305", "1200", "7400", "730", "9999"];
        assert_eq!(near_codes("7303", codes.into_iter())[..3], ["7304", "7305", "730"]);
    }
}
