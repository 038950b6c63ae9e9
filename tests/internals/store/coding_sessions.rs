//! Coding sessions: the charge of a load, the one run at a time, and the end that takes everything along.

use std::sync::{Arc, Mutex};

use bookkeeping_suite::domain::coding_session::{LIFE_MS, LineDetails, Platform, RunScope, SessionDetails};
use bookkeeping_suite::domain::ids::{CodingSessionId, ConnectionId, KeyId, UserId};
use bookkeeping_suite::domain::job::{JobStatus, Product};
use bookkeeping_suite::store::{Claim, Load, Loaded, NewCodingSession, NewJob, RunEnded, Submitted};

use super::fixture::{StoreFixture, quiet, store_suite};

store_suite![
    a_load_in_a_new_month_renews_first_and_publishes_what_is_left,
    a_session_has_one_run_at_a_time,
    a_session_that_ended_takes_its_lines_along,
];

const DAY_MS: i64 = 86_400_000;

async fn session(bed: &StoreFixture, user: UserId) -> CodingSessionId {
    let details = SessionDetails {
        platform: Platform::Manual,
        accounts: Vec::new(),
        vat_codes: None,
        business_context: "secret".to_owned(),
    };
    let id = CodingSessionId(format!("cs_{user}"));
    let new = NewCodingSession {
        id: id.clone(),
        user_id: user,
        connection: ConnectionId::Key(KeyId(1)),
        organisation_id: None,
        period: (None, None),
        details,
    };
    let expires_at = bed.store.writer.start_coding_session(new).await.unwrap();
    assert_eq!(expires_at, bed.store.now_ms() + LIFE_MS);
    id
}

fn lines(count: usize) -> Vec<LineDetails> {
    let line = |at: usize| LineDetails {
        bank_account: "Current".to_owned(),
        day: 20_000,
        amount_pence: -100,
        description: format!("line {at}"),
        merchant: None,
        reference: None,
        merchant_category_code: None,
        bank_transaction_id: None,
    };
    (0..count).map(line).collect()
}

async fn load(bed: &StoreFixture, (session, user): (&CodingSessionId, UserId), batch: &str, count: usize) -> Loaded {
    let load = Load {
        session: session.clone(),
        user_id: user,
        batch_ref: batch.to_owned(),
        request_hash: count.to_string(),
        lines: lines(count),
        allow_overage: false,
        dry_run: false,
        lines_max: 10,
    };
    let published = Arc::new(Mutex::new(None));
    let heard = Arc::clone(&published);
    let publish = Arc::new(move |user, account, epoch| *heard.lock().unwrap() = Some((user, account, epoch)));
    let loaded = bed.store.writer.load_coding_lines(load, publish).await.unwrap();
    let published = published.lock().unwrap().take();
    assert_eq!(matches!(loaded, Loaded::Done(..)), published.is_some(), "{loaded:?}");
    if let Some((of, account, epoch)) = published {
        assert_eq!((of, account), (user, bed.account(user).await));
        assert_eq!(epoch, bed.store.reader.epochs().await.unwrap().credits);
    }
    loaded
}

async fn a_load_in_a_new_month_renews_first_and_publishes_what_is_left(bed: &StoreFixture) {
    let user = bed.user(10, 3).await;
    let session = session(bed, user).await;
    let of = (&session, user);
    assert!(matches!(load(bed, of, "a", 2).await, Loaded::Done(..)));
    bed.store.writer.touch_coding_session(session.clone()).await.unwrap();
    assert!(matches!(load(bed, of, "a", 2).await, Loaded::Replayed(_)));
    assert_eq!(load(bed, of, "a", 3).await, Loaded::OtherRows);
    assert!(matches!(load(bed, of, "b", 2).await, Loaded::Insufficient(short) if short.available == 5));
    assert_eq!(load(bed, of, "b", 9).await, Loaded::TooMany);
    for _ in 0..20 {
        bed.clock.advance_ms(DAY_MS - 1);
        assert!(bed.store.writer.touch_coding_session(session.clone()).await.unwrap());
    }
    assert!(matches!(load(bed, of, "b", 3).await, Loaded::Done(..)));
    let account = bed.account(user).await;
    assert_eq!((account.monthly, account.bonus), (0, 1));
    let movements = bed.store.reader.credit_movements(user).await.unwrap();
    let charged: Vec<_> = movements
        .iter()
        .filter(|movement| movement.kind == "tool_coding_load")
        .map(|movement| (movement.reference.as_str(), movement.change.monthly, movement.change.bonus))
        .collect();
    let [a, b] = ["a", "b"].map(|batch| format!("{}:{batch}", session.as_str()));
    assert_eq!(charged, [(a.as_str(), -8, 0), (b.as_str(), -10, -2)]);
    assert_eq!(movements.iter().filter(|movement| movement.kind == "monthly_renewal").count(), 1);
    bed.assert_sound().await;
}

