//! Customer receipts, supplier payments and their refunds: posted, set against documents, voided.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::{Object, ObjectBuilder};

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::settlement::{AllocationView, PaymentMethod, SettlementFilter, SettlementView};
use crate::domain::books::request::CommandResult;
use crate::domain::date::Date;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::http::books::change::{
    AnswerContext, body_or_path, execute, member, path_id, printed, require_write_access,
};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{AssignedId, CURRENCY, Id, Moment, Money, RelatedId};
use crate::http::error::ApiError;
use crate::http::openapi::schema::{choice, nullable};
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::wire::books::allocation::{parse_release, parse_settlement_allocations};
use crate::http::wire::books::journal::parse_void;
use crate::http::wire::books::settlement::{kinds, parse_new, parse_patch};

/// `GET …/customer-receipts`, `GET …/supplier-payments`.
pub async fn list(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let status = |word: &str| match word {
        "posted" => Some(false),
        "void" => Some(true),
        _ => None,
    };
    let contact = match side {
        ContactKind::Customer => "customer_id",
        ContactKind::Supplier => "supplier_id",
    };
    let filter = SettlementFilter {
        side,
        contact_id: query.id(contact),
        bank_account_id: query.id("bank_account_id"),
        from_date: query.date("date_from"),
        to_date: query.date("date_to"),
        is_void: query.word("status", "posted or void", status),
        has_unallocated: query.maybe_flag("has_unallocated"),
        updated_since_ms: query.moment("updated_since"),
    };
    query.in_order(filter.from_date, filter.to_date);
    let page = query.page(call.query());
    query.finish()?;
    let reader = &call.state().reader;
    let (settlements, total) = reader.settlements(organisation.id, &filter, (page.limit, page.offset)).await?;
    let settlements: Vec<_> = settlements.iter().map(SettlementJson::from).collect();
    envelope::page(page, settlements, total)
}

/// `GET …/customer-receipts/{id}`, `GET …/supplier-payments/{id}`.
pub async fn show(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.settlement(organisation.id, side, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &SettlementJson::from(&found))
}

/// `POST …/customer-receipts`, `POST …/supplier-payments`.
pub async fn create(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let entry = body_or_path(parse_new(&call.body, side), true)?;
    execute(&call, &access, StatusCode::CREATED, BooksCommand::CreateSettlement(Box::new(entry)), print).await
}

/// Whether the path names a settlement: read only when the body is wrong, because 404 comes before 422.
async fn settlement_exists(
    call: &Call<Products>,
    organisation: OrganisationId,
    side: ContactKind,
    id: i64,
) -> Result<bool, ApiError> {
    Ok(call.state().reader.settlement(organisation, side, id).await?.is_some())
}

/// `PATCH …/customer-receipts/{id}`, `PATCH …/supplier-payments/{id}`.
pub async fn patch(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_patch(&call.body);
    let exists = read.is_ok() || settlement_exists(&call, access.organisation.id, side, id).await?;
    let fields = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::PatchSettlement { side, id, fields }, print).await
}

/// `POST …/{id}/allocate`.
pub async fn allocate(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_settlement_allocations(&call.body, side);
    let exists = read.is_ok() || settlement_exists(&call, access.organisation.id, side, id).await?;
    let allocations = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::AllocateSettlement { side, id, allocations }, print).await
}

/// `POST …/{id}/unallocate`.
pub async fn unallocate(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_release(&call.body);
    let exists = read.is_ok() || settlement_exists(&call, access.organisation.id, side, id).await?;
    let allocation_ids = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::UnallocateSettlement { side, id, allocation_ids }, print)
        .await
}

/// `POST …/{id}/void`.
pub async fn void(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_void(&call.body);
    let exists = read.is_ok() || settlement_exists(&call, access.organisation.id, side, id).await?;
    let request = body_or_path(read, exists)?;
    let action = BooksCommand::VoidSettlement { side, id, void_date: request.void_date, reason: request.reason };
    execute(&call, &access, StatusCode::OK, action, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::Settlement(view) => printed(&SettlementJson::from(&**view), dry_run),
        _ => None,
    }
}

/// A receipt, a payment, or a refund of one.
#[derive(Serialize)]
#[serde(untagged)]
pub enum SettlementJson<'a> {
    /// From or to a customer.
    CustomerReceipt(CustomerReceiptJson<'a>),
    /// From or to a supplier.
    SupplierPayment(SupplierPaymentJson<'a>),
}

impl<'a> From<&'a SettlementView> for SettlementJson<'a> {
    fn from(view: &'a SettlementView) -> Self {
        match view.side() {
            ContactKind::Customer => Self::CustomerReceipt(view.into()),
            ContactKind::Supplier => Self::SupplierPayment(view.into()),
        }
    }
}

