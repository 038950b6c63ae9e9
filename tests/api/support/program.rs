//! The built program, run as a person at a shell would.

use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tempfile::TempDir;

use crate::folder::temporary_folder;

use super::until;

/// `serve` on free ports.
const SERVE: [&str; 5] = ["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"];

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
        Self { folder: temporary_folder() }
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

    /// Starts `serve` on free ports in this folder and waits for the line with its two addresses.
    #[track_caller]
    pub fn serve(&self, more: &[&str]) -> Serving {
        let mut arguments = SERVE.to_vec();
        arguments.extend(more);
        let serving = self.start(&arguments);
        serving.addresses();
        serving
    }

    /// The same with so many descriptors and no more.
    #[track_caller]
    pub fn serve_with_descriptors(&self, descriptors: u64) -> Serving {
        self.serve_through(&["sh", "-c", &format!("ulimit -n {descriptors} && exec \"$0\" \"$@\"")], &[])
    }

    /// The same through another program, which is given ours and its arguments to run in its place.
    #[track_caller]
    pub fn serve_through(&self, through: &[&str], more: &[&str]) -> Serving {
        let plain = self.command(&[]);
        let [first, rest @ ..] = through else { panic!("a program") };
        let mut command = Command::new(first);
        command.args(rest).arg(plain.get_program()).args(SERVE).args(more);
        for (name, value) in plain.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        let serving = Serving::of(command);
        serving.addresses();
        serving
    }

    /// Starts a command that goes on running.
    #[track_caller]
    pub fn start(&self, arguments: &[&str]) -> Serving {
        Serving::of(self.command(arguments))
    }
}

impl Serving {
    #[track_caller]
    fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let output = Arc::new(Mutex::new([String::new(), String::new()]));
        // Drained all the time, so that a full pipe never stops the program.
        let readers = vec![
            drain(child.stdout.take().expect("piped"), 0, &output),
            drain(child.stderr.take().expect("piped"), 1, &output),
        ];
        Self { child, output, readers }
    }
}

/// Keeps what a pipe says, line by line.
fn drain(
    pipe: impl Read + Send + 'static,
    place: usize,
    output: &Arc<Mutex<[String; 2]>>,
) -> std::thread::JoinHandle<()> {
    let output = Arc::clone(output);
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            let text = &mut output.lock().expect("not poisoned")[place];
            text.push_str(&line);
            text.push('\n');
        }
    })
}

impl Ran {
    pub fn of(output: Output) -> Self {
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
    /// Standard output and standard error so far.
    output: Arc<Mutex<[String; 2]>>,
    readers: Vec<std::thread::JoinHandle<()>>,
}

impl Serving {
    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Everything printed so far.
    pub fn printed(&self) -> String {
        self.output.lock().expect("not poisoned").concat()
    }

    /// The public address and the operators' address, from the one line that names both.
    #[track_caller]
    pub fn addresses(&self) -> [String; 2] {
        until("the line with the addresses", || {
            let printed = self.printed();
            printed.lines().find_map(|line| {
                let words =
                    line.split(|character: char| character.is_whitespace() || matches!(character, ',' | ';' | '"'));
                let found: Vec<&str> = words.filter(|word| word.starts_with("http://")).collect();
                match found.as_slice() {
                    [public, operators] => {
                        Some([*public, *operators].map(|url| url.trim_end_matches(['/', '.']).to_owned()))
                    }
                    _ => None,
                }
            })
        })
    }

    /// Waits until a word is printed; everything printed by then.
    #[track_caller]
    pub fn until_printed(&self, word: &str) -> String {
        until(word, || Some(self.printed()).filter(|printed| printed.contains(word)))
    }

    /// Sends SIGTERM and waits for the end.
    pub fn terminate(mut self) -> Ran {
        let process = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &process]).status().expect("signalled");
        let code = self.child.wait().expect("it ends").code();
        for reader in self.readers.drain(..) {
            reader.join().expect("read to the end");
        }
        let [stdout, stderr] = self.output.lock().expect("not poisoned").clone();
        Ran { code, stdout, stderr }
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
