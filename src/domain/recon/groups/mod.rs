//! One payment of several documents, or one document paid in several parts: a row left open whose amount is the exact
//! sum of rows left open on the other side, inside the window.
//!
//! It comes after the matching and sees only what that left open, so it never stands in the way of a one-to-one match.
//! First the whole run of a payee is tried, then subsets of a few rows; then rows that belong together by what they say
//! themselves (see `kin`), a few rows of one day, whoever they are for, and a row of the payee with a few others that need
//! not name anybody; last of all, rows that have no more than a surname in common. A sum counts only where hardly any
//! would come about by chance, and where no part cancels another. All work is counted, so the answer is the same on every
//! machine.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "hot kernel: places index the permutations of the matcher, and there are fewer than 2^32 rows"
)]

mod links;
mod rows;
#[cfg(test)]
mod tests;

use links::Links;
use rows::{Nearby, Taken, Telling, WordIndex};

use crate::domain::control::Stopped;
use crate::domain::recon::assignment::NONE;
use crate::domain::recon::dataset::Dataset;
use crate::domain::recon::evidence::{Evidence, Reader, Texts};
use crate::domain::recon::kin::{Mention, Sets, Wanted};
use crate::domain::recon::ordered::Ordered;
use crate::domain::recon::pace::Pace;
use crate::domain::recon::subset_sum::{
    MEMBERS, Member, Search, accidents, accidents_allowed, cancels, chance_of_amount, nearest,
};
use crate::domain::recon::words::Side;

/// Groups given for one run.
pub(in crate::domain::recon) const MAX_GROUPS: usize = 1_000;

/// Share of a row's telling words that the other row has to have.
const LIKENESS: f64 = 0.6;

/// The same where any name in common is enough.
const ANY_LIKENESS: f64 = f64::MIN_POSITIVE;

/// Rows of the other side that are compared each time that pairs are looked for, which is twice for a job.
const COMPARISONS: u64 = 2_000_000;

/// Words of open rows that are indexed: a bound on memory.
const INDEXED_WORDS: usize = 1_000_000;

/// Pairs of rows of one payee that are kept: a bound on memory.
const PAYEE_PAIRS: usize = 500_000;

/// Subset sums that are looked at, for the whole job.
const SUBSET_SUMS: u64 = 8_000_000;

/// Share of the usual limit that chance may reach where no row of a set has a word in common with the row it makes up.
const STRANGERS: f64 = 0.2;

/// Rows of one amount that are looked at to find those of one payee.
const SAME_AMOUNT: usize = 64;

/// How many times likelier by chance another set of the same sum has to be.
const CLEARLY: f64 = 5.0;

/// Open rows of the other side inside the window of which a row of the payee is joined with others.
const ROWS_NEARBY: usize = 64;

/// Open rows of the other side inside the window of which some of one day are summed, whoever they are for: a bound on work.
/// More may be near than above, because sets of one day are few.
const ROWS_NEARBY_OF_ANY_PAYEE: usize = 128;

/// Amounts beyond it are left out, so that no sum overflows.
const LARGEST_PENCE: i128 = 1 << 55;

/// A row that is the sum of rows of the other side, by submitted index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::domain::recon) struct Group {
    /// Whether `row` is a bank row and the others are book rows.
    pub(in crate::domain::recon) is_bank: bool,
    pub(in crate::domain::recon) row: usize,
    /// 2 to [`MEMBERS`] rows of the other side, ascending.
    pub(in crate::domain::recon) others: Vec<usize>,
}

/// Both sides after the matching, in canonical order.
pub(in crate::domain::recon) struct Leftover<'a> {
    pub(in crate::domain::recon) dataset: &'a Dataset,
    pub(in crate::domain::recon) bank: &'a Ordered,
    pub(in crate::domain::recon) book: &'a Ordered,
    pub(in crate::domain::recon) bank_is_open: &'a [bool],
    pub(in crate::domain::recon) book_is_open: &'a [bool],
    pub(in crate::domain::recon) texts: &'a Texts,
    pub(in crate::domain::recon) evidence: &'a Evidence,
    pub(in crate::domain::recon) window_days: i32,
    pub(in crate::domain::recon) pace: &'a Pace<'a>,
}

