//! Settings: built-in default, then `bookkeeping.toml` (or `--config FILE`), then environment, then flag.
//!
//! [`Overrides`] is one level of that list; [`Settings`] is the validated whole. Everything that is queued,
//! buffered, listed or retried has its named limit here.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::domain::mail::{SmtpSecurity, SmtpServer, is_address};
use crate::domain::oauth::redirect;

/// A setting that cannot be used; the program ends with exit code 2.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("setting {key}: {value:?} is not usable; allowed: {allowed}")]
pub struct SettingError {
    /// The key as in the file.
    pub key: &'static str,
    /// What was given.
    pub value: String,
    /// What is allowed.
    pub allowed: String,
}

/// The file could not be read as settings.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is missing, not TOML, or holds an unknown key.
    #[error("configuration file {path}: {message}")]
    Unusable {
        /// The file.
        path: String,
        /// What is wrong.
        message: String,
    },
}

/// Settings given at one level: the file's keys, or the flags with their environment variables.
#[derive(Debug, Clone, Default, Deserialize, Serialize, clap::Args)]
#[serde(deny_unknown_fields, default)]
#[command(next_help_heading = "Settings")]
pub struct Overrides {
    /// Public listener; port 0 picks one and prints it [default: 127.0.0.1:8080]
    #[arg(long, env = "BOOKKEEPING_LISTEN", global = true, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// Operators' listener, never meant for the public [default: 127.0.0.1:9464]
    #[arg(long, env = "BOOKKEEPING_OPS_LISTEN", global = true, value_name = "ADDRESS")]
    pub ops_listen: Option<String>,
    /// The public URL: issuer, links in e-mails [default: http:// and the listener]
    #[arg(long, env = "BOOKKEEPING_BASE_URL", global = true, value_name = "URL")]
    pub base_url: Option<String>,
    /// `sqlite://PATH` or `postgres://…` [default: sqlite://<data_dir>/bookkeeping.db]
    #[arg(long, env = "BOOKKEEPING_DATABASE_URL", global = true, value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// Database file, generated secrets, e-mail outbox; created with mode 0700 [default: ./data]
    #[arg(long, env = "BOOKKEEPING_DATA_DIR", global = true, value_name = "DIRECTORY")]
    pub data_dir: Option<PathBuf>,
    /// Secret that signs web sessions, made at first start [default: <data_dir>/session.secret]
    #[arg(long, env = "BOOKKEEPING_SESSION_SECRET_FILE", global = true, value_name = "FILE")]
    pub session_secret_file: Option<PathBuf>,
    /// Requests per window and API key; load tests raise it [default: 120]
    #[arg(long, env = "BOOKKEEPING_RATE_LIMIT_REQUESTS", global = true, value_name = "N")]
    pub rate_limit_requests: Option<u64>,
    /// Length of the rate-limit window in seconds [default: 60]
    #[arg(long, env = "BOOKKEEPING_RATE_LIMIT_WINDOW_S", global = true, value_name = "SECONDS")]
    pub rate_limit_window_s: Option<u64>,
    /// Waiting jobs per product; a full queue answers 503 [default: 100]
    #[arg(long, env = "BOOKKEEPING_QUEUE_CAPACITY_JOBS", global = true, value_name = "N")]
    pub queue_capacity_jobs: Option<u64>,
    /// Of the waiting jobs of a product, what one person may have waiting, in percent, at least 4 jobs [default: 25]
    #[arg(long, env = "BOOKKEEPING_QUEUE_SHARE_PERCENT", global = true, value_name = "PERCENT")]
    pub queue_share_percent: Option<u64>,
    /// Largest request body; more is answered 413 [default: 26214400]
    #[arg(long, env = "BOOKKEEPING_MAX_BODY_BYTES", global = true, value_name = "BYTES")]
    pub max_body_bytes: Option<u64>,
    /// Bodies being read at once over all connections; beyond it 503 [default: 268435456]
    #[arg(long, env = "BOOKKEEPING_MAX_BODY_BYTES_IN_FLIGHT", global = true, value_name = "BYTES")]
    pub max_body_bytes_in_flight: Option<u64>,
    /// Of these bytes, what one person (without a key: one address) may take, in percent [default: 25]
    #[arg(long, env = "BOOKKEEPING_BODY_SHARE_PERCENT", global = true, value_name = "PERCENT")]
    pub body_share_percent: Option<u64>,
    /// Rows of a bank or book dataset; more is answered 422 [default: 250000]
    #[arg(long, env = "BOOKKEEPING_MAX_ROWS_PER_DATASET", global = true, value_name = "N")]
    pub max_rows_per_dataset: Option<u64>,
    /// Transactions of a coding job; more is answered 422 [default: 100000]
    #[arg(long, env = "BOOKKEEPING_MAX_TRANSACTIONS_PER_JOB", global = true, value_name = "N")]
    pub max_transactions_per_job: Option<u64>,
    /// Accounts in a coding job's chart; more is answered 422 [default: 5000]
    #[arg(long, env = "BOOKKEEPING_MAX_CHART_ACCOUNTS", global = true, value_name = "N")]
    pub max_chart_accounts: Option<u64>,
    /// Invoices in a coding job; more is answered 422 [default: 10000]
    #[arg(long, env = "BOOKKEEPING_MAX_INVOICES_PER_JOB", global = true, value_name = "N")]
    pub max_invoices_per_job: Option<u64>,
    /// Longest time for one body; longer is answered 408 [default: 300]
    #[arg(long, env = "BOOKKEEPING_BODY_DEADLINE_S", global = true, value_name = "SECONDS")]
    pub body_deadline_s: Option<u64>,
    /// Slowest body, on average after 5 seconds and over any 10 seconds; slower is answered 408 [default: 32768]
    #[arg(long, env = "BOOKKEEPING_MIN_BODY_BYTES_PER_S", global = true, value_name = "BYTES")]
    pub min_body_bytes_per_s: Option<u64>,
    /// A job running longer fails [default: 300]
    #[arg(long, env = "BOOKKEEPING_JOB_DEADLINE_S", global = true, value_name = "SECONDS")]
    pub job_deadline_s: Option<u64>,
    /// A process silent longer loses its product's slot [default: 15000]
    #[arg(long, env = "BOOKKEEPING_JOB_LEASE_MS", global = true, value_name = "MILLISECONDS")]
    pub job_lease_ms: Option<u64>,
    /// How long cached keys are trusted while PostgreSQL cannot be read [default: 30]
    #[arg(long, env = "BOOKKEEPING_KEY_STALENESS_LIMIT_S", global = true, value_name = "SECONDS")]
    pub key_staleness_limit_s: Option<u64>,
    /// How long an Idempotency-Key replays [default: 24]
    #[arg(long, env = "BOOKKEEPING_IDEMPOTENCY_RETENTION_H", global = true, value_name = "HOURS")]
    pub idempotency_retention_h: Option<u64>,
    /// Shortest password [default: 12]
    #[arg(long, env = "BOOKKEEPING_PASSWORD_MIN_LENGTH", global = true, value_name = "CHARACTERS")]
    pub password_min_length: Option<u64>,
    /// API keys that a person may have at once; one more is answered 409 [default: 100]
    #[arg(long, env = "BOOKKEEPING_MAX_KEYS_PER_PERSON", global = true, value_name = "N")]
    pub max_keys_per_person: Option<u64>,
    /// Progress sockets that a web session may have open; one more is answered 409 [default: 8]
    #[arg(long, env = "BOOKKEEPING_MAX_SOCKETS_PER_SESSION", global = true, value_name = "N")]
    pub max_sockets_per_session: Option<u64>,
    /// Longest time for the head of a request; then the connection is closed [default: 10]
    #[arg(long, env = "BOOKKEEPING_CLIENT_REQUEST_TIMEOUT_S", global = true, value_name = "SECONDS")]
    pub client_request_timeout_s: Option<u64>,
    /// How long an answer may not be read; then the connection is closed [default: 30]
    #[arg(long, env = "BOOKKEEPING_CLIENT_WRITE_TIMEOUT_S", global = true, value_name = "SECONDS")]
    pub client_write_timeout_s: Option<u64>,
    /// Addresses and networks (10.0.0.0/8) whose X-Forwarded-For counts, separated by commas [default: none]
    #[arg(long, env = "BOOKKEEPING_TRUSTED_PROXIES", global = true, value_name = "ADDRESSES")]
    pub trusted_proxies: Option<String>,
    /// Web origins whose pages may use the tool server, separated by commas [default: that of base_url]
    #[arg(long, env = "BOOKKEEPING_MCP_ALLOWED_ORIGINS", global = true, value_name = "ORIGINS")]
    pub mcp_allowed_origins: Option<String>,
    /// Seconds an access token of a connection by OAuth lasts [default: 3600]
    #[arg(long, env = "BOOKKEEPING_OAUTH_ACCESS_TOKEN_S", global = true, value_name = "SECONDS")]
    pub oauth_access_token_s: Option<u64>,
    /// Days a connection by OAuth may rest before it has to be allowed again [default: 60]
    #[arg(long, env = "BOOKKEEPING_OAUTH_REFRESH_IDLE_DAYS", global = true, value_name = "DAYS")]
    pub oauth_refresh_idle_days: Option<u64>,
    /// Seconds in which a refresh token may come back after its use; 0 is never [default: 60]
    #[arg(long, env = "BOOKKEEPING_OAUTH_REFRESH_GRACE_S", global = true, value_name = "SECONDS")]
    pub oauth_refresh_grace_s: Option<u64>,
    /// Applications that may register an hour from one address [default: 20]
    #[arg(long, env = "BOOKKEEPING_OAUTH_REGISTRATIONS_PER_HOUR", global = true, value_name = "N")]
    pub oauth_registrations_per_hour: Option<u64>,
    /// Whether applications may be known by a document that is fetched from their https client_id [default: true]
    #[arg(
        long,
        env = "BOOKKEEPING_OAUTH_CLIENT_METADATA_DOCUMENTS",
        global = true,
        value_name = "true|false",
        hide_possible_values = true
    )]
    pub oauth_client_metadata_documents: Option<bool>,
    /// Private schemes of redirect URIs, separated by commas [default: cursor,vscode,vscode-insiders,windsurf]
    #[arg(long, env = "BOOKKEEPING_OAUTH_REDIRECT_SCHEMES", global = true, value_name = "SCHEMES")]
    pub oauth_redirect_schemes: Option<String>,
    /// Whether strangers may register at /app/v1/register [default: false; true with --demo]
    #[arg(
        long,
        env = "BOOKKEEPING_OPEN_REGISTRATION",
        global = true,
        value_name = "true|false",
        hide_possible_values = true
    )]
    pub open_registration: Option<bool>,
    /// Finished jobs and results are deleted after this [default: 30]
    #[arg(long, env = "BOOKKEEPING_JOB_RETENTION_DAYS", global = true, value_name = "DAYS")]
    pub job_retention_days: Option<u64>,
    /// Monthly allocation of a new person [default: 1000]
    #[arg(long, env = "BOOKKEEPING_DEFAULT_MONTHLY_CREDITS", global = true, value_name = "N")]
    pub default_monthly_credits: Option<i64>,
    /// Mail server; without it e-mails are files in <data_dir>/outbox [default: none]
    #[arg(long, env = "BOOKKEEPING_SMTP_URL", global = true, value_name = "URL", hide_env_values = true)]
    pub smtp_url: Option<String>,
    /// The address e-mails are sent from; required with smtp_url [default: none]
    #[arg(long, env = "BOOKKEEPING_MAIL_FROM", global = true, value_name = "ADDRESS")]
    pub mail_from: Option<String>,
    /// Selector of the DKIM key in the DNS [default: none]
    #[arg(long, env = "BOOKKEEPING_MAIL_DKIM_SELECTOR", global = true, value_name = "NAME")]
    pub mail_dkim_selector: Option<String>,
    /// Private key that signs e-mails, PEM of PKCS#8, RSA or Ed25519 [default: none]
    #[arg(long, env = "BOOKKEEPING_MAIL_DKIM_KEY_FILE", global = true, value_name = "FILE")]
    pub mail_dkim_key_file: Option<PathBuf>,
    /// E-mails that leave a minute, for each organisation and for each person over all they own [default: 60]
    #[arg(long, env = "BOOKKEEPING_MAIL_PER_MINUTE", global = true, value_name = "N")]
    pub mail_per_minute: Option<u64>,
    /// How long in-flight requests and the running job get on SIGTERM [default: 20]
    #[arg(long, env = "BOOKKEEPING_SHUTDOWN_GRACE_S", global = true, value_name = "SECONDS")]
    pub shutdown_grace_s: Option<u64>,
    /// `text` or `json` [default: text on a terminal, else json]
    #[arg(long, env = "BOOKKEEPING_LOG_FORMAT", global = true, value_name = "FORMAT")]
    pub log_format: Option<String>,
    /// Filter of the log, `tracing` syntax [default: info]
    #[arg(long, env = "BOOKKEEPING_LOG", global = true, value_name = "FILTER")]
    pub log: Option<String>,
    /// Whether each request has a line in the log [default: true]
    #[arg(long, env = "BOOKKEEPING_ACCESS_LOG", global = true, value_name = "true|false", hide_possible_values = true)]
    pub access_log: Option<bool>,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines, one object a line.
    Json,
}

