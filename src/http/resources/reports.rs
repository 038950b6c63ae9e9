//! Reports: one handler, and the table from which their routes, their documentation and their answers follow.
//!
//! A report is computed in `domain/reports/<report>.rs` from rows that a loader of `store/books/report_rows.rs` reads in one
//! snapshot. Its row here joins the two, names the route, and describes the operation. What it prints is the type that the
//! computation gives.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use futures_util::future::LocalBoxFuture;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use utoipa::ToSchema;

use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::date::{Date, date_in};
use crate::domain::reports::cis_position::CisPosition;
use crate::domain::reports::{AsOf, Period};
use crate::http::books::change::member;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::openapi::Operation;
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::{envelope, openapi};
use crate::store::{Reader, StoreError};

/// Every report.
pub const REPORTS: &[Report] = &[CIS_POSITION];

const CIS_POSITION: Report = Report {
    name: "cis-position",
    path: "/api/v1/books/organisations/{organisationId}/cis/position",
    operation_id: "getCisPosition",
    documentation: || {
        document(
            CisPosition::compute,
            "Get the CIS position",
            "What was paid to and withheld from subcontractors in a period (tax months run from the 6th to the 5th), what is owed to HMRC at \
             its end, and what customers withheld from us. The rate is that of the bills paid: a subcontractor with bills at two rates is \
             there twice. By name, id and rate.",
            "The position.",
        )
    },
    print: |request| Box::pin(print(request, Reader::cis_position_rows, CisPosition::compute)),
};

/// A report: its route, its description, and how it is made.
pub struct Report {
    /// Unique among reports, in words joined by hyphens.
    pub name: &'static str,
    /// The path of its route.
    pub path: &'static str,
    /// The name of its operation.
    pub operation_id: &'static str,
    /// The description of its operation.
    pub documentation: fn() -> Operation,
    /// Loads, computes and prints it.
    pub print: for<'a> fn(ReportRequest<'a>) -> PrintedReport<'a>,
}

/// A report as JSON, to be awaited.
pub type PrintedReport<'a> = LocalBoxFuture<'a, Result<Box<RawValue>, ApiError>>;

/// What a report is made from.
#[derive(Clone, Copy)]
pub struct ReportRequest<'a> {
    /// Reads its rows.
    pub reader: &'a Reader,
    /// The organisation it is about, which the caller may see.
    pub organisation: &'a OrganisationRecord,
    /// The present day of the organisation.
    pub today: Date,
    /// Its parameters as a query string.
    pub query: &'a str,
}

impl Report {
    /// `GET` of any report.
    pub async fn answer(&self, call: Call<Products>) -> Result<HttpResponse, ApiError> {
        let (organisation, _) = member(&call).await?;
        let today = date_in(&organisation.timezone, call.began_at_ms());
        let reader = &call.state().reader;
        let request = ReportRequest { reader, organisation: &organisation, today, query: call.query() };
        envelope::data(StatusCode::OK, &(self.print)(request).await?)
    }
}

/// Reads the parameters, loads the rows, computes the report and prints it.
async fn print<P: Parameters, R, T: Serialize>(
    request: ReportRequest<'_>,
    load: impl AsyncFn(&Reader, &OrganisationRecord, P) -> Result<R, StoreError>,
    compute: fn(R, P) -> T,
) -> Result<Box<RawValue>, ApiError> {
    let mut query = Query::new(request.query);
    let parameters = P::read(&mut query, request.today);
    query.finish()?;
    let parameters = parameters.ok_or_else(|| ApiError::internal("parameters that were not refused are complete"))?;
    let rows = load(request.reader, request.organisation, parameters).await?;
    to_raw_value(&compute(rows, parameters)).map_err(ApiError::internal)
}

/// Describes the operation by the parameters and the answer of the computation.
fn document<P: Parameters, R, T: ToSchema>(
    _: fn(R, P) -> T,
    summary: &'static str,
    description: &'static str,
    answer: &'static str,
) -> Operation {
    P::describe(openapi::report::<T>(summary, description, answer))
}

/// The days that a report is about, as its query string gives them.
trait Parameters: Copy {
    /// Reads them; none when something is wrong with them, which the query then refuses.
    fn read(query: &mut Query, today: Date) -> Option<Self>;

    /// Adds them to the description of an operation.
    fn describe(operation: Operation) -> Operation;
}

impl Parameters for Period {
    fn read(query: &mut Query, _: Date) -> Option<Self> {
        let (first, last) = query.period("period_start", "period_end")?;
        Some(Self { first, last })
    }

    fn describe(operation: Operation) -> Operation {
        openapi::of_period(operation)
    }
}

impl Parameters for AsOf {
    fn read(query: &mut Query, today: Date) -> Option<Self> {
        Some(Self(query.date("as_of").unwrap_or(today)))
    }

    fn describe(operation: Operation) -> Operation {
        openapi::as_of(operation)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn read<P: Parameters>(query: &str) -> Result<Option<P>, ApiError> {
        let mut read = Query::new(query);
        let parameters = P::read(&mut read, Date::numbered(7));
        read.finish().map(|()| parameters)
    }

    #[test]
    fn a_period_has_both_days_and_a_day_is_today_when_it_is_left_out() {
        let date = |text| Date::parse(text).unwrap();
        let period = Period { first: date("2026-01-06"), last: date("2026-02-05") };
        assert_eq!(read("period_start=2026-01-06&period_end=2026-02-05").unwrap(), Some(period));
        assert!(read::<Period>("period_start=2026-01-06").is_err());
        assert_eq!(read("").unwrap(), Some(AsOf(Date::numbered(7))));
        assert_eq!(read("as_of=2026-02-05").unwrap(), Some(AsOf(date("2026-02-05"))));
        assert!(read::<AsOf>("as_of=2026-02-30").is_err());
    }

    #[test]
    fn a_name_belongs_to_one_report() {
        let names: HashSet<_> = REPORTS.iter().map(|report| report.name).collect();
        assert_eq!(names.len(), REPORTS.len());
    }
}
