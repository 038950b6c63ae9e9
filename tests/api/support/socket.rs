//! The progress socket, seen from a browser.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;
use tungstenite::client::IntoClientRequest as _;
use tungstenite::handshake::client::Response;
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{Data, OpCode};
use tungstenite::{HandshakeError, Message, WebSocket};

use super::server::TestServer;

/// How long a message may take before the test says that none comes.
const MESSAGE_MAX: Duration = Duration::from_secs(20);

/// An open socket.
pub struct Socket {
    socket: WebSocket<TcpStream>,
    /// The handshake.
    pub response: Response,
}

/// A handshake that was refused.
#[derive(Debug)]
pub struct Refused {
    pub status: u16,
    pub body: Value,
    pub request_id: Option<String>,
}

/// Opens `/app/v1/progress` (with a query, if any) with these headers.
pub fn open(server: &TestServer, query: &str, headers: &[(&str, &str)]) -> Result<Socket, Refused> {
    let address = server.client.address().to_owned();
    let mut request = format!("ws://{address}/app/v1/progress{query}").into_client_request().expect("a request");
    for (name, value) in headers {
        let name: tungstenite::http::HeaderName = name.parse().expect("a header name");
        request.headers_mut().append(name, value.parse().expect("a header value"));
    }
    let stream = TcpStream::connect(&address).expect("connected");
    stream.set_read_timeout(Some(MESSAGE_MAX)).expect("set");
    match tungstenite::client(request, stream) {
        Ok((socket, response)) => Ok(Socket { socket, response }),
        Err(HandshakeError::Failure(tungstenite::Error::Http(response))) => {
            let request_id = response.headers().get("x-request-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
            let body = response.body().as_deref().unwrap_or_default();
            let body = serde_json::from_slice(body).unwrap_or_default();
            Err(Refused { status: response.status().as_u16(), body, request_id })
        }
        Err(error) => panic!("the handshake broke: {error}"),
    }
}

impl Socket {
    /// The next message of the service; pings are answered by the library.
    #[track_caller]
    pub fn next(&mut self) -> Value {
        loop {
            match self.socket.read().expect("a message") {
                Message::Text(text) => return serde_json::from_str(text.as_str()).expect("JSON"),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("an unexpected message: {other:?}"),
            }
        }
    }

    /// Reads until a message about this job has this status; all messages about it so far.
    #[track_caller]
    pub fn until(&mut self, id: &str, status: &str) -> Vec<Value> {
        let mut heard = Vec::new();
        loop {
            let message = self.next();
            if message["id"] == id {
                let is_last = message["status"] == status;
                heard.push(message);
                if is_last {
                    return heard;
                }
            }
        }
    }

    /// Sends a part of a message that goes on.
    #[track_caller]
    pub fn send_part(&mut self, is_first: bool, bytes: &[u8]) {
        self.send_frame(if is_first { Data::Text } else { Data::Continue }, false, bytes);
    }

    /// Sends the last part of a message.
    #[track_caller]
    pub fn end_message(&mut self, bytes: &[u8]) {
        self.send_frame(Data::Continue, true, bytes);
    }

    #[track_caller]
    fn send_frame(&mut self, kind: Data, is_last: bool, bytes: &[u8]) {
        let frame = Frame::message(bytes.to_vec(), OpCode::Data(kind), is_last);
        self.socket.send(Message::Frame(frame)).expect("sent");
    }

    /// Says goodbye, takes the answer and waits until the service has closed the connection.
    #[track_caller]
    pub fn close(mut self) {
        self.socket.close(None).expect("a goodbye");
        self.closed();
    }

    /// Waits until the service says goodbye and closes the connection; the code it gave.
    #[track_caller]
    pub fn closed(&mut self) -> Option<u16> {
        let mut code = None;
        loop {
            match self.socket.read() {
                Ok(Message::Close(frame)) => code = frame.map(|frame| frame.code.into()),
                Ok(_) => {}
                Err(tungstenite::Error::ConnectionClosed) => return code,
                // The goodbye was read; the answer to it found nobody.
                Err(tungstenite::Error::Io(_)) if code.is_some() => return code,
                Err(error) => panic!("the connection is not closed as it should be: {error}"),
            }
        }
    }
}
