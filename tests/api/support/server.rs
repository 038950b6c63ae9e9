//! A server inside the test process, with people, keys and organisations made in a line each. When it goes, it stops the
//! server and fails the test if an actor panicked, a job was left unfinished or `bookkeeping check` finds a difference,
//! unless the test said so beforehand.

use std::sync::{Arc, Mutex};

use bookkeeping_suite::actors::job_runner::Work;
use bookkeeping_suite::app;
use bookkeeping_suite::app::{Server, SpawnOptions};
use bookkeeping_suite::clock::{Clock, ManualClock, SystemClock};
use bookkeeping_suite::config::{Overrides, Settings};
use bookkeeping_suite::domain::caller::Role;
use bookkeeping_suite::domain::ids::{OrganisationId, UserId};
use bookkeeping_suite::domain::job::Product;
use bookkeeping_suite::http::oauth::documents::FetchOptions;
use bookkeeping_suite::store::{Store, StoreOptions};
use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::folder::{put_database, temporary_folder};

use super::client::{Answer, Client};
use super::database::Database;
use super::product::JobProduct as _;
use super::{ATTEMPTS_MAX, PAUSE, until};

/// Where the manual clock stands at first: 2026-03-10T12:00:00Z.
pub const START_MS: i64 = 1_773_144_000_000;
/// The same as responses show it.
pub const START_TEXT: &str = "2026-03-10T12:00:00.000Z";
/// Every scope.
pub const ALL_SCOPES: [&str; 7] =
    ["reconcile:read", "reconcile:write", "coding:read", "coding:write", "books:read", "books:write", "books:send"];
/// What a key for reconciliations needs.
pub const RECONCILE: [&str; 2] = ["reconcile:read", "reconcile:write"];

/// How to start a server.
#[derive(Clone)]
pub struct Setup {
    database: Database,
    product: Product,
    clock: Option<Arc<ManualClock>>,
    overrides: Overrides,
    work: Option<Arc<dyn Work>>,
    client_documents: Option<FetchOptions>,
    folder: Option<Arc<TempDir>>,
    panics_expected: u64,
    may_leave_jobs: bool,
}

impl Setup {
    /// SQLite with a clock moved by hand, and no rate limit to speak of.
    pub fn new() -> Self {
        Self {
            database: Database::Sqlite,
            product: Product::Reconciliation,
            clock: Some(Arc::new(ManualClock::at_ms(START_MS))),
            // A test that has failed should not wait out the whole grace of the job it left behind.
            overrides: Overrides {
                rate_limit_requests: Some(1_000_000),
                shutdown_grace_s: Some(5),
                ..Overrides::default()
            },
            work: None,
            client_documents: None,
            folder: None,
            panics_expected: 0,
            may_leave_jobs: false,
        }
    }

    /// The same for tests of jobs of this product.
    pub fn of(product: Product) -> Self {
        Self { product, ..Self::new() }
    }

    /// Another database. Leases on PostgreSQL are measured on its clock, so the machine's is used there.
    pub fn on(mut self, database: &Database) -> Self {
        if matches!(database, Database::Postgresql(_)) {
            self.clock = None;
        }
        self.database = database.clone();
        self
    }

    /// Changes settings.
    pub fn settings(mut self, change: impl FnOnce(&mut Overrides)) -> Self {
        change(&mut self.overrides);
        self
    }

    /// The rate limit of the specification.
    pub fn rate_limited(self) -> Self {
        self.settings(|settings| settings.rate_limit_requests = None)
    }

    /// Another engine.
    pub fn engine(mut self, work: Arc<dyn Work>) -> Self {
        self.work = Some(work);
        self
    }

    /// Another way to fetch the documents of clients.
    pub fn client_documents(mut self, options: FetchOptions) -> Self {
        self.client_documents = Some(options);
        self
    }

    /// The folder of an earlier server.
    pub fn folder(mut self, folder: Arc<TempDir>) -> Self {
        self.folder = Some(folder);
        self
    }

    /// So many panics are what the test is about.
    pub fn panics(mut self, expected: u64) -> Self {
        self.panics_expected = expected;
        self
    }

    /// Jobs left unfinished are what the test is about.
    pub fn may_leave_jobs(mut self) -> Self {
        self.may_leave_jobs = true;
        self
    }

