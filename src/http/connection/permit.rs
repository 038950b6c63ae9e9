//! How much may be read from the socket of a connection, decided by the request being answered.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

/// What a connection may read per turn when no body is being metered: the head of a request, and a small body with it.
const OPEN_TURN_BYTES: usize = 4 * 1024;
/// The first read of such a turn: most requests fit, and what is read into is cleared before.
pub(super) const FIRST_READ_BYTES: usize = 1024;
/// The most that is read per turn without letting the buffer of the server library grow. Larger allowances are for bodies
/// that are served.
pub(in crate::http) const FRUGAL_TURN_BYTES: usize = 7 * 1024;
/// The server library makes room in its buffer as soon as less than this is free: it takes back what was consumed, or
/// doubles the buffer when more than that is not consumed yet.
pub(super) const FREE_BYTES_MIN: usize = 1024;

/// How much one connection may read, shared by its socket and by the request it carries (both live on one thread).
#[derive(Debug, Default)]
pub(in crate::http) struct ReadPermit {
    mode: Cell<Mode>,
    /// Whether something was read in this turn, which the server library has not seen yet.
    has_read: Cell<bool>,
    /// Whether the socket was to be read and could not be, so that nobody else wakes the connection.
    is_waited_for: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

#[derive(Debug, Clone, Copy)]
enum Mode {
    /// Between bodies: anything, but yielding after this many more bytes.
    Open { turn_left: usize },
    /// While a body is read: this many more bytes.
    Metered { left: usize },
    /// After an answer that left its body unread: thrown away within these bounds, then the end is pretended.
    Discard { left: u64, until: Instant },
}

impl Default for Mode {
    fn default() -> Self {
        Self::Open { turn_left: OPEN_TURN_BYTES }
    }
}

impl ReadPermit {
    /// Lets the connection read freely again.
    pub(in crate::http) fn read_freely(&self) {
        self.mode.set(Mode::default());
        self.resume();
    }

    /// Lets the connection read so many bytes and then stop until the next call; the caller makes sure that it is
    /// polled again. Of up to [`FRUGAL_TURN_BYTES`] fewer may be read, so that the buffer does not grow.
    pub(in crate::http) fn allow(&self, bytes: usize) {
        self.mode.set(Mode::Metered { left: bytes });
        self.has_read.set(false);
        if bytes > 0 {
            self.resume();
        }
    }

    /// Lets the connection read nothing until the next call.
    pub(in crate::http) fn suspend(&self) {
        self.allow(0);
    }

    /// Whether the last allowance is used up, so that only a new one makes the socket read on.
    pub(in crate::http) fn is_used_up(&self) -> bool {
        matches!(self.mode.get(), Mode::Metered { left: 0 })
    }

    /// Whether what comes is no part of a body.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.mode.get(), Mode::Open { .. })
    }

    /// Throws away what a client that was answered early still sends, within bounds.
    pub(in crate::http) fn discard(&self, bytes: u64, within: Duration) {
        self.mode.set(Mode::Discard { left: bytes, until: Instant::now() + within });
        self.resume();
    }

    /// Keeps the way to wake the connection.
    pub(super) fn remember(&self, context: &Context<'_>) {
        let mut waker = self.waker.borrow_mut();
        if !waker.as_ref().is_some_and(|known| known.will_wake(context.waker())) {
            *waker = Some(context.waker().clone());
        }
    }

    /// The socket would be read now; the connection is woken when it may be.
    pub(super) fn wait(&self, context: &Context<'_>) {
        self.is_waited_for.set(true);
        self.remember(context);
    }

    /// Reading may be possible again.
    pub(super) fn resume(&self) {
        if self.is_waited_for.take() {
            self.wake();
        }
    }

    /// Has the connection look at its socket.
    pub(super) fn wake(&self) {
        if let Some(waker) = self.waker.borrow().as_ref() {
            waker.wake_by_ref();
        }
    }

    /// Pretends that the client has closed, so that the server library closes the connection once all is written
    /// instead of waiting for the client to do so.
    pub(in crate::http) fn hang_up(&self) {
        self.discard(0, Duration::ZERO);
    }

    /// How much may be read now into a buffer with so much room; `None` for none, `Some(0)` for "pretend the end".
    pub(super) fn piece_bytes(&self, free_bytes: usize, context: &mut Context<'_>) -> Option<usize> {
        let allowed = match self.mode.get() {
            Mode::Metered { left: 0 } => return None,
            Mode::Discard { left, until } if left == 0 || Instant::now() >= until => return Some(0),
            Mode::Open { turn_left: OPEN_TURN_BYTES } => FIRST_READ_BYTES,
            Mode::Open { turn_left } => turn_left,
            Mode::Metered { left } => left,
            Mode::Discard { left, .. } => usize::try_from(left).unwrap_or(FRUGAL_TURN_BYTES).min(FRUGAL_TURN_BYTES),
        };
        if allowed > FRUGAL_TURN_BYTES {
            return Some(allowed);
        }
        if allowed > 0 && free_bytes >= 2 * FREE_BYTES_MIN {
            return Some(allowed.min(free_bytes - FREE_BYTES_MIN));
        }
        if allowed > 0 && !self.has_read.get() {
            // All before it is consumed and taken back when this is read: half of the room is then less than that.
            return Some(allowed.min(free_bytes / 2).max(1));
        }
        self.end_turn(context);
        None
    }

    /// Leaves what was read to the server library, and the processor to others.
    fn end_turn(&self, context: &mut Context<'_>) {
        self.has_read.set(false);
        match self.mode.get() {
            Mode::Open { .. } => {
                self.mode.set(Mode::default());
                yield_turn(context);
            }
            Mode::Metered { .. } => self.suspend(),
            Mode::Discard { .. } => yield_turn(context),
        }
    }

    pub(super) fn count_read(&self, bytes: usize) {
        self.has_read.set(true);
        self.mode.set(match self.mode.get() {
            Mode::Open { turn_left } => Mode::Open { turn_left: turn_left.saturating_sub(bytes) },
            Mode::Metered { left } => Mode::Metered { left: left.saturating_sub(bytes) },
            Mode::Discard { left, until } => {
                Mode::Discard { left: left.saturating_sub(u64::try_from(bytes).unwrap_or(u64::MAX)), until }
            }
        });
    }

    pub(super) fn socket_is_drained(&self) {
        self.has_read.set(false);
        if let Mode::Open { .. } = self.mode.get() {
            self.mode.set(Mode::default());
        }
    }
}

/// Asks to be polled again after everybody else, the network driver included, had a turn.
fn yield_turn(context: &mut Context<'_>) {
    let _pending = pin!(tokio::task::yield_now()).poll(context);
}
