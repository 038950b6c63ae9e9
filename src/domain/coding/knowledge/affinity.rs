//! What in a line tells one of several accounts apart: a butcher goes to *Meat & fish*, not to *Bread & cakes*.

use rustc_hash::FxHashMap;

use super::chart_names::{NameWord, name_words, stem};
use super::patterns::spell_out;
use super::phrases::Phrases;
use crate::domain::coding::text::fold;

const GROUPS: &str = include_str!("affinity.txt");

/// One way to say an account of a group: words it must have, and words it must not.
#[derive(Debug)]
struct GroupName {
    words: Vec<String>,
    without: Vec<String>,
}

/// Names of accounts, and which way money has to go for them.
#[derive(Debug)]
struct Group {
    names: Vec<GroupName>,
    money_in: Option<bool>,
}

/// Groups of words of accounts and of lines that belong together.
#[derive(Debug)]
pub struct Affinities {
    groups: Vec<Group>,
    /// Group and place in it of the names that begin with a word.
    by_first: FxHashMap<String, Vec<(usize, usize)>>,
    phrases: Phrases,
    group_of: Vec<usize>,
}

impl Affinities {
    pub(super) fn read(problems: &mut Vec<String>) -> Self {
        let (mut groups, mut texts, mut group_of): (Vec<Group>, Vec<String>, _) = (Vec::new(), Vec::new(), Vec::new());
        for line in GROUPS.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            let Some((names, patterns)) = line.split_once(':') else {
                problems.push(format!("affinity.txt: no colon in {line}"));
                continue;
            };
            let (names, money_in) = match (names.strip_prefix('+'), names.strip_prefix('-')) {
                (Some(rest), _) => (rest, Some(true)),
                (None, Some(rest)) => (rest, Some(false)),
                (None, None) => (names, None),
            };
            let names: Vec<GroupName> = names.split(';').map(GroupName::read).collect();
            if names.iter().any(|name| name.words.is_empty()) {
                problems.push(format!("affinity.txt: a name without words: {line}"));
            }
            for pattern in patterns.split(',').map(str::trim).filter(|pattern| !pattern.is_empty()) {
                if !pattern.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == ' ' || c == '*') {
                    problems.push(format!("affinity.txt: capital letters, digits, spaces and * only: {pattern}"));
                }
                for spelled in spell_out(pattern) {
                    texts.push(spelled);
                    group_of.push(groups.len());
                }
            }
            groups.push(Group { names, money_in });
        }
        let mut by_first: FxHashMap<String, Vec<(usize, usize)>> = FxHashMap::default();
        for (at, group) in groups.iter().enumerate() {
            for (place, name) in group.names.iter().enumerate() {
                if let Some(first) = name.words.first() {
                    by_first.entry(first.clone()).or_default().push((at, place));
                }
            }
        }
        Self { groups, by_first, phrases: Phrases::new(texts), group_of }
    }

    /// Every pattern as it is looked for, without the spaces around it.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.phrases.texts().iter().map(|text| text.trim())
    }

    /// The accounts of each group, with how much of the account's name the group is.
    pub fn accounts(&self, names: &[Vec<NameWord>]) -> Vec<Vec<(usize, f32)>> {
        let mut accounts: Vec<Vec<(usize, f32)>> = vec![Vec::new(); self.groups.len()];
        for (account, words) in names.iter().enumerate() {
            for (at, word) in words.iter().enumerate() {
                if words.iter().take(at).any(|before| before.stem == word.stem) {
                    continue;
                }
                for (group, place) in self.by_first.get(&word.stem).map_or(&[][..], Vec::as_slice) {
                    let name = self.groups.get(*group).and_then(|group| group.names.get(*place));
                    let (Some(part), Some(list)) = (name.and_then(|name| name.fits(words)), accounts.get_mut(*group))
                    else {
                        continue;
                    };
                    match list.last_mut().filter(|(last, _)| *last == account) {
                        Some((_, best)) => *best = best.max(part),
                        None => list.push((account, part)),
                    }
                }
            }
        }
        accounts
    }

    /// The groups a line speaks of, each once; the line as in [`super::Patterns::find`].
    pub fn find(&self, padded: &str, money_in: bool) -> Vec<usize> {
        let hits = self.phrases.find(padded).into_iter();
        let mut found: Vec<usize> = hits.filter_map(|hit| self.group_of.get(hit.phrase).copied()).collect();
        let fits = |group: &Group| group.money_in.is_none_or(|wanted| wanted == money_in);
        found.retain(|group| self.groups.get(*group).is_some_and(fits));
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl GroupName {
    fn read(text: &str) -> Self {
        let (without, words): (Vec<&str>, Vec<&str>) = text.split_whitespace().partition(|word| word.starts_with('!'));
        Self {
            words: name_words(&words.join(" ")).into_iter().map(|word| word.stem).collect(),
            without: without.iter().map(|word| stem(&fold(word))).collect(),
        }
    }

    /// How much of the name of an account this is; none when it is no name of it.
    fn fits(&self, words: &[NameWord]) -> Option<f32> {
        let has = |wanted: &String| words.iter().any(|word| word.stem == *wanted);
        if !self.words.iter().all(has) || self.without.iter().any(has) {
            return None;
        }
        let count = f32::from(u8::try_from(words.len().clamp(1, 6)).unwrap_or(6));
        let matched = f32::from(u8::try_from(self.words.len().clamp(1, 6)).unwrap_or(6));
        Some(0.6 + 0.4 * (matched / count).min(1.0))
    }
}
