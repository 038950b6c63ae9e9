//! Adjustments of the VAT return: what belongs into its boxes and follows from no document, bank line or journal.

use crate::domain::date::Date;
use crate::domain::ids::AccountId;
use crate::domain::ledger::chart::{Account, AccountReference, Books, Role};
use crate::domain::ledger::journal;
use crate::domain::ledger::journal::{Journal, JournalStatus, Line, PostedJournal, Source, SourceType, Target};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::{Refusal, VatPosting};

/// A box of the VAT return that an adjustment may change; boxes 3 and 5 follow from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VatBox {
    /// VAT due on sales.
    One,
    /// VAT due on acquisitions of goods in Northern Ireland from the EU.
    Two,
    /// VAT reclaimed.
    Four,
    /// Sales without VAT.
    Six,
    /// Purchases without VAT.
    Seven,
    /// Supplies of goods from Northern Ireland to the EU, without VAT.
    Eight,
    /// Acquisitions of goods in Northern Ireland from the EU, without VAT.
    Nine,
}

impl VatBox {
    /// Every box, in the order of the return.
    pub const ALL: [Self; 7] = [Self::One, Self::Two, Self::Four, Self::Six, Self::Seven, Self::Eight, Self::Nine];

    /// Its number on the return.
    pub const fn number(self) -> i64 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
            Self::Six => 6,
            Self::Seven => 7,
            Self::Eight => 8,
            Self::Nine => 9,
        }
    }

    /// The box with a number; none for boxes 3 and 5, and for numbers of no box.
    pub fn numbered(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.number() == number)
    }

    /// 1 when its amount is VAT owed to HMRC, −1 when it is VAT reclaimed, 0 when it is a value.
    pub const fn owed_sign(self) -> i64 {
        match self {
            Self::One | Self::Two => 1,
            Self::Four => -1,
            Self::Six | Self::Seven | Self::Eight | Self::Nine => 0,
        }
    }
}

/// Why an adjustment is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdjustmentReason {
    /// VAT reclaimed on a debt that will not be paid (VAT Notice 700/18).
    BadDebtRelief,
    /// VAT paid back on a supplier's bill left unpaid, or on a debt paid after relief (VAT Notice 700/18).
    BadDebtRepayment,
    /// Private use of road fuel (VAT Notice 700/64).
    FuelScaleCharge,
    /// Input tax on exempt supplies (VAT Notice 706).
    PartialExemption,
    /// Private use of goods and services.
    PrivateUse,
    /// Import VAT from the monthly postponed import VAT statement.
    PostponedImport,
    /// Import VAT from a C79 certificate.
    Import,
    /// An error of an earlier return (VAT Notice 700/45).
    ErrorCorrection,
    /// Goods to or from the EU through Northern Ireland.
    NorthernIreland,
    /// Anything else.
    Other,
}

impl AdjustmentReason {
    /// Every reason.
    pub const ALL: [Self; 10] = [
        Self::BadDebtRelief,
        Self::BadDebtRepayment,
        Self::FuelScaleCharge,
        Self::PartialExemption,
        Self::PrivateUse,
        Self::PostponedImport,
        Self::Import,
        Self::ErrorCorrection,
        Self::NorthernIreland,
        Self::Other,
    ];

    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BadDebtRelief => "bad_debt_relief",
            Self::BadDebtRepayment => "bad_debt_repayment",
            Self::FuelScaleCharge => "fuel_scale_charge",
            Self::PartialExemption => "partial_exemption",
            Self::PrivateUse => "private_use",
            Self::PostponedImport => "postponed_import",
            Self::Import => "import",
            Self::ErrorCorrection => "error_correction",
            Self::NorthernIreland => "northern_ireland",
            Self::Other => "other",
        }
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

/// A box and what is added to it; a negative amount is taken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoxEntry {
    /// The box.
    pub vat_box: VatBox,
    /// The amount, never nothing.
    pub amount: Pence,
}

