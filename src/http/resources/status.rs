//! How the books stand.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use super::accounts::vat_scheme;
use super::financial_years::FinancialYearJson;
use crate::domain::books::records::bank_account::BankAccountView;
use crate::domain::books::records::financial_year::FinancialYearView;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::records::status::BooksStatus;
use crate::domain::date::{Date, date_in};
use crate::domain::ledger::cis::TaxMonth;
use crate::domain::reports::Period;
use crate::domain::reports::cis_return::CisReturn;
use crate::domain::reports::dashboard::{Dashboard, Owed, ProfitSoFar};
use crate::domain::reports::deadlines::{Deadline, cis_deadlines, vat_deadlines};
use crate::domain::reports::vat_return::{VatReturn, VatReturnParameters};
use crate::http::books::change::member;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{CURRENCY, Id, Money};
use crate::http::error::ApiError;
use crate::http::openapi::schema::choice;
use crate::http::products::Products;
use crate::http::query::Query;
use crate::store::Reader;

/// `GET …/status`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    Query::none(call.query())?;
    let today = date_in(&organisation.timezone, call.began_at_ms());
    let reader = &call.state().reader;
    let status = reader.books_status(organisation.id, today).await?;
    let dashboard = reader.dashboard(organisation.id, today).await?;
    let years = reader.list_financial_years(&organisation, today).await?;
    let duties = Duties::read(reader, &organisation, today).await?;
    envelope::data(StatusCode::OK, &BooksStatusJson::new(&organisation, &status, (dashboard, &years, duties), today))
}

/// What is declared and paid to HMRC.
struct Duties {
    vat: Option<(Period, VatReturn)>,
    cis: Option<CisDueJson>,
    deadlines: Vec<Deadline>,
}

impl Duties {
    /// The return of the VAT period and of the tax month of a day, and what is due next.
    async fn read(reader: &Reader, organisation: &OrganisationRecord, today: Date) -> Result<Self, ApiError> {
        let mut deadlines = Vec::new();
        let mut vat = None;
        if organisation.vat_registered {
            let (first, last) = organisation.vat_periods().around(today);
            let parameters = VatReturnParameters { period: Period { first, last }, has_detail: false };
            let rows = reader.vat_return_rows(organisation, parameters).await?.rows;
            let (recorded, _) = reader.vat_returns(organisation.id, (1, 0)).await?;
            let last_recorded = recorded.first().map(|record| record.period.last);
            deadlines.extend(vat_deadlines(&rows.registration, (organisation.books_start_date, last_recorded), today));
            let period = rows.registration.period_of(today).filter(|period| *period == parameters.period);
            vat = period.map(|period| (period, VatReturn::compute(&rows, parameters)));
        }
        let mut cis = None;
        if organisation.cis_contractor {
            let month = TaxMonth::of(today);
            let before = TaxMonth::of(month.first() - 1);
            let running = CisReturn::compute(reader.cis_return_rows(organisation, month).await?, month);
            let ended = CisReturn::compute(reader.cis_return_rows(organisation, before).await?, before);
            deadlines.extend(cis_deadlines(&ended, &running, organisation.books_start_date, today));
            cis = Some(CisDueJson::from(&running));
        }
        deadlines.sort_by_key(|deadline| deadline.due_date);
        Ok(Self { vat, cis, deadlines })
    }
}

/// How the books stand.
#[derive(Serialize, ToSchema)]
#[schema(as = BooksStatus, example = example)]
pub struct BooksStatusJson<'a> {
    organisation_id: Id,
    as_of: Date,
    currency: &'static str,
    vat: VatStatusJson<'a>,
    #[schema(required)]
    locked_through: Option<Date>,
    opening_balances_set: bool,
    bank_accounts: Vec<BankAccountStatusJson<'a>>,
    #[schema(minimum = 0)]
    drafts: i64,
    overdue: OverdueJson,
    /// On all bank accounts at the end of today: `closing_cash` of the cash flow.
    cash: Money,
    /// What customers owe: the ageing of today.
    debtors: Owed,
    /// What suppliers are owed: the ageing of today.
    creditors: Owed,
    profit: ProfitSoFar,
    /// Of the tax month that today is in; null unless the organisation is a contractor under CIS.
    #[schema(required)]
    cis: Option<CisDueJson>,
    /// What is to be filed and paid next, by due date.
    deadlines: Vec<Deadline>,
    /// In their order.
    financial_years: Vec<FinancialYearJson>,
    gaps: Vec<GapJson>,
}

