//! Open files: connections of callers may use up what there is but for a reserve, so that the operators' listener, the database and
//! the log always get theirs.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Kept back from callers beyond what is open once everything is started.
const RESERVE: u64 = 64;
/// The same as a part of the limit, where that is more: one in so many.
const RESERVE_PART: u64 = 8;
/// Callers get so many however low the limit is.
const CONNECTIONS_MIN: u64 = 16;
/// Where the system sets no limit.
const CONNECTIONS_MAX: u64 = 100_000;

/// Raises the limit as far as the process may, and says how many connections of callers there is room for.
pub(super) fn connections_max() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    // Where it may not be raised the lower one holds.
    let limit = if setrlimit(Resource::Nofile, raised).is_ok() { raised.current } else { limit.current };
    let open =
        std::fs::read_dir("/proc/self/fd").map_or(RESERVE, |open| u64::try_from(open.count()).unwrap_or(RESERVE));
    let limit = limit.unwrap_or(u64::MAX);
    let room = limit.saturating_sub(open).saturating_sub(RESERVE.max(limit / RESERVE_PART));
    usize::try_from(room.clamp(CONNECTIONS_MIN, CONNECTIONS_MAX)).unwrap_or(usize::MAX)
}
