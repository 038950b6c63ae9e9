//! People, keys, organisations, credits, jobs and what several processes share.
//!
//! Times are `bigint` milliseconds of the injected clock. Only schema-builder types are used, so that both databases
//! run the same step; foreign keys and checks are part of `create table` because SQLite cannot add them later.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, big_integer_null, big_pk_auto, blob, boolean, date_null, text, text_null,
};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in people().into_iter().chain(credits()).chain(jobs()).chain(shared()) {
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

fn text_key(name: &'static str) -> ColumnDef {
    let mut column = text(name);
    column.primary_key();
    column
}

fn reference(table: &'static str, column: &'static str, to: &'static str) -> ForeignKeyCreateStatement {
    let mut key = ForeignKey::create();
    key.from(table, column).to(to, "id");
    key
}

fn people() -> Vec<TableCreateStatement> {
    vec![
        Table::create()
            .table("user_account")
            .col(big_pk_auto("id"))
            .col(text("email"))
            .col(text("email_key"))
            .col(text("name"))
            .col(text("password_hash"))
            .col(big_integer("created_at"))
            .to_owned(),
        Table::create()
            .table("organisation")
            .col(big_pk_auto("id"))
            .col(text("name"))
            .col(text_null("legal_name"))
            .col(text("entity_type"))
            .col(text_null("company_number"))
            .col(text_null("utr"))
            .col(text("base_currency"))
            .col(text("country"))
            .col(text("timezone"))
            .col(text_null("address_line1"))
            .col(text_null("address_line2"))
            .col(text_null("address_city"))
            .col(text_null("address_region"))
            .col(text_null("address_postcode"))
            .col(text_null("address_country"))
            .col(text("financial_year_end"))
            .col(date_null("books_start_date"))
            .col(boolean("vat_registered"))
            .col(text_null("vat_number"))
            .col(text_null("vat_scheme"))
            .col(date_null("vat_scheme_from"))
            .col(big_integer_null("flat_rate_basis_points"))
            .col(big_integer("vat_period_months"))
            .col(big_integer("vat_period_end_month"))
            .col(boolean("cis_contractor"))
            .col(boolean("cis_subcontractor"))
            .col(big_integer_null("cis_suffered_basis_points"))
            .col(date_null("lock_date"))
            .col(big_integer("default_payment_terms_days"))
            .col(text("sales_invoice_prefix"))
            .col(big_integer("sales_invoice_next_number"))
            .col(text("sales_credit_note_prefix"))
            .col(boolean("has_vat_control"))
            .col(boolean("opening_balances_set"))
            .col(text("status"))
            .col(big_integer("created_at"))
            .col(big_integer("updated_at"))
            .col(big_integer("version"))
            .col(big_integer("changed_epoch"))
            .to_owned(),
        Table::create()
            .table("membership")
            .col(big_integer("organisation_id"))
            .col(big_integer("user_id"))
            .col(text("role"))
            .col(boolean("accepted"))
            .col(big_integer("created_at"))
            .col(big_integer("changed_epoch"))
            .primary_key(Index::create().col("organisation_id").col("user_id"))
            .foreign_key(&mut reference("membership", "organisation_id", "organisation"))
            .foreign_key(&mut reference("membership", "user_id", "user_account"))
            .to_owned(),
        Table::create()
            .table("api_key")
            .col(big_pk_auto("id"))
            .col(big_integer("user_id"))
            .col(text("name"))
            .col(text("prefix"))
            .col(blob("hash").not_null().take())
            .col(text("scopes"))
            .col(boolean("allow_overage"))
            .col(boolean("restricted"))
            .col(big_integer("created_at"))
            .col(big_integer_null("last_used_at"))
            .col(big_integer_null("revoked_at"))
            .col(big_integer("changed_epoch"))
            .foreign_key(&mut reference("api_key", "user_id", "user_account"))
            .to_owned(),
        Table::create()
            .table("api_key_organisation")
            .col(big_integer("organisation_id"))
            .col(big_integer("key_id"))
            .primary_key(Index::create().col("organisation_id").col("key_id"))
            .foreign_key(&mut reference("api_key_organisation", "organisation_id", "organisation"))
            .foreign_key(&mut reference("api_key_organisation", "key_id", "api_key"))
            .to_owned(),
    ]
}

fn credits() -> Vec<TableCreateStatement> {
    let mut account_owner = reference("credit_account", "user_id", "user_account");
    vec![
        Table::create()
            .table("credit_account")
            .col(big_integer("user_id").primary_key().take())
            .col(big_integer("period"))
            .col(big_integer("monthly"))
            .col(big_integer("bonus"))
            .col(big_integer("overage_used"))
            .col(big_integer("monthly_allocation"))
            .col(boolean("overage_allowed"))
            .col(big_integer("changed_epoch"))
            .check(Expr::col("monthly").gte(0))
            .check(Expr::col("bonus").gte(0))
            .check(Expr::col("overage_used").gte(0))
            .foreign_key(&mut account_owner)
            .to_owned(),
        Table::create()
            .table("credit_movement")
            .col(big_pk_auto("id"))
            .col(big_integer("user_id"))
            .col(text("kind"))
            .col(text("reference"))
            .col(big_integer("monthly"))
            .col(big_integer("bonus"))
            .col(big_integer("overage"))
            .col(text_null("note"))
            .col(big_integer("at"))
            .foreign_key(&mut reference("credit_movement", "user_id", "user_account"))
            .to_owned(),
    ]
}

fn jobs() -> Vec<TableCreateStatement> {
    let parts = |name: &'static str| {
        Table::create()
            .table(name)
            .col(text("job_id"))
            .col(big_integer("part"))
            // Before the bytes: SQLite would walk all of them to reach a column behind.
            .col(big_integer("at"))
            .col(blob("bytes").not_null().take())
            .primary_key(Index::create().col("job_id").col("part"))
            .to_owned()
    };
    vec![
        Table::create()
            .table("product_slot")
            .col(text_key("product"))
            .col(text_null("holder"))
            .col(big_integer("fence"))
            .col(big_integer("lease_until"))
            .col(big_integer("waiting"))
            .col(big_integer("last_seq"))
            .check(Expr::col("waiting").gte(0))
            .to_owned(),
        Table::create()
            .table("job")
            .col(text_key("id"))
            .col(text("product"))
            .col(big_integer("user_id"))
            .col(big_integer_null("key_id"))
            .col(text("status"))
            .col(big_integer("fence"))
            .col(big_integer("attempt"))
            .col(big_integer("cost"))
            .col(boolean("allow_overage"))
            .col(big_integer("rows_total"))
            .col(text("parameters"))
            .col(big_integer("created_at"))
            .col(big_integer_null("started_at"))
            .col(big_integer_null("completed_at"))
            .col(big_integer_null("credits_charged"))
            .col(text_null("failure"))
            .col(big_integer_null("credits_required"))
            .col(big_integer_null("credits_available"))
            .col(big_integer("result_parts"))
            .col(big_integer("result_size"))
            .foreign_key(&mut reference("job", "user_id", "user_account"))
            .to_owned(),
        Table::create()
            .table("job_hot")
            .col(text("product"))
            .col(big_integer("seq"))
            .col(text("job_id"))
            .primary_key(Index::create().col("product").col("seq"))
            .to_owned(),
        parts("job_payload"),
        parts("job_result"),
        Table::create()
            .table("charge")
            .col(text_key("job_id"))
            .col(big_integer("user_id"))
            .col(big_integer("monthly"))
            .col(big_integer("bonus"))
            .col(big_integer("overage"))
            .col(big_integer("at"))
            .to_owned(),
        Table::create()
            .table("idempotency_key")
            .col(big_integer("user_id"))
            .col(text("method"))
            .col(text("path"))
            .col(text("key"))
            .col(blob("body_hash").not_null().take())
            .col(big_integer("status"))
            .col(blob("body").not_null().take())
            .col(big_integer("created_at"))
            .col(big_integer("expires_at"))
            .primary_key(Index::create().col("user_id").col("method").col("path").col("key"))
            .to_owned(),
    ]
}

