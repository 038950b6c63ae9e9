//! The chart of accounts a new organisation starts with: a small UK company's.

use super::chart::NewAccount;
use crate::domain::ledger::chart::{AccountType, Role};

/// An account of the standard chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandardAccount {
    /// Its code.
    pub code: &'static str,
    /// What it is called.
    pub name: &'static str,
    /// Its type.
    pub account_type: AccountType,
    /// What it is for.
    pub role: Option<Role>,
}

impl From<&StandardAccount> for NewAccount {
    fn from(standard: &StandardAccount) -> Self {
        Self {
            code: standard.code.into(),
            name: standard.name.into(),
            account_type: standard.account_type,
            role: standard.role.clone(),
        }
    }
}

/// The code of the account that carries the first bank account, "Current account".
pub const FIRST_BANK_ACCOUNT_CODE: &str = "1200";

/// The accounts of a new organisation. The CIS accounts are made on first use, VAT Control when it is asked for.
pub fn at_creation(vat_control: bool) -> impl Iterator<Item = NewAccount> {
    let wanted = move |standard: &&StandardAccount| match standard.role {
        Some(Role::VatControl) => vat_control,
        Some(Role::CisPayable | Role::CisSuffered) => false,
        _ => true,
    };
    STANDARD_CHART.iter().filter(wanted).map(NewAccount::from)
}

/// The account that has a role only one account may have.
pub fn for_role(role: &Role) -> Option<&'static StandardAccount> {
    STANDARD_CHART.iter().find(|standard| role.is_unique() && standard.role.as_ref() == Some(role))
}

const fn account(code: &'static str, name: &'static str, account_type: AccountType) -> StandardAccount {
    StandardAccount { code, name, account_type, role: None }
}

const fn with_role(code: &'static str, name: &'static str, account_type: AccountType, role: Role) -> StandardAccount {
    StandardAccount { code, name, account_type, role: Some(role) }
}

/// The whole standard chart, by code.
pub const STANDARD_CHART: &[StandardAccount] = {
    use AccountType::{Asset, Equity, Expense, Liability, Revenue, Suspense};
    &[
        with_role("0030", "Plant and machinery", Asset, Role::FixedAsset),
        with_role("0031", "Plant and machinery: depreciation", Asset, Role::FixedAsset),
        with_role("0040", "Office and computer equipment", Asset, Role::FixedAsset),
        with_role("0041", "Office and computer equipment: depreciation", Asset, Role::FixedAsset),
        with_role("0050", "Motor vehicles", Asset, Role::FixedAsset),
        with_role("0051", "Motor vehicles: depreciation", Asset, Role::FixedAsset),
        account("1000", "Stock", Asset),
        with_role("1100", "Trade debtors", Asset, Role::AccountsReceivable),
        with_role("1200", "Current account", Asset, Role::Bank),
        account("1300", "Prepayments", Asset),
        account("1310", "Other debtors", Asset),
        with_role("1320", "CIS suffered", Asset, Role::CisSuffered),
        with_role("2100", "Trade creditors", Liability, Role::AccountsPayable),
        with_role("2200", "VAT Control", Liability, Role::VatControl),
        account("2210", "PAYE and NI payable", Liability),
        with_role("2220", "CIS deductions payable", Liability, Role::CisPayable),
        account("2230", "Pension payable", Liability),
        account("2240", "Net wages payable", Liability),
        account("2250", "Corporation tax payable", Liability),
        account("2300", "Director's loan account", Liability),
        account("2400", "Accruals", Liability),
        account("2410", "Deferred income and deposits", Liability),
        with_role("2500", "Bank loan", Liability, Role::LongTermLiability),
        with_role("2510", "Hire purchase", Liability, Role::LongTermLiability),
        account("3000", "Share capital", Equity),
        account("3010", "Capital introduced", Equity),
        account("3100", "Dividends paid", Equity),
        account("3110", "Drawings", Equity),
        with_role("3200", "Retained earnings", Equity, Role::RetainedEarnings),
        account("4000", "Sales", Revenue),
        account("4100", "Sales of services", Revenue),
        account("4200", "Rent received", Revenue),
        with_role("4900", "Other income", Revenue, Role::OtherIncome),
        with_role("4910", "Interest received", Revenue, Role::OtherIncome),
        with_role("5000", "Purchases", Expense, Role::CostOfSales),
        with_role("5100", "Subcontractors", Expense, Role::CostOfSales),
        with_role("5200", "Carriage and packaging", Expense, Role::CostOfSales),
        account("7000", "Wages and salaries", Expense),
        account("7010", "Employer's NI", Expense),
        account("7020", "Employer's pension", Expense),
        account("7030", "Staff training and welfare", Expense),
        account("7100", "Rent", Expense),
        account("7110", "Business rates", Expense),
        account("7120", "Water", Expense),
        account("7200", "Light and heat", Expense),
        account("7300", "Motor expenses", Expense),
        account("7400", "Travel", Expense),
        account("7410", "Subsistence", Expense),
        account("7420", "Entertaining", Expense),
        account("7500", "Telephone and internet", Expense),
        account("7510", "Post and stationery", Expense),
        account("7520", "Software and subscriptions", Expense),
        account("7600", "Legal and professional fees", Expense),
        account("7610", "Accountancy", Expense),
        account("7700", "Repairs and maintenance", Expense),
        account("7710", "Tools and small equipment", Expense),
        account("7800", "Advertising and marketing", Expense),
        account("7850", "Insurance", Expense),
        account("7900", "Bank charges", Expense),
        account("7910", "Interest paid", Expense),
        account("7920", "Card and payment processing fees", Expense),
        with_role("8000", "Depreciation", Expense, Role::Depreciation),
        account("8100", "Bad debts", Expense),
        account("8150", "Charitable donations", Expense),
        account("8200", "Sundry expenses", Expense),
        with_role("9000", "Corporation tax charge", Expense, Role::CorporationTax),
        account("9999", "Suspense", Suspense),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_unique_and_roles_fit_their_types() {
        let codes: BTreeSet<_> = STANDARD_CHART.iter().map(|standard| standard.code).collect();
        assert_eq!(codes.len(), STANDARD_CHART.len());
        for standard in STANDARD_CHART {
            assert!(standard.role.as_ref().is_none_or(|role| role.allows(standard.account_type)), "{}", standard.code);
        }
        for role in Role::KNOWN {
            let holders = STANDARD_CHART.iter().filter(|standard| standard.role.as_ref() == Some(&role)).count();
            assert!(holders == 1 || (holders > 1 && !role.is_unique()), "{role:?}");
        }
    }

    #[test]
    fn vat_control_comes_when_asked_for_and_cis_on_first_use() {
        let codes = |vat_control| at_creation(vat_control).map(|new| new.code.into_owned()).collect::<BTreeSet<_>>();
        let plain = codes(false);
        assert_eq!(plain.len(), STANDARD_CHART.len() - 3);
        for absent in ["2200", "2220", "1320"] {
            assert!(!plain.contains(absent), "{absent}");
        }
        assert!(plain.contains(FIRST_BANK_ACCOUNT_CODE));
        assert_eq!(codes(true).difference(&plain).collect::<Vec<_>>(), ["2200"]);
        assert_eq!(for_role(&Role::CisSuffered).map(|standard| standard.code), Some("1320"));
        assert_eq!(for_role(&Role::FixedAsset), None);
    }
}
