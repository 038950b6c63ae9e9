//! The books: postings of a group are decided together over facts loaded once, and written together.
//!
//! A group first takes the books of its organisations (locked against other processes), then loads what its postings
//! name with one query a table, decides them one after another in memory by the rules of `domain::ledger`, and writes
//! what all of them change in one hand-over. A refused posting has written nothing. The books taken are put back once the
//! group is committed, and forgotten when it fails.

mod accounts;
mod action;
mod allocations;
mod bank_accounts;
mod bank_suggestion;
mod bank_transactions;
mod change_rows;
mod changes;
mod check;
mod check_documents;
mod check_settlements;
mod cis;
mod contacts;
mod decide;
mod decide_bank;
mod decide_bank_settlement;
mod decide_confirm;
mod decide_contact;
mod decide_credit;
mod decide_document;
mod decide_journal;
mod decide_settlement;
mod document_reads;
mod document_rows;
mod documents;
mod effects;
mod entry_rows;
mod facts;
mod ids;
mod import_rows;
mod imports;
mod journal_list;
mod journals;
mod match_candidates;
mod named;
mod numbers;
mod opening;
mod organisation;
mod post;
mod previews;
mod query;
mod record_rows;
mod register;
mod replay;
mod reserve;
mod rows;
mod settlement_facts;
mod settlement_reads;
mod settlements;
mod shelf;
mod status;
mod tallies;
mod told;
mod total_rows;
mod totals;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use self::decide::{Desk, Stop};
use self::effects::Effects;
use self::facts::{Facts, facts};
use self::ids::Identifiers;
use self::replay::Found;
use self::shelf::{Shelf, Shelved};
use super::sql::Unit;
use super::writer::Writer;
use super::{Reader, StoreError};
use crate::domain::calendar::day_in;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::refusal::Refusal;

pub use accounts::{AccountFilter, AccountRow, AccountView};
pub use action::Action;
pub use bank_accounts::{BankAccountDetails, BankAccountField, BankAccountRow, BankAccountView};
pub use bank_suggestion::{CLEARS_BOTH, NEEDS_BOTH};
pub use bank_transactions::{BankLine, BankTransactionFilter, BankTransactionRow};
pub use change_rows::{ChangeRow, Changes, Since};
pub(super) use check::RULES;
pub(super) use check_documents::DOCUMENT_RULES;
pub(super) use check_settlements::SETTLEMENT_RULES;
pub use contacts::{CisChange, CisDetails, ContactDetails, ContactField, ContactFilter, ContactRow, ContactView};
pub use decide_bank::BankSuggestion;
pub use documents::{
    DocumentCis, DocumentEntry, DocumentField, DocumentFilter, DocumentLineEntry, DocumentLineView, DocumentView,
};
pub use import_rows::ImportRow;
pub use imports::{ImportConfirmation, ImportEntries, ImportEntry, RowResult, RowStatus, SKIP_INVALID};
pub use journals::{AccountHistory, HistoryLine, JournalFilter, JournalLineView, JournalView};
pub use opening::{AccountName, OpeningEntry, OpeningPreview, OpeningPreviewLine, OpeningSet};
pub use organisation::{CreateOrganisation, LockChange, OrganisationChange, OrganisationCreated, OrganisationField};
pub(super) use post::WaitingPost;
pub use post::{
    BankImport, BankRow, Confirmation, ImportedRow, LedgerAccount, Post, PostOutcome, Posted, Poster, PrintAnswer,
    Replay,
};
pub use previews::{NewPreview, Purpose};
pub use settlements::{
    AllocationEntry, AllocationTarget, AllocationView, CisPosition, CisSubcontractor, PaymentMethod, SettlementEntry,
    SettlementField, SettlementFilter, SettlementView,
};
pub use status::BooksStatus;

impl Writer {
    /// Changes the books; the answer comes after its commit.
    pub async fn post(&self, post: Post) -> Result<PostOutcome, StoreError> {
        self.post_of(post.action.bytes(), post).await
    }
}

impl Reader {
    /// What a change would answer over the books as they are now. Nothing is written, and what would be made has no
    /// identifier: a number below 1 stands for it.
    pub async fn rehearse(&self, post: Post) -> Result<PostOutcome, StoreError> {
        let post = Arc::new(post);
        self.snapshot(move |unit| {
            let post = Arc::clone(&post);
            Box::pin(async move { rehearse(unit, &post).await })
        })
        .await
    }
}

async fn rehearse(unit: &Unit<'_>, post: &Post) -> Result<PostOutcome, StoreError> {
    let mut shelf = Shelf::default();
    let mut taken = shelf.take(unit, &BTreeSet::from([post.organisation]), false).await?;
    numbers::complete(unit, &mut taken, &[post]).await?;
    let Some(mut books) = taken.remove(&post.organisation) else { return Ok(PostOutcome::Unknown) };
    let today = day_in(&books.organisation.timezone, unit.now_ms);
    let mut facts = facts(unit, &[post], today).await?;
    // A rehearsal consumes no number.
    books.next_journal_number = 0;
    let mut desk = Desk {
        books: &mut books,
        facts: &mut facts,
        identifiers: &mut Identifiers::default(),
        effects: &mut Effects::default(),
        poster: &post.poster,
        now_ms: unit.now_ms,
        today,
        is_rehearsal: true,
    };
    outcome(desk.decide(post))
}

