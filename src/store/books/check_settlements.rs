//! The rules of `bookkeeping check` about receipts, payments and refunds, and about the statement lines that show them.

use crate::store::check::Rule;

/// The rules about settlements.
pub(in crate::store) const SETTLEMENT_RULES: &[Rule] = &[
    Rule {
        says: "settlement whose sums differ from its allocations; settlement, kept allocated, CIS, counted both",
        finds: "select cast(s.id as text), s.allocated, s.cis, cast(coalesce(sum(a.amount), 0) as bigint), \
                cast(coalesce(sum(case when a.from_settlement_id = s.id then a.cis else 0 end), 0) as bigint) \
                from settlement s left join allocation a on a.released_day is null \
                and (a.from_settlement_id = s.id or a.to_settlement_id = s.id) group by s.id, s.allocated, s.cis \
                having coalesce(sum(a.amount), 0) <> s.allocated \
                or coalesce(sum(case when a.from_settlement_id = s.id then a.cis else 0 end), 0) <> s.cis",
    },
    Rule {
        says: "settlement set against more than it is; settlement, amount, allocated",
        finds: "select cast(id as text), amount, allocated from settlement where allocated > amount",
    },
    Rule {
        says: "void settlement that is still set against something; settlement, allocated",
        finds: "select cast(id as text), allocated from settlement where void_day is not null and allocated <> 0",
    },
    Rule {
        says: "allocation between contacts, or of another organisation; allocation, settlement",
        finds: "select cast(a.id as text), s.id from allocation a join settlement s on s.id = a.from_settlement_id \
                left join document d on d.id = a.to_document_id left join settlement o on o.id = a.to_settlement_id \
                where a.organisation_id <> s.organisation_id or coalesce(d.contact_id, o.contact_id) <> s.contact_id \
                or coalesce(d.contact_id, o.contact_id) is null",
    },
    Rule {
        says: "numbers of settlements with a gap; side, organisation, settlements, highest, highest kept",
        finds: "select s.side, s.organisation_id, count(*), max(cast(substr(s.number, 5) as bigint)), \
                coalesce(max(n.highest), 0) from settlement s left join number_sequence n \
                on n.organisation_id = s.organisation_id \
                and n.family = case s.side when 'customer' then 'customer_receipt' else 'supplier_payment' end \
                group by s.side, s.organisation_id \
                having count(*) <> max(cast(substr(s.number, 5) as bigint)) or count(*) <> coalesce(max(n.highest), 0)",
    },
    Rule {
        // The lines of a journal are few and those of a bank account many: an index of accounts must not be taken.
        says: "settlement whose journal is not its own, or moves another amount; settlement, amount, journal",
        finds: "select cast(s.id as text), s.amount, s.journal_id from settlement s \
                left join bank_account b on b.id = s.bank_account_id left join journal j on j.id = s.journal_id \
                where j.source_type is null or j.source_type <> s.kind or j.source_id <> s.id \
                or j.entry_day <> s.day or j.organisation_id <> s.organisation_id or \
                coalesce((select sum(l.debit - l.credit) from journal_line l where l.journal_id = s.journal_id \
                and l.account_id + 0 = coalesce(b.account_id, s.account_id)), 0) <> \
                case when s.kind in ('customer_receipt', 'supplier_refund') then s.amount else -s.amount end",
    },
    Rule {
        says: "settlement through a bank account and another, through neither, or of another organisation; settlement",
        finds: "select cast(s.id as text) from settlement s left join bank_account b on b.id = s.bank_account_id \
                left join account a on a.id = s.account_id where (b.id is null) = (a.id is null) \
                or coalesce(b.organisation_id, a.organisation_id, 0) <> s.organisation_id",
    },
    Rule {
        says: "settlement whose CIS differs from its journals; settlement, kept, posted",
        finds: "select cast(s.id as text), s.cis, cast(coalesce(sum(l.debit - l.credit), 0) as bigint) \
                from settlement s left join (journal j join journal_line l on l.journal_id = j.id \
                join account a on a.id = l.account_id and a.role in ('cis_payable', 'cis_suffered')) \
                on j.organisation_id = s.organisation_id and j.source_type = s.kind and j.source_id = s.id \
                where s.void_day is null group by s.id, s.kind, s.cis having coalesce(sum(l.debit - l.credit), 0) <> \
                case when s.kind in ('customer_receipt', 'supplier_refund') then s.cis else -s.cis end",
    },
    Rule {
        says: "settlement void by halves; settlement, journal, journal that voids it",
        finds: "select cast(s.id as text), s.journal_id, coalesce(s.void_journal_id, 0) from settlement s \
                left join journal_reversal v on v.journal_id = s.journal_id \
                where (s.void_day is null) <> (v.journal_id is null) \
                or coalesce(s.void_journal_id, 0) <> coalesce(v.reversal_id, 0)",
    },
    Rule {
        says: "journal of a void settlement that stands; settlement, journal",
        finds: "select cast(s.id as text), j.id from settlement s join journal j \
                on j.organisation_id = s.organisation_id and j.source_type = s.kind and j.source_id = s.id \
                where s.void_day is not null \
                and not exists (select 1 from journal_reversal v where v.journal_id = j.id)",
    },
    Rule {
        says: "line and settlement that do not show each other; line, settlement",
        finds: "select cast(t.id as text), coalesce(t.settlement_id, 0) from bank_transaction t \
                left join settlement s on s.id = t.settlement_id where t.settlement_id is not null \
                and (s.id is null or s.bank_transaction_id is null or s.bank_transaction_id <> t.id \
                or t.status <> 'confirmed' or s.journal_id <> t.journal_id or s.side <> t.settlement_side \
                or s.bank_account_id is null or s.bank_account_id <> t.bank_account_id or s.contact_id <> t.contact_id) \
                union all select cast(s.bank_transaction_id as text), s.id from settlement s \
                where s.bank_transaction_id is not null and not exists (select 1 from bank_transaction t \
                where t.id = s.bank_transaction_id and t.settlement_id = s.id)",
    },
];
