//! `/openapi.json` and the page at `/docs` that reads it. Everything comes from this process: no network is needed.

use std::sync::{Arc, LazyLock};

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use bytes::Bytes;
use dashmap::DashMap;
use utoipa_swagger_ui::Config;

use super::call::Call;
use super::error::ApiError;
use super::shared_text::{self, Packed};

static CONFIG: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| {
    let config = Config::from("/openapi.json").try_it_out_enabled(true).display_request_duration(true);
    // The key that was entered outlives a reload of the page.
    Arc::new(config.persist_authorization(true))
});

/// A file of the page.
struct File {
    content_type: HeaderValue,
    plain: Bytes,
    packed: Packed,
}

/// The files that somebody has asked for, by their names: no more than the page has.
static FILES: LazyLock<DashMap<String, Arc<File>>> = LazyLock::new(DashMap::new);

/// The file of a name, if the page has it.
fn file_of(name: &str) -> Result<Option<Arc<File>>, ApiError> {
    if let Some(known) = FILES.get(name) {
        return Ok(Some(Arc::clone(&known)));
    }
    let served = utoipa_swagger_ui::serve(name, Arc::clone(&CONFIG)).map_err(ApiError::internal)?;
    let Some(served) = served else { return Ok(None) };
    let content_type = HeaderValue::from_maybe_shared(served.content_type).map_err(ApiError::internal)?;
    let file = File { content_type, plain: served.bytes.into_owned().into(), packed: Packed::default() };
    Ok(Some(Arc::clone(&FILES.entry(name.to_owned()).or_insert(Arc::new(file)))))
}

/// `GET /openapi.json`.
pub async fn document<S: 'static>(call: Call<S>) -> Result<HttpResponse, ApiError> {
    let (plain, packed) = call.worker.shared.openapi_texts();
    shared_text::answer(&call, plain, packed, HeaderValue::from_static("application/json")).await
}

/// `GET /docs`: the page lives in a folder, so that its files are found.
pub async fn redirect<S: 'static>(_: Call<S>) -> Result<HttpResponse, ApiError> {
    let mut response = HttpResponse::with_body(StatusCode::PERMANENT_REDIRECT, BoxBody::new(()));
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/docs/"));
    Ok(response)
}

/// `GET /docs/…`: a file of the page.
pub async fn file<S: 'static>(call: Call<S>) -> Result<HttpResponse, ApiError> {
    let file = file_of(call.parameter("file"))?.ok_or_else(ApiError::not_found)?;
    let mut response = shared_text::answer(&call, file.plain.clone(), &file.packed, file.content_type.clone()).await?;
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}
