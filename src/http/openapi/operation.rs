//! How an operation is described: what only it knows. The rest (credentials, the errors every operation of its kind
//! can answer, headers) follows from its route.

use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::Required;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};

use super::failures::Errors;
use super::schema::{Any, named};
use crate::http::call::IDEMPOTENCY_KEY_LENGTH_MAX;
use crate::http::error::ErrorCode;

/// Where the example of a parameter stands that may be left out; `cargo xtask conformance` tries it as an `example`.
const OPTIONAL_EXAMPLE: &str = "x-example";

/// The documentation of one operation.
pub struct Operation {
    pub(super) tag: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    pub(super) parameters: Vec<Parameter>,
    pub(super) request: Option<Sample>,
    pub(super) successes: Vec<(u16, &'static str, Sample)>,
    pub(super) file: Option<(&'static str, &'static str)>,
    pub(super) forms: &'static [&'static str],
    pub(super) errors: Errors,
    pub(super) rules: Vec<Rule>,
    pub(super) schemas: Vec<(String, Any)>,
}

/// What a field must be beside the other fields, or beside what the service knows, which no schema can say.
pub(super) struct Rule {
    pub(super) path: &'static str,
    pub(super) message: &'static str,
}

/// A schema and an example of it, unless the schema has one itself.
pub(super) struct Sample {
    pub(super) schema: Any,
    pub(super) example: Option<Value>,
}

impl Operation {
    /// An operation of a tag, with one line and a paragraph.
    pub fn new(tag: &'static str, summary: &'static str, description: &'static str) -> Self {
        Self {
            tag,
            summary,
            description,
            parameters: Vec::new(),
            request: None,
            successes: Vec::new(),
            file: None,
            forms: &[],
            errors: Vec::new(),
            rules: Vec::new(),
            schemas: Vec::new(),
        }
    }

    /// A parameter in the path.
    #[must_use]
    pub fn path(self, name: &str, description: &str, schema: impl Into<Any>, example: Value) -> Self {
        self.parameter(ParameterIn::Path, Required::True, name, description, schema.into(), example)
    }

    /// An optional parameter in the query string.
    #[must_use]
    pub fn query(self, name: &str, description: &str, schema: impl Into<Any>, example: Value) -> Self {
        self.parameter(ParameterIn::Query, Required::False, name, description, schema.into(), example)
    }

    /// A parameter in the query string that has to be given.
    #[must_use]
    pub fn query_required(self, name: &str, description: &str, schema: impl Into<Any>, example: Value) -> Self {
        self.parameter(ParameterIn::Query, Required::True, name, description, schema.into(), example)
    }

    /// An optional request header.
    #[must_use]
    pub fn header(self, name: &str, description: &str, schema: impl Into<Any>, example: Value) -> Self {
        self.parameter(ParameterIn::Header, Required::False, name, description, schema.into(), example)
    }

    /// The `Idempotency-Key`, and how it may be refused.
    #[must_use]
    pub fn idempotent(self) -> Self {
        use super::schema::text;
        self.header(
            "Idempotency-Key",
            "Sending the same key and body again within 24 hours gives the first answer again (`Idempotency-Replayed: true`); another body \
             is 422 `idempotency_key_reused`.",
            text(1, IDEMPOTENCY_KEY_LENGTH_MAX).pattern(Some("^[ -~]+$")),
            "2026-03-10-rent".into(),
        )
        .error_with(ErrorCode::Conflict, json!({ "reason": "idempotency_in_progress" }))
        .error_with(ErrorCode::UnprocessableEntity, json!({ "reason": "idempotency_key_reused" }))
    }

    /// `limit` and `offset`, and the 422 for what is out of range.
    #[must_use]
    pub fn paged(self) -> Self {
        use super::schema::integer;
        let limit = integer(1).maximum(Some(200_isize)).default(Some(50.into()));
        let offset = integer(0).maximum(Some(isize::MAX)).default(Some(0.into()));
        self.query("limit", "Items on a page.", limit, 50.into())
            .query("offset", "Items to skip.", offset, 0.into())
            .error(ErrorCode::InvalidRequestFormat)
    }

    /// The JSON body.
    #[must_use]
    pub fn request(mut self, schema: impl Into<Any>, example: Value) -> Self {
        self.request = Some(Sample { schema: schema.into(), example: Some(example) });
        self
    }

    /// An answer when all is well; there may be several.
    #[must_use]
    pub fn success(mut self, status: u16, description: &'static str, schema: impl Into<Any>, example: Value) -> Self {
        self.successes.push((status, description, Sample { schema: schema.into(), example: Some(example) }));
        self
    }

    /// The same with the type the handler answers with, which has its schema and example.
    #[must_use]
    pub fn answer<T: ToSchema>(mut self, status: u16, description: &'static str) -> Self {
        T::schemas(&mut self.schemas);
        self.schemas.push((T::name().into_owned(), T::schema()));
        self.successes.push((status, description, Sample { schema: named(&T::name()), example: None }));
        self
    }

    /// An answer that is a file of this media type.
    #[must_use]
    pub fn file(mut self, media_type: &'static str, description: &'static str) -> Self {
        self.file = Some((media_type, description));
        self
    }

    /// The answer may also be a file of one of these media types.
    #[must_use]
    pub fn or_file(mut self, media_types: &'static [&'static str]) -> Self {
        self.forms = media_types;
        self
    }

    /// A rule no schema can say, because it is about two fields or about what is stored. Breaking it is 422
    /// `invalid_request_format` with this path (rows as `[]`: `open_documents[].date`) and exactly this message; the
    /// description lists it, and `cargo xtask conformance` takes no other refusal of data that fits the schema.
    #[must_use]
    pub fn rule(mut self, path: &'static str, message: &'static str) -> Self {
        self.rules.push(Rule { path, message });
        self
    }

    /// An error beside those that follow from the route.
    #[must_use]
    pub fn error(mut self, code: ErrorCode) -> Self {
        self.errors.push((code, None));
        self
    }

    /// The same with details as this operation gives them; one code may have several.
    #[must_use]
    pub fn error_with(mut self, code: ErrorCode, details: Value) -> Self {
        self.errors.push((code, Some(details)));
        self
    }

    fn parameter(
        mut self,
        place: ParameterIn,
        required: Required,
        name: &str,
        description: &str,
        schema: Any,
        example: Value,
    ) -> Self {
        let parameter =
            ParameterBuilder::new().name(name).parameter_in(place).description(Some(description)).schema(Some(schema));
        // The page at /docs fills every `example` in and sends it, so that each list would be filtered by everything at once.
        let parameter = if matches!(required, Required::True) {
            parameter.example(Some(example))
        } else {
            parameter.extensions(Some(Extensions::from_iter([(OPTIONAL_EXAMPLE, example)])))
        };
        self.parameters.push(parameter.required(required).build());
        self
    }
}
