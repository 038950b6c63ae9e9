//! What the tools of plans answer.

use serde::Serialize;

use super::operations::Operation;
use super::sent::SentPlan;
use crate::domain::books::audit_fields::truncated;
use crate::domain::books::records::journal::JournalView;
use crate::domain::books::records::plan::{OperationEffects, OperationOutcome, PlanOutcome};
use crate::domain::books::request::CommandResult;
use crate::domain::caller::Scope;
use crate::domain::date::Date;
use crate::http::envelope::{Moment, Money};
use crate::http::mcp::tools::{ANSWER_BYTES_MAX, OrganisationName};

/// The answer to `plan_bookkeeping`.
#[derive(Serialize)]
pub(super) struct Previewed<'a> {
    organisation: OrganisationName<'a>,
    plan_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) plan_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expires_at: Option<Moment>,
    operations: Vec<PreviewedOperation<'a>>,
    totals: Totals,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    needs_scopes: Vec<&'static str>,
    can_commit: bool,
}

/// What all journals of a plan debit and credit.
#[derive(Serialize)]
struct Totals {
    debit: Money,
    credit: Money,
}

impl Totals {
    fn of(outcome: &PlanOutcome) -> Self {
        let lines = || effects(outcome).flat_map(|effects| &effects.journals).flat_map(|journal| &journal.lines);
        Self {
            debit: Money(lines().map(|line| line.debit_pence).sum()),
            credit: Money(lines().map(|line| line.credit_pence).sum()),
        }
    }
}

fn effects(outcome: &PlanOutcome) -> impl Iterator<Item = &OperationEffects> {
    outcome.operations.iter().filter_map(|operation| match operation {
        OperationOutcome::Done(effects) => Some(&**effects),
        OperationOutcome::Refused(_) | OperationOutcome::DependsOn(_) => None,
    })
}

/// What an operation of a plan would do.
#[derive(Serialize)]
struct PreviewedOperation<'a> {
    index: usize,
    op: &'a str,
    summary: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    journal: Vec<PreviewedLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    emails: Option<&'a [String]>,
}

/// A line of a journal that would be posted.
#[derive(Serialize)]
struct PreviewedLine<'a> {
    date: Date,
    account_code: &'a str,
    account_name: &'a str,
    debit: Money,
    credit: Money,
    #[serde(skip_serializing_if = "Option::is_none")]
    vat_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memo: Option<&'a str>,
}

/// The most characters of all summaries together, and the fewest of one.
const SUMMARIES_CHARS_MAX: usize = 8_000;
const SUMMARY_CHARS_MIN: usize = 60;

impl<'a> Previewed<'a> {
    /// What a plan would do, without a token.
    pub(super) fn new(
        (organisation, plan_id): (OrganisationName<'a>, String),
        (sent, outcome): (&'a SentPlan, &'a PlanOutcome),
        warnings: Vec<String>,
    ) -> Self {
        let mut previewed = Self {
            organisation,
            plan_id,
            plan_token: None,
            expires_at: None,
            operations: Vec::new(),
            totals: Totals::of(outcome),
            can_commit: warnings.is_empty(),
            warnings,
            needs_scopes: sent.needs().into_iter().map(Scope::as_str).collect(),
        };
        previewed.add_operations(sent, outcome);
        previewed
    }

    /// Adds what each operation does. Journal lines beyond what fits into an answer are left out, which a warning says.
    fn add_operations(&mut self, sent: &'a SentPlan, outcome: &'a PlanOutcome) {
        let summary_chars = (SUMMARIES_CHARS_MAX / sent.operations.len().max(1)).max(SUMMARY_CHARS_MIN);
        let shown = effects(outcome).zip(&sent.operations).enumerate().map(|(index, (effects, sent))| {
            let emails = match &effects.result {
                CommandResult::Email(email) => Some(email.to.as_slice()),
                _ => None,
            };
            let summary = truncated(&effects.summary, summary_chars);
            (effects, PreviewedOperation { index, op: &sent.op, summary, journal: Vec::new(), emails })
        });
        let mut shown: Vec<_> = shown.collect();
        let length = |shown: &PreviewedOperation<'_>| serde_json::to_string(shown).map_or(0, |text| text.len());
        let mut used: usize = shown.iter().map(|(_, shown)| length(shown)).sum();
        let mut cut_from = None;
        for (effects, shown) in &mut shown {
            let journal: Vec<_> = effects.journals.iter().flat_map(previewed_lines).collect();
            used += serde_json::to_string(&journal).map_or(0, |text| text.len());
            if used <= ANSWER_BYTES_MAX - WARNINGS_BYTES {
                shown.journal = journal;
            } else {
                cut_from = cut_from.or(Some(shown.index));
            }
        }
        self.operations = shown.into_iter().map(|(_, shown)| shown).collect();
        if let Some(at) = cut_from {
            self.warnings.push(format!(
                "the journal lines of operations[{at}] and of some after it are left out, because the answer would be too long; \
                 totals counts them"
            ));
        }
    }
}

/// Kept for what is around the operations.
const WARNINGS_BYTES: usize = 1_500;

/// The lines of a journal, each with its date.
fn previewed_lines(journal: &JournalView) -> impl Iterator<Item = PreviewedLine<'_>> {
    journal.lines.iter().map(|line| PreviewedLine {
        date: journal.entry_date,
        account_code: &line.account_code,
        account_name: &line.account_name,
        debit: Money(line.debit_pence),
        credit: Money(line.credit_pence),
        vat_code: line.vat_code.as_deref(),
        memo: line.memo.as_deref(),
    })
}

