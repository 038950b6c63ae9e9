//! `/app/sign-in` and `/app/sign-out`: the person behind the pages. The cookie holds a web session; it counts on pages only, never
//! for the REST API or the tool server.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};

use super::form::Parameters;
use super::{base_url, pages, see_other};
use crate::domain::ids::UserId;
use crate::http::call::Call;
use crate::http::error::{ApiError, ErrorCode};
use crate::http::first_party::account;
use crate::http::products::Products;
use crate::http::wire::person::{EMAIL_LENGTH_MAX, PASSWORD_LENGTH_MAX};
use crate::session::SESSION_TTL_S;

/// Where a person goes who was going nowhere.
const HOME: &str = "/app/connections";
/// The pages a person may be sent back to.
const RETURN_PATHS: [&str; 2] = ["/oauth/authorize", HOME];
/// The longest way back.
const RETURN_LENGTH_MAX: usize = 8_000;
/// Bytes of the name of a sign-in form.
const FORM_NAME_BYTES: usize = 16;

/// The names of the cookies. `__Host-` keeps other sites of the same domain from setting them (RFC 6265bis, section 4.1.3.2); within the
/// machine there is no TLS, which that needs.
struct Cookies {
    session: &'static str,
    form: &'static str,
    secure: &'static str,
}

impl Cookies {
    fn of(call: &Call<Products>) -> Self {
        match call.state().base_url.get().is_some_and(|base_url| base_url.starts_with("https://")) {
            true => Self { session: "__Host-bookkeeping_session", form: "__Host-bookkeeping_form", secure: "; Secure" },
            false => Self { session: "bookkeeping_session", form: "bookkeeping_form", secure: "" },
        }
    }
}

/// The value of a cookie; none when it is there twice, since one of the two is not ours.
fn cookie<'a>(call: &'a Call<Products>, name: &str) -> Option<&'a str> {
    let pairs = call.header("cookie")?.split(';').filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(known, _)| *known == name).map(|(_, value)| value);
    values.next().filter(|_| values.next().is_none())
}

fn set_cookie(answer: &mut HttpResponse, name: &str, value: &str, rest: &str) -> Result<(), ApiError> {
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{rest}");
    let value = HeaderValue::from_str(&text).map_err(ApiError::internal)?;
    answer.headers_mut().append(header::SET_COOKIE, value);
    Ok(())
}

/// A person who is signed in on the pages.
pub(super) struct PageSession {
    pub(super) user_id: UserId,
    /// Which sign-in it is.
    pub(super) id: String,
}

impl PageSession {
    /// The session of the cookie.
    pub(super) fn of(call: &Call<Products>) -> Option<Self> {
        let token = cookie(call, Cookies::of(call).session)?;
        let session = call.state().sessions.read(token, call.clock().as_ref()).ok()?;
        Some(Self { user_id: session.user_id, id: session.id? })
    }

    /// What a form of this session carries.
    pub(super) fn form_token(&self, call: &Call<Products>, form: &str) -> String {
        call.state().sessions.form_token(&self.id, form)
    }

    /// Whether a form was made for this session.
    pub(super) fn is_form_token(&self, call: &Call<Products>, form: &str, given: &str) -> bool {
        call.state().sessions.is_form_token(&self.id, form, given)
    }
}

/// To the sign-in page, and back.
pub(super) fn sign_in_first(call: &Call<Products>) -> Result<HttpResponse, ApiError> {
    let back = match call.query() {
        "" => call.path().to_owned(),
        query => format!("{}?{query}", call.path()),
    };
    let back: String = url::form_urlencoded::byte_serialize(back.as_bytes()).collect();
    see_other(&format!("/app/sign-in?return_to={back}"))
}

/// Where a person goes after signing in: one of our own pages, by a path that no browser reads as another site's address.
pub(super) fn way_back(asked: Option<&str>) -> &str {
    let is_plain = |text: &str| {
        text.len() <= RETURN_LENGTH_MAX
            && text.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'#' | b'"' | b'<' | b'>'))
    };
    let path = |text: &str| text.split('?').next().unwrap_or_default().to_owned();
    asked.filter(|text| is_plain(text) && RETURN_PATHS.contains(&path(text).as_str())).unwrap_or(HOME)
}

/// `GET /app/sign-in`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    base_url(&call)?;
    let query = Parameters::of_query(call.query()).ok();
    page(&call, way_back(query.as_ref().and_then(|query| query.one("return_to"))), None, StatusCode::OK)
}

/// What a person is told whose form was refused.
pub(super) struct Refused<'a> {
    /// Why.
    pub(super) words: &'a str,
    /// What they typed, which they need not type again.
    pub(super) email: &'a str,
}

impl<'a> Refused<'a> {
    const fn form(words: &'a str) -> Self {
        Self { words, email: "" }
    }
}

