//! What reports are asked for: periods, days, and what these are compared with.

use serde_json::{Value, json};

use crate::domain::date::Date;
use crate::domain::reports::balance_comparison::ComparedDays;
use crate::domain::reports::period_comparison::ComparedPeriods;
use crate::domain::reports::profit_loss_monthly::{MonthlyPeriod, ProfitLossMonthly};
use crate::domain::reports::{AsOf, Period};
use crate::http::openapi;
use crate::http::openapi::Operation;
use crate::http::openapi::schema::{Field, date, required};
use crate::http::query::Query;
use crate::http::resources::reports::Parameters;

impl Parameters for Period {
    fn read(query: &mut Query, _: Date) -> Option<Self> {
        let (first, last) = query.period("period_start", "period_end", Self::DAYS_MAX)?;
        Some(Self { first, last })
    }

    fn describe(operation: Operation) -> Operation {
        openapi::of_period(operation)
    }

    fn fields() -> Vec<Field> {
        vec![required("period_start", date()), required("period_end", date())]
    }

    fn example() -> Value {
        json!({ "period_start": "2026-01-01", "period_end": "2026-03-31" })
    }
}

impl Parameters for MonthlyPeriod {
    fn read(query: &mut Query, today: Date) -> Option<Self> {
        let period = Period::read(query, today)?;
        if ProfitLossMonthly::months(period) > ProfitLossMonthly::MONTHS_MAX {
            query.refuse("period_end", openapi::MONTHS_RULE);
        }
        Some(Self { period })
    }

    fn describe(operation: Operation) -> Operation {
        Period::describe(operation).rule("query.period_end", openapi::MONTHS_RULE)
    }

    fn fields() -> Vec<Field> {
        Period::fields()
    }

    fn example() -> Value {
        json!({ "period_start": "2026-02-01", "period_end": "2026-03-15" })
    }
}

impl Parameters for AsOf {
    fn read(query: &mut Query, today: Date) -> Option<Self> {
        Some(Self { date: query.date("as_of").unwrap_or(today) })
    }

    fn describe(operation: Operation) -> Operation {
        openapi::as_of(operation)
    }

    fn fields() -> Vec<Field> {
        vec![required("as_of", date())]
    }

    fn example() -> Value {
        json!({ "as_of": "2026-03-31" })
    }
}

impl Parameters for ComparedPeriods {
    fn read(query: &mut Query, today: Date) -> Option<Self> {
        let current = Period::read(query, today);
        let given = ["compare_start", "compare_end"].map(|name| query.has(name));
        let compare = query.word("compare", "previous_year", |word| (word == "previous_year").then_some(()));
        if given == [false, false] {
            // Their names are allowed all the same.
            query.date("compare_start");
            query.date("compare_end");
            let current = current?;
            return Some(if compare.is_some() {
                Self::with_year_before(current)
            } else {
                Self::with_period_before(current)
            });
        }
        if compare.is_some() {
            query.refuse("compare", openapi::COMPARE_RULE);
        }
        let (compare_start, compare_end) = query.period("compare_start", "compare_end", Period::DAYS_MAX)?;
        Some(Self { current: current?, compare_start, compare_end })
    }

    fn describe(operation: Operation) -> Operation {
        openapi::compared_periods(openapi::of_period(operation))
    }

    fn fields() -> Vec<Field> {
        let compare = ["compare_start", "compare_end"].map(|name| required(name, date()));
        Period::fields().into_iter().chain(compare).collect()
    }

    fn example() -> Value {
        json!({
            "period_start": "2026-01-01", "period_end": "2026-03-31",
            "compare_start": "2025-10-01", "compare_end": "2025-12-31"
        })
    }
}

impl Parameters for ComparedDays {
    fn read(query: &mut Query, today: Date) -> Option<Self> {
        let as_of = query.date("as_of").unwrap_or(today);
        let compare_as_of = query.date("compare_as_of").unwrap_or_else(|| as_of.year_before());
        Some(Self { as_of, compare_as_of })
    }

    fn describe(operation: Operation) -> Operation {
        openapi::compared_days(openapi::as_of(operation))
    }

    fn fields() -> Vec<Field> {
        ["as_of", "compare_as_of"].map(|name| required(name, date())).into()
    }

    fn example() -> Value {
        json!({ "as_of": "2026-03-31", "compare_as_of": "2025-03-31" })
    }
}
