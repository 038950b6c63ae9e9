//! Credit arithmetic: monthly first, then bonus, then overage when key, request and subscription all allow it.

use crate::domain::date::Month;

/// What a person holds, as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreditAccount {
    /// The month the monthly credits belong to (UTC).
    pub period: Month,
    /// Credits left of the month's allocation.
    pub monthly: i64,
    /// Credits that do not expire.
    pub bonus: i64,
    /// Credits billed as overage so far, in total.
    pub overage_used: i64,
    /// What a new month brings.
    pub monthly_allocation: i64,
    /// Whether the subscription permits overage.
    pub overage_allowed: bool,
    /// What the running jobs will cost, which nothing else may be paid with.
    pub reserved: i64,
}

/// A change of the three figures; a charge is negative, a grant positive, `overage` counts credits billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CreditChange {
    /// Change of the monthly credits.
    pub monthly: i64,
    /// Change of the bonus credits.
    pub bonus: i64,
    /// Credits billed as overage by this change.
    pub overage: i64,
}

/// There are not enough credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insufficient {
    /// Credits the job costs.
    pub required: i64,
    /// Credits there are, overage not counted.
    pub available: i64,
}

impl CreditAccount {
    /// Monthly and bonus credits together, less what is reserved.
    pub const fn available(&self) -> i64 {
        let free = self.monthly.saturating_add(self.bonus).saturating_sub(self.reserved);
        if free > 0 { free } else { 0 }
    }

    /// Monthly and bonus credits as their owner sees them: what is reserved is taken from the monthly ones first.
    pub const fn free(&self) -> (i64, i64) {
        let available = self.available();
        let bonus = if available < self.bonus { available } else { self.bonus };
        (available - bonus, bonus)
    }

    /// The account with so many credits more set aside for running jobs, or fewer where the number is negative.
    #[must_use]
    pub const fn reserving(mut self, credits: i64) -> Self {
        let reserved = self.reserved.saturating_add(credits);
        self.reserved = if reserved > 0 { reserved } else { 0 };
        self
    }

    /// The account as it stands in `month`: a later month renews the allocation. Returns the change to record.
    pub const fn rolled_over(mut self, month: Month) -> (Self, Option<CreditChange>) {
        if month.0 <= self.period.0 {
            return (self, None);
        }
        let change = CreditChange { monthly: self.monthly_allocation - self.monthly, bonus: 0, overage: 0 };
        self.period = month;
        self.monthly = self.monthly_allocation;
        (self, Some(change))
    }

    /// How a cost would be paid by what is not reserved. `overage_requested` is true when both the key and the request allow overage.
    pub fn charge(&self, cost: i64, overage_requested: bool) -> Result<CreditChange, Insufficient> {
        let credits = cost.min(self.available()).max(0);
        let monthly = credits.min(self.monthly);
        let bonus = credits - monthly;
        let overage = cost - credits;
        if overage > 0 && !(overage_requested && self.overage_allowed) {
            return Err(Insufficient { required: cost, available: self.available() });
        }
        Ok(CreditChange { monthly: -monthly, bonus: -bonus, overage })
    }

    /// The account after a change.
    pub const fn after(mut self, change: CreditChange) -> Self {
        self.monthly += change.monthly;
        self.bonus += change.bonus;
        self.overage_used += change.overage;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNT: CreditAccount = CreditAccount {
        period: Month(24_000),
        monthly: 3,
        bonus: 2,
        overage_used: 0,
        monthly_allocation: 10,
        overage_allowed: true,
        reserved: 0,
    };

    #[test]
    fn monthly_is_drawn_first_then_bonus_then_overage() {
        assert_eq!(ACCOUNT.charge(2, false), Ok(CreditChange { monthly: -2, bonus: 0, overage: 0 }));
        assert_eq!(ACCOUNT.charge(4, false), Ok(CreditChange { monthly: -3, bonus: -1, overage: 0 }));
        assert_eq!(ACCOUNT.charge(6, false), Err(Insufficient { required: 6, available: 5 }));
        assert_eq!(ACCOUNT.charge(6, true), Ok(CreditChange { monthly: -3, bonus: -2, overage: 1 }));
        let strict = CreditAccount { overage_allowed: false, ..ACCOUNT };
        assert_eq!(strict.charge(6, true), Err(Insufficient { required: 6, available: 5 }));
    }

    #[test]
    fn what_is_reserved_pays_nothing_else() {
        let reserved = ACCOUNT.reserving(2);
        assert_eq!((reserved.available(), reserved.free()), (3, (1, 2)));
        assert_eq!(reserved.charge(3, false), Ok(CreditChange { monthly: -3, bonus: 0, overage: 0 }));
        assert_eq!(reserved.charge(4, false), Err(Insufficient { required: 4, available: 3 }));
        assert_eq!(reserved.charge(5, true), Ok(CreditChange { monthly: -3, bonus: 0, overage: 2 }));
        assert_eq!(reserved.reserving(2).free(), (0, 1));
        // A job that may be paid by overage reserves more than there is.
        let beyond = ACCOUNT.reserving(9);
        assert_eq!((beyond.available(), beyond.free()), (0, (0, 0)));
        assert_eq!(beyond.charge(1, true), Ok(CreditChange { monthly: 0, bonus: 0, overage: 1 }));
        assert_eq!(beyond.reserving(-9), ACCOUNT);
    }

    #[test]
    fn a_new_month_renews_the_allocation_once_and_never_goes_back() {
        let (renewed, change) = ACCOUNT.rolled_over(Month(24_001));
        assert_eq!(change, Some(CreditChange { monthly: 7, bonus: 0, overage: 0 }));
        assert_eq!((renewed.monthly, renewed.bonus), (10, 2));
        assert_eq!(renewed.rolled_over(Month(24_001)), (renewed, None));
        assert_eq!(renewed.rolled_over(Month(24_000)), (renewed, None));
    }
}
