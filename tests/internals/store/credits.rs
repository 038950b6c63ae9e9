//! Credits: grants, months, and the check that finds what does not add up.

use bookkeeping_suite::domain::date::Month;
use bookkeeping_suite::domain::job::{JobFailure, Product};
use bookkeeping_suite::store::{Claim, Finish, Finished, NewJob, RunEnd};

use super::fixture::{LEASE_MS, PRODUCT, START_MS, StoreFixture, quiet, recording, store_suite};

store_suite![
    grants_are_recorded,
    a_charge_in_a_new_month_renews_first,
    months_are_renewed_in_batches,
    overage_is_billed_when_all_allow_it,
    check_finds_planted_differences,
    what_a_job_costs_is_reserved_while_it_runs,
    products_do_not_reserve_the_same_credits,
    a_reservation_outlives_the_month,
];

const DAY_MS: i64 = 86_400_000;

async fn grants_are_recorded(bed: &StoreFixture) {
    let user = bed.user(10, 1).await;
    let before = bed.store.reader.epochs().await.unwrap().credits;
    let account = bed.store.writer.grant_bonus(user, 5, "sorry".to_owned()).await.unwrap().unwrap();
    assert_eq!(account, bed.account(user).await);
    assert_eq!((account.monthly, account.bonus), (10, 6));
    let movements = bed.store.reader.credit_movements(user).await.unwrap();
    let kinds: Vec<_> = movements.iter().map(|movement| (movement.kind.as_str(), movement.note.as_deref())).collect();
    assert_eq!(kinds, [("opening", None), ("bonus_grant", Some("sorry"))]);
    assert_eq!(bed.store.reader.accounts_changed_after(before).await.unwrap(), [(user, account, before + 1)]);
    let nobody = bookkeeping_suite::domain::ids::UserId(9_999);
    assert_eq!(bed.store.writer.grant_bonus(nobody, 5, String::new()).await.unwrap(), None);
    bed.assert_sound().await;
}

async fn a_charge_in_a_new_month_renews_first(bed: &StoreFixture) {
    let user = bed.user(10, 0).await;
    bed.submit(user, 8).await;
    bed.finish(&bed.claim().await, 8).await;
    bed.clock.advance_ms(20 * DAY_MS);
    bed.submit(user, 7).await;
    let finished = bed.finish(&bed.claim().await, 7).await;
    assert!(matches!(finished, Finished::Completed { .. }), "{finished:?}");
    let account = bed.account(user).await;
    assert_eq!((account.monthly, account.period), (3, Month::of_ms(START_MS + 20 * DAY_MS)));
    let movements = bed.store.reader.credit_movements(user).await.unwrap();
    let renewal = movements.iter().find(|movement| movement.kind == "monthly_renewal").unwrap();
    assert_eq!((renewal.reference.clone(), renewal.change.monthly), (format!("{user}:2026-12"), 8));
    assert_eq!(bed.store.writer.renew_months(bed.store.now_ms()).await.unwrap(), 0);
    bed.assert_sound().await;
}

async fn months_are_renewed_in_batches(bed: &StoreFixture) {
    let mut users = Vec::new();
    for _ in 0..3 {
        users.push(bed.user(10, 2).await);
    }
    bed.submit(users[0], 11).await;
    bed.finish(&bed.claim().await, 11).await;
    let epoch = bed.store.reader.epochs().await.unwrap().credits;
    assert_eq!(bed.store.writer.renew_months(bed.store.now_ms()).await.unwrap(), 0);
    assert_eq!(bed.store.reader.epochs().await.unwrap().credits, epoch);
    bed.clock.advance_ms(20 * DAY_MS);
    assert_eq!(bed.store.writer.renew_months(bed.store.now_ms()).await.unwrap(), 3);
    assert_eq!(bed.store.writer.renew_months(bed.store.now_ms()).await.unwrap(), 0);
    assert_eq!(bed.store.reader.accounts_changed_after(epoch).await.unwrap().len(), 3);
    let account = bed.account(users[0]).await;
    assert_eq!((account.monthly, account.bonus), (10, 1));
    bed.assert_sound().await;
}

async fn overage_is_billed_when_all_allow_it(bed: &StoreFixture) {
    let user = bed.user(3, 0).await;
    bed.tamper("update credit_account set overage_allowed = true").await;
    let job = bookkeeping_suite::store::NewJob { allow_overage: true, ..bed.job(user, 5) };
    bed.store.writer.submit(job, vec![b"p".to_vec()]).await.unwrap();
    let finished = bed.finish(&bed.claim().await, 5).await;
    let Finished::Completed { change, .. } = finished else { panic!("{finished:?}") };
    assert_eq!((change.monthly, change.bonus, change.overage), (-3, 0, 2));
    assert_eq!(bed.account(user).await.overage_used, 2);
    bed.submit(user, 5).await;
    assert!(matches!(claim(bed, PRODUCT).await, Claim::Unpaid(..)));
    bed.assert_sound().await;
}

async fn claim(bed: &StoreFixture, product: Product) -> Claim {
    bed.store.writer.claim(product, "me", LEASE_MS, quiet()).await.unwrap()
}

