//! Numbers with up to four decimals on the wire, read from their digits.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::domain::ledger::money::{Decimal4, Pence};
use crate::http::wire::strict::{FieldPath, Reading, StrictReader};

/// Reads one spelling of a decimal.
type Parse = fn(&str) -> Option<Decimal4>;

impl StrictReader<'_> {
    /// A decimal: a number, or a string.
    fn decimal(
        &mut self,
        path: FieldPath<'_>,
        (number, text): (Parse, Parse),
        rule: &str,
    ) -> Reading<Option<Decimal4>> {
        let given = self.value()?;
        let read = match given.starts_with('"') {
            true => serde_json::from_str::<Cow<'_, str>>(given).ok().and_then(|given| text(&given)),
            false => number(given),
        };
        if read.is_none() {
            self.problem(path, rule);
        }
        Ok(read)
    }

    /// How many.
    pub fn quantity(&mut self, path: FieldPath<'_>) -> Reading<Option<Decimal4>> {
        let rule = "must be a number with at most four decimals from -999999.9999 to 999999.9999, and not 0";
        self.decimal(path, (Decimal4::parse_quantity_number, Decimal4::parse_quantity_text), rule)
    }

    /// The price of one.
    pub fn unit_price(&mut self, path: FieldPath<'_>) -> Reading<Option<Decimal4>> {
        let rule = "must be a number with at most four decimals from -99999999.9999 to 99999999.9999";
        self.decimal(path, (Decimal4::parse_unit_price_number, Decimal4::parse_unit_price_text), rule)
    }

    /// An amount of more than nothing.
    pub fn cash(&mut self, path: FieldPath<'_>) -> Reading<Option<Pence>> {
        let amount = self.money(path)?;
        if amount.is_some_and(|amount| !amount.is_positive()) {
            self.problem(path, "must be more than 0");
            return Ok(None);
        }
        Ok(amount)
    }
}

/// Reads a list; what could not be read is left out, and is a problem already.
pub fn strict_list<T>(
    reader: &mut StrictReader<'_>,
    section: &'static str,
    length: RangeInclusive<u64>,
    mut read: impl FnMut(&mut StrictReader<'_>, FieldPath<'static>) -> Reading<Option<T>>,
) -> Reading<Vec<T>> {
    let mut items = Vec::new();
    reader.list(section, length, |reader, path| {
        items.extend(read(reader, path)?);
        Ok(())
    })?;
    Ok(items)
}
