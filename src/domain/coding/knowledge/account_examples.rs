//! Names of accounts as real charts have them, with the concepts an accountant puts there.

use rustc_hash::FxHashMap;

use super::{ConceptId, name_words, rows};
use crate::domain::coding::batch::AccountType;
use crate::domain::coding::meaning::{Meaning, Vector};

const EXAMPLES: &str = include_str!("account_examples.tsv");

/// An account of somebody's chart.
#[derive(Debug)]
pub struct AccountExample {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: AccountType,
    /// What goes there, best first.
    pub concepts: Vec<ConceptId>,
    /// Stems of its name.
    pub stems: Vec<String>,
    /// Where its name lies in the table of meanings.
    pub vector: Vector,
}

pub(super) fn read(
    meaning: &Meaning,
    by_name: &FxHashMap<&'static str, ConceptId>,
    problems: &mut Vec<String>,
) -> Vec<AccountExample> {
    let mut examples = Vec::new();
    for row in rows(EXAMPLES) {
        let &[name, kind, concepts] = row.as_slice() else {
            problems.push(format!("account_examples.tsv: three columns are wanted: {row:?}"));
            continue;
        };
        let ids: Vec<ConceptId> = concepts.split(',').filter_map(|name| by_name.get(name.trim()).copied()).collect();
        let (Some(kind), true) = (AccountType::parse(kind), ids.len() == concepts.split(',').count()) else {
            problems.push(format!("account_examples.tsv: unknown type or concept: {row:?}"));
            continue;
        };
        let stems = name_words(name).into_iter().map(|word| word.stem).collect();
        examples.push(AccountExample { name, kind, concepts: ids, stems, vector: meaning.vector(name) });
    }
    examples
}
