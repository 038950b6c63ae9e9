//! The reports about customers and suppliers: their rows of the table of reports, and the parameters that only these have.

use actix_web::HttpResponse;
use serde_json::{Value, json};
use utoipa::openapi::ObjectBuilder;

use crate::domain::books::records::contact::{ContactDetails, ContactRecord};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::date::{Date, date_in};
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::money::Pence;
use crate::domain::reports::ageing::{AgeBy, AgedBalances, AgedRows, AgeingParameters};
use crate::domain::reports::statement::Statement;
use crate::domain::reports::table::{ReportHead, ReportTable, Tabulated};
use crate::domain::reports::trade::{PurchasesBySupplier, SalesByCustomer, TradeParameters, TradeRows};
use crate::domain::reports::{AsOf, Period};
use crate::http::books::change::{member, path_id};
use crate::http::call::Call;
use crate::http::envelope::Id;
use crate::http::error::ApiError;
use crate::http::file;
use crate::http::openapi::Operation;
use crate::http::openapi::schema::{Field, choice, id, nullable, required};
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::resources::report_format::{Format, PrintedReport};
use crate::http::resources::reports::{Parameters, Report, ReportRequest, describe, json_of, print_report};
use crate::render::{self, Pdf, StatementLetter};
use crate::store::{Reader, Snapshot, StoreError};

pub(super) const AGED_DEBTORS: Report = Report {
    name: "aged-debtors",
    title: "Aged debtors",
    path: "/api/v1/books/organisations/{organisationId}/reports/aged-debtors",
    operation_id: "getAgedDebtors",
    documentation: || {
        describe(
            AgedBalances::compute,
            "Get aged debtors",
            "What customers owe at the end of a day, by how long it is overdue, with the invoices, credit notes, receipts, refunds and \
             lines of journals that make it up. What is not allocated has a column of its own. The total is the balance of the control \
             account. A contact without anything open has no row.",
        )
    },
    print: |request| {
        let load = async |reader: &Reader, organisation: &OrganisationRecord, parameters| {
            aged(reader, organisation, ContactKind::Customer, parameters).await
        };
        Box::pin(print_report(request, load, AgedBalances::compute))
    },
};

pub(super) const AGED_CREDITORS: Report = Report {
    name: "aged-creditors",
    title: "Aged creditors",
    path: "/api/v1/books/organisations/{organisationId}/reports/aged-creditors",
    operation_id: "getAgedCreditors",
    documentation: || {
        describe(
            AgedBalances::compute,
            "Get aged creditors",
            "What we owe suppliers at the end of a day, by how long it is overdue, as in aged debtors. A bill is gross of what CIS will \
             withhold when it is paid.",
        )
    },
    print: |request| {
        let load = async |reader: &Reader, organisation: &OrganisationRecord, parameters| {
            aged(reader, organisation, ContactKind::Supplier, parameters).await
        };
        Box::pin(print_report(request, load, AgedBalances::compute))
    },
};

pub(super) const SALES_BY_CUSTOMER: Report = Report {
    name: "sales-by-customer",
    title: "Sales by customer",
    path: "/api/v1/books/organisations/{organisationId}/reports/sales-by-customer",
    operation_id: "getSalesByCustomer",
    documentation: || {
        describe(
            SalesByCustomer::compute,
            "Get sales by customer",
            "What was sold to each customer in a period by the dates of invoices and credit notes: their lines on income accounts. A void \
             takes a document out on the day it is void from. Documents of opening balances are not counted. With `contact_id` the rows, \
             their totals and `other_net` are that customer's alone.",
        )
    },
    print: |request| {
        let load = async |reader: &Reader, organisation: &OrganisationRecord, parameters| {
            traded(reader, organisation, ContactKind::Customer, parameters).await
        };
        Box::pin(print_report(request, load, SalesByCustomer::compute))
    },
};

pub(super) const PURCHASES_BY_SUPPLIER: Report = Report {
    name: "purchases-by-supplier",
    title: "Purchases by supplier",
    path: "/api/v1/books/organisations/{organisationId}/reports/purchases-by-supplier",
    operation_id: "getPurchasesBySupplier",
    documentation: || {
        describe(
            PurchasesBySupplier::compute,
            "Get purchases by supplier",
            "What was bought from each supplier in a period by the dates of invoices and credit notes: every line as it was posted, so that \
             VAT that is not reclaimed is in the net. A void takes a document out on the day it is void from. Documents of opening balances \
             are not counted. With `contact_id` the rows, their totals, `capital_net` and `other_net` are that supplier's alone.",
        )
    },
    print: |request| {
        let load = async |reader: &Reader, organisation: &OrganisationRecord, parameters| {
            traded(reader, organisation, ContactKind::Supplier, parameters).await
        };
        Box::pin(print_report(request, load, PurchasesBySupplier::compute))
    },
};

