//! E-mails: the queue, which is what became of each of them too, and the right to send.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, blob_null, text, text_null};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(emails()).await?;
        for index in indexes() {
            manager.create_index(index).await?;
        }
        manager.create_table(slot()).await?;
        let mut slot = Query::insert();
        slot.into_table("mail_slot").columns(["name", "fence", "lease_until"]).values_panic([
            "mail".into(),
            0_i64.into(),
            0_i64.into(),
        ]);
        manager.execute(slot.to_owned()).await?;
        let mut block = Query::insert();
        block.into_table("id_block").columns(["name", "next"]).values_panic(["email".into(), 1_i64.into()]);
        manager.execute(block.to_owned()).await
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

fn emails() -> TableCreateStatement {
    Table::create()
        .table("email")
        .col(big_integer("id").primary_key().take())
        .col(big_integer("organisation_id"))
        .col(big_integer("user_id"))
        .col(text_null("key_prefix"))
        .col(text("document_type"))
        .col(big_integer("document_id"))
        .col(text("sender_name"))
        .col(text("reply_to"))
        .col(text("recipients"))
        .col(text("copies"))
        .col(text("subject"))
        .col(text("message"))
        .col(text("message_id"))
        .col(text_null("pdf_name"))
        .col(blob_null("pdf"))
        .col(text_null("pdf_sha256"))
        .col(text("status"))
        .col(big_integer("attempts"))
        .col(big_integer_null("next_attempt_at"))
        .col(text_null("error"))
        // Which holder of the right to send took it, and by which outbox; null by a mail server.
        .col(big_integer("fence").default(0_i64))
        .col(text_null("outbox"))
        .col(big_integer_null("left_at"))
        .col(big_integer("created_at"))
        .col(big_integer("updated_at"))
        .col(big_integer_null("sent_at"))
        .check(Expr::col("id").gt(0))
        .foreign_key(ForeignKey::create().from("email", "organisation_id").to("organisation", "id"))
        .to_owned()
}

fn indexes() -> Vec<IndexCreateStatement> {
    let plain = |name: &'static str, columns: &[&'static str]| {
        let mut index = Index::create();
        index.name(name).table("email");
        for column in columns {
            index.col(*column);
        }
        index
    };
    vec![
        plain("email_organisation", &["organisation_id", "status", "id"]),
        plain("email_document", &["organisation_id", "document_type", "document_id", "id"]),
        // What waits is a small part of all: the queue of each organisation, the earliest first.
        plain("email_waiting", &["organisation_id", "next_attempt_at", "id"])
            .and_where(Expr::col("status").eq("queued"))
            .to_owned(),
        plain("email_due", &["next_attempt_at"]).and_where(Expr::col("status").eq("queued")).to_owned(),
        plain("email_sending", &["fence"]).and_where(Expr::col("status").eq("sending")).to_owned(),
        plain("email_left", &["left_at"]).and_where(Expr::col("left_at").is_not_null()).to_owned(),
        // Of sent messages the PDF is dropped in the end.
        plain("email_pdf", &["updated_at"]).and_where(Expr::col("pdf").is_not_null()).to_owned(),
    ]
}

/// One row: one process sends.
fn slot() -> TableCreateStatement {
    Table::create()
        .table("mail_slot")
        .col(text("name").primary_key().take())
        .col(text_null("holder"))
        .col(big_integer("fence"))
        .col(big_integer("lease_until"))
        .to_owned()
}
