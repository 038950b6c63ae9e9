//! One turn of a job engine: claim the job whose turn it is, run it off the async threads, finish it in one unit.
//!
//! The same code runs every product; what differs is [`Work`]. The rows are the truth: after a crash the next claim finds
//! the job again, and the finishing unit charges it exactly once. The actor around this (see `engine.rs`) decides when a
//! turn is taken and that there is only one at a time.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::AskError;
use super::job_board::{JobBoard, JobEvent, RunningJob};
use super::queue_board::QueueBoard;
use crate::domain::control::{Control, Stopped};
use crate::domain::ids::JobId;
use crate::domain::job::{JobFailure, JobStatus, Product};
use crate::domain::suggestions::FoundSuggestions;
use crate::store::{Claim, ClaimedJob, Finish, Finished, Requeued, RunEnd, Store, StoreError};

/// The result of a run, ready to be stored.
pub struct WorkDone {
    /// Credits to charge.
    pub cost: i64,
    /// The stored form of the result, in parts of at most `store::PART_BYTES_MAX`.
    pub result: Vec<Vec<u8>>,
    /// Size of the result as it will be sent.
    pub result_size: u64,
    /// Suggestions for lines of the books, to be written with the result.
    pub suggestions: Option<Arc<FoundSuggestions>>,
}

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum WorkFailed {
    /// It was cancelled.
    #[error("stopped")]
    Stopped,
    /// The stored input or the engine is at fault.
    #[error("{0}")]
    Failed(String),
}

impl From<Stopped> for WorkFailed {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// What a product does with one job: pure computation on a blocking thread.
pub trait Work: Send + Sync + 'static {
    /// Which product.
    fn product(&self) -> Product;

    /// Computes the result of a job from its stored payload.
    fn run(&self, job: &ClaimedJob, payload: Vec<Vec<u8>>, control: &dyn Control) -> Result<WorkDone, WorkFailed>;
}

/// What one turn did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// A job ended.
    Ended(JobStatus),
    /// Nothing waits.
    Nothing,
    /// Another process holds the slot.
    HeldElsewhere,
    /// The slot was lost while the job ran; another process has it now.
    Lost,
    /// The service is stopping; the job went back to the queue.
    GivenBack,
}

/// Counters a turn reports to; implemented by the metrics and the actor's statistics.
pub trait TurnObserver: Send + Sync {
    /// So many jobs wait.
    fn waiting(&self, waiting: i64);
    /// A job was claimed after waiting this long.
    fn started(&self, product: Product, waited_s: f64, rows_total: u64);
    /// Rows done so far of the running job.
    fn progress(&self, product: Product, rows_done: u64);
    /// A job ended after running this long.
    fn ended(&self, product: Product, status: JobStatus, run_s: f64, rows_total: u64);
    /// So many credits are set aside for the running job.
    fn reserved(&self, product: Product, credits: i64);
    /// A job failed before it began, because it could not be paid.
    fn unpaid(&self, product: Product);
    /// Credits were charged.
    fn charged(&self, product: Product, change: crate::domain::credits::CreditChange);
    /// Jobs went back to the queue because whoever ran them is gone.
    fn recovered(&self, product: Product, jobs: u64);
    /// A computation panicked.
    fn panicked(&self, product: Product);
    /// A computation outlived its deadline.
    fn timed_out(&self, product: Product);
    /// A computation ignored its cancellation; its thread is lost.
    fn abandoned(&self);
    /// A thread given up came back after all.
    fn returned(&self);
}

/// The longest time between two extensions of a lease: another process may have shortened it.
pub const HEARTBEAT_MAX: Duration = Duration::from_secs(3);

/// After this long a turn takes no further job, so that the engine's other messages are never long in waiting.
const TURN_MAX: Duration = Duration::from_secs(1);

/// How a computation is bounded.
#[derive(Debug, Clone, Copy)]
pub struct RunLimits {
    /// A longer run fails.
    pub deadline: Duration,
    /// How long a cancelled computation may take to notice before its thread is given up.
    pub cancel_grace: Duration,
    /// Lease of the slot.
    pub lease_ms: i64,
}

