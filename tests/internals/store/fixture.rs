//! What a store test stands on: a store with the schema, a clock moved by hand, and shorthands.

use std::sync::{Arc, Mutex};

use bookkeeping_suite::clock::{Clock as _, ManualClock};
use bookkeeping_suite::domain::books::records::organisation::OrganisationRecord;
use bookkeeping_suite::domain::books::request::{CreateOrganisation, OrganisationCreated};
use bookkeeping_suite::domain::credits::CreditAccount;
use bookkeeping_suite::domain::ids::{JobId, UserId};
use bookkeeping_suite::domain::job::Product;
use bookkeeping_suite::store::{
    Claim, ClaimedJob, Finish, Finished, NewJob, NewUser, ObserveWait, Publish, RunEnd, Store, StoreOptions, Submitted,
    UserCreated,
};
use tempfile::TempDir;

use crate::folder::{put_database, temporary_folder};
use crate::postgres::{PostgresDatabase, postgres_database};

/// 2026-11-15 12:00 UTC.
pub const START_MS: i64 = 1_794_744_000_000;
pub const LEASE_MS: i64 = 15_000;
pub const PRODUCT: Product = Product::Reconciliation;

pub struct StoreFixture {
    // Before the database: connections close first.
    pub store: Store,
    pub clock: Arc<ManualClock>,
    pub url: String,
    pub folder: Option<TempDir>,
    pub database: Option<PostgresDatabase>,
}

impl StoreFixture {
    pub async fn sqlite() -> Self {
        let folder = temporary_folder();
        let path = folder.path().join("bookkeeping.db");
        put_database(&path);
        let url = format!("sqlite://{}", path.display());
        Self::open(url, Some(folder), None).await
    }

    pub async fn postgres() -> Option<Self> {
        let database = postgres_database()?;
        Some(Self::open(database.url.clone(), None, Some(database)).await)
    }

    async fn open(url: String, folder: Option<TempDir>, database: Option<PostgresDatabase>) -> Self {
        let clock = Arc::new(ManualClock::at_ms(START_MS));
        let store = open(&url, &clock).await;
        store.migrate().await.unwrap();
        Self { store, clock, url, folder, database }
    }

    /// The same store with another limit on how long a write may wait, and somebody who hears of waits.
    pub async fn with_wait_limit(&self, write_wait_max: std::time::Duration, observe_wait: ObserveWait) -> Store {
        let options = StoreOptions {
            follow_database_clock: false,
            write_wait_max,
            observe_wait: Some(observe_wait),
            ..StoreOptions::new(self.url.as_str())
        };
        Store::open(options, Arc::<ManualClock>::clone(&self.clock)).await.unwrap()
    }

    /// Another store on the same database, as another process would have.
    pub async fn second_process(&self) -> Store {
        open(&self.url, &self.clock).await
    }

    pub async fn user(&self, monthly: i64, bonus: i64) -> UserId {
        let email = format!("{}@example.com", self.clock.unique().simple());
        let user = NewUser {
            email,
            name: "Test".to_owned(),
            password_hash: "hash".to_owned(),
            monthly_allocation: monthly,
            bonus,
            overage_allowed: false,
        };
        match self.store.writer.create_user(user).await.unwrap() {
            UserCreated::Created(id) => id,
            UserCreated::EmailTaken => panic!("addresses are unique"),
        }
    }

    pub async fn organisation(&self, owner: UserId, name: &str, vat_control: bool) -> OrganisationRecord {
        let new = CreateOrganisation::named(owner, name.to_owned(), vat_control);
        match self.store.writer.create_organisation(new).await.unwrap() {
            OrganisationCreated::Created(row) => *row,
            other => panic!("{other:?}"),
        }
    }

    pub fn job(&self, user: UserId, cost: i64) -> NewJob {
        NewJob {
            id: JobId::mint(PRODUCT.id_prefix(), self.clock.unique()),
            product: PRODUCT,
            user_id: user,
            connection: None,
            cost,
            allow_overage: false,
            rows_total: cost,
            parameters: "{}".to_owned(),
            capacity: 100,
            share: 100,
            idempotency: None,
            session: None,
        }
    }

    /// Submits a job with a small payload.
    pub async fn submit(&self, user: UserId, cost: i64) -> JobId {
        let job = self.job(user, cost);
        let id = job.id.clone();
        let outcome = self.store.writer.submit(job, vec![b"payload".to_vec()]).await.unwrap();
        assert!(matches!(outcome, Submitted::Accepted { .. }), "{outcome:?}");
        id
    }

    pub async fn claim(&self) -> ClaimedJob {
        match self.store.writer.claim(PRODUCT, "me", LEASE_MS, quiet()).await.unwrap() {
            Claim::Job(job) => *job,
            other => panic!("nothing claimed: {other:?}"),
        }
    }

    pub async fn finish(&self, job: &ClaimedJob, cost: i64) -> Finished {
        self.store.writer.finish(completed(job, cost, b"result"), quiet()).await.unwrap()
    }

    pub async fn account(&self, user: UserId) -> CreditAccount {
        self.store.reader.credit_account(user).await.unwrap().unwrap()
    }

    pub async fn assert_sound(&self) {
        assert_eq!(self.store.reader.check().await.unwrap(), Vec::<String>::new());
    }

    /// Runs SQL behind the store's back.
    pub async fn tamper(&self, sql: &str) {
        use sea_orm::ConnectionTrait as _;
        let connection = sea_orm::Database::connect(&self.url).await.unwrap();
        connection.execute_unprepared(sql).await.unwrap();
        connection.close().await.unwrap();
    }
}

pub fn completed(job: &ClaimedJob, cost: i64, result: &[u8]) -> Finish {
    Finish {
        job_id: job.id.clone(),
        product: job.product,
        fence: job.fence,
        end: RunEnd::Completed {
            cost,
            result: vec![result.to_vec()],
            parts_written: 0,
            result_size: u64::try_from(result.len()).unwrap(),
            suggestions: None,
        },
    }
}

/// A publisher nobody listens to.
pub fn quiet() -> Publish {
    Arc::new(|_, _, _| {})
}

/// What a publisher was told.
pub type Published = Arc<Mutex<Vec<(UserId, CreditAccount, i64)>>>;

/// A publisher that keeps what it was told.
pub fn recording() -> (Publish, Published) {
    let published = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&published);
    (Arc::new(move |user, account, epoch| keep.lock().unwrap().push((user, account, epoch))), published)
}

async fn open(url: &str, clock: &Arc<ManualClock>) -> Store {
    let options = StoreOptions { follow_database_clock: false, ..StoreOptions::new(url) };
    Store::open(options, Arc::<ManualClock>::clone(clock)).await.unwrap()
}

/// Makes a test of each function on each database.
macro_rules! store_suite {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(&crate::store::fixture::StoreFixture::sqlite().await).await;
            })*
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                if let Some(bed) = crate::store::fixture::StoreFixture::postgres().await {
                    super::$name(&bed).await;
                    bed.store.close().await;
                }
            })*
        }
    };
}
pub(crate) use store_suite;
