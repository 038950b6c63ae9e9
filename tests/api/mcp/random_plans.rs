//! Random plans: none writes into a table of the books, and what is committed posts what the preview showed. `PLANS` makes more
//! of them and `PLANS_SEED` begins with another seed. Triggers count the rows that are written while a plan is made; the rows
//! themselves are compared too, in long runs of the first plans, of every hundredth and of the last.

use serde_json::{Value, json};
use xtask::random::Random;

use super::{call, given, setting};
use crate::books::Books;
use crate::support::database::on_both_databases;

/// Plans of one run.
const PLANS: u64 = 60;

/// After so many, all rows are compared at every one of these only.
const COMPARED_EVERY: u64 = 100;

/// Tables that a plan, or being asked for one, may write into.
const OWN_TABLES: [&str; 3] = ["book_preview", "api_key", "rate_permit"];

/// What plans are made of.
struct Planner {
    random: Random,
    count: u64,
}

/// A record that an operation may be about: one of the books, or one that an operation of the plan makes.
type Records = Vec<Value>;

/// The list of a kind of record.
type List = fn(&mut Known) -> &mut Records;

#[derive(Default)]
struct Known {
    customers: Records,
    suppliers: Records,
    sales_invoices: Records,
    purchase_invoices: Records,
    sales_credit_notes: Records,
    receipts: Records,
    payments: Records,
    journals: Records,
    lines: Records,
    accounts: Records,
    write_offs: Records,
}

