//! Customers and suppliers: the same operations on paths of their own.

use serde_json::{Value, json};
use utoipa::openapi::Object;

use super::super::operation::Operation;
use super::super::schema::{
    Any, Field, boolean, choice, date, id, integer, label, label_or_empty, maybe, moment, named, nullable, object,
    optional, plain, required, strict, string, text,
};
use super::shared::{
    about, address_in, address_out, data, date_in, inside, money, page, page_example, patch, utr_in, vat_code,
};

const RATE_NEEDED: &str = "a subcontractor needs a rate: 0, 20 or 30";
/// Words with single dots between them, 64 characters at most, then the name of a host. (Letters of other scripts are
/// accepted too.)
const EMAIL: &str = "^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:[.][A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:[.][A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$";

macro_rules! operations {
    (
        $what:literal, $record:literal, $list_schema:literal, $data_schema:literal, $create:literal, $update:literal,
        $example:ident,
        [$list:ident $get:ident $make:ident $change:ident $delete:ident $archive:ident $unarchive:ident]
    ) => {
        #[doc = concat!("`GET …/", $what, "s`.")]
        pub fn $list() -> Operation {
            inside(concat!("List ", $what, "s"), "By name. `search` looks for a text in name, contact name and e-mail address, whatever its case.")
                .query("search", "A text to look for.", plain(1, 100), "brightwell".into())
                .query("include_archived", "`true`: archived ones too.", boolean(), true.into())
                .query("updated_since", "Changed at this moment or later.", moment(), "2026-03-01T00:00:00Z".into())
                .paged()
                .success(200, concat!("The ", $what, "s."), named($list_schema), page_example($example()))
        }

        #[doc = concat!("`GET …/", $what, "s/{id}`.")]
        pub fn $get() -> Operation {
            about($what, concat!("Get a ", $what), concat!("The ", $what, " with what is owed today and what of it is overdue."))
                .success(200, concat!("The ", $what, "."), named($data_schema), json!({ "data": $example() }))
        }

        #[doc = concat!("`POST …/", $what, "s`.")]
        pub fn $make() -> Operation {
            inside(concat!("Make a ", $what), "Only the name is required, and two may have the same. `reference` is the caller's own and unique.")
                .request(named($create), json!({ "name": "Brightwell School", "email": "accounts@example.com" }))
                .made(concat!("The ", $what, " was made."), named($data_schema), json!({ "data": $example() }))
                .conflict(json!({ "reason": "duplicate_external_id", "field": "reference", "existing_id": 3 }))
                .refused(json!({ "reason": "unknown_reference", "field": "default_account_id", "id": 999 }))
                .rule("cis.deduction_rate", RATE_NEEDED)
                .change()
        }

        #[doc = concat!("`PATCH …/", $what, "s/{id}`.")]
        pub fn $change() -> Operation {
            about($what, concat!("Change a ", $what), "What is given replaces what was there; null clears it; of the nested objects (`address`, `cis`) too, where keys that are left out stay as they were.")
                .request(named($update), json!({ "phone": "01904 000000" }))
                .success(200, concat!("The ", $what, " as it is now."), named($data_schema), json!({ "data": $example() }))
                .conflict(json!({ "reason": "duplicate_external_id", "field": "reference", "existing_id": 3 }))
                .refused(json!({ "reason": "unknown_reference", "field": "default_account_id", "id": 999 }))
                .rule("cis.deduction_rate", RATE_NEEDED)
                .change()
                .versioned()
        }

        #[doc = concat!("`DELETE …/", $what, "s/{id}`.")]
        pub fn $delete() -> Operation {
            about($what, concat!("Delete a ", $what), "Only one that nothing was ever posted or drawn up for; archive the others.")
                .success(200, concat!("The ", $what, " is gone."), named("DeletedData"), json!({ "data": { "id": 12, "deleted": true } }))
                .conflict(json!({ "reason": "invalid_state", "current": "used", "allowed": ["never used"] }))
                .change()
                .versioned()
        }

        #[doc = concat!("`POST …/", $what, "s/{id}/archive`.")]
        pub fn $archive() -> Operation {
            about($what, concat!("Archive a ", $what), "Nothing new is drawn up for it; what is open may still be settled. Repeating it changes nothing.")
                .success(200, concat!("The ", $what, " as it is now."), named($data_schema), json!({ "data": $example() }))
                .change()
                .versioned()
        }

        #[doc = concat!("`POST …/", $what, "s/{id}/unarchive`.")]
        pub fn $unarchive() -> Operation {
            about($what, concat!("Take a ", $what, " back into use"), "The inverse of archiving; repeating it changes nothing.")
                .success(200, concat!("The ", $what, " as it is now."), named($data_schema), json!({ "data": $example() }))
                .change()
                .versioned()
        }
    };
}

