//! LedgerActor: one per organisation, made on demand. It takes what is asked of one organisation's books in order and
//! hands it to the writer in that order, without waiting for a commit before handing over the next, so that postings to
//! one organisation share commits like those to many. The books themselves are with the writer, which decides.

use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, ArbiterHandle, Context, Handler, Message, ResponseActFuture, Supervised, WrapFuture as _};

use super::idempotency_lock::{IdempotencyLocks, Lock};
use super::published::MembershipBoard;
use super::runtime::{ActorError, ActorStats, Ask, Directory, Guarded, SlotOptions, guard};
use super::{AskError, Observer};
use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::plan::{NewPlan, PlanStored, PlannedOperation};
use crate::domain::books::request::{
    Actor as CommandActor, ChangeOptions, CommandOutcome, CommandRequest, CreateOrganisation, OrganisationCreated,
};
use crate::domain::caller::{AccessDenied, Principal, Role};
use crate::domain::ids::{ConnectionId, OrganisationId, UserId};
use crate::domain::ledger::refusal::Refusal;
use crate::store::{Store, StoreError};

/// Answers wait for a commit, which may wait behind large ones.
const DEADLINE: Duration = Duration::from_secs(120);
/// What may be asked of one organisation at once.
const QUEUE_CAPACITY: u32 = 512;

/// The actor.
pub struct LedgerActor {
    stats: Arc<ActorStats>,
    store: Store,
}

impl Actor for LedgerActor {
    type Context = Context<Self>;
}

impl Supervised for LedgerActor {}

impl Guarded for LedgerActor {
    fn stats(&self) -> &Arc<ActorStats> {
        &self.stats
    }
}

/// Executes a command on the books of the actor's organisation.
#[derive(Message)]
#[rtype(result = "Result<Result<CommandOutcome, StoreError>, ActorError>")]
pub struct ExecuteCommand(pub CommandRequest);

impl Handler<Ask<ExecuteCommand>> for LedgerActor {
    type Result = ResponseActFuture<Self, Result<Result<CommandOutcome, StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<ExecuteCommand>, _: &mut Context<Self>) -> Self::Result {
        guard::beside(ask, DEADLINE, |actor: &mut Self, _, ExecuteCommand(request)| {
            let store = actor.store.clone();
            async move { store.writer.execute(request).await }.into_actor(actor)
        })
    }
}

/// Stores a plan of changes to the books of the actor's organisation.
#[derive(Message)]
#[rtype(result = "Result<Result<PlanStored, StoreError>, ActorError>")]
pub struct StorePlan(pub NewPlan);

impl Handler<Ask<StorePlan>> for LedgerActor {
    type Result = ResponseActFuture<Self, Result<Result<PlanStored, StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<StorePlan>, _: &mut Context<Self>) -> Self::Result {
        guard::beside(ask, DEADLINE, |actor: &mut Self, _, StorePlan(plan)| {
            let store = actor.store.clone();
            async move { store.writer.store_plan(plan).await }.into_actor(actor)
        })
    }
}

/// Records why the plan under the hash of a token cannot be carried out any more.
#[derive(Message)]
#[rtype(result = "Result<Result<(), StoreError>, ActorError>")]
pub struct MarkPlanDead {
    /// The SHA-256 of the token.
    pub token_hash: String,
    /// Why.
    pub reason: String,
}

impl Handler<Ask<MarkPlanDead>> for LedgerActor {
    type Result = ResponseActFuture<Self, Result<Result<(), StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<MarkPlanDead>, _: &mut Context<Self>) -> Self::Result {
        guard::beside(ask, DEADLINE, |actor: &mut Self, _, MarkPlanDead { token_hash, reason }| {
            let store = actor.store.clone();
            async move { store.writer.mark_plan_dead(token_hash, reason).await }.into_actor(actor)
        })
    }
}

/// How the rest of the service reaches the books.
#[derive(Clone)]
pub struct LedgersHandle {
    pub(super) directory: Arc<Directory<LedgerActor>>,
    memberships: Arc<MembershipBoard>,
    store: Store,
    observer: Arc<dyn Observer>,
    locks: IdempotencyLocks,
}

impl LedgersHandle {
    pub(super) fn new(
        stats: Arc<ActorStats>,
        arbiters: Vec<ArbiterHandle>,
        store: &Store,
        (observer, locks): (Arc<dyn Observer>, IdempotencyLocks),
    ) -> Self {
        // Slowness of the disk is not a hang of the actor.
        let options = SlotOptions { queue_capacity: QUEUE_CAPACITY, answer_deadline: None };
        let of_actor = store.clone();
        let directory =
            Directory::new(stats, arbiters, options, move |_, stats| LedgerActor { stats, store: of_actor.clone() });
        Self { directory, memberships: Arc::default(), store: store.clone(), observer, locks }
    }

    /// The role of a person in an organisation, if they are an accepted member of it.
    pub async fn role_of(&self, user: UserId, organisation: OrganisationId) -> Result<Option<Role>, AskError> {
        if let Some(role) = self.memberships.role(user, organisation) {
            return Ok(Some(role));
        }
        // A membership made a moment ago counts at once.
        let row = self.store.reader.membership(user, organisation).await?;
        Ok(row.and_then(|row| self.memberships.publish(&row)))
    }

    /// Publishes the memberships that were changed after an epoch. What was kept of organisations is read again.
    pub async fn follow(&self, epoch: i64) -> Result<(), StoreError> {
        self.store.reader.forget_recent_organisations();
        for row in self.store.reader.memberships_changed_after(epoch).await? {
            self.memberships.publish(&row);
        }
        Ok(())
    }

