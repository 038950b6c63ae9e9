//! What the context states of payees, of the VAT they charge and of the business's own VAT, as lines are coded by it.

use super::accounts_apart::accounts_of;
use super::*;

/// VAT codes of lines of a business with a standard chart and more accounts.
fn vat_of(more: &[(&str, AccountType)], context: &'static str, lines: Vec<Transaction<'static>>) -> Vec<(String, Vat)> {
    let mut all = batch(lines);
    all.business_context = Cow::Borrowed(context);
    for (place, (name, kind)) in more.iter().enumerate() {
        all.accounts.push(account(&format!("N{place}"), name, *kind));
    }
    let rows = code(&all).rows;
    rows.iter().map(|row| (all.accounts[row.account].name.to_string(), row.vat)).collect()
}

#[test]
fn a_payee_goes_where_the_context_sends_it_unless_the_line_says_otherwise() {
    let found = accounts_of(
        &[("Bar Stock", AccountType::Expense), ("Dividends paid", AccountType::Equity)],
        "Company, not VAT registered. Tressling Traders = bar stock. Money to \"O PENHALE\" is Dividends paid unless it says expenses",
        vec![
            line("2025-05-02", "TRESSLING TRADERS LTD", "-188.44"),
            line("2025-05-05", "O PENHALE", "-900.00"),
            line("2025-05-06", "TRAVIS TRESSLING TAXIS", "-12.00"),
        ],
    );
    assert_eq!(found[..2], ["Bar Stock", "Dividends paid"]);
}

#[test]
fn the_reason_says_that_the_context_sends_the_payee_there() {
    let mut all = batch(vec![line("2025-05-02", "TRESSLING TRADERS LTD", "-188.44")]);
    all.accounts.push(account("N0", "Bar Stock", AccountType::Expense));
    all.business_context = Cow::Borrowed("Company, not VAT registered. Tressling Traders = bar stock.");
    assert_eq!(code(&all).rows[0].reason, "The business context sends this payee to Bar Stock.");
}

#[test]
fn takings_of_the_card_machine_go_where_the_context_puts_them() {
    let found = accounts_of(
        &[("Sales of bikes", AccountType::Income), ("Sales of parts", AccountType::Income)],
        "Bike shop, limited company. Takepayments pays in card takings daily, gross; code the lot to N1 at standard.",
        vec![
            line("2025-05-02", "CR TAKEPAYMENTS LTD 52100417", "812.40"),
            line("2025-05-03", "DD TAKEPAYMENTS LTD FEES", "-21.00"),
        ],
    );
    assert_eq!(found, ["Sales of parts", "Bank fees"]);
}

#[test]
fn suppliers_charge_the_vat_that_the_context_says() {
    let found = vat_of(
        &[],
        "Furniture maker, VAT registered. Olmstead Cleaners isn't registered. The landlord, Pelham Estates, charges VAT on the rent.",
        vec![
            line("2025-05-02", "OLMSTEAD CLEANERS", "-80.00"),
            line("2025-05-02", "SPARKLE CLEANERS LTD", "-80.00"),
            line("2025-05-05", "PELHAM ESTATES RENT", "-960.00"),
        ],
    );
    let codes: Vec<Vat> = found.into_iter().map(|(_, vat)| vat).collect();
    assert_eq!(codes, [Vat::NoVat, Vat::Standard, Vat::Standard]);
}

#[test]
fn nothing_is_reclaimed_on_the_flat_rate_scheme() {
    let lines = || vec![line("2025-05-02", "SCREWFIX", "-60.00"), line("2025-05-05", "CUSTOMER SALES", "240.00")];
    let codes = |context| vat_of(&[], context, lines()).into_iter().map(|(_, vat)| vat).collect::<Vec<Vat>>();
    assert_eq!(codes("Tyre fitter, VAT registered on the flat rate scheme"), [Vat::NoVat, Vat::Standard]);
    assert_eq!(codes("Tyre fitter, VAT registered, standard scheme not flat rate"), [Vat::Standard, Vat::Standard]);
}

#[test]
fn deposits_of_customers_carry_the_vat_of_the_sale_and_those_given_back_none() {
    let context = "We make oak gates, limited company, VAT registered. Deposits on orders go to Customer deposits.";
    let lines = || vec![line("2025-05-02", "CR YATELEY R DEPOSIT OAK GATES", "1440.00")];
    let found = vat_of(&[("Customer deposits", AccountType::Liability)], context, lines());
    assert_eq!(found, [("Customer deposits".to_owned(), Vat::Standard)]);
    let found = vat_of(&[("Refundable deposits held", AccountType::Liability)], context, lines());
    assert_eq!(found[0].1, if found[0].0 == "Refundable deposits held" { Vat::NoVat } else { Vat::Standard });
}

