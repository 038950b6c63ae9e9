//! Keys as they are published: who is accepted.

use super::*;
use crate::domain::ids::KeyId;

fn snapshot(hash: KeyHash) -> Arc<KeySnapshot> {
    Arc::new(KeySnapshot {
        prefix: String::new(),
        hash,
        access: ConnectionAccess {
            id: ConnectionId::Key(KeyId(1)),
            user_id: UserId(2),
            name: "n".to_owned(),
            scopes: [Scope::BooksRead].into_iter().collect(),
            granted: [Scope::BooksRead].into_iter().collect(),
            allow_overage: false,
            reach: KeyReach::All,
            usage: Arc::default(),
        },
    })
}

#[test]
fn only_the_right_secret_is_accepted() {
    let minted = mint_key(|block| block.fill(9));
    let presented = parse_key(&minted.plaintext).expect("well formed");
    assert!(verify_key(Some(snapshot(minted.hash)), &presented).is_some());
    assert!(verify_key(Some(snapshot(KeyHash([1; 32]))), &presented).is_none());
    assert!(verify_key(None, &presented).is_none());
}

#[test]
fn the_moment_of_use_never_goes_back() {
    let key = snapshot(KeyHash([1; 32]));
    key.access.touch(20);
    key.access.touch(10);
    assert_eq!(key.access.usage.last_used_ms(), 20);
    assert!(key.access.has(Scope::BooksRead) && !key.access.has(Scope::BooksSend));
}
