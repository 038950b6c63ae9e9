//! The books: the commands of a group are decided together over facts loaded once, and written together.
//!
//! A group first takes the books of its organisations (locked against other processes), then prefetches what its commands
//! refer to with one query a table ([`load`]), executes them one after another in memory (`domain::books::decide`), and
//! writes what all of them change in one statement a table ([`write`]). A refused command has written nothing. The books
//! are returned to the cache once the group is committed, and read again when it fails.

mod accounts;
mod allocations;
mod bank_accounts;
mod bank_transactions;
mod cache;
mod changes;
mod check;
mod check_documents;
mod check_settlements;
mod conditions;
mod contacts;
mod documents;
mod entry_rows;
mod imports;
mod journal_list;
mod journals;
mod lists;
mod load;
mod load_bank;
mod match_candidates;
mod organisation;
mod previews;
mod record_rows;
mod replays;
mod report_rows;
mod settlements;
mod status;
mod totals;
mod write;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tokio::sync::oneshot;

use self::cache::BooksCache;
use super::sql::Unit;
use super::writer::Writer;
use super::{Reader, StoreError};
use crate::domain::books::decide::{BooksTransaction, Rejection};
use crate::domain::books::effects::Effects;
use crate::domain::books::facts::{CachedBooks, Facts};
use crate::domain::books::idempotency::{ReplayLookup, store_answer};
use crate::domain::books::numbers::Identifiers;
use crate::domain::books::request::{CommandOutcome, CommandRequest, CommandResult};
use crate::domain::date::date_in;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::refusal::Refusal;

pub(super) use check::RULES;
pub(super) use check_documents::DOCUMENT_RULES;
pub(super) use check_settlements::SETTLEMENT_RULES;

/// The writer's part for the books: it decides and writes the commands of a group.
#[derive(Default)]
pub(super) struct BooksWriter {
    cache: BooksCache,
    identifiers: Identifiers,
    /// The group that is written but not committed yet.
    pending: Option<Group>,
}

/// A command with the caller who waits for its answer.
pub(super) struct WaitingCommand {
    request: CommandRequest,
    outcome: Option<CommandOutcome>,
    caller: oneshot::Sender<Result<CommandOutcome, StoreError>>,
}

impl WaitingCommand {
    /// A command that is not decided yet.
    pub(super) fn new(request: CommandRequest, caller: oneshot::Sender<Result<CommandOutcome, StoreError>>) -> Self {
        Self { request, outcome: None, caller }
    }

    /// Answers the caller once the group is committed or has failed.
    pub(super) fn answer(self: Box<Self>, outcome: Result<(), StoreError>) {
        let Self { outcome: decided, caller, .. } = *self;
        let missing = || StoreError::Other("the command was not decided".to_owned());
        // The caller may have gone; the change is committed all the same.
        let _ = caller.send(outcome.and_then(|()| decided.ok_or_else(missing)));
    }
}

/// The state of a group while it is decided.
struct Group {
    books: HashMap<OrganisationId, CachedBooks>,
    facts: Facts,
    identifiers: Identifiers,
    effects: Effects,
    now_ms: i64,
}

impl Writer {
    /// Changes the books; the answer comes after its commit.
    pub async fn execute(&self, request: CommandRequest) -> Result<CommandOutcome, StoreError> {
        self.command_of(request.command.bytes(), request).await
    }
}

impl Reader {
    /// What a command would answer over the books as they are now. Nothing is written, and new records have provisional
    /// identifiers: numbers below 1.
    pub async fn dry_run(&self, request: CommandRequest) -> Result<CommandOutcome, StoreError> {
        let request = Arc::new(request);
        self.snapshot(move |unit| {
            let request = Arc::clone(&request);
            Box::pin(async move { dry_run(unit, &request).await })
        })
        .await
    }
}

impl BooksWriter {
    /// Decides and writes the commands of a group.
    pub(super) async fn run(
        &mut self,
        unit: &Unit<'_>,
        mut waiting: Vec<&mut WaitingCommand>,
    ) -> Result<(), StoreError> {
        let organisations: BTreeSet<_> = waiting.iter().map(|one| one.request.organisation).collect();
        let mut books = self.cache.take(unit, &organisations, true).await?;
        let requests: Vec<&CommandRequest> = waiting.iter().map(|one| &one.request).collect();
        // Time zones differ by hours at most, and only overdue amounts depend on this day.
        let zone = books.values().next().map_or("Europe/London", |books| books.organisation.timezone.as_str());
        let facts = load::facts(unit, &requests, date_in(zone, unit.now_ms)).await?;
        cache::load_missing_sequences(unit, &mut books, &requests).await?;
        let mut identifiers = self.identifiers.clone();
        cache::take_ahead(&mut identifiers, unit).await?;
        let mut group = Group { books, facts, identifiers, effects: Effects::default(), now_ms: unit.now_ms };
        group.decide(unit, &mut waiting).await?;
        let mut heads = Vec::new();
        for (id, books) in &mut group.books {
            if std::mem::take(&mut books.organisation_changed) {
                organisation::write(unit, &books.organisation).await?;
            }
            if std::mem::take(&mut books.changed) {
                books.version += 1;
                heads.push((id.0, books.version, books.next_journal_number, books.next_change));
            }
        }
        if !heads.is_empty() {
            if group.effects.has_previews() {
                previews::delete_expired(unit).await?;
            }
            write::write(unit, &group.effects, (&group.facts, &group.books), &heads).await?;
        }
        self.pending = Some(group);
        Ok(())
    }

