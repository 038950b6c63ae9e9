//! How likely each VAT code is for a line: what is bought and sold in other businesses, learned from labelled lines by
//! `tools/ranking` (`docs/adr/0019-vat-codes-are-learned-too.md`).
//!
//! A perceptron with one hidden layer of rectified units sees the meanings of the line, of its account, of what the context says near the
//! line's words and of the context as a whole, the line's traits, and what the knowledge takes its words for. What the rules of
//! `line_vat.rs` say counts beside it, by weights that were fitted to lines from which neither had learned.

use std::sync::OnceLock;

use super::batch::AccountType;
use super::form::{Form, take_count, take_form, take_numbers, take_vector};
use super::knowledge::ConceptId;
use super::meaning::{DIMENSIONS, Vector};
use super::outcome::Vat;
use super::traits::{TRAITS, Traits};

const TABLE: &[u8] = include_bytes!("knowledge/vat_likelihood.bin");

/// How many codes there are, in the order of [`Vat::ALL`].
const CODES: usize = Vat::ALL.len();

/// What the logarithm of a code's likelihood counts. Fitted (`tools/ranking`), as what follows.
const LIKELIHOOD: f32 = 0.56;

/// What it counts that the rules say a code.
const SAID_BY_RULES: [f32; CODES] = [0.82, 0.63, 0.38, 0.83, 0.59];

/// What each code counts before anything is said.
const BEFOREHAND: [f32; CODES] = [0.39, 0.11, -0.2, -0.2, -0.02];

/// By so much another code must be ahead of that of the rules.
const LEAD_MIN: f32 = 0.6;

/// The fitted layers.
#[derive(Debug)]
struct Layers {
    line: Form,
    name: Form,
    around: Form,
    context: Form,
    traits: Form,
    /// What each concept gives that a line may be about.
    concepts: Form,
    /// What the hidden layer is given for income and for expenses.
    kinds: Form,
    hidden: Vector,
    /// By code: what each hidden unit counts, and what counts always.
    codes: Form,
    always: [f32; CODES],
}

impl Layers {
    fn get() -> Option<&'static Self> {
        static READ: OnceLock<Option<Layers>> = OnceLock::new();
        READ.get_or_init(|| Self::read(TABLE)).as_ref()
    }

    /// Little-endian: how many concepts there are (u32); forms (`form.rs`), then the two vectors of f32.
    fn read(mut rest: &'static [u8]) -> Option<Self> {
        let rest_of = &mut rest;
        let concepts = take_count(rest_of)?;
        let read = Self {
            line: take_form(rest_of, DIMENSIONS)?,
            name: take_form(rest_of, DIMENSIONS)?,
            around: take_form(rest_of, DIMENSIONS)?,
            context: take_form(rest_of, DIMENSIONS)?,
            traits: take_form(rest_of, TRAITS)?,
            concepts: take_form(rest_of, concepts)?,
            kinds: take_form(rest_of, 2)?,
            codes: take_form(rest_of, CODES)?,
            hidden: take_vector(rest_of)?,
            always: take_numbers(rest_of)?,
        };
        rest.is_empty().then_some(read)
    }
}

/// What the lines of one batch are compared with.
#[derive(Debug)]
pub struct VatLikelihood {
    layers: &'static Layers,
    /// By account: what its name and its type give to the hidden layer, and the context with them; none of an account that is neither income
    /// nor an expense.
    accounts: Vec<Option<Vector>>,
}

impl VatLikelihood {
    /// For a batch with such a context, and accounts of these types and meanings.
    pub fn of(context: &Vector, kinds: &[AccountType], names: &[Vector]) -> Option<Self> {
        let layers = Layers::get()?;
        let mut always = layers.hidden;
        always.add(&layers.context.of(context));
        let account = |(kind, name): (&AccountType, &Vector)| {
            let kind = match kind {
                AccountType::Income => 0,
                AccountType::Expense => 1,
                _ => return None,
            };
            let mut given = always;
            given.add(&layers.name.of(name));
            layers.kinds.add_row(kind, 1.0, &mut given);
            Some(given)
        };
        Some(Self { layers, accounts: kinds.iter().zip(names).map(account).collect() })
    }

