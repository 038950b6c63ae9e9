//! The chart of accounts: types, roles, who is who and how it may change; and [`Books`], the chart with what else every
//! posting has to know.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::domain::date::Date;
use crate::domain::ids::AccountId;
use crate::domain::ledger::journal::Target;
use crate::domain::ledger::refusal::{Refusal, VatPosting};
use crate::domain::ledger::vat::{VatHistory, VatScheme};
use crate::domain::ledger::{journal, standard_chart};

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

/// An account to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// Unique in the organisation.
    pub code: Cow<'static, str>,
    /// What it is called.
    pub name: Cow<'static, str>,
    /// Its type.
    pub account_type: AccountType,
    /// What it is for.
    pub role: Option<Role>,
}

impl NewAccount {
    /// The account, once it has an id.
    pub fn with_id(self, id: AccountId) -> Account {
        Account {
            id,
            code: self.code.into_owned(),
            name: self.name.into_owned(),
            account_type: self.account_type,
            role: self.role,
            is_archived: false,
        }
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

/// All accounts of one organisation.
#[derive(Debug, Clone, Default)]
pub struct Chart {
    accounts: BTreeMap<AccountId, Account>,
}

impl FromIterator<Account> for Chart {
    fn from_iter<I: IntoIterator<Item = Account>>(accounts: I) -> Self {
        Self { accounts: accounts.into_iter().map(|account| (account.id, account)).collect() }
    }
}

impl Chart {
    /// Adds an account, or replaces the one with its id.
    pub fn insert(&mut self, account: Account) {
        self.accounts.insert(account.id, account);
    }

    /// The account with this id.
    pub fn get(&self, id: AccountId) -> Option<&Account> {
        self.accounts.get(&id)
    }

    /// The account with this code.
    pub fn with_code(&self, code: &str) -> Option<&Account> {
        self.iter().find(|account| account.code == code)
    }

    /// The first account with this role.
    pub fn with_role(&self, role: &Role) -> Option<&Account> {
        self.iter().find(|account| account.has_role(role))
    }

    /// Every account, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Account> {
        self.accounts.values()
    }

    /// Decides whether an account may be added.
    pub fn create(&self, new: NewAccount) -> Result<NewAccount, Refusal> {
        if let Some(role) = &new.role {
            if !role.allows(new.account_type) {
                let types: Vec<&str> =
                    AccountType::ALL.into_iter().filter(|kind| role.allows(*kind)).map(AccountType::as_str).collect();
                let message = format!(
                    "role: an account of type {} cannot have the role {}, which takes {}",
                    new.account_type.as_str(),
                    role.as_str(),
                    types.join(" or ")
                );
                return Err(Refusal::WrongAccountType { field: "role".to_owned(), id: None }.with_message(message));
            }
            if let Some(existing) = self.with_role(role).filter(|_| role.is_unique()) {
                return Err(Refusal::DuplicateRole { field: "role", existing_id: existing.id });
            }
        }
        self.require_free_code(&new.code, None)?;
        Ok(new)
    }

    /// Decides whether an account may take another code (its name may always change).
    pub fn recode(&self, id: AccountId, code: &str) -> Result<(), Refusal> {
        self.require_free_code(code, Some(id))
    }

    /// Decides whether an account may be archived; `false` when it is already. A balance is no obstacle.
    pub fn archive(account: &Account) -> Result<bool, Refusal> {
        if account.is_control() {
            return Err(Refusal::InvalidState { current: "control account", allowed: &[] });
        }
        if account.has_role(&Role::Bank) {
            return Err(Refusal::InvalidState { current: "bank account", allowed: &[] });
        }
        Ok(!account.is_archived)
    }

    /// The account to make when a rule first posts to a role nobody has: as in the standard chart, under the first free
    /// code from there on.
    pub fn first_use(&self, role: &Role) -> Option<NewAccount> {
        let standard = standard_chart::for_role(role)?;
        let first = standard.code.parse::<u32>().ok()?;
        let mut new = NewAccount::from(standard);
        new.code = (first..).map(|code| format!("{code:04}")).find(|code| self.with_code(code).is_none())?.into();
        Some(new)
    }

    fn require_free_code(&self, code: &str, but: Option<AccountId>) -> Result<(), Refusal> {
        match self.with_code(code).filter(|existing| Some(existing.id) != but) {
            Some(existing) => Err(Refusal::DuplicateCode { field: "code", existing_id: existing.id }),
            None => Ok(()),
        }
    }
}

/// The facts of one organisation that postings share.
#[derive(Debug, Clone, Copy)]
pub struct Books<'a> {
    /// Its accounts.
    pub chart: &'a Chart,
    /// Its VAT schemes.
    pub vat: &'a VatHistory,
    /// The last day of the locked period.
    pub lock_date: Option<Date>,
}

