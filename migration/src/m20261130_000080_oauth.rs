//! Connections by OAuth: clients, what people granted them, and the hashes of codes and tokens. A job may be a connection's, and
//! what a connection selected is kept by the connection, be it a key or a grant.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, big_pk_auto, boolean, text, text_null};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in tables() {
            manager.create_table(table).await?;
        }
        for index in indexes() {
            manager.create_index(index).await?;
        }
        let mut insert = Query::insert();
        insert.into_table("change_epoch").columns(["topic", "value"]).values_panic(["grants".into(), 0_i64.into()]);
        manager.execute(insert).await?;
        let mut job = Table::alter();
        job.table("job").add_column(big_integer_null("grant_id"));
        manager.alter_table(job.take()).await?;
        let connection = manager.get_connection();
        for sql in [
            "create table selection_by_connection (connection text not null primary key, \
             organisation_id bigint not null references organisation (id))",
            "insert into selection_by_connection (connection, organisation_id) \
             select 'key:' || key_id, organisation_id from selected_organisation",
            "drop table selected_organisation",
            "alter table selection_by_connection rename to selected_organisation",
        ] {
            connection.execute_unprepared(sql).await?;
        }
        // One connection for each person and client: allowing it again changes it.
        let live = "create unique index oauth_grant_live on oauth_grant (user_id, client_id) where revoked_at is null";
        connection.execute_unprepared(live).await?;
        Ok(())
    }

    /// On SQLite too: half of the change would be worse than none.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

fn reference(table: &'static str, column: &'static str, to: &'static str) -> ForeignKeyCreateStatement {
    let mut key = ForeignKey::create();
    key.from(table, column).to(to, "id");
    key
}

fn tables() -> Vec<TableCreateStatement> {
    vec![
        Table::create()
            .table("oauth_client")
            .col(text("id").primary_key().take())
            .col(text_null("name"))
            .col(text_null("uri"))
            .col(text("redirect_uris"))
            .col(text("auth_method"))
            .col(text_null("secret_sha256"))
            .col(text("scopes"))
            .col(big_integer("created_at"))
            .col(big_integer_null("last_used_at"))
            .to_owned(),
        Table::create()
            .table("oauth_request")
            .col(text("sha256").primary_key().take())
            .col(text("client_id"))
            .col(big_integer("user_id"))
            .col(text("session"))
            .col(text("redirect_uri"))
            .col(text_null("state"))
            .col(text("scopes"))
            .col(text("challenge"))
            .col(text("resource"))
            .col(big_integer("expires_at"))
            .col(big_integer_null("used_at"))
            .foreign_key(&mut reference("oauth_request", "user_id", "user_account"))
            .to_owned(),
        Table::create()
            .table("oauth_grant")
            .col(big_pk_auto("id"))
            .col(big_integer("user_id"))
            .col(text("client_id"))
            .col(text("client_name"))
            .col(text("redirect_host"))
            .col(text("scopes"))
            .col(text("resource"))
            .col(boolean("restricted"))
            .col(boolean("allow_overage"))
            .col(big_integer("created_at"))
            .col(big_integer("allowed_at"))
            .col(big_integer_null("last_used_at"))
            .col(big_integer_null("revoked_at"))
            .col(text_null("revoke_reason"))
            .col(big_integer("changed_epoch"))
            .foreign_key(&mut reference("oauth_grant", "user_id", "user_account"))
            .to_owned(),
        Table::create()
            .table("oauth_grant_organisation")
            .col(big_integer("grant_id"))
            .col(big_integer("organisation_id"))
            .primary_key(Index::create().col("grant_id").col("organisation_id"))
            .foreign_key(&mut reference("oauth_grant_organisation", "grant_id", "oauth_grant"))
            .foreign_key(&mut reference("oauth_grant_organisation", "organisation_id", "organisation"))
            .to_owned(),
        Table::create()
            .table("oauth_code")
            .col(text("sha256").primary_key().take())
            .col(big_integer("grant_id"))
            .col(text("challenge"))
            .col(text("redirect_uri"))
            .col(text("scopes"))
            .col(big_integer("expires_at"))
            .col(big_integer_null("used_at"))
            .foreign_key(&mut reference("oauth_code", "grant_id", "oauth_grant"))
            .to_owned(),
        Table::create()
            .table("oauth_access_token")
            .col(text("sha256").primary_key().take())
            .col(big_integer("grant_id"))
            .col(text("scopes"))
            .col(big_integer("expires_at"))
            .col(big_integer_null("revoked_at"))
            .col(big_integer("changed_epoch"))
            .foreign_key(&mut reference("oauth_access_token", "grant_id", "oauth_grant"))
            .to_owned(),
        Table::create()
            .table("oauth_refresh_token")
            .col(text("sha256").primary_key().take())
            .col(big_integer("grant_id"))
            .col(text("scopes"))
            .col(text_null("parent"))
            .col(big_integer("issued_at"))
            .col(big_integer("expires_at"))
            .col(big_integer_null("used_at"))
            .col(big_integer("siblings"))
            .foreign_key(&mut reference("oauth_refresh_token", "grant_id", "oauth_grant"))
            .to_owned(),
    ]
}

fn indexes() -> Vec<IndexCreateStatement> {
    let index = |name: &'static str, table: &'static str, column: &'static str| {
        Index::create().name(name).table(table).col(column).to_owned()
    };
    vec![
        index("oauth_client_created", "oauth_client", "created_at"),
        index("oauth_request_expiry", "oauth_request", "expires_at"),
        index("oauth_grant_changed", "oauth_grant", "changed_epoch"),
        index("oauth_grant_user", "oauth_grant", "user_id"),
        index("oauth_code_expiry", "oauth_code", "expires_at"),
        index("oauth_code_grant", "oauth_code", "grant_id"),
        index("oauth_access_token_expiry", "oauth_access_token", "expires_at"),
        index("oauth_access_token_grant", "oauth_access_token", "grant_id"),
        index("oauth_access_token_changed", "oauth_access_token", "changed_epoch"),
        index("oauth_refresh_token_expiry", "oauth_refresh_token", "expires_at"),
        index("oauth_refresh_token_grant", "oauth_refresh_token", "grant_id"),
    ]
}
