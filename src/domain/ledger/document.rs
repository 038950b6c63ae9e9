//! Invoices and credit notes, sales and purchase: what they are before and after they are issued, and how quantity, price
//! and discount of a line become net and VAT.

use std::borrow::Cow;

use crate::domain::date::Date;
use crate::domain::ids::{AccountId, ContactId};
use crate::domain::ledger::chart::{AccountReference, Books, Role};
use crate::domain::ledger::contact::{CisRate, Contact, ContactKind};
use crate::domain::ledger::journal::{LAST_DATE, SourceType};
use crate::domain::ledger::money::{Decimal4, Pence, Percent, divide_round};
use crate::domain::ledger::refusal::{Refusal, VatPosting};
use crate::domain::ledger::vat::{
    Basis, CodeTotals, ReverseCharge, ReverseCharged, Side, Split, VatCode, split_gross, split_net,
};
use crate::domain::ledger::{cis, contact};

/// Which document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentKind {
    /// We charge a customer.
    SalesInvoice,
    /// We give a customer credit.
    SalesCreditNote,
    /// A supplier charges us.
    PurchaseInvoice,
    /// A supplier gives us credit.
    PurchaseCreditNote,
}

impl DocumentKind {
    /// Every kind.
    pub const ALL: [Self; 4] =
        [Self::SalesInvoice, Self::SalesCreditNote, Self::PurchaseInvoice, Self::PurchaseCreditNote];

    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        self.source_type().as_str()
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }

    /// What its journal is made by.
    pub const fn source_type(self) -> SourceType {
        match self {
            Self::SalesInvoice => SourceType::SalesInvoice,
            Self::SalesCreditNote => SourceType::SalesCreditNote,
            Self::PurchaseInvoice => SourceType::PurchaseInvoice,
            Self::PurchaseCreditNote => SourceType::PurchaseCreditNote,
        }
    }

    /// What it is called in descriptions.
    pub const fn title(self) -> &'static str {
        match self {
            Self::SalesInvoice => "Sales invoice",
            Self::SalesCreditNote => "Sales credit note",
            Self::PurchaseInvoice => "Purchase invoice",
            Self::PurchaseCreditNote => "Purchase credit note",
        }
    }

    /// Sales are output, purchases input, whatever the accounts of the lines.
    pub const fn side(self) -> Side {
        match self {
            Self::SalesInvoice | Self::SalesCreditNote => Side::Output,
            Self::PurchaseInvoice | Self::PurchaseCreditNote => Side::Input,
        }
    }

    /// Whom it is with.
    pub const fn contact_kind(self) -> ContactKind {
        match self.side() {
            Side::Output => ContactKind::Customer,
            Side::Input => ContactKind::Supplier,
        }
    }

    /// Whether it takes back what invoices charge.
    pub const fn is_credit_note(self) -> bool {
        matches!(self, Self::SalesCreditNote | Self::PurchaseCreditNote)
    }

    /// The invoice of the same side.
    pub const fn invoice(self) -> Self {
        match self.side() {
            Side::Output => Self::SalesInvoice,
            Side::Input => Self::PurchaseInvoice,
        }
    }

    /// The credit note of the same side.
    pub const fn credit_note(self) -> Self {
        match self.side() {
            Side::Output => Self::SalesCreditNote,
            Side::Input => Self::PurchaseCreditNote,
        }
    }

    /// The key of a body that holds its number.
    pub const fn number_field(self) -> &'static str {
        if self.is_credit_note() { "credit_note_number" } else { "invoice_number" }
    }

    /// The role of the account it is owed on.
    pub const fn control_role(self) -> Role {
        match self.side() {
            Side::Output => Role::AccountsReceivable,
            Side::Input => Role::AccountsPayable,
        }
    }

    /// 1 when its gross is debited to the control account, −1 when it is credited.
    pub const fn control_sign(self) -> i64 {
        match self {
            Self::SalesInvoice | Self::PurchaseCreditNote => 1,
            Self::PurchaseInvoice | Self::SalesCreditNote => -1,
        }
    }

    /// Who wants VAT Control when it is issued.
    pub const fn vat_posting(self) -> VatPosting {
        if self.is_credit_note() { VatPosting::CreditNote } else { VatPosting::Invoice }
    }
}

