//! Opening balances.

use serde_json::{Value, json};

use super::super::operation::Operation;
use super::super::schema::{
    Any, Field, array, boolean, choice, date, id, maybe, maybe_array, moment, named, nullable, object, one_of, plain,
    required, strict, string,
};
use super::shared::{
    account_code_in, data, date_in, inside, money, money_in_not_negative, money_in_positive, one_of_shapes,
};
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
    .refusals(&["amount_mismatch", "period_locked", "unknown_reference"])
    .balances()
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
    .made("The opening balances were set.", named("OpeningSetData"), json!({ "data": set_example() }))
    .conflict(json!({ "reason": "token_used" }))
    .conflict(json!({ "reason": "already_set" }))
    .refusals(&["unbalanced", "period_locked", "token_expired", "unknown_reference"])
    .balances()
    .change()
}

impl Operation {
    /// What no schema says of opening balances.
    fn balances(self) -> Self {
        self.rule("as_of", "must not be in the future when it locks the books")
            .rule("open_documents[].number", "is the number of another document of the list")
            .rule("open_documents[].date", "must not be after as_of")
            .rule("open_documents[].due_date", "must not be before date")
    }
}

fn request_example() -> Value {
    json!({
        "as_of": "2026-03-31",
        "lines": [{ "account_code": "1200", "debit": 5000.00 }, { "account_code": "3000", "credit": 5000.00 }],
    })
}

fn preview_example() -> Value {
    let line = |account: i64, code: &str, name: &str, debit: f64, credit: f64| json!({ "account_id": account, "account_code": code, "account_name": name, "contact_id": null, "debit": debit, "credit": credit });
    json!({
        "token": "opn_5dqk3zv7mh2xw4cnb6aytr7uee", "expires_at": "2026-04-02T10:30:00.000Z", "as_of": "2026-03-31", "currency": "GBP",
        "lines": [line(12, "1200", "Current account", 5000.00, 0.00), line(30, "3000", "Share capital", 0.00, 5000.00)],
        "total_debit": 5000.00, "total_credit": 5000.00, "difference": 0.00, "warnings": []
    })
}

fn set_example() -> Value {
    let mut journal = crate::http::resources::journals::example();
    if let Some(journal) = journal.as_object_mut() {
        journal.insert("source_type".to_owned(), json!("opening_balance"));
        journal.insert("description".to_owned(), json!("Opening balances"));
    }
    json!({ "journal": journal, "documents": [], "lock_date": "2026-03-31" })
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let line = |account: Field| {
        vec![account, maybe("debit", money_in_not_negative()), maybe("credit", money_in_not_negative())]
    };
    let lines = one_of_shapes(
        "The balance of an account: a debit or a credit.",
        &["account_id", "account_code"],
        vec![line(required("account_id", id())), line(required("account_code", account_code_in()))],
    );
    let document = |kinds: [DocumentKind; 2], contact: &'static str| {
        vec![
            required("type", choice(&kinds.map(DocumentKind::as_str))),
            required(contact, id()),
            required("number", plain(1, 50)),
            required("date", date_in()),
            required("amount_due", money_in_positive()),
            maybe("due_date", date_in()),
        ]
    };
    let document = one_of_shapes(
        "What was not settled on the day.",
        &["customer_id", "supplier_id"],
        vec![
            document([DocumentKind::SalesInvoice, DocumentKind::SalesCreditNote], "customer_id"),
            document([DocumentKind::PurchaseInvoice, DocumentKind::PurchaseCreditNote], "supplier_id"),
        ],
    );
    let balances = |difference: Option<Field>| {
        let mut fields = vec![
            required("as_of", date_in()),
            required("lines", array(named("OpeningLine")).min_items(Some(1)).max_items(Some(1000)).build()),
            maybe_array("open_documents", array(named("OpeningDocument")).max_items(Some(5000))),
            maybe("lock_period", boolean().description(Some("True unless given."))),
            maybe("allow_unassigned", boolean()),
            maybe("replace", boolean()),
        ];
        fields.extend(difference);
        fields
    };
    let balances = one_of_shapes(
        "Opening balances; a difference may go to an account.",
        &["balance_to_account_id", "balance_to_account_code"],
        vec![
            balances(None),
            balances(Some(required("balance_to_account_id", id()))),
            balances(Some(required("balance_to_account_code", account_code_in()))),
        ],
    );
    let token = strict("What was previewed.", vec![required("token", plain(1, 100))]);
    let preview_line = object(
        "A line of the journal.",
        vec![
            required("account_id", nullable(id())),
            required("account_code", string()),
            required("account_name", string()),
            required("contact_id", nullable(id())),
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
    let kinds = ["SalesInvoice", "SalesCreditNote", "PurchaseInvoice", "PurchaseCreditNote"];
    let documents = one_of(kinds.map(named).into());
    let set = object(
        "Opening balances.",
        vec![
            required("journal", named("Journal")),
            required("documents", array(documents).build()),
            required("lock_date", nullable(date())),
        ],
    );
    vec![
        ("OpeningLine", lines),
        ("OpeningDocument", document),
        ("OpeningBalances", balances),
        ("OpeningBalancesToken", token.into()),
        ("OpeningPreview", preview.into()),
        ("OpeningPreviewData", data("A preview.", named("OpeningPreview"))),
        ("OpeningSet", set.into()),
        ("OpeningSetData", data("Opening balances.", named("OpeningSet"))),
    ]
}
