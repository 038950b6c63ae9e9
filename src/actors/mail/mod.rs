//! The mail actor: it takes what waits in the queue of e-mails, one at a time, and sends it by a mail server or into the
//! outbox.
//!
//! Rows are the queue; a wake says only that there may be something. A message is committed as `sending` before its first
//! byte leaves, so that after a death it is known which one may have been sent. One process sends at a time; whoever takes
//! the right from a dead one says of the message under way that it is uncertain (mail server) or finishes it (outbox).

mod dkim;
mod message;
mod outbox;
mod runner;
mod smtp;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use actix::{
    Actor, ActorFutureExt as _, ArbiterHandle, AsyncContext as _, AtomicResponse, Context, Handler, Message,
    Supervised, WrapFuture as _,
};
use tokio::sync::watch;

use super::job_runner::Stopping;
use super::runtime::{ActorError, ActorStats, Guarded, Slot, SlotOptions, guard};
use super::{AskError, Observer};
use crate::domain::mail::{SmtpServer, host_of};
use crate::store::{MailWaiting, Store};

use dkim::DkimKey;
use message::Sender;
use outbox::Outbox;
use runner::{MailRunner, Turn};
use smtp::Smtp;

pub use smtp::SmtpLimits;

/// A turn takes no longer than the steps of a mail server together; beyond it the runner hangs.
const DEADLINE: Duration = Duration::from_secs(900);
/// The first wait after a database error, doubled up to the last.
const RETRY_FIRST: Duration = Duration::from_secs(1);
const RETRY_LAST: Duration = Duration::from_secs(30);
/// The address e-mails in the outbox are from when no other is set.
const OUTBOX_FROM: &str = "bookkeeping@localhost.localdomain";

/// How e-mails are sent.
#[derive(Debug, Clone)]
pub struct MailSettings {
    /// The mail server; without one e-mails go into the outbox.
    pub server: Option<SmtpServer>,
    /// The folder of the outbox.
    pub outbox: PathBuf,
    /// The address e-mails are sent from; required with a server.
    pub from: Option<String>,
    /// The DKIM selector, and the private key in PEM.
    pub dkim: Option<(String, Vec<u8>)>,
    /// How many may leave a minute, of an organisation and of a person.
    pub per_minute: u64,
    /// The lease of the right to send.
    pub lease_ms: i64,
    /// How long the steps of a mail server may take.
    pub limits: SmtpLimits,
}

impl MailSettings {
    /// The address e-mails are sent from.
    fn from(&self) -> &str {
        self.from.as_deref().unwrap_or(OUTBOX_FROM)
    }
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Delivery {
    /// It was accepted.
    Sent,
    /// It was refused for now.
    RefusedForNow(String),
    /// It was refused for good.
    RefusedForGood(String),
    /// The connection failed before its end: it was not accepted.
    Dropped(String),
    /// The transport failed before anything of it was sent.
    NotSent(String),
    /// It was sent and the answer was lost.
    Lost(String),
}

/// How e-mails leave.
enum Transport {
    Outbox(Outbox),
    Smtp(Box<Smtp>),
}

impl Transport {
    /// The name of the outbox; none for a mail server.
    fn outbox(&self) -> Option<&str> {
        match self {
            Self::Outbox(outbox) => Some(outbox.identity()),
            Self::Smtp(_) => None,
        }
    }
}

/// The actor.
pub struct MailActor {
    stats: Arc<ActorStats>,
    runner: Arc<MailRunner>,
    retry_after: Duration,
}

impl MailActor {
    fn after_turn(&mut self, turn: Result<Turn, AskError>, ctx: &mut Context<Self>) {
        match turn {
            Ok(turn) => {
                self.retry_after = RETRY_FIRST;
                self.runner.look_again_at(turn.at_ms());
                if turn == Turn::Again {
                    ctx.notify(Wake);
                }
            }
            Err(error) => {
                tracing::warn!(error = %error, "e-mails wait for the database, next try in {} s", self.retry_after.as_secs());
                ctx.notify_later(Wake, self.retry_after);
                self.retry_after = (self.retry_after * 2).min(RETRY_LAST);
            }
        }
    }
}

impl Actor for MailActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Context<Self>) {
        // After a restart there is one code path: look at the rows.
        ctx.notify(Wake);
    }
}

impl Supervised for MailActor {
    fn restarting(&mut self, _: &mut Context<Self>) {
        self.retry_after = RETRY_FIRST;
        self.runner.forget();
    }
}

impl Guarded for MailActor {
    fn stats(&self) -> &Arc<ActorStats> {
        &self.stats
    }
}

/// There may be something to send.
#[derive(Message)]
#[rtype(result = "Result<(), ActorError>")]
pub struct Wake;

