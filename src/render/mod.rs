//! What is printed for people: PDF of documents and reports, and the CSV of reports.
//!
//! Everything here is a pure function of records and needs no file, clock or network: the same records give the same bytes.
//! `text` sets texts in glyphs, `page` lays them out and makes the file, `table` prints tables; `sales`, `payment` and `report`
//! say what stands in each document. What people typed is text and nothing else.

mod blocks;
pub mod csv;
mod figures;
mod page;
mod payment;
mod report;
mod sales;
mod table;
mod text;

pub use payment::{PaidDocument, Payment};
pub use report::StatementLetter;
pub use sales::SalesDocument;

use crate::domain::reports::table::ReportTable;

/// A printed document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdf {
    /// The file: PDF/A-2a and PDF/UA-1.
    pub bytes: Vec<u8>,
    /// The characters that the font lacks, each printed as a box, in the order of their code points.
    pub missing: Vec<char>,
}

/// Why a document could not be printed; none of these is the caller's fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A font file of the program cannot be read.
    #[error("a font of the program cannot be read")]
    Font,
    /// The library that writes the file refused what it was given.
    #[error("the document cannot be written: {0}")]
    Library(String),
}

/// Prints a sales invoice or a sales credit note.
pub fn sales_document(document: &SalesDocument<'_>) -> Result<Pdf, RenderError> {
    sales::print(document)
}

/// Prints the receipt of a customer receipt, or the remittance advice of a supplier payment.
pub fn payment(payment: &Payment<'_>) -> Result<Pdf, RenderError> {
    payment::print(payment)
}

/// Prints a report.
pub fn report(table: &ReportTable) -> Result<Pdf, RenderError> {
    report::print(table)
}

/// Prints the statement of a customer or supplier.
pub fn statement(letter: &StatementLetter<'_>) -> Result<Pdf, RenderError> {
    report::print_statement(letter)
}

#[cfg(test)]
mod tests;
