//! An actor that keeps dying: after five new ones in a minute it is down, and it is tried again every ten seconds.

use bookkeeping_suite::actors::runtime::{ActorError, ActorState, DOWN_RETRY_MS, RESPAWN_WINDOW_MS, RESPAWNS_MAX};

use super::probe::{ActorFixture, AtOnce, Order};

fn ms(duration_ms: u64) -> i64 {
    i64::try_from(duration_ms).unwrap()
}

#[actix::test]
async fn a_sixth_death_in_a_minute_brings_it_down_and_it_recovers() {
    let mut bench = ActorFixture::new(8);
    bench.kill().await;
    for _ in 0..RESPAWNS_MAX {
        bench.clock.advance_ms(1_000);
        bench.kill().await;
    }
    assert_eq!(bench.stats.generation(), 6);
    assert_eq!(bench.slot.ask(AtOnce(Order::Count)).await, Err(ActorError::Down));
    assert_eq!(bench.stats.generation(), 6, "refused at once, without another attempt");
    bench.watchdog.look();
    assert_eq!(bench.stats.state(), ActorState::Down);
    assert_eq!(bench.health.as_str(), "degraded");
    assert_eq!(bench.health.reasons(), ["actor probe is down"]);

    bench.clock.advance_ms(ms(DOWN_RETRY_MS) - 1);
    assert_eq!(bench.slot.ask(AtOnce(Order::Count)).await, Err(ActorError::Down));
    bench.clock.advance_ms(1);
    bench.watchdog.look();
    assert_eq!(bench.stats.state(), ActorState::Running);
    assert!(bench.health.is_ok());
    assert_eq!(bench.slot.ask(AtOnce(Order::Count)).await, Ok(1));
    assert_eq!(bench.stats.generation(), 7);
}

#[actix::test]
async fn an_actor_that_dies_again_after_the_attempt_waits_another_ten_seconds() {
    let bench = ActorFixture::new(8);
    for _ in 0..=RESPAWNS_MAX {
        bench.kill().await;
    }
    assert_eq!(bench.slot.ask(AtOnce(Order::Count)).await, Err(ActorError::Down));
    bench.clock.advance_ms(ms(DOWN_RETRY_MS));
    bench.kill().await;
    assert_eq!(bench.stats.generation(), 7);
    bench.clock.advance_ms(1);
    assert_eq!(bench.slot.ask(AtOnce(Order::Count)).await, Err(ActorError::Down));
    assert_eq!(bench.stats.generation(), 7);
}

#[actix::test]
async fn deaths_more_than_a_minute_apart_are_forgiven() {
    let bench = ActorFixture::new(8);
    for _ in 0..20 {
        bench.kill().await;
        bench.clock.advance_ms(ms(RESPAWN_WINDOW_MS / 4));
    }
    assert_eq!(bench.slot.ask(AtOnce(Order::Count)).await, Ok(1));
}
