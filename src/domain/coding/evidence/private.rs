//! What is the owner's and not the business's.

use super::Reader;
use super::clues::{Clue, Sums};
use crate::domain::coding::context::has_phrase;
use crate::domain::coding::knowledge::ConceptId;
use crate::domain::coding::outcome::Method;
use crate::domain::coding::weights::WEIGHTS;
use crate::domain::coding::wording::Wording;

impl<'k> Reader<'k> {
    /// What an owner takes: from a company as a loan.
    pub(super) fn owners_money(&self) -> Option<ConceptId> {
        if self.business.is_company { self.named.director_loan } else { self.named.drawings }
    }

    /// Where private purchases go, if the business may have any.
    pub(super) fn private_account(&self) -> Option<ConceptId> {
        let may_have_any = !self.business.is_company && !self.business.is_llp || self.business.has_private_purchases;
        self.owners_money().filter(|_| may_have_any)
    }

    /// Whether what is bought there is for the owner or the family: nothing of the trade, no account for it, but one for
    /// what is drawn or owed.
    pub(super) fn is_private(&self, concept: ConceptId) -> bool {
        const FOR_THE_FAMILY: &[&str] = &[
            "animal_supplies",
            "attractions",
            "clothes_shop",
            "education_supplies",
            "personal_care",
            "supermarket",
            "vet_fees",
        ];
        const FOR_ONESELF: &[&str] = &["subsistence"];
        let name = self.knowledge.concept(concept).name;
        let from = match name {
            _ if FOR_THE_FAMILY.contains(&name) => WEIGHTS.family_account,
            // Another account takes some of these from anybody who trades.
            _ if FOR_ONESELF.contains(&name) => WEIGHTS.balance_sheet_fit,
            _ => 0.0,
        };
        // What the high street sells to wear is no workwear where the context sends private purchases somewhere.
        let is_worn = self.business.has_private_purchases && self.is_no_uniform(concept);
        self.business.likely(concept) <= 0.0
            && (is_worn || self.best_fit(concept) < from)
            && self.private_account().is_some_and(|account| self.best_fit(account) >= WEIGHTS.own_account)
    }

    /// Whether a concept is what the high street sells to wear, and the chart's account for it one of uniforms and the like.
    pub(super) fn is_no_uniform(&self, concept: ConceptId) -> bool {
        let workwear = self.named.workwear.map_or(0.0, |workwear| self.best_fit(workwear));
        self.knowledge.concept(concept).name == "clothes_shop" && self.best_fit(concept) <= workwear
    }

    /// A large bill of a restaurant is for guests, where the chart has no account for meals.
    pub(super) fn treat_guests(&self, digits: u32, clues: &mut [Clue]) {
        /// From £81.92.
        const DIGITS_MIN: u32 = 14;
        let (Some(meal), Some(guests)) = (self.named.subsistence, self.named.client_entertaining) else { return };
        if digits < DIGITS_MIN || self.best_fit(meal) >= WEIGHTS.family_account {
            return;
        }
        if let Some(clue) = clues.iter_mut().find(|clue| clue.concept == meal) {
            clue.concept = guests;
        }
    }

    /// Where food of a supermarket goes that is for the household: what a sole trader buys for more than a meal, in a trade that does
    /// not sell food.
    pub(super) fn household(&self, digits: u32, money_in: bool) -> Option<ConceptId> {
        /// From £20.48.
        const DIGITS_MIN: u32 = 12;
        let supermarket = self.named.supermarket?;
        let meaning = self.business.shop(supermarket);
        let is_for_people =
            meaning.is_none_or(|meaning| [self.named.subsistence, self.named.staff_welfare].contains(&Some(meaning)));
        let is_kept = self.best_fit(supermarket) >= WEIGHTS.family_account;
        let may_be = !is_kept && !money_in && digits >= DIGITS_MIN && is_for_people;
        self.private_account().filter(|private| may_be && self.best_fit(*private) >= WEIGHTS.own_account)
    }

    /// What a remark calls private goes to the owner, whatever was bought.
    pub(super) fn add_private(&self, wording: &Wording, money_in: bool, sums: &mut Sums) {
        let is_stated = self.hints.statements.is_private(wording.text());
        if !money_in
            && (is_stated || self.is_called_private(wording))
            && let Some(concept) = self.owners_money()
        {
            let weight = WEIGHTS.private + if is_stated { WEIGHTS.stated_private } else { 0.0 };
            sums.add(concept, weight, Method::UniversalPattern);
        }
    }

    /// Whether *private* in a line is about the customers of this business.
    pub(super) fn sells_to_private_customers(&self) -> bool {
        self.chart.sells("PRIVATE")
    }

    /// Whether the last word of a line calls a purchase private, or a remark says that it was paid for with the wrong card.
    fn is_called_private(&self, wording: &Wording) -> bool {
        let text = wording.text();
        let is_last = |word: &str| text.strip_suffix(word).is_some_and(|rest| rest.ends_with(' '));
        is_last("PERSONAL")
            || is_last("PRIVATE") && !self.sells_to_private_customers()
            || has_phrase(text, "WRONG CARD")
    }
}
