//! The names that stand for random text in a recording.

use serde_json::Value;

/// Fields of answers that hold a secret or a random identifier, and what it is called.
const RANDOM_FIELDS: [(&str, &str); 7] = [
    ("key", "secret"),
    ("prefix", "prefix"),
    ("token", "token"),
    ("access_token", "session"),
    ("reconciliation_id", "job"),
    ("coding_job_id", "job"),
    ("message_id", "message"),
];

/// Random text seen so far, and the name of each.
#[derive(Default)]
pub struct Masks {
    named: Vec<(String, String)>,
}

impl Masks {
    /// Gives a text a name of its own. The longest text is replaced first, because a key contains its prefix.
    pub fn add(&mut self, text: &str, name: String) {
        if text.is_empty() || self.named.iter().any(|(known, _)| known == text) {
            return;
        }
        self.named.push((text.to_owned(), name));
        self.named.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    }

    /// Names the random fields of an answer.
    pub fn learn(&mut self, answer: &Value) {
        match answer {
            Value::Object(fields) => {
                for (field, value) in fields {
                    let random = RANDOM_FIELDS.iter().find(|(random, _)| random == field);
                    match (random, value) {
                        (Some((_, kind)), Value::String(text)) if is_random(field, text) => {
                            let number =
                                self.named.iter().filter(|(_, name)| name.starts_with(&format!("<{kind}-"))).count();
                            self.add(text, format!("<{kind}-{}>", number + 1));
                        }
                        _ => self.learn(value),
                    }
                }
            }
            Value::Array(values) => values.iter().for_each(|value| self.learn(value)),
            _ => {}
        }
    }

    /// The text with names in place of everything random.
    pub fn apply(&self, text: &str) -> String {
        self.named.iter().fold(text.to_owned(), |text, (random, name)| text.replace(random, name))
    }
}

/// A `key` or `token` may also be a word of the contract, such as the name of a field.
fn is_random(field: &str, text: &str) -> bool {
    match field {
        "prefix" => text.len() == 12,
        _ => text.len() > 20,
    }
}
