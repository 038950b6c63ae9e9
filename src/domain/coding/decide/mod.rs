//! From the clues of one line to an account of the chart.

mod homes;
mod meant;
mod named;
mod replacements;
mod stated;

use std::collections::{BTreeMap, BTreeSet};

use super::batch::AccountType;
use super::chart::{Chart, Fit, capital_of};
use super::context::has_phrase;
use super::evidence::{Clue, Reader, is_money_back};
use super::hints::Hints;
use super::instructions::is_payment_service;
use super::knowledge::{ConceptId, Knowledge, NameWord, Strength, Target};
use super::meaning::Vector;
use super::outcome::Method;
use super::person::is_person;
use super::statements::Paid;
use super::weights::WEIGHTS;
use super::wording::{Channel, Wording};

/// What is decided about a line by itself.
#[derive(Debug, Clone)]
pub struct Decision {
    /// Index of the account.
    pub account: usize,
    /// What the line is about; none when nothing is known.
    pub concept: Option<ConceptId>,
    /// How it was decided.
    pub method: Method,
    /// How sure the engine is before calibration, 0 to 1.
    pub raw: f32,
    /// Decided by what is usual in the trade, for want of anything else.
    pub is_usual: bool,
    /// Decided by evidence too weak to decide anything: a distant likeness, what is usual in the trade.
    pub is_weak: bool,
    /// Money out to a private person.
    pub is_to_person: bool,
    /// Money of clients, from the account that holds it.
    pub is_of_clients: bool,
    /// The context sends the payee to the account by its name.
    pub is_stated: bool,
    /// Others pay the same amount for what goes there.
    pub is_of_price: bool,
    /// Its words left it in doubt: it goes to the account nearest to it and to what the context says near its words.
    pub is_ranked: bool,
    /// Other accounts, best first.
    pub others: Vec<(usize, f32)>,
    /// What the words may be about by themselves, whatever was decided: the likeliest first, each with its part of 1.
    pub clues: Vec<(ConceptId, f32)>,
}

impl Decision {
    /// Whether it is left to a person, unless more is found.
    pub fn is_open(&self) -> bool {
        self.is_weak || self.method == Method::Fallback
    }
}

/// The concepts of what owners take and pay in.
const DRAWINGS: &str = "drawings";
const CAPITAL: &str = "capital_introduced";

/// Sales by the way they are paid for or come in.
const PAID_SALES: &[&str] = &["card_takings", "online_sales", "marketplace_sales", "delivery_sales"];

/// From this fit on such sales have an account of their own.
const OWN_SALES_FIT: f32 = 0.75;

/// Words of accounts whose customers pay by invoice.
const NOT_PAID_BY_CARD: &[&str] =
    &["CONTRACT", "CONTRACTOR", "COUNCIL", "EXPORT", "NHS", "REVERSE", "SCRAP", "TRADE", "WHOLESALE"];

/// Words of accounts for what is sold to people who do not come in and pay cash.
const NOT_PAID_IN_CASH: &[&str] = &["AMAZON", "EBAY", "ETSY", "INTERNET", "ONLINE", "SHOPIFY", "WEB", "WEBSITE"];

/// How lines call a deposit.
const DEPOSITS: &[&str] = &["DEPOSIT", "DEPOSITS", "DEP", "DEPO", "DEPS", "BOND", "RETAINER", "KEY", "HOLDING"];

/// What people are paid for who work for the business.
const WORKERS: &[&str] = &["freelancers", "salaries", "subcontractors"];

/// What firms sell, and people seldom: a word of it says what somebody worked with.
const MATERIALS: &[&str] = &["building_materials", "cogs", "raw_materials"];

/// How lines call what staff is paid.
const WAGES: &[&str] = &["PAYROLL", "SALARIES", "SALARY", "WAGE", "WAGES"];

/// Costs that a journal posts and a payment clears, where the chart keeps what is owed.
const CLEARED: &[&str] = &["salaries", "director_salary", "corporation_tax"];

/// How sure it is, before calibration, that takings go where the context has them cleared.
const CLEARED_RAW: f32 = 0.96;

/// So many clues of a line are learned from.
const CLUES_KEPT: usize = 6;

/// Decides lines of one batch.
#[derive(Debug)]
pub struct Decider<'k> {
    pub knowledge: &'k Knowledge,
    pub chart: &'k Chart,
    pub reader: Reader<'k>,
    /// What the context says about payees.
    pub hints: &'k Hints,
    /// What a receipt from an unknown payer is here.
    pub sales: Option<ConceptId>,
    /// What a payment to an unknown supplier is here.
    pub purchases: Option<ConceptId>,
    /// The account of private customers, where there is one of their own.
    private_customers: Option<Fit>,
    /// Accounts of credit cards.
    cards: Vec<usize>,
    /// Accounts whose names say that they are paid by standing order, or regularly.
    standing_orders: Vec<usize>,
    /// By the caller's own account that a line is from: the income account that has a word of its name.
    home_sales: Vec<Option<(usize, f32)>>,
    /// By the caller's own account that a line is from: the account of what is bought to be sold there.
    home_stock: Vec<Option<usize>>,
    /// By the caller's own account that a line is from: the accounts of the part of the business that it is for; empty where
    /// none is for a part.
    home_divisions: Vec<BTreeSet<usize>>,
    /// By the caller's own account that a line is from: what is owed to the clients whose money it holds.
    home_clients: Vec<Option<usize>>,
    /// By the caller's own account that a line is from: whether it is that of a payment service.
    home_services: Vec<bool>,
}

