//! Write-offs of sales invoices, and the allocations that they make: an allocation comes from a credit note, a settlement or a
//! write-off.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, text_null};
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend, Statement};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(write_off()).await?;
        let mut of_document = Index::create();
        of_document.name("write_off_document").table("write_off").col("document_id");
        manager.create_index(of_document).await?;
        let mut alter = Table::alter();
        alter.table("allocation").add_column(big_integer_null("from_write_off_id"));
        manager.alter_table(alter.take()).await?;
        match manager.get_database_backend() {
            DbBackend::Postgres => in_constraint(manager).await?,
            _ => in_stored_definition(manager).await?,
        }
        let mut insert = Query::insert();
        insert.into_table("id_block").columns(["name", "next"]).values_panic(["write_off".into(), 1_i64.into()]);
        manager.execute(insert).await
    }

    /// On SQLite too: half of the change would be worse than none.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

fn write_off() -> TableCreateStatement {
    let reference = |column: &'static str, to: &'static str| {
        let mut key = ForeignKey::create();
        key.from("write_off", column).to(to, "id");
        key
    };
    Table::create()
        .table("write_off")
        .col(big_integer("id").primary_key().take())
        .col(big_integer("organisation_id"))
        .col(big_integer("document_id"))
        .col(big_integer("day"))
        .col(big_integer("amount"))
        .col(big_integer("vat"))
        .col(big_integer("account_id"))
        .col(big_integer_null("relief_vat"))
        .col(big_integer_null("relief_day"))
        .col(big_integer("journal_id"))
        .col(big_integer_null("void_journal_id"))
        .col(big_integer_null("void_day"))
        .col(text_null("void_reason"))
        .col(big_integer("user_id"))
        .col(text_null("key_prefix"))
        .col(big_integer("created_at"))
        .col(big_integer("updated_at"))
        .col(big_integer("version"))
        .check(Expr::col("id").gt(0))
        .check(Expr::col("amount").gt(0))
        .foreign_key(&mut reference("organisation_id", "organisation"))
        .foreign_key(&mut reference("document_id", "document"))
        .foreign_key(&mut reference("account_id", "account"))
        .foreign_key(&mut reference("journal_id", "journal"))
        .to_owned()
}

/// The check that an allocation comes from one thing, by its definition: it was given no name.
async fn in_constraint(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let connection = manager.get_connection();
    let found = "select conname from pg_constraint where conrelid = 'allocation'::regclass and contype = 'c' \
                 and pg_get_constraintdef(oid) like '%from_document_id%'";
    let row = connection.query_one_raw(Statement::from_string(DbBackend::Postgres, found)).await?;
    let name: String = row.ok_or_else(unexpected)?.try_get_by_index(0)?;
    let drop = format!("alter table allocation drop constraint \"{name}\"");
    connection.execute_unprepared(&drop).await?;
    let add = "alter table allocation add constraint allocation_from \
               check (num_nonnulls(from_document_id, from_settlement_id, from_write_off_id) = 1) not valid";
    connection.execute_unprepared(add).await?;
    Ok(())
}

/// SQLite has no statement that changes a check, and a copy of the table would take long. A check changes nothing in how rows
/// are stored, so the definition of the table is changed where SQLite keeps it (section 7 of its page on `ALTER TABLE`); the new
/// schema version makes every connection read the definitions again.
async fn in_stored_definition(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    const BEFORE: &str = "(\"from_document_id\" IS NULL) <> (\"from_settlement_id\" IS NULL)";
    const AFTER: &str =
        "(\"from_document_id\" IS NULL) + (\"from_settlement_id\" IS NULL) + (\"from_write_off_id\" IS NULL) = 2";
    let connection = manager.get_connection();
    let one = |sql: &str| Statement::from_string(DbBackend::Sqlite, sql.to_owned());
    let row = connection.query_one_raw(one("pragma schema_version")).await?.ok_or_else(unexpected)?;
    let version: i64 = row.try_get_by_index(0)?;
    let found = "select sql from sqlite_master where type = 'table' and name = 'allocation'";
    let row = connection.query_one_raw(one(found)).await?.ok_or_else(unexpected)?;
    let definition: String = row.try_get_by_index(0)?;
    if definition.matches(BEFORE).count() != 1 {
        return Err(unexpected());
    }
    connection.execute_unprepared("pragma writable_schema = on").await?;
    let change = "update sqlite_master set sql = $1 where type = 'table' and name = 'allocation'";
    let values = [definition.replacen(BEFORE, AFTER, 1).into()];
    connection.execute_raw(Statement::from_sql_and_values(DbBackend::Sqlite, change, values)).await?;
    connection.execute_unprepared(&format!("pragma schema_version = {}", version + 1)).await?;
    connection.execute_unprepared("pragma writable_schema = off").await?;
    Ok(())
}

fn unexpected() -> DbErr {
    DbErr::Migration("the definition of the table allocation is not the one that the steps before made".to_owned())
}
