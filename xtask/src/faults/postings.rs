//! Postings to the books while servers die: one service killed again and again, and two on one PostgreSQL either of which
//! is killed every two seconds.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;

use super::Bench;
use crate::{
    books::Books,
    frozen::{FrozenReader, FrozenReports},
    http::Connection,
    postgres::Postgres,
    postings::{Clients, Postings, reckon},
    program::{Installation, SCOPES, Server, create_key},
    report::{Complaints, Finding},
};

/// Clients that post.
const CLIENTS: usize = 12;
/// Organisations they post to: several clients each, so that groups hold postings to one and to many.
const ORGANISATIONS: usize = 5;

/// Somebody with a key, and organisations of theirs.
fn work(installation: &Installation, server: &Server, targets: &[&Installation]) -> Result<Arc<Postings>> {
    let person = installation.add_person("keeper@example.com", 1_000, 0)?;
    let mut connection = server.connect()?;
    let key = create_key(&mut connection, &person.session, "keeper", &SCOPES)?.plaintext;
    let books = (0..ORGANISATIONS).map(|number| Books::create(&mut connection, &key, &format!("Books {number}")));
    let books = books.collect::<Result<Vec<_>>>()?;
    let targets = targets.iter().map(|installation| installation.public()).collect();
    Ok(Arc::new(Postings::new(targets, key, books)))
}

/// The service is killed 20 to 400 ms after its start, or after its first answer, while clients post.
pub(super) fn kill(bench: &Bench<'_>, finding: &mut Finding) -> Result<()> {
    let kills = bench.options.kills.unwrap_or_else(|| bench.full_or_sample(1_000, 20));
    let mut random = bench.random.clone();
    let (installation, _postgres) = bench.installation("service")?;
    let mut server = installation.serve_ready()?;
    let work = work(&installation, &server, &[&installation])?;
    let frozen = Arc::new(FrozenReports::make(&mut server.connect()?, work.key(), work.books(), &random)?);
    let complaints = Arc::new(Complaints::default());
    let connection = Connection::new(installation.public(), Duration::from_secs(30))?;
    let reader = FrozenReader::start(&frozen, &complaints, connection, random.fork(4_000));
    let clients = Clients::start(&work, CLIENTS, &random)?;
    for kill in 0..kills {
        let pause = Duration::from_millis(random.between(20, 400));
        // Counted from the start in every fourth round, so that recovery itself is interrupted.
        if kill % 4 == 0 {
            thread::sleep(pause.saturating_sub(server.started().elapsed()));
        } else if server.wait_ready(Duration::from_secs(60)).is_err() {
            finding.broken(format!("kill {kill}: the service did not start: {}", server.last_words()));
            break;
        } else {
            thread::sleep(pause);
        }
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
    let compared = reader.stop()?;
    frozen.compare(&mut server.connect()?, &complaints)?;
    finding.count("kills", kills);
    finding.count("locked_reports_compared", compared + u64::try_from(frozen.count())?);
    finding.take(&complaints);
    reckon(&work, &mut server.connect()?, &done, finding)?;
    finding.take(&work.complaints);
    finding.must(
        work.acknowledged() >= kills,
        format!("only {} journals were acknowledged: the scenario tests nothing", work.acknowledged()),
    );
    server.terminate()?;
    check(&installation, finding)
}

/// Two processes on one PostgreSQL, both posted to, either killed every two seconds.
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
        // In every third case it stays away for a while, so that the other must carry on alone.
        if kills.is_multiple_of(3) {
            thread::sleep(Duration::from_millis(random.between(200, 1_500)));
        }
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
    finding.must(
        work.acknowledged() > 10 * kills,
        format!("only {} journals were acknowledged: the scenario tests nothing", work.acknowledged()),
    );
    left_server.terminate()?;
    right_server.terminate()?;
    check(&left, finding)
}

/// Everything that can be derived anew is as it is kept.
pub(super) fn check(installation: &Installation, finding: &mut Finding) -> Result<()> {
    let (consistent, text) = installation.attempt(&["check"])?;
    finding.must(consistent, format!("`bookkeeping check` after an orderly end: {}", text.trim()));
    Ok(())
}
