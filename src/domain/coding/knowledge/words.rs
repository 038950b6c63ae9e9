//! Lists of words by which a business context, a chart and lines are read (`words.txt`).

use rustc_hash::{FxHashMap, FxHashSet};

const WORDS: &str = include_str!("words.txt");

/// One list, in the order of the file.
#[derive(Debug, Default)]
pub struct WordList {
    words: Vec<&'static str>,
    known: FxHashSet<&'static str>,
}

impl WordList {
    /// Whether a word is in the list.
    pub fn has(&self, word: &str) -> bool {
        self.known.contains(word)
    }

    /// Whether one of these words is in the list.
    pub fn has_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.has(word))
    }

    /// Every word or phrase of the list.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.words.iter().copied()
    }
}

/// Every list of the file, where a comment says what each is for.
#[derive(Debug)]
pub struct WordLists {
    pub(in crate::domain::coding) company_context: WordList,
    pub(in crate::domain::coding) company_chart: WordList,
    pub(in crate::domain::coding) sole_trader_context: WordList,
    pub(in crate::domain::coding) sole_trader_chart: WordList,
    pub(in crate::domain::coding) private_purchases: WordList,
    pub(in crate::domain::coding) loan_account: WordList,
    pub(in crate::domain::coding) special_vat_scheme: WordList,
    pub(in crate::domain::coding) denial: WordList,
    pub(in crate::domain::coding) vat_practice: WordList,
    pub(in crate::domain::coding) vat_practised: WordList,
    pub(in crate::domain::coding) vat_not_practised: WordList,
    pub(in crate::domain::coding) own_business: WordList,
    pub(in crate::domain::coding) vat_on_sales: WordList,
    pub(in crate::domain::coding) vat_spoken_of: WordList,
    pub(in crate::domain::coding) vat_denied: WordList,
    pub(in crate::domain::coding) vat_of_others: WordList,
    pub(in crate::domain::coding) asset: WordList,
    pub(in crate::domain::coding) taxed_rent: WordList,
    pub(in crate::domain::coding) taxed_rent_denial: WordList,
    pub(in crate::domain::coding) owner_role: WordList,
    pub(in crate::domain::coding) owner_verb: WordList,
    pub(in crate::domain::coding) owner_title: WordList,
    pub(in crate::domain::coding) before_place: WordList,
    pub(in crate::domain::coding) no_name: WordList,
    pub(in crate::domain::coding) staff_context: WordList,
    pub(in crate::domain::coding) owners_account: WordList,
    pub(in crate::domain::coding) owners_account_plain: WordList,
    pub(in crate::domain::coding) hint_plain: WordList,
    pub(in crate::domain::coding) town: WordList,
    pub(in crate::domain::coding) abroad: WordList,
    pub(in crate::domain::coding) abroad_form: WordList,
    pub(in crate::domain::coding) account_plain: WordList,
    /// Stems that say in the name of an account what kind of cost it is, whatever else the name says that it is for.
    pub(in crate::domain::coding) account_kind: WordList,
}

impl WordLists {
    pub(super) fn read(problems: &mut Vec<String>) -> Self {
        let mut lists = read_lists(problems);
        let mut take = |name: &str| {
            lists.remove(name).unwrap_or_else(|| {
                problems.push(format!("words.txt: no list {name}"));
                WordList::default()
            })
        };
        let words = Self {
            company_context: take("company_context"),
            company_chart: take("company_chart"),
            sole_trader_context: take("sole_trader_context"),
            sole_trader_chart: take("sole_trader_chart"),
            private_purchases: take("private_purchases"),
            loan_account: take("loan_account"),
            special_vat_scheme: take("special_vat_scheme"),
            denial: take("denial"),
            vat_practice: take("vat_practice"),
            vat_practised: take("vat_practised"),
            vat_not_practised: take("vat_not_practised"),
            own_business: take("own_business"),
            vat_on_sales: take("vat_on_sales"),
            vat_spoken_of: take("vat_spoken_of"),
            vat_denied: take("vat_denied"),
            vat_of_others: take("vat_of_others"),
            asset: take("asset"),
            taxed_rent: take("taxed_rent"),
            taxed_rent_denial: take("taxed_rent_denial"),
            owner_role: take("owner_role"),
            owner_verb: take("owner_verb"),
            owner_title: take("owner_title"),
            before_place: take("before_place"),
            no_name: take("no_name"),
            staff_context: take("staff_context"),
            owners_account: take("owners_account"),
            owners_account_plain: take("owners_account_plain"),
            hint_plain: take("hint_plain"),
            town: take("town"),
            abroad: take("abroad"),
            abroad_form: take("abroad_form"),
            account_plain: take("account_plain"),
            account_kind: take("account_kind"),
        };
        problems.extend(lists.keys().map(|name| format!("words.txt: unknown list {name}")));
        words
    }
}

fn read_lists(problems: &mut Vec<String>) -> FxHashMap<&'static str, WordList> {
    let mut lists: FxHashMap<&'static str, WordList> = FxHashMap::default();
    for line in WORDS.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let Some((name, words)) = line.split_once(':') else {
            problems.push(format!("words.txt: no colon in {line}"));
            continue;
        };
        let list = lists.entry(name.trim()).or_default();
        for word in words.split(',').map(str::trim) {
            if word.is_empty() || !list.known.insert(word) {
                problems.push(format!("words.txt: {name}: an empty word, or twice: {word}"));
            }
            list.words.push(word);
        }
    }
    lists
}
