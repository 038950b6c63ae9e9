//! `/api/v1/me` of the real server against a bare actix-web handler in the same run: requests a second, processor time
//! a request, latency. Both are processes of their own with one worker; rounds alternate, so that a noisy machine
//! disturbs both alike.
//!
//! `cargo bench --bench http_me [-- --json] [--rounds N] [--ms N] [--connections N] [--without-access-line]`; `--small` takes
//! seconds and shows that it still runs.

#[path = "support/processors.rs"]
mod processors;
mod support;

use std::{net::SocketAddr, process::Stdio, time::Duration};

use actix_web::{App, HttpResponse, HttpServer, web};
use anyhow::{Context, Result};
use processors::{first_processor, stay_on_second_processor};
use serde_json::{Value, json};
use support::{Arguments, installation, pressure, print_json, serve};
use xtask::{
    http::{Connection, Request},
    load::{Round, keep_alive},
    process::{Process, tied_command},
    program::{SCOPES, create_key, free_address},
    statistics::{greatest, least, median, real, short},
};

/// Share of the bare handler's requests a second, with a line in the log for each request and without.
const RATE_BAR: f64 = 0.78;
const RATE_BAR_WITHOUT_LINE: f64 = 0.80;
/// Multiple of the bare handler's processor time a request.
const PROCESSOR_BAR: f64 = 1.25;

/// One side of the comparison over all rounds.
#[derive(Debug, Default)]
struct Side {
    rates: Vec<f64>,
    processor_us: Vec<f64>,
    p50_us: Vec<f64>,
    p99_us: Vec<f64>,
}

impl Side {
    fn measure(
        &mut self,
        process: &Process,
        address: SocketAddr,
        request: &[u8],
        connections: usize,
        time: Duration,
    ) -> Result<()> {
        let before = process.processor_time()?;
        let round: Round = keep_alive(address, request, 200, connections, time)?;
        let spent = process.processor_time()? - before;
        anyhow::ensure!(round.refused == 0 && round.answered > 0, "{} answers were not 200", round.refused);
        self.rates.push(round.rate());
        self.processor_us.push(spent.as_secs_f64() * 1e6 / real(round.answered));
        self.p50_us.push(round.latency_us(0.5));
        self.p99_us.push(round.latency_us(0.99));
        Ok(())
    }

    fn json(&self) -> Value {
        json!({
            "requests_per_s": short(median(&self.rates)),
            "requests_per_s_best": short(greatest(&self.rates)),
            "processor_us_per_request": short(median(&self.processor_us)),
            "p50_us": short(median(&self.p50_us)),
            "p99_us": short(median(&self.p99_us)),
        })
    }
}

/// The bare handler, in a process of its own: the same body, and nothing else done for it.
fn bare_server(address: &str, body: &str) -> Result<()> {
    let address: SocketAddr = address.parse()?;
    let body = web::Data::new(body.to_owned());
    let answer = |body: web::Data<String>| async move {
        HttpResponse::Ok().content_type("application/json").body(body.as_str().to_owned())
    };
    actix_web::rt::System::new().block_on(
        HttpServer::new(move || App::new().app_data(body.clone()).route("/api/v1/me", web::get().to(answer)))
            .workers(1)
            .bind(address)?
            .run(),
    )?;
    Ok(())
}

fn main() -> Result<()> {
    let arguments = Arguments::read();
    if let (Some(address), Some(body)) = (arguments.after("--bare-server"), arguments.after("--body")) {
        return bare_server(address, body);
    }
    if arguments.is_check() {
        return Ok(());
    }
    let is_small = arguments.has("--small");
    let number = |name: &str, default: usize, small: usize| {
        let given = arguments.after(name).and_then(|word| word.parse().ok());
        given.unwrap_or(if is_small { small } else { default })
    };
    let rounds = number("--rounds", 9, 1);
    let connections = number("--connections", 32, 4);
    let time = Duration::from_millis(u64::try_from(number("--ms", 2_000, 100))?);

    let (_folder, mut installation) = installation(&std::env::temp_dir())?;
    let mut rate_bar = RATE_BAR;
    if arguments.has("--without-access-line") {
        installation = installation.with("access_log", "false");
        rate_bar = RATE_BAR_WITHOUT_LINE;
    }
    let wrapper = first_processor();
    let server = serve(&installation, &wrapper)?;
    let person = installation.add_person("bench@example.com", 1_000, 1_000)?;
    let mut connection = server.connect()?;
    let key = create_key(&mut connection, &person.session, "bench", &SCOPES)?.plaintext;
    let me = Request::get("/api/v1/me", Some(&key));
    let answer = connection.send(&me)?;
    anyhow::ensure!(answer.status == 200, "/api/v1/me was answered {}", answer.summary());

    let address = free_address()?;
    let this = std::env::current_exe().context("where is this bench")?;
    let mut command = match wrapper.split_first() {
        Some((first, rest)) => {
            let mut command = tied_command(first, "KILL");
            command.args(rest).arg(this);
            command
        }
        None => tied_command(this, "KILL"),
    };
    command
        .args(["--bare-server", &address.to_string(), "--body", &String::from_utf8_lossy(&answer.body)])
        .stdin(Stdio::null());
    let bare = Process::spawn(&mut command)?;
    Connection::new(address, Duration::from_secs(5))?.send_patiently(&me, Duration::from_secs(10))?;
    stay_on_second_processor()?;

    let (to_server, to_bare) = (me.head(server.public()), me.head(address));
    let (mut ours, mut theirs) = (Side::default(), Side::default());
    // A round that is not counted lets both reach their pace.
    for (side, process, address, request) in
        [(&mut theirs, &bare, address, &to_bare), (&mut ours, &server.process, server.public(), &to_server)]
    {
        side.measure(process, address, request, connections, time / 4)?;
        *side = Side::default();
    }
    for _ in 0..rounds {
        theirs.measure(&bare, address, &to_bare, connections, time)?;
        ours.measure(&server.process, server.public(), &to_server, connections, time)?;
    }
    let ratios =
        |ours: &[f64], theirs: &[f64]| ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect::<Vec<_>>();
    let rate = ratios(&ours.rates, &theirs.rates);
    let processor = ratios(&ours.processor_us, &theirs.processor_us);
    let figures = json!({
        "bench": "http_me",
        "rounds": rounds,
        "connections": connections,
        "pinned": !wrapper.is_empty(),
        "pressure_percent": pressure(),
        "bare": theirs.json(),
        "me": ours.json(),
        "rate_ratio": { "median": short(median(&rate)), "best": short(greatest(&rate)), "bar": rate_bar },
        "processor_ratio": { "median": short(median(&processor)), "best": short(least(&processor)), "bar": PROCESSOR_BAR },
        "p99_ratio": short(median(&ours.p99_us) / median(&theirs.p99_us).max(1e-9)),
    });
    if arguments.has("--json") {
        return print_json(&figures);
    }
    println!("{:<22}{:>12}{:>16}{:>10}{:>10}", "", "requests/s", "processor µs", "p50 µs", "p99 µs");
    for (name, side) in [("bare handler", &theirs), ("/api/v1/me", &ours)] {
        println!(
            "{name:<22}{:>12.0}{:>16.2}{:>10.0}{:>10.0}",
            median(&side.rates),
            median(&side.processor_us),
            median(&side.p50_us),
            median(&side.p99_us)
        );
    }
    println!("requests/s ratio {:.3} (best {:.3}, bar {rate_bar})", median(&rate), greatest(&rate));
    println!("processor time ratio {:.3} (best {:.3}, bar {PROCESSOR_BAR})", median(&processor), least(&processor));
    Ok(())
}
