//! What cannot be seen over HTTP: the parts inside, driven directly.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail loudly")]

mod actors;
mod architecture;
