//! People.

use super::reader::Reader;
use super::writer::Writer;
use super::StoreError;
use crate::domain::ids::UserId;

/// A person to be created, with their credits.
#[derive(Debug, Clone)]
pub struct NewUser {
    /// As given; compared without regard to case.
    pub email: String,
    /// Display name.
    pub name: String,
    /// A password hash in PHC form.
    pub password_hash: String,
    /// Credits a month brings; the first month's are there at once.
    pub monthly_allocation: i64,
    /// Credits that do not expire.
    pub bonus: i64,
    /// Whether the subscription permits overage.
    pub overage_allowed: bool,
}

/// What became of a new person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserCreated {
    /// Created.
    Created(UserId),
    /// Another person has the e-mail address; nothing was written.
    EmailTaken,
}

/// A person.
#[derive(Debug, Clone)]
pub struct UserRow {
    /// Identifier.
    pub id: UserId,
    /// As given.
    pub email: String,
    /// Display name.
    pub name: String,
    /// In PHC form.
    pub password_hash: String,
    /// When they were created.
    pub created_at_ms: i64,
}

impl Writer {
    /// Creates a person, their credit account and the movement behind its first balance.
    pub async fn create_user(&self, user: NewUser) -> Result<UserCreated, StoreError> {
        todo!()
    }
}

impl Reader {
    /// Finds a person by e-mail address, without regard to case.
    pub async fn find_user_by_email(&self, email: &str) -> Result<Option<UserRow>, StoreError> {
        todo!()
    }

    /// Finds a person.
    pub async fn find_user(&self, user: UserId) -> Result<Option<UserRow>, StoreError> {
        todo!()
    }
}
