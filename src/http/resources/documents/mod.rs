//! Sales and purchase invoices and credit notes: created, issued, voided, and credit allocated to invoices. How their bodies
//! are read is here too; what answers show of them is in `kinds`.

mod kinds;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::document::{DocumentField, DocumentFilter, DocumentInput};
use crate::domain::books::request::CommandResult;
use crate::domain::date::{Date, date_in};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::{CisType, DocumentKind, EnteredLine};
use crate::domain::ledger::money::{Decimal4, Percent};
use crate::domain::ledger::vat::{Basis, ReverseCharge, Side};
use crate::domain::problem::Issues;
use crate::http::books::change::{
    AnswerContext, body_or_path, execute, member, path_id, printed, printed_deleted, require_write_access,
};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::wire::books::allocation::{parse_credit_allocations, parse_release};
use crate::http::wire::books::journal::parse_void;
use crate::http::wire::books::read::{AccountRead, body, strict_list};
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

pub use kinds::{DocumentJson, PurchaseCreditNoteJson, PurchaseInvoiceJson, SalesCreditNoteJson, SalesInvoiceJson};

/// The statuses a kind of document may have.
pub const fn statuses(kind: DocumentKind) -> [&'static str; 5] {
    if kind.is_credit_note() {
        ["draft", "issued", "part_allocated", "allocated", "void"]
    } else {
        ["draft", "issued", "part_paid", "paid", "void"]
    }
}

/// `GET …/sales-invoices` and the like.
pub async fn list(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let today = date_in(&organisation.timezone, call.began_at_ms());
    let mut query = Query::new(call.query());
    let statuses = statuses(kind);
    let status = |word: &str| statuses.into_iter().find(|known| *known == word);
    let contact = match kind.contact_kind() {
        ContactKind::Customer => "customer_id",
        ContactKind::Supplier => "supplier_id",
    };
    let mut filter = DocumentFilter {
        statuses: query.words("status", &format!("one of {}", statuses.join(", ")), status),
        contact_id: query.id(contact),
        from_date: query.date("date_from"),
        to_date: query.date("date_to"),
        ..DocumentFilter::default()
    };
    if !kind.is_credit_note() {
        filter.due_before_date = query.date("due_before");
        filter.overdue_on = query.flag("overdue").then_some(today);
    }
    filter.search = query.search("search");
    filter.updated_since_ms = query.moment("updated_since");
    query.in_order(filter.from_date, filter.to_date);
    let page = query.page(call.query());
    query.finish()?;
    let reader = &call.state().reader;
    let (documents, total) = reader.documents(organisation.id, kind, &filter, (page.limit, page.offset)).await?;
    let documents: Vec<_> = documents.iter().map(|view| DocumentJson::new(view, today)).collect();
    envelope::page(page, documents, total)
}

/// `GET …/sales-invoices/{id}` and the like.
pub async fn show(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.document(organisation.id, kind, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    let today = date_in(&organisation.timezone, call.began_at_ms());
    envelope::data(StatusCode::OK, &DocumentJson::new(&found, today))
}

/// `POST …/sales-invoices` and the like.
pub async fn create(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let (entry, is_issued) = body_or_path(parse_new(&call.body, kind), true)?;
    let action = BooksCommand::CreateDocument { entry: Box::new(entry), is_issued };
    execute(&call, &access, StatusCode::CREATED, action, print).await
}

async fn exists(
    call: &Call<Products>,
    organisation: OrganisationId,
    kind: DocumentKind,
    id: i64,
) -> Result<bool, ApiError> {
    Ok(call.state().reader.document(organisation, kind, id).await?.is_some())
}

/// `PATCH …/sales-invoices/{id}` and the like.
pub async fn patch(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_patch(&call.body, kind);
    let exists = read.is_ok() || exists(&call, access.organisation.id, kind, id).await?;
    let fields = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::PatchDocument { kind, id, fields }, print).await
}

/// `DELETE …/sales-invoices/{id}` and the like.
pub async fn delete(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::DeleteDocument { kind, id }, print).await
}

/// `POST …/sales-invoices/{id}/issue` and the like.
pub async fn issue(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::IssueDocument { kind, id }, print).await
}

/// `POST …/sales-invoices/{id}/void` and the like.
pub async fn void(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_void(&call.body);
    let exists = read.is_ok() || exists(&call, access.organisation.id, kind, id).await?;
    let request = body_or_path(read, exists)?;
    let action = BooksCommand::VoidDocument { kind, id, void_date: request.void_date, reason: request.reason };
    execute(&call, &access, StatusCode::OK, action, print).await
}

