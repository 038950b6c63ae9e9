//! The reports about customers and suppliers beside a naive model: what is open on a day added up from documents, settlements
//! and their allocations, what was posted from the lines of all journals, and what was sold and bought from the lines of
//! documents, as the lists show them. The model runs and the quarters end with it.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, NaiveDate};
use serde_json::{Value, json};

use super::Books;
use super::figures::{badly_printed, pence};
use super::quarter::all_journals;

/// A part of an item that was settled: from when, until when, and how much.
struct Settled {
    from: NaiveDate,
    until: Option<NaiveDate>,
    amount: i64,
}

/// An invoice, credit note, receipt, payment, refund or direct line.
struct Item {
    kind: String,
    id: i64,
    contact: Option<i64>,
    is_customer: bool,
    date: NaiveDate,
    posted: NaiveDate,
    due: Option<NaiveDate>,
    void: Option<NaiveDate>,
    /// What is owed by it; negative when it takes off what is owed.
    amount: i64,
    settled: Vec<Settled>,
}

/// A line on a control account.
struct Line {
    date: NaiveDate,
    journal: i64,
    contact: Option<i64>,
    is_customer: bool,
    debit: i64,
    credit: i64,
}

/// What an invoice or credit note sold or bought, from when and until when.
struct Traded {
    is_customer: bool,
    is_credit: bool,
    contact: i64,
    date: NaiveDate,
    void: Option<NaiveDate>,
    net: i64,
    vat: i64,
    capital: i64,
    other: i64,
}

/// A contact: its name and whether it is a customer.
type Contacts = BTreeMap<i64, (String, bool)>;

pub struct Naive {
    contacts: Contacts,
    items: Vec<Item>,
    lines: Vec<Line>,
    traded: Vec<Traded>,
    first: NaiveDate,
    last: NaiveDate,
}

fn date(value: &Value) -> NaiveDate {
    value.as_str().unwrap_or_else(|| panic!("{value} is no date")).parse().unwrap()
}

