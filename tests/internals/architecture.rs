//! The direction of dependencies between modules, enforced by reading the source.
//!
//! A module boundary inside one crate is not enforced by the compiler, so this test does it: it takes every path a file
//! names (in `use` trees and in expressions; comments, strings and test modules do not count) and compares the module
//! it leads to with what the layer may import.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each module of the library may import of ours. A module that is not listed is a mistake: list it.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("clock", &[]),
    ("config", &["domain"]),
    ("session", &["clock", "domain"]),
    ("cli", &["config", "domain", "session"]),
    ("metrics", &["clock", "domain"]),
    ("store", &["clock", "domain", "entity", "migration"]),
    ("actors", &["clock", "domain", "metrics", "store"]),
    ("render", &["domain"]),
    ("http", &["actors", "clock", "config", "domain", "metrics", "render", "session", "store"]),
    ("app", &["actors", "cli", "clock", "config", "domain", "http", "metrics", "migration", "session", "store"]),
    ("main", &["app", "cli", "config"]),
    ("entity", &[]),
    ("migration", &[]),
];

/// Names from outside, and the only modules that may say them.
const KEPT_INSIDE: &[(&str, &[&str])] = &[
    ("sea_orm", &["store", "entity", "migration"]),
    ("sea_orm_migration", &["store", "migration"]),
    ("actix_web", &["http", "app"]),
    ("actix_http", &["http", "app"]),
    ("actix_ws", &["http"]),
    ("actix", &["actors", "app"]),
    ("krilla", &["render"]),
    ("harfrust", &["render"]),
    ("skrifa", &["render"]),
    ("getrandom", &["clock"]),
    ("argon2", &["session"]),
    ("hmac", &["session"]),
    ("jsonwebtoken", &["session"]),
    ("clap", &["cli", "config", "main", "app"]),
];

/// Calls that read the time or make randomness; only `clock.rs` may.
const CLOCK_CALLS: &[(&str, &str)] = &[
    ("Utc", "now"),
    ("Local", "now"),
    ("SystemTime", "now"),
    ("Uuid", "new"),
    ("Uuid", "new_v4"),
    ("Uuid", "new_v7"),
    ("Uuid", "now_v7"),
];

#[test]
fn modules_import_only_what_their_layer_may() {
    let mut wrong = Vec::new();
    for file in SourceFile::of_the_program() {
        let allowed = may_import(&file.layer);
        for (line, target) in file.modules_named() {
            if target != file.layer && !allowed.contains(&target.as_str()) {
                wrong.push(format!("{}:{line}: {} may not import {target}", file.shown(), file.layer));
            }
        }
    }
    assert!(wrong.is_empty(), "the layers are in tests/internals/architecture.rs\n{}", wrong.join("\n"));
}