fn run(bed: &StoreFixture, user: UserId, session: &CodingSessionId, capacity: i64) -> NewJob {
    let session = Some((session.clone(), RunScope::All));
    NewJob { product: Product::Coding, capacity, cost: 0, session, ..bed.job(user, 0) }
}

async fn a_session_has_one_run_at_a_time(bed: &StoreFixture) {
    let user = bed.user(100, 0).await;
    let session = session(bed, user).await;
    load(bed, (&session, user), "a", 1).await;
    let submit = async |job: NewJob| bed.store.writer.submit(job, vec![b"run".to_vec()]).await.unwrap();
    assert_eq!(submit(run(bed, user, &session, 0)).await, Submitted::QueueFull);
    let first = run(bed, user, &session, 10);
    let id = first.id.clone();
    assert!(matches!(submit(first).await, Submitted::Accepted { .. }));
    assert_eq!(submit(run(bed, user, &session, 10)).await, Submitted::SessionBusy);
    let known = bed.store.reader.coding_session(&session).await.unwrap().unwrap();
    assert_eq!(known.run, Some((id.clone(), RunScope::All)));
    let Claim::Job(job) = bed.store.writer.claim(Product::Coding, "me", 1_000, quiet()).await.unwrap() else {
        panic!("nothing to claim")
    };
    bed.finish(&job, 0).await;
    let ended = RunEnded {
        session: session.clone(),
        job: id.clone(),
        status: JobStatus::Completed,
        warnings: vec!["no_invoices_supplied".to_owned()],
        suggestions: Vec::new(),
    };
    for _ in 0..2 {
        bed.store.writer.take_over_run(ended.clone()).await.unwrap();
    }
    let known = bed.store.reader.coding_session(&session).await.unwrap().unwrap();
    assert_eq!((known.run, known.run_status.as_deref()), (None, Some("completed")));
    assert!(bed.store.reader.find_visible(Product::Coding, &id, user).await.unwrap().is_none());
    bed.assert_sound().await;
}

async fn a_session_that_ended_takes_its_lines_along(bed: &StoreFixture) {
    let user = bed.user(100, 0).await;
    let session = session(bed, user).await;
    load(bed, (&session, user), "a", 3).await;
    assert_eq!(bed.store.writer.clear_coding_sessions().await.unwrap().sessions, 0);
    let job = run(bed, user, &session, 10);
    bed.store.writer.submit(job, vec![b"run".to_vec()]).await.unwrap();
    bed.clock.advance_ms(DAY_MS);
    assert!(!bed.store.writer.touch_coding_session(session.clone()).await.unwrap());
    assert_eq!(load(bed, (&session, user), "a", 3).await, Loaded::Ended);
    // The job in the queue comes first.
    assert_eq!(bed.store.writer.clear_coding_sessions().await.unwrap().sessions, 0);
    let Claim::Job(job) = bed.store.writer.claim(Product::Coding, "me", 1_000, quiet()).await.unwrap() else {
        panic!("nothing to claim")
    };
    bed.finish(&job, 0).await;
    assert_eq!(bed.store.writer.clear_coding_sessions().await.unwrap().sessions, 1);
    assert_eq!(bed.store.writer.clear_coding_sessions().await.unwrap().sessions, 0);
    assert!(bed.store.reader.coding_session_lines(&session).await.unwrap().is_empty());
    assert!(bed.store.reader.find_visible(Product::Coding, &job.id, user).await.unwrap().is_none());
    let known = bed.store.reader.coding_session(&session).await.unwrap().unwrap();
    assert!(known.is_cleared && known.details.business_context.is_empty());
    let movements = bed.store.reader.credit_movements(user).await.unwrap();
    assert!(movements.iter().any(|movement| movement.kind == "tool_coding_load"));
    bed.assert_sound().await;
    bed.clock.advance_ms(31 * DAY_MS);
    bed.store.writer.clear_coding_sessions().await.unwrap();
    assert!(bed.store.reader.coding_session(&session).await.unwrap().is_none());
}
