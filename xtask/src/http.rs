//! A small blocking HTTP/1.1 client that says exactly what happened to a request: answered, never sent, or broken off.
//! It connects to loopback addresses only.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use serde_json::Value;

/// A server closes idle connections after five seconds; ours are not used again when nearly that old.
const IDLE_LIMIT: Duration = Duration::from_secs(3);

/// What a request was answered with.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// Header names in lower case, and their values.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Vec<u8>,
}

impl Reply {
    /// The first header of that (lower-case) name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null when it is not.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// Whether the service had bound its port and was not ready yet.
    fn is_of_a_start(&self) -> bool {
        self.status == 503 && self.json().pointer("/error/details/reason").is_some_and(|reason| reason == "starting")
    }

    /// `error.code` of the envelope, empty when there is none.
    #[must_use]
    pub fn error_code(&self) -> String {
        self.json().pointer("/error/code").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Status and the beginning of the body, for messages.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("{} {}", self.status, String::from_utf8_lossy(self.body.get(..300).unwrap_or(&self.body)))
    }
}

/// One request; the path begins with a slash.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The method in upper case.
    pub method: &'a str,
    /// Path and query.
    pub path: &'a str,
    /// Sent as the Bearer credential when it is given.
    pub bearer: Option<&'a str>,
    /// Other headers.
    pub headers: &'a [(&'a str, &'a str)],
    /// Sent as `application/json` with its length.
    pub body: Option<&'a [u8]>,
}

impl<'a> Request<'a> {
    /// A GET of a path.
    #[must_use]
    pub fn get(path: &'a str, bearer: Option<&'a str>) -> Self {
        Self { method: "GET", path, bearer, headers: &[], body: None }
    }

    /// A POST of a JSON body.
    #[must_use]
    pub fn post(path: &'a str, bearer: Option<&'a str>, body: &'a [u8]) -> Self {
        Self { method: "POST", path, bearer, headers: &[], body: Some(body) }
    }

    /// The bytes that go before the body.
    #[must_use]
    pub fn head(&self, host: SocketAddr) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\nHost: {host}\r\n", self.method, self.path);
        if let Some(bearer) = self.bearer {
            head.push_str(&format!("Authorization: Bearer {bearer}\r\n"));
        }
        for (name, value) in self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = self.body {
            head.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        head.into_bytes()
    }
}

/// A keep-alive connection that is opened when first needed and again after it broke.
#[derive(Debug)]
pub struct Connection {
    address: SocketAddr,
    timeout: Duration,
    stream: Option<(BufReader<TcpStream>, Instant)>,
}

impl Connection {
    /// A connection to a loopback address; any other is refused.
    pub fn new(address: SocketAddr, timeout: Duration) -> Result<Self> {
        ensure!(
            address.ip().is_loopback(),
            "{address} is not a loopback address; these tools never load another machine"
        );
        Ok(Self { address, timeout, stream: None })
    }

    /// Where it leads.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Send one request and read its whole answer. After an error the request may or may not have been carried out.
    pub fn send(&mut self, request: &Request<'_>) -> io::Result<Reply> {
        let mut reader = self.open()?;
        let head = request.head(self.address);
        let written = match request.body {
            // One segment for small requests: a delayed acknowledgement must not look like a slow server.
            Some(body) if body.len() <= 16_384 => reader.get_mut().write_all(&[head.as_slice(), body].concat()),
            Some(body) => reader.get_mut().write_all(&head).and_then(|()| reader.get_mut().write_all(body)),
            None => reader.get_mut().write_all(&head),
        };
        // A server that refuses early may close before it has read everything: its answer is still there to be read.
        let reply = match read_reply(&mut reader, request.method) {
            Ok(reply) => reply,
            Err(error) => return Err(written.err().unwrap_or(error)),
        };
        let closes = reply.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        if written.is_ok() && !closes {
            self.stream = Some((reader, Instant::now()));
        }
        Ok(reply)
    }