/// How the organisation is registered, and what the VAT return of the period that today is in comes to.
#[derive(Serialize, ToSchema)]
#[schema(as = VatStatus)]
struct VatStatusJson<'a> {
    registered: bool,
    #[schema(schema_with = vat_scheme, required)]
    scheme: Option<&'a str>,
    has_control_account: bool,
    /// The last day of the VAT period that today is in; null where there is none.
    #[schema(required)]
    period_end: Option<Date>,
    /// When its return and the payment are due.
    #[schema(required)]
    due_date: Option<Date>,
    /// What its return comes to so far: positive is payable, negative reclaimable.
    #[schema(required)]
    net_vat: Option<Money>,
}

/// What is owed to HMRC under the Construction Industry Scheme.
#[derive(Serialize, ToSchema)]
#[schema(as = CisDue)]
struct CisDueJson {
    tax_month_end: Date,
    /// By when the return of the tax month is filed.
    due_date: Date,
    /// By when what was withheld is paid electronically.
    payment_due_date: Date,
    /// What is owed at the end of the tax month: `cis_payable_balance` of its return.
    payable: Money,
}

/// A bank account in use.
#[derive(Serialize, ToSchema)]
#[schema(as = BankAccountStatus)]
struct BankAccountStatusJson<'a> {
    id: Id,
    name: &'a str,
    balance: Money,
    /// Lines that wait to be brought into the books.
    #[schema(minimum = 0)]
    unconfirmed: i64,
    #[schema(required)]
    last_date: Option<Date>,
}

/// What should have been paid.
#[derive(Serialize, ToSchema)]
#[schema(as = Overdue)]
struct OverdueJson {
    sales_invoices: OverdueInvoicesJson,
    purchase_invoices: OverdueInvoicesJson,
}

/// Invoices past their due date.
#[derive(Serialize, ToSchema)]
#[schema(as = OverdueInvoices)]
struct OverdueInvoicesJson {
    #[schema(minimum = 0)]
    count: i64,
    amount_due: Money,
}

/// Something that is missing before all of the books can be used, and what to do.
#[derive(Serialize, ToSchema)]
#[schema(as = Gap)]
struct GapJson {
    #[schema(schema_with = gap_code)]
    code: &'static str,
    message: &'static str,
    fix: &'static str,
}

/// The codes of what may be missing.
const GAPS: [&str; 3] = ["no_vat_control_account", "no_bank_account", "no_opening_balances"];

fn gap_code() -> ObjectBuilder {
    choice(&GAPS)
}

fn example() -> Value {
    json!({
        "organisation_id": 7, "as_of": "2026-03-10", "currency": "GBP",
        "vat": { "registered": true, "scheme": "standard", "has_control_account": true, "period_end": "2026-03-31", "due_date": "2026-05-07",
            "net_vat": 412.35 },
        "locked_through": "2026-02-28", "opening_balances_set": true,
        "bank_accounts": [{ "id": 2, "name": "Current account", "balance": 4915.63, "unconfirmed": 3, "last_date": "2026-03-09" }],
        "drafts": 1,
        "overdue": {
            "sales_invoices": { "count": 2, "amount_due": 1770.96 }, "purchase_invoices": { "count": 0, "amount_due": 0.00 }
        },
        "cash": 4915.63, "debtors": { "total": 3644.04, "overdue": 1770.96 }, "creditors": { "total": 2214.72, "overdue": 0.00 },
        "profit": { "this_year": 6087.50, "last_year_same_days": 5310.00 },
        "cis": {
            "tax_month_end": "2026-04-05", "due_date": "2026-04-19", "payment_due_date": "2026-04-22", "payable": 254.79
        },
        "deadlines": [
            { "what": "CIS return for the tax month to 5 March 2026", "due_date": "2026-03-19" },
            { "what": "Payment to HMRC of CIS deductions for the tax month to 5 March 2026", "due_date": "2026-03-22" },
            { "what": "VAT return, and payment if VAT is due, for 1 January 2026 to 31 March 2026", "due_date": "2026-05-07" }
        ],
        "financial_years": [
            { "start": "2024-04-01", "end": "2025-03-31", "status": "closed", "currency": "GBP", "net_profit": 6900.00,
              "retained_earnings": 6900.00, "journal_id": 214 },
            { "start": "2025-04-01", "end": "2026-03-31", "status": "open", "currency": "GBP", "net_profit": 6087.50,
              "retained_earnings": 12987.50, "journal_id": null }
        ],
        "gaps": []
    })
}

