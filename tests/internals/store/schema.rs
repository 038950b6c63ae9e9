//! Every entity describes its table as the migrations leave it, on both databases.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{
    ColumnTrait as _, ColumnType, ConnectionTrait as _, Database, DatabaseConnection, DbBackend, EntityTrait,
    IdenStatic as _, Iterable as _, PrimaryKeyToColumn as _, PrimaryKeyTrait as _, QueryResult, Statement,
};

use super::fixture::{StoreFixture, store_suite};

store_suite![entities_describe_the_migrated_schema, a_difference_between_an_entity_and_its_table_is_found,];

/// A column as far as an entity describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) family: &'static str,
    is_nullable: bool,
}

/// A table as far as an entity describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) columns: BTreeMap<String, Column>,
    pub(super) primary_key: Vec<String>,
    /// The database gives out its identifiers.
    pub(super) is_auto_increment: bool,
}

pub(super) type Tables = BTreeMap<String, Table>;

/// The tables that the entities of these modules describe.
macro_rules! tables_of_entities {
    ($($module:ident),* $(,)?) => {
        [$((stringify!($module), described::<entity::$module::Entity>())),*]
    };
}

fn entities() -> Tables {
    let described = tables_of_entities![
        account,
        account_day,
        account_month,
        allocation,
        api_key,
        api_key_organisation,
        bank_account,
        bank_transaction,
        book_change,
        book_import,
        book_preview,
        books,
        cash_day,
        cash_reversal,
        change_epoch,
        charge,
        coding_policy,
        coding_session,
        coding_session_invoice,
        coding_session_line,
        coding_session_load,
        coding_session_statement,
        contact,
        contact_day,
        contact_month,
        credit_account,
        credit_movement,
        document,
        document_line,
        email,
        financial_year_close,
        financial_year_end_period,
        id_block,
        idempotency_key,
        job,
        job_hot,
        job_payload,
        job_result,
        journal,
        journal_line,
        journal_reversal,
        list_count,
        list_day,
        mail_slot,
        membership,
        number_sequence,
        oauth_access_token,
        oauth_client,
        oauth_code,
        oauth_grant,
        oauth_grant_organisation,
        oauth_refresh_token,
        oauth_request,
        open_item,
        organisation,
        period_lock_change,
        product_slot,
        rate_permit,
        selected_organisation,
        setting,
        settlement,
        trade_total,
        user_account,
        vat_adjustment,
        vat_adjustment_entry,
        write_off,
        vat_day,
        vat_entry,
        vat_month,
        vat_return,
        vat_scheme_period,
    ];
    for (module, (name, _)) in &described {
        assert_eq!(module, name, "the file of an entity has the name of its table");
    }
    described.into_iter().map(|(_, table)| table).collect()
}

fn described<E: EntityTrait>() -> (String, Table) {
    let columns = E::Column::iter().map(|column| {
        let definition = column.def();
        let family = match definition.get_column_type() {
            ColumnType::BigInteger => "bigint",
            ColumnType::String(_) | ColumnType::Text => "text",
            ColumnType::Boolean => "boolean",
            ColumnType::Date => "date",
            ColumnType::VarBinary(_) | ColumnType::Blob => "blob",
            other => panic!("{}.{}: {other:?}", E::default().table_name(), column.as_str()),
        };
        (column.as_str().to_owned(), Column { family, is_nullable: definition.is_null() })
    });
    let table = Table {
        columns: columns.collect(),
        primary_key: E::PrimaryKey::iter().map(|key| key.into_column().as_str().to_owned()).collect(),
        is_auto_increment: E::PrimaryKey::auto_increment(),
    };
    (E::default().table_name().to_owned(), table)
}

const COLUMNS_OF_SQLITE: &str = "select t.name, c.name, lower(c.type), c.\"notnull\" = 0, c.pk, \
     c.pk > 0 and m.sql like '%AUTOINCREMENT%' from pragma_table_list t \
     join sqlite_master m on m.type = 'table' and m.name = t.name join pragma_table_info(t.name) c \
     where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite%' and t.name <> 'seaql_migrations'";

const COLUMNS_OF_POSTGRES: &str = "select c.table_name::text, c.column_name::text, c.data_type::text, \
     cast((c.is_nullable = 'YES')::int as bigint), cast(coalesce(k.ordinal_position, 0) as bigint), \
     cast((c.is_identity = 'YES' or coalesce(c.column_default, '') like 'nextval%')::int as bigint) \
     from information_schema.columns c \
     join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name \
     left join information_schema.table_constraints p on p.table_schema = c.table_schema \
     and p.table_name = c.table_name and p.constraint_type = 'PRIMARY KEY' \
     left join information_schema.key_column_usage k on k.constraint_schema = p.constraint_schema \
     and k.constraint_name = p.constraint_name and k.column_name = c.column_name \
     where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' and c.table_name <> 'seaql_migrations'";

