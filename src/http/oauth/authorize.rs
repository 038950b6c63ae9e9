//! `/oauth/authorize`: an application asks, a person decides. Until the client and the redirect URI are known to belong together,
//! nothing is sent anywhere: the person is shown what is wrong.

use std::collections::BTreeSet;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};

use super::documents::{DocumentRefusal, stored_client};
use super::form::Parameters;
use super::pages::{self, ConsentPage, Notice};
use super::sign_in::{PageSession, sign_in_first};
use super::{base_url, resource, see_other};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::caller::{KeyReach, Role, Scope, ScopeSet};
use crate::domain::ids::OrganisationId;
use crate::domain::oauth::client_url::ClientUrl;
use crate::domain::oauth::error::OAuthError;
use crate::domain::oauth::lifetimes::REQUEST_MS;
use crate::domain::oauth::proof_key::Challenge;
use crate::domain::oauth::redirect;
use crate::domain::oauth::token::{TokenHash, TokenKind, mint, parse};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::store::{ClientRow, Consent, ConsentOutcome, Decided, NewRequest};

/// Longer values of `state` are refused: the client's, given back as they came.
const STATE_LENGTH_MAX: usize = 2_000;

/// What a request asks for, once it may be answered at its redirect URI.
struct Asked {
    scopes: ScopeSet,
    challenge: Challenge,
    resource: String,
}

/// `GET /oauth/authorize`.
pub async fn ask(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let base_url = base_url(&call)?;
    let Ok(query) = Parameters::of_query(call.query()) else {
        return refused_page(&call, OAuthError::InvalidRequest, "The request of the application could not be read.");
    };
    let (client, redirect_uri) = match known_client(&call, &query).await? {
        Ok(known) => known,
        Err(page) => return page,
    };
    let state = query.one("state").map(str::to_owned);
    let session = PageSession::of(&call);
    let asked = match asked(&query, base_url) {
        Ok(asked) => asked,
        Err(error) if session.is_none() => return unsent_page(&call, &Decided { redirect_uri, state }, error),
        Err(error) => return answer_error(&call, &Decided { redirect_uri, state }, error),
    };
    let Some(session) = session else { return sign_in_first(&call) };
    let request = mint(TokenKind::Request, |bytes| call.clock().fill_random(bytes));
    let begun = NewRequest {
        hash: request.hash,
        client_id: client.id.clone(),
        user_id: session.user_id,
        session: session.id.clone(),
        redirect_uri: redirect_uri.clone(),
        state,
        scopes: asked.scopes,
        challenge: asked.challenge.as_str().to_owned(),
        resource: asked.resource,
        expires_at_ms: call.state().actors.store_now_ms().saturating_add(REQUEST_MS),
    };
    call.state().actors.grants.begin(begun).await?;
    let shown = Shown { client: &client, redirect_uri: &redirect_uri, scopes: asked.scopes, request: &request.text };
    consent_page(&call, &session, &shown, None, StatusCode::OK).await
}

const CANNOT_BE_MADE: &str = "This connection cannot be made";
const UNREGISTERED: &str =
    "The application is not registered here, or not any more. Connect it anew from its own settings.";
const NOT_AN_ADDRESS: &str =
    "The application names itself by an address that is not taken here: https, a public name, a path.";
const OTHER_REDIRECT: &str = "The address to send you to is not one that the application registered.";

/// What a person is answered in place of the page that asks.
type Instead = Result<HttpResponse, ApiError>;

