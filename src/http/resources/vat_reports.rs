//! The reports about VAT: their rows of the table of reports, and the parameters that only these have.

use serde_json::Value;

use crate::domain::date::Date;
use crate::domain::reports::Period;
use crate::domain::reports::vat_return::{VatReturn, VatReturnParameters};
use crate::http::openapi::Operation;
use crate::http::openapi::schema::{Field, boolean};
use crate::http::query::Query;
use crate::http::resources::reports::{Parameters, Report, describe, print_report};
use crate::store::Reader;

pub(super) const VAT_RETURN: Report = Report {
    name: "vat-return",
    path: "/api/v1/books/organisations/{organisationId}/reports/vat-return",
    operation_id: "getVatReturn",
    documentation: || {
        describe(
            VatReturn::compute,
            "Get the VAT return",
            "The nine boxes of a period, by the scheme that each document, bank line and journal was posted under, with what stands behind \
             them, what came late into recorded returns, and the object that is sent to HMRC. `due_date` is there when the dates are a VAT \
             period of the organisation. Each box is the sum of its entries and adjustments; box 1 of the flat rate is a percentage of the \
             turnover, rounded once for each stretch of days with one percentage. Nothing is submitted: that is a declaration made by a \
             person.",
        )
    },
    print: |request| Box::pin(print_report(request, Reader::vat_return_rows, VatReturn::compute)),
};

impl Parameters for VatReturnParameters {
    fn read(query: &mut Query, today: Date) -> Option<Self> {
        let period = Period::read(query, today);
        let has_detail = query.flag("detail");
        Some(Self { period: period?, has_detail })
    }

    fn describe(operation: Operation) -> Operation {
        Period::describe(operation).query("detail", "Also list every entry.", boolean(), true.into())
    }

    fn fields() -> Vec<Field> {
        Period::fields()
    }

    fn example() -> Value {
        Period::example()
    }
}
