//! The kinds of records that post journals.

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
}

impl SourceType {
    /// Every source.
    pub const ALL: [Self; 15] = [
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
        }
    }

    /// Whether an invoice, credit note or settlement says when its debt is due, rather than the day of the journal.
    pub const fn is_documented(self) -> bool {
        !matches!(
            self,
            Self::Manual
                | Self::BankTransaction
                | Self::BankTransfer
                | Self::WriteOff
                | Self::Reversal
                | Self::YearEndClose
        )
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}