    /// Keeps the state of the group once it is committed; returns how many journals it posted.
    pub(super) fn keep(&mut self) -> u64 {
        let Some(group) = self.pending.take() else { return 0 };
        self.cache.put_back(group.books);
        self.identifiers = group.identifiers;
        group.effects.journals()
    }

    /// Drops the state of a group that failed: its books are loaded again when they are needed.
    pub(super) fn forget(&mut self) {
        self.pending = None;
    }
}

impl Group {
    /// Decides every command in order. When the blocks of identifiers did not hold enough, it takes as many as the
    /// commands used and decides them once more.
    async fn decide(&mut self, unit: &Unit<'_>, waiting: &mut [&mut WaitingCommand]) -> Result<(), StoreError> {
        let (books, facts, effects) = (self.books.clone(), self.facts.mark(), self.effects.mark());
        let mut identifiers = self.identifiers.clone();
        self.decide_all(waiting)?;
        if !self.identifiers.has_provisional() {
            return Ok(());
        }
        for (sequence, used) in self.identifiers.used() {
            cache::reserve(&mut identifiers, unit, sequence, used).await?;
        }
        self.books = books;
        self.facts.undo_to(facts);
        self.effects.undo_to(effects);
        self.identifiers = identifiers;
        self.decide_all(waiting)?;
        if self.identifiers.has_provisional() {
            return Err(StoreError::Other("deciding a group again took more identifiers".to_owned()));
        }
        Ok(())
    }

    /// Decides every command once.
    fn decide_all(&mut self, waiting: &mut [&mut WaitingCommand]) -> Result<(), StoreError> {
        self.identifiers.start_counting();
        for one in waiting {
            one.outcome = Some(self.answer_command(&one.request)?);
        }
        Ok(())
    }

    /// Answers one command: with the answer stored under its `Idempotency-Key`, or by deciding it.
    fn answer_command(&mut self, request: &CommandRequest) -> Result<CommandOutcome, StoreError> {
        let Some(books) = self.books.get_mut(&request.organisation) else { return Ok(CommandOutcome::Unknown) };
        let user = request.actor.user_id;
        if let Some(replay) = &request.replay {
            match replay.compare(self.facts.replays.get(&replay.key_of(user))) {
                ReplayLookup::Nothing => {}
                ReplayLookup::Same(stored) => return Ok(CommandOutcome::Replayed(stored)),
                ReplayLookup::Other => return Ok(CommandOutcome::Refused(Refusal::IdempotencyKeyReused)),
            }
        }
        let today = date_in(&books.organisation.timezone, self.now_ms);
        let mut transaction = BooksTransaction {
            books,
            facts: &mut self.facts,
            identifiers: &mut self.identifiers,
            effects: &mut self.effects,
            actor: &request.actor,
            now_ms: self.now_ms,
            today,
            is_dry_run: false,
        };
        let outcome = outcome(transaction.decide(request))?;
        if let CommandOutcome::Done(result) = &outcome {
            books.changed = true;
            let scope = (request.organisation.0, user);
            if let Some(replay) = &request.replay
                && let Some(stored) = store_answer(&mut self.effects, self.now_ms, scope, replay, result)
            {
                self.facts.replays.insert(replay.key_of(user), stored);
            }
        }
        Ok(outcome)
    }
}

/// Decides a command over a snapshot.
async fn dry_run(unit: &Unit<'_>, request: &CommandRequest) -> Result<CommandOutcome, StoreError> {
    let mut cache = BooksCache::default();
    let mut taken = cache.take(unit, &BTreeSet::from([request.organisation]), false).await?;
    cache::load_missing_sequences(unit, &mut taken, &[request]).await?;
    let Some(mut books) = taken.remove(&request.organisation) else { return Ok(CommandOutcome::Unknown) };
    let today = date_in(&books.organisation.timezone, unit.now_ms);
    let mut facts = load::facts(unit, &[request], today).await?;
    // A dry run consumes no number.
    books.next_journal_number = 0;
    let mut transaction = BooksTransaction {
        books: &mut books,
        facts: &mut facts,
        identifiers: &mut Identifiers::default(),
        effects: &mut Effects::default(),
        actor: &request.actor,
        now_ms: unit.now_ms,
        today,
        is_dry_run: true,
    };
    outcome(transaction.decide(request))
}

/// The answer to a command that was decided.
fn outcome(decided: Result<CommandResult, Rejection>) -> Result<CommandOutcome, StoreError> {
    match decided {
        Ok(result) => Ok(CommandOutcome::Done(result)),
        Err(Rejection::Refused(refusal)) => Ok(CommandOutcome::Refused(refusal)),
        Err(Rejection::Unknown) => Ok(CommandOutcome::Unknown),
        Err(Rejection::Forbidden) => Ok(CommandOutcome::Forbidden),
        Err(Rejection::Corrupt(what)) => Err(StoreError::Corrupt(what)),
        Err(Rejection::Item(at, rejection)) => match *rejection {
            Rejection::Refused(refusal) => Ok(CommandOutcome::RefusedItem(at, refusal)),
            Rejection::Unknown => Ok(CommandOutcome::UnknownItem(at)),
            other => outcome(Err(other)),
        },
    }
}
