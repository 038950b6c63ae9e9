//! What a pair of rows says for and against itself, in nats (log odds), learned
//! from the file at hand and shrunk towards fixed priors where the file is small.
//!
//! Three things are learned from pairs that can hardly be wrong: which words of
//! the bank stand for which words of the books (pointwise mutual information),
//! how much a word that finds no counterpart counts against a pair (the m and u
//! probabilities of Fellegi and Sunter, "A theory for record linkage", JASA 64,
//! 1969), and how many days the books run before or after the bank.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "hot kernel: words and rows are ids handed out by `words`, weights are clamped before they become integers"
)]

use crate::domain::control::Stopped;

use super::lag::Lags;
use super::pace::Pace;
use super::words::{HAS_NUMBER, Kind, Likeness, Related, Side, Vocabulary};

/// Weights are integers, so that sums do not depend on their order: this many to a nat.
pub(super) const NAT: i32 = 4096;

/// Rows the fixed prior is worth where word frequencies are estimated.
const PRIOR_ROWS: f64 = 75.0;

/// Pairs the fixed prior is worth where one word is judged.
const PRIOR_PAIRS: f64 = 6.0;

/// Words of one row are not independent, so an absent word counts for less than its odds.
const ABSENCE_SHARE: f64 = 0.7;

/// Weakest association that is used where names and numbers say enough; below it most are chance meetings of common words.
const WEAKEST_ASSOCIATION: f64 = 2.0;

/// The same in a small file whose two sides share neither names nor numbers, where associations are all there is.
const WEAKEST_WITHOUT_NAMES: f64 = 1.5;

/// Share of pairs with a name or number in common from which on these say enough, and the share expected before any pair.
const COMMON_NAMES: f64 = 0.7;

/// Pairs that the expected share is worth.
const COMMON_NAMES_PAIRS: f64 = 10.0;

/// Pairs up to which a file is small: more of them say enough about strong associations.
const FEW_PAIRS: f64 = 400.0;

/// Rows from which on a number is one that lasts.
const LASTING_ROWS: u32 = 4;

/// Co-occurrences kept while learning; enough for any file, and a bound on memory.
const MAX_COOCCURRENCES: usize = 2_000_000;

/// Associations kept for one bank word, the strongest.
const ASSOCIATIONS_PER_WORD: usize = 64;

/// Words that say little on any statement, whatever this file's counts are.
pub(super) const STOP_WORDS: [&str; 24] = [
    "payment", "card", "ref", "ltd", "limited", "inv", "invoice", "the", "and", "from", "to", "of", "for", "on",
    "direct", "debit", "credit", "transfer", "bank", "receipt", "plc", "co", "uk", "com",
];

/// A bank row and a book row, by their places in canonical order.
pub(super) type Pair = (u32, u32);

/// One way a book word can be accounted for by a bank word.
#[derive(Debug, Clone, Copy)]
struct Relation {
    book_word: u32,
    /// Gain over both words standing alone, split between the two rows' base values.
    book_part: i32,
    bank_part: i32,
    /// Seen too rarely to be counted as known in the pair that taught it.
    fragile: bool,
}

/// Everything learned; answers [`Reader::text`] and [`Evidence::lag`].
#[derive(Debug)]
pub(super) struct Evidence {
    relation_starts: Vec<u32>,
    relations: Vec<Relation>,
    bank_base: Vec<i32>,
    book_base: Vec<i32>,
    /// First letter of each word as a bit, for initials.
    word_letters: Vec<u32>,
    is_number: Vec<bool>,
    number_conflict: i32,
    initial_agrees: i32,
    initial_differs: i32,
    mention_agrees: i32,
    mention_differs: i32,
    lags: Lags,
    /// The price of a match: what leaving both rows open costs.
    pub(super) reward: i32,
}

/// The texts of both sides, as the learner and the reader see them.
pub(super) struct Texts {
    pub(super) vocabulary: Vocabulary,
    pub(super) bank: Side,
    pub(super) book: Side,
    pub(super) bank_days: Vec<i32>,
    pub(super) book_days: Vec<i32>,
    /// The day each row's text speaks of.
    pub(super) bank_mentions: Vec<Option<i32>>,
    pub(super) book_mentions: Vec<Option<i32>>,
    pub(super) related: Vec<Related>,
    /// Ids of [`STOP_WORDS`].
    pub(super) stop_words: Vec<u32>,
    /// For every word whether it can be somebody's name.
    pub(super) names: Vec<bool>,
}

