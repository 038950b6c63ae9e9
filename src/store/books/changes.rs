//! The history of the books: the queries about it.

use crate::domain::books::audit_fields::{ChangeAction, Resource};
use crate::domain::books::records::change::{ChangeRecord, Changes, ChangesPart, Since};
use crate::domain::ids::{GrantId, OrganisationId};
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::sql::{Reader, Row, params, signed};

/// Counts the entries before a moment by binary search, because the entries of an organisation are in the order of time.
const COUNT_BEFORE: &str = "with recursive half(low, high) as (\
       select cast(0 as bigint), (select next_change - 1 from books where organisation_id = $1) union all \
       select case when c.at < $2 then c.cursor else half.low end, case when c.at < $2 then half.high else c.cursor - 1 end \
       from half join book_change c on c.organisation_id = $1 and c.cursor = (half.low + half.high + 1) / 2 \
       where half.low < half.high) \
     select max(low) from half";

impl Reader {
    /// A part of the history of an organisation, or of one of its records.
    pub async fn changes(
        &self,
        organisation: OrganisationId,
        of: Option<(Resource, i64)>,
        part: ChangesPart,
    ) -> Result<Changes, StoreError> {
        let after = match part.since {
            Since::Cursor(cursor) => cursor,
            Since::Moment(at_ms) => {
                let row = self.one(COUNT_BEFORE, params![organisation.0, at_ms]).await?;
                row.map_or(Ok(0), |row| row.get(0))?
            }
        };
        let mut conditions = Conditions::new("organisation_id = $1", organisation.0);
        if let Some((resource, id)) = of {
            conditions.and("resource_type = {}", resource.as_str());
            conditions.and("resource_id = {}", id);
        }
        conditions.and("cursor > {}", after);
        if let Some(before) = part.before {
            conditions.and("cursor < {}", before);
        }
        // The number stands in the text: SQLite plans a query anew at every call that gives a limit its value.
        let limit = signed(part.limit);
        let order = if part.newest_first { " desc" } else { "" };
        let sql = format!(
            "select cursor, at, user_id, key_prefix, via, action, resource_type, resource_id, summary, before, after, \
             tool, note, grant_id, (select g.client_name from oauth_grant g where g.id = grant_id), \
             (select u.name from user_account u where u.id = user_id), \
             (select k.name from api_key k where k.prefix = key_prefix) from book_change where {} order by cursor{order} limit {limit}",
            conditions.text()
        );
        let rows = self.all(&sql, conditions.values()).await?;
        let rows: Vec<ChangeRecord> = rows.iter().map(read).collect::<Result<_, _>>()?;
        // A part without entries is followed by itself.
        let own = part.before.filter(|_| part.newest_first).unwrap_or(after);
        let next_cursor = rows.last().map_or(own, |row| row.cursor);
        Ok(Changes { rows, next_cursor })
    }

    /// Whether the organisation has or had this record.
    pub async fn has_history(
        &self,
        organisation: OrganisationId,
        (resource, id): (Resource, i64),
    ) -> Result<bool, StoreError> {
        let mut sql = "select 1 as one from book_change where organisation_id = $1 and resource_id = $2 \
                       and resource_type = $3"
            .to_owned();
        if let Some(table) = table(resource) {
            sql.push_str(&format!(" union all select 1 from {table} r.organisation_id = $1 and r.id = $2"));
        }
        sql.push_str(" limit 1");
        Ok(self.one(&sql, params![organisation.0, id, resource.as_str()]).await?.is_some())
    }
}

/// The table of records that may have no entry of their own: they are older than the history, or were created with their
/// organisation.
const fn table(resource: Resource) -> Option<&'static str> {
    match resource {
        Resource::Account => Some("account r where"),
        Resource::Customer => Some("contact r where r.kind = 'customer' and"),
        Resource::Supplier => Some("contact r where r.kind = 'supplier' and"),
        Resource::BankAccount => Some("bank_account r where"),
        Resource::BankTransaction => Some("bank_transaction r where"),
        Resource::Journal => Some("journal r where"),
        _ => None,
    }
}

/// A connection by OAuth as the history names it.
fn connection(id: Option<i64>, name: Option<String>) -> Option<(GrantId, String)> {
    id.map(|id| (GrantId(id), name.unwrap_or_default()))
}

/// Reads an entry of the history.
fn read(row: &Row) -> Result<ChangeRecord, StoreError> {
    Ok(ChangeRecord {
        cursor: row.get(0)?,
        at_ms: row.get(1)?,
        user_id: row.get(2)?,
        key_prefix: row.get(3)?,
        via: row.get(4)?,
        action: row.parsed(5, ChangeAction::parse)?,
        resource: row.parsed(6, Resource::parse)?,
        resource_id: row.get(7)?,
        summary: row.get(8)?,
        before: row.get(9)?,
        after: row.get(10)?,
        tool: row.get(11)?,
        note: row.get(12)?,
        connection: connection(row.get(13)?, row.get(14)?),
        user_name: row.get(15)?,
        key_name: row.get(16)?,
    })
}
