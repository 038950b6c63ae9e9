//! The one unit that ends a job: state, charge, movement, payload gone, result there, all or nothing.

use std::sync::Arc;

use super::claim::{Claim, Lease, claim};
use super::{INLINE_BYTES_MAX, PART_BYTES_MAX};
use crate::domain::credits::{CreditAccount, CreditChange};
use crate::domain::date::Month;
use crate::domain::ids::{JobId, UserId};
use crate::domain::job::{JobFailure, Product};
use crate::domain::suggestions::FoundSuggestions;
use crate::store::books::suggestions;
use crate::store::credits::{
    ACCOUNT_COLUMNS, BUMP_EPOCH, Publish, bumped_epoch, read_account, renewal_reference, write_reserved,
};
use crate::store::sql::{Unit, params};
use crate::store::writer::{Locks, Writer};
use crate::store::{StoreError, sql};

/// A run that ended.
#[derive(Debug, Clone)]
pub struct Finish {
    /// Which job.
    pub job_id: JobId,
    /// Whose queue.
    pub product: Product,
    /// As claimed.
    pub fence: i64,
    /// How it ended.
    pub end: RunEnd,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub enum RunEnd {
    /// It has a result.
    Completed {
        /// Credits to charge; 0 for a reconciliation that could not be verified.
        cost: i64,
        /// The stored result in parts of at most `PART_BYTES_MAX`, without those already written.
        result: Vec<Vec<u8>>,
        /// Parts already written with `put_result`.
        parts_written: u32,
        /// Size of the result as it will be sent.
        result_size: u64,
        /// Suggestions for lines of the books, written with the result.
        suggestions: Option<Arc<FoundSuggestions>>,
    },
    /// It has none.
    Failed(JobFailure),
}

/// What the finishing unit did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// Completed.
    Completed {
        /// Its owner.
        user_id: UserId,
        /// Credits charged.
        credits_charged: i64,
        /// Where they came from.
        change: CreditChange,
    },
    /// Failed, for the reason given or for want of credits.
    Failed {
        /// Its owner.
        user_id: UserId,
        /// Why.
        failure: JobFailure,
    },
    /// The job is no longer the caller's; nothing was written.
    Zombie,
}

impl Writer {
    /// Ends a job exactly once.
    pub async fn finish(&self, finish: Finish, publish: Publish) -> Result<Finished, StoreError> {
        Ok(self.finish_and(finish, None, publish).await?.0)
    }

    /// The same, and takes the job whose turn it is then in the same unit, as `claim` does. A job that writes suggestions ends alone,
    /// because books come before slots.
    pub async fn finish_and_claim(
        &self,
        finish: Finish,
        holder: &str,
        lease_ms: i64,
        publish: Publish,
    ) -> Result<(Finished, Option<Claim>), StoreError> {
        let lease = Lease { product: finish.product, holder: holder.to_owned(), lease_ms };
        self.finish_and(finish, Some(lease), publish).await
    }

    async fn finish_and(
        &self,
        finish: Finish,
        next: Option<Lease>,
        publish: Publish,
    ) -> Result<(Finished, Option<Claim>), StoreError> {
        let Finish { job_id, product: _, fence, end } = finish;
        let mut suggestions = None;
        let ending = match end {
            RunEnd::Failed(failure) => Ending::Failed(failure),
            RunEnd::Completed { cost, mut result, parts_written, result_size, suggestions: found } => {
                suggestions = found;
                let alone = parts_written == 0 && result.len() == 1;
                let inline =
                    if alone && result.iter().all(|part| part.len() <= INLINE_BYTES_MAX) { result.pop() } else { None };
                let mut parts = parts_written;
                let mut rest = result.into_iter().peekable();
                while rest.peek().is_some() {
                    // As many in a unit as make up the largest single one: a commit for each would take longer than the run.
                    let (mut together, mut bytes) = (Vec::new(), 0);
                    while let Some(part) =
                        rest.next_if(|part| together.is_empty() || bytes + part.len() <= PART_BYTES_MAX)
                    {
                        bytes += part.len();
                        together.push(part);
                    }
                    let count = u32::try_from(together.len()).unwrap_or(u32::MAX);
                    if !self.put_results(&job_id, fence, parts, together).await? {
                        return Ok((Finished::Zombie, None));
                    }
                    parts += count;
                }
                let parts = if inline.is_some() { 1 } else { parts };
                Ending::Completed { cost, inline, parts, size: i64::try_from(result_size).unwrap_or(i64::MAX) }
            }
        };
        let input = Input { job: job_id.0, fence, ending, publish };
        let Some(suggestions) = suggestions else {
            let Some(lease) = next else {
                let finished = self.unit(Locks::Credits, input, |unit, input| Box::pin(end_job(unit, input))).await?;
                return Ok((finished, None));
            };
            let locks = Locks::ProductSlot { product: lease.product, credits: true };
            let ended =
                self.unit(locks, (input, lease), |unit, (input, lease)| Box::pin(end_and_claim(unit, input, lease)));
            return ended.await.map(|(finished, claim)| (finished, Some(claim)));
        };
        let bytes = suggestions.lines.len() * 1_024;
        let ended = self.unit_of(Locks::BooksAndCredits, bytes, (input, suggestions), |unit, (input, found)| {
            Box::pin(end_with_suggestions(unit, input, found))
        });
        Ok((ended.await?, None))
    }

