//! CreditBank: balances, the unit that claims a job and reserves what it costs, and the one that ends it and charges it.
//!
//! A balance is published inside the unit that changes it, before its commit, so that whoever polls `completed` never
//! reads the balance of before. When the unit fails after publishing, the balance is forgotten and read again.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actix::{
    Actor, ActorFutureExt as _, AtomicResponse, Context, Handler, Message, ResponseActFuture, Supervised,
    WrapFuture as _,
};
use futures_util::future::{BoxFuture, FutureExt as _};

use super::AskError;
use super::job_runner::{Holder, Settle};
use super::published::BalanceBoard;
use super::runtime::{ActorError, ActorStats, Ask, Guarded, Slot, guard};
use crate::domain::credits::CreditAccount;
use crate::domain::ids::{JobId, UserId};
use crate::domain::job::Product;
use crate::store::{Claim, Finish, Finished, Load, Loaded, NewUser, Publish, Requeued, Store, StoreError, UserCreated};

/// Answers wait for a commit, which may wait behind large ones.
const DEADLINE: Duration = Duration::from_secs(120);

/// The actor.
pub struct CreditBank {
    stats: Arc<ActorStats>,
    store: Store,
    published: Arc<BalanceBoard>,
    /// The epoch the published balances are of.
    epoch: i64,
}

impl CreditBank {
    /// An actor that publishes to `published`.
    pub fn new(stats: Arc<ActorStats>, store: Store, published: Arc<BalanceBoard>) -> Self {
        Self { stats, store, published, epoch: 0 }
    }
}

impl Actor for CreditBank {
    type Context = Context<Self>;
}

impl Supervised for CreditBank {
    fn restarting(&mut self, _: &mut Context<Self>) {
        self.epoch = 0;
    }
}

impl Guarded for CreditBank {
    fn stats(&self) -> &Arc<ActorStats> {
        &self.stats
    }
}

/// Ends a job, and takes the next in the same unit where a holder is given.
#[derive(Message)]
#[rtype(result = "Result<Result<(Finished, Option<Claim>), StoreError>, ActorError>")]
pub struct SettleJob {
    /// How it ended.
    pub finish: Finish,
    /// Who takes the next.
    pub next: Option<Holder>,
}

/// Takes the job of a product whose turn it is and reserves what it costs.
#[derive(Message)]
#[rtype(result = "Result<Result<Claim, StoreError>, ActorError>")]
pub struct ClaimJob {
    /// Whose queue.
    pub product: Product,
    /// Who takes it.
    pub holder: Holder,
}

/// Gives a running job back to the queue with what was reserved for it.
#[derive(Message)]
#[rtype(result = "Result<Result<Requeued, StoreError>, ActorError>")]
pub struct GiveBackJob {
    /// Whose queue.
    pub product: Product,
    /// Which job.
    pub job_id: JobId,
    /// As claimed.
    pub fence: i64,
}

/// Loads lines into a coding session and charges them.
#[derive(Message)]
#[rtype(result = "Result<Result<Loaded, StoreError>, ActorError>")]
pub struct LoadCodingLines(pub Load);

/// Creates a person with their account.
#[derive(Message)]
#[rtype(result = "Result<Result<UserCreated, StoreError>, ActorError>")]
pub struct OpenAccount(pub NewUser);

/// Reads a balance that is not published.
#[derive(Message)]
#[rtype(result = "Result<Result<Option<CreditAccount>, StoreError>, ActorError>")]
pub struct LoadBalance(pub UserId);

/// Reads the balances that changed up to an epoch.
#[derive(Message)]
#[rtype(result = "Result<Result<(), StoreError>, ActorError>")]
pub struct FollowCredits {
    /// The epoch the database is at.
    pub to_epoch: i64,
}

/// Renews the accounts whose month is over.
#[derive(Message)]
#[rtype(result = "Result<Result<u64, StoreError>, ActorError>")]
pub struct RenewMonths;

