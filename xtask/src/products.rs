//! The products whose work is done by jobs, as their callers know them.

use clap::ValueEnum;

/// A product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Product {
    /// Bank rows against book rows
    Reconciliation,
    /// An account and a VAT code for every transaction
    Coding,
}

impl Product {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Reconciliation, Self::Coding];

    /// The label of metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reconciliation => "reconciliation",
            Self::Coding => "coding",
        }
    }

    /// Where jobs are submitted; polls have the id after it.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Reconciliation => "/api/v1/reconciliations",
            Self::Coding => "/api/v1/coding/coding-jobs",
        }
    }

    /// Where a job is polled.
    #[must_use]
    pub fn poll_path(self, id: &str) -> String {
        format!("{}/{id}", self.path())
    }

    /// The key of the id in answers.
    #[must_use]
    pub const fn id_field(self) -> &'static str {
        match self {
            Self::Reconciliation => "reconciliation_id",
            Self::Coding => "coding_job_id",
        }
    }

    /// The product whose job has this id, with the id cut out of the text around it.
    #[must_use]
    pub fn of_job(text: &str) -> Option<(Self, &str)> {
        [(Self::Reconciliation, "rec_"), (Self::Coding, "cod_")]
            .into_iter()
            .find_map(|(product, prefix)| Some((product, text.get(text.find(prefix)?..)?)))
    }
}

/// Those that were asked for, or all.
#[must_use]
pub fn chosen(asked: &[Product]) -> Vec<Product> {
    if asked.is_empty() { Product::ALL.to_vec() } else { asked.to_vec() }
}
