//! `cargo xtask conformance`: a real server, every operation of its own OpenAPI description, all checks of
//! schemathesis; failures that are known and explained are listed in `tests/schemathesis-expected.toml`.

mod books;
mod business;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::Deserialize;
use serde_json::Value;

use self::business::{is_business, read_rules};
use crate::{
    datasets::charged,
    faults::Database,
    http::Request,
    jobs::run_one,
    mail_server::MailServer,
    postgres::Postgres,
    process::Process,
    products::Product,
    program::{Installation, Profile, Program, SCOPES, create_key},
    random::Random,
};

/// As many failures may be expected; more would be a description that does not fit.
const EXPECTED_AT_MOST: usize = 5;

/// Answers that are told of one check that failed for one operation.
const TOLD_AT_MOST: usize = 5;

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
    /// Text that stands in every answer that is expected to fail this check, so that no other failure hides behind it.
    answer: Option<String>,
    /// Whether it takes many cases, or luck, to see it.
    #[serde(default)]
    sometimes: bool,
    /// Why the service is right nevertheless.
    reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectations {
    #[serde(default)]
    expected: Vec<Expected>,
}

/// What schemathesis found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Failure {
    operation: String,
    check: String,
    title: String,
    answer: String,
}

impl Expected {
    fn covers(&self, failure: &Failure) -> bool {
        self.operation == failure.operation
            && self.check == failure.check
            && self.answer.as_ref().is_none_or(|text| failure.answer.contains(text.as_str()))
    }
}

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

/// Operations and cases of a JSON report; a run that did not test everything is an error.
fn read_report(report: &Value) -> Result<(u64, u64)> {
    ensure!(
        report.get("complete") == Some(&Value::Bool(true)),
        "schemathesis did not finish: {}",
        report.get("stop_reason").unwrap_or(&Value::Null)
    );
    let list = |pointer: &str| report.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default();
    let errors = list("/errors");
    ensure!(errors.is_empty(), "schemathesis could not test everything: {errors:?}");
    // With a credential that is not taken every answer is 401, and nothing has been tested.
    let unauthenticated = list("/warnings/missing_auth");
    ensure!(unauthenticated.is_empty(), "some operations only answered 401 or 403: {unauthenticated:?}");
    let number = |pointer: &str| report.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    let (tested, selected) = (number("/operations/tested"), number("/operations/selected"));
    ensure!(tested > 0 && tested == selected, "schemathesis tested {tested} of {selected} operations");
    Ok((tested, number("/test_cases/generated")))
}

/// Failures of the event log, each with what the service had answered.
fn read_events(events: &str) -> Result<BTreeSet<Failure>> {
    let mut failures = BTreeSet::new();
    for line in events.lines() {
        let event: Value = serde_json::from_str(line).context("an event of schemathesis is no JSON")?;
        let Some(recorder) = event.pointer("/ScenarioFinished/recorder") else { continue };
        let cases = recorder.get("checks").and_then(Value::as_object).into_iter().flatten();
        for (case, checks) in cases {
            for check in checks.as_array().into_iter().flatten() {
                let Some(failure) = check.pointer("/failure_info/failure") else { continue };
                let text = |name: &str| failure.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                let response =
                    recorder.get("interactions").and_then(|all| all.get(case)).and_then(|one| one.get("response"));
                failures.insert(Failure {
                    operation: text("operation"),
                    check: text("code"),
                    title: format!("{}: {}", text("title"), text("message").replace('\n', "; ")),
                    answer: response.map(read_answer).unwrap_or_default(),
                });
            }
        }
    }
    Ok(failures)
}

/// Status and body of a recorded answer, without the parts that differ each time.
fn read_answer(response: &Value) -> String {
    let status = response.get("status_code").and_then(Value::as_u64).unwrap_or(0);
    let encoded = response.pointer("/content/$base64").and_then(Value::as_str).unwrap_or_default();
    let text = String::from_utf8_lossy(&from_base64(encoded)).into_owned();
    let text = text.split(",\"request_id\"").next().unwrap_or_default();
    format!("{status} {text}")
}

fn from_base64(text: &str) -> Vec<u8> {
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0_u32);
    for symbol in text.bytes() {
        let value = match symbol {
            b'A'..=b'Z' => symbol - b'A',
            b'a'..=b'z' => symbol - b'a' + 26,
            b'0'..=b'9' => symbol - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        held = (held << 6 | u32::from(value)) & 0x00FF_FFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xFF).unwrap_or(0));
        }
    }
    bytes
}

