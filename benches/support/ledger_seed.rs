//! Books with many journals, written straight into the tables in bulk and the same every time; `bookkeeping check` finds
//! nothing wrong with them.

use anyhow::{Context, Result};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement};
use xtask::books::Books;

/// What there is to ask for.
pub struct Seeded {
    pub journals: i64,
    pub journal: i64,
    pub bank_account: i64,
    pub transaction: i64,
    pub customer: i64,
    pub supplier: i64,
    /// An account with three postings, however many there are in all.
    pub rare_account: i64,
}

/// 2024-01-01; the journals are spread over the thousand days that follow, in the order of their ids.
const FIRST_DAY: i64 = 19_723;
const DAYS: i64 = 1_000;
/// When the rows were made: 2026-01-01, the last fiftieth of them after 2026-02-01.
const MADE_MS: i64 = 1_767_225_600_000;
const MADE_LATE_MS: i64 = 1_770_000_000_000;
/// The accounts that are charged, in turn.
const CODES: [&str; 8] = ["5000", "5200", "7100", "7200", "7300", "7500", "7520", "7900"];

/// Seed `lines` journal lines: two a journal, three for every second one.
pub fn seed(url: &str, books: &Books, lines: u64) -> Result<Seeded> {
    let journals = i64::try_from(lines * 2 / 5)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let database = Database::connect(url).await?;
        let bank = bank_account(&database, books.id).await?;
        for statement in statements(database.get_database_backend(), books, bank, journals)? {
            database.execute_unprepared(&statement).await.with_context(|| statement.clone())?;
        }
        database.close().await?;
        Ok(Seeded {
            journals,
            journal: journals / 2,
            bank_account: bank,
            transaction: journals / 4 / 4 * 4,
            customer: 11,
            supplier: journals * 3 / 10 + 11,
            rare_account: books.account("7610")?,
        })
    })
}

async fn bank_account(database: &DatabaseConnection, organisation: i64) -> Result<i64> {
    let sql = format!("select id from bank_account where organisation_id = {organisation}");
    let row = database.query_one_raw(Statement::from_string(database.get_database_backend(), sql)).await?;
    Ok(row.context("no bank account")?.try_get_by_index(0)?)
}

/// The month of a day, as the tables count months.
fn month_of(backend: DbBackend, day: &str) -> String {
    match backend {
        DbBackend::Postgres => format!(
            "cast(extract(year from date '1970-01-01' + cast({day} as int)) * 12 + \
             extract(month from date '1970-01-01' + cast({day} as int)) - 1 as bigint)"
        ),
        _ => format!(
            "(cast(strftime('%Y', {day} * 86400, 'unixepoch') as int) * 12 + \
             cast(strftime('%m', {day} * 86400, 'unixepoch') as int) - 1)"
        ),
    }
}

