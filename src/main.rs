//! The program: reads the command line, ends with its exit code. Everything else is in the library.

use std::process::ExitCode;

use bookkeeping_suite::{app, cli::Cli};
use clap::Parser as _;

fn main() -> ExitCode {
    app::run(Cli::parse())
}
