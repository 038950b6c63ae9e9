//! What is happening to jobs right now: rows done, and who wants to hear about it.
//!
//! The board holds nothing that must survive: rows in the database are the truth, the board is what a poll, a progress
//! socket and the operators' page may show in between. It is written by the engines and read without a message.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};

use dashmap::DashMap;
use tokio::sync::broadcast;

use crate::clock::Clock;
use crate::domain::ids::{JobId, UserId};
use crate::domain::job::{JobStatus, Product};

/// Messages a reader may be behind before it is cut off.
pub const EVENTS_BEHIND_MAX: usize = 64;
/// At most four progress messages a second and job.
const EVENT_INTERVAL_MS: i64 = 250;

/// One message of the progress socket.
#[derive(Debug, Clone)]
pub struct JobEvent {
    /// The product.
    pub product: Product,
    /// The job.
    pub id: JobId,
    /// Where it stands.
    pub status: JobStatus,
    /// Rows worked through.
    pub rows_done: u64,
    /// Rows there are.
    pub rows_total: u64,
}

/// A job that is being worked on.
pub struct RunningJob {
    product: Product,
    id: JobId,
    user_id: UserId,
    rows_total: u64,
    rows_done: AtomicU64,
    cancelled: AtomicBool,
    last_event_ms: AtomicI64,
}

impl RunningJob {
    /// Rows done and rows in all.
    pub fn rows(&self) -> (u64, u64) {
        (self.rows_done.load(Ordering::Relaxed), self.rows_total)
    }

    /// Cancels the computation.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    /// Whether the computation was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }
}

/// A turn of an engine, which may be claiming a job that is not on the board yet; over when it is dropped.
pub struct TurnInProgress(Arc<AtomicUsize>);

impl Drop for TurnInProgress {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The board of one process.
pub struct JobBoard {
    turns: Arc<AtomicUsize>,
    running: DashMap<JobId, Arc<RunningJob>>,
    listeners: DashMap<UserId, broadcast::Sender<JobEvent>>,
    clock: Arc<dyn Clock>,
}

impl JobBoard {
    /// An empty board.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { turns: Arc::default(), running: DashMap::new(), listeners: DashMap::new(), clock }
    }

    /// Notes that a job is being worked on.
    pub fn begin(&self, product: Product, id: &JobId, user_id: UserId, rows_total: u64) -> Arc<RunningJob> {
        let job = Arc::new(RunningJob {
            product,
            id: id.clone(),
            user_id,
            rows_total,
            rows_done: AtomicU64::new(0),
            cancelled: AtomicBool::new(false),
            last_event_ms: AtomicI64::new(i64::MIN),
        });
        self.running.insert(id.clone(), Arc::clone(&job));
        self.announce(
            user_id,
            JobEvent { product, id: id.clone(), status: JobStatus::Processing, rows_done: 0, rows_total },
        );
        job
    }

    /// Notes rows done; never falls.
    pub fn progress(&self, job: &RunningJob, rows_done: u64) {
        let rows_done = job.rows_done.fetch_max(rows_done, Ordering::Relaxed).max(rows_done);
        let now_ms = self.clock.now_ms();
        let last = job.last_event_ms.load(Ordering::Relaxed);
        if now_ms.saturating_sub(last) >= EVENT_INTERVAL_MS
            && job.last_event_ms.compare_exchange(last, now_ms, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            let (product, id, rows_total) = (job.product, job.id.clone(), job.rows_total);
            self.announce(job.user_id, JobEvent { product, id, status: JobStatus::Processing, rows_done, rows_total });
        }
    }

    /// Notes that nobody works on the job any more, and how it stands.
    pub fn end(&self, job: &RunningJob, status: JobStatus) {
        self.running.remove(&job.id);
        let rows_done = if status.is_final() { job.rows_total } else { 0 };
        let (product, id, rows_total) = (job.product, job.id.clone(), job.rows_total);
        self.announce(job.user_id, JobEvent { product, id, status, rows_done, rows_total });
    }

    /// The job, if this process is working on it.
    pub fn running(&self, id: &JobId) -> Option<Arc<RunningJob>> {
        self.running.get(id).map(|entry| Arc::clone(entry.value()))
    }

    /// Notes that an engine takes a turn, before it looks whether it may.
    pub fn begin_turn(&self) -> TurnInProgress {
        self.turns.fetch_add(1, Ordering::SeqCst);
        TurnInProgress(Arc::clone(&self.turns))
    }

    /// Whether this process is working on a job, or may be taking one.
    pub fn is_busy(&self) -> bool {
        self.turns.load(Ordering::SeqCst) > 0 || !self.running.is_empty()
    }

    /// Messages about a person's jobs from now on.
    pub fn listen(&self, user_id: UserId) -> broadcast::Receiver<JobEvent> {
        self.listeners.entry(user_id).or_insert_with(|| broadcast::channel(EVENTS_BEHIND_MAX).0).subscribe()
    }

    /// Tells a person's listeners.
    pub fn announce(&self, user_id: UserId, event: JobEvent) {
        // An error means that nobody listens any more, which is the moment to forget the channel.
        let deserted = self.listeners.get(&user_id).is_some_and(|sender| sender.send(event).is_err());
        if deserted {
            self.listeners.remove_if(&user_id, |_, sender| sender.receiver_count() == 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn listeners_hear_of_their_own_jobs_at_most_four_times_a_second() {
        let clock = Arc::new(ManualClock::at_ms(1_000));
        let board = JobBoard::new(clock.clone());
        let (mut mine, mut foreign) = (board.listen(UserId(1)), board.listen(UserId(2)));
        let id = JobId("rec_1".to_owned());
        let job = board.begin(Product::Reconciliation, &id, UserId(1), 100);
        for rows in 1..=50 {
            board.progress(&job, rows);
            clock.advance_ms(10);
        }
        board.progress(&job, 7);
        assert_eq!(job.rows(), (50, 100));
        board.end(&job, JobStatus::Completed);
        assert!(board.running(&id).is_none());
        let mut heard = Vec::new();
        while let Ok(event) = mine.try_recv() {
            heard.push((event.status, event.rows_done));
        }
        assert_eq!(heard.first(), Some(&(JobStatus::Processing, 0)));
        assert_eq!(heard.last(), Some(&(JobStatus::Completed, 100)));
        assert!(heard.len() <= 5, "{heard:?}");
        assert!(foreign.try_recv().is_err());
    }
}
