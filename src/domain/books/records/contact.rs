//! Customers and suppliers: the record, its changes, its view, and the filter of the list.

use crate::domain::books::audit_fields::{AuditFields, Resource};
use crate::domain::books::records::address::{Address, AddressChange, with_address};
use crate::domain::date::Date;
use crate::domain::ids::{AccountId, ContactId};
use crate::domain::ledger::contact::{CisRate, Contact, ContactKind};
use crate::domain::ledger::vat::VatCode;

/// A customer or supplier as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactRecord {
    /// Identifier.
    pub id: i64,
    /// Whether it is a customer or a supplier.
    pub kind: ContactKind,
    /// The fields that may be changed.
    pub details: ContactDetails,
    /// Whether a journal line or a document was ever created for it.
    pub used: bool,
    /// When it was archived.
    pub archived_at_ms: Option<i64>,
    /// When it was created.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

/// The fields of a customer or supplier that a caller gives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactDetails {
    /// Its name.
    pub name: String,
    /// The name of the person to contact.
    pub contact_name: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
    /// Telephone.
    pub phone: Option<String>,
    /// Postal address.
    pub address: Address,
    /// Companies House number.
    pub company_number: Option<String>,
    /// VAT registration number.
    pub vat_number: Option<String>,
    /// Days until a document is due; the organisation's unless given.
    pub payment_terms_days: Option<i64>,
    /// The account of document lines that name none.
    pub default_account_id: Option<i64>,
    /// The VAT code of document lines that name none.
    pub default_vat_code: Option<String>,
    /// The caller's own reference.
    pub reference: Option<String>,
    /// Notes.
    pub notes: Option<String>,
    /// Whether this customer deducts CIS from us.
    pub cis_deducts: bool,
    /// How CIS is deducted from this supplier.
    pub cis: CisDetails,
}

/// A supplier's place in the Construction Industry Scheme.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CisDetails {
    /// Whether CIS is deducted.
    pub is_subcontractor: bool,
    /// Percent.
    pub deduction_rate: Option<i64>,
    /// Unique taxpayer reference.
    pub utr: Option<String>,
    /// HMRC's verification.
    pub verification_number: Option<String>,
    /// The day it was verified.
    pub verified_date: Option<Date>,
}

/// The changed fields of [`CisDetails`]; a field that is none stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as the fields of the details")]
pub struct CisChange {
    pub is_subcontractor: Option<bool>,
    pub deduction_rate: Option<Option<i64>>,
    pub utr: Option<Option<String>>,
    pub verification_number: Option<Option<String>>,
    pub verified_date: Option<Option<Date>>,
}

/// A changed field of a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of `ContactDetails`, one each")]
pub enum ContactField {
    Name(String),
    ContactName(Option<String>),
    Email(Option<String>),
    Phone(Option<String>),
    Address(AddressChange),
    CompanyNumber(Option<String>),
    VatNumber(Option<String>),
    PaymentTermsDays(Option<i64>),
    DefaultAccountId(Option<i64>),
    DefaultVatCode(Option<String>),
    Reference(Option<String>),
    Notes(Option<String>),
    CisDeducts(bool),
    Cis(CisChange),
}

/// A contact with its balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactView {
    /// The contact.
    pub row: ContactRecord,
    /// The amount that a customer owes us, or that we owe a supplier, in pence.
    pub balance_pence: i64,
    /// The part of the balance that was due before today.
    pub overdue_pence: i64,
}

/// The filter of the list of contacts.
#[derive(Debug, Clone, Default)]
pub struct ContactFilter {
    /// A text in the name, the contact name or the e-mail address.
    pub search: Option<String>,
    /// Whether archived records are included.
    pub include_archived: bool,
    /// Changed at this moment or later, in milliseconds.
    pub updated_since_ms: Option<i64>,
}

impl From<CisDetails> for CisChange {
    fn from(details: CisDetails) -> Self {
        Self {
            is_subcontractor: Some(details.is_subcontractor),
            deduction_rate: Some(details.deduction_rate),
            utr: Some(details.utr),
            verification_number: Some(details.verification_number),
            verified_date: Some(details.verified_date),
        }
    }
}