impl Texts {
    /// Whether a word can be somebody's name.
    pub(super) fn is_name(&self, word: u32) -> bool {
        self.names[word as usize]
    }

    /// Whether a word is a number of four and more digits.
    pub(super) fn is_number(&self, word: u32) -> bool {
        self.vocabulary.kind(word) == Kind::Number
    }
}

impl Evidence {
    /// Learns from pairs that are taken to be true.
    pub(super) fn learn(texts: &Texts, pairs: &[Pair], window_days: i32, pace: &Pace<'_>) -> Result<Self, Stopped> {
        let mut evidence = Self::untaught(texts, window_days);
        pace.check()?;
        let mut counts = PairCounts::of(texts, pairs);
        pace.check()?;
        evidence.relate(texts, &counts, pace)?;
        counts.together = Vec::new();
        pace.check()?;
        evidence.judge_absence(texts, pairs, &counts, pace)?;
        pace.check()?;
        evidence.lags = Lags::learn(texts, pairs, window_days);
        evidence.reward = (12 * NAT).max(evidence.lags.highest_cost() + NAT);
        pace.check()?;
        Ok(evidence)
    }

    fn untaught(texts: &Texts, window_days: i32) -> Self {
        let words = texts.vocabulary.len();
        let mut word_letters = vec![0; words];
        let mut is_number = vec![false; words];
        for word in 0..words {
            is_number[word] = texts.vocabulary.kind(word as u32) == Kind::Number;
            word_letters[word] = texts.vocabulary.initial(word as u32);
        }
        Self {
            relation_starts: Vec::new(),
            relations: Vec::new(),
            bank_base: Vec::new(),
            book_base: Vec::new(),
            word_letters,
            is_number,
            number_conflict: 0,
            initial_agrees: 0,
            initial_differs: 0,
            mention_agrees: 0,
            mention_differs: 0,
            lags: Lags::learn(texts, &[], window_days),
            reward: 0,
        }
    }

    /// What the days between two rows are worth.
    pub(super) fn lag(&self, texts: &Texts, bank: usize, book: usize) -> i32 {
        self.lags.weigh(texts, bank, book)
    }

    /// The book words that a bank word may stand for.
    pub(super) fn related(&self, bank_word: u32) -> impl Iterator<Item = u32> {
        let relations = &self.relations[span(&self.relation_starts, bank_word as usize)];
        relations.iter().map(|relation| relation.book_word)
    }

    /// Scores word pairs: those that look alike, and those that keep occurring together.
    /// Until [`Self::judge_absence`] the whole gain is in `book_part`.
    fn relate(&mut self, texts: &Texts, counts: &PairCounts, pace: &Pace<'_>) -> Result<(), Stopped> {
        let rates = Rates::of(texts);
        let mut scored: Vec<(u32, Relation)> = Vec::new();
        let mut look_alikes = texts.related.iter().peekable();
        let mut together = counts.together.chunk_by(|left, right| left == right).peekable();
        loop {
            let next_alike = look_alikes.peek().map(|related| key(related.bank, related.book));
            let next_together = together.peek().map(|group| group[0]);
            let Some(next) = next_alike.into_iter().chain(next_together).min() else { break };
            pace.spend(32)?;
            let likeness =
                look_alikes.next_if(|related| key(related.bank, related.book) == next).map(|related| related.likeness);
            let seen = together.next_if(|group| group[0] == next).map_or(0, <[u64]>::len);
            let (bank, book) = ((next >> 32) as u32, next as u32);
            let nats = match likeness {
                Some(likeness) => counts.alike(&rates, bank, book, likeness, seen),
                None => counts.associated(&rates, bank, book, seen),
            };
            let Some(nats) = nats else { continue };
            let fragile = likeness.is_none() && seen == 2;
            let relation = Relation { book_word: book, book_part: weight(nats), bank_part: 0, fragile };
            scored.push((bank, relation));
        }
        self.relation_starts = Vec::with_capacity(texts.vocabulary.len() + 1);
        self.relation_starts.push(0);
        let mut groups = scored.chunk_by_mut(|left, right| left.0 == right.0).peekable();
        for word in 0..texts.vocabulary.len() as u32 {
            if let Some(group) = groups.next_if(|group| group[0].0 == word) {
                if group.len() > ASSOCIATIONS_PER_WORD {
                    group.sort_by_key(|(_, relation)| (std::cmp::Reverse(relation.book_part), relation.book_word));
                }
                let kept = group.iter().take(ASSOCIATIONS_PER_WORD);
                self.relations.extend(kept.map(|(_, relation)| *relation));
            }
            self.relation_starts.push(self.relations.len() as u32);
        }
        Ok(())
    }

