//! Which of several amounts add up to another one, and how many such sums chance would bring about.
//!
//! Subsets are searched by meeting in the middle (Horowitz and Sahni, "Computing partitions with applications to the
//! knapsack problem", JACM 21, 1974).

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "hot kernel: at most 24 amounts, masks of their places, and sums that were checked to fit"
)]

/// Most rows that one row is explained by.
pub(super) const MEMBERS: usize = 50;

/// Most rows whose subsets are tried.
pub(super) const CANDIDATES: usize = 24;

/// Most rows of a set that hangs on one row of the payee, or on none.
const FEW: usize = 5;

/// Most rows of one day of which some are joined with the payee's.
const ROWS_OF_DAY: usize = 10;

/// Sets with a row of the payee after which no larger ones are tried: a bound on the work for one row.
const FEW_SETS: u64 = 1_500;

/// Most open rows of one day of which some are tried, whoever they are for: each has a bit of a mask.
const ROWS_OF_ANY_PAYEE: usize = 32;

/// Sets of one size that are tried, whoever their rows are for: a bound on the work for one row.
const SETS_OF_ANY_PAYEE: u64 = 4_096;

/// Share of the usual limit that chance may reach where a row of the payee is joined with others of other days: parts of
/// one payment are mostly entered on one day.
const SEVERAL_DAYS: f64 = 0.2;

/// Sums of neighbouring rows lie closer together than amounts of that size do anywhere.
const CROWDED: f64 = 3.0;

/// Sums that chance may bring about for one row among [`CROWD`] others; above it nothing is said.
const ACCIDENTS: f64 = 0.05;

/// Open rows near one row for which [`ACCIDENTS`] is the limit. Of more rows more have no partner, and every one of them may
/// be taken for a part, so that less may come about by chance.
const CROWD: f64 = 40.0;

/// Sums that chance may bring about for a row with so many open rows of the other side near it.
pub(super) fn accidents_allowed(open_near: usize) -> f64 {
    ACCIDENTS * (CROWD / open_near.max(1) as f64).clamp(0.5, 4.0)
}

/// What a file's own amounts weigh against the usual ones, in rows.
const USUAL_ROWS: f64 = 20.0;

/// A row that may be a part of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    pub(super) day: i32,
    /// The names in its text.
    pub(super) key: u64,
    pub(super) pence: i64,
    pub(super) place: u32,
}

/// The candidates nearest in date, in a settled order.
pub(super) fn nearest(members: &[Member], day: i32) -> Vec<Member> {
    let mut nearest = members.to_vec();
    if nearest.len() > CANDIDATES {
        nearest.sort_by_key(|member| ((member.day - day).abs(), *member));
        nearest.truncate(CANDIDATES);
        nearest.sort_unstable();
    }
    nearest
}

/// Places and the number of accidental sums to expect.
pub(super) type Sum = Option<(Vec<u32>, f64)>;

/// What is looked for.
pub(super) struct Search {
    /// The amount in pence.
    pub(super) goal: i64,
    /// How likely any row has this very amount.
    pub(super) usual: f64,
    /// Sums that chance may bring about; above it nothing is said.
    pub(super) limit: f64,
}

impl Search {
    /// All rows of the payee, those of one wording, those of neighbouring days, and those of both.
    pub(super) fn whole_runs(&self, members: &[Member]) -> Sum {
        let mut tried: Vec<Vec<u32>> = Vec::new();
        let mut found: Option<Vec<u32>> = None;
        let mut keys: Vec<u64> = members.iter().map(|member| member.key).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut days: Vec<i32> = members.iter().map(|member| member.day).collect();
        days.dedup();
        // A few wordings and a window's days: more are no run.
        if keys.len() > 8 || days.len() > 61 {
            return None;
        }
        let wordings = std::iter::once(None).chain(keys.iter().copied().map(Some).filter(|_| keys.len() > 1));
        for wording in wordings {
            for (at, &first) in days.iter().enumerate() {
                let mut sum = 0_i64;
                let mut run: Vec<u32> = Vec::new();
                let mut rest = members.iter().filter(|member| member.day >= first).peekable();
                for &last in &days[at..] {
                    let before = run.len();
                    while let Some(member) = rest.next_if(|member| member.day <= last) {
                        if wording.is_none_or(|key| key == member.key) {
                            sum += member.pence;
                            run.push(member.place);
                        }
                    }
                    if run.len() > MEMBERS {
                        break;
                    }
                    if run.len() == before || run.len() < 2 {
                        continue;
                    }
                    let mut set = run.clone();
                    set.sort_unstable();
                    if tried.contains(&set) {
                        continue;
                    }
                    if sum == self.goal && found.as_ref().is_none_or(|held| held.len() < set.len()) {
                        found = Some(set.clone());
                    }
                    tried.push(set);
                    if tried.len() > 200 {
                        return None;
                    }
                }
            }
        }
        let accidents = tried.len() as f64 * self.usual;
        found.filter(|_| accidents <= self.limit).map(|places| (places, accidents))
    }

