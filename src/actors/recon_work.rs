//! What the reconciliation engine does with one job: unpack the stored dataset, match and verify, print and pack the
//! result. Nothing is ever held twice: the result is compressed while it is printed.

use std::io::{self, Write};

use super::job_runner::{Work, WorkDone, WorkFailed};
use super::pack::{pack, pack_result, unpack};
use crate::domain::control::Control;
use crate::domain::job::Product;
use crate::domain::recon::{self, Dataset, Options, Outcome};
use crate::store::ClaimedJob;

/// Prints the `result` object; given by the layer that knows the wire format.
pub type PrintResult = fn(&mut dyn Write, &Dataset, &Options, &Outcome) -> io::Result<()>;

/// The reconciliation product.
pub struct ReconciliationWork {
    /// How the result is printed.
    pub print: PrintResult,
}

impl Work for ReconciliationWork {
    fn product(&self) -> Product {
        Product::Reconciliation
    }

    fn run(&self, job: &ClaimedJob, payload: Vec<Vec<u8>>, control: &dyn Control) -> Result<WorkDone, WorkFailed> {
        let options = read_parameters(&job.parameters)
            .ok_or_else(|| WorkFailed::Failed(format!("job {} has unreadable parameters", job.id)))?;
        let dataset =
            unpack_dataset(payload).map_err(|error| WorkFailed::Failed(format!("stored dataset: {error}")))?;
        let outcome = recon::run(&dataset, &options, control)?;
        let (result, result_size) = pack_result(|out| (self.print)(out, &dataset, &options, &outcome))
            .map_err(|error| WorkFailed::Failed(format!("printing the result: {error}")))?;
        let cost = i64::try_from(outcome.credits_charged()).unwrap_or(i64::MAX);
        Ok(WorkDone { cost, result, result_size, suggestions: None })
    }
}

/// The options as they are stored with the job.
pub fn store_parameters(options: &Options) -> String {
    format!("window_days={} include_matched={}", options.window_days, options.include_matched)
}

fn read_parameters(text: &str) -> Option<Options> {
    let (window, matched) = text.split_once(' ')?;
    Some(Options {
        window_days: window.strip_prefix("window_days=")?.parse().ok()?,
        include_matched: matched.strip_prefix("include_matched=")?.parse().ok()?,
    })
}

/// Packs a dataset into the parts a job's payload is stored in.
pub fn pack_dataset(dataset: &Dataset) -> io::Result<Vec<Vec<u8>>> {
    pack(|mut out| dataset.encode(&mut out))
}

fn unpack_dataset(parts: Vec<Vec<u8>>) -> io::Result<Dataset> {
    Dataset::decode(&mut unpack(parts)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_survive_storage() {
        for options in
            [Options { window_days: 0, include_matched: true }, Options { window_days: 30, include_matched: false }]
        {
            assert_eq!(read_parameters(&store_parameters(&options)), Some(options));
        }
        assert_eq!(read_parameters("window_days=3"), None);
    }
}
