//! Journals.

use serde_json::json;

use super::super::operation::Operation;
use super::super::schema::{Any, array, choice, id, maybe, moment, named, plain, required, strict};
use super::shared::{DATES_IN_ORDER, about, account_keys, date_in, inside, money_in_not_negative, vat_code};
use crate::domain::ledger::journal::SourceType;
use crate::http::envelope::{Data, PageOf};
use crate::http::resources::journals::JournalJson;
use crate::http::wire::books::read::EXACTLY_ONE;

/// What the day of a reversal must be.
pub(super) const VOID_DATE: &str = "must not be before what is voided, or before its last allocation was released";

/// `GET …/journals`.
pub fn list_journals() -> Operation {
    let sources = SourceType::ALL.map(SourceType::as_str);
    inside("List journals", "All journals, those the service made too, by date, newest first.")
        .query("source_type", "Made by this kind of source.", choice(&sources), "manual".into())
        .query("source_id", "Made by this source.", id(), 31.into())
        .query("account_id", "With a line of this account.", id(), 12.into())
        .query("date_from", "On this date or later.", date_in(), "2026-01-01".into())
        .query("date_to", "On this date or before.", date_in(), "2026-03-31".into())
        .rule("query.date_to", DATES_IN_ORDER)
        .query("status", "In this state only.", choice(&["posted", "void"]), "posted".into())
        .query("search", "A text in number, description or reference.", plain(1, 100), "rent".into())
        .query("updated_since", "Posted or voided at this moment or later.", moment(), "2026-03-01T00:00:00Z".into())
        .paged()
        .answer::<PageOf<JournalJson>>(200, "The journals.")
}

/// `GET …/journals/{id}`.
pub fn get_journal() -> Operation {
    about("journal", "Get a journal", "A journal is never changed: when it is voided, another one reverses it.")
        .answer::<Data<JournalJson>>(200, "The journal.")
}

/// `POST …/journals`.
pub fn create_journal() -> Operation {
    inside(
        "Post a journal",
        "Each line has a debit or a credit, and the two totals agree. The amount of a line with a VAT code is gross: the VAT is \
         split off to the VAT Control account as a line of its own. With one, a credit of a fixed asset is its sale: boxes 1 and 6 of \
         the return.",
    )
    .request(
        named("CreateJournal"),
        json!({
            "entry_date": "2026-03-10", "description": "March phone bill",
            "lines": [
                { "account_id": 48, "debit": 54.00, "vat_code": "ST" },
                { "account_id": 19, "credit": 54.00, "memo": "accrued" }
            ]
        }),
    )
    .created::<Data<JournalJson>>("The journal was posted.")
    .refusals(&[
        "unbalanced",
        "too_few_lines",
        "one_sided_line",
        "period_locked",
        "unknown_reference",
        "account_archived",
        "wrong_account_type",
        "vat_control_required",
        "vat_amount_out_of_tolerance",
    ])
    .rule("lines[].account_id", EXACTLY_ONE)
    .change()
}

/// `POST …/journals/{id}/void`.
pub fn void_journal() -> Operation {
    about(
        "journal",
        "Void a journal",
        "Posts the reversal on `void_date`, or on the journal's own date when that is open; answers the voided journal, which names \
         its reversal. Journals the service made are undone through what they belong to.",
    )
    .request(named("VoidRequest"), json!({ "void_date": "2026-03-31", "reason": "entered twice" }))
    .answer::<Data<JournalJson>>(200, "The voided journal.")
    .conflict(json!({ "reason": "invalid_state", "current": "void", "allowed": ["posted"] }))
    .rule("void_date", VOID_DATE)
    .refusals(&["period_locked"])
    .change()
    .versioned()
}

/// The schemas of the bodies.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let mut fields = Vec::from(account_keys());
    fields.extend([
        maybe("debit", money_in_not_negative()),
        maybe("credit", money_in_not_negative()),
        maybe("memo", plain(0, 500)),
        maybe("vat_code", vat_code()),
        maybe("vat_amount", money_in_not_negative()),
        maybe("contact_id", id()),
    ]);
    let entered_line = strict(
        "A line as entered: the account by its id or by its code, exactly one of debit and credit, VAT inside.",
        fields,
    );
    let create = strict(
        "A journal to be posted.",
        vec![
            required("entry_date", date_in()),
            required("description", plain(1, 500)),
            required("lines", array(entered_line).min_items(Some(2)).max_items(Some(1000)).build()),
            maybe("reference", plain(0, 100)),
        ],
    );
    let void = strict("When and why.", vec![maybe("void_date", date_in()), maybe("reason", plain(1, 500))]);
    vec![("CreateJournal", create.into()), ("VoidRequest", void.into())]
}
