//! Fills the demonstration's books through the service's own HTTP API: an opening, three whole months before today, and
//! a few lines of statements left for the reader.

mod story;

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context as _, bail};
use chrono::{Datelike as _, Days, Months, NaiveDate};
use serde_json::{Value, json};

use self::story::{BankLine, CARD, CURRENT, Document, Meaning, SAVINGS};
use super::DEMO_ORGANISATION;
use super::api::Api;
use crate::domain::ledger::money::Pence;

/// Months of books.
const MONTHS: u32 = 3;

/// What is owed on a document so far.
struct Owed {
    id: i64,
    contact: &'static str,
    is_sale: bool,
    due: Pence,
}

/// A line of a statement with its amount.
struct Row<'a> {
    account: &'static str,
    date: NaiveDate,
    description: &'static str,
    meaning: &'a Meaning,
    amount: Pence,
    /// What it is set against: document, and how much.
    pays: Vec<(&'static str, Pence)>,
}

/// Fills the books; returns the path of the organisation.
pub(super) fn fill(api: &Api<'_>, today: NaiveDate) -> anyhow::Result<String> {
    let organisations = api.get("/api/v1/books/organisations")?;
    let organisation = listed(&organisations)
        .find(|one| one.get("name").and_then(Value::as_str) == Some(DEMO_ORGANISATION))
        .context("the organisation of the demonstration is missing")?;
    let base = format!("/api/v1/books/organisations/{}", id_of(organisation)?);
    let mut filler = Filler {
        api,
        first: first_month(today),
        accounts: HashMap::new(),
        bank_accounts: HashMap::new(),
        contacts: HashMap::new(),
        owed: HashMap::new(),
        base,
    };
    filler.set_up()?;
    filler.open()?;
    for document in &story::DOCUMENTS {
        filler.draw_up(document)?;
    }
    filler.credit()?;
    filler.journals()?;
    filler.statements()?;
    filler.unlock()?;
    Ok(filler.base)
}

/// Imports another statement, has it suggested, confirms what is said to be nine tenths sure, and gives the answer with the
/// lines that are left.
pub(super) fn suggest(api: &Api<'_>, base: &str, today: NaiveDate) -> anyhow::Result<(Value, Vec<Value>)> {
    let banks = api.get(&format!("{base}/bank-accounts"))?;
    let date = today.with_day(1).unwrap_or(today).to_string();
    for code in [CURRENT, SAVINGS, CARD] {
        let is_this = |bank: &&Value| bank.get("account_code").and_then(Value::as_str) == Some(code);
        let bank = listed(&banks).find(is_this).context("no bank account")?;
        let lines = story::NEXT_STATEMENT.iter().filter(|(account, ..)| *account == code);
        let rows: Vec<Value> = lines
            .map(|(_, amount, description)| json!({ "date": date, "amount": amount, "description": description }))
            .collect();
        let import = json!({ "bank_account_id": id_of(bank)?, "rows": rows });
        api.post(&format!("{base}/bank-transactions/import"), &import.to_string())?;
    }
    let asked = api.post(&format!("{base}/bank-transactions/suggest"), "{}")?;
    api.job_ended(data(&asked)?)?;
    let taken = api.post(&format!("{base}/bank-transactions/confirm"), r#"{"min_confidence": 0.9}"#)?;
    let left = api.get(&format!("{base}/bank-transactions?status=unconfirmed&limit=200"))?;
    Ok((data(&taken)?.clone(), listed(&left).cloned().collect()))
}

/// The first and the last day of the months.
pub(super) fn period(today: NaiveDate) -> (NaiveDate, NaiveDate) {
    let this_month = today.with_day(1).unwrap_or(today);
    (first_month(today), this_month.pred_opt().unwrap_or(this_month))
}

/// The first day of the first of the months.
fn first_month(today: NaiveDate) -> NaiveDate {
    let first = today.with_day(1).unwrap_or(today);
    first.checked_sub_months(Months::new(MONTHS)).unwrap_or(first)
}

struct Filler<'a> {
    api: &'a Api<'a>,
    base: String,
    first: NaiveDate,
    /// By code.
    accounts: HashMap<String, i64>,
    /// By the code of their account.
    bank_accounts: HashMap<&'static str, i64>,
    contacts: HashMap<&'static str, i64>,
    owed: HashMap<&'static str, Owed>,
}

