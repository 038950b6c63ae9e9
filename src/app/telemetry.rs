//! Log lines on standard error: for people on a terminal, JSON elsewhere. A service writes them through a buffer.

use std::io::IsTerminal as _;
use std::sync::OnceLock;
use std::time::Duration;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::SubscriberBuilder;

use super::access_log::AccessLog;
use super::log_writer::LogWriter;
use crate::config::{LogFormat, Settings};

/// What the line with the addresses is logged under: it is shown whatever the filter.
pub const START: &str = "start";
/// What lines of requests count as in the filter.
const ACCESS: &str = "access";
/// How long the last lines may take; whoever reads them may have stopped.
const FLUSH_WITHIN: Duration = Duration::from_secs(2);

/// The log of a service that was started as a program.
static SERVICE: OnceLock<(LogWriter, LogFormat)> = OnceLock::new();

/// Starts logging for a service. A second start (another server in the same process) changes nothing.
pub fn start(settings: &Settings) {
    let format = format(settings);
    match LogWriter::start(std::io::stderr()) {
        Ok(writer) => {
            let of_lines = writer.clone();
            start_with(&settings.log, format, move || of_lines.clone());
            // Set already: somebody in this process logs for all of us.
            let _ = SERVICE.set((writer, format));
        }
        Err(_) => start_with(&settings.log, format, std::io::stderr),
    }
}

/// Starts logging for a command, which speaks through its output: warnings and errors only.
pub fn start_quiet(settings: &Settings) {
    let filter = if settings.log == "info" { "warn" } else { &settings.log };
    start_with(filter, format(settings), std::io::stderr);
}

/// The lines of requests, if the settings want them.
pub fn access_log(settings: &Settings) -> Option<AccessLog> {
    let (writer, format) = SERVICE.get()?;
    let is_wanted = settings.access_log && tracing::enabled!(target: ACCESS, tracing::Level::INFO);
    is_wanted.then(|| AccessLog::new(writer.clone(), *format))
}

/// Whether lines are for people.
pub fn is_for_people(settings: &Settings) -> bool {
    format(settings) == LogFormat::Text
}

/// Says why a program ends: in the log where that is JSON, for a service whose lines are read by a machine; else to people.
pub fn say_last(said: &str) {
    match SERVICE.get() {
        Some((_, LogFormat::Json)) => tracing::error!(target: START, "{said}"),
        _ => {
            flush();
            eprintln!("bookkeeping: {said}");
        }
    }
}

/// Returns when everything that was logged is written.
pub fn flush() {
    if let Some((writer, _)) = SERVICE.get() {
        writer.flush(FLUSH_WITHIN);
    }
}

fn format(settings: &Settings) -> LogFormat {
    let of_place = if std::io::stderr().is_terminal() { LogFormat::Text } else { LogFormat::Json };
    settings.log_format.unwrap_or(of_place)
}

fn start_with<W, M>(filter: &str, format: LogFormat, writer: M)
where
    W: std::io::Write + 'static,
    M: Fn() -> W + Send + Sync + 'static,
{
    // Libraries log every step of their own start, and of every message to a tool; name them in the filter to see it.
    // A parameter of a database_url that the driver does not know it would show with its value.
    let quiet = "actix_server=warn,rmcp=warn,sea_orm_migration=warn,sqlx=warn,sqlx_postgres::options=error";
    let filter =
        EnvFilter::try_new(format!("{quiet},{filter},{START}=info")).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = SubscriberBuilder::default().with_env_filter(filter).with_writer(writer);
    let started = match format {
        LogFormat::Text => {
            let builder = builder.with_ansi(std::io::stderr().is_terminal());
            tracing::subscriber::set_global_default(builder.finish())
        }
        LogFormat::Json => tracing::subscriber::set_global_default(builder.json().flatten_event(true).finish()),
    };
    // Already set: somebody in this process logs for all of us.
    drop(started);
}
