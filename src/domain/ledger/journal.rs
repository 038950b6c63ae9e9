//! Journals: what posts them, what is posted (always balanced), on which dates, and how a posted one is undone.

use crate::domain::date::Date;
use crate::domain::ids::{AccountId, ContactId, JournalId};
use crate::domain::ledger::chart::Role;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::{VatCode, VatEntry};

/// What made a journal, and which record that is: none when the decision creates it, or there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// What kind of record.
    pub kind: SourceType,
    /// Which one.
    pub id: Option<i64>,
}

impl Source {
    /// A record that is yet to be created, or no record.
    pub const fn new(kind: SourceType) -> Self {
        Self { kind, id: None }
    }
}

/// The account a line is posted to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This one.
    Account(AccountId),
    /// The one with this role, which has to be made first ([`super::chart::Chart::first_use`]).
    FirstUse(Role),
}

/// A line of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The account.
    pub target: Target,
    /// Positive on the debit side, negative on the credit side, never nothing.
    pub amount: Pence,
    /// A remark.
    pub memo: Option<String>,
    /// The VAT code it was entered with.
    pub vat_code: Option<VatCode>,
    /// The VAT that was separated from it: a magnitude.
    pub vat_amount: Option<Pence>,
    /// The customer or supplier it concerns.
    pub contact_id: Option<ContactId>,
    /// Whether it is VAT that was separated from other lines.
    pub is_system: bool,
}

impl Line {
    /// A bare line; the sign of the amount tells the side.
    pub const fn new(target: Target, amount: Pence) -> Self {
        Self { target, amount, memo: None, vat_code: None, vat_amount: None, contact_id: None, is_system: false }
    }

    /// The same line, concerning a contact.
    pub fn with_contact(self, contact_id: ContactId) -> Self {
        Self { contact_id: Some(contact_id), ..self }
    }

    /// What it debits; nothing when it credits.
    pub fn debit(&self) -> Pence {
        self.amount.max(Pence::ZERO)
    }

    /// What it credits; nothing when it debits.
    pub fn credit(&self) -> Pence {
        (-self.amount).max(Pence::ZERO)
    }
}

/// A journal to be posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal {
    /// The date it is posted on.
    pub entry_date: Date,
    /// What it is.
    pub description: String,
    /// The caller's reference.
    pub reference: Option<String>,
    /// A remark.
    pub memo: Option<String>,
    /// What made it.
    pub source: Source,
    /// The journal it undoes.
    pub reverses: Option<JournalId>,
    /// At least two, balanced.
    pub lines: Vec<Line>,
    /// What it adds to the VAT sub-ledger.
    pub vat: Vec<VatEntry>,
}

impl Journal {
    /// A journal without a reference, remark or VAT. Lines of nothing are left out.
    pub fn new(entry_date: Date, source: Source, description: impl Into<String>, lines: Vec<Line>) -> Self {
        let lines = lines.into_iter().filter(|line| !line.amount.is_zero()).collect();
        Self {
            entry_date,
            description: description.into(),
            reference: None,
            memo: None,
            source,
            reverses: None,
            lines,
            vat: Vec::new(),
        }
    }

    /// What it debits; as much as it credits.
    pub fn total_debit(&self) -> Pence {
        self.lines.iter().map(Line::debit).sum()
    }

    /// What it credits.
    pub fn total_credit(&self) -> Pence {
        self.lines.iter().map(Line::credit).sum()
    }

    /// The last check before anything is written: at least two lines, in balance, the date open.
    pub fn checked(self, lock_date: Option<Date>) -> Result<Self, Refusal> {
        if self.lines.len() < 2 {
            return Err(Refusal::TooFewLines);
        }
        let (total_debit, total_credit) = (self.total_debit(), self.total_credit());
        if total_debit != total_credit {
            return Err(Refusal::Unbalanced { total_debit, total_credit });
        }
        require_open(self.entry_date, lock_date)?;
        Ok(self)
    }

    /// The roles whose accounts have to be made before the lines can be written; several journals of one decision may
    /// want the same one.
    pub fn roles_to_make(&self) -> impl Iterator<Item = &Role> {
        self.lines.iter().filter_map(|line| match &line.target {
            Target::FirstUse(role) => Some(role),
            Target::Account(_) => None,
        })
    }

    /// Points the lines of a role at the account made for it.
    pub fn made(&mut self, role: &Role, account: AccountId) {
        for line in &mut self.lines {
            if line.target == Target::FirstUse(role.clone()) {
                line.target = Target::Account(account);
            }
        }
    }
}

