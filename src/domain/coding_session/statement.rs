//! Statements of card processors and marketplaces: which payouts they explain, and what a payout is made of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{SessionAccount, SessionLine, Split, Suggestion};

/// How many days a payout may take to arrive, and how early a bank may date it.
const ARRIVES_WITHIN_DAYS: i32 = 7;
const EARLY_DAYS: i32 = 1;

/// What a row of a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowKind {
    /// What a customer paid.
    Sale,
    /// What a customer got back.
    Refund,
    /// What the merchant keeps.
    Fee,
    /// What the merchant pays out.
    Payout,
    /// Anything else.
    Adjustment,
}

impl RowKind {
    /// Reads the word of the tools.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "sale" => Self::Sale,
            "refund" => Self::Refund,
            "fee" => Self::Fee,
            "payout" => Self::Payout,
            "adjustment" => Self::Adjustment,
            _ => return None,
        })
    }
}

/// A row of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementRow {
    /// Its day number.
    pub day: i32,
    /// What it is.
    pub kind: RowKind,
    /// As the statement has it.
    pub amount_pence: i64,
    /// Which payout it is part of.
    pub payout_reference: Option<String>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MerchantStatement {
    /// The card processor or marketplace.
    pub merchant: String,
    /// Its rows.
    pub rows: Vec<StatementRow>,
}

/// A payout with what it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payout {
    /// The card processor or marketplace.
    pub merchant: String,
    /// What the merchant calls it.
    pub reference: Option<String>,
    /// Its day number.
    pub day: i32,
    /// What was paid out; above zero.
    pub amount_pence: i64,
    /// Sales, refunds, fees and adjustments, each with its sign for the business.
    pub parts: BTreeMap<RowKind, i64>,
}

impl Payout {
    /// What its parts come to.
    pub fn explained_pence(&self) -> i64 {
        self.parts.values().sum()
    }

    /// Whether its parts come to what was paid out.
    pub fn is_balanced(&self) -> bool {
        self.explained_pence() == self.amount_pence
    }

    /// Whether a bank line is probably this payout.
    pub fn fits(&self, line: &SessionLine) -> bool {
        let details = &line.details;
        let days = details.day - self.day;
        if details.amount_pence != self.amount_pence || !(-EARLY_DAYS..=ARRIVES_WITHIN_DAYS).contains(&days) {
            return false;
        }
        let is_named = |name: &str| details.texts().any(|text| text.to_lowercase().contains(&name.to_lowercase()));
        let first_word = self.merchant.split_whitespace().next().unwrap_or_default();
        is_named(first_word) || self.reference.as_deref().is_some_and(is_named)
    }
}

impl MerchantStatement {
    /// Its payouts: rows belong to the payout they name, the others to the next one that names none.
    pub fn payouts(&self) -> Vec<Payout> {
        let mut rows: Vec<&StatementRow> = self.rows.iter().collect();
        // What a payout is made of comes before it on the same day.
        rows.sort_by_key(|row| (row.day, row.kind == RowKind::Payout));
        let mut payouts = Vec::new();
        let mut waiting: BTreeMap<RowKind, i64> = BTreeMap::new();
        for row in &rows {
            let reference = row.payout_reference.as_deref();
            match row.kind {
                RowKind::Payout => {
                    let parts = match reference {
                        Some(_) => named_parts(&rows, reference),
                        None => std::mem::take(&mut waiting),
                    };
                    payouts.push(Payout {
                        merchant: self.merchant.clone(),
                        reference: row.payout_reference.clone(),
                        day: row.day,
                        amount_pence: row.amount_pence.abs(),
                        parts,
                    });
                }
                kind if reference.is_none() => *waiting.entry(kind).or_default() += signed(row),
                _ => {}
            }
        }
        payouts
    }
}

