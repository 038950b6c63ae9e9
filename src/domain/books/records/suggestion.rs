//! How a suggestion saved with a statement line changes the one before: what it does not mention stays.

use crate::domain::books::records::statement_line::StatementLineRecord;
use crate::domain::ledger::bank_coding::{CodedLine, Coding};
use crate::domain::ledger::chart::AccountReference;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::VatCode;

/// What a suggestion, saved with a line that is not confirmed, says anew.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatementLineSuggestion {
    /// How it is to be coded, in parts.
    pub lines: Option<Vec<CodedLine>>,
    /// The account of the whole line; none within clears it.
    pub account: Option<Option<AccountReference>>,
    /// Its VAT code.
    pub vat_code: Option<Option<VatCode>>,
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
    /// Whether it says how the line is coded or whose it is, rather than only a note.
    pub(crate) const fn says_how(&self) -> bool {
        self.lines.is_some() || self.account.is_some() || self.vat_code.is_some() || self.contact_id.is_some()
    }

    /// How the line is to be coded; none when nothing is said about it. A gross of 0 is the whole line.
    pub(crate) fn coding(&self, row: &StatementLineRecord) -> Result<Option<Coding>, Refusal> {
        if self.account.is_none() && self.vat_code.is_none() {
            return Ok(self.lines.clone().map(|lines| Coding { lines, is_short: false }));
        }
        // Several parts are not a whole line, so nothing of them stays.
        let saved = match row.lines.as_slice() {
            [line] => Some(line.to_domain()),
            _ => None,
        };
        let saved_account = || saved.as_ref().map(|line| line.account.clone());
        let account = self.account.clone().unwrap_or_else(saved_account);
        let code = self.vat_code.unwrap_or_else(|| saved.as_ref().map(|line| line.vat_code));
        let (account, vat_code) = match (account, code) {
            (Some(account), Some(vat_code)) => (account, vat_code),
            (None, None) => return Ok(Some(Coding { lines: Vec::new(), is_short: false })),
            (Some(_), None) if self.vat_code.is_some() => return Err(Refusal::field("account_id", CLEARS_BOTH)),
            (None, Some(_)) if self.account.is_some() => return Err(Refusal::field("vat_code", CLEARS_BOTH)),
            (Some(_), None) => return Err(Refusal::field("vat_code", NEEDS_BOTH)),
            (None, Some(_)) => return Err(Refusal::field("account_id", NEEDS_BOTH)),
        };
        let saved = saved.filter(|_| self.account.is_none() || self.vat_code.is_none());
        let line = CodedLine {
            account,
            gross: saved.as_ref().map_or(Pence::ZERO, |line| line.gross),
            // VAT that was given was for the code it was given with.
            vat_amount: saved.as_ref().filter(|line| line.vat_code == vat_code).and_then(|line| line.vat_amount),
            vat_code,
            memo: saved.and_then(|line| line.memo),
        };
        Ok(Some(Coding { lines: vec![line], is_short: true }))
    }
}
