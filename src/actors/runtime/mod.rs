//! What actix leaves out: a restart after a panic, a bounded mailbox, and health that can be read while an actor is busy.
//!
//! [`Slot`] holds an actor and starts it again, [`Directory`] holds a slot for each organisation, [`ActorRegistry`] lists
//! all of them for the health report, and `exposition` prints their numbers as metrics.
//!
//! Facts about actix 0.13 that decide the design (each is checked by a test in `tests/internals/actors`):
//!
//! 1. **`actix::Supervisor` does not supervise panics.** A panic in a handler kills the actor's task, every queued
//!    message gets `MailboxError::Closed`, `restarting()` is never called and the address stays dead. Supervisor restarts
//!    only after `ctx.stop()`. Hence [`guard`] (catch the panic, answer, then stop), [`Slot`] (rebuild a dead actor)
//!    and [`Watchdog`] (look from outside). `stopped()` also runs while a panic unwinds: a second panic there ends the
//!    process.
//! 2. **The mailbox is not a bounded queue unless used in exactly one way.** `do_send` and `send().await` never respect
//!    the capacity, and each clone of an `Addr` adds one to it. Only `try_send` through one address that is
//!    never cloned is bounded. Hence [`Slot::ask`] takes a [`Permit`] first, which the message ([`Ask`]) holds until it is answered, and
//!    a coalescing [`Slot::wake`] goes through the slot's one address.
//! 3. **`AtomicResponse` is the one-at-a-time switch.** While it waits nothing else in the actor runs: no messages, no
//!    intervals. So health is never queried by message; it is read from [`ActorStats`], which are atomics.
//!
//! An actor is written like this:
//!
//! ```
//! # use std::{sync::Arc, time::Duration};
//! # use actix::{Actor, AtomicResponse, Context, Handler, Message, Supervised, WrapFuture as _};
//! use bookkeeping_suite::actors::runtime::{ActorError, ActorStats, Ask, Guarded, guard};
//!
//! struct Counter { stats: Arc<ActorStats>, count: u64 }
//!
//! impl Actor for Counter {
//!     type Context = Context<Self>;
//!     fn started(&mut self, _: &mut Context<Self>) { /* read the state again */ }
//! }
//! impl Supervised for Counter {
//!     fn restarting(&mut self, _: &mut Context<Self>) { self.count = 0; /* forget what may be half changed */ }
//! }
//! impl Guarded for Counter {
//!     fn stats(&self) -> &Arc<ActorStats> { &self.stats }
//! }
//!
//! #[derive(Message)]
//! #[rtype(result = "Result<u64, ActorError>")]
//! struct Add(u64);
//!
//! impl Handler<Ask<Add>> for Counter {
//!     type Result = Result<u64, ActorError>;
//!     fn handle(&mut self, ask: Ask<Add>, ctx: &mut Context<Self>) -> Self::Result {
//!         guard::now(self, ctx, ask, |actor, _, Add(by)| { actor.count += by; actor.count })
//!     }
//! }
//!
//! #[derive(Message)]
//! #[rtype(result = "Result<u64, ActorError>")]
//! struct AddSlowly(u64);
//!
//! impl Handler<Ask<AddSlowly>> for Counter {
//!     type Result = AtomicResponse<Self, Result<u64, ActorError>>;
//!     fn handle(&mut self, ask: Ask<AddSlowly>, _: &mut Context<Self>) -> Self::Result {
//!         guard::alone(ask, Duration::from_secs(5), |actor: &mut Self, _, AddSlowly(by)| {
//!             actor.count += by;
//!             let count = actor.count;
//!             async move { count }.into_actor(actor)
//!         })
//!     }
//! }
//! ```

mod error;
mod exposition;
pub mod guard;
mod registry;
mod slot;
mod stats;
mod watchdog;

pub use error::ActorError;
pub use guard::{Ask, Fault, Guarded, Permit};
pub use registry::{ActorRegistry, Watched};
pub use slot::{DOWN_RETRY_MS, Directory, RESPAWN_WINDOW_MS, RESPAWNS_MAX, Slot, SlotOptions};
pub use stats::{ActorSnapshot, ActorState, ActorStats};
pub use watchdog::{DatabaseTrouble, Health, WATCH_INTERVAL, Watchdog};
