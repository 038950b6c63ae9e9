//! What the history of the books speaks of: what was changed, and how.

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
        /// The period lock moved.
        Lock = "lock",
        /// Opening balances set.
        OpeningBalances = "opening_balances",
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
            Self::Lock => "locked",
            Self::OpeningBalances => "given opening balances",
        }
    }
}

#[cfg(test)]
mod tests {
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
