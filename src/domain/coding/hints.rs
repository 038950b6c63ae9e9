//! What the caller's own words say about single payees: "Labs: Pennine Ceramics", "Aldi is the pantry shop", "Netflix is
//! me, not the business". A sentence of the context that names a payee of a line tells what the line is about.

use std::collections::{BTreeMap, BTreeSet};

use super::batch::Account;
use super::context::is_on_domestic_reverse_charge;
use super::instructions::{Instructions, is_payment_service};
use super::knowledge::{Knowledge, PatternMatch, Strength, WordLists, stem};
use super::line::Line;
use super::printed;
use super::statements::Statements;
use super::takings::Takings;
use super::text::{fold, sentences};

/// One sentence of the context.
#[derive(Debug)]
pub struct Hint {
    /// Folded, with a space before the first word and behind the last.
    pub padded: String,
    /// Its clauses, padded in the same way, and whether each speaks of what is private.
    clauses: Vec<(String, bool)>,
    /// The context begins with it: it is about the business.
    pub is_first: bool,
    /// Its clauses with *is* for a sign of equality, padded in the same way.
    linked: Vec<String>,
    /// Its words that are written with a capital letter, as names are.
    capitals: BTreeSet<String>,
}

/// Every sentence of the context that may name a payee, by the distinctive words in it.
#[derive(Debug, Default)]
pub struct Hints {
    sentences: Vec<Hint>,
    by_word: BTreeMap<String, Vec<usize>>,
    /// What the context says of codes of the chart, and of amounts.
    pub instructions: Instructions,
    /// What the context states of payees.
    pub statements: Statements,
    /// Accounts that the context calls by their whole name, as it is written in the chart.
    pub spoken_of: BTreeSet<usize>,
    /// Words of the caller's own name: the capital words that the context begins with, or that stand behind *trades as*.
    own_name: Vec<String>,
    /// The accounts that takings go to until a journal posts the sales.
    pub takings: Takings,
    /// A sentence speaks of clearing.
    pub speaks_of_clearing: bool,
}

impl Hints {
    /// Reads the context.
    pub fn read(context: &str, accounts: &[Account<'_>], lines: &[Line<'_>], lists: &WordLists) -> Self {
        let common = common_words(lines);
        let is_telling = |word: &str| !lists.hint_plain.has(word) && !lists.town.has(word) && !common.contains(word);
        let instructions = Instructions::read(context, accounts, &is_telling);
        let spoken_of = accounts.iter().enumerate().filter(|(_, account)| is_spoken_of(context, &account.name));
        let spoken_of = spoken_of.map(|(at, _)| at).collect();
        let statements = Statements::read(context, accounts, lines, lists, &|word| common.contains(word));
        let takings = Takings::read(context, accounts);
        let mut hints =
            Self { instructions, statements, spoken_of, own_name: own_name(context), takings, ..Self::default() };
        for sentence in sentences(context) {
            let folded = fold(sentence);
            let words: Vec<&str> = folded.split(' ').filter(|word| !word.is_empty()).collect();
            if words.len() < 2 {
                continue;
            }
            let place = hints.sentences.len();
            // Three letters are a name inside a sentence: *Sky*.
            let is_short_name = |word: &str| {
                word.chars().count() == 3
                    && sentence
                        .split_whitespace()
                        .skip(1)
                        .any(|raw| raw.starts_with(char::is_uppercase) && fold(raw) == word)
            };
            for word in
                words.iter().filter(|word| (word.chars().count() >= 4 || is_short_name(word)) && is_telling(word))
            {
                for name in [Some(*word), family_of(word)].into_iter().flatten() {
                    let places = hints.by_word.entry(name.to_owned()).or_default();
                    if places.last() != Some(&place) {
                        places.push(place);
                    }
                }
            }
            let clauses = sentence.split(',').map(|clause| {
                let folded = fold(clause);
                let words: Vec<&str> = folded.split(' ').collect();
                (format!(" {folded} "), speaks_of_private(&words))
            });
            let is_first = hints.sentences.is_empty();
            let capitals = sentence.split_whitespace().filter(|word| word.starts_with(char::is_uppercase)).map(fold);
            hints.sentences.push(Hint {
                padded: format!(" {folded} "),
                clauses: clauses.collect(),
                is_first,
                linked: sentence
                    .split(',')
                    .map(|clause| format!(" {} ", fold(&clause.replace(" = ", " is "))))
                    .collect(),
                capitals: capitals.collect(),
            });
        }
        hints.speaks_of_clearing = hints.any(|hint| hint.padded.contains(" CLEARING "));
        hints
    }