#[test]
fn chairs_are_let_with_vat_where_the_context_says_so() {
    let lines = || vec![line("2025-05-02", "CR B TOMLINSON CHAIR RENT", "150.00")];
    let more = [("Chair rent received", AccountType::Income)];
    let with =
        vat_of(&more, "Hair salon, VAT registered. Two people rent a chair off us and we charge VAT on it.", lines());
    assert_eq!(with, [("Chair rent received".to_owned(), Vat::Standard)]);
}

#[test]
fn what_a_remark_or_the_context_calls_private_is_the_owners() {
    let found = accounts_of(
        &[("Drawings", AccountType::Equity)],
        "Florist, sole trader, not VAT registered. Netling and the vet are mine.",
        vec![
            line("2025-05-02", "NETLING COM", "-9.99"),
            line("2025-05-03", "JOHN LEWIS mums birthday personal", "-52.00"),
            line("2025-05-04", "ALDI sorry wrong card", "-63.18"),
        ],
    );
    assert_eq!(found, ["Drawings", "Drawings", "Drawings"]);
}

#[test]
fn owners_are_known_by_a_title_behind_their_name() {
    for context in [
        "Ferrow Cars Ltd sells used cars. Dean Ferrow, director: his transfers go to his loan.",
        "Scaffolders, limited. Dean Ferrow the MD takes money as he needs it.",
        "Lowbeck Motors Ltd. Dean Ferrow = director.",
    ] {
        let found = accounts_of(
            &[("Directors' loan account", AccountType::Liability)],
            context,
            vec![line("2025-05-02", "D FERROW", "-1000.00")],
        );
        assert_eq!(found, ["Directors' loan account"], "{context}");
    }
}

#[test]
fn an_account_is_known_by_its_first_letters() {
    let found = accounts_of(
        &[("Early years funding", AccountType::Income), ("Tax-free childcare", AccountType::Income)],
        "Day nursery, limited company",
        vec![
            line("2025-05-02", "COUNTY COU EYF AUTUMN", "18420.00"),
            line("2025-05-03", "GIRO CREDIT TFC 1100448120", "480.00"),
        ],
    );
    assert_eq!(found, ["Early years funding", "Tax-free childcare"]);
}

#[test]
fn vat_of_lists_takings_tests_and_whoever_is_unregistered() {
    use AccountType::{Expense, Income};
    let context = "A playhouse. We are VAT registered but most of what we do is exempt: tickets under the cultural exemption, youth \
                   theatre fees, letting the hall. The bar and adverts carry VAT at 20%. Tutors and musicians are not registered.";
    let more = [("Ticket income", Income), ("Bar takings", Income), ("Youth theatre tutors", Expense)];
    let lines = vec![
        line("2025-05-01", "TICKETSOURCE LTD A1140882 TICKET", "1486.50"),
        line("2025-05-02", "PAID IN 500117 BAR", "388.00"),
        line("2025-05-03", "A WINTERBOTTOM YOUTH THEATRE TUTORS", "-180.00"),
    ];
    assert_eq!(
        vat_of(&more, context, lines).into_iter().map(|(_, vat)| vat).collect::<Vec<_>>(),
        [Vat::Exempt, Vat::Standard, Vat::NoVat]
    );
    let context = "A bakery, VAT registered. Post all shop takings to the shop and as zero-rated.";
    let lines = vec![line("2025-05-01", "DOJO SHOP", "388.00")];
    assert_eq!(vat_of(&[("Takings - shop", Income)], context, lines).first().map(|(_, vat)| *vat), Some(Vat::Zero));
    let context = "A garage with its own bay, VAT registered.";
    let lines = vec![line("2025-05-01", "MRS R BLOOM MOT TESTS FIESTA", "54.85")];
    assert_eq!(vat_of(&[("MOT tests", Income)], context, lines).first().map(|(_, vat)| *vat), Some(Vat::NoVat));
}

#[test]
fn a_registration_that_is_denied_of_somebody_is_not_denied_of_the_business() {
    let context = "Accountants. Lorna does overflow bookkeeping and isn't registered, nor is Tracey, who cleans. The landlord charges VAT \
                   on the rent.";
    let lines = vec![line("2025-05-01", "VODAFONE LTD", "-60.00")];
    let found = vat_of(&[("VAT", AccountType::Liability)], context, lines);
    assert_eq!(found.first().map(|(_, vat)| *vat), Some(Vat::Standard));
}