pub(super) const CUSTOMER_STATEMENT: Report = Report {
    name: "customer-statement",
    title: "Statement of account",
    path: "/api/v1/books/organisations/{organisationId}/reports/customer-statement/{contactId}",
    operation_id: "getCustomerStatement",
    documentation: || {
        of_contact(describe(
            Statement::compute,
            "Get the statement of a customer",
            "What a customer owed before a period, what was posted to them in it by date and journal, and what is open at its end: the same \
             as their row of aged debtors on that day. Allocations are no lines, a void is a line of its own date.",
        ))
    },
    print: |request| Box::pin(print_statement(request, ContactKind::Customer)),
};

pub(super) const SUPPLIER_STATEMENT: Report = Report {
    name: "supplier-statement",
    title: "Supplier statement",
    path: "/api/v1/books/organisations/{organisationId}/reports/supplier-statement/{contactId}",
    operation_id: "getSupplierStatement",
    documentation: || {
        of_contact(describe(
            Statement::compute,
            "Get the statement of a supplier",
            "What we owed a supplier before a period, what was posted to them in it by date and journal, and what is open at its end: a bill \
             is a credit, and a positive balance is what we owe. A payment under CIS is one line of all it settled, with its cash and \
             what was withheld beside it.",
        ))
    },
    print: |request| Box::pin(print_statement(request, ContactKind::Supplier)),
};

async fn aged(
    reader: &Reader,
    organisation: &OrganisationRecord,
    side: ContactKind,
    parameters: AgeingParameters,
) -> Result<Snapshot<AgedRows>, StoreError> {
    reader.aged_rows(organisation, side, parameters).await
}

async fn traded(
    reader: &Reader,
    organisation: &OrganisationRecord,
    side: ContactKind,
    parameters: TradeParameters,
) -> Result<Snapshot<TradeRows>, StoreError> {
    reader.trade_rows(organisation, side, parameters).await
}

/// The statement of the contact of the path, which is unknown unless it is of this kind.
async fn print_statement(request: ReportRequest<'_>, kind: ContactKind) -> Result<PrintedReport, ApiError> {
    let ReportRequest { reader, organisation, today, .. } = request;
    let contact = request.contact_id()?;
    let (period, format) = match Period::of(request) {
        Ok(asked) => asked,
        // A path that leads nowhere comes before its query.
        Err(refused) => {
            let found = reader.contact(organisation.id, kind, contact, today).await?;
            return Err(found.map_or_else(ApiError::not_found, |_| refused));
        }
    };
    let snapshot = reader.statement_rows(organisation, (kind, contact), period).await?;
    let snapshot = snapshot.ok_or_else(ApiError::not_found)?;
    let statement = Statement::compute(&snapshot.rows, period);
    if format == Format::Json {
        return json_of(request, period, &snapshot, statement);
    }
    let closing_balance = statement.closing_balance;
    let table = request.table(&snapshot.organisation_name, period, &statement);
    if format == Format::Csv {
        return PrintedReport::of(table, format, render::report).await;
    }
    let found = reader.contact(organisation.id, kind, contact, today).await?;
    let contact = found.map(|view| view.row.details).ok_or_else(ApiError::not_found)?;
    let balance = Pence(closing_balance.0);
    let (name, pdf) = print_letter(reader, organisation, (kind, contact), (table, balance)).await?;
    Ok(PrintedReport::Pdf(name, pdf))
}

/// Prints a statement with the addresses of both sides.
async fn print_letter(
    reader: &Reader,
    organisation: &OrganisationRecord,
    (kind, contact): (ContactKind, ContactDetails),
    (table, closing_balance): (ReportTable, Pence),
) -> Result<(String, Pdf), ApiError> {
    let bank_account = match organisation.payment_bank_account_id {
        Some(id) => reader.bank_account(organisation.id, id).await?.map(|view| view.row.details),
        None => None,
    };
    let name = table.file_name.clone();
    let organisation = organisation.clone();
    let print = move || {
        let (organisation, contact, bank_account) = (&organisation, &contact, bank_account.as_ref());
        render::statement(&StatementLetter {
            report: &table,
            organisation,
            kind,
            contact,
            bank_account,
            closing_balance,
        })
    };
    Ok((name, file::print(print).await?))
}

/// `GET …/customers/{id}/statement/pdf`.
pub async fn print_customer_statement(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let id = path_id(&call)?;
    let customer = contact(&call, &organisation, ContactKind::Customer, id).await?.ok_or_else(ApiError::not_found)?;
    let mut query = Query::new(call.query());
    let period = Period::read(&mut query, date_in(&organisation.timezone, call.began_at_ms()));
    query.finish()?;
    let period = period.ok_or_else(|| ApiError::internal("parameters that were not refused are there"))?;
    let statement = CustomerStatement::of(&call, &organisation, customer, period).await?;
    let (name, pdf) = statement.print(&call, &organisation).await?;
    file::pdf(&name, pdf)
}

