//! What merchants of a category sell (ISO 18245, which card networks use).

use rustc_hash::FxHashMap;

use super::ConceptId;

const CATEGORIES: &str = include_str!("merchant_categories.tsv");

/// Codes with the concept each tells.
#[derive(Debug)]
pub struct Categories {
    /// First and last code of a class, and its concept; ascending, none inside another.
    ranges: Vec<(u16, u16, ConceptId)>,
}

impl Categories {
    pub(super) fn read(by_name: &FxHashMap<&'static str, ConceptId>, problems: &mut Vec<String>) -> Self {
        let mut ranges: Vec<(u16, u16, ConceptId)> = Vec::new();
        for row in super::rows(CATEGORIES) {
            let &[codes, name, _] = row.as_slice() else {
                problems.push(format!("merchant_categories.tsv: three columns are wanted: {row:?}"));
                continue;
            };
            let (first, last) = codes.split_once('-').unwrap_or((codes, codes));
            let number = |code: &str| code.parse::<u16>().ok().filter(|_| code.len() == 4);
            let (Some(first), Some(last), Some(concept)) = (number(first), number(last), by_name.get(name)) else {
                problems.push(format!("merchant_categories.tsv: unknown concept or code: {codes} {name}"));
                continue;
            };
            if first > last || ranges.last().is_some_and(|(_, before, _)| *before >= first) {
                problems.push(format!("merchant_categories.tsv: {codes} is not behind the one before"));
            }
            ranges.push((first, last, *concept));
        }
        Self { ranges }
    }

    /// What a merchant of the category sells; none where that is not known.
    pub fn concept(&self, code: u16) -> Option<ConceptId> {
        let at = self.ranges.partition_point(|(_, last, _)| *last < code);
        self.ranges.get(at).filter(|(first, ..)| *first <= code).map(|(.., concept)| *concept)
    }
}
