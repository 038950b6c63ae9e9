//! How fast a worker refuses what the queue has no room for.
//!
//! Refusing costs little beside running a job, but ten times as many refusals as jobs cost more than the jobs: each wakes the
//! worker for its request and its client for the answer, and its body is read and checked. So submissions that find no room
//! and follow each other closely wait for the end of a turn, before their bodies are read. Only so many end their wait in a
//! turn, fewer where bodies are large; who has more requests than that under way waits for later turns.
//! Clients that do not come back after `Retry-After` but at once are slowed down by it, and the processor is left to the jobs
//! that were taken.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::Instant;

/// How long a turn is.
const TURN: Duration = Duration::from_millis(8);
/// What ends its wait with a turn: eight small submissions, a thousand a second.
const PLACES: u32 = 8;
/// A body takes a place more for every so many bytes, up to all of a turn.
const BYTES_A_PLACE: u64 = 64 * 1024;
/// The longest wait, however many there are.
const WAIT_MAX: Duration = Duration::from_secs(1);

/// The turns of one worker.
#[derive(Debug, Default)]
pub(super) struct RefusalTurns {
    /// The last turn that submissions wait for, or waited for.
    last: Cell<Option<Turn>>,
}

#[derive(Debug, Clone, Copy)]
struct Turn {
    end: Instant,
    places: u32,
}

impl RefusalTurns {
    /// Waits until a submission with a body of so many bytes may be refused. One that follows none closely does not wait.
    pub(super) async fn wait(&self, body_bytes: u64) {
        if let Some(end) = self.end_of_turn(Instant::now(), body_bytes) {
            tokio::time::sleep_until(end).await;
        }
    }

    /// When a submission that finds no room now goes on; none for at once.
    fn end_of_turn(&self, now: Instant, body_bytes: u64) -> Option<Instant> {
        let wanted = u32::try_from(body_bytes / BYTES_A_PLACE).unwrap_or(PLACES).saturating_add(1).min(PLACES);
        let next = |turn: Turn| Turn { end: turn.end + TURN, places: PLACES };
        let turn = match self.last.get() {
            Some(turn) if now < turn.end && (turn.places >= wanted || turn.end + TURN > now + WAIT_MAX) => turn,
            Some(turn) if now < turn.end + TURN => next(turn),
            _ => {
                self.last.set(Some(Turn { end: now, places: 0 }));
                return None;
            }
        };
        self.last.set(Some(Turn { places: turn.places.saturating_sub(wanted), ..turn }));
        Some(turn.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_that_follow_closely_end_together() {
        let turns = RefusalTurns::default();
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        // The first of a while is answered at once.
        assert_eq!(turns.end_of_turn(at(0), 0), None);
        assert_eq!(turns.end_of_turn(at(1), 0), Some(at(8)));
        assert_eq!(turns.end_of_turn(at(7), 0), Some(at(8)));
        assert_eq!(turns.end_of_turn(at(8), 0), Some(at(16)));
        assert_eq!(turns.end_of_turn(at(15), 0), Some(at(16)));
        // After a turn without refusals it begins anew.
        assert_eq!(turns.end_of_turn(at(24), 0), None);
        assert_eq!(turns.end_of_turn(at(25), 0), Some(at(32)));
    }

    #[test]
    fn only_so_many_are_answered_in_a_turn_and_none_waits_too_long() {
        let turns = RefusalTurns::default();
        let start = Instant::now();
        assert_eq!(turns.end_of_turn(start, 0), None);
        let mut answered = std::collections::BTreeMap::<Duration, u32>::new();
        for _ in 0..10_000 {
            let end = turns.end_of_turn(start, 0).expect("a wait");
            *answered.entry(end - start).or_default() += 1;
        }
        let last = answered.pop_last().expect("a last turn");
        assert!(last.0 <= WAIT_MAX, "{last:?}");
        assert_eq!(answered.len(), 124);
        assert!(answered.values().all(|refusals| *refusals == PLACES), "{answered:?}");
    }

    #[test]
    fn large_bodies_take_more_of_a_turn() {
        let turns = RefusalTurns::default();
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        assert_eq!(turns.end_of_turn(start, 0), None);
        // Three places each, so that two are in a turn and small ones may follow.
        assert_eq!(turns.end_of_turn(start, 150_000), Some(at(8)));
        assert_eq!(turns.end_of_turn(start, 150_000), Some(at(8)));
        assert_eq!(turns.end_of_turn(start, 1_000), Some(at(8)));
        assert_eq!(turns.end_of_turn(start, 150_000), Some(at(16)));
        // The largest have a turn to themselves.
        assert_eq!(turns.end_of_turn(start, u64::MAX), Some(at(24)));
        assert_eq!(turns.end_of_turn(start, 25_000_000), Some(at(32)));
    }
}