impl<'a> BooksStatusJson<'a> {
    /// How the books stand on a day.
    fn new(
        organisation: &'a OrganisationRecord,
        status: &'a BooksStatus,
        (dashboard, years, duties): (Dashboard, &'a [FinancialYearView], Duties),
        today: Date,
    ) -> Self {
        let overdue = |(count, pence): (i64, i64)| OverdueInvoicesJson { count, amount_due: Money(pence) };
        let [sales, purchases] = status.overdue;
        let vat = duties.vat.as_ref();
        Self {
            organisation_id: Id(organisation.id.0),
            as_of: today,
            currency: CURRENCY,
            vat: VatStatusJson {
                registered: organisation.vat_registered,
                scheme: organisation.vat_scheme.as_deref(),
                has_control_account: organisation.has_vat_control,
                period_end: vat.map(|(period, _)| period.last),
                due_date: vat.and_then(|(_, found)| found.due_date),
                net_vat: vat.map(|(_, found)| found.net_vat),
            },
            locked_through: organisation.lock_date,
            opening_balances_set: organisation.opening_balances_set,
            bank_accounts: status.bank_accounts.iter().map(BankAccountStatusJson::from).collect(),
            drafts: status.drafts,
            overdue: OverdueJson { sales_invoices: overdue(sales), purchase_invoices: overdue(purchases) },
            cash: dashboard.cash,
            debtors: dashboard.debtors,
            creditors: dashboard.creditors,
            profit: dashboard.profit,
            cis: duties.cis,
            deadlines: duties.deadlines,
            financial_years: years.iter().map(FinancialYearJson::from).collect(),
            gaps: gaps(organisation, status),
        }
    }
}

impl From<&CisReturn> for CisDueJson {
    fn from(month: &CisReturn) -> Self {
        Self {
            tax_month_end: month.tax_month_end,
            due_date: month.due_date,
            payment_due_date: month.payment_due_date,
            payable: month.cis_payable_balance,
        }
    }
}

impl<'a> From<&'a BankAccountView> for BankAccountStatusJson<'a> {
    fn from(view: &'a BankAccountView) -> Self {
        Self {
            id: Id(view.row.id),
            name: &view.row.details.name,
            balance: Money(view.ledger_pence),
            unconfirmed: view.row.unconfirmed_count,
            last_date: view.last_transaction_date,
        }
    }
}

fn gaps(organisation: &OrganisationRecord, status: &BooksStatus) -> Vec<GapJson> {
    let [vat, bank, opening] = GAPS;
    let known = [
        (
            // Who is not registered posts nothing with VAT.
            organisation.has_vat_control || !organisation.vat_registered,
            GapJson {
                code: vat,
                message: "there is no VAT Control account: nothing with VAT can be posted",
                fix: "make an account of type LIABILITY with the role vat_control",
            },
        ),
        (
            !status.bank_accounts.is_empty(),
            GapJson {
                code: bank,
                message: "there is no bank account: no statement can be entered, no receipt or payment recorded",
                fix: "make a bank account",
            },
        ),
        (
            organisation.opening_balances_set,
            GapJson {
                code: opening,
                message: "there are no opening balances",
                fix: "set them, unless the business began with these books",
            },
        ),
    ];
    known.into_iter().filter(|(is_there, _)| !is_there).map(|(_, gap)| gap).collect()
}
