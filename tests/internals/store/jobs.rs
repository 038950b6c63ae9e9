//! A job's life: submitted, claimed, finished and charged exactly once.

use bookkeeping_suite::domain::idempotency::StoredResponse;
use bookkeeping_suite::domain::ids::{JobId, UserId};
use bookkeeping_suite::domain::job::{JobFailure, JobStatus};
use bookkeeping_suite::store::{Claim, Finish, Finished, Idempotency, JobRow, PART_BYTES_MAX, RunEnd, Submitted};

use super::fixture::{LEASE_MS, PRODUCT, StoreFixture, completed, quiet, recording, store_suite};

store_suite![
    a_job_is_submitted_claimed_finished_and_charged,
    a_job_ends_and_the_next_begins_in_one_commit,
    racing_finishers_charge_once,
    two_processes_share_the_work_and_charge_once,
    twenty_jobs_on_credits_for_two,
    an_unverified_job_is_free,
    large_payloads_and_results_travel_in_parts,
    an_idempotency_key_replays,
    a_failed_job_says_why,
    only_the_owner_sees_a_job,
    ended_jobs_are_deleted_after_retention,
    orphans_are_swept,
];

async fn view(bed: &StoreFixture, id: &JobId, user: UserId) -> JobRow {
    bed.store.reader.find_visible(PRODUCT, id, user).await.unwrap().unwrap()
}

async fn a_job_is_submitted_claimed_finished_and_charged(bed: &StoreFixture) {
    let user = bed.user(10, 5).await;
    let id = bed.submit(user, 12).await;
    let queued = view(bed, &id, user).await;
    assert_eq!((queued.status, queued.rows_total, queued.result), (JobStatus::Queued, 12, None));
    bed.assert_sound().await;

    let job = bed.claim().await;
    assert_eq!((&job.id, job.attempt, job.payload.as_deref()), (&id, 1, Some(b"payload".as_slice())));
    assert_eq!(view(bed, &id, user).await.status, JobStatus::Processing);
    assert!(matches!(
        bed.store.writer.claim(PRODUCT, "other", LEASE_MS, quiet()).await,
        Ok(Claim::HeldElsewhere { .. })
    ));
    bed.assert_sound().await;

    let (publish, published) = recording();
    let finished = bed.store.writer.finish(completed(&job, 12, b"result"), publish).await.unwrap();
    assert!(matches!(finished, Finished::Completed { credits_charged: 12, .. }), "{finished:?}");
    let account = bed.account(user).await;
    assert_eq!((account.monthly, account.bonus), (0, 3));
    let (_, epoch) = bed.store.reader.credit_account_at(user).await.unwrap().unwrap();
    assert_eq!(published.lock().unwrap().as_slice(), [(user, account, epoch)]);
    assert_eq!(bed.store.reader.epochs().await.unwrap().credits, epoch);
    let done = view(bed, &id, user).await;
    assert_eq!((done.status, done.credits_charged), (JobStatus::Completed, Some(12)));
    assert_eq!((done.result.as_deref(), done.result_size), (Some(b"result".as_slice()), 6));
    assert_eq!(bed.store.reader.payload_part(&id, 0).await.unwrap(), None);
    assert!(matches!(bed.store.writer.claim(PRODUCT, "me", LEASE_MS, quiet()).await, Ok(Claim::Nothing)));
    bed.assert_sound().await;
}

async fn a_job_ends_and_the_next_begins_in_one_commit(bed: &StoreFixture) {
    let user = bed.user(20, 0).await;
    let (first, second) = (bed.submit(user, 12).await, bed.submit(user, 8).await);
    let poor = bed.user(1, 0).await;
    let unpaid = bed.submit(poor, 2).await;
    let job = bed.claim().await;
    assert_eq!(job.id, first);

    let (publish, published) = recording();
    let next = bed.store.writer.finish_and_claim(completed(&job, 12, b"result"), "me", LEASE_MS, publish).await;
    let (Finished::Completed { credits_charged: 12, .. }, Some(claim)) = next.unwrap() else { panic!("it is paid") };
    // People take turns.
    assert!(matches!(claim, Claim::Unpaid(ref job, _) if job.id == unpaid), "{claim:?}");
    assert_eq!(view(bed, &first, user).await.status, JobStatus::Completed);
    assert_eq!(view(bed, &unpaid, poor).await.status, JobStatus::Failed);
    let account = bed.account(user).await;
    assert_eq!(published.lock().unwrap().last().map(|(user, account, _)| (*user, *account)), Some((user, account)));
    bed.assert_sound().await;

    let job = bed.claim().await;
    assert_eq!((&job.id, bed.account(user).await.reserved), (&second, 8));
    let next = bed.store.writer.finish_and_claim(completed(&job, 8, b"result"), "me", LEASE_MS, quiet()).await.unwrap();
    assert!(matches!(next, (Finished::Completed { credits_charged: 8, .. }, Some(Claim::Nothing))), "{next:?}");
    assert_eq!(bed.account(user).await.reserved, 0);

    // Who lost the slot ends nothing and takes nothing.
    bed.submit(user, 1).await;
    let lost = bed.store.writer.finish_and_claim(completed(&job, 8, b"again"), "other", LEASE_MS, quiet()).await;
    assert!(matches!(lost, Ok((Finished::Zombie, Some(Claim::HeldElsewhere { .. })))), "{lost:?}");
    bed.assert_sound().await;
}

