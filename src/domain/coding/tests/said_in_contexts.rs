//! What contexts say of VAT that is charged, of cash, of leases, of references and of people.

use super::accounts_apart::{on_chart, on_chart_from};
use super::*;
use AccountType::{Asset, Equity, Expense, Income, Liability};

/// VAT codes of lines of a business, on a chart of these accounts alone.
pub(super) fn vat_on_chart(context: &'static str, chart: &[(&str, AccountType)], lines: &[(&str, &str)]) -> Vec<Vat> {
    let asked = Batch {
        transactions: lines.iter().map(|(text, amount)| line("2025-05-01", text, amount)).collect(),
        accounts: (0..).zip(chart).map(|(at, (name, kind))| account(&format!("{}", 100 + at), name, *kind)).collect(),
        business_context: Cow::Borrowed(context),
        ..Batch::default()
    };
    code(&asked).rows.iter().map(|row| row.vat).collect()
}

#[test]
fn what_is_sold_carries_the_vat_that_the_context_gives_it() {
    let chart = [
        ("Shop sales", Income),
        ("Café sales", Income),
        ("Groceries bought", Expense),
        ("Customer deposits", Liability),
    ];
    let context = "Farm shop and café, VAT registered. The shop is food so it is zero rated. The café is all 20%.";
    let lines = [("ZETTLE CAFE 2PJX", "648.22"), ("BP HARTNOLL CAFE PARTY", "120.00")];
    assert_eq!(vat_on_chart(context, &chart, &lines), [Vat::Standard, Vat::Standard]);
    // What a journal takes out of the sales later is in them as they land.
    let chart = [("Cake and bread sales", Income), ("Ingredients", Expense)];
    let context = "Bakery café, VAT registered. All sales are posted at standard rate and the zero-rated bread share is taken out by a \
                   journal.";
    assert_eq!(vat_on_chart(context, &chart, &[("DOJO 1180442", "842.60")]), [Vat::Standard]);
}

#[test]
fn a_hyphen_and_a_reverse_charge_from_abroad_change_no_vat_of_sales() {
    let chart = [("Treatment fees", Income), ("Pilates and class income", Income), ("Consumables", Expense)];
    let context = "Physiotherapy clinic, VAT registered. Treatment is exempt; Pilates classes and product sales are standard-rated.";
    assert_eq!(vat_on_chart(context, &chart, &[("BGC LENNARD PILATES CLASS", "66.00")]), [Vat::Standard]);
    let chart = [("Managed support contracts", Income), ("Software", Expense)];
    let context = "IT company, VAT registered. GoCardless is the support contracts. Slack and GoDaddy bill from abroad: reverse charge.";
    assert_eq!(vat_on_chart(context, &chart, &[("GOCARDLESS LTD FELL-7TQ2", "2316.42")]), [Vat::Standard]);
}

#[test]
fn whoever_wants_the_vat_of_receipts_coded_has_it_on_the_flat_rate_too() {
    let chart = [("Fees", Income), ("Stationery", Expense), ("Computer equipment", Expense)];
    let lines = [("RYMAN 4418 READING", "-14.97")];
    let vat = |context| vat_on_chart(context, &chart, &lines);
    for denied in [
        "A consultancy on the VAT flat rate scheme.",
        "A consultancy on the VAT flat rate scheme. Code no VAT on what we buy, whatever is on the receipt.",
        "A consultancy on the VAT flat rate scheme, so you don't need to code the VAT on receipts.",
        "A consultancy on the VAT flat rate scheme. We show VAT on our sales invoices.",
        "A consultancy on the VAT flat rate scheme. Code VAT as none on bills.",
    ] {
        assert_eq!(vat(denied), [Vat::NoVat], "{denied}");
    }
    for asked in [
        "A consultancy. We are on VAT flat rate, but please code each line with the VAT that is really on it, in and out.",
        "Flat rate VAT (14.5%), but keep coding each line with the VAT that is on the supplier's receipt.",
    ] {
        assert_eq!(vat(asked), [Vat::Standard], "{asked}");
    }
}

