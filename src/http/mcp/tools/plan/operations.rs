//! The operations a plan may hold: each is the body of one write of the REST API, with the identifier of its path. What the API's
//! own description says of that write (title, schema, example) is what `list_operations` says of the operation.

use std::sync::OnceLock;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::domain::caller::Scope;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome};
use crate::http::mcp::tools::{answer, fault};
use crate::http::products::Products;

/// An operation.
pub(in crate::http::mcp) struct Operation {
    /// Its name.
    pub(in crate::http::mcp) name: &'static str,
    /// Its group.
    group: &'static str,
    /// The REST operations behind it, each with the `type` that chooses it where there are several.
    pub(in crate::http::mcp) routes: &'static [(&'static str, &'static str)],
    /// The operation that undoes it.
    reversible_by: &'static str,
    /// The kind of the record it makes or changes; empty where that is the `type`.
    kind: &'static str,
    /// What it needs.
    pub(in crate::http::mcp) scope: Scope,
}

const fn write(
    name: &'static str,
    group: &'static str,
    routes: &'static [(&'static str, &'static str)],
    reversible_by: &'static str,
    kind: &'static str,
) -> Operation {
    Operation { name, group, routes, reversible_by, kind, scope: Scope::BooksWrite }
}

const fn send(
    name: &'static str,
    routes: &'static [(&'static str, &'static str)],
    reversible_by: &'static str,
) -> Operation {
    Operation { name, group: "email", routes, reversible_by, kind: "email", scope: Scope::BooksSend }
}

/// The operations of a kind of record.
macro_rules! operations {
    ($kind:literal, $group:literal, $($verb:literal => $route:literal / $reverse:literal),+ $(,)?) => {
        &[$(write(concat!($kind, ".", $verb), $group, &[("", $route)], $reverse, $kind)),+]
    };
}