/// An adjustment as entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnteredAdjustment {
    /// The day it counts in the return.
    pub date: Date,
    /// Why it is made.
    pub reason: AdjustmentReason,
    /// What it is.
    pub description: String,
    /// What it adds to which boxes.
    pub entries: Vec<BoxEntry>,
    /// The account that bears the VAT.
    pub account: Option<AccountReference>,
}

/// What entries add to the VAT owed: boxes 1 and 2 less box 4. Negative when they add to what is reclaimed.
pub fn owed(entries: &[BoxEntry]) -> Pence {
    entries.iter().map(|entry| Pence(entry.amount.0 * entry.vat_box.owed_sign())).sum()
}

/// Decides an adjustment: the account and the journal where it changes what is owed, neither where it does not.
pub fn post(books: &Books<'_>, entered: &EnteredAdjustment) -> Result<Option<(AccountId, Journal)>, Refusal> {
    let owed = owed(&entered.entries);
    let account = match (&entered.account, owed.is_zero()) {
        (None, true) => {
            books.require_open(entered.date)?;
            return Ok(None);
        }
        (Some(named), true) => {
            return Err(Refusal::field(
                named.key(),
                "must not be given: boxes 1, 2 and 4 cancel, so nothing is posted",
            ));
        }
        (None, false) => {
            return Err(Refusal::field("account_id", "is required: boxes 1, 2 and 4 do not cancel"));
        }
        (Some(named), false) => bearing_account(books, named)?,
    };
    if !owed.is_in_range() {
        return Err(Refusal::field("entries", format!("boxes 1 and 2 less box 4 must be within ±{}", Pence::MAX)));
    }
    let control = Target::Account(books.vat_control(VatPosting::Adjustment)?);
    let lines = vec![
        Line::new(Target::Account(account.id), owed),
        Line { is_system: true, ..Line::new(control, Pence(-owed.0)) },
    ];
    let source = Source::new(SourceType::VatAdjustment);
    let journal = Journal::new(entered.date, source, entered.description.clone(), lines).checked(books.lock_date)?;
    Ok(Some((account.id, journal)))
}

/// The account that bears the VAT: open, and none whose balance other records explain.
fn bearing_account<'a>(books: &Books<'a>, named: &AccountReference) -> Result<&'a Account, Refusal> {
    let account = books.named_account(named, str::to_owned)?;
    account.require_open(|| named.key().to_owned())?;
    let roles = [Role::VatControl, Role::Bank, Role::AccountsReceivable, Role::AccountsPayable];
    if roles.iter().any(|role| account.has_role(role)) {
        let allowed = "an adjustment takes any account but VAT Control, bank, receivable and payable control accounts";
        return Err(Refusal::wrong_account(named.key().to_owned(), account, allowed));
    }
    Ok(account)
}

