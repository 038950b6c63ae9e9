//! Bank accounts and the lines of their statements: states, and what a confirmation may be.

use super::money::Pence;
use super::refusal::Refusal;
use crate::domain::date::Date;
use crate::domain::ids::{AccountId, BankAccountId, BankTransactionId, JournalId};
use crate::domain::ledger::chart::{Account, AccountType, Role};

/// A kind of bank account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BankAccountType {
    /// A current account.
    Current,
    /// A savings account.
    Savings,
    /// A credit card.
    CreditCard,
    /// Cash in hand.
    Cash,
    /// A payment provider's balance.
    PaymentProvider,
    /// A loan.
    Loan,
}

impl BankAccountType {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Current, Self::Savings, Self::CreditCard, Self::Cash, Self::PaymentProvider, Self::Loan];

    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Savings => "savings",
            Self::CreditCard => "credit_card",
            Self::Cash => "cash",
            Self::PaymentProvider => "payment_provider",
            Self::Loan => "loan",
        }
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }

    /// The type of the account that is made to carry its balance.
    pub const fn account_type(self) -> AccountType {
        match self {
            Self::CreditCard | Self::Loan => AccountType::Liability,
            Self::Current | Self::Savings | Self::Cash | Self::PaymentProvider => AccountType::Asset,
        }
    }

    /// Whether an account of the chart may carry its balance: an asset, or a liability for cards and loans.
    pub const fn may_use(self, account_type: AccountType) -> bool {
        match account_type {
            AccountType::Asset => true,
            AccountType::Liability => matches!(self.account_type(), AccountType::Liability),
            _ => false,
        }
    }
}

/// Decides whether an account of the chart may carry the balance of a new bank account. `linked_to` is the bank account
/// it carries already.
pub fn link_account(kind: BankAccountType, account: &Account, linked_to: Option<BankAccountId>) -> Result<(), Refusal> {
    if linked_to.is_some() {
        return Err(Refusal::InvalidState { current: "linked to a bank account", allowed: &["not linked"] });
    }
    let field = || "account_id".to_owned();
    if account.is_archived {
        return Err(Refusal::AccountArchived { field: field(), id: account.id });
    }
    // A loan account of the chart stays what it is in the cash flow.
    let is_loan = kind == BankAccountType::Loan && account.has_role(&Role::LongTermLiability);
    let is_free = account.role.is_none() || account.has_role(&Role::Bank) || is_loan;
    if !is_free || !kind.may_use(account.account_type) {
        let allowed = match kind.account_type() {
            AccountType::Liability => "a credit card or loan takes an ASSET or LIABILITY without another role",
            _ => "this type of bank account takes an ASSET without another role",
        };
        return Err(Refusal::wrong_account(field(), account, allowed));
    }
    Ok(())
}

/// A bank account, as the rules need to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BankAccount {
    /// Its id.
    pub id: BankAccountId,
    /// The account that carries its balance.
    pub account_id: AccountId,
    /// Whether new postings are refused.
    pub is_archived: bool,
}

/// Finds a bank account that a body names: of this organisation, not archived.
pub fn named(bank: Option<&BankAccount>, id: BankAccountId) -> Result<&BankAccount, Refusal> {
    let field = || "bank_account_id".to_owned();
    let unknown = || Refusal::UnknownReference { field: field(), id: id.0 };
    let bank = bank.filter(|bank| bank.id == id).ok_or_else(unknown)?;
    bank.require_open()?;
    Ok(bank)
}

impl BankAccount {
    /// Refuses an archived bank account.
    pub fn require_open(&self) -> Result<(), Refusal> {
        if self.is_archived {
            return Err(Refusal::BankAccountArchived { field: "bank_account_id".to_owned(), id: self.id.0 });
        }
        Ok(())
    }
}

/// The state of a line of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BankStatus {
    /// Not in the books yet.
    Unconfirmed,
    /// In the books.
    Confirmed,
    /// Kept out of the books: a duplicate, or private.
    Excluded,
}

