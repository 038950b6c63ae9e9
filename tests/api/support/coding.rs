//! Coding bodies. Amounts are text, so that exactly those digits are sent.

/// A chart with one account of each type.
pub const CHART: &str = r#"[{"code":"200","name":"Sales","type":"REVENUE"},{"code":"400","name":"General expenses","type":"expense"},{"code":"610","name":"Trade debtors","type":"ASSET"},{"code":"820","name":"Trade creditors","type":"Liability"},{"code":"900","name":"Share capital","type":"EQUITY"}]"#;

/// A transaction on the day most tests use.
pub fn transaction(amount: &str) -> String {
    described("2026-01-05", amount, "Rent")
}

/// A transaction.
pub fn described(date: &str, amount: &str, description: &str) -> String {
    let (date, description) = (serde_json::Value::from(date), serde_json::Value::from(description));
    format!(r#"{{"date":{date},"description":{description},"amount":{amount}}}"#)
}

/// A request with these transactions and nothing optional.
pub fn request(transactions: &[String]) -> String {
    format!(r#"{{"transactions":[{}],"chart_of_accounts":{CHART}}}"#, transactions.join(","))
}

/// A request with further keys of the body, given as JSON.
pub fn request_with(transactions: &[String], more: &str) -> String {
    format!(r#"{{"transactions":[{}],"chart_of_accounts":{CHART},{more}}}"#, transactions.join(","))
}
