//! `/api/v1/me` by token and by key, in turns, over the same connections.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use xtask::{
    load::keep_alive,
    program::{SCOPES, create_key},
    statistics::{greatest, median, short},
};

use crate::requests;
use crate::seed::{database_url, seed};
use crate::support::{installation, serve};

/// Share of the requests a second by key.
const BAR: f64 = 0.95;
const CONNECTIONS: usize = 32;

/// Asks by both and compares.
pub fn measure(is_small: bool, text: &mut String) -> Result<Value> {
    let (rounds, time) = if is_small { (1, Duration::from_millis(100)) } else { (15, Duration::from_secs(1)) };
    let (_folder, installation) = installation(&std::env::temp_dir())?;
    let person = installation.add_person("bench@example.com", 1_000, 1_000)?;
    let seeded = seed(&database_url(installation.folder()), 1)?;
    let token = &seeded.first().context("no connection")?.access;
    let server = serve(&installation, &[])?;
    let key = create_key(&mut server.connect()?, &person.session, "bench", &SCOPES)?.plaintext;
    let address = server.public();
    let (by_token, by_key) = (requests::me(address, token), requests::me(address, &key));
    let rate = |request: &[u8], time: Duration| -> Result<f64> {
        let round = keep_alive(address, request, 200, CONNECTIONS, time)?;
        ensure!(round.refused == 0 && round.answered > 0, "{} answers were not 200", round.refused);
        Ok(round.rate())
    };
    // Not counted: both reach their pace.
    rate(&by_key, time / 4)?;
    rate(&by_token, time / 4)?;
    let (mut tokens, mut keys, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        let (token, key);
        if round % 2 == 0 {
            key = rate(&by_key, time)?;
            token = rate(&by_token, time)?;
        } else {
            token = rate(&by_token, time)?;
            key = rate(&by_key, time)?;
        }
        tokens.push(token);
        keys.push(key);
        ratios.push(token / key.max(1e-9));
    }
    let ratio = median(&ratios);
    writeln!(
        text,
        "/api/v1/me by token {:.0}/s, by key {:.0}/s, ratio {ratio:.3} (best {:.3}, bar {BAR}){}",
        median(&tokens),
        median(&keys),
        greatest(&ratios),
        if ratio >= BAR { "" } else { "  MISSED" }
    )?;
    server.terminate()?;
    Ok(json!({
        "by_token_per_s": short(median(&tokens)), "by_key_per_s": short(median(&keys)), "ratio": short(ratio), "bar": BAR,
        "met": ratio >= BAR,
    }))
}