impl<'k> Decider<'k> {
    /// A decider for a chart.
    pub fn new(
        knowledge: &'k Knowledge,
        chart: &'k Chart,
        reader: Reader<'k>,
        hints: &'k Hints,
        (sales, purchases): (Option<ConceptId>, Option<ConceptId>),
    ) -> Self {
        let private = knowledge.id("private_customer_sales").and_then(|id| chart.fits(id).first().copied());
        let private_customers = private.filter(|fit| fit.score >= 0.75);
        let cards = knowledge.id("credit_card").map_or(&[][..], |id| chart.fits(id));
        let cards = cards.iter().filter(|fit| fit.score >= 0.6).map(|fit| fit.account).collect();
        // What is paid in regularly is paid by standing order.
        let is_regular = |account: usize| {
            chart.kinds.get(account) == Some(&AccountType::Income)
                && ["MONTHLY", "REGULAR", "WEEKLY"].iter().any(|word| chart.has_word(account, word))
        };
        let is_standing = |account: &usize| {
            is_regular(*account) || chart.has_word(*account, "STANDING") && chart.has_word(*account, "ORDER")
        };
        let standing_orders = (0..chart.kinds.len()).filter(is_standing).collect();
        let (home_sales, home_stock) = (Vec::new(), Vec::new());
        let (home_clients, home_services) = (Vec::new(), Vec::new());
        Self {
            knowledge,
            chart,
            reader,
            hints,
            sales,
            purchases,
            private_customers,
            cards,
            standing_orders,
            home_sales,
            home_stock,
            home_divisions: Vec::new(),
            home_clients,
            home_services,
        }
    }

    /// Decides a line by its own words; `home` is the caller's own account that it is from.
    pub fn decide(
        &self,
        wording: &Wording,
        (money_in, only_pays): (bool, bool),
        size: Size,
        home: Option<usize>,
    ) -> Decision {
        let vector = self.knowledge.meaning.vector(wording.text());
        let mut clues = self.reader.clues(wording, &vector, money_in, size.digits);
        clues.truncate(12);
        let parts = parts_of(&clues);
        let decision = self.decide_by_clues((wording, &vector), clues, (money_in, only_pays), size, home);
        Decision { clues: parts, ..decision }
    }

    /// What the words of a line may be about by themselves: the likeliest first, each with its part of 1.
    pub fn clues(&self, wording: &Wording, money_in: bool, digits: u32) -> Vec<(ConceptId, f32)> {
        let vector = self.knowledge.meaning.vector(wording.text());
        parts_of(&self.reader.clues(wording, &vector, money_in, digits))
    }

