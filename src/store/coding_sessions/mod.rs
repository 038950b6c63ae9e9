//! Coding sessions: how they are started, loaded, run and ended, and the queries about them.

mod ending;
mod load;
mod posted;
mod records;
mod runs;
mod tokens;

pub use ending::Cleared;
pub use load::{Load, LoadAnswer, Loaded};
pub use records::{NewCodingSession, SessionStatement, StatementAdded};
pub use runs::RunEnded;
pub use tokens::{NewToolToken, ToolToken};
