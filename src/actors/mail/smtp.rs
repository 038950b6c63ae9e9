//! Sending by a mail server (RFC 5321), over one connection that is kept while messages wait.
//!
//! The steps are taken one by one, so that it is known how far a message came: until its last line has been sent it cannot
//! have been accepted, after that only the server's answer tells.

use std::time::Duration;

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Quit, Rcpt, Rset};
use lettre::transport::smtp::extension::ClientId;

use super::Delivery;
use super::message::Composed;
use crate::domain::mail::{SmtpSecurity, SmtpServer};

/// How long each step may take.
#[derive(Debug, Clone, Copy)]
pub struct SmtpLimits {
    /// Connecting, TLS and log-in together.
    pub connect: Duration,
    /// A command, and sending the message.
    pub command: Duration,
    /// The answer to the end of the message (RFC 5321, 4.5.3.2.6: ten minutes).
    pub end: Duration,
}

impl Default for SmtpLimits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), command: Duration::from_secs(60), end: Duration::from_secs(600) }
    }
}

/// How long a good-bye may take.
const QUIT: Duration = Duration::from_secs(2);

/// A mail server, and the connection to it while there is one.
pub struct Smtp {
    server: SmtpServer,
    hello: ClientId,
    limits: SmtpLimits,
    connection: Option<AsyncSmtpConnection>,
    /// Whether a message went over the connection already, so that the server may have grown tired of it.
    is_used: bool,
}

/// How far a message came.
enum Step {
    /// The server refused a command.
    Refused(Error),
    /// The connection failed before the message was at its end.
    Broken(String),
}

impl Smtp {
    /// A server that is not connected to yet; `host` is the name this service gives itself.
    pub fn new(server: SmtpServer, host: &str, limits: SmtpLimits) -> Self {
        let hello = ClientId::Domain(host.to_owned());
        Self { server, hello, limits, connection: None, is_used: false }
    }

    /// Connects and logs in, unless that is done; an error says why that failed.
    pub async fn connect(&mut self) -> Result<(), String> {
        if self.connection.is_some() {
            return Ok(());
        }
        let connecting = connect(&self.server, &self.hello, self.limits.connect);
        let connection = match tokio::time::timeout(self.limits.connect, connecting).await {
            Ok(connected) => connected.map_err(|error| error.to_string())?,
            Err(_) => return Err("the mail server does not answer".to_owned()),
        };
        (self.connection, self.is_used) = (Some(connection), false);
        Ok(())
    }

    /// Sends a message over the connection.
    pub async fn send(&mut self, message: &Composed) -> Delivery {
        let mut begun = self.begin(message).await;
        if self.is_used && begun.as_ref().is_err_and(Step::is_end_of_connection) {
            // The server closed what was kept; of this message nothing was sent.
            self.connection = None;
            begun = match self.connect().await {
                Ok(()) => self.begin(message).await,
                Err(error) => return Delivery::NotSent(error),
            };
        }
        match begun {
            Ok(()) => self.finish(message).await,
            Err(Step::Broken(error)) => {
                self.connection = None;
                Delivery::Dropped(error)
            }
            Err(Step::Refused(error)) => {
                if self.command(Rset).await.is_err() {
                    self.connection = None;
                }
                refused(&error).unwrap_or_else(|| Delivery::Dropped(error.to_string()))
            }
        }
    }

    /// Says good-bye: nothing waits.
    pub async fn rest(&mut self) {
        if let Some(mut connection) = self.connection.take() {
            // What the server answers changes nothing.
            let _ = tokio::time::timeout(QUIT, connection.command(Quit)).await;
        }
    }

    /// Everything up to the message itself.
    async fn begin(&mut self, message: &Composed) -> Result<(), Step> {
        self.command(Mail::new(message.envelope.from().cloned(), Vec::new())).await?;
        for to in message.envelope.to() {
            self.command(Rcpt::new(to.clone(), Vec::new())).await?;
        }
        self.command(Data).await
    }

