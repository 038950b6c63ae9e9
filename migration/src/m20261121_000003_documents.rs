//! Invoices and credit notes, what settles them, and the sequences of their numbers.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, boolean, text, text_null};
use sea_orm_migration::sea_orm::DbBackend;

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in documents().into_iter().chain(settling()) {
            manager.create_table(table).await?;
        }
        for index in indexes() {
            manager.create_index(index).await?;
        }
        entries_without_a_journal(manager).await?;
        // What is posted to a contact without a document is due on its day.
        for table in ["contact_day", "contact_month"] {
            for column in ["direct_debit", "direct_credit"] {
                let mut column = big_integer(column);
                column.default(0_i64);
                manager.alter_table(Table::alter().table(table).add_column(column).to_owned()).await?;
            }
            let mut direct = Query::update();
            direct.table(table).value("direct_debit", Expr::col("debit")).value("direct_credit", Expr::col("credit"));
            manager.execute(direct.to_owned()).await?;
        }
        for name in ["document", "document_line", "allocation"] {
            let mut insert = Query::insert();
            insert.into_table("id_block").columns(["name", "next"]).values_panic([name.into(), 1_i64.into()]);
            manager.execute(insert.to_owned()).await?;
        }
        Ok(())
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

fn reference(table: &'static str, column: &'static str, to: &'static str) -> ForeignKeyCreateStatement {
    let mut key = ForeignKey::create();
    key.from(table, column).to(to, "id");
    key
}

fn documents() -> Vec<TableCreateStatement> {
    vec![
        Table::create()
            .table("document")
            .col(key("id"))
            .col(big_integer("organisation_id"))
            .col(text("kind"))
            .col(text("stage"))
            // Follows from the stage and the allocations; kept for lists.
            .col(text("status"))
            .col(text_null("number"))
            .col(text_null("supplier_reference"))
            .col(big_integer("contact_id"))
            .col(big_integer("day"))
            .col(big_integer_null("due_day"))
            .col(text_null("reference"))
            .col(text_null("notes"))
            .col(boolean("vat_inclusive"))
            .col(big_integer_null("origin_id"))
            .col(big_integer("net"))
            .col(big_integer("vat"))
            .col(text("by_code"))
            .col(big_integer("paid"))
            .col(big_integer("credited"))
            .col(big_integer("due"))
            .col(big_integer_null("cis_rate"))
            .col(big_integer("cis_labour"))
            .col(big_integer("cis_materials"))
            .col(big_integer("cis_deduction"))
            .col(boolean("opening"))
            .col(big_integer_null("journal_id"))
            .col(big_integer_null("void_journal_id"))
            .col(big_integer_null("void_day"))
            .col(text_null("void_reason"))
            .col(text("search"))
            .col(big_integer_null("issued_at"))
            .col(big_integer_null("last_emailed_at"))
            .col(big_integer("created_at"))
            .col(big_integer("updated_at"))
            .col(big_integer("version"))
            .foreign_key(&mut reference("document", "organisation_id", "organisation"))
            .foreign_key(&mut reference("document", "contact_id", "contact"))
            .foreign_key(&mut reference("document", "origin_id", "document"))
            .foreign_key(&mut reference("document", "journal_id", "journal"))
            .foreign_key(&mut reference("document", "void_journal_id", "journal"))
            .to_owned(),
        Table::create()
            .table("document_line")
            .col(key("id"))
            .col(big_integer("organisation_id"))
            .col(big_integer("document_id"))
            .col(big_integer("line_number"))
            .col(text("description"))
            .col(big_integer("account_id"))
            // Ten-thousandths, and of the discount hundredths of a percent.
            .col(big_integer("quantity"))
            .col(big_integer("unit_price"))
            .col(big_integer("discount"))
            .col(text("vat_code"))
            .col(big_integer_null("given_vat"))
            .col(big_integer("net"))
            .col(big_integer("vat"))
            .col(text("cis_type"))
            .foreign_key(&mut reference("document_line", "document_id", "document"))
            .foreign_key(&mut reference("document_line", "account_id", "account"))
            .to_owned(),
    ]
}

fn settling() -> Vec<TableCreateStatement> {
    vec![
        Table::create()
            .table("allocation")
            .col(key("id"))
            .col(big_integer("organisation_id"))
            .col(big_integer_null("from_document_id"))
            .col(big_integer_null("from_settlement_id"))
            .col(big_integer_null("to_document_id"))
            .col(big_integer_null("to_settlement_id"))
            .col(big_integer("day"))
            .col(big_integer_null("released_day"))
            .col(big_integer("amount"))
            .col(big_integer("cis"))
            // What credit takes off the VAT of the invoice.
            .col(text("credit"))
            .col(big_integer("created_at"))
            .col(big_integer_null("released_at"))
            .check(Expr::col("from_document_id").is_null().ne(Expr::col("from_settlement_id").is_null()))
            .check(Expr::col("to_document_id").is_null().ne(Expr::col("to_settlement_id").is_null()))
            .foreign_key(&mut reference("allocation", "organisation_id", "organisation"))
            .foreign_key(&mut reference("allocation", "from_document_id", "document"))
            .foreign_key(&mut reference("allocation", "to_document_id", "document"))
            .to_owned(),
        // The highest number so far of each prefix.
        Table::create()
            .table("number_sequence")
            .col(big_integer("organisation_id"))
            .col(text("family"))
            .col(text("prefix"))
            .col(big_integer("highest"))
            .primary_key(Index::create().col("organisation_id").col("family").col("prefix"))
            .foreign_key(&mut reference("number_sequence", "organisation_id", "organisation"))
            .to_owned(),
    ]
}

