//! `/openapi.json` and the page at `/docs` that reads it. Everything comes from this process: no network is needed.

use std::sync::{Arc, LazyLock};

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use utoipa_swagger_ui::Config;

use super::call::Call;
use super::envelope;
use super::error::ApiError;

static CONFIG: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| {
    let config = Config::from("/openapi.json").try_it_out_enabled(true).display_request_duration(true);
    // The key that was entered outlives a reload of the page.
    Arc::new(config.persist_authorization(true))
});

/// `GET /openapi.json`.
pub async fn document<S: 'static>(call: Call<S>) -> Result<HttpResponse, ApiError> {
    Ok(envelope::json_bytes(StatusCode::OK, call.worker.shared.openapi()))
}

/// `GET /docs`: the page lives in a folder, so that its files are found.
pub async fn redirect<S: 'static>(_: Call<S>) -> Result<HttpResponse, ApiError> {
    let mut response = HttpResponse::with_body(StatusCode::PERMANENT_REDIRECT, BoxBody::new(()));
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/docs/"));
    Ok(response)
}

/// `GET /docs/…`: a file of the page.
pub async fn file<S: 'static>(call: Call<S>) -> Result<HttpResponse, ApiError> {
    let served = utoipa_swagger_ui::serve(call.parameter("file"), Arc::clone(&CONFIG));
    let file = served.map_err(ApiError::internal)?.ok_or_else(ApiError::not_found)?;
    let content_type = HeaderValue::from_maybe_shared(file.content_type).map_err(ApiError::internal)?;
    let mut response = HttpResponse::with_body(StatusCode::OK, BoxBody::new(file.bytes.into_owned()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}
