//! A handler that panics: its caller gets an error, the state is read anew, and those who waited are answered.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bookkeeping_suite::actors::runtime::ActorError;
use futures_util::future::join_all;
use tokio::sync::Semaphore;

use super::probe::{ActorFixture, Alone, AtOnce, DEADLINE, Order, SHORT};

#[actix::test]
async fn a_panic_at_once_is_answered_and_the_state_is_read_anew() {
    let bench = ActorFixture::new(8);
    bench.outside.stored.store(40, Ordering::SeqCst);
    assert_eq!(bench.slot.ask(AtOnce(Order::Panic)).await, Err(ActorError::Panicked));
    assert_eq!(bench.slot.ask(AtOnce(Order::Count)).await, Ok(41));
    assert_eq!(bench.outside.restarting.load(Ordering::SeqCst), 1);
    assert_eq!((bench.stats.panics(), bench.stats.failed(), bench.stats.handled()), (1, 1, 2));
    assert_eq!(bench.stats.generation(), 1, "the same actor in the same mailbox");
    bench.settled().await;
}

#[actix::test]
async fn a_panic_after_waiting_is_answered_and_the_state_is_read_anew() {
    let bench = ActorFixture::new(8);
    assert_eq!(bench.slot.ask(Alone(Order::Panic, DEADLINE)).await, Err(ActorError::Panicked));
    assert_eq!(bench.slot.ask(Alone(Order::Count, DEADLINE)).await, Ok(1));
    assert_eq!((bench.stats.panics(), bench.stats.restarts()), (1, 1));
    assert_eq!(bench.stats.busy_for_ms(), None);
}

#[actix::test]
async fn a_queue_with_every_fault_in_it_is_answered_in_order_and_all_places_come_back() {
    let bench = ActorFixture::new(16);
    let gate = Arc::new(Semaphore::new(0));
    let first = bench.slot.ask(Alone(Order::Wait(Arc::clone(&gate)), DEADLINE));
    let first = tokio::spawn(first);
    bench.outside.waiting.notified().await;
    // All of these wait in the mailbox behind the first.
    let waiting = vec![
        bench.slot.ask(Alone(Order::Count, DEADLINE)),
        bench.slot.ask(Alone(Order::Panic, DEADLINE)),
        bench.slot.ask(Alone(Order::Count, DEADLINE)),
        bench.slot.ask(Alone(Order::Hang, SHORT)),
        bench.slot.ask(Alone(Order::Count, DEADLINE)),
        bench.slot.ask(Alone(Order::Count, DEADLINE)),
    ];
    assert_eq!(bench.stats.admitted(), 7);
    gate.add_permits(1);
    assert_eq!(first.await.unwrap(), Ok(1));
    let answers = join_all(waiting).await;
    let expected = vec![Ok(2), Err(ActorError::Panicked), Ok(1), Err(ActorError::TimedOut), Ok(1), Ok(2)];
    assert_eq!(answers, expected);
    assert_eq!((bench.stats.restarts(), bench.stats.generation()), (2, 1));
    assert_eq!((bench.stats.panics(), bench.stats.timeouts()), (1, 1));
    // The last place comes back just after the last answer; a further question is behind it.
    assert_eq!(bench.slot.ask(Alone(Order::Count, DEADLINE)).await, Ok(3));
}