impl Filler<'_> {
    fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let answer = self.api.post(&format!("{}/{path}", self.base), &body.to_string());
        answer.with_context(|| format!("cannot fill the books: {path} {body}"))
    }

    fn date(&self, month: u32, day: u32) -> NaiveDate {
        let first = self.first.checked_add_months(Months::new(month)).unwrap_or(self.first);
        first.with_day(day).unwrap_or(first)
    }

    fn month_end(&self, month: u32) -> NaiveDate {
        self.date(month + 1, 1).pred_opt().unwrap_or(self.first)
    }

    fn before(&self, days: u64) -> NaiveDate {
        self.first.checked_sub_days(Days::new(days)).unwrap_or(self.first)
    }

    fn account(&self, code: &str) -> anyhow::Result<i64> {
        self.accounts.get(code).copied().with_context(|| format!("no account {code}"))
    }

    fn contact(&self, key: &str) -> anyhow::Result<i64> {
        self.contacts.get(key).copied().with_context(|| format!("no contact {key}"))
    }

    fn set_up(&mut self) -> anyhow::Result<()> {
        let settings = json!({
            "legal_name": "Larkspur Joinery Limited", "vat_registered": true, "vat_number": "GB123456789",
            "vat_scheme": "standard", "vat_scheme_from": self.first.to_string(), "vat_period_months": 3,
            "vat_period_end_month": self.month_end(MONTHS - 1).month(), "cis_contractor": true,
        });
        self.api.patch(&self.base, &settings.to_string())?;
        for (name, kind, code) in [("Savings account", "savings", SAVINGS), ("Company card", "credit_card", CARD)] {
            let made = self.post("bank-accounts", &json!({ "name": name, "type": kind, "code": code }))?;
            self.bank_accounts.insert(code, id_of(data(&made)?)?);
        }
        for (code, name, account_type) in story::ACCOUNTS {
            self.post("accounts", &json!({ "code": code, "name": name, "account_type": account_type }))?;
        }
        for account in listed(&self.api.get(&format!("{}/accounts", self.base))?) {
            let code = account.get("code").and_then(Value::as_str).context("an account has no code")?;
            if code == CURRENT {
                let bank = account.get("bank_account_id").and_then(Value::as_i64).context("no current account")?;
                self.bank_accounts.insert(CURRENT, bank);
            }
            self.accounts.insert(code.to_owned(), id_of(account)?);
        }
        for (key, name, email) in story::CUSTOMERS {
            let made = self.post("customers", &json!({ "name": name, "email": email }))?;
            self.contacts.insert(key, id_of(data(&made)?)?);
        }
        for (key, name, account, has_cis) in story::SUPPLIERS {
            let mut body = json!({ "name": name, "default_account_id": self.account(account)? });
            if has_cis && let Some(fields) = body.as_object_mut() {
                let cis = json!({ "is_subcontractor": true, "deduction_rate": 20, "utr": "2145678901" });
                fields.insert("cis".to_owned(), cis);
            }
            let made = self.post("suppliers", &body)?;
            self.contacts.insert(key, id_of(data(&made)?)?);
        }
        Ok(())
    }

    fn open(&mut self) -> anyhow::Result<()> {
        let mut lines = Vec::new();
        for (code, debit, credit) in story::OPENING {
            let account = self.account(code)?;
            lines.push(if debit.is_empty() {
                json!({ "account_id": account, "credit": credit })
            } else {
                json!({ "account_id": account, "debit": debit })
            });
        }
        let mut documents = Vec::new();
        for (_, kind, contact, number, days, due) in story::OPEN_DOCUMENTS {
            let owner = if kind.starts_with("sales") { "customer_id" } else { "supplier_id" };
            let date = self.before(days);
            documents.push(json!({
                "type": kind, owner: self.contact(contact)?, "number": number, "date": date.to_string(),
                "due_date": date.checked_add_days(Days::new(30)).unwrap_or(date).to_string(), "amount_due": due,
            }));
        }
        let opening = json!({
            "as_of": self.before(1).to_string(), "lines": lines, "open_documents": documents,
            "balance_to_account_id": self.account("3200")?,
        });
        let preview = self.post("opening-balances/preview", &opening)?;
        let token = data(&preview)?.get("token").context("no token")?;
        let posted = self.post("opening-balances", &json!({ "token": token }))?;
        let made = data(&posted)?.get("documents").and_then(Value::as_array).context("no documents")?;
        for ((key, kind, contact, _, _, due), document) in story::OPEN_DOCUMENTS.into_iter().zip(made) {
            let due = Pence::parse_text(due).context("not an amount")?;
            let owed = Owed { id: id_of(document)?, contact, is_sale: kind.starts_with("sales"), due };
            self.owed.insert(key, owed);
        }
        Ok(())
    }

    /// Opening balances lock what is before them. The examples of the documentation have dates that stay as they are, and
    /// whoever tries one here should see it post.
    fn unlock(&self) -> anyhow::Result<()> {
        let body = json!({ "lock_date": null, "reason": "This is for trying things out" });
        self.api.put(&format!("{}/period-lock", self.base), &body.to_string())?;
        Ok(())
    }

    fn draw_up(&mut self, document: &Document) -> anyhow::Result<()> {
        let mut lines = Vec::new();
        for (description, account, quantity, unit_price, vat_code, cis_type) in document.lines {
            let mut line = json!({
                "description": description, "account_id": self.account(account)?, "quantity": quantity,
                "unit_price": unit_price, "vat_code": vat_code,
            });
            if !cis_type.is_empty()
                && let Some(fields) = line.as_object_mut()
            {
                fields.insert("cis_type".to_owned(), json!(cis_type));
            }
            lines.push(line);
        }
        let (path, owner, reference) = if document.is_sale {
            ("sales-invoices", "customer_id", "reference")
        } else {
            ("purchase-invoices", "supplier_id", "supplier_reference")
        };
        let made = self.post(
            path,
            &json!({
                owner: self.contact(document.contact)?,
                "invoice_date": self.date(document.month, document.day).to_string(), reference: document.reference,
                "vat_inclusive": document.is_vat_inclusive, "issue": document.is_issued, "lines": lines,
            }),
        )?;
        let made = data(&made)?;
        // What is withheld under CIS is not paid to the supplier.
        let due = made.pointer("/cis/payable").or_else(|| made.get("amount_due")).context("no amount due")?;
        let due = Pence::parse_number(&due.to_string()).context("not an amount")?;
        let owed = Owed { id: id_of(made)?, contact: document.contact, is_sale: document.is_sale, due };
        self.owed.insert(document.key, owed);
        Ok(())
    }

    /// Two drawer fronts came back.
    fn credit(&mut self) -> anyhow::Result<()> {
        let invoice = self.owed.get("s6").context("no invoice")?.id;
        let note = self.post(
            "sales-credit-notes",
            &json!({
                "customer_id": self.contact("pemberton")?, "credit_note_date": self.date(1, 17).to_string(),
                "invoice_id": invoice, "reference": "Two fronts returned",
                "lines": [{ "description": "Oak drawer fronts, returned", "account_id": self.account("4000")?,
                    "quantity": "2", "unit_price": "48.50", "vat_code": "ST" }],
            }),
        )?;
        let note = data(&note)?;
        let amount = note.get("gross_amount").context("no amount")?;
        let allocations = json!({ "allocations": [{ "invoice_id": invoice, "amount": amount }] });
        self.post(&format!("sales-credit-notes/{}/allocate", id_of(note)?), &allocations)?;
        Ok(())
    }

    fn journals(&self) -> anyhow::Result<()> {
        for month in 0..MONTHS {
            for (description, entries) in story::JOURNALS {
                let mut lines = Vec::new();
                for (code, debit, credit) in entries {
                    let account = self.account(code)?;
                    lines.push(if debit.is_empty() {
                        json!({ "account_id": account, "credit": credit })
                    } else {
                        json!({ "account_id": account, "debit": debit })
                    });
                }
                let date = self.month_end(month).to_string();
                self.post("journals", &json!({ "entry_date": date, "description": description, "lines": lines }))?;
            }
        }
        Ok(())
    }

    /// The lines of all statements, oldest first, each with its amount.
    fn rows(&mut self) -> anyhow::Result<Vec<Row<'static>>> {
        let every_month = (0..MONTHS).flat_map(|month| {
            let lines = story::EVERY_MONTH.iter();
            lines.map(move |(account, day, text, meaning)| (*account, month, *day, *text, meaning))
        });
        let once = story::BANK.iter();
        let once = once.map(|(account, month, day, text, meaning): &BankLine| (*account, *month, *day, *text, meaning));
        let mut lines: Vec<_> = once.chain(every_month).collect();
        lines.sort_by_key(|(_, month, day, ..)| (*month, *day));
        let mut rows = Vec::new();
        for (account, month, day, description, meaning) in lines {
            let (amount, pays) = self.worth(meaning)?;
            rows.push(Row { account, date: self.date(month, day), description, meaning, amount, pays });
        }
        Ok(rows)
    }

    /// The amount of a line, and what it pays.
    fn worth(&mut self, meaning: &Meaning) -> anyhow::Result<(Pence, Vec<(&'static str, Pence)>)> {
        let fixed = |text: &str| Pence::parse_text(text).context("not an amount");
        let (documents, only, more): (&[&'static str], Option<&str>, Pence) = match meaning {
            Meaning::Coded(_, amount, _)
            | Meaning::Transfer(amount, _)
            | Meaning::Open(amount)
            | Meaning::Private(amount) => return Ok((fixed(amount)?, Vec::new())),
            Meaning::Split(parts) => {
                let parts = parts.iter().map(|(_, amount, _)| fixed(amount));
                return Ok((parts.sum::<anyhow::Result<Pence>>()?, Vec::new()));
            }
            Meaning::Pays(documents) => (documents, None, Pence::ZERO),
            Meaning::Part(document, amount) => (std::slice::from_ref(document), Some(*amount), Pence::ZERO),
            Meaning::Over(document, more) => (std::slice::from_ref(document), None, fixed(more)?),
        };
        let (mut pays, mut cash, mut comes_in) = (Vec::new(), more, true);
        for key in documents {
            let owed = self.owed.get_mut(key).with_context(|| format!("no document {key}"))?;
            let amount = only.map_or(Ok(owed.due), fixed)?;
            owed.due -= amount;
            comes_in = owed.is_sale;
            cash += amount;
            pays.push((*key, amount));
        }
        Ok((if comes_in { cash } else { -cash }, pays))
    }

    fn statements(&mut self) -> anyhow::Result<()> {
        let rows = self.rows()?;
        let mut ids: BTreeMap<usize, i64> = BTreeMap::new();
        for account in [CURRENT, SAVINGS, CARD] {
            let places: Vec<usize> =
                (0..rows.len()).filter(|at| rows.get(*at).is_some_and(|row| row.account == account)).collect();
            let entered: Vec<Value> = places
                .iter()
                .filter_map(|at| rows.get(*at))
                .map(|row| {
                    let (date, amount) = (row.date.to_string(), row.amount.to_string());
                    json!({ "date": date, "amount": amount, "description": row.description })
                })
                .collect();
            let bank = self.bank_accounts.get(account).context("no bank account")?;
            let import = json!({ "bank_account_id": bank, "rows": entered });
            let imported = self.post("bank-transactions/import", &import)?;
            let made = data(&imported)?.get("transactions").and_then(Value::as_array).context("nothing imported")?;
            for (at, transaction) in places.into_iter().zip(made) {
                ids.insert(at, id_of(transaction)?);
            }
        }
        let mut items = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let id = ids.get(&at).copied().context("a row without a transaction")?;
            if matches!(row.meaning, Meaning::Private(_)) {
                self.post(&format!("bank-transactions/{id}/exclude"), &json!({}))?;
            }
            let opposite = || {
                let is_other = |(_, other): &(usize, &Row<'_>)| {
                    other.date == row.date
                        && other.amount == -row.amount
                        && matches!(other.meaning, Meaning::Transfer(..))
                };
                rows.iter().enumerate().find(is_other).and_then(|(other, _)| ids.get(&other).copied())
            };
            items.extend(self.confirmation(id, row, opposite)?);
        }
        self.post("bank-transactions/confirm-batch", &json!({ "items": items }))?;
        Ok(())
    }

    /// How a line is confirmed, if it is.
    fn confirmation(
        &self,
        id: i64,
        row: &Row<'_>,
        opposite: impl Fn() -> Option<i64>,
    ) -> anyhow::Result<Option<Value>> {
        Ok(match row.meaning {
            Meaning::Open(_) | Meaning::Private(_) => None,
            Meaning::Coded(code, _, vat_code) => {
                Some(json!({ "id": id, "account_id": self.account(code)?, "vat_code": vat_code }))
            }
            Meaning::Split(parts) => {
                let mut lines = Vec::new();
                for (code, amount, vat_code) in *parts {
                    let account = self.account(code)?;
                    lines.push(json!({ "account_id": account, "gross_amount": amount, "vat_code": vat_code }));
                }
                Some(json!({ "id": id, "lines": lines }))
            }
            // The side that pays confirms both.
            Meaning::Transfer(..) if !row.amount.is_negative() => None,
            Meaning::Transfer(_, other) => {
                let opposite = opposite().with_context(|| format!("no other side on {other}"))?;
                Some(json!({ "id": id, "type": "transfer", "bank_transaction_id": opposite }))
            }
            Meaning::Pays(_) | Meaning::Part(..) | Meaning::Over(..) => {
                let mut allocations = Vec::new();
                let mut owner = None;
                for (key, amount) in &row.pays {
                    let owed = self.owed.get(key).with_context(|| format!("no document {key}"))?;
                    allocations.push(json!({ "invoice_id": owed.id, "amount": amount.to_string() }));
                    owner = Some(owed);
                }
                let Some(owner) = owner else { bail!("{} pays nothing", row.description) };
                let contact = self.contact(owner.contact)?;
                Some(if owner.is_sale {
                    json!({ "id": id, "type": "customer_receipt", "customer_id": contact, "allocations": allocations })
                } else {
                    json!({ "id": id, "type": "supplier_payment", "supplier_id": contact, "allocations": allocations })
                })
            }
        })
    }
}

fn data(answer: &Value) -> anyhow::Result<&Value> {
    answer.get("data").context("the answer has no data")
}

fn listed(answer: &Value) -> impl Iterator<Item = &Value> {
    answer.get("data").and_then(Value::as_array).into_iter().flatten()
}

fn id_of(record: &Value) -> anyhow::Result<i64> {
    record.get("id").and_then(Value::as_i64).context("the record has no id")
}
