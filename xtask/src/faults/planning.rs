//! Plans and imports by tools while servers die: one service killed between previews and commits and inside them, and two on
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
    program::{Installation, SCOPES, Server, create_key},
    report::Finding,
};

/// Clients that plan.
const CLIENTS: usize = 8;
/// Keys they plan with.
const KEYS: usize = 20;
/// Organisations they work on.
const ORGANISATIONS: usize = 3;

/// Somebody with a key, and organisations of theirs.
fn work(installation: &Installation, server: &Server, targets: &[&Installation]) -> Result<Arc<Planning>> {
    let person = installation.add_person("planner@example.com", 1_000, 0)?;
    let mut connection = server.connect()?;
    let keys =
        (0..KEYS).map(|number| create_key(&mut connection, &person.session, &format!("planner {number}"), &SCOPES));
    let keys = keys.map(|key| key.map(|key| key.plaintext)).collect::<Result<Vec<_>>>()?;
    let first = keys.first().map_or("", String::as_str);
    let books = (0..ORGANISATIONS).map(|number| Books::create(&mut connection, first, &format!("Books {number}")));
    let books = books.collect::<Result<Vec<_>>>()?;
    let targets = targets.iter().map(|installation| installation.public()).collect();
    Ok(Arc::new(Planning::new(targets, keys, books)))
}

/// The service is killed 10 to 250 ms after its first answer while clients plan and commit.
pub(super) fn kill(bench: &Bench<'_>, finding: &mut Finding) -> Result<()> {
    let kills = bench.options.kills.unwrap_or_else(|| bench.full_or_sample(500, 12));
    let mut random = bench.random.clone();
    let (installation, _postgres) = bench.installation("service")?;
    let mut server = installation.serve_ready()?;
    let work = work(&installation, &server, &[&installation])?;
    let clients = Clients::start(&work, CLIENTS, &random)?;
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
    reckon(&work, &mut server.connect()?, &done, finding)?;
    finding.take(&work.complaints);
    let confirmed = work.confirmed();
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
    let work = work(&left, first, &[&left, &right])?;
    // A new key is known to the other process within a second.
    thread::sleep(Duration::from_secs(1));
    let clients = Clients::start(&work, CLIENTS, &random)?;
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
    reckon(&work, &mut right_server.connect()?, &done, finding)?;
    finding.take(&work.complaints);
    let confirmed = work.confirmed();
    finding.must(confirmed > 3 * kills, format!("only {confirmed} were confirmed: the scenario tests nothing"));
    left_server.terminate()?;
    right_server.terminate()?;
    check(&left, finding)
}
