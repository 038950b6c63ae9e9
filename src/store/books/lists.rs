//! Pages of lists, and the plans by which the rows that pass a filter are found.

use std::cmp::Reverse;

use futures_util::future::try_join;
use sea_orm::DbBackend;

use crate::domain::ids::OrganisationId;
use crate::store::StoreError;
use crate::store::books::conditions::{Conditions, contains};
use crate::store::books::totals::{COUNTED_MAX, TotalSource};
use crate::store::sql::{Reader, Row, params, signed};

/// From this offset on, a page is found by the totals of the days before it.
const FAR_OFFSET_MIN: u64 = 2_000;

/// How many rows of a list are scanned for each row of a page before the rows that pass the filter are queried instead:
/// enough when one row in forty passes.
const SCANNED_ROWS_OF_ONE: u64 = 40;

/// How many rows are scanned at least.
const SCANNED_ROWS_MIN: u64 = 4_000;

/// How the rows of a list that pass its filters are found.
pub(super) enum PagePlan {
    /// In the order of the list: an index has the rows in this order, or most rows pass.
    InOrder,
    /// Among the first rows of the list; if the page is not full, in these tables, because few rows may pass.
    FilterFirst(String),
    /// In these tables, by the index of search texts.
    Search(String),
}

/// A list of the rows of one table, and how its pages are found.
pub(super) struct List {
    /// The table and its short name.
    pub(super) table: &'static str,
    /// The rows' identifier.
    pub(super) id: &'static str,
    /// The column by which the rows are ordered; rows with equal values are ordered by identifier.
    pub(super) key: &'static str,
    pub(super) descending: bool,
    /// Tables that add columns to the rows of a page.
    pub(super) with: &'static str,
    /// The tables that are queried for the identifiers of a page.
    pub(super) from: String,
    /// The columns of `from` that hold the key and the identifier, when they are not those of the table; one row of the
    /// table may then be found several times.
    pub(super) index_columns: Option<(&'static str, &'static str)>,
    /// All rows of the list, as `b`.
    pub(super) all: &'static str,
    pub(super) plan: PagePlan,
}

impl List {
    /// The order of the list by these columns.
    fn order(&self, key: &str, id: &str) -> String {
        if self.descending { format!("{key} desc, {id} desc") } else { format!("{key}, {id}") }
    }

    /// The grouping by which each row is found once.
    fn group(&self) -> String {
        self.index_columns.map_or(String::new(), |(key, id)| format!(" group by {key}, {id}"))
    }

    /// The query of a page in the order of an index: the rows before the page are skipped without being read.
    fn ordered_page_sql(&self, columns: &str, conditions: &str, limit: &str, offset: &str) -> String {
        let Self { table, id, with, from, .. } = self;
        let (key, index_id) = self.index_columns.unwrap_or((self.key, id));
        format!(
            "select {columns} from (select {index_id} as id from {from} where {conditions}{} order by {} \
             limit {limit} offset {offset}) p join {table} on {id} = p.id {with} order by {}",
            self.group(),
            self.order(key, index_id),
            self.order(self.key, id)
        )
    }

    /// The query of a page of few rows, found by whichever index leads to them; the last column is their number.
    fn filtered_page_sql(&self, few: &str, columns: &str, conditions: &str, limit: &str, offset: &str) -> String {
        let Self { table, id, key, with, .. } = self;
        format!(
            "with m as materialized (select {id} as id, {key} as key from {few} where {conditions} limit {}) \
             select {columns}, (select count(*) from m) from (select id from m order by {} limit {limit} offset {offset}) p \
             join {table} on {id} = p.id {with} order by {}",
            COUNTED_MAX + 1,
            self.order("key", "id"),
            self.order(key, id)
        )
    }
}

impl Reader {
    /// Adds the condition that a row contains a text, and plans how such rows are found.
    pub(super) fn search(
        &self,
        list: &mut List,
        conditions: &mut Conditions,
        (table, name): (&str, &str),
        text: Option<&str>,
    ) {
        let Some(text) = text else { return };
        conditions.and(&format!("{name}.search like {{}} escape '\\'"), contains(text));
        if !matches!(self.shared().backend, DbBackend::Sqlite) {
            // PostgreSQL uses its index of trigrams for the condition by itself.
            list.plan = PagePlan::Search(format!("{table} {name}"));
        } else if let Some(trigrams) = trigrams(text) {
            let trigrams = conditions.value(trigrams);
            list.plan = PagePlan::Search(format!(
                "{table}_trigram cross join {table} {name} on {name}.id = {table}_trigram.rowid \
                 and {table}_trigram match {trigrams}"
            ));
        }
    }

