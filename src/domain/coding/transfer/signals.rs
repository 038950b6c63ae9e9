//! What a line says about being a transfer, word by word.

use super::words::is_never;

/// What a whole line says about being a transfer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Signals {
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
    /// Notes and coins paid in or drawn.
    pub(super) cash: bool,
    /// Something that is never a transfer, whatever the amounts.
    pub(super) never: bool,
}

/// Words of notes and coins that are paid in or drawn.
const CASH: &[&str] = &["ATM", "BANKED", "BANKING", "CASH", "CASHPOINT", "COUNTER", "LNK", "LODGEMENT", "NOTEMACHINE"];

/// Reads the signals of a line's words; `own` recognises words of own accounts' names, which forbid nothing.
pub(super) fn signals<'t>(words: &[&'t str], own: impl Fn(&'t str) -> bool) -> Signals {
    let mut signals = Signals { cash: words.iter().any(|word| CASH.contains(word)), ..Signals::default() };
    for (place, word) in words.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|place| words.get(place)).copied().unwrap_or("");
        let after = words.get(place + 1).copied().unwrap_or("");
        match *word {
            "TRANSFER" | "TRANSFERS" | "TRANSFERRED" | "TFR" | "TRF" | "TFER" | "XFER" | "TRANSF" | "TRSF" | "TRFR"
            | "TRNSFR" | "TXFR" | "TOPUP" | "SWEEP" | "INTERNAL" | "INTERACCOUNT" => signals.transfer = true,
            // "TO BOAT FUND", "FROM RESERVE": a line that begins so.
            "TO" | "FROM" if place == 0 && own(after) => signals.transfer = true,
            "TOP" if after == "UP" => signals.transfer = true,
            "CONVERTED" | "EXCHANGED" => signals.transfer = true,
            "FT" if after.is_empty() || place == 0 => signals.transfer = true,
            "WITHDRAWAL" if matches!(before, "GENERAL" | "INITIATED" | "AUTO") || matches!(after, "TO") => {
                signals.transfer = true
            }
            "BETWEEN" if matches!(after, "ACCOUNTS" | "OWN" | "MY") => signals.transfer = true,
            "OWN" if matches!(after, "ACCOUNT" | "ACCOUNTS" | "AC" | "ACC") => signals.transfer = true,
            "ROUND" | "ROUNDUP" if after == "UP" || *word == "ROUNDUP" => signals.transfer = true,
            "SENT" if matches!(after, "MONEY" | "FROM") => signals.numbered = true,
            // Notes and coins: "paid in at Post Office", "Post Office deposit".
            "OFFICE"
                if before == "POST" && (after == "DEPOSIT" || words.windows(2).any(|pair| pair == ["PAID", "IN"])) =>
            {
                signals.cash = true
            }
            "POT" if matches!(before, "TO" | "FROM" | "INTO") => signals.transfer = true,
            "C" if before == "A" && matches!(words.get(place.wrapping_sub(2)), Some(&("TO" | "FROM"))) => {
                signals.transfer = true
            }
            "CARD" if matches!(before, "CREDIT" | "CHARGE" | "COMML" | "COMMERCIAL" | "COMPANY" | "BUSINESS") => {
                signals.card = true
            }
            "CREDITCARD" | "BUSINESSCARD" | "CHARGECARD" | "CARDS" => signals.card = true,
            // Cut off by the bank.
            "CAR" | "CA" if matches!(before, "CREDIT" | "CHARGE") => signals.card = true,
            // What PayPal writes on money that is withdrawn to a bank.
            "PPWDL" => (signals.wallet, signals.transfer) = (true, true),
            "PAYPAL" => signals.wallet = true,
            "AC" | "ACC" | "ACCOUNT" if matches!(before, "TO" | "FROM") => signals.numbered = true,
            "THANK" if after == "YOU" => signals.thanks = true,
            "THANKYOU" => signals.thanks = true,
            "THANKS" if before == "WITH" => signals.thanks = true,
            "RECEIVED" | "RECD" if before == "PAYMENT" => signals.thanks = true,
            "PAYMENT" if before == "DEBIT" => signals.thanks = true,
            word if is_never(word) && !own(word) => signals.never = true,
            word if word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_digit()) => {
                signals.numbered = true;
                // "TO 30991277 RESERVE", "TO 30-99-12 30991277": between accounts of one bank.
                let is_sort_code = |words: &[&str]| {
                    matches!(words, ["TO" | "FROM", code @ ..] if code.len() == 3
                        && code.iter().all(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit())))
                };
                signals.transfer |= place <= 1 && matches!(before, "TO" | "FROM")
                    || place == 4 && words.get(..place).is_some_and(is_sort_code);
            }
            _ => {}
        }
    }
    signals
}
