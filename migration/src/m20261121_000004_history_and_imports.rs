//! The history of the books, bulk imports, and what was previewed and waits to be confirmed.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text, text_null};

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
        manager.create_index(of_resource.to_owned()).await
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}

fn history() -> TableCreateStatement {
    let mut organisation = ForeignKey::create();
    organisation.from("book_change", "organisation_id").to("organisation", "id");
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
        .foreign_key(&mut organisation)
        .to_owned()
}
