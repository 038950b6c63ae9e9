//! `create_organisation` and `update_organisation`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::changing::{Change, ChangeHeaders};
use super::{Data, Inside, answer, ask, fault, part, refused};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome};
use crate::http::products::Products;

/// Makes an organisation, unless the person has one of this name: a call that is repeated makes no second one.
pub(super) async fn create(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    #[derive(Deserialize)]
    struct List {
        data: Vec<Named>,
    }
    #[derive(Deserialize)]
    struct Named {
        id: i64,
        name: String,
    }
    #[derive(Serialize)]
    struct Created<'a> {
        organisation: &'a RawValue,
    }
    let mut body = arguments.clone();
    let allows_same_name = body.remove("allow_same_name").is_some_and(|allowed| allowed == Value::Bool(true));
    let name = body.get("name").and_then(Value::as_str).unwrap_or_default();
    if !allows_same_name {
        let listed = ask(call, "listOrganisations", &[], String::new()).await?;
        let listed: List = part(&listed)?;
        let same = |one: &&Named| one.name.trim().to_lowercase() == name.trim().to_lowercase();
        if let Some(known) = listed.data.iter().find(same) {
            let message = format!("the organisation {} is called {:?} already", known.id, known.name);
            return Err(Failure::new("conflict (same_name)", message)
                .next("use that one, or call again with allow_same_name to make another")
                .into());
        }
    }
    let change = Change { call, tool: "create_organisation", organisation: None };
    let made = change.ask("createOrganisation", None, &Value::Object(body), ChangeHeaders::default()).await?;
    let made = made.map_err(refused)?;
    let data: Data<'_> = part(&made.body)?;
    answer(&Created { organisation: data.data })
}

/// Changes the settings of an organisation.
pub(super) async fn update(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    #[derive(Serialize)]
    struct Updated<'a> {
        organisation: &'a RawValue,
        changed: Vec<&'a str>,
    }
    let mut body: Map<String, Value> = arguments.clone();
    body.remove("organisation_id");
    let expected_version = body.remove("expected_version").and_then(|version| version.as_i64());
    let cleared = body.remove("clear");
    for name in cleared.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str) {
        if body.insert(name.to_owned(), Value::Null).is_some() {
            let message = format!("{name}: is given and cleared in one call");
            return Err(Failure::new("invalid_request_format", message).into());
        }
    }
    let named: Vec<String> = body.keys().cloned().collect();
    let before = inside.ask("getOrganisation", None).await?;
    let change = Change { call: inside.call, tool: "update_organisation", organisation: Some(inside.id) };
    let headers = ChangeHeaders { expected_version, idempotency_key: None };
    let after = change.ask("updateOrganisation", None, &Value::Object(body), headers).await?.map_err(refused)?;
    let (before, record) = (part::<Data<'_>>(&before)?, part::<Data<'_>>(&after.body)?);
    let fields = |record: &RawValue| {
        serde_json::from_str::<Map<String, Value>>(record.get()).map_err(|error| fault(ApiError::internal(error)))
    };
    let (before, after) = (fields(before.data)?, fields(record.data)?);
    let changed = named.iter().map(String::as_str).filter(|name| before.get(*name) != after.get(*name));
    answer(&Updated { organisation: record.data, changed: changed.collect() })
}
