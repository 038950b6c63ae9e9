//! Supervised actors: they own what changes and publish what is read.
//!
//! Writes are messages, reads are queries or what is published here. Actors hold each other's handles only downhill
//! (engines → credit bank), so nobody waits in a circle.

pub mod coding_sessions;
pub mod coding_work;
pub mod credit_bank;
pub mod engine;
pub mod follower;
pub mod grant_directory;
pub mod grant_registry;
pub mod idempotency_lock;
pub mod job_board;
pub mod job_runner;
pub mod key_registry;
pub mod ledger;
pub mod mail;
pub mod pack;
pub mod published;
pub mod queue_board;
pub mod rate_limiter;
pub mod recon_work;
pub mod runtime;

use std::sync::Arc;
use std::time::Duration;

use actix::{Arbiter, ArbiterHandle};
use tokio::sync::watch;

use self::idempotency_lock::IdempotencyLocks;
use crate::clock::Clock;
use crate::domain::caller::RateRule;
use crate::domain::credits::CreditChange;
use crate::domain::job::{JobStatus, Product};
use crate::domain::mail::EmailStatus;
use crate::domain::oauth::error::{GrantType, OAuthError, Reuse};
use crate::store::{Store, StoreError};

use coding_sessions::CodingSessionsHandle;
use credit_bank::{CreditBank, CreditBankHandle};
use engine::{EngineHandle, JobEngine};
use grant_directory::GrantDirectory;
use grant_registry::{GrantRegistry, GrantRegistryHandle};
use job_board::JobBoard;
use job_runner::{JobRunner, RunLimits, Stopping, TurnObserver, Work};
use key_registry::{KeyRegistry, KeyRegistryHandle};
use ledger::LedgersHandle;
use mail::{MailHandle, MailService};
use published::{BalanceBoard, KeyDirectory};
use queue_board::{QueueBoard, QueueLimits};
use rate_limiter::{RateLimiter, RateLimiterHandle, RateWindows};
use runtime::{ActorError, ActorRegistry, ActorStats, Health, Slot, SlotOptions};

