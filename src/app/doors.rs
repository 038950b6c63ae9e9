//! Both listeners, bound before anything is opened or migrated: a port that is taken changes nothing, the operators' listener
//! answers from then on, and the public one says that the service is starting if that takes long.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use anyhow::Context as _;
use tokio::task::JoinHandle;

use crate::actors::runtime::{ActorRegistry, Health};
use crate::clock::Clock;
use crate::config::Settings;
use crate::http::ops::{History, OpsState};
use crate::http::{ops, server, starting};
use crate::metrics::Metrics;

/// A start that takes no longer answers nobody before it is over.
const QUICK_START: Duration = Duration::from_millis(100);

/// The listeners of a service that is starting.
pub(super) struct Doors {
    /// The public listener, bound.
    pub(super) public: TcpListener,
    /// Where the operators' listener is.
    pub(super) ops_address: SocketAddr,
    /// The operators' listener, which answers.
    pub(super) ops_handle: ServerHandle,
    pub(super) ops_server: JoinHandle<std::io::Result<()>>,
    /// What it shows of the last minutes.
    pub(super) history: Arc<History>,
    clock: Arc<dyn Clock>,
}

impl Doors {
    /// Binds both and opens that of the operators.
    pub(super) fn open(
        settings: &Settings,
        clock: &Arc<dyn Clock>,
        (registry, metrics, health): (&ActorRegistry, &Arc<Metrics>, &Arc<Health>),
    ) -> anyhow::Result<Self> {
        let public = server::listen_on(settings.listen)
            .with_context(|| format!("cannot listen on listen {}", settings.listen))?;
        let ops = TcpListener::bind(settings.ops_listen)
            .with_context(|| format!("cannot listen on ops_listen {}", settings.ops_listen))?;
        let ops_address = ops.local_addr()?;
        let history = History::waiting(Arc::clone(metrics), registry.clone(), Arc::clone(clock));
        let state = OpsState {
            metrics: Arc::clone(metrics),
            registry: registry.clone(),
            health: Arc::clone(health),
            history: Arc::clone(&history),
            clock: Arc::clone(clock),
            started_at_ms: clock.now_ms(),
        };
        let ops = ops::server(ops, Arc::new(state))?;
        let ops_handle = ops.handle();
        let ops_server = actix_web::rt::spawn(ops);
        Ok(Self { public, ops_address, ops_handle, ops_server, history, clock: Arc::clone(clock) })
    }

    /// Waits for what the service needs; whoever calls meanwhile is told to come back.
    pub(super) async fn busy_until<T>(
        &self,
        mut ready: impl Future<Output = anyhow::Result<T>> + Unpin,
    ) -> anyhow::Result<T> {
        if let Ok(done) = tokio::time::timeout(QUICK_START, &mut ready).await {
            return done;
        }
        let refusing = starting::server(self.public.try_clone()?, Arc::clone(&self.clock))?;
        let handle = refusing.handle();
        let task = actix_web::rt::spawn(refusing);
        let done = ready.await;
        handle.stop(false).await;
        task.abort();
        done
    }
}
