//! The books: the commands of a group are decided together over facts loaded once, and written together.
//!
//! A group first takes the books of its organisations (locked against other processes), then prefetches what its commands
//! refer to with one query a table (`load::facts`), executes them one after another in memory (`domain::books::decide`), and
//! writes what all of them change in one statement a table (`write::write`). A refused command has written nothing. The books
//! are returned to the cache once the group is committed, and read again when it fails.
//!
//! [`BooksWriter`] runs a group, then keeps its state when it is committed or drops it; a dry run decides one command over a
//! snapshot. What stays in memory between groups: books, which are loaded once, locked for a group and put back when it is committed;
//! their sequences of document numbers; and blocks of identifiers, of which a process takes many at once from `id_block`.

mod account_history;
mod accounts;
mod allocations;
mod bank_accounts;
mod bank_book;
mod bank_transactions;
mod cash;
mod changes;
mod check;
mod check_contacts;
mod check_documents;
mod check_settlements;
mod coding_policies;
mod conditions;
mod contact_report_rows;
mod contact_totals;
mod contacts;
mod documents;
mod emails;
mod entry_rows;
mod financial_years;
mod imports;
mod journal_list;
mod journals;
mod lists;
mod load;
mod load_bank;
mod match_candidates;
mod organisation;
mod previews;
mod record_rows;
mod replays;
mod report_rows;
mod settlements;
mod status;
pub(super) mod suggestions;
mod totals;
mod vat_adjustments;
mod vat_return_rows;
mod vat_returns;
mod vat_totals;
mod write;
mod write_offs;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::IgnoredAny;
use tokio::sync::oneshot;

use crate::domain::books::command::BooksCommand;
use crate::domain::books::decide::{BooksTransaction, Rejection};
use crate::domain::books::effects::Effects;
use crate::domain::books::facts::{CachedBooks, Facts};
use crate::domain::books::idempotency::{ReplayLookup, store_answer};
use crate::domain::books::numbers::{IdSequence, Identifiers, Numbered, Sequences, numbered_kinds, prefixes};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::request::{CommandOutcome, CommandRequest, CommandResult};
use crate::domain::date::date_in;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::issue::sequence_of;
use crate::domain::ledger::refusal::Refusal;
use crate::store::books::accounts::{ACCOUNT_COLUMNS, read_account};
use crate::store::books::bank_accounts::{BANK_ACCOUNT_COLUMNS, read_bank_account};
use crate::store::epochs::Topic;
use crate::store::organisations::organisation_by_id;
use crate::store::sql::{Unit, for_update, json_array, params};
use crate::store::writer::Writer;
use crate::store::{Reader, StoreError};

pub use previews::ToolPreview;
pub use report_rows::Snapshot;
pub use suggestions::PastNames;

pub(super) use check::RULES;
pub(super) use check_contacts::CONTACT_RULES;
pub(super) use check_documents::DOCUMENT_RULES;
pub(super) use check_settlements::SETTLEMENT_RULES;
pub(super) use emails::{EMAIL_COLUMNS, EMAIL_COLUMNS_COUNT, read_email};

/// The writer's part for the books: it decides and writes the commands of a group.
#[derive(Default)]
pub(super) struct BooksWriter {
    cache: BooksCache,
    identifiers: Identifiers,
    /// The group that is written but not committed yet.
    pending: Option<Group>,
}

/// A command with the caller who waits for its answer.
pub(super) struct WaitingCommand {
    request: CommandRequest,
    outcome: Option<CommandOutcome>,
    caller: oneshot::Sender<Result<CommandOutcome, StoreError>>,
}

impl WaitingCommand {
    /// A command that is not decided yet.
    pub(super) fn new(request: CommandRequest, caller: oneshot::Sender<Result<CommandOutcome, StoreError>>) -> Self {
        Self { request, outcome: None, caller }
    }

    /// Answers the caller once the group is committed or has failed.
    pub(super) fn answer(self: Box<Self>, outcome: Result<(), StoreError>) {
        let Self { outcome: decided, caller, .. } = *self;
        let missing = || StoreError::Other("the command was not decided".to_owned());
        // The caller may have gone; the change is committed all the same.
        let _ = caller.send(outcome.and_then(|()| decided.ok_or_else(missing)));
    }
}

/// The state of a group while it is decided.
struct Group {
    books: HashMap<OrganisationId, CachedBooks>,
    facts: Facts,
    identifiers: Identifiers,
    effects: Effects,
    now_ms: i64,
    served_ms: i64,
}

