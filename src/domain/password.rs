//! Which passwords are refused when they are chosen: what anybody would try first (NIST SP 800-63B, section 3.1.1.2: the whole
//! password is compared, and nothing is asked of the characters it is made of).

use super::characters::{is_invisible, is_variation_selector};

/// Passwords of twelve characters and more that head the lists of what was found in breaches, and what stands for this service.
const COMMON: [&str; 46] = [
    "111222333444",
    "123123123123",
    "123qwe123qwe",
    "1a2b3c4d5e6f",
    "1q2w3e4r5t6y",
    "1q2w3e4r5t6y7u",
    "1qaz2wsx3edc",
    "1qaz2wsx3edc4rfv",
    "abc123abc123",
    "abcd1234abcd",
    "administrator",
    "administrator1",
    "asdfghjkl123",
    "asdfghjkl1234",
    "bookkeeping1",
    "bookkeeping12",
    "bookkeeping123",
    "bookkeeping-suite",
    "bookkeepingsuite",
    "changeme1234",
    "changemechangeme",
    "correct horse battery staple",
    "correcthorsebatterystaple",
    "football1234",
    "iloveyou1234",
    "iloveyouforever",
    "letmein12345",
    "letmeinletmein",
    "mypassword123",
    "p@ssw0rd1234",
    "p@ssword1234",
    "passw0rd1234",
    "password1234",
    "password12345",
    "password123456",
    "passwordpassword",
    "q1w2e3r4t5y6",
    "qwerty123456",
    "qwertyqwerty",
    "qwertyuiop12",
    "qwertyuiop123",
    "qwertyuiop1234",
    "qwertyuiopasdfghjkl",
    "welcome12345",
    "zaq12wsxcde3",
    "zaq1zaq1zaq1",
];

/// Why a password may not be chosen by a person of this e-mail address and name; none when it may.
pub fn weakness(password: &str, email: &str, name: &str) -> Option<&'static str> {
    let (password, email) = (folded(password), folded(email));
    if password.is_empty() {
        return Some("must not be blank");
    }
    let local_part = email.split('@').next().unwrap_or_default();
    if password == email || password == local_part || password == folded(name) {
        return Some("must not be the e-mail address or the name");
    }
    if is_run(&password) {
        return Some("must not be one character repeated, or characters that follow each other");
    }
    COMMON.contains(&password.as_str()).then_some("is one of those that everybody tries first")
}

/// What is to be seen of a text, in lower case: guessers leave out what cannot be seen, and take any space for a space.
fn folded(text: &str) -> String {
    let seen = text.chars().filter(|character| !is_invisible(*character) && !is_variation_selector(*character));
    let seen: String = seen
        .map(|character| if character.is_whitespace() { ' ' } else { character })
        .filter(|character| !character.is_control())
        .collect();
    seen.trim().to_lowercase()
}

/// Whether each character is the one before, or the next, or the previous one: `aaaa`, `1234`, `9876`.
fn is_run(text: &str) -> bool {
    let step = |from: char, to: char| match (from, to) {
        ('9', '0') => 1,
        ('0', '9') => -1,
        _ => i64::from(u32::from(to)) - i64::from(u32::from(from)),
    };
    let steps: Vec<i64> = text.chars().zip(text.chars().skip(1)).map(|(from, to)| step(from, to)).collect();
    [-1, 0, 1].iter().any(|wanted| steps.iter().all(|step| step == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMAIL: &str = "Ada.Lovelace@example.com";

    #[test]
    fn what_anybody_would_try_first_is_weak() {
        for weak in [
            "            ",
            "\u{3000}\u{200b}\u{a0}\u{2800}\t\u{feff}",
            "ada.lovelace@example.com",
            " ADA.LOVELACE@EXAMPLE.COM ",
            "ada.lovelace",
            "Augusta Ada King",
            "aaaaaaaaaaaa",
            "éééééééééééé",
            "123456789012",
            "210987654321",
            "abcdefghijklm",
            "Password1234",
            "correct horse battery staple",
            "ada.lovelace@example.com\u{200b}",
            "ada\u{200d}.lovelace",
            "password1234\u{200b}",
            "pass\u{fe0f}word\u{ad}1234",
            "aaaaaaaaaaaa\u{200b}",
            "12345\u{2060}6789012",
            "augusta\u{a0}ada\u{a0}king",
        ] {
            assert!(weakness(weak, EMAIL, "Augusta Ada King").is_some(), "{weak:?}");
        }
    }

    #[test]
    fn what_a_password_is_made_of_does_not_matter() {
        for usable in [
            "correct horse battery",
            "no digits at all",
            "135792468013",
            "ada.lovelace@example.org",
            "  x y  z w  ",
            "пароль из слов",
        ] {
            assert_eq!(weakness(usable, EMAIL, "Ada"), None, "{usable:?}");
        }
        assert!(COMMON.iter().all(|common| *common == common.to_lowercase() && common.chars().count() >= 12));
    }
}
