//! What the engine knows, read once from the files of this folder (their formats are in its README).

mod account_examples;
mod affinity;
mod categories;
mod chart_names;
mod patterns;
mod phrases;
mod purchases;
mod sectors;
mod vat_names;
mod vat_words;
mod words;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::batch::AccountType;
use super::meaning::{Meaning, Outline, Vector};
use super::outcome::Vat;

pub use account_examples::AccountExample;
pub use affinity::Affinities;
use categories::Categories;
pub use chart_names::{ChartName, GOODS, NameWord, expand, name_words, stem};
pub use patterns::{PatternMatch, Patterns, Strength, Target};
use purchases::Purchases;
pub use sectors::{Combination, Sector};
use vat_names::VatNames;
use vat_words::VatWords;
pub use words::{WordList, WordLists};

const CONCEPTS: &str = include_str!("concepts.tsv");
const VAT: &str = include_str!("vat.tsv");

/// A bookkeeping concept: what a line is about, whatever the caller's chart calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConceptId(u16);

impl ConceptId {
    /// Its place in lists that have one item per concept.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A concept's facts.
#[derive(Debug)]
pub struct Concept {
    /// Its name in the files.
    pub name: &'static str,
    /// Types of accounts it may go to, the usual one first.
    pub types: Vec<AccountType>,
    /// The wider concept whose account is taken when the chart has none for this one.
    pub parent: Option<ConceptId>,
    /// What it is, in words.
    pub about: &'static str,
    /// VAT in the bank amount of a registered business.
    pub vat: Vat,
    /// Names charts have for its account.
    pub chart_names: Vec<ChartName>,
    /// Where it lies in the table of meanings.
    pub vector: Vector,
    /// Its outline: most lines are too far from it for more than a look.
    pub outline: Outline,
}

impl Concept {
    /// Whether it is income by nature.
    pub fn is_income(&self) -> bool {
        self.types.first() == Some(&AccountType::Income)
    }

    /// Whether it is an expense by nature.
    pub fn is_expense(&self) -> bool {
        self.types.first() == Some(&AccountType::Expense)
    }
}

/// A name that charts have for the account of a concept, its words as numbers.
#[derive(Debug)]
pub struct IndexedName {
    /// The concept.
    pub concept: ConceptId,
    /// Words that must be there.
    pub words: Vec<u32>,
    /// Words that must not.
    pub without: Vec<u32>,
    /// Whether there may be no others.
    pub is_whole: bool,
    /// 0 for the concept's own account, 1 for a close one, 2 for a wide one.
    pub tier: u8,
    /// Place inside the tier.
    pub rank: u8,
}

/// Everything that is known.
#[derive(Debug)]
pub struct Knowledge {
    concepts: Vec<Concept>,
    by_name: FxHashMap<&'static str, ConceptId>,
    /// What bank lines say.
    pub patterns: Patterns,
    /// Trades.
    pub sectors: Vec<Sector>,
    /// Trades by the phrases that tell them.
    trades: FxHashMap<String, Vec<usize>>,
    /// What words make of evidence.
    pub combinations: Vec<Combination>,
    /// What tells one of several accounts apart.
    pub affinities: Affinities,
    /// Categories of merchants.
    categories: Categories,
    /// What is bought for how much.
    pub purchases: Purchases,
    /// What words of a line say of its VAT.
    pub vat_words: VatWords,
    /// What names of accounts say of the VAT of what is sold or bought under them.
    pub vat_names: VatNames,
    /// Lists of words by which contexts, charts and lines are read.
    pub words: WordLists,
    /// Accounts of real charts.
    pub account_examples: Vec<AccountExample>,
    /// Names that charts have for accounts, by their first word.
    names: FxHashMap<u32, Vec<IndexedName>>,
    /// Numbers of the words of those names.
    stems: FxHashMap<String, u32>,
    /// Accounts of real charts, by their words.
    examples: FxHashMap<String, Vec<usize>>,
    /// Vectors of words.
    pub meaning: Meaning,
    /// What is wrong with the files; a test says that nothing is.
    pub problems: Vec<String>,
}

impl Knowledge {
    /// The knowledge of this build, read at the first call.
    pub fn get() -> &'static Self {
        static KNOWLEDGE: OnceLock<Knowledge> = OnceLock::new();
        KNOWLEDGE.get_or_init(Self::read)
    }