    /// The one set of a few members that has the sum and one of the first `anchors` members in it: the payee is known of that
    /// one, the others say nothing or something else, as a bank's fee does.
    pub(super) fn anchored(&self, members: &[Member], anchors: usize) -> Sum {
        let count = members.len().min(CANDIDATES);
        let mut sets = Few {
            members: &members[..count],
            goal: self.goal,
            around: (self.goal.abs() / 50).max(1),
            ..Few::default()
        };
        // What is entered together comes first; larger sets are tried only where no smaller one has the sum, and so cannot make
        // that one look like chance. Sets of one day are counted once more among those over several, which hardly matters.
        for one_day in [true, false] {
            for size in 2..=FEW {
                if !sets.found.is_empty() || sets.tried >= FEW_SETS {
                    break;
                }
                for (first, anchor) in members[..count].iter().enumerate().take(anchors) {
                    let of_day = one_day.then_some(anchor.day);
                    sets.extend(first + 1, size - 1, 1 << first, anchor.pence, of_day);
                }
            }
        }
        let &mask = sets.found.iter().min()?;
        let chosen =
            |mask: u32| sets.members.iter().enumerate().filter(move |(at, _)| mask >> at & 1 == 1).map(|(_, one)| one);
        let content = |mask: u32| chosen(mask).map(|one| (one.day, one.key, one.pence)).collect::<Vec<_>>();
        if sets.found.iter().any(|&other| content(other) != content(mask)) {
            return None;
        }
        let amounts: Vec<i64> = chosen(mask).map(|one| one.pence).collect();
        let step = round_step(&amounts, self.goal);
        let accidents =
            accidents(&amounts, sets.tried, self.usual).max(sets.near as f64 * step as f64 / (2 * sets.around) as f64);
        let places = chosen(mask).map(|one| one.place).collect();
        let mut days = chosen(mask).map(|one| one.day);
        let first = days.next();
        let limit = if days.all(|day| Some(day) == first) { self.limit } else { self.limit * SEVERAL_DAYS };
        (accidents <= limit).then_some((places, accidents))
    }

