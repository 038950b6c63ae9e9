//! Accounts: their types, and the roles that make some of them do work.

use super::ids::AccountId;
use super::refusal::Refusal;

/// The type of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccountType {
    /// What the organisation owns.
    Asset,
    /// What it owes.
    Liability,
    /// What belongs to its owners.
    Equity,
    /// What it earns.
    Revenue,
    /// What it spends.
    Expense,
    /// Not known yet; on the balance sheet, debit counted as positive.
    Suspense,
}

impl AccountType {
    /// Every type.
    pub const ALL: [Self; 6] =
        [Self::Asset, Self::Liability, Self::Equity, Self::Revenue, Self::Expense, Self::Suspense];

    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asset => "ASSET",
            Self::Liability => "LIABILITY",
            Self::Equity => "EQUITY",
            Self::Revenue => "REVENUE",
            Self::Expense => "EXPENSE",
            Self::Suspense => "SUSPENSE",
        }
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }

    /// Whether debits increase it.
    pub const fn is_debit(self) -> bool {
        matches!(self, Self::Asset | Self::Expense | Self::Suspense)
    }

    /// `normal_balance`: `debit` or `credit`.
    pub const fn normal_balance(self) -> &'static str {
        if self.is_debit() { "debit" } else { "credit" }
    }

    /// Whether it is part of the profit and loss account rather than of the balance sheet.
    pub const fn is_profit_and_loss(self) -> bool {
        matches!(self, Self::Revenue | Self::Expense)
    }
}

/// What an account is for, where that matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Holds the VAT owed to HMRC.
    VatControl,
    /// Holds what customers owe.
    AccountsReceivable,
    /// Holds what is owed to suppliers.
    AccountsPayable,
    /// Receives the profit of earlier years.
    RetainedEarnings,
    /// Holds the CIS deductions withheld from subcontractors.
    CisPayable,
    /// Holds the CIS deductions customers withheld from us.
    CisSuffered,
    /// Carries the balance of a bank account.
    Bank,
    /// A section of the profit and loss account.
    CostOfSales,
    /// Added back in the cash flow.
    Depreciation,
    /// A section of the profit and loss account.
    OtherIncome,
    /// A section of the profit and loss account.
    CorporationTax,
    /// Investing, and the capital goods of the flat rate scheme.
    FixedAsset,
    /// Financing.
    LongTermLiability,
    /// Any other word: kept, without effect.
    Other(String),
}

impl Role {
    /// The roles with an effect.
    pub const KNOWN: [Self; 13] = [
        Self::VatControl,
        Self::AccountsReceivable,
        Self::AccountsPayable,
        Self::RetainedEarnings,
        Self::CisPayable,
        Self::CisSuffered,
        Self::Bank,
        Self::CostOfSales,
        Self::Depreciation,
        Self::OtherIncome,
        Self::CorporationTax,
        Self::FixedAsset,
        Self::LongTermLiability,
    ];

    /// Reads the word of the API; every word is a role.
    pub fn parse(text: &str) -> Self {
        Self::KNOWN.into_iter().find(|known| known.as_str() == text).unwrap_or_else(|| Self::Other(text.to_owned()))
    }

    /// The word of the API.
    pub fn as_str(&self) -> &str {
        match self {
            Self::VatControl => "vat_control",
            Self::AccountsReceivable => "accounts_receivable",
            Self::AccountsPayable => "accounts_payable",
            Self::RetainedEarnings => "retained_earnings",
            Self::CisPayable => "cis_payable",
            Self::CisSuffered => "cis_suffered",
            Self::Bank => "bank",
            Self::CostOfSales => "cost_of_sales",
            Self::Depreciation => "depreciation",
            Self::OtherIncome => "other_income",
            Self::CorporationTax => "corporation_tax",
            Self::FixedAsset => "fixed_asset",
            Self::LongTermLiability => "long_term_liability",
            Self::Other(word) => word,
        }
    }