/// `POST …/sales-credit-notes/{id}/allocate` and the like.
pub async fn allocate(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_credit_allocations(&call.body);
    let exists = read.is_ok() || exists(&call, access.organisation.id, kind, id).await?;
    let (allocations, date) = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::AllocateCredit { kind, id, allocations, date }, print).await
}

/// `POST …/sales-credit-notes/{id}/unallocate` and the like.
pub async fn unallocate(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_release(&call.body);
    let exists = read.is_ok() || exists(&call, access.organisation.id, kind, id).await?;
    let allocation_ids = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::UnallocateCredit { kind, id, allocation_ids }, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, context: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::Document(view) => printed(&DocumentJson::new(view, context.today), dry_run),
        CommandResult::Deleted(id) => printed_deleted(*id, dry_run),
        _ => None,
    }
}

/// Lines of one document.
pub const LINES_MAX: u64 = 500;
/// What is allowed as a line's part in the CIS.
const CIS_TYPES: &str = "one of labour, materials, none";

/// The keys of a kind: three that are required, seven more that may change, one of new documents only.
macro_rules! names {
    ($contact:literal, $date:literal, $fourth:literal, $number:literal) => {
        [
            $contact,
            $date,
            "lines",
            $fourth,
            $number,
            "reference",
            "vat_inclusive",
            "notes",
            "currency",
            "vat_basis",
            "issue",
        ]
    };
}

/// Keys that a new document must have: the first of them.
const REQUIRED: usize = 3;
/// Keys that a change may have.
const PATCHABLE: usize = 10;

const fn names(kind: DocumentKind) -> [&'static str; 11] {
    match kind {
        DocumentKind::SalesInvoice => names!("customer_id", "invoice_date", "due_date", "invoice_number"),
        DocumentKind::PurchaseInvoice => names!("supplier_id", "invoice_date", "due_date", "supplier_reference"),
        DocumentKind::SalesCreditNote => {
            names!("customer_id", "credit_note_date", "invoice_id", "credit_note_number")
        }
        DocumentKind::PurchaseCreditNote => {
            names!("supplier_id", "credit_note_date", "invoice_id", "supplier_reference")
        }
    }
}

/// Reads the body that draws up a document, and whether it is issued at once.
pub fn parse_new(text: &[u8], kind: DocumentKind) -> Result<(DocumentInput, bool), Issues> {
    let names = names(kind);
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut fields, mut is_issued) = (Vec::new(), None);
    let read = reader.object(FieldPath::section(BODY), &names, |reader, at| {
        match at {
            PATCHABLE => is_issued = reader.flag(body("issue"))?,
            _ => fields.extend(field(reader, kind, &names, at)?),
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &names, &given, REQUIRED);
        }
    });
    reader.finish(read)?;
    Ok((entry(kind, fields), is_issued.unwrap_or(true)))
}

/// Reads the body that changes a document.
pub fn parse_patch(text: &[u8], kind: DocumentKind) -> Result<Vec<DocumentField>, Issues> {
    let mut names = [""; PATCHABLE];
    for (name, known) in names.iter_mut().zip(self::names(kind)) {
        *name = known;
    }
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut fields = Vec::new();
    let read = reader.object(FieldPath::section(BODY), &names, |reader, at| {
        fields.extend(field(reader, kind, &names, at)?);
        Ok(())
    });
    let read = read.map(|given| reader.require_some(given));
    reader.finish(read)?;
    Ok(fields)
}

fn entry(kind: DocumentKind, fields: Vec<DocumentField>) -> DocumentInput {
    let mut entry = DocumentInput {
        kind,
        contact_id: 0,
        date: Date::MIN,
        due_date: None,
        number: None,
        supplier_reference: None,
        reference: None,
        notes: None,
        currency: None,
        is_vat_inclusive: false,
        vat_basis: None,
        origin_id: None,
        lines: Vec::new(),
    };
    fields.into_iter().for_each(|field| entry.set(field));
    entry
}

