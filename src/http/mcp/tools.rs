//! What each tool does: questions to the routes of the REST API on behalf of the caller, and their answers put together.

use actix_web::body::MessageBody as _;
use actix_web::http::header::HeaderMap;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::definitions::Definition;
use super::outcome::{Failure, Outcome, Refused};
use crate::domain::caller::{KeyReach, KeySnapshot, Scope};
use crate::domain::date::{Date, date_in};

use crate::http::body::Body;
use crate::http::call::{Call, RouteQuestion};
use crate::http::error::{ApiError, ErrorCode};
use crate::http::products::Products;

/// The time zone of days where no organisation has one.
const TIME_ZONE: &str = "Europe/London";

/// The arguments of a tool.
pub(super) type Arguments = Map<String, Value>;

/// Whether there is a tool of this name behind the one of the file.
pub(super) fn is_built(name: &str) -> bool {
    matches!(name, "whoami" | "list_organisations")
}

/// Does what a tool is for.
pub(super) async fn run(call: &Call<Products>, definition: &Definition, arguments: Arguments) -> Outcome {
    let key = call.key().map_err(fault)?;
    let missing: Vec<&str> =
        definition.scopes.iter().filter(|scope| !key.has(**scope)).map(|scope| Scope::as_str(*scope)).collect();
    if !missing.is_empty() {
        let message = format!("the key lacks the scope {}", missing.join(" and "));
        return Err(Failure::new("forbidden", message).next("ask the person for a key with it").into());
    }
    match definition.tool.name.as_ref() {
        "whoami" => {
            no_arguments(&arguments)?;
            who_am_i(call, key).await
        }
        "list_organisations" => {
            no_arguments(&arguments)?;
            list_organisations(call).await
        }
        name => Err(Failure::new("not_found", format!("there is no tool {name}")).into()),
    }
}

/// Refuses arguments where a tool takes none.
fn no_arguments(arguments: &Arguments) -> Result<(), Failure> {
    match arguments.keys().next() {
        None => Ok(()),
        Some(name) => Err(Failure::new("invalid_request_format", format!("{name}: this tool takes no arguments"))),
    }
}

fn fault(error: ApiError) -> Refused {
    Refused::Fault(Box::new(error))
}

/// A refusal of a route in words.
fn refused(error: ApiError) -> Refused {
    match error.code() {
        ErrorCode::InternalError => fault(error),
        code => Refused::Failure(Failure::new(code.as_str(), error.message().to_owned())),
    }
}

/// Asks a route of the REST API, which answers as it answers a request of the caller.
async fn ask(
    call: &Call<Products>,
    operation: &str,
    parameters: &[(&'static str, String)],
    query: String,
) -> Result<Bytes, Refused> {
    let route = call.route(operation).ok_or_else(|| fault(ApiError::internal(format!("no operation {operation}"))))?;
    let mut path = route.path.to_owned();
    for (name, value) in parameters {
        path = path.replace(&format!("{{{name}}}"), value);
    }
    let question = RouteQuestion {
        method: route.method.clone(),
        path,
        parameters: parameters.to_vec(),
        query,
        headers: HeaderMap::new(),
        body: Body::default(),
    };
    let response = route.answer(call.of_tool(question)).await.map_err(refused)?;
    response.into_body().try_into_bytes().map_err(|_| fault(ApiError::internal("an answer that is a stream")))
}

/// A part of an answer of a route.
fn part<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Refused> {
    serde_json::from_slice(body).map_err(|error| fault(ApiError::internal(error)))
}

fn answer<T: Serialize>(value: &T) -> Outcome {
    serde_json::value::to_raw_value(value).map_err(|error| fault(ApiError::internal(error)))
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
    credits: &'a RawValue,
    today: Date,
}

/// What `GET /me` says, with the connection and today's date.
async fn who_am_i(call: &Call<Products>, key: &KeySnapshot) -> Outcome {
    #[derive(Deserialize)]
    struct Me<'a> {
        #[serde(borrow)]
        user_id: &'a RawValue,
        #[serde(borrow)]
        scopes: &'a RawValue,
        #[serde(borrow)]
        credits: &'a RawValue,
    }
    let body = ask(call, "getMe", &[], String::new()).await?;
    let me: Me<'_> = part(&body)?;
    let restricted_to = match &key.reach {
        KeyReach::All => None,
        KeyReach::Only(organisations) => Some(organisations.iter().map(|organisation| organisation.0).collect()),
    };
    answer(&WhoAmI {
        user_id: me.user_id,
        connection: Connection { kind: "api_key", name: &key.name },
        scopes: me.scopes,
        restricted_to,
        credits: me.credits,
        today: date_in(TIME_ZONE, call.began_at_ms()),
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
    let is_only = list.data.len() == 1;
    let organisations = list.data.into_iter().map(|one| Row {
        id: one.id,
        name: one.name,
        role: one.role,
        currency: one.base_currency,
        vat_registered: one.vat_registered,
        selected: is_only,
    });
    answer(&Organisations { organisations: organisations.collect() })
}