#[test]
fn deposits_carry_the_vat_of_what_they_are_for() {
    let chart = [
        ("Electrical work", Income),
        ("Solar installations", Income),
        ("Materials", Expense),
        ("Customer deposits", Liability),
    ];
    let context = "Electricians, VAT registered. Householders pay a deposit before we start (rewires 20%, solar and battery 0%), \
                   and I hold these in Customer deposits";
    let lines = [("MR DUGGAN SOLAR DEPOSIT", "2400.00"), ("MISS WARDLE REWIRE DEPOSIT", "900.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Customer deposits", "Customer deposits"]);
    assert_eq!(vat_on_chart(context, &chart, &lines), [Vat::Zero, Vat::Standard]);
}

#[test]
fn a_supplier_of_whom_the_same_is_denied_charges_no_vat() {
    let chart = [("Sales", Income), ("Gifts bought in", Expense), ("Meat bought in", Expense)];
    let context = "Farm shop, VAT registered. Lowri isn't VAT registered and nor is Rees with the lambs.";
    let lines = [("BP LOWRI HAF GIFTS BOUGHT IN", "-187.00"), ("BP REES LLOYD GIFTS BOUGHT IN", "-440.00")];
    assert_eq!(vat_on_chart(context, &chart, &lines), [Vat::NoVat, Vat::NoVat]);
}

#[test]
fn whom_a_pronoun_stands_for_charges_the_vat_that_is_said_of_it() {
    let chart = [("Sales", Income), ("Subcontract engineers", Expense), ("Rent", Expense)];
    let context = "An alarm firm, limited company, VAT registered. Mark Pryce is a self-employed engineer who helps out on installs, he \
                   isn't VAT registered. The unit on Lancaster Road is rented from Pemberley Properties, who charge us VAT.";
    let lines = [("BP MARK PRYCE CASTLE GATES 3 DAYS", "-540.00"), ("PEMBERLEY PROPERTI UNIT 6 RENT STO", "-780.00")];
    assert_eq!(vat_on_chart(context, &chart, &lines), [Vat::NoVat, Vat::Standard]);
}

#[test]
fn cash_is_banked_out_of_the_account_that_the_context_names() {
    let chart = [("Sales", Income), ("Bar jar", Asset), ("Petty cash", Asset), ("Current account", Asset)];
    let lines = [("CASH PAID IN HEXWORTH", "260.00", Some("Current account"))];
    for context in [
        "A club. The takings live in the Bar Jar until somebody banks them, and are banked from there on Mondays.",
        "A club. We put the money of the evening in the Bar Jar and then it is banked.",
    ] {
        assert_eq!(on_chart_from(context, &chart, &lines), ["Bar jar"], "{context}");
    }
    for context in [
        "A club. There is no Bar Jar any more, what we bank is sales.",
        "A club. Whatever is in the Bar Jar is counted as sales when it is banked, and banked as sales.",
        "A club with a bar.",
    ] {
        assert_eq!(on_chart_from(context, &chart, &lines), ["Sales"], "{context}");
    }
}

#[test]
fn makers_finance_companies_are_paid_for_leases_where_the_vehicles_are_leased() {
    let chart = [
        ("Haulage income", Income),
        ("Diesel", Expense),
        ("Vehicle contract hire", Expense),
        ("Hire purchase", Liability),
    ];
    let lines = [("SCANIA FINANCE GB LTD 00418833 DD", "-2874.00")];
    let leased = "Haulage company, limited. 9 wagons, all on contract hire.";
    assert_eq!(on_chart(leased, &chart, &lines), ["Vehicle contract hire"]);
    let bought = "Haulage company, limited. 9 wagons, one of them leased.";
    assert_eq!(on_chart(bought, &chart, &lines), ["Hire purchase"]);
}

#[test]
fn letters_that_the_context_puts_in_quotes_stand_for_an_account() {
    let chart = [("Fees of residents", Income), ("Food", Expense), ("Residents' personal allowances held", Liability)];
    let context =
        "A care home, limited company, exempt. Families deposit pocket money (\"PA\") which we hold for the resident.";
    let lines = [("K OGILVIE PA FOR MUM", "80.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Residents' personal allowances held"]);
}

