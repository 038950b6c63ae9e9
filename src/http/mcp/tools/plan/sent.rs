//! A plan as it was sent, and as it is stored until it is committed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::operations::{self, Operation};
use crate::domain::caller::Scope;
use crate::http::mcp::arguments::Arguments;

/// What a plan was sent as, and is stored as.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SentPlan {
    pub(super) operations: Vec<SentOperation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

/// An operation as it was sent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SentOperation {
    pub(super) op: String,
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    pub(super) params: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expected_version: Option<i64>,
}

impl SentPlan {
    /// The plan of arguments that fit the schema.
    pub(super) fn of(arguments: &Arguments) -> Self {
        let operations = arguments.get("operations").cloned().unwrap_or_default();
        Self {
            operations: serde_json::from_value(operations).unwrap_or_default(),
            note: arguments.get("note").and_then(Value::as_str).map(str::to_owned),
        }
    }

    /// The operations by their names.
    pub(super) fn known(&self) -> Vec<Option<&'static Operation>> {
        self.operations.iter().map(|sent| operations::named(&sent.op)).collect()
    }

    /// What carrying it out needs.
    pub(super) fn needs(&self) -> Vec<Scope> {
        let needed: BTreeSet<Scope> = self.known().into_iter().flatten().map(|operation| operation.scope).collect();
        needed.into_iter().collect()
    }
}
