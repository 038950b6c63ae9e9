//! The rules of `bookkeeping check` about invoices, credit notes and their allocations.

use crate::store::check::Rule;

/// The rules about documents.
pub(in crate::store) const DOCUMENT_RULES: &[Rule] = &[
    Rule {
        says: "document whose kept sums differ from its allocations; document, paid, found, credited, found, due",
        finds: "select cast(d.id as text), d.paid, coalesce(a.paid, 0), d.credited, coalesce(a.credited, 0), d.due \
                from document d left join (select id, cast(sum(paid) as bigint) as paid, \
                cast(sum(credited) as bigint) as credited from (select to_document_id as id, \
                case when from_settlement_id is not null then amount + cis else 0 end as paid, \
                case when from_settlement_id is null then amount else 0 end as credited from allocation \
                where released_day is null and to_document_id is not null union all \
                select from_document_id, 0, amount from allocation where released_day is null \
                and from_document_id is not null) b group by id) a on a.id = d.id \
                where d.paid <> coalesce(a.paid, 0) or d.credited <> coalesce(a.credited, 0) or d.due < 0 \
                or d.due <> case when d.stage = 'issued' then d.net + d.vat - d.paid - d.credited else 0 end",
    },
    Rule {
        says: "document whose status does not follow from its allocations; document and status",
        finds: "select cast(d.id as text) || ' ' || d.status from document d where d.status <> case \
                when d.stage <> 'issued' then d.stage when d.due = 0 and d.kind in ('sales_credit_note', \
                'purchase_credit_note') then 'allocated' when d.due = 0 then 'paid' \
                when d.due = d.net + d.vat then 'issued' when d.kind in ('sales_credit_note', \
                'purchase_credit_note') then 'part_allocated' else 'part_paid' end",
    },
    Rule {
        says: "document that differs from its lines; document, net, found, VAT, found",
        finds: "select cast(d.id as text), d.net, cast(coalesce(sum(l.net), 0) as bigint), d.vat, \
                cast(coalesce(sum(l.vat), 0) as bigint) from document d left join document_line l \
                on l.document_id = d.id where not d.opening group by d.id, d.net, d.vat \
                having d.net <> coalesce(sum(l.net), 0) or d.vat <> coalesce(sum(l.vat), 0)",
    },
    Rule {
        says: "document whose journal is not its own or does not stand or fall with it; document, journal",
        finds: "select cast(d.id as text), coalesce(d.journal_id, 0) from document d \
                left join journal j on j.id = d.journal_id left join journal_reversal v on v.journal_id = d.journal_id \
                where (d.journal_id is not null and (j.organisation_id <> d.organisation_id \
                or (not d.opening and (j.source_type <> d.kind or j.source_id is null or j.source_id <> d.id)))) \
                or (d.journal_id is null and d.stage = 'issued' and d.net + d.vat <> 0) \
                or (d.stage = 'draft' and d.journal_id is not null) \
                or (d.journal_id is not null and (d.stage = 'void') <> (v.journal_id is not null)) \
                or (d.stage = 'void' and coalesce(v.reversal_id, 0) <> coalesce(d.void_journal_id, 0))",
    },
    Rule {
        says: "document without a number; document",
        finds: "select cast(id as text) from document where stage = 'issued' and number is null",
    },
    Rule {
        says: "numbers of our own with a gap; organisation and what, highest, found",
        finds: "select cast(s.organisation_id as text) || ' ' || s.family, s.highest, count(d.id) from number_sequence s \
                left join document d on d.organisation_id = s.organisation_id and d.kind = s.family \
                and d.number is not null where s.family in ('purchase_invoice', 'purchase_credit_note') \
                group by s.organisation_id, s.family, s.prefix, s.highest having s.highest <> count(d.id)",
    },
    Rule {
        says: "more numbers of a prefix than its sequence has come to; organisation and prefix, highest, found",
        finds: "select cast(s.organisation_id as text) || ' ' || s.prefix, s.highest, count(d.id) from number_sequence s \
                join document d on d.organisation_id = s.organisation_id and d.kind = s.family and d.stage <> 'draft' \
                and substr(d.number, 1, length(s.prefix)) = s.prefix and length(d.number) = length(s.prefix) + \
                case when s.highest < 10000 then 4 else length(cast(s.highest as text)) end \
                and length(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(\
                substr(d.number, length(s.prefix) + 1), '0', ''), '1', ''), '2', ''), '3', ''), '4', ''), '5', ''), \
                '6', ''), '7', ''), '8', ''), '9', '')) = 0 \
                and replace(substr(d.number, length(s.prefix) + 1), '0', '') <> '' \
                where s.family in ('sales_invoice', 'sales_credit_note') \
                group by s.organisation_id, s.family, s.prefix, s.highest having count(d.id) > s.highest",
    },
    Rule {
        says: "allocation whose ends are of another organisation or contact; allocation",
        finds: "select cast(a.id as text) from allocation a \
                left join document f on f.id = a.from_document_id left join document t on t.id = a.to_document_id \
                left join settlement s on s.id = a.from_settlement_id left join settlement r on r.id = a.to_settlement_id \
                where coalesce(f.organisation_id, s.organisation_id, 0) <> a.organisation_id \
                or coalesce(t.organisation_id, r.organisation_id, 0) <> a.organisation_id \
                or coalesce(f.contact_id, s.contact_id) <> coalesce(t.contact_id, r.contact_id) \
                or (a.released_day is null and coalesce(t.stage, 'issued') <> 'issued') \
                or (a.released_day is null and coalesce(f.stage, 'issued') <> 'issued')",
    },
    Rule {
        says: "VAT of a document differs from its entries; document and basis, VAT, found",
        finds: "select cast(d.id as text) || ' ' || e.basis, case when d.stage = 'void' then 0 \
                when d.kind in ('sales_credit_note', 'purchase_credit_note') then -d.vat else d.vat end, \
                cast(sum(e.vat) as bigint) from document d join vat_entry e on e.document_id = d.id \
                where e.reverse_charge is null and ((e.basis = 'standard' and d.vat_basis = 'standard') \
                or (e.basis = 'cash' and (d.stage = 'void' or d.due = 0) \
                and not exists (select 1 from allocation a where a.released_day is null and not a.as_payment \
                and a.from_document_id is not null and (a.from_document_id = d.id or a.to_document_id = d.id)))) \
                group by d.id, d.stage, d.kind, d.vat, e.basis having sum(e.vat) <> case when d.stage = 'void' then 0 \
                when d.kind in ('sales_credit_note', 'purchase_credit_note') then -d.vat else d.vat end",
    },
    Rule {
        says: "VAT declared on another basis than the document's; document and basis, entries",
        finds: "select cast(d.id as text) || ' ' || e.basis, count(e.id) from vat_entry e \
                join document d on d.id = e.document_id where e.basis <> case when e.reverse_charge is not null \
                then 'standard' when d.vat_basis = 'flat_rate_cash' then 'flat_rate' \
                else coalesce(d.vat_basis, 'none') end and not (d.vat_basis in ('flat_rate', 'flat_rate_cash') \
                and e.basis = 'standard' and exists (select 1 from document_line l where l.document_id = d.id \
                and l.vat_basis = 'standard' and (l.id = e.document_line_id or e.document_line_id is null))) \
                group by d.id, e.basis",
    },
    Rule {
        says: "VAT under a reverse charge that differs from its lines; document, VAT, found",
        finds: "select cast(t.id as text), cast(sum(t.due) as bigint), cast(sum(t.found) as bigint) from \
                (select d.id, case d.kind when 'purchase_invoice' then l.reverse_charge_vat \
                when 'purchase_credit_note' then -l.reverse_charge_vat else 0 end as due, 0 as found \
                from document d join document_line l on l.document_id = d.id \
                where d.stage = 'issued' and l.reverse_charge is not null union all \
                select document_id, 0, vat from vat_entry where reverse_charge is not null) t \
                group by t.id having sum(t.due) <> sum(t.found)",
    },
    Rule {
        says: "document without a basis for its VAT, or one that must have none; document",
        finds: "select cast(id as text) from document where stage <> 'void' \
                and case when opening then coalesce(vat_basis, 'cash') not in ('cash', 'flat_rate_cash') \
                else (vat_basis is null) <> (stage = 'draft') end",
    },
    Rule {
        says: "contact whose balance differs from what is open; contact, difference",
        finds: "select cast(contact_id as text), cast(sum(amount) as bigint) from (select contact_id, \
                debit - credit - direct_debit + direct_credit as amount from contact_month where contact_id <> 0 \
                union all select contact_id, case when kind in ('sales_invoice', 'purchase_credit_note') then -due \
                else due end from document union all select contact_id, \
                case when kind in ('customer_refund', 'supplier_payment') then allocated - amount \
                else amount - allocated end from settlement where void_day is null) t \
                group by contact_id having sum(amount) <> 0",
    },
    Rule {
        says: "contact's share without documents differs from the lines; contact, day, difference",
        finds: "select cast(contact_id as text), day, cast(sum(amount) as bigint) from \
                (select contact_id, day, direct_debit - direct_credit as amount from contact_day where contact_id <> 0 \
                union all select l.contact_id, l.entry_day, l.credit - l.debit from journal_line l \
                join account a on a.id = l.account_id and a.role in ('accounts_receivable', 'accounts_payable') \
                join journal j on j.id = l.journal_id left join journal o on o.id = j.reverses_journal_id \
                where l.contact_id is not null and coalesce(o.source_type, j.source_type) in \
                ('manual', 'bank_transaction', 'bank_transfer', 'write_off', 'year_end_close')) t \
                group by contact_id, day having sum(amount) <> 0",
    },
    Rule {
        says: "contact's share without documents of a month differs from its days; contact, month, difference",
        finds: "select cast(contact_id as text), month, cast(sum(amount) as bigint) from \
                (select contact_id, month, direct_debit - direct_credit as amount from contact_month union all \
                select contact_id, {month}, direct_credit - direct_debit from contact_day) t \
                group by contact_id, month having sum(amount) <> 0",
    },
    Rule {
        says: "contact with documents that is said to be unused, or not of their organisation; contact",
        finds: "select distinct cast(d.contact_id as text) from document d left join contact c on c.id = d.contact_id \
                where c.id is null or not c.used or c.organisation_id <> d.organisation_id",
    },
];
