//! Why the books refuse a command: the closed list of reasons, each with the values that explain it.

use std::borrow::Cow;

use super::money::Pence;
use crate::domain::date::Date;
use crate::domain::ids::{AccountId, AllocationId, ContactId};
use crate::domain::ledger::chart::Account;
use crate::domain::ledger::journal::SourceType;

/// What a refusal is, to the caller of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalClass {
    /// 409 `conflict`: it clashes with the state of things.
    Conflict,
    /// 422 `unprocessable_entity`: it is well formed and wrong.
    Unprocessable,
    /// 422 `invalid_request_format`: a field is not what it may be; answered as an issue, not as a reason.
    Field,
}

/// A value that explains a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DetailValue {
    /// Nothing: the key is there all the same.
    Null,
    /// An identifier.
    Id(i64),
    /// Several identifiers.
    Ids(Vec<i64>),
    /// A word or a path.
    Text(String),
    /// Several words.
    Texts(Vec<&'static str>),
    /// An amount.
    Money(Pence),
    /// A date.
    Date(Date),
    /// A zero-based index into the lines.
    Row(usize),
}

/// Which posting wanted the VAT Control account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VatPosting {
    /// Confirming a bank transaction.
    BankTransaction,
    /// Issuing an invoice.
    Invoice,
    /// Issuing a credit note.
    CreditNote,
    /// Posting a journal.
    Journal,
    /// Posting an adjustment of the VAT return.
    Adjustment,
    /// Writing off a debt whose VAT is declared when it is paid.
    WriteOff,
}