    /// Words of a line that are the caller's own name: two of it beside each other, or one as a whole.
    pub fn own_name<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let words: Vec<&str> = text.split(' ').collect();
        let follow = |pair: &[&str]| self.own_name.windows(2).any(|own| own == pair);
        let mut found: Vec<&str> = words.windows(2).filter(|pair| follow(pair)).flatten().copied().collect();
        // Glued together, as payment services print it, and parted again.
        let glued = self.own_name.iter().filter(|word| *word != "AND").take(2).cloned().collect::<String>();
        if glued.len() >= GLUED_NAME_MIN && words.concat().contains(&glued) {
            found.extend(words.iter().filter(|word| word.len() >= 3 && glued.contains(**word)));
        }
        found
    }

    /// Whether something is true of any sentence.
    pub fn any(&self, is_true: impl Fn(&Hint) -> bool) -> bool {
        self.sentences.iter().any(is_true)
    }

    /// Sentences on what is private, whoever is paid.
    pub fn on_private(&self) -> impl Iterator<Item = &Hint> {
        const WORDS: &[&str] = &[" PRIVATE ", " PERSONAL ", " WRONG CARD ", " GROCERIES ", " CLOTHES ", " DRAWINGS "];
        let is_private = |hint: &&Hint| {
            hint.clauses.iter().any(|(_, is_private)| *is_private)
                || WORDS.iter().any(|word| hint.padded.contains(word))
        };
        self.sentences.iter().filter(is_private)
    }

    /// Sentences that name something of a line, and the word they share.
    pub fn about<'h>(&'h self, text: &'h str) -> impl Iterator<Item = (&'h Hint, &'h str)> {
        let mut seen = Vec::new();
        text.split(' ').filter(|word| word.chars().count() >= 3).filter_map(move |word| {
            let places = self.by_word.get(word)?;
            // A word that the context says again and again is its subject, not a payee.
            let place = *places.first().filter(|_| places.len() <= 2)?;
            if seen.contains(&place) {
                return None;
            }
            seen.push(place);
            self.sentences.get(place).map(|hint| (hint, word))
        })
    }
}

/// The name of a family that is spoken of in the plural: "Harkers are the potato farm".
fn family_of(word: &str) -> Option<&str> {
    const LETTERS_MIN: usize = 5;
    word.strip_suffix('S').filter(|name| name.chars().count() >= LETTERS_MIN && !printed::is_known(name))
}

/// The fewest letters of the caller's name that a line may have glued together.
const GLUED_NAME_MIN: usize = 8;

/// Words in which whoever writes says what the business is called.
const FIRST_WORDS: usize = 12;

/// The words of the caller's name in a context.
fn own_name(context: &str) -> Vec<String> {
    let words: Vec<&str> = context.split_whitespace().collect();
    let trades = words.windows(2).position(|pair| matches!(pair, ["trades" | "trading", "as"]));
    // "Hiya, I'm Steph and I run Muddy Paws Barn".
    let is_run = |pair: &[&str]| matches!(pair, ["I" | "We" | "we", "run" | "own"]);
    let run = words.windows(2).take(FIRST_WORDS).position(is_run);
    let from = trades.or(run).map_or(0, |at| at + 2);
    let is_part = |word: &&&str| word.starts_with(char::is_uppercase) || matches!(**word, "&" | "and" | "of");
    let name = words.iter().skip(from).take_while(is_part).take(6).map(|word| fold(word));
    name.flat_map(|word| word.split(' ').map(str::to_owned).collect::<Vec<String>>()).collect()
}

