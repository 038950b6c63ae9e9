//! A private PostgreSQL server in a temporary folder, made from the installed programs, durable, on loopback only.
//! PostgreSQL refuses to run as root, so root starts it as the user `postgres`.

use std::{
    fs,
    net::SocketAddr,
    os::unix::{fs::chown, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    process::{Process, tied_command},
    program::free_address,
};

/// A running server; dropping it ends it.
#[derive(Debug)]
pub struct Postgres {
    process: Process,
    address: SocketAddr,
    programs: PathBuf,
}

/// The folder with `initdb` and `postgres`: the newest installed version, else wherever the path leads.
fn programs() -> Result<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin"))
        .filter(|folder| folder.join("initdb").exists())
        .collect();
    found.sort_by_key(|folder| {
        folder.parent().and_then(Path::file_name).and_then(|name| name.to_str()?.parse::<u32>().ok()).unwrap_or(0)
    });
    if let Some(newest) = found.pop() {
        return Ok(newest);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .find(|folder| folder.join("initdb").exists())
        .context("PostgreSQL is not installed (no initdb found)")
}

/// User and group to run as: those of `postgres` when we are root, else our own.
fn run_as() -> Result<Option<(u32, u32)>> {
    let output = Command::new("id").arg("-u").output().context("cannot run id")?;
    if String::from_utf8_lossy(&output.stdout).trim() != "0" {
        return Ok(None);
    }
    let people = fs::read_to_string("/etc/passwd")?;
    let line = people
        .lines()
        .find(|line| line.starts_with("postgres:"))
        .context("there is no user postgres to run the server as")?;
    let mut fields = line.split(':').skip(2);
    let mut number = || fields.next().and_then(|field| field.parse::<u32>().ok());
    let user = number().context("no user number")?;
    let group = number().context("no group number")?;
    Ok(Some((user, group)))
}

impl Postgres {
    /// Make a cluster in `folder` (which must not exist) and start it.
    pub fn start(folder: &Path) -> Result<Self> {
        let programs = programs()?;
        let identity = run_as()?;
        fs::create_dir(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        if let Some((user, group)) = identity {
            chown(folder, Some(user), Some(group))?;
            // The way to it must be open to that user; the cluster itself stays closed.
            for above in folder
                .ancestors()
                .skip(1)
                .take_while(|above| above.starts_with(std::env::temp_dir()) && *above != std::env::temp_dir())
            {
                let mut permissions = fs::metadata(above)?.permissions();
                std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
                fs::set_permissions(above, permissions)?;
            }
        }
        let become_that = |command: &mut Command| {
            if let Some((user, group)) = identity {
                command.uid(user).gid(group);
            }
            command.current_dir(folder).stdin(Stdio::null()).env("LC_ALL", "C");
        };
        let cluster = folder.join("cluster");
        let mut make = Command::new(programs.join("initdb"));
        make.args(["--auth", "trust", "--username", "bookkeeping", "--encoding", "UTF8", "--no-sync", "--pgdata"])
            .arg(&cluster);
        become_that(&mut make);
        let output = make.output().context("cannot run initdb")?;
        ensure!(output.status.success(), "initdb: {}", String::from_utf8_lossy(&output.stderr));

        let address = free_address()?;
        let log = fs::File::create(folder.join("postgres.log"))?;
        let mut serve = tied_command(programs.join("postgres"), "INT");
        serve
            .arg("-D")
            .arg(&cluster)
            .args(["-h", "127.0.0.1", "-p", &address.port().to_string(), "-k", ""])
            .args(["-c", "fsync=on", "-c", "max_connections=200"])
            .stdout(log.try_clone()?)
            .stderr(log);
        become_that(&mut serve);
        let server = Self { process: Process::spawn(&mut serve)?, address, programs };
        server.wait_ready(folder)?;
        Ok(server)
    }

    fn wait_ready(&self, folder: &Path) -> Result<()> {
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            let ready = Command::new(self.programs.join("pg_isready"))
                .args(["-q", "-h", "127.0.0.1", "-p", &self.address.port().to_string()])
                .status()
                .is_ok_and(|status| status.success());
            if ready {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        bail!("PostgreSQL did not start: {}", fs::read_to_string(folder.join("postgres.log")).unwrap_or_default())
    }

    /// The setting `database_url` that leads here.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://bookkeeping@{}/postgres", self.address)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A fast shutdown takes its helper processes along; killing it is what remains when that hangs.
        if self.process.signal("INT").is_ok() {
            let _ = self.process.wait(Duration::from_secs(10));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Postgres;

    #[test]
    fn a_private_server_starts_and_ends() {
        let folder = tempfile::tempdir().unwrap();
        match Postgres::start(&folder.path().join("postgres")) {
            Ok(server) => assert!(server.url().starts_with("postgres://bookkeeping@127.0.0.1:")),
            Err(error) => eprintln!("skipped: {error:#}"),
        }
    }
}
