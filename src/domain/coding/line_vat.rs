//! The VAT inside a line: what its account, its words, the business and the kind of supply say of it.

use super::batch::{AccountType, Batch};
use super::chart::Chart;
use super::context::{Business, has_phrase};
use super::decide::Decision;
use super::evidence::says_refund;
use super::hints::Hints;
use super::instructions::is_payment_service;
use super::knowledge::{Concept, ConceptId, Knowledge};
use super::line::Line;
use super::outcome::{Method, Vat};
use super::statements::VatSaid;
use super::text::fold;
use super::weights::WEIGHTS;

/// From this fit on an account is for lodgings, where the line is about them.
const LODGING_FIT: f32 = 0.4;

/// From this fit on an account is for lodgings, whatever the line is about.
const OWN_LODGING_FIT: f32 = 0.7;

/// Words of accounts that hold what customers pay in advance.
const IN_ADVANCE: &[&str] = &["DEPOSIT", "DEPOSITS", "IN ADVANCE"];

/// Goods that are zero-rated, as accounts are called that hold no others (Notices 701/14 and 701/10).
const ZERO_GOODS: &[&str] = &[
    "BOOKS",
    "BREAD",
    "CHEESE",
    "EGGS",
    "FISH",
    "FLOUR",
    "FRUIT",
    "GREEN COFFEE",
    "MAGAZINES",
    "MEAT",
    "MILK",
    "NEWSPAPERS",
    "PAPERS",
    "POTATOES",
    "POULTRY",
    "VEG",
    "VEGETABLES",
];

/// Concepts of what banks, insurers, councils and staff are paid, which has its own law, whoever is paid.
const OF_LAW: &[&str] = &[
    "bank_charges",
    "business_rates",
    "card_fees",
    "donations",
    "insurance",
    "interest_paid",
    "pension",
    "prof_indemnity",
    "property_insurance",
    "salaries",
    "vehicle_insurance",
    "vehicle_tax",
];

/// Land and what stands on it, whose lets are exempt (Notice 742).
const LAND: &[&str] = &[
    "ALLOTMENT",
    "ALLOTMENTS",
    "BARN",
    "CENTRE",
    "CHAPEL",
    "CHURCH",
    "CLUBHOUSE",
    "COURT",
    "COURTS",
    "FACILITIES",
    "FIELD",
    "GROUND",
    "GYM",
    "HALL",
    "HALLS",
    "LETTING",
    "LETTINGS",
    "OFFICE",
    "PADDOCK",
    "PAVILION",
    "PITCH",
    "PITCHES",
    "PREMISES",
    "ROOM",
    "ROOMS",
    "SCHOOL",
    "SPACE",
    "STUDIO",
    "STUDIOS",
    "THEATRE",
    "VENUE",
    "VILLAGE",
];

/// Food and drink that are not.
const TREATS: &[&str] = &["SOFT DRINKS", "SNACKS", "CRISPS", "CONFECTIONERY", "SWEETS"];

/// Words of those that are given back whatever a context says of others.
const HELD: &[&str] = &["BOND", "BONDS", "DAMAGE", "REFUNDABLE", "TENANCY", "TENANT", "TENANTS"];

/// Words of those that hold it for lodgings, whatever else is sold.
const FOR_LODGINGS: &[&str] = &["COTTAGE", "COTTAGES", "GUEST", "GUESTS", "HOLIDAY", "HOLIDAYS", "ROOM", "ROOMS"];

/// Words of those whose money is given back, or is no customer's.
const GIVEN_BACK: &[&str] = &[
    "BOND",
    "BONDS",
    "CASK",
    "CASKS",
    "CLIENT",
    "CLIENTS",
    "DAMAGE",
    "DAMAGES",
    "HIRERS",
    "HOLDING",
    "KEG",
    "KEGS",
    "KEY",
    "KEYS",
    "REFUNDABLE",
    "RENT",
    "RETURNABLE",
    "SECURITY",
    "TENANCY",
    "TENANT",
    "TENANTS",
];

/// What the VAT of a line is read from.
pub struct LineVat<'s> {
    pub batch: &'s Batch<'s>,
    pub knowledge: &'s Knowledge,
    pub business: &'s Business<'s>,
    pub hints: &'s Hints,
    pub chart: &'s Chart,
    /// What a receipt from an unknown payer is here.
    pub sales: Option<ConceptId>,
}