fn field<const N: usize>(
    reader: &mut StrictReader<'_>,
    kind: DocumentKind,
    names: &[&'static str; N],
    at: usize,
) -> Reading<Option<DocumentField>> {
    use DocumentField as Field;
    let path = body(names.get(at).copied().unwrap_or_default());
    Ok(match at {
        0 => reader.id(path)?.map(Field::Contact),
        1 => reader.book_date(path)?.map(Field::Date),
        2 => Some(Field::Lines(lines(reader, kind)?)),
        3 if kind.is_credit_note() => match reader.is_null()? {
            true => Some(Field::Origin(None)),
            false => reader.id(path)?.map(|id| Field::Origin(Some(id))),
        },
        3 => match reader.is_null()? {
            true => Some(Field::DueDate(None)),
            false => reader.book_date(path)?.map(|date| Field::DueDate(Some(date))),
        },
        4 if kind.side() == Side::Output => reader.maybe_mark(path, 50)?.map(Field::Number),
        4 => reader.maybe_label(path, 50)?.map(Field::SupplierReference),
        5 => reader.maybe_text(path, 100)?.map(Field::Reference),
        6 => reader.flag(path)?.map(Field::VatInclusive),
        7 => reader.maybe_text(path, 2_000)?.map(Field::Notes),
        8 => reader.text(path, 3..=3)?.map(|currency| Field::Currency(currency.into_owned())),
        _ => match reader.is_null()? {
            true => Some(Field::VatBasis(None)),
            false => standard_basis(reader, path)?.map(|basis| Field::VatBasis(Some(basis))),
        },
    })
}

fn lines(reader: &mut StrictReader<'_>, kind: DocumentKind) -> Reading<Vec<EnteredLine>> {
    /// What every line has, the required ones first.
    const OF_SALES: [&str; 10] = [
        "description",
        "unit_price",
        "account_id",
        "account_code",
        "quantity",
        "discount_percent",
        "vat_code",
        "vat_amount",
        "reverse_charge",
        "vat_basis",
    ];
    const OF_PURCHASES: [&str; 10] = [
        "description",
        "unit_price",
        "account_id",
        "account_code",
        "quantity",
        "discount_percent",
        "vat_code",
        "vat_amount",
        "reverse_charge",
        "cis_type",
    ];
    let side = kind.side();
    let names = match side {
        Side::Output => &OF_SALES,
        Side::Input => &OF_PURCHASES,
    };
    strict_list(reader, "lines", 1..=LINES_MAX, |reader, path| line(reader, path, (side, names)))
}

/// The only basis that may be given: the others follow from the scheme.
fn standard_basis(reader: &mut StrictReader<'_>, path: FieldPath<'_>) -> Reading<Option<Basis>> {
    reader.word(path, |word| Basis::parse(word).filter(|basis| *basis == Basis::Standard), "standard")
}

/// A reverse charge that lines of a side may be under.
fn reverse_charge(reader: &mut StrictReader<'_>, path: FieldPath<'_>, side: Side) -> Reading<Option<ReverseCharge>> {
    let allowed = ReverseCharge::of_side(side);
    let words: Vec<_> = allowed.iter().map(|kind| kind.as_str()).collect();
    let rule = if words.len() > 1 { format!("one of {}", words.join(", ")) } else { words.concat() };
    reader.word(path, |word| ReverseCharge::parse(word).filter(|kind| allowed.contains(kind)), &rule)
}

fn line<const N: usize>(
    reader: &mut StrictReader<'_>,
    path: FieldPath<'static>,
    (side, names): (Side, &[&'static str; N]),
) -> Reading<Option<EnteredLine>> {
    let (mut description, mut unit_price, mut account) = (None, None, AccountRead::default());
    let mut line = EnteredLine {
        description: String::new(),
        account: None,
        quantity: Decimal4::ONE,
        unit_price: Decimal4(0),
        discount: Percent::ZERO,
        vat_code: None,
        reverse_charge: None,
        has_standard_basis: false,
        vat_amount: None,
        cis_type: None,
    };
    let given = reader.object(path, names, |reader, at| {
        let path = path.field(names.get(at).copied().unwrap_or_default());
        if at > 1 && reader.is_null()? {
            return Ok(());
        }
        match at {
            0 => description = reader.text(path, 1..=500)?,
            1 => unit_price = reader.unit_price(path)?,
            2 => account.id(reader, path)?,
            3 => account.code(reader, path)?,
            4 => line.quantity = reader.quantity(path)?.unwrap_or(Decimal4::ONE),
            5 => {
                let rule = "a percentage from 0 to 100 with at most two decimals, a number or a string";
                line.discount = Percent(reader.percent(path, 0..=Percent::WHOLE, rule)?.unwrap_or_default());
            }
            6 => line.vat_code = reader.vat_code(path)?,
            7 => line.vat_amount = reader.money(path)?,
            8 => line.reverse_charge = reverse_charge(reader, path, side)?,
            _ if side == Side::Output => line.has_standard_basis = standard_basis(reader, path)?.is_some(),
            _ => line.cis_type = reader.word(path, CisType::parse, CIS_TYPES)?,
        }
        Ok(())
    })?;
    if let Some(given) = given {
        reader.require(path, names, &given, 2);
    }
    line.account = account.optional(reader, path);
    let (Some(description), Some(unit_price)) = (description, unit_price) else { return Ok(None) };
    Ok(Some(EnteredLine { description: description.into_owned(), unit_price, ..line }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ledger::money::Pence;
    use crate::domain::ledger::vat::VatCode;

    fn paths(read: Result<impl Sized, Issues>) -> Vec<String> {
        read.err().unwrap().listed.into_iter().map(|issue| issue.path).collect()
    }

    #[test]
    fn a_document_is_read_with_what_may_be_left_out() {
        let text = br#"{"lines": [{"unit_price": "10.03", "description": "Hinges"}], "customer_id": 3,
            "invoice_date": "2025-04-14"}"#;
        let (entry, is_issued) = parse_new(text, DocumentKind::SalesInvoice).unwrap();
        assert!(is_issued && !entry.is_vat_inclusive);
        assert_eq!(
            (entry.contact_id, entry.date, entry.due_date, entry.number),
            (3, Date::numbered(20_192), None, None)
        );
        let line = &entry.lines[0];
        assert_eq!((line.quantity, line.unit_price, line.discount), (Decimal4::ONE, Decimal4(100_300), Percent::ZERO));
        assert_eq!((&line.account, line.vat_code, line.vat_amount, line.cis_type), (&None, None, None, None));

        let text = br#"{"supplier_id": 3, "credit_note_date": "2025-04-14", "invoice_id": 7, "supplier_reference": "C1",
            "vat_inclusive": true, "currency": "GBP", "issue": false, "reference": "r", "notes": "n",
            "lines": [{"unit_price": 1e1, "description": "x", "account_id": 9, "quantity": -0.5, "discount_percent": 12.5,
                       "vat_code": "RR", "vat_amount": -0.24, "cis_type": "labour"}]}"#;
        let (entry, is_issued) = parse_new(text, DocumentKind::PurchaseCreditNote).unwrap();
        assert!(!is_issued && entry.is_vat_inclusive);
        assert_eq!((entry.origin_id, entry.supplier_reference.as_deref()), (Some(7), Some("C1")));
        let line = &entry.lines[0];
        assert_eq!(
            (line.quantity, line.unit_price, line.discount),
            (Decimal4(-5_000), Decimal4(100_000), Percent(1_250))
        );
        assert_eq!(
            (line.vat_code, line.vat_amount, line.cis_type),
            (Some(VatCode::Reduced), Some(Pence(-24)), Some(CisType::Labour))
        );
    }

    #[test]
    fn every_problem_is_named_in_document_order() {
        let text = br#"{"lines": [{"quantity": 0, "unit_price": 1.00001, "cis_type": "labour"}, 7,
            {"description": "x", "unit_price": "1e3", "discount_percent": 101, "vat_amount": "10.005"}],
            "customer_id": "7", "due_date": "2025-02-29", "supplier_reference": "x", "issue": "yes"}"#;
        assert_eq!(
            paths(parse_new(text, DocumentKind::SalesInvoice)),
            [
                "lines[0].quantity",
                "lines[0].unit_price",
                "lines[0].cis_type",
                "lines[0].description",
                "lines[1]",
                "lines[2].unit_price",
                "lines[2].discount_percent",
                "lines[2].vat_amount",
                "customer_id",
                "due_date",
                "supplier_reference",
                "issue",
                "invoice_date",
            ]
        );
        assert_eq!(paths(parse_new(b"{}", DocumentKind::PurchaseInvoice)), ["supplier_id", "invoice_date", "lines"]);
        assert_eq!(
            paths(parse_new(
                br#"{"supplier_id": 1, "invoice_date": "2025-01-01", "lines": []}"#,
                DocumentKind::PurchaseInvoice
            )),
            ["lines"]
        );
    }

    #[test]
    fn a_change_says_at_least_one_thing_and_may_clear() {
        assert_eq!(paths(parse_patch(b"{}", DocumentKind::SalesInvoice)), ["body"]);
        assert_eq!(paths(parse_patch(br#"{"issue": true}"#, DocumentKind::SalesInvoice)), ["issue", "body"]);
        let fields = parse_patch(
            br#"{"due_date": null, "notes": "", "invoice_number": null, "vat_inclusive": true}"#,
            DocumentKind::SalesInvoice,
        );
        assert_eq!(
            fields.unwrap(),
            [
                DocumentField::DueDate(None),
                DocumentField::Notes(None),
                DocumentField::Number(None),
                DocumentField::VatInclusive(true)
            ]
        );
        let fields = parse_patch(br#"{"invoice_id": null}"#, DocumentKind::SalesCreditNote).unwrap();
        assert_eq!(fields, [DocumentField::Origin(None)]);
    }
}
