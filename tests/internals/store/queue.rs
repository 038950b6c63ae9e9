//! The slot and the queue: capacity, order, leases, fences, giving back.

use std::sync::Arc;

use bookkeeping_suite::clock::ManualClock;
use bookkeeping_suite::domain::job::{JobFailure, JobStatus, Product};
use bookkeeping_suite::store::{Claim, Finished, MailSlot, NewJob, QueueState, Store, StoreOptions, Submitted};

use super::fixture::{LEASE_MS, PRODUCT, START_MS, StoreFixture, completed, quiet, store_suite};

store_suite![
    a_full_queue_refuses_and_leaves_nothing,
    jobs_run_in_order_of_submission,
    people_take_turns,
    nobody_has_more_waiting_than_their_share,
    two_processes_keep_to_one_share,
    a_silent_process_loses_its_slot,
    a_requeued_job_goes_to_the_front,
    a_job_started_too_often_fails,
    a_restart_gives_running_jobs_back,
    an_orphaned_claim_is_given_back,
    products_do_not_wait_for_each_other,
    a_released_slot_is_free,
];

async fn a_full_queue_refuses_and_leaves_nothing(bed: &StoreFixture) {
    let user = bed.user(10, 0).await;
    let submit = |capacity: i64, payload: Vec<Vec<u8>>| {
        let job = bookkeeping_suite::store::NewJob { capacity, ..bed.job(user, 1) };
        let writer = bed.store.writer.clone();
        async move { (job.id.clone(), writer.submit(job, payload).await.unwrap()) }
    };
    for _ in 0..2 {
        assert!(matches!(submit(2, vec![b"p".to_vec()]).await.1, Submitted::Accepted { .. }));
    }
    for payload in [vec![b"p".to_vec()], vec![vec![1; 200_000], vec![2; 200_000]]] {
        let (id, outcome) = submit(2, payload).await;
        assert_eq!(outcome, Submitted::QueueFull);
        assert!(bed.store.reader.find_visible(PRODUCT, &id, user).await.unwrap().is_none());
        assert!(bed.store.reader.payload_part(&id, 0).await.unwrap().is_none());
    }
    bed.claim().await;
    assert!(matches!(
        submit(2, vec![b"p".to_vec()]).await.1,
        Submitted::Accepted { queue: QueueState { waiting: 2, .. }, .. }
    ));
    bed.assert_sound().await;
}

async fn jobs_run_in_order_of_submission(bed: &StoreFixture) {
    let user = bed.user(100, 0).await;
    let mut expected = Vec::new();
    for _ in 0..5 {
        expected.push(bed.submit(user, 1).await);
    }
    for id in expected {
        let job = bed.claim().await;
        assert_eq!(job.id, id);
        bed.finish(&job, 1).await;
    }
    bed.assert_sound().await;
}

async fn people_take_turns(bed: &StoreFixture) {
    let (first, second, third) = (bed.user(100, 0).await, bed.user(100, 0).await, bed.user(100, 0).await);
    let mut waiting = Vec::new();
    for user in [first, first, first, first, second, second, third] {
        waiting.push((user, bed.submit(user, 1).await));
    }
    let mut taken = Vec::new();
    for _ in 0..3 {
        let job = bed.claim().await;
        taken.push((job.user_id, job.id.clone()));
        bed.finish(&job, 1).await;
    }
    // Who comes later waits for the round, not for all who came before.
    waiting.push((third, bed.submit(third, 1).await));
    while let Ok(Claim::Job(job)) = bed.store.writer.claim(PRODUCT, "me", LEASE_MS, quiet()).await {
        taken.push((job.user_id, job.id.clone()));
        bed.finish(&job, 1).await;
    }
    let turns: Vec<_> = taken.iter().map(|(user, _)| *user).collect();
    assert_eq!(turns, [first, second, third, first, second, third, first, first]);
    for user in [first, second, third] {
        let of_user = |jobs: &[_]| -> Vec<_> { jobs.iter().filter(|(of, _)| *of == user).cloned().collect() };
        assert_eq!(of_user(&taken), of_user(&waiting), "the oldest of a person's is first");
    }
    bed.assert_sound().await;
}

