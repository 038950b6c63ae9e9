//! VAT codes of every caller, and businesses that have none.

use super::super::{VatCode, Warning};
use super::labelled::businesses;
use super::said_in_contexts::vat_on_chart;
use super::*;

pub(super) fn vat_code(code: &str, name: &str, rate: &str) -> VatCode<'static> {
    VatCode { code: Cow::Owned(code.to_owned()), name: Cow::Owned(name.to_owned()), rate: pounds(rate) }
}

fn purchases() -> Vec<Transaction<'static>> {
    let texts = ["BRITISH GAS", "VODAFONE", "SCREWFIX", "SHELL PETROL", "ADOBE", "OFFICE RENT", "ALLIANZ INSURANCE"];
    let mut lines: Vec<Transaction<'static>> = texts.iter().map(|text| line("2025-05-01", text, "-120")).collect();
    lines.push(line("2025-05-01", "PAYMENT FROM CUSTOMER SALES", "240"));
    lines.push(line("2025-05-01", "WAGES MAY", "-1500"));
    lines.push(line("2025-05-01", "HMRC PAYE", "-300"));
    lines.push(line("2025-05-01", "BANK LOAN REPAYMENT", "-300"));
    lines
}

#[test]
fn without_registration_there_is_no_vat() {
    let contexts = [
        "A small shop. Not VAT registered.",
        "We are not registered for VAT.",
        "Below the VAT threshold.",
        "Sole trader, no VAT.",
        "Unregistered for VAT",
        "turnover is well under the vat limit",
    ];
    for context in contexts {
        for codes in [None, Some(vec![vat_code("S20", "Standard", "20")]), Some(vec![vat_code("R", "Red", "5")])] {
            let mut all = batch(purchases());
            all.business_context = Cow::Borrowed(context);
            all.vat_codes = codes;
            for (row, source) in code(&all).rows.iter().zip(&all.transactions) {
                assert_eq!(row.vat_amount, 0, "{context}, {:?}: {source:?}\n{row:?}", all.vat_codes);
                if all.vat_codes.is_none() {
                    assert_eq!(row.vat, Vat::NoVat, "{context}: {source:?}");
                }
            }
        }
    }
    for business in businesses().into_iter().step_by(3) {
        let mut all = business.batch;
        all.business_context = Cow::Borrowed("Not VAT registered.");
        let outcome = code(&all);
        assert!(outcome.rows.iter().all(|row| row.vat_amount == 0), "{}", business.id);
    }
}

#[test]
fn only_codes_without_vat_mean_no_registration() {
    let mut all = batch(purchases());
    all.business_context = Cow::Borrowed("");
    all.vat_codes = Some(vec![vat_code("NV", "No VAT", "0")]);
    assert!(code(&all).rows.iter().all(|row| row.vat == Vat::NoVat && row.vat_amount == 0));
}

#[test]
fn what_has_no_vat_has_none_under_any_list_of_codes() {
    let lists = [
        vec![vat_code("ST", "Standard", "20")],
        vec![vat_code("EX", "Exempt", "0")],
        vec![vat_code("T1", "20% VAT", "20"), vat_code("T2", "Exempt", "0")],
        vec![vat_code("RC", "Reverse charge", "20")],
        vec![vat_code("RR", "Reduced", "5"), vat_code("ZR", "Zero", "0")],
    ];
    for list in lists {
        let mut all = batch(purchases());
        all.transactions.push(line("2025-05-01", "ACME WIDGETS LTD INV-1042", "120"));
        all.transactions.push(line_of("Barclays Current", "2025-05-01", "TRANSFER TO SAVINGS", "-500"));
        all.transactions.push(line_of("Barclays Savings", "2025-05-01", "TRANSFER FROM CURRENT", "500"));
        all.invoices = Some(vec![invoice(InvoiceKind::Invoice, "INV-1042", "Acme Widgets Ltd", "2025-04-01", "120")]);
        all.vat_codes = Some(list);
        let outcome = code(&all);
        let allowed: Vec<(Vat, i128)> = outcome.rows.iter().map(|row| (row.vat, row.vat_rate)).collect();
        for (row, source) in outcome.rows.iter().zip(&all.transactions) {
            let text = source.description.as_ref();
            let free = ["WAGES", "HMRC", "LOAN", "INV-1042", "TRANSFER"].iter().any(|word| text.contains(word));
            assert!(!free || row.vat_amount == 0, "{:?}: {text}: {row:?}", all.vat_codes);
        }
        assert!(allowed.iter().all(|(vat, _)| *vat != Vat::NoVat) || all.vat_codes.iter().flatten().count() == 1);
        assert!(outcome.warnings.contains(&Warning::VatCodeNotAllowed), "{:?}", all.vat_codes);
    }
}