fn plain(name: &'static str, table: &'static str, columns: &[&'static str]) -> IndexCreateStatement {
    let mut index = Index::create();
    index.name(name).table(table);
    for column in columns {
        index.col(*column);
    }
    index
}

fn indexes() -> Vec<IndexCreateStatement> {
    let given = |name: &'static str, table: &'static str, columns: &[&'static str], column: &'static str| {
        plain(name, table, columns).and_where(Expr::col(column).is_not_null()).to_owned()
    };
    vec![
        plain("document_date", "document", &["organisation_id", "kind", "day", "id"]),
        plain("document_status", "document", &["organisation_id", "kind", "status", "day", "id"]),
        plain("document_contact", "document", &["contact_id", "kind", "day", "id"]),
        plain("document_updated", "document", &["organisation_id", "kind", "updated_at"]),
        // A draft holds no number; a void document keeps its own.
        plain("document_number", "document", &["organisation_id", "kind", "number"])
            .unique()
            .and_where(Expr::col("number").is_not_null())
            .and_where(Expr::col("stage").ne("draft"))
            .to_owned(),
        plain("document_supplier_reference", "document", &["contact_id", "kind", "supplier_reference"])
            .unique()
            .and_where(Expr::col("supplier_reference").is_not_null())
            .and_where(Expr::col("stage").ne("void"))
            .to_owned(),
        // What is still to be paid, by when.
        plain("document_open", "document", &["organisation_id", "kind", "due_day", "id"])
            .and_where(Expr::col("due").gt(0))
            .to_owned(),
        plain("document_open_contact", "document", &["contact_id", "kind", "due_day", "due"])
            .and_where(Expr::col("due").gt(0))
            .to_owned(),
        given("document_journal", "document", &["journal_id"], "journal_id"),
        given("document_origin", "document", &["origin_id"], "origin_id"),
        plain("document_line_document", "document_line", &["document_id", "line_number"]),
        given("allocation_from_document", "allocation", &["from_document_id"], "from_document_id"),
        given("allocation_from_settlement", "allocation", &["from_settlement_id"], "from_settlement_id"),
        given("allocation_to_document", "allocation", &["to_document_id"], "to_document_id"),
        given("allocation_to_settlement", "allocation", &["to_settlement_id"], "to_settlement_id"),
    ]
}

/// VAT that counts when a document is paid belongs to no journal. SQLite cannot loosen a column, so the table is made
/// anew there.
async fn entries_without_a_journal(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    if manager.get_database_backend() == DbBackend::Postgres {
        let loosen = "alter table vat_entry alter column journal_id drop not null";
        manager.get_connection().execute_unprepared(loosen).await?;
    } else {
        let copied = "id, organisation_id, journal_id, journal_line_id, document_id, document_line_id, side, vat_code, \
                      basis, net, vat, tax_day";
        manager.create_table(vat_entries("vat_entry_anew")).await?;
        let copy = format!("insert into vat_entry_anew ({copied}) select {copied} from vat_entry");
        manager.get_connection().execute_unprepared(&copy).await?;
        manager.drop_table(Table::drop().table("vat_entry").to_owned()).await?;
        manager.rename_table(Table::rename().table("vat_entry_anew", "vat_entry").to_owned()).await?;
        manager.create_index(plain("vat_entry_journal", "vat_entry", &["journal_id"])).await?;
        manager.create_index(plain("vat_entry_date", "vat_entry", &["organisation_id", "tax_day"])).await?;
    }
    let of_document = plain("vat_entry_document", "vat_entry", &["document_id"]);
    manager.create_index(of_document.to_owned().and_where(Expr::col("document_id").is_not_null()).to_owned()).await
}

fn vat_entries(name: &'static str) -> TableCreateStatement {
    Table::create()
        .table(name)
        .col(key("id"))
        .col(big_integer("organisation_id"))
        .col(big_integer_null("journal_id"))
        .col(big_integer_null("journal_line_id"))
        .col(big_integer_null("document_id"))
        .col(big_integer_null("document_line_id"))
        .col(text("side"))
        .col(text("vat_code"))
        .col(text("basis"))
        .col(big_integer("net"))
        .col(big_integer("vat"))
        .col(big_integer("tax_day"))
        .foreign_key(&mut reference(name, "journal_id", "journal"))
        .to_owned()
}
