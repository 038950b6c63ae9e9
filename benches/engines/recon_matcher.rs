//! Time and peak memory of the reconciliation engine on hostile and realistic files.
//!
//! `cargo bench --bench engines -- recon_matcher` runs every shape in a process of its own: parse, encode, decode, run,
//! write. Give shape names as arguments to run only those. `generated-<rows>` takes its file from the generator named by
//! `RECON_GENERATOR`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "a benchmark may stop at the first surprise"
)]

use std::io::{self, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use bookkeeping_suite::domain::control::Control;
use bookkeeping_suite::domain::date::Date;
use bookkeeping_suite::domain::recon::{Dataset, run};
use bookkeeping_suite::http::wire::recon::{Limits, parse, write_result};

const SHAPES: [&str; 18] = [
    "minimal",
    "identical",
    "references-reversed",
    "few-words",
    "no-common-word",
    "word-pairs",
    "one-amount-a-year",
    "chain",
    "chain-with-surplus",
    "fifty-for-each-reference",
    "dense-blocks",
    "long-texts",
    "distinct-words",
    "one-payee-left-open",
    "equal-amounts-left-open",
    "powers-of-two-left-open",
    "generated-100000",
    "generated-157000",
];

/// Rows of a side are divided by this in a small run.
const SMALL_DIVISOR: u64 = 500;

/// Print time and memory of the shapes that are named, or of all.
pub fn measure_shapes(mut arguments: Vec<String>) {
    let is_small = arguments.iter().any(|argument| argument == "--small");
    arguments.retain(|argument| argument != "--small");
    if let [mode, path] = arguments.as_slice()
        && mode == "measure"
    {
        return measure(path);
    }
    let wanted: Vec<&str> = if arguments.is_empty() {
        // A small run needs no generator.
        SHAPES.into_iter().filter(|shape| !is_small || !shape.starts_with("generated-")).collect()
    } else {
        arguments.iter().map(String::as_str).collect()
    };
    println!(
        "{:<26}{:>9}{:>8}{:>8}{:>8}{:>8}{:>8}{:>9}{:>9}{:>9}{:>9}{:>9}",
        "shape",
        "body MB",
        "parse",
        "encode",
        "decode",
        "run",
        "write",
        "run cpu",
        "gap ms",
        "matched",
        "run MB",
        "peak MB"
    );
    for shape in wanted {
        let path = std::env::temp_dir().join(format!("recon-{shape}-{}.json", std::process::id()));
        std::fs::write(&path, body(shape, if is_small { SMALL_DIVISOR } else { 1 })).unwrap();
        let this = std::env::current_exe().unwrap();
        let output = Command::new(this).args(["recon_matcher", "measure"]).arg(&path).output().unwrap();
        std::fs::remove_file(&path).unwrap();
        let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        println!("{shape:<26}{}{}", text.trim_end(), errors.trim_end());
        assert!(output.status.success(), "{shape} could not be measured");
    }
}

/// Notes the longest time between two questions about cancellation.
struct Watch {
    last: std::cell::Cell<Instant>,
    longest: std::cell::Cell<Duration>,
    rows: std::cell::Cell<u64>,
}

impl Control for Watch {
    fn is_cancelled(&self) -> bool {
        let now = Instant::now();
        self.longest.set(self.longest.get().max(now - self.last.replace(now)));
        false
    }

    fn progress(&self, rows_done: u64) {
        assert!(rows_done >= self.rows.replace(rows_done), "progress must not fall");
    }
}

fn measure(path: &str) {
    let idle = peak_kib();
    let body = std::fs::read(path).unwrap();
    let size = body.len();
    let mut times = Vec::new();
    let mut timed = |started: Instant| times.push(started.elapsed().as_secs_f64());
    let started = Instant::now();
    let submission = parse(&body, &Limits { max_rows_per_dataset: 1_000_000 }).unwrap();
    timed(started);
    let options = submission.options;
    drop(body);
    let started = Instant::now();
    let mut stored = Vec::new();
    submission.dataset.encode(&mut stored).unwrap();
    timed(started);
    drop(submission);
    let started = Instant::now();
    let dataset = Dataset::decode(stored.as_slice()).unwrap();
    timed(started);
    drop(stored);
    let before_run = peak_kib();
    // Resets the high-water mark, so that the run is measured by itself.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let started = Instant::now();
    let watch = Watch {
        last: std::cell::Cell::new(started),
        longest: std::cell::Cell::default(),
        rows: std::cell::Cell::default(),
    };
    let cpu = cpu_seconds();
    let outcome = run(&dataset, &options, &watch).unwrap();
    let cpu = cpu_seconds() - cpu;
    timed(started);
    assert_eq!(watch.rows.get(), dataset.rows());
    let started = Instant::now();
    let mut sink = io::BufWriter::new(io::sink());
    write_result(&mut sink, &dataset, &options, &outcome).unwrap();
    sink.flush().unwrap();
    timed(started);
    let run_peak = peak_kib();
    print!("{:>9.1}", size as f64 / 1e6);
    for time in times {
        print!("{time:>8.3}");
    }
    print!("{cpu:>9.3}");
    let mib = |kib: u64| (kib.saturating_sub(idle)) as f64 / 1024.0;
    print!(
        "{:>9.1}{:>9}{:>9.1}{:>9.1}",
        watch.longest.get().as_secs_f64() * 1e3,
        outcome.matched().count(),
        mib(run_peak),
        mib(run_peak.max(before_run))
    );
}

/// Seconds this thread has been on a processor, which other programs cannot stretch much.
fn cpu_seconds() -> f64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = times.split_whitespace().next().and_then(|time| time.parse().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}

/// Peak resident memory of this process so far; 0 where the system does not tell.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)).and_then(|kib| kib.parse().ok()).unwrap_or(0)
}