    /// The one set that has the sum and takes all rows of the payee of one day, with others of that day: what was
    /// paid together is often entered together. Both lists are in the order of days; each set that is added up is taken
    /// off `sums`, and where they do not suffice nothing is said.
    pub(super) fn of_one_day(&self, of_payee: &[Member], others: &[Member], sums: &mut u64) -> Sum {
        let content = |set: &[Member]| set.iter().map(|one| (one.day, one.key, one.pence)).collect::<Vec<_>>();
        let mut tried = 0_u64;
        let mut found: Option<Vec<Member>> = None;
        for payee in of_payee.chunk_by(|one, other| one.day == other.day) {
            let day = payee[0].day;
            let from = others.partition_point(|other| other.day < day);
            let beside = &others[from..from + others[from..].partition_point(|other| other.day == day)];
            if beside.len() > ROWS_OF_DAY || payee.len() + beside.len() > MEMBERS {
                continue;
            }
            let sets = 1_u32 << beside.len();
            *sums = sums.checked_sub(u64::from(sets))?;
            tried += u64::from(sets) - 1;
            let of_payee: i64 = payee.iter().map(|one| one.pence).sum();
            for mask in 1..sets {
                let chosen = || beside.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, one)| *one);
                if of_payee + chosen().map(|one| one.pence).sum::<i64>() != self.goal {
                    continue;
                }
                let set: Vec<Member> = payee.iter().copied().chain(chosen()).collect();
                match &found {
                    Some(other) if content(other) != content(&set) => return None,
                    Some(_) => {}
                    None => found = Some(set),
                }
            }
        }
        let chosen = found?;
        let amounts: Vec<i64> = chosen.iter().map(|one| one.pence).collect();
        let accidents = accidents(&amounts, tried, self.usual);
        (accidents <= self.limit).then(|| (chosen.iter().map(|one| one.place).collect(), accidents))
    }

    /// The one set of two to five rows of one day that has the sum, of as few rows as can be. `members` are in the order of days; each
    /// set that is added up is taken off `sums`, and where they do not suffice nothing is said.
    pub(super) fn of_any_payee(&self, members: &[Member], sums: &mut u64) -> Sum {
        let days = || members.chunk_by(|one, other| one.day == other.day).filter(|day| day.len() <= ROWS_OF_ANY_PAYEE);
        let longest = days().map(<[Member]>::len).max().unwrap_or_default();
        let around = (self.goal.abs() / 50).max(1);
        let (mut tried, mut near) = (0, 0);
        for size in 2..=longest.min(FEW) {
            let more = days().map(|day| sets_of(size, day.len())).fold(0, u64::saturating_add);
            // Amounts that keep to no round step are met least often: where even that is too often nothing more is tried.
            let least = accidents_of_step(1, self.goal, tried + more, self.usual);
            if least > self.limit || more > SETS_OF_ANY_PAYEE {
                return None;
            }
            *sums = sums.checked_sub(more)?;
            let mut found: Vec<Vec<Member>> = Vec::new();
            for day in days() {
                let mut sets = Few { members: day, goal: self.goal, around, ..Few::default() };
                sets.extend(0, size, 0, 0, None);
                tried += sets.tried;
                near += sets.near;
                found.extend(sets.found.iter().map(|&mask| sets.chosen(mask).collect()));
            }
            let Some(chosen) = found.first() else { continue };
            let content = |set: &[Member]| set.iter().map(|one| (one.day, one.key, one.pence)).collect::<Vec<_>>();
            if found.iter().any(|other| content(other) != content(chosen)) {
                return None;
            }
            let amounts: Vec<i64> = chosen.iter().map(|one| one.pence).collect();
            let step = round_step(&amounts, self.goal);
            let accidents = accidents(&amounts, tried, self.usual).max(near as f64 * step as f64 / (2 * around) as f64);
            return (accidents <= self.limit).then(|| (chosen.iter().map(|one| one.place).collect(), accidents));
        }
        None
    }

    /// The one subset of two and more that has the sum, unless others have it too or come near it too often.
    pub(super) fn subset(&self, members: &[Member]) -> Sum {
        let amounts: Vec<i64> = members.iter().map(|member| member.pence).collect();
        let reachable = |sign: i64| amounts.iter().filter(|amount| amount.signum() == sign).sum::<i64>();
        if members.len() < 2 || self.goal > reachable(1) || self.goal < reachable(-1) {
            return None;
        }
        let (left, right) = amounts.split_at(amounts.len() / 2);
        let (left, right) = (subset_sums(left), subset_sums(right));
        let around = (self.goal.abs() / 50).max(1);
        let near = |distance: i64| {
            // Number of sums up to goal + distance: as the left sum rises the right one falls.
            let mut until = right.len();
            let mut count = 0_u64;
            for &(sum, _) in &left {
                while until > 0 && sum + right[until - 1].0 > self.goal + distance {
                    until -= 1;
                }
                count += until as u64;
            }
            count
        };
        let exact = near(0) - near(-1);
        if exact == 0 {
            return None;
        }
        let others = near(around) - near(-around - 1) - exact;
        let lattice = lattice(&amounts, self.goal);
        let accidents =
            (others as f64 + 1.0) * lattice as f64 / (2 * around) as f64 + members.len() as f64 * self.usual;
        if accidents > self.limit || exact > 64 {
            return None;
        }
        let mut solutions: Vec<u32> = Vec::new();
        let mut until = right.len();
        for &(sum, mask) in &left {
            while until > 0 && sum + right[until - 1].0 > self.goal {
                until -= 1;
            }
            let same = right[..until].iter().rev().take_while(|other| sum + other.0 == self.goal);
            solutions.extend(same.map(|other| mask | other.1 << (amounts.len() / 2)));
        }
        let chosen =
            |mask: u32| members.iter().enumerate().filter(move |(at, _)| mask >> at & 1 == 1).map(|(_, one)| one);
        let content = |mask: u32| chosen(mask).map(|one| (one.day, one.key, one.pence)).collect::<Vec<_>>();
        let &mask = solutions.iter().min()?;
        let several = solutions.iter().any(|&other| content(other) != content(mask));
        if several || mask.count_ones() < 2 {
            return None;
        }
        Some((chosen(mask).map(|one| one.place).collect(), accidents))
    }
}

