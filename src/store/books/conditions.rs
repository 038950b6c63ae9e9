//! The conditions of a query with their parameters.

use sea_orm::Value;

/// Conditions joined by `and`, and their parameters. `~` before a column keeps the databases from using an index of this
/// column when rows are read in the order of the list ([`Self::in_order`]); `^` before a text column does the same when
/// the rows that pass are queried directly ([`Self::text`]).
#[derive(Clone)]
pub(super) struct Conditions {
    parts: Vec<String>,
    /// What follows the conditions: a grouping.
    end: String,
    values: Vec<Value>,
}

impl Conditions {
    /// The first condition, in which `$1` is the first value.
    pub(super) fn new(text: &str, value: impl Into<Value>) -> Self {
        Self { parts: vec![text.to_owned()], end: String::new(), values: vec![value.into()] }
    }

    /// Adds a condition, in which `{}` stands for the value.
    pub(super) fn and(&mut self, text: &str, value: impl Into<Value>) {
        let parameter = self.value(value);
        self.parts.push(text.replace("{}", &parameter));
    }

    /// Adds a condition without a value.
    pub(super) fn and_plain(&mut self, text: &str) {
        self.parts.push(text.to_owned());
    }

    /// Adds a condition if there is a value.
    pub(super) fn and_if(&mut self, text: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.and(text, value);
        }
    }

    /// Adds a parameter; returns its name.
    pub(super) fn value(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    /// Adds what follows all conditions.
    pub(super) fn end_with(&mut self, text: &str) {
        self.end.push_str(text);
    }

    /// These conditions without those that begin like this.
    pub(super) fn without(&self, beginning: &str) -> Self {
        let mut others = self.clone();
        others.parts.retain(|part| !part.trim_start_matches('~').starts_with(beginning));
        others
    }

    /// The conditions with their marks.
    fn joined(&self) -> String {
        format!("{}{}", self.parts.join(" and "), self.end)
    }

    /// The conditions for rows that are queried directly.
    pub(super) fn text(&self) -> String {
        self.joined().replace('~', "").replace('^', "'' || ")
    }

    /// The conditions for rows read in the order of the list: the operator before a column keeps both databases from
    /// using its index.
    pub(super) fn in_order(&self) -> String {
        self.joined().replace('~', "+").replace('^', "")
    }

    /// The parameters.
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
