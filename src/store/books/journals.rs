//! Journals and the general ledger: how their rows are read, and the queries about them.

use std::collections::HashMap;

use crate::domain::books::records::journal::{JournalFilter, JournalLineView, JournalView};

use crate::domain::ids::OrganisationId;
use crate::store::StoreError;
use crate::store::books::journal_list::{journal_conditions, journal_list};
use crate::store::books::lists::PagePlan;
use crate::store::books::totals::TotalSource;
use crate::store::sql::{Reader, Row, Unit, json_array, params};

/// The columns of [`read_journal`], of the journal `j` and its reversal `v`.
const JOURNAL_COLUMNS: &str = "j.id, j.number, j.entry_day, j.description, j.reference, j.source_type, j.source_id, \
     j.reverses_journal_id, v.reversal_id, j.total, j.created_at, j.user_id, j.key_prefix";

const FROM_JOURNALS: &str = "journal j left join journal_reversal v on v.journal_id = j.id";

/// Selects the lines of journals.
const LINES: &str = "select l.journal_id, l.id, l.line_number, l.account_id, a.code, a.name, l.debit, l.credit, l.memo, \
     l.vat_code, l.vat_amount, l.contact_id, l.system from journal_line l join account a on a.id = l.account_id \
     where l.journal_id in ";

impl JournalFilter {
    /// Where the total of the list is read from.
    fn total_source(&self) -> TotalSource {
        let is_dated = self.from_date.is_some() || self.to_date.is_some();
        let others = self.source_id.is_some() || self.search.is_some();
        match (&self.source_type, self.account_id, self.voided, self.updated_since_ms) {
            _ if others => TotalSource::Nothing,
            (None, None, voided, None) if is_dated => TotalSource::Dated {
                lists: vec![if voided == Some(true) { "journal void" } else { "journal" }.to_owned()],
                less: (voided == Some(false)).then_some("journal void"),
                from: self.from_date,
                to: self.to_date,
            },
            (None, None, None, None) => TotalSource::Whole("journal", vec!["posted", "void"]),
            (None, None, Some(is_void), None) => {
                TotalSource::Whole("journal", vec![if is_void { "void" } else { "posted" }])
            }
            (Some(kind), None, None, None) if !is_dated => TotalSource::Counters("journal type", vec![kind.clone()]),
            (None, Some(account), None, None) => {
                TotalSource::OfAccount { account, from: self.from_date, to: self.to_date }
            }
            (None, None, None, Some(since_ms)) if !is_dated => TotalSource::JournalsChanged { since_ms },
            _ => TotalSource::Nothing,
        }
    }

    /// Whether no filter is given.
    fn is_empty(&self) -> bool {
        matches!(self.total_source(), TotalSource::Whole(_, statuses) if statuses.len() == 2)
    }
}

impl Reader {
    /// A page of the journals of an organisation, newest first, and the total.
    pub async fn journals(
        &self,
        organisation: OrganisationId,
        filter: &JournalFilter,
        (limit, offset): (u64, u64),
    ) -> Result<(Vec<JournalView>, Option<u64>), StoreError> {
        let (mut list, mut conditions) = (journal_list(filter), journal_conditions(organisation, filter));
        if let (Some(since), None) = (filter.updated_since_ms, list.index_columns) {
            let since = conditions.value(since);
            list.plan = PagePlan::FilterFirst(format!(
                "(select n.id from journal n where n.organisation_id = $1 and n.created_at >= {since} union \
                 select n.reverses_journal_id from journal n where n.organisation_id = $1 and n.created_at >= {since} \
                 and n.reverses_journal_id is not null) u join journal j on j.id = u.id"
            ));
        }
        self.search(&mut list, &mut conditions, ("journal", "j"), filter.search.as_deref());
        if list.index_columns.is_some() {
            // A journal that is found several times would be counted several times.
            list.plan = PagePlan::InOrder;
        }
        let mut offset = offset;
        if filter.is_empty()
            && let Some((last, before)) = self.day_of_row(organisation, "journal", offset).await?
        {
            conditions.and("j.entry_day <= {}", last);
            offset -= before;
        }
        let (rows, total) = self
            .listed(organisation, &list, JOURNAL_COLUMNS, conditions, (limit, offset), &filter.total_source())
            .await?;
        let journals = rows.iter().map(read_journal).collect::<Result<Vec<_>, _>>()?;
        Ok((self.lines_of(journals).await?, total))
    }

