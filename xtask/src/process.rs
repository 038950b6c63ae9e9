//! Child processes that do not outlive us, and what the kernel says about them: memory and processor time.

use std::{
    ffi::OsStr,
    fs,
    process::{Child, Command, ExitStatus, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

/// Whether `setpriv` can ask the kernel to end a child when its parent ends. The request is tied to the thread that
/// starts the child, so servers are started from the main thread.
fn can_tie_to_parent() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "true"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    })
}

/// A command whose process gets `signal` should we end without cleaning up (where the system can do that; elsewhere it
/// is ended by `Drop` alone).
pub fn tied_command(program: impl AsRef<OsStr>, signal: &str) -> Command {
    if can_tie_to_parent() {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", signal, "--"]).arg(program);
        command
    } else {
        Command::new(program)
    }
}

/// A started process; dropping it kills it.
#[derive(Debug)]
pub struct Process {
    child: Child,
}

impl Process {
    /// Start it.
    pub fn spawn(command: &mut Command) -> Result<Self> {
        let child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        Ok(Self { child })
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its exit status, if it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// `kill -9`, and wait until the kernel has taken it away.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill().context("cannot kill the process")?;
        self.child.wait().context("cannot wait for the process")?;
        Ok(())
    }

    /// Send a signal by name to this process alone.
    pub fn signal(&self, name: &str) -> Result<()> {
        let status = Command::new("kill").arg(format!("-{name}")).arg(self.id().to_string()).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            other => bail!("cannot send {name} to process {}: {other:?}", self.id()),
        }
    }

    /// Wait for it to end by itself, and kill it when it has not after that long.
    pub fn wait(&mut self, patience: Duration) -> Result<ExitStatus> {
        let deadline = Instant::now() + patience;
        loop {
            if let Some(status) = self.ended() {
                return Ok(status);
            }
            if Instant::now() >= deadline {
                self.kill()?;
                bail!("process {} had not ended after {patience:?}", self.id());
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Resident memory now, in KiB.
    pub fn resident_kib(&self) -> Result<u64> {
        status_kib(self.id(), "VmRSS:")
    }

    /// The most resident memory since the start or `forget_peak`, in KiB.
    pub fn peak_kib(&self) -> Result<u64> {
        status_kib(self.id(), "VmHWM:")
    }

    /// Let the peak begin again at what is resident now.
    pub fn forget_peak(&self) -> Result<()> {
        fs::write(format!("/proc/{}/clear_refs", self.id()), "5").context("cannot reset the peak of resident memory")
    }

    /// Processor time used so far by all its threads.
    pub fn processor_time(&self) -> Result<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.id()))?;
        // The name in brackets may contain spaces; user and system ticks are the 12th and 13th fields after it.
        let after = stat.rsplit_once(')').map(|(_, rest)| rest).unwrap_or_default();
        let mut fields = after.split_whitespace().skip(11);
        let mut next = || fields.next().and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
        let ticks = next() + next();
        Ok(Duration::from_millis(ticks * 10))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ended().is_none() {
            // Nothing better can be done with a failure here; the kernel ends the child with us where it can.
            let _ = self.kill();
        }
    }
}

fn status_kib(id: u32, field: &str) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).with_context(|| format!("process {id} is gone"))?;
    status
        .lines()
        .find_map(|line| line.strip_prefix(field))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .with_context(|| format!("no {field} in /proc/{id}/status"))
}

#[cfg(test)]
mod tests {
    use std::{process::Command, time::Duration};

    use super::{Process, tied_command};

    #[test]
    fn a_process_is_measured_and_ended_by_its_id() {
        let mut process = Process::spawn(tied_command("sleep", "KILL").arg("60")).unwrap();
        assert!(process.resident_kib().unwrap() > 0);
        assert!(process.ended().is_none());
        process.signal("TERM").unwrap();
        assert!(!process.wait(Duration::from_secs(5)).unwrap().success());
    }

    #[test]
    fn dropping_a_process_ends_it() {
        let process = Process::spawn(Command::new("sleep").arg("60")).unwrap();
        let id = process.id();
        drop(process);
        assert!(!std::path::Path::new(&format!("/proc/{id}")).exists());
    }
}
