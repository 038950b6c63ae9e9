//! The gate over what the actors publish.

use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt as _;

use super::call::{Gate, RateOutcome, SessionError};
use crate::actors::Actors;
use crate::actors::rate_limiter::Hit;
use crate::clock::Clock;
use crate::domain::api_key::PresentedKey;
use crate::domain::caller::{KeySnapshot, RateRule};
use crate::domain::ids::UserId;
use crate::session::Sessions;

/// Lets requests in by published keys, sessions and windows.
pub struct ActorGate {
    /// Every actor.
    pub actors: Arc<Actors>,
    /// Web sessions.
    pub sessions: Arc<Sessions>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// How long published keys are trusted while the database cannot be read; `None` where no other process changes them.
    pub staleness_limit_ms: Option<u64>,
}

fn outcome(hit: Hit) -> RateOutcome {
    match hit {
        Hit::Decided(decision) => RateOutcome::Decided(decision),
        Hit::Pending(deciding) => RateOutcome::Pending(deciding.map(Result::ok).boxed_local()),
    }
}

impl Gate for ActorGate {
    fn authenticate_key(&self, presented: &PresentedKey) -> Option<Arc<KeySnapshot>> {
        self.actors.keys.published.authenticate(presented)
    }

    fn authenticate_session(&self, token: &str) -> Result<UserId, SessionError> {
        self.sessions.verify(token, self.clock.as_ref()).map_err(|_| SessionError::Invalid)
    }

    fn hit_key(&self, key: &Arc<KeySnapshot>, at: Instant) -> RateOutcome {
        outcome(self.actors.limiter.hit_key(key.key_id, &key.window, at))
    }

    fn hit_person(&self, user_id: UserId) -> RateOutcome {
        outcome(self.actors.limiter.hit_person(user_id))
    }

    fn rate_rule(&self) -> RateRule {
        self.actors.limiter.rule()
    }

    fn is_stale(&self) -> bool {
        self.staleness_limit_ms
            .is_some_and(|limit_ms| self.actors.keys.published.staleness_ms(self.clock.monotonic_ms()) > limit_ms)
    }
}
