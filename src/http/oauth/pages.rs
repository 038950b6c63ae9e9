//! The pages people see: sign in, allow an application, what is connected. Server-rendered, without script; whatever came from outside
//! is escaped.

use std::fmt::Write as _;

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use chrono::DateTime;

use super::authorize::Ticked;
use super::sign_in::Refused;
use super::unstored;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::caller::{KeyReach, Role, Scope, ScopeSet};
use crate::domain::oauth::client_url::ClientUrl;
use crate::domain::oauth::error::OAuthError;
use crate::domain::oauth::redirect;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::store::GrantRow;

const STYLE: &str = include_str!("style.css");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// What the connection may never do, whatever is ticked.
const NEVER: &str = "It can never file a return, pay anyone, close a year or manage members.";

/// Why the page about a request is shown again.
#[derive(Clone, Copy)]
pub(super) enum Notice {
    /// Nothing it may do is ticked.
    NoScope,
    /// No organisation is ticked.
    NoOrganisation,
    /// The person is no longer a member of one that is ticked.
    UnknownOrganisation,
}

impl Notice {
    const fn words(self) -> &'static str {
        match self {
            Self::NoScope => "Tick at least one thing the application may do, or choose Deny.",
            Self::NoOrganisation => "Tick at least one organisation, or choose every organisation.",
            Self::UnknownOrganisation => {
                "You are not a member of one of the organisations. Please look at the list again."
            }
        }
    }
}

/// Text as HTML.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}

/// A whole page; forms may lead to these targets beside this site.
fn page(status: StatusCode, title: &str, main: &str, form_targets: &str) -> HttpResponse {
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} – Bookkeeping Suite</title>\n\
         <link rel=\"stylesheet\" href=\"/app/style.css\">\n</head>\n<body>\n<header>Bookkeeping Suite</header>\n<main>\n{main}</main>\n</body>\n</html>\n",
        title = escaped(title)
    );
    let mut answer = unstored(status, BoxBody::new(html), "text/html; charset=utf-8");
    let policy = format!(
        "default-src 'none'; style-src 'self'; form-action 'self'{form_targets}; frame-ancestors 'none'; base-uri 'none'"
    );
    let headers = answer.headers_mut();
    // A target has no character that a header or the policy could misread: it is of a URI that was checked.
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (OPENER_POLICY, "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

/// `GET /app/style.css`.
pub async fn style(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    super::base_url(&call)?;
    let mut answer = unstored(StatusCode::OK, BoxBody::new(STYLE), "text/css; charset=utf-8");
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(answer)
}

/// A page that only says something.
pub(super) fn message(status: StatusCode, title: &str, words: &str) -> HttpResponse {
    let main = format!("<h1>{}</h1>\n<p role=\"alert\">{}</p>\n", escaped(title), escaped(words));
    page(status, title, &main, "")
}

/// A page for somebody whom a faulty request does not send anywhere: what is wrong, and a link to where the answer would go.
pub(super) fn unsent(error: OAuthError, host: &str, target: &str) -> HttpResponse {
    let title = "This connection cannot be made";
    let main = format!(
        "<h1>{title}</h1>\n<p role=\"alert\">The request of the application is faulty ({}). Nothing was connected.</p>\n\
         <p>It asked to send you to <strong class=\"host\">{host}</strong>, which nobody checked. If you came from there, you can \
         <a href=\"{}\" rel=\"noreferrer\">go back</a>; else close this page.</p>\n",
        error.as_str(),
        escaped(target),
        host = escaped(host),
    );
    page(StatusCode::BAD_REQUEST, title, &main, "")
}

/// The sign-in page.
pub(super) fn sign_in(status: StatusCode, return_to: &str, csrf: &str, refused: Option<&Refused<'_>>) -> HttpResponse {
    let mut main = String::from("<h1>Sign in</h1>\n");
    if let Some(refused) = refused {
        push(&mut main, format_args!("<p class=\"notice\" role=\"alert\">{}</p>\n", escaped(refused.words)));
    }
    // Who typed the address need not type it again, and goes on with the password.
    let email = refused.map_or("", |refused| refused.email);
    let focus = |is_first: bool| if email.is_empty() == is_first { " autofocus" } else { "" };
    push(
        &mut main,
        format_args!(
            "<form id=\"sign-in\" method=\"post\" action=\"/app/sign-in\">\n\
             <input type=\"hidden\" name=\"return_to\" value=\"{}\">\n<input type=\"hidden\" name=\"csrf\" value=\"{}\">\n\
             <label for=\"email\">E-mail</label>\n\
             <input id=\"email\" name=\"email\" type=\"email\" autocomplete=\"username\" value=\"{}\" required{}>\n\
             <label for=\"password\">Password</label>\n\
             <input id=\"password\" name=\"password\" type=\"password\" autocomplete=\"current-password\" required{}>\n\
             <p class=\"actions\"><button type=\"submit\">Sign in</button></p>\n</form>\n",
            escaped(return_to),
            escaped(csrf),
            escaped(email),
            focus(true),
            focus(false)
        ),
    );
    // Signing in may end, by way of our own pages, at the application that asked.
    page(status, "Sign in", &main, "")
}

/// What a person is asked.
pub(super) struct ConsentPage<'a> {
    pub(super) email: &'a str,
    pub(super) client_name: &'a str,
    /// Where its description came from, of a client that was not registered.
    pub(super) client_host: Option<&'a str>,
    pub(super) redirect_uri: &'a str,
    pub(super) request: &'a str,
    pub(super) csrf: &'a str,
    /// What is asked for.
    pub(super) scopes: ScopeSet,
    /// What the connection has already.
    pub(super) held: ScopeSet,
    pub(super) organisations: &'a [(OrganisationRecord, Role)],
    pub(super) ticked: &'a Ticked,
    pub(super) notice: Option<Notice>,
}

