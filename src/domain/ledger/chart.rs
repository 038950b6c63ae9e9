//! The chart of accounts: who is who, and how it may change.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::account::{Account, AccountType, Role};
use super::ids::AccountId;
use super::refusal::Refusal;
use super::standard_chart;

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
