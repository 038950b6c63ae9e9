//! Re-derives everything that is derived and compares (`bookkeeping check`).

use super::sql::Unit;
use super::{StoreError, books};
use crate::store::sql::Reader;

/// Differences listed of one kind.
const LISTED_MAX: usize = 100;

impl Reader {
    /// Every difference found, in words; empty when all is well. Reads one snapshot.
    pub async fn check(&self) -> Result<Vec<String>, StoreError> {
        self.snapshot(|unit| Box::pin(check(unit))).await
    }
}

/// A rule: what a found row means, and the query that finds violations, whose first column is text and whose other
/// columns are numbers.
pub(super) struct Rule {
    pub(super) says: &'static str,
    pub(super) finds: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        says: "balance differs from its movements; user, then stored and derived monthly, bonus, overage",
        finds: "select cast(a.user_id as text), a.monthly, coalesce(m.monthly, 0), a.bonus, coalesce(m.bonus, 0), \
                a.overage_used, coalesce(m.overage, 0) from credit_account a left join (select user_id, \
                cast(sum(monthly) as bigint) as monthly, cast(sum(bonus) as bigint) as bonus, \
                cast(sum(overage) as bigint) as overage from credit_movement group by user_id) m \
                on m.user_id = a.user_id where a.monthly <> coalesce(m.monthly, 0) or \
                a.bonus <> coalesce(m.bonus, 0) or a.overage_used <> coalesce(m.overage, 0)",
    },
    Rule {
        says: "negative balance; user, monthly, bonus, overage",
        finds: "select cast(user_id as text), monthly, bonus, overage_used from credit_account \
                where monthly < 0 or bonus < 0 or overage_used < 0",
    },
    Rule {
        says: "reservation differs from what the running jobs cost; user, stored and derived",
        finds: "select cast(a.user_id as text), a.reserved, coalesce(j.cost, 0) from credit_account a left join \
                (select user_id, cast(sum(cost) as bigint) as cost from job where completed_at is null \
                and status = 'processing' group by user_id) j on j.user_id = a.user_id \
                where a.reserved <> coalesce(j.cost, 0)",
    },
    Rule {
        says: "document that was e-mailed last at another moment, or not as often; document, stored, derived, stored \
               and derived number",
        finds: "select cast(d.id as text), coalesce(d.last_emailed_at, 0), coalesce(e.at, 0), d.email_count, \
                coalesce(e.number, 0) from document d \
                left join (select document_type, document_id, max(created_at) as at, count(*) as number from email \
                where document_type in ('sales_invoice', 'sales_credit_note') group by document_type, document_id) e \
                on e.document_type = d.kind and e.document_id = d.id \
                where coalesce(d.last_emailed_at, 0) <> coalesce(e.at, 0) or d.email_count <> coalesce(e.number, 0)",
    },
    Rule {
        says: "receipt or payment that was e-mailed last at another moment, or not as often; settlement, stored, derived, \
               stored and derived number",
        finds: "select cast(s.id as text), coalesce(s.last_emailed_at, 0), coalesce(e.at, 0), s.email_count, \
                coalesce(e.number, 0) from settlement s \
                left join (select document_type, document_id, max(created_at) as at, count(*) as number from email \
                where document_type in ('customer_receipt', 'supplier_payment') group by document_type, document_id) e \
                on e.document_id = s.id and e.document_type = \
                case s.side when 'customer' then 'customer_receipt' else 'supplier_payment' end \
                where coalesce(s.last_emailed_at, 0) <> coalesce(e.at, 0) or s.email_count <> coalesce(e.number, 0)",
    },
    Rule {
        says: "e-mail whose next attempt does not fit its state; e-mail, next attempt",
        finds: "select cast(id as text), coalesce(next_attempt_at, 0) from email \
                where (status = 'queued') <> (next_attempt_at is not null)",
    },
    Rule {
        says: "person without a credit account; user",
        finds: "select cast(u.id as text) from user_account u \
                where not exists (select 1 from credit_account a where a.user_id = u.id)",
    },
    Rule {
        says: "completed job whose charge is missing or differs; job, credits charged, charge",
        finds: "select j.id, coalesce(j.credits_charged, -1), coalesce(c.monthly + c.bonus + c.overage, 0) from job j \
                left join charge c on c.job_id = j.id where j.status = 'completed' and \
                coalesce(j.credits_charged, -1) <> coalesce(c.monthly + c.bonus + c.overage, 0)",
    },
    Rule {
        says: "charge of a job that is not completed; job, charge",
        finds: "select c.job_id, c.monthly + c.bonus + c.overage from charge c \
                where not exists (select 1 from job j where j.id = c.job_id and j.status = 'completed')",
    },
    Rule {
        says: "charge without its movement; job, charge",
        finds: "select c.job_id, c.monthly + c.bonus + c.overage from charge c \
                where not exists (select 1 from credit_movement m where m.kind = 'charge' \
                and m.reference = c.job_id and m.user_id = c.user_id and m.monthly = -c.monthly \
                and m.bonus = -c.bonus and m.overage = c.overage)",
    },
    Rule {
        // The job of an old movement may have been deleted by retention, its charge with it.
        says: "movement of a job that was not charged; job, movement",
        finds: "select m.reference, m.id from credit_movement m join job j on j.id = m.reference \
                where m.kind = 'charge' and not exists (select 1 from charge c where c.job_id = m.reference)",
    },
    Rule {
        says: "job charged more than once; job, movements",
        finds: "select reference, count(*) from credit_movement where kind = 'charge' \
                group by reference having count(*) > 1",
    },
    Rule {
        says: "load of a coding session without its movement; session, charge",
        finds: "select l.session_id, l.monthly + l.bonus + l.overage from coding_session_load l \
                where not exists (select 1 from credit_movement m where m.kind = 'tool_coding_load' \
                and m.reference = l.session_id || ':' || l.batch_ref and m.user_id = l.user_id \
                and m.monthly = -l.monthly and m.bonus = -l.bonus and m.overage = l.overage)",
    },
    Rule {
        says: "coding session whose lines are miscounted; session, stored, loaded, there",
        finds: "select s.id, s.last_line, (select cast(coalesce(sum(l.line_count), 0) as bigint) \
                from coding_session_load l where l.session_id = s.id), \
                (select count(*) from coding_session_line n where n.session_id = s.id) from coding_session s \
                where not s.is_cleared and (s.last_line <> (select coalesce(sum(l.line_count), 0) \
                from coding_session_load l where l.session_id = s.id) \
                or s.last_line <> (select count(*) from coding_session_line n where n.session_id = s.id))",
    },
    Rule {
        says: "coding session that was charged other than four credits a line; session, lines, charge",
        finds: "select session_id, line_count, monthly + bonus + overage from coding_session_load \
                where monthly + bonus + overage <> 4 * line_count",
    },
    Rule {
        says: "waiting jobs miscounted; product, stored, counted",
        finds: "select s.product, s.waiting, (select count(*) from job_hot h where h.product = s.product) \
                from product_slot s where s.waiting <> (select count(*) from job_hot h where h.product = s.product)",
    },
    Rule {
        says: "queued job that is not in the queue exactly once; job, places",
        finds: "select j.id, (select count(*) from job_hot h where h.job_id = j.id and h.product = j.product) from job j \
                where j.completed_at is null and j.status = 'queued' and \
                (select count(*) from job_hot h where h.job_id = j.id and h.product = j.product) <> 1",
    },
    Rule {
        says: "place in the queue of a job that is not queued; job",
        finds: "select h.job_id from job_hot h \
                where not exists (select 1 from job j where j.id = h.job_id and j.status = 'queued')",
    },
    Rule {
        says: "more than one running job; product, jobs",
        finds: "select product, count(*) from job where completed_at is null and status = 'processing' \
                group by product having count(*) > 1",
    },
    Rule {
        says: "job in two states; job",
        finds: "select id from job where (status in ('queued', 'processing')) <> (completed_at is null) \
                or (status = 'failed') <> (failure is not null) \
                or (status = 'completed') <> (credits_charged is not null)",
    },
    Rule {
        says: "open job without its payload; job",
        finds: "select j.id from job j where j.completed_at is null \
                and not exists (select 1 from job_payload p where p.job_id = j.id and p.part = 0)",
    },
    Rule {
        says: "payload kept after its job ended; job, parts",
        finds: "select p.job_id, count(*) from job_payload p join job j on j.id = p.job_id \
                where j.completed_at is not null group by p.job_id",
    },
    Rule {
        says: "result parts miscounted; job, stored, counted",
        finds: "select j.id, j.result_parts, (select count(*) from job_result r where r.job_id = j.id) from job j \
                where j.completed_at is not null and \
                j.result_parts <> (select count(*) from job_result r where r.job_id = j.id)",
    },
    Rule {
        // The schema refuses them, but not those that were there before it did.
        says: "identifier below 1; table, identifier",
        finds: "select 'account', id from account where id < 1 union all \
                select 'contact', id from contact where id < 1 union all \
                select 'journal', id from journal where id < 1 union all \
                select 'journal_line', id from journal_line where id < 1 union all \
                select 'vat_entry', id from vat_entry where id < 1 union all \
                select 'period_lock_change', id from period_lock_change where id < 1 union all \
                select 'bank_account', id from bank_account where id < 1 union all \
                select 'bank_transaction', id from bank_transaction where id < 1 union all \
                select 'book_import', id from book_import where id < 1 union all \
                select 'document', id from document where id < 1 union all \
                select 'document_line', id from document_line where id < 1 union all \
                select 'allocation', id from allocation where id < 1 union all \
                select 'settlement', id from settlement where id < 1 union all \
                select 'vat_adjustment', id from vat_adjustment where id < 1 union all \
                select 'vat_return', id from vat_return where id < 1 union all \
                select 'email', id from email where id < 1 union all \
                select 'write_off', id from write_off where id < 1",
    },
];