/// A scope as a sentence.
const fn sentence(scope: Scope) -> &'static str {
    match scope {
        Scope::ReconcileRead => "See reconciliations and their results",
        Scope::ReconcileWrite => "Start reconciliations, which draw credits",
        Scope::CodingRead => "See suggested accounts and VAT codes",
        Scope::CodingWrite => "Have transactions coded, which draws credits",
        Scope::BooksRead => "Read the books: accounts, contacts, invoices, bank lines, reports",
        Scope::BooksWrite => "Change the books: record, correct and void",
        Scope::BooksSend => "E-mail documents to customers and suppliers in your name",
    }
}

fn checkbox(html: &mut String, (name, value, id): (&str, &str, &str), is_ticked: bool, label: &str) {
    let checked = if is_ticked { " checked" } else { "" };
    push(
        html,
        format_args!(
            "<div class=\"choice\"><input type=\"checkbox\" name=\"{name}\" value=\"{value}\" id=\"{id}\"{checked}>\
             <label for=\"{id}\">{label}</label></div>\n"
        ),
    );
}

fn push(html: &mut String, text: std::fmt::Arguments<'_>) {
    // Nothing fails that is written to a text.
    let _ = html.write_fmt(text);
}

/// The page that asks.
pub(super) fn consent(status: StatusCode, asked: &ConsentPage<'_>) -> HttpResponse {
    let host = redirect::host(asked.redirect_uri);
    let name = escaped(asked.client_name);
    let mut main = format!(
        "<h1>Connect <q>{name}</q>?</h1>\n<p class=\"hint\">This is the name the application gave itself; nobody checked it.</p>\n"
    );
    if let Some(notice) = asked.notice {
        push(&mut main, format_args!("<p class=\"notice\" role=\"alert\">{}</p>\n", notice.words()));
    }
    let who_asks = asked.client_host.map_or_else(String::new, |host| {
        let host = escaped(host);
        format!(
            "<dt>Who asks</dt><dd><strong class=\"host\">{host}</strong> <span class=\"hint\">(the application is described \
             there)</span></dd>\n"
        )
    });
    push(
        &mut main,
        format_args!(
            "<dl>\n<dt>You are</dt><dd>{} <span class=\"hint\">(not you? sign out on the page of your \
             <a href=\"/app/connections\">connections</a> first)</span></dd>\n\
             {who_asks}<dt>You will be sent back to</dt><dd><strong class=\"host\">{}</strong>",
            escaped(asked.email),
            escaped(host)
        ),
    );
    let is_elsewhere = !asked.redirect_uri.starts_with("https://");
    if is_elsewhere {
        let place = match asked.redirect_uri.starts_with("http://") {
            true => {
                "That is a program on this computer. Any program here can pretend to be it: allow it only if you have just started the connection yourself."
            }
            false => {
                "That opens a program on this computer by a link of its own. Another program can take such links: allow it only if you have just started the connection yourself."
            }
        };
        push(&mut main, format_args!(" <span class=\"warning\">{place}</span>"));
    }
    main.push_str("</dd>\n</dl>\n");
    push(
        &mut main,
        format_args!(
            "<form id=\"consent\" method=\"post\" action=\"/oauth/authorize\">\n\
             <input type=\"hidden\" name=\"request\" value=\"{}\">\n<input type=\"hidden\" name=\"csrf\" value=\"{}\">\n",
            escaped(asked.request),
            escaped(asked.csrf)
        ),
    );
    scope_choices(&mut main, asked);
    organisation_choices(&mut main, asked);
    push(
        &mut main,
        format_args!(
            "<p>{NEVER} You can end the connection at any time on the page of your connections.</p>\n\
             <p class=\"actions\"><button type=\"submit\" name=\"decision\" value=\"allow\">Allow</button>\n\
             <button type=\"submit\" name=\"decision\" value=\"deny\" class=\"quiet\">Deny</button></p>\n</form>\n"
        ),
    );
    page(status, "Connect an application", &main, &format!(" {}", redirect::form_action(asked.redirect_uri)))
}