/// The validated settings.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Public listener.
    pub listen: SocketAddr,
    /// Whether `listen` was given rather than defaulted.
    pub listen_given: bool,
    /// Operators' listener.
    pub ops_listen: SocketAddr,
    /// Whether `ops_listen` was given rather than defaulted.
    pub ops_listen_given: bool,
    /// Public URL, when given; else it follows the bound listener.
    pub base_url: Option<String>,
    /// Database, when given; else SQLite in `data_dir`.
    pub database_url: Option<String>,
    /// Folder for everything the service keeps in files.
    pub data_dir: PathBuf,
    /// Secret that signs web sessions, when given; else in `data_dir`.
    pub session_secret_file: Option<PathBuf>,
    /// Requests per window.
    pub rate_limit_requests: u64,
    /// Length of the window.
    pub rate_limit_window_s: u64,
    /// Waiting jobs per product.
    pub queue_capacity_jobs: u64,
    /// Of these, what one person may have waiting.
    pub queue_share_percent: u64,
    /// Largest body.
    pub max_body_bytes: u64,
    /// Bodies being read at once.
    pub max_body_bytes_in_flight: u64,
    /// Of these, what one person or address may take.
    pub body_share_percent: u64,
    /// Rows of a dataset.
    pub max_rows_per_dataset: u64,
    /// Transactions of a coding job.
    pub max_transactions_per_job: u64,
    /// Accounts of a coding job's chart.
    pub max_chart_accounts: u64,
    /// Invoices of a coding job.
    pub max_invoices_per_job: u64,
    /// Longest time for a body.
    pub body_deadline_s: u64,
    /// Slowest body.
    pub min_body_bytes_per_s: u64,
    /// Longest run of a job.
    pub job_deadline_s: u64,
    /// Lease of a product's slot.
    pub job_lease_ms: u64,
    /// Trust in cached keys.
    pub key_staleness_limit_s: u64,
    /// Replay of idempotency keys.
    pub idempotency_retention_h: u64,
    /// Shortest password.
    pub password_min_length: u64,
    /// Live keys of a person.
    pub max_keys_per_person: u64,
    /// Progress sockets of a web session.
    pub max_sockets_per_session: u64,
    /// Longest time for the head of a request.
    pub client_request_timeout_s: u64,
    /// Longest time in which a client reads nothing of its answer.
    pub client_write_timeout_s: u64,
    /// Proxies whose word counts.
    pub trusted_proxies: Vec<IpNet>,
    /// Origins whose pages may use the tool server; that of the public URL when empty.
    pub mcp_allowed_origins: Vec<String>,
    /// Lifetime of an access token.
    pub oauth_access_token_s: u64,
    /// Lifetime of a refresh token that is not used.
    pub oauth_refresh_idle_days: u64,
    /// How long a used refresh token may come back.
    pub oauth_refresh_grace_s: u64,
    /// Registrations of clients by one address.
    pub oauth_registrations_per_hour: u64,
    /// Whether clients may be known by their documents.
    pub oauth_client_metadata_documents: bool,
    /// Private schemes of redirect URIs.
    pub oauth_redirect_schemes: Vec<String>,
    /// Whether strangers may register, when given; else only in the demonstration.
    pub open_registration: Option<bool>,
    /// Retention of finished jobs.
    pub job_retention_days: u64,
    /// Allocation of a new person.
    pub default_monthly_credits: i64,
    /// Mail server.
    pub smtp: Option<SmtpServer>,
    /// The address e-mails are sent from, when given.
    pub mail_from: Option<String>,
    /// The DKIM selector and the file of its key.
    pub mail_dkim: Option<(String, PathBuf)>,
    /// Pace of e-mails.
    pub mail_per_minute: u64,
    /// Grace on SIGTERM.
    pub shutdown_grace_s: u64,
    /// Form of log lines.
    pub log_format: Option<LogFormat>,
    /// Filter of log lines.
    pub log: String,
    /// Whether each request has a line.
    pub access_log: bool,
}

