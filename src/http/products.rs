//! What handlers share: handles of the actors, the reader, sessions and the settings they need.

use std::sync::{Arc, OnceLock};

use super::error::ApiError;
use super::first_party::progress::OpenSockets;
use super::first_party::throttle::Throttle;
use super::mcp::Comparisons;
use super::oauth::OAuthOptions;
use super::oauth::documents::ClientDocuments;
use super::wire;
use crate::actors::runtime::ActorError;
use crate::actors::{Actors, AskError};
use crate::clock::Clock;
use crate::domain::refusal_reason::RefusalReason;
use crate::session::Sessions;
use crate::store::{Reader, StoreError};

/// Settings handlers need.
#[derive(Debug, Clone)]
pub struct ProductLimits {
    /// Rows of a bank or book dataset.
    pub max_rows_per_dataset: usize,
    /// Bounds of a coding job.
    pub coding: wire::coding::Limits,
    /// How long an `Idempotency-Key` replays.
    pub idempotency_retention_ms: i64,
    /// Shortest password.
    pub password_min_length: usize,
    /// Live keys of a person.
    pub max_keys_per_person: u64,
    /// Progress sockets of a web session.
    pub max_sockets_per_session: u64,
    /// Proxies whose `X-Forwarded-For` counts.
    pub trusted_proxies: Vec<ipnet::IpNet>,
    /// Whether strangers may register.
    pub open_registration: bool,
    /// Monthly credits of a person who registers.
    pub default_monthly_credits: i64,
}

/// What handlers know of how e-mails are sent.
#[derive(Debug, Clone)]
pub struct MailOptions {
    /// The host in `Message-ID`s: that of the address e-mails are sent from.
    pub host: String,
}

/// What handlers share.
pub struct Products {
    /// Every actor.
    pub actors: Arc<Actors>,
    /// Queries.
    pub reader: Reader,
    /// Web sessions.
    pub sessions: Arc<Sessions>,
    /// Settings.
    pub limits: ProductLimits,
    /// Log-ins and registrations under control.
    pub throttle: Arc<Throttle>,
    /// Progress sockets that are open.
    pub sockets: OpenSockets,
    /// Comparisons of statements that tools carry out.
    pub comparisons: Comparisons,
    /// How e-mails are sent.
    pub mail: MailOptions,
    /// The authorization server.
    pub oauth: OAuthOptions,
    /// Clients that describe themselves in documents; none where only registered ones count.
    pub client_documents: Option<ClientDocuments>,
    /// Time and randomness.
    pub clock: Arc<dyn Clock>,
    /// Whether other processes may work on the same database.
    pub shared_database: bool,
    /// The public URL; known once the listener is bound.
    pub base_url: OnceLock<String>,
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy => {
                Self::busy(RefusalReason::StoreUnavailable, "the service has too much to write right now", 1)
            }
            StoreError::Unavailable(_) => {
                Self::busy(RefusalReason::StoreUnavailable, "the database cannot be reached", 1).with_cause(error)
            }
            StoreError::Conflict(_) | StoreError::Corrupt(_) | StoreError::Other(_) => Self::internal(error),
        }
    }
}

impl From<AskError> for ApiError {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Store(error) => error.into(),
            AskError::Actor(ActorError::Busy | ActorError::Down) => {
                Self::busy(RefusalReason::StoreUnavailable, "the service cannot take this right now", 1)
                    .with_cause(error)
            }
            AskError::Actor(ActorError::Panicked | ActorError::TimedOut) => Self::internal(error),
        }
    }
}
