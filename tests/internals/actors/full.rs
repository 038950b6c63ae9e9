//! A full queue: the next question is refused at once and nothing is kept of it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bookkeeping_suite::actors::runtime::ActorError;
use futures_util::future::join_all;
use tokio::sync::Semaphore;

use super::probe::{ActorFixture, Alone, DEADLINE, Order, Wake};

#[actix::test]
async fn a_full_queue_refuses_at_once_and_takes_questions_again_when_there_is_room() {
    let bench = ActorFixture::new(4);
    let gate = Arc::new(Semaphore::new(0));
    let accepted: Vec<_> = (0..4).map(|_| bench.slot.ask(Alone(Order::Wait(Arc::clone(&gate)), DEADLINE))).collect();
    for _ in 0..10 {
        assert_eq!(bench.slot.ask(Alone(Order::Count, DEADLINE)).await, Err(ActorError::Busy));
    }
    let snapshot = bench.stats.snapshot();
    assert_eq!((snapshot.rejected, snapshot.queue_depth, snapshot.queue_capacity), (10, 4, 4));
    gate.add_permits(4);
    assert_eq!(join_all(accepted).await, vec![Ok(1), Ok(2), Ok(3), Ok(4)]);
    bench.settled().await;
    assert_eq!(bench.slot.ask(Alone(Order::Count, DEADLINE)).await, Ok(5));
}

#[actix::test]
async fn a_question_nobody_waits_for_gives_its_place_back_and_is_not_handled() {
    let bench = ActorFixture::new(2);
    let gate = Arc::new(Semaphore::new(0));
    let first = bench.slot.ask(Alone(Order::Wait(Arc::clone(&gate)), DEADLINE));
    drop(bench.slot.ask(Alone(Order::Count, DEADLINE)));
    gate.add_permits(1);
    assert_eq!(first.await, Ok(1));
    bench.settled().await;
    assert_eq!(bench.slot.ask(Alone(Order::Count, DEADLINE)).await, Ok(2));
}

#[actix::test]
async fn wakes_coalesce_and_none_is_lost() {
    let bench = ActorFixture::new(4);
    let gate = Arc::new(Semaphore::new(0));
    let busy = bench.slot.ask(Alone(Order::Wait(Arc::clone(&gate)), DEADLINE));
    let busy = tokio::spawn(busy);
    bench.outside.waiting.notified().await;
    // Even with every place for questions taken there is one left for a wake.
    let behind: Vec<_> = (0..3).map(|_| bench.slot.ask(Alone(Order::Count, DEADLINE))).collect();
    for _ in 0..100 {
        bench.slot.wake(Wake).unwrap();
    }
    gate.add_permits(1);
    busy.await.unwrap().unwrap();
    assert!(join_all(behind).await.into_iter().all(|answer| answer.is_ok()));
    bench.slot.ask(Alone(Order::Count, DEADLINE)).await.unwrap();
    let woken = bench.outside.woken.load(Ordering::SeqCst);
    assert!((1..=5).contains(&woken), "{woken}");
}

#[actix::test]
async fn a_wake_while_one_is_handled_is_kept() {
    let bench = ActorFixture::new(0);
    for round in 1..=50 {
        bench.slot.wake(Wake).unwrap();
        while bench.outside.woken.load(Ordering::SeqCst) < round {
            tokio::task::yield_now().await;
        }
    }
}
