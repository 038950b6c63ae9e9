//! What is known about the business before any line is read: its trade, its form, its VAT status, its people.

mod cash;
mod own_registration;
mod owners;
mod staff;
mod vat_status;

pub use cash::{banked_cash, is_banked_from, sentences_on_banking};

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::batch::{AccountType, Batch};
use super::knowledge::{ConceptId, Knowledge, Sector, WordList, WordLists};
use super::outcome::Vat;
use super::person::is_forename;
use super::text::{fold, sentences};

/// The business behind a batch.
#[derive(Debug)]
pub struct Business<'k> {
    /// Trades that fit, best first, with how well (0 to 1).
    pub sectors: Vec<(&'k Sector, f32)>,
    /// Whether it charges and reclaims VAT.
    pub is_vat_registered: bool,
    /// A VAT scheme was named whose effect on single lines cannot be known.
    pub has_special_vat_scheme: bool,
    /// On the flat rate scheme what is bought carries no VAT that could be reclaimed (Notice 733, section 4), unless the context wants
    /// the VAT of receipts coded all the same.
    pub has_flat_rate: bool,
    /// Construction services are under the domestic reverse charge.
    pub has_reverse_charge: bool,
    /// From this price on equipment is an asset.
    pub asset_from_pence: i128,
    /// The context says that there is VAT on the rent.
    pub rent_has_vat: bool,
    /// Vehicles are leased, so that a maker's finance company is paid for the lease.
    pub leases_vehicles: bool,
    /// The context says that there is VAT on what others pay for a chair or a room.
    pub let_chair_has_vat: bool,
    /// The context says that all that is sold carries VAT at the standard rate.
    pub sells_at_standard_rate: bool,
    /// It says that all takings are coded as zero-rated.
    pub sells_at_zero_rate: bool,
    /// A company, rather than a sole trader, partnership or charity.
    pub is_company: bool,
    /// A limited liability partnership, whose members buy nothing of their own through it.
    pub is_llp: bool,
    /// The context sends the director's private purchases, which are among a company's own, to the loan account.
    pub has_private_purchases: bool,
    /// The owner claims a rate a mile, in which the costs of running the vehicle are (ITTOIA 2005 s. 94D).
    pub claims_mileage: bool,
    /// The context sends PAYE to the account of wages instead of clearing a liability.
    pub paye_goes_to_wages: bool,
    /// The context sends pay to the account of wages instead of clearing what a journal owes.
    pub pay_goes_to_wages: bool,
    /// The context says that what is paid as wages clears what a journal owes.
    pub pay_clears: bool,
    /// The context says that what customers pay in advance is a sale when it comes.
    pub deposits_are_sales: bool,
    /// The context says that there is VAT in what customers pay in advance.
    pub deposits_carry_vat: bool,
    /// The context says that deposits are given back.
    pub deposits_are_returned: bool,
    /// Folded names of owners and directors, each as its words.
    pub owners: Vec<Vec<String>>,
    /// Folded names of employees, each as its words.
    pub staff: Vec<Vec<String>>,
    /// Folded forenames that the context has, whoever has them.
    pub forenames: BTreeSet<String>,
    /// Those in sentences on a payroll.
    pub employed_forenames: BTreeSet<String>,
    /// The context says that all wages are paid in one sum.
    pub pays_wages_at_once: bool,
}

