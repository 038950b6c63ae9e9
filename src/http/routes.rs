//! THE table of routes. A route is added here and nowhere else: its handler, who may call it, its documentation.
//!
//! The order of the entries is the order of the OpenAPI document's operations within a path; a path may stand in
//! several entries, one per method.

use actix_web::HttpResponse;
use actix_web::http::Method;

use super::call::Call;
use super::docs;
use super::error::ApiError;
use super::first_party::{account, progress};
use super::openapi;
use super::products::Products;
use super::resources::{
    accounts, bank_accounts, bank_transactions, changes, cis, contact_reports, contacts, documents, emails,
    financial_years, identity, imports, journals, keys, opening_balances, organisations, period_lock, printed, reports,
    settlements, status, suggestions, vat_adjustments, vat_returns, write_offs,
};
use super::route_table::{Access, BodyRule, Route};
use super::{coding_jobs, mcp, oauth, reconciliations};
use crate::domain::books::audit_fields::Resource;
use crate::domain::books::records::email::EmailedDocument;
use crate::domain::caller::Scope;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::mail::EmailedType;

/// Strangers may send no more than this.
const FIRST_PARTY_BODY_BYTES: u64 = 16 * 1024;

/// Every route of the public listener.
pub fn routes() -> Vec<Route<Products>> {
    let small = BodyRule::Json { max_bytes: Some(FIRST_PARTY_BODY_BYTES) };
    let mut routes = vec![
        Route::get("/api/v1/health", "getHealth", Access::Public, identity::health).doc(openapi::health),
        Route::get("/api/v1/me", "getMe", Access::AnyKey, identity::me).doc(openapi::me),
        Route::post("/api/v1/keys", "createKey", Access::Session, keys::create).doc(openapi::create_key),
        Route::get("/api/v1/keys", "listKeys", Access::Session, keys::list).doc(openapi::list_keys),
        Route::delete("/api/v1/keys/{id}", "revokeKey", Access::Session, keys::revoke).doc(openapi::revoke_key),
        Route::post(
            "/api/v1/reconciliations",
            "submitReconciliation",
            Access::Key(Scope::ReconcileWrite),
            reconciliations::submit,
        )
        .needing_room(reconciliations::room)
        .doc(openapi::submit_reconciliation),
        Route::get(
            "/api/v1/reconciliations/{id}",
            "pollReconciliation",
            Access::JobPoll(Scope::ReconcileRead),
            reconciliations::poll,
        )
        .doc(openapi::poll_reconciliation),
        Route::post(
            "/api/v1/coding/coding-jobs",
            "submitCodingJob",
            Access::Key(Scope::CodingWrite),
            coding_jobs::submit,
        )
        .needing_room(coding_jobs::room)
        .doc(openapi::submit_coding_job),
        Route::get(
            "/api/v1/coding/coding-jobs/{id}",
            "pollCodingJob",
            Access::JobPoll(Scope::CodingRead),
            coding_jobs::poll,
        )
        .doc(openapi::poll_coding_job),
        Route::post("/mcp", "mcp", Access::AnyKey, mcp::endpoint).body(BodyRule::JsonRpc).for_pages(),
        Route::post("/mcp/", "mcpWithSlash", Access::AnyKey, mcp::endpoint).body(BodyRule::JsonRpc).for_pages(),
        Route::new(Method::OPTIONS, "/mcp", "mcpOptions", Access::Public, mcp::options).body(BodyRule::Ignored),
        Route::new(Method::OPTIONS, "/mcp/", "mcpOptionsWithSlash", Access::Public, mcp::options)
            .body(BodyRule::Ignored),
        Route::post("/app/v1/register", "register", Access::Public, account::register).body(small),
        Route::post("/app/v1/login", "login", Access::Public, account::login).body(small),
        Route::get("/app/v1/progress", "progressSocket", Access::Public, progress::socket).body(BodyRule::Upgrade),
    ];
    routes.extend(oauth_routes());
    routes.extend(organisation_routes());
    routes.extend(account_routes());
    routes.extend(contact_routes());
    routes.extend(bank_routes());
    routes.extend(journal_routes());
    routes.extend(invoice_routes());
    routes.extend(credit_note_routes());
    routes.extend(settlement_routes());
    routes.extend(vat_routes());
    routes.extend(write_off_routes());
    routes.extend(financial_year_routes());
    routes.extend(pdf_routes());
    routes.extend(cis_routes());
    routes.extend(email_routes());
    routes.extend(report_routes());
    routes.extend(history_routes());
    routes.extend(preview_routes());
    routes.extend(documentation());
    // Roles and restricted keys are looked at by the handlers.
    let permits = |route: &Route<Products>| [WRITE, SEND].contains(&route.access);
    routes.into_iter().map(|route| if permits(&route) { route.permitting() } else { route }).collect()
}

