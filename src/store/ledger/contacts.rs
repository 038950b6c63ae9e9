//! Customers and suppliers: the rows, and what is asked about them.

use super::query::{Conditions, Found, List};
use super::totals::Kept;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::contact::{CisRate, Contact, ContactKind};
use crate::domain::ledger::ids::{AccountId, ContactId};
use crate::domain::ledger::vat::VatCode;
use crate::store::reader::Reader;
use crate::store::sql::Row;
use crate::store::{AddressChange, AddressRow, StoreError};

/// A customer or supplier as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactRow {
    /// Identifier.
    pub id: i64,
    /// Which of the two.
    pub kind: ContactKind,
    /// What may be changed.
    pub details: ContactDetails,
    /// Whether anything was ever posted or drawn up for it.
    pub used: bool,
    /// When it was archived.
    pub archived_at_ms: Option<i64>,
    /// When it was made.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

/// What a caller says about a customer or supplier.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactDetails {
    /// Its name.
    pub name: String,
    /// Whom to ask for.
    pub contact_name: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
    /// Telephone.
    pub phone: Option<String>,
    /// Postal address.
    pub address: AddressRow,
    /// Companies House number.
    pub company_number: Option<String>,
    /// VAT registration number.
    pub vat_number: Option<String>,
    /// Days until a document is due; the organisation's unless given.
    pub payment_terms_days: Option<i64>,
    /// Account of its lines unless told otherwise.
    pub default_account_id: Option<i64>,
    /// VAT code of its lines unless told otherwise.
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
    pub verified_day: Option<i32>,
}

/// What is said anew about it: what is none stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as the fields of the details")]
pub struct CisChange {
    pub is_subcontractor: Option<bool>,
    pub deduction_rate: Option<Option<i64>>,
    pub utr: Option<Option<String>>,
    pub verification_number: Option<Option<String>>,
    pub verified_day: Option<Option<i32>>,
}

impl From<CisDetails> for CisChange {
    fn from(details: CisDetails) -> Self {
        Self {
            is_subcontractor: Some(details.is_subcontractor),
            deduction_rate: Some(details.deduction_rate),
            utr: Some(details.utr),
            verification_number: Some(details.verification_number),
            verified_day: Some(details.verified_day),
        }
    }
}

impl CisChange {
    fn applied_to(self, before: CisDetails) -> CisDetails {
        CisDetails {
            is_subcontractor: self.is_subcontractor.unwrap_or(before.is_subcontractor),
            deduction_rate: self.deduction_rate.unwrap_or(before.deduction_rate),
            utr: self.utr.unwrap_or(before.utr),
            verification_number: self.verification_number.unwrap_or(before.verification_number),
            verified_day: self.verified_day.unwrap_or(before.verified_day),
        }
    }
}

/// One thing said about a contact.
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

impl ContactDetails {
    /// The details after some of them were said anew.
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

/// A contact with what is owed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactView {
    /// The contact.
    pub row: ContactRow,
    /// What they owe us (customer) or we owe them (supplier), in pence.
    pub balance_pence: i64,
    /// How much of it was due before today.
    pub overdue_pence: i64,
}

/// Which contacts.
#[derive(Debug, Clone, Default)]
pub struct ContactFilter {
    /// Text in name, contact name or e-mail address.
    pub search: Option<String>,
    /// Archived ones too.
    pub include_archived: bool,
    /// Changed since, in milliseconds.
    pub updated_since_ms: Option<i64>,
}

pub(super) const CONTACT_COLUMNS: &str = "c.id, c.kind, c.name, c.contact_name, c.email, c.phone, c.address_line1, \
     c.address_line2, c.address_city, c.address_region, c.address_postcode, c.address_country, c.company_number, \
     c.vat_number, c.payment_terms_days, c.default_account_id, c.default_vat_code, c.reference, c.notes, \
     c.cis_deducts, c.cis_is_subcontractor, c.cis_deduction_rate, c.cis_utr, c.cis_verification_number, \
     c.cis_verified_day, c.used, c.archived_at, c.created_at, c.updated_at, c.version";

