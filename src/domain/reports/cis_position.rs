//! The position under the Construction Industry Scheme: what was paid to subcontractors and withheld, by payment date.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::Period;
use super::account_balances::AccountBalances;
use super::table::{ReportCell, ReportColumn, ReportPart, ReportRow, ReportTables, Tabulated};
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::cis::net_of_settled;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::money::{CURRENCY, Money, Pence};

/// What CIS withheld from subcontractors, and customers from us, in a period.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = example)]
pub struct CisPosition {
    currency: &'static str,
    period_start: Date,
    period_end: Date,
    /// By name, id and rate.
    pub subcontractors: Vec<CisSubcontractor>,
    /// Of all subcontractors.
    pub totals: CisTotals,
    /// What is owed to HMRC at the end of the period.
    pub cis_payable_balance: Money,
    /// What customers withheld from us.
    pub suffered: Money,
}

/// A subcontractor paid in the period, of the bills with one rate.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CisSubcontractor {
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
    pub materials: Money,
    /// Of which liable to deduction.
    pub liable: Money,
    /// What was withheld.
    pub deducted: Money,
}

/// The sums over all subcontractors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct CisTotals {
    /// Payments without VAT, for labour and materials.
    pub total_payments: Money,
    /// Of which materials.
    pub materials: Money,
    /// Of which liable to deduction.
    pub liable: Money,
    /// What was withheld.
    pub deducted: Money,
}

/// What the position is computed from.
#[derive(Debug, Default)]
pub struct CisPositionRows {
    /// All payments of, and credit against, every bill and credit note with a payment made or released in the period, up
    /// to the end of the period.
    pub(crate) allocations: Vec<BillAllocation>,
    /// The suppliers of these bills.
    pub(crate) suppliers: Vec<CisSupplier>,
    /// The account that holds what is owed to HMRC, at the end of the period.
    pub(crate) payable: Vec<AccountBalances>,
    /// What customers withheld in the period, less what was released of that.
    pub(crate) suffered: Pence,
}

/// A payment of a bill or of a credit note under the scheme, or credit against a bill.
#[derive(Debug, Clone)]
pub(crate) struct BillAllocation {
    pub(crate) document_id: i64,
    pub(crate) kind: DocumentKind,
    pub(crate) supplier_id: i64,
    /// Percent.
    pub(crate) deduction_rate: i64,
    pub(crate) document: CisAmounts,
    pub(crate) date: Date,
    pub(crate) released_date: Option<Date>,
    pub(crate) amount: Pence,
    pub(crate) withheld: Pence,
    /// The amounts of the credit note that is set against the bill; none of a payment.
    pub(crate) credit_note: Option<CisAmounts>,
    /// The payment or refund; none of credit.
    pub(crate) settlement_id: Option<i64>,
    /// The day from which that is void.
    pub(crate) settlement_void_date: Option<Date>,
}

/// The amounts of a document that matter to the scheme.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CisAmounts {
    pub(crate) net: Pence,
    pub(crate) vat: Pence,
    pub(crate) labour: Pence,
    pub(crate) materials: Pence,
}

/// A supplier as the scheme knows it.
#[derive(Debug, Clone)]
pub(crate) struct CisSupplier {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) utr: Option<String>,
    pub(crate) verification_number: Option<String>,
}

impl CisPosition {
    /// The position of a period.
    pub fn compute(rows: CisPositionRows, period: Period) -> Self {
        let by_rate = figures_by_rate(&rows.allocations, period);
        let mut total = Figures::default();
        by_rate.values().for_each(|figures| total.add(*figures));
        let payable: Pence = rows.payable.iter().flat_map(|account| account.balances.iter().copied()).sum();
        Self {
            currency: CURRENCY,
            period_start: period.first,
            period_end: period.last,
            subcontractors: subcontractors(rows.suppliers, &by_rate),
            totals: CisTotals {
                total_payments: total.payments.into(),
                materials: total.materials.into(),
                liable: total.liable.into(),
                deducted: total.deducted.into(),
            },
            cis_payable_balance: (-payable).into(),
            suffered: rows.suffered.into(),
        }
    }
}

/// The columns that say who a subcontractor is and at which rate was withheld.
pub(super) fn subcontractor_columns() -> [ReportColumn; 5] {
    [
        ReportColumn::unprinted("supplier_id"),
        ReportColumn::text("name", "Subcontractor"),
        ReportColumn::mark("utr", "UTR"),
        ReportColumn::mark("verification_number", "Verification"),
        ReportColumn::figure("deduction_rate", "Rate %"),
    ]
}

