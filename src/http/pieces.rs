//! A body that is written piece by piece, each flushed before the next. The server library keeps the buffer of a connection as large
//! as the largest answer made it: clients that rest after a long answer would each hold on to as much memory.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use bytes::Bytes;

/// Bytes of a piece: with the head of an answer, less than a connection's buffer has from the beginning.
const PIECE: usize = 3 * 1024;
/// Shorter bodies are written at once.
const SHORT: usize = 6 * 1024;

/// A body of several pieces.
struct Pieces {
    rest: Bytes,
    /// Whether a piece was handed over that is to be flushed first.
    is_flushing: bool,
}

/// A body as a connection with small buffers sends it.
pub fn body(bytes: impl Into<Bytes>) -> BoxBody {
    let bytes = bytes.into();
    if bytes.len() <= SHORT { BoxBody::new(bytes) } else { BoxBody::new(Pieces { rest: bytes, is_flushing: false }) }
}

impl MessageBody for Pieces {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(u64::try_from(self.rest.len()).unwrap_or(u64::MAX))
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        self.is_flushing = !self.is_flushing;
        if !self.is_flushing {
            // The server library writes what it has whenever a body makes it wait.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let length = PIECE.min(self.rest.len());
        Poll::Ready(Some(Ok(self.rest.split_to(length))))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::task::noop_waker_ref;

    use super::*;

    #[test]
    fn a_long_body_comes_in_pieces_and_is_whole() {
        let long: Vec<u8> = (0..20_000_u32).map(|number| number.to_le_bytes()[0]).collect();
        for (bytes, pieces) in [(&long[..], 7), (&long[..SHORT], 1), (&long[..SHORT + 1], 3)] {
            let mut body = body(bytes.to_vec());
            assert_eq!(body.size(), BodySize::Sized(u64::try_from(bytes.len()).expect("a length")));
            let mut context = Context::from_waker(noop_waker_ref());
            let (mut received, mut count) = (Vec::new(), 0);
            loop {
                match Pin::new(&mut body).poll_next(&mut context) {
                    Poll::Ready(Some(piece)) => {
                        received.extend_from_slice(&piece.expect("no error"));
                        count += 1;
                    }
                    Poll::Ready(None) => break,
                    Poll::Pending => {}
                }
            }
            assert_eq!((received.as_slice(), count), (bytes, pieces));
        }
    }
}
