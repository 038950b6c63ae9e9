//! Twenty jobs at once on credits for two: two are paid, the others fail for want of credits, and nothing else happens.

use std::{sync::Barrier, thread, time::Duration};

use anyhow::{Context, Result};

use super::{Bench, STUCK};
use crate::{
    datasets::charged,
    http::{Connection, Reply, Request},
    jobs::{Job, Outcome, OwnedKey, Workload, settle},
    program::{SCOPES, create_key},
    reckoning::Account,
    report::Finding,
};

const CONCURRENT: usize = 20;

pub(super) fn run(bench: &Bench<'_>, finding: &mut Finding) -> Result<()> {
    let rounds: u64 = bench.full_or_sample(50, 4);
    let mut random = bench.random.clone();
    let products = bench.products();
    let (installation, _postgres) = bench.installation("service")?;
    let server = installation.serve_ready()?;
    let mut connection = server.connect()?;
    let (mut paid, mut refused_at_submit, mut failed_later) = (0_usize, 0_usize, 0_usize);
    for round in 0..rounds {
        let rows = if round == 0 { 1 } else { random.between(2, 300) };
        // In every second round part of the price comes from the monthly allocation and part from the bonus.
        let (monthly, bonus) = if round % 2 == 0 { (2 * rows, 0) } else { (rows / 2, 2 * rows - rows / 2) };
        let person = installation.add_person(&format!("round-{round}@example.com"), monthly, bonus)?;
        let key = create_key(&mut connection, &person.session, "only", &SCOPES)?.plaintext;
        let product = products.get(usize::try_from(round)? % products.len()).copied().context("no product")?;
        let dataset = charged(product, &mut random, rows);
        let workload = Workload::new(
            vec![server.public()],
            vec![OwnedKey { person: 0, plaintext: key.clone() }],
            vec![dataset.clone()],
        );

        let gate = Barrier::new(CONCURRENT);
        let replies: Vec<std::io::Result<Reply>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..CONCURRENT)
                .map(|_| {
                    scope.spawn(|| {
                        let mut connection =
                            Connection::new(server.public(), Duration::from_secs(30)).map_err(std::io::Error::other)?;
                        gate.wait();
                        connection.send(&Request::post(product.path(), Some(&key), &dataset.body))
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| Err(std::io::Error::other("a client panicked"))))
                .collect()
        });
        let mut jobs = Vec::new();
        for reply in replies {
            let reply = reply?;
            match reply.status {
                202 => {
                    let id = reply
                        .json()
                        .get(product.id_field())
                        .and_then(|id| id.as_str().map(str::to_owned))
                        .unwrap_or_default();
                    jobs.push(Job { id, key: 0, dataset: 0, idempotency: None, outcome: None });
                }
                402 if reply.error_code() == "insufficient_credits" => {
                    let details = reply.json();
                    let required = details.pointer("/error/details/required").and_then(serde_json::Value::as_u64);
                    finding.must(required == Some(rows), format!("a 402 names {required:?} credits instead of {rows}"));
                    refused_at_submit += 1;
                }
                _ => finding.broken(format!("a submission was answered {}", reply.summary())),
            }
        }
        settle(&workload, &mut connection, &mut jobs, STUCK)?;
        finding.take(&workload.complaints);
        let completed = jobs.iter().filter(|job| job.outcome == Some(Outcome::Completed(rows))).count();
        let short =
            jobs.iter().filter(|job| job.outcome == Some(Outcome::Failed("insufficient_credits".into()))).count();
        finding.must(
            completed == 2,
            format!("round {round}: {completed} jobs of {rows} credits were paid out of {}", 2 * rows),
        );
        finding.must(
            completed + short == jobs.len(),
            format!("round {round}: of {} jobs {completed} were paid and {short} short of credits", jobs.len()),
        );
        let account = Account::of(&installation, &person)?;
        finding.must(account.available() == 0, format!("round {round}: {} credits are left", account.available()));
        paid += completed;
        failed_later += short;
    }
    let (consistent, text) = installation.attempt(&["check"])?;
    finding.must(consistent, format!("`bookkeeping check` found differences: {}", text.trim()));
    finding.count("rounds", rounds);
    finding.count("paid", paid);
    finding.count("failed_insufficient_credits", failed_later);
    finding.count("refused_402", refused_at_submit);
    server.terminate()
}
