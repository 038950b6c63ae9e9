//! The JSON of a coding job: the strict request body in (`request`), the result object out (`result`).

mod request;
mod result;

pub use request::{Limits, Submission, parse};
pub use result::{result_end, write_open_result, write_result};

#[cfg(test)]
mod tests;
