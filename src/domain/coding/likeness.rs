//! What is near to what in bookkeeping: bilinear forms over meanings of words, fitted to labelled lines by `tools/ranking`. Plain
//! likeness says that two words occur alike; these say that a line with one of them goes to an account with the other.
//!
//! A line is compared with an account as a whole, and by the nearest of its words and the name's (late interaction; Khattab and
//! Zaharia, *ColBERT*, 2020). What the context says near the line's words is compared with the account in the same two ways.

use std::sync::OnceLock;

use super::meaning::{DIMENSIONS, Vector};
use super::text_model::take;

const TABLE: &[u8] = include_bytes!("knowledge/likeness.bin");

/// No word counts more than so many natural logarithms more, or less, than another.
const WEIGHT_MOST: f32 = 4.0;

/// A square of weights beside so much of the identity.
#[derive(Debug)]
struct Form {
    identity: f32,
    rows: Vec<Vector>,
}

impl Form {
    /// What a vector is turned into.
    fn of(&self, vector: &Vector) -> Vector {
        let mut turned = Vector::zero();
        turned.add_part(vector, self.identity);
        for (row, number) in self.rows.iter().zip(vector.numbers()) {
            turned.add_part(row, *number);
        }
        turned
    }
}

/// The fitted forms.
#[derive(Debug)]
pub struct Likeness {
    line: Form,
    word: Form,
    near: Form,
    around: Form,
    /// How much each word of a line tells.
    telling: Vector,
    /// What accounts are likely at all, for money out and for money in.
    usual: [Vector; 2],
}

/// A line, to be compared with accounts by the cosine's sum.
#[derive(Debug)]
pub struct LineMeaning {
    /// With a name's meaning.
    pub whole: Vector,
    /// Each with the meanings of a name's words.
    pub words: Vec<Vector>,
}

impl Likeness {
    /// The forms that are part of the program.
    pub fn get() -> &'static Self {
        static READ: OnceLock<Likeness> = OnceLock::new();
        READ.get_or_init(|| Self::read(TABLE).unwrap_or_else(Self::plain))
    }

    /// Forms that say what plain likeness says.
    fn plain() -> Self {
        let form = || Form { identity: 1.0, rows: Vec::new() };
        let usual = [Vector::zero(), Vector::zero()];
        Self { line: form(), word: form(), near: form(), around: form(), telling: Vector::zero(), usual }
    }

    /// Little-endian: four forms (the identity's part and a scale as f32, and int8 weights row by row), then three vectors of f32.
    fn read(mut rest: &'static [u8]) -> Option<Self> {
        let read = Self {
            line: take_form(&mut rest)?,
            word: take_form(&mut rest)?,
            near: take_form(&mut rest)?,
            around: take_form(&mut rest)?,
            telling: take_vector(&mut rest)?,
            usual: [take_vector(&mut rest)?, take_vector(&mut rest)?],
        };
        rest.is_empty().then_some(read)
    }

    /// A line of words with these meanings.
    pub fn of_line(&self, words: &[Vector], money_in: bool) -> LineMeaning {
        let mut sum = Vector::zero();
        for word in words {
            let weight = word.cosine(&self.telling).clamp(-WEIGHT_MOST, WEIGHT_MOST);
            sum.add_part(word, libm::expf(weight));
        }
        let mut whole = self.line.of(&sum.normalised());
        let [money_out_usual, money_in_usual] = &self.usual;
        whole.add(if money_in { money_in_usual } else { money_out_usual });
        LineMeaning { whole, words: words.iter().map(|word| self.word.of(word)).collect() }
    }

    /// A word of the context, to be compared with words of a name.
    pub fn of_near_word(&self, word: &Vector) -> Vector {
        self.near.of(word)
    }

    /// What the context says around a line's words, of the sum of those words, to be compared with a name's meaning.
    pub fn of_surroundings(&self, sum: Vector) -> Vector {
        self.around.of(&sum.normalised())
    }
}

fn take_vector(rest: &mut &'static [u8]) -> Option<Vector> {
    let mut numbers = [0.0; DIMENSIONS];
    for number in &mut numbers {
        *number = f32::from_le_bytes(take(rest)?);
    }
    Some(Vector::of(numbers))
}

fn take_form(rest: &mut &'static [u8]) -> Option<Form> {
    let identity = f32::from_le_bytes(take(rest)?);
    let scale = f32::from_le_bytes(take(rest)?);
    let row = |rest: &mut &'static [u8]| {
        let bytes: [u8; DIMENSIONS] = take(rest)?;
        Some(Vector::of(bytes.map(|byte| f32::from(i8::from_le_bytes([byte])) * scale)))
    };
    let rows = (0..DIMENSIONS).map(|_| row(rest)).collect::<Option<Vec<Vector>>>()?;
    Some(Form { identity, rows })
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
    fn lines_are_near_accounts_that_they_go_to() {
        let meaning = &Knowledge::get().meaning;
        let near = |line: &str, account: &str, money_in: bool| {
            let words: Vec<Vector> = line.split(' ').map(|word| meaning.vector(word)).collect();
            let line = Likeness::get().of_line(&words, money_in);
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
        let nothing = Likeness::get().of_line(&[], true);
        assert!(nothing.words.is_empty());
        assert!(nothing.whole.numbers().iter().all(|number| number.is_finite()));
    }
}
