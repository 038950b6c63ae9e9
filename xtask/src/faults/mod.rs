//! `cargo xtask faults`: break the service in ways that happen, and look for anything lost, charged twice or slow.

mod bodies;
mod connections;
mod credits;
mod kill;
mod mail;
mod memory;
mod planning;
mod postings;
mod start;
mod suggesting;
mod two_processes;

use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::{
    http::Connection,
    jobs::OwnedKey,
    products::{Product, chosen},
    program::{Installation, Profile, Program, SCOPES, create_key},
    random::Random,
    reckoning::Given,
    report::Finding,
};

/// The scenarios, in the order in which they are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scenario {
    /// `kill -9` of the whole service while clients submit
    Kill,
    /// Two processes on one PostgreSQL, either killed every two seconds
    TwoProcesses,
    /// `kill -9` of the whole service while clients post journals
    PostingKill,
    /// Two processes on one PostgreSQL that are both posted to, either killed every two seconds
    PostingTwoProcesses,
    /// Many concurrent jobs on credits for two
    Credits,
    /// `kill -9` of the whole service while clients plan, commit, import, open balances and load sessions by tools
    PlanKill,
    /// Two processes on one PostgreSQL, plans of either committed by either, either killed every two seconds
    PlanTwoProcesses,
    /// `kill -9` of the whole service while clients have bank lines suggested and confirm them
    SuggestKill,
    /// `kill -9` while e-mails leave by a mail server and into the outbox, of one service and of two
    Mail,
    /// Time from the start to the first answer
    Start,
    /// Many large unauthenticated bodies at once
    Bodies,
    /// Peak memory of the largest jobs
    Memory,
    /// Connections that ask for large answers and read nothing
    Unread,
    /// Connections that send the head of a request for ever
    SlowHeads,
}

impl Scenario {
    /// All of them.
    const ALL: [Self; 14] = [
        Self::Kill,
        Self::TwoProcesses,
        Self::Credits,
        Self::Start,
        Self::Bodies,
        Self::Memory,
        Self::PostingKill,
        Self::PostingTwoProcesses,
        Self::Mail,
        Self::PlanKill,
        Self::PlanTwoProcesses,
        Self::Unread,
        Self::SlowHeads,
        Self::SuggestKill,
    ];

    /// Whether it measures how long answers take, so that nothing may run beside it.
    const fn is_timed(self) -> bool {
        matches!(self, Self::Start | Self::Bodies | Self::Unread | Self::SlowHeads)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::TwoProcesses => "two-processes",
            Self::Credits => "credits",
            Self::Start => "start",
            Self::Bodies => "bodies",
            Self::Memory => "memory",
            Self::PostingKill => "posting-kill",
            Self::PostingTwoProcesses => "posting-two-processes",
            Self::PlanKill => "plan-kill",
            Self::PlanTwoProcesses => "plan-two-processes",
            Self::SuggestKill => "suggest-kill",
            Self::Mail => "mail",
            Self::Unread => "unread",
            Self::SlowHeads => "slow-heads",
        }
    }
}

/// Which database a scenario runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Database {
    /// The embedded one
    #[default]
    Sqlite,
    /// A private PostgreSQL server
    Postgres,
}

/// Options of `cargo xtask faults`.
#[derive(Debug, Args)]
pub struct Options {
    /// A few minutes' sample with the dev build instead of the full counts with the release build
    #[arg(long)]
    sample: bool,
    /// Makes every random choice; printed when something breaks
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Run this scenario alone (repeat for several)
    #[arg(long, value_name = "NAME")]
    only: Vec<Scenario>,
    /// Run those alone that measure how long answers take (true), or the others (false)
    #[arg(long, value_name = "BOOL", conflicts_with = "only")]
    timed: Option<bool>,
    /// Take this program instead of building one
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// How often `kill`, `posting-kill`, `plan-kill`, `suggest-kill` and `mail` kill [default: 1000, `plan-kill` and `suggest-kill` 500; 25, 20, 12, 12 and 8 with --sample]
    #[arg(long, value_name = "N")]
    kills: Option<u64>,
    /// Run the jobs of this product alone (repeat for several; all by default)
    #[arg(long, value_name = "NAME")]
    product: Vec<Product>,
    /// Database of `kill`, `credits`, `start`, `posting-kill`, `plan-kill`, `suggest-kill` and the one service of `mail`
    #[arg(long, value_enum, default_value_t)]
    database: Database,
    /// Write all figures to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What a scenario works with.
struct Bench<'a> {
    options: &'a Options,
    program: Program,
    profile: Profile,
    folder: PathBuf,
    random: Random,
}

impl Bench<'_> {
    /// An installation in a folder of that name, on the database asked for. The second part keeps the database server
    /// alive.
    fn installation(&self, name: &str) -> Result<(Installation, Option<crate::postgres::Postgres>)> {
        let installation = Installation::new(&self.program, &self.folder.join(name))?;
        match self.options.database {
            Database::Sqlite => Ok((installation, None)),
            Database::Postgres => {
                let postgres = crate::postgres::Postgres::start(&self.folder.join(format!("{name}-postgres")))?;
                Ok((installation.with("database_url", &postgres.url()), Some(postgres)))
            }
        }
    }

    /// The products whose jobs are run.
    fn products(&self) -> Vec<Product> {
        chosen(&self.options.product)
    }

    fn full_or_sample<T>(&self, full: T, sample: T) -> T {
        if self.options.sample { sample } else { full }
    }
}

