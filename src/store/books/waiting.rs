//! A command that waits for the writer.

use tokio::sync::oneshot;

use crate::domain::books::request::{CommandOutcome, CommandRequest};
use crate::store::StoreError;

/// A command with the caller who waits for its answer.
pub(in crate::store) struct WaitingCommand {
    pub(super) request: CommandRequest,
    pub(super) outcome: Option<CommandOutcome>,
    caller: oneshot::Sender<Result<CommandOutcome, StoreError>>,
}

impl WaitingCommand {
    /// A command that is not decided yet.
    pub(in crate::store) fn new(
        request: CommandRequest,
        caller: oneshot::Sender<Result<CommandOutcome, StoreError>>,
    ) -> Self {
        Self { request, outcome: None, caller }
    }

    /// Answers the caller once the group is committed or has failed.
    pub(in crate::store) fn answer(self: Box<Self>, outcome: Result<(), StoreError>) {
        let Self { outcome: decided, caller, .. } = *self;
        let missing = || StoreError::Other("the command was not decided".to_owned());
        // The caller may have gone; the change is committed all the same.
        let _ = caller.send(outcome.and_then(|()| decided.ok_or_else(missing)));
    }
}
