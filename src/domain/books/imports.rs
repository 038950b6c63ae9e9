//! The input of bulk imports: each row stands for a single command.

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::statement_line::StatementLineInput;
use crate::domain::problem::Issues;

/// A row of an import that could be read.
#[derive(Debug, Clone)]
pub struct ImportRowInput {
    /// Its place in the request, from 0.
    pub row: u64,
    /// The single request it stands for.
    pub command: BooksCommand,
}

/// The rows of an import.
#[derive(Debug, Clone)]
pub struct ImportInput {
    /// Its kind, as the API words it.
    pub kind: String,
    /// How many rows were sent.
    pub rows_total: u64,
    /// Those that could be read.
    pub entries: Vec<ImportRowInput>,
    /// The rows that could not.
    pub unread: Vec<u64>,
    /// What is wrong with them.
    pub issues: Issues,
    /// Whether a line of a statement that is there already makes its row invalid.
    pub rejects_duplicates: bool,
}

/// An import to be confirmed.
#[derive(Debug, Clone)]
pub struct ImportConfirmation {
    /// Which.
    pub id: i64,
    /// With which token.
    pub token_hash: String,
    /// Its rows as they were previewed; none when the token is known to be of no use.
    pub entries: Option<ImportInput>,
    /// Whether invalid rows are left out.
    pub skips_invalid: bool,
}

/// What it takes to confirm an import with invalid rows.
pub const SKIP_INVALID: &str = "must be true to leave out the invalid rows, which the import lists";

impl BooksCommand {
    /// The action itself and, of a bulk import, its rows: what names records and needs identifiers.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Self> {
        let entries = match self {
            Self::PreviewImport { entries, .. } => entries.entries.as_slice(),
            Self::ConfirmImport(confirmed) => confirmed.entries.as_ref().map_or(&[][..], |all| all.entries.as_slice()),
            _ => &[],
        };
        std::iter::once(self).chain(entries.iter().map(|entry| &entry.command))
    }
}

/// Of which bank accounts an import has lines.
pub(crate) fn statement_rows(entries: &ImportInput) -> impl Iterator<Item = (i64, &StatementLineInput)> {
    entries.entries.iter().filter_map(|entry| match &entry.command {
        BooksCommand::CreateBankTransaction { bank_account_id, row } => Some((*bank_account_id, &**row)),
        _ => None,
    })
}
