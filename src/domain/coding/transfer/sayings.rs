//! What a line says about being a transfer, word by word.

use super::words::is_never;

/// What a line says as a whole about being a transfer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sayings {
    /// A word for moving money between accounts.
    pub(super) transfer: bool,
    /// What card companies write on payments they receive.
    pub(super) thanks: bool,
    /// Another account's number, or a place for one.
    pub(super) numbered: bool,
    /// A payment of a card: `CREDIT CARD`, `CHARGE CARD`.
    pub(super) card: bool,
    /// A wallet whose money can only have come from its balance.
    pub(super) wallet: bool,
    /// Something that is never a transfer, whatever the amounts.
    pub(super) never: bool,
}

/// Reads the sayings of a line's words; `own` tells words of own accounts' names, which forbid nothing.
pub(super) fn sayings<'t>(words: &[&'t str], own: impl Fn(&'t str) -> bool) -> Sayings {
    let mut said = Sayings::default();
    for (place, word) in words.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|place| words.get(place)).copied().unwrap_or("");
        let after = words.get(place + 1).copied().unwrap_or("");
        match *word {
            "TRANSFER" | "TRANSFERS" | "TRANSFERRED" | "TFR" | "TRF" | "TFER" | "XFER" | "TRANSF" | "TRSF" | "TRFR"
            | "TRNSFR" | "TXFR" | "TOPUP" | "SWEEP" | "INTERNAL" | "INTERACCOUNT" => said.transfer = true,
            "TOP" if after == "UP" => said.transfer = true,
            "CONVERTED" | "EXCHANGED" => said.transfer = true,
            "FT" if after.is_empty() || place == 0 => said.transfer = true,
            "WITHDRAWAL" if matches!(before, "GENERAL" | "INITIATED" | "AUTO") || matches!(after, "TO") => {
                said.transfer = true
            }
            "BETWEEN" if matches!(after, "ACCOUNTS" | "OWN" | "MY") => said.transfer = true,
            "OWN" if matches!(after, "ACCOUNT" | "ACCOUNTS" | "AC" | "ACC") => said.transfer = true,
            "ROUND" | "ROUNDUP" if after == "UP" || *word == "ROUNDUP" => said.transfer = true,
            "SENT" if matches!(after, "MONEY" | "FROM") => said.numbered = true,
            "POT" if matches!(before, "TO" | "FROM" | "INTO") => said.transfer = true,
            "C" if before == "A" && matches!(words.get(place.wrapping_sub(2)), Some(&("TO" | "FROM"))) => {
                said.transfer = true
            }
            "CARD" if matches!(before, "CREDIT" | "CHARGE" | "COMML" | "COMMERCIAL" | "COMPANY" | "BUSINESS") => {
                said.card = true
            }
            "CREDITCARD" | "BUSINESSCARD" | "CHARGECARD" | "CARDS" => said.card = true,
            // Cut off by the bank.
            "CAR" | "CA" if matches!(before, "CREDIT" | "CHARGE") => said.card = true,
            "PAYPAL" => said.wallet = true,
            "AC" | "ACC" | "ACCOUNT" if matches!(before, "TO" | "FROM") => said.numbered = true,
            "THANK" if after == "YOU" => said.thanks = true,
            "THANKYOU" => said.thanks = true,
            "RECEIVED" | "RECD" if before == "PAYMENT" => said.thanks = true,
            "PAYMENT" if before == "DEBIT" => said.thanks = true,
            word if is_never(word) && !own(word) => said.never = true,
            word if word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_digit()) => {
                said.numbered = true;
                // "TO 30991277 RESERVE": between accounts of one bank.
                said.transfer |= place <= 1 && matches!(before, "TO" | "FROM");
            }
            _ => {}
        }
    }
    said
}