fn scope_choices(html: &mut String, asked: &ConsentPage<'_>) {
    html.push_str("<fieldset>\n<legend>What it may do</legend>\n");
    let is_step_up = !asked.held.is_empty();
    for scope in asked.scopes.iter() {
        let new = if is_step_up && !asked.held.contains(scope) { " <strong class=\"new\">new</strong>" } else { "" };
        let held = if asked.held.contains(scope) { " <span class=\"hint\">(allowed before)</span>" } else { "" };
        let id = format!("scope-{}", scope.as_str().replace(':', "-"));
        let label = format!("{}{new}{held}", sentence(scope));
        checkbox(html, ("scope", scope.as_str(), &id), asked.ticked.scopes.contains(scope), &label);
    }
    let lost: Vec<&str> = asked.held.without(asked.scopes).iter().map(sentence).collect();
    if !lost.is_empty() {
        let lost = lost.join("; ");
        push(html, format_args!("<p class=\"hint\">It does not ask again for, and will lose: {lost}.</p>\n"));
    }
    if asked.scopes.contains(Scope::CodingWrite) || asked.scopes.contains(Scope::ReconcileWrite) {
        let label = "Draw credits beyond those you have, where your subscription bills them";
        checkbox(html, ("allow_overage", "true", "allow-overage"), asked.ticked.allow_overage, label);
    }
    html.push_str("</fieldset>\n");
}

fn organisation_choices(html: &mut String, asked: &ConsentPage<'_>) {
    let radio = |html: &mut String, value: &str, is_chosen: bool, label: &str| {
        let checked = if is_chosen { " checked" } else { "" };
        push(
            html,
            format_args!(
                "<div class=\"choice\"><input type=\"radio\" name=\"reach\" value=\"{value}\" id=\"reach-{value}\"{checked}>\
                 <label for=\"reach-{value}\">{label}</label></div>\n"
            ),
        );
    };
    html.push_str("<fieldset>\n<legend>Which organisations</legend>\n");
    let is_all = asked.ticked.is_all || asked.organisations.is_empty();
    if !asked.organisations.is_empty() {
        radio(html, "chosen", !is_all, "Only the organisations ticked here");
        html.push_str("<div class=\"inner\">\n");
        for (organisation, role) in asked.organisations {
            let (value, id) = (organisation.id.to_string(), format!("organisation-{}", organisation.id));
            let label = format!("{} <span class=\"hint\">({})</span>", escaped(&organisation.name), role.as_str());
            let is_ticked = asked.ticked.organisations.contains(&organisation.id);
            checkbox(html, ("organisation_id", &value, &id), is_ticked, &label);
        }
        html.push_str("</div>\n");
    }
    radio(html, "all", is_all, "Every organisation I belong to, now and later; it can also create organisations");
    html.push_str("</fieldset>\n");
}

