//! Problems of a submitted body: all of them at once, in document order, at most a hundred listed.

use serde::{Deserialize, Serialize};

/// How many problems are listed; the count goes on.
pub const PROBLEMS_LISTED_MAX: usize = 100;

/// One problem, in the shape of `details.issues`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// The array or object: `lines`, `query`, `body`.
    pub section: String,
    /// Zero-based index in the array, if it is one.
    pub row: Option<u64>,
    /// The key.
    pub field: Option<String>,
    /// The whole path, `lines[2].debit`.
    pub path: String,
    /// What is wrong and what is allowed.
    pub message: String,
}

/// Collects problems.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Issues {
    /// The first hundred.
    pub listed: Vec<Issue>,
    /// How many there are.
    pub count: u64,
}

impl Issues {
    /// Adds a problem of a field of a single object.
    pub fn field(&mut self, section: &str, field: &str, message: impl Into<String>) {
        let path = if section == "body" { field.to_owned() } else { format!("{section}.{field}") };
        self.push(Issue {
            section: section.to_owned(),
            row: None,
            field: Some(field.to_owned()),
            path,
            message: message.into(),
        });
    }

    /// Adds a problem of a whole section.
    pub fn section(&mut self, section: &str, message: impl Into<String>) {
        self.push(Issue {
            section: section.to_owned(),
            row: None,
            field: None,
            path: section.to_owned(),
            message: message.into(),
        });
    }

    /// Adds a problem of a field of a row of an array.
    pub fn row(&mut self, section: &str, row: u64, field: Option<&str>, message: impl Into<String>) {
        let path = field.map_or_else(|| format!("{section}[{row}]"), |field| format!("{section}[{row}].{field}"));
        self.push(Issue {
            section: section.to_owned(),
            row: Some(row),
            field: field.map(str::to_owned),
            path,
            message: message.into(),
        });
    }

    /// Adds a problem.
    pub fn push(&mut self, issue: Issue) {
        self.count += 1;
        if self.listed.len() < PROBLEMS_LISTED_MAX {
            self.listed.push(issue);
        }
    }

    /// Both, by their rows; each is in that order already.
    #[must_use]
    pub fn merged_by_row(mut self, mut other: Self) -> Self {
        self.listed.append(&mut other.listed);
        self.listed.sort_by_key(|issue| issue.row);
        // Neither part lost any of the first hundred.
        self.listed.truncate(PROBLEMS_LISTED_MAX);
        Self { listed: self.listed, count: self.count + other.count }
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}
