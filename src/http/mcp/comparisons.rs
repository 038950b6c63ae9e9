//! Comparisons of statements that are under way: one at a time of a connection.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::ids::ConnectionId;

/// The connections of a service for which a comparison is under way.
#[derive(Debug, Clone, Default)]
pub struct Comparisons(Arc<Mutex<BTreeSet<ConnectionId>>>);

/// The right of a connection to a comparison; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Turn(Comparisons, ConnectionId);

impl Comparisons {
    /// Begins a comparison of a connection, unless one is under way.
    pub(super) fn begin(&self, connection: ConnectionId) -> Option<Turn> {
        let is_first = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(connection);
        is_first.then(|| Turn(self.clone(), connection))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::GrantId;

    #[test]
    fn a_connection_has_one_comparison_at_a_time() {
        let [one, another] = [1, 2].map(|id| ConnectionId::Grant(GrantId(id)));
        let comparisons = Comparisons::default();
        let first = comparisons.begin(one).expect("nobody compares");
        assert!(comparisons.begin(one).is_none());
        let _other = comparisons.begin(another).expect("another connection");
        drop(first);
        comparisons.begin(one).expect("it has ended");
    }
}
