//! Start order and stop order of everything: the only part that knows all parts.

mod access_log;
pub mod commands;
pub mod demo;
mod descriptors;
mod doors;
pub mod environment;
mod log_writer;
mod memory;
mod observe;
mod refusals;
pub mod secrets;
mod serve;
mod spawn;
pub mod telemetry;

use std::process::ExitCode;
use std::sync::Arc;

use crate::cli::{Cli, Command};
use crate::clock::{Clock, SystemClock};
use crate::config::{FileError, Overrides, SettingError, Settings};

pub use spawn::{Person, Server, SpawnOptions, spawn};

/// Bad usage or configuration.
const USAGE: u8 = 2;

fn given(cli: &Cli) -> anyhow::Result<Overrides> {
    let default = std::path::Path::new("bookkeeping.toml");
    let file = match &cli.config {
        Some(path) => Overrides::from_file(path)?,
        None if default.is_file() => Overrides::from_file(default)?,
        None => Overrides::default(),
    };
    Ok(cli.overrides.clone().or(file))
}

/// Carries out a command line and says how the program ends.
pub fn run(cli: Cli) -> ExitCode {
    match carry_out(cli) {
        Ok(code) => code,
        Err(error) => {
            telemetry::say_last(&format!("{error:#}"));
            if let Some(error) = error.downcast_ref::<SettingError>()
                && let Some(variable) = environment::variable_given(error.key)
            {
                telemetry::say_last(&format!("the value comes from the environment variable {variable}"));
            }
            telemetry::flush();
            let usage = error.is::<SettingError>() || error.is::<FileError>() || error.is::<commands::Usage>();
            if usage { ExitCode::from(USAGE) } else { ExitCode::FAILURE }
        }
    }
}

fn carry_out(cli: Cli) -> anyhow::Result<ExitCode> {
    let given = given(&cli)?;
    let settings = Settings::resolve(given.clone())?;
    let misspelt = environment::unknown_variables();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let Cli { command, .. } = cli;
    match command {
        Command::Openapi => {
            commands::print(&crate::http::openapi::document_json(&crate::http::routes::routes(), None));
            return Ok(ExitCode::SUCCESS);
        }
        Command::Serve(arguments) => {
            memory::give_back_freed();
            telemetry::start(&settings);
            misspelt.iter().for_each(|said| tracing::warn!("{said}"));
            return serve::serve(settings, given, clock, arguments.demo);
        }
        _ => telemetry::start_quiet(&settings),
    }
    misspelt.iter().for_each(|said| eprintln!("bookkeeping: {said}"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let done = runtime.block_on(async {
        match command {
            Command::Migrate => commands::migrate(&settings, clock).await?,
            Command::User(command) => commands::user(&settings, clock, command).await?,
            Command::Organisation(command) => commands::organisation(&settings, clock, command).await?,
            Command::Credits(command) => commands::credits(&settings, clock, command).await?,
            Command::Check { organisation } => return commands::check(&settings, clock, organisation).await,
            Command::Serve(_) | Command::Openapi => {}
        }
        Ok::<_, anyhow::Error>(true)
    })?;
    Ok(if done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
