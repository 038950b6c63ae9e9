//! Simple matchers to measure the engine against: what people write in an afternoon,
//! and one that learns from the file but pairs greedily.

#![expect(clippy::disallowed_methods, reason = "a peer's figures need not be the same on every machine")]

use std::collections::{HashMap, HashSet};

/// A row as the matchers see it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Row {
    /// Days since 1970-01-01.
    pub day: i32,
    /// The amount.
    pub pence: i128,
    /// The description.
    pub text: String,
}

/// Bank index and book index of each pair.
pub type Pairs = Vec<(usize, usize)>;

/// A matcher: bank, book, window.
pub type Matcher = fn(&[Row], &[Row], i32) -> Pairs;

/// The matchers and their names.
pub const PEERS: [(&str, Matcher); 7] = [
    ("greedy nearest date", greedy_nearest_date),
    ("as-of join, duplicates dropped", as_of_join),
    ("two pointers per amount", two_pointers),
    ("row by row, score of date and text", row_by_row_score),
    ("greedy shared words then date", greedy_words),
    ("greedy with learned evidence", greedy_learned),
    ("greedy, log-odds of shared words", greedy_log_odds),
];

fn by_amount(rows: &[Row]) -> HashMap<i128, Vec<usize>> {
    let mut groups: HashMap<i128, Vec<usize>> = HashMap::new();
    for (index, row) in rows.iter().enumerate() {
        groups.entry(row.pence).or_default().push(index);
    }
    for group in groups.values_mut() {
        group.sort_by_key(|&index| rows[index].day);
    }
    groups
}

/// Every legal pair.
fn edges(bank: &[Row], book: &[Row], window: i32) -> Pairs {
    let groups = by_amount(book);
    let mut edges = Vec::new();
    for (index, row) in bank.iter().enumerate() {
        let Some(group) = groups.get(&row.pence) else { continue };
        let first = group.partition_point(|&other| book[other].day < row.day - window);
        let near = group[first..].iter().take_while(|&&other| book[other].day <= row.day + window);
        edges.extend(near.map(|&other| (index, other)));
    }
    edges
}

/// Takes pairs in the given order as long as both rows are free.
fn take_in_order(edges: impl Iterator<Item = (usize, usize)>) -> Pairs {
    let (mut bank, mut book) = (HashSet::new(), HashSet::new());
    let mut pairs = Vec::new();
    for (i, j) in edges {
        if !bank.contains(&i) && !book.contains(&j) {
            bank.insert(i);
            book.insert(j);
            pairs.push((i, j));
        }
    }
    pairs
}

fn greedy_nearest_date(bank: &[Row], book: &[Row], window: i32) -> Pairs {
    let mut edges = edges(bank, book, window);
    edges.sort_by_key(|&(i, j)| (i, (bank[i].day - book[j].day).abs()));
    take_in_order(edges.into_iter())
}

/// Each bank row with its nearest book row; of several with the same one the nearest stays.
fn as_of_join(bank: &[Row], book: &[Row], window: i32) -> Pairs {
    let apart = |i: usize, j: usize| (bank[i].day - book[j].day).abs();
    let mut nearest: HashMap<usize, usize> = HashMap::new();
    for (i, j) in edges(bank, book, window) {
        let held = nearest.entry(i).or_insert(j);
        if apart(i, j) < apart(i, *held) {
            *held = j;
        }
    }
    let mut pairs: Pairs = nearest.into_iter().collect();
    pairs.sort_by_key(|&(i, j)| (apart(i, j), i));
    take_in_order(pairs.into_iter())
}

