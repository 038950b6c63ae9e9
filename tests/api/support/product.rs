//! The products whose work is done by jobs, as the tests that hold for all of them see them: where jobs are submitted,
//! what a submission of a known price looks like, and what the answers are called. And the macros that run one test for
//! each product.

use bookkeeping_suite::domain::job::Product;
use serde_json::{Value, json};

use super::{coding, data};

/// What the shared tests must know about a product.
pub trait JobProduct: Copy {
    /// Where jobs are submitted; polls have the id after it.
    fn path(self) -> &'static str;
    /// The key of the id in answers.
    fn id_field(self) -> &'static str;
    /// The scopes to poll and to submit.
    fn scopes(self) -> [&'static str; 2];
    /// The engine, as operators know it.
    fn actor(self) -> &'static str;
    /// The 422 of its format.
    fn format_code(self) -> &'static str;
    /// A request that costs so many credits.
    fn costing(self, credits: usize) -> String;
    /// The same, allowing overage.
    fn costing_with_overage(self, credits: usize) -> String;
    /// A request with one row for each description, which the result repeats; it costs a credit a row.
    fn describing(self, descriptions: &[String]) -> String;
    /// The descriptions of the rows that the result of such a request repeats.
    fn described(self, result: &Value) -> Vec<String>;
    /// Rows that progress counts to for a request that costs so many credits.
    fn rows_total(self, credits: u64) -> u64;
    /// The `code` and `details` of a job that failed for this reason.
    fn failure(self, reason: &str) -> (Value, Value);
    /// The `code` and `details` of a job that could not be paid for when its run ended.
    fn unpaid(self, required: u64, available: u64) -> (Value, Value);
    /// A result with the shape of a real one.
    fn result(self, cost: i64, charged: i64) -> Value;
    /// The keys of a poll, sorted, for a job that has also these.
    fn state_keys(self, also: &[&str]) -> Vec<String> {
        let mut keys: Vec<String> = [self.id_field(), "status", "created_at"].map(str::to_owned).into();
        keys.extend(also.iter().map(|key| (*key).to_owned()));
        keys.sort();
        keys
    }
}

impl JobProduct for Product {
    fn path(self) -> &'static str {
        match self {
            Self::Reconciliation => "/api/v1/reconciliations",
            Self::Coding => "/api/v1/coding/coding-jobs",
        }
    }

