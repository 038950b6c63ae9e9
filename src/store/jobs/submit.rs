//! Accepting a job, and the responses an `Idempotency-Key` replays.

use super::{INLINE_BYTES_MAX, PART_BYTES_MAX, QueueState};
use crate::domain::coding_session::RunScope;
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::{CodingSessionId, ConnectionId, JobId, UserId};
use crate::domain::job::Product;
use crate::store::StoreError;
use crate::store::sql::{Reader, Row, Unit, params};
use crate::store::writer::{Locks, Urgency, Writer};

/// A job to be accepted.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// Minted by the caller.
    pub id: JobId,
    /// Whose queue.
    pub product: Product,
    /// Its owner.
    pub user_id: UserId,
    /// The key or grant that submits it, which may always poll it.
    pub connection: Option<ConnectionId>,
    /// Credits it costs when it succeeds.
    pub cost: i64,
    /// Whether key and request both allow overage.
    pub allow_overage: bool,
    /// For progress.
    pub rows_total: i64,
    /// The request's options, opaque here and stored with the job: nothing of the submitted data belongs in it.
    pub parameters: String,
    /// Most jobs that may wait.
    pub capacity: i64,
    /// Of these, the most of one person.
    pub share: i64,
    /// The caller's `Idempotency-Key`.
    pub idempotency: Option<Idempotency>,
    /// The coding session that it is a run of, and which lines the run decides.
    pub session: Option<(CodingSessionId, RunScope)>,
}

/// An `Idempotency-Key` with the response to replay; its scope is the owner, method and path.
#[derive(Debug, Clone)]
pub struct Idempotency {
    /// `POST`.
    pub method: String,
    /// The request's path.
    pub path: String,
    /// The header's value.
    pub key: String,
    /// SHA-256 of the body.
    pub body_hash: [u8; 32],
    /// Status of the response.
    pub status: u16,
    /// Body of the response.
    pub body: Vec<u8>,
    /// How long it replays.
    pub retention_ms: i64,
}

/// What became of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Submitted {
    /// Durably queued.
    Accepted {
        /// Jobs waiting, this one included.
        queue: QueueState,
        /// Whether the person has as many waiting as one may have.
        fills_share: bool,
    },
    /// The queue is full; nothing is left of the job.
    QueueFull,
    /// The person has as many jobs waiting as one may have; nothing is left of the job.
    ShareFull(QueueState),
    /// The `Idempotency-Key` was used with this body before; nothing is left of this job.
    Replayed(StoredResponse),
    /// The `Idempotency-Key` was used with another body; nothing is left of this job.
    KeyReused,
    /// The coding session has a run that has not been taken over, or has ended; nothing is left of this job.
    SessionBusy,
}

impl Writer {
    /// Accepts a job. `payload` is what `ClaimedJob` and `Reader::payload_part` give back, in parts of at most
    /// `PART_BYTES_MAX`; a large one is written in units of its own first, so that other writes pass between. A
    /// caller that wrote its parts with `put_payload` passes none here.
    pub async fn submit(&self, job: NewJob, payload: Vec<Vec<u8>>) -> Result<Submitted, StoreError> {
        self.submit_when(Urgency::Now, job, payload).await
    }

    /// The same, where the job may not be urgent.
    pub async fn submit_when(
        &self,
        urgency: Urgency,
        job: NewJob,
        payload: Vec<Vec<u8>>,
    ) -> Result<Submitted, StoreError> {
        let mut payload = payload;
        let inline = match (payload.len(), payload.first()) {
            (1, Some(part)) if part.len() <= INLINE_BYTES_MAX => payload.pop(),
            _ => None,
        };
        for (part, bytes) in (0_u32..).zip(payload) {
            if let Err(error) = self.put_payload_when(urgency, &job.id, part, bytes).await {
                // What was written before is swept if this fails too.
                let _ = self.drop_payload(&job.id).await;
                return Err(error);
            }
        }
        let ahead = inline.is_none();
        let id = job.id.clone();
        let locks = Locks::ProductSlot { product: job.product, credits: false };
        let unit =
            self.unit_when(urgency, locks, 0, (job, inline), |unit, (job, inline)| Box::pin(submit(unit, job, inline)));
        let outcome = unit.await;
        match outcome {
            Ok(Submitted::Accepted { .. }) => {}
            // The commit may have succeeded although its answer was lost; then the repeated unit finds the job.
            Err(StoreError::Conflict(_)) if self.exists(&id).await? => {
                return Ok(Submitted::Accepted { queue: QueueState::default(), fills_share: false });
            }
            _ if ahead => self.drop_payload(&id).await?,
            _ => {}
        }
        outcome
    }

    /// Writes one part of a payload ahead of `submit`.
    pub async fn put_payload(&self, job: &JobId, part: u32, bytes: Vec<u8>) -> Result<(), StoreError> {
        self.put_payload_when(Urgency::Now, job, part, bytes).await
    }