/// The tables of a database.
pub(super) async fn migrated(connection: &DatabaseConnection) -> Tables {
    let sql = match connection.get_database_backend() {
        DbBackend::Postgres => COLUMNS_OF_POSTGRES,
        _ => COLUMNS_OF_SQLITE,
    };
    let mut tables = Tables::new();
    let mut keys: BTreeMap<(String, i64), String> = BTreeMap::new();
    for row in rows(connection, sql).await {
        let (table, column): (String, String) = (cell(&row, 0), cell(&row, 1));
        let family = match cell::<String>(&row, 2).as_str() {
            // SQLite has one type for whole numbers of any size.
            "bigint" | "integer" => "bigint",
            "text" => "text",
            "boolean" => "boolean",
            "date" | "date_text" => "date",
            "blob" | "bytea" => "blob",
            other => panic!("{table}.{column}: {other}"),
        };
        let place: i64 = cell(&row, 4);
        if place > 0 {
            keys.insert((table.clone(), place), column.clone());
        }
        let described = tables.entry(table).or_default();
        described.is_auto_increment |= cell::<i64>(&row, 5) != 0;
        described.columns.insert(column, Column { family, is_nullable: cell::<i64>(&row, 3) != 0 });
    }
    for ((table, _), column) in keys {
        tables.get_mut(&table).unwrap().primary_key.push(column);
    }
    tables
}

pub(super) async fn rows(connection: &DatabaseConnection, sql: &str) -> Vec<QueryResult> {
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    connection.query_all_raw(statement).await.unwrap()
}

pub(super) fn cell<T: sea_orm::TryGetable>(row: &QueryResult, column: usize) -> T {
    row.try_get_by_index(column).unwrap()
}

/// Where entities and tables differ, in words.
fn differences(entities: &Tables, tables: &Tables) -> Vec<String> {
    let mut found = Vec::new();
    for name in entities.keys().chain(tables.keys()).collect::<BTreeSet<_>>() {
        let (Some(entity), Some(table)) = (entities.get(name), tables.get(name)) else {
            let what = if entities.contains_key(name) { "entity without a table" } else { "table without an entity" };
            found.push(format!("{name}: {what}"));
            continue;
        };
        for column in entity.columns.keys().chain(table.columns.keys()).collect::<BTreeSet<_>>() {
            let (of_entity, of_table) = (entity.columns.get(column), table.columns.get(column));
            if of_entity != of_table {
                found.push(format!("{name}.{column}: entity {of_entity:?}, table {of_table:?}"));
            }
        }
        let keys = |table: &Table| (table.primary_key.clone(), table.is_auto_increment);
        if keys(entity) != keys(table) {
            found.push(format!("{name}: primary key of the entity {:?}, of the table {:?}", keys(entity), keys(table)));
        }
    }
    found
}

#[test]
fn every_file_of_an_entity_is_held_against_the_schema() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("entity/src");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "lib")
        .collect();
    assert_eq!(entities().into_keys().collect::<BTreeSet<_>>(), files);
}

async fn entities_describe_the_migrated_schema(bed: &StoreFixture) {
    let connection = Database::connect(&bed.url).await.unwrap();
    assert_eq!(differences(&entities(), &migrated(&connection).await), Vec::<String>::new());
    connection.close().await.unwrap();
}

async fn a_difference_between_an_entity_and_its_table_is_found(bed: &StoreFixture) {
    for change in [
        "create table extra (id bigint not null primary key)",
        "drop table rate_permit",
        "alter table setting add column note text",
        "alter table charge drop column overage",
        "alter table job_hot drop column job_id",
        "alter table job_hot add column job_id text",
        "alter table id_block drop column next",
        "alter table id_block add column next text not null default ''",
    ] {
        bed.tamper(change).await;
    }
    let connection = Database::connect(&bed.url).await.unwrap();
    let mut tables = migrated(&connection).await;
    connection.close().await.unwrap();
    tables.get_mut("list_day").unwrap().primary_key.reverse();
    let found = differences(&entities(), &tables);
    let begin = [
        "charge.overage: entity Some",
        "extra: table without an entity",
        "id_block.next: entity Some(Column { family: \"bigint\"",
        "job_hot.job_id: entity Some(Column { family: \"text\", is_nullable: false })",
        "list_day: primary key",
        "rate_permit: entity without a table",
        "setting.note: entity None",
    ];
    assert_eq!(found.len(), begin.len(), "{found:?}");
    for (found, begin) in found.iter().zip(begin) {
        assert!(found.starts_with(begin), "{found}");
    }
}