impl Tabulated<Period> for CisPosition {
    const IS_ACCRUAL: bool = false;

    fn tables(&self, _: Period) -> ReportTables {
        let mut columns = Vec::from(subcontractor_columns());
        columns.extend([
            ReportColumn::figure("total_payments", "Payments"),
            ReportColumn::figure("materials", "Materials"),
            ReportColumn::figure("liable", "Liable"),
            ReportColumn::figure("deducted", "Deducted"),
        ]);
        let of_subcontractor = |one: &CisSubcontractor| {
            let (utr, verification_number) = (one.utr.as_deref(), one.verification_number.as_deref());
            let who = [one.supplier_id.into(), one.name.as_str().into(), utr.into(), verification_number.into()];
            let figures = [one.total_payments, one.materials, one.liable, one.deducted].map(ReportCell::from);
            let rate = ReportCell::Count(one.deduction_rate);
            ReportRow::line("subcontractors", who.into_iter().chain([rate]).chain(figures).collect())
        };
        let named = |name: &str, figures: [ReportCell; 4]| -> Vec<ReportCell> {
            let nothing = || ReportCell::Empty;
            let who = [nothing(), name.into(), nothing(), nothing(), nothing()];
            who.into_iter().chain(figures).collect()
        };
        let last = |amount: Money| [ReportCell::Empty, ReportCell::Empty, ReportCell::Empty, amount.into()];
        let CisTotals { total_payments, materials, liable, deducted } = self.totals;
        let totals = [total_payments, materials, liable, deducted].map(ReportCell::from);
        let mut rows: Vec<ReportRow> = self.subcontractors.iter().map(of_subcontractor).collect();
        rows.push(ReportRow::total("totals", named("Total", totals)));
        let owed = named("Owed to HMRC at the end of the period", last(self.cis_payable_balance));
        rows.push(ReportRow::line("cis_payable_balance", owed));
        rows.push(ReportRow::line("suffered", named("Withheld by customers", last(self.suffered))));
        ReportTables::of(vec![ReportPart::new(columns, rows)])
    }
}

/// The figures of a period by supplier and rate, without those to whom nothing was paid.
pub(super) fn figures_by_rate<'a>(
    allocations: impl IntoIterator<Item = &'a BillAllocation>,
    period: Period,
) -> BTreeMap<(i64, i64), Figures> {
    let mut by_rate: BTreeMap<(i64, i64), Figures> = BTreeMap::new();
    for bill in bills(allocations).values() {
        by_rate.entry((bill.supplier_id, bill.rate)).or_default().add(bill.of_period(period));
    }
    by_rate.retain(|_, figures| !figures.is_nothing());
    by_rate
}

/// By name, id and rate.
fn subcontractors(mut suppliers: Vec<CisSupplier>, by_rate: &BTreeMap<(i64, i64), Figures>) -> Vec<CisSubcontractor> {
    suppliers.sort_by(|one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
    let mut subcontractors = Vec::new();
    for supplier in suppliers {
        let of_supplier = by_rate.range((supplier.id, i64::MIN)..=(supplier.id, i64::MAX));
        for ((_, rate), figures) in of_supplier {
            subcontractors.push(CisSubcontractor {
                supplier_id: Id(supplier.id),
                name: supplier.name.clone(),
                utr: supplier.utr.clone(),
                verification_number: supplier.verification_number.clone(),
                deduction_rate: *rate,
                total_payments: figures.payments.into(),
                materials: figures.materials.into(),
                liable: figures.liable.into(),
                deducted: figures.deducted.into(),
            });
        }
    }
    subcontractors
}

/// A bill or credit note, with its payments and the credit against it.
struct Bill {
    supplier_id: i64,
    /// Percent.
    rate: i64,
    /// −1 of a credit note, whose refunds take payments back.
    sign: i64,
    parts: Parts,
    payments: Vec<Event<Paid>>,
    credit: Vec<Event<Parts>>,
}

/// The bills by id.
fn bills<'a>(allocations: impl IntoIterator<Item = &'a BillAllocation>) -> BTreeMap<i64, Bill> {
    let mut bills: BTreeMap<i64, Bill> = BTreeMap::new();
    for allocation in allocations {
        let bill = bills.entry(allocation.document_id).or_insert_with(|| Bill {
            supplier_id: allocation.supplier_id,
            rate: allocation.deduction_rate,
            sign: if allocation.kind.is_credit_note() { -1 } else { 1 },
            parts: Parts::of(allocation.document),
            payments: Vec::new(),
            credit: Vec::new(),
        });
        let (from, released) = (allocation.date, allocation.released_date);
        match allocation.credit_note {
            None => {
                let settled = allocation.amount + allocation.withheld;
                bill.payments.push(Event { from, released, what: Paid { settled, deducted: allocation.withheld } });
            }
            Some(amounts) => {
                bill.credit.push(Event { from, released, what: Parts::of(amounts).part(allocation.amount) });
            }
        }
    }
    bills
}