/// Sets of few members, as they are tried.
#[derive(Default)]
struct Few<'a> {
    members: &'a [Member],
    goal: i64,
    around: i64,
    tried: u64,
    /// Sets whose sum is near the goal, and those that have it but are not plain.
    near: u64,
    found: Vec<u32>,
}

impl Few<'_> {
    fn chosen(&self, mask: u32) -> impl Iterator<Item = Member> {
        self.members.iter().enumerate().filter(move |(at, _)| mask >> at & 1 == 1).map(|(_, one)| *one)
    }

    /// Whether a set is what people pay at once: no row cancels another, and what is taken off (a fee, a discount, a credit
    /// note) is less than what is left.
    fn is_plain(&self, mask: u32) -> bool {
        let amounts: Vec<i64> = self.chosen(mask).map(|one| one.pence).collect();
        let off: i64 = amounts.iter().filter(|amount| amount.signum() != self.goal.signum()).sum();
        off.abs() < self.goal.abs() && !cancels(&amounts)
    }

    /// Tries every set of the members so far and `more` of those from `from` on, of one day where it is given.
    fn extend(&mut self, from: usize, more: usize, mask: u32, sum: i64, of_day: Option<i32>) {
        for at in from..self.members.len() {
            if of_day.is_some_and(|day| day != self.members[at].day) {
                continue;
            }
            let (mask, sum) = (mask | 1 << at, sum + self.members[at].pence);
            if more > 1 {
                self.extend(at + 1, more - 1, mask, sum, of_day);
                continue;
            }
            self.tried += 1;
            if sum == self.goal && self.is_plain(mask) {
                self.found.push(mask);
            } else if (sum - self.goal).abs() <= self.around {
                self.near += 1;
            }
        }
    }
}

/// Whether an amount cancels another. Such rows can be added to any set, and so say nothing of a sum.
pub(super) fn cancels(amounts: &[i64]) -> bool {
    amounts.iter().any(|amount| amounts.contains(&-amount))
}

/// How many sets of one size there are.
fn sets_of(size: usize, rows: usize) -> u64 {
    let chosen = |sets: u64, at: usize| sets.saturating_mul(rows.saturating_sub(at) as u64) / (at as u64 + 1);
    (0..size).fold(1, chosen)
}

/// How many of so many sets of such members have an amount by chance; `usual` says how often rows have it.
pub(super) fn accidents(members: &[i64], sets: u64, usual: f64) -> f64 {
    let goal: i64 = members.iter().sum();
    accidents_of_step(round_step(members, goal), goal, sets, usual)
}

/// The same for members and an amount that keep to such a round step.
fn accidents_of_step(step: i64, goal: i64, sets: u64, usual: f64) -> f64 {
    let anywhere = (0.3 * step as f64 / goal.unsigned_abs().max(1) as f64).min(0.3);
    sets as f64 * CROWDED * anywhere.max(usual)
}

/// Every subset's sum with its mask, ascending.
fn subset_sums(amounts: &[i64]) -> Vec<(i64, u32)> {
    let mut sums = vec![(0, 0)];
    for (at, &amount) in amounts.iter().enumerate() {
        let with: Vec<(i64, u32)> = sums.iter().map(|&(sum, mask)| (sum + amount, mask | 1 << at)).collect();
        let mut merged = Vec::with_capacity(sums.len() * 2);
        let (mut old, mut new) = (sums.iter().peekable(), with.iter().peekable());
        while let Some(next) = match (old.peek(), new.peek()) {
            (Some(left), Some(right)) if left <= right => old.next(),
            (_, Some(_)) => new.next(),
            (_, None) => old.next(),
        } {
            merged.push(*next);
        }
        sums = merged;
    }
    sums
}

/// The step between amounts that most rows keep to, in pence: sums of round amounts are round and meet more often.
fn lattice(amounts: &[i64], goal: i64) -> i64 {
    let common = amounts.iter().fold(goal, |left, &right| greatest_common_divisor(left, right));
    round_step(amounts, goal).max(common.abs())
}