/// A document as entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnteredDocument<'a> {
    /// Which.
    pub kind: DocumentKind,
    /// With whom.
    pub contact_id: ContactId,
    /// Its date, which is its tax point.
    pub date: Date,
    /// When it is to be paid; by the terms when absent. Credit notes have none.
    pub due_date: Option<Date>,
    /// The currency, when given.
    pub currency: Option<String>,
    /// Whether the prices contain the VAT.
    pub is_vat_inclusive: bool,
    /// The rate of CIS: that of the subcontractor, or of the bill that a credit note takes back; none outside the scheme.
    pub cis_rate: Option<CisRate>,
    /// The basis it is given for its VAT: standard takes it out of cash accounting.
    pub vat_basis: Option<Basis>,
    /// Its lines.
    pub lines: Cow<'a, [EnteredLine]>,
}

/// A document with its amounts, drafted or about to be issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Which.
    pub kind: DocumentKind,
    /// With whom.
    pub contact_id: ContactId,
    /// Its date.
    pub date: Date,
    /// When it is to be paid; credit notes have none.
    pub due_date: Option<Date>,
    /// The basis it is given for its VAT.
    pub vat_basis: Option<Basis>,
    /// Its lines.
    pub lines: Vec<PricedLine>,
    /// Net and VAT.
    pub total: Split,
    /// The part of the gross that will be withheld under CIS.
    pub cis: Option<cis::Terms>,
}

impl Draft {
    /// Net and VAT by code, as far as they are declared with the document. A line under a reverse charge is as if it had no
    /// code: its VAT is not part of what is paid. Neither is that of a line outside a turnover that counts when it is paid.
    pub fn by_code(&self, basis: Option<Basis>) -> CodeTotals {
        let is_turnover_when_paid = basis == Some(Basis::FlatRateCash);
        let one = |line: &PricedLine| {
            if line.reverse_charge.is_some() || (is_turnover_when_paid && line.has_standard_basis) {
                (VatCode::NoVat, Split { net: line.amount.gross(), vat: Pence::ZERO })
            } else {
                (line.vat_code, line.amount)
            }
        };
        self.lines.iter().map(one).collect()
    }
}

/// Decides what a document is worth: everything but the posting, which drafts do without.
///
/// `default_terms_days` are the organisation's.
pub fn draft(
    books: &Books<'_>,
    contact: Option<&Contact>,
    default_terms_days: i32,
    entered: &EnteredDocument<'_>,
) -> Result<Draft, Refusal> {
    let kind = entered.kind;
    let contact = contact::for_new_document(contact, kind.contact_kind(), entered.contact_id)?;
    if let Some(currency) = entered.currency.as_deref().filter(|currency| *currency != "GBP") {
        return Err(Refusal::CurrencyNotSupported { currency: currency.to_owned() });
    }
    let default_cis_type = CisType::left_out(entered.cis_rate.is_some());
    let lines = price(books, contact, kind.side(), (entered.is_vat_inclusive, default_cis_type), &entered.lines)?;
    let total = total(&lines);
    if total.gross().is_negative() {
        let refusal = Refusal::NegativeTotal { total: total.gross() };
        return Err(match kind.is_credit_note() {
            true => refusal.with_message(format!("the total is {}: a credit note must not be negative", total.gross())),
            false => refusal,
        });
    }
    if !total.gross().is_in_range() {
        return Err(Refusal::field("lines", format!("the total must be at most {}", Pence::MAX)));
    }
    let due_date = match entered.due_date {
        _ if kind.is_credit_note() => None,
        Some(due_date) if due_date < entered.date => {
            return Err(Refusal::field("due_date", "must not be before invoice_date"));
        }
        Some(due_date) => Some(due_date),
        None => Some(due_by_terms(entered.date, contact.payment_terms_days.unwrap_or(default_terms_days))?),
    };
    let cis = entered.cis_rate.map(|rate| cis::Terms::of(rate, &lines));
    let vat_basis = entered.vat_basis;
    Ok(Draft { kind, contact_id: contact.id, date: entered.date, due_date, vat_basis, lines, total, cis })
}

