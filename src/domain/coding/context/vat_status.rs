//! Whether a business is registered for VAT: what its context states, else its VAT codes, its lines and its chart.

use super::has_phrase;
use super::own_registration::{OWN, own_registration};
use crate::domain::coding::batch::{AccountType, Batch};
use crate::domain::coding::knowledge::{WordList, WordLists};
use crate::domain::coding::person::is_forename;
use crate::domain::coding::text::fold;

/// Whether the business is registered.
pub(super) fn is_vat_registered(batch: &Batch<'_>, account_names: &[String], lists: &WordLists) -> bool {
    let context = &batch.business_context;
    let has_account = account_names.iter().zip(&batch.accounts).any(|(name, account)| {
        has_phrase(name, "VAT")
            && !has_phrase(name, "NOT")
            && matches!(account.kind, AccountType::Liability | AccountType::Asset)
    });
    let stated = || {
        let stated = stated_registration(context, lists);
        // Who keeps an account of VAT says of others that they charge none.
        if stated == Some(false) && has_account && !denies_own(context, lists) { None } else { stated }
    };
    if let Some(registered) = own_registration(context, lists).or_else(stated) {
        return registered;
    }
    if let Some(codes) = &batch.vat_codes {
        return codes.iter().any(|code| code.rate > 0);
    }
    let is_paid = batch.transactions.iter().any(|line| {
        let text = fold(&line.description);
        has_phrase(&text, "HMRC VAT") || has_phrase(&text, "VAT RETURN") || has_phrase(&text, "HM REVENUE VAT")
    });
    is_paid || has_account || implies_registration(context, lists)
}

/// Whether a denial is of the business: in the first sentence, beside a word for whoever writes, or in a sentence that has no other subject
/// ("Not VAT registered").
fn denies_own(context: &str, lists: &WordLists) -> bool {
    /// How a sentence begins that is nothing but a denial.
    const DENIALS: &[&str] = &["BELOW", "NEVER", "NO", "NOT", "UNDER", "UNREGISTERED"];
    let is_own = |word: &&str| !matches!(*word, "US" | "ONE") && (OWN.contains(word) || lists.own_business.has(word));
    let first_of_all = context.split(['.', '\n']).next().unwrap_or(context).len();
    let mut from = 0;
    context.split(['.', ';', '\n']).any(|sentence| {
        let is_first = from < first_of_all;
        from += sentence.len() + 1;
        let whole = fold(sentence);
        let words: Vec<&str> = whole.split(' ').collect();
        let first = words.first().copied().unwrap_or("");
        let is_denial = DENIALS.contains(&first);
        sentence.split([',', '(', ')', '\u{2013}', '\u{2014}', ':']).any(|clause| {
            let folded = fold(clause);
            let says = statement(&folded, lists, is_first);
            let is_plain = matches!(says, Some(Statement::Plain(false)));
            let is_denied = is_plain || matches!(says, Some(Statement::Implied(false)));
            let speaks_of_own = is_denial || folded.split(' ').any(|word| is_own(&word)) || is_plain && is_own(&first);
            is_denied && (is_first || speaks_of_own && !is_of_others(&folded, lists))
        })
    })
}

/// Whether a context that says nothing of a registration speaks of VAT as only those do who are registered: "everything at 20%, tables too",
/// "the landlord has opted".
fn implies_registration(context: &str, lists: &WordLists) -> bool {
    let folded = fold(context);
    let says = |list: &WordList| list.iter().any(|phrase| has_phrase(&folded, phrase));
    sells_with_vat(context, lists) || says(&lists.vat_spoken_of) && !says(&lists.vat_denied)
}

/// The same, where it speaks of the VAT of what is sold.
fn sells_with_vat(context: &str, lists: &WordLists) -> bool {
    let folded = fold(context);
    let says = |list: &WordList| list.iter().any(|phrase| has_phrase(&folded, phrase));
    let taxed = context.contains("20%") && !["CIS", "DEPOSIT", "DISCOUNT"].iter().any(|word| has_phrase(&folded, word));
    (says(&lists.vat_on_sales) || taxed) && !says(&lists.vat_denied)
}

/// What one clause says about the registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Statement {
    /// It says so: "VAT registered", "under the threshold".
    Plain(bool),
    /// It says what VAT is on: "customers pay 20% VAT". What has none beside it is of others.
    Charged,
    /// It only implies it: "quarterly VAT returns".
    Implied(bool),
}