/// Why a question was not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The actor could not take or finish it.
    #[error(transparent)]
    Actor(#[from] ActorError),
    /// The store could not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What the actors report beside their own statistics; implemented over the metrics.
pub trait Observer: Send + Sync {
    /// A job was accepted.
    fn job_queued(&self, product: Product);
    /// A job was claimed after waiting this long.
    fn job_started(&self, product: Product, waited_s: f64);
    /// A job ended after running this long.
    fn job_ended(&self, product: Product, status: JobStatus, run_s: f64, rows_total: u64);
    /// A job failed before it began, because it could not be paid.
    fn job_unpaid(&self, product: Product);
    /// So many credits are set aside for the running job of a product.
    fn credits_reserved(&self, product: Product, credits: i64);
    /// Credits were charged.
    fn credits_charged(&self, product: Product, change: CreditChange);
    /// Jobs went back to the queue because whoever ran them is gone.
    fn jobs_recovered(&self, product: Product, jobs: u64);
    /// A computation ignored its cancellation.
    fn thread_abandoned(&self);
    /// An abandoned computation ended after all.
    fn thread_returned(&self);
    /// The database did not answer so many times more.
    fn store_unavailable(&self, times: u64);
    /// So many journals more were posted.
    fn journals_posted(&self, journals: u64);
    /// A change was refused because the record had changed since it was read.
    fn version_conflict(&self);
    /// An e-mail that was begun to be sent came to this state.
    fn mail_ended(&self, status: EmailStatus);
    /// Tokens were issued.
    fn oauth_issued(&self, grant_type: GrantType);
    /// The authorization server refused a request.
    fn oauth_refused(&self, error: OAuthError);
    /// A code or refresh token that was used came back.
    fn oauth_reused(&self, reuse: Reuse);
    /// So many connections by OAuth are accepted.
    fn oauth_connections(&self, connections: usize);
    /// So many e-mails wait, the oldest of them for so long.
    fn mail_waiting(&self, waiting: u64, oldest_ms: i64);
}

/// What the actors need to start.
pub struct ActorsOptions {
    /// This process, as product slots know it.
    pub holder: String,
    /// The database.
    pub store: Store,
    /// Time and randomness.
    pub clock: Arc<dyn Clock>,
    /// Counters.
    pub observer: Arc<dyn Observer>,
    /// Health, as the watchdog and the follower know it.
    pub health: Arc<Health>,
    /// Everything that is watched.
    pub registry: ActorRegistry,
    /// Requests per window.
    pub rate_rule: RateRule,
    /// Jobs that may wait.
    pub queue_limits: QueueLimits,
    /// Bounds of a run.
    pub run_limits: RunLimits,
    /// What reconciliation does.
    pub reconciliation: Arc<dyn Work>,
    /// What coding does.
    pub coding: Arc<dyn Work>,
    /// How e-mails are sent.
    pub mail: MailService,
}

/// Every handle.
pub struct Actors {
    /// API keys.
    pub keys: KeyRegistryHandle,
    /// Connections by OAuth.
    pub grants: GrantRegistryHandle,
    /// Rate windows.
    pub limiter: RateLimiterHandle,
    /// Balances.
    pub credits: CreditBankHandle,
    /// The reconciliation engine.
    pub reconciliation: EngineHandle,
    /// The coding engine.
    pub coding: EngineHandle,
    /// Coding sessions of agents.
    pub coding_sessions: CodingSessionsHandle,
    /// The books of organisations.
    pub ledgers: LedgersHandle,
    /// What sends e-mails.
    pub mail: MailHandle,
    /// Requests with an `Idempotency-Key` that run now.
    pub idempotency_locks: IdempotencyLocks,
    /// What is happening to jobs right now.
    pub board: Arc<JobBoard>,
    /// Health.
    pub health: Arc<Health>,
    /// Counters.
    pub observer: Arc<dyn Observer>,
    /// Time and randomness.
    pub clock: Arc<dyn Clock>,
    /// This process, as product slots know it.
    pub holder: String,
    /// For how long it takes slots.
    pub(crate) lease_ms: i64,
    store: Store,
    stopping: watch::Sender<Stopping>,
    arbiters: Vec<Arbiter>,
}

/// Reports turns both to the metrics and to the engine's statistics.
struct EngineObserver {
    observer: Arc<dyn Observer>,
    stats: Arc<ActorStats>,
    queue: Arc<QueueBoard>,
    rows_total: std::sync::atomic::AtomicU64,
}

impl TurnObserver for EngineObserver {
    fn waiting(&self, waiting: i64) {
        engine::show_depth(&self.stats, &self.queue, waiting);
    }

    fn started(&self, product: Product, waited_s: f64, rows_total: u64) {
        self.rows_total.store(rows_total, std::sync::atomic::Ordering::Relaxed);
        self.stats.set_rows(0, rows_total);
        self.observer.job_started(product, waited_s);
    }

    fn progress(&self, _: Product, rows_done: u64) {
        self.stats.set_rows(rows_done, self.rows_total.load(std::sync::atomic::Ordering::Relaxed));
        self.stats.note_progress();
    }

    fn ended(&self, product: Product, status: JobStatus, run_s: f64, rows_total: u64) {
        self.stats.set_rows(rows_total, rows_total);
        self.stats.note_progress();
        if status == JobStatus::Failed {
            self.stats.count_failed();
        }
        self.observer.job_ended(product, status, run_s, rows_total);
    }

    fn reserved(&self, product: Product, credits: i64) {
        self.observer.credits_reserved(product, credits);
    }

    fn unpaid(&self, product: Product) {
        self.stats.note_progress();
        self.stats.count_failed();
        self.observer.job_unpaid(product);
    }

    fn charged(&self, product: Product, change: CreditChange) {
        self.observer.credits_charged(product, change);
    }

    fn recovered(&self, product: Product, jobs: u64) {
        self.observer.jobs_recovered(product, jobs);
    }

    fn panicked(&self, _: Product) {
        self.stats.count_panic();
    }

    fn timed_out(&self, _: Product) {
        self.stats.count_timeout();
    }

    fn abandoned(&self) {
        self.observer.thread_abandoned();
    }

    fn returned(&self) {
        self.observer.thread_returned();
    }
}

impl Actors {
    /// Starts every actor on arbiters of its own: the gate (keys, limits), the bank, the engines, the books.
    pub fn start(options: ActorsOptions) -> Arc<Self> {
        let ActorsOptions {
            holder,
            store,
            clock,
            observer,
            health,
            registry,
            rate_rule,
            queue_limits,
            run_limits,
            reconciliation,
            coding,
            mail,
        } = options;
        let (gate, bank, engines, books) = (Arbiter::new(), Arbiter::new(), Arbiter::new(), Arbiter::new());
        let (stopping, stopping_receiver) = watch::channel(Stopping::No);
        let board = Arc::new(JobBoard::new(Arc::clone(&clock)));
        let stats = |name| ActorStats::new(name, Arc::clone(&clock));

        let keys = start_keys(stats("key_registry"), gate.handle(), &store);
        registry.add(keys.slot.clone());
        let grants = start_grants(stats("grant_registry"), gate.handle(), &store, Arc::clone(&observer));
        registry.add(grants.slot.clone());
        let limiter = start_limiter(stats("rate_limiter"), gate.handle(), &store, rate_rule, &clock);
        registry.add(limiter.slot.clone());
        let credits = start_bank(stats("credit_bank"), bank.handle(), &store);
        registry.add(credits.slot.clone());
        let idempotency_locks = IdempotencyLocks::default();
        let ledgers = LedgersHandle::new(
            stats("ledger"),
            vec![books.handle()],
            &store,
            (Arc::clone(&observer), idempotency_locks.clone()),
        );
        registry.add(ledgers.directory.clone());

        let engine = |name, work| {
            let stats = stats(name);
            let queue = Arc::new(QueueBoard::new(queue_limits));
            let runner = Arc::new(JobRunner {
                queue: Arc::clone(&queue),
                work,
                store: store.clone(),
                settle: Arc::new(credits.clone()),
                board: Arc::clone(&board),
                observer: Arc::new(EngineObserver {
                    observer: Arc::clone(&observer),
                    stats: Arc::clone(&stats),
                    queue: Arc::clone(&queue),
                    rows_total: std::sync::atomic::AtomicU64::new(0),
                }),
                limits: run_limits,
                holder: holder.clone(),
                stopping: stopping_receiver.clone(),
            });
            let engine = start_engine(stats, engines.handle(), runner, (&store, queue), Arc::clone(&observer));
            registry.add(engine.slot.clone());
            engine
        };
        let reconciliation = engine("recon", reconciliation);
        let coding = engine("coding", coding);
        let stopping_mail = (&observer, stopping_receiver.clone());
        let mail = MailHandle::start((stats("mail"), engines.handle()), mail, (&store, &holder), stopping_mail);
        registry.add(mail.slot.clone());

        let coding_sessions = CodingSessionsHandle {
            store: store.clone(),
            credits: credits.clone(),
            engine: coding.clone(),
            clock: Arc::clone(&clock),
            observer: Arc::clone(&observer),
        };
        Arc::new(Self {
            keys,
            grants,
            limiter,
            credits,
            reconciliation,
            coding,
            coding_sessions,
            ledgers,
            mail,
            idempotency_locks,
            board,
            health,
            observer,
            clock,
            holder,
            lease_ms: run_limits.lease_ms,
            store,
            stopping,
            arbiters: vec![gate, bank, engines, books],
        })
    }

    /// Every engine.
    pub fn engines(&self) -> [&EngineHandle; 2] {
        Product::ALL.map(|product| self.engine(product))
    }

    /// The engine of a product.
    pub const fn engine(&self, product: Product) -> &EngineHandle {
        match product {
            Product::Reconciliation => &self.reconciliation,
            Product::Coding => &self.coding,
        }
    }

    /// Milliseconds since 1970-01-01, as every process on this database agrees on them.
    pub fn store_now_ms(&self) -> i64 {
        self.store.now_ms()
    }

    /// Whether and how far the service has come in stopping.
    pub fn stopping(&self) -> watch::Receiver<Stopping> {
        self.stopping.subscribe()
    }

    /// No further job is claimed; the running one gets `grace` and is then given back to the queue.
    pub async fn stop_engines(&self, grace: Duration) {
        self.stopping.send_replace(Stopping::Draining);
        let idle = async {
            while self.board.is_busy() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let jobs = async {
            tokio::pin!(idle);
            if tokio::time::timeout(grace, &mut idle).await.is_err() {
                self.stopping.send_replace(Stopping::GivingBack);
                if tokio::time::timeout(Duration::from_secs(10), idle).await.is_err() {
                    tracing::error!("a running job could not be given back; it is recovered at the next start");
                }
            }
        };
        futures_util::future::join(jobs, self.stop_mail(grace)).await;
        for engine in self.engines() {
            if let Err(error) = self.store.writer.release_slot(engine.product(), &self.holder).await {
                tracing::warn!(error = %error, "slot {} not released; its lease runs out", engine.product().as_str());
            }
        }
    }

    /// No further e-mail is begun, which the caller has said already; the one that is leaving gets `grace`. One that a mail
    /// server still keeps waiting then may have been sent: the next start says so.
    async fn stop_mail(&self, grace: Duration) {
        let idle = async {
            while self.mail.is_busy() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        if tokio::time::timeout(grace, idle).await.is_err() {
            tracing::warn!("the mail server does not answer; the e-mail that is leaving will be uncertain");
            return;
        }
        if let Err(error) = self.store.writer.release_mail_slot(&self.holder).await {
            tracing::warn!(error = %error, "the right to send is not released; its lease runs out");
        }
    }

    /// Closes every slot and ends the arbiters. No question may be sent afterwards.
    pub fn stop(&self) {
        self.keys.slot.close();
        self.grants.slot.close();
        self.limiter.slot.close();
        self.credits.slot.close();
        self.ledgers.directory.close();
        for engine in self.engines() {
            engine.slot.close();
        }
        self.mail.slot.close();
        for arbiter in &self.arbiters {
            arbiter.stop();
        }
    }
}

fn start_keys(stats: Arc<ActorStats>, arbiter: ArbiterHandle, store: &Store) -> KeyRegistryHandle {
    let published = Arc::new(KeyDirectory::default());
    let (store, directory) = (store.clone(), Arc::clone(&published));
    let slot = Slot::start(stats, arbiter, SlotOptions::default(), move |stats| {
        KeyRegistry::new(stats, store.clone(), Arc::clone(&directory))
    });
    KeyRegistryHandle { slot, published }
}

fn start_grants(
    stats: Arc<ActorStats>,
    arbiter: ArbiterHandle,
    store: &Store,
    observer: Arc<dyn Observer>,
) -> GrantRegistryHandle {
    let published = Arc::new(GrantDirectory::default());
    let (of_actor, directory) = (store.clone(), Arc::clone(&published));
    // Exchanges wait for their commit many at a time: slowness of the disk is not a hang of the actor.
    let options = SlotOptions { queue_capacity: 16_384, answer_deadline: None };
    let slot = Slot::start(stats, arbiter, options, move |stats| {
        GrantRegistry::new(stats, of_actor.clone(), Arc::clone(&directory), Arc::clone(&observer))
    });
    GrantRegistryHandle { slot, store: store.clone(), published }
}

fn start_limiter(
    stats: Arc<ActorStats>,
    arbiter: ArbiterHandle,
    store: &Store,
    rule: RateRule,
    clock: &Arc<dyn Clock>,
) -> RateLimiterHandle {
    let windows = Arc::new(RateWindows::new(rule, Arc::clone(clock)));
    let (actor_store, actor_windows) = (store.clone(), Arc::clone(&windows));
    let slot =
        Slot::start(stats, arbiter, SlotOptions { queue_capacity: 4096, ..SlotOptions::default() }, move |stats| {
            RateLimiter::new(stats, actor_store.clone(), Arc::clone(&actor_windows))
        });
    RateLimiterHandle { slot, windows, store: store.clone() }
}

fn start_bank(stats: Arc<ActorStats>, arbiter: ArbiterHandle, store: &Store) -> CreditBankHandle {
    let published = Arc::new(BalanceBoard::default());
    let (store, board) = (store.clone(), Arc::clone(&published));
    // Answers wait for a commit, however long it takes: slowness of the disk is not a hang of the actor.
    let options = SlotOptions { queue_capacity: 1024, answer_deadline: None };
    let slot =
        Slot::start(stats, arbiter, options, move |stats| CreditBank::new(stats, store.clone(), Arc::clone(&board)));
    CreditBankHandle { slot, published }
}

fn start_engine(
    stats: Arc<ActorStats>,
    arbiter: ArbiterHandle,
    runner: Arc<JobRunner>,
    (store, queue): (&Store, Arc<QueueBoard>),
    observer: Arc<dyn Observer>,
) -> EngineHandle {
    let product = runner.work.product();
    // Engines are woken, never sent a job: the rows are the queue.
    let options = SlotOptions { queue_capacity: 0, answer_deadline: None };
    let slot = Slot::start(stats, arbiter, options, move |stats| JobEngine::new(stats, Arc::clone(&runner)));
    EngineHandle { product, slot, store: store.clone(), queue, observer }
}
