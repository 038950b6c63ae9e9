//! Which of several accounts for the same kind of thing, and what is money moved rather than spent.

use super::*;

/// Names of the accounts that lines go to, on a chart with more accounts.
pub(super) fn accounts_of(
    more: &[(&str, AccountType)],
    context: &'static str,
    lines: Vec<Transaction<'static>>,
) -> Vec<String> {
    let mut all = batch(lines);
    all.business_context = Cow::Borrowed(context);
    for (place, (name, kind)) in more.iter().enumerate() {
        all.accounts.push(account(&format!("N{place}"), name, *kind));
    }
    let outcome = code(&all);
    outcome.rows.iter().map(|row| all.accounts[row.account].name.to_string()).collect()
}

#[test]
fn suppliers_go_to_the_account_of_what_they_sell() {
    use AccountType::Expense;
    let more = [("Meat & poultry", Expense), ("Fish & seafood", Expense), ("Fruit & veg", Expense), ("Wine", Expense)];
    let found = accounts_of(
        &more,
        "Restaurant in Leeds, limited company",
        vec![
            line("2025-05-01", "HIGH STREET BUTCHERS", "-210.40"),
            line("2025-05-02", "NORTH SEA SEAFOODS", "-154.00"),
            line("2025-05-03", "VALLEY FRUIT AND VEG", "-88.12"),
            line("2025-05-04", "CORNEY AND CO VINTNERS", "-402.00"),
        ],
    );
    assert_eq!(found, ["Meat & poultry", "Fish & seafood", "Fruit & veg", "Wine"]);
}

#[test]
fn money_goes_back_out_of_what_was_sold() {
    use AccountType::Income;
    let more = [("Tuition", Income), ("Weddings", Income)];
    let found = accounts_of(
        &more,
        "We teach music lessons and play at weddings",
        vec![
            line("2025-05-01", "J SMITH REFUND TUITION", "-32.00"),
            line("2025-05-02", "P BROWN REFUND WEDDING 7 JUNE", "-45.00"),
        ],
    );
    assert_eq!(found, ["Tuition", "Weddings"]);
}

#[test]
fn takings_by_card_are_no_payment_of_the_card() {
    let found = accounts_of(
        &[],
        "Gift shop, limited company",
        vec![
            line_of("Barclays Current Account", "2025-05-01", "BARCLAYCARD 8841207 310525 BGC", "1388.40"),
            line_of("Barclays Current Account", "2025-05-02", "BARCLAYCARD BUSINESS MSC MAY DDR", "-186.44"),
        ],
    );
    assert_eq!(found, ["Sales", "Bank fees"]);
}

#[test]
fn the_only_card_is_paid_whatever_the_bank_calls_it() {
    for text in
        ["BARCLAYS CREDITCARD 5474XXXXXXXX2210", "BARCLAYS CREDIT CAR 5521880011223344", "BARCLAYS BUSINESSCARD DD"]
    {
        let all = batch(vec![line_of("Barclays Current Account", "2025-05-01", text, "-388.41")]);
        let row = &code(&all).rows[0];
        assert_eq!(row.method, Method::Transfer, "{text}");
        assert_eq!(all.accounts[row.account].name, "Barclaycard", "{text}");
    }
}

#[test]
fn pots_that_name_each_other_are_a_transfer() {
    let mut all = batch(vec![
        line_of("Revolut Main", "2025-05-01", "Main \u{b7} GBP \u{2192} Tax", "-4000"),
        line_of("Revolut Tax", "2025-05-01", "GBP Main \u{2192} Tax", "4000"),
    ]);
    all.accounts.push(account("R1", "Revolut Main", AccountType::Asset));
    all.accounts.push(account("R2", "Revolut Tax pocket", AccountType::Asset));
    let outcome = code(&all);
    assert_eq!(outcome.rows[0].transfer_pair, Some(1));
    assert_eq!(all.accounts[outcome.rows[0].account].name, "Revolut Tax pocket");
}

