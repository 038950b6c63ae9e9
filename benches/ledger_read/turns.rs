//! Two builds of the program in turns, each on its own copy of the same books.

use anyhow::Result;
use serde_json::{Value, json};
use tempfile::TempDir;
use xtask::{
    program::Program,
    statistics::{median, real, short},
};

use crate::{
    WARM_UP,
    requests::REQUESTS,
    side::{SeededBooks, ask_both},
};

/// A request may take so much longer than with the other build.
const SLOWER_BAR: f64 = 1.05;
/// Requests above the bar are measured once more, with so many times the samples, and that decides: of a hundred and
/// thirty requests some are above it by chance.
const MORE_SAMPLES: usize = 4;

/// The two builds and how often they are asked.
pub struct Turns<'a> {
    pub binary: &'a Program,
    pub against: &'a Program,
    /// Both services are started anew in every round.
    pub rounds: usize,
    /// Counted requests of a path in a round, of each side.
    pub samples: usize,
}

/// Medians of the rounds of one request: p50 of both, and the ratio.
struct Measured {
    pattern: &'static str,
    binary_us: Vec<f64>,
    against_us: Vec<f64>,
    ratios: Vec<f64>,
    rows: (usize, usize),
}

impl Turns<'_> {
    /// Measure the requests that are wanted, print them, the worst first, and give the same for a machine.
    pub fn measure(
        &self,
        books: &SeededBooks,
        parent: &std::path::Path,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Value> {
        let (one_folder, other_folder) = (copy_folder(parent)?, copy_folder(parent)?);
        let copies = (books.copy_to(one_folder.path())?, books.copy_to(other_folder.path())?);
        let patterns: Vec<_> = REQUESTS.iter().map(|(_, pattern)| *pattern).filter(|pattern| wanted(pattern)).collect();
        let mut first = self.rounds(&copies, &patterns, self.samples)?;
        first.sort_by(|one, other| median(&other.ratios).total_cmp(&median(&one.ratios)));
        let above: Vec<_> =
            first.iter().filter(|one| median(&one.ratios) > SLOWER_BAR).map(|one| one.pattern).collect();
        let again =
            if above.is_empty() { Vec::new() } else { self.rounds(&copies, &above, MORE_SAMPLES * self.samples)? };

        println!("{:<84}{:>7}{:>12}{:>12}{:>7}{:>8}", "", "rows", "p50", "p50 against", "ratio", "again");
        let (mut rows, mut missed) = (Vec::new(), 0);
        for measured in &first {
            let second = again.iter().find(|again| again.pattern == measured.pattern);
            let ratio = median(&measured.ratios);
            let decides = second.map_or(ratio, |second| median(&second.ratios));
            let is_met = decides <= SLOWER_BAR;
            missed += usize::from(!is_met);
            println!(
                "{:<84}{:>7}{:>9.0} µs{:>9.0} µs{ratio:>7.3}{:>8}{}{}",
                measured.pattern,
                measured.rows.0,
                median(&measured.binary_us),
                median(&measured.against_us),
                second.map_or(String::new(), |second| format!("{:.3}", median(&second.ratios))),
                if is_met { "" } else { "  SLOWER" },
                if measured.rows.0 == measured.rows.1 { "" } else { "  OTHER ROWS" },
            );
            rows.push(json!({
                "path": measured.pattern, "rows": measured.rows.0, "rows_against": measured.rows.1,
                "p50_us": short(median(&measured.binary_us)), "p50_against_us": short(median(&measured.against_us)),
                "ratio": thousandths(ratio), "ratio_again": second.map(|second| thousandths(median(&second.ratios))),
                "met": is_met,
            }));
        }
        let all: Vec<f64> = first.iter().flat_map(|measured| measured.ratios.iter().copied()).collect();
        println!(
            "{} requests, {} rounds of {} samples: median of all ratios {:.3}, {} above {SLOWER_BAR} at first, {missed} when measured again",
            first.len(),
            self.rounds,
            self.samples,
            median(&all),
            above.len()
        );
        Ok(json!({
            "bench": "ledger_read", "rounds": self.rounds, "samples": self.samples, "bar": SLOWER_BAR,
            "ratio_median": thousandths(median(&all)), "missed": missed, "requests": rows,
        }))
    }

    fn rounds(
        &self,
        copies: &(SeededBooks, SeededBooks),
        patterns: &[&'static str],
        samples: usize,
    ) -> Result<Vec<Measured>> {
        let nothing = |pattern| Measured {
            pattern,
            binary_us: Vec::new(),
            against_us: Vec::new(),
            ratios: Vec::new(),
            rows: (0, 0),
        };
        let mut all: Vec<Measured> = patterns.iter().copied().map(nothing).collect();
        for round in 0..self.rounds {
            let (mut binary, mut against);
            if round % 2 == 0 {
                binary = copies.0.serve(self.binary)?;
                against = copies.1.serve(self.against)?;
            } else {
                against = copies.1.serve(self.against)?;
                binary = copies.0.serve(self.binary)?;
            }
            for measured in &mut all {
                let pair = ask_both(&mut binary, &mut against, measured.pattern, WARM_UP, samples)?;
                let (binary_us, against_us) = (median(&pair.times_us.0), median(&pair.times_us.1));
                measured.binary_us.push(binary_us);
                measured.against_us.push(against_us);
                measured.ratios.push(binary_us / against_us.max(1e-9));
                measured.rows = pair.rows;
            }
            binary.end()?;
            against.end()?;
            eprintln!(
                "round {} of {}, {:.0} requests of each side",
                round + 1,
                self.rounds,
                real(samples * patterns.len())
            );
        }
        Ok(all)
    }
}

fn copy_folder(parent: &std::path::Path) -> Result<TempDir> {
    Ok(tempfile::Builder::new().prefix("bookkeeping-bench-").tempdir_in(parent)?)
}

fn thousandths(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}
