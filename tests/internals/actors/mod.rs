//! The actor runtime under injected faults: one file per fault.

mod down;
mod exposition;
mod full;
mod hang;
mod listener;
mod organisations;
mod panic;
mod probe;
mod seen;
mod stopping;
mod unguarded;
