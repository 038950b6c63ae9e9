//! The environment as far as settings come from it: which variables there are, and which were probably meant.

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue};

use crate::cli::Cli;

/// What the names of all settings begin with.
const PREFIX: &str = "BOOKKEEPING_";
/// Names that differ in no more places than this are probably meant.
const SLIPS_MAX: usize = 3;

/// A sentence for each variable that looks like a setting and is none. Not an error: a cluster sets such variables for its own ends.
pub(super) fn unknown_variables() -> Vec<String> {
    let known = known_variables();
    let given = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let unknown = given.filter(|name| name.starts_with(PREFIX) && !known.contains(name));
    let mut said: Vec<String> = unknown
        .map(|name| {
            let nearest = known.iter().map(|known| (slips(&name, known), known)).min();
            match nearest.filter(|(slips, _)| *slips <= SLIPS_MAX) {
                Some((_, meant)) => format!("the environment variable {name} is not a setting; {meant} is"),
                None => format!("the environment variable {name} is not a setting"),
            }
        })
        .collect();
    said.sort();
    said
}

/// The variable of a setting, when it has a value.
pub(super) fn variable_given(key: &str) -> Option<String> {
    let variable = format!("{PREFIX}{}", key.to_ascii_uppercase());
    std::env::var_os(&variable).map(|_| variable)
}

/// The variable that an unusable value came from, when no flag gave it.
pub fn variable_of(error: &clap::Error) -> Option<String> {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let flag = context(ContextKind::InvalidArg)?.split([' ', '=']).next()?.strip_prefix("--")?;
    let variable = variable_given(&flag.replace('-', "_"))?;
    let value = context(ContextKind::InvalidValue)?;
    std::env::var(&variable).is_ok_and(|given| given == value).then_some(variable)
}

fn known_variables() -> Vec<String> {
    let command = Cli::command();
    let names = command.get_arguments().filter_map(|argument| argument.get_env()?.to_str().map(str::to_owned));
    names.collect()
}

/// In how many places two names differ: letters left out, added or exchanged (Levenshtein).
fn slips(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut next = vec![at + 1];
        for (before, (against, pair)) in other.iter().zip(row.windows(2)).enumerate() {
            let (diagonal, above) = (pair.first().copied().unwrap_or(0), pair.last().copied().unwrap_or(0));
            let left = next.get(before).copied().unwrap_or(0);
            next.push((diagonal + usize::from(letter != *against)).min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_letters_left_out_added_or_exchanged() {
        assert_eq!(slips("CAPCITY", "CAPACITY"), 1);
        assert_eq!(slips("CAPACITTY", "CAPACITY"), 1);
        assert_eq!(slips("LOQ", "LOG"), 1);
        assert_eq!(slips("", "LOG"), 3);
        assert_eq!(slips("SAME", "SAME"), 0);
    }

    #[test]
    fn every_setting_is_known_as_a_variable() {
        let known = known_variables();
        for name in ["BOOKKEEPING_CONFIG", "BOOKKEEPING_LISTEN", "BOOKKEEPING_LOG", "BOOKKEEPING_DATABASE_URL"] {
            assert!(known.iter().any(|variable| variable == name), "{name}");
        }
    }
}
