//! Printing JSON piece by piece, so that a large result is never held as text.

use std::io::{self, Write};

/// Writes an array, item by item.
pub fn write_list<W: Write, T>(
    out: &mut W,
    items: impl Iterator<Item = T>,
    mut write_item: impl FnMut(&mut W, T) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"[")?;
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.write_all(b",")?;
        }
        write_item(out, item)?;
    }
    out.write_all(b"]")
}

/// Writes a string with its quotes.
pub fn write_string(out: &mut impl Write, text: &str) -> io::Result<()> {
    serde_json::to_writer(out, text).map_err(io::Error::from)
}
