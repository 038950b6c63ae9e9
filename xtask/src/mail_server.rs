//! A small SMTP server that keeps what it accepts and does on demand what mail servers do wrong, for tests and faults.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How far a client came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// It connected.
    Greeting,
    /// A command: `EHLO`, `MAIL`, `RCPT`, `DATA`, …, with the whole line.
    Command(String),
    /// The first line of a message.
    Body,
    /// The final dot of a message with this `Message-ID`.
    End(String),
}

/// What the server does then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// What it should.
    Accept,
    /// It answers with this line instead.
    Say(&'static str),
    /// It closes the connection.
    Close,
    /// It takes the message and closes the connection without an answer.
    TakeAndClose,
    /// It answers nothing until it is stopped.
    Hang,
}

/// A message that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The `Message-ID`, without its brackets.
    pub message_id: String,
    /// The sender of the envelope.
    pub from: String,
    /// The recipients of the envelope.
    pub to: Vec<String>,
    /// The message.
    pub text: String,
}

/// What decides how the server reacts.
pub type Behaviour = Box<dyn FnMut(&Step) -> Reaction + Send>;

struct State {
    behaviour: Mutex<Behaviour>,
    received: Mutex<Vec<Received>>,
    /// How often each `Message-ID` was taken.
    counts: Mutex<BTreeMap<String, u64>>,
    connections: AtomicU64,
    is_stopping: AtomicBool,
    /// Whether messages are kept, and not only counted.
    keeps: bool,
}

/// A mail server on this machine.
pub struct MailServer {
    address: SocketAddr,
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MailServer {
    /// A server that accepts everything, on a free port.
    pub fn start() -> std::io::Result<Self> {
        Self::listen(TcpListener::bind("127.0.0.1:0")?, true)
    }

    /// The same, which counts messages and does not keep them.
    pub fn counting() -> std::io::Result<Self> {
        Self::listen(TcpListener::bind("127.0.0.1:0")?, false)
    }

    /// A server where another was before.
    pub fn start_at(address: SocketAddr) -> std::io::Result<Self> {
        Self::listen(TcpListener::bind(address)?, true)
    }

    fn listen(listener: TcpListener, keeps: bool) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let state = Arc::new(State {
            behaviour: Mutex::new(Box::new(|_| Reaction::Accept)),
            received: Mutex::default(),
            counts: Mutex::default(),
            connections: AtomicU64::new(0),
            is_stopping: AtomicBool::new(false),
            keeps,
        });
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_stopping.load(Ordering::Acquire) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                shared.connections.fetch_add(1, Ordering::Relaxed);
                let state = Arc::clone(&shared);
                std::thread::spawn(move || drop(Conversation::new(stream, state).and_then(Conversation::hold)));
            }
        });
        Ok(Self { address, state, thread: Some(thread) })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The setting that leads to it.
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// Changes how it reacts from now on.
    pub fn react(&self, behaviour: impl FnMut(&Step) -> Reaction + Send + 'static) {
        *locked(&self.state.behaviour) = Box::new(behaviour);
    }

    /// What it accepted, in order.
    pub fn received(&self) -> Vec<Received> {
        locked(&self.state.received).clone()
    }

    /// How often it took each message, by `Message-ID`.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        locked(&self.state.counts).clone()
    }

    /// How often somebody connected.
    pub fn connections(&self) -> u64 {
        self.state.connections.load(Ordering::Relaxed)
    }

    /// Stops listening and ends every conversation.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.state.is_stopping.store(true, Ordering::Release);
        // The listener is woken to see it.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.end();
        }
    }
}

/// One connection.
struct Conversation {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
    state: Arc<State>,
    from: String,
    to: Vec<String>,
}

/// What ends a conversation.
type Ended = std::io::Error;

impl Conversation {
    fn new(stream: TcpStream, state: Arc<State>) -> Result<Self, Ended> {
        // Long enough for any client here, short enough that a stopped server ends its conversations.
        stream.set_read_timeout(Some(Duration::from_millis(200)))?;
        stream.set_nodelay(true)?;
        let lines = BufReader::new(stream.try_clone()?);
        Ok(Self { stream, lines, state, from: String::new(), to: Vec::new() })
    }

