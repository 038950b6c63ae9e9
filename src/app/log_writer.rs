//! Where log lines go: into a buffer, from which a thread of its own writes them out many at a time. Whoever logs holds the
//! buffer only while its line is copied, and never waits for whoever reads the log.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long lines are collected before they are written.
const COLLECT: Duration = Duration::from_millis(20);
/// So many bytes are written at once, without waiting for more.
const PROMPT_BYTES: usize = 256 * 1024;
/// Lines beyond so many waiting bytes are left out, and counted: a reader that has stopped must not use up the memory.
const WAITING_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Lines on their way to one output. Cheap to clone.
#[derive(Clone)]
pub struct LogWriter(Arc<Shared>);

struct Shared {
    waiting: Mutex<Waiting>,
    /// There is something to write.
    written_to: Condvar,
    /// Something was written.
    written_out: Condvar,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// Lines left out since the last that were written.
    left_out: u64,
    is_urgent: bool,
    /// Bytes are being written out.
    is_writing: bool,
}

impl LogWriter {
    /// Starts the thread that writes to an output.
    pub fn start(output: impl Write + Send + 'static) -> io::Result<Self> {
        let waiting = Mutex::new(Waiting::default());
        let shared = Arc::new(Shared { waiting, written_to: Condvar::new(), written_out: Condvar::new() });
        let of_thread = Arc::clone(&shared);
        std::thread::Builder::new().name("log".to_owned()).spawn(move || of_thread.write_for_ever(output))?;
        Ok(Self(shared))
    }

    /// Adds a line, which ends with a line feed.
    pub fn line(&self, line: &[u8]) {
        let mut waiting = self.0.lock();
        if waiting.bytes.len() + line.len() > WAITING_BYTES_MAX {
            waiting.left_out += 1;
            return;
        }
        let was_empty = waiting.bytes.is_empty();
        waiting.bytes.extend_from_slice(line);
        let is_much = waiting.bytes.len() >= PROMPT_BYTES && !waiting.is_urgent;
        waiting.is_urgent |= is_much;
        drop(waiting);
        if was_empty || is_much {
            self.0.written_to.notify_one();
        }
    }

    /// Returns when everything that was added is written, or after this long.
    pub fn flush(&self, within: Duration) {
        let until = Instant::now() + within;
        let mut waiting = self.0.lock();
        while !waiting.bytes.is_empty() || waiting.is_writing {
            waiting.is_urgent = true;
            self.0.written_to.notify_one();
            let Some(left) = until.checked_duration_since(Instant::now()) else { return };
            waiting = self.0.written_out.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.line(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_for_ever(&self, mut output: impl Write) {
        let mut bytes = Vec::new();
        loop {
            let mut waiting = self.lock();
            waiting.is_writing = false;
            self.written_out.notify_all();
            while waiting.bytes.is_empty() {
                waiting = self.written_to.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
            if !waiting.is_urgent {
                let collected = self.written_to.wait_timeout_while(waiting, COLLECT, |waiting| !waiting.is_urgent);
                waiting = collected.unwrap_or_else(PoisonError::into_inner).0;
            }
            std::mem::swap(&mut bytes, &mut waiting.bytes);
            let left_out = std::mem::take(&mut waiting.left_out);
            waiting.is_urgent = false;
            waiting.is_writing = true;
            drop(waiting);
            // An output that is gone cannot be told.
            let _ = output.write_all(&bytes);
            if left_out > 0 {
                let _ =
                    writeln!(output, "{{\"level\":\"WARN\",\"message\":\"log lines left out\",\"lines\":{left_out}}}");
            }
            let _ = output.flush();
            bytes.clear();
            if bytes.capacity() > 4 * PROMPT_BYTES {
                bytes = Vec::new();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An output that can be looked at, and held.
    #[derive(Clone, Default)]
    struct Output(Arc<Mutex<Vec<u8>>>);

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn no_line_of_any_thread_is_lost_or_torn() {
        let output = Output::default();
        let writer = LogWriter::start(output.clone()).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let writer = writer.clone();
                scope.spawn(move || {
                    (0..5_000).for_each(|line| writer.line(format!("{thread} {line} end\n").as_bytes()))
                });
            }
        });
        writer.flush(Duration::from_secs(60));
        let written = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
        assert_eq!(written.lines().count(), 20_000);
        for thread in 0..4 {
            let start = format!("{thread} ");
            let mut of_thread = written.lines().filter_map(|line| line.strip_prefix(&start));
            assert!((0..5_000).all(|line| of_thread.next() == Some(format!("{line} end").as_str())));
        }
    }

    #[test]
    fn a_reader_that_has_stopped_costs_lines_and_not_memory() {
        let output = Output::default();
        let held = output.0.lock().unwrap();
        let writer = LogWriter::start(output.clone()).unwrap();
        let line = vec![b'x'; 1024 * 1024];
        for _ in 0..64 {
            writer.line(&line);
        }
        assert!(writer.0.lock().bytes.len() <= WAITING_BYTES_MAX);
        drop(held);
        writer.flush(Duration::from_secs(60));
        assert!(String::from_utf8_lossy(&output.0.lock().unwrap()).contains("log lines left out"));
    }
}
