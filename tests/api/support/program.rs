//! The built program, run as a person at a shell would.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A working folder to run the program in.
pub struct Shell {
    pub folder: TempDir,
}

/// What a run printed and how it ended.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Shell {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with nothing of this machine's settings.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bookkeeping"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BOOKKEEPING_")) {
            command.env_remove(name);
        }
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().expect("the program runs"))
    }

    /// Runs a command that must succeed; what it printed.
    #[track_caller]
    pub fn ok(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:#?}");
        ran.stdout
    }

    /// Runs a command that must succeed and print one JSON value.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let printed = self.ok(arguments);
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {printed}"))
    }

    /// Starts `serve` on free ports in this folder.
    pub fn serve(&self, more: &[&str]) -> Serving {
        let mut arguments = vec!["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"];
        arguments.extend(more);
        let mut child = self
            .command(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let stderr = child.stderr.take().expect("piped");
        // Drained all the time, so that a full pipe never stops the program.
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            drop(BufReader::new(stderr).read_to_string(&mut text));
            text
        });
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        let rest = std::thread::spawn(move || {
            let mut text = String::new();
            drop(stdout.read_to_string(&mut text));
            text
        });
        Serving { child, line, rest: Some(rest), errors: Some(errors) }
    }
}

impl Ran {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A running `serve`; killed when dropped.
pub struct Serving {
    child: Child,
    /// The first line on standard output.
    pub line: String,
    rest: Option<std::thread::JoinHandle<String>>,
    errors: Option<std::thread::JoinHandle<String>>,
}

impl Serving {
    /// The addresses named in the line, `http://…` in front.
    pub fn addresses(&self) -> Vec<String> {
        let words = self.line.split(|character: char| character.is_whitespace() || matches!(character, ',' | ';' | '(' | ')'));
        words.filter(|word| word.starts_with("http://")).map(|word| word.trim_end_matches(['/', '.']).to_owned()).collect()
    }

    /// Sends SIGTERM and waits; exit code, everything on standard output, everything on standard error.
    pub fn terminate(mut self) -> Ran {
        let process = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &process]).status().expect("signalled");
        let code = self.child.wait().expect("it ends").code();
        let collect = |thread: Option<std::thread::JoinHandle<String>>| {
            thread.map(|thread| thread.join().expect("read")).unwrap_or_default()
        };
        let stdout = format!("{}{}", self.line, collect(self.rest.take()));
        Ran { code, stdout, stderr: collect(self.errors.take()) }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Every file beneath a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}
