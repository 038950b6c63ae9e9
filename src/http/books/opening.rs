//! Opening balances: previewed, and set once.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::access::require_write_access;
use super::change::{AnswerContext, body_or_path, execute, printed};
use super::token;
use crate::domain::books::command::BooksCommand;
use crate::domain::books::request::CommandResult;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::opening::{
    OpeningJson, OpeningPreviewJson, OpeningRequest, parse_opening, parse_preview,
};

/// `POST …/opening-balances/preview`.
pub async fn preview(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let entry = Box::new(body_or_path(parse_preview(&call.body), true)?);
    let preview = Box::new(token::preview(&call, "opn_"));
    execute(&call, &access, StatusCode::OK, BooksCommand::PreviewOpening { entry, preview }, print).await
}

/// `POST …/opening-balances`.
pub async fn set(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let action = match body_or_path(parse_opening(&call.body), true)? {
        OpeningRequest::Entry(entry) => BooksCommand::SetOpening { entry: Some(Box::new(entry)), token_hash: None },
        OpeningRequest::Token(token) => {
            let hash = token::hash(&token);
            let kept = token::request(&call, &access, &hash).await?;
            // Whether the token is still good is decided with the books; what it was given for was read before.
            let entry = kept.and_then(|body| parse_preview(body.as_bytes()).ok()).map(Box::new);
            BooksCommand::SetOpening { entry, token_hash: Some(hash) }
        }
    };
    execute(&call, &access, StatusCode::CREATED, action, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, context: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::OpeningPreview(preview) => printed(&OpeningPreviewJson::new(preview, dry_run), dry_run),
        CommandResult::Opening(set) => printed(&OpeningJson::new(set, context.today), dry_run),
        _ => None,
    }
}
