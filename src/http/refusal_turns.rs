//! How fast a worker refuses what the queue has no room for.
//!
//! Refusing costs little beside running a job, but ten times as many refusals as jobs cost more than the jobs: each wakes the
//! worker for its request and its client for the answer. So refusals that follow each other closely wait for the end of a
//! turn, are answered together, and only so many in a turn; who has more requests than that under way waits for later turns.
//! Clients that do not come back after `Retry-After` but at once are slowed down by it, and the processor is left to the jobs
//! that were taken.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::Instant;

/// How long a turn is.
const TURN: Duration = Duration::from_millis(8);
/// How many are refused at its end: a thousand a second.
const PLACES: u32 = 8;
/// The longest wait of a refusal, however many there are.
const WAIT_MAX: Duration = Duration::from_secs(1);

/// The turns of one worker.
#[derive(Debug, Default)]
pub(super) struct RefusalTurns {
    /// The last turn that refusals wait for, or waited for.
    last: Cell<Option<Turn>>,
}

#[derive(Debug, Clone, Copy)]
struct Turn {
    end: Instant,
    places: u32,
}

impl RefusalTurns {
    /// Waits until a refusal may be answered. One that follows none closely does not wait.
    pub(super) async fn wait(&self) {
        if let Some(end) = self.end_of_turn(Instant::now()) {
            tokio::time::sleep_until(end).await;
        }
    }

    /// When a refusal that is ready now is answered; none for at once.
    fn end_of_turn(&self, now: Instant) -> Option<Instant> {
        let next = |turn: Turn| Turn { end: turn.end + TURN, places: PLACES };
        let turn = match self.last.get() {
            Some(turn) if now < turn.end && (turn.places > 0 || turn.end + TURN > now + WAIT_MAX) => turn,
            Some(turn) if now < turn.end + TURN => next(turn),
            _ => {
                self.last.set(Some(Turn { end: now, places: 0 }));
                return None;
            }
        };
        self.last.set(Some(Turn { places: turn.places.saturating_sub(1), ..turn }));
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
        assert_eq!(turns.end_of_turn(at(0)), None);
        assert_eq!(turns.end_of_turn(at(1)), Some(at(8)));
        assert_eq!(turns.end_of_turn(at(7)), Some(at(8)));
        assert_eq!(turns.end_of_turn(at(8)), Some(at(16)));
        assert_eq!(turns.end_of_turn(at(15)), Some(at(16)));
        // After a turn without refusals it begins anew.
        assert_eq!(turns.end_of_turn(at(24)), None);
        assert_eq!(turns.end_of_turn(at(25)), Some(at(32)));
    }

    #[test]
    fn only_so_many_are_answered_in_a_turn_and_none_waits_too_long() {
        let turns = RefusalTurns::default();
        let start = Instant::now();
        assert_eq!(turns.end_of_turn(start), None);
        let mut answered = std::collections::BTreeMap::<Duration, u32>::new();
        for _ in 0..10_000 {
            let end = turns.end_of_turn(start).expect("a wait");
            *answered.entry(end - start).or_default() += 1;
        }
        let last = answered.pop_last().expect("a last turn");
        assert!(last.0 <= WAIT_MAX, "{last:?}");
        assert_eq!(answered.len(), 124);
        assert!(answered.values().all(|refusals| *refusals == PLACES), "{answered:?}");
    }
}
