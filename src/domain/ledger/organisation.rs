//! The organisation's own settings, where they depend on one another or on the books.

use super::refusal::Refusal;
use crate::domain::date::Date;
use crate::domain::ledger::money::Percent;
use crate::domain::ledger::vat::{FlatRateBasis, VatHistory, VatScheme, require_scheme_start};

/// What kind of organisation it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityType {
    /// One person's business.
    SoleTrader,
    /// Several persons' business.
    Partnership,
    /// A company.
    LimitedCompany,
    /// A limited liability partnership.
    Llp,
    /// A charity.
    Charity,
    /// Lets property.
    Landlord,
    /// Anything else.
    Other,
}

impl EntityType {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::SoleTrader,
        Self::Partnership,
        Self::LimitedCompany,
        Self::Llp,
        Self::Charity,
        Self::Landlord,
        Self::Other,
    ];

    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SoleTrader => "sole_trader",
            Self::Partnership => "partnership",
            Self::LimitedCompany => "limited_company",
            Self::Llp => "llp",
            Self::Charity => "charity",
            Self::Landlord => "landlord",
            Self::Other => "other",
        }
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

/// The VAT settings of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatSettings {
    /// Whether it is registered.
    pub is_registered: bool,
    /// The registration number.
    pub number: Option<String>,
    /// The scheme; none exactly when it is not registered.
    pub scheme: Option<VatScheme>,
    /// The first day of the scheme.
    pub scheme_from: Option<Date>,
    /// When sales are turnover of the flat rate; without it the setting waits.
    pub flat_rate_basis: FlatRateBasis,
    /// Months in a VAT period: 1, 3 or 12.
    pub period_months: i32,
    /// The month some VAT period ends with, 1 to 12.
    pub period_end_month: i32,
}

impl Default for VatSettings {
    fn default() -> Self {
        Self {
            is_registered: false,
            number: None,
            scheme: None,
            scheme_from: None,
            flat_rate_basis: FlatRateBasis::Invoice,
            period_months: 3,
            period_end_month: 3,
        }
    }
}

/// A change of the VAT settings: what is absent stays; `Some(None)` clears.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VatPatch {
    /// Whether it is registered.
    pub is_registered: Option<bool>,
    /// The registration number.
    pub number: Option<Option<String>>,
    /// The word of the scheme.
    pub scheme: Option<Option<String>>,
    /// The first day of the scheme.
    pub scheme_from: Option<Option<Date>>,
    /// The percentage of the flat rate.
    pub flat_rate: Option<Option<Percent>>,
    /// When sales are turnover of the flat rate.
    pub flat_rate_basis: Option<FlatRateBasis>,
    /// Months in a VAT period.
    pub period_months: Option<i32>,
    /// The month some VAT period ends with.
    pub period_end_month: Option<i32>,
}

impl VatSettings {
    /// The settings after a change. A scheme that differs begins on a day given with it; `None` in the second place says
    /// that no other scheme begins. Another scheme begins with a VAT period, a registration or another percentage of the
    /// flat rate on any open day (VAT Notice 733, 4.9 and 4.10).
    pub fn patched(
        &self,
        patch: &VatPatch,
        history: &VatHistory,
        lock_date: Option<Date>,
    ) -> Result<(Self, Option<(Date, VatScheme)>), Refusal> {
        let mut next = self.merged(patch)?;
        let Some(scheme) = next.scheme.filter(|scheme| Some(*scheme) != self.scheme) else {
            // When a scheme began is history; one without a date may still be told it.
            if next.scheme.is_some() && self.scheme_from.is_some() && next.scheme_from != self.scheme_from {
                let message = "goes with a change of vat_scheme, flat_rate_percent or flat_rate_basis: what has begun is not moved";
                return Err(Refusal::field("vat_scheme_from", message));
            }
            return Ok((next, None));
        };
        let begins = match (patch.scheme_from.flatten(), self.scheme) {
            (Some(from), Some(_)) if history.has_other_basis(from, scheme) => {
                require_scheme_start(from, lock_date, next.period_months, next.period_end_month)?;
                from
            }
            (Some(from), _) => {
                super::journal::require_open(from, lock_date)?;
                from
            }
            (None, _) => return Err(Refusal::field("vat_scheme_from", "a change of scheme needs its first day")),
        };
        next.scheme_from = Some(begins);
        Ok((next, Some((begins, scheme))))
    }

