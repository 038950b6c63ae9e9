//! Coding.

use serde_json::{Value, json};
use utoipa::openapi::Object;

use super::jobs;
use super::operation::Operation;
use super::schema::{
    Any, array, boolean, choice, date, integer, maybe, maybe_array, named, nullable, number, object, optional, plain,
    required, strict, string, text,
};
use crate::domain::coding::{AccountType, InvoiceKind, Method, SettledKind, Vat, Warning};
use crate::http::error::ErrorCode;

const TAG: &str = "Coding";
const JOB: &str = "cod_019351b7c8a07a3e9f5c2b1d4e6f8a90";
const ID_FIELD: &str = "coding_job_id";
const DATE: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";

/// `POST /api/v1/coding/coding-jobs`.
pub fn submit_coding_job() -> Operation {
    jobs::submission(
        TAG,
        "Submit a coding job",
        "Queues a run that finds an account of the chart and a VAT code for every transaction. It costs one credit a transaction, charged \
         only when the run succeeds. Poll `poll_url` until `status` is `completed` or `failed`. What was submitted is deleted as soon as \
         the result is stored.\n\nA batch is read as a whole: give `invoices`, so that payments which settle them are recognised, and \
         `bank_account` on every line, so that transfers between your own accounts are; `summary.warnings` says when that was not \
         possible. Give `history`, lines you coded before, so that payees go where you put them and the chart is used as you use \
         it; its lines cost nothing and are deleted with the rest. `null` for an optional key means that it is absent.",
    )
    .request(named("CodingJobRequest"), request_example())
    .success(
        202,
        "Queued.",
        named("CodingJobAccepted"),
        json!({ ID_FIELD: JOB, "status": "queued", "poll_url": format!("/api/v1/coding/coding-jobs/{JOB}") }),
    )
    .error_with(
        ErrorCode::InvalidRequestFormat,
        json!({
            "issues": [{
                "section": "transactions", "row": 3, "field": "amount", "path": "transactions[3].amount",
                "message": "amount must be a JSON number, such as -12.50"
            }],
            "issue_count": 1
        }),
    )
}

/// `GET /api/v1/coding/coding-jobs/{id}`.
pub fn poll_coding_job() -> Operation {
    Operation::new(
        TAG,
        "Poll a coding job",
        "Only its owner sees a job. `result.transactions` has one row for each submitted transaction, in the submitted order; `confidence` \
         is the chance that account and VAT code are both right.",
    )
    .path("id", "The id of the job.", text(1, 64), JOB.into())
    .success(200, "The state of the job.", named("CodingJob"), state_example())
    .error(ErrorCode::NotFound)
}

fn request_example() -> Value {
    json!({
        "transactions": [
            {
                "date": "2026-11-03", "description": "CARD PAYMENT TO RYMAN 0482", "amount": -23.99, "merchant": "Ryman",
                "bank_account": "Current account"
            },
            {
                "date": "2026-11-05", "description": "FASTER PAYMENT LARKSPUR LTD INV-1042", "amount": 1200,
                "reference": "INV-1042", "bank_account": "Current account"
            }
        ],
        "chart_of_accounts": [
            { "code": "200", "name": "Sales", "type": "REVENUE" },
            { "code": "461", "name": "Printing and stationery", "type": "EXPENSE" },
            { "code": "610", "name": "Trade debtors", "type": "ASSET" }
        ],
        "vat_codes": [
            { "code": "20% (VAT on Expenses)", "name": "Standard rate purchases", "rate": 20 },
            { "code": "No VAT", "name": "No VAT", "rate": 0 }
        ],
        "invoices": [{
            "number": "INV-1042", "kind": "invoice", "contact": "Larkspur Ltd", "date": "2026-10-20",
            "due_date": "2026-11-19", "total": 1200, "amount_due": 1200, "currency": "GBP"
        }],
        "history": [{
            "date": "2026-09-30", "amount": -61.2, "description": "CARD PAYMENT TO RYMAN 0482", "account_code": "461",
            "vat_code": "20% (VAT on Expenses)"
        }],
        "options": { "allowOverage": false, "businessContext": "VAT registered design studio" }
    })
}

