//! Reports: one handler, and the table from which their routes, their documentation and their answers follow.
//!
//! A report is computed in `domain/reports/<report>.rs` from rows that a loader of `store/books/report_rows.rs` reads in one
//! snapshot. Its row here joins the two, names the route, and describes the operation. What it prints is the type that the
//! computation gives.

use std::borrow::Cow;

use actix_web::HttpResponse;
use futures_util::future::LocalBoxFuture;
use serde::Serialize;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::date::{Date, date_in};
use crate::domain::ledger::financial_year::FinancialYears;
use crate::domain::reports::ReportDays;
use crate::domain::reports::account_balances::AccountRows;
use crate::domain::reports::balance_comparison::BalanceComparison;
use crate::domain::reports::balance_sheet::BalanceSheet;
use crate::domain::reports::cash_flow::CashFlow;
use crate::domain::reports::cis_position::CisPosition;
use crate::domain::reports::period_comparison::PeriodComparison;
use crate::domain::reports::profit_loss::ProfitLoss;
use crate::domain::reports::profit_loss_monthly::ProfitLossMonthly;
use crate::domain::reports::table::{ReportHead, ReportTable, Tabulated};
use crate::domain::reports::trial_balance::TrialBalance;
use crate::http::books::change::{integer_id, member};
use crate::http::call::Call;
use crate::http::envelope::{CURRENCY, Id, Moment};
use crate::http::error::ApiError;
use crate::http::openapi::schema::{Field, choice, id, integer, moment, required, string};
use crate::http::openapi::{self, Operation};
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::resources::contact_reports::{
    AGED_CREDITORS, AGED_DEBTORS, CUSTOMER_STATEMENT, PURCHASES_BY_SUPPLIER, SALES_BY_CUSTOMER, SUPPLIER_STATEMENT,
};
use crate::http::resources::report_format::{Format, PrintedReport};
use crate::http::resources::vat_reports::VAT_RETURN;
use crate::render;
use crate::store::{Reader, Snapshot, StoreError};

/// Every report.
pub const REPORTS: &[Report] = &[
    CIS_POSITION,
    PROFIT_LOSS,
    PROFIT_LOSS_MONTHLY,
    BALANCE_SHEET,
    TRIAL_BALANCE,
    CASH_FLOW,
    PERIOD_COMPARISON,
    BALANCE_COMPARISON,
    AGED_DEBTORS,
    AGED_CREDITORS,
    SALES_BY_CUSTOMER,
    PURCHASES_BY_SUPPLIER,
    CUSTOMER_STATEMENT,
    SUPPLIER_STATEMENT,
    VAT_RETURN,
];

/// The path of a report in the list of reports.
macro_rules! path {
    ($name:literal) => {
        concat!("/api/v1/books/organisations/{organisationId}/reports/", $name)
    };
}