/// What the context says about VAT. A plain statement counts before remarks that only imply one, and the first one before
/// later ones, which speak of suppliers and single lines.
fn stated_registration(context: &str, lists: &WordLists) -> Option<bool> {
    // A full stop behind "No" ends no sentence: "VAT No. GB 123".
    let context =
        context.replace("No. ", "No ").replace("no. ", "no ").replace("Reg. ", "Reg ").replace("reg. ", "reg ");
    // Nor does a colon behind "VAT" part a clause: "VAT: standard scheme".
    let context = context.replace("VAT:", "VAT ");
    let (first, rest) = context.split_once(". ").unwrap_or((&context, ""));
    let is_of_owner = has_phrase(&fold(first), "SOLE TRADER");
    let (mut plain, mut implied, mut charged) = (None, None, None);
    let mut is_own = false;
    let sentences =
        std::iter::once((first, true)).chain(rest.split(['.', ';', '\n']).map(|sentence| (sentence, false)));
    for (sentence, is_first) in sentences {
        let clauses = sentence.split(['.', ';', ',', '(', ')', '\n', '\u{2013}', '\u{2014}', ':']);
        for (at, clause) in clauses.enumerate() {
            let folded = fold(clause);
            match statement(&folded, lists, is_first && is_of_owner) {
                // "Two of our subbies aren't registered", "a contractor who is VAT registered".
                Some(Statement::Plain(_) | Statement::Implied(false)) if !is_first && is_of_others(&folded, lists) => {}
                // "Pat finishes at home, not VAT registered" is most likely about Pat.
                Some(Statement::Plain(false))
                    if !is_first
                        && (at > 0 && (folded.starts_with("NOT ") || folded.starts_with("IS "))
                            || is_of_one_name(clause)) =>
                {
                    implied = implied.or(Some(false));
                }
                Some(Statement::Plain(registered)) => plain = plain.or(Some(registered)),
                Some(Statement::Implied(registered)) => {
                    implied = implied.or(Some(registered));
                    is_own |= folded.split(' ').any(|word| OWN.contains(&word));
                }
                Some(Statement::Charged) => charged = Some(true),
                None => {}
            }
        }
    }
    // "Fish and spuds carry no VAT" where all else is standard-rated.
    plain.or(charged).or(implied.filter(|registered| *registered || is_own || !sells_with_vat(&context, lists)))
}

/// Whether what a clause says or denies of VAT has a subject that is neither whoever writes nor the business: "the band don't charge VAT",
/// "yards that are registered".
fn is_of_others(folded: &str, lists: &WordLists) -> bool {
    const VERBS: &[&str] = &["IS", "ARE", "WAS", "ISNT", "ARENT", "WASNT", "DOESNT", "DONT", "NEVER"];
    /// What may stand for the business, or between it and the verb.
    const NO_SUBJECTS: &[&str] = &["AND", "BUT", "SO", "STILL", "ALSO", "IT", "HERE", "THERE", "VAT", "WHICH"];
    let words: Vec<&str> = folded.split(' ').collect();
    let about = words.iter().position(|word| matches!(*word, "REGISTERED" | "VAT" | "UNREGISTERED")).unwrap_or(0);
    let verb = words.iter().take(about).rposition(|word| VERBS.contains(word));
    let subject = verb.and_then(|at| at.checked_sub(1)).and_then(|at| words.get(at));
    // "Lorna does overflow bookkeeping and isn't registered": of whoever the clause begins with.
    if subject.is_some_and(|subject| matches!(*subject, "AND" | "BUT"))
        && words.first().is_some_and(|first| is_forename(first))
    {
        return true;
    }
    subject.is_some_and(|subject| {
        !OWN.contains(subject) && !lists.own_business.has(subject) && !NO_SUBJECTS.contains(subject)
    })
}

/// Whether a clause denies a registration of one name: "Oake is not VAT registered".
fn is_of_one_name(clause: &str) -> bool {
    let mut words = clause.split_whitespace();
    let name = words.next().is_some_and(|word| word.starts_with(char::is_uppercase) && word.chars().count() >= 3);
    name && words.next().is_some_and(|verb| matches!(verb, "is" | "isn't" | "isnt" | "isn\u{2019}t"))
        && !clause.trim_start().starts_with("Business")
        && !clause.trim_start().starts_with("Company")
}

