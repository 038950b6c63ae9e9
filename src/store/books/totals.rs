//! Totals of lists: read from counters that every change keeps up to date, where a filter allows it; else the rows are
//! counted, up to ten thousand.

use crate::domain::books::effects::DAY_MS;
use crate::domain::date::{Date, Month};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::journal::{FIRST_DATE, LAST_DATE};
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::sql::{Reader, params};

/// Filtered lists have no total above this.
pub(super) const COUNTED_MAX: i64 = 10_000;

/// Where the total of a list is read from.
#[derive(Debug, Clone)]
pub(super) enum TotalSource {
    /// From nowhere: the rows are counted.
    Nothing,
    /// Counters of a list by status. Such a total is shown however large it is.
    Whole(&'static str, Vec<&'static str>),
    /// Other counters.
    Counters(&'static str, Vec<String>),
    /// Counters of a list by status, less another counter.
    Without(&'static str, Vec<&'static str>, (&'static str, &'static str)),
    /// Counters by date between two days; the counters of the list `less` are subtracted.
    Dated { lists: Vec<String>, less: Option<&'static str>, from: Option<Date>, to: Option<Date> },
    /// Counters by the day of the last change, which this column holds.
    Changed { lists: Vec<String>, column: &'static str, since_ms: i64 },
    /// Counters of journals by the day they were posted, and the journals voided since.
    JournalsChanged { since_ms: i64 },
    /// Counters of the journals with lines of an account, between two days.
    OfAccount { account: i64, from: Option<Date>, to: Option<Date> },
}

impl TotalSource {
    /// The counters of a list with several statuses whose only other filter is a period, or the moment of the last change.
    pub(super) fn of_list(
        list: &'static str,
        statuses: Vec<&'static str>,
        (from, to): (Option<Date>, Option<Date>),
        changed: Option<(&'static str, i64)>,
    ) -> Self {
        let lists = |what: &str| statuses.iter().map(|status| format!("{list} {status}{what}")).collect();
        match (from.or(to), changed) {
            (None, None) => Self::Whole(list, statuses),
            (Some(_), None) => Self::Dated { lists: lists(""), less: None, from, to },
            (None, Some((column, since_ms))) => Self::Changed { lists: lists(" changed"), column, since_ms },
            (Some(_), Some(_)) => Self::Nothing,
        }
    }
}

impl Reader {
    /// The total of a list; none when it is too large.
    pub(super) async fn counted(
        &self,
        organisation: OrganisationId,
        from: &str,
        conditions: &Conditions,
        total_source: &TotalSource,
    ) -> Result<Option<u64>, StoreError> {
        let total = match total_source {
            TotalSource::Nothing => self.count_rows(from, conditions).await?,
            TotalSource::Whole(list, statuses) => {
                let total = self.sum_of_counters(organisation, list, statuses.iter().copied()).await?;
                return Ok(u64::try_from(total).ok());
            }
            TotalSource::Counters(list, statuses) => {
                self.sum_of_counters(organisation, list, statuses.iter().map(String::as_str)).await?
            }
            TotalSource::Without(list, statuses, (less, status)) => {
                let all = self.sum_of_counters(organisation, list, statuses.iter().copied()).await?;
                all - self.sum_of_counters(organisation, less, [*status]).await?
            }
            TotalSource::Dated { lists, less, from, to } => {
                let (first, last) = (from.map_or(i64::MIN, i64::from), to.map_or(i64::MAX, i64::from));
                let total = self.sum_of_days(organisation, lists, (first, last)).await?;
                match less {
                    Some(list) => total - self.sum_of_days(organisation, &[(*list).to_owned()], (first, last)).await?,
                    None => total,
                }
            }
            TotalSource::Changed { lists, column, since_ms } => {
                let rest = conditions.without(&format!("{column} >= "));
                self.changed_since(organisation, lists, *since_ms, (from, &rest, column)).await?
            }
            TotalSource::JournalsChanged { since_ms } => self.journals_changed(organisation, *since_ms).await?,
            TotalSource::OfAccount { account, from, to } => {
                self.journals_of(organisation, *account, (*from, *to)).await?
            }
        };
        Ok(u64::try_from(total).ok().filter(|_| total <= COUNTED_MAX))
    }

    /// Counts rows, up to one more than [`COUNTED_MAX`].
    async fn count_rows(&self, from: &str, conditions: &Conditions) -> Result<i64, StoreError> {
        let sql = format!(
            "select count(*) from (select 1 as one from {from} where {} limit {}) as counted",
            conditions.text(),
            COUNTED_MAX + 1
        );
        self.one(&sql, conditions.values()).await?.map_or(Ok(0), |row| row.get(0))
    }

    /// The sum of counters of a list.
    async fn sum_of_counters<'a>(
        &self,
        organisation: OrganisationId,
        list: &str,
        statuses: impl IntoIterator<Item = &'a str>,
    ) -> Result<i64, StoreError> {
        let sql = format!(
            "select cast(coalesce(sum(items), 0) as bigint) from list_count where organisation_id = $1 and list = $2 \
             and status in {}",
            words(statuses)
        );
        self.one(&sql, params![organisation.0, list]).await?.map_or(Ok(0), |row| row.get(0))
    }

    /// The sum of counters of lists by day, from one day to another.
    async fn sum_of_days(
        &self,
        organisation: OrganisationId,
        lists: &[String],
        (first, last): (i64, i64),
    ) -> Result<i64, StoreError> {
        let sql = format!(
            "select cast(coalesce(sum(items), 0) as bigint) from list_day where organisation_id = $1 and list in {} \
             and day >= $2 and day <= $3",
            words(lists.iter().map(String::as_str))
        );
        self.one(&sql, params![organisation.0, first, last]).await?.map_or(Ok(0), |row| row.get(0))
    }

    /// The number of rows of lists changed since a moment: the counters of whole days, and the rows of a part of a day.
    async fn changed_since(
        &self,
        organisation: OrganisationId,
        lists: &[String],
        since_ms: i64,
        (from, conditions, column): (&str, &Conditions, &str),
    ) -> Result<i64, StoreError> {
        let between = |after: i64, before: i64| {
            let mut conditions = conditions.clone();
            conditions.and(&format!("{column} >= {{}}"), after);
            conditions.and(&format!("{column} < {{}}"), before);
            async move { self.count_rows(from, &conditions).await }
        };
        let date = since_ms.div_euclid(DAY_MS);
        let (starts_ms, ends_ms) = (date.saturating_mul(DAY_MS), date.saturating_add(1).saturating_mul(DAY_MS));
        // The rows of the shorter part of the first day are counted, because it usually has fewer.
        if since_ms - starts_ms < DAY_MS / 2 {
            let before = if since_ms == starts_ms { 0 } else { between(starts_ms, since_ms).await? };
            if before <= COUNTED_MAX {
                return Ok(self.sum_of_days(organisation, lists, (date, i64::MAX)).await? - before);
            }
        }
        let later = self.sum_of_days(organisation, lists, (date.saturating_add(1), i64::MAX)).await?;
        Ok(if later > COUNTED_MAX { later } else { later + between(since_ms, ends_ms).await? })
    }

    /// The number of journals posted since a moment, and of those posted before and voided since.
    async fn journals_changed(&self, organisation: OrganisationId, since_ms: i64) -> Result<i64, StoreError> {
        let lists = ["journal changed".to_owned()];
        let posted = Conditions::new("j.organisation_id = $1", organisation.0);
        let counted = ("journal j", &posted, "j.created_at");
        let mut total = self.changed_since(organisation, &lists, since_ms, counted).await?;
        if total <= COUNTED_MAX {
            let mut voided = Conditions::new("r.organisation_id = $1", organisation.0);
            voided.and_plain("r.reverses_journal_id is not null");
            voided.and("r.created_at >= {} and j.created_at < {}", since_ms);
            total += self.count_rows("journal r join journal j on j.id = r.reverses_journal_id", &voided).await?;
        }
        Ok(total)
    }

    /// The number of journals with lines of an account: from the totals of months, and of days of the months in which the
    /// period begins and ends.
    async fn journals_of(
        &self,
        organisation: OrganisationId,
        account: i64,
        (from, to): (Option<Date>, Option<Date>),
    ) -> Result<i64, StoreError> {
        const OWN: &str = "(select a.organisation_id from account a where a.id = $1) = $2";
        if from.is_none() && to.is_none() {
            let sql = format!(
                "select cast(coalesce(sum(journals), 0) as bigint) from account_month where account_id = $1 and {OWN}"
            );
            return self.one(&sql, params![account, organisation.0]).await?.map_or(Ok(0), |row| row.get(0));
        }
        let before = |date: &str, month: &str, of_month: &str| {
            format!(
                "coalesce((select sum(journals) from account_month where account_id = $1 and month < {month}), 0) + \
                 coalesce((select sum(journals) from account_day where account_id = $1 and day >= {of_month} \
                 and day < {date}), 0)"
            )
        };
        let sql =
            format!("select cast({} - ({}) as bigint) where {OWN}", before("$3", "$4", "$5"), before("$6", "$7", "$8"));
        let bound = |date: Date| {
            let month = Month::of(date);
            [i64::from(date), month.0, i64::from(date.first_of_month())]
        };
        let (first, end) = (from.unwrap_or(FIRST_DATE), to.unwrap_or(LAST_DATE) + 1);
        let [end, end_month, end_of] = bound(end);
        let [first, first_month, first_of] = bound(first);
        let values = params![account, organisation.0, end, end_month, end_of, first, first_month, first_of];
        let total: i64 = self.one(&sql, values).await?.map_or(Ok(0), |row| row.get(0))?;
        Ok(total.max(0))
    }
}

/// A list of words of our own, to be used after `in`.
fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    format!("('{}')", words.join("', '"))
}
