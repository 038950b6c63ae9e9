//! `recode_transaction`: what the caller decides of lines, all of them or none; with `remember` as rules of the policy too.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use super::super::{answer, fault};
use super::review::Reviewing;
use super::{ChartAccount, Session, expired, is_manual, money, not_on_platform, policy, without_problems};
use crate::domain::books::records::coding_policy::{CodingPolicyChange, CodingRuleInput, RULES_MAX, RuleDirection};
use crate::domain::coding_session::{Recoding, SessionInvoice, SessionLine, SessionVatCode, Split, near_codes};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::VatCode;
use crate::http::call::Call;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::products::Products;

/// The longest text of a rule.
const RULE_CHARS_MAX: usize = 200;

#[derive(Serialize)]
struct Recoded<'a> {
    session_id: &'a str,
    changed: usize,
    rules_added: usize,
    still_needs_review: usize,
}

/// What changes may name.
struct Known {
    lines: Vec<SessionLine>,
    chart: Vec<ChartAccount>,
    vat_codes: Option<Vec<SessionVatCode>>,
    invoices: Vec<SessionInvoice>,
}

/// What is wrong with changes.
#[derive(Default)]
struct Problems {
    /// Those of the form.
    format: Vec<String>,
    /// Names of what is not there.
    unknown: Vec<String>,
    /// Parts that do not come to their line.
    sums: Vec<String>,
}

