//! What stands behind the boxes of a VAT return, line by line: entries, sums by code, adjustments, what came late, warnings,
//! and the object that is sent to HMRC.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use super::statement::source_type;
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::journal::SourceType;
use crate::domain::ledger::money::{Money, Pence};
use crate::domain::ledger::vat::{ReverseCharge, Split};
use crate::domain::ledger::vat_return::{
    AdjustmentMovement, Boxes, Declared, LateMethod, VatKind, VatReturnFigures, VatTotal,
};

/// The sum of the entries of a side, code, basis and reverse charge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct VatReturnCode {
    /// `output` on sales, `input` on purchases.
    pub side: &'static str,
    /// The VAT code.
    pub vat_code: &'static str,
    /// The scheme the entries were made under: `standard`, `cash` or `flat_rate`.
    pub basis: &'static str,
    /// `domestic` or `imported_services`; null when there is none.
    #[schema(required)]
    pub reverse_charge: Option<&'static str>,
    /// Without VAT.
    pub net_amount: Money,
    /// The VAT; of the turnover of the flat rate, what was charged.
    pub vat_amount: Money,
    /// How many entries.
    pub count: i64,
}

impl VatReturnCode {
    /// The sums of a period by kind: sales first, in the order of the codes.
    pub fn of(totals: &[VatTotal]) -> Vec<Self> {
        let mut sums: BTreeMap<VatKind, (Split, i64)> = BTreeMap::new();
        for total in totals {
            let (sum, entries) = sums.entry(total.kind).or_default();
            *sum = Split { net: sum.net + total.amount.net, vat: sum.vat + total.amount.vat };
            *entries += total.entries;
        }
        let row = |(kind, (sum, count)): (VatKind, (Split, i64))| Self {
            side: kind.side.as_str(),
            vat_code: kind.code.code(),
            basis: kind.basis.as_str(),
            reverse_charge: kind.reverse_charge.map(ReverseCharge::as_str),
            net_amount: sum.net.into(),
            vat_amount: sum.vat.into(),
            count,
        };
        sums.into_iter().map(row).collect()
    }
}

/// What an adjustment adds to a box in the period. One that became void in it has a second row that takes it off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct VatReturnAdjustment {
    /// The adjustment.
    pub id: Id,
    /// The day it counts.
    pub date: Date,
    /// Why it was made.
    pub reason: &'static str,
    /// The number of the box.
    #[serde(rename = "box")]
    pub number: i64,
    /// Negative when it is taken off.
    pub amount: Money,
}

impl From<&AdjustmentMovement> for VatReturnAdjustment {
    fn from(movement: &AdjustmentMovement) -> Self {
        Self {
            id: Id(movement.id),
            date: movement.date,
            reason: movement.reason.as_str(),
            number: movement.entry.vat_box.number(),
            amount: movement.entry.amount.into(),
        }
    }
}

/// What came into recorded returns of earlier periods after they were recorded, as far as no return in between has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct VatReturnLate {
    /// VAT due on sales.
    pub box1: Money,
    /// VAT due on acquisitions in Northern Ireland.
    pub box2: Money,
    /// VAT reclaimed.
    pub box4: Money,
    /// Sales.
    pub box6: Money,
    /// Purchases.
    pub box7: Money,
    /// Goods from Northern Ireland to the EU.
    pub box8: Money,
    /// Acquisitions in Northern Ireland.
    pub box9: Money,
    /// Boxes 1 and 2 less box 4.
    pub net_vat: Money,
    /// `next_return` when it may be declared with this return (VAT Notice 700/45: up to £10,000, or up to 1 % of box 6 and
    /// £50,000), else `tell_hmrc`.
    pub method: &'static str,
    /// How many entries and movements of adjustments.
    pub count: i64,
}

impl VatReturnLate {
    /// What came late, and what is to be done with it.
    pub fn of(late: &Declared, method: LateMethod) -> Self {
        let boxes = &late.boxes;
        Self {
            box1: boxes.box1.into(),
            box2: boxes.box2.into(),
            box4: boxes.box4.into(),
            box6: boxes.box6.into(),
            box7: boxes.box7.into(),
            box8: boxes.box8.into(),
            box9: boxes.box9.into(),
            net_vat: boxes.net().into(),
            method: method.as_str(),
            count: late.count,
        }
    }
}

/// An amount cut to whole pounds, printed as an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WholePounds(pub Pence);

impl Serialize for WholePounds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0.0 / 100)
    }
}

