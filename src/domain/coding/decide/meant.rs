//! Which of the accounts that a line names may be meant: what is owed rather than what it costs, what is held rather than what is
//! sold, whose account it is.

use std::collections::BTreeMap;

use super::{CAPITAL, CLEARED, DEPOSITS, DRAWINGS, Decider, OWN_SALES_FIT, PAID_SALES};
use crate::domain::coding::batch::AccountType;
use crate::domain::coding::context::has_phrase;
use crate::domain::coding::evidence::{Clue, is_money_back, is_paying_in};
use crate::domain::coding::knowledge::stem;
use crate::domain::coding::outcome::Method;
use crate::domain::coding::person::is_person;
use crate::domain::coding::weights::WEIGHTS;
use crate::domain::coding::wording::{Channel, Wording};

/// What the payee of a line tells whatever its remark says: what is insured, and why somebody stays at a hotel, is no purchase of it.
const TOLD_BY_PAYEE: &[&str] = &[
    "insurance",
    "vehicle_insurance",
    "prof_indemnity",
    "property_insurance",
    "pension",
    "hotel",
    "rail",
    "air_travel",
    "fuel",
    "donations",
];

/// From this fit on an account may be meant by its name, where the payee tells what is paid for.
const TOLD_FIT: f32 = 0.45;

/// How much more than a statement of the context a word of a self-invested pension says: more than any word of pensions.
const SELF_INVESTED: f32 = 1.5;

/// Words of bringing animals to a mart, which is no purchase of them.
const CARRIED: &[&str] = &["HAUL", "HAULAGE", "CARTAGE", "TRANSPORT"];

/// What lenders are paid.
pub(super) const OF_LENDERS: &[&str] =
    &["credit_card", "equipment_lease", "hp_finance", "interest_paid", "loan", "mortgage_capital", "mortgage_interest"];

