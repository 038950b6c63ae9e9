//! Taking jobs from the queue, keeping the slot, giving jobs back.

use std::sync::Arc;

use super::{INLINE_BYTES_MAX, QueueState};
use crate::domain::ids::{JobId, KeyId, UserId};
use crate::domain::job::{ATTEMPTS_MAX, JobFailure, Product};
use crate::store::credits::{Publish, release, reserve};
use crate::store::sql::{Reader, Row, Unit, params};
use crate::store::writer::{Locks, Writer};
use crate::store::{StoreError, sql};

/// What a claim got.
#[derive(Debug, Clone)]
pub enum Claim {
    /// A job to run; what it costs is reserved.
    Job(Box<ClaimedJob>),
    /// A job that could not be paid: it has failed.
    Unpaid(Box<ClaimedJob>, JobFailure),
    /// Nothing waits.
    Nothing,
    /// Another process holds the slot.
    HeldElsewhere {
        /// Until then, unless it extends its lease.
        lease_until_ms: i64,
    },
}

/// A job to run.
#[derive(Debug, Clone)]
pub struct ClaimedJob {
    /// Identifier.
    pub id: JobId,
    /// Whose queue.
    pub product: Product,
    /// Its owner.
    pub user_id: UserId,
    /// The key that submitted it.
    pub key_id: Option<KeyId>,
    /// To be named in every later move.
    pub fence: i64,
    /// Which start this is, from 1.
    pub attempt: i64,
    /// Credits it costs when it succeeds.
    pub cost: i64,
    /// Whether key and request both allow overage.
    pub allow_overage: bool,
    /// For progress.
    pub rows_total: i64,
    /// The request's options.
    pub parameters: String,
    /// When it was submitted.
    pub created_at_ms: i64,
    /// When it was claimed.
    pub started_at_ms: i64,
    /// What waits now that it was taken.
    pub queue: QueueState,
    /// Parts of the payload.
    pub payload_parts: u32,
    /// The payload, when it has one part only; else `Reader::payload_part` reads them.
    pub payload: Option<Vec<u8>>,
}

/// What giving jobs back did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requeued {
    /// Back in the queue, with their owners.
    pub queued: Vec<(JobId, UserId)>,
    /// Given up after too many attempts, with their owners.
    pub failed: Vec<(JobId, UserId)>,
    /// The caller no longer held them; nothing was written.
    pub zombie: bool,
}

impl Writer {
    /// Takes or keeps the product's slot and the job whose turn it is: people with waiting jobs take turns, in the order of
    /// their identifiers, and of one person's jobs the oldest is first. Taking the slot from a silent process gives the jobs
    /// that process was running back to the queue first.
    ///
    /// What the job will cost is reserved; one that cannot be paid fails instead, before anything of it is computed.
    pub async fn claim(
        &self,
        product: Product,
        holder: &str,
        lease_ms: i64,
        publish: Publish,
    ) -> Result<Claim, StoreError> {
        let lease = Lease { product, holder: holder.to_owned(), lease_ms };
        let locks = Locks::ProductSlot { product, credits: true };
        self.unit(locks, (lease, publish), |unit, (lease, publish)| Box::pin(claim(unit, lease, publish))).await
    }

    /// Extends the lease; `false` means the slot was lost: stop.
    pub async fn heartbeat(
        &self,
        product: Product,
        holder: &str,
        fence: i64,
        lease_ms: i64,
    ) -> Result<bool, StoreError> {
        let input = (Lease { product, holder: holder.to_owned(), lease_ms }, fence);
        self.unit(Locks::ProductSlot { product, credits: false }, input, |unit, (lease, fence)| {
            Box::pin(async move {
                let now = unit.lease_now("$4");
                let sql = format!(
                    "update product_slot set lease_until = {now} + $5 where product = $1 and holder = $2 and fence = $3"
                );
                let (product, holder) = (lease.product.as_str(), lease.holder.as_str());
                let values = params![product, holder, *fence, unit.now_ms, lease.lease_ms];
                Ok(unit.execute(&sql, values).await? == 1)
            })
        })
        .await
    }

    /// Gives a running job back to the front of the queue, even above capacity, because the service stops: it is no fault of the job,
    /// so that the attempt does not count.
    pub async fn requeue(
        &self,
        product: Product,
        job: &JobId,
        fence: i64,
        publish: Publish,
    ) -> Result<Requeued, StoreError> {
        let input = (product, job.0.clone(), fence, publish);
        self.unit(Locks::ProductSlot { product, credits: true }, input, |unit, (product, job, fence, publish)| {
            Box::pin(requeue(unit, (*product, *fence), job, publish))
        })
        .await
    }

