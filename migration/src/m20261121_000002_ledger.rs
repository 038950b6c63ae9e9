//! The books of an organisation: accounts, contacts, journals, and the totals kept with every posting.
//!
//! Days are numbers since 1970-01-01, months `year * 12 + month - 1`, money is pence. Identifiers are handed out in
//! blocks (`id_block`), so that a group of postings is written without asking for them one by one.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, boolean, text, text_null};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in heads().into_iter().chain(master_data()).chain(journals()).chain(bank()).chain(totals()) {
            manager.create_table(table).await?;
        }
        for index in indexes() {
            manager.create_index(index).await?;
        }
        seed(manager).await
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

fn key(name: &'static str) -> ColumnDef {
    let mut column = big_integer(name);
    column.primary_key();
    column
}

fn of_organisation(table: &'static str) -> ForeignKeyCreateStatement {
    reference(table, "organisation_id", "organisation")
}

fn reference(table: &'static str, column: &'static str, to: &'static str) -> ForeignKeyCreateStatement {
    let mut key = ForeignKey::create();
    key.from(table, column).to(to, "id");
    key
}

fn heads() -> Vec<TableCreateStatement> {
    vec![
        Table::create()
            .table("books")
            .col(key("organisation_id"))
            .col(big_integer("version"))
            .col(big_integer("next_journal_number"))
            .foreign_key(&mut of_organisation("books"))
            .to_owned(),
        Table::create()
            .table("period_lock_change")
            .col(key("id"))
            .col(big_integer("organisation_id"))
            .col(big_integer_null("lock_day"))
            .col(text_null("reason"))
            .col(big_integer("user_id"))
            .col(big_integer("at"))
            .foreign_key(&mut of_organisation("period_lock_change"))
            .to_owned(),
        Table::create()
            .table("vat_scheme_period")
            .col(big_integer("organisation_id"))
            .col(big_integer("from_day"))
            .col(text("scheme"))
            .col(big_integer_null("flat_rate_basis_points"))
            .primary_key(Index::create().col("organisation_id").col("from_day"))
            .foreign_key(&mut of_organisation("vat_scheme_period"))
            .to_owned(),
        Table::create()
            .table("list_count")
            .col(big_integer("organisation_id"))
            .col(text("list"))
            .col(text("status"))
            .col(big_integer("items"))
            .primary_key(Index::create().col("organisation_id").col("list").col("status"))
            .foreign_key(&mut of_organisation("list_count"))
            .to_owned(),
        Table::create().table("id_block").col(text("name").primary_key().take()).col(big_integer("next")).to_owned(),
    ]
}

fn master_data() -> Vec<TableCreateStatement> {
    vec![
        Table::create()
            .table("account")
            .col(key("id"))
            .col(big_integer("organisation_id"))
            .col(text("code"))
            .col(text("name"))
            .col(text("account_type"))
            .col(text_null("role"))
            .col(big_integer_null("archived_at"))
            .col(big_integer("created_at"))
            .col(big_integer("updated_at"))
            .col(big_integer("version"))
            .foreign_key(&mut of_organisation("account"))
            .to_owned(),
        Table::create()
            .table("contact")
            .col(key("id"))
            .col(big_integer("organisation_id"))
            .col(text("kind"))
            .col(text("name"))
            .col(text_null("contact_name"))
            .col(text_null("email"))
            .col(text_null("phone"))
            .col(text_null("address_line1"))
            .col(text_null("address_line2"))
            .col(text_null("address_city"))
            .col(text_null("address_region"))
            .col(text_null("address_postcode"))
            .col(text_null("address_country"))
            .col(text_null("company_number"))
            .col(text_null("vat_number"))
            .col(big_integer_null("payment_terms_days"))
            .col(big_integer_null("default_account_id"))
            .col(text_null("default_vat_code"))
            .col(text_null("reference"))
            .col(text_null("notes"))
            .col(boolean("cis_deducts"))
            .col(boolean("cis_is_subcontractor"))
            .col(big_integer_null("cis_deduction_rate"))
            .col(text_null("cis_utr"))
            .col(text_null("cis_verification_number"))
            .col(big_integer_null("cis_verified_day"))
            .col(text("search"))
            .col(boolean("used"))
            .col(big_integer_null("archived_at"))
            .col(big_integer("created_at"))
            .col(big_integer("updated_at"))
            .col(big_integer("version"))
            .foreign_key(&mut of_organisation("contact"))
            .foreign_key(&mut reference("contact", "default_account_id", "account"))
            .to_owned(),
    ]
}

