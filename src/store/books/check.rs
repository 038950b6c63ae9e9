//! The rules of `bookkeeping check` about the books. `{month}` stands for the month of a column `day`.

use crate::store::check::Rule;

/// The rules about accounts, journals, totals, contacts and bank accounts.
pub(in crate::store) const RULES: &[Rule] = &[
    Rule {
        says: "journal out of balance or miscounted; journal, total, debits, credits, line count, lines",
        finds: "select cast(j.id as text), j.total, cast(coalesce(sum(l.debit), 0) as bigint), \
                cast(coalesce(sum(l.credit), 0) as bigint), j.line_count, count(l.id) from journal j \
                left join journal_line l on l.journal_id = j.id group by j.id, j.total, j.line_count \
                having coalesce(sum(l.debit), 0) <> j.total or coalesce(sum(l.credit), 0) <> j.total \
                or count(l.id) <> j.line_count or count(l.id) < 2",
    },
    Rule {
        says: "line with both sides or neither; line, debit, credit",
        finds: "select cast(id as text), debit, credit from journal_line where (debit > 0) = (credit > 0)",
    },
    Rule {
        says: "line that does not fit its journal or account; line, journal, account",
        finds: "select cast(l.id as text), l.journal_id, l.account_id from journal_line l \
                left join journal j on j.id = l.journal_id left join account a on a.id = l.account_id \
                where j.id is null or a.id is null or l.entry_day <> j.entry_day \
                or l.organisation_id <> j.organisation_id or l.organisation_id <> a.organisation_id",
    },
    Rule {
        says: "journal numbers with a gap; organisation, next number, journals, highest",
        finds: "select cast(b.organisation_id as text), b.next_journal_number, count(j.id), \
                coalesce(max(j.number), 0) from books b left join journal j on j.organisation_id = b.organisation_id \
                group by b.organisation_id, b.next_journal_number \
                having count(j.id) <> b.next_journal_number - 1 or coalesce(max(j.number), 0) <> count(j.id)",
    },
    Rule {
        says: "history with a gap; organisation, next entry, entries, highest",
        finds: "select cast(b.organisation_id as text), b.next_change, count(c.cursor), coalesce(max(c.cursor), 0) \
                from books b left join book_change c on c.organisation_id = b.organisation_id \
                group by b.organisation_id, b.next_change \
                having count(c.cursor) <> b.next_change - 1 or coalesce(max(c.cursor), 0) <> count(c.cursor)",
    },
    Rule {
        says: "bank account whose opening balance is not that of the opening journal; bank account, balance, journal's",
        finds: "select cast(b.id as text), b.opening, cast(coalesce(sum(l.debit - l.credit), 0) as bigint) \
                from bank_account b left join journal j on j.organisation_id = b.organisation_id \
                and j.source_type = 'opening_balance' \
                and not exists (select 1 from journal_reversal v where v.journal_id = j.id) \
                left join journal_line l on l.journal_id = j.id and l.account_id = b.account_id \
                group by b.id, b.opening having coalesce(sum(l.debit - l.credit), 0) <> b.opening",
    },
    Rule {
        says: "opening balances told wrongly; organisation, opening journals that stand",
        finds: "select cast(o.id as text), count(j.id) from organisation o left join journal j \
                on j.organisation_id = o.id and j.source_type = 'opening_balance' \
                and not exists (select 1 from journal_reversal v where v.journal_id = j.id) \
                group by o.id, o.opening_balances_set having (count(j.id) > 0) <> o.opening_balances_set or count(j.id) > 1",
    },
    Rule {
        says: "organisation without books; organisation",
        finds: "select cast(o.id as text) from organisation o \
                where not exists (select 1 from books b where b.organisation_id = o.id)",
    },
    Rule {
        says: "voided journal whose reversal does not mirror it; journal, reversal",
        finds: "select cast(v.journal_id as text), v.reversal_id from journal_reversal v \
                left join journal j on j.id = v.journal_id left join journal r on r.id = v.reversal_id \
                where r.id is null or r.reverses_journal_id is null or r.reverses_journal_id <> v.journal_id \
                or r.total <> j.total or r.entry_day < j.entry_day or v.entry_day <> j.entry_day \
                or v.organisation_id <> r.organisation_id",
    },
    Rule {
        says: "reversal of a journal that is not void; journal",
        finds: "select cast(j.id as text) from journal j where j.reverses_journal_id is not null and not exists \
                (select 1 from journal_reversal v where v.journal_id = j.reverses_journal_id and v.reversal_id = j.id)",
    },
    Rule {
        says: "total of a day differs from the lines; account, day, debit too much, credit too much, lines too many",
        finds: "select cast(account_id as text), day, cast(sum(debit) as bigint), cast(sum(credit) as bigint), \
                cast(sum(items) as bigint) from \
                (select account_id, day, debit, credit, items from account_day union all \
                select account_id, coalesce(closing_day, entry_day), -debit, -credit, -1 from journal_line \
                where closing_day is null or closing_day < 84006) t group by account_id, day \
                having sum(debit) <> 0 or sum(credit) <> 0 or sum(items) <> 0",
    },
    Rule {
        // 84006 is the day after the last of the books: on no day.
        says: "closing line that counts from a wrong day, or another line that is said to be one; line, day, income or expense",
        finds: "select cast(l.id as text), coalesce(l.closing_day, 0), \
                case when a.account_type in ('REVENUE', 'EXPENSE') then 1 else 0 end from journal_line l \
                join journal j on j.id = l.journal_id join account a on a.id = l.account_id \
                left join journal o on o.id = j.reverses_journal_id \
                where (l.closing_day is not null) <> (coalesce(o.source_type, j.source_type) = 'year_end_close') \
                or (l.closing_day is not null and l.closing_day <> 84006 and l.closing_day <> l.entry_day + 1) \
                or (l.closing_day is not null and l.closing_day <> 84006 and a.account_type <> 'EQUITY')",
    },
    Rule {
        says: "closing whose lines on no day do not balance; journal, debits less credits",
        finds: "select cast(journal_id as text), cast(sum(debit - credit) as bigint) from journal_line \
                where closing_day = 84006 group by journal_id having sum(debit - credit) <> 0",
    },
    Rule {
        says: "closed year and its journal do not stand together; organisation, last day, journal",
        finds: "select cast(c.organisation_id as text), c.end_day, coalesce(c.journal_id, 0) from financial_year_close c \
                left join journal j on j.id = c.journal_id left join journal_reversal v on v.journal_id = c.journal_id \
                where (c.journal_id is not null and (j.source_type <> 'year_end_close' or j.entry_day <> c.end_day \
                or j.organisation_id <> c.organisation_id or v.journal_id is not null)) or c.start_day > c.end_day \
                or coalesce((select l.lock_day from period_lock_change l where l.organisation_id = c.organisation_id \
                order by l.id desc limit 1), -99999) < c.end_day union all \
                select cast(j.organisation_id as text), j.entry_day, j.id from journal j \
                where j.source_type = 'year_end_close' \
                and not exists (select 1 from journal_reversal v where v.journal_id = j.id) \
                and not exists (select 1 from financial_year_close c where c.journal_id = j.id)",
    },
    Rule {
        says: "journals of an account miscounted; account, day, journals too many",
        finds: "select cast(account_id as text), day, cast(sum(journals) as bigint) from \
                (select account_id, day, journals from account_day union all \
                select account_id, entry_day, -count(distinct journal_id) from journal_line \
                group by account_id, entry_day) t group by account_id, day having sum(journals) <> 0",
    },
    Rule {
        says: "total of a month differs from its days; account, month, debit, credit and journals too much",
        finds: "select cast(account_id as text), month, cast(sum(debit) as bigint), cast(sum(credit) as bigint), \
                cast(sum(journals) as bigint) from \
                (select account_id, month, debit, credit, journals from account_month union all \
                select account_id, {month}, -debit, -credit, -journals from account_day) t group by account_id, month \
                having sum(debit) <> 0 or sum(credit) <> 0 or sum(journals) <> 0",
    },
    Rule {
        says: "contact's total of a day differs from the lines; contact, account, day, debit and credit too much",
        finds: "select cast(contact_id as text), account_id, day, cast(sum(debit) as bigint), \
                cast(sum(credit) as bigint) from \
                (select contact_id, account_id, day, debit, credit from contact_day union all \
                select coalesce(l.contact_id, 0), l.account_id, l.entry_day, -l.debit, -l.credit from journal_line l \
                join account a on a.id = l.account_id where a.role in ('accounts_receivable', 'accounts_payable')) t \
                group by contact_id, account_id, day having sum(debit) <> 0 or sum(credit) <> 0",
    },
    Rule {
        says: "contact's total of a month differs from its days; contact, account, month, debit and credit too much",
        finds: "select cast(contact_id as text), account_id, month, cast(sum(debit) as bigint), \
                cast(sum(credit) as bigint) from \
                (select contact_id, account_id, month, debit, credit from contact_month union all \
                select contact_id, account_id, {month}, -debit, -credit from contact_day) t \
                group by contact_id, account_id, month having sum(debit) <> 0 or sum(credit) <> 0",
    },
    Rule {
        says: "VAT of a day differs from its entries; code, organisation, day, net, VAT and entries too much",
        finds: "select side || ' ' || vat_code || ' ' || basis || ' ' || reverse_charge, organisation_id, day, \
                cast(sum(net) as bigint), cast(sum(vat) as bigint), cast(sum(entries) as bigint) from \
                (select organisation_id, side, vat_code, basis, reverse_charge, day, rate_day, net, vat, entries from vat_day \
                union all select organisation_id, side, vat_code, basis, coalesce(reverse_charge, ''), tax_day, rate_day, \
                -net, -vat, -1 from vat_entry) t \
                group by organisation_id, side, vat_code, basis, reverse_charge, day, rate_day \
                having sum(net) <> 0 or sum(vat) <> 0 or sum(entries) <> 0",
    },
    Rule {
        says: "VAT of a month differs from its days; code, organisation, month, net, VAT and entries too much",
        finds: "select side || ' ' || vat_code || ' ' || basis || ' ' || reverse_charge, organisation_id, month, \
                cast(sum(net) as bigint), cast(sum(vat) as bigint), cast(sum(entries) as bigint) from \
                (select organisation_id, side, vat_code, basis, reverse_charge, month, rate_day, net, vat, entries \
                from vat_month union all select organisation_id, side, vat_code, basis, reverse_charge, {month}, rate_day, \
                -net, -vat, -entries from vat_day) t \
                group by organisation_id, side, vat_code, basis, reverse_charge, month, rate_day \
                having sum(net) <> 0 or sum(vat) <> 0 or sum(entries) <> 0",
    },
    Rule {
        says: "recorded VAT return that is not made of what was there; return, entries and movements too many",
        finds: "select cast(t.id as text), cast(sum(t.items) as bigint) from (select id, entries as items from vat_return \
                union all select id, -1 from (select r.id, r.first_month, r.last_month, e.tax_day as day from vat_return r \
                join vat_entry e on e.organisation_id = r.organisation_id and e.cursor <= r.cursor) e \
                where {month} between first_month and last_month union all select id, -1 from (select r.id, r.first_month, \
                r.last_month, case c.action when 'create' then v.day else v.void_day end as day from vat_return r \
                join vat_adjustment v on v.organisation_id = r.organisation_id join vat_adjustment_entry b \
                on b.vat_adjustment_id = v.id join book_change c on c.organisation_id = r.organisation_id \
                and c.resource_type = 'vat_adjustment' and c.resource_id = v.id and c.cursor <= r.cursor) v \
                where {month} between first_month and last_month) t group by t.id having sum(t.items) <> 0",
    },
    Rule {
        says: "two recorded VAT returns of one month; both",
        finds: "select cast(a.id as text), b.id from vat_return a join vat_return b \
                on b.organisation_id = a.organisation_id and b.id > a.id and b.first_month <= a.last_month \
                and a.first_month <= b.last_month",
    },
    Rule {
        says: "cash of a day differs from the lines; organisation, day, inflow and outflow too much",
        finds: "select cast(organisation_id as text), day, cast(sum(inflow) as bigint), cast(sum(outflow) as bigint) from \
                (select organisation_id, day, inflow, outflow from cash_day union all \
                select organisation_id, entry_day, case when moved > 0 then -moved else 0 end, \
                case when moved < 0 then moved else 0 end from (select l.organisation_id, l.journal_id, l.entry_day, \
                sum(l.debit - l.credit) as moved from account a join journal_line l on l.account_id = a.id \
                where a.role = 'bank' group by l.organisation_id, l.journal_id, l.entry_day) m) t \
                group by organisation_id, day having sum(inflow) <> 0 or sum(outflow) <> 0",
    },
    Rule {
        says: "cash that was moved back differs from the lines; organisation, day, day of the reversal, amount too much",
        finds: "select cast(organisation_id as text), day, reversal_day, cast(sum(amount) as bigint) from \
                (select organisation_id, day, reversal_day, amount from cash_reversal union all \
                select m.organisation_id, o.entry_day, m.entry_day, -abs(m.moved) from \
                (select l.organisation_id, l.journal_id, l.entry_day, sum(l.debit - l.credit) as moved \
                from account a join journal_line l on l.account_id = a.id where a.role = 'bank' \
                group by l.organisation_id, l.journal_id, l.entry_day) m join journal r on r.id = m.journal_id \
                join journal o on o.id = r.reverses_journal_id) t \
                group by organisation_id, day, reversal_day having sum(amount) <> 0",
    },
    Rule {
        says: "list miscounted; list, organisation, items too many",
        finds: "select list || ' ' || status, organisation_id, cast(sum(items) as bigint) from \
                (select organisation_id, list, status, items from list_count union all \
                select organisation_id, kind, case when archived_at is null then 'active' else 'archived' end, -1 \
                from contact union all \
                select organisation_id, 'journal', 'posted', -1 from journal j where not exists \
                (select 1 from journal_reversal v where v.journal_id = j.id) union all \
                select organisation_id, 'bank_transaction', status, -1 from bank_transaction union all \
                select organisation_id, 'import', status, -1 from book_import union all \
                select organisation_id, case side when 'customer' then 'customer_receipt' else 'supplier_payment' end, \
                case when void_day is null then 'posted' else 'void' end, -1 from settlement union all \
                select organisation_id, kind, status, -1 from document union all \
                select organisation_id, 'vat_adjustment', \
                case when void_day is null then 'posted' else 'void' end, -1 from vat_adjustment union all \
                select organisation_id, 'journal type', source_type, -1 from journal union all \
                select organisation_id, case side when 'customer' then 'customer_receipt' else 'supplier_payment' end \
                || ' type', 'unallocated', -1 from settlement where void_day is null and allocated < amount union all \
                select organisation_id, kind || ' type', 'open', -1 from document \
                where due_day is not null and due > 0 union all \
                select organisation_id, kind || ' type', 'owed', -due from document \
                where due_day is not null and due > 0 union all \
                select organisation_id, 'bank_transaction type', kind, -1 from bank_transaction \
                where kind is not null union all \
                select organisation_id, 'bank_account', cast(bank_account_id as text) || ' ' || status, -1 \
                from bank_transaction union all \
                select organisation_id, 'journal', 'void', -1 from journal_reversal) t \
                group by organisation_id, list, status having sum(items) <> 0",
    },
    Rule {
        says: "day of a list miscounted; list, organisation, day, items too many",
        finds: "select list, organisation_id, day, cast(sum(items) as bigint) from \
                (select organisation_id, list, day, items from list_day union all \
                select organisation_id, 'journal', entry_day, -1 from journal union all \
                select organisation_id, 'journal void', entry_day, -1 from journal_reversal union all \
                select organisation_id, 'journal changed', created_at / 86400000, -1 from journal union all \
                select organisation_id, 'bank_transaction', day, -1 from bank_transaction union all \
                select organisation_id, 'bank_transaction ' || status, day, -1 from bank_transaction union all \
                select organisation_id, 'bank_transaction ' || status || ' changed', updated_at / 86400000, -1 \
                from bank_transaction union all \
                select organisation_id, kind || ' ' || status, day, -1 from document union all \
                select organisation_id, kind || ' due', due_day, -1 from document where due_day is not null union all \
                select organisation_id, kind || ' open', due_day, -1 from document \
                where due > 0 and due_day is not null union all \
                select organisation_id, kind || ' owed', due_day, -due from document \
                where due > 0 and due_day is not null union all \
                select organisation_id, kind || ' ' || status || ' changed', updated_at / 86400000, -1 \
                from document union all \
                select organisation_id, case side when 'customer' then 'customer_receipt' else 'supplier_payment' end \
                || case when void_day is null then ' posted' else ' void' end, day, -1 from settlement union all \
                select organisation_id, case side when 'customer' then 'customer_receipt' else 'supplier_payment' end \
                || case when void_day is null then ' posted' else ' void' end || ' changed', updated_at / 86400000, -1 \
                from settlement union all \
                select organisation_id, case when void_day is null then 'vat_adjustment posted' \
                else 'vat_adjustment void' end, day, -1 from vat_adjustment union all \
                select organisation_id, case when void_day is null then 'vat_adjustment posted changed' \
                else 'vat_adjustment void changed' end, updated_at / 86400000, -1 from vat_adjustment union all \
                select organisation_id, kind || case when archived_at is null then ' active' else ' archived' end \
                || ' changed', updated_at / 86400000, -1 from contact) t \
                group by list, organisation_id, day having sum(items) <> 0",
    },
    Rule {
        says: "VAT adjustment whose journal differs from its boxes; adjustment, journal, boxes 1 and 2 less box 4, posted",
        finds: "select cast(v.id as text), coalesce(v.journal_id, 0), cast(coalesce(e.owed, 0) as bigint), \
                cast(coalesce(l.posted, 0) as bigint) from vat_adjustment v left join (select vat_adjustment_id, \
                sum(case box_number when 1 then amount when 2 then amount when 4 then -amount else 0 end) as owed \
                from vat_adjustment_entry group by vat_adjustment_id) e on e.vat_adjustment_id = v.id \
                left join journal j on j.id = v.journal_id left join (select journal_id, account_id, \
                sum(debit - credit) as posted from journal_line group by journal_id, account_id) l \
                on l.journal_id = v.journal_id and l.account_id = v.account_id \
                where e.owed is null or coalesce(l.posted, 0) <> e.owed or (v.journal_id is null) <> (e.owed = 0) \
                or (v.journal_id is not null and (j.source_type <> 'vat_adjustment' or j.source_id <> v.id \
                or j.entry_day <> v.day or j.organisation_id <> v.organisation_id))",
    },
    Rule {
        says: "voided VAT adjustment whose journal stands, or the other way round; adjustment",
        finds: "select cast(v.id as text) from vat_adjustment v \
                left join journal_reversal r on r.journal_id = v.journal_id \
                where coalesce(v.void_journal_id, 0) <> coalesce(r.reversal_id, 0) or (v.journal_id is not null \
                and (v.void_day is null) <> (r.reversal_id is null))",
    },
    Rule {
        says: "VAT Control told wrongly; organisation, accounts with the role",
        finds: "select cast(o.id as text), count(a.id) from organisation o \
                left join account a on a.organisation_id = o.id and a.role = 'vat_control' group by o.id, \
                o.has_vat_control having (count(a.id) > 0) <> o.has_vat_control or count(a.id) > 1",
    },
    Rule {
        says: "bank account whose sums differ from its lines; bank account, sum, unconfirmed sum, unconfirmed lines",
        finds: "select cast(b.id as text), b.statement, b.unconfirmed, b.unconfirmed_count from bank_account b \
                left join bank_transaction t on t.bank_account_id = b.id \
                group by b.id, b.statement, b.unconfirmed, b.unconfirmed_count \
                having coalesce(sum(case when t.status <> 'excluded' then t.amount else 0 end), 0) <> b.statement \
                or coalesce(sum(case when t.status = 'unconfirmed' then t.amount else 0 end), 0) <> b.unconfirmed \
                or coalesce(sum(case when t.status = 'unconfirmed' then 1 else 0 end), 0) <> b.unconfirmed_count",
    },
    Rule {
        says: "confirmed line without the same amount on its bank account; line, amount, journal",
        finds: "select cast(t.id as text), t.amount, coalesce(t.journal_id, 0) from bank_transaction t \
                join bank_account b on b.id = t.bank_account_id where t.status = 'confirmed' and t.amount <> \
                coalesce((select sum(l.debit - l.credit) from journal_line l where l.journal_id = t.journal_id \
                and l.account_id = b.account_id), 0)",
    },
    Rule {
        says: "line in the books that is not confirmed, or the other way round; line",
        finds: "select cast(id as text) from bank_transaction where (status = 'confirmed') <> (journal_id is not null)",
    },
    Rule {
        says: "statement line with a suggestion that it should not have, or with half of one; line",
        finds: "select cast(id as text) from bank_transaction where (suggestion is not null and status <> 'unconfirmed') \
                or (suggestion is null) <> (suggested_confidence is null)",
    },
    Rule {
        says: "contact posted to that is said to be unused, or not of its organisation; contact",
        finds: "select distinct cast(l.contact_id as text) from journal_line l \
                left join contact c on c.id = l.contact_id where l.contact_id is not null \
                and (c.id is null or not c.used or c.organisation_id <> l.organisation_id)",
    },
];
