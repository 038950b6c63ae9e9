//! Plans: changes that are previewed together and then carried out together, all of them or none.

use std::collections::BTreeMap;

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::journal::JournalView;
use crate::domain::books::request::{CommandOutcome, CommandResult};
use crate::domain::ids::{ConnectionId, OrganisationId, UserId};

/// The most plans of one connection that may wait to be carried out.
pub const LIVE_PLANS_MAX: i64 = 100;

/// An operation of a plan.
#[derive(Debug, Clone)]
pub struct PlannedOperation {
    /// The command; stand-ins ([`crate::domain::books::planned_ids`]) name what operations before it make.
    pub command: BooksCommand,
    /// The version the caller has seen.
    pub expected_version: Option<i64>,
}

/// The confirmation of a plan.
#[derive(Debug, Clone)]
pub struct PlanConfirmation {
    /// The hash of the token.
    pub token_hash: String,
    /// The operations as they were previewed; empty when the token is not valid.
    pub operations: Vec<PlannedOperation>,
    /// Whether the outcome has the journals that are posted.
    pub shows_journals: bool,
}

/// What a plan does, or why it cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanOutcome {
    /// What each operation does.
    pub operations: Vec<OperationOutcome>,
    /// What the plan writes and relies on, without identifiers and numbers that it takes: two decisions with the same outline
    /// do the same.
    pub outline: PlanOutline,
    /// How many identifiers of each sequence it uses, by the sequence's name.
    pub identifiers: BTreeMap<String, i64>,
    /// When it was decided, in milliseconds.
    pub at_ms: i64,
}

/// What became of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationOutcome {
    /// It can be carried out.
    Done(Box<OperationEffects>),
    /// It is refused.
    Refused(Box<CommandOutcome>),
    /// It uses what this operation would make, which is refused.
    DependsOn(usize),
}

/// What an operation does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationEffects {
    /// The record it makes or changes.
    pub result: CommandResult,
    /// A sentence for people; empty once it is carried out.
    pub summary: String,
    /// The journals it posts; none where nobody asked for those of a plan that is carried out.
    pub journals: Vec<JournalView>,
}

/// What a plan writes and relies on, as texts to be compared and shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PlanOutline {
    /// The records that the operations name, with their versions.
    pub records: Vec<String>,
    /// What each operation writes.
    pub operations: Vec<Vec<String>>,
}

impl PlanOutline {
    /// What differs from what was previewed, in words; nothing when both do the same.
    pub fn difference(&self, previewed: &Self) -> Option<String> {
        let moved: Vec<&str> = previewed
            .records
            .iter()
            .filter(|record| !self.records.contains(record))
            .map(|record| record.split_once(" at ").map_or(record.as_str(), |(name, _)| name))
            .collect();
        if !moved.is_empty() {
            return Some(format!("changed since the preview: {}", moved.join(", ")));
        }
        let pairs = self.operations.iter().zip(&previewed.operations);
        let other: Vec<String> = pairs
            .enumerate()
            .filter(|(_, (now, then))| now != then)
            .map(|(at, _)| format!("operations[{at}]"))
            .collect();
        match other.is_empty() && self == previewed {
            true => None,
            false => Some(format!("would do something else than previewed: {}", other.join(", "))),
        }
    }
}

/// A plan to be stored under its token.
#[derive(Debug, Clone)]
pub struct NewPlan {
    /// Whose books.
    pub organisation: OrganisationId,
    /// The person who may carry it out.
    pub user_id: UserId,
    /// The key or connection by OAuth that may carry it out.
    pub connection: ConnectionId,
    /// The tool that made it.
    pub tool: &'static str,
    /// The SHA-256 of the token.
    pub token_hash: String,
    /// The operations as they were sent.
    pub body: String,
    /// What it would do.
    pub outline: PlanOutline,
    /// How many identifiers of each sequence it would use.
    pub identifiers: BTreeMap<String, i64>,
}

/// What became of a new plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanStored {
    /// It may be carried out until this moment, in milliseconds.
    Until(i64),
    /// As many plans of the connection wait as may.
    TooMany,
}

#[cfg(test)]
mod tests {
    use super::PlanOutline;

    fn outline(records: &[&str], operations: &[&[&str]]) -> PlanOutline {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        PlanOutline { records: texts(records), operations: operations.iter().map(|lines| texts(lines)).collect() }
    }

    #[test]
    fn a_difference_names_what_changed() {
        let previewed = outline(&["sales_invoice 4 at 2"], &[&["a"], &["b", "c"]]);
        assert_eq!(previewed.difference(&previewed), None);
        let moved = outline(&["sales_invoice 4 at 3"], &[&["a"], &["b", "c"]]);
        assert_eq!(moved.difference(&previewed).as_deref(), Some("changed since the preview: sales_invoice 4"));
        let other = outline(&["sales_invoice 4 at 2"], &[&["a"], &["b"]]);
        let said = other.difference(&previewed);
        assert_eq!(said.as_deref(), Some("would do something else than previewed: operations[1]"));
        assert!(outline(&["sales_invoice 4 at 2"], &[&["a"]]).difference(&previewed).is_some());
    }
}
