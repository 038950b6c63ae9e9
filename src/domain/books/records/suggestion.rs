//! How a suggestion saved with a statement line changes the one before: what it does not mention stays.

use crate::domain::books::records::statement_line::{StatementLinePart, StatementLineRecord};
use crate::domain::ledger::refusal::Refusal;

/// What a suggestion, saved with a line that is not confirmed, says anew.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatementLineSuggestion {
    /// How it is to be coded, in parts.
    pub lines: Option<Vec<StatementLinePart>>,
    /// The account of the whole line; none within clears it.
    pub account_id: Option<Option<i64>>,
    /// Its VAT code.
    pub vat_code: Option<Option<String>>,
    /// The customer or supplier.
    pub contact_id: Option<Option<i64>>,
    /// A note.
    pub memo: Option<Option<String>>,
}

/// What is missing beside an account or a VAT code.
pub const NEEDS_BOTH: &str = "is required: an account and a VAT code go together, and the line has only one of them";

/// An account and its VAT code go together.
pub const CLEARS_BOTH: &str = "must be null too: an account and its VAT code are cleared together";

impl StatementLineSuggestion {
    /// The parts as they are to be saved; none when nothing is said about them. A gross of 0 is the whole line.
    pub(crate) fn lines_of(&self, row: &StatementLineRecord) -> Result<Option<Vec<StatementLinePart>>, Refusal> {
        if self.account_id.is_none() && self.vat_code.is_none() {
            return Ok(self.lines.clone());
        }
        // Several parts are not a whole line, so nothing of them stays.
        let saved = match row.lines.as_slice() {
            [line] => Some(line),
            _ => None,
        };
        let account = self.account_id.unwrap_or_else(|| saved.map(|line| line.account_id));
        let code = self.vat_code.clone().unwrap_or_else(|| saved.map(|line| line.vat_code.clone()));
        let (account_id, vat_code) = match (account, code) {
            (Some(account_id), Some(vat_code)) => (account_id, vat_code),
            (None, None) => return Ok(Some(Vec::new())),
            (Some(_), None) if self.vat_code.is_some() => return Err(Refusal::field("account_id", CLEARS_BOTH)),
            (None, Some(_)) if self.account_id.is_some() => return Err(Refusal::field("vat_code", CLEARS_BOTH)),
            (Some(_), None) => return Err(Refusal::field("vat_code", NEEDS_BOTH)),
            (None, Some(_)) => return Err(Refusal::field("account_id", NEEDS_BOTH)),
        };
        let loaded = saved.filter(|_| self.account_id.is_none() || self.vat_code.is_none());
        let line = StatementLinePart {
            account_id,
            gross_pence: loaded.map_or(0, |line| line.gross_pence),
            // VAT that was given was for the code it was given with.
            given_vat_pence: loaded.filter(|line| line.vat_code == vat_code).and_then(|line| line.given_vat_pence),
            vat_code,
            net_pence: 0,
            vat_pence: 0,
            memo: loaded.and_then(|line| line.memo.clone()),
        };
        Ok(Some(vec![line]))
    }
}
