//! What a tool gives back: JSON, or a failure in words an agent can act on.

use std::fmt;

use serde_json::value::RawValue;

use crate::http::error::ApiError;

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
