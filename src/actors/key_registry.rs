//! KeyRegistry: creates and revokes API keys and publishes the ones that are accepted.
//!
//! One change at a time, so that a reload never overtakes a revocation: after the answer to a revocation the key is
//! refused in this process, and within a second in every other (they follow the epoch of the topic `keys`).

use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, ActorFutureExt as _, AtomicResponse, Context, Handler, Message, Supervised, WrapFuture as _};

use super::AskError;
use super::published::KeyDirectory;
use super::runtime::{ActorError, ActorStats, Ask, Guarded, Slot, guard};
use crate::domain::ids::{ConnectionId, KeyId, OrganisationId, UserId};
use crate::store::{KeyCreated, KeyRow, NewKey, Store, StoreError};

/// Answers wait for a commit or a read of every key; a longer wait is a hang.
const DEADLINE: Duration = Duration::from_secs(30);

/// The actor.
pub struct KeyRegistry {
    stats: Arc<ActorStats>,
    store: Store,
    published: Arc<KeyDirectory>,
    /// The epoch the published keys are of.
    epoch: i64,
    /// Uses already on disk.
    flushed: std::collections::HashMap<ConnectionId, i64>,
}

impl KeyRegistry {
    /// An actor that publishes to `published`.
    pub fn new(stats: Arc<ActorStats>, store: Store, published: Arc<KeyDirectory>) -> Self {
        Self { stats, store, published, epoch: 0, flushed: std::collections::HashMap::new() }
    }
}

impl Actor for KeyRegistry {
    type Context = Context<Self>;
}

impl Supervised for KeyRegistry {
    fn restarting(&mut self, _: &mut Context<Self>) {
        // Everything is read again by the next `Follow`.
        self.epoch = 0;
    }
}

impl Guarded for KeyRegistry {
    fn stats(&self) -> &Arc<ActorStats> {
        &self.stats
    }
}

/// Creates a key.
#[derive(Message)]
#[rtype(result = "Result<Result<KeyCreated, StoreError>, ActorError>")]
pub struct CreateKey(pub NewKey);

/// Revokes a key of a person.
#[derive(Message)]
#[rtype(result = "Result<Result<Option<KeyRow>, StoreError>, ActorError>")]
pub struct RevokeKey {
    /// Whose.
    pub user_id: UserId,
    /// Which.
    pub key_id: KeyId,
}

/// Sets the organisation a connection works on when a call names none.
#[derive(Message)]
#[rtype(result = "Result<Result<Option<OrganisationId>, StoreError>, ActorError>")]
pub struct SelectOrganisation {
    /// Which connection.
    pub connection: ConnectionId,
    /// Which.
    pub organisation_id: OrganisationId,
}

/// Reads what changed since the published epoch.
#[derive(Message)]
#[rtype(result = "Result<Result<(), StoreError>, ActorError>")]
pub struct FollowKeys;

/// Writes when keys were last used.
#[derive(Message)]
#[rtype(result = "Result<Result<(), StoreError>, ActorError>")]
pub struct FlushUses;

impl Handler<Ask<CreateKey>> for KeyRegistry {
    type Result = AtomicResponse<Self, Result<Result<KeyCreated, StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<CreateKey>, _: &mut Context<Self>) -> Self::Result {
        guard::alone(ask, DEADLINE, |actor: &mut Self, _, CreateKey(key)| {
            let store = actor.store.clone();
            async move { store.writer.create_key(key).await }.into_actor(actor).map(|created, actor, _| {
                if let Ok(KeyCreated::Created(row)) = &created {
                    actor.published.publish(row);
                }
                created
            })
        })
    }
}