fn statements(backend: DbBackend, books: &Books, bank: i64, journals: i64) -> Result<Vec<String>> {
    let organisation = books.id;
    let (bank_ledger, receivable) = (books.account("1200")?, books.account("1100")?);
    let rare = books.account("7610")?;
    let contacts = journals * 3 / 10;
    let mut accounts = Vec::new();
    for (place, code) in CODES.iter().enumerate() {
        accounts.push(format!("({place}, {})", books.account(code)?));
    }
    let accounts = accounts.join(", ");
    let count = |name: &str, last: i64| {
        format!(
            "with recursive {name}(i) as (select cast(1 as bigint) union all select i + 1 from {name} where i < {last})"
        )
    };
    // Every hundredth journal reverses the one before: what it is made of is that of `b`.
    let b = "(case when i % 100 = 0 then i - 1 else i end)";
    let day = format!("({FIRST_DAY} + {b} * {DAYS} / {})", journals + 1);
    let (first, second) =
        (format!("(100 + {b} * 7919 % 90000)"), format!("(case when {b} % 2 = 0 then 50 else 0 end)"));
    let made = format!("(case when i > {} then {MADE_LATE_MS} else {MADE_MS} end)", journals / 50 * 49);
    let is_confirmed = "(i % 4 <> 0 and i % 40 <> 1 and i % 50 <> 0)";
    // Journal 2i belongs to line i of the statement when that is confirmed; there are half as many lines as journals.
    let half_confirmed = is_confirmed.replace('i', "(i / 2)");
    let of_bank = format!("(i % 2 = 0 and {half_confirmed})");
    let contact_of = format!("(case when {b} % 10 = 7 then 1 + {b} / 10 % {contacts} end)");
    let account_of = format!(
        "(case when {b} % 10 = 7 then {receivable} when {b} in (1, 2, 3) then {rare} \
         else (select a.id from (values {accounts}) as a(k, id) where a.k = {b} % {}) end)",
        CODES.len()
    );
    let account_of = match backend {
        DbBackend::Postgres => account_of,
        _ => account_of.replace("as a(k, id) where a.k", "as a where a.column1").replace("a.id", "a.column2"),
    };
    let side = |amount: &str, is_debit: bool| {
        let (straight, reversed) = if is_debit { (amount, "0") } else { ("0", amount) };
        format!("case when i % 100 = 0 then {reversed} else {straight} end")
    };
    let line = |number: i64, account: &str, amount: &str, is_debit: bool, contact: &str, which: &str| {
        format!(
            "{} insert into journal_line (id, organisation_id, journal_id, line_number, account_id, entry_day, debit, \
             credit, memo, vat_code, vat_amount, contact_id, system) select i * 3 + {}, {organisation}, i, {number}, \
             {account}, {day}, {}, {}, null, null, null, cast({contact} as bigint), false from n where {which}",
            count("n", journals),
            number - 1,
            side(amount, is_debit),
            side(amount, !is_debit)
        )
    };
    let kind_of_contact = format!("case when i <= {contacts} then 'customer' else 'supplier' end");
    let contact = format!(
        "{} insert into contact (id, organisation_id, kind, name, email, cis_deducts, cis_is_subcontractor, search, used, \
         archived_at, created_at, updated_at, version) select i, {organisation}, {kind_of_contact}, \
         'Customer ' || (i * 7919 % 1000003), 'office' || i || '@example.com', false, false, \
         'customer ' || (i * 7919 % 1000003) || ' office' || i || '@example.com', i <= {contacts}, \
         case when i % 50 = 0 then {MADE_MS} end, {MADE_MS}, case when i % 50 = 1 then {MADE_LATE_MS} else {MADE_MS} end, 1 from n",
        count("n", 2 * contacts)
    );
    let journal = format!(
        "{} insert into journal (id, organisation_id, number, entry_day, description, reference, search, source_type, \
         source_id, reverses_journal_id, total, line_count, created_at, user_id, key_prefix) \
         select i, {organisation}, i, {day}, 'Payment ' || i, null, i || ' payment ' || i, \
         case when i % 100 = 0 then 'reversal' when {of_bank} then 'bank_transaction' else 'manual' end, \
         case when {of_bank} then i / 2 end, case when i % 100 = 0 then i - 1 end, {first} + {second}, \
         2 + case when {b} % 2 = 0 then 1 else 0 end, {made}, 1, null from n",
        count("n", journals)
    );
    let reversal = "insert into journal_reversal (journal_id, organisation_id, entry_day, reversal_id, reason) \
         select reverses_journal_id, organisation_id, entry_day, id, null from journal \
         where reverses_journal_id is not null"
        .to_owned();
    let status = format!(
        "case when {is_confirmed} then 'confirmed' when i % 40 = 1 and i % 50 <> 0 then 'excluded' else 'unconfirmed' end"
    );
    let transaction = format!(
        "{} insert into bank_transaction (id, organisation_id, bank_account_id, day, amount, description, status, kind, \
         lines, journal_id, confirmed_at, confirmed_by, search, created_at, updated_at, version) \
         select n.i, {organisation}, {bank}, j.entry_day, -j.total, 'CARD PAYMENT ' || n.i, {}, \
         case when {} then 'coded' end, '[]', case when {} then j.id end, null, null, 'card payment ' || n.i, \
         {MADE_MS}, j.created_at, 1 from n join journal j on j.id = n.i * 2",
        count("n", journals / 2),
        status.replace("i %", "n.i %"),
        is_confirmed.replace("i %", "n.i %"),
        is_confirmed.replace("i %", "n.i %")
    );
    let month = month_of(backend, "day");
    let mut all = vec![
        contact,
        journal,
        reversal,
        line(1, &account_of, &first, true, &contact_of, "true"),
        line(2, &account_of.replace(&format!("{b} % 10 = 7"), "false"), &second, true, "null", &format!("{b} % 2 = 0")),
        line(3, &bank_ledger.to_string(), &format!("({first} + {second})"), false, "null", "true"),
        format!(
            "update journal_line set line_number = 2 where line_number = 3 and journal_id in (select id from journal where line_count = 2)"
        ),
        transaction,
        "insert into account_day (account_id, day, organisation_id, debit, credit, items) select account_id, entry_day, \
         organisation_id, sum(debit), sum(credit), count(*) from journal_line group by account_id, entry_day, organisation_id"
            .to_owned(),
        format!(
            "insert into account_month (account_id, month, organisation_id, debit, credit) select account_id, {month}, \
             organisation_id, sum(debit), sum(credit) from account_day group by account_id, {month}, organisation_id"
        ),
        format!(
            "insert into contact_day (organisation_id, account_id, contact_id, day, debit, credit, direct_debit, direct_credit) \
             select organisation_id, account_id, coalesce(contact_id, 0), entry_day, sum(debit), sum(credit), sum(debit), sum(credit) \
             from journal_line where account_id = {receivable} group by organisation_id, account_id, coalesce(contact_id, 0), entry_day"
        ),
        format!(
            "insert into contact_month (organisation_id, account_id, contact_id, month, debit, credit, direct_debit, direct_credit) \
             select organisation_id, account_id, contact_id, {month}, sum(debit), sum(credit), sum(debit), sum(credit) from contact_day \
             group by organisation_id, account_id, contact_id, {month}"
        ),
        format!(
            "insert into list_count (organisation_id, list, status, items) \
             select organisation_id, kind, case when archived_at is null then 'active' else 'archived' end as status, \
             count(*) from contact group by 1, 2, 3 union all \
             select organisation_id, 'bank_transaction', status, count(*) from bank_transaction group by 1, 2, 3 union all \
             select organisation_id, 'journal', 'void', count(*) from journal_reversal group by 1, 2, 3 union all \
             select {organisation}, 'journal', 'posted', \
             (select count(*) from journal) - (select count(*) from journal_reversal)"
        ),
        "insert into list_day (organisation_id, list, day, items) \
         select organisation_id, 'journal', entry_day, count(*) from journal group by organisation_id, entry_day union all \
         select organisation_id, 'bank_transaction', day, count(*) from bank_transaction group by organisation_id, day"
            .to_owned(),
        format!(
            "update bank_account set statement = (select coalesce(sum(amount), 0) from bank_transaction where status <> 'excluded'), \
             unconfirmed = (select coalesce(sum(amount), 0) from bank_transaction where status = 'unconfirmed'), \
             unconfirmed_count = (select count(*) from bank_transaction where status = 'unconfirmed') where id = {bank}"
        ),
        format!(
            "update books set next_journal_number = {journals} + 1, version = version + 1 where organisation_id = {organisation}"
        ),
        format!("update id_block set next = next + {}", journals * 4),
    ];
    if backend == DbBackend::Postgres {
        all.push("analyze".to_owned());
    }
    Ok(all)
}