#[test]
fn exempt_alone_is_answered_to_everything() {
    let mut all = batch(purchases());
    all.vat_codes = Some(vec![vat_code("T2", "Exempt transactions", "0")]);
    for row in code(&all).rows {
        assert_eq!((row.vat, row.vat_rate, row.vat_amount), (Vat::Exempt, 0, 0));
    }
}

#[test]
fn input_tax_that_is_blocked_is_not_reclaimed() {
    let mut all = batch(vec![
        line("2025-05-01", "CLIENT ENTERTAINING DINNER", "-120"),
        line("2025-05-01", "ENTERTAINING CLIENTS HOSPITALITY BOX", "-360"),
        line("2025-05-01", "COMPANIES HOUSE FILING FEE", "-34"),
        line("2025-05-01", "DVLA VEHICLE TAX", "-345"),
        line("2025-05-01", "COUNCIL BUSINESS RATES", "-345"),
        line("2025-05-01", "PARKING FINE PENALTY CHARGE NOTICE", "-35"),
        line("2025-05-01", "DIRECTORS LOAN REPAYMENT", "-35"),
        line("2025-05-01", "DIVIDEND", "-5000"),
        line("2025-05-01", "HMRC VAT", "-5000"),
        line("2025-05-01", "BANK INTEREST", "5"),
        line("2025-05-01", "OVERDRAFT INTEREST", "-5"),
    ]);
    all.accounts.push(account("425", "Rates and council tax", AccountType::Expense));
    for (row, source) in code(&all).rows.iter().zip(&all.transactions) {
        assert_eq!(row.vat_amount, 0, "{source:?}\n{row:?}");
    }
}

#[test]
fn a_hundred_codes_of_odd_rates_are_read() {
    let rates = ["17.5", "13.5", "100", "0.0001", "20", "5", "0", "12.000000000001", "99.99"];
    let codes: Vec<VatCode<'static>> = (0..100)
        .map(|place| vat_code(&format!("V{place}"), &format!("Rate number {place}"), rates[place % rates.len()]))
        .collect();
    for first in 0..rates.len() {
        let mut rotated = codes.clone();
        rotated.rotate_left(first);
        let mut all = batch(purchases());
        all.vat_codes = Some(rotated);
        let outcome = code(&all);
        for row in &outcome.rows {
            let known = codes.iter().any(|code| code.rate == row.vat_rate);
            assert!(known, "{row:?}");
        }
    }
}

#[test]
fn the_split_is_exact_at_the_callers_rate() {
    for (rate, gross, vat) in [
        ("20", "-120", "-20"),
        ("17.5", "-117.50", "-17.50"),
        ("13.5", "-113.50", "-13.50"),
        ("100", "-120", "-60"),
        ("0.0001", "-120", "0"),
        ("20", "-0.03", "-0.01"),
        ("20", "-0.02", "0"),
        ("20", "-999999999999999999.99", "-166666666666666666.67"),
    ] {
        let mut all = batch(vec![line("2025-05-01", "VODAFONE", gross)]);
        all.vat_codes = Some(vec![vat_code("ST", "Standard", rate), vat_code("NV", "None", "0")]);
        let row = &code(&all).rows[0];
        assert_eq!((row.vat, row.vat_rate, row.vat_amount), (Vat::Standard, pounds(rate), pounds(vat)), "{gross}");
    }
}