const CIS_POSITION: Report = Report {
    name: "cis-position",
    title: "CIS position",
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

const PROFIT_LOSS: Report = Report {
    name: "profit-loss",
    title: "Profit and loss account",
    path: path!("profit-loss"),
    operation_id: "getProfitLoss",
    documentation: || {
        describe(
            ProfitLoss::compute,
            "Get the profit and loss account",
            "What was earned and spent in a period, by account code, with the totals of UK accounts: other income stands below gross \
             profit, corporation tax below profit before tax. Each row has the path of the lines behind it.",
        )
    },
    print: |request| Box::pin(print_of_income(request, ProfitLoss::days, ProfitLoss::compute)),
};

const PROFIT_LOSS_MONTHLY: Report = Report {
    name: "profit-loss-monthly",
    title: "Profit and loss account by month",
    path: path!("profit-loss-monthly"),
    operation_id: "getProfitLossMonthly",
    documentation: || {
        describe(
            ProfitLossMonthly::compute,
            "Get the profit and loss account by month",
            "The profit and loss account of each month of a period, at most 60 months; the first and the last are clipped to the period. \
             The totals are those of the profit and loss account of the period.",
        )
    },
    print: |request| Box::pin(print_of_income(request, ProfitLossMonthly::days, ProfitLossMonthly::compute)),
};

const BALANCE_SHEET: Report = Report {
    name: "balance-sheet",
    title: "Balance sheet",
    path: path!("balance-sheet"),
    operation_id: "getBalanceSheet",
    documentation: || {
        describe(
            BalanceSheet::compute,
            "Get the balance sheet",
            "What there is and what is owed at the end of a day, in the layout of UK accounts. The profit of earlier financial years is in \
             retained earnings without any closing entry; that of this year is `current_year_earnings`, which has no row.",
        )
    },
    print: |request| Box::pin(print_of_accounts(request, BalanceSheet::days, BalanceSheet::compute)),
};

const TRIAL_BALANCE: Report = Report {
    name: "trial-balance",
    title: "Trial balance",
    path: path!("trial-balance"),
    operation_id: "getTrialBalance",
    documentation: || {
        describe(
            TrialBalance::compute,
            "Get the trial balance",
            "Every account that has a balance at the end of a day, on the side where it stands. Income and expenses count from the first \
             day of the financial year; earlier years are inside retained earnings.",
        )
    },
    print: |request| Box::pin(print_of_accounts(request, TrialBalance::days, TrialBalance::compute)),
};

const CASH_FLOW: Report = Report {
    name: "cash-flow",
    title: "Cash flow statement",
    path: path!("cash-flow"),
    operation_id: "getCashFlow",
    documentation: || {
        describe(
            CashFlow::compute,
            "Get the cash flow statement",
            "Where the money of a period came from and went to, by the indirect method: from the profit over what moved on the other \
             accounts to what moved on the accounts with the role `bank`. Transfers between these are no flows.",
        )
    },
    print: |request| Box::pin(print_report(request, Reader::cash_flow_rows, CashFlow::compute)),
};

const PERIOD_COMPARISON: Report = Report {
    name: "period-comparison",
    title: "Profit and loss account compared",
    path: path!("period-comparison"),
    operation_id: "getPeriodComparison",
    documentation: || {
        describe(
            PeriodComparison::compute,
            "Compare the profit and loss accounts of two periods",
            "A period beside another: the one just before it (as many calendar months when it is whole months, else as many days), the \
             same days of the year before with `compare=previous_year`, or the one from `compare_start` to `compare_end`.",
        )
    },
    print: |request| Box::pin(print_of_income(request, PeriodComparison::days, PeriodComparison::compute)),
};

const BALANCE_COMPARISON: Report = Report {
    name: "balance-comparison",
    title: "Balance sheet compared",
    path: path!("balance-comparison"),
    operation_id: "getBalanceComparison",
    documentation: || {
        describe(
            BalanceComparison::compute,
            "Compare the balance sheets of two days",
            "The balance sheet at the end of a day beside that of another: the same day of the year before, unless `compare_as_of` names one.",
        )
    },
    print: |request| Box::pin(print_of_accounts(request, BalanceComparison::days, BalanceComparison::compute)),
};

/// A report: its route, its description, and how it is made.
pub struct Report {
    /// Unique among reports, in words joined by hyphens.
    pub name: &'static str,
    /// Its title on paper.
    pub title: &'static str,
    /// The path of its route.
    pub path: &'static str,
    /// The name of its operation.
    pub operation_id: &'static str,
    /// The description of its operation.
    pub documentation: fn() -> Operation,
    /// Loads, computes and prints it.
    pub print: for<'a> fn(ReportRequest<'a>) -> LocalBoxFuture<'a, Result<PrintedReport, ApiError>>,
}

/// What a report is made from.
#[derive(Clone, Copy)]
pub struct ReportRequest<'a> {
    /// Reads its rows.
    pub reader: &'a Reader,
    /// The organisation it is about, which the caller may see.
    pub organisation: &'a OrganisationRecord,
    /// The name of the report.
    pub name: &'static str,
    /// The title of the report on paper.
    pub title: &'static str,
    /// The present day of the organisation.
    pub today: Date,
    /// The present moment in milliseconds.
    pub now_ms: i64,
    /// The contact of its path as text, when it has one.
    pub contact: &'a str,
    /// Its parameters as a query string.
    pub query: &'a str,
}

impl<'a> ReportRequest<'a> {
    /// The contact of its path.
    pub(super) fn contact_id(self) -> Result<i64, ApiError> {
        integer_id(self.contact)
    }

