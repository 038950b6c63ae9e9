//! How many rows a list has: read from what is kept with every change where that says it, else counted up to ten
//! thousand.

use crate::domain::books::counters::DAY_MS;
use crate::domain::calendar::{first_day, month_of_day};
use crate::domain::ids::OrganisationId;
use crate::store::StoreError;
use crate::store::books::query::Conditions;
use crate::store::reader::Reader;
use crate::store::sql::params;

/// With filters rows are counted up to here.
pub(super) const COUNTED_MAX: i64 = 10_000;

/// What says how many rows a list has.
#[derive(Debug, Clone)]
pub(super) enum TotalSource {
    /// Nothing does: they are counted.
    Nothing,
    /// Counters by status. Without any other filter a total is told however large it is.
    Whole(&'static str, Vec<&'static str>),
    /// Other counters.
    Counters(&'static str, Vec<String>),
    /// All of a list but these.
    Without(&'static str, Vec<&'static str>, (&'static str, &'static str)),
    /// Counters by date, between two days; those of the last list are taken away.
    Dated { lists: Vec<String>, less: Option<&'static str>, from: Option<i32>, to: Option<i32> },
    /// Counters by the day of the last change, which stands in this column.
    Changed { lists: Vec<String>, column: &'static str, since_ms: i64 },
    /// The same for journals, which change by being voided.
    JournalsChanged { since_ms: i64 },
    /// Journals with lines of an account, between two days.
    OfAccount { account: i64, from: Option<i32>, to: Option<i32> },
}

impl TotalSource {
    /// What is kept of a list with several statuses whose only other filter is its dates, or when its rows changed.
    pub(super) fn of_list(
        list: &'static str,
        statuses: Vec<&'static str>,
        (from, to): (Option<i32>, Option<i32>),
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

fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    format!("('{}')", words.join("', '"))
}

impl Reader {
    /// How many rows a list has, if that is to be told.
    pub(super) async fn counted(
        &self,
        organisation: OrganisationId,
        from: &str,
        conditions: &Conditions,
        total_source: &TotalSource,
    ) -> Result<Option<u64>, StoreError> {
        let total = match total_source {
            TotalSource::Nothing => self.found(from, conditions).await?,
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

    /// Counts rows, up to one more than are told.
    async fn found(&self, from: &str, conditions: &Conditions) -> Result<i64, StoreError> {
        let sql = format!(
            "select count(*) from (select 1 as one from {from} where {} limit {}) as counted",
            conditions.text(),
            COUNTED_MAX + 1
        );
        self.one(&sql, conditions.values()).await?.map_or(Ok(0), |row| row.get(0))
    }

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

    /// What is kept of lists by day, from one day to another.
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

    /// Rows of lists changed since a moment: days that are kept, and rows of a part of a day, counted by a column.
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
            async move { self.found(from, &conditions).await }
        };
        let day = since_ms.div_euclid(DAY_MS);
        let (starts_ms, ends_ms) = (day.saturating_mul(DAY_MS), day.saturating_add(1).saturating_mul(DAY_MS));
        // Of the day of the moment the shorter part is counted, as it has fewer rows more often than not.
        if since_ms - starts_ms < DAY_MS / 2 {
            let before = if since_ms == starts_ms { 0 } else { between(starts_ms, since_ms).await? };
            if before <= COUNTED_MAX {
                return Ok(self.sum_of_days(organisation, lists, (day, i64::MAX)).await? - before);
            }
        }
        let later = self.sum_of_days(organisation, lists, (day.saturating_add(1), i64::MAX)).await?;
        Ok(if later > COUNTED_MAX { later } else { later + between(since_ms, ends_ms).await? })
    }

    /// Journals posted since a moment, and those posted before that were voided since.
    async fn journals_changed(&self, organisation: OrganisationId, since_ms: i64) -> Result<i64, StoreError> {
        let lists = ["journal changed".to_owned()];
        let own = Conditions::new("j.organisation_id = $1", organisation.0);
        let counted = ("journal j", &own, "j.created_at");
        let mut total = self.changed_since(organisation, &lists, since_ms, counted).await?;
        if total <= COUNTED_MAX {
            let mut voided = Conditions::new("r.organisation_id = $1", organisation.0);
            voided.and_plain("r.reverses_journal_id is not null");
            voided.and("r.created_at >= {} and j.created_at < {}", since_ms);
            total += self.found("journal r join journal j on j.id = r.reverses_journal_id", &voided).await?;
        }
        Ok(total)
    }

    /// By months, and by days of the months in which the period begins and ends.
    async fn journals_of(
        &self,
        organisation: OrganisationId,
        account: i64,
        (from, to): (Option<i32>, Option<i32>),
    ) -> Result<i64, StoreError> {
        const OWN: &str = "(select a.organisation_id from account a where a.id = $1) = $2";
        if from.is_none() && to.is_none() {
            let sql = format!(
                "select cast(coalesce(sum(journals), 0) as bigint) from account_month where account_id = $1 and {OWN}"
            );
            return self.one(&sql, params![account, organisation.0]).await?.map_or(Ok(0), |row| row.get(0));
        }
        let before = |day: &str, month: &str, of_month: &str| {
            format!(
                "coalesce((select sum(journals) from account_month where account_id = $1 and month < {month}), 0) + \
                 coalesce((select sum(journals) from account_day where account_id = $1 and day >= {of_month} \
                 and day < {day}), 0)"
            )
        };
        let sql =
            format!("select cast({} - ({}) as bigint) where {OWN}", before("$3", "$4", "$5"), before("$6", "$7", "$8"));
        let bound = |day: i32| {
            let month = month_of_day(day);
            [i64::from(day), month.0, i64::from(first_day(month))]
        };
        // Every date of books lies between these.
        let (first, end) = (from.unwrap_or(FIRST_DAY), to.map_or(LAST_DAY, |day| day.saturating_add(1)));
        let [end, end_month, end_of] = bound(end);
        let [first, first_month, first_of] = bound(first);
        let values = params![account, organisation.0, end, end_month, end_of, first, first_month, first_of];
        let total: i64 = self.one(&sql, values).await?.map_or(Ok(0), |row| row.get(0))?;
        Ok(total.max(0))
    }
}

/// 1900-01-01 and 2200-01-01.
const FIRST_DAY: i32 = -25_567;

const LAST_DAY: i32 = 84_006;