/// The due date that follows from the terms.
pub fn due_by_terms(date: Date, terms_days: i32) -> Result<Date, Refusal> {
    let due_date = date + terms_days;
    if due_date > LAST_DATE {
        return Err(Refusal::field("due_date", "must be given: by the terms it would be after 2199-12-31"));
    }
    Ok(due_date)
}

/// Where a document is in its life, before what settled it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Not posted, no number.
    Draft,
    /// Posted.
    Issued,
    /// Undone.
    Void,
}

/// The status of a document, from its stage and how much of its gross is settled. Nothing stores it as a fact of its own.
pub fn status(kind: DocumentKind, stage: Stage, gross: Pence, settled: Pence) -> &'static str {
    match stage {
        Stage::Draft => "draft",
        Stage::Void => "void",
        Stage::Issued if settled >= gross && kind.is_credit_note() => "allocated",
        Stage::Issued if settled >= gross => "paid",
        Stage::Issued if settled.is_zero() => "issued",
        Stage::Issued if kind.is_credit_note() => "part_allocated",
        Stage::Issued => "part_paid",
    }
}

#[cfg(test)]
mod tests;

/// What a line is under the Construction Industry Scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CisType {
    /// Work: the base of the deduction.
    Labour,
    /// Materials: not deducted from.
    Materials,
    /// Outside the scheme.
    None,
}

impl CisType {
    /// What a line is that does not say it: of a subcontractor's bill labour, because all that is not materials is deducted
    /// from, travel and subsistence too (CIS340).
    pub const fn left_out(is_subcontractor: bool) -> Self {
        if is_subcontractor { Self::Labour } else { Self::None }
    }

    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Labour => "labour",
            Self::Materials => "materials",
            Self::None => "none",
        }
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Labour, Self::Materials, Self::None].into_iter().find(|known| known.as_str() == text)
    }
}

/// A line as entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnteredLine {
    /// What it is for.
    pub description: String,
    /// The account; the contact's when absent.
    pub account: Option<AccountReference>,
    /// How many.
    pub quantity: Decimal4,
    /// The price of one; VAT inside or not, as the document says.
    pub unit_price: Decimal4,
    /// What is taken off.
    pub discount: Percent,
    /// The VAT code; the contact's when absent.
    pub vat_code: Option<VatCode>,
    /// The reverse charge it is under.
    pub reverse_charge: Option<ReverseCharge>,
    /// Whether it is a fixed asset sold outside the turnover of the flat rate.
    pub has_standard_basis: bool,
    /// The caller's own figure for the VAT.
    pub vat_amount: Option<Pence>,
    /// What it is under CIS; by the supplier when absent.
    pub cis_type: Option<CisType>,
}

/// A line with its amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PricedLine {
    /// The account.
    pub account_id: AccountId,
    /// The key of the line that names it.
    pub account_key: &'static str,
    /// The VAT code.
    pub vat_code: VatCode,
    /// The reverse charge it is under, with its VAT.
    pub reverse_charge: Option<ReverseCharged>,
    /// Whether it is a fixed asset sold outside the turnover of the flat rate.
    pub has_standard_basis: bool,
    /// Net and VAT.
    pub amount: Split,
    /// What it is under CIS.
    pub cis_type: CisType,
}

impl PricedLine {
    /// The field that names its account, when it is the line in this place.
    pub fn account_field(&self, row: usize) -> String {
        format!("lines[{row}].{}", self.account_key)
    }
}

