//! Trades: the words of a business that tell its trade, and what ambiguous lines mean there.

use rustc_hash::FxHashMap;

use super::ConceptId;
use super::phrases::Phrases;
use crate::domain::coding::outcome::Vat;

const SECTORS: &str = include_str!("sectors.txt");

/// A trade.
#[derive(Debug, Default)]
pub struct Sector {
    /// Its name in the file.
    pub name: &'static str,
    /// Words and phrases that tell it, upper case.
    pub context: Vec<String>,
    /// Concepts typical for it.
    pub likely: Vec<ConceptId>,
    /// What a payment to an unknown supplier of the trade most probably is.
    pub purchases: Option<ConceptId>,
    /// What a receipt from an unknown payer is.
    pub sales: Option<ConceptId>,
    /// What an ambiguous shop (a concept that stands for it) means.
    pub shops: Vec<(ConceptId, ConceptId)>,
    /// VAT codes that differ from the usual ones here.
    pub vat: Vec<(ConceptId, Vat)>,
    /// Words that mean something else here than elsewhere.
    words: Vec<(String, ConceptId)>,
    /// Finds those words in a line.
    phrases: Phrases,
}

impl Sector {
    /// What words of a line mean in this trade; the line is folded, with a space at both ends.
    pub fn meanings<'s>(&'s self, padded: &'s str) -> impl Iterator<Item = ConceptId> + 's {
        let hits = self.phrases.find(padded).into_iter();
        hits.filter_map(|hit| self.words.get(hit.phrase).map(|(_, concept)| *concept))
    }
}

pub(super) fn read(by_name: &FxHashMap<&'static str, ConceptId>, problems: &mut Vec<String>) -> Vec<Sector> {
    let mut sectors: Vec<Sector> = Vec::new();
    for line in SECTORS.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            sectors.push(Sector { name, ..Sector::default() });
            continue;
        }
        let (Some(sector), Some((key, value))) = (sectors.last_mut(), line.split_once(':')) else {
            problems.push(format!("sectors.txt: {line}"));
            continue;
        };
        let items = || value.split(',').map(str::trim).filter(|item| !item.is_empty());
        let mut concept = |name: &str| {
            let id = by_name.get(name.trim()).copied();
            if id.is_none() {
                problems.push(format!("sectors.txt: {}: unknown concept {name}", sector.name));
            }
            id
        };
        match key.trim() {
            "context" => sector.context.extend(items().map(str::to_uppercase)),
            "likely" => sector.likely.extend(items().filter_map(&mut concept)),
            "purchases" => sector.purchases = concept(value),
            "sales" => sector.sales = concept(value),
            "vat" => {
                for item in items() {
                    let (name, code) = item.split_once('=').unwrap_or((item, ""));
                    if let (Some(id), Some(vat)) = (concept(name), Vat::parse(code.trim())) {
                        sector.vat.push((id, vat));
                    }
                }
            }
            "words" => {
                for item in items() {
                    let (word, name) = item.split_once('=').unwrap_or((item, ""));
                    if let Some(id) = concept(name) {
                        sector.words.push((word.trim().to_owned(), id));
                    }
                }
            }
            shop => {
                if let (Some(shop), Some(id)) = (concept(shop), concept(value)) {
                    sector.shops.push((shop, id));
                }
            }
        }
    }
    for sector in &mut sectors {
        sector.phrases = Phrases::new(sector.words.iter().map(|(word, _)| format!(" {word} ")).collect());
    }
    sectors
}

/// Trades by the phrases that tell them, as places in the list.
pub(super) fn by_phrase(sectors: &[Sector]) -> FxHashMap<String, Vec<usize>> {
    let mut trades: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    for (at, sector) in sectors.iter().enumerate() {
        for phrase in &sector.context {
            trades.entry(phrase.clone()).or_default().push(at);
        }
    }
    trades
}

/// Evidence for a concept that means another one beside some word: insurance and a van.
#[derive(Debug)]
pub struct Combination {
    /// What there is evidence for.
    pub concept: ConceptId,
    /// Upper-case words, one of which has to be in the line.
    pub words: Vec<&'static str>,
    /// What it is then.
    pub means: ConceptId,
}

pub(super) fn read_combinations(
    by_name: &FxHashMap<&'static str, ConceptId>,
    problems: &mut Vec<String>,
) -> Vec<Combination> {
    let mut combinations = Vec::new();
    for row in super::rows(include_str!("combinations.tsv")) {
        let &[concept, words, means] = row.as_slice() else {
            problems.push(format!("combinations.tsv: three columns are wanted: {row:?}"));
            continue;
        };
        match (by_name.get(concept), by_name.get(means)) {
            (Some(concept), Some(means)) => {
                combinations.push(Combination { concept: *concept, words: words.split(',').collect(), means: *means });
            }
            _ => problems.push(format!("combinations.tsv: unknown concept in {row:?}")),
        }
    }
    combinations
}
