//! Opening balances.

use serde_json::{Value, json};

use super::super::operation::Operation;
use super::super::schema::{
    Any, array, boolean, choice, date, id, maybe, maybe_array, moment, named, nullable, object, one_of, required,
    strict, string, text,
};
use super::{data, inside, money, money_in};
use crate::domain::ledger::document::DocumentKind;

/// `POST …/opening-balances/preview`.
pub fn preview_opening_balances() -> Operation {
    inside(
        "Preview opening balances",
        "Decides everything and posts nothing. The token sets them as previewed, once, within thirty minutes, for the same person. A \
         difference between debits and credits is told here and refused there, unless `balance_to_account_id` says where it goes.",
    )
    .request(named("OpeningBalances"), request_example())
    .success(200, "What they would do.", named("OpeningPreviewData"), json!({ "data": preview_example() }))
    .conflict(json!({ "reason": "already_set" }))
    .refused(json!({ "reason": "amount_mismatch", "expected": 0.00, "actual": 400.00 }))
    .change()
}

/// `POST …/opening-balances`.
pub fn set_opening_balances() -> Operation {
    inside(
        "Set opening balances",
        "With the token of a preview, or with the balances themselves: one journal dated `as_of`, without VAT, and the books locked \
         up to that day unless `lock_period` is false. Once: voiding that journal makes room for others, and `replace` voids it in \
         the same step.",
    )
    .request(
        one_of(vec![named("OpeningBalancesToken"), named("OpeningBalances")]),
        json!({ "token": "opn_5dqk3zv7mh2xw4cnb6aytr7uee" }),
    )
    .success(201, "The opening balances were set.", named("OpeningSetData"), json!({ "data": set_example() }))
    .conflict(json!({ "reason": "token_used" }))
    .refused(json!({ "reason": "unbalanced", "total_debit": 5900.00, "total_credit": 5890.00 }))
    .change()
}

fn request_example() -> Value {
    json!({
        "as_of": "2026-03-31",
        "lines": [{ "account_code": "1200", "debit": 5000.00 }, { "account_code": "3000", "credit": 5000.00 }],
    })
}

fn preview_example() -> Value {
    let line = |account: i64, code: &str, name: &str, debit: f64, credit: f64| json!({ "account_id": account, "account_code": code, "account_name": name, "debit": debit, "credit": credit });
    json!({
        "token": "opn_5dqk3zv7mh2xw4cnb6aytr7uee", "expires_at": "2026-04-02T10:30:00.000Z", "as_of": "2026-03-31", "currency": "GBP",
        "lines": [line(12, "1200", "Current account", 5000.00, 0.00), line(30, "3000", "Share capital", 0.00, 5000.00)],
        "total_debit": 5000.00, "total_credit": 5000.00, "difference": 0.00, "warnings": []
    })
}

fn set_example() -> Value {
    let mut journal = super::journals::example();
    if let Some(journal) = journal.as_object_mut() {
        journal.insert("source_type".to_owned(), json!("opening_balance"));
        journal.insert("description".to_owned(), json!("Opening balances"));
    }
    json!({ "journal": journal, "documents": [], "lock_date": "2026-03-31" })
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let kinds = DocumentKind::ALL.map(DocumentKind::as_str);
    let line = |account: super::super::schema::Field| {
        strict(
            "The balance of an account: a debit or a credit.",
            vec![account, maybe("debit", money_in()), maybe("credit", money_in())],
        )
    };
    let lines =
        one_of(vec![line(required("account_id", id())).into(), line(required("account_code", text(1, 20))).into()]);
    let document = strict(
        "What was not settled on the day; the contact is a customer or a supplier as the type says.",
        vec![
            required("type", choice(&kinds)),
            required("number", text(1, 50)),
            required("date", date()),
            required("amount_due", money_in()),
            maybe("customer_id", id()),
            maybe("supplier_id", id()),
            maybe("due_date", date()),
        ],
    );
    let balances = strict(
        "Opening balances.",
        vec![
            required("as_of", date()),
            required("lines", array(lines).min_items(Some(1)).max_items(Some(1000)).build()),
            maybe_array("open_documents", array(document).max_items(Some(5000))),
            maybe("lock_period", boolean().description(Some("True unless given."))),
            maybe("balance_to_account_id", id()),
            maybe("balance_to_account_code", text(1, 20)),
            maybe("allow_unassigned", boolean()),
            maybe("replace", boolean()),
        ],
    );
    let token = strict("What was previewed.", vec![required("token", text(1, 100))]);
    let preview_line = object(
        "A line of the journal.",
        vec![
            required("account_id", nullable(id())),
            required("account_code", string()),
            required("account_name", string()),
            required("debit", money()),
            required("credit", money()),
        ],
    );
    let preview = object(
        "What opening balances would do.",
        vec![
            required("token", nullable(string())),
            required("expires_at", moment()),
            required("as_of", date()),
            required("currency", choice(&["GBP"])),
            required("lines", array(preview_line).build()),
            required("total_debit", money()),
            required("total_credit", money()),
            required("difference", money()),
            required("warnings", array(string()).build()),
        ],
    );
    let set = object(
        "Opening balances.",
        vec![
            required("journal", named("Journal")),
            required("documents", array(object("A document that came with them.", Vec::new())).build()),
            required("lock_date", nullable(date())),
        ],
    );
    vec![
        ("OpeningBalances", balances.into()),
        ("OpeningBalancesToken", token.into()),
        ("OpeningPreview", preview.into()),
        ("OpeningPreviewData", data("A preview.", named("OpeningPreview"))),
        ("OpeningSet", set.into()),
        ("OpeningSetData", data("Opening balances.", named("OpeningSet"))),
    ]
}
