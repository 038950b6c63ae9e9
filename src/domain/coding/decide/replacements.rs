//! What a concept is in a business and a chart that have no account of its own for it.

use super::{CAPITAL, DRAWINGS, Decider, OWN_SALES_FIT};
use crate::domain::coding::evidence::Clue;
use crate::domain::coding::knowledge::{ConceptId, GOODS};

/// What people pay for by card at a counter.
const SOLD_BY_CARD: &[&str] = &[
    "sales_services",
    "sales_goods",
    "health_income",
    "catering_sales",
    "vehicle_sales",
    "donation_income",
    "tuition_income",
    "construction_income",
];

/// From this fit on what cards take has an account of its own where services are sold: *Card takings*, and not *Shop sales*.
const OWN_TAKINGS_FIT: f32 = 0.85;

/// From this fit on the name of an account says no more than the concept.
const PLAIN_NAME_FIT: f32 = 0.95;

/// What a concept is in a chart that has no account of its own for it.
struct Replacement {
    concept: &'static str,
    /// How well an account must fit the concept to be its own.
    own_fit: f32,
    /// Whether the rule is for this business and direction (money in or not).
    applies: fn(&Decider<'_>, bool) -> bool,
    replacement: fn(&Decider<'_>) -> Option<ConceptId>,
}

const REPLACEMENTS: &[Replacement] = &[
    // Deposits of customers are sales.
    Replacement {
        concept: "customer_deposits",
        own_fit: 0.5,
        applies: |_, money_in| money_in,
        replacement: |decider| decider.sales,
    },
    // What a card terminal takes is what is sold.
    Replacement {
        concept: "card_takings",
        own_fit: 0.6,
        applies: |decider, _| decider.sells_by_card(),
        replacement: |decider| decider.sales,
    },
    // So is what a payment company pays out for its links, where services are sold.
    Replacement {
        concept: "online_sales",
        own_fit: OWN_SALES_FIT,
        applies: |decider, _| decider.sells_services(),
        replacement: |decider| decider.sales,
    },
    // To whoever sells nothing a payment company pays out what members pay.
    Replacement {
        concept: "online_sales",
        own_fit: OWN_SALES_FIT,
        applies: |decider, money_in| money_in && decider.is_raised_from_members(),
        replacement: |decider| kept(decider, "membership_income", OWN_SALES_FIT),
    },
    // Where services are sold a shop's account is for what is sold beside them.
    Replacement {
        concept: "card_takings",
        own_fit: OWN_TAKINGS_FIT,
        applies: |decider, _| decider.sells_beside_services(),
        replacement: |decider| decider.sales,
    },
    // What people pay is what is sold, where the chart does not keep what they pay apart.
    Replacement {
        concept: "private_customer_sales",
        own_fit: OWN_SALES_FIT,
        applies: |_, money_in| money_in,
        replacement: |decider| decider.sales,
    },
    // Whoever is not registered pays HMRC for wages, if for anything the business owes.
    Replacement {
        concept: "hmrc_other",
        own_fit: 0.9,
        applies: |decider, money_in| !money_in && !decider.reader.is_vat_registered(),
        replacement: |decider| kept(decider, "paye", 0.5),
    },
    // PAYE is pay where the context says so.
    Replacement {
        concept: "paye",
        own_fit: f32::INFINITY,
        applies: |decider, money_in| !money_in && decider.reader.paye_goes_to_wages(),
        replacement: |decider| kept(decider, "salaries", 0.5),
    },
    // It is where the chart keeps no account of what is owed to HMRC for it: that of VAT or of a company's own tax is none.
    Replacement {
        concept: "paye",
        own_fit: 0.5,
        applies: |_, money_in| !money_in,
        replacement: |decider| kept(decider, "salaries", OWN_SALES_FIT),
    },
    // A fee for another currency is a bank's charge; what a rate gains or loses is no fee.
    Replacement {
        concept: "fx_fees",
        own_fit: 0.9,
        applies: |_, money_in| !money_in,
        replacement: |decider| kept(decider, "bank_charges", 0.75),
    },
    // Equipment that is leased is paid off where the chart keeps the agreement as a debt.
    Replacement {
        concept: "equipment_lease",
        own_fit: 0.5,
        applies: |_, money_in| !money_in,
        replacement: |decider| kept(decider, "hp_finance", 0.7),
    },
    // A maker's finance company is paid for a lease where the chart keeps one and no agreement as a debt.
    Replacement {
        concept: "hp_finance",
        own_fit: OWN_SALES_FIT,
        applies: |_, money_in| !money_in,
        replacement: |decider| kept(decider, "vehicle_hire", 0.85),
    },
    // It is so where the context says that vehicles are leased, and no agreement has its lender's name.
    Replacement {
        concept: "hp_finance",
        own_fit: f32::INFINITY,
        applies: |decider, money_in| {
            !money_in && decider.reader.leases_vehicles() && kept(decider, "hp_finance", PLAIN_NAME_FIT).is_some()
        },
        replacement: |decider| kept(decider, "vehicle_hire", 0.85),
    },
    // What an owner pays in is no drawing.
    Replacement {
        concept: "drawings",
        own_fit: f32::INFINITY,
        applies: |decider, money_in| money_in && !decider.reader.is_company(),
        replacement: |decider| kept(decider, CAPITAL, 0.5),
    },
    // What a vehicle costs is in the rate a mile that the owner claims, where the chart has no account for it.
    in_mileage("fuel", OWN_SALES_FIT),
    in_mileage("vehicle_repairs", OWN_SALES_FIT),
    in_mileage("vehicle_insurance", 0.9),
    in_mileage("vehicle_tax", OWN_SALES_FIT),
    // Council tax is paid for a home.
    Replacement {
        concept: "council_tax",
        own_fit: 0.85,
        applies: |decider, money_in| !money_in && !decider.reader.is_company() && is_lived_in(decider),
        replacement: drawn,
    },
    // Who employs nobody pays off an own student loan.
    Replacement {
        concept: "student_loan_aeo",
        own_fit: 0.6,
        applies: |decider, money_in| {
            !money_in && !decider.reader.is_company() && kept(decider, "salaries", OWN_SALES_FIT).is_none()
        },
        replacement: drawn,
    },
    // What an owner takes from a company is the director's loan.
    Replacement {
        concept: "drawings",
        own_fit: 0.75,
        applies: |decider, _| decider.reader.is_company(),
        replacement: |decider| decider.knowledge.id("director_loan"),
    },
];

/// A cost of running a vehicle, for [`REPLACEMENTS`].
const fn in_mileage(concept: &'static str, own_fit: f32) -> Replacement {
    Replacement {
        concept,
        own_fit,
        applies: |decider, money_in| !money_in && decider.reader.claims_mileage(),
        replacement: |decider| {
            if decider.reader.is_company() { kept(decider, "director_loan", OWN_SALES_FIT) } else { drawn(decider) }
        },
    }
}

/// Where what is the owner's own goes, if the chart keeps that.
fn drawn(decider: &Decider<'_>) -> Option<ConceptId> {
    kept(decider, DRAWINGS, OWN_SALES_FIT)
}

/// A concept, if the chart has an account that fits it so well.
fn kept(decider: &Decider<'_>, concept: &str, from: f32) -> Option<ConceptId> {
    decider.knowledge.id(concept).filter(|id| decider.best_fit(*id).is_some_and(|fit| fit >= from))
}

/// Whether nothing is let here, so that a home is the owner's own.
fn is_lived_in(decider: &Decider<'_>) -> bool {
    let sales = decider.sales.map(|id| decider.knowledge.concept(id).name);
    !matches!(sales, Some("rental_income" | "rental_commercial" | "accommodation_income"))
}

impl Decider<'_> {
    /// Gives clues the concept that theirs is in this chart and this business: [`REPLACEMENTS`], in their order.
    pub(super) fn replace(&self, clues: &mut [Clue], money_in: bool) {
        for rule in REPLACEMENTS.iter().filter(|rule| (rule.applies)(self, money_in)) {
            let concept = self.knowledge.id(rule.concept);
            let has_own = concept.and_then(|id| self.best_fit(id)).is_some_and(|fit| fit >= rule.own_fit);
            for clue in clues.iter_mut().filter(|clue| Some(clue.concept) == concept && !has_own) {
                clue.concept = (rule.replacement)(self).unwrap_or(clue.concept);
            }
        }
    }

    /// Whether what is sold here is paid for by card at a counter.
    fn sells_by_card(&self) -> bool {
        self.sales.is_some_and(|id| SOLD_BY_CARD.contains(&self.knowledge.concept(id).name))
    }

    /// Whether the money of the trade comes from members and givers.
    pub(super) fn is_raised_from_members(&self) -> bool {
        let sales = self.sales.map(|id| self.knowledge.concept(id).name);
        matches!(sales, Some("membership_income" | "fundraising_income" | "donation_income"))
    }

    /// Whether services are sold here and the account nearest to what cards take is for goods that are sold beside them.
    pub(super) fn sells_beside_services(&self) -> bool {
        let sales = self.sales.map(|id| self.knowledge.concept(id).name);
        let nearest = self.knowledge.id("card_takings").and_then(|id| self.chart.fits(id).first());
        matches!(sales, Some("sales_services" | "health_income"))
            && nearest.is_some_and(|fit| fit.score < OWN_TAKINGS_FIT && self.is_for_goods(fit.account))
    }

    /// Whether an account is for goods that are sold, whatever they are paid with.
    pub(super) fn is_for_goods(&self, account: usize) -> bool {
        let has = |words: &[&str]| words.iter().any(|word| self.chart.has_word(account, word));
        (has(GOODS) || has(&["SOLD"])) && !has(&["TILL", "COUNTER"])
    }

    /// Whether what is sold here is a service known by name that people pay for by card: treatments, meals, repairs.
    fn sells_services(&self) -> bool {
        let sales = self.sales.map(|id| self.knowledge.concept(id).name);
        self.sells_by_card() && !matches!(sales, Some("sales_goods" | "sales_services"))
    }
}
