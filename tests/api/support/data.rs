//! Reconciliation bodies. Amounts are text, so that exactly those digits are sent.

/// One row.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    pub date: &'a str,
    pub amount: &'a str,
    pub description: &'a str,
}

/// A row on the day most tests use.
pub const fn row(amount: &str) -> Row<'_> {
    Row { date: "2026-01-05", amount, description: "Rent" }
}

/// Rows as JSON.
pub fn rows(rows: &[Row<'_>]) -> String {
    let one = |row: &Row<'_>| {
        let (date, description) = (serde_json::Value::from(row.date), serde_json::Value::from(row.description));
        format!(r#"{{"date":{date},"amount":{},"description":{description}}}"#, row.amount)
    };
    format!("[{}]", rows.iter().map(one).collect::<Vec<_>>().join(","))
}

/// A request without options.
pub fn request(bank: &[Row<'_>], book: &[Row<'_>]) -> String {
    format!(r#"{{"bank":{},"book":{}}}"#, rows(bank), rows(book))
}

/// A request with options, given as JSON.
pub fn request_with(bank: &[Row<'_>], book: &[Row<'_>], options: &str) -> String {
    format!(r#"{{"bank":{},"book":{},"options":{options}}}"#, rows(bank), rows(book))
}

/// A request that costs so many credits and is verified: every bank row has its book row.
pub fn costing(credits: usize) -> String {
    let both = vec![row("12.50"); credits];
    request(&both, &both)
}

/// The same, allowing overage.
pub fn costing_with_overage(credits: usize) -> String {
    let both = vec![row("12.50"); credits];
    request_with(&both, &both, r#"{"allowOverage":true}"#)
}