    /// The report as tables.
    pub(super) fn table<P: Parameters, T: Tabulated<P>>(
        self,
        organisation_name: &str,
        parameters: P,
        report: &T,
    ) -> ReportTable {
        let Self { name, title, .. } = self;
        let head = ReportHead { name, title, organisation_name, basis: T::IS_ACCRUAL.then_some(ACCRUAL) };
        ReportTable::new(head, parameters, report.tables(parameters))
    }
}

impl Report {
    /// `GET` of any report.
    pub async fn answer(&self, call: Call<Products>) -> Result<HttpResponse, ApiError> {
        let (organisation, _) = member(&call).await?;
        let now_ms = call.began_at_ms();
        let today = date_in(&organisation.timezone, now_ms);
        let (reader, name, title, query) = (&call.state().reader, self.name, self.title, call.query());
        let contact = call.parameter("contactId");
        let request = ReportRequest { reader, organisation: &organisation, name, title, today, now_ms, contact, query };
        (self.print)(request).await?.answer()
    }
}

/// Reads the parameters, loads the rows, computes the report and prints it.
async fn print<P: Parameters, R, T: Serialize + Tabulated<P>>(
    request: ReportRequest<'_>,
    load: impl AsyncFn(&Reader, &OrganisationRecord, P) -> Result<R, StoreError>,
    compute: fn(R, P) -> T,
) -> Result<PrintedReport, ApiError> {
    let (parameters, format) = P::of(request)?;
    let report = compute(load(request.reader, request.organisation, parameters).await?, parameters);
    if format == Format::Json {
        return to_raw_value(&report).map(PrintedReport::Json).map_err(ApiError::internal);
    }
    let table = request.table(&request.organisation.name, parameters, &report);
    PrintedReport::of(table, format, render::report).await
}

/// The same of a report in the list of reports, with what all of these say of themselves.
pub(super) async fn print_report<P: Parameters, R, T: Serialize + Tabulated<P>>(
    request: ReportRequest<'_>,
    load: impl AsyncFn(&Reader, &OrganisationRecord, P) -> Result<Snapshot<R>, StoreError>,
    compute: fn(&R, P) -> T,
) -> Result<PrintedReport, ApiError> {
    let (parameters, format) = P::of(request)?;
    let snapshot = load(request.reader, request.organisation, parameters).await?;
    let figures = compute(&snapshot.rows, parameters);
    if format == Format::Json {
        return json_of(request, parameters, &snapshot, figures);
    }
    let table = request.table(&snapshot.organisation_name, parameters, &figures);
    PrintedReport::of(table, format, render::report).await
}

/// A report as JSON with what all reports say of themselves.
pub(super) fn json_of<P: Parameters, R, T: Serialize>(
    request: ReportRequest<'_>,
    parameters: P,
    snapshot: &Snapshot<R>,
    figures: T,
) -> Result<PrintedReport, ApiError> {
    let report = ReportJson {
        report: request.name,
        organisation_id: Id(request.organisation.id.0),
        organisation_name: &snapshot.organisation_name,
        currency: CURRENCY,
        parameters,
        basis: ACCRUAL,
        generated_at: Moment(request.now_ms),
        cursor: snapshot.cursor,
        figures,
    };
    to_raw_value(&report).map(PrintedReport::Json).map_err(ApiError::internal)
}

/// The same of a report about the balances of accounts at the ends of some days.
async fn print_of_accounts<P: Parameters, T: Serialize + Tabulated<P>>(
    request: ReportRequest<'_>,
    days: fn(&FinancialYears, P) -> Vec<Date>,
    compute: fn(&AccountRows, P) -> T,
) -> Result<PrintedReport, ApiError> {
    let load = async |reader: &Reader, organisation: &OrganisationRecord, parameters| {
        reader.account_rows(organisation, parameters, days).await
    };
    print_report(request, load, compute).await
}

/// The same of a report about what was posted to income and expense accounts between the ends of some days.
async fn print_of_income<P: Parameters, T: Serialize + Tabulated<P>>(
    request: ReportRequest<'_>,
    days: fn(P) -> Vec<Date>,
    compute: fn(&AccountRows, P) -> T,
) -> Result<PrintedReport, ApiError> {
    let load = async |reader: &Reader, organisation: &OrganisationRecord, parameters| {
        reader.income_rows(organisation, days(parameters)).await
    };
    print_report(request, load, compute).await
}

/// Income and expenses count by the dates of documents, whether they are paid or not.
const ACCRUAL: &str = "accrual";