impl<'k> Business<'k> {
    /// Reads the context and the chart of a batch.
    pub fn read(batch: &Batch<'_>, knowledge: &'k Knowledge) -> Self {
        let folded = fold(&batch.business_context);
        let names: Vec<String> = batch.accounts.iter().map(|account| fold(&account.name)).collect();
        let words = &knowledge.words;
        let context_phrases = phrases_of(std::iter::once(folded.as_str()));
        let chart_phrases = phrases_of(names.iter().map(String::as_str));
        let in_context = |list: &WordList| list.iter().filter(|phrase| context_phrases.contains(phrase)).count();
        let in_chart = |list: &WordList| list.iter().filter(|phrase| chart_phrases.contains(phrase)).count();
        let company = in_context(&words.company_context) * 2 + in_chart(&words.company_chart);
        let sole_trader = in_context(&words.sole_trader_context) * 3 + in_chart(&words.sole_trader_chart);
        let is_company = company > sole_trader;
        let owners = owners::owners(batch, is_company, words);
        Self {
            sectors: sectors(knowledge, &folded, &context_phrases, &chart_phrases),
            is_vat_registered: vat_status::is_vat_registered(batch, &names, words),
            has_special_vat_scheme: in_context(&words.special_vat_scheme) > 0,
            has_flat_rate: has_flat_rate(&folded) && !codes_vat_of_receipts(&batch.business_context),
            has_reverse_charge: has_reverse_charge(&batch.business_context) || has_phrase(&folded, "DRC"),
            asset_from_pence: asset_from_pence(batch, words),
            leases_vehicles: leases_vehicles(&batch.business_context),
            rent_has_vat: rent_has_vat(&batch.business_context, words),
            let_chair_has_vat: let_chair_has_vat(&batch.business_context, words),
            sells_at_standard_rate: sells_at_standard_rate(&batch.business_context),
            sells_at_zero_rate: sells_at_zero_rate(&batch.business_context),
            is_company,
            is_llp: has_phrase(&folded, "LLP"),
            has_private_purchases: has_private_purchases(&batch.business_context, words),
            claims_mileage: claims_mileage(&batch.business_context),
            deposits_are_sales: deposits_are_sales(&batch.business_context),
            deposits_carry_vat: deposits_carry_vat(&batch.business_context),
            deposits_are_returned: deposits_are_returned(&batch.business_context),
            paye_goes_to_wages: is_sent_to_wages(&batch.business_context, &["PAYE"]),
            pay_goes_to_wages: is_sent_to_wages(&batch.business_context, &["PAY", "PAID", "STAFF"]),
            pay_clears: pay_clears(&batch.business_context),
            staff: staff::staff(&batch.business_context, &owners, words),
            employed_forenames: employed_forenames(&batch.business_context),
            pays_wages_at_once: ["SALARY RUN", "WAGES RUN", "WAGE RUN", "PAYROLL RUN", "WAGES BACS", "SALARIES RUN"]
                .iter()
                .any(|phrase| has_phrase(&folded, phrase)),
            forenames: folded.split(' ').filter(|word| is_forename(word)).map(str::to_owned).collect(),
            owners,
        }
    }

    /// What a receipt from an unknown payer is here.
    pub fn sales(&self) -> Option<ConceptId> {
        self.sectors.first().and_then(|(sector, _)| sector.sales)
    }

    /// What a payment to an unknown supplier is here.
    pub fn purchases(&self) -> Option<ConceptId> {
        self.sectors.first().and_then(|(sector, _)| sector.purchases)
    }

    /// The VAT code of a concept where it differs from the usual one here.
    pub fn vat(&self, concept: ConceptId) -> Option<Vat> {
        let (sector, _) = self.sectors.first()?;
        sector.vat.iter().find(|(known, _)| *known == concept).map(|(_, vat)| *vat)
    }

    /// What an ambiguous shop means here.
    pub fn shop(&self, shop: ConceptId) -> Option<ConceptId> {
        let meanings = self.sectors.iter().flat_map(|(sector, _)| &sector.shops);
        meanings.into_iter().find(|(known, _)| *known == shop).map(|(_, meaning)| *meaning)
    }

    /// How typical a concept is here, 0 to 1.
    pub fn likely(&self, concept: ConceptId) -> f32 {
        let fits = self.sectors.iter().filter(|(sector, _)| sector.likely.contains(&concept));
        fits.map(|(_, weight)| *weight).fold(0.0, f32::max)
    }
}

/// Whether a folded text has a phrase on whole words.
pub fn has_phrase(folded: &str, phrase: &str) -> bool {
    // Words begin at spaces, which are found sooner than a phrase is.
    let begins = |at: usize| {
        let behind = folded.get(at..).and_then(|rest| rest.strip_prefix(phrase));
        behind.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    begins(0) || memchr::memchr_iter(b' ', folded.as_bytes()).any(|space| begins(space + 1))
}

/// Every run of words in the texts, up to as many as a phrase of a list or of a trade has.
fn phrases_of<'n>(texts: impl Iterator<Item = &'n str>) -> FxHashSet<&'n str> {
    const MOST_WORDS: usize = 6;
    let mut phrases = FxHashSet::default();
    for text in texts {
        let starts: Vec<usize> = std::iter::once(0)
            .chain(text.match_indices(' ').map(|(at, _)| at + 1))
            .filter(|at| *at < text.len())
            .collect();
        for (place, start) in starts.iter().enumerate() {
            for next in place + 1..=place + MOST_WORDS {
                let end = starts.get(next).map_or(text.len(), |at| at - 1);
                phrases.extend(text.get(*start..end));
                if next >= starts.len() {
                    break;
                }
            }
        }
    }
    phrases
}

