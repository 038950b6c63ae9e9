//! What the reports about customers and suppliers are answered from without a look at everything ever issued: which items
//! of the control accounts are open from which day to which, found for any day by the node of an interval tree; and what was
//! sold to each customer and bought from each supplier, by day, month and year.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        // SQLite keeps the rows in the order of the key itself, so that writing one touches one tree instead of two.
        let order = if backend == DbBackend::Sqlite { " without rowid" } else { "" };
        let connection = manager.get_connection();
        for statement in [
            format!(
                "create table open_item (source_type text not null, source_id bigint not null, \
                 organisation_id bigint not null, side text not null, contact_id bigint not null, \
                 from_day bigint not null, until_day bigint not null, node bigint, \
                 primary key (source_type, source_id)){order}"
            ),
            format!(
                "create table trade_total (organisation_id bigint not null, side text not null, span text not null, \
                 number bigint not null, contact_id bigint not null, invoices bigint not null, \
                 credit_notes bigint not null, net bigint not null, vat bigint not null, capital_net bigint not null, \
                 other_net bigint not null, primary key (organisation_id, side, span, number, contact_id)){order}"
            ),
            open_items(),
            trade_totals(backend),
            // Only what is open on some day has a node.
            "create index open_item_until on open_item (organisation_id, side, node, until_day) where node is not null"
                .to_owned(),
            "create index open_item_from on open_item (organisation_id, side, node, from_day) where node is not null"
                .to_owned(),
            "create index journal_line_contact on journal_line (contact_id, account_id, entry_day, journal_id, \
             line_number) where contact_id is not null"
                .to_owned(),
        ] {
            connection.execute_unprepared(&statement).await?;
        }
        Ok(())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

/// Every item with its days and its node, from documents, settlements and the lines that neither stands behind. 84006 is the
/// day after the last of the books: what is open without an end.
const OPEN_ITEMS: &str = "with change as (\
     select 'document' as what, to_document_id as id, day, released_day from allocation union all \
     select 'document', from_document_id, day, released_day from allocation union all \
     select 'settlement', to_settlement_id, day, released_day from allocation union all \
     select 'settlement', from_settlement_id, day, released_day from allocation union all \
     select 'document', id, void_day, null from document union all \
     select 'settlement', id, void_day, null from settlement), \
     last_change as (select what, id, max(case when released_day is null then day \
     when released_day > day then released_day end) as day from change where id is not null group by what, id), \
     begun as (select d.kind as source_type, d.id as source_id, d.organisation_id, \
     case when d.kind in ('sales_invoice', 'sales_credit_note') then 'customer' else 'supplier' end as side, \
     d.contact_id, case when d.opening then j.entry_day else d.day end as from_day, \
     case when d.stage = 'issued' and d.due > 0 then 84006 else c.day end as last_day \
     from document d left join journal j on j.id = d.journal_id \
     left join last_change c on c.what = 'document' and c.id = d.id where d.issued_at is not null union all \
     select s.kind, s.id, s.organisation_id, s.side, s.contact_id, s.day, \
     case when s.void_day is null and s.allocated < s.amount then 84006 else c.day end \
     from settlement s left join last_change c on c.what = 'settlement' and c.id = s.id union all \
     select 'journal_line', l.id, l.organisation_id, \
     case when a.role = 'accounts_receivable' then 'customer' else 'supplier' end, coalesce(l.contact_id, 0), \
     l.entry_day, coalesce(r.entry_day, 84006) from account a join journal_line l on l.account_id = a.id \
     join journal j on j.id = l.journal_id left join journal_reversal v on v.journal_id = j.id \
     left join journal r on r.id = v.reversal_id \
     where a.role in ('accounts_receivable', 'accounts_payable') and j.reverses_journal_id is null \
     and (l.contact_id is null or j.source_type in \
     ('manual', 'bank_transaction', 'bank_transfer', 'write_off', 'year_end_close'))), \
     item as (select source_type, source_id, organisation_id, side, contact_id, from_day, \
     case when last_day > from_day then last_day else from_day end as until_day from begun), \
     m0 as (select item.*, (until_day + 32767) as upper, ((from_day + 32767) | (until_day + 32767)) \
     - ((from_day + 32767) & (until_day + 32767)) as m from item), \
     m1 as (select m0.*, (m | (m >> 1)) as n from m0), m2 as (select m1.*, (n | (n >> 2)) as o from m1), \
     m4 as (select m2.*, (o | (o >> 4)) as p from m2), m8 as (select m4.*, (p | (p >> 8)) as q from m4), \
     m16 as (select m8.*, (q | (q >> 16)) as r from m8) \
     select source_type, source_id, organisation_id, side, contact_id, from_day, until_day, \
     case when until_day > from_day then (upper & ~(r >> 1)) end as node from m16";