/// Every operation, by group.
const GROUPS: &[&[Operation]] = &[
    operations!("account", "accounts",
        "create" => "createAccount" / "account.archive", "update" => "updateAccount" / "account.update",
        "archive" => "archiveAccount" / "account.unarchive", "unarchive" => "unarchiveAccount" / "account.archive"),
    operations!("customer", "contacts",
        "create" => "createCustomer" / "customer.delete", "update" => "updateCustomer" / "customer.update",
        "archive" => "archiveCustomer" / "customer.unarchive", "unarchive" => "unarchiveCustomer" / "customer.archive",
        "delete" => "deleteCustomer" / ""),
    operations!("supplier", "contacts",
        "create" => "createSupplier" / "supplier.delete", "update" => "updateSupplier" / "supplier.update",
        "archive" => "archiveSupplier" / "supplier.unarchive", "unarchive" => "unarchiveSupplier" / "supplier.archive",
        "delete" => "deleteSupplier" / ""),
    operations!("bank_account", "bank",
        "create" => "createBankAccount" / "bank_account.archive", "update" => "updateBankAccount" / "bank_account.update",
        "archive" => "archiveBankAccount" / ""),
    operations!("bank_transaction", "bank",
        "create" => "createBankTransaction" / "bank_transaction.delete",
        "update" => "updateBankTransaction" / "bank_transaction.update",
        "confirm" => "confirmBankTransaction" / "bank_transaction.unconfirm",
        "unconfirm" => "unconfirmBankTransaction" / "bank_transaction.confirm",
        "exclude" => "excludeBankTransaction" / "bank_transaction.restore",
        "restore" => "restoreBankTransaction" / "bank_transaction.exclude",
        "delete" => "deleteBankTransaction" / "bank_transaction.create"),
    operations!("sales_invoice", "sales",
        "create" => "createSalesInvoice" / "sales_invoice.void", "update" => "updateSalesInvoice" / "sales_invoice.update",
        "issue" => "issueSalesInvoice" / "sales_invoice.void", "void" => "voidSalesInvoice" / "",
        "delete" => "deleteSalesInvoice" / "sales_invoice.create"),
    operations!("sales_credit_note", "sales",
        "create" => "createSalesCreditNote" / "sales_credit_note.void",
        "update" => "updateSalesCreditNote" / "sales_credit_note.update",
        "issue" => "issueSalesCreditNote" / "sales_credit_note.void",
        "allocate" => "allocateSalesCreditNote" / "sales_credit_note.unallocate",
        "unallocate" => "unallocateSalesCreditNote" / "sales_credit_note.allocate",
        "void" => "voidSalesCreditNote" / "", "delete" => "deleteSalesCreditNote" / "sales_credit_note.create"),
    &[
        write("sales_invoice.write_off", "sales", &[("", "writeOffSalesInvoice")], "write_off.void", "write_off"),
        write("write_off.void", "sales", &[("", "voidWriteOff")], "sales_invoice.write_off", "write_off"),
    ],
    operations!("purchase_invoice", "purchases",
        "create" => "createPurchaseInvoice" / "purchase_invoice.void",
        "update" => "updatePurchaseInvoice" / "purchase_invoice.update",
        "issue" => "issuePurchaseInvoice" / "purchase_invoice.void", "void" => "voidPurchaseInvoice" / "",
        "delete" => "deletePurchaseInvoice" / "purchase_invoice.create"),
    operations!("purchase_credit_note", "purchases",
        "create" => "createPurchaseCreditNote" / "purchase_credit_note.void",
        "update" => "updatePurchaseCreditNote" / "purchase_credit_note.update",
        "issue" => "issuePurchaseCreditNote" / "purchase_credit_note.void",
        "allocate" => "allocatePurchaseCreditNote" / "purchase_credit_note.unallocate",
        "unallocate" => "unallocatePurchaseCreditNote" / "purchase_credit_note.allocate",
        "void" => "voidPurchaseCreditNote" / "", "delete" => "deletePurchaseCreditNote" / "purchase_credit_note.create"),
    operations!("customer_receipt", "settlement",
        "create" => "createCustomerReceipt" / "customer_receipt.void",
        "update" => "updateCustomerReceipt" / "customer_receipt.update",
        "allocate" => "allocateCustomerReceipt" / "customer_receipt.unallocate",
        "unallocate" => "unallocateCustomerReceipt" / "customer_receipt.allocate",
        "void" => "voidCustomerReceipt" / "customer_receipt.create"),
    operations!("supplier_payment", "settlement",
        "create" => "createSupplierPayment" / "supplier_payment.void",
        "update" => "updateSupplierPayment" / "supplier_payment.update",
        "allocate" => "allocateSupplierPayment" / "supplier_payment.unallocate",
        "unallocate" => "unallocateSupplierPayment" / "supplier_payment.allocate",
        "void" => "voidSupplierPayment" / "supplier_payment.create"),
    operations!("journal", "journals",
        "create" => "createJournal" / "journal.void", "void" => "voidJournal" / "journal.create"),
    operations!("vat_adjustment", "vat",
        "create" => "createVatAdjustment" / "vat_adjustment.void", "void" => "voidVatAdjustment" / "vat_adjustment.create"),
    &[write("period.lock", "period", &[("", "setPeriodLock")], "period.lock", "organisation")],
    &[
        send(
            "document.email",
            &[
                ("sales_invoice", "emailSalesInvoice"),
                ("sales_credit_note", "emailSalesCreditNote"),
                ("customer_receipt", "emailCustomerReceipt"),
                ("supplier_payment", "emailSupplierPayment"),
            ],
            "email.cancel",
        ),
        send(
            "statement.email",
            &[("customer_statement", "emailCustomerStatement"), ("cis_statement", "emailCisStatement")],
            "email.cancel",
        ),
        send("email.resend", &[("", "resendEmail")], "email.cancel"),
        send("email.cancel", &[("", "cancelEmail")], "email.resend"),
    ],
];

/// Every operation.
pub(in crate::http::mcp) fn all() -> impl Iterator<Item = &'static Operation> {
    GROUPS.iter().flat_map(|group| group.iter())
}

/// The operation of this name.
pub(in crate::http::mcp) fn named(name: &str) -> Option<&'static Operation> {
    all().find(|operation| operation.name == name)
}

