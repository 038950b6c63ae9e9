//! The OpenAPI 3.1 document, built from the route table: every operation under `/api/v1` that is documented, with
//! every answer it can give.

pub mod books;
mod coding;
mod components;
mod failures;
mod identity;
mod jobs;
mod keys;
mod operation;
mod pretty;
mod reconciliations;
pub mod schema;

use actix_web::http::{Method, StatusCode};
use serde_json::{Value, json};
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, Paths};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, AuthorizationCode, Flow, HttpAuthScheme, HttpBuilder, OAuth2, Scopes, SecurityRequirement,
    SecurityScheme,
};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{Components, ComponentsBuilder, InfoBuilder, License, OpenApiBuilder, RefOr, Required, Server};

pub use books::{
    COMPARE_RULE, MONTHS_RULE, allocate_credit_note, allocate_settlement, as_of, compared_days, compared_periods,
    create_document, create_settlement, delete_document, get_books_status, get_cis_return, get_cis_statement,
    get_document, get_settlement, issue_document, list_documents, list_settlements, of_period, print_cis_statement,
    print_customer_statement, print_sales_document, print_settlement, report, unallocate_credit_note,
    unallocate_settlement, update_document, update_settlement, void_document, void_settlement,
};
pub use books::{
    archive_account, archive_bank_account, archive_customer, archive_supplier, cancel_email, confirm_bank_transaction,
    confirm_bank_transactions, confirm_import, confirm_suggested_bank_transactions, create_account,
    create_bank_account, create_bank_transaction, create_customer, create_journal, create_organisation,
    create_supplier, delete_bank_transaction, delete_customer, delete_supplier, email_document,
    exclude_bank_transaction, get_account, get_bank_account, get_bank_transaction, get_customer, get_email, get_import,
    get_journal, get_organisation, get_period_lock, get_supplier, import_bank_transactions, list_account_transactions,
    list_accounts, list_bank_accounts, list_bank_transaction_candidates, list_bank_transactions, list_changes,
    list_customers, list_emails, list_history, list_imports, list_journals, list_organisations, list_suppliers,
    list_tax_codes, preview_import, preview_opening_balances, resend_email, restore_bank_transaction,
    set_opening_balances, set_period_lock, suggest_bank_transactions, unarchive_account, unarchive_customer,
    unarchive_supplier, unconfirm_bank_transaction, update_account, update_bank_account, update_bank_transaction,
    update_customer, update_organisation, update_supplier, void_journal,
};
pub use books::{close_financial_year, list_financial_years, reopen_financial_year};
pub use books::{create_vat_adjustment, get_vat_adjustment, list_vat_adjustments, void_vat_adjustment};
pub use books::{create_vat_return, delete_vat_return, get_vat_return, list_vat_returns};
pub use books::{get_write_off, void_write_off, write_off_sales_invoice};
pub use coding::{poll_coding_job, submit_coding_job};
pub use identity::{health, me};
pub use keys::{create_key, list_keys, revoke_key};
pub use operation::Operation;
pub use reconciliations::{poll_reconciliation, submit_reconciliation};

use self::components::SharedComponents;
use self::failures::{Errors, RateLimited};
use super::error::ErrorCode;
use super::route_table::{Access, BodyRule, Route};
use crate::domain::caller::Scope;

const API_PREFIX: &str = "/api/v1/";
const KEY_AS_BEARER: &str = "apiKeyBearer";
const KEY_AS_HEADER: &str = "apiKeyHeader";
const OAUTH: &str = "oauth2";
const SESSION: &str = "webSession";

const DESCRIPTION: &str = "\
API-key access to bank reconciliation, transaction coding and double-entry books.

