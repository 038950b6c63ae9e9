//! What a bookkeeper knows of a business, and what the return of a period shows.

/// Money, in pence.
pub type Pence = i64;
/// Days since 1 January 1970.
pub type Day = i64;

/// Numbers of boxes and what is added to them.
pub type Boxes = Vec<(usize, Pence)>;

/// A scheme of accounting for VAT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    Standard,
    Cash,
    FlatRate { percent_hundredths: i64, turnover: Turnover },
}

/// What the turnover of the flat rate is made of: supplies (Notice 733, section 8) or receipts (section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turnover {
    Invoiced,
    Received,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    Standard,
    Reduced,
    Zero,
    Exempt,
    OutsideTheScope,
}

impl Code {
    /// Percent.
    pub const fn rate(self) -> i64 {
        match self {
            Self::Standard => 20,
            Self::Reduced => 5,
            Self::Zero | Self::Exempt | Self::OutsideTheScope => 0,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    SalesInvoice,
    SalesCreditNote,
    PurchaseInvoice,
    PurchaseCreditNote,
}

impl Kind {
    pub const fn is_sale(self) -> bool {
        matches!(self, Self::SalesInvoice | Self::SalesCreditNote)
    }

    pub const fn is_credit_note(self) -> bool {
        matches!(self, Self::SalesCreditNote | Self::PurchaseCreditNote)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReverseCharge {
    /// Construction services (VAT reverse charge technical guide).
    Domestic,
    /// Services from abroad (Notice 741A, section 5).
    ImportedServices,
}

#[derive(Debug, Clone, Copy)]
pub struct Line {
    pub fixed_asset: bool,
    pub code: Code,
    pub net: Pence,
    /// What is charged: nothing under a reverse charge.
    pub vat: Pence,
    pub reverse_charge: Option<ReverseCharge>,
    /// The sale of an asset whose input tax was reclaimed, outside the turnover of the flat rate (Notice 733, 15.9).
    pub outside_turnover: bool,
}

#[derive(Debug, Clone)]
pub struct Document {
    pub kind: Kind,
    pub date: Day,
    pub due: Option<Day>,
    pub lines: Vec<Line>,
    /// Hire purchase, or an invoice in advance of the supply (SI 1995/2518, regulation 58(2)).
    pub outside_cash_accounting: bool,
    /// The invoice a credit note is for.
    pub origin: Option<usize>,
    /// What was due of a document of the opening balances; its lines are its VAT, if it says so.
    pub opening: Option<Pence>,
}

/// A part of a coded bank line or a line of a journal.
#[derive(Debug, Clone, Copy)]
pub struct EnteredLine {
    pub account: Account,
    pub code: Code,
    /// VAT included; money in, or a credit, is positive.
    pub gross: Pence,
    /// With the sign of `gross`.
    pub vat: Pence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Account {
    Revenue,
    Expense,
    Asset,
    FixedAsset,
    /// Neither an output nor an input can stand here.
    Other,
}

/// Where an allocation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A receipt or payment to an invoice, or a refund to a credit note, CIS withheld or suffered included.
    Money,
    /// A credit note.
    Credit(usize),
    /// A bad debt: never a payment; relief for what was declared of it is an adjustment (Notice 700/18).
    WrittenOff,
}

/// What happened, as a bookkeeper would tell it. Documents, allocations, entries and adjustments have numbers of their own.
#[derive(Debug, Clone)]
pub enum Event {
    Registered { from: Day, scheme: Scheme },
    Issued { document: usize, is: Document },
    DocumentVoided { document: usize, on: Day },
    Allocated { allocation: usize, source: Source, to: usize, settled: Pence, on: Day },
    Released { allocation: usize, on: Day },
    Entered { entry: usize, on: Day, lines: Vec<EnteredLine> },
    EntryVoided { entry: usize, on: Day },
    Adjusted { adjustment: usize, on: Day, boxes: Boxes },
    AdjustmentVoided { adjustment: usize, on: Day },
}

/// What a period shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatReturn {
    /// Boxes 1 to 9 at their numbers.
    pub boxes: [Pence; 10],
    pub net: Pence,
    /// What counted as turnover of the flat rate.
    pub flat_rate: FlatRate,
    /// Boxes 6 to 9 in whole pounds.
    pub pounds: [i64; 4],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlatRate {
    /// When the flat rate is the scheme at the end of the period.
    pub percent_hundredths: Option<i64>,
    pub turnover: Pence,
    pub vat: Pence,
    pub surplus: Pence,
}