fn maybe_date(value: &Value) -> Option<NaiveDate> {
    (!value.is_null()).then(|| date(value))
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Every record of a list.
fn all(books: &Books, list: &str) -> Vec<Value> {
    let mut records: Vec<Value> = Vec::new();
    loop {
        let joined = if list.contains('?') { '&' } else { '?' };
        let page = books.get(&format!("{list}{joined}limit=200&offset={}", records.len()));
        let page = page["data"].as_array().unwrap();
        if page.is_empty() {
            return records;
        }
        records.extend(page.iter().cloned());
    }
}

/// The types of journals that neither a document nor a settlement stands behind.
const DIRECT: [&str; 4] = ["manual", "bank_transaction", "bank_transfer", "year_end_close"];

/// The lists of documents: path, kind, whether of customers, whether credit, the name of the date.
const DOCUMENTS: [(&str, &str, bool, bool, &str); 4] = [
    ("/sales-invoices", "sales_invoice", true, false, "invoice_date"),
    ("/sales-credit-notes", "sales_credit_note", true, true, "credit_note_date"),
    ("/purchase-invoices", "purchase_invoice", false, false, "invoice_date"),
    ("/purchase-credit-notes", "purchase_credit_note", false, true, "credit_note_date"),
];

impl Naive {
    pub fn of(books: &Books) -> Self {
        let mut contacts = Contacts::new();
        for (path, is_customer) in [("/customers", true), ("/suppliers", false)] {
            for contact in all(books, &format!("{path}?include_archived=true")) {
                contacts.insert(number(&contact["id"]), (contact["name"].as_str().unwrap().to_owned(), is_customer));
            }
        }
        let accounts = books.get("/accounts?include_archived=true")["data"].clone();
        let accounts: BTreeMap<i64, Value> =
            accounts.as_array().unwrap().iter().map(|account| (number(&account["id"]), account.clone())).collect();
        let journals: BTreeMap<i64, Value> =
            all_journals(books).into_iter().map(|journal| (number(&journal["id"]), journal)).collect();
        let mut naive = Self {
            contacts,
            items: Vec::new(),
            lines: Vec::new(),
            traded: Vec::new(),
            first: date(&json!("2025-01-01")),
            last: date(&json!("2025-01-01")),
        };
        naive.first = journals.values().map(|journal| date(&journal["entry_date"])).min().unwrap_or(naive.first);
        naive.last = journals.values().map(|journal| date(&journal["entry_date"])).max().unwrap_or(naive.first);
        let released = books.server.released_allocations(books.id);
        let released_of = |is_document: bool, id: i64| -> Vec<Settled> {
            let own = released.iter().filter(|one| (one.0, one.1) == (is_document, id));
            let day = |number: i64| NaiveDate::default() + Days::new(u64::try_from(number).unwrap());
            own.map(|one| Settled {
                from: day(one.2),
                until: Some(day(one.3)),
                amount: if is_document { one.4 } else { one.5 },
            })
            .collect()
        };
        for (path, kind, is_customer, is_credit, dated) in DOCUMENTS {
            for document in all(books, path).iter().filter(|one| !one["issued_at"].is_null()) {
                let active = document["allocations"].as_array().unwrap().iter();
                let active = active.map(|one| Settled {
                    from: date(&one["date"]),
                    until: None,
                    amount: pence(one.get("settled_amount").unwrap_or(&one["amount"])),
                });
                let settled: Vec<Settled> = active.chain(released_of(true, number(&document["id"]))).collect();
                let gross = pence(&document["gross_amount"]);
                let own = date(&document[dated]);
                let posted = match document["opening"].as_bool().unwrap() {
                    true => date(&journals[&number(&document["journal_id"])]["entry_date"]),
                    false => own,
                };
                let contact = number(&document[if is_customer { "customer_id" } else { "supplier_id" }]);
                naive.items.push(Item {
                    kind: kind.to_owned(),
                    id: number(&document["id"]),
                    contact: Some(contact),
                    is_customer,
                    date: own,
                    posted,
                    due: if is_credit { None } else { maybe_date(&document["due_date"]) },
                    void: maybe_date(&document["void_date"]),
                    amount: if is_credit { -gross } else { gross },
                    settled,
                });
                if document["opening"] == false {
                    naive.traded.push(traded(document, (is_customer, is_credit, contact, own), &journals, &accounts));
                }
            }
        }
        for (path, side, is_customer) in
            [("/customer-receipts", "customer", true), ("/supplier-payments", "supplier", false)]
        {
            for settlement in all(books, path) {
                let active = settlement["allocations"].as_array().unwrap().iter();
                let active =
                    active.map(|one| Settled { from: date(&one["date"]), until: None, amount: pence(&one["amount"]) });
                let settled: Vec<Settled> = active.chain(released_of(false, number(&settlement["id"]))).collect();
                let kind = settlement["kind"].as_str().unwrap();
                let amount = pence(&settlement["amount"]);
                naive.items.push(Item {
                    kind: format!("{side}_{kind}"),
                    id: number(&settlement["id"]),
                    contact: Some(number(&settlement[format!("{side}_id")])),
                    is_customer,
                    date: date(&settlement["date"]),
                    posted: date(&settlement["date"]),
                    due: None,
                    void: maybe_date(&settlement["void_date"]),
                    amount: if kind == "refund" { amount } else { -amount },
                    settled,
                });
            }
        }
        naive.read_lines(&journals, &accounts);
        naive
    }

    fn read_lines(&mut self, journals: &BTreeMap<i64, Value>, accounts: &BTreeMap<i64, Value>) {
        for (id, journal) in journals {
            for line in journal["lines"].as_array().unwrap() {
                let is_customer = match accounts[&number(&line["account_id"])]["role"].as_str() {
                    Some("accounts_receivable") => true,
                    Some("accounts_payable") => false,
                    _ => continue,
                };
                let (debit, credit) = (pence(&line["debit"]), pence(&line["credit"]));
                let contact = line["contact_id"].as_i64();
                let posted = date(&journal["entry_date"]);
                self.lines.push(Line { date: posted, journal: *id, contact, is_customer, debit, credit });
                let is_direct = contact.is_none() || DIRECT.contains(&journal["source_type"].as_str().unwrap());
                if !is_direct || !journal["reverses_journal_id"].is_null() {
                    continue;
                }
                let amount = if is_customer { debit - credit } else { credit - debit };
                let reversal = journal["reversed_by_journal_id"].as_i64();
                self.items.push(Item {
                    kind: "journal".to_owned(),
                    id: *id,
                    contact,
                    is_customer,
                    date: posted,
                    posted,
                    due: (amount > 0).then_some(posted),
                    void: reversal.map(|reversal| date(&journals[&reversal]["entry_date"])),
                    amount,
                    settled: Vec::new(),
                });
            }
        }
    }

    /// What is on a control account at the end of a day, in the direction of what is owed.
    fn control(&self, is_customer: bool, contact: Option<i64>, day: NaiveDate) -> i64 {
        let own = self.lines.iter().filter(|line| line.is_customer == is_customer && line.date <= day);
        let own = own.filter(|line| contact.is_none() || line.contact == contact);
        own.map(|line| if is_customer { line.debit - line.credit } else { line.credit - line.debit }).sum()
    }

    /// The names of contacts of a side in the order of reports.
    fn in_order(&self, is_customer: bool) -> Vec<(i64, String)> {
        let own = self.contacts.iter().filter(|(_, (_, of))| *of == is_customer);
        let mut own: Vec<_> = own.map(|(id, (name, _))| (*id, name.clone())).collect();
        own.sort_by(|one, other| (&one.1, one.0).cmp(&(&other.1, other.0)));
        own
    }
}

/// By account: as the journal posted, and VAT as far as it was separated.
fn traded(
    document: &Value,
    (is_customer, is_credit, contact, own): (bool, bool, i64, NaiveDate),
    journals: &BTreeMap<i64, Value>,
    accounts: &BTreeMap<i64, Value>,
) -> Traded {
    let sign = if is_credit { -1 } else { 1 };
    let mut by_account: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for line in document["lines"].as_array().unwrap() {
        let sums = by_account.entry(number(&line["account_id"])).or_default();
        sums.0 += sign * pence(&line["net_amount"]);
        sums.1 += sign * pence(&line["gross_amount"]);
    }
    let mut sums = Traded {
        is_customer,
        is_credit,
        contact,
        date: own,
        void: maybe_date(&document["void_date"]),
        net: 0,
        vat: 0,
        capital: 0,
        other: 0,
    };
    for (account, (net, gross)) in by_account {
        let posted: i64 = match document["journal_id"].as_i64() {
            Some(journal) => {
                let lines = journals[&journal]["lines"].as_array().unwrap();
                let own = lines.iter().filter(|line| line["account_id"] == json!(account) && line["system"] == false);
                own.map(|line| pence(&line["credit"]) - pence(&line["debit"])).sum()
            }
            None => 0,
        };
        let posted = if is_customer { posted } else { -posted };
        assert!([net, gross].contains(&posted), "{document}");
        match (is_customer, accounts[&account]["account_type"].as_str().unwrap()) {
            (true, "REVENUE") | (false, "EXPENSE") => {}
            (true, _) => {
                sums.other += posted;
                continue;
            }
            (false, "ASSET") => sums.capital += posted,
            (false, _) => sums.other += posted,
        }
        sums.net += posted;
        sums.vat += gross - posted;
    }
    sums
}

impl Item {
    fn outstanding(&self, day: NaiveDate) -> i64 {
        if day < self.posted || self.void.is_some_and(|void| void <= day) {
            return 0;
        }
        let counts = |one: &&Settled| one.from <= day && one.until.is_none_or(|until| day < until);
        let settled: i64 = self.settled.iter().filter(counts).map(|one| one.amount).sum();
        self.amount.signum() * (self.amount.abs() - settled)
    }

    fn days_overdue(&self, day: NaiveDate, age_by: &str) -> Option<i64> {
        let from = if age_by == "due_date" { self.due? } else { self.due.and(Some(self.date))? };
        Some((day - from).num_days())
    }

    fn bucket(&self, day: NaiveDate, age_by: &str) -> &'static str {
        match self.days_overdue(day, age_by) {
            None => "unallocated",
            Some(..=0) => "current",
            Some(1..=30) => "days_1_30",
            Some(31..=60) => "days_31_60",
            Some(61..=90) => "days_61_90",
            Some(_) => "days_over_90",
        }
    }
}