#[test]
fn words_of_a_line_say_more_of_its_vat_than_its_kind() {
    let lines = [
        ("M6 TOLL WEEFORD", "-9.70", Vat::Standard),
        ("DARTFORD CROSSING TOLL", "-2.50", Vat::NoVat),
        ("CITY GARAGE MOT", "-54.85", Vat::NoVat),
        ("CITY GARAGE MOT AND SERVICE", "-314", Vat::Standard),
        ("SOFTWARE SUBSCRIPTION AMSTERDAM", "-49", Vat::NoVat),
        ("SOFTWARE SUBSCRIPTION LEEDS", "-49", Vat::Standard),
        ("IBIS HOTEL LYON", "-120", Vat::NoVat),
        ("IBIS HOTEL LEEDS", "-120", Vat::Standard),
        ("PIZZERIA ROMA LEEDS", "-24", Vat::Standard),
        ("HM LAND REGISTRY", "-14", Vat::NoVat),
        ("PREMIER INN LTD", "-80", Vat::Standard),
        // Names of firms that a person could have.
        ("PRET A MANGER EUSTON", "-8.95", Vat::Standard),
        ("TOBY CARVERY", "-38.50", Vat::Standard),
    ];
    let mut all = batch(lines.iter().map(|(text, amount, _)| line("2025-05-01", text, amount)).collect());
    all.business_context = Cow::Borrowed("A small firm, VAT registered.");
    for (row, (text, _, vat)) in code(&all).rows.iter().zip(lines) {
        assert_eq!(row.vat, vat, "{text}: {row:?}");
    }
}

#[test]
fn cards_as_natwest_prints_them_pay_no_person() {
    let mut all = batch(vec![
        line("2025-05-01", "4471 01SEP25 C , MCDONALDS 611 , HAZEL GROVE GB", "-23.17"),
        line("2025-05-01", "4471 01SEP25 , MCDONALDS 611 , HAZEL GROVE GB", "-23.17"),
    ]);
    all.business_context = Cow::Borrowed("A small firm, VAT registered.");
    assert!(code(&all).rows.iter().all(|row| row.vat == Vat::Standard));
}

#[test]
fn rent_has_the_vat_that_the_landlord_charges() {
    let rent = |context: &'static str| {
        let mut all = batch(vec![line("2025-05-01", "STO GREENGATE UNITS RENT", "-475")]);
        all.business_context = Cow::Borrowed(context);
        code(&all).rows[0].vat
    };
    assert_eq!(
        rent("A small firm, VAT registered. Our landlord charges VAT on the rent, and Sam is not VAT registered."),
        Vat::Standard
    );
    assert_eq!(
        rent("A small firm, VAT registered. The yard is rented from Greengate who do charge VAT."),
        Vat::Standard
    );
    assert_eq!(
        rent("A small firm, VAT registered. Neither the landlord, nor Janice who teaches, charges VAT."),
        Vat::Exempt
    );
    assert_eq!(rent("A small firm, VAT registered. We charge VAT and rent a unit."), Vat::Exempt);
    assert_eq!(rent("A small firm, VAT registered. The landlord doesn't charge VAT."), Vat::Exempt);
}

#[test]
fn all_that_is_sold_at_the_standard_rate_is_where_the_context_says_so() {
    let vat = |context: &'static str| {
        let mut all = batch(vec![line("2025-05-02", "FPI KHANWELL 190725 VENUE HIRE", "3250.00")]);
        all.accounts.push(account("N0", "Venue hire", AccountType::Income));
        all.business_context = Cow::Borrowed(context);
        code(&all).rows[0].vat
    };
    let stated =
        "Weddings in a barn of the family farm, limited company, VAT registered. Hire, bar and commission are all 20%.";
    assert_eq!(vat(stated), Vat::Standard);
    let of_one =
        "Weddings in a barn of the family farm, limited company, VAT registered. The bar is all 20%, hire is exempt.";
    assert_eq!(vat(of_one), Vat::Exempt);
}