/// The client and the redirect URI of a request, if they belong together.
async fn known_client(
    call: &Call<Products>,
    query: &Parameters,
) -> Result<Result<(ClientRow, String), Instead>, ApiError> {
    let refused = |words| Ok(Err(refused_page(call, OAuthError::InvalidClient, words)));
    if query.is_repeated("client_id") || query.is_repeated("redirect_uri") {
        return refused("The application named itself, or where to send you, more than once.");
    }
    let Some(client_id) = query.one("client_id") else {
        return refused("The application did not say who it is.");
    };
    let Some(asked) = query.one("redirect_uri") else {
        return refused("The application did not say where to send you.");
    };
    let documents = call.state().client_documents.as_ref();
    let client = match (documents, ClientUrl::parse(client_id)) {
        (Some(documents), Some(url)) => {
            // Nothing is fetched for strangers, nor for what no document could hold.
            let Some(session) = PageSession::of(call) else { return Ok(Err(sign_in_first(call))) };
            let schemes = &call.state().oauth.redirect_schemes;
            if redirect::kind(asked, schemes, true).is_none() {
                return refused(OTHER_REDIRECT);
            }
            match documents.client(call, session.user_id, url).await? {
                Ok(client) => client,
                Err(refusal) => return Ok(Err(Ok(unknown_by_document(call, &refusal)))),
            }
        }
        (Some(_), None) if ClientUrl::is_meant(client_id) => return refused(NOT_AN_ADDRESS),
        _ => match stored_client(call, client_id).await? {
            Some(client) => client,
            None => return refused(UNREGISTERED),
        },
    };
    if !may_be_sent_to(&client, asked) {
        return refused(OTHER_REDIRECT);
    }
    Ok(Ok((client, asked.to_owned())))
}

fn unknown_by_document(call: &Call<Products>, refusal: &DocumentRefusal) -> HttpResponse {
    let told = refusal.told();
    call.state().actors.observer.oauth_refused(told.error);
    let mut page = pages::message(told.status, CANNOT_BE_MADE, &told.words);
    if let Some(seconds) = told.wait_s {
        page.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    page
}

fn may_be_sent_to(client: &ClientRow, redirect_uri: &str) -> bool {
    client.redirect_uris.iter().any(|registered| redirect::is_same(registered, redirect_uri))
}

/// What is asked for, or what is wrong with it.
fn asked(query: &Parameters, base_url: &str) -> Result<Asked, OAuthError> {
    if query.any_repeated(&["resource"]) || query.one("state").is_some_and(|state| state.len() > STATE_LENGTH_MAX) {
        return Err(OAuthError::InvalidRequest);
    }
    match query.one("response_type") {
        Some("code") => {}
        Some(_) => return Err(OAuthError::UnsupportedResponseType),
        None => return Err(OAuthError::InvalidRequest),
    }
    let challenge = query.one("code_challenge").and_then(Challenge::parse).ok_or(OAuthError::InvalidRequest)?;
    if query.one("code_challenge_method") != Some("S256") {
        return Err(OAuthError::InvalidRequest);
    }
    let named = query.one("scope").unwrap_or(Scope::BooksRead.as_str()).split_ascii_whitespace();
    let scopes = named.map(Scope::parse).collect::<Option<ScopeSet>>().ok_or(OAuthError::InvalidScope)?;
    if scopes.is_empty() {
        return Err(OAuthError::InvalidScope);
    }
    let targets: Vec<String> = query.all("resource").map(str::to_owned).collect();
    let resource = resource(base_url, &targets).ok_or(OAuthError::InvalidTarget)?;
    Ok(Asked { scopes, challenge, resource })
}

/// Sends the person back with an error. `iss` says who answers, so that the client does not take it for another's answer (RFC
/// 9207).
fn answer_error(call: &Call<Products>, request: &Decided, error: OAuthError) -> Result<HttpResponse, ApiError> {
    call.state().actors.observer.oauth_refused(error);
    send_back(call, request, ("error", error.as_str()))
}

/// Shows somebody who is not signed in that a request is faulty, and the way back. Anybody may register an address, and a link to
/// this service that led on by itself would lend it our name (RFC 9700, section 4.11.2).
fn unsent_page(call: &Call<Products>, request: &Decided, error: OAuthError) -> Result<HttpResponse, ApiError> {
    call.state().actors.observer.oauth_refused(error);
    let target = answer_target(call, request, ("error", error.as_str()))?;
    Ok(pages::unsent(error, redirect::host(&request.redirect_uri), &target))
}

fn send_back(call: &Call<Products>, request: &Decided, answer: (&str, &str)) -> Result<HttpResponse, ApiError> {
    see_other(&answer_target(call, request, answer)?)
}

/// Where an answer goes, and the answer in it.
fn answer_target(call: &Call<Products>, request: &Decided, answer: (&str, &str)) -> Result<String, ApiError> {
    let mut parameters = vec![answer];
    parameters.extend(request.state.as_deref().map(|state| ("state", state)));
    parameters.push(("iss", base_url(call)?));
    Ok(redirect::with_parameters(&request.redirect_uri, &parameters))
}

fn refused_page(call: &Call<Products>, error: OAuthError, words: &str) -> Result<HttpResponse, ApiError> {
    call.state().actors.observer.oauth_refused(error);
    Ok(pages::message(StatusCode::BAD_REQUEST, CANNOT_BE_MADE, words))
}

/// What a page about a request shows of it.
struct Shown<'a> {
    client: &'a ClientRow,
    redirect_uri: &'a str,
    scopes: ScopeSet,
    request: &'a str,
}

