//! What known words of a line say: payees, trades, categories and what they mean together.

use super::Reader;
use super::clues::Sums;
use super::remarks::{is_money_back, is_paying_in};
use crate::domain::coding::context::has_phrase;
use crate::domain::coding::knowledge::{ConceptId, PatternMatch, Strength, Target};
use crate::domain::coding::outcome::Method;
use crate::domain::coding::transfer::is_bank;
use crate::domain::coding::weights::WEIGHTS;
use crate::domain::coding::wording::{Channel, Wording, is_month};

impl<'k> Reader<'k> {
    /// Evidence that means something else beside some word.
    pub(super) fn combine(&self, wording: &Wording, sums: &mut Sums) {
        let words: Vec<&str> = wording.text().split(' ').collect();
        for combination in &self.knowledge.combinations {
            let Some((best, ..)) = sums.0.get(&combination.concept).copied() else { continue };
            if best >= WEIGHTS.weak && words.iter().any(|word| combination.words.contains(word)) {
                sums.add(combination.means, best + WEIGHTS.combined, Method::Merchant);
            }
        }
    }

    /// What a council takes by direct debit is its rates.
    pub(super) fn add_rates(&self, wording: &Wording, sums: &mut Sums) {
        if let Some(rates) = self.named.business_rates
            && wording.channel == Channel::DirectDebit
            && let Some((best, ..)) = sums.0.get(&rates).copied()
        {
            sums.add(rates, best + WEIGHTS.combined, Method::Merchant);
        }
    }

    /// Who gives by standing order under Gift Aid gives; the tax comes from HMRC.
    pub(super) fn add_gifts(&self, wording: &Wording, money_in: bool, sums: &mut Sums) {
        if let (Some(reclaimed), Some(given)) = (self.named.gift_aid, self.named.donation_income)
            && money_in
            && wording.channel == Channel::StandingOrder
            && let Some((best, ..)) = sums.0.remove(&reclaimed)
        {
            sums.add(given, best, Method::UniversalPattern);
        }
    }

    pub(super) fn add_patterns(
        &self,
        wording: &Wording,
        money_in: bool,
        household: Option<ConceptId>,
        sums: &mut Sums,
    ) {
        let mut found = Vec::new();
        self.knowledge.patterns.find(&wording.padded, &mut found);
        let whole = |hit: &PatternMatch<'_>| says_nothing_else(&wording.padded, hit);
        found.retain(|hit| {
            let is_whole = whole(hit);
            is_whole || hit.targets.iter().any(|target| !target.whole)
        });
        // Money back is recognised by what was paid for.
        let is_refund = money_in && is_money_back(wording);
        let fits = |target: &Target| target.money_in.is_none_or(|wanted| wanted == (money_in && !is_refund));
        for hit in &found {
            if found.iter().any(|other| covers(other, hit, &fits)) {
                continue;
            }
            // A cash machine's letters are part of a direct debit's reference.
            if wording.channel == Channel::DirectDebit && wording.padded.get(hit.start..hit.end) == Some("LNK") {
                continue;
            }
            let is_whole = whole(hit);
            let targets = || hit.targets.iter().filter(|target| fits(target) && (is_whole || !target.whole));
            // A shop is private only where the chart has no account for what it sells; what the high street sells to wear is no uniform.
            let is_kept = targets().any(|target| {
                self.knowledge.concept(target.concept).is_expense()
                    && !self.is_no_uniform(target.concept)
                    && self.best_fit_but_for_guests(target.concept) >= WEIGHTS.own_account
            });
            let is_for_owner =
                self.private_account().is_some() && targets().any(|target| Some(target.concept) == self.named.drawings);
            for target in targets() {
                let is_private = Some(target.concept) == self.named.drawings && target.strength != Strength::Decisive;
                let is_of_customers =
                    || wording.padded.get(hit.start..hit.end) == Some("PRIVATE") && self.sells_to_private_customers();
                if is_private && (is_kept || is_of_customers()) {
                    continue;
                }
                // Nor is what whoever keeps animals buys for them, and nothing is of an owner who takes nothing.
                let is_of_trade = || {
                    targets().any(|other| {
                        matches!(self.knowledge.concept(other.concept).name, "animal_supplies" | "vet_fees")
                            && (self.private_account().is_none()
                                || self.business.likely(other.concept) > 0.0
                                || self.best_fit(other.concept) >= WEIGHTS.family_account)
                    })
                };
                if Some(target.concept) == self.named.drawings && is_of_trade() {
                    continue;
                }
                // Nor does the shop's own account stand beside the owner's then.
                if is_for_owner && !is_kept && self.knowledge.concept(target.concept).name == "clothes_shop" {
                    continue;
                }
                let words = f32::from(u8::try_from(hit.words.clamp(1, 4)).unwrap_or(4)) - 1.0;
                // Two letters may be anything.
                let short = if hit.end - hit.start <= 2 { WEIGHTS.two_letters } else { 0.0 };
                let first = if hit.start == 1 && target.strength != Strength::Weak { WEIGHTS.first_word } else { 0.0 };
                let (concept, known) = self.shop(target.concept, household);
                // With nobody's name behind it a deposit is what was paid in over the counter.
                let is_of_deposits =
                    matches!(self.knowledge.concept(concept).name, "customer_deposits" | "tenant_deposits");
                let is_slip = hit.start == 1 && is_of_deposits && money_in && is_paying_in(wording);
                let concept = self.named.card_takings.filter(|_| is_slip).unwrap_or(concept);
                let base = match target.strength {
                    Strength::Weak => WEIGHTS.weak,
                    Strength::Usual => WEIGHTS.usual,
                    Strength::Decisive if self.is_universal(concept) => WEIGHTS.decisive,
                    Strength::Decisive => WEIGHTS.decisive_trade,
                };
                // A direction that the file gives is as natural as can be.
                let direction =
                    if target.money_in.is_some() { 1.0 } else { self.direction(concept, money_in && !is_refund) };
                // A bank's own charge begins the line; behind a payee the same words are the payee's.
                let before = wording.padded.get(..hit.start).unwrap_or("").split_whitespace();
                let behind = self.knowledge.concept(concept).name == "bank_charges" && !is_bank_name(before);
                let direction = if behind { direction * WEIGHTS.charge_behind } else { direction };
                let score = (base + WEIGHTS.per_word * words + first - short) * direction * known;
                let method = if target.strength == Strength::Decisive || self.is_universal(concept) {
                    Method::UniversalPattern
                } else {
                    Method::Merchant
                };
                sums.add(concept, score, method);
            }
        }
    }