    /// Compares true pairs with the same rows paired at random: how often each word is
    /// accounted for, how often numbers contradict each other, and initials.
    fn judge_absence(
        &mut self,
        texts: &Texts,
        pairs: &[Pair],
        counts: &PairCounts,
        pace: &Pace<'_>,
    ) -> Result<(), Stopped> {
        let words = texts.vocabulary.len();
        let mut seen_true = Sightings::new(words);
        let mut seen_random = Sightings::new(words);
        let mut reader = Reader::new(words);
        let shift = pairs.len() / 2;
        for (at, &(bank, book)) in pairs.iter().enumerate() {
            pace.spend(128)?;
            reader.load(self, texts, bank as usize);
            seen_true.add(&reader.sight(self, texts, book as usize, true), texts, bank, book);
            if shift > 0 {
                let (_, other) = pairs[(at + shift) % pairs.len()];
                let sight = reader.sight(self, texts, other as usize, false);
                seen_random.add(&sight, texts, bank, other);
            }
        }
        pace.check()?;
        let mut known_book = vec![false; words];
        let mut known_bank = vec![false; words];
        for (word, known) in known_bank.iter_mut().enumerate() {
            for relation in &self.relations[span(&self.relation_starts, word)] {
                *known = true;
                known_book[relation.book_word as usize] = true;
            }
        }
        let bank_absence = absences(texts, &known_bank, &counts.bank, &seen_true.bank, &seen_random.bank);
        pace.check()?;
        let book_absence = absences(texts, &known_book, &counts.book, &seen_true.book, &seen_random.book);
        pace.check()?;
        for (word, &bank_absent) in bank_absence.iter().enumerate() {
            for relation in &mut self.relations[span(&self.relation_starts, word)] {
                let gain = relation.book_part;
                let absent = book_absence[relation.book_word as usize];
                relation.book_part = (gain - absent) / 2;
                relation.bank_part = (gain - bank_absent) / 2;
            }
        }
        pace.check()?;
        self.bank_base = bases(&texts.bank, texts.bank_days.len(), &bank_absence);
        self.book_base = bases(&texts.book, texts.book_days.len(), &book_absence);
        self.number_conflict =
            contrast(&[seen_true.conflicts, seen_true.numbers, seen_random.conflicts, seen_random.numbers], -4.0);
        (self.initial_agrees, self.initial_differs) = contrasts(seen_true.initials, seen_random.initials, (1.0, -0.7));
        (self.mention_agrees, self.mention_differs) = contrasts(seen_true.mentions, seen_random.mentions, (1.5, -0.5));
        Ok(())
    }

    /// The value of a pair, always above 0: a legal pair is never worse than two open rows.
    pub(super) fn value(&self, text: i32, lag: i32) -> i32 {
        let value = self.reward + text + lag;
        if value >= NAT {
            return value;
        }
        // Squeezes what would be below one nat into what is left above zero, keeping the order.
        (i64::from(NAT) * i64::from(NAT) / i64::from(2 * NAT - value)).max(1) as i32
    }
}

/// Holds one bank row open while book rows are compared with it.
#[derive(Debug)]
pub(super) struct Reader {
    /// Bank row in which a book word was last related, and where in `found`.
    marks: Vec<(u32, u32)>,
    turn: u32,
    found: Vec<Found>,
    bank_row: usize,
}

