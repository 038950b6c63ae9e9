//! The rules of `bookkeeping check` about what the reports about customers and suppliers are answered from. `{month}` stands
//! for the month of a column `day`.

use crate::store::check::Rule;

/// The rules about open items, and about sales and purchases.
pub(in crate::store) const CONTACT_RULES: &[Rule] = &[
    Rule {
        says: "item whose days or node differ from what settles it; item, contact, from, until, node, too many",
        finds: "with change as (select 'document' as what, to_document_id as id, day, released_day from allocation union all \
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
                ('manual', 'bank_transaction', 'bank_transfer', 'year_end_close'))), \
                item as (select source_type, source_id, organisation_id, side, contact_id, from_day, \
                case when last_day > from_day then last_day else from_day end as until_day from begun), \
                m0 as (select item.*, (until_day + 32767) as upper, ((from_day + 32767) | (until_day + 32767)) \
                - ((from_day + 32767) & (until_day + 32767)) as m from item), \
                m1 as (select m0.*, (m | (m >> 1)) as n from m0), m2 as (select m1.*, (n | (n >> 2)) as o from m1), \
                m4 as (select m2.*, (o | (o >> 4)) as p from m2), m8 as (select m4.*, (p | (p >> 8)) as q from m4), \
                m16 as (select m8.*, (q | (q >> 16)) as r from m8) \
                select source_type || ' ' || cast(source_id as text) || ' ' || side, contact_id, from_day, until_day, \
                coalesce(node, 0), cast(sum(many) as bigint) from (select source_type, source_id, organisation_id, side, \
                contact_id, from_day, until_day, node, 1 as many from open_item union all \
                select source_type, source_id, organisation_id, side, contact_id, from_day, until_day, \
                case when until_day > from_day then (upper & ~(r >> 1)) end, -1 from m16) t \
                group by source_type, source_id, organisation_id, side, contact_id, from_day, until_day, node \
                having sum(many) <> 0",
    },
    Rule {
        says: "allocation before one of its ends is in the books; allocation, day",
        finds: "select cast(a.id as text), a.day from allocation a left join document d on d.id = a.to_document_id \
                left join document f on f.id = a.from_document_id left join journal j on j.id = d.journal_id \
                left join journal i on i.id = f.journal_id left join settlement s on s.id = a.from_settlement_id \
                left join settlement t on t.id = a.to_settlement_id \
                where a.day < d.day or a.day < f.day or a.day < s.day or a.day < t.day \
                or (d.opening and a.day < j.entry_day) or (f.opening and a.day < i.entry_day)",
    },
    Rule {
        says: "sales or purchases differ from the documents; contact, number of the stretch, invoices, credit notes, net, VAT, \
               capital and other net too much",
        finds: "with line as (select document_id, account_id, sum(net + vat) as gross from document_line \
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
                case when side = 'supplier' or account_type = 'REVENUE' then net else 0 end as net, \
                case when side = 'supplier' or account_type = 'REVENUE' then gross - net else 0 end as vat, \
                case when side = 'supplier' and account_type = 'ASSET' then net else 0 end as capital_net, \
                case when side = 'customer' and account_type <> 'REVENUE' then net \
                when side = 'supplier' and account_type not in ('EXPENSE', 'ASSET') then net else 0 end as other_net \
                from posted), \
                traded as (select id, organisation_id, side, contact_id, day, void_day, invoices, \
                1 - invoices as credit_notes, sum(net) as net, sum(vat) as vat, sum(capital_net) as capital_net, \
                sum(other_net) as other_net from counted \
                group by id, organisation_id, side, contact_id, day, void_day, invoices), \
                moved as (select organisation_id, side, contact_id, day, invoices, credit_notes, net, vat, capital_net, \
                other_net from traded union all select organisation_id, side, contact_id, void_day, -invoices, \
                -credit_notes, -net, -vat, -capital_net, -other_net from traded where void_day is not null), \
                compared as (select organisation_id, side, span, number, contact_id, invoices, credit_notes, net, vat, \
                capital_net, other_net from trade_total union all \
                select organisation_id, side, 'day', day, contact_id, -invoices, -credit_notes, -net, -vat, -capital_net, \
                -other_net from moved union all \
                select organisation_id, side, 'month', {month}, contact_id, -invoices, -credit_notes, -net, -vat, \
                -capital_net, -other_net from moved union all \
                select organisation_id, side, 'quarter', ({month}) / 3, contact_id, -invoices, -credit_notes, -net, -vat, \
                -capital_net, -other_net from moved) \
                select side || ' ' || cast(contact_id as text) || ' ' || span, number, cast(sum(invoices) as bigint), \
                cast(sum(credit_notes) as bigint), cast(sum(net) as bigint), cast(sum(vat) as bigint), \
                cast(sum(capital_net) as bigint), cast(sum(other_net) as bigint) from compared \
                group by organisation_id, side, span, number, contact_id having sum(invoices) <> 0 \
                or sum(credit_notes) <> 0 or sum(net) <> 0 or sum(vat) <> 0 or sum(capital_net) <> 0 \
                or sum(other_net) <> 0",
    },
];
