//! What a line says about how a payment relates to what it pays: in part, less tax, less a fee.

use crate::domain::coding::line::Line;

/// The words that were found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cues {
    /// Part, stage, half, instalment, deposit, retention.
    pub(super) part: bool,
    /// The rest of something.
    pub(super) balance: bool,
    /// On account: for whatever is oldest.
    pub(super) on_account: bool,
    /// Tax deducted under the Construction Industry Scheme.
    pub(super) cis: bool,
    /// A bank, a card processor or another currency is in between.
    pub(super) fee: bool,
    /// Less a credit note.
    pub(super) credit: bool,
}

impl Cues {
    pub(super) fn of(line: &Line<'_>) -> Self {
        let mut cues = Self::default();
        let mut before = "";
        for word in line.words() {
            match word {
                // Of cash, at a bank or a post office.
                "DEPOSIT" if matches!(before, "BRANCH" | "CASH" | "COUNTER" | "OFFICE" | "PO") => {}
                "PART" | "PARTIAL" | "PARTPAY" | "PARTPAYMENT" | "PTPMT" | "PPMT" | "HALF" | "INSTALMENT"
                | "INSTALLMENT" | "INSTAL" | "INSTALMENTS" | "STAGE" | "INTERIM" | "DEPOSIT" | "DEP" | "RETENTION"
                | "RETN" | "1ST" | "2ND" | "3RD" | "50" | "UPFRONT" | "MILESTONE" => cues.part = true,
                "PT" if before.is_empty() => {}
                "PT" => cues.part = true,
                "OF" if before.len() == 1 && before.bytes().all(|byte| byte.is_ascii_digit()) => cues.part = true,
                "BALANCE" | "BAL" | "REMAINDER" | "REMAINING" | "FINAL" => cues.balance = true,
                "ACCOUNT" | "ACC" | "ACCT" | "AC" | "A" if before == "ON" => cues.on_account = true,
                "CIS" | "CIS20" | "CIS30" | "SUBCONTRACTOR" | "SUBBY" => cues.cis = true,
                "20" | "30" | "TAX" if before == "LESS" || before == "MINUS" => cues.cis = true,
                "CHGS" | "CHG" | "CHARGES" | "CHARGE" | "FEE" | "FEES" | "COMMISSION" | "PAYPAL" | "STRIPE"
                | "SUMUP" | "ZETTLE" | "IZETTLE" | "SQUARE" | "SQUAREUP" | "SQ" | "WISE" | "TRANSFERWISE"
                | "REVOLUT" | "PAYONEER" | "WORLDPAY" | "GOCARDLESS" | "KLARNA" | "CLEARPAY" | "USD" | "EUR"
                | "EURO" | "CHF" | "DKK" | "SEK" | "NOK" | "AUD" | "CAD" | "CONV" | "FX" | "INTL" | "INTERNATIONAL"
                | "SWIFT" | "SEPA" | "FOREIGN" | "TT" | "OVERSEAS" | "CURRENCYFAIR" | "OFX" | "AIRWALLEX" | "TIDE" => {
                    cues.fee = true;
                }
                "CREDIT" | "CN" | "CRN" | "CNOTE" | "RETURNS"
                    if before == "LESS" || before == "MINUS" || before == "NET" =>
                {
                    cues.credit = true
                }
                _ => {}
            }
            before = word;
        }
        cues
    }

    pub(super) const fn any_part(self) -> bool {
        self.part || self.balance || self.on_account
    }
}
