//! What was withheld under the Construction Industry Scheme, as answers show it.

use serde::Serialize;

use super::{CURRENCY, Date, Money};
use crate::domain::ledger::period::Day;
use crate::store::{CisPosition, CisSubcontractor};

/// The position of a period.
#[derive(Serialize)]
pub struct PositionJson<'a> {
    currency: &'static str,
    period_start: Date,
    period_end: Date,
    subcontractors: Vec<SubcontractorJson<'a>>,
    totals: TotalsJson,
    cis_payable_balance: Money,
    suffered: Money,
}

#[derive(Serialize)]
struct SubcontractorJson<'a> {
    supplier_id: i64,
    name: &'a str,
    utr: Option<&'a str>,
    verification_number: Option<&'a str>,
    deduction_rate: i64,
    total_payments: Money,
    materials: Money,
    liable: Money,
    deducted: Money,
}

#[derive(Serialize)]
struct TotalsJson {
    total_payments: Money,
    materials: Money,
    liable: Money,
    deducted: Money,
}

impl<'a> PositionJson<'a> {
    /// The position from one day to another.
    pub fn new(position: &'a CisPosition, (from, to): (Day, Day)) -> Self {
        let sum = |part: fn(&CisSubcontractor) -> i64| Money(position.subcontractors.iter().map(part).sum());
        let totals = TotalsJson {
            total_payments: sum(|one| one.payments_pence),
            materials: sum(|one| one.materials_pence),
            liable: sum(|one| one.liable_pence),
            deducted: sum(|one| one.deducted_pence),
        };
        Self {
            currency: CURRENCY,
            period_start: Date(from),
            period_end: Date(to),
            subcontractors: position.subcontractors.iter().map(SubcontractorJson::from).collect(),
            totals,
            cis_payable_balance: Money(position.payable_balance_pence),
            suffered: Money(position.suffered_pence),
        }
    }
}

impl<'a> From<&'a CisSubcontractor> for SubcontractorJson<'a> {
    fn from(one: &'a CisSubcontractor) -> Self {
        Self {
            supplier_id: one.supplier_id,
            name: &one.name,
            utr: one.utr.as_deref(),
            verification_number: one.verification_number.as_deref(),
            deduction_rate: one.deduction_rate,
            total_payments: Money(one.payments_pence),
            materials: Money(one.materials_pence),
            liable: Money(one.liable_pence),
            deducted: Money(one.deducted_pence),
        }
    }
}