/// Declares the answer of one side and that of its allocations: customers' and suppliers' differ in the keys of the
/// contact, and in those of the receipt or payment that a refund gives back.
macro_rules! settlement_answer {
    (
        $(#[$description:meta])*
        $name:ident as $component:ident of $side:ident, $contact_id:ident, $contact_name:ident;
        $(#[$allocation_description:meta])*
        $allocation:ident as $allocation_component:ident, $own_id:ident, $own_number:ident;
    ) => {
        $(#[$description])*
        #[derive(Serialize, ToSchema)]
        #[schema(as = $component, example = $name::example)]
        pub struct $name<'a> {
            id: AssignedId,
            #[schema(required)]
            number: Option<&'a str>,
            #[schema(schema_with = $name::kind)]
            kind: &'static str,
            #[schema(schema_with = status)]
            status: &'static str,
            $contact_id: Id,
            $contact_name: &'a str,
            date: Date,
            amount: Money,
            currency: &'static str,
            /// Null when the cash moved through another account.
            #[schema(required)]
            bank_account_id: Option<Id>,
            /// The account in place of a bank account.
            #[schema(required)]
            account_id: Option<Id>,
            #[schema(required)]
            account_code: Option<&'a str>,
            #[schema(required)]
            reference: Option<&'a str>,
            #[schema(required)]
            memo: Option<&'a str>,
            #[schema(schema_with = method, required)]
            method: Option<&'static str>,
            /// Cash that is set against something.
            allocated_amount: Money,
            unallocated_amount: Money,
            cis_amount: Money,
            settled_amount: Money,
            allocations: Vec<$allocation<'a>>,
            #[schema(required)]
            bank_transaction_id: Option<Id>,
            #[schema(required)]
            journal_id: Option<Id>,
            #[schema(required)]
            void_journal_id: Option<Id>,
            #[schema(required)]
            void_date: Option<Date>,
            #[schema(required)]
            void_reason: Option<&'a str>,
            /// When its e-mail was queued last.
            #[schema(required)]
            last_emailed_at: Option<Moment>,
            created_at: Moment,
            updated_at: Moment,
            #[schema(minimum = 1)]
            version: i64,
        }

        impl $name<'_> {
            fn kind() -> ObjectBuilder {
                choice(&kinds(ContactKind::$side).map(|(word, _)| word))
            }

            fn example() -> Value {
                example(ContactKind::$side)
            }
        }

        impl<'a> From<&'a SettlementView> for $name<'a> {
            fn from(view: &'a SettlementView) -> Self {
                Self {
                    id: AssignedId(view.id),
                    number: view.number.as_deref(),
                    kind: kind_word(view.kind),
                    status: if view.is_void { "void" } else { "posted" },
                    $contact_id: Id(view.contact_id),
                    $contact_name: &view.contact_name,
                    date: view.date,
                    amount: Money(view.amount_pence),
                    currency: CURRENCY,
                    bank_account_id: view.bank_account_id.map(Id),
                    account_id: view.account.as_ref().map(|(id, _)| Id(*id)),
                    account_code: view.account.as_ref().map(|(_, code)| code.as_str()),
                    reference: view.reference.as_deref(),
                    memo: view.memo.as_deref(),
                    method: view.method.map(PaymentMethod::as_str),
                    allocated_amount: Money(view.allocated_pence),
                    unallocated_amount: Money(view.amount_pence - view.allocated_pence),
                    cis_amount: Money(view.cis_pence),
                    settled_amount: Money(view.allocated_pence + view.cis_pence),
                    allocations: view.allocations.iter().map($allocation::from).collect(),
                    bank_transaction_id: view.bank_transaction_id.map(Id),
                    journal_id: view.journal_id.map(Id),
                    void_journal_id: view.void_journal_id.map(Id),
                    void_date: view.void_date,
                    void_reason: view.void_reason.as_deref(),
                    last_emailed_at: view.last_emailed_at_ms.map(Moment),
                    created_at: Moment(view.created_at_ms),
                    updated_at: Moment(view.updated_at_ms),
                    version: view.version,
                }
            }
        }

        $(#[$allocation_description])*
        #[derive(Serialize, ToSchema)]
        #[schema(as = $allocation_component)]
        struct $allocation<'a> {
            id: AssignedId,
            #[schema(value_type = RelatedId)]
            invoice_id: Option<AssignedId>,
            #[schema(required)]
            invoice_number: Option<&'a str>,
            #[schema(value_type = RelatedId)]
            credit_note_id: Option<AssignedId>,
            #[schema(required)]
            credit_note_number: Option<&'a str>,
            #[schema(value_type = RelatedId)]
            $own_id: Option<AssignedId>,
            #[schema(required)]
            $own_number: Option<&'a str>,
            #[schema(value_type = RelatedId)]
            refund_id: Option<AssignedId>,
            #[schema(required)]
            refund_number: Option<&'a str>,
            date: Date,
            amount: Money,
            cis_amount: Money,
            settled_amount: Money,
        }

        impl<'a> From<&'a AllocationView> for $allocation<'a> {
            fn from(view: &'a AllocationView) -> Self {
                let (invoice_id, invoice_number) = OtherEnd::Invoice.of(view);
                let (credit_note_id, credit_note_number) = OtherEnd::CreditNote.of(view);
                let ($own_id, $own_number) = OtherEnd::Settlement.of(view);
                let (refund_id, refund_number) = OtherEnd::Refund.of(view);
                Self {
                    id: AssignedId(view.id),
                    invoice_id,
                    invoice_number,
                    credit_note_id,
                    credit_note_number,
                    $own_id,
                    $own_number,
                    refund_id,
                    refund_number,
                    date: view.date,
                    amount: Money(view.amount_pence),
                    cis_amount: Money(view.cis_pence),
                    settled_amount: Money(view.amount_pence + view.cis_pence),
                }
            }
        }
    };
}