    fn hold(mut self) -> Result<(), Ended> {
        self.answer(&Step::Greeting, "220 mail.example")?;
        loop {
            let line = self.line()?;
            let verb = line.split(' ').next().unwrap_or_default().to_ascii_uppercase();
            let address = || line.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(inside, _)| inside);
            let step = Step::Command(line.clone());
            match verb.as_str() {
                "EHLO" | "HELO" => drop(self.answer(&step, "250-mail.example\r\n250 8BITMIME")?),
                "MAIL" => {
                    if self.answer(&step, "250 sender")? {
                        (self.from, self.to) = (address().unwrap_or_default().to_owned(), Vec::new());
                    }
                }
                "RCPT" => {
                    if self.answer(&step, "250 recipient")? {
                        self.to.push(address().unwrap_or_default().to_owned());
                    }
                }
                "DATA" => {
                    if self.answer(&step, "354 go on")? {
                        self.message()?;
                    }
                }
                "QUIT" => {
                    self.say("221 bye")?;
                    return Ok(());
                }
                _ => drop(self.answer(&step, "250 well")?),
            }
        }
    }

    /// Reads a message up to its final dot.
    fn message(&mut self) -> Result<(), Ended> {
        let (mut text, mut message_id, mut is_first) = (String::new(), String::new(), true);
        loop {
            let line = self.line()?;
            if std::mem::take(&mut is_first) && self.reaction(&Step::Body) != Reaction::Accept {
                return Err(Ended::other("closed in the middle"));
            }
            if line == "." {
                break;
            }
            if let Some(id) = line.strip_prefix("Message-ID: <").and_then(|rest| rest.strip_suffix('>')) {
                id.clone_into(&mut message_id);
            }
            text.push_str(line.strip_prefix('.').unwrap_or(&line));
            text.push_str("\r\n");
        }
        let reaction = self.reaction(&Step::End(message_id.clone()));
        if matches!(reaction, Reaction::Accept | Reaction::TakeAndClose) {
            *locked(&self.state.counts).entry(message_id.clone()).or_default() += 1;
            if self.state.keeps {
                let (from, to) = (self.from.clone(), self.to.clone());
                locked(&self.state.received).push(Received { message_id, from, to, text });
            }
        }
        self.carry_out(reaction, "250 accepted").map(drop)
    }

    fn reaction(&self, step: &Step) -> Reaction {
        (*locked(&self.state.behaviour))(step)
    }

    /// Answers a step; whether as it should.
    fn answer(&mut self, step: &Step, usual: &str) -> Result<bool, Ended> {
        let reaction = self.reaction(step);
        self.carry_out(reaction, usual)
    }

    fn carry_out(&mut self, reaction: Reaction, usual: &str) -> Result<bool, Ended> {
        match reaction {
            Reaction::Accept => self.say(usual).map(|()| true),
            Reaction::Say(text) => self.say(text).map(|()| false),
            Reaction::Close | Reaction::TakeAndClose => Err(Ended::other("closed")),
            Reaction::Hang => {
                while !self.state.is_stopping.load(Ordering::Acquire) {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(Ended::other("stopped"))
            }
        }
    }

    fn say(&mut self, text: &str) -> Result<(), Ended> {
        self.stream.write_all(format!("{text}\r\n").as_bytes())
    }

    fn line(&mut self) -> Result<String, Ended> {
        let mut line = Vec::new();
        loop {
            match self.lines.read_until(b'\n', &mut line) {
                Ok(_) if line.ends_with(b"\n") => {
                    let text = String::from_utf8_lossy(&line);
                    return Ok(text.trim_end_matches(['\r', '\n']).to_owned());
                }
                Ok(_) => return Err(Ended::other("the client has gone")),
                Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                    if self.state.is_stopping.load(Ordering::Acquire) {
                        return Err(Ended::other("stopped"));
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }
}