impl Overrides {
    /// Reads a settings file; an unknown key is an error.
    pub fn from_file(path: &Path) -> Result<Self, FileError> {
        let unusable = |message: String| FileError::Unusable { path: path.display().to_string(), message };
        config::Config::builder()
            .add_source(config::File::from(path).format(config::FileFormat::Toml))
            .build()
            .and_then(config::Config::try_deserialize)
            .map_err(|error| unusable(error.to_string()))
    }

    /// These settings where given, else the other level's.
    pub fn or(self, lower: Self) -> Self {
        macro_rules! layer {
            ($($field:ident),* $(,)?) => { Self { $($field: self.$field.or(lower.$field)),* } };
        }
        layer!(
            listen,
            ops_listen,
            base_url,
            database_url,
            data_dir,
            session_secret_file,
            rate_limit_requests,
            rate_limit_window_s,
            queue_capacity_jobs,
            queue_share_percent,
            max_body_bytes,
            max_body_bytes_in_flight,
            body_share_percent,
            max_rows_per_dataset,
            max_transactions_per_job,
            max_chart_accounts,
            max_invoices_per_job,
            body_deadline_s,
            min_body_bytes_per_s,
            job_deadline_s,
            job_lease_ms,
            key_staleness_limit_s,
            idempotency_retention_h,
            password_min_length,
            max_keys_per_person,
            max_sockets_per_session,
            client_request_timeout_s,
            client_write_timeout_s,
            trusted_proxies,
            mcp_allowed_origins,
            oauth_access_token_s,
            oauth_refresh_idle_days,
            oauth_refresh_grace_s,
            oauth_registrations_per_hour,
            oauth_client_metadata_documents,
            oauth_redirect_schemes,
            open_registration,
            job_retention_days,
            default_monthly_credits,
            smtp_url,
            mail_from,
            mail_dkim_selector,
            mail_dkim_key_file,
            mail_per_minute,
            shutdown_grace_s,
            log_format,
            log,
            access_log,
        )
    }