settlement_answer! {
    /// A customer receipt, or a refund of one.
    CustomerReceiptJson as CustomerReceipt of Customer, customer_id, customer_name;
    /// What a customer receipt or refund is set against: an invoice, for a refund a credit note or the receipt given
    /// back, and for a receipt given back the refund.
    CustomerReceiptAllocationJson as CustomerReceiptAllocation, receipt_id, receipt_number;
}

settlement_answer! {
    /// A supplier payment, or a refund of one.
    SupplierPaymentJson as SupplierPayment of Supplier, supplier_id, supplier_name;
    /// What a supplier payment or refund is set against: an invoice, for a refund a credit note or the payment given
    /// back, and for a payment given back the refund.
    SupplierPaymentAllocationJson as SupplierPaymentAllocation, payment_id, payment_number;
}

fn status() -> ObjectBuilder {
    choice(&["posted", "void"])
}

fn method() -> Object {
    nullable(choice(&PaymentMethod::ALL.map(PaymentMethod::as_str)))
}

const fn kind_word(kind: SettlementKind) -> &'static str {
    match kind {
        SettlementKind::CustomerReceipt => "receipt",
        SettlementKind::SupplierPayment => "payment",
        SettlementKind::CustomerRefund | SettlementKind::SupplierRefund => "refund",
    }
}

/// The kind of record that an allocation ties the settlement to. An answer has an identifier and a number for each kind;
/// those of the other kinds are null.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OtherEnd {
    Invoice,
    CreditNote,
    /// A receipt or payment.
    Settlement,
    Refund,
}

impl OtherEnd {
    /// The identifier and number of the other end, if it is this.
    fn of(self, view: &AllocationView) -> (Option<AssignedId>, Option<&str>) {
        let actual = match DocumentKind::parse(view.other_type) {
            Some(kind) if kind.is_credit_note() => Self::CreditNote,
            Some(_) => Self::Invoice,
            None if SettlementKind::parse(view.other_type).is_some_and(SettlementKind::is_refund) => Self::Refund,
            None => Self::Settlement,
        };
        if self == actual { (Some(AssignedId(view.other_id)), view.other_number.as_deref()) } else { (None, None) }
    }
}

fn example(side: ContactKind) -> Value {
    let (kind, number, invoice, name) = match side {
        ContactKind::Customer => ("receipt", "RCP-00005", "INV-0103", "Brightwell School"),
        ContactKind::Supplier => ("payment", "PAY-00005", "BILL-00007", "Reed Carpentry"),
    };
    let [contact_id, contact_name, own_id, own_number] = match side {
        ContactKind::Customer => ["customer_id", "customer_name", "receipt_id", "receipt_number"],
        ContactKind::Supplier => ["supplier_id", "supplier_name", "payment_id", "payment_number"],
    };
    json!({
        "id": 5, "number": number, "kind": kind, "status": "posted", contact_id: 3, contact_name: name,
        "date": "2026-03-20", "amount": 700.00, "currency": "GBP", "bank_account_id": 2, "account_id": null, "account_code": null,
        "reference": null, "memo": null, "method": "bank_transfer", "allocated_amount": 700.00, "unallocated_amount": 0.00, "cis_amount": 0.00,
        "settled_amount": 700.00,
        "allocations": [{
            "id": 6, "invoice_id": 31, "invoice_number": invoice, "credit_note_id": null, "credit_note_number": null,
            own_id: null, own_number: null, "refund_id": null, "refund_number": null,
            "date": "2026-03-20", "amount": 700.00, "cis_amount": 0.00, "settled_amount": 700.00
        }],
        "bank_transaction_id": null, "journal_id": 19, "void_journal_id": null, "void_date": null, "void_reason": null,
        "last_emailed_at": null, "created_at": "2026-03-20T12:00:00.000Z", "updated_at": "2026-03-20T12:00:00.000Z", "version": 1
    })
}
