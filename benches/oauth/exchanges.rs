//! Token exchanges in flight at once, each on a connection of its own, against the same rows committed one exchange after the
//! other; then as many refreshes.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use xtask::{
    load::{Answered, at_once},
    program::{Installation, copy_data},
    statistics::{percentile, real, short, sorted},
};

use crate::seed::{Seeded, database_url, seed};
use crate::slow_sync::SlowSync;
use crate::support::{installation, serve};
use crate::{bare, requests};

/// Times the rate of single commits of the same rows.
const RATE_BAR: f64 = 3.0;
/// The longest that all but one in a hundred may take, in seconds.
const P99_BAR_S: f64 = 3.0;
/// How long all of them may take before the run counts as hanging.
const PATIENCE: Duration = Duration::from_secs(120);

/// Tokens as a client was given them.
struct Given {
    access: String,
    refresh: String,
}

fn given(answers: &[Answered]) -> Result<Vec<Given>> {
    let read = |answer: &Answered| {
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        ensure!(answer.status == 200, "an exchange was answered {}: {text}", answer.status);
        let body: Value = serde_json::from_str(&text)?;
        let token = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned).context("no token");
        Ok(Given { access: token("access_token")?, refresh: token("refresh_token")? })
    };
    answers.iter().map(read).collect()
}

/// Whether all tokens differ and let their clients in.
fn must_work(address: std::net::SocketAddr, tokens: &[Given]) -> Result<()> {
    let distinct: HashSet<&str> = tokens.iter().flat_map(|given| [&*given.access, &*given.refresh]).collect();
    ensure!(distinct.len() == 2 * tokens.len(), "only {} of {} tokens differ", distinct.len(), 2 * tokens.len());
    let asked: Vec<Vec<u8>> = tokens.iter().map(|given| requests::me(address, &given.access)).collect();
    let (answers, _) = at_once(address, &asked, PATIENCE)?;
    let refused = answers.iter().filter(|answer| answer.status != 200).count();
    ensure!(refused == 0, "{refused} of {} access tokens do not work", answers.len());
    Ok(())
}

/// What a burst of exchanges came to.
fn row(name: &str, text: &mut String, answers: &[Answered], elapsed: Duration, bare: f64) -> Result<Value> {
    let latencies = sorted(answers.iter().map(|answer| answer.latency.as_secs_f64()).collect());
    let rate = real(answers.len()) / elapsed.as_secs_f64().max(1e-9);
    let (p50, p99, ratio) = (percentile(&latencies, 0.5), percentile(&latencies, 0.99), rate / bare.max(1e-9));
    let is_met = ratio >= RATE_BAR && p99 <= P99_BAR_S;
    writeln!(
        text,
        "{name:<10}{:>7} at once: {rate:>7.0}/s, {ratio:>6.2} times (bar {RATE_BAR}) {bare:.0}/s committed one by one; p50 {p50:.2} s, \
         p99 {p99:.2} s (bar {P99_BAR_S} s){}",
        answers.len(),
        if is_met { "" } else { "  MISSED" }
    )?;
    Ok(json!({
        "name": name, "count": answers.len(), "per_s": short(rate), "bare_per_s": short(bare), "ratio": short(ratio),
        "p50_s": short(p50), "p99_s": short(p99), "met": is_met,
    }))
}

/// Exchanges in an installation in `parent`, whose fsyncs may be held up.
pub fn measure(count: usize, parent: &Path, slow: Option<&SlowSync>, text: &mut String) -> Result<Value> {
    let wrapper = slow.map_or_else(Vec::new, SlowSync::wrapper);
    let (_folder, installation) = installation(parent)?;
    installation.add_person("bench@example.com", 1_000, 1_000)?;
    let seeded: Vec<Seeded> = seed(&database_url(installation.folder()), count)?;
    let copy = tempfile::Builder::new().prefix("bookkeeping-bare-").tempdir_in(parent)?;
    copy_data(installation.folder(), copy.path())?;
    let time = Duration::from_millis(u64::try_from(count.min(1_000))?);
    let single = || bare::rate(&database_url(copy.path()), &wrapper, time);

    let server = serve(&installation, &wrapper)?;
    let address = server.public();
    let before = single()?;
    let redemptions: Vec<Vec<u8>> = seeded.iter().map(|seeded| requests::redemption(address, seeded)).collect();
    let (answers, elapsed) = at_once(address, &redemptions, PATIENCE)?;
    let between = single()?;
    let tokens = given(&answers)?;
    must_work(address, &tokens)?;
    let exchanged = row("exchanges", text, &answers, elapsed, (before + between) / 2.0)?;

    let pairs = seeded.iter().zip(&tokens);
    let refreshes: Vec<Vec<u8>> =
        pairs.map(|(seeded, given)| requests::refresh(address, &seeded.client_id, &given.refresh)).collect();
    let (answers, elapsed) = at_once(address, &refreshes, PATIENCE)?;
    let after = single()?;
    let next = given(&answers)?;
    must_work(address, &next)?;
    must_work(address, &tokens)?;
    let refreshed = row("refreshes", text, &answers, elapsed, (between + after) / 2.0)?;
    server.terminate()?;
    check(&installation)?;
    Ok(json!([exchanged, refreshed]))
}

fn check(installation: &Installation) -> Result<()> {
    let (consistent, text) = installation.attempt(&["check"])?;
    ensure!(consistent, "`bookkeeping check`: {}", text.trim());
    Ok(())
}