operations!(
    "customer", "Customer", "CustomerList", "CustomerData", "CreateCustomer", "UpdateCustomer", customer_example,
    [list_customers get_customer create_customer update_customer delete_customer archive_customer unarchive_customer]
);
operations!(
    "supplier", "Supplier", "SupplierList", "SupplierData", "CreateSupplier", "UpdateSupplier", supplier_example,
    [list_suppliers get_supplier create_supplier update_supplier delete_supplier archive_supplier unarchive_supplier]
);

fn customer_example() -> Value {
    example("customer", "cis_deducts", json!(false))
}

fn supplier_example() -> Value {
    let cis = json!({
        "is_subcontractor": true, "deduction_rate": 20, "utr": "1234567890", "verification_number": "V0001234567",
        "verified_on": "2026-02-01"
    });
    example("supplier", "cis", cis)
}

fn example(kind: &str, own: &str, value: Value) -> Value {
    let mut example = json!({
        "id": 12, "kind": kind, "name": "Brightwell School", "contact_name": "P. Ash", "email": "accounts@example.com",
        "phone": null,
        "address": { "line1": "4 Mill Yard", "line2": null, "city": "York", "region": null, "postcode": "YO1 7EP", "country": "GB" },
        "company_number": null, "vat_number": null, "payment_terms_days": 14, "default_account_id": null,
        "default_vat_code": "ST", "reference": "BW-7", "notes": null,
        "currency": "GBP", "balance": 120.00, "overdue": 0.00, "is_archived": false, "archived_at": null,
        "created_at": "2026-03-10T12:00:00.000Z", "updated_at": "2026-03-10T12:00:00.000Z", "version": 1
    });
    if let Some(fields) = example.as_object_mut() {
        fields.insert(own.to_owned(), value);
    }
    example
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let cis_deducts = || boolean().description(Some("Whether this customer deducts CIS from what it pays."));
    let deleted = object("What is gone.", vec![required("id", id()), required("deleted", boolean())]);
    let (customer, supplier) = (named("Customer"), named("Supplier"));
    vec![
        ("Customer", record("A customer.", required("cis_deducts", cis_deducts()))),
        ("Supplier", record("A supplier.", required("cis", cis_out()))),
        ("CreateCustomer", request(true, optional("cis_deducts", cis_deducts()))),
        ("CreateSupplier", request(true, maybe("cis", cis_in(true)))),
        ("UpdateCustomer", request(false, optional("cis_deducts", cis_deducts()))),
        ("UpdateSupplier", request(false, maybe("cis", cis_in(false)))),
        ("CustomerData", data("A customer.", customer.clone())),
        ("SupplierData", data("A supplier.", supplier.clone())),
        ("CustomerList", page("Customers.", customer)),
        ("SupplierList", page("Suppliers.", supplier)),
        ("DeletedData", data("What is gone.", deleted.into())),
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

fn cis_out() -> Any {
    object(
        "How CIS is deducted from the supplier.",
        vec![
            required("is_subcontractor", boolean()),
            required("deduction_rate", nullable(integer(0))),
            required("utr", nullable(string())),
            required("verification_number", nullable(string())),
            required("verified_on", nullable(date())),
        ],
    )
    .into()
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

fn record(description: &str, own: Field) -> Any {
    let maybe_text = |name| required(name, nullable(string()));
    object(
        description,
        vec![
            required("id", nullable(id())),
            required("kind", choice(&["customer", "supplier"])),
            required("name", string()),
            maybe_text("contact_name"),
            maybe_text("email"),
            maybe_text("phone"),
            required("address", address_out()),
            maybe_text("company_number"),
            maybe_text("vat_number"),
            required("payment_terms_days", nullable(integer(0))),
            required("default_account_id", nullable(id())),
            required("default_vat_code", nullable(vat_code())),
            maybe_text("reference"),
            maybe_text("notes"),
            own,
            required("currency", string()),
            required("balance", money()),
            required("overdue", money()),
            required("is_archived", boolean()),
            required("archived_at", nullable(moment())),
            required("created_at", moment()),
            required("updated_at", moment()),
            required("version", integer(1)),
        ],
    )
    .into()
}
