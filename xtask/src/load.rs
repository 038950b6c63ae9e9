//! A light load generator: one thread, non-blocking sockets, prepared requests repeated over keep-alive connections.
//! It is made to cost far less than any server it measures.

use std::{
    io::{ErrorKind, Read, Write},
    net::SocketAddr,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use mio::{Events, Interest, Poll, Token, net::TcpStream};

use crate::statistics::{percentile, real, sorted};

/// What a round measured.
#[derive(Debug, Default)]
pub struct Round {
    /// Answers with the expected status.
    pub answered: usize,
    /// Answers with another status.
    pub refused: usize,
    /// From the first request to the last answer.
    pub elapsed: Duration,
    /// Of each request, in microseconds.
    pub latencies_us: Vec<f64>,
}

impl Round {
    /// Answers a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        real(self.answered) / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// A percentile of the latency in microseconds.
    #[must_use]
    pub fn latency_us(&self, share: f64) -> f64 {
        percentile(&sorted(self.latencies_us.clone()), share)
    }
}

struct Lane<'a> {
    stream: TcpStream,
    /// Sent one after the other, and then again from the first.
    requests: &'a [Vec<u8>],
    next: usize,
    received: Vec<u8>,
    sent: usize,
    begun: Instant,
    /// Whether it has had its last answer; what is reported of it later is no answer.
    is_done: bool,
}

/// Where an answer ends, once all of it is there, and its status.
fn whole_answer(received: &[u8]) -> Option<(usize, u16)> {
    let head_end = received.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = received.get(..head_end)?;
    let status = std::str::from_utf8(head.get(9..12)?).ok()?.parse().ok()?;
    let mut length = 0;
    for line in head.split(|byte| *byte == b'\n') {
        let name = line.get(..15).unwrap_or_default();
        if name.eq_ignore_ascii_case(b"content-length:") {
            length = std::str::from_utf8(line.get(15..)?).ok()?.trim().parse().ok()?;
        }
    }
    (received.len() >= head_end + length).then_some((head_end + length, status))
}

/// Repeat a request over that many connections for that long.
pub fn keep_alive(
    address: SocketAddr,
    request: &[u8],
    expected: u16,
    connections: usize,
    time: Duration,
) -> Result<Round> {
    keep_alive_each(address, &vec![vec![request.to_vec()]; connections], expected, time)
}

/// Repeat requests for that long: a connection for each list, its requests one after the other.
pub fn keep_alive_each(address: SocketAddr, lists: &[Vec<Vec<u8>>], expected: u16, time: Duration) -> Result<Round> {
    ensure!(address.ip().is_loopback(), "{address} is not a loopback address");
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(lists.len().max(16));
    let mut lanes = Vec::new();
    for (place, requests) in lists.iter().enumerate() {
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        poll.registry().register(&mut stream, Token(place), Interest::READABLE | Interest::WRITABLE)?;
        let received = Vec::with_capacity(4_096);
        lanes.push(Lane { stream, requests, next: 0, received, sent: 0, begun: Instant::now(), is_done: false });
    }
    let mut round = Round { latencies_us: Vec::with_capacity(200_000), ..Round::default() };
    let begun = Instant::now();
    let deadline = begun + time;
    let mut buffer = vec![0_u8; 65_536];
    let mut open = lanes.len();
    while open > 0 {
        poll.poll(&mut events, Some(Duration::from_secs(5)))?;
        ensure!(begun.elapsed() < time + Duration::from_secs(10), "a server stopped answering under load");
        for event in &events {
            let Some(lane) = lanes.get_mut(event.token().0) else { continue };
            if !lane.is_done && step(lane, expected, &mut buffer, &mut round, deadline)? {
                lane.is_done = true;
                open -= 1;
            }
        }
    }
    round.elapsed = begun.elapsed();
    Ok(round)
}

