//! Accounts that a line points to by itself, by words of their names and by likeness in meaning.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Decider, PAID_SALES, WAGES};
use crate::domain::coding::batch::AccountType;
use crate::domain::coding::evidence::{Clue, is_claim};
use crate::domain::coding::instructions::is_payment_service;
use crate::domain::coding::knowledge::{ConceptId, NameWord, Strength, Target, expand, stem};
use crate::domain::coding::meaning::Vector;
use crate::domain::coding::outcome::Method;
use crate::domain::coding::person::{is_forename, is_person};
use crate::domain::coding::weights::WEIGHTS;
use crate::domain::coding::wording::{Channel, Wording};

/// What is paid for by subscription, whatever it is.
const SUBSCRIBED: &[&str] =
    &["software", "software_overseas", "web_hosting", "it_support", "broadband", "mobile", "data_research"];

/// Stems of accounts for what is sold to other countries.
const OF_ABROAD: &[&str] = &["ABROAD", "EXPORT", "FOREIGN", "INTERNATIONAL", "OVERSEA"];

/// Abbreviations in names of firms, which say little of what they are paid for.
const OF_FIRMS: &[&str] = &["ADS", "DIR", "INS", "LIGHTING", "PROF", "STAT", "TEL"];

/// Charts of more accounts are not compared with every line in meaning, account by account.
const COMPARED_WHOLE: usize = 400;