    /// Every concept with its id, in the order of the file.
    pub fn concepts(&self) -> impl Iterator<Item = (ConceptId, &Concept)> {
        (0_u16..).map(ConceptId).zip(&self.concepts)
    }

    /// What a merchant of a category (ISO 18245) sells, where the category tells.
    pub fn category(&self, code: u16) -> Option<ConceptId> {
        self.categories.concept(code)
    }

    /// How many concepts there are.
    pub fn concept_count(&self) -> usize {
        self.concepts.len()
    }

    /// Trades that a phrase of a context tells, as places in [`Self::sectors`].
    pub fn trades_of(&self, phrase: &str) -> &[usize] {
        self.trades.get(phrase).map_or(&[], Vec::as_slice)
    }

    /// A concept.
    pub fn concept(&self, id: ConceptId) -> &Concept {
        static NOTHING: OnceLock<Concept> = OnceLock::new();
        self.concepts.get(id.index()).unwrap_or_else(|| NOTHING.get_or_init(Concept::nothing))
    }

    /// The number of a word; none when no name for accounts has it.
    pub fn stem_number(&self, stem: &str) -> Option<u32> {
        self.stems.get(stem).copied()
    }

    /// Names for accounts that begin with a word, by its number.
    pub fn names_beginning_with(&self, stem: u32) -> &[IndexedName] {
        self.names.get(&stem).map_or(&[], Vec::as_slice)
    }

    /// Places of the accounts of real charts that have a word.
    pub fn examples_with(&self, stem: &str) -> &[usize] {
        self.examples.get(stem).map_or(&[], Vec::as_slice)
    }

    /// The concept of a name.
    pub fn id(&self, name: &str) -> Option<ConceptId> {
        self.by_name.get(name).copied()
    }

    fn read() -> Self {
        let mut problems = Vec::new();
        let meaning = Meaning::read();
        let mut concepts = read_concepts(&mut problems);
        let by_name: FxHashMap<&'static str, ConceptId> =
            (0_u16..).map(ConceptId).zip(&concepts).map(|(id, concept)| (concept.name, id)).collect();
        if by_name.len() != concepts.len() {
            problems.push("concepts.tsv: a concept is there twice".to_owned());
        }
        link_parents(&mut concepts, &by_name, &mut problems);
        read_vat(&mut concepts, &by_name, &mut problems);
        chart_names::read(&mut concepts, &by_name, &mut problems);
        let patterns = Patterns::read(&by_name, &concepts, &mut problems);
        let sectors = sectors::read(&by_name, &mut problems);
        let trades = sectors::by_phrase(&sectors);
        let combinations = sectors::read_combinations(&by_name, &mut problems);
        let account_examples = account_examples::read(&meaning, &by_name, &mut problems);
        let affinities = Affinities::read(&mut problems);
        let vat_words = VatWords::read(&by_name, &mut problems);
        let vat_names = VatNames::read(&mut problems);
        let words = WordLists::read(&mut problems);
        let categories = Categories::read(&by_name, &mut problems);
        let purchases = Purchases::read(&by_name, &mut problems);
        for (at, concept) in concepts.iter_mut().enumerate() {
            concept.vector = concept_vector(&meaning, concept, patterns.phrases(at));
            concept.outline = concept.vector.outline();
        }
        let mut stems: FxHashMap<String, u32> = FxHashMap::default();
        let mut number = |word: &String| {
            let next = u32::try_from(stems.len()).unwrap_or(u32::MAX);
            *stems.entry(word.clone()).or_insert(next)
        };
        let mut names: FxHashMap<u32, Vec<IndexedName>> = FxHashMap::default();
        for (concept, facts) in (0_u16..).map(ConceptId).zip(&concepts) {
            for name in &facts.chart_names {
                let words: Vec<u32> = name.words.iter().map(&mut number).collect();
                let without: Vec<u32> = name.without.iter().map(&mut number).collect();
                let Some(first) = words.first().copied() else { continue };
                let indexed =
                    IndexedName { concept, words, without, is_whole: name.is_whole, tier: name.tier, rank: name.rank };
                names.entry(first).or_default().push(indexed);
            }
        }
        let mut examples: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, example) in account_examples.iter().enumerate() {
            for stem in &example.stems {
                examples.entry(stem.clone()).or_default().push(at);
            }
        }
        Self {
            names,
            stems,
            examples,
            concepts,
            by_name,
            patterns,
            sectors,
            trades,
            combinations,
            affinities,
            categories,
            purchases,
            vat_words,
            vat_names,
            words,
            account_examples,
            meaning,
            problems,
        }
    }
}

