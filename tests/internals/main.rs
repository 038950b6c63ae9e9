//! What cannot be seen over HTTP: the parts inside, driven directly.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests may fail loudly")]

mod actors;
