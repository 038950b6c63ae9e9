//! What one line says: concepts with the weight of the evidence for each.

use std::collections::{BTreeMap, HashSet};

use super::chart::{Chart, Fit};
use super::context::{Business, has_phrase};
use super::hints::{Hint, Hints};
use super::knowledge::{Concept, ConceptId, Knowledge, PatternMatch, Strength, Target};
use super::meaning::Vector;
use super::outcome::Method;
use super::payee_names::PayeeNames;
use super::person::{is_forename, is_person};
use super::text_model::TextModel;
use super::transfer::is_bank;
use super::weights::WEIGHTS;
use super::wording::{Channel, Wording, is_month};

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

    /// What an owner takes: from a company as a loan.
    fn owners_money(&self) -> Option<ConceptId> {
        if self.business.is_company { self.named.director_loan } else { self.named.drawings }
    }

    /// Where private purchases go, if the business may have any.
    fn private_account(&self) -> Option<ConceptId> {
        let may_have_any = !self.business.is_company && !self.business.is_llp || self.business.has_private_purchases;
        self.owners_money().filter(|_| may_have_any)
    }

    /// The account of private purchases with what it is for, if the business may have any and the chart keeps one.
    pub fn private_account_of(&self) -> Option<(usize, ConceptId)> {
        let concept = self.private_account()?;
        let fit = self.chart.fits(concept).first().filter(|fit| fit.score >= WEIGHTS.own_account)?;
        Some((fit.account, concept))
    }

    /// Whether what is bought there is for the owner or the family: nothing of the trade, no account for it, but one for
    /// what is drawn or owed.
    fn is_private(&self, concept: ConceptId) -> bool {
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
    fn is_no_uniform(&self, concept: ConceptId) -> bool {
        let workwear = self.named.workwear.map_or(0.0, |workwear| self.best_fit(workwear));
        self.knowledge.concept(concept).name == "clothes_shop" && self.best_fit(concept) <= workwear
    }

    /// A large bill of a restaurant is for guests, where the chart has no account for meals.
    fn treat_guests(&self, digits: u32, clues: &mut [Clue]) {
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
    fn household(&self, digits: u32, money_in: bool) -> Option<ConceptId> {
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

    /// Evidence that means something else beside some word.
    fn combine(&self, wording: &Wording, sums: &mut Sums) {
        let words: Vec<&str> = wording.text().split(' ').collect();
        for combination in &self.knowledge.combinations {
            let Some((best, ..)) = sums.0.get(&combination.concept).copied() else { continue };
            if best >= WEIGHTS.weak && words.iter().any(|word| combination.words.contains(word)) {
                sums.add(combination.means, best + WEIGHTS.combined, Method::Merchant);
            }
        }
    }

    /// What a council takes by direct debit is its rates.
    fn add_rates(&self, wording: &Wording, sums: &mut Sums) {
        if let Some(rates) = self.named.business_rates
            && wording.channel == Channel::DirectDebit
            && let Some((best, ..)) = sums.0.get(&rates).copied()
        {
            sums.add(rates, best + WEIGHTS.combined, Method::Merchant);
        }
    }

    /// Who gives by standing order under Gift Aid gives; the tax comes from HMRC.
    fn add_gifts(&self, wording: &Wording, money_in: bool, sums: &mut Sums) {
        if let (Some(reclaimed), Some(given)) = (self.named.gift_aid, self.named.donation_income)
            && money_in
            && wording.channel == Channel::StandingOrder
            && let Some((best, ..)) = sums.0.remove(&reclaimed)
        {
            sums.add(given, best, Method::UniversalPattern);
        }
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

    fn add_patterns(&self, wording: &Wording, money_in: bool, household: Option<ConceptId>, sums: &mut Sums) {
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
    fn add_used_equipment(&self, wording: &Wording, digits: u32, money_in: bool, sums: &mut Sums) {
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
    fn add_category(&self, wording: &Wording, money_in: bool, household: Option<ConceptId>, sums: &mut Sums) {
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

    fn add_sector_words(&self, wording: &Wording, money_in: bool, sums: &mut Sums) {
        for (sector, weight) in &self.business.sectors {
            for concept in sector.meanings(&wording.padded) {
                let score = WEIGHTS.sector_word * (0.5 + 0.5 * weight) * self.direction(concept, money_in);
                sums.add(concept, score, Method::Merchant);
            }
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

    fn add_people(&self, wording: &Wording, money_in: bool, sums: &mut Sums) {
        if wording.channel == Channel::Card {
            return;
        }
        if let Some(owner) = self.owner_of(wording) {
            // What an owner claims for miles and the home is a cost, where the chart keeps an account for it.
            let claims = [self.named.mileage, self.named.use_of_home];
            let claimed = sums.best().filter(|best| !money_in && claims.contains(&Some(*best)));
            if claimed.is_some_and(|concept| self.best_fit(concept) >= WEIGHTS.own_account)
                && sums.strongest() >= WEIGHTS.decisive_trade
            {
                return;
            }
            let concept = match (self.business.is_company, money_in) {
                (true, _) => self.named.director_loan,
                (false, false) => self.named.drawings,
                (false, true) => self.named.capital_introduced,
            };
            // Nobody draws money where the books keep no account for it.
            let has_account =
                |concept: &ConceptId| self.business.is_company || self.best_fit(*concept) >= OWNERS_FIT_MIN;
            let Some(concept) = concept.filter(has_account) else { return };
            sums.add(concept, WEIGHTS.owner, Method::UniversalPattern);
            const PAY: &[&str] = &["PAY", "SALARY", "WAGE", "WAGES"];
            let is_pay = !money_in && owner.len() >= 2 && wording.text().split(' ').any(|word| PAY.contains(&word));
            if let Some(salary) =
                self.named.director_salary.filter(|_| self.business.is_company && is_pay && !self.business.pay_clears)
            {
                sums.add(salary, WEIGHTS.decisive_trade, Method::UniversalPattern);
            }
            // What sole traders and partners pay themselves is drawn, whatever they call it.
            // Nor is what a company pays an owner as a salary anybody's but a director's.
            let pay = if self.business.is_company { self.named.director_salary } else { self.named.drawings };
            if !money_in {
                sums.replace(self.named.salaries, pay);
            }
            // A loan between an owner and the company is no bank's.
            if self.business.is_company {
                sums.replace(self.named.loan, self.named.director_loan);
            }
            return;
        }
        // A person's own account is an owner's; what a company moves to its own account may be anything.
        if !self.business.is_company
            && is_person(&wording.payee)
            && OWN_ACCOUNT.iter().any(|words| has_phrase(wording.text(), words))
            && let Some(concept) = if money_in { self.named.capital_introduced } else { self.named.drawings }
        {
            sums.add(concept, WEIGHTS.decisive_trade, Method::UniversalPattern);
            return;
        }
        if let Some(subcontractors) = self.reverse_charged(wording).filter(|_| !money_in) {
            sums.add(subcontractors, WEIGHTS.decisive_trade, Method::UniversalPattern);
            return;
        }
        if money_in || !is_person(&wording.payee) && !self.is_employee(wording) {
            return;
        }
        // Who the context says is a subcontractor has no wages, although a line calls them so.
        let subcontractors = self
            .named
            .subcontractors
            .filter(|concept| !self.is_employee(wording) && self.context_says(*concept, wording));
        if sums.replace(self.named.salaries, subcontractors) {
            return;
        }
        // An apprentice is employed, whatever training costs beside.
        const OF_TRAINING: &[&str] = &["COURSE", "FEES", "LEVY", "TRAINING"];
        let is_apprentice = wording.text().split(' ').any(|word| matches!(word, "APPRENT" | "APPRENTICE"))
            && is_person(&wording.payee)
            && !wording.text().split(' ').any(|word| OF_TRAINING.contains(&word));
        if let Some(salaries) = self.named.salaries.filter(|_| is_apprentice) {
            sums.add(salaries, WEIGHTS.decisive_trade, Method::UniversalPattern);
            return;
        }
        // An employee in full is no supplier of the same name.
        let least = if self.is_employee_in_full(wording) { WEIGHTS.decisive_trade } else { WEIGHTS.usual };
        // What an employee claims is no pay.
        if self.is_employee(wording)
            && !is_claim(wording)
            && (sums.strongest() < least || is_person(&wording.payee) && sums.best() == self.named.salaries)
            && let Some(salaries) = self.named.salaries
        {
            sums.add(salaries, WEIGHTS.decisive_trade, Method::UniversalPattern);
            return;
        }
        if self.is_family(wording)
            && sums.strongest() < WEIGHTS.usual
            && let Some(drawings) = self.named.drawings
        {
            sums.add(drawings, WEIGHTS.owner, Method::UniversalPattern);
            return;
        }
        if let Some(concept) = self.self_employed(wording) {
            // Whoever helps in a workshop or with courses is paid for the help.
            let is_helped = sums.best() == self.named.training && sums.replace(self.named.training, Some(concept));
            if is_helped || sums.strongest() < WEIGHTS.decisive_trade {
                sums.add(concept, WEIGHTS.owner, Method::UniversalPattern);
                return;
            }
        }
        let is_labour = wording.text().split(' ').any(|word| {
            LABOUR.contains(&word)
                || word.strip_prefix("WK").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
        });
        // A name that is known to be a shop's is no person's, unless it worked by the week.
        if sums.strongest() >= WEIGHTS.usual && !is_labour {
            return;
        }
        let labour = if is_labour { WEIGHTS.labour } else { 0.0 };
        for concept in [self.named.salaries, self.named.subcontractors, self.named.freelancers].into_iter().flatten() {
            let typical = self.business.likely(concept);
            sums.add(concept, (WEIGHTS.person + labour) * (0.75 + 0.5 * typical), Method::Semantic);
        }
    }

    /// What a remark calls private goes to the owner, whatever was bought.
    fn add_private(&self, wording: &Wording, money_in: bool, sums: &mut Sums) {
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
    fn sells_to_private_customers(&self) -> bool {
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

    /// Whether the context says near the payee's name that it is about a concept.
    fn context_says(&self, concept: ConceptId, wording: &Wording) -> bool {
        let about = |hit: &PatternMatch<'_>| hit.targets.iter().any(|target| target.concept == concept);
        self.hints.about(wording.text()).any(|(hint, word)| hint.patterns(self.knowledge, word).iter().any(about))
    }

    /// What somebody is paid for whom the context calls self-employed: of subcontractors and freelancers, whoever has an account.
    fn self_employed(&self, wording: &Wording) -> Option<ConceptId> {
        let name: Vec<&str> = wording.payee.split(' ').filter(|word| word.chars().count() >= 4).collect();
        let is_called_so = |(hint, word): (&Hint, &str)| name.contains(&word) && hint.is_self_employed(word);
        if !self.hints.about(&wording.payee).any(is_called_so) {
            return None;
        }
        let [one, other] = [self.named.subcontractors?, self.named.freelancers?];
        Some(if self.best_fit(one) >= self.best_fit(other) { one } else { other })
    }

    /// Subcontractors, where the context says that the reverse charge is on what the payee does and the chart has an account for them.
    fn reverse_charged(&self, wording: &Wording) -> Option<ConceptId> {
        let subcontractors = self.named.subcontractors.filter(|id| self.best_fit(*id) >= WEIGHTS.own_account)?;
        let is_called_so = |(hint, word): (&Hint, &str)| hint.is_reverse_charged(word);
        self.hints.about(&wording.payee).any(is_called_so).then_some(subcontractors)
    }

    /// Whether the payee is somebody whom the context names beside pay: the surname with the forename or its first letter.
    fn is_employee(&self, wording: &Wording) -> bool {
        let words: Vec<&str> = wording.text().split(' ').collect();
        self.business.staff.iter().any(|name| names_person(&words, name))
    }

    /// Whether the context names its employees by forenames and the line is of none of them, or pays all wages in one sum.
    pub fn is_no_employee(&self, text: &str) -> bool {
        let first = text.split(' ').find(|word| !matches!(*word, "MR" | "MRS" | "MS" | "MISS" | "DR")).unwrap_or("");
        let may_be = |name: &String| if first.chars().count() == 1 { name.starts_with(first) } else { name == first };
        let employed = &self.business.employed_forenames;
        !employed.is_empty() && !employed.iter().any(may_be) || self.business.pays_wages_at_once
    }

    /// Whether a line has an employee's forename and surname and no more words than a month.
    fn is_employee_in_full(&self, wording: &Wording) -> bool {
        let words: Vec<&str> = wording.text().split(' ').collect();
        let is_whole = |name: &Vec<String>| name.iter().all(|part| words.contains(&part.as_str()));
        let others = words.iter().filter(|word| !is_month(word)).count();
        others == 2 && self.business.staff.iter().any(is_whole)
    }

    /// Whether nothing but a name is in the line, of somebody who has the surname of a sole trader or partner and of whom the
    /// context says nothing else.
    fn is_family(&self, wording: &Wording) -> bool {
        let words: Vec<&str> = wording.text().split(' ').collect();
        let has_surname = |name: &Vec<String>| {
            name.len() >= 2 && name.last().is_some_and(|last| words.last() == Some(&last.as_str()))
        };
        !self.business.is_company
            && words.len() == 2
            && self.business.owners.iter().any(has_surname)
            && words.first().is_none_or(|first| self.hints.about(first).next().is_none())
    }

    /// Whether the line names an owner: the surname with the forename or its first letter, or the only name there is.
    pub fn owner_of(&self, wording: &Wording) -> Option<&'k [String]> {
        let words: Vec<&str> = wording.text().split(' ').collect();
        let is_named = |name: &&Vec<String>| match name.as_slice() {
            [only] => {
                let distinct: HashSet<&&str> = words.iter().collect();
                only.chars().count() >= 3
                    && words.contains(&only.as_str())
                    && (distinct.len() <= 4 || words.first() == Some(&only.as_str()))
            }
            _ => names_person(&words, name),
        };
        // Of *C Example* and *Claire Example* the fuller name.
        let letters = |name: &&Vec<String>| name.iter().map(String::len).sum::<usize>();
        let mut named = self.business.owners.iter().filter(is_named);
        let first = named.next();
        let named = first.map(|first| {
            named.fold(first, |best, other| {
                if letters(&other) > letters(&best) && best.last() == other.last() { other } else { best }
            })
        });
        named.or_else(|| self.owner_by_initial(&words)).map(Vec::as_slice)
    }

    /// The forename of the only owner whose surname a line has.
    pub fn forename_by_surname(&self, text: &str) -> Option<&str> {
        let is_named = |owner: &&Vec<String>| {
            owner.len() >= 2 && owner.last().is_some_and(|surname| text.split(' ').any(|word| word == surname))
        };
        let mut named = self.business.owners.iter().filter(is_named);
        let owner = named.next()?;
        named.next().is_none().then(|| owner.first().map(String::as_str)).flatten()
    }

    /// Whether a word is part of the name of somebody who owns or directs the business.
    pub fn is_owners_name(&self, word: &str) -> bool {
        self.business.owners.iter().flatten().any(|part| part == word)
    }

    /// The owner of whom only the forename is known, where a line is no more than its initial and a surname and nobody else whom the
    /// context names begins so.
    fn owner_by_initial(&self, words: &[&str]) -> Option<&'k Vec<String>> {
        let [initial, surname] = words else { return None };
        let is_name = initial.chars().count() == 1 && surname.chars().count() >= 4 && is_person(&words.join(" "));
        if !is_name || self.business.is_company || self.hints.about(surname).next().is_some() {
            return None;
        }
        let begins = |name: &&Vec<String>| name.first().is_some_and(|first| first.starts_with(initial));
        let mut owners = self.business.owners.iter().filter(begins);
        let owner = owners.next().filter(|owner| owner.len() == 1)?;
        let others = self.business.forenames.iter().filter(|name| name.starts_with(initial) && !owner.contains(*name));
        (owners.next().is_none() && others.count() == 0).then_some(owner)
    }

    fn add_meaning(&self, vector: &Vector, money_in: bool, strongest: f32, sums: &mut Sums) {
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
    fn add_expected(
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
    fn add_expected_of_line(
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

/// How people write that an account is theirs.
const OWN_ACCOUNT: &[&str] = &["OWN ACCT", "OWN ACC", "OWN ACCOUNT", "OWN A C"];

/// Words of deposits that are given back.
const GIVEN_BACK: &[&str] = &["BOND", "BREAKAGE", "BREAKAGES", "DAMAGE", "DAMAGES", "FOB", "KEY", "KEYS", "REFUNDABLE"];

/// Words of work by the week.
const LABOUR: &[&str] = &["WK", "WE", "WEEK", "WKS", "DAYS", "HRS", "HOURS", "LABOUR", "SHIFTS", "SHIFT"];

/// Whether a deposit is one over the counter: no more than the place of a branch follows.
pub fn is_paying_in(wording: &Wording) -> bool {
    const COUNTERS: &[&str] = &["POST OFFICE ", "PO ", "COUNTER ", "BRANCH "];
    const OF_SLIPS: &[&str] = &["CASH", "DEP", "DEPOSIT", "OFFICE", "PO", "POST"];
    let text = wording.text();
    let behind = COUNTERS.iter().find_map(|counter| text.strip_prefix(counter)).unwrap_or(text);
    let towns = &Knowledge::get().words.town;
    let mut words = behind.split(' ').filter(|word| !OF_SLIPS.contains(word) || *word == "DEP" || *word == "DEPOSIT");
    if !matches!(words.next(), Some("DEP" | "DEPOSIT")) || is_person(&wording.payee) {
        return false;
    }
    let place: Vec<&str> = words.filter(|word| !OF_SLIPS.contains(word)).collect();
    // Of places that are not listed one word, or two that are parts of one: `LOUGH BOROUGH`.
    let is_one = || place.len() == 2 && wording.payee.split(' ').any(|word| word == place.concat());
    place.len() <= 1 || place.first().is_some_and(|first| towns.has(first)) && place.len() <= 3 || is_one()
}

/// Whether a line says that money comes back.
pub fn is_money_back(wording: &Wording) -> bool {
    says_refund(wording.text())
}

/// Whether a folded text says so.
pub fn says_refund(text: &str) -> bool {
    REFUNDS.iter().any(|word| has_phrase(text, word))
}

/// Words of money that comes back.
const REFUNDS: &[&str] = &[
    "REFUND",
    "REFUNDED",
    "REFUNDS",
    "REVERSAL",
    "RETURNED",
    "CREDIT NOTE",
    "REIMBURSEMENT",
    "RFND",
    "REFD",
    "UNPAID DD",
    "UNPAID DIRECT DEBIT",
    "RETURNED DD",
    "RETD",
    "RTND",
];

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

/// Whether words name somebody of several names: the surname with the forename or its first letter.
fn names_person(words: &[&str], name: &[String]) -> bool {
    let [first, .., last] = name else { return false };
    let initial: String = first.chars().take(1).collect();
    // Two letters are initials only beside the surname: `SO` is a standing order.
    let is_beside = |at: usize| {
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        beside.filter_map(|at| words.get(at)).any(|word| word == last)
    };
    let is_initials = |at: usize, word: &str| word.chars().count() == 2 && word.starts_with(&initial) && is_beside(at);
    // A surname may be parted as a compound: *Wheat croft*.
    let is_parted =
        || words.windows(2).any(|pair| matches!(pair, [one, next] if last.strip_prefix(*one) == Some(*next)));
    // *D Example* for `DEAN EXAMPLE`.
    let is_in_full = |at: usize, word: &str| {
        first.chars().count() == 1 && word.starts_with(&initial) && is_forename(word) && is_beside(at)
    };
    last.chars().count() >= 3
        && (words.contains(&last.as_str()) || is_parted())
        && words
            .iter()
            .enumerate()
            .any(|(at, word)| word == first || *word == initial || is_initials(at, word) || is_in_full(at, word))
}

/// How well an account must fit what owners take or pay in.
const OWNERS_FIT_MIN: f32 = 0.45;

/// Words of money that somebody has spent for the business.
const CLAIMED: &[&str] = &["EXPENSES", "EXPS", "MILEAGE", "REIMB", "REIMBURSE", "REIMBURSEMENT", "REIMBURSED"];

/// Whether a line pays somebody back what was spent for the business.
pub fn is_claim(wording: &Wording) -> bool {
    wording.text().split(' ').any(|word| CLAIMED.contains(&word))
}

/// Scores by concept: the best clue whole, further ones in part.
#[derive(Debug, Default)]
struct Sums(BTreeMap<ConceptId, (f32, f32, Option<Method>)>);

impl Sums {
    fn add(&mut self, concept: ConceptId, score: f32, method: Method) {
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
    fn replace(&mut self, concept: Option<ConceptId>, by: Option<ConceptId>) -> bool {
        let (Some(concept), Some(by)) = (concept, by) else { return false };
        let Some((score, ..)) = self.0.remove(&concept) else { return false };
        self.add(by, score, Method::UniversalPattern);
        true
    }

    fn strongest(&self) -> f32 {
        self.0.values().map(|(best, ..)| *best).fold(0.0, f32::max)
    }

    /// What most speaks for.
    fn best(&self) -> Option<ConceptId> {
        let best = self.0.iter().max_by(|(a, (left, ..)), (b, (right, ..))| left.total_cmp(right).then(b.cmp(a)));
        best.map(|(concept, _)| *concept)
    }

    fn into_clues(self) -> Vec<Clue> {
        let clues = self.0.into_iter().map(|(concept, (best, rest, method))| Clue {
            concept,
            score: best + WEIGHTS.further * rest.min(2.0),
            method: method.unwrap_or(Method::Semantic),
        });
        clues.collect()
    }
}