impl Handler<Ask<SettleJob>> for CreditBank {
    type Result = ResponseActFuture<Self, Result<Result<(Finished, Option<Claim>), StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<SettleJob>, _: &mut Context<Self>) -> Self::Result {
        guard::beside(ask, DEADLINE, |actor: &mut Self, _, SettleJob { finish, next }| {
            let (store, publishing) = (actor.store.clone(), Publishing::new(Arc::clone(&actor.published)));
            async move {
                let publish = publishing.publish();
                let finished = match next {
                    Some(Holder { name, lease_ms }) => {
                        store.writer.finish_and_claim(finish, &name, lease_ms, publish).await
                    }
                    None => store.writer.finish(finish, publish).await.map(|finished| (finished, None)),
                };
                publishing.ended(finished)
            }
            .into_actor(actor)
        })
    }
}

/// Publishes balances from within a unit, and forgets them again when the unit fails.
#[derive(Clone)]
struct Publishing {
    board: Arc<BalanceBoard>,
    published: Arc<Mutex<Vec<UserId>>>,
}

impl Publishing {
    fn new(board: Arc<BalanceBoard>) -> Self {
        Self { board, published: Arc::default() }
    }

    fn publish(&self) -> Publish {
        let this = self.clone();
        Arc::new(move |user, account, epoch| {
            this.published.lock().unwrap_or_else(PoisonError::into_inner).push(user);
            this.board.publish(user, account, epoch);
        })
    }

    fn ended<T>(self, outcome: Result<T, StoreError>) -> Result<T, StoreError> {
        if outcome.is_err() {
            for user in self.published.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                self.board.forget(*user);
            }
        }
        outcome
    }
}

impl Handler<Ask<ClaimJob>> for CreditBank {
    type Result = ResponseActFuture<Self, Result<Result<Claim, StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<ClaimJob>, _: &mut Context<Self>) -> Self::Result {
        guard::beside(ask, DEADLINE, |actor: &mut Self, _, ClaimJob { product, holder }| {
            let (store, publishing) = (actor.store.clone(), Publishing::new(Arc::clone(&actor.published)));
            async move {
                let Holder { name, lease_ms } = holder;
                let claimed = store.writer.claim(product, &name, lease_ms, publishing.publish()).await;
                publishing.ended(claimed)
            }
            .into_actor(actor)
        })
    }
}

impl Handler<Ask<GiveBackJob>> for CreditBank {
    type Result = ResponseActFuture<Self, Result<Result<Requeued, StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<GiveBackJob>, _: &mut Context<Self>) -> Self::Result {
        guard::beside(ask, DEADLINE, |actor: &mut Self, _, GiveBackJob { product, job_id, fence }| {
            let (store, publishing) = (actor.store.clone(), Publishing::new(Arc::clone(&actor.published)));
            async move {
                let requeued = store.writer.requeue(product, &job_id, fence, publishing.publish()).await;
                publishing.ended(requeued)
            }
            .into_actor(actor)
        })
    }
}

impl Handler<Ask<LoadCodingLines>> for CreditBank {
    type Result = ResponseActFuture<Self, Result<Result<Loaded, StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<LoadCodingLines>, _: &mut Context<Self>) -> Self::Result {
        guard::beside(ask, DEADLINE, |actor: &mut Self, _, LoadCodingLines(load)| {
            let (store, board) = (actor.store.clone(), Arc::clone(&actor.published));
            async move {
                let user_id = load.user_id;
                let publish: Publish = {
                    let board = Arc::clone(&board);
                    Arc::new(move |user, account, epoch| board.publish(user, account, epoch))
                };
                let loaded = store.writer.load_coding_lines(load, publish).await;
                if loaded.is_err() {
                    board.forget(user_id);
                }
                loaded
            }
            .into_actor(actor)
        })
    }
}

impl Handler<Ask<OpenAccount>> for CreditBank {
    type Result = ResponseActFuture<Self, Result<Result<UserCreated, StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<OpenAccount>, _: &mut Context<Self>) -> Self::Result {
        guard::beside(ask, DEADLINE, |actor: &mut Self, _, OpenAccount(new)| {
            let store = actor.store.clone();
            async move { store.writer.create_user(new).await }.into_actor(actor)
        })
    }
}

impl Handler<Ask<LoadBalance>> for CreditBank {
    type Result = AtomicResponse<Self, Result<Result<Option<CreditAccount>, StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<LoadBalance>, _: &mut Context<Self>) -> Self::Result {
        // Alone, so that a load never overlaps a `FollowCredits` and publishes a state it has passed over.
        guard::alone(ask, DEADLINE, |actor: &mut Self, _, LoadBalance(user)| {
            let (store, board) = (actor.store.clone(), Arc::clone(&actor.published));
            async move {
                if let Some((account, epoch)) = store.reader.credit_account_at(user).await? {
                    board.publish(user, account, epoch);
                }
                Ok(board.get(user))
            }
            .into_actor(actor)
        })
    }
}