    /// The role of a caller in an organisation, when they may see its books: an accepted member whose credential covers
    /// it. What is published decides; a change that needs more is refused by [`Self::execute`].
    pub async fn access(
        &self,
        principal: &Principal,
        organisation: OrganisationId,
    ) -> Result<Result<Role, AccessDenied>, AskError> {
        Ok(match self.role_of(principal.user_id, organisation).await? {
            None => Err(AccessDenied::Unknown),
            Some(_) if !principal.covers(organisation) => Err(AccessDenied::OutOfReach),
            Some(role) => Ok(role),
        })
    }

    /// Executes a command on the books of an organisation, in the order of the calls: the one way in for REST and tools.
    /// Membership, reach, role, expected version, dry run and `Idempotency-Key` are decided here or behind it.
    pub async fn execute(
        &self,
        principal: &Principal,
        organisation: OrganisationId,
        command: BooksCommand,
        options: ChangeOptions,
    ) -> Result<CommandOutcome, AskError> {
        let role = match self.access(principal, organisation).await? {
            Ok(role) => role,
            Err(denied) => return Ok(CommandOutcome::Denied(denied)),
        };
        let is_administrator = matches!(role, Role::Owner | Role::Admin);
        if !role.may_write() {
            return Ok(CommandOutcome::Denied(AccessDenied::ReadOnly));
        }
        if command.is_declaration() && matches!(principal.connection(), Some(ConnectionId::Grant(_))) {
            return Ok(CommandOutcome::Denied(AccessDenied::PersonsOnly));
        }
        if command.needs_administrator() && !is_administrator {
            return Ok(CommandOutcome::Denied(AccessDenied::AdministratorsOnly));
        }
        if command.needs_owner() && role != Role::Owner {
            return Ok(CommandOutcome::Denied(AccessDenied::OwnersOnly));
        }
        let ChangeOptions { dry_run, expected_version, idempotency, tool, note } = options;
        let actor = actor_of(principal, role, tool, note);
        let request = CommandRequest { organisation, actor, command, expected_version, replay: idempotency };
        if dry_run {
            return Ok(self.store.reader.dry_run(CommandRequest { replay: None, ..request }).await?);
        }
        self.change(request).await
    }

    /// What the operations of a plan would do. Whoever sees the books may ask; the outcome comes with the role that would
    /// decide whether the plan may be carried out.
    pub async fn preview_plan(
        &self,
        principal: &Principal,
        organisation: OrganisationId,
        operations: Vec<PlannedOperation>,
        tool: &'static str,
    ) -> Result<Result<(CommandOutcome, Role), AccessDenied>, AskError> {
        let role = match self.access(principal, organisation).await? {
            Ok(role) => role,
            Err(denied) => return Ok(Err(denied)),
        };
        let actor = actor_of(principal, role, Some(tool), None);
        let command = BooksCommand::Plan(operations);
        let request = CommandRequest { organisation, actor, command, expected_version: None, replay: None };
        Ok(Ok((self.store.reader.dry_run(request).await?, role)))
    }

    /// Stores a plan under its token.
    pub async fn store_plan(&self, plan: NewPlan) -> Result<PlanStored, AskError> {
        Ok(self.directory.of(plan.organisation)?.ask(StorePlan(plan)).await??)
    }

    /// Records why a plan cannot be carried out any more.
    pub async fn mark_plan_dead(
        &self,
        organisation: OrganisationId,
        token_hash: String,
        reason: String,
    ) -> Result<(), AskError> {
        Ok(self.directory.of(organisation)?.ask(MarkPlanDead { token_hash, reason }).await??)
    }

    async fn change(&self, request: CommandRequest) -> Result<CommandOutcome, AskError> {
        let mut _lock = None;
        if let Some(replay) = &request.replay {
            let (user, reader) = (request.actor.user_id, &self.store.reader);
            let scope = (replay.method.as_str(), replay.path.as_str(), replay.key.as_str());
            let stored = async || reader.stored_answer(user, replay).await;
            match self.locks.lock_or(user, scope, stored).await? {
                Some(Lock::Held(lock)) => _lock = Some(lock),
                Some(Lock::Answered(stored)) => return Ok(CommandOutcome::Replayed(stored)),
                None => return Ok(CommandOutcome::Refused(Refusal::IdempotencyInProgress)),
            }
        }
        let slot = self.directory.of(request.organisation)?;
        let outcome = slot.ask(ExecuteCommand(request)).await??;
        if let CommandOutcome::Refused(refusal) | CommandOutcome::RefusedItem(_, refusal) = &outcome
            && refusal.reason() == Refusal::StaleVersion.reason()
        {
            self.observer.version_conflict();
        }
        Ok(outcome)
    }

    /// Makes an organisation with its books; there is no actor of it yet whose order could matter.
    pub async fn create(&self, organisation: CreateOrganisation) -> Result<OrganisationCreated, AskError> {
        let mut _lock = None;
        if let Some(replay) = &organisation.replay {
            _lock = self.locks.lock(organisation.owner, &replay.method, &replay.path, &replay.key).await;
            if _lock.is_none() {
                return Ok(OrganisationCreated::Refused(Refusal::IdempotencyInProgress));
            }
        }
        Ok(self.store.writer.create_organisation(organisation).await?)
    }
}

/// Who gives a command.
fn actor_of(principal: &Principal, role: Role, tool: Option<&'static str>, note: Option<Arc<str>>) -> CommandActor {
    CommandActor {
        user_id: principal.user_id,
        key_prefix: principal.key_prefix().map(str::to_owned),
        may_reopen: matches!(role, Role::Owner | Role::Admin),
        connection: principal.connection(),
        tool,
        note,
    }
}