impl Planner {
    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.random.below(u64::try_from(limit).unwrap())).unwrap()
    }

    fn one_of(&mut self, records: &[Value]) -> Value {
        // Now and then what nobody has.
        if records.is_empty() || self.below(300) == 0 {
            return json!(999_999);
        }
        let newest = self.below(3) > 0;
        let at = if newest { records.len() - 1 - self.below(records.len().min(4)) } else { self.below(records.len()) };
        records[at].clone()
    }

    fn date(&mut self) -> String {
        format!("2026-0{}-{:02}", 1 + self.below(2), 1 + self.below(28))
    }

    /// A price; amounts that are paid are lower.
    fn price(&mut self) -> f64 {
        f64::from(u32::try_from(5_000 + self.below(50_000)).unwrap()) / 100.0
    }

    fn amount(&mut self) -> f64 {
        f64::from(u32::try_from(1 + self.below(1_000)).unwrap()) / 100.0
    }

    fn code(&mut self) -> &'static str {
        ["ST", "RR", "ZR", "EX", "NV"][self.below(5)]
    }

    fn document(
        &mut self,
        contact: (&str, Value),
        (date, account): (&str, &str),
        origin: Option<(&str, Value)>,
    ) -> Value {
        let lines: Vec<Value> = (0..1 + self.below(3))
            .map(|_| json!({ "account_code": account, "description": "Item", "unit_price": self.price(), "vat_code": self.code() }))
            .collect();
        let mut body = json!({ contact.0: contact.1, date: self.date(), "lines": lines, "issue": self.below(3) > 0 });
        if let Some((field, id)) = origin {
            body[field] = id;
        }
        body
    }

    /// A random operation, and the list its record belongs to.
    fn operation(&mut self, known: &Known, bank: &Value) -> (&'static str, Value, Option<List>) {
        self.count += 1;
        let count = self.count;
        let kind = match self.below(22) {
            // What there is nothing for yet.
            2..=4 | 8 | 9 | 13 if known.customers.is_empty() => 0,
            7 | 10 if known.suppliers.is_empty() => 1,
            5 | 6 | 21 | 11 | 14 if known.sales_invoices.is_empty() => 2,
            10 if known.purchase_invoices.is_empty() => 7,
            11 | 12 if known.receipts.is_empty() => 8,
            14 if known.sales_credit_notes.is_empty() => 13,
            17 if known.journals.is_empty() => 15,
            19 | 20 if known.lines.is_empty() => 18,
            kind => kind,
        };
        match kind {
            0 => {
                ("customer.create", json!({ "name": format!("Customer {count}") }), Some(|known| &mut known.customers))
            }
            1 => {
                ("supplier.create", json!({ "name": format!("Supplier {count}") }), Some(|known| &mut known.suppliers))
            }
            2..=4 => {
                let customer = self.one_of(&known.customers);
                let body = self.document(("customer_id", customer), ("invoice_date", "4000"), None);
                ("sales_invoice.create", body, Some(|known| &mut known.sales_invoices))
            }
            5 => ("sales_invoice.issue", json!({ "id": self.one_of(&known.sales_invoices) }), None),
            6 => ("sales_invoice.void", json!({ "id": self.one_of(&known.sales_invoices) }), None),
            7 => {
                let supplier = self.one_of(&known.suppliers);
                let mut body = self.document(("supplier_id", supplier), ("invoice_date", "5000"), None);
                body["supplier_reference"] = json!(format!("S{count}"));
                ("purchase_invoice.create", body, Some(|known| &mut known.purchase_invoices))
            }
            8 | 9 => {
                let (customer, invoice, amount) =
                    (self.one_of(&known.customers), self.one_of(&known.sales_invoices), self.amount());
                let allocations = json!([{ "invoice_id": invoice, "amount": amount }]);
                let allocations = if self.below(2) == 0 { allocations } else { json!([]) };
                let body = json!({
                    "customer_id": customer, "date": self.date(), "amount": amount, "bank_account_id": bank, "allocations": allocations
                });
                ("customer_receipt.create", body, Some(|known| &mut known.receipts))
            }
            10 => {
                let (supplier, invoice, amount) =
                    (self.one_of(&known.suppliers), self.one_of(&known.purchase_invoices), self.amount());
                let body = json!({
                    "supplier_id": supplier, "date": self.date(), "amount": amount, "bank_account_id": bank,
                    "allocations": [{ "invoice_id": invoice, "amount": amount }]
                });
                ("supplier_payment.create", body, Some(|known| &mut known.payments))
            }
            11 => {
                let (receipt, invoice, amount) =
                    (self.one_of(&known.receipts), self.one_of(&known.sales_invoices), self.amount());
                (
                    "customer_receipt.allocate",
                    json!({ "id": receipt, "allocations": [{ "invoice_id": invoice, "amount": amount }] }),
                    None,
                )
            }
            12 => ("customer_receipt.void", json!({ "id": self.one_of(&known.receipts) }), None),
            13 => {
                let (customer, invoice) = (self.one_of(&known.customers), self.one_of(&known.sales_invoices));
                let origin = (self.below(2) == 0).then_some(("invoice_id", invoice));
                let body = self.document(("customer_id", customer), ("credit_note_date", "4000"), origin);
                ("sales_credit_note.create", body, Some(|known| &mut known.sales_credit_notes))
            }
            14 => {
                let (note, invoice, amount) =
                    (self.one_of(&known.sales_credit_notes), self.one_of(&known.sales_invoices), self.amount());
                (
                    "sales_credit_note.allocate",
                    json!({ "id": note, "allocations": [{ "invoice_id": invoice, "amount": amount }] }),
                    None,
                )
            }
            15 | 16 => {
                let amount = self.amount();
                let body = json!({ "entry_date": self.date(), "description": format!("Journal {count}"), "lines": [
                    { "account_code": "7500", "debit": amount, "vat_code": self.code() }, { "account_code": "2400", "credit": amount }] });
                ("journal.create", body, Some(|known| &mut known.journals))
            }
            17 => ("journal.void", json!({ "id": self.one_of(&known.journals) }), None),
            18 => {
                let body = json!({
                    "bank_account_id": bank, "date": self.date(), "amount": -self.amount(), "description": format!("Line {count}")
                });
                ("bank_transaction.create", body, Some(|known| &mut known.lines))
            }
            19 => {
                let line = self.one_of(&known.lines);
                (
                    "bank_transaction.confirm",
                    json!({ "id": line, "type": "coded", "account_code": "7500", "vat_code": self.code() }),
                    None,
                )
            }
            20 => {
                let op = ["bank_transaction.unconfirm", "bank_transaction.exclude", "bank_transaction.delete"]
                    [self.below(3)];
                (op, json!({ "id": self.one_of(&known.lines) }), None)
            }
            _ if self.below(2) == 0 => {
                let body = json!({ "code": format!("8{:03}", count % 1_000), "name": format!("Account {count}"), "account_type": "EXPENSE" });
                ("account.create", body, Some(|known| &mut known.accounts))
            }
            _ => {
                let (invoice, amount) = (self.one_of(&known.sales_invoices), self.amount());
                (
                    "sales_invoice.write_off",
                    json!({ "id": invoice, "date": "2026-03-01", "amount": amount }),
                    Some(|known| &mut known.write_offs),
                )
            }
        }
    }
}