/// Bank and book places that are tried together.
struct Pairs {
    places: Vec<(u32, u32)>,
    /// Whether most of what one of the two says is in the other; else they have some name in common.
    are_of_one_payee: bool,
}

/// Where sums are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// All rows of the payee, of one wording or of neighbouring days.
    Run,
    /// Some rows of the payee.
    Subset,
    /// Rows with a word in common, whoever they are for.
    Kin,
    /// All rows of the payee of one day with others of that day.
    OneDay,
    /// Some rows of one day, whoever they are for.
    AnyPayee,
    /// A row of the payee with a few others.
    WithOthers,
}

/// A sum that was found, by places in canonical order.
#[derive(Debug, Clone)]
struct Proposal {
    is_bank: bool,
    row: u32,
    others: Vec<u32>,
    accidents: f64,
    days: i64,
}

impl Leftover<'_> {
    /// The groups, in the order of their rows, bank rows first.
    pub(in crate::domain::recon) fn groups(&self) -> Result<Vec<Group>, Stopped> {
        let mut sums = SUBSET_SUMS;
        let mut taken = Taken {
            bank: self.bank_is_open.iter().map(|open| !open).collect(),
            book: self.book_is_open.iter().map(|open| !open).collect(),
        };
        let mut pairs = Pairs { places: self.payee_pairs(LIKENESS, &taken)?, are_of_one_payee: true };
        let mut found: Vec<Proposal> = Vec::new();
        use Way::{AnyPayee, Kin, OneDay, Run, Subset, WithOthers};
        self.find(&[Run, Run, Subset, Kin, OneDay, AnyPayee, WithOthers], &pairs, &mut sums, &mut taken, &mut found)?;
        // What was found narrows down what is left, and shows which words belong together.
        let links = Links::learn(self.texts, &found, self.pace)?;
        pairs.places.extend(links.pairs(self, &taken)?);
        pairs.places.sort_unstable();
        pairs.places.dedup();
        self.pace.check()?;
        self.find(&[Run, Subset, Kin, OneDay, AnyPayee, WithOthers], &pairs, &mut sums, &mut taken, &mut found)?;
        // A parent and a child have only the surname in common.
        let pairs = Pairs { places: self.payee_pairs(ANY_LIKENESS, &taken)?, are_of_one_payee: false };
        self.find(&[Run, Subset, OneDay, WithOthers], &pairs, &mut sums, &mut taken, &mut found)?;
        let mut found: Vec<Group> = found.iter().map(|proposal| self.submitted(proposal)).collect();
        found.sort_by_key(|group| (!group.is_bank, group.row));
        Ok(found)
    }

    /// Looks in several ways, one after the other, and takes what is found.
    fn find(
        &self,
        ways: &[Way],
        pairs: &Pairs,
        sums: &mut u64,
        taken: &mut Taken,
        found: &mut Vec<Proposal>,
    ) -> Result<(), Stopped> {
        for &way in ways {
            if found.len() >= MAX_GROUPS {
                break;
            }
            let mut proposals = Vec::new();
            for is_bank in [true, false] {
                match way {
                    Way::Kin => self.propose_kin(is_bank, taken, &mut proposals)?,
                    Way::AnyPayee => self.propose_any_payee(is_bank, taken, sums, &mut proposals)?,
                    _ => self.propose(pairs, is_bank, way, taken, sums, &mut proposals)?,
                }
            }
            proposals.sort_by(|left, right| {
                let order = left.accidents.total_cmp(&right.accidents).then(left.days.cmp(&right.days));
                order.then_with(|| {
                    (!left.is_bank, left.row, &left.others).cmp(&(!right.is_bank, right.row, &right.others))
                })
            });
            for proposal in proposals {
                if found.len() < MAX_GROUPS && taken.take(&proposal) {
                    found.push(proposal);
                }
            }
        }
        Ok(())
    }

    fn submitted(&self, proposal: &Proposal) -> Group {
        let (rows, others) =
            if proposal.is_bank { (&self.bank.rows, &self.book.rows) } else { (&self.book.rows, &self.bank.rows) };
        let mut members: Vec<usize> = proposal.others.iter().map(|&place| others[place as usize] as usize).collect();
        members.sort_unstable();
        Group { is_bank: proposal.is_bank, row: rows[proposal.row as usize] as usize, others: members }
    }

    /// Free bank and book places inside the window that have a reference in common, or names of so much likeness.
    fn payee_pairs(&self, likeness: f64, taken: &Taken) -> Result<Vec<(u32, u32)>, Stopped> {
        let telling = Telling { texts: self.texts };
        let is_open = |place: usize| !taken.book[place] && is_usable(self.book.pence[place]);
        let is_telling = |word: u32| telling.names(word) || telling.numbers(word);
        let index = WordIndex::of(&self.texts.book, &self.book.days, is_open, is_telling, self.pace)?;
        let mut pairs = Vec::new();
        let mut reader = Reader::new(self.texts.vocabulary.len());
        let mut near: Vec<u32> = Vec::new();
        let mut comparisons = COMPARISONS;
        for bank in 0..self.bank.rows.len() {
            if taken.bank[bank] || !is_usable(self.bank.pence[bank]) {
                continue;
            }
            near.clear();
            for &word in self.texts.bank.row(bank).iter().filter(|&&word| is_telling(word)) {
                for other in self.evidence.related(word) {
                    self.pace.spend(16)?;
                    near.extend(index.around(other, self.bank.days[bank], self.window_days));
                }
            }
            near.sort_unstable();
            near.dedup();
            if near.is_empty() {
                continue;
            }
            let work = near.len() as u64 + 1;
            self.pace.spend(64 * work)?;
            if comparisons < work || pairs.len() >= PAYEE_PAIRS {
                break;
            }
            comparisons -= work;
            reader.load(self.evidence, self.texts, bank);
            for &book in &near {
                if telling.is_one_payee(&reader, self.evidence, bank, book as usize, likeness) {
                    pairs.push((bank as u32, book));
                }
            }
        }
        Ok(pairs)
    }

    fn propose(
        &self,
        pairs: &Pairs,
        is_bank: bool,
        way: Way,
        taken: &Taken,
        sums: &mut u64,
        proposals: &mut Vec<Proposal>,
    ) -> Result<(), Stopped> {
        let Pairs { places, are_of_one_payee } = pairs;
        let mut pairs: Vec<(u32, u32)> = places
            .iter()
            .filter(|pair| !taken.bank[pair.0 as usize] && !taken.book[pair.1 as usize])
            .map(|&(bank, book)| if is_bank { (bank, book) } else { (book, bank) })
            .collect();
        self.pace.check()?;
        pairs.sort_unstable();
        self.pace.check()?;
        let (one, other) = if is_bank { (self.bank, self.book) } else { (self.book, self.bank) };
        let side = if is_bank { &self.texts.book } else { &self.texts.bank };
        let nearby = self.open_rows(!is_bank, taken)?;
        let rivals = match way {
            Way::OneDay | Way::WithOthers => self.open_rows(is_bank, taken)?,
            _ => Nearby::default(),
        };
        let mut reader = Reader::new(self.texts.vocabulary.len());
        for run in pairs.chunk_by(|left, right| left.0 == right.0) {
            self.pace.spend(64 + run.len() as u64 * 32)?;
            if run.len() < 2 && !matches!(way, Way::OneDay | Way::WithOthers) {
                continue;
            }
            let row = run[0].0;
            let open_near = nearby.around(one.days[row as usize], self.window_days).len();
            if way == Way::WithOthers && open_near > ROWS_NEARBY {
                continue;
            }
            let mut members: Vec<Member> = run.iter().map(|&(_, place)| self.member(side, other, place)).collect();
            members.sort_unstable();
            let (goal, usual) = (one.pence[row as usize] as i64, self.usual(is_bank, row)?);
            let search = Search { goal, usual, limit: accidents_allowed(open_near) };
            let sum = match way {
                Way::Run | Way::Kin | Way::AnyPayee => search.whole_runs(&members),
                Way::Subset => {
                    let nearest = nearest(&members, one.days[row as usize]);
                    let work = 4 << (nearest.len() / 2);
                    if *sums < work {
                        continue;
                    }
                    *sums -= work;
                    self.pace.spend(4 * work)?;
                    search.subset(&nearest)
                }
                Way::OneDay => {
                    // Only days of the payee are read, and only those few enough rows lie open on: a year of one payee may have
                    // a hundred thousand.
                    let days = members.chunk_by(|left, right| left.day == right.day).map(|same| same[0].day);
                    let places =
                        days.map(|day| nearby.around(day, 0)).filter(|places| places.len() <= MEMBERS).flatten();
                    let others = places.map(|&(_, place)| self.member(side, other, place));
                    let mut others: Vec<Member> = others.filter(|one| members.binary_search(one).is_err()).collect();
                    self.pace.spend(32 * (members.len() + others.len()) as u64)?;
                    others.sort_unstable();
                    let before = *sums;
                    let sum = search.of_one_day(&members, &others, sums);
                    self.pace.spend(before - *sums)?;
                    sum
                }
                Way::WithOthers => {
                    let day = one.days[row as usize];
                    let anchors = nearest(&members, day);
                    let places = nearby.around(day, self.window_days);
                    if *sums < FEW_WORK {
                        continue;
                    }
                    let others = places.iter().map(|&(_, place)| self.member(side, other, place));
                    let mut others: Vec<Member> = others.filter(|one| !anchors.contains(one)).collect();
                    others.sort_unstable_by_key(|member| ((member.day - day).abs(), *member));
                    let all: Vec<Member> = anchors.iter().copied().chain(others).collect();
                    *sums -= FEW_WORK;
                    self.pace.spend(FEW_WORK)?;
                    search.anchored(&all, anchors.len())
                }
            };
            let Some((others, accidents)) = sum else { continue };
            let amounts: Vec<i64> = others.iter().map(|&place| other.pence[place as usize] as i64).collect();
            if cancels(&amounts) {
                continue;
            }
            let Some(proposal) = self.exact(is_bank, row, others, accidents) else { continue };
            if !are_of_one_payee && self.names_known_stranger(&proposal, &mut reader) {
                continue;
            }
            if matches!(way, Way::OneDay | Way::WithOthers) && self.names_another(&proposal, &rivals, &mut reader)? {
                continue;
            }
            proposals.push(proposal);
        }
        Ok(())
    }

    /// A sum as a proposal, unless fractions of a penny make it differ from the row.
    fn exact(&self, is_bank: bool, row: u32, others: Vec<u32>, accidents: f64) -> Option<Proposal> {
        let Dataset { bank, book } = self.dataset;
        let (one, other) = if is_bank { (self.bank, self.book) } else { (self.book, self.bank) };
        let (one_rows, other_rows) = if is_bank { (bank, book) } else { (book, bank) };
        let sum: i128 = others.iter().map(|&place| other_rows.units(other.rows[place as usize] as usize)).sum();
        let apart = |&place: &u32| i64::from((other.days[place as usize] - one.days[row as usize]).abs());
        let days = others.iter().map(apart).sum();
        let is_exact = sum == one_rows.units(one.rows[row as usize] as usize);
        is_exact.then_some(Proposal { is_bank, row, others, accidents, days })
    }

    /// Whether a row and a row of the other side have a name or a reference in common.
    fn shares_name(&self, reader: &mut Reader, is_bank: bool, row: u32, other: u32) -> bool {
        let (bank, book) = if is_bank { (row, other) } else { (other, row) };
        reader.load(self.evidence, self.texts, bank as usize);
        let (bank_words, _) = reader.common_words(self.evidence, self.texts, book as usize, false);
        let words = self.texts.bank.row(bank as usize).iter().enumerate();
        let mut known = words.filter(|(at, _)| bank_words >> at & 1 == 1).map(|(_, &word)| word);
        known.any(|word| self.texts.is_name(word) || self.texts.is_number(word))
    }

    /// Whether some rows of a set name whom the row names and another names whom only another open row names.
    fn names_another(&self, proposal: &Proposal, ones: &Nearby, reader: &mut Reader) -> Result<bool, Stopped> {
        let &Proposal { is_bank, row, others: ref set, .. } = proposal;
        let rows = if is_bank { self.bank } else { self.book };
        let rivals = ones.around(rows.days[row as usize], self.window_days);
        let strangers: Vec<u32> =
            set.iter().copied().filter(|&place| !self.shares_name(reader, is_bank, row, place)).collect();
        if strangers.is_empty() || strangers.len() == set.len() || rivals.len() > ROWS_NEARBY {
            return Ok(false);
        }
        for &(_, rival) in rivals.iter().filter(|rival| rival.1 != row) {
            self.pace.spend(64 * strangers.len() as u64)?;
            if strangers.iter().any(|&place| self.shares_name(reader, is_bank, rival, place)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a row of a set has nothing in common with the row they make up and names somebody whom other rows of that
    /// side name.
    fn names_known_stranger(&self, proposal: &Proposal, reader: &mut Reader) -> bool {
        let &Proposal { is_bank, row, others: ref set, .. } = proposal;
        let side = if is_bank { &self.texts.book } else { &self.texts.bank };
        let rows_with = if is_bank { &self.texts.vocabulary.bank_rows } else { &self.texts.vocabulary.book_rows };
        // One row with a word may have it by chance.
        let is_known = |&word: &u32| self.texts.is_name(word) && rows_with[word as usize] > 1;
        let names_known = |place: u32| side.row(place as usize).iter().any(is_known);
        set.iter().any(|&place| names_known(place) && !self.shares_name(reader, is_bank, row, place))
    }

    /// How likely any row of a side has the amount of a row. Others of the same payee are left out: a rent that is paid every
    /// month does not make it likelier that other rows add up to it.
    fn usual(&self, is_bank: bool, row: u32) -> Result<f64, Stopped> {
        let (rows, side) = if is_bank { (self.bank, &self.texts.bank) } else { (self.book, &self.texts.book) };
        let pence = rows.pence[row as usize];
        let from = rows.pence.partition_point(|&other| other < pence);
        let until = from + rows.pence[from..].partition_point(|&other| other == pence);
        self.pace.spend(64)?;
        let words = side.row(row as usize);
        let names_the_same = |place: &usize| {
            let mut names = side.row(*place).iter().filter(|word| self.texts.is_name(**word));
            names.any(|word| words.binary_search(word).is_ok())
        };
        let same = match until - from {
            2..=SAME_AMOUNT => (from..until).filter(|place| *place != row as usize).filter(names_the_same).count(),
            _ => 0,
        };
        Ok(chance_of_amount(pence, until - from - same, rows.pence.len()))
    }

    /// Rows that are open and not in a group, by day.
    fn open_rows(&self, is_bank: bool, taken: &Taken) -> Result<Nearby, Stopped> {
        let (rows, taken) = if is_bank { (self.bank, &taken.bank) } else { (self.book, &taken.book) };
        let is_open = |&place: &u32| !taken[place as usize] && is_usable(rows.pence[place as usize]);
        let mut open: Vec<(i32, u32)> =
            (0..rows.rows.len() as u32).filter(is_open).map(|place| (rows.days[place as usize], place)).collect();
        self.pace.spend(rows.rows.len() as u64)?;
        open.sort_unstable();
        self.pace.check()?;
        Ok(Nearby { rows: open })
    }

    /// Sums of rows with a word in common.
    fn propose_kin(&self, is_bank: bool, taken: &Taken, proposals: &mut Vec<Proposal>) -> Result<(), Stopped> {
        let (one, other) = if is_bank { (self.bank, self.book) } else { (self.book, self.bank) };
        let side = if is_bank { &self.texts.book } else { &self.texts.bank };
        let mut strangers: Vec<(u64, Proposal)> = Vec::new();
        let one_taken = if is_bank { &taken.bank } else { &taken.book };
        let ones = self.open_rows(is_bank, taken)?;
        let others = self.open_rows(!is_bank, taken)?;
        let wanted = Wanted::of(ones.rows.iter().map(|&(_, place)| one.pence[place as usize] as i64));
        let mut mentions: Vec<Mention> = Vec::new();
        for &(day, place) in &others.rows {
            let pence = other.pence[place as usize] as i64;
            let sign = if pence < 0 { Mention::PAID } else { Mention::RECEIVED };
            let words = side.row(place as usize).iter().copied().chain([sign]);
            mentions.extend(words.map(|word| Mention { word, day, place, pence }));
            self.pace.spend(16)?;
            if mentions.len() >= INDEXED_WORDS {
                break;
            }
        }
        self.pace.check()?;
        mentions.sort_unstable();
        self.pace.check()?;
        let sets = Sets::of(&mentions, other.rows.len(), &wanted, self.window_days, self.pace)?;
        // Every set with every open row that has its sum.
        let mut claims: Vec<(u32, usize)> = Vec::new();
        for (at, set) in sets.found.iter().enumerate() {
            let from = one.pence.partition_point(|&pence| pence < i128::from(set.pence));
            let of_amount = from + one.pence[from..].partition_point(|&pence| pence == i128::from(set.pence));
            let of_day = |day: i32| from + one.days[from..of_amount].partition_point(|&other| other < day);
            let (first, last) = (set.last - self.window_days, set.first + self.window_days);
            self.pace.spend(64)?;
            let near = of_day(first)..of_day(last.saturating_add(1)).min(of_day(first) + MEMBERS);
            let open = near.filter(|&place| !one_taken[place] && is_usable(one.pence[place]));
            let before = claims.len();
            claims.extend(open.map(|place| (place as u32, at)));
            self.pace.spend(64 * (claims.len() - before) as u64)?;
            // Where so much adds up to so much, nothing is told by any of it.
            if sets.is_crowded() || claims.len() > CLAIMS {
                return Ok(());
            }
        }
        claims.sort_unstable();
        let mut reader = Reader::new(self.texts.vocabulary.len());
        for claims in claims.chunk_by(|left, right| left.0 == right.0) {
            let row = claims[0].0;
            let day = one.days[row as usize];
            let (whole, all) =
                sets.tried(day.saturating_sub(2 * self.window_days), day.saturating_add(self.window_days));
            let usual = self.usual(is_bank, row)?;
            // Rows near by that name the same, and the sets they are in.
            let near = others.around(day, self.window_days);
            let of_payee = accidents_allowed(near.len());
            let near = if near.len() <= ROWS_NEARBY { near } else { &[] };
            self.pace.spend(64 * (1 + near.len() as u64))?;
            let mut shares_name = |place: u32| self.shares_name(&mut reader, is_bank, row, place);
            let related: Vec<u32> = near.iter().map(|&(_, place)| place).filter(|&place| shares_name(place)).collect();
            let with_related: u64 = related.iter().map(|&place| sets.with_place(place)).sum();
            let mut weighed: Vec<(f64, f64, usize)> = claims
                .iter()
                .map(|&(_, at)| {
                    let set = &sets.found[at];
                    let amounts: Vec<i64> =
                        set.places.iter().map(|&place| other.pence[place as usize] as i64).collect();
                    let is_related = set.places.iter().any(|place| related.contains(place));
                    let tried = if set.is_part { all } else { whole };
                    let as_stranger = accidents(&amounts, tried, usual);
                    let as_related = accidents(&amounts, with_related.min(all), usual);
                    let (chance, limit) = match is_related {
                        true if as_related <= as_stranger / STRANGERS => (as_related, of_payee),
                        _ => (as_stranger, of_payee * STRANGERS),
                    };
                    (chance, limit, at)
                })
                .collect();
            weighed.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.2.cmp(&right.2)));
            let (chance, limit, at) = weighed[0];
            // Two sets that are as good: nobody can say which.
            if chance > limit || weighed.get(1).is_some_and(|second| second.0 < chance * CLEARLY) {
                continue;
            }
            let set = sets.found[at].places.clone();
            let Some(proposal) = self.exact(is_bank, row, set, chance) else { continue };
            self.add_unless_contradicted(proposal, &ones, &mut reader, (&mut strangers, proposals))?;
        }
        add_recurring(strangers, proposals);
        Ok(())
    }

    /// Sums of a few rows of one day, whoever they are for: a paying-in slip at the bank names nobody whose cheques are on it.
    fn propose_any_payee(
        &self,
        is_bank: bool,
        taken: &Taken,
        sums: &mut u64,
        proposals: &mut Vec<Proposal>,
    ) -> Result<(), Stopped> {
        let (one, other) = if is_bank { (self.bank, self.book) } else { (self.book, self.bank) };
        let side = if is_bank { &self.texts.book } else { &self.texts.bank };
        let ones = self.open_rows(is_bank, taken)?;
        let others = self.open_rows(!is_bank, taken)?;
        let mut reader = Reader::new(self.texts.vocabulary.len());
        let mut strangers: Vec<(u64, Proposal)> = Vec::new();
        for &(day, row) in &ones.rows {
            let near = others.around(day, self.window_days);
            self.pace.spend(64)?;
            if near.len() > ROWS_NEARBY_OF_ANY_PAYEE {
                continue;
            }
            let mut members: Vec<Member> = near.iter().map(|&(_, place)| self.member(side, other, place)).collect();
            members.sort_unstable();
            self.pace.spend(64 * members.len() as u64)?;
            let (goal, usual) = (one.pence[row as usize] as i64, self.usual(is_bank, row)?);
            let search = Search { goal, usual, limit: STRANGERS * accidents_allowed(near.len()) };
            let before = *sums;
            let sum = search.of_any_payee(&members, sums);
            self.pace.spend(before - *sums)?;
            let Some((others, accidents)) = sum else { continue };
            let Some(proposal) = self.exact(is_bank, row, others, accidents) else { continue };
            self.add_unless_contradicted(proposal, &ones, &mut reader, (&mut strangers, proposals))?;
        }
        add_recurring(strangers, proposals);
        Ok(())
    }

    /// Adds a proposal that nobody else's name speaks against, to those of strangers where nobody's speaks for it.
    fn add_unless_contradicted(
        &self,
        proposal: Proposal,
        rivals: &Nearby,
        reader: &mut Reader,
        (strangers, proposals): (&mut Vec<(u64, Proposal)>, &mut Vec<Proposal>),
    ) -> Result<(), Stopped> {
        if self.names_another(&proposal, rivals, reader)? {
            return Ok(());
        }
        if self.names_strangers(&proposal, reader) {
            let (own, one) =
                if proposal.is_bank { (&self.texts.bank, self.bank) } else { (&self.texts.book, self.book) };
            strangers.push((self.member(own, one, proposal.row).key, proposal));
        } else {
            proposals.push(proposal);
        }
        Ok(())
    }

    /// Whether the row and its parts name people, and nobody in common.
    fn names_strangers(&self, proposal: &Proposal, reader: &mut Reader) -> bool {
        let &Proposal { is_bank, row, others: ref set, .. } = proposal;
        let (own, side) =
            if is_bank { (&self.texts.bank, &self.texts.book) } else { (&self.texts.book, &self.texts.bank) };
        let has_name = |words: &[u32]| words.iter().any(|&word| self.texts.is_name(word));
        has_name(own.row(row as usize))
            && set.iter().any(|&place| has_name(side.row(place as usize)))
            && !set.iter().any(|&place| self.shares_name(reader, is_bank, row, place))
    }

    fn member(&self, side: &Side, rows: &Ordered, place: u32) -> Member {
        let telling = Telling { texts: self.texts };
        let words = side.row(place as usize).iter().filter(|&&word| telling.names(word));
        // Equal sets of names have equal keys; two sets with one key would only be tried together.
        let key = words.fold(0xcbf2_9ce4_8422_2325_u64, |key, &word| {
            (key ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3).rotate_left(23)
        });
        Member { day: rows.days[place as usize], key, pence: rows.pence[place as usize] as i64, place }
    }
}

/// Adds the proposals of strangers whose name recurs: who is named only once is somebody else, and who is paid so again and
/// again goes by another name.
fn add_recurring(mut strangers: Vec<(u64, Proposal)>, proposals: &mut Vec<Proposal>) {
    strangers.sort_by_key(|(key, proposal)| (*key, proposal.row));
    let by_name = strangers.chunk_by(|left, right| left.0 == right.0).filter(|same| same.len() > 1);
    proposals.extend(by_name.flatten().map(|(_, proposal)| proposal.clone()));
}

/// Pairs of a set and a row of its amount that are looked at, a bound on memory.
const CLAIMS: usize = 500_000;

/// Sums of few rows that are counted for one row.
const FEW_WORK: u64 = 4_096;

/// Whether an amount can be a part of a sum or a sum.
fn is_usable(pence: i128) -> bool {
    pence != 0 && pence.abs() < LARGEST_PENCE
}

/// Whether a place has no partner, for the book side.
pub(in crate::domain::recon) fn open_books(partners: &[u32], books: usize) -> Vec<bool> {
    let mut open = vec![true; books];
    for &partner in partners.iter().filter(|&&partner| partner != NONE) {
        open[partner as usize] = false;
    }
    open
}
