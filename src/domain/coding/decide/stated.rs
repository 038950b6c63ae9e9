//! Where the context sends a line: by a code, an amount, the payee's name, or what it says that a person is paid.

use std::collections::{BTreeMap, BTreeSet};

use super::meant::OF_LENDERS;
use super::{DRAWINGS, Decider, OWN_SALES_FIT, PAID_SALES, WORKERS};
use crate::domain::coding::batch::AccountType;
use crate::domain::coding::chart::Fit;
use crate::domain::coding::context::has_phrase;
use crate::domain::coding::evidence::{Clue, is_claim, is_money_back};
use crate::domain::coding::hints::Hint;
use crate::domain::coding::instructions::is_payment_service;
use crate::domain::coding::knowledge::{NameWord, stem};
use crate::domain::coding::person::is_person;
use crate::domain::coding::statements::Paid;
use crate::domain::coding::weights::WEIGHTS;
use crate::domain::coding::wording::{Channel, Wording, is_month};

/// How plainly a context that calls people self-employed in general says so of one of them.
const SELF_EMPLOYED_PLAINNESS: f32 = 0.7;

/// What banks and payment services charge.
const CHARGED: &[&str] = &["bank_charges", "card_fees", "selling_fees"];

/// Whether a line says that it is a charge.
fn says_charge(text: &str) -> bool {
    text.split(' ').any(|word| matches!(word, "CHARGE" | "CHARGES" | "CHGS" | "CHRGS" | "FEE" | "FEES"))
}

