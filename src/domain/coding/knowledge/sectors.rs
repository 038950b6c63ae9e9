//! Trades: the words of a business that tell its trade, and what ambiguous lines mean there.

use std::collections::HashMap;

use super::ConceptId;

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
    /// Words that mean something else here than elsewhere.
    pub words: Vec<(String, ConceptId)>,
}

pub(super) fn read(by_name: &HashMap<&'static str, ConceptId>, problems: &mut Vec<String>) -> Vec<Sector> {
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
    sectors
}
