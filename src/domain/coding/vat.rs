//! VAT: which codes the caller allows, at which rate, and the split of an amount in pence.

use super::batch::VatCode;
use super::outcome::Vat;
use super::text::fold;
use crate::domain::amount::{UNITS_PER_PENNY, UNITS_PER_WHOLE, pence};

/// The VAT codes a batch may be answered with, each with its rate.
#[derive(Debug)]
pub struct AllowedVat {
    /// Rates in percent, in the units of [`crate::domain::amount`], by place in [`Vat::ALL`]; none when not allowed.
    rates: [Option<i128>; 5],
    /// The caller's codes as they are written, each with what it means; none where the universal set is meant.
    codes: Option<Vec<(String, Option<Vat>)>>,
}

impl AllowedVat {
    /// The universal set, or what the caller's codes mean in it.
    pub fn read(codes: Option<&[VatCode<'_>]>) -> Self {
        let mut rates = [None; 5];
        let Some(codes) = codes else {
            for (rate, vat) in rates.iter_mut().zip(Vat::ALL) {
                *rate = Some(i128::from(vat.percent()) * UNITS_PER_WHOLE);
            }
            return Self { rates, codes: None };
        };
        // A code that is one of ours by name is that one; the rest is recognised by rate and name, first come first served.
        let exact = codes.iter().map(|code| (Vat::parse(&code.code), code.rate));
        let guessed = codes.iter().filter(|code| Vat::parse(&code.code).is_none()).map(|code| (guess(code), code.rate));
        for (vat, rate) in exact.chain(guessed) {
            let Some(place) = vat.and_then(|vat| Vat::ALL.iter().position(|known| *known == vat)) else { continue };
            if let Some(slot) = rates.get_mut(place).filter(|slot| slot.is_none()) {
                *slot = Some(rate);
            }
        }
        let written = codes.iter().map(|code| (code.code.to_string(), Vat::parse(&code.code).or_else(|| guess(code))));
        Self { rates, codes: Some(written.collect()) }
    }

    /// What a code of the caller's means; none when it is not among them, and of those some mean nothing of ours.
    pub fn meaning(&self, code: &str) -> Option<Option<Vat>> {
        match &self.codes {
            Some(codes) => codes.iter().find(|(known, _)| known == code).map(|(_, vat)| *vat),
            None => Vat::parse(code).map(Some),
        }
    }

    /// The rate of a code, when it is allowed.
    pub fn rate(&self, vat: Vat) -> Option<i128> {
        let place = Vat::ALL.iter().position(|known| *known == vat)?;
        self.rates.get(place).copied().flatten()
    }

    /// What to answer when a code is wanted: it, or no VAT, or some code without VAT, or the only one there is; and
    /// whether it is the one that was wanted.
    pub fn answer(&self, wanted: Vat) -> (Vat, i128, bool) {
        if let Some(rate) = self.rate(wanted) {
            return (wanted, rate, true);
        }
        // Nothing is reclaimed or declared by mistake where the code has no VAT in it.
        for vat in [Vat::NoVat, Vat::Exempt, Vat::Zero] {
            if let Some(rate) = self.rate(vat) {
                return (vat, rate, false);
            }
        }
        let only = Vat::ALL.into_iter().find_map(|vat| Some((vat, self.rate(vat)?)));
        let (vat, rate) = only.unwrap_or((Vat::NoVat, 0));
        (vat, rate, false)
    }

    /// The VAT inside an amount whose code is wanted to be this: none where that code has none, whatever code had to be
    /// answered in its place and whatever rate the caller gave it.
    pub fn inside(&self, gross: i128, wanted: Vat) -> i128 {
        let (vat, rate, _) = self.answer(wanted);
        if wanted.percent() == 0 || vat.percent() == 0 { 0 } else { inside(gross, rate) }
    }
}

/// What a caller's own code means.
fn guess(code: &VatCode<'_>) -> Option<Vat> {
    let text = format!("{} {} ", fold(&code.name), fold(&code.code));
    let says = |word: &str| text.contains(word);
    // Codes for reverse charges and imports carry no VAT in the bank amount, whatever rate they name.
    let no_vat_inside =
        ["REVERSE", "IMPORT", "POSTPONED", "ACQUISITION", "EC GOODS", "EU GOODS", "EC SERVICES", "EC SALES"]
            .iter()
            .any(|word| says(word));
    if code.rate == 0 {
        if says("EXEMPT") {
            return Some(Vat::Exempt);
        }
        let has_no_vat = ["NO VAT", "OUT OF SCOPE", "OUTSIDE", "NOT ", "NONE", "N A ", "NON ", "NOWT IN"]
            .iter()
            .any(|word| says(word));
        if !has_no_vat
            && ["ZERO", "0 RATED", "Z RATED", " ZR", "VAT 0", "0 VAT", "0 RATE"].iter().any(|word| says(word))
        {
            return Some(Vat::Zero);
        }
        return Some(Vat::NoVat);
    }
    if no_vat_inside {
        return None;
    }
    // Rates change with the law and the country: what is nearer to five than to twenty is a reduced one.
    Some(if code.rate <= 12 * UNITS_PER_WHOLE { Vat::Reduced } else { Vat::Standard })
}

/// The VAT inside an amount at a rate: `gross · rate / (100 + rate)`, in whole pence, halves away from zero.
fn inside(gross: i128, rate: i128) -> i128 {
    if rate == 0 {
        return 0;
    }
    // A rate in 10⁻¹² would overflow beside an amount in 10⁻¹²; a millionth of a percent is finer than any law.
    let rate = rate / 1_000_000;
    let hundred = 100 * UNITS_PER_WHOLE / 1_000_000;
    let gross_pence = pence(gross).unsigned_abs();
    let (rate, divisor) = (rate.unsigned_abs(), (hundred + rate).unsigned_abs());
    let vat = gross_pence.checked_mul(rate).map_or(0, |product| (2 * product + divisor) / (2 * divisor));
    let vat = i128::try_from(vat).unwrap_or(0) * UNITS_PER_PENNY;
    // An amount that is no whole pence may be rounded up to the penny that all of it would be.
    let vat = if vat > gross.abs() { vat - UNITS_PER_PENNY } else { vat };
    if gross < 0 { -vat } else { vat }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn code(code: &'static str, name: &'static str, percent: i128) -> VatCode<'static> {
        VatCode { code: Cow::from(code), name: Cow::from(name), rate: percent * UNITS_PER_WHOLE }
    }