/// Do what can be done on one connection; true once it has had its last answer.
fn step(lane: &mut Lane<'_>, expected: u16, buffer: &mut [u8], round: &mut Round, deadline: Instant) -> Result<bool> {
    loop {
        let request: &[u8] = lane.requests.get(lane.next).map_or(&[], Vec::as_slice);
        while lane.sent < request.len() {
            if lane.sent == 0 {
                lane.begun = Instant::now();
            }
            match lane.stream.write(request.get(lane.sent..).unwrap_or_default()) {
                Ok(written) => lane.sent += written,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
        let status = loop {
            if let Some((end, status)) = whole_answer(&lane.received) {
                lane.received.drain(..end);
                break status;
            }
            match lane.stream.read(buffer) {
                Ok(0) => anyhow::bail!("the server closed a keep-alive connection under load"),
                Ok(read) => lane.received.extend_from_slice(buffer.get(..read).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        };
        if status == expected {
            round.answered += 1;
            round.latencies_us.push(lane.begun.elapsed().as_secs_f64() * 1e6);
        } else {
            round.refused += 1;
        }
        lane.sent = 0;
        lane.next = if lane.next + 1 < lane.requests.len() { lane.next + 1 } else { 0 };
        if Instant::now() >= deadline {
            return Ok(true);
        }
    }
}

/// An answer among many that were asked for at once.
#[derive(Debug)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
    /// From the first byte written to the last one read.
    pub latency: Duration,
}

/// Sends every request at once, each over a connection of its own that was opened before, and waits for all answers; they are in
/// the order of the requests. Gives the time from the first byte to the last answer too.
pub fn at_once(address: SocketAddr, requests: &[Vec<u8>], patience: Duration) -> Result<(Vec<Answered>, Duration)> {
    ensure!(address.ip().is_loopback(), "{address} is not a loopback address");
    let mut poll = Poll::new()?;
    let mut lanes = Vec::with_capacity(requests.len());
    for (place, request) in requests.iter().enumerate() {
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        poll.registry().register(&mut stream, Token(place), Interest::READABLE)?;
        lanes.push((stream, request, Vec::new(), Instant::now(), None));
    }
    let begun = Instant::now();
    for (stream, request, _, sent_at, _) in &mut lanes {
        *sent_at = Instant::now();
        // A small request fits into the buffer of a connection that has sent nothing.
        ensure!(stream.write(request)? == request.len(), "a request of {} bytes is too large", request.len());
    }
    let mut events = Events::with_capacity(1_024);
    let mut buffer = vec![0_u8; 65_536];
    let mut open = lanes.len();
    while open > 0 {
        poll.poll(&mut events, Some(Duration::from_secs(1)))?;
        ensure!(
            begun.elapsed() < patience,
            "{open} of {} requests were not answered within {patience:?}",
            requests.len()
        );
        for event in &events {
            let Some((stream, _, received, sent_at, answer)) = lanes.get_mut(event.token().0) else { continue };
            loop {
                match stream.read(&mut buffer) {
                    Ok(0) => {
                        ensure!(answer.is_some(), "the server closed a connection before it answered");
                        break;
                    }
                    Ok(read) => received.extend_from_slice(buffer.get(..read).unwrap_or_default()),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) => return Err(error.into()),
                }
            }
            if answer.is_none()
                && let Some((end, status)) = whole_answer(received)
            {
                let head = received.windows(4).position(|window| window == b"\r\n\r\n").map_or(0, |place| place + 4);
                let body = received.get(head..end).unwrap_or_default().to_vec();
                *answer = Some(Answered { status, body, latency: sent_at.elapsed() });
                open -= 1;
            }
        }
    }
    let elapsed = begun.elapsed();
    Ok((lanes.into_iter().filter_map(|(.., answer)| answer).collect(), elapsed))
}

#[cfg(test)]
mod tests {
    use super::whole_answer;

    #[test]
    fn answers_are_cut_where_they_end() {
        let text = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP";
        assert_eq!(whole_answer(text), Some((text.len() - 4, 200)));
        assert_eq!(whole_answer(&text[..text.len() - 5]), None);
        assert_eq!(whole_answer(b"HTTP/1.1 20"), None);
    }
}
