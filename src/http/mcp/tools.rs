//! What tools do: questions to the routes of the REST API on behalf of the caller, and their answers put together.

mod changes;
mod changing;
mod cis;
mod coding;
mod csv_rows;
mod documents;
mod find;
mod guide;
mod imports;
mod opening;
mod organisations;
mod pages;
mod plan;
mod reconcile;
mod reports;
mod selection;
mod vat;

use actix_web::body::MessageBody as _;
use actix_web::http::Method;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::arguments::{self, Arguments};
use super::definitions::Definition;
use super::outcome::{Failure, Outcome, Refused};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::caller::{ConnectionAccess, KeyReach, Scope, ScopeSet};
use crate::domain::date::{Date, date_in};
use crate::domain::ids::{ConnectionId, OrganisationId};
use crate::http::books::change::member;
use crate::http::call::{Call, RouteQuestion};
use crate::http::error::{ApiError, ErrorCode};
use crate::http::products::Products;
use crate::http::route_table::Route;

/// The time zone of days where no organisation has one.
const TIME_ZONE: &str = "Europe/London";

/// The scopes that a call needs, by the tool and, where they matter, by its arguments. What a plan needs to be committed, its
/// operations say.
pub(super) async fn needed_scopes(
    call: &Call<Products>,
    definition: &Definition,
    arguments: &Arguments,
) -> Result<ScopeSet, ApiError> {
    match definition.tool.name.as_ref() {
        "commit_plan" => plan::needed_to_commit(call, arguments).await,
        _ => Ok(scopes_of_tool(definition, arguments)),
    }
}

fn scopes_of_tool(definition: &Definition, arguments: &Arguments) -> ScopeSet {
    let mut needed: ScopeSet = definition.scopes.iter().copied().collect();
    if definition.tool.name == "coding_policy" && arguments.contains_key("set") {
        needed.insert(Scope::CodingWrite);
    }
    needed
}

/// What an agent does where the service cannot answer now. Whether a change was carried out may not be known then.
const TRY_AGAIN: &str = "send the same call again in a moment; what a token or a handle stands for is never done twice";

/// Does what a tool is for: its scope, then its arguments, then the tool.
pub(super) async fn run(call: &Call<Products>, definition: &Definition, arguments: Arguments) -> Outcome {
    let access = call.access().map_err(fault)?;
    // Whether a plan may be committed, its tool finds out.
    let needed = match definition.tool.name.as_ref() {
        "commit_plan" => ScopeSet::default(),
        _ => scopes_of_tool(definition, &arguments),
    };
    let missing = needed.without(access.scopes).names();
    if !missing.is_empty() {
        let message = format!("the key lacks the scope {}", missing.join(" and "));
        return Err(Failure::new("forbidden", message).next("ask the person for a key with it").into());
    }
    arguments::check(&definition.tool.input_schema, &arguments)?;
    match definition.tool.name.as_ref() {
        "whoami" => who_am_i(call, access).await,
        "list_organisations" => list_organisations(call).await,
        "select_organisation" => selection::select(call, &arguments).await,
        "recent_changes" => changes::recent(&Inside::of(call, &arguments).await?, &arguments).await,
        "find" => find::run(&Inside::of(call, &arguments).await?, &arguments).await,
        "books_status" => books_status(&Inside::of(call, &arguments).await?).await,
        "get_document" => documents::get(&Inside::of(call, &documents::named(&arguments)).await?, &arguments).await,
        "get_report" => reports::get(&Inside::of(call, &arguments).await?, &arguments).await,
        "vat_obligations" => vat::obligations(&Inside::of(call, &arguments).await?, &arguments).await,
        "cis_position" => cis::position(&Inside::of(call, &arguments).await?, &arguments).await,
        "lookup_guide" => guide::look_up(&arguments),
        "reconcile_statement" => reconcile::statement(&Inside::of(call, &arguments).await?, &arguments).await,
        "create_organisation" => organisations::create(call, &arguments).await,
        "update_organisation" => organisations::update(&Inside::of(call, &arguments).await?, &arguments).await,
        "bulk_import" => imports::import(call, &arguments).await,
        "set_opening_balances" => opening::set(call, &arguments).await,
        "list_operations" => plan::operations::list(call, &arguments),
        "plan_bookkeeping" => plan::preview(&Inside::of(call, &arguments).await?, &arguments).await,
        "commit_plan" => plan::commit(call, &arguments).await,
        // These are kept apart: their futures are large.
        name if coding::TOOLS.contains(&name) => Box::pin(coding::run_tool(name, call, &arguments)).await,
        name => Err(Failure::new("not_found", format!("there is no tool {name}")).into()),
    }
}