async fn racing_finishers_charge_once(bed: &StoreFixture) {
    let user = bed.user(100, 0).await;
    bed.submit(user, 7).await;
    let job = bed.claim().await;
    let second_process = bed.second_process().await;
    let finish = |at: usize| {
        let writer = if at.is_multiple_of(2) { bed.store.writer.clone() } else { second_process.writer.clone() };
        let finish = completed(&job, 7, b"result");
        tokio::spawn(async move { writer.finish(finish, quiet()).await.unwrap() })
    };
    let racing: Vec<_> = (0..8).map(finish).collect();
    let mut paid = 0;
    for racer in racing {
        match racer.await.unwrap() {
            Finished::Completed { credits_charged, .. } => paid += credits_charged,
            Finished::Zombie => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(paid, 7);
    assert_eq!(bed.account(user).await.monthly, 93);
    second_process.close().await;
    bed.assert_sound().await;
}

async fn two_processes_share_the_work_and_charge_once(bed: &StoreFixture) {
    const JOBS: i64 = 60;
    let user = bed.user(JOBS + 5, 0).await;
    for _ in 0..JOBS {
        bed.submit(user, 1).await;
    }
    let second_process = bed.second_process().await;
    let work = |store: bookkeeping_suite::store::Store, holder: &'static str| {
        tokio::spawn(async move {
            let mut paid = 0;
            loop {
                match store.writer.claim(PRODUCT, holder, LEASE_MS, quiet()).await.unwrap() {
                    Claim::Job(job) => {
                        let finished = store.writer.finish(completed(&job, 1, b"result"), quiet()).await.unwrap();
                        assert!(matches!(finished, Finished::Completed { .. }), "{finished:?}");
                        paid += 1;
                        store.writer.release_slot(PRODUCT, holder).await.unwrap();
                    }
                    Claim::HeldElsewhere { .. } => tokio::task::yield_now().await,
                    Claim::Nothing => return paid,
                    Claim::Unpaid(job, failure) => panic!("{}: {failure:?}", job.id),
                }
            }
        })
    };
    let (one, two) = (work(bed.store.clone(), "one"), work(second_process.clone(), "two"));
    let submitting = {
        let (writer, late) = (second_process.writer.clone(), bed.job(user, 1));
        tokio::spawn(async move { writer.submit(late, vec![b"p".to_vec()]).await.unwrap() })
    };
    assert!(matches!(submitting.await.unwrap(), Submitted::Accepted { .. }));
    let paid = one.await.unwrap() + two.await.unwrap();
    assert!(paid == JOBS + 1 || paid == JOBS, "{paid}");
    assert_eq!(bed.account(user).await.monthly, JOBS + 5 - paid);
    second_process.close().await;
    bed.assert_sound().await;
}

async fn twenty_jobs_on_credits_for_two(bed: &StoreFixture) {
    let user = bed.user(10, 0).await;
    let mut submissions = Vec::new();
    for _ in 0..20 {
        let (writer, job) = (bed.store.writer.clone(), bed.job(user, 5));
        submissions.push(tokio::spawn(async move { writer.submit(job, vec![b"payload".to_vec()]).await.unwrap() }));
    }
    for submission in submissions {
        assert!(matches!(submission.await.unwrap(), Submitted::Accepted { .. }));
    }
    let (mut paid, mut refused) = (0, 0);
    for _ in 0..20 {
        match bed.store.writer.claim(PRODUCT, "me", LEASE_MS, quiet()).await.unwrap() {
            Claim::Job(job) => {
                let finished = bed.finish(&job, 5).await;
                assert!(matches!(finished, Finished::Completed { credits_charged: 5, .. }), "{finished:?}");
                paid += 1;
            }
            Claim::Unpaid(job, failure) => {
                assert_eq!(failure, JobFailure::InsufficientCredits { required: 5, available: 0 });
                let row = view(bed, &job.id, user).await;
                assert_eq!((row.status, row.failure, row.started_at_ms), (JobStatus::Failed, Some(failure), None));
                assert!(bed.store.reader.payload_part(&job.id, 0).await.unwrap().is_none());
                refused += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((paid, refused), (2, 18));
    assert_eq!(bed.account(user).await.available(), 0);
    bed.assert_sound().await;
}

async fn an_unverified_job_is_free(bed: &StoreFixture) {
    let user = bed.user(1_000, 0).await;
    let id = bed.submit(user, 1_000).await;
    let job = bed.claim().await;
    assert_eq!(bed.account(user).await.available(), 0);
    let finished = bed.finish(&job, 0).await;
    assert_eq!(bed.account(user).await.available(), 1_000);
    assert!(matches!(finished, Finished::Completed { credits_charged: 0, .. }), "{finished:?}");
    assert_eq!(view(bed, &id, user).await.credits_charged, Some(0));
    assert_eq!(bed.account(user).await.monthly, 1_000);
    bed.assert_sound().await;
}

async fn large_payloads_and_results_travel_in_parts(bed: &StoreFixture) {
    let user = bed.user(10, 0).await;
    let part = |fill: u8| vec![fill; 300_000];
    let job = bed.job(user, 1);
    let id = job.id.clone();
    let outcome = bed.store.writer.submit(job, vec![part(1), part(2), part(3)]).await.unwrap();
    assert!(matches!(outcome, Submitted::Accepted { .. }));
    let job = bed.claim().await;
    assert_eq!((job.payload_parts, job.payload.clone()), (3, None));
    assert_eq!(bed.store.reader.payload_part(&id, 1).await.unwrap(), Some(part(2)));

    assert!(bed.store.writer.put_result(&id, job.fence, 0, part(7)).await.unwrap());
    assert!(!bed.store.writer.put_result(&id, job.fence + 1, 1, part(9)).await.unwrap());
    let too_large = vec![0; PART_BYTES_MAX + 1];
    assert!(bed.store.writer.put_result(&id, job.fence, 1, too_large).await.is_err());
    let finish = Finish {
        job_id: id.clone(),
        product: PRODUCT,
        fence: job.fence,
        end: RunEnd::Completed {
            cost: 1,
            result: vec![part(8)],
            parts_written: 1,
            result_size: 5_000_000,
            suggestions: None,
        },
    };
    assert!(matches!(bed.store.writer.finish(finish, quiet()).await, Ok(Finished::Completed { .. })));
    let done = view(bed, &id, user).await;
    assert_eq!((done.result_parts, done.result), (2, None));
    assert_eq!(bed.store.reader.result_part(&id, 0).await.unwrap(), Some(part(7)));
    assert_eq!(bed.store.reader.result_part(&id, 1).await.unwrap(), Some(part(8)));
    assert_eq!(bed.store.reader.result_part(&id, 2).await.unwrap(), None);
    assert_eq!(bed.store.reader.payload_part(&id, 0).await.unwrap(), None);
    bed.assert_sound().await;
}

async fn an_idempotency_key_replays(bed: &StoreFixture) {
    let user = bed.user(10, 0).await;
    let idempotency = |hash: u8| Idempotency {
        method: "POST".to_owned(),
        path: "/api/v1/reconciliations".to_owned(),
        key: "once".to_owned(),
        body_hash: [hash; 32],
        status: 202,
        body: b"first".to_vec(),
        retention_ms: 1_000,
    };
    let submit = |hash: u8| {
        let job = bookkeeping_suite::store::NewJob { idempotency: Some(idempotency(hash)), ..bed.job(user, 1) };
        let writer = bed.store.writer.clone();
        tokio::spawn(async move { writer.submit(job, vec![vec![hash; 200_000]]).await.unwrap() })
    };
    let twice = [submit(1), submit(1)];
    let mut accepted = 0;
    for answer in twice {
        match answer.await.unwrap() {
            Submitted::Accepted { .. } => accepted += 1,
            Submitted::Replayed(StoredResponse { status: 202, body, .. }) => assert_eq!(body, b"first"),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(accepted, 1);
    assert_eq!(submit(2).await.unwrap(), Submitted::KeyReused);
    let replay = bed.store.reader.find_replay(user, "POST", "/api/v1/reconciliations", "once").await.unwrap();
    assert_eq!(replay.map(|replay| replay.body_hash), Some([1; 32]));
    bed.assert_sound().await;

    bed.clock.advance_ms(1_001);
    assert!(matches!(submit(2).await.unwrap(), Submitted::Accepted { .. }));
    assert_eq!(bed.store.reader.epochs().await.unwrap().reconciliation.queue.waiting, 2);

    let full = bookkeeping_suite::store::NewJob {
        idempotency: Some(Idempotency { key: "full".to_owned(), ..idempotency(3) }),
        capacity: 2,
        ..bed.job(user, 1)
    };
    assert_eq!(bed.store.writer.submit(full, vec![b"payload".to_vec()]).await.unwrap(), Submitted::QueueFull);
    let replay = bed.store.reader.find_replay(user, "POST", "/api/v1/reconciliations", "full").await.unwrap();
    assert_eq!(replay, None);
    bed.clock.advance_ms(1_001);
    bed.clock.set_wall_ms(bed.store.now_ms() - 1_000_000);
    assert_eq!(bed.store.writer.delete_expired(i64::MAX).await.unwrap().responses, 1);
    bed.assert_sound().await;
}

async fn a_failed_job_says_why(bed: &StoreFixture) {
    let user = bed.user(10, 0).await;
    for failure in [JobFailure::DeadlineExceeded, JobFailure::EngineFailed] {
        let id = bed.submit(user, 1).await;
        let job = bed.claim().await;
        assert!(bed.store.writer.put_result(&id, job.fence, 0, b"half".to_vec()).await.unwrap());
        let end = RunEnd::Failed(failure.clone());
        let finish = Finish { job_id: id.clone(), product: PRODUCT, fence: job.fence, end };
        let finished = bed.store.writer.finish(finish, quiet()).await.unwrap();
        assert_eq!(finished, Finished::Failed { user_id: user, failure: failure.clone() });
        let row = view(bed, &id, user).await;
        assert_eq!((row.status, row.failure, row.credits_charged), (JobStatus::Failed, Some(failure), None));
        assert_eq!(bed.store.reader.result_part(&id, 0).await.unwrap(), None);
    }
    bed.assert_sound().await;
}

async fn only_the_owner_sees_a_job(bed: &StoreFixture) {
    let (owner, stranger) = (bed.user(10, 0).await, bed.user(10, 0).await);
    let id = bed.submit(owner, 1).await;
    let reader = &bed.store.reader;
    assert!(reader.find_visible(PRODUCT, &id, owner).await.unwrap().is_some());
    assert!(reader.find_visible(PRODUCT, &id, stranger).await.unwrap().is_none());
    let other_product = bookkeeping_suite::domain::job::Product::Coding;
    assert!(reader.find_visible(other_product, &id, owner).await.unwrap().is_none());
    assert_eq!(reader.open_jobs(owner).await.unwrap().len(), 1);
    assert!(reader.open_jobs(stranger).await.unwrap().is_empty());
}

async fn ended_jobs_are_deleted_after_retention(bed: &StoreFixture) {
    let user = bed.user(10, 0).await;
    let old = bed.submit(user, 1).await;
    bed.finish(&bed.claim().await, 1).await;
    bed.clock.advance_ms(10_000);
    let young = bed.submit(user, 1).await;
    bed.finish(&bed.claim().await, 1).await;
    let open = bed.submit(user, 1).await;
    bed.clock.advance_ms(5_000);
    let deleted = bed.store.writer.delete_expired(10_000).await.unwrap();
    assert_eq!((deleted.jobs, deleted.more), (1, false));
    let reader = &bed.store.reader;
    assert!(reader.find_visible(PRODUCT, &old, user).await.unwrap().is_none());
    assert_eq!(reader.result_part(&old, 0).await.unwrap(), None);
    assert!(reader.find_visible(PRODUCT, &young, user).await.unwrap().is_some());
    assert!(reader.find_visible(PRODUCT, &open, user).await.unwrap().is_some());
    assert_eq!(bed.account(user).await.monthly, 8);
    bed.assert_sound().await;
}

async fn orphans_are_swept(bed: &StoreFixture) {
    let user = bed.user(10, 0).await;
    let open = bed.submit(user, 1).await;
    let orphan = bed.job(user, 1).id;
    bed.store.writer.put_payload(&orphan, 0, b"lost".to_vec()).await.unwrap();
    let swept = bed.store.writer.sweep_orphans(&bed.store.reader, 60_000).await.unwrap();
    assert_eq!(swept.payload_parts, 0, "a submission may still be on its way");
    bed.clock.advance_ms(60_001);
    let swept = bed.store.writer.sweep_orphans(&bed.store.reader, 60_000).await.unwrap();
    assert_eq!((swept.payload_parts, swept.result_parts), (1, 0));
    assert!(bed.store.reader.payload_part(&open, 0).await.unwrap().is_some());
    assert!(bed.store.reader.payload_part(&orphan, 0).await.unwrap().is_none());
}
