//! Labelled businesses: one JSON file each, `{id, business, chart_style, local_payees, request, expected}`, where
//! `request` is the exact body of a submission and `expected` has one answer per transaction.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use bookkeeping_suite::domain::amount;
use bookkeeping_suite::domain::coding::{
    Account, AccountType, Batch, Invoice, InvoiceKind, PastLine, Transaction, Vat, VatCode,
};
use bookkeeping_suite::domain::date::Date;
use serde_json::Value;

/// A labelled business.
pub struct Business {
    pub id: String,
    /// Whether somebody made these payments, rather than wrote them to measure by.
    pub is_real: bool,
    pub batch: Batch<'static>,
    pub expected: Vec<Expected>,
}

/// The right answer for a line.
pub struct Expected {
    /// Codes of accounts that are right, the usual one first.
    pub accounts: Vec<String>,
    /// VAT codes that are right, the usual one first; none where it is not known.
    pub vat: Vec<Vat>,
    /// The stage that has to find it, where that is part of the answer.
    pub method: Option<String>,
    /// What it settles.
    pub invoices: Vec<String>,
}

/// Every business of a folder, in the order of the file names.
pub fn read_folder(folder: &Path) -> Vec<Business> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Business {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let file: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let request = &file["request"];
    let accounts: Vec<Account<'static>> = list(request, "chart_of_accounts").iter().map(account).collect();
    let invoices = request
        .get("invoices")
        .map(|_| list(request, "invoices").iter().map(|value| invoice(value, &accounts)).collect());
    let vat_codes = request.get("vat_codes").map(|_| list(request, "vat_codes").iter().map(vat_code).collect());
    let batch = Batch {
        transactions: list(request, "transactions").iter().map(transaction).collect(),
        accounts,
        vat_codes,
        invoices,
        business_context: Cow::Owned(optional(&request["options"], "businessContext").unwrap_or_default()),
        history: list(&file, "history").iter().map(past_line).collect(),
    };
    Business {
        id: file["id"].as_str().expect("an id").to_owned(),
        is_real: file.get("licence").is_some(),
        batch,
        expected: list(&file, "expected").iter().map(expected).collect(),
    }
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value, name: &str) -> Cow<'static, str> {
    Cow::Owned(value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}")).to_owned())
}

fn optional(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

fn units(value: &Value, name: &str) -> i128 {
    amount::parse(&value[name].to_string()).unwrap_or_else(|_| panic!("{name} in {value}"))
}

fn date(value: &Value, name: &str) -> Date {
    Date::parse(&text(value, name)).unwrap_or_else(|| panic!("{name} in {value}"))
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect()).unwrap_or_default()
}

fn transaction(value: &Value) -> Transaction<'static> {
    Transaction {
        date: date(value, "date"),
        description: text(value, "description"),
        amount: units(value, "amount"),
        merchant: optional(value, "merchant").map(Cow::Owned),
        reference: optional(value, "reference").map(Cow::Owned),
        bank_account: optional(value, "bank_account").map(Cow::Owned),
        merchant_category_code: optional(value, "merchant_category_code").and_then(|code| code.parse().ok()),
    }
}

fn past_line(value: &Value) -> PastLine<'static> {
    PastLine {
        description: text(value, "description"),
        account_code: text(value, "account_code"),
        date: Some(date(value, "date")),
        amount: Some(units(value, "amount")),
        merchant: optional(value, "merchant").map(Cow::Owned),
        vat_code: optional(value, "vat_code").map(Cow::Owned),
        bank_account: optional(value, "bank_account").map(Cow::Owned),
    }
}

fn account(value: &Value) -> Account<'static> {
    let kind = AccountType::parse(&text(value, "type")).expect("an account type");
    Account { code: text(value, "code"), name: text(value, "name"), kind }
}

fn vat_code(value: &Value) -> VatCode<'static> {
    VatCode { code: text(value, "code"), name: text(value, "name"), rate: units(value, "rate") }
}

fn invoice(value: &Value, accounts: &[Account<'static>]) -> Invoice<'static> {
    Invoice {
        number: text(value, "number"),
        kind: InvoiceKind::parse(&text(value, "kind")).expect("a kind"),
        contact: text(value, "contact"),
        date: date(value, "date"),
        due_date: optional(value, "due_date").and_then(|text| Date::parse(&text)),
        total: value.get("total").map(|_| units(value, "total")),
        amount_due: units(value, "amount_due"),
        currency: optional(value, "currency").map(Cow::Owned),
        reference: optional(value, "reference").map(Cow::Owned),
        account: optional(value, "account_code")
            .and_then(|code| accounts.iter().position(|account| account.code == code)),
    }
}

fn expected(value: &Value) -> Expected {
    let mut accounts = vec![text(value, "account_code").into_owned()];
    accounts.extend(value.get("acceptable_account_codes").map(strings).unwrap_or_default());
    let mut vat: Vec<String> = optional(value, "vat_code").into_iter().collect();
    vat.extend(value.get("acceptable_vat_codes").map(strings).unwrap_or_default());
    Expected {
        accounts,
        vat: vat.iter().map(|code| Vat::parse(code).expect("a VAT code")).collect(),
        method: optional(value, "method"),
        invoices: value.get("invoice_numbers").map(strings).unwrap_or_default(),
    }
}
