//! The body that records a VAT return.

use super::read::body;
use crate::domain::books::records::vat_return::VatReturnInput;
use crate::domain::problem::Issues;
use crate::http::wire::strict::{BODY, FieldPath, StrictReader};

/// The longest receipt of HMRC that is kept, in characters.
pub const RECEIPT_CHARS_MAX: usize = 200;

/// Reads the body that records a VAT return.
pub fn parse_new(text: &[u8]) -> Result<VatReturnInput, Issues> {
    const NAMES: [&str; 3] = ["period_end", "filed_on", "hmrc_receipt"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut period_end, mut filed_on, mut hmrc_receipt) = (None, None, None);
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => period_end = reader.book_date(body("period_end"))?,
            1 if reader.is_null()? => {}
            1 => filed_on = reader.book_date(body("filed_on"))?,
            _ => hmrc_receipt = reader.maybe_label(body("hmrc_receipt"), RECEIPT_CHARS_MAX)?.flatten(),
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 1);
        }
    });
    reader.finish(read)?;
    let period_end = period_end.ok_or_else(Issues::default)?;
    Ok(VatReturnInput { period_end, filed_on, hmrc_receipt })
}