async fn what_a_job_costs_is_reserved_while_it_runs(bed: &StoreFixture) {
    let user = bed.user(10, 4).await;
    let reserved = async |expected: i64| {
        assert_eq!(bed.account(user).await.reserved, expected);
        bed.assert_sound().await;
    };
    bed.submit(user, 6).await;
    reserved(0).await;
    let (publish, published) = recording();
    let Ok(Claim::Job(job)) = bed.store.writer.claim(PRODUCT, "me", LEASE_MS, publish).await else { panic!("paid") };
    reserved(6).await;
    let (account, epoch) = bed.store.reader.credit_account_at(user).await.unwrap().unwrap();
    assert_eq!(published.lock().unwrap().as_slice(), [(user, account, epoch)]);
    assert_eq!((account.available(), account.free()), (8, (4, 4)));
    // Given back, and claimed again by a process that takes the slot of a silent one.
    let (publish, published) = recording();
    bed.store.writer.requeue(PRODUCT, &job.id, job.fence, publish).await.unwrap();
    assert_eq!(published.lock().unwrap().len(), 1);
    reserved(0).await;
    bed.claim().await;
    bed.clock.advance_ms(LEASE_MS + 1);
    let Ok(Claim::Job(job)) = bed.store.writer.claim(PRODUCT, "other", LEASE_MS, quiet()).await else { panic!("free") };
    reserved(6).await;
    // A run that fails costs nothing, and what a zombie says changes nothing.
    let end = RunEnd::Failed(JobFailure::EngineFailed);
    let failed = || Finish { job_id: job.id.clone(), product: PRODUCT, fence: job.fence, end: end.clone() };
    assert!(matches!(bed.store.writer.finish(failed(), quiet()).await, Ok(Finished::Failed { .. })));
    reserved(0).await;
    assert_eq!(bed.store.writer.finish(failed(), quiet()).await, Ok(Finished::Zombie));
    reserved(0).await;
    assert_eq!(bed.account(user).await.available(), 14);
}

async fn products_do_not_reserve_the_same_credits(bed: &StoreFixture) {
    let user = bed.user(10, 0).await;
    bed.tamper("update credit_account set overage_allowed = true").await;
    let of_coding =
        |cost: i64, allow_overage| NewJob { product: Product::Coding, allow_overage, ..bed.job(user, cost) };
    bed.submit(user, 6).await;
    let reconciliation = bed.claim().await;
    let submit = async |job| bed.store.writer.submit(job, vec![b"p".to_vec()]).await.unwrap();
    submit(of_coding(6, false)).await;
    let Claim::Unpaid(_, failure) = claim(bed, Product::Coding).await else { panic!("six of four credits") };
    assert_eq!(failure, JobFailure::InsufficientCredits { required: 6, available: 4 });
    bed.assert_sound().await;
    // By overage it is, and what the other has reserved stays for it, whichever ends first.
    submit(of_coding(6, true)).await;
    let Claim::Job(coding) = claim(bed, Product::Coding).await else { panic!("overage pays it") };
    assert_eq!((bed.account(user).await.reserved, bed.account(user).await.available()), (12, 0));
    let Finished::Completed { change, .. } = bed.finish(&coding, 6).await else { panic!("it was reserved") };
    assert_eq!((change.monthly, change.overage), (-4, 2));
    let Finished::Completed { change, .. } = bed.finish(&reconciliation, 6).await else { panic!("it was reserved") };
    assert_eq!((change.monthly, change.overage), (-6, 0));
    assert_eq!((bed.account(user).await.reserved, bed.account(user).await.monthly), (0, 0));
    bed.assert_sound().await;
}

async fn a_reservation_outlives_the_month(bed: &StoreFixture) {
    let user = bed.user(10, 0).await;
    bed.submit(user, 9).await;
    let job = bed.claim().await;
    bed.clock.advance_ms(20 * DAY_MS);
    bed.store.writer.renew_months(bed.store.now_ms()).await.unwrap();
    let account = bed.account(user).await;
    assert_eq!((account.monthly, account.reserved, account.available()), (10, 9, 1));
    bed.assert_sound().await;
    bed.finish(&job, 9).await;
    assert_eq!((bed.account(user).await.monthly, bed.account(user).await.reserved), (1, 0));
    // What is renewed first is known when the next one is to begin.
    bed.submit(user, 10).await;
    bed.clock.advance_ms(31 * DAY_MS);
    assert!(matches!(claim(bed, PRODUCT).await, Claim::Job(_)));
    bed.assert_sound().await;
}

async fn check_finds_planted_differences(bed: &StoreFixture) {
    let user = bed.user(100, 0).await;
    let paid = bed.submit(user, 5).await;
    bed.finish(&bed.claim().await, 5).await;
    let waiting = bed.submit(user, 5).await;
    bed.assert_sound().await;
    let plants = [
        ("update credit_account set monthly = 96".to_owned(), "update credit_account set monthly = 95".to_owned(), 1),
        ("update product_slot set waiting = 3".to_owned(), "update product_slot set waiting = (select count(*) from job_hot where job_hot.product = product_slot.product)".to_owned(), 2),
        (format!("update job set status = 'failed' where id = '{paid}'"), format!("update job set status = 'completed' where id = '{paid}'"), 2),
        (format!("update charge set monthly = 4 where job_id = '{paid}'"), format!("update charge set monthly = 5 where job_id = '{paid}'"), 2),
        (format!("update job set status = 'processing' where id = '{waiting}'"), format!("update job set status = 'queued' where id = '{waiting}'"), 2),
        ("update credit_account set reserved = 1".to_owned(), "update credit_account set reserved = 0".to_owned(), 1),
        (format!("delete from job_payload where job_id = '{waiting}'"), String::new(), 1),
    ];
    for (plant, heal, found) in plants {
        bed.tamper(&plant).await;
        let differences = bed.store.reader.check().await.unwrap();
        assert_eq!(differences.len(), found, "{plant}: {differences:?}");
        if !heal.is_empty() {
            bed.tamper(&heal).await;
            bed.assert_sound().await;
        }
    }
}
