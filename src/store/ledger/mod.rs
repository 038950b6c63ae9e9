//! The books: postings of a group are decided together over facts loaded once, and written together.
//!
//! A group first takes the books of its organisations (locked against other processes), then loads what its postings
//! name with one query a table, decides them one after another in memory by the rules of `domain::ledger`, and writes
//! what all of them change in one hand-over. A refused posting has written nothing. The books taken are put back once the
//! group is committed, and forgotten when it fails.

mod accounts;
mod bank_accounts;
mod bank_transactions;
mod change_rows;
mod changes;
mod check;
mod contacts;
mod decide;
mod decide_bank;
mod decide_confirm;
mod effects;
mod facts;
mod ids;
mod import_rows;
mod imports;
mod journals;
mod opening;
mod organisation;
mod post;
mod previews;
mod query;
mod record_rows;
mod replay;
mod rows;
mod shelf;
mod told;
mod total_rows;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use self::decide::{Desk, Stop};
use self::effects::Effects;
use self::facts::{Facts, facts};
use self::ids::{Identifiers, Kind};
use self::replay::Found;
use self::shelf::{Shelf, Shelved};
use super::sql::Unit;
use super::writer::Writer;
use super::{Reader, StoreError};
use crate::domain::calendar::day_in;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::refusal::Refusal;

pub use accounts::{AccountFilter, AccountRow, AccountView};
pub use bank_accounts::{BankAccountDetails, BankAccountField, BankAccountRow, BankAccountView};
pub use bank_transactions::{BankLine, BankTransactionFilter, BankTransactionRow};
pub use change_rows::{ChangeRow, Changes, Since};
pub(super) use check::RULES;
pub use contacts::{CisDetails, ContactDetails, ContactField, ContactFilter, ContactRow, ContactView};
pub use decide_bank::BankSuggestion;
pub use import_rows::ImportRow;
pub use imports::{ImportConfirmation, ImportEntries, ImportEntry, RowResult, RowStatus};
pub use journals::{AccountHistory, HistoryLine, JournalFilter, JournalLineView, JournalView};
pub use opening::{AccountName, OpeningEntry, OpeningPreview, OpeningPreviewLine, OpeningSet};
pub use organisation::{CreateOrganisation, LockChange, OrganisationChange, OrganisationCreated, OrganisationField};
pub(super) use post::WaitingPost;
pub use post::{
    Action, BankImport, BankRow, Confirmation, ImportedRow, LedgerAccount, Post, PostOutcome, Posted, Poster,
    PrintAnswer, Replay,
};
pub use previews::{NewPreview, Purpose};

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
    };
    outcome(desk.decide(post))
}

