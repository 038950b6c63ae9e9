//! How full the queue of a product is, so that a submission which cannot be taken is refused before its body is read.
//!
//! What is known here is what the last moves of the queue said; the unit that takes a place decides. Of two states the
//! one with more moves counts, whichever arrives later.

use std::sync::{Mutex, MutexGuard, PoisonError};

use dashmap::DashMap;

use crate::domain::ids::UserId;
use crate::store::QueueState;

/// Most jobs of a product that may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLimits {
    /// Of all people together.
    pub capacity: i64,
    /// Of one person.
    pub share: i64,
}

/// The least that one person may have waiting, whatever the percentage.
const SHARE_MIN: i64 = 4;

impl QueueLimits {
    /// A queue of so many places, of which one person may take so many percent, but at least four.
    pub const fn new(capacity: i64, share_percent: i64) -> Self {
        let share = capacity.saturating_mul(share_percent) / 100;
        let share = if share < SHARE_MIN { SHARE_MIN } else { share };
        Self { capacity, share: if share > capacity { capacity } else { share } }
    }
}

/// What a queue has no room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueRefusal {
    /// Any job.
    Full,
    /// Another job of this person.
    ShareFull,
}

/// The queue of a product, as last heard of.
pub struct QueueBoard {
    limits: QueueLimits,
    state: Mutex<QueueState>,
    /// People who have as many jobs waiting as one may have, and the moves at which that was so.
    full_shares: DashMap<UserId, i64>,
}

impl QueueBoard {
    /// A queue of which nothing is known yet.
    pub fn new(limits: QueueLimits) -> Self {
        Self { limits, state: Mutex::default(), full_shares: DashMap::new() }
    }

    /// What may wait.
    pub const fn limits(&self) -> QueueLimits {
        self.limits
    }

    /// Notes a state; gives how many jobs wait as far as is known now.
    pub fn note(&self, queue: QueueState) -> i64 {
        let mut state = self.state();
        if queue.moves > state.moves {
            *state = queue;
        }
        state.waiting
    }

    /// Notes that a person has as many jobs waiting as one may have.
    pub fn share_is_full(&self, user: UserId, at: QueueState) {
        self.full_shares.entry(user).and_modify(|moves| *moves = at.moves.max(*moves)).or_insert(at.moves);
    }

    /// Notes that a job of a person was taken.
    pub fn taken(&self, user: UserId, at: QueueState) -> i64 {
        self.full_shares.remove_if(&user, |_, moves| *moves < at.moves);
        self.note(at)
    }

    /// Forgets whose shares were full before the last moves: others may have taken their jobs.
    pub fn forget_shares(&self) {
        let moves = self.state().moves;
        self.full_shares.retain(|_, full_at| *full_at >= moves);
    }

    /// Whether another job of a person can probably be taken.
    pub fn admits(&self, user: UserId) -> Result<(), QueueRefusal> {
        let waiting = self.state().waiting;
        if waiting >= self.limits.capacity {
            return Err(QueueRefusal::Full);
        }
        // Nobody has more waiting than all have.
        if waiting >= self.limits.share && self.full_shares.contains_key(&user) {
            return Err(QueueRefusal::ShareFull);
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: UserId = UserId(1);
    const OTHER: UserId = UserId(2);

    fn state(moves: i64, waiting: i64) -> QueueState {
        QueueState { moves, waiting }
    }

    #[test]
    fn a_share_is_a_part_of_the_places_but_at_least_four_and_at_most_all() {
        let shares = [(100, 25), (100, 1), (8, 25), (2, 25), (1_000_000, 100)];
        let shares = shares.map(|(capacity, percent)| QueueLimits::new(capacity, percent).share);
        assert_eq!(shares, [25, 4, 4, 2, 1_000_000]);
    }

    #[test]
    fn an_older_state_that_arrives_later_does_not_count() {
        let board = QueueBoard::new(QueueLimits { capacity: 3, share: 2 });
        assert_eq!(board.admits(ONE), Ok(()));
        board.note(state(7, 3));
        assert_eq!(board.admits(ONE), Err(QueueRefusal::Full));
        board.taken(OTHER, state(8, 2));
        assert_eq!(board.note(state(7, 3)), 2);
        assert_eq!(board.admits(ONE), Ok(()));
        board.share_is_full(ONE, state(6, 2));
        assert_eq!((board.admits(ONE), board.admits(OTHER)), (Err(QueueRefusal::ShareFull), Ok(())));
        board.taken(ONE, state(5, 3));
        assert_eq!(board.admits(ONE), Err(QueueRefusal::ShareFull));
        board.taken(ONE, state(9, 2));
        assert_eq!(board.admits(ONE), Ok(()));
    }

    #[test]
    fn a_share_is_not_full_where_fewer_wait_or_others_may_have_taken_its_jobs() {
        let board = QueueBoard::new(QueueLimits { capacity: 9, share: 2 });
        board.note(state(3, 2));
        board.share_is_full(ONE, state(3, 2));
        board.forget_shares();
        assert_eq!(board.admits(ONE), Err(QueueRefusal::ShareFull));
        board.note(state(4, 1));
        assert_eq!(board.admits(ONE), Ok(()));
        board.note(state(5, 2));
        assert_eq!(board.admits(ONE), Err(QueueRefusal::ShareFull));
        board.forget_shares();
        assert_eq!(board.admits(ONE), Ok(()));
    }
}
