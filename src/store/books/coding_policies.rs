//! Coding policies: how their rows are read and written, and the query about them.

use std::collections::BTreeSet;

use Column::{Number, Text};

use crate::domain::books::facts::Facts;
use crate::domain::books::records::coding_policy::CodingPolicy;
use crate::domain::ids::OrganisationId;
use crate::store::StoreError;
use crate::store::sql::{Column, Reader, Row, Rows, Unit, json_array, params};

const COLUMNS: &[Column] =
    &[Number("organisation_id"), Number("version"), Text("business_context"), Number("review_below"), Text("rules")];

impl Reader {
    /// The coding policy of an organisation; version 0 when none was ever set.
    pub async fn coding_policy(&self, organisation: OrganisationId) -> Result<CodingPolicy, StoreError> {
        let sql = "select organisation_id, version, business_context, review_below, rules from coding_policy \
                   where organisation_id = $1";
        let row = self.one(sql, params![organisation.0]).await?;
        row.map_or_else(|| Ok(CodingPolicy::default()), |row| read(&row).map(|(_, policy)| policy))
    }
}

fn read(row: &Row) -> Result<(i64, CodingPolicy), StoreError> {
    let rules: String = row.get(4)?;
    let policy = CodingPolicy {
        version: row.get(1)?,
        business_context: row.get(2)?,
        review_below: row.unsigned::<u16>(3)?,
        rules: serde_json::from_str(&rules).map_err(|error| StoreError::Corrupt(error.to_string()))?,
    };
    Ok((row.get(0)?, policy))
}

/// Loads the policies that commands change.
pub(super) async fn load_coding_policies(
    unit: &Unit<'_>,
    organisations: &BTreeSet<i64>,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    if organisations.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "select organisation_id, version, business_context, review_below, rules from coding_policy \
         where organisation_id in {}",
        unit.numbers_of_json()
    );
    for row in unit.all(&sql, params![json_array(organisations)]).await? {
        let (organisation, policy) = read(&row)?;
        facts.coding_policies.loading().insert(organisation, policy);
    }
    Ok(())
}

/// The rows of policies, with their organisation.
pub(super) fn coding_policy_rows<'a>(records: impl Iterator<Item = (&'a i64, &'a CodingPolicy)>) -> Rows {
    let conflict = "on conflict (organisation_id) do update set version = excluded.version, \
                    business_context = excluded.business_context, review_below = excluded.review_below, \
                    rules = excluded.rules";
    let mut rows = Rows::new("coding_policy", COLUMNS, conflict);
    for (organisation, policy) in records {
        // Rules always print.
        let rules = serde_json::to_string(&policy.rules).unwrap_or_default();
        rows.push([
            organisation.into(),
            policy.version.into(),
            (&policy.business_context).into(),
            i64::from(policy.review_below).into(),
            (&rules).into(),
        ]);
    }
    rows
}