impl Writer {
    /// Changes the books; the answer comes after its commit.
    pub async fn execute(&self, request: CommandRequest) -> Result<CommandOutcome, StoreError> {
        self.command_of(request.command.bytes(), request).await
    }
}

impl Reader {
    /// What a command would answer over the books as they are now. Nothing is written, and new records have provisional
    /// identifiers: numbers below 1.
    pub async fn dry_run(&self, request: CommandRequest) -> Result<CommandOutcome, StoreError> {
        let (request, recent) = (Arc::new(request), self.shared().recent_books.clone());
        self.snapshot(move |unit| {
            let (request, recent) = (Arc::clone(&request), recent.clone());
            Box::pin(async move { dry_run(unit, &request, &recent).await })
        })
        .await
    }
}

impl BooksWriter {
    /// Decides and writes the commands of a group.
    pub(super) async fn run(
        &mut self,
        unit: &Unit<'_>,
        mut waiting: Vec<&mut WaitingCommand>,
    ) -> Result<(), StoreError> {
        let organisations: BTreeSet<_> = waiting.iter().map(|one| one.request.organisation).collect();
        let mut books = self.cache.take(unit, &organisations, true).await?;
        let requests: Vec<&CommandRequest> = waiting.iter().map(|one| &one.request).collect();
        // Time zones differ by hours at most, and only overdue amounts depend on this day.
        let zone = books.values().next().map_or("Europe/London", |books| books.organisation.timezone.as_str());
        let facts = load::facts(unit, &requests, date_in(zone, unit.now_ms)).await?;
        load_missing_sequences(unit, &mut books, &requests).await?;
        let mut identifiers = self.identifiers.clone();
        take_ahead(&mut identifiers, unit).await?;
        take_planned(&mut identifiers, unit, (&requests, &facts)).await?;
        let (now_ms, served_ms) = (unit.now_ms, unit.served_ms());
        let mut group = Group { books, facts, identifiers, effects: Effects::default(), now_ms, served_ms };
        group.decide(unit, &mut waiting).await?;
        let mut heads = Vec::new();
        for (id, books) in &mut group.books {
            if std::mem::take(&mut books.organisation_changed) {
                let epoch = unit.bump(Topic::Memberships).await?;
                Arc::make_mut(&mut books.organisation).changed_epoch = epoch;
                organisation::write(unit, &books.organisation).await?;
            }
            if std::mem::take(&mut books.changed) {
                books.version += 1;
                heads.push((id.0, books.version, books.next_journal_number, books.next_change));
            }
        }
        if !heads.is_empty() {
            if group.effects.preview_hashes().any(previews::clears_up) {
                previews::delete_expired(unit).await?;
            }
            write::write(unit, &group.effects, (&group.facts, &group.books), &heads).await?;
        }
        self.pending = Some(group);
        Ok(())
    }

    /// Keeps the state of the group once it is committed, also for dry runs; returns how many journals it posted.
    pub(super) fn keep(&mut self, recent: &RecentBooks) -> u64 {
        let Some(group) = self.pending.take() else { return 0 };
        recent.renew(&group.books);
        self.cache.put_back(group.books);
        self.identifiers = group.identifiers;
        group.effects.journals()
    }

    /// Drops the state of a group that failed: its books are loaded again when they are needed.
    pub(super) fn forget(&mut self) {
        self.pending = None;
    }
}

impl Group {
    /// Decides every command in order. When the blocks of identifiers did not hold enough, it takes as many as the
    /// commands used and decides them once more.
    async fn decide(&mut self, unit: &Unit<'_>, waiting: &mut [&mut WaitingCommand]) -> Result<(), StoreError> {
        let (books, facts, effects) = (self.books.clone(), self.facts.mark(), self.effects.mark());
        let mut identifiers = self.identifiers.clone();
        self.decide_all(waiting)?;
        if !self.identifiers.has_provisional() {
            return Ok(());
        }
        for (sequence, used) in self.identifiers.used() {
            reserve(&mut identifiers, unit, sequence, used).await?;
        }
        self.books = books;
        self.facts.undo_to(facts);
        self.effects.undo_to(effects);
        self.identifiers = identifiers;
        self.decide_all(waiting)?;
        if self.identifiers.has_provisional() {
            return Err(StoreError::Other("deciding a group again took more identifiers".to_owned()));
        }
        Ok(())
    }

    /// Decides every command once.
    fn decide_all(&mut self, waiting: &mut [&mut WaitingCommand]) -> Result<(), StoreError> {
        self.identifiers.start_counting();
        for one in waiting {
            one.outcome = Some(self.answer_command(&one.request)?);
        }
        Ok(())
    }

