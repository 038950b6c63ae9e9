//! Parameters of a query or of a form. Each is given once (RFC 6749, section 3.1) but those that are lists.

use actix_web::http::header;

use super::failure::{Failure, failure};
use crate::domain::oauth::error::OAuthError;
use crate::http::call::Call;
use crate::http::products::Products;

/// The only media type of forms here (RFC 6749, appendix B).
const FORM: &str = "application/x-www-form-urlencoded";

/// The most parameters of a request: a consent may name as many organisations as a person keeps books for.
const PARAMETERS_MAX: usize = 256;

/// Parameters as they were sent.
pub(super) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Reads a query string. No database takes a NUL character, and nobody needs so many parameters.
    pub(super) fn of_query(query: &str) -> Result<Self, Failure> {
        let pairs = url::form_urlencoded::parse(query.as_bytes()).into_owned().take(PARAMETERS_MAX + 1);
        let pairs: Vec<(String, String)> = pairs.collect();
        if pairs.len() > PARAMETERS_MAX || pairs.iter().any(|(name, value)| name.contains('\0') || value.contains('\0'))
        {
            return Err(failure(OAuthError::InvalidRequest, "too many parameters, or one with a NUL character"));
        }
        Ok(Self(pairs))
    }

    /// Reads the body of a request, if it is a form.
    pub(super) fn of_body(call: &Call<Products>) -> Result<Self, Failure> {
        let refused = |words| Err(failure(OAuthError::InvalidRequest, words));
        let media_type = call.header(header::CONTENT_TYPE.as_str()).unwrap_or_default();
        if !media_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(FORM) {
            return refused("the body must be application/x-www-form-urlencoded");
        }
        match std::str::from_utf8(&call.body) {
            Ok(text) => Self::of_query(text),
            Err(_) => refused("the body must be UTF-8"),
        }
    }

    /// Whether a parameter is given more than once.
    pub(super) fn is_repeated(&self, name: &str) -> bool {
        self.all(name).nth(1).is_some()
    }

    /// Whether any parameter but the lists is given more than once.
    pub(super) fn any_repeated(&self, lists: &[&str]) -> bool {
        self.0.iter().any(|(name, _)| !lists.contains(&name.as_str()) && self.is_repeated(name))
    }

    /// A parameter; one that is empty counts as left out (RFC 6749, section 3.1).
    pub(super) fn one(&self, name: &str) -> Option<&str> {
        self.all(name).next().filter(|value| !value.is_empty())
    }

    /// A parameter that must be given.
    pub(super) fn required(&self, name: &str, description: &'static str) -> Result<&str, Failure> {
        self.one(name).ok_or(failure(OAuthError::InvalidRequest, description))
    }

    /// Every value of a list.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}