* Every answer carries `X-Request-Id`; every error has the one envelope `{error: {code, message, details?}, request_id}`.
* Checks happen in this order: 413 by declared length, 400 `invalid_json`, 401, 429, 403, 415, then what the operation itself says.
* Bodies are JSON of at most 26,214,400 bytes. An unknown path is 404 `not_found`; a method a path does not have is 405 `method_not_allowed` with `Allow`.
* Each API key may make 120 requests per 60-second window; key management counts per person. See the `RateLimit-*` headers.";

/// The document as JSON, the same bytes for the same table; `servers` is left out without a base URL.
pub fn document_json<S>(routes: &[Route<S>], base_url: Option<&str>) -> String {
    let mut paths = Paths::new();
    let mut shared = SharedComponents::new(books::vocabulary());
    for route in routes.iter().filter(|route| route.path.starts_with(API_PREFIX)) {
        if let (Some(doc), Some(method)) = (route.doc, http_method(&route.method)) {
            paths.add_path_operation(route.path, vec![method], operation(route, doc(), &mut shared));
        }
    }
    let info = InfoBuilder::new()
        .title("Bookkeeping Suite Public API")
        .version("v1")
        .description(Some(DESCRIPTION))
        .license(Some(apache()))
        .build();
    let tags = [
        ("Health and identity", "Whether the service is up, and who the caller is."),
        ("API keys", "Made, listed and revoked by a person with a web session."),
        ("Reconciliation", "Match a bank dataset with a book dataset: submit, then poll."),
        ("Coding", "An account and a VAT code for every bank transaction of a batch: submit, then poll."),
        ("Ledger", "An organisation's books."),
    ];
    let document = OpenApiBuilder::new()
        .info(info)
        .servers(base_url.map(|url| [Server::new(url)]))
        .paths(paths)
        .components(Some(all_components(shared)))
        .tags(Some(tags.map(|(name, description)| TagBuilder::new().name(name).description(Some(description)).build())))
        .build();
    // The builder holds only strings, numbers and maps of them, which always serialise.
    pretty::print(&document.to_json().unwrap_or_default())
}

fn apache() -> License {
    let mut license = License::new("Apache-2.0");
    license.identifier = Some("Apache-2.0".to_owned());
    license
}

fn http_method(method: &Method) -> Option<HttpMethod> {
    Some(match method.as_str() {
        "GET" => HttpMethod::Get,
        "POST" => HttpMethod::Post,
        "PUT" => HttpMethod::Put,
        "PATCH" => HttpMethod::Patch,
        "DELETE" => HttpMethod::Delete,
        _ => return None,
    })
}

fn operation<S>(route: &Route<S>, doc: Operation, shared: &mut SharedComponents) -> utoipa::openapi::path::Operation {
    let description = description(route, &doc);
    let Operation { tag, summary, parameters, request, successes, file, forms, errors, rules, schemas, .. } = doc;
    shared.schemas(schemas);
    let mut operation = OperationBuilder::new()
        .tag(tag)
        .summary(Some(summary))
        .description(Some(description))
        .operation_id(Some(route.operation_id));
    if !rules.is_empty() {
        let rules = rules.iter().map(|rule| json!({ "path": rule.path, "message": rule.message })).collect();
        let extensions = Extensions::from_iter([("x-rules", Value::Array(rules))]);
        operation = operation.extensions(Some(extensions));
    }
    for parameter in parameters {
        operation = match shared.parameter(parameter) {
            RefOr::T(parameter) => operation.parameter(parameter),
            RefOr::Ref(reference) => operation.parameter_ref(reference),
        };
    }
    let nothing = || operation::Sample { schema: schema::named("NoKeys"), example: Some(json!({})) };
    if let Some(request) = request.or_else(|| (route.body == BodyRule::NoKeys).then(nothing)) {
        let is_optional = matches!(route.body, BodyRule::OptionalJson | BodyRule::NoKeys);
        let required = if is_optional { Required::False } else { Required::True };
        let body = RequestBodyBuilder::new()
            .content("application/json", failures::content(request.schema, request.example))
            .required(Some(required));
        operation = operation.request_body(Some(body.build()));
    }
    operation = match route.access {
        Access::Public => operation.securities(Some(Vec::<SecurityRequirement>::new())),
        Access::Session => operation.security(SecurityRequirement::new(SESSION, Vec::<String>::new())),
        Access::AnyKey | Access::Key(_) | Access::Keys(_) | Access::JobPoll(_) => operation
            .security(SecurityRequirement::new(KEY_AS_BEARER, Vec::<String>::new()))
            .security(SecurityRequirement::new(KEY_AS_HEADER, Vec::<String>::new()))
            .security(SecurityRequirement::new(OAUTH, scope_of(route.access))),
    };
    for (status, description, sample) in successes {
        let response = match route.access {
            Access::Public => components::answer(description, sample, RateLimited::Never).into(),
            _ => shared.answer(route.operation_id, description, (sample, forms)),
        };
        operation = operation.response(status.to_string(), response);
    }
    if let Some((media_type, description)) = file {
        operation = operation.response("200", components::file(media_type, description));
    }
    for (status, errors) in by_status(route, errors) {
        operation = operation.response(status.as_str(), shared.failure(errors));
    }
    operation.build()
}

