//! `coding_policy`: the standing instructions of an organisation for coding.

use serde::Serialize;
use serde_json::Value;

use super::super::{Inside, OrganisationName, answer, fault, refused, wrong};
use super::{chart_of, confidence, require_scope, with_codes};
use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::coding_policy::{
    CodingPolicy, CodingPolicyChange, CodingRule, CodingRuleInput, RuleDirection,
};
use crate::domain::books::request::{ChangeOptions, CommandOutcome, CommandResult};
use crate::domain::caller::Scope;
use crate::domain::ids::OrganisationId;
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Outcome, Refused};
use crate::http::wire::books;

#[derive(Serialize)]
struct RuleRow<'a> {
    contains: &'a str,
    direction: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vat_code: Option<&'a str>,
    /// Its account is archived: the rule does not apply.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_inactive: bool,
}

#[derive(Serialize)]
struct Policy<'a> {
    organisation: OrganisationName<'a>,
    version: i64,
    business_context: &'a str,
    review_below: f64,
    rules: Vec<RuleRow<'a>>,
}

/// Reads the policy, or replaces what is set of it.
pub(super) async fn policy(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    let policy = match arguments.get("set").and_then(Value::as_object) {
        None => {
            let policy = inside.call.state().reader.coding_policy(OrganisationId(inside.id)).await;
            policy.map_err(|error| fault(error.into()))?
        }
        Some(set) => {
            let Some(expected) = arguments.get("expected_version").and_then(Value::as_i64) else {
                return Err(wrong("expected_version", "is required with set; reading the policy tells it").into());
            };
            change(inside, change_of(set), ("coding_policy", Some(expected))).await?
        }
    };
    let CodingPolicy { version, business_context, review_below, rules } = policy;
    let chart = chart_of(inside.call, OrganisationId(inside.id)).await?;
    let rules = with_codes(rules, &chart);
    answer(&Policy {
        organisation: inside.name(),
        version,
        business_context: &business_context,
        review_below: confidence(review_below),
        rules: rules.iter().map(|(rule, code)| row(rule, code.as_deref())).collect(),
    })
}

fn row<'a>(rule: &'a CodingRule, account_code: Option<&'a str>) -> RuleRow<'a> {
    RuleRow {
        contains: &rule.contains,
        direction: rule.direction.as_str(),
        account_code,
        vat_code: rule.vat_code.as_deref(),
        is_inactive: account_code.is_none(),
    }
}

/// What is set, which has the form of the schema.
fn change_of(set: &Arguments) -> CodingPolicyChange {
    let rule = |rule: &Value| {
        let text = |name: &str| rule.get(name).and_then(Value::as_str);
        CodingRuleInput {
            contains: text("contains").unwrap_or_default().to_owned(),
            direction: text("direction").and_then(RuleDirection::parse).unwrap_or(RuleDirection::Any),
            account_code: text("account_code").unwrap_or_default().to_owned(),
            vat_code: text("vat_code").map(str::to_owned),
        }
    };
    let rules = set.get("rules").and_then(Value::as_array);
    let review_below = set.get("review_below").and_then(Value::as_f64);
    CodingPolicyChange::Set {
        business_context: set.get("business_context").and_then(Value::as_str).map(str::to_owned),
        review_below: review_below.map(thousandths),
        rules: rules.map(|rules| rules.iter().map(rule).collect()),
    }
}

/// A number from 0 to 1 in thousandths.
pub(super) fn thousandths(number: f64) -> u16 {
    // A rounded number from 0 to 1,000 prints as one.
    format!("{:.0}", number.clamp(0.0, 1.0) * 1000.0).parse().unwrap_or_default()
}

/// Changes the policy.
pub(super) async fn change(
    inside: &Inside<'_>,
    change: CodingPolicyChange,
    (tool, expected_version): (&'static str, Option<i64>),
) -> Result<CodingPolicy, Refused> {
    let call = inside.call;
    require_scope(call, Scope::CodingWrite)?;
    let principal = call.caller().map_err(fault)?;
    let options = ChangeOptions { expected_version, tool: Some(tool), ..ChangeOptions::default() };
    let command = BooksCommand::ChangeCodingPolicy(change);
    let outcome = call.state().actors.ledgers.execute(principal, OrganisationId(inside.id), command, options).await;
    match outcome.map_err(|error| fault(error.into()))? {
        CommandOutcome::Done(CommandResult::CodingPolicy(_, policy)) => Ok(*policy),
        CommandOutcome::Refused(refusal) => Err(refused(books::refused(&refusal))),
        CommandOutcome::Denied(denied) => Err(refused(denied.into())),
        _ => Err(fault(ApiError::internal("a coding policy is answered by something else"))),
    }
}
