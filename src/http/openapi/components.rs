//! What several operations share is written once, under `components`: the answers, the parameters of every list or
//! change, and the schemas. An operation refers to it.

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::Parameter;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::ArrayItems;
use utoipa::openapi::{Components, ContentBuilder, Ref, RefOr, Schema};

use super::failures::{self, Errors, RateLimited, reason_of};
use super::operation::Sample;
use super::schema::{Any, string};
use crate::http::error::ErrorCode;

/// The parameters that many operations have in the same words.
const PARAMETERS: [&str; 8] =
    ["organisationId", "Idempotency-Key", "If-Match", "dry_run", "limit", "offset", "since", "format"];

/// What was shared so far.
pub(super) struct SharedComponents {
    /// The schemas of single values, by the name each is referred to by.
    vocabulary: Vec<(&'static str, Any)>,
    schemas: BTreeMap<String, Any>,
    parameters: BTreeMap<String, Parameter>,
    answers: BTreeMap<String, SharedAnswer>,
    failures: BTreeMap<String, Errors>,
}

/// An answer that operations refer to.
struct SharedAnswer {
    schema: Any,
    /// By operation.
    examples: Vec<(String, Value)>,
    /// What it may be instead of JSON.
    media_types: &'static [&'static str],
}

impl SharedComponents {
    /// Nothing but these words.
    pub(super) fn new(vocabulary: Vec<(&'static str, Any)>) -> Self {
        let (schemas, parameters, answers, failures) = Default::default();
        Self { vocabulary, schemas, parameters, answers, failures }
    }

    /// Schemas with the names they are referred to by.
    pub(super) fn schemas(&mut self, schemas: impl IntoIterator<Item = (String, Any)>) {
        self.schemas.extend(schemas);
    }

    /// The parameter, or a reference to it.
    pub(super) fn parameter(&mut self, mut parameter: Parameter) -> RefOr<Parameter> {
        if let Some(schema) = &mut parameter.schema {
            refer(schema, &self.vocabulary);
        }
        if !PARAMETERS.contains(&parameter.name.as_str()) {
            return RefOr::T(parameter);
        }
        let name = parameter.name.clone();
        let first = self.parameters.entry(name.clone()).or_insert_with(|| parameter.clone());
        // Another one of the same name, in other words, stands where it is used.
        if *first == parameter { reference("parameters", &name, "") } else { RefOr::T(parameter) }
    }

    /// A successful answer with the rate-limit headers, which may be a file of other media types too: a reference that says
    /// what it is here.
    pub(super) fn answer(
        &mut self,
        operation_id: &str,
        description: &str,
        (sample, media_types): (Sample, &'static [&'static str]),
    ) -> RefOr<Response> {
        let Some(name) = name_of(&sample.schema) else {
            return self::answer(description, sample, RateLimited::Always).into();
        };
        let answer = SharedAnswer { schema: sample.schema, examples: Vec::new(), media_types };
        let answer = self.answers.entry(name.clone()).or_insert(answer);
        let is_new = |example: &Value| answer.examples.iter().all(|(_, known)| known != example);
        if let Some(example) = sample.example.filter(is_new) {
            answer.examples.push((operation_id.to_owned(), example));
        }
        reference("responses", &name, description)
    }

    /// The answer for all errors of one status.
    pub(super) fn failure(&mut self, errors: Errors) -> RefOr<Response> {
        let mut words: Vec<String> = errors.iter().map(|(code, _)| pascal_case(code.as_str())).collect();
        words.dedup();
        let name = words.join("Or");
        let all = self.failures.entry(name.clone()).or_default();
        for (code, details) in errors {
            let reason = reason_of(details.as_ref());
            if all.iter().all(|(known, other)| (*known, reason_of(other.as_ref())) != (code, reason)) {
                all.push((code, details));
            }
        }
        reference("responses", &name, "")
    }

