//! How full the queue of a product is, so that a submission which cannot be taken is refused before its body is read.
//!
//! What is known here is what the last moves of the queue said; the unit that takes a place decides. Of two states the
//! one with more moves counts, whichever arrives later. Who is about to take a place reserves it first, so that of many
//! who come for one free place one is parsed and written, not all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

/// What is known of a queue.
#[derive(Default)]
struct Known {
    queue: QueueState,
    /// Places that are about to be taken, by person.
    reserved: HashMap<UserId, i64>,
    reserved_in_all: i64,
}

/// A place in a queue that is about to be taken; given back when dropped, after the queue was noted with the job in it.
#[must_use]
pub struct Reservation {
    board: Arc<QueueBoard>,
    user: UserId,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut known = self.board.known();
        known.reserved_in_all -= 1;
        if let Some(reserved) = known.reserved.get_mut(&self.user) {
            *reserved -= 1;
            if *reserved == 0 {
                known.reserved.remove(&self.user);
            }
        }
    }
}

/// The queue of a product, as last heard of.
pub struct QueueBoard {
    limits: QueueLimits,
    known: Mutex<Known>,
    /// People who have as many jobs waiting as one may have, and the moves at which that was so.
    full_shares: DashMap<UserId, i64>,
}

impl QueueBoard {
    /// A queue of which nothing is known yet.
    pub fn new(limits: QueueLimits) -> Self {
        Self { limits, known: Mutex::default(), full_shares: DashMap::new() }
    }

    /// What may wait.
    pub const fn limits(&self) -> QueueLimits {
        self.limits
    }

    /// Notes a state; gives how many jobs wait as far as is known now.
    pub fn note(&self, queue: QueueState) -> i64 {
        let mut known = self.known();
        if queue.moves > known.queue.moves {
            known.queue = queue;
        }
        known.queue.waiting
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
        let moves = self.known().queue.moves;
        self.full_shares.retain(|_, full_at| *full_at >= moves);
    }

    /// Whether jobs wait.
    pub fn is_waited_in(&self) -> bool {
        self.known().queue.waiting > 0
    }

    /// Reserves a place for a job of a person while it is parsed and written.
    pub fn reserve(self: &Arc<Self>, user: UserId) -> Result<Reservation, QueueRefusal> {
        let mut known = self.known();
        self.find_place(&known, user)?;
        known.reserved_in_all += 1;
        *known.reserved.entry(user).or_default() += 1;
        Ok(Reservation { board: Arc::clone(self), user })
    }

    fn find_place(&self, known: &Known, user: UserId) -> Result<(), QueueRefusal> {
        let taken = known.queue.waiting.saturating_add(known.reserved_in_all);
        if taken >= self.limits.capacity {
            return Err(QueueRefusal::Full);
        }
        // Nobody has more waiting than all have, and nobody may be about to take more than their share.
        if taken >= self.limits.share
            && (self.full_shares.contains_key(&user)
                || known.reserved.get(&user).is_some_and(|reserved| *reserved >= self.limits.share))
        {
            return Err(QueueRefusal::ShareFull);
        }
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn admits(board: &Arc<QueueBoard>, user: UserId) -> Result<(), QueueRefusal> {
        board.reserve(user).map(drop)
    }

    #[test]
    fn a_share_is_a_part_of_the_places_but_at_least_four_and_at_most_all() {
        let shares = [(100, 25), (100, 1), (8, 25), (2, 25), (1_000_000, 100)];
        let shares = shares.map(|(capacity, percent)| QueueLimits::new(capacity, percent).share);
        assert_eq!(shares, [25, 4, 4, 2, 1_000_000]);
    }

    #[test]
    fn an_older_state_that_arrives_later_does_not_count() {
        let board = Arc::new(QueueBoard::new(QueueLimits { capacity: 3, share: 2 }));
        assert_eq!(admits(&board, ONE), Ok(()));
        board.note(state(7, 3));
        assert_eq!(admits(&board, ONE), Err(QueueRefusal::Full));
        board.taken(OTHER, state(8, 2));
        assert_eq!(board.note(state(7, 3)), 2);
        assert_eq!(admits(&board, ONE), Ok(()));
        board.share_is_full(ONE, state(6, 2));
        assert_eq!((admits(&board, ONE), admits(&board, OTHER)), (Err(QueueRefusal::ShareFull), Ok(())));
        board.taken(ONE, state(5, 3));
        assert_eq!(admits(&board, ONE), Err(QueueRefusal::ShareFull));
        board.taken(ONE, state(9, 2));
        assert_eq!(admits(&board, ONE), Ok(()));
    }

    #[test]
    fn a_share_is_not_full_where_fewer_wait_or_others_may_have_taken_its_jobs() {
        let board = Arc::new(QueueBoard::new(QueueLimits { capacity: 9, share: 2 }));
        board.note(state(3, 2));
        board.share_is_full(ONE, state(3, 2));
        board.forget_shares();
        assert_eq!(admits(&board, ONE), Err(QueueRefusal::ShareFull));
        board.note(state(4, 1));
        assert_eq!(admits(&board, ONE), Ok(()));
        board.note(state(5, 2));
        assert_eq!(admits(&board, ONE), Err(QueueRefusal::ShareFull));
        board.forget_shares();
        assert_eq!(admits(&board, ONE), Ok(()));
    }

    #[test]
    fn a_reserved_place_is_nobody_elses_until_it_is_given_back() {
        let board = Arc::new(QueueBoard::new(QueueLimits { capacity: 3, share: 2 }));
        board.note(state(1, 1));
        let (first, second) = (board.reserve(ONE), board.reserve(OTHER));
        assert!(first.is_ok() && second.is_ok());
        assert_eq!(board.reserve(OTHER).err(), Some(QueueRefusal::Full));
        assert_eq!(admits(&board, ONE), Err(QueueRefusal::Full));
        drop(second);
        let again = board.reserve(ONE);
        assert!(again.is_ok());
        board.note(state(2, 0));
        assert_eq!(admits(&board, ONE), Err(QueueRefusal::ShareFull));
        assert_eq!(admits(&board, OTHER), Ok(()));
        drop((first, again));
        assert_eq!(admits(&board, ONE), Ok(()));
        assert!(board.known().reserved.is_empty());
    }
}
