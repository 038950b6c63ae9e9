//! How fast a worker refuses what the queue has no room for.
//!
//! Refusing costs little beside running a job, but ten times as many refusals as jobs cost more than the jobs: each wakes the
//! worker for its request and its client for the answer, and its body is read and checked. So submissions that find no room
//! and follow each other closely wait, before their bodies are read, and look again at the end of each turn. Only so many are
//! refused at the end of one, fewer where bodies are large; who has more requests than that under way waits for more turns.
//! Clients that do not come back after `Retry-After` but at once are slowed down by it, and the processor is left to the jobs
//! that were taken.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::Instant;

/// How long a turn is.
const TURN: Duration = Duration::from_millis(8);
/// How many small submissions are refused at the end of one: 250 a second.
const PLACES: u32 = 2;
/// A body takes a place more for every so many bytes, up to all places of a turn.
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

/// The wait of a submission until it may be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wait {
    end: Instant,
}

impl RefusalTurns {
    /// When a submission with a body of so many bytes may be refused; none for at once, where it follows no other closely.
    pub(super) fn place(&self, body_bytes: u64) -> Option<Wait> {
        self.place_at(Instant::now(), body_bytes)
    }

    fn place_at(&self, now: Instant, body_bytes: u64) -> Option<Wait> {
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
        Some(Wait { end: turn.end })
    }
}

impl Wait {
    /// Waits for the end of a turn; whether more follow.
    pub(super) async fn turn(&self) -> bool {
        let (end, follow) = self.next(Instant::now());
        tokio::time::sleep_until(end).await;
        follow > 0
    }

    /// Waits for the end of the last turn.
    pub(super) async fn all(&self) {
        tokio::time::sleep_until(self.end).await;
    }

    /// When the turn that is under way ends, and how many follow it.
    fn next(&self, now: Instant) -> (Instant, u32) {
        let left = self.end.saturating_duration_since(now).saturating_sub(Duration::from_nanos(1));
        let follow = u32::try_from(left.as_nanos() / TURN.as_nanos()).unwrap_or(u32::MAX);
        (self.end.checked_sub(TURN * follow).unwrap_or(self.end), follow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(turns: &RefusalTurns, start: Instant, at_ms: u64, body_bytes: u64) -> Option<u128> {
        let wait = turns.place_at(start + Duration::from_millis(at_ms), body_bytes)?;
        Some((wait.end - start).as_millis())
    }

    #[test]
    fn refusals_that_follow_closely_end_together() {
        let (turns, start) = (RefusalTurns::default(), Instant::now());
        // The first of a while is answered at once.
        assert_eq!(places(&turns, start, 0, 0), None);
        assert_eq!(places(&turns, start, 1, 0), Some(8));
        assert_eq!(places(&turns, start, 7, 0), Some(8));
        assert_eq!(places(&turns, start, 8, 0), Some(16));
        assert_eq!(places(&turns, start, 15, 0), Some(16));
        // After a turn without refusals it begins anew.
        assert_eq!(places(&turns, start, 24, 0), None);
        assert_eq!(places(&turns, start, 25, 0), Some(32));
    }

    #[test]
    fn only_so_many_are_refused_in_a_turn_and_none_waits_too_long() {
        let (turns, start) = (RefusalTurns::default(), Instant::now());
        assert_eq!(places(&turns, start, 0, 0), None);
        let mut refused = std::collections::BTreeMap::<u128, u32>::new();
        for _ in 0..10_000 {
            let end_ms = places(&turns, start, 0, 0).expect("a wait");
            *refused.entry(end_ms).or_default() += 1;
        }
        let last = refused.pop_last().expect("a last turn");
        assert!(last.0 <= WAIT_MAX.as_millis(), "{last:?}");
        assert_eq!(refused.len(), 124);
        assert!(refused.values().all(|refusals| *refusals == PLACES), "{refused:?}");
    }

    #[test]
    fn large_bodies_take_more_of_a_turn() {
        let (turns, start) = (RefusalTurns::default(), Instant::now());
        assert_eq!(places(&turns, start, 0, 0), None);
        assert_eq!(places(&turns, start, 0, 1_000), Some(8));
        assert_eq!(places(&turns, start, 0, 60_000), Some(8));
        // A larger one takes both places, also where one is left.
        assert_eq!(places(&turns, start, 0, 1_000), Some(16));
        assert_eq!(places(&turns, start, 0, 70_000), Some(24));
        assert_eq!(places(&turns, start, 0, u64::MAX), Some(32));
        assert_eq!(places(&turns, start, 0, 1_000), Some(40));
    }

    #[test]
    fn a_wait_looks_again_at_the_end_of_each_turn() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let wait = Wait { end: at(24) };
        assert_eq!(wait.next(at(3)), (at(8), 2));
        assert_eq!(wait.next(at(8)), (at(16), 1));
        assert_eq!(wait.next(at(9)), (at(16), 1));
        assert_eq!(wait.next(at(17)), (at(24), 0));
        assert_eq!(wait.next(at(40)), (at(24), 0));
    }
}
