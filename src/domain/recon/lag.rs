//! How many days the books run before or after the bank, learned from the file: one
//! distribution for all rows, and corrections for rows whose wording or weekday tells
//! more, such as cheques, card payments and whatever is booked at the end of a week.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "hot kernel: lags lie inside the window and profiles are ids this file handed out"
)]

use super::evidence::{NAT, Pair, Texts};
use super::words::Side;

/// What one day of distance costs before the file has taught anything.
const DAY_COST: f64 = 1.0;

/// The weight of the fixed prior, in pairs, against the pairs of the file.
const PRIOR_PAIRS: f64 = 30.0;

/// The weight of the file's distribution, in pairs, against the pairs with one word or weekday.
const PROFILE_PAIRS: f64 = 20.0;

/// Fewest pairs with a word before it gets a distribution of its own.
const FEWEST_PAIRS: u32 = 8;

/// Fewest nats a word's distribution must explain in all its pairs to be used.
const FEWEST_NATS: f64 = 3.0;

/// Most profiles of one side: the number of a profile is a `u16`.
const PROFILES_MAX: usize = 60_000;

/// The profile of rows that have none of their own: no correction.
const PLAIN: u16 = 0;

/// Learned distributions of the signed lag, bank day minus book day.
#[derive(Debug)]
pub(super) struct Lags {
    window_days: i32,
    width: usize,
    /// For each lag, the logarithm of its share over that of the most common lag, in parts of a nat of 1/`NAT`.
    common: Vec<i32>,
    /// Corrections per profile and lag; profile 0 is all zero.
    bank_profiles: Vec<i32>,
    book_profiles: Vec<i32>,
    weekday_profiles: Vec<i32>,
    bank_profile_of: Vec<u16>,
    book_profile_of: Vec<u16>,
}

impl Lags {
    /// Learns the distributions from pairs that are likely to match.
    pub(super) fn learn(texts: &Texts, pairs: &[Pair], window_days: i32) -> Self {
        let width = (2 * window_days + 1) as usize;
        let lag = |pair: &Pair| {
            let days = texts.bank_days[pair.0 as usize] - texts.book_days[pair.1 as usize];
            (days + window_days) as usize
        };
        let mut counts: Vec<f64> =
            (-window_days..=window_days).map(|lag| libm::exp(-DAY_COST * f64::from(lag.abs()))).collect();
        let prior: f64 = counts.iter().sum();
        counts.iter_mut().for_each(|count| *count *= PRIOR_PAIRS / prior);
        pairs.iter().for_each(|pair| counts[lag(pair)] += 1.0);
        let all: f64 = counts.iter().sum();
        let shares: Vec<f64> = counts.iter().map(|count| count / all).collect();
        let most = shares.iter().copied().fold(f64::MIN, f64::max);
        let (bank_profiles, bank_profile_of) = profiles(
            texts.vocabulary.len(),
            &texts.bank,
            texts.bank_days.len(),
            &shares,
            pairs.iter().map(|pair| (pair.0, lag(pair))),
        );
        let (book_profiles, book_profile_of) = profiles(
            texts.vocabulary.len(),
            &texts.book,
            texts.book_days.len(),
            &shares,
            pairs.iter().map(|pair| (pair.1, lag(pair))),
        );
        let mut weekdays = vec![0_u32; 7 * width];
        for pair in pairs {
            weekdays[weekday(texts.bank_days[pair.0 as usize]) * width + lag(pair)] += 1;
        }
        let weekday_profiles = weekdays.chunks(width).flat_map(|counts| corrections(counts, &shares).0);
        Self {
            window_days,
            width,
            common: shares.iter().map(|share| weight(libm::log(share / most))).collect(),
            bank_profiles,
            book_profiles,
            weekday_profiles: weekday_profiles.collect(),
            bank_profile_of,
            book_profile_of,
        }
    }

    /// The score of the days between two rows, given by their indexes.
    pub(super) fn weigh(&self, texts: &Texts, bank: usize, book: usize) -> i32 {
        let bank_day = texts.bank_days[bank];
        let at = (bank_day - texts.book_days[book] + self.window_days) as usize;
        self.common[at]
            + self.bank_profiles[self.bank_profile_of[bank] as usize * self.width + at]
            + self.book_profiles[self.book_profile_of[book] as usize * self.width + at]
            + self.weekday_profiles[weekday(bank_day) * self.width + at]
    }

    /// What the least likely lag costs on its own.
    pub(super) fn highest_cost(&self) -> i32 {
        -self.common.iter().copied().min().unwrap_or(0)
    }
}

fn weekday(day: i32) -> usize {
    day.rem_euclid(7) as usize
}

/// Distributions of the words that tell most about the lag, and the profile of each row.
fn profiles(
    words: usize,
    side: &Side,
    rows: usize,
    shares: &[f64],
    pairs: impl Iterator<Item = (u32, usize)>,
) -> (Vec<i32>, Vec<u16>) {
    let width = shares.len();
    let mut seen: Vec<(u32, u16)> = Vec::new();
    for (row, lag) in pairs {
        seen.extend(side.row(row as usize).iter().map(|&word| (word, lag as u16)));
    }
    seen.sort_unstable();
    let mut profiles = vec![0; width];
    // For each word: the nats that its profile explains per pair, and the number of the profile.
    let mut telling: Vec<(f32, u16)> = vec![(0.0, PLAIN); words];
    let mut counts = vec![0_u32; width];
    for group in seen.chunk_by(|left, right| left.0 == right.0) {
        if group.len() < FEWEST_PAIRS as usize || profiles.len() / width > PROFILES_MAX {
            continue;
        }
        counts.fill(0);
        group.iter().for_each(|&(_, lag)| counts[lag as usize] += 1);
        let (correction, nats) = corrections(&counts, shares);
        if nats >= FEWEST_NATS {
            telling[group[0].0 as usize] = ((nats / group.len() as f64) as f32, (profiles.len() / width) as u16);
            profiles.extend(correction);
        }
    }
    let best = |row: usize| {
        let words = side.row(row).iter().map(|&word| telling[word as usize]);
        words.fold((0.0, PLAIN), |best, next| if next.0 > best.0 { next } else { best }).1
    };
    (profiles, (0..rows).map(best).collect())
}

/// Log of a distribution shrunk to the file's, over the file's; and the nats that explains.
fn corrections(counts: &[u32], shares: &[f64]) -> (Vec<i32>, f64) {
    let all = f64::from(counts.iter().sum::<u32>()) + PROFILE_PAIRS;
    let logs = counts
        .iter()
        .zip(shares)
        .map(|(&count, share)| libm::log((f64::from(count) + PROFILE_PAIRS * share) / all / share));
    let logs: Vec<f64> = logs.collect();
    let explained = logs.iter().zip(counts).map(|(log, &count)| log * f64::from(count)).sum();
    (logs.into_iter().map(weight).collect(), explained)
}

fn weight(nats: f64) -> i32 {
    (nats * f64::from(NAT)).round() as i32
}
