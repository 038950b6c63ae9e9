//! Decides plans: their operations in order, each over what those before it left, all of them or none.

use std::collections::BTreeSet;

use serde::de::IgnoredAny;

use crate::domain::books::decide::{BooksTransaction, Rejection};
use crate::domain::books::effects::{Effect, EffectsMark};
use crate::domain::books::planned_ids::replace_stand_ins;
use crate::domain::books::records::journal::JournalView;
use crate::domain::books::records::plan::{
    OperationEffects, OperationOutcome, PlanConfirmation, PlanOutcome, PlanOutline, PlannedOperation,
};
use crate::domain::books::records::preview::Purpose;
use crate::domain::books::referenced_ids::ReferencedIds;
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::ledger::allocation::AllocationEnd;
use crate::domain::ledger::money::Pence;

/// The records that were there before a plan: only those have identifiers of their own in its outline.
struct Known {
    documents: BTreeSet<i64>,
    settlements: BTreeSet<i64>,
    contacts: BTreeSet<i64>,
    accounts: BTreeSet<i64>,
    transactions: BTreeSet<i64>,
}

/// What is told of each operation beside its record.
#[derive(Clone, Copy)]
struct Shown {
    summary: bool,
    journals: bool,
}

impl BooksTransaction<'_> {
    /// Decides a plan, and undoes it.
    pub(crate) fn preview_plan(
        &mut self,
        request: &CommandRequest,
        operations: &[PlannedOperation],
    ) -> Result<CommandResult, Rejection> {
        let (before, identifiers) = (self.savepoint(), self.identifiers.clone());
        let decided = self.decide_operations(request, operations, Shown { summary: true, journals: true });
        self.undo_to(before);
        *self.identifiers = identifiers;
        Ok(CommandResult::Plan(Box::new(decided?)))
    }

    /// Carries a plan out if it still does what its preview showed.
    pub(crate) fn commit_plan(
        &mut self,
        request: &CommandRequest,
        confirmation: &PlanConfirmation,
    ) -> Result<CommandResult, Rejection> {
        let previewed = self.live_plan(&confirmation.token_hash)?;
        let before = self.savepoint();
        let shown = Shown { summary: false, journals: confirmation.shows_journals };
        let decided = self.decide_operations(request, &confirmation.operations, shown);
        let same = decided.and_then(|outcome| match stale_reason(&outcome, &previewed) {
            Some(reason) => Err(Rejection::StalePlan(reason)),
            None => Ok(outcome),
        });
        match same {
            Ok(outcome) => {
                self.use_token(&confirmation.token_hash);
                Ok(CommandResult::Plan(Box::new(outcome)))
            }
            Err(rejection) => {
                self.undo_to(before);
                Err(rejection)
            }
        }
    }

    /// What the plan under a token would do, as long as the token works.
    fn live_plan(&self, token_hash: &str) -> Result<PlanOutline, Rejection> {
        let row = self.preview_of_caller(token_hash, Purpose::Plan).ok_or(Rejection::Unknown)?;
        if let Some(reason) = &row.dead_reason {
            return Err(Rejection::StalePlan(reason.clone()));
        }
        self.require_token(token_hash, Purpose::Plan)?;
        let outline = row.outline.as_deref().unwrap_or_default();
        let previewed: Result<(PlanOutline, IgnoredAny), _> = serde_json::from_str(outline);
        previewed
            .map(|(outline, _)| outline)
            .map_err(|error| Rejection::Corrupt(format!("the outline of a plan: {error}")))
    }

    fn decide_operations(
        &mut self,
        request: &CommandRequest,
        operations: &[PlannedOperation],
        shown: Shown,
    ) -> Result<PlanOutcome, Rejection> {
        let mut outline = PlanOutline { records: self.named_records(request), operations: Vec::new() };
        let known = self.known_records();
        self.is_plan = true;
        let mut made: Vec<Option<i64>> = Vec::with_capacity(operations.len());
        let mut outcomes = Vec::with_capacity(operations.len());
        for operation in operations {
            let mut command = operation.command.clone();
            if let Err(missing) = replace_stand_ins(&mut command, &made) {
                made.push(None);
                outcomes.push(OperationOutcome::DependsOn(missing));
                continue;
            }
            let one = CommandRequest {
                organisation: request.organisation,
                actor: request.actor.clone(),
                command,
                expected_version: operation.expected_version,
                replay: None,
            };
            let mark = self.effects.mark();
            match self.decide_command(&one, &one.command) {
                Ok(result) => {
                    made.push(Some(result.id()));
                    outline.operations.push(self.outline_since(mark, &known));
                    let summary = if shown.summary { self.summary_since(mark, &result) } else { String::new() };
                    let journals = if shown.journals { self.journals_since(mark) } else { Vec::new() };
                    outcomes.push(OperationOutcome::Done(Box::new(OperationEffects { result, summary, journals })));
                }
                Err(Rejection::Corrupt(what)) => return Err(Rejection::Corrupt(what)),
                Err(rejection) => {
                    made.push(None);
                    let outcome = rejection.into_outcome().map_err(Rejection::Corrupt)?;
                    outcomes.push(OperationOutcome::Refused(Box::new(outcome)));
                }
            }
        }
        let identifiers = self.identifiers.used().map(|(sequence, used)| (sequence.name().to_owned(), used));
        Ok(PlanOutcome { operations: outcomes, outline, identifiers: identifiers.collect(), at_ms: self.now_ms })
    }

    /// The records that the operations name, with their versions: what a plan relies on.
    fn named_records(&self, request: &CommandRequest) -> Vec<String> {
        let mut ids = ReferencedIds::default();
        ids.collect(request);
        let organisation = self.organisation();
        let facts = &*self.facts;
        let mut named = Vec::new();
        let mut add = |kind: &str, id: i64, version: i64| named.push(format!("{kind} {id} at {version}"));
        for id in &ids.documents {
            if let Some(row) = facts.document(organisation, *id) {
                add(row.kind.as_str(), *id, row.version);
            }
        }
        for (of, row) in ids.settlements.iter().filter_map(|id| facts.settlements.get(id)) {
            if *of == organisation {
                add(row.kind.as_str(), row.id, row.version);
            }
        }
        for (of, row) in ids.contacts.iter().filter_map(|id| facts.contacts.get(id)) {
            if *of == organisation {
                add(row.kind.as_str(), row.id, row.version);
            }
        }
        for (of, row) in ids.transactions.iter().filter_map(|id| facts.transactions.get(id)) {
            if *of == organisation {
                add("bank_transaction", row.id, row.version);
            }
        }
        for loaded in ids.journals.iter().filter_map(|id| facts.journals.get(id)) {
            if loaded.organisation == organisation {
                add("journal", loaded.view.id, loaded.view.version());
            }
        }
        for (of, row) in ids.vat_adjustments.iter().filter_map(|id| facts.vat_adjustments.get(id)) {
            if *of == organisation {
                add("vat_adjustment", row.id, row.version);
            }
        }
        for (of, row) in ids.write_offs.iter().filter_map(|id| facts.write_offs.get(id)) {
            if *of == organisation {
                add("write_off", row.id, row.version);
            }
        }
        for row in ids.accounts.iter().filter_map(|id| self.books.accounts.get(id)) {
            add("account", row.id, row.version);
        }
        for row in ids.bank_accounts.iter().filter_map(|id| self.books.bank_accounts.get(id)) {
            add("bank_account", row.id, row.version);
        }
        named
    }

    fn known_records(&self) -> Known {
        Known {
            documents: self.facts.documents.keys().copied().collect(),
            settlements: self.facts.settlements.keys().copied().collect(),
            contacts: self.facts.contacts.keys().copied().collect(),
            accounts: self.books.accounts.keys().copied().collect(),
            transactions: self.facts.transactions.keys().copied().collect(),
        }
    }

    /// The journals posted since a mark.
    fn journals_since(&self, mark: EffectsMark) -> Vec<JournalView> {
        let journals = self.effects.since(mark).filter_map(|effect| match effect {
            Effect::Journal(journal) => Some(journal.view.clone()),
            _ => None,
        });
        journals.collect()
    }

    /// What the history says of the record that was made or changed since a mark.
    fn summary_since(&self, mark: EffectsMark, result: &CommandResult) -> String {
        if let CommandResult::Journal(view) = result
            && view.reversed_by.is_none()
        {
            // A preview has no number yet.
            return format!("Journal posted: {}", view.description);
        }
        let mut said = self.effects.since(mark).filter_map(|effect| match effect {
            Effect::Change(entry) => Some(entry),
            _ => None,
        });
        // Journals, and accounts that a journal is the first to need, are made beside the record.
        let own = said.clone().filter(|entry| entry.resource != "journal" && entry.resource != "account");
        let own = own.clone().find(|entry| entry.id == result.id()).or_else(|| own.clone().next());
        let entry = own.or_else(|| said.next());
        let Some(entry) = entry else { return "Nothing changes".to_owned() };
        // A document has no number in a preview.
        let said = entry.summary.replace("  ", " ");
        let said = match result {
            CommandResult::Document(view) => {
                let due = view.due_date.map_or(String::new(), |due| format!(", due {due}"));
                let vat = if view.vat_pence == 0 { "without VAT" } else { "with VAT" };
                format!("{said}: {}, {} {vat}{due}", view.contact_name, Pence(view.gross_pence()))
            }
            _ => said,
        };
        format!("{said}{}", self.allocated_since(mark))
    }

    /// What was set against documents since a mark, or taken off them, and what is left due of each.
    fn allocated_since(&self, mark: EffectsMark) -> String {
        let mut said = String::new();
        for effect in self.effects.since(mark) {
            let Effect::Allocation(one) = effect else { continue };
            let AllocationEnd::Document(id) = one.to else { continue };
            let Some(row) = self.facts.document(self.organisation(), id.0) else { continue };
            let how = if one.released_on.is_some() { "taken off" } else { "against" };
            // What the same plan issues has no number yet.
            let number = row.number.as_deref().filter(|number| !number.is_empty());
            let own = number.map_or_else(|| format!("the new {}", row.kind.title().to_lowercase()), str::to_owned);
            let supplier = row.supplier_reference.as_ref().map_or(String::new(), |number| format!(" ({number})"));
            let (amount, due) = (one.amount, Pence(row.due_pence()));
            said.push_str(&format!("; {amount} {how} {own}{supplier}, {due} left due"));
        }
        said
    }

    /// What was written since a mark, without identifiers and numbers that were handed out since.
    fn outline_since(&self, mark: EffectsMark, known: &Known) -> Vec<String> {
        let own = |known: &BTreeSet<i64>, id: i64| if known.contains(&id) { id.to_string() } else { "new".to_owned() };
        let end = |end: AllocationEnd| match end {
            AllocationEnd::Document(id) => format!("document {}", own(&known.documents, id.0)),
            AllocationEnd::Settlement(id) => {
                format!("settlement {}", id.map_or("new".to_owned(), |id| own(&known.settlements, id.0)))
            }
            AllocationEnd::WriteOff(_) => "write-off".to_owned(),
        };
        let organisation = self.organisation();
        let mut lines = Vec::new();
        for effect in self.effects.since(mark) {
            match effect {
                Effect::Journal(journal) => {
                    let view = &journal.view;
                    let mut text = format!("journal {} {}", view.entry_date, view.source_type);
                    for line in &view.lines {
                        let account = if known.accounts.contains(&line.account_id) {
                            line.account_id.to_string()
                        } else {
                            line.account_code.clone()
                        };
                        let contact = line.contact_id.map_or(String::new(), |id| own(&known.contacts, id));
                        text.push_str(&format!(
                            "; {account} {} {} {:?} {:?} {contact}",
                            line.debit_pence, line.credit_pence, line.vat_code, line.vat_pence
                        ));
                    }
                    lines.push(text);
                }
                Effect::VatEntry(record) => {
                    let entry = &record.entry;
                    lines.push(format!(
                        "vat {:?} {:?} {} {} {:?} {:?} {}",
                        entry.side,
                        entry.code,
                        entry.amount.net.0,
                        entry.amount.vat.0,
                        entry.basis,
                        entry.reverse_charge,
                        entry.tax_point
                    ));
                }
                Effect::Allocation(one) => lines.push(format!(
                    "allocation {} {} {} {} {} {:?}",
                    end(one.from),
                    end(one.to),
                    one.date,
                    one.amount.0,
                    one.cis.0,
                    one.released_on
                )),
                Effect::Document(id) => {
                    if let Some(row) = self.facts.document(organisation, *id) {
                        lines.push(format!(
                            "document {} {} {} {} {} {}",
                            row.kind.as_str(),
                            own(&known.documents, row.id),
                            row.status(),
                            row.date,
                            row.net_pence,
                            row.vat_pence
                        ));
                    }
                }
                Effect::DocumentDeleted(id) => lines.push(format!("document {} deleted", own(&known.documents, *id))),
                Effect::StatementLineDeleted(id) => {
                    lines.push(format!("bank transaction {} deleted", own(&known.transactions, *id)));
                }
                Effect::ContactDeleted(id) => lines.push(format!("contact {} deleted", own(&known.contacts, *id))),
                Effect::Email(id) => {
                    if let Some((_, row)) = self.facts.emails.get(id) {
                        let (to, attachment) = (row.to.join(", "), row.pdf_sha256.as_deref().unwrap_or("none"));
                        lines.push(format!("email {to} {} {attachment}", row.subject));
                    }
                }
                Effect::LockChange(record) => lines.push(format!("lock {:?}", record.date)),
                _ => {}
            }
        }
        // Records are written in the order of their identifiers, and those of a preview come before all others.
        lines.sort_unstable();
        lines
    }
}

/// Why a plan does not do what its preview showed.
fn stale_reason(outcome: &PlanOutcome, previewed: &PlanOutline) -> Option<String> {
    let refused: Vec<String> = outcome
        .operations
        .iter()
        .enumerate()
        .filter(|(_, operation)| !matches!(operation, OperationOutcome::Done(_)))
        .map(|(at, _)| format!("operations[{at}]"))
        .collect();
    let difference = outcome.outline.difference(previewed);
    match (difference, refused.is_empty()) {
        (Some(difference), true) => Some(difference),
        (Some(difference), false) => Some(format!("{difference}; refused now: {}", refused.join(", "))),
        (None, true) => None,
        (None, false) => Some(format!("refused now: {}", refused.join(", "))),
    }
}