/// Who takes a product's slot.
#[derive(Debug, Clone)]
pub struct Holder {
    /// This process, as the slot knows it.
    pub name: String,
    /// How long the slot is kept without another sign of life.
    pub lease_ms: i64,
}

/// Claims jobs, ends them and charges them; implemented by the credit bank's handle.
pub trait Settle: Send + Sync {
    /// Takes the job whose turn it is and reserves what it costs, in one unit.
    fn claim(&self, product: Product, holder: Holder) -> BoxFuture<'_, Result<Claim, AskError>>;

    /// Gives a running job back to the queue with what was reserved for it.
    fn give_back(&self, product: Product, job_id: JobId, fence: i64) -> BoxFuture<'_, Result<Requeued, AskError>>;

    /// Finishes a job in one unit, and takes the next in the same where a holder is given and the job wrote nothing into books.
    fn settle(
        &self,
        finish: Finish,
        next: Option<Holder>,
    ) -> BoxFuture<'_, Result<(Finished, Option<Claim>), AskError>>;
}

/// Runs jobs of one product.
pub struct JobRunner {
    /// What the product does.
    pub work: Arc<dyn Work>,
    /// Where jobs are.
    pub store: Store,
    /// How full the queue is.
    pub queue: Arc<QueueBoard>,
    /// Who finishes and charges.
    pub settle: Arc<dyn Settle>,
    /// Progress.
    pub board: Arc<JobBoard>,
    /// Counters.
    pub observer: Arc<dyn TurnObserver>,
    /// Bounds.
    pub limits: RunLimits,
    /// This process, as the slot knows it.
    pub holder: String,
    /// Whether the service is stopping.
    pub stopping: tokio::sync::watch::Receiver<Stopping>,
}

/// How far the service has come in stopping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stopping {
    /// It is not.
    No,
    /// No further job is claimed; the running one may end.
    Draining,
    /// The grace is over: the running job is cancelled and goes back to the queue.
    GivingBack,
}

struct RunControl {
    job: Arc<RunningJob>,
    board: Arc<JobBoard>,
    observer: Arc<dyn TurnObserver>,
    product: Product,
}

impl Control for RunControl {
    fn is_cancelled(&self) -> bool {
        self.job.is_cancelled()
    }

    fn progress(&self, rows_done: u64) {
        self.board.progress(&self.job, rows_done);
        self.observer.progress(self.product, rows_done);
    }
}

enum Ran {
    Done(WorkDone),
    Failed(JobFailure),
    /// The slot is another's now.
    Lost,
    /// The service is stopping.
    Stopping,
}

impl JobRunner {
    /// Takes one turn: jobs one after the other while they wait and the turn is young, each of which is taken in the commit that
    /// ends the one before. A database error leaves the rows as they are; the caller tries again later.
    pub async fn turn(&self) -> Result<Turn, AskError> {
        // Whoever stops the service waits for the turns that did not see it begin to stop.
        let _turn = self.board.begin_turn();
        if self.is_stopping() {
            return Ok(Turn::Nothing);
        }
        let begun = Instant::now();
        let mut claim = self.settle.claim(self.work.product(), self.holder()).await?;
        loop {
            let (turn, next) = match claim {
                Claim::Job(job) => {
                    self.observer.waiting(self.queue.taken(job.user_id, job.queue));
                    if self.is_stopping() {
                        // The service began to stop meanwhile; nothing of the job has run.
                        self.settle.give_back(job.product, job.id, job.fence).await?;
                        return Ok(Turn::GivenBack);
                    }
                    self.run_claimed(*job, begun).await?
                }
                Claim::Unpaid(job, failure) => {
                    self.observer.waiting(self.queue.taken(job.user_id, job.queue));
                    (self.end_unpaid(&job, &failure), None)
                }
                // Whoever submits a job after this look at the queue wakes the engine.
                Claim::Nothing => return Ok(Turn::Nothing),
                Claim::HeldElsewhere { .. } => return Ok(Turn::HeldElsewhere),
            };
            match next {
                Some(next) => claim = next,
                None => return Ok(turn),
            }
        }
    }

