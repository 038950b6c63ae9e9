//! Finds the settlements behind statement lines and journals, and the journals of settlements that are voided.

use std::collections::BTreeSet;

use crate::domain::books::command::{BooksCommand, Confirmation};
use crate::domain::books::facts::Facts;
use crate::domain::books::request::{CommandRequest, ReferencedIds};
use crate::store::StoreError;
use crate::store::sql::{Unit, json_array, params};

/// Finds the settlements behind statement lines that are unconfirmed and behind journals that lines are matched with;
/// then the journals of those that are voided, and the statement lines that show them.
pub(super) async fn find_settlements(
    unit: &Unit<'_>,
    requests: &[&CommandRequest],
    ids: &mut ReferencedIds,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let among = unit.numbers_of_json();
    let (mut unconfirmed, mut matched) = (BTreeSet::new(), BTreeSet::new());
    for request in requests {
        match &request.command {
            BooksCommand::Unconfirm { id } => {
                unconfirmed.insert(*id);
            }
            BooksCommand::Confirm { items, .. } => {
                matched.extend(items.iter().filter_map(|(_, confirmation)| match confirmation {
                    Confirmation::MatchJournal(journal) => Some(*journal),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    if !unconfirmed.is_empty() {
        let sql = format!(
            "select settlement_id, kind from bank_transaction where id in {among} and settlement_id is not null"
        );
        for row in unit.all(&sql, params![json_array(&unconfirmed)]).await? {
            let (id, kind): (i64, Option<String>) = (row.get(0)?, row.get(1)?);
            ids.settlements.insert(id);
            if kind.as_deref() != Some("match") {
                ids.voided_settlements.insert(id);
            }
        }
    }
    if !matched.is_empty() {
        let sql = format!("select id from settlement where journal_id in {among}");
        for row in unit.all(&sql, params![json_array(&matched)]).await? {
            ids.settlements.insert(row.get(0)?);
        }
    }
    if !ids.voided_settlements.is_empty() {
        let sql = format!(
            "select s.id, s.bank_transaction_id, j.id from settlement s join journal j \
             on j.organisation_id = s.organisation_id and j.source_type = s.kind and j.source_id = s.id \
             where s.id in {among} order by j.id"
        );
        for row in unit.all(&sql, params![json_array(&ids.voided_settlements)]).await? {
            let journal: i64 = row.get(2)?;
            ids.transactions.extend(row.get::<Option<i64>>(1)?);
            ids.journals.insert(journal);
            facts.settlement_journals.loading().entry(row.get(0)?).or_default().push(journal);
        }
    }
    Ok(())
}
