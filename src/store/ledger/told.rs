//! What the history of the books tells of each kind of record.

use super::accounts::AccountRow;
use super::bank_accounts::BankAccountRow;
use super::bank_transactions::BankTransactionRow;
use super::changes::Told;
use super::contacts::ContactRow;
use super::document_rows::DocumentRow;
use super::journals::JournalView;
use super::settlements::SettlementRow;
use crate::domain::ledger::bank::ConfirmType;
use crate::domain::ledger::change::{ChangeAction, Resource};
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::{DocumentKind, Stage};
use crate::domain::ledger::money::Pence;
use crate::store::{AddressRow, OrganisationRow};

impl AccountRow {
    pub(super) fn told(&self) -> Told {
        Told::new()
            .text("code", self.code.as_str())
            .text("name", self.name.as_str())
            .text("account_type", self.account_type.as_str())
            .text("role", self.role.as_deref())
            .flag("is_archived", self.archived_at_ms.is_some())
    }
}

impl ContactRow {
    pub(super) fn resource(&self) -> Resource {
        match self.kind {
            ContactKind::Customer => Resource::Customer,
            ContactKind::Supplier => Resource::Supplier,
        }
    }

    /// What it is called in a summary.
    pub(super) fn title(&self) -> String {
        let kind = match self.kind {
            ContactKind::Customer => "Customer",
            ContactKind::Supplier => "Supplier",
        };
        format!("{kind} {}", self.details.name)
    }

    pub(super) fn told(&self) -> Told {
        let (details, cis) = (&self.details, &self.details.cis);
        let told = Told::new()
            .text("name", details.name.as_str())
            .text("contact_name", details.contact_name.as_deref())
            .text("email", details.email.as_deref())
            .text("phone", details.phone.as_deref());
        let told = of_address(told, &details.address)
            .text("company_number", details.company_number.as_deref())
            .text("vat_number", details.vat_number.as_deref())
            .number("payment_terms_days", details.payment_terms_days)
            .number("default_account_id", details.default_account_id)
            .text("default_vat_code", details.default_vat_code.as_deref())
            .text("reference", details.reference.as_deref())
            .text("notes", details.notes.as_deref());
        let told = match self.kind {
            ContactKind::Customer => told.flag("cis_deducts", details.cis_deducts),
            ContactKind::Supplier => told
                .flag("cis_is_subcontractor", cis.is_subcontractor)
                .number("cis_deduction_rate", cis.deduction_rate)
                .text("cis_utr", cis.utr.as_deref())
                .text("cis_verification_number", cis.verification_number.as_deref())
                .day("cis_verified_on", cis.verified_day),
        };
        told.flag("is_archived", self.archived_at_ms.is_some())
    }
}

fn of_address(told: Told, address: &AddressRow) -> Told {
    told.text("address_line1", address.line1.as_deref())
        .text("address_line2", address.line2.as_deref())
        .text("address_city", address.city.as_deref())
        .text("address_region", address.region.as_deref())
        .text("address_postcode", address.postcode.as_deref())
        .text("address_country", address.country.as_deref())
}

impl BankAccountRow {
    pub(super) fn told(&self) -> Told {
        let details = &self.details;
        Told::new()
            .text("name", details.name.as_str())
            .text("type", self.kind.as_str())
            .number("account_id", self.account_id)
            .text("bank_name", details.bank_name.as_deref())
            .text("sort_code", details.sort_code.as_deref())
            .text("account_number", details.account_number.as_deref())
            .text("iban", details.iban.as_deref())
            .flag("is_archived", self.archived_at_ms.is_some())
    }
}

impl BankTransactionRow {
    pub(super) fn told(&self) -> Told {
        let first = match self.lines.as_slice() {
            [line] => Some(line),
            _ => None,
        };
        let lines = i64::try_from(self.lines.len()).unwrap_or(i64::MAX);
        Told::new()
            .day("date", self.day)
            .money("amount", self.amount_pence)
            .text("description", self.description.as_str())
            .text("status", self.status.as_str())
            .text("type", self.kind.map(ConfirmType::as_str))
            .number("import_id", self.import_id)
            .number("contact_id", self.contact_id)
            .number("account_id", first.map(|line| line.account_id))
            .text("vat_code", first.map(|line| line.vat_code.as_str()))
            .number("line_count", Some(lines).filter(|lines| *lines > 1))
            .text("memo", self.memo.as_deref())
            .number("transfer_bank_transaction_id", self.transfer_id)
            .number("journal_id", self.journal_id)
    }

    /// What it is called in a summary.
    pub(super) fn title(&self) -> String {
        format!("Bank transaction of {}: {}", Pence(self.amount_pence), self.description)
    }
}

impl JournalView {
    pub(super) fn told(&self) -> Told {
        Told::new()
            .number("journal_number", self.number)
            .day("entry_date", self.entry_day)
            .money("total_debit", self.total_pence)
            .text("source_type", self.source_type.as_str())
            .number("source_id", self.source_id)
            .number("reverses_journal_id", self.reverses)
    }
}

impl DocumentRow {
    pub(super) const fn resource(&self) -> Resource {
        match self.kind {
            DocumentKind::SalesInvoice => Resource::SalesInvoice,
            DocumentKind::SalesCreditNote => Resource::SalesCreditNote,
            DocumentKind::PurchaseInvoice => Resource::PurchaseInvoice,
            DocumentKind::PurchaseCreditNote => Resource::PurchaseCreditNote,
        }
    }