/// How many columns that is.
pub(super) const COLUMNS: usize = 30;

/// What a contact owes us or is owed by us.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Owed {
    is_customer: bool,
    /// Debits less credits of everything.
    debit_pence: i64,
    /// Those that no document stands behind.
    direct_pence: i64,
    /// Of these, what is charged today or later.
    not_yet_due_pence: i64,
    /// What is left of invoices that were due before today.
    pub(super) overdue_pence: i64,
}

impl Owed {
    /// A line was posted.
    pub(super) const fn add(&mut self, (debit, credit): (i64, i64), is_direct: bool, is_not_due: bool) {
        self.debit_pence += debit - credit;
        if is_direct {
            self.direct_pence += debit - credit;
            if is_not_due {
                // Only one of the two is what this contact is charged; the other settles the oldest first.
                self.not_yet_due_pence += if self.is_customer { debit } else { credit };
            }
        }
    }

    /// What they owe us (customer) or we owe them (supplier).
    pub(super) const fn balance_pence(&self, kind: ContactKind) -> i64 {
        match kind {
            ContactKind::Customer => self.debit_pence,
            ContactKind::Supplier => -self.debit_pence,
        }
    }

    /// What of it was due before today: invoices by their due dates, what no document stands behind by its own date.
    pub(super) fn overdue_pence(&self, kind: ContactKind) -> i64 {
        let direct = match kind {
            ContactKind::Customer => self.direct_pence,
            ContactKind::Supplier => -self.direct_pence,
        };
        self.overdue_pence + direct.saturating_sub(self.not_yet_due_pence).max(0)
    }
}

/// The columns of [`read_owed`], for the contact `c` and the day `$today`.
pub(super) fn owed_columns(today: &str) -> String {
    let sum = |what: &str, of: &str| {
        format!(
            "(select cast(coalesce(sum({what}), 0) as bigint) from {of} m \
             where m.organisation_id = c.organisation_id and m.contact_id = c.id"
        )
    };
    format!(
        "c.kind, {}), {}), {} and m.day >= {today}), (select cast(coalesce(sum(d.due), 0) as bigint) from document d \
         where d.contact_id = c.id and d.kind in ('sales_invoice', 'purchase_invoice') and d.due > 0 \
         and d.due_day < {today})",
        sum("m.debit - m.credit", "contact_month"),
        sum("m.direct_debit - m.direct_credit", "contact_month"),
        sum("case when c.kind = 'customer' then m.direct_debit else m.direct_credit end", "contact_day"),
    )
}

pub(super) fn read_owed(row: &Row, from: usize) -> Result<Owed, StoreError> {
    Ok(Owed {
        is_customer: row.parsed(from, ContactKind::parse)? == ContactKind::Customer,
        debit_pence: row.get(from + 1)?,
        direct_pence: row.get(from + 2)?,
        not_yet_due_pence: row.get(from + 3)?,
        overdue_pence: row.get(from + 4)?,
    })
}

pub(super) fn read_contact(row: &Row) -> Result<ContactRow, StoreError> {
    let verified: Option<i64> = row.get(24)?;
    Ok(ContactRow {
        id: row.get(0)?,
        kind: row.parsed(1, ContactKind::parse)?,
        details: ContactDetails {
            name: row.get(2)?,
            contact_name: row.get(3)?,
            email: row.get(4)?,
            phone: row.get(5)?,
            address: AddressRow {
                line1: row.get(6)?,
                line2: row.get(7)?,
                city: row.get(8)?,
                region: row.get(9)?,
                postcode: row.get(10)?,
                country: row.get(11)?,
            },
            company_number: row.get(12)?,
            vat_number: row.get(13)?,
            payment_terms_days: row.get(14)?,
            default_account_id: row.get(15)?,
            default_vat_code: row.get(16)?,
            reference: row.get(17)?,
            notes: row.get(18)?,
            cis_deducts: row.get(19)?,
            cis: CisDetails {
                is_subcontractor: row.get(20)?,
                deduction_rate: row.get(21)?,
                utr: row.get(22)?,
                verification_number: row.get(23)?,
                verified_day: verified.and_then(|day| i32::try_from(day).ok()),
            },
        },
        used: row.get(25)?,
        archived_at_ms: row.get(26)?,
        created_at_ms: row.get(27)?,
        updated_at_ms: row.get(28)?,
        version: row.get(29)?,
    })
}

