//! Weights of the ranking of accounts: the logarithm of the odds that an account is the right one, linear in its measures
//! (conditional logit; McFadden 1974).

use std::path::{Path, PathBuf};

use bookkeeping_suite::domain::coding::{MEASURES, Measures, ranked_accounts};

use super::business::read_folder;

/// A line in doubt: the measures of each account, and whether it is right.
type Line = Vec<(Measures, bool)>;

const STEPS: usize = 400;
const STEP: f64 = 1.2;
/// How strongly weights are drawn to nothing, in lines.
const PRIOR_LINES: f64 = 1.0;

/// Prints the weights fitted to the folders, and for each folder what those fitted to the others make of it.
pub fn fit(folders: &[PathBuf]) {
    let by_folder: Vec<Vec<Line>> = folders.iter().map(|folder| read(folder)).collect();
    for (left_out, lines) in by_folder.iter().enumerate() {
        let others = by_folder.iter().enumerate().filter(|(at, _)| *at != left_out).flat_map(|(_, lines)| lines);
        let weights = weights(&others.collect::<Vec<_>>());
        let is_chosen_right = |line: &&Line| line.iter().any(|(measures, right)| *right && measures[5] > 0.0);
        let is_first_right = |line: &&Line| {
            let scores = line.iter().map(|(measures, right)| (score(&weights, measures), *right));
            scores.max_by(|a, b| a.0.total_cmp(&b.0)).is_some_and(|(_, right)| right)
        };
        println!(
            "{}: {} lines in doubt, {} right without the ranking, {} with the likeliest account of all",
            folders[left_out].display(),
            lines.len(),
            lines.iter().filter(is_chosen_right).count(),
            lines.iter().filter(is_first_right).count(),
        );
    }
    println!("{:.2?}", weights(&by_folder.iter().flatten().collect::<Vec<_>>()));
}

fn read(folder: &Path) -> Vec<Line> {
    let mut lines = Vec::new();
    for business in read_folder(folder) {
        for (candidates, expected) in ranked_accounts(&business.batch).into_iter().zip(&business.expected) {
            let is_right =
                |account: usize| expected.accounts.contains(&business.batch.accounts[account].code.to_string());
            let line: Option<Line> = candidates.map(|candidates| {
                candidates.into_iter().map(|candidate| (candidate.measures, is_right(candidate.account))).collect()
            });
            lines.extend(line);
        }
    }
    lines
}

/// The weights that make the right accounts likeliest.
fn weights(lines: &[&Line]) -> [f64; MEASURES] {
    let lines: Vec<&&Line> = lines.iter().filter(|line| line.iter().any(|(_, right)| *right)).collect();
    let mut weights = [0.0; MEASURES];
    for _ in 0..STEPS {
        let mut slope = [0.0; MEASURES];
        for line in &lines {
            let scores: Vec<f64> = line.iter().map(|(measures, _)| libm::exp(score(&weights, measures))).collect();
            let all: f64 = scores.iter().sum();
            let right: f64 = line.iter().zip(&scores).filter(|((_, right), _)| *right).map(|(_, score)| score).sum();
            for ((measures, is_right), score) in line.iter().zip(&scores) {
                let pull = if *is_right { score / right } else { 0.0 } - score / all;
                for (slope, measure) in slope.iter_mut().zip(measures) {
                    *slope += pull * f64::from(*measure);
                }
            }
        }
        for (weight, slope) in weights.iter_mut().zip(slope) {
            *weight += STEP * (slope - PRIOR_LINES * *weight) / lines.len() as f64;
        }
    }
    weights
}

fn score(weights: &[f64; MEASURES], measures: &Measures) -> f64 {
    weights.iter().zip(measures).map(|(weight, measure)| weight * f64::from(*measure)).sum()
}
