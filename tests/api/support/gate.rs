//! An engine the test holds in its hands: it says when a job starts and ends it when and how the test says.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bookkeeping_suite::actors::job_runner::{Work, WorkDone, WorkFailed};
use bookkeeping_suite::domain::control::Control;
use bookkeeping_suite::domain::job::Product;
use bookkeeping_suite::store::ClaimedJob;

use super::product::JobProduct as _;

/// How long the test waits for a job to start before it says that it never will.
const START_MAX: Duration = Duration::from_secs(30);
/// How soon a held job notices that it was cancelled.
const NOTICE: Duration = Duration::from_millis(2);

/// What a held job is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tell {
    /// Report so many rows done and go on.
    Progress(u64),
    /// End well, at the job's cost.
    Complete,
    /// End well and cost nothing, as an unverified run.
    CompleteForFree,
    /// End with an engine error.
    Fail,
    /// Panic.
    Panic,
    /// Take no notice of cancellation until told otherwise.
    IgnoreCancellation,
}

/// The test's end.
pub struct Gate {
    started: Receiver<String>,
    tell: Option<Sender<Tell>>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    running: AtomicUsize,
    running_most: AtomicUsize,
}

/// The engine's end.
pub struct GatedWork {
    product: Product,
    started: Mutex<Sender<String>>,
    told: Mutex<Receiver<Tell>>,
    shared: Arc<Shared>,
}

/// A gate and the engine of a product behind it.
pub fn gate(product: Product) -> (Gate, Arc<dyn Work>) {
    let (started_sender, started) = channel();
    let (tell, told) = channel();
    let shared = Arc::new(Shared::default());
    let work =
        GatedWork { product, started: Mutex::new(started_sender), told: Mutex::new(told), shared: Arc::clone(&shared) };
    (Gate { started, tell: Some(tell), shared }, Arc::new(work))
}

impl Gate {
    /// Waits until a job runs; its id.
    #[track_caller]
    pub fn started(&self) -> String {
        self.started.recv_timeout(START_MAX).expect("a job should have started")
    }

    /// The job that has started meanwhile, if any.
    pub fn started_already(&self) -> Option<String> {
        self.started.try_recv().ok()
    }

    pub fn tell(&self, what: Tell) {
        self.tell.as_ref().expect("the gate is closed").send(what).expect("the engine is there");
    }

    /// Lets every job end well from now on, without being told.
    pub fn open(&mut self) {
        self.tell = None;
    }

    /// Jobs that run now, given up ones included.
    pub fn running(&self) -> usize {
        self.shared.running.load(Ordering::SeqCst)
    }

    /// The most jobs that ever ran at once.
    pub fn running_most(&self) -> usize {
        self.shared.running_most.load(Ordering::SeqCst)
    }
}

impl Work for GatedWork {
    fn product(&self) -> Product {
        self.product
    }

    fn run(&self, job: &ClaimedJob, _: Vec<Vec<u8>>, control: &dyn Control) -> Result<WorkDone, WorkFailed> {
        let running = self.shared.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.shared.running_most.fetch_max(running, Ordering::SeqCst);
        let _counted = Counted(&self.shared);
        // A test that has seen enough no longer listens.
        drop(self.started.lock().unwrap_or_else(PoisonError::into_inner).send(job.id.as_str().to_owned()));
        let mut heeds_cancellation = true;
        loop {
            // Two jobs never run at once unless the product is wrong, so waiting with the lock held blocks nobody.
            let told = self.told.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(NOTICE);
            match told {
                Ok(Tell::Progress(rows_done)) => control.progress(rows_done),
                Ok(Tell::Complete) | Err(RecvTimeoutError::Disconnected) => return done(job, job.cost),
                Ok(Tell::CompleteForFree) => return done(job, 0),
                Ok(Tell::Fail) => return Err(WorkFailed::Failed("told to fail".to_owned())),
                Ok(Tell::Panic) => panic!("told to panic"),
                Ok(Tell::IgnoreCancellation) => heeds_cancellation = false,
                Err(RecvTimeoutError::Timeout) => {
                    if heeds_cancellation && control.is_cancelled() {
                        return Err(WorkFailed::Stopped);
                    }
                }
            }
        }
    }
}

struct Counted<'a>(&'a Shared);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

fn done(job: &ClaimedJob, cost: i64) -> Result<WorkDone, WorkFailed> {
    let text = job.product.result(job.cost, cost).to_string();
    let packed = zstd::encode_all(text.as_bytes(), 1).map_err(|error| WorkFailed::Failed(error.to_string()))?;
    Ok(WorkDone {
        cost,
        result: vec![packed],
        result_size: u64::try_from(text.len()).unwrap_or_default(),
        suggestions: None,
    })
}
