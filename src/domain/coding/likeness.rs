//! What is near to what in bookkeeping: bilinear forms over meanings of words, fitted to labelled lines by `tools/ranking`. Plain
//! likeness says that two words occur alike; these say that a line with one of them goes to an account with the other.
//!
//! A line is compared with an account as a whole, and by the nearest of its words and the name's (late interaction; Khattab and
//! Zaharia, *ColBERT*, 2020). What the context says near the line's words is compared with the account in the same two ways.
//! The whole of a line is turned by a form, by its traits, by what the knowledge takes its words for, and by a hidden layer that sees
//! all of these and the context together (a perceptron of rectified units).

use std::sync::OnceLock;

use super::form::{Form, take_count, take_form, take_vector};
use super::knowledge::ConceptId;
use super::meaning::{DIMENSIONS, Vector};
use super::traits::{TRAITS, Traits};

const TABLE: &[u8] = include_bytes!("knowledge/likeness.bin");

/// No word counts more than so many natural logarithms more, or less, than another.
const WEIGHT_MOST: f32 = 4.0;

/// The fitted forms.
#[derive(Debug)]
pub struct Likeness {
    line: Form,
    word: Form,
    near: Form,
    around: Form,
    /// What each trait adds to a line.
    traits: Form,
    /// What each concept adds to a line that may be about it.
    concepts: Form,
    /// What the hidden layer is given: of the line, of what is around it, of each trait and concept, and always.
    hidden_line: Form,
    hidden_around: Form,
    hidden_traits: Form,
    hidden_concepts: Form,
    hidden: Vector,
    /// What each unit of the hidden layer adds to a line.
    units: Form,
    /// How much each word of a line tells.
    telling: Vector,
}

/// A line, to be compared with accounts by the cosine's sum.
#[derive(Debug)]
pub struct LineMeaning {
    /// With a name's meaning.
    pub whole: Vector,
    /// Each with the meanings of a name's words.
    pub words: Vec<Vector>,
}

/// What the context says around a line's words.
#[derive(Debug)]
pub struct Surroundings {
    /// Unit length, or nothing.
    plain: Vector,
    /// To be compared with a name's meaning.
    pub turned: Vector,
}

