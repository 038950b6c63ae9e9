//! Business answers.
//!
//! A request that fits its schema may get a business answer: 422 `unprocessable_entity` (409 and 404 are taken by
//! schemathesis itself), or 422 `invalid_request_format` for exactly the rules that the operation lists as `x-rules`.
//! Any other refusal of such a request is a description that is looser than the service.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Failure;

/// What schemathesis calls a request that fits the schema and is refused.
const REJECTED: &str = "ST202";

/// The rules beyond the schema of each operation, as `POST /path` with path and message.
pub(super) type Rules = BTreeMap<String, BTreeSet<(String, String)>>;

pub(super) fn read_rules(document: &Value) -> Rules {
    let mut all = Rules::new();
    for (path, item) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let listed = operation.get("x-rules").and_then(Value::as_array).into_iter().flatten();
            let rules = listed.filter_map(|rule| {
                let text = |name: &str| rule.get(name).and_then(Value::as_str).map(str::to_owned);
                text("path").zip(text("message"))
            });
            all.insert(format!("{} {path}", method.to_uppercase()), rules.collect());
        }
    }
    all
}

/// Whether a request that fits its schema was refused for what no schema can say.
pub(super) fn is_business(failure: &Failure, rules: &Rules) -> bool {
    if failure.check != REJECTED {
        return false;
    }
    let Some(body) = failure.answer.strip_prefix("422 ") else { return false };
    // The answer was cut off before the request id.
    let Ok(answer) = serde_json::from_str::<Value>(&format!("{body}}}")) else { return false };
    match answer.pointer("/error/code").and_then(Value::as_str) {
        Some("unprocessable_entity") => true,
        Some("invalid_request_format") => {
            let issues = answer.pointer("/error/details/issues").and_then(Value::as_array);
            let of_operation = rules.get(&failure.operation);
            let is_rule = |issue: &Value| {
                let text = |name: &str| issue.get(name).and_then(Value::as_str).unwrap_or_default();
                let rule = (without_rows(text("path")), text("message").to_owned());
                of_operation.is_some_and(|rules| rules.contains(&rule))
            };
            issues.is_some_and(|issues| !issues.is_empty() && issues.iter().all(is_rule))
        }
        _ => false,
    }
}

/// `lines[3].date` as `lines[].date`.
fn without_rows(path: &str) -> String {
    let mut parts = path.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "[" + part.trim_start_matches(|letter: char| letter.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Failure, is_business, read_rules};

    #[test]
    fn only_business_answers_and_listed_rules_are_taken() {
        let rule = json!({ "path": "lines[].date", "message": "must be later" });
        let document = json!({"paths": {"/b": {"post": {"x-rules": [rule]}}, "/c": {"get": {}}}});
        let rules = read_rules(&document);
        let is_taken = |operation: &str, check: &str, answer: &str| {
            let (operation, check, answer) = (operation.to_owned(), check.to_owned(), answer.to_owned());
            is_business(&Failure { operation, check, title: String::new(), answer }, &rules)
        };
        let refused = r#"422 {"error":{"code":"unprocessable_entity","message":"m","details":{"reason":"unbalanced"}}"#;
        assert!(is_taken("POST /c", "ST202", refused));
        assert!(!is_taken("POST /c", "ST103", refused));
        assert!(!is_taken("POST /c", "ST202", &refused.replace("422", "400")));
        let issues = |issues: &[(&str, &str)]| {
            let list: Vec<_> =
                issues.iter().map(|(path, message)| json!({ "path": path, "message": message })).collect();
            let error = json!({ "code": "invalid_request_format", "details": { "issues": list } });
            let whole = json!({ "error": error }).to_string();
            format!("422 {}", whole.strip_suffix('}').unwrap())
        };
        assert!(is_taken("POST /b", "ST202", &issues(&[("lines[12].date", "must be later")])));
        assert!(!is_taken("GET /c", "ST202", &issues(&[("lines[12].date", "must be later")])));
        assert!(!is_taken("POST /b", "ST202", &issues(&[("lines[12].date", "must be a date")])));
        assert!(!is_taken("POST /b", "ST202", &issues(&[("lines[1].date", "must be later"), ("x", "unknown key")])));
        assert!(!is_taken("POST /b", "ST202", &issues(&[])));
    }
}
