//! The day whose percentage of the flat rate counts, where that is not the day an entry of VAT counts: of entries, and in the sums
//! of these by day and month. Until now it always was the day itself. Voids get the day of what they take back, and credit notes that of
//! their invoice.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

/// The day after the last of the books, for the day itself.
const NO_DAY: i64 = 84_006;

/// Turnover of the flat rate.
const TURNOVER: &str = "side = 'output' and basis = 'flat_rate'";

/// A sales credit note whose turnover was declared at its date.
const CREDIT_NOTE: &str = "select c.id from document c where c.kind = 'sales_credit_note' and c.vat_basis = 'flat_rate' \
     and c.origin_id is not null";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        let (order, month) = match manager.get_database_backend() {
            DbBackend::Sqlite => (
                // The rows of sums lie in the order of their key.
                " without rowid",
                "(cast(strftime('%Y', tax_day * 86400, 'unixepoch') as int) * 12 + \
                 cast(strftime('%m', tax_day * 86400, 'unixepoch') as int) - 1)",
            ),
            _ => (
                "",
                "cast(extract(year from date '1970-01-01' + cast(tax_day as int)) * 12 + \
                 extract(month from date '1970-01-01' + cast(tax_day as int)) - 1 as bigint)",
            ),
        };
        let mut statements = vec![
            format!("alter table vat_entry add column rate_day bigint not null default {NO_DAY}"),
            format!(
                "update vat_entry set rate_day = (select i.day from document c join document i on i.id = c.origin_id \
                 where c.id = vat_entry.document_id) where {TURNOVER} and document_id in ({CREDIT_NOTE})"
            ),
            format!(
                "update vat_entry set rate_day = (select min(o.tax_day) from journal j join vat_entry o \
                 on o.journal_id = j.reverses_journal_id and o.side = 'output' and o.basis = 'flat_rate' \
                 where j.id = vat_entry.journal_id) where {TURNOVER} and rate_day = {NO_DAY} \
                 and journal_id in (select id from journal where reverses_journal_id is not null)"
            ),
            format!("update vat_entry set rate_day = {NO_DAY} where rate_day = tax_day"),
        ];
        statements.extend(in_key("vat_day", "day", "tax_day", order));
        statements.extend(in_key("vat_month", "month", month, order));
        for statement in statements {
            connection.execute_unprepared(&statement).await?;
        }
        Ok(())
    }

    /// On SQLite too: one table of sums without the other would be worse than none.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

/// Makes the day a part of the key of a table of sums, and moves what now counts at the percentage of another. SQLite cannot
/// change a key, so the table is copied; it has a row for each day or month, side, code and basis.
fn in_key(table: &str, period: &str, period_of_entry: &str, order: &str) -> [String; 4] {
    let key = format!("organisation_id, side, vat_code, basis, reverse_charge, {period}, rate_day");
    let of_entry = |rate_day: &str, sign: &str| {
        format!(
            "select organisation_id, side, vat_code, basis, coalesce(reverse_charge, ''), {period_of_entry}, {rate_day}, \
             {sign}net, {sign}vat, {sign}1 from vat_entry where rate_day <> {NO_DAY}"
        )
    };
    let (own, taken_back) = (of_entry(&NO_DAY.to_string(), "-"), of_entry("rate_day", ""));
    [
        format!(
            "create table {table}_by_rate (organisation_id bigint not null references organisation (id), side text not null, \
             vat_code text not null, basis text not null, reverse_charge text not null, {period} bigint not null, \
             rate_day bigint not null, net bigint not null, vat bigint not null, entries bigint not null, \
             primary key ({key})){order}"
        ),
        format!(
            "insert into {table}_by_rate ({key}, net, vat, entries) select {key}, cast(sum(net) as bigint), \
             cast(sum(vat) as bigint), cast(sum(entries) as bigint) from (select organisation_id, side, vat_code, basis, \
             reverse_charge, {period}, {NO_DAY} as rate_day, net, vat, entries from {table} union all {own} \
             union all {taken_back}) t group by {key}"
        ),
        format!("drop table {table}"),
        format!("alter table {table}_by_rate rename to {table}"),
    ]
}
