//! What was previewed and waits to be confirmed: the request as it was sent, under a token that works once.

use super::action::Action;
use super::decide::Desk;
use super::facts::Facts;
use super::post::Post;
use super::rows::{Column, Rows};
use crate::domain::ids::{OrganisationId, UserId};
use crate::domain::ledger::refusal::Refusal;
use crate::store::StoreError;
use crate::store::reader::Reader;
use crate::store::sql::{Unit, params};
use Column::{Number, Text};

/// How long a token works.
pub(super) const LIFE_MS: i64 = 30 * 60 * 1_000;
/// How much longer it is known that it has worked, or has expired.
const KEPT_MS: i64 = 7 * 24 * 3_600 * 1_000;

/// What a preview is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Opening balances.
    OpeningBalances,
    /// This bulk import.
    Import(i64),
}

impl Purpose {
    const fn import_id(self) -> Option<i64> {
        match self {
            Self::OpeningBalances => None,
            Self::Import(id) => Some(id),
        }
    }
}

/// A preview to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPreview {
    /// What the caller will confirm it with.
    pub token: String,
    /// Its SHA-256, which is what is stored.
    pub token_hash: String,
    /// The request.
    pub body: String,
}

/// A preview as kept, without its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PreviewRow {
    organisation: i64,
    user_id: i64,
    import_id: Option<i64>,
    created_at_ms: i64,
    expires_at_ms: i64,
    used_at_ms: Option<i64>,
}

const COLUMNS: &[Column] = &[
    Text("token_hash"),
    Number("organisation_id"),
    Number("user_id"),
    Number("import_id"),
    Text("body"),
    Number("created_at"),
    Number("expires_at"),
    Number("used_at"),
];

/// Rows of previews; one that was used keeps no request.
pub(super) fn preview_rows() -> Rows {
    let conflict = "on conflict (token_hash) do update set body = excluded.body, used_at = excluded.used_at";
    Rows::new("book_preview", COLUMNS, conflict)
}

impl Desk<'_> {
    /// Keeps a preview; says until when it may be confirmed.
    pub(super) fn keep_preview(&mut self, purpose: Purpose, new: &NewPreview) -> i64 {
        let row = PreviewRow {
            organisation: self.organisation(),
            user_id: self.poster.user_id.0,
            import_id: purpose.import_id(),
            created_at_ms: self.now_ms,
            expires_at_ms: self.now_ms.saturating_add(LIFE_MS),
            used_at_ms: None,
        };
        let expires_at_ms = row.expires_at_ms;
        self.effects.preview(&new.token_hash, &row, &new.body);
        self.facts.previews.insert(new.token_hash.clone(), row);
        expires_at_ms
    }

    /// Refuses a token that has been used, is too old, or was never given to this person for this.
    pub(super) fn require_token(&self, hash: &str, purpose: Purpose) -> Result<(), Refusal> {
        let of_caller = |row: &&PreviewRow| {
            row.organisation == self.organisation()
                && row.user_id == self.poster.user_id.0
                && row.import_id == purpose.import_id()
        };
        let row = self.facts.previews.get(hash).filter(of_caller).ok_or(Refusal::TokenExpired)?;
        if row.used_at_ms.is_some() {
            return Err(Refusal::TokenUsed);
        }
        if row.expires_at_ms <= self.now_ms { Err(Refusal::TokenExpired) } else { Ok(()) }
    }

    pub(super) fn use_token(&mut self, hash: &str) {
        if let Some(row) = self.facts.previews.get_mut(hash) {
            row.used_at_ms = Some(self.now_ms);
            self.effects.preview(hash, &row.clone(), "");
        }
    }
}

impl PreviewRow {
    pub(super) fn push(&self, rows: &mut Rows, hash: &str, body: &str) {
        rows.push([
            hash.into(),
            self.organisation.into(),
            self.user_id.into(),
            self.import_id.into(),
            body.into(),
            self.created_at_ms.into(),
            self.expires_at_ms.into(),
            self.used_at_ms.into(),
        ]);
    }
}

/// Loads the previews that postings confirm, and the opening journals that stand.
pub(super) async fn load(unit: &Unit<'_>, posts: &[&Post], facts: &mut Facts) -> Result<(), StoreError> {
    let hashes: Vec<&str> = posts.iter().filter_map(|post| post.action.token_hash()).collect();
    if hashes.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "select token_hash, organisation_id, user_id, import_id, created_at, expires_at, used_at from book_preview \
         where token_hash in {}",
        unit.texts_of_json()
    );
    // Texts always print.
    for row in unit.all(&sql, params![serde_json::to_string(&hashes).unwrap_or_default()]).await? {
        let preview = PreviewRow {
            organisation: row.get(1)?,
            user_id: row.get(2)?,
            import_id: row.get(3)?,
            created_at_ms: row.get(4)?,
            expires_at_ms: row.get(5)?,
            used_at_ms: row.get(6)?,
        };
        facts.previews.insert(row.get(0)?, preview);
    }
    Ok(())
}

/// Forgets previews that nobody can confirm any more.
pub(super) async fn forget_old(unit: &Unit<'_>) -> Result<(), StoreError> {
    let before = unit.now_ms.saturating_sub(KEPT_MS);
    unit.execute("delete from book_preview where expires_at < $1", params![before]).await?;
    Ok(())
}

impl Action {
    /// The token it confirms.
    fn token_hash(&self) -> Option<&str> {
        match self {
            Self::SetOpening { token_hash, .. } => token_hash.as_deref(),
            Self::ConfirmImport(confirmed) => Some(&confirmed.token_hash),
            _ => None,
        }
    }
}

impl Reader {
    /// The request that was previewed under a token by this person, while it may be confirmed.
    pub async fn previewed(
        &self,
        organisation: OrganisationId,
        user: UserId,
        token_hash: &str,
    ) -> Result<Option<String>, StoreError> {
        let sql = "select body from book_preview where token_hash = $1 and organisation_id = $2 and user_id = $3 \
                   and used_at is null";
        let row = self.one(sql, params![token_hash, organisation.0, user.0]).await?;
        row.map(|row| row.get(0)).transpose()
    }
}
