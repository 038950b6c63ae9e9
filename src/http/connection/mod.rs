//! A connection of the public listener, as far as its socket is concerned: how much is read from it and when (`permit`), what it is
//! doing and until when it may (`watch`).
//!
//! The server library reads ahead up to 128 KiB a connection, and goes on doing so while no handler takes the body. A
//! thousand refused uploads would then hold far more than is promised. So the socket is wrapped: each turn of a
//! connection reads a bounded piece and lets others go first, a request whose body waits reads nothing at all (TCP
//! makes the sender wait), and after an early answer only so much is thrown away before the connection is closed. Nor is
//! anything read while a request is carried out or the client does not take its answer. Of requests that come together the library,
//! which would take as many as sixteen apart beforehand, is given one at a time.

mod answered;
mod permit;
mod watch;

use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::LazyLock;
use std::task::{Context, Poll, ready};

use memchr::memmem;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

pub(super) use answered::{Parts, answered};
use permit::FIRST_READ_BYTES;
pub(super) use permit::{FRUGAL_TURN_BYTES, ReadPermit};
pub(super) use watch::{Deadlines, Watch, Watched};

/// What a head ends with (RFC 9112, section 2.1).
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
/// Looks for it; made once, because it is looked for in every request.
static FINDER: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(END_OF_HEAD));

/// A socket that reads no more than its permit allows, and ends when it has taken too long.
pub(super) struct Connection {
    stream: TcpStream,
    permit: Rc<ReadPermit>,
    watched: Rc<Watched>,
    /// What was read with a head and comes after it.
    held_back: Vec<u8>,
}

impl Connection {
    pub(super) fn new(stream: TcpStream, watch: &Rc<Watch>) -> Self {
        let permit = Rc::<ReadPermit>::default();
        let watched = watch.watched(Rc::clone(&permit));
        Self { stream, permit, watched, held_back: Vec::new() }
    }

    pub(super) fn permit(&self) -> &Rc<ReadPermit> {
        &self.permit
    }

    pub(super) fn watched(&self) -> &Rc<Watched> {
        &self.watched
    }

    /// Notes what was read, and what that says of the connection.
    fn note_read(&self, bytes: usize) {
        if bytes > 0 && self.permit.is_open() {
            self.watched.note_head();
        }
        self.permit.count_read(bytes);
    }

    /// How much of what was read the server library is given: of several requests without bodies the first.
    fn given(&self, read: &[u8]) -> usize {
        // Most that begin so have a body, which is not worth holding back.
        let has_body = read.first() == Some(&b'P');
        if has_body || !self.permit.is_open() || !self.watched.expects_head() {
            return read.len();
        }
        FINDER.find(read).map_or(read.len(), |at| at + END_OF_HEAD.len())
    }

    /// Gives what was held back as if it were read now.
    fn give_held_back(&mut self, buffer: &mut ReadBuf<'_>, piece_bytes: usize) {
        let length = self.held_back.len().min(piece_bytes).min(buffer.remaining());
        let given = self.given(self.held_back.get(..length).unwrap_or_default());
        buffer.put_slice(self.held_back.get(..given).unwrap_or_default());
        self.held_back.drain(..given);
        if given < length {
            self.watched.hold_back();
        }
        if self.held_back.is_empty() {
            self.held_back = Vec::new();
        }
        self.note_read(given);
    }

