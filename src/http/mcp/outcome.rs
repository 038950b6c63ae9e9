//! What a tool gives back: JSON, or a failure in words an agent can act on.

use std::fmt;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::http::error::{ApiError, ErrorCode};

/// Why a tool did not do what it was asked: `code: message`, and on a line of its own what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    code: String,
    message: String,
    next: Option<String>,
}

impl Failure {
    /// A failure with a code of the REST API or of the tools.
    pub(super) fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), next: None }
    }

    /// What a route refused, with the fields and the reason it names.
    pub(super) fn of_route(code: ErrorCode, error: &ApiError) -> Self {
        let details = error.details().unwrap_or(&Value::Null);
        let issues = details.get("issues").or_else(|| details.get("errors")).and_then(Value::as_array);
        if let Some(issues) = issues.filter(|issues| !issues.is_empty()) {
            let said = issues.iter().map(|issue| {
                let text = |name: &str| issue.get(name).and_then(Value::as_str).unwrap_or_default();
                // What a route takes in its query is an argument here.
                let path = text("path");
                format!("{}: {}", path.strip_prefix("query.").unwrap_or(path), text("message"))
            });
            return Self::new("invalid_request_format", said.collect::<Vec<_>>().join("; "));
        }
        let mut code = code.as_str().to_owned();
        let mut message = error.message().to_owned();
        for (name, value) in details.as_object().into_iter().flatten() {
            match value.as_str().filter(|_| name == "reason") {
                Some(reason) => code = format!("{code} ({reason})"),
                None => message.push_str(&format!("; {name}: {value}")),
            }
        }
        Self::new(code, message)
    }

    /// Whether what was asked for is not there.
    pub(super) fn is_not_found(&self) -> bool {
        self.code == ErrorCode::NotFound.as_str()
    }

    /// What went wrong, without its code.
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// The same in other words.
    #[must_use]
    pub(super) fn with_message(mut self, other: impl FnOnce(&str) -> String) -> Self {
        self.message = other(&self.message);
        self
    }

    /// The same of a part of what was asked.
    #[must_use]
    pub(super) fn within(mut self, part: &str) -> Self {
        self.message = format!("{part}: {}", self.message);
        self
    }

    /// The same with what to do next.
    #[must_use]
    pub(super) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)?;
        match &self.next {
            Some(next) => write!(formatter, "\nNext: {next}"),
            None => Ok(()),
        }
    }
}

/// What a tool gives back, or why it does not.
pub(super) type Outcome = Result<Box<RawValue>, Refused>;

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Refused {
    /// The caller can do something about it.
    Failure(Failure),
    /// A fault of ours, or a service that cannot answer now.
    Fault(Box<ApiError>),
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

#[cfg(test)]
mod tests {
    use super::Failure;

    #[test]
    fn a_failure_reads_code_message_and_next_step() {
        let failure = Failure::new("not_found", "no such organisation");
        assert_eq!(failure.to_string(), "not_found: no such organisation");
        let failure = failure.next("list_organisations names those you may read");
        assert_eq!(
            failure.to_string(),
            "not_found: no such organisation\nNext: list_organisations names those you may read"
        );
    }
}