impl Decider<'_> {
    /// The account that the context has takings go to until a journal posts the sales, where the line is of some.
    pub(super) fn cleared(&self, wording: &Wording, clues: &[Clue], money_in: bool) -> Option<usize> {
        const OTHER: &[&str] = &["ADVANCE", "CHEQUE", "CHEQUES", "CHQ", "GRANT", "INTEREST", "ISA", "LOAN"];
        let (text, takings) = (wording.text(), &self.hints.takings);
        let is_cash = || {
            let is_said = ["CASH", "COUNTER CREDIT", "PAID IN"].iter().any(|phrase| has_phrase(text, phrase));
            let is_other = wording.channel == Channel::Cheque || text.split(' ').any(|word| OTHER.contains(&word));
            (is_said || wording.channel == Channel::Cash) && !is_other
        };
        let payout = takings.of_payout(text).filter(|_| self.is_about(clues.first(), PAID_SALES));
        let account = payout.or_else(|| takings.of_cash().filter(|_| is_cash()))?;
        let is_receipt = money_in && !says_charge(text) && !is_money_back(wording) && !is_person(&wording.payee);
        is_receipt.then_some(account)
    }

    /// Adds the accounts that the context sends lines like this to, by code or by amount.
    pub(super) fn add_instructed(
        &self,
        wording: &Wording,
        (money_in, named_pence): (bool, Option<i128>),
        is_remarked: bool,
        named: &mut BTreeMap<usize, f32>,
    ) {
        // What a person is paid for now is said by the remark, if by anything.
        let weight =
            if is_remarked && is_person(&wording.payee) { WEIGHTS.instructed_person } else { WEIGHTS.instructed };
        let is_fee = self.is_fee_of_service(wording, money_in);
        for (account, share) in self.hints.instructions.accounts(wording.text()) {
            let is_cleared = self.chart.kinds.get(account) == Some(&AccountType::Asset) && !is_fee;
            if is_cleared || self.takes(account, money_in) {
                *named.entry(account).or_insert(0.0) += weight * share;
            }
        }
        let beside_amount: Vec<&str> =
            named_pence.into_iter().flat_map(|pence| self.hints.instructions.beside_amount(pence)).collect();
        // "My 350 a week is drawings".
        if !money_in
            && beside_amount.contains(&"DRAWING")
            && self.reader.owner_of(wording).is_none()
            && let Some(drawn) = self.only_drawings()
        {
            *named.entry(drawn.account).or_insert(0.0) += WEIGHTS.instructed;
        }
        // "My standing order of £1,047.50 is my salary": a director's is no wages of staff.
        if !money_in
            && beside_amount.iter().any(|word| matches!(*word, "SALARY" | "PAY" | "WAGE" | "REMUNERATION"))
            && self.reader.is_company()
            && self.reader.owner_of(wording).is_some()
            && let Some(fit) = self.knowledge.id("director_salary").and_then(|id| self.chart.fits(id).first())
            && fit.score >= OWN_SALES_FIT
        {
            *named.entry(fit.account).or_insert(0.0) += WEIGHTS.instructed;
            return;
        }
        for word in beside_amount {
            for (account, part) in self.chart.by_name.of_rare_word(word) {
                if self.takes(*account, money_in) {
                    *named.entry(*account).or_insert(0.0) += WEIGHTS.hinted_word * part;
                }
            }
        }
    }

    /// The account that the context sends a line's payee to by its name, and how plainly.
    pub(super) fn stated(
        &self,
        wording: &Wording,
        clues: &[Clue],
        named: &BTreeMap<usize, f32>,
        money_in: bool,
    ) -> Option<(usize, f32)> {
        let is_kept = |account| self.chart.kinds.get(account) == Some(&AccountType::Asset);
        let stated = |account| is_kept(account) || self.takes(account, money_in);
        let is_owners = || self.reader.owner_of(wording).is_some();
        let paid = self.hints.statements.people.paid(wording.text()).filter(|_| !money_in);
        let paid = paid.filter(|paid| *paid != Paid::SelfEmployed || !is_owners());
        if let Some(account) = paid.and_then(|paid| self.account_of_paid(paid, wording)) {
            return Some((account, 1.0));
        }
        // Tips that a tronc shares are paid out of what is kept for it.
        if !money_in && wording.text().split(' ').any(|word| word == "TRONC") {
            let is_kept = |account: &usize| self.takes(*account, money_in) && self.chart.has_word(*account, "TRONC");
            if let Some(account) = self.only_account(is_kept) {
                return Some((account, 1.0));
            }
        }
        // A retention that is released clears what is owed of it.
        const RETAINED: &[&str] = &["RETENTION", "RETENTIONS"];
        if money_in && wording.text().split(' ').any(|word| RETAINED.contains(&word)) {
            let is_owed = |account: &usize| is_kept(*account) && self.chart.has_word(*account, "RETENTION");
            if let Some(account) = (0..self.chart.kinds.len()).find(is_owed) {
                return Some((account, 1.0));
            }
        }
        if !money_in && let Some(account) = self.wages_by_remark(wording) {
            return Some((account, 1.0));
        }
        if !money_in && let Some(account) = self.paid_off_whole(wording, clues) {
            return Some((account, 1.0));
        }
        if !money_in
            && let Some(account) = self.paid_as_self_employed(wording, clues)
            && named.iter().all(|(other, score)| *other == account || *score < WEIGHTS.account_word * 0.5)
        {
            return Some((account, SELF_EMPLOYED_PLAINNESS));
        }
        // Premiums that are paid by instalments, where the chart keeps what is owed.
        const PREMIUMS: &[&str] = &["PREMIUM CREDIT", "CLOSE BROTHERS PREMIUM", "CLOSE PREMIUM", "PREMIUM FINANCE"];
        if !money_in && PREMIUMS.iter().any(|lender| has_phrase(wording.text(), lender)) {
            let is_owed = |account: &usize| {
                self.chart.kinds.get(*account) == Some(&AccountType::Liability)
                    && self.chart.has_word(*account, "PREMIUM")
            };
            if let Some(account) = self.only_account(is_owed) {
                return Some((account, 1.0));
            }
        }
        if let Some(account) = self.cleared_by_name(wording, money_in) {
            return Some((account, 1.0));
        }
        let is_fee = self.is_fee_of_service(wording, money_in);
        let is_charge = !money_in && says_charge(wording.text()) && self.is_about(clues.first(), CHARGED);
        let is_spent = |account| self.chart.kinds.get(account) == Some(&AccountType::Expense);
        let is_of_charges = |account| {
            ["CHARGE", "COMMISSION", "FEE"].iter().any(|word| self.chart.has_word(account, word))
                || CHARGED.iter().any(|concept| self.fit(account, concept) >= WEIGHTS.own_account)
        };
        // What somebody is paid back is no pay.
        let is_claim = !money_in && is_claim(wording);
        let is_pay = |account| self.fit(account, "salaries") >= OWN_SALES_FIT;
        self.hints.statements.account(wording.text(), |account| {
            stated(account)
                && (!is_fee || is_spent(account))
                && (!is_charge || is_of_charges(account))
                && !(is_claim && is_pay(account))
        })
    }

    /// The wages of where somebody works, if that and a month are all that the line says: *Bar wages* for `CHLOE EXAMPLE BAR APRIL`.
    fn wages_by_remark(&self, wording: &Wording) -> Option<usize> {
        const PAY: &[&str] = &["PAY", "STAFF", "WAGE"];
        const REMARKS: &[&str] = &["BONUS", "EXPENSE", "LOAN", "MILEAGE", "NET", "PAYROLL", "SALARY"];
        let words: Vec<&str> = wording.text().split(' ').filter(|word| !is_month(word)).collect();
        let [_, _, remark] = words.as_slice() else { return None };
        let remark = stem(remark);
        let is_place = ![PAY, REMARKS].iter().any(|words| words.contains(&remark.as_str()));
        if !is_place || !is_person(&wording.payee) {
            return None;
        }
        self.only_account(|account| {
            self.chart.kinds.get(*account) == Some(&AccountType::Expense)
                && self.chart.has_word(*account, &remark)
                && PAY.iter().any(|word| self.chart.has_word(*account, word))
        })
    }

    /// The account of whoever works for himself, where the chart keeps one, the context speaks of them in general ("drivers are self-employed"),
    /// and a person is paid whom it does not name among its employees.
    fn paid_as_self_employed(&self, wording: &Wording, clues: &[Clue]) -> Option<usize> {
        const CALLED: &[&str] = &[" SELF EMPLOYED ", " FREELANCE ", " FREELANCERS "];
        const OF_OTHERS: &[&str] =
            &["ADVANCE", "EXPENSES", "EXPS", "LOAN", "MILEAGE", "PAYROLL", "REFUND", "RENT", "SALARY", "WAGES"];
        let text = wording.text();
        let is_other = text.split(' ').any(|word| OF_OTHERS.contains(&word));
        let is_work = clues.first().is_none_or(|clue| self.is_about(Some(clue), WORKERS));
        if is_other || !is_work || !is_person(&wording.payee) || self.reader.owner_of(wording).is_some() {
            return None;
        }
        let speaks = |hint: &Hint| !hint.is_first && CALLED.iter().any(|phrase| hint.padded.contains(phrase));
        if !self.hints.any(speaks) || !self.reader.is_no_employee(text) {
            return None;
        }
        let has = |account: &usize, word: &str| self.chart.has_word(*account, word);
        self.only_account(|account| {
            self.chart.kinds.get(*account) == Some(&AccountType::Expense)
                && (has(account, "FREELANCE") || has(account, "SELF") && has(account, "EMPLOYED"))
        })
    }

    /// The mortgage or loan with a lender's name that the context says is paid off by the whole of each payment: "Leeds is repayment, so put
    /// the whole payment against the loan".
    fn paid_off_whole(&self, wording: &Wording, clues: &[Clue]) -> Option<usize> {
        const WHOLE: &[&str] = &[" WHOLE ", " IN FULL ", " ENTIRE ", " ALL OF IT ", " FULL PAYMENT "];
        let lender = wording.text().split(' ').next()?;
        if !self.is_about(clues.first(), OF_LENDERS) {
            return None;
        }
        let says_so = |hint: &Hint| {
            let text = hint.padded.as_str();
            text.contains(&format!(" {lender} ")) && WHOLE.iter().any(|phrase| text.contains(phrase))
        };
        self.hints.any(says_so).then_some(())?;
        let lender = stem(lender);
        self.only_account(|account| {
            self.chart.kinds.get(*account) == Some(&AccountType::Liability) && self.chart.has_word(*account, &lender)
        })
    }

    /// The clearing account of whose money a shop takes for others, where the context speaks of clearing: *PayPoint clearing*.
    fn cleared_by_name(&self, wording: &Wording, money_in: bool) -> Option<usize> {
        if !self.hints.speaks_of_clearing || self.hints.takings.is_of_others(wording.text()) {
            return None;
        }
        let is_kept = |account: &usize| {
            matches!(self.chart.kinds.get(*account), Some(AccountType::Asset | AccountType::Liability))
                && self.chart.has_word(*account, "CLEARING")
        };
        let words: Vec<String> = wording.text().split(' ').map(stem).collect();
        // What is earned by it is income, and what its machine costs is paid.
        const EARNED: &[&str] = &["CHARGE", "COMMISSION", "COMM", "FEE", "RENT", "RENTAL", "TXN"];
        if words.iter().any(|word| EARNED.contains(&word.as_str())) {
            return None;
        }
        let groups = self.knowledge.affinities.find(&wording.padded, money_in);
        let kin: Vec<usize> = groups
            .into_iter()
            .flat_map(|group| self.chart.by_name.of_group(group))
            .map(|(account, _)| *account)
            .collect();
        // Half of the words of its name, or what belongs to it: *National Book Tokens clearing* is for no other books.
        let is_named = |account: &usize| {
            let name = self.chart.words.get(*account).map_or(&[][..], Vec::as_slice);
            const PLAIN: &[&str] = &["CLEARING", "CASH", "TILL", "TAKING"];
            let own: Vec<&NameWord> = name.iter().filter(|word| !PLAIN.contains(&word.stem.as_str())).collect();
            let shared = own.iter().filter(|word| word.stem.chars().count() >= 4 && words.contains(&word.stem)).count();
            shared > 0 && 2 * shared >= own.len()
        };
        self.only_account(|account| is_kept(account) && is_named(account))
            .or_else(|| self.only_account(|account| is_kept(account) && kin.contains(account)))
    }

    /// Whether a line pays a card company, whose fees are not the takings that it pays out.
    fn is_fee_of_service(&self, wording: &Wording, money_in: bool) -> bool {
        !money_in && wording.text().split(' ').any(is_payment_service)
    }

    /// The account of drawings, unless each owner has one.
    fn only_drawings(&self) -> Option<Fit> {
        const APART: f32 = 0.05;
        let fits = self.knowledge.id(DRAWINGS).map_or(&[][..], |id| self.chart.fits(id));
        let (first, others) = fits.split_first()?;
        others.iter().all(|other| other.score < first.score - APART).then_some(*first)
    }

    /// Where what a person is paid goes, if the chart keeps it.
    fn account_of_paid(&self, paid: Paid, wording: &Wording) -> Option<usize> {
        let concept = match paid {
            Paid::Dividends => "dividends",
            Paid::Loan => "director_loan",
            Paid::Drawings if self.reader.is_company() => "director_loan",
            Paid::Drawings => DRAWINGS,
            Paid::SelfEmployed => return self.account_of_work(wording),
        };
        let fits = self.knowledge.id(concept).map_or(&[][..], |id| self.chart.fits(id));
        fits.first().filter(|fit| fit.score >= OWN_SALES_FIT).map(|fit| fit.account)
    }

    /// The account of those who work for themselves, where the chart has one, or one that a line names.
    fn account_of_work(&self, wording: &Wording) -> Option<usize> {
        let words: Vec<String> = wording.text().split(' ').map(stem).collect();
        let fits = ["subcontractors", "freelancers"].into_iter().filter_map(|name| self.knowledge.id(name));
        let own = fits.flat_map(|id| self.chart.fits(id)).filter(|fit| fit.score >= OWN_SALES_FIT);
        let is_spent = |fit: &&Fit| self.chart.kinds.get(fit.account) == Some(&AccountType::Expense);
        let accounts: BTreeSet<usize> = own.filter(is_spent).map(|fit| fit.account).collect();
        // Of several, those that say so are meant: *Subcontractors* rather than *Cost of labour*.
        const OF_WORK: &[&str] = &["FREELANCE", "FREELANCER", "SUBBIE", "SUBCONTRACT", "SUBCONTRACTOR"];
        let says_so = |account: &usize| OF_WORK.iter().any(|word| self.chart.has_word(*account, word));
        let plain: BTreeSet<usize> = accounts.iter().copied().filter(says_so).collect();
        let accounts = if plain.is_empty() { accounts } else { plain };
        let shared = |account: usize| words.iter().filter(|word| self.chart.has_word(account, word)).count();
        let named =
            accounts.iter().copied().filter(|account| shared(*account) > 0).max_by_key(|account| shared(*account));
        named.or_else(|| accounts.first().copied().filter(|_| accounts.len() == 1))
    }
}
