//! What connections are doing, and until when they may: the head of a request has so long to arrive, an answer so long to be read,
//! and those that rest are closed, the longest first, when descriptors run short.
//!
//! The server library gives the first head of a connection its time, and writes as long as the client pleases. The rest is watched here:
//! one task a worker looks at its connections twice a second and wakes those that are late, whose socket then pretends to have ended. So
//! a request costs no timer.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::task::Context;
use std::time::Duration;

use super::answered::Outgoing;
use super::permit::ReadPermit;

/// How often a worker looks at its connections.
const TICK: Duration = Duration::from_millis(500);
/// How long clients may take.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) struct Deadlines {
    /// For the head of a request, from its first byte.
    pub(in crate::http) head: Duration,
    /// To read something of an answer.
    pub(in crate::http) write: Duration,
    /// Connections of one worker, above which none is accepted.
    pub(in crate::http) connections_max: usize,
}

/// What a connection is doing; times are ticks of its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It was opened and has asked for nothing: the server library waits for the first head.
    Opened,
    /// Nothing is asked, since then.
    Resting(u64),
    /// The head of another request began to arrive.
    Head(u64),
    /// A request is carried out, or its answer is on its way.
    Answering,
    /// No longer HTTP.
    Upgraded,
}

/// One connection, shared by its socket, the request it carries and the task that watches.
#[derive(Debug)]
pub(in crate::http) struct Watched {
    ticks: Rc<Cell<u64>>,
    phase: Cell<Phase>,
    /// Since when the client takes nothing of what is to be written.
    unread_since: Cell<Option<u64>>,
    /// Whether it is to end.
    is_cut: Cell<bool>,
    /// Whether a whole head was given to the server library, and more is here that it is not to have yet.
    is_head_given: Cell<bool>,
    permit: Rc<ReadPermit>,
    outgoing: Outgoing,
}

impl Watched {
    pub(super) fn new(ticks: Rc<Cell<u64>>, permit: Rc<ReadPermit>) -> Self {
        Self {
            ticks,
            phase: Cell::new(Phase::Opened),
            unread_since: Cell::default(),
            is_cut: Cell::default(),
            is_head_given: Cell::default(),
            permit,
            outgoing: Outgoing::default(),
        }
    }

    /// A request has arrived.
    pub(in crate::http) fn begin_answer(&self) {
        self.phase.set(Phase::Answering);
        self.is_head_given.set(false);
    }

    /// Its answer is handed to the server library whole.
    pub(in crate::http) fn end_answer(&self) {
        self.phase.set(Phase::Resting(self.ticks.get()));
        self.permit.resume();
    }

    /// From now on something else than HTTP is spoken, within limits of its own.
    pub(in crate::http) fn upgrade(&self) {
        self.phase.set(Phase::Upgraded);
        self.permit.resume();
    }

    /// What is to be written past the server library.
    pub(super) fn outgoing(&self) -> &Outgoing {
        &self.outgoing
    }

    /// Keeps the way to wake the connection.
    pub(super) fn remember(&self, context: &Context<'_>) {
        self.permit.remember(context);
    }

    /// Has the connection go on.
    pub(super) fn wake(&self) {
        self.permit.wake();
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    /// Whether nothing is to be read now that nobody asked to be read: beside an answer, or where the client takes none.
    pub(super) fn is_occupied(&self) -> bool {
        self.phase.get() == Phase::Answering || self.is_head_given.get() || self.unread_since.get().is_some()
    }

    /// Whether what comes is the head of a request.
    pub(super) fn expects_head(&self) -> bool {
        matches!(self.phase.get(), Phase::Opened | Phase::Resting(_) | Phase::Head(_))
    }

    /// A whole head was given to the server library, and more is held back until it is answered.
    pub(super) fn hold_back(&self) {
        self.is_head_given.set(true);
    }

    /// Something came that is no part of a body.
    pub(super) fn note_head(&self) {
        if let Phase::Resting(_) = self.phase.get() {
            self.phase.set(Phase::Head(self.ticks.get()));
        }
    }

    /// The client takes nothing for now.
    pub(super) fn note_unread(&self, context: &Context<'_>) {
        if self.unread_since.get().is_none() {
            self.unread_since.set(Some(self.ticks.get()));
        }
        self.permit.remember(context);
    }

    /// The client took something.
    pub(super) fn note_written(&self) {
        if self.unread_since.take().is_some() {
            self.permit.resume();
        }
    }

    fn cut(&self) {
        self.is_cut.set(true);
        self.permit.wake();
    }

    /// Whether it has taken longer than it may.
    fn is_late(&self, now: u64, deadlines: &Deadlines) -> bool {
        let is_over = |since: u64, allowed: Duration| {
            // The tick in which it began does not count.
            let elapsed = u32::try_from(now.saturating_sub(since + 1)).unwrap_or(u32::MAX);
            TICK.saturating_mul(elapsed) >= allowed
        };
        self.unread_since.get().is_some_and(|since| is_over(since, deadlines.write))
            || matches!(self.phase.get(), Phase::Head(since) if is_over(since, deadlines.head))
    }

    fn resting_since(&self) -> Option<u64> {
        match self.phase.get() {
            Phase::Resting(since) if self.unread_since.get().is_none() => Some(since),
            _ => None,
        }
    }
}

/// The connections of one worker.
pub(in crate::http) struct Watch {
    deadlines: Deadlines,
    ticks: Rc<Cell<u64>>,
    open: RefCell<Vec<Weak<Watched>>>,
    is_watching: Cell<bool>,
}

impl Watch {
    /// Nothing is open yet.
    pub(in crate::http) fn new(deadlines: Deadlines) -> Self {
        Self { deadlines, ticks: Rc::default(), open: RefCell::default(), is_watching: Cell::default() }
    }