/// A report, whose amounts must be printed well.
#[track_caller]
pub fn report(books: &Books, name: &str, query: &str) -> Value {
    let answer = books.request("GET", &format!("/reports/{name}?{query}")).send();
    let report = answer.expect(200)["data"].clone();
    assert_eq!(badly_printed(&answer), None, "{answer}");
    assert_eq!(report["basis"], "accrual");
    report
}

const COLUMNS: [&str; 7] = ["current", "days_1_30", "days_31_60", "days_61_90", "days_over_90", "unallocated", "total"];

/// An item of a report: type, id, outstanding, bucket, days overdue.
type Shown = (String, i64, i64, String, Option<i64>);

/// The items of a report, in an order of their own.
fn shown(documents: &Value) -> Vec<Shown> {
    let documents = documents.as_array().unwrap();
    let mut shown: Vec<Shown> = documents
        .iter()
        .map(|one| {
            let text = |field: &str| one[field].as_str().unwrap().to_owned();
            (
                text("document_type"),
                number(&one["id"]),
                pence(&one["outstanding"]),
                text("bucket"),
                one["days_overdue"].as_i64(),
            )
        })
        .collect();
    shown.sort();
    shown
}

/// What is open of a contact, or of lines without one.
fn open_of(naive: &Naive, is_customer: bool, contact: Option<i64>, day: NaiveDate, age_by: &str) -> Vec<Shown> {
    let own = naive.items.iter().filter(|item| item.is_customer == is_customer && item.contact == contact);
    let open = own.filter_map(|item| {
        let outstanding = item.outstanding(day);
        let (bucket, days) = (item.bucket(day, age_by).to_owned(), item.days_overdue(day, age_by));
        (outstanding != 0).then(|| (item.kind.clone(), item.id, outstanding, bucket, days))
    });
    let mut open: Vec<Shown> = open.collect();
    open.sort();
    open
}

