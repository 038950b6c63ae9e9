//! The actor of a product's jobs: one at a time, woken rather than fed.
//!
//! Rows are the queue; a wake says only that there may be work. While a job runs nothing else in the actor does
//! (`AtomicResponse`), so its state is read from atomics, never by message. Reconciliation and coding each run one [`JobEngine`],
//! with a [`Work`](super::job_runner::Work) of its own.

use std::sync::Arc;
use std::time::Duration;

use actix::{
    Actor, ActorFutureExt as _, AsyncContext as _, AtomicResponse, Context, Handler, Message, Supervised,
    WrapFuture as _,
};

use super::job_runner::{JobRunner, Turn};
use super::queue_board::{QueueBoard, QueueLimits, QueueRefusal, Reservation};
use super::runtime::{ActorError, ActorStats, Guarded, Slot, guard};
use super::{AskError, Observer};
use crate::domain::ids::UserId;
use crate::domain::job::Product;
use crate::store::{NewJob, QueueState, Store, Submitted, Urgency};

/// What a turn may take beside the computation, to claim a job, to load its rows and to store its result, before the
/// runner counts as hung.
const RUNNER_MARGIN: Duration = Duration::from_secs(150);
/// The first wait after a database error, doubled up to the last.
const RETRY_FIRST: Duration = Duration::from_secs(1);
const RETRY_LAST: Duration = Duration::from_secs(30);

/// Runs the jobs of one product, one at a time, when it is woken.
pub struct JobEngine {
    stats: Arc<ActorStats>,
    runner: Arc<JobRunner>,
    retry_after: Duration,
}

impl JobEngine {
    /// An actor that takes turns with `runner`.
    pub const fn new(stats: Arc<ActorStats>, runner: Arc<JobRunner>) -> Self {
        Self { stats, runner, retry_after: RETRY_FIRST }
    }

    fn after_turn(&mut self, turn: Result<Turn, AskError>, ctx: &mut Context<Self>) {
        match turn {
            Ok(Turn::Ended(_) | Turn::Lost | Turn::GivenBack) => {
                self.retry_after = RETRY_FIRST;
                ctx.notify(Wake);
            }
            Ok(Turn::Nothing | Turn::HeldElsewhere) => self.retry_after = RETRY_FIRST,
            Err(error) => {
                tracing::warn!(error = %error, "engine cannot reach the database, next try in {} s", self.retry_after.as_secs());
                ctx.notify_later(Wake, self.retry_after);
                self.retry_after = (self.retry_after * 2).min(RETRY_LAST);
            }
        }
    }
}

impl Actor for JobEngine {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Context<Self>) {
        // After a restart there is one code path: look at the rows.
        ctx.notify(Wake);
    }
}

impl Supervised for JobEngine {
    fn restarting(&mut self, _: &mut Context<Self>) {
        self.retry_after = RETRY_FIRST;
    }
}

impl Guarded for JobEngine {
    fn stats(&self) -> &Arc<ActorStats> {
        &self.stats
    }
}

/// There may be work.
#[derive(Message)]
#[rtype(result = "Result<(), ActorError>")]
pub struct Wake;

impl Handler<Wake> for JobEngine {
    type Result = AtomicResponse<Self, Result<(), ActorError>>;

    fn handle(&mut self, _: Wake, _: &mut Context<Self>) -> Self::Result {
        // The runner bounds the computation; the guard is for a hang of the runner itself.
        let deadline = self.runner.limits.deadline + self.runner.limits.cancel_grace + RUNNER_MARGIN;
        guard::work(deadline, |actor: &mut Self, _| {
            let runner = Arc::clone(&actor.runner);
            async move { runner.turn().await }.into_actor(actor).map(|turn, actor, ctx| actor.after_turn(turn, ctx))
        })
    }
}

/// How the rest of the service reaches an engine.
#[derive(Clone)]
pub struct EngineHandle {
    pub(super) product: Product,
    pub(super) slot: Arc<Slot<JobEngine>>,
    pub(super) store: Store,
    pub(super) queue: Arc<QueueBoard>,
    pub(super) observer: Arc<dyn Observer>,
}

impl EngineHandle {
    /// Which product.
    pub const fn product(&self) -> Product {
        self.product
    }

    /// The engine's statistics.
    pub fn stats(&self) -> &Arc<ActorStats> {
        self.slot.stats()
    }

    /// Jobs that may wait.
    pub fn queue_limits(&self) -> QueueLimits {
        self.queue.limits()
    }

    /// Reserves a place for a job of a person, to be kept until the job is submitted.
    pub fn reserve(&self, user: UserId) -> Result<Reservation, QueueRefusal> {
        self.queue.reserve(user)
    }

    /// Durably accepts a job and wakes the engine.
    pub async fn submit(&self, job: NewJob, payload: Vec<Vec<u8>>) -> Result<Submitted, AskError> {
        let user = job.user_id;
        // Where jobs wait, the running one commits soon, and this one may join that commit.
        let urgency = if self.queue.is_waited_in() { Urgency::Shared } else { Urgency::Now };
        let submitted = self.store.writer.submit_when(urgency, job, payload).await?;
        match &submitted {
            Submitted::Accepted { queue, fills_share } => {
                self.observer.job_queued(self.product);
                if *fills_share {
                    self.queue.share_is_full(user, *queue);
                }
                self.note_queue(*queue);
                self.wake();
            }
            Submitted::ShareFull(queue) => {
                self.queue.share_is_full(user, *queue);
                self.note_queue(*queue);
                self.slot.stats().count_rejected();
            }
            Submitted::QueueFull => self.slot.stats().count_rejected(),
            Submitted::Replayed(_) | Submitted::KeyReused | Submitted::SessionBusy => {}
        }
        Ok(submitted)
    }

    /// Notes how many jobs wait.
    pub fn note_queue(&self, queue: QueueState) {
        show_depth(self.slot.stats(), &self.queue, self.queue.note(queue));
    }

    /// Follows the queue in the database. Where other processes take jobs, whose shares are full is soon out of date; alone,
    /// this process hears of every move, so that once a second makes good what an error may have kept from it.
    pub fn follow(&self, queue: QueueState, is_tenth: bool) {
        self.note_queue(queue);
        if is_tenth || self.store.is_shared() {
            self.queue.forget_shares();
        }
    }

    /// Says that there may be work.
    pub fn wake(&self) {
        if let Err(error) = self.slot.wake(Wake) {
            // The job is on disk; the follower's next look wakes the engine again.
            tracing::warn!(error = %error, "engine {} cannot be woken", self.product.as_str());
        }
    }
}

/// Shows operators how many jobs wait.
pub(super) fn show_depth(stats: &ActorStats, queue: &QueueBoard, waiting: i64) {
    let count = |jobs: i64| u64::try_from(jobs).unwrap_or_default();
    stats.set_queue(count(waiting), count(queue.limits().capacity));
}
