//! The fixture every behaviour test stands on: a server inside the test process, a client that checks what every answer
//! must have, and an engine the test can hold.

pub mod certificates;
pub mod client;
pub mod coding;
pub mod data;
pub mod database;
pub mod documents;
pub mod gate;
pub mod mail;
pub mod pdf;
pub mod product;
pub mod program;
pub mod server;
pub mod socket;
pub mod tables;

use std::time::Duration;

/// How often something is asked for before the test gives up. With the pause between two questions this is far longer
/// than anything here may take; no test depends on how long it takes.
const ATTEMPTS_MAX: usize = 60_000;
/// Leaves the processor to the server between two questions (two cores, one process).
const PAUSE: Duration = Duration::from_millis(4);

/// Asks until there is an answer, a bounded number of times.
#[track_caller]
pub fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    for _ in 0..ATTEMPTS_MAX {
        if let Some(answer) = ask() {
            return answer;
        }
        std::thread::sleep(PAUSE);
    }
    panic!("asked {ATTEMPTS_MAX} times in vain: {what}");
}