    /// Answers one command: with the answer stored under its `Idempotency-Key`, or by deciding it.
    fn answer_command(&mut self, request: &CommandRequest) -> Result<CommandOutcome, StoreError> {
        let Some(books) = self.books.get_mut(&request.organisation) else { return Ok(CommandOutcome::Unknown) };
        let user = request.actor.user_id;
        if let Some(replay) = &request.replay {
            match replay.compare(self.facts.replays.get(&replay.key_of(user))) {
                ReplayLookup::Nothing => {}
                ReplayLookup::Same(stored) => return Ok(CommandOutcome::Replayed(stored)),
                ReplayLookup::Other => return Ok(CommandOutcome::Refused(Refusal::IdempotencyKeyReused)),
            }
        }
        let today = date_in(&books.organisation.timezone, self.now_ms);
        let mut transaction = BooksTransaction {
            books,
            facts: &mut self.facts,
            identifiers: &mut self.identifiers,
            effects: &mut self.effects,
            actor: &request.actor,
            now_ms: self.now_ms,
            today,
            is_dry_run: false,
            is_plan: false,
        };
        let outcome = outcome(transaction.decide(request))?;
        if let CommandOutcome::Done(result) = &outcome {
            books.changed = true;
            let scope = (request.organisation.0, user);
            if let Some(replay) = &request.replay
                && let Some(stored) =
                    store_answer(&mut self.effects, (self.now_ms, self.served_ms), scope, replay, result)
            {
                self.facts.replays.insert(replay.key_of(user), stored);
            }
        }
        Ok(outcome)
    }
}

/// Decides a command over a snapshot.
async fn dry_run(
    unit: &Unit<'_>,
    request: &CommandRequest,
    recent: &RecentBooks,
) -> Result<CommandOutcome, StoreError> {
    let mut cache = recent.only(request.organisation);
    let mut taken = cache.take(unit, &BTreeSet::from([request.organisation]), false).await?;
    recent.keep(taken.clone());
    load_missing_sequences(unit, &mut taken, &[request]).await?;
    let Some(mut books) = taken.remove(&request.organisation) else { return Ok(CommandOutcome::Unknown) };
    let today = date_in(&books.organisation.timezone, unit.now_ms);
    let mut facts = load::facts(unit, &[request], today).await?;
    // A dry run consumes no number.
    books.next_journal_number = 0;
    let mut transaction = BooksTransaction {
        books: &mut books,
        facts: &mut facts,
        identifiers: &mut Identifiers::default(),
        effects: &mut Effects::default(),
        actor: &request.actor,
        now_ms: unit.now_ms,
        today,
        is_dry_run: true,
        is_plan: false,
    };
    outcome(transaction.decide(request))
}

/// The answer to a command that was decided.
fn outcome(decided: Result<CommandResult, Rejection>) -> Result<CommandOutcome, StoreError> {
    decided.map(CommandOutcome::Done).or_else(|rejection| rejection.into_outcome().map_err(StoreError::Corrupt))
}

/// The number of organisations whose books are cached.
const BOOKS_MAX: usize = 256;

/// The books that are cached between groups.
#[derive(Default)]
struct BooksCache {
    /// The books, with the number of the commit that used them last.
    books: HashMap<OrganisationId, (u64, CachedBooks)>,
    /// Counts the groups that were committed; the books used longest ago are dropped first.
    commits: u64,
}

impl BooksCache {
    /// Takes the books of these organisations for a group; with `lock`, each is locked against other processes until the
    /// unit ends. Books that are not cached, or that another process has changed since, are loaded. Organisations without
    /// books are left out. Taken books leave the cache: a group that fails puts none back, so that they are loaded again.
    async fn take(
        &mut self,
        unit: &Unit<'_>,
        organisations: &BTreeSet<OrganisationId>,
        lock: bool,
    ) -> Result<HashMap<OrganisationId, CachedBooks>, StoreError> {
        let ids = json_array(organisations.iter().map(|id| id.0));
        // In one order everywhere, so that two processes never wait for each other.
        let sql = format!(
            "select organisation_id, version, next_journal_number, next_change from books where organisation_id in {} \
             order by organisation_id{}",
            unit.numbers_of_json(),
            if lock { for_update(unit.backend) } else { "" }
        );
        let heads = unit.all(&sql, params![ids]).await?;
        let mut taken = HashMap::with_capacity(heads.len());
        for head in &heads {
            let (id, version) = (OrganisationId(head.get(0)?), head.get::<i64>(1)?);
            let cached = self.books.remove(&id).filter(|(_, cached)| cached.version == version);
            let books = match cached {
                Some((_, cached)) => cached,
                None => load_books(unit, id, version, (head.get(2)?, head.get(3)?)).await?,
            };
            taken.insert(id, books);
        }
        Ok(taken)
    }