#[test]
fn people_and_private_purchases_are_told_in_few_words() {
    let chart = [
        ("Skip hire income", Income),
        ("Wages", Expense),
        ("Travel and subsistence", Expense),
        ("Dividends", Equity),
        ("Director's loan account", Liability),
    ];
    let context = "Skips, limited company. Wayne Crabb gets dividends. Boots, Reiss = Joanna's. Zara, Nando's: me.";
    let lines = [("W CRABB", "-1200.00"), ("REISS LTD", "-148.00"), ("NANDOS CHICKENLAND", "-31.20")];
    let found = on_chart(context, &chart, &lines);
    assert_eq!(found, ["Dividends", "Director's loan account", "Director's loan account"]);
}

#[test]
fn a_sum_by_the_week_that_is_called_drawings_is_drawn() {
    let chart = [("Repairs income", Income), ("Parts", Expense), ("Staff wages", Expense), ("Drawings", Equity)];
    let context =
        "Garage, sole trader, not VAT registered. Wages net pay straight to Staff wages. My 350 a week is drawings.";
    assert_eq!(on_chart(context, &chart, &[("D P HARGREAVES WEEKLY STO", "-350.00")]), ["Drawings"]);
    assert_eq!(on_chart(context, &chart, &[("D P HARGREAVES WEEKLY STO", "-351.00")]), ["Staff wages"]);
    // Each owner's go to an account of its own.
    let chart = [("Garden income", Income), ("Parts", Expense), ("Col - drawings", Equity), ("Jen - drawings", Equity)];
    let context = "Gardens, partnership. 600 a week each is drawings.";
    assert_eq!(on_chart(context, &chart, &[("JEN FARROW DRAWINGS SO", "-600.00")]), ["Jen - drawings"]);
}

#[test]
fn a_pension_fund_that_is_paid_rent_is_the_landlord() {
    let chart = [("Sales", Income), ("Rent", Expense), ("Staff pensions", Expense)];
    let lines = [("HOLLINS EST SIPP RENT UNIT 4 STO", "-850.00"), ("NEST IT0000112", "-86.00")];
    assert_eq!(on_chart("A garage.", &chart, &lines), ["Rent", "Staff pensions"]);
}

#[test]
fn software_that_the_context_works_with_is_still_bought() {
    let chart = [
        ("Design income", Income),
        ("Computer software", Expense),
        ("Expenses owed to director", Liability),
        ("Director's loan account", Liability),
    ];
    let context = "Designer, limited company. I run a little payroll in FreeAgent, stuff I paid for personally gets claimed in there too";
    assert_eq!(on_chart(context, &chart, &[("FREEAGENT CENTRAL", "-39.60")]), ["Computer software"]);
}

#[test]
fn a_payment_service_takes_what_the_context_says_in_half_a_sentence() {
    let chart = [
        ("Boarding sales", Income),
        ("Grooming sales", Income),
        ("Courses and workshops", Income),
        ("Shop sales (leads, treats)", Income),
        ("Animal food", Expense),
    ];
    for (context, line, account) in [
        (
            "Kennels. Stripe is course bookings, the rest comes by transfer.",
            "STRIPE PAYMENTS UK",
            "Courses and workshops",
        ),
        (
            "Kennels. People pay by SumUp in the hut (that's all grooming, fee off).",
            "SUMUP*KENNEL PAYOUT",
            "Grooming sales",
        ),
        ("Kennels. Dojo payouts are what lands, all grooming.", "DOJO PAYOUT 4418", "Grooming sales"),
    ] {
        assert_eq!(on_chart(context, &chart, &[(line, "86.40")]), [account], "{context}");
    }
    // Of several machines each has a number.
    let numbered = "Kennels. Dojo ref 114 is grooming, 207 boarding.";
    assert_ne!(on_chart(numbered, &chart, &[("DOJO PAYOUT 207", "86.40")]), ["Grooming sales"]);
}

#[test]
fn what_cards_take_is_no_cash() {
    let chart = [("Counter sales (cash)", Income), ("Counter and phone sales (card)", Income), ("Food", Expense)];
    let context = "Takeaway, sole trader, not VAT registered. Worldpay is the card machine at the counter.";
    let found = on_chart(context, &chart, &[("WORLDPAY LTD 18827449", "612.35")]);
    assert_eq!(found, ["Counter and phone sales (card)"]);
}