impl BankStatus {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Unconfirmed, Self::Confirmed, Self::Excluded];

    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unconfirmed => "unconfirmed",
            Self::Confirmed => "confirmed",
            Self::Excluded => "excluded",
        }
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }

    /// Decides whether it may be confirmed, excluded, or given a suggestion.
    pub const fn require_unconfirmed(self) -> Result<(), Refusal> {
        match self {
            Self::Unconfirmed => Ok(()),
            _ => Err(Refusal::InvalidState { current: self.as_str(), allowed: &["unconfirmed"] }),
        }
    }

    /// Decides whether it may be unconfirmed.
    pub const fn require_confirmed(self) -> Result<(), Refusal> {
        match self {
            Self::Confirmed => Ok(()),
            _ => Err(Refusal::InvalidState { current: self.as_str(), allowed: &["confirmed"] }),
        }
    }

    /// Decides whether it may be restored.
    pub const fn require_excluded(self) -> Result<(), Refusal> {
        match self {
            Self::Excluded => Ok(()),
            _ => Err(Refusal::InvalidState { current: self.as_str(), allowed: &["excluded"] }),
        }
    }

    /// Decides whether it may be deleted.
    pub const fn require_deletable(self) -> Result<(), Refusal> {
        match self {
            Self::Unconfirmed | Self::Excluded => Ok(()),
            Self::Confirmed => {
                Err(Refusal::InvalidState { current: "confirmed", allowed: &["unconfirmed", "excluded"] })
            }
        }
    }
}

/// How a line of a statement is confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfirmType {
    /// Against accounts and VAT codes.
    Coded,
    /// Money from a customer.
    CustomerReceipt,
    /// Money back to a customer.
    CustomerRefund,
    /// Money to a supplier.
    SupplierPayment,
    /// Money back from a supplier.
    SupplierRefund,
    /// To or from another own account.
    Transfer,
    /// With what is in the books already.
    Match,
}

impl ConfirmType {
    /// Every type.
    pub const ALL: [Self; 7] = [
        Self::Coded,
        Self::CustomerReceipt,
        Self::CustomerRefund,
        Self::SupplierPayment,
        Self::SupplierRefund,
        Self::Transfer,
        Self::Match,
    ];

    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Coded => "coded",
            Self::CustomerReceipt => "customer_receipt",
            Self::CustomerRefund => "customer_refund",
            Self::SupplierPayment => "supplier_payment",
            Self::SupplierRefund => "supplier_refund",
            Self::Transfer => "transfer",
            Self::Match => "match",
        }
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

/// A line of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankTransaction {
    /// Its id.
    pub id: BankTransactionId,
    /// The bank account it is of.
    pub bank_account_id: BankAccountId,
    /// Its date.
    pub date: Date,
    /// Money in is positive, money out negative, never nothing.
    pub amount: Pence,
    /// What the bank says of it.
    pub description: String,
    /// Its state.
    pub status: BankStatus,
}

/// Something posted that a line of a statement may be matched with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posted {
    /// The key of the body that names it: `customer_receipt_id`, `supplier_payment_id` or `journal_id`.
    pub field: &'static str,
    /// Its id.
    pub id: i64,
    /// Its journal.
    pub journal_id: JournalId,
    /// Whether it stands.
    pub is_void: bool,
    /// What its journal moves on the account of this bank account; none when it does not touch it.
    pub amount: Option<Pence>,
    /// The line of a statement that shows it already.
    pub linked_to: Option<BankTransactionId>,
}

