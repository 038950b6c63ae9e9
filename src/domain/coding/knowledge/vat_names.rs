//! What names of accounts say of the VAT of what is sold or bought under them (`vat_names.tsv`).

use crate::domain::coding::outcome::Vat;

const VAT_NAMES: &str = include_str!("vat_names.tsv");

/// Words of names that say a VAT code.
#[derive(Debug, Default)]
pub struct VatNames {
    sold: Vec<Row>,
    bought: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    words: Vec<&'static str>,
    unless: Vec<&'static str>,
    vat: Vat,
}

impl VatNames {
    pub(super) fn read(problems: &mut Vec<String>) -> Self {
        let mut read = Self::default();
        for row in super::rows(VAT_NAMES) {
            let &[direction, words, unless, code, _] = row.as_slice() else {
                problems.push(format!("vat_names.tsv: five columns are wanted: {row:?}"));
                continue;
            };
            let Some(vat) = Vat::parse(code) else {
                problems.push(format!("vat_names.tsv: unknown code: {row:?}"));
                continue;
            };
            let list = |words: &'static str| words.split(',').filter(|word| !word.is_empty()).collect();
            let row = Row { words: list(words), unless: list(unless), vat };
            match direction {
                "sold" => read.sold.push(row),
                "bought" => read.bought.push(row),
                _ => problems.push(format!("vat_names.tsv: neither sold nor bought: {words}")),
            }
        }
        read
    }

    /// The code that the name of an account of sales, or of costs, says; `has` says whether one of some words is in the name.
    pub fn vat(&self, is_sold: bool, has: impl Fn(&[&str]) -> bool) -> Option<Vat> {
        let rows = if is_sold { &self.sold } else { &self.bought };
        rows.iter().find(|row| has(&row.words) && !has(&row.unless)).map(|row| row.vat)
    }
}