    /// Watches one more connection; must be called on the thread of the worker.
    pub(in crate::http) fn watched(self: &Rc<Self>, permit: Rc<ReadPermit>) -> Rc<Watched> {
        let watched = Rc::new(Watched::new(Rc::clone(&self.ticks), permit));
        self.open.borrow_mut().push(Rc::downgrade(&watched));
        if !self.is_watching.replace(true) {
            let watch = Rc::clone(self);
            actix_web::rt::spawn(async move {
                while watch.look() {
                    tokio::time::sleep(TICK).await;
                }
            });
        }
        watched
    }

    /// Looks at every connection; whether there is one. Without any it stops until there is.
    fn look(&self) -> bool {
        let now = self.ticks.get() + 1;
        self.ticks.set(now);
        let mut resting = Vec::new();
        let mut open = self.open.borrow_mut();
        open.retain(|connection| {
            let Some(connection) = connection.upgrade() else { return false };
            if connection.is_late(now, &self.deadlines) {
                connection.cut();
            } else if let Some(since) = connection.resting_since() {
                resting.push((since, connection));
            }
            true
        });
        let max = self.deadlines.connections_max;
        if open.len() >= max - max / 8 {
            // Enough at once that it need not be done for each that comes.
            resting.sort_by_key(|(since, _)| *since);
            let too_many = open.len().saturating_sub(max - max / 4).max(1);
            resting.iter().take(too_many).for_each(|(_, connection)| connection.cut());
        }
        let is_any = !open.is_empty();
        self.is_watching.set(is_any);
        is_any
    }
}

#[cfg(test)]
mod tests {
    use futures_util::task::noop_waker_ref;

    use super::*;

    fn watch(connections_max: usize) -> Watch {
        let deadlines = Deadlines { head: Duration::from_secs(1), write: Duration::from_secs(2), connections_max };
        let watch = Watch::new(deadlines);
        // The test looks itself.
        watch.is_watching.set(true);
        watch
    }

    /// Looks so many times; how many connections are cut then.
    fn cut_after(watch: &Watch, looks: usize, connections: &[Rc<Watched>]) -> usize {
        (0..looks).for_each(|_| assert!(watch.look()));
        connections.iter().filter(|connection| connection.is_cut()).count()
    }

    #[test]
    fn a_head_an_answer_and_a_rest_have_their_times() {
        let watch = Rc::new(watch(1_000));
        let connections: Vec<_> = (0..6).map(|_| watch.watched(Rc::default())).collect();
        let context = Context::from_waker(noop_waker_ref());
        let [opened, resting, head, answering, unread, upgraded] = &connections[..] else { panic!() };
        opened.note_head();
        for connection in [resting, head, unread] {
            connection.begin_answer();
            connection.end_answer();
        }
        head.note_head();
        answering.begin_answer();
        answering.note_head();
        unread.note_unread(&context);
        upgraded.upgrade();
        upgraded.note_head();
        assert_eq!(cut_after(&watch, 2, &connections), 0);
        // More of the head gains no time.
        head.note_head();
        assert_eq!(cut_after(&watch, 1, &connections), 1);
        assert!(head.is_cut());
        // Who takes something has as long again.
        unread.note_written();
        unread.note_unread(&context);
        assert_eq!(cut_after(&watch, 4, &connections), 1);
        assert_eq!(cut_after(&watch, 1, &connections), 2);
        assert!(unread.is_cut());
        assert_eq!(cut_after(&watch, 1_000, &connections), 2);
        assert!(!resting.is_occupied() && answering.is_occupied() && unread.is_occupied());
        drop(connections);
        assert!(!watch.look(), "nothing is open any more");
    }

    #[test]
    fn those_that_rest_longest_are_closed_when_there_are_too_many() {
        let watch = Rc::new(watch(16));
        let mut connections = Vec::new();
        for number in 0..14 {
            let connection = watch.watched(Rc::default());
            connection.begin_answer();
            if number % 2 == 0 {
                connection.end_answer();
            }
            connections.push(connection);
            let are_many = number == 13;
            assert_eq!(cut_after(&watch, 1, &connections), if are_many { 2 } else { 0 }, "{number}");
        }
        assert!(connections[0].is_cut() && connections[2].is_cut());
    }
}