    /// What was given, as `key=value` with spaces between; what may hold a password is named and not shown.
    pub fn summary(&self) -> String {
        const SECRET: [&str; 2] = ["database_url", "smtp_url"];
        let given = serde_json::to_value(self).unwrap_or_default();
        let given = given.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
        let shown = given.map(|(key, value)| match value.as_str() {
            _ if SECRET.contains(&key.as_str()) => format!("{key}=(given)"),
            Some(text) => format!("{key}={text}"),
            None => format!("{key}={value}"),
        });
        shown.collect::<Vec<_>>().join(" ")
    }
}

fn bounded(key: &'static str, given: Option<u64>, default: u64, low: u64, high: u64) -> Result<u64, SettingError> {
    let value = given.unwrap_or(default);
    if (low..=high).contains(&value) {
        return Ok(value);
    }
    Err(SettingError { key, value: value.to_string(), allowed: format!("{low} to {high}") })
}

fn address(key: &'static str, given: Option<&String>, default: &str) -> Result<SocketAddr, SettingError> {
    let text = given.map_or(default, String::as_str);
    text.parse().map_err(|_| SettingError {
        key,
        value: text.to_owned(),
        allowed: "an IP address and a port, such as 127.0.0.1:8080 or [::1]:0".to_owned(),
    })
}