impl Decider<'_> {
    /// Takes loans away of which a line names no more than a word that others have as well: what a loan is for where the payee is known to
    /// sell something else, and the property of a mortgage (*Wellington Row mortgage*), whose work is done there.
    fn drop_loans_of_others(&self, wording: &Wording, clues: &[Clue], named: &mut BTreeMap<usize, f32>) {
        const SAID: &[&str] = &["FINANCE", "LN", "LOAN", "LOANS", "MORTGAGE", "MTG", "MTGE", "REPAYMENT"];
        let words: Vec<String> = wording.text().split(' ').map(stem).collect();
        if wording.text().split(' ').any(|word| SAID.contains(&word)) {
            return;
        }
        let is_known = clues.first().is_some_and(|clue| {
            self.is_bought(clue) && matches!(clue.method, Method::Merchant | Method::UniversalPattern)
        });
        // What stands behind the word, or in brackets, is the lender.
        let names_lender = |account: usize| {
            let name = self.chart.words.get(account).map_or(&[][..], Vec::as_slice);
            let at = name.iter().position(|word| word.stem == "MORTGAGE");
            at.is_none_or(|at| name.iter().skip(at + 1).any(|word| words.contains(&word.stem)))
        };
        // *AMC loan* has its lender's name, as has an account with the first two words of a line.
        let begins: Vec<&str> = wording.text().split(' ').take(2).collect();
        let of_name = self.paired(&begins.join(" "), false);
        let begins_alike = |account: usize| {
            let name = self.chart.words.get(account).map_or(&[][..], Vec::as_slice);
            of_name.contains(&account)
                || !self.chart.has_word(account, "MORTGAGE") && name.first().map(|word| &word.stem) == words.first()
        };
        named.retain(|account, _| {
            !self.is_loan(*account) || begins_alike(*account) || !is_known && names_lender(*account)
        });
    }

    /// Keeps of the accounts that a line names those that it may mean.
    pub(super) fn keep_meant(
        &self,
        wording: &Wording,
        clues: &[Clue],
        (money_in, is_large): (bool, bool),
        owners: Option<(&str, &str)>,
        named: &mut BTreeMap<usize, f32>,
    ) {
        // What a supplier gives back is no sale, whatever the supplier is called.
        if money_in && is_money_back(wording) && clues.first().is_some_and(|clue| self.is_bought(clue)) {
            named.retain(|account, _| self.chart.kinds.get(*account) != Some(&AccountType::Income));
        }
        self.keep_deposits(wording, clues, money_in, named);
        self.keep_of_fund(named);
        // Subscriptions of the young are told by a word for them.
        let is_of_young = wording.text().split(' ').any(is_young) || has_phrase(wording.text(), "M AND J");
        if money_in && says_subscription(wording.text()) && !is_of_young {
            named.retain(|account, _| {
                !["JUNIOR", "MINI", "COLT"].iter().any(|word| self.chart.has_word(*account, word))
            });
        }
        // What somebody claims is no loan of theirs, where the chart keeps claims.
        if !money_in && self.is_about(clues.first(), &["staff_expenses"]) {
            named.retain(|account, _| {
                self.fit(*account, "director_loan") <= self.fit(*account, "staff_expenses").max(WEIGHTS.own_account)
            });
        }
        if !money_in && self.reader.paye_goes_to_wages() {
            named.retain(|account, _| self.fit(*account, "paye") <= self.fit(*account, "salaries"));
        }
        // What is withheld under CIS goes to HMRC: to whoever did the work it was paid net of it.
        if !money_in && !has_phrase(wording.text(), "HMRC") {
            named.retain(|account, _| {
                !(self.chart.kinds.get(*account) == Some(&AccountType::Liability)
                    && self.chart.has_word(*account, "CIS")
                    && wording.text().split(' ').any(|word| word == "CIS"))
            });
        }
        // What a bank charges is no payment of its card.
        if self.is_about(clues.first(), &["bank_charges", "card_fees", "interest_paid"]) {
            named.retain(|account, _| !self.is_card(*account));
        }
        // Nor is a loan paid back by card.
        if !money_in && wording.channel == Channel::Card {
            named.retain(|account, _| !self.is_loan(*account));
        }
        // Who pays something in is seldom the lender whose name a loan has.
        if money_in && !self.is_about(clues.first(), &["loan", "loan_received", "mortgage_capital", "hp_finance"]) {
            named.retain(|account, _| !self.is_loan(*account));
        }
        if !money_in && !self.is_about(clues.first(), OF_LENDERS) {
            self.drop_loans_of_others(wording, clues, named);
        }
        // What an owner takes is drawn, what an owner pays in is capital, whichever account has the name.
        if let Some((meant, other)) = owners {
            named.retain(|account, _| self.fit(*account, other) <= self.fit(*account, meant));
        }
        let is_carried = wording.text().split(' ').any(|word| CARRIED.contains(&word));
        let tells = |(at, clue): &(usize, &Clue)| {
            // Animals that are bought at a mart are not what the mart takes.
            let buys_animals = *at == 0 && self.is_about(Some(clue), &["livestock_purchase"]) && !is_carried;
            // Oil for heating is no fuel of a vehicle.
            let heats = self.is_about(Some(clue), &["fuel"]) && has_phrase(wording.text(), "OIL");
            buys_animals
                || !heats && self.is_about(Some(clue), TOLD_BY_PAYEE)
                || *at == 0 && self.is_about(Some(clue), &["subscriptions_prof"])
                || *at == 0 && clue.score >= WEIGHTS.decisive_trade && self.is_about(Some(clue), &["subscriptions"])
        };
        if !money_in && self.is_about(clues.first(), &["pension"]) {
            named.retain(|account, _| self.fit(*account, "salaries") <= self.fit(*account, "pension"));
        }
        // A self-invested pension is a director's, where the chart keeps those apart.
        let is_self_invested = wording.text().split(' ').any(|word| matches!(word, "SIPP" | "SSAS"));
        if !money_in && is_self_invested && self.is_about(clues.first(), &["pension"]) {
            let has = |account: &usize, word: &str| self.chart.has_word(*account, word);
            let of_directors = |account: &usize| has(account, "PENSION") && has(account, "DIRECTOR");
            for account in (0..self.chart.kinds.len()).filter(of_directors) {
                *named.entry(account).or_insert(0.0) += WEIGHTS.stated * SELF_INVESTED;
            }
        }
        if let Some((_, payee)) = clues.iter().enumerate().take(2).find(tells)
            && payee.score >= WEIGHTS.usual
            && !money_in
        {
            // But for an account that has the payee's name in its own.
            let begins: Vec<&str> = wording.text().split(' ').take(2).collect();
            let of_name = self.paired(&begins.join(" "), money_in);
            named.retain(|account, _| {
                of_name.contains(account)
                    || self.chart.fits(payee.concept).iter().any(|fit| fit.account == *account && fit.score >= TOLD_FIT)
            });
        }
        // Who gives by standing order under Gift Aid gives; the tax comes from HMRC.
        if money_in && wording.channel == Channel::StandingOrder {
            named.retain(|account, _| self.fit(*account, "gift_aid") <= self.fit(*account, "donation_income"));
        }
        // What is given is not the tax on it.
        if money_in && !has_phrase(wording.text(), "AID") && !has_phrase(wording.text(), "HMRC") {
            named.retain(|account, _| {
                self.fit(*account, "gift_aid") <= self.fit(*account, "donation_income").max(WEIGHTS.own_account)
            });
        }
        // A salary is pay, also an owner's: the owner's loan account is not meant by the name.
        if self.is_about(clues.first(), &["salaries", "director_salary"]) && self.reader.is_company() {
            named.retain(|account, _| self.fit(*account, "director_loan") < WEIGHTS.own_account);
        }
        // Nor is it where a line says dividend.
        if self.is_about(clues.first(), &["dividends"]) && !money_in {
            named.retain(|account, _| self.fit(*account, "director_loan") <= self.fit(*account, "dividends"));
        }
        // Who shares an owner's surname is not the owner, whose capital it is.
        if owners.is_none() && is_person(&wording.payee) && !self.is_about(clues.first(), &[CAPITAL, DRAWINGS]) {
            named.retain(|account, _| self.fit(*account, CAPITAL) < WEIGHTS.own_account);
        }
        // What is not known yet is nobody's, whoever is to be asked about it.
        named.retain(|account, _| self.fit(*account, "suspense") < WEIGHTS.own_account);
        // Tax on an owner's income is no capital of the owner whose name the line has.
        if self.is_about(clues.first(), &["self_assessment"]) {
            named.retain(|account, _| self.fit(*account, CAPITAL) <= self.fit(*account, "self_assessment"));
            // Nor is it drawn where the chart keeps it apart.
            let kept = clues.first().and_then(|clue| self.best_fit(clue.concept)).unwrap_or(0.0);
            if kept >= OWN_SALES_FIT {
                named.retain(|account, _| self.fit(*account, DRAWINGS) < kept);
            }
        }
        // What cards take where services are sold is not what a shop beside them sold.
        if money_in
            && wording.channel != Channel::Cash
            && (self.is_about(clues.first(), PAID_SALES)
                || clues.first().is_some_and(|clue| Some(clue.concept) == self.sales))
            && self.sells_beside_services()
        {
            named.retain(|account, _| !self.is_for_goods(*account));
        }
        // What is dear is not kept with what is "under £500".
        if is_large && !money_in {
            named.retain(|account, _| !self.chart.has_word(*account, "UNDER"));
        }
    }

    /// What is given to a fund and spent of it has accounts of its own beside the fund's: *Roof Appeal Expenditure* beside *Roof Appeal
    /// Fund*.
    fn keep_of_fund(&self, named: &mut BTreeMap<usize, f32>) {
        let trade: Vec<usize> = named.keys().copied().filter(|account| self.is_trade(*account)).collect();
        named.retain(|account, _| {
            let is_fund = !self.is_trade(*account)
                && ["FUND", "RESERVE", "RESTRICTED"].iter().any(|word| self.chart.has_word(*account, word));
            !(is_fund && trade.iter().any(|other| self.shared_words(*account, *other) >= 2))
        });
    }

    /// Deposits that are held are paid in and out as deposits, not by a word of what they are for: what is sold is named beside the
    /// deposit for it.
    fn keep_deposits(&self, wording: &Wording, clues: &[Clue], money_in: bool, named: &mut BTreeMap<usize, f32>) {
        /// Words of slips with which cash is paid in.
        const PAID_IN: &[&str] = &["CASH", "MACHINE", "OFFICE", "BRANCH", "COUNTER"];
        /// Deposits for keys or damage are told by a word for them.
        const SPECIAL: &[&str] = &["DAMAGE", "KEY", "FOB", "BREAKAGE", "BOND", "CASK", "TENANT"];
        let words = || wording.text().split(' ');
        let is_deposit = words().any(|word| DEPOSITS.contains(&word));
        let is_sale = money_in && self.reader.is_deposit_sale(wording);
        let is_held = is_deposit && !is_sale && !(money_in && is_paying_in(wording));
        named.retain(|account, _| is_held || !self.holds_deposits(*account));
        if !is_held || matches!(wording.channel, Channel::Cheque | Channel::Cash) {
            return;
        }
        let is_of_customer = if money_in {
            let is_slip = wording.text().starts_with("DEP") || words().any(|word| PAID_IN.contains(&word));
            !is_slip && !self.is_about(clues.first(), PAID_SALES)
        } else {
            is_money_back(wording)
        };
        let is_plain = self.is_about(clues.first(), &["customer_deposits", "event_income", "room_hire_income"]);
        let weight = match (is_of_customer, money_in) {
            (true, true) => WEIGHTS.instructed,
            (true, false) => WEIGHTS.stated,
            (false, _) if is_plain => WEIGHTS.account_word,
            (false, _) => return,
        };
        let is_special = |account: usize| {
            SPECIAL
                .iter()
                .any(|special| self.chart.has_word(account, special) && !words().any(|word| stem(word) == *special))
        };
        let fits = self.knowledge.id("customer_deposits").map_or(&[][..], |id| self.chart.fits(id));
        let mut held = fits
            .iter()
            .filter(|fit| fit.score >= WEIGHTS.own_account)
            .map(|fit| fit.account)
            .filter(|account| self.holds_deposits(*account) && !is_special(*account))
            .peekable();
        if is_of_customer && held.peek().is_some() {
            named.retain(|account, _| self.chart.kinds.get(*account) != Some(&AccountType::Income));
        }
        for account in held {
            *named.entry(account).or_insert(0.0) += weight;
        }
    }

    /// Pay clears what is owed as net wages, and a payment of tax the provision for it, where the chart posts the cost by journal:
    /// the accounts of the cost are not meant then, although the line names them.
    pub(super) fn clear_net_wages(&self, wording: &Wording, clues: &[Clue], named: &mut BTreeMap<usize, f32>) {
        let Some(pay) = clues.first().filter(|clue| self.is_about(Some(clue), CLEARED)) else {
            return;
        };
        if let [owed, costs @ ..] = self.chart.fits(pay.concept)
            && self.chart.kinds.get(owed.account) == Some(&AccountType::Liability)
        {
            let is_cost = |account: usize| self.chart.kinds.get(account) == Some(&AccountType::Expense);
            const PAY: &[&str] = &["WAGE", "WAGES", "SALARY", "SALARIES", "PAY", "PAYROLL", "APPRENTICE"];
            let says_pay = wording.text().split(' ').any(|word| PAY.contains(&word));
            let has_siblings = costs.iter().any(|fit| self.are_siblings(fit.account, owed.account));
            if self.reader.pay_clears()
                && self.is_about(Some(pay), &["salaries", "director_salary"])
                && says_pay
                && !has_siblings
            {
                *named.entry(owed.account).or_insert(0.0) += WEIGHTS.instructed;
            } else if self.reader.pay_goes_to_wages() && self.is_about(Some(pay), &["salaries"]) {
                if let Some(cost) = costs.iter().find(|fit| is_cost(fit.account)) {
                    *named.entry(cost.account).or_insert(0.0) += WEIGHTS.instructed;
                }
                return;
            }
            let is_of_pay =
                |account: usize| costs.iter().any(|fit| fit.account == account && fit.score >= WEIGHTS.own_account);
            named.retain(|account, _| !(is_cost(*account) && is_of_pay(*account)));
        }
    }

    /// Whether a clue is strong and about something that the business buys.
    fn is_bought(&self, clue: &Clue) -> bool {
        clue.score >= WEIGHTS.usual && self.knowledge.concept(clue.concept).is_expense()
    }

    /// Whether an account is for deposits that are held for others.
    pub(super) fn holds_deposits(&self, account: usize) -> bool {
        self.chart.kinds.get(account) == Some(&AccountType::Liability) && self.chart.has_word(account, "DEPOSIT")
    }
}

/// Whether a line pays a subscription, or says that it is a grown-up's.
fn says_subscription(text: &str) -> bool {
    const WORDS: &[&str] = &["SUB", "SUBS", "SUBSCRIPTION", "SUBSCRIPTIONS", "MEMBERSHIP", "SENIOR", "ADULT"];
    text.split(' ').any(|word| WORDS.contains(&word))
}

/// Words of juniors, minis and age groups: `U13`, `U16S`.
fn is_young(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "JUNIOR", "JUNIORS", "JNR", "JNRS", "JR", "MINI", "MINIS", "COLT", "COLTS", "YOUTH", "GIRLS", "BOYS", "STUDENT",
    ];
    let age = word.strip_prefix('U').map(|age| age.trim_end_matches('S'));
    WORDS.contains(&word) || age.is_some_and(|age| !age.is_empty() && age.bytes().all(|byte| byte.is_ascii_digit()))
}
