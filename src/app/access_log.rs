//! A line in the log for each request, written by hand: it costs a fraction of what the general way does, which would be felt in
//! every answer.

use std::cell::RefCell;

use super::log_writer::LogWriter;
use crate::config::LogFormat;
use crate::domain::caller::{Credential, Principal};
use crate::domain::date::date_time_text;
use crate::domain::ids::ConnectionId;
use crate::http::server::Finished;

/// Writes the lines.
pub struct AccessLog {
    writer: LogWriter,
    format: LogFormat,
}

thread_local! {
    /// The line being made, and the moment that was printed last with its milliseconds since 1970.
    static LINE: RefCell<(String, i64, String)> = RefCell::default();
}

impl AccessLog {
    /// Lines of a form to a writer.
    pub const fn new(writer: LogWriter, format: LogFormat) -> Self {
        Self { writer, format }
    }

    /// Writes the line of a request. `route` is the template of its path.
    pub fn request(&self, finished: &Finished<'_>, method: &str, route: &str) {
        LINE.with_borrow_mut(|(line, printed_ms, moment)| {
            if *printed_ms != finished.now_ms || moment.is_empty() {
                *moment = date_time_text(finished.now_ms);
                *printed_ms = finished.now_ms;
            }
            line.clear();
            match self.format {
                LogFormat::Json => json(line, moment, finished, method, route),
                LogFormat::Text => text(line, moment, finished, method, route),
            }
            self.writer.line(line.as_bytes());
        });
    }
}

/// Adds a whole number.
fn push_number(line: &mut String, number: impl itoa::Integer) {
    line.push_str(itoa::Buffer::new().format(number));
}

/// Adds a duration in milliseconds with three decimals.
fn push_ms(line: &mut String, finished: &Finished<'_>) {
    // In 64 bits: the 128 of `as_micros` cost two divisions more.
    let micros = finished.took.as_secs().saturating_mul(1_000_000) + u64::from(finished.took.subsec_micros());
    push_number(line, micros / 1000);
    line.push('.');
    let rest = u16::try_from(micros % 1000).unwrap_or_default();
    for digit in [rest / 100, rest / 10 % 10, rest % 10] {
        line.push(char::from(b'0' + u8::try_from(digit).unwrap_or_default()));
    }
}

/// Who called, as a name and a text that needs no quotes: the prefix of a key, the number of a connection or a person.
fn caller(principal: &Principal) -> (&'static str, Result<&str, i64>) {
    match &principal.credential {
        Credential::Key(key) => ("key", Ok(&key.prefix)),
        Credential::Grant(access) => match access.id {
            ConnectionId::Grant(id) => ("connection", Err(id.0)),
            ConnectionId::Key(id) => ("key_id", Err(id.0)),
        },
        Credential::Session => ("user", Err(principal.user_id.0)),
    }
}

fn json(line: &mut String, moment: &str, finished: &Finished<'_>, method: &str, route: &str) {
    for part in ["{\"timestamp\":\"", moment, "\",\"level\":\"INFO\",\"message\":\"request\",\"method\":\"", method] {
        line.push_str(part);
    }
    for part in ["\",\"route\":\"", route, "\",\"status\":"] {
        line.push_str(part);
    }
    push_number(line, finished.status);
    line.push_str(",\"ms\":");
    push_ms(line, finished);
    if let Some(bytes) = finished.bytes {
        line.push_str(",\"bytes\":");
        push_number(line, bytes);
    }
    if let Some(error) = finished.error {
        line.push_str(",\"error\":\"");
        line.push_str(error);
        line.push('"');
    }
    if let Some(principal) = finished.caller {
        let (name, value) = caller(principal);
        for part in [",\"", name, "\":"] {
            line.push_str(part);
        }
        match value {
            Ok(text) => {
                line.push('"');
                line.push_str(text);
                line.push('"');
            }
            Err(number) => push_number(line, number),
        }
    }
    if let Some(organisation) = finished.organisation {
        line.push_str(",\"organisation\":");
        push_number(line, organisation);
    }
    line.push_str(",\"request_id\":\"");
    line.push_str(finished.request_id);
    line.push('"');
    if let Some(id) = finished.client_request_id {
        line.push_str(",\"client_request_id\":");
        // The caller's words: a text always prints.
        line.push_str(&serde_json::to_string(id).unwrap_or_default());
    }
    line.push_str("}\n");
}

fn text(line: &mut String, moment: &str, finished: &Finished<'_>, method: &str, route: &str) {
    for part in [moment, "  INFO ", method, " ", route, " "] {
        line.push_str(part);
    }
    push_number(line, finished.status);
    line.push(' ');
    push_ms(line, finished);
    line.push_str(" ms");
    if let Some(bytes) = finished.bytes {
        line.push(' ');
        push_number(line, bytes);
        line.push_str(" bytes");
    }
    if let Some(error) = finished.error {
        line.push(' ');
        line.push_str(error);
    }
    if let Some(principal) = finished.caller {
        let (name, value) = caller(principal);
        for part in [" ", name, " "] {
            line.push_str(part);
        }
        match value {
            Ok(text) => line.push_str(text),
            Err(number) => push_number(line, number),
        }
    }
    if let Some(organisation) = finished.organisation {
        line.push_str(" organisation ");
        push_number(line, organisation);
    }
    line.push(' ');
    line.push_str(finished.request_id);
    line.push('\n');
}

impl std::fmt::Debug for AccessLog {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("AccessLog").field("format", &self.format).finish_non_exhaustive()
    }
}