#[derive(Debug, Clone, Copy)]
struct Found {
    book_part: i32,
    bank_part: i32,
    bank_word_bit: u16,
    fragile: bool,
    /// Whether it is the same word.
    is_same: bool,
}

/// What was seen when two rows were laid side by side.
#[derive(Debug, Default)]
pub(super) struct Sight {
    sum: i32,
    /// Bank words and book words accounted for, one bit each by place in the row.
    bank_words: u16,
    book_words: u16,
    both_numbered: bool,
    number_agrees: bool,
    initial: Option<bool>,
    /// Whether the days the texts speak of agree, with each other or with the other row's date.
    mention: Option<bool>,
}

impl Reader {
    pub(super) fn new(words: usize) -> Self {
        Self { marks: vec![(0, 0); words], turn: 0, found: Vec::new(), bank_row: 0 }
    }

    /// Opens a bank row.
    pub(super) fn load(&mut self, evidence: &Evidence, texts: &Texts, bank_row: usize) {
        self.turn += 1;
        self.found.clear();
        self.bank_row = bank_row;
        for (place, &word) in texts.bank.row(bank_row).iter().enumerate() {
            for relation in &evidence.relations[span(&evidence.relation_starts, word as usize)] {
                let found = Found {
                    book_part: relation.book_part,
                    bank_part: relation.bank_part,
                    bank_word_bit: 1 << place,
                    fragile: relation.fragile,
                    is_same: relation.book_word == word,
                };
                let mark = &mut self.marks[relation.book_word as usize];
                if mark.0 == self.turn {
                    let held = &mut self.found[mark.1 as usize];
                    if found.book_part + found.bank_part > held.book_part + held.bank_part {
                        *held = found;
                    }
                } else {
                    *mark = (self.turn, self.found.len() as u32);
                    self.found.push(found);
                }
            }
        }
    }

    /// What the texts of the open bank row and a book row say for the pair.
    pub(super) fn text(&self, evidence: &Evidence, texts: &Texts, book_row: usize) -> i32 {
        let sight = self.sight(evidence, texts, book_row, false);
        let mut text = sight.sum + evidence.bank_base[self.bank_row] + evidence.book_base[book_row];
        if sight.both_numbered && !sight.number_agrees {
            text += evidence.number_conflict;
        }
        match sight.initial {
            Some(true) => text += evidence.initial_agrees,
            Some(false) => text += evidence.initial_differs,
            None => {}
        }
        match sight.mention {
            Some(true) => text += evidence.mention_agrees,
            Some(false) => text += evidence.mention_differs,
            None => {}
        }
        text
    }

    /// What the texts say beyond two rows that have nothing in common.
    pub(super) fn gain(&self, evidence: &Evidence, texts: &Texts, book_row: usize) -> i32 {
        let bases = evidence.bank_base[self.bank_row] + evidence.book_base[book_row];
        self.text(evidence, texts, book_row) - bases
    }

    /// The same without what numbers say.
    pub(super) fn wording_gain(&self, evidence: &Evidence, texts: &Texts, book_row: usize) -> i32 {
        self.sight(evidence, texts, book_row, false).sum
    }

    /// The words that the open bank row and a book row account for in each other, one bit each by place in the row.
    pub(super) fn common_words(
        &self,
        evidence: &Evidence,
        texts: &Texts,
        book_row: usize,
        learning: bool,
    ) -> (u16, u16) {
        let sight = self.sight(evidence, texts, book_row, learning);
        (sight.bank_words, sight.book_words)
    }

