//! What the migrations leave is the same in whatever order their releases had them, and identifiers are positive.

use migration::{MigrationTrait, Migrator, MigratorTrait};
use sea_orm::{ConnectOptions, ConnectionTrait as _, Database, DatabaseConnection, DbBackend};

use super::fixture::{StoreFixture, store_suite};
use super::schema::{Table, Tables, cell, migrated, rows};
use crate::postgres::{PostgresDatabase, postgres_database};

store_suite![identifiers_from_blocks_are_positive, check_finds_an_identifier_that_is_not_positive];

/// The tables whose identifiers the service itself hands out.
fn numbered_by_the_service(tables: Tables) -> Vec<String> {
    let is_numbered = |table: &Table| {
        table.primary_key == ["id"] && table.columns["id"].family == "bigint" && !table.is_auto_increment
    };
    tables.into_iter().filter(|(_, table)| is_numbered(table)).map(|(name, _)| name).collect()
}

async fn identifiers_from_blocks_are_positive(bed: &StoreFixture) {
    let connection = Database::connect(&bed.url).await.unwrap();
    let sql = match connection.get_database_backend() {
        DbBackend::Postgres => {
            "select conrelid::regclass::text from pg_constraint where contype = 'c' \
             and pg_get_constraintdef(oid) like 'CHECK ((id > 0))%' order by 1"
        }
        _ => "select name from sqlite_master where sql like '%CHECK (\"id\" > 0)%' order by 1",
    };
    let checked: Vec<String> = rows(&connection, sql).await.iter().map(|row| cell(row, 0)).collect();
    let numbered = numbered_by_the_service(migrated(&connection).await);
    assert_eq!((numbered.len(), &checked), (17, &numbered));

    let owner = bed.user(1, 0).await;
    bed.organisation(owner, "Larkspur Joinery Ltd", false).await;
    for id in [0, -1] {
        let change = format!("update account set id = {id} where code = (select max(code) from account)");
        let refused = connection.execute_unprepared(&change).await.unwrap_err().to_string();
        assert!(refused.contains("account_id_positive"), "{refused}");
    }
    connection.close().await.unwrap();
    bed.assert_sound().await;
}

async fn check_finds_an_identifier_that_is_not_positive(bed: &StoreFixture) {
    let owner = bed.user(1, 0).await;
    bed.organisation(owner, "Larkspur Joinery Ltd", false).await;
    let change = "update account set id = 0 where code = (select max(code) from account)";
    let around = match bed.database {
        Some(_) => "alter table account drop constraint account_id_positive",
        None => "pragma ignore_check_constraints = on",
    };
    bed.tamper(&format!("{around}; {change}")).await;
    assert_eq!(bed.store.reader.check().await.unwrap(), ["identifier below 1; table, identifier: account, 0"]);
}

/// The steps as they stood before they were put in the order of their names.
struct FormerOrder;

impl MigratorTrait for FormerOrder {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut steps = Migrator::migrations();
        let settlements = steps.iter().position(|step| step.name().contains("_000006_")).unwrap();
        steps[3..=settlements].rotate_right(1);
        steps
    }
}

fn names<M: MigratorTrait>() -> Vec<String> {
    M::migrations().iter().map(|step| step.name().to_owned()).collect()
}