fn outcome(decided: Result<super::ledger::Posted, Stop>) -> Result<PostOutcome, StoreError> {
    match decided {
        Ok(posted) => Ok(PostOutcome::Done(posted)),
        Err(Stop::Refused(refusal)) => Ok(PostOutcome::Refused(refusal)),
        Err(Stop::Unknown) => Ok(PostOutcome::Unknown),
        Err(Stop::Forbidden) => Ok(PostOutcome::Forbidden),
        Err(Stop::Failed(error)) => Err(error),
        Err(Stop::Item(at, stop)) => match *stop {
            Stop::Refused(refusal) => Ok(PostOutcome::RefusedItem(at, refusal)),
            Stop::Unknown => Ok(PostOutcome::UnknownItem(at)),
            other => outcome(Err(other)),
        },
    }
}

/// The books with the writer.
#[derive(Default)]
pub(super) struct Ledger {
    shelf: Shelf,
    identifiers: Identifiers,
    /// What the group under way leaves behind when it is committed.
    pending: Option<Pending>,
}

/// What a group leaves behind when it is committed.
struct Pending {
    books: HashMap<OrganisationId, Shelved>,
    identifiers: Identifiers,
    journals: u64,
}

impl Ledger {
    /// Decides and writes the postings of a group.
    pub(super) async fn run(&mut self, unit: &Unit<'_>, posts: Vec<&mut WaitingPost>) -> Result<(), StoreError> {
        let organisations: BTreeSet<_> = posts.iter().map(|waiting| waiting.post.organisation).collect();
        let mut books = self.shelf.take(unit, &organisations, true).await?;
        let named: Vec<&Post> = posts.iter().map(|waiting| &waiting.post).collect();
        // Zones differ by hours at most, and only what is overdue is asked by this day.
        let zone = books.values().next().map_or("Europe/London", |books| books.organisation.timezone.as_str());
        let mut facts = facts(unit, &named, day_in(zone, unit.now_ms)).await?;
        numbers::complete(unit, &mut books, &named).await?;
        let first_number = journal_numbers(&books);
        let mut identifiers = self.identifiers.clone();
        reserve::reserve(&mut identifiers, unit, &facts, &named).await?;
        let mut effects = Effects::default();
        for waiting in posts {
            let Some(books) = books.get_mut(&waiting.post.organisation) else {
                waiting.outcome = Some(PostOutcome::Unknown);
                continue;
            };
            waiting.outcome = Some(settle(unit, books, &mut facts, &mut identifiers, &mut effects, &waiting.post)?);
        }
        let mut heads = Vec::new();
        for (id, books) in &mut books {
            if std::mem::take(&mut books.organisation_changed) {
                organisation::write(unit, &books.organisation).await?;
            }
            if std::mem::take(&mut books.changed) {
                books.version += 1;
                heads.push((id.0, books.version, books.next_journal_number, books.next_change));
            }
        }
        if !heads.is_empty() {
            if effects.has_previews() {
                previews::forget_old(unit).await?;
            }
            effects.write(unit, &heads).await?;
        }
        let journals = u64::try_from(journal_numbers(&books) - first_number).unwrap_or_default();
        self.pending = Some(Pending { books, identifiers, journals });
        Ok(())
    }

    /// The group is committed: how many journals it posted.
    pub(super) fn keep(&mut self) -> u64 {
        let Some(Pending { books, identifiers, journals }) = self.pending.take() else { return 0 };
        self.shelf.put_back(books);
        self.identifiers = identifiers;
        journals
    }

    /// The group failed: what it took is read again.
    pub(super) fn forget(&mut self) {
        self.pending = None;
    }
}

/// The sum of the numbers the next journals would get: it grows by one with every journal.
fn journal_numbers(books: &HashMap<OrganisationId, Shelved>) -> i64 {
    books.values().map(|books| books.next_journal_number).sum()
}

/// Answers one posting: from what is kept for its key, or by deciding it.
fn settle(
    unit: &Unit<'_>,
    books: &mut Shelved,
    facts: &mut Facts,
    identifiers: &mut Identifiers,
    effects: &mut Effects,
    post: &Post,
) -> Result<PostOutcome, StoreError> {
    let user = post.poster.user_id;
    if let Some(replay) = &post.replay {
        match replay.compare(facts.replays.get(&replay.key_of(user))) {
            Found::Nothing => {}
            Found::Same(stored) => return Ok(PostOutcome::Replayed(stored)),
            Found::Other => return Ok(PostOutcome::Refused(Refusal::IdempotencyKeyReused)),
        }
    }
    let today = day_in(&books.organisation.timezone, unit.now_ms);
    let poster = &post.poster;
    let mut desk = Desk { books, facts, identifiers, effects, poster, now_ms: unit.now_ms, today, is_rehearsal: false };
    let outcome = outcome(desk.decide(post))?;
    if let PostOutcome::Done(posted) = &outcome {
        books.changed = true;
        if let Some(replay) = &post.replay
            && let Some(stored) = replay::keep(effects, unit.now_ms, user, replay, posted)
        {
            facts.replays.insert(replay.key_of(user), stored);
        }
    }
    Ok(outcome)
}