#[test]
fn the_tax_office_is_paid_no_vat() {
    let mut all = batch(vec![line("2025-05-02", "HMRC BEER CIDER DUTY DD", "-1386.22")]);
    all.accounts.push(account("N0", "Alcohol duty", AccountType::Expense));
    all.business_context = Cow::Borrowed("Cider maker, limited company, VAT registered.");
    assert_eq!(code(&all).rows[0].vat, Vat::NoVat);
}

#[test]
fn the_name_of_an_account_says_the_vat_of_what_is_sold_under_it() {
    use AccountType::{Expense, Income, Liability};
    let context = "A shop, limited company, VAT registered.";
    for (name, text, vat) in [
        ("Clock sales - margin scheme", "CLOCK SALE S1140", Vat::NoVat),
        ("Donated goods", "DONATED GOODS ELM RD", Vat::Zero),
        ("Tearoom sales", "TEAROOM SATURDAY", Vat::Standard),
        ("Solid fuel", "SOLID FUEL MRS HOLT", Vat::Reduced),
        ("Leaflets and newsletters", "LEAFLETS 6000 BOSTON", Vat::Zero),
        ("Moorings", "MOORINGS SPRING QTR", Vat::Standard),
        ("Chair rent", "CHAIR RENT WK 31", Vat::Standard),
        ("Insurance commission", "INSURANCE COMMISSION MAY", Vat::Exempt),
        ("Marquee hire", "MARQUEE HIRE WOOLHOPE", Vat::Standard),
        ("Hall hire", "HALL HIRE PILATES", Vat::Exempt),
    ] {
        let chart = [(name, Income), ("Other costs", Expense), ("VAT", Liability)];
        assert_eq!(vat_on_chart(context, &chart, &[(text, "120.00")]), [vat], "{name}");
    }
}

#[test]
fn a_deposit_that_is_given_back_has_no_vat() {
    use AccountType::{Expense, Income, Liability};
    let chart = [("Wine sales", Income), ("Wine bought", Expense), ("Glass deposits", Liability)];
    let context = "Wine merchant, VAT registered. We lend glasses and customers leave a deposit, returned when they come back whole.";
    assert_eq!(vat_on_chart(context, &chart, &[("MRS PERCIVAL GLASS DEPOSIT", "50.00")]), [Vat::NoVat]);
    let context = "Wine merchant, VAT registered. Deposits are not returnable and include VAT.";
    assert_eq!(vat_on_chart(context, &chart, &[("MRS PERCIVAL GLASS DEPOSIT", "50.00")]), [Vat::Standard]);
}

#[test]
fn who_keeps_an_account_of_vat_is_registered_unless_the_denial_is_the_business_own() {
    use AccountType::{Expense, Income, Liability};
    let chart = [("Sales", Income), ("Packaging", Expense), ("VAT", Liability)];
    for (context, vat) in [
        ("A cutler's. Beth engraves for us, just her, no VAT number.", Vat::Standard),
        ("A cutler's. Celia makes the boxes; she's not VAT registered.", Vat::Standard),
        ("A cutler's. The market takes a pitch fee, no VAT on that one.", Vat::Standard),
        ("A cutler's. Dmitri grinds for us, no VAT.", Vat::Standard),
        ("A cutler's, not VAT registered.", Vat::NoVat),
        ("A cutler's. Not VAT registered.", Vat::NoVat),
        ("A cutler's. I'm not VAT registered and Beth isn't either.", Vat::NoVat),
    ] {
        assert_eq!(vat_on_chart(context, &chart, &[("SALES OF KNIVES", "120.00")]), [vat], "{context}");
    }
}