fn url(key: &'static str, given: Option<String>, schemes: &[&str]) -> Result<Option<String>, SettingError> {
    match given {
        Some(text) if !schemes.iter().any(|scheme| text.len() > scheme.len() && text.starts_with(scheme)) => {
            // Only the scheme is shown: the rest may hold a password.
            let shown = text.split_once(':').map_or("(no scheme)", |(scheme, _)| scheme);
            Err(SettingError {
                key,
                value: format!("{shown}…"),
                allowed: format!("a URL starting with {}", schemes.join(" or ")),
            })
        }
        other => Ok(other),
    }
}

/// Reads values separated by commas.
fn list<T>(
    key: &'static str,
    given: Option<&String>,
    allowed: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, SettingError> {
    let texts = given.into_iter().flat_map(|given| given.split(',')).map(str::trim).filter(|text| !text.is_empty());
    let unusable = |text: &str| SettingError { key, value: text.to_owned(), allowed: allowed.to_owned() };
    texts.map(|text| read(text).ok_or_else(|| unusable(text))).collect()
}

/// Reads an origin as browsers write it: scheme, host and, unless it is the scheme's own, port.
fn origin(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization()).filter(|origin| *origin == text.to_ascii_lowercase())
}

/// Reads the public origin: metadata, cookies and the issuer hang on it, so it has neither path, query nor user.
fn base_url(text: &str) -> Result<String, SettingError> {
    let without_slash = text.strip_suffix('/').unwrap_or(text);
    origin(without_slash).ok_or_else(|| {
        // A password is not shown.
        let value = if text.contains('@') { "(with a user)" } else { text }.to_owned();
        let allowed = "an origin: http:// or https://, a host and, unless it is the scheme's own, a port".to_owned();
        SettingError { key: "base_url", value, allowed }
    })
}

/// Reads the private schemes of redirect URIs.
fn redirect_schemes(given: Option<&String>) -> Result<Vec<String>, SettingError> {
    const DEFAULT: [&str; 4] = ["cursor", "vscode", "vscode-insiders", "windsurf"];
    const ALLOWED: &str = "private schemes separated by commas, such as cursor,vscode; none that browsers know";
    let read = |text: &str| redirect::is_private_scheme(text).then(|| text.to_owned());
    match given {
        Some(given) => list("oauth_redirect_schemes", Some(given), ALLOWED, read),
        None => Ok(DEFAULT.map(str::to_owned).to_vec()),
    }
}