fn journals() -> Vec<TableCreateStatement> {
    vec![
        Table::create()
            .table("journal")
            .col(key("id"))
            .col(big_integer("organisation_id"))
            .col(big_integer("number"))
            .col(big_integer("entry_day"))
            .col(text("description"))
            .col(text_null("reference"))
            .col(text("search"))
            .col(text("source_type"))
            .col(big_integer_null("source_id"))
            .col(big_integer_null("reverses_journal_id"))
            .col(big_integer("total"))
            .col(big_integer("line_count"))
            .col(big_integer("created_at"))
            .col(big_integer("user_id"))
            .col(text_null("key_prefix"))
            .foreign_key(&mut of_organisation("journal"))
            .to_owned(),
        Table::create()
            .table("journal_reversal")
            .col(key("journal_id"))
            .col(big_integer("organisation_id"))
            .col(big_integer("entry_day"))
            .col(big_integer("reversal_id"))
            .col(text_null("reason"))
            .foreign_key(&mut reference("journal_reversal", "journal_id", "journal"))
            .to_owned(),
        Table::create()
            .table("journal_line")
            .col(key("id"))
            .col(big_integer("organisation_id"))
            .col(big_integer("journal_id"))
            .col(big_integer("line_number"))
            .col(big_integer("account_id"))
            .col(big_integer("entry_day"))
            .col(big_integer("debit"))
            .col(big_integer("credit"))
            .col(text_null("memo"))
            .col(text_null("vat_code"))
            .col(big_integer_null("vat_amount"))
            .col(big_integer_null("contact_id"))
            .col(boolean("system"))
            .check(Expr::col("debit").gte(0))
            .check(Expr::col("credit").gte(0))
            .foreign_key(&mut reference("journal_line", "journal_id", "journal"))
            .foreign_key(&mut reference("journal_line", "account_id", "account"))
            .to_owned(),
        Table::create()
            .table("vat_entry")
            .col(key("id"))
            .col(big_integer("organisation_id"))
            .col(big_integer("journal_id"))
            .col(big_integer_null("journal_line_id"))
            .col(big_integer_null("document_id"))
            .col(big_integer_null("document_line_id"))
            .col(text("side"))
            .col(text("vat_code"))
            .col(text("basis"))
            .col(big_integer("net"))
            .col(big_integer("vat"))
            .col(big_integer("tax_day"))
            .foreign_key(&mut reference("vat_entry", "journal_id", "journal"))
            .to_owned(),
    ]
}

fn bank() -> Vec<TableCreateStatement> {
    vec![
        Table::create()
            .table("bank_account")
            .col(key("id"))
            .col(big_integer("organisation_id"))
            .col(big_integer("account_id"))
            .col(text("name"))
            .col(text_null("bank_name"))
            .col(text_null("sort_code"))
            .col(text_null("account_number"))
            .col(text_null("iban"))
            .col(text("kind"))
            .col(big_integer("opening"))
            .col(big_integer("statement"))
            .col(big_integer("unconfirmed_count"))
            .col(big_integer("unconfirmed"))
            .col(big_integer_null("last_imported_at"))
            .col(big_integer_null("archived_at"))
            .col(big_integer("created_at"))
            .col(big_integer("updated_at"))
            .col(big_integer("version"))
            .foreign_key(&mut of_organisation("bank_account"))
            .foreign_key(&mut reference("bank_account", "account_id", "account"))
            .to_owned(),
        Table::create()
            .table("bank_transaction")
            .col(key("id"))
            .col(big_integer("organisation_id"))
            .col(big_integer("bank_account_id"))
            .col(big_integer("day"))
            .col(big_integer("amount"))
            .col(text("description"))
            .col(text_null("reference"))
            .col(text_null("merchant"))
            .col(text_null("external_id"))
            .col(big_integer_null("import_id"))
            .col(text("status"))
            .col(text_null("kind"))
            .col(big_integer_null("contact_id"))
            // How the line is coded, as JSON: it is read and written as a whole.
            .col(text("lines"))
            .col(text_null("memo"))
            .col(big_integer_null("transfer_id"))
            .col(big_integer_null("awaited_on"))
            .col(big_integer_null("journal_id"))
            .col(big_integer_null("confirmed_at"))
            .col(big_integer_null("confirmed_by"))
            .col(text("search"))
            .col(big_integer("created_at"))
            .col(big_integer("updated_at"))
            .col(big_integer("version"))
            .foreign_key(&mut of_organisation("bank_transaction"))
            .foreign_key(&mut reference("bank_transaction", "bank_account_id", "bank_account"))
            .foreign_key(&mut reference("bank_transaction", "journal_id", "journal"))
            .to_owned(),
    ]
}