    async fn command<C: std::fmt::Display>(&mut self, command: C) -> Result<(), Step> {
        let Some(connection) = &mut self.connection else { return Err(Step::Broken("not connected".to_owned())) };
        match tokio::time::timeout(self.limits.command, connection.command(command)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) if error.is_transient() || error.is_permanent() => Err(Step::Refused(error)),
            Ok(Err(error)) => Err(Step::Broken(error.to_string())),
            Err(_) => Err(Step::Broken("the mail server stopped answering".to_owned())),
        }
    }

    /// The message, and what the server says to its end.
    async fn finish(&mut self, message: &Composed) -> Delivery {
        let Some(mut connection) = self.connection.take() else { return Delivery::NotSent("not connected".to_owned()) };
        let Some(text) = terminated(&message.bytes) else {
            return Delivery::RefusedForGood("the message is not plain ASCII".to_owned());
        };
        let limit = self.limits.command + self.limits.end;
        let answer = match tokio::time::timeout(limit, connection.command(text)).await {
            Ok(answer) => answer,
            Err(_) => return Delivery::Lost("the mail server did not answer to the end of the message".to_owned()),
        };
        let delivery = match answer {
            Ok(_) => Delivery::Sent,
            Err(error) => match refused(&error) {
                Some(refused) => refused,
                // The last line may have been sent: the message may have been accepted.
                None => return Delivery::Lost(error.to_string()),
            },
        };
        (self.connection, self.is_used) = (Some(connection), true);
        delivery
    }
}

/// A message with its final dot, and one more dot before every line that begins with one (RFC 5321, 4.5.2). It is written
/// in one go: in two, the second would wait for the server's delayed acknowledgement of the first. None when a byte is not
/// ASCII, which no message of ours has.
fn terminated(message: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(message).ok().filter(|text| text.is_ascii())?;
    let mut terminated = String::with_capacity(text.len() + 64);
    for line in text.strip_suffix("\r\n").unwrap_or(text).split("\r\n") {
        if line.starts_with('.') {
            terminated.push('.');
        }
        terminated.push_str(line);
        terminated.push_str("\r\n");
    }
    terminated.push_str(".\r\n");
    Some(terminated)
}

impl Step {
    /// Whether the server no longer wants the connection.
    fn is_end_of_connection(&self) -> bool {
        match self {
            Self::Broken(_) => true,
            Self::Refused(error) => error.status().is_some_and(|code| u16::from(code) == 421),
        }
    }
}

/// What a refusal by the server means for the message; none when it was no refusal.
fn refused(error: &Error) -> Option<Delivery> {
    match (error.is_transient(), error.is_permanent()) {
        (true, _) => Some(Delivery::RefusedForNow(error.to_string())),
        (_, true) => Some(Delivery::RefusedForGood(error.to_string())),
        _ => None,
    }
}

async fn connect(server: &SmtpServer, hello: &ClientId, limit: Duration) -> Result<AsyncSmtpConnection, Error> {
    let address = (server.host.as_str(), server.port);
    let tls = || TlsParameters::new(server.host.clone());
    let at_once = if server.security == SmtpSecurity::Tls { Some(tls()?) } else { None };
    let mut connection = AsyncSmtpConnection::connect_tokio1(address, Some(limit), hello, at_once, None).await?;
    if server.security == SmtpSecurity::StartTls {
        connection.starttls(tls()?, hello).await?;
    }
    if let Some((user, password)) = &server.credentials {
        let credentials = Credentials::new(user.clone(), password.clone());
        connection.auth(&[Mechanism::Plain, Mechanism::Login], &credentials).await?;
    }
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::terminated;

    #[test]
    fn a_line_that_begins_with_a_dot_does_not_end_the_message() {
        assert_eq!(terminated(b"A: b\r\n\r\n.\r\n..x\r\ny.").unwrap(), "A: b\r\n\r\n..\r\n...x\r\ny.\r\n.\r\n");
        assert_eq!(terminated(b".a\r\n").unwrap(), "..a\r\n.\r\n");
        assert_eq!(terminated("\u{e9}".as_bytes()), None);
    }
}
