//! What a line's names of people say: owners, employees and those who work for themselves.

use std::collections::HashSet;

use super::Reader;
use super::clues::Sums;
use super::remarks::is_claim;
use crate::domain::coding::context::has_phrase;
use crate::domain::coding::hints::Hint;
use crate::domain::coding::knowledge::{ConceptId, PatternMatch};
use crate::domain::coding::outcome::Method;
use crate::domain::coding::person::{is_forename, is_person};
use crate::domain::coding::weights::WEIGHTS;
use crate::domain::coding::wording::{Channel, Wording, is_month};

/// How people write that an account is theirs.
const OWN_ACCOUNT: &[&str] = &["OWN ACCT", "OWN ACC", "OWN ACCOUNT", "OWN A C"];

/// Words of work by the week.
const LABOUR: &[&str] = &["WK", "WE", "WEEK", "WKS", "DAYS", "HRS", "HOURS", "LABOUR", "SHIFTS", "SHIFT"];

/// How well an account must fit what owners take or pay in.
const OWNERS_FIT_MIN: f32 = 0.45;

impl<'k> Reader<'k> {
    pub(super) fn add_people(&self, wording: &Wording, money_in: bool, sums: &mut Sums) {
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
