//! What jobs are stored as: what was submitted is one compressed stream, cut into parts that are written and read one by one; a
//! result is many small ones, so that a part of it is sent without those before and without keeping a window of them.

use std::io::{self, BufReader, Read, Write};

use zstd::bulk::Compressor;

use crate::store::PART_BYTES_MAX;

/// Fast rather than small: the disk is written once and the text compresses well at any level.
const COMPRESSION_LEVEL: i32 = 1;

/// What a frame of a result unpacks to at most: whoever sends it holds no more than that.
pub const RESULT_FRAME_BYTES: usize = 32 * 1024;
/// A part of a result ends before it is longer than this, unless it has one frame only: whoever sends it holds a whole part.
const RESULT_PART_BYTES: usize = 16 * 1024;

/// Compresses what `print` writes into parts of one stream.
pub fn pack(print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Vec<Vec<u8>>> {
    let encoder = zstd::Encoder::new(PartsWriter::default(), COMPRESSION_LEVEL)?;
    let mut buffered = io::BufWriter::with_capacity(64 * 1024, encoder);
    print(&mut buffered)?;
    let encoder = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(encoder.finish()?.parts)
}

/// Compresses a result that `print` writes into parts of whole frames, each of which says how much it unpacks to; also returns how
/// much was written.
pub fn pack_result(print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<(Vec<Vec<u8>>, u64)> {
    let mut frames = FramesWriter {
        compressor: Compressor::new(COMPRESSION_LEVEL)?,
        frame: Vec::with_capacity(RESULT_FRAME_BYTES),
        parts: Vec::new(),
        written: 0,
    };
    print(&mut frames)?;
    frames.end_frame()?;
    Ok((frames.parts, frames.written))
}

/// Reads what [`pack`] or [`pack_result`] made, dropping each part when it is done.
pub fn unpack(parts: Vec<Vec<u8>>) -> io::Result<impl Read> {
    zstd::Decoder::with_buffer(BufReader::new(PartsReader { parts: parts.into(), at: 0 }))
}

/// Compresses what is written frame by frame.
struct FramesWriter {
    compressor: Compressor<'static>,
    frame: Vec<u8>,
    parts: Vec<Vec<u8>>,
    written: u64,
}

impl FramesWriter {
    fn end_frame(&mut self) -> io::Result<()> {
        if self.frame.is_empty() && !self.parts.is_empty() {
            return Ok(());
        }
        let compressed = self.compressor.compress(&self.frame)?;
        self.frame.clear();
        match self.parts.last_mut() {
            Some(part) if part.len() + compressed.len() <= RESULT_PART_BYTES => part.extend_from_slice(&compressed),
            _ => self.parts.push(compressed),
        }
        Ok(())
    }
}

impl Write for FramesWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.frame.len() >= RESULT_FRAME_BYTES {
            self.end_frame()?;
        }
        let room = bytes.len().min(RESULT_FRAME_BYTES - self.frame.len());
        self.frame.extend_from_slice(bytes.get(..room).unwrap_or_default());
        self.written += u64::try_from(room).unwrap_or_default();
        Ok(room)
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

    fn read(parts: Vec<Vec<u8>>) -> Vec<u8> {
        let mut read = Vec::new();
        unpack(parts).expect("a stream").read_to_end(&mut read).expect("unpacked");
        read
    }

    fn incompressible() -> Vec<u8> {
        (0..3_000_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect()
    }

    #[test]
    fn parts_hold_what_was_written_in_order() {
        let text = incompressible();
        let parts = pack(|out| out.write_all(&text)).expect("packed");
        assert!(parts.len() > 1 && parts.iter().all(|part| part.len() <= PART_BYTES_MAX));
        assert!(read(parts) == text);
    }

    #[test]
    fn a_result_is_parts_of_small_frames_that_stand_alone() {
        let compressible = "the same again and again, ".repeat(100_000).into_bytes();
        for text in [incompressible(), compressible, b"x".to_vec(), Vec::new()] {
            let (parts, size) = pack_result(|out| out.write_all(&text)).expect("packed");
            assert_eq!(size, u64::try_from(text.len()).expect("a length"));
            let longest = zstd::zstd_safe::compress_bound(RESULT_FRAME_BYTES);
            assert!(parts.iter().all(|part| part.len() <= longest.max(RESULT_PART_BYTES)));
            let alone: Vec<u8> = parts.iter().flat_map(|part| read(vec![part.clone()])).collect();
            assert!(alone == text, "each part unpacks by itself");
            assert!(read(parts) == text);
        }
    }
}
