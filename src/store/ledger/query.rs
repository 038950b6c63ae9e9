//! Conditions of a query, put together with their parameters.

use sea_orm::Value;

/// Conditions joined by `and`, and the parameters they name.
pub(super) struct Conditions {
    text: String,
    values: Vec<Value>,
}

impl Conditions {
    /// The first condition, in which `$1` is the first value.
    pub(super) fn new(text: &str, value: impl Into<Value>) -> Self {
        Self { text: text.to_owned(), values: vec![value.into()] }
    }

    /// One more, in which `{}` stands for the value.
    pub(super) fn and(&mut self, text: &str, value: impl Into<Value>) {
        self.values.push(value.into());
        self.text.push_str(" and ");
        self.text.push_str(&text.replace("{}", &format!("${}", self.values.len())));
    }

    /// One more without a value.
    pub(super) fn and_plain(&mut self, text: &str) {
        self.text.push_str(" and ");
        self.text.push_str(text);
    }

    /// The same with a value if there is one.
    pub(super) fn and_if(&mut self, text: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.and(text, value);
        }
    }

    /// Adds a value that is no condition; gives its name.
    pub(super) fn value(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn values(&self) -> Vec<Value> {
        self.values.clone()
    }
}

/// A pattern for `like … escape '\'` that finds a text anywhere, in lower case.
pub(super) fn contains(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.to_lowercase().chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}