/// Quantity × price × (1 − discount), rounded once, halves of a penny away from zero.
pub fn product(quantity: Decimal4, unit_price: Decimal4, discount: Percent) -> Pence {
    let kept = i128::from(Percent::WHOLE - discount.0);
    // Each factor is in 10⁻⁴; 10⁻¹² of a pound is 10⁻¹⁰ of a penny.
    let exact = i128::from(quantity.0) * i128::from(unit_price.0) * kept;
    Pence::from_wide(divide_round(exact, 10_000_000_000))
}

/// Prices the lines of a document. What a line leaves out comes from the contact, and the type under CIS from the document.
pub fn price(
    books: &Books<'_>,
    contact: &Contact,
    side: Side,
    (is_vat_inclusive, default_cis_type): (bool, CisType),
    lines: &[EnteredLine],
) -> Result<Vec<PricedLine>, Refusal> {
    let mut priced = Vec::with_capacity(lines.len());
    let default_account = contact.default_account_id.map(AccountReference::Id);
    for (row, line) in lines.iter().enumerate() {
        let field = |key: &str| format!("lines[{row}].{key}");
        let Some(named) = line.account.as_ref().or(default_account.as_ref()) else {
            return Err(Refusal::field(field("account_id"), "is required: the contact has no default account"));
        };
        let account = books.named_account(named, field)?;
        let Some(vat_code) = line.vat_code.or(contact.default_vat_code) else {
            return Err(Refusal::field(field("vat_code"), "is required: the contact has no default VAT code"));
        };
        if line.has_standard_basis && !account.has_role(&Role::FixedAsset) {
            return Err(Refusal::field(field("vat_basis"), "is for an account with the role fixed_asset"));
        }
        let amount = product(line.quantity, line.unit_price, line.discount);
        // Under a reverse charge no VAT is charged, so that none is inside the price.
        let charged_code = if line.reverse_charge.is_some() { VatCode::Zero } else { vat_code };
        let amount = if is_vat_inclusive {
            split_gross(side, charged_code, amount, line.vat_amount, || field("vat_amount"))?
        } else {
            split_net(side, charged_code, amount, line.vat_amount, || field("vat_amount"))?
        };
        if line.reverse_charge.is_some() && vat_code.percent() == 0 {
            return Err(Refusal::field(field("reverse_charge"), "needs the VAT code ST or RR"));
        }
        let reverse_charge =
            line.reverse_charge.map(|kind| ReverseCharged { kind, vat: vat_code.vat_on_net(amount.net) });
        if !amount.gross().is_in_range() || !amount.net.is_in_range() {
            return Err(Refusal::field(field("unit_price"), format!("the line must be within ±{}", Pence::MAX)));
        }
        priced.push(PricedLine {
            account_id: account.id,
            account_key: named.key(),
            vat_code,
            reverse_charge,
            has_standard_basis: line.has_standard_basis,
            amount,
            cis_type: line.cis_type.unwrap_or(default_cis_type),
        });
    }
    Ok(priced)
}

/// Net and VAT of all lines together.
pub fn total(lines: &[PricedLine]) -> Split {
    Split { net: lines.iter().map(|line| line.amount.net).sum(), vat: lines.iter().map(|line| line.amount.vat).sum() }
}

#[cfg(test)]
mod document_line_tests {
    use super::*;
    use crate::domain::ids::ContactId;
    use crate::domain::ledger::chart::Chart;
    use crate::domain::ledger::contact::ContactKind;
    use crate::domain::ledger::standard_chart;
    use crate::domain::ledger::vat::VatHistory;

    fn units(text: &str) -> Decimal4 {
        Decimal4::parse_unit_price_text(text).unwrap()
    }