/// The page, with a form that only the browser that was shown it can send.
fn page(
    call: &Call<Products>,
    return_to: &str,
    refused: Option<Refused<'_>>,
    status: StatusCode,
) -> Result<HttpResponse, ApiError> {
    let mut random = [0_u8; FORM_NAME_BYTES];
    call.clock().fill_random(&mut random);
    let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let csrf = call.state().sessions.form_token(&name, "sign-in");
    let mut answer = pages::sign_in(status, return_to, &csrf, refused.as_ref());
    let cookies = Cookies::of(call);
    set_cookie(&mut answer, cookies.form, &name, &format!("; Max-Age=3600{}", cookies.secure))?;
    Ok(answer)
}

/// `POST /app/sign-in`: the same throttle and the same words as log-in.
pub async fn submit(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    base_url(&call)?;
    let Ok(form) = Parameters::of_body(&call) else {
        return page(
            &call,
            HOME,
            Some(Refused::form("The form could not be read; please try again.")),
            StatusCode::BAD_REQUEST,
        );
    };
    let return_to = way_back(form.one("return_to"));
    let cookies = Cookies::of(&call);
    let is_own = cookie(&call, cookies.form)
        .is_some_and(|name| call.state().sessions.is_form_token(name, "sign-in", form.one("csrf").unwrap_or_default()));
    if !is_own || form.any_repeated(&[]) {
        return page(
            &call,
            return_to,
            Some(Refused::form("The page was out of date; please try again.")),
            StatusCode::BAD_REQUEST,
        );
    }
    let (email, password) = (form.one("email").unwrap_or_default(), form.one("password").unwrap_or_default());
    if email.chars().count() > EMAIL_LENGTH_MAX || password.chars().count() > PASSWORD_LENGTH_MAX {
        return page(
            &call,
            return_to,
            Some(Refused::form("The form could not be read; please try again.")),
            StatusCode::BAD_REQUEST,
        );
    }
    let user_id = match account::authenticate(&call, email, password).await {
        Ok(user_id) => user_id,
        Err(error) if error.code() == ErrorCode::Unauthorized => {
            let words = "The e-mail address or the password is wrong.";
            return page(&call, return_to, Some(Refused { words, email }), StatusCode::UNAUTHORIZED);
        }
        Err(error) if matches!(error.code(), ErrorCode::RateLimited | ErrorCode::Busy) => {
            let seconds = error.retry_after_s().unwrap_or(1);
            let words = match error.code() {
                ErrorCode::RateLimited => format!("Too many attempts. Please try again in {seconds} seconds."),
                _ => "Too many people are signing in. Please try again in a moment.".to_owned(),
            };
            let refused = Refused { words: &words, email };
            let mut answer = page(&call, return_to, Some(refused), error.code().status())?;
            answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            return Ok(answer);
        }
        Err(error) => return Err(error),
    };
    let token = call.state().sessions.issue(user_id, SESSION_TTL_S, call.clock().as_ref());
    let token = token.ok_or_else(|| ApiError::internal("a session cannot be signed"))?;
    let mut answer = see_other(return_to)?;
    set_cookie(&mut answer, cookies.session, &token, &format!("; Max-Age={SESSION_TTL_S}{}", cookies.secure))?;
    set_cookie(&mut answer, cookies.form, "", &format!("; Max-Age=0{}", cookies.secure))?;
    Ok(answer)
}

/// `POST /app/sign-out`.
pub async fn sign_out(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    base_url(&call)?;
    let form = Parameters::of_body(&call).ok();
    let csrf = form.as_ref().and_then(|form| form.one("csrf")).unwrap_or_default();
    // A form of another site may not sign anybody out.
    if PageSession::of(&call).is_some_and(|session| !session.is_form_token(&call, "sign-out", csrf)) {
        return see_other(HOME);
    }
    let return_to = way_back(form.as_ref().and_then(|form| form.one("return_to")));
    let back: String = url::form_urlencoded::byte_serialize(return_to.as_bytes()).collect();
    let mut answer = see_other(&format!("/app/sign-in?return_to={back}"))?;
    let cookies = Cookies::of(&call);
    set_cookie(&mut answer, cookies.session, "", &format!("; Max-Age=0{}", cookies.secure))?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_is_one_of_our_own_pages() {
        for own in ["/app/connections", "/oauth/authorize", "/oauth/authorize?client_id=a&state=%2F%2Fevil.example"] {
            assert_eq!(way_back(Some(own)), own);
        }
        for other in [
            "",
            "/",
            "//evil.example",
            "/\\evil.example",
            "\\/evil.example",
            "https://evil.example",
            "/%2Fevil.example",
            "/%5cevil.example",
            "/oauth/authorize/../../evil",
            "/oauth/authorize#x",
            "/app/connections/",
            "/app/sign-out",
            "javascript:alert(1)",
            " /app/connections",
            "/app/connections\r\nSet-Cookie: a=b",
            "/app/connections@evil.example",
            "/./app/connections",
            "///app/connections",
            "/app%2Fconnections",
            "/oauth/authorize%3Fclient_id",
        ] {
            assert_eq!(way_back(Some(other)), HOME, "{other}");
        }
        assert_eq!(way_back(None), HOME);
    }
}