/// A clause of so few words that gives VAT a kind says that there is a registration.
const PLAIN_WORDS_MAX: usize = 6;

/// What a clause says; `is_of_owner` where *she* is the sole trader whom the same sentence names.
fn statement(folded: &str, lists: &WordLists, is_of_owner: bool) -> Option<Statement> {
    let words: Vec<&str> = folded.split(' ').collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let is_denied = lists.denial.has_any(&words);
    if has(&["THRESHOLD", "LIMIT"]) && has(&["UNDER", "BELOW", "BENEATH", "WITHIN"]) {
        return Some(Statement::Plain(false));
    }
    // "We are a registered charity and have nothing to do with VAT".
    if has_phrase(folded, "NOTHING TO DO WITH VAT") {
        return Some(Statement::Plain(false));
    }
    let names_vat = has(&["VAT", "VATABLE", "TAW"]);
    if names_vat && has_phrase(folded, "VAT REG") && lists.vat_of_others.has_any(&words) && is_denied {
        return None;
    }
    if has_phrase(folded, "VAT REG") || has_phrase(folded, "VAT REGD") {
        return Some(Statement::Plain(!is_denied));
    }
    if has(&["REGISTERED", "UNREGISTERED", "DEREGISTERED"]) && (names_vat || is_denied) {
        let is_of_others = !names_vat && is_about_others(&words, lists);
        return if is_of_others { None } else { registration(&words, lists, is_of_owner) };
    }
    if has_phrase(folded, "SO WE ARE REGISTERED") {
        return Some(Statement::Charged);
    }
    // "On the flat rate scheme, which means no VAT on purchases": the denial is of the purchases.
    if ["ON THE FLAT RATE", "ON THE VAT FLAT RATE", "ON VAT FLAT RATE"].iter().any(|phrase| has_phrase(folded, phrase))
        && !has_phrase(folded, "NOT ON")
    {
        return Some(Statement::Plain(true));
    }
    if !names_vat {
        let names_scheme = ["FLAT RATE", "PARTIALLY EXEMPT", "PARTLY EXEMPT"];
        return names_scheme.iter().any(|scheme| has_phrase(folded, scheme)).then_some(Statement::Implied(true));
    }
    let has_number = has_phrase(folded, "VAT NUMBER") && !has(&["NO", "NOT", "WITHOUT", "DONT", "HAVENT"]);
    if gives_vat_number(folded) || has_number {
        return Some(Statement::Plain(true));
    }
    if ["NOT VAT", "NO VAT WHATSOEVER"].iter().any(|phrase| has_phrase(folded, phrase)) {
        return Some(Statement::Plain(false));
    }
    if is_denied {
        return Some(Statement::Implied(false));
    }
    // "Yes to VAT", "VAT normal", "ordinary VAT registration".
    let is_short = words.len() <= PLAIN_WORDS_MAX;
    if is_short && has(&["YES", "NORMAL", "ORDINARY", "USUAL", "STANDARD", "FULL", "FULLY"]) && !has(&["RATE", "RATED"])
    {
        return Some(Statement::Plain(true));
    }
    // "VAT: standard rate, quarterly"; "the meals are standard rate VAT" is about the meals.
    if is_short && words.starts_with(&["VAT", "STANDARD", "RATE"]) {
        return Some(Statement::Plain(true));
    }
    if has(&["20"]) && has(&["SALES", "CUSTOMERS", "HOUSEHOLDERS", "INVOICES", "CHARGE", "EVERYTHING"]) {
        return Some(Statement::Charged);
    }
    lists.vat_practice.has_any(&words).then_some(Statement::Implied(true))
}

/// What a clause with "registered" says; nothing when it speaks of somebody else: "He is not VAT registered".
fn registration(words: &[&str], lists: &WordLists, is_of_owner: bool) -> Option<Statement> {
    // "VAT registered since 2019, not a charity": the denial must belong to the registration.
    // "Registered as a CASC and not registered for VAT": the one next to *VAT* is meant.
    let vat = words.iter().position(|word| matches!(*word, "VAT" | "TAW"));
    let registrations = words.iter().enumerate().filter(|(_, word)| word.ends_with("REGISTERED"));
    let at = registrations.map(|(at, _)| at).min_by_key(|at| vat.map_or(0, |vat| vat.abs_diff(*at))).unwrap_or(0);
    let denied_near =
        words.iter().enumerate().any(|(place, word)| lists.denial.has(word) && place <= at && at - place <= 4);
    let registered = !(denied_near || words.iter().any(|word| ["UNREGISTERED", "DEREGISTERED"].contains(word)));
    let is_of_others = !registered && !is_of_owner && lists.vat_of_others.has_any(words);
    (!is_of_others).then_some(Statement::Plain(registered))
}

