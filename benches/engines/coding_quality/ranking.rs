//! What `tools/ranking` fits the ranking of lines in doubt to.

use std::path::PathBuf;

use bookkeeping_suite::domain::amount;
use bookkeeping_suite::domain::coding::ranking_inputs;
use serde_json::{Value, json};

use super::business::read_folder;

/// Prints a line of JSON for each business: what is compared of its accounts and lines, and what is expected of each line.
pub fn print(folders: &[PathBuf]) {
    for folder in folders {
        for business in read_folder(folder) {
            let Some((accounts, lines)) = ranking_inputs(&business.batch) else { continue };
            let accounts: Vec<Value> = accounts
                .into_iter()
                .zip(business.batch.accounts.iter())
                .map(|(compared, account)| {
                    json!({
                        "code": account.code,
                        "name": account.name,
                        "type": account.kind.as_str(),
                        "telling": compared.telling,
                        "is_always_named": compared.is_always_named,
                        "is_beside": compared.is_beside,
                    })
                })
                .collect();
            let lines: Vec<Value> = lines
                .into_iter()
                .zip(business.batch.transactions.iter().zip(&business.expected))
                .map(|(compared, (transaction, expected))| {
                    json!({
                        "words": compared.words,
                        "near": compared.near,
                        "traits": compared.traits,
                        "clues": compared.clues,
                        "pence": amount::pence(transaction.amount).to_string(),
                        "method": expected.method,
                        "accounts": expected.accounts,
                        "vat": expected.vat.iter().map(|vat| vat.as_str()).collect::<Vec<_>>(),
                    })
                })
                .collect();
            let context = &business.batch.business_context;
            println!(
                "{}",
                json!({ "folder": folder, "id": business.id, "context": context, "accounts": accounts, "lines": lines })
            );
        }
    }
}
