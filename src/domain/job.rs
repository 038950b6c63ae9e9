//! Jobs: products, states and the moves between them.

/// A product whose work is done by asynchronous jobs, one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Product {
    /// Bank rows against book rows.
    Reconciliation,
    /// An account and a VAT code for every transaction.
    Coding,
}

impl Product {
    /// Every product.
    pub const ALL: [Self; 2] = [Self::Reconciliation, Self::Coding];

    /// The stored form, also the label of metrics and of progress messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reconciliation => "reconciliation",
            Self::Coding => "coding",
        }
    }

    /// Reads the stored form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|product| product.as_str() == text)
    }

    /// What the ids of its jobs start with.
    pub const fn id_prefix(self) -> &'static str {
        match self {
            Self::Reconciliation => "rec",
            Self::Coding => "cod",
        }
    }
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobStatus {
    /// Accepted and waiting.
    Queued,
    /// Being worked on.
    Processing,
    /// Ended with a result.
    Completed,
    /// Ended without one.
    Failed,
}

impl JobStatus {
    /// The wire and stored form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Processing => "processing",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }

    /// Reads the wire or stored form.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Queued, Self::Processing, Self::Completed, Self::Failed]
            .into_iter()
            .find(|status| status.as_str() == text)
    }

    /// Whether the job has ended.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }
}

/// Why a job failed, as callers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobFailure {
    /// Not enough credits when it was to begin; nothing was charged.
    InsufficientCredits {
        /// Credits the job costs.
        required: i64,
        /// Credits there were.
        available: i64,
    },
    /// The job ran longer than `job_deadline_s`.
    DeadlineExceeded,
    /// The engine failed, or the job was interrupted too often.
    EngineFailed,
}

impl JobFailure {
    /// The stored form.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::InsufficientCredits { .. } => "insufficient_credits",
            Self::DeadlineExceeded => "deadline_exceeded",
            Self::EngineFailed => "engine_failed",
        }
    }
}

/// How often a job is started before it is given up (an attempt that was interrupted counts).
pub const ATTEMPTS_MAX: i32 = 3;
