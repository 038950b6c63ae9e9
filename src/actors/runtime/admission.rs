//! The bound on questions that wait.
//!
//! An actix mailbox is no bound (see the module documentation of `runtime`), so a question first takes a place, and the
//! place rides in the message: it is given back when the answer is ready, when the message is dropped with a dead
//! actor's mailbox, or when the message is skipped because nobody waits for the answer any more.

use std::sync::Arc;

use actix::Message;

use super::stats::ActorStats;

/// A message and its place in the queue.
#[derive(Debug)]
pub struct Ask<M> {
    message: M,
    permit: Permit,
}

impl<M> Ask<M> {
    /// The message, to look at before it is handled.
    pub fn message(&self) -> &M {
        &self.message
    }

    /// The message and its place; the place is given back when the second value is dropped.
    pub fn split(self) -> (M, Permit) {
        (self.message, self.permit)
    }
}

impl<M: Message> Message for Ask<M> {
    type Result = M::Result;
}

/// A place in an actor's queue, given back on drop.
#[derive(Debug)]
pub struct Permit {
    stats: Arc<ActorStats>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.stats.leave_queue();
    }
}

/// Takes a place for a message; gives nothing back when `capacity` are taken.
pub(super) fn admit<M>(stats: &Arc<ActorStats>, capacity: u32, message: M) -> Option<Ask<M>> {
    stats.try_admit(capacity).then(|| Ask { message, permit: Permit { stats: Arc::clone(stats) } })
}
