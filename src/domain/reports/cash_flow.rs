//! The cash flow statement by the indirect method (FRS 102, section 7): from the profit to what moved on the bank accounts.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::Period;
use super::account_balances::{
    AccountAmount, AccountBalances, AccountRows, account_columns, account_row, account_total, transactions_example,
};
use super::profit_loss::{ProfitLossTotals, push_section};
use super::table::{ReportCell, ReportColumn, ReportPart, ReportRow, ReportTables, Tabulated};
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::chart::{AccountType, Role};
use crate::domain::ledger::money::{Money, Pence};

/// Where the money of a period came from and went to.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = example)]
pub struct CashFlow {
    /// On all accounts with the role `bank`, at the end of the day before the period.
    pub opening_cash: Money,
    /// On them at the end of the period.
    pub closing_cash: Money,
    /// Closing less opening: the sum of the three totals.
    pub net_movement: Money,
    /// From trade.
    pub operating: OperatingCash,
    /// Of fixed assets.
    pub investing: CashActivity,
    /// Of owners and of long-term lenders.
    pub financing: CashActivity,
    /// What journals brought to the bank accounts taken together. A transfer between them is none, and neither is a journal
    /// that was reversed within the period.
    pub gross_inflows: Money,
    /// What journals took from them.
    pub gross_outflows: Money,
}

/// What trade brought.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OperatingCash {
    /// That of the profit and loss account.
    pub net_profit: Money,
    /// Added back, because it moves no money.
    pub depreciation: Money,
    /// What moved on the other accounts of the balance sheet; a debtor that grew is negative.
    pub working_capital: Vec<AccountAmount>,
    /// The sum.
    pub total: Money,
}

/// What an activity brought.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CashActivity {
    /// By account; what was spent is negative. Depreciation, which is added back above, is taken off among the fixed assets.
    pub lines: Vec<AccountAmount>,
    /// Their sum.
    pub total: Money,
}

/// What the cash flow statement is computed from.
#[derive(Debug)]
pub struct CashFlowRows {
    /// The balances at [`CashFlow::days`].
    pub accounts: AccountRows,
    /// What came to the bank accounts.
    pub inflows: Pence,
    /// What left them.
    pub outflows: Pence,
}

/// The part of the statement that an account belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Activity {
    Cash,
    WorkingCapital,
    Investing,
    Financing,
    Depreciation,
    Profit,
}

impl Activity {
    fn of(account: &AccountBalances) -> Self {
        match (account.account_type, &account.role) {
            (_, Some(Role::Bank)) => Self::Cash,
            (AccountType::Asset, Some(Role::FixedAsset)) => Self::Investing,
            (AccountType::Equity, _) | (AccountType::Liability, Some(Role::LongTermLiability)) => Self::Financing,
            (AccountType::Expense, Some(Role::Depreciation)) => Self::Depreciation,
            (AccountType::Revenue | AccountType::Expense, _) => Self::Profit,
            (AccountType::Asset | AccountType::Liability | AccountType::Suspense, _) => Self::WorkingCapital,
        }
    }
}

impl CashFlow {
    /// The ends of the day before the period and of its last day.
    pub fn days(period: Period) -> Vec<Date> {
        vec![period.first - 1, period.last]
    }

    /// The cash flow statement of a period.
    pub fn compute(rows: &CashFlowRows, period: Period) -> Self {
        let accounts = &rows.accounts;
        let lines = |activity: Activity| lines(accounts, activity, period);
        let sum = |lines: &[AccountAmount]| -> Pence { lines.iter().map(|line| Pence(line.amount.0)).sum() };
        let cash = |at: usize| -> Pence {
            let banks = accounts.accounts.iter().filter(|account| Activity::of(account) == Activity::Cash);
            banks.map(|account| account.balance(at)).sum()
        };
        let net_profit = ProfitLossTotals::between(accounts, 0, 1).net_profit();
        let written_down = lines(Activity::Depreciation);
        // An expense lowers the profit: what is added back is the opposite of its lines.
        let depreciation = -sum(&written_down);
        let working_capital = lines(Activity::WorkingCapital);
        let mut investing = lines(Activity::Investing);
        investing.extend(written_down);
        let financing = lines(Activity::Financing);
        let (opening, closing) = (cash(0), cash(1));
        Self {
            opening_cash: opening.into(),
            closing_cash: closing.into(),
            net_movement: (closing - opening).into(),
            operating: OperatingCash {
                net_profit: net_profit.into(),
                depreciation: depreciation.into(),
                total: (net_profit + depreciation + sum(&working_capital)).into(),
                working_capital,
            },
            investing: CashActivity { total: sum(&investing).into(), lines: investing },
            financing: CashActivity { total: sum(&financing).into(), lines: financing },
            gross_inflows: rows.inflows.into(),
            gross_outflows: rows.outflows.into(),
        }
    }
}

