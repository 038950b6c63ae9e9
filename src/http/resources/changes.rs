//! The history of the books: all of it, or that of one record.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::schema::AdditionalProperties;
use utoipa::openapi::{Object, ObjectBuilder};

use crate::domain::books::audit_fields::{ChangeAction, Resource};
use crate::domain::books::records::change::{ChangeRecord, Changes, ChangesPart, Since};
use crate::http::books::change::{member, path_id};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{Id, Moment};
use crate::http::error::ApiError;
use crate::http::openapi::schema::{choice, nullable, object};
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::wire::books::changes::{BEFORE_RULE, SINCE_RULE, parse_before, parse_since};

/// `GET …/changes`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    show(&read(&call, None).await?)
}

/// `GET …/{id}/history`.
pub async fn history(call: Call<Products>, resource: Resource) -> Result<HttpResponse, ApiError> {
    show(&read(&call, Some(resource)).await?)
}

fn show(changes: &Changes) -> Result<HttpResponse, ApiError> {
    envelope::json(StatusCode::OK, &ChangesJson::from(changes))
}

/// The part of the history that is asked for: of all the books, or of the record of this kind that the path names.
pub async fn read(call: &Call<Products>, resource: Option<Resource>) -> Result<Changes, ApiError> {
    let (organisation, _) = member(call).await?;
    let reader = &call.state().reader;
    let of = resource.map(|resource| path_id(call).map(|id| (resource, id))).transpose()?;
    if let Some(record) = of
        && !reader.has_history(organisation.id, record).await?
    {
        return Err(ApiError::not_found());
    }
    let mut query = Query::new(call.query());
    let part = part(&mut query);
    query.finish()?;
    Ok(reader.changes(organisation.id, of, part).await?)
}

/// Which part is asked for: from the oldest entry after `since` on, or from the newest one before `before` back.
fn part(query: &mut Query) -> ChangesPart {
    let since = query.word("since", SINCE_RULE, parse_since).unwrap_or(Since::Cursor(0));
    let newest_first = query.word("order", "asc or desc", |word| match word {
        "asc" => Some(false),
        "desc" => Some(true),
        _ => None,
    });
    let newest_first = newest_first.unwrap_or_default();
    let before = query.word("before", BEFORE_RULE, parse_before);
    ChangesPart { since, before, newest_first, limit: query.limit() }
}

/// A part of the history.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangeList)]
pub struct ChangesJson<'a> {
    data: Vec<ChangeJson<'a>>,
    /// `since` of the part that follows; with `order=desc` its `before`.
    #[schema(minimum = 0)]
    next_cursor: i64,
}

/// An entry of the history.
#[derive(Serialize, ToSchema)]
#[schema(as = Change, example = example)]
pub struct ChangeJson<'a> {
    /// Its place: counted from 1 in every organisation.
    #[schema(minimum = 1)]
    cursor: i64,
    at: Moment,
    actor: ChangeActorJson<'a>,
    #[schema(schema_with = action)]
    action: &'static str,
    #[schema(schema_with = resource_type)]
    resource_type: &'static str,
    resource_id: Id,
    summary: &'a str,
    /// What a plan of an agent was said to be for.
    #[schema(required)]
    note: Option<&'a str>,
    #[schema(schema_with = before, required)]
    before: Option<&'a RawValue>,
    #[schema(schema_with = after, required)]
    after: Option<&'a RawValue>,
}

/// Who changed it.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangeActor)]
struct ChangeActorJson<'a> {
    user_id: Id,
    /// What the person is called now.
    user_name: &'a str,
    #[schema(required)]
    key_prefix: Option<&'a str>,
    /// What the key is called; null where no key was used.
    #[schema(required)]
    key_name: Option<&'a str>,
    #[schema(schema_with = via)]
    via: &'a str,
    /// The connection by OAuth that was used; null for keys and people.
    #[schema(required)]
    connection: Option<ChangeConnectionJson<'a>>,
    /// The tool that was called; null over REST.
    #[schema(required)]
    tool: Option<&'a str>,
}

/// A connection by OAuth.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangeConnection)]
struct ChangeConnectionJson<'a> {
    id: Id,
    name: &'a str,
}

fn action() -> ObjectBuilder {
    let actions: Vec<&str> = ChangeAction::ALL.iter().map(|action| action.as_str()).collect();
    choice(&actions)
}

fn resource_type() -> ObjectBuilder {
    let resources: Vec<&str> = Resource::ALL.iter().map(|resource| resource.as_str()).collect();
    choice(&resources)
}

fn before() -> Object {
    some_fields("What was otherwise before; null for what was made.")
}

fn after() -> Object {
    some_fields("The same after; null for what was deleted. Long texts are cut.")
}

fn some_fields(description: &str) -> Object {
    let mut fields = object(description, Vec::new());
    fields.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(true)));
    nullable(fields)
}

fn via() -> ObjectBuilder {
    choice(&["api", "web", "mcp"])
}

fn example() -> Value {
    json!({
        "cursor": 42, "at": "2026-03-10T12:00:00.000Z",
        "actor": {
            "user_id": 3, "user_name": "Sam Field", "key_prefix": "4fK9zQ2mXw7B", "key_name": "Nightly import", "via": "api",
            "connection": null, "tool": null
        },
        "action": "update", "resource_type": "customer", "resource_id": 12, "summary": "Customer Brightwell School changed", "note": null,
        "before": { "email": null }, "after": { "email": "office@brightwell.example" }
    })
}

impl<'a> From<&'a Changes> for ChangesJson<'a> {
    fn from(changes: &'a Changes) -> Self {
        Self { data: changes.rows.iter().map(ChangeJson::from).collect(), next_cursor: changes.next_cursor }
    }
}

impl<'a> From<&'a ChangeRecord> for ChangeJson<'a> {
    fn from(row: &'a ChangeRecord) -> Self {
        Self {
            cursor: row.cursor,
            at: Moment(row.at_ms),
            actor: ChangeActorJson {
                user_id: Id(row.user_id),
                user_name: &row.user_name,
                key_prefix: row.key_prefix.as_deref(),
                key_name: row.key_name.as_deref(),
                via: &row.via,
                connection: row.connection.as_ref().map(|(id, name)| ChangeConnectionJson { id: Id(id.0), name }),
                tool: row.tool.as_deref(),
            },
            action: row.action.as_str(),
            resource_type: row.resource.as_str(),
            resource_id: Id(row.resource_id),
            summary: &row.summary,
            note: row.note.as_deref(),
            before: stored_json(row.before.as_ref()),
            after: stored_json(row.after.as_ref()),
        }
    }
}

/// Stored JSON as it is; it was printed by the service itself.
fn stored_json(text: Option<&String>) -> Option<&RawValue> {
    text.and_then(|text| serde_json::from_str(text).ok())
}