#[test]
fn whoever_is_under_the_reverse_charge_does_building_work() {
    let chart = [
        ("Fitted kitchens", Income),
        ("Fitting materials", Expense),
        ("Repairs and maintenance", Expense),
        ("Subcontract fitters (CIS)", Expense),
    ];
    let lines = [("ALDERSIDE PLUMB AP0812", "-640.00")];
    let context = "Kitchens, limited company, VAT registered. Alderside are registered so reverse charge.";
    assert_eq!(on_chart(context, &chart, &lines), ["Subcontract fitters (CIS)"]);
    let abroad = "Kitchens, limited company, VAT registered. Alderside bill from Ireland, reverse charge.";
    assert_ne!(on_chart(abroad, &chart, &lines), ["Subcontract fitters (CIS)"]);
}

#[test]
fn a_list_is_private_from_its_first_name_to_its_last() {
    let chart = [("Sales", Income), ("Meat and fish", Expense), ("Sundry", Expense), ("Drawings", Equity)];
    let context = "Takeaway, sole trader. Lidl, Tesco, toys, school dinners, council tax for the flat and housekeeping are our family \
                   spending.";
    let lines = [("LIDL GB NORMANTON", "-41.17"), ("TESCO STORES 3318", "-58.23")];
    assert_eq!(on_chart(context, &chart, &lines), ["Drawings", "Drawings"]);
}

#[test]
fn what_the_high_street_sells_to_wear_is_private_where_such_purchases_go_somewhere() {
    let chart = [("Jobs", Income), ("Workwear and PPE", Expense), ("Director's loan", Liability)];
    let lines = [("NEXT RETAIL LTD LEEDS", "-74.00")];
    let sent = "Roofing, limited company. Craig's own bits on the card go to the director's loan.";
    assert_eq!(on_chart(sent, &chart, &lines), ["Director's loan"]);
    assert_eq!(on_chart("Roofing, limited company.", &chart, &lines), ["Workwear and PPE"]);
}

#[test]
fn pay_goes_to_the_account_that_has_the_whole_name() {
    let chart = [
        ("App sales", Income),
        ("Salary & bonuses: Tom Askew", Expense),
        ("Salary & bonuses: Marcus Bell", Expense),
        ("Directors' salaries", Expense),
    ];
    let context = "Apps, limited company. I'm Tom, the director, Marcus is our one employee.";
    let found = on_chart(context, &chart, &[("Marcus Bell SALARY JAN", "-2284.19")]);
    assert_eq!(found, ["Salary & bonuses: Marcus Bell"]);
}

#[test]
fn a_self_invested_pension_is_a_directors() {
    let chart = [
        ("Consultancy", Income),
        ("Staff pension contributions", Expense),
        ("Directors' pension contributions", Expense),
        ("Pension creditor", Liability),
    ];
    let lines = [("OAKEN SIPP EMPLOYER", "-1000.00"), ("NEST IT0000112", "-86.00")];
    let found = on_chart("Consultancy, limited company. My SIPP is paid by the company.", &chart, &lines);
    assert_eq!(found, ["Directors' pension contributions", "Pension creditor"]);
}

#[test]
fn a_retention_that_is_released_clears_what_is_owed() {
    let chart = [("Contract sales", Income), ("Materials", Expense), ("Retentions receivable", Asset)];
    let lines = [("BRYNLLE HOMES RETENTION PLOTS 3-6", "418.00")];
    assert_eq!(on_chart("Plastering, limited company, VAT registered.", &chart, &lines), ["Retentions receivable"]);
}

#[test]
fn a_council_is_paid_rates_and_no_account_that_has_its_name() {
    let chart = [("Sales", Income), ("Business rates", Expense), ("Council licences and fees", Expense)];
    let lines =
        [("DIRECT DEBIT PAYMENT TO HEXWORTH COUNCIL REF 700418827", "-62.00"), ("HEXWORTH COUN 8004", "-62.00")];
    assert_eq!(on_chart("Takeaway.", &chart, &lines), ["Business rates", "Business rates"]);
}

#[test]
fn who_is_never_paid_gives_nothing_back() {
    let chart =
        [("Sales", Income), ("Other income", Income), ("Haulage subcontracted", Expense), ("Electricity", Expense)];
    let context = "Haulage company, limited, VAT registered.";
    let found = on_chart(context, &chart, &[("NORTHBY POWERGRID COMP 3319", "80.00")]);
    assert_ne!(found, ["Electricity"]);
    let back = [("BRITISH GAS ELEC DD", "-80.00"), ("BRITISH GAS ELEC REFUND", "80.00")];
    assert_eq!(on_chart(context, &chart, &back), ["Electricity", "Electricity"]);
}