impl Decider<'_> {
    /// Adds the accounts that what a text speaks of belongs to, each for the best reason.
    fn add_belonging(&self, padded: &str, money_in: bool, scores: &mut BTreeMap<usize, f32>) {
        // What is bought or sold, that is: nobody owes a butcher.
        let kind = if money_in { AccountType::Income } else { AccountType::Expense };
        for group in self.knowledge.affinities.find(padded, money_in) {
            let accounts = self.chart.by_name.of_group(group);
            let takers: Vec<&(usize, f32)> =
                accounts.iter().filter(|(account, _)| self.chart.kinds.get(*account) == Some(&kind)).collect();
            let shared = match takers.len() {
                0 | 1 => 1.0,
                2 => 0.75,
                _ => 0.5,
            };
            for (account, part) in takers {
                let score = scores.entry(*account).or_insert(0.0);
                *score = score.max(WEIGHTS.affinity * part * shared);
            }
        }
    }

    /// Accounts that the line points to by itself: a rare word of the name is in the line, or in what the context says
    /// about its payee, or the name is like the line in meaning. `phrases` are those of [`Self::phrases`].
    pub(in crate::domain::coding) fn named_accounts(
        &self,
        wording: &Wording,
        phrases: &[Phrase],
        vector: &Vector,
        clues: &[Clue],
        money_in: bool,
    ) -> BTreeMap<usize, f32> {
        let mut named: BTreeMap<usize, f32> = BTreeMap::new();
        // Whoever passes on what customers pay is no customer, whatever its form.
        let passes_on = money_in && wording.padded.contains(" LTD ") && self.is_paid_out(wording);
        let padded: Cow<'_, str> =
            if passes_on { wording.padded.replace(" LTD ", " ").into() } else { wording.padded.as_str().into() };
        self.add_belonging(&padded, money_in, &mut named);
        // The first word is a name that an account may have for its payee: *Sky Sports*.
        let payee = wording.text().split(' ').next().map(stem);
        let known = clues.first().filter(|clue| !money_in && self.is_known(clue));
        let mut add = |word: &str, weight: f32, phrase: Option<&Phrase>| {
            let is_first = payee.as_deref() == Some(word);
            for (account, part) in self.chart.by_name.of_rare_word(word) {
                if self.takes(*account, money_in) {
                    let is_beside = known.is_some_and(|clue| self.is_for_something_else(*account, word, clue.concept));
                    let meant = if is_first || is_meant(phrase, *account) { 1.0 } else { WEIGHTS.word_of_a_phrase };
                    let meant = if is_beside { meant * WEIGHTS.word_beside_kind } else { meant };
                    *named.entry(*account).or_insert(0.0) += weight * part * meant;
                }
            }
        };
        let mut by_initials = BTreeSet::new();
        let is_software = !money_in && self.is_about(clues.first(), SUBSCRIBED);
        let own_name = self.hints.own_name(wording.text());
        let surname = surname(wording.text()).filter(|_| money_in);
        let mut before = "";
        let mut seen = BTreeSet::new();
        // That a council is paid does not say what for.
        let is_council = !money_in && self.is_about(clues.first(), &["business_rates", "council_tax"]);
        for (word, phrase) in words_within(wording.text(), phrases) {
            if is_council && word == "COUNCIL" {
                before = "";
                continue;
            }
            // A subscription to what is known is no subscription of its own, and the caller's own name says nothing.
            let is_plain = is_software && matches!(word, "SUBSCRIPTION" | "SUBSCRIPTIONS" | "SUBS" | "SUB");
            if is_plain || own_name.contains(&word) || surname == Some(word) {
                before = "";
                continue;
            }
            // What a line says twice it means once.
            if seen.insert(word) {
                if let Some(account) =
                    self.chart.by_name.of_initials(word).filter(|account| self.takes(*account, money_in))
                {
                    by_initials.insert(account);
                }
                add(&stem(without_number(word)), WEIGHTS.account_word, phrase);
                // Names of accounts are read with their abbreviations in full.
                let long = expand(word);
                if long != word && (money_in || !OF_FIRMS.contains(&word)) {
                    long.split(' ').for_each(|long| add(&stem(long), WEIGHTS.account_word, phrase));
                }
            }
            // A name may join what the line parts: *Clubroom hire*.
            if !before.is_empty() {
                add(&stem(&[before, word].concat()), WEIGHTS.account_word, phrase);
            }
            before = word;
        }
        if money_in && self.pays_from_abroad(wording) {
            for word in OF_ABROAD {
                add(word, WEIGHTS.account_word, None);
            }
        }
        for letters in acronyms(wording.text()) {
            add(&letters, WEIGHTS.account_word, None);
        }
        for account in by_initials {
            *named.entry(account).or_insert(0.0) += WEIGHTS.account_word;
        }
        for account in self.paired(wording.text(), money_in) {
            *named.entry(account).or_insert(0.0) += WEIGHTS.account_pair;
        }
        if wording.channel == Channel::StandingOrder && money_in && self.is_about(clues.first(), &["donation_income"])
            || wording.channel == Channel::StandingOrder && clues.is_empty()
        {
            for account in (0..self.chart.kinds.len()).filter(|account| self.is_of_planned_giving(*account)) {
                *named.entry(account).or_insert(0.0) += WEIGHTS.account_word * 0.5;
            }
        }
        if wording.channel == Channel::StandingOrder {
            for account in self.standing_orders.iter().filter(|account| self.takes(**account, money_in)) {
                *named.entry(*account).or_insert(0.0) += WEIGHTS.account_word;
            }
        }
        let mut add = |word: &str, weight: f32| {
            for (account, part) in self.chart.by_name.of_rare_word(word) {
                if self.takes(*account, money_in) {
                    *named.entry(*account).or_insert(0.0) += weight * part;
                }
            }
        };
        // Of several owners' accounts, the one that has this owner's name.
        let owner = self.reader.owner_of(wording).unwrap_or_default();
        for name in owner {
            add(&stem(name), WEIGHTS.owners_account);
        }
        // What the context says of the business beside a sole trader's name is not about what the trader takes.
        let mut said_of: BTreeMap<usize, f32> = BTreeMap::new();
        for (hint, payee) in self.hints.about(wording.text()) {
            if !self.reader.is_company() && owner.iter().any(|part| part == payee) {
                continue;
            }
            // Nor is what a service passes on about its fees.
            if !money_in && is_payment_service(payee) && self.is_about(clues.first(), &["card_fees"]) {
                continue;
            }
            // Of a payment service the context says which sales it is for.
            let weight = WEIGHTS.hinted_word * if is_payment_service(payee) { WEIGHTS.hinted_service } else { 1.0 };
            let weight =
                if !money_in && hint.says_what_is_bought() { weight * WEIGHTS.hinted_purchase } else { weight };
            // Of a person the verb says who it is, not what was bought.
            let is_subject = wording.text().split(' ').next() == Some(payee)
                && !is_payment_service(payee)
                && !is_person(&wording.payee)
                && !is_forename(payee);
            let predicate = if is_subject { hint.predicate(payee) } else { None };
            // "Booker is always drink".
            if let Some(said) = predicate.as_ref().filter(|_| !money_in) {
                let said =
                    format!(" {} ", said.iter().map(|word| format!("{word} {word}S")).collect::<Vec<_>>().join(" "));
                self.add_belonging(&said, money_in, &mut said_of);
            }
            for word in hint.near(payee) {
                // Whoever introduces the business does not say whose loan a supplier's bill is.
                let is_of_owners =
                    self.reader.is_owners_name(payee) || owner.is_empty() && self.reader.is_owners_name(&word);
                if hint.is_first && is_of_owners {
                    continue;
                }
                let weight = match &predicate {
                    Some(said) if said.contains(&word) => weight * WEIGHTS.hinted_predicate,
                    Some(_) => weight * WEIGHTS.hinted_beside,
                    None => weight,
                };
                add(&word, weight);
                // Who teaches is paid as a teacher, and who cleans for cleaning.
                add(&format!("{word}ER"), weight);
                add(&format!("{word}ING"), weight);
            }
        }
        for (account, score) in said_of {
            *named.entry(account).or_insert(0.0) += score;
        }
        let owners = owner.is_empty().then(|| self.of_private(clues)).flatten().filter(|_| !money_in);
        if let Some(account) = self.of_initial(wording, clues).or(owners) {
            *named.entry(account).or_insert(0.0) += WEIGHTS.owners_account;
        }
        let outline = vector.outline();
        // Beside strong evidence of what was bought, likeness only settles ties.
        let is_known = clues.first().is_some_and(|clue| clue.score >= WEIGHTS.usual)
            && (!money_in || self.is_about(clues.first(), &["card_takings", "online_sales", "marketplace_sales"]));
        let like = WEIGHTS.like * if is_known { WEIGHTS.like_beside } else { 1.0 };
        let mut compare = |account: usize| {
            let Some(theirs) = self.chart.outlines.get(account) else { return };
            if !theirs.may_exceed(&outline, WEIGHTS.like_from) || !self.takes(account, money_in) {
                return;
            }
            let near = self.chart.vectors.get(account).map_or(0.0, |theirs| vector.cosine(theirs)) - WEIGHTS.like_from;
            if near > 0.0 {
                *named.entry(account).or_insert(0.0) += like * near;
            }
        };
        if self.chart.kinds.len() <= COMPARED_WHOLE {
            (0..self.chart.kinds.len()).for_each(&mut compare);
        } else {
            self.candidates(wording, clues).into_iter().for_each(&mut compare);
        }
        // Whoever is paid wages, or what was spent for the business, does not draw on a loan for having its name.
        let says = |words: &[&str]| wording.text().split(' ').any(|word| words.contains(&word));
        if !money_in && (is_claim(wording) || says(WAGES)) && !says(&["DLA", "LOAN", "LOANS"]) {
            for (account, score) in &mut named {
                if self.chart.kinds.get(*account) != Some(&AccountType::Expense)
                    && self.chart.has_word(*account, "LOAN")
                {
                    *score *= WEIGHTS.loan_of_claimant;
                }
            }
        }
        named
    }

    /// Whether the words of a line leave no doubt of what it is about, and the chart has an account for it.
    fn is_known(&self, clue: &Clue) -> bool {
        clue.score >= WEIGHTS.usual
            && matches!(clue.method, Method::Merchant | Method::UniversalPattern)
            && self.best_fit(clue.concept).is_some_and(|fit| fit >= WEIGHTS.family_account)
    }

    /// Whether a word of an account's name only says what a kind of cost is for (the yard of *Rent of yard*, the children of
    /// *Children's food*), and the line is about another kind.
    fn is_for_something_else(&self, account: usize, word: &str, concept: ConceptId) -> bool {
        let words = self.chart.words.get(account).map_or(&[][..], Vec::as_slice);
        let part = words.iter().find(|own| own.stem == word && !self.says_kind(own)).map(|own| own.part);
        let fits =
            || self.chart.fits(concept).iter().any(|fit| fit.account == account && fit.score >= WEIGHTS.own_account);
        part.is_some_and(|part| self.is_of_a_kind(account, part)) && !fits()
    }

    /// Whether an account's name says of a part of it what kind of cost it is.
    fn is_of_a_kind(&self, account: usize, part: u8) -> bool {
        let words = self.chart.words.get(account).map_or(&[][..], Vec::as_slice);
        // Hire purchase is no hire.
        let is_credit = || words.iter().any(|word| word.stem == "PURCHASE");
        words.iter().any(|word| word.part == part && self.says_kind(word)) && !is_credit()
    }

    fn says_kind(&self, word: &NameWord) -> bool {
        self.knowledge.words.account_kind.has(&word.stem)
    }

    /// Whether an account is for what people give regularly: *Planned giving*.
    fn is_of_planned_giving(&self, account: usize) -> bool {
        self.chart.kinds.get(account) == Some(&AccountType::Income)
            && self.chart.has_word(account, "GIVING")
            && ["PLANNED", "REGULAR"].iter().any(|word| self.chart.has_word(account, word))
    }

    /// Whether a customer's form of company, or how the money came, is of another country.
    fn pays_from_abroad(&self, wording: &Wording) -> bool {
        const FORMS: &[&str] = &["BANCO", "IBAN", "INC", "KANZLEI", "LLC", "SEPA", "SWIFT", "WIRE"];
        let words = &self.knowledge.words.abroad_form;
        let told: Vec<&str> = wording.text().split(' ').collect();
        let is_form = |word: &str| FORMS.contains(&word) || words.has(word);
        !told.contains(&"UK") && !told.contains(&"FREIGHT") && told.into_iter().any(is_form)
    }

    /// Of several owners' accounts the one with a name that begins with an initial of the line: *Drawings - Will* for `DINSDALE W`.
    fn of_initial(&self, wording: &Wording, clues: &[Clue]) -> Option<usize> {
        let clue = clues
            .first()
            .filter(|clue| self.is_about(Some(clue), &["drawings", "director_loan", "dividends", "self_assessment"]))?;
        let text = wording.text().replace("A C ", "");
        let initials: Vec<&str> = text.split(' ').filter(|word| word.chars().count() == 1).collect();
        let of_line = |name: &str| initials.iter().any(|initial| name.starts_with(initial));
        self.only_owners_account(clue.concept, of_line)
            .or_else(|| {
                // *Loan - S Example* for `SCOTT EXAMPLE`.
                let [forename, _, ..] = self.reader.owner_of(wording)? else { return None };
                let is_initial = |name: &str| name.chars().count() == 1 && forename.starts_with(name);
                self.only_owners_account(clue.concept, is_initial)
            })
            .or_else(|| {
                // *Drawings - Ravi* for `HMRC SELF ASSMT MISTRY`.
                let forename = self.reader.forename_by_surname(wording.text())?;
                self.only_owners_account(clue.concept, |name| name == forename)
            })
    }

    /// Of several accounts that a concept may mean the only one with such a word in its name, of those that tell the accounts apart.
    fn only_owners_account(&self, concept: ConceptId, is_told_by: impl Fn(&str) -> bool) -> Option<usize> {
        let fits = self.chart.fits(concept);
        let best = fits.first()?.score;
        let alike: Vec<usize> =
            fits.iter().filter(|fit| fit.score >= best - WEIGHTS.phrase_fit).map(|fit| fit.account).collect();
        let words = |account: usize| self.chart.words.get(account).map_or(&[][..], Vec::as_slice);
        let is_own = |stem: &str| !alike.iter().all(|account| words(*account).iter().any(|word| word.stem == stem));
        let is_plain = |stem: &str| self.knowledge.words.owners_account_plain.has(stem);
        let is_meant = |account: &&usize| {
            let mut names = words(**account).iter().filter(|word| is_own(&word.stem) && !is_plain(&word.stem));
            names.any(|word| is_told_by(&word.stem))
        };
        let mut meant = alike.iter().filter(is_meant);
        meant.next().filter(|_| meant.next().is_none()).copied()
    }

    /// Of several owners' accounts the one of the only owner whom the sentences on what is private name: "if Gill uses
    /// the wrong card it is her drawings".
    fn of_private(&self, clues: &[Clue]) -> Option<usize> {
        let clue = clues.first().filter(|clue| self.is_about(Some(clue), &["drawings", "director_loan"]))?;
        let sentences: Vec<&str> = self.hints.on_private().map(|hint| hint.padded.as_str()).collect();
        self.only_owners_account(clue.concept, |name| {
            let is_there = |ending: &str| sentences.iter().any(|padded| padded.contains(&format!(" {name}{ending} ")));
            name.chars().count() >= 3 && (is_there("") || is_there("S"))
        })
    }

    /// Accounts of which a line has two words beside each other that no other account of the direction has so: *Community plot*.
    pub(super) fn paired(&self, text: &str, money_in: bool) -> BTreeSet<usize> {
        let words = text.split(' ').filter(|word| !matches!(*word, "OF" | "THE" | "AND"));
        let stems: Vec<String> = words.map(stem).collect();
        let pairs = stems.windows(2).map(|pair| self.chart.by_name.of_pair(&pair.join(" ")));
        let only = pairs.filter_map(|accounts| {
            let mut takers = accounts.iter().filter(|account| self.takes(**account, money_in));
            takers.next().filter(|_| takers.next().is_none())
        });
        only.copied().collect()
    }

    /// Whether a line is of somebody who passes on what customers paid: a card company, a payment service, a marketplace.
    fn is_paid_out(&self, wording: &Wording) -> bool {
        let mut found = Vec::new();
        self.knowledge.patterns.find(&wording.padded, &mut found);
        let mut targets = found.iter().flat_map(|hit| hit.targets);
        targets.any(|target| PAID_SALES.contains(&self.knowledge.concept(target.concept).name))
    }

    /// Accounts of a large chart that a line may be like: those with a rare word of it, and those of what it is about.
    fn candidates(&self, wording: &Wording, clues: &[Clue]) -> Vec<usize> {
        let words = wording.text().split(' ').flat_map(|word| self.chart.by_name.of_rare_word(&stem(word)));
        let mut accounts: Vec<usize> = words.map(|(account, _)| *account).collect();
        accounts.extend(clues.iter().take(4).flat_map(|clue| self.chart.fits(clue.concept)).map(|fit| fit.account));
        accounts.sort_unstable();
        accounts.dedup();
        accounts
    }

    /// Known phrases of a line. What a word says inside one is what the phrase says: no skip hire is the hire of a hall.
    pub(in crate::domain::coding) fn phrases(&self, wording: &Wording, money_in: bool) -> Vec<Phrase> {
        let mut found = Vec::new();
        self.knowledge.patterns.find(&wording.padded, &mut found);
        let phrases = found.iter().filter(|hit| hit.words >= 2).filter_map(|hit| {
            let fits = |target: &&Target| {
                target.strength >= Strength::Usual && target.money_in.is_none_or(|wanted| wanted == money_in)
            };
            let concepts: Vec<ConceptId> = hit.targets.iter().filter(fits).map(|target| target.concept).collect();
            let accounts = concepts.iter().flat_map(|concept| {
                let fits = self.chart.fits(*concept);
                let best = fits.first().map_or(0.0, |fit| fit.score);
                fits.iter().filter(move |fit| fit.score >= best - WEIGHTS.phrase_fit).map(|fit| fit.account)
            });
            (!concepts.is_empty()).then(|| Phrase { start: hit.start, end: hit.end, accounts: accounts.collect() })
        });
        phrases.collect()
    }

    /// Among the accounts of what a line is about, those with a word that is like one of the line's: eggs and dairy.
    pub(super) fn add_alike_words(
        &self,
        wording: &Wording,
        phrases: &[Phrase],
        clues: &[Clue],
        named: &mut BTreeMap<usize, f32>,
    ) {
        let words: Vec<(Vector, Option<&Phrase>)> = words_within(wording.text(), phrases)
            .filter(|(word, _)| word.chars().count() >= 4)
            .take(10)
            .map(|(word, phrase)| (self.knowledge.meaning.vector(word), phrase))
            .collect();
        let mut seen = Vec::new();
        let is_known = clues.first().is_some_and(|clue| self.is_known(clue));
        for fit in clues.iter().take(2).flat_map(|clue| self.chart.fits(clue.concept)) {
            if seen.contains(&fit.account)
                || is_known && fit.score < WEIGHTS.own_account && self.is_of_a_kind(fit.account, 0)
            {
                continue;
            }
            seen.push(fit.account);
            let theirs = self.chart.word_meanings(fit.account);
            let meant = |(_, phrase): &&(Vector, Option<&Phrase>)| is_meant(*phrase, fit.account);
            let near = theirs
                .flat_map(|their| words.iter().filter(meant).map(|(word, _)| word.cosine(their)))
                .fold(0.0, f32::max);
            if near > WEIGHTS.word_like_from {
                *named.entry(fit.account).or_insert(0.0) += WEIGHTS.word_like * (near - WEIGHTS.word_like_from);
            }
        }
    }
}

