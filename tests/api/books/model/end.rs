//! The end of a run: everything the service shows must be what the models come to, and the identities must hold.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::state::{Boxes, DocumentState, Party, RowState, Sides, Stage, added, day, text};
use super::{Books, Writer};
use crate::books::account_reports::assert_account_reports;
use crate::books::contact_reports_naive::assert_contact_reports;
use crate::books::drill_down::{Followed, assert_figures_are_what_is_behind_them};
use crate::books::figures::{assert_is_a_journal, pence, sides};
use crate::books::quarter::{all_journals, debit_balances};
use crate::books::year_end::assert_closing_changes_nothing;
use crate::books::{independent, plain_text};

/// A journal as both sides can say it.
type Said = (String, String, String, Sides);

/// Compares all that is shown, and where asked what costs as much as all else together: other programs that read the books,
/// and a year closed and reopened. How many figures were followed to what is behind them.
pub fn compare(books: &Books, writers: &[Writer<'_>], with_slow_checks: bool) -> Followed {
    for writer in writers {
        // Whether the run was about anything.
        println!("{}: {:?}", writer.place, writer.told);
    }
    let journals = all_journals(books);
    journals.iter().for_each(assert_is_a_journal);
    let numbers: Vec<i64> = journals.iter().map(|journal| journal["journal_number"].as_i64().unwrap()).collect();
    assert_eq!(numbers, (1..).take(numbers.len()).collect::<Vec<_>>(), "numbers without a gap");
    compare_journals(&journals, writers);
    let mut balances = Sides::new();
    for writer in writers {
        for (code, amount) in writer.state.balances() {
            *balances.entry(code).or_default() += amount;
        }
    }
    balances.retain(|_, amount| *amount != 0);
    assert_eq!(debit_balances(books), balances, "balances of accounts");
    for writer in writers {
        writer.compare_contacts();
        writer.compare_banks();
        writer.compare_documents();
        writer.compare_settlements();
    }
    compare_controls(books, &balances);
    compare_days(books, writers);
    compare_invoice_numbers(books);
    compare_cis_returns(books, writers);
    assert_account_reports(books);
    assert_contact_reports(books);
    let followed = assert_figures_are_what_is_behind_them(books);
    assert!(followed.rows > 0);
    if with_slow_checks {
        let accounts = books.get("/accounts?include_archived=true");
        independent::assert_agrees(&journals, accounts["data"].as_array().unwrap());
        plain_text::assert_reports_agree(books, &journals);
        assert_closing_changes_nothing(books);
    }
    followed
}

fn compare_journals(journals: &[Value], writers: &[Writer<'_>]) {
    let shown = |journal: &Value| -> Said {
        let text = |field: &str| journal[field].as_str().unwrap().to_owned();
        (text("entry_date"), text("source_type"), text("status"), sides(journal))
    };
    let expected = |writer: &Writer<'_>| -> Vec<Said> {
        let journals = writer.state.journals.iter().map(|journal| {
            let status = if journal.stage == Stage::Void { "void" } else { "posted" };
            (text(journal.date), journal.source_type.to_owned(), status.to_owned(), journal.sides.clone())
        });
        journals.collect()
    };
    let mut found: Vec<Said> = journals.iter().map(shown).collect();
    let mut wanted: Vec<Said> = writers.iter().flat_map(expected).collect();
    if writers.len() > 1 {
        found.sort();
        wanted.sort();
    }
    for (at, (one, other)) in found.iter().zip(&wanted).enumerate() {
        assert_eq!(one, other, "{}: journal {}, then {:?}", writers[0].place, at + 1, found.get(at + 1));
    }
    assert_eq!(found.len(), wanted.len());
}

/// I26: the return of every tax month is the position of its days, and what they declare adds up to what was withheld.
fn compare_cis_returns(books: &Books, writers: &[Writer<'_>]) {
    let (mut ends, mut withheld) = (vec!["2024-09-05".to_owned()], 0);
    for month in 0..20 {
        let (year, month) = (2024 + (month + 9) / 12, (month + 9) % 12 + 1);
        ends.push(format!("{year}-{month:02}-05"));
    }
    for months in ends.windows(2) {
        let first = text(day(&months[0]) + 1);
        let position =
            books.get(&format!("/cis/position?period_start={first}&period_end={}", months[1]))["data"].clone();
        let declared = books.get(&format!("/cis/returns/{}", months[1]))["data"].clone();
        let figures = |row: &Value, names: [&str; 5]| names.map(|name| row[name].clone());
        let of = |report: &Value, names| -> Vec<[Value; 5]> {
            report["subcontractors"].as_array().unwrap().iter().map(|row| figures(row, names)).collect()
        };
        assert_eq!(
            of(&declared, ["supplier_id", "deduction_rate", "total_payments", "cost_of_materials", "total_deducted"]),
            of(&position, ["supplier_id", "deduction_rate", "total_payments", "materials", "deducted"]),
        );
        assert_eq!(declared["totals"]["total_payments"], position["totals"]["total_payments"]);
        assert_eq!(declared["cis_payable_balance"], position["cis_payable_balance"]);
        assert_eq!(declared["nil_return"], position["subcontractors"].as_array().unwrap().is_empty());
        for row in position["subcontractors"].as_array().unwrap() {
            assert_eq!(pence(&row["total_payments"]), pence(&row["materials"]) + pence(&row["liable"]), "{row}");
        }
        withheld += pence(&declared["totals"]["total_deducted"]);
    }
    let settlements = writers.iter().flat_map(|writer| &writer.state.settlements);
    let expected: i64 = settlements.filter(|one| !one.is_void).map(|one| one.cis).sum();
    assert_eq!(withheld, expected, "withheld in all");
}

/// I3, I16 and I17: what accounts came to at the end of a day, income and expense since the first day of the financial year of
/// the next day, the boxes of the return, and that VAT Control is what the VAT sub-ledger comes to.
fn compare_days(books: &Books, writers: &[Writer<'_>]) {
    let accounts = books.get("/accounts?include_archived=true")["data"].clone();
    for (at, year_start) in [
        ("2024-10-31", "2024-04-01"),
        ("2025-02-28", "2024-04-01"),
        ("2025-03-31", "2025-04-01"),
        ("2025-07-17", "2025-04-01"),
        ("2025-12-31", "2025-04-01"),
    ] {
        let (at_day, year_start) = (day(at), day(year_start));
        let journals = writers.iter().flat_map(|writer| &writer.state.journals).filter(|one| one.date <= at_day);
        let (mut balances, mut boxes) = (Sides::new(), Boxes::default());
        for journal in journals {
            boxes = added(boxes, journal.boxes);
            for (code, amount) in &journal.sides {
                if !matches!(code.as_str(), "4000" | "5000") || journal.date >= year_start {
                    *balances.entry(code.clone()).or_default() += amount;
                }
            }
        }
        let balance = |code: &str| balances.get(code).copied().unwrap_or_default();
        for code in ["1100", "2100", "2200", "4000", "5000", writers[0].state.banks[0].code.as_str()] {
            let account = accounts.as_array().unwrap().iter().find(|account| account["code"] == code).unwrap();
            let path = format!("/accounts/{}/transactions?limit=1&date_from={}", account["id"], text(at_day + 1));
            let direction = if account["normal_balance"] == "debit" { 1 } else { -1 };
            let opening = books.get(&path)["data"]["opening_balance"].clone();
            assert_eq!(pence(&opening), direction * balance(code), "{code} after {at}");
        }
        let vat = books.server.vat_by_code(books.id, "1900-01-01", at);
        let due: i64 = vat.iter().map(|(side, _, _, vat)| if side == "output" { *vat } else { -vat }).sum();
        assert_eq!(due, -balance("2200"), "VAT to {at}: {vat:?}");
        let of = |wanted: &str| {
            let entries = || vat.iter().filter(|(side, ..)| side == wanted);
            (entries().map(|(_, _, _, vat)| vat).sum::<i64>(), entries().map(|(_, _, net, _)| net).sum::<i64>())
        };
        let ((box1, box6), (box4, box7)) = (of("output"), of("input"));
        assert_eq!([box1, box4, box6, box7], boxes, "boxes 1, 4, 6 and 7 to {at}: {vat:?}");
    }
}

/// I10 and I11: contacts add up to the control accounts, but for lines without a contact.
fn compare_controls(books: &Books, balances: &Sides) {
    for (path, code, direction) in [("/customers", "1100", 1), ("/suppliers", "2100", -1)] {
        let contacts = books.get(&format!("{path}?limit=200"));
        let total: i64 = contacts["data"].as_array().unwrap().iter().map(|contact| pence(&contact["balance"])).sum();
        assert_eq!(total, direction * balances.get(code).copied().unwrap_or_default(), "{path} and {code}");
    }
}

/// I30: one prefix, no gap, no repeat.
fn compare_invoice_numbers(books: &Books) {
    let mut numbers = BTreeSet::new();
    let mut count = 0;
    for offset in (0..).step_by(200) {
        let page = books.get(&format!("/sales-invoices?limit=200&offset={offset}"));
        let page = page["data"].as_array().unwrap();
        for number in page.iter().filter_map(|invoice| invoice["invoice_number"].as_str()) {
            numbers.insert(number.to_owned());
            count += 1;
        }
        if page.is_empty() {
            break;
        }
    }
    assert_eq!(numbers, (1..=count).map(|number| format!("INV-{number:04}")).collect());
}

impl Writer<'_> {
    fn compare_contacts(&self) {
        for (at, contact) in self.state.contacts.iter().enumerate() {
            let path = if contact.is_customer { "customers" } else { "suppliers" };
            let shown = self.books.get(&format!("/{path}/{}", contact.id))["data"].clone();
            assert_eq!(pence(&shown["balance"]), self.state.contact_balance(at), "{}: {shown}", self.place);
        }
    }

    /// I24: what is on the account and not on the statement, less what is on the statement and not yet confirmed.
    fn compare_banks(&self) {
        let balances = self.state.balances();
        for (at, bank) in self.state.banks.iter().enumerate() {
            let shown = self.books.get(&format!("/bank-accounts/{}", bank.id))["data"].clone();
            let rows = || self.state.rows.iter().filter(|row| row.bank == at);
            let counted = |row: &&super::state::Row| !matches!(row.state, RowState::Excluded | RowState::Deleted);
            let statement: i64 = rows().filter(counted).map(|row| row.amount).sum();
            let open: Vec<i64> =
                rows().filter(|row| row.state == RowState::Unconfirmed).map(|row| row.amount).collect();
            let ledger = balances.get(&bank.code).copied().unwrap_or_default();
            let found = ["ledger_balance", "statement_balance", "unconfirmed_total"].map(|field| pence(&shown[field]));
            assert_eq!(found, [ledger, statement, open.iter().sum::<i64>()], "{}: {shown}", self.place);
            assert_eq!(shown["unconfirmed_count"], json!(open.len()), "{}: {shown}", self.place);
        }
        for row in self.state.rows.iter().filter(|row| row.state != RowState::Deleted) {
            let shown = self.books.get(&format!("/bank-transactions/{}", row.id))["data"].clone();
            let status = match row.state {
                RowState::Unconfirmed => "unconfirmed",
                RowState::Excluded => "excluded",
                _ => "confirmed",
            };
            assert_eq!(shown["status"], status, "{}: {shown}", self.place);
            assert_eq!(shown["journal_id"].is_null(), status != "confirmed", "{}: {shown}", self.place);
            if let RowState::Transfer { partner: Some(partner), .. } = row.state {
                let partner = &self.state.rows[partner];
                assert_eq!(shown["transfer_bank_transaction_id"], json!(partner.id), "{}: {shown}", self.place);
            }
        }
    }

    /// I13 and I15 from the documents' side.
    fn compare_documents(&self) {
        let alive = self.state.documents.iter().enumerate().filter(|(_, one)| one.state != DocumentState::Deleted);
        for (at, document) in alive {
            let shown = self.books.get(&document.path())["data"].clone();
            let place = &self.place;
            assert_eq!(shown["status"], self.state.status(at), "{place}: {shown}");
            let figure = |field: &str| pence(&shown[field]);
            assert_eq!(figure("gross_amount"), document.gross, "{place}: {shown}");
            assert_eq!(figure("net_amount") + figure("vat_amount"), document.gross, "{place}: {shown}");
            let lines: i64 = shown["lines"].as_array().unwrap().iter().map(|line| pence(&line["gross_amount"])).sum();
            assert_eq!(lines, document.gross, "{place}: {shown}");
            if !document.is_credit && document.state == DocumentState::Issued {
                let (paid, credited) = self.state.settled(at);
                let expected = [paid, credited, self.state.due(at)];
                let found = [figure("amount_paid"), figure("amount_credited"), figure("amount_due")];
                assert_eq!(found, expected, "{place}: {shown}");
                assert!((0..=document.gross).contains(&found[2]), "{place}: {shown}");
            }
            if document.deduction > 0 {
                // I26: exactly the deduction when all is paid.
                let deducted = self.state.settled(at).0 - self.state.cash(at);
                assert_eq!(pence(&shown["cis"]["deduction"]), document.deduction, "{place}: {shown}");
                assert_eq!(pence(&shown["cis"]["deducted_to_date"]), deducted, "{place}: {shown}");
                assert!(self.state.due(at) > 0 || deducted == document.deduction, "{place}: {shown}");
            }
        }
    }

    /// I14 and I15 from the settlements' side.
    fn compare_settlements(&self) {
        for (at, settlement) in self.state.settlements.iter().enumerate() {
            let shown = self.books.get(&self.settlement_path(at))["data"].clone();
            let place = &self.place;
            assert_eq!(shown["status"], if settlement.is_void { "void" } else { "posted" }, "{place}: {shown}");
            if settlement.is_void {
                continue;
            }
            let figure = |field: &str| pence(&shown[field]);
            assert_eq!(figure("amount"), settlement.amount, "{place}: {shown}");
            let bank = settlement.bank.map(|at| self.state.banks[at].id);
            let other = bank.is_none().then_some(&settlement.code);
            assert_eq!(
                (&shown["bank_account_id"], &shown["account_code"]),
                (&json!(bank), &json!(other)),
                "{place}: {shown}"
            );
            assert_eq!(figure("cis_amount"), settlement.cis, "{place}: {shown}");
            assert_eq!(figure("unallocated_amount"), self.state.unallocated(at), "{place}: {shown}");
            if settlement.is_refund {
                continue;
            }
            let mut expected: BTreeMap<(i64, String), i64> = BTreeMap::new();
            let own = self.state.allocations.iter().filter(|one| one.is_live() && one.source == Party::Settlement(at));
            for one in own {
                let Party::Document(invoice) = one.target else { continue };
                *expected.entry((self.state.documents[invoice].id, text(one.day))).or_default() += one.cash;
            }
            let mut found = BTreeMap::new();
            for one in shown["allocations"].as_array().unwrap().iter().filter(|one| !one["invoice_id"].is_null()) {
                let key = (one["invoice_id"].as_i64().unwrap(), one["date"].as_str().unwrap().to_owned());
                *found.entry(key).or_default() += pence(&one["amount"]);
            }
            assert_eq!(found, expected, "{place}: {shown}");
        }
    }
}