    fn id_field(self) -> &'static str {
        match self {
            Self::Reconciliation => "reconciliation_id",
            Self::Coding => "coding_job_id",
        }
    }

    fn scopes(self) -> [&'static str; 2] {
        match self {
            Self::Reconciliation => ["reconcile:read", "reconcile:write"],
            Self::Coding => ["coding:read", "coding:write"],
        }
    }

    fn actor(self) -> &'static str {
        match self {
            Self::Reconciliation => "recon",
            Self::Coding => "coding",
        }
    }

    fn format_code(self) -> &'static str {
        match self {
            Self::Reconciliation => "invalid_dataset_format",
            Self::Coding => "invalid_request_format",
        }
    }

    fn costing(self, credits: usize) -> String {
        match self {
            Self::Reconciliation => data::costing(credits),
            Self::Coding => coding::request(&vec![coding::transaction("-12.50"); credits]),
        }
    }

    fn costing_with_overage(self, credits: usize) -> String {
        match self {
            Self::Reconciliation => data::costing_with_overage(credits),
            Self::Coding => {
                let transactions = vec![coding::transaction("-12.50"); credits];
                coding::request_with(&transactions, r#""options":{"allowOverage":true}"#)
            }
        }
    }

    fn describing(self, descriptions: &[String]) -> String {
        match self {
            Self::Reconciliation => {
                let row = |text| data::Row { description: text, ..data::row("1.00") };
                data::request(&descriptions.iter().map(|text| row(text)).collect::<Vec<_>>(), &[])
            }
            Self::Coding => {
                let row = |text| coding::described("2026-01-05", "1.00", text);
                coding::request(&descriptions.iter().map(|text| row(text)).collect::<Vec<_>>())
            }
        }
    }

    fn described(self, result: &Value) -> Vec<String> {
        let (list, path) = match self {
            Self::Reconciliation => ("missing_from_books", "/description"),
            Self::Coding => ("transactions", "/input/description"),
        };
        let text = |row: &Value| row.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        result[list].as_array().expect("a list of rows").iter().map(text).collect()
    }

    fn rows_total(self, credits: u64) -> u64 {
        match self {
            Self::Reconciliation => 2 * credits,
            Self::Coding => credits,
        }
    }

    fn failure(self, reason: &str) -> (Value, Value) {
        let code = match self {
            Self::Reconciliation => "internal_error",
            Self::Coding => "coding_failed",
        };
        (json!(code), json!({ "reason": reason }))
    }

    fn unpaid(self, required: u64, available: u64) -> (Value, Value) {
        let reason = "insufficient_credits";
        match self {
            Self::Reconciliation => (json!(reason), json!({ "required": required, "available": available })),
            Self::Coding => {
                let details = json!({ "reason": reason, "required": required, "available": available });
                (json!("coding_failed"), details)
            }
        }
    }

    fn result(self, cost: i64, charged: i64) -> Value {
        match self {
            Self::Reconciliation => json!({
                "summary": {
                    "bank_rows": cost, "book_rows": cost, "matched_count": cost,
                    "missing_from_books_count": 0, "remove_from_books_count": 0, "verified": charged == cost,
                },
                "credits_charged": charged,
                "missing_from_books": [],
                "remove_from_books": [],
                "verification": {
                    "is_verified": charged == cost, "expected_net_discrepancy": 0, "actual_net_effect": 0,
                    "reason": "told to",
                },
            }),
            Self::Coding => json!({
                "summary": { "transaction_count": cost, "coded_count": 0, "by_method": {}, "warnings": [] },
                "transactions": [],
            }),
        }
    }
}

/// Writes one test for both products: `for_both_products! { fn name(product) { … } }` becomes `name::of_reconciliation`
/// and `name::of_coding`.
macro_rules! for_both_products {
    ($($(#[$meta:meta])* fn $name:ident($product:ident) $body:block)+) => {$(
        $(#[$meta])*
        mod $name {
            use super::*;

            fn check($product: bookkeeping_suite::domain::job::Product) $body

            #[test]
            fn of_reconciliation() {
                check(bookkeeping_suite::domain::job::Product::Reconciliation);
            }

            #[test]
            fn of_coding() {
                check(bookkeeping_suite::domain::job::Product::Coding);
            }
        }
    )+};
}

/// The same on both databases: `everywhere! { fn name(database, product) { … } }`.
macro_rules! everywhere {
    ($($(#[$meta:meta])* fn $name:ident($database:ident, $product:ident) $body:block)+) => {$(
        $(#[$meta])*
        mod $name {
            use super::*;

            fn check_on(
                $database: $crate::support::database::Database,
                $product: bookkeeping_suite::domain::job::Product,
            ) $body

            mod of_reconciliation {
                use super::check_on;

                $crate::support::product::on_each_database!(bookkeeping_suite::domain::job::Product::Reconciliation);
            }

            mod of_coding {
                use super::check_on;

                $crate::support::product::on_each_database!(bookkeeping_suite::domain::job::Product::Coding);
            }
        }
    )+};
}

/// The part of `everywhere!` for one product.
macro_rules! on_each_database {
    ($product:expr) => {
        #[test]
        fn on_sqlite() {
            check_on($crate::support::database::Database::Sqlite, $product);
        }

        #[test]
        fn on_postgresql() {
            if let Some(database) = $crate::support::database::Database::postgresql() {
                check_on(database, $product);
            }
        }
    };
}

pub(crate) use {everywhere, for_both_products, on_each_database};