    /// At the start of the only process of a SQLite database: takes every slot with a new fence and gives every
    /// running job back. With PostgreSQL it does nothing; `claim` does it when a lease has run out.
    pub async fn recover(&self, holder: &str, lease_ms: i64) -> Result<Vec<(Product, Requeued)>, StoreError> {
        if self.shared().is_shared() {
            return Ok(Vec::new());
        }
        let mut recovered = Vec::new();
        for product in Product::ALL {
            let input = Lease { product, holder: holder.to_owned(), lease_ms };
            let locks = Locks::ProductSlot { product, credits: true };
            recovered.push((product, self.unit(locks, input, |unit, lease| Box::pin(recover(unit, lease))).await?));
        }
        Ok(recovered)
    }

    /// Frees the slot, when it is still the caller's.
    pub async fn release_slot(&self, product: Product, holder: &str) -> Result<(), StoreError> {
        let locks = Locks::ProductSlot { product, credits: false };
        self.unit(locks, (product, holder.to_owned()), |unit, (product, holder)| {
            Box::pin(async move {
                let sql = "update product_slot set holder = null, lease_until = 0 where product = $1 and holder = $2";
                unit.execute(sql, params![product.as_str(), holder.as_str()]).await.map(|_| ())
            })
        })
        .await
    }
}

impl Reader {
    /// One part of a payload.
    pub async fn payload_part(&self, job: &JobId, part: u32) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "select bytes from job_payload where job_id = $1 and part = $2";
        let row = self.one(sql, params![job.as_str(), i64::from(part)]).await?;
        row.map(|row| row.get(0)).transpose()
    }
}

/// Who takes or keeps a product's slot, and for how long.
pub(super) struct Lease {
    pub(super) product: Product,
    pub(super) holder: String,
    pub(super) lease_ms: i64,
}

/// Jobs of a product that somebody runs or ran. The holder runs one at a time, so that whoever claims knows them to
/// be orphans: of a process that lost the slot, or of a claim whose answer was lost.
const RUNNING: &str = "product = $1 and status = 'processing' and completed_at is null";

pub(super) async fn claim(unit: &Unit<'_>, lease: &Lease, publish: &Publish) -> Result<Claim, StoreError> {
    let values = params![lease.product.as_str(), lease.holder.as_str(), unit.now_ms, lease.lease_ms];
    let sql = claim_sql(unit);
    let mut taken = take_next(unit, &sql, values.clone(), lease.product).await?;
    if let Taken::Slot { orphans, job } = &taken
        && *orphans > 0
    {
        let claimed = job.as_ref().map_or("", |job| job.id.as_str());
        let filter = format!("{RUNNING} and id <> $2");
        give_back(unit, lease.product, (&filter, params![lease.product.as_str(), claimed]), publish).await?;
        if job.is_none() {
            taken = take_next(unit, &sql, values, lease.product).await?;
        }
    }
    match taken {
        Taken::Slot { job: Some(job), .. } => begin(unit, job, publish).await,
        Taken::Slot { job: None, .. } => Ok(Claim::Nothing),
        Taken::Refused => held_elsewhere(unit, lease).await,
    }
}

/// Reserves what a job that was taken costs, or ends it.
async fn begin(unit: &Unit<'_>, job: Box<ClaimedJob>, publish: &Publish) -> Result<Claim, StoreError> {
    if job.cost <= 0 {
        return Ok(Claim::Job(job));
    }
    let short = match reserve(unit, job.user_id, (job.cost, job.allow_overage), publish).await? {
        Ok(()) => return Ok(Claim::Job(job)),
        Err(short) => short,
    };
    unit.payload_deleted();
    let failure = JobFailure::InsufficientCredits { required: short.required, available: short.available };
    let statements = [
        "update job set status = 'failed', started_at = null, completed_at = $2, failure = $3, credits_required = $4, \
         credits_available = $5 where id = $1",
        "delete from job_payload where job_id = $1",
        "delete from job_result where job_id = $1",
    ];
    let values = params![job.id.as_str(), unit.now_ms, failure.as_str(), short.required, short.available];
    unit.batch(&statements, values).await?;
    Ok(Claim::Unpaid(job, failure))
}

enum Taken {
    /// There was nothing to take, or somebody else holds the slot.
    Refused,
    Slot {
        orphans: i64,
        job: Option<Box<ClaimedJob>>,
    },
}