/// The answer to `commit_plan`.
#[derive(Serialize)]
pub(super) struct Committed<'a> {
    organisation: OrganisationName<'a>,
    plan_id: &'a str,
    committed_at: Moment,
    replayed: bool,
    results: Vec<CommittedOperation<'a>>,
}

/// A record that a plan made or changed.
#[derive(Serialize)]
struct CommittedOperation<'a> {
    index: usize,
    op: &'a str,
    kind: &'static str,
    id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<i64>,
}

/// The name of each operation, and the kind of the record it makes or changes.
pub(super) fn kinds(sent: &SentPlan) -> Vec<(String, &'static str)> {
    let known = sent.known().into_iter();
    sent.operations
        .iter()
        .zip(known)
        .map(|(sent, known)| (sent.op.clone(), known.map_or("", Operation::kind)))
        .collect()
}

impl<'a> Committed<'a> {
    /// What a plan did.
    pub(super) fn of(
        (organisation, name): (i64, &'a str),
        plan_id: &'a str,
        outcome: &PlanOutcome,
        kinds: &'a [(String, &'static str)],
    ) -> Self {
        let results = effects(outcome).zip(kinds).enumerate().map(|(index, (effects, (op, kind)))| {
            let (number, version) = number_and_version(&effects.result);
            CommittedOperation { index, op, kind, id: effects.result.id(), number, version }
        });
        Self {
            organisation: OrganisationName { id: organisation, name },
            plan_id,
            committed_at: Moment(outcome.at_ms),
            replayed: false,
            results: results.collect(),
        }
    }
}

/// The number and version of a record.
fn number_and_version(result: &CommandResult) -> (Option<String>, Option<i64>) {
    match result {
        CommandResult::Organisation(row) | CommandResult::Lock(row, _) => (None, Some(row.version)),
        CommandResult::Account(view) => (Some(view.row.code.clone()), Some(view.row.version)),
        CommandResult::Contact(view) => (None, Some(view.row.version)),
        CommandResult::BankAccount(view) => (None, Some(view.row.version)),
        CommandResult::BankTransaction(row) => (None, Some(row.version)),
        CommandResult::BankTransactions(rows) => (None, rows.first().map(|row| row.version)),
        CommandResult::Journal(view) => (Some(view.number.to_string()), Some(view.version())),
        CommandResult::Document(view) => (view.number.clone(), Some(view.version)),
        CommandResult::Settlement(view) => (view.number.clone(), Some(view.version)),
        CommandResult::VatAdjustment(view) => (None, Some(view.row.version)),
        CommandResult::WriteOff(view) => (None, Some(view.row.version)),
        _ => (None, None),
    }
}
