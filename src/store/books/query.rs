//! Conditions of a query, put together with their parameters.

use crate::domain::ids::OrganisationId;
use crate::store::StoreError;
use crate::store::books::totals::{COUNTED_MAX, TotalSource};
use crate::store::reader::Reader;
use crate::store::sql::{Row, params};
use futures_util::future::try_join;
use sea_orm::{DbBackend, Value};

/// Rows further down are found by the days before them.
const FAR_DOWN: u64 = 2_000;

/// Rows looked at in the order of a list for a page of those that pass a filter, before the few that pass are looked for
/// instead: as many as it takes when one in forty passes, and so many at least.
const LOOKED_AT_MIN: u64 = 4_000;

const LOOKED_AT_OF_ONE: u64 = 40;

/// Conditions joined by `and`, and the parameters they name. Where rows are read in the order of the list, a column
/// behind `~` is compared without an index of its own; where the rows that pass are looked for apart from it, a text
/// behind `^` is.
#[derive(Clone)]
pub(super) struct Conditions {
    parts: Vec<String>,
    /// What follows all of them.
    end: String,
    values: Vec<Value>,
}

impl Conditions {
    /// The first condition, in which `$1` is the first value.
    pub(super) fn new(text: &str, value: impl Into<Value>) -> Self {
        Self { parts: vec![text.to_owned()], end: String::new(), values: vec![value.into()] }
    }

    /// One more, in which `{}` stands for the value.
    pub(super) fn and(&mut self, text: &str, value: impl Into<Value>) {
        let name = self.value(value);
        self.parts.push(text.replace("{}", &name));
    }

    /// One more without a value.
    pub(super) fn and_plain(&mut self, text: &str) {
        self.parts.push(text.to_owned());
    }

    /// The same with a value if there is one.
    pub(super) fn and_if(&mut self, text: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.and(text, value);
        }
    }

    /// Adds a value that is no condition; gives its name.
    pub(super) fn value(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    /// Adds what follows all conditions.
    pub(super) fn end_with(&mut self, text: &str) {
        self.end.push_str(text);
    }

    /// The same without those that begin like this.
    pub(super) fn without(&self, beginning: &str) -> Self {
        let mut others = self.clone();
        others.parts.retain(|part| !part.trim_start_matches('~').starts_with(beginning));
        others
    }

    fn all(&self) -> String {
        format!("{}{}", self.parts.join(" and "), self.end)
    }

    pub(super) fn text(&self) -> String {
        self.all().replace('~', "").replace('^', "'' || ")
    }

    /// The same for rows read in the order of the list: an operator before a column keeps both databases from looking
    /// for it in an index.
    pub(super) fn in_order(&self) -> String {
        self.all().replace('~', "+").replace('^', "")
    }

    pub(super) fn values(&self) -> Vec<Value> {
        self.values.clone()
    }
}