    fn sight(&self, evidence: &Evidence, texts: &Texts, book_row: usize, learning: bool) -> Sight {
        let mut sight = Sight::default();
        let mut open_letters = 0;
        for (place, &word) in texts.book.row(book_row).iter().enumerate() {
            let (turn, at) = self.marks[word as usize];
            let found = (turn == self.turn).then(|| self.found[at as usize]);
            let Some(found) = found.filter(|found| !(learning && found.fragile)) else {
                open_letters |= evidence.word_letters[word as usize];
                continue;
            };
            sight.sum += found.book_part;
            sight.book_words |= 1 << place;
            if sight.bank_words & found.bank_word_bit == 0 {
                sight.bank_words |= found.bank_word_bit;
                sight.sum += found.bank_part;
            }
            sight.number_agrees |= found.is_same && evidence.is_number[word as usize];
        }
        let bank_singles = texts.bank.singles(self.bank_row);
        let book_singles = texts.book.singles(book_row);
        let numbered = texts.bank.letters(self.bank_row) & texts.book.letters(book_row);
        sight.both_numbered = numbered & HAS_NUMBER != 0;
        if (bank_singles | book_singles) != 0 && sight.bank_words != 0 {
            let agrees = bank_singles & open_letters;
            let mut wanted = bank_singles & !book_singles != 0 && open_letters != 0;
            let mut agreed = agrees != 0;
            if book_singles & !bank_singles != 0 {
                let open = self.open_bank_letters(evidence, texts, sight.bank_words);
                wanted |= open != 0;
                agreed |= book_singles & open != 0;
            }
            sight.initial = wanted.then_some(agreed);
        }
        sight.mention = match (texts.bank_mentions[self.bank_row], texts.book_mentions[book_row]) {
            (Some(one), Some(other)) => Some(one == other),
            (Some(one), None) => Some(one == texts.book_days[book_row]),
            (None, Some(other)) => Some(other == texts.bank_days[self.bank_row]),
            (None, None) => None,
        };
        sight
    }

    fn open_bank_letters(&self, evidence: &Evidence, texts: &Texts, known: u16) -> u32 {
        let row = texts.bank.row(self.bank_row).iter().enumerate();
        row.filter(|(place, _)| known & (1 << place) == 0)
            .fold(0, |letters, (_, &word)| letters | evidence.word_letters[word as usize])
    }
}

/// How often words occur, and occur together, in the pairs learned from.
struct PairCounts {
    bank: Vec<u32>,
    book: Vec<u32>,
    /// Every co-occurrence of a bank word and a book word, sorted.
    together: Vec<u64>,
    /// Weakest association that is used.
    weakest: f64,
}

impl PairCounts {
    fn of(texts: &Texts, pairs: &[Pair]) -> Self {
        let words = texts.vocabulary.len();
        let mut counts = Self { bank: vec![0; words], book: vec![0; words], together: Vec::new(), weakest: 0.0 };
        let mut alike = 0_u32;
        // A number stands for itself only, unless it keeps coming, as that of an agreement does.
        let telling = |word: u32, rows: &[u32]| !texts.is_number(word) || rows[word as usize] >= LASTING_ROWS;
        let telling_bank = |word: u32| telling(word, &texts.vocabulary.bank_rows);
        let telling_book = |word: &&u32| telling(**word, &texts.vocabulary.book_rows);
        for &(bank, book) in pairs {
            let (bank, book) = (texts.bank.row(bank as usize), texts.book.row(book as usize));
            let says_who = |word: u32| texts.is_name(word) || texts.is_number(word);
            alike += u32::from(bank.iter().any(|word| book.binary_search(word).is_ok() && says_who(*word)));
            bank.iter().for_each(|&word| counts.bank[word as usize] += 1);
            book.iter().for_each(|&word| counts.book[word as usize] += 1);
            if counts.together.len() >= MAX_COOCCURRENCES {
                continue;
            }
            for &bank_word in bank {
                // A word that stands in both rows is accounted for: it says nothing of the words beside it.
                if book.binary_search(&bank_word).is_ok() {
                    counts.together.push(key(bank_word, bank_word));
                } else if telling_bank(bank_word) {
                    let book = book.iter().filter(telling_book).filter(|word| bank.binary_search(word).is_err());
                    counts.together.extend(book.map(|&book_word| key(bank_word, book_word)));
                }
            }
        }
        counts.together.sort_unstable();
        let all = pairs.len() as f64;
        let share = (f64::from(alike) + COMMON_NAMES_PAIRS * COMMON_NAMES) / (all + COMMON_NAMES_PAIRS);
        let without_names = (1.0 - share / COMMON_NAMES).max(0.0) * (FEW_PAIRS / (all + 1.0)).min(1.0);
        counts.weakest = WEAKEST_ASSOCIATION - (WEAKEST_ASSOCIATION - WEAKEST_WITHOUT_NAMES) * without_names;
        counts
    }

