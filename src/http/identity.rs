//! Health and the caller's identity.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;

use super::call::Call;
use super::envelope;
use super::error::ApiError;
use super::products::Products;
use crate::domain::calendar::{Month, date_time_text};

/// The version every health record names.
pub const API_VERSION: &str = "v1";

/// `GET /api/v1/health`.
pub async fn health(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    #[derive(Serialize)]
    struct Health {
        status: &'static str,
        version: &'static str,
        time: String,
    }
    let products = call.state();
    let health = Health {
        status: products.actors.health.as_str(),
        version: API_VERSION,
        time: date_time_text(products.clock.now_ms()),
    };
    envelope::json(StatusCode::OK, &health)
}

/// `GET /api/v1/me`: from what is published, without a message or SQL once the balance is known.
pub async fn me(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let key = call.key()?;
    let products = call.state();
    let bank = &products.actors.credits;
    let account = match bank.published(key.user_id) {
        Some(account) => account,
        None => {
            bank.account(key.user_id).await?.ok_or_else(|| ApiError::internal("a person without a credit account"))?
        }
    };
    // A month that is over shows the new allocation at once; the renewal is written by the next charge or by the house.
    let (account, _) = account.rolled_over(Month::of_ms(call.began_at_ms()));
    let body = format!(
        r#"{{"user_id":{},"scopes":{},"credits":{{"remainingMonthly":{},"bonusCredits":{}}}}}"#,
        key.user_id,
        key.scopes.json(),
        account.monthly,
        account.bonus
    );
    Ok(envelope::json_bytes(StatusCode::OK, body))
}
