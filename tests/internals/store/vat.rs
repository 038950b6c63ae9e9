//! Adjustments of the VAT return and reverse charges as the store keeps them: what `check` finds of a planted difference.

use bookkeeping_suite::domain::books::command::BooksCommand;
use bookkeeping_suite::domain::books::records::organisation::OrganisationChange;
use bookkeeping_suite::domain::books::records::vat_return::VatReturnInput;
use bookkeeping_suite::domain::books::request::CommandResult;
use bookkeeping_suite::domain::ids::AccountId;
use bookkeeping_suite::domain::ledger::chart::AccountReference;
use bookkeeping_suite::domain::ledger::document::{CisType, DocumentKind, EnteredLine};
use bookkeeping_suite::domain::ledger::money::Pence;
use bookkeeping_suite::domain::ledger::organisation::VatPatch;
use bookkeeping_suite::domain::ledger::vat::ReverseCharge;
use bookkeeping_suite::domain::ledger::vat_adjustment::{AdjustmentReason, BoxEntry, EnteredAdjustment, VatBox};

use super::books::{Books, date, line};
use super::fixture::{StoreFixture, store_suite};

store_suite![
    a_planted_difference_of_an_adjustment_is_found,
    a_planted_difference_of_a_void_adjustment_is_found,
    a_planted_difference_of_a_reverse_charge_is_found,
    a_planted_difference_of_a_recorded_return_is_found,
];

impl Books<'_> {
    /// An adjustment of box 1.
    async fn adjustment(&self, on: &str, pence: i64) -> i64 {
        let account = self.account("7400").await;
        let entered = EnteredAdjustment {
            date: date(on),
            reason: AdjustmentReason::FuelScaleCharge,
            description: "Scale charge".to_owned(),
            entries: vec![BoxEntry { vat_box: VatBox::One, amount: Pence(pence) }],
            account: Some(AccountReference::Id(AccountId(account))),
        };
        self.done(BooksCommand::CreateVatAdjustment(entered)).await.adjustment_id()
    }
}

/// The id of what an answer shows.
trait AdjustmentId {
    fn adjustment_id(&self) -> i64;
}

impl AdjustmentId for CommandResult {
    fn adjustment_id(&self) -> i64 {
        match self {
            Self::VatAdjustment(view) => view.row.id,
            other => panic!("{other:?}"),
        }
    }
}

/// Plants each difference in a row of a table, sees it found, and mends it.
async fn plant(bed: &StoreFixture, row: &str, planted: &[(&str, &str, &str)]) {
    bed.assert_sound().await;
    for (harm, mend, said) in planted {
        let (table, which) = row.split_once(' ').unwrap();
        bed.tamper(&format!("update {table} set {harm} {which}")).await;
        let found = bed.store.reader.check().await.unwrap();
        assert!(found.iter().any(|one| one.contains(said)), "{harm}: {found:?}");
        bed.tamper(&format!("update {table} set {mend} {which}")).await;
        bed.assert_sound().await;
    }
}

async fn a_planted_difference_of_an_adjustment_is_found(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let id = books.adjustment("2026-03-31", 6_117).await;
    let said = "VAT adjustment whose journal differs from its boxes";
    let of_entry = format!("vat_adjustment_entry where vat_adjustment_id = {id}");
    plant(bed, &of_entry, &[("amount = 6118", "amount = 6117", said), ("box_number = 4", "box_number = 1", said)])
        .await;
    let day = i64::from(date("2026-03-31"));
    let moved = (format!("day = {}", day + 1), format!("day = {day}"));
    let planted = [
        ("journal_id = null", "journal_id = 1", said),
        (moved.0.as_str(), moved.1.as_str(), said),
        ("void_day = 1", "void_day = null", "voided VAT adjustment whose journal stands"),
    ];
    plant(bed, &format!("vat_adjustment where id = {id}"), &planted).await;
}

async fn a_planted_difference_of_a_void_adjustment_is_found(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let id = books.adjustment("2026-03-31", 6_117).await;
    books.done(BooksCommand::VoidVatAdjustment { id, void_date: None, reason: None }).await;
    let said = "voided VAT adjustment whose journal stands";
    let planted = [("void_journal_id = null", "void_journal_id = 2", said)];
    plant(bed, &format!("vat_adjustment where id = {id}"), &planted).await;
}

async fn a_planted_difference_of_a_reverse_charge_is_found(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let supplier = books.subcontractor("Reed Carpentry", 20).await;
    let charged = |charge| EnteredLine { reverse_charge: Some(charge), ..line(10_000, CisType::None) };
    let lines = vec![charged(ReverseCharge::Domestic), charged(ReverseCharge::ImportedServices)];
    let bill = books.issued(DocumentKind::PurchaseInvoice, supplier, "2026-03-31", lines).await;
    let said = "VAT under a reverse charge that differs from its lines";
    let first = bill.lines[0].id;
    plant(
        bed,
        &format!("document_line where id = {first}"),
        &[
            ("reverse_charge_vat = 1999", "reverse_charge_vat = 2000", said),
            ("reverse_charge = null", "reverse_charge = 'domestic'", said),
        ],
    )
    .await;
    let of_entry = format!("vat_entry where document_line_id = {first}");
    let planted = [
        ("reverse_charge = null", "reverse_charge = 'domestic'", "VAT of a day differs from its entries"),
        ("basis = 'cash'", "basis = 'standard'", "VAT declared on another basis than the document's"),
    ];
    plant(bed, &of_entry, &planted).await;
}

async fn a_planted_difference_of_a_recorded_return_is_found(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let vat = VatPatch {
        is_registered: Some(true),
        scheme: Some(Some("standard".to_owned())),
        scheme_from: Some(Some(date("2024-01-01"))),
        ..VatPatch::default()
    };
    let change = OrganisationChange { fields: Vec::new(), vat };
    books.done(BooksCommand::PatchOrganisation(Box::new(change))).await;
    books.adjustment("2024-03-31", 6_117).await;
    let supplier = books.subcontractor("Reed Carpentry", 20).await;
    books.issued(DocumentKind::PurchaseInvoice, supplier, "2024-01-01", vec![line(10_000, CisType::None)]).await;
    for end in ["2024-03-31", "2024-06-30"] {
        let input = VatReturnInput { period_end: date(end), filed_on: None, hmrc_receipt: None };
        books.done(BooksCommand::RecordVatReturn(input)).await;
    }
    // What comes later is in none of them.
    books.adjustment("2024-03-31", 1).await;
    let said = "recorded VAT return that is not made of what was there";
    let first = "vat_return where last_month = 24290";
    plant(
        bed,
        first,
        &[
            ("entries = entries + 1", "entries = entries - 1", said),
            ("cursor = cursor - 100", "cursor = cursor + 100", said),
        ],
    )
    .await;
    let planted = [("first_month = 24290", "first_month = 24291", "two recorded VAT returns of one month")];
    plant(bed, "vat_return where last_month = 24293", &planted).await;
}
