//! What jobs are stored as: a compressed stream, cut into parts that are written and read one by one.

use std::io::{self, BufReader, Read, Write};

use crate::store::PART_BYTES_MAX;

/// Fast rather than small: the disk is written once and the text compresses well at any level.
const COMPRESSION_LEVEL: i32 = 1;

/// Compresses what `print` writes into parts; also returns how much it wrote.
pub fn pack(print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<(Vec<Vec<u8>>, u64)> {
    let encoder = zstd::Encoder::new(PartsWriter::default(), COMPRESSION_LEVEL)?;
    let mut counter = io::BufWriter::with_capacity(64 * 1024, Counter { encoder, written: 0 });
    print(&mut counter)?;
    let Counter { encoder, written } = counter.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok((encoder.finish()?.parts, written))
}

/// Reads what [`pack`] made, dropping each part when it is done.
pub fn unpack(parts: Vec<Vec<u8>>) -> io::Result<impl Read> {
    zstd::Decoder::with_buffer(BufReader::new(PartsReader { parts: parts.into(), at: 0 }))
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
    fn parts_hold_what_was_written_in_order() {
        let text: Vec<u8> = (0..3_000_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let (parts, size) = pack(|out| out.write_all(&text)).expect("packed");
        assert_eq!(size, 12_000_000);
        assert!(parts.len() > 1 && parts.iter().all(|part| part.len() <= PART_BYTES_MAX));
        let mut read = Vec::new();
        unpack(parts).expect("a stream").read_to_end(&mut read).expect("unpacked");
        assert!(read == text);
    }
}