impl LineVat<'_> {
    /// The VAT code of a line that is decided, before the caller's own codes are asked for.
    pub fn code(&self, line: &Line<'_>, decision: &Decision) -> Vat {
        if !self.business.is_vat_registered || self.business.has_flat_rate && line.amount < 0 {
            return Vat::NoVat;
        }
        // What is paid to the tax office is tax.
        if has_phrase(&line.text, "HMRC") && line.amount < 0 {
            return Vat::NoVat;
        }
        let usual = self.as_all_sales(line, decision, self.usual(line, decision));
        let usual = self.of_sale(line, decision).unwrap_or(usual);
        let kind = self.chart.kinds.get(decision.account);
        if !matches!(kind, Some(AccountType::Income | AccountType::Expense)) {
            return usual;
        }
        let name = self.chart.words.get(decision.account).map_or(&[][..], Vec::as_slice);
        let statements = &self.hints.statements;
        let is_denied = || {
            let is_person_paid = kind == Some(&AccountType::Expense) && decision.is_to_person;
            is_person_paid && statements.is_unregistered(name) || statements.is_without_vat(name)
        };
        let usual = if matches!(usual, Vat::Standard) && is_denied() { Vat::NoVat } else { usual };
        let is_of_law = self.is_of_law(decision);
        match self.hints.statements.vat(&line.text) {
            // What is said of a service's bills is not said of the sales it passes on.
            Some(VatSaid::NotCharged) if line.amount > 0 && line.words().any(is_payment_service) => usual,
            Some(VatSaid::NotCharged) if matches!(usual, Vat::Standard | Vat::Reduced) => Vat::NoVat,
            // What is sold exempt does not make what is bought for it so.
            Some(VatSaid::Code(Vat::Exempt)) if line.amount < 0 && usual == Vat::Standard => usual,
            Some(VatSaid::Code(code)) if !is_of_law => code,
            _ => usual,
        }
    }

    /// Whether neither law nor the context nor the account's name says the code of a line, so that it is what is usual for such lines.
    pub fn is_usual(&self, line: &Line<'_>, decision: &Decision) -> bool {
        let is_bought_untaxed = line.amount < 0 && (self.business.has_flat_rate || has_phrase(&line.text, "HMRC"));
        self.business.is_vat_registered
            && !is_bought_untaxed
            && !self.is_of_law(decision)
            && !self.is_of_land(decision)
            && self.hints.statements.vat(&line.text).is_none()
            && self.of_sale(line, decision).is_none()
            && self.of_name(decision).is_none()
    }

    /// The code that the account's name says of all that is bought, or sold, under it.
    fn of_name(&self, decision: &Decision) -> Option<Vat> {
        let kind = self.chart.kinds.get(decision.account);
        let is_sold = kind == Some(&AccountType::Income);
        let name = self.batch.accounts.get(decision.account).map_or(String::new(), |account| fold(&account.name));
        let says = |words: &[&str]| words.iter().any(|word| has_phrase(&name, word));
        let is_traded = is_sold || kind == Some(&AccountType::Expense);
        is_traded.then(|| self.knowledge.vat_names.vat(is_sold, says)).flatten()
    }

    /// Whether a line is for the use of land, which is exempt unless the landlord has opted to tax (Notice 742): a line or the context
    /// says that.
    fn is_of_land(&self, decision: &Decision) -> bool {
        const OF_LAND: &[&str] = &["ground_rent", "rent", "rental_commercial", "rental_income", "room_hire_income"];
        decision.concept.is_some_and(|id| OF_LAND.contains(&self.knowledge.concept(id).name))
    }

    fn is_of_law(&self, decision: &Decision) -> bool {
        decision.concept.is_some_and(|id| OF_LAW.contains(&self.knowledge.concept(id).name))
    }

    /// The code that a context gives to what is sold, or paid for in advance.
    fn of_sale(&self, line: &Line<'_>, decision: &Decision) -> Option<Vat> {
        let is_income = self.chart.kinds.get(decision.account) == Some(&AccountType::Income);
        let is_advance = !is_income && self.is_advance(decision);
        if line.amount < 0 || !is_income && !is_advance {
            return None;
        }
        let words = self.chart.words.get(decision.account)?;
        let named = self.chart.words.iter().zip(&self.chart.kinds);
        let income = named.filter(|(_, kind)| **kind == AccountType::Income).map(|(words, _)| words);
        self.hints.statements.vat_of_sale(words, income, is_advance.then_some(line.text.as_str()))
    }

    /// The code that a context gives to all sales, for those that have no law or name of their own.
    fn as_all_sales(&self, line: &Line<'_>, decision: &Decision, usual: Vat) -> Vat {
        let is_sale = line.amount > 0 && self.chart.kinds.get(decision.account) == Some(&AccountType::Income);
        if self.business.sells_at_zero_rate && is_sale && usual == Vat::Standard {
            let name = self.batch.accounts.get(decision.account).map_or(String::new(), |account| fold(&account.name));
            let has = |words: &[&str]| words.iter().any(|word| has_phrase(&name, word));
            let is_named = has(&["STD", "STANDARD", "RENT", "CHARGES", "CARRIAGE", "DELIVERY CHARGES"])
                || self.knowledge.vat_names.vat(true, has).is_some();
            return if is_named { usual } else { Vat::Zero };
        }
        let is_guess = matches!(usual, Vat::Zero | Vat::Exempt);
        if !self.business.sells_at_standard_rate || !is_sale || !is_guess {
            return usual;
        }
        let name = self.batch.accounts.get(decision.account).map_or(String::new(), |account| fold(&account.name));
        let is_named = ["EXEMPT", "ZERO", "RENT", "INTEREST"].iter().any(|word| name.contains(word));
        if is_named { usual } else { Vat::Standard }
    }

    /// The VAT code of a registered business, without what the context says of the payee.
    fn usual(&self, line: &Line<'_>, decision: &Decision) -> Vat {
        let kind = self.chart.kinds.get(decision.account);
        let name = self.batch.accounts.get(decision.account).map_or(String::new(), |account| fold(&account.name));
        let says = |words: &[&str]| words.iter().any(|word| has_phrase(&name, word));
        if matches!(kind, Some(AccountType::Liability | AccountType::Equity)) {
            // What customers pay in advance is part of the price, with its VAT; what is given back is none
            // (Notice 700, section 14).
            let is_advance = (line.amount > 0 || says_refund(&line.text))
                && says(IN_ADVANCE)
                && (!says(GIVEN_BACK) || self.business.deposits_carry_vat && !says(HELD))
                && (!self.business.deposits_are_returned || self.business.deposits_carry_vat)
                && self.is_advance(decision);
            return match is_advance {
                true if says(FOR_LODGINGS) || self.business.deposits_carry_vat => Vat::Standard,
                true => Some(self.vat_of_sales(Vat::NoVat)).filter(|vat| *vat != Vat::Exempt).unwrap_or(Vat::NoVat),
                false => Vat::NoVat,
            };
        }
        let is_sold = kind == Some(&AccountType::Income);
        if let Some(vat) = self.of_name(decision) {
            return vat;
        }
        let is_contract =
            says(&["CIS", "BUILDER", "BUILDERS", "CONTRACT", "CONTRACTS", "CONTRACTOR", "CONTRACTORS", "SUBCONTRACT"]);
        // Building work for contractors under the domestic reverse charge (Notice 735).
        if is_sold && self.business.has_reverse_charge && is_contract {
            return Vat::NoVat;
        }
        let Some(id) = decision.concept else {
            // Most companies are registered; of names that do not say what they are, nothing is reclaimed on a guess.
            const COMPANIES: &[&str] = &["LTD", "LIMITED", "PLC", "LLP"];
            let is_company = COMPANIES.iter().any(|word| has_phrase(&line.text, word));
            let is_bought = line.amount < 0 && kind == Some(&AccountType::Expense);
            if line.amount > 0 && kind == Some(&AccountType::Income) {
                return self.vat_of_sales(Vat::NoVat);
            }
            // Nor is an account of goods that has their name in its own a guess.
            let is_named =
                decision.method == Method::AccountName && !decision.is_to_person && !self.is_from_abroad(line);
            let is_standard = is_bought && (is_company || is_named);
            return match is_standard {
                true if says(ZERO_GOODS) && !says(TREATS) => Vat::Zero,
                true => Vat::Standard,
                false => Vat::NoVat,
            };
        };
        // What clears something that is owed is no sale.
        if line.amount > 0 && decision.is_stated && kind == Some(&AccountType::Asset) {
            return Vat::NoVat;
        }
        let concept = self.knowledge.concept(id);
        if is_sold && !concept.is_income() {
            return self.sales.map_or(Vat::Standard, |sales| self.knowledge.concept(sales).vat);
        }
        if kind == Some(&AccountType::Expense)
            && says(&["WAGES", "WAGE", "SALARY", "SALARIES", "NI", "N I", "PENSION", "PENSIONS", "DONATIONS", "LEVY"])
        {
            return Vat::NoVat;
        }
        // A yard that is rented is no storage of goods.
        let rent = self.knowledge.id("rent").filter(|_| concept.name == "storage" && line.amount < 0);
        let (id, concept) = match rent.filter(|_| has_phrase(&line.text, "YARD")) {
            Some(rent) => (rent, self.knowledge.concept(rent)),
            None => (id, concept),
        };
        // Rent is exempt unless the landlord has opted to tax, which the line or the context may say.
        let is_rent =
            concept.vat == Vat::Exempt && matches!(concept.name, "rent" | "storage" | "chair_rent" | "ground_rent");
        // What an account of lodgings is paid for is lodgings, whatever else is sold here.
        if kind == Some(&AccountType::Income)
            && let Some(lodging) = self.knowledge.id("accommodation_income")
            && let Some(fit) = self.chart.fits(lodging).iter().find(|fit| fit.account == decision.account)
            && fit.score >= if id == lodging { LODGING_FIT } else { OWN_LODGING_FIT }
        {
            return self.knowledge.concept(lodging).vat;
        }
        // A test is outside the scope where a garage has an account for nothing else.
        if kind == Some(&AccountType::Income)
            && says(&["MOT", "MOTS"])
            && !says(&["REPAIR", "REPAIRS", "SERVICING", "WORKSHOP"])
        {
            return Vat::NoVat;
        }
        // Snacks and soft drinks are no basic food (Notice 701/14).
        let is_treats = says(TREATS) && !says(&["FOOD", "MEAT", "BREAD"]);
        // What an account of goods names says more than that goods are bought.
        const GOODS: &[&str] = &["cogs", "raw_materials", "general_store", "supermarket"];
        if kind == Some(&AccountType::Expense)
            && concept.vat == Vat::Standard
            && GOODS.contains(&concept.name)
            && says(ZERO_GOODS)
            && !says(TREATS)
        {
            return Vat::Zero;
        }
        if kind == Some(&AccountType::Expense) && concept.vat == Vat::Zero && is_treats {
            return Vat::Standard;
        }
        let has = |words: &[&str]| words.iter().any(|word| has_phrase(&line.text, word));
        if let Some(vat) = self.knowledge.vat_words.vat(id, line.amount < 0, has) {
            return vat;
        }
        if let Some(vat) = self.vat_of_test(line, concept) {
            return vat;
        }
        if let Some(vat) = self.knowledge.vat_words.vat_abroad(id)
            && line.amount < 0
            && self.is_from_abroad(line)
        {
            return vat;
        }
        if let Some(vat) = self.business.vat(id) {
            return vat;
        }
        // What is eaten in is taxed, whatever else is sold beside it (Notice 709/1).
        if kind == Some(&AccountType::Income)
            && says(&["CAFE", "RESTAURANT", "BAR"])
            && matches!(self.vat_of_sales(Vat::NoVat), Vat::Exempt | Vat::NoVat)
            && !concept.is_expense()
        {
            return Vat::Standard;
        }
        // A customer's name may tell the customer's trade; what is sold is the caller's own. Nor is what is hired out a room, where the
        // account speaks of none.
        let is_goods_hire = is_sold
            && concept.name == "room_hire_income"
            && says(&["HIRE", "HIRES", "RENTAL", "RENTALS"])
            && !LAND.iter().any(|word| has_phrase(&name, word) || has_phrase(&line.text, word));
        if is_goods_hire {
            return Vat::Standard;
        }
        if is_sold && !(self.is_own_income(id) && self.is_of(decision.account, id)) {
            return self.vat_of_sales(concept.vat);
        }
        // A person who is paid for work is seldom registered: nothing is reclaimed on a guess.
        if kind == Some(&AccountType::Expense) && concept.vat == Vat::Standard && decision.is_to_person {
            return Vat::NoVat;
        }
        // Stamps are exempt; what Royal Mail bills to firms with an account is not.
        const BILLED: &[&str] = &["ROYAL MAIL BUSINESS", "ROYAL MAIL ACCOUNT", "ROYAL MAIL OBA"];
        const BILLED_AS: &[&str] = &["DIRECT DEBIT", "DD", "DDR", "D D", "OBA"];
        if concept.name == "postage" && (has(BILLED) || has(&["ROYAL MAIL"]) && has(BILLED_AS)) {
            return Vat::Standard;
        }
        // A chair in a salon is let with its facilities, which the law taxes; a context says where that is so.
        if line.amount > 0
            && self.business.let_chair_has_vat
            && matches!(concept.name, "chair_rent" | "room_hire_income")
        {
            return Vat::Standard;
        }
        if is_rent && (has_phrase(&line.text, "VAT") || self.business.rent_has_vat) {
            return Vat::Standard;
        }
        concept.vat
    }

    /// The VAT of what the business sells; of a business without a trade what is given.
    fn vat_of_sales(&self, without: Vat) -> Vat {
        self.sales.map_or(without, |sales| self.business.vat(sales).unwrap_or(self.knowledge.concept(sales).vat))
    }

    /// Whether an account may be for something at all.
    fn is_of(&self, account: usize, concept: ConceptId) -> bool {
        /// From this fit on.
        const FIT_MIN: f32 = 0.3;
        self.chart.fits(concept).iter().any(|fit| fit.account == account && fit.score >= FIT_MIN)
    }

    /// Whether an account holds what customers pay in advance.
    fn is_advance(&self, decision: &Decision) -> bool {
        let fits = self.knowledge.id("customer_deposits").map_or(&[][..], |id| self.chart.fits(id));
        fits.iter().any(|fit| fit.account == decision.account && fit.score >= WEIGHTS.own_account)
    }

    /// Whether income of this kind is what the business itself may have.
    fn is_own_income(&self, id: ConceptId) -> bool {
        const ANYBODYS: &[&str] = &[
            "interest_received",
            "other_income",
            "grant_income",
            "insurance_claim",
            "cashback",
            "asset_sale",
            "customer_deposits",
            "donation_income",
            "gift_aid",
            "fundraising_income",
            "rental_income",
            "rental_commercial",
            "room_hire_income",
            "commission_income",
            "gaming_machine_income",
            "royalty_income",
        ];
        let concept = self.knowledge.concept(id);
        let sales_vat = self.sales.map(|sales| self.knowledge.concept(sales).vat);
        Some(concept.vat) == sales_vat || ANYBODYS.contains(&concept.name) || self.business.likely(id) > 0.0
    }

    /// An MOT test is outside the scope of VAT and costs no more than its statutory fee; what else a garage does is not.
    fn vat_of_test(&self, line: &Line<'_>, concept: &Concept) -> Option<Vat> {
        /// The fee of a van of up to 3.5 tonnes, in pence (Motor Vehicles (Tests) Regulations 1981, as amended); a car's is less.
        const MOST_FEE_PENCE: u128 = 58_60;
        if line.amount >= 0 || !matches!(concept.name, "mot" | "vehicle_repairs") || !has_phrase(&line.text, "MOT") {
            return None;
        }
        let is_fee = line.pence.unsigned_abs() <= MOST_FEE_PENCE;
        Some(if is_fee { Vat::NoVat } else { Vat::Standard })
    }

    /// Whether a line says that its supplier is abroad.
    fn is_from_abroad(&self, line: &Line<'_>) -> bool {
        let words = &self.knowledge.words;
        let text = fold(&line.source.description);
        // Cards print the place last, with codes and amounts behind it: *Istanbul Grill* is in Leeds.
        let is_place = |word: &&str| word.chars().count() > 3 && word.chars().all(char::is_alphabetic);
        let printed: Vec<&str> = text.split(' ').collect();
        let until = printed.iter().rposition(is_place).map_or(0, |at| at + 1);
        let last = |count: usize| printed.get(until.checked_sub(count)?..until).map(|words| words.join(" "));
        let is_abroad = |count: usize| last(count).is_some_and(|place| words.abroad.has(&place));
        until > 1 && (is_abroad(1) || is_abroad(2)) || printed.iter().any(|word| words.abroad_form.has(word))
    }
}