/// Trades by the words of the context; the chart's words count half.
fn sectors<'k>(
    knowledge: &'k Knowledge,
    context: &str,
    in_context: &FxHashSet<&str>,
    in_chart: &FxHashSet<&str>,
) -> Vec<(&'k Sector, f32)> {
    // In tenths, so that the order of phrases does not matter.
    let mut tenths: BTreeMap<usize, u16> = BTreeMap::new();
    let mut add = |phrase: &str, more: u16| {
        for sector in knowledge.trades_of(phrase) {
            *tenths.entry(*sector).or_default() += more;
        }
    };
    for phrase in in_context {
        // The first words usually say what the business is; the rest may be an aside.
        if let Some(at) = context.find(phrase).filter(|at| !is_of_others(context, *at, phrase)) {
            let near = match at {
                0..=45 => 25,
                46..=120 => 15,
                _ => 10,
            };
            add(phrase, near + if phrase.contains(' ') { 5 } else { 0 });
        }
    }
    in_chart.iter().for_each(|phrase| add(phrase, 3));
    let trades =
        tenths.into_iter().filter_map(|(at, score)| Some((knowledge.sectors.get(at)?, f32::from(score) / 10.0)));
    let mut scored: Vec<(&Sector, f32)> = trades.collect();
    scored.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let best = scored.first().map_or(1.0, |(_, score)| *score);
    // A word or two of a chart (`Light, power, heating`) are no trade.
    scored.retain(|(_, score)| *score >= 0.4 * best && *score >= 0.9);
    scored.truncate(3);
    for (_, score) in &mut scored {
        *score = (*score / best) * best.min(2.0) / 2.0;
    }
    // A charity is a form; what it runs says more of what it is paid for.
    if let [(first, high), (second, low), ..] = scored.as_mut_slice()
        && first.name == "charity"
    {
        std::mem::swap(first, second);
        *low = low.max(*high);
    }
    scored
}

/// Whether a phrase of a context is about somebody whom the business pays: "our accountant", "by the solicitor".
fn is_of_others(context: &str, at: usize, phrase: &str) -> bool {
    const ADVISERS: &[&str] = &[
        "ACCOUNTANT",
        "ACCOUNTANTS",
        "BOOKKEEPER",
        "BOOKKEEPERS",
        "BUREAU",
        "PAYROLL",
        "PAYROLL BUREAU",
        "SOLICITOR",
        "SOLICITORS",
        "TAX ADVISER",
        "VET",
        "VETS",
        "LANDLORD",
        "LANDLORDS",
        "PHOTOGRAPHER",
        "POST OFFICE",
        "DESIGNER",
        "ARCHITECT",
        "SURVEYOR",
        "FLORIST",
        "BREWERY",
        "TOUR OPERATOR",
    ];
    const WHOSE: &[&str] = &["OUR", "MY", "HER", "HIS", "THEIR", "THE", "AN", "OUTSIDE"];
    let mut before = context.get(..at).unwrap_or("").split_whitespace().rev();
    ADVISERS.contains(&phrase) && before.next().is_some_and(|word| WHOSE.contains(&word)) && before.next().is_some()
}