    fn decide_by_clues(
        &self,
        (wording, vector): (&Wording, &Vector),
        mut clues: Vec<Clue>,
        (money_in, only_pays): (bool, bool),
        size: Size,
        home: Option<usize>,
    ) -> Decision {
        let Size { is_large, digits, named_pence } = size;
        if is_large && !money_in {
            for clue in &mut clues {
                clue.concept = self.capital(clue.concept);
            }
        }
        // What a customer has bought, or a service pays out, is not what the business buys, unless it comes back.
        let is_paid_out = || wording.text().split(' ').any(|word| matches!(word, "PAYOUT" | "PAYOUTS"));
        let is_customers = || wording.channel != Channel::Card && is_person(&wording.payee) || is_paid_out();
        if money_in && (is_customers() || only_pays) && !is_money_back(wording) {
            clues.retain(|clue| !self.knowledge.concept(clue.concept).is_expense());
        }
        // What somebody pays for a tax return is no tax.
        let is_of_customer = || is_person(&wording.payee) || has_phrase(wording.text(), "TAX RETURN");
        if money_in && is_of_customer() && !has_phrase(wording.text(), "HMRC") {
            clues.retain(|clue| !self.is_about(Some(clue), &["self_assessment", "corporation_tax"]));
        }
        self.promote(&mut clues, wording, money_in);
        if !money_in && let Some(decision) = self.given_back(wording, &clues, size, home) {
            return decision;
        }
        self.add_of_service(&mut clues, wording, money_in, home);
        if let Some(owed) = home.and_then(|home| self.home_clients.get(home).copied().flatten())
            && !self.is_about(clues.first(), &["interest_received", "bank_charges"])
        {
            return self.of_clients(wording, owed, money_in);
        }
        let is_by_card = money_in && self.is_about(clues.first(), PAID_SALES);
        if let Some(account) = self.cleared(wording, &clues, money_in) {
            return Decision {
                account,
                method: Method::AccountName,
                raw: CLEARED_RAW,
                is_stated: true,
                ..self.unknown(money_in)
            };
        }
        self.replace(&mut clues, money_in);
        let gives_back = !money_in && self.is_about(clues.first(), &["customer_refund"]);
        let sold = if gives_back { self.sold(wording, vector, digits) } else { None };
        self.reverse_sales(&mut clues, sold);
        let phrases = self.phrases(wording, money_in || gives_back);
        let mut named = self.named_accounts(wording, &phrases, vector, &clues, money_in || gives_back);
        // What is paid back is what it was spent on, where the line says so and the chart keeps no account of claims.
        if let [claim, spent, ..] = clues.as_mut_slice()
            && self.knowledge.concept(claim.concept).name == "staff_expenses"
            && spent.score >= WEIGHTS.usual * 0.75
            && self.knowledge.concept(spent.concept).is_expense()
            && self.chart.fits(claim.concept).first().is_none_or(|fit| fit.score < WEIGHTS.own_account)
        {
            claim.score = spent.score * 0.5;
            clues.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.concept.cmp(&b.concept)));
        }
        // A pension provider is paid pensions, whatever the context says of pay beside its name.
        if !money_in && self.is_about(clues.first(), &["pension"]) {
            clues.retain(|clue| !self.is_about(Some(clue), &["salaries"]));
        }
        // Nor does whoever works for himself have wages, although he works shifts.
        if !money_in
            && self.hints.statements.people.paid(wording.text()) == Some(Paid::SelfEmployed)
            && !wording.text().split(' ').any(|word| WAGES.contains(&word))
        {
            clues.retain(|clue| !self.is_about(Some(clue), &["salaries"]));
        }
        let owners = self.owners_concepts(wording, money_in);
        self.keep_meant(wording, &clues, (money_in, is_large), owners, &mut named);
        let worded = clues.len();
        let strongest = clues.first().map_or(0.0, |clue| clue.score);
        self.add_usual(&mut clues, wording, money_in);
        // A person who pays is a private customer, where the chart keeps them apart.
        if money_in
            && is_person(&wording.payee)
            && let Some(fit) = self.private_customers
        {
            *named.entry(fit.account).or_insert(0.0) += WEIGHTS.account_word * 0.6;
        }
        if money_in && is_person(&wording.payee) {
            self.add_casual_hire(&clues, &mut named);
        }
        if money_in
            && !is_money_back(wording)
            && let Some((account, part)) = home.and_then(|home| self.home_sales.get(home).copied().flatten())
        {
            *named.entry(account).or_insert(0.0) += WEIGHTS.account_word * WEIGHTS.home_word * part;
        }
        if !money_in {
            self.add_home_stock(home, &clues, wording, &mut named);
        }
        let is_sold = money_in && home.and_then(|home| self.home_sales.get(home).copied().flatten()).is_some();
        let of_division = if is_sold { BTreeSet::new() } else { self.add_home_division(home, &clues, &mut named) };
        // What a card company pays out was not paid in cash.
        let is_of_service = is_by_card && wording.text().split(' ').any(is_payment_service);
        if is_of_service {
            named.retain(|account, _| !self.takes_cash_alone(*account));
        }
        let is_worker = !money_in
            && wording.channel != Channel::Card
            && is_person(&wording.payee)
            && clues.first().is_some_and(|clue| self.is_about(Some(clue), WORKERS));
        if is_worker {
            for (account, score) in &mut named {
                if MATERIALS.iter().any(|concept| self.fit(*account, concept) >= WEIGHTS.own_account) {
                    *score *= WEIGHTS.material_of_worker;
                }
            }
        }
        let best_named = named.values().copied().fold(0.0, f32::max);
        let is_to_person = !money_in && wording.channel != Channel::Card && is_person(&wording.payee);
        if clues.iter().all(|clue| clue.score < WEIGHTS.fallback_below) && best_named == 0.0 {
            return Decision { is_to_person, ..self.unknown(money_in) };
        }
        if owners.is_none_or(|(meant, _)| !self.is_about(clues.first(), &[meant, "self_assessment"])) {
            self.add_alike_words(wording, &phrases, &clues, &mut named);
        }
        // The wages of others are not meant by a word of a director's salary.
        if self.is_about(clues.first(), &["director_salary"]) {
            // But for the account that has the payee's whole name.
            let of_name = self.paired(wording.text(), money_in);
            named.retain(|account, _| {
                of_name.contains(account) || self.fit(*account, "salaries") <= self.fit(*account, "director_salary")
            });
        }
        self.clear_net_wages(wording, &clues, &mut named);
        self.add_instructed(wording, (money_in, named_pence), strongest >= WEIGHTS.usual, &mut named);
        let stated = self.stated(wording, &clues, &named, money_in);
        if let Some((account, plainness)) = stated {
            *named.entry(account).or_insert(0.0) += WEIGHTS.stated * plainness;
        }
        if !money_in {
            self.drop_income(&mut clues, gives_back);
        }
        let stated = stated.map(|(account, _)| account);
        let receipt = Receipt {
            money_in,
            is_by_card,
            is_of_service,
            is_in_cash: is_by_card && says_cash(wording),
            is_of_household: money_in && !is_firm(wording.text()),
        };
        let decision = self.weigh(&clues, (&named, &of_division), receipt, gives_back, stated);
        let usual = clues.get(worded..).unwrap_or_default().iter().any(|clue| Some(clue.concept) == decision.concept);
        let is_usual = usual && decision.method == Method::Semantic;
        // A known shop of which the chart keeps no account sells what is the owner's, or says nothing.
        let is_of_no_account = !money_in
            && decision.method == Method::Merchant
            && stated.is_none()
            && decision.concept.is_some_and(|concept| {
                self.fit(decision.account, self.knowledge.concept(concept).name) < WEIGHTS.no_account
            });
        if is_of_no_account && let Some((account, concept)) = self.reader.private_account_of() {
            return Decision { account, concept: Some(concept), raw: decision.raw.min(0.6), ..decision };
        }
        let is_weak = match decision.method {
            _ if is_of_no_account => true,
            Method::Semantic => decision.raw < WEIGHTS.weak_below || strongest < WEIGHTS.weak_alone,
            // One shared word that other accounts have as well, or that other evidence speaks against.
            Method::AccountName => decision.raw < WEIGHTS.weak_name_below,
            _ => false,
        };
        let is_to_person = is_to_person && !self.is_firm_of(wording, decision.concept);
        Decision { is_to_person, is_usual, is_weak, ..decision }
    }

    /// Puts first what a line is about whose other words only say whom it concerns: a body of a trade (*Sheep association*) takes
    /// subscriptions, a customer who is given money back bought something before, and who gives under Gift Aid is not HMRC.
    fn promote(&self, clues: &mut [Clue], wording: &Wording, money_in: bool) {
        let Some(strongest) = clues.first().map(|clue| clue.score) else { return };
        let text = wording.text();
        // Members and helpers are seldom called *Mrs*.
        let has_title = || matches!(text.split(' ').next(), Some("MR" | "MRS" | "MS" | "MISS" | "DR"));
        let is_customers = || has_title() && is_money_back(wording) && !self.is_raised_from_members();
        let meant = if money_in {
            let gives = wording.channel == Channel::StandingOrder || is_person(&wording.payee);
            let donation = self.knowledge.id("donation_income").filter(|_| gives && !has_phrase(text, "HMRC"));
            if let (Some(donation), Some(first)) = (donation, clues.first_mut())
                && self.is_about(Some(first), &["gift_aid"])
            {
                first.concept = donation;
            }
            return;
        } else if is_membership_of_body(text) {
            "subscriptions_prof"
        } else if is_customers() {
            "customer_refund"
        } else {
            return;
        };
        if let Some(clue) = clues.iter_mut().find(|clue| self.is_about(Some(clue), &[meant]))
            && clue.score >= WEIGHTS.weak
        {
            clue.score = clue.score.max(strongest + WEIGHTS.further);
            clues.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.concept.cmp(&b.concept)));
        }
    }

    /// Where money goes that a customer is given back: where it would have come from, had the line without its *refund* been a receipt.
    fn given_back(&self, wording: &Wording, clues: &[Clue], size: Size, home: Option<usize>) -> Option<Decision> {
        const BESIDE: &[&str] =
            &["CANC", "CANCELLATION", "CANCELLED", "DOUBLE", "OVERPAID", "OVERPD", "OVERPAYMENT", "PAID"];
        const CLAIMED: &[&str] = &["CLAIM", "DIESEL", "EXP", "EXPENSES", "EXPS", "MILEAGE", "PETROL", "RECEIPT"];
        let mut words = wording.text().split(' ');
        let is_claimed = words.clone().any(|word| CLAIMED.contains(&word));
        let is_refund = |word: &str| matches!(word, "REFD" | "REFUND" | "REFUNDED" | "REFUNDS" | "RFND");
        // A cheque or order of a customer that is not honoured is money given back as well.
        let is_unpaid =
            matches!((words.clone().next(), words.clone().nth(1)), (Some("UNPAID"), Some("CHEQUE" | "CHQ" | "STO")))
                && !words.clone().any(|word| matches!(word, "CHARGE" | "FEE"));
        let is_hall = || self.sales.is_some_and(|sales| self.knowledge.concept(sales).name == "room_hire_income");
        let is_customers = is_person(&wording.payee) && !self.is_raised_from_members() && !is_hall();
        let is_given_back = words.any(is_refund) && !is_claimed;
        let is_customers = is_customers || self.is_about(clues.first(), &["customer_refund"]);
        if !(is_unpaid || is_given_back && is_customers) {
            return None;
        }
        // *Sales returns and refunds*.
        let has = |account: &usize, word: &str| self.chart.has_word(*account, word);
        let of_returns = |account: &usize| self.is_trade(*account) && has(account, "REFUND") && !has(account, "VAT");
        let is_deposit = wording.text().split(' ').any(|word| DEPOSITS.contains(&word));
        if let Some(account) = self.only_account(of_returns).filter(|_| !is_deposit) {
            return Some(Decision { account, method: Method::AccountName, raw: 0.9, ..self.unknown(true) });
        }
        let is_of_cheque = |word: &str| is_unpaid && matches!(word, "CHEQUE" | "CHQ" | "STO" | "UNPAID");
        let without = |text: &str| {
            text.split(' ')
                .filter(|word| !is_refund(word) && !is_of_cheque(word) && !BESIDE.contains(word))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let receipt = Wording { padded: without(&wording.padded), payee: without(&wording.payee), ..wording.clone() };
        let decision = self.decide(&receipt, (true, false), size, home);
        let is_held = || self.holds_deposits(decision.account);
        let is_of_sales = self.chart.kinds.get(decision.account) == Some(&AccountType::Income) || is_held();
        (is_of_sales && decision.method != Method::Fallback).then_some(decision)
    }

    /// Whether the name of a payee, though it may be a person's, is that of a firm known for what was decided (*Matthew Clark*).
    fn is_firm_of(&self, wording: &Wording, concept: Option<ConceptId>) -> bool {
        let mut found = Vec::new();
        self.knowledge.patterns.find(&wording.padded, &mut found);
        let is_sold = |target: &Target| target.strength == Strength::Usual && Some(target.concept) == concept;
        found.iter().any(|hit| hit.start == 1 && hit.words >= 2 && hit.targets.iter().any(is_sold))
    }

    /// What an owner who is named takes or pays in, and what it is not; none of others, and of a company.
    fn owners_concepts(&self, wording: &Wording, money_in: bool) -> Option<(&'static str, &'static str)> {
        let is_owners = !self.reader.is_company() && self.reader.owner_of(wording).is_some();
        is_owners.then_some(if money_in { (CAPITAL, DRAWINGS) } else { (DRAWINGS, CAPITAL) })
    }

    /// Whether a clue is about one of these concepts.
    fn is_about(&self, clue: Option<&Clue>, concepts: &[&str]) -> bool {
        clue.is_some_and(|clue| concepts.contains(&self.knowledge.concept(clue.concept).name))
    }

    /// How well the best account of the chart fits a concept.
    fn best_fit(&self, concept: ConceptId) -> Option<f32> {
        self.chart.fits(concept).first().map(|fit| fit.score)
    }

    /// Money back to a customer comes out of the sales it was part of: `sold` where the line names it, else the usual ones.
    fn reverse_sales(&self, clues: &mut [Clue], sold: Option<ConceptId>) {
        for clue in clues {
            let reverses = match self.knowledge.concept(clue.concept).name {
                "customer_refund" => true,
                // A receipt that bounced was a sale, unless the chart keeps bad debts.
                "bad_debt" => self.best_fit(clue.concept).is_none_or(|fit| fit < 0.6),
                _ => false,
            };
            if reverses {
                clue.concept = sold.or(self.sales).unwrap_or(clue.concept);
            }
        }
    }

    /// Adds what is usual in the trade where the words say little: an unknown payer buys what is sold here, and most
    /// unknown suppliers sell what the trade buys.
    fn add_usual(&self, clues: &mut Vec<Clue>, wording: &Wording, money_in: bool) {
        let strongest = clues.first().map_or(0.0, |clue| clue.score);
        let usual = if money_in && !is_money_back(wording) {
            let is_sale = strongest < WEIGHTS.sale_below && wording.channel != Channel::Card;
            self.sales.filter(|_| is_sale).map(|concept| (concept, WEIGHTS.sale))
        } else {
            let is_purchase = strongest < WEIGHTS.purchase_below && !is_person(&wording.payee);
            let has_account = |concept: &ConceptId| self.best_fit(*concept).is_some_and(|fit| fit >= 0.5);
            let purchases = self.purchases.filter(|_| is_purchase).filter(has_account);
            purchases.map(|concept| (concept, WEIGHTS.purchase))
        };
        clues.extend(usual.map(|(concept, score)| Clue { concept, score, method: Method::Semantic }));
    }

    /// A person who hires a room is no regular group, where the chart keeps them apart: *Regular hire*, *Parties and one-off hire*.
    fn add_casual_hire(&self, clues: &[Clue], named: &mut BTreeMap<usize, f32>) {
        const CASUAL: &[&str] = &["CASUAL", "OCCASIONAL", "OFF", "PARTY", "PRIVATE"];
        let Some(hire) = self.knowledge.id("room_hire_income") else { return };
        let is_sale = clues.first().is_none_or(|clue| self.knowledge.concept(clue.concept).is_income());
        let is_hirer = self.sales == Some(hire) || self.is_about(clues.first(), &["room_hire_income"]);
        let fits = || self.chart.fits(hire).iter().filter(|fit| fit.score >= WEIGHTS.own_account);
        if !is_sale || !is_hirer || !fits().any(|fit| self.chart.has_word(fit.account, "REGULAR")) {
            return;
        }
        for fit in fits().filter(|fit| CASUAL.iter().any(|word| self.chart.has_word(fit.account, word))) {
            *named.entry(fit.account).or_insert(0.0) += WEIGHTS.account_word * 0.6;
        }
    }

    /// What was sold, if a line that gives money back tells.
    fn sold(&self, wording: &Wording, vector: &Vector, digits: u32) -> Option<ConceptId> {
        let clues = self.reader.clues(wording, vector, true, digits);
        let income = |clue: &&Clue| {
            let concept = self.knowledge.concept(clue.concept);
            concept.is_income() && !matches!(concept.name, "customer_refund" | "cashback" | "other_income")
        };
        clues.iter().find(income).filter(|clue| clue.score >= 1.0).map(|clue| clue.concept)
    }

    /// The asset that equipment is when it is dear enough, if the chart has an account for it.
    fn capital(&self, concept: ConceptId) -> ConceptId {
        let fits = |id: &ConceptId| self.best_fit(*id).is_some_and(|fit| fit >= 0.5);
        let asset = capital_of(self.knowledge.concept(concept).name).and_then(|name| self.knowledge.id(name));
        asset.filter(fits).unwrap_or(concept)
    }

    /// Money that goes out is no income, unless it goes back to a customer.
    fn drop_income(&self, clues: &mut Vec<Clue>, gives_back: bool) {
        let has_other = clues.iter().any(|clue| !self.knowledge.concept(clue.concept).is_income());
        if !gives_back && has_other {
            clues.retain(|clue| !self.knowledge.concept(clue.concept).is_income());
        }
    }

    /// Whether money may go to an account on such evidence: to income only when it goes back to a customer; to own bank
    /// accounts and cards, debtors, creditors, VAT and other accounts of the balance sheet only on words that mean them.
    fn may_go(&self, account: usize, method: Option<Method>, money_in: bool, gives_back: bool) -> bool {
        match self.chart.kinds.get(account) {
            Some(AccountType::Expense) | None => true,
            Some(AccountType::Income) => money_in || gives_back,
            Some(AccountType::Asset | AccountType::Liability | AccountType::Equity) => match method {
                Some(Method::UniversalPattern) => true,
                // By a word of its name that is not the word for such accounts.
                Some(Method::AccountName) => !self.chart.is_kept_by_documents(account) && !self.is_card(account),
                Some(Method::Merchant) => !self.chart.is_control(account),
                _ => false,
            },
        }
    }

    /// Whether a concept is what customers owe or suppliers are owed.
    fn is_of_documents(&self, concept: ConceptId) -> bool {
        matches!(self.knowledge.concept(concept).name, "trade_debtors" | "trade_creditors")
    }

    /// Whether an account is income or expense.
    fn is_trade(&self, account: usize) -> bool {
        matches!(self.chart.kinds.get(account), Some(AccountType::Income | AccountType::Expense))
    }

    /// Spreads each concept over its accounts and takes the account with most weight.
    fn weigh(
        &self,
        clues: &[Clue],
        (named, of_division): (&BTreeMap<usize, f32>, &BTreeSet<usize>),
        receipt: Receipt,
        gives_back: bool,
        stated: Option<usize>,
    ) -> Decision {
        let mut by_account: BTreeMap<usize, Weight> = BTreeMap::new();
        let mut owed_as_wages = None;
        let mut total = libm::expf(WEIGHTS.sharpness * WEIGHTS.nothing);
        for clue in clues {
            let fits = self.chart.fits(clue.concept);
            let Some(best) = fits.first() else { continue };
            // Nobody is paid out of the cost of wages where pay clears what is owed as net wages.
            let is_pay = clue.method == Method::Semantic
                && self.is_about(Some(clue), CLEARED)
                && self.chart.kinds.get(best.account) == Some(&AccountType::Liability)
                && !self.reader.pay_goes_to_wages();
            let is_wages = self.is_about(Some(clue), &["salaries", "director_salary"]);
            owed_as_wages = owed_as_wages.or(Some(best.account).filter(|_| is_pay && clue.score >= WEIGHTS.usual));
            // A chart without an account for a concept makes the concept less likely.
            let weight = libm::expf(WEIGHTS.sharpness * clue.score)
                * (WEIGHTS.fit_floor + (1.0 - WEIGHTS.fit_floor) * best.score.min(1.0) * best.score.min(1.0));
            total += weight;
            // Sales of which nothing is said but how they were paid for.
            let is_paid = best.score < OWN_SALES_FIT && self.is_about(Some(clue), PAID_SALES);
            // What cards take where services are sold is not what a shop beside them sold.
            let is_beside = self.is_about(Some(clue), &["card_takings"]) && self.sells_beside_services();
            let is_online = is_paid && !self.is_about(Some(clue), &["card_takings"]);
            let is_sales = is_online || Some(clue.concept) == self.sales;
            // Nor is what services are sold for, where the first account of sales is for those.
            let is_of_services = is_sales
                && self.is_about(Some(clue), &["sales_services"])
                && self.chart.main_sales.is_some_and(|main| !self.is_for_goods(main));
            let has_contractors = receipt.is_of_household && fits.iter().any(|fit| self.is_of_contractors(fit.account));
            // Among the accounts of a concept, one that the line names is meant.
            let scores: Vec<f32> = fits
                .iter()
                .map(|fit| {
                    let is_billed = NOT_PAID_BY_CARD.iter().any(|word| self.chart.has_word(fit.account, word))
                        || receipt.is_of_service && self.takes_cash_alone(fit.account)
                        || receipt.is_in_cash && self.takes_no_cash(fit.account);
                    let is_by_card = !(is_paid || receipt.is_by_card) || !is_billed;
                    let is_main = is_sales && is_by_card && Some(fit.account) == self.chart.main_sales;
                    let is_of_goods = || (is_beside || is_of_services) && self.is_for_goods(fit.account);
                    let is_apart = !is_by_card || is_of_goods();
                    let is_at_home = has_contractors && self.is_of_households(fit.account);
                    let is_foreign = has_contractors && self.is_of_contractors(fit.account);
                    fit.score
                        - if is_apart { WEIGHTS.not_by_card } else { 0.0 }
                        - if is_foreign { WEIGHTS.not_private } else { 0.0 }
                        + if is_at_home { WEIGHTS.spoken_of } else { 0.0 }
                        + WEIGHTS.named_among * named.get(&fit.account).copied().unwrap_or(0.0).min(1.6)
                        + if is_main { WEIGHTS.main_sales } else { 0.0 }
                        + if self.hints.spoken_of.contains(&fit.account) { WEIGHTS.spoken_of } else { 0.0 }
                        + if of_division.contains(&fit.account) { WEIGHTS.division } else { 0.0 }
                })
                .collect();
            let scores = self.prefer_named_sibling(fits, scores, named);
            let top = scores.iter().copied().fold(0.0, f32::max);
            let shares: Vec<f32> =
                scores.iter().map(|score| libm::expf(WEIGHTS.account_sharpness * (score - top))).collect();
            let sum: f32 = shares.iter().sum();
            for (fit, share) in fits.iter().zip(shares) {
                // What a wide name or a distant likeness leads to is no reason to touch the balance sheet.
                let is_meant = self.is_trade(fit.account) || named.contains_key(&fit.account);
                let is_cost = is_pay && self.chart.kinds.get(fit.account) == Some(&AccountType::Expense);
                // A director's wages are not paid out of the director's loan.
                let is_loan = is_wages && self.chart.has_word(fit.account, "LOAN");
                if is_cost || is_loan || fit.score < WEIGHTS.balance_sheet_fit && !is_meant {
                    continue;
                }
                let part = weight * share / sum;
                let account = by_account.entry(fit.account).or_default();
                account.sum += part;
                if part > account.best {
                    account.best = part;
                    account.concept = Some(clue.concept);
                    account.method = Some(clue.method);
                    account.worded = Some(clue.method);
                }
            }
        }
        for (account, score) in named {
            let weight = libm::expf(WEIGHTS.sharpness * score) - 1.0;
            total += weight;
            let entry = by_account.entry(*account).or_default();
            // With other evidence for the same account a shared word confirms; alone it decides.
            if weight > entry.best {
                entry.method = Some(Method::AccountName);
                entry.best = weight;
            }
            entry.sum += weight;
        }
        let mut ranked: Vec<(usize, Weight)> = by_account.into_iter().collect();
        ranked.sort_by(|(a, left), (b, right)| right.sum.total_cmp(&left.sum).then(a.cmp(b)));
        ranked.retain(|(account, weight)| {
            let is_of_documents = self.chart.is_of_documents(*account)
                && !weight.concept.is_some_and(|concept| self.is_of_documents(concept));
            // A word of the name takes nothing away from what else the line says.
            let may_go = |method| self.may_go(*account, method, receipt.money_in, gives_back);
            Some(*account) == stated
                || owed_as_wages == Some(*account)
                || !is_of_documents && (may_go(weight.method) || may_go(weight.worded))
        });
        let Some((account, weight)) = ranked.first().cloned() else { return self.unknown(receipt.money_in) };
        let concept = weight.concept.or_else(|| self.chart.concept_of(account).map(|(id, _)| id));
        let others = ranked.iter().skip(1).take(3).map(|(other, weight)| (*other, weight.sum / total)).collect();
        Decision {
            account,
            concept,
            method: weight.method.unwrap_or(Method::Semantic),
            raw: weight.sum / total,
            is_usual: false,
            is_weak: false,
            is_to_person: false,
            is_of_clients: false,
            is_stated: stated == Some(account),
            is_of_price: false,
            is_ranked: false,
            others,
            clues: Vec::new(),
        }
    }

    /// Of accounts that have all but a few words in common (*Wages: Mark Example*, *Wages: Jenna Example*) the one whose own words
    /// the line has is meant, however well the concept fits the other.
    fn prefer_named_sibling(&self, fits: &[Fit], scores: Vec<f32>, named: &BTreeMap<usize, f32>) -> Vec<f32> {
        let name = |fit: &Fit| named.get(&fit.account).copied().unwrap_or(0.0);
        let mut preferred = scores.clone();
        for ((fit, score), mut_score) in fits.iter().zip(&scores).zip(&mut preferred) {
            if name(fit) < 1.0 {
                continue;
            }
            // *Bar wages*, *Cleaner's wages*: of two words, and about as good for the concept.
            let are_alike = |other: &Fit| {
                self.are_siblings(fit.account, other.account)
                    || other.score - fit.score < WEIGHTS.phrase_fit && self.are_of_two_words(fit.account, other.account)
            };
            let rivals = fits.iter().zip(&scores).filter(|(other, other_score)| {
                *other_score > score && name(other) + 1.0 < name(fit) && are_alike(other)
            });
            let best = rivals.map(|(_, score)| *score).fold(*score, f32::max);
            *mut_score = if best > *score { best + WEIGHTS.spoken_of } else { *score };
        }
        preferred
    }

    /// Whether an account is for what is sold online (*Online shop*), and not in a shop as well (*Shop and online*).
    fn takes_no_cash(&self, account: usize) -> bool {
        let words = self.chart.words.get(account).map_or(&[][..], Vec::as_slice);
        let is_online = |word: &NameWord| NOT_PAID_IN_CASH.contains(&word.stem.as_str());
        let is_shop = |at: usize, word: &NameWord| {
            word.stem == "SHOP" && !at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(is_online)
        };
        words.iter().any(is_online) && !words.iter().enumerate().any(|(at, word)| is_shop(at, word))
    }

    /// Whether an account is for work for householders: *Domestic customers*.
    fn is_of_households(&self, account: usize) -> bool {
        self.chart.kinds.get(account) == Some(&AccountType::Income)
            && ["DOMESTIC", "HOUSEHOLD", "HOUSEHOLDER"].iter().any(|word| self.chart.has_word(account, word))
            && !self.is_of_contractors(account)
    }

    /// Whether an account is for work for contractors, who are no private people: *Contract work (CIS, reverse charge)*.
    fn is_of_contractors(&self, account: usize) -> bool {
        ["CIS", "REVERSE"].iter().any(|word| self.chart.has_word(account, word))
    }

    /// Whether an account is that of cash beside another of cards: *Counter sales (cash)*, *Counter sales (card)*.
    fn takes_cash_alone(&self, account: usize) -> bool {
        let is_income = |account: usize| self.chart.kinds.get(account) == Some(&AccountType::Income);
        let of_cards = |other: usize| is_income(other) && self.chart.has_word(other, "CARD");
        is_income(account)
            && self.chart.has_word(account, "CASH")
            && !self.chart.has_word(account, "CARD")
            && (0..self.chart.kinds.len()).any(of_cards)
    }

    /// Whether two accounts share at least two words, and all but two at most of each.
    fn are_siblings(&self, one: usize, other: usize) -> bool {
        let count = |account: usize| self.chart.words.get(account).map_or(0, Vec::len);
        let shared = self.shared_words(one, other);
        shared >= 2 && count(one) <= shared + 2 && count(other) <= shared + 2
    }

    /// Whether two accounts of a type have names of two words of which they share one: *Bar wages*, *Cleaner's wages*.
    fn are_of_two_words(&self, one: usize, other: usize) -> bool {
        let count = |account: usize| self.chart.words.get(account).map_or(0, Vec::len);
        self.chart.kinds.get(one) == self.chart.kinds.get(other)
            && count(one) == 2
            && count(other) == 2
            && self.shared_words(one, other) == 1
    }

    /// How many words of one account's name another has as well.
    fn shared_words(&self, one: usize, other: usize) -> usize {
        let words = |account: usize| self.chart.words.get(account).map_or(&[][..], Vec::as_slice);
        words(one).iter().filter(|word| words(other).iter().any(|theirs| theirs.stem == word.stem)).count()
    }

    /// The only account of the chart of which something is true.
    fn only_account(&self, is_meant: impl Fn(&usize) -> bool) -> Option<usize> {
        let mut meant = (0..self.chart.kinds.len()).filter(is_meant);
        meant.next().filter(|_| meant.next().is_none())
    }

    /// The concept that an account is as good as named after.
    pub fn sure_concept_of(&self, account: usize) -> Option<ConceptId> {
        self.chart.concept_of(account).filter(|(_, fit)| *fit >= WEIGHTS.own_account).map(|(id, _)| id)
    }

    /// What is done with a line about which nothing is known.
    pub fn unknown(&self, money_in: bool) -> Decision {
        let (out, into) = self.chart.unknown;
        Decision {
            account: if money_in { into } else { out },
            concept: None,
            method: Method::Fallback,
            raw: 0.08,
            is_usual: false,
            is_weak: false,
            is_to_person: false,
            is_of_clients: false,
            is_stated: false,
            is_of_price: false,
            is_ranked: false,
            others: Vec::new(),
            clues: Vec::new(),
        }
    }

    /// Whether an account is that of a credit card.
    fn is_card(&self, account: usize) -> bool {
        self.cards.contains(&account)
    }

    /// How well an account fits a concept.
    fn fit(&self, account: usize, concept: &str) -> f32 {
        let fits = self.knowledge.id(concept).map_or(&[][..], |id| self.chart.fits(id));
        fits.iter().find(|fit| fit.account == account).map_or(0.0, |fit| fit.score)
    }

    /// Whether an account is that of a mortgage or of a loan from somebody else than a director.
    fn is_loan(&self, account: usize) -> bool {
        let is_mortgage =
            self.chart.kinds.get(account) == Some(&AccountType::Liability) && self.chart.has_word(account, "MORTGAGE");
        is_mortgage || self.chart.has_word(account, "LOAN") && !self.chart.has_word(account, "DIRECTOR")
    }

    /// Whether a line of this direction may go to an account for its name alone.
    fn takes(&self, account: usize, money_in: bool) -> bool {
        // What a card company pays in are takings, whatever card of its one has.
        if money_in && self.is_card(account) {
            return false;
        }
        match self.chart.kinds.get(account) {
            Some(AccountType::Income) => money_in,
            Some(AccountType::Expense) => !money_in,
            Some(AccountType::Liability | AccountType::Equity) => true,
            Some(AccountType::Asset) | None => false,
        }
    }
}

