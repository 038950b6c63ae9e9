//! Organisations: the record, its changes, and the changes of its period lock.

use crate::domain::books::audit_fields::AuditFields;
use crate::domain::books::records::address::{Address, AddressChange, with_address};
use crate::domain::date::Date;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::financial_year::{FinancialYears, YearEnd};
use crate::domain::ledger::journal;
use crate::domain::ledger::money::Percent;
use crate::domain::ledger::organisation::{EntityType, VatPatch, VatSettings};
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::{FlatRateBasis, VatHistory, VatScheme};
use crate::domain::ledger::vat_return::VatPeriods;

/// An organisation as stored (`ledger.md` 2.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganisationRecord {
    /// Identifier.
    pub id: OrganisationId,
    /// Display name.
    pub name: String,
    /// Registered name.
    pub legal_name: Option<String>,
    /// `limited_company` and so on.
    pub entity_type: String,
    /// Companies House number.
    pub company_number: Option<String>,
    /// Unique taxpayer reference.
    pub utr: Option<String>,
    /// ISO 4217.
    pub base_currency: String,
    /// ISO 3166-1 alpha-2.
    pub country: String,
    /// IANA name.
    pub timezone: String,
    /// Postal address.
    pub address: Address,
    /// `MM-DD`.
    pub financial_year_end: String,
    /// First day of the books.
    pub books_start_date: Option<Date>,
    /// Whether it is registered for VAT.
    pub vat_registered: bool,
    /// VAT registration number.
    pub vat_number: Option<String>,
    /// `standard`, `cash`, `flat_rate` or none.
    pub vat_scheme: Option<String>,
    /// First day of the scheme.
    pub vat_scheme_from: Option<Date>,
    /// Flat rate in hundredths of a percent.
    pub flat_rate_basis_points: Option<i64>,
    /// When sales are turnover of the flat rate.
    pub flat_rate_basis: FlatRateBasis,
    /// Length of a VAT period.
    pub vat_period_months: i64,
    /// A month a VAT period ends in.
    pub vat_period_end_month: i64,
    /// Whether it deducts under CIS.
    pub cis_contractor: bool,
    /// Whether it suffers deductions under CIS.
    pub cis_subcontractor: bool,
    /// Rate suffered in hundredths of a percent.
    pub cis_suffered_basis_points: Option<i64>,
    /// Nothing is posted on or before this day.
    pub lock_date: Option<Date>,
    /// Days until an invoice is due.
    pub default_payment_terms_days: i64,
    /// The prefix of invoice numbers.
    pub sales_invoice_prefix: String,
    /// The next invoice number.
    pub sales_invoice_next_number: i64,
    /// The prefix of credit note numbers.
    pub sales_credit_note_prefix: String,
    /// The reply address of what is sent.
    pub email: Option<String>,
    /// The telephone number that documents show.
    pub phone: Option<String>,
    /// The employer's reference at HMRC, such as `123/AB456`.
    pub paye_reference: Option<String>,
    /// The reference of payments of PAYE and CIS to HMRC.
    pub accounts_office_reference: Option<String>,
    /// The bank account that invoices ask to pay to.
    pub payment_bank_account_id: Option<i64>,
    /// A text below every invoice.
    pub invoice_footer: Option<String>,
    /// Whether suggestions are asked for after each import of bank lines.
    pub auto_suggest: bool,
    /// Whether an account has the role `vat_control`.
    pub has_vat_control: bool,
    /// Whether opening balances were posted.
    pub opening_balances_set: bool,
    /// `active`.
    pub status: String,
    /// When it was created.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
    /// The value of the topic `memberships` this row was last changed at.
    pub changed_epoch: i64,
}

/// A changed field of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of the record, one each")]
pub enum OrganisationField {
    Name(String),
    LegalName(Option<String>),
    EntityType(EntityType),
    CompanyNumber(Option<String>),
    Utr(Option<String>),
    Address(AddressChange),
    Timezone(String),
    FinancialYearEnd(YearEnd),
    BooksStartDate(Option<Date>),
    CisContractor(bool),
    CisSubcontractor(bool),
    CisSufferedBasisPoints(Option<i64>),
    DefaultPaymentTermsDays(i64),
    SalesInvoicePrefix(String),
    SalesCreditNotePrefix(String),
    Email(Option<String>),
    Phone(Option<String>),
    PayeReference(Option<String>),
    AccountsOfficeReference(Option<String>),
    PaymentBankAccountId(Option<i64>),
    InvoiceFooter(Option<String>),
    AutoSuggest(bool),
}

/// The changed fields of an organisation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrganisationChange {
    /// Plain fields.
    pub fields: Vec<OrganisationField>,
    /// The VAT settings, which depend on each other.
    pub vat: VatPatch,
}

