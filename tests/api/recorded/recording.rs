//! The recording of a chapter: a file of one line a request, written or compared.

use std::path::PathBuf;

use serde_json::Value;

/// How many differences of a chapter are printed.
const SHOWN_MAX: usize = 5;

/// Where the recordings lie.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/api/recorded/sessions")
}

/// Whether answers are written instead of compared.
pub fn is_recording() -> bool {
    std::env::var("RECORD_SESSIONS").is_ok_and(|value| value == "1")
}

/// The lines of a chapter.
pub struct Recording {
    chapter: String,
    recorded: Option<Vec<String>>,
    actual: Vec<String>,
    differences: Vec<String>,
}

impl Recording {
    pub fn open(chapter: &str) -> Self {
        let recorded = (!is_recording()).then(|| {
            let path = folder().join(format!("{chapter}.jsonl"));
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| {
                panic!("{chapter}: there is no recording ({error}); RECORD_SESSIONS=1 makes one")
            });
            text.lines().map(str::to_owned).collect()
        });
        Self { chapter: chapter.to_owned(), recorded, actual: Vec::new(), differences: Vec::new() }
    }

    /// The next line, compared with what was recorded.
    pub fn add(&mut self, line: String) {
        assert!(!line.contains('\n'), "{}: a line with a line break: {line}", self.chapter);
        let number = self.actual.len();
        if let Some(recorded) = &self.recorded {
            match recorded.get(number) {
                Some(expected) if *expected == line => {}
                Some(expected) => self.differences.push(difference(number + 1, expected, &line)),
                None => self.differences.push(format!("request {} was not recorded: {line}", number + 1)),
            }
        }
        self.actual.push(line);
    }

    /// The number of the request that is sent next.
    pub fn next_number(&self) -> usize {
        self.actual.len() + 1
    }

    /// Writes the recording, or fails if anything differs.
    pub fn close(&mut self) {
        let Some(recorded) = &self.recorded else {
            let text = self.actual.join("\n") + "\n";
            std::fs::create_dir_all(folder()).expect("a folder");
            std::fs::write(folder().join(format!("{}.jsonl", self.chapter)), text).expect("written");
            return;
        };
        if recorded.len() > self.actual.len() {
            self.differences.push(format!("{} recorded requests were not sent", recorded.len() - self.actual.len()));
        }
        let text = self.differences_text();
        self.differences.clear();
        if let Some(text) = text {
            panic!("{text}");
        }
    }

    /// What differs so far, to be printed.
    pub fn differences_text(&self) -> Option<String> {
        if self.differences.is_empty() {
            return None;
        }
        let (count, of) = (self.differences.len(), self.actual.len());
        let mut text = format!("chapter {}: {count} of {of} requests differ from the recording\n", self.chapter);
        for difference in self.differences.iter().take(SHOWN_MAX) {
            text.push_str(difference);
            text.push('\n');
        }
        if count > SHOWN_MAX {
            text.push_str(&format!("… and {} more\n", count - SHOWN_MAX));
        }
        Some(text)
    }
}

/// The lines of two records that differ, with what stands around them.
fn difference(number: usize, expected: &str, actual: &str) -> String {
    let request: Value = serde_json::from_str(actual).unwrap_or_default();
    let mut text = format!("--- request {number}: {}", request["request"].as_str().unwrap_or(actual));
    for field in ["by", "send", "body", "text"] {
        if !request[field].is_null() {
            text.push_str(&format!("\n    {field}: {}", request[field]));
        }
    }
    let pretty = |line: &str| match serde_json::from_str::<Value>(line) {
        Ok(value) => serde_json::to_string_pretty(&value).expect("JSON").lines().map(str::to_owned).collect(),
        Err(_) => vec![line.to_owned()],
    };
    let (expected_lines, actual_lines): (Vec<String>, Vec<String>) = (pretty(expected), pretty(actual));
    if expected_lines == actual_lines {
        let same = expected.bytes().zip(actual.bytes()).take_while(|(one, other)| one == other).count();
        let around = |line: &str| {
            String::from_utf8_lossy(&line.as_bytes()[same.saturating_sub(60)..(same + 60).min(line.len())]).into_owned()
        };
        text.push_str(&format!(
            "\n    only the bytes differ:\n    expected …{}…\n    actual   …{}…",
            around(expected),
            around(actual)
        ));
        return text;
    }
    for (sign, line) in changed(&expected_lines, &actual_lines) {
        text.push_str(&format!("\n  {sign} {line}"));
    }
    text
}

/// The lines taken away and put in, by the longest common subsequence of what lies between the equal ends.
fn changed<'a>(expected: &'a [String], actual: &'a [String]) -> Vec<(char, &'a str)> {
    let start = expected.iter().zip(actual).take_while(|(one, other)| one == other).count();
    let end = expected[start..]
        .iter()
        .rev()
        .zip(actual[start..].iter().rev())
        .take_while(|(one, other)| one == other)
        .count();
    let (old, new) = (&expected[start..expected.len() - end], &actual[start..actual.len() - end]);
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for at in (0..old.len()).rev() {
        for beside in (0..new.len()).rev() {
            common[at][beside] = if old[at] == new[beside] {
                common[at + 1][beside + 1] + 1
            } else {
                common[at + 1][beside].max(common[at][beside + 1])
            };
        }
    }
    let (mut at, mut beside, mut lines) = (0, 0, Vec::new());
    while at < old.len() || beside < new.len() {
        if at < old.len() && beside < new.len() && old[at] == new[beside] {
            (at, beside) = (at + 1, beside + 1);
        } else if beside < new.len() && (at == old.len() || common[at][beside + 1] >= common[at + 1][beside]) {
            lines.push(('+', new[beside].as_str()));
            beside += 1;
        } else {
            lines.push(('-', old[at].as_str()));
            at += 1;
        }
    }
    lines.sort_by_key(|(sign, _)| *sign == '+');
    lines
}