    /// Puts books back as a commit left them.
    fn put_back(&mut self, books: HashMap<OrganisationId, CachedBooks>) {
        self.commits += 1;
        self.books.extend(books.into_iter().map(|(id, books)| (id, (self.commits, books))));
        while self.books.len() > BOOKS_MAX {
            let oldest = self.books.iter().min_by_key(|(_, (used, _))| *used).map(|(id, _)| *id);
            let Some(oldest) = oldest else { break };
            self.books.remove(&oldest);
        }
    }
}

/// The books that dry runs loaded last, as later commits of this process left them. Whoever takes them compares their version
/// with that of the snapshot.
#[derive(Clone, Default)]
pub(super) struct RecentBooks(Arc<Mutex<BooksCache>>);

impl RecentBooks {
    /// A cache with the books of one organisation.
    fn only(&self, organisation: OrganisationId) -> BooksCache {
        let recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = recent.books.get(&organisation).map(|known| (organisation, known.clone()));
        BooksCache { books: known.into_iter().collect(), commits: 0 }
    }

    /// Keeps books that were loaded, unless a commit left newer ones meanwhile.
    fn keep(&self, mut books: HashMap<OrganisationId, CachedBooks>) {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        books.retain(|id, books| recent.books.get(id).is_none_or(|(_, known)| known.version <= books.version));
        recent.put_back(books);
    }

    /// Replaces the books that are known by what a commit made of them.
    fn renew(&self, committed: &HashMap<OrganisationId, CachedBooks>) {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (id, books) in committed {
            if let Some((_, known)) = recent.books.get_mut(id).filter(|(_, known)| known.version <= books.version) {
                *known = books.clone();
            }
        }
    }
}

/// Loads the books of an organisation.
async fn load_books(
    unit: &Unit<'_>,
    id: OrganisationId,
    version: i64,
    (next_journal_number, next_change): (i64, i64),
) -> Result<CachedBooks, StoreError> {
    let organisation = organisation_by_id(unit, id).await?;
    let years = organisation::load_financial_years(unit, id).await?;
    let mut books = CachedBooks {
        years: Arc::new(years),
        version,
        next_journal_number,
        next_change,
        sequences: Arc::new(load_sequences(unit, id.0).await?),
        ..CachedBooks::new(organisation)
    };
    let sql = format!("select {ACCOUNT_COLUMNS} from account a where a.organisation_id = $1");
    for row in unit.all(&sql, params![id.0]).await? {
        books.put_account(read_account(&row)?);
    }
    books.vat = Arc::new(organisation::load_vat_schemes(unit, id).await?);
    let sql = format!("select {BANK_ACCOUNT_COLUMNS} from bank_account b where b.organisation_id = $1");
    for row in unit.all(&sql, params![id.0]).await? {
        books.put_bank_account(read_bank_account(&row)?);
    }
    Ok(books)
}

/// Loads the sequences of an organisation.
async fn load_sequences(unit: &Unit<'_>, organisation: i64) -> Result<Sequences, StoreError> {
    let sql = "select family, prefix, highest from number_sequence where organisation_id = $1";
    let rows = unit.all(sql, params![organisation]).await?;
    rows.iter().map(|row| Ok(((row.parsed(0, Numbered::parse)?, row.get(1)?), row.unsigned(2)?))).collect()
}

/// Finds the highest numbers of prefixes that commands use and that have no sequence yet.
async fn load_missing_sequences(
    unit: &Unit<'_>,
    books: &mut HashMap<OrganisationId, CachedBooks>,
    requests: &[&CommandRequest],
) -> Result<(), StoreError> {
    for request in requests {
        let Some(books) = books.get_mut(&request.organisation) else { continue };
        for kind in numbered_kinds(request) {
            // A command of the same group may change the prefix before this one.
            for prefix in prefixes(&books.organisation, kind, requests) {
                let key = (Numbered::Documents(kind), prefix);
                if !books.sequences.contains_key(&key) {
                    let highest = highest(unit, request.organisation, kind, &key.1).await?;
                    books.put_sequence(key.0, &key.1, highest);
                }
            }
        }
    }
    Ok(())
}

