//! What actors publish and requests read: keys, balances, memberships. Neither a message nor SQL stands between a request and these.
//!
//! Only the owning actor (and, for balances, the unit that changes them) writes here. Each entry carries the epoch it was
//! read at, so that a slower reader of the database never puts an older state over a newer one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;

use crate::domain::caller::{ConnectionAccess, KeyPrefix, KeySnapshot, PresentedKey, Role, verify_key};
use crate::domain::credits::CreditAccount;
use crate::domain::ids::{ConnectionId, KeyId, OrganisationId, UserId};
use crate::store::{KeyRow, MembershipRow};

/// Both maps below hold only keys this service made (random prefixes, counted ids), so nobody can aim at collisions.
type FastHash = rustc_hash::FxBuildHasher;

/// The keys that are accepted.
#[derive(Default)]
pub struct KeyDirectory {
    by_prefix: DashMap<KeyPrefix, Arc<KeySnapshot>, FastHash>,
    prefix_by_id: DashMap<KeyId, KeyPrefix>,
    /// When the epochs were last read from the database, on the monotonic clock.
    fresh_at_ms: AtomicU64,
}

impl KeyDirectory {
    /// The key that was presented, if it is known, unrevoked and its secret is right.
    pub fn authenticate(&self, presented: &PresentedKey) -> Option<Arc<KeySnapshot>> {
        let found = self.by_prefix.get(&presented.prefix).map(|entry| Arc::clone(entry.value()));
        verify_key(found, presented)
    }

    /// Publishes a key as stored: a revoked one is withdrawn. The window of a known key goes on counting.
    pub fn publish(&self, row: &KeyRow) {
        let Ok(prefix) = KeyPrefix::try_from(row.prefix.as_bytes()) else {
            tracing::error!(key.id = row.id.0, "key {} has a malformed prefix and is ignored", row.id);
            return;
        };
        if row.revoked_at_ms.is_some() {
            self.by_prefix.remove(&prefix);
            self.prefix_by_id.remove(&row.id);
            return;
        }
        let usage = self.by_prefix.get(&prefix).map(|entry| Arc::clone(&entry.access.usage)).unwrap_or_default();
        usage.touch(row.last_used_at_ms.unwrap_or(0));
        let access = ConnectionAccess {
            id: ConnectionId::Key(row.id),
            user_id: row.user_id,
            name: row.name.clone(),
            scopes: row.scopes,
            granted: row.scopes,
            allow_overage: row.allow_overage,
            reach: row.reach.clone(),
            usage,
        };
        let snapshot = KeySnapshot { prefix: row.prefix.clone(), hash: row.hash, access };
        self.prefix_by_id.insert(row.id, prefix);
        self.by_prefix.insert(prefix, Arc::new(snapshot));
    }

    /// A key by its record, when it is accepted.
    pub fn by_id(&self, id: KeyId) -> Option<Arc<KeySnapshot>> {
        let prefix = *self.prefix_by_id.get(&id)?;
        self.by_prefix.get(&prefix).map(|entry| Arc::clone(entry.value()))
    }

    /// Withdraws every key that is not among these: what was revoked elsewhere while nobody here was looking.
    pub fn keep_only(&self, ids: &std::collections::HashSet<KeyId>) {
        self.prefix_by_id.retain(|id, _| ids.contains(id));
        self.by_prefix.retain(|_, key| matches!(key.access.id, ConnectionId::Key(id) if ids.contains(&id)));
    }

    /// When every accepted key was last used; unused ones left out.
    pub fn uses(&self) -> Vec<(ConnectionId, i64)> {
        self.by_prefix
            .iter()
            .map(|entry| (entry.access.id, entry.access.usage.last_used_ms()))
            .filter(|(_, used_ms)| *used_ms > 0)
            .collect()
    }

    /// Notes that the epochs of the database were just read.
    pub fn refreshed(&self, monotonic_ms: u64) {
        self.fresh_at_ms.fetch_max(monotonic_ms, Ordering::AcqRel);
    }

    /// How long ago the epochs of the database were last read.
    pub fn staleness_ms(&self, monotonic_ms: u64) -> u64 {
        monotonic_ms.saturating_sub(self.fresh_at_ms.load(Ordering::Acquire))
    }
}

/// A balance and the epoch it was written at.
#[derive(Debug, Clone, Copy)]
struct PublishedBalance {
    account: CreditAccount,
    epoch: i64,
}

/// The balances of people that a request has read.
#[derive(Default)]
pub struct BalanceBoard(DashMap<UserId, PublishedBalance, FastHash>);

impl BalanceBoard {
    /// The account as last published; its month may be over.
    pub fn get(&self, user: UserId) -> Option<CreditAccount> {
        self.0.get(&user).map(|entry| entry.account)
    }