    fn is_stopping(&self) -> bool {
        *self.stopping.borrow() != Stopping::No
    }

    fn holder(&self) -> Holder {
        Holder { name: self.holder.clone(), lease_ms: self.limits.lease_ms }
    }

    /// Tells of a job that failed before it began, because it could not be paid.
    fn end_unpaid(&self, job: &ClaimedJob, failure: &JobFailure) -> Turn {
        let rows_total = u64::try_from(job.rows_total).unwrap_or_default();
        let (product, id, status) = (job.product, job.id.clone(), JobStatus::Failed);
        self.board.announce(job.user_id, JobEvent { product, id, status, rows_done: 0, rows_total });
        self.observer.unpaid(product);
        tracing::info!(job.id = %job.id, reason = failure.as_str(), "job {} failed: {}", job.id, failure.as_str());
        Turn::Ended(status)
    }

    /// Runs a job and ends it. What comes with the end is the next one.
    async fn run_claimed(&self, mut job: ClaimedJob, turn_begun: Instant) -> Result<(Turn, Option<Claim>), AskError> {
        let product = job.product;
        let rows_total = u64::try_from(job.rows_total).unwrap_or_default();
        self.observer.started(product, seconds(job.started_at_ms - job.created_at_ms), rows_total);
        if job.attempt > 1 {
            self.observer.recovered(product, 1);
        }
        let running = self.board.begin(product, &job.id, job.user_id, rows_total);
        self.observer.reserved(product, job.cost);
        let inline = job.payload.take();
        let outcome = self.run_and_finish(&job, inline, &running, turn_begun).await;
        let status = match &outcome {
            Ok((Turn::Ended(status), _)) => *status,
            // Given back, lost or interrupted by a database error: the row says what happens next.
            _ => JobStatus::Queued,
        };
        self.board.end(&running, status);
        self.observer.reserved(product, 0);
        if let Ok((Turn::Ended(status), _)) = &outcome {
            self.observer.ended(product, *status, seconds(self.store.now_ms() - job.started_at_ms), rows_total);
        }
        outcome
    }

    async fn run_and_finish(
        &self,
        job: &ClaimedJob,
        inline: Option<Vec<u8>>,
        running: &Arc<RunningJob>,
        turn_begun: Instant,
    ) -> Result<(Turn, Option<Claim>), AskError> {
        let payload = match inline {
            Some(payload) => vec![payload],
            None => self.payload(job).await?,
        };
        let end = match self.run_bounded(job, payload, running).await {
            Ran::Done(WorkDone { cost, result, result_size, suggestions }) => {
                RunEnd::Completed { cost, result, parts_written: 0, result_size, suggestions }
            }
            Ran::Failed(failure) => RunEnd::Failed(failure),
            Ran::Lost => return Ok((Turn::Lost, None)),
            Ran::Stopping => {
                self.settle.give_back(job.product, job.id.clone(), job.fence).await?;
                return Ok((Turn::GivenBack, None));
            }
        };
        let goes_on = !self.is_stopping() && turn_begun.elapsed() < TURN_MAX;
        let finish = Finish { job_id: job.id.clone(), product: job.product, fence: job.fence, end };
        let (finished, next) = self.settle.settle(finish, goes_on.then(|| self.holder())).await?;
        let turn = match finished {
            Finished::Completed { change, .. } => {
                self.observer.charged(job.product, change);
                Turn::Ended(JobStatus::Completed)
            }
            Finished::Failed { failure, .. } => {
                tracing::info!(job.id = %job.id, reason = failure.as_str(), "job {} failed: {}", job.id, failure.as_str());
                Turn::Ended(JobStatus::Failed)
            }
            Finished::Zombie => Turn::Lost,
        };
        Ok((turn, next))
    }

    async fn payload(&self, job: &ClaimedJob) -> Result<Vec<Vec<u8>>, StoreError> {
        let mut parts = Vec::new();
        for part in 0..job.payload_parts {
            let bytes = self.store.reader.payload_part(&job.id, part).await?;
            parts.push(bytes.ok_or_else(|| StoreError::Corrupt(format!("job {} lacks payload part {part}", job.id)))?);
        }
        Ok(parts)
    }