impl Concept {
    fn nothing() -> Self {
        Self {
            name: "nothing",
            types: vec![AccountType::Expense],
            parent: None,
            about: "",
            vat: Vat::NoVat,
            chart_names: Vec::new(),
            vector: Vector::zero(),
            outline: Vector::zero().outline(),
        }
    }
}

/// Rows of a tab-separated file without comments and empty lines.
fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| line.split('\t').map(str::trim).collect())
}

fn read_concepts(problems: &mut Vec<String>) -> Vec<Concept> {
    let mut concepts = Vec::new();
    for row in rows(CONCEPTS) {
        let &[name, types, _, about] = row.as_slice() else {
            problems.push(format!("concepts.tsv: four columns are wanted: {row:?}"));
            continue;
        };
        let read: Vec<AccountType> = types.split(',').filter_map(|kind| AccountType::parse(kind.trim())).collect();
        if read.is_empty() || read.len() != types.split(',').count() {
            problems.push(format!("concepts.tsv: {name}: unknown account type in {types}"));
        }
        concepts.push(Concept { name, types: read, about, ..Concept::nothing() });
    }
    concepts
}

fn link_parents(concepts: &mut [Concept], by_name: &FxHashMap<&'static str, ConceptId>, problems: &mut Vec<String>) {
    for row in rows(CONCEPTS) {
        let (Some(name), Some(parent)) = (row.first(), row.get(2)) else { continue };
        if *parent == "-" {
            continue;
        }
        match (by_name.get(name), by_name.get(parent)) {
            (Some(id), Some(parent)) => {
                if let Some(concept) = concepts.get_mut(id.index()) {
                    concept.parent = Some(*parent);
                }
            }
            _ => problems.push(format!("concepts.tsv: {name}: unknown parent {parent}")),
        }
    }
}

fn read_vat(concepts: &mut [Concept], by_name: &FxHashMap<&'static str, ConceptId>, problems: &mut Vec<String>) {
    let mut has_row = vec![false; concepts.len()];
    for row in rows(VAT) {
        let &[name, code, ..] = row.as_slice() else { continue };
        if name == "concept" {
            continue;
        }
        let (Some(id), Some(vat)) = (by_name.get(name), Vat::parse(code)) else {
            problems.push(format!("vat.tsv: unknown concept or code: {name} {code}"));
            continue;
        };
        if let (Some(concept), Some(has_row)) = (concepts.get_mut(id.index()), has_row.get_mut(id.index())) {
            if std::mem::replace(has_row, true) {
                problems.push(format!("vat.tsv: {name} is there twice"));
            }
            concept.vat = vat;
        }
    }
    for (concept, has_row) in concepts.iter().zip(has_row) {
        if !has_row {
            problems.push(format!("vat.tsv: no row for {}", concept.name));
        }
    }
}

/// The mean vector of a concept's texts: its description, the names of its own account, its phrases.
fn concept_vector<'a>(meaning: &Meaning, concept: &Concept, phrases: impl Iterator<Item = &'a str>) -> Vector {
    let mut sum = Vector::zero();
    for _ in 0..4 {
        sum.add(&meaning.vector(concept.about));
    }
    for name in concept.chart_names.iter().filter(|name| name.tier == 0) {
        sum.add(&meaning.vector(&name.text()));
    }
    for phrase in phrases.take(200) {
        sum.add(&meaning.vector(phrase));
    }
    sum.normalised()
}

#[cfg(test)]
mod tests {
    use super::Knowledge;

    #[test]
    fn the_files_are_whole_and_name_nothing_unknown() {
        let knowledge = Knowledge::get();
        assert!(knowledge.problems.is_empty(), "{}", knowledge.problems.join("\n"));
        for (_, concept) in knowledge.concepts() {
            assert!(!concept.chart_names.is_empty(), "accounts.txt: no names for {}", concept.name);
            let mut ancestor = concept.parent;
            for _ in 0..10 {
                ancestor = ancestor.and_then(|id| knowledge.concept(id).parent);
            }
            assert!(ancestor.is_none(), "concepts.tsv: the parents of {} never end", concept.name);
        }
    }
}
