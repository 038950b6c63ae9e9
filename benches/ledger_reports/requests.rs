//! What is asked of each report, of the service and of the bare side.

use serde_json::Value;

use crate::seed::{Description, LAST_DAY};

/// A report as it is asked for.
pub struct ReportRequest {
    /// Its name.
    pub name: &'static str,
    /// The path inside the organisation; `{customer}` and `{supplier}` stand for the contacts of the seed.
    path: &'static str,
    /// What the bare side's statement is asked with.
    numbers: Numbers,
    /// Whether an answer adds up.
    pub ties: fn(&Value) -> bool,
}

/// What stands for the parameters of a hand-written statement, after the organisation.
enum Numbers {
    /// As they are.
    Fixed(&'static [i64]),
    /// The customer of the seed before them.
    Customer(&'static [i64]),
    /// The supplier of the seed before them.
    Supplier(&'static [i64]),
}

impl ReportRequest {
    /// The path inside the organisation.
    pub fn path(&self, description: &Description) -> String {
        let path = self.path.replace("{customer}", &description.customer.to_string());
        path.replace("{supplier}", &description.supplier.to_string())
    }

    /// The parameters of the bare side's statement.
    pub fn numbers(&self, description: &Description) -> String {
        let mut numbers = vec![description.organisation];
        match self.numbers {
            Numbers::Fixed(fixed) => numbers.extend(fixed),
            Numbers::Customer(fixed) => {
                numbers.push(description.customer);
                numbers.extend(fixed);
            }
            Numbers::Supplier(fixed) => {
                numbers.push(description.supplier);
                numbers.extend(fixed);
            }
        }
        numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
    }
}

/// The months of the financial year 2025-26, and of the one before it.
const APRIL_2024: i64 = 2_024 * 12 + 3;
const APRIL_2025: i64 = 2_025 * 12 + 3;
const MARCH_2026: i64 = 2_026 * 12 + 2;
/// 2025-04-01, 2026-01-01, 2026-03-01 and 2026-03-17.
const FIRST_OF_YEAR: i64 = LAST_DAY - 364;
const FIRST_OF_QUARTER: i64 = LAST_DAY - 89;
const FIRST_OF_MARCH: i64 = LAST_DAY - 30;
const IN_MARCH: i64 = LAST_DAY - 14;

/// Two members of an answer that must be equal.
fn are_equal(answer: &Value, one: &str, other: &str) -> bool {
    answer.pointer(one).is_some_and(|value| Some(value) == answer.pointer(other))
}

fn has_no_difference(answer: &Value) -> bool {
    answer.get("difference").and_then(Value::as_f64) == Some(0.0)
        && are_equal(answer, "/totals/total", "/control_account_balance")
}

fn is_there(answer: &Value) -> bool {
    answer.get("cursor").is_some()
}

/// Every report.
pub const REPORTS: &[ReportRequest] = &[
    ReportRequest {
        name: "profit-loss",
        path: "/reports/profit-loss?period_start=2025-04-01&period_end=2026-03-31",
        numbers: Numbers::Fixed(&[APRIL_2025, MARCH_2026]),
        ties: is_there,
    },
    ReportRequest {
        name: "profit-loss-monthly",
        path: "/reports/profit-loss-monthly?period_start=2025-04-01&period_end=2026-03-31",
        numbers: Numbers::Fixed(&[APRIL_2025, MARCH_2026]),
        ties: is_there,
    },
    ReportRequest {
        name: "balance-sheet",
        path: "/reports/balance-sheet?as_of=2026-03-17",
        numbers: Numbers::Fixed(&[MARCH_2026, FIRST_OF_MARCH, IN_MARCH, APRIL_2025]),
        ties: |answer| are_equal(answer, "/net_assets", "/total_equity"),
    },
    ReportRequest {
        name: "trial-balance",
        path: "/reports/trial-balance?as_of=2026-03-17",
        numbers: Numbers::Fixed(&[MARCH_2026, FIRST_OF_MARCH, IN_MARCH, APRIL_2025]),
        ties: |answer| are_equal(answer, "/total_debit", "/total_credit"),
    },
    ReportRequest {
        name: "cash-flow",
        path: "/reports/cash-flow?period_start=2025-04-01&period_end=2026-03-31",
        numbers: Numbers::Fixed(&[APRIL_2025, MARCH_2026, FIRST_OF_YEAR, LAST_DAY]),
        ties: is_there,
    },
    ReportRequest {
        name: "vat-return",
        path: "/reports/vat-return?period_start=2026-01-01&period_end=2026-03-31",
        numbers: Numbers::Fixed(&[MARCH_2026 - 2, MARCH_2026, FIRST_OF_QUARTER, LAST_DAY]),
        ties: |answer| are_equal(answer, "/box4", "/hmrc/vatReclaimedCurrPeriod"),
    },
    ReportRequest {
        name: "period-comparison",
        path: "/reports/period-comparison?period_start=2025-04-01&period_end=2026-03-31",
        numbers: Numbers::Fixed(&[APRIL_2025, MARCH_2026, APRIL_2024]),
        ties: is_there,
    },
    ReportRequest {
        name: "balance-comparison",
        path: "/reports/balance-comparison?as_of=2026-03-31",
        numbers: Numbers::Fixed(&[MARCH_2026 + 1, APRIL_2025, APRIL_2025, APRIL_2024]),
        ties: is_there,
    },
    ReportRequest {
        name: "aged-debtors",
        path: "/reports/aged-debtors?as_of=2026-03-31",
        numbers: Numbers::Fixed(&[]),
        ties: has_no_difference,
    },
    ReportRequest {
        name: "aged-creditors",
        path: "/reports/aged-creditors?as_of=2026-03-31",
        numbers: Numbers::Fixed(&[]),
        ties: has_no_difference,
    },
    ReportRequest {
        name: "sales-by-customer",
        path: "/reports/sales-by-customer?period_start=2025-04-01&period_end=2026-03-31",
        numbers: Numbers::Fixed(&[APRIL_2025, MARCH_2026]),
        ties: is_there,
    },
    ReportRequest {
        name: "purchases-by-supplier",
        path: "/reports/purchases-by-supplier?period_start=2025-04-01&period_end=2026-03-31",
        numbers: Numbers::Fixed(&[APRIL_2025, MARCH_2026]),
        ties: is_there,
    },
    ReportRequest {
        name: "customer-statement",
        path: "/reports/customer-statement/{customer}?period_start=2026-01-01&period_end=2026-03-31",
        numbers: Numbers::Customer(&[FIRST_OF_QUARTER, LAST_DAY, MARCH_2026 - 2]),
        ties: is_there,
    },
    ReportRequest {
        name: "supplier-statement",
        path: "/reports/supplier-statement/{supplier}?period_start=2026-01-01&period_end=2026-03-31",
        numbers: Numbers::Supplier(&[FIRST_OF_QUARTER, LAST_DAY, MARCH_2026 - 2]),
        ties: is_there,
    },
];
