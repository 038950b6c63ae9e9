//! A run: the body of a coding job made of what a session holds, and what becomes of the engine's answer. The rules of the
//! policy win over everything but settlements and transfers.

use serde::{Deserialize, Serialize};

use super::statement::{Payouts, split_payout};
use super::{
    PastCoding, RunScope, SessionAccount, SessionInvoice, SessionLine, SessionVatCode, SuggestedSettlement, Suggestion,
    vat_inside,
};
use crate::domain::amount::UNITS_PER_PENNY;
use crate::domain::books::records::coding_policy::CodingRule;
use crate::domain::coding::{Batch, CodedRow, Method, Outcome};
use crate::domain::date::Date;
use crate::domain::ledger::money::{Money, Percent};

/// The confidence of what a rule decides with its VAT code, in thousandths.
const CERTAIN: u16 = 1_000;

/// The method of a line that a rule decided.
pub const POLICY_RULE: &str = "policy_rule";

/// The method of a payout that a merchant statement splits.
pub const MERCHANT_STATEMENT: &str = "merchant_statement";

/// What the rows of a run are in its session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunReferences {
    /// The lines, in the order of the transactions.
    pub lines: Vec<i64>,
    /// What names the invoices, in their order.
    pub invoices: Vec<String>,
}

/// What a run is made of.
#[derive(Debug, Clone, Copy)]
pub struct RunInput<'a> {
    /// The lines.
    pub lines: &'a [SessionLine],
    /// The chart.
    pub accounts: &'a [SessionAccount],
    /// The VAT codes; none means the five universal ones.
    pub vat_codes: Option<&'a [SessionVatCode]>,
    /// The open invoices, bills and credit notes.
    pub invoices: &'a [SessionInvoice],
    /// Lines that were coded before.
    pub history: &'a [PastCoding],
    /// Words about the business.
    pub business_context: &'a str,
}

#[derive(Serialize)]
struct TransactionJson<'a> {
    date: Date,
    description: &'a str,
    amount: Money,
    #[serde(skip_serializing_if = "Option::is_none")]
    merchant: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
    bank_account: &'a str,
}

#[derive(Serialize)]
struct VatCodeJson<'a> {
    code: &'a str,
    name: &'a str,
    rate: Box<serde_json::value::RawValue>,
}

#[derive(Serialize)]
struct InvoiceJson<'a> {
    number: &'a str,
    kind: &'a str,
    contact: &'a str,
    date: Date,
    amount_due: Money,
    #[serde(skip_serializing_if = "Option::is_none")]
    due_date: Option<Date>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<Money>,
    currency: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_code: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OptionsJson<'a> {
    business_context: &'a str,
}

#[derive(Serialize)]
struct RequestJson<'a> {
    transactions: Vec<TransactionJson<'a>>,
    chart_of_accounts: &'a [SessionAccount],
    #[serde(skip_serializing_if = "Option::is_none")]
    vat_codes: Option<Vec<VatCodeJson<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    invoices: Option<Vec<InvoiceJson<'a>>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    history: &'a [PastCoding],
    options: OptionsJson<'a>,
}