    /// A page of a list, and the total.
    pub(super) async fn listed(
        &self,
        organisation: OrganisationId,
        list: &List,
        columns: &str,
        conditions: Conditions,
        (limit, offset): (u64, u64),
        total_source: &TotalSource,
    ) -> Result<(Vec<Row>, Option<u64>), StoreError> {
        let mut paged = conditions.clone();
        let (limit_name, offset_name) = (paged.value(signed(limit)), paged.value(signed(offset)));
        let filtered_page_sql =
            |from: &str| list.filtered_page_sql(from, columns, &conditions.text(), &limit_name, &offset_name);
        let in_order = conditions.in_order();
        let ordered_page_sql = |conditions: &str| list.ordered_page_sql(columns, conditions, &limit_name, &offset_name);
        match &list.plan {
            PagePlan::InOrder => {
                let mut counting = conditions.clone();
                counting.end_with(&list.group());
                let page = ordered_page_sql(&in_order);
                let counted = self.counted(organisation, &list.from, &counting, total_source);
                try_join(self.all(&page, paged.values()), counted).await
            }
            PagePlan::FilterFirst(few) => {
                let first = prefix_scan(list.key, list.all, list.descending, (limit, offset));
                let near = ordered_page_sql(&format!("{in_order} and {first}"));
                let counted = self.counted(organisation, few, &conditions, total_source);
                let (rows, total) = try_join(self.all(&near, paged.values()), counted).await?;
                if is_whole(rows.len(), total, (limit, offset)) {
                    return Ok((rows, total));
                }
                let far = if total.is_some() { filtered_page_sql(few) } else { ordered_page_sql(&in_order) };
                Ok((self.all(&far, paged.values()).await?, total))
            }
            PagePlan::Search(few) => {
                let rows = self.all(&filtered_page_sql(few), paged.values()).await?;
                let total = match rows.first() {
                    Some(row) => row.get(row.width().saturating_sub(1))?,
                    None if offset == 0 => 0,
                    None => {
                        return Ok((rows, self.counted(organisation, few, &conditions, &TotalSource::Nothing).await?));
                    }
                };
                if total <= COUNTED_MAX {
                    return Ok((rows, u64::try_from(total).ok()));
                }
                Ok((self.all(&ordered_page_sql(&in_order), paged.values()).await?, None))
            }
        }
    }

    /// The day of the row at an offset of a list, newest first, and how many rows come before that day; none for small
    /// offsets.
    pub(super) async fn day_of_row(
        &self,
        organisation: OrganisationId,
        list: &str,
        offset: u64,
    ) -> Result<Option<(i64, u64)>, StoreError> {
        if offset < FAR_OFFSET_MIN {
            return Ok(None);
        }
        let sql = "select day, before from (select day, cast(sum(items) over (order by day desc) - items as bigint) \
                   as before from list_day where organisation_id = $1 and list = $2) d where before <= $3 \
                   order by day limit 1";
        let row = self.one(sql, params![organisation.0, list, signed(offset)]).await?;
        row.map(|row| Ok((row.get(0)?, row.unsigned(1)?))).transpose()
    }
}

/// A condition that passes the first rows of a list, which is ordered by a column of `all`.
pub(super) fn prefix_scan(key: &str, all: &str, descending: bool, (limit, offset): (u64, u64)) -> String {
    let many = limit.saturating_add(offset).saturating_mul(SCANNED_ROWS_OF_ONE).max(SCANNED_ROWS_MIN);
    let column = key.rsplit('.').next().unwrap_or(key);
    // All rows pass when the list has fewer. Rows that are left out by mistake are found by the other query.
    let (order, sign, end) = if descending { (" desc", ">=", "-1000000000") } else { ("", "<=", "'\u{10ffff}'") };
    format!(
        "{key} {sign} coalesce((select b.{column} from {all} order by b.{column}{order}, b.id{order} limit 1 \
         offset {}), {end})",
        signed(many)
    )
}

/// The expression by which an index of trigrams finds a text; none when the text is shorter than a trigram. A few
/// trigrams leave few rows, whose texts are then compared. Trigrams with digits come first: they are in fewer rows.
pub(super) fn trigrams(text: &str) -> Option<String> {
    const TRIGRAMS_MAX: usize = 4;
    let digits = |trigram: &[char]| trigram.iter().filter(|letter| letter.is_numeric()).count();
    let letters: Vec<char> = text.to_lowercase().chars().collect();
    let mut trigrams: Vec<&[char]> = letters.windows(3).collect();
    trigrams.sort_by_key(|trigram| Reverse(digits(trigram)));
    let has_digits = trigrams.first().is_some_and(|trigram| digits(trigram) > 1);
    let mut terms: Vec<String> = Vec::new();
    for trigram in trigrams {
        // Beside a number, trigrams of words are in too many rows to leave much fewer.
        if has_digits && digits(trigram) == 0 {
            break;
        }
        let quoted = format!("\"{}\"", trigram.iter().collect::<String>().replace('"', "\"\""));
        if terms.len() < TRIGRAMS_MAX && !terms.contains(&quoted) {
            terms.push(quoted);
        }
    }
    (!terms.is_empty()).then(|| terms.join(" AND "))
}

/// Whether the rows found among the first of a list fill the page, or are all that pass.
pub(super) fn is_whole(rows: usize, total: Option<u64>, (limit, offset): (u64, u64)) -> bool {
    let rows = u64::try_from(rows).unwrap_or(u64::MAX);
    rows >= limit || total.is_some_and(|total| offset.saturating_add(rows) >= total)
}

#[cfg(test)]
mod tests {
    use super::trigrams;

    #[test]
    fn a_text_is_found_by_its_trigrams() {
        assert_eq!(trigrams("Fuel").as_deref(), Some("\"fue\" AND \"uel\""));
        assert_eq!(trigrams("a\"b").as_deref(), Some("\"a\"\"b\""));
        assert_eq!(trigrams("bill 77").as_deref(), Some("\" 77\" AND \"l 7\""));
        assert_eq!(trigrams("aaaa").as_deref(), Some("\"aaa\""));
        assert_eq!(trigrams("ab"), None);
    }
}
