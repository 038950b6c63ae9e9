//! What is known about the business before any line is read: its trade, its form, its VAT status, its people.

use std::collections::BTreeSet;

use super::batch::{AccountType, Batch};
use super::knowledge::{ConceptId, Knowledge, Sector};
use super::outcome::Vat;
use super::text::fold;

/// The business behind a batch.
#[derive(Debug)]
pub struct Business<'k> {
    /// Trades that fit, best first, with how well (0 to 1).
    pub sectors: Vec<(&'k Sector, f32)>,
    /// Whether it charges and reclaims VAT.
    pub is_vat_registered: bool,
    /// A VAT scheme was named whose effect on single lines cannot be known.
    pub has_special_vat_scheme: bool,
    /// Construction services are under the domestic reverse charge.
    pub has_reverse_charge: bool,
    /// From this price on equipment is an asset.
    pub asset_from_pence: i128,
    /// The context says that there is VAT on the rent.
    pub rent_has_vat: bool,
    /// A company, rather than a sole trader, partnership or charity.
    pub is_company: bool,
    /// Folded names of owners and directors, each as its words.
    pub owners: Vec<Vec<String>>,
}

impl<'k> Business<'k> {
    /// Reads the context and the chart of a batch.
    pub fn read(batch: &Batch<'_>, knowledge: &'k Knowledge) -> Self {
        let folded = fold(&batch.business_context);
        let names: Vec<String> = batch.accounts.iter().map(|account| fold(&account.name)).collect();
        let is_vat_registered = vat_status(batch, &names);
        let says = |phrase: &str| has_phrase(&folded, phrase);
        let company_words = ["LTD", "LIMITED", "DIRECTOR", "DIRECTORS", "PLC", "SHAREHOLDERS", "SHAREHOLDER", "CIC"];
        let sole_words = ["SOLE TRADER", "SELF EMPLOYED", "PARTNERSHIP", "FREELANCER", "SOLE PROPRIETOR", "LLP"];
        let chart_says = |word: &str| names.iter().any(|name| has_phrase(name, word));
        let company = company_words.iter().filter(|word| says(word)).count() * 2
            + ["CORPORATION TAX", "DIVIDENDS", "DIVIDEND", "DIRECTORS LOAN", "SHARE CAPITAL", "ORDINARY SHARES"]
                .iter()
                .filter(|word| chart_says(word))
                .count();
        let sole = sole_words.iter().filter(|word| says(word)).count() * 3
            + ["DRAWINGS", "CAPITAL INTRODUCED", "OWNER", "PROPRIETOR"].iter().filter(|word| chart_says(word)).count();
        Self {
            sectors: sectors(knowledge, &folded, &names),
            is_vat_registered,
            has_special_vat_scheme: [
                "FLAT RATE",
                "PARTIALLY EXEMPT",
                "PARTLY EXEMPT",
                "PARTIAL EXEMPTION",
                "MARGIN SCHEME",
                "TOMS",
                "RETAIL SCHEME",
            ]
            .iter()
            .any(|scheme| says(scheme)),
            has_reverse_charge: says("REVERSE CHARGE") || says("DRC"),
            asset_from_pence: asset_from_pence(&batch.business_context),
            rent_has_vat: rent_has_vat(&batch.business_context),
            is_company: company > sole,
            owners: owners(batch),
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
    folded.match_indices(phrase).any(|(at, found)| {
        let before = folded.get(..at).is_none_or(|text| text.is_empty() || text.ends_with(' '));
        let after = folded.get(at + found.len()..).is_none_or(|text| text.is_empty() || text.starts_with(' '));
        before && after
    })
}

/// Trades by the words of the context; the chart's words count half.
fn sectors<'k>(knowledge: &'k Knowledge, context: &str, names: &[String]) -> Vec<(&'k Sector, f32)> {
    let mut scored: Vec<(&Sector, f32)> = Vec::new();
    for sector in &knowledge.sectors {
        let mut score = 0.0_f32;
        for phrase in &sector.context {
            // What is said first is usually what the business is; the rest may be an aside.
            if let Some(at) = context.find(phrase.as_str()).filter(|_| has_phrase(context, phrase)) {
                score += match at {
                    0..=45 => 2.5,
                    46..=120 => 1.5,
                    _ => 1.0,
                };
                if phrase.contains(' ') {
                    score += 0.5;
                }
            }
            if names.iter().any(|name| has_phrase(name, phrase)) {
                score += 0.3;
            }
        }
        if score > 0.0 {
            scored.push((sector, score));
        }
    }
    scored.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let best = scored.first().map_or(1.0, |(_, score)| *score);
    // A word or two of a chart (`Light, power, heating`) are no trade.
    scored.retain(|(_, score)| *score >= 0.4 * best && *score >= 0.9);
    scored.truncate(3);
    for (_, score) in &mut scored {
        *score = (*score / best) * best.min(2.0) / 2.0;
    }
    scored
}

/// Whether the business is registered.
fn vat_status(batch: &Batch<'_>, names: &[String]) -> bool {
    let said = said_about_vat(&batch.business_context);
    if let Some(registered) = said {
        return registered;
    }
    if let Some(codes) = &batch.vat_codes {
        return codes.iter().any(|code| code.rate > 0);
    }
    let lines_say = batch.transactions.iter().any(|line| {
        let text = fold(&line.description);
        has_phrase(&text, "HMRC VAT") || has_phrase(&text, "VAT RETURN") || has_phrase(&text, "HM REVENUE VAT")
    });
    let chart_says = names.iter().zip(&batch.accounts).any(|(name, account)| {
        has_phrase(name, "VAT") && matches!(account.kind, AccountType::Liability | AccountType::Asset)
    });
    lines_say || chart_says
}

/// What the words of the context say about VAT. A plain statement ("VAT registered", "under the threshold") counts before
/// remarks that only touch on it, and the first one before later ones, which speak of suppliers and single lines.
fn said_about_vat(context: &str) -> Option<bool> {
    const NOT: &[&str] = &[
        "NOT",
        "NO",
        "NON",
        "NEVER",
        "ISNT",
        "ARENT",
        "DONT",
        "DOESNT",
        "UNDER",
        "BELOW",
        "WITHOUT",
        "UNREGISTERED",
        "DEREGISTERED",
        "HAVENT",
        "NEITHER",
        "NOR",
        "CANT",
        "CANNOT",
        "BENEATH",
        "OUTSIDE",
        "YET",
        "HASNT",
        "NOWHERE",
        "NOTHING",
        "EXEMPT",
        "DIM",
    ];
    const TOUCHING: &[&str] = &[
        "RETURN",
        "RETURNS",
        "QUARTER",
        "QUARTERS",
        "QUARTERLY",
        "FLAT",
        "SCHEME",
        "ACCOUNTING",
        "PARTIALLY",
        "PARTLY",
        "PARTIAL",
        "RECLAIM",
        "RECOVER",
        "VATABLE",
        "STAGGER",
        "MTD",
        "STANDARD",
        "NORMAL",
    ];
    // A full stop behind "No" ends no sentence: "VAT No. GB 123".
    let context =
        context.replace("No. ", "No ").replace("no. ", "no ").replace("Reg. ", "Reg ").replace("reg. ", "reg ");
    let (mut plain, mut touching) = (None, None);
    for clause in context.split(['.', ';', ',', '(', ')', '\n', '\u{2013}', '\u{2014}', ':']) {
        let folded = fold(clause);
        let words: Vec<&str> = folded.split(' ').collect();
        let is = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
        let is_denied = is(NOT);
        let threshold = is(&["THRESHOLD", "LIMIT"]) && is(&["UNDER", "BELOW", "BENEATH", "WITHIN"]);
        if threshold {
            plain = plain.or(Some(false));
            continue;
        }
        let names_vat = is(&["VAT", "VATABLE", "TAW"]);
        if is(&["REGISTERED", "UNREGISTERED", "DEREGISTERED"]) && (names_vat || is_denied) {
            // "VAT registered since 2019, not a charity": the denial must belong to the registration.
            let at = words.iter().position(|word| word.ends_with("REGISTERED")).unwrap_or(0);
            let near =
                words.iter().enumerate().any(|(place, word)| NOT.contains(word) && place <= at && at - place <= 4);
            let registered = !(near || is(&["UNREGISTERED", "DEREGISTERED"]));
            // "He is not VAT registered", "neither is": somebody else.
            let elses = !registered
                && is(&[
                    "HE",
                    "SHE",
                    "NEITHER",
                    "NOBODY",
                    "WHO",
                    "SUBBIES",
                    "SUBCONTRACTORS",
                    "TUTORS",
                    "INSTRUCTORS",
                    "LANDLORD",
                ]);
            if !elses {
                plain = plain.or(Some(registered));
            }
            continue;
        }
        if !names_vat {
            if has_phrase(&folded, "FLAT RATE")
                || has_phrase(&folded, "PARTIALLY EXEMPT")
                || has_phrase(&folded, "PARTLY EXEMPT")
            {
                touching = touching.or(Some(true));
            }
            continue;
        }
        let behind = folded.split("VAT ").nth(1).unwrap_or("");
        let mut next =
            behind.split(' ').filter(|word| !matches!(*word, "NO" | "REG" | "NUMBER" | "REGISTRATION" | "NUM" | "IS"));
        let numbered = next.next().is_some_and(|word| {
            word == "GB" || word.starts_with("GB") || word.chars().filter(char::is_ascii_digit).count() >= 3
        });
        if numbered || (has_phrase(&folded, "VAT NUMBER") && !is(&["NO", "NOT", "WITHOUT", "DONT", "HAVENT"])) {
            plain = plain.or(Some(true));
            continue;
        }
        if has_phrase(&folded, "NOT VAT")
            || has_phrase(&folded, "NO VAT WHATSOEVER")
            || has_phrase(&folded, "NOTHING TO DO WITH VAT")
        {
            plain = plain.or(Some(false));
            continue;
        }
        if is_denied {
            touching = touching.or(Some(false));
        } else if is(TOUCHING) {
            touching = touching.or(Some(true));
        }
    }
    plain.or(touching)
}

/// From which price on equipment is an asset: what the context says ("items over £500 are capitalised"), else £1,000.
fn asset_from_pence(context: &str) -> i128 {
    const USUAL_PENCE: i128 = 100_000;
    for sentence in context.split(['.', ';', '\n']) {
        let folded = fold(sentence);
        let about = ["CAPITAL", "CAPITALISED", "CAPITALISE", "ASSET", "ASSETS", "EQUIPMENT"]
            .iter()
            .any(|word| has_phrase(&folded, word));
        let Some((_, behind)) = sentence.split_once('\u{a3}').filter(|_| about) else { continue };
        let digits: String =
            behind.chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(char::is_ascii_digit).collect();
        if let Ok(pounds) = digits.parse::<u32>() {
            return i128::from(pounds) * 100;
        }
    }
    USUAL_PENCE
}

/// Whether the context says that rent is charged with VAT: the landlord has opted to tax.
fn rent_has_vat(context: &str) -> bool {
    context.split(['.', ';', '\n']).any(|sentence| {
        let folded = fold(sentence);
        let says = |phrase: &str| has_phrase(&folded, phrase);
        let about = says("RENT") || says("LANDLORD") || says("LEASE");
        let taxed = says("HAS VAT")
            || says("PLUS VAT")
            || says("WITH VAT")
            || says("VAT ON")
            || says("OPTED TO TAX")
            || says("OPTED");
        let denied = ["NOT", "NO", "ISNT", "HASNT", "NEVER", "WITHOUT"].iter().any(|word| says(word));
        about && taxed && !denied
    })
}

/// Names behind words such as "director" and "owner", and in the names of owners' accounts.
fn owners(batch: &Batch<'_>) -> Vec<Vec<String>> {
    const ROLES: &[&str] = &[
        "director",
        "directors",
        "owner",
        "owners",
        "partner",
        "partners",
        "proprietor",
        "proprietors",
        "shareholder",
        "shareholders",
        "trader",
        "run",
        "i'm",
        "me",
        "founder",
        "founders",
        "principal",
        "principals",
        "t/a",
        "dr",
        "owned",
    ];
    const VERBS: &[&str] = &["is", "are", "owns", "own", "runs", "run"];
    const TITLES: &[&str] = &[
        "director",
        "directors",
        "owner",
        "owners",
        "md",
        "partner",
        "partners",
        "proprietor",
        "shareholder",
        "owns",
        "runs",
        "boss",
        "own",
        "run",
    ];
    const NO_NAMES: &[&str] = &[
        "The",
        "We",
        "I",
        "A",
        "An",
        "It",
        "No",
        "Not",
        "VAT",
        "Ltd",
        "Limited",
        "HMRC",
        "PAYE",
        "CIS",
        "UK",
        "Bank",
        "My",
        "Our",
        "And",
        "Amex",
        "Barclays",
        "Lloyds",
        "HSBC",
        "NatWest",
        "Santander",
        "Monzo",
        "Starling",
        "Tide",
        "Xero",
        "Sage",
        "Stripe",
        "PayPal",
        "GB",
        "All",
        "Some",
        "One",
        "Two",
        "Both",
        "Own",
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
        "Director",
        "Directors",
        "Owner",
        "Partner",
        "Sole",
        "Company",
        "Shop",
        "Standard",
        "Flat",
        "Cash",
    ];
    let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
    let context = &batch.business_context;
    for sentence in context.split(['.', ';', '\n']) {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        let is_name = |word: &str| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            bare.chars().next().is_some_and(char::is_uppercase)
                && !NO_NAMES.contains(&bare)
                && bare.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '-' | '\u{2019}'))
        };
        let mut at = 0;
        let mut since_role = usize::MAX;
        while let Some(word) = words.get(at) {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            if ROLES.contains(&bare.as_str()) {
                let drives = words.get(at + 1).is_some_and(|next| next.to_lowercase().starts_with("driver"));
                since_role = if drives { usize::MAX } else { 0 };
                at += 1;
                continue;
            }
            // "Ray Staniforth is the only director."
            let names_ahead = words.iter().skip(at).take_while(|word| is_name(word)).count();
            let ahead: Vec<String> = words
                .iter()
                .skip(at + names_ahead)
                .take(5)
                .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
                .collect();
            let is_named_role = (1..=3).contains(&names_ahead)
                && ahead.first().is_some_and(|verb| VERBS.contains(&verb.as_str()))
                && ahead.iter().any(|word| TITLES.contains(&word.as_str()));
            let is_place = at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|before| {
                matches!(
                    before.to_lowercase().as_str(),
                    "in" | "at" | "near" | "of" | "from" | "outside" | "around" | "with" | "for"
                )
            });
            if (since_role <= 4 || is_named_role) && is_name(word) && !is_place {
                let mut name = Vec::new();
                while let Some(word) = words.get(at).filter(|word| is_name(word)) {
                    name.extend(fold(word).split(' ').map(str::to_owned));
                    at += 1;
                    if word.ends_with([',', ')', ':']) {
                        break;
                    }
                }
                // "Tony & Sue Mallett", "Jock and Eilidh Geddes": the surname is both of theirs.
                if name.len() == 1 && words.get(at).is_some_and(|word| matches!(*word, "&" | "and" | "+")) {
                    let surname = words.get(at + 2).filter(|word| is_name(word));
                    if let Some(surname) = surname.filter(|_| words.get(at + 1).is_some_and(|word| is_name(word))) {
                        name.push(fold(surname));
                    }
                }
                if name.len() <= 3 {
                    found.insert(name);
                }
                since_role = 1;
                continue;
            }
            since_role = since_role.saturating_add(1);
            at += 1;
        }
    }
    for account in &batch.accounts {
        if !matches!(account.kind, AccountType::Equity | AccountType::Liability) {
            continue;
        }
        let name = fold(&account.name);
        if !["DRAWINGS", "LOAN", "CAPITAL", "DLA", "DIVIDENDS", "DIVIDEND", "DIRECTOR", "DIRECTORS"]
            .iter()
            .any(|word| has_phrase(&name, word))
        {
            continue;
        }
        // "Gethin's drawings".
        let possessive = account
            .name
            .split_whitespace()
            .next()
            .and_then(|word| word.strip_suffix("'s").or_else(|| word.strip_suffix("\u{2019}s")));
        if let Some(name) = possessive.filter(|name| {
            name.chars().next().is_some_and(char::is_uppercase)
                && !matches!(*name, "Director" | "Owner" | "Partner" | "Proprietor")
        }) {
            found.insert(vec![fold(name)]);
        }
        // "Directors loan - J Example": what stands behind the dash, or in brackets.
        let tail =
            account.name.rsplit(['-', '\u{2013}', '(', ':']).next().filter(|tail| tail.len() < account.name.len());
        if let Some(tail) = tail {
            let words: Vec<String> = fold(tail).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
            let known = [
                "LOAN",
                "ACCOUNT",
                "CAPITAL",
                "DRAWINGS",
                "BANK",
                "TAX",
                "INTRODUCED",
                "CURRENT",
                "A",
                "C",
                "ORDINARY",
                "SHARES",
            ];
            if (1..=3).contains(&words.len())
                && !words.iter().any(|word| known.contains(&word.as_str()) || word.chars().any(|c| c.is_ascii_digit()))
            {
                found.insert(words);
            }
        }
    }
    found.into_iter().filter(|name| name.iter().any(|word| word.chars().count() >= 3)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vat_status_is_understood_in_many_words() {
        for context in [
            "Not VAT registered.",
            "We're under the threshold so no VAT",
            "Sole trader, not registered for VAT. Cash basis",
            "turnover is well below the VAT threshold",
            "we don't charge VAT",
            "No VAT number yet",
            "Not yet VAT-registered, cafe",
            "isn't registered for VAT",
        ] {
            assert_eq!(said_about_vat(context), Some(false), "{context}");
        }
        for context in [
            "Limited company, VAT registered (standard accrual scheme).",
            "VAT number GB123456789",
            "VAT no. 123 4567 89",
            "on the flat rate scheme",
            "we do quarterly VAT returns",
            "Partially exempt",
            "A third of the work is under the reverse charge so no VAT on them. VAT registered, VAT No. GB 318 4471 02. They are not VAT registered.",
            "Standard VAT, quarterly",
            "Nick teaches for us, he is not VAT registered. VAT registered, standard accounting",
        ] {
            assert_eq!(said_about_vat(context), Some(true), "{context}");
        }
        assert_eq!(said_about_vat("A cafe in Leeds"), None);
    }
}
