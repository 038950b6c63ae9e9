//! How the books stand, on the wire.

use serde::Serialize;

use super::{CURRENCY, Date, Money};
use crate::domain::calendar::day_number;
use crate::domain::ledger::period::Day;
use crate::store::{BankAccountView, BooksStatus, OrganisationRow};

/// How the books stand, as answers show it.
#[derive(Serialize)]
pub struct StatusJson<'a> {
    organisation_id: i64,
    as_of: Date,
    currency: &'static str,
    vat: Vat<'a>,
    locked_through: Option<Date>,
    opening_balances_set: bool,
    bank_accounts: Vec<BankJson<'a>>,
    drafts: i64,
    overdue: Overdue,
    gaps: Vec<Gap>,
}

#[derive(Serialize)]
struct Vat<'a> {
    registered: bool,
    scheme: Option<&'a str>,
    has_control_account: bool,
}

#[derive(Serialize)]
struct BankJson<'a> {
    id: i64,
    name: &'a str,
    balance: Money,
    unconfirmed: i64,
    last_date: Option<Date>,
}

#[derive(Serialize)]
struct Overdue {
    sales_invoices: Due,
    purchase_invoices: Due,
}

#[derive(Serialize)]
struct Due {
    count: i64,
    amount_due: Money,
}

/// Something that is missing before all of the books can be used.
#[derive(Serialize)]
struct Gap {
    code: &'static str,
    message: &'static str,
    fix: &'static str,
}

/// The codes of what may be missing.
pub const GAPS: [&str; 3] = ["no_vat_control_account", "no_bank_account", "no_opening_balances"];

impl<'a> StatusJson<'a> {
    /// Prints how the books stand on a day.
    pub fn new(organisation: &'a OrganisationRow, status: &'a BooksStatus, today: Day) -> Self {
        let due = |(count, pence): (i64, i64)| Due { count, amount_due: Money(pence) };
        let [sales, purchases] = status.overdue;
        Self {
            organisation_id: organisation.id.0,
            as_of: Date(today),
            currency: CURRENCY,
            vat: Vat {
                registered: organisation.vat_registered,
                scheme: organisation.vat_scheme.as_deref(),
                has_control_account: organisation.has_vat_control,
            },
            locked_through: organisation.lock_date.map(|date| Date(day_number(date))),
            opening_balances_set: organisation.opening_balances_set,
            bank_accounts: status.bank_accounts.iter().map(BankJson::from).collect(),
            drafts: status.drafts,
            overdue: Overdue { sales_invoices: due(sales), purchase_invoices: due(purchases) },
            gaps: gaps(organisation, status),
        }
    }
}

fn gaps(organisation: &OrganisationRow, status: &BooksStatus) -> Vec<Gap> {
    let [vat, bank, opening] = GAPS;
    let known = [
        (
            organisation.has_vat_control,
            Gap {
                code: vat,
                message: "there is no VAT Control account: nothing with VAT can be posted",
                fix: "make an account of type LIABILITY with the role vat_control",
            },
        ),
        (
            !status.bank_accounts.is_empty(),
            Gap {
                code: bank,
                message: "there is no bank account: no statement can be entered, no receipt or payment recorded",
                fix: "make a bank account",
            },
        ),
        (
            organisation.opening_balances_set,
            Gap {
                code: opening,
                message: "there are no opening balances",
                fix: "set them, unless the business began with these books",
            },
        ),
    ];
    known.into_iter().filter(|(is_there, _)| !is_there).map(|(_, gap)| gap).collect()
}

impl<'a> From<&'a BankAccountView> for BankJson<'a> {
    fn from(view: &'a BankAccountView) -> Self {
        Self {
            id: view.row.id,
            name: &view.row.details.name,
            balance: Money(view.ledger_pence),
            unconfirmed: view.row.unconfirmed_count,
            last_date: view.last_transaction_day.map(Date),
        }
    }
}
