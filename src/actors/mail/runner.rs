//! One turn of the mail actor: choose the next message whose time has come, get the transport ready, commit that it is
//! leaving, send it, commit what became of it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex, watch};

use super::message::{Composed, Sender};
use super::{Delivery, Transport};
use crate::actors::job_runner::{HEARTBEAT_MAX, Stopping};
use crate::actors::{AskError, Observer};
use crate::domain::mail::{EmailStatus, Pace, Paced, retry_after_ms, transport_wait_ms};
use crate::store::{MailEnd, MailHead, MailMove, MailSlot, Store};

/// Organisations looked at together.
const HEADS: u64 = 64;
/// What the pace is counted over.
const MINUTE_MS: i64 = 60_000;
/// Longer answers of mail servers are cut.
const ERROR_CHARS_MAX: usize = 500;

/// What a turn came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// There may be more to do at once.
    Again,
    /// Nothing can be done before this moment, in milliseconds.
    Later(i64),
    /// Nothing waits.
    Nothing,
}

impl Turn {
    /// When the actor wants to be woken.
    pub(super) const fn at_ms(self) -> i64 {
        match self {
            // It has woken itself.
            Self::Again => i64::MAX,
            Self::Later(at_ms) => at_ms,
            Self::Nothing => i64::MAX,
        }
    }
}

/// Sends what waits, one message a turn.
pub(super) struct MailRunner {
    store: Store,
    /// This process, as the slot knows it.
    holder: String,
    lease_ms: i64,
    sender: Sender,
    per_minute: usize,
    observer: Arc<dyn Observer>,
    stopping: watch::Receiver<Stopping>,
    look_at_ms: Arc<AtomicI64>,
    /// Only the actor uses it, one turn at a time.
    state: Mutex<State>,
    /// Whether a turn was broken off, so that what it had begun is given up.
    is_broken: StdMutex<bool>,
}

struct State {
    transport: Transport,
    /// The fence of the slot, while it is held.
    fence: Option<i64>,
    /// Until when it is held for certain.
    held_until_ms: i64,
    pace: Pace,
    /// The organisations to come, and after which they were looked for.
    heads: VecDeque<MailHead>,
    after_organisation: i64,
    /// Failures of the transport in a row, and until when nothing is tried.
    failures: usize,
    wait_until_ms: i64,
    /// What became of a message, when that could not be written yet.
    unwritten: Option<MailEnd>,
    /// Whether what a process before had begun in this outbox is finished.
    has_recovered: bool,
}

impl MailRunner {
    pub(super) fn new(
        (store, holder, lease_ms): (Store, String, i64),
        (transport, sender, per_minute): (Transport, Sender, usize),
        (observer, stopping, look_at_ms): (Arc<dyn Observer>, watch::Receiver<Stopping>, Arc<AtomicI64>),
    ) -> Self {
        let state = State {
            transport,
            fence: None,
            held_until_ms: 0,
            pace: Pace::new(per_minute),
            heads: VecDeque::new(),
            after_organisation: 0,
            failures: 0,
            wait_until_ms: 0,
            unwritten: None,
            has_recovered: false,
        };
        let (state, is_broken) = (Mutex::new(state), StdMutex::new(false));
        Self { store, holder, lease_ms, sender, per_minute, observer, stopping, look_at_ms, state, is_broken }
    }

    /// Says when the actor wants to be woken.
    pub(super) fn look_again_at(&self, at_ms: i64) {
        self.look_at_ms.store(at_ms, Ordering::Release);
    }

