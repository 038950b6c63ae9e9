//! JSON shapes of the public API.

pub mod recon;