    /// One journal of an organisation.
    pub async fn journal(&self, organisation: OrganisationId, id: i64) -> Result<Option<JournalView>, StoreError> {
        let sql = format!("select {JOURNAL_COLUMNS} from {FROM_JOURNALS} where j.organisation_id = $1 and j.id = $2");
        let row = self.one(&sql, params![organisation.0, id]).await?;
        let found = row.as_ref().map(read_journal).transpose()?;
        Ok(self.lines_of(found.into_iter().collect()).await?.pop())
    }

    async fn lines_of(&self, journals: Vec<JournalView>) -> Result<Vec<JournalView>, StoreError> {
        if journals.is_empty() {
            return Ok(journals);
        }
        let among = self.numbers_of_json();
        // Journals are never changed, so that lines read later still belong to the journals read before.
        let lines = self.all(&format!("{LINES} {among}"), params![ids_of(&journals)]).await?;
        with_lines(journals, &lines)
    }
}

/// Reads a journal without its lines.
fn read_journal(row: &Row) -> Result<JournalView, StoreError> {
    Ok(JournalView {
        id: row.get(0)?,
        number: row.get(1)?,
        entry_date: row.date(2)?,
        description: row.get(3)?,
        reference: row.get(4)?,
        source_type: row.get(5)?,
        source_id: row.get(6)?,
        reverses: row.get(7)?,
        reversed_by: row.get(8)?,
        total_pence: row.get(9)?,
        created_at_ms: row.get(10)?,
        user_id: row.get(11)?,
        key_prefix: row.get(12)?,
        lines: Vec::new(),
    })
}

/// Reads lines by their journal.
fn read_lines(rows: &[Row]) -> Result<HashMap<i64, Vec<JournalLineView>>, StoreError> {
    let mut lines: HashMap<i64, Vec<JournalLineView>> = HashMap::new();
    for row in rows {
        lines.entry(row.get(0)?).or_default().push(JournalLineView {
            id: row.get(1)?,
            line_number: row.get(2)?,
            account_id: row.get(3)?,
            account_code: row.get(4)?,
            account_name: row.get(5)?,
            debit_pence: row.get(6)?,
            credit_pence: row.get(7)?,
            memo: row.get(8)?,
            vat_code: row.get(9)?,
            vat_pence: row.get(10)?,
            contact_id: row.get(11)?,
            system: row.get(12)?,
        });
    }
    for lines in lines.values_mut() {
        lines.sort_by_key(|line| line.line_number);
    }
    Ok(lines)
}

/// Journals with the lines of these rows.
fn with_lines(mut journals: Vec<JournalView>, lines: &[Row]) -> Result<Vec<JournalView>, StoreError> {
    let mut lines = read_lines(lines)?;
    for journal in &mut journals {
        journal.lines = lines.remove(&journal.id).unwrap_or_default();
    }
    Ok(journals)
}

/// The identifiers of journals as a parameter.
fn ids_of(journals: &[JournalView]) -> String {
    json_array(journals.iter().map(|journal| journal.id))
}

/// Journals with their lines by their identifiers, each with its organisation.
pub(super) async fn journals_by_id(unit: &Unit<'_>, ids_json: &str) -> Result<Vec<(i64, JournalView)>, StoreError> {
    let among = unit.numbers_of_json();
    let sql = format!("select {JOURNAL_COLUMNS}, j.organisation_id from {FROM_JOURNALS} where j.id in {among}");
    let rows = unit.all(&sql, params![ids_json]).await?;
    let mut found = Vec::with_capacity(rows.len());
    for row in &rows {
        found.push((row.get::<i64>(13)?, read_journal(row)?));
    }
    let lines = unit.all(&format!("{LINES} {among}"), params![ids_json]).await?;
    let mut lines = read_lines(&lines)?;
    for (_, journal) in &mut found {
        journal.lines = lines.remove(&journal.id).unwrap_or_default();
    }
    Ok(found)
}
