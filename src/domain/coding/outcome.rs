//! What the engine answers.

use std::borrow::Cow;

/// A VAT code of the universal set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Vat {
    /// No VAT, outside the scope.
    NoVat,
    /// Standard rate.
    Standard,
    /// Reduced rate.
    Reduced,
    /// Exempt.
    Exempt,
    /// Zero rate.
    Zero,
}

impl Vat {
    /// Every code.
    pub const ALL: [Self; 5] = [Self::NoVat, Self::Standard, Self::Reduced, Self::Exempt, Self::Zero];

    /// The wire form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoVat => "NV",
            Self::Standard => "ST",
            Self::Reduced => "RR",
            Self::Exempt => "EX",
            Self::Zero => "ZR",
        }
    }

    /// Reads the wire form, in any case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|vat| text.eq_ignore_ascii_case(vat.as_str()))
    }

    /// The United Kingdom's rate in percent.
    pub const fn percent(self) -> u8 {
        match self {
            Self::Standard => 20,
            Self::Reduced => 5,
            Self::NoVat | Self::Exempt | Self::Zero => 0,
        }
    }
}

/// How a line was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// It settles open invoices of the list.
    InvoiceSettlement,
    /// It moves money between the caller's own accounts.
    Transfer,
    /// The caller's own past says where the payee, or payees like it, go.
    History,
    /// Tax, payroll, bank or owners: words that mean the same for everybody.
    UniversalPattern,
    /// A known payee, or words of a trade.
    Merchant,
    /// A rare word of the caller's account name occurs in the line.
    AccountName,
    /// Money back from whom it went to, or to whom it came from.
    Refund,
    /// The same payee elsewhere in the batch decided.
    BatchConsistency,
    /// Similar in meaning.
    Semantic,
    /// Nothing was known.
    Fallback,
}

impl Method {
    /// Every method, in the order of the stages.
    pub const ALL: [Self; 10] = [
        Self::InvoiceSettlement,
        Self::Transfer,
        Self::History,
        Self::UniversalPattern,
        Self::Merchant,
        Self::AccountName,
        Self::Refund,
        Self::BatchConsistency,
        Self::Semantic,
        Self::Fallback,
    ];

    /// The wire form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvoiceSettlement => "invoice_settlement",
            Self::Transfer => "transfer",
            Self::History => "history",
            Self::UniversalPattern => "universal_pattern",
            Self::Merchant => "merchant",
            Self::AccountName => "account_name",
            Self::Refund => "refund",
            Self::BatchConsistency => "batch_consistency",
            Self::Semantic => "semantic",
            Self::Fallback => "fallback",
        }
    }
}

/// What a confidence rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// Documents, own accounts and what the words of the line say.
    Line,
    /// What the words of the line say, in a list of purchases without a past: it is coded by what each was for, which a payee
    /// does not tell.
    Purchases,
    /// The past of the same payee.
    Payee,
    /// The past of other payees.
    OtherPayees,
}

/// How a payment relates to what it settles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SettledKind {
    /// The open amount.
    Exact,
    /// One of several that add up to the payment.
    Sum,
    /// A part of it.
    Part,
    /// Less tax deducted by a contractor under the Construction Industry Scheme.
    CisDeduction,
    /// Less a bank's or processor's fee.
    FeeDeducted,
}

impl SettledKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Exact, Self::Sum, Self::Part, Self::CisDeduction, Self::FeeDeducted];

    /// The wire form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Sum => "sum",
            Self::Part => "part",
            Self::CisDeduction => "cis_deduction",
            Self::FeeDeducted => "fee_deducted",
        }
    }
}

/// An open item that a line settles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// Index in the submitted list.
    pub invoice: usize,
    /// How much of the open amount is settled, in the units of [`crate::domain::amount`]; above zero.
    pub amount: i128,
    /// How.
    pub kind: SettledKind,
}

/// Another account that was considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// Index in the submitted chart.
    pub account: usize,
    /// Thousandths.
    pub confidence: u16,
}

