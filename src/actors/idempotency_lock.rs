//! Requests with the same `Idempotency-Key` are locked against each other: the second waits for the first and then
//! replays its answer.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::domain::ids::UserId;

/// How long a request waits for another with its key.
const WAIT: Duration = Duration::from_secs(10);

/// Owner, method, path, `Idempotency-Key`.
type Scope = (UserId, String, String, String);

/// The requests with an `Idempotency-Key` that are being carried out by this process. (Between processes the database
/// decides who is first.)
#[derive(Debug, Clone, Default)]
pub struct IdempotencyLocks(Arc<DashMap<Scope, watch::Receiver<()>>>);

/// The lock of a request that is being carried out; the next request with its key begins when the lock is dropped.
#[derive(Debug)]
#[must_use = "the lock is released when it is dropped"]
pub struct IdempotencyLock {
    locks: IdempotencyLocks,
    scope: Scope,
    /// Waiting requests see this channel close.
    _running: watch::Sender<()>,
}

impl Drop for IdempotencyLock {
    fn drop(&mut self) {
        self.locks.0.remove(&self.scope);
    }
}

/// What came of asking for a lock.
#[derive(Debug)]
pub enum Lock<A> {
    /// No other request of the scope is running.
    Held(IdempotencyLock),
    /// Another one was, and its answer is stored.
    Answered(A),
}

impl IdempotencyLocks {
    /// Waits until no other request of this scope is running; `None` when one is still running after `wait`. Each time another one
    /// has ended, `answer` is asked first.
    async fn acquire<A, E>(
        &self,
        scope: Scope,
        wait: Duration,
        answer: impl AsyncFn() -> Result<Option<A>, E>,
    ) -> Result<Option<Lock<A>>, E> {
        let deadline = Instant::now() + wait;
        loop {
            let mut running = match self.0.entry(scope.clone()) {
                Entry::Occupied(running) => running.get().clone(),
                Entry::Vacant(free) => {
                    let (sender, receiver) = watch::channel(());
                    free.insert(receiver);
                    let lock = IdempotencyLock { locks: self.clone(), scope, _running: sender };
                    return Ok(Some(Lock::Held(lock)));
                }
            };
            // Nothing is ever sent: the wait ends when the sender is dropped.
            if timeout_at(deadline, running.changed()).await.is_err() {
                return Ok(None);
            }
            if let Some(answered) = answer().await? {
                return Ok(Some(Lock::Answered(answered)));
            }
        }
    }

    /// The lock of a request with an `Idempotency-Key`, to be held until it is answered; `None` when another request with
    /// the same key still runs after ten seconds.
    pub async fn lock(&self, user: UserId, method: &str, path: &str, key: &str) -> Option<IdempotencyLock> {
        let nothing = async || Ok::<Option<Infallible>, Infallible>(None);
        match self.lock_or(user, (method, path, key), nothing).await {
            Ok(Some(Lock::Held(lock))) => Some(lock),
            Ok(None) => None,
        }
    }

    /// The same for a request whose answer can be looked up: each time another one with the key has ended, `answer` is asked for
    /// what it stored, so that of many at once one is carried out and the others do not wait for each other.
    ///
    /// # Errors
    ///
    /// Those of `answer`.
    pub async fn lock_or<A, E>(
        &self,
        user: UserId,
        (method, path, key): (&str, &str, &str),
        answer: impl AsyncFn() -> Result<Option<A>, E>,
    ) -> Result<Option<Lock<A>>, E> {
        self.acquire((user, method.to_owned(), path.to_owned(), key.to_owned()), WAIT, answer).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(key: &str) -> Scope {
        (UserId(1), "POST".to_owned(), "/x".to_owned(), key.to_owned())
    }

    async fn held(locks: &IdempotencyLocks, key: &str, wait: Duration) -> Option<IdempotencyLock> {
        match locks.acquire(scope(key), wait, async || Ok::<Option<()>, Infallible>(None)).await {
            Ok(Some(Lock::Held(lock))) => Some(lock),
            _ => None,
        }
    }

    #[tokio::test]
    async fn the_second_waits_for_the_first_and_for_no_longer_than_it_may() {
        let locks = IdempotencyLocks::default();
        let first = held(&locks, "a", Duration::ZERO).await.expect("nothing is running");
        let other = held(&locks, "b", Duration::ZERO).await.expect("another key does not wait");
        assert!(held(&locks, "a", Duration::ZERO).await.is_none(), "the first is still running");
        let waiting = tokio::spawn({
            let locks = locks.clone();
            async move { held(&locks, "a", WAIT).await.is_some() }
        });
        tokio::task::yield_now().await;
        drop(first);
        assert!(waiting.await.unwrap());
        drop(other);
        assert!(locks.0.is_empty(), "a released lock stays in the map");
    }

    #[tokio::test]
    async fn of_many_with_one_key_one_runs_at_a_time() {
        let locks = IdempotencyLocks::default();
        let running = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..200 {
            let (locks, running) = (locks.clone(), Arc::clone(&running));
            tasks.spawn(async move {
                let lock = held(&locks, "a", WAIT).await.expect("all of them are short");
                assert_eq!(running.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                tokio::task::yield_now().await;
                running.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                drop(lock);
            });
        }
        while let Some(ended) = tasks.join_next().await {
            ended.unwrap();
        }
    }

    #[tokio::test]
    async fn whoever_waited_is_given_the_stored_answer_and_takes_no_lock() {
        let locks = IdempotencyLocks::default();
        let first = held(&locks, "a", Duration::ZERO).await.expect("nothing is running");
        let waiting = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..200 {
            let (locks, waiting) = (locks.clone(), Arc::clone(&waiting));
            tasks.spawn(async move {
                waiting.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                locks.acquire(scope("a"), WAIT, async || Ok::<_, Infallible>(Some("stored"))).await.expect("no error")
            });
        }
        while waiting.load(std::sync::atomic::Ordering::SeqCst) < 200 {
            tokio::task::yield_now().await;
        }
        drop(first);
        while let Some(ended) = tasks.join_next().await {
            assert!(matches!(ended.unwrap(), Some(Lock::Answered("stored"))));
        }
        assert!(locks.0.is_empty());
    }
}
