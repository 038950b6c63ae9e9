//! Stopping while a job is being claimed: it is nobody's yet, and must not be left behind.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bookkeeping_suite::actors::AskError;
use bookkeeping_suite::actors::job_board::JobBoard;
use bookkeeping_suite::actors::job_runner::{
    Holder, JobRunner, RunLimits, Settle, Stopping, Turn, TurnObserver, Work, WorkDone, WorkFailed,
};
use bookkeeping_suite::actors::queue_board::{QueueBoard, QueueLimits};
use bookkeeping_suite::clock::ManualClock;
use bookkeeping_suite::domain::control::Control;
use bookkeeping_suite::domain::credits::CreditChange;
use bookkeeping_suite::domain::ids::{JobId, UserId};
use bookkeeping_suite::domain::job::{JobStatus, Product};
use bookkeeping_suite::store::{Claim, ClaimedJob, Finish, Finished, QueueState, Requeued, Store, StoreOptions};
use futures_util::future::{BoxFuture, FutureExt as _};
use tokio::sync::{Notify, watch};

use crate::folder::temporary_folder;

struct NoWork;

impl Work for NoWork {
    fn product(&self) -> Product {
        Product::Reconciliation
    }

    fn run(&self, _: &ClaimedJob, _: Vec<Vec<u8>>, _: &dyn Control) -> Result<WorkDone, WorkFailed> {
        panic!("a job was run that was claimed while the service stopped")
    }
}

struct Silent;

impl TurnObserver for Silent {
    fn waiting(&self, _: i64) {}
    fn started(&self, _: Product, _: f64, _: u64) {}
    fn progress(&self, _: Product, _: u64) {}
    fn ended(&self, _: Product, _: JobStatus, _: f64, _: u64) {}
    fn reserved(&self, _: Product, _: i64) {}
    fn unpaid(&self, _: Product) {}
    fn charged(&self, _: Product, _: CreditChange) {}
    fn recovered(&self, _: Product, _: u64) {}
    fn panicked(&self, _: Product) {}
    fn timed_out(&self, _: Product) {}
    fn abandoned(&self) {}
    fn returned(&self) {}
}

/// Work that is done at once.
struct Done;

impl Work for Done {
    fn product(&self) -> Product {
        Product::Reconciliation
    }

    fn run(&self, _: &ClaimedJob, _: Vec<Vec<u8>>, _: &dyn Control) -> Result<WorkDone, WorkFailed> {
        Ok(WorkDone { cost: 1, result: vec![Vec::new()], result_size: 0, suggestions: None })
    }
}

fn claimed(product: Product, id: &str) -> ClaimedJob {
    ClaimedJob {
        id: JobId(id.to_owned()),
        product,
        user_id: UserId(1),
        key_id: None,
        fence: 1,
        attempt: 1,
        cost: 1,
        allow_overage: false,
        rows_total: 1,
        parameters: String::new(),
        created_at_ms: 0,
        started_at_ms: 0,
        queue: QueueState { waiting: 0, moves: 1 },
        payload_parts: 1,
        payload: Some(Vec::new()),
    }
}

fn runner(
    store: &Store,
    settle: Arc<dyn Settle>,
    board: Arc<JobBoard>,
    stopping: watch::Receiver<Stopping>,
) -> JobRunner {
    JobRunner {
        work: Arc::new(NoWork),
        store: store.clone(),
        queue: Arc::new(QueueBoard::new(QueueLimits::new(100, 25))),
        settle,
        board,
        observer: Arc::new(Silent),
        limits: RunLimits { deadline: Duration::from_secs(60), cancel_grace: Duration::from_secs(1), lease_ms: 15_000 },
        holder: "me".to_owned(),
        stopping,
    }
}

/// Claims a job when it is told to, and remembers what was given back.
#[derive(Default)]
struct SlowClaim {
    begun: Notify,
    go_on: Notify,
    given_back: Mutex<Vec<JobId>>,
}

