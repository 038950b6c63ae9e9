//! The writer task: groups, isolation of failures, recovery, and what is left in the files.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bookkeeping_suite::store::{ObserveWait, Store, StoreError, Submitted};

use super::fixture::{PRODUCT, StoreFixture, store_suite};

store_suite![
    waiting_units_share_a_commit,
    a_failing_unit_harms_no_other,
    the_writer_survives_lost_connections,
    a_closed_store_refuses,
    an_outage_is_told_and_passes,
];

async fn waiting_units_share_a_commit(bed: &StoreFixture) {
    let user = bed.user(10_000, 0).await;
    let stats = bed.store.stats();
    let (units, groups) = (stats.units.load(Ordering::Relaxed), stats.groups.load(Ordering::Relaxed));
    let submissions: Vec<_> = (0..200)
        .map(|_| {
            let (writer, job) = (
                bed.store.writer.clone(),
                bookkeeping_suite::store::NewJob { capacity: 1_000, share: 1_000, ..bed.job(user, 1) },
            );
            tokio::spawn(async move { writer.submit(job, vec![b"p".to_vec()]).await.unwrap() })
        })
        .collect();
    for submission in submissions {
        assert!(matches!(submission.await.unwrap(), Submitted::Accepted { .. }));
    }
    assert_eq!(stats.units.load(Ordering::Relaxed) - units, 200);
    let commits = stats.groups.load(Ordering::Relaxed) - groups;
    assert!(commits < 100, "{commits} commits for 200 units");
    assert_eq!(bed.store.reader.epochs().await.unwrap().reconciliation.queue.waiting, 200);
    bed.assert_sound().await;
}