/// The sums of items by column.
fn columns(items: &[Shown]) -> BTreeMap<&'static str, i64> {
    let sum = |column: &&'static str| {
        let own = items.iter().filter(|item| *column == "total" || item.3 == **column);
        (*column, own.map(|item| item.2).sum())
    };
    COLUMNS.iter().map(sum).collect()
}

fn amounts(row: &Value) -> BTreeMap<&'static str, i64> {
    COLUMNS.iter().map(|column| (*column, pence(&row[*column]))).collect()
}

/// Reports 9 and 10, I10, I36.
fn assert_ageing(books: &Books, naive: &Naive, is_customer: bool, day: NaiveDate, age_by: &str) {
    let name = if is_customer { "aged-debtors" } else { "aged-creditors" };
    let found = report(books, name, &format!("as_of={day}&age_by={age_by}"));
    let contacts = naive.in_order(is_customer).into_iter().map(|(id, name)| (Some(id), name));
    let mut expected = Vec::new();
    for (contact, name) in contacts.chain([(None, "Unassigned".to_owned())]) {
        let open = open_of(naive, is_customer, contact, day, age_by);
        if !open.is_empty() {
            expected.push((contact, name, columns(&open), open));
        }
    }
    let rows: Vec<_> = found["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["contact_id"].as_i64(),
                row["name"].as_str().unwrap().to_owned(),
                amounts(row),
                shown(&row["documents"]),
            )
        })
        .collect();
    assert_eq!(rows, expected, "{name} at {day}");
    let all: Vec<Shown> = expected.into_iter().flat_map(|row| row.3).collect();
    assert_eq!(amounts(&found["totals"]), columns(&all), "{name} at {day}");
    let control = naive.control(is_customer, None, day);
    let figures = ["control_account_balance", "difference"].map(|field| pence(&found[field]));
    assert_eq!(figures, [control, 0], "{name} at {day}");
    assert_eq!(columns(&all)["total"], control, "{name} at {day}");
}