impl Likeness {
    /// The forms that are part of the program.
    pub fn get() -> &'static Self {
        static READ: OnceLock<Likeness> = OnceLock::new();
        READ.get_or_init(|| Self::read(TABLE).unwrap_or_else(Self::plain))
    }

    /// Forms that say what plain likeness says.
    fn plain() -> Self {
        let form = || Form::of_identity(1.0);
        let nothing = || Form::of_identity(0.0);
        Self {
            line: form(),
            word: form(),
            near: form(),
            around: form(),
            traits: nothing(),
            concepts: nothing(),
            hidden_line: nothing(),
            hidden_around: nothing(),
            hidden_traits: nothing(),
            hidden_concepts: nothing(),
            hidden: Vector::zero(),
            units: nothing(),
            telling: Vector::zero(),
        }
    }

    /// Little-endian: how many concepts there are (u32); eleven forms (the identity's part and a scale as f32, and int8 weights row by
    /// row) of 128 rows, or a row for each trait or concept; then two vectors of f32.
    fn read(mut rest: &'static [u8]) -> Option<Self> {
        let rest_of = &mut rest;
        let concepts = take_count(rest_of)?;
        let read = Self {
            line: take_form(rest_of, DIMENSIONS)?,
            word: take_form(rest_of, DIMENSIONS)?,
            near: take_form(rest_of, DIMENSIONS)?,
            around: take_form(rest_of, DIMENSIONS)?,
            traits: take_form(rest_of, TRAITS)?,
            concepts: take_form(rest_of, concepts)?,
            hidden_line: take_form(rest_of, DIMENSIONS)?,
            hidden_around: take_form(rest_of, DIMENSIONS)?,
            hidden_traits: take_form(rest_of, TRAITS)?,
            hidden_concepts: take_form(rest_of, concepts)?,
            units: take_form(rest_of, DIMENSIONS)?,
            hidden: take_vector(rest_of)?,
            telling: take_vector(rest_of)?,
        };
        rest.is_empty().then_some(read)
    }

    /// A line of words with these meanings, of these traits, and of what its words may be about.
    pub fn of_line(
        &self,
        words: &[Vector],
        around: &Surroundings,
        (traits, clues): (Traits, &[(ConceptId, f32)]),
    ) -> LineMeaning {
        let mut sum = Vector::zero();
        for word in words {
            let weight = word.cosine(&self.telling).clamp(-WEIGHT_MOST, WEIGHT_MOST);
            sum.add_part(word, libm::expf(weight));
        }
        let plain = sum.normalised();
        let mut whole = self.line.of(&plain);
        let mut hidden = self.hidden;
        hidden.add(&self.hidden_line.of(&plain));
        hidden.add(&self.hidden_around.of(&around.plain));
        for number in traits.numbers() {
            self.traits.add_row(number, 1.0, &mut whole);
            self.hidden_traits.add_row(number, 1.0, &mut hidden);
        }
        for (concept, part) in clues {
            self.concepts.add_row(concept.index(), *part, &mut whole);
            self.hidden_concepts.add_row(concept.index(), *part, &mut hidden);
        }
        whole.add(&self.units.of(&hidden.rectified()));
        LineMeaning { whole, words: words.iter().map(|word| self.word.of(word)).collect() }
    }

    /// A word of the context, to be compared with words of a name.
    pub fn of_near_word(&self, word: &Vector) -> Vector {
        self.near.of(word)
    }

    /// What the context says around a line's words, of the sum of those words.
    pub fn of_surroundings(&self, sum: Vector) -> Surroundings {
        let plain = sum.normalised();
        Surroundings { turned: self.around.of(&plain), plain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::coding::knowledge::Knowledge;

    #[test]
    fn the_table_is_read_to_its_end_and_a_shorter_one_is_none() {
        assert!(Likeness::read(TABLE).is_some());
        assert!(Likeness::read(&TABLE[..TABLE.len() - 1]).is_none());
        assert!(Likeness::read(&[]).is_none());
    }

    #[test]
    fn every_concept_has_its_row() {
        let forms = Likeness::get();
        let concepts = Knowledge::get().concepts().count();
        assert_eq!(forms.concepts.rows().len(), concepts);
        assert_eq!(forms.hidden_concepts.rows().len(), concepts);
    }

    #[test]
    fn lines_are_near_accounts_that_they_go_to() {
        let meaning = &Knowledge::get().meaning;
        let near = |line: &str, account: &str, money_in: bool| {
            let words: Vec<Vector> = line.split(' ').map(|word| meaning.vector(word)).collect();
            let around = Likeness::get().of_surroundings(Vector::zero());
            let line = Likeness::get().of_line(
                &words,
                &around,
                (Traits::of_amount(if money_in { 5_000 } else { -5_000 }), &[]),
            );
            let name = meaning.vector(account);
            let nearest = account.split(' ').flat_map(|word| {
                let word = meaning.vector(word);
                line.words.iter().map(move |of_line| of_line.cosine(&word))
            });
            line.whole.cosine(&name) + nearest.fold(0.0, f32::max)
        };
        for (line, right, wrong, money_in) in [
            ("TILL SATURDAY", "Shop sales", "Grants received", true),
            ("STANDING ORDER GIFT AID", "Donations", "Room hire", true),
            ("PLAICE HADDOCK", "Fish purchases", "Stationery", false),
            ("TYRES FITTED", "Vehicle repairs", "Advertising", false),
        ] {
            assert!(near(line, right, money_in) > near(line, wrong, money_in), "{line}");
        }
        // No words are as near to one as to another but for what is usual, and nothing fails.
        let around = Likeness::get().of_surroundings(Vector::zero());
        let nothing = Likeness::get().of_line(&[], &around, (Traits::of_amount(5_000), &[]));
        assert!(nothing.words.is_empty());
        assert!(nothing.whole.numbers().iter().all(|number| number.is_finite()));
    }
}
