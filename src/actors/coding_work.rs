//! What the coding engine does with one job: read the stored request body again, code the batch, print and pack the
//! result. The batch borrows from the text, which is the only copy there is.

use std::io::{self, Read as _, Write};
use std::sync::Arc;

use super::job_runner::{Work, WorkDone, WorkFailed};
use super::pack::{pack, pack_result, unpack};
use crate::domain::coding::{self, Batch, Outcome};
use crate::domain::coding_session::{RunResult, read_payload};
use crate::domain::control::Control;
use crate::domain::job::Product;
use crate::domain::suggestions::{FoundSuggestions, SuggestReferences};
use crate::store::ClaimedJob;

/// Reads a request body that was accepted before: the batch, and each transaction as it was written. Given, like
/// [`PrintResult`], by the layer that knows the wire format.
pub type ReadBatch = for<'a> fn(&'a str) -> Option<(Batch<'a>, Vec<&'a str>)>;

/// Prints the `result` object.
pub type PrintResult = fn(&mut dyn Write, &Batch<'_>, &[&str], &Outcome) -> io::Result<()>;

/// How the result of a job is printed.
#[derive(Clone, Copy)]
pub struct ResultPrinters {
    /// The whole object.
    pub whole: PrintResult,
    /// The object up to the end of its summary, which is open: what became of suggestions is known only when they are written,
    /// and follows there whenever the result is sent.
    pub open: PrintResult,
}

/// The coding product.
pub struct CodingWork {
    /// How the stored body is read.
    pub read: ReadBatch,
    /// How the result is printed.
    pub print: ResultPrinters,
}

/// The parameters of a job that is a run of a coding session.
pub const SESSION_RUN: &str = "session";

/// The parameters of a job over lines of the books.
pub const SUGGESTIONS: &str = "suggestions";

impl Work for CodingWork {
    fn product(&self) -> Product {
        Product::Coding
    }

    fn run(&self, job: &ClaimedJob, payload: Vec<Vec<u8>>, control: &dyn Control) -> Result<WorkDone, WorkFailed> {
        let body = unpack_body(payload).map_err(|error| WorkFailed::Failed(format!("stored request: {error}")))?;
        if job.parameters == SUGGESTIONS {
            return self.suggest(job, &body, control);
        }
        let session = (job.parameters == SESSION_RUN).then(|| read_payload(&body));
        let (references, body) = match session {
            Some(Some((references, body))) => (Some(references), body),
            Some(None) => return Err(WorkFailed::Failed("the stored run cannot be read".to_owned())),
            None => (None, body.as_str()),
        };
        let (batch, inputs, outcome) = self.code(body, control)?;
        if let Some(references) = references {
            let result = RunResult::of(&batch, &outcome, &references);
            let result = result.ok_or_else(|| WorkFailed::Failed("the run has other rows".to_owned()))?;
            let (result, result_size) = pack_result(|out| Ok(serde_json::to_writer(out, &result)?))
                .map_err(|error| WorkFailed::Failed(format!("printing the result: {error}")))?;
            return Ok(WorkDone { cost: 0, result, result_size, suggestions: None });
        }
        let (result, result_size) = pack_result(|out| (self.print.whole)(out, &batch, &inputs, &outcome))
            .map_err(|error| WorkFailed::Failed(format!("printing the result: {error}")))?;
        Ok(WorkDone { cost: job.cost, result, result_size, suggestions: None })
    }
}

impl CodingWork {
    /// Reads a request body and codes its batch.
    fn code<'a>(&self, body: &'a str, control: &dyn Control) -> Result<(Batch<'a>, Vec<&'a str>, Outcome), WorkFailed> {
        let (batch, inputs) =
            (self.read)(body).ok_or_else(|| WorkFailed::Failed("the stored request cannot be read".to_owned()))?;
        let outcome = coding::run(&batch, control)?;
        if outcome.rows.len() != inputs.len() {
            let (coded, submitted) = (outcome.rows.len(), inputs.len());
            return Err(WorkFailed::Failed(format!("{coded} rows coded of {submitted} submitted")));
        }
        Ok((batch, inputs, outcome))
    }

    /// Codes lines of the books: the result, and what it suggests for each line.
    fn suggest(&self, job: &ClaimedJob, payload: &str, control: &dyn Control) -> Result<WorkDone, WorkFailed> {
        let read = SuggestReferences::read(payload);
        let (references, body) =
            read.ok_or_else(|| WorkFailed::Failed("the stored request cannot be read".to_owned()))?;
        let (batch, inputs, outcome) = self.code(body, control)?;
        let codes: Vec<&str> = batch.accounts.iter().map(|account| &*account.code).collect();
        let found = FoundSuggestions::of(references, &codes, &outcome, &job.id);
        let found = found.ok_or_else(|| WorkFailed::Failed("the batch has other rows".to_owned()))?;
        let (result, result_size) = pack_result(|out| (self.print.open)(out, &batch, &inputs, &outcome))
            .map_err(|error| WorkFailed::Failed(format!("printing the result: {error}")))?;
        Ok(WorkDone { cost: job.cost, result, result_size, suggestions: Some(Arc::new(found)) })
    }
}

/// Packs a request body into the parts a job's payload is stored in.
pub fn pack_body(body: &[u8]) -> io::Result<Vec<Vec<u8>>> {
    pack(|out| out.write_all(body))
}

/// Reads the stored result of a run of a coding session.
pub fn unpack_run(parts: Vec<Vec<u8>>) -> io::Result<RunResult> {
    Ok(serde_json::from_reader(unpack(parts)?)?)
}

fn unpack_body(parts: Vec<Vec<u8>>) -> io::Result<String> {
    let mut body = String::new();
    unpack(parts)?.read_to_string(&mut body)?;
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_survives_storage() {
        for body in ["", "{}", &"\u{1f9fe} \"x\"\n".repeat(300_000)] {
            assert_eq!(unpack_body(pack_body(body.as_bytes()).expect("packed")).expect("unpacked"), body);
        }
    }
}
