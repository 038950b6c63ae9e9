//! The VAT return (VAT Notices 700/12, 731 and 733): the nine boxes of a period, and what stands behind them.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::Period;
use super::vat_return_lines::{
    VatEntryRow, VatReturnAdjustment, VatReturnCode, VatReturnEntry, VatReturnLate, VatReturnSubmission,
    VatReturnWarning,
};
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::money::{Money, Pence, Percentage};
use crate::domain::ledger::vat::{VatHistory, VatScheme};
use crate::domain::ledger::vat_return::{
    AdjustmentMovement, Declared, FlatRateFigures, FlatRates, VatPeriods, VatReturnFigures, VatTotal,
};

/// A period, and whether the entries are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct VatReturnParameters {
    /// The first and the last day.
    #[serde(flatten)]
    pub period: Period,
    /// Whether the entries are listed.
    #[serde(skip)]
    pub has_detail: bool,
}

/// The VAT settings of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatRegistration {
    /// Whether it is registered.
    pub is_registered: bool,
    /// The registration number.
    pub number: Option<String>,
    /// Its VAT periods.
    pub periods: VatPeriods,
    /// Which scheme applies when.
    pub schemes: VatHistory,
}

impl VatRegistration {
    /// The period that ends on a day; none when none does, and when nobody is registered.
    pub fn period_ending(&self, last: Date) -> Option<Period> {
        let first = self.periods.start_of(last).filter(|_| self.is_registered)?;
        Some(Period { first, last })
    }
}

/// What is still open, with an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenAmount {
    /// The document or settlement.
    pub id: i64,
    /// The amount.
    pub amount: Pence,
}

/// A recorded return of the same period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedReturn {
    /// Its identifier.
    pub id: i64,
    /// When it was filed.
    pub filed_on: Option<Date>,
}

/// What a recorded return declared, line by line.
#[derive(Debug)]
pub struct VatReturnDetail {
    /// The entries.
    pub entries: Vec<VatEntryRow>,
    /// The movements of adjustments.
    pub adjustments: Vec<AdjustmentMovement>,
}

/// What a VAT return is computed from.
#[derive(Debug)]
pub struct VatReturnRows {
    /// The settings.
    pub registration: VatRegistration,
    /// The sums of the period.
    pub totals: Vec<VatTotal>,
    /// The movements of adjustments in the period, by date, id and position.
    pub adjustments: Vec<AdjustmentMovement>,
    /// The recorded returns of periods before this one, each with what its period would declare now.
    pub earlier: Vec<(VatReturnFigures, Declared)>,
    /// The recorded return of this period.
    pub recorded: Option<RecordedReturn>,
    /// Receipts with what is not allocated of them at the end of the period, where VAT waits for payment.
    pub unallocated: Vec<OpenAmount>,
    /// Documents under cash accounting that are unpaid six months after it ended, with the VAT that waits.
    pub overdue: Vec<OpenAmount>,
    /// The entries, when they are listed.
    pub entries: Option<Vec<VatEntryRow>>,
}

/// The nine boxes of a period, and what stands behind them.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = example)]
pub struct VatReturn {
    /// The scheme at the end of the period: `standard`, `cash` or `flat_rate`. Null when none had begun by then: what has VAT is
    /// counted as under `standard`.
    #[schema(required)]
    pub scheme: Option<&'static str>,
    /// VAT due on sales.
    pub box1: Money,
    /// VAT due on acquisitions of goods in Northern Ireland from the EU; from adjustments alone.
    pub box2: Money,
    /// Boxes 1 and 2.
    pub box3: Money,
    /// VAT reclaimed on purchases.
    pub box4: Money,
    /// What is paid to HMRC or reclaimed: the difference of boxes 3 and 4, never negative.
    pub box5: Money,
    /// Sales without VAT; under the flat rate, the turnover including VAT.
    pub box6: Money,
    /// Purchases without VAT.
    pub box7: Money,
    /// Supplies of goods from Northern Ireland to the EU; from adjustments alone.
    pub box8: Money,
    /// Acquisitions of goods in Northern Ireland from the EU; from adjustments alone.
    pub box9: Money,
    /// Box 3 less box 4.
    pub net_vat: Money,
    /// `payable`, `reclaimable` or `nil`.
    pub direction: &'static str,
    /// When the return and the payment are due; null unless the dates are a VAT period of the organisation.
    #[schema(required)]
    pub due_date: Option<Date>,
    /// The sums of entries. With the adjustments they are the boxes; box 1 of the flat rate is a percentage of the turnover.
    pub by_code: Vec<VatReturnCode>,
    /// Null unless the flat rate applies or had turnover.
    #[schema(required)]
    pub flat_rate: Option<VatReturnFlatRate>,
    /// Adjustments of the period.
    pub adjustments: Vec<VatReturnAdjustment>,
    /// What came into earlier recorded returns since.
    pub late: VatReturnLate,
    /// The recorded return of this period, if it was recorded.
    #[schema(required)]
    pub recorded: Option<VatReturnRecorded>,
    /// What somebody should look at.
    pub warnings: Vec<VatReturnWarning>,
    /// The object that is sent to HMRC.
    pub hmrc: VatReturnSubmission,
    /// Every entry, by date; only with `detail=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub entries: Option<Vec<VatReturnEntry>>,
}

