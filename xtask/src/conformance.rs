//! `cargo xtask conformance`: a real server, every operation of its own OpenAPI description, all checks of
//! schemathesis; failures that are known and explained are listed in `tests/schemathesis-expected.toml`.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    faults::Database,
    jobs::run_one,
    postgres::Postgres,
    process::Process,
    program::{Installation, Profile, Program, SCOPES, create_key},
};

/// As many failures may be expected; more would be a description that does not fit.
const EXPECTED_AT_MOST: usize = 5;

/// Options of `cargo xtask conformance`.
#[derive(Debug, Args)]
pub struct Options {
    /// The `st` or `schemathesis` program (pip install schemathesis==4.32.5)
    #[arg(long, value_name = "PATH")]
    schemathesis: PathBuf,
    /// Test cases for each operation
    #[arg(long, value_name = "N", default_value_t = 100)]
    examples: u32,
    /// Another choice of cases; without it the choice is always the same
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Database of the server
    #[arg(long, value_enum, default_value_t)]
    database: Database,
    /// Take this program instead of building one
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Keep the folder with the reports
    #[arg(long)]
    keep: bool,
}

/// A failure that is known, and why it stays.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// As `GET /api/v1/me`.
    operation: String,
    /// The code schemathesis gives the failure, as `ST201`.
    check: String,
    /// Why the service is right nevertheless.
    reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectations {
    #[serde(default)]
    expected: Vec<Expected>,
}

/// What schemathesis found: operation, code, title.
type Failure = (String, String, String);

fn read_expectations(path: &Path) -> Result<Vec<Expected>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let list = toml::from_str::<Expectations>(&text)
        .with_context(|| format!("{} is not as it should be", path.display()))?
        .expected;
    ensure!(
        list.len() <= EXPECTED_AT_MOST,
        "{} lists {} failures; at most {EXPECTED_AT_MOST} may be expected",
        path.display(),
        list.len()
    );
    for entry in &list {
        ensure!(
            !entry.reason.trim().is_empty(),
            "{} {}: an expected failure needs its reason",
            entry.operation,
            entry.check
        );
    }
    Ok(list)
}

/// Failures of a JSON report; an incomplete run is an error.
fn read_report(report: &Value) -> Result<(BTreeSet<Failure>, u64, u64)> {
    ensure!(
        report.get("complete") == Some(&Value::Bool(true)),
        "schemathesis did not finish: {}",
        report.get("stop_reason").unwrap_or(&Value::Null)
    );
    let list = |name: &str| report.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let errors = list("errors");
    ensure!(errors.is_empty(), "schemathesis could not test everything: {errors:?}");
    let mut failures = BTreeSet::new();
    for failure in list("failures") {
        let text = |name: &str| failure.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        for operation in failure.get("operations").and_then(Value::as_array).into_iter().flatten() {
            failures.insert((operation.as_str().unwrap_or_default().to_owned(), text("code"), text("title")));
        }
    }
    let number = |pointer: &str| report.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    let (tested, selected) = (number("/operations/tested"), number("/operations/selected"));
    ensure!(tested > 0 && tested == selected, "schemathesis tested {tested} of {selected} operations");
    Ok((failures, tested, number("/test_cases/generated")))
}

/// Compare; the texts of everything that must make the run fail.
fn judge(failures: &BTreeSet<Failure>, expected: &[Expected]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (operation, code, title) in failures {
        if !expected.iter().any(|entry| entry.operation == *operation && entry.check == *code) {
            complaints.push(format!("{operation}: {code} {title}"));
        }
    }
    for entry in expected {
        if !failures.iter().any(|(operation, code, _)| *operation == entry.operation && *code == entry.check) {
            complaints.push(format!(
                "{}: {} is listed as expected but no longer fails; take it off the list",
                entry.operation, entry.check
            ));
        }
    }
    complaints
}

struct Run<'a> {
    schemathesis: &'a Path,
    options: &'a Options,
    folder: &'a Path,
    address: String,
}

impl Run<'_> {
    /// One run of schemathesis over some of the operations with one credential.
    fn schemathesis(&self, name: &str, filter: [&str; 2], credential: &str) -> Result<Value> {
        let report = self.folder.join(format!("{name}.json"));
        let output = self.folder.join(format!("{name}.txt"));
        let mut command = Command::new(self.schemathesis);
        command
            .arg("run")
            .arg(format!("http://{}/openapi.json", self.address))
            .args(["--url", &format!("http://{}", self.address)])
            .args(["--checks", "all", "--continue-on-failure", "--no-color"])
            .args(["--max-examples", &self.options.examples.to_string()])
            .args(filter)
            .args(["--header", &format!("Authorization: Bearer {credential}")])
            .args(["--report", "json", "--report-json-path"])
            .arg(&report)
            .current_dir(self.folder)
            .stdin(Stdio::null())
            .stdout(File::create(&output)?)
            .stderr(File::create(self.folder.join(format!("{name}.err")))?);
        match self.options.seed {
            Some(seed) => command.args(["--seed", &seed.to_string(), "--generation-database", "none"]),
            None => command.arg("--generation-deterministic"),
        };
        let mut process = Process::spawn(&mut command)?;
        // Its exit status only says that something failed; the report says what.
        process.wait(Duration::from_secs(1_800))?;
        let text = fs::read(&report).with_context(|| {
            let said = fs::read_to_string(&output).unwrap_or_default()
                + &fs::read_to_string(self.folder.join(format!("{name}.err"))).unwrap_or_default();
            format!("schemathesis wrote no report: {said}")
        })?;
        Ok(serde_json::from_slice(&text)?)
    }
}