/// From which price on equipment is an asset: what the context says ("items over £500 are capitalised") or names of accounts do
/// ("Kit over £500", "Tools under 500"), else £1,000.
fn asset_from_pence(batch: &Batch<'_>, words: &WordLists) -> i128 {
    const USUAL_PENCE: i128 = 100_000;
    /// What is bought to last, and how what is not is called.
    const KIT: &[&str] =
        &["CLIPPERS", "EXPENSED", "HARDWARE", "KIT", "MACHINE", "MACHINERY", "MACHINES", "TOOL", "TOOLS"];
    for sentence in sentences(&batch.business_context) {
        let folded = fold(sentence);
        let is_of_assets = words.asset.iter().any(|word| has_phrase(&folded, word));
        let is_of_kit = || KIT.iter().any(|word| has_phrase(&folded, word));
        if let Some((_, behind)) = sentence.split_once('\u{a3}').filter(|_| is_of_assets)
            && let Some(pounds) = pounds_at_start(behind)
        {
            return pounds * 100;
        }
        if let Some(pounds) = limit_in_pounds(sentence).filter(|_| is_of_assets || is_of_kit()) {
            return pounds * 100;
        }
    }
    let limits = batch.accounts.iter().filter_map(|account| {
        let name = account.name.to_lowercase();
        let (_, behind) = match account.kind {
            AccountType::Asset => name.split_once("over "),
            AccountType::Expense => name.split_once("under "),
            _ => None,
        }?;
        pounds_at_start(behind.trim_start_matches('\u{a3}')).filter(|pounds| *pounds >= 100)
    });
    limits.max().map_or(USUAL_PENCE, |pounds| pounds * 100)
}

/// A limit that a sentence names: "under £300", "over 250 quid".
fn limit_in_pounds(sentence: &str) -> Option<i128> {
    const LIMITS: &[&str] = &["above", "below", "over", "under"];
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let limits = words.iter().enumerate().filter(|(_, word)| LIMITS.contains(&word.to_lowercase().as_str()));
    limits.into_iter().find_map(|(at, _)| {
        let behind: Vec<&str> = words.get(at + 1..)?.iter().copied().filter(|word| *word != "about").take(2).collect();
        let amount = behind.first()?;
        let is_in_pounds = behind.get(1).is_some_and(|unit| unit.starts_with("quid") || unit.starts_with("pounds"));
        match amount.strip_prefix('\u{a3}') {
            Some(pounds) => pounds_at_start(pounds),
            None => pounds_at_start(amount).filter(|_| is_in_pounds),
        }
    })
}

/// A number of pounds that a text begins with.
fn pounds_at_start(text: &str) -> Option<i128> {
    let digits = text.chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(char::is_ascii_digit);
    digits.collect::<String>().parse::<u32>().ok().map(i128::from)
}

/// Whether one sentence of the context sends private purchases to the director's loan.
fn has_private_purchases(context: &str, words: &WordLists) -> bool {
    sentences(context).any(|sentence| {
        let folded = fold(sentence);
        let says = |list: &WordList| list.iter().any(|phrase| has_phrase(&folded, phrase));
        says(&words.private_purchases) && says(&words.loan_account) && !says(&words.denial)
    })
}

/// Whether a folded context says that the business is on the flat rate scheme: "standard scheme, not flat rate" does not.
fn has_flat_rate(folded: &str) -> bool {
    const DENIALS_BEFORE: usize = 4;
    let words: Vec<&str> = folded.split(' ').collect();
    words.windows(2).enumerate().any(|(at, pair)| {
        let before = words.get(at.saturating_sub(DENIALS_BEFORE)..at).unwrap_or_default();
        pair == ["FLAT", "RATE"] && !before.iter().any(|word| matches!(*word, "NOT" | "NO" | "LEFT" | "NEVER"))
    })
}

/// Whether a sentence asks for the VAT that is on a receipt: "please code each line with the VAT that is really on it". What is not to
/// be coded, or is on what is sold, is something else.
fn codes_vat_of_receipts(context: &str) -> bool {
    const VERBS: &[&str] = &["CODE", "CODING", "ENTER", "ENTERING", "POST", "POSTING", "RECORD", "RECORDING"];
    const RECEIPTS: &[&str] = &["BILL", "BILLS", "INVOICE", "INVOICES", "IT", "RECEIPT", "RECEIPTS", "THEM"];
    const OTHERWISE: &[&str] = &[
        "CANNOT",
        "CANT",
        "CUSTOMER",
        "CUSTOMERS",
        "DONT",
        "NEEDNT",
        "NEITHER",
        "NEVER",
        "NIL",
        "NO",
        "NONE",
        "NOT",
        "SALE",
        "SALES",
        "SHOULDNT",
        "WITHOUT",
    ];
    const WITHIN: usize = 6;
    sentences(context).any(|sentence| {
        let folded = fold(sentence);
        let words: Vec<&str> = folded.split(' ').collect();
        let asks = |at: usize| {
            let behind = words.get(at + 1..).unwrap_or_default();
            let vat = behind.iter().take(WITHIN).position(|word| *word == "VAT");
            let Some(rest) = vat.and_then(|vat| behind.get(vat + 1..)) else { return false };
            let on = rest.iter().take(WITHIN).position(|word| *word == "ON");
            let Some(receipt) = on.and_then(|on| rest.get(on + 1..)) else { return false };
            let around = words.get(at.saturating_sub(WITHIN)..).unwrap_or_default();
            receipt.iter().take(WITHIN).any(|word| RECEIPTS.contains(word))
                && !around.iter().any(|word| OTHERWISE.contains(word))
        };
        words.iter().enumerate().any(|(at, word)| VERBS.contains(word) && asks(at))
    })
}