/// Whether a posted journal still stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JournalStatus {
    /// It stands.
    Posted,
    /// Another journal undoes it.
    Void,
}

impl JournalStatus {
    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Posted => "posted",
            Self::Void => "void",
        }
    }
}

/// A journal that has been posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostedJournal {
    /// Its id.
    pub id: JournalId,
    /// Its gap-free number.
    pub number: i64,
    /// Whether it stands.
    pub status: JournalStatus,
    /// What was posted.
    pub journal: Journal,
}

impl PostedJournal {
    /// The journal that undoes it on a day: every line and every VAT entry with the opposite sign. The day has to be
    /// open; whether it may be undone is for the caller to say.
    pub fn reversal(&self, entry_date: Date, lock_date: Option<Date>) -> Result<Journal, Refusal> {
        let lines = self.journal.lines.iter().map(|line| Line { amount: -line.amount, ..line.clone() }).collect();
        let reversal = Journal {
            entry_date,
            description: format!("Reversal of journal {}: {}", self.number, self.journal.description),
            reference: self.journal.reference.clone(),
            memo: None,
            source: Source { kind: SourceType::Reversal, id: self.journal.source.id },
            reverses: Some(self.id),
            lines,
            vat: self.journal.vat.iter().map(|entry| entry.undone(entry_date)).collect(),
        };
        reversal.checked(lock_date)
    }
}

/// What made a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceType {
    /// Entered as it is.
    Manual,
    /// The opening balances.
    OpeningBalance,
    /// A sales invoice.
    SalesInvoice,
    /// A sales credit note.
    SalesCreditNote,
    /// A purchase invoice.
    PurchaseInvoice,
    /// A purchase credit note.
    PurchaseCreditNote,
    /// Money from a customer.
    CustomerReceipt,
    /// Money back to a customer.
    CustomerRefund,
    /// Money to a supplier.
    SupplierPayment,
    /// Money back from a supplier.
    SupplierRefund,
    /// A coded bank transaction.
    BankTransaction,
    /// A transfer between own bank accounts.
    BankTransfer,
    /// A bad debt.
    WriteOff,
    /// The undoing of another journal.
    Reversal,
    /// The closing of a year.
    YearEndClose,
    /// An adjustment of the VAT return.
    VatAdjustment,
}

impl SourceType {
    /// Every source.
    pub const ALL: [Self; 16] = [
        Self::Manual,
        Self::OpeningBalance,
        Self::SalesInvoice,
        Self::SalesCreditNote,
        Self::PurchaseInvoice,
        Self::PurchaseCreditNote,
        Self::CustomerReceipt,
        Self::CustomerRefund,
        Self::SupplierPayment,
        Self::SupplierRefund,
        Self::BankTransaction,
        Self::BankTransfer,
        Self::WriteOff,
        Self::Reversal,
        Self::YearEndClose,
        Self::VatAdjustment,
    ];

    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::OpeningBalance => "opening_balance",
            Self::SalesInvoice => "sales_invoice",
            Self::SalesCreditNote => "sales_credit_note",
            Self::PurchaseInvoice => "purchase_invoice",
            Self::PurchaseCreditNote => "purchase_credit_note",
            Self::CustomerReceipt => "customer_receipt",
            Self::CustomerRefund => "customer_refund",
            Self::SupplierPayment => "supplier_payment",
            Self::SupplierRefund => "supplier_refund",
            Self::BankTransaction => "bank_transaction",
            Self::BankTransfer => "bank_transfer",
            Self::WriteOff => "write_off",
            Self::Reversal => "reversal",
            Self::YearEndClose => "year_end_close",
            Self::VatAdjustment => "vat_adjustment",
        }
    }

    /// Whether an invoice, credit note or settlement says when its debt is due, rather than the day of the journal.
    pub const fn is_documented(self) -> bool {
        !matches!(
            self,
            Self::Manual
                | Self::BankTransaction
                | Self::BankTransfer
                | Self::Reversal
                | Self::YearEndClose
                | Self::VatAdjustment
        )
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

/// The first date the books take.
pub const FIRST_DATE: Date = Date::from_civil(1900, 1, 1);

/// The last date the books take.
pub const LAST_DATE: Date = Date::from_civil(2199, 12, 31);

/// Refuses a posting date in the locked period. Every posting, on every path, asks this and nothing else.
pub fn require_open(date: Date, lock_date: Option<Date>) -> Result<(), Refusal> {
    match lock_date {
        Some(lock_date) if date <= lock_date => {
            Err(Refusal::PeriodLocked { lock_date, date, earliest_date: lock_date + 1 })
        }
        _ => Ok(()),
    }
}

/// The first date at or after `date` that is open.
pub fn first_open(date: Date, lock_date: Option<Date>) -> Date {
    lock_date.map_or(date, |lock_date| date.max(lock_date + 1))
}

/// The date of a reversal: what was asked for; else the date of what is voided, which must then be open, or the `earliest`
/// there may be. A reversal is never before what it reverses, nor before something that was settled with it was released
/// again.
pub fn void_date(own: Date, earliest: Date, asked: Option<Date>, lock_date: Option<Date>) -> Result<Date, Refusal> {
    let date = match asked {
        Some(asked) => asked,
        None => {
            require_open(own, lock_date)?;
            earliest
        }
    };
    if date < earliest {
        return Err(Refusal::field(
            "void_date",
            "must not be before what is voided, or before its last allocation was released",
        ));
    }
    require_open(date, lock_date)?;
    Ok(date)
}

/// Where a change of the lock date goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockMove {
    /// Nothing changes.
    Same,
    /// More is locked: any role that may write.
    Forward,
    /// Less is locked, or nothing any more: owner and admin only.
    Back,
}

