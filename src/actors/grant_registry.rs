//! GrantRegistry: makes and ends connections by OAuth, exchanges codes and refresh tokens, and publishes what is accepted.
//!
//! What changes a connection goes one at a time, so that a reload never overtakes a revocation: after the answer to a revocation the
//! connection is refused in this process, and within a second in every other (they follow the epoch of the topic `grants`). Exchanges
//! are handed over without waiting for the one before, so that many share a commit; the store takes the connection's row in each.
//! What strangers can ask for never makes a revocation wait: what is presented is looked up before it comes here, and look-ups of
//! access tokens run beside, and publish nothing that was read before a change.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use actix::{
    Actor, ActorFutureExt as _, AtomicResponse, Context, Handler, Message, ResponseActFuture, Supervised,
    WrapFuture as _,
};

use super::grant_directory::{GrantDirectory, KnownToken};
use super::runtime::{ActorError, ActorStats, Ask, Guarded, Slot, guard};
use super::{AskError, Observer};
use crate::domain::caller::ConnectionAccess;
use crate::domain::ids::{ConnectionId, GrantId, UserId};
use crate::domain::oauth::token::{PresentedToken, TokenHash, TokenKind};
use crate::store::{
    ClientRow, CodeRedemption, Consent, ConsentOutcome, Decided, ExchangeRefusal, Exchanged, NewClient, NewRequest,
    RefreshExchange, RevokedToken, Store, StoreError, TokenRow,
};

/// Answers wait for a commit, which may wait behind large ones.
const DEADLINE: Duration = Duration::from_secs(60);

type Asked<T> = Result<Result<T, StoreError>, ActorError>;

/// The actor.
pub struct GrantRegistry {
    stats: Arc<ActorStats>,
    store: Store,
    published: Arc<GrantDirectory>,
    observer: Arc<dyn Observer>,
    /// The epoch the published connections are of.
    epoch: i64,
    /// How many changes of connections were published: what was read before one of them is not published after it.
    changes: u64,
    /// Uses already on disk.
    flushed: HashMap<ConnectionId, i64>,
}

impl GrantRegistry {
    /// An actor that publishes to `published`.
    pub fn new(
        stats: Arc<ActorStats>,
        store: Store,
        published: Arc<GrantDirectory>,
        observer: Arc<dyn Observer>,
    ) -> Self {
        Self { stats, store, published, observer, epoch: 0, changes: 0, flushed: HashMap::new() }
    }

    fn note_change(&mut self) {
        self.changes += 1;
        self.observer.oauth_connections(self.published.len());
    }
}

impl Actor for GrantRegistry {
    type Context = Context<Self>;
}

impl Supervised for GrantRegistry {
    fn restarting(&mut self, _: &mut Context<Self>) {
        // Everything is read again by the next `Follow`.
        self.epoch = 0;
    }
}

impl Guarded for GrantRegistry {
    fn stats(&self) -> &Arc<ActorStats> {
        &self.stats
    }
}

/// Makes or changes a connection as a person consented.
#[derive(Message)]
#[rtype(result = "Asked<ConsentOutcome>")]
pub struct Allow(pub Consent);

/// Revokes a connection of a person.
#[derive(Message)]
#[rtype(result = "Asked<Option<i64>>")]
pub struct RevokeGrant(pub UserId, pub GrantId);

/// Revokes what a client presents.
#[derive(Message)]
#[rtype(result = "Asked<RevokedToken>")]
pub struct RevokeToken(pub TokenKind, pub TokenHash, pub String);

/// Exchanges a code or a refresh token.
#[derive(Message, Clone)]
#[rtype(result = "Asked<Exchanged>")]
pub enum Exchange {
    /// A code, and the access token that is made for it.
    Code(CodeRedemption),
    /// A refresh token.
    Refresh(RefreshExchange),
}

/// Looks for an access token that another process may have issued.
#[derive(Message)]
#[rtype(result = "Asked<LookedUp>")]
pub struct LookUp(pub TokenHash);

/// What became of a look-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookedUp {
    /// What was found is published.
    Published,
    /// A connection changed meanwhile, so that what was found may be out of date.
    Overtaken,
}

/// Reads what changed since the published epoch.
#[derive(Message)]
#[rtype(result = "Asked<()>")]
pub struct FollowGrants;

/// Writes when connections were last used, and forgets what has ended.
#[derive(Message)]
#[rtype(result = "Asked<()>")]
pub struct KeepHouse;

impl Handler<Ask<Allow>> for GrantRegistry {
    type Result = AtomicResponse<Self, Asked<ConsentOutcome>>;

