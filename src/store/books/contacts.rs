//! Customers and suppliers: the rows, and what is asked about them.

use crate::domain::books::records::address::Address;
use crate::domain::books::records::contact::{CisDetails, ContactDetails, ContactFilter, ContactRecord, ContactView};
use crate::domain::date::Date;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::contact::ContactKind;
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::books::lists::{List, PagePlan};
use crate::store::books::report_rows::{contact_balance_columns, read_contact_balance};
use crate::store::books::totals::TotalSource;
use crate::store::sql::Column::{Flag, Number, Text};
use crate::store::sql::{Cell, Column, Reader, Row, Rows};

pub(super) const CONTACT_COLUMNS: &str = "c.id, c.kind, c.name, c.contact_name, c.email, c.phone, c.address_line1, \
     c.address_line2, c.address_city, c.address_region, c.address_postcode, c.address_country, c.company_number, \
     c.vat_number, c.payment_terms_days, c.default_account_id, c.default_vat_code, c.reference, c.notes, \
     c.cis_deducts, c.cis_is_subcontractor, c.cis_deduction_rate, c.cis_utr, c.cis_verification_number, \
     c.cis_verified_day, c.used, c.archived_at, c.created_at, c.updated_at, c.version";

/// How many columns that is.
pub(super) const COLUMNS: usize = 30;

pub(super) fn read_contact(row: &Row) -> Result<ContactRecord, StoreError> {
    Ok(ContactRecord {
        id: row.get(0)?,
        kind: row.parsed(1, ContactKind::parse)?,
        details: ContactDetails {
            name: row.get(2)?,
            contact_name: row.get(3)?,
            email: row.get(4)?,
            phone: row.get(5)?,
            address: Address {
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
                verified_date: row.maybe_date(24)?,
            },
        },
        used: row.get(25)?,
        archived_at_ms: row.get(26)?,
        created_at_ms: row.get(27)?,
        updated_at_ms: row.get(28)?,
        version: row.get(29)?,
    })
}

const CONTACT: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Text("kind"),
    Text("name"),
    Text("contact_name"),
    Text("email"),
    Text("phone"),
    Text("address_line1"),
    Text("address_line2"),
    Text("address_city"),
    Text("address_region"),
    Text("address_postcode"),
    Text("address_country"),
    Text("company_number"),
    Text("vat_number"),
    Number("payment_terms_days"),
    Number("default_account_id"),
    Text("default_vat_code"),
    Text("reference"),
    Text("notes"),
    Flag("cis_deducts"),
    Flag("cis_is_subcontractor"),
    Number("cis_deduction_rate"),
    Text("cis_utr"),
    Text("cis_verification_number"),
    Number("cis_verified_day"),
    Text("search"),
    Flag("used"),
    Number("archived_at"),
    Number("created_at"),
    Number("updated_at"),
    Number("version"),
];

const CONTACT_CONFLICT: &str = "on conflict (id) do update set name = excluded.name, \
     contact_name = excluded.contact_name, email = excluded.email, phone = excluded.phone, \
     address_line1 = excluded.address_line1, address_line2 = excluded.address_line2, \
     address_city = excluded.address_city, address_region = excluded.address_region, \
     address_postcode = excluded.address_postcode, address_country = excluded.address_country, \
     company_number = excluded.company_number, vat_number = excluded.vat_number, \
     payment_terms_days = excluded.payment_terms_days, default_account_id = excluded.default_account_id, \
     default_vat_code = excluded.default_vat_code, reference = excluded.reference, notes = excluded.notes, \
     cis_deducts = excluded.cis_deducts, cis_is_subcontractor = excluded.cis_is_subcontractor, \
     cis_deduction_rate = excluded.cis_deduction_rate, cis_utr = excluded.cis_utr, \
     cis_verification_number = excluded.cis_verification_number, cis_verified_day = excluded.cis_verified_day, \
     search = excluded.search, used = excluded.used, archived_at = excluded.archived_at, \
     updated_at = excluded.updated_at, version = excluded.version";

