//! The labelled businesses as inputs that look like life.

use std::path::PathBuf;
use std::sync::OnceLock;

use serde_json::Value;

use super::super::VatCode;
use super::*;

/// A labelled business: its request, and payees that only it has.
pub(super) struct Business {
    pub(super) id: String,
    pub(super) batch: Batch<'static>,
}

/// The folder of labelled businesses.
pub(super) fn folder(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "benches", "coding_quality", name].iter().collect()
}

/// The files of a folder in the order of their names; a folder that is not there has none.
pub(super) fn files(name: &str) -> Vec<Value> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder(name))
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    paths.iter().map(read).collect()
}

/// The businesses one may look at.
pub(super) fn businesses() -> Vec<Business> {
    let all: Vec<Business> = ["dev", "learn"].into_iter().flat_map(files).map(|file| business(&file)).collect();
    assert!(all.len() >= 20, "{} businesses", all.len());
    all
}

/// The same with the answers to them, worked out once for every test.
pub(super) fn answered() -> &'static [(Business, Outcome)] {
    static ANSWERED: OnceLock<Vec<(Business, Outcome)>> = OnceLock::new();
    ANSWERED.get_or_init(|| {
        let answer = |business: Business| {
            let outcome = code(&business.batch);
            (business, outcome)
        };
        businesses().into_iter().map(answer).collect()
    })
}

fn business(file: &Value) -> Business {
    let request = &file["request"];
    let list = |name: &str| request.get(name).map(|list| list.as_array().expect("a list").as_slice());
    let accounts: Vec<Account<'static>> =
        list("chart_of_accounts").expect("a chart").iter().map(read_account).collect();
    Business {
        id: file["id"].as_str().expect("an id").to_owned(),
        batch: Batch {
            transactions: list("transactions").expect("lines").iter().map(read_line).collect(),
            vat_codes: list("vat_codes").map(|codes| codes.iter().map(read_vat_code).collect()),
            invoices: list("invoices").map(|list| list.iter().map(|item| read_invoice(item, &accounts)).collect()),
            accounts,
            business_context: Cow::Owned(optional(&request["options"], "businessContext").unwrap_or_default()),
            history: Vec::new(),
        },
    }
}

fn optional(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

fn words(value: &Value, name: &str) -> Cow<'static, str> {
    Cow::Owned(optional(value, name).unwrap_or_else(|| panic!("{name} in {value}")))
}

fn units(value: &Value, name: &str) -> i128 {
    pounds(&value[name].to_string())
}

fn read_line(value: &Value) -> Transaction<'static> {
    Transaction {
        date: date(&words(value, "date")),
        description: words(value, "description"),
        amount: units(value, "amount"),
        merchant: optional(value, "merchant").map(Cow::Owned),
        reference: optional(value, "reference").map(Cow::Owned),
        bank_account: optional(value, "bank_account").map(Cow::Owned),
        merchant_category_code: None,
    }
}

fn read_account(value: &Value) -> Account<'static> {
    let kind = AccountType::parse(&words(value, "type")).expect("an account type");
    Account { code: words(value, "code"), name: words(value, "name"), kind }
}

fn read_vat_code(value: &Value) -> VatCode<'static> {
    VatCode { code: words(value, "code"), name: words(value, "name"), rate: units(value, "rate") }
}

fn read_invoice(value: &Value, accounts: &[Account<'static>]) -> Invoice<'static> {
    Invoice {
        number: words(value, "number"),
        kind: InvoiceKind::parse(&words(value, "kind")).expect("a kind"),
        contact: words(value, "contact"),
        date: date(&words(value, "date")),
        due_date: optional(value, "due_date").map(|text| date(&text)),
        total: value.get("total").filter(|total| !total.is_null()).map(|_| units(value, "total")),
        amount_due: units(value, "amount_due"),
        currency: optional(value, "currency").map(Cow::Owned),
        reference: optional(value, "reference").map(Cow::Owned),
        account: optional(value, "account_code")
            .and_then(|code| accounts.iter().position(|account| account.code == code)),
    }
}
