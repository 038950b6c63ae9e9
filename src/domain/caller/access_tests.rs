//! Scopes, roles and reach.

use super::*;

#[test]
fn scope_sets_survive_storage() {
    let all: ScopeSet = Scope::ALL.into_iter().collect();
    assert_eq!(ScopeSet::from_stored(&all.to_stored()), Some(all));
    assert_eq!(ScopeSet::from_stored("books:read nonsense"), None);
    let mut one = ScopeSet::default();
    assert!(one.insert(Scope::BooksSend));
    assert!(!one.insert(Scope::BooksSend));
    assert_eq!(one.names(), ["books:send"]);
}
