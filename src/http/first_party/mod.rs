//! Endpoints of the first-party application: registration, log-in, the progress socket. Not part of the public contract.

pub mod account;
pub mod log_ins;
pub mod password_queue;
pub mod progress;
pub mod throttle;
