//! Coded lines that are posted together: each is entered first, where it is not in the books yet, and then confirmed.

use crate::domain::books::command::BooksCommand;
use crate::domain::ledger::refusal::Refusal;

/// Stands in a confirmation for a line that is entered before it: the first such place for the first line entered, the
/// second for the second.
pub const ENTERED: i64 = 0;

/// A coded line, or the two sides of a transfer.
#[derive(Debug, Clone)]
pub struct CodedPosting {
    /// What the caller names them by.
    pub rows: Vec<i64>,
    /// Enter the lines that are not in the books yet.
    pub enters: Vec<BooksCommand>,
    /// Confirms the line.
    pub confirm: BooksCommand,
}

/// Coded lines that are posted together.
#[derive(Debug, Clone)]
pub struct CodedPostings {
    /// The lines, in order.
    pub postings: Vec<CodedPosting>,
    /// What they did in the preview, which they must do again; none in a preview, which says what is refused.
    pub previewed: Option<String>,
}

/// What a posting moves on an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountMovement {
    /// The account.
    pub account_code: String,
    /// Its name.
    pub account_name: String,
    /// Pence.
    pub debit_pence: i64,
    /// Pence.
    pub credit_pence: i64,
}

/// What became of a posting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostingOutcome {
    /// It is posted.
    Posted(Vec<AccountMovement>),
    /// A rule refused it.
    Refused(Refusal),
    /// The line is not in the books any more.
    Unknown,
}

/// What became of coded lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostedLines {
    /// By posting, with the rows it is of.
    pub outcomes: Vec<(Vec<i64>, PostingOutcome)>,
}

impl PostedLines {
    /// What is posted, to be compared with what a preview showed: without identifiers and numbers.
    pub fn outline(&self) -> String {
        let mut outline = String::new();
        for (rows, outcome) in &self.outcomes {
            let PostingOutcome::Posted(movements) = outcome else { continue };
            outline.push_str(&format!("{rows:?}"));
            for one in movements {
                outline.push_str(&format!(" {} {} {}", one.account_code, one.debit_pence, one.credit_pence));
            }
            outline.push('\n');
        }
        outline
    }
}
