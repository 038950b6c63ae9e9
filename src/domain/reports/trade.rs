//! What was sold to each customer and bought from each supplier in a period, beside the profit and loss account.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::account_balances::AccountRows;
use super::profit_loss::ProfitLossTotals;
use super::table::{ReportCell, ReportColumn, ReportPart, ReportRow, ReportTables, Tabulated};
use super::{Period, ReportDays};
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::money::{Money, Pence, Percentage};
use crate::domain::ledger::trade::TradeFigures;

/// A period, and whose part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TradeParameters {
    /// The first and the last day.
    #[serde(flatten)]
    pub period: Period,
    /// Nobody but this contact.
    pub contact_id: Option<Id>,
}

impl ReportDays for TradeParameters {
    fn days(self) -> Vec<Date> {
        self.period.days()
    }

    fn last(self) -> Date {
        self.period.last
    }

    fn caption(self) -> String {
        self.period.caption()
    }
}

/// A contact with the figures of a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactFigures {
    /// The contact.
    pub contact_id: i64,
    /// The name today.
    pub name: String,
    /// The figures.
    pub figures: TradeFigures,
}

/// What sales or purchases of a period are computed from.
#[derive(Debug)]
pub struct TradeRows {
    /// Every contact with any.
    pub contacts: Vec<ContactFigures>,
    /// The balances at [`TradeParameters::days`].
    pub accounts: AccountRows,
}

/// What was sold to each customer, by the dates of documents.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = sales_example)]
pub struct SalesByCustomer {
    /// By name, then id.
    pub rows: Vec<ContactTrade>,
    /// The sums of the rows.
    pub totals: TradeTotals,
    /// The net of lines of these documents on other accounts than income: a deposit, an asset sold. It is in no row.
    pub other_net: Money,
    /// Income of the profit and loss account that is on no document of a customer.
    pub other_revenue: Money,
    /// Revenue and other income of the profit and loss account.
    pub profit_loss_revenue: Money,
}

/// What was bought from each supplier, by the dates of documents.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = purchases_example)]
pub struct PurchasesBySupplier {
    /// By name, then id.
    pub rows: Vec<ContactTrade>,
    /// The sums of the rows.
    pub totals: TradeTotals,
    /// The net on asset accounts, which is in the rows too.
    pub capital_net: Money,
    /// The net on neither expense nor asset accounts, which is in the rows too.
    pub other_net: Money,
    /// Costs of the profit and loss account that are on no document of a supplier.
    pub other_purchases: Money,
    /// Cost of sales, expenses and corporation tax of the profit and loss account.
    pub profit_loss_costs: Money,
}

/// A contact with what was sold to them or bought from them.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ContactTrade {
    /// The customer or supplier.
    pub contact_id: Id,
    /// The name today.
    pub name: String,
    /// Invoices of the period, less those voided in it.
    pub invoice_count: i64,
    /// Credit notes of the period, less those voided in it.
    pub credit_note_count: i64,
    /// Invoices less credit notes, without VAT that was separated.
    pub net_amount: Money,
    /// The VAT that was separated.
    pub vat_amount: Money,
    /// Net and VAT.
    pub gross_amount: Money,
    /// The share in the net of all contacts in percent, with two decimals; null where that is 0.
    #[schema(required)]
    pub percent_of_total: Option<Percentage>,
}

/// The sums of the rows.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TradeTotals {
    /// Invoices of the period, less those voided in it.
    pub invoice_count: i64,
    /// Credit notes of the period, less those voided in it.
    pub credit_note_count: i64,
    /// Invoices less credit notes, without VAT that was separated.
    pub net_amount: Money,
    /// The VAT that was separated.
    pub vat_amount: Money,
    /// Net and VAT.
    pub gross_amount: Money,
    /// The share in the net of all contacts in percent, with two decimals; null where that is 0.
    #[schema(required)]
    pub percent_of_total: Option<Percentage>,
}

/// The sums of contacts.
fn sum<'a>(contacts: impl Iterator<Item = &'a ContactFigures>) -> TradeFigures {
    let mut sum = TradeFigures::default();
    for contact in contacts {
        sum.add(&contact.figures);
    }
    sum
}

