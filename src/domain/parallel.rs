//! The same work on many items, by as many threads as the machine has to spare.
//!
//! A job runs alone in its product, so that a second core would idle beside it. Few items are done by the calling thread,
//! because a thread costs more than they do; what comes out never depends on how many threads there were.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::control::{Control, Stopped};

/// Items that a thread takes at a time; between two such blocks it is asked whether the answer is still wanted.
const BLOCK: usize = 64;

/// Items that are worth a further thread.
const ITEMS_PER_THREAD: usize = 1024;

/// More threads than this leave too little of a large machine to others.
const MOST_THREADS: usize = 4;

/// What `work` makes of each item, in their order. `done` is told between blocks how many items are finished; the number
/// never falls. Ends early when `control` says that the answer is no longer wanted.
pub fn map<T: Sync, R: Send>(
    items: &[T],
    control: &dyn Control,
    done: impl Fn(usize),
    work: impl Fn(&T) -> R + Sync,
) -> Result<Vec<R>, Stopped> {
    let worth = (items.len() / ITEMS_PER_THREAD).clamp(1, MOST_THREADS);
    // The system is asked only where the answer matters: it reads files for it.
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = if worth == 1 { 1 } else { worth.min(cores()) };
    // What is made lies where it stays: each thread keeps the memory of what it allocates and another frees.
    let mut made: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let blocks = Mutex::new(items.chunks(BLOCK).zip(made.chunks_mut(BLOCK)));
    let (finished, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let take = || {
        let (block, made) = blocks.lock().unwrap_or_else(PoisonError::into_inner).next()?;
        for (item, made) in block.iter().zip(made) {
            *made = Some(work(item));
        }
        finished.fetch_add(block.len(), Ordering::Relaxed);
        Some(())
    };
    let help = || {
        while !is_stopped.load(Ordering::Relaxed) {
            if take().is_none() {
                break;
            }
        }
    };
    std::thread::scope(|scope| {
        // Where the system grants no further thread, those there are do the work.
        let spawn = |_| std::thread::Builder::new().name("engine".to_owned()).spawn_scoped(scope, help).ok();
        let helpers: Vec<_> = (1..threads).filter_map(spawn).collect();
        // One question for each block, whoever did it: how often is asked depends on nothing else.
        let mut is_done = false;
        for _ in items.chunks(BLOCK) {
            if control.is_cancelled() {
                is_stopped.store(true, Ordering::Relaxed);
                break;
            }
            done(finished.load(Ordering::Relaxed));
            is_done = is_done || take().is_none();
        }
        for helper in helpers {
            // A panic there is a panic here.
            helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    if is_stopped.into_inner() {
        return Err(Stopped);
    }
    Ok(made.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::domain::control::{StopsAfter, Unattended};

    #[test]
    fn every_item_is_done_once_and_in_order() {
        for count in [0, 1, BLOCK, BLOCK + 1, 3 * ITEMS_PER_THREAD + 7] {
            let items: Vec<usize> = (0..count).collect();
            let told = Cell::new(0);
            let done = |finished: usize| {
                assert!(finished >= told.get() && finished <= count);
                told.set(finished);
            };
            let made = map(&items, &Unattended, done, |item| item * 2).unwrap();
            assert_eq!(made, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn it_asks_once_a_block_and_ends_at_the_question_that_is_answered_with_stop() {
        let items: Vec<usize> = (0..3 * ITEMS_PER_THREAD + 7).collect();
        let blocks = items.len().div_ceil(BLOCK);
        for at in [0, 3, blocks - 1] {
            let control = StopsAfter(Cell::new(at));
            assert_eq!(map(&items, &control, |_| (), |item| *item), Err(Stopped), "question {at}");
            assert_eq!(control.0.get(), 0, "it went on after it was cancelled");
        }
        let control = StopsAfter(Cell::new(blocks));
        assert!(map(&items, &control, |_| (), |item| *item).is_ok_and(|made| made == items));
        assert_eq!(control.0.get(), 0, "{blocks} blocks");
    }

    #[test]
    fn a_panic_of_any_thread_is_the_callers() {
        let items: Vec<usize> = (0..4 * ITEMS_PER_THREAD).collect();
        let ended = std::panic::catch_unwind(|| map(&items, &Unattended, |_| (), |item| assert_ne!(*item, 2000)));
        assert!(ended.is_err());
    }
}
