//! Bulk imports: every row is decided like the single request it stands for, in order, and all of them are written
//! together. A preview decides the same over a copy of the books.

use serde::{Deserialize, Serialize};

use super::action::Action;
use super::changes::Told;
use super::decide::{Desk, Stop};
use super::ids::Kind;
use super::import_rows::ImportRow;
use super::post::{Post, Posted};
use super::previews::{NewPreview, Purpose};
use crate::domain::ledger::bank_import::{self, ImportRow as StatementRow, RowKey, RowOutcome};
use crate::domain::ledger::change::{ChangeAction, Resource};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::{Extra, Refusal};
use crate::domain::problem::{Issue, Issues};

/// A row of an import that could be read.
#[derive(Debug, Clone)]
pub struct ImportEntry {
    /// Its place in the request, from 0.
    pub row: u64,
    /// The single request it stands for.
    pub action: Action,
}

/// The rows of an import.
#[derive(Debug, Clone)]
pub struct ImportEntries {
    /// Its kind, as the API words it.
    pub kind: String,
    /// How many rows were sent.
    pub rows_total: u64,
    /// Those that could be read.
    pub entries: Vec<ImportEntry>,
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
    pub entries: Option<ImportEntries>,
    /// Whether invalid rows are left out.
    pub skips_invalid: bool,
}

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowStatus {
    /// It made a record.
    Created,
    /// It is there already.
    Duplicate,
    /// It was left out.
    Invalid,
}

/// What became of a row, and the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowResult {
    /// Its place, from 0.
    pub row: u64,
    /// The record.
    pub id: Option<i64>,
    /// What became of it.
    pub status: RowStatus,
}

/// What rows did, or would do.
struct Run {
    results: Vec<RowResult>,
    issues: Issues,
    journals: i64,
    debit_pence: i64,
}

impl Run {
    fn rows_of(&self, status: RowStatus) -> Vec<u64> {
        self.results.iter().filter(|result| result.status == status).map(|result| result.row).collect()
    }
}

