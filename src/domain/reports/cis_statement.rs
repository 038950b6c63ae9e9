//! The payment and deduction statement that a contractor gives a subcontractor for a tax month (CIS340).

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::cis_return::{CisReturn, CisReturnRow, CisReturnRows, CisReturnTotals, CisWarning};
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::cis::TaxMonth;
use crate::domain::ledger::contact::CisRate;
use crate::domain::ledger::money::{CURRENCY, Money, Pence};

/// What was paid to a subcontractor in a tax month and what was withheld from it: the rows of the return of the contractor
/// with a deduction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = example)]
pub struct CisStatement {
    currency: &'static str,
    /// The last day of the tax month.
    pub tax_month_end: Date,
    /// By when the subcontractor has it: the 19th.
    pub due_date: Date,
    /// Who withheld.
    pub contractor: CisContractor,
    /// From whom.
    pub subcontractor: CisStatementSubcontractor,
    /// By rate.
    pub deductions: Vec<CisDeduction>,
    /// Of all rates.
    pub totals: CisReturnTotals,
    /// What a person should look at before the statement is given.
    pub warnings: Vec<CisWarning>,
}

/// The contractor of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CisContractor {
    /// The legal name, else the name.
    pub name: String,
    /// The employer's reference.
    #[schema(required)]
    pub paye_reference: Option<String>,
}

/// The subcontractor of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CisStatementSubcontractor {
    /// The supplier.
    pub supplier_id: Id,
    /// The present name.
    pub name: String,
    /// Unique taxpayer reference.
    #[schema(required)]
    pub utr: Option<String>,
    /// HMRC's verification, where something was withheld at the higher rate; else null.
    #[schema(required)]
    pub verification_number: Option<String>,
}

/// What was withheld at one rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CisDeduction {
    /// Percent.
    #[schema(minimum = 0)]
    pub deduction_rate: i64,
    /// The gross amount paid, without VAT.
    pub total_payments: Money,
    /// The materials in it, from which nothing is withheld.
    pub cost_of_materials: Money,
    /// What the deduction is taken from.
    pub liable: Money,
    /// What was withheld.
    pub total_deducted: Money,
}

impl CisStatement {
    /// The statement of a subcontractor for a tax month; what was withheld is nothing where there is no row.
    pub fn compute(rows: CisReturnRows, month: TaxMonth, contractor: String, supplier: (Id, &str)) -> Self {
        let (supplier_id, name) = supplier;
        let whole = CisReturn::compute(rows, month);
        let is_own = |row: &&CisReturnRow| row.supplier_id == supplier_id && row.total_deducted.0 > 0;
        let own: Vec<&CisReturnRow> = whole.subcontractors.iter().filter(is_own).collect();
        let has_higher_rate = own.iter().any(|row| row.deduction_rate == CisRate::Higher.percent());
        let sum = |figure: fn(&CisReturnRow) -> Money| Money(own.iter().map(|row| figure(row).0).sum());
        let known = own.first();
        let warnings = whole.warnings.iter().filter(|one| one.supplier_id.is_none_or(|id| id == supplier_id));
        Self {
            currency: CURRENCY,
            tax_month_end: month.last(),
            due_date: month.return_due(),
            contractor: CisContractor { name: contractor, paye_reference: whole.paye_reference.clone() },
            subcontractor: CisStatementSubcontractor {
                supplier_id,
                name: name.to_owned(),
                utr: known.and_then(|row| row.utr.clone()),
                verification_number: known.and_then(|row| row.verification_number.clone()).filter(|_| has_higher_rate),
            },
            deductions: own.iter().map(|row| CisDeduction::of(row)).collect(),
            totals: CisReturnTotals {
                total_payments: sum(|row| row.total_payments),
                cost_of_materials: sum(|row| row.cost_of_materials),
                total_deducted: sum(|row| row.total_deducted),
            },
            warnings: warnings.cloned().collect(),
        }
    }

    /// The figures that an e-mail names.
    pub fn figures(&self) -> Vec<(&'static str, Pence)> {
        vec![
            ("Gross amount paid, without VAT", Pence(self.totals.total_payments.0)),
            ("Cost of materials", Pence(self.totals.cost_of_materials.0)),
            ("Amount deducted", Pence(self.totals.total_deducted.0)),
        ]
    }

    /// Whether nothing was withheld, so that no statement is due.
    pub const fn is_nothing(&self) -> bool {
        self.deductions.is_empty()
    }
}

impl CisDeduction {
    fn of(row: &CisReturnRow) -> Self {
        let liable = Pence(row.total_payments.0) - Pence(row.cost_of_materials.0);
        Self {
            deduction_rate: row.deduction_rate,
            total_payments: row.total_payments,
            cost_of_materials: row.cost_of_materials,
            liable: liable.into(),
            total_deducted: row.total_deducted,
        }
    }
}

fn example() -> Value {
    json!({
        "currency": "GBP", "tax_month_end": "2026-04-05", "due_date": "2026-04-19",
        "contractor": { "name": "Larkspur Joinery Limited", "paye_reference": "123/AB456" },
        "subcontractor": {
            "supplier_id": 12, "name": "Reed Carpentry", "utr": "1234567890", "verification_number": null
        },
        "deductions": [{
            "deduction_rate": 20, "total_payments": 670.66, "cost_of_materials": 146.71, "liable": 523.95,
            "total_deducted": 104.79
        }],
        "totals": { "total_payments": 670.66, "cost_of_materials": 146.71, "total_deducted": 104.79 },
        "warnings": []
    })
}