/// The parts of a document.
#[derive(Clone, Copy, Default)]
struct Parts {
    gross: Pence,
    /// Labour and materials, without VAT: what lies outside the scheme is no payment under it.
    in_scheme: Pence,
    materials: Pence,
}

/// Something that counts from one day to another.
struct Event<T> {
    from: Date,
    released: Option<Date>,
    what: T,
}

/// What a payment settles, and what of it was withheld.
#[derive(Clone, Copy, Default)]
struct Paid {
    settled: Pence,
    deducted: Pence,
}

/// The figures of a period.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Figures {
    pub(super) payments: Pence,
    pub(super) materials: Pence,
    pub(super) liable: Pence,
    pub(super) deducted: Pence,
}

impl Figures {
    fn add(&mut self, other: Self) {
        self.payments += other.payments;
        self.materials += other.materials;
        self.liable += other.liable;
        self.deducted += other.deducted;
    }

    /// Whether nothing was paid: the subcontractor is left out.
    fn is_nothing(&self) -> bool {
        self.payments.is_zero() && self.materials.is_zero() && self.deducted.is_zero()
    }
}

impl<T: Copy> Event<T> {
    fn on(&self, date: Date) -> Option<T> {
        (self.from <= date && self.released.is_none_or(|released| date < released)).then_some(self.what)
    }
}

impl Parts {
    fn of(amounts: CisAmounts) -> Self {
        let CisAmounts { net, vat, labour, materials } = amounts;
        Self { gross: net + vat, in_scheme: labour + materials, materials }
    }

    /// These amounts in the proportion of `amount` to the gross.
    fn part(self, amount: Pence) -> Self {
        let part = |of: Pence| net_of_settled(of, amount, self.gross);
        Self { gross: amount, in_scheme: part(self.in_scheme), materials: part(self.materials) }
    }

    fn without(self, other: Self) -> Self {
        Self {
            gross: self.gross - other.gross,
            in_scheme: self.in_scheme - other.in_scheme,
            materials: self.materials - other.materials,
        }
    }
}

impl Bill {
    /// The figures of all payments up to the end of a day, without VAT: the amounts of the bill in the proportion settled.
    /// The last payment completes them. Credit counts from the next payment or release, because its deduction is computed
    /// then.
    fn figures(&self, end: Date) -> Figures {
        let days = self.payments.iter().flat_map(|one| [Some(one.from), one.released]).flatten();
        let Some(last) = days.filter(|date| *date <= end).max() else { return Figures::default() };
        let credit = self.credit.iter().filter_map(|one| one.on(last));
        let left = credit.fold(self.parts, Parts::without);
        let paid = self.payments.iter().filter_map(|one| one.on(end)).fold(Paid::default(), |sum, one| Paid {
            settled: sum.settled + one.settled,
            deducted: sum.deducted + one.deducted,
        });
        let Parts { in_scheme: payments, materials, .. } = left.part(paid.settled);
        Figures { payments, materials, liable: payments - materials, deducted: paid.deducted }
    }

    fn of_period(&self, period: Period) -> Figures {
        let (before, after) = (self.figures(period.first - 1), self.figures(period.last));
        let between = |before: Pence, after: Pence| Pence((after - before).0 * self.sign);
        Figures {
            payments: between(before.payments, after.payments),
            materials: between(before.materials, after.materials),
            liable: between(before.liable, after.liable),
            deducted: between(before.deducted, after.deducted),
        }
    }
}

