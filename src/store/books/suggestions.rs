//! Suggestions for lines of statements: which lines wait for one, the past that the engine learns from, which lines have one,
//! and how those that a job found are written in the unit that ends it.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::oneshot;

use super::bank_transactions::{BANK_TRANSACTION_COLUMNS, read_bank_transaction};
use super::conditions::Conditions;
use super::{BooksWriter, WaitingCommand};
use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::statement_line::{StatementLinePart, StatementLineRecord};
use crate::domain::books::request::{Actor, CommandOutcome, CommandRequest, CommandResult};
use crate::domain::caller::Role;
use crate::domain::coding_session::PastCoding;
use crate::domain::date::Date;
use crate::domain::ids::{ConnectionId, GrantId, OrganisationId, UserId};
use crate::domain::ledger::money::Money;
use crate::domain::suggestions::{FoundSuggestions, SuggestFilter, SuggestionsWritten};
use crate::store::StoreError;
use crate::store::sql::{Reader, Unit, for_update, json_array, params};

/// What lines of the past are named by.
pub struct PastNames<'a> {
    /// The codes of accounts, by account.
    pub codes: &'a HashMap<i64, String>,
    /// How lines to be coded name their bank account, by bank account.
    pub banks: &'a HashMap<i64, String>,
}

impl Reader {
    /// The oldest lines that wait for a suggestion, at most so many, and how many there are. Named lines come whatever their
    /// state, so that the caller can be told.
    pub async fn lines_to_suggest(
        &self,
        organisation: OrganisationId,
        filter: &SuggestFilter,
        limit: usize,
    ) -> Result<(Vec<StatementLineRecord>, i64), StoreError> {
        let mut conditions = Conditions::new("t.organisation_id = $1", organisation.0);
        match &filter.lines {
            Some(lines) => {
                let among = self.numbers_of_json().replace("$1", "{}");
                conditions.and(&format!("t.id in {among}"), json_array(lines));
            }
            None => conditions.and_plain("t.status = 'unconfirmed'"),
        }
        conditions.and_if("t.bank_account_id = {}", filter.bank_account_id);
        conditions.and_if("t.day >= {}", filter.from_date.map(i64::from));
        conditions.and_if("t.day <= {}", filter.to_date.map(i64::from));
        let from = format!("from bank_transaction t where {}", conditions.text());
        let sql = format!("select {BANK_TRANSACTION_COLUMNS} {from} order by t.day, t.id limit {limit}");
        let rows = self.all(&sql, conditions.values()).await?;
        let count = self.one(&format!("select count(*) {from}"), conditions.values()).await?;
        let count = count.map_or(Ok(0), |row| row.get(0))?;
        Ok((rows.iter().map(read_bank_transaction).collect::<Result<_, _>>()?, count))
    }

    /// Lines that were coded to one account and bills of one account from a day on, the latest first, at most so many.
    pub async fn past_codings(
        &self,
        organisation: OrganisationId,
        from: Date,
        names: &PastNames<'_>,
        limit: usize,
    ) -> Result<Vec<PastCoding>, StoreError> {
        let mut past = self.past_lines(organisation, from, names, limit).await?;
        past.extend(self.past_bills(organisation, from, names, limit).await?);
        past.sort_by_key(|one| Reverse(one.date));
        past.truncate(limit);
        Ok(past)
    }

    async fn past_lines(
        &self,
        organisation: OrganisationId,
        from: Date,
        names: &PastNames<'_>,
        limit: usize,
    ) -> Result<Vec<PastCoding>, StoreError> {
        let sql = format!(
            "select t.day, t.amount, t.description, t.merchant, t.lines, t.bank_account_id from bank_transaction t \
             where t.organisation_id = $1 and t.kind = 'coded' and t.day >= $2 order by t.day desc, t.id desc limit {limit}"
        );
        let mut past = Vec::new();
        for row in self.all(&sql, params![organisation.0, i64::from(from)]).await? {
            let lines: String = row.get(4)?;
            let lines: Vec<StatementLinePart> =
                serde_json::from_str(&lines).map_err(|error| StoreError::Corrupt(error.to_string()))?;
            // Of a line on several accounts none is its payee's.
            let [line] = lines.as_slice() else { continue };
            let Some(account_code) = names.codes.get(&line.account_id) else { continue };
            past.push(PastCoding {
                description: row.get(2)?,
                account_code: account_code.clone(),
                date: row.date(0)?,
                amount: Money(row.get(1)?),
                merchant: row.get(3)?,
                vat_code: Some(line.vat_code.clone()),
                bank_account: names.banks.get(&row.get::<i64>(5)?).cloned(),
            });
        }
        Ok(past)
    }