/// Run it; an error when anything failed that is not expected.
pub fn run(options: &Options) -> Result<()> {
    let expectations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/schemathesis-expected.toml");
    let expected = read_expectations(&expectations)?;
    let schemathesis = options
        .schemathesis
        .canonicalize()
        .with_context(|| format!("there is no program at {}", options.schemathesis.display()))?;
    let program = match &options.binary {
        Some(path) => Program::at(path)?,
        None => Program::build(Profile::Dev)?,
    };
    let root = tempfile::Builder::new().prefix("bookkeeping-conformance-").tempdir()?;
    let folder = root.path().to_owned();
    let postgres = match options.database {
        Database::Postgres => Some(Postgres::start(&folder.join("postgres"))?),
        Database::Sqlite => None,
    };
    let mut installation = Installation::new(&program, &folder.join("service"))?;
    if let Some(postgres) = &postgres {
        installation = installation.with("database_url", &postgres.url());
    }
    let begun = Instant::now();
    let mut server = installation.serve_ready()?;
    let person = installation.add_person("conformance@example.com", 1_000, 1_000_000)?;
    // An organisation to be read and a finished job to be polled make the successful answers reachable.
    installation.run(&["organisation", "add", "--email", &person.email, "--name", "Conformance Ltd"])?;
    let mut connection = server.connect()?;
    let key = create_key(&mut connection, &person.session, "conformance", &SCOPES)?.plaintext;
    let job = br#"{"bank":[{"date":"2024-01-01","amount":1,"description":"x"}],"book":[]}"#;
    run_one(&mut connection, &key, job, Duration::from_millis(20), Duration::from_secs(60))?;

    let run = Run { schemathesis: &schemathesis, options, folder: &folder, address: installation.public().to_string() };
    let mut failures = BTreeSet::new();
    let (mut operations, mut cases) = (0, 0);
    // The key operations take the web session of a person, everything else an API key.
    for (name, filter, credential) in [
        ("keys", ["--include-path-regex", "^/api/v1/keys"], person.session.as_str()),
        ("others", ["--exclude-path-regex", "^/api/v1/keys"], key.as_str()),
    ] {
        let (mut found, tested, generated) = read_report(&run.schemathesis(name, filter, credential)?)?;
        failures.append(&mut found);
        operations += tested;
        cases += generated;
    }
    let complaints = judge(&failures, &expected);
    println!(
        "conformance: {operations} operations, {cases} cases, {} failures of which {} expected ({:.1} s)",
        failures.len(),
        failures.len().saturating_sub(complaints.len()),
        begun.elapsed().as_secs_f64()
    );
    for complaint in &complaints {
        println!("    {complaint}");
    }
    if let Some(status) = server.process.ended() {
        anyhow::bail!("the server ended with {status}: {}", server.last_words());
    }
    server.terminate()?;
    if !complaints.is_empty() || options.keep {
        println!("reports are kept in {}", root.keep().display());
    }
    ensure!(complaints.is_empty(), "{} unexpected results", complaints.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Expected, judge, read_report};

    fn expected(operation: &str, check: &str) -> Expected {
        Expected { operation: operation.into(), check: check.into(), reason: "because".into() }
    }

    #[test]
    fn failures_are_compared_with_the_list_both_ways() {
        let report = json!({
            "complete": true, "errors": [], "operations": {"selected": 2, "tested": 2}, "test_cases": {"generated": 40},
            "failures": [{"code": "ST201", "title": "accepted", "operations": ["GET /a", "POST /b"]}],
        });
        let (failures, tested, cases) = read_report(&report).unwrap();
        assert_eq!((failures.len(), tested, cases), (2, 2, 40));
        assert!(judge(&failures, &[expected("GET /a", "ST201"), expected("POST /b", "ST201")]).is_empty());
        assert_eq!(judge(&failures, &[expected("GET /a", "ST201")]).len(), 1);
        assert_eq!(
            judge(&failures, &[expected("GET /a", "ST201"), expected("POST /b", "ST201"), expected("GET /c", "ST101")])
                .len(),
            1
        );
    }

    #[test]
    fn a_run_that_did_not_finish_is_an_error() {
        assert!(read_report(&json!({"complete": false, "stop_reason": "max_failures"})).is_err());
    }
}