/// Whether a text has a name with its capital letters, on whole words.
fn is_spoken_of(context: &str, name: &str) -> bool {
    let is_name = name.chars().next().is_some_and(char::is_uppercase) && name.chars().count() >= 5;
    let is_part = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    is_name
        && context.match_indices(name).any(|(at, _)| {
            let before = context.get(..at).and_then(|text| text.chars().next_back());
            let behind = context.get(at + name.len()..).and_then(|text| text.chars().next());
            !is_part(before) && !is_part(behind)
        })
}

/// Words that lines of several payees have: towns, mostly.
fn common_words<'l>(lines: &'l [Line<'_>]) -> BTreeSet<&'l str> {
    let mut payees: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in lines {
        let first = line.words().next().unwrap_or("");
        for word in line.words().skip(1) {
            let known = payees.entry(word).or_default();
            if known.len() < 3 {
                known.insert(first);
            }
        }
    }
    payees.into_iter().filter(|(_, payees)| payees.len() >= 3).map(|(word, _)| word).collect()
}

impl Hint {
    /// Whether it says of what a word names that it is private: "Netflix and Spotify are hers, the van is not" does so of one.
    pub fn is_private(&self, word: &str) -> bool {
        let word = format!(" {word} ");
        let Some(at) = self.clauses.iter().position(|(clause, _)| clause.contains(&word)) else {
            return self.clauses.iter().any(|(_, is_private)| *is_private);
        };
        let (before, behind) = self.clauses.split_at(at);
        let Some(((own, is_private), behind)) = behind.split_first() else { return false };
        // A clause with a verb of its own says all that is said of its subject.
        let says_itself = own.split(' ').any(|word| VERBS.contains(&word));
        // "Netflix is Kate's, drawings": a few words without a verb still speak of it.
        const FEW: usize = 3;
        let mut goes_on = behind.iter().take_while(|(clause, _)| clause.split_whitespace().count() <= FEW);
        let says_so = |(_, is_private): &(String, bool)| *is_private;
        *is_private || if says_itself { goes_on.any(says_so) } else { before.iter().chain(behind).any(says_so) }
    }

    /// Whether the clause of a word calls somebody self-employed, other than the owner, of whom the context speaks first.
    pub fn is_self_employed(&self, word: &str) -> bool {
        if self.is_first {
            return false;
        }
        let word = format!(" {word} ");
        const PHRASES: &[&str] = &[
            " LABOUR ONLY ",
            " SELF EMPLOYED ",
            " FREELANCE ",
            " SUBBIE ",
            " SUBBIES ",
            " SUBBY ",
            " SUBCONTRACTORS ",
        ];
        let says = |clause: &str| PHRASES.iter().any(|phrase| clause.contains(phrase));
        self.clauses.iter().any(|(clause, _)| clause.contains(&word) && says(clause))
    }

    /// Whether the clause of a word says that the domestic reverse charge is on what is paid, which is on building work alone.
    pub fn is_reverse_charged(&self, word: &str) -> bool {
        if self.is_first || !is_on_domestic_reverse_charge(self.padded.trim()) {
            return false;
        }
        let word = format!(" {word} ");
        let says = |clause: &str| clause.contains(" REVERSE CHARGE ");
        let at = self.clauses.iter().position(|(clause, _)| clause.contains(&word));
        let mut spoken = at.and_then(|at| self.clauses.get(at..)).unwrap_or_default().iter().take(2).enumerate();
        // "Example Ltd is VAT registered, reverse charge".
        let is_few = |clause: &str| clause.split_whitespace().count() <= 3;
        spoken.any(|(behind, (clause, _))| says(clause) && (behind == 0 || is_few(clause)))
    }

    /// Stems of what a payment service takes, by the parts of the sentence that lead to it, back to the service before: "classes by
    /// Stripe, and mats and socks at the desk by SumUp". Where a sentence or a part about it begins with its name, those behind it are meant.
    fn taken_by(&self, word: &str) -> Vec<String> {
        let parts: Vec<Vec<&str>> = self
            .clauses
            .iter()
            .flat_map(|(clause, _)| clause.split(" AND "))
            .map(|part| part.split_whitespace().collect())
            .collect();
        let has_service = |part: &Vec<&str>| part.iter().any(|part| is_payment_service(part));
        const VERBS: &[&str] =
            &["IS", "ARE", "TAKES", "PAYS", "COLLECTS", "BRINGS", "SETTLES", "PASSES", "COVERS", "HANDLES", "SENDS"];
        // "It arrives as Stripe, and I treat all Stripe as subscriptions": the part that says what it is.
        let tells = |part: &Vec<&str>| {
            let next = part.iter().position(|known| *known == word).and_then(|place| part.get(place + 1));
            next.is_some_and(|next| *next == "AS")
        };
        let spoken = parts.iter().position(tells).or_else(|| parts.iter().position(|part| part.contains(&word)));
        let Some(at) = spoken else { return Vec::new() };
        let (before, behind) = parts.split_at(at);
        let Some((own, behind)) = behind.split_first() else { return Vec::new() };
        let begins = own.iter().position(|part| *part == word).is_some_and(|place| {
            place <= 1 && (at == 0 || own.get(place + 1).is_some_and(|next| VERBS.contains(next)))
        });
        // "Patients pay by card (Dojo), which is private fees".
        let told = behind.iter().take(1).filter(|part| part.first() == Some(&"WHICH"));
        let others: Vec<&Vec<&str>> = if told.clone().next().is_some() {
            told.collect()
        } else if begins {
            behind.iter().take_while(|part| !has_service(part) && !begins_anew(part)).collect()
        } else {
            before.iter().rev().take_while(|part| !has_service(part)).collect()
        };
        let words = own.iter().chain(others.into_iter().flatten()).filter(|part| **part != word);
        let stems: BTreeSet<String> = words.map(|part| stem(part)).collect();
        stems.into_iter().collect()
    }

    /// Whether it says what is bought somewhere: "at the cash and carry we mainly buy drinks".
    pub fn says_what_is_bought(&self) -> bool {
        const PHRASES: &[&str] = &[" WE BUY ", " I BUY ", " IS BOUGHT ", " MAINLY ", " MOSTLY "];
        PHRASES.iter().any(|phrase| self.padded.contains(phrase))
    }

    /// Stems of what a clause says of a name by *is* or *are*, up to the next such subject: "Brightsea and Marl are tools and bits".
    pub fn predicate(&self, word: &str) -> Option<Vec<String>> {
        /// A list of names from the first to the verb.
        const REACH: usize = 6;
        let padded = format!(" {word} ");
        if !self.capitals.contains(word) {
            return None;
        }
        let clause = self.linked.iter().find(|clause| clause.contains(&padded))?;
        let words: Vec<&str> = clause.split_whitespace().collect();
        let at = words.iter().position(|known| *known == word)?;
        let is_link = |word: &&str| matches!(*word, "IS" | "ARE");
        let link = at + words.iter().skip(at).take(REACH).position(is_link)?;
        let behind = words.get(link + 1..)?;
        let next = behind.iter().position(is_link).unwrap_or(behind.len());
        let until =
            behind.iter().take(next).rposition(|word| *word == "AND").filter(|_| next < behind.len()).unwrap_or(next);
        Some(behind.iter().take(until).map(|word| stem(word)).collect())
    }

    /// Stems of the words near a word of it.
    pub fn near(&self, word: &str) -> Vec<String> {
        if is_payment_service(word) {
            return self.taken_by(word);
        }
        let words: Vec<&str> = self.padded.split_whitespace().collect();
        let Some(at) = words.iter().position(|known| *known == word) else { return Vec::new() };
        let around = words.iter().enumerate().filter(|(place, _)| place.abs_diff(at) <= 7 && *place != at);
        // What is said twice is said once.
        let stems: BTreeSet<String> = around.map(|(_, word)| stem(word)).collect();
        stems.into_iter().collect()
    }

    /// Concepts that the sentence's words name near a word of it, without those inside the name itself.
    pub fn patterns<'k>(&self, knowledge: &'k Knowledge, word: &str) -> Vec<PatternMatch<'k>> {
        let mut found = Vec::new();
        knowledge.patterns.find(&self.padded, &mut found);
        let at = self.padded.find(&format!(" {word} ")).map_or(0, |at| at + 1);
        let near = |hit: &PatternMatch<'_>| hit.start.abs_diff(at) <= 40 && !(hit.start..hit.end).contains(&at);
        found.retain(|hit| near(hit) && hit.targets.iter().any(|target| target.strength != Strength::Weak));
        found
    }
}