/// Takes or keeps the slot, starts the job whose turn it is and removes it from the queue, in one statement.
fn claim_sql(unit: &Unit<'_>) -> String {
    // A slot of a silent process is taken even when nothing waits: its jobs have to be given back.
    let now = unit.lease_now("$3");
    let slot = format!(
        "update product_slot set holder = $2, lease_until = {now} + $4, \
         fence = fence + case when holder = $2 then 0 else 1 end, \
         waiting = waiting - case when waiting > 0 then 1 else 0 end, moves = moves + 1, \
         last_user_id = coalesce((select h.user_id from job_hot h where h.product = $1 \
         and h.user_id > product_slot.last_user_id order by h.user_id limit 1), (select h.user_id from job_hot h \
         where h.product = $1 order by h.user_id limit 1), product_slot.last_user_id) \
         where product = $1 and (holder is null or holder = $2 or lease_until < {now}) \
         and (waiting > 0 or holder <> $2 or exists (select 1 from job where {RUNNING}))"
    );
    let orphans = format!("(select count(*) from job where {RUNNING})");
    let payload = format!(
        "(select count(*) from job_payload p where p.job_id = job.id), \
         (select p.bytes from job_payload p where p.job_id = job.id and p.part = 0 \
         and length(p.bytes) <= {INLINE_BYTES_MAX} \
         and not exists (select 1 from job_payload q where q.job_id = job.id and q.part = 1))"
    );
    let columns = "id, user_id, key_id, fence, attempt, cost, allow_overage, rows_total, parameters, created_at";
    let start = "status = 'processing', attempt = attempt + 1, started_at = $3";
    let person = "(select last_user_id from product_slot where product = $1)";
    let oldest = |column: &str, person: &str| {
        format!(
            "(select o.{column} from job_hot o where o.product = $1 and o.user_id = {person} order by o.seq limit 1)"
        )
    };
    let sqlite = format!(
        "{slot} returning fence, {orphans}, waiting, moves; \
         update job set {start}, fence = (select fence from product_slot where product = $1) \
         where changes() = 1 and id = {} returning {columns}, {payload}; \
         delete from job_hot where changes() = 1 and product = $1 and user_id = {person} and seq = {}",
        oldest("job_id", person),
        oldest("seq", person),
    );
    let postgres = format!(
        "with slot as ({slot} returning fence, {orphans} as orphans, waiting, moves, last_user_id), \
         hot as (delete from job_hot using slot where job_hot.product = $1 and job_hot.user_id = slot.last_user_id \
         and job_hot.seq = {} returning job_id), \
         started as (update job set {start}, fence = slot.fence from slot, hot where id = hot.job_id \
         returning {}, {payload}) \
         select slot.fence, slot.orphans, slot.waiting, slot.moves, started.* from slot left join started on true",
        oldest("seq", "slot.last_user_id"),
        columns.replace("fence", "job.fence")
    );
    unit.dialect(&sqlite, &postgres).to_owned()
}

async fn take_next(
    unit: &Unit<'_>,
    sql: &str,
    values: Vec<sea_orm::Value>,
    product: Product,
) -> Result<Taken, StoreError> {
    let rows = unit.all(sql, values).await?;
    let Some(slot) = rows.first() else { return Ok(Taken::Refused) };
    let orphans = slot.get(1)?;
    let queue = QueueState { waiting: slot.get(2)?, moves: slot.get(3)? };
    // SQLite answers with a row for the slot and one for the job, PostgreSQL with both in one row.
    let job = if unit.dialect("sqlite", "postgres") == "sqlite" {
        rows.get(1).map(|row| read_claimed(row, 0, product, (unit.now_ms, queue))).transpose()?
    } else if slot.get::<Option<String>>(4)?.is_some() {
        Some(read_claimed(slot, 4, product, (unit.now_ms, queue))?)
    } else {
        None
    };
    Ok(Taken::Slot { orphans, job: job.map(Box::new) })
}

fn read_claimed(
    row: &Row,
    first: usize,
    product: Product,
    (now_ms, queue): (i64, QueueState),
) -> Result<ClaimedJob, StoreError> {
    Ok(ClaimedJob {
        id: JobId(row.get(first)?),
        product,
        user_id: UserId(row.get(first + 1)?),
        key_id: row.get::<Option<i64>>(first + 2)?.map(KeyId),
        fence: row.get(first + 3)?,
        attempt: row.get(first + 4)?,
        cost: row.get(first + 5)?,
        allow_overage: row.get(first + 6)?,
        rows_total: row.get(first + 7)?,
        parameters: row.get(first + 8)?,
        created_at_ms: row.get(first + 9)?,
        started_at_ms: now_ms,
        queue,
        payload_parts: row.unsigned(first + 10)?,
        payload: row.get(first + 11)?,
    })
}

