//! Finds the settlements behind statement lines and journals, and the journals of settlements that are voided.

use crate::domain::books::command::{BooksCommand, Confirmation};
use crate::domain::books::facts::Facts;
use crate::domain::books::referenced_ids::ReferencedIds;
use crate::domain::books::request::CommandRequest;
use crate::store::StoreError;
use crate::store::books::load::json;
use crate::store::sql::{Unit, params};
use std::collections::BTreeSet;

/// Finds the settlements behind lines that are taken out of the books and behind journals that lines are matched with;
/// then the journals of those that are undone, and the lines that show them.
pub(super) async fn find(
    unit: &Unit<'_>,
    posts: &[&CommandRequest],
    named: &mut ReferencedIds,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let among = unit.numbers_of_json();
    let (mut unconfirmed, mut matched) = (BTreeSet::new(), BTreeSet::new());
    for request in posts {
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
        for row in unit.all(&sql, params![json(&unconfirmed)]).await? {
            let (id, kind): (i64, Option<String>) = (row.get(0)?, row.get(1)?);
            named.settlements.insert(id);
            if kind.as_deref() != Some("match") {
                named.undone_settlements.insert(id);
            }
        }
    }
    if !matched.is_empty() {
        let sql = format!("select id from settlement where journal_id in {among}");
        for row in unit.all(&sql, params![json(&matched)]).await? {
            named.settlements.insert(row.get(0)?);
        }
    }
    if !named.undone_settlements.is_empty() {
        let sql = format!(
            "select s.id, s.bank_transaction_id, j.id from settlement s join journal j \
             on j.organisation_id = s.organisation_id and j.source_type = s.kind and j.source_id = s.id \
             where s.id in {among} order by j.id"
        );
        for row in unit.all(&sql, params![json(&named.undone_settlements)]).await? {
            let journal: i64 = row.get(2)?;
            named.transactions.extend(row.get::<Option<i64>>(1)?);
            named.journals.insert(journal);
            facts.settlement_journals.loading().entry(row.get(0)?).or_default().push(journal);
        }
    }
    Ok(())
}
