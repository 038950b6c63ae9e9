//! What lists of the books need to answer in the same time however many rows there are: indexes in the order of each
//! list, how many rows a list and an account have on each day (a page far down is found by days, not by skipping rows),
//! and an index of every three letters that are searched for.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text};
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend, Statement};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for index in indexes() {
            manager.create_index(index).await?;
        }
        days(manager).await?;
        match manager.get_database_backend() {
            DbBackend::Postgres => letters_of_postgres(manager).await,
            _ => letters_of_sqlite(manager).await,
        }
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

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
        plain("contact_active", "contact", &["organisation_id", "kind", "name", "id"])
            .and_where(Expr::col("archived_at").is_null())
            .to_owned(),
        plain("contact_updated", "contact", &["organisation_id", "kind", "updated_at"]),
        plain("journal_type", "journal", &["organisation_id", "source_type", "entry_day", "id"]),
        plain("journal_created", "journal", &["organisation_id", "created_at"]),
        plain("bank_transaction_kind", "bank_transaction", &["organisation_id", "kind", "day", "id"]),
        plain("bank_transaction_amount", "bank_transaction", &["organisation_id", "amount"]),
        plain("bank_transaction_updated", "bank_transaction", &["organisation_id", "updated_at"]),
        plain("bank_transaction_account_status", "bank_transaction", &["bank_account_id", "status", "day", "id"]),
    ]
}

/// Rows of a list, and lines of an account, by day.
async fn days(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let list_day = Table::create()
        .table("list_day")
        .col(big_integer("organisation_id"))
        .col(text("list"))
        .col(big_integer("day"))
        .col(big_integer("items"))
        .primary_key(Index::create().col("organisation_id").col("list").col("day"))
        .foreign_key(ForeignKey::create().from("list_day", "organisation_id").to("organisation", "id"))
        .to_owned();
    manager.create_table(list_day).await?;
    let items = Table::alter().table("account_day").add_column(big_integer("items").default(0)).to_owned();
    manager.alter_table(items).await?;
    for filled in [
        "insert into list_day (organisation_id, list, day, items) select organisation_id, 'journal', entry_day, count(*) \
         from journal group by organisation_id, entry_day",
        "insert into list_day (organisation_id, list, day, items) select organisation_id, 'bank_transaction', day, \
         count(*) from bank_transaction group by organisation_id, day",
        "update account_day set items = (select count(*) from journal_line l where l.account_id = account_day.account_id \
         and l.entry_day = account_day.day)",
    ] {
        manager.get_connection().execute_unprepared(filled).await?;
    }
    Ok(())
}

/// The tables that are searched.
const SEARCHED: [&str; 3] = ["journal", "contact", "bank_transaction"];

async fn letters_of_sqlite(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let connection = manager.get_connection();
    for table in SEARCHED {
        // Only which rows hold which three letters is kept; where they stand is looked up in the row.
        let statements = [
            format!(
                "create virtual table {table}_letters using fts5(search, content = '', contentless_delete = 1, \
                 detail = none, tokenize = 'trigram case_sensitive 1')"
            ),
            format!("insert into {table}_letters (rowid, search) select id, search from {table}"),
            format!(
                "create trigger {table}_letters_in after insert on {table} begin \
                 insert into {table}_letters (rowid, search) values (new.id, new.search); end"
            ),
            format!(
                "create trigger {table}_letters_out after delete on {table} begin \
                 delete from {table}_letters where rowid = old.id; end"
            ),
            format!(
                "create trigger {table}_letters_changed after update of search on {table} \
                 when new.search <> old.search begin \
                 update {table}_letters set search = new.search where rowid = new.id; end"
            ),
        ];
        for statement in statements {
            connection.execute_unprepared(&statement).await?;
        }
    }
    Ok(())
}

/// PostgreSQL has this as an extension, which may not be installed; searching is slower without.
async fn letters_of_postgres(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let connection = manager.get_connection();
    let asked = "select name from pg_available_extensions where name = 'pg_trgm'";
    if connection.query_one_raw(Statement::from_string(DbBackend::Postgres, asked)).await?.is_none() {
        return Ok(());
    }
    // Who may not make extensions goes without.
    connection
        .execute_unprepared(
            "do $$ begin create extension if not exists pg_trgm; \
             exception when insufficient_privilege then raise notice 'searching is slow without pg_trgm'; end $$",
        )
        .await?;
    let made = "select 1 from pg_extension where extname = 'pg_trgm'";
    if connection.query_one_raw(Statement::from_string(DbBackend::Postgres, made)).await?.is_none() {
        return Ok(());
    }
    for table in SEARCHED {
        let index = format!("create index {table}_letters on {table} using gin (search gin_trgm_ops)");
        connection.execute_unprepared(&index).await?;
    }
    Ok(())
}