impl<'a> Books<'a> {
    /// An account with an id that a body gives; it has to be of this organisation.
    pub fn account(&self, id: AccountId, field: impl FnOnce() -> String) -> Result<&'a Account, Refusal> {
        self.chart.get(id).ok_or_else(|| Refusal::UnknownReference { field: field(), id: id.0 })
    }

    /// The same for one that a body names by id or code; `field` makes the field from the key of the body.
    pub fn named_account(
        &self,
        name: &AccountReference,
        field: impl FnOnce(&'static str) -> String,
    ) -> Result<&'a Account, Refusal> {
        let field = || field(name.key());
        match name {
            AccountReference::Id(id) => self.account(*id, field),
            AccountReference::Code(code) => {
                let unknown = || Refusal::UnknownAccountCode { field: field(), code: code.clone() };
                self.chart.with_code(code).ok_or_else(unknown)
            }
        }
    }

    /// The VAT Control account, which must be there before VAT is posted.
    pub fn vat_control(&self, posting: VatPosting) -> Result<AccountId, Refusal> {
        let control = self.chart.with_role(&Role::VatControl);
        control.map(|account| account.id).ok_or(Refusal::VatControlRequired { posting })
    }

    /// The account with a role the rules post to themselves; made when there is none.
    pub fn control(&self, role: Role) -> Target {
        match self.chart.with_role(&role) {
            Some(account) => Target::Account(account.id),
            None => Target::FirstUse(role),
        }
    }

    /// Refuses a posting date in the locked period.
    pub fn require_open(&self, date: Date) -> Result<(), Refusal> {
        journal::require_open(date, self.lock_date)
    }

    /// The VAT scheme of a document of this date.
    pub fn scheme_on(&self, date: Date) -> VatScheme {
        self.vat.on(date)
    }
}

/// The order of codes people expect: runs of digits by their value, everything else by its letters (`0030` before `100`
/// before `1000` before `A9` before `A10`).
pub fn natural_order(left: &str, right: &str) -> Ordering {
    let (mut left_rest, mut right_rest) = (left, right);
    loop {
        let (left_part, right_part) = (next_part(left_rest), next_part(right_rest));
        let (Some(left_part), Some(right_part)) = (left_part, right_part) else {
            return left_rest.len().cmp(&right_rest.len()).then_with(|| left.cmp(right));
        };
        let order = match (is_number(left_part), is_number(right_part)) {
            (true, true) => {
                let (one, other) = (left_part.trim_start_matches('0'), right_part.trim_start_matches('0'));
                one.len().cmp(&other.len()).then_with(|| one.cmp(other))
            }
            _ => left_part.cmp(right_part),
        };
        if order != Ordering::Equal {
            return order;
        }
        left_rest = left_rest.strip_prefix(left_part).unwrap_or("");
        right_rest = right_rest.strip_prefix(right_part).unwrap_or("");
    }
}

fn is_number(part: &str) -> bool {
    part.starts_with(|first: char| first.is_ascii_digit())
}

/// The run of digits, or of anything else, that a text begins with.
fn next_part(text: &str) -> Option<&str> {
    let digits = text.chars().next()?.is_ascii_digit();
    let end = text.find(|letter: char| letter.is_ascii_digit() != digits).unwrap_or(text.len());
    text.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standard() -> Chart {
        (1..).zip(standard_chart::at_creation(true)).map(|(id, new)| new.with_id(AccountId(id))).collect()
    }

    fn new(code: &str, account_type: AccountType, role: Option<&str>) -> NewAccount {
        NewAccount { code: code.to_owned().into(), name: "New".into(), account_type, role: role.map(Role::parse) }
    }

    #[test]
    fn codes_and_unique_roles_are_taken_once() {
        let chart = standard();
        let sales = chart.with_code("4000").unwrap().id;
        let refused = chart.create(new("4000", AccountType::Revenue, None)).unwrap_err();
        assert_eq!(refused, Refusal::DuplicateCode { field: "code", existing_id: sales });
        let refused = chart.create(new("2201", AccountType::Liability, Some("vat_control"))).unwrap_err();
        assert_eq!(refused.reason(), "duplicate_role");
        let refused = chart.create(new("2201", AccountType::Asset, Some("vat_control"))).unwrap_err();
        assert_eq!(refused.reason(), "wrong_account_type");
        assert!(chart.create(new("1210", AccountType::Asset, Some("bank"))).is_ok());
        assert!(chart.create(new("1220", AccountType::Asset, Some("my own word"))).is_ok());
    }

    #[test]
    fn an_account_may_keep_its_code_but_not_take_anothers() {
        let chart = standard();
        let sales = chart.with_code("4000").unwrap().id;
        assert_eq!(chart.recode(sales, "4000"), Ok(()));
        assert_eq!(chart.recode(sales, "4001"), Ok(()));
        assert_eq!(chart.recode(sales, "4100").unwrap_err().reason(), "duplicate_code");
    }

    #[test]
    fn control_and_bank_accounts_are_not_archived() {
        let chart = standard();
        let archive = |code: &str| Chart::archive(chart.with_code(code).unwrap());
        for code in ["1100", "1200", "2100", "2200", "3200"] {
            assert_eq!(archive(code).unwrap_err().reason(), "invalid_state", "{code}");
        }
        assert_eq!(archive("4000"), Ok(true));
        let archived = Account { is_archived: true, ..chart.with_code("4000").unwrap().clone() };
        assert_eq!(Chart::archive(&archived), Ok(false));
    }

    #[test]
    fn an_account_made_on_first_use_takes_a_free_code() {
        let mut chart = standard();
        assert_eq!(chart.first_use(&Role::CisPayable).unwrap().code, "2220");
        chart.insert(new("2220", AccountType::Liability, None).with_id(AccountId(900)));
        let made = chart.first_use(&Role::CisPayable).unwrap();
        assert_eq!((made.code.as_ref(), made.role), ("2221", Some(Role::CisPayable)));
        assert_eq!(chart.first_use(&Role::Bank), None);
        assert_eq!(chart.get(AccountId(900)).unwrap().code, "2220");
    }

    #[test]
    fn codes_are_ordered_as_people_read_them() {
        let mut codes = vec!["A10", "1000", "9999", "A9", "0030", "100", "0100", "B", "A"];
        codes.sort_by(|left, right| natural_order(left, right));
        assert_eq!(codes, ["0030", "0100", "100", "1000", "9999", "A", "A9", "A10", "B"]);
    }
}

#[cfg(test)]
mod account_tests {
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