/// A count or position as both databases take it.
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A pattern for `like … escape '\'` that finds a text anywhere, in lower case.
pub(super) fn contains(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.to_lowercase().chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// How the rows of a list that pass its filters are found.
pub(super) enum PagePlan {
    /// They stand in an index in the order of the list, or most rows pass.
    InOrder,
    /// Maybe far apart: among the first rows of the list, or else here, in any order.
    FilterFirst(String),
    /// By their letters, here, in any order.
    Search(String),
}

/// A list of rows of one table: how its pages are found.
pub(super) struct List {
    /// The table and its short name.
    pub(super) table: &'static str,
    /// The rows' identifier.
    pub(super) id: &'static str,
    /// What the rows are ordered by, then by identifier.
    pub(super) key: &'static str,
    pub(super) descending: bool,
    /// Tables that add columns to the rows of a page.
    pub(super) with: &'static str,
    /// Where pages are looked for in the order of the list.
    pub(super) from: String,
    /// The key and the identifier there, when they are not the table's own; there may then be several of one row.
    pub(super) named: Option<(&'static str, &'static str)>,
    /// All rows of the list, as `b`.
    pub(super) all: &'static str,
    pub(super) found: PagePlan,
}

/// A condition that leaves the first rows of a list, which is ordered by a column of `all`.
pub(super) fn prefix_scan(key: &str, all: &str, descending: bool, (limit, offset): (u64, u64)) -> String {
    let many = limit.saturating_add(offset).saturating_mul(LOOKED_AT_OF_ONE).max(LOOKED_AT_MIN);
    let column = key.rsplit('.').next().unwrap_or(key);
    // Where the list has fewer rows, all of them. What is left out by mistake is found the other way.
    let (order, sign, end) = if descending { (" desc", ">=", "-1000000000") } else { ("", "<=", "'\u{10ffff}'") };
    format!(
        "{key} {sign} coalesce((select b.{column} from {all} order by b.{column}{order}, b.id{order} limit 1 \
         offset {}), {end})",
        signed(many)
    )
}

impl List {
    fn order(&self, key: &str, id: &str) -> String {
        if self.descending { format!("{key} desc, {id} desc") } else { format!("{key}, {id}") }
    }

    fn group(&self) -> String {
        self.named.map_or(String::new(), |(key, id)| format!(" group by {key}, {id}"))
    }

    /// A page in the order of an index: the rows before it are passed over without being read.
    fn ordered_page_sql(&self, columns: &str, conditions: &str, limit: &str, offset: &str) -> String {
        let Self { table, id, with, from, .. } = self;
        let (key, named) = self.named.unwrap_or((self.key, id));
        format!(
            "select {columns} from (select {named} as id from {from} where {conditions}{} order by {} \
             limit {limit} offset {offset}) p join {table} on {id} = p.id {with} order by {}",
            self.group(),
            self.order(key, named),
            self.order(self.key, id)
        )
    }

    /// A page of few rows, found by whichever index leads to them; how many there are is the last column.
    fn filtered_page_sql(&self, picked: &str, columns: &str, conditions: &str, limit: &str, offset: &str) -> String {
        let Self { table, id, key, with, .. } = self;
        format!(
            "with m as materialized (select {id} as id, {key} as key from {picked} where {conditions} limit {}) \
             select {columns}, (select count(*) from m) from (select id from m order by {} limit {limit} offset {offset}) p \
             join {table} on {id} = p.id {with} order by {}",
            COUNTED_MAX + 1,
            self.order("key", "id"),
            self.order(key, id)
        )
    }
}

/// What an index of every three letters is asked to find a text; none when the text is too short for it. A few triples
/// are enough to leave few rows, which are then looked at; digits tell rows apart better than words do.
pub(super) fn trigrams(text: &str) -> Option<String> {
    const TRIPLES_MAX: usize = 4;
    let digits = |triple: &[char]| triple.iter().filter(|letter| letter.is_numeric()).count();
    let trigrams: Vec<char> = text.to_lowercase().chars().collect();
    let mut triples: Vec<&[char]> = trigrams.windows(3).collect();
    triples.sort_by_key(|triple| std::cmp::Reverse(digits(triple)));
    let has_digits = triples.first().is_some_and(|triple| digits(triple) > 1);
    let mut asked: Vec<String> = Vec::new();
    for triple in triples {
        // Beside a number, words are in too many rows to be worth asking for.
        if has_digits && digits(triple) == 0 {
            break;
        }
        let quoted = format!("\"{}\"", triple.iter().collect::<String>().replace('"', "\"\""));
        if asked.len() < TRIPLES_MAX && !asked.contains(&quoted) {
            asked.push(quoted);
        }
    }
    (!asked.is_empty()).then(|| asked.join(" AND "))
}

impl Reader {
    /// Lets only rows pass that contain a text.
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
            // Here the condition finds the index by itself.
            list.found = PagePlan::Search(format!("{table} {name}"));
        } else if let Some(trigrams) = trigrams(text) {
            let trigrams = conditions.value(trigrams);
            list.found = PagePlan::Search(format!(
                "{table}_letters cross join {table} {name} on {name}.id = {table}_letters.rowid \
                 and {table}_letters match {trigrams}"
            ));
        }
    }

    /// A page of a list, and how many rows the list has.
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
        match &list.found {
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

    /// The day on which a row far down a list stands, newest first, and how many rows come before that day.
    pub(super) async fn day_of_row(
        &self,
        organisation: OrganisationId,
        list: &str,
        offset: u64,
    ) -> Result<Option<(i64, u64)>, StoreError> {
        if offset < FAR_DOWN {
            return Ok(None);
        }
        let sql = "select day, before from (select day, cast(sum(items) over (order by day desc) - items as bigint) \
                   as before from list_day where organisation_id = $1 and list = $2) d where before <= $3 \
                   order by day limit 1";
        let row = self.one(sql, params![organisation.0, list, signed(offset)]).await?;
        row.map(|row| Ok((row.get(0)?, row.unsigned(1)?))).transpose()
    }
}

/// Whether rows found among the first of a list are all that a page has.
pub(super) fn is_whole(rows: usize, total: Option<u64>, (limit, offset): (u64, u64)) -> bool {
    let rows = u64::try_from(rows).unwrap_or(u64::MAX);
    rows >= limit || total.is_some_and(|total| offset.saturating_add(rows) >= total)
}

#[cfg(test)]
mod tests {
    use super::trigrams;

    #[test]
    fn a_text_is_asked_for_by_its_triples() {
        assert_eq!(trigrams("Fuel").as_deref(), Some("\"fue\" AND \"uel\""));
        assert_eq!(trigrams("a\"b").as_deref(), Some("\"a\"\"b\""));
        assert_eq!(trigrams("bill 77").as_deref(), Some("\" 77\" AND \"l 7\""));
        assert_eq!(trigrams("aaaa").as_deref(), Some("\"aaa\""));
        assert_eq!(trigrams("ab"), None);
    }
}
