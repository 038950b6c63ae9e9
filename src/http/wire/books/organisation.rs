//! Reading the bodies of requests about organisations and their period lock.

use super::read::{body, utr};
use crate::domain::books::records::organisation::{OrganisationChange, OrganisationField};
use crate::domain::date::{Date, is_timezone};
use crate::domain::ledger::financial_year::YearEnd;
use crate::domain::ledger::money::Percent;
use crate::domain::ledger::organisation::EntityType;
use crate::domain::ledger::vat::FlatRateBasis;
use crate::domain::problem::Issues;
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

const NAMES: [&str; 32] = [
    "name",
    "legal_name",
    "entity_type",
    "company_number",
    "utr",
    "address",
    "timezone",
    "financial_year_end",
    "cis_contractor",
    "cis_subcontractor",
    "cis_suffered_rate",
    "default_payment_terms_days",
    "sales_invoice_prefix",
    "sales_credit_note_prefix",
    "vat_registered",
    "vat_number",
    "vat_scheme",
    "vat_scheme_from",
    "flat_rate_percent",
    "flat_rate_basis",
    "vat_period_months",
    "vat_period_end_month",
    "email",
    "phone",
    "paye_reference",
    "accounts_office_reference",
    "payment_bank_account_id",
    "invoice_footer",
    "auto_suggest",
    // Only of a new organisation.
    "books_start_date",
    "vat_control",
    "base_currency",
];
/// Keys of [`NAMES`] that a change may have.
const PATCHABLE: usize = 29;

const ENTITY_TYPES: &str = "one of sole_trader, partnership, limited_company, llp, charity, landlord, other";

/// What is said about a new organisation.
pub struct NewOrganisation {
    /// Its record.
    pub change: OrganisationChange,
    /// Whether a VAT Control account comes with it.
    pub vat_control: bool,
    /// The currency, where one is named.
    pub currency: Option<String>,
}

/// Reads the body that makes an organisation.
pub fn parse_new(text: &[u8]) -> Result<NewOrganisation, Issues> {
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut new = NewOrganisation { change: OrganisationChange::default(), vat_control: false, currency: None };
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            30 => new.vat_control = reader.flag(body("vat_control"))?.unwrap_or_default(),
            31 => new.currency = reader.text(body("base_currency"), 3..=3)?.map(String::from),
            _ => field(reader, at, &mut new.change)?,
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 1);
        }
    });
    reader.finish(read)?;
    Ok(new)
}

/// Reads the body that changes an organisation.
pub fn parse_patch(text: &[u8]) -> Result<OrganisationChange, Issues> {
    let mut names = [""; PATCHABLE];
    for (name, known) in names.iter_mut().zip(NAMES) {
        *name = known;
    }
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut change = OrganisationChange::default();
    let read = reader.object(FieldPath::section(BODY), &names, |reader, at| field(reader, at, &mut change));
    let read = read.map(|given| reader.require_some(given));
    reader.finish(read)?;
    Ok(change)
}

