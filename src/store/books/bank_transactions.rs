//! Lines of bank statements: how their rows are read, and the queries about them.

use crate::domain::books::effects::bank_account_status;
use crate::domain::books::records::statement_line::{StatementLineFilter, StatementLineRecord};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::bank::{BankStatus, ConfirmType};
use crate::domain::ledger::contact::ContactKind;
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::books::lists::{List, PagePlan};
use crate::store::books::totals::TotalSource;
use crate::store::sql::{Reader, Row};

/// The columns of [`read_bank_transaction`], of the line `t`.
pub(super) const BANK_TRANSACTION_COLUMNS: &str = "t.id, t.bank_account_id, t.day, t.amount, t.description, \
     t.reference, t.merchant, t.external_id, t.import_id, t.status, t.kind, t.contact_id, t.lines, t.memo, \
     t.transfer_id, t.awaited_on, t.journal_id, t.confirmed_at, t.confirmed_by, t.created_at, t.updated_at, t.version, \
     t.settlement_id, t.settlement_side, t.suggestion";

/// How many columns these are.
pub(super) const COLUMNS: usize = 25;

impl StatementLineFilter {
    /// Where the total of the list is read from.
    fn total_source(&self) -> TotalSource {
        let statuses = match self.status {
            None => vec!["unconfirmed", "confirmed", "excluded"],
            Some(status) => vec![status.as_str()],
        };
        let is_dated = self.from_date.is_some() || self.to_date.is_some();
        if self.search.is_some() || self.min_pence.is_some() || self.max_pence.is_some() {
            return TotalSource::Nothing;
        }
        match (self.bank_account_id, self.kind) {
            (None, None) => {
                let changed = self.updated_since_ms.map(|since_ms| ("t.updated_at", since_ms));
                TotalSource::of_list("bank_transaction", statuses, (self.from_date, self.to_date), changed)
            }
            _ if is_dated || self.updated_since_ms.is_some() => TotalSource::Nothing,
            (Some(id), None) => {
                let counters = statuses.iter().map(|status| bank_account_status(id, status));
                TotalSource::Counters("bank_account", counters.collect())
            }
            (None, Some(kind)) if self.status.is_none() => {
                TotalSource::Counters("bank_transaction type", vec![kind.as_str().to_owned()])
            }
            _ => TotalSource::Nothing,
        }
    }
}

impl Reader {
    /// A page of the lines of bank statements, newest first, and how many there are.
    pub async fn bank_transactions(
        &self,
        organisation: OrganisationId,
        filter: &StatementLineFilter,
        (limit, offset): (u64, u64),
    ) -> Result<(Vec<StatementLineRecord>, Option<u64>), StoreError> {
        let mut list = List {
            table: "bank_transaction t",
            id: "t.id",
            key: "t.day",
            descending: true,
            with: "",
            from: "bank_transaction t".to_owned(),
            index_columns: None,
            all: "bank_transaction b where b.organisation_id = $1",
            plan: PagePlan::InOrder,
        };
        let mut conditions = match filter.bank_account_id {
            Some(bank) => {
                let own = "(select b.organisation_id from bank_account b where b.id = $2) = $1";
                let mut conditions = Conditions::new(own, organisation.0);
                conditions.and("t.bank_account_id = {}", bank);
                conditions
            }
            None => Conditions::new("t.organisation_id = $1", organisation.0),
        };
        let is_rare = filter.min_pence.is_some() || filter.max_pence.is_some() || filter.updated_since_ms.is_some();
        let status = if is_rare { "^t.status = {}" } else { "t.status = {}" };
        conditions.and_if(status, filter.status.map(BankStatus::as_str));
        conditions.and_if("t.day >= {}", filter.from_date.map(i64::from));
        conditions.and_if("t.day <= {}", filter.to_date.map(i64::from));
        conditions.and_if("t.kind = {}", filter.kind.map(ConfirmType::as_str));
        conditions.and_if("~t.amount >= {}", filter.min_pence);
        conditions.and_if("~t.amount <= {}", filter.max_pence);
        conditions.and_if("~t.updated_at >= {}", filter.updated_since_ms);
        if is_rare {
            list.plan = PagePlan::FilterFirst("bank_transaction t".to_owned());
        }
        self.search(&mut list, &mut conditions, ("bank_transaction", "t"), filter.search.as_deref());
        let total_source = filter.total_source();
        let mut offset = offset;
        if matches!(&total_source, TotalSource::Whole(_, statuses) if statuses.len() == 3)
            && let Some((last, before)) = self.day_of_row(organisation, "bank_transaction", offset).await?
        {
            conditions.and("t.day <= {}", last);
            offset -= before;
        }
        let page = (limit, offset);
        let (rows, total) =
            self.listed(organisation, &list, BANK_TRANSACTION_COLUMNS, conditions, page, &total_source).await?;
        Ok((rows.iter().map(read_bank_transaction).collect::<Result<_, _>>()?, total))
    }