/// A change of the period lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockChange {
    /// The last locked day; none when it was cleared.
    pub lock_date: Option<Date>,
    /// The reason given.
    pub reason: Option<String>,
    /// The person.
    pub user_id: i64,
    /// The moment, in milliseconds.
    pub at_ms: i64,
}

impl OrganisationChange {
    /// The bank account that invoices shall ask to pay to, when the change names one.
    pub(crate) fn payment_bank_account_id(&self) -> Option<i64> {
        self.fields.iter().rev().find_map(|field| match field {
            OrganisationField::PaymentBankAccountId(id) => Some(*id),
            _ => None,
        })?
    }
}

/// What of the books of an organisation has a history, which a change goes on with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Histories<'a> {
    /// The VAT schemes.
    pub(crate) vat: &'a VatHistory,
    /// The financial years.
    pub(crate) years: &'a FinancialYears,
}

/// An organisation after a change.
#[derive(Debug)]
pub(crate) struct ChangedOrganisation {
    /// Its record.
    pub(crate) row: OrganisationRecord,
    /// The VAT scheme that begins, with its first day, if another scheme does.
    pub(crate) vat_scheme: Option<(Date, VatScheme)>,
    /// The financial years, if they change.
    pub(crate) years: Option<FinancialYears>,
}

impl OrganisationRecord {
    /// The organisation after the change. A new one has no histories.
    pub(crate) fn with(
        &self,
        change: &OrganisationChange,
        histories: Option<Histories<'_>>,
    ) -> Result<ChangedOrganisation, Refusal> {
        let mut row = self.clone();
        let mut year_end = None;
        for field in change.fields.iter().cloned() {
            match field {
                OrganisationField::Name(name) => row.name = name,
                OrganisationField::LegalName(name) => row.legal_name = name,
                OrganisationField::EntityType(kind) => row.entity_type = kind.as_str().to_owned(),
                OrganisationField::CompanyNumber(number) => row.company_number = number,
                OrganisationField::Utr(utr) => row.utr = utr,
                OrganisationField::Address(change) => row.address = change.applied_to(row.address),
                OrganisationField::Timezone(name) => row.timezone = name,
                OrganisationField::FinancialYearEnd(day) => {
                    row.financial_year_end = day.to_string();
                    year_end = Some(day);
                }
                OrganisationField::BooksStartDate(date) => row.books_start_date = date,
                OrganisationField::CisContractor(is) => row.cis_contractor = is,
                OrganisationField::CisSubcontractor(is) => row.cis_subcontractor = is,
                OrganisationField::CisSufferedBasisPoints(rate) => row.cis_suffered_basis_points = rate,
                OrganisationField::DefaultPaymentTermsDays(days) => row.default_payment_terms_days = days,
                OrganisationField::SalesInvoicePrefix(prefix) => row.sales_invoice_prefix = prefix,
                OrganisationField::SalesCreditNotePrefix(prefix) => row.sales_credit_note_prefix = prefix,
                OrganisationField::Email(email) => row.email = email,
                OrganisationField::Phone(phone) => row.phone = phone,
                OrganisationField::PayeReference(reference) => row.paye_reference = reference,
                OrganisationField::AccountsOfficeReference(reference) => row.accounts_office_reference = reference,
                OrganisationField::PaymentBankAccountId(id) => row.payment_bank_account_id = id,
                OrganisationField::InvoiceFooter(footer) => row.invoice_footer = footer,
                OrganisationField::AutoSuggest(is) => row.auto_suggest = is,
            }
        }
        let (vat, vat_scheme) = match histories {
            Some(histories) => row.vat_settings().patched(&change.vat, histories.vat, self.lock_date)?,
            None => {
                let vat = VatSettings::initial(&change.vat)?;
                let begins = vat.scheme.map(|scheme| (vat.scheme_from.unwrap_or(journal::FIRST_DATE), scheme));
                (vat, begins)
            }
        };
        row.vat_registered = vat.is_registered;
        row.vat_number = vat.number;
        row.vat_scheme = vat.scheme.map(|scheme| scheme.as_str().to_owned());
        row.vat_scheme_from = vat.scheme_from;
        row.flat_rate_basis_points = vat.scheme.and_then(VatScheme::flat_rate).map(|rate| rate.0);
        row.flat_rate_basis = vat.flat_rate_basis;
        row.vat_period_months = i64::from(vat.period_months);
        row.vat_period_end_month = i64::from(vat.period_end_month);
        let others = histories.zip(year_end).filter(|(histories, day)| !histories.years.year_end().is_same_day(*day));
        let years = others.map(|(histories, day)| histories.years.changed(day, self.lock_date)).transpose()?;
        Ok(ChangedOrganisation { row, vat_scheme, years })
    }

