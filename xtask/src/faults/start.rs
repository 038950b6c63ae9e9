//! From the start of the process to its first 200, on a database that has been in use.

use std::time::Duration;

use anyhow::Result;

use super::{Bench, two_people};
use crate::{
    datasets::charged,
    jobs::run_one,
    program::{Profile, create_key},
    report::Finding,
    statistics::{greatest, median, milliseconds, short},
};

/// The bar, in milliseconds, for the release build.
const BAR_MS: f64 = 200.0;

pub(super) fn run(bench: &Bench<'_>, finding: &mut Finding) -> Result<()> {
    let mut random = bench.random.clone();
    let (installation, _postgres) = bench.installation("service")?;
    // A start with many keys is measured, whoever has them.
    let installation = installation.with("max_keys_per_person", "1000000");
    let server = installation.serve_ready()?;
    let mut connection = server.connect()?;
    let (people, keys) = two_people(&installation, &mut connection, 1_000)?;
    let (many_keys, jobs) = bench.full_or_sample((2_000, 300), (100, 20));
    for number in 0..many_keys {
        if let Some(given) = people.first() {
            create_key(&mut connection, &given.person.session, &format!("key {number}"), &["reconcile:read"])?;
        }
    }
    for product in bench.products().iter().cycle().take(jobs) {
        let dataset = charged(*product, &mut random, 20);
        if let Some(key) = keys.first() {
            let patience = Duration::from_secs(60);
            run_one(&mut connection, *product, &key.plaintext, &dataset.body, Duration::ZERO, patience)?;
        }
    }
    server.terminate()?;
    let mut times = Vec::new();
    for round in 0..10 {
        let mut server = installation.serve(&[])?;
        times.push(milliseconds(server.wait_ready(Duration::from_secs(60))?));
        // Half of the restarts follow a crash, which is when recovery has something to do.
        if round % 2 == 0 {
            server.terminate()?;
        } else {
            server.process.kill()?;
        }
    }
    finding.count("keys", many_keys);
    finding.count("jobs", jobs);
    finding.count("median_ms", short(median(&times)));
    finding.count("max_ms", short(greatest(&times)));
    // The bar is one for the program people run; a debug build is only kept from being absurd.
    let bar = if bench.profile == Profile::Release { BAR_MS } else { 10.0 * BAR_MS };
    finding.must(
        greatest(&times) <= bar,
        format!("the first 200 came {:.1} ms after the start, the bar is {bar} ms", greatest(&times)),
    );
    Ok(())
}