    /// A turn was broken off: what it had begun is given up in the next.
    pub(super) fn forget(&self) {
        *self.is_broken.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// Takes one turn. A database error leaves the rows as they are; the caller tries again later.
    pub(super) async fn turn(&self) -> Result<Turn, AskError> {
        let mut state = self.state.lock().await;
        let was_broken = std::mem::take(&mut *self.is_broken.lock().unwrap_or_else(PoisonError::into_inner));
        if was_broken {
            state.fence = None;
            state.heads.clear();
            if let Transport::Smtp(smtp) = &mut state.transport {
                smtp.rest().await;
            }
        }
        if let Some(end) = state.unwritten.clone() {
            self.store.writer.end_email(end).await?;
            state.unwritten = None;
        }
        if *self.stopping.borrow() != Stopping::No {
            return Ok(Turn::Nothing);
        }
        let now_ms = self.store.now_ms();
        if state.wait_until_ms > now_ms {
            return Ok(Turn::Later(state.wait_until_ms));
        }
        let Some(fence) = self.hold_slot(&mut state, was_broken).await? else {
            return Ok(Turn::Later(now_ms.saturating_add(self.lease_ms)));
        };
        let turn = match self.choose(&mut state, now_ms).await? {
            Choice::Send(head) => self.send(&mut state, head, fence).await?,
            Choice::Later(at_ms) => Turn::Later(at_ms),
            Choice::Nothing => Turn::Nothing,
        };
        if turn != Turn::Again
            && let Transport::Smtp(smtp) = &mut state.transport
        {
            smtp.rest().await;
        }
        Ok(turn)
    }

    /// Takes the right to send, or keeps it; none while another process has it.
    async fn hold_slot(&self, state: &mut State, renews: bool) -> Result<Option<i64>, AskError> {
        let now_ms = self.store.now_ms();
        let is_certain = !self.store.is_shared() || now_ms < state.held_until_ms - self.lease_ms / 2;
        if let Some(fence) = state.fence.filter(|_| is_certain) {
            return Ok(Some(fence));
        }
        if !state.has_recovered {
            // Also where another process sends: nobody else knows this outbox.
            self.finish_outbox(state).await?;
            state.has_recovered = true;
        }
        let slot = self.store.writer.take_mail_slot(&self.holder, self.lease_ms, renews).await?;
        let MailSlot::Held { fence, uncertain } = slot else {
            state.fence = None;
            return Ok(None);
        };
        state.held_until_ms = now_ms.saturating_add(self.lease_ms);
        for _ in 0..uncertain {
            self.observer.mail_ended(EmailStatus::Uncertain);
        }
        if state.fence != Some(fence) {
            state.fence = Some(fence);
            self.finish_outbox(state).await?;
            self.remember_pace(state).await?;
        }
        Ok(Some(fence))
    }

    /// Puts into their places the messages that were leaving by this outbox when a process ended.
    async fn finish_outbox(&self, state: &State) -> Result<(), AskError> {
        let Transport::Outbox(outbox) = &state.transport else { return Ok(()) };
        for (email, message_id, fence) in self.store.reader.emails_in_outbox(outbox.identity()).await? {
            let folder = outbox.clone();
            let placed = blocking(move || folder.put_in_place(&message_id)).await;
            if let Err(error) = placed {
                tracing::warn!(error = %error, "an e-mail in the outbox cannot be put in its place yet");
                continue;
            }
            let end = MailEnd {
                email,
                fence,
                status: EmailStatus::Sent,
                next_attempt_at_ms: None,
                error: None,
                counts: true,
            };
            if self.store.writer.end_email(end).await? == MailMove::Done {
                self.observer.mail_ended(EmailStatus::Sent);
            }
        }
        Ok(())
    }

    /// Reads what left within the last minute, whichever process sent it.
    async fn remember_pace(&self, state: &mut State) -> Result<(), AskError> {
        state.pace = Pace::new(self.per_minute);
        let since_ms = self.store.now_ms() - MINUTE_MS;
        for (organisation, owner, left_ms) in self.store.reader.emails_left_since(since_ms).await? {
            state.pace.note(Paced::Organisation(organisation), left_ms);
            state.pace.note(Paced::Person(owner), left_ms);
        }
        Ok(())
    }

    /// The next message whose time has come, organisation by organisation in turn.
    async fn choose(&self, state: &mut State, now_ms: i64) -> Result<Choice, AskError> {
        state.pace.forget(now_ms);
        let mut later_ms = i64::MAX;
        let mut begun_anew = state.after_organisation == 0 && state.heads.is_empty();
        loop {
            while let Some(head) = state.heads.pop_front() {
                state.after_organisation = head.organisation;
                let free_ms = [Paced::Organisation(head.organisation), Paced::Person(head.owner)]
                    .into_iter()
                    .filter_map(|of| state.pace.free_at_ms(of, now_ms))
                    .chain([head.next_attempt_at_ms])
                    .max()
                    .unwrap_or(head.next_attempt_at_ms);
                if free_ms <= now_ms {
                    return Ok(Choice::Send(head));
                }
                later_ms = later_ms.min(free_ms);
            }
            let heads = self.store.reader.mail_heads(state.after_organisation, HEADS).await?;
            match (heads.is_empty(), begun_anew) {
                (false, _) => state.heads.extend(heads),
                (true, false) => (state.after_organisation, begun_anew) = (0, true),
                (true, true) => {
                    state.after_organisation = 0;
                    return Ok(if later_ms == i64::MAX { Choice::Nothing } else { Choice::Later(later_ms) });
                }
            }
        }
    }

    /// Sends one message.
    async fn send(&self, state: &mut State, head: MailHead, fence: i64) -> Result<Turn, AskError> {
        let Some(email) = self.store.reader.email_to_send(head.email).await? else { return Ok(Turn::Again) };
        let composed = match self.sender.compose(&email, self.store.now_ms()) {
            Ok(composed) => composed,
            Err(error) => return self.refuse(state, head, fence, error).await,
        };
        if let Err(error) = self.prepare(state, &composed).await {
            return Ok(self.transport_failed(state, &error));
        }
        let outbox = state.transport.outbox().map(str::to_owned);
        let slot = (self.holder.as_str(), fence, self.lease_ms);
        let begun = match self.store.writer.begin_email(head.email, slot, outbox.as_deref()).await {
            Ok(begun) => begun,
            Err(error) => {
                // Whether that was committed is not known, but that nothing was sent.
                let end = self.queued_again(head.email, fence, String::new());
                state.unwritten = Some(MailEnd { error: None, counts: false, ..end });
                return Err(error.into());
            }
        };
        match begun {
            MailMove::Done => state.held_until_ms = self.store.now_ms().saturating_add(self.lease_ms),
            MailMove::Gone => return Ok(Turn::Again),
            MailMove::Lost => {
                state.fence = None;
                state.heads.clear();
                return Ok(Turn::Again);
            }
        }
        let left_ms = self.store.now_ms();
        state.pace.note(Paced::Organisation(head.organisation), left_ms);
        state.pace.note(Paced::Person(head.owner), left_ms);
        let delivery = self.deliver(state, &composed, fence).await;
        self.write_end(state, (head.email, email.attempts + 1, fence), delivery).await
    }

    /// Says of a message that cannot be composed that it has failed.
    async fn refuse(&self, state: &mut State, head: MailHead, fence: i64, error: String) -> Result<Turn, AskError> {
        let slot = (self.holder.as_str(), fence, self.lease_ms);
        let outbox = state.transport.outbox().map(str::to_owned);
        match self.store.writer.begin_email(head.email, slot, outbox.as_deref()).await? {
            MailMove::Done => self.write_end(state, (head.email, 1, fence), Delivery::RefusedForGood(error)).await,
            MailMove::Gone => Ok(Turn::Again),
            MailMove::Lost => {
                state.fence = None;
                Ok(Turn::Again)
            }
        }
    }

    /// Gets ready to send a message: connects, or writes the file beside its place.
    async fn prepare(&self, state: &mut State, composed: &Composed) -> Result<(), String> {
        match &mut state.transport {
            Transport::Smtp(smtp) => smtp.connect().await,
            Transport::Outbox(outbox) => {
                let (outbox, message_id, bytes) = (outbox.clone(), composed.message_id.clone(), composed.bytes.clone());
                blocking(move || outbox.write_beside(&message_id, &bytes)).await
            }
        }
    }

    /// Sends a message that is ready, and keeps the slot meanwhile.
    async fn deliver(&self, state: &mut State, composed: &Composed, fence: i64) -> Delivery {
        let sending = async {
            match &mut state.transport {
                Transport::Smtp(smtp) => smtp.send(composed).await,
                Transport::Outbox(outbox) => {
                    let (outbox, message_id) = (outbox.clone(), composed.message_id.clone());
                    match blocking(move || outbox.put_in_place(&message_id)).await {
                        Ok(()) => Delivery::Sent,
                        Err(error) => Delivery::NotSent(error),
                    }
                }
            }
        };
        tokio::pin!(sending);
        let every = Duration::from_millis(u64::try_from(self.lease_ms / 3).unwrap_or(1000).max(1)).min(HEARTBEAT_MAX);
        loop {
            tokio::select! {
                delivery = &mut sending => return delivery,
                () = tokio::time::sleep(every), if self.store.is_shared() => {
                    // Whether it was lost is seen when the next message begins; this one is sent to its end.
                    if let Err(error) = self.store.writer.keep_mail_slot(&self.holder, fence, self.lease_ms).await {
                        tracing::warn!(error = %error, "cannot extend the lease of the right to send");
                    }
                }
            }
        }
    }

    /// Writes what became of a message.
    async fn write_end(
        &self,
        state: &mut State,
        (email, attempts, fence): (i64, i64, i64),
        delivery: Delivery,
    ) -> Result<Turn, AskError> {
        let ended = |status, error: Option<String>| MailEnd {
            email,
            fence,
            status,
            next_attempt_at_ms: None,
            error: error.map(|error| shortened(&error)),
            counts: true,
        };
        let again = |error: String| match retry_after_ms(attempts) {
            Some(wait_ms) => MailEnd {
                next_attempt_at_ms: Some(self.store.now_ms() + wait_ms),
                ..ended(EmailStatus::Queued, Some(error))
            },
            None => ended(EmailStatus::Failed, Some(error)),
        };
        let mut turn = Turn::Again;
        let end = match delivery {
            Delivery::Sent => ended(EmailStatus::Sent, None),
            Delivery::RefusedForGood(error) => ended(EmailStatus::Failed, Some(error)),
            Delivery::RefusedForNow(error) => again(error),
            Delivery::Dropped(error) => {
                turn = self.transport_failed(state, &error);
                again(error)
            }
            Delivery::NotSent(error) => {
                turn = self.transport_failed(state, &error);
                MailEnd { counts: false, ..self.queued_again(email, fence, error) }
            }
            Delivery::Lost(error) => {
                turn = self.transport_failed(state, &error);
                ended(EmailStatus::Uncertain, Some(error))
            }
        };
        if turn == Turn::Again {
            (state.failures, state.wait_until_ms) = (0, 0);
        }
        let status = end.status;
        state.unwritten = Some(end.clone());
        self.store.writer.end_email(end).await?;
        state.unwritten = None;
        self.observer.mail_ended(status);
        Ok(turn)
    }

    fn queued_again(&self, email: i64, fence: i64, error: String) -> MailEnd {
        MailEnd {
            email,
            fence,
            status: EmailStatus::Queued,
            next_attempt_at_ms: Some(self.store.now_ms()),
            error: Some(shortened(&error)),
            counts: true,
        }
    }

    /// Lets every message wait, longer with each failure in a row; then one is tried.
    fn transport_failed(&self, state: &mut State, error: &str) -> Turn {
        state.failures += 1;
        let wait_ms = transport_wait_ms(state.failures);
        tracing::warn!(error = %error, "e-mails cannot be sent, next try in {} s", wait_ms / 1000);
        state.wait_until_ms = self.store.now_ms() + wait_ms;
        Turn::Later(state.wait_until_ms)
    }
}

enum Choice {
    Send(MailHead),
    /// Nothing before this moment.
    Later(i64),
    Nothing,
}

/// Does something with files off the async threads.
async fn blocking(work: impl FnOnce() -> std::io::Result<()> + Send + 'static) -> Result<(), String> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn shortened(error: &str) -> String {
    error.chars().map(|character| if character.is_control() { ' ' } else { character }).take(ERROR_CHARS_MAX).collect()
}
