//! Lists answer in the same time however large the books are, also with filters: how many rows pass is kept by the day
//! of their date and of their last change, by type, by account and by bank account; the indexes that pages are read from
//! hold what is filtered by; and on SQLite the kept sums are stored in the order of their keys, so that writing one
//! touches one tree instead of two.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::big_integer;
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend, Statement};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, table) in REPLACED {
            manager.drop_index(Index::drop().name(*name).table(*table).to_owned()).await?;
        }
        for index in indexes() {
            manager.create_index(index).await?;
        }
        for table in ["account_day", "account_month"] {
            let journals = Table::alter().table(table).add_column(big_integer("journals").default(0_i64)).to_owned();
            manager.alter_table(journals).await?;
        }
        let connection = manager.get_connection();
        match manager.get_database_backend() {
            DbBackend::Postgres => letters_of_postgres(manager).await?,
            _ => {
                for table in KEPT {
                    in_the_order_of_its_key(manager, table).await?;
                }
                for statement in LETTERS {
                    connection.execute_unprepared(statement).await?;
                }
            }
        }
        for filled in filled(manager.get_database_backend()) {
            connection.execute_unprepared(&filled).await?;
        }
        Ok(())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

/// Indexes that come back with more in them, or with less.
const REPLACED: &[(&str, &str)] = &[
    ("contact_name", "contact"),
    ("contact_active", "contact"),
    ("journal_date", "journal"),
    ("journal_source", "journal"),
    ("bank_transaction_date", "bank_transaction"),
    ("bank_transaction_updated", "bank_transaction"),
    ("contact_updated", "contact"),
    ("document_date", "document"),
    ("settlement_date", "settlement"),
];

fn indexes() -> Vec<IndexCreateStatement> {
    let plain = |name: &'static str, table: &'static str, columns: &[&'static str]| {
        let mut index = Index::create();
        index.name(name).table(table);
        for column in columns {
            index.col(*column);
        }
        index
    };
    vec![
        // In the order of the list, with what is filtered by: a page is read from the index alone until it is full.
        plain("contact_name", "contact", &["organisation_id", "kind", "name", "id", "updated_at"]),
        plain("contact_active", "contact", &["organisation_id", "kind", "name", "id", "updated_at", "archived_at"])
            .and_where(Expr::col("archived_at").is_null())
            .to_owned(),
        plain("journal_date", "journal", &["organisation_id", "entry_day", "id", "created_at"]),
        plain("bank_transaction_date", "bank_transaction", &["organisation_id", "day", "id", "amount", "updated_at"]),
        plain("bank_transaction_updated", "bank_transaction", &["organisation_id", "updated_at", "status"]),
        plain("contact_updated", "contact", &["organisation_id", "kind", "updated_at", "archived_at"]),
        plain("document_date", "document", &["organisation_id", "kind", "day", "id", "due_day", "due", "updated_at"]),
        plain("settlement_date", "settlement", &["organisation_id", "side", "day", "id", "updated_at"]),
        // Most journals have no source.
        plain("journal_source", "journal", &["organisation_id", "source_type", "source_id"])
            .and_where(Expr::col("source_id").is_not_null())
            .to_owned(),
        plain("journal_reversing", "journal", &["organisation_id", "created_at"])
            .and_where(Expr::col("reverses_journal_id").is_not_null())
            .to_owned(),
        plain("document_due", "document", &["organisation_id", "kind", "due_day"]),
        plain("document_owed", "document", &["organisation_id", "kind", "due"])
            // Of these what is owed is what is to be paid.
            .and_where(Expr::col("cis_deduction").eq(0))
            .to_owned(),
        // What counts under the Construction Industry Scheme is little of all.
        plain("document_cis", "document", &["organisation_id", "kind", "id"])
            .and_where(Expr::col("cis_rate").is_not_null())
            .to_owned(),
        plain("allocation_cis", "allocation", &["organisation_id", "day"]).and_where(Expr::col("cis").ne(0)).to_owned(),
        plain("settlement_updated", "settlement", &["organisation_id", "side", "updated_at"]),
        plain("settlement_bank", "settlement", &["bank_account_id", "side", "day", "id"]),
        plain("settlement_void", "settlement", &["organisation_id", "side", "day", "id"])
            .and_where(Expr::col("void_day").is_not_null())
            .to_owned(),
        plain("settlement_open", "settlement", &["organisation_id", "side", "day", "id"])
            .and_where(Expr::col("void_day").is_null())
            .and_where(Expr::col("allocated").lt(Expr::col("amount")))
            .to_owned(),
    ]
}

/// The tables of kept sums.
const KEPT: &[&str] =
    &["list_count", "list_day", "account_day", "account_month", "contact_day", "contact_month", "vat_day", "vat_month"];

/// Makes a table anew without row numbers of its own; nothing refers to it.
async fn in_the_order_of_its_key(manager: &SchemaManager<'_>, table: &str) -> Result<(), DbErr> {
    let connection = manager.get_connection();
    let asked = format!(
        "select type, sql from sqlite_master where tbl_name = '{table}' and sql is not null order by type = 'index'"
    );
    let (mut made, mut indexes) = (String::new(), Vec::new());
    for row in connection.query_all_raw(Statement::from_string(DbBackend::Sqlite, asked)).await? {
        let (kind, sql): (String, String) = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
        if kind == "table" { made = sql } else { indexes.push(sql) }
    }
    let anew = made.replacen(table, &format!("{table}_anew"), 1);
    for statement in [
        format!("{anew} without rowid"),
        format!("insert into {table}_anew select * from {table}"),
        format!("drop table {table}"),
        format!("alter table {table}_anew rename to {table}"),
    ]
    .iter()
    .chain(&indexes)
    {
        connection.execute_unprepared(statement).await?;
    }
    Ok(())
}

