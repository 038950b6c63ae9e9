//! The one writer task.

/// Hands units to the writer task; cheap to clone.
#[derive(Clone)]
pub struct Writer {}
