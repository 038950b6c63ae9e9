//! Books with many journals, written straight into the tables in bulk and the same every time; `bookkeeping check` finds
//! nothing wrong with them.

use anyhow::{Context, Result};
use migration::{m20261124_000022_contact_reports, m20261126_000061_report_speed};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement};
use xtask::books::Books;

/// What there is to ask for.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Seeded {
    pub journals: i64,
    pub journal: i64,
    pub bank_account: i64,
    pub transaction: i64,
    pub customer: i64,
    pub supplier: i64,
    /// An account with three postings, however many there are in all.
    pub rare_account: i64,
    /// An invoice that a receipt pays, the receipt, the customer of both.
    pub invoice: i64,
    pub receipt: i64,
    pub billed: i64,
    pub bill: i64,
    pub credit_note: i64,
    pub payment: i64,
    pub import: i64,
    /// Half of the history.
    pub change: i64,
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
///
/// Of ten journals five are of bank lines or entered by hand; the others, by the last digit of their ids, which are those
/// of their documents too: 1 a sales invoice, 3 a purchase invoice, 5 a credit note or a supplier payment, 7 entered by
/// hand for a customer, 9 a customer receipt. Every fiftieth reverses the one before.
pub fn seed(url: &str, books: &Books, lines: u64) -> Result<Seeded> {
    let journals = i64::try_from(lines * 2 / 5)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let database = Database::connect(url).await?;
        let bank = one(&database, &format!("select id from bank_account where organisation_id = {}", books.id)).await?;
        let changes = format!("select next_change - 1 from books where organisation_id = {}", books.id);
        let seed = Seed {
            backend: database.get_database_backend(),
            organisation: books.id,
            bank,
            journals,
            contacts: journals * 3 / 10,
            changes: one(&database, &changes).await?,
        };
        for statement in seed.statements(books)? {
            database.execute_unprepared(&statement).await.with_context(|| statement.clone())?;
        }
        database.close().await?;
        // The tenth journals are counted from `k`; of this one invoice, receipt and payment are set against each other.
        let k = journals / 20 / 24 * 24 + 1;
        Ok(Seeded {
            journals,
            journal: journals / 2,
            bank_account: bank,
            transaction: journals / 4 / 4 * 4,
            customer: 11,
            supplier: seed.contacts + 11,
            rare_account: books.account("7610")?,
            invoice: 10 * k + 1,
            receipt: 10 * k + 9,
            billed: 1 + k * 7919 % seed.contacts,
            bill: 10 * k + 3,
            credit_note: 10 * (k + 1) + 5,
            payment: 10 * k + 5,
            import: journals / 80,
            change: journals,
        })
    })
}

