//! The history of the books, bulk imports, and what was previewed and waits to be confirmed.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, text, text_null};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut books = Table::alter();
        books.table("books").add_column(big_integer("next_change").default(1_i64));
        manager.alter_table(books.to_owned()).await?;
        manager.create_table(history()).await?;
        let mut of_resource = Index::create();
        of_resource.name("book_change_resource").table("book_change");
        for column in ["organisation_id", "resource_type", "resource_id", "cursor"] {
            of_resource.col(column);
        }
        manager.create_index(of_resource.to_owned()).await?;
        manager.create_table(imports()).await?;
        manager.create_table(previews()).await?;
        for (name, table, columns) in [
            ("book_import_organisation", "book_import", ["organisation_id", "id"].as_slice()),
            ("book_preview_expires", "book_preview", &["expires_at"]),
        ] {
            let mut index = Index::create();
            index.name(name).table(table);
            for column in columns {
                index.col(*column);
            }
            manager.create_index(index).await?;
        }
        let mut block = Query::insert();
        block.into_table("id_block").columns(["name", "next"]).values_panic(["import".into(), 1_i64.into()]);
        manager.execute(block.to_owned()).await
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

fn of_organisation(table: &'static str) -> ForeignKeyCreateStatement {
    let mut key = ForeignKey::create();
    key.from(table, "organisation_id").to("organisation", "id");
    key
}

fn imports() -> TableCreateStatement {
    Table::create()
        .table("book_import")
        .col(big_integer("id").primary_key().take())
        .col(big_integer("organisation_id"))
        .col(text("kind"))
        .col(text("status"))
        .col(big_integer("rows_total"))
        .col(text("invalid"))
        .col(text("duplicates"))
        .col(text("issues"))
        .col(big_integer("issue_count"))
        .col(big_integer("journals"))
        .col(big_integer("debit"))
        .col(text("results"))
        .col(big_integer("user_id"))
        .col(text_null("key_prefix"))
        .col(big_integer("created_at"))
        .col(big_integer("expires_at"))
        .col(big_integer_null("confirmed_at"))
        .foreign_key(&mut of_organisation("book_import"))
        .to_owned()
}

/// Requests that wait to be confirmed by a token.
fn previews() -> TableCreateStatement {
    Table::create()
        .table("book_preview")
        .col(text("token_hash").primary_key().take())
        .col(big_integer("organisation_id"))
        .col(big_integer("user_id"))
        .col(big_integer_null("import_id"))
        .col(text("body"))
        .col(big_integer("created_at"))
        .col(big_integer("expires_at"))
        .col(big_integer_null("used_at"))
        .foreign_key(&mut of_organisation("book_preview"))
        .to_owned()
}

fn history() -> TableCreateStatement {
    Table::create()
        .table("book_change")
        .col(big_integer("organisation_id"))
        // Counted up under the lock of the books' head, so that none ever appears behind one that was read.
        .col(big_integer("cursor"))
        .col(big_integer("at"))
        .col(big_integer("user_id"))
        .col(text_null("key_prefix"))
        .col(text("via"))
        .col(text("action"))
        .col(text("resource_type"))
        .col(big_integer("resource_id"))
        .col(text("summary"))
        .col(text_null("before"))
        .col(text_null("after"))
        .primary_key(Index::create().col("organisation_id").col("cursor"))
        .foreign_key(&mut of_organisation("book_change"))
        .to_owned()
}
