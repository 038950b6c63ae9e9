//! Clients whose identifier is the address of a document in which they describe themselves (draft-ietf-oauth-client-id-metadata-document-02).
//! The document is fetched when a person who is signed in is sent here by such a client, and kept with the clients that were
//! registered; tokens are exchanged by what was kept.

mod fetch;
mod read;

use std::sync::Arc;

use actix_web::http::StatusCode;
use dashmap::DashMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::fetch::{FetchFault, Fetched};
use super::failure::Failure;
use crate::actors::grant_registry::{ClientPresenting, Presented};
use crate::domain::ids::UserId;
use crate::domain::oauth::client_url::ClientUrl;
use crate::domain::oauth::document_age::FAILED_MS;
use crate::domain::oauth::error::OAuthError;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::store::{ClientRow, NewClient};

pub use fetch::{FetchOptions, Network};

/// Documents that this process fetches at once.
const FETCHES_MAX: usize = 4;
/// Those of them that one person makes it fetch.
const FETCHES_OF_PERSON_MAX: u64 = 2;
/// Addresses that failed, beyond which those whose time is over are forgotten.
const FAILED_MAX: usize = 10_000;

/// The documents of clients.
pub struct ClientDocuments {
    options: FetchOptions,
    places: Arc<Semaphore>,
    under_way: Arc<DashMap<UserId, u64>>,
    /// By address: until when it is not asked for again (monotonic), and what was wrong.
    failed: DashMap<String, (u64, Unfetched)>,
}

/// Why there is no document.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unfetched {
    /// It did not come.
    Unreachable,
    /// What came is no description of a client.
    Unusable(Failure),
}

/// Why a client is not known by its document.
pub(super) enum DocumentRefusal {
    /// There is none, or none that can be used.
    Unfetched(ClientUrl, Unfetched),
    /// Too many were fetched lately; for so many seconds.
    TooMany(u64),
    /// Too many are fetched now.
    Busy,
}

/// What a person is told in place of the page that asks.
pub(super) struct Told {
    pub(super) status: StatusCode,
    pub(super) error: OAuthError,
    pub(super) words: String,
    /// Seconds after which it is worth trying again.
    pub(super) wait_s: Option<u64>,
}

impl DocumentRefusal {
    /// In words.
    pub(super) fn told(&self) -> Told {
        match self {
            Self::Unfetched(url, why) => {
                let (error, but) = match why {
                    Unfetched::Unreachable => (OAuthError::InvalidClient, "could not be fetched".to_owned()),
                    Unfetched::Unusable(why) => (why.error, format!("cannot be used: {}", why.description)),
                };
                let words = format!(
                    "The application is known by its description at {}, but that {but}. It is asked for again after a minute.",
                    url.host()
                );
                Told { status: StatusCode::BAD_REQUEST, error, words, wait_s: None }
            }
            Self::TooMany(seconds) => Told {
                status: StatusCode::TOO_MANY_REQUESTS,
                error: OAuthError::SlowDown,
                words: "Too many applications were looked up. Wait a minute and try again.".to_owned(),
                wait_s: Some(*seconds),
            },
            Self::Busy => Told {
                status: StatusCode::SERVICE_UNAVAILABLE,
                error: OAuthError::TemporarilyUnavailable,
                words: "Too many applications are being looked up. Try again in a moment.".to_owned(),
                wait_s: Some(1),
            },
        }
    }
}

/// A document that a person makes this process fetch; counted until it is dropped.
struct UnderWay(Arc<DashMap<UserId, u64>>, UserId);

impl UnderWay {
    /// None when too many are under way.
    fn begin(counts: &Arc<DashMap<UserId, u64>>, person: UserId) -> Option<Self> {
        let mut count = counts.entry(person).or_insert(0);
        if *count >= FETCHES_OF_PERSON_MAX {
            return None;
        }
        *count += 1;
        Some(Self(Arc::clone(counts), person))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Some(mut count) = self.0.get_mut(&self.1) {
            *count = count.saturating_sub(1);
        }
        self.0.remove_if(&self.1, |_, count| *count == 0);
    }
}

impl ClientDocuments {
    /// Nothing was fetched yet.
    pub fn new(options: FetchOptions) -> Self {
        Self {
            options,
            places: Arc::new(Semaphore::new(FETCHES_MAX)),
            under_way: Arc::default(),
            failed: DashMap::new(),
        }
    }

