//! What the history of the books says of a change: which resource, what was done to it, and the fields of the record as
//! answers print them.

use crate::domain::date::Date;
use crate::domain::ledger::money::{Pence, Percent};

/// Longer texts of a record are truncated in its history.
const TEXT_CHARS_MAX: usize = 200;

/// Some fields of a record by name, each as the JSON of an answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct AuditFields(Vec<(&'static str, String)>);

/// The JSON of a field without a value.
const NULL: &str = "null";

impl AuditFields {
    /// No fields yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a field.
    fn with(mut self, name: &'static str, json: String) -> Self {
        self.0.push((name, json));
        self
    }

    /// Adds a text.
    pub(crate) fn text<'t>(self, name: &'static str, text: impl Into<Option<&'t str>>) -> Self {
        // Text always prints.
        let json = text.into().map(|text| serde_json::to_string(truncated(text, TEXT_CHARS_MAX)).unwrap_or_default());
        self.with(name, json.unwrap_or_else(|| NULL.to_owned()))
    }

    /// Adds a number.
    pub(crate) fn number(self, name: &'static str, number: impl Into<Option<i64>>) -> Self {
        self.with(name, number.into().map_or_else(|| NULL.to_owned(), |number| number.to_string()))
    }

    /// Adds a percentage, given in hundredths of a percent.
    pub(crate) fn percent(self, name: &'static str, hundredths: Option<i64>) -> Self {
        self.with(name, hundredths.map_or_else(|| NULL.to_owned(), |rate| Percent(rate).to_string()))
    }

    /// Adds an amount of money.
    pub(crate) fn money(self, name: &'static str, pence: i64) -> Self {
        self.with(name, Pence(pence).to_string())
    }

    /// Adds a date.
    pub(crate) fn date(self, name: &'static str, date: impl Into<Option<Date>>) -> Self {
        let text = date.into().map(|date| date.to_string());
        self.text(name, text.as_deref())
    }

    /// Adds a truth value.
    pub(crate) fn flag(self, name: &'static str, flag: bool) -> Self {
        self.with(name, flag.to_string())
    }

    /// A JSON object of the fields that pass.
    fn to_json(&self, passes: impl Fn(&(&'static str, String)) -> bool) -> String {
        let mut json = String::from("{");
        for field in self.0.iter().filter(|field| passes(field)) {
            if json.len() > 1 {
                json.push(',');
            }
            json.push('"');
            json.push_str(field.0);
            json.push_str("\":");
            json.push_str(&field.1);
        }
        json.push('}');
        json
    }
}

/// The record before and after a change as JSON: of a created or deleted record the fields with a value, of a changed
/// record the fields that differ.
pub(crate) fn audit_json(
    before: Option<&AuditFields>,
    after: Option<&AuditFields>,
) -> (Option<String>, Option<String>) {
    let with_value = |audit_fields: &AuditFields| audit_fields.to_json(|(_, json)| json != NULL);
    match (before, after) {
        (Some(before), Some(after)) => (
            Some(before.to_json(|field| !after.0.contains(field))),
            Some(after.to_json(|field| !before.0.contains(field))),
        ),
        (before, after) => (before.map(with_value), after.map(with_value)),
    }
}

/// The first characters of a text.
pub(crate) fn truncated(text: &str, chars_max: usize) -> &str {
    text.char_indices().nth(chars_max).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its word.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// Finds one by its word.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == word)
            }
        }
    };
}

words! {
    /// What was changed.
    Resource {
        /// The organisation's own record, its period lock included.
        Organisation = "organisation",
        /// An account of the chart.
        Account = "account",
        /// A customer.
        Customer = "customer",
        /// A supplier.
        Supplier = "supplier",
        /// A bank account.
        BankAccount = "bank_account",
        /// A line of a bank statement.
        BankTransaction = "bank_transaction",
        /// Lines of a statement entered together.
        BankImport = "bank_import",
        /// A journal, whatever posted it.
        Journal = "journal",
        /// A sales invoice.
        SalesInvoice = "sales_invoice",
        /// A credit note to a customer.
        SalesCreditNote = "sales_credit_note",
        /// A supplier's invoice.
        PurchaseInvoice = "purchase_invoice",
        /// A supplier's credit note.
        PurchaseCreditNote = "purchase_credit_note",
        /// Money from or back to a customer.
        CustomerReceipt = "customer_receipt",
        /// Money to or back from a supplier.
        SupplierPayment = "supplier_payment",
        /// A bulk import.
        Import = "import",
        /// An adjustment of the VAT return.
        VatAdjustment = "vat_adjustment",
        /// A recorded VAT return.
        VatReturn = "vat_return",
        /// A debt of a customer written off.
        WriteOff = "write_off",
        /// An e-mail of a document.
        Email = "email",
    }
}