    /// One line of a bank statement of an organisation.
    pub async fn bank_transaction(
        &self,
        organisation: OrganisationId,
        id: i64,
    ) -> Result<Option<StatementLineRecord>, StoreError> {
        let mut conditions = Conditions::new("t.organisation_id = $1", organisation.0);
        conditions.and("t.id = {}", id);
        let sql = format!("select {BANK_TRANSACTION_COLUMNS} from bank_transaction t where {}", conditions.text());
        self.one(&sql, conditions.values()).await?.as_ref().map(read_bank_transaction).transpose()
    }

    /// Lines of other bank accounts that may be the other side of a transfer: those that await this line, and the
    /// unconfirmed ones of the opposite amount within so many days before or after it.
    pub async fn opposite_bank_transactions(
        &self,
        organisation: OrganisationId,
        of: &StatementLineRecord,
        days: i32,
    ) -> Result<Vec<StatementLineRecord>, StoreError> {
        let mut near = Conditions::new("t.organisation_id = $1", organisation.0);
        near.and("t.bank_account_id <> {}", of.bank_account_id);
        near.and("t.amount = {}", -of.amount_pence);
        // The index of amounts is used rather than that of days or states, because few lines have one amount.
        near.and("+t.day >= {}", i64::from(of.date - days));
        near.and("+t.day <= {}", i64::from(of.date + days));
        near.and_plain("t.status || '' = 'unconfirmed'");
        let mut awaiting = Conditions::new("t.organisation_id = $1", organisation.0);
        awaiting.and("t.awaited_on = {}", of.bank_account_id);
        awaiting.and("t.amount = {}", -of.amount_pence);
        let mut found = Vec::new();
        for conditions in [awaiting, near] {
            let sql = format!(
                "select {BANK_TRANSACTION_COLUMNS} from bank_transaction t where {} order by t.day, t.id limit 50",
                conditions.text()
            );
            for row in self.all(&sql, conditions.values()).await? {
                found.push(read_bank_transaction(&row)?);
            }
        }
        Ok(found)
    }
}

/// Reads a statement line from the first columns of a row.
pub(super) fn read_bank_transaction(row: &Row) -> Result<StatementLineRecord, StoreError> {
    let lines: String = row.get(12)?;
    let kind: Option<String> = row.get(10)?;
    let (settlement, side): (Option<i64>, Option<String>) = (row.get(22)?, row.get(23)?);
    let side = side.as_deref().and_then(ContactKind::parse);
    let suggestion: Option<String> = row.get(24)?;
    let corrupt = |error: serde_json::Error| StoreError::Corrupt(error.to_string());
    Ok(StatementLineRecord {
        id: row.get(0)?,
        bank_account_id: row.get(1)?,
        date: row.date(2)?,
        amount_pence: row.get(3)?,
        description: row.get(4)?,
        reference: row.get(5)?,
        merchant: row.get(6)?,
        external_id: row.get(7)?,
        import_id: row.get(8)?,
        status: row.parsed(9, BankStatus::parse)?,
        kind: kind.as_deref().and_then(ConfirmType::parse),
        contact_id: row.get(11)?,
        lines: serde_json::from_str(&lines).map_err(corrupt)?,
        memo: row.get(13)?,
        suggestion: suggestion.as_deref().map(serde_json::from_str).transpose().map_err(corrupt)?,
        transfer_id: row.get(14)?,
        awaited_on: row.get(15)?,
        journal_id: row.get(16)?,
        settlement: side.zip(settlement),
        confirmed_at_ms: row.get(17)?,
        confirmed_by: row.get(18)?,
        created_at_ms: row.get(19)?,
        updated_at_ms: row.get(20)?,
        version: row.get(21)?,
    })
}