    /// Writes one part of a result ahead of `finish`; `false` means the job is no longer the caller's.
    pub async fn put_result(&self, job: &JobId, fence: i64, part: u32, bytes: Vec<u8>) -> Result<bool, StoreError> {
        self.put_results(job, fence, part, vec![bytes]).await
    }

    /// Writes parts of a result that follow each other in one unit.
    async fn put_results(&self, job: &JobId, fence: i64, first: u32, parts: Vec<Vec<u8>>) -> Result<bool, StoreError> {
        let bytes: usize = parts.iter().map(Vec::len).sum();
        if bytes > PART_BYTES_MAX {
            return Err(StoreError::Other(format!("a result part of {bytes} bytes is too large")));
        }
        let input = (job.0.clone(), fence, i64::from(first), parts);
        self.unit_of(Locks::Organisations, bytes, input, |unit, (job, fence, first, parts)| {
            Box::pin(async move {
                let sql = "insert into job_result (job_id, part, at, bytes) select $1, $2, $3, $4 \
                           where exists (select 1 from job where id = $1 and status = 'processing' and fence = $5) \
                           on conflict (job_id, part) do update set bytes = excluded.bytes";
                for (part, bytes) in (*first..).zip(parts.iter()) {
                    let values = params![job.as_str(), part, unit.now_ms, bytes.clone(), *fence];
                    if unit.execute(sql, values).await? != 1 {
                        return Ok(false);
                    }
                }
                Ok(true)
            })
        })
        .await
    }
}

struct Input {
    job: String,
    fence: i64,
    ending: Ending,
    publish: Publish,
}

enum Ending {
    Completed { cost: i64, inline: Option<Vec<u8>>, parts: u32, size: i64 },
    Failed(JobFailure),
}

async fn end_job(unit: &Unit<'_>, input: &Input) -> Result<Finished, StoreError> {
    let sql = format!(
        "select j.user_id, j.allow_overage, j.cost, {ACCOUNT_COLUMNS} from job j \
         join credit_account a on a.user_id = j.user_id \
         where j.id = $1 and j.status = 'processing' and j.fence = $2{}",
        sql::for_update(unit.backend)
    );
    let Some(row) = unit.one(&sql, params![input.job.as_str(), input.fence]).await? else {
        return Ok(Finished::Zombie);
    };
    let user_id = UserId(row.get(0)?);
    unit.payload_deleted();
    let reserved: i64 = row.get(2)?;
    let account = read_account(&row, 3)?.reserving(-reserved);
    // Where nothing is charged only the reservation goes.
    let released =
        (reserved > 0).then_some(Settlement { account, renewal: None, change: CreditChange::default(), cost: 0 });
    match &input.ending {
        Ending::Failed(failure) => fail(unit, input, (user_id, released), failure.clone()).await,
        Ending::Completed { cost, inline, parts, size } => {
            let stored = StoredResult { inline: inline.as_ref(), parts: *parts, size: *size };
            if *cost <= 0 {
                return complete(unit, input, user_id, stored, released).await;
            }
            let (account, renewal) = account.rolled_over(Month::of_ms(unit.now_ms));
            match account.charge(*cost, row.get(1)?) {
                Ok(change) => {
                    let account = account.after(change);
                    let settlement = Settlement { account, renewal, change, cost: *cost };
                    complete(unit, input, user_id, stored, Some(settlement)).await
                }
                // Only where it costs more than was reserved.
                Err(short) => {
                    let failure =
                        JobFailure::InsufficientCredits { required: short.required, available: short.available };
                    fail(unit, input, (user_id, released), failure).await
                }
            }
        }
    }
}

/// Ends a job and takes the next.
async fn end_and_claim(unit: &Unit<'_>, input: &Input, lease: &Lease) -> Result<(Finished, Claim), StoreError> {
    let finished = end_job(unit, input).await?;
    Ok((finished, claim(unit, lease, &input.publish).await?))
}

