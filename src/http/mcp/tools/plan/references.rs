//! `{"$from": "ref"}` in the parameters of an operation: the record that an operation before it makes.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::domain::books::planned_ids::{FIRST_STAND_IN, stand_in};

/// The member that names the operation.
const FROM: &str = "$from";

/// The operations with labels so far.
#[derive(Default)]
pub(super) struct Made(HashMap<String, usize>);

impl Made {
    /// Adds an operation with a label; `false` when an operation before has it.
    pub(super) fn add(&mut self, label: &str, operation: usize) -> bool {
        self.0.insert(label.to_owned(), operation).is_none()
    }

    /// Puts stand-ins in the place of references.
    pub(super) fn resolve(&self, params: &mut Map<String, Value>, path: &str, problems: &mut Vec<String>) {
        for (name, value) in params {
            self.resolve_one(value, &format!("{path}.{name}"), problems);
        }
    }

    fn resolve_one(&self, value: &mut Value, path: &str, problems: &mut Vec<String>) {
        match value {
            Value::Object(members) if members.contains_key(FROM) => match self.named(members) {
                Ok(made) => *value = json!(made),
                Err(message) => problems.push(format!("{path}: {message}")),
            },
            Value::Object(members) => self.resolve(members, path, problems),
            Value::Array(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    self.resolve_one(item, &format!("{path}[{at}]"), problems);
                }
            }
            // No record has such a number; a stand-in may only come from a reference.
            Value::Number(number) if number.as_i64().is_some_and(|number| number >= FIRST_STAND_IN) => {
                problems.push(format!("{path}: is too large"));
            }
            _ => {}
        }
    }

    fn named(&self, members: &Map<String, Value>) -> Result<i64, String> {
        let label = members.get(FROM).and_then(Value::as_str).filter(|_| members.len() == 1);
        let Some(label) = label else { return Err("must be {\"$from\": ref} with nothing else in it".to_owned()) };
        match self.0.get(label) {
            Some(operation) => Ok(stand_in(*operation)),
            None => Err(format!("no operation before this one has the ref {label:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn resolved(made: &Made, params: &Value) -> (Value, Vec<String>) {
        let mut problems = Vec::new();
        let mut params = params.as_object().expect("an object").clone();
        made.resolve(&mut params, "params", &mut problems);
        (Value::Object(params), problems)
    }

    #[test]
    fn references_become_stand_ins_wherever_they_are() {
        let mut made = Made::default();
        assert!(made.add("buyer", 0));
        assert!(made.add("invoice", 3));
        assert!(!made.add("buyer", 4));
        let mut made = Made::default();
        made.add("buyer", 0);
        made.add("invoice", 3);
        let (params, problems) = resolved(
            &made,
            &json!({ "customer_id": { "$from": "buyer" }, "allocations": [{ "invoice_id": { "$from": "invoice" }, "amount": 1 }] }),
        );
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(
            params,
            json!({ "customer_id": stand_in(0), "allocations": [{ "invoice_id": stand_in(3), "amount": 1 }] })
        );
    }

    #[test]
    fn what_names_nothing_is_a_problem_with_its_path() {
        let (_, problems) = resolved(
            &Made::default(),
            &json!({ "id": { "$from": "later" }, "lines": [{ "account_id": { "$from": "x", "y": 1 } }], "other": stand_in(0) }),
        );
        assert_eq!(
            problems,
            [
                "params.id: no operation before this one has the ref \"later\"",
                "params.lines[0].account_id: must be {\"$from\": ref} with nothing else in it",
                "params.other: is too large",
            ]
        );
    }
}
