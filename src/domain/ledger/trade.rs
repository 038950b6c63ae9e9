//! What was sold to a customer or bought from a supplier, as the reports about them count it: by the lines of invoices and
//! credit notes, with the amounts that their journals posted.

use super::document::DocumentKind;
use super::money::Pence;
use super::vat::Side;
use crate::domain::date::{Date, Month};
use crate::domain::ids::ContactId;
use crate::domain::ledger::chart::AccountType;

/// What the lines of a document on one account come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TradeLine {
    /// The type of the account.
    pub account_type: AccountType,
    /// What the journal posted to the account, debits less credits.
    pub posted: Pence,
    /// Net and VAT of the lines, as the document has them.
    pub gross: Pence,
}

/// What a document adds to the sales of a customer, or to the purchases from a supplier, on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TradeMovement {
    /// Which document.
    pub kind: DocumentKind,
    /// With whom.
    pub contact_id: ContactId,
    /// The day.
    pub date: Date,
    /// The figures.
    pub figures: TradeFigures,
}

/// The figures of sales or purchases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TradeFigures {
    /// How many invoices.
    pub invoices: i64,
    /// How many credit notes.
    pub credit_notes: i64,
    /// Without VAT, but for VAT that stays inside the amount: of sales the lines on income accounts, of purchases every line.
    pub net: Pence,
    /// The VAT of the same lines, as far as it was separated.
    pub vat: Pence,
    /// The part of `net` of purchases on asset accounts.
    pub capital_net: Pence,
    /// Of sales, the net on other accounts than income; of purchases, the part of `net` on neither expense nor asset accounts.
    pub other_net: Pence,
}

impl TradeFigures {
    /// Those of an invoice or credit note.
    pub fn of(kind: DocumentKind, lines: impl IntoIterator<Item = TradeLine>) -> Self {
        let is_credit = kind.is_credit_note();
        let mut figures =
            Self { invoices: i64::from(!is_credit), credit_notes: i64::from(is_credit), ..Self::default() };
        for line in lines {
            let gross = if is_credit { -line.gross } else { line.gross };
            let (net, is_counted) = match kind.side() {
                Side::Output => (-line.posted, line.account_type == AccountType::Revenue),
                Side::Input => (line.posted, true),
            };
            if is_counted {
                figures.net += net;
                figures.vat += gross - net;
            }
            match (kind.side(), line.account_type) {
                (Side::Output, AccountType::Revenue) | (Side::Input, AccountType::Expense) => {}
                (Side::Input, AccountType::Asset) => figures.capital_net += net,
                _ => figures.other_net += net,
            }
        }
        figures
    }

    /// What takes them back.
    #[must_use]
    pub fn taken_back(self) -> Self {
        Self {
            invoices: -self.invoices,
            credit_notes: -self.credit_notes,
            net: -self.net,
            vat: -self.vat,
            capital_net: -self.capital_net,
            other_net: -self.other_net,
        }
    }

    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.invoices += other.invoices;
        self.credit_notes += other.credit_notes;
        self.net += other.net;
        self.vat += other.vat;
        self.capital_net += other.capital_net;
        self.other_net += other.other_net;
    }
}

/// The kind of stretch of time that sales and purchases are kept for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the words say it")]
pub enum Span {
    Day,
    Month,
    Quarter,
}

impl Span {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Day, Self::Month, Self::Quarter];

    /// The word kept.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
            Self::Quarter => "quarter",
        }
    }

    /// The number of the day, month or calendar quarter that a date is in.
    pub fn number(self, date: Date) -> i64 {
        match self {
            Self::Day => i64::from(date),
            Self::Month => Month::of(date).0,
            Self::Quarter => Month::of(date).0.div_euclid(3),
        }
    }

    /// The first and the last number of the stretches that make up the days from one to another: whole quarters, the whole
    /// months beside these, and the days beside those.
    pub fn covering(first: Date, last: Date) -> Vec<(Self, i64, i64)> {
        let mut covering = Vec::new();
        let mut add = |span: Self, from: i64, to: i64| {
            if from <= to {
                covering.push((span, from, to));
            }
        };
        // From the first whole month to the one after the last, and the quarters between likewise.
        let first_month = Month::of(first - 1).0 + 1;
        let end_month = Month::of(last + 1).0;
        if first_month >= end_month {
            // No whole month: the days of at most two.
            add(Self::Day, i64::from(first), i64::from(last));
            return covering;
        }
        add(Self::Day, i64::from(first), i64::from(Month(first_month).first_day()) - 1);
        add(Self::Day, i64::from(Month(end_month).first_day()), i64::from(last));
        let first_quarter = first_month.div_euclid(3) + i64::from(first_month.rem_euclid(3) != 0);
        let end_quarter = end_month.div_euclid(3);
        if first_quarter >= end_quarter {
            add(Self::Month, first_month, end_month - 1);
        } else {
            add(Self::Month, first_month, first_quarter * 3 - 1);
            add(Self::Quarter, first_quarter, end_quarter - 1);
            add(Self::Month, end_quarter * 3, end_month - 1);
        }
        covering
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(account_type: AccountType, posted: i64, gross: i64) -> TradeLine {
        TradeLine { account_type, posted: Pence(posted), gross: Pence(gross) }
    }

    #[test]
    fn sales_count_income_and_purchases_count_everything() {
        let sold = [line(AccountType::Revenue, -100, 120), line(AccountType::Liability, -50, 50)];
        let sold = TradeFigures::of(DocumentKind::SalesInvoice, sold);
        assert_eq!((sold.net, sold.vat, sold.other_net), (Pence(100), Pence(20), Pence(50)));
        let credited = TradeFigures::of(DocumentKind::SalesCreditNote, [line(AccountType::Revenue, 100, 120)]);
        assert_eq!((credited.net, credited.vat, credited.credit_notes), (Pence(-100), Pence(-20), 1));
        let bought =
            [line(AccountType::Expense, 120, 120), line(AccountType::Asset, 10, 12), line(AccountType::Equity, 5, 5)];
        let bought = TradeFigures::of(DocumentKind::PurchaseInvoice, bought);
        assert_eq!((bought.net, bought.vat), (Pence(135), Pence(2)), "irrecoverable VAT is inside");
        assert_eq!((bought.capital_net, bought.other_net), (Pence(10), Pence(5)));
        let mut sum = bought;
        sum.add(&bought.taken_back());
        assert_eq!(sum, TradeFigures::default());
    }

    proptest! {
        #[test]
        fn stretches_cover_every_day_once(first in -25_567..84_005_i32, length in prop_oneof![0..70_i32, 0..4_000]) {
            let (first, last) = (Date::numbered(first), Date::numbered(first) + length);
            let covering = Span::covering(first, last);
            prop_assert!(covering.len() <= 5);
            let mut date = first - 40;
            while date <= last + 400 {
                let held = covering.iter().filter(|(span, from, to)| (*from..=*to).contains(&span.number(date))).count();
                prop_assert_eq!(held, usize::from(first <= date && date <= last), "{} in {:?}", date, covering);
                date = date + 1;
            }
        }
    }
}