    fn handle(&mut self, ask: Ask<Allow>, _: &mut Context<Self>) -> Self::Result {
        guard::alone(ask, DEADLINE, |actor: &mut Self, _, Allow(consent)| {
            let store = actor.store.clone();
            async move { store.writer.allow_oauth_request(consent).await }.into_actor(actor).map(|outcome, actor, _| {
                if let Ok(ConsentOutcome::Allowed(_, grant)) = &outcome {
                    actor.published.publish(grant);
                    actor.note_change();
                }
                outcome
            })
        })
    }
}

impl Handler<Ask<RevokeGrant>> for GrantRegistry {
    type Result = AtomicResponse<Self, Asked<Option<i64>>>;

    fn handle(&mut self, ask: Ask<RevokeGrant>, _: &mut Context<Self>) -> Self::Result {
        guard::alone(ask, DEADLINE, |actor: &mut Self, _, RevokeGrant(user, grant)| {
            let store = actor.store.clone();
            async move { store.writer.revoke_oauth_grant(user, grant).await }.into_actor(actor).map(
                move |revoked, actor, _| {
                    if let Ok(Some(_)) = &revoked {
                        actor.published.withdraw(grant);
                        actor.flushed.remove(&ConnectionId::Grant(grant));
                        actor.note_change();
                    }
                    revoked
                },
            )
        })
    }
}

impl Handler<Ask<RevokeToken>> for GrantRegistry {
    type Result = AtomicResponse<Self, Asked<RevokedToken>>;

    fn handle(&mut self, ask: Ask<RevokeToken>, _: &mut Context<Self>) -> Self::Result {
        guard::alone(ask, DEADLINE, |actor: &mut Self, _, RevokeToken(kind, token, client_id)| {
            let store = actor.store.clone();
            let revoking = async move { store.writer.revoke_oauth_token(kind, token, client_id).await };
            revoking.into_actor(actor).map(|revoked, actor, _| {
                match &revoked {
                    Ok(RevokedToken::Grant(grant)) => actor.published.withdraw(*grant),
                    Ok(RevokedToken::Access(token)) => actor.published.withdraw_token(token),
                    Ok(RevokedToken::Nothing) | Err(_) => {}
                }
                actor.note_change();
                revoked
            })
        })
    }
}

impl Handler<Ask<Exchange>> for GrantRegistry {
    type Result = ResponseActFuture<Self, Asked<Exchanged>>;

    fn handle(&mut self, ask: Ask<Exchange>, _: &mut Context<Self>) -> Self::Result {
        guard::beside(ask, DEADLINE, |actor: &mut Self, _, exchange| {
            let store = actor.store.clone();
            let hash = match &exchange {
                Exchange::Code(redemption) => redemption.tokens.access,
                Exchange::Refresh(exchange) => exchange.tokens.access,
            };
            async move {
                let exchanged = carry_out(&store, exchange.clone()).await;
                match exchanged {
                    // It may have been committed all the same, and then what it presented counts as used: a client that tried
                    // again would lose its connection. Whether it was is found by the tokens, which nobody else has.
                    Err(StoreError::Unavailable(_) | StoreError::Other(_)) => carry_out(&store, exchange).await,
                    exchanged => exchanged,
                }
            }
            .into_actor(actor)
            .map(move |exchanged, actor, _| {
                match &exchanged {
                    Ok(Ok(issued)) => {
                        actor.published.publish_token(&TokenRow {
                            hash,
                            grant_id: issued.grant_id,
                            scopes: issued.scopes,
                            expires_at_ms: issued.access_until_ms,
                        });
                        if !issued.retired.is_empty() {
                            issued.retired.iter().for_each(|token| actor.published.withdraw_token(token));
                            actor.note_change();
                        }
                    }
                    Ok(Err(ExchangeRefusal::Reused(grant))) => {
                        actor.published.withdraw(*grant);
                        actor.note_change();
                    }
                    Ok(Err(_)) | Err(_) => {}
                }
                exchanged
            })
        })
    }
}

async fn carry_out(store: &Store, exchange: Exchange) -> Result<Exchanged, StoreError> {
    match exchange {
        Exchange::Code(redemption) => store.writer.redeem_code(redemption).await,
        Exchange::Refresh(exchange) => store.writer.refresh_tokens(exchange).await,
    }
}

impl Handler<Ask<LookUp>> for GrantRegistry {
    type Result = ResponseActFuture<Self, Asked<LookedUp>>;

