//! Lines about refused requests: the first of a kind at once, then how many there were every ten seconds. A flood of refusals must
//! not become a flood of lines.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::metrics::REFUSAL_REASONS;

/// How often counts are told.
pub const TELL_EVERY: Duration = Duration::from_secs(10);
/// Credentials that are refused are told of like this where requests have no lines of their own.
pub const UNAUTHORIZED: &str = "unauthorized";

/// Kinds of refusals: the reasons of 429 and 503, and 401.
const KINDS: usize = REFUSAL_REASONS.len() + 1;

/// What was refused since it was last told.
#[derive(Debug, Default)]
pub struct Refusals {
    kinds: [Kind; KINDS],
}

#[derive(Debug, Default)]
struct Kind {
    /// The first was told, and it has gone on since.
    is_known: AtomicBool,
    untold: AtomicU64,
}

/// One refused request.
#[derive(Debug, Clone, Copy)]
pub struct Refused<'a> {
    /// On the list of reasons, or [`UNAUTHORIZED`].
    pub reason: &'a str,
    /// Method and template of the path.
    pub method: &'a str,
    /// Template of the path.
    pub route: &'a str,
    /// What only the log may know.
    pub cause: Option<&'a str>,
    /// The id of the request.
    pub request_id: &'a str,
}

fn kind_of(reason: &str) -> usize {
    match reason {
        UNAUTHORIZED => REFUSAL_REASONS.len(),
        _ => REFUSAL_REASONS.iter().position(|known| *known == reason).unwrap_or(REFUSAL_REASONS.len() - 1),
    }
}

impl Refusals {
    /// Notes a refused request; a line if it is the first of its kind.
    pub fn note(&self, refused: Refused<'_>) {
        let Some(kind) = self.kinds.get(kind_of(refused.reason)) else { return };
        if kind.is_known.load(Ordering::Relaxed) || kind.is_known.swap(true, Ordering::AcqRel) {
            kind.untold.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let Refused { reason, method, route, cause, request_id } = refused;
        tracing::warn!(reason, method, route, cause, request_id, "requests are refused; from now on they are counted");
    }

    /// Tells how many were refused of each kind since the last time. A kind that has stopped is new when it comes again.
    pub fn tell(&self) {
        for (reason, kind) in REFUSAL_REASONS.into_iter().chain([UNAUTHORIZED]).zip(&self.kinds) {
            if !kind.is_known.load(Ordering::Acquire) {
                continue;
            }
            match kind.untold.swap(0, Ordering::AcqRel) {
                0 => kind.is_known.store(false, Ordering::Release),
                count => tracing::warn!(reason, count, "requests were refused in the last {} s", TELL_EVERY.as_secs()),
            }
        }
    }

    /// Tells every ten seconds for ever.
    pub async fn tell_for_ever(&self) {
        loop {
            tokio::time::sleep(TELL_EVERY).await;
            self.tell();
        }
    }
}