#[test]
fn what_a_sole_trader_buys_for_the_family_is_drawn_unless_the_chart_or_the_trade_knows_it() {
    let plumber = "Plumber, a sole trader in Derby. Not registered for VAT.";
    let chart = |more: &[(&str, &str)]| {
        let mut accounts = vec![
            account("200", "Sales", AccountType::Income),
            account("310", "Materials", AccountType::Expense),
            account("400", "Motor expenses", AccountType::Expense),
            account("410", "Office costs", AccountType::Expense),
            account("900", "Drawings", AccountType::Equity),
        ];
        accounts.extend(more.iter().map(|(code, name)| account(code, name, AccountType::Expense)));
        accounts
    };
    let lines = || ["PRIMARK", "VETS4PETS", "TONI AND GUY HAIRDRESSERS"].map(|name| line("2025-05-01", name, "-38.40"));
    let go_to = |context: &str, more: &[(&str, &str)]| {
        let asked = Batch {
            transactions: lines().to_vec(),
            accounts: chart(more),
            business_context: Cow::Owned(context.to_owned()),
            ..Batch::default()
        };
        code(&asked).rows.iter().map(|row| asked.accounts[row.account].name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(go_to(plumber, &[]), ["Drawings"; 3]);
    // A company has no drawings to take, and a chart that has the account means it.
    assert_eq!(go_to("Plumber in Derby, limited company", &[])[1..], ["Materials", "Office costs"]);
    assert_eq!(go_to(plumber, &[("420", "Clothing and uniforms")])[0], "Clothing and uniforms");
    // What a groomer pays a vet is of the trade.
    assert_ne!(go_to("Dog grooming parlour, a sole trader.", &[("430", "Pet supplies and vet")])[1], "Drawings");
}

/// Names of the accounts that lines of the caller's own accounts go to, on a chart of these accounts alone; a line is its text, its
/// amount and the own account it is from, if that is told.
pub(super) fn on_chart_from(
    context: &'static str,
    chart: &[(&str, AccountType)],
    lines: &[(&str, &str, Option<&'static str>)],
) -> Vec<String> {
    let tagged = lines.iter().map(|(text, amount, own)| {
        let mut line = line("2025-05-01", text, amount);
        line.bank_account = own.map(Cow::Borrowed);
        line
    });
    let asked = Batch {
        transactions: tagged.collect(),
        accounts: (0..).zip(chart).map(|(at, (name, kind))| account(&format!("{}", 100 + at), name, *kind)).collect(),
        business_context: Cow::Borrowed(context),
        ..Batch::default()
    };
    code(&asked).rows.iter().map(|row| asked.accounts[row.account].name.to_string()).collect()
}

/// The accounts that lines of a business go to, on a chart of its own.
pub(super) fn on_chart(context: &'static str, chart: &[(&str, AccountType)], lines: &[(&str, &str)]) -> Vec<String> {
    let lines: Vec<(&str, &str, Option<&'static str>)> =
        lines.iter().map(|(text, amount)| (*text, *amount, None)).collect();
    on_chart_from(context, chart, &lines)
}

#[test]
fn a_director_who_shops_with_the_company_card_owes_it_where_the_context_says_so() {
    use AccountType::{Expense, Income, Liability};
    let chart = [
        ("Sales", Income),
        ("Cable and fittings", Expense),
        ("Van running costs", Expense),
        ("Accountancy", Expense),
        ("Director's loan account", Liability),
    ];
    let shop = [("VETS4PETS", "-38.40")];
    let mixed = "Electrician, limited company. My private purchases go to the director's loan.";
    assert_eq!(on_chart(mixed, &chart, &shop), ["Director's loan account"]);
    for context in [
        "Electrician, limited company.",
        "Private hire operator, limited. The director's loan is money I put in.",
        "Electrician, limited company. No private purchases go through the director's loan.",
    ] {
        assert_ne!(on_chart(context, &chart, &shop), ["Director's loan account"], "{context}");
    }
}

#[test]
fn partners_draw_what_they_buy_for_the_family() {
    use AccountType::{Equity, Expense, Income};
    let chart = [
        ("Sales", Income),
        ("Materials", Expense),
        ("Motor expenses", Expense),
        ("Drawings - John", Equity),
        ("Drawings - Mary", Equity),
    ];
    for shop in ["TESCO STORES 2241", "PRIMARK"] {
        let found = on_chart("Plumbers, a partnership of John and Mary Hill", &chart, &[(shop, "-38.40")]);
        assert!(found[0].starts_with("Drawings"), "{shop}: {found:?}");
    }
}

#[test]
fn the_name_of_a_group_is_no_reason_for_one_of_its_accounts() {
    use AccountType::{Expense, Income};
    let chart = [
        ("Income", Income),
        ("Travel - Rail", Expense),
        ("Travel - Air fares", Expense),
        ("Fleet - Fuel", Expense),
        ("Fleet - Road fund licence", Expense),
        ("Fleet - Parts and repairs", Expense),
        ("Accommodation", Expense),
        ("Office costs", Expense),
    ];
    let lines = [("TRAVELODGE", "-62.00"), ("DVLA VEHICLE TAX", "-27.50"), ("KWIK FIT 221", "-84.00")];
    let found = on_chart("A housing association", &chart, &lines);
    assert_eq!(found, ["Accommodation", "Fleet - Road fund licence", "Fleet - Parts and repairs"]);
}

#[test]
fn purchases_of_a_kind_are_what_a_group_of_purchases_is_for() {
    use AccountType::{Expense, Income};
    let chart = [
        ("Sales of Books", Income),
        ("Sales of Cards and Gifts", Income),
        ("Purchases: Books", Expense),
        ("Purchases: Cards and Gifts", Expense),
        ("Shop Consumables", Expense),
        ("Software and Website", Expense),
    ];
    let lines = [("GARDNERS BOOKS LTD", "-312.50"), ("DOJO PAYMENTS 7710042 BGC", "612.35")];
    // Cards that are sold are no cards that are paid with.
    assert_eq!(on_chart("Independent bookshop", &chart, &lines), ["Purchases: Books", "Sales of Books"]);
}

#[test]
fn a_chimney_that_is_swept_moves_no_money_to_savings() {
    use AccountType::{Asset, Expense, Income};
    let chart =
        [("Chimney sweeping jobs", Income), ("Van diesel", Expense), ("Bank account", Asset), ("Tax pot", Asset)];
    let lines = [("SWEEP 30 MAR", "75.00"), ("SWEEP FROM MRS JONES", "65.00"), ("AUTO SWEEP TO TAX POT", "-200.00")];
    assert_eq!(
        on_chart("Chimney sweep, sole trader", &chart, &lines),
        ["Chimney sweeping jobs", "Chimney sweeping jobs", "Tax pot"]
    );
}

#[test]
fn a_name_may_join_the_words_that_a_line_parts() {
    use AccountType::{Expense, Income};
    let chart = [("Member subscriptions", Income), ("Clubroom hire", Income), ("Clubhouse repairs", Expense)];
    assert_eq!(on_chart("Rowing club", &chart, &[("CLUBROOM 18 APR YARE YOGA", "60.00")]), ["Clubroom hire"]);
}

#[test]
fn cheap_equipment_is_an_asset_where_no_expense_is_kept_for_it() {
    use AccountType::{Asset, Expense, Income};
    let chart =
        [("Sales", Income), ("Beauty and nail stock", Expense), ("Rent", Expense), ("Computers and till", Asset)];
    assert_eq!(on_chart("Nail salon", &chart, &[("CURRYS PC WORLD", "-38.40")]), ["Computers and till"]);
    let with_expense = [chart.as_slice(), &[("Small computer equipment", Expense)]].concat();
    assert_eq!(on_chart("Nail salon", &with_expense, &[("CURRYS PC WORLD", "-38.40")]), ["Small computer equipment"]);
    let with_office = [chart.as_slice(), &[("Office costs", Expense)]].concat();
    assert_eq!(on_chart("Nail salon", &with_office, &[("CURRYS PC WORLD", "-12.40")]), ["Office costs"]);
}

#[test]
fn a_word_says_as_much_at_the_begin_of_a_line_as_behind() {
    use AccountType::{Expense, Income};
    let chart =
        [account("1", "Sales", Income), account("2", "Garden maintenance", Expense), account("3", "Printing", Expense)];
    let texts = ["GARDEN ZORBLAX", "ZORBLAX GARDEN"];
    let asked = Batch {
        transactions: texts.map(|text| line("2025-05-01", text, "-38.40")).to_vec(),
        accounts: chart.to_vec(),
        ..Batch::default()
    };
    let rows = code(&asked).rows;
    assert_eq!((rows[0].account, rows[0].confidence), (rows[1].account, rows[1].confidence));
}

#[test]
fn provisions_go_to_the_account_kept_for_them_before_meals_away() {
    use AccountType::{Expense, Income};
    let chart =
        [("Sales", Income), ("Canteen and kitchen supplies", Expense), ("Travel meals and subsistence", Expense)];
    let lines = [("TESCO STORES 2241", "-18.40"), ("PRET A MANGER LEEDS", "-8.40")];
    let found = on_chart("Haulage company, limited", &chart, &lines);
    assert_eq!(found, ["Canteen and kitchen supplies", "Travel meals and subsistence"]);
}

#[test]
fn of_owners_accounts_the_one_with_the_name_is_meant() {
    use AccountType::{Equity, Liability};
    let more = [
        ("Dividend: J Brearley", Equity),
        ("Dividend: H Okafor", Equity),
        ("Director Loan Account: J Brearley", Liability),
        ("Director Loan Account: H Okafor", Liability),
        ("Bounce Back Loan", Liability),
    ];
    let found = accounts_of(
        &more,
        "Clinic, limited company. Directors Hannah Okafor and James Brearley.",
        vec![
            line("2025-05-01", "BP H OKAFOR DIVIDEND", "-500.00"),
            line("2025-05-01", "BP J BREARLEY DIVIDEND", "-500.00"),
            line("2025-05-02", "BP J BREARLEY LOAN REPAY", "-350.00"),
        ],
    );
    assert_eq!(found, ["Dividend: H Okafor", "Dividend: J Brearley", "Director Loan Account: J Brearley"]);
}

#[test]
fn takings_are_no_refund_of_what_the_card_company_charges() {
    let found = accounts_of(
        &[("Rooms - guests paying direct", AccountType::Income), ("Card machine fees", AccountType::Expense)],
        "Guest house, sole trader",
        vec![
            line("2025-07-02", "DIRECT DEBIT PAYMENT TO WORLDPAY REF 44810227", "-31.20"),
            line("2025-07-09", "BANK GIRO CREDIT REF WORLDPAY, 44810227 0907", "271.50"),
        ],
    );
    assert_eq!(found, ["Card machine fees", "Rooms - guests paying direct"]);
}

#[test]
fn interest_on_savings_is_interest() {
    let found = accounts_of(
        &[("Monzo tax pot", AccountType::Asset)],
        "Chimney sweep, sole trader",
        vec![line("2025-05-31", "Interest on tax pot", "3.12")],
    );
    assert_eq!(found, ["Interest received"]);
}

#[test]
fn tax_that_is_due_is_no_bill_of_a_supplier() {
    let mut all = batch(vec![line("2025-05-22", "FPO HMRC CUMBERNAULD 120PD00981273", "-41.20")]);
    all.accounts.retain(|account| !["800", "825"].contains(&account.code.as_ref()));
    all.accounts.push(account("P1", "PAYE due to Revenue", AccountType::Liability));
    let row = &code(&all).rows[0];
    assert_eq!(all.accounts[row.account].name, "PAYE due to Revenue");
}

#[test]
fn names_of_accounts_say_from_which_price_equipment_is_an_asset() {
    use AccountType::{Asset, Expense};
    let more = [("Machines & kit over 500", Asset), ("Small tools, under 500", Expense)];
    let lines = || {
        vec![line("2025-05-01", "FFX TOOLS PLUNGE SAW", "-612.00"), line("2025-05-01", "FFX TOOLS BLADES", "-61.20")]
    };
    let found = accounts_of(&more, "Joiner, sole trader", lines());
    assert_eq!(found, ["Machines & kit over 500", "Small tools, under 500"]);
    let dearer = [("Machines & kit over 5,000", Asset), ("Small tools, under 5,000", Expense)];
    let found = accounts_of(&dearer, "Joiner, sole trader", lines());
    assert_eq!(found, ["Small tools, under 5,000"; 2]);
}

#[test]
fn what_is_bought_used_for_hundreds_is_an_asset() {
    let found = accounts_of(
        &[("Plant and Machinery", AccountType::Asset), ("Cost of Sales:Materials", AccountType::Expense)],
        "Landscapers, limited company",
        vec![
            line("2025-05-01", "IRVING BROS 2 X USED FLAIL MOWER", "-1800.00"),
            line("2025-05-02", "SECOND HAND BOOKS", "-12.00"),
        ],
    );
    assert_eq!(found.first().map(String::as_str), Some("Plant and Machinery"));
    assert_ne!(found.get(1).map(String::as_str), Some("Plant and Machinery"));
}

#[test]
fn a_sole_traders_weekly_shop_is_the_households() {
    use AccountType::{Equity, Expense};
    let more = [("Drawings", Equity), ("Meals and nights away", Expense)];
    let lines = || {
        vec![line("2025-05-01", "ALDI HALIFAX", "-43.49"), line("2025-05-02", "TESCO STORES 2211 MEAL DEAL", "-3.90")]
    };
    let found = accounts_of(&more, "Chimney sweep, sole trader", lines());
    assert_eq!(found.first().map(String::as_str), Some("Drawings"));
    assert_ne!(found.get(1).map(String::as_str), Some("Drawings"));
    let found = accounts_of(&more, "Cafe, sole trader", lines());
    assert_ne!(found.first().map(String::as_str), Some("Drawings"));
}

#[test]
fn large_bills_of_restaurants_are_for_guests_where_no_account_is_for_meals() {
    let lines = || vec![line("2025-05-01", "BOSCO RESTAURANT BRISTOL", "-168.40")];
    assert_eq!(accounts_of(&[], "Architects, limited company", lines()), ["Entertainment"]);
    let more = [("Meals and subsistence", AccountType::Expense)];
    assert_eq!(accounts_of(&more, "Architects, limited company", lines()), ["Meals and subsistence"]);
}

#[test]
fn a_refund_goes_back_where_its_payee_was_paid_from_whatever_is_written_behind() {
    let more = [("Flour and dry goods", AccountType::Expense)];
    let found = accounts_of(
        &more,
        "Pizzeria, limited company",
        vec![
            line("2025-05-01", "Direct Debit CARNEVALE FLOUR", "-684.33"),
            line("2025-05-09", "Inward Payment CARNEVALE FLOUR CREDIT CN5512 BURST BAGS", "46.20"),
            line("2025-05-12", "UNPAID DD CITY ELECTRICITY SUPPLY", "119.99"),
        ],
    );
    assert_eq!(found, ["Flour and dry goods", "Flour and dry goods", "Light, power, heating"]);
}

#[test]
fn what_a_line_says_twice_counts_once() {
    use AccountType::Expense;
    let more = [("Studio Rent", Expense), ("Studio Heat & Light", Expense)];
    let mut twice = line("2025-05-01", "Octopus Energy STUDIO 3 ELEC DD", "-47.12");
    twice.merchant = Some(Cow::Borrowed("Octopus Energy STUDIO 3 ELEC DD"));
    assert_eq!(accounts_of(&more, "Photographers, partnership", vec![twice]), ["Studio Heat & Light"]);
}

#[test]
fn who_pays_in_is_seldom_a_lender() {
    use AccountType::{Income, Liability};
    let more = [("Hall hire", Income), ("Loan - Village Halls Fund", Liability)];
    let found = accounts_of(
        &more,
        "Village hall, charity",
        vec![line("2025-05-01", "FP HEATH VILLAGE PLAYERS AUT TERM", "96.00")],
    );
    assert_eq!(found, ["Hall hire"]);
}

#[test]
fn what_an_owner_takes_is_drawn_and_what_comes_in_is_capital() {
    use AccountType::Equity;
    let more = [("Capital - D Ackworth", Equity), ("Drawings - D Ackworth", Equity), ("Drawings - L Ackworth", Equity)];
    let found = accounts_of(
        &more,
        "Plumbers, a partnership of Dan and Lucy Ackworth.",
        vec![
            line("2025-09-12", "D ACKWORTH , SEPT , FP 12/09/25 40", "-750.00"),
            line("2025-09-14", "D ACKWORTH , TIDE OVER , FP 14/09/25 40", "900.00"),
        ],
    );
    assert_eq!(found, ["Drawings - D Ackworth", "Capital - D Ackworth"]);
}

#[test]
fn an_apprentice_is_paid_wages_and_no_course() {
    use AccountType::{Expense, Liability};
    let more = [("Net Wages", Liability), ("Sub-Contractors", Expense), ("Training Costs", Expense)];
    let found = accounts_of(
        &more,
        "Plumbing and heating, partnership, CIS contractor",
        vec![line("2025-09-05", "C HOLROYD , APPRENTICE WK22 , FP 05/09/25 10", "-418.15")],
    );
    assert_eq!(found, ["Net Wages"]);
}

#[test]
fn a_paying_in_slip_is_takings_and_no_customers_deposit() {
    use AccountType::{Income, Liability};
    let more = [("Coffee morning takings", Income), ("Damage deposits held for hirers", Liability)];
    let found = accounts_of(
        &more,
        "Village hall, charity",
        vec![
            line("2026-04-03", "DEP 500114 MARLBOROUGH", "184.60"),
            line("2026-04-04", "FPI R TANNER DEPOSIT 5 APRIL", "50.00"),
        ],
    );
    assert_ne!(found.first().map(String::as_str), Some("Damage deposits held for hirers"));
    assert_eq!(found.get(1).map(String::as_str), Some("Damage deposits held for hirers"));
}

#[test]
fn a_hundred_club_is_known_however_short() {
    let found = accounts_of(
        &[("100 Club subscriptions", AccountType::Income), ("100 Club prizes", AccountType::Expense)],
        "Village hall, charity",
        vec![
            line("2026-02-03", "FPI GURNEY P 100C NO 37 YEAR", "24.00"),
            line("2026-02-27", "FPO NORRIS R 100C FEB 2ND", "-10.00"),
        ],
    );
    assert_eq!(found, ["100 Club subscriptions", "100 Club prizes"]);
}

#[test]
fn gross_interest_and_a_councils_direct_debit_are_known_by_few_words() {
    let found = accounts_of(
        &[("General Rates", AccountType::Expense)],
        "Plumbing and heating, partnership",
        vec![
            line("2026-03-30", "INT GROSS 44177208", "18.66"),
            line("2026-03-30", "30SEP GRS 61140872 , INT", "9.14"),
            line("2026-04-01", "CALDERDALE MBC , 7710448201 , D/D", "-187.00"),
        ],
    );
    assert_eq!(found, ["Interest received", "Interest received", "General Rates"]);
}

#[test]
fn what_a_company_pays_a_director_as_a_salary_is_a_directors() {
    use AccountType::Expense;
    let more = [("Directors' Salaries", Expense)];
    let found = accounts_of(
        &more,
        "Vets, limited company. Rosa Keane is the director; me plus two nurses are on the payroll.",
        vec![
            line("2025-05-28", "R KEANE SALARY MAY", "-1047.50"),
            line("2025-05-28", "T MORTLOCK SALARY MAY", "-1820.11"),
        ],
    );
    assert_eq!(found, ["Directors' Salaries", "Salaries"]);
}

#[test]
fn remarks_to_oneself_are_the_owners_money() {
    use AccountType::Equity;
    let more = [("Drawings", Equity), ("Capital introduced", Equity)];
    let found = accounts_of(
        &more,
        "Beautician, sole trader, not VAT registered",
        vec![
            line("2025-05-02", "S DUNMORE WAGES TO ME", "-250.00"),
            line("2025-05-09", "C PRITCHARD OWN ACCT", "-60.00"),
            line("2025-05-19", "S DUNMORE TOPPING UP", "200.00"),
        ],
    );
    assert_eq!(found, ["Drawings", "Drawings", "Capital introduced"]);
}

#[test]
fn what_a_company_moves_to_its_own_account_is_no_directors() {
    let more = [("Directors' loan account", AccountType::Liability)];
    let found = accounts_of(
        &more,
        "Yarn shop, limited company",
        vec![
            line("2025-05-02", "TFR TO OWN ACCOUNT 44120081", "-500.00"),
            line("2025-05-09", "TRANSFER OWN A/C", "-700.00"),
        ],
    );
    assert!(!found.contains(&"Directors' loan account".to_owned()), "{found:?}");
}

#[test]
fn who_works_for_a_sole_trader_is_no_owner() {
    let more = [("Drawings", AccountType::Equity), ("Subcontract labour", AccountType::Expense)];
    let found = accounts_of(
        &more,
        "Roofer, sole trader. Tyler Nesbitt is a self-employed labourer.",
        vec![line("2025-05-02", "T NESBITT", "-480.00")],
    );
    assert_ne!(found, ["Drawings"]);
}

#[test]
fn a_person_who_is_paid_and_pays_in_gives_nothing_back() {
    let found = accounts_of(
        &[],
        "Furniture restorer, sole trader",
        vec![
            line("2025-05-02", "MR T ALBRIGHT GARDEN CLEARANCE", "-80.00"),
            line("2025-05-19", "MR T ALBRIGHT", "640.00"),
        ],
    );
    assert_eq!(found[1], "Sales");
}

#[test]
fn what_is_insured_is_not_bought() {
    use AccountType::Expense;
    let more = [("Insurance", Expense), ("Small Tools & Blades", Expense)];
    let found = accounts_of(
        &more,
        "Joiner, limited company",
        vec![line("2025-05-02", "Direct Debit SIMPLY BUSINESS TOOLS AND PL", "-97.62")],
    );
    assert_eq!(found, ["Insurance"]);
}

#[test]
fn who_gives_by_standing_order_under_gift_aid_gives() {
    use AccountType::Income;
    let more = [("Gifts and legacies", Income), ("Gift Aid reclaimed", Income)];
    let found = accounts_of(
        &more,
        "Village hall, charity",
        vec![
            line("2025-05-02", "STANDING ORDER FLETCHER A GIFT AID MTHLY", "40.00"),
            line("2025-05-09", "BGC HMRC CHARITIES GIFT AID", "412.50"),
        ],
    );
    assert_eq!(found, ["Gifts and legacies", "Gift Aid reclaimed"]);
}

#[test]
fn the_first_account_of_sales_takes_what_a_web_shop_pays_out() {
    use AccountType::Income;
    let mut all = batch(vec![line("2025-05-02", "SHOPIFY PAYMENTS SHPFY PAYOUT", "918.37")]);
    all.business_context = Cow::Borrowed("Lighting shop, limited company, VAT registered");
    all.accounts.retain(|account| account.kind != Income);
    for (code, name) in [("200", "Sales - Lighting"), ("201", "Sales - Electrical"), ("202", "Sales - Exports")] {
        all.accounts.push(account(code, name, Income));
    }
    assert_eq!(all.accounts[code(&all).rows[0].account].code, "200");
}

#[test]
fn fares_and_memberships_are_no_purchase_of_what_their_remark_names() {
    use AccountType::Expense;
    let more = [("Client Entertaining", Expense), ("Yarn and Fibre Purchases", Expense), ("Subscriptions", Expense)];
    let found = accounts_of(
        &more,
        "Yarn shop, limited company",
        vec![
            line("2025-05-02", "VIS EASYJET BRISTOL EDINBURGH CLIENT PITCH", "-84.97"),
            line("2025-05-09", "CARD PAYMENT TO UK HAND KNITTING ASSOC MEMBERSHIP", "-85.00"),
        ],
    );
    assert_eq!(found, ["Travel", "Subscriptions"]);
}

#[test]
fn codes_in_the_context_say_where_lines_go() {
    use AccountType::Expense;
    let found = accounts_of(
        &[("Contributor thanks", Expense), ("Location catering", Expense)],
        "Film studio, limited company. Whoever is interviewed for us gets a thank-you, posted to N0; everything from Quillfeather \
         goes to N1, and the printing of scripts is small.",
        vec![
            line("2025-05-02", "THANK YOU INTERVIEW B HOLROYD", "-40.00"),
            line("2025-05-09", "QUILLFEATHER 22419", "-260.00"),
        ],
    );
    assert_eq!(found, ["Contributor thanks", "Location catering"]);
}

#[test]
fn amounts_in_the_context_say_what_members_pay_for() {
    use AccountType::Income;
    let found = accounts_of(
        &[("Subscriptions - Adult", Income), ("Subscriptions - Junior", Income)],
        "Rowing club, not VAT registered. Members pay by standing order: £27 a month is adult, £13.50 junior.",
        vec![line("2025-05-02", "N QUILLAN STO", "13.50"), line("2025-05-02", "A QUILLAN STO", "27.00")],
    );
    assert_eq!(found, ["Subscriptions - Junior", "Subscriptions - Adult"]);
}

#[test]
fn what_sole_traders_pay_themselves_and_their_family_is_drawn() {
    let found = accounts_of(
        &[("Drawings", AccountType::Equity)],
        "Odette Penhallow trades as Fern & Bough, making furniture; sole trader, not VAT registered.",
        vec![
            line("2025-05-02", "BP ODETTE PENHALLOW WAGE", "-350.00"),
            line("2025-05-05", "SO OLIVIA PENHALLOW", "-40.00"),
        ],
    );
    assert_eq!(found, ["Drawings", "Drawings"]);
}

#[test]
fn subcontractors_of_the_context_have_no_wages() {
    let found = accounts_of(
        &[("Subcontractors", AccountType::Expense)],
        "Builder, limited company. Labour-only subbies Vik Stannard and Moe Crane are paid on Fridays, net of CIS.",
        vec![line("2025-05-02", "V STANNARD WAGES", "-640.00"), line("2025-05-02", "T ELLERY WAGES", "-410.00")],
    );
    assert_eq!(found, ["Subcontractors", "Salaries"]);
}

#[test]
fn a_clause_says_of_its_own_payee_only_that_it_is_private() {
    let found = accounts_of(
        &[("Drawings", AccountType::Equity)],
        "Farm, partnership. The farmhouse has its bills from Quernmore Energy and they are private, Octopus is the farm.",
        vec![
            line("2025-05-02", "DD OCTOPUS ENERGY A-7", "-188.44"),
            line("2025-05-05", "DD QUERNMORE ENERGY", "-90.10"),
        ],
    );
    assert_eq!(found, ["Light, power, heating", "Drawings"]);
}

#[test]
fn what_has_no_account_of_its_own_goes_to_the_one_nearest_to_it() {
    use AccountType::Expense;
    let chart = [
        ("Building materials and hardware", Expense),
        ("Cleaning and hygiene", Expense),
        ("Food and provisions", Expense),
        ("Garden and grounds", Expense),
        ("Health and safety", Expense),
        ("Stationery and office supplies", Expense),
        ("Vehicle parts and repairs", Expense),
        ("Sundry expenses", Expense),
    ];
    let lines = [
        ("HARTBURN FIRST AID SUPPLIES", "-41.20"),
        ("OKELL TOOL HIRE", "-66.00"),
        ("QUILLAN PLANT CENTRE", "-38.75"),
        ("HARTBURN HEATING PARTS", "-23.10"),
        ("OKELL BEARINGS", "-19.99"),
        ("QUILLAN MOTOR FACTORS", "-31.40"),
    ];
    let found = on_chart("Community trust with halls and a park. VAT registered.", &chart, &lines);
    let (building, vehicle) = ("Building materials and hardware", "Vehicle parts and repairs");
    assert_eq!(found, ["Health and safety", building, "Garden and grounds", building, building, vehicle]);
}

#[test]
fn tax_on_gifts_and_dividends_that_come_in_go_to_their_own_accounts() {
    use AccountType::{Expense, Income};
    let more = [
        ("Planned giving - Gift Aid", Income),
        ("Planned giving - not Gift Aid", Income),
        ("Tax recovered on Gift Aid", Income),
        ("Dividends and interest", Income),
        ("Parish administrator pay", Expense),
    ];
    let found = accounts_of(
        &more,
        "Parish church, a registered charity, not VAT registered.",
        vec![
            line("2025-05-02", "HMRC CHARITIES XR41882 REPAYMENT BGC", "1932.75"),
            line("2025-05-09", "HMRC CHARITIES XR41882 GASDS BGC", "412.50"),
            line("2025-05-12", "DIVIDEND 01844 CBF INV FUND BGC", "387.16"),
        ],
    );
    assert_eq!(found, ["Tax recovered on Gift Aid", "Tax recovered on Gift Aid", "Dividends and interest"]);
    // Without such an account it is income of gifts still.
    let found = accounts_of(
        &more[..2],
        "Parish church, a registered charity, not VAT registered.",
        vec![line("2025-05-02", "HMRC CHARITIES XR41882 REPAYMENT BGC", "1932.75")],
    );
    assert!(found[0].starts_with("Planned giving"), "{found:?}");
}