/// A repeatable stream of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn body(shape: &str, divisor: u64) -> Vec<u8> {
    if let Some(rows) = shape.strip_prefix("generated-") {
        return generated(rows);
    }
    let mut out = Vec::new();
    let mut random = Random(42);
    out.extend_from_slice(b"{\"options\":{\"includeMatched\":true},\"bank\":[");
    list(&mut out, shape, divisor, true, &mut random);
    out.extend_from_slice(b"],\"book\":[");
    list(&mut out, shape, divisor, false, &mut random);
    out.extend_from_slice(b"]}");
    out
}

fn generated(rows: &str) -> Vec<u8> {
    let generator =
        std::env::var("RECON_GENERATOR").unwrap_or_else(|_| "../shared/data/reconciliation/gen.py".to_owned());
    let base = std::env::temp_dir().join(format!("recon-generated-{}", std::process::id()));
    let base = base.to_str().unwrap();
    let status = Command::new("python3")
        .args([&generator, "--seed", "1", "--n", rows, "--out", base])
        .stdout(std::process::Stdio::null())
        .status()
        .expect("python3 runs the generator");
    assert!(status.success(), "the generator failed; set RECON_GENERATOR to gen.py");
    let body = std::fs::read(format!("{base}.json")).unwrap();
    for ending in ["json", "truth.json", "tsv"] {
        std::fs::remove_file(format!("{base}.{ending}")).unwrap();
    }
    // As a caller would send it: without blanks between tokens.
    let text = String::from_utf8(body).unwrap();
    text.replace("\", \"", "\",\"").replace("\": ", "\":").replace(", {", ",{").replace(", \"", ",\"").into_bytes()
}

/// A number as a word.
fn letters(number: u64) -> String {
    (0..5_u32).map(|at| char::from(b'a' + (number / 26_u64.pow(at) % 26) as u8)).collect()
}

fn list(out: &mut Vec<u8>, shape: &str, divisor: u64, is_bank: bool, random: &mut Random) {
    const FEW: [&str; 12] =
        ["red", "green", "blue", "white", "black", "grey", "amber", "lilac", "ochre", "beige", "rose", "teal"];
    let rows: u64 = match shape {
        "minimal" => 250_000,
        "long-texts" => 52_000,
        "distinct-words" => 75_000,
        _ => 150_000,
    };
    let rows = rows / divisor;
    for row in 0..rows {
        let mut day = 19_000;
        let mut pence = 100;
        let text = match shape {
            "minimal" => "a".to_owned(),
            "identical" => "SAME TEXT".to_owned(),
            "references-reversed" => {
                format!("Ref {:06}", if is_bank { row } else { rows - 1 - row })
            }
            "few-words" => {
                let mut word = || FEW[random.below(12) as usize];
                format!("{} {} {}", word(), word(), word())
            }
            "no-common-word" => format!("{}{row:06}", if is_bank { "b" } else { "k" }),
            "word-pairs" => {
                day += (row % 4) as i32;
                let (one, two) = (random.below(500), random.below(500));
                format!("w{one:03}x v{two:03}y")
            }
            "one-amount-a-year" => {
                day += random.below(365) as i32;
                format!("CUSTOMER {:04} ORDER {:05}", random.below(4000), random.below(100_000))
            }
            "chain" => {
                day = -200_000 + row as i32;
                format!("RENT {}", row % 7)
            }
            "chain-with-surplus" => {
                day = -200_000 + (row + row / if is_bank { 10 } else { 12 }) as i32;
                "RENT".to_owned()
            }
            "fifty-for-each-reference" => format!("REF {:06} A", row / 50),
            "dense-blocks" => {
                pence = 1000 + row / 96;
                format!("Item {:05}", random.below(100_000))
            }
            "long-texts" => {
                let words = (0..24).map(|_| format!("w{:05x}", random.below(1 << 20)));
                words.collect::<Vec<_>>().join(" ")
            }
            "distinct-words" => {
                pence = 1000 + row / 2;
                let words = (0..12).map(|_| format!("{:06x}", random.below(1 << 24)));
                words.collect::<Vec<_>>().join(" ")
            }
            // The last three match nothing and look like groups of one payee that are none.
            "one-payee-left-open" => {
                day += random.below(365) as i32;
                pence = 2 * random.below(50_000_000) + 1 + u64::from(is_bank);
                "HOLLINS TIMBER LTD".to_owned()
            }
            "equal-amounts-left-open" => {
                pence = if is_bank { 5_000 } else { 1_000 };
                format!("PAYEE {}", letters(row / 24))
            }
            "powers-of-two-left-open" => {
                pence = if is_bank { random.below(1 << 24) } else { 1 << (row % 24) };
                format!("PAYEE {}", letters(row / 24))
            }
            other => panic!("unknown shape {other}; known: {SHAPES:?}"),
        };
        if shape == "minimal" {
            pence = 100 + row / 2;
        }
        let comma = if row == 0 { "" } else { "," };
        let date = Date::from_day_number(day).unwrap();
        write!(
            out,
            "{comma}{{\"date\":\"{date}\",\"amount\":{}.{:02},\"description\":\"{text}\"}}",
            pence / 100,
            pence % 100
        )
        .unwrap();
    }
}
