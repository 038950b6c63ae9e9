//! Printed documents: time, size, memory over many in a row, and the same bytes in two processes.
//!
//! `cargo bench --bench pdf [-- --keep FOLDER]`; `--keep` writes the documents into a folder, to be looked at;
//! `--small` takes seconds and shows that it still runs.

use std::{io::Write as _, path::Path, time::Instant};

use anyhow::{Context as _, Result, ensure};
use bookkeeping_suite::{
    domain::{
        books::records::{
            address::Address,
            bank_account::BankAccountDetails,
            contact::ContactDetails,
            document::{DocumentLineRecord, DocumentView},
            organisation::{OrganisationRecord, blank},
        },
        date::Date,
        ledger::{
            document::{CisType, DocumentKind, Stage},
            money::{Decimal4, Pence, Percent},
            vat::VatCode,
        },
        reports::table::{ReportCell, ReportColumn, ReportPart, ReportRow, ReportTable, ReportTables},
    },
    render::{self, Pdf, SalesDocument},
};
use serde_json::{Value, json};

/// Milliseconds of an invoice of ten lines, of one of 500, and of a statement of 2,000 rows.
const TIME_BARS_MS: [f64; 3] = [15.0, 300.0, 1_000.0];
/// Bytes of an invoice of one page.
const SIZE_BAR: usize = 60 * 1024;
/// Memory after all documents in a row, as a multiple of that after the first hundred.
const MEMORY_BAR: f64 = 1.2;

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn organisation() -> OrganisationRecord {
    OrganisationRecord {
        name: "Larkspur Joinery Ltd".to_owned(),
        legal_name: text("Larkspur Joinery Limited"),
        company_number: text("09876543"),
        vat_number: text("GB123456789"),
        email: text("accounts@larkspur.example"),
        address: address(),
        invoice_footer: text("Thank you for your business. Please quote the number of the invoice when you pay."),
        ..blank(0)
    }
}

fn address() -> Address {
    Address { line1: text("4 Mill Yard"), city: text("York"), postcode: text("YO1 7EP"), ..Address::default() }
}

fn line(number: i64) -> DocumentLineRecord {
    let (vat_code, rate) = if number % 3 == 0 { (VatCode::Reduced, 5) } else { (VatCode::Standard, 20) };
    let net_pence = 1_003 * number;
    DocumentLineRecord {
        id: number,
        description: format!("Brass hinge set no. {number}, polished, with eight screws of 25 mm and a spare pin"),
        account_id: 1,
        quantity: Decimal4(number * 10_000),
        unit_price: Decimal4(100_300),
        discount: Percent::ZERO,
        vat_code,
        given_vat_pence: None,
        net_pence,
        vat_pence: net_pence * rate / 100,
        cis_type: CisType::None,
        given_cis_type: None,
        reverse_charge: None,
        has_standard_basis: false,
    }
}