    /// Starts, or says why not.
    pub fn try_start(self) -> anyhow::Result<TestServer> {
        let folder = match &self.folder {
            Some(folder) => Arc::clone(folder),
            None => Arc::new(temporary_folder()),
        };
        let data = folder.path().join("data");
        if self.folder.is_none() && matches!(self.database, Database::Sqlite) {
            put_database(&data.join("bookkeeping.db"));
        }
        let given = Overrides {
            listen: Some("127.0.0.1:0".to_owned()),
            ops_listen: Some("127.0.0.1:0".to_owned()),
            data_dir: Some(data),
            database_url: self.database.url(),
            ..Overrides::default()
        };
        let settings = Settings::resolve(self.overrides.clone().or(given))?;
        let clock: Arc<dyn Clock> = match &self.clock {
            Some(clock) => Arc::clone(clock) as Arc<dyn Clock>,
            None => Arc::new(SystemClock::default()),
        };
        let database_url = settings
            .database_url
            .clone()
            .unwrap_or_else(|| format!("sqlite://{}", settings.data_dir.join("bookkeeping.db").display()));
        show_log_when_asked();
        let server = app::spawn(SpawnOptions {
            settings,
            clock,
            engines: self.work.iter().cloned().collect(),
            client_documents: self.client_documents.clone(),
        })?;
        let client = Client::new(server.url());
        Ok(TestServer { setup: self, folder, database_url, client, server: Some(server), people: Mutex::default() })
    }

    #[track_caller]
    pub fn start(self) -> TestServer {
        self.try_start().unwrap_or_else(|error| panic!("the server does not start: {error:#}"))
    }
}

/// `TEST_LOG=debug cargo test …` shows what the servers log, for looking into a failure.
fn show_log_when_asked() {
    if let Ok(filter) = std::env::var("TEST_LOG") {
        // Started by an earlier server already: one log for all.
        drop(tracing_subscriber::fmt().with_env_filter(filter).with_test_writer().try_init());
    }
}

/// A running server.
pub struct TestServer {
    setup: Setup,
    folder: Arc<TempDir>,
    pub(super) database_url: String,
    pub client: Client,
    server: Option<Server>,
    /// Everybody made here.
    people: Mutex<Vec<UserId>>,
}

/// A person with a web session.
#[derive(Debug, Clone)]
pub struct Person {
    pub user_id: i64,
    pub email: String,
    pub session: String,
}

/// An API key.
#[derive(Debug, Clone)]
pub struct ApiKey {
    pub id: i64,
    pub prefix: String,
    pub plaintext: String,
}

impl TestServer {
    /// SQLite, a clock moved by hand, the real engines.
    #[track_caller]
    pub fn start() -> Self {
        Setup::new().start()
    }

    /// The same for tests of jobs of this product.
    #[track_caller]
    pub fn start_of(product: Product) -> Self {
        Setup::of(product).start()
    }

    fn server(&self) -> &Server {
        self.server.as_ref().expect("the server runs")
    }

    /// The product whose jobs it is asked for.
    pub fn product(&self) -> Product {
        self.setup.product
    }

    pub fn url(&self) -> &str {
        self.server().url()
    }

    /// A client of the operators' listener.
    pub fn operators(&self) -> Client {
        Client::new(self.server().ops_url())
    }

    pub fn folder(&self) -> Arc<TempDir> {
        Arc::clone(&self.folder)
    }

    #[track_caller]
    pub fn advance_s(&self, seconds: i64) {
        self.setup.clock.as_ref().expect("a manual clock").advance_ms(seconds * 1000);
    }

    #[track_caller]
    pub fn advance_ms(&self, by_ms: i64) {
        self.setup.clock.as_ref().expect("a manual clock").advance_ms(by_ms);
    }

    /// Lets time pass: on the clock that is moved by hand, else by waiting.
    pub fn pass_ms(&self, by_ms: i64) {
        match &self.setup.clock {
            Some(clock) => clock.advance_ms(by_ms),
            None => std::thread::sleep(std::time::Duration::from_millis(by_ms.unsigned_abs())),
        }
    }

