//! A handler that never ends: its deadline ends it, and what waited behind it is answered.

use std::sync::atomic::Ordering;

use bookkeeping_suite::actors::runtime::ActorError;

use super::probe::{ActorFixture, Alone, DEADLINE, Order, SHORT};

#[actix::test]
async fn a_hang_ends_at_its_deadline_and_the_queue_survives_the_restart() {
    let bench = ActorFixture::new(8);
    bench.outside.stored.store(7, Ordering::SeqCst);
    let hanging = bench.slot.ask(Alone(Order::Hang, SHORT));
    let behind = bench.slot.ask(Alone(Order::Count, DEADLINE));
    assert_eq!(hanging.await, Err(ActorError::TimedOut));
    assert_eq!(behind.await, Ok(8), "answered by the state read anew");
    assert_eq!((bench.stats.timeouts(), bench.stats.restarts(), bench.stats.generation()), (1, 1, 1));
    assert_eq!(bench.outside.started.load(Ordering::SeqCst), 2);
}