/// Documents are searched like the other lists.
const LETTERS: &[&str] = &[
    "create virtual table document_letters using fts5(search, content = '', contentless_delete = 1, \
     detail = none, tokenize = 'trigram case_sensitive 1')",
    "insert into document_letters (rowid, search) select id, search from document",
    "create trigger document_letters_in after insert on document begin \
     insert into document_letters (rowid, search) values (new.id, new.search); end",
    "create trigger document_letters_out after delete on document begin \
     delete from document_letters where rowid = old.id; end",
    "create trigger document_letters_changed after update of search on document \
     when new.search <> old.search begin \
     update document_letters set search = new.search where rowid = new.id; end",
];

/// Where the extension could be had when the other lists got theirs.
async fn letters_of_postgres(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let connection = manager.get_connection();
    let made = "select 1 from pg_extension where extname = 'pg_trgm'";
    if connection.query_one_raw(Statement::from_string(DbBackend::Postgres, made)).await?.is_some() {
        let index = "create index document_letters on document using gin (search gin_trgm_ops)";
        connection.execute_unprepared(index).await?;
    }
    Ok(())
}

/// What is kept from now on, of what is there already.
fn filled(backend: DbBackend) -> Vec<String> {
    let side = "case side when 'customer' then 'customer_receipt' else 'supplier_payment' end";
    let active = "case when archived_at is null then 'active' else 'archived' end";
    let void = "case when void_day is null then 'posted' else 'void' end";
    // Table, list, status, day.
    let dated = [
        ("bank_transaction", "'bank_transaction'", "status"),
        ("document", "kind", "status"),
        ("settlement", side, void),
    ];
    let changed = dated.into_iter().chain([("contact", "kind", active)]);
    let of_days = |table: &str, list: String, day: &str| {
        format!(
            "insert into list_day (organisation_id, list, day, items) select organisation_id, {list} as list, {day} as day, \
             count(*) from {table} group by 1, 2, 3"
        )
    };
    let mut filled: Vec<String> = vec![
        of_days("journal", "'journal changed'".to_owned(), "created_at / 86400000"),
        of_days("journal_reversal", "'journal void'".to_owned(), "entry_day"),
    ];
    filled.extend(dated.map(|(table, list, status)| of_days(table, format!("({list}) || ' ' || ({status})"), "day")));
    filled.extend(changed.map(|(table, list, status)| {
        of_days(table, format!("({list}) || ' ' || ({status}) || ' changed'"), "updated_at / 86400000")
    }));
    // Documents by the day they are due: all, those that are open, and what those owe in pence.
    for (what, items, which) in [
        ("due", "count(*)", ""),
        ("open", "count(*)", " and due > 0"),
        ("owed", "cast(sum(due) as bigint)", " and due > 0"),
    ] {
        filled.push(format!(
            "insert into list_day (organisation_id, list, day, items) select organisation_id, kind || ' {what}' as list, \
             due_day as day, {items} from document where due_day is not null{which} group by 1, 2, 3"
        ));
    }
    for (what, items) in [("open", "count(*)"), ("owed", "cast(sum(due) as bigint)")] {
        filled.push(format!(
            "insert into list_count (organisation_id, list, status, items) select organisation_id, kind || ' type' as list, \
             '{what}' as status, {items} from document where due_day is not null and due > 0 group by 1, 2, 3"
        ));
    }
    filled.push(format!(
        "insert into list_count (organisation_id, list, status, items) select organisation_id, ({side}) || ' type' as list, \
         'unallocated' as status, count(*) from settlement where void_day is null and allocated < amount group by 1, 2, 3"
    ));
    for (list, status, table) in [
        ("journal type", "source_type", "journal"),
        ("bank_transaction type", "kind", "bank_transaction where kind is not null"),
        ("bank_account", "cast(bank_account_id as text) || ' ' || status", "bank_transaction"),
    ] {
        filled.push(format!(
            "insert into list_count (organisation_id, list, status, items) select organisation_id, '{list}', \
             {status} as status, count(*) from {table} group by 1, 2, 3"
        ));
    }
    filled.push(
        "update account_day set journals = s.journals from (select account_id, entry_day, \
         count(distinct journal_id) as journals from journal_line group by account_id, entry_day) s \
         where account_day.account_id = s.account_id and account_day.day = s.entry_day"
            .to_owned(),
    );
    let month = match backend {
        DbBackend::Postgres => {
            "cast(extract(year from date '1970-01-01' + cast(day as int)) * 12 + \
             extract(month from date '1970-01-01' + cast(day as int)) - 1 as bigint)"
        }
        _ => {
            "(cast(strftime('%Y', day * 86400, 'unixepoch') as int) * 12 + \
             cast(strftime('%m', day * 86400, 'unixepoch') as int) - 1)"
        }
    };
    filled.push(format!(
        "update account_month set journals = s.journals from (select account_id, {month} as of_month, \
         cast(sum(journals) as bigint) as journals from account_day group by 1, 2) s \
         where account_month.account_id = s.account_id and account_month.month = s.of_month"
    ));
    filled
}