    /// Sets the wall clock ahead, or back by a negative number, as an operator would; the monotonic clock stays.
    #[track_caller]
    pub fn set_wall_ahead_s(&self, seconds: i64) {
        self.set_wall_back_s(-seconds);
    }

    /// Sets the wall clock back, as an operator would; the monotonic clock stays.
    #[track_caller]
    pub fn set_wall_back_s(&self, seconds: i64) {
        let clock = self.setup.clock.as_ref().expect("a manual clock");
        clock.set_wall_ms(clock.now_ms() - seconds * 1000);
    }

    /// A person with 1,000 credits a month.
    #[track_caller]
    pub fn person(&self) -> Person {
        self.person_with(1_000, 0, false)
    }

    #[track_caller]
    pub fn person_with(&self, monthly: i64, bonus: i64, overage: bool) -> Person {
        let mut people = self.people.lock().expect("not poisoned");
        // Several servers may share a database.
        let email = format!("person-{}-{}@example.com", people.len(), self.client.address().replace(':', "-"));
        let made = self.server().add_person(&email, monthly, bonus, overage).expect("a person");
        people.push(made.user_id);
        Person { user_id: made.user_id.0, email, session: made.session }
    }

    #[track_caller]
    pub fn key(&self, person: &Person, scopes: &[&str]) -> ApiKey {
        self.key_with(person, &json!({ "name": "test", "scopes": scopes }))
    }

    #[track_caller]
    pub fn key_with(&self, person: &Person, request: &Value) -> ApiKey {
        let made = self.client.post("/api/v1/keys").session(person).json(request).send().expect(201);
        let text = |name: &str| made[name].as_str().expect("text").to_owned();
        ApiKey { id: made["id"].as_i64().expect("an id"), prefix: text("prefix"), plaintext: text("key") }
    }

    /// A person with a key for jobs of the product.
    #[track_caller]
    pub fn submitter(&self) -> (Person, ApiKey) {
        let person = self.person();
        let key = self.key(&person, &self.setup.product.scopes());
        (person, key)
    }

    #[track_caller]
    pub fn organisation(&self, owner: &Person, name: &str) -> i64 {
        self.server().add_organisation(UserId(owner.user_id), name).expect("an organisation").0
    }

    #[track_caller]
    pub fn member(&self, organisation: i64, person: &Person, role: &str) {
        let role = Role::parse(role).expect("a role");
        self.server().add_member(OrganisationId(organisation), UserId(person.user_id), role).expect("a membership");
    }

    /// Another web session of a person.
    #[track_caller]
    pub fn session_of(&self, person: &Person) -> String {
        self.server().session(UserId(person.user_id)).expect("a session")
    }

