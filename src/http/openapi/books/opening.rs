//! Opening balances.

use serde_json::{Value, json};

use super::super::operation::Operation;
use super::super::schema::{
    Any, Field, array, boolean, choice, id, maybe, maybe_array, named, one_of, plain, required, strict,
};
use super::shared::{
    account_code_in, date_in, inside, money_in, money_in_not_negative, money_in_positive, one_of_shapes, vat_code,
};
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::opening::{VAT_NOT_ALL, VAT_NOT_UNDER_CASH};
use crate::http::envelope::Data;
use crate::http::resources::opening_balances::{OpeningPreviewJson, OpeningSetJson};

/// `POST …/opening-balances/preview`.
pub fn preview_opening_balances() -> Operation {
    inside(
        "Preview opening balances",
        "Decides everything and posts nothing. The token sets them as previewed, once, within thirty minutes, for the same person. A \
         difference between debits and credits is shown here and refused there, unless `balance_to_account_id` says where it goes. \
         Under cash accounting what was unpaid has not been declared: give the `vat` of open documents, or the warning \
         `opening_vat_missing` says how many lack it.",
    )
    .request(named("OpeningBalances"), request_example())
    .answer::<Data<OpeningPreviewJson>>(200, "What they would do.")
    .conflict(json!({ "reason": "already_set" }))
    .refusals(&["amount_mismatch", "period_locked", "unknown_reference", "vat_amount_out_of_tolerance"])
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
    .created::<Data<OpeningSetJson>>("The opening balances were set.")
    .conflict(json!({ "reason": "token_used" }))
    .conflict(json!({ "reason": "already_set" }))
    .refusals(&["unbalanced", "period_locked", "token_expired", "unknown_reference", "vat_amount_out_of_tolerance"])
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
            .rule("open_documents[].vat", VAT_NOT_ALL)
            .rule("open_documents[].vat", VAT_NOT_UNDER_CASH)
    }
}

fn request_example() -> Value {
    json!({
        "as_of": "2026-03-31",
        "lines": [{ "account_code": "1200", "debit": 5000.00 }, { "account_code": "3000", "credit": 5000.00 }],
    })
}

/// The schemas of the bodies.
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
            maybe_array("vat", array(named("OpeningVat")).min_items(Some(1)).max_items(Some(5))),
        ]
    };
    let vat = strict(
        "Net and VAT by code of what was open of a document under cash accounting: it counts in the return as the document is paid. \
         All codes come to `amount_due`. A document without any counts as accounted for.",
        vec![required("vat_code", vat_code()), required("net_amount", money_in()), required("vat_amount", money_in())],
    );
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
    vec![
        ("OpeningLine", lines),
        ("OpeningDocument", document),
        ("OpeningVat", vat.into()),
        ("OpeningBalances", balances),
        ("OpeningBalancesToken", token.into()),
    ]
}
