//! Customers and suppliers: the same operations on paths of their own.

use serde_json::json;
use utoipa::openapi::Object;

use super::super::operation::Operation;
use super::super::schema::{
    Any, Field, boolean, id, integer, label, label_or_empty, maybe, moment, named, optional, plain, required, strict,
    text,
};
use super::shared::{about, address_in, date_in, inside, patch, utr_in, vat_code};
use crate::http::books::change::DeletedJson;
use crate::http::envelope::{Data, PageOf};
use crate::http::resources::contacts::{CustomerJson, SupplierJson};

const RATE_NEEDED: &str = "a subcontractor needs a rate: 0, 20 or 30";
/// Words with single dots between them, 64 characters at most, then the name of a host. (Letters of other scripts are
/// accepted too.)
const EMAIL: &str = "^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:[.][A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:[.][A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$";

macro_rules! operations {
    (
        $what:literal, $record:ident, $create:literal, $update:literal,
        [$list:ident $get:ident $make:ident $change:ident $delete:ident $archive:ident $unarchive:ident]
    ) => {
        #[doc = concat!("`GET …/", $what, "s`.")]
        pub fn $list() -> Operation {
            inside(concat!("List ", $what, "s"), "By name. `search` looks for a text in name, contact name and e-mail address, whatever its case.")
                .query("search", "A text to look for.", plain(1, 100), "brightwell".into())
                .query("include_archived", "`true`: archived ones too.", boolean(), true.into())
                .query("updated_since", "Changed at this moment or later.", moment(), "2026-03-01T00:00:00Z".into())
                .paged()
                .answer::<PageOf<$record>>(200, concat!("The ", $what, "s."))
        }

        #[doc = concat!("`GET …/", $what, "s/{id}`.")]
        pub fn $get() -> Operation {
            about($what, concat!("Get a ", $what), concat!("The ", $what, " with what is owed today and what of it is overdue."))
                .answer::<Data<$record>>(200, concat!("The ", $what, "."))
        }

        #[doc = concat!("`POST …/", $what, "s`.")]
        pub fn $make() -> Operation {
            inside(concat!("Create a ", $what), "Only the name is required, and two may have the same. `reference` is the caller's own and unique.")
                .request(named($create), json!({ "name": "Brightwell School", "email": "accounts@example.com" }))
                .created::<Data<$record>>(concat!("The ", $what, " was made."))
                .conflict(json!({ "reason": "duplicate_external_id", "field": "reference", "existing_id": 3 }))
                .refused(json!({ "reason": "unknown_reference", "field": "default_account_id", "id": 999 }))
                .rule("cis.deduction_rate", RATE_NEEDED)
                .change()
        }

        #[doc = concat!("`PATCH …/", $what, "s/{id}`.")]
        pub fn $change() -> Operation {
            about($what, concat!("Change a ", $what), "What is given replaces what was there; null clears it; of the nested objects (`address`, `cis`) too, where keys that are left out stay as they were.")
                .request(named($update), json!({ "phone": "01904 000000" }))
                .answer::<Data<$record>>(200, concat!("The ", $what, " as it is now."))
                .conflict(json!({ "reason": "duplicate_external_id", "field": "reference", "existing_id": 3 }))
                .refused(json!({ "reason": "unknown_reference", "field": "default_account_id", "id": 999 }))
                .rule("cis.deduction_rate", RATE_NEEDED)
                .change()
                .versioned()
        }

        #[doc = concat!("`DELETE …/", $what, "s/{id}`.")]
        pub fn $delete() -> Operation {
            about($what, concat!("Delete a ", $what), "Only one that nothing was ever posted or drawn up for; archive the others.")
                .answer::<Data<DeletedJson>>(200, concat!("The ", $what, " is gone."))
                .conflict(json!({ "reason": "invalid_state", "current": "used", "allowed": ["never used"] }))
                .change()
                .versioned()
        }

        #[doc = concat!("`POST …/", $what, "s/{id}/archive`.")]
        pub fn $archive() -> Operation {
            about($what, concat!("Archive a ", $what), "Nothing new is drawn up for it; what is open may still be settled. Repeating it changes nothing.")
                .answer::<Data<$record>>(200, concat!("The ", $what, " as it is now."))
                .change()
                .versioned()
        }

        #[doc = concat!("`POST …/", $what, "s/{id}/unarchive`.")]
        pub fn $unarchive() -> Operation {
            about($what, concat!("Take a ", $what, " back into use"), "The inverse of archiving; repeating it changes nothing.")
                .answer::<Data<$record>>(200, concat!("The ", $what, " as it is now."))
                .change()
                .versioned()
        }
    };
}

operations!(
    "customer", CustomerJson, "CreateCustomer", "UpdateCustomer",
    [list_customers get_customer create_customer update_customer delete_customer archive_customer unarchive_customer]
);
operations!(
    "supplier", SupplierJson, "CreateSupplier", "UpdateSupplier",
    [list_suppliers get_supplier create_supplier update_supplier delete_supplier archive_supplier unarchive_supplier]
);

/// The schemas of the bodies.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let cis_deducts = || boolean().description(Some("Whether this customer deducts CIS from what it pays."));
    vec![
        ("CreateCustomer", request(true, optional("cis_deducts", cis_deducts()))),
        ("CreateSupplier", request(true, maybe("cis", cis_in(true)))),
        ("UpdateCustomer", request(false, optional("cis_deducts", cis_deducts()))),
        ("UpdateSupplier", request(false, maybe("cis", cis_in(false)))),
    ]
}

fn cis_in(is_new: bool) -> Object {
    let is_subcontractor = match is_new {
        true => required("is_subcontractor", boolean()),
        false => optional("is_subcontractor", boolean()),
    };
    strict(
        "How CIS is deducted from the supplier; a subcontractor needs a rate.",
        vec![
            is_subcontractor,
            maybe("deduction_rate", integer(0).enum_values(Some([0, 20, 30]))),
            maybe("utr", utr_in()),
            maybe("verification_number", plain(0, 20)),
            maybe("verified_on", date_in()),
        ],
    )
}

fn request(is_new: bool, own: Field) -> Any {
    let name = if is_new { required("name", label(255)) } else { optional("name", label(255)) };
    let fields = vec![
        name,
        maybe("contact_name", label_or_empty(255)),
        maybe("email", text(5, 254).pattern(Some(EMAIL))),
        maybe("phone", plain(0, 50)),
        optional("address", address_in()),
        maybe("company_number", plain(0, 20)),
        maybe("vat_number", plain(0, 20)),
        maybe("payment_terms_days", integer(0).maximum(Some(365_isize))),
        maybe("default_account_id", id()),
        maybe("default_vat_code", vat_code()),
        maybe("reference", plain(0, 50)),
        maybe("notes", plain(0, 2000)),
        own,
    ];
    if is_new { strict("A new one; only the name is required.", fields).into() } else { patch(fields).into() }
}
