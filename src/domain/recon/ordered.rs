//! One side's rows in the order in which everything looks at them, which does not depend on how they were submitted.

#![expect(
    clippy::as_conversions,
    reason = "hot kernel: places index the permutation this file builds, and there are fewer than 2^32 rows"
)]

use crate::domain::amount;
use crate::domain::control::Stopped;

use super::dataset::Rows;
use super::pace::Pace;

/// One side in canonical order: by penny, day, text, digits, and only then by submitted
/// index, which can only tell identical rows apart.
pub(super) struct Ordered {
    /// The submitted index of each place.
    pub(super) rows: Vec<u32>,
    pub(super) pence: Vec<i128>,
    pub(super) days: Vec<i32>,
}

impl Ordered {
    /// Sorts the rows of one side.
    pub(super) fn of(rows: &Rows, pace: &Pace<'_>) -> Result<Self, Stopped> {
        let mut keys: Vec<(i128, i32, u64, u32)> = Vec::with_capacity(rows.len());
        for row in 0..rows.len() {
            pace.spend(16)?;
            let start = first_letters(rows.description(row));
            keys.push((amount::pence(rows.units(row)), rows.date(row).day_number(), start, row as u32));
        }
        pace.check()?;
        keys.sort_unstable();
        pace.check()?;
        // Whole texts are compared only where their first letters are the same.
        let alike = |left: &(i128, i32, u64, u32), right: &(i128, i32, u64, u32)| {
            (left.0, left.1, left.2) == (right.0, right.1, right.2)
        };
        for group in keys.chunk_by_mut(alike) {
            if group.len() > 1 {
                let text = |row: u32| (rows.description(row as usize), rows.amount_text(row as usize));
                group.sort_unstable_by(|left, right| text(left.3).cmp(&text(right.3)).then(left.3.cmp(&right.3)));
                pace.spend(group.len() as u64 * 32)?;
            }
        }
        Ok(Self {
            rows: keys.iter().map(|key| key.3).collect(),
            pence: keys.iter().map(|key| key.0).collect(),
            days: keys.iter().map(|key| key.1).collect(),
        })
    }
}

/// The first eight bytes as a number that sorts like the text; descriptions have no NUL.
fn first_letters(text: &str) -> u64 {
    let mut letters = [0_u8; 8];
    letters.iter_mut().zip(text.bytes()).for_each(|(letter, byte)| *letter = byte);
    u64::from_be_bytes(letters)
}