    /// The settings of a new organisation, whose scheme may have begun on any day.
    pub fn initial(patch: &VatPatch) -> Result<Self, Refusal> {
        Self::default().merged(patch)
    }

    fn merged(&self, patch: &VatPatch) -> Result<Self, Refusal> {
        let is_registered = patch.is_registered.unwrap_or(self.is_registered);
        let same_word = |word: &str| self.scheme.is_some_and(|scheme| scheme.as_str() == word);
        let word = match &patch.scheme {
            Some(word) => word.as_deref(),
            // Who leaves the register leaves the scheme.
            None => self.scheme.filter(|_| is_registered).map(VatScheme::as_str),
        };
        let flat_rate = match patch.flat_rate {
            Some(percent) => percent,
            None => self.scheme.and_then(VatScheme::flat_rate).filter(|_| word.is_some_and(same_word)),
        };
        let flat_rate_basis = patch.flat_rate_basis.unwrap_or(self.flat_rate_basis);
        let scheme = match (is_registered, word) {
            (true, None) => return Err(Refusal::field("vat_scheme", "is required when VAT registered")),
            (false, Some(_)) => return Err(Refusal::field("vat_scheme", "must be null unless VAT registered")),
            (false, None) if flat_rate.is_some() => {
                return Err(Refusal::field("flat_rate_percent", "must be null unless the scheme is flat_rate"));
            }
            (false, None) => None,
            (true, Some(word)) => Some(VatScheme::from_parts(word, flat_rate, flat_rate_basis)?),
        };
        let next = Self {
            is_registered,
            number: patch.number.clone().unwrap_or_else(|| self.number.clone()),
            scheme,
            scheme_from: patch.scheme_from.unwrap_or(self.scheme_from).filter(|_| scheme.is_some()),
            flat_rate_basis,
            period_months: patch.period_months.unwrap_or(self.period_months),
            period_end_month: patch.period_end_month.unwrap_or(self.period_end_month),
        };
        if !matches!(next.period_months, 1 | 3 | 12) {
            return Err(Refusal::field("vat_period_months", "must be 1, 3 or 12"));
        }
        if !(1..=12).contains(&next.period_end_month) {
            return Err(Refusal::field("vat_period_end_month", "must be from 1 to 12"));
        }
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::date::Date;

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    fn registered() -> VatSettings {
        let patch = VatPatch {
            is_registered: Some(true),
            scheme: Some(Some("standard".to_owned())),
            period_end_month: Some(6),
            ..VatPatch::default()
        };
        VatSettings::initial(&patch).unwrap()
    }

    #[test]
    fn a_scheme_goes_with_registration() {
        assert_eq!(registered().scheme, Some(VatScheme::Standard));
        let alone = VatPatch { is_registered: Some(true), ..VatPatch::default() };
        assert_eq!(VatSettings::initial(&alone).unwrap_err().reason(), "invalid_field");
        let unregistered = VatPatch { scheme: Some(Some("cash".to_owned())), ..VatPatch::default() };
        assert!(VatSettings::initial(&unregistered).is_err());
        let percent = VatPatch { flat_rate: Some(Some(Percent(950))), ..VatPatch::default() };
        assert!(VatSettings::initial(&percent).is_err());
        let leave = VatPatch { is_registered: Some(false), ..VatPatch::default() };
        let (left, change) = registered().patched(&leave, &VatHistory::default(), None).unwrap();
        assert_eq!((left.scheme, change), (None, None));
        for bad in [
            VatPatch { period_months: Some(2), ..VatPatch::default() },
            VatPatch { period_end_month: Some(13), ..VatPatch::default() },
        ] {
            assert!(registered().patched(&bad, &VatHistory::default(), None).is_err());
        }
    }

    #[test]
    fn another_scheme_begins_with_an_open_vat_period() {
        let to_cash = |from: Option<&str>| {
            let patch = VatPatch {
                scheme: Some(Some("cash".to_owned())),
                scheme_from: Some(from.map(date)),
                ..VatPatch::default()
            };
            registered().patched(&patch, &VatHistory::default(), Some(date("2025-04-30")))
        };
        let (next, change) = to_cash(Some("2025-07-01")).unwrap();
        assert_eq!(change, Some((date("2025-07-01"), VatScheme::Cash)));
        assert_eq!((next.scheme_from, next.period_end_month), (Some(date("2025-07-01")), 6));
        assert_eq!(to_cash(Some("2025-04-01")).unwrap_err().reason(), "period_locked");
        assert_eq!(to_cash(Some("2025-07-02")).unwrap_err().reason(), "invalid_field");
        assert_eq!(to_cash(None).unwrap_err().reason(), "invalid_field");
    }

    #[test]
    fn another_percentage_begins_on_any_open_day_of_the_flat_rate() {
        let flat_rate = |percent| VatScheme::FlatRate(Percent(percent), FlatRateBasis::Invoice);
        let (first, later) = (flat_rate(950), flat_rate(1_200));
        let flat = VatSettings { scheme: Some(first), scheme_from: Some(date("2025-04-01")), ..registered() };
        let history = VatHistory::new(vec![(date("2019-04-01"), VatScheme::Standard), (date("2025-04-01"), first)]);
        let begins = |from: &str, lock_date: Option<&str>| {
            let percent = VatPatch {
                flat_rate: Some(Some(Percent(1_200))),
                scheme_from: Some(Some(date(from))),
                ..VatPatch::default()
            };
            flat.patched(&percent, &history, lock_date.map(date)).map(|(_, change)| change)
        };
        for from in ["2025-07-01", "2025-05-17", "2025-04-01"] {
            assert_eq!(begins(from, None), Ok(Some((date(from), later))));
        }
        assert_eq!(begins("2025-05-17", Some("2025-05-17")).unwrap_err().reason(), "period_locked");
        // Before the flat rate it is another scheme.
        assert_eq!(begins("2025-03-31", None).unwrap_err().reason(), "invalid_field");
        assert_eq!(begins("2025-01-01", None), Ok(Some((date("2025-01-01"), later))));

        let number = VatPatch { number: Some(Some("GB123456789".to_owned())), ..VatPatch::default() };
        let (next, change) = flat.patched(&number, &history, None).unwrap();
        assert_eq!((next.number.as_deref(), next.scheme, change), (Some("GB123456789"), flat.scheme, None));
    }

    #[test]
    fn another_turnover_begins_with_an_open_vat_period() {
        let first = VatScheme::FlatRate(Percent(950), FlatRateBasis::Invoice);
        let flat = VatSettings { scheme: Some(first), scheme_from: Some(date("2025-04-01")), ..registered() };
        let history = VatHistory::new(vec![(date("2025-04-01"), first)]);
        let begins = |from: Option<&str>| {
            let basis = VatPatch {
                flat_rate_basis: Some(FlatRateBasis::Cash),
                scheme_from: from.map(|from| Some(date(from))),
                ..VatPatch::default()
            };
            flat.patched(&basis, &history, None).map(|(_, change)| change)
        };
        let later = VatScheme::FlatRate(Percent(950), FlatRateBasis::Cash);
        assert_eq!(begins(Some("2025-07-01")), Ok(Some((date("2025-07-01"), later))));
        assert_eq!(begins(Some("2025-07-02")).unwrap_err().reason(), "invalid_field");
        assert_eq!(begins(None).unwrap_err().reason(), "invalid_field");
        // Without the flat rate it is a setting that waits for it.
        let basis = VatPatch { flat_rate_basis: Some(FlatRateBasis::Cash), ..VatPatch::default() };
        let (next, change) = registered().patched(&basis, &history, None).unwrap();
        assert_eq!((next.flat_rate_basis, change), (FlatRateBasis::Cash, None));
    }

    #[test]
    fn a_registration_begins_on_any_open_day() {
        let patch = VatPatch {
            is_registered: Some(true),
            scheme: Some(Some("standard".to_owned())),
            scheme_from: Some(Some(date("2025-05-17"))),
            ..VatPatch::default()
        };
        let (_, change) =
            VatSettings::default().patched(&patch, &VatHistory::default(), Some(date("2025-05-16"))).unwrap();
        assert_eq!(change, Some((date("2025-05-17"), VatScheme::Standard)));
        assert!(VatSettings::default().patched(&patch, &VatHistory::default(), Some(date("2025-05-17"))).is_err());
    }

    #[test]
    fn kinds_of_organisations_have_their_words() {
        for kind in EntityType::ALL {
            assert_eq!(EntityType::parse(kind.as_str()), Some(kind));
        }
    }
}
