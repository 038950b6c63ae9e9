//! The standing instructions of an organisation for coding: words about the business, rules, and the confidence below which
//! a line needs review.

use serde::{Deserialize, Serialize};

use crate::domain::books::audit_fields::AuditFields;

/// Most rules of a policy.
pub const RULES_MAX: usize = 500;

/// What the words about the business and the rules may come to as JSON, in bytes: reading the policy shows all of it.
pub const POLICY_BYTES_MAX: usize = 18_000;

/// The confidence, in thousandths, below which a line needs review where nobody has set another.
pub const REVIEW_BELOW_DEFAULT: u16 = 900;

/// The policy of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodingPolicy {
    /// Counts changes; 0 for a policy that was never set.
    pub version: i64,
    /// Words about the business.
    pub business_context: String,
    /// Thousandths; a line of less confidence needs review.
    pub review_below: u16,
    /// The first rule that fits a line decides it.
    pub rules: Vec<CodingRule>,
}

impl Default for CodingPolicy {
    fn default() -> Self {
        Self { version: 0, business_context: String::new(), review_below: REVIEW_BELOW_DEFAULT, rules: Vec::new() }
    }
}

impl CodingPolicy {
    /// What it comes to as JSON, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        // Texts and rules always print.
        let context = serde_json::to_string(&self.business_context).unwrap_or_default();
        context.len() + serde_json::to_string(&self.rules).unwrap_or_default().len()
    }

    /// The fields that the history shows.
    pub(crate) fn audit_fields(&self) -> AuditFields {
        AuditFields::new()
            .number("coding_policy_version", self.version)
            .text("business_context", Some(self.business_context.as_str()).filter(|text| !text.is_empty()))
            .number("review_below_thousandths", i64::from(self.review_below))
            .number("coding_rules", i64::try_from(self.rules.len()).unwrap_or(i64::MAX))
    }
}

/// The lines that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleDirection {
    /// Money in.
    In,
    /// Money out.
    Out,
    /// Both.
    Any,
}

impl RuleDirection {
    /// The word of the tools.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::Any => "any",
        }
    }

    /// Reads the word of the tools.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::In, Self::Out, Self::Any].into_iter().find(|direction| direction.as_str() == text)
    }

    /// Whether an amount goes this way.
    pub const fn includes(self, amount_pence: i64) -> bool {
        match self {
            Self::In => amount_pence > 0,
            Self::Out => amount_pence < 0,
            Self::Any => true,
        }
    }
}

/// A rule: lines that contain a text belong to an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodingRule {
    /// The text, in any case.
    pub contains: String,
    /// Which lines it is about.
    pub direction: RuleDirection,
    /// The account.
    pub account_id: i64,
    /// The VAT code; none leaves the suggested one.
    pub vat_code: Option<String>,
}

impl CodingRule {
    /// Whether it fits a line of this amount with these texts.
    pub fn fits<'t>(&self, amount_pence: i64, texts: impl IntoIterator<Item = &'t str>) -> bool {
        let wanted = self.contains.to_lowercase();
        self.direction.includes(amount_pence) && texts.into_iter().any(|text| text.to_lowercase().contains(&wanted))
    }

    /// Whether it is about the same lines as another.
    pub fn is_about_same(&self, other: &Self) -> bool {
        self.direction == other.direction && self.contains.to_lowercase() == other.contains.to_lowercase()
    }
}

/// A rule as a caller gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodingRuleInput {
    /// The text.
    pub contains: String,
    /// Which lines it is about.
    pub direction: RuleDirection,
    /// The code of the account.
    pub account_code: String,
    /// The VAT code.
    pub vat_code: Option<String>,
}

/// A change of the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodingPolicyChange {
    /// Replaces what is given.
    Set {
        /// Words about the business.
        business_context: Option<String>,
        /// Thousandths; a line of less confidence needs review.
        review_below: Option<u16>,
        /// All rules, in their order.
        rules: Option<Vec<CodingRuleInput>>,
    },
    /// Puts rules before the others; a rule about the same lines is replaced where it stands.
    Remember(Vec<CodingRuleInput>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_fits_its_text_in_any_case_and_its_direction() {
        let rule = |contains: &str, direction| CodingRule {
            contains: contains.to_owned(),
            direction,
            account_id: 1,
            vat_code: None,
        };
        let out = rule("Shell", RuleDirection::Out);
        assert!(out.fits(-1, ["CARD 1234", "SHELL OXFORD"]));
        assert!(!out.fits(1, ["SHELL OXFORD"]) && !out.fits(-1, ["SHEL"]));
        assert!(rule("é", RuleDirection::Any).fits(0, ["CAFÉ"]));
        assert!(rule("rent", RuleDirection::In).fits(5, ["Rent of March"]));
        assert!(out.is_about_same(&rule("shell", RuleDirection::Out)));
        assert!(!out.is_about_same(&rule("shell", RuleDirection::Any)));
    }
}
