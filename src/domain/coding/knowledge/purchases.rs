//! What is bought for how much: the usual amounts of purchases, from general knowledge of small businesses.

use rustc_hash::FxHashMap;

use super::ConceptId;

const PURCHASES: &str = include_str!("purchases.tsv");

/// How amounts of one kind of purchase are spread: their logarithms (pounds) are normal.
#[derive(Debug, Clone, Copy)]
struct Amounts {
    middle: f32,
    spread: f32,
}

/// Usual amounts by concept.
#[derive(Debug)]
pub struct Purchases(Vec<Option<Amounts>>);

impl Purchases {
    pub(super) fn read(by_name: &FxHashMap<&'static str, ConceptId>, problems: &mut Vec<String>) -> Self {
        let mut amounts: Vec<Option<Amounts>> = vec![None; by_name.len()];
        for row in super::rows(PURCHASES) {
            let number = |at: usize| row.get(at).and_then(|text| text.parse::<f32>().ok()).filter(|value| *value > 0.0);
            let (Some(_), Some(usual), Some(factor)) = (number(1), number(2), number(3).filter(|factor| *factor > 1.0))
            else {
                problems.push(format!("purchases.tsv: a concept and three numbers are wanted: {row:?}"));
                continue;
            };
            let place = row.first().and_then(|name| by_name.get(name)).and_then(|id| amounts.get_mut(id.index()));
            let Some(place) = place else {
                problems.push(format!("purchases.tsv: unknown concept: {row:?}"));
                continue;
            };
            if place.replace(Amounts { middle: libm::logf(usual), spread: libm::logf(factor) }).is_some() {
                problems.push(format!("purchases.tsv: twice: {row:?}"));
            }
        }
        Self(amounts)
    }

    /// How well an amount (the logarithm of pounds) suits a purchase: the logarithm of its density. What has no row may cost anything.
    pub fn suits(&self, concept: ConceptId, amount: f32) -> f32 {
        const ANYTHING: Amounts = Amounts { middle: 4.6, spread: 1.8 };
        let amounts = self.0.get(concept.index()).copied().flatten().unwrap_or(ANYTHING);
        let off = (amount - amounts.middle) / amounts.spread;
        -0.5 * off * off - libm::logf(amounts.spread)
    }
}