fn field(reader: &mut StrictReader<'_>, at: usize, change: &mut OrganisationChange) -> Reading<()> {
    use OrganisationField as Field;
    let name = NAMES.get(at).copied().unwrap_or_default();
    let path = body(name);
    let plain = match at {
        0 => reader.name(path, 1..=255)?.map(|name| Field::Name(name.into_owned())),
        1 => reader.maybe_label(path, 255)?.map(Field::LegalName),
        2 => reader.word(path, EntityType::parse, ENTITY_TYPES)?.map(Field::EntityType),
        3 => reader.maybe_text(path, 20)?.map(Field::CompanyNumber),
        4 if reader.is_null()? => Some(Field::Utr(None)),
        4 => utr(reader, path)?.map(|utr| Field::Utr(Some(utr))),
        5 => Some(Field::Address(reader.address()?)),
        6 => {
            let zone = |text: &str| is_timezone(text).then(|| text.to_owned());
            reader.word(path, zone, "an IANA time zone, such as Europe/London")?.map(Field::Timezone)
        }
        7 => reader
            .word(path, YearEnd::parse, "the last day of the year as MM-DD, such as 03-31")?
            .map(Field::FinancialYearEnd),
        8 => reader.flag(path)?.map(Field::CisContractor),
        9 => reader.flag(path)?.map(Field::CisSubcontractor),
        10 if reader.is_null()? => Some(Field::CisSufferedBasisPoints(None)),
        10 => {
            let rule = "a percentage from 0 to 100 with at most two decimals, or null";
            reader.percent(path, 0..=10_000, rule)?.map(|rate| Field::CisSufferedBasisPoints(Some(rate)))
        }
        11 => reader.whole(path, 0..=365)?.map(Field::DefaultPaymentTermsDays),
        12 => reader.prefix(path, 10)?.map(|prefix| Field::SalesInvoicePrefix(prefix.into_owned())),
        13 => reader.prefix(path, 10)?.map(|prefix| Field::SalesCreditNotePrefix(prefix.into_owned())),
        22 => reader.maybe_email(path)?.map(Field::Email),
        23 => reader.maybe_text(path, 50)?.map(Field::Phone),
        24 => reader.maybe_label(path, 20)?.map(Field::PayeReference),
        25 => reader.maybe_label(path, 20)?.map(Field::AccountsOfficeReference),
        26 if reader.is_null()? => Some(Field::PaymentBankAccountId(None)),
        26 => reader.id(path)?.map(|id| Field::PaymentBankAccountId(Some(id))),
        27 => reader.maybe_text(path, 2_000)?.map(Field::InvoiceFooter),
        28 => reader.flag(path)?.map(Field::AutoSuggest),
        29 if reader.is_null()? => None,
        29 => reader.book_date(path)?.map(|date| Field::BooksStartDate(Some(date))),
        _ => return vat_field(reader, at, path, change),
    };
    change.fields.extend(plain);
    Ok(())
}

fn vat_field(
    reader: &mut StrictReader<'_>,
    at: usize,
    path: FieldPath<'_>,
    change: &mut OrganisationChange,
) -> Reading<()> {
    let vat = &mut change.vat;
    match at {
        14 => vat.is_registered = reader.flag(path)?,
        15 => vat.number = reader.maybe_text(path, 20)?,
        16 if reader.is_null()? => vat.scheme = Some(None),
        16 => {
            let scheme = |text: &str| matches!(text, "standard" | "cash" | "flat_rate").then(|| text.to_owned());
            vat.scheme = reader.word(path, scheme, "one of standard, cash, flat_rate, or null")?.map(Some);
        }
        17 if reader.is_null()? => vat.scheme_from = Some(None),
        17 => vat.scheme_from = reader.book_date(path)?.map(Some),
        18 if reader.is_null()? => vat.flat_rate = Some(None),
        18 => {
            let rule = "a percentage from 0.01 to 50 with at most two decimals, or null";
            vat.flat_rate = reader.percent(path, 1..=5_000, rule)?.map(|rate| Some(Percent(rate)));
        }
        19 => {
            let rule = format!("one of {}", FlatRateBasis::ALL.map(FlatRateBasis::as_str).join(", "));
            vat.flat_rate_basis = reader.word(path, FlatRateBasis::parse, &rule)?;
        }
        20 => vat.period_months = small(reader.whole(path, 1..=12)?),
        _ => vat.period_end_month = small(reader.whole(path, 1..=12)?),
    }
    Ok(())
}

fn small(number: Option<i64>) -> Option<i32> {
    number.and_then(|number| i32::try_from(number).ok())
}

/// A move of the period lock.
#[derive(Debug, Default)]
pub struct LockRequest {
    /// The last locked day; none to open everything.
    pub lock_date: Option<Date>,
    /// Why.
    pub reason: Option<String>,
}

/// Reads the body that moves the period lock.
pub fn parse_lock(text: &[u8]) -> Result<LockRequest, Issues> {
    const NAMES: [&str; 2] = ["lock_date", "reason"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut request = LockRequest::default();
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        if reader.is_null()? {
            return Ok(());
        }
        match at {
            0 => request.lock_date = reader.book_date(body("lock_date"))?,
            _ => request.reason = reader.text(body("reason"), 1..=500)?.map(String::from),
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 1);
        }
    });
    reader.finish(read)?;
    Ok(request)
}
