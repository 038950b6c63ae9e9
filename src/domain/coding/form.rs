//! Linear forms over meanings, as `tools/ranking` writes them: weights of eight bits beside a part of the identity.

use super::meaning::{DIMENSIONS, Vector};
use super::text_model::take;

/// Rows of weights, beside so much of the identity where they are a square.
#[derive(Debug)]
pub struct Form {
    identity: f32,
    rows: Vec<Vector>,
}

impl Form {
    /// So much of what a vector is.
    pub const fn of_identity(part: f32) -> Self {
        Self { identity: part, rows: Vec::new() }
    }

    /// What a vector is turned into.
    pub fn of(&self, vector: &Vector) -> Vector {
        let mut turned = Vector::zero();
        turned.add_part(vector, self.identity);
        for (row, number) in self.rows.iter().zip(vector.numbers()) {
            turned.add_part(row, *number);
        }
        turned
    }

    /// The rows of weights.
    pub fn rows(&self) -> &[Vector] {
        &self.rows
    }

    /// Adds what one number adds.
    pub fn add_row(&self, row: usize, number: f32, sum: &mut Vector) {
        if let Some(row) = self.rows.get(row) {
            sum.add_part(row, number);
        }
    }
}

/// Takes a number of things (u32) from the front.
pub fn take_count(rest: &mut &'static [u8]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(take(rest)?)).ok()
}

/// Takes so many numbers of f32 from the front.
pub fn take_numbers<const COUNT: usize>(rest: &mut &'static [u8]) -> Option<[f32; COUNT]> {
    let mut numbers = [0.0; COUNT];
    for number in &mut numbers {
        *number = f32::from_le_bytes(take(rest)?);
    }
    Some(numbers)
}

/// Takes a vector of f32 from the front.
pub fn take_vector(rest: &mut &'static [u8]) -> Option<Vector> {
    take_numbers(rest).map(Vector::of)
}

/// Takes a form of so many rows from the front: the identity's part and a scale as f32, and int8 weights row by row.
pub fn take_form(rest: &mut &'static [u8], rows: usize) -> Option<Form> {
    let identity = f32::from_le_bytes(take(rest)?);
    let scale = f32::from_le_bytes(take(rest)?);
    let row = |rest: &mut &'static [u8]| {
        let bytes: [u8; DIMENSIONS] = take(rest)?;
        Some(Vector::of(bytes.map(|byte| f32::from(i8::from_le_bytes([byte])) * scale)))
    };
    let rows = (0..rows).map(|_| row(rest)).collect::<Option<Vec<Vector>>>()?;
    Some(Form { identity, rows })
}
