//! The coding policy of an organisation, and the coding sessions of agents.

use sea_orm_migration::prelude::*;

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

const TABLES: [&str; 6] = [
    // Rules are a JSON array; confidences are thousandths.
    "create table coding_policy (\
     organisation_id bigint not null primary key references organisation (id), \
     version bigint not null check (version >= 1), \
     business_context text not null, \
     review_below bigint not null check (review_below between 0 and 1000), \
     rules text not null)",
    // A session that has ended keeps this row for a while, so that its id is known as that of one that has ended.
    "create table coding_session (\
     id text not null primary key, \
     user_id bigint not null references user_account (id), \
     connection text not null, \
     organisation_id bigint references organisation (id), \
     start_day bigint, \
     end_day bigint, \
     details text not null, \
     last_line bigint not null, \
     run_job_id text, \
     run_scope text, \
     run_status text, \
     warnings text not null, \
     created_at bigint not null, \
     expires_at bigint not null, \
     is_cleared boolean not null)",
    "create table coding_session_line (\
     session_id text not null references coding_session (id), \
     line bigint not null check (line >= 1), \
     batch_ref text not null, \
     details text not null, \
     suggestion text, \
     recoding text, \
     primary key (session_id, line))",
    // The charge of a load: one for each session and batch_ref.
    "create table coding_session_load (\
     session_id text not null references coding_session (id), \
     batch_ref text not null, \
     user_id bigint not null references user_account (id), \
     request_hash text not null, \
     line_count bigint not null check (line_count >= 0), \
     monthly bigint not null, \
     bonus bigint not null, \
     overage bigint not null, \
     answer text not null, \
     at bigint not null, \
     primary key (session_id, batch_ref))",
    "create table coding_session_invoice (\
     session_id text not null references coding_session (id), \
     invoice_ref text not null, \
     is_fetched boolean not null, \
     details text not null, \
     primary key (session_id, invoice_ref))",
    "create table coding_session_statement (\
     session_id text not null references coding_session (id), \
     batch_ref text not null, \
     request_hash text not null, \
     details text not null, \
     primary key (session_id, batch_ref))",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in TABLES {
            manager.get_connection().execute_unprepared(table).await?;
        }
        let index = "create index coding_session_expiry on coding_session (is_cleared, expires_at)";
        manager.get_connection().execute_unprepared(index).await?;
        Ok(())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