/// Why a command is refused. Nothing has been written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are named as the keys of `details` they become")]
pub enum Refusal {
    /// The code of an account is taken.
    DuplicateCode { field: &'static str, existing_id: AccountId },
    /// The number of a document is taken.
    DuplicateNumber { field: Cow<'static, str>, existing_id: i64 },
    /// Only one account may have the role, and one has it.
    DuplicateRole { field: &'static str, existing_id: AccountId },
    /// The caller's own identifier is taken.
    DuplicateExternalId { field: Cow<'static, str>, existing_id: Option<i64> },
    /// The record is in a state in which this cannot be done.
    InvalidState { current: &'static str, allowed: &'static [&'static str] },
    /// The document is settled in part or in full.
    HasAllocations { allocation_ids: Vec<AllocationId> },
    /// The journal belongs to a document, which has to be undone instead.
    LinkedToDocument { source_type: SourceType, source_id: Option<i64> },
    /// The record has changed since the caller read it.
    StaleVersion,
    /// The books have changed since the line was given its suggestion: what it says holds no longer.
    StaleSuggestion,
    /// The first request with this key is still running.
    IdempotencyInProgress,
    /// The opening balances have been set.
    AlreadySet,
    /// The token has been used.
    TokenUsed,
    /// VAT is posted from the first day of the scheme on, by this journal first.
    VatAlreadyPosted { date: Date, journal_id: i64 },
    /// A return of some day of the VAT period is recorded.
    PeriodRecorded { existing_id: i64 },
    /// The date is in a locked period.
    PeriodLocked { lock_date: Date, date: Date, earliest_date: Date },
    /// VAT cannot be posted without a VAT Control account.
    VatControlRequired { posting: VatPosting },
    /// Debits and credits differ.
    Unbalanced { total_debit: Pence, total_credit: Pence },
    /// A journal has at least two lines.
    TooFewLines,
    /// A line has both sides or neither.
    OneSidedLine { row: usize },
    /// An id in the body is not one of this organisation.
    UnknownReference { field: String, id: i64 },
    /// A code in the body is not that of an account of this organisation.
    UnknownAccountCode { field: String, code: String },
    /// The account is archived.
    AccountArchived { field: String, id: AccountId },
    /// The customer or supplier is archived.
    ContactArchived { field: String, id: ContactId },
    /// The bank account is archived.
    BankAccountArchived { field: String, id: i64 },
    /// The account is of a type that cannot be used here.
    WrongAccountType { field: String, id: Option<AccountId> },
    /// More is allocated than there is.
    OverAllocated { available: Pence, requested: Pence },
    /// Two amounts that have to agree differ.
    AmountMismatch { expected: Pence, actual: Pence },
    /// The document is another contact's.
    ContactMismatch { field: String, id: i64 },
    /// The record is of another bank account.
    BankAccountMismatch { field: String, id: i64 },
    /// The VAT given is too far from the VAT computed.
    VatAmountOutOfTolerance { field: String, expected: Pence, actual: Pence },
    /// The total of the document is below nothing.
    NegativeTotal { total: Pence },
    /// Only pounds sterling.
    CurrencyNotSupported { currency: String },
    /// The key was used with another body.
    IdempotencyKeyReused,
    /// There is no address to send to.
    NoRecipient,
    /// The token is too old.
    TokenExpired,
    /// No line waits for a suggestion.
    NothingToSuggest,
    /// Another refusal said better: in other words, or with the field and the record it is about.
    WithMessage { refusal: Box<Self>, message: String, about: Option<(String, i64)> },
    /// A field is not what it may be beside the others or beside the facts.
    Field { field: String, message: Cow<'static, str> },
}

impl Refusal {
    /// Every `details.reason` of a 409, a closed list.
    pub const CONFLICT_REASONS: [&'static str; 15] = [
        "duplicate_code",
        "duplicate_number",
        "duplicate_role",
        "duplicate_external_id",
        "invalid_state",
        "has_allocations",
        "linked_to_document",
        "stale_version",
        "stale_suggestion",
        "idempotency_in_progress",
        "already_set",
        "token_used",
        "vat_already_posted",
        "period_recorded",
        "limit_reached",
    ];

    /// Every `details.reason` of a 422 `unprocessable_entity`, a closed list.
    pub const UNPROCESSABLE_REASONS: [&'static str; 21] = [
        "period_locked",
        "vat_control_required",
        "unbalanced",
        "too_few_lines",
        "one_sided_line",
        "unknown_reference",
        "account_archived",
        "contact_archived",
        "bank_account_archived",
        "wrong_account_type",
        "over_allocated",
        "amount_mismatch",
        "contact_mismatch",
        "bank_account_mismatch",
        "vat_amount_out_of_tolerance",
        "negative_total",
        "currency_not_supported",
        "idempotency_key_reused",
        "no_recipient",
        "token_expired",
        "nothing_to_suggest",
    ];

    /// A refusal of one field.
    pub fn field(field: impl Into<String>, message: impl Into<Cow<'static, str>>) -> Self {
        Self::Field { field: field.into(), message: message.into() }
    }

    /// An account that cannot be used here: which it is, and what could be.
    pub fn wrong_account(field: String, account: &Account, allowed: &str) -> Self {
        let role = account.role.as_ref().map_or_else(String::new, |role| format!(" with the role {}", role.as_str()));
        let message = format!(
            "{field}: account {} ({}) is of type {}{role}; {allowed}",
            account.code,
            account.name,
            account.account_type.as_str()
        );
        Self::WrongAccountType { field, id: Some(account.id) }.with_message(message)
    }

    /// The same in other words.
    #[must_use]
    pub fn with_message(self, message: impl Into<String>) -> Self {
        match self {
            Self::Field { .. } => self,
            Self::WithMessage { refusal, about, .. } => Self::WithMessage { refusal, message: message.into(), about },
            _ => Self::WithMessage { refusal: Box::new(self), message: message.into(), about: None },
        }
    }

    /// The same about a field and the record it names.
    #[must_use]
    pub fn about(self, field: impl Into<String>, id: i64) -> Self {
        let field = field.into();
        let message = format!("{field} {id}: {}", self.message());
        match self {
            Self::Field { .. } | Self::WithMessage { about: Some(_), .. } => self,
            Self::WithMessage { refusal, .. } => Self::WithMessage { refusal, message, about: Some((field, id)) },
            _ => Self::WithMessage { refusal: Box::new(self), message, about: Some((field, id)) },
        }
    }

    /// How it is answered.
    pub fn class(&self) -> RefusalClass {
        match self {
            Self::DuplicateCode { .. }
            | Self::DuplicateNumber { .. }
            | Self::DuplicateRole { .. }
            | Self::DuplicateExternalId { .. }
            | Self::InvalidState { .. }
            | Self::HasAllocations { .. }
            | Self::LinkedToDocument { .. }
            | Self::StaleVersion
            | Self::StaleSuggestion
            | Self::IdempotencyInProgress
            | Self::AlreadySet
            | Self::TokenUsed
            | Self::PeriodRecorded { .. }
            | Self::VatAlreadyPosted { .. } => RefusalClass::Conflict,
            Self::Field { .. } => RefusalClass::Field,
            Self::WithMessage { refusal, .. } => refusal.class(),
            _ => RefusalClass::Unprocessable,
        }
    }

    /// `details.reason`.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::DuplicateCode { .. } => "duplicate_code",
            Self::DuplicateNumber { .. } => "duplicate_number",
            Self::DuplicateRole { .. } => "duplicate_role",
            Self::DuplicateExternalId { .. } => "duplicate_external_id",
            Self::InvalidState { .. } => "invalid_state",
            Self::HasAllocations { .. } => "has_allocations",
            Self::LinkedToDocument { .. } => "linked_to_document",
            Self::StaleVersion => "stale_version",
            Self::StaleSuggestion => "stale_suggestion",
            Self::IdempotencyInProgress => "idempotency_in_progress",
            Self::AlreadySet => "already_set",
            Self::TokenUsed => "token_used",
            Self::VatAlreadyPosted { .. } => "vat_already_posted",
            Self::PeriodRecorded { .. } => "period_recorded",
            Self::PeriodLocked { .. } => "period_locked",
            Self::VatControlRequired { .. } => "vat_control_required",
            Self::Unbalanced { .. } => "unbalanced",
            Self::TooFewLines => "too_few_lines",
            Self::OneSidedLine { .. } => "one_sided_line",
            Self::UnknownReference { .. } | Self::UnknownAccountCode { .. } => "unknown_reference",
            Self::AccountArchived { .. } => "account_archived",
            Self::ContactArchived { .. } => "contact_archived",
            Self::BankAccountArchived { .. } => "bank_account_archived",
            Self::WrongAccountType { .. } => "wrong_account_type",
            Self::OverAllocated { .. } => "over_allocated",
            Self::AmountMismatch { .. } => "amount_mismatch",
            Self::ContactMismatch { .. } => "contact_mismatch",
            Self::BankAccountMismatch { .. } => "bank_account_mismatch",
            Self::VatAmountOutOfTolerance { .. } => "vat_amount_out_of_tolerance",
            Self::NegativeTotal { .. } => "negative_total",
            Self::CurrencyNotSupported { .. } => "currency_not_supported",
            Self::IdempotencyKeyReused => "idempotency_key_reused",
            Self::NoRecipient => "no_recipient",
            Self::TokenExpired => "token_expired",
            Self::NothingToSuggest => "nothing_to_suggest",
            Self::WithMessage { refusal, .. } => refusal.reason(),
            Self::Field { .. } => "invalid_field",
        }
    }

    /// The other keys of `details`, in order.
    pub fn extras(&self) -> Vec<(&'static str, DetailValue)> {
        let text = |text: &str| DetailValue::Text(text.to_owned());
        // A record of the same request has only a provisional identifier, below 1, which nobody knows.
        let maybe = |id: Option<i64>| id.filter(|id| *id > 0).map_or(DetailValue::Null, DetailValue::Id);
        match self {
            Self::DuplicateCode { field, existing_id } | Self::DuplicateRole { field, existing_id } => {
                vec![("field", text(field)), ("existing_id", maybe(Some(existing_id.0)))]
            }
            Self::DuplicateNumber { field, existing_id } => {
                vec![("field", text(field)), ("existing_id", maybe(Some(*existing_id)))]
            }
            Self::DuplicateExternalId { field, existing_id } => {
                vec![("field", text(field)), ("existing_id", maybe(*existing_id))]
            }
            Self::InvalidState { current, allowed } => {
                vec![("current", text(current)), ("allowed", DetailValue::Texts(allowed.to_vec()))]
            }
            Self::HasAllocations { allocation_ids } => {
                vec![("allocation_ids", DetailValue::Ids(allocation_ids.iter().map(|id| id.0).collect()))]
            }
            Self::LinkedToDocument { source_type, source_id } => {
                vec![("source_type", text(source_type.as_str())), ("source_id", maybe(*source_id))]
            }
            Self::PeriodLocked { lock_date, date, earliest_date } => vec![
                ("lock_date", DetailValue::Date(*lock_date)),
                ("date", DetailValue::Date(*date)),
                ("earliest_date", DetailValue::Date(*earliest_date)),
            ],
            Self::VatAlreadyPosted { date, journal_id } => {
                vec![("date", DetailValue::Date(*date)), ("journal_id", maybe(Some(*journal_id)))]
            }
            Self::PeriodRecorded { existing_id } => vec![("existing_id", maybe(Some(*existing_id)))],
            Self::Unbalanced { total_debit, total_credit } => {
                vec![
                    ("total_debit", DetailValue::Money(*total_debit)),
                    ("total_credit", DetailValue::Money(*total_credit)),
                ]
            }
            Self::OneSidedLine { row } => vec![("row", DetailValue::Row(*row))],
            Self::AccountArchived { field, id } => vec![("field", text(field)), ("id", DetailValue::Id(id.0))],
            Self::ContactArchived { field, id } => vec![("field", text(field)), ("id", DetailValue::Id(id.0))],
            Self::UnknownReference { field, id }
            | Self::BankAccountArchived { field, id }
            | Self::ContactMismatch { field, id }
            | Self::BankAccountMismatch { field, id } => vec![("field", text(field)), ("id", DetailValue::Id(*id))],
            Self::UnknownAccountCode { field, code } => vec![("field", text(field)), ("code", text(code))],
            Self::WrongAccountType { field, id } => {
                vec![("field", text(field)), ("id", maybe(id.map(|id| id.0)))]
            }
            Self::OverAllocated { available, requested } => {
                vec![("available", DetailValue::Money(*available)), ("requested", DetailValue::Money(*requested))]
            }
            Self::AmountMismatch { expected, actual } => {
                vec![("expected", DetailValue::Money(*expected)), ("actual", DetailValue::Money(*actual))]
            }
            Self::VatAmountOutOfTolerance { field, expected, actual } => {
                vec![
                    ("field", text(field)),
                    ("expected", DetailValue::Money(*expected)),
                    ("actual", DetailValue::Money(*actual)),
                ]
            }
            Self::NegativeTotal { total } => vec![("total", DetailValue::Money(*total))],
            Self::CurrencyNotSupported { currency } => vec![("currency", text(currency))],
            Self::WithMessage { refusal, about, .. } => {
                let mut extras = refusal.extras();
                if let Some((field, id)) = about {
                    extras.extend([("field", text(field)), ("id", DetailValue::Id(*id))]);
                }
                extras
            }
            Self::Field { field, .. } => vec![("field", text(field))],
            _ => Vec::new(),
        }
    }

    /// What is wrong and what is allowed, for people.
    pub fn message(&self) -> String {
        match self {
            Self::DuplicateCode { .. } => "another account of this organisation has this code".to_owned(),
            Self::DuplicateNumber { field, .. } => format!("another document has this {field}"),
            Self::DuplicateRole { existing_id, .. } if existing_id.0 < 1 => {
                "only one account may have this role, and an earlier row has it".to_owned()
            }
            Self::DuplicateRole { existing_id, .. } => {
                format!("only one account may have this role, and account {existing_id} has it")
            }
            Self::DuplicateExternalId { field, existing_id } => duplicate_message(field, *existing_id),
            Self::InvalidState { current, allowed: [] } => format!("this cannot be done: the record is {current}"),
            Self::InvalidState { current, allowed } => {
                format!("the record is {current}; this can be done when it is {}", allowed.join(" or "))
            }
            Self::HasAllocations { .. } => "the document is settled in part or in full: unallocate first".to_owned(),
            Self::LinkedToDocument { source_type, .. } => {
                format!("this journal was made by a {}: undo that instead", source_type.as_str().replace('_', " "))
            }
            Self::StaleVersion => "the record has changed since it was read".to_owned(),
            Self::StaleSuggestion => {
                "the books have changed since the line was given its suggestion: ask for another one".to_owned()
            }
            Self::IdempotencyInProgress => "the first request with this Idempotency-Key is still running".to_owned(),
            Self::AlreadySet => "the opening balances have been set; void their journal to set them again".to_owned(),
            Self::TokenUsed => "this token has been used".to_owned(),
            Self::VatAlreadyPosted { date, .. } => {
                format!(
                    "VAT has been posted on {date} under the scheme of that day: begin after it, or void it on its own day"
                )
            }
            Self::PeriodRecorded { .. } => "the VAT return of this period is recorded".to_owned(),
            Self::PeriodLocked { lock_date, earliest_date, .. } => {
                format!("the books are locked up to {}; the earliest open date is {}", lock_date, earliest_date)
            }
            Self::VatControlRequired { posting } => {
                let before = match posting {
                    VatPosting::BankTransaction => "confirming VAT bank transactions",
                    VatPosting::Invoice => "issuing invoices with VAT",
                    VatPosting::CreditNote => "issuing credit notes with VAT",
                    VatPosting::Journal => "posting journals with VAT",
                    VatPosting::Adjustment => "posting VAT adjustments",
                    VatPosting::WriteOff => "writing off debts with VAT",
                };
                format!("a VAT Control account is required before {before}")
            }
            Self::Unbalanced { total_debit, total_credit } => {
                format!("total debits {total_debit} do not equal total credits {total_credit}")
            }
            Self::TooFewLines => "a journal has at least two lines".to_owned(),
            Self::OneSidedLine { row } => format!("line {row} needs exactly one of debit and credit"),
            Self::UnknownReference { field, id } => {
                let key = last_key(field).split('[').next().unwrap_or_default();
                let what = key.trim_end_matches("_ids").trim_end_matches("_id").replace('_', " ");
                format!("{field}: there is no {what} {id} in this organisation")
            }
            Self::UnknownAccountCode { field, code } => {
                format!("{field}: there is no account with the code {code} in this organisation")
            }
            Self::AccountArchived { field, id } => format!("{field}: account {id} is archived"),
            Self::ContactArchived { field, id } => format!("{field}: contact {id} is archived"),
            Self::BankAccountArchived { field, id } => format!("{field}: bank account {id} is archived"),
            Self::WrongAccountType { field, .. } => format!("{field}: an account of this type cannot be used here"),
            Self::OverAllocated { available, requested } => {
                format!("{requested} was to be allocated, {available} is available")
            }
            Self::AmountMismatch { expected, actual } => format!("the amount should be {expected}, not {actual}"),
            Self::ContactMismatch { field, id } => format!("{field}: {id} belongs to another contact"),
            Self::BankAccountMismatch { field, id } => format!("{field}: {id} belongs to another bank account"),
            Self::VatAmountOutOfTolerance { field, expected, actual } => {
                format!("{field}: {actual} is too far from the computed {expected}")
            }
            Self::NegativeTotal { total } => format!("the total is {total}: use a credit note"),
            Self::CurrencyNotSupported { currency } => format!("{currency} is not supported; use GBP"),
            Self::IdempotencyKeyReused => "this Idempotency-Key was used with another request".to_owned(),
            Self::NoRecipient => "there is no address to send to".to_owned(),
            Self::TokenExpired => "this token has expired; make a new preview".to_owned(),
            Self::NothingToSuggest => "no unconfirmed bank transaction fits".to_owned(),
            Self::WithMessage { message, .. } => message.clone(),
            Self::Field { field, message } => format!("{field}: {message}"),
        }
    }
}

/// What a record or row repeats; a provisional identifier, below 1, is that of an earlier row.
fn duplicate_message(field: &str, existing_id: Option<i64>) -> String {
    let existing_id = existing_id.filter(|id| *id > 0);
    if is_row(field) {
        let repeats = existing_id.map_or_else(|| "an earlier row".to_owned(), |id| format!("bank transaction {id}"));
        let before = if field.is_empty() { String::new() } else { format!("{field} ") };
        return format!("{before}repeats {repeats}: the same date, amount and description");
    }
    match existing_id {
        Some(id) => format!("another record, {id}, has this {}", last_key(field)),
        None => format!("an earlier row has this {}", last_key(field)),
    }
}

/// Whether a field is a whole row of an import.
fn is_row(field: &str) -> bool {
    field.is_empty() || field.ends_with(']')
}

/// The key at the end of a path.
fn last_key(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_says_how_it_is_answered_and_explains_itself() {
        let conflict = Refusal::InvalidState { current: "void", allowed: &["issued", "draft"] };
        assert_eq!((conflict.class(), conflict.reason()), (RefusalClass::Conflict, "invalid_state"));
        assert_eq!(conflict.message(), "the record is void; this can be done when it is issued or draft");
        assert_eq!(
            conflict.extras(),
            vec![
                ("current", DetailValue::Text("void".to_owned())),
                ("allowed", DetailValue::Texts(vec!["issued", "draft"]))
            ]
        );

        let locked = Refusal::PeriodLocked {
            lock_date: Date::numbered(20_208),
            date: Date::numbered(20_200),
            earliest_date: Date::numbered(20_209),
        };
        assert_eq!((locked.class(), locked.reason()), (RefusalClass::Unprocessable, "period_locked"));
        assert_eq!(locked.message(), "the books are locked up to 2025-04-30; the earliest open date is 2025-05-01");

        let field = Refusal::field("due_date", "must not be before invoice_date");
        assert_eq!(field.class(), RefusalClass::Field);
        assert_eq!(field.message(), "due_date: must not be before invoice_date");

        let vat = Refusal::VatControlRequired { posting: VatPosting::BankTransaction };
        assert_eq!(vat.message(), "a VAT Control account is required before confirming VAT bank transactions");
        assert!(vat.extras().is_empty());
    }
}
