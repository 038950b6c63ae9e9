//! Development commands: `cargo xtask faults`, `cargo xtask conformance` and `cargo xtask agents`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::{agents, conformance, faults};

/// Development commands of this workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Break the service in ways that happen, and look for anything lost, charged twice or slow
    Faults(faults::Options),
    /// Try every operation against its own OpenAPI description with schemathesis
    Conformance(conformance::Options),
    /// Let the clients that agents come with list and call the tools at /mcp
    Agents(agents::Options),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Faults(options) => faults::run(&options),
        Command::Conformance(options) => conformance::run(&options),
        Command::Agents(options) => agents::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