/// Account, date and sides of journal lines, as both the preview and REST have them.
fn lines(lines: &Value, date: &Value) -> Vec<Value> {
    let lines = lines.as_array().unwrap().iter();
    lines
        .map(|line| {
            let date = line.get("date").unwrap_or(date);
            json!([
                date,
                line["account_code"],
                line["debit"],
                line["credit"],
                line.get("vat_code").unwrap_or(&Value::Null)
            ])
        })
        .collect()
}

on_both_databases! {
    fn a_random_plan_writes_nothing_and_posts_what_it_showed(database) {
        let books = Books::on(&database);
        books.vat_control();
        let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
        let mut planner = Planner { random: Random::new(setting("PLANS_SEED").unwrap_or(1)), count: 0 };
        let mut known = Known::default();
        let (mut refused, mut committed, mut operations_done) = (std::collections::BTreeMap::<usize, usize>::new(), 0, 0);
        let mut cursor = books.get("/changes?order=desc&limit=1")["data"][0]["cursor"].as_i64().unwrap();
        let plans = setting("PLANS").unwrap_or(PLANS);
        let mut compared = 0;
        books.server.watch_all_tables_but(&OWN_TABLES);
        let mut written = books.server.rows_written();
        for at in 0..plans {
            let mut made: Vec<(String, List)> = Vec::new();
            let mut operations: Vec<Value> = Vec::new();
            let mut of_plan = Known::default();
            std::mem::swap(&mut of_plan, &mut known);
            let size = 1 + planner.below(6);
            for index in 0..size {
                let (op, params, list) = planner.operation(&of_plan, &bank);
                let label = format!("r{index}");
                operations.push(json!({ "op": op, "ref": label, "params": params }));
                if let Some(list) = list {
                    list(&mut of_plan).push(json!({ "$from": label }));
                    made.push((label, list));
                }
            }
            // What the plan would make is known to later plans only once it is made.
            for (label, list) in &made {
                list(&mut of_plan).retain(|record| record["$from"] != json!(label));
            }
            known = of_plan;
            let is_compared = at < PLANS || at % COMPARED_EVERY == 0 || at + 1 == plans;
            let rows = || match is_compared {
                true => books.server.rows_of_all_tables_but(&OWN_TABLES),
                false => std::collections::BTreeMap::new(),
            };
            let before = rows();
            let arguments = json!({ "operations": operations });
            let plan = call(&books.server, &books.key, "plan_bookkeeping", &arguments);
            assert_eq!(books.server.rows_written(), written, "plan {at}: {arguments}");
            let after = rows();
            let changed: Vec<&String> = before.keys().filter(|table| before.get(*table) != after.get(*table)).collect();
            assert_eq!(changed, Vec::<&String>::new(), "plan {at}: {arguments}");
            compared += u64::from(is_compared);
            if plan["isError"] == true {
                *refused.entry(plan["content"][0]["text"].as_str().unwrap().split("; ").count()).or_insert(0) += 1;
                if setting::<u64>("PLANS_TELL").is_some() {
                    println!("{}", plan["content"][0]["text"]);
                }
                continue;
            }
            let plan = &plan["structuredContent"];
            let done = given(&books.server, &books.key, "commit_plan", &json!({ "plan_token": plan["plan_token"] }));
            let before = std::mem::replace(&mut written, books.server.rows_written());
            assert_ne!(before, written, "plan {at}: {arguments}");
            committed += 1;
            operations_done += operations.len();
            let previewed: Vec<Value> = plan["operations"]
                .as_array()
                .unwrap()
                .iter()
                .flat_map(|operation| operation.get("journal").map_or_else(Vec::new, |journal| lines(journal, &Value::Null)))
                .collect();
            let mut posted = Vec::new();
            let history = books.get(&format!("/changes?since={cursor}&limit=200"));
            cursor = history["next_cursor"].as_i64().unwrap();
            let is_new = |change: &&Value| change["resource_type"] == "journal" && change["action"] == "create";
            for change in history["data"].as_array().unwrap().iter().filter(is_new) {
                let whole = books.get(&format!("/journals/{}", change["resource_id"]));
                posted.extend(lines(&whole["data"]["lines"], &whole["data"]["entry_date"]));
            }
            assert_eq!(posted, previewed, "plan {at}: {arguments}");
            for (label, list) in made {
                let index: usize = label[1..].parse().unwrap();
                list(&mut known).push(done["results"][index]["id"].clone());
            }
        }
        println!("{plans} plans wrote no row, all rows compared around {compared} of them");
        println!("{committed} plans of {operations_done} operations committed, {refused:?} refused by so many operations");
        assert!(committed > 0 && !refused.is_empty());
    }
}
