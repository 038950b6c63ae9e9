//! The lines of bank statements: what requests and answers look like.

use super::super::schema::{
    Any, Field, array, choice, date, id, integer, maybe, maybe_array, moment, named, nullable, object, one_of,
    optional, plain, required, strict, string,
};
use super::bank::STATES;
use super::settlements::confirmed_allocations;
use super::shared::{
    account_code_in, account_keys, data, date_in, money, money_in, money_in_not_zero, one_of_shapes, page, vat_code,
};
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::bank::ConfirmType;
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

fn bank_transaction() -> Any {
    let kinds = ConfirmType::ALL.map(ConfirmType::as_str);
    let maybe_text = |name| required(name, nullable(string()));
    let maybe_id = |name| required(name, nullable(id()));
    let line = object(
        "A part of the line.",
        vec![
            required("account_id", id()),
            required("gross_amount", money()),
            required("vat_code", vat_code()),
            required("net_amount", money()),
            required("vat_amount", money()),
            required("memo", nullable(string())),
        ],
    );
    object(
        "A line of a bank statement.",
        vec![
            maybe_id("id"),
            required("bank_account_id", id()),
            required("date", date()),
            required("amount", money()),
            required("currency", string()),
            required("description", string()),
            maybe_text("reference"),
            maybe_text("merchant"),
            maybe_text("external_id"),
            maybe_id("import_id"),
            required("status", choice(&STATES)),
            required("type", nullable(choice(&kinds))),
            maybe_id("contact_id"),
            maybe_id("account_id"),
            required("vat_code", nullable(vat_code())),
            required("net_amount", nullable(money())),
            required("vat_amount", nullable(money())),
            required("lines", array(line).build()),
            required("suggestion", nullable(object("Reserved.", Vec::new()))),
            maybe_id("customer_receipt_id"),
            maybe_id("supplier_payment_id"),
            maybe_id("transfer_bank_transaction_id"),
            maybe_id("journal_id"),
            maybe_text("memo"),
            required("confirmed_at", nullable(moment())),
            maybe_id("confirmed_by"),
            required("created_at", moment()),
            required("updated_at", moment()),
            required("version", integer(1)),
        ],
    )
    .into()
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let mut create = row_fields();
    create.push(required("bank_account_id", id()));
    let import = vec![
        required("bank_account_id", id()),
        required("rows", array(strict("A row.", row_fields())).min_items(Some(1)).max_items(Some(5000)).build()),
        optional("on_duplicate", choice(&["skip", "reject"])),
    ];
    let imported = object(
        "What became of an import.",
        vec![
            required("import_id", nullable(id())),
            required("created", integer(0)),
            required("skipped", integer(0)),
            required(
                "transactions",
                array(object(
                    "What became of a row.",
                    vec![
                        required("row", integer(0)),
                        required("id", nullable(id())),
                        required("status", choice(&["created", "duplicate"])),
                    ],
                ))
                .build(),
            ),
        ],
    );
    let candidate = object(
        "What a line may be.",
        vec![
            required(
                "kind",
                choice(&[
                    "sales_invoice",
                    "purchase_invoice",
                    "customer_receipt",
                    "supplier_payment",
                    "bank_transaction",
                ]),
            ),
            required("id", id()),
            required("amount", money()),
            required("date", date()),
            required("score", integer(0)),
        ],
    );
    let items = array(confirmation("A line and how it is confirmed.", true)).min_items(Some(1)).max_items(Some(500));
    vec![
        ("BankTransaction", bank_transaction()),
        ("BankTransactionData", data("A line of a bank statement.", named("BankTransaction"))),
        ("BankTransactions", data("Lines of bank statements.", array(named("BankTransaction")).build().into())),
        ("BankTransactionList", page("Lines of bank statements.", named("BankTransaction"))),
        ("CreateBankTransaction", strict("A line of a bank statement.", create).into()),
        ("ImportBankTransactions", strict("Lines of a bank statement.", import).into()),
        ("BankImportData", data("What became of an import.", imported.into())),
        ("UpdateBankTransaction", suggestion()),
        ("ConfirmBankTransaction", confirmation("How the line comes into the books.", false)),
        ("ConfirmBatch", strict("Lines to be confirmed together.", vec![required("items", items.build())]).into()),
        ("CandidateList", data("What a line may be.", array(candidate).build().into())),
    ]
}