/// The paragraph of an operation, what no schema says, the reasons it may be refused for, and the scope it needs.
fn description<S>(route: &Route<S>, doc: &Operation) -> String {
    let mut text = doc.description.to_owned();
    if !doc.rules.is_empty() {
        text.push_str("\n\nBeyond the schema, 422 `invalid_request_format`:\n");
        for rule in &doc.rules {
            text.push_str(&format!("\n* `{}` {}", rule.path, rule.message));
        }
    }
    for (code, words) in [(ErrorCode::Conflict, "Conflicts"), (ErrorCode::UnprocessableEntity, "Refusals")] {
        let of_code = doc.errors.iter().filter(|(known, _)| *known == code);
        let mut reasons: Vec<_> = of_code.filter_map(|(_, details)| failures::reason_of(details.as_ref())).collect();
        reasons.sort_unstable();
        reasons.dedup();
        if !reasons.is_empty() {
            text.push_str(&format!("\n\n{words}, {}: `{}`.", code.status().as_str(), reasons.join("`, `")));
        }
    }
    match route.access {
        Access::Key(scope) => text.push_str(&format!("\n\nNeeds the scope `{}`.", scope.as_str())),
        Access::Keys([one, other]) => {
            text.push_str(&format!("\n\nNeeds the scopes `{}` and `{}`.", one.as_str(), other.as_str()));
        }
        Access::JobPoll(scope) => {
            let scope = scope.as_str();
            text.push_str(&format!("\n\nNeeds the scope `{scope}`, or to be the key that made the job."));
        }
        _ => {}
    }
    text
}

/// The errors of an operation by status: its own and those that follow from its route.
fn by_status<S>(route: &Route<S>, own: Errors) -> Vec<(StatusCode, Errors)> {
    let mut codes = own;
    let mut add = |code: ErrorCode| {
        if !codes.iter().any(|(known, _)| *known == code) {
            codes.push((code, None));
        }
    };
    use ErrorCode::{Busy, Forbidden, InvalidToken, RateLimited, Unauthorized};
    let from_access: &[ErrorCode] = match route.access {
        Access::Public => &[],
        Access::AnyKey => &[Unauthorized, RateLimited, Busy],
        Access::Key(_) | Access::Keys(_) | Access::JobPoll(_) => &[Unauthorized, RateLimited, Forbidden, Busy],
        Access::Session => &[Unauthorized, InvalidToken, RateLimited, Busy],
    };
    let from_body: &[ErrorCode] = match route.body {
        BodyRule::Json { .. } | BodyRule::JsonRpc | BodyRule::OptionalJson | BodyRule::NoKeys => {
            &[ErrorCode::InvalidJson, ErrorCode::RequestTimeout, ErrorCode::UnsupportedMediaType, Busy]
        }
        BodyRule::Ignored | BodyRule::Unchecked { .. } | BodyRule::Upgrade => &[],
    };
    from_access.iter().chain(from_body).copied().for_each(&mut add);
    if route.path.starts_with("/api/v1/books") {
        // Also for a query parameter nobody knows.
        add(ErrorCode::InvalidRequestFormat);
    }
    add(ErrorCode::PayloadTooLarge);
    add(ErrorCode::InternalError);
    let mut statuses: Vec<(StatusCode, Errors)> = Vec::new();
    // In the order of the table, so that the document does not depend on the order of declaration.
    for code in ErrorCode::ALL {
        let found: Errors = codes.iter().filter(|(known, _)| known == code).cloned().collect();
        if found.is_empty() {
            continue;
        }
        match statuses.iter_mut().find(|(status, _)| *status == code.status()) {
            Some((_, codes)) => codes.extend(found),
            None => statuses.push((code.status(), found)),
        }
    }
    statuses
}

