//! The protocol's conformance suite, in its two versions. Failures that are known and explained are listed in
//! `xtask/clients/expected-failures.toml`. What a scenario needs and the product does not have (tools of the suite's own,
//! prompts, resources) is not run.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::Subject;
use crate::report::Finding;

/// As many checks may be expected to fail.
const EXPECTED_AT_MOST: usize = 6;

/// One version of the suite, for one revision of the protocol.
pub(super) struct Suite {
    /// Its version.
    pub(super) version: &'static str,
    package: &'static str,
    revision: &'static str,
    scenarios: &'static [&'static str],
}

/// Both.
pub(super) const SUITES: [Suite; 2] = [
    Suite {
        version: "0.1.16",
        package: "conformance-2025",
        revision: "2025-11-25",
        scenarios: &["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
    },
    Suite {
        version: "0.2.0-alpha.12",
        package: "conformance-2026",
        revision: "2026-07-28",
        scenarios: &[
            "server-stateless",
            "tools-list",
            "dns-rebinding-protection",
            "http-header-validation",
            "input-required-result-unsupported-methods",
        ],
    },
];

/// A check that is known to fail, and why it stays.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// The version of the suite.
    version: String,
    scenario: String,
    /// The id the suite gives the check.
    check: String,
    reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectations {
    expected: Vec<Expected>,
}

/// Runs one version against the proxy; each check must pass but those that are expected to fail, and those must.
pub(super) fn tried(subject: &Subject, suite: &Suite, url: &str) -> Result<Finding> {
    let expected = expectations(include_str!("../../clients/expected-failures.toml"))?;
    let mut finding = Finding::default();
    let (mut passed, mut known) = (0, 0);
    for scenario in suite.scenarios {
        let folder = subject.installed.fresh_folder()?;
        let into = folder.to_string_lossy();
        let script = format!("node_modules/{}/dist/index.js", suite.package);
        let what = ["server", "--url", url, "--scenario", scenario, "--spec-version", suite.revision];
        let ran = subject.installed.node(&script, &[what.as_slice(), &["--output-dir", &into]].concat(), &[])?;
        // Its exit code only says that something failed; the file says what.
        let checks = checks(&folder).with_context(|| format!("{scenario} wrote no checks: {}", ran.summary()))?;
        let here: Vec<&str> = expected
            .iter()
            .filter(|entry| entry.version == suite.version && entry.scenario == *scenario)
            .map(|entry| entry.check.as_str())
            .collect();
        let (passes, complaints) = judge(&checks, &here);
        passed += passes;
        known += here.len();
        for complaint in complaints {
            finding.broken(format!("{scenario}: {complaint}"));
        }
    }
    finding.count("scenarios", suite.scenarios.len());
    finding.count("passed", passed);
    finding.count("expected_failures", known);
    Ok(finding)
}

/// Runs what the newer version has about authorization servers, with a person who allows what it asks; every check must pass.
pub(super) fn authorized(subject: &Subject) -> Result<Finding> {
    let suite = &SUITES[1];
    let folder = subject.installed.fresh_folder()?;
    let program = subject.installed.path(&format!("node_modules/{}/dist/index.js", suite.package));
    let base_url = subject.url.strip_suffix("/mcp").context("no base URL")?;
    let environment = [("BASE_URL", base_url), ("MCP_URL", &subject.url), ("MCP_SESSION", &subject.session)];
    let arguments = [&*program.to_string_lossy(), &*folder.to_string_lossy()];
    let ran = subject.installed.script("authorization.mjs", &arguments, &environment)?;
    let mut finding = Finding::default();
    let (mut scenarios, mut passed) = (0, 0);
    for written in fs::read_dir(&folder)? {
        let checks: Vec<Value> = serde_json::from_slice(&fs::read(written?.path().join("checks.json"))?)?;
        let (passes, complaints) = judge(&checks, &[]);
        scenarios += 1;
        passed += passes;
        for complaint in complaints {
            finding.broken(complaint);
        }
    }
    finding.must(scenarios > 1, ran.summary());
    finding.count("scenarios", scenarios);
    finding.count("passed", passed);
    Ok(finding)
}

fn expectations(text: &str) -> Result<Vec<Expected>> {
    let list = toml::from_str::<Expectations>(text).context("the list of expected failures")?.expected;
    ensure!(
        list.len() <= EXPECTED_AT_MOST,
        "{} checks; at most {EXPECTED_AT_MOST} may be expected to fail",
        list.len()
    );
    for entry in &list {
        ensure!(!entry.reason.trim().is_empty(), "{}: an expected failure needs its reason", entry.check);
        let is_run =
            |suite: &Suite| suite.version == entry.version && suite.scenarios.contains(&entry.scenario.as_str());
        ensure!(SUITES.iter().any(is_run), "{} {} is not run", entry.version, entry.scenario);
    }
    Ok(list)
}

/// The checks of the one scenario whose results are in a folder.
fn checks(folder: &Path) -> Result<Vec<Value>> {
    let written = fs::read_dir(folder)?.next().context("an empty folder")??;
    Ok(serde_json::from_slice(&fs::read(written.path().join("checks.json"))?)?)
}

/// How many checks passed, and what must make the run fail.
fn judge(checks: &[Value], expected: &[&str]) -> (usize, Vec<String>) {
    let (mut passed, mut failed, mut complaints) = (0, BTreeSet::new(), Vec::new());
    for check in checks {
        let text = |name: &str| check.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("status") {
            "SUCCESS" => passed += 1,
            "FAILURE" | "WARNING" => {
                failed.insert(text("id"));
                if !expected.contains(&text("id")) {
                    complaints.push(format!("{} {}: {}", text("status"), text("id"), text("errorMessage")));
                }
            }
            _ => {}
        }
    }
    if passed == 0 {
        complaints.push("no check passed".to_owned());
    }
    for id in expected.iter().filter(|id| !failed.contains(**id)) {
        complaints.push(format!("{id} is listed as expected but no longer fails; take it off the list"));
    }
    (passed, complaints)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{expectations, judge};

    #[test]
    fn checks_are_compared_with_the_list_both_ways() {
        let checks = [
            json!({ "id": "a", "status": "SUCCESS" }),
            json!({ "id": "b", "status": "FAILURE", "errorMessage": "no" }),
            json!({ "id": "c", "status": "SKIPPED" }),
        ];
        assert_eq!(judge(&checks, &["b"]), (1, Vec::new()));
        assert_eq!(judge(&checks, &[]), (1, vec!["FAILURE b: no".to_owned()]));
        assert_eq!(judge(&checks, &["b", "c"]).1.len(), 1);
        assert_eq!(judge(&[], &[]).1, ["no check passed"]);
    }

    #[test]
    fn the_checked_in_list_is_short_and_gives_reasons() {
        assert!(expectations(include_str!("../../clients/expected-failures.toml")).is_ok());
        let entry = "[[expected]]\nversion = \"0.1.16\"\nscenario = \"ping\"\ncheck = \"ping\"\nreason = ";
        assert!(expectations(&format!("{entry}\"because\"")).is_ok());
        assert!(expectations(&format!("{entry}\" \"")).is_err());
        assert!(expectations(&format!("{entry}\"because\"\n").repeat(7)).is_err());
        assert!(expectations(&format!("{entry}\"because\"").replace("ping", "caching")).is_err());
    }
}
