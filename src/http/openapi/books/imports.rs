//! Bulk imports.

use serde_json::{Value, json};
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::SchemaType;

use super::super::operation::Operation;
use super::super::schema::{
    Any, Field, array, boolean, choice, id, integer, maybe, moment, named, nullable, object, optional, plain, required,
    strict, string,
};
use super::shared::{about, data, inside, money, page, page_example};
use crate::domain::books::command::SKIP_INVALID;
use crate::http::wire::books::imports::ImportKind;

/// `GET …/imports`.
pub fn list_imports() -> Operation {
    inside("List imports", "Bulk imports, newest first; one that was never confirmed is `expired` in the end.")
        .paged()
        .success(200, "The imports.", named("ImportList"), page_example(example(false)))
}

/// `POST …/imports`.
pub fn preview_import() -> Operation {
    inside(
        "Preview an import",
        "Each row is the body of the single request that makes such a record. All of them are decided in order, nothing is written, \
         and the token carries them out as previewed, once, within thirty minutes, for the same person. What is wrong with a row makes \
         that row invalid. Lines of bank statements that are there already are skipped, as by the import of a statement.",
    )
    .request(
        named("PreviewImport"),
        json!({ "kind": "customers", "rows": [{ "name": "Brightwell School" }, { "name": "Harbour Hotels", "email": "x" }] }),
    )
    .made("The import was previewed.", named("ImportData"), json!({ "data": example(false) }))
    .rule("options.on_duplicate", "is for bank_transactions only")
    .change()
}

/// `GET …/imports/{id}`.
pub fn get_import() -> Operation {
    about("import", "Get an import", "With what became of each row, once it was confirmed.").success(
        200,
        "The import.",
        named("ImportData"),
        json!({ "data": example(true) }),
    )
}

/// `POST …/imports/{id}/confirm`.
pub fn confirm_import() -> Operation {
    about(
        "import",
        "Confirm an import",
        "Writes all valid rows together. With an invalid row nothing is written unless `skip_invalid` is true; 409 \
         `stale_version` when the books have changed so that the \
         preview no longer holds.",
    )
    .request(named("ConfirmImport"), json!({ "token": "imp_5dqk3zv7mh2xw4cnb6aytr7uee", "skip_invalid": true }))
    .success(200, "The import was carried out.", named("ImportData"), json!({ "data": example(true) }))
    .conflict(json!({ "reason": "token_used" }))
    .conflict(json!({ "reason": "stale_version" }))
    .rule("skip_invalid", SKIP_INVALID)
    .refused(json!({ "reason": "token_expired" }))
    .change()
}

fn example(is_confirmed: bool) -> Value {
    let mut import = json!({
        "id": 4, "token": null, "kind": "customers", "status": if is_confirmed { "confirmed" } else { "previewed" },
        "rows_total": 2, "rows_valid": 1, "rows_invalid": 1, "rows_duplicate": 0,
        "issues": [{
            "section": "rows", "row": 1, "field": "email", "path": "rows[1].email",
            "message": "must be an e-mail address, such as accounts@example.com"
        }],
        "issue_count": 1, "effects": { "journals": 0, "total_debit": 0.00 }, "created_at": "2026-03-10T12:00:00.000Z",
        "created_by": { "user_id": 3, "key_prefix": "4fK9zQ2mXw7B" }, "expires_at": "2026-03-10T12:30:00.000Z",
        "confirmed_at": if is_confirmed { json!("2026-03-10T12:01:00.000Z") } else { Value::Null }
    });
    if let (true, Some(import)) = (is_confirmed, import.as_object_mut()) {
        let results =
            json!([{ "row": 0, "status": "created", "id": 12 }, { "row": 1, "status": "invalid", "id": null }]);
        import.insert("results".to_owned(), results);
    }
    import
}

fn fields() -> Vec<Field> {
    let issue = object(
        "What is wrong with a row.",
        vec![
            required("section", string()),
            required("row", nullable(integer(0))),
            required("field", nullable(string())),
            required("path", string()),
            required("message", string()),
        ],
    );
    let effects =
        object("What the valid rows post.", vec![required("journals", integer(0)), required("total_debit", money())]);
    let by = object("Who previewed it.", vec![required("user_id", id()), required("key_prefix", nullable(string()))]);
    let kinds = ImportKind::ALL.map(ImportKind::as_str);
    vec![
        required("id", nullable(id())),
        required("token", nullable(string().description(Some("Told once, by the preview.")))),
        required("kind", choice(&kinds)),
        required("status", choice(&["previewed", "confirmed", "expired"])),
        required("rows_total", integer(1)),
        required("rows_valid", integer(0)),
        required("rows_invalid", integer(0)),
        required("rows_duplicate", integer(0).description(Some("Valid rows that are there already."))),
        required("issues", array(issue).description(Some("The first hundred.")).build()),
        required("issue_count", integer(0)),
        required("effects", effects),
        required("created_at", moment()),
        required("created_by", by),
        required("expires_at", moment()),
        required("confirmed_at", nullable(moment())),
    ]
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let result = object(
        "What became of a row.",
        vec![
            required("row", integer(0)),
            required("status", choice(&["created", "duplicate", "invalid"])),
            required("id", nullable(id())),
        ],
    );
    let mut all = fields();
    all.push(optional("results", array(result).description(Some("By row, once it was confirmed.")).build()));
    let kinds = ImportKind::ALL.map(ImportKind::as_str);
    // A row that is no such body is an invalid row, and no fault of the request.
    let any_row = ObjectBuilder::new()
        .schema_type(SchemaType::AnyValue)
        .description(Some("The body of the single request; anything else is an invalid row."));
    let options = strict(
        "For bank transactions: whether a line that is there already is left out or makes its row invalid.",
        vec![optional("on_duplicate", choice(&["skip", "reject"]))],
    );
    let preview = strict(
        "Rows to be imported.",
        vec![
            required("kind", choice(&kinds)),
            required("rows", array(any_row).min_items(Some(1)).max_items(Some(5000)).build()),
            maybe("options", options),
        ],
    );
    let confirm =
        strict("The token of the preview.", vec![required("token", plain(1, 100)), maybe("skip_invalid", boolean())]);
    vec![
        ("Import", object("A bulk import.", all).into()),
        ("ImportSummary", object("A bulk import without its rows.", fields()).into()),
        ("PreviewImport", preview.into()),
        ("ConfirmImport", confirm.into()),
        ("ImportData", data("An import.", named("Import"))),
        ("ImportList", page("Imports.", named("ImportSummary"))),
    ]
}