/// Sets what lines are coded to.
pub(super) async fn recode(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    let session = Session::open(call, arguments).await?;
    let remembers = arguments.get("remember").and_then(Value::as_bool).unwrap_or_default();
    if remembers && is_manual(&session.record) {
        return Err(not_on_platform("remember: a session on platform manual has no organisation with a policy"));
    }
    let invoices = call.state().reader.coding_session_invoices(session.id()).await;
    let known = Known {
        lines: session.lines().await?,
        chart: session.chart().await?,
        vat_codes: session.vat_codes(),
        invoices: invoices.map_err(|error| fault(error.into()))?,
    };
    let changes = arguments.get("changes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let recodings = known.recodings(changes)?;
    let rules = if remembers { known.rules(&recodings) } else { Vec::new() };
    let rules_added = rules.len();
    // The rules come first: setting lines again does no harm when that is repeated.
    if let Some(inside) = session.inside().filter(|_| !rules.is_empty()) {
        let change = CodingPolicyChange::Remember(rules);
        policy::change(&inside, change, ("recode_transaction", None)).await.map_err(|refused| match refused {
            Refused::Failure(failure) => Refused::Failure(
                failure
                    .next(format!("leave remember out, or make room among the {RULES_MAX} rules with coding_policy")),
            ),
            fault => fault,
        })?;
    }
    let changed = recodings.len();
    let recoded = call.state().actors.coding_sessions.recode(session.id(), recodings).await;
    if !recoded.map_err(|error| fault(error.into()))? {
        return Err(expired());
    }
    let still_needs_review = Reviewing::of(&session).await?.needs_review();
    answer(&Recoded { session_id: session.id().as_str(), changed, rules_added, still_needs_review })
}

impl Known {
    /// What the changes set, by line. Of two changes of one line the later one counts.
    fn recodings(&self, changes: &[Value]) -> Result<Vec<(i64, Recoding)>, Refused> {
        let mut problems = Problems::default();
        let mut recodings: HashMap<i64, Recoding> = HashMap::new();
        for (at, change) in changes.iter().enumerate() {
            let path = format!("changes[{at}].");
            let number = change.get("row_id").and_then(Value::as_i64).unwrap_or_default();
            let found = self.lines.binary_search_by_key(&number, |line| line.line).ok();
            let Some(line) = found.and_then(|at| self.lines.get(at)) else {
                problems.unknown.push(format!("{path}row_id: the session has no line {number}"));
                continue;
            };
            recodings.insert(number, self.recoding(change, line, &path, &mut problems));
        }
        without_problems(problems.format)?;
        let refuse = |code: &str, problems: Vec<String>, next: &str| match problems.is_empty() {
            true => Ok(()),
            false => Err(Refused::from(Failure::new(code, problems.join("; ")).next(next))),
        };
        let next = "correct what is named; nothing was changed";
        refuse("unprocessable_entity (unknown_reference)", problems.unknown, next)?;
        refuse("unprocessable_entity (amount_mismatch)", problems.sums, next)?;
        let mut recodings: Vec<(i64, Recoding)> = recodings.into_iter().collect();
        recodings.sort_by_key(|(line, _)| *line);
        Ok(recodings)
    }

    /// What a change sets.
    fn recoding(&self, change: &Value, line: &SessionLine, path: &str, problems: &mut Problems) -> Recoding {
        let text = |name: &str| change.get(name).and_then(Value::as_str).map(str::to_owned);
        let (account_code, vat_code, invoice_ref) = (text("account_code"), text("vat_code"), text("match_invoice_ref"));
        let parts = change.get("splits").and_then(Value::as_array);
        let ways = [account_code.is_some() || vat_code.is_some(), invoice_ref.is_some(), parts.is_some()];
        match ways.into_iter().filter(|given| *given).count() {
            1 => {}
            0 => problems.format.push(format!("{path}account_code: give this, vat_code, match_invoice_ref or splits")),
            // An invoice may say which account its payment goes to.
            2 if invoice_ref.is_some() && parts.is_none() && vat_code.is_none() => {}
            _ => problems.format.push(format!("{path}splits: stands alone, like match_invoice_ref")),
        }
        if vat_code.is_some() && account_code.is_none() && line.suggestion.is_none() && line.recoding.is_none() {
            problems.format.push(format!("{path}account_code: is required before a run has suggested one"));
        }
        if let Some(code) = &account_code {
            self.require_account(code, &format!("{path}account_code"), problems);
        }
        if let Some(code) = &vat_code {
            self.require_vat_code(code, &format!("{path}vat_code"), problems);
        }
        let kept = || line.recoding.as_ref().and_then(|kept| kept.account_code.clone());
        let account_code = match &invoice_ref {
            Some(named) => self.account_of_invoice(named, account_code, path, problems),
            None if parts.is_some() => None,
            None => account_code.or_else(kept),
        };
        let splits = parts.map(|parts| self.splits(parts, line, path, problems)).unwrap_or_default();
        Recoding { account_code, vat_code, invoice_ref, splits, note: text("note") }
    }

    /// The account that the payment of an invoice goes to.
    fn account_of_invoice(
        &self,
        named: &str,
        given: Option<String>,
        path: &str,
        problems: &mut Problems,
    ) -> Option<String> {
        let Some(invoice) = self.invoices.iter().find(|invoice| invoice.invoice_ref == named) else {
            let message = format!("{path}match_invoice_ref: the session has no invoice {named}");
            problems.unknown.push(message);
            return None;
        };
        let role = match invoice.document.as_ref().map_or(invoice.kind.as_str(), |(kind, ..)| kind.as_str()) {
            "bill" | "purchase_invoice" | "purchase_credit_note" => "accounts_payable",
            _ => "accounts_receivable",
        };
        let control = self.chart.iter().find(|known| known.role.as_deref() == Some(role));
        let account =
            given.or_else(|| control.map(|known| known.account.code.clone())).or_else(|| invoice.account_code.clone());
        if account.is_none() {
            problems.format.push(format!("{path}account_code: is required; the invoice names no account"));
        }
        account
    }

    fn splits(&self, parts: &[Value], line: &SessionLine, path: &str, problems: &mut Problems) -> Vec<Split> {
        let mut splits = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            let path = format!("{path}splits[{at}].");
            let text = |name: &str| part.get(name).and_then(Value::as_str).map(str::to_owned);
            let amount_pence = money(part, "amount", &path, &mut problems.format).unwrap_or_default();
            let (account_code, vat_code) = (text("account_code").unwrap_or_default(), text("vat_code"));
            self.require_account(&account_code, &format!("{path}account_code"), problems);
            if let Some(code) = &vat_code {
                self.require_vat_code(code, &format!("{path}vat_code"), problems);
            }
            splits.push(Split { account_code, vat_code, amount_pence });
        }
        let sum: i64 = splits.iter().map(|split| split.amount_pence).sum();
        let amount = line.details.amount_pence;
        if sum != amount {
            let message = format!("{path}splits: come to {}, the line to {}", Pence(sum), Pence(amount));
            problems.sums.push(message);
        }
        splits
    }

    fn require_account(&self, code: &str, path: &str, problems: &mut Problems) {
        let codes = || self.chart.iter().map(|known| known.account.code.as_str());
        if codes().all(|known| known != code) {
            let near: Vec<String> = near_codes(code, codes()).into_iter().map(|near| self.titled(near)).collect();
            problems.unknown.push(format!("{path}: the chart has no account {code}; near are {}", near.join(", ")));
        }
    }

    /// A code with the name of its account.
    fn titled(&self, code: &str) -> String {
        let known = self.chart.iter().find(|known| known.account.code == code);
        known.map_or_else(|| code.to_owned(), |known| format!("{code} {}", known.account.name))
    }

    fn require_vat_code(&self, code: &str, path: &str, problems: &mut Problems) {
        let own: Vec<&str> = self.vat_codes.iter().flatten().map(|known| known.code.as_str()).collect();
        let is_known = if own.is_empty() { VatCode::parse(code).is_some() } else { own.contains(&code) };
        if !is_known {
            let known = if own.is_empty() { "ST, RR, ZR, EX, NV".to_owned() } else { own.join(", ") };
            problems.unknown.push(format!("{path}: there is no VAT code {code}; known are {known}"));
        }
    }

    /// The rules that keep what lines were set to: by the merchant where the bank names it, else by the description.
    fn rules(&self, recodings: &[(i64, Recoding)]) -> Vec<CodingRuleInput> {
        let mut rules: Vec<CodingRuleInput> = Vec::new();
        for (number, recoding) in recodings {
            let found = self.lines.binary_search_by_key(number, |line| line.line).ok();
            let line = found.and_then(|at| self.lines.get(at));
            let Some((line, account_code)) = line.zip(recoding.account_code.clone()) else { continue };
            if recoding.invoice_ref.is_some() {
                continue;
            }
            let details = &line.details;
            let text = details.merchant.as_ref().unwrap_or(&details.description);
            let rule = CodingRuleInput {
                contains: text.chars().take(RULE_CHARS_MAX).collect(),
                direction: if details.amount_pence < 0 { RuleDirection::Out } else { RuleDirection::In },
                account_code,
                vat_code: recoding.vat_code.clone().filter(|code| VatCode::parse(code).is_some()),
            };
            let is_same = |known: &CodingRuleInput| {
                known.contains.eq_ignore_ascii_case(&rule.contains) && known.direction == rule.direction
            };
            if !rules.iter().any(is_same) {
                rules.push(rule);
            }
        }
        rules
    }
}
