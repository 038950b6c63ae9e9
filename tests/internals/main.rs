//! Tests of how the program is built rather than of what it does over HTTP.
#![expect(clippy::expect_used, clippy::panic, reason = "tests may fail loudly")]

mod architecture;