    /// Words that look alike: the fixed prior, moved by what was seen.
    fn alike(&self, rates: &Rates, bank: u32, book: u32, likeness: Likeness, seen: usize) -> Option<f64> {
        const USUAL: f64 = 0.8;
        let trust = match likeness {
            Likeness::Same => 1.0,
            Likeness::Prefix | Likeness::Joined => 0.8,
            Likeness::Code | Likeness::Typo => 0.7,
        };
        let (bank_rate, book_rate) = (rates.bank(bank), rates.book(book));
        let prior = trust * 0.5 * (libm::log(USUAL / bank_rate) + libm::log(USUAL / book_rate));
        let (in_bank, in_book) = self.occurrences(bank, book);
        let together = seen as f64;
        let learned = 0.5
            * (libm::log((together + 0.5) / (in_bank + 1.0) / book_rate)
                + libm::log((together + 0.5) / (in_book + 1.0) / bank_rate));
        let pairs = in_bank.min(in_book);
        let nats = (prior * PRIOR_PAIRS + learned * pairs) / (PRIOR_PAIRS + pairs);
        (nats > 0.0).then_some(nats)
    }

    /// Words that do not look alike but keep meeting, as `ESSO` and `Petrol` do.
    fn associated(&self, rates: &Rates, bank: u32, book: u32, seen: usize) -> Option<f64> {
        if seen < 2 {
            return None;
        }
        let (in_bank, in_book) = self.occurrences(bank, book);
        let together = seen as f64 - 0.7;
        let nats = 0.5
            * (libm::log(together / (in_bank + 1.0) / rates.book(book))
                + libm::log(together / (in_book + 1.0) / rates.bank(bank)));
        (nats > self.weakest).then_some(nats)
    }

    fn occurrences(&self, bank: u32, book: u32) -> (f64, f64) {
        (f64::from(self.bank[bank as usize]), f64::from(self.book[book as usize]))
    }
}

/// How likely a random row carries a word.
struct Rates<'a> {
    texts: &'a Texts,
}

impl<'a> Rates<'a> {
    fn of(texts: &'a Texts) -> Self {
        Self { texts }
    }

    fn bank(&self, word: u32) -> f64 {
        self.rate(word, &self.texts.vocabulary.bank_rows, self.texts.bank_days.len())
    }

    fn book(&self, word: u32) -> f64 {
        self.rate(word, &self.texts.vocabulary.book_rows, self.texts.book_days.len())
    }

    fn rate(&self, word: u32, rows_with: &[u32], rows: usize) -> f64 {
        let usual = if self.texts.stop_words.contains(&word) { 0.15 } else { 0.01 };
        (f64::from(rows_with[word as usize]) + PRIOR_ROWS * usual) / (rows as f64 + PRIOR_ROWS)
    }
}

/// How often words were accounted for, over many pairs.
struct Sightings {
    bank: Vec<u32>,
    book: Vec<u32>,
    numbers: u32,
    conflicts: u32,
    /// Pairs whose initials agree, and differ.
    initials: [u32; 2],
    /// Pairs whose texts speak of days that agree, and differ.
    mentions: [u32; 2],
}

impl Sightings {
    fn new(words: usize) -> Self {
        Self {
            bank: vec![0; words],
            book: vec![0; words],
            numbers: 0,
            conflicts: 0,
            initials: [0; 2],
            mentions: [0; 2],
        }
    }

    fn add(&mut self, sight: &Sight, texts: &Texts, bank: u32, book: u32) {
        let rows = [
            (texts.bank.row(bank as usize), sight.bank_words, &mut self.bank),
            (texts.book.row(book as usize), sight.book_words, &mut self.book),
        ];
        for (row, known, counts) in rows {
            for (place, &word) in row.iter().enumerate() {
                counts[word as usize] += u32::from(known >> place & 1);
            }
        }
        self.numbers += u32::from(sight.both_numbered);
        self.conflicts += u32::from(sight.both_numbered && !sight.number_agrees);
        match sight.initial {
            Some(true) => self.initials[0] += 1,
            Some(false) => self.initials[1] += 1,
            None => {}
        }
        match sight.mention {
            Some(true) => self.mentions[0] += 1,
            Some(false) => self.mentions[1] += 1,
            None => {}
        }
    }
}

