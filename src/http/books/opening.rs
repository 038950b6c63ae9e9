//! Opening balances: previewed, and set once.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::change::{body_or_path, carry_out, keeper};
use super::token;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::opening::{OpeningRequest, parse_opening, parse_preview};
use crate::store::Action;

/// `POST …/opening-balances/preview`.
pub async fn preview(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let keeper = keeper(&call).await?;
    let entry = Box::new(body_or_path(parse_preview(&call.body), true)?);
    let preview = Box::new(token::preview(&call, "opn_"));
    carry_out(&call, &keeper, StatusCode::OK, Action::PreviewOpening { entry, preview }).await
}

/// `POST …/opening-balances`.
pub async fn set(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let keeper = keeper(&call).await?;
    let action = match body_or_path(parse_opening(&call.body), true)? {
        OpeningRequest::Entry(entry) => Action::SetOpening { entry: Some(Box::new(entry)), token_hash: None },
        OpeningRequest::Token(token) => {
            let hash = token::hash(&token);
            let kept = token::request(&call, &keeper, &hash).await?;
            // Whether the token is still good is decided with the books; what it was given for was read before.
            let entry = kept.and_then(|body| parse_preview(body.as_bytes()).ok()).map(Box::new);
            Action::SetOpening { entry, token_hash: Some(hash) }
        }
    };
    carry_out(&call, &keeper, StatusCode::CREATED, action).await
}
