//! Peak memory of the largest and most awkward jobs, submitted, matched and read back over HTTP.

use std::time::Duration;

use anyhow::Result;

use super::Bench;
use crate::{
    datasets::{SHAPES, generator, shape},
    http::Request,
    jobs::{Outcome, RECONCILIATIONS, run_one},
    program::{Installation, SCOPES, create_key},
    report::Finding,
    statistics::{real64, short},
};

/// The bar above the idle process, in MB (10^6 bytes).
const BAR_MB: f64 = 190.0;

fn megabytes(kib: u64) -> f64 {
    short(real64(kib) * 1_024.0 / 1e6)
}

pub(super) fn run(bench: &Bench<'_>, finding: &mut Finding) -> Result<()> {
    // A tenth of the rows says whether every shape is answered; only full size says anything about memory.
    let share = bench.full_or_sample(1, 50);
    let mut worst: f64 = 0.0;
    for name in SHAPES {
        let request = shape(name, share, &bench.folder)?;
        // Each shape meets a fresh process, so that one's leftovers are not another's.
        let installation = Installation::new(&bench.program, &bench.folder.join(name))?;
        let server = installation.serve_ready()?;
        let mut connection = server.connect()?;
        let person = installation.add_person("memory@example.com", 0, 10_000_000)?;
        let key = create_key(&mut connection, &person.session, "memory", &SCOPES)?.plaintext;
        let tiny = br#"{"bank":[{"date":"2024-01-01","amount":1,"description":"x"}],"book":[]}"#;
        run_one(&mut connection, &key, tiny, Duration::from_millis(5), Duration::from_secs(30))?;
        server.process.forget_peak()?;
        let idle = server.process.resident_kib()?;
        let (outcome, id, time) =
            run_one(&mut connection, &key, &request.body, Duration::from_millis(10), Duration::from_secs(300))?;
        finding.must(matches!(outcome, Outcome::Completed(_)), format!("{name}: the job ended as {outcome:?}"));
        // Two more readings of the whole result: what a reader costs must not add up.
        let path = format!("{RECONCILIATIONS}/{id}");
        let mut answer_bytes = 0;
        for _ in 0..2 {
            let reply = connection.send(&Request::get(&path, Some(&key)))?;
            finding.must(reply.status == 200, format!("{name}: reading the result was answered {}", reply.status));
            answer_bytes = reply.body.len();
        }
        let above = megabytes(server.process.peak_kib()?.saturating_sub(idle));
        worst = worst.max(above);
        finding.count(name, format!("{above} MB in {:.2} s (result {} kB)", time.as_secs_f64(), answer_bytes / 1_000));
        finding.must(
            above <= BAR_MB,
            format!("{name}: {above} MB above idle ({} MB), the bar is {BAR_MB} MB", megabytes(idle)),
        );
        server.terminate()?;
        let _ = std::fs::remove_dir_all(installation.folder());
    }
    finding.count("worst_mb_above_idle", worst);
    finding
        .count("realistic_from", if generator().is_some() { "the statement generator" } else { "our own generator" });
    Ok(())
}
