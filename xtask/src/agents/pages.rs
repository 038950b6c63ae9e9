//! The pages that people see, in Chromium: sign in, allow, deny, go back, step up, by mouse and by keyboard, narrow, enlarged and
//! dark. axe-core judges each of them, and the console has to stay silent.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Subject;
use crate::{
    books::Books,
    http::Connection,
    program::{Person, SCOPES, create_key},
    report::Finding,
};

/// Who visits the pages, and with what.
pub(super) struct Visit<'a> {
    /// The program that shows pages.
    pub(super) chromium: &'a Path,
    /// Where pictures are kept.
    pub(super) screenshots: Option<&'a Path>,
    /// Somebody without organisations or connections.
    pub(super) visitor: &'a Person,
}

/// Gives the visitor two organisations and lets them go through the pages.
pub(super) fn tried(subject: &Subject, visit: &Visit<'_>, connection: &mut Connection) -> Result<Finding> {
    let Visit { chromium, screenshots, visitor } = visit;
    ensure!(chromium.exists(), "there is no {}; Debian's package chromium has it", chromium.display());
    let key = create_key(connection, &visitor.session, "pages", &SCOPES)?.plaintext;
    for name in ["Hedgerow Joinery Ltd", "Marsh & Daughters <Builders>"] {
        Books::create(connection, &key, name)?;
    }
    let base_url = format!("http://{}", connection.address());
    let chromium = chromium.to_string_lossy();
    let mut environment = vec![
        ("BASE_URL", base_url.as_str()),
        ("PERSON_EMAIL", &visitor.email),
        ("PERSON_PASSWORD", &visitor.password),
        ("CHROMIUM", &chromium),
    ];
    let screenshots = screenshots.map(Path::canonicalize).transpose().context("there is no folder for pictures")?;
    let screenshots = screenshots.map(|folder| folder.to_string_lossy().into_owned());
    environment.extend(screenshots.as_deref().map(|folder| ("SCREENSHOTS", folder)));
    let ran = subject.installed.script("pages.mjs", &[], &environment)?;
    ensure!(ran.code == Some(0), "{}", ran.summary());
    let seen: Value = serde_json::from_str(&ran.output).with_context(|| ran.summary())?;
    let mut finding = Finding::default();
    for what in seen.get("broken").and_then(Value::as_array).context("nothing is said of what broke")? {
        finding.broken(what);
    }
    finding.count("checks", seen.get("checks").cloned().unwrap_or_default());
    Ok(finding)
}
