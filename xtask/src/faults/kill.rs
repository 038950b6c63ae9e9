//! The service is killed again and again, 20 to 400 ms after its start, while eight clients submit and poll.

use std::{sync::Arc, thread, time::Duration};

use anyhow::Result;

use super::{Bench, STUCK, two_people};
use crate::{
    datasets::pool,
    jobs::{Clients, Workload, settle},
    reckoning::reckon,
    report::Finding,
};

pub(super) fn run(bench: &Bench<'_>, finding: &mut Finding) -> Result<()> {
    let kills = bench.options.kills.unwrap_or_else(|| bench.full_or_sample(1_000, 25));
    let mut random = bench.random.clone();
    let (installation, _postgres) = bench.installation("service")?;
    // On PostgreSQL nobody may take a dead process's slot before its lease is over. With the usual 15 s hardly a job would
    // ever run between two kills.
    let installation = installation.with("job_lease_ms", "1000");

    let mut server = installation.serve_ready()?;
    let (mut people, keys) = two_people(&installation, &mut server.connect()?, bench.full_or_sample(60_000, 4_000))?;
    // New keys are known to every process within a second, and to this one at once.
    let workload =
        Arc::new(Workload::new(vec![installation.public()], keys, pool(&bench.products(), &mut random, 64, 2_000)));
    let clients = Clients::start(&workload, 8, &random)?;

    let (mut unready, mut early) = (0_u64, 0_u64);
    for kill in 0..kills {
        let pause = Duration::from_millis(random.between(20, 400));
        // Counted from the process's start in every second round, so that recovery itself is interrupted, and from
        // its first answer in the others, so that slow builds are killed at work too.
        if kill % 2 == 0 {
            thread::sleep(pause.saturating_sub(server.started().elapsed()));
            early += 1;
        } else if server.wait_ready(Duration::from_secs(60)).is_err() {
            unready += 1;
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
        // Credits arrive in between, as they do in life: from the command line, while nothing serves.
        if kill % 50 == 49 {
            let amount = 5_000;
            let email = "poor@example.com";
            installation.run(&[
                "credits",
                "grant",
                "--email",
                email,
                "--bonus",
                &amount.to_string(),
                "--reason",
                "top-up",
            ])?;
            if let Some(poor) = people.iter_mut().find(|given| given.person.email == email) {
                poor.credits += amount;
            }
        }
        server = installation.serve(&[])?;
    }
    let recovery = server.wait_ready(Duration::from_secs(60))?;
    let mut jobs = clients.stop()?;
    let mut connection = server.connect()?;
    settle(&workload, &mut connection, &mut jobs, STUCK)?;

    finding.count("kills", kills - unready);
    finding.count("kills_counted_from_process_start", early);
    finding.count("last_start_ms", u64::try_from(recovery.as_millis())?);
    reckon(&installation, &mut connection, &workload, &jobs, &people, finding)?;
    finding.take(&workload.complaints);
    finding.must(
        workload.acknowledged() >= kills / 2,
        format!("only {} submissions were accepted: the scenario tests nothing", workload.acknowledged()),
    );
    server.terminate()?;
    let (consistent, text) = installation.attempt(&["check"])?;
    finding.must(consistent, format!("`bookkeeping check` after an orderly end: {}", text.trim()));
    Ok(())
}
