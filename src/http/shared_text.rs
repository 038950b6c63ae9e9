//! Public texts that are large and that anybody may ask for: their bytes are shared between all answers, and compressed once.

use std::io::Write as _;

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::sync::OnceCell;

use super::call::Call;
use super::error::ApiError;

/// A text in its compressed form (RFC 1952), once somebody has asked for that.
#[derive(Default)]
pub(super) struct Packed(OnceCell<Bytes>);

impl Packed {
    async fn of(&self, plain: &Bytes) -> Result<Bytes, ApiError> {
        let pack = || async {
            let plain = plain.clone();
            // Everybody else waits for the one who does it.
            actix_web::web::block(move || packed(&plain)).await.map_err(ApiError::internal)?.map_err(ApiError::internal)
        };
        self.0.get_or_try_init(pack).await.cloned()
    }
}

fn packed(plain: &[u8]) -> std::io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    encoder.finish().map(Bytes::from)
}

/// The answer with a text, compressed where the client takes that.
pub(super) async fn answer<S>(
    call: &Call<S>,
    plain: Bytes,
    packed: &Packed,
    content_type: HeaderValue,
) -> Result<HttpResponse, ApiError> {
    let is_packed = call.header("accept-encoding").is_some_and(takes_gzip);
    let bytes = if is_packed { packed.of(&plain).await? } else { plain };
    let mut response = HttpResponse::with_body(StatusCode::OK, BoxBody::new(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if is_packed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

/// Whether `Accept-Encoding` names gzip and does not give it the weight 0 (RFC 9110, section 12.5.3).
fn takes_gzip(accepted: &str) -> bool {
    accepted.split(',').any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        is_gzip && weight.is_none_or(|weight| weight.parse::<f32>().is_ok_and(|weight| weight > 0.0))
    })
}

#[cfg(test)]
mod tests {
    use super::takes_gzip;

    #[test]
    fn gzip_is_for_those_who_say_so() {
        for yes in ["gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.5", "identity;q=0.1 , gzip ; q=1"] {
            assert!(takes_gzip(yes), "{yes}");
        }
        for no in ["", "identity", "br", "gzip;q=0", "gzip; q=0.000", "gzip;q=x", "gzipped"] {
            assert!(!takes_gzip(no), "{no}");
        }
    }
}