fn shared() -> Vec<TableCreateStatement> {
    vec![
        Table::create().table("change_epoch").col(text_key("topic")).col(big_integer("value")).to_owned(),
        Table::create().table("setting").col(text_key("name")).col(text("value")).to_owned(),
        Table::create()
            .table("rate_permit")
            .col(text_key("subject"))
            .col(big_integer("window_start"))
            .col(big_integer("used"))
            .col(big_integer("granted"))
            .to_owned(),
    ]
}

fn indexes() -> Vec<IndexCreateStatement> {
    let open = Index::create()
        .name("job_open")
        .table("job")
        .col("product")
        .col("status")
        .and_where(Expr::col("completed_at").is_null())
        .to_owned();
    let ended = Index::create()
        .name("job_ended")
        .table("job")
        .col("completed_at")
        .and_where(Expr::col("completed_at").is_not_null())
        .to_owned();
    vec![
        Index::create().name("user_account_email_key").table("user_account").col("email_key").unique().to_owned(),
        Index::create().name("membership_user").table("membership").col("user_id").col("organisation_id").to_owned(),
        Index::create().name("api_key_prefix").table("api_key").col("prefix").unique().to_owned(),
        Index::create().name("api_key_user").table("api_key").col("user_id").col("id").to_owned(),
        Index::create().name("api_key_changed").table("api_key").col("changed_epoch").to_owned(),
        Index::create().name("api_key_organisation_key").table("api_key_organisation").col("key_id").to_owned(),
        Index::create().name("credit_account_changed").table("credit_account").col("changed_epoch").to_owned(),
        Index::create().name("credit_account_period").table("credit_account").col("period").to_owned(),
        Index::create()
            .name("credit_movement_once")
            .table("credit_movement")
            .col("kind")
            .col("reference")
            .unique()
            .to_owned(),
        Index::create().name("credit_movement_user").table("credit_movement").col("user_id").col("id").to_owned(),
        Index::create().name("idempotency_key_expiry").table("idempotency_key").col("expires_at").to_owned(),
        open,
        ended,
    ]
}

async fn seed(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for product in ["reconciliation", "coding"] {
        let mut insert = Query::insert();
        insert
            .into_table("product_slot")
            .columns(["product", "fence", "lease_until", "waiting", "last_seq"])
            .values_panic([product.into(), 0_i64.into(), 0_i64.into(), 0_i64.into(), 0_i64.into()]);
        manager.execute(insert.to_owned()).await?;
    }
    for topic in ["keys", "memberships", "credits", "limits"] {
        let mut insert = Query::insert();
        insert.into_table("change_epoch").columns(["topic", "value"]).values_panic([topic.into(), 0_i64.into()]);
        manager.execute(insert.to_owned()).await?;
    }
    Ok(())
}