impl Tabulated<Period> for CashFlow {
    fn tables(&self, _: Period) -> ReportTables {
        let line = |key, name: &str, amount: Money| {
            account_row(key, (ReportCell::Empty, ReportCell::Empty, name), vec![amount.into()], ReportCell::Empty)
        };
        let total = |key, name: &str, amount: Money| account_total(key, name, vec![amount.into()]);
        let accounts = |section, lines: &[AccountAmount]| lines.iter().map(|line| line.row(section)).collect();
        let Self { operating, investing, financing, .. } = self;
        let mut of_trade = vec![
            line("operating.net_profit", "Net profit", operating.net_profit),
            line("operating.depreciation", "Depreciation added back", operating.depreciation),
        ];
        of_trade.extend::<Vec<ReportRow>>(accounts("operating.working_capital", &operating.working_capital));
        let mut rows = Vec::new();
        push_section(&mut rows, "Operating activities", of_trade);
        rows.push(total("operating.total", "Cash from operating activities", operating.total));
        push_section(&mut rows, "Investing activities", accounts("investing.lines", &investing.lines));
        rows.push(total("investing.total", "Cash from investing activities", investing.total));
        push_section(&mut rows, "Financing activities", accounts("financing.lines", &financing.lines));
        rows.push(total("financing.total", "Cash from financing activities", financing.total));
        rows.push(total("net_movement", "Net movement of cash", self.net_movement));
        rows.push(line("opening_cash", "Cash at the beginning", self.opening_cash));
        rows.push(total("closing_cash", "Cash at the end", self.closing_cash));
        let gross = vec![
            line("gross_inflows", "Money in", self.gross_inflows),
            line("gross_outflows", "Money out", self.gross_outflows),
        ];
        push_section(&mut rows, "Movements of the bank accounts", gross);
        let columns = account_columns(vec![ReportColumn::figure("amount", "Amount")]);
        ReportTables::of(vec![ReportPart::new(columns, rows)])
    }
}

/// The accounts of an activity that moved: what came in as positive.
fn lines(rows: &AccountRows, activity: Activity, period: Period) -> Vec<AccountAmount> {
    let line = |account: &AccountBalances| {
        let amount = -account.movement(0, 1);
        (!amount.is_zero()).then(|| AccountAmount {
            account_id: Id(account.account_id),
            code: account.code.clone(),
            name: account.name.clone(),
            amount: amount.into(),
            transactions: rows.transactions(account, Some(period.first), period.last),
        })
    };
    rows.accounts.iter().filter(|account| Activity::of(account) == activity).filter_map(line).collect()
}

fn example() -> Value {
    let line = |account_id: i64, code: &str, name: &str, amount: f64| {
        json!({
            "account_id": account_id, "code": code, "name": name, "amount": amount,
            "transactions": transactions_example(account_id, "date_from=2026-01-01&date_to=2026-03-31")
        })
    };
    json!({
        "opening_cash": 5696.37, "closing_cash": 7120.46, "net_movement": 1424.09,
        "operating": {
            "net_profit": 6087.50, "depreciation": 325.00,
            "working_capital": [
                line(9, "1100", "Accounts receivable", -3644.04), line(13, "2100", "Accounts payable", 2214.72),
                line(14, "2200", "VAT Control", 440.91)
            ],
            "total": 5424.09
        },
        "investing": {
            "lines": [
                line(2, "0040", "Plant and machinery", -2000.00), line(3, "0041", "Plant depreciation", 325.00),
                line(40, "8000", "Depreciation", -325.00)
            ],
            "total": -2000.00
        },
        "financing": { "lines": [line(27, "3100", "Dividends", -2000.00)], "total": -2000.00 },
        "gross_inflows": 11274.96, "gross_outflows": 9850.87
    })
}