impl RunInput<'_> {
    /// The payload of the job: what its rows are in the session, and on the next line the body of a coding job.
    pub fn payload(&self) -> serde_json::Result<String> {
        let references = RunReferences {
            lines: self.lines.iter().map(|line| line.line).collect(),
            invoices: self.invoices.iter().map(|invoice| invoice.invoice_ref.clone()).collect(),
        };
        Ok(format!("{}\n{}", serde_json::to_string(&references)?, self.body()?))
    }

    /// The body of a coding job.
    pub fn body(&self) -> serde_json::Result<String> {
        let vat_codes = self.vat_codes.map(|codes| codes.iter().map(vat_code).collect::<Result<Vec<_>, _>>());
        let is_known = |code: &&str| self.accounts.iter().any(|account| account.code == **code);
        let invoices: Vec<InvoiceJson<'_>> = self
            .invoices
            .iter()
            .map(|invoice| InvoiceJson {
                number: &invoice.number,
                kind: &invoice.kind,
                contact: &invoice.contact,
                date: day(invoice.day),
                amount_due: Money(invoice.due_pence),
                due_date: invoice.due_day.map(day),
                total: invoice.total_pence.map(Money),
                currency: &invoice.currency,
                reference: invoice.reference.as_deref(),
                account_code: invoice.account_code.as_deref().filter(is_known),
            })
            .collect();
        let request = RequestJson {
            transactions: self.lines.iter().map(transaction).collect(),
            chart_of_accounts: self.accounts,
            vat_codes: vat_codes.transpose()?,
            invoices: Some(invoices).filter(|invoices| !invoices.is_empty()),
            history: self.history,
            options: OptionsJson { business_context: self.business_context },
        };
        serde_json::to_string(&request)
    }
}

fn day(number: i32) -> Date {
    Date::from_day_number(number).unwrap_or(Date::MIN)
}

fn transaction(line: &SessionLine) -> TransactionJson<'_> {
    let details = &line.details;
    TransactionJson {
        date: details.date(),
        description: &details.description,
        amount: Money(details.amount_pence),
        merchant: details.merchant.as_deref(),
        reference: details.reference.as_deref(),
        bank_account: &details.bank_account,
    }
}

fn vat_code(code: &SessionVatCode) -> serde_json::Result<VatCodeJson<'_>> {
    let rate = serde_json::value::RawValue::from_string(Percent(code.rate_hundredths).to_string())?;
    Ok(VatCodeJson { code: &code.code, name: &code.name, rate })
}

/// The payload of a job of a session, in its two parts.
pub fn read_payload(payload: &str) -> Option<(RunReferences, &str)> {
    let (references, body) = payload.split_once('\n')?;
    Some((serde_json::from_str(references).ok()?, body))
}

/// The engine's answer in the terms of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunResult {
    /// What is suggested, by line.
    pub lines: Vec<(i64, Suggestion)>,
    /// What the caller should know about the whole.
    pub warnings: Vec<String>,
}

impl RunResult {
    /// The answer to a batch; none when it does not fit what the rows are.
    pub fn of(batch: &Batch<'_>, outcome: &Outcome, references: &RunReferences) -> Option<Self> {
        let rows = outcome.rows.iter().zip(&references.lines);
        let lines = rows.map(|(row, line)| Some((*line, suggestion(batch, row, references)?)));
        Some(Self {
            lines: lines.collect::<Option<_>>()?,
            warnings: outcome.warnings.iter().map(|warning| warning.as_str().to_owned()).collect(),
        })
    }
}

fn pence(units: i128) -> i64 {
    i64::try_from(units / UNITS_PER_PENNY).unwrap_or_default()
}

fn suggestion(batch: &Batch<'_>, row: &CodedRow, references: &RunReferences) -> Option<Suggestion> {
    let code = |account: usize| batch.accounts.get(account).map(|account| account.code.clone().into_owned());
    let settles = row.settles.iter().map(|settled| {
        Some(SuggestedSettlement {
            invoice_ref: references.invoices.get(settled.invoice)?.clone(),
            number: batch.invoices.as_ref()?.get(settled.invoice)?.number.clone().into_owned(),
            amount_pence: pence(settled.amount),
            kind: settled.kind.as_str().to_owned(),
        })
    });
    let alternatives = row.alternatives.iter().map(|other| Some((code(other.account)?, other.confidence)));
    let transfer_line = row.transfer_pair.map(|pair| references.lines.get(pair).copied().ok_or(()));
    Some(Suggestion {
        account_code: code(row.account)?,
        vat_code: row.vat.as_str().to_owned(),
        vat_pence: pence(row.vat_amount),
        confidence: row.confidence,
        method: row.method.as_str().to_owned(),
        reason: row.reason.clone().into_owned(),
        alternatives: alternatives.collect::<Option<_>>()?,
        settles: settles.collect::<Option<_>>()?,
        transfer_line: transfer_line.transpose().ok()?,
        splits: Vec::new(),
    })
}