/// The strongest clues, each with its part of 1: powers of e beside that of no evidence.
fn parts_of(clues: &[Clue]) -> Vec<(ConceptId, f32)> {
    let strongest = clues.iter().take(CLUES_KEPT);
    let most = strongest.clone().map(|clue| clue.score).fold(0.0, f32::max);
    let weights: Vec<f32> = strongest.clone().map(|clue| libm::expf(clue.score - most)).collect();
    let total = weights.iter().sum::<f32>() + libm::expf(-most);
    strongest.zip(weights).map(|(clue, weight)| (clue.concept, weight / total)).collect()
}

/// Whether a text names a firm, as those call themselves for whom others work under CIS.
fn is_firm(text: &str) -> bool {
    const FIRMS: &[&str] = &[
        "BUILD",
        "BUILDERS",
        "BUILDING",
        "CIS",
        "CONSTR",
        "CONSTRUCTION",
        "CONTRACTORS",
        "CONTRACTS",
        "COUNCIL",
        "DEV",
        "DEVELOP",
        "DEVELOPERS",
        "DEVELOPMENTS",
        "DEVS",
        "FITOUT",
        "GROUP",
        "HOMES",
        "HOUSING",
        "INTERIORS",
        "LABOUR",
        "LIMITED",
        "LLP",
        "LTD",
        "PLC",
        "PROJECTS",
    ];
    text.split(' ').any(|word| FIRMS.contains(&word))
}

