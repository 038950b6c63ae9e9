//! Health and the caller's identity.

use std::sync::OnceLock;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Array;

use crate::domain::caller::ScopeSet;
use crate::domain::date::Month;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{Id, Moment};
use crate::http::error::ApiError;
use crate::http::openapi::schema::{array, choice, named};
use crate::http::products::Products;

/// The version of the API.
const API_VERSION: &str = "v1";

/// `GET /api/v1/health`.
pub async fn health(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let products = call.state();
    let health = HealthJson {
        status: products.actors.health.as_str(),
        version: API_VERSION,
        time: Moment(products.clock.now_ms()),
    };
    envelope::json(StatusCode::OK, &health)
}

/// `GET /api/v1/me`: from what is published, without a message or SQL once the balance is known.
pub async fn me(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = call.access()?;
    let products = call.state();
    let bank = &products.actors.credits;
    let account = match bank.published(access.user_id) {
        Some(account) => account,
        None => bank
            .account(access.user_id)
            .await?
            .ok_or_else(|| ApiError::internal("a person without a credit account"))?,
    };
    // A month that is over shows the new allocation at once; the renewal is written by the next charge or by the house.
    let (account, _) = account.rolled_over(Month::of_ms(call.began_at_ms()));
    let (remaining_monthly, bonus_credits) = account.free();
    let credits = CreditsJson { remaining_monthly, bonus_credits };
    let me = MeJson { user_id: Id(access.user_id.0), scopes: printed(access.scopes)?, credits };
    Ok(envelope::json_bytes(StatusCode::OK, me.printed()))
}

/// The names of a set of scopes as JSON, printed once for each set.
fn printed(scopes: ScopeSet) -> Result<&'static RawValue, ApiError> {
    static PRINTED: [OnceLock<Box<RawValue>>; ScopeSet::COUNT] = [const { OnceLock::new() }; ScopeSet::COUNT];
    let of_all = PRINTED.get(scopes.index()).ok_or_else(|| ApiError::internal("a set of scopes beyond all of them"))?;
    if let Some(printed) = of_all.get() {
        return Ok(printed);
    }
    let printed = serde_json::value::to_raw_value(&scopes.names()).map_err(ApiError::internal)?;
    Ok(of_all.get_or_init(|| printed))
}

/// Whether the service is up.
#[derive(Serialize, ToSchema)]
#[schema(as = Health, example = health_example)]
pub struct HealthJson {
    #[schema(schema_with = health_status)]
    status: &'static str,
    #[schema(schema_with = version)]
    version: &'static str,
    time: Moment,
}

/// Who is calling.
#[derive(Serialize, ToSchema)]
#[schema(as = Me, example = me_example)]
pub struct MeJson {
    user_id: Id,
    #[schema(schema_with = scopes)]
    scopes: &'static RawValue,
    credits: CreditsJson,
}

impl MeJson {
    /// What serde prints of it, at a quarter of the cost: clients ask for it more often than for anything else.
    fn printed(&self) -> String {
        let Self { user_id, scopes, credits } = self;
        let (mut id, mut monthly, mut bonus) = (itoa::Buffer::new(), itoa::Buffer::new(), itoa::Buffer::new());
        [
            "{\"user_id\":",
            id.format(user_id.0),
            ",\"scopes\":",
            scopes.get(),
            ",\"credits\":{\"remainingMonthly\":",
            monthly.format(credits.remaining_monthly),
            ",\"bonusCredits\":",
            bonus.format(credits.bonus_credits),
            "}}",
        ]
        .concat()
    }
}

/// Credits left.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Credits)]
struct CreditsJson {
    #[schema(minimum = 0)]
    remaining_monthly: i64,
    #[schema(minimum = 0)]
    bonus_credits: i64,
}

fn health_status() -> ObjectBuilder {
    choice(&["ok", "degraded"])
}

fn version() -> ObjectBuilder {
    choice(&[API_VERSION])
}

fn scopes() -> Array {
    array(named("Scope")).unique_items(true).build()
}

fn health_example() -> Value {
    json!({ "status": "ok", "version": "v1", "time": "2026-11-21T09:30:00.000Z" })
}

fn me_example() -> Value {
    json!({
        "user_id": 7, "scopes": ["reconcile:read", "reconcile:write"],
        "credits": { "remainingMonthly": 940, "bonusCredits": 50 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::caller::Scope;

    #[test]
    fn who_calls_is_printed_as_serde_prints_it() {
        for (scopes, remaining_monthly, bonus_credits) in
            [(ScopeSet::default(), 0, 0), (Scope::ALL.into_iter().collect(), i64::MAX, -7)]
        {
            let credits = CreditsJson { remaining_monthly, bonus_credits };
            let me = MeJson { user_id: Id(7), scopes: printed(scopes).unwrap(), credits };
            assert_eq!(me.printed(), serde_json::to_string(&me).unwrap());
        }
    }
}