async fn nobody_has_more_waiting_than_their_share(bed: &StoreFixture) {
    let (greedy, other) = (bed.user(100, 0).await, bed.user(100, 0).await);
    let submit = async |user| {
        let job = NewJob { capacity: 5, share: 2, ..bed.job(user, 1) };
        let id = job.id.clone();
        (id, bed.store.writer.submit(job, vec![b"p".to_vec()]).await.unwrap())
    };
    let fills = async |user| match submit(user).await.1 {
        Submitted::Accepted { fills_share, .. } => fills_share,
        refused => panic!("{refused:?}"),
    };
    assert!(!fills(greedy).await);
    assert!(fills(greedy).await);
    let (id, refused) = submit(greedy).await;
    assert!(matches!(refused, Submitted::ShareFull(QueueState { waiting: 2, .. })), "{refused:?}");
    assert!(bed.store.reader.find_visible(PRODUCT, &id, greedy).await.unwrap().is_none());
    assert!(bed.store.reader.payload_part(&id, 0).await.unwrap().is_none());
    bed.assert_sound().await;
    assert!(!fills(other).await);
    assert!(matches!(submit(greedy).await.1, Submitted::ShareFull(_)));
    // The one that is taken no longer counts.
    assert_eq!(bed.claim().await.user_id, greedy);
    assert!(fills(greedy).await);
    assert!(matches!(submit(greedy).await.1, Submitted::ShareFull(_)));
    bed.assert_sound().await;
}