/// What the lines of a session are decided by beside the engine.
#[derive(Debug, Clone, Copy)]
pub struct Decisions<'a> {
    /// Which lines take the answer.
    pub scope: RunScope,
    /// The rules of the policy, each with the code of its account; those without one do not apply.
    pub rules: &'a [(CodingRule, Option<String>)],
    /// The VAT codes; none means the five universal ones.
    pub vat_codes: Option<&'a [SessionVatCode]>,
    /// The payouts of merchant statements.
    pub payouts: &'a Payouts,
}

/// What every line is suggested after a run, without those that keep what they have.
pub fn decide(lines: &[SessionLine], result: RunResult, decisions: &Decisions<'_>) -> Vec<(i64, Suggestion)> {
    let mut decided = Vec::with_capacity(result.lines.len());
    for (number, mut suggestion) in result.lines {
        let Ok(at) = lines.binary_search_by_key(&number, |line| line.line) else { continue };
        let Some(line) = lines.get(at) else { continue };
        if decisions.scope == RunScope::Uncoded && !is_uncoded(line) {
            continue;
        }
        let is_documented = [Method::InvoiceSettlement, Method::Transfer].map(Method::as_str);
        if !is_documented.contains(&suggestion.method.as_str())
            && !apply_rules(line, &mut suggestion, decisions)
            && let Some(splits) = split_payout(line, &suggestion, decisions.payouts)
        {
            MERCHANT_STATEMENT.clone_into(&mut suggestion.method);
            "the merchant's statement says what this payout is made of".clone_into(&mut suggestion.reason);
            suggestion.vat_pence = 0;
            suggestion.splits = splits;
        }
        decided.push((number, suggestion));
    }
    decided
}

/// Whether a line has no account yet, or only the fallback.
pub fn is_uncoded(line: &SessionLine) -> bool {
    let is_fallback = |suggestion: &Suggestion| suggestion.method == Method::Fallback.as_str();
    line.recoding.is_none() && line.suggestion.as_ref().is_none_or(is_fallback)
}

