//! The rules of the authorization server (OAuth 2.1): tokens, redirect URIs, proof keys, how long what is granted lasts,
//! and which documents of clients may be fetched.

pub mod client_url;
pub mod document_age;
pub mod error;
pub mod lifetimes;
pub mod proof_key;
pub mod public_address;
pub mod redirect;
pub mod token;

use super::caller::{Scope, ScopeSet};
use super::characters::is_invisible;

/// What a first connection is told to ask for; sending e-mails is asked for when it is needed.
pub fn first_scopes() -> ScopeSet {
    [Scope::BooksRead, Scope::BooksWrite, Scope::CodingRead, Scope::CodingWrite].into_iter().collect()
}

/// The longest name of an application that is kept.
const CLIENT_NAME_CHARS_MAX: usize = 100;

/// The name an application gave itself, without the characters that could make a page show something else: controls, and
/// those that turn the direction of text or cannot be seen.
pub fn client_name(given: &str) -> Option<String> {
    let is_shown = |character: &char| !character.is_control() && !is_invisible(*character);
    let name: String = given.chars().filter(is_shown).take(CLIENT_NAME_CHARS_MAX).collect();
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_could_deceive() {
        assert_eq!(client_name(" A\u{0}ge\u{202e}nt\r\n ").as_deref(), Some("Agent"));
        assert_eq!(client_name("\u{200b}\u{feff}\t"), None);
        assert_eq!(client_name(&"é".repeat(150)).map(|name| name.chars().count()), Some(100));
        assert_eq!(client_name("<b>&\"'").as_deref(), Some("<b>&\"'"));
    }

    #[test]
    fn the_first_connection_does_not_ask_to_send() {
        assert_eq!(first_scopes().to_stored(), "coding:read coding:write books:read books:write");
    }
}