    /// The client of an address: as its document was kept, else as it is fetched now, for a person who is signed in.
    pub(super) async fn client(
        &self,
        call: &Call<Products>,
        person: UserId,
        url: ClientUrl,
    ) -> Result<Result<ClientRow, DocumentRefusal>, ApiError> {
        if let Some(client) = kept(call, &url).await? {
            return Ok(Ok(client));
        }
        if let Some(refusal) = self.failed_lately(call, &url) {
            return Ok(Err(refusal));
        }
        let Some(under_way) = UnderWay::begin(&self.under_way, person) else { return Ok(Err(DocumentRefusal::Busy)) };
        let waiting = tokio::time::timeout(self.options.deadline, Arc::clone(&self.places).acquire_owned());
        let Ok(Ok(place)) = waiting.await else { return Ok(Err(DocumentRefusal::Busy)) };
        // Somebody else may have fetched it meanwhile, or tried to.
        if let Some(client) = kept(call, &url).await? {
            return Ok(Ok(client));
        }
        if let Some(refusal) = self.failed_lately(call, &url) {
            return Ok(Err(refusal));
        }
        if let Some(seconds) = call.state().throttle.fetch_wait_s(person, url.host()) {
            return Ok(Err(DocumentRefusal::TooMany(seconds)));
        }
        match self.fetch(call, &url, (place, under_way)).await {
            Ok((client, kept_ms)) => {
                call.state().actors.grants.keep_document(client, kept_ms).await?;
                let client = call.state().actors.grants.client(url.as_str()).await?;
                client.map(Ok).ok_or_else(|| ApiError::internal("a client that was just kept is not there"))
            }
            Err(unfetched) => {
                self.remember(call, &url, unfetched);
                Ok(Err(DocumentRefusal::Unfetched(url, unfetched)))
            }
        }
    }

    /// Fetches and reads a document, on a thread that may wait; what it takes up is free when that thread is done, which looking up
    /// a name may delay beyond the deadline.
    async fn fetch(
        &self,
        call: &Call<Products>,
        url: &ClientUrl,
        taken: (OwnedSemaphorePermit, UnderWay),
    ) -> Result<(NewClient, i64), Unfetched> {
        let (options, asked, now_ms) = (self.options.clone(), url.clone(), call.clock().now_ms());
        let work = tokio::task::spawn_blocking(move || {
            let fetched = fetch::fetch(&options, &asked, now_ms);
            drop(taken);
            fetched
        });
        let fetched = match tokio::time::timeout(self.options.deadline, work).await {
            Ok(Ok(fetched)) => fetched,
            Ok(Err(error)) => Err(FetchFault::Unreachable(error.to_string())),
            Err(_) => Err(FetchFault::Unreachable("it took too long".to_owned())),
        };
        match fetched {
            Ok(Fetched { body, kept_ms }) => {
                let client = read::read(url, &body, &call.state().oauth.redirect_schemes);
                client.map(|client| (client, kept_ms)).map_err(Unfetched::Unusable)
            }
            Err(FetchFault::Unusable(words)) => Err(Unfetched::Unusable(super::client_metadata::unusable(words))),
            Err(FetchFault::Unreachable(why)) => {
                tracing::info!(host = url.host(), "the description of a client could not be fetched: {why}");
                Err(Unfetched::Unreachable)
            }
        }
    }

    fn failed_lately(&self, call: &Call<Products>, url: &ClientUrl) -> Option<DocumentRefusal> {
        let now_ms = call.clock().monotonic_ms();
        let failed = self.failed.get(url.as_str()).filter(|failed| failed.0 > now_ms).map(|failed| failed.1)?;
        Some(DocumentRefusal::Unfetched(url.clone(), failed))
    }

    fn remember(&self, call: &Call<Products>, url: &ClientUrl, unfetched: Unfetched) {
        let now_ms = call.clock().monotonic_ms();
        if self.failed.len() > FAILED_MAX {
            self.failed.retain(|_, failed| failed.0 > now_ms);
        }
        self.failed.insert(url.as_str().to_owned(), (now_ms + FAILED_MS, unfetched));
    }
}

/// The client of an address, while its document need not be asked for again.
async fn kept(call: &Call<Products>, url: &ClientUrl) -> Result<Option<ClientRow>, ApiError> {
    let now_ms = call.state().actors.store_now_ms();
    let client = call.state().actors.grants.client(url.as_str()).await?;
    Ok(client.filter(|client| client.document_until_ms.is_some_and(|until_ms| until_ms > now_ms)))
}

/// A client that is there already: registered, or by a document where documents count.
pub(super) async fn stored_client(call: &Call<Products>, id: &str) -> Result<Option<ClientRow>, ApiError> {
    stored_client_presenting(call, id, None).await.map(|found| found.client)
}

/// The same with what it presents.
pub(super) async fn stored_client_presenting(
    call: &Call<Products>,
    id: &str,
    presented: Option<Presented>,
) -> Result<ClientPresenting, ApiError> {
    let takes_documents = call.state().client_documents.is_some();
    let mut found = call.state().actors.grants.client_presenting(id, presented).await?;
    found.client = found.client.filter(|client| client.document_until_ms.is_none() || takes_documents);
    Ok(found)
}