/// The answer for one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodedRow {
    /// Index of the account in the submitted chart.
    pub account: usize,
    /// The VAT code.
    pub vat: Vat,
    /// Percent, in the units of [`crate::domain::amount`]; the caller's rate where there is one.
    pub vat_rate: i128,
    /// The VAT inside the amount, whole pence with the sign of the amount, in the units of [`crate::domain::amount`].
    pub vat_amount: i128,
    /// The chance that account and VAT code are both right, in thousandths.
    pub confidence: u16,
    /// What the confidence rests on.
    pub basis: Basis,
    /// How it was decided.
    pub method: Method,
    /// One sentence why.
    pub reason: Cow<'static, str>,
    /// Up to three other accounts, best first.
    pub alternatives: Vec<Alternative>,
    /// What it settles, when it settles something.
    pub settles: Vec<Settled>,
    /// Index of the line that is the other side of a transfer.
    pub transfer_pair: Option<usize>,
}

impl CodedRow {
    /// A line about which nothing is known.
    pub fn fallback(account: usize, reason: Cow<'static, str>) -> Self {
        Self {
            account,
            vat: Vat::NoVat,
            vat_rate: 0,
            vat_amount: 0,
            confidence: 50,
            basis: Basis::Line,
            method: Method::Fallback,
            reason,
            alternatives: Vec::new(),
            settles: Vec::new(),
            transfer_pair: None,
        }
    }
}

/// What the caller should know about the whole batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Warning {
    /// No `invoices`: payments of invoices were coded as plain income and expense.
    NoInvoicesSupplied,
    /// No line says which bank account it is from: transfers could not be paired.
    BankAccountMissing,
    /// Some lines do not say which bank account they are from.
    BankAccountIncomplete,
    /// Invoices were given and the chart has no account for trade debtors.
    ChartLacksReceivables,
    /// Bills were given and the chart has no account for trade creditors.
    ChartLacksPayables,
    /// The context names a VAT scheme whose effect on single lines cannot be known.
    VatSchemeNotApplied,
    /// The VAT code that belongs to some lines is not among those allowed.
    VatCodeNotAllowed,
    /// Some account has no account of its type in the chart: lines had to go elsewhere.
    ChartTooSmall,
    /// Lines of the past name accounts that the chart does not have.
    HistoryAccountUnknown,
    /// Lines of the past name VAT codes that are not among the caller's.
    HistoryVatCodeUnknown,
}

impl Warning {
    /// Every warning.
    pub const ALL: [Self; 10] = [
        Self::NoInvoicesSupplied,
        Self::BankAccountMissing,
        Self::BankAccountIncomplete,
        Self::ChartLacksReceivables,
        Self::ChartLacksPayables,
        Self::VatSchemeNotApplied,
        Self::VatCodeNotAllowed,
        Self::ChartTooSmall,
        Self::HistoryAccountUnknown,
        Self::HistoryVatCodeUnknown,
    ];

    /// The wire form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoInvoicesSupplied => "no_invoices_supplied",
            Self::BankAccountMissing => "bank_account_missing",
            Self::BankAccountIncomplete => "bank_account_incomplete",
            Self::ChartLacksReceivables => "chart_lacks_receivables",
            Self::ChartLacksPayables => "chart_lacks_payables",
            Self::VatSchemeNotApplied => "vat_scheme_not_applied",
            Self::VatCodeNotAllowed => "vat_code_not_allowed",
            Self::ChartTooSmall => "chart_too_small",
            Self::HistoryAccountUnknown => "history_account_unknown",
            Self::HistoryVatCodeUnknown => "history_vat_code_unknown",
        }
    }
}

/// What was made of the caller's past.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HistorySummary {
    /// Lines of it that were submitted.
    pub rows: usize,
    /// Payees of the past that the batch has lines of.
    pub payees_matched: usize,
    /// Lines left out because the chart does not have their account.
    pub unknown_accounts: usize,
    /// Lines of which the VAT code, not being among the caller's, was left out.
    pub unknown_vat_codes: usize,
}

/// The answer for a whole batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What was made of the past; none when none was submitted.
    pub history: Option<HistorySummary>,
    /// One row per transaction, in submitted order.
    pub rows: Vec<CodedRow>,
    /// In ascending order, each once.
    pub warnings: Vec<Warning>,
}

impl Outcome {
    /// Lines that were not left to the fallback.
    pub fn coded_count(&self) -> usize {
        self.rows.iter().filter(|row| row.method != Method::Fallback).count()
    }

    /// How many lines each method decided; methods that decided none are left out.
    pub fn by_method(&self) -> impl Iterator<Item = (Method, usize)> {
        Method::ALL.into_iter().filter_map(|method| {
            let count = self.rows.iter().filter(|row| row.method == method).count();
            (count > 0).then_some((method, count))
        })
    }
}