/// Tells where a change of the lock date goes; it may not be in the future.
pub fn move_lock(current: Option<Date>, wanted: Option<Date>, today: Date) -> Result<LockMove, Refusal> {
    if wanted.is_some_and(|wanted| wanted > today) {
        return Err(Refusal::field("lock_date", "must not be in the future"));
    }
    // `None` is before every date, as an order of options has it.
    Ok(match wanted.cmp(&current) {
        std::cmp::Ordering::Less => LockMove::Back,
        std::cmp::Ordering::Equal => LockMove::Same,
        std::cmp::Ordering::Greater => LockMove::Forward,
    })
}

/// Whether a date is the first of a VAT period: periods last `months` (1, 3 or 12) and one of them ends with the month
/// `end_month` (1 to 12).
pub fn starts_vat_period(date: Date, months: i32, end_month: i32) -> bool {
    let (_, month, day_of_month) = date.civil();
    day_of_month == 1 && (month - 1 - end_month).rem_euclid(months.max(1)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ledger::vat::{Basis, VatOrigin};
    use crate::domain::ledger::vat::{Side, Split};

    fn line(account: i64, amount: i64) -> Line {
        Line::new(Target::Account(AccountId(account)), Pence(amount))
    }

    fn journal(lines: Vec<Line>) -> Journal {
        Journal::new(Date::numbered(100), Source::new(SourceType::Manual), "Rent", lines)
    }

    #[test]
    fn a_journal_balances_and_has_two_lines_or_is_not_posted() {
        assert!(journal(vec![line(1, 500), line(2, -500)]).checked(None).is_ok());
        assert_eq!(journal(vec![line(1, 500), line(2, 0)]).checked(None), Err(Refusal::TooFewLines));
        assert_eq!(
            journal(vec![line(1, 500), line(2, -499)]).checked(None),
            Err(Refusal::Unbalanced { total_debit: Pence(500), total_credit: Pence(499) })
        );
        let locked = journal(vec![line(1, 500), line(2, -500)]).checked(Some(Date::numbered(100))).unwrap_err();
        assert_eq!(locked.reason(), "period_locked");
    }

    #[test]
    fn a_reversal_is_the_mirror_image_on_its_own_day() {
        let mut original = journal(vec![line(1, 600), line(2, -500), line(3, -100)]);
        original.vat.push(VatEntry {
            side: Side::Output,
            code: VatCode::Standard,
            amount: Split { net: Pence(500), vat: Pence(100) },
            basis: Basis::Standard,
            reverse_charge: None,
            tax_point: Date::numbered(100),
            rate_date: None,
            origin: VatOrigin::JournalLine(1),
        });
        let posted = PostedJournal { id: JournalId(7), number: 4, status: JournalStatus::Posted, journal: original };
        let reversal = posted.reversal(Date::numbered(130), Some(Date::numbered(129))).unwrap();
        assert_eq!(reversal.reverses, Some(JournalId(7)));
        assert_eq!(reversal.description, "Reversal of journal 4: Rent");
        let amounts: Vec<i64> = reversal.lines.iter().map(|line| line.amount.0).collect();
        assert_eq!(amounts, [-600, 500, 100]);
        assert_eq!(
            reversal.vat.first().map(|entry| (entry.tax_point, entry.amount.vat)),
            Some((Date::numbered(130), Pence(-100)))
        );
        assert_eq!(
            posted.reversal(Date::numbered(129), Some(Date::numbered(129))).unwrap_err().reason(),
            "period_locked"
        );
    }

    #[test]
    fn lines_of_an_account_made_on_first_use_are_pointed_at_it() {
        let new = Line::new(Target::FirstUse(Role::CisPayable), Pence(-500));
        let mut journal = journal(vec![line(1, 500), new.with_contact(ContactId(3))]);
        assert_eq!(journal.roles_to_make().collect::<Vec<_>>(), [&Role::CisPayable]);
        journal.made(&Role::CisPayable, AccountId(9));
        assert_eq!(journal.roles_to_make().count(), 0);
        assert_eq!(journal.lines.last().map(|line| line.target.clone()), Some(Target::Account(AccountId(9))));
    }

    #[test]
    fn sources_and_statuses_have_their_words() {
        for source in SourceType::ALL {
            assert_eq!(SourceType::parse(source.as_str()), Some(source));
        }
        assert_eq!((JournalStatus::Posted.as_str(), JournalStatus::Void.as_str()), ("posted", "void"));
    }
}

#[cfg(test)]
mod period_tests {
    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    #[test]
    fn the_lock_date_itself_is_locked_and_the_next_day_is_open() {
        let lock = Some(date("2025-04-30"));
        assert_eq!(require_open(date("2025-05-01"), lock), Ok(()));
        assert_eq!(require_open(date("1900-01-01"), None), Ok(()));
        assert_eq!(
            require_open(date("2025-04-30"), lock),
            Err(Refusal::PeriodLocked {
                lock_date: date("2025-04-30"),
                date: date("2025-04-30"),
                earliest_date: date("2025-05-01")
            })
        );
        assert_eq!(first_open(date("2025-04-02"), lock), date("2025-05-01"));
        assert_eq!(first_open(date("2025-05-02"), lock), date("2025-05-02"));
        assert_eq!(first_open(date("2025-05-02"), None), date("2025-05-02"));
    }

    #[test]
    fn a_void_is_dated_as_its_document_unless_that_is_locked() {
        let own = date("2025-04-14");
        let lock = Some(date("2025-04-30"));
        assert_eq!(void_date(own, own, None, None), Ok(own));
        let refused =
            Refusal::PeriodLocked { lock_date: date("2025-04-30"), date: own, earliest_date: date("2025-05-01") };
        assert_eq!(void_date(own, own, None, lock), Err(refused));
        assert_eq!(void_date(own, own, Some(date("2025-06-05")), lock), Ok(date("2025-06-05")));
        assert_eq!(void_date(own, own, Some(date("2025-04-30")), lock).unwrap_err().reason(), "period_locked");
        assert_eq!(void_date(own, own, Some(date("2025-04-13")), None).unwrap_err().reason(), "invalid_field");
        // What was settled with it was released after the lock date: still the caller has to choose.
        let released = date("2025-06-01");
        assert_eq!(void_date(own, released, None, lock).unwrap_err().reason(), "period_locked");
        assert_eq!(void_date(own, released, Some(released), lock), Ok(released));
        assert_eq!(void_date(own, released, None, None), Ok(released));
    }

    #[test]
    fn locking_goes_forward_for_everyone_and_back_for_some() {
        let today = date("2025-06-10");
        let may = Some(date("2025-05-31"));
        let april = Some(date("2025-04-30"));
        assert_eq!(move_lock(None, april, today), Ok(LockMove::Forward));
        assert_eq!(move_lock(april, may, today), Ok(LockMove::Forward));
        assert_eq!(move_lock(may, april, today), Ok(LockMove::Back));
        assert_eq!(move_lock(may, None, today), Ok(LockMove::Back));
        assert_eq!(move_lock(may, may, today), Ok(LockMove::Same));
        assert!(move_lock(may, Some(today), today).is_ok());
        assert_eq!(move_lock(may, Some(today + 1), today).unwrap_err().reason(), "invalid_field");
    }

    #[test]
    fn vat_periods_follow_their_last_month() {
        assert!(starts_vat_period(date("2025-04-01"), 3, 6));
        assert!(starts_vat_period(date("2025-01-01"), 3, 6));
        assert!(!starts_vat_period(date("2025-05-01"), 3, 6));
        assert!(!starts_vat_period(date("2025-04-02"), 3, 6));
        assert!(starts_vat_period(date("2025-02-01"), 3, 1));
        assert!(starts_vat_period(date("2025-09-01"), 1, 6));
        assert!(starts_vat_period(date("2025-04-01"), 12, 3));
        assert!(!starts_vat_period(date("2025-01-01"), 12, 3));
    }
}
