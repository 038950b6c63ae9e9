//! Two processes on one PostgreSQL: either is killed every two seconds while clients use both. Beforehand, in peace:
//! how soon a key revoked through one is refused by the other, and how soon one takes over when the other dies.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use super::{Bench, STUCK, two_people};
use crate::{
    datasets::{charged, pool},
    http::{Connection, Request},
    jobs::{Clients, Workload, run_one, settle},
    postgres::Postgres,
    products::Product,
    program::{Installation, Person, Server, create_key},
    reckoning::reckon,
    report::Finding,
    statistics::{greatest, median, milliseconds, short},
};

/// A key revoked anywhere is refused everywhere within a second.
const REVOCATION_BAR: Duration = Duration::from_secs(1);
/// The other process has the slot within half a minute.
const TAKEOVER_BAR: Duration = Duration::from_secs(30);

pub(super) fn run(bench: &Bench<'_>, finding: &mut Finding) -> Result<()> {
    let mut random = bench.random.clone();
    let postgres = Postgres::start(&bench.folder.join("postgres"))?;
    let installations = ["left", "right"].map(|name| {
        Installation::new(&bench.program, &bench.folder.join(name))
            .map(|installation| installation.with("database_url", &postgres.url()))
    });
    let [left, right] = installations;
    let (left, right) = (left?, right?);
    let installation = left.clone();
    let installations = [&left, &right];
    let mut servers = [left.serve_ready()?, right.serve_ready()?];

    let [first, _] = &servers;
    let (people, keys) = two_people(&installation, &mut first.connect()?, bench.full_or_sample(200_000, 20_000))?;
    let owner = people.first().context("nobody to revoke keys for")?.person.clone();
    revocations(&servers, &owner, bench.full_or_sample(200, 20), finding)?;
    takeovers(
        &mut servers,
        installations,
        keys.first().map_or("", |key| key.plaintext.as_str()),
        &bench.products(),
        bench.full_or_sample(6, 2),
        finding,
    )?;

    let targets = vec![left.public(), right.public()];
    let workload = Arc::new(Workload::new(targets, keys, pool(&bench.products(), &mut random, 64, 2_000)));
    let clients = Clients::start(&workload, 8, &random)?;
    let deadline = Instant::now() + Duration::from_secs(bench.full_or_sample(180, 20));
    let (mut kills, mut longest_without_end) = (0_u64, Duration::ZERO);
    while Instant::now() < deadline {
        thread::sleep(Duration::from_secs(2));
        if let Some(latest) = workload.latest_end() {
            longest_without_end = longest_without_end.max(latest.elapsed());
        }
        let victim = random.index(2);
        let (Some(server), Some(installation)) = (servers.get_mut(victim), installations.get(victim)) else { continue };
        if let Some(status) = server.process.ended() {
            finding.broken(format!("a process had ended by itself with {status}: {}", server.last_words()));
        }
        server.process.kill()?;
        kills += 1;
        // In every third case it stays away for a while, so that the other must carry on alone.
        if kills % 3 == 0 {
            thread::sleep(Duration::from_millis(random.between(200, 1_500)));
        }
        *server = installation.serve(&[])?;
    }
    for server in &mut servers {
        server.wait_ready(Duration::from_secs(60))?;
    }
    let mut jobs = clients.stop()?;
    let [left_server, right_server] = servers;
    let mut connection = left_server.connect()?;
    settle(&workload, &mut connection, &mut jobs, STUCK)?;
    finding.count("kills", kills);
    finding.count("longest_without_a_finished_job_s", short(longest_without_end.as_secs_f64()));
    // The other process must tell the same story.
    let mut other = right_server.connect()?;
    reckon(&installation, &mut other, &workload, &jobs, &people, finding)?;
    finding.take(&workload.complaints);
    finding.must(
        workload.acknowledged() > kills,
        format!("only {} submissions were accepted: the scenario tests nothing", workload.acknowledged()),
    );
    left_server.terminate()?;
    right_server.terminate()?;
    drop(postgres);
    Ok(())
}

