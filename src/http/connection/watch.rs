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
/// What every connection may hold of an answer that is not read.
const SMALL_BYTES: usize = 64 * 1024;

/// How long clients may take.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) struct Deadlines {
    /// For the head of a request, from its first byte.
    pub(in crate::http) head: Duration,
    /// To read something of an answer.
    pub(in crate::http) write: Duration,
    /// Connections of one worker, above which none is accepted.
    pub(in crate::http) connections_max: usize,
    /// What one worker holds of answers that are not being read.
    pub(in crate::http) unread_bytes_max: usize,
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
    /// When it ends whatever it does, unless another request arrives before that.
    ends_at: Cell<Option<u64>>,
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
            ends_at: Cell::default(),
            is_cut: Cell::default(),
            is_head_given: Cell::default(),
            permit,
            outgoing: Outgoing::default(),
        }
    }

    /// A request has arrived.
    pub(in crate::http) fn begin_answer(&self) {
        self.phase.set(Phase::Answering);
        self.ends_at.set(None);
        self.is_head_given.set(false);
    }

    /// The request was answered before its body had come: it has so long to end by itself.
    pub(in crate::http) fn end_within(&self, time: Duration) {
        let ticks = time.as_millis().div_ceil(TICK.as_millis());
        self.ends_at.set(Some(self.ticks.get() + 1 + u64::try_from(ticks).unwrap_or(u64::MAX / 2)));
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
            // An answer that is being written has the time that its reader takes.
            || self.phase.get() != Phase::Answering && self.ends_at.get().is_some_and(|at| now >= at)
            || matches!(self.phase.get(), Phase::Head(since) if is_over(since, deadlines.head))
    }

    /// Since when nothing is read of an answer that takes more memory than is promised, and how much that is.
    fn unread(&self) -> Option<(u64, usize)> {
        let held = self.outgoing.held();
        self.unread_since.get().filter(|_| held > SMALL_BYTES).map(|since| (since, held))
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
        let (mut resting, mut unread) = (Vec::new(), Vec::new());
        let mut open = self.open.borrow_mut();
        open.retain(|connection| {
            let Some(connection) = connection.upgrade() else { return false };
            if connection.is_late(now, &self.deadlines) {
                connection.cut();
            } else if let Some((since, held)) = connection.unread() {
                unread.push((since, held, connection));
            } else if let Some(since) = connection.resting_since() {
                resting.push((since, connection));
            }
            true
        });
        cut_unread(unread, self.deadlines.unread_bytes_max);
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

/// Ends connections whose large answers are not read, those first that have read nothing for longest, until the others hold no more
/// than `max` bytes together.
fn cut_unread(mut unread: Vec<(u64, usize, Rc<Watched>)>, max: usize) {
    let mut held: usize = unread.iter().map(|(_, held, _)| held).sum();
    unread.sort_by_key(|(since, ..)| *since);
    for (_, of_one, connection) in unread {
        if held <= max {
            break;
        }
        held -= of_one;
        connection.cut();
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::task::noop_waker_ref;

    use super::*;

    fn watch(connections_max: usize) -> Watch {
        let deadlines = Deadlines {
            head: Duration::from_secs(1),
            write: Duration::from_secs(2),
            connections_max,
            unread_bytes_max: 1_000_000,
        };
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
    fn who_was_answered_early_ends_in_time_unless_they_go_on() {
        let watch = Rc::new(watch(1_000));
        let connections: Vec<_> = (0..2).map(|_| watch.watched(Rc::default())).collect();
        for connection in &connections {
            connection.begin_answer();
            connection.end_within(Duration::from_secs(1));
            connection.end_answer();
        }
        connections[0].begin_answer();
        assert_eq!(cut_after(&watch, 2, &connections), 0);
        assert_eq!(cut_after(&watch, 100, &connections), 1);
        assert!(connections[1].is_cut());
    }

    #[test]
    fn large_answers_that_nobody_reads_make_room_for_each_other() {
        let watch = Rc::new(watch(1_000));
        let context = Context::from_waker(noop_waker_ref());
        let open = |answer: Bytes| {
            let connection = watch.watched(Rc::default());
            connection.begin_answer();
            connection.outgoing().push(answer);
            connection.note_unread(&context);
            connection
        };
        let unread = |bytes: usize| open(vec![0; bytes].into());
        let shared: Bytes = vec![0; 300_000].into();
        // Small ones and shared ones take nothing from anybody.
        let mut connections =
            vec![unread(300_000), unread(300_000), unread(300_000), unread(60_000), open(shared.clone())];
        assert_eq!(cut_after(&watch, 1, &connections), 0);
        connections.push(unread(300_000));
        assert_eq!(cut_after(&watch, 1, &connections), 1);
        assert!(connections[0].is_cut(), "the one that has read nothing for longest");
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