/// The flat rate of a period.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct VatReturnFlatRate {
    /// The percentage at the end of the period, or the last before it.
    pub percent: Percentage,
    /// Sales including VAT.
    pub turnover: Money,
    /// The percentage of the turnover: rounded once for each stretch of days with one percentage.
    pub vat: Money,
    /// The VAT charged on the turnover less that: for the journal that takes it from VAT Control to other income.
    pub surplus: Money,
}

/// A recorded return.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct VatReturnRecorded {
    /// Its identifier.
    pub id: Id,
    /// When it was filed.
    #[schema(required)]
    pub filed_on: Option<Date>,
}

/// The word of what is to be done with a net amount of VAT.
pub fn direction(net: Pence) -> &'static str {
    match net.signum() {
        1 => "payable",
        -1 => "reclaimable",
        _ => "nil",
    }
}

impl VatReturn {
    /// The VAT return of a period.
    pub fn compute(rows: &VatReturnRows, parameters: VatReturnParameters) -> Self {
        let Period { first, last } = parameters.period;
        let registration = &rows.registration;
        let rates = FlatRates::from(&registration.schemes);
        let own = Declared::of(&rows.totals, &rows.adjustments, &rates);
        let figures = VatReturnFigures::of(own, rows.earlier.iter().copied());
        let boxes = own.boxes;
        let is_period = registration.period_ending(last).is_some_and(|period| period.first == first);
        Self {
            scheme: registration.schemes.begun_by(last).map(VatScheme::as_str),
            box1: boxes.box1.into(),
            box2: boxes.box2.into(),
            box3: boxes.box3().into(),
            box4: boxes.box4.into(),
            box5: boxes.net().abs().into(),
            box6: boxes.box6.into(),
            box7: boxes.box7.into(),
            box8: boxes.box8.into(),
            box9: boxes.box9.into(),
            net_vat: boxes.net().into(),
            direction: direction(boxes.net()),
            due_date: is_period.then(|| VatPeriods::due_date(last)),
            by_code: VatReturnCode::of(&rows.totals),
            flat_rate: flat_rate(rows, &rates, last),
            adjustments: rows.adjustments.iter().map(VatReturnAdjustment::from).collect(),
            late: VatReturnLate::of(&figures.late, figures.method),
            recorded: rows.recorded.map(|one| VatReturnRecorded { id: Id(one.id), filed_on: one.filed_on }),
            warnings: warnings(rows),
            hmrc: VatReturnSubmission::from(&figures),
            entries: rows.entries.as_ref().map(|entries| entries.iter().map(VatReturnEntry::from).collect()),
        }
    }
}

/// What the flat rate makes of the turnover, when it applies at the end of the period or there is any.
fn flat_rate(rows: &VatReturnRows, rates: &FlatRates, last: Date) -> Option<VatReturnFlatRate> {
    let applies = matches!(rows.registration.schemes.on(last), VatScheme::FlatRate(..));
    let has_turnover = rows.totals.iter().any(|total| total.kind.is_flat_rate_turnover());
    let figures = FlatRateFigures::of(&rows.totals, rates);
    let percent = rates.on(last).filter(|_| applies || has_turnover)?;
    Some(VatReturnFlatRate {
        percent: Percentage(percent.0),
        turnover: figures.turnover.into(),
        vat: figures.tax.into(),
        surplus: (figures.charged - figures.tax).into(),
    })
}