async fn check(unit: &Unit<'_>) -> Result<Vec<String>, StoreError> {
    let mut differences = Vec::new();
    let month = unit.dialect(
        "cast(strftime('%Y', day * 86400, 'unixepoch') as integer) * 12 + \
         cast(strftime('%m', day * 86400, 'unixepoch') as integer) - 1",
        "cast(extract(year from date '1970-01-01' + cast(day as integer)) * 12 + \
         extract(month from date '1970-01-01' + cast(day as integer)) - 1 as bigint)",
    );
    let of_books = [books::RULES, books::DOCUMENT_RULES, books::SETTLEMENT_RULES, books::CONTACT_RULES];
    for rule in RULES.iter().chain(of_books.into_iter().flatten()) {
        let rows = unit.all(&rule.finds.replace("{month}", month), Vec::new()).await?;
        for row in rows.iter().take(LISTED_MAX) {
            let mut difference = format!("{}: {}", rule.says, row.get::<String>(0)?);
            for column in 1..row.width() {
                difference.push_str(&format!(", {}", row.get::<i64>(column)?));
            }
            differences.push(difference);
        }
        if rows.len() > LISTED_MAX {
            differences.push(format!("{}: and {} more", rule.says, rows.len() - LISTED_MAX));
        }
    }
    Ok(differences)
}