/// A report with what all reports say of themselves.
#[derive(Serialize)]
struct ReportJson<'a, P, T> {
    report: &'static str,
    organisation_id: Id,
    organisation_name: &'a str,
    currency: &'static str,
    #[serde(flatten)]
    parameters: P,
    basis: &'static str,
    generated_at: Moment,
    cursor: i64,
    #[serde(flatten)]
    figures: T,
}

/// Its component has the name of the figures.
impl<P: Parameters, T: ToSchema> PartialSchema for ReportJson<'_, P, T> {
    fn schema() -> RefOr<Schema> {
        let figures = T::schema();
        let RefOr::T(Schema::Object(mut object)) = figures else { return figures };
        let head = [
            required("report", string().description(Some("The name of the report."))),
            required("organisation_id", id()),
            required("organisation_name", string().description(Some("What the organisation is called today."))),
            required("currency", choice(&[CURRENCY])),
        ];
        let after = [
            required("basis", choice(&[ACCRUAL])),
            required("generated_at", moment()),
            required(
                "cursor",
                integer(0).description(Some("What has moved a figure since is in the changes after this position.")),
            ),
        ];
        let mut example = json!({
            "report": "report", "organisation_id": 7, "organisation_name": "Larkspur Joinery Ltd", "currency": CURRENCY,
            "basis": ACCRUAL, "generated_at": "2026-04-02T09:00:00.000Z", "cursor": 318
        });
        let of_figures = object.example.take();
        for part in [Some(P::example()), of_figures].into_iter().flatten() {
            if let (Some(example), Value::Object(part)) = (example.as_object_mut(), part) {
                example.extend(part);
            }
        }
        let mut fields: Vec<Field> = head.into_iter().chain(P::fields()).chain(after).collect();
        fields.reverse();
        for field in fields {
            field.put_first(&mut object);
        }
        object.example = Some(example);
        Schema::Object(object).into()
    }
}

impl<P: Parameters, T: ToSchema> ToSchema for ReportJson<'_, P, T> {
    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::schemas(schemas);
    }
}

/// Describes the operation by the parameters and the answer of the computation.
fn document<P: Parameters, R, T: ToSchema>(
    _: fn(R, P) -> T,
    summary: &'static str,
    description: &'static str,
    answer: &'static str,
) -> Operation {
    Format::describe(P::describe(openapi::report::<T>(summary, description, answer)))
}

/// Describes the operation of a report in the list of reports.
pub(super) fn describe<P: Parameters, R, T: ToSchema>(
    _: fn(&R, P) -> T,
    summary: &'static str,
    description: &'static str,
) -> Operation {
    Format::describe(P::describe(openapi::report::<ReportJson<'_, P, T>>(summary, description, "The report.")))
}

/// The days that a report is about, as its query string gives them.
pub(super) trait Parameters: ReportDays + Serialize + Send + Sync + 'static {
    /// Reads them; none when something is wrong with them, which the query then refuses.
    fn read(query: &mut Query, today: Date) -> Option<Self>;

    /// Adds them to the description of an operation.
    fn describe(operation: Operation) -> Operation;

    /// How the answer shows them.
    fn fields() -> Vec<Field>;

    /// An example of what the answer shows.
    fn example() -> Value;

    /// Reads the query string of a request: what is asked for, and in which form.
    fn of(request: ReportRequest<'_>) -> Result<(Self, Format), ApiError> {
        let mut query = Query::new(request.query);
        let parameters = Self::read(&mut query, request.today);
        let format = Format::read(&mut query);
        query.finish()?;
        let parameters =
            parameters.ok_or_else(|| ApiError::internal("parameters that were not refused are complete"))?;
        Ok((parameters, format))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::domain::reports::{AsOf, Period};

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
        assert_eq!(read("").unwrap(), Some(AsOf { date: Date::numbered(7) }));
        assert_eq!(read("as_of=2026-02-05").unwrap(), Some(AsOf { date: date("2026-02-05") }));
        assert!(read::<AsOf>("as_of=2026-02-30").is_err());
    }

    #[test]
    fn a_name_belongs_to_one_report() {
        let names: HashSet<_> = REPORTS.iter().map(|report| report.name).collect();
        assert_eq!(names.len(), REPORTS.len());
    }
}