    /// Writes bytes of the server library and, in the same go, what follows them; how many of the former were written.
    fn write(&mut self, bytes: &[u8], context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let Self { stream, watched, .. } = self;
        let write = |slices: &[IoSlice<'_>]| match slices {
            [one] => Pin::new(&mut *stream).poll_write(context, one),
            several => Pin::new(&mut *stream).poll_write_vectored(context, several),
        };
        let written = watched.outgoing().write(bytes, write);
        match &written {
            Poll::Pending if watched.is_cut() => {
                // What is not read is thrown away, or the system would go on holding it.
                let _best_effort = stream.set_zero_linger();
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            Poll::Pending => watched.note_unread(context),
            Poll::Ready(_) => watched.note_written(),
        }
        written
    }

    /// There is nothing to read now.
    fn note_drained(&self, context: &Context<'_>) -> Poll<io::Result<()>> {
        self.permit.socket_is_drained();
        self.permit.remember(context);
        Poll::Pending
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.watched.is_cut() {
            // As if the client had closed: the server library closes the connection in its turn.
            return Poll::Ready(Ok(()));
        }
        if self.permit.is_open() && self.watched.is_occupied() {
            self.permit.wait(context);
            return Poll::Pending;
        }
        let piece_bytes = match self.permit.piece_bytes(buffer.remaining(), context) {
            None => {
                self.permit.wait(context);
                return Poll::Pending;
            }
            Some(0) => return Poll::Ready(Ok(())),
            Some(piece_bytes) => piece_bytes,
        };
        let this = &mut *self;
        if !this.held_back.is_empty() {
            this.give_held_back(buffer, piece_bytes);
            return Poll::Ready(Ok(()));
        }
        if buffer.remaining() <= piece_bytes {
            let before = buffer.filled().len();
            let Poll::Ready(outcome) = Pin::new(&mut this.stream).poll_read(context, buffer) else {
                return this.note_drained(context);
            };
            this.note_read(buffer.filled().len() - before);
            return Poll::Ready(outcome);
        }
        // Clearing much for a socket that has nothing would be in vain.
        if piece_bytes > FIRST_READ_BYTES && this.stream.poll_read_ready(context)?.is_pending() {
            return this.note_drained(context);
        }
        // Only part of the buffer may be filled: read into a limited view of it.
        let mut limited = ReadBuf::new(buffer.initialize_unfilled_to(piece_bytes));
        let Poll::Ready(outcome) = Pin::new(&mut this.stream).poll_read(context, &mut limited) else {
            return this.note_drained(context);
        };
        outcome?;
        let read = limited.filled();
        let given = this.given(read);
        if given < read.len() {
            this.held_back.extend_from_slice(read.get(given..).unwrap_or_default());
            this.watched.hold_back();
        }
        this.note_read(given);
        buffer.advance(given);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.write(bytes, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.watched.outgoing().is_empty() {
            ready!(self.write(&[], context))?;
        }
        if self.watched.outgoing().was_drained() {
            // The body goes on, or ends.
            self.watched.wake();
        }
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use bytes::{Bytes, BytesMut};
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpListener;

    use super::permit::FREE_BYTES_MIN;
    use super::*;

    /// Reads all there is, as the server library does: room is made before each read, and nothing is consumed meanwhile.
    fn read_available(connection: &mut Connection, buffer: &mut BytesMut, context: &mut Context<'_>) -> bool {
        loop {
            let free_bytes = buffer.capacity() - buffer.len();
            if free_bytes < FREE_BYTES_MIN {
                buffer.reserve(8 * 1024 - free_bytes);
            }
            let mut scratch = vec![0; buffer.capacity() - buffer.len()];
            let mut piece = ReadBuf::new(&mut scratch);
            match Pin::new(&mut *connection).poll_read(context, &mut piece) {
                Poll::Pending => return false,
                Poll::Ready(outcome) => outcome.unwrap(),
            }
            if piece.filled().is_empty() {
                return true;
            }
            buffer.extend_from_slice(piece.filled());
        }
    }

    /// How large the buffer of the server library grows while a body arrives in irregular pieces and is consumed turn by
    /// turn, beside a head that holds the first buffer.
    async fn largest_buffer() -> usize {
        let sent: Vec<u8> = (0..1_000_000_u32).map(|at| u8::try_from(at % 251).unwrap()).collect();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut sender = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let permit = Rc::<ReadPermit>::default();
        let watched = Rc::new(Watched::new(Rc::default(), Rc::clone(&permit)));
        let mut connection =
            Connection { stream: listener.accept().await.unwrap().0, permit, watched, held_back: Vec::new() };
        let to_send = sent.clone();
        let sending = tokio::spawn(async move {
            let mut rest = to_send.as_slice();
            for size in [1, 7_000, 900, 20_000, 1_100, 3_333, 64].into_iter().cycle() {
                let Some((piece, later)) = rest.split_at_checked(size) else { break };
                sender.write_all(piece).await.unwrap();
                rest = later;
                tokio::task::yield_now().await;
            }
            sender.write_all(rest).await.unwrap();
        });
        let permit = Rc::clone(connection.permit());
        let (mut buffer, mut received, mut largest) = (BytesMut::with_capacity(8 * 1024), Vec::new(), 0);
        let mut head = Bytes::new();
        permit.allow(FRUGAL_TURN_BYTES);
        poll_fn(|context| {
            let ended = read_available(&mut connection, &mut buffer, context);
            largest = largest.max(buffer.capacity());
            let consumed = buffer.split().freeze();
            received.extend_from_slice(&consumed);
            if head.is_empty() {
                head = consumed;
            }
            if permit.is_used_up() {
                permit.allow(FRUGAL_TURN_BYTES);
                context.waker().wake_by_ref();
            }
            if ended { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        sending.await.unwrap();
        assert!(received == sent);
        largest
    }

    #[tokio::test]
    async fn a_body_that_is_thrown_away_lets_no_buffer_grow() {
        assert!(largest_buffer().await < 10 * 1024);
    }
}
