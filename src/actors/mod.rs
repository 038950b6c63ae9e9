//! The actors, and the runtime that keeps them alive and seen.

pub mod runtime;