    fn handle(&mut self, ask: Ask<LookUp>, _: &mut Context<Self>) -> Self::Result {
        guard::beside(ask, DEADLINE, |actor: &mut Self, _, LookUp(token)| {
            let (store, changes) = (actor.store.clone(), actor.changes);
            async move { store.reader.oauth_token(token).await }.into_actor(actor).map(move |found, actor, _| {
                match found? {
                    // A connection that was revoked meanwhile would come back.
                    Some(_) if actor.changes != changes => return Ok(LookedUp::Overtaken),
                    Some(found) => {
                        actor.published.publish(&found.grant);
                        actor.published.publish_token(&found.token);
                    }
                    None => actor.published.note_unknown(token),
                }
                Ok(LookedUp::Published)
            })
        })
    }
}

impl Handler<Ask<FollowGrants>> for GrantRegistry {
    type Result = AtomicResponse<Self, Asked<()>>;

    fn handle(&mut self, ask: Ask<FollowGrants>, _: &mut Context<Self>) -> Self::Result {
        guard::alone(ask, DEADLINE, |actor: &mut Self, _, FollowGrants| {
            let (store, published, epoch) = (actor.store.clone(), Arc::clone(&actor.published), actor.epoch);
            async move {
                match epoch {
                    0 => publish_all(&store, &published).await,
                    epoch => publish_changed(&store, &published, epoch).await,
                }
            }
            .into_actor(actor)
            .map(|reached, actor, _| {
                actor.epoch = actor.epoch.max(reached?);
                actor.note_change();
                Ok(())
            })
        })
    }
}

/// Publishes what changed after an epoch; gives the one that is reached.
async fn publish_changed(store: &Store, published: &GrantDirectory, epoch: i64) -> Result<i64, StoreError> {
    let loaded = store.reader.load_oauth_grants(epoch).await?;
    loaded.grants.iter().for_each(|grant| published.publish(grant));
    loaded.revoked.iter().for_each(|token| published.withdraw_token(token));
    Ok(loaded.epoch)
}

/// Publishes every live connection with its tokens, and nothing else: whatever else was published was revoked elsewhere while
/// nobody here was looking, and no later look would say so. What changes meanwhile is of a later epoch than the one that is given.
async fn publish_all(store: &Store, published: &GrantDirectory) -> Result<i64, StoreError> {
    let epoch = store.reader.epochs().await?.grants;
    let mut ids = HashSet::new();
    let mut last = GrantId(0);
    loop {
        let (grants, tokens) = store.reader.live_oauth_grants(last).await?;
        let Some(next) = grants.last() else { break };
        last = next.id;
        grants.iter().for_each(|grant| published.publish(grant));
        tokens.iter().for_each(|token| published.publish_token(token));
        ids.extend(grants.iter().map(|grant| grant.id));
    }
    published.keep_only(&ids);
    Ok(epoch)
}

impl Handler<Ask<KeepHouse>> for GrantRegistry {
    type Result = AtomicResponse<Self, Asked<()>>;

    fn handle(&mut self, ask: Ask<KeepHouse>, _: &mut Context<Self>) -> Self::Result {
        guard::alone(ask, DEADLINE, |actor: &mut Self, _, KeepHouse| {
            actor.published.forget_expired(actor.store.now_ms());
            let mut uses = actor.published.uses();
            uses.retain(|(id, used_ms)| actor.flushed.get(id) != Some(used_ms));
            let store = actor.store.clone();
            let written = uses.clone();
            async move { if uses.is_empty() { Ok(()) } else { store.writer.flush_last_used(uses).await } }
                .into_actor(actor)
                .map(|flushed, actor, _| flushed.map(|()| actor.flushed.extend(written)))
        })
    }
}

/// A code or token as a client presents it.
pub type Presented = (TokenKind, TokenHash);

/// A client that presents something.
pub struct ClientPresenting {
    /// The client, if there is one.
    pub client: Option<ClientRow>,
    /// Whether what it presents is of a live connection of it.
    pub holds_presented: bool,
}

/// What looking for a token gives.
pub enum TokenSearch {
    /// Known at once.
    Known(Option<Arc<ConnectionAccess>>),
    /// The database has to be asked, which this does.
    Unknown(futures_util::future::BoxFuture<'static, Result<Option<Arc<ConnectionAccess>>, AskError>>),
}

/// How the rest of the service reaches the actor and what it publishes.
#[derive(Clone)]
pub struct GrantRegistryHandle {
    pub(super) slot: Arc<Slot<GrantRegistry>>,
    pub(super) store: Store,
    /// The connections that are accepted.
    pub published: Arc<GrantDirectory>,
}

impl GrantRegistryHandle {
    /// Whether a connection is accepted.
    pub fn is_accepted(&self, grant: GrantId) -> bool {
        self.published.is_accepted(grant)
    }

