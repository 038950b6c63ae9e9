//! The monthly return of a contractor under the Construction Industry Scheme (CIS300): the position of a tax month, with
//! what stands in the way of filing it. The return and its declarations are a person's.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Type;

use super::cis_position::{
    BillAllocation, CisPosition, CisPositionRows, CisSubcontractor, Figures, figures_by_rate, subcontractor_columns,
};
use super::table::{ReportCell, ReportColumn, ReportPart, ReportRow, ReportTables, Tabulated};
use super::{Period, ReportDays};
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::cis::TaxMonth;
use crate::domain::ledger::money::{CURRENCY, Money, Pence};
use crate::domain::mail::{long_date, pounds};

/// The figures of the monthly return of a contractor.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = example)]
pub struct CisReturn {
    currency: &'static str,
    /// The last day of the tax month.
    pub tax_month_end: Date,
    /// By when the return is filed: the 19th.
    pub due_date: Date,
    /// By when what was withheld is paid electronically: the 22nd.
    pub payment_due_date: Date,
    /// The employer's reference of the organisation.
    #[schema(required)]
    pub paye_reference: Option<String>,
    /// Its Accounts Office reference, which payments to HMRC quote.
    #[schema(required)]
    pub accounts_office_reference: Option<String>,
    /// Whether nobody was paid.
    pub nil_return: bool,
    /// By name, id and rate; those paid gross too.
    pub subcontractors: Vec<CisReturnRow>,
    /// Of all subcontractors.
    pub totals: CisReturnTotals,
    /// What is owed to HMRC at the end of the tax month.
    pub cis_payable_balance: Money,
    /// What a person should look at before filing.
    pub warnings: Vec<CisWarning>,
}

/// A subcontractor paid in the tax month, of the bills with one rate.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CisReturnRow {
    /// The supplier.
    pub supplier_id: Id,
    /// The present name.
    pub name: String,
    /// Unique taxpayer reference.
    #[schema(required)]
    pub utr: Option<String>,
    /// HMRC's verification.
    #[schema(required)]
    pub verification_number: Option<String>,
    /// Percent, that of the bills.
    #[schema(minimum = 0)]
    pub deduction_rate: i64,
    /// Payments without VAT, for labour and materials.
    pub total_payments: Money,
    /// Of which materials.
    pub cost_of_materials: Money,
    /// What was withheld.
    pub total_deducted: Money,
}

/// The sums over all subcontractors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct CisReturnTotals {
    /// Payments without VAT, for labour and materials.
    pub total_payments: Money,
    /// Of which materials.
    pub cost_of_materials: Money,
    /// What was withheld.
    pub total_deducted: Money,
}

/// What a person should look at before filing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CisWarning {
    /// What it is about.
    #[schema(schema_with = code)]
    pub code: &'static str,
    /// The same in words.
    pub message: String,
    /// The subcontractor it is about.
    #[schema(required)]
    pub supplier_id: Option<Id>,
    /// The payments it is about.
    pub ids: Vec<Id>,
    /// What is unallocated, or by how much the payments of an earlier return change.
    #[schema(required)]
    pub amount: Option<Money>,
    /// The tax month whose return is to be amended.
    #[schema(required)]
    pub tax_month_end: Option<Date>,
}

const NO_PAYE_REFERENCE: &str = "no_paye_reference";
const UNVERIFIED: &str = "unverified";
const NO_UTR: &str = "no_utr";
const NEGATIVE: &str = "negative";
const UNALLOCATED_PAYMENT: &str = "unallocated_payment";

fn code() -> ObjectBuilder {
    let words = [NO_PAYE_REFERENCE, UNVERIFIED, NO_UTR, NEGATIVE, UNALLOCATED_PAYMENT];
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words))
}

/// What a return is computed from.
#[derive(Debug, Default)]
pub struct CisReturnRows {
    /// The rows of the position of the same days.
    pub(crate) position: CisPositionRows,
    /// Payments of the month to subcontractors with what no document had taken up at its end, by supplier.
    pub(crate) advances: Vec<CisAdvance>,
    /// The employer's reference of the organisation.
    pub(crate) paye_reference: Option<String>,
    /// Its Accounts Office reference.
    pub(crate) accounts_office_reference: Option<String>,
}

/// A payment on account, of which nothing is withheld yet.
#[derive(Debug, Clone)]
pub(crate) struct CisAdvance {
    pub(crate) payment_id: i64,
    pub(crate) supplier_id: i64,
    pub(crate) supplier_name: String,
    pub(crate) unallocated: Pence,
}