/// The page of what is connected; `tokens` are those of its two forms.
pub(super) fn connections(
    email: &str,
    grants: &[GrantRow],
    organisations: &[(OrganisationRecord, Role)],
    tokens: (&str, &str),
) -> HttpResponse {
    let (csrf, sign_out) = (escaped(tokens.0), escaped(tokens.1));
    let mut main =
        format!("<h1>Connections</h1>\n<p>Applications that may work on your books, {}.</p>\n", escaped(email));
    let live: Vec<&GrantRow> = grants.iter().filter(|grant| grant.revoked_at_ms.is_none()).collect();
    if live.is_empty() {
        main.push_str("<p>Nothing is connected.</p>\n");
    }
    for grant in live {
        connection(&mut main, grant, organisations, &csrf);
    }
    push(
        &mut main,
        format_args!(
            "<form method=\"post\" action=\"/app/sign-out\"><input type=\"hidden\" name=\"csrf\" value=\"{sign_out}\">\
             <p class=\"actions\"><button type=\"submit\" class=\"quiet\">Sign out</button></p></form>\n"
        ),
    );
    page(StatusCode::OK, "Connections", &main, "")
}

/// A moment as people write it.
fn moment(at_ms: i64) -> String {
    let at = DateTime::from_timestamp_millis(at_ms).unwrap_or_default();
    at.format("%-d %B %Y, %H:%M UTC").to_string()
}

fn connection(html: &mut String, grant: &GrantRow, organisations: &[(OrganisationRecord, Role)], csrf: &str) {
    let name = escaped(&grant.client_name);
    let may: Vec<&str> = grant.scopes.iter().map(sentence).collect();
    let covered = match &grant.reach {
        KeyReach::All => "Every organisation you belong to, now and later".to_owned(),
        KeyReach::Only(ids) => {
            let name =
                |id| organisations.iter().find(|(known, _)| known.id == id).map(|(known, _)| escaped(&known.name));
            let names: Vec<String> = ids.iter().filter_map(|id| name(*id)).collect();
            if names.is_empty() { "None that you still belong to".to_owned() } else { names.join("; ") }
        }
    };
    let used = grant.last_used_at_ms.map_or_else(|| "Never".to_owned(), moment);
    let described = ClientUrl::parse(&grant.client_id)
        .map_or_else(String::new, |url| format!("<dt>Described at</dt><dd>{}</dd>\n", escaped(url.host())));
    push(
        html,
        format_args!(
            "<section>\n<h2>{name}</h2>\n<dl>\n{described}<dt>Answers go to</dt><dd>{}</dd>\n<dt>It may</dt><dd>{}</dd>\n\
             <dt>Organisations</dt><dd>{covered}</dd>\n<dt>Since</dt><dd>{}</dd>\n<dt>Last used</dt><dd>{used}</dd>\n</dl>\n\
             <form method=\"post\" action=\"/app/connections\"><input type=\"hidden\" name=\"csrf\" value=\"{csrf}\">\
             <p class=\"actions\"><button type=\"submit\" name=\"revoke\" value=\"{}\" aria-label=\"Revoke {name}\">Revoke\
             </button></p></form>\n</section>\n",
            escaped(&grant.redirect_host),
            may.join("; "),
            moment(grant.created_at_ms),
            grant.id,
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_comes_from_outside_is_markup() {
        assert_eq!(escaped("<b>&\"'"), "&lt;b&gt;&amp;&quot;&#39;");
    }

    #[test]
    fn a_moment_is_written_for_people() {
        assert_eq!(moment(1_795_734_909_931), "26 November 2026, 23:15 UTC");
    }
}