#[test]
fn libraries_are_named_only_by_the_layer_they_belong_to() {
    let mut wrong = Vec::new();
    for file in SourceFile::of_the_program() {
        for path in &file.paths {
            let Some(first) = path.segments.first() else { continue };
            let Some((_, owners)) = KEPT_INSIDE.iter().find(|(name, _)| name == first) else { continue };
            // A local variable or field may share the name of a library: only a path leads into one.
            let is_path = path.segments.len() > 1 || path.is_use;
            if is_path && !owners.contains(&file.layer.as_str()) {
                wrong.push(format!("{}:{}: {first} is for {}", file.shown(), path.line, owners.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_clock_reads_time_and_makes_randomness() {
    let mut wrong = Vec::new();
    for file in SourceFile::of_the_program().iter().filter(|file| file.layer != "clock") {
        for path in &file.paths {
            for pair in path.segments.windows(2) {
                if let [owner, call] = pair
                    && CLOCK_CALLS.contains(&(owner.as_str(), call.as_str()))
                {
                    wrong.push(format!("{}:{}: {owner}::{call}", file.shown(), path.line));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn http_handlers_only_read_from_the_store() {
    let mut wrong = Vec::new();
    for file in SourceFile::of_the_program().iter().filter(|file| file.layer == "http") {
        for pair in file.tokens.windows(2) {
            let [before, word] = pair else { continue };
            let names_the_type = word.text == "Writer";
            let takes_the_field = word.text == "writer" && before.text == ".";
            if names_the_type || takes_the_field {
                wrong.push(format!("{}:{}: writes are messages to actors", file.shown(), word.line));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rows_are_defined_with_the_orm_alone() {
    for (manifest, allowed) in [("entity", "sea-orm"), ("migration", "sea-orm-migration")] {
        let text = std::fs::read_to_string(root().join(manifest).join("Cargo.toml")).expect("a manifest");
        let dependencies: Vec<&str> = text
            .lines()
            .skip_while(|line| line.trim() != "[dependencies]")
            .skip(1)
            .take_while(|line| !line.starts_with('['))
            .filter_map(|line| line.split(['.', '=', ' ']).next().filter(|name| !name.is_empty()))
            .collect();
        assert_eq!(dependencies, [allowed], "dependencies of {manifest}");
    }
}

#[test]
fn every_source_file_opens_with_what_it_is_responsible_for() {
    let folders = ["src", "entity", "migration", "xtask", "tests", "benches"];
    let without: Vec<String> = folders
        .iter()
        .flat_map(|folder| rust_files(&root().join(folder)))
        .filter(|path| !std::fs::read_to_string(path).expect("a source file").starts_with("//!"))
        .map(|path| path.display().to_string())
        .collect();
    assert!(without.is_empty(), "no //! paragraph at the top of\n{}", without.join("\n"));
}

#[test]
fn what_is_written_in_comments_strings_and_tests_is_not_an_import() {
    let text = r####"
        //! crate::app
        /* crate::app /* crate::app */ crate::app */
        use crate::{clock::Clock, store::{self, Reader as Rows}};
        const A: &str = "crate::app \" crate::app"; const B: &str = r#"crate::app " "#; const C: char = '"';
        fn borrow<'a>(text: &'a str) -> crate::domain::Ids { super::super::config::read(b'\'', text) }
        #[cfg(test)] #[expect(unused)] mod tests { use crate::app; fn f() { { crate::app() } } }
        #[cfg(test)] use crate::app::x;
        fn end() { crate::session::verify() }
    "####;
    let file = SourceFile::read("actors", vec!["actors".into(), "runtime".into(), "slot".into()], text);
    let named: BTreeSet<String> = file.modules_named().into_iter().map(|(_, module)| module).collect();
    // `super::super` of actors::runtime::slot is actors, so config is a module of actors here.
    assert_eq!(named, ["actors", "clock", "domain", "session", "store"].map(str::to_owned).into());
    let file = SourceFile::read("actors", vec!["actors".into(), "x".into()], text);
    assert!(file.modules_named().iter().any(|(_, module)| module == "config"));
}

fn may_import(layer: &str) -> &'static [&'static str] {
    let listed = MAY_IMPORT.iter().find(|(name, _)| *name == layer);
    listed.unwrap_or_else(|| panic!("src/{layer} is in no layer; add it to MAY_IMPORT")).1
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A path as the source names it: `crate::store::Reader`; a `use` tree gives one for each leaf.
struct NamedPath {
    segments: Vec<String>,
    is_use: bool,
    line: usize,
}

struct SourceFile {
    file: PathBuf,
    /// The top module of the library, or the crate.
    layer: String,
    /// Where the file is in its crate: `["store", "jobs", "claim"]`.
    module: Vec<String>,
    tokens: Vec<Token>,
    paths: Vec<NamedPath>,
}

impl SourceFile {
    /// The library, the program and the two crates beneath it, without files that hold tests only.
    fn of_the_program() -> Vec<Self> {
        let mut files = Vec::new();
        for (folder, crate_name) in
            [("src", None), ("entity/src", Some("entity")), ("migration/src", Some("migration"))]
        {
            let folder = root().join(folder);
            let mut of_tests = BTreeSet::new();
            for path in rust_files(&folder) {
                let module = module_of(path.strip_prefix(&folder).expect("inside its folder"));
                let text = std::fs::read_to_string(&path).expect("a source file");
                let layer = crate_name.or(module.first().map(String::as_str)).unwrap_or("library").to_owned();
                let mut file = Self::read(&layer, module, &text);
                of_tests.extend(test_files(&path, &text));
                file.file = path;
                files.push(file);
            }
            files.retain(|file| !of_tests.contains(&file.file));
        }
        // lib.rs declares modules and nothing else.
        files.retain(|file| file.layer != "library");
        assert!(files.len() > 20, "the sources were not found");
        files
    }

    fn read(layer: &str, module: Vec<String>, text: &str) -> Self {
        let tokens = without_tests(tokens_of(text));
        let paths = paths_of(&tokens);
        Self { file: PathBuf::new(), layer: layer.to_owned(), module, tokens, paths }
    }

    fn shown(&self) -> String {
        self.file.strip_prefix(root()).unwrap_or(&self.file).display().to_string()
    }

    /// The modules of ours that the file names, with the line.
    fn modules_named(&self) -> Vec<(usize, String)> {
        let mut named = Vec::new();
        for path in &self.paths {
            let mut segments = path.segments.iter().map(String::as_str).peekable();
            let target = match segments.next() {
                Some("crate" | "bookkeeping_suite") => segments.next().map(str::to_owned),
                Some(name @ ("entity" | "migration")) if path.segments.len() > 1 => Some(name.to_owned()),
                Some("super") => {
                    // Inline modules are not followed: in this code base only tests have them.
                    let mut up = 1;
                    while segments.next_if_eq(&"super").is_some() {
                        up += 1;
                    }
                    let left = self.module.len().saturating_sub(up);
                    self.module
                        .get(..left)
                        .and_then(<[String]>::first)
                        .cloned()
                        .or_else(|| segments.next().map(str::to_owned))
                }
                _ => None,
            };
            // In a crate of its own, `crate::` and `super::` stay inside.
            let is_own_crate = matches!(self.layer.as_str(), "entity" | "migration");
            let is_inside = matches!(path.segments.first().map(String::as_str), Some("crate" | "super"));
            // Macros and items of the crate root are nobody's module.
            let is_module = |name: &String| name.starts_with(|first: char| first.is_ascii_lowercase());
            if let Some(target) = target.filter(is_module)
                && !(is_own_crate && is_inside)
            {
                named.push((path.line, target));
            }
        }
        named
    }
}

fn module_of(file: &Path) -> Vec<String> {
    let mut module: Vec<String> =
        file.with_extension("").components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib") {
        module.pop();
    }
    module
}

/// Files a file declares as its tests: `#[cfg(test)] mod tests;`, with or without `#[path = "…"]`.
fn test_files(file: &Path, text: &str) -> Vec<PathBuf> {
    let folder = file.parent().unwrap_or(file);
    let beside = if file.file_stem().is_some_and(|stem| stem == "mod" || stem == "lib" || stem == "main") {
        folder.to_path_buf()
    } else {
        file.with_extension("")
    };
    let mut found = Vec::new();
    for item in test_items(&tokens_of(text)) {
        let words: Vec<&str> = item.iter().map(|token| token.text.as_str()).collect();
        let Some(at) = words.iter().position(|word| *word == "mod").filter(|at| words.get(at + 2) == Some(&";")) else {
            continue;
        };
        let Some(name) = words.get(at + 1) else { continue };
        let path = words.iter().position(|word| *word == "path").and_then(|at| words.get(at + 2));
        match path {
            Some(path) => found.push(folder.join(path.trim_matches('"'))),
            None => found.extend([beside.join(format!("{name}.rs")), beside.join(name).join("mod.rs")]),
        }
    }
    found
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    text: String,
    line: usize,
}

impl Token {
    fn is_word(&self) -> bool {
        self.text.starts_with(|first: char| first.is_alphabetic() || first == '_')
    }
}

/// Words, strings (with their quotes) and punctuation (`::` as one); comments are gone.
fn tokens_of(text: &str) -> Vec<Token> {
    let characters: Vec<char> = text.chars().collect();
    let at = |index: usize| characters.get(index).copied().unwrap_or('\0');
    let (mut tokens, mut index, mut line) = (Vec::new(), 0, 1);
    while index < characters.len() {
        let start = index;
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        match at(index) {
            '/' if at(index + 1) == '/' => {
                while index < characters.len() && at(index) != '\n' {
                    index += 1;
                }
            }
            '/' if at(index + 1) == '*' => {
                let mut depth = 0;
                loop {
                    match (at(index), at(index + 1)) {
                        ('/', '*') => (depth, index) = (depth + 1, index + 2),
                        ('*', '/') => (depth, index) = (depth - 1, index + 2),
                        _ => index += 1,
                    }
                    if depth == 0 || index >= characters.len() {
                        break;
                    }
                }
            }
            '"' => {
                index = end_of_string(&characters, index);
                tokens.push((start, index));
            }
            // 'a' and '\'' are characters, 'a without a closing quote is a lifetime.
            '\'' if at(index + 1) == '\\' || at(index + 2) == '\'' => {
                index += if at(index + 1) == '\\' { 3 } else { 2 };
                while index < characters.len() && at(index) != '\'' {
                    index += 1;
                }
                index += 1;
            }
            first if is_word(first) => {
                while is_word(at(index)) {
                    index += 1;
                }
                let word: String = characters.get(start..index).into_iter().flatten().collect();
                let hashes = (index..).take_while(|place| at(*place) == '#').count();
                if matches!(word.as_str(), "r" | "br" | "cr") && at(index + hashes) == '"' {
                    index = end_of_raw_string(&characters, index + hashes + 1, hashes);
                } else if matches!(word.as_str(), "b" | "c") && at(index) == '"' {
                    index = end_of_string(&characters, index);
                }
                tokens.push((start, index));
            }
            ':' if at(index + 1) == ':' => {
                index += 2;
                tokens.push((start, index));
            }
            other => {
                index += 1;
                if !other.is_whitespace() {
                    tokens.push((start, index));
                }
            }
        }
    }
    let mut counted = 0;
    tokens
        .into_iter()
        .map(|(start, end)| {
            line +=
                characters.get(counted..start).into_iter().flatten().filter(|character| **character == '\n').count();
            counted = start;
            Token { text: characters.get(start..end).into_iter().flatten().collect(), line }
        })
        .collect()
}

fn end_of_string(characters: &[char], start: usize) -> usize {
    let mut index = start + 1;
    while let Some(character) = characters.get(index) {
        match character {
            '\\' => index += 2,
            '"' => return index + 1,
            _ => index += 1,
        }
    }
    characters.len()
}

fn end_of_raw_string(characters: &[char], from: usize, hashes: usize) -> usize {
    let ends = |index: &usize| {
        characters.get(*index) == Some(&'"')
            && characters.get(index + 1..index + 1 + hashes).is_some_and(|after| after.iter().all(|one| *one == '#'))
    };
    (from..characters.len()).find(ends).map_or(characters.len(), |index| index + 1 + hashes)
}

/// Where each item behind `#[cfg(test)]` starts and ends.
fn test_ranges(tokens: &[Token]) -> Vec<(usize, usize)> {
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let closing = |from: usize| {
        let mut depth = 0_usize;
        (from..tokens.len())
            .find(|index| {
                match text(*index) {
                    "(" | "[" | "{" => depth += 1,
                    ")" | "]" | "}" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0
            })
            .unwrap_or(tokens.len())
    };
    let (mut ranges, mut index) = (Vec::new(), 0);
    while index < tokens.len() {
        let is_attribute = text(index) == "#" && text(index + 1) == "[" && text(index + 2) == "cfg";
        let end_of_attribute = if is_attribute { closing(index + 1) } else { index };
        let tests = (index..end_of_attribute).any(|at| text(at) == "test" && text(at - 2) != "not");
        if !tests {
            index += 1;
            continue;
        }
        let mut at = end_of_attribute + 1;
        while text(at) == "#" {
            at = closing(at + 1) + 1;
        }
        // An item ends with its block or, without one, with the semicolon; `use a::{b};` has both.
        let is_use = text(at) == "use" || text(at + 1) == "use";
        while at < tokens.len() && text(at) != ";" && (is_use || text(at) != "{") {
            at += 1;
        }
        let end = if text(at) == "{" { closing(at) } else { at };
        ranges.push((index, end + 1));
        index = end + 1;
    }
    ranges
}

fn test_items(tokens: &[Token]) -> Vec<&[Token]> {
    test_ranges(tokens).into_iter().filter_map(|(start, end)| tokens.get(start..end.min(tokens.len()))).collect()
}

fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    let ranges = test_ranges(&tokens);
    let inside = |index: usize| ranges.iter().any(|(start, end)| (*start..*end).contains(&index));
    tokens.into_iter().enumerate().filter(|(index, _)| !inside(*index)).map(|(_, token)| token).collect()
}

fn paths_of(tokens: &[Token]) -> Vec<NamedPath> {
    let mut reader = PathReader { tokens, at: 0, found: Vec::new(), renamed: BTreeMap::new() };
    while reader.at < tokens.len() {
        let is_use = reader.text(0) == "use";
        if is_use {
            reader.at += 1;
        }
        if reader.tokens.get(reader.at).is_some_and(|token| token.is_word() || is_use) {
            reader.path(&[], is_use);
        } else {
            reader.at += 1;
        }
    }
    reader.found
}

struct PathReader<'a> {
    tokens: &'a [Token],
    at: usize,
    found: Vec<NamedPath>,
    /// `use a::b as c`: what `c` stands for.
    renamed: BTreeMap<String, Vec<String>>,
}

impl PathReader<'_> {
    fn text(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text.as_str())
    }

    /// Reads one path, or all the paths of a group.
    fn path(&mut self, before: &[String], is_use: bool) {
        let mut segments = before.to_vec();
        let line = self.tokens.get(self.at).map_or(0, |token| token.line);
        if self.text(0) == "::" {
            self.at += 1;
        }
        loop {
            if is_use && self.text(0) == "{" {
                self.at += 1;
                while !matches!(self.text(0), "}" | "") {
                    if self.text(0) == "," {
                        self.at += 1;
                    } else {
                        let was = self.at;
                        self.path(&segments, is_use);
                        self.at = self.at.max(was + 1);
                    }
                }
                self.at += 1;
                return;
            }
            if !self.tokens.get(self.at).is_some_and(Token::is_word) {
                break;
            }
            segments.push(self.text(0).to_owned());
            self.at += 1;
            if self.text(0) != "::" {
                break;
            }
            self.at += 1;
        }
        if is_use && self.text(0) == "as" {
            let name = self.text(1).to_owned();
            self.renamed.insert(name, segments.clone());
            self.at += 2;
        }
        if let Some(meant) = segments.first().and_then(|first| self.renamed.get(first)).filter(|_| !is_use) {
            segments = meant.iter().chain(segments.iter().skip(1)).cloned().collect();
        }
        self.found.push(NamedPath { segments, is_use, line });
    }
}