impl Handler<Wake> for MailActor {
    type Result = AtomicResponse<Self, Result<(), ActorError>>;

    fn handle(&mut self, _: Wake, _: &mut Context<Self>) -> Self::Result {
        guard::work(DEADLINE, |actor: &mut Self, _| {
            let runner = Arc::clone(&actor.runner);
            async move { runner.turn().await }.into_actor(actor).map(|turn, actor, ctx| actor.after_turn(turn, ctx))
        })
    }
}

/// How the rest of the service reaches the mail actor.
#[derive(Clone)]
pub struct MailHandle {
    pub(super) slot: Arc<Slot<MailActor>>,
    /// When the actor wants to look again, in milliseconds of the database's clock.
    look_at_ms: Arc<AtomicI64>,
    observer: Arc<dyn Observer>,
    host: String,
}

/// How e-mails are sent, ready to start.
pub struct MailService {
    transport: Transport,
    sender: Sender,
    per_minute: usize,
    lease_ms: i64,
    host: String,
}

impl MailService {
    /// Reads the keys and opens the outbox, which is called `unique` when it is new; an error says which setting cannot be
    /// used.
    pub fn open(settings: &MailSettings, unique: &str) -> Result<Self, String> {
        let host = host_of(settings.from()).to_owned();
        let address = settings.from().parse().map_err(|error| format!("mail_from: {error}"))?;
        let dkim = settings.dkim.as_ref().map(|(selector, pem)| DkimKey::read(pem, &host, selector)).transpose();
        let dkim = dkim.map_err(|error| format!("mail_dkim_key_file: {error}"))?;
        let transport = match &settings.server {
            Some(server) => Transport::Smtp(Box::new(Smtp::new(server.clone(), &host, settings.limits))),
            None => {
                let outbox = Outbox::open(&settings.outbox, unique);
                Transport::Outbox(outbox.map_err(|error| format!("the outbox {}: {error}", settings.outbox.display()))?)
            }
        };
        let per_minute = usize::try_from(settings.per_minute).unwrap_or(usize::MAX);
        Ok(Self { transport, sender: Sender { address, dkim }, per_minute, lease_ms: settings.lease_ms, host })
    }
}

impl MailHandle {
    /// Starts the actor.
    pub(super) fn start(
        (stats, arbiter): (Arc<ActorStats>, ArbiterHandle),
        service: MailService,
        (store, holder): (&Store, &str),
        (observer, stopping): (&Arc<dyn Observer>, watch::Receiver<Stopping>),
    ) -> Self {
        let MailService { transport, sender, per_minute, lease_ms, host } = service;
        let look_at_ms = Arc::new(AtomicI64::new(i64::MAX));
        let runner = Arc::new(MailRunner::new(
            (store.clone(), holder.to_owned(), lease_ms),
            (transport, sender, per_minute),
            (Arc::clone(observer), stopping, Arc::clone(&look_at_ms)),
        ));
        // It is woken, never asked: the rows are the queue.
        let options = SlotOptions { queue_capacity: 0, answer_deadline: None };
        let slot = Slot::start(stats, arbiter, options, move |stats| MailActor {
            stats,
            runner: Arc::clone(&runner),
            retry_after: RETRY_FIRST,
        });
        Self { slot, look_at_ms, observer: Arc::clone(observer), host }
    }

    /// Whether a message is leaving.
    pub fn is_busy(&self) -> bool {
        self.slot.stats().busy_for_ms().is_some()
    }

    /// The host in `Message-ID`s.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Says that there may be something to send.
    pub fn wake(&self) {
        if let Err(error) = self.slot.wake(Wake) {
            // The row is on disk; the follower's next look wakes the actor again.
            tracing::warn!(error = %error, "the mail actor cannot be woken");
        }
    }

    /// Wakes the actor when the time has come that it waits for. When a message is due before that, which another process
    /// may have queued, it is woken where `looks_anew`; so too when the process that sent has gone.
    pub fn wake_at(&self, due_at_ms: Option<i64>, looks_anew: bool, now_ms: i64) {
        let wants_ms = self.look_at_ms.load(Ordering::Acquire);
        if wants_ms <= now_ms || (looks_anew && due_at_ms.is_some_and(|due| due <= now_ms)) {
            self.wake();
        }
    }

    /// Notes what waits, for the operators.
    pub fn note_waiting(&self, waiting: MailWaiting, now_ms: i64) {
        self.slot.stats().set_queue(waiting.waiting, 0);
        let oldest_ms = waiting.oldest_at_ms.map_or(0, |at| now_ms.saturating_sub(at));
        self.observer.mail_waiting(waiting.waiting, oldest_ms);
    }
}
