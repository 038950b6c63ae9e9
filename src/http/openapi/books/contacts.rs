//! Customers and suppliers: the same operations on paths of their own.

use serde_json::json;

use super::super::operation::Operation;
use super::super::schema::{boolean, moment, named, plain};
use super::shared::{about, inside};
use crate::http::books::change::DeletedJson;
use crate::http::envelope::{Data, PageOf};
use crate::http::resources::contacts::{CustomerJson, SupplierJson};

const RATE_NEEDED: &str = "a subcontractor needs a rate: 0, 20 or 30";

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
