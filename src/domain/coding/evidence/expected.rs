//! What is likely where nothing is known: likeness of meaning, and the models of payees and of lines.

use super::Reader;
use super::clues::Sums;
use crate::domain::coding::knowledge::{Concept, ConceptId};
use crate::domain::coding::meaning::Vector;
use crate::domain::coding::outcome::Method;
use crate::domain::coding::payee_names::PayeeNames;
use crate::domain::coding::person::is_person;
use crate::domain::coding::text_model::TextModel;
use crate::domain::coding::weights::WEIGHTS;
use crate::domain::coding::wording::{Channel, Wording};

impl<'k> Reader<'k> {
    pub(super) fn add_meaning(&self, vector: &Vector, money_in: bool, strongest: f32, sums: &mut Sums) {
        // Beside strong evidence, likeness only settles ties.
        let factor = if strongest >= WEIGHTS.usual { WEIGHTS.similar_beside } else { 1.0 };
        let outline = vector.outline();
        let is_near = |concept: &Concept| outline.may_exceed(&concept.outline, WEIGHTS.similar_from);
        for (id, concept) in self.knowledge.concepts().filter(|(_, concept)| is_near(concept)) {
            let near = vector.cosine(&concept.vector);
            if near > WEIGHTS.similar_from {
                let score = (near - WEIGHTS.similar_from) * WEIGHTS.similar * factor * self.direction(id, money_in);
                let concept = self.business.shop(id).unwrap_or(id);
                sums.add(concept, score, Method::Semantic);
            }
        }
    }

    /// What names like the payee's sell, for money that goes out.
    pub(super) fn add_expected(
        &self,
        wording: &Wording,
        (digits, household): (u32, Option<ConceptId>),
        strongest: f32,
        money_in: bool,
        sums: &mut Sums,
    ) {
        // A cheque or cash names no payee.
        if money_in || matches!(wording.channel, Channel::Cheque | Channel::Cash) || is_person(&wording.payee) {
            return;
        }
        if let Some((concept, is_name)) = PayeeNames::get(self.knowledge).concept_of(self.knowledge, wording.text()) {
            let (concept, known) = self.shop(concept, household);
            let weight = if is_name { WEIGHTS.listed_payee } else { WEIGHTS.listed_beginning };
            sums.add(concept, weight * known, Method::Merchant);
        }
        let factor = if strongest >= WEIGHTS.usual { WEIGHTS.expected_beside } else { 1.0 };
        for (concept, chance) in
            TextModel::of_payees(self.knowledge).expect_of_payee(self.knowledge, wording.text(), digits)
        {
            let score = (WEIGHTS.expected + WEIGHTS.expected_doubt * libm::logf(chance)) * factor;
            self.add_likely(concept, score, household, sums);
        }
    }

    /// What a model expects, as it is in this trade.
    fn add_likely(&self, concept: ConceptId, score: f32, household: Option<ConceptId>, sums: &mut Sums) {
        let (concept, known) = self.shop(concept, household);
        sums.add(concept, score * known, Method::Semantic);
    }

    /// What lines of such words are about.
    pub(super) fn add_expected_of_line(
        &self,
        wording: &Wording,
        (digits, household): (u32, Option<ConceptId>),
        strongest: f32,
        money_in: bool,
        sums: &mut Sums,
    ) {
        // What a card network calls a merchant is more than words like its name.
        if matches!(wording.channel, Channel::Cheque | Channel::Cash) || wording.category.is_some() {
            return;
        }
        let factor = if strongest >= WEIGHTS.usual { WEIGHTS.line_expected_beside } else { 1.0 };
        let expected = TextModel::of_lines(self.knowledge).expect_of_line(wording.text(), money_in, digits);
        // Of words it has never seen it knows no more than what most lines are about.
        if expected.first().is_none_or(|(_, chance)| *chance < WEIGHTS.line_expected_from) {
            return;
        }
        for (concept, chance) in expected {
            let is_foreign = self.knowledge.concept(concept).is_income()
                && self.business.sales().is_some()
                && self.business.likely(concept) <= 0.0;
            let factor = if is_foreign { factor * WEIGHTS.line_expected_foreign } else { factor };
            let score = (WEIGHTS.line_expected + WEIGHTS.line_expected_doubt * libm::logf(chance)) * factor;
            self.add_likely(concept, score, household, sums);
        }
    }
}
