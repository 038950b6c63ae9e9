//! Whether the database takes writes, as far as the writer knows: its last failure counts until a later write was committed.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::StoreError;

/// A disk that was full counts as full until this much is free: a small write may find room where the next does not.
const FREE_BYTES_MIN: u64 = 1024 * 1024;
/// After a write of somebody failed, a probe that passes is not believed for so long.
const HOLD: Duration = Duration::from_secs(3);
/// Whoever else holds a lock for so long is in the way. Less than a write waits for it.
const LOCKED_AFTER: Duration = Duration::from_millis(1_900);
/// What is said then.
const LOCKED: &str = "the database is locked by another program";
/// A commit that takes longer is told of.
const STUCK_AFTER: Duration = Duration::from_secs(30);

/// What is known of the database; read without waiting for the writer.
#[derive(Debug, Default)]
pub(super) struct Condition(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Why the last write failed, and when the last one of somebody did.
    failure: Option<(String, Instant)>,
    /// Why the session that keeps this process's lock is away (PostgreSQL).
    session: Option<String>,
    /// Since when a group is being written.
    writing_since: Option<Instant>,
    /// Since when it waits to begin, which only a lock makes it wait for.
    waiting_since: Option<Instant>,
    /// Since when somebody else has held a lock, and when that was last met.
    locked: Option<(Instant, Instant)>,
}

impl Condition {
    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A group or a probe is being written.
    pub(super) fn writing(&self) {
        self.known().writing_since = Some(Instant::now());
    }

    /// It waits for the one lock of a SQLite file.
    pub(super) fn waiting(&self) {
        self.known().waiting_since = Some(Instant::now());
    }

    /// It has that lock: nobody else does.
    pub(super) fn begun(&self) {
        let mut known = self.known();
        known.waiting_since = None;
        known.locked = None;
    }

    /// A group of somebody's units was committed, or was not.
    pub(super) fn wrote(&self, outcome: Result<(), &StoreError>, folder: Option<&Path>) {
        let mut known = self.known();
        known.ended(outcome);
        match outcome {
            Err(StoreError::Unavailable(reason)) => known.failure = Some((reason.clone(), Instant::now())),
            Ok(()) if known.failure.is_some() && has_room(folder) => known.failure = None,
            // A refusal of the schema says that the database answers, no more.
            _ => {}
        }
    }

    /// A probe was committed, or was not.
    pub(super) fn probed(&self, outcome: Result<(), &StoreError>, folder: Option<&Path>) {
        let mut known = self.known();
        known.ended(outcome);
        match outcome {
            Err(StoreError::Unavailable(reason) | StoreError::Other(reason) | StoreError::Corrupt(reason)) => {
                let at = known.failure.as_ref().map_or_else(Instant::now, |(_, at)| *at);
                known.failure = Some((reason.clone(), at));
            }
            Err(StoreError::Busy | StoreError::Conflict(_)) => {}
            Ok(()) => {
                let holds = known.failure.as_ref().is_some_and(|(_, at)| at.elapsed() < HOLD);
                if !holds && (known.failure.is_none() || has_room(folder)) {
                    known.failure = None;
                }
            }
        }
    }

    /// The session with the database is there, or why not.
    pub(super) fn session(&self, outcome: Result<(), String>) {
        self.known().session = outcome.err();
    }

    /// Whether the last write failed.
    pub(super) fn has_failed(&self) -> bool {
        let known = self.known();
        known.failure.is_some() || known.locked.is_some()
    }

    /// Why the database cannot be worked with; none when it is well.
    pub(super) fn trouble(&self) -> Option<String> {
        let known = self.known();
        let stuck = known.writing_since.map(|since| since.elapsed()).filter(|taken| *taken > STUCK_AFTER);
        known
            .session
            .clone()
            .or_else(|| known.failure.as_ref().map(|(reason, _)| format!("the database takes no writes: {reason}")))
            .or_else(|| known.is_locked().then(|| LOCKED.to_owned()))
            .or_else(|| stuck.map(|taken| format!("the database has been on one write for {} s", taken.as_secs())))
    }
}

impl Known {
    /// What the end of a write says about locks. On PostgreSQL another write may pass beside one that is locked, so that for a while
    /// none is believed.
    fn ended(&mut self, outcome: Result<(), &StoreError>) {
        let begun = self.writing_since.take();
        let waited = self.waiting_since.take();
        match outcome {
            Err(StoreError::Busy) => {
                let now = Instant::now();
                let since = self.locked.map(|(since, _)| since).or(waited).or(begun);
                self.locked = Some((since.unwrap_or(now), now));
            }
            Ok(()) if self.locked.is_some_and(|(_, last)| last.elapsed() >= HOLD) => self.locked = None,
            _ => {}
        }
    }

    fn is_locked(&self) -> bool {
        // Met once and then no more it may have been a moment's.
        let met = self.locked.is_some_and(|(since, last)| last.duration_since(since) >= LOCKED_AFTER);
        met || self.waiting_since.is_some_and(|since| since.elapsed() >= LOCKED_AFTER)
    }
}

/// Whether the disk under a folder has room again; where that is not known the write that passed tells.
fn has_room(folder: Option<&Path>) -> bool {
    folder.and_then(free_bytes).is_none_or(|free| free >= FREE_BYTES_MIN)
}

/// The bytes free on the disk of a folder, for whoever is not an administrator.
pub(super) fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_failure_counts_until_somebody_writes_again() {
        let condition = Condition::default();
        let full = StoreError::Unavailable("the disk is full".to_owned());
        condition.wrote(Err(&StoreError::Conflict("unique".to_owned())), None);
        assert_eq!(condition.trouble(), None);
        condition.wrote(Err(&full), None);
        assert_eq!(condition.trouble().unwrap(), "the database takes no writes: the disk is full");
        condition.probed(Ok(()), None);
        assert!(condition.has_failed(), "a small write right after a failure proves little");
        condition.wrote(Ok(()), None);
        assert_eq!(condition.trouble(), None);
        condition.probed(Err(&full), None);
        assert!(condition.has_failed());
        condition.session(Err("gone".to_owned()));
        assert_eq!(condition.trouble().unwrap(), "gone");
        condition.session(Ok(()));
        condition.wrote(Ok(()), Some(Path::new("/")));
        assert_eq!(condition.trouble(), None);
    }

    #[test]
    fn a_lock_that_somebody_else_holds_for_seconds_counts_until_a_write_begins() {
        let long_ago = |known: &mut Option<Instant>| *known = Instant::now().checked_sub(LOCKED_AFTER);
        let condition = Condition::default();
        condition.writing();
        condition.waiting();
        assert_eq!(condition.trouble(), None);
        long_ago(&mut condition.known().waiting_since);
        assert_eq!(condition.trouble().unwrap(), LOCKED);
        condition.wrote(Err(&StoreError::Busy), None);
        assert_eq!(condition.trouble().unwrap(), LOCKED);
        condition.waiting();
        condition.probed(Err(&StoreError::Busy), None);
        assert!(condition.has_failed() && condition.trouble().is_some());
        condition.begun();
        assert_eq!(condition.trouble(), None);
        // A lock of one table: another write passes, and is not believed at once.
        condition.writing();
        long_ago(&mut condition.known().writing_since);
        condition.wrote(Err(&StoreError::Busy), None);
        condition.wrote(Ok(()), None);
        assert_eq!(condition.trouble().unwrap(), LOCKED);
        condition.known().locked = Instant::now().checked_sub(HOLD).map(|at| (at, at));
        condition.probed(Ok(()), None);
        assert_eq!(condition.trouble(), None);
    }
}