impl Operation {
    /// The REST operation behind it, for this `type`; in the error the types there are.
    pub(in crate::http::mcp) fn route(&self, of_type: Option<&str>) -> Result<&'static str, String> {
        let found = self.routes.iter().find(|(name, _)| *name == of_type.unwrap_or_default());
        let types = || self.routes.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        found.map(|(_, route)| *route).ok_or_else(|| format!("must be one of {}", types()))
    }

    /// Whether `type` chooses the REST operation.
    pub(in crate::http::mcp) const fn has_types(&self) -> bool {
        self.routes.len() > 1
    }

    /// Whether what it makes may be a draft.
    fn has_drafts(&self) -> bool {
        all().any(|other| other.kind == self.kind && other.name.ends_with(".issue"))
    }

    /// The kind of the record it makes or changes.
    pub(in crate::http::mcp) const fn kind(&self) -> &'static str {
        self.kind
    }
}

/// What `list_operations` says of an operation.
#[derive(Serialize, Clone)]
struct Entry {
    op: &'static str,
    title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    summary: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    reversible_by: &'static str,
    scope: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params_schema: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<Value>,
    #[serde(skip)]
    group: &'static str,
}

/// The entries, made once from the description of the API.
static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();

/// The operations, those of a group, or one with the schema of its parameters.
pub(in crate::http::mcp) fn list(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    #[derive(Serialize)]
    struct Operations {
        operations: Vec<Entry>,
    }
    let entries = match ENTRIES.get() {
        Some(entries) => entries,
        None => {
            let document: Value =
                serde_json::from_slice(&call.openapi()).map_err(|error| fault(ApiError::internal(error)))?;
            ENTRIES.get_or_init(|| all().map(|operation| entry(operation, &document)).collect())
        }
    };
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let (group, op) = (text("group"), text("op"));
    if let Some(op) = op {
        let Some(found) = entries.iter().find(|entry| entry.op == op) else {
            return Err(unknown(op).into());
        };
        return answer(&Operations { operations: vec![found.clone()] });
    }
    let short = entries.iter().filter(|entry| group.is_none_or(|group| entry.group == group));
    let operations = short.cloned().map(|entry| Entry { params_schema: None, example: None, ..entry });
    answer(&Operations { operations: operations.collect() })
}

/// The refusal of a name that no operation has, with those that are near.
pub(in crate::http::mcp) fn unknown(op: &str) -> Failure {
    Failure::new("invalid_request_format", format!("op: {}", unknown_message(op)))
        .next("list_operations names every operation; with op it has the schema of its params")
}

/// What is wrong with a name that no operation has.
pub(in crate::http::mcp) fn unknown_message(op: &str) -> String {
    let prefix = op.split(['.', '_']).next().unwrap_or_default();
    let near: Vec<&str> = all().map(|operation| operation.name).filter(|name| name.starts_with(prefix)).collect();
    match (prefix.is_empty(), near.is_empty()) {
        (false, false) => format!("{op:?} is no operation; near it are {}", near.join(", ")),
        _ => format!("{op:?} is no operation"),
    }
}

fn entry(operation: &Operation, document: &Value) -> Entry {
    let of_routes: Vec<(&str, Described<'_>)> =
        operation.routes.iter().filter_map(|(of_type, route)| Some((*of_type, described(document, route)?))).collect();
    let schemas: Vec<Value> = of_routes.iter().map(|(of_type, route)| route.params_schema(document, of_type)).collect();
    let first = of_routes.first();
    let title = first.map_or(operation.name, |(_, route)| route.text("summary"));
    let title = match operation.name {
        "document.email" => "E-mail a document",
        "statement.email" => "E-mail a statement",
        _ => title,
    };
    let params_schema = match schemas.as_slice() {
        [one] => one.clone(),
        several => json!({ "anyOf": several }),
    };
    let example = first.map(|(of_type, route)| json!({ "op": operation.name, "params": route.example(of_type) }));
    Entry {
        op: operation.name,
        title: title.to_owned(),
        summary: summary(&of_routes) + of_drafts(operation),
        reversible_by: operation.reversible_by,
        scope: operation.scope.as_str(),
        params_schema: Some(params_schema),
        example,
        group: operation.group,
    }
}

/// What `reversible_by` cannot say of operations that make a document: it is issued at once unless they say otherwise.
fn of_drafts(operation: &Operation) -> &'static str {
    if operation.name.ends_with(".create") && operation.reversible_by.ends_with(".void") && operation.has_drafts() {
        " A draft (issue: false) is deleted instead of voided."
    } else {
        ""
    }
}