impl Desk<'_> {
    pub(super) fn preview_import(
        &mut self,
        post: &Post,
        entries: &ImportEntries,
        preview: &NewPreview,
    ) -> Result<Posted, Stop> {
        let before = (self.books.clone(), self.facts.clone(), self.effects.clone(), self.identifiers.clone());
        let run = self.run_rows(post, entries, None);
        (*self.books, *self.facts, *self.effects, *self.identifiers) = before;
        let run = run?;
        let id = self.identifiers.next(Kind::Import);
        let expires_at_ms = self.keep_preview(Purpose::Import(id), preview);
        let row = ImportRow {
            id,
            kind: entries.kind.clone(),
            is_confirmed: false,
            rows_total: count(entries.rows_total),
            invalid: run.rows_of(RowStatus::Invalid),
            duplicates: run.rows_of(RowStatus::Duplicate),
            issues: run.issues,
            journals: run.journals,
            debit_pence: run.debit_pence,
            results: Vec::new(),
            user_id: self.poster.user_id.0,
            key_prefix: self.poster.key_prefix.clone(),
            created_at_ms: self.now_ms,
            expires_at_ms,
            confirmed_at_ms: None,
        };
        let organisation = self.organisation();
        self.effects.count(organisation, "import", "previewed", 1);
        self.effects.import(organisation, row.clone());
        Ok(Posted::BulkImport(Box::new(row), Some(preview.token.clone())))
    }

    pub(super) fn confirm_import(&mut self, post: &Post, asked: &super::ImportConfirmation) -> Result<Posted, Stop> {
        let organisation = self.organisation();
        let stored = self.facts.imports.get(&asked.id).filter(|(of, _)| *of == organisation);
        let (_, stored) = stored.cloned().ok_or(Stop::Unknown)?;
        self.require_token(&asked.token_hash, Purpose::Import(asked.id))?;
        let entries = asked.entries.as_ref().ok_or(Refusal::TokenExpired)?;
        let before = (self.books.clone(), self.facts.clone(), self.effects.clone());
        let row = match self
            .run_rows(post, entries, Some(stored.id))
            .and_then(|run| accepted(run, &stored, asked.skips_invalid))
        {
            Ok(run) => {
                ImportRow { is_confirmed: true, confirmed_at_ms: Some(self.now_ms), results: run.results, ..stored }
            }
            Err(stop) => {
                // The rows before must leave nothing either.
                (*self.books, *self.facts, *self.effects) = before;
                return Err(stop);
            }
        };
        self.use_token(&asked.token_hash);
        let banks: std::collections::BTreeSet<i64> = statement_rows(entries).map(|(bank, _)| bank).collect();
        banks.into_iter().for_each(|bank| self.imported_now(bank));
        self.effects.count(organisation, "import", "previewed", -1);
        self.effects.count(organisation, "import", "confirmed", 1);
        self.effects.import(organisation, row.clone());
        self.facts.imports.insert(row.id, (organisation, row.clone()));
        let created = row.results.iter().filter(|result| result.status == RowStatus::Created).count();
        let after = Told::new()
            .text("kind", row.kind.as_str())
            .number("rows_created", i64::try_from(created).unwrap_or(i64::MAX))
            .number("journals", row.journals);
        let summary = format!("{created} {} imported", row.kind.replace('_', " "));
        self.note_change(ChangeAction::Create, (Resource::Import, row.id), summary, None, Some(after));
        Ok(Posted::BulkImport(Box::new(row), None))
    }

    /// Decides every row in order; one that is refused leaves nothing. A preview is no import yet.
    fn run_rows(&mut self, post: &Post, entries: &ImportEntries, import_id: Option<i64>) -> Result<Run, Stop> {
        let (journals, debits) = (self.books.next_journal_number, self.effects.debits_pence());
        let unread = entries.unread.iter().map(|row| RowResult { row: *row, id: None, status: RowStatus::Invalid });
        let mut run = Run { results: unread.collect(), issues: Issues::default(), journals: 0, debit_pence: 0 };
        let mut statements = self.statement_outcomes(entries).into_iter();
        for entry in &entries.entries {
            let decided = match &entry.action {
                Action::CreateBankTransaction { bank_account_id, row } => {
                    let outcome = statements.next().unwrap_or(RowOutcome::Created);
                    match outcome {
                        RowOutcome::Created => self.enter_bank_transaction(*bank_account_id, row, import_id),
                        _ if entries.rejects_duplicates => Err(duplicate(row, outcome).into()),
                        RowOutcome::DuplicateOf(id) => {
                            run.results.push(RowResult {
                                row: entry.row,
                                id: Some(id.0),
                                status: RowStatus::Duplicate,
                            });
                            continue;
                        }
                        RowOutcome::RepeatsRow(_) => {
                            run.results.push(RowResult { row: entry.row, id: None, status: RowStatus::Duplicate });
                            continue;
                        }
                    }
                }
                action => self.decide_action(post, action),
            };
            let result = match decided {
                Ok(posted) => RowResult { row: entry.row, id: Some(posted.id()), status: RowStatus::Created },
                Err(Stop::Refused(refusal)) => {
                    run.issues.push(issue(entry.row, &refusal));
                    RowResult { row: entry.row, id: None, status: RowStatus::Invalid }
                }
                Err(stop) => return Err(stop),
            };
            run.results.push(result);
        }
        run.results.sort_by_key(|result| result.row);
        run.issues = entries.issues.clone().merged_by_row(run.issues);
        run.journals = self.books.next_journal_number - journals;
        run.debit_pence = self.effects.debits_pence() - debits;
        Ok(run)
    }

    /// Which lines of statements are new, in the order in which they come: rows without the bank's own id are a multiset.
    fn statement_outcomes(&self, entries: &ImportEntries) -> Vec<RowOutcome> {
        let mut outcomes = Vec::new();
        let mut of_bank: std::collections::BTreeMap<i64, (Vec<usize>, Vec<StatementRow>)> =
            std::collections::BTreeMap::new();
        for entry in &entries.entries {
            let Action::CreateBankTransaction { bank_account_id, row } = &entry.action else { continue };
            let (places, rows) = of_bank.entry(*bank_account_id).or_default();
            places.push(outcomes.len());
            rows.push(StatementRow {
                key: RowKey { date: row.day, amount: Pence(row.amount_pence), description: row.description.clone() },
                external_id: row.external_id.clone(),
            });
            outcomes.push(RowOutcome::Created);
        }
        for (bank, (places, rows)) in of_bank {
            let stored = self.facts.stored_rows.get(&bank).cloned().unwrap_or_default();
            for (place, outcome) in places.into_iter().zip(bank_import::plan(&rows, &stored)) {
                if let Some(known) = outcomes.get_mut(place) {
                    *known = outcome;
                }
            }
        }
        outcomes
    }
}

