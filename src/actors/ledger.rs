//! LedgerActor: one per organisation, made on demand. It takes what is asked of one organisation's books in order and
//! hands it to the writer in that order, without waiting for a commit before handing over the next, so that postings to
//! one organisation share commits like those to many. The books themselves are with the writer, which decides.

use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, ArbiterHandle, Context, Handler, Message, ResponseActFuture, Supervised, WrapFuture as _};

use super::published::MembershipBoard;
use super::runtime::{ActorError, ActorStats, Ask, Directory, Guarded, SlotOptions, guard};
use super::{AskError, Observer};
use crate::domain::access::Role;
use crate::domain::ids::{OrganisationId, UserId};
use crate::domain::ledger::refusal::Refusal;
use crate::store::{CreateOrganisation, OrganisationCreated, Post, PostOutcome, Store, StoreError};

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

/// Changes the books of the actor's organisation.
#[derive(Message)]
#[rtype(result = "Result<Result<PostOutcome, StoreError>, ActorError>")]
pub struct ChangeBooks(pub Post);

impl Handler<Ask<ChangeBooks>> for LedgerActor {
    type Result = ResponseActFuture<Self, Result<Result<PostOutcome, StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<ChangeBooks>, _: &mut Context<Self>) -> Self::Result {
        guard::beside(ask, DEADLINE, |actor: &mut Self, _, ChangeBooks(post)| {
            let store = actor.store.clone();
            async move { store.writer.execute(post).await }.into_actor(actor)
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
}

impl LedgersHandle {
    pub(super) fn new(
        stats: Arc<ActorStats>,
        arbiters: Vec<ArbiterHandle>,
        store: &Store,
        observer: Arc<dyn Observer>,
    ) -> Self {
        // Slowness of the disk is not a hang of the actor.
        let options = SlotOptions { queue_capacity: QUEUE_CAPACITY, answer_deadline: None };
        let of_actor = store.clone();
        let directory =
            Directory::new(stats, arbiters, options, move |_, stats| LedgerActor { stats, store: of_actor.clone() });
        Self { directory, memberships: Arc::default(), store: store.clone(), observer }
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

    /// Publishes the memberships that were changed after an epoch.
    pub async fn follow(&self, epoch: i64) -> Result<(), StoreError> {
        for row in self.store.reader.memberships_changed_after(epoch).await? {
            self.memberships.publish(&row);
        }
        Ok(())
    }

    /// Changes the books of an organisation, in the order of the calls.
    pub async fn change(&self, organisation: OrganisationId, post: Post) -> Result<PostOutcome, AskError> {
        let slot = self.directory.of(organisation)?;
        let outcome = slot.ask(ChangeBooks(post)).await??;
        if let PostOutcome::Refused(refusal) | PostOutcome::RefusedItem(_, refusal) = &outcome
            && refusal.reason() == Refusal::StaleVersion.reason()
        {
            self.observer.version_conflict();
        }
        Ok(outcome)
    }

    /// What a change would answer; nothing is written.
    pub async fn rehearse(&self, post: Post) -> Result<PostOutcome, AskError> {
        Ok(self.store.reader.dry_run(post).await?)
    }

    /// Makes an organisation with its books; there is no actor of it yet whose order could matter.
    pub async fn create(&self, organisation: CreateOrganisation) -> Result<OrganisationCreated, AskError> {
        Ok(self.store.writer.create_organisation(organisation).await?)
    }
}
