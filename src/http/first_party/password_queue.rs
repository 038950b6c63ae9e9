//! The way to the memory that passwords are hashed in: few at once, few waiting, and who is known goes first.
//!
//! A hash takes 19 MiB and tens of milliseconds of a processor, whoever asks for it. So there are two places to work in, whose memory
//! goes from one waiting password to the next and back to the system when none waits, and a bounded number may wait. Those who
//! come from an address that the account was signed in from before wait apart from strangers and are taken first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::session::HashMemory;

/// Passwords hashed at once.
const PLACES: usize = 2;
/// Passwords of strangers that may wait, and as many of people known at their address.
const WAITING_MAX: usize = 32;

/// Places to hash passwords in, and those who wait for one.
#[derive(Default)]
pub struct PasswordQueue(Mutex<State>);

#[derive(Default)]
struct State {
    taken: usize,
    known: VecDeque<oneshot::Sender<Place>>,
    strangers: VecDeque<oneshot::Sender<Place>>,
}

/// Too many passwords wait already.
#[derive(Debug, PartialEq, Eq)]
pub struct QueueFull;

impl PasswordQueue {
    /// A place to hash a password in, when its turn has come; `None` only while the service is being torn down.
    pub async fn place(self: &Arc<Self>, is_known: bool) -> Result<Option<Place>, QueueFull> {
        let waiting = {
            let mut state = self.state();
            if state.taken < PLACES {
                state.taken += 1;
                return Ok(Some(Place { queue: Arc::clone(self), memory: Some(HashMemory::default()) }));
            }
            let line = if is_known { &mut state.known } else { &mut state.strangers };
            // Who has hung up waits no more.
            line.retain(|waiting| !waiting.is_closed());
            if line.len() >= WAITING_MAX {
                return Err(QueueFull);
            }
            let (sender, receiver) = oneshot::channel();
            line.push_back(sender);
            receiver
        };
        Ok(waiting.await.ok())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics between two changes that belong together.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a place on, or takes it back with its memory when nobody waits.
    fn hand_on(self: &Arc<Self>, mut memory: HashMemory) {
        loop {
            let next = {
                let mut state = self.state();
                let next = state.known.pop_front().or_else(|| state.strangers.pop_front());
                if next.is_none() {
                    state.taken -= 1;
                }
                next
            };
            let Some(next) = next else { return };
            let place = Place { queue: Arc::clone(self), memory: Some(memory) };
            match next.send(place).map_err(|mut place| place.memory.take()) {
                Ok(()) | Err(None) => return,
                Err(Some(unused)) => memory = unused,
            }
        }
    }
}

/// A place to hash a password in; given to the next when it is dropped, on whatever thread.
pub struct Place {
    queue: Arc<PasswordQueue>,
    memory: Option<HashMemory>,
}

impl Place {
    /// The memory.
    pub fn memory(&mut self) -> &mut HashMemory {
        self.memory.get_or_insert_default()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.queue.hand_on(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn state(queue: &PasswordQueue) -> (usize, usize, usize) {
        let state = queue.state();
        (state.taken, state.known.len(), state.strangers.len())
    }

    #[tokio::test]
    async fn few_work_few_wait_and_who_is_known_goes_first() {
        let queue = Arc::new(PasswordQueue::default());
        let mut working = Vec::new();
        for _ in 0..PLACES {
            working.push(queue.place(false).await.unwrap().unwrap());
        }
        let mut strangers: Vec<_> = (0..WAITING_MAX).map(|_| Box::pin(queue.place(false))).collect();
        assert!(strangers.iter_mut().all(|waiting| waiting.now_or_never().is_none()));
        assert!(matches!(queue.place(false).now_or_never(), Some(Err(QueueFull))));
        // A full line of strangers keeps nobody out who is known.
        let mut known = Box::pin(queue.place(true));
        assert!((&mut known).now_or_never().is_none());
        assert_eq!(state(&queue), (PLACES, 1, WAITING_MAX));
        drop(working.pop());
        assert!(strangers[0].as_mut().now_or_never().is_none());
        let served = known.now_or_never().unwrap().unwrap().unwrap();
        // Who hangs up leaves the line, also when it is their turn.
        drop(strangers.remove(0));
        let waiting = queue.place(false);
        assert!(Box::pin(waiting).now_or_never().is_none(), "and is gone at once");
        drop((served, working));
        let turns: Vec<_> = strangers.iter_mut().map(|waiting| waiting.now_or_never().is_some()).collect();
        assert_eq!(
            turns.iter().filter(|has_place| **has_place).count(),
            strangers.len(),
            "each was dropped with its place"
        );
        drop(strangers);
        assert_eq!(state(&queue), (0, 0, 0));
    }
}
