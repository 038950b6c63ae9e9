//! Decides bulk imports: the commands of the rows, in order, all of them or none. A preview decides the same commands and
//! undoes them.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::books::audit_fields::{AuditFields, ChangeAction, Resource};
use crate::domain::books::command::{BooksCommand, ImportConfirmation, ImportInput, SKIP_INVALID, statement_rows};
use crate::domain::books::decide::{BooksTransaction, Rejection};
use crate::domain::books::effects::Effect;
use crate::domain::books::numbers::IdSequence;
use crate::domain::books::records::import::{ImportRecord, RowResult, RowStatus};
use crate::domain::books::records::preview::{NewPreview, Purpose};
use crate::domain::books::records::statement_line::StatementLineInput;
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::ledger::bank_import;
use crate::domain::ledger::bank_import::{NewStatementLine, RowOutcome, StatementLineKey};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::{DetailValue, Refusal};
use crate::domain::problem::{Issue, Issues};

/// The outcome of deciding every row.
struct RowsDecided {
    results: Vec<RowResult>,
    issues: Issues,
    journals: i64,
    debit_pence: i64,
}

impl RowsDecided {
    /// The rows with a status.
    fn rows_of(&self, status: RowStatus) -> Vec<u64> {
        self.results.iter().filter(|result| result.status == status).map(|result| result.row).collect()
    }
}

impl BooksTransaction<'_> {
    pub(crate) fn preview_import(
        &mut self,
        request: &CommandRequest,
        entries: &ImportInput,
        preview: &NewPreview,
    ) -> Result<CommandResult, Rejection> {
        let (before, identifiers) = (self.savepoint(), self.identifiers.clone());
        let run = self.run_rows(request, entries, None);
        self.undo_to(before);
        *self.identifiers = identifiers;
        let run = run?;
        let id = self.identifiers.next(IdSequence::Import);
        let expires_at_ms = self.store_preview(Purpose::Import(id), preview);
        let row = ImportRecord {
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
            user_id: self.actor.user_id.0,
            key_prefix: self.actor.key_prefix.clone(),
            created_at_ms: self.now_ms,
            expires_at_ms,
            confirmed_at_ms: None,
        };
        let organisation = self.organisation();
        self.effects.count(organisation, "import", "previewed", 1);
        self.effects.push(organisation, Effect::Import(id));
        self.facts.imports.insert(id, (organisation, row.clone()));
        Ok(CommandResult::BulkImport(Box::new(row), Some(preview.token.clone())))
    }

    pub(crate) fn confirm_import(
        &mut self,
        request: &CommandRequest,
        confirmation: &ImportConfirmation,
    ) -> Result<CommandResult, Rejection> {
        let organisation = self.organisation();
        let stored = self.facts.imports.get(&confirmation.id).filter(|(of, _)| *of == organisation);
        let (_, stored) = stored.cloned().ok_or(Rejection::Unknown)?;
        self.require_token(&confirmation.token_hash, Purpose::Import(confirmation.id))?;
        let entries = confirmation.entries.as_ref().ok_or(Refusal::TokenExpired)?;
        let before = self.savepoint();
        let row = match self
            .run_rows(request, entries, Some(stored.id))
            .and_then(|run| accepted(run, &stored, confirmation.skips_invalid))
        {
            Ok(run) => {
                ImportRecord { is_confirmed: true, confirmed_at_ms: Some(self.now_ms), results: run.results, ..stored }
            }
            Err(rejection) => {
                // The rows before are undone too.
                self.undo_to(before);
                return Err(rejection);
            }
        };
        self.use_token(&confirmation.token_hash);
        let banks: BTreeSet<i64> = statement_rows(entries).map(|(bank, _)| bank).collect();
        banks.into_iter().for_each(|bank| self.imported_now(bank));
        self.effects.count(organisation, "import", "previewed", -1);
        self.effects.count(organisation, "import", "confirmed", 1);
        self.effects.push(organisation, Effect::Import(row.id));
        self.facts.imports.insert(row.id, (organisation, row.clone()));
        let created = row.results.iter().filter(|result| result.status == RowStatus::Created).count();
        let after = AuditFields::new()
            .text("kind", row.kind.as_str())
            .number("rows_created", i64::try_from(created).unwrap_or(i64::MAX))
            .number("journals", row.journals);
        let summary = format!("{created} {} imported", row.kind.replace('_', " "));
        self.record_change(ChangeAction::Create, (Resource::Import, row.id), summary, None, Some(after));
        Ok(CommandResult::BulkImport(Box::new(row), None))
    }

    /// Decides every row in order; a refused row has no effect. The statement lines of a preview have no import yet.
    fn run_rows(
        &mut self,
        request: &CommandRequest,
        entries: &ImportInput,
        import_id: Option<i64>,
    ) -> Result<RowsDecided, Rejection> {
        let (journals, debits) = (self.books.next_journal_number, self.effects.debits_pence());
        let unread = entries.unread.iter().map(|row| RowResult { row: *row, id: None, status: RowStatus::Invalid });
        let mut run = RowsDecided { results: unread.collect(), issues: Issues::default(), journals: 0, debit_pence: 0 };
        let mut statements = self.statement_outcomes(entries).into_iter();
        for entry in &entries.entries {
            let decided = match &entry.command {
                BooksCommand::CreateBankTransaction { bank_account_id, row } => {
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
                command => self.decide_command(request, command),
            };
            let result = match decided {
                Ok(result) => RowResult { row: entry.row, id: Some(result.id()), status: RowStatus::Created },
                Err(Rejection::Refused(refusal)) => {
                    run.issues.push(issue(entry.row, &refusal));
                    RowResult { row: entry.row, id: None, status: RowStatus::Invalid }
                }
                Err(rejection) => return Err(rejection),
            };
            run.results.push(result);
        }
        run.results.sort_by_key(|result| result.row);
        run.issues = entries.issues.clone().merged_by_row(run.issues);
        run.journals = self.books.next_journal_number - journals;
        run.debit_pence = self.effects.debits_pence() - debits;
        Ok(run)
    }

    /// Which statement lines are new, in the order of the rows. Lines without the bank's own identifier are compared as
    /// multisets.
    fn statement_outcomes(&self, entries: &ImportInput) -> Vec<RowOutcome> {
        let mut outcomes = Vec::new();
        let mut of_bank: BTreeMap<i64, (Vec<usize>, Vec<NewStatementLine>)> = BTreeMap::new();
        for entry in &entries.entries {
            let BooksCommand::CreateBankTransaction { bank_account_id, row } = &entry.command else { continue };
            let (places, rows) = of_bank.entry(*bank_account_id).or_default();
            places.push(outcomes.len());
            rows.push(NewStatementLine {
                key: StatementLineKey {
                    date: row.date,
                    amount: Pence(row.amount_pence),
                    description: row.description.clone(),
                },
                external_id: row.external_id.clone(),
            });
            outcomes.push(RowOutcome::Created);
        }
        for (bank, (places, rows)) in of_bank {
            let stored = self.facts.stored_lines(bank);
            for (place, outcome) in places.into_iter().zip(bank_import::plan(&rows, &stored)) {
                if let Some(known) = outcomes.get_mut(place) {
                    *known = outcome;
                }
            }
        }
        outcomes
    }
}

