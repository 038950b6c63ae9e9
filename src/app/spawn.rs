//! A server inside another program's process, in threads of its own: for tests and benches.

use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;

use anyhow::{Context as _, anyhow};
use tokio::sync::oneshot;

use super::serve::{self, Running, StartOverrides};
use crate::actors::job_runner::Work;
use crate::actors::runtime::ActorRegistry;
use crate::clock::Clock;
use crate::config::Settings;
use crate::domain::books::request::{CreateOrganisation, OrganisationCreated};
use crate::domain::caller::Role;
use crate::domain::ids::{OrganisationId, UserId};
use crate::http::oauth::documents::FetchOptions;
use crate::session::{SESSION_TTL_S, Sessions};
use crate::store::{NewUser, Store, UserCreated};

/// What to start.
pub struct SpawnOptions {
    /// Settings, as for `serve`.
    pub settings: Settings,
    /// Time and randomness.
    pub clock: Arc<dyn Clock>,
    /// Stand-ins for the engines of their products.
    pub engines: Vec<Arc<dyn Work>>,
    /// How documents of clients are fetched; none for as `serve` does.
    pub client_documents: Option<FetchOptions>,
}

/// A running server; stopped like a process on SIGTERM by [`Server::stop`] or on drop.
pub struct Server {
    url: String,
    ops_url: String,
    store: Store,
    sessions: Arc<Sessions>,
    registry: ActorRegistry,
    clock: Arc<dyn Clock>,
    /// The server's own runtime, for what is done directly on the store: a connection goes back to its pool by a task
    /// of the runtime it was used on, which must go on running.
    runtime: tokio::runtime::Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A person and a session of theirs.
pub struct Person {
    /// The person.
    pub user_id: UserId,
    /// A web-session token.
    pub session: String,
}

struct Started {
    url: String,
    ops_url: String,
    store: Store,
    sessions: Arc<Sessions>,
    registry: ActorRegistry,
    runtime: tokio::runtime::Handle,
}

impl Started {
    fn of(running: &Running) -> Self {
        Self {
            url: format!("http://{}", running.public),
            ops_url: format!("http://{}", running.ops),
            store: running.store.clone(),
            sessions: Arc::clone(&running.sessions),
            registry: running.registry.clone(),
            runtime: tokio::runtime::Handle::current(),
        }
    }
}

/// Starts a server and returns once both listeners accept.
pub fn spawn(options: SpawnOptions) -> anyhow::Result<Server> {
    let (stop, stopped) = oneshot::channel();
    let (send, started) = mpsc::channel();
    let clock = Arc::clone(&options.clock);
    let overrides =
        StartOverrides { engines: options.engines, client_documents: options.client_documents, own_clock: true };
    let thread = std::thread::Builder::new().name("server".to_owned()).spawn(move || {
        serve::system().block_on(async move {
            match serve::start(&options.settings, options.clock, overrides, std::future::pending()).await {
                Ok(running) => {
                    // Nobody waits any more only when the caller was torn down; then there is nothing to serve.
                    if send.send(Ok(Started::of(&running))).is_ok() {
                        // An error means that the server was dropped, which is the same wish.
                        drop(stopped.await);
                    }
                    running.stop().await;
                }
                Err(error) => drop(send.send(Err(error))),
            }
        });
    })?;
    let started = started.recv().map_err(|_| anyhow!("the server ended while starting"))??;
    let Started { url, ops_url, store, sessions, registry, runtime } = started;
    Ok(Server { url, ops_url, store, sessions, registry, clock, runtime, stop: Some(stop), thread: Some(thread) })
}

impl Server {
    /// The public listener, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The operators' listener.
    pub fn ops_url(&self) -> &str {
        &self.ops_url
    }

    /// Creates a person without hashing a password (nobody can log in as them).
    pub fn add_person(&self, email: &str, monthly: i64, bonus: i64, overage: bool) -> anyhow::Result<Person> {
        let new = NewUser {
            email: email.to_owned(),
            name: email.to_owned(),
            password_hash: "none".to_owned(),
            monthly_allocation: monthly,
            bonus,
            overage_allowed: overage,
        };
        match self.runtime.block_on(self.store.writer.create_user(new))? {
            UserCreated::Created(user_id) => Ok(Person { user_id, session: self.session(user_id)? }),
            UserCreated::EmailTaken => Err(anyhow!("{email} exists already")),
        }
    }

    /// A web-session token for a person.
    pub fn session(&self, user_id: UserId) -> anyhow::Result<String> {
        self.sessions.issue(user_id, SESSION_TTL_S, self.clock.as_ref()).context("cannot sign a session")
    }

    /// Creates an organisation.
    pub fn add_organisation(&self, owner: UserId, name: &str) -> anyhow::Result<OrganisationId> {
        let new = CreateOrganisation::named(owner, name.to_owned(), false);
        match self.runtime.block_on(self.store.writer.create_organisation(new))? {
            OrganisationCreated::Created(row) => Ok(row.id),
            other => Err(anyhow!("the organisation was not made: {other:?}")),
        }
    }

    /// Makes a person an accepted member.
    pub fn add_member(&self, organisation: OrganisationId, user: UserId, role: Role) -> anyhow::Result<()> {
        self.runtime.block_on(self.store.writer.add_member(organisation, user, role))?;
        Ok(())
    }

    /// The differences `bookkeeping check` would print.
    pub fn check(&self) -> anyhow::Result<Vec<String>> {
        Ok(self.runtime.block_on(self.store.reader.check())?)
    }

    /// Panics of actors and engines so far.
    pub fn panics(&self) -> u64 {
        self.registry.snapshots().iter().map(|snapshot| snapshot.panics).sum()
    }

    /// Stops the server as SIGTERM would and waits until it has ended.
    pub fn stop(mut self) -> anyhow::Result<()> {
        self.end()
    }

    fn end(&mut self) -> anyhow::Result<()> {
        // Dropping the sender is the wish to stop.
        drop(self.stop.take());
        match self.thread.take() {
            Some(thread) => thread.join().map_err(|_| anyhow!("the server panicked")),
            None => Ok(()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            tracing::error!(error = %error, "a server did not stop");
        }
    }
}
