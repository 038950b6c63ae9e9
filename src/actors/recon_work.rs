//! What the reconciliation engine does with one job: unpack the stored dataset, match and verify, print and pack the
//! result. Nothing is ever held twice: the result is compressed while it is printed.

use std::io::{self, Read, Write};

use super::job_runner::{Work, WorkDone, WorkFailed};
use crate::domain::control::Control;
use crate::domain::job::Product;
use crate::domain::recon::{self, Dataset, Options, Outcome};
use crate::store::{ClaimedJob, PART_BYTES_MAX};

/// Prints the `result` object; given by the layer that knows the wire format.
pub type PrintResult = fn(&mut dyn Write, &Dataset, &Options, &Outcome) -> io::Result<()>;

/// Fast rather than small: the disk is written once and the text compresses well at any level.
const COMPRESSION_LEVEL: i32 = 1;

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
        let (result, result_size) = pack(|out| (self.print)(out, &dataset, &options, &outcome))
            .map_err(|error| WorkFailed::Failed(format!("printing the result: {error}")))?;
        let cost = i64::try_from(outcome.credits_charged()).unwrap_or(i64::MAX);
        Ok(WorkDone { cost, result, result_size })
    }
}

/// The options as they are kept with the job.
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
    pack(|mut out| dataset.encode(&mut out)).map(|(parts, _)| parts)
}

fn unpack_dataset(parts: Vec<Vec<u8>>) -> io::Result<Dataset> {
    Dataset::decode(&mut zstd::Decoder::with_buffer(io::BufReader::new(PartsReader { parts: parts.into(), at: 0 }))?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
}

/// Compresses what `print` writes into parts; also returns how much it wrote.
fn pack(print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<(Vec<Vec<u8>>, u64)> {
    let encoder = zstd::Encoder::new(PartsWriter::default(), COMPRESSION_LEVEL)?;
    let mut counter = io::BufWriter::with_capacity(64 * 1024, Counter { encoder, written: 0 });
    print(&mut counter)?;
    let Counter { encoder, written } = counter.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok((encoder.finish()?.parts, written))
}

struct Counter {
    encoder: zstd::Encoder<'static, PartsWriter>,
    written: u64,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.encoder.write(bytes)?;
        self.written += u64::try_from(written).unwrap_or_default();
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Cuts a stream into parts of at most `PART_BYTES_MAX`.
#[derive(Default)]
struct PartsWriter {
    parts: Vec<Vec<u8>>,
}

impl Write for PartsWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.parts.last().is_none_or(|part| part.len() >= PART_BYTES_MAX) {
            self.parts.push(Vec::new());
        }
        let Some(part) = self.parts.last_mut() else { return Ok(0) };
        let room = bytes.len().min(PART_BYTES_MAX - part.len());
        part.extend_from_slice(bytes.get(..room).unwrap_or_default());
        Ok(room)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads parts one after the other, dropping each when it is done.
struct PartsReader {
    parts: std::collections::VecDeque<Vec<u8>>,
    at: usize,
}

impl Read for PartsReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(part) = self.parts.front() else { return Ok(0) };
            let rest = part.get(self.at..).unwrap_or_default();
            if rest.is_empty() {
                self.parts.pop_front();
                self.at = 0;
                continue;
            }
            let count = rest.len().min(buffer.len());
            buffer.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            self.at += count;
            return Ok(count);
        }
    }
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

    #[test]
    fn parts_hold_what_was_written_in_order() {
        let text: Vec<u8> = (0..3_000_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let (parts, size) = pack(|out| out.write_all(&text)).expect("packed");
        assert_eq!(size, 12_000_000);
        assert!(parts.len() > 1 && parts.iter().all(|part| part.len() <= PART_BYTES_MAX));
        let mut read = Vec::new();
        zstd::Decoder::new(PartsReader { parts: parts.into(), at: 0 })
            .expect("a stream")
            .read_to_end(&mut read)
            .expect("unpacked");
        assert!(read == text);
    }
}