    /// As `send`, but tried again while the connection is refused or breaks or the service says that it is starting, until the
    /// deadline. Only for requests that are harmless to repeat.
    pub fn send_patiently(&mut self, request: &Request<'_>, patience: Duration) -> Result<Reply> {
        let deadline = Instant::now() + patience;
        loop {
            match self.send(request) {
                Ok(reply) if reply.is_of_a_start() && Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Ok(reply) => return Ok(reply),
                Err(error) if Instant::now() >= deadline => {
                    return Err(anyhow::Error::new(error)
                        .context(format!("{} {} was never answered", request.method, request.path)));
                }
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    fn open(&mut self) -> io::Result<BufReader<TcpStream>> {
        if let Some((reader, used)) = self.stream.take()
            && used.elapsed() < IDLE_LIMIT
        {
            return Ok(reader);
        }
        let stream = TcpStream::connect_timeout(&self.address, self.timeout)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(self.timeout))?;
        stream.set_write_timeout(Some(self.timeout))?;
        Ok(BufReader::with_capacity(65_536, stream))
    }
}

fn broken(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text.to_owned())
}

fn read_line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the connection ended inside an answer"));
    }
    Ok(line.trim_end().to_owned())
}

/// Read one answer: informational ones are passed over, bodies come with a length, in chunks or until the end.
pub fn read_reply(reader: &mut impl BufRead, method: &str) -> io::Result<Reply> {
    loop {
        let status_line = read_line(reader)?;
        let status: u16 = status_line
            .strip_prefix("HTTP/1.")
            .and_then(|rest| rest.split(' ').nth(1))
            .and_then(|code| code.parse().ok())
            .ok_or_else(|| broken("not an HTTP answer"))?;
        let mut reply = Reply { status, ..Reply::default() };
        loop {
            let line = read_line(reader)?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or_else(|| broken("a header without a colon"))?;
            reply.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        if (100..200).contains(&status) {
            continue;
        }
        if method == "HEAD" || status == 204 || status == 304 {
            return Ok(reply);
        }
        if reply.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
            read_chunks(reader, &mut reply.body)?;
        } else if let Some(length) = reply.header("content-length") {
            let length: u64 = length.parse().map_err(|_| broken("a length that is no number"))?;
            let read = reader.take(length).read_to_end(&mut reply.body)?;
            if u64::try_from(read).ok() != Some(length) {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the connection ended inside a body"));
            }
        } else {
            reader.read_to_end(&mut reply.body)?;
        }
        return Ok(reply);
    }
}

fn read_chunks(reader: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let line = read_line(reader)?;
        let size = line.split(';').next().unwrap_or_default();
        let size = u64::from_str_radix(size.trim(), 16).map_err(|_| broken("a chunk without a size"))?;
        if size == 0 {
            while !read_line(reader)?.is_empty() {}
            return Ok(());
        }
        let read = reader.take(size).read_to_end(body)?;
        if u64::try_from(read).ok() != Some(size) {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the connection ended inside a chunk"));
        }
        read_line(reader)?;
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead, BufReader, Write},
        net::TcpListener,
        thread,
        time::Duration,
    };

    use super::{Connection, Request};

    /// Answers each connection's requests with the given texts, one after the other, then closes.
    fn fake_server(answers: Vec<Vec<&'static str>>) -> std::net::SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for texts in answers {
                let (stream, _) = listener.accept().unwrap();
                let mut reader = BufReader::new(stream);
                for text in texts {
                    let mut line = String::new();
                    while reader.read_line(&mut line).unwrap() > 2 {
                        line.clear();
                    }
                    reader.get_mut().write_all(text.as_bytes()).unwrap();
                }
            }
        });
        address
    }

    #[test]
    fn answers_with_a_length_and_in_chunks_share_one_connection() {
        let address = fake_server(vec![vec![
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Request-Id: req_1\r\n\r\n{}",
            "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"err\r\nf\r\nor\":{\"code\":\"x\"\r\n2\r\n}}\r\n0\r\n\r\n",
        ]]);
        let mut connection = Connection::new(address, Duration::from_secs(5)).unwrap();
        let first = connection.send(&Request::get("/", None)).unwrap();
        assert_eq!((first.status, first.header("x-request-id")), (200, Some("req_1")));
        let second = connection.send(&Request::get("/", None)).unwrap();
        assert_eq!((second.status, second.error_code()), (404, "x".to_owned()));
    }

    #[test]
    fn a_connection_that_breaks_is_an_error_and_the_next_request_opens_another() {
        let address = fake_server(vec![
            vec!["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"],
            vec!["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"],
        ]);
        let mut connection = Connection::new(address, Duration::from_secs(5)).unwrap();
        assert!(connection.send(&Request::get("/", None)).is_err());
        assert_eq!(connection.send(&Request::get("/", None)).unwrap().status, 200);
    }

    #[test]
    fn only_loopback_addresses_are_accepted() {
        assert!(Connection::new("192.0.2.1:80".parse().unwrap(), Duration::from_secs(1)).is_err());
    }
}