/// Decides a match: the journal that the line is linked to. Nothing is posted, so a locked period is no obstacle.
pub fn confirm_match(transaction: &BankTransaction, posted: &Posted) -> Result<JournalId, Refusal> {
    transaction.status.require_unconfirmed()?;
    if posted.is_void {
        return Err(Refusal::InvalidState { current: "void", allowed: &["posted"] });
    }
    if posted.linked_to.is_some() {
        return Err(Refusal::InvalidState { current: "linked to a bank transaction", allowed: &["not linked"] });
    }
    let Some(amount) = posted.amount else {
        return Err(Refusal::BankAccountMismatch { field: posted.field.to_owned(), id: posted.id });
    };
    if amount != transaction.amount {
        return Err(Refusal::AmountMismatch { expected: transaction.amount, actual: amount });
    }
    Ok(posted.journal_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(account_type: AccountType, role: Option<Role>) -> Account {
        Account {
            id: AccountId(7),
            code: "1210".to_owned(),
            name: "Savings".to_owned(),
            account_type,
            role,
            is_archived: false,
        }
    }

    #[test]
    fn a_bank_account_is_carried_by_an_asset_or_for_cards_a_liability() {
        let asset = account(AccountType::Asset, None);
        let liability = account(AccountType::Liability, None);
        for kind in BankAccountType::ALL {
            assert_eq!(BankAccountType::parse(kind.as_str()), Some(kind));
            assert!(link_account(kind, &asset, None).is_ok());
            let owes = matches!(kind, BankAccountType::CreditCard | BankAccountType::Loan);
            assert_eq!(link_account(kind, &liability, None).is_ok(), owes, "{kind:?}");
            assert!(kind.may_use(kind.account_type()));
        }
        let linked = link_account(BankAccountType::Current, &asset, Some(BankAccountId(1))).unwrap_err();
        assert_eq!(linked.reason(), "invalid_state");
        let stock = account(AccountType::Asset, Some(Role::AccountsReceivable));
        assert_eq!(link_account(BankAccountType::Current, &stock, None).unwrap_err().reason(), "wrong_account_type");
        let revenue = account(AccountType::Revenue, None);
        assert!(link_account(BankAccountType::Current, &revenue, None).is_err());
        let archived = Account { is_archived: true, ..asset };
        assert_eq!(link_account(BankAccountType::Cash, &archived, None).unwrap_err().reason(), "account_archived");
    }

    #[test]
    fn a_named_bank_account_is_known_and_open() {
        let bank = BankAccount { id: BankAccountId(2), account_id: AccountId(7), is_archived: false };
        assert!(named(Some(&bank), BankAccountId(2)).is_ok());
        assert_eq!(named(None, BankAccountId(2)).unwrap_err().reason(), "unknown_reference");
        let archived = BankAccount { is_archived: true, ..bank };
        assert_eq!(named(Some(&archived), BankAccountId(2)).unwrap_err().reason(), "bank_account_archived");
    }

    #[test]
    fn each_move_has_its_states() {
        use BankStatus::{Confirmed, Excluded, Unconfirmed};
        for status in [Unconfirmed, Confirmed, Excluded] {
            assert_eq!(BankStatus::parse(status.as_str()), Some(status));
            assert_eq!(status.require_unconfirmed().is_ok(), status == Unconfirmed);
            assert_eq!(status.require_confirmed().is_ok(), status == Confirmed);
            assert_eq!(status.require_excluded().is_ok(), status == Excluded);
            assert_eq!(status.require_deletable().is_ok(), status != Confirmed);
        }
        let refused = Confirmed.require_unconfirmed().unwrap_err();
        assert_eq!(refused, Refusal::InvalidState { current: "confirmed", allowed: &["unconfirmed"] });
        for kind in ConfirmType::ALL {
            assert_eq!(ConfirmType::parse(kind.as_str()), Some(kind));
        }
    }

    #[test]
    fn a_match_is_with_something_of_this_amount_in_this_account_not_matched_yet() {
        let transaction = BankTransaction {
            id: BankTransactionId(41),
            bank_account_id: BankAccountId(2),
            date: Date::numbered(20_000),
            amount: Pence(-70_000),
            description: "REED CARPENTRY".to_owned(),
            status: BankStatus::Unconfirmed,
        };
        let payment = Posted {
            field: "supplier_payment_id",
            id: 5,
            journal_id: JournalId(19),
            is_void: false,
            amount: Some(Pence(-70_000)),
            linked_to: None,
        };
        assert_eq!(confirm_match(&transaction, &payment), Ok(JournalId(19)));
        let refused = |posted| confirm_match(&transaction, &posted).unwrap_err();
        assert_eq!(refused(Posted { is_void: true, ..payment }).reason(), "invalid_state");
        assert_eq!(refused(Posted { linked_to: Some(BankTransactionId(3)), ..payment }).reason(), "invalid_state");
        assert_eq!(refused(Posted { amount: None, ..payment }).reason(), "bank_account_mismatch");
        let other = refused(Posted { amount: Some(Pence(70_000)), ..payment });
        assert_eq!(other, Refusal::AmountMismatch { expected: Pence(-70_000), actual: Pence(70_000) });
        let confirmed = BankTransaction { status: BankStatus::Confirmed, ..transaction.clone() };
        assert_eq!(confirm_match(&confirmed, &payment).unwrap_err().reason(), "invalid_state");
    }
}