/// Why a tool could not answer: a fault of ours, or a service that cannot answer now, which an agent may wait for.
fn fault(error: ApiError) -> Refused {
    match error.code() {
        ErrorCode::Busy => refused(error),
        _ => Refused::Fault(Box::new(error)),
    }
}

/// A refusal of a route in words.
fn refused(error: ApiError) -> Refused {
    match error.code() {
        ErrorCode::InternalError => fault(error),
        ErrorCode::Busy => Failure::of_route(ErrorCode::Busy, &error).next(TRY_AGAIN).into(),
        code => Refused::Failure(Failure::of_route(code, &error)),
    }
}

/// The route of an operation, and what is asked of it.
fn question<'a>(
    call: &'a Call<Products>,
    operation: &str,
    parameters: &[(&'static str, String)],
    query: String,
) -> Result<(&'a Route<Products>, RouteQuestion), Refused> {
    let route = call.route(operation).ok_or_else(|| fault(ApiError::internal(format!("no operation {operation}"))))?;
    let mut path = route.path.to_owned();
    for (name, value) in parameters {
        path = path.replace(&format!("{{{name}}}"), value);
    }
    let method = route.method.clone();
    Ok((route, RouteQuestion { path, parameters: parameters.to_vec(), query, ..RouteQuestion::new(method) }))
}

/// Asks a route of the REST API, which answers as it answers a request of the caller.
async fn ask(
    call: &Call<Products>,
    operation: &str,
    parameters: &[(&'static str, String)],
    query: String,
) -> Result<Bytes, Refused> {
    let (route, question) = question(call, operation, parameters, query)?;
    let response = route.answer(call.of_tool(question)).await.map_err(refused)?;
    response.into_body().try_into_bytes().map_err(|_| fault(ApiError::internal("an answer that is a stream")))
}

/// A part of an answer of a route.
fn part<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Refused> {
    // Checked once: the parser would check every part of bytes that it hands on as text.
    let text = std::str::from_utf8(body).map_err(|error| fault(ApiError::internal(error)))?;
    serde_json::from_str(text).map_err(|error| fault(ApiError::internal(error)))
}

fn answer<T: Serialize>(value: &T) -> Outcome {
    serde_json::value::to_raw_value(value).map_err(|error| fault(ApiError::internal(error)))
}

/// An argument that is wrong, and how it should be.
fn wrong(field: &str, message: impl std::fmt::Display) -> Failure {
    Failure::new("invalid_request_format", format!("{field}: {message}"))
}

/// The most bytes of rows in one answer; what is around them fits into the rest of 25,000 characters.
const ANSWER_BYTES_MAX: usize = 24_000;

/// Rows on a page when the caller does not say.
const LIMIT_DEFAULT: usize = 20;

/// How many rows the caller wants.
fn limit_of(arguments: &Arguments) -> usize {
    let limit = arguments.get("limit").and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
    limit.unwrap_or(LIMIT_DEFAULT)
}

/// The rows from the first on that fit into so many bytes by their lengths, and whether there are others. A row alone is shown
/// whatever its length.
fn rows_that_fit<R>(rows: Vec<R>, bytes_max: usize, length: impl Fn(&R) -> usize) -> (Vec<R>, bool) {
    let mut used = 0;
    let fit = rows.iter().enumerate().take_while(|(at, row)| {
        used += length(row) + 1;
        used <= bytes_max || *at == 0
    });
    let (fit, all) = (fit.count(), rows.len());
    (rows.into_iter().take(fit).collect(), fit < all)
}

#[derive(Serialize)]
struct Connection<'a> {
    kind: &'static str,
    name: &'a str,
}

#[derive(Serialize)]
struct WhoAmI<'a> {
    user_id: &'a RawValue,
    connection: Connection<'a>,
    scopes: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    restricted_to: Option<Vec<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selected_organisation: Option<OrganisationName<'a>>,
    credits: &'a RawValue,
    today: Date,
}

/// What `GET /me` says, with the connection and today's date.
async fn who_am_i(call: &Call<Products>, access: &ConnectionAccess) -> Outcome {
    #[derive(Deserialize)]
    struct Me<'a> {
        #[serde(borrow)]
        user_id: &'a RawValue,
        #[serde(borrow)]
        scopes: &'a RawValue,
        #[serde(borrow)]
        credits: &'a RawValue,
    }
    let kind = match access.id {
        ConnectionId::Key(_) => "api_key",
        ConnectionId::Grant(_) => "oauth",
    };
    let body = ask(call, "getMe", &[], String::new()).await?;
    let me: Me<'_> = part(&body)?;
    let restricted_to = match &access.reach {
        KeyReach::All => None,
        KeyReach::Only(organisations) => Some(organisations.iter().map(|organisation| organisation.0).collect()),
    };
    let selected = selection::selected(call).await?;
    let time_zone = selected.as_ref().map_or(TIME_ZONE, |selected| selected.timezone.as_str());
    answer(&WhoAmI {
        user_id: me.user_id,
        connection: Connection { kind, name: &access.name },
        scopes: me.scopes,
        restricted_to,
        selected_organisation: selected.as_ref().map(OrganisationName::of),
        credits: me.credits,
        today: date_in(time_zone, call.began_at_ms()),
    })
}