fn is_accepted(connection: &mut Connection, key: &str) -> Result<bool> {
    let reply = connection.send(&Request::get("/api/v1/me", Some(key)))?;
    ensure!(reply.status == 200 || reply.status == 401, "/api/v1/me answered {}", reply.summary());
    Ok(reply.status == 200)
}

/// Wait until the key is (or is no longer) accepted there; how long it took.
fn wait_for(connection: &mut Connection, key: &str, accepted: bool) -> Result<Duration> {
    let begun = Instant::now();
    while is_accepted(connection, key)? != accepted {
        ensure!(
            begun.elapsed() < Duration::from_secs(20),
            "a key was not {} elsewhere after 20 s",
            if accepted { "known" } else { "refused" }
        );
        thread::sleep(Duration::from_millis(2));
    }
    Ok(begun.elapsed())
}

fn revocations(servers: &[Server; 2], owner: &Person, trials: u64, finding: &mut Finding) -> Result<()> {
    let [left, right] = servers;
    let (mut left, mut right) = (left.connect()?, right.connect()?);
    let (mut known, mut refused) = (Vec::new(), Vec::new());
    for trial in 0..trials {
        std::mem::swap(&mut left, &mut right);
        let key = create_key(&mut left, &owner.session, &format!("trial {trial}"), &["reconcile:read"])?;
        known.push(milliseconds(wait_for(&mut right, &key.plaintext, true)?));
        let path = format!("/api/v1/keys/{}", key.id);
        let reply = left.send(&Request { method: "DELETE", ..Request::get(&path, Some(&owner.session)) })?;
        ensure!(reply.status == 200, "revoking a key answered {}", reply.summary());
        let revoked = Instant::now();
        finding.must(
            !is_accepted(&mut left, &key.plaintext)?,
            "a revoked key was accepted by the process that revoked it",
        );
        wait_for(&mut right, &key.plaintext, false)?;
        let time = revoked.elapsed();
        finding.must(
            time <= REVOCATION_BAR,
            format!("trial {trial}: a revoked key was refused elsewhere only after {time:?}"),
        );
        refused.push(milliseconds(time));
    }
    finding.count("revocations", trials);
    finding.count("revoked_elsewhere_median_ms", short(median(&refused)));
    finding.count("revoked_elsewhere_max_ms", short(greatest(&refused)));
    finding.count("new_key_known_elsewhere_max_ms", short(greatest(&known)));
    Ok(())
}

/// Kill one and let the other run a job. After the first trial the one that is killed is certain to hold the slot,
/// because it was alone when it ran the job before.
fn takeovers(
    servers: &mut [Server; 2],
    installations: [&Installation; 2],
    key: &str,
    products: &[Product],
    trials: usize,
    finding: &mut Finding,
) -> Result<()> {
    let random = &mut crate::random::Random::new(1);
    let datasets: Vec<_> = products.iter().map(|product| charged(*product, random, 5)).collect();
    let mut times = Vec::new();
    for trial in 0..trials {
        let (victim, other) = if trial % 2 == 0 { (0, 1) } else { (1, 0) };
        let [first, second] = &mut *servers;
        let (killed, survivor) = if victim == 0 { (first, second) } else { (second, first) };
        killed.process.kill()?;
        let begun = Instant::now();
        let mut connection = survivor.connect()?;
        for dataset in &datasets {
            let (pause, patience) = (Duration::from_millis(5), Duration::from_secs(90));
            run_one(&mut connection, dataset.product, key, &dataset.body, pause, patience)?;
        }
        let time = begun.elapsed();
        finding.must(
            time <= TAKEOVER_BAR,
            format!("process {other} finished a job of each product only {time:?} after process {victim} was killed"),
        );
        times.push(time.as_secs_f64());
        if let (Some(server), Some(installation)) = (servers.get_mut(victim), installations.get(victim)) {
            *server = installation.serve_ready()?;
        }
    }
    finding.count("takeovers", trials);
    finding.count("takeover_max_s", short(greatest(&times)));
    Ok(())
}