    /// The connection of a presented access token, if it is accepted.
    pub fn authenticate(&self, presented: &PresentedToken) -> TokenSearch {
        match self.published.authenticate(presented, self.store.now_ms()) {
            KnownToken::Accepted(access) => TokenSearch::Known(Some(access)),
            KnownToken::Refused => TokenSearch::Known(None),
            // Whatever one process issued, it has published.
            KnownToken::Unknown if !self.store.is_shared() => TokenSearch::Known(None),
            KnownToken::Unknown => {
                let (handle, presented) = (self.clone(), *presented);
                TokenSearch::Unknown(Box::pin(async move {
                    // Each round that is overtaken is one in which a connection changed, so that this comes to an end.
                    while handle.slot.ask(LookUp(presented.0)).await?? == LookedUp::Overtaken {}
                    Ok(match handle.published.authenticate(&presented, handle.store.now_ms()) {
                        KnownToken::Accepted(access) => Some(access),
                        KnownToken::Refused | KnownToken::Unknown => None,
                    })
                }))
            }
        }
    }

    /// A client.
    pub async fn client(&self, id: &str) -> Result<Option<ClientRow>, AskError> {
        Ok(self.store.reader.oauth_client(id).await?)
    }

    /// Registers a client; nothing published depends on it. Gives the moment.
    pub async fn register(&self, client: NewClient) -> Result<i64, AskError> {
        Ok(self.store.writer.register_client(client).await?)
    }

    /// Keeps what a client's document says; nothing published depends on it.
    pub async fn keep_document(&self, client: NewClient, kept_ms: i64) -> Result<(), AskError> {
        Ok(self.store.writer.keep_client_document(client, kept_ms).await?)
    }

    /// Keeps a request until it is decided; nothing published depends on it.
    pub async fn begin(&self, request: NewRequest) -> Result<(), AskError> {
        Ok(self.store.writer.begin_oauth_request(request).await?)
    }

    /// Ends a request that the person denied.
    pub async fn deny(&self, request: TokenHash, user: UserId, session: String) -> Result<Option<Decided>, AskError> {
        Ok(self.store.writer.deny_oauth_request(request, user, session).await?)
    }

    /// Makes or changes a connection as a person consented.
    pub async fn allow(&self, consent: Consent) -> Result<ConsentOutcome, AskError> {
        Ok(self.slot.ask(Allow(consent)).await??)
    }

    /// A client with what it presents.
    pub async fn client_presenting(
        &self,
        id: &str,
        presented: Option<Presented>,
    ) -> Result<ClientPresenting, AskError> {
        if let Some((kind, hash)) = presented
            && let Some(client) = self.store.reader.oauth_client_presenting(kind, hash, id).await?
        {
            return Ok(ClientPresenting { client: Some(client), holds_presented: true });
        }
        Ok(ClientPresenting { client: self.client(id).await?, holds_presented: false })
    }

    /// Exchanges a code or a refresh token that [`Self::client_presenting`] has found: what nobody has is refused without the actor
    /// and the writer, so that strangers who make tokens up keep nobody waiting. The writer looks at everything again.
    pub async fn exchange(&self, exchange: Exchange) -> Result<Exchanged, AskError> {
        Ok(self.slot.ask(exchange).await??)
    }

    /// Revokes a connection; gives the moment, or nothing when it is not the person's or has ended already.
    pub async fn revoke(&self, user: UserId, grant: GrantId) -> Result<Option<i64>, AskError> {
        Ok(self.slot.ask(RevokeGrant(user, grant)).await??)
    }

    /// Revokes what a client presents and [`Self::client_presenting`] has found, as in an exchange.
    pub async fn revoke_token(
        &self,
        kind: TokenKind,
        token: TokenHash,
        client_id: String,
    ) -> Result<RevokedToken, AskError> {
        Ok(self.slot.ask(RevokeToken(kind, token, client_id)).await??)
    }

    /// Publishes what changed in the database.
    pub async fn follow(&self) -> Result<(), AskError> {
        Ok(self.slot.ask(FollowGrants).await??)
    }

    /// Writes when connections were last used, and forgets what has ended.
    pub async fn keep_house(&self) -> Result<(), AskError> {
        Ok(self.slot.ask(KeepHouse).await??)
    }
}
