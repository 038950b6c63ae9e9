//! The program: reads the command line, ends with its exit code. Everything else is in the library.

use std::process::ExitCode;

use bookkeeping_suite::{app, cli::Cli};
use clap::Parser as _;

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| {
        match app::environment::variable_of(&error) {
            Some(variable) => {
                // A terminal that is gone is not an error worth a message.
                drop(error.print());
                eprintln!("The value comes from the environment variable {variable}.");
                std::process::exit(error.exit_code())
            }
            None => error.exit(),
        }
    });
    app::run(cli)
}