fn read_view(row: &Row) -> Result<ContactView, StoreError> {
    let (contact, owed) = (read_contact(row)?, read_owed(row, COLUMNS)?);
    let (balance_pence, overdue_pence) = (owed.balance_pence(contact.kind), owed.overdue_pence(contact.kind));
    Ok(ContactView { row: contact, balance_pence, overdue_pence })
}

impl Reader {
    /// A page of the customers or suppliers of an organisation by name, and how many there are.
    pub async fn contacts(
        &self,
        organisation: OrganisationId,
        kind: ContactKind,
        filter: &ContactFilter,
        today: i32,
        page: (u64, u64),
    ) -> Result<(Vec<ContactView>, Option<u64>), StoreError> {
        let mut conditions = Conditions::new("c.organisation_id = $1", organisation.0);
        conditions.and("c.kind = {}", kind.as_str());
        if !filter.include_archived {
            conditions.and_plain("c.archived_at is null");
        }
        conditions.and_if("~c.updated_at >= {}", filter.updated_since_ms);
        let mut list = List {
            table: "contact c",
            id: "c.id",
            key: "c.name",
            descending: false,
            with: "",
            from: "contact c".to_owned(),
            named: None,
            all: if filter.include_archived {
                "contact b where b.organisation_id = $1 and b.kind = $2"
            } else {
                "contact b where b.organisation_id = $1 and b.kind = $2 and b.archived_at is null"
            },
            found: filter.updated_since_ms.map_or(Found::InOrder, |_| Found::Apart("contact c".to_owned())),
        };
        self.search(&mut list, &mut conditions, ("contact", "c"), filter.search.as_deref());
        let today = conditions.value(i64::from(today));
        let columns = format!("{CONTACT_COLUMNS}, {}", owed_columns(&today));
        let (rows, total) = self.listed(organisation, &list, &columns, conditions, page, &filter.kept(kind)).await?;
        Ok((rows.iter().map(read_view).collect::<Result<_, _>>()?, total))
    }

    /// One customer or supplier of an organisation.
    pub async fn contact(
        &self,
        organisation: OrganisationId,
        kind: ContactKind,
        id: i64,
        today: i32,
    ) -> Result<Option<ContactView>, StoreError> {
        let mut conditions = Conditions::new("c.organisation_id = $1", organisation.0);
        conditions.and("c.kind = {}", kind.as_str());
        conditions.and("c.id = {}", id);
        let today = conditions.value(i64::from(today));
        let sql =
            format!("select {CONTACT_COLUMNS}, {} from contact c where {}", owed_columns(&today), conditions.text());
        self.one(&sql, conditions.values()).await?.as_ref().map(read_view).transpose()
    }
}

impl ContactRow {
    /// The contact as the rules know it.
    pub(super) fn for_rules(&self) -> Contact {
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
}

impl ContactFilter {
    /// What says how many there are.
    fn kept(&self, kind: ContactKind) -> Kept {
        if self.search.is_some() {
            return Kept::Nothing;
        }
        let statuses = if self.include_archived { vec!["active", "archived"] } else { vec!["active"] };
        let changed = self.updated_since_ms.map(|since_ms| ("c.updated_at", since_ms));
        Kept::of_list(kind.as_str(), statuses, (None, None), changed)
    }
}

pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