/// Two people with two keys each: the first can pay for anything, the second soon cannot.
fn two_people(
    installation: &Installation,
    connection: &mut Connection,
    poor_credits: u64,
) -> Result<(Vec<Given>, Vec<OwnedKey>)> {
    const RICH: u64 = 500_000_000;
    let mut people = Vec::new();
    let mut keys = Vec::new();
    for (place, (email, bonus)) in
        [("rich@example.com", RICH), ("poor@example.com", poor_credits)].into_iter().enumerate()
    {
        let person = installation.add_person(email, 1_000, bonus)?;
        for name in ["one", "two"] {
            let key = create_key(connection, &person.session, name, &SCOPES)?;
            keys.push(OwnedKey { person: place, plaintext: key.plaintext });
        }
        people.push(Given { person, credits: 1_000 + bonus });
    }
    Ok((people, keys))
}

/// Run the scenarios; an error when any invariant was broken.
pub fn run(options: &Options) -> Result<()> {
    raise_open_files();
    let profile = if options.sample { Profile::Dev } else { Profile::Release };
    let program = match &options.binary {
        Some(path) => Program::at(path)?,
        None => Program::build(profile)?,
    };
    let mut scenarios = if options.only.is_empty() { Scenario::ALL.to_vec() } else { options.only.clone() };
    scenarios.retain(|scenario| options.timed.is_none_or(|timed| scenario.is_timed() == timed));
    let root = tempfile::Builder::new().prefix("bookkeeping-faults-").tempdir()?;
    let mut results: Vec<Value> = Vec::new();
    let mut failed = Vec::new();
    for scenario in scenarios {
        let name = scenario.name();
        let folder = root.path().join(name);
        fs::create_dir(&folder)?;
        let place = Scenario::ALL.iter().position(|known| *known == scenario).unwrap_or(0);
        let random = Random::new(options.seed).fork(u64::try_from(place).unwrap_or(0));
        let bench = Bench { options, program: program.clone(), profile, folder: folder.clone(), random };
        let mut finding = Finding::default();
        let begun = Instant::now();
        let outcome = match scenario {
            Scenario::Kill => kill::run(&bench, &mut finding),
            Scenario::TwoProcesses => two_processes::run(&bench, &mut finding),
            Scenario::Credits => credits::run(&bench, &mut finding),
            Scenario::Start => start::run(&bench, &mut finding),
            Scenario::Bodies => bodies::run(&bench, &mut finding),
            Scenario::Memory => memory::run(&bench, &mut finding),
            Scenario::PostingKill => postings::kill(&bench, &mut finding),
            Scenario::PostingTwoProcesses => postings::two_processes(&bench, &mut finding),
            Scenario::PlanKill => planning::kill(&bench, &mut finding),
            Scenario::PlanTwoProcesses => planning::two_processes(&bench, &mut finding),
            Scenario::SuggestKill => suggesting::kill(&bench, &mut finding),
            Scenario::Mail => mail::run(&bench, &mut finding),
            Scenario::Unread => connections::run(&bench, &mut finding, connections::Kind::Unread),
            Scenario::SlowHeads => connections::run(&bench, &mut finding, connections::Kind::SlowHeads),
        };
        if let Err(error) = outcome {
            finding.broken(format!("the scenario could not be carried out: {error:#}"));
        }
        let seconds = begun.elapsed().as_secs_f64();
        println!("{}", finding.line(name, seconds));
        for text in finding.broken_invariants() {
            println!("    {text}");
        }
        results.push(finding.json(name, seconds));
        if finding.holds() {
            // Databases of passed scenarios are not worth their space.
            let _ = fs::remove_dir_all(&folder);
        } else {
            failed.push(name);
        }
    }
    if let Some(path) = &options.json {
        let all = json!({ "seed": options.seed, "sample": options.sample, "scenarios": results });
        fs::write(path, format!("{all:#}\n")).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if !failed.is_empty() {
        let kept = root.keep();
        println!("seed {}, folder kept for inspection: {}", options.seed, kept.display());
    }
    ensure!(failed.is_empty(), "broken invariants in: {}", failed.join(", "));
    Ok(())
}

/// A thousand connections need more open files than some systems allow by default; `prlimit` raises our own limit as
/// far as it may, and the servers inherit it. Without it the scenario that needs them says so.
fn raise_open_files() {
    let id = std::process::id().to_string();
    for limit in ["--nofile=65536:65536", "--nofile=4096:4096"] {
        let raised = std::process::Command::new("prlimit")
            .args([limit, "--pid", &id])
            .stderr(std::process::Stdio::null())
            .status();
        if raised.is_ok_and(|status| status.success()) {
            return;
        }
    }
}

/// How long a queue may make no progress before its jobs count as stuck: a lost slot is taken over within 30 s.
const STUCK: Duration = Duration::from_secs(60);
