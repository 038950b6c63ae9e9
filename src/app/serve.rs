//! `serve`: start everything in order, run until a signal to stop, stop everything in order.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::dev::ServerHandle;
use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::doors::Doors;
use super::observe::{self, ActorObserver, HttpObserver};
use super::refusals::Refusals;
use super::{commands, demo, descriptors, secrets, telemetry};
use crate::actors::coding_work::{CodingWork, ResultPrinters};
use crate::actors::job_runner::{RunLimits, Work};
use crate::actors::mail::{MailService, MailSettings, SmtpLimits};
use crate::actors::queue_board::QueueLimits;
use crate::actors::recon_work::ReconciliationWork;
use crate::actors::runtime::{ActorRegistry, DatabaseTrouble, Health, Watchdog};
use crate::actors::{Actors, ActorsOptions, follower};
use crate::clock::Clock;
use crate::config::{Overrides, SettingError, Settings};
use crate::domain::caller::RateRule;
use crate::domain::job::Product;
use crate::domain::oauth::lifetimes::Lifetimes;
use crate::http::dispatch::ActorGate;
use crate::http::first_party::progress::OpenSockets;
use crate::http::first_party::throttle::Throttle;
use crate::http::mcp::Comparisons;
use crate::http::oauth::documents::{ClientDocuments, FetchOptions};
use crate::http::oauth::{self, OAuthOptions};
use crate::http::products::{MailOptions, ProductLimits, Products};
use crate::http::server::{Parts, ServerOptions, bind_on};
use crate::http::{BodyLimits, routes, wire};
use crate::metrics::Metrics;
use crate::session::{SESSION_TTL_S, Sessions};
use crate::store::{LifeSession, ServeLock, Store, StoreOptions};

/// How long a cancelled computation may take to notice.
const CANCEL_GRACE: Duration = Duration::from_secs(5);
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// The shortest time in which everything is written that has to be.
const STOP_MIN: Duration = Duration::from_secs(5);
/// What the very end takes, when nothing waits any more.
const STOP_MARGIN: Duration = Duration::from_millis(250);
/// The longest time that is kept for what follows the last request and the running job.
const STOP_REST_MAX: Duration = Duration::from_secs(5);
/// The signal of a write beyond the limit on the size of files (SIGXFSZ).
const FILE_TOO_LARGE: i32 = 25;
const HOUR_MS: i64 = 60 * 60 * 1000;

/// What a started service consists of.
pub(super) struct Running {
    pub(super) public: SocketAddr,
    pub(super) ops: SocketAddr,
    pub(super) base_url: String,
    pub(super) store: Store,
    pub(super) sessions: Arc<Sessions>,
    pub(super) registry: ActorRegistry,
    pub(super) actors: Arc<Actors>,
    public_handle: ServerHandle,
    ops_handle: ServerHandle,
    servers: Vec<JoinHandle<std::io::Result<()>>>,
    tasks: Vec<JoinHandle<()>>,
    session: LifeSession,
    shutdown_grace: Duration,
    _lock: Option<ServeLock>,
}

