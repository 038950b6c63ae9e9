//! Which lines of a session are in the books already: those that were loaded from the books and are confirmed, and those that
//! were entered when they were posted.

use std::collections::BTreeSet;

use crate::domain::coding_session::{SessionLine, external_id};
use crate::domain::ids::{CodingSessionId, OrganisationId};
use crate::store::StoreError;
use crate::store::sql::{Reader, json_array, params};

impl Reader {
    /// The lines of a session that are posted.
    pub async fn posted_lines(
        &self,
        organisation: OrganisationId,
        session: &CodingSessionId,
        lines: &[SessionLine],
    ) -> Result<BTreeSet<i64>, StoreError> {
        let (mut from_books, mut given) = (Vec::new(), Vec::new());
        for line in lines {
            match line.details.bank_transaction_id {
                Some(id) => from_books.push((id, line.line)),
                None => given.push((external_id(session, line.line), line.line)),
            }
        }
        let mut posted = BTreeSet::new();
        if !from_books.is_empty() {
            let sql = format!(
                "select id from bank_transaction where id in {} and organisation_id = $2 and status = 'confirmed'",
                self.numbers_of_json()
            );
            let ids = json_array(from_books.iter().map(|(id, _)| *id));
            let mut confirmed = BTreeSet::new();
            for row in self.all(&sql, params![ids, organisation.0]).await? {
                confirmed.insert(row.get::<i64>(0)?);
            }
            posted.extend(from_books.into_iter().filter(|(id, _)| confirmed.contains(id)).map(|(_, line)| line));
        }
        if !given.is_empty() {
            // Lines have an index by bank account and the bank's own identifier.
            let sql = format!(
                "select t.external_id from bank_account b join bank_transaction t on t.bank_account_id = b.id \
                 where b.organisation_id = $2 and t.external_id in {}",
                self.texts_of_json()
            );
            let ids = json_array(given.iter().map(|(id, _)| id));
            let mut entered = BTreeSet::new();
            for row in self.all(&sql, params![ids, organisation.0]).await? {
                entered.insert(row.get::<String>(0)?);
            }
            posted.extend(given.into_iter().filter(|(id, _)| entered.contains(id)).map(|(_, line)| line));
        }
        Ok(posted)
    }
}