/// Reads `smtps://user:password@host:port` or `smtp://…`; name and password may be percent-encoded.
fn smtp_server(text: &str) -> Result<SmtpServer, SettingError> {
    let unusable = |allowed: &str| {
        // Only the scheme is shown: the rest may hold a password.
        let shown = text.split_once(':').map_or("(no scheme)", |(scheme, _)| scheme);
        SettingError { key: "smtp_url", value: format!("{shown}…"), allowed: allowed.to_owned() }
    };
    const ALLOWED: &str =
        "smtps://HOST or smtp://HOST, with USER:PASSWORD@ before the host and :PORT after it where needed";
    let parsed = url::Url::parse(text).map_err(|_| unusable(ALLOWED))?;
    let decoded = |text: &str| {
        let text = percent_encoding::percent_decode_str(text).decode_utf8().ok()?;
        (!text.contains(char::is_control)).then(|| text.into_owned())
    };
    let host = parsed.host_str().filter(|host| !host.is_empty()).ok_or_else(|| unusable(ALLOWED))?;
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let is_loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let (security, port) = match parsed.scheme() {
        "smtps" => (SmtpSecurity::Tls, 465),
        "smtp" if is_loopback => (SmtpSecurity::Plain, 25),
        "smtp" => (SmtpSecurity::StartTls, 587),
        _ => return Err(unusable("a URL starting with smtp:// or smtps://")),
    };
    if !matches!(parsed.path(), "" | "/") || parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(unusable(ALLOWED));
    }
    let credentials = match (parsed.username(), parsed.password()) {
        ("", None) => None,
        (user, password) => {
            let read = decoded(user).filter(|user| !user.is_empty()).zip(decoded(password.unwrap_or_default()));
            Some(read.ok_or_else(|| unusable(ALLOWED))?)
        }
    };
    Ok(SmtpServer { host, port: parsed.port().unwrap_or(port), security, credentials })
}

fn mail_from(given: Option<String>, is_needed: bool) -> Result<Option<String>, SettingError> {
    let allowed = || "an e-mail address, such as books@example.com; required with smtp_url".to_owned();
    match given {
        Some(address) if is_address(&address) => Ok(Some(address)),
        Some(value) => Err(SettingError { key: "mail_from", value, allowed: allowed() }),
        None if is_needed => Err(SettingError { key: "mail_from", value: String::new(), allowed: allowed() }),
        None => Ok(None),
    }
}

fn mail_dkim(
    selector: Option<String>,
    key_file: Option<PathBuf>,
    from: Option<&str>,
) -> Result<Option<(String, PathBuf)>, SettingError> {
    let error = |value: String, allowed: &str| {
        Err(SettingError { key: "mail_dkim_selector", value, allowed: allowed.to_owned() })
    };
    match (selector, key_file) {
        (None, None) => Ok(None),
        (Some(selector), Some(file)) => {
            let is_label = |label: &str| {
                !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            };
            if !selector.split('.').all(is_label) {
                return error(selector, "letters, digits, hyphens and dots, as in the DNS");
            }
            if from.is_none() {
                return error(selector, "together with mail_from, whose domain signs");
            }
            Ok(Some((selector, file)))
        }
        (selector, _) => error(selector.unwrap_or_default(), "together with mail_dkim_key_file, or neither"),
    }
}

fn log_format(given: Option<&str>) -> Result<Option<LogFormat>, SettingError> {
    match given {
        None => Ok(None),
        Some("text") => Ok(Some(LogFormat::Text)),
        Some("json") => Ok(Some(LogFormat::Json)),
        Some(other) => {
            Err(SettingError { key: "log_format", value: other.to_owned(), allowed: "text or json".to_owned() })
        }
    }
}

fn log_filter(given: Option<String>) -> Result<String, SettingError> {
    let log = given.unwrap_or_else(|| "info".to_owned());
    match tracing_subscriber::EnvFilter::try_new(&log) {
        Ok(_) => Ok(log),
        Err(error) => Err(SettingError { key: "log", value: log, allowed: format!("a tracing filter ({error})") }),
    }
}

fn monthly_credits(given: i64) -> Result<i64, SettingError> {
    if (0..=1_000_000_000_000).contains(&given) {
        return Ok(given);
    }
    Err(SettingError {
        key: "default_monthly_credits",
        value: given.to_string(),
        allowed: "0 to 1000000000000".to_owned(),
    })
}

/// A network, or an address as the network of it alone.
fn network(text: &str) -> Option<IpNet> {
    text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(|address| address.to_canonical().into()))
}

