//! Customers and suppliers: what the rules need to know of them, and how they may change.

use super::refusal::Refusal;
use super::vat::VatCode;
use crate::domain::ids::{AccountId, ContactId};

/// Who it is to us. A contact is one or the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContactKind {
    /// Buys from us.
    Customer,
    /// Sells to us.
    Supplier,
}

impl ContactKind {
    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Customer => "customer",
            Self::Supplier => "supplier",
        }
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Customer, Self::Supplier].into_iter().find(|kind| kind.as_str() == text)
    }

    /// The key of a body that names one.
    pub const fn id_field(self) -> &'static str {
        match self {
            Self::Customer => "customer_id",
            Self::Supplier => "supplier_id",
        }
    }
}

/// A deduction rate of the Construction Industry Scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CisRate {
    /// Gross payment status.
    Gross,
    /// Registered, 20 %.
    Standard,
    /// Not registered, 30 %.
    Higher,
}

impl CisRate {
    /// The rate in percent.
    pub const fn percent(self) -> i64 {
        match self {
            Self::Gross => 0,
            Self::Standard => 20,
            Self::Higher => 30,
        }
    }

    /// Reads 0, 20 or 30.
    pub fn from_percent(percent: i64) -> Option<Self> {
        [Self::Gross, Self::Standard, Self::Higher].into_iter().find(|rate| rate.percent() == percent)
    }
}

/// A customer or supplier, as the rules need to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// Its id.
    pub id: ContactId,
    /// Which it is.
    pub kind: ContactKind,
    /// Whether new documents are refused.
    pub is_archived: bool,
    /// Days to pay; the organisation's when absent.
    pub payment_terms_days: Option<i32>,
    /// The account of lines that name none.
    pub default_account_id: Option<AccountId>,
    /// The VAT code of lines that name none.
    pub default_vat_code: Option<VatCode>,
    /// The rate at which we withhold CIS from a subcontractor.
    pub cis_rate: Option<CisRate>,
}

/// Finds a contact that a body names for a new document: of this organisation, of the right kind, not archived.
pub fn for_new_document(contact: Option<&Contact>, kind: ContactKind, id: ContactId) -> Result<&Contact, Refusal> {
    let contact = for_settlement(contact, kind, id)?;
    if contact.is_archived {
        return Err(Refusal::ContactArchived { field: kind.id_field().to_owned(), id });
    }
    Ok(contact)
}

/// The same for money received or paid, which an archived contact may still owe or be owed.
pub fn for_settlement(contact: Option<&Contact>, kind: ContactKind, id: ContactId) -> Result<&Contact, Refusal> {
    let unknown = || Refusal::UnknownReference { field: kind.id_field().to_owned(), id: id.0 };
    contact.filter(|contact| contact.id == id && contact.kind == kind).ok_or_else(unknown)
}

/// The CIS rate of a supplier: a subcontractor needs one.
pub fn cis_rate(is_subcontractor: bool, rate: Option<CisRate>) -> Result<Option<CisRate>, Refusal> {
    match (is_subcontractor, rate) {
        (true, None) => Err(Refusal::field("cis.deduction_rate", "a subcontractor needs a rate: 0, 20 or 30")),
        (true, rate) => Ok(rate),
        (false, _) => Ok(None),
    }
}

/// Decides whether a contact may carry the caller's own reference; `taken_by` is the contact of its kind that has it.
pub fn require_free_reference(id: Option<ContactId>, taken_by: Option<ContactId>) -> Result<(), Refusal> {
    match taken_by.filter(|other| Some(*other) != id) {
        Some(other) => Err(Refusal::DuplicateExternalId { field: "reference".into(), existing_id: Some(other.0) }),
        None => Ok(()),
    }
}

/// Decides whether a contact may be deleted: only when nothing has ever named it.
pub const fn delete(is_used: bool) -> Result<(), Refusal> {
    if is_used { Err(Refusal::InvalidState { current: "used", allowed: &["never used"] }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn customer(is_archived: bool) -> Contact {
        Contact {
            id: ContactId(4),
            kind: ContactKind::Customer,
            is_archived,
            payment_terms_days: None,
            default_account_id: None,
            default_vat_code: None,
            cis_rate: None,
        }
    }

    #[test]
    fn new_documents_need_a_contact_of_their_kind_that_is_not_archived() {
        let id = ContactId(4);
        assert!(for_new_document(Some(&customer(false)), ContactKind::Customer, id).is_ok());
        let unknown = Refusal::UnknownReference { field: "supplier_id".to_owned(), id: 4 };
        assert_eq!(for_new_document(Some(&customer(false)), ContactKind::Supplier, id), Err(unknown.clone()));
        assert_eq!(for_new_document(None, ContactKind::Supplier, id), Err(unknown));
        let archived = for_new_document(Some(&customer(true)), ContactKind::Customer, id).unwrap_err();
        assert_eq!(archived.reason(), "contact_archived");
        assert!(for_settlement(Some(&customer(true)), ContactKind::Customer, id).is_ok());
    }

    #[test]
    fn subcontractors_have_a_rate() {
        assert_eq!(cis_rate(true, None).unwrap_err().reason(), "invalid_field");
        assert_eq!(cis_rate(true, Some(CisRate::Higher)), Ok(Some(CisRate::Higher)));
        assert_eq!(cis_rate(false, Some(CisRate::Higher)), Ok(None));
        assert_eq!(CisRate::from_percent(20), Some(CisRate::Standard));
        assert_eq!(CisRate::from_percent(25), None);
    }

    #[test]
    fn references_are_unique_and_used_contacts_stay() {
        assert!(require_free_reference(Some(ContactId(4)), Some(ContactId(4))).is_ok());
        let taken = require_free_reference(None, Some(ContactId(4))).unwrap_err();
        assert_eq!(taken.reason(), "duplicate_external_id");
        assert!(delete(false).is_ok());
        assert_eq!(delete(true).unwrap_err().reason(), "invalid_state");
        assert_eq!(ContactKind::parse("customer"), Some(ContactKind::Customer));
        assert_eq!(ContactKind::parse("person"), None);
    }
}