fn state_example() -> Value {
    json!({
        ID_FIELD: JOB,
        "status": "completed",
        "created_at": "2026-11-21T09:30:00Z",
        "completed_at": "2026-11-21T09:30:01Z",
        "credits_charged": 2,
        "result": {
            "summary": {
                "transaction_count": 2, "coded_count": 2, "by_method": { "invoice_settlement": 1, "history": 1 },
                "warnings": [], "history_rows": 1, "history_payees_matched": 1
            },
            "transactions": [
                {
                    "input": {
                        "date": "2026-11-03", "description": "CARD PAYMENT TO RYMAN 0482", "amount": -23.99,
                        "merchant": "Ryman", "bank_account": "Current account"
                    },
                    "suggested_account_code": "461", "suggested_account_name": "Printing and stationery",
                    "suggested_account_type": "EXPENSE", "vat_code": "ST", "vat_rate": 20, "net_amount": -19.99,
                    "vat_amount": -4, "confidence": 0.94, "coding_method": "history",
                    "reason": "Coded once to 461 Printing and stationery, last 2026-09-30.",
                    "alternatives": [{ "code": "200", "confidence": 0.01 }]
                },
                {
                    "input": {
                        "date": "2026-11-05", "description": "FASTER PAYMENT LARKSPUR LTD INV-1042", "amount": 1200,
                        "reference": "INV-1042", "bank_account": "Current account"
                    },
                    "suggested_account_code": "610", "suggested_account_name": "Trade debtors",
                    "suggested_account_type": "ASSET", "vat_code": "NV", "vat_rate": 0, "net_amount": 1200,
                    "vat_amount": 0, "confidence": 0.99, "coding_method": "invoice_settlement",
                    "reason": "Settles INV-1042 of Larkspur Ltd in full.",
                    "settles": [{ "number": "INV-1042", "amount": 1200, "match": "exact" }]
                }
            ]
        }
    })
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let failures = "Why a job failed: `details.reason` is `engine_failed`, `deadline_exceeded` or `insufficient_credits`, the last \
                    with `required` and `available`.";
    vec![
        ("CodingTransaction", transaction().into()),
        ("CodingAccount", account().into()),
        ("CodingVatCode", vat_code().into()),
        ("CodingInvoice", invoice().into()),
        ("CodingPastLine", past_line().into()),
        ("CodingJobRequest", request().into()),
        ("CodingJobAccepted", jobs::accepted(ID_FIELD).into()),
        ("CodingJobFailure", jobs::failure(failures, &["coding_failed"]).into()),
        ("CodedTransaction", coded().into()),
        ("CodingResult", result().into()),
        ("CodingJob", jobs::state(ID_FIELD, "CodingResult", "CodingJobFailure").into()),
    ]
}

fn calendar_date() -> utoipa::openapi::schema::ObjectBuilder {
    date().pattern(Some(DATE))
}

fn amount() -> utoipa::openapi::schema::ObjectBuilder {
    let limit = 1e18_f64;
    number().exclusive_minimum(Some(-limit)).exclusive_maximum(Some(limit))
}

fn transaction() -> Object {
    strict(
        "One line of a bank statement. Empty optional text is the same as none.",
        vec![
            required("date", calendar_date()),
            required("description", plain(1, 500)),
            required("amount", amount().description(Some("Signed; money out is negative."))),
            maybe("merchant", plain(0, 200)),
            maybe("reference", plain(0, 100)),
            maybe(
                "bank_account",
                plain(0, 100).description(Some(
                    "Which of your own accounts the line is from: any stable label, best the code or name of the account in the chart.",
                )),
            ),
            maybe(
                "merchant_category_code",
                text(4, 4).pattern(Some("^[0-9]{4}$")).description(Some(
                    "What the merchant sells as the card network has it (ISO 18245). A code that nobody knows, or that tells nothing of \
                     what is sold, is ignored.",
                )),
            ),
        ],
    )
}

fn account() -> Object {
    strict(
        "An account of the chart. Codes are unique in their exact form.",
        vec![
            required("code", plain(1, 50)),
            required("name", plain(1, 200)),
            required(
                "type",
                string().pattern(Some(account_types())).description(Some(
                    "INCOME, EXPENSE, ASSET, LIABILITY or EQUITY in any case; REVENUE is accepted for INCOME.",
                )),
            ),
        ],
    )
}

/// A pattern for the accepted types in any case.
fn account_types() -> String {
    let any_case = |name: &str| {
        name.chars().map(|letter| format!("[{letter}{}]", letter.to_ascii_lowercase())).collect::<String>()
    };
    let mut names: Vec<String> = AccountType::ALL.iter().map(|kind| any_case(kind.as_str())).collect();
    names.push(any_case("REVENUE"));
    format!("^({})$", names.join("|"))
}

fn vat_code() -> Object {
    strict(
        "A VAT code of yours. Codes are unique in their exact form.",
        vec![
            required("code", plain(1, 50)),
            required("name", plain(1, 200)),
            required("rate", number().minimum(Some(0.0)).maximum(Some(100.0)).description(Some("In percent."))),
        ],
    )
}

fn invoice() -> Object {
    let kinds = InvoiceKind::ALL.map(InvoiceKind::as_str);
    strict(
        "An open invoice, bill or credit note.",
        vec![
            required("number", plain(1, 100)),
            required("kind", choice(&kinds)),
            required("contact", plain(1, 200).description(Some("The customer or supplier."))),
            required("date", calendar_date()),
            required(
                "amount_due",
                number()
                    .exclusive_minimum(Some(0.0))
                    .exclusive_maximum(Some(1e18))
                    .description(Some("What is still open.")),
            ),
            maybe("due_date", calendar_date()),
            maybe("total", amount().description(Some("What the document came to."))),
            maybe("currency", string().pattern(Some("^[A-Z]{3}$")).description(Some("ISO 4217; none means GBP."))),
            maybe("reference", plain(0, 100).description(Some("A purchase order number or the like."))),
            maybe(
                "account_code",
                plain(1, 50).description(Some(
                    "The account of the chart that a payment is coded to when the chart has no debtors or creditors.",
                )),
            ),
        ],
    )
}

