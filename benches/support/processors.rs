//! A processor for the server and another for the load generator, where there are two.

use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

/// `taskset` words that keep a server on the first processor, when there is another one for the load generator. With
/// one processor in sight the server library starts one worker.
pub fn first_processor() -> Vec<String> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let has_taskset = Command::new("taskset")
        .arg("-V")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if processors < 2 || !has_taskset {
        return Vec::new();
    }
    ["taskset", "-c", "0"].map(str::to_owned).to_vec()
}

/// Keep ourselves away from the first processor.
pub fn stay_on_second_processor() -> Result<()> {
    if first_processor().is_empty() {
        return Ok(());
    }
    let id = std::process::id().to_string();
    let status = Command::new("taskset").args(["-a", "-p", "-c", "1", &id]).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "taskset refused to move process {id}");
    Ok(())
}