/// Decides the voiding of an adjustment: the day from which it is undone in the return, and the journal that undoes its own.
pub fn void(
    date: Date,
    status: JournalStatus,
    posted: Option<&PostedJournal>,
    asked_date: Option<Date>,
    lock_date: Option<Date>,
) -> Result<(Date, Option<Journal>), Refusal> {
    if status == JournalStatus::Void {
        return Err(Refusal::InvalidState { current: "void", allowed: &["posted"] });
    }
    let date = journal::void_date(date, date, asked_date, lock_date)?;
    let reversal = posted.map(|posted| posted.reversal(date, lock_date)).transpose()?;
    Ok((date, reversal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::JournalId;
    use crate::domain::ledger::testing::{books, chart, since_ever};
    use crate::domain::ledger::vat::VatScheme;

    fn entry(number: i64, amount: i64) -> BoxEntry {
        BoxEntry { vat_box: VatBox::numbered(number).unwrap(), amount: Pence(amount) }
    }

    fn entered(entries: &[(i64, i64)], account: Option<&str>) -> EnteredAdjustment {
        EnteredAdjustment {
            date: Date::numbered(20_000),
            reason: AdjustmentReason::Other,
            description: "Fuel".to_owned(),
            entries: entries.iter().map(|(number, amount)| entry(*number, *amount)).collect(),
            account: account.map(|code| AccountReference::Code(code.to_owned())),
        }
    }

    #[test]
    fn boxes_and_reasons_are_read_back() {
        for known in VatBox::ALL {
            assert_eq!(VatBox::numbered(known.number()), Some(known));
        }
        for number in [0, 3, 5, 10, -1] {
            assert_eq!(VatBox::numbered(number), None, "{number}");
        }
        for reason in AdjustmentReason::ALL {
            assert_eq!(AdjustmentReason::parse(reason.as_str()), Some(reason));
        }
    }

    #[test]
    fn what_is_owed_is_boxes_1_and_2_less_box_4() {
        let entries = [(1, 500), (2, 30), (4, 100), (6, 9_000), (7, 8_000), (8, 70), (9, 60), (1, -20)];
        assert_eq!(owed(&entered(&entries, None).entries), Pence(410));
    }

    #[test]
    fn only_what_changes_the_debt_is_posted() {
        let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
        let books = books(&chart, &vat);
        let cancels = [(1, 500), (4, 500), (7, 2_500)];
        assert_eq!(post(&books, &entered(&cancels, None)), Ok(None));
        let reason = |entries: &[(i64, i64)], account| post(&books, &entered(entries, account)).unwrap_err();
        assert_eq!(reason(&cancels, Some("7100")).extras().len(), 1);
        assert_eq!(reason(&[(1, 1)], None).message(), "account_id: is required: boxes 1, 2 and 4 do not cancel");
        for code in ["1100", "1200", "2100", "2200"] {
            assert_eq!(reason(&[(1, 1)], Some(code)).reason(), "wrong_account_type", "{code}");
        }
        assert_eq!(reason(&[(1, 1)], Some("9998")).reason(), "unknown_reference");
        let largest = Pence::MAX.0;
        assert_eq!(reason(&[(1, largest), (2, 1)], Some("7100")).reason(), "invalid_field");
    }

    #[test]
    fn the_account_bears_what_vat_control_owes() {
        let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
        let books = books(&chart, &vat);
        let sides = |entries: &[(i64, i64)]| {
            let (_, journal) = post(&books, &entered(entries, Some("7100"))).unwrap().unwrap();
            journal.lines.iter().map(|line| line.amount.0).collect::<Vec<_>>()
        };
        assert_eq!(sides(&[(1, 3_400)]), [3_400, -3_400]);
        assert_eq!(sides(&[(4, 2_000)]), [-2_000, 2_000]);
    }

    #[test]
    fn a_void_is_dated_like_any_and_once() {
        let day = Date::numbered(20_000);
        let posted = |asked, lock| void(day, JournalStatus::Posted, None, asked, lock);
        assert_eq!(posted(None, None), Ok((day, None)));
        assert_eq!(posted(None, Some(day)).unwrap_err().reason(), "period_locked");
        assert_eq!(posted(Some(day + 1), Some(day)), Ok((day + 1, None)));
        assert_eq!(posted(Some(day - 1), None).unwrap_err().reason(), "invalid_field");
        assert_eq!(void(day, JournalStatus::Void, None, None, None).unwrap_err().reason(), "invalid_state");
        let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
        let books = books(&chart, &vat);
        let (_, journal) = post(&books, &entered(&[(1, 3_400)], Some("7100"))).unwrap().unwrap();
        let posted = PostedJournal { id: JournalId(3), number: 3, status: JournalStatus::Posted, journal };
        let (date, reversal) = void(day, JournalStatus::Posted, Some(&posted), Some(day + 9), None).unwrap();
        assert_eq!((date, reversal.unwrap().reverses), (day + 9, Some(JournalId(3))));
    }
}