/// Whether a context says that there is VAT in deposits: "client deposits with the VAT taken out, as VAT is due on receipt".
fn deposits_carry_vat(context: &str) -> bool {
    const IN_THEM: &[&str] = &[
        "INCLUDE VAT",
        "INCLUDING VAT",
        "PLUS VAT",
        "STANDARD RATE",
        "STANDARD RATED",
        "VAT IS DUE",
        "VAT TAKEN OUT",
        "WITH VAT",
    ];
    sentences(context).any(|sentence| {
        let folded = fold(sentence);
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| has_phrase(&folded, phrase));
        says(&["DEPOSIT", "DEPOSITS"]) && says(IN_THEM) && !says(&["NO VAT", "NOT", "WITHOUT VAT"])
    })
}

/// Whether a context says that deposits are given back: "£100 hire deposits get handed back".
fn deposits_are_returned(context: &str) -> bool {
    const BACK: &[&str] = &[
        "GET IT BACK",
        "GIVE BACK",
        "GIVEN BACK",
        "GO BACK",
        "GOES BACK",
        "HANDED BACK",
        "PAID BACK",
        "SEND THEM BACK",
        "SENT BACK",
        "REFUNDABLE",
        "REFUNDED",
        "RETURNABLE",
        "RETURNED",
    ];
    sentences(context).any(|sentence| {
        let folded = fold(sentence);
        let speaks = has_phrase(&folded, "DEPOSIT") || has_phrase(&folded, "DEPOSITS");
        const KEPT: &[&str] = &[
            "NON REFUNDABLE",
            "NOT REFUNDABLE",
            "ISNT REFUNDABLE",
            "NON RETURNABLE",
            "NOT RETURNABLE",
            "ISNT RETURNABLE",
        ];
        speaks
            && !KEPT.iter().any(|phrase| has_phrase(&folded, phrase))
            && BACK.iter().any(|phrase| has_phrase(&folded, phrase))
    })
}

/// Whether a context says that deposits are sales: "deposits and balances are income when they arrive". Those that are held are not.
fn deposits_are_sales(context: &str) -> bool {
    /// Words from the deposits to what they are.
    const REACH: usize = 14;
    const HELD: &[&str] =
        &["BACK", "BALANCE", "HELD", "ISNT", "NEVER", "NOT", "REPAYABLE", "RETURNABLE", "RETURNED", "WITHOUT"];
    sentences(context).any(|sentence| {
        let folded = fold(sentence);
        let words: Vec<&str> = folded.split(' ').collect();
        let is_sales = |word: &&str| matches!(*word, "INCOME" | "SALES" | "TAKINGS");
        let is_led =
            |word: &&str| matches!(*word, "ALL" | "ARE" | "AS" | "COUNT" | "IN" | "IS" | "SO" | "STRAIGHT" | "TO");
        let said = |at: usize| {
            let behind = words.get(at + 1..).unwrap_or_default();
            let sales = behind.iter().take(REACH).position(is_sales)?;
            behind.get(..sales)
        };
        let deposits = words.iter().enumerate().filter(|(_, word)| matches!(**word, "DEPOSIT" | "DEPOSITS"));
        let mut said = deposits.filter_map(|(at, _)| said(at));
        said.any(|said| said.iter().any(is_led) && !said.iter().any(|word| HELD.contains(word)))
    })
}

/// Whether one sentence says that mileage is claimed.
fn claims_mileage(context: &str) -> bool {
    sentences(context).any(|sentence| {
        let folded = fold(sentence);
        let says = |phrase: &str| has_phrase(&folded, phrase);
        (says("MILEAGE") || says("45P")) && ["CLAIM", "CLAIMS", "CLAIMED"].into_iter().any(says)
    })
}