async fn held_elsewhere(unit: &Unit<'_>, lease: &Lease) -> Result<Claim, StoreError> {
    let now = unit.lease_now("$3");
    let sql =
        format!("select lease_until from product_slot where product = $1 and holder <> $2 and lease_until >= {now}");
    let values = params![lease.product.as_str(), lease.holder.as_str(), unit.now_ms];
    match unit.one(&sql, values).await? {
        Some(row) => Ok(Claim::HeldElsewhere { lease_until_ms: row.get(0)? }),
        None => Ok(Claim::Nothing),
    }
}

async fn requeue(
    unit: &Unit<'_>,
    (product, fence): (Product, i64),
    job: &str,
    publish: &Publish,
) -> Result<Requeued, StoreError> {
    let sql = format!("select 1 from product_slot where product = $1{}", sql::for_update(unit.backend));
    unit.one(&sql, params![product.as_str()]).await?;
    let filter = format!("{RUNNING} and id = $2 and fence = $3");
    let not_counted = format!("update job set attempt = attempt - 1 where attempt > 0 and {filter}");
    unit.execute(&not_counted, params![product.as_str(), job, fence]).await?;
    let requeued = give_back(unit, product, (&filter, params![product.as_str(), job, fence]), publish).await?;
    let zombie = requeued.queued.is_empty() && requeued.failed.is_empty();
    Ok(Requeued { zombie, ..requeued })
}

async fn recover(unit: &Unit<'_>, lease: &Lease) -> Result<Requeued, StoreError> {
    let sql = "update product_slot set holder = $2, fence = fence + 1, lease_until = $3 where product = $1";
    let until = unit.now_ms.saturating_add(lease.lease_ms);
    unit.execute(sql, params![lease.product.as_str(), lease.holder.as_str(), until]).await?;
    // At a start nothing is published yet.
    let publish: Publish = Arc::new(|_, _, _| {});
    give_back(unit, lease.product, (RUNNING, params![lease.product.as_str()]), &publish).await
}

/// Puts the jobs a filter finds back at the front of the queue with what was reserved for them, or fails those that were started too often. The
/// caller holds the slot's row.
async fn give_back(
    unit: &Unit<'_>,
    product: Product,
    (filter, values): (&str, Vec<sea_orm::Value>),
    publish: &Publish,
) -> Result<Requeued, StoreError> {
    let lock = sql::for_update(unit.backend);
    let sql = format!("select id, user_id, attempt, cost from job where {filter} order by id desc{lock}");
    let mut requeued = Requeued::default();
    for row in unit.all(&sql, values).await? {
        let (id, attempt): (String, i64) = (row.get(0)?, row.get(2)?);
        let job = (JobId(id), UserId(row.get(1)?));
        release(unit, job.1, row.get(3)?, publish).await?;
        if attempt >= i64::from(ATTEMPTS_MAX) {
            give_up(unit, &job.0).await?;
            requeued.failed.push(job);
        } else {
            queue_in_front(unit, product, (&job.0, job.1)).await?;
            requeued.queued.push(job);
        }
    }
    Ok(requeued)
}

async fn give_up(unit: &Unit<'_>, job: &JobId) -> Result<(), StoreError> {
    unit.payload_deleted();
    let statements = [
        "update job set status = 'failed', completed_at = $2, failure = $3 where id = $1",
        "delete from job_payload where job_id = $1",
        "delete from job_result where job_id = $1",
    ];
    unit.batch(&statements, params![job.as_str(), unit.now_ms, JobFailure::EngineFailed.as_str()]).await
}

/// The job is the first of its person's, and theirs is the next turn: it was taken before.
async fn queue_in_front(unit: &Unit<'_>, product: Product, (job, user): (&JobId, UserId)) -> Result<(), StoreError> {
    let statements = [
        "update job set status = 'queued', started_at = null where id = $1",
        // What an interrupted run had written of its result.
        "delete from job_result where job_id = $1",
        "insert into job_hot (product, user_id, seq, job_id) select s.product, $3, \
         coalesce((select min(h.seq) from job_hot h where h.product = $2 and h.user_id = $3), s.last_seq + 1) - 1, $1 \
         from product_slot s where s.product = $2",
        "update product_slot set waiting = waiting + 1, moves = moves + 1, last_user_id = $3 - 1 where product = $2",
    ];
    unit.batch(&statements, params![job.as_str(), product.as_str(), user.0]).await
}
