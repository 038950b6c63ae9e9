//! An actor that dies outside of its guard: the slot builds another, once.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bookkeeping_suite::actors::runtime::ActorError;
use futures_util::future::join_all;
use tokio::sync::Semaphore;

use super::probe::{ActorFixture, Alone, AtOnce, DEADLINE, Die, Order, Wake};

#[actix::test]
async fn the_first_question_after_a_death_is_answered_by_a_new_actor() {
    let bench = ActorFixture::new(8);
    bench.kill().await;
    assert_eq!(bench.slot.ask(AtOnce(Order::Count)).await, Ok(1));
    assert_eq!((bench.stats.generation(), bench.stats.restarts()), (2, 1));
    bench.settled().await;
}

#[actix::test]
async fn those_who_waited_are_told_and_their_places_come_back() {
    let bench = ActorFixture::new(8);
    let gate = Arc::new(Semaphore::new(0));
    let working = bench.slot.ask(Alone(Order::Wait(Arc::clone(&gate)), DEADLINE));
    let waiting: Vec<_> =
        [Order::Die, Order::Count, Order::Count].into_iter().map(|order| bench.slot.ask(AtOnce(order))).collect();
    gate.add_permits(1);
    assert_eq!(working.await, Ok(1));
    let answers = join_all(waiting).await;
    assert!(answers.iter().all(|answer| *answer == Err(ActorError::Down)), "{answers:?}");
    bench.settled().await;
    bench.dead().await;
    assert_eq!(bench.slot.ask(AtOnce(Order::Count)).await, Ok(1));
}

#[actix::test]
async fn racing_callers_build_exactly_one_actor() {
    let bench = ActorFixture::new(4_096);
    bench.kill().await;
    let barrier = Arc::new(std::sync::Barrier::new(8));
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (slot, barrier) = (Arc::clone(&bench.slot), Arc::clone(&barrier));
            std::thread::spawn(move || {
                barrier.wait();
                (0..125).map(|_| slot.ask(Alone(Order::Count, DEADLINE))).collect::<Vec<_>>()
            })
        })
        .collect();
    let questions: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    let mut answers: Vec<u64> = join_all(questions).await.into_iter().map(Result::unwrap).collect();
    answers.sort_unstable();
    assert_eq!(answers, (1..=1_000).collect::<Vec<_>>());
    assert_eq!((bench.stats.generation(), bench.stats.restarts()), (2, 1));
}

#[actix::test]
async fn the_watchdog_builds_a_dead_actor_without_being_asked() {
    let mut bench = ActorFixture::new(8);
    bench.kill().await;
    bench.watchdog.look();
    assert_eq!(bench.stats.generation(), 2);
    assert!(bench.health.is_ok());
    bench.watchdog.look();
    assert_eq!(bench.stats.generation(), 2, "a living actor is left alone");
}

#[actix::test]
async fn a_wake_reaches_the_actor_that_is_built_next() {
    let bench = ActorFixture::new(0);
    bench.slot.with_addr(|addr| addr.connected()).unwrap();
    bench.slot.wake(Die).unwrap();
    bench.dead().await;
    bench.slot.wake(Wake).unwrap();
    while bench.outside.woken.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(bench.stats.generation(), 2);
}

#[actix::test]
async fn a_closed_slot_finishes_what_it_has_and_takes_nothing_more() {
    let bench = ActorFixture::new(8);
    let last = bench.slot.ask(AtOnce(Order::Count));
    bench.slot.close();
    assert_eq!(last.await, Ok(1));
    assert_eq!(bench.slot.ask(AtOnce(Order::Count)).await, Err(ActorError::Down));
    assert_eq!(bench.stats.generation(), 1);
}