/// The organisations of `GET /organisations`, in short.
async fn list_organisations(call: &Call<Products>) -> Outcome {
    #[derive(Deserialize)]
    struct List<'a> {
        #[serde(borrow)]
        data: Vec<Organisation<'a>>,
    }
    #[derive(Deserialize)]
    struct Organisation<'a> {
        id: i64,
        #[serde(borrow)]
        name: &'a RawValue,
        #[serde(borrow)]
        role: &'a RawValue,
        #[serde(borrow)]
        base_currency: &'a RawValue,
        vat_registered: bool,
    }
    #[derive(Serialize)]
    struct Row<'a> {
        id: i64,
        name: &'a RawValue,
        role: &'a RawValue,
        currency: &'a RawValue,
        vat_registered: bool,
        selected: bool,
    }
    #[derive(Serialize)]
    struct Organisations<'a> {
        organisations: Vec<Row<'a>>,
    }
    let body = ask(call, "listOrganisations", &[], String::new()).await?;
    let list: List<'_> = part(&body)?;
    let selected = match list.data.as_slice() {
        // Nothing else can be selected, and nothing need be.
        [only] => Some(only.id),
        _ => selection::selected(call).await?.map(|selected| selected.id.0),
    };
    let organisations = list.data.into_iter().map(|one| Row {
        id: one.id,
        name: one.name,
        role: one.role,
        currency: one.base_currency,
        vat_registered: one.vat_registered,
        selected: selected == Some(one.id),
    });
    answer(&Organisations { organisations: organisations.collect() })
}

/// The organisation that a tool works on.
struct Inside<'a> {
    call: &'a Call<Products>,
    id: i64,
    name: String,
}

/// The organisation as every answer names it.
#[derive(Serialize)]
struct OrganisationName<'a> {
    id: i64,
    name: &'a str,
}

impl<'a> OrganisationName<'a> {
    fn of(organisation: &'a OrganisationRecord) -> Self {
        Self { id: organisation.id.0, name: &organisation.name }
    }
}

impl<'a> Inside<'a> {
    /// The organisation the arguments name, else the only one the connection reaches.
    async fn of(call: &'a Call<Products>, arguments: &Arguments) -> Result<Self, Refused> {
        let organisation = match arguments.get("organisation_id").and_then(Value::as_i64) {
            Some(id) => visible(call, OrganisationId(id)).await.map_err(refused)?,
            None => match selection::selected(call).await? {
                Some(selected) => selected,
                None => only_organisation(call).await?,
            },
        };
        Ok(Self { call, id: organisation.id.0, name: organisation.name })
    }

    fn name(&self) -> OrganisationName<'_> {
        OrganisationName { id: self.id, name: &self.name }
    }

    /// The path of a route inside the organisation about a record.
    fn path(&self, operation: &str, id: Option<i64>) -> Result<String, Refused> {
        let mut parameters = vec![(ORGANISATION, self.id.to_string())];
        parameters.extend(id.map(|id| ("id", id.to_string())));
        Ok(question(self.call, operation, &parameters, String::new())?.1.path)
    }

    /// Asks a route inside the organisation about a record, or about none.
    async fn ask(&self, operation: &str, id: Option<i64>) -> Result<Bytes, Refused> {
        self.ask_with(operation, id.map(|id| ("id", id.to_string())), String::new()).await
    }

    /// The same with any parameter of the path and a query string.
    async fn ask_with(
        &self,
        operation: &str,
        parameter: Option<(&'static str, String)>,
        query: String,
    ) -> Result<Bytes, Refused> {
        let mut parameters = vec![(ORGANISATION, self.id.to_string())];
        parameters.extend(parameter);
        ask(self.call, operation, &parameters, query).await
    }
}

