//! Suggestions while the server dies: killed between asking, the end of the job and confirming, and inside each.

use std::{sync::Arc, thread, time::Duration};

use anyhow::Result;

use super::Bench;
use super::postings::check;
use crate::{
    books::Books,
    program::{SCOPES, create_key},
    reckoning::Account,
    report::Finding,
    suggesting::{Clients, Suggesting, reckon},
};

/// Clients that ask and confirm.
const CLIENTS: usize = 6;
/// Organisations they work on.
const ORGANISATIONS: usize = 3;
/// Credits that no run uses up.
const CREDITS: u64 = 1_000_000;

/// The service is killed 10 to 250 ms after its first answer while clients import, ask, poll and confirm.
pub(super) fn kill(bench: &Bench<'_>, finding: &mut Finding) -> Result<()> {
    let kills = bench.options.kills.unwrap_or_else(|| bench.full_or_sample(500, 12));
    let mut random = bench.random.clone();
    let (installation, _postgres) = bench.installation("service")?;
    // On PostgreSQL nobody may take a dead process's slot before its lease is over.
    let installation = installation.with("job_lease_ms", "1000");
    let mut server = installation.serve_ready()?;
    let person = installation.add_person("suggested@example.com", CREDITS, 0)?;
    let mut connection = server.connect()?;
    let key = create_key(&mut connection, &person.session, "suggesting", &SCOPES)?.plaintext;
    let books = (0..ORGANISATIONS).map(|number| Books::create(&mut connection, &key, &format!("Books {number}")));
    let books = books.collect::<Result<Vec<_>>>()?;
    let work = Arc::new(Suggesting::new(&mut connection, key, books)?);
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
    let left = Account::of(&installation, &person)?.available();
    let spent = CREDITS.saturating_sub(u64::try_from(left)?);
    reckon(&work, &mut server.connect()?, &done, spent, finding)?;
    finding.take(&work.complaints);
    let confirmed = work.confirmed();
    finding.must(confirmed >= kills / 2, format!("only {confirmed} were confirmed: the scenario tests nothing"));
    server.terminate()?;
    check(&installation, finding)
}