    /// Whether an account of the type may have it.
    pub const fn allows(&self, account_type: AccountType) -> bool {
        match self {
            Self::VatControl | Self::AccountsPayable | Self::CisPayable | Self::LongTermLiability => {
                matches!(account_type, AccountType::Liability)
            }
            Self::AccountsReceivable | Self::CisSuffered | Self::FixedAsset => {
                matches!(account_type, AccountType::Asset)
            }
            Self::RetainedEarnings => matches!(account_type, AccountType::Equity),
            Self::Bank => matches!(account_type, AccountType::Asset | AccountType::Liability),
            Self::CostOfSales | Self::Depreciation | Self::CorporationTax => {
                matches!(account_type, AccountType::Expense)
            }
            Self::OtherIncome => matches!(account_type, AccountType::Revenue),
            Self::Other(_) => true,
        }
    }

    /// Whether one account of an organisation at most may have it.
    pub const fn is_unique(&self) -> bool {
        matches!(
            self,
            Self::VatControl
                | Self::AccountsReceivable
                | Self::AccountsPayable
                | Self::RetainedEarnings
                | Self::CisPayable
                | Self::CisSuffered
        )
    }
}

/// An account as a body names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountReference {
    /// By `account_id`.
    Id(AccountId),
    /// By `account_code`, which is looked up when a command is decided.
    Code(String),
}

impl AccountReference {
    /// The key of the body that names it.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::Id(_) => "account_id",
            Self::Code(_) => "account_code",
        }
    }
}

/// An account, as the rules need to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// Unique in the organisation.
    pub code: String,
    /// What it is called.
    pub name: String,
    /// Its type; never changes.
    pub account_type: AccountType,
    /// What it is for.
    pub role: Option<Role>,
    /// Whether new postings are refused.
    pub is_archived: bool,
}

impl Account {
    /// Whether it has this role.
    pub fn has_role(&self, role: &Role) -> bool {
        self.role.as_ref() == Some(role)
    }

    /// Whether the rules post to it themselves: VAT, receivable, payable, CIS, retained earnings.
    pub fn is_control(&self) -> bool {
        self.role.as_ref().is_some_and(Role::is_unique)
    }

    /// Refuses an archived account for a new posting.
    pub fn require_open(&self, field: impl FnOnce() -> String) -> Result<(), Refusal> {
        match self.is_archived {
            true => Err(Refusal::AccountArchived { field: field(), id: self.id }),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_back() {
        for account_type in AccountType::ALL {
            assert_eq!(AccountType::parse(account_type.as_str()), Some(account_type));
        }
        assert_eq!(AccountType::parse("INCOME"), None);
        for role in Role::KNOWN {
            assert_eq!(Role::parse(role.as_str()), role);
        }
        assert_eq!(Role::parse("tracking"), Role::Other("tracking".to_owned()));
        assert_eq!(Role::parse("tracking").as_str(), "tracking");
    }

    #[test]
    fn assets_expenses_and_suspense_grow_by_debits() {
        let debit: Vec<_> = AccountType::ALL.into_iter().filter(|kind| kind.normal_balance() == "debit").collect();
        assert_eq!(debit, [AccountType::Asset, AccountType::Expense, AccountType::Suspense]);
        assert!(AccountType::Revenue.is_profit_and_loss() && !AccountType::Suspense.is_profit_and_loss());
    }

    #[test]
    fn roles_belong_to_types() {
        let allowed = |role: &Role| AccountType::ALL.into_iter().filter(|kind| role.allows(*kind)).count();
        for role in Role::KNOWN {
            assert_eq!(allowed(&role), if role == Role::Bank { 2 } else { 1 }, "{role:?}");
        }
        assert_eq!(allowed(&Role::parse("anything")), 6);
        assert!(Role::VatControl.allows(AccountType::Liability) && Role::FixedAsset.allows(AccountType::Asset));
        assert_eq!(Role::KNOWN.into_iter().filter(Role::is_unique).count(), 6);
    }
}
