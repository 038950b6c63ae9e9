//! PDF as programs that are not ours read it: poppler and qpdf.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::client::Answer;

/// Whether programs that read our files are there; without them what they would say is skipped, which is said on standard
/// error, or is a failure with `REQUIRE_PDF_TOOLS=1`.
pub fn are_there(programs: &[&str], packages: &str) -> bool {
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let is_there = |name: &&str| folders.iter().any(|folder| folder.join(name).is_file());
    let missing: Vec<&str> = programs.iter().copied().filter(|name| !is_there(name)).collect();
    if missing.is_empty() {
        return true;
    }
    let required = std::env::var("REQUIRE_PDF_TOOLS").as_deref() == Ok("1");
    assert!(!required, "REQUIRE_PDF_TOOLS=1, but {missing:?} are not in the path ({packages})");
    eprintln!("SKIPPED reading a file: {missing:?} are not in the path");
    false
}

/// What a program says about a file, which it must accept.
fn said(program: &str, arguments: &[&str], file: &Path) -> String {
    let output = Command::new(program).args(arguments).arg(file).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{program}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// A PDF as other programs read it.
pub struct Read {
    /// Its words by page, in the order of reading.
    pub text: String,
    pub pages: usize,
}

/// The file of an answer, checked as [`read_file`] says.
#[track_caller]
pub fn read(answer: &Answer) -> Option<Read> {
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/pdf")), "{}", answer.status);
    read_file(&answer.body)
}

/// A file, checked: a sound, tagged PDF/A whose fonts are embedded and subset, and nothing outside of the margins. None
/// without the programs.
#[track_caller]
pub fn read_file(bytes: &[u8]) -> Option<Read> {
    assert!(bytes.starts_with(b"%PDF-1.7") && bytes.len() > 5_000);
    if !are_there(&["pdftotext", "pdffonts", "pdfinfo", "qpdf"], "packages poppler-utils, qpdf") {
        return None;
    }
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let path = file.path();
    said("qpdf", &["--check"], path);
    let info = said("pdfinfo", &[], path);
    assert!(info.contains("Tagged:          yes") && info.contains("A4"), "{info}");
    let fonts = said("pdffonts", &[], path);
    let listed: Vec<&str> = fonts.lines().skip(2).collect();
    assert!(!listed.is_empty(), "{fonts}");
    for font in listed {
        let words: Vec<&str> = font.split_whitespace().collect();
        assert!(
            font.contains("+NotoSans-") && words[words.len() - 5..words.len() - 2] == ["yes", "yes", "yes"],
            "{fonts}"
        );
    }
    let text = Command::new("pdftotext").args(["-raw", path.to_str().unwrap(), "-"]).output().unwrap();
    let places = Command::new("pdftotext").args(["-bbox", path.to_str().unwrap(), "-"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&text.stderr), "");
    let text = String::from_utf8(text.stdout).unwrap();
    let places = String::from_utf8(places.stdout).unwrap();
    let page = places.lines().find(|line| line.contains("<page")).unwrap_or_default();
    let (left, right, bottom) = (47.0, number(page, "width") - 46.7, number(page, "height") - 44.8);
    for word in places.lines().filter(|line| line.contains("<word")) {
        let at = |name: &str| number(word, name);
        // The large word across a page may be cut into parts, and its box is that of the turned letters.
        let is_stamp = at("yMax") - at("yMin") > 40.0;
        let is_inside = at("xMin") >= left && at("xMax") <= right && at("yMax") <= bottom;
        assert!(is_stamp || is_inside, "{word}");
    }
    let pages = places.matches("<page").count();
    Some(Read { text, pages })
}

/// A number among the attributes of an element.
fn number(element: &str, name: &str) -> f64 {
    let rest = &element[element.find(&format!("{name}=\"")).unwrap() + name.len() + 2..];
    rest[..rest.find('"').unwrap()].parse().unwrap()
}

impl Read {
    /// The words without what lies between them, for texts that wrap.
    pub fn letters(&self) -> String {
        self.text.split_whitespace().collect()
    }

    #[track_caller]
    pub fn says(&self, parts: &[&str]) {
        let letters = self.letters();
        for part in parts {
            let wanted: String = part.split_whitespace().collect();
            assert!(letters.contains(&wanted), "{part} is not in\n{}", self.text);
        }
    }
}