/// The authorization server and its pages.
fn oauth_routes() -> Vec<Route<Products>> {
    use oauth::{authorize, connections, metadata, pages, register, sign_in, token};
    const FORM: BodyRule = BodyRule::Unchecked { max_bytes: oauth::BODY_BYTES_MAX };
    let open = Access::Public;
    let preflight = |path, operation_id| {
        Route::new(Method::OPTIONS, path, operation_id, open, oauth::preflight).body(BodyRule::Ignored)
    };
    let resource = |path, operation_id, resource| {
        Route::get(path, operation_id, open, move |call| metadata::resource(call, resource))
    };
    vec![
        resource("/.well-known/oauth-protected-resource", "getResourceMetadata", ""),
        resource("/.well-known/oauth-protected-resource/mcp", "getToolsResourceMetadata", "/mcp"),
        resource("/.well-known/oauth-protected-resource/api/v1", "getApiResourceMetadata", "/api/v1"),
        Route::get("/.well-known/oauth-authorization-server", "getAuthorizationServer", open, metadata::server),
        preflight("/.well-known/oauth-protected-resource", "resourceMetadataOptions"),
        preflight("/.well-known/oauth-protected-resource/mcp", "toolsResourceMetadataOptions"),
        preflight("/.well-known/oauth-protected-resource/api/v1", "apiResourceMetadataOptions"),
        preflight("/.well-known/oauth-authorization-server", "authorizationServerOptions"),
        Route::post("/oauth/register", "registerClient", open, register::endpoint).body(FORM),
        preflight("/oauth/register", "registerClientOptions"),
        Route::get("/oauth/authorize", "askPerson", open, authorize::ask),
        Route::post("/oauth/authorize", "decideRequest", open, authorize::decide).body(FORM),
        Route::post("/oauth/token", "exchangeToken", open, token::endpoint).body(FORM),
        preflight("/oauth/token", "exchangeTokenOptions"),
        Route::post("/oauth/revoke", "revokeToken", open, token::revoke).body(FORM),
        preflight("/oauth/revoke", "revokeTokenOptions"),
        Route::get("/app/sign-in", "showSignIn", open, sign_in::show),
        Route::post("/app/sign-in", "signIn", open, sign_in::submit).body(FORM),
        Route::post("/app/sign-out", "signOut", open, sign_in::sign_out).body(FORM),
        Route::get("/app/style.css", "getStyle", open, pages::style),
        Route::get("/app/connections", "showConnections", open, connections::page),
        Route::post("/app/connections", "endConnection", open, connections::submit).body(FORM),
        Route::get("/app/v1/connections", "listConnections", Access::Session, connections::list),
        Route::delete("/app/v1/connections/{id}", "revokeConnection", Access::Session, connections::revoke),
    ]
}

const READ: Access = Access::Key(Scope::BooksRead);
const WRITE: Access = Access::Key(Scope::BooksWrite);
const SEND: Access = Access::Key(Scope::BooksSend);

/// A path inside an organisation.
macro_rules! inside {
    ($($rest:literal),+) => {
        concat!("/api/v1/books/organisations/{organisationId}", $($rest),+)
    };
}