async fn one(database: &DatabaseConnection, sql: &str) -> Result<i64> {
    let row = database.query_one_raw(Statement::from_string(database.get_database_backend(), sql)).await?;
    Ok(row.with_context(|| format!("nothing: {sql}"))?.try_get_by_index(0)?)
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

struct Seed {
    backend: DbBackend,
    organisation: i64,
    bank: i64,
    journals: i64,
    /// So many customers, and as many suppliers.
    contacts: i64,
    /// Entries of the history that are there already.
    changes: i64,
}

/// What a journal is made of is that of `b`, which is the one before for those that reverse it.
const B: &str = "(case when i % 50 = 0 then i - 1 else i end)";

/// Its place in ten, and which ten.
fn place(b: &str) -> (String, String) {
    (format!("({b} % 10)"), format!("({b} / 10)"))
}

/// Pence of the first line of a journal: one in twenty-five bank lines is of less than five pounds.
fn first(b: &str) -> String {
    format!("(100 + case when {b} % 50 = 6 then {b} * 7919 % 350 else {b} * 7919 % 90000 end)")
}

/// Numbers from 1 to the last, as `n (i)`.
fn count(last: i64) -> String {
    format!("with recursive n(i) as (select cast(1 as bigint) union all select i + 1 from n where i < {last})")
}

impl Seed {
    fn statements(&self, books: &Books) -> Result<Vec<String>> {
        let mut all = self.contacts();
        all.extend(self.journals(books)?);
        all.extend(self.documents(books)?);
        all.push(self.bank_transactions());
        all.extend(self.history());
        all.extend(self.totals(books)?);
        all.extend(self.cash());
        all.extend(self.counters());
        all.push(format!("update id_block set next = next + {}", self.journals * 4));
        if self.backend == DbBackend::Postgres {
            all.push("vacuum analyze".to_owned());
        }
        Ok(all)
    }

    /// The moment journal `i` was posted.
    fn posted(&self) -> String {
        format!("(case when i > {} then {MADE_LATE_MS} else {MADE_MS} end)", self.journals / 50 * 49)
    }

    fn contacts(&self) -> Vec<String> {
        let (organisation, contacts) = (self.organisation, self.contacts);
        vec![format!(
            "{} insert into contact (id, organisation_id, kind, name, email, cis_deducts, cis_is_subcontractor, search, used, \
             archived_at, created_at, updated_at, version) select i, {organisation}, \
             case when i <= {contacts} then 'customer' else 'supplier' end, \
             'Customer ' || (i * 7919 % 1000003), 'office' || i || '@example.com', false, false, \
             'customer ' || (i * 7919 % 1000003) || ' office' || i || '@example.com', true, \
             case when i % 50 = 0 then {MADE_MS} end, {MADE_MS}, \
             case when i % 20 = 1 then {MADE_LATE_MS} else {MADE_MS} end, 1 from n",
            count(2 * contacts)
        )]
    }

    /// The condition under which line `i` of the statement is confirmed.
    fn is_confirmed(i: &str) -> String {
        format!("({i} % 4 <> 0 and {i} % 40 <> 1 and {i} % 25 <> 0)")
    }

    fn customer(&self, k: &str) -> String {
        format!("(1 + {k} * 7919 % {})", self.contacts)
    }

    fn supplier(&self, k: &str) -> String {
        format!("({} + 1 + {k} * 7919 % {})", self.contacts, self.contacts)
    }

    /// What the journals of documents and settlements are the journals of; for others, nothing.
    fn kind(b: &str) -> String {
        let (r, k) = place(b);
        format!(
            "(case {r} when 1 then 'sales_invoice' when 3 then 'purchase_invoice' when 9 then 'customer_receipt' \
             when 5 then case {k} % 4 when 1 then 'supplier_payment' when 3 then 'purchase_credit_note' \
             else 'sales_credit_note' end end)"
        )
    }

    fn journals(&self, books: &Books) -> Result<Vec<String>> {
        let Self { organisation, journals, .. } = *self;
        let (r, k) = place(B);
        let (bank, sales) = (books.account("1200")?, books.account("4000")?);
        let (receivable, payable) = (books.account("1100")?, books.account("2100")?);
        let mut accounts = Vec::new();
        for (place, code) in CODES.iter().enumerate() {
            accounts.push(format!("when {place} then {}", books.account(code)?));
        }
        let charged = format!("(case {B} % {} {} end)", CODES.len(), accounts.join(" "));
        let rare = format!("(case when {B} in (2, 4, 6) then {} else {charged} end)", books.account("7610")?);
        let (customer, supplier) = (self.customer(&k), self.supplier(&k));
        let debited = format!(
            "(case {r} when 1 then {receivable} when 7 then {receivable} when 9 then {bank} \
             when 5 then case when {k} % 2 = 0 then {sales} else {payable} end else {rare} end)"
        );
        let debited_contact = format!(
            "(case {r} when 1 then {customer} when 7 then {customer} when 5 then case when {k} % 2 = 1 then {supplier} end end)"
        );
        let credited = format!(
            "(case {r} when 1 then {sales} when 3 then {payable} when 9 then {receivable} \
             when 5 then case {k} % 4 when 1 then {bank} when 3 then {charged} else {receivable} end else {bank} end)"
        );
        let credited_contact = format!(
            "(case {r} when 3 then {supplier} when 9 then {customer} when 5 then case when {k} % 2 = 0 then {customer} end end)"
        );
        let day = format!("({FIRST_DAY} + {B} * {DAYS} / {})", journals + 1);
        let (first, second) = (first(B), format!("(case when {B} % 2 = 0 then 50 else 0 end)"));
        let of_bank = format!("(i % 2 = 0 and {})", Self::is_confirmed("(i / 2)"));
        let journal = format!(
            "{} insert into journal (id, organisation_id, number, entry_day, description, reference, search, source_type, \
             source_id, reverses_journal_id, total, line_count, created_at, user_id, key_prefix) \
             select i, {organisation}, i, {day}, 'Payment ' || i, null, i || ' payment ' || i, \
             case when i % 50 = 0 then 'reversal' when {of_bank} then 'bank_transaction' else coalesce({kind}, 'manual') end, \
             case when i % 50 = 0 then null when {of_bank} then i / 2 when {kind} is not null then i end, \
             case when i % 50 = 0 then i - 1 end, {first} + {second}, \
             2 + case when {B} % 2 = 0 then 1 else 0 end, {}, 1, null from n",
            count(journals),
            self.posted(),
            kind = Self::kind("i"),
        );
        let reversal = "insert into journal_reversal (journal_id, organisation_id, entry_day, reversal_id, reason) \
             select reverses_journal_id, organisation_id, entry_day, id, null from journal \
             where reverses_journal_id is not null";
        let line = |place: i64, account: &str, amount: &str, is_debit: bool, contact: &str, which: &str| {
            let (straight, reversed) = if is_debit { (amount, "0") } else { ("0", amount) };
            format!(
                "{} insert into journal_line (id, organisation_id, journal_id, line_number, account_id, entry_day, debit, \
                 credit, memo, vat_code, vat_amount, contact_id, system) select i * 3 + {place}, {organisation}, i, \
                 {}, {account}, {day}, case when i % 50 = 0 then {reversed} else {straight} end, \
                 case when i % 50 = 0 then {straight} else {reversed} end, null, null, null, \
                 cast({contact} as bigint), false from n where {which}",
                count(journals),
                if place == 2 { format!("case when {B} % 2 = 0 then 3 else 2 end") } else { (place + 1).to_string() },
            )
        };
        Ok(vec![
            journal,
            reversal.to_owned(),
            line(0, &debited, &first, true, &debited_contact, "true"),
            line(1, &charged, &second, true, "null", &format!("{B} % 2 = 0")),
            line(2, &credited, &format!("({first} + {second})"), false, &credited_contact, "true"),
        ])
    }

    fn documents(&self, books: &Books) -> Result<Vec<String>> {
        let Self { organisation, journals, bank, .. } = *self;
        let tens = journals / 10;
        let (kind, k, amount) = (Self::kind("i"), "(i / 10)", first("i"));
        let contact = format!(
            "(case when i % 10 in (1, 9) or (i % 10 = 5 and {k} % 2 = 0) then {} else {} end)",
            self.customer(k),
            self.supplier(k)
        );
        let changed = format!("(case when {k} % 5 = 2 then {MADE_LATE_MS} else j.created_at end)");
        let columns = "id, organisation_id, kind, stage, status, number, contact_id, day, due_day, reference, vat_inclusive, \
             net, vat, by_code, paid, credited, due, cis_labour, cis_materials, cis_deduction, opening, vat_basis, journal_id, \
             search, issued_at, created_at, updated_at, version";
        let number = |k: &str| {
            format!(
                "case i % 10 when 1 then 'INV-' || (100000 + {k}) when 3 then 'BILL-' || (100000 + {k}) \
                 else case {k} % 2 when 0 then 'SCN-' || (100000 + {k}) else 'PCN-' || (100000 + {k}) end end"
            )
        };
        let by_code = format!(
            "'NV ' || ({amount} / 100) || case when {amount} % 100 < 10 then '.0' else '.' end || ({amount} % 100) || ' 0.00'"
        );
        let documents = format!(
            "{} insert into document ({columns}) select i, {organisation}, {kind}, 'issued', 'issued', {number}, {contact}, \
             j.entry_day, case when i % 10 = 5 then null else j.entry_day + 30 end, 'PO ' || i, false, {amount}, 0, {by_code}, \
             0, 0, {amount}, 0, 0, 0, false, 'standard', j.id, lower({number}) || {line_end} || 'po ' || i || {line_end}, j.created_at, \
             j.created_at, {changed}, 1 from n join journal j on j.id = i \
             where i % 10 in (1, 3) or (i % 10 = 5 and {k} % 4 <> 1)",
            count(journals),
            number = number(k),
            line_end = if self.backend == DbBackend::Postgres { "chr(10)" } else { "char(10)" },
        );
        // Drafts, and what was voided while it was one.
        let drafts = format!(
            "{} insert into document ({columns}) select {journals} + i, {organisation}, \
             case when i % 2 = 1 then 'sales_invoice' else 'purchase_invoice' end, \
             case when i % 4 < 2 then 'draft' else 'void' end, case when i % 4 < 2 then 'draft' else 'void' end, null, \
             case when i % 2 = 1 then {} else {} end, {FIRST_DAY} + i * {DAYS} / {}, \
             {FIRST_DAY} + i * {DAYS} / {} + 30, 'PO ' || i, false, 1000, 0, 'NV 10.00 0.00', 0, 0, 0, 0, 0, 0, false, null, null, \
             'po ' || i, null, {MADE_MS}, {MADE_MS}, 1 from n",
            count(journals / 20),
            self.customer("i"),
            self.supplier("i"),
            journals / 20 + 1,
            journals / 20 + 1,
        );
        let lines = format!(
            "insert into document_line (id, organisation_id, document_id, line_number, description, account_id, quantity, \
             unit_price, discount, vat_code, net, vat, cis_type) select id, organisation_id, id, 1, 'Goods', \
             case when kind in ('sales_invoice', 'sales_credit_note') then {} else {} end, 10000, net * 100, 0, 'NV', net, \
             0, 'none' from document",
            books.account("4000")?,
            books.account("5000")?
        );
        let settlements = format!(
            "{} insert into settlement (id, organisation_id, side, kind, number, contact_id, day, amount, bank_account_id, \
             reference, method, allocated, cis, journal_id, void_journal_id, void_day, created_at, updated_at, version) \
             select i, {organisation}, case when i % 10 = 9 then 'customer' else 'supplier' end, {kind}, \
             case when i % 10 = 9 then 'RCP-' || ({k} + 1) else 'PAY-' || ({k} / 4 + 1) end, {contact}, j.entry_day, {amount}, \
             {bank}, 'REF ' || i, 'bank_transfer', 0, 0, j.id, v.reversal_id, v.entry_day, j.created_at, {changed}, 1 \
             from n join journal j on j.id = i left join journal_reversal v on v.journal_id = i \
             where i % 10 = 9 or (i % 10 = 5 and {k} % 4 = 1)",
            count(journals),
        );
        // Receipt 10k + 9 against invoice 10k + 1, payment 10k + 5 against bill 10k + 3, credit 10k + 5 against invoice.
        let set = |id: i64, from: &str, from_place: i64, to_place: i64, which: &str| {
            let table = if from == "from_settlement_id" { "settlement" } else { "document" };
            let amount = if table == "settlement" { "f.amount" } else { "f.net" };
            let live = if table == "settlement" { " and f.void_day is null" } else { "" };
            format!(
                "{} insert into allocation (id, organisation_id, {from}, to_document_id, day, amount, cis, credit, created_at) \
                 select {id} + i, {organisation}, f.id, d.id, f.day, case when {amount} < d.net then {amount} else d.net end, 0, '', \
                 {MADE_MS} from n join {table} f on f.id = 10 * (i - 1) + {from_place} \
                 join document d on d.id = 10 * (i - 1) + {to_place} where {which}{live}",
                count(tens)
            )
        };
        let sum = |what: &str, of: &str| {
            format!("coalesce((select cast(sum({what}) as bigint) from allocation a where a.{of}), 0)")
        };
        Ok(vec![
            documents,
            drafts,
            lines,
            settlements,
            set(0, "from_settlement_id", 9, 1, "(i - 1) % 3 <> 0"),
            set(journals, "from_settlement_id", 5, 3, "(i - 1) % 4 = 1"),
            set(2 * journals, "from_document_id", 5, 1, "(i - 1) % 24 = 0"),
            format!(
                "update settlement set allocated = {} where id in (select from_settlement_id from allocation)",
                sum("a.amount", "from_settlement_id = settlement.id")
            ),
            format!(
                "update document set paid = {}, credited = {} where stage = 'issued'",
                sum("a.amount", "to_document_id = document.id and a.from_settlement_id is not null"),
                format!(
                    "{} + {}",
                    sum("a.amount", "to_document_id = document.id and a.from_document_id is not null"),
                    sum("a.amount", "from_document_id = document.id")
                )
            ),
            "update document set due = net - paid - credited, status = case when paid + credited = 0 then 'issued' \
             when kind in ('sales_credit_note', 'purchase_credit_note') then \
             case when paid + credited = net then 'allocated' else 'part_allocated' end \
             when paid + credited = net then 'paid' else 'part_paid' end where stage = 'issued'"
                .to_owned(),
        ])
    }

    /// Half as many lines of the statement as journals: line `i` is posted by journal `2i` when it is confirmed.
    fn bank_transactions(&self) -> String {
        let (organisation, bank, is_confirmed) = (self.organisation, self.bank, Self::is_confirmed("n.i"));
        format!(
            "{} insert into bank_transaction (id, organisation_id, bank_account_id, day, amount, description, status, kind, \
             lines, journal_id, confirmed_at, confirmed_by, search, created_at, updated_at, version) \
             select n.i, {organisation}, {bank}, j.entry_day, -j.total, 'CARD PAYMENT ' || n.i, \
             case when {is_confirmed} then 'confirmed' when n.i % 40 = 1 and n.i % 25 <> 0 then 'excluded' else 'unconfirmed' end, \
             case when {is_confirmed} then 'coded' end, '[]', case when {is_confirmed} then j.id end, null, null, \
             'card payment ' || n.i, {MADE_MS}, case when n.i % 50 = 7 then {MADE_LATE_MS} else j.created_at end, 1 \
             from n join journal j on j.id = n.i * 2",
            count(self.journals / 2),
        )
    }

    /// Two entries a journal: its own, and that of what it is the journal of.
    fn history(&self) -> Vec<String> {
        let Self { organisation, journals, contacts, changes, .. } = *self;
        let kind = Self::kind("i");
        let entry = |place: i64, action: &str, resource: &str, id: &str, summary: &str| {
            format!(
                "{} insert into book_change (organisation_id, cursor, at, user_id, via, action, resource_type, resource_id, \
                 summary, after) select {organisation}, {changes} + 2 * i - {place}, {}, 1, 'api', {action}, {resource}, {id}, \
                 {summary}, '{{\"total\":12.34}}' from n",
                count(journals),
                self.posted()
            )
        };
        vec![
            entry(1, "'create'", "'journal'", "i", "'Journal ' || i || ' posted'"),
            entry(
                0,
                "case when i % 10 in (1, 3) then 'issue' when i % 2 = 0 then 'confirm' else 'create' end",
                &format!("coalesce({kind}, case when i % 2 = 0 then 'bank_transaction' else 'customer' end)"),
                &format!("case when {kind} is not null then i when i % 2 = 0 then i / 2 else 1 + i % {contacts} end"),
                "'Record of journal ' || i || ' changed'",
            ),
            format!(
                "{} insert into book_import (id, organisation_id, kind, status, rows_total, invalid, duplicates, issues, \
                 issue_count, journals, debit, results, user_id, created_at, expires_at, confirmed_at) select i, {organisation}, \
                 'customers', 'confirmed', 100, '[]', '[]', '[]', 0, 0, 0, '[]', 1, {MADE_MS}, {MADE_MS} + 1800000, {MADE_MS} from n",
                count(journals / 40)
            ),
            format!(
                "update books set next_journal_number = {journals} + 1, next_change = {changes} + 2 * {journals} + 1, \
                 version = version + 1 where organisation_id = {organisation}"
            ),
        ]
    }

    /// The sums kept with every posting.
    fn totals(&self, books: &Books) -> Result<Vec<String>> {
        let Self { organisation, journals, bank, .. } = *self;
        let month = month_of(self.backend, "day");
        let controls = format!("{}, {}", books.account("1100")?, books.account("2100")?);
        let direct = |side: &str| format!("sum(case when journal_id % 10 = 7 then {side} else 0 end)");
        let tens = journals / 10;
        let mut statements = vec![
            "insert into account_day (account_id, day, organisation_id, debit, credit, items, journals) select account_id, \
             entry_day, organisation_id, sum(debit), sum(credit), count(*), count(distinct journal_id) from journal_line \
             group by account_id, entry_day, organisation_id"
                .to_owned(),
            format!(
                "insert into account_month (account_id, month, organisation_id, debit, credit, journals) select account_id, \
                 {month}, organisation_id, sum(debit), sum(credit), sum(journals) from account_day \
                 group by account_id, {month}, organisation_id"
            ),
            format!(
                "insert into contact_day (organisation_id, account_id, contact_id, day, debit, credit, direct_debit, \
                 direct_credit) select organisation_id, account_id, coalesce(contact_id, 0), entry_day, sum(debit), sum(credit), \
                 {}, {} from journal_line where account_id in ({controls}) \
                 group by organisation_id, account_id, coalesce(contact_id, 0), entry_day",
                direct("debit"),
                direct("credit")
            ),
            format!(
                "insert into contact_month (organisation_id, account_id, contact_id, month, debit, credit, direct_debit, \
                 direct_credit) select organisation_id, account_id, contact_id, {month}, sum(debit), sum(credit), \
                 sum(direct_debit), sum(direct_credit) from contact_day group by organisation_id, account_id, contact_id, {month}"
            ),
            format!(
                "insert into number_sequence (organisation_id, family, prefix, highest) values \
                 ({organisation}, 'sales_invoice', 'INV-', {}), ({organisation}, 'sales_credit_note', 'SCN-', {}), \
                 ({organisation}, 'purchase_invoice', 'BILL-', {tens}), \
                 ({organisation}, 'purchase_credit_note', 'PCN-', {}), \
                 ({organisation}, 'customer_receipt', 'RCP-', {tens}), ({organisation}, 'supplier_payment', 'PAY-', {})",
                100_000 + tens,
                100_000 + tens,
                tens / 4,
                tens / 4
            ),
            format!(
                "update bank_account set statement = (select coalesce(sum(amount), 0) from bank_transaction where status <> 'excluded'), \
                 unconfirmed = (select coalesce(sum(amount), 0) from bank_transaction where status = 'unconfirmed'), \
                 unconfirmed_count = (select count(*) from bank_transaction where status = 'unconfirmed') where id = {bank}"
            ),
            m20261124_000022_contact_reports::open_items(),
            m20261124_000022_contact_reports::trade_totals(self.backend),
        ];
        statements.extend(m20261126_000061_report_speed::quarters().map(String::from));
        Ok(statements)
    }

    /// What journals moved on the bank accounts, by day.
    fn cash(&self) -> [String; 2] {
        const MOVED: &str = "select l.organisation_id, l.journal_id, l.entry_day, sum(l.debit - l.credit) as moved \
             from account a join journal_line l on l.account_id = a.id where a.role = 'bank' \
             group by l.organisation_id, l.journal_id, l.entry_day having sum(l.debit - l.credit) <> 0";
        [
            format!(
                "insert into cash_day (organisation_id, day, inflow, outflow) select organisation_id, entry_day, \
                 sum(case when moved > 0 then moved else 0 end), sum(case when moved < 0 then -moved else 0 end) \
                 from ({MOVED}) m group by organisation_id, entry_day"
            ),
            format!(
                "insert into cash_reversal (organisation_id, day, reversal_day, amount) select m.organisation_id, \
                 o.entry_day, m.entry_day, sum(abs(m.moved)) from ({MOVED}) m join journal r on r.id = m.journal_id \
                 join journal o on o.id = r.reverses_journal_id group by m.organisation_id, o.entry_day, m.entry_day"
            ),
        ]
    }

    /// How many rows lists have, in all the ways that is kept.
    fn counters(&self) -> Vec<String> {
        let side = "case side when 'customer' then 'customer_receipt' else 'supplier_payment' end";
        let void = "case when void_day is null then 'posted' else 'void' end";
        let active = "case when archived_at is null then 'active' else 'archived' end";
        // Table, list, status, day if they are dated, moment of their last change.
        let lists = [
            ("contact", "kind", active, None, "updated_at"),
            ("bank_transaction", "'bank_transaction'", "status", Some("day"), "updated_at"),
            ("document", "kind", "status", Some("day"), "updated_at"),
            ("settlement", side, void, Some("day"), "updated_at"),
        ];
        let count = |table: &str, list: &str, status: &str| {
            format!(
                "insert into list_count (organisation_id, list, status, items) select organisation_id, {list} as list, \
                 {status} as status, count(*) from {table} group by 1, 2, 3"
            )
        };
        let days = |table: &str, list: &str, day: &str| {
            format!(
                "insert into list_day (organisation_id, list, day, items) select organisation_id, {list} as list, {day} as day, \
                 count(*) from {table} group by 1, 2, 3"
            )
        };
        let mut all = vec![
            count("journal_reversal", "'journal'", "'void'"),
            count(
                "journal j left join journal_reversal v on v.journal_id = j.id where v.journal_id is null",
                "'journal'",
                "'posted'",
            )
            .replace("organisation_id, 'journal' as", "j.organisation_id, 'journal' as"),
            count("book_import", "'import'", "status"),
            count("journal", "'journal type'", "source_type"),
            count("bank_transaction where kind is not null", "'bank_transaction type'", "kind"),
            count("bank_transaction", "'bank_account'", "cast(bank_account_id as text) || ' ' || status"),
            days("journal", "'journal'", "entry_day"),
            days("journal_reversal", "'journal void'", "entry_day"),
            days("journal", "'journal changed'", "created_at / 86400000"),
            days("bank_transaction", "'bank_transaction'", "day"),
        ];
        for (what, items, which) in
            [("due", "count(*)", ""), ("open", "count(*)", " and due > 0"), ("owed", "sum(due)", " and due > 0")]
        {
            let from = format!("document where due_day is not null{which}");
            let due = days(&from, &format!("kind || ' {what}'"), "due_day");
            all.push(due.replace("count(*)", items));
        }
        for (what, items) in [("open", "count(*)"), ("owed", "sum(due)")] {
            let open = count("document where due_day is not null and due > 0", "kind || ' type'", &format!("'{what}'"));
            all.push(open.replace("count(*)", items));
        }
        let unallocated = "settlement where void_day is null and allocated < amount";
        all.push(count(unallocated, &format!("({side}) || ' type'"), "'unallocated'"));
        for (table, list, status, day, changed) in lists {
            all.push(count(table, list, status));
            let list = format!("({list}) || ' ' || ({status})");
            all.extend(day.map(|day| days(table, &list, day)));
            all.push(days(table, &format!("{list} || ' changed'"), &format!("{changed} / 86400000")));
        }
        all
    }
}
