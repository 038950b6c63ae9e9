//! What one line says: concepts with the weight of the evidence for each.

mod clues;
mod expected;
mod patterns;
mod people;
mod private;
mod remarks;

use crate::domain::coding::chart::{Chart, Fit};
use crate::domain::coding::context::Business;
use crate::domain::coding::hints::Hints;
use crate::domain::coding::knowledge::{ConceptId, Knowledge, Target};
use crate::domain::coding::meaning::Vector;
use crate::domain::coding::outcome::Method;
use crate::domain::coding::weights::WEIGHTS;
use crate::domain::coding::wording::Wording;
use clues::Sums;

pub use clues::Clue;
pub use remarks::{is_claim, is_money_back, is_paying_in, says_refund};

/// Everything that is needed to read a line.
#[derive(Debug)]
pub struct Reader<'k> {
    knowledge: &'k Knowledge,
    business: &'k Business<'k>,
    hints: &'k Hints,
    chart: &'k Chart,
    named: Named,
}

/// Concepts the engine itself speaks of.
#[derive(Debug)]
struct Named {
    director_loan: Option<ConceptId>,
    drawings: Option<ConceptId>,
    capital_introduced: Option<ConceptId>,
    salaries: Option<ConceptId>,
    director_salary: Option<ConceptId>,
    subcontractors: Option<ConceptId>,
    freelancers: Option<ConceptId>,
    training: Option<ConceptId>,
    mileage: Option<ConceptId>,
    use_of_home: Option<ConceptId>,
    subsistence: Option<ConceptId>,
    loan: Option<ConceptId>,
    plant_capital: Option<ConceptId>,
    supermarket: Option<ConceptId>,
    staff_welfare: Option<ConceptId>,
    client_entertaining: Option<ConceptId>,
    workwear: Option<ConceptId>,
    customer_deposits: Option<ConceptId>,
    card_takings: Option<ConceptId>,
    business_rates: Option<ConceptId>,
    gift_aid: Option<ConceptId>,
    donation_income: Option<ConceptId>,
}

impl<'k> Reader<'k> {
    /// A reader for a business.
    pub fn new(knowledge: &'k Knowledge, business: &'k Business<'k>, hints: &'k Hints, chart: &'k Chart) -> Self {
        let id = |name| knowledge.id(name);
        let named = Named {
            director_loan: id("director_loan"),
            drawings: id("drawings"),
            capital_introduced: id("capital_introduced"),
            salaries: id("salaries"),
            director_salary: id("director_salary"),
            subcontractors: id("subcontractors"),
            freelancers: id("freelancers"),
            training: id("training"),
            mileage: id("mileage"),
            use_of_home: id("use_of_home"),
            subsistence: id("subsistence"),
            loan: id("loan"),
            plant_capital: id("plant_capital"),
            supermarket: id("supermarket"),
            staff_welfare: id("staff_welfare"),
            client_entertaining: id("client_entertaining"),
            workwear: id("workwear"),
            customer_deposits: id("customer_deposits"),
            card_takings: id("card_takings"),
            business_rates: id("business_rates"),
            gift_aid: id("gift_aid"),
            donation_income: id("donation_income"),
        };
        Self { knowledge, business, hints, chart, named }
    }

    /// Whether the business is a company.
    pub fn is_company(&self) -> bool {
        self.business.is_company
    }

    /// Whether the owner claims a rate a mile.
    pub fn claims_mileage(&self) -> bool {
        self.business.claims_mileage
    }

    /// Whether the context sends pay to the account of wages.
    pub fn pay_goes_to_wages(&self) -> bool {
        self.business.pay_goes_to_wages
    }

    /// Whether the context says that paying wages clears what is owed.
    pub fn pay_clears(&self) -> bool {
        self.business.pay_clears
    }

    /// Whether a deposit is a sale: the context says so of deposits, and the line speaks of none that is given back.
    pub fn is_deposit_sale(&self, wording: &Wording) -> bool {
        self.business.deposits_are_sales && !wording.text().split(' ').any(|word| GIVEN_BACK.contains(&word))
    }

