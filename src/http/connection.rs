//! The reading side of a connection: how much may be read from the socket, decided by the request being answered.
//!
//! The server library reads ahead up to 128 KiB a connection, and goes on doing so while no handler takes the body. A
//! thousand refused uploads would then hold far more than is promised. So the socket is wrapped: each turn of a
//! connection reads a bounded piece and lets others go first, a request whose body waits reads nothing at all (TCP
//! makes the sender wait), and after an early answer only so much is thrown away before the connection is closed.

use std::cell::Cell;
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// What a connection may read per turn when no body is being metered: one fill of the library's buffer.
const OPEN_TURN_BYTES: usize = 8 * 1024;

/// How much one connection may read, shared by its socket and by the request it carries (both live on one thread).
#[derive(Debug)]
pub(super) struct ReadPermit(Cell<Mode>);

#[derive(Debug, Clone, Copy)]
enum Mode {
    /// Between bodies: anything, but yielding after this many more bytes.
    Open { turn_left: usize },
    /// While a body is read: this many more bytes.
    Metered { left: usize },
    /// After an answer that left its body unread: thrown away within these bounds, then the end is pretended.
    Discard { left: u64, until: Instant },
}

impl Default for ReadPermit {
    fn default() -> Self {
        Self(Cell::new(Mode::Open { turn_left: OPEN_TURN_BYTES }))
    }
}

impl ReadPermit {
    /// Lets the connection read freely again.
    pub(super) fn read_freely(&self) {
        self.0.set(Mode::Open { turn_left: OPEN_TURN_BYTES });
    }

    /// Lets the connection read so many bytes and then stop until the next call; the caller makes sure that it is
    /// polled again.
    pub(super) fn allow(&self, bytes: usize) {
        self.0.set(Mode::Metered { left: bytes });
    }

    /// Lets the connection read nothing until the next call.
    pub(super) fn suspend(&self) {
        self.allow(0);
    }

    /// Whether the last allowance is used up, so that only a new one makes the socket read on.
    pub(super) fn is_used_up(&self) -> bool {
        matches!(self.0.get(), Mode::Metered { left: 0 })
    }

    /// Throws away what a client that was answered early still sends, within bounds.
    pub(super) fn discard(&self, bytes: u64, within: Duration) {
        self.0.set(Mode::Discard { left: bytes, until: Instant::now() + within });
    }

    /// Pretends that the client has closed, so that the server library closes the connection once all is written
    /// instead of waiting for the client to do so.
    pub(super) fn hang_up(&self) {
        self.discard(0, Duration::ZERO);
    }

    /// How much may be read now; `None` for none, `Some(0)` for "pretend the end".
    fn room(&self, context: &mut Context<'_>) -> Option<usize> {
        match self.0.get() {
            Mode::Open { turn_left: 0 } => {
                self.read_freely();
                yield_turn(context);
                None
            }
            Mode::Open { turn_left } => Some(turn_left),
            Mode::Metered { left: 0 } => None,
            Mode::Metered { left } => Some(left),
            Mode::Discard { left, until } => {
                if left == 0 || Instant::now() >= until {
                    return Some(0);
                }
                Some(usize::try_from(left).unwrap_or(OPEN_TURN_BYTES).min(OPEN_TURN_BYTES))
            }
        }
    }

    fn count_read(&self, bytes: usize) {
        let mode = match self.0.get() {
            Mode::Open { turn_left } => Mode::Open { turn_left: turn_left.saturating_sub(bytes) },
            Mode::Metered { left } => Mode::Metered { left: left.saturating_sub(bytes) },
            Mode::Discard { left, until } => {
                Mode::Discard { left: left.saturating_sub(u64::try_from(bytes).unwrap_or(u64::MAX)), until }
            }
        };
        self.0.set(mode);
    }

    fn socket_is_drained(&self) {
        if let Mode::Open { .. } = self.0.get() {
            self.read_freely();
        }
    }
}

/// Asks to be polled again after everybody else, the network driver included, had a turn.
fn yield_turn(context: &mut Context<'_>) {
    let _pending = pin!(tokio::task::yield_now()).poll(context);
}

/// A socket that reads no more than its permit allows.
pub(super) struct Connection {
    stream: TcpStream,
    permit: Rc<ReadPermit>,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, permit: Rc::default() }
    }

    pub(super) fn permit(&self) -> &Rc<ReadPermit> {
        &self.permit
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let room = match self.permit.room(context) {
            None => return Poll::Pending,
            Some(0) => return Poll::Ready(Ok(())),
            Some(room) => room,
        };
        let this = &mut *self;
        if buffer.remaining() <= room {
            let before = buffer.filled().len();
            let Poll::Ready(outcome) = Pin::new(&mut this.stream).poll_read(context, buffer) else {
                this.permit.socket_is_drained();
                return Poll::Pending;
            };
            this.permit.count_read(buffer.filled().len() - before);
            return Poll::Ready(outcome);
        }
        // Only part of the buffer may be filled: read into a limited view of it.
        let mut limited = ReadBuf::new(buffer.initialize_unfilled_to(room));
        ready!(Pin::new(&mut this.stream).poll_read(context, &mut limited))?;
        let taken = limited.filled().len();
        this.permit.count_read(taken);
        buffer.advance(taken);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