    #[test]
    fn vat_is_whole_pence_and_never_more_than_the_amount() {
        let pounds = |text: &str| crate::domain::amount::parse(text).expect("an amount");
        for (gross, rate, vat) in [
            ("120", "20", "20"),
            ("-84.12", "20", "-14.02"),
            ("0.03", "20", "0.01"),
            ("0.02", "20", "0"),
            ("105", "5", "5"),
            ("-999999999999999999.99", "20", "-166666666666666666.67"),
            ("117.5", "17.5", "17.5"),
            ("100", "100", "50"),
            ("0", "20", "0"),
            ("0.005", "100", "0"),
            ("-0.005", "100", "0"),
        ] {
            assert_eq!(inside(pounds(gross), pounds(rate)), pounds(vat), "{gross} at {rate}");
        }
    }

    #[test]
    fn own_codes_are_understood_by_rate_and_name() {
        let sage = [
            code("T0", "Zero rated transactions", 0),
            code("T1", "Standard rate", 20),
            code("T2", "Exempt transactions", 0),
            code("T5", "Lower rate", 5),
            code("T9", "Transactions not involving VAT", 0),
        ];
        let allowed = AllowedVat::read(Some(&sage));
        assert!(Vat::ALL.into_iter().all(|vat| allowed.answer(vat).2));
        let only_none = AllowedVat::read(Some(&[code("OS", "Out of scope", 0)]));
        assert_eq!(only_none.answer(Vat::Standard), (Vat::NoVat, 0, false));
        let only_standard = AllowedVat::read(Some(&[code("S", "VAT on everything", 20)]));
        assert_eq!(only_standard.answer(Vat::Exempt), (Vat::Standard, 20 * UNITS_PER_WHOLE, false));
    }
}