async fn consent_page(
    call: &Call<Products>,
    session: &PageSession,
    shown: &Shown<'_>,
    notice: Option<(Notice, &Ticked)>,
    status: StatusCode,
) -> Result<HttpResponse, ApiError> {
    let reader = &call.state().reader;
    let person = reader.find_user(session.user_id).await?;
    let Some(person) = person else { return sign_in_first(call) };
    let organisations: Vec<(OrganisationRecord, Role)> = reader.organisations_of(session.user_id).await?;
    let standing = reader.oauth_grant_with(session.user_id, &shown.client.id).await?;
    let held = standing.as_ref().map_or(ScopeSet::default(), |grant| grant.scopes);
    let ticked = match (&notice, &standing) {
        (Some((_, ticked)), _) => (*ticked).clone(),
        (None, Some(grant)) => Ticked {
            scopes: pre_ticked(shown.scopes, held),
            is_all: grant.reach == KeyReach::All,
            organisations: match &grant.reach {
                KeyReach::All => BTreeSet::new(),
                KeyReach::Only(organisations) => organisations.clone(),
            },
            allow_overage: grant.allow_overage,
        },
        (None, None) => Ticked {
            scopes: pre_ticked(shown.scopes, held),
            is_all: false,
            organisations: organisations
                .first()
                .filter(|_| organisations.len() == 1)
                .map(|(one, _)| one.id)
                .into_iter()
                .collect(),
            allow_overage: false,
        },
    };
    Ok(pages::consent(
        status,
        &ConsentPage {
            email: &person.email,
            client_name: shown.client.display_name(),
            client_host: ClientUrl::parse(&shown.client.id).as_ref().map(ClientUrl::host),
            redirect_uri: shown.redirect_uri,
            request: shown.request,
            csrf: &session.form_token(call, shown.request),
            scopes: shown.scopes,
            held,
            organisations: &organisations,
            ticked: &ticked,
            notice: notice.map(|(notice, _)| notice),
        },
    ))
}

/// What is ticked when the page is first shown: all that is asked for, but sending e-mails only where that is held already.
fn pre_ticked(asked: ScopeSet, held: ScopeSet) -> ScopeSet {
    let send: ScopeSet = std::iter::once(Scope::BooksSend).collect();
    asked.without(send).union(asked.intersection(send).intersection(held))
}

/// What a person ticked.
#[derive(Clone, Default)]
pub struct Ticked {
    /// What the connection may do.
    pub scopes: ScopeSet,
    /// Whether it covers every organisation, now and later.
    pub is_all: bool,
    /// Else these.
    pub organisations: BTreeSet<OrganisationId>,
    /// Whether its jobs may draw overage.
    pub allow_overage: bool,
}