/// Whether a line pays in notes and coins.
fn says_cash(wording: &Wording) -> bool {
    wording.channel == Channel::Cash
        || wording.text().split(' ').any(|word| word == "CASH")
        || ["PAID IN", "POST OFFICE"].iter().any(|phrase| has_phrase(wording.text(), phrase))
}

/// Whether a line pays what a body of a trade takes from its members.
fn is_membership_of_body(text: &str) -> bool {
    const BODIES: &[&str] =
        &["ALLIANCE", "ASSN", "ASSOC", "ASSOCIATION", "CONFEDERATION", "FED", "FEDERATION", "GUILD"];
    const NATIONAL: &[&str] = &["BRITISH", "NAT", "NATIONAL", "NATL"];
    const MEMBERS: &[&str] = &["MEMBERSHIP", "MEMBERSHP", "MSHIP", "SUBS", "SUBSCRIPTION"];
    const TIMES: &[&str] = &["ANNUAL", "RENEWAL", "YEARLY"];
    let has = |words: &[&str]| text.split(' ').any(|word| words.contains(&word));
    let last = text.rsplit(' ').find(|word| !TIMES.contains(word));
    has(MEMBERS) && (has(BODIES) || has(NATIONAL)) || last.is_some_and(|word| BODIES.contains(&word) && word != "FED")
}

/// What a line says of how, and by whom, money was paid in.
#[derive(Debug, Clone, Copy)]
struct Receipt {
    /// Whether it is one.
    money_in: bool,
    /// Customers paid by card, or it was paid in over the counter.
    is_by_card: bool,
    /// A payment service pays it out.
    is_of_service: bool,
    /// Notes and coins.
    is_in_cash: bool,
    /// Nothing says that a firm paid.
    is_of_household: bool,
}

/// What the amount of a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Size {
    /// Equipment of this price is an asset.
    pub is_large: bool,
    /// How many binary digits it has in pence.
    pub digits: u32,
    /// It itself, where the context speaks of it.
    pub named_pence: Option<i128>,
}

impl Size {
    /// Of a line of the past, which stands for others of its payee.
    pub const fn of_past(digits: u32) -> Self {
        Self { is_large: false, digits, named_pence: None }
    }
}

#[derive(Debug, Clone, Default)]
struct Weight {
    sum: f32,
    best: f32,
    concept: Option<ConceptId>,
    method: Option<Method>,
    /// How the concept was found.
    worded: Option<Method>,
}