/// Whether what is denied is denied of somebody else: "the musicians aren't registered".
fn is_about_others(words: &[&str], lists: &WordLists) -> bool {
    const OWN: &[&str] = &[
        "WE",
        "I",
        "IM",
        "IT",
        "AND",
        "ALSO",
        "STILL",
        "SO",
        "BUSINESS",
        "CHARITY",
        "CHURCH",
        "CLUB",
        "COMPANY",
        "COUNCIL",
        "FIRM",
        "GROUP",
        "HALL",
        "PARTNERSHIP",
        "SHOP",
        "SHE",
        "HE",
        "SOCIETY",
        "TRADER",
        "TRUST",
    ];
    let denial = words.iter().position(|word| lists.denial.has(word)).unwrap_or(0);
    let before = words.get(..denial).unwrap_or_default();
    !before.is_empty() && !before.iter().any(|word| OWN.contains(word))
}

/// "VAT No. GB 123 4567 89": what follows "VAT" is a number.
fn gives_vat_number(folded: &str) -> bool {
    let behind = folded.split("VAT ").nth(1).unwrap_or("");
    let mut next =
        behind.split(' ').filter(|word| !matches!(*word, "NO" | "REG" | "NUMBER" | "REGISTRATION" | "NUM" | "IS"));
    next.next().is_some_and(|word| word.starts_with("GB") || word.chars().filter(char::is_ascii_digit).count() >= 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::coding::knowledge::Knowledge;

    #[test]
    fn vat_status_is_understood_in_many_words() {
        let lists = &Knowledge::get().words;
        for context in [
            "Not VAT registered.",
            "roofer, just me. NOT vat reg, well under",
            "We're under the threshold so no VAT",
            "Sole trader, not registered for VAT. Cash basis",
            "turnover is well below the VAT threshold",
            "we don't charge VAT",
            "A shop by the sea. Run by a sole trader, not VAT registered",
            "No VAT number yet",
            "I'm treasurer at a chapel, we are a registered charity and have nothing to do with VAT.",
            "Not yet VAT-registered, cafe",
            "isn't registered for VAT",
            "a club registered as a CASC and not registered for VAT because the bar is small",
            "Ada Quillan is a sole trader who tunes pianos around Hartburn; she is not VAT registered (turnover about £40,000).",
        ] {
            assert_eq!(stated_registration(context, lists), Some(false), "{context}");
        }
        for context in [
            "We make brushes. VAT standard, accruals, quarterly. Olive finishes at home, not VAT registered",
            "1. VAT reg, standard. 2. Tolls, no VAT on those",
            "VAT: yes registered. Grass rent, no vat",
            "VAT: standard, invoice basis. Car parking from the council, no VAT",
            "Builders are reverse charge so no VAT in what they pay. Householders pay 20% VAT",
            "Limited company, VAT registered (standard accrual scheme).",
            "VAT number GB123456789",
            "VAT no. 123 4567 89",
            "on the flat rate scheme",
            "we do quarterly VAT returns",
            "Partially exempt",
            "A jeweller's. Yes to VAT, and margin scheme on used goods. Ivo sets stones, not registered",
            "from priti, a shop. VAT normal. Raw is a kitchen business not registered for vat",
            "Bathrooms, ordinary VAT registration. Two subbies, not VAT registered",
            "I am on the flat rate scheme for VAT which means VAT on sales but nothing at all on purchases",
            "A third of the work is under the reverse charge so no VAT on them. VAT registered, VAT No. GB 318 4471 02. They are not VAT registered.",
            "Standard VAT, quarterly",
            "Ada Quillan is a sole trader. Nick helps, he is not VAT registered. VAT registered, standard accounting",
            "Nick teaches for us, he is not VAT registered. VAT registered, standard accounting",
        ] {
            assert_eq!(stated_registration(context, lists), Some(true), "{context}");
        }
        assert_eq!(stated_registration("A cafe in Leeds", lists), None);
    }
}