words! {
    /// How it was changed.
    ChangeAction {
        /// Made.
        Create = "create",
        /// Some of it said anew.
        Update = "update",
        /// Removed.
        Delete = "delete",
        /// Put away.
        Archive = "archive",
        /// Taken back into use.
        Unarchive = "unarchive",
        /// Made out of a draft.
        Issue = "issue",
        /// Taken back by a reversal.
        Void = "void",
        /// Set against documents.
        Allocate = "allocate",
        /// No longer set against them.
        Unallocate = "unallocate",
        /// Brought into the books.
        Confirm = "confirm",
        /// Taken out of the books.
        Unconfirm = "unconfirm",
        /// Found to belong to a line that came later.
        Link = "link",
        /// Kept out of the books.
        Exclude = "exclude",
        /// No longer kept out.
        Restore = "restore",
        /// Given what the coding engine suggests.
        Suggest = "suggest",
        /// The period lock moved.
        Lock = "lock",
        /// Opening balances set.
        OpeningBalances = "opening_balances",
        /// Queued to be sent by e-mail.
        Email = "email",
        /// An e-mail queued once more.
        Resend = "resend",
        /// An e-mail taken out of the queue.
        Cancel = "cancel",
    }
}

impl ChangeAction {
    /// What was done, as a summary says it: `archived`.
    pub const fn done(self) -> &'static str {
        match self {
            Self::Create => "made",
            Self::Update => "changed",
            Self::Delete => "deleted",
            Self::Archive => "archived",
            Self::Unarchive => "taken back into use",
            Self::Issue => "issued",
            Self::Void => "voided",
            Self::Allocate => "allocated",
            Self::Unallocate => "no longer allocated",
            Self::Confirm => "confirmed",
            Self::Unconfirm => "taken out of the books",
            Self::Link => "linked",
            Self::Exclude => "excluded",
            Self::Restore => "restored",
            Self::Suggest => "given a suggestion",
            Self::Lock => "locked",
            Self::OpeningBalances => "given opening balances",
            Self::Email => "e-mailed",
            Self::Resend => "queued again",
            Self::Cancel => "cancelled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_record_is_shown_by_its_differences() {
        let fields =
            |name: &str, code: Option<&str>| AuditFields::new().text("name", name).text("code", code).money("due", 50);
        let (before, after) = audit_json(Some(&fields("Ann", None)), Some(&fields("Anna", Some("\"7\""))));
        assert_eq!(before.as_deref(), Some(r#"{"name":"Ann","code":null}"#));
        assert_eq!(after.as_deref(), Some(r#"{"name":"Anna","code":"\"7\""}"#));
        let (before, after) = audit_json(None, Some(&fields("Ann", None)));
        assert_eq!((before, after.as_deref()), (None, Some(r#"{"name":"Ann","due":0.50}"#)));
    }

    #[test]
    fn long_texts_are_truncated() {
        let long = "ä".repeat(500);
        let printed = AuditFields::new().text("notes", long.as_str()).to_json(|_| true);
        assert_eq!(printed.chars().filter(|character| *character == 'ä').count(), TEXT_CHARS_MAX);
    }
}

#[cfg(test)]
mod change_tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for resource in Resource::ALL {
            assert_eq!(Resource::parse(resource.as_str()), Some(*resource));
        }
        for action in ChangeAction::ALL {
            assert_eq!(ChangeAction::parse(action.as_str()), Some(*action));
        }
        assert_eq!(Resource::parse("invoice"), None);
    }
}