/// A share of the net of all contacts.
fn share(net: Pence, of: Pence) -> Option<Percentage> {
    Percentage::of(Pence(net.0 * of.signum()), of.abs())
}

impl TradeTotals {
    fn new(figures: &TradeFigures, of_all: Pence) -> Self {
        Self {
            invoice_count: figures.invoices,
            credit_note_count: figures.credit_notes,
            net_amount: figures.net.into(),
            vat_amount: figures.vat.into(),
            gross_amount: (figures.net + figures.vat).into(),
            percent_of_total: share(figures.net, of_all),
        }
    }
}

impl ContactTrade {
    fn new(contact: &ContactFigures, of_all: Pence) -> Self {
        let TradeTotals { invoice_count, credit_note_count, net_amount, vat_amount, gross_amount, percent_of_total } =
            TradeTotals::new(&contact.figures, of_all);
        Self {
            contact_id: Id(contact.contact_id),
            name: contact.name.clone(),
            invoice_count,
            credit_note_count,
            net_amount,
            vat_amount,
            gross_amount,
            percent_of_total,
        }
    }
}

/// The parts that both reports have.
struct Trade {
    rows: Vec<ContactTrade>,
    shown: TradeFigures,
    all: TradeFigures,
    totals: TradeTotals,
    profit_loss: ProfitLossTotals,
}

impl Trade {
    fn of(rows: &TradeRows, parameters: TradeParameters) -> Self {
        let all = sum(rows.contacts.iter());
        let is_shown = |contact: &&ContactFigures| parameters.contact_id.is_none_or(|id| id.0 == contact.contact_id);
        let shown = sum(rows.contacts.iter().filter(is_shown));
        let mut contacts: Vec<&ContactFigures> = rows.contacts.iter().filter(is_shown).collect();
        contacts.retain(|contact| {
            let TradeFigures { invoices, credit_notes, net, vat, .. } = contact.figures;
            (invoices, credit_notes, net, vat) != (0, 0, Pence::ZERO, Pence::ZERO)
        });
        contacts.sort_by(|one, other| (&one.name, one.contact_id).cmp(&(&other.name, other.contact_id)));
        Self {
            rows: contacts.into_iter().map(|contact| ContactTrade::new(contact, all.net)).collect(),
            totals: TradeTotals::new(&shown, all.net),
            shown,
            all,
            profit_loss: ProfitLossTotals::between(&rows.accounts, 0, 1),
        }
    }
}

impl TradeParameters {
    /// The ends of the day before the period and of its last day.
    pub fn days(period: Period) -> Vec<Date> {
        vec![period.first - 1, period.last]
    }
}

impl SalesByCustomer {
    /// The sales of a period.
    pub fn compute(rows: &TradeRows, parameters: TradeParameters) -> Self {
        let Trade { rows, shown, all, totals, profit_loss } = Trade::of(rows, parameters);
        let revenue = profit_loss.revenue + profit_loss.other_income;
        Self {
            rows,
            totals,
            other_net: shown.other_net.into(),
            other_revenue: (revenue - all.net).into(),
            profit_loss_revenue: revenue.into(),
        }
    }
}

impl PurchasesBySupplier {
    /// The purchases of a period.
    pub fn compute(rows: &TradeRows, parameters: TradeParameters) -> Self {
        let Trade { rows, shown, all, totals, profit_loss } = Trade::of(rows, parameters);
        let costs = profit_loss.cost_of_sales + profit_loss.expenses + profit_loss.corporation_tax;
        Self {
            rows,
            totals,
            capital_net: shown.capital_net.into(),
            other_net: shown.other_net.into(),
            other_purchases: (costs - (all.net - all.capital_net - all.other_net)).into(),
            profit_loss_costs: costs.into(),
        }
    }
}