impl Handler<Ask<RevokeKey>> for KeyRegistry {
    type Result = AtomicResponse<Self, Result<Result<Option<KeyRow>, StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<RevokeKey>, _: &mut Context<Self>) -> Self::Result {
        guard::alone(ask, DEADLINE, |actor: &mut Self, _, RevokeKey { user_id, key_id }| {
            let store = actor.store.clone();
            let published = Arc::clone(&actor.published);
            async move {
                let key = published.by_id(key_id);
                let revoked = store.writer.revoke_key(user_id, key_id, store.now_ms()).await;
                if let Ok(Some(row)) = &revoked {
                    published.publish(row);
                    // With the snapshot goes what only it knew: when the key was last used.
                    let used_ms = key.map_or(0, |key| key.access.usage.last_used_ms());
                    if used_ms > 0
                        && let Err(error) =
                            store.writer.flush_last_used(vec![(ConnectionId::Key(key_id), used_ms)]).await
                    {
                        tracing::warn!(error = %error, "the last use of key {key_id} was not written");
                    }
                }
                revoked
            }
            .into_actor(actor)
            .map(move |revoked, actor, _| {
                actor.flushed.remove(&ConnectionId::Key(key_id));
                revoked
            })
        })
    }
}

impl Handler<Ask<SelectOrganisation>> for KeyRegistry {
    type Result = AtomicResponse<Self, Result<Result<Option<OrganisationId>, StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<SelectOrganisation>, _: &mut Context<Self>) -> Self::Result {
        guard::alone(ask, DEADLINE, |actor: &mut Self, _, SelectOrganisation { connection, organisation_id }| {
            let store = actor.store.clone();
            async move { store.writer.select_organisation(connection, organisation_id).await }.into_actor(actor)
        })
    }
}

impl Handler<Ask<FollowKeys>> for KeyRegistry {
    type Result = AtomicResponse<Self, Result<Result<(), StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<FollowKeys>, _: &mut Context<Self>) -> Self::Result {
        guard::alone(ask, DEADLINE, |actor: &mut Self, _, FollowKeys| {
            let (store, epoch) = (actor.store.clone(), actor.epoch);
            async move { store.reader.load_keys(epoch).await }.into_actor(actor).map(move |rows, actor, _| {
                let rows = rows?;
                if epoch == 0 {
                    // A first look (also after a restart) names the accepted keys only: whatever else is published was
                    // revoked elsewhere in between, and no later look would say so.
                    actor.published.keep_only(&rows.iter().map(|row| row.id).collect());
                }
                for row in rows {
                    actor.published.publish(&row);
                    actor.epoch = actor.epoch.max(row.changed_epoch);
                }
                Ok(())
            })
        })
    }
}

impl Handler<Ask<FlushUses>> for KeyRegistry {
    type Result = AtomicResponse<Self, Result<Result<(), StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<FlushUses>, _: &mut Context<Self>) -> Self::Result {
        guard::alone(ask, DEADLINE, |actor: &mut Self, _, FlushUses| {
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

/// How the rest of the service reaches the actor and what it publishes.
#[derive(Clone)]
pub struct KeyRegistryHandle {
    pub(super) slot: Arc<Slot<KeyRegistry>>,
    /// The keys that are accepted.
    pub published: Arc<KeyDirectory>,
}

impl KeyRegistryHandle {
    /// Creates a key.
    pub async fn create(&self, key: NewKey) -> Result<KeyCreated, AskError> {
        Ok(self.slot.ask(CreateKey(key)).await??)
    }

    /// Revokes a key; `None` when it is not the person's or is revoked already.
    pub async fn revoke(&self, user_id: UserId, key_id: KeyId) -> Result<Option<KeyRow>, AskError> {
        Ok(self.slot.ask(RevokeKey { user_id, key_id }).await??)
    }

    /// Sets the organisation a connection works on when a call names none; gives the one before.
    pub async fn select_organisation(
        &self,
        connection: ConnectionId,
        organisation_id: OrganisationId,
    ) -> Result<Option<OrganisationId>, AskError> {
        Ok(self.slot.ask(SelectOrganisation { connection, organisation_id }).await??)
    }

    /// Publishes what changed in the database.
    pub async fn follow(&self) -> Result<(), AskError> {
        Ok(self.slot.ask(FollowKeys).await??)
    }

    /// Writes when keys were last used.
    pub async fn flush_uses(&self) -> Result<(), AskError> {
        Ok(self.slot.ask(FlushUses).await??)
    }
}
