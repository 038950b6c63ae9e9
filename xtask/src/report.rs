//! What a scenario found: counts for the reader, broken invariants for the exit status.

use std::{
    fmt::Display,
    sync::{Mutex, PoisonError},
};

use serde_json::{Map, Value, json};

/// No more broken invariants than this are kept; a thousand of the same say nothing new.
const KEPT: usize = 20;

/// The outcome of one scenario.
#[derive(Debug, Default)]
pub struct Finding {
    counts: Vec<(String, Value)>,
    broken: Vec<String>,
    broken_in_all: usize,
}

impl Finding {
    /// Note a figure.
    pub fn count(&mut self, name: &str, value: impl Into<Value>) {
        self.counts.push((name.to_owned(), value.into()));
    }

    /// Note a broken invariant.
    pub fn broken(&mut self, what: impl Display) {
        self.broken_in_all += 1;
        if self.broken.len() < KEPT {
            self.broken.push(what.to_string());
        }
    }

    /// Note a broken invariant unless `holds`.
    pub fn must(&mut self, holds: bool, what: impl Display) {
        if !holds {
            self.broken(what);
        }
    }

    /// Take over what threads complained of.
    pub fn take(&mut self, complaints: &Complaints) {
        for text in complaints.drain() {
            self.broken(text);
        }
    }

    /// Whether every invariant held.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.broken_in_all == 0
    }

    /// One line for people.
    #[must_use]
    pub fn line(&self, name: &str, seconds: f64) -> String {
        let counts: Vec<String> = self
            .counts
            .iter()
            .map(|(name, value)| match value {
                Value::String(text) => format!("{name} {text}"),
                other => format!("{name} {other}"),
            })
            .collect();
        let verdict = if self.holds() { "ok    " } else { "BROKEN" };
        format!("{name:<14} {verdict} {} ({seconds:.1} s)", counts.join(", "))
    }

    /// The broken invariants.
    #[must_use]
    pub fn broken_invariants(&self) -> &[String] {
        &self.broken
    }

    /// The same for machines.
    #[must_use]
    pub fn json(&self, name: &str, seconds: f64) -> Value {
        let counts: Map<String, Value> = self.counts.iter().cloned().collect();
        json!({ "scenario": name, "ok": self.holds(), "seconds": seconds, "counts": counts, "broken": self.broken, "broken_in_all": self.broken_in_all })
    }
}

/// Broken invariants noted by threads while they run.
#[derive(Debug, Default)]
pub struct Complaints(Mutex<Vec<String>>);

impl Complaints {
    /// Note one.
    pub fn add(&self, text: impl Display) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() < 1_000 {
            list.push(text.to_string());
        }
    }

    /// Take them out.
    pub fn drain(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