/// What each word costs a pair in which it finds no counterpart, at most 0.
fn absences(
    texts: &Texts,
    known: &[bool],
    occurrences: &[u32],
    accounted: &[u32],
    accounted_at_random: &[u32],
) -> Vec<i32> {
    const CLASS_PAIRS: f64 = 20.0;
    let class = |word: usize| match (texts.vocabulary.kind(word as u32), known[word]) {
        (Kind::Number, _) => None,
        (_, false) => None,
        (Kind::Letters, true) => Some(0),
        (Kind::Other, true) => Some(1),
    };
    let mut totals = [[0.0; 3]; 2];
    for word in 0..known.len() {
        let Some(class) = class(word) else { continue };
        totals[class][0] += f64::from(occurrences[word]);
        totals[class][1] += f64::from(accounted[word]);
        totals[class][2] += f64::from(accounted_at_random[word]);
    }
    let rates = totals.map(|[all, accounted, random]| {
        let rate = |count: f64, usual: f64| (count + CLASS_PAIRS * usual) / (all + CLASS_PAIRS);
        [rate(accounted, 0.5), rate(random, 0.3)]
    });
    let cost = |word: usize| {
        let [usual, usual_at_random] = rates[class(word)?];
        let all = f64::from(occurrences[word]) + PRIOR_PAIRS;
        let rate = |count: u32, usual: f64| (f64::from(count) + PRIOR_PAIRS * usual) / all;
        let absent = 1.0 - rate(accounted[word], usual);
        let absent_at_random = 1.0 - rate(accounted_at_random[word], usual_at_random);
        let nats = ABSENCE_SHARE * libm::log(absent / absent_at_random);
        Some(weight(nats.clamp(-4.0, 0.0)))
    };
    (0..known.len()).map(|word| cost(word).unwrap_or(0)).collect()
}

fn bases(side: &Side, rows: usize, absences: &[i32]) -> Vec<i32> {
    let row = |row: usize| side.row(row).iter().map(|&word| absences[word as usize]).sum::<i32>() / 2;
    (0..rows).map(row).collect()
}

/// Log of how much likelier a sign is in true pairs than at random, shrunk to a prior.
/// `counts` are the sign and the chances for it, in true pairs and then at random.
fn contrast(counts: &[u32], prior: f64) -> i32 {
    const SIGN_PAIRS: f64 = 20.0;
    let rate = |sign: u32, chances: u32| (f64::from(sign) + 0.5) / (f64::from(chances) + 1.0);
    let &[sign, chances, random_sign, random_chances] = counts else { return weight(prior) };
    let learned = libm::log(rate(sign, chances) / rate(random_sign, random_chances));
    let seen = f64::from(chances.min(random_chances));
    weight((prior * SIGN_PAIRS + learned * seen) / (SIGN_PAIRS + seen))
}

/// What it says that a sign agrees, and that it differs, of pairs in which it agreed and differed.
fn contrasts(pairs: [u32; 2], at_random: [u32; 2], (agrees, differs): (f64, f64)) -> (i32, i32) {
    let ([agreed, differed], [agreed_at_random, differed_at_random]) = (pairs, at_random);
    let (all, all_at_random) = (agreed + differed, agreed_at_random + differed_at_random);
    let agrees = contrast(&[agreed, all, agreed_at_random, all_at_random], agrees);
    (agrees, contrast(&[differed, all, differed_at_random, all_at_random], differs))
}

fn key(bank: u32, book: u32) -> u64 {
    u64::from(bank) << 32 | u64::from(book)
}

fn span(starts: &[u32], at: usize) -> std::ops::Range<usize> {
    starts[at] as usize..starts[at + 1] as usize
}

fn weight(nats: f64) -> i32 {
    weight_unclamped(nats.clamp(-8.0, 10.0))
}

fn weight_unclamped(nats: f64) -> i32 {
    (nats * f64::from(NAT)).round() as i32
}
