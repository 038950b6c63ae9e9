//! Documents as bytes: the same every time, small, sound, and what is typed is text. What other programs read in them is
//! tested over HTTP.

use super::*;
use crate::domain::books::records::bank_account::BankAccountDetails;
use crate::domain::books::records::contact::ContactDetails;
use crate::domain::books::records::document::{DocumentLineRecord, DocumentView};
use crate::domain::books::records::organisation::{OrganisationRecord, blank};
use crate::domain::date::Date;
use crate::domain::ledger::document::{CisType, DocumentKind, Stage};
use crate::domain::ledger::money::{Decimal4, Pence, Percent};
use crate::domain::ledger::vat::VatCode;
use crate::domain::reports::table::{ReportCell, ReportColumn, ReportPart, ReportRow, ReportTable, ReportTables};

fn organisation() -> OrganisationRecord {
    OrganisationRecord {
        name: "Larkspur Joinery Ltd".to_owned(),
        vat_number: Some("GB123456789".to_owned()),
        invoice_footer: Some("Thank you".to_owned()),
        ..blank(0)
    }
}

fn invoice(lines: usize) -> DocumentView {
    let date = Date::parse("2026-03-01").unwrap();
    let line = |number: usize| DocumentLineRecord {
        id: 1,
        description: format!("Brass hinge set {number}"),
        account_id: 1,
        quantity: Decimal4::ONE,
        unit_price: Decimal4(100_300),
        discount: Percent::ZERO,
        vat_code: VatCode::Standard,
        given_vat_pence: None,
        net_pence: 1_003,
        vat_pence: 201,
        cis_type: CisType::None,
        given_cis_type: None,
        reverse_charge: None,
        has_standard_basis: false,
    };
    let count = i64::try_from(lines).unwrap();
    DocumentView {
        id: 31,
        kind: DocumentKind::SalesInvoice,
        stage: Stage::Issued,
        number: Some("INV-0103".to_owned()),
        supplier_reference: None,
        contact_id: 3,
        contact_name: "Brightwell School".to_owned(),
        date,
        due_date: Some(date + 30),
        reference: Some("PO 8812".to_owned()),
        notes: None,
        is_vat_inclusive: false,
        vat_basis: None,
        origin_id: None,
        lines: (1..=lines).map(line).collect(),
        account_codes: Vec::new(),
        net_pence: 1_003 * count,
        vat_pence: 201 * count,
        paid_pence: 0,
        credited_pence: 0,
        cash_pence: 0,
        allocations: Vec::new(),
        cis: None,
        journal_id: None,
        void_journal_id: None,
        void_date: None,
        void_reason: None,
        is_opening: false,
        issued_at_ms: None,
        last_emailed_at_ms: None,
        email_count: 0,
        created_at_ms: 0,
        updated_at_ms: 0,
        version: 1,
    }
}

fn printed(view: &DocumentView) -> Pdf {
    let (organisation, customer) = (organisation(), ContactDetails::default());
    let bank = BankAccountDetails { sort_code: Some("12-34-56".to_owned()), ..BankAccountDetails::default() };
    let bank_account = Some(&bank);
    sales_document(&SalesDocument {
        view,
        organisation: &organisation,
        customer: &customer,
        bank_account,
        origin_number: None,
    })
    .unwrap()
}

fn statement(rows: i64, name: &str) -> ReportTable {
    let row = |number: i64| {
        let date = Date::parse("2026-03-01").unwrap();
        let cells = vec![
            date.into(),
            ReportCell::from(name),
            Pence(number * 1_001).into(),
            ReportCell::Empty,
            Pence(-number).into(),
        ];
        ReportRow::line("lines", cells)
    };
    let columns = vec![
        ReportColumn::mark("date", "Date"),
        ReportColumn::text("reference", "Reference"),
        ReportColumn::figure("debit", "Debit"),
        ReportColumn::figure("credit", "Credit"),
        ReportColumn::figure("balance", "Balance"),
    ];
    ReportTable {
        file_name: "customer-statement".to_owned(),
        organisation_name: "Larkspur Joinery Ltd".to_owned(),
        date: Date::MIN,
        title: "Statement".to_owned(),
        subtitles: vec!["Brightwell School".to_owned(), "1 Jan 2026 to 31 Mar 2026".to_owned()],
        tables: ReportTables::of(vec![ReportPart::new(columns, (1..=rows).map(row).collect())]),
    }
}