/// Puts the examples of parameters that may be left out, which the description keeps from pages that would fill them in,
/// where schemathesis takes examples from.
fn try_optional_examples(description: &mut Value) {
    let paths = description.get_mut("paths").and_then(Value::as_object_mut).into_iter().flatten();
    let operations = paths.filter_map(|(_, item)| item.as_object_mut()).flatten();
    let parameters = operations.filter_map(|(_, operation)| operation.get_mut("parameters")?.as_array_mut()).flatten();
    for parameter in parameters.filter_map(Value::as_object_mut) {
        if let Some(example) = parameter.remove("x-example") {
            parameter.insert("example".to_owned(), example);
        }
    }
}

/// Compare; the texts of everything that must make the run fail.
fn judge(failures: &BTreeSet<Failure>, expected: &[Expected]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut told: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for failure in failures.iter().filter(|failure| !expected.iter().any(|entry| entry.covers(failure))) {
        // A few answers of each kind are enough for people; all are in the reports.
        let times = told.entry((&failure.operation, &failure.check)).or_default();
        *times += 1;
        if *times <= TOLD_AT_MOST {
            let answer: String = failure.answer.chars().take(400).collect();
            complaints.push(format!("{}: {} {} (answered {answer})", failure.operation, failure.check, failure.title));
        }
    }
    for entry in
        expected.iter().filter(|entry| !entry.sometimes && !failures.iter().any(|failure| entry.covers(failure)))
    {
        complaints.push(format!(
            "{}: {} is listed as expected but no longer fails; take it off the list",
            entry.operation, entry.check
        ));
    }
    complaints
}

struct Run<'a> {
    schemathesis: &'a Path,
    options: &'a Options,
    folder: &'a Path,
    /// The service's description, with every example where schemathesis looks for it.
    document: PathBuf,
    address: String,
}

impl Run<'_> {
    /// One run of schemathesis over some of the operations with one credential.
    fn schemathesis(&self, name: &str, filter: [&str; 2], credential: &str) -> Result<(Value, String)> {
        let report = self.folder.join(format!("{name}.json"));
        let events = self.folder.join(format!("{name}.ndjson"));
        let output = self.folder.join(format!("{name}.txt"));
        let mut command = Command::new(self.schemathesis);
        command
            .arg("run")
            .arg(&self.document)
            .args(["--url", &format!("http://{}", self.address)])
            .args(["--checks", "all", "--continue-on-failure", "--no-color"])
            .args(["--max-examples", &self.options.examples.to_string()])
            .args(filter)
            .args(["--header", &format!("Authorization: Bearer {credential}")])
            // Otherwise it invents a second credential beside ours, and two different ones are refused.
            .args(["--generation-with-security-parameters", "false"])
            .args(["--report", "json,ndjson", "--report-json-path"])
            .arg(&report)
            .arg("--report-ndjson-path")
            .arg(&events)
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
        Ok((serde_json::from_slice(&text)?, fs::read_to_string(&events)?))
    }
}

