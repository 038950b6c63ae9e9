//! Random numbers that a printed seed brings back: splitmix64, so that no crate is needed and a failed run can be repeated.

/// A seeded sequence. Two of the same seed give the same numbers on every machine.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// An independent sequence for one part of a run, so that threads do not disturb each other's numbers.
    #[must_use]
    pub fn fork(&self, part: u64) -> Self {
        let mut child = Self(self.0 ^ part.wrapping_add(1).wrapping_mul(0xA24B_AED4_963E_E407));
        child.next_u64();
        child
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 when the bound is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        u64::try_from((u128::from(self.next_u64()) * u128::from(bound)) >> 64).unwrap_or(0)
    }

    /// A number from `least` to `most`, both included.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most.saturating_sub(least) + 1)
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of the items, or `None` of an empty list.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.index(items.len()))
    }

    /// A position in a list of that length; 0 for an empty one.
    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(u64::try_from(length).unwrap_or(u64::MAX))).unwrap_or(0)
    }

    /// Put the items in another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            let other = self.index(end + 1);
            items.swap(end, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let (mut one, mut two) = (Random::new(7), Random::new(7));
        assert_eq!(
            (0..9).map(|_| one.next_u64()).collect::<Vec<_>>(),
            (0..9).map(|_| two.next_u64()).collect::<Vec<_>>()
        );
        assert_ne!(one.fork(1).next_u64(), one.fork(2).next_u64());
    }

    #[test]
    fn numbers_stay_in_their_bounds() {
        let mut random = Random::new(1);
        for _ in 0..2_000 {
            assert!((20..=400).contains(&random.between(20, 400)));
        }
        assert_eq!(random.pick::<u8>(&[]), None);
    }
}
