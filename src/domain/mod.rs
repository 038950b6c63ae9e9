//! Rules of the products: pure code without async, storage or HTTP.

pub mod control;
pub mod recon;
