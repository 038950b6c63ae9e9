//! The actors' part of `/metrics`, read from their statistics at each scrape.

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;

use crate::metrics::{encode_counters, encode_gauges};

use super::registry::ActorRegistry;
use super::stats::{ActorSnapshot, ActorState};

/// A metric with a series per actor: name, help, and where its value is.
type Reading = (&'static str, &'static str, fn(&ActorSnapshot) -> u64);

impl Collector for ActorRegistry {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let watched = self.all();
        let snapshots: Vec<ActorSnapshot> = watched.iter().map(|one| one.snapshot()).collect();
        encode_counters(
            &mut encoder,
            "actor_messages",
            "Messages an actor finished, by how they ended",
            snapshots.iter().flat_map(|one| {
                let faults = one.panics + one.timeouts;
                [
                    ([("actor", one.name), ("outcome", "answered")], one.handled.saturating_sub(one.failed)),
                    ([("actor", one.name), ("outcome", "failed")], one.failed.saturating_sub(faults)),
                    ([("actor", one.name), ("outcome", "panicked")], one.panics),
                    ([("actor", one.name), ("outcome", "timed_out")], one.timeouts),
                ]
            }),
        )?;
        let mut family = encoder.encode_descriptor(
            "actor_handle_seconds",
            "Time an actor takes for a message",
            None,
            MetricType::Histogram,
        )?;
        for one in &watched {
            one.stats().latency().encode(family.encode_family(&[("actor", one.stats().name())])?)?;
        }
        let counters: [Reading; 4] = [
            ("actor_rejected", "Questions refused because too many waited", |one| one.rejected),
            ("actor_panics", "Handlers that panicked", |one| one.panics),
            ("actor_timeouts", "Handlers that missed their deadline", |one| one.timeouts),
            ("actor_restarts", "Restarts of actors, in place or anew", |one| one.restarts),
        ];
        for (name, help, value) in counters {
            encode_counters(&mut encoder, name, help, snapshots.iter().map(|one| ([("actor", one.name)], value(one))))?;
        }
        let gauges: [Reading; 2] = [
            ("actor_queue_depth", "Work waiting for an actor", |one| one.queue_depth),
            ("actor_queue_capacity", "How much may wait for an actor", |one| one.queue_capacity),
        ];
        for (name, help, value) in gauges {
            encode_gauges(&mut encoder, name, help, snapshots.iter().map(|one| ([("actor", one.name)], value(one))))?;
        }
        encode_gauges(
            &mut encoder,
            "actor_state",
            "What an actor is doing: 1 for the state it is in",
            snapshots.iter().flat_map(|one| {
                ActorState::ALL
                    .map(|state| ([("actor", one.name), ("state", state.as_str())], u64::from(one.state == state)))
            }),
        )
    }
}