impl CisReturn {
    /// The return of a tax month.
    pub fn compute(rows: CisReturnRows, month: TaxMonth) -> Self {
        let CisReturnRows { position, advances, paye_reference, accounts_office_reference } = rows;
        let taken_back = taken_back(&position, month);
        let position = CisPosition::compute(position, month.period());
        let subcontractors: Vec<CisReturnRow> = position.subcontractors.into_iter().map(CisReturnRow::from).collect();
        let no_paye_reference = paye_reference.is_none().then(|| {
            CisWarning::of(NO_PAYE_REFERENCE, "the organisation has no PAYE reference, which the return asks for", None)
        });
        let mut warnings: Vec<CisWarning> = no_paye_reference.into_iter().collect();
        warnings.extend(unknown_to_hmrc(&subcontractors));
        warnings.extend(taken_back);
        warnings.extend(on_account(&advances));
        Self {
            currency: CURRENCY,
            tax_month_end: month.last(),
            due_date: month.return_due(),
            payment_due_date: month.payment_due(),
            paye_reference,
            accounts_office_reference,
            nil_return: subcontractors.is_empty(),
            subcontractors,
            totals: CisReturnTotals {
                total_payments: position.totals.total_payments,
                cost_of_materials: position.totals.materials,
                total_deducted: position.totals.deducted,
            },
            cis_payable_balance: position.cis_payable_balance,
            warnings,
        }
    }
}

impl CisReturn {
    /// What a return on paper says of itself below its title.
    pub fn references(&self) -> Vec<String> {
        let named = [
            ("Employer's reference", &self.paye_reference),
            ("Accounts Office reference", &self.accounts_office_reference),
        ];
        let known = named.into_iter().filter_map(|(name, reference)| Some(format!("{name} {}", reference.as_ref()?)));
        known.collect()
    }

    /// Everybody who was paid, all together, and what is owed.
    fn of_subcontractors(&self) -> ReportPart {
        let mut columns = Vec::from(subcontractor_columns());
        columns.extend([
            ReportColumn::figure("total_payments", "Payments"),
            ReportColumn::figure("cost_of_materials", "Materials"),
            ReportColumn::figure("total_deducted", "Deducted"),
        ]);
        let named = |name: &str, figures: [ReportCell; 3]| -> Vec<ReportCell> {
            let nothing = || ReportCell::Empty;
            [nothing(), name.into(), nothing(), nothing(), nothing()].into_iter().chain(figures).collect()
        };
        let CisReturnTotals { total_payments, cost_of_materials, total_deducted } = self.totals;
        let totals = [total_payments, cost_of_materials, total_deducted].map(ReportCell::from);
        let owed = [ReportCell::Empty, ReportCell::Empty, self.cis_payable_balance.into()];
        let mut rows: Vec<ReportRow> = self.subcontractors.iter().map(CisReturnRow::printed).collect();
        rows.push(ReportRow::total("totals", named("Total", totals)));
        rows.push(ReportRow::line("cis_payable_balance", named("Owed to HMRC at the end of the tax month", owed)));
        ReportPart::new(columns, rows)
    }

    fn of_warnings(&self) -> ReportPart {
        let columns = vec![
            ReportColumn::unprinted("code"),
            ReportColumn::unprinted("supplier_id"),
            ReportColumn::text("message", "To look at"),
            ReportColumn::unprinted("tax_month_end"),
            ReportColumn::figure("amount", "Amount"),
        ];
        let rows = self.warnings.iter().map(|one| {
            let (code, message) = (ReportCell::Word(one.code), (&one.message).into());
            let cells = vec![code, one.supplier_id.into(), message, one.tax_month_end.into(), one.amount.into()];
            ReportRow::line("warnings", cells)
        });
        ReportPart::headed("Warnings", columns, rows.collect())
    }

    /// What is to be done, in a sentence or two.
    fn summary(&self) -> String {
        let nobody = if self.nil_return { "Nobody was paid under the scheme: this is a nil return. " } else { "" };
        format!(
            "{nobody}The return is due on {}, and what was withheld is paid to HMRC by {}.",
            self.due_date.written_out(),
            self.payment_due_date.written_out()
        )
    }
}

impl CisReturnRow {
    fn printed(&self) -> ReportRow {
        let (utr, verification_number) = (self.utr.as_deref(), self.verification_number.as_deref());
        let who = [self.supplier_id.into(), self.name.as_str().into(), utr.into(), verification_number.into()];
        let figures = [self.total_payments, self.cost_of_materials, self.total_deducted].map(ReportCell::from);
        let rate = ReportCell::Count(self.deduction_rate);
        ReportRow::line("subcontractors", who.into_iter().chain([rate]).chain(figures).collect())
    }
}

impl Tabulated<TaxMonth> for CisReturn {
    const IS_ACCRUAL: bool = false;

    fn tables(&self, _: TaxMonth) -> ReportTables {
        let parts = vec![self.of_subcontractors(), self.of_warnings()];
        ReportTables { subject: None, parts, notes: vec![self.summary()] }
    }
}