    async fn put_payload_when(
        &self,
        urgency: Urgency,
        job: &JobId,
        part: u32,
        bytes: Vec<u8>,
    ) -> Result<(), StoreError> {
        if bytes.len() > PART_BYTES_MAX {
            return Err(StoreError::Other(format!("a payload part of {} bytes is too large", bytes.len())));
        }
        let input = (job.0.clone(), i64::from(part), bytes);
        self.unit_when(urgency, Locks::Organisations, input.2.len(), input, |unit, (job, part, bytes)| {
            Box::pin(async move {
                let sql = "insert into job_payload (job_id, part, at, bytes) values ($1, $2, $3, $4) \
                           on conflict (job_id, part) do update set bytes = excluded.bytes";
                unit.execute(sql, params![job.as_str(), *part, unit.now_ms, bytes.clone()]).await.map(|_| ())
            })
        })
        .await
    }

    /// Removes payload parts written ahead for a job that is not going to be submitted.
    pub async fn drop_payload(&self, job: &JobId) -> Result<(), StoreError> {
        self.unit(Locks::Organisations, job.0.clone(), |unit, job| {
            Box::pin(async move {
                let sql = "delete from job_payload where job_id = $1 and not exists (select 1 from job where id = $1)";
                if unit.execute(sql, params![job.as_str()]).await? > 0 {
                    unit.payload_deleted();
                }
                Ok(())
            })
        })
        .await
    }

    async fn exists(&self, job: &JobId) -> Result<bool, StoreError> {
        self.unit(Locks::Organisations, job.0.clone(), |unit, job| {
            Box::pin(async move {
                let row = unit.one("select 1 from job where id = $1", params![job.as_str()]).await?;
                Ok(row.is_some())
            })
        })
        .await
    }
}

impl Reader {
    /// The response stored for an `Idempotency-Key`, so that a replay need not be parsed again.
    pub async fn find_replay(
        &self,
        user: UserId,
        method: &str,
        path: &str,
        key: &str,
    ) -> Result<Option<StoredResponse>, StoreError> {
        let values = params![user.0, method, path, key, self.shared().served_ms()];
        self.one(FIND_REPLAY, values).await?.map(|row| read_response(&row)).transpose()
    }
}

const FIND_REPLAY: &str = "select body_hash, status, body from idempotency_key \
                           where user_id = $1 and method = $2 and path = $3 and key = $4 and expires_at > $5";

const JOB_COLUMNS: &str = "id, product, user_id, key_id, grant_id, status, fence, attempt, cost, allow_overage, \
                           rows_total, parameters, created_at, result_parts, result_size";
const JOB_VALUES: &str = "$3, $1, $4, $5, $6, 'queued', 0, 0, $7, $8, $9, $10, $11, 0, 0";
const TAKE_PLACE: &str = "update product_slot set waiting = waiting + 1, last_seq = last_seq + 1, moves = moves + 1 \
                          where product = $1 and waiting < $2";

fn read_response(row: &Row) -> Result<StoredResponse, StoreError> {
    let body_hash: Vec<u8> = row.get(0)?;
    Ok(StoredResponse {
        body_hash: body_hash.try_into().map_err(|_| StoreError::Corrupt("body hash of a replay".to_owned()))?,
        status: row.unsigned(1)?,
        body: row.get(2)?,
    })
}

async fn submit(unit: &Unit<'_>, job: &NewJob, inline: &Option<Vec<u8>>) -> Result<Submitted, StoreError> {
    if let Some(idempotency) = &job.idempotency
        && let Some(response) = find_or_keep(unit, job.user_id, idempotency).await?
    {
        let same = response.body_hash == idempotency.body_hash;
        return Ok(if same { Submitted::Replayed(response) } else { Submitted::KeyReused });
    }
    if let Some((session, scope)) = &job.session
        && !begin_run(unit, job, (session, *scope)).await?
    {
        return Ok(Submitted::SessionBusy);
    }
    let (key, grant) = match job.connection {
        Some(ConnectionId::Key(id)) => (Some(id.0), None),
        Some(ConnectionId::Grant(id)) => (None, Some(id.0)),
        None => (None, None),
    };
    let mut values = params![
        job.product.as_str(),
        job.capacity,
        job.id.as_str(),
        job.user_id.0,
        key,
        grant,
        job.cost,
        job.allow_overage,
        job.rows_total,
        job.parameters.as_str(),
        unit.now_ms
    ];
    values.extend(inline.iter().map(|bytes| sea_orm::Value::from(bytes.clone())));
    let rows = unit.all(&submit_sql(unit, inline.is_some()), values).await?;
    let refused = match rows.first() {
        None => Submitted::QueueFull,
        Some(row) => {
            let queue = QueueState { waiting: row.get(0)?, moves: row.get(1)? };
            // Nobody has more waiting than all have, so most submissions need no count.
            let of_person = if queue.waiting < job.share { queue.waiting } else { waiting_of(unit, job).await? };
            if queue.waiting < job.share || of_person <= job.share {
                let fills_share = of_person >= job.share;
                return Ok(Submitted::Accepted { queue, fills_share });
            }
            Submitted::ShareFull(take_back(unit, job).await?)
        }
    };
    if let Some(idempotency) = &job.idempotency {
        let sql = "delete from idempotency_key where user_id = $1 and method = $2 and path = $3 and key = $4";
        unit.execute(sql, scope(job.user_id, idempotency)).await?;
    }
    if job.session.is_some() {
        let sql = "update coding_session set run_job_id = null, run_scope = null where run_job_id = $1";
        unit.execute(sql, params![job.id.as_str()]).await?;
    }
    Ok(refused)
}