/// What it takes to confirm an import with invalid rows.
pub const SKIP_INVALID: &str = "must be true to leave out the invalid rows, which the import lists";

/// Whether rows do what was previewed, and may.
fn accepted(run: Run, stored: &ImportRow, skips_invalid: bool) -> Result<Run, Stop> {
    let is_same = run.rows_of(RowStatus::Invalid) == stored.invalid
        && run.rows_of(RowStatus::Duplicate) == stored.duplicates
        && (run.journals, run.debit_pence) == (stored.journals, stored.debit_pence);
    if !is_same {
        let why = "the books have changed since the preview, and the rows would do something else: make a new preview";
        return Err(Refusal::StaleVersion.because(why).into());
    }
    if run.issues.is_empty() || skips_invalid {
        Ok(run)
    } else {
        Err(Refusal::field("skip_invalid", SKIP_INVALID).into())
    }
}

fn duplicate(row: &super::BankRow, outcome: RowOutcome) -> Refusal {
    let existing_id = match outcome {
        RowOutcome::DuplicateOf(id) => Some(id.0),
        RowOutcome::RepeatsRow(_) | RowOutcome::Created => None,
    };
    // Without the bank's own id it is the whole row that is there already.
    let field = if row.external_id.is_some() { "external_id" } else { "" };
    Refusal::DuplicateExternalId { field: field.into(), existing_id }
}

/// A refusal of a row, as one of the issues of its import.
fn issue(row: u64, refusal: &Refusal) -> Issue {
    let field = refusal.extras().into_iter().find_map(|(key, value)| match value {
        Extra::Text(text) if key == "field" => Some(text).filter(|text| !text.is_empty()),
        Extra::Row(line) => Some(format!("lines[{line}]")),
        _ => None,
    });
    let path = match &field {
        Some(field) => format!("rows[{row}].{field}"),
        None => format!("rows[{row}]"),
    };
    let message = match refusal {
        Refusal::Field { message, .. } => message.clone().into_owned(),
        other => other.message(),
    };
    Issue { section: "rows".to_owned(), row: Some(row), field, path, message }
}

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Action {
    /// The action itself and, of a bulk import, its rows: what names records and needs identifiers.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Self> {
        let entries = match self {
            Self::PreviewImport { entries, .. } => entries.entries.as_slice(),
            Self::ConfirmImport(confirmed) => confirmed.entries.as_ref().map_or(&[][..], |all| all.entries.as_slice()),
            _ => &[],
        };
        std::iter::once(self).chain(entries.iter().map(|entry| &entry.action))
    }
}

/// Of which bank accounts an import has lines.
pub(super) fn statement_rows(entries: &ImportEntries) -> impl Iterator<Item = (i64, &super::BankRow)> {
    entries.entries.iter().filter_map(|entry| match &entry.action {
        Action::CreateBankTransaction { bank_account_id, row } => Some((*bank_account_id, &**row)),
        _ => None,
    })
}