fn invoice(stage: Stage, lines: i64) -> DocumentView {
    let date = Date::from_civil(2026, 3, 1);
    let lines: Vec<_> = (1..=lines).map(line).collect();
    DocumentView {
        id: 31,
        kind: DocumentKind::SalesInvoice,
        stage,
        number: text("INV-0103"),
        supplier_reference: None,
        contact_id: 3,
        contact_name: "Brightwell School".to_owned(),
        date,
        due_date: Some(date + 30),
        reference: text("PO 8812"),
        notes: text("Delivered on site."),
        is_vat_inclusive: false,
        vat_basis: None,
        origin_id: None,
        account_codes: Vec::new(),
        net_pence: lines.iter().map(|line| line.net_pence).sum(),
        vat_pence: lines.iter().map(|line| line.vat_pence).sum(),
        lines,
        paid_pence: 0,
        credited_pence: 0,
        cash_pence: 0,
        allocations: Vec::new(),
        cis: None,
        journal_id: None,
        void_journal_id: None,
        void_date: (stage == Stage::Void).then_some(date),
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

fn printed(view: &DocumentView) -> Result<Pdf> {
    let (organisation, customer) = (organisation(), ContactDetails { address: address(), ..ContactDetails::default() });
    let bank = BankAccountDetails {
        name: "Current account".to_owned(),
        bank_name: text("Bank of York"),
        sort_code: text("12-34-56"),
        account_number: text("12345678"),
        iban: None,
    };
    let (organisation, customer, bank_account) = (&organisation, &customer, Some(&bank));
    Ok(render::sales_document(&SalesDocument { view, organisation, customer, bank_account, origin_number: None })?)
}

fn statement(rows: i64, months: usize) -> ReportTable {
    let mut columns = vec![
        ReportColumn::mark("date", "Date"),
        ReportColumn::mark("number", "Number"),
        ReportColumn::text("reference", "Reference"),
        ReportColumn::figure("debit", "Debit"),
        ReportColumn::figure("credit", "Credit"),
        ReportColumn::figure("balance", "Balance"),
    ];
    columns.extend((0..months).map(|_| ReportColumn::figure("month", "Mar 2026")));
    let row = |number: i64| {
        let reference = format!("Order {number} of the new workshop, second floor");
        let mut cells = vec![
            Date::from_civil(2026, 3, 1).into(),
            ReportCell::Text(format!("INV-{number:05}")),
            ReportCell::Text(reference),
            Pence(number * 1_003).into(),
            ReportCell::Empty,
            Pence(number * number * 501).into(),
        ];
        cells.extend((0..months).map(|_| ReportCell::Money(Pence(-number * 77_777))));
        ReportRow::line("lines", cells)
    };
    let mut all: Vec<ReportRow> = (1..=rows).map(row).collect();
    let sum =
        vec!["".into(), "".into(), "Closing balance".into(), ReportCell::Empty, ReportCell::Empty, Pence(1).into()];
    all.push(ReportRow::total("closing_balance", sum));
    ReportTable {
        file_name: "customer-statement 2026-01-01 2026-03-31".to_owned(),
        organisation_name: "Larkspur Joinery Ltd".to_owned(),
        date: Date::from_civil(2026, 3, 31),
        title: "Statement of account".to_owned(),
        subtitles: vec!["Brightwell School".to_owned(), "1 Jan 2026 to 31 Mar 2026".to_owned()],
        tables: ReportTables {
            subject: None,
            parts: vec![ReportPart::new(columns, all)],
            notes: vec!["Please pay within 30 days.".to_owned()],
        },
    }
}

/// The median and the greatest time of some repetitions, in milliseconds.
fn time(repetitions: usize, mut print: impl FnMut() -> Result<Pdf>) -> Result<(f64, f64)> {
    let mut times = Vec::new();
    print()?;
    for _ in 0..repetitions {
        let before = Instant::now();
        print()?;
        times.push(before.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let middle = times.get(times.len() / 2).copied().context("a time")?;
    Ok((middle, times.last().copied().context("a time")?))
}

/// The resident memory of this process in KiB.
fn resident_kib() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// The documents of this process as one text, to be compared with those of another.
fn digest() -> Result<String> {
    let mut all = String::new();
    let pdfs = [printed(&invoice(Stage::Issued, 10))?, render::report(&statement(300, 14))?];
    for pdf in pdfs {
        let sum = pdf
            .bytes
            .iter()
            .fold(14_695_981_039_346_656_037_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(1_099_511_628_211));
        all.push_str(&format!("{} bytes {sum:016x} ", pdf.bytes.len()));
    }
    Ok(all)
}

fn keep(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut long = invoice(Stage::Issued, 3);
    long.contact_name = "W".repeat(255);
    long.number = Some("8".repeat(50));
    if let Some(line) = long.lines.first_mut() {
        line.description = "Unbreakable".repeat(45);
        line.net_pence = -999_999_999_999;
        line.unit_price = Decimal4(-999_999_999_999);
    }
    let mut strange = invoice(Stage::Issued, 1);
    strange.contact_name = "Łukasz 文 🙂 Σίσυφος Ѐлена <b>&amp;".to_owned();
    let none = DocumentView { lines: Vec::new(), net_pence: 0, vat_pence: 0, ..invoice(Stage::Issued, 0) };
    for (name, pdf) in [
        ("invoice", printed(&invoice(Stage::Issued, 10))?),
        ("invoice-500", printed(&invoice(Stage::Issued, 500))?),
        ("draft", printed(&invoice(Stage::Draft, 2))?),
        ("void", printed(&invoice(Stage::Void, 2))?),
        ("long", printed(&long)?),
        ("strange", printed(&strange)?),
        ("nothing", printed(&none)?),
        ("statement", render::report(&statement(100, 0))?),
        ("landscape", render::report(&statement(60, 6))?),
        ("banks", render::report(&statement(60, 24))?),
    ] {
        std::fs::write(folder.join(format!("{name}.pdf")), pdf.bytes)?;
    }
    Ok(())
}

fn print_json(figures: &Value) -> Result<()> {
    writeln!(std::io::stdout(), "{figures:#}")?;
    Ok(())
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|given| given == word);
    if has("--digest") {
        return print_json(&json!(digest()?));
    }
    if let Some(at) = words.iter().position(|word| word == "--keep") {
        return keep(Path::new(words.get(at + 1).context("--keep FOLDER")?));
    }
    // `cargo bench` adds `--bench`; `cargo test --benches` does not, and only checks that it runs.
    let is_small = has("--small") || !has("--bench");
    let repetitions = if is_small { 3 } else { 200 };
    let (ten, many, long) = (invoice(Stage::Issued, 10), invoice(Stage::Issued, 500), statement(2_000, 0));
    let times = [
        time(repetitions, || printed(&ten))?,
        time(repetitions / 3, || printed(&many))?,
        time(repetitions / 3, || Ok(render::report(&long)?))?,
    ];
    let bytes = [printed(&ten)?, printed(&many)?, render::report(&long)?].map(|pdf| pdf.bytes.len());
    let total = if is_small { 300 } else { 10_000 };
    let mut first = 0.0;
    for number in 1..=total {
        printed(&ten)?;
        if number == 100 {
            first = resident_kib()?;
        }
    }
    let growth = resident_kib()? / first;
    let other = std::process::Command::new(std::env::current_exe()?).arg("--digest").output()?;
    let is_same = String::from_utf8(other.stdout)?.contains(digest()?.as_str());
    print_json(&json!({
        "p50_ms": times.map(|time| time.0), "greatest_ms": times.map(|time| time.1), "bars_ms": TIME_BARS_MS,
        "bytes": bytes, "bytes_bar_of_one_page": SIZE_BAR, "documents_in_a_row": total,
        "memory_growth": growth, "memory_growth_bar": MEMORY_BAR, "same_bytes_in_another_process": is_same,
    }))?;
    ensure!(is_same, "another process printed other bytes");
    let is_within = times.iter().zip(TIME_BARS_MS).all(|(time, bar)| time.0 <= bar);
    let is_small_enough = bytes.first().is_some_and(|bytes| *bytes <= SIZE_BAR) && growth <= MEMORY_BAR;
    ensure!(is_small || (is_within && is_small_enough), "a bar is missed");
    Ok(())
}