fn example() -> Value {
    json!({
        "currency": "GBP", "period_start": "2026-03-06", "period_end": "2026-04-05",
        "subcontractors": [{
            "supplier_id": 12, "name": "Reed Carpentry", "utr": "1234567890", "verification_number": "V1234567890",
            "deduction_rate": 20, "total_payments": 670.66, "materials": 146.71, "liable": 523.95, "deducted": 104.79
        }],
        "totals": { "total_payments": 670.66, "materials": 146.71, "liable": 523.95, "deducted": 104.79 },
        "cis_payable_balance": 104.79, "suffered": 0.00
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Period = Period { first: Date::numbered(100), last: Date::numbered(130) };

    /// A payment of 700.00 for a bill of 1,500.00 work and 420.00 materials, 104.79 withheld beside it.
    fn payment(document_id: i64, supplier_id: i64, deduction_rate: i64, date: Date) -> BillAllocation {
        let (net, vat) = (Pence(192_000), Pence(38_400));
        BillAllocation {
            document_id,
            kind: DocumentKind::PurchaseInvoice,
            supplier_id,
            deduction_rate,
            document: CisAmounts { net, vat, labour: Pence(150_000), materials: Pence(42_000) },
            date,
            released_date: None,
            amount: Pence(70_000),
            withheld: Pence(10_479),
            credit_note: None,
            settlement_id: Some(document_id),
            settlement_void_date: None,
        }
    }

    fn supplier(id: i64, name: &str) -> CisSupplier {
        CisSupplier { id, name: name.to_owned(), utr: None, verification_number: None }
    }

    fn position(allocations: Vec<BillAllocation>) -> CisPosition {
        let suppliers = vec![supplier(1, "Reed"), supplier(2, "Oak"), supplier(3, "Oak"), supplier(4, "Ash")];
        CisPosition::compute(CisPositionRows { allocations, suppliers, ..CisPositionRows::default() }, PERIOD)
    }

    /// Supplier, rate, payments, deducted.
    fn figures(position: &CisPosition) -> Vec<(i64, i64, i64, i64)> {
        let of = |one: &CisSubcontractor| (one.supplier_id.0, one.deduction_rate, one.total_payments.0, one.deducted.0);
        position.subcontractors.iter().map(of).collect()
    }

    #[test]
    fn a_row_stands_for_each_subcontractor_and_rate_by_name_id_and_rate() {
        let position = position(vec![
            payment(10, 1, 30, Date::numbered(110)),
            payment(11, 1, 20, Date::numbered(110)),
            payment(12, 3, 20, Date::numbered(110)),
            payment(13, 2, 20, Date::numbered(110)),
            payment(14, 2, 20, Date::numbered(120)),
        ]);
        let one = (67_066, 10_479);
        let expected =
            [(2, 20, 2 * one.0, 2 * one.1), (3, 20, one.0, one.1), (1, 20, one.0, one.1), (1, 30, one.0, one.1)];
        assert_eq!(figures(&position), expected);
        assert_eq!((position.totals.total_payments.0, position.totals.deducted.0), (5 * one.0, 5 * one.1));
    }

    #[test]
    fn what_was_paid_outside_the_period_or_released_within_it_is_no_row() {
        let mut released = payment(12, 3, 20, Date::numbered(110));
        released.released_date = Some(Date::numbered(120));
        let position =
            position(vec![payment(10, 1, 20, Date::numbered(99)), payment(11, 2, 20, Date::numbered(131)), released]);
        assert_eq!(figures(&position), []);
        assert_eq!(position.totals.total_payments, Money(0));
    }

    #[test]
    fn what_lies_outside_the_scheme_is_no_payment_under_it() {
        // 1,500.00 work, 420.00 materials and 100.01 of something else.
        let mut paid = payment(10, 1, 20, Date::numbered(110));
        let (net, vat) = (Pence(202_001), Pence(40_400));
        paid.document = CisAmounts { net, vat, ..paid.document };
        (paid.amount, paid.withheld) = (net + vat - Pence(30_000), Pence(30_000));
        let whole = position(vec![paid.clone()]);
        let row = &whole.subcontractors[0];
        let figures = [row.total_payments, row.materials, row.liable, row.deducted].map(|figure| figure.0);
        assert_eq!(figures, [192_000, 42_000, 150_000, 30_000]);
        // In part, what is paid is still materials and what is liable.
        (paid.amount, paid.withheld) = (Pence(70_000), Pence(9_876));
        let part = position(vec![paid.clone()]);
        assert_eq!(part.totals.total_payments.0, part.totals.materials.0 + part.totals.liable.0);
        // A bill of nothing else is no row.
        paid.document = CisAmounts { labour: Pence::ZERO, materials: Pence::ZERO, ..paid.document };
        paid.withheld = Pence::ZERO;
        assert_eq!(position(vec![paid]).subcontractors, []);
    }

    #[test]
    fn a_release_of_an_earlier_payment_takes_it_back() {
        let mut released = payment(10, 1, 20, Date::numbered(90));
        released.released_date = Some(Date::numbered(110));
        assert_eq!(figures(&position(vec![released])), [(1, 20, -67_066, -10_479)]);
    }
}
