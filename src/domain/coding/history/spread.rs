//! Weights by account.

/// How much speaks for each account, by ascending account.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spread {
    weights: Vec<(usize, f32)>,
    total: f32,
}

impl Spread {
    /// Adds weight for an account.
    pub fn add(&mut self, account: usize, weight: f32) {
        match self.weights.binary_search_by_key(&account, |(known, _)| *known) {
            Ok(at) => {
                if let Some((_, sum)) = self.weights.get_mut(at) {
                    *sum += weight;
                }
            }
            Err(at) => self.weights.insert(at, (account, weight)),
        }
        self.total += weight;
    }

    /// The weight of an account.
    pub fn of(&self, account: usize) -> f32 {
        let found = self.weights.binary_search_by_key(&account, |(known, _)| *known);
        found.ok().and_then(|at| self.weights.get(at)).map_or(0.0, |(_, weight)| *weight)
    }

    /// All of it.
    pub fn total(&self) -> f32 {
        self.total
    }

    /// Every account with its weight, by ascending account.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f32)> {
        self.weights.iter().copied()
    }

    /// The sum of this and so much of another.
    pub fn plus(&self, other: &Self, share: f32) -> Self {
        let mut sum = self.clone();
        for (account, weight) in other.iter() {
            sum.add(account, weight * share);
        }
        sum
    }

    /// Most weight first, equal ones by account.
    pub fn ranked(&self) -> Vec<(usize, f32)> {
        let mut ranked = self.weights.clone();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked
    }
}