/// Fills the items. The seed of the benches does the same.
pub fn open_items() -> String {
    format!(
        "insert into open_item (source_type, source_id, organisation_id, side, contact_id, from_day, until_day, node) \
         {OPEN_ITEMS}"
    )
}

/// Fills what was sold and bought, from the lines of documents and what their journals posted to the accounts of these.
pub fn trade_totals(backend: DbBackend) -> String {
    let month = match backend {
        DbBackend::Postgres => {
            "cast(extract(year from date '1970-01-01' + cast(day as integer)) * 12 + \
             extract(month from date '1970-01-01' + cast(day as integer)) - 1 as bigint)"
        }
        _ => {
            "cast(strftime('%Y', day * 86400, 'unixepoch') as integer) * 12 + \
             cast(strftime('%m', day * 86400, 'unixepoch') as integer) - 1"
        }
    };
    format!(
        "insert into trade_total (organisation_id, side, span, number, contact_id, invoices, credit_notes, net, vat, \
         capital_net, other_net) with line as (select document_id, account_id, sum(net + vat) as gross from document_line \
         group by document_id, account_id), \
         posted as (select d.id, d.organisation_id, d.kind, d.contact_id, d.day, d.void_day, a.account_type, \
         case when d.kind in ('sales_invoice', 'sales_credit_note') then 'customer' else 'supplier' end as side, \
         case when d.kind in ('sales_credit_note', 'purchase_credit_note') then -x.gross else x.gross end as gross, \
         case when d.kind in ('sales_invoice', 'sales_credit_note') then -1 else 1 end * \
         coalesce((select sum(l.debit - l.credit) from journal_line l where l.journal_id = d.journal_id \
         and l.account_id + 0 = x.account_id and not l.system), 0) as net \
         from document d join line x on x.document_id = d.id join account a on a.id = x.account_id \
         where d.issued_at is not null and not d.opening), \
         counted as (select id, organisation_id, side, contact_id, day, void_day, \
         case when kind in ('sales_invoice', 'purchase_invoice') then 1 else 0 end as invoices, \
         case when kind in ('sales_invoice', 'purchase_invoice') then 0 else 1 end as credit_notes, \
         case when side = 'supplier' or account_type = 'REVENUE' then net else 0 end as net, \
         case when side = 'supplier' or account_type = 'REVENUE' then gross - net else 0 end as vat, \
         case when side = 'supplier' and account_type = 'ASSET' then net else 0 end as capital_net, \
         case when side = 'customer' and account_type <> 'REVENUE' then net \
         when side = 'supplier' and account_type not in ('EXPENSE', 'ASSET') then net else 0 end as other_net \
         from posted), \
         traded as (select id, organisation_id, side, contact_id, day, void_day, invoices, credit_notes, sum(net) as net, \
         sum(vat) as vat, sum(capital_net) as capital_net, sum(other_net) as other_net from counted \
         group by id, organisation_id, side, contact_id, day, void_day, invoices, credit_notes), \
         moved as (select organisation_id, side, contact_id, day, invoices, credit_notes, net, vat, capital_net, \
         other_net from traded union all select organisation_id, side, contact_id, void_day, -invoices, -credit_notes, \
         -net, -vat, -capital_net, -other_net from traded where void_day is not null), \
         spanned as (select organisation_id, side, 'day' as span, day as number, contact_id, invoices, credit_notes, net, \
         vat, capital_net, other_net from moved union all \
         select organisation_id, side, 'month', {month}, contact_id, invoices, credit_notes, net, vat, capital_net, \
         other_net from moved union all \
         select organisation_id, side, 'year', ({month}) / 12, contact_id, invoices, credit_notes, net, vat, capital_net, \
         other_net from moved) \
         select organisation_id, side, span, number, contact_id, cast(sum(invoices) as bigint), \
         cast(sum(credit_notes) as bigint), cast(sum(net) as bigint), cast(sum(vat) as bigint), \
         cast(sum(capital_net) as bigint), cast(sum(other_net) as bigint) from spanned \
         group by organisation_id, side, span, number, contact_id"
    )
}
