//! Sequences of document and settlement numbers: how they are loaded, and the queries about them.

use std::collections::{BTreeMap, HashMap};

use crate::domain::books::facts::CachedBooks;
use crate::domain::books::numbers::{Numbered, Sequences, numbered_kinds, prefixes};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::request::CommandRequest;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::issue::sequence_of;
use crate::store::sql::{Unit, json_array, params};
use crate::store::{Reader, StoreError};

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
pub(super) async fn load(unit: &Unit<'_>, organisation: i64) -> Result<Sequences, StoreError> {
    let sql = "select family, prefix, highest from number_sequence where organisation_id = $1";
    let rows = unit.all(sql, params![organisation]).await?;
    rows.iter().map(|row| Ok(((row.parsed(0, Numbered::parse)?, row.get(1)?), row.unsigned(2)?))).collect()
}

/// Finds the highest numbers of prefixes that commands use and that have no sequence yet.
pub(super) async fn load_missing(
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
