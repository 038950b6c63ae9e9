//! Finding which of many phrases stand in a line. The phrases are sorted, which takes less time than building an automaton of
//! them: a process that has just been started codes its first batch sooner.

/// Phrases that all begin with a space.
#[derive(Debug, Default)]
pub struct Phrases {
    texts: Vec<String>,
    /// Places of the texts in their order.
    sorted: Vec<Sorted>,
    /// How each of those begins, as one number: most comparisons end there, and reading a text takes longer.
    heads: Vec<u64>,
}

#[derive(Debug)]
struct Sorted {
    /// The place of the text.
    phrase: usize,
    /// Place in the order of the longest other phrase that it begins with.
    shorter: Option<usize>,
}

/// A phrase found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// The byte behind it.
    pub end: usize,
    /// Its first byte.
    pub start: usize,
    /// Its place in the list.
    pub phrase: usize,
}

impl Phrases {
    /// Phrases to be found; each begins with a space and has single spaces between its words.
    pub fn new(texts: Vec<String>) -> Self {
        let mut order: Vec<(&str, usize)> = texts.iter().map(String::as_str).zip(0..).collect();
        order.sort_unstable();
        let mut begun: Vec<(&str, usize)> = Vec::new();
        let mut sorted = Vec::with_capacity(order.len());
        for (place, &(text, phrase)) in order.iter().enumerate() {
            while begun.pop_if(|(shorter, _)| !text.starts_with(*shorter)).is_some() {}
            sorted.push(Sorted { phrase, shorter: begun.last().map(|(_, place)| *place) });
            begun.push((text, place));
        }
        let heads = order.iter().map(|(text, _)| head(text)).collect();
        Self { sorted, heads, texts }
    }

    /// The phrases as they were given.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Every phrase in a text whose words are parted by single spaces: first what ends first, then what begins first.
    pub fn find(&self, padded: &str) -> Vec<Found> {
        let mut found = Vec::new();
        for (start, _) in padded.match_indices(' ') {
            let Some(rest) = padded.get(start..) else { continue };
            // Phrases that the rest begins with are the last one that is not behind it in order, or what that one begins with.
            let mut next = self.not_behind(rest).checked_sub(1).and_then(|place| self.sorted.get(place));
            while let Some(&Sorted { phrase, shorter }) = next {
                let text = self.text(phrase);
                if rest.starts_with(text) {
                    found.push(Found { end: start + text.len(), start, phrase });
                }
                next = shorter.and_then(|place| self.sorted.get(place));
            }
        }
        found.sort_unstable();
        found
    }

    /// How many phrases are not behind a text in order.
    fn not_behind(&self, text: &str) -> usize {
        let head = head(text);
        let before = self.heads.partition_point(|other| *other < head);
        let behind = self.heads.partition_point(|other| *other <= head);
        let alike = self.sorted.get(before..behind).unwrap_or(&[]);
        before + alike.partition_point(|sorted| self.text(sorted.phrase) <= text)
    }

    fn text(&self, phrase: usize) -> &str {
        self.texts.get(phrase).map_or("", String::as_str)
    }
}

/// The eight bytes behind the space that a text begins with, in their order.
fn head(text: &str) -> u64 {
    text.bytes().skip(1).chain(std::iter::repeat(0)).take(8).fold(0, |head, byte| head << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use aho_corasick::AhoCorasick;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_phrases_found_are_those_an_automaton_finds(
            texts in proptest::collection::vec("( [ab]{1,2}){1,3} ?", 0..30),
            words in proptest::collection::vec("[ab]{1,3}", 0..12),
        ) {
            let padded = format!(" {} ", words.join(" "));
            let automaton = AhoCorasick::new(&texts).unwrap();
            let mut expected: Vec<Found> = automaton
                .find_overlapping_iter(&padded)
                .map(|hit| Found { end: hit.end(), start: hit.start(), phrase: hit.pattern().as_usize() })
                .collect();
            expected.sort_unstable();
            prop_assert_eq!(Phrases::new(texts).find(&padded), expected);
        }
    }
}