/// The number of pages, which is the greatest of the counts in a file.
fn pages(pdf: &Pdf) -> usize {
    let text = String::from_utf8_lossy(&pdf.bytes);
    let counts = text.split("/Count ").skip(1);
    let count =
        |rest: &str| rest.split(|letter: char| !letter.is_ascii_digit()).next().and_then(|digits| digits.parse().ok());
    counts.filter_map(count).max().unwrap()
}

#[test]
fn the_same_document_gives_the_same_bytes() {
    let view = invoice(10);
    let first = printed(&view);
    assert!(first.bytes.len() <= 60 * 1024, "{} bytes", first.bytes.len());
    assert!(first.missing.is_empty());
    for _ in 0..100 {
        assert!(printed(&view) == first);
    }
    let other = std::thread::spawn(move || printed(&view)).join().unwrap();
    assert!(other == first);
    let table = statement(300, "Invoice");
    assert!(report(&table).unwrap() == report(&table).unwrap());
}

#[test]
fn every_length_of_a_document_can_be_printed() {
    for lines in [0, 1, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 500] {
        let pdf = printed(&invoice(lines));
        assert!(pdf.bytes.len() > 5_000, "{lines}");
    }
    assert_eq!(pages(&printed(&invoice(5))), 1);
    assert!((10..20).contains(&pages(&printed(&invoice(500)))));
}

#[test]
fn texts_that_nobody_should_type_are_printed_all_the_same() {
    let mut texts: Vec<String> = vec![
        String::new(),
        " ".repeat(255),
        "W".repeat(255),
        "\u{301}".repeat(255),
        "\u{202e}\u{2066}\u{feff}\u{0}\u{1b}".to_owned(),
        "\u{fffe}\u{ffff}\u{10ffff}\u{e000}".to_owned(),
        "a\nb\r\nc\u{2028}d\te".to_owned(),
        "<b>&amp;</b> #let x = 1 \\input{/etc/passwd} (a) Tj ET endstream %PDF".to_owned(),
        "שלום مرحبا 你好 नमस्ते 🏴\u{e0067}\u{e0062} 👩\u{200d}💻".to_owned(),
        "fi ffl e\u{301}\u{327} Å\u{30a} ﬁ".to_owned(),
    ];
    texts.push((1..=0x2ff).filter_map(char::from_u32).collect());
    for text in texts {
        let mut view = invoice(1);
        view.contact_name.clone_from(&text);
        view.number = Some(text.clone());
        view.reference = Some(text.clone());
        view.notes = Some(text.repeat(8));
        view.lines[0].description.clone_from(&text);
        assert!(printed(&view).bytes.len() > 1_000, "{text:?}");
        let mut table = statement(3, &text);
        table.title.clone_from(&text);
        table.subtitles = vec![text.clone(); 3];
        let part = &mut table.tables.parts[0];
        part.heading = Some(text.clone());
        part.columns[2].heading.clone_from(&text);
        part.rows.insert(0, ReportRow::heading(text.clone()));
        table.tables.notes = vec![text.clone()];
        assert!(report(&table).unwrap().bytes.len() > 1_000, "{text:?}");
    }
}

#[test]
fn a_row_longer_than_a_page_goes_over_pages() {
    let table = statement(2, &"a long text ".repeat(2_000));
    assert!(report(&table).unwrap().bytes.len() > 20_000);
}

#[test]
fn a_report_of_many_columns_is_turned_or_goes_below_one_another() {
    for months in [1, 6, 12, 60] {
        let mut table = statement(5, "Sales");
        let part = &mut table.tables.parts[0];
        let column = part.columns[2].clone();
        part.columns.extend(std::iter::repeat_n(column, months));
        for row in &mut part.rows {
            row.cells.extend(std::iter::repeat_n(ReportCell::Money(Pence(-999_999_999_999)), months));
        }
        part.rows.push(ReportRow::total("totals", vec!["Total".into()]));
        assert!(report(&table).unwrap().bytes.len() > 5_000, "{months}");
    }
    let mut empty = statement(0, "");
    empty.tables.parts[0].columns.clear();
    assert!(report(&empty).unwrap().bytes.len() > 1_000);
}