    /// Runs the computation on a blocking thread, within its deadline, heartbeating the lease meanwhile.
    async fn run_bounded(&self, job: &ClaimedJob, payload: Vec<Vec<u8>>, running: &Arc<RunningJob>) -> Ran {
        let (send, mut receive) = oneshot::channel();
        let control = RunControl {
            job: Arc::clone(running),
            board: Arc::clone(&self.board),
            observer: Arc::clone(&self.observer),
            product: job.product,
        };
        let (work, claimed, observer) = (Arc::clone(&self.work), job.clone(), Arc::clone(&self.observer));
        tokio::task::spawn_blocking(move || {
            let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| work.run(&claimed, payload, &control)));
            // Nobody listens when the computation was given up; its outcome no longer matters.
            if send.send(outcome).is_err() {
                observer.returned();
            }
        });
        let heartbeat = self.heartbeat(job);
        tokio::pin!(heartbeat);
        let mut stopping = self.stopping.clone();
        let interrupted = tokio::select! {
            outcome = &mut receive => return self.judge(job, outcome),
            () = tokio::time::sleep(self.limits.deadline) => Ran::Failed(JobFailure::DeadlineExceeded),
            () = &mut heartbeat => Ran::Lost,
            () = given_back(&mut stopping) => Ran::Stopping,
        };
        running.cancel();
        if matches!(interrupted, Ran::Failed(_)) {
            self.observer.timed_out(job.product);
        }
        match tokio::time::timeout(self.limits.cancel_grace, &mut receive).await {
            // It ended after all, in time to be stored.
            Ok(Ok(Ok(Ok(done)))) if matches!(interrupted, Ran::Stopping) => Ran::Done(done),
            Ok(_) => interrupted,
            Err(_) => {
                self.observer.abandoned();
                tracing::error!(job.id = %job.id, "job {} ignores its cancellation; its thread is given up", job.id);
                interrupted
            }
        }
    }

    fn judge(
        &self,
        job: &ClaimedJob,
        outcome: Result<std::thread::Result<Result<WorkDone, WorkFailed>>, oneshot::error::RecvError>,
    ) -> Ran {
        match outcome {
            Ok(Ok(Ok(done))) => Ran::Done(done),
            Ok(Ok(Err(failed))) => {
                tracing::error!(job.id = %job.id, error = %failed, "engine failed on job {}", job.id);
                Ran::Failed(JobFailure::EngineFailed)
            }
            Ok(Err(_)) | Err(_) => {
                self.observer.panicked(job.product);
                tracing::error!(job.id = %job.id, "engine panicked on job {}", job.id);
                Ran::Failed(JobFailure::EngineFailed)
            }
        }
    }

    /// Extends the lease until the slot is lost. On a database of one process nobody else can take it.
    async fn heartbeat(&self, job: &ClaimedJob) {
        if !self.store.is_shared() {
            return std::future::pending().await;
        }
        let every = Duration::from_millis(u64::try_from(self.limits.lease_ms / 3).unwrap_or(1000)).min(HEARTBEAT_MAX);
        loop {
            tokio::time::sleep(every).await;
            match self.store.writer.heartbeat(job.product, &self.holder, job.fence, self.limits.lease_ms).await {
                Ok(true) => {}
                Ok(false) => return,
                // Whether the lease still holds is decided by the finishing unit.
                Err(error) => {
                    tracing::warn!(job.id = %job.id, error = %error, "cannot extend the lease of job {}", job.id)
                }
            }
        }
    }
}

async fn given_back(stopping: &mut tokio::sync::watch::Receiver<Stopping>) {
    if stopping.wait_for(|stopping| *stopping == Stopping::GivingBack).await.is_err() {
        // The sender is gone and never gives a job back: there is nothing to wait for.
        std::future::pending::<()>().await;
    }
}

fn seconds(ms: i64) -> f64 {
    Duration::from_millis(u64::try_from(ms).unwrap_or_default()).as_secs_f64()
}