impl Ticked {
    /// Reads the form; none when it holds what its page did not have.
    fn read(form: &Parameters, asked: ScopeSet) -> Option<Self> {
        let scopes = form.all("scope").map(|name| Scope::parse(name).filter(|scope| asked.contains(*scope)));
        let organisations = form.all("organisation_id").map(OrganisationId::parse);
        Some(Self {
            scopes: scopes.collect::<Option<_>>()?,
            is_all: match form.one("reach") {
                Some("all") => true,
                Some("chosen") => false,
                _ => return None,
            },
            organisations: organisations.collect::<Option<_>>()?,
            allow_overage: match form.one("allow_overage") {
                None => false,
                Some("true") => true,
                Some(_) => return None,
            },
        })
    }
}

const GONE: &str = "This page is out of date: it was answered already, it waited too long, or you signed in anew. Start again \
                    from the application.";

/// `POST /oauth/authorize`: the form of the page.
pub async fn decide(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    base_url(&call)?;
    let gone = || refused_page(&call, OAuthError::InvalidRequest, GONE);
    let Some(session) = PageSession::of(&call) else { return gone() };
    let Ok(form) = Parameters::of_body(&call) else { return gone() };
    let Some(request) = form.one("request").filter(|_| !form.any_repeated(&["scope", "organisation_id"])) else {
        return gone();
    };
    let Some(hash) = parse(TokenKind::Request, request) else { return gone() };
    if !session.is_form_token(&call, request, form.one("csrf").unwrap_or_default()) {
        return gone();
    }
    match form.one("decision") {
        Some("deny") => {
            let denied = call.state().actors.grants.deny(hash, session.user_id, session.id.clone()).await?;
            match denied {
                Some(decided) => answer_error(&call, &decided, OAuthError::AccessDenied),
                None => gone(),
            }
        }
        Some("allow") => match allow(&call, &session, &form, request, hash).await? {
            Some(answer) => Ok(answer),
            None => gone(),
        },
        _ => gone(),
    }
}

/// Makes the connection, or shows the page again; none when there is no such request.
async fn allow(
    call: &Call<Products>,
    session: &PageSession,
    form: &Parameters,
    request: &str,
    hash: TokenHash,
) -> Result<Option<HttpResponse>, ApiError> {
    let products = call.state();
    let Some(row) = products.reader.oauth_request(hash, session.user_id, &session.id).await? else { return Ok(None) };
    // A document that was fetched anew may name the redirect URI no longer.
    let client = stored_client(call, &row.client_id).await?;
    let Some(client) = client.filter(|client| may_be_sent_to(client, &row.redirect_uri)) else { return Ok(None) };
    let Some(ticked) = Ticked::read(form, row.scopes) else { return Ok(None) };
    let shown = Shown { client: &client, redirect_uri: &row.redirect_uri, scopes: row.scopes, request };
    let again = async |notice: Notice| {
        let status = StatusCode::BAD_REQUEST;
        consent_page(call, session, &shown, Some((notice, &ticked)), status).await.map(Some)
    };
    if ticked.scopes.is_empty() {
        return again(Notice::NoScope).await;
    }
    if !ticked.is_all && ticked.organisations.is_empty() {
        return again(Notice::NoOrganisation).await;
    }
    let code = mint(TokenKind::Code, |bytes| call.clock().fill_random(bytes));
    let consent = Consent {
        request: hash,
        user_id: session.user_id,
        session: session.id.clone(),
        scopes: ticked.scopes,
        organisations: (!ticked.is_all).then(|| ticked.organisations.clone()),
        allow_overage: ticked.allow_overage,
        client_name: client.display_name().to_owned(),
        code: code.hash,
    };
    match products.actors.grants.allow(consent).await? {
        ConsentOutcome::Allowed(decided, _) => send_back(call, &decided, ("code", &code.text)).map(Some),
        ConsentOutcome::UnknownOrganisation => again(Notice::UnknownOrganisation).await,
        ConsentOutcome::Unknown => Ok(None),
    }
}
