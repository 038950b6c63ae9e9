//! The directory: one actor per organisation, on the arbiter its id chooses, sharing one name.

use std::sync::Arc;

use actix::Arbiter;
use bookkeeping_suite::actors::runtime::{ActorState, ActorStats, Directory, SlotOptions, Watched as _};
use bookkeeping_suite::clock::ManualClock;
use bookkeeping_suite::domain::ids::OrganisationId;

use super::probe::{Alone, AtOnce, DEADLINE, Order, Outside, Probe};

fn directory(clock: Arc<ManualClock>) -> (Arc<Directory<Probe>>, Vec<Arbiter>) {
    let arbiters = vec![Arbiter::new(), Arbiter::new()];
    let handles = arbiters.iter().map(Arbiter::handle).collect();
    let options = SlotOptions { queue_capacity: 4, answer_deadline: None };
    let stats = ActorStats::new("ledger", clock);
    let directory = Directory::new(stats, handles, options, |organisation, stats| {
        let outside = Outside::default();
        outside.stored.store(organisation.0.unsigned_abs() * 1_000, std::sync::atomic::Ordering::SeqCst);
        Probe::new(stats, Arc::new(outside))
    });
    (directory, arbiters)
}

#[actix::test]
async fn each_organisation_has_one_actor_of_its_own() {
    let (directory, _arbiters) = directory(Arc::new(ManualClock::at_ms(0)));
    for id in [1, 2, 3] {
        let slot = directory.of(OrganisationId(id)).unwrap();
        assert_eq!(slot.ask(AtOnce(Order::Count)).await, Ok(id.unsigned_abs() * 1_000 + 1));
        assert!(Arc::ptr_eq(&slot, &directory.of(OrganisationId(id)).unwrap()));
    }
    assert_eq!(directory.len(), 3);
    let whole = directory.snapshot();
    assert_eq!((whole.name, whole.handled, whole.state), ("ledger", 3, ActorState::Running));
}

#[actix::test]
async fn the_worst_member_is_what_the_directory_shows() {
    let clock = Arc::new(ManualClock::at_ms(0));
    let (directory, _arbiters) = directory(clock.clone());
    let idle = directory.of(OrganisationId(1)).unwrap();
    idle.ask(AtOnce(Order::Count)).await.unwrap();
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let stuck = directory.of(OrganisationId(2)).unwrap();
    let working = tokio::spawn(stuck.ask(Alone(Order::Wait(Arc::clone(&gate)), DEADLINE)));
    while stuck.stats().in_flight() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(directory.check(), ActorState::Busy);
    clock.advance_ms(120_001);
    assert_eq!(directory.check(), ActorState::Hung);
    let whole = directory.snapshot();
    assert_eq!(
        (whole.state, whole.busy_for_ms, whole.queue_depth, whole.queue_capacity),
        (ActorState::Hung, 120_001, 1, 4)
    );
    gate.add_permits(1);
    working.await.unwrap().unwrap();
}

#[actix::test]
async fn a_thousand_racing_first_questions_make_one_actor() {
    let (directory, _arbiters) = directory(Arc::new(ManualClock::at_ms(0)));
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let directory = Arc::clone(&directory);
            std::thread::spawn(move || (0..125).map(|_| directory.of(OrganisationId(5)).unwrap()).collect::<Vec<_>>())
        })
        .collect();
    let slots: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    assert!(slots.iter().all(|slot| Arc::ptr_eq(slot, &slots[0])));
    assert_eq!((directory.len(), slots[0].stats().generation()), (1, 1));
}