    /// Years that have always ended as the record says: those of a new organisation.
    pub(crate) fn constant_years(&self) -> FinancialYears {
        // The same rule accepted the stored day.
        FinancialYears::since_ever(YearEnd::parse(&self.financial_year_end).unwrap_or(YearEnd::MARCH))
    }

    /// The VAT settings as the rules read them.
    fn vat_settings(&self) -> VatSettings {
        let scheme = self.vat_scheme.as_deref();
        let rate = self.flat_rate_basis_points.map(Percent);
        VatSettings {
            is_registered: self.vat_registered,
            number: self.vat_number.clone(),
            // The same rule accepted the stored scheme.
            scheme: scheme.and_then(|word| VatScheme::from_parts(word, rate, self.flat_rate_basis).ok()),
            scheme_from: self.vat_scheme_from,
            flat_rate_basis: self.flat_rate_basis,
            period_months: self.vat_periods().months,
            period_end_month: self.vat_periods().end_month,
        }
    }

    /// Its VAT periods.
    pub fn vat_periods(&self) -> VatPeriods {
        // Both were accepted as numbers of months.
        let months = |number: i64| i32::try_from(number).unwrap_or(3);
        VatPeriods { months: months(self.vat_period_months), end_month: months(self.vat_period_end_month) }
    }

    /// The fields that the history shows.
    pub(crate) fn audit_fields(&self) -> AuditFields {
        let audit_fields = AuditFields::new()
            .text("name", self.name.as_str())
            .text("legal_name", self.legal_name.as_deref())
            .text("entity_type", self.entity_type.as_str())
            .text("company_number", self.company_number.as_deref())
            .text("utr", self.utr.as_deref())
            .text("timezone", self.timezone.as_str());
        with_address(audit_fields, &self.address)
            .text("financial_year_end", self.financial_year_end.as_str())
            .date("books_start_date", self.books_start_date)
            .flag("vat_registered", self.vat_registered)
            .text("vat_number", self.vat_number.as_deref())
            .text("vat_scheme", self.vat_scheme.as_deref())
            .date("vat_scheme_from", self.vat_scheme_from)
            .percent("flat_rate_percent", self.flat_rate_basis_points)
            .text("flat_rate_basis", self.flat_rate_basis.as_str())
            .number("vat_period_months", self.vat_period_months)
            .number("vat_period_end_month", self.vat_period_end_month)
            .flag("cis_contractor", self.cis_contractor)
            .flag("cis_subcontractor", self.cis_subcontractor)
            .percent("cis_suffered_rate", self.cis_suffered_basis_points)
            .number("default_payment_terms_days", self.default_payment_terms_days)
            .text("sales_invoice_prefix", self.sales_invoice_prefix.as_str())
            .text("sales_credit_note_prefix", self.sales_credit_note_prefix.as_str())
            .text("email", self.email.as_deref())
            .text("phone", self.phone.as_deref())
            .text("paye_reference", self.paye_reference.as_deref())
            .text("accounts_office_reference", self.accounts_office_reference.as_deref())
            .number("payment_bank_account_id", self.payment_bank_account_id)
            .text("invoice_footer", self.invoice_footer.as_deref())
            .flag("auto_suggest", self.auto_suggest)
    }

    /// The fields of the period lock that the history shows.
    pub(crate) fn lock_audit_fields(&self) -> AuditFields {
        AuditFields::new().date("lock_date", self.lock_date)
    }
}

/// The record of a new organisation before its fields are set.
pub fn blank(now_ms: i64) -> OrganisationRecord {
    OrganisationRecord {
        id: OrganisationId(0),
        name: String::new(),
        legal_name: None,
        entity_type: EntityType::LimitedCompany.as_str().to_owned(),
        company_number: None,
        utr: None,
        base_currency: "GBP".to_owned(),
        country: "GB".to_owned(),
        timezone: "Europe/London".to_owned(),
        address: Address::default(),
        financial_year_end: YearEnd::MARCH.to_string(),
        books_start_date: None,
        vat_registered: false,
        vat_number: None,
        vat_scheme: None,
        vat_scheme_from: None,
        flat_rate_basis_points: None,
        flat_rate_basis: FlatRateBasis::Invoice,
        vat_period_months: 3,
        vat_period_end_month: 3,
        cis_contractor: false,
        cis_subcontractor: false,
        cis_suffered_basis_points: None,
        lock_date: None,
        default_payment_terms_days: 30,
        sales_invoice_prefix: "INV-".to_owned(),
        sales_invoice_next_number: 1,
        sales_credit_note_prefix: "SCN-".to_owned(),
        email: None,
        phone: None,
        paye_reference: None,
        accounts_office_reference: None,
        payment_bank_account_id: None,
        invoice_footer: None,
        auto_suggest: false,
        has_vat_control: false,
        opening_balances_set: false,
        status: "active".to_owned(),
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        version: 1,
        changed_epoch: 0,
    }
}