    /// What is bought used for some hundred pounds is equipment.
    pub(super) fn add_used_equipment(&self, wording: &Wording, digits: u32, money_in: bool, sums: &mut Sums) {
        const USED: &[&str] = &["USED", "SECOND HAND", "SECONDHAND", "2ND HAND"];
        /// From £327.68.
        const DIGITS_MIN: u32 = 16;
        if money_in || digits < DIGITS_MIN || !USED.iter().any(|word| has_phrase(wording.text(), word)) {
            return;
        }
        if let Some(concept) = self.named.plant_capital {
            sums.add(concept, WEIGHTS.decisive_trade, Method::Merchant);
        }
    }

    /// What the card network says that the merchant sells: more than a pattern does, less than words of intent.
    pub(super) fn add_category(
        &self,
        wording: &Wording,
        money_in: bool,
        household: Option<ConceptId>,
        sums: &mut Sums,
    ) {
        let Some(category) = wording.category else { return };
        let (concept, known) = self.shop(category, household);
        sums.add(concept, WEIGHTS.category * known * self.direction(concept, money_in), Method::Merchant);
    }

    /// Tax, payroll, bank and owners mean the same for everybody.
    fn is_universal(&self, concept: ConceptId) -> bool {
        let concept = self.knowledge.concept(concept);
        !concept.is_income() && !concept.is_expense()
            || matches!(
                concept.name,
                "bank_charges" | "fx_fees" | "interest_paid" | "interest_received" | "salaries" | "director_salary"
            )
    }

    pub(super) fn add_sector_words(&self, wording: &Wording, money_in: bool, sums: &mut Sums) {
        for (sector, weight) in &self.business.sectors {
            for concept in sector.meanings(&wording.padded) {
                let score = WEIGHTS.sector_word * (0.5 + 0.5 * weight) * self.direction(concept, money_in);
                sums.add(concept, score, Method::Merchant);
            }
        }
    }
}

/// Whether a line has no words beside a pattern but those of months and banks.
fn says_nothing_else(padded: &str, hit: &PatternMatch<'_>) -> bool {
    const NEUTRAL: &[&str] = &["BANK", "CO", "OPERATIVE", "MONTHLY", "QUARTERLY", "PAY", "FOR", "BUSINESS", "THE"];
    let before = padded.get(..hit.start).unwrap_or("").split_whitespace();
    let behind = padded.get(hit.end..).unwrap_or("").split_whitespace();
    before.chain(behind).all(|word| NEUTRAL.contains(&word) || is_month(word))
}

/// Whether words are a bank's name, or none.
fn is_bank_name<'t>(mut words: impl Iterator<Item = &'t str>) -> bool {
    const BESIDE: &[&str] =
        &["BANK", "MONEY", "PLC", "UK", "BUS", "BUSINESS", "ACCOUNT", "CO", "OPERATIVE", "OP", "THE"];
    words.all(|word| is_bank(word) || BESIDE.contains(&word))
}

/// Whether a longer pattern makes a shorter one inside it moot.
fn covers(other: &PatternMatch<'_>, hit: &PatternMatch<'_>, fits: &impl Fn(&Target) -> bool) -> bool {
    let inside = other.start <= hit.start && hit.end <= other.end && (other.end - other.start) > (hit.end - hit.start);
    let strength = |found: &PatternMatch<'_>| {
        found.targets.iter().filter(|target| fits(target)).map(|target| target.strength).max()
    };
    inside
        && strength(other).is_some()
        && (strength(other) >= strength(hit)
            || strength(other) >= Some(Strength::Usual) && strength(hit) < Some(Strength::Decisive))
}