/// The highest number that documents have under a prefix.
async fn highest(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    kind: DocumentKind,
    prefix: &str,
) -> Result<u64, StoreError> {
    let sql = "select number from document where organisation_id = $1 and kind = $2 and stage <> 'draft' \
               and number is not null and substr(number, 1, cast($3 as integer)) = $4";
    let length = i64::try_from(prefix.chars().count()).unwrap_or(i64::MAX);
    let mut highest = 0;
    for row in unit.all(sql, params![organisation.0, kind.as_str(), length, prefix]).await? {
        highest = highest.max(sequence_of(prefix, &row.get::<String>(0)?).unwrap_or(0));
    }
    Ok(highest)
}

impl Reader {
    /// Sets the next invoice numbers of organisations.
    pub async fn with_next_numbers<'a>(
        &self,
        organisations: impl IntoIterator<Item = &'a mut OrganisationRecord>,
    ) -> Result<(), StoreError> {
        let mut rows: BTreeMap<i64, &mut OrganisationRecord> =
            organisations.into_iter().map(|row| (row.id.0, row)).collect();
        let ids = json_array(rows.keys());
        let sql = format!(
            "select organisation_id, prefix, highest from number_sequence where family = $2 and organisation_id in {}",
            self.numbers_of_json()
        );
        for sequence in self.all(&sql, params![ids, DocumentKind::SalesInvoice.as_str()]).await? {
            let (organisation, prefix): (i64, String) = (sequence.get(0)?, sequence.get(1)?);
            if let Some(row) = rows.get_mut(&organisation).filter(|row| row.sales_invoice_prefix == prefix) {
                row.sales_invoice_next_number = sequence.get::<i64>(2)?.saturating_add(1);
            }
        }
        Ok(())
    }
}

/// Ensures that the block of a sequence holds as many identifiers as needed; a block that holds fewer is replaced.
async fn reserve(
    identifiers: &mut Identifiers,
    unit: &Unit<'_>,
    sequence: IdSequence,
    needed: i64,
) -> Result<(), StoreError> {
    if identifiers.left(sequence) >= needed {
        return Ok(());
    }
    take_block(identifiers, unit, sequence, sequence.block_for(needed)).await
}

/// Takes new blocks before a group is decided, for the sequences of which the group before used many.
async fn take_ahead(identifiers: &mut Identifiers, unit: &Unit<'_>) -> Result<(), StoreError> {
    let used: Vec<_> = identifiers.used().collect();
    for (sequence, used) in used {
        if let Some(size) = sequence.ahead_of(used)
            && identifiers.left(sequence) < used.saturating_add(used / 4)
        {
            take_block(identifiers, unit, sequence, size).await?;
        }
    }
    Ok(())
}

/// Takes as many identifiers as the previews of the plans used that are to be carried out, so that these are decided once.
async fn take_planned(
    identifiers: &mut Identifiers,
    unit: &Unit<'_>,
    (requests, facts): (&[&CommandRequest], &Facts),
) -> Result<(), StoreError> {
    let mut planned: BTreeMap<String, i64> = BTreeMap::new();
    for request in requests {
        let BooksCommand::CommitPlan(plan) = &request.command else { continue };
        let row = facts.previews.get(&plan.token_hash).filter(|row| row.used_at_ms.is_none());
        let Some(outline) = row.and_then(|row| row.outline.as_deref()) else { continue };
        let previewed: Result<(IgnoredAny, BTreeMap<String, i64>), _> = serde_json::from_str(outline);
        let (_, used) = previewed.map_err(|error| StoreError::Corrupt(format!("the outline of a plan: {error}")))?;
        for (name, used) in used {
            *planned.entry(name).or_default() += used;
        }
    }
    for sequence in IdSequence::ALL {
        if let Some(used) = planned.get(sequence.name()) {
            reserve(identifiers, unit, sequence, *used).await?;
        }
    }
    Ok(())
}

/// Takes a block of identifiers from the database.
async fn take_block(
    identifiers: &mut Identifiers,
    unit: &Unit<'_>,
    sequence: IdSequence,
    size: i64,
) -> Result<(), StoreError> {
    let sql = "update id_block set next = next + $2 where name = $1 returning next";
    let row = unit.one(sql, params![sequence.name(), size]).await?;
    let end: i64 = row.ok_or_else(|| StoreError::corrupt("missing id_block", sequence.name()))?.get(0)?;
    identifiers.replace_block(sequence, end - size, end);
    Ok(())
}
