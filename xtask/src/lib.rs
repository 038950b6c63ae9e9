//! Black-box tools: they know the service only by its operating contract (the program, its commands and settings) and
//! its HTTP API, and never speak to anything but loopback. The development commands and the benches share them.

pub mod agents;
pub mod books;
pub mod coding_datasets;
pub mod conformance;
pub mod datasets;
pub mod faults;
pub mod frozen;
pub mod http;
pub mod jobs;
pub mod load;
pub mod mail_server;
pub mod plain_text;
pub mod planning;
pub mod postgres;
pub mod postings;
pub mod process;
pub mod products;
pub mod program;
pub mod random;
pub mod reckoning;
pub mod report;
pub mod statistics;
pub mod suggesting;