/// Ends a job whose answer is suggestions for lines of the books: these are written, or nothing of it.
async fn end_with_suggestions(
    unit: &Unit<'_>,
    input: &Input,
    found: &Arc<FoundSuggestions>,
) -> Result<Finished, StoreError> {
    suggestions::lock(unit, found.organisation).await?;
    // The turn at credit accounts is taken after the books and before a row of an account, as units that follow take them.
    unit.lock_credits().await?;
    let finished = end_job(unit, input).await?;
    if let Finished::Completed { user_id, .. } = &finished {
        let counts = suggestions::save(unit, *user_id, found).await?;
        let sql = "update job set suggestions_written = $2, suggestions_skipped = $3 where id = $1";
        unit.execute(sql, params![input.job.as_str(), counts.written, counts.skipped]).await?;
    }
    Ok(finished)
}

struct StoredResult<'a> {
    inline: Option<&'a Vec<u8>>,
    parts: u32,
    size: i64,
}

/// What the end of a job does to the account of its owner: the reservation goes, and what is charged.
struct Settlement {
    account: CreditAccount,
    renewal: Option<CreditChange>,
    change: CreditChange,
    cost: i64,
}

const DELETE_PAYLOAD: &str = "delete from job_payload where job_id = $1";

async fn fail(
    unit: &Unit<'_>,
    input: &Input,
    (user_id, settlement): (UserId, Option<Settlement>),
    failure: JobFailure,
) -> Result<Finished, StoreError> {
    let (required, available) = match &failure {
        JobFailure::InsufficientCredits { required, available } => (Some(*required), Some(*available)),
        JobFailure::DeadlineExceeded | JobFailure::EngineFailed => (None, None),
    };
    let statements = [
        "update job set status = 'failed', completed_at = $2, failure = $3, credits_required = $4, \
         credits_available = $5 where id = $1",
        DELETE_PAYLOAD,
        "delete from job_result where job_id = $1",
    ];
    let values = params![input.job.as_str(), unit.now_ms, failure.as_str(), required, available];
    unit.batch(&statements, values).await?;
    if let Some(Settlement { account, .. }) = settlement {
        write_reserved(unit, user_id, account, &input.publish).await?;
    }
    Ok(Finished::Failed { user_id, failure })
}

async fn complete(
    unit: &Unit<'_>,
    input: &Input,
    user_id: UserId,
    result: StoredResult<'_>,
    settlement: Option<Settlement>,
) -> Result<Finished, StoreError> {
    let credits_charged = settlement.as_ref().map_or(0, |settlement| settlement.cost);
    let mut statements = Vec::with_capacity(8);
    let mut values = params![input.job.as_str(), unit.now_ms, credits_charged, i64::from(result.parts), result.size];
    let account_update = format!(
        "update credit_account set period = $7, monthly = $8, bonus = $9, overage_used = $10, reserved = $11, \
         changed_epoch = {} where user_id = $6",
        bumped_epoch(unit)
    );
    if let Some(Settlement { account, .. }) = &settlement {
        values.extend(params![user_id.0, account.period.0, account.monthly, account.bonus, account.overage_used]);
        values.extend(params![account.reserved]);
        statements.push(BUMP_EPOCH);
        statements.push(&account_update);
    }
    if let Some(Settlement { account, renewal, change, .. }) = settlement.as_ref().filter(|charged| charged.cost > 0) {
        values.extend(params![change.monthly, change.bonus, change.overage]);
        if let Some(renewal) = renewal {
            values.extend(params![renewal_reference(user_id, account.period), renewal.monthly]);
            statements.push(
                "insert into credit_movement (user_id, kind, reference, monthly, bonus, overage, note, at) \
                 values ($6, 'monthly_renewal', $15, $16, 0, 0, null, $2)",
            );
        }
        statements.push(
            "insert into credit_movement (user_id, kind, reference, monthly, bonus, overage, note, at) \
             values ($6, 'charge', $1, $12, $13, $14, null, $2)",
        );
        statements.push(
            "insert into charge (job_id, user_id, monthly, bonus, overage, at) \
             values ($1, $6, -$12, -$13, $14, $2)",
        );
    }
    statements.push(
        "update job set status = 'completed', completed_at = $2, credits_charged = $3, result_parts = $4, \
         result_size = $5 where id = $1",
    );
    statements.push(DELETE_PAYLOAD);
    let result_insert = format!(
        "insert into job_result (job_id, part, at, bytes) values ($1, 0, $2, ${}) \
         on conflict (job_id, part) do update set bytes = excluded.bytes",
        values.len() + 1
    );
    if let Some(bytes) = result.inline {
        values.push(bytes.clone().into());
        statements.push(&result_insert);
    }
    let Some(Settlement { account, change, .. }) = settlement else {
        unit.batch(&statements, values).await?;
        return Ok(Finished::Completed { user_id, credits_charged, change: CreditChange::default() });
    };
    let epoch = unit.batch_first(&statements, values).await?.get(0)?;
    (input.publish)(user_id, account, epoch);
    Ok(Finished::Completed { user_id, credits_charged, change })
}
