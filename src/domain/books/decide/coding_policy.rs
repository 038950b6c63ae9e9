//! Decides changes of the coding policy of an organisation.

use crate::domain::books::audit_fields::{ChangeAction, Resource};
use crate::domain::books::decide::{BooksTransaction, Rejection, require_version};
use crate::domain::books::effects::Effect;
use crate::domain::books::records::coding_policy::{
    CodingPolicy, CodingPolicyChange, CodingRule, CodingRuleInput, POLICY_BYTES_MAX, RULES_MAX,
};
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::ledger::chart::AccountReference;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::VatCode;

/// What a VAT code that is none is refused with.
const VAT_CODES: &str = "must be ST, RR, ZR, EX or NV";

impl BooksTransaction<'_> {
    pub(crate) fn change_coding_policy(
        &mut self,
        request: &CommandRequest,
        change: &CodingPolicyChange,
    ) -> Result<CommandResult, Rejection> {
        let organisation = self.organisation();
        let before = self.facts.coding_policies.get(&organisation).cloned().unwrap_or_default();
        require_version(request, before.version)?;
        let mut policy = before.clone();
        match change {
            CodingPolicyChange::Set { business_context, review_below, rules } => {
                if let Some(text) = business_context {
                    policy.business_context.clone_from(text);
                }
                policy.review_below = review_below.unwrap_or(policy.review_below);
                if let Some(rules) = rules {
                    policy.rules = self.coding_rules(rules)?;
                }
            }
            CodingPolicyChange::Remember(rules) => remember(&mut policy, self.coding_rules(rules)?),
        }
        if policy.rules.len() > RULES_MAX {
            return Err(Refusal::field("set.rules", format!("must have at most {RULES_MAX} items")).into());
        }
        if policy.bytes() > POLICY_BYTES_MAX {
            let message = format!("and business_context may come to {POLICY_BYTES_MAX} bytes of JSON: leave rules out");
            return Err(Refusal::field("set.rules", message).into());
        }
        if policy == before && before.version > 0 {
            return Ok(CommandResult::CodingPolicy(organisation, Box::new(before)));
        }
        policy.version += 1;
        let fields = (before.audit_fields(), policy.audit_fields());
        self.facts.coding_policies.insert(organisation, policy.clone());
        self.effects.push(organisation, Effect::CodingPolicy(organisation));
        let on = (Resource::Organisation, organisation);
        self.record_change(ChangeAction::Update, on, "Coding policy changed", Some(fields.0), Some(fields.1));
        Ok(CommandResult::CodingPolicy(organisation, Box::new(policy)))
    }

    /// Rules whose accounts are in the chart and not archived.
    fn coding_rules(&self, entered: &[CodingRuleInput]) -> Result<Vec<CodingRule>, Refusal> {
        let books = self.books.books();
        let rule = |(at, rule): (usize, &CodingRuleInput)| {
            let field = |key: &str| format!("set.rules[{at}].{key}");
            let account = books.named_account(&AccountReference::Code(rule.account_code.clone()), field)?;
            if account.is_archived {
                return Err(Refusal::AccountArchived { field: field("account_code"), id: account.id });
            }
            if rule.vat_code.as_deref().is_some_and(|code| VatCode::parse(code).is_none()) {
                return Err(Refusal::field(field("vat_code"), VAT_CODES));
            }
            Ok(CodingRule {
                contains: rule.contains.clone(),
                direction: rule.direction,
                account_id: account.id.0,
                vat_code: rule.vat_code.clone(),
            })
        };
        entered.iter().enumerate().map(rule).collect()
    }
}

/// Puts rules before the others, or in the place of the rule about the same lines.
fn remember(policy: &mut CodingPolicy, rules: Vec<CodingRule>) {
    for rule in rules.into_iter().rev() {
        match policy.rules.iter_mut().find(|known| known.is_about_same(&rule)) {
            Some(known) => *known = rule,
            None => policy.rules.insert(0, rule),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::books::records::coding_policy::RuleDirection;

    #[test]
    fn what_is_remembered_comes_first_and_once() {
        let rule = |contains: &str, account_id| CodingRule {
            contains: contains.to_owned(),
            direction: RuleDirection::Out,
            account_id,
            vat_code: None,
        };
        let mut policy = CodingPolicy { rules: vec![rule("a", 1), rule("b", 2)], ..CodingPolicy::default() };
        remember(&mut policy, vec![rule("c", 3), rule("d", 4), rule("B", 5)]);
        assert_eq!(policy.rules, [rule("c", 3), rule("d", 4), rule("a", 1), rule("B", 5)]);
    }
}