fn warnings(rows: &VatReturnRows) -> Vec<VatReturnWarning> {
    let open = |code: &'static str, message: &str, of: &[OpenAmount]| {
        (!of.is_empty()).then(|| VatReturnWarning {
            code,
            message: message.to_owned(),
            amount: Some(of.iter().map(|one| one.amount).sum::<Pence>().into()),
            ids: of.iter().map(|one| Id(one.id)).collect(),
        })
    };
    let is_northern_irish = rows.registration.number.as_deref().is_some_and(|number| number.starts_with("XI"));
    let northern_ireland = is_northern_irish.then(|| VatReturnWarning {
        code: "northern_ireland",
        message:
            "boxes 2, 8 and 9 hold adjustments only: goods to and from the EU through Northern Ireland, and the EC \
                  Sales List, are not kept"
                .to_owned(),
        amount: None,
        ids: Vec::new(),
    });
    [
        open(
            "unallocated_receipts",
            "receipts that are not set against invoices are not in the return; a deposit for a supply is due when it is \
             received: raise a deposit invoice",
            &rows.unallocated,
        ),
        open(
            "cash_scheme_overdue",
            "cash accounting ended more than six months ago: the VAT of documents that are still unpaid is due now (VAT \
             Notice 731, section 6)",
            &rows.overdue,
        ),
        northern_ireland,
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn example() -> Value {
    json!({
        "scheme": "standard", "box1": 199.20, "box2": 0.00, "box3": 199.20, "box4": 369.12, "box5": 169.92, "box6": 3835.83,
        "box7": 1845.60, "box8": 0.00, "box9": 0.00, "net_vat": -169.92, "direction": "reclaimable",
        "due_date": "2026-05-07",
        "by_code": [
            {
                "side": "output", "vat_code": "ST", "basis": "standard", "reverse_charge": null, "net_amount": 30.09,
                "vat_amount": 6.03, "count": 3
            },
            {
                "side": "output", "vat_code": "RR", "basis": "standard", "reverse_charge": null, "net_amount": 2640.00,
                "vat_amount": 132.00, "count": 1
            },
            {
                "side": "output", "vat_code": "ZR", "basis": "standard", "reverse_charge": null, "net_amount": 859.91,
                "vat_amount": 0.00, "count": 1
            },
            {
                "side": "input", "vat_code": "ST", "basis": "standard", "reverse_charge": null, "net_amount": 1845.60,
                "vat_amount": 369.12, "count": 2
            }
        ],
        "flat_rate": null,
        "adjustments": adjustments_example(),
        "late": {
            "box1": 20.00, "box2": 0.00, "box4": 0.00, "box6": 100.00, "box7": 0.00, "box8": 0.00, "box9": 0.00,
            "net_vat": 20.00, "method": "next_return", "count": 1
        },
        "recorded": { "id": 3, "filed_on": "2026-04-20" },
        "warnings": [
            {
                "code": "northern_ireland",
                "message": "boxes 2, 8 and 9 hold adjustments only: goods to and from the EU through Northern Ireland, and the \
                            EC Sales List, are not kept",
                "amount": null, "ids": []
            }
        ],
        "hmrc": {
            "vatDueSales": 219.20, "vatDueAcquisitions": 0.00, "totalVatDue": 219.20, "vatReclaimedCurrPeriod": 369.12,
            "netVatDue": 149.92, "totalValueSalesExVAT": 3935, "totalValuePurchasesExVAT": 1845,
            "totalValueGoodsSuppliedExVAT": 0, "totalAcquisitionsExVAT": 0
        },
        "entries": entries_example()
    })
}

/// The adjustments of the example.
pub fn adjustments_example() -> Value {
    json!([
        { "id": 2, "date": "2026-03-31", "reason": "fuel_scale_charge", "box": 1, "amount": 61.17 },
        { "id": 2, "date": "2026-03-31", "reason": "fuel_scale_charge", "box": 6, "amount": 305.83 }
    ])
}

/// The entries of the example.
pub fn entries_example() -> Value {
    let entry = |id: i64, side: &str, code: &str, net: f64, vat: f64, boxes: &[i64]| {
        let is_sale = side == "output";
        let (kind, document, number) =
            if is_sale { ("sales_invoice", 31, "INV-0103") } else { ("purchase_invoice", 30, "BILL-00007") };
        json!({
            "id": id, "date": if is_sale { "2026-02-14" } else { "2026-01-20" }, "side": side, "vat_code": code, "basis": "standard",
            "net_amount": net, "vat_amount": vat, "boxes": boxes, "document_type": kind, "document_id": document, "number": number,
            "journal_id": if is_sale { 9 } else { 8 }, "contact_id": if is_sale { 3 } else { 4 }, "settlement_id": null
        })
    };
    json!([
        entry(11, "input", "ST", 845.60, 169.12, &[4, 7]),
        entry(12, "input", "ST", 1000.00, 200.00, &[4, 7]),
        entry(13, "output", "ST", 10.03, 2.01, &[1, 6]),
        entry(14, "output", "ST", 10.03, 2.01, &[1, 6]),
        entry(15, "output", "ST", 10.03, 2.01, &[1, 6]),
        entry(16, "output", "RR", 2640.00, 132.00, &[1, 6]),
        entry(17, "output", "ZR", 859.91, 0.00, &[6])
    ])
}
