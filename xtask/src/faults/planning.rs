//! Plans, imports, opening balances and loads of coding sessions by tools while servers die: one service killed between previews and commits and inside them, and two on
//! one PostgreSQL either of which is killed every two seconds, with plans of the one committed by the other.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;

use super::Bench;
use super::postings::check;
use crate::{
    books::Books,
    planning::{Clients, Planning, reckon},
    postgres::Postgres,
    program::{Installation, Person, SCOPES, Server, create_key},
    reckoning::Account,
    report::Finding,
};

/// Clients that plan.
const CLIENTS: usize = 8;
/// Keys they plan with.
const KEYS: usize = 20;
/// Organisations they work on.
const ORGANISATIONS: usize = 3;

/// Credits that no run uses up.
const CREDITS: u64 = 1_000_000;

/// What clients work on, and who pays for it.
struct Work {
    planning: Arc<Planning>,
    person: Person,
}

impl Work {
    /// What was drawn from the credits.
    fn spent(&self, installation: &Installation) -> Result<u64> {
        let left = Account::of(installation, &self.person)?.available();
        Ok(CREDITS.saturating_sub(u64::try_from(left)?))
    }
}

/// Somebody with keys, organisations of theirs, and as many others whose balances are opened.
fn work(installation: &Installation, server: &Server, targets: &[&Installation], unopened: usize) -> Result<Work> {
    let person = installation.add_person("planner@example.com", CREDITS, 0)?;
    let mut connection = server.connect()?;
    let keys =
        (0..KEYS).map(|number| create_key(&mut connection, &person.session, &format!("planner {number}"), &SCOPES));
    let keys = keys.map(|key| key.map(|key| key.plaintext)).collect::<Result<Vec<_>>>()?;
    let first = keys.first().map_or("", String::as_str);
    let mut made = |name: &str, count: usize| -> Result<Vec<Books>> {
        (0..count).map(|number| Books::create(&mut connection, first, &format!("{name} {number}"))).collect()
    };
    let (books, unopened) = (made("Books", ORGANISATIONS)?, made("Unopened", unopened)?);
    let targets = targets.iter().map(|installation| installation.public()).collect();
    Ok(Work { planning: Arc::new(Planning::new(targets, keys, books, unopened)), person })
}

/// The service is killed 10 to 250 ms after its first answer while clients plan and commit.
pub(super) fn kill(bench: &Bench<'_>, finding: &mut Finding) -> Result<()> {
    let kills = bench.options.kills.unwrap_or_else(|| bench.full_or_sample(500, 12));
    let mut random = bench.random.clone();
    let (installation, _postgres) = bench.installation("service")?;
    let mut server = installation.serve_ready()?;
    let work = work(&installation, &server, &[&installation], bench.full_or_sample(500, 20))?;
    let clients = Clients::start(&work.planning, CLIENTS, &random)?;
    for kill in 0..kills {
        if server.wait_ready(Duration::from_secs(60)).is_err() {
            finding.broken(format!("kill {kill}: the service did not start: {}", server.last_words()));
            break;
        }
        thread::sleep(Duration::from_millis(random.between(10, 250)));
        if let Some(status) = server.process.ended() {
            finding
                .broken(format!("kill {kill}: the service had ended by itself with {status}: {}", server.last_words()));
        }
        server.process.kill()?;
        drop(server);
        server = installation.serve(&[])?;
    }
    server.wait_ready(Duration::from_secs(60))?;
    let done = clients.stop()?;
    finding.count("kills", kills);
    reckon(&work.planning, &mut server.connect()?, &done, work.spent(&installation)?, finding)?;
    finding.take(&work.planning.complaints);
    let confirmed = work.planning.confirmed();
    finding.must(confirmed >= kills / 2, format!("only {confirmed} were confirmed: the scenario tests nothing"));
    server.terminate()?;
    check(&installation, finding)
}

/// Two processes on one PostgreSQL, both asked, either killed every two seconds.
pub(super) fn two_processes(bench: &Bench<'_>, finding: &mut Finding) -> Result<()> {
    let mut random = bench.random.clone();
    let postgres = Postgres::start(&bench.folder.join("postgres"))?;
    let installation = |name: &str| -> Result<Installation> {
        Ok(Installation::new(&bench.program, &bench.folder.join(name))?.with("database_url", &postgres.url()))
    };
    let (left, right) = (installation("left")?, installation("right")?);
    let mut servers = [left.serve_ready()?, right.serve_ready()?];
    let [first, _] = &servers;
    let work = work(&left, first, &[&left, &right], bench.full_or_sample(500, 20))?;
    // A new key is known to the other process within a second.
    thread::sleep(Duration::from_secs(1));
    let clients = Clients::start(&work.planning, CLIENTS, &random)?;
    let deadline = Instant::now() + Duration::from_secs(bench.full_or_sample(180, 12));
    let mut kills = 0_u64;
    while Instant::now() < deadline {
        thread::sleep(Duration::from_secs(2));
        let victim = random.index(2);
        let (Some(server), Some(installation)) = (servers.get_mut(victim), [&left, &right].get(victim).copied()) else {
            continue;
        };
        if let Some(status) = server.process.ended() {
            finding.broken(format!("a process had ended by itself with {status}: {}", server.last_words()));
        }
        server.process.kill()?;
        kills += 1;
        *server = installation.serve(&[])?;
    }
    for server in &mut servers {
        server.wait_ready(Duration::from_secs(60))?;
    }
    let done = clients.stop()?;
    finding.count("kills", kills);
    let [left_server, right_server] = servers;
    reckon(&work.planning, &mut right_server.connect()?, &done, work.spent(&left)?, finding)?;
    finding.take(&work.planning.complaints);
    let confirmed = work.planning.confirmed();
    finding.must(confirmed > 3 * kills, format!("only {confirmed} were confirmed: the scenario tests nothing"));
    left_server.terminate()?;
    right_server.terminate()?;
    check(&left, finding)
}
