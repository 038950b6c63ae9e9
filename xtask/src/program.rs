//! The program under test as its operators know it: the binary `bookkeeping`, its commands, its settings and its two
//! listeners. Nothing here knows how the program is made.

use std::{
    fs::{self, File, OpenOptions},
    io::Read,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicU16, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::{
    http::{Connection, Request},
    process::{Process, tied_command},
};

/// How long a command or a start may take before it counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// How the binary was built; debug builds are slower, so full figures are taken from release ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// `cargo build`
    Dev,
    /// `cargo build --release`
    Release,
}

/// The binary.
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
}

impl Program {
    /// A binary that exists already.
    pub fn at(path: &Path) -> Result<Self> {
        let path = path.canonicalize().with_context(|| format!("there is no program at {}", path.display()))?;
        Ok(Self { path })
    }

    /// Build it with cargo, in the workspace this tool belongs to.
    pub fn build(profile: Profile) -> Result<Self> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command
            .args(["build", "--quiet", "--package", "bookkeeping-suite", "--bin", "bookkeeping"])
            .args(["--message-format", "json-render-diagnostics"])
            .stderr(Stdio::inherit());
        if profile == Profile::Release {
            command.arg("--release");
        }
        let output = command.output().context("cannot run cargo")?;
        ensure!(output.status.success(), "the program does not build");
        let path = String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter_map(|message| message.get("executable").and_then(Value::as_str).map(PathBuf::from))
            .next_back()
            .context("cargo did not say where the program is")?;
        Self::at(&path)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// One installation: a folder, its settings, and the program that works on it.
#[derive(Debug, Clone)]
pub struct Installation {
    program: Program,
    folder: PathBuf,
    settings: Vec<(String, String)>,
    public: SocketAddr,
    ops: SocketAddr,
}

impl Installation {
    /// An installation in a folder, which is made when absent. Ports stay the same over restarts.
    pub fn new(program: &Program, folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let (public, ops) = (free_address()?, free_address()?);
        let installation =
            Self { program: program.clone(), folder: folder.to_owned(), settings: Vec::new(), public, ops };
        Ok(installation
            .with("listen", &public.to_string())
            .with("ops_listen", &ops.to_string())
            .with("data_dir", &folder.join("data").to_string_lossy())
            .with("rate_limit_requests", "16000000")
            .with("log_format", "text"))
    }

    /// The same with one more setting, under its name in the operating contract.
    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.settings.retain(|(known, _)| known != key);
        self.settings.push((key.to_owned(), value.to_owned()));
        self
    }

    /// The public listener.
    #[must_use]
    pub fn public(&self) -> SocketAddr {
        self.public
    }

    /// The operators' listener.
    #[must_use]
    pub fn ops(&self) -> SocketAddr {
        self.ops
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn apply(&self, command: &mut Command) {
        // Settings of whoever runs this tool must not reach the program under test.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("BOOKKEEPING_") {
                command.env_remove(name);
            }
        }
        for (key, value) in &self.settings {
            command.env(format!("BOOKKEEPING_{}", key.to_uppercase()), value);
        }
        command.current_dir(&self.folder).stdin(Stdio::null());
    }

    /// Run a command to its end; its standard output, and whether it succeeded.
    pub fn attempt(&self, arguments: &[&str]) -> Result<(bool, String)> {
        self.attempt_within(arguments, PATIENCE)
    }

    /// As `attempt`, for a command that may take longer than others.
    pub fn attempt_within(&self, arguments: &[&str], patience: Duration) -> Result<(bool, String)> {
        let mut command = tied_command(&self.program.path, "KILL");
        self.apply(&mut command);
        let output_path = self.folder.join(format!("command-{}.out", fresh_number()));
        let error_path = output_path.with_extension("err");
        command.args(arguments).stdout(File::create(&output_path)?).stderr(File::create(&error_path)?);
        let mut process = Process::spawn(&mut command)?;
        let status = process.wait(patience).with_context(|| format!("bookkeeping {}", arguments.join(" ")))?;
        let mut text = fs::read_to_string(&output_path)?;
        if !status.success() {
            text.push_str(&fs::read_to_string(&error_path)?);
        }
        fs::remove_file(&output_path)?;
        fs::remove_file(&error_path)?;
        Ok((status.success(), text))
    }

    /// Run a command that must succeed; its standard output.
    pub fn run(&self, arguments: &[&str]) -> Result<String> {
        let (succeeded, text) = self.attempt(arguments)?;
        ensure!(succeeded, "`bookkeeping {}` failed: {}", arguments.join(" "), text.trim());
        Ok(text)
    }

    /// Run a command that must succeed and print JSON.
    pub fn run_json(&self, arguments: &[&str]) -> Result<Value> {
        let text = self.run(arguments)?;
        serde_json::from_str(&text)
            .with_context(|| format!("`bookkeeping {}` printed no JSON: {text}", arguments.join(" ")))
    }

    /// Start `serve`; it may not answer yet. `wrapper` goes before the program, such as `["taskset", "-c", "0"]`.
    pub fn serve(&self, wrapper: &[&str]) -> Result<Server> {
        let log = self.folder.join("serve.log");
        let output = OpenOptions::new().create(true).append(true).open(&log)?;
        let mut command = match wrapper.split_first() {
            Some((first, rest)) => {
                let mut command = tied_command(first, "KILL");
                command.args(rest).arg(&self.program.path);
                command
            }
            None => tied_command(&self.program.path, "KILL"),
        };
        self.apply(&mut command);
        command.arg("serve").stdout(output.try_clone()?).stderr(output);
        let started = Instant::now();
        let process = Process::spawn(&mut command)?;
        Ok(Server { process, public: self.public, ops: self.ops, started, log })
    }

    /// Start `serve` and wait until it answers.
    pub fn serve_ready(&self) -> Result<Server> {
        let mut server = self.serve(&[])?;
        server.wait_ready(PATIENCE)?;
        Ok(server)
    }

    /// Add a person with that many credits and open a web session for them.
    pub fn add_person(&self, email: &str, monthly: u64, bonus: u64) -> Result<Person> {
        let (monthly, bonus) = (monthly.to_string(), bonus.to_string());
        let added = self.run_json(&[
            "user",
            "add",
            "--email",
            email,
            "--name",
            "Fault Finder",
            "--monthly-credits",
            &monthly,
            "--bonus-credits",
            &bonus,
        ])?;
        ensure!(added.get("user_id").is_some_and(Value::is_i64), "`user add` printed {added}");
        let session = self.run(&["user", "session", "--email", email, "--ttl-s", "86400"])?.trim().to_owned();
        let password =
            added.get("password").and_then(Value::as_str).context("`user add` printed no password")?.to_owned();
        Ok(Person { email: email.to_owned(), password, session })
    }
}