/// The parts of the payout that rows name.
fn named_parts(rows: &[&StatementRow], reference: Option<&str>) -> BTreeMap<RowKind, i64> {
    let mut parts = BTreeMap::new();
    for row in rows.iter().filter(|row| row.kind != RowKind::Payout && row.payout_reference.as_deref() == reference) {
        *parts.entry(row.kind).or_default() += signed(row);
    }
    parts
}

/// Refunds and fees take away, whichever sign the statement gives them; an adjustment keeps its own.
const fn signed(row: &StatementRow) -> i64 {
    match row.kind {
        RowKind::Refund | RowKind::Fee => -row.amount_pence.abs(),
        RowKind::Sale => row.amount_pence.abs(),
        RowKind::Payout | RowKind::Adjustment => row.amount_pence,
    }
}

/// The payouts of a session, and the account of what merchants keep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payouts {
    /// All of them.
    pub payouts: Vec<Payout>,
    /// The account of fees.
    pub fees: Option<String>,
}

impl Payouts {
    /// The payouts of statements; fees go to the account of the chart that is named after them.
    pub fn of(statements: &[MerchantStatement], accounts: &[SessionAccount]) -> Self {
        let payouts = statements.iter().flat_map(MerchantStatement::payouts).collect();
        // In the order of preference: an account of merchants' fees, of charges of a bank, of any charges.
        let words: [&[&str]; 5] = [&["merchant"], &["card", "fee"], &["processing"], &["bank", "charge"], &["charge"]];
        let is_named = |account: &&SessionAccount, words: &[&str]| {
            let name = account.name.to_lowercase();
            account.kind == "EXPENSE" && words.iter().all(|word| name.contains(word))
        };
        let fees = words.iter().find_map(|words| accounts.iter().find(|account| is_named(account, words)));
        Self { payouts, fees: fees.map(|account| account.code.clone()) }
    }
}

/// What a line is made of when it is a payout whose statement adds up: sales, less refunds, on the suggested account, and what
/// the merchant kept on that of fees.
pub(super) fn split_payout(line: &SessionLine, suggestion: &Suggestion, payouts: &Payouts) -> Option<Vec<Split>> {
    let payout = payouts.payouts.iter().find(|payout| payout.is_balanced() && payout.fits(line))?;
    let fees = payouts.fees.as_ref()?;
    let part = |kind: RowKind, account: &str, vat_code: Option<&str>| {
        let amount_pence = payout.parts.get(&kind).copied().filter(|pence| *pence != 0)?;
        Some(Split { account_code: account.to_owned(), vat_code: vat_code.map(str::to_owned), amount_pence })
    };
    let sales = Some(suggestion.vat_code.as_str());
    let account = suggestion.account_code.as_str();
    let splits: Vec<Split> = [
        part(RowKind::Sale, account, sales),
        part(RowKind::Refund, account, sales),
        part(RowKind::Fee, fees, Some("EX")),
        part(RowKind::Adjustment, fees, Some("NV")),
    ]
    .into_iter()
    .flatten()
    .collect();
    Some(splits).filter(|splits| splits.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(day: i32, kind: RowKind, amount_pence: i64, reference: Option<&str>) -> StatementRow {
        StatementRow { day, kind, amount_pence, payout_reference: reference.map(str::to_owned) }
    }

    #[test]
    fn rows_belong_to_the_payout_they_name_or_to_the_next() {
        let statement = MerchantStatement {
            merchant: "Stripe".to_owned(),
            rows: vec![
                row(3, RowKind::Payout, -900, None),
                row(1, RowKind::Sale, 1_000, None),
                row(2, RowKind::Fee, 100, None),
                row(2, RowKind::Sale, 500, Some("po_1")),
                row(9, RowKind::Fee, -20, Some("po_1")),
                row(4, RowKind::Payout, 470, Some("po_1")),
            ],
        };
        let payouts = statement.payouts();
        assert_eq!(payouts.len(), 2);
        assert!(payouts[0].is_balanced() && payouts[0].amount_pence == 900);
        assert_eq!((payouts[1].explained_pence(), payouts[1].is_balanced()), (480, false));
    }
}
