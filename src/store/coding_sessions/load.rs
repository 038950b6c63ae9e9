//! The one unit that loads lines into a session and charges them: lines, charge, movement and balance, all or nothing. The
//! charge is unique for its session and label, so that a repeated load is answered and not charged again.

use super::records::{LINE_COLUMNS, insert, json, parsed, touch};
use crate::domain::coding_session::{CREDITS_PER_LINE, LineDetails};
use crate::domain::credits::{CreditChange, Insufficient};
use crate::domain::date::Month;
use crate::domain::ids::{CodingSessionId, UserId};
use crate::store::credits::{ACCOUNT_COLUMNS, Publish, read_account, renewal_reference};
use crate::store::epochs::Topic;
use crate::store::sql::{Rows, Unit, params};
use crate::store::writer::{Locks, Writer};
use crate::store::{StoreError, sql};

/// The most lines that are named as possible duplicates.
const DUPLICATES_NAMED_MAX: usize = 100;

/// Lines to be loaded.
#[derive(Debug, Clone)]
pub struct Load {
    /// Where to.
    pub session: CodingSessionId,
    /// Who is charged.
    pub user_id: UserId,
    /// The caller's label.
    pub batch_ref: String,
    /// SHA-256 of what is to be loaded, in hexadecimal.
    pub request_hash: String,
    /// The lines.
    pub lines: Vec<LineDetails>,
    /// Whether connection and call allow overage.
    pub allow_overage: bool,
    /// Whether it is only to be said what it would cost.
    pub dry_run: bool,
    /// Most lines of a session.
    pub lines_max: i64,
}

/// What a load did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LoadAnswer {
    /// Lines loaded.
    pub loaded: i64,
    /// Credits charged.
    pub credits_charged: i64,
    /// Monthly and bonus credits afterwards.
    pub credits_left: i64,
    /// Lines of the session afterwards.
    pub total_in_session: i64,
    /// Lines of this load, from 0, each with the line of the session that is probably the same.
    pub possible_duplicates: Vec<(usize, i64)>,
}

/// What became of a load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loaded {
    /// It was loaded and charged; or, in a dry run, would be.
    Done(LoadAnswer, CreditChange),
    /// The same was loaded under this label before; nothing was charged.
    Replayed(LoadAnswer),
    /// Something else was loaded under this label before.
    OtherRows,
    /// There are not enough credits; nothing was loaded.
    Insufficient(Insufficient),
    /// The session would have more lines than it may.
    TooMany,
    /// The session has ended.
    Ended,
}

impl Writer {
    /// Loads lines and charges them.
    pub async fn load_coding_lines(&self, load: Load, publish: Publish) -> Result<Loaded, StoreError> {
        let bytes = load.lines.iter().map(|line| line.description.len() + 200).sum();
        self.unit_of(Locks::Credits, bytes, (load, publish), |unit, (load, publish)| Box::pin(run(unit, load, publish)))
            .await
    }
}

