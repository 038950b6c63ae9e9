//! Decides coded lines that are posted together: all of them or none. A preview decides them in a dry run, and says which are
//! refused.

use crate::domain::books::command::{BooksCommand, Confirmation};
use crate::domain::books::decide::{BooksTransaction, Rejection};
use crate::domain::books::effects::Effect;
use crate::domain::books::records::coded_posting::{
    AccountMovement, CodedPosting, CodedPostings, ENTERED, PostedLines, PostingOutcome,
};
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::ledger::refusal::Refusal;

impl BooksTransaction<'_> {
    pub(crate) fn post_coded_lines(
        &mut self,
        request: &CommandRequest,
        all: &CodedPostings,
    ) -> Result<CommandResult, Rejection> {
        let before = self.savepoint();
        let decided = self.decide_postings(request, all);
        if decided.is_err() {
            self.undo_to(before);
        }
        decided.map(|posted| CommandResult::PostedLines(Box::new(posted)))
    }

    fn decide_postings(&mut self, request: &CommandRequest, all: &CodedPostings) -> Result<PostedLines, Rejection> {
        let mut outcomes = Vec::with_capacity(all.postings.len());
        for (at, posting) in all.postings.iter().enumerate() {
            // A confirmation that is refused has no effect; a line that was entered for it has.
            let entered = (!posting.enters.is_empty()).then(|| self.savepoint());
            let outcome = match self.post_coded_line(request, posting) {
                Ok(movements) => PostingOutcome::Posted(movements),
                Err(rejection) => {
                    if let Some(entered) = entered {
                        self.undo_to(entered);
                    }
                    match rejection {
                        _ if all.previewed.is_some() => return Err(Rejection::Item(at, Box::new(rejection))),
                        Rejection::Refused(refusal) => PostingOutcome::Refused(refusal),
                        Rejection::Unknown => PostingOutcome::Unknown,
                        other => return Err(other),
                    }
                }
            };
            outcomes.push((posting.rows.clone(), outcome));
        }
        let posted = PostedLines { outcomes };
        match &all.previewed {
            Some(previewed) if *previewed != posted.outline() => {
                let why = "the books have changed since the preview, and the lines would be posted otherwise";
                Err(Refusal::StaleVersion.with_message(why).into())
            }
            _ => Ok(posted),
        }
    }

    /// Posts a line; gives what its journals move.
    fn post_coded_line(
        &mut self,
        request: &CommandRequest,
        posting: &CodedPosting,
    ) -> Result<Vec<AccountMovement>, Rejection> {
        let before = self.effects.iter().count();
        let mut entered = Vec::with_capacity(posting.enters.len());
        for enter in &posting.enters {
            entered.push(self.decide_command(request, enter)?.id());
        }
        let mut confirm = posting.confirm.clone();
        name_entered(&mut confirm, &entered);
        self.decide_command(request, &confirm)?;
        let journals = self.effects.iter().skip(before).filter_map(|(_, effect)| match effect {
            Effect::Journal(journal) => Some(&journal.view),
            _ => None,
        });
        let movement = |line: &crate::domain::books::records::journal::JournalLineView| AccountMovement {
            account_code: line.account_code.clone(),
            account_name: line.account_name.clone(),
            debit_pence: line.debit_pence,
            credit_pence: line.credit_pence,
        };
        Ok(journals.flat_map(|view| view.lines.iter().map(movement)).collect())
    }
}

/// Puts the identifiers of lines that were entered into the places that stand for them.
fn name_entered(confirm: &mut BooksCommand, entered: &[i64]) {
    let mut entered = entered.iter().copied();
    let mut name = |place: &mut i64| {
        if *place == ENTERED {
            *place = entered.next().unwrap_or(ENTERED);
        }
    };
    if let BooksCommand::Confirm { items, .. } = confirm {
        for (line, confirmation) in items {
            name(line);
            if let Confirmation::TransferWith(other) = confirmation {
                name(other);
            }
        }
    }
}
