//! The body of an answer on its way out, past the buffer of the server library.
//!
//! The library copies what it writes into a buffer that it keeps as large as the largest answer made it: clients that rest after a long
//! answer would each hold on to as much memory, and those that read nothing to all of it. So a body of known length is handed to the
//! socket as it is: shared bytes stay shared, and the library sees the head and the end alone.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::error::Error;
use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::HttpResponse;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::header;
use actix_web::http::header::HeaderValue;
use bytes::{Buf as _, Bytes};

use super::watch::Watched;

/// Answers up to this length are not worth the way past the buffer.
const SHORT_BYTES: u64 = 1024;
/// A body that makes its parts as it goes is asked for no more once so much waits to leave: with the next part, which may be as long
/// again, it is what a client that does not read makes the service hold.
const QUEUED_BYTES: usize = 24 * 1024;
/// Parts written at once.
const PARTS_AT_ONCE: usize = 4;

/// What is to be written after what the server library has in its buffer.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    parts: RefCell<VecDeque<Bytes>>,
    /// Bytes that are kept in memory for what is here and for nobody else. Writing a part gives nothing back before its end.
    held: Cell<usize>,
    /// Whether something was put here since it was last asked.
    was_filled: Cell<bool>,
}

impl Outgoing {
    pub(super) fn is_empty(&self) -> bool {
        self.parts.borrow().is_empty()
    }

    /// How much memory what is here takes; what is shared with other answers does not count.
    pub(super) fn held(&self) -> usize {
        self.held.get()
    }

    pub(super) fn push(&self, part: Bytes) {
        if !part.is_empty() {
            if part.is_unique() {
                self.held.set(self.held.get() + part.len());
            }
            self.parts.borrow_mut().push_back(part);
            self.was_filled.set(true);
        }
    }

    /// Whether all that was put here has left; says so once.
    pub(super) fn was_drained(&self) -> bool {
        self.is_empty() && self.was_filled.take()
    }

    fn clear(&self) {
        self.held.set(0);
        self.parts.borrow_mut().clear();
    }

    /// Calls a writer with bytes that go before and with what is here; takes away from here what it wrote beyond the former. How many of
    /// the former were written.
    pub(super) fn write(
        &self,
        before: &[u8],
        write: impl FnOnce(&[IoSlice<'_>]) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let mut parts = self.parts.borrow_mut();
        let written = {
            let mut slices = [IoSlice::new(&[]); PARTS_AT_ONCE + 1];
            let all = std::iter::once(before).chain(parts.iter().map(|part| &part[..]));
            let mut count = 0;
            for (slice, bytes) in slices.iter_mut().zip(all.filter(|bytes| !bytes.is_empty())) {
                *slice = IoSlice::new(bytes);
                count += 1;
            }
            write(slices.get(..count).unwrap_or_default())
        };
        let Poll::Ready(Ok(written)) = written else { return written };
        if written == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        let mut beyond = written.saturating_sub(before.len());
        while let Some(part) = parts.front_mut().filter(|_| beyond > 0) {
            let length = beyond.min(part.len());
            part.advance(length);
            beyond -= length;
            if part.is_empty() {
                parts.pop_front();
            }
        }
        if parts.is_empty() {
            self.held.set(0);
        }
        Poll::Ready(Ok(written.min(before.len())))
    }
}

/// The body of an answer that is on its way: the connection is answering until all of it was taken or it is given up.
struct Answered {
    body: BoxBody,
    connection: Rc<Watched>,
    /// How much is still to come, where the body goes past the buffer.
    left: Option<u64>,
}

/// The answer as its connection takes it.
pub(in crate::http) fn answered(mut response: HttpResponse, connection: Rc<Watched>, is_head: bool) -> HttpResponse {
    let left = match response.body().size() {
        BodySize::Sized(length) if length > SHORT_BYTES && !is_head => {
            response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            response.head_mut().no_chunking(true);
            Some(length)
        }
        BodySize::Stream if !is_head => None,
        _ => {
            connection.end_answer();
            return response;
        }
    };
    response.map_body(|_, body| BoxBody::new(Answered { body, connection, left }))
}

impl MessageBody for Answered {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        // The length of one that goes past the buffer is in its head already.
        BodySize::Stream
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = &mut *self;
        let Some(left) = &mut this.left else { return Pin::new(&mut this.body).poll_next(context) };
        let outgoing = this.connection.outgoing();
        let mut queued = 0;
        while outgoing.is_empty() || queued > 0 {
            if *left == 0 {
                if outgoing.is_empty() {
                    return Poll::Ready(None);
                }
                break;
            }
            match Pin::new(&mut this.body).poll_next(context) {
                Poll::Ready(Some(Ok(part))) => {
                    let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
                    let Some(rest) = left.checked_sub(length) else { return Poll::Ready(Some(Err(of_other_length()))) };
                    *left = rest;
                    queued += part.len();
                    outgoing.push(part);
                    if queued >= QUEUED_BYTES {
                        break;
                    }
                }
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(None) => return Poll::Ready(Some(Err(of_other_length()))),
                Poll::Pending => break,
            }
        }
        // The server library flushes next, which writes what is queued, and is woken when that is gone.
        this.connection.remember(context);
        Poll::Pending
    }
}

fn of_other_length() -> Box<dyn Error> {
    io::Error::other("the body has another length than its head says").into()
}

impl Drop for Answered {
    fn drop(&mut self) {
        if self.left.is_some() {
            self.connection.outgoing().clear();
        }
        self.connection.end_answer();
    }
}

/// A body of parts that follow each other, of which long ones may be shared between answers.
pub(in crate::http) struct Parts<const COUNT: usize>(pub(in crate::http) [Bytes; COUNT]);

impl<const COUNT: usize> MessageBody for Parts<COUNT> {
    type Error = std::convert::Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.0.iter().map(|part| u64::try_from(part.len()).unwrap_or(u64::MAX)).sum())
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let part = self.0.iter_mut().find(|part| !part.is_empty()).map(std::mem::take);
        Poll::Ready(part.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_before_is_told_apart_from_what_follows() {
        let outgoing = Outgoing::default();
        for part in [&b"abc"[..], b"", b"defg", b"h"] {
            outgoing.push(Bytes::from_static(part));
        }
        let mut received = Vec::new();
        // A writer that takes so many bytes.
        let mut write = |before: &[u8], bytes: usize| {
            let written = outgoing.write(before, |slices| {
                let all: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
                let taken = all.len().min(bytes);
                received.extend_from_slice(&all[..taken]);
                Poll::Ready(Ok(taken))
            });
            match written {
                Poll::Ready(Ok(written)) => written,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(write(b"head ", 2), 2);
        assert_eq!(write(b"ad ", 7), 3);
        assert_eq!(write(b"", 2), 0);
        assert_eq!(write(b"", 100), 0);
        assert!(outgoing.was_drained() && !outgoing.was_drained());
        assert_eq!(write(b"end", 100), 3);
        assert_eq!(String::from_utf8(received).unwrap(), "head abcdefghend");
        assert!(matches!(outgoing.write(b"x", |_| Poll::Pending), Poll::Pending));
    }
}