/// What tests replace.
#[derive(Default)]
pub(super) struct StartOverrides {
    /// Stand-ins for the engines of their products.
    pub(super) engines: Vec<Arc<dyn Work>>,
    /// How documents of clients are fetched.
    pub(super) client_documents: Option<FetchOptions>,
    /// The clock is moved by hand and must not be corrected by the database's.
    pub(super) own_clock: bool,
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn sized(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// A start that was ended while it waited for the database.
#[derive(Debug, thiserror::Error)]
#[error("the service was stopped while it was starting")]
struct Interrupted;

/// Starts everything, in order; must be called inside the system's runtime. When `interrupted` comes first it waits for no database.
pub(super) async fn start(
    settings: &Settings,
    clock: Arc<dyn Clock>,
    overrides: StartOverrides,
    interrupted: impl Future<Output = ()>,
) -> anyhow::Result<Running> {
    let database_url = commands::database_url(settings);
    commands::check_database_url(&database_url)?;
    commands::prepare_data_dir(&settings.data_dir)?;
    let lock = if database_url.starts_with("sqlite:") { Some(exclusive(&database_url)?) } else { None };
    let registry = ActorRegistry::default();
    let metrics = Metrics::new(vec![Box::new(registry.clone())]);
    let health = Arc::new(Health::default());
    health.set_trouble(Some("the database is not ready yet: the service is starting".to_owned()));
    let doors = Doors::open(settings, &clock, (&registry, &metrics, &health))?;
    let running = doors.busy_until(Box::pin(async {
        let opening = open_store(database_url, &overrides, &metrics, &clock, &health);
        let store = tokio::select! {
            opened = opening => opened?,
            () = interrupted => return Err(Interrupted.into()),
        };
        let secret = secrets::session_secret(settings, &store, clock.as_ref()).await?;
        let holder = store.holder_name(&clock.unique().simple().to_string());
        let session = store.keep_session(&holder).await?;
        let actors = start_actors(settings, holder, &overrides, &store, &clock, (&registry, &metrics, &health)).await?;
        Ok((store, secret, session, actors))
    }));
    let (store, secret, session, actors) = match running.await {
        Ok(parts) => parts,
        Err(error) => {
            doors.ops_handle.stop(false).await;
            return Err(error);
        }
    };
    health.set_database(true);
    health.set_trouble(None);
    let sessions = Arc::new(Sessions::new(&secret));
    let products = Arc::new(Products {
        actors: Arc::clone(&actors),
        reader: store.reader.clone(),
        sessions: Arc::clone(&sessions),
        limits: product_limits(settings),
        throttle: Arc::new(Throttle::new(Arc::clone(&clock))),
        sockets: OpenSockets::default(),
        comparisons: Comparisons::default(),
        // Where documents are rendered, the renderer goes here.
        mail: MailOptions { host: actors.mail.host().to_owned() },
        oauth: oauth_options(settings),
        client_documents: settings
            .oauth_client_metadata_documents
            .then(|| ClientDocuments::new(overrides.client_documents.unwrap_or_default())),
        clock: Arc::clone(&clock),
        shared_database: store.is_shared(),
        base_url: std::sync::OnceLock::new(),
    });
    let Doors { public, ops_address, ops_handle, ops_server, history, .. } = doors;
    history.set_engines(actors.engines().map(|engine| (engine.product(), Arc::clone(engine.stats()))).into());
    let refusals = Arc::new(Refusals::default());
    let listeners = listen(settings, public, products, (&metrics, &refusals))?;
    let retention_ms = signed(settings.job_retention_days) * DAY_MS;
    let tasks = vec![
        tokio::spawn(follower::follow(store.clone(), Arc::clone(&actors))),
        tokio::spawn(follower::run_housekeeping(store.clone(), Arc::clone(&actors), retention_ms)),
        Watchdog::new(registry.clone(), health).with_database(trouble_of(&store)).start(),
        history.start(),
        tokio::spawn(async move { refusals.tell_for_ever().await }),
        tokio::spawn(measure(store.clone(), metrics)),
    ];
    let public_handle = listeners.public.handle();
    Ok(Running {
        public: listeners.public_address,
        ops: ops_address,
        base_url: listeners.base_url,
        store,
        sessions,
        registry,
        actors,
        public_handle,
        ops_handle,
        servers: vec![actix_web::rt::spawn(listeners.public), ops_server],
        tasks,
        session,
        shutdown_grace: Duration::from_secs(settings.shutdown_grace_s),
        _lock: lock,
    })
}

/// Measures each second what is stored, until the future is dropped.
async fn measure(store: Store, metrics: Arc<Metrics>) {
    let size = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    while let Some(sizes) = store.sizes() {
        metrics.stored.database_bytes.set(size(sizes.database_bytes));
        metrics.stored.log_bytes.set(size(sizes.log_bytes));
        metrics.stored.free_bytes.set(size(sizes.free_bytes));
        metrics.stored.is_file.set(1);
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// What the store knows of the database.
fn trouble_of(store: &Store) -> DatabaseTrouble {
    let store = store.clone();
    Box::new(move || store.trouble())
}

/// Opens the database and brings its schema up to date; waits for it as long as it takes.
async fn open_store(
    database_url: String,
    overrides: &StartOverrides,
    metrics: &Arc<Metrics>,
    clock: &Arc<dyn Clock>,
    health: &Health,
) -> anyhow::Result<Store> {
    let options = StoreOptions {
        follow_database_clock: !overrides.own_clock,
        probe: true,
        observe_wait: Some(observe::store_waits(metrics)),
        ..StoreOptions::new(database_url)
    };
    let opening = commands::await_store(options, Arc::clone(clock), |reason| health.set_trouble(Some(reason)));
    let (store, applied) = opening.await?;
    if !applied.is_empty() {
        tracing::info!("applied {} schema steps", applied.len());
    }
    Ok(store)
}

/// Starts the actors; those that hold keys have read them when it returns.
async fn start_actors(
    settings: &Settings,
    holder: String,
    overrides: &StartOverrides,
    store: &Store,
    clock: &Arc<dyn Clock>,
    (registry, metrics, health): (&ActorRegistry, &Arc<Metrics>, &Arc<Health>),
) -> anyhow::Result<Arc<Actors>> {
    // Before any engine looks for work: a job it claimed first would be given back under its hands, and run twice.
    recover(store, &holder, settings).await?;
    let actors = Actors::start(ActorsOptions {
        holder,
        store: store.clone(),
        clock: Arc::clone(clock),
        observer: Arc::new(ActorObserver(Arc::clone(metrics))),
        health: Arc::clone(health),
        registry: registry.clone(),
        rate_rule: RateRule { limit: settings.rate_limit_requests, window_ms: settings.rate_limit_window_s * 1000 },
        queue_limits: QueueLimits::new(signed(settings.queue_capacity_jobs), signed(settings.queue_share_percent)),
        run_limits: RunLimits {
            deadline: Duration::from_secs(settings.job_deadline_s),
            cancel_grace: CANCEL_GRACE,
            lease_ms: signed(settings.job_lease_ms),
        },
        reconciliation: engine(&overrides.engines, Product::Reconciliation),
        coding: engine(&overrides.engines, Product::Coding),
        mail: mail_service(settings, clock.as_ref())?,
    });
    actors.keys.follow().await.context("cannot read the keys")?;
    actors.grants.follow().await.context("cannot read the connections")?;
    actors.keys.published.refreshed(clock.monotonic_ms());
    Ok(actors)
}

/// How e-mails are sent.
fn mail_service(settings: &Settings, clock: &dyn Clock) -> anyhow::Result<MailService> {
    let unusable = |key: &'static str, value: String, allowed: String| SettingError { key, value, allowed };
    let dkim = settings.mail_dkim.as_ref().map(|(selector, file)| {
        let shown = file.display().to_string();
        let pem = std::fs::read(file).map_err(|error| unusable("mail_dkim_key_file", shown, error.to_string()));
        pem.map(|pem| (selector.clone(), pem))
    });
    let mail = MailSettings {
        server: settings.smtp.clone(),
        outbox: settings.data_dir.join("outbox"),
        from: settings.mail_from.clone(),
        dkim: dkim.transpose()?,
        per_minute: settings.mail_per_minute,
        lease_ms: signed(settings.job_lease_ms),
        limits: SmtpLimits::default(),
    };
    let unique = clock.unique().simple().to_string();
    MailService::open(&mail, &unique).map_err(|message| commands::Usage(format!("setting {message}")).into())
}

/// What a product does: the stand-in, if there is one, else the real engine.
fn engine(stand_ins: &[Arc<dyn Work>], product: Product) -> Arc<dyn Work> {
    if let Some(work) = stand_ins.iter().find(|work| work.product() == product) {
        return Arc::clone(work);
    }
    match product {
        Product::Reconciliation => Arc::new(ReconciliationWork {
            print: |mut out, dataset, options, outcome| wire::recon::write_result(&mut out, dataset, options, outcome),
        }),
        Product::Coding => Arc::new(CodingWork {
            read: |body| {
                let submission = wire::coding::parse(body.as_bytes(), &wire::coding::Limits::NONE).ok()?;
                Some((submission.batch, submission.inputs))
            },
            print: ResultPrinters {
                whole: |mut out, batch, inputs, outcome| wire::coding::write_result(&mut out, batch, inputs, outcome),
                open: |mut out, batch, inputs, outcome| {
                    wire::coding::write_open_result(&mut out, batch, inputs, outcome)
                },
            },
        }),
    }
}

/// A database file is served by one process at a time, whatever their data folders.
fn exclusive(database_url: &str) -> anyhow::Result<ServeLock> {
    let lock = ServeLock::acquire(database_url).context("cannot lock the database")?;
    lock.ok_or_else(|| {
        commands::Usage(format!(
            "setting database_url: {database_url} is being served by another process; allowed: one `serve` per SQLite database (use \
             PostgreSQL for several)"
        ))
        .into()
    })
}

async fn recover(store: &Store, holder: &str, settings: &Settings) -> anyhow::Result<()> {
    let recovered = store.writer.recover(holder, signed(settings.job_lease_ms)).await?;
    for (product, requeued) in recovered {
        let jobs = requeued.queued.len() + requeued.failed.len();
        if jobs > 0 {
            tracing::info!("recovered {jobs} unfinished {} jobs", product.as_str());
        }
    }
    Ok(())
}

fn product_limits(settings: &Settings) -> ProductLimits {
    ProductLimits {
        max_rows_per_dataset: sized(settings.max_rows_per_dataset),
        coding: wire::coding::Limits {
            max_transactions: settings.max_transactions_per_job,
            max_accounts: settings.max_chart_accounts,
            max_invoices: settings.max_invoices_per_job,
        },
        idempotency_retention_ms: signed(settings.idempotency_retention_h) * HOUR_MS,
        password_min_length: sized(settings.password_min_length),
        max_keys_per_person: settings.max_keys_per_person,
        max_sockets_per_session: settings.max_sockets_per_session,
        trusted_proxies: settings.trusted_proxies.clone(),
        open_registration: settings.open_registration.unwrap_or(false),
        default_monthly_credits: settings.default_monthly_credits,
    }
}

fn oauth_options(settings: &Settings) -> OAuthOptions {
    let base_url = settings.base_url.clone().unwrap_or_else(|| format!("http://{}", settings.listen));
    OAuthOptions {
        lifetimes: Lifetimes::new(
            settings.oauth_access_token_s,
            settings.oauth_refresh_idle_days,
            settings.oauth_refresh_grace_s,
        ),
        registrations_per_hour: settings.oauth_registrations_per_hour,
        redirect_schemes: settings.oauth_redirect_schemes.clone(),
        is_on: oauth::is_offered_at(&base_url),
    }
}

struct Listeners {
    public: actix_web::dev::Server,
    public_address: SocketAddr,
    base_url: String,
}

fn listen(
    settings: &Settings,
    public: TcpListener,
    products: Arc<Products>,
    (metrics, refusals): (&Arc<Metrics>, &Arc<Refusals>),
) -> anyhow::Result<Listeners> {
    let table = routes::routes();
    let observer = HttpObserver::new(metrics, &table, telemetry::access_log(settings), Arc::clone(refusals));
    let observer = Arc::new(observer);
    let gate = ActorGate {
        actors: Arc::clone(&products.actors),
        sessions: Arc::clone(&products.sessions),
        clock: Arc::clone(&products.clock),
        accepts_tokens: products.oauth.is_on,
        throttle: Arc::clone(&products.throttle),
        trusted_proxies: settings.trusted_proxies.clone(),
        staleness_limit_ms: products.shared_database.then_some(settings.key_staleness_limit_s * 1000),
    };
    let clock = Arc::clone(&products.clock);
    let options = ServerOptions {
        listen: settings.listen,
        max_connections: descriptors::connections_max(),
        shutdown_grace: Duration::from_secs(settings.shutdown_grace_s),
        header_timeout: Duration::from_secs(settings.client_request_timeout_s),
        write_timeout: Duration::from_secs(settings.client_write_timeout_s),
        base_url: settings.base_url.clone().unwrap_or_default(),
        allowed_origins: settings.mcp_allowed_origins.clone(),
        oauth: products.oauth.is_on,
        bodies: BodyLimits {
            max_bytes: settings.max_body_bytes,
            max_in_flight_bytes: settings.max_body_bytes_in_flight,
            share_percent: settings.body_share_percent,
            deadline: Duration::from_secs(settings.body_deadline_s),
            min_bytes_per_s: settings.min_body_bytes_per_s,
            ..BodyLimits::default()
        },
        ..ServerOptions::default()
    };
    let state = Arc::clone(&products);
    let parts = Parts { routes: table, state, gate: Arc::new(gate), clock, observer: Some(observer) };
    let bound =
        bind_on(public, options, parts).with_context(|| format!("cannot listen on listen {}", settings.listen))?;
    let base_url = settings.base_url.clone().unwrap_or_else(|| format!("http://{}", bound.address));
    let base_url = products.base_url.get_or_init(|| base_url).clone();
    Ok(Listeners { public_address: bound.address, public: bound.server, base_url })
}

impl Running {
    /// Stops everything, in order: no new requests, those in flight answered, the running job given its grace, what is
    /// written behind written, the database closed.
    pub(super) async fn stop(self) {
        let begun = Instant::now();
        // What follows the drain gets the last quarter, at most five seconds; without a database nothing waits for more.
        let all = self.shutdown_grace.max(STOP_MIN);
        let drain = all - (all / 4).min(STOP_REST_MAX);
        let deadline = tokio::time::Instant::from_std(begun + all - STOP_MARGIN);
        let mut left_undone = false;
        let step = |what: &str, since: Instant| {
            tracing::info!(
                duration_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX),
                "stopping: {what}"
            );
        };
        let at = Instant::now();
        let draining = self.actors.stop_engines(drain.min(self.shutdown_grace));
        let answered = self.public_handle.stop(true);
        let drained = futures_util::future::join(draining, answered);
        left_undone |= tokio::time::timeout_at(deadline, drained).await.is_err();
        step("requests answered, engines idle", at);
        let at = Instant::now();
        for task in &self.tasks {
            task.abort();
        }
        let write_uses = async {
            if let Err(error) = self.actors.keys.flush_uses().await {
                tracing::warn!(error = %error, "the last uses of keys were not written");
            }
            if let Err(error) = self.actors.grants.keep_house().await {
                tracing::warn!(error = %error, "the last uses of connections were not written");
            }
        };
        left_undone |= tokio::time::timeout_at(deadline, write_uses).await.is_err();
        self.actors.stop();
        step("actors stopped", at);
        let at = Instant::now();
        self.session.stop();
        left_undone |= tokio::time::timeout_at(deadline, self.store.close()).await.is_err();
        step("database closed", at);
        if left_undone {
            tracing::warn!("stopping: the grace is over; what was left undone is recovered at the next start");
        }
        self.ops_handle.stop(false).await;
        for server in self.servers {
            server.abort();
        }
        tracing::info!(duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX), "stopped");
    }
}

/// A system whose runtime has several threads, so that database connections never wait for a busy worker.
pub(super) fn system() -> actix_web::rt::SystemRunner {
    actix_web::rt::System::with_tokio_rt(|| {
        #[expect(clippy::expect_used, reason = "the process cannot go on without a runtime")]
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
    })
}

/// Carries out `serve`.
pub(super) fn serve(
    settings: Settings,
    given: Overrides,
    clock: Arc<dyn Clock>,
    with_demo: bool,
) -> anyhow::Result<ExitCode> {
    system().block_on(async move {
        // From here on a signal ends the service in order, also one that comes while it is starting.
        let mut signals = Signals::listen()?;
        // A limit on the size of files then fails the write that meets it, instead of ending the process.
        let _too_large = signal(SignalKind::from_raw(FILE_TOO_LARGE))?;
        let settings = if with_demo { demo_settings(settings)? } else { settings };
        let Some(running) = start_unless_stopped(&settings, &clock, &mut signals).await? else {
            telemetry::flush();
            std::process::exit(0)
        };
        let serves = format!("bookkeeping serves {} and, for operators, http://{}", running.base_url, running.ops);
        if telemetry::is_for_people(&settings) {
            telemetry::flush();
            eprintln!("{serves}");
        }
        tracing::info!(
            target: telemetry::START,
            version = crate::VERSION,
            commit = crate::COMMIT,
            database = commands::address_without_secrets(&commands::database_url(&settings)),
            folder = %settings.data_dir.display(),
            settings = given.summary(),
            "{serves} until it is stopped"
        );
        if !oauth_options(&settings).is_on {
            tracing::warn!(
                "connections by OAuth are off: {} is neither https nor on this machine, and tokens would cross the network in plain text; keys go on working",
                running.base_url
            );
        }
        if with_demo {
            tokio::select! {
                shown = show_demo(&running, clock, settings.data_dir.clone()) => shown?,
                () = signals.come() => {}
            }
        }
        signals.come().await;
        running.stop().await;
        telemetry::flush();
        // Everything is written. A thread that still waits for a database or computes what nobody wants is not waited for.
        std::process::exit(0)
    })
}

/// The signals to stop.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    /// Whether one has come.
    came: bool,
}

impl Signals {
    fn listen() -> anyhow::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            came: false,
        })
    }

    /// Returns once one has come.
    async fn come(&mut self) {
        if self.came {
            return;
        }
        tokio::select! {
            _ = self.terminate.recv() => tracing::info!("stopping: SIGTERM"),
            _ = self.interrupt.recv() => tracing::info!("stopping: SIGINT"),
        }
        self.came = true;
    }
}

