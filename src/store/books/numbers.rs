//! Loads sequences of numbers.

use crate::domain::books::cached_books::CachedBooks;
use crate::domain::books::numbers::{Numbered, Sequences, numbered, prefixes};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::request::CommandRequest;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::numbering::sequence_of;
use crate::store::sql::{Unit, params};
use crate::store::{Reader, StoreError};
use std::collections::{BTreeMap, HashMap};

/// Loads the sequences of an organisation.
pub(super) async fn load(unit: &Unit<'_>, organisation: i64) -> Result<Sequences, StoreError> {
    let sql = "select family, prefix, highest from number_sequence where organisation_id = $1";
    let rows = unit.all(sql, params![organisation]).await?;
    rows.iter().map(|row| Ok(((row.parsed(0, Numbered::parse)?, row.get(1)?), row.unsigned(2)?))).collect()
}

/// Finds the highest number of prefixes that postings will number by for the first time.
pub(super) async fn complete(
    unit: &Unit<'_>,
    books: &mut HashMap<OrganisationId, CachedBooks>,
    posts: &[&CommandRequest],
) -> Result<(), StoreError> {
    for request in posts {
        let Some(books) = books.get_mut(&request.organisation) else { continue };
        for kind in numbered(request) {
            // The prefix may change within the group, by a posting before this one.
            for prefix in prefixes(&books.organisation, kind, posts) {
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
    /// Tells organisations' next invoice numbers.
    pub async fn with_next_numbers<'a>(
        &self,
        organisations: impl IntoIterator<Item = &'a mut OrganisationRecord>,
    ) -> Result<(), StoreError> {
        let mut rows: BTreeMap<i64, &mut OrganisationRecord> =
            organisations.into_iter().map(|row| (row.id.0, row)).collect();
        let ids = serde_json::to_string(&rows.keys().collect::<Vec<_>>()).unwrap_or_default();
        let sql = format!(
            "select organisation_id, prefix, highest from number_sequence where family = $2 and organisation_id in {}",
            self.numbers_of_json()
        );
        for found in self.all(&sql, params![ids, DocumentKind::SalesInvoice.as_str()]).await? {
            let (organisation, prefix): (i64, String) = (found.get(0)?, found.get(1)?);
            if let Some(row) = rows.get_mut(&organisation).filter(|row| row.sales_invoice_prefix == prefix) {
                row.sales_invoice_next_number = found.get::<i64>(2)?.saturating_add(1);
            }
        }
        Ok(())
    }
}