/// Whether one sentence sends what some words name to the account of wages: "we post net pay, PAYE and pension to wages".
fn is_sent_to_wages(context: &str, what: &[&str]) -> bool {
    sentences(context).any(|sentence| {
        let folded = fold(sentence);
        let words: Vec<&str> = folded.split(' ').collect();
        let behind =
            words.iter().position(|word| what.contains(word)).and_then(|at| words.get(at + 1..)).unwrap_or(&[]);
        let to = behind.iter().position(|word| *word == "TO").and_then(|at| behind.get(at + 1..)).unwrap_or(&[]);
        let account = if let ["STAFF" | "THE", rest @ ..] = to { rest } else { to };
        let is_cost = match account {
            ["WAGES" | "SALARIES", next, ..] => !matches!(*next, "CONTROL" | "PAYABLE" | "LIABILITY" | "CLEARING"),
            ["WAGES" | "SALARIES"] => true,
            _ => false,
        };
        // A journal posts the cost, and what is paid from the bank clears what the journal owes.
        let is_posted = |word: &&str| {
            word.starts_with("JOURNAL") || matches!(*word, "CLEAR" | "CLEARS" | "CLEARED" | "GROSS" | "NOT" | "NEVER")
        };
        is_cost && !words.iter().any(is_posted)
    })
}

/// Whether a sentence says that all that is sold carries VAT at the standard rate, "everything we sell is at 20%", and none speaks of
/// the zero rate.
fn sells_at_standard_rate(context: &str) -> bool {
    /// Words from *all* to the rate.
    const REACH: usize = 5;
    const OTHERWISE: &[&str] =
        &["EXCEPT", "APART", "BESIDES", "BUT", "UNLESS", "EXEMPT", "THEY", "CHARGE", "CHARGES", "PAY", "RENT"];
    !has_phrase(&fold(context), "ZERO")
        && sentences(context).any(|sentence| {
            let folded = fold(sentence);
            let words: Vec<&str> = folded.split(' ').collect();
            let is_all = |word: &&str| matches!(*word, "ALL" | "EVERYTHING");
            let all = words.iter().position(is_all);
            let behind = all.and_then(|at| words.get(at + 1..)).unwrap_or_default();
            behind.iter().take(REACH).any(|word| matches!(*word, "20" | "STANDARD"))
                && !words.iter().any(|word| OTHERWISE.contains(word))
        })
}

/// Whether one sentence says that all takings, or nearly all that is sold, are zero-rated: "post all shop takings … as zero-rated".
fn sells_at_zero_rate(context: &str) -> bool {
    sentences(context).any(|sentence| {
        let folded = fold(sentence);
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| has_phrase(&folded, phrase));
        let is_of_all = says(&["ALL SHOP TAKINGS", "ALL TAKINGS", "ALL THE TAKINGS", "EVERYTHING WE SELL"]);
        // A bookseller's.
        says(&["BECAUSE BOOKS ARE ZERO", "BOOKS ARE ZERO RATED", "AS BOOKS ARE ZERO"])
            || is_of_all
                && says(&["AS ZERO RATED", "IS ZERO RATED", "ARE ZERO RATED", "AT ZERO", "IS ZERO", "ARE ZERO"])
                && !says(&["20", "EXCEPT", "APART", "NOT", "STANDARD"])
    })
}

/// Whether a clause says that pay clears something: "wages clear Net Wages Payable", "net pay clears 2220".
fn pay_clears(context: &str) -> bool {
    const PAY: &[&str] = &["WAGES", "SALARIES", "SALARY", "PAY", "PAYROLL"];
    let clears = |word: &&str| matches!(*word, "CLEAR" | "CLEARS" | "CLEARED" | "CLEARING");
    sentences(context).flat_map(|sentence| sentence.split(',')).any(|clause| {
        let folded = fold(clause);
        let words: Vec<&str> = folded.split(' ').collect();
        let at = words.iter().position(clears);
        at.and_then(|at| words.get(..at)).is_some_and(|before| before.iter().any(|word| PAY.contains(word)))
    })
}

