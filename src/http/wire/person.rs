//! Registration and log-in bodies.

use super::object::Object;
use crate::domain::characters::{is_invisible, is_variation_selector};
use crate::domain::password;
use crate::domain::problem::Issues;

/// The longest e-mail address (RFC 5321 with its brackets left out).
pub const EMAIL_LENGTH_MAX: usize = 254;
/// The longest password.
pub const PASSWORD_LENGTH_MAX: usize = 128;

/// A person who registers.
pub struct Registration {
    /// E-mail address.
    pub email: String,
    /// Password in plain text; dropped after hashing.
    pub password: String,
    /// Name.
    pub name: String,
}

/// A person who logs in.
pub struct Login {
    /// E-mail address.
    pub email: String,
    /// Password in plain text.
    pub password: String,
}

/// Whether a text can be an e-mail address: something, `@`, something with nothing odd or invisible, at most 254 characters.
pub fn email_is_usable(email: &str) -> bool {
    let is_odd = |character: char| {
        character.is_whitespace()
            || character.is_control()
            || is_invisible(character)
            || is_variation_selector(character)
            || character == '@'
    };
    let plain = |part: &str| !part.is_empty() && !part.chars().any(is_odd);
    email.chars().count() <= EMAIL_LENGTH_MAX
        && email.split_once('@').is_some_and(|(local, domain)| plain(local) && plain(domain))
}

/// Reads a registration.
pub fn parse_registration(body: &[u8], password_min_length: usize) -> Result<Registration, Issues> {
    let mut issues = Issues::default();
    let object = Object::read(body, &["email", "password", "name"], &mut issues);
    let Some(object) = object else { return Err(issues) };
    let email = object.required_text("email", 3..=EMAIL_LENGTH_MAX, &mut issues);
    if email.as_deref().is_some_and(|email| !email_is_usable(email)) {
        issues.field("body", "email", "must be an e-mail address, name@domain");
    }
    let password = object.required_text("password", password_min_length..=PASSWORD_LENGTH_MAX, &mut issues);
    let name = object.required_text("name", 1..=120, &mut issues);
    if let Some(chosen) = &password {
        let weakness =
            password::weakness(chosen, email.as_deref().unwrap_or_default(), name.as_deref().unwrap_or_default());
        if let Some(weakness) = weakness {
            issues.field("body", "password", weakness);
        }
    }
    object.order(&mut issues);
    match (email, password, name) {
        (Some(email), Some(password), Some(name)) if issues.is_empty() => Ok(Registration { email, password, name }),
        _ => Err(issues),
    }
}

/// Reads a log-in. Only the shape is checked: what a password may look like is no business of a log-in.
pub fn parse_login(body: &[u8]) -> Result<Login, Issues> {
    let mut issues = Issues::default();
    let object = Object::read(body, &["email", "password"], &mut issues);
    let Some(object) = object else { return Err(issues) };
    let email = object.required_text("email", 1..=EMAIL_LENGTH_MAX, &mut issues);
    let password = object.required_text("password", 1..=PASSWORD_LENGTH_MAX, &mut issues);
    object.order(&mut issues);
    match (email, password) {
        (Some(email), Some(password)) if issues.is_empty() => Ok(Login { email, password }),
        _ => Err(issues),
    }
}