/// The REST operations behind an operation, and the first sentences of their description.
fn summary(of_routes: &[(&str, Described<'_>)]) -> String {
    let routes: Vec<String> =
        of_routes.iter().map(|(_, route)| format!("{} {}", route.method, route.short_path())).collect();
    let description = of_routes.first().map_or("", |(_, route)| route.text("description"));
    let said = description.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    format!("{}. {said}", routes.join(", ")).trim_end().to_owned()
}

/// A REST operation as the API's description has it.
struct Described<'a> {
    method: String,
    path: &'a str,
    operation: &'a Map<String, Value>,
}

fn described<'a>(document: &'a Value, route: &str) -> Option<Described<'a>> {
    let paths = document.get("paths")?.as_object()?;
    let is_it = |one: &Value| one.get("operationId").is_some_and(|id| id == route);
    paths.iter().find_map(|(path, methods)| {
        let (method, operation) = methods.as_object()?.iter().find(|(_, one)| is_it(one))?;
        Some(Described { method: method.to_ascii_uppercase(), path, operation: operation.as_object()? })
    })
}

impl Described<'_> {
    fn text(&self, name: &str) -> &str {
        self.operation.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    fn content(&self) -> Option<&Value> {
        self.operation.get("requestBody")?.get("content")?.get("application/json")
    }

    /// Its path inside the organisation.
    fn short_path(&self) -> &str {
        self.path.split_once("{organisationId}").map_or(self.path, |(_, rest)| rest)
    }

    /// Whether its path names a record.
    fn has_id(&self) -> bool {
        self.path.contains("{id}")
    }

    /// The schema of the body, with the identifier of the path and the type that chooses the route.
    fn params_schema(&self, document: &Value, of_type: &str) -> Value {
        let body = self.content().and_then(|content| content.get("schema")).cloned();
        let mut schema =
            body.unwrap_or_else(|| json!({ "type": "object", "properties": {}, "additionalProperties": false }));
        inline(&mut schema, document, 0);
        shorten(&mut schema);
        allow_references(&mut schema);
        let Some(object) = schema.as_object_mut() else { return schema };
        let mut first = Map::new();
        if !of_type.is_empty() {
            first.insert("type".to_owned(), json!({ "const": of_type }));
        }
        if self.has_id() {
            first.insert("id".to_owned(), identifier(json!({ "type": "integer", "minimum": 1 })));
        }
        if let Some(Value::Array(mut shapes)) = object.remove("oneOf") {
            if let Some(said) = hoist_description(&mut shapes) {
                object.insert("description".to_owned(), said);
            }
            shapes.iter_mut().for_each(|shape| allow_also(shape, &first));
            object.insert("oneOf".to_owned(), Value::Array(shapes));
            object.insert("type".to_owned(), json!("object"));
        }
        // What must have at least so many fields has them beside the identifier and the type.
        raise_minimum(object, first.len());
        let mut required: Vec<Value> = first.keys().map(|name| json!(name)).collect();
        let own = object.remove("properties").and_then(|own| own.as_object().cloned()).unwrap_or_default();
        first.extend(own);
        required.extend(object.remove("required").and_then(|own| own.as_array().cloned()).unwrap_or_default());
        object.insert("properties".to_owned(), Value::Object(first));
        if !required.is_empty() {
            object.insert("required".to_owned(), Value::Array(required));
        }
        schema
    }

    /// The example of the body, with the identifier of the path and the type.
    fn example(&self, of_type: &str) -> Value {
        let mut params = Map::new();
        if !of_type.is_empty() {
            params.insert("type".to_owned(), json!(of_type));
        }
        if self.has_id() {
            params.insert("id".to_owned(), json!(12));
        }
        let body = self.content().and_then(|content| content.get("example")).and_then(Value::as_object);
        params.extend(body.cloned().unwrap_or_default());
        Value::Object(params)
    }
}

/// How deep schemas refer to each other at most.
const DEPTH_MAX: usize = 48;

/// Puts what schemas refer to in the place of the reference, because an agent sees this schema alone.
fn inline(schema: &mut Value, document: &Value, depth: usize) {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|reference| {
        let name = reference.strip_prefix("#/components/schemas/")?;
        document.get("components")?.get("schemas")?.get(name).cloned()
    });
    if let Some(target) = target {
        *schema = target;
    }
    if depth < DEPTH_MAX {
        match schema {
            Value::Object(members) => members.values_mut().for_each(|member| inline(member, document, depth + 1)),
            Value::Array(items) => items.iter_mut().for_each(|item| inline(item, document, depth + 1)),
            _ => {}
        }
    }
}