fn two_pointers(bank: &[Row], book: &[Row], window: i32) -> Pairs {
    let book_groups = by_amount(book);
    let mut pairs = Vec::new();
    for (pence, group) in by_amount(bank) {
        let Some(others) = book_groups.get(&pence) else { continue };
        let (mut i, mut j) = (0, 0);
        while i < group.len() && j < others.len() {
            let (left, right) = (bank[group[i]].day, book[others[j]].day);
            if (left - right).abs() <= window {
                pairs.push((group[i], others[j]));
                i += 1;
                j += 1;
            } else if left < right {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
    pairs
}

fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = text
        .to_lowercase()
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| word.len() > 1)
        .map(|word| {
            word.strip_prefix("inv")
                .filter(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
                .unwrap_or(word)
                .to_owned()
        })
        .collect();
    words.sort();
    words.dedup();
    words
}

/// The way desktop ledgers import: each bank row in turn takes the free entry with the best
/// score of date and text, as they find them.
fn row_by_row_score(bank: &[Row], book: &[Row], window: i32) -> Pairs {
    let score = |i: usize, j: usize| {
        let (left, right) = (bank[i].text.to_lowercase(), book[j].text.to_lowercase());
        let shares_a_word = words(&left).iter().any(|word| word.len() > 3 && right.contains(word.as_str()));
        let text = if left == right { 2 } else { i32::from(shares_a_word) };
        let date = match (bank[i].day - book[j].day).abs() {
            0 | 1 => 3,
            2..=7 => 2,
            _ => 0,
        };
        (text + date, -(bank[i].day - book[j].day).abs())
    };
    let mut edges = edges(bank, book, window);
    edges.sort_by_cached_key(|&(i, j)| (i, std::cmp::Reverse(score(i, j))));
    take_in_order(edges.into_iter())
}

fn greedy_words(bank: &[Row], book: &[Row], window: i32) -> Pairs {
    let left: Vec<Vec<String>> = bank.iter().map(|row| words(&row.text)).collect();
    let right: Vec<Vec<String>> = book.iter().map(|row| words(&row.text)).collect();
    let mut scored: Vec<(i32, i32, usize, usize)> = edges(bank, book, window)
        .into_iter()
        .map(|(i, j)| {
            let shared = left[i].iter().filter(|word| right[j].contains(word)).count() as i32;
            (-shared, (bank[i].day - book[j].day).abs(), i, j)
        })
        .collect();
    scored.sort();
    take_in_order(scored.into_iter().map(|(_, _, i, j)| (i, j)))
}

/// Learns lags and word associations from pairs that are each other's only candidate, then
/// takes the best scored pair first.
fn greedy_learned(bank: &[Row], book: &[Row], window: i32) -> Pairs {
    let edges = edges(bank, book, window);
    let mut degree = (vec![0; bank.len()], vec![0; book.len()]);
    for &(i, j) in &edges {
        degree.0[i] += 1;
        degree.1[j] += 1;
    }
    let mut ids: HashMap<String, u32> = HashMap::new();
    let mut tokens = |rows: &[Row]| -> Vec<Vec<u32>> {
        let mut id = |word: String| {
            let next = ids.len() as u32;
            *ids.entry(word).or_insert(next)
        };
        rows.iter().map(|row| words(&row.text).into_iter().map(&mut id).collect()).collect()
    };
    let (left, right) = (tokens(bank), tokens(book));
    let mut book_rows_with: HashMap<u32, f64> = HashMap::new();
    for word in right.iter().flatten() {
        *book_rows_with.entry(*word).or_default() += 1.0;
    }
    let mut lags: Vec<f64> = (-window..=window).map(|lag| 50.0 * f64::from(-lag.abs()).exp()).collect();
    let (mut in_bank, mut in_book) = (HashMap::<u32, f64>::new(), HashMap::<u32, f64>::new());
    let mut together: HashMap<(u32, u32), f64> = HashMap::new();
    let mut explained: HashMap<u32, f64> = HashMap::new();
    let sure: Pairs = edges.iter().copied().filter(|&(i, j)| degree.0[i] == 1 && degree.1[j] == 1).collect();
    for &(i, j) in &sure {
        lags[(bank[i].day - book[j].day + window) as usize] += 1.0;
        right[j].iter().for_each(|&word| *in_book.entry(word).or_default() += 1.0);
        for &word in &left[i] {
            *in_bank.entry(word).or_default() += 1.0;
            right[j].iter().for_each(|&other| *together.entry((word, other)).or_default() += 1.0);
        }
    }
    let pairs = sure.len() as f64;
    let gain = |word: u32, other: u32| {
        let rare = if word == other {
            -((book_rows_with.get(&other).unwrap_or(&0.0) + 0.5) / (book.len() as f64 + 50.0)).ln()
        } else {
            0.0
        };
        let seen = together.get(&(word, other)).copied().unwrap_or(0.0);
        let learned = if seen >= 2.0 { (seen * pairs / (in_bank[&word] * in_book[&other])).ln() } else { 0.0 };
        rare.max(learned).max(0.0)
    };
    for &(i, j) in &sure {
        for &word in &left[i] {
            if right[j].iter().any(|&other| gain(word, other) > 1.0) {
                *explained.entry(word).or_default() += 1.0;
            }
        }
    }
    let most = lags.iter().copied().fold(0.0, f64::max);
    let mut scored: Vec<(i64, usize, usize)> = edges
        .into_iter()
        .map(|(i, j)| {
            let mut score = (lags[(bank[i].day - book[j].day + window) as usize] / most).ln();
            for &word in &left[i] {
                let best = right[j].iter().map(|&other| gain(word, other)).fold(0.0, f64::max);
                let seen = in_bank.get(&word).copied().unwrap_or(0.0);
                let usual = (explained.get(&word).unwrap_or(&0.0) + 1.0) / (seen + 4.0);
                score += if best > 1.0 { best } else { (1.0 - usual).ln() };
            }
            ((-score * 1e6) as i64, i, j)
        })
        .collect();
    scored.sort_unstable();
    take_in_order(scored.into_iter().map(|(_, i, j)| (i, j)))
}

/// The crude learner: how much likelier each shared word is in pairs that are each other's only candidate than in rows
/// paired at random; greedy, a day costs a nat.
fn greedy_log_odds(bank: &[Row], book: &[Row], window: i32) -> Pairs {
    let edges = edges(bank, book, window);
    let mut degree = (vec![0; bank.len()], vec![0; book.len()]);
    for &(i, j) in &edges {
        degree.0[i] += 1;
        degree.1[j] += 1;
    }
    let tokens = |rows: &[Row]| -> Vec<Vec<String>> { rows.iter().map(|row| words(&row.text)).collect() };
    let (left, right) = (tokens(bank), tokens(book));
    let rows_with = |texts: &[Vec<String>]| {
        let mut counts: HashMap<String, f64> = HashMap::new();
        texts.iter().flatten().for_each(|word| *counts.entry(word.clone()).or_default() += 1.0);
        counts
    };
    let (at_bank, in_books) = (rows_with(&left), rows_with(&right));
    let mut shared: HashMap<&str, f64> = HashMap::new();
    let mut sure = 0.0;
    for &(i, j) in edges.iter().filter(|&&(i, j)| degree.0[i] == 1 && degree.1[j] == 1) {
        sure += 1.0;
        left[i].iter().filter(|word| right[j].contains(word)).for_each(|word| *shared.entry(word).or_default() += 1.0);
    }
    let weight = |word: &str| {
        let share = |counts: &HashMap<String, f64>, rows: usize| (counts[word] + 0.5) / (rows as f64 + 1.0);
        let by_chance = share(&at_bank, bank.len()) * share(&in_books, book.len());
        let usual = share(&at_bank, bank.len()).min(share(&in_books, book.len())) * 0.5;
        let in_pairs = (shared.get(word).copied().unwrap_or(0.0) + 5.0 * usual) / (sure + 5.0);
        (in_pairs / by_chance).ln().max(0.0)
    };
    let mut scored: Vec<(i64, usize, usize)> = edges
        .into_iter()
        .map(|(i, j)| {
            let words = left[i].iter().filter(|word| right[j].contains(word));
            let text: f64 = words.map(|word| weight(word)).sum();
            ((-(text - f64::from((bank[i].day - book[j].day).abs())) * 1e6) as i64, i, j)
        })
        .collect();
    scored.sort_unstable();
    take_in_order(scored.into_iter().map(|(_, i, j)| (i, j)))
}
