//! What speaks for each concept, added up.

use std::collections::BTreeMap;

use crate::domain::coding::knowledge::ConceptId;
use crate::domain::coding::outcome::Method;
use crate::domain::coding::weights::WEIGHTS;

/// Evidence for one concept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clue {
    /// What the line may be about.
    pub concept: ConceptId,
    /// How much speaks for it; about 2 for a known payee.
    pub score: f32,
    /// What kind of evidence weighs most.
    pub method: Method,
}

/// Scores by concept: the best clue whole, further ones in part.
#[derive(Debug, Default)]
pub(super) struct Sums(pub(super) BTreeMap<ConceptId, (f32, f32, Option<Method>)>);

impl Sums {
    pub(super) fn add(&mut self, concept: ConceptId, score: f32, method: Method) {
        if score <= 0.0 {
            return;
        }
        let (best, rest, by) = self.0.entry(concept).or_insert((0.0, 0.0, None));
        if score > *best {
            *rest += *best;
            *best = score;
            *by = Some(method);
        } else {
            *rest += score;
        }
    }

    /// Takes what speaks for one concept for another; whether there was anything.
    pub(super) fn replace(&mut self, concept: Option<ConceptId>, by: Option<ConceptId>) -> bool {
        let (Some(concept), Some(by)) = (concept, by) else { return false };
        let Some((score, ..)) = self.0.remove(&concept) else { return false };
        self.add(by, score, Method::UniversalPattern);
        true
    }

    pub(super) fn strongest(&self) -> f32 {
        self.0.values().map(|(best, ..)| *best).fold(0.0, f32::max)
    }

    /// What most speaks for.
    pub(super) fn best(&self) -> Option<ConceptId> {
        let best = self.0.iter().max_by(|(a, (left, ..)), (b, (right, ..))| left.total_cmp(right).then(b.cmp(a)));
        best.map(|(concept, _)| *concept)
    }

    pub(super) fn into_clues(self) -> Vec<Clue> {
        let clues = self.0.into_iter().map(|(concept, (best, rest, method))| Clue {
            concept,
            score: best + WEIGHTS.further * rest.min(2.0),
            method: method.unwrap_or(Method::Semantic),
        });
        clues.collect()
    }
}