/// Someone who owns keys and credits.
#[derive(Debug, Clone)]
pub struct Person {
    /// How the commands name them.
    pub email: String,
    /// What they sign in with.
    pub password: String,
    /// Their web-session token.
    pub session: String,
}

/// An API key.
#[derive(Debug, Clone)]
pub struct Key {
    /// Its number, for revocation.
    pub id: i64,
    /// What is sent as the credential.
    pub plaintext: String,
}

/// Every scope there is.
pub const SCOPES: [&str; 7] =
    ["reconcile:read", "reconcile:write", "coding:read", "coding:write", "books:read", "books:write", "books:send"];

/// Create a key over the API.
pub fn create_key(connection: &mut Connection, session: &str, name: &str, scopes: &[&str]) -> Result<Key> {
    let body = json!({ "name": name, "scopes": scopes }).to_string();
    let reply = connection.send(&Request::post("/api/v1/keys", Some(session), body.as_bytes()))?;
    ensure!(reply.status == 201, "creating a key answered {}", reply.summary());
    let answer = reply.json();
    let id = answer.get("id").and_then(Value::as_i64).context("the new key has no id")?;
    let plaintext = answer.get("key").and_then(Value::as_str).context("the new key has no plaintext")?.to_owned();
    Ok(Key { id, plaintext })
}

/// A running `serve`.
#[derive(Debug)]
pub struct Server {
    /// Its process.
    pub process: Process,
    public: SocketAddr,
    ops: SocketAddr,
    started: Instant,
    log: PathBuf,
}

impl Server {
    /// The public listener.
    #[must_use]
    pub fn public(&self) -> SocketAddr {
        self.public
    }

    /// The operators' listener.
    #[must_use]
    pub fn ops(&self) -> SocketAddr {
        self.ops
    }

    /// When it was started.
    #[must_use]
    pub fn started(&self) -> Instant {
        self.started
    }

    /// A new connection to the public listener.
    pub fn connect(&self) -> Result<Connection> {
        Connection::new(self.public, PATIENCE)
    }

    /// Wait for the first 200 of `/api/v1/health`; how long after the start it came.
    pub fn wait_ready(&mut self, patience: Duration) -> Result<Duration> {
        let mut connection = Connection::new(self.public, Duration::from_secs(5))?;
        loop {
            if let Ok(reply) = connection.send(&Request::get("/api/v1/health", None))
                && reply.status == 200
            {
                return Ok(self.started.elapsed());
            }
            if let Some(status) = self.process.ended() {
                bail!("`bookkeeping serve` ended with {status}: {}", self.last_words());
            }
            ensure!(self.started.elapsed() < patience, "no answer after {patience:?}: {}", self.last_words());
            thread::sleep(Duration::from_micros(500));
        }
    }

    /// SIGTERM, and wait for the orderly end.
    pub fn terminate(mut self) -> Result<()> {
        self.process.signal("TERM")?;
        let status = self.process.wait(PATIENCE)?;
        ensure!(status.success(), "`bookkeeping serve` ended with {status} after SIGTERM: {}", self.last_words());
        Ok(())
    }

    /// The end of its log.
    #[must_use]
    pub fn last_words(&self) -> String {
        let mut text = String::new();
        if let Ok(mut file) = File::open(&self.log) {
            let _ = file.read_to_string(&mut text);
        }
        let lines: Vec<&str> = text.lines().rev().take(12).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }
}

fn fresh_number() -> u16 {
    static NUMBER: AtomicU16 = AtomicU16::new(0);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// Copy the data of an installation that is not served to the folder of another.
pub fn copy_data(from: &Path, to: &Path) -> Result<()> {
    let data = to.join("data");
    fs::create_dir_all(&data)?;
    for entry in fs::read_dir(from.join("data"))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), data.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// A free loopback address below the range the kernel takes outgoing ports from: a client must never be given the port
/// of a server that is just restarting.
pub fn free_address() -> Result<SocketAddr> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Processes that start one after the other must not try the same ports at the same moment.
    let start = u16::try_from(u64::from(std::process::id()) * 101 % 8_000).unwrap_or(0);
    for _ in 0..10_000 {
        let step = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = 21_000 + (start + step) % 10_000;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        if TcpListener::bind(address).is_ok() {
            return Ok(address);
        }
    }
    bail!("no free port between 21000 and 31000")
}
