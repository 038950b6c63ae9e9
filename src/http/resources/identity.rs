//! Health and the caller's identity.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Array;

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
    let me = MeJson { user_id: Id(access.user_id.0), scopes: access.scopes.names(), credits };
    envelope::json(StatusCode::OK, &me)
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
    scopes: Vec<&'static str>,
    credits: CreditsJson,
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
