//! People.

use super::StoreError;
use super::epochs::Topic;
use super::sql::{Row, Unit, params};
use super::writer::{Locks, Writer};
use crate::domain::date::Month;
use crate::domain::ids::UserId;
use crate::store::sql::Reader;

const COLUMNS: &str = "id, email, name, password_hash, created_at";

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
        self.unit(Locks::Credits, user, |unit, user| Box::pin(create(unit, user))).await
    }
}

impl Reader {
    /// Finds a person by e-mail address, without regard to case.
    pub async fn find_user_by_email(&self, email: &str) -> Result<Option<UserRow>, StoreError> {
        let sql = format!("select {COLUMNS} from user_account where email_key = $1");
        self.one(&sql, params![email_key(email)]).await?.map(|row| read(&row)).transpose()
    }

    /// Finds a person.
    pub async fn find_user(&self, user: UserId) -> Result<Option<UserRow>, StoreError> {
        let sql = format!("select {COLUMNS} from user_account where id = $1");
        self.one(&sql, params![user.0]).await?.map(|row| read(&row)).transpose()
    }
}

fn email_key(email: &str) -> String {
    email.to_lowercase()
}

fn read(row: &Row) -> Result<UserRow, StoreError> {
    Ok(UserRow {
        id: UserId(row.get(0)?),
        email: row.get(1)?,
        name: row.get(2)?,
        password_hash: row.get(3)?,
        created_at_ms: row.get(4)?,
    })
}

async fn create(unit: &Unit<'_>, user: &NewUser) -> Result<UserCreated, StoreError> {
    let sql = "insert into user_account (email, email_key, name, password_hash, created_at) \
               values ($1, $2, $3, $4, $5) on conflict (email_key) do nothing returning id";
    let values = params![
        user.email.as_str(),
        email_key(&user.email),
        user.name.as_str(),
        user.password_hash.as_str(),
        unit.now_ms
    ];
    let Some(row) = unit.one(sql, values).await? else { return Ok(UserCreated::EmailTaken) };
    let id: i64 = row.get(0)?;
    let epoch = unit.bump(Topic::Credits).await?;
    let statements = [
        "insert into credit_account (user_id, period, monthly, bonus, overage_used, monthly_allocation, \
         overage_allowed, changed_epoch) values ($1, $2, $3, $4, 0, $3, $5, $6)",
        "insert into credit_movement (user_id, kind, reference, monthly, bonus, overage, note, at) \
         values ($1, 'opening', $7, $3, $4, 0, null, $8)",
    ];
    let values = params![
        id,
        Month::of_ms(unit.now_ms).0,
        user.monthly_allocation,
        user.bonus,
        user.overage_allowed,
        epoch,
        id.to_string(),
        unit.now_ms
    ];
    unit.batch(&statements, values).await?;
    Ok(UserCreated::Created(UserId(id)))
}