/// The rows of contacts.
pub(super) fn contact_rows<'a>(records: impl Iterator<Item = &'a (i64, ContactRecord)>) -> Rows {
    let mut rows = Rows::new("contact", CONTACT, CONTACT_CONFLICT);
    for (organisation, row) in records {
        let details = &row.details;
        let (address, cis) = (&details.address, &details.cis);
        let search = row.search_text();
        rows.push([
            row.id.into(),
            organisation.into(),
            row.kind.as_str().into(),
            (&details.name).into(),
            (&details.contact_name).into(),
            (&details.email).into(),
            (&details.phone).into(),
            (&address.line1).into(),
            (&address.line2).into(),
            (&address.city).into(),
            (&address.region).into(),
            (&address.postcode).into(),
            (&address.country).into(),
            (&details.company_number).into(),
            (&details.vat_number).into(),
            details.payment_terms_days.into(),
            details.default_account_id.into(),
            (&details.default_vat_code).into(),
            (&details.reference).into(),
            (&details.notes).into(),
            details.cis_deducts.into(),
            cis.is_subcontractor.into(),
            cis.deduction_rate.into(),
            (&cis.utr).into(),
            (&cis.verification_number).into(),
            cis.verified_date.map(i64::from).into(),
            Cell::Text(&search),
            row.used.into(),
            row.archived_at_ms.into(),
            row.created_at_ms.into(),
            row.updated_at_ms.into(),
            row.version.into(),
        ]);
    }
    rows
}

fn read_view(row: &Row) -> Result<ContactView, StoreError> {
    let (contact, owed) = (read_contact(row)?, read_contact_balance(row, COLUMNS)?);
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
        today: Date,
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
            index_columns: None,
            all: if filter.include_archived {
                "contact b where b.organisation_id = $1 and b.kind = $2"
            } else {
                "contact b where b.organisation_id = $1 and b.kind = $2 and b.archived_at is null"
            },
            plan: filter.updated_since_ms.map_or(PagePlan::InOrder, |_| PagePlan::FilterFirst("contact c".to_owned())),
        };
        self.search(&mut list, &mut conditions, ("contact", "c"), filter.search.as_deref());
        let today = conditions.value(i64::from(today));
        let columns = format!("{CONTACT_COLUMNS}, {}", contact_balance_columns(&today));
        let (rows, total) =
            self.listed(organisation, &list, &columns, conditions, page, &filter.total_source(kind)).await?;
        Ok((rows.iter().map(read_view).collect::<Result<_, _>>()?, total))
    }

    /// One customer or supplier of an organisation.
    pub async fn contact(
        &self,
        organisation: OrganisationId,
        kind: ContactKind,
        id: i64,
        today: Date,
    ) -> Result<Option<ContactView>, StoreError> {
        let mut conditions = Conditions::new("c.organisation_id = $1", organisation.0);
        conditions.and("c.kind = {}", kind.as_str());
        conditions.and("c.id = {}", id);
        let today = conditions.value(i64::from(today));
        let sql = format!(
            "select {CONTACT_COLUMNS}, {} from contact c where {}",
            contact_balance_columns(&today),
            conditions.text()
        );
        self.one(&sql, conditions.values()).await?.as_ref().map(read_view).transpose()
    }
}

impl ContactFilter {
    /// What says how many there are.
    fn total_source(&self, kind: ContactKind) -> TotalSource {
        if self.search.is_some() {
            return TotalSource::Nothing;
        }
        let statuses = if self.include_archived { vec!["active", "archived"] } else { vec!["active"] };
        let changed = self.updated_since_ms.map(|since_ms| ("c.updated_at", since_ms));
        TotalSource::of_list(kind.as_str(), statuses, (None, None), changed)
    }
}