impl Handler<Ask<FollowCredits>> for CreditBank {
    type Result = AtomicResponse<Self, Result<Result<(), StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<FollowCredits>, _: &mut Context<Self>) -> Self::Result {
        guard::alone(ask, DEADLINE, |actor: &mut Self, _, FollowCredits { to_epoch }| {
            let (store, epoch) = (actor.store.clone(), actor.epoch);
            // Where nothing is published yet nothing can be out of date, however many accounts there are.
            let nothing = actor.published.is_empty();
            async move { if nothing { Ok(Vec::new()) } else { store.reader.accounts_changed_after(epoch).await } }
                .into_actor(actor)
                .map(move |rows, actor, _| {
                    for (user, account, epoch) in rows? {
                        actor.epoch = actor.epoch.max(epoch);
                        if actor.published.holds(user) {
                            actor.published.publish(user, account, epoch);
                        }
                    }
                    actor.epoch = actor.epoch.max(to_epoch);
                    Ok(())
                })
        })
    }
}

impl Handler<Ask<RenewMonths>> for CreditBank {
    type Result = ResponseActFuture<Self, Result<Result<u64, StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<RenewMonths>, _: &mut Context<Self>) -> Self::Result {
        guard::beside(ask, DEADLINE, |actor: &mut Self, _, RenewMonths| {
            let store = actor.store.clone();
            async move { store.writer.renew_months(store.now_ms()).await }.into_actor(actor)
        })
    }
}

/// How the rest of the service reaches the actor and what it publishes.
#[derive(Clone)]
pub struct CreditBankHandle {
    pub(super) slot: Arc<Slot<CreditBank>>,
    pub(super) published: Arc<BalanceBoard>,
}

impl CreditBankHandle {
    /// A person's account, from what is published when it is; its month may be over (`CreditAccount::rolled_over`).
    pub fn published(&self, user: UserId) -> Option<CreditAccount> {
        self.published.get(user)
    }

    /// Loads lines into a coding session and charges them.
    pub async fn load_coding_lines(&self, load: Load) -> Result<Loaded, AskError> {
        Ok(self.slot.ask(LoadCodingLines(load)).await??)
    }

    /// Creates a person with their account.
    pub async fn open_account(&self, new: NewUser) -> Result<UserCreated, AskError> {
        Ok(self.slot.ask(OpenAccount(new)).await??)
    }

    /// A person's account, read from the database when it is not published yet.
    pub async fn account(&self, user: UserId) -> Result<Option<CreditAccount>, AskError> {
        match self.published.get(user) {
            Some(account) => Ok(Some(account)),
            None => Ok(self.slot.ask(LoadBalance(user)).await??),
        }
    }

    /// Publishes what changed in the database up to an epoch of the topic `credits`.
    pub async fn follow(&self, to_epoch: i64) -> Result<(), AskError> {
        Ok(self.slot.ask(FollowCredits { to_epoch }).await??)
    }

    /// Renews the accounts whose month is over.
    pub async fn renew_months(&self) -> Result<u64, AskError> {
        Ok(self.slot.ask(RenewMonths).await??)
    }
}

impl Settle for CreditBankHandle {
    fn claim(&self, product: Product, holder: Holder) -> BoxFuture<'_, Result<Claim, AskError>> {
        self.slot.ask(ClaimJob { product, holder }).map(|answer| Ok(answer??)).boxed()
    }

    fn give_back(&self, product: Product, job_id: JobId, fence: i64) -> BoxFuture<'_, Result<Requeued, AskError>> {
        self.slot.ask(GiveBackJob { product, job_id, fence }).map(|answer| Ok(answer??)).boxed()
    }

    fn settle(
        &self,
        finish: Finish,
        next: Option<Holder>,
    ) -> BoxFuture<'_, Result<(Finished, Option<Claim>), AskError>> {
        self.slot.ask(SettleJob { finish, next }).map(|answer| Ok(answer??)).boxed()
    }
}