/// Whether one sentence says that those who rent a chair or a room are charged VAT.
fn let_chair_has_vat(context: &str, words: &WordLists) -> bool {
    sentences(context).any(|sentence| {
        let folded = fold(sentence);
        let says = |phrase: &str| has_phrase(&folded, phrase);
        let is_let = ["CHAIR", "CHAIRS"].into_iter().any(says) && ["RENT", "RENTS", "RENTERS"].into_iter().any(says)
            || ["RENT FROM US", "RENTS FROM US", "RENT FROM ME", "RENTS FROM ME"].into_iter().any(says);
        let denials: &[&str] = &["NO VAT", "NOT CHARGE VAT", "DONT CHARGE VAT", "DO NOT CHARGE VAT", "WITHOUT VAT"];
        is_let && words.taxed_rent.iter().any(says) && !denials.iter().any(|denial| says(denial))
    })
}

/// Forenames in the clauses of a context that speak of a payroll: "Louise and Tyler are in the office on PAYE".
fn employed_forenames(context: &str) -> BTreeSet<String> {
    const EMPLOYED: &[&str] = &["PAYE", "PAYROLL"];
    let clauses =
        sentences(context).flat_map(|sentence| sentence.split([';', '(', ')']).map(fold).collect::<Vec<String>>());
    let spoken = clauses.filter(|clause| EMPLOYED.iter().any(|word| has_phrase(clause, word)));
    let names = spoken.flat_map(|clause| {
        let until = clause.find(" PAYE").or_else(|| clause.find(" PAYROLL")).unwrap_or(0);
        let before = clause.get(..until).unwrap_or_default();
        before.split(' ').filter(|word| is_forename(word)).map(str::to_owned).collect::<Vec<String>>()
    });
    names.collect()
}

/// Whether the context speaks of the reverse charge on building work.
fn has_reverse_charge(context: &str) -> bool {
    sentences(context).map(fold).any(|sentence| is_on_domestic_reverse_charge(&sentence))
}

/// Whether a folded sentence is on the domestic reverse charge (VAT Notice 735); that of suppliers abroad is on what is bought from them.
pub fn is_on_domestic_reverse_charge(sentence: &str) -> bool {
    const ABROAD: &[&str] = &["ABROAD", "OVERSEAS", "FOREIGN", "FROM THE EU", "IRELAND", "FACEBOOK", "GOOGLE", "ADOBE"];
    const CHARGED: &[&str] = &[
        "REVERSE CHARGE",
        "SELF ACCOUNT",
        "ACCOUNT FOR THE VAT THEMSELVES",
        "ACCOUNTS FOR THE VAT ITSELF",
        "ACCOUNT FOR VAT THEMSELVES",
    ];
    CHARGED.iter().any(|phrase| has_phrase(sentence, phrase)) && !ABROAD.iter().any(|word| has_phrase(sentence, word))
}

/// Whether the context says that vehicles are leased: "9 wagons, all on contract hire".
fn leases_vehicles(context: &str) -> bool {
    const LEASED: &[&str] = &["CONTRACT HIRE", "LEASED", "LEASE", "LEASES", "OPERATING LEASES"];
    const VEHICLES: &[&str] = &[
        "VAN", "VANS", "WAGON", "WAGONS", "LORRY", "LORRIES", "TRUCK", "TRUCKS", "VEHICLES", "CARS", "FLEET",
        "COACHES", "TRACTORS", "ARTICS",
    ];
    sentences(context).any(|sentence| {
        let folded = fold(sentence);
        let has = |phrases: &[&str]| phrases.iter().any(|phrase| has_phrase(&folded, phrase));
        let is_of_all = |leased: &&str| {
            ["ALL", "ARE", "ALL ON", "ARE ON"].iter().any(|all| has_phrase(&folded, &format!("{all} {leased}")))
        };
        LEASED.iter().any(is_of_all) && has(VEHICLES)
    })
}

/// Whether the context says that rent is charged with VAT: the landlord has opted to tax.
fn rent_has_vat(context: &str, words: &WordLists) -> bool {
    sentences(context).any(|sentence| {
        let says_so = |text: &str| {
            let folded = fold(text);
            let says = |phrase: &str| has_phrase(&folded, phrase);
            let about = ["RENT", "RENTED", "LANDLORD", "LEASE"].into_iter().any(says);
            about && words.taxed_rent.iter().any(says) && !words.taxed_rent_denial.iter().any(says)
        };
        // What is denied of somebody else in the sentence is not denied of the rent.
        says_so(sentence) || sentence.split(',').any(says_so)
    })
}
