//! Log lines on standard error: for people on a terminal, JSON elsewhere.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::SubscriberBuilder;

use crate::config::{LogFormat, Settings};

/// Starts logging for a service. A second start (another server in the same process) changes nothing.
pub fn start(settings: &Settings) {
    start_with(settings, &settings.log);
}

/// Starts logging for a command, which speaks through its output: warnings and errors only.
pub fn start_quiet(settings: &Settings) {
    start_with(settings, if settings.log == "info" { "warn" } else { &settings.log });
}

fn start_with(settings: &Settings, filter: &str) {
    // Libraries log every step of their own start, and of every message to a tool; name them in the filter to see it.
    let filter = EnvFilter::try_new(format!("actix_server=warn,rmcp=warn,sea_orm_migration=warn,sqlx=warn,{filter}"))
        .unwrap_or_else(|_| EnvFilter::new("info"));
    let terminal = std::io::stderr().is_terminal();
    let format = settings.log_format.unwrap_or(if terminal { LogFormat::Text } else { LogFormat::Json });
    let builder = SubscriberBuilder::default().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match format {
        LogFormat::Text => tracing::subscriber::set_global_default(builder.with_ansi(terminal).finish()),
        LogFormat::Json => tracing::subscriber::set_global_default(builder.json().flatten_event(true).finish()),
    };
    // Already set: somebody in this process logs for all of us.
    drop(started);
}