/// The scope that a token needs, beside that of the connection that made a job, which may always poll it.
fn scope_of(access: Access) -> Vec<&'static str> {
    match access {
        Access::Key(scope) | Access::JobPoll(scope) => vec![scope.as_str()],
        Access::Keys(scopes) => scopes.iter().map(|scope| scope.as_str()).collect(),
        Access::Public | Access::AnyKey | Access::Session => Vec::new(),
    }
}

/// What a scope grants.
const fn grants(scope: Scope) -> &'static str {
    match scope {
        Scope::ReconcileRead => "Poll reconciliations",
        Scope::ReconcileWrite => "Submit reconciliations",
        Scope::CodingRead => "Poll coding jobs",
        Scope::CodingWrite => "Submit coding jobs",
        Scope::BooksRead => "Read organisations and their books",
        Scope::BooksWrite => "Create and modify ledger data, post journals",
        Scope::BooksSend => "E-mail a document to a customer or supplier",
    }
}

/// Connections that a person allows; the addresses are relative to that of the document.
fn oauth2() -> SecurityScheme {
    let scopes = Scopes::from_iter(Scope::ALL.map(|scope| (scope.as_str(), grants(scope))));
    let (authorization, token) = ("/oauth/authorize", "/oauth/token");
    let flow = Flow::AuthorizationCode(AuthorizationCode::with_refresh_url(authorization, token, scopes, token));
    let description = "A connection that a person allows (OAuth 2.1 with PKCE): docs/oauth.md.";
    SecurityScheme::OAuth2(OAuth2::with_description([flow], description))
}

fn all_components(shared: SharedComponents) -> Components {
    let bearer = |format: &str, description: &str| {
        SecurityScheme::Http(
            HttpBuilder::new()
                .scheme(HttpAuthScheme::Bearer)
                .bearer_format(format)
                .description(Some(description))
                .build(),
        )
    };
    let header = ApiKeyValue::with_description("X-API-Key", "An API key, `key_<prefix>_<secret>`.");
    let mut components = ComponentsBuilder::new()
        .security_scheme(KEY_AS_BEARER, bearer("API key", "An API key, `key_<prefix>_<secret>`."))
        .security_scheme(KEY_AS_HEADER, SecurityScheme::ApiKey(ApiKey::Header(header)))
        .security_scheme(OAUTH, oauth2())
        .security_scheme(SESSION, bearer("JWT", "The web session of a person, not an API key."));
    components = failures::components(components).schema("NoKeys", schema::strict("No keys.", Vec::new()));
    let groups =
        [identity::schemas(), keys::schemas(), reconciliations::schemas(), coding::schemas(), books::schemas()];
    for group in groups {
        for (name, schema) in group {
            components = components.schema(name, schema);
        }
    }
    let mut components = components.build();
    shared.finish(&mut components);
    components
}
