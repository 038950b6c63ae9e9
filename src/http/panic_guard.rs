//! A panic in a handler becomes a 500 with the envelope; left alone, the server library would close the socket with
//! zero bytes on it.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;

use super::error::ApiError;

/// Runs a handler's future. Nothing it shares with others may be left half changed by a panic: handlers send messages
/// and read snapshots, both of which survive one.
///
/// Takes a pinned or boxed future, so that guarding never moves a large one.
pub(super) fn guard<T>(
    future: impl Future<Output = Result<T, ApiError>> + Unpin,
) -> impl Future<Output = Result<T, ApiError>> {
    AssertUnwindSafe(future).catch_unwind().map(|outcome| outcome.unwrap_or_else(|panic| Err(failure(&*panic))))
}

/// Calls something that may panic before it has a future.
pub(super) fn call<T>(make: impl FnOnce() -> T) -> Result<T, ApiError> {
    std::panic::catch_unwind(AssertUnwindSafe(make)).map_err(|panic| failure(&*panic))
}

fn failure(panic: &(dyn Any + Send)) -> ApiError {
    ApiError::internal(format!("panicked: {}", text(panic)))
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let fixed = panic.downcast_ref::<&str>().copied();
    fixed.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("something that is not text")
}