fn outcome(decided: Result<super::ledger::Posted, Stop>) -> Result<PostOutcome, StoreError> {
    match decided {
        Ok(posted) => Ok(PostOutcome::Done(posted)),
        Err(Stop::Refused(refusal)) => Ok(PostOutcome::Refused(refusal)),
        Err(Stop::Invalid(issues)) => Ok(PostOutcome::Invalid(issues)),
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
    pending: Option<(HashMap<OrganisationId, Shelved>, Identifiers)>,
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
        let mut identifiers = self.identifiers.clone();
        reserve(&mut identifiers, unit, &facts, &named).await?;
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
        self.pending = Some((books, identifiers));
        Ok(())
    }

    /// The group is committed.
    pub(super) fn keep(&mut self) {
        if let Some((books, identifiers)) = self.pending.take() {
            self.shelf.put_back(books);
            self.identifiers = identifiers;
        }
    }

    /// The group failed: what it took is read again.
    pub(super) fn forget(&mut self) {
        self.pending = None;
    }
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
    let mut desk = Desk { books, facts, identifiers, effects, poster: &post.poster, now_ms: unit.now_ms, today };
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

/// Sees to it that every posting finds the identifiers it may need.
async fn reserve(
    identifiers: &mut Identifiers,
    unit: &Unit<'_>,
    facts: &Facts,
    posts: &[&Post],
) -> Result<(), StoreError> {
    // In one order everywhere, so that two processes never wait for each other.
    let mut wanted: BTreeMap<Kind, i64> = BTreeMap::new();
    for action in posts.iter().flat_map(|post| post.action.parts()) {
        let mut want = |kind, count| *wanted.entry(kind).or_default() += count;
        match action {
            Action::LockPeriod { .. } => want(Kind::PeriodLockChange, 1),
            Action::CreateAccount(_) => want(Kind::Account, 1),
            Action::CreateContact { .. } => want(Kind::Contact, 1),
            Action::PostJournal(journal) => {
                let lines = i64::try_from(journal.lines.len()).unwrap_or(i64::MAX);
                want(Kind::Journal, 1);
                // Each line may be split into net and VAT.
                want(Kind::JournalLine, lines.saturating_mul(2));
                want(Kind::VatEntry, lines);
            }
            Action::VoidJournal { id, .. } => {
                let lines = facts.journals.get(id).map_or(0, |journal| journal.view.lines.len());
                let lines = i64::try_from(lines).unwrap_or(i64::MAX);
                want(Kind::Journal, 1);
                want(Kind::JournalLine, lines);
                want(Kind::VatEntry, lines);
            }
            Action::CreateBankAccount { .. } => {
                want(Kind::BankAccount, 1);
                want(Kind::Account, 1);
            }
            Action::CreateBankTransaction { .. } => want(Kind::BankTransaction, 1),
            Action::ImportBankTransactions(import) => {
                want(Kind::BankTransaction, i64::try_from(import.rows.len()).unwrap_or(i64::MAX));
                want(Kind::BankImport, 1);
            }
            Action::Confirm { items, .. } => {
                for (id, confirmation) in items {
                    let saved = facts.transactions.get(id).map_or(0, |(_, row)| row.lines.len());
                    let lines = match confirmation {
                        Confirmation::Coded(coding) => coding.lines.len(),
                        _ => saved,
                    };
                    let lines = i64::try_from(lines).unwrap_or(i64::MAX);
                    want(Kind::Journal, 1);
                    // The bank, each part, and the VAT of all of them.
                    want(Kind::JournalLine, lines.saturating_add(2));
                    want(Kind::VatEntry, lines);
                }
            }
            Action::Unconfirm { id } => {
                let journal = facts.transactions.get(id).and_then(|(_, row)| row.journal_id);
                let loaded = journal.and_then(|journal| facts.journals.get(&journal));
                let lines = loaded.map_or(0, |journal| journal.view.lines.len());
                let lines = i64::try_from(lines).unwrap_or(i64::MAX);
                want(Kind::Journal, 1);
                want(Kind::JournalLine, lines);
                want(Kind::VatEntry, lines);
            }
            Action::SetOpening { entry, .. } => {
                let lines = entry.as_ref().map_or(0, |entry| entry.lines.len());
                let standing = facts.opening_journals.values().filter_map(|id| facts.journals.get(id));
                let voided: usize = standing.map(|journal| journal.view.lines.len()).sum();
                want(Kind::Journal, 2);
                want(Kind::JournalLine, i64::try_from(lines + 1 + voided).unwrap_or(i64::MAX));
                want(Kind::PeriodLockChange, 1);
            }
            Action::PreviewImport { .. } => want(Kind::Import, 1),
            Action::PreviewOpening { .. }
            | Action::ConfirmImport(_)
            | Action::PatchBankAccount { .. }
            | Action::ArchiveBankAccount { .. }
            | Action::PatchBankTransaction { .. }
            | Action::DeleteBankTransaction { .. }
            | Action::ExcludeBankTransaction { .. }
            | Action::PatchOrganisation(_)
            | Action::PatchAccount { .. }
            | Action::ArchiveAccount { .. }
            | Action::PatchContact { .. }
            | Action::ArchiveContact { .. }
            | Action::DeleteContact { .. } => {}
        }
    }
    for (kind, count) in wanted {
        identifiers.reserve(unit, kind, count).await?;
    }
    Ok(())
}