async fn a_failing_unit_harms_no_other(bed: &StoreFixture) {
    let user = bed.user(10_000, 0).await;
    let nobody = bookkeeping_suite::domain::ids::UserId(9_999);
    let submissions: Vec<_> = (0..40)
        .map(|number| {
            let owner = if number % 10 == 3 { nobody } else { user };
            let (writer, job) = (bed.store.writer.clone(), bed.job(owner, 1));
            tokio::spawn(async move { writer.submit(job, vec![b"p".to_vec()]).await })
        })
        .collect();
    let (mut accepted, mut refused) = (0, 0);
    for submission in submissions {
        match submission.await.unwrap() {
            Ok(Submitted::Accepted { .. }) => accepted += 1,
            Err(StoreError::Conflict(_)) => refused += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((accepted, refused), (36, 4));
    bed.assert_sound().await;
}

async fn the_writer_survives_lost_connections(bed: &StoreFixture) {
    let user = bed.user(10, 0).await;
    if !bed.store.is_shared() {
        // SQLite has no connection to lose, but another process may hold its lock.
        let held = hold_lock(&bed.url).await;
        let mut submission = Box::pin(bed.store.writer.submit(bed.job(user, 1), vec![b"p".to_vec()]));
        tokio::time::timeout(Duration::from_millis(200), &mut submission).await.expect_err("it waits for the lock");
        held.rollback().await.unwrap();
        assert!(matches!(submission.await, Ok(Submitted::Accepted { .. })));
        return;
    }
    for round in 0..3 {
        bed.submit(user, 1).await;
        bed.tamper(
            "select pg_terminate_backend(pid) from pg_stat_activity \
             where datname = current_database() and application_name like 'bookkeeping%'",
        )
        .await;
        let epochs = bed.store.reader.epochs().await.unwrap();
        assert_eq!(epochs.reconciliation.queue.waiting, round * 2 + 1);
        let submissions: Vec<_> = (0..1)
            .map(|_| {
                let (writer, job) = (bed.store.writer.clone(), bed.job(user, 1));
                tokio::spawn(async move { writer.submit(job, vec![b"p".to_vec()]).await })
            })
            .collect();
        for submission in submissions {
            match submission.await.unwrap() {
                Ok(Submitted::Accepted { .. }) => {}
                Err(StoreError::Unavailable(_)) => {
                    bed.submit(user, 1).await;
                }
                other => panic!("{other:?}"),
            }
        }
    }
    bed.assert_sound().await;
}

async fn hold_lock(url: &str) -> sea_orm::DatabaseTransaction {
    use sea_orm::TransactionTrait as _;
    let options = sea_orm::TransactionOptions {
        sqlite_transaction_mode: Some(sea_orm::SqliteTransactionMode::Immediate),
        ..Default::default()
    };
    let connection = sea_orm::Database::connect(url).await.unwrap();
    connection.begin_with_options(options).await.unwrap()
}

async fn a_closed_store_refuses(bed: &StoreFixture) {
    let user = bed.user(10, 0).await;
    let store: Store = bed.second_process().await;
    store.close().await;
    let refused = store.writer.submit(bed.job(user, 1), vec![b"p".to_vec()]).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    assert!(matches!(store.reader.epochs().await, Err(StoreError::Unavailable(_))));
    store.close().await;
}

async fn an_outage_is_told_and_passes(bed: &StoreFixture) {
    let Some(database) = &bed.database else { return };
    let user = bed.user(10, 0).await;
    bed.submit(user, 1).await;
    database.set_reachable(false);
    let many: Vec<_> = (0..20)
        .map(|_| {
            let (writer, job) = (bed.store.writer.clone(), bed.job(user, 1));
            tokio::spawn(async move { writer.submit(job, vec![b"p".to_vec()]).await })
        })
        .collect();
    for one in many {
        let refused = one.await.unwrap();
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    }
    let refused = bed.store.reader.epochs().await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    assert!(bed.store.stats().unavailable.load(Ordering::Relaxed) > 0);
    database.set_reachable(true);
    bed.submit(user, 1).await;
    assert_eq!(bed.store.reader.epochs().await.unwrap().reconciliation.queue.waiting, 2);
    bed.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_waited_too_long_is_refused() {
    let bed = StoreFixture::sqlite().await;
    let user = bed.user(10, 0).await;
    let wait_max = Duration::from_millis(100);
    let (begins, begun) = std::sync::mpsc::channel();
    let observe_wait: ObserveWait = Arc::new(move |pool, _| {
        if pool == "writer" {
            // Nobody listens any more once the first unit was seen.
            let _ = begins.send(());
        }
    });
    let store = bed.with_wait_limit(wait_max, observe_wait).await;
    let held = hold_lock(&bed.url).await;
    let first = tokio::spawn({
        let (writer, job) = (store.writer.clone(), bed.job(user, 1));
        async move { writer.submit(job, vec![b"p".to_vec()]).await }
    });
    // The writer has taken it up, alone, and is held by the lock.
    tokio::task::block_in_place(|| begun.recv()).unwrap();
    let mut second = Box::pin(store.writer.submit(bed.job(user, 1), vec![b"p".to_vec()]));
    tokio::time::timeout(3 * wait_max, &mut second).await.expect_err("it waits behind the first");
    held.rollback().await.unwrap();
    assert!(matches!(first.await.unwrap(), Ok(Submitted::Accepted { .. })));
    assert_eq!(second.await, Err(StoreError::Busy));
    assert_eq!(store.stats().refused.load(Ordering::Relaxed), 1);
    store.close().await;
    bed.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleted_payloads_are_gone_from_the_files() {
    const SECRET: &[u8] = b"SECRET-LINE-OF-A-BANK-STATEMENT-4711";
    let bed = StoreFixture::sqlite().await;
    let user = bed.user(10, 0).await;
    let large = SECRET.repeat(3_000);
    for payload in [vec![SECRET.to_vec()], vec![large.clone(), large]] {
        let job = bed.job(user, 1);
        bed.store.writer.submit(job, payload).await.unwrap();
    }
    assert!(occurs(&bed, SECRET));
    for _ in 0..2 {
        bed.finish(&bed.claim().await, 1).await;
    }
    let deadline = Instant::now() + Duration::from_secs(10);
    while occurs(&bed, SECRET) {
        assert!(Instant::now() < deadline, "still in a file");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let job = bed.job(user, 1);
    let id = job.id.clone();
    bed.store.writer.submit(job, vec![SECRET.to_vec()]).await.unwrap();
    bed.finish(&bed.claim().await, 1).await;
    bed.store.close().await;
    assert!(!occurs(&bed, SECRET), "closing erases without a rest");
    let reopened = bed.second_process().await;
    assert!(reopened.reader.find_visible(PRODUCT, &id, user).await.unwrap().is_some());
    reopened.close().await;
}

fn occurs(bed: &StoreFixture, needle: &[u8]) -> bool {
    let folder = bed.folder.as_ref().unwrap();
    std::fs::read_dir(folder.path()).unwrap().any(|entry| {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap_or_default();
        bytes.windows(needle.len()).any(|window| window == needle)
    })
}
