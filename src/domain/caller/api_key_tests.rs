//! The text of API keys.

use super::*;

fn counter() -> impl FnMut(&mut [u8]) {
    let mut next = 0_u8;
    move |block| {
        for byte in block {
            *byte = next;
            next = next.wrapping_add(7);
        }
    }
}

#[test]
fn a_minted_key_parses_and_matches_its_hash() {
    let minted = mint_key(counter());
    assert_eq!(minted.plaintext.len(), KEY_LENGTH);
    let presented = parse_key(&minted.plaintext).expect("well formed");
    assert_eq!(presented.prefix, minted.prefix.as_bytes());
    assert!(presented.hash.matches(&minted.hash));
}

#[test]
fn any_single_changed_character_is_refused_without_a_look_up() {
    let key = mint_key(counter()).plaintext;
    for position in 0..key.len() {
        let mut bytes = key.clone().into_bytes();
        bytes[position] = if bytes[position] == b'x' { b'y' } else { b'x' };
        assert!(parse_key(std::str::from_utf8(&bytes).expect("ascii")).is_none(), "position {position}");
    }
    assert!(parse_key("").is_none());
    assert!(parse_key(&format!("{key}0")).is_none());
    assert!(parse_key("key_é").is_none());
}