    /// The code of a line that goes to an account, for which the rules say a code, and the chance that it is right; none for an account that
    /// is neither income nor an expense.
    pub fn code(
        &self,
        account: usize,
        (line, around): (&Vector, &Vector),
        (traits, clues): (Traits, &[(ConceptId, f32)]),
        by_rules: Vat,
    ) -> Option<(Vat, f32)> {
        let given = self.accounts.get(account)?.as_ref()?;
        let mut hidden = *given;
        hidden.add(&self.layers.line.of(line));
        hidden.add(&self.layers.around.of(around));
        for number in traits.numbers() {
            self.layers.traits.add_row(number, 1.0, &mut hidden);
        }
        for (concept, part) in clues {
            self.layers.concepts.add_row(concept.index(), *part, &mut hidden);
        }
        let hidden = hidden.rectified();
        let mut scores = self.layers.always;
        for (score, units) in scores.iter_mut().zip(self.layers.codes.rows()) {
            *score += hidden.cosine(units);
        }
        let weights = scores.iter().zip(&SAID_BY_RULES).zip(&BEFOREHAND).zip(Vat::ALL);
        let weighed: Vec<(Vat, f32)> = weights
            .map(|(((score, said), beforehand), code)| {
                let by_rules = if code == by_rules { *said } else { 0.0 };
                (code, LIKELIHOOD * score + by_rules + beforehand)
            })
            .collect();
        let of_rules = weighed.iter().find(|(code, _)| *code == by_rules).map_or(f32::MAX, |(_, score)| *score);
        let most = weighed.iter().map(|(_, score)| *score).fold(f32::MIN, f32::max);
        let total: f32 = weighed.iter().map(|(_, score)| libm::expf(score - most)).sum();
        let likeliest = weighed.into_iter().find(|(_, score)| *score == most);
        let (code, score) = likeliest.filter(|(_, score)| score - of_rules > LEAD_MIN).unwrap_or((by_rules, of_rules));
        Some((code, libm::expf(score - most) / total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::coding::knowledge::Knowledge;

    #[test]
    fn the_layers_are_read_to_their_end_and_less_of_them_is_nothing() {
        assert!(Layers::read(TABLE).is_some());
        assert!(Layers::read(&TABLE[..TABLE.len() - 1]).is_none());
        assert!(Layers::read(&[]).is_none());
    }

    #[test]
    fn every_concept_has_its_row() {
        let concepts = Knowledge::get().concepts().count();
        assert_eq!(Layers::get().map(|layers| layers.concepts.rows().len()), Some(concepts));
    }

    #[test]
    fn a_code_that_is_far_likelier_than_that_of_the_rules_is_taken() {
        let meaning = &Knowledge::get().meaning;
        let names = ["Books sold", "Rent of the shop", "Current account"].map(|name| meaning.vector(name));
        let kinds = [AccountType::Income, AccountType::Expense, AccountType::Asset];
        let context = meaning.vector("A bookshop, VAT registered.");
        let likelihood = VatLikelihood::of(&context, &kinds, &names).expect("layers");
        let code = |account: usize, line: &str, pence: i128, by_rules: Vat| {
            let meanings = (&meaning.vector(line), &Vector::zero());
            let (code, chance) = likelihood.code(account, meanings, (Traits::of_amount(pence), &[]), by_rules)?;
            assert!((0.0..=1.0).contains(&chance), "{chance}");
            Some(code)
        };
        assert_eq!(code(0, "SUMUP", 5_312, Vat::Reduced), Some(Vat::Zero));
        assert_eq!(code(0, "SUMUP", 5_312, Vat::Zero), Some(Vat::Zero));
        // Of an account of the balance sheet nothing was learned.
        assert_eq!(code(2, "SUMUP", 5_312, Vat::NoVat), None);
        assert_eq!(code(9, "SUMUP", 5_312, Vat::Reduced), None);
    }
}
