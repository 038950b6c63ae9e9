//! Lines about refused requests: the first of a kind at once, then how many there were every ten seconds. A flood of refusals must
//! not become a flood of lines.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::domain::refusal_reason::RefusalReason;

/// How often counts are told.
pub const TELL_EVERY: Duration = Duration::from_secs(10);
/// Kinds of refusals: the reasons of 429 and 503, and 401.
const KINDS: usize = RefusalReason::ALL.len() + 1;

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
    /// Why; none for a credential that is refused, where requests have no lines of their own.
    pub reason: Option<RefusalReason>,
    /// Method and template of the path.
    pub method: &'a str,
    /// Template of the path.
    pub route: &'a str,
    /// What only the log may know.
    pub cause: Option<&'a str>,
    /// The id of the request.
    pub request_id: &'a str,
}

/// Its place among the kinds.
fn kind_of(reason: Option<RefusalReason>) -> usize {
    match reason {
        Some(reason) => reason.index(),
        None => KINDS - 1,
    }
}

/// Its word in the log.
fn word_of(reason: Option<RefusalReason>) -> &'static str {
    reason.map_or("unauthorized", RefusalReason::as_str)
}

impl Refusals {
    /// Notes a refused request; a line if it is the first of its kind.
    pub fn note(&self, refused: Refused<'_>) {
        let Some(kind) = self.kinds.get(kind_of(refused.reason)) else { return };
        if kind.is_known.load(Ordering::Relaxed) || kind.is_known.swap(true, Ordering::AcqRel) {
            kind.untold.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let Refused { method, route, cause, request_id, .. } = refused;
        let reason = word_of(refused.reason);
        tracing::warn!(reason, method, route, cause, request_id, "requests are refused; from now on they are counted");
    }

    /// Tells how many were refused of each kind since the last time. A kind that has stopped is new when it comes again.
    pub fn tell(&self) {
        let reasons = RefusalReason::ALL.into_iter().map(Some).chain([None]).map(word_of);
        for (reason, kind) in reasons.zip(&self.kinds) {
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