fn patch<F, R>(path: &'static str, operation_id: &'static str, handler: F) -> Route<Products>
where
    F: Fn(Call<Products>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<HttpResponse, ApiError>> + 'static,
{
    Route::new(Method::PATCH, path, operation_id, WRITE, handler)
}

/// A change without a body: what is done is in the path.
fn act<F, R>(path: &'static str, operation_id: &'static str, handler: F) -> Route<Products>
where
    F: Fn(Call<Products>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<HttpResponse, ApiError>> + 'static,
{
    Route::post(path, operation_id, WRITE, handler).body(BodyRule::NoKeys)
}

fn organisation_routes() -> Vec<Route<Products>> {
    vec![
        Route::get("/api/v1/books/organisations", "listOrganisations", READ, organisations::list)
            .doc(openapi::list_organisations),
        Route::post("/api/v1/books/organisations", "createOrganisation", WRITE, organisations::create)
            .doc(openapi::create_organisation),
        Route::get(inside!(""), "getOrganisation", READ, organisations::show).doc(openapi::get_organisation),
        patch(inside!(""), "updateOrganisation", organisations::patch).doc(openapi::update_organisation),
        Route::get(inside!("/period-lock"), "getPeriodLock", READ, period_lock::show).doc(openapi::get_period_lock),
        Route::new(Method::PUT, inside!("/period-lock"), "setPeriodLock", WRITE, period_lock::set)
            .doc(openapi::set_period_lock),
        Route::get(inside!("/tax-codes"), "listTaxCodes", READ, accounts::tax_codes).doc(openapi::list_tax_codes),
    ]
}

fn account_routes() -> Vec<Route<Products>> {
    vec![
        Route::get(inside!("/accounts"), "listAccounts", READ, accounts::list).doc(openapi::list_accounts),
        Route::post(inside!("/accounts"), "createAccount", WRITE, accounts::create).doc(openapi::create_account),
        Route::get(inside!("/accounts/{id}"), "getAccount", READ, accounts::show).doc(openapi::get_account),
        patch(inside!("/accounts/{id}"), "updateAccount", accounts::patch).doc(openapi::update_account),
        act(inside!("/accounts/{id}/archive"), "archiveAccount", accounts::archive).doc(openapi::archive_account),
        act(inside!("/accounts/{id}/unarchive"), "unarchiveAccount", accounts::unarchive)
            .doc(openapi::unarchive_account),
        Route::get(inside!("/accounts/{id}/transactions"), "listAccountTransactions", READ, accounts::transactions)
            .doc(openapi::list_account_transactions),
    ]
}

fn contact_routes() -> Vec<Route<Products>> {
    use ContactKind::{Customer, Supplier};
    vec![
        Route::get(inside!("/customers"), "listCustomers", READ, |call| contacts::list(call, Customer))
            .doc(openapi::list_customers),
        Route::post(inside!("/customers"), "createCustomer", WRITE, |call| contacts::create(call, Customer))
            .doc(openapi::create_customer),
        Route::get(inside!("/customers/{id}"), "getCustomer", READ, |call| contacts::show(call, Customer))
            .doc(openapi::get_customer),
        patch(inside!("/customers/{id}"), "updateCustomer", |call| contacts::patch(call, Customer))
            .doc(openapi::update_customer),
        Route::delete(inside!("/customers/{id}"), "deleteCustomer", WRITE, |call| contacts::delete(call, Customer))
            .doc(openapi::delete_customer),
        act(inside!("/customers/{id}/archive"), "archiveCustomer", |call| contacts::set_archived(call, Customer, true))
            .doc(openapi::archive_customer),
        act(inside!("/customers/{id}/unarchive"), "unarchiveCustomer", |call| {
            contacts::set_archived(call, Customer, false)
        })
        .doc(openapi::unarchive_customer),
        Route::get(inside!("/suppliers"), "listSuppliers", READ, |call| contacts::list(call, Supplier))
            .doc(openapi::list_suppliers),
        Route::post(inside!("/suppliers"), "createSupplier", WRITE, |call| contacts::create(call, Supplier))
            .doc(openapi::create_supplier),
        Route::get(inside!("/suppliers/{id}"), "getSupplier", READ, |call| contacts::show(call, Supplier))
            .doc(openapi::get_supplier),
        patch(inside!("/suppliers/{id}"), "updateSupplier", |call| contacts::patch(call, Supplier))
            .doc(openapi::update_supplier),
        Route::delete(inside!("/suppliers/{id}"), "deleteSupplier", WRITE, |call| contacts::delete(call, Supplier))
            .doc(openapi::delete_supplier),
        act(inside!("/suppliers/{id}/archive"), "archiveSupplier", |call| contacts::set_archived(call, Supplier, true))
            .doc(openapi::archive_supplier),
        act(inside!("/suppliers/{id}/unarchive"), "unarchiveSupplier", |call| {
            contacts::set_archived(call, Supplier, false)
        })
        .doc(openapi::unarchive_supplier),
    ]
}

fn bank_routes() -> Vec<Route<Products>> {
    vec![
        Route::get(inside!("/bank-accounts"), "listBankAccounts", READ, bank_accounts::list)
            .doc(openapi::list_bank_accounts),
        Route::post(inside!("/bank-accounts"), "createBankAccount", WRITE, bank_accounts::create)
            .doc(openapi::create_bank_account),
        Route::get(inside!("/bank-accounts/{id}"), "getBankAccount", READ, bank_accounts::show)
            .doc(openapi::get_bank_account),
        patch(inside!("/bank-accounts/{id}"), "updateBankAccount", bank_accounts::patch)
            .doc(openapi::update_bank_account),
        act(inside!("/bank-accounts/{id}/archive"), "archiveBankAccount", bank_accounts::archive)
            .doc(openapi::archive_bank_account),
        Route::get(inside!("/bank-transactions"), "listBankTransactions", READ, bank_transactions::list)
            .doc(openapi::list_bank_transactions),
        Route::post(inside!("/bank-transactions"), "createBankTransaction", WRITE, bank_transactions::create)
            .doc(openapi::create_bank_transaction),
        Route::post(inside!("/bank-transactions/import"), "importBankTransactions", WRITE, bank_transactions::import)
            .doc(openapi::import_bank_transactions),
        Route::post(
            inside!("/bank-transactions/confirm-batch"),
            "confirmBankTransactions",
            WRITE,
            bank_transactions::confirm_batch,
        )
        .doc(openapi::confirm_bank_transactions),
        Route::post(
            inside!("/bank-transactions/suggest"),
            "suggestBankTransactions",
            Access::Keys([Scope::CodingWrite, Scope::BooksWrite]),
            suggestions::suggest,
        )
        .body(BodyRule::OptionalJson)
        .permitting()
        .doc(openapi::suggest_bank_transactions),
        Route::post(
            inside!("/bank-transactions/confirm"),
            "confirmSuggestedBankTransactions",
            WRITE,
            suggestions::confirm,
        )
        .doc(openapi::confirm_suggested_bank_transactions),
        Route::get(inside!("/bank-transactions/{id}"), "getBankTransaction", READ, bank_transactions::show)
            .doc(openapi::get_bank_transaction),
        patch(inside!("/bank-transactions/{id}"), "updateBankTransaction", bank_transactions::patch)
            .doc(openapi::update_bank_transaction),
        Route::delete(inside!("/bank-transactions/{id}"), "deleteBankTransaction", WRITE, bank_transactions::delete)
            .doc(openapi::delete_bank_transaction),
        Route::get(
            inside!("/bank-transactions/{id}/candidates"),
            "listBankTransactionCandidates",
            READ,
            bank_transactions::candidates,
        )
        .doc(openapi::list_bank_transaction_candidates),
        Route::post(
            inside!("/bank-transactions/{id}/confirm"),
            "confirmBankTransaction",
            WRITE,
            bank_transactions::confirm,
        )
        .body(BodyRule::OptionalJson)
        .doc(openapi::confirm_bank_transaction),
        act(inside!("/bank-transactions/{id}/unconfirm"), "unconfirmBankTransaction", bank_transactions::unconfirm)
            .doc(openapi::unconfirm_bank_transaction),
        act(inside!("/bank-transactions/{id}/exclude"), "excludeBankTransaction", bank_transactions::exclude)
            .doc(openapi::exclude_bank_transaction),
        act(inside!("/bank-transactions/{id}/restore"), "restoreBankTransaction", bank_transactions::restore)
            .doc(openapi::restore_bank_transaction),
    ]
}

fn journal_routes() -> Vec<Route<Products>> {
    vec![
        Route::get(inside!("/journals"), "listJournals", READ, journals::list).doc(openapi::list_journals),
        Route::post(inside!("/journals"), "createJournal", WRITE, journals::create).doc(openapi::create_journal),
        Route::get(inside!("/journals/{id}"), "getJournal", READ, journals::show).doc(openapi::get_journal),
        Route::post(inside!("/journals/{id}/void"), "voidJournal", WRITE, journals::void)
            .body(BodyRule::OptionalJson)
            .doc(openapi::void_journal),
    ]
}

fn vat_routes() -> Vec<Route<Products>> {
    vec![
        Route::get(inside!("/vat-adjustments"), "listVatAdjustments", READ, vat_adjustments::list)
            .doc(openapi::list_vat_adjustments),
        Route::post(inside!("/vat-adjustments"), "createVatAdjustment", WRITE, vat_adjustments::create)
            .doc(openapi::create_vat_adjustment),
        Route::get(inside!("/vat-adjustments/{id}"), "getVatAdjustment", READ, vat_adjustments::show)
            .doc(openapi::get_vat_adjustment),
        Route::post(inside!("/vat-adjustments/{id}/void"), "voidVatAdjustment", WRITE, vat_adjustments::void)
            .body(BodyRule::OptionalJson)
            .doc(openapi::void_vat_adjustment),
        Route::get(inside!("/vat-returns"), "listVatReturns", READ, vat_returns::list).doc(openapi::list_vat_returns),
        Route::post(inside!("/vat-returns"), "recordVatReturn", WRITE, vat_returns::create)
            .doc(openapi::create_vat_return),
        Route::get(inside!("/vat-returns/{id}"), "getRecordedVatReturn", READ, vat_returns::show)
            .doc(openapi::get_vat_return),
        Route::delete(inside!("/vat-returns/{id}"), "deleteVatReturn", WRITE, vat_returns::delete)
            .doc(openapi::delete_vat_return),
    ]
}

fn financial_year_routes() -> Vec<Route<Products>> {
    vec![
        Route::get(inside!("/financial-years"), "listFinancialYears", READ, financial_years::list)
            .doc(openapi::list_financial_years),
        Route::post(inside!("/financial-years/{end}/close"), "closeFinancialYear", WRITE, financial_years::close)
            .body(BodyRule::OptionalJson)
            .doc(openapi::close_financial_year),
        act(inside!("/financial-years/{end}/reopen"), "reopenFinancialYear", financial_years::reopen)
            .doc(openapi::reopen_financial_year),
    ]
}

fn write_off_routes() -> Vec<Route<Products>> {
    vec![
        Route::post(inside!("/sales-invoices/{id}/write-off"), "writeOffSalesInvoice", WRITE, write_offs::create)
            .doc(openapi::write_off_sales_invoice),
        Route::get(inside!("/write-offs/{id}"), "getWriteOff", READ, write_offs::show).doc(openapi::get_write_off),
        Route::post(inside!("/write-offs/{id}/void"), "voidWriteOff", WRITE, write_offs::void)
            .body(BodyRule::OptionalJson)
            .doc(openapi::void_write_off),
    ]
}

/// What is previewed first and then confirmed with a token.
fn preview_routes() -> Vec<Route<Products>> {
    vec![
        Route::post(inside!("/opening-balances/preview"), "previewOpeningBalances", WRITE, opening_balances::preview)
            .doc(openapi::preview_opening_balances),
        Route::post(inside!("/opening-balances"), "setOpeningBalances", WRITE, opening_balances::set)
            .doc(openapi::set_opening_balances),
        Route::get(inside!("/imports"), "listImports", READ, imports::list).doc(openapi::list_imports),
        Route::post(inside!("/imports"), "previewImport", WRITE, imports::preview).doc(openapi::preview_import),
        Route::get(inside!("/imports/{id}"), "getImport", READ, imports::show).doc(openapi::get_import),
        Route::post(inside!("/imports/{id}/confirm"), "confirmImport", WRITE, imports::confirm)
            .doc(openapi::confirm_import),
    ]
}

/// The history of a kind of record, which stands beside each of them.
macro_rules! history {
    ($path:literal, $resource:ident, $name:literal, $what:literal) => {
        Route::get(inside!($path, "/{id}/history"), concat!("list", $name, "History"), READ, |call| {
            changes::history(call, Resource::$resource)
        })
        .doc(|| openapi::list_history($what, concat!("List the history of a record: ", $what)))
    };
}

fn history_routes() -> Vec<Route<Products>> {
    vec![
        Route::get(inside!("/status"), "getBooksStatus", READ, status::show).doc(openapi::get_books_status),
        Route::get(inside!("/changes"), "listChanges", READ, changes::list).doc(openapi::list_changes),
        history!("/accounts", Account, "Account", "account"),
        history!("/customers", Customer, "Customer", "customer"),
        history!("/suppliers", Supplier, "Supplier", "supplier"),
        history!("/bank-accounts", BankAccount, "BankAccount", "bank account"),
        history!("/bank-transactions", BankTransaction, "BankTransaction", "bank transaction"),
        history!("/journals", Journal, "Journal", "journal"),
        history!("/sales-invoices", SalesInvoice, "SalesInvoice", "sales invoice"),
        history!("/sales-credit-notes", SalesCreditNote, "SalesCreditNote", "sales credit note"),
        history!("/purchase-invoices", PurchaseInvoice, "PurchaseInvoice", "purchase invoice"),
        history!("/purchase-credit-notes", PurchaseCreditNote, "PurchaseCreditNote", "purchase credit note"),
        history!("/customer-receipts", CustomerReceipt, "CustomerReceipt", "customer receipt"),
        history!("/supplier-payments", SupplierPayment, "SupplierPayment", "supplier payment"),
        history!("/vat-adjustments", VatAdjustment, "VatAdjustment", "VAT adjustment"),
        history!("/vat-returns", VatReturn, "VatReturn", "recorded VAT return"),
        history!("/write-offs", WriteOff, "WriteOff", "write-off"),
    ]
}

/// What all four kinds of documents have, by their path, one and many of them in names of operations.
macro_rules! document {
    ($path:literal, $kind:expr, $one:literal, $many:literal) => {
        [
            Route::get(inside!($path), concat!("list", $many), READ, |call| documents::list(call, $kind))
                .doc(|| openapi::list_documents($kind)),
            Route::post(inside!($path), concat!("create", $one), WRITE, |call| documents::create(call, $kind))
                .doc(|| openapi::create_document($kind)),
            Route::get(inside!($path, "/{id}"), concat!("get", $one), READ, |call| documents::show(call, $kind))
                .doc(|| openapi::get_document($kind)),
            patch(inside!($path, "/{id}"), concat!("update", $one), |call| documents::patch(call, $kind))
                .doc(|| openapi::update_document($kind)),
            Route::delete(inside!($path, "/{id}"), concat!("delete", $one), WRITE, |call| {
                documents::delete(call, $kind)
            })
            .doc(|| openapi::delete_document($kind)),
            act(inside!($path, "/{id}/issue"), concat!("issue", $one), |call| documents::issue(call, $kind))
                .doc(|| openapi::issue_document($kind)),
            Route::post(inside!($path, "/{id}/void"), concat!("void", $one), WRITE, |call| {
                documents::void(call, $kind)
            })
            .body(BodyRule::OptionalJson)
            .doc(|| openapi::void_document($kind)),
        ]
    };
}

/// Setting something against invoices and releasing it again.
macro_rules! allocation {
    ($handlers:ident, $path:literal, $kind:expr, $one:literal, $allocate:ident, $unallocate:ident) => {
        [
            Route::post(inside!($path, "/{id}/allocate"), concat!("allocate", $one), WRITE, |call| {
                $handlers::allocate(call, $kind)
            })
            .doc(|| openapi::$allocate($kind)),
            Route::post(inside!($path, "/{id}/unallocate"), concat!("unallocate", $one), WRITE, |call| {
                $handlers::unallocate(call, $kind)
            })
            .doc(|| openapi::$unallocate($kind)),
        ]
    };
}

/// A document as PDF.
macro_rules! pdf {
    ($path:literal, $one:literal, $handler:ident, $kind:expr, $doc:ident) => {
        Route::get(inside!($path, "/{id}/pdf"), concat!("get", $one, "Pdf"), READ, |call| {
            printed::$handler(call, $kind)
        })
        .doc(|| openapi::$doc($kind))
    };
}

fn pdf_routes() -> Vec<Route<Products>> {
    use ContactKind::{Customer, Supplier};
    use DocumentKind::{SalesCreditNote, SalesInvoice};
    vec![
        pdf!("/sales-invoices", "SalesInvoice", sales_document, SalesInvoice, print_sales_document),
        pdf!("/sales-credit-notes", "SalesCreditNote", sales_document, SalesCreditNote, print_sales_document),
        pdf!("/customer-receipts", "CustomerReceipt", settlement, Customer, print_settlement),
        pdf!("/supplier-payments", "SupplierPayment", settlement, Supplier, print_settlement),
        Route::get(
            inside!("/customers/{id}/statement/pdf"),
            "getCustomerStatementPdf",
            READ,
            contact_reports::print_customer_statement,
        )
        .doc(openapi::print_customer_statement),
    ]
}

fn invoice_routes() -> Vec<Route<Products>> {
    use DocumentKind::{PurchaseInvoice, SalesInvoice};
    let sales = document!("/sales-invoices", SalesInvoice, "SalesInvoice", "SalesInvoices");
    let purchases = document!("/purchase-invoices", PurchaseInvoice, "PurchaseInvoice", "PurchaseInvoices");
    sales.into_iter().chain(purchases).collect()
}

fn credit_note_routes() -> Vec<Route<Products>> {
    use DocumentKind::{PurchaseCreditNote as Purchase, SalesCreditNote as Sales};
    let mut routes = Vec::new();
    routes.extend(document!("/sales-credit-notes", Sales, "SalesCreditNote", "SalesCreditNotes"));
    routes.extend(allocation!(
        documents,
        "/sales-credit-notes",
        Sales,
        "SalesCreditNote",
        allocate_credit_note,
        unallocate_credit_note
    ));
    routes.extend(document!("/purchase-credit-notes", Purchase, "PurchaseCreditNote", "PurchaseCreditNotes"));
    routes.extend(allocation!(
        documents,
        "/purchase-credit-notes",
        Purchase,
        "PurchaseCreditNote",
        allocate_credit_note,
        unallocate_credit_note
    ));
    routes
}

/// What receipts and payments have.
macro_rules! settlement {
    ($path:literal, $side:expr, $one:literal, $many:literal) => {
        [
            Route::get(inside!($path), concat!("list", $many), READ, |call| settlements::list(call, $side))
                .doc(|| openapi::list_settlements($side)),
            Route::post(inside!($path), concat!("create", $one), WRITE, |call| settlements::create(call, $side))
                .doc(|| openapi::create_settlement($side)),
            Route::get(inside!($path, "/{id}"), concat!("get", $one), READ, |call| settlements::show(call, $side))
                .doc(|| openapi::get_settlement($side)),
            patch(inside!($path, "/{id}"), concat!("update", $one), |call| settlements::patch(call, $side))
                .doc(|| openapi::update_settlement($side)),
            Route::post(inside!($path, "/{id}/void"), concat!("void", $one), WRITE, |call| {
                settlements::void(call, $side)
            })
            .body(BodyRule::OptionalJson)
            .doc(|| openapi::void_settlement($side)),
        ]
    };
}

fn settlement_routes() -> Vec<Route<Products>> {
    use ContactKind::{Customer, Supplier};
    let mut routes = Vec::new();
    routes.extend(settlement!("/customer-receipts", Customer, "CustomerReceipt", "CustomerReceipts"));
    routes.extend(allocation!(
        settlements,
        "/customer-receipts",
        Customer,
        "CustomerReceipt",
        allocate_settlement,
        unallocate_settlement
    ));
    routes.extend(settlement!("/supplier-payments", Supplier, "SupplierPayment", "SupplierPayments"));
    routes.extend(allocation!(
        settlements,
        "/supplier-payments",
        Supplier,
        "SupplierPayment",
        allocate_settlement,
        unallocate_settlement
    ));
    routes
}

fn cis_routes() -> Vec<Route<Products>> {
    vec![
        Route::get(inside!("/cis/returns/{tax_month_end}"), "getCisReturn", READ, cis::show_return)
            .doc(cis::describe_return),
        Route::get(inside!("/suppliers/{id}/cis-statement"), "getCisStatement", READ, cis::show_statement)
            .doc(openapi::get_cis_statement),
        Route::get(inside!("/suppliers/{id}/cis-statement/pdf"), "getCisStatementPdf", READ, cis::print_statement)
            .doc(openapi::print_cis_statement),
    ]
}

/// Sending a document, beside each kind that is sent.
macro_rules! email {
    ($path:literal, $document:expr, $one:literal, $type:ident) => {
        Route::post(inside!($path, "/{id}/email"), concat!("email", $one), SEND, |call| emails::send(call, $document))
            .body(BodyRule::OptionalJson)
            .doc(|| openapi::email_document(EmailedType::$type))
    };
}

fn email_routes() -> Vec<Route<Products>> {
    use EmailedDocument::{Document, Settlement};
    vec![
        email!("/sales-invoices", |id| Document(DocumentKind::SalesInvoice, id), "SalesInvoice", SalesInvoice),
        email!(
            "/sales-credit-notes",
            |id| Document(DocumentKind::SalesCreditNote, id),
            "SalesCreditNote",
            SalesCreditNote
        ),
        email!("/customer-receipts", |id| Settlement(ContactKind::Customer, id), "CustomerReceipt", CustomerReceipt),
        email!("/supplier-payments", |id| Settlement(ContactKind::Supplier, id), "SupplierPayment", SupplierPayment),
        Route::post(
            inside!("/suppliers/{id}/cis-statement/email"),
            "emailCisStatement",
            SEND,
            emails::send_cis_statement,
        )
        .doc(|| openapi::email_document(EmailedType::CisStatement)),
        Route::post(
            inside!("/customers/{id}/statement/email"),
            "emailCustomerStatement",
            SEND,
            emails::send_customer_statement,
        )
        .doc(|| openapi::email_document(EmailedType::CustomerStatement)),
        Route::get(inside!("/emails"), "listEmails", READ, emails::list).doc(openapi::list_emails),
        Route::get(inside!("/emails/{id}"), "getEmail", READ, emails::show).doc(openapi::get_email),
        Route::post(inside!("/emails/{id}/resend"), "resendEmail", SEND, emails::resend)
            .body(BodyRule::NoKeys)
            .doc(openapi::resend_email),
        Route::post(inside!("/emails/{id}/cancel"), "cancelEmail", SEND, emails::cancel)
            .body(BodyRule::NoKeys)
            .doc(openapi::cancel_email),
    ]
}

/// A route for each report of the table.
fn report_routes() -> Vec<Route<Products>> {
    let route = |report: &'static reports::Report| {
        Route::get(report.path, report.operation_id, READ, |call| report.answer(call)).doc(report.documentation)
    };
    reports::REPORTS.iter().map(route).collect()
}

/// The documentation, whatever the products share.
pub fn documentation<S: 'static>() -> [Route<S>; 3] {
    [
        Route::get("/openapi.json", "getOpenApi", Access::Public, docs::document),
        Route::get("/docs", "redirectToDocs", Access::Public, docs::redirect),
        Route::get("/docs/{file*}", "getDocs", Access::Public, docs::file),
    ]
}