fn totals() -> Vec<TableCreateStatement> {
    let of_account = |table: &'static str, period: &'static str| {
        Table::create()
            .table(table)
            .col(big_integer("account_id"))
            .col(big_integer(period))
            .col(big_integer("organisation_id"))
            .col(big_integer("debit"))
            .col(big_integer("credit"))
            .primary_key(Index::create().col("account_id").col(period))
            .foreign_key(&mut reference(table, "account_id", "account"))
            .to_owned()
    };
    // Receivable and payable by contact; contact 0 is what was posted to a control account without one.
    let of_contact = |table: &'static str, period: &'static str| {
        Table::create()
            .table(table)
            .col(big_integer("organisation_id"))
            .col(big_integer("account_id"))
            .col(big_integer("contact_id"))
            .col(big_integer(period))
            .col(big_integer("debit"))
            .col(big_integer("credit"))
            .primary_key(Index::create().col("organisation_id").col("contact_id").col("account_id").col(period))
            .foreign_key(&mut reference(table, "account_id", "account"))
            .to_owned()
    };
    let of_vat = |table: &'static str, period: &'static str| {
        Table::create()
            .table(table)
            .col(big_integer("organisation_id"))
            .col(text("side"))
            .col(text("vat_code"))
            .col(text("basis"))
            .col(big_integer(period))
            .col(big_integer("net"))
            .col(big_integer("vat"))
            .col(big_integer("entries"))
            .primary_key(Index::create().col("organisation_id").col("side").col("vat_code").col("basis").col(period))
            .foreign_key(&mut of_organisation(table))
            .to_owned()
    };
    vec![
        of_account("account_day", "day"),
        of_account("account_month", "month"),
        of_contact("contact_day", "day"),
        of_contact("contact_month", "month"),
        of_vat("vat_day", "day"),
        of_vat("vat_month", "month"),
    ]
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
        plain("account_code", "account", &["organisation_id", "code"]).unique().to_owned(),
        plain("contact_name", "contact", &["organisation_id", "kind", "name", "id"]),
        plain("contact_reference", "contact", &["organisation_id", "kind", "reference"])
            .unique()
            .and_where(Expr::col("reference").is_not_null())
            .to_owned(),
        plain("contact_account", "contact", &["default_account_id"]),
        plain("journal_number", "journal", &["organisation_id", "number"]).unique().to_owned(),
        plain("journal_date", "journal", &["organisation_id", "entry_day", "id"]),
        plain("journal_source", "journal", &["organisation_id", "source_type", "source_id"]),
        plain("journal_reversal_date", "journal_reversal", &["organisation_id", "entry_day", "journal_id"]),
        plain("journal_line_journal", "journal_line", &["journal_id", "line_number"]),
        plain("journal_line_account", "journal_line", &["account_id", "entry_day", "journal_id", "line_number"]),
        plain("bank_account_account", "bank_account", &["account_id"]).unique().to_owned(),
        plain("bank_account_organisation", "bank_account", &["organisation_id"]),
        plain("bank_transaction_date", "bank_transaction", &["organisation_id", "day", "id"]),
        plain("bank_transaction_status", "bank_transaction", &["organisation_id", "status", "day", "id"]),
        plain("bank_transaction_account", "bank_transaction", &["bank_account_id", "day", "id"]),
        plain("bank_transaction_external", "bank_transaction", &["bank_account_id", "external_id"])
            .unique()
            .and_where(Expr::col("external_id").is_not_null())
            .to_owned(),
        plain("bank_transaction_journal", "bank_transaction", &["journal_id"])
            .and_where(Expr::col("journal_id").is_not_null())
            .to_owned(),
        plain("bank_transaction_awaited", "bank_transaction", &["organisation_id", "awaited_on"])
            .and_where(Expr::col("awaited_on").is_not_null())
            .to_owned(),
        plain("vat_entry_journal", "vat_entry", &["journal_id"]),
        plain("vat_entry_date", "vat_entry", &["organisation_id", "tax_day"]),
        plain("account_day_date", "account_day", &["organisation_id", "day"]),
        plain("account_month_date", "account_month", &["organisation_id", "month"]),
        plain("period_lock_change_at", "period_lock_change", &["organisation_id", "id"]),
    ]
}

async fn seed(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for name in [
        "account",
        "contact",
        "journal",
        "journal_line",
        "vat_entry",
        "period_lock_change",
        "bank_account",
        "bank_transaction",
        "bank_import",
    ] {
        let mut insert = Query::insert();
        insert.into_table("id_block").columns(["name", "next"]).values_panic([name.into(), 1_i64.into()]);
        manager.execute(insert.to_owned()).await?;
    }
    // Organisations made before there were books get empty ones: their chart is theirs to make.
    let mut heads = Query::insert();
    let mut existing = Query::select();
    existing.column("id").expr(Expr::val(1_i64)).expr(Expr::val(1_i64)).from("organisation");
    heads
        .into_table("books")
        .columns(["organisation_id", "version", "next_journal_number"])
        .select_from(existing)
        .map_err(|error| DbErr::Migration(error.to_string()))?;
    manager.execute(heads.to_owned()).await?;
    let mut no_account = Query::update();
    no_account.table("organisation").value("has_vat_control", false);
    manager.execute(no_account.to_owned()).await
}
