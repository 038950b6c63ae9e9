//! What several do at once to one connection: a code redeemed by many, many codes redeemed twice, refreshes against a revocation.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use xtask::load::{Answered, at_once};

use crate::requests;
use crate::seed::{Seeded, database_url, seed};
use crate::support::{installation, serve};

const PATIENCE: Duration = Duration::from_secs(120);
/// Refreshes at once.
const REFRESHES: usize = 50;
/// How often one refresh token may be used: once, and as often again as the grace allows.
const USES: usize = 6;

fn text_of(answer: &Answered, name: &str) -> Option<String> {
    let body: Value = serde_json::from_slice(&answer.body).ok()?;
    body.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// Runs all of them; an error where a token lives that must not.
pub fn measure(is_small: bool, text: &mut String) -> Result<Value> {
    // One process fails as often as many do here, so that it counts as many strangers' addresses.
    let (callers, codes, rounds) = if is_small { (100, 20, 3) } else { (1_000, 1_000, 200) };
    let (_folder, installation) = installation(&std::env::temp_dir())?;
    let installation = installation.with("trusted_proxies", "127.0.0.1");
    installation.add_person("bench@example.com", 1_000, 1_000)?;
    let seeded = seed(&database_url(installation.folder()), 1 + codes + rounds)?;
    let server = serve(&installation, &[])?;
    let address = server.public();
    let alive = |tokens: &[String]| -> Result<usize> {
        let asked: Vec<Vec<u8>> = tokens.iter().map(|token| requests::me(address, token)).collect();
        let (answers, _) = at_once(address, &asked, PATIENCE)?;
        Ok(answers.iter().filter(|answer| answer.status == 200).count())
    };
    let is_invalid =
        |answer: &Answered| answer.status == 400 && text_of(answer, "error").as_deref() == Some("invalid_grant");

    let one = seeded.first().context("no connection")?;
    let asked: Vec<Vec<u8>> = (0..callers).map(|number| from(number, requests::redemption(address, one))).collect();
    let (answers, _) = at_once(address, &asked, PATIENCE)?;
    let given: Vec<String> = answers.iter().filter_map(|answer| text_of(answer, "access_token")).collect();
    let refused = answers.iter().filter(|answer| is_invalid(answer)).count();
    ensure!(given.len() == 1 && refused == callers - 1, "one code: {} answered 200, {refused} refused", given.len());
    let living = alive(&given)? + alive(std::slice::from_ref(&one.access))?;
    ensure!(living == 0, "{living} tokens outlive the replay of their code");
    writeln!(text, "one code redeemed {callers} times at once: one 200, {refused} refused, its tokens dead")?;

    let many = seeded.get(1..=codes).context("too few connections")?;
    let asked: Vec<Vec<u8>> = many
        .iter()
        .enumerate()
        .flat_map(|(number, seeded)| {
            [0, 1].map(|second| from(2 * number + second, requests::redemption(address, seeded)))
        })
        .collect();
    let (answers, _) = at_once(address, &asked, PATIENCE)?;
    let mut tokens = Vec::new();
    for pair in answers.chunks(2) {
        let given: Vec<String> = pair.iter().filter_map(|answer| text_of(answer, "access_token")).collect();
        let refused = pair.iter().filter(|answer| is_invalid(answer)).count();
        ensure!(given.len() == 1 && refused == 1, "a code redeemed twice: {} answered 200", given.len());
        tokens.extend(given);
    }
    tokens.extend(many.iter().map(|seeded| seeded.access.clone()));
    let living = alive(&tokens)?;
    ensure!(living == 0, "{living} tokens outlive the replay of their codes");
    writeln!(text, "{codes} codes redeemed twice at once: one 200 each, all tokens dead")?;

    let (mut succeeded, mut late) = (0, 0);
    for (round, seeded) in seeded.iter().skip(1 + codes).enumerate() {
        let (won, after) = refreshes_against_revocation(address, seeded, round)?;
        let living = alive(&won)?;
        ensure!(living == 0, "round {round}: {living} tokens outlive the revocation");
        // The token it had before is among them.
        succeeded += won.len() - 1;
        late += after;
    }
    writeln!(
        text,
        "{REFRESHES} refreshes against one revocation, {rounds} rounds: {succeeded} refreshed, {late} refused, no token alive after"
    )?;
    server.terminate()?;
    Ok(json!({
        "callers_of_one_code": callers, "codes_twice": codes, "rounds": rounds, "refreshed": succeeded, "refused": late,
    }))
}

/// A request as a proxy hands it on for somebody at an address of their own.
fn from(number: usize, request: Vec<u8>) -> Vec<u8> {
    let header = format!("X-Forwarded-For: 10.{}.{}.{}\r\n", number / 65_536, number / 256 % 256, number % 256);
    let end = request.windows(2).position(|window| window == b"\r\n").map_or(0, |place| place + 2);
    let (line, rest) = request.split_at_checked(end).unwrap_or((&[], &request));
    [line, header.as_bytes(), rest].concat()
}

/// Refresh tokens of one connection, each used as often as it may be, while the connection is revoked: the access tokens that were
/// given, and how many refreshes were refused.
fn refreshes_against_revocation(
    address: std::net::SocketAddr,
    seeded: &Seeded,
    round: usize,
) -> Result<(Vec<String>, usize)> {
    let mut tokens = vec![seeded.refresh.clone()];
    while tokens.len() * USES < REFRESHES + USES {
        let last = tokens.last().context("no token")?;
        let asked = [requests::refresh(address, &seeded.client_id, last)];
        let (answers, _) = at_once(address, &asked, PATIENCE)?;
        let next = answers.first().and_then(|answer| text_of(answer, "refresh_token")).context("not refreshed")?;
        tokens.push(next);
    }
    // The first were used once already.
    let uses = tokens
        .iter()
        .enumerate()
        .flat_map(|(place, token)| std::iter::repeat_n(token, if place + 1 == tokens.len() { USES } else { USES - 1 }));
    let mut asked: Vec<Vec<u8>> =
        uses.take(REFRESHES).map(|token| requests::refresh(address, &seeded.client_id, token)).collect();
    // Sooner or later among them.
    asked.insert(round % REFRESHES, requests::revocation(address, &seeded.client_id, &seeded.refresh));
    let asked: Vec<Vec<u8>> =
        asked.into_iter().enumerate().map(|(number, request)| from(round * 100 + number, request)).collect();
    let (answers, _) = at_once(address, &asked, PATIENCE)?;
    let mut won: Vec<String> = answers.iter().filter_map(|answer| text_of(answer, "access_token")).collect();
    let refused = answers.iter().filter(|answer| answer.status == 400).count();
    ensure!(won.len() + refused == REFRESHES, "{} refreshed and {refused} refused of {REFRESHES}", won.len());
    let dead: Vec<Vec<u8>> = answers
        .iter()
        .filter_map(|answer| text_of(answer, "refresh_token"))
        .enumerate()
        .map(|(number, token)| from(round * 100 + number, requests::refresh(address, &seeded.client_id, &token)))
        .collect();
    let (answers, _) = at_once(address, &dead, PATIENCE)?;
    ensure!(answers.iter().all(|answer| answer.status == 400), "a refresh token outlives the revocation");
    won.push(seeded.access.clone());
    Ok((won, refused))
}