/// Takes the description out of shapes that all have the same.
fn hoist_description(shapes: &mut [Value]) -> Option<Value> {
    let said = shapes.first()?.get("description")?.clone();
    if shapes.iter().any(|shape| shape.get("description") != Some(&said)) {
        return None;
    }
    shapes.iter_mut().filter_map(Value::as_object_mut).for_each(|shape| drop(shape.remove("description")));
    Some(said)
}

/// Lets one of several shapes have the fields that stand around all of them, where they are described.
fn allow_also(shape: &mut Value, around: &Map<String, Value>) {
    let Some(shape) = shape.as_object_mut() else { return };
    raise_minimum(shape, around.len());
    if let Some(Value::Object(fields)) = shape.get_mut("properties") {
        fields.extend(around.keys().map(|name| (name.clone(), json!({}))));
    }
}

/// Raises the least number of fields of an object, where it has one.
fn raise_minimum(object: &mut Map<String, Value>, by: usize) {
    let least = object.get("minProperties").and_then(Value::as_u64).zip(u64::try_from(by).ok());
    if let Some((least, by)) = least {
        object.insert("minProperties".to_owned(), json!(least.saturating_add(by)));
    }
}

/// Any text without a null character, which JSON seldom has anyway.
const ANY_TEXT: &str = "^[^\\u0000]*$";

/// Where the bounds of money begin, which nobody's books reach.
const MONEY_BOUND: f64 = 9_999_999_999.0;

/// Leaves out what tells an agent nothing that the rest does not: the calendar behind `format: date`, the bounds of 64 bits and of
/// money, the texts that a number may be sent as, fields that could only be null. How many decimals a number may have its
/// description says, because validators that reckon in floats take 10.03 for no multiple of 0.01.
fn shorten(schema: &mut Value) {
    let Value::Object(members) = schema else {
        if let Value::Array(items) = schema {
            items.iter_mut().for_each(shorten);
        }
        return;
    };
    let is_said = members.get("format").is_some_and(|format| format == "date")
        || members.contains_key("multipleOf")
        || members.get("pattern").is_some_and(|pattern| pattern == ANY_TEXT);
    if members.get("additionalProperties").is_some_and(|more| more == false)
        && let Some(Value::Object(fields)) = members.get_mut("properties")
    {
        fields.retain(|_, field| *field != json!({ "type": "null" }));
    }
    members.retain(|name, value| match name.as_str() {
        "pattern" => !is_said,
        "multipleOf" => false,
        "minLength" => value != 0,
        "format" => value != "int64",
        "maximum" | "minimum" => {
            value.as_i64() != Some(i64::MAX) && value.as_f64().is_none_or(|bound| bound.abs() < MONEY_BOUND)
        }
        _ => true,
    });
    for (name, member) in members.iter_mut() {
        match (name.as_str(), member) {
            // What is named here are fields, whatever their names.
            ("properties", Value::Object(fields)) => fields.values_mut().for_each(shorten),
            (_, member) => shorten(member),
        }
    }
}

/// Says where the record of an operation before may stand: wherever an identifier may.
fn allow_references(schema: &mut Value) {
    let Value::Object(members) = schema else {
        if let Value::Array(items) = schema {
            items.iter_mut().for_each(allow_references);
        }
        return;
    };
    for (name, member) in members.iter_mut() {
        if name == "properties" {
            for (field, own) in member.as_object_mut().into_iter().flatten() {
                if (field == "id" || field.ends_with("_id")) && is_integer(own) {
                    *own = identifier(own.take());
                } else {
                    allow_references(own);
                }
            }
        } else {
            allow_references(member);
        }
    }
}

fn is_integer(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "integer",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "integer"),
        _ => false,
    }
}

/// An identifier, or the record that an operation before makes.
fn identifier(own: Value) -> Value {
    // Its whole schema would be the longest part of many others; a plan refuses what does not belong in it.
    let reference = json!({ "type": "object", "required": ["$from"] });
    json!({ "anyOf": [own, reference] })
}