impl Settle for SlowClaim {
    fn claim(&self, product: Product, _: Holder) -> BoxFuture<'_, Result<Claim, AskError>> {
        async move {
            self.begun.notify_one();
            self.go_on.notified().await;
            Ok(Claim::Job(Box::new(claimed(product, "rec_1"))))
        }
        .boxed()
    }

    fn give_back(&self, _: Product, job: JobId, _: i64) -> BoxFuture<'_, Result<Requeued, AskError>> {
        self.given_back.lock().unwrap().push(job);
        async { Ok(Requeued::default()) }.boxed()
    }

    fn settle(&self, _: Finish, _: Option<Holder>) -> BoxFuture<'_, Result<(Finished, Option<Claim>), AskError>> {
        panic!("nothing has run")
    }
}

#[tokio::test]
async fn a_job_claimed_while_the_service_begins_to_stop_is_waited_for_and_given_back() {
    let folder = temporary_folder();
    let clock = Arc::new(ManualClock::at_ms(0));
    let url = format!("sqlite://{}", folder.path().join("bookkeeping.db").display());
    let store = Store::open(StoreOptions::new(url), clock.clone()).await.unwrap();
    let (stop, stopping) = watch::channel(Stopping::No);
    let (settle, board) = (Arc::new(SlowClaim::default()), Arc::new(JobBoard::new(clock)));
    let runner = runner(&store, settle.clone(), Arc::clone(&board), stopping);
    assert!(!board.is_busy());
    let stop_meanwhile = async {
        settle.begun.notified().await;
        stop.send_replace(Stopping::Draining);
        assert!(board.is_busy(), "whoever stops must not take the engine for idle");
        settle.go_on.notify_one();
    };
    let (outcome, ()) = tokio::join!(runner.turn(), stop_meanwhile);
    assert!(matches!(outcome, Ok(Turn::GivenBack)), "{outcome:?}");
    assert_eq!(*settle.given_back.lock().unwrap(), [JobId("rec_1".to_owned())]);
    assert!(!board.is_busy());
    assert!(matches!(runner.turn().await, Ok(Turn::Nothing)), "no further one is claimed");
    store.close().await;
}

/// Has a job to begin with, and another behind it; the service begins to stop while the first is ended.
struct StopsWhileEnding {
    stop: watch::Sender<Stopping>,
    asked: Mutex<Vec<bool>>,
    given_back: Mutex<Vec<JobId>>,
}

impl Settle for StopsWhileEnding {
    fn claim(&self, product: Product, _: Holder) -> BoxFuture<'_, Result<Claim, AskError>> {
        async move { Ok(Claim::Job(Box::new(claimed(product, "rec_1")))) }.boxed()
    }

    fn give_back(&self, _: Product, job: JobId, _: i64) -> BoxFuture<'_, Result<Requeued, AskError>> {
        self.given_back.lock().unwrap().push(job);
        async { Ok(Requeued::default()) }.boxed()
    }

    fn settle(
        &self,
        finish: Finish,
        next: Option<Holder>,
    ) -> BoxFuture<'_, Result<(Finished, Option<Claim>), AskError>> {
        self.asked.lock().unwrap().push(next.is_some());
        self.stop.send_replace(Stopping::Draining);
        let ended = Finished::Completed { user_id: UserId(1), credits_charged: 1, change: CreditChange::default() };
        let next = next.map(|_| Claim::Job(Box::new(claimed(finish.product, "rec_2"))));
        async move { Ok((ended, next)) }.boxed()
    }
}

#[tokio::test]
async fn a_job_taken_with_the_end_of_another_is_given_back_when_the_service_stops() {
    let folder = temporary_folder();
    let clock = Arc::new(ManualClock::at_ms(0));
    let url = format!("sqlite://{}", folder.path().join("bookkeeping.db").display());
    let store = Store::open(StoreOptions::new(url), clock.clone()).await.unwrap();
    let (stop, stopping) = watch::channel(Stopping::No);
    let settle = Arc::new(StopsWhileEnding { stop, asked: Mutex::default(), given_back: Mutex::default() });
    let runner =
        JobRunner { work: Arc::new(Done), ..runner(&store, settle.clone(), Arc::new(JobBoard::new(clock)), stopping) };
    assert!(matches!(runner.turn().await, Ok(Turn::GivenBack)));
    assert_eq!(*settle.asked.lock().unwrap(), [true], "a turn that is young asks for another job");
    assert_eq!(*settle.given_back.lock().unwrap(), [JobId("rec_2".to_owned())]);
    assert!(matches!(runner.turn().await, Ok(Turn::Nothing)), "no further one is claimed");
    store.close().await;
}