#[test]
fn migrations_stand_in_the_order_of_their_names() {
    assert!(names::<Migrator>().is_sorted());
    let number = |name: &str| name.split('_').nth(1).unwrap().to_owned();
    let former: Vec<String> = names::<FormerOrder>().iter().take(7).map(|name| number(name)).collect();
    assert_eq!(former, ["000001", "000002", "000003", "000006", "000004", "000005", "000007"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_order_of_the_migrations_does_not_matter_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let mut dumps = Vec::new();
    for (name, former_steps) in FORMER_STEPS {
        let url = format!("sqlite://{}?mode=rwc", folder.path().join(name).display());
        let connection = Database::connect(&url).await.unwrap();
        dumps.push(migrated_after(&connection, former_steps).await);
        connection.close().await.unwrap();
    }
    assert_same(&dumps);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_order_of_the_migrations_does_not_matter_on_postgres() {
    let Some(database) = postgres_database() else { return };
    let mut dumps = Vec::new();
    for (_, former_steps) in FORMER_STEPS {
        empty(&database).await;
        let connection = Database::connect(&database.url).await.unwrap();
        dumps.push(migrated_after(&connection, former_steps).await);
        connection.close().await.unwrap();
    }
    assert_same(&dumps);
}

async fn empty(database: &PostgresDatabase) {
    let connection = Database::connect(&database.url).await.unwrap();
    connection.execute_unprepared("drop schema public cascade; create schema public").await.unwrap();
    connection.close().await.unwrap();
}

/// How many steps of the former order a database has had before those of today are applied.
const FORMER_STEPS: [(&str, Option<u32>); 4] = [("none", Some(0)), ("four", Some(4)), ("six", Some(6)), ("all", None)];

fn assert_same(dumps: &[Vec<String>]) {
    assert!(dumps[0].len() > 100, "{:?}", dumps[0]);
    for dump in &dumps[1..] {
        assert_eq!(dump, &dumps[0]);
    }
}

/// The schema and what the steps themselves write, after some steps in the former order and the rest in today's.
async fn migrated_after(connection: &DatabaseConnection, former_steps: Option<u32>) -> Vec<String> {
    FormerOrder::up(connection, former_steps).await.unwrap();
    let pending = Migrator::get_pending_migrations(connection).await.unwrap().len();
    let applied = former_steps.map_or(Migrator::migrations().len(), |steps| usize::try_from(steps).unwrap());
    assert_eq!(pending, Migrator::migrations().len() - applied);
    Migrator::up(connection, None).await.unwrap();
    let definitions: &[&str] = match connection.get_database_backend() {
        DbBackend::Postgres => &[
            "select table_name || '.' || column_name || ' ' || ordinal_position || ' ' || data_type || ' ' || is_nullable \
             || ' ' || coalesce(column_default, '') from information_schema.columns where table_schema = 'public'",
            "select indexdef from pg_indexes where schemaname = 'public'",
            "select conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint \
             where connamespace = 'public'::regnamespace",
        ],
        _ => &["select type || ' ' || name || ' ' || coalesce(sql, '') from sqlite_master"],
    };
    let seeds = [
        "select version from seaql_migrations",
        "select name || ' ' || cast(next as text) from id_block",
        "select topic || ' ' || cast(value as text) from change_epoch",
        "select product || ' ' || cast(waiting as text) from product_slot",
    ];
    let mut dump = Vec::new();
    for sql in definitions.iter().chain(&seeds) {
        let mut lines: Vec<String> = rows(connection, sql).await.iter().map(|row| cell(row, 0)).collect();
        lines.sort();
        dump.extend(lines);
    }
    dump
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_are_held_to_positive_identifiers_from_the_step_on_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}?mode=rwc", folder.path().join("bookkeeping.db").display());
    positive_from_the_step_on(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_are_held_to_positive_identifiers_from_the_step_on_on_postgres() {
    let Some(database) = postgres_database() else { return };
    empty(&database).await;
    positive_from_the_step_on(&database.url).await;
}

/// A row from before the step stays and stops no migration; a connection that was open before the step is held to it.
async fn positive_from_the_step_on(url: &str) {
    let connect = || async { Database::connect(ConnectOptions::new(url).max_connections(1).to_owned()).await.unwrap() };
    let (migrating, open) = (connect().await, connect().await);
    let before = names::<Migrator>().iter().position(|name| name.contains("_000009_")).unwrap();
    Migrator::up(&migrating, Some(u32::try_from(before).unwrap())).await.unwrap();
    let without_references = match open.get_database_backend() {
        DbBackend::Postgres => "set session_replication_role = replica",
        _ => "pragma foreign_keys = off",
    };
    open.execute_unprepared(without_references).await.unwrap();
    let insert = "insert into account (id, organisation_id, code, name, account_type, created_at, updated_at, version) \
                  values ({id}, 1, '{id}', 'Bank', 'ASSET', 0, 0, 1)";
    for id in ["0", "1"] {
        open.execute_unprepared(&insert.replace("{id}", id)).await.unwrap();
    }
    Migrator::up(&migrating, None).await.unwrap();
    for refused in [insert.replace("{id}", "-1").as_str(), "update account set id = -1 where id = 1"] {
        let error = open.execute_unprepared(refused).await.unwrap_err().to_string();
        assert!(error.contains("account_id_positive"), "{error}");
    }
    open.execute_unprepared(&insert.replace("{id}", "2")).await.unwrap();
    let stored: Vec<i64> =
        rows(&open, "select id from account order by id").await.iter().map(|row| cell(row, 0)).collect();
    assert_eq!(stored, [0, 1, 2]);
    open.close().await.unwrap();
    migrating.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settlements_from_before_keep_their_bank_account_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}?mode=rwc", folder.path().join("bookkeeping.db").display());
    settlements_through_either(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settlements_from_before_keep_their_bank_account_on_postgres() {
    let Some(database) = postgres_database() else { return };
    empty(&database).await;
    settlements_through_either(&database.url).await;
}

/// Until the step a settlement has a bank account; from then on it may have another account, also on a connection that was
/// open before, and everything else about the table is as it was.
async fn settlements_through_either(url: &str) {
    let connect = || async { Database::connect(ConnectOptions::new(url).max_connections(1).to_owned()).await.unwrap() };
    let (migrating, open) = (connect().await, connect().await);
    let before = names::<Migrator>().iter().position(|name| name.contains("_000013_")).unwrap();
    Migrator::up(&migrating, Some(u32::try_from(before).unwrap())).await.unwrap();
    let without_references = match open.get_database_backend() {
        DbBackend::Postgres => "set session_replication_role = replica",
        _ => "pragma foreign_keys = off",
    };
    open.execute_unprepared(without_references).await.unwrap();
    let insert = async |id: i64, account: &str, number: &str| {
        let sql = format!(
            "insert into settlement (id, organisation_id, side, kind, number, contact_id, day, amount, {account}, allocated, cis, \
             journal_id, created_at, updated_at, version) values \
             ({id}, 1, 'supplier', 'supplier_payment', '{number}', 1, 0, 5, 7, 0, 0, 1, 0, 0, 1)"
        );
        open.execute_unprepared(&sql).await.map(|_| ())
    };
    insert(1, "bank_account_id", "PAY-00001").await.unwrap();
    insert(2, "memo", "PAY-00002").await.expect_err("no bank account");
    Migrator::up(&migrating, None).await.unwrap();
    insert(3, "account_id", "PAY-00003").await.unwrap();
    insert(0, "account_id", "PAY-00004").await.expect_err("an identifier below 1");
    insert(4, "account_id", "PAY-00003").await.expect_err("a number that is taken");
    let sql = "select coalesce(bank_account_id, 0), coalesce(account_id, 0) from settlement order by id";
    let stored: Vec<(i64, i64)> = rows(&open, sql).await.iter().map(|row| (cell(row, 0), cell(row, 1))).collect();
    assert_eq!(stored, [(7, 0), (0, 7)]);
    open.close().await.unwrap();
    migrating.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sums_of_vat_from_before_reverse_charges_are_kept_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}?mode=rwc", folder.path().join("bookkeeping.db").display());
    sums_of_vat_are_kept(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sums_of_vat_from_before_reverse_charges_are_kept_on_postgres() {
    let Some(database) = postgres_database() else { return };
    empty(&database).await;
    sums_of_vat_are_kept(&database.url).await;
}

/// Sums that are there already belong to no reverse charge; beside them there is room for those of one.
async fn sums_of_vat_are_kept(url: &str) {
    let connection = Database::connect(ConnectOptions::new(url).max_connections(1).to_owned()).await.unwrap();
    let before = names::<Migrator>().iter().position(|name| name.contains("_reverse_charge")).unwrap();
    Migrator::up(&connection, Some(u32::try_from(before).unwrap())).await.unwrap();
    let without_references = match connection.get_database_backend() {
        DbBackend::Postgres => "set session_replication_role = replica",
        _ => "pragma foreign_keys = off",
    };
    connection.execute_unprepared(without_references).await.unwrap();
    let periods = [("vat_day", "day"), ("vat_month", "month")];
    for (table, period) in periods {
        let insert = format!(
            "insert into {table} (organisation_id, side, vat_code, basis, {period}, net, vat, entries) \
             values (1, 'input', 'ST', 'standard', 7, 100, 20, 1)"
        );
        connection.execute_unprepared(&insert).await.unwrap();
    }
    Migrator::up(&connection, Some(1)).await.unwrap();
    for (table, period) in periods {
        let insert = format!(
            "insert into {table} (organisation_id, side, vat_code, basis, reverse_charge, {period}, net, vat, entries) \
             values (1, 'input', 'ST', 'standard', 'domestic', 7, 300, 60, 1)"
        );
        connection.execute_unprepared(&insert).await.unwrap();
        connection.execute_unprepared(&insert).await.unwrap_err();
        let sql = format!("select reverse_charge || ' ' || cast(net as text) from {table} order by net");
        let kept: Vec<String> = rows(&connection, &sql).await.iter().map(|row| cell(row, 0)).collect();
        assert_eq!(kept, [" 100", "domestic 300"]);
    }
    connection.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turnover_taken_back_before_gets_its_day_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}?mode=rwc", folder.path().join("bookkeeping.db").display());
    turnover_is_taken_back_at_its_percentage(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turnover_taken_back_before_gets_its_day_on_postgres() {
    let Some(database) = postgres_database() else { return };
    empty(&database).await;
    turnover_is_taken_back_at_its_percentage(&database.url).await;
}

/// Turnover taken back gets the day it came on, in its entries and in the sums.
async fn turnover_is_taken_back_at_its_percentage(url: &str) {
    let connection = Database::connect(ConnectOptions::new(url).max_connections(1).to_owned()).await.unwrap();
    let before = names::<Migrator>().iter().position(|name| name.contains("_rate_days")).unwrap();
    Migrator::up(&connection, Some(u32::try_from(before).unwrap())).await.unwrap();
    let without_references = match connection.get_database_backend() {
        DbBackend::Postgres => "set session_replication_role = replica",
        _ => "pragma foreign_keys = off",
    };
    connection.execute_unprepared(without_references).await.unwrap();
    // Journals 2 and 4 undo 1 and 3. Days 20,000 and 20,010 are 4 and 14 October 2024, day 20,040 is 13 November.
    for (journal, reverses) in [(1, "null"), (2, "1"), (3, "null"), (4, "3"), (5, "null")] {
        let insert = format!(
            "insert into journal (id, organisation_id, number, entry_day, description, search, source_type, reverses_journal_id, \
             total, line_count, created_at, user_id) values ({journal}, 1, {journal}, 0, 'x', 'x', 'manual', {reverses}, 1, 2, 0, 1)"
        );
        connection.execute_unprepared(&insert).await.unwrap();
    }
    for (id, journal, side, basis, day, net) in [
        (1, 1, "output", "flat_rate", 20_000, 100),
        (2, 2, "output", "flat_rate", 20_040, -100),
        (3, 3, "input", "flat_rate", 20_000, 7),
        (4, 4, "input", "flat_rate", 20_040, -7),
        (5, 5, "output", "flat_rate", 20_040, 30),
    ] {
        let insert = format!(
            "insert into vat_entry (id, organisation_id, journal_id, side, vat_code, basis, net, vat, tax_day, cursor) \
             values ({id}, 1, {journal}, '{side}', 'ZR', '{basis}', {net}, 0, {day}, 0)"
        );
        connection.execute_unprepared(&insert).await.unwrap();
    }
    for (table, period, sums) in [
        ("vat_day", "day", [("output", 20_000, 100, 1), ("output", 20_040, -70, 2), ("input", 20_040, -7, 1)]),
        ("vat_month", "month", [("output", 24_297, 100, 1), ("output", 24_298, -70, 2), ("input", 24_298, -7, 1)]),
    ] {
        for (side, of, net, entries) in sums {
            let insert = format!(
                "insert into {table} (organisation_id, side, vat_code, basis, reverse_charge, {period}, net, vat, entries) \
                 values (1, '{side}', 'ZR', 'flat_rate', '', {of}, {net}, 0, {entries})"
            );
            connection.execute_unprepared(&insert).await.unwrap();
        }
    }
    Migrator::up(&connection, None).await.unwrap();
    let of = async |sql: &str| -> Vec<String> { rows(&connection, sql).await.iter().map(|row| cell(row, 0)).collect() };
    let days = of("select cast(rate_day as text) from vat_entry order by id").await;
    assert_eq!(days, ["84006", "20000", "84006", "84006", "84006"]);
    for (table, period, first, second) in [("vat_day", "day", 20_000, 20_040), ("vat_month", "month", 24_297, 24_298)] {
        let sums = format!(
            "select side || ' ' || cast({period} as text) || ' ' || cast(rate_day as text) || ' ' || cast(net as text) || ' ' || \
             cast(entries as text) from {table} order by side, {period}, rate_day"
        );
        let expected = [
            format!("input {second} 84006 -7 1"),
            format!("output {first} 84006 100 1"),
            format!("output {second} 20000 -100 1"),
            format!("output {second} 84006 30 1"),
        ];
        assert_eq!(of(&sums).await, expected);
    }
    connection.close().await.unwrap();
}

/// What was searched for before the step is found after it, and what changes afterwards too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_from_before_the_trigrams_were_renamed_are_found_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}?mode=rwc", folder.path().join("bookkeeping.db").display());
    let connection = Database::connect(ConnectOptions::new(url).max_connections(1).to_owned()).await.unwrap();
    let before = names::<Migrator>().iter().position(|name| name.contains("_000010_")).unwrap();
    Migrator::up(&connection, Some(u32::try_from(before).unwrap())).await.unwrap();
    connection.execute_unprepared("pragma foreign_keys = off").await.unwrap();
    let insert = async |id: i64, search: &str| {
        let sql = format!(
            "insert into contact (id, organisation_id, kind, name, cis_deducts, cis_is_subcontractor, search, used, \
             created_at, updated_at, version) values ({id}, 1, 'customer', 'x', false, false, '{search}', false, 0, 0, 1)"
        );
        connection.execute_unprepared(&sql).await.unwrap();
    };
    for (id, search) in [(1, "brightwell school"), (2, "brightwell farm"), (3, "larkspur joinery")] {
        insert(id, search).await;
    }
    Migrator::up(&connection, None).await.unwrap();
    insert(4, "new brightwell").await;
    for change in ["update contact set search = 'larkspur' where id = 1", "delete from contact where id = 2"] {
        connection.execute_unprepared(change).await.unwrap();
    }
    let found = async |text: &str| -> Vec<i64> {
        let sql = format!("select rowid from contact_trigram where contact_trigram match '{text}' order by rowid");
        rows(&connection, &sql).await.iter().map(|row| cell(row, 0)).collect()
    };
    assert_eq!((found("bri").await, found("lar").await, found("far").await), (vec![4], vec![1, 3], vec![]));
    let former = "select count(*) from sqlite_master where name like '%letters%'";
    assert_eq!(cell::<i64>(&rows(&connection, former).await[0], 0), 0);
    connection.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_trigram_indexes_are_renamed_on_postgres() {
    let Some(database) = postgres_database() else { return };
    empty(&database).await;
    let connection = Database::connect(&database.url).await.unwrap();
    Migrator::up(&connection, None).await.unwrap();
    let names = async |like: &str| -> i64 {
        let sql =
            format!("select count(*) from pg_indexes where schemaname = current_schema() and indexname like '{like}'");
        cell(&rows(&connection, &sql).await[0], 0)
    };
    let has_extension: i64 =
        cell(&rows(&connection, "select count(*) from pg_extension where extname = 'pg_trgm'").await[0], 0);
    assert_eq!((names("%\\_letters").await, names("%\\_trigram").await), (0, 4 * has_extension));
    connection.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn years_of_books_from_before_the_step_end_as_they_did_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}?mode=rwc", folder.path().join("bookkeeping.db").display());
    years_end_as_they_did(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn years_of_books_from_before_the_step_end_as_they_did_on_postgres() {
    let Some(database) = postgres_database() else { return };
    empty(&database).await;
    years_end_as_they_did(&database.url).await;
}

async fn years_end_as_they_did(url: &str) {
    let connection = Database::connect(ConnectOptions::new(url).max_connections(1).to_owned()).await.unwrap();
    let before = names::<Migrator>().iter().position(|name| name.contains("_000011_")).unwrap();
    Migrator::up(&connection, Some(u32::try_from(before).unwrap())).await.unwrap();
    for (name, year_end) in [("A", "03-31"), ("B", "02-29")] {
        let insert = format!(
            "insert into organisation (name, entity_type, base_currency, country, timezone, financial_year_end, vat_registered, \
             vat_period_months, vat_period_end_month, cis_contractor, cis_subcontractor, default_payment_terms_days, \
             sales_invoice_prefix, sales_invoice_next_number, sales_credit_note_prefix, has_vat_control, opening_balances_set, \
             status, created_at, updated_at, version, changed_epoch) values ('{name}', 'llp', 'GBP', 'GB', 'UTC', '{year_end}', \
             false, 3, 3, false, false, 30, 'INV-', 1, 'SCN-', false, false, 'active', 0, 0, 1, 0)"
        );
        connection.execute_unprepared(&insert).await.unwrap();
    }
    Migrator::up(&connection, None).await.unwrap();
    let sql = "select o.name, p.from_day, p.year_end from financial_year_end_period p \
               join organisation o on o.id = p.organisation_id order by o.name";
    let kept: Vec<(String, i64, String)> =
        rows(&connection, sql).await.iter().map(|row| (cell(row, 0), cell(row, 1), cell(row, 2))).collect();
    let since_1900 = |name: &str, year_end: &str| (name.to_owned(), -25_567, year_end.to_owned());
    assert_eq!(kept, [since_1900("A", "03-31"), since_1900("B", "02-29")]);
    connection.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn e_mails_from_before_the_step_are_counted_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}?mode=rwc", folder.path().join("bookkeeping.db").display());
    e_mails_are_counted(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn e_mails_from_before_the_step_are_counted_on_postgres() {
    let Some(database) = postgres_database() else { return };
    empty(&database).await;
    e_mails_are_counted(&database.url).await;
}

/// An invoice and a receipt with the same identifier have had one and two e-mails, a payment three and another invoice none.
async fn e_mails_are_counted(url: &str) {
    let connection = Database::connect(ConnectOptions::new(url).max_connections(1).to_owned()).await.unwrap();
    let before = names::<Migrator>().iter().position(|name| name.contains("_email_counts")).unwrap();
    Migrator::up(&connection, Some(u32::try_from(before).unwrap())).await.unwrap();
    let without_references = match connection.get_database_backend() {
        DbBackend::Postgres => "set session_replication_role = replica",
        _ => "pragma foreign_keys = off",
    };
    connection.execute_unprepared(without_references).await.unwrap();
    for (id, at) in [(1, "5"), (2, "null")] {
        let document = format!(
            "insert into document (id, organisation_id, kind, stage, status, contact_id, day, vat_inclusive, net, vat, by_code, paid, \
             credited, due, cis_labour, cis_materials, cis_deduction, opening, search, last_emailed_at, created_at, updated_at, \
             version) values ({id}, 1, 'sales_invoice', 'issued', 'issued', 1, 0, false, 5, 0, '', 0, 0, 5, 0, 0, 0, false, '', {at}, 0, \
             0, 1)"
        );
        connection.execute_unprepared(&document).await.unwrap();
    }
    let mut emails = vec!["sales_invoice"];
    for (id, side, kind, number) in
        [(1, "customer", "customer_receipt", "RCP-00001"), (3, "supplier", "supplier_payment", "PAY-00001")]
    {
        let settlement = format!(
            "insert into settlement (id, organisation_id, side, kind, number, contact_id, day, amount, bank_account_id, allocated, cis, \
             journal_id, last_emailed_at, created_at, updated_at, version) values \
             ({id}, 1, '{side}', '{kind}', '{number}', 1, 0, 5, 7, 0, 0, 1, 5, 0, 0, 1)"
        );
        connection.execute_unprepared(&settlement).await.unwrap();
        emails.extend([kind].repeat(if id == 1 { 2 } else { 3 }));
    }
    for (id, document_type) in (1..).zip(emails) {
        let document = if document_type == "supplier_payment" { 3 } else { 1 };
        let email = format!(
            "insert into email (id, organisation_id, user_id, document_type, document_id, sender_name, reply_to, recipients, copies, \
             subject, message, message_id, status, attempts, created_at, updated_at) values ({id}, 1, 1, '{document_type}', \
             {document}, 'A', 'a@b.co', '[]', '[]', 'S', 'M', '{id}@b.co', 'sent', 1, 5, 5)"
        );
        connection.execute_unprepared(&email).await.unwrap();
    }
    Migrator::up(&connection, None).await.unwrap();
    for (table, expected) in [("document", [(1, 1), (2, 0)]), ("settlement", [(1, 2), (3, 3)])] {
        let sql = format!("select id, email_count from {table} order by id");
        let stored: Vec<(i64, i64)> =
            rows(&connection, &sql).await.iter().map(|row| (cell(row, 0), cell(row, 1))).collect();
        assert_eq!(stored, expected, "{table}");
    }
    connection.close().await.unwrap();
}