    /// Puts everything under `components`.
    pub(super) fn finish(self, components: &mut Components) {
        components.schemas.extend(self.schemas);
        components.schemas.values_mut().for_each(|schema| refer_inside(schema, &self.vocabulary));
        components.schemas.extend(self.vocabulary.into_iter().map(|(name, schema)| (name.to_owned(), schema)));
        components.parameters.extend(self.parameters.into_iter().map(|(name, one)| (name, RefOr::T(one))));
        for (name, SharedAnswer { schema, examples, media_types }) in self.answers {
            let examples =
                examples.into_iter().map(|(label, value)| (label, ExampleBuilder::new().value(Some(value)).build()));
            let content = ContentBuilder::new().schema(Some(schema)).examples_from_iter(examples).build();
            let response = failures::with_shared_headers(ResponseBuilder::new(), RateLimited::Always)
                .description(format!("An answer with `{name}`."))
                .content("application/json", content);
            let response = media_types.iter().fold(response, |response, media_type| as_file(response, media_type));
            components.responses.insert(name, response.into());
        }
        for (name, mut errors) in self.failures {
            errors.sort_by_key(|(code, details)| {
                let at = ErrorCode::ALL.iter().position(|known| known == code);
                (at, reason_of(details.as_ref()).map(str::to_owned))
            });
            components.responses.insert(name, failures::response(&errors).into());
        }
    }
}

/// A successful answer that stands where it is used.
pub(super) fn answer(description: &str, sample: Sample, rate: RateLimited) -> Response {
    failures::with_shared_headers(ResponseBuilder::new().description(description), rate)
        .content("application/json", failures::content(sample.schema, sample.example))
        .build()
}

/// An answer that is a file, with its name and, where the font lacks characters, with what these are.
pub(super) fn file(media_type: &str, description: &str) -> Response {
    let response = failures::with_shared_headers(ResponseBuilder::new().description(description), RateLimited::Always);
    as_file(response, media_type).build()
}

/// Adds a file, and the headers of files, to the description of an answer.
fn as_file(response: ResponseBuilder, media_type: &str) -> ResponseBuilder {
    let header = |description: &str, example: &str| {
        HeaderBuilder::new().schema(Some(string().examples([example]))).description(Some(description)).build()
    };
    let bytes = string().extensions(Some(Extensions::from_iter([("contentMediaType", media_type)])));
    response
        .header("Content-Disposition", header("The name of the file.", "inline; filename=\"INV-0103.pdf\""))
        .header(
            "Missing-Characters",
            header(
                "Characters that the font lacks, each printed as a box; absent when there are none.",
                "U+4E2D, U+1F600",
            ),
        )
        .content(media_type, ContentBuilder::new().schema(Some(bytes)).build())
}

/// Puts a reference in the place of a schema of the vocabulary, here or anywhere inside.
fn refer(schema: &mut Any, vocabulary: &[(&'static str, Any)]) {
    match vocabulary.iter().find(|(_, known)| known == schema) {
        Some((name, _)) => *schema = reference("schemas", name, ""),
        None => refer_inside(schema, vocabulary),
    }
}

fn refer_inside(schema: &mut Any, vocabulary: &[(&'static str, Any)]) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => object.properties.values_mut().for_each(|one| refer(one, vocabulary)),
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                refer(items, vocabulary);
            }
        }
        Schema::OneOf(shapes) => shapes.items.iter_mut().for_each(|one| refer(one, vocabulary)),
        _ => {}
    }
}

fn reference<T>(section: &str, name: &str, description: &str) -> RefOr<T> {
    let mut reference = Ref::new(format!("#/components/{section}/{name}"));
    reference.description = description.to_owned();
    RefOr::Ref(reference)
}

fn name_of(schema: &Any) -> Option<String> {
    let RefOr::Ref(reference) = schema else { return None };
    reference.ref_location.rsplit('/').next().map(str::to_owned)
}

/// `not_found` as `NotFound`.
fn pascal_case(code: &str) -> String {
    let words = code.split('_').map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}
