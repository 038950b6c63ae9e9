//! The lines of bank statements: the bodies of requests.

use super::super::schema::{
    Any, Field, array, choice, id, maybe, maybe_array, number, one_of, optional, plain, required, strict,
};
use super::settlements::confirmed_allocations;
use super::shared::{account_code_in, account_keys, date_in, money_in, money_in_not_zero, one_of_shapes, vat_code};
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::contact::ContactKind;
use crate::http::wire::books::confirmation::CONFIRMATION_KEYS;

fn part() -> Any {
    let mut fields = Vec::from(account_keys());
    fields.extend([
        required("gross_amount", money_in_not_zero()),
        required("vat_code", vat_code()),
        maybe("vat_amount", money_in()),
        maybe("memo", plain(0, 500)),
    ]);
    let description = "A part of the line: the account by its id or by its code, VAT included, with the sign of money.";
    strict(description, fields).into()
}

/// What only some of the ways to confirm a line take.
const CONFIRM_KEYS: &[&str] = {
    let [_, keys @ ..] = &CONFIRMATION_KEYS;
    keys
};

/// The ways to confirm a line; an item of a batch has its `id` beside.
fn confirmation(description: &str, in_batch: bool) -> Any {
    let coded = || optional("type", choice(&["coded"]));
    let transfer = || required("type", choice(&["transfer"]));
    let lines = array(part()).min_items(Some(1)).max_items(Some(100)).build();
    let short =
        |account: Field| vec![coded(), account, required("vat_code", vat_code()), maybe("vat_amount", money_in())];
    let mut shapes = vec![
        vec![coded()],
        short(required("account_id", id())),
        short(required("account_code", account_code_in())),
        vec![coded(), required("lines", lines)],
        vec![transfer(), required("bank_transaction_id", id())],
        vec![transfer(), required("bank_account_id", id())],
    ];
    for key in ["journal_id", "customer_receipt_id", "supplier_payment_id"] {
        shapes.push(vec![required("type", choice(&["match"])), required(key, id())]);
    }
    for kind in SettlementKind::ALL {
        let side = kind.document_kind().contact_kind();
        let contact = match side {
            ContactKind::Customer => "customer_id",
            ContactKind::Supplier => "supplier_id",
        };
        shapes.push(vec![
            required("type", choice(&[kind.as_str()])),
            required(contact, id()),
            maybe_array("allocations", confirmed_allocations(side, kind.is_refund())),
        ]);
    }
    if in_batch {
        shapes.iter_mut().for_each(|shape| shape.push(required("id", id())));
    }
    one_of_shapes(description, CONFIRM_KEYS, shapes)
}

/// How a line may be confirmed: an account with a VAT code, or parts, or neither.
fn suggestion() -> Any {
    let beside = || vec![maybe("contact_id", id()), maybe("memo", plain(0, 500))];
    let (mut short, mut long) = (beside(), beside());
    short.extend(account_keys());
    short.push(maybe("vat_code", vat_code()));
    long.push(required("lines", array(part()).max_items(Some(100)).build()));
    let mut short = strict("An account with its VAT code, and what may be saved beside; at least one of them.", short);
    short.min_properties = Some(1);
    one_of(vec![short.into(), strict("Parts, and what may be saved beside.", long).into()]).into()
}

fn row_fields() -> Vec<Field> {
    vec![
        required("date", date_in()),
        required("amount", money_in_not_zero()),
        required("description", plain(1, 500)),
        maybe("reference", plain(0, 100)),
        maybe("merchant", plain(0, 200)),
        maybe("external_id", plain(0, 100)),
    ]
}

/// The schemas of the bodies.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let mut create = row_fields();
    create.push(required("bank_account_id", id()));
    let import = vec![
        required("bank_account_id", id()),
        required("rows", array(strict("A row.", row_fields())).min_items(Some(1)).max_items(Some(5000)).build()),
        optional("on_duplicate", choice(&["skip", "reject"])),
    ];
    let lines = || array(id()).min_items(Some(1)).max_items(Some(1_000)).unique_items(true);
    let asked = vec![
        maybe("bank_account_id", id()),
        maybe_array("transaction_ids", lines()),
        maybe("date_from", date_in()),
        maybe("date_to", date_in()),
    ];
    let share = number().minimum(Some(0.0)).maximum(Some(1.0));
    let taken =
        vec![maybe_array("transaction_ids", lines()), maybe("bank_account_id", id()), maybe("min_confidence", share)];
    let items = array(confirmation("A line and how it is confirmed.", true)).min_items(Some(1)).max_items(Some(500));
    vec![
        ("CreateBankTransaction", strict("A line of a bank statement.", create).into()),
        ("ImportBankTransactions", strict("Lines of a bank statement.", import).into()),
        ("UpdateBankTransaction", suggestion()),
        ("ConfirmBankTransaction", confirmation("How the line comes into the books.", false)),
        ("SuggestBankTransactions", strict("Which lines suggestions are asked for.", asked).into()),
        ("ConfirmSuggestions", strict("Which suggestions are taken.", taken).into()),
        ("ConfirmBatch", strict("Lines to be confirmed together.", vec![required("items", items.build())]).into()),
    ]
}