    /// What it is called in a summary.
    pub(super) fn title(&self) -> String {
        let number = self.number.as_deref().filter(|number| !number.is_empty());
        format!("{} {}", self.kind.title(), number.unwrap_or(if self.stage == Stage::Draft { "(draft)" } else { "" }))
    }

    /// What was done to it.
    pub(super) fn action_since(&self, before: Option<&Self>) -> ChangeAction {
        let Some(before) = before else { return ChangeAction::Create };
        let settled = |row: &Self| row.paid_pence + row.credited_pence;
        match (before.stage, self.stage) {
            (Stage::Draft, Stage::Issued) => ChangeAction::Issue,
            (Stage::Draft | Stage::Issued, Stage::Void) => ChangeAction::Void,
            _ if settled(self) > settled(before) => ChangeAction::Allocate,
            _ if settled(self) < settled(before) => ChangeAction::Unallocate,
            _ => ChangeAction::Update,
        }
    }

    pub(super) fn told(&self) -> Told {
        Told::new()
            .text("number", self.number.as_deref())
            .text("status", self.status())
            .text("supplier_reference", self.supplier_reference.as_deref())
            .number("contact_id", self.contact_id)
            .day("date", self.day)
            .day("due_date", self.due_day)
            .text("reference", self.reference.as_deref())
            .text("notes", self.notes.as_deref())
            .number("invoice_id", self.origin_id)
            .money("net_amount", self.net_pence)
            .money("vat_amount", self.vat_pence)
            .money("amount_due", self.due_pence())
            .number("journal_id", self.journal_id)
            .number("void_journal_id", self.void_journal_id)
            .day("void_date", self.void_day)
            .text("void_reason", self.void_reason.as_deref())
    }
}

impl SettlementRow {
    pub(super) fn resource(&self) -> Resource {
        match self.side() {
            ContactKind::Customer => Resource::CustomerReceipt,
            ContactKind::Supplier => Resource::SupplierPayment,
        }
    }

    /// What it is called in a summary.
    pub(super) fn title(&self) -> String {
        let kind = match self.side() {
            ContactKind::Customer => "Customer receipt",
            ContactKind::Supplier => "Supplier payment",
        };
        format!("{kind} {}", self.number)
    }

    /// What was done to it.
    pub(super) fn action_since(&self, before: Option<&Self>) -> ChangeAction {
        let Some(before) = before else { return ChangeAction::Create };
        match (before.is_void(), self.is_void()) {
            (false, true) => ChangeAction::Void,
            _ if self.allocated_pence > before.allocated_pence => ChangeAction::Allocate,
            _ if self.allocated_pence < before.allocated_pence => ChangeAction::Unallocate,
            _ if self.bank_transaction_id != before.bank_transaction_id => ChangeAction::Link,
            _ => ChangeAction::Update,
        }
    }

    pub(super) fn told(&self) -> Told {
        Told::new()
            .text("number", self.number.as_str())
            .text("kind", self.kind.source_type().as_str())
            .text("status", if self.is_void() { "void" } else { "posted" })
            .number("contact_id", self.contact_id)
            .day("date", self.day)
            .money("amount", self.amount_pence)
            .money("allocated_amount", self.allocated_pence)
            .money("cis_amount", self.cis_pence)
            .number("bank_account_id", self.bank_account_id)
            .number("bank_transaction_id", self.bank_transaction_id)
            .text("reference", self.reference.as_deref())
            .text("memo", self.memo.as_deref())
            .number("journal_id", self.journal_id)
            .number("void_journal_id", self.void_journal_id)
            .day("void_date", self.void_day)
            .text("void_reason", self.void_reason.as_deref())
    }
}

impl OrganisationRow {
    pub(super) fn told(&self) -> Told {
        let told = Told::new()
            .text("name", self.name.as_str())
            .text("legal_name", self.legal_name.as_deref())
            .text("entity_type", self.entity_type.as_str())
            .text("company_number", self.company_number.as_deref())
            .text("utr", self.utr.as_deref())
            .text("timezone", self.timezone.as_str());
        of_address(told, &self.address)
            .text("financial_year_end", self.financial_year_end.as_str())
            .day("books_start_date", self.books_start_date.map(crate::domain::calendar::day_number))
            .flag("vat_registered", self.vat_registered)
            .text("vat_number", self.vat_number.as_deref())
            .text("vat_scheme", self.vat_scheme.as_deref())
            .day("vat_scheme_from", self.vat_scheme_from.map(crate::domain::calendar::day_number))
            .percent("flat_rate_percent", self.flat_rate_basis_points)
            .number("vat_period_months", self.vat_period_months)
            .number("vat_period_end_month", self.vat_period_end_month)
            .flag("cis_contractor", self.cis_contractor)
            .flag("cis_subcontractor", self.cis_subcontractor)
            .percent("cis_suffered_rate", self.cis_suffered_basis_points)
            .number("default_payment_terms_days", self.default_payment_terms_days)
            .text("sales_invoice_prefix", self.sales_invoice_prefix.as_str())
            .text("sales_credit_note_prefix", self.sales_credit_note_prefix.as_str())
    }

    /// What the period lock is about.
    pub(super) fn told_lock(&self) -> Told {
        Told::new().day("lock_date", self.lock_date.map(crate::domain::calendar::day_number))
    }
}
