//! What journals moved on the bank accounts of an organisation taken together, by day, and what of it was moved back by a
//! reversal, by the days of both: the gross flows of a cash flow statement without a look at any line.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite keeps the rows in the order of the key itself, so that writing one touches one tree instead of two.
        let order = if manager.get_database_backend() == DbBackend::Sqlite { " without rowid" } else { "" };
        let connection = manager.get_connection();
        for statement in [
            format!(
                "create table cash_day (organisation_id bigint not null, day bigint not null, inflow bigint not null, \
                 outflow bigint not null, primary key (organisation_id, day)){order}"
            ),
            format!(
                "create table cash_reversal (organisation_id bigint not null, day bigint not null, \
                 reversal_day bigint not null, amount bigint not null, \
                 primary key (organisation_id, day, reversal_day)){order}"
            ),
            format!(
                "insert into cash_day (organisation_id, day, inflow, outflow) select m.organisation_id, m.entry_day, \
                 cast(sum(case when m.moved > 0 then m.moved else 0 end) as bigint), \
                 cast(sum(case when m.moved < 0 then -m.moved else 0 end) as bigint) from ({MOVED}) m \
                 group by m.organisation_id, m.entry_day"
            ),
            format!(
                "insert into cash_reversal (organisation_id, day, reversal_day, amount) \
                 select m.organisation_id, o.entry_day, m.entry_day, cast(sum(abs(m.moved)) as bigint) from ({MOVED}) m \
                 join journal r on r.id = m.journal_id join journal o on o.id = r.reverses_journal_id \
                 group by m.organisation_id, o.entry_day, m.entry_day"
            ),
        ] {
            connection.execute_unprepared(&statement).await?;
        }
        Ok(())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

/// Debits less credits of each journal on the bank accounts of its organisation.
const MOVED: &str = "select l.organisation_id, l.journal_id, l.entry_day, cast(sum(l.debit - l.credit) as bigint) as moved \
     from account a join journal_line l on l.account_id = a.id where a.role = 'bank' \
     group by l.organisation_id, l.journal_id, l.entry_day having sum(l.debit - l.credit) <> 0";
