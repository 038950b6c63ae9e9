//! Peak memory of the largest and most awkward jobs, submitted, worked through and read back over HTTP.

use std::time::Duration;

use anyhow::Result;

use super::Bench;
use crate::{
    coding_datasets,
    datasets::{SHAPES, charged, generator, shape},
    http::Request,
    jobs::{Outcome, run_one},
    products::Product,
    program::{Installation, SCOPES, create_key},
    report::Finding,
    statistics::{real64, short},
};

/// The bar above the idle process, in MB (10^6 bytes).
const fn bar_mb(product: Product) -> f64 {
    match product {
        Product::Reconciliation => 190.0,
        Product::Coding => 200.0,
    }
}

fn megabytes(kib: u64) -> f64 {
    short(real64(kib) * 1_024.0 / 1e6)
}

pub(super) fn run(bench: &Bench<'_>, finding: &mut Finding) -> Result<()> {
    // A tenth of the rows says whether every shape is answered; only full size says anything about memory.
    let share = bench.full_or_sample(1, 50);
    let mut worst: f64 = 0.0;
    let products = bench.products();
    let of_reconciliation = SHAPES.iter().map(|name| (Product::Reconciliation, *name));
    let of_coding = coding_datasets::SHAPES.iter().map(|name| (Product::Coding, *name));
    for (product, name) in of_reconciliation.chain(of_coding).filter(|(product, _)| products.contains(product)) {
        let request = match product {
            Product::Reconciliation => shape(name, share, &bench.folder)?,
            Product::Coding => coding_datasets::shape(name, share)?,
        };
        // Each shape meets a fresh process, so that one's leftovers are not another's.
        let installation = Installation::new(&bench.program, &bench.folder.join(name))?;
        let server = installation.serve_ready()?;
        let mut connection = server.connect()?;
        let person = installation.add_person("memory@example.com", 0, 10_000_000)?;
        let key = create_key(&mut connection, &person.session, "memory", &SCOPES)?.plaintext;
        // What a product loads once and keeps is not the memory of a job.
        let tiny = charged(product, &mut bench.random.clone(), 1).body;
        run_one(&mut connection, product, &key, &tiny, Duration::from_millis(5), Duration::from_secs(30))?;
        server.process.forget_peak()?;
        let idle = server.process.resident_kib()?;
        let (outcome, id, time) = run_one(
            &mut connection,
            product,
            &key,
            &request.body,
            Duration::from_millis(10),
            Duration::from_secs(300),
        )?;
        finding.must(matches!(outcome, Outcome::Completed(_)), format!("{name}: the job ended as {outcome:?}"));
        // Two more readings of the whole result: what a reader costs must not add up.
        let path = product.poll_path(&id);
        let mut answer_bytes = 0;
        for _ in 0..2 {
            let reply = connection.send(&Request::get(&path, Some(&key)))?;
            finding.must(reply.status == 200, format!("{name}: reading the result was answered {}", reply.status));
            answer_bytes = reply.body.len();
        }
        let above = megabytes(server.process.peak_kib()?.saturating_sub(idle));
        worst = worst.max(above);
        finding.count(name, format!("{above} MB in {:.2} s (result {} kB)", time.as_secs_f64(), answer_bytes / 1_000));
        let bar = bar_mb(product);
        finding
            .must(above <= bar, format!("{name}: {above} MB above idle ({} MB), the bar is {bar} MB", megabytes(idle)));
        server.terminate()?;
        let _ = std::fs::remove_dir_all(installation.folder());
    }
    finding.count("worst_mb_above_idle", worst);
    finding
        .count("realistic_from", if generator().is_some() { "the statement generator" } else { "our own generator" });
    Ok(())
}