async fn two_processes_keep_to_one_share(bed: &StoreFixture) {
    const SHARE: i64 = 7;
    let user = bed.user(100, 0).await;
    let second_process = bed.second_process().await;
    let submissions: Vec<_> = (0..40_usize)
        .map(|at| {
            let writer = if at.is_multiple_of(2) { &bed.store.writer } else { &second_process.writer };
            let (writer, job) = (writer.clone(), NewJob { capacity: 100, share: SHARE, ..bed.job(user, 1) });
            tokio::spawn(async move { writer.submit(job, vec![b"p".to_vec()]).await.unwrap() })
        })
        .collect();
    let mut accepted = 0;
    for submission in submissions {
        match submission.await.unwrap() {
            Submitted::Accepted { .. } => accepted += 1,
            Submitted::ShareFull(_) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(accepted, SHARE);
    second_process.close().await;
    bed.assert_sound().await;
}

async fn a_silent_process_loses_its_slot(bed: &StoreFixture) {
    let user = bed.user(100, 0).await;
    let id = bed.submit(user, 1).await;
    let zombie = bed.claim().await;
    let writer = &bed.store.writer;
    bed.clock.advance_ms(LEASE_MS - 1);
    assert!(writer.heartbeat(PRODUCT, "me", zombie.fence, LEASE_MS).await.unwrap());
    bed.clock.advance_ms(LEASE_MS - 1);
    let Ok(Claim::HeldElsewhere { lease_until_ms }) = writer.claim(PRODUCT, "other", LEASE_MS, quiet()).await else {
        panic!("the heartbeat extended the lease");
    };
    assert_eq!(lease_until_ms, bed.store.now_ms() + 1);
    bed.clock.advance_ms(2);
    let Ok(Claim::Job(taken)) = writer.claim(PRODUCT, "other", LEASE_MS, quiet()).await else {
        panic!("the lease ran out")
    };
    assert_eq!((&taken.id, taken.attempt), (&id, 2));
    assert!(taken.fence > zombie.fence);

    assert!(!writer.heartbeat(PRODUCT, "me", zombie.fence, LEASE_MS).await.unwrap());
    assert!(!writer.put_result(&id, zombie.fence, 0, b"stale".to_vec()).await.unwrap());
    assert!(writer.requeue(PRODUCT, &id, zombie.fence, quiet()).await.unwrap().zombie);
    assert_eq!(bed.finish(&zombie, 1).await, Finished::Zombie);
    assert_eq!(bed.account(user).await.monthly, 100);
    assert!(matches!(bed.finish(&taken, 1).await, Finished::Completed { .. }));
    assert_eq!(bed.account(user).await.monthly, 99);
    bed.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_process_holds_or_takes_anything_because_its_clock_is_wrong() {
    const DAY_MS: i64 = 24 * 60 * 60 * 1000;
    let Some(bed) = StoreFixture::postgres().await else { return };
    let clocks = [0, 1].map(|_| Arc::new(ManualClock::at_ms(START_MS)));
    let open =
        |clock: &Arc<ManualClock>| Store::open(StoreOptions::new(bed.url.as_str()), Arc::<ManualClock>::clone(clock));
    let (holder, other) = (open(&clocks[0]).await.unwrap(), open(&clocks[1]).await.unwrap());
    let user = bed.user(100, 0).await;
    let left_ms = async || {
        let epochs = other.reader.epochs().await.unwrap();
        epochs.slot(PRODUCT).lease_until_ms - epochs.lease_now_ms
    };
    let claim = async |store: &Store, name| store.writer.claim(PRODUCT, name, LEASE_MS, quiet()).await.unwrap();
    for off_ms in [DAY_MS, -DAY_MS] {
        bed.submit(user, 1).await;
        clocks[0].set_wall_ms(START_MS + off_ms);
        let Claim::Job(job) = claim(&holder, "me").await else { panic!("the slot is free") };
        assert!((1..=LEASE_MS).contains(&left_ms().await), "{off_ms}");
        assert!(holder.writer.heartbeat(PRODUCT, "me", job.fence, LEASE_MS).await.unwrap());
        assert!((1..=LEASE_MS).contains(&left_ms().await), "{off_ms}");
        clocks[1].set_wall_ms(START_MS - off_ms);
        assert!(matches!(claim(&other, "other").await, Claim::HeldElsewhere { .. }), "{off_ms}");
        clocks[1].set_wall_ms(START_MS + off_ms);
        assert!(matches!(claim(&other, "other").await, Claim::HeldElsewhere { .. }), "{off_ms}");
        assert!(matches!(bed.finish(&job, 1).await, Finished::Completed { .. }));
        holder.writer.release_slot(PRODUCT, "me").await.unwrap();
        let sending = holder.writer.take_mail_slot("me", LEASE_MS, false).await.unwrap();
        assert!(matches!(sending, MailSlot::Held { .. }), "{off_ms}");
        let sending = other.writer.take_mail_slot("other", LEASE_MS, false).await.unwrap();
        assert!(matches!(sending, MailSlot::HeldElsewhere { .. }), "{off_ms}");
        holder.writer.release_mail_slot("me").await.unwrap();
    }
    // The clock of the database was a day ahead and is right again.
    bed.submit(user, 1).await;
    let Claim::Job(_) = claim(&holder, "me").await else { panic!("the slot is free") };
    assert!(!other.is_too_long(left_ms().await, LEASE_MS));
    bed.tamper(&format!("update product_slot set lease_until = lease_until + {DAY_MS}")).await;
    assert!(other.is_too_long(left_ms().await, LEASE_MS));
    assert!(other.writer.shorten_leases(LEASE_MS).await.unwrap() > 0);
    assert!((1..=LEASE_MS).contains(&left_ms().await));
    for store in [&holder, &other, &bed.store] {
        store.close().await;
    }
}

async fn a_requeued_job_goes_to_the_front(bed: &StoreFixture) {
    let user = bed.user(100, 0).await;
    let first = bed.submit(user, 1).await;
    let second = bed.submit(user, 1).await;
    let job = bed.claim().await;
    let requeued = bed.store.writer.requeue(PRODUCT, &job.id, job.fence, quiet()).await.unwrap();
    assert_eq!(requeued.queued, [(first.clone(), user)]);
    assert_eq!(bed.finish(&job, 1).await, Finished::Zombie);
    bed.assert_sound().await;
    for id in [first, second] {
        let job = bed.claim().await;
        assert_eq!(job.id, id);
        bed.finish(&job, 1).await;
    }
}

async fn a_job_started_too_often_fails(bed: &StoreFixture) {
    let user = bed.user(100, 0).await;
    let id = bed.submit(user, 1).await;
    for attempt in 1..=3 {
        let job = bed.claim().await;
        assert_eq!(job.attempt, attempt);
        // Given back by a stop it is as if it had not been started.
        let requeued = bed.store.writer.requeue(PRODUCT, &job.id, job.fence, quiet()).await.unwrap();
        assert_eq!(requeued.queued, [(id.clone(), user)]);
        assert_eq!(bed.claim().await.attempt, attempt);
        // Whoever claims takes the one that was not ended for interrupted.
    }
    assert!(matches!(bed.store.writer.claim(PRODUCT, "me", LEASE_MS, quiet()).await, Ok(Claim::Nothing)));
    let row = bed.store.reader.find_visible(PRODUCT, &id, user).await.unwrap().unwrap();
    assert_eq!((row.status, row.failure), (JobStatus::Failed, Some(JobFailure::EngineFailed)));
    assert!(bed.store.reader.payload_part(&id, 0).await.unwrap().is_none());
    bed.assert_sound().await;
}

async fn a_restart_gives_running_jobs_back(bed: &StoreFixture) {
    let user = bed.user(100, 0).await;
    let (running, waiting) = (bed.submit(user, 1).await, bed.submit(user, 1).await);
    let before = bed.claim().await;
    let recovered = bed.store.writer.recover("next", LEASE_MS).await.unwrap();
    if bed.store.is_shared() {
        assert!(recovered.is_empty(), "the other process may be well");
        return;
    }
    let given_back: Vec<_> = recovered.into_iter().flat_map(|(_, requeued)| requeued.queued).collect();
    assert_eq!(given_back, [(running.clone(), user)]);
    assert_eq!(bed.finish(&before, 1).await, Finished::Zombie);
    for id in [running, waiting] {
        let Ok(Claim::Job(job)) = bed.store.writer.claim(PRODUCT, "next", LEASE_MS, quiet()).await else {
            panic!("two wait")
        };
        assert_eq!(job.id, id);
        assert!(matches!(bed.finish(&job, 1).await, Finished::Completed { .. }));
    }
    bed.assert_sound().await;
}

async fn an_orphaned_claim_is_given_back(bed: &StoreFixture) {
    let user = bed.user(100, 0).await;
    let (lost, next) = (bed.submit(user, 1).await, bed.submit(user, 1).await);
    // The answer to this claim never arrived.
    assert_eq!(bed.claim().await.id, lost);
    let job = bed.claim().await;
    assert_eq!(job.id, next);
    bed.assert_sound().await;
    bed.finish(&job, 1).await;
    let again = bed.claim().await;
    assert_eq!((again.id.clone(), again.attempt), (lost.clone(), 2));
    // And once more, with nothing else waiting.
    let again = bed.claim().await;
    assert_eq!((again.id.clone(), again.attempt), (lost, 3));
    let finish = completed(&again, 1, b"result");
    assert!(matches!(bed.store.writer.finish(finish, quiet()).await, Ok(Finished::Completed { .. })));
    bed.assert_sound().await;
}

async fn products_do_not_wait_for_each_other(bed: &StoreFixture) {
    let user = bed.user(100, 0).await;
    bed.submit(user, 1).await;
    let coding = bookkeeping_suite::store::NewJob { product: Product::Coding, ..bed.job(user, 1) };
    bed.store.writer.submit(coding, vec![b"p".to_vec()]).await.unwrap();
    bed.claim().await;
    let claim = bed.store.writer.claim(Product::Coding, "another", LEASE_MS, quiet()).await.unwrap();
    assert!(matches!(claim, Claim::Job(_)), "{claim:?}");
    bed.assert_sound().await;
}

async fn a_released_slot_is_free(bed: &StoreFixture) {
    let user = bed.user(100, 0).await;
    bed.submit(user, 1).await;
    bed.submit(user, 1).await;
    bed.finish(&bed.claim().await, 1).await;
    let claim = bed.store.writer.claim(PRODUCT, "other", LEASE_MS, quiet()).await.unwrap();
    assert!(matches!(claim, Claim::HeldElsewhere { .. }), "{claim:?}");
    bed.store.writer.release_slot(PRODUCT, "me").await.unwrap();
    let claim = bed.store.writer.claim(PRODUCT, "other", LEASE_MS, quiet()).await.unwrap();
    assert!(matches!(claim, Claim::Job(_)), "{claim:?}");
}