/// Starts everything; none when a signal came before there was anything to be stopped in order.
async fn start_unless_stopped(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    signals: &mut Signals,
) -> anyhow::Result<Option<Running>> {
    let stop = Notify::new();
    let mut starting = Box::pin(start(settings, Arc::clone(clock), StartOverrides::default(), stop.notified()));
    let begun = tokio::select! {
        running = &mut starting => return running.map(Some),
        () = signals.come() => Instant::now(),
    };
    // Where the database is open already, a job may have been claimed: then the start comes to its end and is stopped in order.
    stop.notify_one();
    let grace = Duration::from_secs(settings.shutdown_grace_s).max(STOP_MIN);
    match tokio::time::timeout(grace, starting).await {
        Ok(Ok(running)) => return Ok(Some(running)),
        Ok(Err(error)) if !error.is::<Interrupted>() => return Err(error),
        Ok(Err(_)) => {}
        Err(_) => tracing::warn!("stopping: the grace is over; what was left undone is recovered at the next start"),
    }
    tracing::info!(duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX), "stopped");
    Ok(None)
}

/// The demonstration runs on a folder of its own, and on free ports where the usual ones are taken.
fn demo_settings(mut settings: Settings) -> anyhow::Result<Settings> {
    if settings.database_url.is_some() {
        return Err(commands::Usage(
            "--demo uses a database of its own; leave the setting database_url out".to_owned(),
        )
        .into());
    }
    commands::prepare_data_dir(&settings.data_dir)?;
    let folder = settings.data_dir.join("demo");
    let database_url = commands::database_in(&folder);
    if folder.is_dir() && ServeLock::acquire(&database_url).is_ok_and(|lock| lock.is_none()) {
        return Err(
            commands::Usage(format!("a demonstration is being served from {} already", folder.display())).into()
        );
    }
    settings.data_dir = demo::fresh_folder(&settings.data_dir)?;
    settings.session_secret_file = None;
    settings.open_registration.get_or_insert(true);
    let free =
        |wanted: SocketAddr| if TcpListener::bind(wanted).is_ok() { wanted } else { SocketAddr::new(wanted.ip(), 0) };
    if !settings.listen_given {
        settings.listen = free(settings.listen);
    }
    if !settings.ops_listen_given {
        settings.ops_listen = free(settings.ops_listen);
    }
    Ok(settings)
}

async fn show_demo(running: &Running, clock: Arc<dyn Clock>, folder: PathBuf) -> anyhow::Result<()> {
    let demo::DemoKeys { printed, filling } = demo::seed(&running.store, &running.actors, clock.as_ref()).await?;
    let session =
        running.sessions.issue(printed.user_id, SESSION_TTL_S, clock.as_ref()).context("cannot sign a session")?;
    let (base_url, ops_url) = (running.base_url.clone(), format!("http://{}", running.ops));
    let today = chrono::DateTime::from_timestamp_millis(clock.now_ms()).unwrap_or_default().date_naive();
    let owner = filling.user_id;
    let shown = move || {
        let keys = (printed.plaintext.as_str(), filling.plaintext.as_str());
        demo::show((&base_url, &ops_url), keys, today, &session, &folder)
    };
    let shown = tokio::task::spawn_blocking(shown).await?;
    running.actors.keys.revoke(owner, filling.id).await?;
    shown
}
