//! A body that is written piece by piece, each flushed before the next. The server library keeps the buffer of a connection as large
//! as the largest answer made it: clients that rest after a long answer would each hold on to as much memory.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use bytes::Bytes;

/// Bytes of a piece: with the head of an answer, less than a connection's buffer has from the beginning.
const PIECE: usize = 3 * 1024;
/// The same for answers of which most are far longer; with the head, the buffer grows once.
const LONG_PIECE: usize = 8 * 1024;
/// Shorter bodies are written at once.
const SHORT: usize = 6 * 1024;

/// A body of several pieces.
struct Pieces<const PARTS: usize> {
    rest: [Bytes; PARTS],
    /// Bytes of a piece.
    piece: usize,
    /// Bytes handed over since the last flush.
    unflushed: usize,
}

/// A body as a connection with small buffers sends it.
pub fn body(bytes: impl Into<Bytes>) -> BoxBody {
    let bytes = bytes.into();
    if bytes.len() <= SHORT { BoxBody::new(bytes) } else { of([bytes]) }
}

/// A body of an answer of whatever kind: one that is there already is sent in pieces as large as a connection's buffer, all others make
/// pieces themselves.
pub fn of_long(body: BoxBody) -> BoxBody {
    match body.try_into_bytes() {
        Ok(bytes) => BoxBody::new(Pieces { rest: [bytes], piece: LONG_PIECE, unflushed: 0 }),
        Err(body) => body,
    }
}

/// A body of parts that follow each other, of which long ones may be shared between answers.
pub fn of<const PARTS: usize>(parts: [Bytes; PARTS]) -> BoxBody {
    BoxBody::new(Pieces { rest: parts, piece: PIECE, unflushed: 0 })
}

impl<const PARTS: usize> MessageBody for Pieces<PARTS> {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.rest.iter().map(|part| u64::try_from(part.len()).unwrap_or(u64::MAX)).sum())
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let room = self.piece.saturating_sub(self.unflushed);
        let Some(part) = self.rest.iter_mut().find(|part| !part.is_empty()) else { return Poll::Ready(None) };
        if room == 0 {
            // The server library writes what it has whenever a body makes it wait.
            self.unflushed = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let bytes = part.split_to(room.min(part.len()));
        self.unflushed += bytes.len();
        Poll::Ready(Some(Ok(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::task::noop_waker_ref;

    use super::*;

    #[test]
    fn a_long_body_comes_in_pieces_and_is_whole() {
        let long: Vec<u8> = (0..20_000_u32).map(|number| number.to_le_bytes()[0]).collect();
        let of_parts = |bytes: &[u8], places: [usize; 2]| {
            let part = |from: usize, to: usize| Bytes::copy_from_slice(&bytes[from..to]);
            of([part(0, places[0]), part(places[0], places[1]), part(places[1], bytes.len())])
        };
        for (bytes, mut body, flushes) in [
            (&long[..], body(long.clone()), 6),
            (&long[..SHORT], body(long[..SHORT].to_vec()), 0),
            (&long[..SHORT + 1], body(long[..SHORT + 1].to_vec()), 2),
            (&long[..], of_parts(&long, [50, 19_999]), 6),
            (&long[..], of_parts(&long, [PIECE, PIECE]), 6),
            (&long[..9], of_parts(&long[..9], [0, 9]), 0),
            (&long[..], of_long(BoxBody::new(long.clone())), 2),
        ] {
            assert_eq!(body.size(), BodySize::Sized(u64::try_from(bytes.len()).expect("a length")));
            let mut context = Context::from_waker(noop_waker_ref());
            let (mut received, mut count) = (Vec::new(), 0);
            loop {
                match Pin::new(&mut body).poll_next(&mut context) {
                    Poll::Ready(Some(piece)) => received.extend_from_slice(&piece.expect("no error")),
                    Poll::Ready(None) => break,
                    Poll::Pending => count += 1,
                }
            }
            assert_eq!((received.as_slice(), count), (bytes, flushes));
        }
    }
}
