//! From which day on financial years end on which day of the year, so that a change leaves locked years as they are.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text};

/// This step.
#[derive(DeriveMigrationName)]
pub struct Migration;

/// The years of the books so far have always ended as they do now; -25567 is 1900-01-01, before every posting.
const FILLED: &str = "insert into financial_year_end_period (organisation_id, from_day, year_end) \
     select id, -25567, financial_year_end from organisation";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table("financial_year_end_period")
            .col(big_integer("organisation_id"))
            .col(big_integer("from_day"))
            .col(text("year_end"))
            .primary_key(Index::create().col("organisation_id").col("from_day"))
            .foreign_key(
                ForeignKey::create().from("financial_year_end_period", "organisation_id").to("organisation", "id"),
            )
            .to_owned();
        manager.create_table(table).await?;
        manager.get_connection().execute_unprepared(FILLED).await?;
        Ok(())
    }

    async fn down(&self, _manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("steps only go forward".to_owned()))
    }
}
