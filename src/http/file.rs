//! Answers that are files: PDF of documents, and CSV.

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use tokio::sync::Semaphore;

use crate::http::error::ApiError;
use crate::render::{Pdf, RenderError};

/// `Missing-Characters`: the characters that the font lacks, each printed as a box.
pub const MISSING_CHARACTERS: HeaderName = HeaderName::from_static("missing-characters");
/// How many of them are named.
const NAMED_MAX: usize = 20;

/// How many documents are printed at once: each takes a thread and its memory.
const PLACES: usize = 4;
static PRINTING: Semaphore = Semaphore::const_new(PLACES);

/// Prints a document on a blocking thread.
pub async fn print(print: impl FnOnce() -> Result<Pdf, RenderError> + Send + 'static) -> Result<Pdf, ApiError> {
    let place = PRINTING.acquire().await.map_err(ApiError::internal)?;
    let printed = actix_web::web::block(print).await.map_err(ApiError::internal)?;
    drop(place);
    printed.map_err(ApiError::internal)
}

/// Answers a document under the name of its file.
pub fn pdf(name: &str, pdf: Pdf) -> Result<HttpResponse, ApiError> {
    let mut response = file(name, "application/pdf", pdf.bytes)?;
    if let Some(missing) = missing_characters(&pdf.missing) {
        let value = HeaderValue::from_str(&missing).map_err(ApiError::internal)?;
        response.headers_mut().insert(MISSING_CHARACTERS, value);
    }
    Ok(response)
}

/// Answers a CSV under the name of its file.
pub fn csv(name: &str, text: String) -> Result<HttpResponse, ApiError> {
    file(name, "text/csv; charset=utf-8; header=present", text.into_bytes())
}

/// Answers a file, to be shown in place.
fn file(name: &str, media_type: &'static str, bytes: Vec<u8>) -> Result<HttpResponse, ApiError> {
    let mut response = HttpResponse::with_body(StatusCode::OK, BoxBody::new(bytes));
    let disposition = HeaderValue::from_str(&disposition(name)).map_err(ApiError::internal)?;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}

/// The header that names a file (RFC 6266): its name in ASCII without what paths and quotes are made of, and where that is
/// another name, the whole one as RFC 8187 writes it.
fn disposition(name: &str) -> String {
    let safe: String = name.chars().map(|letter| if is_safe(letter) { letter } else { '-' }).collect();
    let inline = format!("inline; filename=\"{safe}\"");
    if safe == name {
        return inline;
    }
    let mut whole = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            whole.push(char::from(byte));
        } else {
            whole.push_str(&format!("%{byte:02X}"));
        }
    }
    format!("{inline}; filename*=UTF-8''{whole}")
}

const fn is_safe(letter: char) -> bool {
    (letter.is_ascii_graphic() || letter == ' ')
        && !matches!(letter, '"' | '\\' | '/' | ':' | '*' | '?' | '<' | '>' | '|' | '%')
}

/// `U+4E2D, U+1F600`; none when every character was printed.
fn missing_characters(missing: &[char]) -> Option<String> {
    let named: Vec<String> =
        missing.iter().take(NAMED_MAX).map(|character| format!("U+{:04X}", u32::from(*character))).collect();
    let more = missing.len().saturating_sub(NAMED_MAX);
    match (named.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(named.join(", ")),
        (false, more) => Some(format!("{}, {more} more", named.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_ascii_and_whole_beside_it() {
        for (name, header) in [
            ("INV-0103.pdf", "inline; filename=\"INV-0103.pdf\""),
            ("A/7.pdf", "inline; filename=\"A-7.pdf\"; filename*=UTF-8''A%2F7.pdf"),
            ("\"; x=\\.pdf", "inline; filename=\"-; x=-.pdf\"; filename*=UTF-8''%22%3B%20x%3D%5C.pdf"),
            ("№ 7é.pdf", "inline; filename=\"- 7-.pdf\"; filename*=UTF-8''%E2%84%96%207%C3%A9.pdf"),
        ] {
            assert_eq!(disposition(name), header);
        }
    }

    #[test]
    fn missing_characters_are_named_twenty_at_most() {
        assert_eq!(missing_characters(&[]), None);
        assert_eq!(missing_characters(&['\u{0}', '\u{1f600}']).as_deref(), Some("U+0000, U+1F600"));
        let many: Vec<char> = ('\u{4e00}'..='\u{4e20}').collect();
        assert!(missing_characters(&many).unwrap().ends_with("U+4E13, 13 more"));
    }
}