/// The table of both reports; the figures below the totals are in the column of the net.
fn table(
    heading: &str,
    rows: &[ContactTrade],
    totals: &TradeTotals,
    others: &[(&'static str, &str, Money)],
) -> ReportTables {
    let columns = vec![
        ReportColumn::unprinted("contact_id"),
        ReportColumn::text("name", heading),
        ReportColumn::figure("invoice_count", "Invoices"),
        ReportColumn::figure("credit_note_count", "Credit notes"),
        ReportColumn::figure("net_amount", "Net"),
        ReportColumn::figure("vat_amount", "VAT"),
        ReportColumn::figure("gross_amount", "Gross"),
        ReportColumn::figure("percent_of_total", "Share"),
    ];
    let of_contact = |row: &ContactTrade| {
        let figures = [row.net_amount, row.vat_amount, row.gross_amount].map(ReportCell::from);
        let counts = [row.invoice_count, row.credit_note_count].map(ReportCell::Count);
        let contact = [row.contact_id.into(), row.name.as_str().into()];
        let cells = contact.into_iter().chain(counts).chain(figures).chain([row.percent_of_total.into()]);
        ReportRow::line("rows", cells.collect())
    };
    let mut all: Vec<ReportRow> = rows.iter().map(of_contact).collect();
    let figures = [totals.net_amount, totals.vat_amount, totals.gross_amount].map(ReportCell::from);
    let counts = [totals.invoice_count, totals.credit_note_count].map(ReportCell::Count);
    let named = [ReportCell::Empty, "Total".into()].into_iter();
    let cells = named.chain(counts).chain(figures).chain([totals.percent_of_total.into()]);
    all.push(ReportRow::total("totals", cells.collect()));
    for (key, name, amount) in others {
        let nothing = || ReportCell::Empty;
        all.push(ReportRow::line(key, vec![nothing(), (*name).into(), nothing(), nothing(), (*amount).into()]));
    }
    ReportTables::of(vec![ReportPart::new(columns, all)])
}

impl Tabulated<TradeParameters> for SalesByCustomer {
    fn tables(&self, _: TradeParameters) -> ReportTables {
        let others = [
            ("other_net", "On these documents, outside income", self.other_net),
            ("other_revenue", "Other income of the profit and loss account", self.other_revenue),
            ("profit_loss_revenue", "Income of the profit and loss account", self.profit_loss_revenue),
        ];
        table("Customer", &self.rows, &self.totals, &others)
    }
}

impl Tabulated<TradeParameters> for PurchasesBySupplier {
    fn tables(&self, _: TradeParameters) -> ReportTables {
        let others = [
            ("capital_net", "Of which assets", self.capital_net),
            ("other_net", "Of which neither costs nor assets", self.other_net),
            ("other_purchases", "Other costs of the profit and loss account", self.other_purchases),
            ("profit_loss_costs", "Costs of the profit and loss account", self.profit_loss_costs),
        ];
        table("Supplier", &self.rows, &self.totals, &others)
    }
}

fn totals_example(invoices: i64, credit_notes: i64, net: f64, vat: f64) -> Value {
    json!({
        "invoice_count": invoices, "credit_note_count": credit_notes, "net_amount": net, "vat_amount": vat,
        "gross_amount": net + vat, "percent_of_total": 100.00
    })
}

fn trade_example(contact: i64, name: &str, mut totals: Value) -> Value {
    let mut row = json!({ "contact_id": contact, "name": name });
    if let (Some(row), Some(totals)) = (row.as_object_mut(), totals.as_object_mut()) {
        row.append(totals);
    }
    json!([row])
}

fn sales_example() -> Value {
    let totals = totals_example(3, 1, 9800.00, 1960.00);
    json!({
        "rows": trade_example(3, "Brightwell School", totals.clone()), "totals": totals, "other_net": 500.00,
        "other_revenue": 2633.00, "profit_loss_revenue": 12433.00
    })
}

fn purchases_example() -> Value {
    let totals = totals_example(2, 0, 7845.50, 1569.10);
    json!({
        "rows": trade_example(12, "Reed Carpentry", totals.clone()), "totals": totals, "capital_net": 1500.00,
        "other_net": 0.00, "other_purchases": 0.00, "profit_loss_costs": 6345.50
    })
}
