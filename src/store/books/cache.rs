//! What stays in memory between groups: books, which are loaded once, locked for a group and put back when it is committed;
//! their sequences of document numbers; and blocks of identifiers, of which a process takes many at once from `id_block`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::domain::books::facts::CachedBooks;
use crate::domain::books::numbers::{IdSequence, Identifiers, Numbered, Sequences, numbered_kinds, prefixes};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::request::CommandRequest;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::issue::sequence_of;
use crate::domain::ledger::money::Percent;
use crate::domain::ledger::vat::{VatHistory, VatScheme};
use crate::store::books::accounts::{ACCOUNT_COLUMNS, read_account};
use crate::store::books::bank_accounts::{BANK_ACCOUNT_COLUMNS, read_bank_account};
use crate::store::organisations::organisation_by_id;
use crate::store::sql::{Row, Unit, for_update, json_array, params};
use crate::store::{Reader, StoreError};

/// The number of organisations whose books are cached.
const BOOKS_MAX: usize = 256;

/// The books that are cached between groups.
#[derive(Default)]
pub(super) struct BooksCache {
    /// The books, with the number of the commit that used them last.
    books: HashMap<OrganisationId, (u64, CachedBooks)>,
    /// Counts the groups that were committed; the books used longest ago are dropped first.
    commits: u64,
}

impl BooksCache {
    /// Takes the books of these organisations for a group; with `lock`, each is locked against other processes until the
    /// unit ends. Books that are not cached, or that another process has changed since, are loaded. Organisations without
    /// books are left out. Taken books leave the cache: a group that fails puts none back, so that they are loaded again.
    pub(super) async fn take(
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
                None => load(unit, id, version, (head.get(2)?, head.get(3)?)).await?,
            };
            taken.insert(id, books);
        }
        Ok(taken)
    }

    /// Puts books back as a commit left them.
    pub(super) fn put_back(&mut self, books: HashMap<OrganisationId, CachedBooks>) {
        self.commits += 1;
        self.books.extend(books.into_iter().map(|(id, books)| (id, (self.commits, books))));
        while self.books.len() > BOOKS_MAX {
            let oldest = self.books.iter().min_by_key(|(_, (used, _))| *used).map(|(id, _)| *id);
            let Some(oldest) = oldest else { break };
            self.books.remove(&oldest);
        }
    }
}

/// Loads the books of an organisation.
async fn load(
    unit: &Unit<'_>,
    id: OrganisationId,
    version: i64,
    (next_journal_number, next_change): (i64, i64),
) -> Result<CachedBooks, StoreError> {
    let organisation = organisation_by_id(unit, id).await?;
    let mut books = CachedBooks {
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
    let sql = "select from_day, scheme, flat_rate_basis_points from vat_scheme_period where organisation_id = $1";
    let mut schemes = Vec::new();
    for row in unit.all(sql, params![id.0]).await? {
        schemes.push((row.date(0)?, scheme(&row)?));
    }
    books.vat = Arc::new(VatHistory::new(schemes));
    let sql = format!("select {BANK_ACCOUNT_COLUMNS} from bank_account b where b.organisation_id = $1");
    for row in unit.all(&sql, params![id.0]).await? {
        books.put_bank_account(read_bank_account(&row)?);
    }
    Ok(books)
}

/// The VAT scheme of a row.
fn scheme(row: &Row) -> Result<VatScheme, StoreError> {
    let (word, rate): (String, Option<i64>) = (row.get(1)?, row.get(2)?);
    VatScheme::from_parts(&word, rate.map(Percent)).map_err(|_| StoreError::corrupt("vat scheme", word))
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

/// Loads the sequences of an organisation.
async fn load_sequences(unit: &Unit<'_>, organisation: i64) -> Result<Sequences, StoreError> {
    let sql = "select family, prefix, highest from number_sequence where organisation_id = $1";
    let rows = unit.all(sql, params![organisation]).await?;
    rows.iter().map(|row| Ok(((row.parsed(0, Numbered::parse)?, row.get(1)?), row.unsigned(2)?))).collect()
}

/// Finds the highest numbers of prefixes that commands use and that have no sequence yet.
pub(super) async fn load_missing_sequences(
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

/// Ensures that the block of a sequence holds as many identifiers as needed; a block that holds fewer is replaced.
pub(super) async fn reserve(
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
pub(super) async fn take_ahead(identifiers: &mut Identifiers, unit: &Unit<'_>) -> Result<(), StoreError> {
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