/// Reports 13 and 14, I11 and I12, and the row of the ageing alone.
fn assert_statement(books: &Books, naive: &Naive, contact: i64, from: NaiveDate, to: NaiveDate) {
    let is_customer = naive.contacts[&contact].1;
    let name = if is_customer { "customer-statement" } else { "supplier-statement" };
    let found = report(books, &format!("{name}/{contact}"), &format!("period_start={from}&period_end={to}"));
    assert_eq!(
        (&found["contact"]["id"], &found["contact"]["name"]),
        (&json!(contact), &json!(naive.contacts[&contact].0))
    );
    let mut expected: Vec<_> = naive
        .lines
        .iter()
        .filter(|line| {
            line.contact == Some(contact) && line.is_customer == is_customer && (from..=to).contains(&line.date)
        })
        .map(|line| (line.date, line.journal, line.debit, line.credit))
        .collect();
    expected.sort_unstable();
    let lines = found["lines"].as_array().unwrap();
    let mut shown_lines: Vec<_> = lines
        .iter()
        .map(|line| (date(&line["date"]), number(&line["journal_id"]), pence(&line["debit"]), pence(&line["credit"])))
        .collect();
    assert!(shown_lines.is_sorted_by_key(|line| (line.0, line.1)), "{found}");
    shown_lines.sort_unstable();
    assert_eq!(shown_lines, expected, "{name} from {from} to {to}: {found}");
    let mut balance = pence(&found["opening_balance"]);
    assert_eq!(balance, naive.control(is_customer, Some(contact), from - Days::new(1)), "{found}");
    for line in lines {
        let moved = pence(&line["debit"]) - pence(&line["credit"]);
        balance += if is_customer { moved } else { -moved };
        assert_eq!(pence(&line["balance"]), balance, "{line}");
        if !line["cash"].is_null() {
            assert_eq!(pence(&line["cash"]) + pence(&line["cis"]), moved.abs(), "{line}");
        }
    }
    assert_eq!(pence(&found["closing_balance"]), balance, "{found}");
    let open = open_of(naive, is_customer, Some(contact), to, "due_date");
    assert_eq!(shown(&found["outstanding"]), open, "{name} of {contact} at {to}");
    assert_eq!(amounts(&found["ageing"]), columns(&open), "{found}");
    assert_eq!(columns(&open)["total"], balance, "I11: {found}");
    let aged = report(
        books,
        if is_customer { "aged-debtors" } else { "aged-creditors" },
        &format!("as_of={to}&contact_id={contact}"),
    );
    let rows = aged["rows"].as_array().unwrap();
    assert_eq!(rows.len(), usize::from(!open.is_empty()), "{aged}");
    assert_eq!((amounts(&aged["totals"]), pence(&aged["difference"])), (columns(&open), 0), "{aged}");
    assert_eq!((pence(&aged["control_account_balance"]), &aged["contact_id"]), (balance, &json!(contact)));
}