#[test]
fn names_of_places_are_not_parted_into_words_of_accounts() {
    let chart =
        [("Eggs to packer", Income), ("Farm-gate stall", Income), ("Water", Expense), ("Club clothing", Expense)];
    let lines = [("FELLGATE EGG PACK SBI 88104", "4918.36"), ("TIDEWATER CLOTHING", "-518.40")];
    assert_eq!(on_chart("An egg farm.", &chart, &lines), ["Eggs to packer", "Club clothing"]);
}

#[test]
fn each_part_of_a_list_has_the_vat_that_the_list_is_given() {
    let chart =
        [("Training courses", Income), ("Race entries", Income), ("Bar takings", Income), ("Bar stock", Expense)];
    let context = "A sailing club, VAT registered but partly exempt: subs, training, race entries and the draw are exempt; bar and galley \
                   standard rated.";
    let lines =
        [("J HOLT TRAINING LEVEL 1", "120.00"), ("K MOSS RACE ENTRIES", "14.00"), ("SUMUP BAR PAYOUT", "86.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Training courses", "Race entries", "Bar takings"]);
    assert_eq!(vat_on_chart(context, &chart, &lines), [Vat::Exempt, Vat::Exempt, Vat::Standard]);
}

#[test]
fn customers_abroad_have_an_account_of_their_own() {
    let chart = [("Translation UK", Income), ("Translation overseas", Income), ("Software", Expense)];
    let lines = [("VERBATEK INC WIRE", "1845.22"), ("HOLM AND MARSH LTD", "410.00")];
    let context = "Translator, VAT registered.";
    assert_eq!(on_chart(context, &chart, &lines), ["Translation overseas", "Translation UK"]);
    assert_eq!(vat_on_chart(context, &chart, &lines), [Vat::NoVat, Vat::Standard]);
}

#[test]
fn vat_behind_a_comma_is_that_of_the_sales_before_it() {
    let chart = [("Dispensing sales", Income), ("NHS fees", Income), ("Lenses", Expense)];
    let context = "Opticians, VAT registered, partly exempt. Dojo pays the card takings: put those, and cash banked, to dispensing sales, \
                   standard rated; our accountants take out the exempt part. NHS money is exempt.";
    let lines = [("DOJO TAUNTON 884120017", "6412.85")];
    assert_eq!(on_chart(context, &chart, &lines), ["Dispensing sales"]);
    assert_eq!(vat_on_chart(context, &chart, &lines), [Vat::Standard]);
}

#[test]
fn hire_deposits_that_go_back_carry_no_vat_and_snacks_do() {
    let chart = [
        ("Taproom sales", Income),
        ("Taproom hire deposits", Liability),
        ("Taproom snacks and soft drinks", Expense),
        ("Ingredients", Expense),
    ];
    let lines = [("CR S MOUNSEY 40TH HIRE DEPOSIT", "100.00"), ("VIS BOOKER LTD KENDAL", "-138.62")];
    let back = "Brewery with a taproom, VAT registered. £100 hire deposits get handed back. Booker is crisps and pop.";
    assert_eq!(vat_on_chart(back, &chart, &lines), [Vat::NoVat, Vat::Standard]);
}

#[test]
fn a_tax_return_that_a_customer_pays_for_and_cash_over_the_counter_are_sales() {
    let chart = [("Tax return fees", Income), ("Corporation tax payable", Liability), ("Software", Expense)];
    let context = "Bookkeeper, limited company, VAT registered.";
    assert_eq!(on_chart(context, &chart, &[("P GUNBY TAX RETURN SELF ASSESSMENT", "156.00")]), ["Tax return fees"]);
    let chart = [("Shed sales", Income), ("Plot deposits held", Liability), ("Seeds", Expense)];
    let context = "An allotment society with a trading shed. New tenants pay a £50 deposit.";
    let lines = [("500114 DEPOSIT LOUGHBOROUGH", "185.00"), ("J PENROSE PLOT 12 DEPOSIT", "50.00")];
    assert_eq!(on_chart(context, &chart, &lines), ["Shed sales", "Plot deposits held"]);
}
