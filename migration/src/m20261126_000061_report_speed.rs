//! What was sold to each customer and bought from each supplier is kept by calendar quarter instead of by year: VAT periods and
//! most financial years are whole quarters, seldom whole calendar years. What is open of one contact is found by an index.

use sea_orm_migration::prelude::*;

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for statement in quarters() {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        let of_contact = "create index open_item_contact on open_item (contact_id, organisation_id, side, node, until_day, \
                          from_day) where node is not null";
        manager.get_connection().execute_unprepared(of_contact).await?;
        Ok(())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

/// Puts quarters in the place of years, from the months. The seed of the benches does the same.
pub const fn quarters() -> [&'static str; 2] {
    [
        "delete from trade_total where span = 'year'",
        "insert into trade_total (organisation_id, side, span, number, contact_id, invoices, credit_notes, net, vat, \
         capital_net, other_net) select organisation_id, side, 'quarter', number / 3, contact_id, \
         cast(sum(invoices) as bigint), cast(sum(credit_notes) as bigint), cast(sum(net) as bigint), \
         cast(sum(vat) as bigint), cast(sum(capital_net) as bigint), cast(sum(other_net) as bigint) from trade_total \
         where span = 'month' group by organisation_id, side, number / 3, contact_id",
    ]
}