/// The return as HMRC takes it (Making Tax Digital, VAT API), with what came late where that goes into the next return. Only
/// `periodKey` and `finalised` are missing: they are the person's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VatReturnSubmission {
    /// Box 1.
    pub vat_due_sales: Money,
    /// Box 2.
    pub vat_due_acquisitions: Money,
    /// Box 3.
    pub total_vat_due: Money,
    /// Box 4.
    pub vat_reclaimed_curr_period: Money,
    /// Box 5; never negative.
    pub net_vat_due: Money,
    /// Box 6, cut to whole pounds.
    #[serde(rename = "totalValueSalesExVAT")]
    #[schema(value_type = i64)]
    pub total_value_sales: WholePounds,
    /// Box 7, cut to whole pounds.
    #[serde(rename = "totalValuePurchasesExVAT")]
    #[schema(value_type = i64)]
    pub total_value_purchases: WholePounds,
    /// Box 8, cut to whole pounds.
    #[serde(rename = "totalValueGoodsSuppliedExVAT")]
    #[schema(value_type = i64)]
    pub total_value_goods_supplied: WholePounds,
    /// Box 9, cut to whole pounds.
    #[serde(rename = "totalAcquisitionsExVAT")]
    #[schema(value_type = i64)]
    pub total_acquisitions: WholePounds,
}

impl From<&VatReturnFigures> for VatReturnSubmission {
    fn from(figures: &VatReturnFigures) -> Self {
        let boxes: Boxes = figures.submitted();
        Self {
            vat_due_sales: boxes.box1.into(),
            vat_due_acquisitions: boxes.box2.into(),
            total_vat_due: boxes.box3().into(),
            vat_reclaimed_curr_period: boxes.box4.into(),
            net_vat_due: boxes.net().abs().into(),
            total_value_sales: WholePounds(boxes.box6),
            total_value_purchases: WholePounds(boxes.box7),
            total_value_goods_supplied: WholePounds(boxes.box8),
            total_acquisitions: WholePounds(boxes.box9),
        }
    }
}

/// What the boxes do not say and somebody should look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct VatReturnWarning {
    /// `unallocated_receipts`, `cash_scheme_overdue` or `northern_ireland`.
    pub code: &'static str,
    /// What it means.
    pub message: String,
    /// The amount concerned; null when there is none.
    #[schema(required)]
    pub amount: Option<Money>,
    /// The records concerned.
    pub ids: Vec<Id>,
}

/// An entry of the return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct VatReturnEntry {
    /// The entry.
    pub id: Id,
    /// The day it counts.
    pub date: Date,
    /// `output` on sales, `input` on purchases.
    pub side: &'static str,
    /// The VAT code.
    pub vat_code: &'static str,
    /// The scheme it was made under: `standard`, `cash` or `flat_rate`.
    pub basis: &'static str,
    /// Without VAT; negative for what was given back or undone.
    pub net_amount: Money,
    /// The VAT.
    pub vat_amount: Money,
    /// The boxes it counts in: the VAT in 1 and 4, the net in 6 and 7. Where `basis` is `flat_rate` and `side` is `output`, net
    /// and VAT count in 6, and in 1 the percentage of the sum of all such entries.
    pub boxes: &'static [i64],
    /// `sales_invoice` and so on, or what the journal was made by.
    #[schema(schema_with = source_type)]
    pub document_type: &'static str,
    /// The document; null for bank lines and journals.
    #[schema(required)]
    pub document_id: Option<Id>,
    /// The number of the document, or of the journal.
    #[schema(required)]
    pub number: Option<String>,
    /// The journal, or that of the receipt or payment; null when credit brought it onto the return.
    #[schema(required)]
    pub journal_id: Option<Id>,
    /// The customer or supplier.
    #[schema(required)]
    pub contact_id: Option<Id>,
    /// The receipt or payment that brought it onto the return, under cash accounting.
    #[schema(required)]
    pub settlement_id: Option<Id>,
}

/// An entry as stored, with what it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatEntryRow {
    /// The entry.
    pub id: i64,
    /// The day it counts.
    pub date: Date,
    /// Side, code, basis and reverse charge.
    pub kind: VatKind,
    /// Net and VAT.
    pub amount: Split,
    /// The kind of the document, or what the journal was made by.
    pub document_type: SourceType,
    /// The document.
    pub document_id: Option<i64>,
    /// The number of the document or journal.
    pub number: Option<String>,
    /// The journal.
    pub journal_id: Option<i64>,
    /// The customer or supplier.
    pub contact_id: Option<i64>,
    /// The receipt or payment.
    pub settlement_id: Option<i64>,
}

impl From<&VatEntryRow> for VatReturnEntry {
    fn from(row: &VatEntryRow) -> Self {
        Self {
            id: Id(row.id),
            date: row.date,
            side: row.kind.side.as_str(),
            vat_code: row.kind.code.code(),
            basis: row.kind.basis.as_str(),
            net_amount: row.amount.net.into(),
            vat_amount: row.amount.vat.into(),
            boxes: row.kind.boxes(),
            document_type: row.document_type.as_str(),
            document_id: row.document_id.map(Id),
            number: row.number.clone(),
            journal_id: row.journal_id.map(Id),
            contact_id: row.contact_id.map(Id),
            settlement_id: row.settlement_id.map(Id),
        }
    }
}