/// Requires that the rows do what was previewed, and that no row is invalid unless such rows are skipped.
fn accepted(run: RowsDecided, stored: &ImportRecord, skips_invalid: bool) -> Result<RowsDecided, Rejection> {
    let is_same = run.rows_of(RowStatus::Invalid) == stored.invalid
        && run.rows_of(RowStatus::Duplicate) == stored.duplicates
        && (run.journals, run.debit_pence) == (stored.journals, stored.debit_pence);
    if !is_same {
        let why = "the books have changed since the preview, and the rows would do something else: make a new preview";
        return Err(Refusal::StaleVersion.with_message(why).into());
    }
    if run.issues.is_empty() || skips_invalid {
        Ok(run)
    } else {
        Err(Refusal::field("skip_invalid", SKIP_INVALID).into())
    }
}

/// The refusal of a duplicate statement line.
fn duplicate(row: &StatementLineInput, outcome: RowOutcome) -> Refusal {
    let existing_id = match outcome {
        RowOutcome::DuplicateOf(id) => Some(id.0),
        RowOutcome::RepeatsRow(_) | RowOutcome::Created => None,
    };
    // Without the bank's own identifier the whole row is the duplicate.
    let field = if row.external_id.is_some() { "external_id" } else { "" };
    Refusal::DuplicateExternalId { field: field.into(), existing_id }
}

/// A refusal of a row, as one of the issues of its import.
fn issue(row: u64, refusal: &Refusal) -> Issue {
    let field = refusal.extras().into_iter().find_map(|(key, value)| match value {
        DetailValue::Text(text) if key == "field" => Some(text).filter(|text| !text.is_empty()),
        DetailValue::Row(line) => Some(format!("lines[{line}]")),
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

/// A number of rows.
fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