/// Reports 11 and 12, I22.
fn assert_trade(books: &Books, naive: &Naive, is_customer: bool, from: NaiveDate, to: NaiveDate) {
    let name = if is_customer { "sales-by-customer" } else { "purchases-by-supplier" };
    let query = format!("period_start={from}&period_end={to}");
    let found = report(books, name, &query);
    // Invoices, credit notes, net, VAT, capital net, other net.
    let mut sums: BTreeMap<i64, [i64; 6]> = BTreeMap::new();
    for one in naive.traded.iter().filter(|one| one.is_customer == is_customer) {
        for (day, sign) in [(Some(one.date), 1), (one.void, -1)] {
            if day.is_some_and(|day| (from..=to).contains(&day)) {
                let (invoices, notes) = if one.is_credit { (0, sign) } else { (sign, 0) };
                let added = [invoices, notes, sign * one.net, sign * one.vat, sign * one.capital, sign * one.other];
                for (sum, more) in sums.entry(one.contact).or_default().iter_mut().zip(added) {
                    *sum += more;
                }
            }
        }
    }
    let total = |at: usize| sums.values().map(|sum| sum[at]).sum::<i64>();
    let expected: Vec<_> = naive
        .in_order(is_customer)
        .into_iter()
        .filter_map(|(id, name)| Some((id, name, *sums.get(&id)?)))
        .filter(|(_, _, sum)| sum[..4] != [0; 4])
        .map(|(id, name, sum)| (id, name, [sum[0], sum[1], sum[2], sum[3], sum[2] + sum[3]]))
        .collect();
    let figures = |row: &Value| {
        let [net, vat, gross] = ["net_amount", "vat_amount", "gross_amount"].map(|field| pence(&row[field]));
        [number(&row["invoice_count"]), number(&row["credit_note_count"]), net, vat, gross]
    };
    let rows = found["rows"].as_array().unwrap();
    let shown: Vec<_> = rows
        .iter()
        .map(|row| (number(&row["contact_id"]), row["name"].as_str().unwrap().to_owned(), figures(row)))
        .collect();
    assert_eq!(shown, expected, "{name} from {from} to {to}");
    for row in rows {
        match row["percent_of_total"].as_f64() {
            None => assert_eq!(total(2), 0, "{found}"),
            Some(percent) => {
                let exact = pence(&row["net_amount"]) as f64 / total(2) as f64 * 100.0;
                assert!((percent - exact).abs() < 0.0051, "{percent} for {exact}: {found}");
            }
        }
    }
    assert_eq!(figures(&found["totals"]), [total(0), total(1), total(2), total(3), total(2) + total(3)], "{found}");
    let profit = report(books, "profit-loss", &query);
    let of_profit = |names: &[&str]| names.iter().map(|name| pence(&profit[*name])).sum::<i64>();
    let figure = |field: &str| pence(&found[field]);
    assert_eq!(figure("other_net"), total(5), "{found}");
    if is_customer {
        let revenue = of_profit(&["total_revenue", "total_other_income"]);
        assert_eq!(figure("profit_loss_revenue"), revenue, "{found}");
        assert_eq!(total(2) + figure("other_revenue"), revenue, "{found}");
    } else {
        let costs = of_profit(&["total_cost_of_sales", "total_expenses", "total_corporation_tax"]);
        assert_eq!(figure("capital_net"), total(4), "{found}");
        assert_eq!(figure("profit_loss_costs"), costs, "{found}");
        assert_eq!(total(2) - total(4) - total(5) + figure("other_purchases"), costs, "{found}");
    }
    if let Some((contact, _, figures_of)) = expected.first() {
        let own = report(books, name, &format!("{query}&contact_id={contact}"));
        assert_eq!(own["rows"], json!([rows[0]]));
        assert_eq!(figures(&own["totals"]), *figures_of);
        for field in ["profit_loss_revenue", "other_revenue", "profit_loss_costs", "other_purchases"] {
            assert_eq!(own[field], found[field], "{field}");
        }
    }
}

/// Holds every report about customers and suppliers against documents, settlements and journals.
#[track_caller]
pub fn assert_contact_reports(books: &Books) {
    let naive = Naive::of(books);
    let (first, last) = (naive.first, naive.last);
    let length = u64::try_from((last - first).num_days()).unwrap();
    let at = |part: u64| first + Days::new(length * part / 8);
    let mut days: BTreeSet<NaiveDate> = (0..=8).map(at).collect();
    days.extend([first - Days::new(1), last - Days::new(1), last + Days::new(45), last + Days::new(400)]);
    for is_customer in [true, false] {
        for day in &days {
            assert_ageing(books, &naive, is_customer, *day, "due_date");
        }
        assert_ageing(books, &naive, is_customer, at(5), "invoice_date");
        for (from, to) in [(first, last), (at(2), at(5)), (at(5), last + Days::new(9)), (at(4), at(4))] {
            assert_trade(books, &naive, is_customer, from, to);
        }
        for (contact, _) in naive.in_order(is_customer).iter().take(5) {
            assert_statement(books, &naive, *contact, first, last + Days::new(1));
            assert_statement(books, &naive, *contact, at(3), at(6));
        }
    }
}