impl CisChange {
    /// The details after the change.
    fn applied_to(self, before: CisDetails) -> CisDetails {
        CisDetails {
            is_subcontractor: self.is_subcontractor.unwrap_or(before.is_subcontractor),
            deduction_rate: self.deduction_rate.unwrap_or(before.deduction_rate),
            utr: self.utr.unwrap_or(before.utr),
            verification_number: self.verification_number.unwrap_or(before.verification_number),
            verified_date: self.verified_date.unwrap_or(before.verified_date),
        }
    }
}

impl ContactDetails {
    /// The details with these fields changed.
    pub fn with(mut self, fields: &[ContactField]) -> Self {
        for field in fields.iter().cloned() {
            match field {
                ContactField::Name(name) => self.name = name,
                ContactField::ContactName(name) => self.contact_name = name,
                ContactField::Email(email) => self.email = email,
                ContactField::Phone(phone) => self.phone = phone,
                ContactField::Address(change) => self.address = change.applied_to(self.address),
                ContactField::CompanyNumber(number) => self.company_number = number,
                ContactField::VatNumber(number) => self.vat_number = number,
                ContactField::PaymentTermsDays(days) => self.payment_terms_days = days,
                ContactField::DefaultAccountId(id) => self.default_account_id = id,
                ContactField::DefaultVatCode(code) => self.default_vat_code = code,
                ContactField::Reference(reference) => self.reference = reference,
                ContactField::Notes(notes) => self.notes = notes,
                ContactField::CisDeducts(deducts) => self.cis_deducts = deducts,
                ContactField::Cis(change) => self.cis = change.applied_to(self.cis),
            }
        }
        self
    }
}

impl ContactRecord {
    /// The contact as the rules read it.
    pub(crate) fn to_domain(&self) -> Contact {
        let details = &self.details;
        let rate = details.cis.deduction_rate.and_then(CisRate::from_percent);
        Contact {
            id: ContactId(self.id),
            kind: self.kind,
            is_archived: self.archived_at_ms.is_some(),
            payment_terms_days: details.payment_terms_days.and_then(|days| i32::try_from(days).ok()),
            default_account_id: details.default_account_id.map(AccountId),
            default_vat_code: details.default_vat_code.as_deref().and_then(VatCode::parse),
            cis_rate: rate.filter(|_| self.kind == ContactKind::Supplier && details.cis.is_subcontractor),
        }
    }

    /// The text in which a search looks.
    pub(crate) fn search_text(&self) -> String {
        let details = &self.details;
        let mut text = details.name.to_lowercase();
        for more in [&details.contact_name, &details.email].into_iter().flatten() {
            text.push('\n');
            text.push_str(&more.to_lowercase());
        }
        text
    }

    /// The kind of record, as the history names it.
    pub(crate) fn resource(&self) -> Resource {
        match self.kind {
            ContactKind::Customer => Resource::Customer,
            ContactKind::Supplier => Resource::Supplier,
        }
    }

    /// Its name in a summary of the history.
    pub(crate) fn title(&self) -> String {
        let kind = match self.kind {
            ContactKind::Customer => "Customer",
            ContactKind::Supplier => "Supplier",
        };
        format!("{kind} {}", self.details.name)
    }

    /// The fields that the history shows.
    pub(crate) fn audit_fields(&self) -> AuditFields {
        let (details, cis) = (&self.details, &self.details.cis);
        let audit_fields = AuditFields::new()
            .text("name", details.name.as_str())
            .text("contact_name", details.contact_name.as_deref())
            .text("email", details.email.as_deref())
            .text("phone", details.phone.as_deref());
        let audit_fields = with_address(audit_fields, &details.address)
            .text("company_number", details.company_number.as_deref())
            .text("vat_number", details.vat_number.as_deref())
            .number("payment_terms_days", details.payment_terms_days)
            .number("default_account_id", details.default_account_id)
            .text("default_vat_code", details.default_vat_code.as_deref())
            .text("reference", details.reference.as_deref())
            .text("notes", details.notes.as_deref());
        let audit_fields = match self.kind {
            ContactKind::Customer => audit_fields.flag("cis_deducts", details.cis_deducts),
            ContactKind::Supplier => audit_fields
                .flag("cis_is_subcontractor", cis.is_subcontractor)
                .number("cis_deduction_rate", cis.deduction_rate)
                .text("cis_utr", cis.utr.as_deref())
                .text("cis_verification_number", cis.verification_number.as_deref())
                .date("cis_verified_on", cis.verified_date),
        };
        audit_fields.flag("is_archived", self.archived_at_ms.is_some())
    }
}
