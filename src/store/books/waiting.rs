//! A command that waits for the writer.

use tokio::sync::oneshot;

use crate::domain::books::request::{CommandOutcome, CommandRequest};
use crate::store::StoreError;

/// A command with its caller.
pub(in crate::store) struct WaitingCommand {
    pub(super) request: CommandRequest,
    pub(super) outcome: Option<CommandOutcome>,
    caller: oneshot::Sender<Result<CommandOutcome, StoreError>>,
}

impl WaitingCommand {
    pub(in crate::store) fn new(
        request: CommandRequest,
        caller: oneshot::Sender<Result<CommandOutcome, StoreError>>,
    ) -> Self {
        Self { request, outcome: None, caller }
    }

    pub(in crate::store) fn answer(self: Box<Self>, outcome: Result<(), StoreError>) {
        let Self { outcome: decided, caller, .. } = *self;
        let missing = || StoreError::Other("the command was not decided".to_owned());
        // The caller may have gone; the change stands.
        let _ = caller.send(outcome.and_then(|()| decided.ok_or_else(missing)));
    }
}