/// Verbs that a clause of its own has.
const VERBS: &[&str] = &[
    "IS", "ARE", "DOES", "DO", "HAS", "HAVE", "GOES", "GO", "CHARGE", "CHARGES", "PAY", "PAYS", "USE", "RUN", "MOVE",
    "SELL", "KEEP",
];

/// Whether a part of a sentence has a subject and a verb of its own: "the landlord does not charge VAT".
fn begins_anew(part: &[&str]) -> bool {
    matches!(part, ["THE" | "OUR" | "MY" | "WE" | "I", rest @ ..] if rest.iter().take(4).any(|word| VERBS.contains(word)))
}

/// Whether a sentence sends something to the owner: "is me", "her own", "drawings", "personal".
fn speaks_of_private(words: &[&str]) -> bool {
    const WORDS: &[&str] = &["PERSONAL", "PERSONALLY", "DRAWINGS", "MINE", "HERS", "PRIVATELY"];
    const PAIRS: &[(&str, &[&str])] = &[
        ("ME", &["IS", "ARE", "JUST", "ALL", "ITS"]),
        ("HOME", &["FOR", "AT"]),
        ("LOAN", &["DIRECTORS", "DIRECTOR"]),
        ("PRIVATE", &["IS", "ARE", "ALWAYS", "BE"]),
    ];
    /// What somebody has or buys for oneself; "my own kits" are the business's.
    const OWN: &[&str] = &[
        "USE",
        "SHOPPING",
        "FOOD",
        "THINGS",
        "STUFF",
        "SPENDING",
        "ACCOUNT",
        "MONEY",
        "TAX",
        "LUNCH",
        "GROCERIES",
        "BILLS",
        "POCKET",
    ];
    // Who "bakes for us at home" is paid for it.
    const WORKS: &[&str] = &["WHO", "OUR", "US", "BAKES", "COOKS", "DOES", "KNITS", "MAKES", "SEWS", "WORKS", "WORK"];
    let is_work = words.iter().any(|word| WORKS.contains(word));
    let single = words.iter().any(|word| WORDS.contains(word));
    let is_own = words.windows(2).enumerate().any(|(at, pair)| {
        matches!(pair, ["MY" | "HIS" | "HER", "OWN"])
            && words.get(at + 2).is_none_or(|next| OWN.contains(next) || !next.chars().all(char::is_alphabetic))
    });
    let pair = words.windows(2).any(|pair| match pair {
        [before, word] => {
            let possessive = *word == "OWN"
                && before.ends_with('S')
                && !matches!(*before, "HIS" | "ITS" | "THIS" | "HAS" | "WAS" | "IS" | "BUSINESS" | "OURS");
            let is_of_work = is_work && matches!(pair, ["AT", "HOME"]);
            possessive || !is_of_work && PAIRS.iter().any(|(second, firsts)| word == second && firsts.contains(before))
        }
        _ => false,
    });
    single || is_own || pair
}