/// The largest round step that the goal and most amounts keep to.
fn round_step(amounts: &[i64], goal: i64) -> i64 {
    let most = |step: &&i64| {
        goal % **step == 0 && amounts.iter().filter(|&amount| amount % **step == 0).count() * 2 >= amounts.len()
    };
    ROUND.iter().filter(most).copied().max().unwrap_or(1)
}

fn greatest_common_divisor(left: i64, right: i64) -> i64 {
    if right == 0 { left } else { greatest_common_divisor(right, left % right) }
}

/// Steps that people round to, in pence.
const ROUND: [i64; 13] = [1, 5, 10, 50, 100, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 100_000, 1_000_000];

/// How likely a row has one amount: as often as the other rows of its side have it, and as a round or odd amount of that
/// size would be anywhere. `rows_with` counts the row itself.
pub(super) fn chance_of_amount(pence: i128, rows_with: usize, rows: usize) -> f64 {
    let size = pence.unsigned_abs().max(1);
    let step =
        ROUND.iter().rev().find(|&&step| size.is_multiple_of(u128::from(step.unsigned_abs()))).copied().unwrap_or(1);
    let anywhere = (0.3 * step as f64 / size as f64).min(0.3);
    (rows_with.saturating_sub(1) as f64 + USUAL_ROWS * anywhere) / (rows as f64 + USUAL_ROWS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repeatable stream of numbers.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % limit
        }
    }

    #[test]
    fn of_sets_with_a_row_of_the_payee_those_of_one_day_and_smaller_ones_come_first() {
        let member = |day, pence, place| Member { day, key: 0, pence, place };
        // Enough for three sets of two rows of one day, and not for one of two days.
        let search = Search { goal: 101_157, usual: 0.0, limit: 3e-5 };
        let told = |others: &[Member]| {
            let members: Vec<Member> = [member(10, 71_178, 0)].iter().chain(others).copied().collect();
            search.anchored(&members, 1).map(|(places, _)| places)
        };
        assert_eq!(told(&[member(10, 29_979, 1)]), Some(vec![0, 1]));
        assert_eq!(told(&[member(11, 29_979, 1)]), None);
        // Another two and another three rows have the sum as well.
        assert_eq!(told(&[member(10, 29_979, 1), member(11, 29_979, 2)]), Some(vec![0, 1]));
        assert_eq!(told(&[member(10, 29_979, 1), member(10, 18_979, 2), member(10, 11_000, 3)]), Some(vec![0, 1]));
        assert_eq!(told(&[member(10, 18_979, 2), member(10, 11_000, 3), member(10, 48_813, 4)]), None);
        // An entry and its reversal change nothing, and no more is taken off than is left.
        assert_eq!(told(&[member(10, 29_979, 1), member(10, -29_979, 2)]), Some(vec![0, 1]));
        assert_eq!(told(&[member(10, 150_000, 1), member(10, -120_021, 2)]), None);
    }

    #[test]
    fn meeting_in_the_middle_finds_the_subset_that_trying_everything_finds() {
        for case in 0..300 {
            let mut random = Random(case);
            let count = 2 + random.below(11) as usize;
            let amounts: Vec<i64> = (0..count).map(|_| 1_000 + random.below(900_000) as i64).collect();
            let mask = 1 + random.below((1 << count) - 1) as u32;
            let sum = |mask: u32| -> i64 {
                amounts.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, amount)| amount).sum()
            };
            let member = |(at, &pence): (usize, &i64)| Member { day: at as i32, key: 0, pence, place: at as u32 };
            let members: Vec<Member> = amounts.iter().enumerate().map(member).collect();
            let search = Search { goal: sum(mask), usual: 0.0, limit: ACCIDENTS };
            let all: Vec<u32> = (1..1_u32 << count).filter(|&other| sum(other) == sum(mask)).collect();
            if let Some((places, accidents)) = search.subset(&members) {
                let found = places.iter().fold(0, |found, &place| found | 1 << place);
                assert_eq!(all, [found], "case {case}");
                assert!(accidents <= ACCIDENTS);
            } else {
                // Silent for a reason: one row, several subsets, or too many sums near by.
                assert!(mask.count_ones() < 2 || all.len() > 1 || count > 6, "case {case}: {amounts:?} {mask:b}");
            }
        }
    }
}