    #[test]
    fn the_product_is_rounded_once_after_multiplying() {
        for (quantity, price, discount, pence) in [
            ("7.5", "38.50", "0", 28_875),
            ("1", "1.005", "0", 101),
            ("3", "0.3333", "0", 100),
            ("1", "99.99", "12.5", 8_749),
            ("-2", "0.0125", "0", -3),
            ("1", "10", "100", 0),
        ] {
            let discount = Percent::parse_text(discount).unwrap();
            assert_eq!(product(units(quantity), units(price), discount), Pence(pence), "{quantity} × {price}");
        }
        let most = product(Decimal4(Decimal4::QUANTITY_MAX), Decimal4(Decimal4::UNIT_PRICE_MAX), Percent::ZERO);
        assert!(!most.is_in_range());
    }

    fn contact(account: Option<i64>, vat_code: Option<VatCode>) -> Contact {
        Contact {
            id: ContactId(1),
            kind: ContactKind::Customer,
            is_archived: false,
            payment_terms_days: None,
            default_account_id: account.map(AccountId),
            default_vat_code: vat_code,
            cis_rate: None,
        }
    }

    fn line(price: &str, vat_code: Option<VatCode>) -> EnteredLine {
        EnteredLine {
            description: String::new(),
            account: None,
            quantity: Decimal4::ONE,
            unit_price: units(price),
            discount: Percent::ZERO,
            vat_code,
            reverse_charge: None,
            has_standard_basis: false,
            vat_amount: None,
            cis_type: None,
        }
    }

    fn priced(contact: &Contact, inclusive: bool, lines: &[EnteredLine]) -> Result<Vec<PricedLine>, Refusal> {
        let chart: Chart =
            (1..).zip(standard_chart::at_creation(true)).map(|(id, new)| new.with_id(AccountId(id))).collect();
        let books = Books { chart: &chart, vat: &VatHistory::default(), lock_date: None };
        price(&books, contact, Side::Output, (inclusive, CisType::None), lines)
    }

    #[test]
    fn vat_is_rounded_line_by_line() {
        let lines = [line("10.03", None), line("10.03", None), line("10.03", None)];
        let total = total(&priced(&contact(Some(1), Some(VatCode::Standard)), false, &lines).unwrap());
        assert_eq!((total.net, total.vat, total.gross()), (Pence(3_009), Pence(603), Pence(3_612)));
    }

    #[test]
    fn prices_may_contain_the_vat() {
        let lines = [line("2500", Some(VatCode::Standard)), line("0.03", Some(VatCode::Standard))];
        let lines = priced(&contact(Some(1), None), true, &lines).unwrap();
        let amounts: Vec<_> = lines.iter().map(|line| (line.amount.net.0, line.amount.vat.0)).collect();
        assert_eq!(amounts, [(208_333, 41_667), (2, 1)]);
    }

    #[test]
    fn what_a_line_leaves_out_comes_from_the_contact_or_is_asked_for() {
        let full = contact(Some(1), Some(VatCode::Zero));
        let refused = |contact: &Contact| priced(contact, false, &[line("1", None)]).unwrap_err();
        assert!(priced(&full, false, &[line("1", None)]).is_ok());
        let field = |refusal: Refusal| match refusal {
            Refusal::Field { field, .. } | Refusal::UnknownReference { field, .. } => field,
            other => panic!("{other:?}"),
        };
        assert_eq!(field(refused(&contact(None, Some(VatCode::Zero)))), "lines[0].account_id");
        assert_eq!(field(refused(&contact(Some(1), None))), "lines[0].vat_code");
        assert_eq!(field(refused(&contact(Some(999), Some(VatCode::Zero)))), "lines[0].account_id");
        let huge = EnteredLine { quantity: Decimal4(9_999_999_999), ..line("99999999", None) };
        assert_eq!(field(priced(&full, false, &[huge]).unwrap_err()), "lines[0].unit_price");
        let own = EnteredLine { vat_amount: Some(Pence(1)), ..line("1", None) };
        assert_eq!(priced(&full, false, &[own]).unwrap_err().reason(), "vat_amount_out_of_tolerance");
    }

    #[test]
    fn cis_types_have_their_words() {
        for kind in [CisType::Labour, CisType::Materials, CisType::None] {
            assert_eq!(CisType::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(CisType::parse("plant"), None);
    }
}
