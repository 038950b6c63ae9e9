//! Documents: their totals and states.

use super::*;
use crate::domain::ids::AccountId;
use crate::domain::ledger::chart::Chart;
use crate::domain::ledger::contact::CisRate;
use crate::domain::ledger::document::CisType;
use crate::domain::ledger::money::{Decimal4, Percent};
use crate::domain::ledger::standard_chart;
use crate::domain::ledger::vat::{VatCode, VatHistory};

fn contact(kind: ContactKind) -> Contact {
    Contact {
        id: ContactId(3),
        kind,
        is_archived: false,
        payment_terms_days: None,
        default_account_id: Some(AccountId(20)),
        default_vat_code: Some(VatCode::Standard),
        cis_rate: None,
    }
}

fn line(pence: i64, cis_type: Option<CisType>) -> EnteredLine {
    EnteredLine {
        description: String::new(),
        account: None,
        quantity: Decimal4::ONE,
        unit_price: Decimal4(pence * 100),
        discount: Percent::ZERO,
        vat_code: None,
        reverse_charge: None,
        has_standard_basis: false,
        vat_amount: None,
        cis_type,
    }
}

fn entered(kind: DocumentKind, lines: Vec<EnteredLine>) -> EnteredDocument<'static> {
    EnteredDocument {
        kind,
        contact_id: ContactId(3),
        date: Date::numbered(20_000),
        due_date: None,
        currency: None,
        is_vat_inclusive: false,
        cis_rate: None,
        vat_basis: None,
        lines: lines.into(),
    }
}

fn decide(contact: &Contact, entered: &EnteredDocument<'_>) -> Result<Draft, Refusal> {
    let chart: Chart =
        (1..).zip(standard_chart::at_creation(false)).map(|(id, new)| new.with_id(AccountId(id))).collect();
    draft(&Books { chart: &chart, vat: &VatHistory::default(), lock_date: None }, Some(contact), 30, entered)
}

#[test]
fn a_document_is_due_by_the_terms() {
    let customer = contact(ContactKind::Customer);
    let invoice = entered(DocumentKind::SalesInvoice, vec![line(10_000, None)]);
    assert_eq!(decide(&customer, &invoice).unwrap().due_date, Some(Date::numbered(20_030)));
    let terms = Contact { payment_terms_days: Some(14), ..customer.clone() };
    assert_eq!(decide(&terms, &invoice).unwrap().due_date, Some(Date::numbered(20_014)));
    let own = EnteredDocument { due_date: Some(Date::numbered(20_000)), ..invoice.clone() };
    assert_eq!(decide(&customer, &own).unwrap().due_date, Some(Date::numbered(20_000)));
    let before = EnteredDocument { due_date: Some(Date::numbered(19_999)), ..invoice.clone() };
    assert_eq!(decide(&customer, &before).unwrap_err().reason(), "invalid_field");
    let note = EnteredDocument { kind: DocumentKind::SalesCreditNote, ..invoice };
    assert_eq!(decide(&customer, &note).unwrap().due_date, None);
}

#[test]
fn the_total_may_be_nothing_but_not_less() {
    let customer = contact(ContactKind::Customer);
    let of = |amounts: &[i64]| {
        let lines = amounts.iter().map(|pence| line(*pence, None)).collect();
        decide(&customer, &entered(DocumentKind::SalesInvoice, lines))
    };
    assert_eq!(of(&[10_000, -4_000]).unwrap().total, Split { net: Pence(6_000), vat: Pence(1_200) });
    assert_eq!(of(&[10_000, -10_000]).unwrap().total.gross(), Pence::ZERO);
    assert_eq!(of(&[10_000, -10_001]).unwrap_err(), Refusal::NegativeTotal { total: Pence(-1) });
    assert_eq!(of(&[900_000_000_000, 900_000_000_000]).unwrap_err().reason(), "invalid_field");
}

#[test]
fn only_pounds_and_only_contacts_of_the_right_kind() {
    let invoice = entered(DocumentKind::PurchaseInvoice, vec![line(10_000, None)]);
    let refused = decide(&contact(ContactKind::Customer), &invoice).unwrap_err();
    assert_eq!(refused, Refusal::UnknownReference { field: "supplier_id".to_owned(), id: 3 });
    let euro = EnteredDocument { currency: Some("EUR".to_owned()), ..invoice.clone() };
    assert_eq!(decide(&contact(ContactKind::Supplier), &euro).unwrap_err().reason(), "currency_not_supported");
    let pounds = EnteredDocument { currency: Some("GBP".to_owned()), ..invoice };
    assert!(decide(&contact(ContactKind::Supplier), &pounds).is_ok());
}

/// A bill under the scheme at 20 %, or outside of it.
fn bill(is_subcontractor: bool, lines: Vec<EnteredLine>) -> Draft {
    let cis_rate = is_subcontractor.then_some(CisRate::Standard);
    let entered = EnteredDocument { cis_rate, ..entered(DocumentKind::PurchaseInvoice, lines) };
    decide(&contact(ContactKind::Supplier), &entered).unwrap()
}

#[test]
fn a_subcontractors_bill_fixes_its_deduction() {
    let bill = bill(true, vec![line(150_000, Some(CisType::Labour)), line(42_000, Some(CisType::Materials))]);
    assert_eq!(bill.total.gross(), Pence(230_400));
    assert_eq!(bill.cis.map(|terms| terms.deduction), Some(Pence(30_000)));
    assert_eq!(bill.by_code(None).to_text(), "ST 1920.00 384.00");
}

#[test]
fn what_a_subcontractors_line_leaves_out_is_labour() {
    let lines = || vec![line(150_000, None), line(42_000, Some(CisType::Materials)), line(1_000, Some(CisType::None))];
    let types = |bill: &Draft| bill.lines.iter().map(|line| line.cis_type).collect::<Vec<_>>();
    let deducted = bill(true, lines());
    assert_eq!(types(&deducted), [CisType::Labour, CisType::Materials, CisType::None]);
    assert_eq!(deducted.cis.map(|terms| (terms.labour_net, terms.deduction)), Some((Pence(150_000), Pence(30_000))));
    let plain = bill(false, lines());
    assert_eq!((types(&plain), plain.cis), (vec![CisType::None, CisType::Materials, CisType::None], None));
}

#[test]
fn the_status_follows_from_what_is_settled() {
    let invoice = |stage, settled| status(DocumentKind::SalesInvoice, stage, Pence(100), Pence(settled));
    assert_eq!(invoice(Stage::Draft, 0), "draft");
    assert_eq!(invoice(Stage::Issued, 0), "issued");
    assert_eq!(invoice(Stage::Issued, 99), "part_paid");
    assert_eq!(invoice(Stage::Issued, 100), "paid");
    assert_eq!(invoice(Stage::Void, 0), "void");
    assert_eq!(status(DocumentKind::PurchaseInvoice, Stage::Issued, Pence::ZERO, Pence::ZERO), "paid");
    let note = |settled| status(DocumentKind::SalesCreditNote, Stage::Issued, Pence(100), Pence(settled));
    assert_eq!((note(0), note(1), note(100)), ("issued", "part_allocated", "allocated"));
}

#[test]
fn kinds_mirror_one_another() {
    for kind in DocumentKind::ALL {
        assert_eq!(DocumentKind::parse(kind.as_str()), Some(kind));
        assert_eq!(kind.invoice().credit_note(), kind.credit_note());
        assert_eq!(kind.invoice().control_sign(), -kind.credit_note().control_sign());
        assert_eq!(kind.is_credit_note(), kind == kind.credit_note());
    }
    assert_eq!(DocumentKind::parse("journal"), None);
}
