//! The return of a contractor under the Construction Industry Scheme, and the statements of its subcontractors.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::domain::books::records::contact::ContactRecord;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::ids::Id;
use crate::domain::ledger::cis::TaxMonth;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::money::Pence;
use crate::domain::problem::Issues;
use crate::domain::reports::cis_return::CisReturn;
use crate::domain::reports::cis_statement::CisStatement;
use crate::domain::reports::table::{ReportHead, ReportTable, Tabulated};
use crate::http::books::change::{member, path_id};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::file;
use crate::http::openapi::{self, Operation};
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::resources::contact_reports::contact;
use crate::http::resources::report_format::{Format, PrintedReport};
use crate::http::wire::books::{TAX_MONTH_RULE, parse_tax_month};
use crate::render::{self, PaymentAndDeductionStatement, Pdf};

/// The description of the operation, in all forms of its answer.
pub fn describe_return() -> Operation {
    Format::describe(openapi::get_cis_return())
}

/// `GET …/cis/returns/{tax_month_end}`.
pub async fn show_return(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let Some(month) = parse_tax_month(call.parameter("tax_month_end")) else {
        let mut issues = Issues::default();
        issues.field("path", "tax_month_end", TAX_MONTH_RULE);
        return Err(ApiError::invalid_request_format(&issues));
    };
    let mut query = Query::new(call.query());
    let format = Format::read(&mut query);
    query.finish()?;
    let rows = call.state().reader.cis_return_rows(&organisation, month).await?;
    let figures = CisReturn::compute(rows, month);
    if format == Format::Json {
        return envelope::data(StatusCode::OK, &figures);
    }
    let (name, title) = ("cis-return", "CIS monthly return");
    let head = ReportHead { name, title, organisation_name: &organisation.name, basis: None };
    let mut table = ReportTable::new(head, month, figures.tables(month));
    table.subtitles.extend(figures.references());
    PrintedReport::of(table, format, render::report).await?.answer()
}

/// `GET …/suppliers/{id}/cis-statement`.
pub async fn show_statement(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (_, statement) = requested(&call).await?;
    envelope::data(StatusCode::OK, &statement.statement)
}

/// `GET …/suppliers/{id}/cis-statement/pdf`.
pub async fn print_statement(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, statement) = requested(&call).await?;
    let (name, pdf) = statement.print(organisation).await?;
    file::pdf(&name, pdf)
}

/// The statement of a request; 404 where nothing was withheld.
async fn requested(call: &Call<Products>) -> Result<(OrganisationRecord, SupplierStatement), ApiError> {
    let (organisation, _) = member(call).await?;
    let id = path_id(call)?;
    let supplier = contact(call, &organisation, ContactKind::Supplier, id).await?.ok_or_else(ApiError::not_found)?;
    let mut query = Query::new(call.query());
    let month = query.tax_month("tax_month_end");
    query.finish()?;
    let month = month.ok_or_else(|| ApiError::internal("a parameter that was not refused is there"))?;
    let statement = SupplierStatement::of(call, &organisation, supplier, month).await?;
    if statement.statement.is_nothing() {
        return Err(ApiError::not_found());
    }
    Ok((organisation, statement))
}

/// The statement of a supplier for a tax month.
pub(super) struct SupplierStatement {
    /// The supplier.
    pub(super) supplier: ContactRecord,
    statement: CisStatement,
}

impl SupplierStatement {
    /// Reads and computes it.
    pub(super) async fn of(
        call: &Call<Products>,
        organisation: &OrganisationRecord,
        supplier: ContactRecord,
        month: TaxMonth,
    ) -> Result<Self, ApiError> {
        let rows = call.state().reader.cis_return_rows(organisation, month).await?;
        let contractor = organisation.legal_name.clone().unwrap_or_else(|| organisation.name.clone());
        let statement = CisStatement::compute(rows, month, contractor, (Id(supplier.id), &supplier.details.name));
        Ok(Self { supplier, statement })
    }

    /// The figures that an e-mail names; none where nothing was withheld.
    pub(super) fn figures(&self) -> Vec<(&'static str, Pence)> {
        if self.statement.is_nothing() { Vec::new() } else { self.statement.figures() }
    }

    /// The statement as a file: its name and what is in it.
    pub(super) async fn print(self, organisation: OrganisationRecord) -> Result<(String, Pdf), ApiError> {
        let name = format!("cis-statement {}.pdf", self.statement.tax_month_end);
        let print = move || {
            render::cis_statement(&PaymentAndDeductionStatement {
                statement: &self.statement,
                organisation: &organisation,
                supplier: &self.supplier.details,
            })
        };
        Ok((name, file::print(print).await?))
    }
}