/// The surname of somebody whose title or initials a line begins with: `MRS A HALL` hires no hall.
fn surname(text: &str) -> Option<&str> {
    let is_title = |word: &&str| matches!(*word, "MR" | "MRS" | "MS" | "MISS");
    let is_initial = |word: &&str| word.len() == 1 && word.chars().all(char::is_alphabetic);
    let mut words = text.split(' ').skip_while(is_title).peekable();
    words.next_if(is_initial)?;
    words.find(|word| !is_initial(word)).filter(|word| word.chars().all(char::is_alphabetic))
}

/// A word without the number that is glued to it: `CHAIR2`.
fn without_number(word: &str) -> &str {
    let letters = word.trim_end_matches(|sign: char| sign.is_ascii_digit());
    if letters.chars().count() >= 4 && letters.chars().all(char::is_alphabetic) { letters } else { word }
}

/// First letters of three and four words that stand together: what accounts call a body whose name a line has in full.
fn acronyms(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').filter(|word| !matches!(*word, "OF" | "THE" | "AND" | "FOR")).collect();
    let of_size = |size: usize| {
        words
            .windows(size)
            .filter(|words| words.iter().all(|word| word.chars().count() >= 3 && word.chars().all(char::is_alphabetic)))
            .map(|words| words.iter().filter_map(|word| word.chars().next()).collect::<String>())
            .collect::<Vec<String>>()
    };
    [3, 4].into_iter().flat_map(of_size).collect()
}

/// A phrase of a line that means something as a whole, with the accounts for that.
pub(in crate::domain::coding) struct Phrase {
    start: usize,
    end: usize,
    accounts: Vec<usize>,
}

/// The words of a line, each with the phrase it is in. A text begins one place behind its padding.
fn words_within<'p>(text: &'p str, phrases: &'p [Phrase]) -> impl Iterator<Item = (&'p str, Option<&'p Phrase>)> {
    let mut at = 1;
    text.split(' ').map(move |word| {
        let (start, end) = (at, at + word.len());
        at = end + 1;
        (word, phrases.iter().find(|phrase| phrase.start <= start && end <= phrase.end))
    })
}

/// Whether a word speaks for an account: one of a phrase only for the accounts of what the phrase says.
fn is_meant(phrase: Option<&Phrase>, account: usize) -> bool {
    phrase.is_none_or(|phrase| phrase.accounts.contains(&account))
}
