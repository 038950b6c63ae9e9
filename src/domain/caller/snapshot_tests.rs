//! Keys as they are published: who is accepted.

use super::*;

fn snapshot(hash: KeyHash) -> Arc<KeySnapshot> {
    Arc::new(KeySnapshot {
        prefix: String::new(),
        key_id: KeyId(1),
        user_id: UserId(2),
        name: "n".to_owned(),
        hash,
        scopes: [Scope::BooksRead].into_iter().collect(),
        allow_overage: false,
        reach: KeyReach::All,
        last_used_ms: AtomicI64::new(0),
        window: Arc::default(),
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
    key.touch(20);
    key.touch(10);
    assert_eq!(key.last_used_ms.load(Ordering::Relaxed), 20);
    assert!(key.has(Scope::BooksRead) && !key.has(Scope::BooksSend));
}