/// An installation on the database asked for, which sends e-mails to a server of ours.
fn installed(
    program: &Program,
    folder: &Path,
    postgres: Option<&Postgres>,
    mails: &MailServer,
) -> Result<Installation> {
    let installation = Installation::new(program, &folder.join("service"))?;
    let installation = installation.with("smtp_url", &mails.url()).with("mail_from", "books@books.example");
    Ok(match postgres {
        Some(postgres) => installation.with("database_url", &postgres.url()),
        None => installation,
    })
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
    let mails = MailServer::counting()?;
    mails.react(books::react);
    let installation = installed(&program, &folder, postgres.as_ref(), &mails)?;
    let begun = Instant::now();
    let mut server = installation.serve_ready()?;
    let person = installation.add_person("conformance@example.com", 1_000, 1_000_000)?;
    let mut connection = server.connect()?;
    let key = create_key(&mut connection, &person.session, "conformance", &SCOPES)?.plaintext;
    // Books to be read and changed and a finished job to be polled make the successful answers reachable.
    books::prepare(&mut connection, &key)?;
    for product in Product::ALL {
        let job = charged(product, &mut Random::new(1), 2);
        let (pause, patience) = (Duration::from_millis(20), Duration::from_secs(60));
        run_one(&mut connection, product, &key, &job.body, pause, patience)?;
    }

    let mut description = connection.send(&Request::get("/openapi.json", None))?.json();
    let rules = read_rules(&description);
    try_optional_examples(&mut description);
    let document = folder.join("openapi.json");
    fs::write(&document, description.to_string())?;

    let address = installation.public().to_string();
    let run = Run { schemathesis: &schemathesis, options, folder: &folder, document, address };
    let mut failures = BTreeSet::new();
    let (mut operations, mut cases) = (0, 0);
    // The key operations take the web session of a person, everything else an API key. They come last: revoking is one of
    // them, and it finds every key there is.
    for (name, filter, credential) in [
        ("others", ["--exclude-path-regex", "^/api/v1/keys"], key.as_str()),
        ("keys", ["--include-path-regex", "^/api/v1/keys"], person.session.as_str()),
    ] {
        let (report, events) = run.schemathesis(name, filter, credential)?;
        let (tested, generated) = read_report(&report)?;
        failures.append(&mut read_events(&events)?);
        operations += tested;
        cases += generated;
    }
    let found = failures.len();
    failures.retain(|failure| !is_business(failure, &rules));
    let complaints = judge(&failures, &expected);
    println!(
        "conformance: {operations} operations, {cases} cases, {} kinds of business answers, {} of {} expected failures seen, {} \
         unexpected results ({:.1} s)",
        found - failures.len(),
        expected.iter().filter(|entry| failures.iter().any(|failure| entry.covers(failure))).count(),
        expected.len(),
        complaints.len(),
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

    use super::{Expected, from_base64, judge, read_events, read_report, try_optional_examples};

    fn expected(operation: &str, check: &str, answer: Option<&str>) -> Expected {
        Expected {
            operation: operation.into(),
            check: check.into(),
            answer: answer.map(str::to_owned),
            sometimes: false,
            reason: "because".into(),
        }
    }

    #[test]
    fn failures_are_compared_with_the_list_both_ways() {
        let failure = json!({"failure": {"operation": "POST /b", "code": "ST202", "title": "rejected", "message": "should pass"}});
        let event = json!({"ScenarioFinished": {"recorder": {
            "checks": {"1": [{"status": "success"}, {"failure_info": failure}]},
            "interactions": {"1": {"response": {"status_code": 422, "content": {"$base64": "eyJyZWFzb24iOiJ1c2VkIn0="}}}},
        }}});
        let failures = read_events(&event.to_string()).unwrap();
        assert_eq!(failures.first().unwrap().answer, "422 {\"reason\":\"used\"}");
        assert!(judge(&failures, &[expected("POST /b", "ST202", Some("used"))]).is_empty());
        assert!(judge(&failures, &[expected("POST /b", "ST202", None)]).is_empty());
        // Another answer is another failure, and the listed one is missing.
        assert_eq!(judge(&failures, &[expected("POST /b", "ST202", Some("other"))]).len(), 2);
        assert_eq!(judge(&failures, &[]).len(), 1);
        // What is only seen sometimes may be missing.
        let rare = Expected { sometimes: true, ..expected("POST /c", "ST202", None) };
        assert!(judge(&failures, &[expected("POST /b", "ST202", None), rare]).is_empty());
    }

    #[test]
    fn a_run_that_did_not_test_everything_is_an_error() {
        assert!(read_report(&json!({"complete": false, "stop_reason": "max_failures"})).is_err());
        let whole =
            json!({"complete": true, "operations": {"selected": 2, "tested": 2}, "test_cases": {"generated": 40}});
        assert_eq!(read_report(&whole).unwrap(), (2, 40));
        let refused = json!({"complete": true, "operations": {"selected": 2, "tested": 2}, "warnings": {"missing_auth": ["GET /a"]}});
        assert!(read_report(&refused).is_err());
    }

    #[test]
    fn optional_examples_are_tried() {
        let parameter = |name: &str| json!({ "name": "dry_run", name: true });
        let description =
            |name: &str| json!({ "paths": { "/a": { "get": { "parameters": [parameter(name)] }, "post": {} } } });
        let mut served = description("x-example");
        try_optional_examples(&mut served);
        assert_eq!(served, description("example"));
    }

    #[test]
    fn base64_is_read() {
        assert_eq!(from_base64("YWJjZA=="), b"abcd");
        assert_eq!(from_base64(""), b"");
    }
}