    async fn past_bills(
        &self,
        organisation: OrganisationId,
        from: Date,
        names: &PastNames<'_>,
        limit: usize,
    ) -> Result<Vec<PastCoding>, StoreError> {
        let sql = format!(
            "select d.day, d.net + d.vat, c.name, min(l.account_id), min(l.vat_code), max(l.vat_code) from document d \
             join contact c on c.id = d.contact_id join document_line l on l.document_id = d.id \
             where d.organisation_id = $1 and d.kind = 'purchase_invoice' and d.stage = 'issued' and not d.opening \
             and d.day >= $2 group by d.id, d.day, d.net, d.vat, c.name \
             having min(l.account_id) = max(l.account_id) order by d.day desc, d.id desc limit {limit}"
        );
        let mut past = Vec::new();
        for row in self.all(&sql, params![organisation.0, i64::from(from)]).await? {
            let Some(account_code) = names.codes.get(&row.get::<i64>(3)?) else { continue };
            let (first, last): (String, String) = (row.get(4)?, row.get(5)?);
            past.push(PastCoding {
                description: row.get(2)?,
                account_code: account_code.clone(),
                date: row.date(0)?,
                amount: Money(-row.get::<i64>(1)?),
                merchant: None,
                vat_code: Some(first).filter(|first| *first == last),
                bank_account: None,
            });
        }
        Ok(past)
    }

    /// The oldest unconfirmed lines with a suggestion, at most so many, and how many are left. Of more than that, those whose
    /// suggestion is sure enough come before the others, so that asking again always gets further.
    pub async fn suggested_lines(
        &self,
        organisation: OrganisationId,
        bank_account_id: Option<i64>,
        min_confidence: u16,
        limit: usize,
    ) -> Result<(Vec<i64>, i64), StoreError> {
        let mut conditions = Conditions::new("t.organisation_id = $1", organisation.0);
        conditions.and_plain("t.status = 'unconfirmed'");
        conditions.and_plain("t.suggestion is not null");
        conditions.and_if("t.bank_account_id = {}", bank_account_id);
        let from = format!("from bank_transaction t where {}", conditions.text());
        let count = self.one(&format!("select count(*) {from}"), conditions.values()).await?;
        let count: i64 = count.map_or(Ok(0), |row| row.get(0))?;
        let sql = format!(
            "select t.day, t.id {from} order by case when t.suggested_confidence >= {min_confidence} then 0 else 1 end, \
             t.day, t.id limit {limit}"
        );
        let rows = self.all(&sql, conditions.values()).await?;
        let mut lines: Vec<(i64, i64)> =
            rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect::<Result<_, StoreError>>()?;
        lines.sort_unstable();
        let left = count - i64::try_from(lines.len()).unwrap_or(i64::MAX);
        Ok((lines.into_iter().map(|(_, id)| id).collect(), left.max(0)))
    }
}

/// Locks the books of an organisation, before anything else of the unit that changes them.
pub(in crate::store) async fn lock(unit: &Unit<'_>, organisation: OrganisationId) -> Result<(), StoreError> {
    let sql = format!("select 1 from books where organisation_id = $1{}", for_update(unit.backend));
    unit.one(&sql, params![organisation.0]).await.map(|_| ())
}

/// Writes what a job found, as a change by the person whose job it is. Whoever may not write to the books any more writes
/// nothing: every line is skipped.
pub(in crate::store) async fn save(
    unit: &Unit<'_>,
    user: UserId,
    found: &Arc<FoundSuggestions>,
) -> Result<SuggestionsWritten, StoreError> {
    let all = i64::try_from(found.lines.len()).unwrap_or(i64::MAX);
    let nothing = SuggestionsWritten { written: 0, skipped: found.without.saturating_add(all) };
    let sql = "select role from membership where organisation_id = $1 and user_id = $2 and accepted";
    let member = unit.one(sql, params![found.organisation.0, user.0]).await?;
    let role = member.map(|row| row.parsed(0, Role::parse)).transpose()?;
    if !role.is_some_and(Role::may_write) {
        return Ok(nothing);
    }
    let actor = Actor {
        user_id: user,
        key_prefix: found.key_prefix.clone(),
        may_reopen: false,
        connection: found.grant_id.map(|id| ConnectionId::Grant(GrantId(id))),
        tool: None,
        note: None,
    };
    let request = CommandRequest {
        organisation: found.organisation,
        actor,
        command: BooksCommand::SaveSuggestions(Arc::clone(found)),
        expected_version: None,
        replay: None,
    };
    // The books of the writer's cache are read again by their version, which this moves.
    let (caller, _) = oneshot::channel();
    let mut waiting = WaitingCommand::new(request, caller);
    BooksWriter::default().run(unit, vec![&mut waiting]).await?;
    match waiting.outcome {
        Some(CommandOutcome::Done(CommandResult::SuggestionsWritten(counts))) => Ok(counts),
        Some(CommandOutcome::Unknown) => Ok(nothing),
        other => Err(StoreError::Other(format!("suggestions were not written: {other:?}"))),
    }
}