fn past_line() -> Object {
    strict(
        "A bank line of the past and the account you gave it.",
        vec![
            required("description", plain(1, 500)),
            required(
                "account_code",
                plain(1, 50).description(Some("A line whose account the chart does not have is left out and counted.")),
            ),
            maybe("date", calendar_date().description(Some("What was coded later counts more."))),
            maybe("amount", amount().description(Some("Signed; money out is negative."))),
            maybe("merchant", plain(0, 200)),
            maybe(
                "vat_code",
                plain(1, 50).description(Some(
                    "A code of `vat_codes`, or one of the universal five where there are none; any other is left out and counted.",
                )),
            ),
            maybe("bank_account", plain(0, 100)),
        ],
    )
}

fn request() -> Object {
    let options = strict(
        "How the run shall be made.",
        vec![
            maybe("allowOverage", boolean().default(Some(false.into()))),
            maybe("businessContext", plain(0, 2000).description(Some("What the business does, in your words."))),
        ],
    );
    let list = |item: &str, min: usize, max: usize| array(named(item)).min_items(Some(min)).max_items(Some(max));
    strict(
        "A batch of transactions, and what is needed to code them.",
        vec![
            required("transactions", list("CodingTransaction", 1, 100_000).build()),
            required("chart_of_accounts", list("CodingAccount", 1, 5_000).build()),
            maybe_array(
                "vat_codes",
                list("CodingVatCode", 1, 100)
                    .description(Some("None means the five universal codes ST, RR, ZR, EX and NV.")),
            ),
            maybe_array(
                "invoices",
                list("CodingInvoice", 0, 10_000).description(Some(
                    "What is outstanding. Without it, payments of invoices are coded as income and expense.",
                )),
            ),
            maybe_array(
                "history",
                list("CodingPastLine", 0, 20_000).description(Some(
                    "Lines you coded before, in any order: which account a payee goes to, and which account you use for what. Free of \
                     charge. None is the same as an empty list.",
                )),
            ),
            maybe("options", options),
        ],
    )
}

fn coded() -> Object {
    let chance = || number().minimum(Some(0.0)).maximum(Some(1.0));
    let alternative = object(
        "Another account that was considered.",
        vec![required("code", string()), required("confidence", chance())],
    );
    let settled = object(
        "An open item that the line settles.",
        vec![
            required("number", string()),
            required("amount", number().description(Some("How much of what was open is settled."))),
            required("match", choice(&SettledKind::ALL.map(SettledKind::as_str))),
        ],
    );
    object(
        "The answer for one transaction.",
        vec![
            required("input", named("CodingTransaction")),
            required("suggested_account_code", string()),
            required("suggested_account_name", string()),
            required("suggested_account_type", nullable(choice(&AccountType::ALL.map(AccountType::as_str)))),
            required("vat_code", choice(&Vat::ALL.map(Vat::as_str))),
            required("vat_rate", number().description(Some("In percent."))),
            required("net_amount", number().description(Some("`amount` less `vat_amount`, exactly."))),
            required("vat_amount", number().description(Some("Whole pence, with the sign of `amount`."))),
            required("confidence", chance().description(Some("The chance that account and VAT code are both right."))),
            required("coding_method", choice(&Method::ALL.map(Method::as_str))),
            optional("reason", string().description(Some("One sentence why."))),
            optional("alternatives", array(alternative).max_items(Some(3)).build()),
            optional("settles", array(settled).build()),
            optional(
                "transfer_pair",
                integer(0).description(Some("Zero-based index of the line that is the other side of the transfer.")),
            ),
        ],
    )
}

fn result() -> Object {
    let methods = Method::ALL.map(|method| optional(method.as_str(), integer(1)));
    let summary = object(
        "Counts.",
        vec![
            required("transaction_count", integer(0)),
            required("coded_count", integer(0).description(Some("Lines not left to the fallback."))),
            required("by_method", object("Lines decided by each method that decided any.", methods.into())),
            required(
                "warnings",
                array(choice(&Warning::ALL.map(Warning::as_str)))
                    .description(Some("What kept the batch from being read as well as it could be."))
                    .build(),
            ),
            optional("history_rows", integer(1).description(Some("Lines of `history`, where there are any."))),
            optional(
                "history_payees_matched",
                integer(0).description(Some("Payees of `history` that the batch has lines of.")),
            ),
            optional(
                Warning::HistoryAccountUnknown.as_str(),
                integer(1).description(Some("Lines of `history` left out, the chart not having their account.")),
            ),
            optional(
                Warning::HistoryVatCodeUnknown.as_str(),
                integer(1).description(Some("Lines of `history` of which the VAT code was left out.")),
            ),
        ],
    );
    object(
        "One row for each submitted transaction, in the submitted order.",
        vec![required("summary", summary), required("transactions", array(named("CodedTransaction")).build())],
    )
}
