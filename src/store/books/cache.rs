//! The cache of books: they are loaded once, locked for a group, and put back when it is committed.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::domain::books::facts::CachedBooks;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::money::Percent;
use crate::domain::ledger::vat::{VatHistory, VatScheme};
use crate::store::StoreError;
use crate::store::books::accounts::{ACCOUNT_COLUMNS, read_account};
use crate::store::books::bank_accounts::{BANK_ACCOUNT_COLUMNS, read_bank_account};
use crate::store::books::numbers;
use crate::store::organisations::organisation_by_id;
use crate::store::sql::{Row, Unit, for_update, json_array, params};

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
        sequences: Arc::new(numbers::load(unit, id.0).await?),
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
