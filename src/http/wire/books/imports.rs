//! Bulk imports on the wire: each row is read by the reader of the single request it stands for.

use super::read::body;
use crate::domain::books::command::{BooksCommand, ImportInput, ImportRowInput};
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::problem::{Issue, Issues};
use crate::http::resources::{contacts, documents};
use crate::http::wire::books::{account, bank, journal};
use crate::http::wire::strict::{BODY, FieldPath, StrictReader};

/// Rows of one import.
const ROWS_MAX: u64 = 5_000;
const ROWS: &str = "rows";

/// What may be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    /// Accounts of the chart.
    Accounts,
    /// Customers.
    Customers,
    /// Suppliers.
    Suppliers,
    /// Lines of bank statements.
    BankTransactions,
    /// Sales invoices.
    SalesInvoices,
    /// Purchase invoices.
    PurchaseInvoices,
    /// Journals.
    Journals,
}

impl ImportKind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::Accounts,
        Self::Customers,
        Self::Suppliers,
        Self::BankTransactions,
        Self::SalesInvoices,
        Self::PurchaseInvoices,
        Self::Journals,
    ];

    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accounts => "accounts",
            Self::Customers => "customers",
            Self::Suppliers => "suppliers",
            Self::BankTransactions => "bank_transactions",
            Self::SalesInvoices => "sales_invoices",
            Self::PurchaseInvoices => "purchase_invoices",
            Self::Journals => "journals",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Reads a row as the body of the single request.
    fn read(self, row: &str) -> Result<BooksCommand, Issues> {
        let text = row.as_bytes();
        Ok(match self {
            Self::Accounts => BooksCommand::CreateAccount(account::parse_new(text)?),
            Self::Customers => contact_of(ContactKind::Customer, text)?,
            Self::Suppliers => contact_of(ContactKind::Supplier, text)?,
            Self::BankTransactions => {
                let (bank_account_id, row) = bank::parse_row(text)?;
                BooksCommand::CreateBankTransaction { bank_account_id, row: Box::new(row) }
            }
            Self::SalesInvoices => invoice(DocumentKind::SalesInvoice, text)?,
            Self::PurchaseInvoices => invoice(DocumentKind::PurchaseInvoice, text)?,
            Self::Journals => BooksCommand::PostJournal(journal::parse_new(text)?),
        })
    }
}

fn invoice(kind: DocumentKind, text: &[u8]) -> Result<BooksCommand, Issues> {
    let (entry, is_issued) = documents::parse_new(text, kind)?;
    Ok(BooksCommand::CreateDocument { entry: Box::new(entry), is_issued })
}

fn contact_of(kind: ContactKind, text: &[u8]) -> Result<BooksCommand, Issues> {
    Ok(BooksCommand::CreateContact { kind, fields: contacts::parse(text, kind, true)? })
}

/// Reads the body that previews an import. What is wrong with a row makes that row invalid; what is wrong with the rest
/// refuses the request.
pub fn parse_import(text: &[u8]) -> Result<ImportInput, Issues> {
    const NAMES: [&str; 3] = ["kind", ROWS, "options"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut kind, mut rows, mut rejects) = (None, Vec::new(), None);
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => {
                let rule = format!("one of {}", ImportKind::ALL.map(ImportKind::as_str).join(", "));
                kind = reader.word(body("kind"), ImportKind::parse, &rule)?;
            }
            1 => reader.list(ROWS, 1..=ROWS_MAX, |reader, _| {
                rows.push(reader.value()?);
                Ok(())
            })?,
            _ if reader.is_null()? => {}
            _ => {
                let options = FieldPath::section("options");
                reader.object(options, &["on_duplicate"], |reader, _| {
                    let parse = |word: &str| match word {
                        "skip" => Some(false),
                        "reject" => Some(true),
                        _ => None,
                    };
                    rejects = reader.word(options.field("on_duplicate"), parse, "skip or reject")?;
                    Ok(())
                })?;
            }
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 2);
        }
        if let (Some(_), Some(kind)) = (rejects, kind)
            && kind != ImportKind::BankTransactions
        {
            reader.problem(FieldPath::section("options").field("on_duplicate"), "is for bank_transactions only");
        }
    });
    reader.finish(read)?;
    let kind = kind.ok_or_else(Issues::default)?;
    let mut entries = ImportInput {
        kind: kind.as_str().to_owned(),
        rows_total: 0,
        entries: Vec::with_capacity(rows.len()),
        unread: Vec::new(),
        issues: Issues::default(),
        rejects_duplicates: rejects.unwrap_or_default(),
    };
    for (at, text) in (0_u64..).zip(rows) {
        entries.rows_total += 1;
        match kind.read(text) {
            Ok(action) => entries.entries.push(ImportRowInput { row: at, command: action }),
            Err(issues) => {
                entries.unread.push(at);
                for issue in issues.listed {
                    entries.issues.push(of_row(at, issue));
                }
            }
        }
    }
    Ok(entries)
}

/// A problem of a body, as one of a row.
fn of_row(row: u64, issue: Issue) -> Issue {
    let path = if issue.path == BODY { format!("{ROWS}[{row}]") } else { format!("{ROWS}[{row}].{}", issue.path) };
    Issue { section: ROWS.to_owned(), row: Some(row), path, ..issue }
}

/// Reads the body that confirms an import: its token, and whether invalid rows are left out.
pub fn parse_confirmation(text: &[u8]) -> Result<(String, bool), Issues> {
    const NAMES: [&str; 2] = ["token", "skip_invalid"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut token, mut skips) = (None, None);
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => token = reader.text(body("token"), 1..=super::opening::TOKEN_CHARS_MAX)?,
            _ if reader.is_null()? => {}
            _ => skips = reader.flag(body("skip_invalid"))?,
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 1);
        }
    });
    reader.finish(read)?;
    Ok((token.ok_or_else(Issues::default)?.into_owned(), skips.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_cannot_be_read_is_an_invalid_row() {
        let text = br#"{"kind":"journals","rows":[7,{"entry_date":"2026-03-01","description":"x","lines":[{"account_id":1,"debit":-1}]},
            {"entry_date":"2026-03-01","description":"x","lines":[]}]}"#;
        let entries = parse_import(text).unwrap();
        assert_eq!((entries.rows_total, entries.entries.len(), &entries.unread[..]), (3, 1, &[0, 1][..]));
        let paths: Vec<_> = entries.issues.listed.iter().map(|issue| issue.path.as_str()).collect();
        assert_eq!(paths, ["rows[0]", "rows[1].lines[0].debit"]);
        assert_eq!(entries.issues.listed[1].field.as_deref(), Some("debit"));
    }

    #[test]
    fn what_is_wrong_with_the_request_refuses_it() {
        let paths = |text: &str| -> Vec<String> {
            parse_import(text.as_bytes()).unwrap_err().listed.into_iter().map(|issue| issue.path).collect()
        };
        assert_eq!(paths("{}"), ["kind", "rows"]);
        assert_eq!(paths(r#"{"kind":"invoices","rows":[]}"#), ["kind", "rows"]);
        let options = r#"{"kind":"journals","rows":[{}],"options":{"on_duplicate":"skip"}}"#;
        assert_eq!(paths(options), ["options.on_duplicate"]);
    }
}