/// A customer or supplier of the organisation.
pub(super) async fn contact(
    call: &Call<Products>,
    organisation: &OrganisationRecord,
    kind: ContactKind,
    id: i64,
) -> Result<Option<ContactRecord>, ApiError> {
    let today = date_in(&organisation.timezone, call.began_at_ms());
    let found = call.state().reader.contact(organisation.id, kind, id, today).await?;
    Ok(found.map(|view| view.row))
}

/// The statement of a customer over a period, to be printed and sent.
pub(super) struct CustomerStatement {
    /// The customer.
    pub(super) customer: ContactRecord,
    statement: Statement,
    table: ReportTable,
}

impl CustomerStatement {
    /// Reads and computes it.
    pub(super) async fn of(
        call: &Call<Products>,
        organisation: &OrganisationRecord,
        customer: ContactRecord,
        period: Period,
    ) -> Result<Self, ApiError> {
        let who = (ContactKind::Customer, customer.id);
        let found = call.state().reader.statement_rows(organisation, who, period).await?;
        let snapshot = found.ok_or_else(|| ApiError::internal("customers are never deleted"))?;
        let statement = Statement::compute(&snapshot.rows, period);
        let Report { name, title, .. } = CUSTOMER_STATEMENT;
        let head = ReportHead { name, title, organisation_name: &snapshot.organisation_name, basis: None };
        let table = ReportTable::new(head, period, statement.tables(period));
        Ok(Self { customer, statement, table })
    }

    /// The figures that an e-mail names.
    pub(super) fn figures(&self) -> Vec<(&'static str, Pence)> {
        let Statement { opening_balance, closing_balance, .. } = &self.statement;
        vec![("Opening balance", Pence(opening_balance.0)), ("Closing balance", Pence(closing_balance.0))]
    }

    /// The statement as a file: its name and what is in it.
    pub(super) async fn print(
        self,
        call: &Call<Products>,
        organisation: &OrganisationRecord,
    ) -> Result<(String, Pdf), ApiError> {
        let balance = Pence(self.statement.closing_balance.0);
        let who = (ContactKind::Customer, self.customer.details);
        let (name, pdf) = print_letter(&call.state().reader, organisation, who, (self.table, balance)).await?;
        Ok((format!("{name}.pdf"), pdf))
    }
}

/// Adds the contact of the path to the description of an operation.
fn of_contact(operation: Operation) -> Operation {
    operation.path("contactId", "The id of the customer or supplier.", id(), 12.into())
}

/// Adds the filter by a contact to the description of an operation.
fn by_contact(operation: Operation) -> Operation {
    operation.query("contact_id", "Nobody but this customer or supplier.", id(), 3.into())
}

impl Parameters for AgeingParameters {
    fn read(query: &mut Query, today: Date) -> Option<Self> {
        let as_of = AsOf::read(query, today);
        let age_by = query.word("age_by", AGE_BY_RULE, AgeBy::parse).unwrap_or(AgeBy::DueDate);
        let contact_id = query.id("contact_id").map(Id);
        Some(Self { as_of: as_of?, age_by, contact_id })
    }

    fn describe(operation: Operation) -> Operation {
        by_contact(AsOf::describe(operation)).query(
            "age_by",
            "The date from which an invoice ages; the due date when it is left out.",
            age_by(),
            "invoice_date".into(),
        )
    }

    fn fields() -> Vec<Field> {
        let own = [required("age_by", age_by()), required("contact_id", nullable(id()))];
        AsOf::fields().into_iter().chain(own).collect()
    }

    fn example() -> Value {
        json!({ "as_of": "2026-03-31", "age_by": "due_date", "contact_id": null })
    }
}

const AGE_BY_RULE: &str = "due_date or invoice_date";

fn age_by() -> ObjectBuilder {
    choice(&AgeBy::ALL.map(AgeBy::as_str))
}

impl Parameters for TradeParameters {
    fn read(query: &mut Query, today: Date) -> Option<Self> {
        let period = Period::read(query, today);
        let contact_id = query.id("contact_id").map(Id);
        Some(Self { period: period?, contact_id })
    }

    fn describe(operation: Operation) -> Operation {
        by_contact(Period::describe(operation))
    }

    fn fields() -> Vec<Field> {
        Period::fields().into_iter().chain([required("contact_id", nullable(id()))]).collect()
    }

    fn example() -> Value {
        json!({ "period_start": "2026-01-01", "period_end": "2026-03-31", "contact_id": null })
    }
}
