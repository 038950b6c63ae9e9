//! The command line: every command of the operating contract, with its options explained.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::config::Overrides;

/// Reconciliation, coding and double-entry books behind one REST API.
///
/// Settings are taken from the built-in default, then bookkeeping.toml (or --config FILE), then the environment, then
/// flags. Data goes to standard output, messages for people to standard error. Exit code 0 is success, 2 is bad usage or
/// configuration, 1 is anything else.
#[derive(Debug, Parser)]
#[command(name = "bookkeeping", version, propagate_version = true, max_term_width = 110)]
pub struct Cli {
    /// Settings file [default: bookkeeping.toml when there is one]
    #[arg(long, env = "BOOKKEEPING_CONFIG", global = true, value_name = "FILE", help_heading = "Settings")]
    pub config: Option<PathBuf>,
    /// Settings given as flags or in the environment.
    #[command(flatten)]
    pub overrides: Overrides,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Migrate, recover unfinished jobs, then serve both listeners until SIGTERM or SIGINT
    Serve(ServeArguments),
    /// Apply pending migrations and say which
    Migrate,
    /// Print the OpenAPI 3.1 document
    Openapi,
    /// People
    #[command(subcommand)]
    User(UserCommand),
    /// Organisations and their members
    #[command(subcommand)]
    Organisation(OrganisationCommand),
    /// Credits
    #[command(subcommand)]
    Credits(CreditsCommand),
    /// Re-derive everything that is derived and compare; prints the differences and exits 1 when there is any
    Check {
        /// Only the books of this organisation
        #[arg(long, value_name = "ID")]
        organisation: Option<i64>,
    },
}

/// `serve`.
#[derive(Debug, Args)]
pub struct ServeArguments {
    /// Start on fresh sample data in <data_dir>/demo, run the samples through the API and print what to try next
    #[arg(long)]
    pub demo: bool,
}

/// `user …`.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Create a person; prints its id, and the password when it was generated
    Add {
        /// E-mail address, the name to log in with
        #[arg(long)]
        email: String,
        /// Name [default: the e-mail address]
        #[arg(long)]
        name: Option<String>,
        /// File that holds the password; without it one is generated and printed
        #[arg(long, value_name = "FILE")]
        password_file: Option<PathBuf>,
        /// Credits each month [default: the setting default_monthly_credits]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..=1_000_000_000_000))]
        monthly_credits: Option<i64>,
        /// Credits that do not expire
        #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..=1_000_000_000_000))]
        bonus_credits: i64,
        /// The subscription permits overage
        #[arg(long)]
        overage: bool,
    },
    /// Print a web-session token for a person, nothing else
    Session {
        /// E-mail address of the person
        #[arg(long)]
        email: String,
        /// Seconds the token is valid
        #[arg(long, value_name = "SECONDS", default_value_t = crate::session::SESSION_TTL_S, value_parser = clap::value_parser!(i64).range(1..=31_536_000))]
        ttl_s: i64,
    },
}

/// `organisation …`.
#[derive(Debug, Subcommand)]
pub enum OrganisationCommand {
    /// Create an organisation owned by a person; prints its record
    Add {
        /// E-mail address of the owner
        #[arg(long)]
        email: String,
        /// Name of the organisation
        #[arg(long)]
        name: String,
        /// Add a VAT Control account too
        #[arg(long)]
        vat_control: bool,
    },
    /// Make a person an accepted member
    AddMember {
        /// The organisation
        #[arg(long, value_name = "ID")]
        organisation: i64,
        /// E-mail address of the person
        #[arg(long)]
        email: String,
        /// What the person may do
        #[arg(long, value_parser = ["owner", "admin", "bookkeeper", "viewer"])]
        role: String,
    },
}

/// `credits …`.
#[derive(Debug, Subcommand)]
pub enum CreditsCommand {
    /// Add bonus credits
    Grant {
        /// E-mail address of the person
        #[arg(long)]
        email: String,
        /// Credits to add
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=1_000_000_000_000))]
        bonus: i64,
        /// Why, recorded with the movement
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Print balances and the movements behind them
    Show {
        /// E-mail address of the person
        #[arg(long)]
        email: String,
    },
}