impl Settings {
    /// Validates; every value that cannot be used is named with what is allowed.
    pub fn resolve(given: Overrides) -> Result<Self, SettingError> {
        const LARGE: u64 = 1 << 40;
        const ADDRESSES: &str = "IP addresses and networks such as 10.0.0.0/8, separated by commas";
        const ORIGINS: &str = "origins separated by commas, such as https://agent.example or http://localhost:6274";
        let proxies = given.trusted_proxies.as_ref();
        let trusted_proxies = list("trusted_proxies", proxies, ADDRESSES, network)?;
        let mcp_allowed_origins = list("mcp_allowed_origins", given.mcp_allowed_origins.as_ref(), ORIGINS, origin)?;
        let log_format = log_format(given.log_format.as_deref())?;
        let log = log_filter(given.log)?;
        let default_monthly_credits = monthly_credits(given.default_monthly_credits.unwrap_or(1000))?;
        Ok(Self {
            listen: address("listen", given.listen.as_ref(), "127.0.0.1:8080")?,
            listen_given: given.listen.is_some(),
            ops_listen: address("ops_listen", given.ops_listen.as_ref(), "127.0.0.1:9464")?,
            ops_listen_given: given.ops_listen.is_some(),
            base_url: given.base_url.map(|text| base_url(&text)).transpose()?,
            database_url: url("database_url", given.database_url, &["sqlite://", "postgres://", "postgresql://"])?,
            data_dir: given.data_dir.unwrap_or_else(|| PathBuf::from("./data")),
            session_secret_file: given.session_secret_file,
            rate_limit_requests: bounded(
                "rate_limit_requests",
                given.rate_limit_requests,
                120,
                1,
                crate::domain::caller::RATE_LIMIT_MAX,
            )?,
            rate_limit_window_s: bounded("rate_limit_window_s", given.rate_limit_window_s, 60, 1, 86_400)?,
            queue_capacity_jobs: bounded("queue_capacity_jobs", given.queue_capacity_jobs, 100, 1, 1_000_000)?,
            queue_share_percent: bounded("queue_share_percent", given.queue_share_percent, 25, 1, 100)?,
            max_body_bytes: bounded("max_body_bytes", given.max_body_bytes, 26_214_400, 1024, LARGE)?,
            body_share_percent: bounded("body_share_percent", given.body_share_percent, 25, 1, 100)?,
            max_body_bytes_in_flight: bounded(
                "max_body_bytes_in_flight",
                given.max_body_bytes_in_flight,
                268_435_456,
                1024,
                LARGE,
            )?,
            max_rows_per_dataset: bounded("max_rows_per_dataset", given.max_rows_per_dataset, 250_000, 1, 10_000_000)?,
            max_transactions_per_job: bounded(
                "max_transactions_per_job",
                given.max_transactions_per_job,
                100_000,
                1,
                10_000_000,
            )?,
            max_chart_accounts: bounded("max_chart_accounts", given.max_chart_accounts, 5_000, 1, 1_000_000)?,
            max_invoices_per_job: bounded("max_invoices_per_job", given.max_invoices_per_job, 10_000, 1, 1_000_000)?,
            body_deadline_s: bounded("body_deadline_s", given.body_deadline_s, 300, 1, 86_400)?,
            min_body_bytes_per_s: bounded("min_body_bytes_per_s", given.min_body_bytes_per_s, 32_768, 0, LARGE)?,
            job_deadline_s: bounded("job_deadline_s", given.job_deadline_s, 300, 1, 86_400)?,
            job_lease_ms: bounded("job_lease_ms", given.job_lease_ms, 15_000, 1_000, 600_000)?,
            key_staleness_limit_s: bounded("key_staleness_limit_s", given.key_staleness_limit_s, 30, 1, 86_400)?,
            idempotency_retention_h: bounded("idempotency_retention_h", given.idempotency_retention_h, 24, 1, 8_760)?,
            password_min_length: bounded("password_min_length", given.password_min_length, 12, 8, 128)?,
            max_keys_per_person: bounded("max_keys_per_person", given.max_keys_per_person, 100, 1, 1_000_000)?,
            max_sockets_per_session: bounded("max_sockets_per_session", given.max_sockets_per_session, 8, 1, 100_000)?,
            client_request_timeout_s: bounded(
                "client_request_timeout_s",
                given.client_request_timeout_s,
                10,
                1,
                3_600,
            )?,
            client_write_timeout_s: bounded("client_write_timeout_s", given.client_write_timeout_s, 30, 1, 3_600)?,
            trusted_proxies,
            mcp_allowed_origins,
            oauth_access_token_s: bounded("oauth_access_token_s", given.oauth_access_token_s, 3_600, 60, 86_400)?,
            oauth_refresh_idle_days: bounded("oauth_refresh_idle_days", given.oauth_refresh_idle_days, 60, 1, 365)?,
            oauth_refresh_grace_s: bounded("oauth_refresh_grace_s", given.oauth_refresh_grace_s, 60, 0, 300)?,
            oauth_registrations_per_hour: bounded(
                "oauth_registrations_per_hour",
                given.oauth_registrations_per_hour,
                20,
                1,
                1_000_000,
            )?,
            oauth_client_metadata_documents: given.oauth_client_metadata_documents.unwrap_or(true),
            oauth_redirect_schemes: redirect_schemes(given.oauth_redirect_schemes.as_ref())?,
            open_registration: given.open_registration,
            job_retention_days: bounded("job_retention_days", given.job_retention_days, 30, 1, 36_500)?,
            default_monthly_credits,
            mail_dkim: mail_dkim(given.mail_dkim_selector, given.mail_dkim_key_file, given.mail_from.as_deref())?,
            mail_from: mail_from(given.mail_from, given.smtp_url.is_some())?,
            smtp: given.smtp_url.map(|text| smtp_server(&text)).transpose()?,
            mail_per_minute: bounded("mail_per_minute", given.mail_per_minute, 60, 1, 1_000_000)?,
            shutdown_grace_s: bounded("shutdown_grace_s", given.shutdown_grace_s, 20, 0, 3_600)?,
            log_format,
            log,
            access_log: given.access_log.unwrap_or(true),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_level_wins_and_defaults_fill_the_rest() {
        let file =
            Overrides { listen: Some("127.0.0.1:1".into()), queue_capacity_jobs: Some(7), ..Overrides::default() };
        let flags = Overrides { listen: Some("127.0.0.1:2".into()), ..Overrides::default() };
        let settings = Settings::resolve(flags.or(file)).expect("usable");
        assert_eq!(settings.listen.port(), 2);
        assert_eq!((settings.queue_capacity_jobs, settings.rate_limit_requests), (7, 120));
    }

    #[test]
    fn an_unusable_value_is_named_with_what_is_allowed() {
        let error =
            Settings::resolve(Overrides { job_lease_ms: Some(1), ..Overrides::default() }).expect_err("too small");
        assert_eq!(error.to_string(), "setting job_lease_ms: \"1\" is not usable; allowed: 1000 to 600000");
        let error =
            Settings::resolve(Overrides { database_url: Some("mysql://u:secret@h".into()), ..Overrides::default() });
        assert!(!error.expect_err("unknown scheme").to_string().contains("secret"));
    }

    #[test]
    fn a_mail_server_is_private_unless_it_is_this_machine() {
        let read = |url: &str| {
            let given = Overrides {
                smtp_url: Some(url.to_owned()),
                mail_from: Some("books@example.com".to_owned()),
                ..Overrides::default()
            };
            Settings::resolve(given).map(|settings| settings.smtp.expect("a server"))
        };
        let of = |url: &str| read(url).map(|server| (server.host, server.port, server.security)).expect("usable");
        assert_eq!(of("smtps://mail.example.com"), ("mail.example.com".to_owned(), 465, SmtpSecurity::Tls));
        assert_eq!(of("smtp://mail.example.com:2525/"), ("mail.example.com".to_owned(), 2525, SmtpSecurity::StartTls));
        assert_eq!(of("smtp://127.0.0.1:2500"), ("127.0.0.1".to_owned(), 2500, SmtpSecurity::Plain));
        assert_eq!(of("smtp://[::1]"), ("::1".to_owned(), 25, SmtpSecurity::Plain));
        assert_eq!(of("smtps://localhost"), ("localhost".to_owned(), 465, SmtpSecurity::Tls));
        let server = read("smtps://me%40example.com:p%3A%2Fss@mail.example.com").expect("usable");
        assert_eq!(server.credentials, Some(("me@example.com".to_owned(), "p:/ss".to_owned())));
        assert!(!format!("{server:?}").contains("ss"), "{server:?}");
        for bad in [
            "http://x.example",
            "smtp://",
            "smtps://:secret@x.example",
            "smtp://x.example/path",
            "smtp://u%0d%0a:p@x.example",
            "x",
        ] {
            let error = read(bad).expect_err(bad).to_string();
            assert!(error.starts_with("setting smtp_url") && !error.contains("secret"), "{bad}: {error}");
        }
        let given = |given: Overrides| Settings::resolve(given).expect_err("incomplete").key;
        assert_eq!(given(Overrides { smtp_url: Some("smtp://127.0.0.1".into()), ..Overrides::default() }), "mail_from");
        assert_eq!(given(Overrides { mail_from: Some("a@b.co, c@d.co".into()), ..Overrides::default() }), "mail_from");
        let half = Overrides { mail_dkim_selector: Some("books".into()), ..Overrides::default() };
        assert_eq!(given(half), "mail_dkim_selector");
    }

    #[test]
    fn an_unknown_key_in_the_file_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bookkeeping.toml");
        std::fs::write(&path, "listne = \"127.0.0.1:1\"\n").expect("written");
        let message = Overrides::from_file(&path).expect_err("unknown key").to_string();
        assert!(message.contains("listne"), "{message}");
        std::fs::write(&path, "listen = \"127.0.0.1:1\"\nqueue_capacity_jobs = 3\n").expect("written");
        let read = Overrides::from_file(&path).expect("usable");
        assert_eq!((read.listen.as_deref(), read.queue_capacity_jobs), (Some("127.0.0.1:1"), Some(3)));
        assert!(Overrides::from_file(&folder.path().join("absent.toml")).is_err());
    }
}