    /// Publishes an account unless a newer state is there.
    pub fn publish(&self, user: UserId, account: CreditAccount, epoch: i64) {
        match self.0.entry(user) {
            Entry::Occupied(mut entry) => {
                if epoch >= entry.get().epoch {
                    entry.insert(PublishedBalance { account, epoch });
                }
            }
            Entry::Vacant(entry) => {
                entry.insert(PublishedBalance { account, epoch });
            }
        }
    }

    /// Forgets what was published, so that the next reader asks the database (a unit failed after publishing).
    pub fn forget(&self, user: UserId) {
        self.0.remove(&user);
    }

    /// Whether nothing is published.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the person is among the published, so that changes elsewhere matter here.
    pub fn holds(&self, user: UserId) -> bool {
        self.0.contains_key(&user)
    }
}

/// Who may do what where. People who are not in it may still be members: it is filled by following what is committed.
#[derive(Default)]
pub struct MembershipBoard(DashMap<(UserId, OrganisationId), PublishedRole, FastHash>);

/// A role and the epoch it was given at; none before it is accepted.
#[derive(Debug, Clone, Copy)]
struct PublishedRole {
    role: Option<Role>,
    epoch: i64,
}

impl MembershipBoard {
    /// The role a person has as an accepted member, as last published.
    pub fn role(&self, user: UserId, organisation: OrganisationId) -> Option<Role> {
        self.0.get(&(user, organisation))?.role
    }

    /// Publishes a membership as stored unless a newer state is there; gives the role that counts now.
    pub fn publish(&self, row: &MembershipRow) -> Option<Role> {
        let next = PublishedRole { role: row.accepted.then_some(row.role), epoch: row.changed_epoch };
        let mut entry = self.0.entry((row.user_id, row.organisation_id)).or_insert(next);
        if next.epoch >= entry.epoch {
            *entry = next;
        }
        entry.role
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::caller;
    use crate::domain::caller::KeyReach;
    use crate::domain::date::Month;

    #[test]
    fn a_slow_reader_never_puts_an_older_balance_over_a_newer_one() {
        let account = |monthly| CreditAccount {
            period: Month(1),
            monthly,
            bonus: 0,
            overage_used: 0,
            monthly_allocation: 10,
            overage_allowed: false,
            reserved: 0,
        };
        let board = BalanceBoard::default();
        board.publish(UserId(1), account(5), 7);
        board.publish(UserId(1), account(9), 6);
        assert_eq!(board.get(UserId(1)).map(|account| account.monthly), Some(5));
        board.forget(UserId(1));
        board.publish(UserId(1), account(9), 6);
        assert_eq!(board.get(UserId(1)).map(|account| account.monthly), Some(9));
    }

    #[test]
    fn a_slow_reader_never_gives_an_older_role_back() {
        let row = |role, accepted, changed_epoch| MembershipRow {
            organisation_id: OrganisationId(3),
            user_id: UserId(1),
            role,
            accepted,
            changed_epoch,
        };
        let board = MembershipBoard::default();
        assert_eq!(board.role(UserId(1), OrganisationId(3)), None);
        assert_eq!(board.publish(&row(Role::Viewer, true, 8)), Some(Role::Viewer));
        assert_eq!(board.publish(&row(Role::Owner, true, 7)), Some(Role::Viewer));
        assert_eq!(board.publish(&row(Role::Owner, false, 9)), None);
        assert_eq!(board.role(UserId(1), OrganisationId(3)), None);
        assert_eq!(board.role(UserId(2), OrganisationId(3)), None);
    }

    #[test]
    fn a_revoked_key_is_withdrawn_and_a_changed_one_keeps_its_window() {
        let minted = caller::mint_key(|block| block.fill(3));
        let mut row = KeyRow {
            id: KeyId(4),
            user_id: UserId(1),
            name: "k".to_owned(),
            prefix: minted.prefix.clone(),
            hash: minted.hash,
            scopes: Default::default(),
            allow_overage: false,
            reach: KeyReach::All,
            created_at_ms: 0,
            last_used_at_ms: None,
            revoked_at_ms: None,
            changed_epoch: 1,
        };
        let presented = caller::parse_key(&minted.plaintext).expect("well formed");
        let directory = KeyDirectory::default();
        directory.publish(&row);
        let first = directory.authenticate(&presented).expect("accepted");
        first.access.touch(99);
        directory.publish(&row);
        let second = directory.authenticate(&presented).expect("accepted");
        assert!(Arc::ptr_eq(&first.access.usage, &second.access.usage));
        assert_eq!(directory.uses(), [(ConnectionId::Key(KeyId(4)), 99)]);
        row.revoked_at_ms = Some(100);
        directory.publish(&row);
        assert!(directory.authenticate(&presented).is_none());
        assert!(directory.by_id(KeyId(4)).is_none());
    }
}