impl ReportDays for TaxMonth {
    fn days(self) -> Vec<Date> {
        vec![self.last()]
    }

    fn last(self) -> Date {
        Self::last(self)
    }

    fn caption(self) -> String {
        format!("Tax month {}", self.period().caption())
    }
}

impl TaxMonth {
    /// Its days.
    pub fn period(self) -> Period {
        Period { first: self.first(), last: self.last() }
    }
}

impl From<CisSubcontractor> for CisReturnRow {
    fn from(row: CisSubcontractor) -> Self {
        Self {
            supplier_id: row.supplier_id,
            name: row.name,
            utr: row.utr,
            verification_number: row.verification_number,
            deduction_rate: row.deduction_rate,
            total_payments: row.total_payments,
            cost_of_materials: row.materials,
            total_deducted: row.deducted,
        }
    }
}

impl CisWarning {
    fn of(code: &'static str, message: impl Into<String>, supplier_id: Option<Id>) -> Self {
        Self { code, message: message.into(), supplier_id, ids: Vec::new(), amount: None, tax_month_end: None }
    }
}

/// A warning for each subcontractor without a verification, and for each without a taxpayer reference.
fn unknown_to_hmrc(rows: &[CisReturnRow]) -> Vec<CisWarning> {
    let mut known = BTreeSet::new();
    let mut warnings = Vec::new();
    for row in rows.iter().filter(|row| known.insert(row.supplier_id.0)) {
        if row.verification_number.is_none() {
            let message = format!("{} has no verification number of HMRC", row.name);
            warnings.push(CisWarning::of(UNVERIFIED, message, Some(row.supplier_id)));
        }
        if row.utr.is_none() {
            let message = format!("{} has no unique taxpayer reference", row.name);
            warnings.push(CisWarning::of(NO_UTR, message, Some(row.supplier_id)));
        }
    }
    warnings
}

/// A warning for each subcontractor with payments that no document has taken up: CIS340 asks for the deduction when they
/// are paid.
fn on_account(advances: &[CisAdvance]) -> Vec<CisWarning> {
    let mut warnings: Vec<CisWarning> = Vec::new();
    for of_supplier in advances.chunk_by(|one, next| one.supplier_id == next.supplier_id) {
        let amount: Pence = of_supplier.iter().map(|advance| advance.unallocated).sum();
        let Some(first) = of_supplier.first() else { continue };
        let message = format!(
            "{} of what {} was paid is set against no bill: nothing is withheld from it yet",
            pounds(amount),
            first.supplier_name
        );
        warnings.push(CisWarning {
            ids: of_supplier.iter().map(|advance| Id(advance.payment_id)).collect(),
            amount: Some(amount.into()),
            ..CisWarning::of(UNALLOCATED_PAYMENT, message, Some(Id(first.supplier_id)))
        });
    }
    warnings
}

/// Payments of one earlier tax month that were taken back in this one.
#[derive(Default)]
struct TakenBack {
    payments: BTreeSet<i64>,
}

/// A warning for each subcontractor and earlier tax month of which a payment was voided in this one, or taken back so that
/// a row is below zero: HMRC takes no row below zero, the earlier return is amended instead.
fn taken_back(rows: &CisPositionRows, month: TaxMonth) -> Vec<CisWarning> {
    let period = month.period();
    let below_zero: BTreeSet<(i64, i64)> = figures_by_rate(&rows.allocations, period)
        .into_iter()
        .filter(|(_, figures)| figures.is_below_zero())
        .map(|(subcontractor, _)| subcontractor)
        .collect();
    let mut found: BTreeMap<((i64, i64), Option<TaxMonth>), TakenBack> = BTreeMap::new();
    for allocation in rows.allocations.iter().filter(|allocation| allocation.is_taken_back(period)) {
        let subcontractor = (allocation.supplier_id, allocation.deduction_rate);
        let is_void = allocation.settlement_void_date.is_some_and(|date| date <= period.last);
        if is_void || below_zero.contains(&subcontractor) {
            let earlier = found.entry((subcontractor, Some(TaxMonth::of(allocation.date)))).or_default();
            earlier.payments.extend(allocation.settlement_id);
        }
    }
    let explained: BTreeSet<(i64, i64)> = found.keys().map(|(subcontractor, _)| *subcontractor).collect();
    // What is refunded for a credit note was paid some time before, and nothing says when.
    for subcontractor in below_zero.difference(&explained) {
        found.insert((*subcontractor, None), TakenBack::default());
    }
    let warning = |((subcontractor, earlier), back): ((_, Option<TaxMonth>), TakenBack)| {
        let of_rate = |one: &&BillAllocation| (one.supplier_id, one.deduction_rate) == subcontractor;
        let allocations: Vec<&BillAllocation> = rows.allocations.iter().filter(of_rate).collect();
        let name = rows.suppliers.iter().find(|supplier| supplier.id == subcontractor.0);
        let name = name.map(|supplier| supplier.name.as_str()).unwrap_or_default();
        match earlier {
            Some(earlier) => back.of_month(&allocations, (subcontractor.0, name), (period, earlier)),
            None => refunded(&allocations, (subcontractor.0, name), period),
        }
    };
    found.into_iter().map(warning).collect()
}