/// Decides a line by the first rule that fits it, if one does.
fn apply_rules(line: &SessionLine, suggestion: &mut Suggestion, decisions: &Decisions<'_>) -> bool {
    let details = &line.details;
    let fitting = decisions.rules.iter().filter_map(|(rule, code)| Some((rule, code.as_ref()?)));
    let first = fitting.into_iter().find(|(rule, _)| rule.fits(details.amount_pence, details.texts()));
    let Some((rule, account_code)) = first else { return false };
    if let Some(vat_code) = &rule.vat_code {
        suggestion.vat_code.clone_from(vat_code);
        suggestion.confidence = CERTAIN;
    }
    suggestion.vat_pence = vat_inside(&suggestion.vat_code, decisions.vat_codes, details.amount_pence);
    suggestion.account_code.clone_from(account_code);
    POLICY_RULE.clone_into(&mut suggestion.method);
    suggestion.reason = format!("the coding policy says so of lines that contain \"{}\"", rule.contains);
    suggestion.alternatives.clear();
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::books::records::coding_policy::RuleDirection;
    use crate::domain::coding_session::{LineDetails, Recoding};

    fn line(number: i64, description: &str, pence: i64) -> SessionLine {
        let details = LineDetails {
            bank_account: "Current".to_owned(),
            day: 20_000,
            amount_pence: pence,
            description: description.to_owned(),
            merchant: None,
            reference: None,
            merchant_category_code: None,
            bank_transaction_id: None,
        };
        SessionLine { line: number, details, suggestion: None, recoding: None }
    }

    fn suggestion(method: &str) -> Suggestion {
        Suggestion {
            account_code: "7000".to_owned(),
            vat_code: "ST".to_owned(),
            vat_pence: -20,
            confidence: 700,
            method: method.to_owned(),
            reason: "known".to_owned(),
            alternatives: Vec::new(),
            settles: Vec::new(),
            transfer_line: None,
            splits: Vec::new(),
        }
    }

    fn rule(contains: &str, vat_code: Option<&str>) -> (CodingRule, Option<String>) {
        let rule = CodingRule {
            contains: contains.to_owned(),
            direction: RuleDirection::Out,
            account_id: 1,
            vat_code: vat_code.map(str::to_owned),
        };
        (rule, Some("7304".to_owned()))
    }

    fn decided(
        line: SessionLine,
        method: &str,
        rules: &[(CodingRule, Option<String>)],
        scope: RunScope,
    ) -> Vec<Suggestion> {
        let result = RunResult { lines: vec![(line.line, suggestion(method))], warnings: Vec::new() };
        let payouts = Payouts::default();
        let decisions = Decisions { scope, rules, vat_codes: None, payouts: &payouts };
        decide(&[line], result, &decisions).into_iter().map(|(_, suggestion)| suggestion).collect()
    }

    #[test]
    fn rules_win_over_everything_but_settlements_and_transfers() {
        let rules = [rule("shell", Some("ST"))];
        for (method, expected) in [
            ("merchant", POLICY_RULE),
            ("fallback", POLICY_RULE),
            ("invoice_settlement", "invoice_settlement"),
            ("transfer", "transfer"),
        ] {
            let decided = decided(line(1, "SHELL 12", -120), method, &rules, RunScope::All);
            assert_eq!(decided[0].method, expected);
        }
        let decided = decided(line(1, "SHELL 12", -120), "merchant", &rules, RunScope::All);
        assert_eq!(
            (decided[0].account_code.as_str(), decided[0].vat_pence, decided[0].confidence),
            ("7304", -20, 1_000)
        );
    }

    #[test]
    fn a_rule_without_a_vat_code_leaves_the_suggested_one_and_its_doubt() {
        let decided = decided(line(1, "Shell", -120), "merchant", &[rule("shell", None)], RunScope::All);
        assert_eq!((decided[0].vat_code.as_str(), decided[0].confidence), ("ST", 700));
        let mut without = rule("shell", None);
        without.1 = None;
        let decided = self::decided(line(1, "Shell", -120), "merchant", &[without], RunScope::All);
        assert_eq!(decided[0].method, "merchant");
    }

    #[test]
    fn a_run_of_the_uncoded_leaves_the_others_as_they_are() {
        let fallback = SessionLine { suggestion: Some(suggestion("fallback")), ..line(1, "a", -1) };
        let known = SessionLine { suggestion: Some(suggestion("merchant")), ..line(1, "a", -1) };
        let recoded = SessionLine { recoding: Some(Recoding::default()), ..line(1, "a", -1) };
        for (line, decided_lines) in [(line(1, "a", -1), 1), (fallback, 1), (known, 0), (recoded, 0)] {
            assert_eq!(decided(line, "merchant", &[], RunScope::Uncoded).len(), decided_lines);
        }
    }

    #[test]
    fn a_payload_is_read_back() {
        let input = RunInput {
            lines: &[line(4, "a \"b\"\n", -1)],
            accounts: &[],
            vat_codes: Some(&[SessionVatCode { code: "S".into(), name: "Standard".into(), rate_hundredths: 2_000 }]),
            invoices: &[],
            history: &[],
            business_context: "",
        };
        let payload = input.payload().expect("prints");
        let (references, body) = read_payload(&payload).expect("two parts");
        assert_eq!(references.lines, [4]);
        let body: serde_json::Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(body["vat_codes"][0]["rate"], 20.0);
        assert_eq!(body["transactions"][0]["amount"].to_string(), "-0.01");
    }
}