/// The parameter of paths that names an organisation.
const ORGANISATION: &str = "organisationId";

/// An organisation, if the caller is a member of it and the connection reaches it.
async fn visible(call: &Call<Products>, id: OrganisationId) -> Result<OrganisationRecord, ApiError> {
    let parameters = vec![(ORGANISATION, id.0.to_string())];
    let asked = RouteQuestion { parameters, ..RouteQuestion::new(Method::GET) };
    member(&call.of_tool(asked)).await.map(|(organisation, _)| organisation)
}

/// The organisation of a connection that reaches exactly one.
async fn only_organisation(call: &Call<Products>) -> Result<OrganisationRecord, Refused> {
    let access = call.access().map_err(fault)?;
    let reached = call.state().reader.organisations_of(access.user_id).await.map_err(|error| fault(error.into()))?;
    let mut reached = reached.into_iter().filter(|(row, _)| access.reach.covers(row.id));
    match (reached.next(), reached.next()) {
        (Some((only, _)), None) => Ok(only),
        (None, _) => Err(Failure::new("no_organisation_selected", "this connection reaches no organisation").into()),
        (Some(_), Some(_)) => {
            let failure = Failure::new("no_organisation_selected", "this connection reaches several organisations");
            Err(failure
                .next(
                    "name one by organisation_id, or choose one with select_organisation; list_organisations has them",
                )
                .into())
        }
    }
}

/// The `data` of an answer of a route.
#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow)]
    data: &'a RawValue,
}

/// `GET …/status`, with the organisation.
async fn books_status(inside: &Inside<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Status<'a> {
        #[serde(borrow)]
        as_of: &'a RawValue,
        #[serde(borrow)]
        currency: &'a RawValue,
        #[serde(borrow)]
        vat: &'a RawValue,
        #[serde(borrow)]
        locked_through: &'a RawValue,
        opening_balances_set: bool,
        #[serde(borrow)]
        bank_accounts: &'a RawValue,
        drafts: i64,
        #[serde(borrow)]
        overdue: &'a RawValue,
        #[serde(borrow)]
        financial_years: &'a RawValue,
        #[serde(borrow)]
        gaps: &'a RawValue,
    }
    #[derive(Serialize)]
    struct BooksStatus<'a> {
        organisation: OrganisationName<'a>,
        as_of: &'a RawValue,
        currency: &'a RawValue,
        vat: &'a RawValue,
        #[serde(skip_serializing_if = "Option::is_none")]
        locked_through: Option<&'a RawValue>,
        opening_balances_set: bool,
        bank_accounts: &'a RawValue,
        drafts: i64,
        overdue: &'a RawValue,
        financial_years: &'a RawValue,
        gaps: &'a RawValue,
    }
    let body = inside.ask("getBooksStatus", None).await?;
    let data: Data<'_> = part(&body)?;
    let status: Status<'_> = part(data.data.get().as_bytes())?;
    answer(&BooksStatus {
        organisation: inside.name(),
        as_of: status.as_of,
        currency: status.currency,
        vat: status.vat,
        locked_through: Some(status.locked_through).filter(|date| date.get() != "null"),
        opening_balances_set: status.opening_balances_set,
        bank_accounts: status.bank_accounts,
        drafts: status.drafts,
        overdue: status.overdue,
        financial_years: status.financial_years,
        gaps: status.gaps,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoreError;

    #[test]
    fn an_agent_is_told_that_the_database_is_away_and_not_of_a_fault() {
        let told = |error: StoreError| match fault(error.into()) {
            Refused::Failure(failure) => Some(failure.to_string()),
            Refused::Fault(_) => None,
        };
        for away in [StoreError::Busy, StoreError::Unavailable("cut off".to_owned())] {
            let told = told(away).unwrap();
            assert!(told.starts_with("busy (store_unavailable): ") && told.ends_with(TRY_AGAIN), "{told}");
            assert!(!told.contains("cut off"), "the cause is for the log");
        }
        assert_eq!(told(StoreError::Corrupt("a row".to_owned())), None);
    }
}