    /// Takes a person's membership back, as another program writes it.
    #[track_caller]
    pub fn remove_member(&self, organisation: i64, person: &Person) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let connection = sea_orm::Database::connect(&self.database_url).await.expect("connected");
            for sql in [
                "update change_epoch set value = value + 1 where topic = 'memberships'".to_owned(),
                format!(
                    "update membership set accepted = false, \
                     changed_epoch = (select value from change_epoch where topic = 'memberships') \
                     where organisation_id = {organisation} and user_id = {}",
                    person.user_id
                ),
            ] {
                connection.execute_unprepared(&sql).await.expect("written");
            }
            connection.close().await.expect("closed");
        });
    }

    /// What the server says to a submission.
    #[track_caller]
    pub fn submission(&self, key: &ApiKey, body: impl Into<Vec<u8>>) -> Answer {
        self.client.post(self.setup.product.path()).key(key).body(body).send()
    }

    /// Submits a job that must be accepted; its id.
    #[track_caller]
    pub fn submit(&self, key: &ApiKey, body: impl Into<Vec<u8>>) -> String {
        self.accepted_id(&self.submission(key, body))
    }

    /// The id of a job whose submission must have been accepted.
    #[track_caller]
    pub fn accepted_id(&self, answer: &Answer) -> String {
        answer.expect(202)[self.setup.product.id_field()].as_str().expect("an id").to_owned()
    }

    #[track_caller]
    pub fn poll(&self, key: &ApiKey, id: &str) -> Answer {
        self.client.get(&format!("{}/{id}", self.setup.product.path())).key(key).send()
    }

    /// Polls until the job has ended; the last poll.
    #[track_caller]
    pub fn ended_answer(&self, key: &ApiKey, id: &str) -> Answer {
        until("the job ends", || {
            let poll = self.poll(key, id);
            let status = poll.expect(200)["status"].as_str().unwrap_or_default().to_owned();
            (status == "completed" || status == "failed").then_some(poll)
        })
    }

    #[track_caller]
    pub fn ended(&self, key: &ApiKey, id: &str) -> Value {
        self.ended_answer(key, id).value()
    }

    /// Submits and polls until the end.
    #[track_caller]
    pub fn run(&self, key: &ApiKey, body: impl Into<Vec<u8>>) -> Value {
        let id = self.submit(key, body);
        self.ended(key, &id)
    }

    /// Monthly and bonus credits, as `/me` tells them.
    #[track_caller]
    pub fn credits(&self, key: &ApiKey) -> (i64, i64) {
        let me = self.client.get("/api/v1/me").key(key).send().expect(200);
        let number = |name: &str| me["credits"][name].as_i64().expect("a whole number");
        (number("remainingMonthly"), number("bonusCredits"))
    }

    /// Runs something on a store of its own beside the server's, for what HTTP cannot show.
    pub fn with_store<T>(&self, work: impl AsyncFnOnce(Store) -> T) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let clock = Arc::new(SystemClock::default());
            let store = Store::open(StoreOptions::new(&self.database_url), clock).await.expect("a store");
            let value = work(store.clone()).await;
            store.close().await;
            value
        })
    }

    /// Rows of a table, for what must not be left behind.
    #[track_caller]
    pub fn rows_of(&self, table: &str) -> i64 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let connection = sea_orm::Database::connect(&self.database_url).await.expect("connected");
            let backend = connection.get_database_backend();
            let query = sea_orm::Statement::from_string(backend, format!("select count(*) from {table}"));
            let row = connection.query_one_raw(query).await.expect("readable").expect("a row");
            connection.close().await.expect("closed");
            row.try_get_by_index(0).expect("a number")
        })
    }

    /// Makes so many copies of an e-mail that waits, for what only a full queue shows.
    #[track_caller]
    pub fn copy_emails(&self, id: i64, copies: i64) {
        const COLUMNS: &str = "organisation_id, user_id, key_prefix, document_type, document_id, sender_name, reply_to, \
             recipients, copies, subject, message, status, attempts, next_attempt_at, fence, created_at, updated_at";
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let connection = sea_orm::Database::connect(&self.database_url).await.expect("connected");
            let sql = format!(
                "with recursive n (i) as (select 1 union all select i + 1 from n where i < {copies}) \
                 insert into email (id, message_id, {COLUMNS}) \
                 select 1000000 + n.i, 'copy-' || n.i || '@books.example', {COLUMNS} from email cross join n where id = {id}"
            );
            connection.execute_unprepared(&sql).await.expect("copied");
            let counted = format!(
                "update document set email_count = email_count + {copies} where id = (select document_id from email where id = {id})"
            );
            connection.execute_unprepared(&counted).await.expect("counted");
            connection.close().await.expect("closed");
        });
    }

    /// Drops the bytes of the PDFs of e-mails that came to an end, as housekeeping does after 30 days.
    #[track_caller]
    pub fn drop_pdfs(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let connection = sea_orm::Database::connect(&self.database_url).await.expect("connected");
            let sql = "update email set pdf = null where status in ('sent', 'failed', 'cancelled')";
            connection.execute_unprepared(sql).await.expect("dropped");
            connection.close().await.expect("closed");
        });
    }

    /// What the VAT sub-ledger of an organisation holds for a period: side, code, net and VAT in pence. No answer shows it
    /// before there are reports.
    #[track_caller]
    pub fn vat_by_code(&self, organisation: i64, from: &str, to: &str) -> Vec<(String, String, i64, i64)> {
        self.vat_by(organisation, (from, to), "vat_code")
    }

    /// The same by how it is declared: code, basis and reverse charge (`ST standard domestic`).
    #[track_caller]
    pub fn vat_by_treatment(&self, organisation: i64, from: &str, to: &str) -> Vec<(String, String, i64, i64)> {
        let how = "vat_code || ' ' || basis || coalesce(' ' || reverse_charge, '')";
        self.vat_by(organisation, (from, to), how)
    }

    #[track_caller]
    fn vat_by(&self, organisation: i64, (from, to): (&str, &str), how: &str) -> Vec<(String, String, i64, i64)> {
        let day = |text: &str| {
            let date: chrono::NaiveDate = text.parse().expect("a date");
            (date - chrono::NaiveDate::default()).num_days()
        };
        let (from, to) = (day(from), day(to));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let connection = sea_orm::Database::connect(&self.database_url).await.expect("connected");
            let backend = connection.get_database_backend();
            let query = format!(
                "select side, {how}, cast(sum(net) as bigint), cast(sum(vat) as bigint) from vat_entry \
                 where organisation_id = {organisation} and tax_day between {from} and {to} \
                 group by side, {how} order by side, {how}"
            );
            let rows =
                connection.query_all_raw(sea_orm::Statement::from_string(backend, query)).await.expect("readable");
            connection.close().await.expect("closed");
            rows.iter()
                .map(|row| {
                    let text = |at: usize| row.try_get_by_index::<String>(at).expect("text");
                    let number = |at: usize| row.try_get_by_index::<i64>(at).expect("a number");
                    (text(0), text(1), number(2), number(3))
                })
                .collect()
        })
    }

    /// Allocations that counted until they were released: whether the end is a document, its identifier, the day numbers from
    /// which and until which they counted, what they settled of a document, and what of a settlement; once for each end, but
    /// for write-offs. No answer shows them.
    #[track_caller]
    pub fn released_allocations(&self, organisation: i64) -> Vec<(bool, i64, i64, i64, i64, i64)> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let connection = sea_orm::Database::connect(&self.database_url).await.expect("connected");
            let backend = connection.get_database_backend();
            let of_end = |document: &str, settlement: &str| {
                format!(
                    "select case when {document} is null then 0 else 1 end, coalesce({document}, {settlement}), day, \
                     released_day, case when from_settlement_id is null then amount else amount + cis end, amount \
                     from allocation where organisation_id = {organisation} and released_day > day \
                     and coalesce({document}, {settlement}) is not null"
                )
            };
            let query = format!(
                "{} union all {}",
                of_end("from_document_id", "from_settlement_id"),
                of_end("to_document_id", "to_settlement_id")
            );
            let rows =
                connection.query_all_raw(sea_orm::Statement::from_string(backend, query)).await.expect("readable");
            connection.close().await.expect("closed");
            rows.iter()
                .map(|row| {
                    let number = |at: usize| row.try_get_by_index::<i64>(at).expect("a number");
                    let is_document = row.try_get_by_index::<i32>(0).expect("a number") == 1;
                    (is_document, number(1), number(2), number(3), number(4), number(5))
                })
                .collect()
        })
    }

    /// Stops as on SIGTERM, with the checks of the fixture.
    pub fn stop(mut self) {
        self.close();
    }

    fn close(&mut self) {
        let Some(server) = self.server.take() else { return };
        if std::thread::panicking() {
            // The test has failed already; what it left behind says nothing.
            drop(server.stop());
            return;
        }
        let panics = server.panics();
        let differences = server.check().expect("check runs");
        let unfinished = if self.setup.may_leave_jobs { Vec::new() } else { self.unfinished() };
        server.stop().expect("the server stops");
        assert_eq!(panics, self.setup.panics_expected, "panics in actors and engines");
        assert!(differences.is_empty(), "check found differences: {differences:#?}");
        assert!(unfinished.is_empty(), "jobs left unfinished: {unfinished:?}");
    }

    /// Jobs of the people made here that do not end, looked at a bounded number of times.
    fn unfinished(&self) -> Vec<String> {
        let people = self.people.lock().expect("not poisoned").clone();
        self.with_store(async |store| {
            let mut unfinished = Vec::new();
            for _ in 0..ATTEMPTS_MAX {
                unfinished.clear();
                for user in &people {
                    let open = store.reader.open_jobs(*user).await.expect("readable");
                    unfinished.extend(open.into_iter().map(|job| format!("{} is {}", job.id, job.status.as_str())));
                }
                if unfinished.is_empty() {
                    break;
                }
                tokio::time::sleep(PAUSE).await;
            }
            unfinished
        })
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.close();
    }
}
