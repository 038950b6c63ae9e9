//! Reading the bodies of requests about customers and suppliers.

use super::read::body;
use crate::domain::books::records::contact::{CisChange, CisDetails, ContactField};
use crate::domain::ledger::contact::{CisRate, ContactKind};
use crate::domain::problem::Issues;
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

/// What both kinds have, the name first.
macro_rules! names {
    ($own:literal) => {
        [
            "name",
            "contact_name",
            "email",
            "phone",
            "address",
            "company_number",
            "vat_number",
            "payment_terms_days",
            "default_account_id",
            "default_vat_code",
            "reference",
            "notes",
            $own,
        ]
    };
}

const OF_CUSTOMER: [&str; 13] = names!("cis_deducts");
const OF_SUPPLIER: [&str; 13] = names!("cis");
const NAME: usize = 0;

/// Reads a body that makes (`is_new`) or changes a contact.
pub fn parse(text: &[u8], kind: ContactKind, is_new: bool) -> Result<Vec<ContactField>, Issues> {
    let names = match kind {
        ContactKind::Customer => OF_CUSTOMER,
        ContactKind::Supplier => OF_SUPPLIER,
    };
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut fields = Vec::new();
    let read = reader.object(FieldPath::section(BODY), &names, |reader, at| {
        let name = names.get(at).copied().unwrap_or_default();
        fields.extend(field(reader, name, at, is_new)?);
        Ok(())
    });
    let read = read.map(|given| match given {
        Some(given) if is_new => reader.require(FieldPath::section(BODY), &names, &given, NAME + 1),
        given => reader.require_some(given),
    });
    reader.finish(read)?;
    Ok(fields)
}

fn field(reader: &mut StrictReader<'_>, name: &'static str, at: usize, is_new: bool) -> Reading<Option<ContactField>> {
    let path = body(name);
    Ok(match at {
        0 => reader.name(path, 1..=255)?.map(|name| ContactField::Name(name.into_owned())),
        1 => reader.maybe_label(path, 255)?.map(ContactField::ContactName),
        2 => email(reader)?.map(ContactField::Email),
        3 => reader.maybe_text(path, 50)?.map(ContactField::Phone),
        4 => Some(ContactField::Address(reader.address()?)),
        5 => reader.maybe_text(path, 20)?.map(ContactField::CompanyNumber),
        6 => reader.maybe_text(path, 20)?.map(ContactField::VatNumber),
        7 if reader.is_null()? => Some(ContactField::PaymentTermsDays(None)),
        7 => reader.whole(path, 0..=365)?.map(|days| ContactField::PaymentTermsDays(Some(days))),
        8 if reader.is_null()? => Some(ContactField::DefaultAccountId(None)),
        8 => reader.id(path)?.map(|id| ContactField::DefaultAccountId(Some(id))),
        9 if reader.is_null()? => Some(ContactField::DefaultVatCode(None)),
        9 => reader.vat_code(path)?.map(|code| ContactField::DefaultVatCode(Some(code.code().to_owned()))),
        10 => reader.maybe_text(path, 50)?.map(ContactField::Reference),
        11 => reader.maybe_text(path, 2_000)?.map(ContactField::Notes),
        _ if name == "cis" => cis(reader, is_new)?.map(ContactField::Cis),
        _ => reader.flag(path)?.map(ContactField::CisDeducts),
    })
}

/// An e-mail address; null says that there is none.
fn email(reader: &mut StrictReader<'_>) -> Reading<Option<Option<String>>> {
    let path = body("email");
    if reader.is_null()? {
        return Ok(Some(None));
    }
    let Some(text) = reader.text(path, 0..=254)? else { return Ok(None) };
    if !is_email(&text) {
        reader.problem(path, "must be an e-mail address, such as accounts@example.com, or null");
        return Ok(None);
    }
    Ok(Some(Some(text.into_owned())))
}

/// Words of the usual characters with single dots between them, 64 characters at most, before the @; after it the name of
/// a host: labels of letters, digits and inner hyphens, at least two of them. Letters and digits of any script.
fn is_email(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else { return false };
    let word = |word: &str| {
        !word.is_empty()
            && word.chars().all(|letter| letter.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~-".contains(letter))
    };
    let label = |label: &str| {
        (1..=63).contains(&label.chars().count())
            && label.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    local.chars().count() <= 64 && local.split('.').all(word) && host.contains('.') && host.split('.').all(label)
}

/// What is said about the CIS: keys that are left out stay as they were, null clears.
fn cis(reader: &mut StrictReader<'_>, is_new: bool) -> Reading<Option<CisChange>> {
    const NAMES: [&str; 5] = ["is_subcontractor", "deduction_rate", "utr", "verification_number", "verified_on"];
    if reader.is_null()? {
        return Ok(Some(CisDetails::default().into()));
    }
    let mut cis = CisChange::default();
    let section = FieldPath::section("cis");
    let given = reader.object(section, &NAMES, |reader, at| {
        let path = section.field(NAMES.get(at).copied().unwrap_or_default());
        let is_null = at > 0 && reader.is_null()?;
        match at {
            0 => cis.is_subcontractor = reader.flag(path)?,
            1 if is_null => cis.deduction_rate = Some(None),
            1 => {
                let rate = reader.whole(path, 0..=30)?;
                if rate.is_some_and(|rate| CisRate::from_percent(rate).is_none()) {
                    reader.problem(path, "must be 0, 20 or 30");
                }
                cis.deduction_rate = Some(rate);
            }
            2 if is_null => cis.utr = Some(None),
            2 => cis.utr = Some(utr(reader, path)?),
            3 if is_null => cis.verification_number = Some(None),
            3 => cis.verification_number = reader.maybe_text(path, 20)?,
            _ if is_null => cis.verified_date = Some(None),
            _ => cis.verified_date = Some(reader.book_date(path)?),
        }
        Ok(())
    })?;
    if let Some(given) = given.filter(|_| is_new) {
        reader.require(section, &NAMES, &given, 1);
    }
    Ok(given.map(|_| cis))
}

/// A unique taxpayer reference: ten digits.
pub fn utr(reader: &mut StrictReader<'_>, path: FieldPath<'_>) -> Reading<Option<String>> {
    let read = reader.text(path, 0..=20)?;
    let Some(text) = read else { return Ok(None) };
    if text.len() != 10 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        reader.problem(path, "must be 10 digits");
        return Ok(None);
    }
    Ok(Some(text.into_owned()))
}
