//! What an actor answers when it cannot answer the question.

/// Why a question to an actor was not answered. `Busy` and `Down` mean that nothing was done; after `Panicked` and
/// `TimedOut` the caller cannot know how far the work went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ActorError {
    /// As many questions are waiting as may wait; come back later.
    #[error("the actor's queue is full")]
    Busy,
    /// The actor is not running, or died while the question waited.
    #[error("the actor is not running")]
    Down,
    /// The handler panicked; the actor has read its state again.
    #[error("the actor failed while handling the message")]
    Panicked,
    /// The handler did not finish before its deadline.
    #[error("the actor did not answer in time")]
    TimedOut,
}
