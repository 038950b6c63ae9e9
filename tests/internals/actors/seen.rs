//! What is seen from outside while an actor works, hangs or is stuck, without a message and by a clock moved by hand.

use std::sync::Arc;

use bookkeeping_suite::actors::runtime::ActorState;
use tokio::sync::Semaphore;

use super::probe::{ActorFixture, Alone, AtOnce, Order};

#[actix::test]
async fn a_message_longer_than_twice_its_deadline_is_hung_and_the_end_of_it_is_noticed() {
    let mut bench = ActorFixture::new(8);
    let gate = Arc::new(Semaphore::new(0));
    // The deadline is a minute of real time, the clock that is watched is moved by hand.
    let deadline = std::time::Duration::from_secs(60);
    let working = tokio::spawn(bench.slot.ask(Alone(Order::Wait(Arc::clone(&gate)), deadline)));
    bench.outside.waiting.notified().await;
    bench.watchdog.look();
    assert_eq!(bench.stats.state(), ActorState::Busy);
    assert!(bench.health.is_ok());

    bench.clock.advance_ms(120_000);
    bench.watchdog.look();
    assert_eq!(bench.stats.state(), ActorState::Busy, "twice the deadline exactly is not longer");
    bench.clock.advance_ms(1);
    bench.watchdog.look();
    assert_eq!(bench.stats.state(), ActorState::Hung);
    assert_eq!(bench.stats.snapshot().busy_for_ms, 120_001);
    assert_eq!(bench.health.reasons(), ["actor probe is hung: one message for 120 s"]);

    gate.add_permits(1);
    working.await.unwrap().unwrap();
    bench.slot.ask(AtOnce(Order::Count)).await.unwrap();
    bench.watchdog.look();
    assert_eq!(bench.stats.state(), ActorState::Running);
    assert!(bench.health.is_ok());
}

#[actix::test]
async fn progress_is_shown_while_the_work_goes_on() {
    let bench = ActorFixture::new(8);
    assert_eq!(bench.stats.snapshot().last_progress_ms_ago, None);
    bench.stats.set_rows(0, 10_000);
    bench.clock.advance_ms(400);
    assert_eq!(bench.stats.snapshot().last_progress_ms_ago, Some(400));
    bench.stats.set_rows(2_500, 10_000);
    let snapshot = bench.stats.snapshot();
    assert_eq!((snapshot.rows_done, snapshot.rows_total), (2_500, 10_000));
    assert_eq!(snapshot.last_progress_ms_ago, Some(0));
    bench.stats.set_queue(3, 100);
    let snapshot = bench.stats.snapshot();
    assert_eq!((snapshot.queue_depth, snapshot.queue_capacity), (3, 100));
}

#[actix::test]
async fn everything_is_seen_while_the_arbiter_itself_is_stuck() {
    let mut bench = ActorFixture::new(8);
    let (release, held) = std::sync::mpsc::channel::<()>();
    let (entered, stuck) = tokio::sync::oneshot::channel();
    bench.arbiter.spawn_fn(move || {
        entered.send(()).unwrap();
        held.recv().unwrap();
    });
    stuck.await.unwrap();
    let waiting = tokio::spawn(bench.slot.ask(AtOnce(Order::Count)));
    bench.watchdog.look();
    let snapshot = &bench.registry.snapshots()[0];
    assert_eq!((snapshot.name, snapshot.queue_depth), ("probe", 1));
    release.send(()).unwrap();
    assert_eq!(waiting.await.unwrap(), Ok(1));
}