impl TakenBack {
    /// The warning about an earlier tax month: its figures without these payments, less those that were declared.
    fn of_month(
        &self,
        allocations: &[&BillAllocation],
        (supplier_id, name): (i64, &str),
        (period, earlier): (Period, TaxMonth),
    ) -> CisWarning {
        let is_taken = |one: &BillAllocation| {
            one.is_taken_back(period)
                && TaxMonth::of(one.date) == earlier
                && one.settlement_id.is_some_and(|id| self.payments.contains(&id))
        };
        let declared = sum(allocations.iter().copied(), earlier.period());
        let amended = sum(allocations.iter().copied().filter(|one| !is_taken(one)), earlier.period());
        let [payments, deducted] = [amended.payments - declared.payments, amended.deducted - declared.deducted];
        let message = format!(
            "payments of {name} in the tax month to {} were taken back: HMRC takes no figure below zero, amend that return \
             (payments {}, deducted {})",
            long_date(earlier.last()),
            pounds(payments),
            pounds(deducted),
        );
        CisWarning {
            ids: self.payments.iter().copied().map(Id).collect(),
            amount: Some(payments.into()),
            tax_month_end: Some(earlier.last()),
            ..CisWarning::of(NEGATIVE, message, Some(Id(supplier_id)))
        }
    }
}

/// The warning about a row that is below zero because money was given back.
fn refunded(allocations: &[&BillAllocation], (supplier_id, name): (i64, &str), period: Period) -> CisWarning {
    let refunds = allocations.iter().filter(|one| period.first <= one.date && one.kind.is_credit_note());
    let ids: BTreeSet<i64> = refunds.filter_map(|one| one.settlement_id).collect();
    let figures = sum(allocations.iter().copied(), period);
    let message = format!(
        "{name} gave back more than was paid: HMRC takes no figure below zero, amend the return of the tax month in which what \
         is given back was paid"
    );
    CisWarning {
        ids: ids.into_iter().map(Id).collect(),
        amount: Some(figures.payments.into()),
        ..CisWarning::of(NEGATIVE, message, Some(Id(supplier_id)))
    }
}

/// The figures of some allocations of one subcontractor and rate.
fn sum<'a>(allocations: impl Iterator<Item = &'a BillAllocation>, period: Period) -> Figures {
    figures_by_rate(allocations, period).into_values().next().unwrap_or_default()
}

impl Figures {
    fn is_below_zero(&self) -> bool {
        [self.payments, self.materials, self.deducted].iter().any(|figure| *figure < Pence::ZERO)
    }
}

impl BillAllocation {
    /// Whether it is a payment from before a period that was released in it.
    fn is_taken_back(&self, period: Period) -> bool {
        self.settlement_id.is_some()
            && self.date < period.first
            && self.released_date.is_some_and(|date| (period.first..=period.last).contains(&date))
    }
}

fn example() -> Value {
    json!({
        "currency": "GBP", "tax_month_end": "2026-04-05", "due_date": "2026-04-19", "payment_due_date": "2026-04-22",
        "paye_reference": "123/AB456", "accounts_office_reference": "123PA00045678", "nil_return": false,
        "subcontractors": [
            {
                "supplier_id": 14, "name": "Ash Groundworks", "utr": null, "verification_number": "V0987654321A",
                "deduction_rate": 30, "total_payments": 500.00, "cost_of_materials": 0.00, "total_deducted": 150.00
            },
            {
                "supplier_id": 12, "name": "Reed Carpentry", "utr": "1234567890", "verification_number": "V1234567890",
                "deduction_rate": 20, "total_payments": 670.66, "cost_of_materials": 146.71, "total_deducted": 104.79
            }
        ],
        "totals": { "total_payments": 1170.66, "cost_of_materials": 146.71, "total_deducted": 254.79 },
        "cis_payable_balance": 254.79,
        "warnings": [
            {
                "code": "no_utr", "message": "Ash Groundworks has no unique taxpayer reference", "supplier_id": 14, "ids": [],
                "amount": null, "tax_month_end": null
            },
            {
                "code": "unallocated_payment",
                "message": "£250.00 of what Reed Carpentry was paid is set against no bill: nothing is withheld from it yet",
                "supplier_id": 12, "ids": [41], "amount": 250.00, "tax_month_end": null
            }
        ]
    })
}