    /// Whether the context says that vehicles are leased.
    pub fn leases_vehicles(&self) -> bool {
        self.business.leases_vehicles
    }

    /// Whether the context sends PAYE to the account of wages.
    pub fn paye_goes_to_wages(&self) -> bool {
        self.business.paye_goes_to_wages
    }

    /// Whether the business is registered for VAT.
    pub fn is_vat_registered(&self) -> bool {
        self.business.is_vat_registered
    }

    /// The clues of a line, strongest first; equal ones in the order of the concepts. `digits` is how many binary digits its
    /// amount has in pence.
    pub fn clues(&self, wording: &Wording, vector: &Vector, money_in: bool, digits: u32) -> Vec<Clue> {
        let mut sums = Sums::default();
        let household = self.household(digits, money_in);
        self.add_patterns(wording, money_in, household, &mut sums);
        self.add_used_equipment(wording, digits, money_in, &mut sums);
        self.add_category(wording, money_in, household, &mut sums);
        self.add_sector_words(wording, money_in, &mut sums);
        self.combine(wording, &mut sums);
        self.add_rates(wording, &mut sums);
        self.add_gifts(wording, money_in, &mut sums);
        self.add_people(wording, money_in, &mut sums);
        self.add_private(wording, money_in, &mut sums);
        self.add_hints(wording, money_in, &mut sums);
        if money_in && self.is_deposit_sale(wording) {
            sums.replace(self.named.customer_deposits, self.business.sales());
        }
        let strongest = sums.strongest();
        self.add_meaning(vector, money_in, strongest, &mut sums);
        self.add_expected(wording, (digits, household), strongest, money_in, &mut sums);
        self.add_expected_of_line(wording, (digits, household), strongest, money_in, &mut sums);
        // What is given back to somebody is no purchase of the owner's.
        if !money_in
            && is_money_back(wording)
            && self.owner_of(wording).is_none()
            && let Some(private) = self.private_account()
        {
            sums.0.remove(&private);
        }
        let mut clues = sums.into_clues();
        if money_in && is_paying_in(wording) {
            clues.retain(|clue| !self.knowledge.concept(clue.concept).name.ends_with("_deposits"));
        }
        if !money_in {
            self.treat_guests(digits, &mut clues);
        }
        for clue in &mut clues {
            clue.score += WEIGHTS.likely * self.business.likely(clue.concept) * clue.score.min(1.0);
        }
        clues.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.concept.cmp(&b.concept)));
        clues
    }

    /// How well the best account of the chart fits a concept.
    fn best_fit(&self, concept: ConceptId) -> f32 {
        self.chart.fits(concept).first().map_or(0.0, |fit| fit.score)
    }

    /// The same without accounts that are for guests, where people eat by themselves.
    fn best_fit_but_for_guests(&self, concept: ConceptId) -> f32 {
        if Some(concept) != self.named.subsistence {
            return self.best_fit(concept);
        }
        let guests = self.knowledge.id("client_entertaining").map_or(&[][..], |id| self.chart.fits(id));
        let is_for_guests =
            |fit: &&Fit| guests.iter().any(|other| other.account == fit.account && other.score > fit.score);
        self.chart.fits(concept).iter().find(|fit| !is_for_guests(fit)).map_or(0.0, |fit| fit.score)
    }

    /// What a shop that sells everything means in this trade; without a trade it means little.
    fn shop(&self, concept: ConceptId, household: Option<ConceptId>) -> (ConceptId, f32) {
        if let Some(private) = household.filter(|_| Some(concept) == self.named.supermarket) {
            return (private, 1.0);
        }
        const SHOPS: &[&str] = &["supermarket", "amazon", "ebay", "paypal_purchase", "general_store"];
        let fit = |concept| self.best_fit(concept);
        let meaning = self.business.shop(concept);
        let has_account = |meaning| fit(meaning) >= WEIGHTS.balance_sheet_fit;
        match meaning {
            // A chart that keeps an account for what such shops sell means them by it, whatever the trade does elsewhere.
            Some(meaning)
                if fit(concept) >= WEIGHTS.own_account
                    && (fit(concept) > fit(meaning) || Some(meaning) == self.named.subsistence) =>
            {
                (concept, 1.0)
            }
            _ if self.is_private(concept) && !meaning.is_some_and(has_account) => {
                (self.private_account().unwrap_or(concept), 1.0)
            }
            Some(meaning) if fit(concept) > fit(meaning) && !has_account(meaning) => (concept, 1.0),
            Some(meaning) => (meaning, WEIGHTS.shop_here),
            None if SHOPS.contains(&self.knowledge.concept(concept).name) => (concept, WEIGHTS.shop_anywhere),
            None => (concept, 1.0),
        }
    }

    /// The account of private purchases with what it is for, if the business may have any and the chart keeps one.
    pub fn private_account_of(&self) -> Option<(usize, ConceptId)> {
        let concept = self.private_account()?;
        let fit = self.chart.fits(concept).first().filter(|fit| fit.score >= WEIGHTS.own_account)?;
        Some((fit.account, concept))
    }

    /// How natural a direction of money is for a concept.
    fn direction(&self, concept: ConceptId, money_in: bool) -> f32 {
        let concept = self.knowledge.concept(concept);
        if concept.name == "customer_refund" {
            // Money that comes back comes from a supplier.
            if money_in { 0.0 } else { 1.0 }
        } else if concept.name == "drawings" && money_in {
            WEIGHTS.income_out * WEIGHTS.income_out
        } else if matches!(concept.name, "credit_card" | "cash_withdrawal") && money_in {
            // What a card company pays in are takings; a card is paid, not paid from.
            WEIGHTS.expense_in * WEIGHTS.expense_in
        } else if money_in && (concept.name.ends_with("_capital") || concept.name == "vehicle_purchase") {
            WEIGHTS.expense_in * WEIGHTS.expense_in
        } else if concept.is_income() && !money_in {
            WEIGHTS.income_out
        } else if concept.is_expense() && money_in {
            WEIGHTS.expense_in
        } else {
            1.0
        }
    }

    /// What the context says about a payee of the line.
    fn add_hints(&self, wording: &Wording, money_in: bool, sums: &mut Sums) {
        let mut text = wording.text().to_owned();
        // "The supermarket is me": the kind of shop stands for every shop of the kind.
        let mut found = Vec::new();
        self.knowledge.patterns.find(&wording.padded, &mut found);
        for target in found.iter().flat_map(|hit| hit.targets) {
            match self.knowledge.concept(target.concept).name {
                "supermarket" => text.push_str(" SUPERMARKET SUPERMARKETS GROCERIES"),
                "subsistence" => text.push_str(" TAKEAWAY TAKEAWAYS"),
                _ => {}
            }
        }
        let owner = self.owner_of(wording);
        for (hint, word) in self.hints.about(&text) {
            if !money_in
                && hint.is_private(word)
                && let Some(concept) = self.owners_money()
            {
                sums.add(concept, WEIGHTS.private, Method::UniversalPattern);
            }
            // What the context says of the business beside its owner's name is not about the owner.
            if owner.is_some_and(|name| name.iter().any(|part| part == word)) {
                continue;
            }
            for hit in hint.patterns(self.knowledge, word) {
                let speaks = |target: &Target| {
                    let concept = self.knowledge.concept(target.concept);
                    concept.is_income()
                        || concept.is_expense()
                        || matches!(concept.name, "hp_finance" | "loan" | "savings")
                };
                for target in hit
                    .targets
                    .iter()
                    .filter(|target| speaks(target) && target.money_in.is_none_or(|wanted| wanted == money_in))
                {
                    let concept = self.business.shop(target.concept).unwrap_or(target.concept);
                    sums.add(concept, WEIGHTS.hint_word * self.direction(concept, money_in), Method::Merchant);
                }
            }
        }
    }
}

/// Words of deposits that are given back.
const GIVEN_BACK: &[&str] = &["BOND", "BREAKAGE", "BREAKAGES", "DAMAGE", "DAMAGES", "FOB", "KEY", "KEYS", "REFUNDABLE"];