async fn run(unit: &Unit<'_>, load: &Load, publish: &Publish) -> Result<Loaded, StoreError> {
    if !touch(unit, &load.session).await? {
        return Ok(Loaded::Ended);
    }
    let sql = "select request_hash, answer from coding_session_load where session_id = $1 and batch_ref = $2";
    if let Some(row) = unit.one(sql, params![load.session.as_str(), load.batch_ref.as_str()]).await? {
        let is_same = row.get::<String>(0)? == load.request_hash;
        return Ok(if is_same { Loaded::Replayed(parsed(&row.get::<String>(1)?)?) } else { Loaded::OtherRows });
    }
    let last_line = last_line(unit, &load.session).await?;
    let loaded = i64::try_from(load.lines.len()).unwrap_or(i64::MAX);
    let total_in_session = last_line.saturating_add(loaded);
    if total_in_session > load.lines_max {
        return Ok(Loaded::TooMany);
    }
    let cost = loaded.saturating_mul(CREDITS_PER_LINE);
    let account_sql =
        format!("select {ACCOUNT_COLUMNS} from credit_account a where a.user_id = $1{}", sql::for_update(unit.backend));
    let row = unit.one(&account_sql, params![load.user_id.0]).await?;
    let row = row.ok_or_else(|| StoreError::corrupt("person without a credit account", load.user_id))?;
    let (account, renewal) = read_account(&row, 0)?.rolled_over(Month::of_ms(unit.now_ms));
    let mut answer = LoadAnswer {
        loaded,
        credits_charged: cost,
        credits_left: account.available(),
        total_in_session,
        possible_duplicates: duplicates(unit, load).await?,
    };
    if load.dry_run {
        answer.total_in_session = last_line;
        return Ok(Loaded::Done(answer, CreditChange::default()));
    }
    let change = match account.charge(cost, load.allow_overage) {
        Ok(change) => change,
        Err(short) => return Ok(Loaded::Insufficient(short)),
    };
    let account = account.after(change);
    answer.credits_left = account.available();
    let epoch = unit.bump(Topic::Credits).await?;
    let mut statements = vec![
        "update credit_account set period = $4, monthly = $5, bonus = $6, overage_used = $7, changed_epoch = $8 \
         where user_id = $1",
        "insert into credit_movement (user_id, kind, reference, monthly, bonus, overage, note, at) \
         values ($1, 'tool_coding_load', $2, $9, $10, $11, null, $3)",
    ];
    let mut values = params![
        load.user_id.0,
        format!("{}:{}", load.session.as_str(), load.batch_ref),
        unit.now_ms,
        account.period.0,
        account.monthly,
        account.bonus,
        account.overage_used,
        epoch,
        change.monthly,
        change.bonus,
        change.overage
    ];
    if let Some(renewal) = renewal {
        values.extend(params![renewal_reference(load.user_id, account.period), renewal.monthly]);
        statements.push(
            "insert into credit_movement (user_id, kind, reference, monthly, bonus, overage, note, at) \
             values ($1, 'monthly_renewal', $12, $13, 0, 0, null, $3)",
        );
    }
    unit.batch(&statements, values).await?;
    write(unit, load, last_line, (&answer, change)).await?;
    publish(load.user_id, account, epoch);
    Ok(Loaded::Done(answer, change))
}

async fn last_line(unit: &Unit<'_>, session: &CodingSessionId) -> Result<i64, StoreError> {
    let row = unit.one("select last_line from coding_session where id = $1", params![session.as_str()]).await?;
    row.ok_or_else(|| StoreError::corrupt("missing session", session.as_str()))?.get(0)
}

/// Writes the charge and the lines.
async fn write(
    unit: &Unit<'_>,
    load: &Load,
    last_line: i64,
    (answer, change): (&LoadAnswer, CreditChange),
) -> Result<(), StoreError> {
    let sql = "insert into coding_session_load (session_id, batch_ref, user_id, request_hash, line_count, monthly, bonus, \
               overage, answer, at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let values = params![
        load.session.as_str(),
        load.batch_ref.as_str(),
        load.user_id.0,
        load.request_hash.as_str(),
        answer.loaded,
        -change.monthly,
        -change.bonus,
        change.overage,
        json(answer)?,
        unit.now_ms
    ];
    unit.execute(sql, values).await?;
    let sql = "update coding_session set last_line = $2 where id = $1";
    unit.execute(sql, params![load.session.as_str(), answer.total_in_session]).await?;
    let mut rows = Rows::new("coding_session_line", LINE_COLUMNS, "");
    for (number, line) in (last_line + 1..).zip(&load.lines) {
        let details = json(line)?;
        rows.push([
            load.session.as_str().into(),
            number.into(),
            load.batch_ref.as_str().into(),
            (&details).into(),
            None::<&str>.into(),
            None::<&str>.into(),
        ]);
    }
    insert(unit, rows).await
}

/// The lines that are probably in the session already.
async fn duplicates(unit: &Unit<'_>, load: &Load) -> Result<Vec<(usize, i64)>, StoreError> {
    let sql = "select line, details from coding_session_line where session_id = $1 order by line";
    let mut known: Vec<(i64, LineDetails)> = Vec::new();
    for row in unit.all(sql, params![load.session.as_str()]).await? {
        known.push((row.get(0)?, parsed(&row.get::<String>(1)?)?));
    }
    let mut by_amount: std::collections::HashMap<i64, Vec<usize>> = std::collections::HashMap::new();
    for (at, (_, line)) in known.iter().enumerate() {
        by_amount.entry(line.amount_pence).or_default().push(at);
    }
    let of_line = |line: &LineDetails| {
        let same = by_amount.get(&line.amount_pence).into_iter().flatten();
        same.filter_map(|at| known.get(*at)).find(|(_, other)| line.repeats(other)).map(|(number, _)| *number)
    };
    let found = load.lines.iter().enumerate().filter_map(|(at, line)| Some((at, of_line(line)?)));
    Ok(found.take(DUPLICATES_NAMED_MAX).collect())
}