/// How many jobs of a job's person wait. The caller has changed the slot's row, which nobody else changes meanwhile.
async fn waiting_of(unit: &Unit<'_>, job: &NewJob) -> Result<i64, StoreError> {
    let sql = "select count(*) from job_hot where product = $1 and user_id = $2";
    let row = unit.one(sql, params![job.product.as_str(), job.user_id.0]).await?;
    row.ok_or_else(|| StoreError::Corrupt("a count without a row".to_owned()))?.get(0)
}

/// Takes back a job that was just put into the queue, with its place.
async fn take_back(unit: &Unit<'_>, job: &NewJob) -> Result<QueueState, StoreError> {
    let statements = [
        "update product_slot set waiting = waiting - 1, moves = moves + 1 where product = $1 returning waiting, moves",
        "delete from job_hot where product = $1 and user_id = $3 and job_id = $2",
        "delete from job where id = $2",
        "delete from job_payload where job_id = $2 and part = 0",
    ];
    let row = unit.batch_first(&statements, params![job.product.as_str(), job.id.as_str(), job.user_id.0]).await?;
    unit.payload_deleted();
    Ok(QueueState { waiting: row.get(0)?, moves: row.get(1)? })
}

/// Makes a job the run of its session, unless the session has one.
async fn begin_run(
    unit: &Unit<'_>,
    job: &NewJob,
    (session, scope): (&CodingSessionId, RunScope),
) -> Result<bool, StoreError> {
    // The job itself stands there when the answer to an earlier commit was lost.
    let sql = "update coding_session set run_job_id = $2, run_scope = $3 where id = $1 and expires_at > $4 \
               and (run_job_id is null or run_job_id = $2)";
    let values = params![session.as_str(), job.id.as_str(), scope.as_str(), unit.now_ms];
    Ok(unit.execute(sql, values).await? == 1)
}

/// A place in the queue, the job, its row in the queue and its payload, in one statement; no row comes back, and
/// nothing is written, when the queue is full.
fn submit_sql(unit: &Unit<'_>, with_payload: bool) -> String {
    let payload = "insert into job_payload (job_id, part, at, bytes) select $3, 0, $11, $12";
    // `changes()` counts what the statement before changed: one row, or none when the queue was full.
    let mut sqlite = format!(
        "{TAKE_PLACE} returning waiting, moves; \
         insert into job ({JOB_COLUMNS}) select {JOB_VALUES} where changes() = 1; \
         insert into job_hot (product, user_id, seq, job_id) \
         select product, $4, last_seq, $3 from product_slot where product = $1 and changes() = 1"
    );
    let mut postgres = format!(
        "with slot as ({TAKE_PLACE} returning product, last_seq, waiting, moves), \
         queued as (insert into job ({JOB_COLUMNS}) select {JOB_VALUES} from slot), \
         hot as (insert into job_hot (product, user_id, seq, job_id) select product, $4, last_seq, $3 from slot)"
    );
    if with_payload {
        sqlite.push_str(&format!("; {payload} where changes() = 1"));
        postgres.push_str(&format!(", payload as ({payload} from slot)"));
    }
    postgres.push_str(" select waiting, moves from slot");
    unit.dialect(&sqlite, &postgres).to_owned()
}

fn scope(user: UserId, idempotency: &Idempotency) -> Vec<sea_orm::Value> {
    params![user.0, idempotency.method.as_str(), idempotency.path.as_str(), idempotency.key.as_str()]
}

/// Stores the response unless one is stored already, which is returned. Another process that is just storing one makes
/// this wait for its commit.
async fn find_or_keep(
    unit: &Unit<'_>,
    user: UserId,
    idempotency: &Idempotency,
) -> Result<Option<StoredResponse>, StoreError> {
    let sql = "insert into idempotency_key as i \
               (user_id, method, path, key, body_hash, status, body, created_at, expires_at) \
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (user_id, method, path, key) do update set \
               body_hash = excluded.body_hash, status = excluded.status, body = excluded.body, \
               created_at = excluded.created_at, expires_at = excluded.expires_at \
               where i.expires_at <= $10";
    let served_ms = unit.served_ms();
    let mut values = scope(user, idempotency);
    values.extend(params![
        idempotency.body_hash.to_vec(),
        i64::from(idempotency.status),
        idempotency.body.clone(),
        unit.now_ms,
        served_ms.saturating_add(idempotency.retention_ms),
        served_ms
    ]);
    if unit.execute(sql, values).await? > 0 {
        return Ok(None);
    }
    let mut values = scope(user, idempotency);
    values.push(served_ms.into());
    unit.one(FIND_REPLAY, values).await?.map(|row| read_response(&row)).transpose()
}
