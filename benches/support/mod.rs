//! What the HTTP benches share: their arguments, and a server of their own in a temporary folder. The load generator, the
//! client and the statistics are those of the fault harness.

use std::{io::Write as _, path::Path};

use anyhow::Result;
use serde_json::Value;
use tempfile::TempDir;
use xtask::program::{Installation, Program, Server};

/// What stands on the command line beside what cargo adds.
#[derive(Debug)]
pub struct Arguments {
    words: Vec<String>,
}

impl Arguments {
    /// Those of this process.
    pub fn read() -> Self {
        Self { words: std::env::args().skip(1).collect() }
    }

    /// Whether a word was given.
    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|given| given == word)
    }

    /// The word after this one.
    pub fn after(&self, word: &str) -> Option<&str> {
        let place = self.words.iter().position(|given| given == word)?;
        self.words.get(place + 1).map(String::as_str)
    }

    /// Whether cargo only checks that the bench runs, as `cargo test --benches` does: `cargo bench` adds `--bench`.
    pub fn is_check(&self) -> bool {
        !self.has("--bench")
    }
}

/// An installation of the program cargo built for this bench, in a folder of that one which is removed afterwards.
pub fn installation(parent: &Path) -> Result<(TempDir, Installation)> {
    let folder = tempfile::Builder::new().prefix("bookkeeping-bench-").tempdir_in(parent)?;
    let program = Program::at(Path::new(env!("CARGO_BIN_EXE_bookkeeping")))?;
    let installation = Installation::new(&program, &folder.path().join("service"))?;
    Ok((folder, installation))
}

/// Start `serve` behind those words and wait until it answers.
pub fn serve(installation: &Installation, wrapper: &[String]) -> Result<Server> {
    let words: Vec<&str> = wrapper.iter().map(String::as_str).collect();
    let mut server = installation.serve(&words)?;
    server.wait_ready(std::time::Duration::from_secs(30))?;
    Ok(server)
}

/// How long processes waited for a processor in the last ten seconds, in percent; a measurement of a busy machine is
/// marked as one.
pub fn pressure() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/pressure/cpu").ok()?;
    text.lines().next()?.split_whitespace().find_map(|word| word.strip_prefix("avg10="))?.parse().ok()
}

/// Print the figures for a machine.
pub fn print_json(figures: &Value) -> Result<()> {
    writeln!(std::io::stdout(), "{figures:#}")?;
    Ok(())
}
