//! Bulk imports.

use serde_json::json;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::SchemaType;

use super::super::operation::Operation;
use super::super::schema::{Any, array, boolean, choice, maybe, named, optional, plain, required, strict};
use super::shared::{about, inside};
use crate::domain::books::command::SKIP_INVALID;
use crate::http::envelope::{Data, PageOf};
use crate::http::resources::imports::{ImportJson, import_kind};

/// `GET …/imports`.
pub fn list_imports() -> Operation {
    inside("List imports", "Bulk imports, newest first; one that was never confirmed is `expired` in the end.")
        .paged()
        .answer::<PageOf<ImportJson>>(200, "The imports.")
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
    .created::<Data<ImportJson>>("The import was previewed.")
    .rule("options.on_duplicate", "is for bank_transactions only")
    .change()
}

/// `GET …/imports/{id}`.
pub fn get_import() -> Operation {
    about("import", "Get an import", "With what became of each row, once it was confirmed.")
        .answer::<Data<ImportJson>>(200, "The import.")
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
    .answer::<Data<ImportJson>>(200, "The import was carried out.")
    .conflict(json!({ "reason": "token_used" }))
    .conflict(json!({ "reason": "stale_version" }))
    .rule("skip_invalid", SKIP_INVALID)
    .refused(json!({ "reason": "token_expired" }))
    .change()
}

/// The schemas of the bodies.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
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
            required("kind", import_kind()),
            required("rows", array(any_row).min_items(Some(1)).max_items(Some(5000)).build()),
            maybe("options", options),
        ],
    );
    let confirm =
        strict("The token of the preview.", vec![required("token", plain(1, 100)), maybe("skip_invalid", boolean())]);
    vec![("PreviewImport", preview.into()), ("ConfirmImport", confirm.into())]
}
